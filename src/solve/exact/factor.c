/* src/solve/exact/factor.c: creation, growth and predictions of a factor. The formulas are in factor.h. */
#include "solve/exact/factor.h"
#include "base/threads.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Effective dimension of the rows with a target (docs/math.md), after volt_factor_grow of all rows,
 *
 *     n - alpha tr R,   with `constant` (requires task.u)   n - 1 - alpha tr P.
 *
 * Up to VOLT_EXACT_DIMENSION rows it is computed from the inverse factor, m^3 / 3 operations, and *error is 0.
 * Above, it is the mean over VOLT_DIMENSION_PROBES vectors z of random signs of n - alpha z' R z, m^2 operations
 * each, and *error is its standard error. The signs are fixed, so that it decreases with alpha.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
enum { VOLT_EXACT_DIMENSION = 1024, VOLT_DIMENSION_PROBES = 64 };

enum {
    MAX_GROWTH = 2048, /* rows per block; the user can cancel between blocks */
    NUMBERS = 5
};

/* ---- life ------------------------------------------------------------------------------------- */

void volt_factor_free(volt_factor *f)
{
    if (!f)
        return;
    if (f->owns_memory)
        f->backend->release(f->memory);
    volt_free(f->numbers);
    volt_free(f);
}

volt_status volt_factor_create(const volt_backend *backend, double *memory, int64_t max_rows, int64_t q,
                               volt_factor **factor)
{
    volt_factor *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->backend = backend;
    fresh->q = q;
    fresh->owns_memory = !memory;
    fresh->memory = memory ? memory : backend->alloc(max_rows, max_rows);
    fresh->numbers = volt_alloc_doubles(NUMBERS, q);
    if (!fresh->memory || !fresh->numbers) {
        volt_factor_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->uw = fresh->numbers;
    fresh->c = fresh->numbers + q;
    fresh->y = fresh->numbers + 2 * q;
    fresh->shift = fresh->numbers + 3 * q;
    fresh->squares = fresh->numbers + 4 * q;
    *factor = fresh;
    return VOLT_OK;
}

double volt_factor_bytes(int64_t max_rows, int64_t q)
{
    return 8 * ((double)max_rows * (double)max_rows + NUMBERS * (double)q) + sizeof(volt_factor);
}

static bool is_in_place(const volt_factor *f)
{
    return f->task.Y.data == f->task.W.data;
}

/* Begin the forward solves; no row of L is factored yet. */
static void begin_solves(volt_factor *f)
{
    const volt_factor_task *task = &f->task;
    int64_t q = f->q;
    f->m = f->panel_end = f->panel = f->summed = 0;
    f->uu = 0;
    memset(f->numbers, 0, (size_t)(NUMBERS * q) * sizeof(double));
    for (int64_t i = 0; task->W.data && i < f->L.rows; i++) {
        const double *y = task->Y.data + i * task->Y.ld;
        if (!is_in_place(f))
            memcpy(task->W.data + i * task->W.ld, y, (size_t)q * sizeof(double));
        if (task->u)
            task->u[i * task->ld_u] = task->without && task->without[i] ? 0 : 1;
        for (int64_t k = 0; is_in_place(f) && k < q; k++) /* the targets will be overwritten */
            f->y[k] += y[k];
    }
}

/* K without its first `rows` rows and columns. */
static volt_matrix corner(const volt_factor *f, int64_t rows)
{
    return (volt_matrix){f->K.data + rows * (f->K.ld + 1), f->K.rows - rows, f->K.rows - rows, f->K.ld};
}

void volt_factor_begin(volt_factor *f, const volt_factor_task *task)
{
    f->task = *task;
    f->K = (volt_matrix){f->memory, task->rows, task->rows, task->ld ? task->ld : task->rows};
    f->L = corner(f, task->washout);
    f->filled = 0;
    f->size = 0;
    begin_solves(f);
}

/* ---- other alphas ----------------------------------------------------------------------------- */

void volt_factor_keep(volt_factor *f, int64_t first, double *diagonal)
{
    int64_t w = f->task.washout;
    volt_matrix all = corner(f, w);
    volt_view on_device = {all.data, all.rows, 1, all.ld + 1};
    if (diagonal)
        f->backend->get(on_device, volt_matrix_of(diagonal, all.rows, 1));
    f->backend->mirror(corner(f, w + first), true);
}

void volt_factor_restore(volt_factor *f, int64_t first)
{
    f->backend->mirror(corner(f, f->task.washout + first), false);
}

void volt_factor_restart(volt_factor *f, const volt_factor_task *task, int64_t first, double alpha,
                         const double *diagonal)
{
    f->task = *task;
    f->task.alpha = alpha;
    f->task.Y = volt_view_rows(task->Y, first, task->Y.rows - first);
    f->task.without = task->without ? task->without + first : NULL;
    f->L = corner(f, task->washout + first);
    volt_matrix on_device = {f->L.data, f->L.rows, 1, f->L.ld + 1};
    double unused = 0;
    f->backend->put(volt_view_of(diagonal + first, f->L.rows, 1), on_device);
    f->backend->shift(f->L, 0, f->L.rows, 0, alpha, &unused);
    begin_solves(f);
}

/* ---- Gram matrix ------------------------------------------------------------------------------ */

static void factor_take_rows(volt_factor *f, int64_t rows)
{
    int64_t w = f->task.washout, begin = volt_max(f->filled - w, 0), end = volt_max(rows - w, 0);
    f->filled = rows;
    f->backend->shift(f->L, begin, end - begin, f->task.common, f->task.alpha, &f->size);
    for (int64_t i = 0; f->task.without && i < end; i++)
        if (f->task.without[i])
            f->backend->isolate(f->L, i, begin, end - begin, f->task.alpha);
}

volt_status volt_factor_fill(volt_factor *f, volt_operator *op)
{
    if (op->n <= f->filled)
        return VOLT_OK;
    volt_matrix block = {f->K.data + f->filled * f->K.ld, op->n - f->filled, op->n, f->K.ld};
    VOLT_TRY(op->rows(op, f->filled, f->backend, block, f->task.stage));
    if (!volt_stage_should_continue(f->task.stage))
        return volt_stage_end(f->task.stage);
    factor_take_rows(f, op->n);
    return volt_backend_state(f->backend);
}

double volt_factor_rounding_level(const volt_factor *f, int64_t n)
{
    return (double)n * DBL_EPSILON * f->size;
}

volt_status volt_factor_norm(const volt_factor *f, double *norm)
{
    VOLT_TRY(f->backend->norm(volt_as_view(f->L), norm));
    VOLT_TRY(volt_backend_state(f->backend));
    VOLT_REQUIRE(isfinite(*norm), VOLT_ERR_NOT_FINITE, "the Gram matrix contains a value that is not finite");
    return VOLT_OK;
}

volt_status volt_factor_rcond(const volt_factor *f, double norm, double *rcond)
{
    VOLT_TRY(f->backend->rcond(f->L, norm, rcond));
    return volt_backend_state(f->backend);
}

/* ---- growth ----------------------------------------------------------------------------------- */

void volt_factor_account(volt_factor *f, double begun, double flops)
{
    f->cost.blas_seconds += (volt_seconds() - begun) * (omp_in_parallel() ? 1 : (double)volt_threads());
    f->cost.flops += flops;
}

/* Compute columns up to m of rows first .. last - 1, which are not factored. */
static void finish_rows(volt_factor *f, int64_t first, int64_t last)
{
    int64_t middle = volt_min(volt_max(first, f->panel_end), last); /* rows before it are final up to panel */
    double begun = volt_seconds(), m = (double)f->m, panel = (double)f->panel;
    f->backend->trsm(f->L, first, middle - first, f->panel, f->m, f->task.stage);
    f->backend->trsm(f->L, middle, last - middle, 0, f->m, f->task.stage);
    volt_factor_account(f, begun,
                        (double)(middle - first) * (m * m - panel * panel) + (double)(last - middle) * m * m);
}

/* W and u of rows from .. to - 1. */
static void solve_forward(volt_factor *f, int64_t from, int64_t to)
{
    const volt_factor_task *task = &f->task;
    volt_matrix W = task->W;
    bool joined = task->u == W.data + f->q && task->ld_u == W.ld;
    W.cols = joined ? f->q + 1 : f->q;
    f->backend->forward(f->L, from, to, task->steady, W);
    if (task->u && !joined) {
        volt_matrix u = {task->u, W.rows, 1, task->ld_u};
        f->backend->forward(f->L, from, to, task->steady, u);
    }
}

volt_status volt_factor_grow(volt_factor *f, int64_t to)
{
    volt_stage *stage = f->task.stage;
    int64_t most = f->task.steady ? MAX_GROWTH : to;
    while (f->m < to) {
        int64_t from = f->m, next = volt_min(to, from + most), pivot = 0;
        finish_rows(f, from, next);
        double begun = volt_seconds(), size = (double)(next - from), q = (double)(f->q + (f->task.u ? 1 : 0));
        f->backend->potrf(f->L, from, next, stage, &pivot);
        if (pivot == 0 && volt_stage_should_continue(stage))
            solve_forward(f, from, next);
        volt_factor_account(f, begun,
                            size * size * ((double)from + size / 3) + size * q * (2 * (double)from + size));
        if (!volt_stage_should_continue(stage))
            return volt_stage_end(stage);
        /* before a pivot, which is meaningless after a device failure */
        VOLT_TRY(volt_backend_state(f->backend));
        if (pivot)
            return volt_ridge_singular(pivot, to, f->task.alpha, volt_factor_rounding_level(f, to));
        f->m = next;
    }
    return VOLT_OK;
}

/* The forward solves of several factors without a bad pivot. */
static void solve_all_forward(int64_t count, volt_factor *const *factors, const int64_t *pivots)
{
    volt_matrix L[VOLT_CHOLESKY_AT_ONCE], W[VOLT_CHOLESKY_AT_ONCE];
    int64_t good = 0;
    for (int64_t i = 0; i < count; i++)
        if (pivots[i] == 0) {
            L[good] = factors[i]->L;
            W[good] = volt_matrix_rows(factors[i]->task.W, 0, factors[i]->L.rows);
            W[good++].cols = factors[i]->q + (factors[i]->task.u ? 1 : 0);
        }
    if (good > 0)
        volt_cholesky_forward_all(good, L, W);
}

volt_status volt_factor_grow_all(int64_t count, volt_factor *const *factors, int64_t *pivots)
{
    volt_factor *f = factors[0];
    volt_stage *stage = f->task.stage;
    volt_matrix L[VOLT_CHOLESKY_AT_ONCE];
    double begun = volt_seconds(), n = (double)f->L.rows, q = (double)(f->q + (f->task.u ? 1 : 0));
    for (int64_t i = 0; i < count; i++)
        L[i] = factors[i]->L;
    if (count == 1)
        f->backend->potrf(f->L, 0, f->L.rows, stage, pivots);
    else
        volt_cholesky_factor_all(count, L, stage, pivots);
    if (!volt_stage_should_continue(stage))
        return volt_stage_end(stage);
    if (count == 1 && pivots[0] == 0)
        solve_forward(f, 0, f->L.rows);
    else if (count > 1)
        solve_all_forward(count, factors, pivots);
    volt_factor_account(f, begun, (double)count * n * n * (n / 3 + q));
    for (int64_t i = 0; i < count; i++)
        factors[i]->m = pivots[i] == 0 ? factors[i]->L.rows : 0;
    return volt_backend_state(f->backend);
}

/* Pivots L_tt of rows first .. first + count - 1. */
static void factor_pivots(const volt_factor *f, int64_t first, int64_t count, double *pivots)
{
    volt_view diagonal = {f->L.data + first * (f->L.ld + 1), count, 1, f->L.ld + 1};
    f->backend->get(diagonal, volt_matrix_of(pivots, count, 1));
}

/* ---- intercepts ------------------------------------------------------------------------------- */

/* Add row t of the forward solves to the sums; and compute intercepts from the sums over the first `rows`
 * rows. */
static void factor_add_to_sums(volt_factor *f, int64_t t)
{
    const double *row = f->task.W.data + t * f->task.W.ld, *y = f->task.Y.data + t * f->task.Y.ld;
    bool in_place = is_in_place(f);
    double u = f->task.u[t * f->task.ld_u];
    f->uu += u * u;
    for (int64_t k = 0; k < f->q; k++) {
        f->uw[k] += u * row[k];
        f->y[k] += in_place ? 0 : y[k];
    }
}

static void factor_update_intercepts(volt_factor *f, int64_t rows)
{
    for (int64_t k = 0; k < f->q; k++) {
        f->c[k] = f->uw[k] / f->uu;
        f->shift[k] = f->c[k] - (f->task.centred ? f->y[k] / (double)rows : 0);
    }
}

void volt_factor_intercepts(volt_factor *f)
{
    if (!f->task.u)
        return;
    for (; f->summed < f->m; f->summed++)
        factor_add_to_sums(f, f->summed);
    factor_update_intercepts(f, f->m);
}

/* ---- readout and predictions ------------------------------------------------------------------ */

/* D, and A (m x q both; may be W itself when all rows are factored). */
static void factor_readout(const volt_factor *f, volt_matrix D)
{
    const volt_factor_task *task = &f->task;
    for (int64_t i = 0; i < f->m; i++) {
        const double *row = task->W.data + i * task->W.ld;
        double u = task->u ? task->u[i * task->ld_u] : 0;
        for (int64_t k = 0; k < f->q; k++)
            D.data[i * D.ld + k] = row[k] - u * f->c[k];
    }
}

void volt_factor_coefficients(volt_factor *f, volt_matrix A)
{
    factor_readout(f, A);
    double begun = volt_seconds();
    f->backend->backward(f->L, f->task.steady, A);
    volt_factor_account(f, begun, (double)f->m * (double)f->m * (double)f->q);
}

/* out = rows B + shift. */
static void forecast_from(volt_factor *f, volt_view rows, volt_matrix B, volt_matrix out)
{
    double begun = volt_seconds();
    f->backend->gemm(rows, false, volt_as_view(B), f->shift, f->task.steady, out);
    volt_factor_account(f, begun, 2 * (double)out.rows * (double)f->m * (double)out.cols);
}

void volt_factor_forecast(volt_factor *f, int64_t first, volt_matrix D, volt_matrix out)
{
    /* The factor grows by these rows of L next. */
    finish_rows(f, f->m, first + out.rows);
    f->panel_end = first + out.rows;
    f->panel = f->m;
    factor_readout(f, D);
    volt_view rows = {f->L.data + first * f->L.ld, out.rows, f->m, f->L.ld};
    forecast_from(f, rows, D, out);
}

void volt_factor_reset_readout(volt_factor *f, volt_matrix A)
{
    volt_factor_coefficients(f, A);
    /* K - common 11' was factored, so the rounding error of 1' A = 0 is added to the intercept. */
    for (int64_t i = 0; f->task.common != 0 && i < f->m; i++)
        for (int64_t k = 0; k < f->q; k++)
            f->shift[k] -= f->task.common * A.data[i * A.ld + k];
}

void volt_factor_forecast_reset(volt_factor *f, volt_view cross, volt_matrix A, volt_matrix out)
{
    volt_factor_reset_readout(f, A);
    forecast_from(f, cross, A, out);
}

/* ---- one-step, held-out and leave-one-out errors, and the likelihood --------------------------------- */

enum { PIVOTS = 512, COLUMNS = 64 }; /* processed at a time */

/* ---- one step ahead --------------------------------------------------------------------------- */

void volt_factor_one_step(volt_factor *f, int64_t begin, volt_matrix out)
{
    const volt_factor_task *task = &f->task;
    double pivots[PIVOTS];
    for (int64_t first = f->summed; first < f->m; first += PIVOTS) {
        int64_t end = volt_min(first + PIVOTS, f->m);
        factor_pivots(f, first, end - first, pivots);
        for (int64_t t = first; t < end; t++) {
            const double *row = task->W.data + t * task->W.ld, *y = task->Y.data + t * task->Y.ld;
            double pivot = pivots[t - first], u = task->u ? task->u[t * task->ld_u] : 0;
            if (t >= begin) {
                if (task->u)
                    factor_update_intercepts(f, t);
                for (int64_t k = 0; k < f->q;
                     k++) /* c and shift differ by the mean that a centred kernel excludes */
                    out.data[(t - begin) * out.ld + k] =
                        y[k] - pivot * (row[k] - u * f->c[k]) + (f->shift[k] - f->c[k]);
            }
            if (task->u)
                factor_add_to_sums(f, t);
        }
    }
    f->summed = f->m;
}

/* ---- held out --------------------------------------------------------------------------------- */

/* Workspace of held_out: a block of rows of L, sums, intercepts. */
typedef struct held_out_workspace {
    double *L, *uw, *c;
} held_out_workspace;

/* c_h of the rows before h, 0 if none of them has a target. The sums already include rows before *summed. */
static void intercepts_before(const volt_factor *f, int64_t h, int64_t *summed, double *uu, double *uw,
                              double *c)
{
    const volt_factor_task *task = &f->task;
    for (; *summed < h; ++*summed) {
        double u = task->u[*summed * task->ld_u];
        *uu += u * u;
        for (int64_t k = 0; k < f->q; k++)
            uw[k] += u * task->W.data[*summed * task->W.ld + k];
    }
    for (int64_t k = 0; k < f->q; k++)
        c[k] = *uu > 0 ? uw[k] / *uu : 0;
}

/* v_t of factor.h, from columns h .. t of row t of L; 0 if no row with a target is known. */
static double variance_ahead(const volt_factor *f, const double *row, int64_t h, int64_t t, bool constant,
                             double uu)
{
    double v = 0, price = 0;
    if (constant && !(uu > 0))
        return 0;
    for (int64_t j = h; j <= t; j++) {
        v += row[j - h] * row[j - h];
        price += constant ? row[j - h] * f->task.u[j * f->task.ld_u] : 0;
    }
    return constant ? v + price * price / uu : v;
}

/* Maximum number of columns of L needed by a block of rows, whose last row is predicted from at most `most`
 * rows. */
static int64_t widest_block(const volt_factor *f, int64_t ahead, int64_t most)
{
    return volt_max(COLUMNS + ahead, f->m - most);
}

/* Process rows t .. t + count - 1. Their part of L, from the first column unknown to one of them, is copied
 * to the host. v (count numbers; NULL: not computed) receives the variances. */
static void held_out_rows(volt_factor *f, int64_t ahead, int64_t most, int64_t t, int64_t count, bool constant,
                          const held_out_workspace *workspace, int64_t *summed, double *uu, double *v,
                          volt_matrix out)
{
    const volt_factor_task *task = &f->task;
    int64_t left = volt_min(t - ahead + 1, most), width = t + count - left, q = f->q;
    volt_view on_device = {f->L.data + t * f->L.ld + left, count, width, f->L.ld};
    f->backend->get(on_device, volt_matrix_of(workspace->L, count, width));
    bool frozen = left == most; /* the same rows are known to all: one intercept, and rows in any order */
    if (frozen && constant)
        intercepts_before(f, most, summed, uu, workspace->uw, workspace->c);
    double work = (double)count * (double)width * (double)q;
#pragma omp parallel for schedule(static, 4) num_threads((int)volt_threads_for(frozen ? work : 0))
    for (int64_t i = 0; i < count; i++) {
        int64_t h = volt_min(t + i - ahead + 1, most);
        double *e = out.data + i * out.ld;
        const double *row = workspace->L + i * width;
        if (constant && !frozen)
            intercepts_before(f, h, summed, uu, workspace->uw, workspace->c);
        memset(e, 0, (size_t)q * sizeof *e);
        for (int64_t j = h; j <= t + i; j++) {
            const double *w = task->W.data + j * task->W.ld;
            double weight = row[j - left], u = constant ? task->u[j * task->ld_u] : 0;
            for (int64_t k = 0; k < q; k++)
                e[k] += weight * (w[k] - u * workspace->c[k]);
        }
        if (v)
            v[i] = variance_ahead(f, row + h - left, h, t + i, constant, *uu);
    }
}

void volt_held_out_rows(volt_held_out *held, int64_t m, const bool *without)
{
    enum { MIN_BEGIN = 8 };
    int64_t later = volt_max(m / 2, m - volt_max_held_out(held));
    held->begin = volt_max(volt_max(later, 2 * held->ahead + 2), MIN_BEGIN);
    held->rows = volt_max(m - held->begin, 0);
    held->counted = 0;
    for (int64_t t = held->begin; t < m; t++)
        held->counted += !(without && without[t]);
    if (held->counted == 0)
        held->rows = 0;
    int64_t block = volt_held_out_block(held);
    if (held->blocks > 0)
        held->blocks = (held->rows + block - 1) / block;
}

int64_t volt_held_out_block(const volt_held_out *held)
{
    return held->blocks > 0 ? volt_max((held->rows + held->blocks - 1) / held->blocks, 1) : 1;
}

volt_status volt_factor_held_out(volt_factor *f, int64_t ahead, int64_t begin, bool constant, int64_t block,
                                 volt_matrix out)
{
    int64_t summed = 0, widest = volt_max(COLUMNS, volt_min(block, f->m)) + ahead;
    double uu = 0;
    held_out_workspace workspace = {.L = volt_alloc_doubles(COLUMNS, widest),
                                    .uw = volt_alloc_zero(f->q, sizeof(double)),
                                    .c = volt_alloc_zero(f->q, sizeof(double))};
    volt_status status = workspace.L && workspace.uw && workspace.c ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t t = begin, count; status == VOLT_OK && t < f->m; t += count) {
        int64_t first = t - (t - begin) % block, end = block > 1 ? volt_min(first + block, f->m) : f->m;
        count = volt_min(COLUMNS, end - t);
        held_out_rows(f, ahead, block > 1 ? first - ahead + 1 : f->m, t, count, constant, &workspace, &summed,
                      &uu, NULL, volt_matrix_rows(out, t - begin, count));
        if (!volt_stage_poll(f->task.stage))
            status = volt_stage_end(f->task.stage);
    }
    volt_free(workspace.c);
    volt_free(workspace.uw);
    volt_free(workspace.L);
    return status;
}

