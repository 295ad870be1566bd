/* tests/plugin/fake_plugin.c: a plugin without a device, whose back end is the CPU's at addresses that may
 * not be read.
 *
 * VOLT_FAKE_DEVICE lists its faults, separated by commas:
 *
 *     interface=N  null  incomplete=K of the plugin, which lacks its K-th entry
 *     driver  devices=N  open  lacks  no driver, N devices (default 2; -1: it does not say), open fails, the
 * back end lacks
 *                                     an entry
 *     alloc=K                         the K-th allocation fails for lack of memory
 *     lost=K                          the K-th operation loses the device, for good until it is opened again
 *     memory=BYTES                    that the device has (default 1e9)
 *     seconds=S                       that it says a Gram matrix and a factor take together
 *     streams=N                       candidates at a time
 *     names                           its names fill their arrays, without an end
 *     optional                        it has entries for landmarks, products and free runs, which do nothing
 *
 * A block is an address range without access rights. Its data are stored REACH bytes after it. A block that
 * is not released before the device is closed ends the process. */
#define _GNU_SOURCE
#include "backend/plugin.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const volt_host *host;
static _Atomic int64_t live, allocations, operations;
static _Atomic bool lost[VOLT_MAX_DEVICES];
static _Thread_local int64_t bound; /* device of the calling thread */

/* The number behind WORD= in VOLT_FAKE_DEVICE, 1 for a word without one; `fallback` where it is not there. */
static double fault(const char *word, double fallback)
{
    const char *text = getenv("VOLT_FAKE_DEVICE");
    size_t length = strlen(word);
    for (const char *at = text; at && *at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, word, length) == 0 && strchr("=,", at[length]))
            return at[length] == '=' ? strtod(at + length + 1, NULL) : 1;
    return fallback;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static const size_t REACH = (size_t)1 << 30;

static double *near(const double *far)
{
    return (double *)(void *)((char *)(size_t)far + REACH);
}

static volt_matrix near_matrix(volt_matrix A)
{
    return (volt_matrix){near(A.data), A.rows, A.cols, A.ld};
}

static volt_view near_view(volt_view A)
{
    return (volt_view){near(A.data), A.rows, A.cols, A.ld};
}

static double *fake_alloc(int64_t rows, int64_t cols)
{
    size_t bytes = (size_t)(rows * cols + 1) * sizeof(double);
    int64_t number = atomic_fetch_add(&allocations, 1) + 1;
    char *block = number == (int64_t)fault("alloc", 0) || bytes > REACH
                      ? MAP_FAILED
                      : mmap(NULL, 2 * REACH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED || mprotect(block + REACH, bytes, PROT_READ | PROT_WRITE) != 0) {
        host->fail(VOLT_ERR_MEMORY, "the device has no room for %lld x %lld numbers", (long long)rows,
                   (long long)cols);
        return NULL;
    }
    atomic_fetch_add(&live, 1);
    return (double *)(void *)block;
}

static void fake_release(double *memory)
{
    if (!memory)
        return;
    munmap(memory, 2 * REACH);
    atomic_fetch_sub(&live, 1);
}

/* ---- operations: the CPU's, until the device is lost ------------------------------------------ */

static void fake_bind(int64_t device)
{
    bound = device;
}

static bool works(void)
{
    if (atomic_fetch_add(&operations, 1) + 1 == (int64_t)fault("lost", 0))
        atomic_store(&lost[bound], true);
    return !atomic_load(&lost[bound]);
}

static void fake_put(volt_view from, volt_matrix to)
{
    if (works())
        host->cpu->put(from, near_matrix(to));
}

static void fake_get(volt_view from, volt_matrix to)
{
    if (works())
        host->cpu->get(near_view(from), to);
}

static void fake_shift(volt_matrix A, int64_t first, int64_t count, double common, double alpha,
                       double *largest)
{
    if (works())
        host->cpu->shift(near_matrix(A), first, count, common, alpha, largest);
}

static void fake_mirror(volt_matrix A, bool up)
{
    if (works())
        host->cpu->mirror(near_matrix(A), up);
}

static void fake_isolate(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal)
{
    if (works())
        host->cpu->isolate(near_matrix(A), i, first, count, diagonal);
}

static void fake_trsm(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage)
{
    if (works())
        host->cpu->trsm(near_matrix(L), first, count, from, to, stage);
}

static void fake_potrf(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot)
{
    if (works())
        host->cpu->potrf(near_matrix(L), from, to, stage, pivot);
    else
        *pivot = 1; /* meaningless values, which callers must not use */
}

static volt_status fake_norm(volt_view A, double *norm)
{
    return works() ? host->cpu->norm(near_view(A), norm) : VOLT_OK;
}

static volt_status fake_rcond(volt_matrix L, double norm, double *rcond)
{
    return works() ? host->cpu->rcond(near_matrix(L), norm, rcond) : VOLT_OK;
}

static void fake_invert(volt_matrix L, volt_stage *stage)
{
    if (works())
        host->cpu->invert(near_matrix(L), stage);
}

static void fake_update(volt_matrix R, volt_view B, double scale)
{
    if (works())
        host->cpu->update(near_matrix(R), B, scale);
}

static void fake_forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B)
{
    if (works())
        host->cpu->forward(near_matrix(L), from, to, steady, B);
}

static void fake_backward(volt_matrix L, bool steady, volt_matrix B)
{
    if (works())
        host->cpu->backward(near_matrix(L), steady, B);
}

