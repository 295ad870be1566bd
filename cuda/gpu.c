/* cuda/gpu.c: device state, memory and lanes. */
#include "gpu.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of device memory. Unused blocks are kept for later requests. */
typedef struct block {
    double *at;
    size_t bytes;
    bool used;
    struct block *next;
} block;

/* A device of the back end. One GPU may have several contexts, each with its own lanes and blocks. The lock of a
 * context protects its lanes, blocks and text; no call takes two locks at once. */
typedef struct context {
    int device;
    int sharers; /* contexts on the same GPU */
    bool has_clusters;
    pthread_mutex_t lock;
    volt_cuda_lane *lanes;
    block *blocks;
    atomic_bool failed;
    char text[512]; /* message of the first failure */
} context;

static context contexts[VOLT_MAX_DEVICES];
static int64_t n_contexts; /* changes only while no other call is active */
static pthread_once_t locks_made = PTHREAD_ONCE_INIT;
static _Thread_local int64_t bound;

static context *here(void)
{
    return &contexts[bound < n_contexts ? bound : 0];
}

void volt_cuda_bind(int64_t device)
{
    bound = device;
}

/* description of the allocation that failed in the last call of this thread */
static _Thread_local char missing[256];

/* ---- failures --------------------------------------------------------------------------------- */

static void remember(const char *what, const char *why)
{
    context *c = here();
    pthread_mutex_lock(&c->lock);
    if (!atomic_load(&c->failed)) {
        snprintf(c->text, sizeof c->text, "the GPU %d failed in %s: %s", c->device, what, why);
        atomic_store(&c->failed, true);
    }
    pthread_mutex_unlock(&c->lock);
}

bool volt_cuda_check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        remember(what, cudaGetErrorString(error));
    return error == cudaSuccess;
}

bool volt_cuda_check_blas(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        remember(what, cublasGetStatusString(status));
    return status == CUBLAS_STATUS_SUCCESS;
}

bool volt_cuda_check_solver(cusolverStatus_t status, const char *what)
{
    char why[64];
    snprintf(why, sizeof why, "cuSOLVER status %d", (int)status);
    if (status != CUSOLVER_STATUS_SUCCESS)
        remember(what, why);
    return status == CUSOLVER_STATUS_SUCCESS;
}

bool volt_cuda_has_failed(void)
{
    return atomic_load(&here()->failed) || missing[0];
}

void volt_cuda_miss(const char *what, double numbers)
{
    snprintf(missing, sizeof missing, "not enough GPU memory for %s (%.3g GB)", what, 8e-9 * numbers);
}