/* Store row t in `errors`; v is 0 if it was not predicted. */
static void take_row(const volt_factor *f, int64_t t, const int64_t *column, double v, const double *e,
                     volt_row_errors *errors)
{
    int64_t i = t - errors->begin;
    bool is_known = v > 0 && !(f->task.without && f->task.without[t]);
    double scale = is_known ? sqrt(v) : 0;
    for (int64_t k = 0; k < errors->e.cols; k++)
        if (column[k] >= 0) {
            errors->e.data[i * errors->e.ld + k] = is_known ? e[column[k]] : 0;
            errors->scale.data[i * errors->scale.ld + k] = scale;
        }
}

volt_status volt_factor_row_errors(volt_factor *f, bool constant, const int64_t *column,
                                   volt_row_errors *errors)
{
    int64_t summed = 0, ahead = errors->ahead;
    int64_t first =
        volt_max(errors->begin, constant ? ahead : ahead - 1); /* an intercept needs one known row */
    double uu = 0, v[COLUMNS];
    held_out_workspace workspace = {.L = volt_alloc_doubles(COLUMNS, widest_block(f, ahead, errors->most)),
                                    .uw = volt_alloc_zero(f->q, sizeof(double)),
                                    .c = volt_alloc_zero(f->q, sizeof(double))};
    volt_matrix e = volt_matrix_of(volt_alloc_zero(COLUMNS * f->q, sizeof(double)), COLUMNS, f->q);
    volt_status status = workspace.L && workspace.uw && workspace.c && e.data ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t t = errors->begin; status == VOLT_OK && t < volt_min(first, f->m); t++)
        take_row(f, t, column, 0, e.data, errors);
    for (int64_t t = first; status == VOLT_OK && t < f->m; t += COLUMNS) {
        int64_t count = volt_min(COLUMNS, f->m - t);
        held_out_rows(f, ahead, errors->most, t, count, constant, &workspace, &summed, &uu, v,
                      volt_matrix_rows(e, 0, count));
        for (int64_t i = 0; i < count; i++)
            take_row(f, t + i, column, v[i], e.data + i * e.ld, errors);
        if (!volt_stage_poll(f->task.stage))
            status = volt_stage_end(f->task.stage);
    }
    volt_free(e.data);
    volt_free(workspace.c);
    volt_free(workspace.uw);
    volt_free(workspace.L);
    return status;
}

