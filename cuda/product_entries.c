/* cuda/product_entries.c: the kernel matrix of a sequence in blocks of rows, which are used and not stored: products,
 * and a part of the matrix.
 *
 * Blocks of rows are computed up to the diagonal. A product uses each for both halves:
 *
 *     C_block += K_block V_left,    C_left += K_block' V_block,    with the corner on the diagonal mirrored
 *
 * The states after the last row of a block enter the next one; they stay on the device. */
#include "entries.h"
#include "form_grid.h"
#include "matrix_kernels.h"

#include <string.h>

enum { MIN_ROWS = 64, ALIGNED = 32 };
static const double block_numbers = 1 << 29; /* 4 GB */

typedef struct row_blocks {
    double *host;        /* the block of the grid in host memory, of ... */
    int64_t numbers;     /* ... this many numbers */
    volt_form_grid here; /* the grid in it */
    volt_form_grid grid; /* the grid on the device */
    double *end[2];      /* states before a block, and after it */
    double *K;           /* rows x ld */
    int64_t rows, ld;
} row_blocks;

/* ---- blocks ----------------------------------------------------------------------------------- */

static int64_t up_to_multiple(int64_t number, int64_t of)
{
    return (number + of - 1) / of * of;
}

/* The block: as many rows as fit in a quarter of the free memory, up to a limit. The block of an earlier sequence is
 * used again if it has at least half of these rows: fits of n = 1,000,000 with blocks of 72 rows, which a fit of
 * 12,000 rows had left, were stopped after 60 and 340 s. */
static bool make_block(volt_cuda_lane *lane, row_blocks *b)
{
    int64_t n = b->grid.m, all = up_to_multiple(n, MIN_ROWS);
    b->ld = up_to_multiple(n, ALIGNED);
    double held = (double)lane->numbers[WORKSPACE_BLOCK],
           quarter = ((double)volt_cuda_available() / sizeof(double) + held) / 4,
           most = quarter < block_numbers ? quarter : block_numbers;
    int64_t rows = up_to_multiple((int64_t)(most / (double)b->ld) + 1, MIN_ROWS),
            again = lane->numbers[WORKSPACE_BLOCK] / b->ld / MIN_ROWS * MIN_ROWS;
    rows = rows < all ? rows : all;
    again = again < all ? again : all;
    b->rows = again >= rows / 2 ? again : rows;
    b->K = volt_cuda_workspace_of(lane, WORKSPACE_BLOCK, b->rows * b->ld);
    return b->K != NULL;
}

/* Lay out the grid of Z with itself and upload it. */
static bool begin_blocks(volt_cuda_lane *lane, const volt_kernel_form *form, volt_view Z, row_blocks *b)
{
    b->numbers = volt_form_grid_numbers(form, Z, (volt_view){0});
    b->host = volt_cuda_host->alloc(b->numbers, sizeof *b->host);
    if (!b->host) {
        volt_cuda_miss("a list here", (double)b->numbers);
        return false;
    }
    volt_form_grid_make(form, Z, (volt_view){0}, NULL, b->host, &b->here);
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_GRID, b->numbers + b->here.states * Z.rows);
    b->grid = b->here;
    if (!device || !make_block(lane, b) ||
        !volt_cuda_up(lane, volt_view_of(b->host, 1, b->numbers), device, b->numbers))
        return false;
    volt_form_grid_move(&b->grid, b->host, device);
    b->end[0] = b->grid.end;
    b->end[1] = device + b->numbers;
    return true;
}

/* Compute rows first .. first + count - 1 up to the diagonal into K; the states after them are in end[0]. */
static void compute_block(volt_cuda_lane *lane, row_blocks *b, int64_t first, int64_t count)
{
    volt_form_grid rows = volt_form_grid_rows(&b->grid, first, count, b->end[0], b->end[1]);
    double *after = b->end[1];
    volt_cuda_start_scan(lane->stream, &rows, b->K, b->ld);
    b->end[1] = b->end[0];
    b->end[0] = after;
}

/* Compute rows begin .. end - 1 in blocks; `use` (context, first, count) consumes each. False: failed or
 * cancelled. */
static bool for_each_block(volt_cuda_lane *lane, row_blocks *b, int64_t begin, int64_t end,
                           bool (*use)(void *context, int64_t first, int64_t count), void *context,
                           volt_stage *stage)
{
    for (int64_t first = begin, count = 0; first < end; first += count) {
        count = b->rows < end - first ? b->rows : end - first;
        compute_block(lane, b, first, count);
        if (!use(context, first, count) || !volt_cuda_check(cudaStreamSynchronize(lane->stream), "a kernel") ||
            (stage && !volt_cuda_host->advance(stage, count * first + count * count / 2)))
            return false;
    }
    return true;
}

/* ---- products --------------------------------------------------------------------------------- */

typedef struct product {
    volt_cuda_lane *lane;
    row_blocks blocks;
    double *V, *C; /* n x q; NULL: nothing is multiplied */
    int64_t q;
} product;

