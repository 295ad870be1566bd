/* src/base/plugin.h: back ends that come in a library of their own, and how this one takes them.
 *
 * A plugin is a shared object that exports one function, volt_plugin_query. It links to nothing of this library: what it
 * needs is handed to it (volt_host), and what it offers is a back end (base/backend.h) for each of its devices:
 *
 *     query -> interface is ours? -> start -> describe ... -> open -> the back end is used -> close -> open another
 *
 * There is one, libvolterra_cuda.so. It is looked for beside this library (beside the program and in the folder of
 * installed libraries where this library is part of the program), or at VOLT_CUDA_PLUGIN, an absolute path, and nowhere
 * else: neither the working folder nor the search path of the loader. */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include "base/backend.h"

/* Raised whenever a struct that a plugin sees changes: those of this header, volt_backend, volt_stage, volt_kernel_form,
 * volt_run_form. */
enum { VOLT_PLUGIN_INTERFACE = 2 };

/* What a plugin may call. It stays where it is. */
typedef struct volt_host {
    const char *version;                                                                /* volt_version() */
    volt_status (*fail)(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3); /* base/error.h */
    void (*log)(volt_log_level level, const char *format, ...) VOLT_PRINTF(2, 3);       /* base/log.h */
    void *(*alloc)(int64_t count, size_t size);                                         /* base/memory.h */
    void (*release)(void *memory);
    bool (*advance)(volt_stage *stage, int64_t units); /* base/progress.h */
    bool (*poll)(volt_stage *stage);
    bool (*goes_on)(const volt_stage *stage);
    const volt_backend *cpu; /* whose operations serve on memory of this process */
} volt_host;

/* Every entry is REQUIRED. Failures have their sentence through host->fail; the status is VOLT_ERR_DEVICE unless memory is
 * out. Calls come from one thread at a time. */
typedef struct volt_plugin {
    int64_t interface;   /* VOLT_PLUGIN_INTERFACE, read before anything else */
    const char *name;    /* of the plugin and of its back end: "cuda" */
    const char *version; /* "1.0.0, CUDA 12.4" */
    /* Once, before all others: find the driver and count the devices. */
    volt_status (*start)(const volt_host *host, int64_t *devices);
    volt_status (*describe)(int64_t device, volt_device_info *info);
    /* One device is open at a time. The back end stays where it is, and may be the same one each time. */
    volt_status (*open)(int64_t device, const volt_backend **backend);
    void (*close)(void); /* none of its memory is in use any more */
} volt_plugin;

/* The exported function. */
typedef const volt_plugin *(*volt_plugin_query_fn)(void);
#define VOLT_PLUGIN_SYMBOL "volt_plugin_query"

/* The plugin, which is looked for by the first call and started; NULL: there is none to be had, and volt_plugin_why says in
 * one sentence why. The next function: its devices, at least 1. From any thread. */
const volt_plugin *volt_plugin_get(void);
int64_t volt_plugin_devices(void);
const char *volt_plugin_why(void);
/* Where the plugin was taken from; "" where there is none. */
const char *volt_plugin_path(void);

/* Forget the plugin, or why there was none, and look again at the next call. None of its devices is open. For tests. */
void volt_plugin_forget(void);

#endif