/* ---- one left out ----------------------------------------------------------------------------- */

/* squares[t] <- R_tt, the squared norm of column t of L^{-1}, for columns first .. first + count - 1. */
static void square_columns(volt_factor *f, int64_t first, int64_t count, double *workspace, double *squares)
{
    int64_t below = f->m - first;
    volt_matrix corner = {f->L.data + first * (f->L.ld + 1), below, below, f->L.ld};
    volt_matrix X = volt_matrix_of(workspace, below, count);
    memset(workspace, 0, (size_t)(below * count) * sizeof(double));
    for (int64_t k = 0; k < count; k++)
        X.data[k * count + k] = 1;
    double begun = volt_seconds();
    f->backend->forward(corner, 0, below, f->task.steady, X);
    volt_factor_account(f, begun, (double)below * (double)below * (double)count);
    memset(squares + first, 0, (size_t)count * sizeof(double));
    for (int64_t i = 0; i < below; i++)
        for (int64_t k = 0; k < count; k++)
            squares[first + k] += X.data[i * count + k] * X.data[i * count + k];
}

void volt_factor_squares(volt_factor *f)
{
    const volt_factor_task *task = &f->task;
    memset(f->squares, 0, (size_t)f->q * sizeof(double));
    for (int64_t t = 0; t < f->m; t++)
        for (int64_t k = 0; k < f->q; k++) {
            double d = task->W.data[t * task->W.ld + k] - (task->u ? task->u[t * task->ld_u] * f->c[k] : 0);
            f->squares[k] += d * d;
        }
}

