/* src/solve/exact/factor.c: creation, growth and predictions of a factor. The formulas are in factor.h. */
#include "solve/exact/factor.h"

#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "solve/exact/ridge.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

void volt_factor_take_rows(volt_factor *f, int64_t rows)
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
    volt_factor_take_rows(f, op->n);
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

void volt_factor_pivots(const volt_factor *f, int64_t first, int64_t count, double *pivots)
{
    volt_view diagonal = {f->L.data + first * (f->L.ld + 1), count, 1, f->L.ld + 1};
    f->backend->get(diagonal, volt_matrix_of(pivots, count, 1));
}

/* ---- intercepts ------------------------------------------------------------------------------- */

void volt_factor_add_to_sums(volt_factor *f, int64_t t)
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

void volt_factor_update_intercepts(volt_factor *f, int64_t rows)
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
        volt_factor_add_to_sums(f, f->summed);
    volt_factor_update_intercepts(f, f->m);
}

/* ---- readout and predictions ------------------------------------------------------------------ */

void volt_factor_readout(const volt_factor *f, volt_matrix D)
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
    volt_factor_readout(f, A);
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
    volt_factor_readout(f, D);
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
