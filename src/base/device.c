/* src/base/device.c: the device selected by the user, and the open device. */
#include "base/backend.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "text/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const volt_backend *opened; /* NULL: no open device */
static int64_t number;             /* of the open device */
static bool failed;                /* automatic choice failed to open a device */
static char chosen[32] = "auto";

/* ---- the open device -------------------------------------------------------------------------- */

static void close_device(void)
{
    if (opened)
        volt_plugin_get()->close();
    opened = NULL;
}

static volt_status open_fresh(const volt_plugin *plugin, int64_t device)
{
    const volt_backend *backend = NULL;
    volt_status status = plugin->open(device, &backend);
    if (status != VOLT_OK)
        return volt_fail_prefix(status, "gpu:%" PRId64 " cannot be opened", device);
    if (volt_backend_check(backend) != VOLT_OK) {
        plugin->close();
        return volt_fail_prefix(VOLT_ERR_DEVICE, "the plugin %s is damaged", volt_plugin_path());
    }
    opened = backend;
    number = device;
    return VOLT_OK;
}

/* Reopens a lost device. On failure no device is open. */
static volt_status open_device(int64_t device)
{
    const volt_plugin *plugin = volt_plugin_get();
    int64_t count = volt_plugin_devices();
    VOLT_REQUIRE(plugin, VOLT_ERR_DEVICE, "%s", volt_plugin_error());
    VOLT_REQUIRE(device < count, VOLT_ERR_DEVICE,
                 "gpu:%" PRId64 " does not exist: the plugin found %" PRId64 ", and the first is gpu:0", device,
                 count);
    if (opened && number == device && volt_backend_state(opened) == VOLT_OK)
        return VOLT_OK;
    close_device();
    return open_fresh(plugin, device);
}

const volt_backend *volt_device_backend(void)
{
    pthread_mutex_lock(&lock);
    if (!opened && !failed)
        failed = open_device(0) != VOLT_OK;
    const volt_backend *backend = opened;
    pthread_mutex_unlock(&lock);
    return backend;
}

/* ---- the choice ------------------------------------------------------------------------------- */

/* "gpu" and "gpu:K". */
static bool is_gpu(const char *text, int64_t *device)
{
    enum { MAX_DIGITS = 4 };
    *device = 0;
    if (strncmp(text, "gpu", 3) != 0)
        return false;
    if (text[3] == '\0')
        return true;
    const char *digits = text + 4;
    size_t length = strspn(digits, "0123456789");
    if (text[3] != ':' || length == 0 || length > MAX_DIGITS || digits[length] != '\0')
        return false;
    for (size_t i = 0; i < length; i++)
        *device = 10 * *device + (digits[i] - '0');
    return true;
}

static volt_status choose_gpu(int64_t device)
{
    bool was_open = opened != NULL, was_chosen = opened && volt_backend_current() == opened;
    int64_t before = number;
    volt_status status = open_device(device);
    if (status != VOLT_OK && was_open && !opened) {
        /* The previous device is closed by now: reopen it, and keep the message. */
        char sentence[512];
        snprintf(sentence, sizeof sentence, "%s", volt_error_detail());
        if (open_fresh(volt_plugin_get(), before) != VOLT_OK && was_chosen) {
            volt_backend_set(&volt_cpu_backend);
            snprintf(chosen, sizeof chosen, "cpu");
        }
        return volt_fail(status, "%s", sentence);
    }
    VOLT_TRY(status);
    volt_backend_set(opened);
    snprintf(chosen, sizeof chosen, "gpu:%" PRId64, device);
    return VOLT_OK;
}

volt_status volt_set_device(const char *device)
{
    int64_t gpu = 0;
    bool automatic = device && strcmp(device, "auto") == 0, cpu = device && strcmp(device, "cpu") == 0;
    VOLT_REQUIRE(automatic || cpu || (device && is_gpu(device, &gpu)), VOLT_ERR_ARGUMENT,
                 "unknown device '%s'; must be auto, cpu, gpu, or gpu:1 and so on", device ? device : "");
    volt_status status = VOLT_OK;
    pthread_mutex_lock(&lock);
    if (automatic || cpu) {
        volt_backend_set(automatic ? NULL : &volt_cpu_backend);
        snprintf(chosen, sizeof chosen, "%s", device);
        if (cpu)
            close_device();
        failed = false;
    } else {
        status = choose_gpu(gpu);
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
    close_device();
    volt_backend_set(NULL);
    failed = false;
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
