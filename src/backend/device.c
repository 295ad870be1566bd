/* src/backend/device.c: the devices selected by the user, and the open devices. */
#include "backend/backend.h"

#include "backend/plugin.h"
#include "base/error.h"
#include "base/memory.h"
#include "text/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Devices by number, in the order of the back end. One number may occur twice. */
typedef struct device_list {
    int64_t number[VOLT_MAX_DEVICES];
    int64_t count;
} device_list;

enum { MAX_TEXT = 8 * VOLT_MAX_DEVICES };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const volt_backend *opened; /* NULL: no open device */
static device_list in_use;         /* the open devices */
static bool failed;                /* automatic choice failed to open a device */
static int64_t own = -1;           /* index of this process among those on this machine; -1: not in a job */
static char chosen[MAX_TEXT] = "auto";

/* ---- the open devices -------------------------------------------------------------------------- */

static const char *text_of(const device_list *list, char text[MAX_TEXT])
{
    int used = snprintf(text, MAX_TEXT, "gpu:");
    for (int64_t i = 0; i < list->count; i++)
        used += snprintf(text + used, (size_t)(MAX_TEXT - used), "%s%" PRId64, i ? "," : "", list->number[i]);
    return text;
}

static void close_devices(void)
{
    if (opened)
        volt_plugin_get()->close();
    opened = NULL;
}

static volt_status open_fresh(const volt_plugin *plugin, const device_list *list)
{
    const volt_backend *backend = NULL;
    char text[MAX_TEXT];
    volt_status status = plugin->open(list->number, list->count, &backend);
    if (status != VOLT_OK)
        return volt_fail_prefix(status, "%s cannot be opened", text_of(list, text));
    if (volt_backend_check(backend) != VOLT_OK) {
        plugin->close();
        return volt_fail_prefix(VOLT_ERR_DEVICE, "the plugin %s is damaged", volt_plugin_path());
    }
    opened = backend;
    in_use = *list;
    return VOLT_OK;
}

static bool all_work(void)
{
    bool good = true;
    for (int64_t i = 0; i < volt_backend_devices(opened); i++) {
        int64_t before = volt_backend_bind(opened, i);
        good &= volt_backend_state(opened) == VOLT_OK;
        volt_backend_bind(opened, before);
    }
    return good;
}

/* The list for this process; an empty one stands for all devices. A process of a job has one device. */
static volt_status complete(device_list *list)
{
    int64_t count = volt_plugin_devices();
    VOLT_REQUIRE(volt_plugin_get(), VOLT_ERR_DEVICE, "%s", volt_plugin_error());
    if (list->count == 0)
        for (int64_t i = 0; i < count && i < VOLT_MAX_DEVICES; i++)
            list->number[list->count++] = i;
    VOLT_REQUIRE(list->count > 0, VOLT_ERR_DEVICE, "the plugin found no GPU");
    for (int64_t i = 0; i < list->count; i++)
        VOLT_REQUIRE(list->number[i] < count, VOLT_ERR_DEVICE,
                     "gpu:%" PRId64 " does not exist: the plugin found %" PRId64 ", and the first is gpu:0",
                     list->number[i], count);
    if (own >= 0)
        *list = (device_list){{list->number[own % list->count]}, 1};
    return VOLT_OK;
}

/* Reopens lost devices. On failure no device is open. */
static volt_status open_devices(device_list list)
{
    VOLT_TRY(complete(&list));
    bool same = opened && in_use.count == list.count &&
                memcmp(in_use.number, list.number, (size_t)list.count * sizeof *list.number) == 0;
    if (same && all_work())
        return VOLT_OK;
    close_devices();
    return open_fresh(volt_plugin_get(), &list);
}

/* The first device; in a job, one of all. */
static device_list usual(void)
{
    return (device_list){.count = own < 0};
}

const volt_backend *volt_device_backend(void)
{
    pthread_mutex_lock(&lock);
    if (!opened && !failed)
        failed = open_devices(usual()) != VOLT_OK;
    const volt_backend *backend = opened;
    pthread_mutex_unlock(&lock);
    return backend;
}

void volt_device_own(int64_t index)
{
    own = index;
}

const char *volt_device_of(const volt_backend *backend)
{
    static _Thread_local char text[MAX_TEXT];
    if (!backend || !volt_backend_is_remote(backend))
        return volt_cpu_backend.name;
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "%s", backend->name);
    if (backend == opened)
        text_of(&in_use, text);
    pthread_mutex_unlock(&lock);
    return text;
}

/* ---- the choice ------------------------------------------------------------------------------- */

/* A number of at most 4 digits; returns the place after it, NULL if there is none. */
static const char *read_number(const char *text, int64_t *number)
{
    enum { MAX_DIGITS = 4 };
    size_t length = strspn(text, "0123456789");
    *number = 0;
    for (size_t i = 0; i < length && i < MAX_DIGITS; i++)
        *number = 10 * *number + (text[i] - '0');
    return length > 0 && length <= MAX_DIGITS ? text + length : NULL;
}