volt_status volt_cuda_state(void)
{
    if (atomic_load(&here()->failed))
        return volt_cuda_host->fail(VOLT_ERR_DEVICE, "%s", here()->text);
    if (!missing[0])
        return VOLT_OK;
    volt_status status = volt_cuda_host->fail(VOLT_ERR_MEMORY, "%s", missing);
    missing[0] = 0;
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Bytes reserved for the driver, cuBLAS and cuSOLVER. */
static const double reserve = 512e6;

/* Free unused blocks. The caller holds the lock. */
static void drop_unused(context *c)
{
    for (block **at = &c->blocks; *at;) {
        block *unused = *at;
        if (unused->used) {
            at = &unused->next;
            continue;
        }
        *at = unused->next;
        cudaFree(unused->at);
        free(unused);
    }
}

static double free_bytes(void)
{
    size_t available = 0, total = 0;
    return cudaMemGetInfo(&available, &total) == cudaSuccess ? (double)available : 0;
}

uint64_t volt_cuda_available(void)
{
    context *c = here();
    if (atomic_load(&c->failed) || cudaSetDevice(c->device) != cudaSuccess)
        return 0;
    double bytes = free_bytes() / c->sharers - reserve;
    pthread_mutex_lock(&c->lock);
    for (block *b = c->blocks; b; b = b->next)
        bytes += b->used ? 0 : (double)b->bytes;
    pthread_mutex_unlock(&c->lock);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The smallest unused block that is not much too large. The caller holds the lock. */
static block *find_unused(const context *c, size_t bytes)
{
    block *best = NULL;
    for (block *b = c->blocks; b; b = b->next)
        if (!b->used && b->bytes >= bytes && b->bytes <= bytes + bytes / 4 + 4096 &&
            (!best || b->bytes < best->bytes))
            best = b;
    return best;
}

/* Returns NULL when there is no memory. The caller holds the lock. */
static block *take_block(context *c, size_t bytes)
{
    block *found = find_unused(c, bytes);
    if (found) {
        found->used = true;
        return found;
    }
    if (free_bytes() < (double)bytes + reserve)
        drop_unused(c);
    if (free_bytes() < (double)bytes + reserve)
        return NULL;
    found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    *found = (block){.bytes = bytes, .used = true, .next = c->blocks};
    if (cudaMalloc((void **)&found->at, bytes) != cudaSuccess) {
        cudaGetLastError(); /* out of memory is not a device failure */
        free(found);
        return NULL;
    }
    c->blocks = found;
    return found;
}

static double *take_memory(int64_t numbers)
{
    size_t bytes = (size_t)(numbers > 0 ? numbers : 1) * sizeof(double);
    context *c = here();
    pthread_mutex_lock(&c->lock);
    block *found = take_block(c, bytes);
    pthread_mutex_unlock(&c->lock);
    return found ? found->at : NULL;
}

double *volt_cuda_alloc(int64_t rows, int64_t cols)
{
    if (volt_cuda_state() != VOLT_OK || !volt_cuda_check(cudaSetDevice(here()->device), "selecting the device"))
        return NULL;
    double numbers = (double)rows * (double)cols, free_now = 0;
    double *memory = numbers < 1e15 ? take_memory(rows * cols) : NULL;
    if (memory)
        return memory;
    free_now = (double)volt_cuda_available();
    volt_cuda_host->fail(
        VOLT_ERR_MEMORY,
        "a matrix of %lld x %lld numbers takes %.3g GB, but the GPU has %.3g GB free; at most %lld rows of "
        "a Gram matrix fit",
        (long long)rows, (long long)cols, 8e-9 * numbers, 1e-9 * free_now, (long long)sqrt(free_now / 8));
    return NULL;
}

void volt_cuda_release(double *memory)
{
    for (int64_t i = 0; memory && i < n_contexts; i++) {
        context *c = &contexts[i];
        pthread_mutex_lock(&c->lock);
        for (block *b = c->blocks; b; b = b->next)
            if (b->at == memory)
                b->used = false;
        pthread_mutex_unlock(&c->lock);
    }
}

/* ---- lanes ------------------------------------------------------------------------------------ */

static void free_pinned(void *memory)
{
    if (memory)
        cudaFreeHost(memory);
}

static void free_lane(volt_cuda_lane *lane)
{
    for (int r = 0; r < N_WORKSPACES; r++)
        volt_cuda_release(lane->workspace[r]);
    if (lane->params)
        cusolverDnDestroyParams(lane->params);
    if (lane->solver)
        cusolverDnDestroy(lane->solver);
    if (lane->blas)
        cublasDestroy(lane->blas);
    if (lane->info)
        cudaFree(lane->info);
    free_pinned(lane->host_info);
    free_pinned(lane->staged_up);
    free_pinned(lane->staged_down);
    free(lane->host_workspace);
    if (lane->stream)
        cudaStreamDestroy(lane->stream);
    free(lane);
}

static bool make_lane(volt_cuda_lane *lane)
{
    return volt_cuda_check(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking),
                           "making a stream") &&
           volt_cuda_check(cudaMalloc((void **)&lane->info, sizeof(int)), "making a stream") &&
           volt_cuda_check(cudaMallocHost((void **)&lane->host_info, sizeof(int)), "making a stream") &&
           volt_cuda_check_blas(cublasCreate(&lane->blas), "starting cuBLAS") &&
           volt_cuda_check_blas(cublasSetStream(lane->blas, lane->stream), "starting cuBLAS") &&
           volt_cuda_check_solver(cusolverDnCreate(&lane->solver), "starting cuSOLVER") &&
           volt_cuda_check_solver(cusolverDnSetStream(lane->solver, lane->stream), "starting cuSOLVER") &&
           volt_cuda_check_solver(cusolverDnCreateParams(&lane->params), "starting cuSOLVER");
}

volt_cuda_lane *volt_cuda_take(void)
{
    context *c = here();
    if (atomic_load(&c->failed) || !volt_cuda_check(cudaSetDevice(here()->device), "selecting the device"))
        return NULL;
    pthread_mutex_lock(&c->lock);
    volt_cuda_lane *lane = c->lanes;
    if (lane)
        c->lanes = lane->next;
    pthread_mutex_unlock(&c->lock);
    if (lane)
        return lane;
    lane = calloc(1, sizeof *lane);
    if (!lane) {
        snprintf(missing, sizeof missing, "not enough memory for a GPU stream");
        return NULL;
    }
    if (!make_lane(lane)) {
        free_lane(lane);
        return NULL;
    }
    return lane;
}

bool volt_cuda_give(volt_cuda_lane *lane)
{
    bool good = volt_cuda_check(cudaGetLastError(), "starting a kernel") &&
                volt_cuda_check(cudaStreamSynchronize(lane->stream), "a kernel");
    volt_matrix to = lane->down_to;
    for (int64_t i = 0; good && lane->comes_down && i < to.rows; i++)
        memcpy(to.data + i * to.ld, lane->staged_down + i * to.cols, (size_t)to.cols * sizeof(double));
    lane->goes_up = lane->comes_down = false;
    context *c = here();
    pthread_mutex_lock(&c->lock);
    lane->next = c->lanes;
    c->lanes = lane;
    pthread_mutex_unlock(&c->lock);
    return good && !atomic_load(&c->failed);
}

double *volt_cuda_workspace_of(volt_cuda_lane *lane, volt_cuda_workspace which, int64_t numbers)
{
    if (lane->numbers[which] >= numbers && lane->workspace[which])
        return lane->workspace[which];
    if (!volt_cuda_check(cudaStreamSynchronize(lane->stream), "a kernel"))
        return NULL;
    volt_cuda_release(lane->workspace[which]);
    lane->workspace[which] = take_memory(numbers);
    lane->numbers[which] = lane->workspace[which] ? numbers : 0;
    if (!lane->workspace[which])
        volt_cuda_miss("workspace", (double)numbers);
    return lane->workspace[which];
}

void *volt_cuda_host_workspace(volt_cuda_lane *lane, size_t bytes)
{
    if (!lane->host_workspace || lane->host_workspace_bytes < bytes) {
        free(lane->host_workspace);
        lane->host_workspace = malloc(bytes + 1);
        lane->host_workspace_bytes = lane->host_workspace ? bytes : 0;
    }
    if (!lane->host_workspace)
        volt_cuda_miss("host workspace", (double)bytes / 8);
    return lane->host_workspace;
}

/* ---- copies ----------------------------------------------------------------------------------- */

/* Larger copies use the caller's memory: the driver stages them, and threads wait for each other. */
enum { STAGED = 1 << 22 };

/* Allocate staging memory for `numbers` numbers; false: copy without staging. */
static bool make_staging(double **staging, int64_t *held, int64_t numbers)
{
    if (numbers > STAGED)
        return false;
    if (*held >= numbers)
        return true;
    int64_t wanted = 1 << 12;
    while (wanted < numbers)
        wanted *= 2;
    free_pinned(*staging);
    *staging = NULL;
    *held = 0;
    if (cudaMallocHost((void **)staging, (size_t)wanted * sizeof(double)) != cudaSuccess) {
        cudaGetLastError();
        *staging = NULL;
        return false;
    }
    *held = wanted;
    return true;
}

static bool copy(volt_cuda_lane *lane, const double *from, int64_t ld_from, double *to, int64_t ld_to,
                 int64_t rows, int64_t cols, enum cudaMemcpyKind kind)
{
    const size_t size = sizeof(double);
    return volt_cuda_check(cudaMemcpy2DAsync(to, (size_t)ld_to * size, from, (size_t)ld_from * size,
                                             (size_t)cols * size, (size_t)rows, kind, lane->stream),
                           kind == cudaMemcpyHostToDevice ? "a copy to it" : "a copy from it");
}

bool volt_cuda_up(volt_cuda_lane *lane, volt_view host, double *device, int64_t ld)
{
    if (host.rows == 0 || host.cols == 0)
        return true;
    if (lane->goes_up || !make_staging(&lane->staged_up, &lane->up_numbers, host.rows * host.cols))
        return copy(lane, host.data, host.ld, device, ld, host.rows, host.cols, cudaMemcpyHostToDevice);
    lane->goes_up = true;
    for (int64_t i = 0; i < host.rows; i++)
        memcpy(lane->staged_up + i * host.cols, host.data + i * host.ld, (size_t)host.cols * sizeof(double));
    return copy(lane, lane->staged_up, host.cols, device, ld, host.rows, host.cols, cudaMemcpyHostToDevice);
}

bool volt_cuda_down(volt_cuda_lane *lane, const double *device, int64_t ld, volt_matrix host)
{
    if (host.rows == 0 || host.cols == 0)
        return true;
    if (lane->comes_down || !make_staging(&lane->staged_down, &lane->down_numbers, host.rows * host.cols))
        return copy(lane, device, ld, host.data, host.ld, host.rows, host.cols, cudaMemcpyDeviceToHost);
    lane->comes_down = true;
    lane->down_to = host;
    return copy(lane, device, ld, lane->staged_down, host.cols, host.rows, host.cols, cudaMemcpyDeviceToHost);
}

/* ---- life ------------------------------------------------------------------------------------- */

bool volt_cuda_has_clusters(void)
{
    return here()->has_clusters;
}

static void make_locks(void)
{
    for (int64_t i = 0; i < VOLT_MAX_DEVICES; i++)
        pthread_mutex_init(&contexts[i].lock, NULL);
}

static void prepare(context *c, int device)
{
    int generation = 0;
    c->device = device;
    c->sharers = 0;
    c->has_clusters =
        cudaDeviceGetAttribute(&generation, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        generation >= 9;
    atomic_store(&c->failed, false);
}

volt_status volt_cuda_open(const int64_t *devices, int64_t count)
{
    pthread_once(&locks_made, make_locks);
    n_contexts = count;
    for (int64_t i = 0; i < count; i++)
        prepare(&contexts[i], (int)devices[i]);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++)
            contexts[i].sharers += devices[i] == devices[j];
    bound = 0;
    missing[0] = 0;
    volt_cuda_lane *lane = volt_cuda_take(); /* detects an unusable device now */
    if (lane)
        volt_cuda_give(lane);
    return volt_cuda_state();
}

void volt_cuda_close(void)
{
    for (int64_t i = 0; i < n_contexts; i++) {
        context *c = &contexts[i];
        cudaSetDevice(c->device);
        while (c->lanes) {
            volt_cuda_lane *lane = c->lanes;
            c->lanes = lane->next;
            free_lane(lane);
        }
        for (block *b = c->blocks; b; b = b->next)
            b->used = false;
        drop_unused(c);
    }
    cudaGetLastError();
}