/* r = L^{-T} u (m x 1), with an intercept. */
static void zero_sum(volt_factor *f, volt_matrix r)
{
    if (!f->task.u)
        return;
    for (int64_t t = 0; t < f->m; t++)
        r.data[t * r.ld] = f->task.u[t * f->task.ld_u];
    f->backend->backward(f->L, f->task.steady, r);
}

static volt_status find_precisions(volt_factor *f, double *r, double *workspace, double *P)
{
    for (int64_t first = 0; first < f->m; first += COLUMNS) {
        square_columns(f, first, volt_min(COLUMNS, f->m - first), workspace, P);
        if (!volt_stage_poll(f->task.stage))
            return volt_stage_end(f->task.stage);
    }
    zero_sum(f, volt_matrix_of(r, f->m, 1));
    for (int64_t t = 0; f->task.u && t < f->m; t++)
        P[t] -= r[t] * r[t] / f->uu;
    return VOLT_OK;
}

volt_status volt_factor_precisions(volt_factor *f, double *P)
{
    double *r = volt_alloc_doubles(f->m, 1), *workspace = volt_alloc_doubles(f->m, COLUMNS);
    volt_status status = r && workspace ? find_precisions(f, r, workspace, P) : VOLT_ERR_MEMORY;
    volt_free(workspace);
    volt_free(r);
    return status;
}

