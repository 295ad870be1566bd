/* tests/plugin/far_plugin.c: a plugin with devices that compute like a GPU (support/far_device.h), for jobs.
 *
 * VOLT_FAR_DEVICES is the number of devices, 2 by default. Each opened list is appended to the file VOLT_FAR_LOG, one
 * line a process. Blocks that are not released before the devices are closed end the process. */
#include "support/far_device.h"

#include <stdio.h>
#include <stdlib.h>

static volt_status start(const volt_host *host, int64_t *devices)
{
    const char *count = getenv("VOLT_FAR_DEVICES");
    far_host = *host;
    *devices = count ? strtol(count, NULL, 10) : 2;
    return VOLT_OK;
}

static volt_status describe(int64_t device, volt_device_info *info)
{
    snprintf(info->name, sizeof info->name, "Far %lld", (long long)device);
    snprintf(info->driver, sizeof info->driver, "1.0");
    return VOLT_OK;
}

static volt_status open_list(const int64_t *devices, int64_t count, const volt_backend **backend)
{
    const char *path = getenv("VOLT_FAR_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    for (int64_t i = 0; log && i < count; i++)
        fprintf(log, "gpu:%lld%s", (long long)devices[i], i + 1 < count ? " " : "\n");
    if (log)
        fclose(log);
    far_backends_present(count);
    *backend = &far_device;
    return VOLT_OK;
}

static void close_list(void)
{
    if (far_backends_live() != 0) {
        fprintf(stderr, "far_plugin: %lld blocks were not released\n", (long long)far_backends_live());
        abort();
    }
}

VOLT_API const volt_plugin *volt_plugin_query(void);

const volt_plugin *volt_plugin_query(void)
{
    static const volt_plugin plugin = {.interface = VOLT_PLUGIN_INTERFACE,
                                       .name = "far",
                                       .version = "1.0",
                                       .start = start,
                                       .describe = describe,
                                       .open = open_list,
                                       .close = close_list};
    return &plugin;
}
