/* cuda/gram_entries.c: kernel matrices on the device, from rows on the host. */
#include "entries.h"
#include "form_grid.h"
#include "matrix_kernels.h"

/* Upload the grid, fill K, and download the final states into `end`. */
static bool walk(volt_cuda_lane *lane, const volt_form_grid *grid, const double *block, int64_t numbers,
                 volt_matrix K, double *end)
{
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_GRID, numbers);
    volt_form_grid moved = *grid;
    if (!device || !volt_cuda_up(lane, volt_view_of(block, 1, numbers), device, numbers))
        return false;
    volt_form_grid_move(&moved, block, device);
    volt_cuda_start_scan(lane->stream, &moved, K.data, K.ld);
    return volt_cuda_down(lane, moved.end, grid->m, volt_matrix_of(end, grid->states, grid->m));
}

/* Both entries: without Y, all rows of one sequence. After a device failure the matrix is undefined;
 * volt_cuda_state reports the failure. */
static bool fill(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                 volt_stage *stage)
{
    int64_t numbers = volt_form_grid_numbers(form, Z, Y);
    volt_form_grid grid;
    if (stage && !volt_cuda_host->poll(stage))
        return true;
    double *block = volt_cuda_host->alloc(numbers, sizeof *block);
    volt_cuda_lane *lane = block ? volt_cuda_take() : NULL;
    if (lane) {
        volt_form_grid_make(form, Z, Y, state, block, &grid);
        double *end = block + (grid.end - block);
        bool good = walk(lane, &grid, block, numbers, K, end);
        if (volt_cuda_give(lane) && good)
            volt_form_grid_state(&grid, end, state);
    }
    volt_cuda_host->release(block);
    if (stage)
        volt_cuda_host->advance(stage, Z.rows * (Y.data ? Y.rows : Z.rows / 2));
    return block != NULL;
}

bool volt_cuda_gram(const volt_kernel_form *form, volt_view Z, volt_matrix K, double *end, volt_stage *stage)
{
    return fill(form, (volt_view){0}, Z, end, K, stage);
}

bool volt_cuda_cross(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                     volt_stage *stage)
{
    return fill(form, Y, Z, state, K, stage);
}
