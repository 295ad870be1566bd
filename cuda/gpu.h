/* cuda/gpu.h: the open devices: lanes, memory, and the first failure of each.
 *
 * A back-end function takes a lane (a stream with its handles and workspace), uses it, waits for it and
 * returns it. Its results are complete when it returns, for every thread. After a failure the device is not
 * used again: volt_cuda_take returns NULL, and the function returns. Each function works on the device that its
 * thread has bound (volt_cuda_bind). */
#ifndef CUDA_GPU_H
#define CUDA_GPU_H

#include "backend/plugin.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

/* Workspaces of a lane. They grow and are kept. */
typedef enum volt_cuda_workspace {
    WORKSPACE_THIN,   /* right-hand sides */
    WORKSPACE_OUT,    /* products */
    WORKSPACE_GRID,   /* the block of a grid, the sums of a norm */
    WORKSPACE_SOLVER, /* cuSOLVER */
    WORKSPACE_BLOCK,  /* a block of rows of K */
    N_WORKSPACES
} volt_cuda_workspace;

typedef struct volt_cuda_lane {
    cudaStream_t stream;
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    cusolverDnParams_t params;
    double *workspace[N_WORKSPACES];
    int64_t numbers[N_WORKSPACES];
    int *info;                        /* one integer on the device ... */
    int *host_info;                   /* ... and its copy on the host */
    double *staged_up, *staged_down;  /* pinned host memory for one copy in each direction, ... */
    int64_t up_numbers, down_numbers; /* ... of at most this many numbers */
    bool goes_up, comes_down;         /* a copy is pending; ... */
    volt_matrix down_to;              /* ... the downloaded matrix is copied here afterwards */
    void *host_workspace;             /* host workspace of cuSOLVER */
    size_t host_workspace_bytes;
    struct volt_cuda_lane *next;
} volt_cuda_lane;

extern const volt_host *volt_cuda_host;

/* ---- life ------------------------------------------------------------------------------------- */

volt_status volt_cuda_open(const int64_t *devices, int64_t count);
void volt_cuda_close(void);
/* Selects the device of the calling thread: an index of the open list. */
void volt_cuda_bind(int64_t device);

/* Returns VOLT_ERR_DEVICE with the first failure since the device was opened. Returns VOLT_ERR_MEMORY, once,
 * if a function called by this thread lacked workspace. */
volt_status volt_cuda_state(void);
uint64_t volt_cuda_available(void);
/* Returns whether the device supports thread block clusters (Hopper and later). */
bool volt_cuda_has_clusters(void);

/* ---- failures --------------------------------------------------------------------------------- */

/* Did a function called by this thread fail or lack memory? */
bool volt_cuda_has_failed(void);
/* Record that memory for `what` (`numbers` numbers) was missing. volt_cuda_state reports it once. */
void volt_cuda_miss(const char *what, double numbers);

/* Returns true on success; otherwise records the failure and the operation. */
bool volt_cuda_check(cudaError_t error, const char *what);
bool volt_cuda_check_blas(cublasStatus_t status, const char *what);
bool volt_cuda_check_solver(cusolverStatus_t status, const char *what);

/* ---- lanes ------------------------------------------------------------------------------------ */

volt_cuda_lane *volt_cuda_take(void);
/* Wait for the work of the lane and return the lane; false after a failure. */
bool volt_cuda_give(volt_cuda_lane *lane);

/* Workspace of at least this many numbers on the device, or bytes on the host. NULL when there is no memory. */
double *volt_cuda_workspace_of(volt_cuda_lane *lane, volt_cuda_workspace which, int64_t numbers);
void *volt_cuda_host_workspace(volt_cuda_lane *lane, size_t bytes);

/* ---- memory ----------------------------------------------------------------------------------- */

double *volt_cuda_alloc(int64_t rows, int64_t cols);
void volt_cuda_release(double *memory);

/* Queue copies on a lane, for matrices of any leading dimension. Downloads are complete when the lane is
 * returned. */
bool volt_cuda_up(volt_cuda_lane *lane, volt_view host, double *device, int64_t ld);
bool volt_cuda_down(volt_cuda_lane *lane, const double *device, int64_t ld, volt_matrix host);

#endif
