/* cuda/run_kernel.h: a free run as one kernel, started on the stream and not waited for. */
#ifndef CUDA_RUN_KERNEL_H
#define CUDA_RUN_KERNEL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "run_rows.h"

enum {
    VOLT_CUDA_RUN_THREADS = 1024, /* of a block */
    VOLT_CUDA_RUN_BLOCKS = 8,     /* at most: as many as every device with clusters lets wait for each other */
    VOLT_CUDA_RUN_SHARED = 96 << 10 /* bytes of shared memory that every device has for a block */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks for a run against m columns; has a block room for it? */
int64_t volt_cuda_run_blocks(int64_t m, bool clusters);
bool volt_cuda_run_fits(const volt_run_grid *grid, int64_t blocks);

/* Numbers of room there that it works in. */
int64_t volt_cuda_run_room(const volt_run_grid *grid);

/* The grid lies at the device; so does the room. */
cudaError_t volt_cuda_start_run(cudaStream_t stream, const volt_run_grid *grid, int64_t blocks, double *room);

#ifdef __cplusplus
}
#endif

#endif
