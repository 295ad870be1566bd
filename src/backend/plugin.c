/* src/backend/plugin.c: the search for the plugin, and the checks before it is used. */
#define _GNU_SOURCE /* dladdr, secure_getenv */
#include "backend/plugin.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/text.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#include <unistd.h>

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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&lock);
    if (!state.looked)
        look();
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    if (state.handle)
        dlclose(state.handle);
    memset(&state, 0, sizeof state);
    pthread_mutex_unlock(&lock);
}
