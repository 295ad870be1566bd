/* src/backend/device.c: the devices selected by the user, and the open devices. */
#define _GNU_SOURCE /* dladdr, secure_getenv */

#include "backend/backend.h"
#include "backend/plugin.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "base/threads.h"
#include "text/text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/auxv.h>
#endif

/* The exported function. */
typedef const volt_plugin *(*volt_plugin_query_fn)(void);

/* ---- the plugin -------------------------------------------------------------------------------------- */

#ifndef VOLT_LIBRARIES_FROM_PROGRAM
#define VOLT_LIBRARIES_FROM_PROGRAM "../lib" /* from the folder of programs; set by the build */
#endif

#define PLUGIN_FILE "libvolterra_cuda.so"
#define PLUGIN_VARIABLE "VOLT_CUDA_PLUGIN"

static const volt_host host = {
    .fail = volt_fail,
    .log = volt_log,
    .alloc = volt_alloc,
    .release = volt_free,
    .advance = volt_stage_advance,
    .poll = volt_stage_poll,
    .should_continue = volt_stage_should_continue,
    .cpu = &volt_cpu_backend,
};

/* The result of the search. */
static pthread_mutex_t plugin_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool looked;
    void *handle;
    const volt_plugin *plugin;
    int64_t devices;
    volt_host host; /* with the version */
    char path[PATH_MAX];
    char why[1024];
} state;

VOLT_PRINTF(1, 2) static void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(state.why, sizeof state.why, format, args);
    va_end(args);
    volt_make_printable(state.why);
}

/* ---- search ----------------------------------------------------------------------------------- */

#ifdef __linux__
/* The file that contains this code; false, with the reason, when it cannot be determined. argv[0] is not
 * reliable, so the system is queried; a library loaded by a relative name may be in the working folder. */
static bool own_file(char file[PATH_MAX], bool *is_program)
{
    Dl_info own, program;
    if (!dladdr((void *)(size_t)&host, &own) || !own.dli_fname) {
        refuse("plugin search skipped: the location of this library is unknown");
        return false;
    }
    *is_program = dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == own.dli_fbase;
    if (!*is_program && own.dli_fname[0] != '/') {
        refuse("plugin search skipped in the folder of %s, which was loaded by a relative name; set %s to name "
               "one",
               own.dli_fname, PLUGIN_VARIABLE);
        return false;
    }
    if (!realpath(*is_program ? "/proc/self/exe" : own.dli_fname, file)) {
        refuse("plugin search skipped: the location of this library is unknown");
        return false;
    }
    return true;
}

/* Whether the file FOLDER/INSIDE/PLUGIN_FILE exists. Stores its name in `state.path`. */
static bool is_in(const char *folder, const char *inside)
{
    int used =
        snprintf(state.path, sizeof state.path, "%s/%s%s%s", folder, inside, inside[0] ? "/" : "", PLUGIN_FILE);
    return used > 0 && used < (int)sizeof state.path && access(state.path, F_OK) == 0;
}

static bool find_beside(void)
{
    char folder[PATH_MAX];
    bool is_program = false;
    if (!own_file(folder, &is_program))
        return false;
    *strrchr(folder, '/') = '\0';
    if (is_in(folder, "") || (is_program && is_in(folder, VOLT_LIBRARIES_FROM_PROGRAM)))
        return true;
    refuse("no GPU plugin: no %s in %s%s%s", PLUGIN_FILE, folder, is_program ? " or its " : "",
           is_program ? VOLT_LIBRARIES_FROM_PROGRAM : "");
    return false;
}

static bool find_named(const char *name)
{
    if (name[0] != '/') {
        refuse("%s must be an absolute path (got '%s')", PLUGIN_VARIABLE, name);
        return false;
    }
    if (strlen(name) >= sizeof state.path || access(name, F_OK) != 0) {
        refuse("no GPU plugin: %s names %s, which does not exist", PLUGIN_VARIABLE, name);
        return false;
    }
    snprintf(state.path, sizeof state.path, "%s", name);
    return true;
}

static bool find(void)
{
    const char *name = secure_getenv(PLUGIN_VARIABLE);
    return name && name[0] ? find_named(name) : find_beside();
}
#else
static bool find(void)
{
    refuse("no GPU plugin: supported on Linux only");
    return false;
}
#endif

/* ---- checks ----------------------------------------------------------------------------------- */

static bool is_complete(const volt_plugin *plugin)
{
    return plugin->name && plugin->version && plugin->start && plugin->describe && plugin->open &&
           plugin->close;
}

