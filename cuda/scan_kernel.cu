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
    s.low = (g.same ? g.before + 1 : s.right) - WARP * (warp + 1);
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
                g.end[(g.state[f] + k) * g.ld_top + column] = state[k];
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

/* ---- a single factor, without a window ------------------------------------------------------- */

/* ROWS rows of one diagonal, from row i on. At an EDGE some of them are outside of the rows from .. to - 1 of
 * the diagonal, or the last row of the grid. KIND: the kind of step, or VOLT_FORM_NONE for any. */
template <volt_form_kind KIND, int N, bool EDGE>
static __device__ __forceinline__ void follow(const volt_form_grid &g, int64_t i, int64_t diagonal,
                                              int64_t from, int64_t to, double *state, double *K, int64_t ld)
{
    const volt_factor_form &factor = g.form.factor[0];
    const double *x = g.rows + factor.slice * g.form.d * g.ld_rows + i;
    const double *y = g.columns + factor.slice * g.form.d * g.ld_columns + i + diagonal;
    volt_scan_form step = factor.step;
    double local[N];
    int distance = factor.distance;
    if (KIND != VOLT_FORM_NONE)
        step.kind = KIND;
#pragma unroll
    for (int r = 0; r < N; r++)
        local[r] = 0;
    for (int64_t k = 0; k < g.form.d; k++, x += g.ld_rows, y += g.ld_columns) {
#pragma unroll
        for (int r = 0; r < N; r++) {
            bool reads = !EDGE || (i + r >= from && i + r < to);
            double a = reads ? x[r] : 0, b = reads ? y[r] : 0, difference = a - b;
            local[r] += distance ? difference * difference : a * b;
        }
    }
    double *out = K + i * ld + i + diagonal;
#pragma unroll
    for (int r = 0; r < N; r++) {
        if (EDGE && (i + r < from || i + r >= to))
            continue;
        out[r * (ld + 1)] = g.form.weight[0] * volt_form_step(&step, local[r], state);
        if (EDGE && i + r == g.h - 1)
            for (int k = 0; k < VOLT_FORM_STATE && k < factor.state_size; k++)
                g.end[k * g.ld_top + i + r + diagonal] = state[k];
    }
}

/* Diagonals that enter the grid once: the state is loaded there. Between the rows where all diagonals of the
 * warp have entered and the first one leaves, there are no conditions. */
template <volt_form_kind KIND>
__global__ static void scan_single(const __grid_constant__ volt_form_grid g, double *K, int64_t ld)
{
    enum { EDGE_ROWS = 4, INNER_ROWS = 8 };
    int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    strip s = strip_of(g, warp, blockIdx.y);
    int64_t diagonal = s.low + threadIdx.x % WARP, from = s.left - diagonal, to = s.right - diagonal;
    from = from > 0 ? from : 0;
    to = to < g.h ? to : g.h;
    double state[VOLT_FORM_STATE];
    for (int k = 0; k < VOLT_FORM_STATE; k++) {
        state[k] = 0;
        if (k < g.form.factor[0].state_size && from < to)
            state[k] =
                from + diagonal == s.left ? g.left[k * g.ld_left + from] : g.top[k * g.ld_top + diagonal];
    }
    int64_t inner = s.left - s.low, last = s.right - (s.low + WARP - 1), i = s.first;
    last = last < g.h - 1 ? last : g.h - 1;
    for (; i < s.end && i < inner; i += EDGE_ROWS)
        follow<KIND, EDGE_ROWS, true>(g, i, diagonal, from, to, state, K, ld);
    for (; i + INNER_ROWS <= last; i += INNER_ROWS)
        follow<KIND, INNER_ROWS, false>(g, i, diagonal, from, to, state, K, ld);
    for (; i < s.end; i += EDGE_ROWS)
        follow<KIND, EDGE_ROWS, true>(g, i, diagonal, from, to, state, K, ld);
}

/* ---- start ------------------------------------------------------------------------------------- */

typedef void (*scan_function)(const volt_form_grid, double *, int64_t);

static scan_function function_for(const volt_form_grid &g)
{
    bool enter_once = !g.first || (!g.same && g.ends);
    if (g.form.n_factors > 1)
        return scan<VOLT_FORM_FACTORS>;
    if (!enter_once || g.form.factor[0].window > 1)
        return scan<1>;
    return g.form.factor[0].step.kind == VOLT_FORM_GEOMETRIC ? scan_single<VOLT_FORM_GEOMETRIC>
                                                             : scan_single<VOLT_FORM_NONE>;
}

extern "C" void volt_cuda_start_scan(cudaStream_t stream, const volt_form_grid *grid, double *K, int64_t ld)
{
    enum { MAX_RECORDS = 65535 }; /* maximum number of blocks in that direction */
    enum { ENOUGH_WARPS = 2048 }; /* enough for several per multiprocessor; blocks then hold more than one */
    volt_form_grid g = *grid;
    if (g.same || g.records > MAX_RECORDS) { /* diagonals cross all records */
        g.ends = NULL;
        g.records = 1;
        g.longest = g.m;
    }
    int64_t diagonals = g.h + (g.same ? g.before : g.longest - 1), warps = (diagonals + WARP - 1) / WARP;
    int64_t together = warps * g.records > ENOUGH_WARPS ? 4 : 1;
    dim3 blocks((unsigned)((warps + together - 1) / together), (unsigned)g.records);
    function_for(g)<<<blocks, (unsigned)(together * WARP), 0, stream>>>(g, K, ld);
}
