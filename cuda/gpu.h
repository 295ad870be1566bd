/* cuda/gpu.h: the open device: lanes of work, memory, and the failure that is remembered.
 *
 * An entry of the back end takes a lane (a stream with its handles and work space), works on it, waits for it and gives
 * it back: whatever it wrote is there when it returns, on whichever thread. A device that has failed once is not asked
 * again: volt_cuda_take gives NULL, and the entry returns. */
#ifndef CUDA_GPU_H
#define CUDA_GPU_H

#include "base/plugin.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cusolverDn.h>

/* Work spaces of a lane, which grow and stay. */
typedef enum volt_cuda_room {
    ROOM_THIN,   /* right-hand sides */
    ROOM_OUT,    /* products */
    ROOM_GRID,   /* the block of a grid, the sums of a norm */
    ROOM_SOLVER, /* of cuSOLVER */
    N_ROOMS
} volt_cuda_room;

typedef struct volt_cuda_lane {
    cudaStream_t stream;
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    cusolverDnParams_t params;
    double *room[N_ROOMS];
    int64_t numbers[N_ROOMS];
    int *info;      /* one number at the device ... */
    int *info_here; /* ... and where it comes to */
    double *way_up,
        *way_down; /* memory here that the copy engine reaches by itself, for one copy each way, of ... */
    int64_t up_numbers, down_numbers; /* ... at most so many numbers */
    bool goes_up, comes_down;         /* one is on its way, and ... */
    volt_matrix down_to;              /* ... this is where it goes once it is here */
    void *own;                        /* work space here, of cuSOLVER */
    size_t own_bytes;
    struct volt_cuda_lane *next;
} volt_cuda_lane;

extern const volt_host *volt_cuda_host;

/* ---- life ------------------------------------------------------------------------------------- */

volt_status volt_cuda_open(int64_t device);
void volt_cuda_close(void);

/* VOLT_ERR_DEVICE with the first failure since the device was opened; VOLT_ERR_MEMORY, once, when work space was missing in
 * an entry that this thread called. */
volt_status volt_cuda_state(void);
uint64_t volt_cuda_available(void);
/* Can blocks of a kernel wait for each other in clusters (Hopper and later)? */
bool volt_cuda_has_clusters(void);

/* ---- failures --------------------------------------------------------------------------------- */

/* Did an entry fail, or miss memory, on this thread? */
bool volt_cuda_has_failed(void);
/* There was no memory for `what`, of so many numbers: volt_cuda_state says so once. */
void volt_cuda_miss(const char *what, double numbers);

/* True where nothing failed; else the failure is remembered with what was being done. */
bool volt_cuda_check(cudaError_t error, const char *what);
bool volt_cuda_check_blas(cublasStatus_t status, const char *what);
bool volt_cuda_check_solver(cusolverStatus_t status, const char *what);

/* ---- lanes ------------------------------------------------------------------------------------ */

volt_cuda_lane *volt_cuda_take(void);
/* Wait for its work, and give it back; false when something has failed. */
bool volt_cuda_give(volt_cuda_lane *lane);

/* At least so many numbers of work space there, or bytes of it here; NULL when there is no memory. */
double *volt_cuda_room_of(volt_cuda_lane *lane, volt_cuda_room which, int64_t numbers);
void *volt_cuda_own_room(volt_cuda_lane *lane, size_t bytes);

/* ---- memory ----------------------------------------------------------------------------------- */

double *volt_cuda_alloc(int64_t rows, int64_t cols);
void volt_cuda_release(double *memory);

/* Copies on a lane, in its order; matrices of any leading dimension. What comes down is here when the lane is given back. */
bool volt_cuda_up(volt_cuda_lane *lane, volt_view here, double *there, int64_t ld);
bool volt_cuda_down(volt_cuda_lane *lane, const double *there, int64_t ld, volt_matrix here);

#endif