/* ---- effective dimension ---------------------------------------------------------------------- */

/* tr R over the rows with a target. `squares` has m numbers, `workspace` m x COLUMNS. */
static volt_status trace_exactly(volt_factor *f, double *squares, double *workspace, double *trace)
{
    *trace = 0;
    for (int64_t first = 0; first < f->m; first += COLUMNS) {
        int64_t count = volt_min(COLUMNS, f->m - first);
        square_columns(f, first, count, workspace, squares);
        for (int64_t t = first; t < first + count; t++)
            *trace += f->task.without && f->task.without[t] ? 0 : squares[t];
        if (!volt_stage_poll(f->task.stage))
            return volt_stage_end(f->task.stage);
    }
    return VOLT_OK;
}

/* z' R z, and z' r for r (m numbers; NULL: 0), of COLUMNS vectors of random signs. */
static void probe(volt_factor *f, volt_rng *rng, const double *r, double *workspace, double *squares,
                  double *products)
{
    volt_matrix Z = volt_matrix_of(workspace, f->m, COLUMNS);
    memset(squares, 0, COLUMNS * sizeof *squares);
    memset(products, 0, COLUMNS * sizeof *products);
    for (int64_t t = 0; t < f->m; t++) {
        uint64_t signs = volt_rng_word(rng); /* one bit for each of the 64 columns */
        bool is_fitted = !(f->task.without && f->task.without[t]);
        for (int64_t k = 0; k < COLUMNS; k++) {
            double z = !is_fitted ? 0 : signs >> k & 1 ? 1 : -1;
            Z.data[t * COLUMNS + k] = z;
            products[k] += r ? z * r[t] : 0;
        }
    }
    f->backend->forward(f->L, 0, f->m, f->task.steady, Z);
    for (int64_t t = 0; t < f->m; t++)
        for (int64_t k = 0; k < COLUMNS; k++)
            squares[k] += Z.data[t * COLUMNS + k] * Z.data[t * COLUMNS + k];
}