/* The plugin returned by the symbol, if its interface version matches. */
static const volt_plugin *query(void *symbol)
{
    volt_plugin_query_fn ask;
    memcpy(&ask, &symbol, sizeof ask); /* ISO C has no conversion */
    const volt_plugin *plugin = ask();
    if (!plugin) {
        refuse("the plugin %s is damaged: its query function returned NULL", state.path);
        return NULL;
    }
    if (plugin->interface != VOLT_PLUGIN_INTERFACE) {
        refuse("the plugin %s is %s than this library: its interface is %" PRId64 ", and %d is required",
               state.path, plugin->interface < VOLT_PLUGIN_INTERFACE ? "older" : "newer", plugin->interface,
               VOLT_PLUGIN_INTERFACE);
        return NULL;
    }
    if (!is_complete(plugin)) {
        refuse("the plugin %s is damaged: it lacks an entry", state.path);
        return NULL;
    }
    return plugin;
}

static bool start(const volt_plugin *plugin)
{
    int64_t devices = 0;
    state.host = host;
    state.host.version = volt_version();
    if (plugin->start(&state.host, &devices) != VOLT_OK) {
        refuse("the plugin %s found no device: %s", state.path, volt_error_detail());
        return false;
    }
    if (devices < 1) {
        refuse("the plugin %s found no device: the driver has none", state.path);
        return false;
    }
    state.devices = devices;
    return true;
}

static void look(void)
{
    state.looked = true;
    if (!find())
        return;
    dlerror();
    state.handle = dlopen(state.path, RTLD_NOW | RTLD_LOCAL);
    if (!state.handle) {
        const char *reason = dlerror();
        refuse("the plugin cannot be loaded: %s", reason ? reason : state.path);
        return;
    }
    void *symbol = dlsym(state.handle, VOLT_PLUGIN_SYMBOL);
    if (!symbol)
        refuse("%s is not a plugin of this library: it has no %s", state.path, VOLT_PLUGIN_SYMBOL);
    const volt_plugin *plugin = symbol ? query(symbol) : NULL;
    if (plugin && start(plugin)) {
        state.plugin = plugin;
        return;
    }
    dlclose(state.handle);
    state.handle = NULL;
}

/* ---- interface -------------------------------------------------------------------------------- */

static void look_once(void)
{
    pthread_mutex_lock(&plugin_lock);
    if (!state.looked)
        look();
    pthread_mutex_unlock(&plugin_lock);
}

const volt_plugin *volt_plugin_get(void)
{
    look_once();
    return state.plugin;
}

int64_t volt_plugin_devices(void)
{
    return volt_plugin_get() ? state.devices : 0;
}

const char *volt_plugin_error(void)
{
    look_once();
    return state.why;
}

const char *volt_plugin_path(void)
{
    return volt_plugin_get() ? state.path : "";
}

void volt_plugin_reset(void)
{
    pthread_mutex_lock(&plugin_lock);
    if (state.handle)
        dlclose(state.handle);
    memset(&state, 0, sizeof state);
    pthread_mutex_unlock(&plugin_lock);
}

/* ---- one fit on several devices ---------------------------------------------------------------------- */

typedef struct member {
    volt_bands bands; /* first: volt_bands_current() of the thread is the member */
    struct team *team;
    pthread_t thread;
    double *numbers; /* that are being added */
} member;

typedef struct team {
    const volt_backend *backend;
    volt_progress user;
    volt_team_fn work;
    void *context;
    int64_t parts, threads;
    member *members;

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t moved;
    int64_t waiting, generation;
    bool stopped; /* a part has failed: nobody waits any more, and sums are undefined ... */
    volt_status status;
    char text[512]; /* ... with this message: messages belong to a thread */
} team;

/* ---- waiting ---------------------------------------------------------------------------------- */

static bool is_stopped(team *t)
{
    pthread_mutex_lock(&t->lock);
    bool stopped = t->stopped;
    pthread_mutex_unlock(&t->lock);
    return stopped;
}

/* A part with this status leaves. Only the first one determines the status of the team: the others fail because sums
 * are undefined by then. */
static void stop(team *t, volt_status status, const char *text)
{
    pthread_mutex_lock(&t->lock);
    if (!t->stopped) {
        t->status = status;
        snprintf(t->text, sizeof t->text, "%s", text);
    }
    t->stopped = true;
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}

