/* cuda/scan_kernel.cu: computes a grid (scan_form.h) by warps; each follows 32 neighbouring diagonals.
 *
 * At any time the lanes of a warp process one row and neighbouring columns. Inputs are stored by columns, so
 * that memory accesses are coalesced. The local values of ROWS rows are independent; the steps along the
 * diagonal are sequential. Diagonals are processed from the right, where those of a triangle are longest;
 * the short ones balance the load at the end. */
#include "matrix_kernels.h"

enum { WARP = 32, ROWS = 4 };

/* Work of a warp: diagonals low .. low + WARP - 1, in rows first .. end - 1 and columns left .. right - 1. */
struct strip {
    int64_t low, first, end, left, right;
};

/* Rows after the columns meet every record separately: many short diagonals. */
static __device__ strip strip_of(const volt_form_grid &g, int64_t warp, unsigned record)
{
    strip s;
    s.left = record > 0 ? g.ends[record - 1] : 0;
    s.right = g.ends ? g.ends[record] : g.m;
    s.low = (g.same ? 1 : s.right) - WARP * (warp + 1);
    int64_t enters = s.left - (s.low + WARP - 1);
    s.first = enters > 0 ? enters : 0;
    s.end = s.right - s.low < g.h ? s.right - s.low : g.h;
    return s;
}

/* Local values of rows i .. i + ROWS - 1 on the diagonal. Values outside of the grid are not used. */
static __device__ __forceinline__ void locals(const volt_form_grid &g, int f, int64_t i, int64_t diagonal,
                                              double *local)
{
    const volt_factor_form &factor = g.form.factor[f];
    int64_t at_row[ROWS], at_column[ROWS], d = g.form.d;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t row = i + r < g.h ? i + r : g.h - 1, column = i + r + diagonal;
        column = column < 0 ? 0 : column < g.m ? column : g.m - 1;
        at_row[r] = row;
        at_column[r] = column;
        local[r] = 0;
    }
    if (factor.window > 1) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            local[r] = volt_form_window(&g, f, at_row[r], at_column[r]);
        return;
    }
    const double *x = g.rows + factor.slice * d * g.ld_rows, *y = g.columns + factor.slice * d * g.ld_columns;
    bool distance = factor.distance != 0;
    for (int64_t k = 0; k < d; k++, x += g.ld_rows, y += g.ld_columns) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            double a = x[at_row[r]], b = y[at_column[r]], difference = a - b;
            local[r] += distance ? difference * difference : a * b;
        }
    }
}

/* The next ROWS rows of factor f: its values are combined into `product` and `sum`. */
static __device__ __forceinline__ void advance(const volt_form_grid &g, int f, const strip &s, int64_t i,
                                               int64_t diagonal, double *state, double *product, double *sum)
{
    double local[ROWS];
    locals(g, f, i, diagonal, local);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int64_t row = i + r, column = row + diagonal;
        if (row >= g.h || column < s.left || column >= s.right)
            continue;
        volt_form_enter(&g, f, row, column, state);
        double value = volt_form_step(&g.form.factor[f].step, local[r], state);
        volt_form_join(&g.form, f, value, &product[r], &sum[r]);
        if (row == g.h - 1)
            for (int k = 0; k < VOLT_FORM_STATE && k < g.form.factor[f].state_size; k++)
                g.end[(g.state[f] + k) * g.m + column] = state[k];
    }
}

/* MOST: maximum number of factors. The state of a single factor stays in registers; the states of several
 * are in memory. */
template <int MOST> __global__ static void scan(const __grid_constant__ volt_form_grid g, double *K, int64_t ld)
{
    int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    strip s = strip_of(g, warp, blockIdx.y);
    int64_t diagonal = s.low + threadIdx.x % WARP;
    double state[MOST][VOLT_FORM_STATE];
    for (int64_t i = s.first; i < s.end; i += ROWS) {
        double sum[ROWS], product[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[r] = product[r] = 0;
        if (MOST == 1)
            advance(g, 0, s, i, diagonal, state[0], product, sum);
        else
#pragma unroll 1
            for (int f = 0; f < g.form.n_factors; f++)
                advance(g, f, s, i, diagonal, state[f], product, sum);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int64_t row = i + r, column = row + diagonal;
            if (row < g.h && column >= s.left && column < s.right)
                K[row * ld + column] = sum[r];
        }
    }
}

template <int MOST> static void start(cudaStream_t stream, const volt_form_grid &grid, double *K, int64_t ld)
{
    enum { ENOUGH_WARPS = 2048 }; /* enough for several per multiprocessor; blocks then hold more than one */
    int64_t diagonals = grid.h + (grid.same ? 0 : grid.longest - 1), warps = (diagonals + WARP - 1) / WARP;
    int64_t together = warps * grid.records > ENOUGH_WARPS ? 4 : 1;
    dim3 blocks((unsigned)((warps + together - 1) / together), (unsigned)grid.records);
    scan<MOST><<<blocks, (unsigned)(together * WARP), 0, stream>>>(grid, K, ld);
}

extern "C" void volt_cuda_start_scan(cudaStream_t stream, const volt_form_grid *grid, double *K, int64_t ld)
{
    enum { MAX_RECORDS = 65535 }; /* maximum number of blocks in that direction */
    volt_form_grid g = *grid;
    if (g.same || g.records > MAX_RECORDS) { /* diagonals cross all records */
        g.ends = NULL;
        g.records = 1;
        g.longest = g.m;
    }
    if (g.form.n_factors == 1)
        start<1>(stream, g, K, ld);
    else
        start<VOLT_FORM_FACTORS>(stream, g, K, ld);
}