static void fake_gemm(volt_view A, bool transposed, volt_view B, const double *shift, bool steady,
                      volt_matrix C)
{
    if (works())
        host->cpu->gemm(near_view(A), transposed, B, shift, steady, C);
}

/* ---- a device --------------------------------------------------------------------------------- */

static volt_status fake_state(void)
{
    return atomic_load(&lost[bound]) ? host->fail(VOLT_ERR_DEVICE, "the device was lost: it fell off the bus")
                                     : VOLT_OK;
}

static uint64_t fake_available(void)
{
    return (uint64_t)fault("memory", 1e9);
}

static double fake_bytes(double n)
{
    return 8 * n * (n + 1);
}

static void fake_seconds(double n, double d, double *gram, double *factor)
{
    (void)n;
    (void)d;
    *gram = *factor = fault("seconds", 1e9) / 2;
}

/* ---- entries that only have to be there: who weighs whether work goes to the device asks no more ---- */

static void no_gather(volt_view K, const int64_t *column, const double *shift, volt_matrix F)
{
    (void)K, (void)column, (void)shift, (void)F;
}

static void no_accumulate(volt_view F, double scale, volt_matrix G)
{
    (void)F, (void)scale, (void)G;
}

static bool no_cross(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                     volt_stage *stage)
{
    (void)form, (void)Y, (void)Z, (void)state, (void)K, (void)stage;
    return false;
}

static bool no_run(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                   volt_matrix out, volt_run_result *result)
{
    (void)form, (void)Y, (void)coefficients, (void)task, (void)out, (void)result;
    return false;
}

static double fake_run_seconds(double rows, double m, double d)
{
    (void)rows, (void)m, (void)d;
    return fault("seconds", 1e9);
}

static volt_backend backend = {
    .alloc = fake_alloc,
    .release = fake_release,
    .put = fake_put,
    .get = fake_get,
    .shift = fake_shift,
    .mirror = fake_mirror,
    .isolate = fake_isolate,
    .trsm = fake_trsm,
    .norm = fake_norm,
    .rcond = fake_rcond,
    .invert = fake_invert,
    .update = fake_update,
    .forward = fake_forward,
    .backward = fake_backward,
    .gemm = fake_gemm,
    .state = fake_state,
    .available = fake_available,
    .bytes = fake_bytes,
    .seconds = fake_seconds,
};

/* ---- the plugin ------------------------------------------------------------------------------- */

static volt_status fake_start(const volt_host *services, int64_t *devices)
{
    host = services;
    if (fault("driver", 0) != 0)
        return host->fail(VOLT_ERR_DEVICE, "there is no driver (%s)", "libcuda.so.1");
    if (fault("devices", 2) >= 0)
        *devices = (int64_t)fault("devices", 2);
    return VOLT_OK;
}

static volt_status fake_describe(int64_t device, volt_device_info *info)
{
    snprintf(info->name, sizeof info->name, "Fake %lld", (long long)device);
    snprintf(info->driver, sizeof info->driver, "1.0");
    if (fault("names", 0) != 0) {
        memset(info->name, 'n', sizeof info->name);
        memset(info->driver, 'd', sizeof info->driver);
    }
    info->memory = (uint64_t)2e9;
    info->available = fake_available();
    return VOLT_OK;
}

static volt_status fake_open(const int64_t *devices, int64_t count, const volt_backend **opened)
{
    if (fault("open", 0) != 0 || (devices[0] == 1 && fault("open1", 0) != 0))
        return host->fail(VOLT_ERR_DEVICE, "it is in use by another process");
    backend.name = "fake";
    backend.devices = count;
    backend.bind = fake_bind;
    backend.potrf = fault("lacks", 0) != 0 ? NULL : fake_potrf;
    backend.streams = (int64_t)fault("streams", 0);
    bool optional = fault("optional", 0) > 0;
    backend.gather = optional ? no_gather : NULL;
    backend.accumulate = optional ? no_accumulate : NULL;
    backend.cross = optional ? no_cross : NULL;
    backend.run = optional ? no_run : NULL;
    backend.run_seconds = optional ? fake_run_seconds : NULL;
    for (int64_t i = 0; i < VOLT_MAX_DEVICES; i++)
        atomic_store(&lost[i], false);
    atomic_store(&operations, 0);
    atomic_store(&allocations, 0);
    *opened = &backend;
    return VOLT_OK;
}

static void fake_close(void)
{
    if (atomic_load(&live) != 0) {
        fprintf(stderr, "fake_plugin: %lld blocks were not released\n", (long long)atomic_load(&live));
        abort();
    }
}

static volt_plugin plugin;

#ifdef NO_PLUGIN /* the same library without what makes it a plugin */
const void *volt_not_a_plugin(void);
const void *volt_not_a_plugin(void)
#else
VOLT_API const volt_plugin *volt_plugin_query(void);
const volt_plugin *volt_plugin_query(void)
#endif
{
    plugin.interface = (int64_t)fault("interface", VOLT_PLUGIN_INTERFACE);
    int lacking = (int)fault("incomplete", 0);
    plugin.name = lacking == 1 ? NULL : "fake";
    plugin.version = lacking == 2 ? NULL : "1.2.3";
    plugin.start = lacking == 3 ? NULL : fake_start;
    plugin.describe = lacking == 4 ? NULL : fake_describe;
    plugin.open = lacking == 5 ? NULL : fake_open;
    plugin.close = lacking == 6 ? NULL : fake_close;
    return fault("null", 0) != 0 ? NULL : &plugin;
}
