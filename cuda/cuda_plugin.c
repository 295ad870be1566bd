/* cuda/cuda_plugin.c: the function table of the back end, and the plugin's exported function. */
#include "entries.h"

#include <stdio.h>
#include <string.h>

const volt_host *volt_cuda_host;

/* ---- what it takes ---------------------------------------------------------------------------- */

static double bytes(double n)
{
    const double workspaces = 128e6; /* workspace of cuSOLVER and of panels */
    return 8 * (n * n + 80 * n) + workspaces;
}

/* Measured on one H200 (docs/performance.md). */
static void seconds(double n, double d, double *gram, double *factor)
{
    const double entries = 20e9, flops = 45e12, launches = 1e-3;
    *gram = launches + n * n / 2 * (1 + d / 20) / entries;
    *factor = launches + n * n * n / 3 / flops + n * 4e-6;
}

static volt_backend backend = {
    .name = "cuda",
    .alloc = volt_cuda_alloc,
    .release = volt_cuda_release,
    .put = volt_cuda_put,
    .get = volt_cuda_get,
    .block = 1 << 26,
    .shift = volt_cuda_shift,
    .mirror = volt_cuda_mirror,
    .isolate = volt_cuda_isolate,
    .trsm = volt_cuda_trsm,
    .potrf = volt_cuda_potrf,
    .norm = volt_cuda_norm,
    .rcond = volt_cuda_rcond,
    .invert = volt_cuda_invert,
    .update = volt_cuda_update,
    .forward = volt_cuda_forward,
    .backward = volt_cuda_backward,
    .gemm = volt_cuda_gemm,
    .gather = volt_cuda_gather,
    .accumulate = volt_cuda_accumulate,
    .gram = volt_cuda_gram,
    .cross = volt_cuda_cross,
    .product = volt_cuda_product,
    .corner = volt_cuda_corner,
    .run = volt_cuda_run,
    .run_seconds = volt_cuda_run_seconds,
    .state = volt_cuda_state,
    .available = volt_cuda_available,
    .bytes = bytes,
    .seconds = seconds,
    .bind = volt_cuda_bind,
};

/* ---- devices ---------------------------------------------------------------------------------- */

static volt_status start(const volt_host *host, int64_t *devices)
{
    int count = 0;
    volt_cuda_host = host;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
        return host->fail(VOLT_ERR_DEVICE, "no NVIDIA GPU found");
    if (error != cudaSuccess)
        return host->fail(VOLT_ERR_DEVICE, "the NVIDIA driver cannot be used: %s", cudaGetErrorString(error));
    *devices = count;
    return VOLT_OK;
}

/* The driver version, for example "580.159.04", as reported by the kernel module; "" if unknown. */
static void driver_number(char *number, size_t size)
{
    char line[256] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    number[0] = 0;
    if (!file)
        return;
    if (fgets(line, sizeof line, file))
        for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
            if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
                snprintf(number, size, "%s, ", word);
                break;
            }
    fclose(file);
}

static volt_status describe(int64_t device, volt_device_info *info)
{
    struct cudaDeviceProp properties;
    int version = 0;
    char number[32];
    cudaError_t error = cudaGetDeviceProperties(&properties, (int)device);
    if (error == cudaSuccess)
        error = cudaDriverGetVersion(&version);
    if (error != cudaSuccess)
        return volt_cuda_host->fail(VOLT_ERR_DEVICE, "GPU %d cannot be used: %s", (int)device,
                                    cudaGetErrorString(error));
    driver_number(number, sizeof number);
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    snprintf(info->driver, sizeof info->driver, "%.31sCUDA %d.%d", number, version / 1000, version % 1000 / 10);
    info->memory = properties.totalGlobalMem;
    size_t available = 0, total = 0;
    if (cudaSetDevice((int)device) == cudaSuccess && cudaMemGetInfo(&available, &total) == cudaSuccess)
        info->available = available;
    cudaGetLastError();
    return VOLT_OK;
}

static volt_status open(const int64_t *devices, int64_t count, const volt_backend **opened)
{
    volt_status status = volt_cuda_open(devices, count);
    backend.devices = count;
    if (status == VOLT_OK)
        *opened = &backend;
    else
        volt_cuda_close();
    return status;
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

__attribute__((visibility("default"))) const volt_plugin *volt_plugin_query(void);

const volt_plugin *volt_plugin_query(void)
{
    static const volt_plugin plugin = {
        .interface = VOLT_PLUGIN_INTERFACE,
        .name = "cuda",
        .version = VOLT_VERSION ", CUDA " TEXT(CUDART_VERSION),
        .start = start,
        .describe = describe,
        .open = open,
        .close = volt_cuda_close,
    };
    return &plugin;
}
