/* cuda/run_kernel.cu: a free run (run_rows.h) as a single kernel.
 *
 * The blocks of a run form a cluster, whose blocks can synchronise and write to each other's shared memory
 * (Hopper and later; older devices use one block). Every block computes the columns of a row and its outputs
 * itself, in the same order of operations. One barrier per row is therefore sufficient: after it the sums of
 * all blocks are available. The sums are double buffered, so that no block overwrites sums that others still
 * read. */
#include "run_kernel.h"

#include <cooperative_groups.h>

enum {
    WARP = 32,
    THREADS = VOLT_CUDA_RUN_THREADS,
    WARPS = THREADS / WARP,
    TOGETHER = 4 /* outputs summed in one pass */
};

/* Sums of the warps of a block, and of all blocks. */
struct sum_workspace {
    double *warps;  /* q x WARPS */
    double *blocks; /* 2 x q x blocks */
};

static __device__ __forceinline__ void wait_for_all_blocks()
{
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#else
    __syncthreads();
#endif
}

/* The address of `place`, in shared memory, in another block. */
static __device__ __forceinline__ double *in_block(double *place, unsigned block)
{
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(place, block);
#else
    return place;
#endif
}

/* ONE: the kernel has one factor, whose parameters are constants of the launch. */
template <bool ONE>
static __device__ __forceinline__ double entry_of(const volt_run_grid &g, const volt_run_workspace &workspace,
                                                  int64_t slot, int64_t p, int64_t j)
{
    if (!ONE)
        return volt_run_entry(&g, &workspace, slot, p, j);
    bool begins = j == volt_form_first_column(&g.grid, j);
    return g.grid.form.weight[0] * volt_run_factor(&g, &workspace, 0, slot, p, j, begins);
}

/* Contribution of this thread to outputs first .. first + TOGETHER - 1. Kernel entries are computed here or
 * were stored. */
template <bool ONE>
static __device__ __forceinline__ void add_up(const volt_run_grid &g, const volt_run_workspace &workspace, int64_t slot,
                                              int64_t turned, double *kept, int64_t first, double *sum)
{
    int64_t m = g.grid.m, step = (int64_t)gridDim.x * THREADS;
    const double *coefficients = g.list[RUN_COEFFICIENTS] + first * m;
#pragma unroll
    for (int k = 0; k < TOGETHER; k++)
        sum[k] = 0;
    for (int64_t p = (int64_t)blockIdx.x * THREADS + threadIdx.x; p < m; p += step) {
        int64_t j = p + turned < m ? p + turned : p + turned - m;
        double entry = first == 0 ? entry_of<ONE>(g, workspace, slot, p, j) : kept[p];
        if (first == 0 && g.q > TOGETHER)
            kept[p] = entry;
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
            if (first + k < g.q)
                sum[k] += entry * coefficients[k * m + j];
    }
}

/* Write the sums of this block to every block. */
template <bool ONE>
static __device__ __forceinline__ void share(const volt_run_grid &g, const volt_run_workspace &workspace, int64_t slot,
                                             int64_t turned, double *kept, const sum_workspace &sums, double *lot)
{
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    for (int64_t first = 0; first < g.q; first += TOGETHER) {
        double sum[TOGETHER];
        add_up<ONE>(g, workspace, slot, turned, kept, first, sum);
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
            if (first + k < g.q) {
                double total = volt_run_sum(sum[k]);
                if (lane == 0)
                    sums.warps[(first + k) * WARPS + warp] = total;
            }
    }
    __syncthreads();
    for (int64_t k = warp; k < g.q; k += WARPS) {
        double total = volt_run_sum(lane < WARPS ? sums.warps[k * WARPS + lane] : 0);
        if (lane < gridDim.x)
            *in_block(lot + k * gridDim.x + blockIdx.x, lane) = total;
    }
}

/* Compute the outputs of row t, with one warp. */
static __device__ __forceinline__ bool finish(const volt_run_grid &g, const volt_run_workspace &workspace, int64_t t,
                                              const double *lot, int lane)
{
    bool left = false;
    for (int64_t k = lane; k < g.q; k += WARP) {
        double sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += lot[k * gridDim.x + b];
        left = volt_run_output(&g, &workspace, t, k, sum) || left;
    }
    volt_run_accept(&g, &workspace, t, blockIdx.x == 0, lane, WARP);
    left = VOLT_RUN_ANY(left);
    __syncwarp();
    return left;
}

