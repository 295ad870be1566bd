/* cuda/run_kernel.h: a free run as one kernel. The function starts it on the stream and returns. */
#ifndef CUDA_RUN_KERNEL_H
#define CUDA_RUN_KERNEL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "run_rows.h"

enum {
    VOLT_CUDA_RUN_THREADS = 1024,   /* threads of a block */
    VOLT_CUDA_RUN_BLOCKS = 8,       /* maximum, supported by every device with clusters */
    VOLT_CUDA_RUN_SHARED = 96 << 10 /* bytes of shared memory per block, available on every device */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Number of blocks for a run against m columns; and whether the run fits into a block's shared memory. */
int64_t volt_cuda_run_blocks(int64_t m, bool clusters);
bool volt_cuda_run_fits(const volt_run_grid *grid, int64_t blocks);

/* Size of the device workspace, in numbers. */
int64_t volt_cuda_run_workspace(const volt_run_grid *grid);

/* Grid and workspace are in device memory. */
cudaError_t volt_cuda_start_run(cudaStream_t stream, const volt_run_grid *grid, int64_t blocks,
                                double *workspace);

#ifdef __cplusplus
}
#endif

#endif