/* The trace of R, or of P with r, from probes, and its standard error. */
static volt_status trace_by_probes(volt_factor *f, const double *r, double uu, double *workspace, double *trace,
                                   double *error)
{
    double squares[COLUMNS], products[COLUMNS], values[VOLT_DIMENSION_PROBES], sum = 0, spread = 0;
    volt_rng rng;
    volt_rng_init(&rng, 0, 0);
    for (int64_t first = 0; first < VOLT_DIMENSION_PROBES; first += COLUMNS) {
        probe(f, &rng, r, workspace, squares, products);
        for (int64_t k = 0; k < COLUMNS; k++) {
            values[first + k] = squares[k] - (r ? products[k] * products[k] / uu : 0);
            sum += values[first + k];
        }
        if (!volt_stage_poll(f->task.stage))
            return volt_stage_end(f->task.stage);
    }
    *trace = sum / VOLT_DIMENSION_PROBES;
    for (int64_t k = 0; k < VOLT_DIMENSION_PROBES; k++)
        spread += (values[k] - *trace) * (values[k] - *trace);
    *error = sqrt(spread / (VOLT_DIMENSION_PROBES - 1) / VOLT_DIMENSION_PROBES);
    return VOLT_OK;
}

static volt_status find_dimension(volt_factor *f, bool constant, double *r, double *workspace,
                                  double *dimension, double *error)
{
    double rows = 0, uu = 0, rr = 0, trace = 0, spread = 0;
    for (int64_t t = 0; t < f->m; t++) {
        double u = constant ? f->task.u[t * f->task.ld_u] : 0;
        rows += !(f->task.without && f->task.without[t]);
        uu += u * u;
    }
    if (constant)
        zero_sum(f, volt_matrix_of(r, f->m, 1));
    for (int64_t t = 0; constant && t < f->m; t++)
        rr += r[t] * r[t];
    if (f->m <= VOLT_EXACT_DIMENSION) {
        VOLT_TRY(trace_exactly(f, workspace + f->m * COLUMNS, workspace, &trace));
        trace -= constant ? rr / uu : 0;
    } else {
        VOLT_TRY(trace_by_probes(f, constant ? r : NULL, uu, workspace, &trace, &spread));
    }
    double most = constant ? rows - 1 : rows;
    *dimension = fmin(fmax(most - f->task.alpha * trace, 0), most); /* rounding may leave the range */
    *error = f->task.alpha * spread;
    return VOLT_OK;
}