template <bool ONE>
__global__ static void __launch_bounds__(THREADS) run(const __grid_constant__ volt_run_grid g, double *kept)
{
    extern __shared__ double memory[];
    __shared__ int ends;
    volt_run_workspace workspace = volt_run_workspace_in(&g, memory);
    sum_workspace sums;
    sums.warps = memory + volt_run_workspace_numbers(&g);
    sums.blocks = sums.warps + g.q * WARPS;
    volt_run_result result = {0, 0, VOLT_RUN_COMPLETE};
    int lane = threadIdx.x % WARP;
    bool leads = threadIdx.x < WARP;
    if (threadIdx.x == 0)
        ends = 0;
    if (leads)
        volt_run_begin(&g, &workspace, lane, WARP);
    wait_for_all_blocks(); /* no block writes to a block that has not started */
    int64_t slot = 0, turned = 0;
    for (int64_t t = 0; t < g.rows; t++) {
        if (leads && result.end == VOLT_RUN_COMPLETE) {
            int flags = volt_run_row(&g, &workspace, t, slot, lane, WARP);
            if (flags & VOLT_RUN_HOST_ROW)
                result.end = VOLT_RUN_NEEDS_HOST;
            else
                result.outside += (flags & VOLT_RUN_COUNTED) != 0;
        }
        if (threadIdx.x == 0 && result.end != VOLT_RUN_COMPLETE)
            ends = 1;
        __syncthreads();
        if (ends)
            break;
        bool fetches = !g.chained && t + 1 < g.rows && threadIdx.x < g.inputs;
        double next = fetches ? volt_run_given(&g, t + 1, threadIdx.x) : 0; /* loaded in the meantime */
        double *lot = sums.blocks + (t & 1) * g.q * gridDim.x;
        share<ONE>(g, workspace, slot, turned, kept, sums, lot);
        if (fetches)
            workspace.x[((t + 1) & 1) * g.inputs + threadIdx.x] = next;
        wait_for_all_blocks();
        if (leads) {
            if (finish(g, workspace, t, lot, lane))
                result.end = VOLT_RUN_DIVERGED;
            result.done = t + 1;
        }
        slot = slot + 1 < g.ring_rows ? slot + 1 : 0;
        turned = turned + 1 < g.grid.m ? turned + 1 : 0;
    }
    if (leads && blockIdx.x == 0)
        volt_run_leave(&g, &workspace, result, lane, WARP);
    wait_for_all_blocks(); /* no block writes to a block that has ended */
}

/* ---- from here -------------------------------------------------------------------------------- */

extern "C" int64_t volt_cuda_run_blocks(int64_t m, bool clusters)
{
    int64_t blocks = 1;
    while (clusters && blocks < VOLT_CUDA_RUN_BLOCKS && blocks * THREADS < m)
        blocks *= 2;
    return blocks;
}

extern "C" int64_t volt_cuda_run_workspace(const volt_run_grid *grid)
{
    return grid->q > TOGETHER ? grid->grid.m : 0;
}

static size_t shared_bytes(const volt_run_grid *grid, int64_t blocks)
{
    return (size_t)(volt_run_workspace_numbers(grid) + grid->q * (WARPS + 2 * blocks)) * sizeof(double);
}

extern "C" bool volt_cuda_run_fits(const volt_run_grid *grid, int64_t blocks)
{
    return grid->inputs <= THREADS && shared_bytes(grid, blocks) <= VOLT_CUDA_RUN_SHARED;
}

extern "C" cudaError_t volt_cuda_start_run(cudaStream_t stream, const volt_run_grid *grid, int64_t blocks,
                                           double *workspace)
{
    void (*kernel)(volt_run_grid, double *) = grid->grid.form.n_factors == 1 ? run<true> : run<false>;
    cudaLaunchConfig_t shape = {};
    cudaLaunchAttribute cluster = {};
    shape.gridDim = dim3((unsigned)blocks);
    shape.blockDim = dim3(THREADS);
    shape.dynamicSmemBytes = shared_bytes(grid, blocks);
    shape.stream = stream;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    shape.attrs = &cluster;
    shape.numAttrs = blocks > 1 ? 1 : 0;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, VOLT_CUDA_RUN_SHARED);
    return error == cudaSuccess ? cudaLaunchKernelEx(&shape, kernel, *grid, workspace) : error;
}
