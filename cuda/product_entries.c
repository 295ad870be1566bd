/* cuda/product_entries.c: products with the kernel matrix of a sequence, which is not stored.
 *
 * Blocks of rows are computed up to the diagonal and used for both halves:
 *
 *     C_block += K_block V_left,    C_left += K_block' V_block,    with the corner on the diagonal mirrored
 *
 * The states after the last row of a block enter the next one; they stay on the device. */
#include "entries.h"
#include "form_grid.h"
#include "matrix_kernels.h"

enum { MIN_ROWS = 64, ALIGNED = 32 };
static const double block_numbers = 1 << 29; /* 4 GB */

typedef struct product {
    volt_form_grid grid; /* on the device */
    double *end[2];      /* states before a block, and after it */
    double *V, *C;       /* n x q */
    double *K;           /* rows x ld */
    int64_t q, rows, ld;
} product;

static int64_t up_to_multiple(int64_t number, int64_t of)
{
    return (number + of - 1) / of * of;
}

/* The block: as many rows as fit in a quarter of the free memory, up to a limit. */
static bool make_block(volt_cuda_lane *lane, product *p)
{
    int64_t n = p->grid.m;
    p->ld = up_to_multiple(n, ALIGNED);
    if (lane->workspace[WORKSPACE_BLOCK] && lane->numbers[WORKSPACE_BLOCK] >= MIN_ROWS * p->ld) {
        p->K = lane->workspace[WORKSPACE_BLOCK];
        p->rows = lane->numbers[WORKSPACE_BLOCK] / p->ld;
    } else {
        double free_numbers = (double)volt_cuda_available() / (4 * sizeof(double)),
               most = free_numbers < block_numbers ? free_numbers : block_numbers;
        p->rows = up_to_multiple((int64_t)(most / (double)p->ld) + 1, MIN_ROWS);
        if (p->rows > up_to_multiple(n, MIN_ROWS))
            p->rows = up_to_multiple(n, MIN_ROWS);
        p->K = volt_cuda_workspace_of(lane, WORKSPACE_BLOCK, p->rows * p->ld);
    }
    if (p->rows > up_to_multiple(n, MIN_ROWS))
        p->rows = up_to_multiple(n, MIN_ROWS);
    return p->K != NULL;
}

/* Upload the grid and V, and clear C. */
static bool prepare(volt_cuda_lane *lane, const volt_form_grid *grid, const double *block, int64_t numbers,
                    volt_view V, product *p)
{
    int64_t n = V.rows, states = grid->states * n;
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_GRID, numbers + states);
    p->q = V.cols;
    p->V = volt_cuda_workspace_of(lane, WORKSPACE_THIN, n * p->q);
    p->C = volt_cuda_workspace_of(lane, WORKSPACE_OUT, n * p->q);
    p->grid = *grid;
    if (!device || !p->V || !p->C || !make_block(lane, p) ||
        !volt_cuda_up(lane, volt_view_of(block, 1, numbers), device, numbers) ||
        !volt_cuda_up(lane, V, p->V, p->q))
        return false;
    volt_form_grid_move(&p->grid, block, device);
    p->end[0] = p->grid.end;
    p->end[1] = device + numbers;
    return volt_cuda_check(cudaMemsetAsync(p->C, 0, (size_t)(n * p->q) * sizeof(double), lane->stream),
                           "clearing a matrix");
}

/* Rows first .. first + count - 1; the states after them are in p->end[0]. */
static bool add_rows(volt_cuda_lane *lane, product *p, int64_t first, int64_t count)
{
    volt_form_grid rows = volt_form_grid_rows(&p->grid, first, count, p->end[0], p->end[1]);
    double *after = p->end[1];
    volt_cuda_start_scan(lane->stream, &rows, p->K, p->ld);
    volt_cuda_start_mirror(lane->stream, p->K + first, p->ld, count, true);
    p->end[1] = p->end[0];
    p->end[0] = after;
    volt_view whole = {p->K, count, first + count, p->ld}, left = {p->K, count, first, p->ld};
    return volt_cuda_multiply(lane, whole, false, p->V, p->q, 1, p->C + first * p->q) &&
           volt_cuda_multiply(lane, left, true, p->V + first * p->q, p->q, 1, p->C);
}

/* All blocks; false: failed or cancelled. */
static bool add_all(volt_cuda_lane *lane, product *p, volt_stage *stage)
{
    int64_t n = p->grid.m;
    for (int64_t first = 0, count = 0; first < n; first += count) {
        count = p->rows < n - first ? p->rows : n - first;
        if (!add_rows(lane, p, first, count) ||
            !volt_cuda_check(cudaStreamSynchronize(lane->stream), "a product") ||
            (stage && !volt_cuda_host->advance(stage, count * first + count * count / 2)))
            return false;
    }
    return true;
}

bool volt_cuda_product(const volt_kernel_form *form, volt_view Z, volt_view V, volt_matrix C, double *end,
                       volt_stage *stage)
{
    volt_form_grid grid;
    product p = {0};
    int64_t numbers = volt_form_grid_numbers(form, Z, (volt_view){0});
    double *block = volt_cuda_host->alloc(numbers, sizeof *block);
    volt_cuda_lane *lane = block ? volt_cuda_take() : NULL;
    if (!block)
        volt_cuda_miss("a list here", (double)numbers);
    if (lane) {
        volt_form_grid_make(form, Z, (volt_view){0}, NULL, block, &grid);
        double *states = block + (grid.end - block);
        bool good = prepare(lane, &grid, block, numbers, V, &p) && add_all(lane, &p, stage) &&
                    volt_cuda_down(lane, p.C, p.q, C) &&
                    volt_cuda_down(lane, p.end[0], grid.m, volt_matrix_of(states, grid.states, grid.m));
        if (volt_cuda_give(lane) && good)
            volt_form_grid_state(&grid, states, end);
    }
    volt_cuda_host->release(block);
    return true;
}