volt_status volt_factor_dimension(volt_factor *f, bool constant, double *dimension, double *error)
{
    double *r = volt_alloc_doubles(f->m, 1), *workspace = volt_alloc_doubles(f->m, COLUMNS + 1);
    volt_status status =
        r && workspace ? find_dimension(f, constant, r, workspace, dimension, error) : VOLT_ERR_MEMORY;
    volt_free(workspace);
    volt_free(r);
    return status;
}

/* ---- leave-one-out errors ---------------------------------------------------------------------- */

/* On entry, `errors` holds the coefficients. */
void volt_factor_loo(volt_factor *f, const double *P, volt_matrix errors, volt_matrix variances, double *gcv)
{
    double rows = (double)(f->task.u ? f->m - 1 : f->m), trace = 0;
    for (int64_t t = 0; t < f->m; t++)
        trace += P[t];
    for (int64_t k = 0; k < f->q; k++) {
        double squares = 0;
        for (int64_t t = 0; t < f->m; t++) {
            double *e = &errors.data[t * errors.ld + k];
            squares += *e * *e;
            *e /= P[t];
            if (variances.data)
                variances.data[t * variances.ld + k] = f->squares[k] / rows / P[t];
        }
        if (gcv)
            gcv[k] = (double)f->m * squares / (trace * trace);
    }
}

/* ---- likelihood ------------------------------------------------------------------------------- */

double volt_factor_log_determinant(const volt_factor *f, bool constant)
{
    double logs = constant ? log(f->uu) / 2 : 0, pivots[PIVOTS];
    for (int64_t t = 0; t < f->m; t++) {
        if (t % PIVOTS == 0)
            factor_pivots(f, t, volt_min(PIVOTS, f->m - t), pivots);
        if (!(f->task.without && f->task.without[t]))
            logs += log(pivots[t % PIVOTS]);
    }
    return logs;
}

double volt_factor_output_score(const volt_factor *f, int64_t k, bool constant, double scale, double logs)
{
    const double two_pi = 6.283185307179586476925286766559;
    const volt_factor_task *task = &f->task;
    double rows = constant ? -1 : 0, squares = 0, c = constant ? f->c[k] : 0;
    for (int64_t t = 0; t < f->m; t++) {
        if (task->without && task->without[t])
            continue;
        double d = task->W.data[t * task->W.ld + k] - (constant ? task->u[t * task->ld_u] * c : 0);
        rows++;
        squares += d * d;
    }
    return -rows * (log(two_pi * squares / rows) / 2 + 0.5 + log(scale)) - logs;
}

volt_status volt_factor_log_score(volt_factor *f, const double *scale, double *score)
{
    double sum = 0, logs = volt_factor_log_determinant(f, f->task.u != NULL);
    for (int64_t k = 0; k < f->q; k++)
        sum += volt_factor_output_score(f, k, f->task.u != NULL, scale[k], logs);
    VOLT_REQUIRE(isfinite(sum), VOLT_ERR_NOT_FINITE, "the log score is not finite: a target is fitted exactly");
    *score = sum;
    return VOLT_OK;
}

/* ---- ridge regression with an exact unpenalised intercept -------------------------------------------- */

/* L L' = K + alpha I,  W = L^{-1} Y,  u = L^{-1} 1
 *     c = (u' W) / (u' u),  A = L^{-T} (W - u c)
 *
 * minimises |K A + 1 c - Y|^2 + alpha tr(A' K A); 1' A = 0 follows. Without intercept c = 0. factor.h
 * implements the formulas; this file implements the sequence of a solve, its checks, report and messages. */

volt_ridge_options volt_ridge_options_default(void)
{
    volt_ridge_options options = {.alpha = 1e-6, .intercept = 1};
    return options;
}

