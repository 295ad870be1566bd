/* cuda/run_entries.c: free runs on the device, from a form and rows on the host. */
#include "entries.h"
#include "run_grid.h"
#include "run_kernel.h"

/* Upload the block, run, and download the results into the block. */
static bool run_on_device(volt_cuda_lane *lane, const volt_run_grid *grid, const volt_run_layout *layout,
                          int64_t blocks, double *block)
{
    int64_t workspace = volt_cuda_run_workspace(grid), behind = layout->back_end - layout->back;
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_GRID, layout->total + workspace);
    volt_run_grid moved = *grid;
    if (!device || !volt_cuda_up(lane, volt_view_of(block, 1, layout->total), device, layout->total))
        return false;
    volt_run_grid_move(&moved, block, device);
    return volt_cuda_check(volt_cuda_start_run(lane->stream, &moved, blocks, device + layout->total),
                           "starting a free run") &&
           volt_cuda_down(lane, device + layout->back, behind, volt_matrix_of(block + layout->back, 1, behind));
}

bool volt_cuda_run(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                   volt_matrix out, volt_run_result *result)
{
    volt_run_layout layout = volt_run_layout_of(form, Y, task, out.rows);
    double *block = volt_cuda_host->alloc(layout.total, sizeof *block);
    volt_run_grid grid;
    if (!block)
        return false;
    volt_run_grid_make(form, Y, coefficients, task, out.rows, block, &grid);
    int64_t blocks = volt_cuda_run_blocks(Y.rows, volt_cuda_has_clusters());
    volt_cuda_lane *lane = volt_cuda_run_fits(&grid, blocks) ? volt_cuda_take() : NULL;
    bool good = lane && run_on_device(lane, &grid, &layout, blocks, block);
    good = lane && volt_cuda_give(lane) && good;
    if (good)
        volt_run_grid_take(&grid, task, out, result);
    volt_cuda_host->release(block);
    return good;
}

/* Measured on one H200 (docs/performance.md). */
double volt_cuda_run_seconds(double rows, double m, double d)
{
    const double start = 3e-4, row = 5.5e-6, entries = 3e9,
                 side_by_side = VOLT_CUDA_RUN_THREADS * VOLT_CUDA_RUN_BLOCKS;
    double more = m > side_by_side ? m - side_by_side : 0;
    return start + rows * (row * (1 + d / 60) + more * (1 + d / 20) / entries);
}