/* "gpu", "gpu:all" (an empty list) and "gpu:K,L,...". */
static bool is_gpu(const char *text, device_list *list)
{
    *list = usual();
    if (strcmp(text, "gpu") == 0)
        return true;
    *list = (device_list){0};
    if (strcmp(text, "gpu:all") == 0)
        return true;
    if (strncmp(text, "gpu:", 4) != 0 || strchr(text + 4, ':'))
        return false;
    const char *at = text + 3;
    while (at && (*at == ':' || *at == ',') && list->count < VOLT_MAX_DEVICES)
        at = read_number(at + 1, &list->number[list->count++]);
    return at && *at == '\0';
}

static volt_status choose_gpus(const device_list *list)
{
    bool was_open = opened != NULL, was_chosen = opened && volt_backend_chosen() == opened;
    device_list before = in_use;
    volt_status status = open_devices(*list);
    if (status != VOLT_OK && was_open && !opened) {
        /* The previous devices are closed by now: reopen them, and keep the message. */
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%s", volt_error_detail());
        if (open_fresh(volt_plugin_get(), &before) != VOLT_OK && was_chosen) {
            volt_backend_set(&volt_cpu_backend);
            snprintf(chosen, sizeof chosen, "cpu");
        }
        return volt_fail(status, "%s", sentence);
    }
    VOLT_TRY(status);
    volt_backend_set(opened);
    text_of(&in_use, chosen);
    return VOLT_OK;
}

volt_status volt_set_device(const char *device)
{
    device_list gpus = {0};
    bool automatic = device && strcmp(device, "auto") == 0, cpu = device && strcmp(device, "cpu") == 0;
    VOLT_REQUIRE(
        automatic || cpu || (device && is_gpu(device, &gpus)), VOLT_ERR_ARGUMENT,
        "unknown device '%s'; must be auto, cpu, gpu, gpu:all, or a list of at most %d such as gpu:1 or "
        "gpu:0,1",
        device ? device : "", VOLT_MAX_DEVICES);
    volt_status status = VOLT_OK;
    pthread_mutex_lock(&lock);
    if (automatic || cpu) {
        volt_backend_set(automatic ? NULL : &volt_cpu_backend);
        snprintf(chosen, sizeof chosen, "%s", device);
        if (cpu)
            close_devices();
        failed = false;
    } else {
        status = choose_gpus(&gpus);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

const char *volt_device(void)
{
    return chosen;
}

void volt_device_reset(void)
{
    pthread_mutex_lock(&lock);
    close_devices();
    volt_backend_set(NULL);
    failed = false;
    own = -1;
    snprintf(chosen, sizeof chosen, "auto");
    volt_plugin_reset();
    pthread_mutex_unlock(&lock);
}

/* ---- the list --------------------------------------------------------------------------------- */

int64_t volt_device_count(void)
{
    return volt_plugin_devices();
}

const char *volt_device_error(void)
{
    return volt_plugin_error();
}

volt_status volt_device_get_info(int64_t device, volt_device_info *info)
{
    VOLT_REQUIRE(info, VOLT_ERR_ARGUMENT, "the device is NULL");
    int64_t count = volt_plugin_devices();
    VOLT_REQUIRE(device >= 0 && device < count, VOLT_ERR_ARGUMENT,
                 "device %" PRId64 " does not exist: the number of devices is %" PRId64, device, count);
    volt_device_info found = {.struct_size = sizeof found};
    pthread_mutex_lock(&lock);
    volt_status status = volt_plugin_get()->describe(device, &found);
    pthread_mutex_unlock(&lock);
    VOLT_TRY(status);
    found.name[sizeof found.name - 1] = found.driver[sizeof found.driver - 1] = '\0';
    volt_make_printable(found.name);
    volt_make_printable(found.driver);
    return volt_result_copy(info, &found, sizeof found, "volt_device_info");
}

const char *volt_device_plugin(void)
{
    static char text[512];
    const volt_plugin *plugin = volt_plugin_get();
    if (!plugin)
        return "";
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "%s %s (%s)", plugin->name, plugin->version, volt_plugin_path());
    volt_make_printable(text);
    pthread_mutex_unlock(&lock);
    return text;
}

volt_status volt_devices_get(volt_devices *devices)
{
    VOLT_REQUIRE(devices, VOLT_ERR_ARGUMENT, "the devices are NULL");
    volt_devices now = {.chosen = volt_device(),
                        .count = volt_device_count(),
                        .why = volt_device_error(),
                        .plugin = volt_device_plugin()};
    return volt_result_copy(devices, &now, sizeof now, "volt_devices");
}