/* Upload V and clear C. */
static bool prepare(product *p, volt_view V)
{
    int64_t numbers = V.rows * V.cols;
    if (!V.data)
        return true;
    p->q = V.cols;
    p->V = volt_cuda_workspace_of(p->lane, WORKSPACE_THIN, numbers);
    p->C = volt_cuda_workspace_of(p->lane, WORKSPACE_OUT, numbers);
    return p->V && p->C && volt_cuda_up(p->lane, V, p->V, p->q) &&
           volt_cuda_check(cudaMemsetAsync(p->C, 0, (size_t)numbers * sizeof(double), p->lane->stream),
                           "clearing a matrix");
}

static bool add_block(void *context, int64_t first, int64_t count)
{
    product *p = context;
    const row_blocks *b = &p->blocks;
    if (!p->V)
        return true;
    volt_view whole = {b->K, count, first + count, b->ld}, left = {b->K, count, first, b->ld};
    volt_cuda_start_mirror(p->lane->stream, b->K + first, b->ld, count, true);
    return volt_cuda_multiply(p->lane, whole, false, p->V, p->q, 1, p->C + first * p->q) &&
           volt_cuda_multiply(p->lane, left, true, p->V + first * p->q, p->q, 1, p->C);
}

/* The states after the last row of the band, to the host. They use the memory of the grid, which is on the
 * device by now. */
static bool finish_band(product *p, const volt_product_task *task)
{
    const row_blocks *b = &p->blocks;
    volt_matrix states = volt_matrix_of(b->host + (b->here.end - b->host), b->here.states, b->here.m);
    return (!p->C || volt_cuda_down(p->lane, p->C, p->q, task->C)) &&
           volt_cuda_down(p->lane, b->end[0], b->here.m, states);
}

bool volt_cuda_product(const volt_kernel_form *form, const volt_product_task *task, volt_stage *stage)
{
    product p = {.lane = volt_cuda_take()};
    row_blocks *b = &p.blocks;
    int64_t n = task->Z.rows, last = task->first + task->count;
    if (!p.lane)
        return true;
    bool good = begin_blocks(p.lane, form, task->Z, b) && prepare(&p, task->V) &&
                (task->first == 0 ||
                 volt_cuda_up(p.lane, volt_view_of(task->before, b->here.states, n), b->end[0], b->here.m)) &&
                for_each_block(p.lane, b, task->first, last, add_block, &p, stage) && finish_band(&p, task);
    if (volt_cuda_give(p.lane) && good && task->after)
        memcpy(task->after, b->here.end, (size_t)(b->here.states * n) * sizeof(double));
    if (good && task->end && last == n && !volt_cuda_has_failed())
        volt_form_grid_state(&b->here, b->here.end, task->end);
    volt_cuda_host->release(b->host);
    return true;
}

/* ---- a part of the matrix --------------------------------------------------------------------- */

typedef struct corner {
    volt_cuda_lane *lane;
    row_blocks blocks;
    const int64_t *column; /* m, in host memory */
    double *lists;         /* the columns, and the shift of each: on the device */
    volt_matrix L;
} corner;

/* Rows of L in this block; consecutive ones at once. Entries beyond the diagonal of K are not known yet. */
static bool take_rows(void *context, int64_t first, int64_t count)
{
    const corner *c = context;
    const row_blocks *b = &c->blocks;
    int64_t m = c->L.rows;
    for (int64_t a = 0, rows = 1; a < m; a += rows) {
        int64_t row = c->column[a] - first;
        rows = 1;
        if (row < 0 || row >= count)
            continue;
        while (a + rows < m && c->column[a + rows] == c->column[a] + rows && row + rows < count)
            rows++;
        volt_cuda_start_gather(c->lane->stream, b->K + row * b->ld, b->ld, c->lists, c->lists + m,
                               c->L.data + a * c->L.ld, c->L.ld, rows, m);
    }
    return true;
}

static bool upload_lists(corner *c, double shift)
{
    int64_t m = c->L.rows;
    double *lists = volt_cuda_host->alloc(2 * m, sizeof *lists);
    c->lists = volt_cuda_workspace_of(c->lane, WORKSPACE_THIN, 2 * m);
    for (int64_t a = 0; lists && a < m; a++) {
        lists[a] = (double)c->column[a];
        lists[m + a] = shift;
    }
    if (!lists)
        volt_cuda_miss("a list here", 2 * (double)m);
    bool good = lists && c->lists && volt_cuda_up(c->lane, volt_view_of(lists, 1, 2 * m), c->lists, 2 * m) &&
                volt_cuda_check(cudaStreamSynchronize(c->lane->stream), "a copy to it");
    volt_cuda_host->release(lists);
    return good;
}

bool volt_cuda_corner(const volt_kernel_form *form, volt_view Z, const int64_t *column, double shift,
                      volt_matrix L, volt_stage *stage)
{
    corner c = {.lane = volt_cuda_take(), .column = column, .L = L};
    if (!c.lane)
        return true;
    if (begin_blocks(c.lane, form, Z, &c.blocks) && upload_lists(&c, shift) &&
        for_each_block(c.lane, &c.blocks, 0, Z.rows, take_rows, &c, stage))
        volt_cuda_start_complete(c.lane->stream, c.lists, L.data, L.ld, L.rows);
    volt_cuda_give(c.lane);
    volt_cuda_host->release(c.blocks.host);
    return true;
}
