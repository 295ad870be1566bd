/* src/backend/plugin.h: back ends in a separate shared library, and how they are loaded.
 *
 * A plugin is a shared object that exports one function, volt_plugin_query. It does not link to this library:
 * volt_host provides the functions it needs, and it provides a back end (backend/backend.h) for a list of its
 * devices:
 *
 *     query -> same interface version? -> start -> describe ... -> open -> use the back end -> close -> open another
 *
 * The only plugin is libvolterra_cuda.so. It is searched for in the folder of this library (with a static
 * library, in the folder of the program and in the folder of installed libraries) or at VOLT_CUDA_PLUGIN, an
 * absolute path. The working folder and the loader's search path are not used. */
#ifndef BACKEND_PLUGIN_H
#define BACKEND_PLUGIN_H

#include "backend/backend.h"

/* Incremented whenever a struct that a plugin uses changes: those of this header, volt_backend, volt_stage,
 * volt_kernel_form, volt_run_form. */
enum { VOLT_PLUGIN_INTERFACE = 4 };
enum { VOLT_MAX_DEVICES = 16 }; /* in the list of open devices */

/* Functions available to a plugin. Remains valid. */
typedef struct volt_host {
    const char *version;                                                                /* volt_version() */
    volt_status (*fail)(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3); /* base/error.h */
    void (*log)(volt_log_level level, const char *format, ...) VOLT_PRINTF(2, 3);       /* base/error.h */
    void *(*alloc)(int64_t count, size_t size);                                         /* base/memory.h */
    void (*release)(void *memory);
    bool (*advance)(volt_stage *stage, int64_t units); /* base/progress.h */
    bool (*poll)(volt_stage *stage);
    bool (*should_continue)(const volt_stage *stage);
    const volt_backend *cpu; /* operations on memory of this process */
} volt_host;

/* Every entry is REQUIRED. Failures record a message with host->fail; the status is VOLT_ERR_DEVICE, or
 * VOLT_ERR_MEMORY. Calls are serialised. */
typedef struct volt_plugin {
    int64_t interface;   /* VOLT_PLUGIN_INTERFACE, checked first */
    const char *name;    /* of the plugin and of its back end: "cuda" */
    const char *version; /* "1.0.0, CUDA 12.4" */
    /* Called once, before all others: finds the driver and counts the devices. */
    volt_status (*start)(const volt_host *host, int64_t *devices);
    volt_status (*describe)(int64_t device, volt_device_info *info);
    /* One list of devices is open at a time: 1 to VOLT_MAX_DEVICES numbers. Entry i is device i of the back end
     * (volt_backend.bind). A device that is listed twice has two independent contexts. Only the first device is
     * required to work; the others report failures by `state`. The back end remains valid, and may be the same one
     * each time. */
    volt_status (*open)(const int64_t *devices, int64_t count, const volt_backend **backend);
    void (*close)(void); /* none of its memory is in use */
} volt_plugin;

#define VOLT_PLUGIN_SYMBOL "volt_plugin_query"

/* The plugin, searched for and started by the first call; NULL when unavailable, with the reason in
 * volt_plugin_error. The next function returns its number of devices, at least 1. Callable from any thread. */
const volt_plugin *volt_plugin_get(void);
int64_t volt_plugin_devices(void);
const char *volt_plugin_error(void);
/* Path of the plugin; "" without a plugin. */
const char *volt_plugin_path(void);

/* Discards the search result, so that the next call searches again. No device may be open. For tests. */
void volt_plugin_reset(void);

#endif