/* Waits for all parts; false if the team was stopped. */
static bool all_arrive(team *t)
{
    pthread_mutex_lock(&t->lock);
    int64_t generation = t->generation;
    if (++t->waiting == t->parts) {
        t->waiting = 0;
        t->generation++;
        pthread_cond_broadcast(&t->moved);
    }
    while (!t->stopped && t->generation == generation)
        pthread_cond_wait(&t->moved, &t->lock);
    bool good = !t->stopped;
    pthread_mutex_unlock(&t->lock);
    return good;
}

/* ---- sums ------------------------------------------------------------------------------------- */

static void sum_over_parts(double *numbers, int64_t count)
{
    member *own = (member *)(void *)(size_t)volt_bands_current();
    const team *t = own->team;
    int64_t part = own->bands.part;
    own->numbers = numbers;
    if (!all_arrive(own->team))
        return;
    for (int64_t i = count * part / t->parts; i < count * (part + 1) / t->parts; i++) {
        double sum = 0;
        for (int64_t p = 0; p < t->parts; p++)
            sum += t->members[p].numbers[i];
        for (int64_t p = 0; p < t->parts; p++)
            t->members[p].numbers[i] = sum;
    }
    all_arrive(own->team);
}

/* ---- parts ------------------------------------------------------------------------------------ */

static int forward(const char *stage, double fraction, void *context)
{
    team *t = context;
    int cancelled = t->user.report ? t->user.report(stage, fraction, t->user.context) : 0;
    return cancelled || is_stopped(t);
}

static int watch(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return is_stopped(context);
}

static void run_part(member *m)
{
    team *t = m->team;
    int64_t part = m->bands.part, threads = 0, before = volt_backend_bind(t->backend, part);
    volt_progress progress = {.report = part == 0 ? forward : watch, .context = t};
    volt_set_threads_local(t->threads, &threads);
    volt_bands_use(&m->bands);
    volt_status status = t->work(part, progress, t->context);
    if (status != VOLT_OK)
        stop(t, status, volt_error_detail());
    volt_bands_use(NULL);
    volt_set_threads_local(threads, NULL);
    volt_backend_bind(t->backend, before);
}

static void *run_thread(void *context)
{
    bool claimed = volt_blas_set_claimed(true); /* by the call that runs the team */
    volt_log_mute(true);
    run_part(context);
    volt_log_mute(false);
    volt_blas_set_claimed(claimed);
    return NULL;
}

volt_status volt_team_run(const volt_backend *backend, volt_progress progress, volt_team_fn work, void *context)
{
    int64_t parts = volt_backend_devices(backend), started = 1;
    team t = {.backend = backend,
              .user = progress,
              .work = work,
              .context = context,
              .parts = parts,
              .threads = volt_max(volt_threads() / parts, 1),
              .members = volt_alloc_zero(parts, sizeof *t.members),
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .moved = PTHREAD_COND_INITIALIZER};
    if (!t.members)
        return VOLT_ERR_MEMORY;
    for (int64_t p = 0; p < parts; p++) {
        t.members[p].bands = (volt_bands){.parts = parts, .part = p, .in_process = true, .sum = sum_over_parts};
        t.members[p].team = &t;
    }
    while (started < parts &&
           pthread_create(&t.members[started].thread, NULL, run_thread, &t.members[started]) == 0)
        started++;
    if (started == parts)
        run_part(&t.members[0]);
    else
        stop(&t, VOLT_ERR_MEMORY, "cannot start a thread for each device");
    for (int64_t p = 1; p < started; p++)
        pthread_join(t.members[p].thread, NULL);
    volt_status status = t.stopped ? volt_fail(t.status, "%s", t.text) : VOLT_OK;
    pthread_cond_destroy(&t.moved);
    pthread_mutex_destroy(&t.lock);
    volt_free(t.members);
    return status;
}

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

static volt_status describe(int64_t device, volt_device_info *info)
{
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
    static char text[PATH_MAX + 512];
    const volt_plugin *plugin = volt_plugin_get();
    if (!plugin)
        return "";
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "%s %s (%s)", plugin->name, plugin->version, volt_plugin_path());
    volt_make_printable(text);
    pthread_mutex_unlock(&lock);
    return text;
}

volt_status volt_devices_get(volt_devices *devices, int64_t device, volt_device_info *info)
{
    VOLT_REQUIRE(devices, VOLT_ERR_ARGUMENT, "the devices are NULL");
    volt_devices now = {.chosen = volt_device(),
                        .count = volt_device_count(),
                        .why = volt_device_error(),
                        .plugin = volt_device_plugin()};
    VOLT_TRY(volt_result_copy(devices, &now, sizeof now, "volt_devices"));
    return info ? describe(device, info) : VOLT_OK;
}