static volt_status check(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, const double *c)
{
    VOLT_REQUIRE(K.data && K.rows > 0 && K.rows == K.cols && K.ld >= K.cols && K.ld <= INT_MAX, VOLT_ERR_SHAPE,
                 "the Gram matrix must be square, with a leading dimension of at most %d (got %" PRId64
                 " x %" PRId64 ", leading dimension %" PRId64 ")",
                 INT_MAX, K.rows, K.cols, K.ld);
    VOLT_REQUIRE(Y.data && Y.cols > 0 && Y.rows == K.rows && Y.ld >= Y.cols && Y.ld <= INT_MAX, VOLT_ERR_SHAPE,
                 "the targets must have %" PRId64
                 " rows, as the Gram matrix, and at least one column (got %" PRId64 " x %" PRId64 ")",
                 K.rows, Y.rows, Y.cols);
    VOLT_REQUIRE(c, VOLT_ERR_ARGUMENT, "the intercepts are NULL");
    VOLT_REQUIRE(options->alpha > 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite (got %g)", options->alpha);
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            VOLT_REQUIRE(isfinite(Y.data[i * Y.ld + k]), VOLT_ERR_NOT_FINITE,
                         "the targets contain %g in row %" PRId64 ", column %" PRId64 " (counted from 1)",
                         Y.data[i * Y.ld + k], i + 1, k + 1);
    return VOLT_OK;
}

/* Below the rounding level alpha is too small. Above it the matrix is at fault: it is not positive
 * semidefinite. */
volt_status volt_ridge_singular(int64_t pivot, int64_t n, double alpha, double level)
{
    if (alpha >= level)
        return volt_fail(
            VOLT_ERR_SINGULAR,
            "Cholesky failed at pivot %" PRId64 " of %" PRId64
            ": alpha = %g is above the rounding level n eps max K_ii = %.3g, so the Gram matrix is not "
            "positive semidefinite; use a larger alpha or another kernel",
            pivot, n, alpha, level);
    return volt_fail(
        VOLT_ERR_SINGULAR,
        "Cholesky failed at pivot %" PRId64 " of %" PRId64
        ": alpha = %g is too small for the rounding level n eps max K_ii = %.3g; alpha = %.2g would suffice",
        pivot, n, alpha, level, 10 * level);
}

/* Errors of the held-out rows, while the forward solves are available. */
static volt_status hold_out(volt_factor *f)
{
    volt_held_out *held = f->task.held_out;
    volt_matrix e = volt_matrix_of(volt_alloc_doubles(held->rows, f->q), held->rows, f->q);
    if (!e.data)
        return VOLT_ERR_MEMORY;
    volt_status status =
        volt_factor_held_out(f, held->ahead, held->begin, f->task.u != NULL, volt_held_out_block(held), e);
    for (int64_t k = 0; status == VOLT_OK && k < f->q; k++) {
        held->mse[k] = 0;
        for (int64_t i = 0; i < held->rows; i++)
            held->mse[k] += e.data[i * e.ld + k] * e.data[i * e.ld + k] / (double)held->counted;
    }
    volt_free(e.data);
    return status;
}

/* Errors of the rows; every output uses its own column. */
static volt_status take_errors(volt_factor *f)
{
    int64_t *column = volt_alloc(f->q, sizeof *column);
    if (!column)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < f->q; k++)
        column[k] = k;
    volt_status status = VOLT_OK;
    for (int i = 0; i < VOLT_ROW_ERRORS && status == VOLT_OK; i++)
        status = volt_factor_row_errors(f, f->task.u != NULL, column, &f->task.errors[i]);
    volt_free(column);
    return status;
}

static volt_status solve(volt_factor *f, volt_stage *stage, volt_ridge_report *report)
{
    double norm = 0;
    VOLT_TRY(volt_factor_norm(f, &norm));
    VOLT_TRY(volt_factor_grow(f, f->L.rows));
    VOLT_TRY(volt_stage_end(stage));
    VOLT_TRY(volt_factor_rcond(f, norm, &report->rcond));
    VOLT_TRY(volt_stage_end(stage)); /* the estimate reads the factor about ten times */
    volt_factor_intercepts(f);
    if (f->task.held_out && f->task.held_out->rows > 0)
        VOLT_TRY(hold_out(f));
    if (f->task.errors)
        VOLT_TRY(take_errors(f));
    if (f->task.log_likelihood &&
        volt_factor_log_score(f, f->task.target_scale, f->task.log_likelihood) != VOLT_OK)
        *f->task.log_likelihood = NAN; /* an exactly fitted target is not a failure of the fit */
    volt_factor_coefficients(f, f->task.W);
    return VOLT_OK;
}

volt_status volt_ridge_run(volt_factor *f, volt_progress progress, double from, double share,
                           volt_ridge_report *report)
{
    int64_t n = f->L.rows;
    volt_ridge_report made = {.rounding_level = volt_factor_rounding_level(f, n)};
    if (f->task.alpha < made.rounding_level)
        volt_log(VOLT_LOG_WARNING,
                 "alpha = %g is below the rounding level n eps max K_ii = %.3g; use at least %.2g",
                 f->task.alpha, made.rounding_level, 10 * made.rounding_level);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "factor", from, share, volt_cholesky_units(n));
    f->task.stage = &stage;
    volt_status status = solve(f, &stage, &made);
    f->task.stage = NULL;
    if (status == VOLT_OK)
        *report = made;
    return status;
}

/* Uses the memory of K and Y; u has n numbers. */
static volt_status solve_in_place(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *u,
                                  double *c, volt_ridge_report *report)
{
    volt_factor *factor = NULL;
    volt_factor_task task = {.rows = K.rows,
                             .ld = K.ld,
                             .alpha = options->alpha,
                             .Y = volt_as_view(Y),
                             .W = Y,
                             .u = options->intercept ? u : NULL,
                             .ld_u = 1};
    VOLT_TRY(volt_factor_create(&volt_cpu_backend, K.data, K.rows, Y.cols, &factor));
    volt_factor_begin(factor, &task);
    factor_take_rows(factor, K.rows);
    volt_status status = volt_ridge_run(factor, options->progress, 0, 1, report);
    if (status == VOLT_OK)
        memcpy(c, factor->c, (size_t)Y.cols * sizeof *c);
    volt_factor_free(factor);
    return status;
}

volt_status volt_ridge_solve(volt_matrix K, volt_matrix Y, const volt_ridge_options *options, double *c,
                             volt_ridge_report *report)
{
    volt_ridge_options standard = volt_ridge_options_default();
    if (!options)
        options = &standard;
    VOLT_TRY(check(K, Y, options, c));

    volt_ridge_report made;
    volt_blas_use use;
    double *u = volt_alloc_doubles(K.rows, 1);
    volt_status status = u ? volt_blas_claim(&use) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        status = solve_in_place(K, Y, options, u, c, &made);
        volt_blas_release(&use);
    }
    volt_free(u);
    if (status == VOLT_OK && report)
        *report = made;
    return status;
}
