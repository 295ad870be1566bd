/* src/solve/iterative/pcg.c: preconditioned conjugate gradients for several columns.
 *
 *     q = (K + alpha I) p,   t = r'z / p'q,   x += t p,   r -= t q,   z = M^{-1} r,   p = z + (r'z / last r'z)
 * p
 *
 * Columns share only the multiplication by K. A converged column is not multiplied any more. All sums are
 * taken in the order of the rows. When all columns have converged, one more multiplication computes the true
 * residual, because the recursive one drifts by rounding. If the true residual is too large, the iteration
 * restarts from there. */
#include "solve/iterative/pcg.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_RESTARTS = 20, LAST_ROWS = 2048 };
/* Predictions of the last rows have settled if they changed by less than this share of the tolerance in all
 * steps of the ring. */
static const double converged_share = 0.01;

typedef struct iteration {
    const volt_pcg_problem *problem;
    volt_iteration *pcg;
    volt_pcg_state *at;
    int64_t rows, columns;
    double count;     /* number of rows solved */
    int64_t begin;    /* the first of the last rows */
    double *q, *z;    /* rows x columns */
    double *V, *C;    /* n x columns: the factor and the product */
    bool *done;       /* columns */
    int64_t *which;   /* columns: indices of the multiplied columns */
    double *sum;      /* columns */
    int64_t products; /* products with K so far */
} iteration;

static double *number(const iteration *it, int64_t k, volt_pcg_number which)
{
    return &it->at->numbers[k * VOLT_PCG_NUMBERS + which];
}

static bool takes_part(const iteration *it, int64_t i)
{
    return !(it->problem->without && it->problem->without[i]);
}

/* ---- vectors ---------------------------------------------------------------------------------- */

/* a'b of every column into it->sum. */
static void dot(const iteration *it, const double *a, const double *b)
{
    memset(it->sum, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            it->sum[k] += a[i * it->columns + k] * b[i * it->columns + k];
}

/* Zero in the excluded rows, and of sum zero with an intercept. */
static void project(const iteration *it, double *v)
{
    memset(it->sum, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            it->sum[k] += takes_part(it, i) ? v[i * it->columns + k] : 0;
    for (int64_t k = 0; k < it->columns; k++)
        it->sum[k] = it->problem->constant[k] ? it->sum[k] / it->count : 0;
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            v[i * it->columns + k] = takes_part(it, i) ? v[i * it->columns + k] - it->sum[k] : 0;
}

static volt_status precondition(const iteration *it)
{
    const volt_pcg_problem *problem = it->problem;
    VOLT_TRY(volt_preconditioner_apply(problem->pre, problem->group, problem->alpha,
                                       volt_view_of(it->at->r, it->rows, it->columns),
                                       volt_matrix_of(it->z, it->rows, it->columns)));
    project(it, it->z);
    return VOLT_OK;
}

/* C = K v for the columns that have not converged, or all; V and C have the columns `which`. */
static volt_status multiply(iteration *it, const double *v, bool all, volt_stage *stage, int64_t *count)
{
    const volt_pcg_problem *problem = it->problem;
    int64_t w = problem->washout, n = problem->kernel->n, some = 0;
    for (int64_t k = 0; k < it->columns; k++)
        if (all || !it->done[k])
            it->which[some++] = k;
    memset(it->V, 0, (size_t)(w * some) * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t c = 0; c < some; c++)
            it->V[(w + i) * some + c] = v[i * it->columns + it->which[c]];
    *count = some;
    return volt_operator_multiply(problem->kernel, problem->backend, volt_view_of(it->V, n, some),
                                  volt_matrix_of(it->C, n, some), stage);
}

/* q = (K - common 11' + alpha I) v, projected, from the product; 0 in columns without one. */
static void finish_product(const iteration *it, const double *v, int64_t count, double *q)
{
    const volt_pcg_problem *problem = it->problem;
    double *total = it->sum;
    memset(total, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            total[k] += v[i * it->columns + k];
    memset(q, 0, (size_t)(it->rows * it->columns) * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t c = 0; c < count; c++) {
            int64_t k = it->which[c];
            q[i * it->columns + k] = it->C[(problem->washout + i) * count + c] - problem->common * total[k] +
                                     problem->alpha[k] * v[i * it->columns + k];
        }
    project(it, q);
}

/* ---- state of the iteration -------------------------------------------------------------------- */

/* Did the predictions of the last rows change by less than the tolerance allows, in every step of the ring? */
static bool predictions_converged(const iteration *it, int64_t k)
{
    double moved = 0;
    for (int64_t i = 0; i < VOLT_PCG_RING; i++)
        moved += *number(it, k, (volt_pcg_number)(VOLT_PCG_MOVED + i));
    return it->at->steps >= VOLT_PCG_RING && moved <= converged_share * it->pcg->tolerance;
}

static bool is_small(const iteration *it, int64_t k)
{
    return *number(it, k, VOLT_PCG_RESIDUAL) <= it->pcg->tolerance;
}

/* Marks converged columns; returns whether all have converged. */
static bool find_done(iteration *it)
{
    bool all = true;
    for (int64_t k = 0; k < it->columns; k++) {
        it->done[k] = is_small(it, k) || predictions_converged(it, k) || !(*number(it, k, VOLT_PCG_RZ) > 0);
        all = all && it->done[k];
    }
    return all;
}

/* Checks that r'z, in it->sum, is positive, or so small that its sign may be rounding. */
static volt_status check_positive(const iteration *it, int64_t k)
{
    double residual = *number(it, k, VOLT_PCG_RESIDUAL), rz = it->sum[k];
    VOLT_REQUIRE(isfinite(residual) && isfinite(rz), VOLT_ERR_NOT_FINITE,
                 "conjugate gradients overflowed in step %" PRId64, it->at->steps);
    VOLT_REQUIRE(rz > 0 || residual <= sqrt(DBL_EPSILON) || is_small(it, k), VOLT_ERR_SINGULAR,
                 "alpha is %g, too small for the preconditioner: it is not positive definite to rounding in "
                 "step %" PRId64 ", at a residual of %g; use a larger alpha or fewer landmarks",
                 it->problem->alpha[k], it->at->steps, residual);
    return VOLT_OK;
}

/* Recompute z, p and r'z from r, in the columns that have not converged. */
static volt_status start_columns(iteration *it)
{
    volt_pcg_state *at = it->at;
    VOLT_TRY(precondition(it));
    dot(it, at->r, it->z);
    for (int64_t k = 0; k < it->columns; k++) {
        if (it->done[k])
            continue;
        VOLT_TRY(check_positive(it, k));
        *number(it, k, VOLT_PCG_RZ) = it->sum[k];
        for (int64_t i = 0; i < VOLT_PCG_RING; i++)
            *number(it, k, (volt_pcg_number)(VOLT_PCG_MOVED + i)) = 1;
    }
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            if (!it->done[k])
                at->p[i * it->columns + k] = it->z[i * it->columns + k];
    return VOLT_OK;
}

/* Start from x = 0. */
static volt_status start(iteration *it)
{
    volt_pcg_state *at = it->at;
    size_t bytes = (size_t)(it->rows * it->columns) * sizeof(double);
    at->steps = at->restarts = 0;
    memset(at->x, 0, bytes);
    memset(at->p, 0, bytes);
    memcpy(at->r, it->problem->targets, bytes);
    project(it, at->r);
    dot(it, at->r, at->r);
    for (int64_t k = 0; k < it->columns; k++) {
        double size = sqrt(it->sum[k]);
        *number(it, k, VOLT_PCG_ALPHA) = it->problem->alpha[k];
        *number(it, k, VOLT_PCG_RZ) = 0;
        *number(it, k, VOLT_PCG_SIZE) = size;
        *number(it, k, VOLT_PCG_RESIDUAL) = size > 0 ? 1 : 0;
        *number(it, k, VOLT_PCG_TRUE) = 2;
        for (int64_t i = 0; i < VOLT_PCG_RING; i++)
            *number(it, k, (volt_pcg_number)(VOLT_PCG_MOVED + i)) = 1;
        it->done[k] = !(size > 0);
    }
    return start_columns(it);
}

/* The first process of a job reads the state and sends it to the others, whose disks may differ. */
static volt_status load(iteration *it, bool *found)
{
    const volt_bands *bands = volt_bands_current();
    volt_pcg_state *at = it->at;
    volt_status status = bands->part == 0 ? it->pcg->load(it->pcg->context, at, found) : VOLT_OK;
    bool reads = bands->part == 0 && status == VOLT_OK && *found;
    double head[] = {status != VOLT_OK, reads, reads ? (double)at->steps : 0, reads ? (double)at->restarts : 0};
    bands->sum(head, sizeof head / sizeof *head);
    if (head[0] > 0)
        return status != VOLT_OK ? status
                                 : volt_fail(VOLT_ERR_FORMAT, "the first process cannot read the checkpoint");
    *found = head[1] > 0;
    if (!*found || bands->parts == 1)
        return VOLT_OK;
    at->steps = (int64_t)head[2];
    at->restarts = (int64_t)head[3];
    double *const lists[] = {at->x, at->r, at->p};
    int64_t end = bands->part == 0 ? it->rows : 0;
    for (int i = 0; i < 3; i++)
        volt_bands_gather(bands, 0, 0, end, volt_matrix_of(lists[i], it->rows, it->columns));
    volt_bands_gather(bands, 0, 0, end > 0 ? it->columns : 0,
                      volt_matrix_of(at->numbers, it->columns, VOLT_PCG_NUMBERS));
    return VOLT_OK;
}

/* States with other values of alpha are ignored. */
static volt_status resume(iteration *it, bool *found)
{
    *found = false;
    if (!it->pcg->load)
        return VOLT_OK;
    VOLT_TRY(load(it, found));
    for (int64_t k = 0; *found && k < it->columns; k++)
        VOLT_REQUIRE(*number(it, k, VOLT_PCG_ALPHA) == it->problem->alpha[k], VOLT_ERR_FORMAT,
                     "the checkpoint has alpha %.17g in column %" PRId64 ", but this fit has %.17g",
                     *number(it, k, VOLT_PCG_ALPHA), k + 1, it->problem->alpha[k]);
    return VOLT_OK;
}

/* ---- a step ----------------------------------------------------------------------------------- */

/* Move x and r along p by t (columns). Predictions change by t (K p) = t (q - alpha p). */
static void move(iteration *it, const double *t)
{
    volt_pcg_state *at = it->at;
    double *moved = it->sum;
    memset(moved, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++) {
            int64_t a = i * it->columns + k;
            if (it->done[k])
                continue;
            double by = t[k] * (it->q[a] - it->problem->alpha[k] * at->p[a]);
            at->x[a] += t[k] * at->p[a];
            at->r[a] -= t[k] * it->q[a];
            moved[k] += i >= it->begin ? by * by : 0;
        }
    for (int64_t k = 0; k < it->columns; k++)
        if (!it->done[k]) {
            double spread = *number(it, k, VOLT_PCG_SIZE) / sqrt(it->count);
            *number(it, k, VOLT_PCG_MOVED + at->steps % VOLT_PCG_RING) =
                sqrt(moved[k] / (double)(it->rows - it->begin)) / spread;
        }
}

/* Compute the step lengths t. */
static volt_status find_lengths(iteration *it, double *t)
{
    dot(it, it->at->p, it->q);
    for (int64_t k = 0; k < it->columns; k++) {
        if (it->done[k])
            continue;
        double curvature = it->sum[k];
        VOLT_REQUIRE(isfinite(curvature), VOLT_ERR_NOT_FINITE,
                     "the kernel of the rows is too large for a double");
        VOLT_REQUIRE(
            curvature > 0, VOLT_ERR_SINGULAR,
            "K + alpha I is not positive definite to rounding: conjugate gradients found a direction of "
            "curvature %g in step %" PRId64 "; use an alpha larger than %g",
            curvature, it->at->steps + 1, it->problem->alpha[k]);
        t[k] = *number(it, k, VOLT_PCG_RZ) / curvature;
    }
    return VOLT_OK;
}

/* Compute the next direction. */
static volt_status turn(iteration *it)
{
    volt_pcg_state *at = it->at;
    dot(it, at->r, at->r);
    for (int64_t k = 0; k < it->columns; k++)
        if (!it->done[k])
            *number(it, k, VOLT_PCG_RESIDUAL) = sqrt(it->sum[k]) / *number(it, k, VOLT_PCG_SIZE);
    VOLT_TRY(precondition(it));
    dot(it, at->r, it->z);
    for (int64_t k = 0; k < it->columns; k++) {
        if (it->done[k])
            continue;
        VOLT_TRY(check_positive(it, k));
        double *rz = number(it, k, VOLT_PCG_RZ);
        double ratio = it->sum[k] / *rz;
        *rz = it->sum[k];
        for (int64_t i = 0; i < it->rows; i++) {
            int64_t a = i * it->columns + k;
            at->p[a] = it->z[a] + ratio * at->p[a];
        }
    }
    return VOLT_OK;
}

/* The largest residual of a column. */
static double residual_of(const iteration *it, volt_pcg_number which)
{
    double most = 0;
    for (int64_t k = 0; k < it->columns; k++)
        most = fmax(most, *number(it, k, which));
    return most;
}

/* Products with K in total: the steps at the present rate of convergence, and one for the true residual. */
static double expected_products(const iteration *it)
{
    double residual = fmax(residual_of(it, VOLT_PCG_RESIDUAL), it->pcg->tolerance), steps = VOLT_PCG_USUAL;
    if (it->at->steps > 0)
        steps = residual < 1 ? (double)it->at->steps * log(it->pcg->tolerance) / log(residual) : INFINITY;
    double left = fmin(ceil(steps), (double)it->pcg->max_steps) - (double)it->at->steps;
    return (double)it->products + fmax(left, 0) + 1;
}

/* Begin a stage for the next multiplication. */
static void begin_stage(iteration *it, char text[64], volt_stage *stage)
{
    double n = (double)it->problem->kernel->n, before = it->problem->before,
           all = before + expected_products(it);
    snprintf(text, 64, "step %" PRId64 ", residual %.1e", it->at->steps + 1,
             residual_of(it, VOLT_PCG_RESIDUAL));
    volt_stage_begin(stage, it->problem->progress, text, (before + (double)it->products) / all, 1 / all,
                     n * n / 2 / (double)volt_bands_current()->parts);
    it->products++;
}

/* Only the first process of a job saves. */
static volt_status save(const iteration *it, bool last)
{
    bool saves = it->pcg->save && volt_bands_current()->part == 0;
    return saves ? it->pcg->save(it->pcg->context, it->at, last) : VOLT_OK;
}

/* K v. On VOLT_ERR_CANCELLED the state, which has not changed, is saved. */
static volt_status multiply_watched(iteration *it, const double *v, bool all, int64_t *count)
{
    char text[64];
    volt_stage stage;
    begin_stage(it, text, &stage);
    volt_status status = multiply(it, v, all, &stage, count);
    if (status != VOLT_OK && status != VOLT_ERR_CANCELLED) /* also if another process was cancelled */
        return status;
    if (status == VOLT_OK && volt_stage_should_continue(&stage))
        return VOLT_OK;
    VOLT_TRY(save(it, true));
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

static volt_status step(iteration *it, double *t)
{
    int64_t count = 0;
    VOLT_TRY(multiply_watched(it, it->at->p, false, &count));
    finish_product(it, it->at->p, count, it->q);
    VOLT_TRY(find_lengths(it, t));
    move(it, t);
    it->at->steps++;
    VOLT_TRY(turn(it));
    return save(it, false);
}

/* ---- true residual at the end ------------------------------------------------------------------ */

/* r = y - (K + alpha I) x in all columns, and K x into `product`; *again: a column must continue. */
static volt_status find_truth(iteration *it, volt_matrix product, bool *again)
{
    volt_pcg_state *at = it->at;
    int64_t count = 0, n = it->problem->kernel->n;
    VOLT_TRY(multiply_watched(it, at->x, true, &count));
    for (int64_t i = 0; i < n; i++)
        memcpy(product.data + i * product.ld, it->C + i * count, (size_t)count * sizeof(double));
    finish_product(it, at->x, count, it->q);
    for (int64_t i = 0; i < it->rows * it->columns; i++)
        it->q[i] = it->problem->targets[i] - it->q[i];
    project(it, it->q);
    dot(it, it->q, it->q);
    *again = false;
    for (int64_t k = 0; k < it->columns; k++) {
        double size = *number(it, k, VOLT_PCG_SIZE), truth = size > 0 ? sqrt(it->sum[k]) / size : 0;
        double *last = number(it, k, VOLT_PCG_TRUE);
        bool converged = predictions_converged(it, k), improves = truth < *last / 2;
        VOLT_REQUIRE(isfinite(truth), VOLT_ERR_NOT_FINITE, "the kernel of the rows is too large for a double");
        *last = truth;
        it->done[k] = truth <= it->pcg->tolerance || converged || !improves || at->restarts >= MAX_RESTARTS ||
                      at->steps >= it->pcg->max_steps;
        *again = *again || !it->done[k];
    }
    return VOLT_OK;
}

/* Restart the columns that have not converged from their true residual, which is in q. */
static volt_status start_again(iteration *it)
{
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            if (!it->done[k])
                it->at->r[i * it->columns + k] = it->q[i * it->columns + k];
    for (int64_t k = 0; k < it->columns; k++)
        if (!it->done[k])
            *number(it, k, VOLT_PCG_RESIDUAL) = *number(it, k, VOLT_PCG_TRUE);
    it->at->restarts++;
    return start_columns(it);
}

static void report(iteration *it)
{
    volt_iteration *pcg = it->pcg;
    pcg->steps = it->at->steps;
    pcg->residual = residual_of(it, VOLT_PCG_TRUE);
    pcg->converged = true;
    for (int64_t k = 0; k < it->columns; k++)
        pcg->converged =
            pcg->converged && (*number(it, k, VOLT_PCG_TRUE) <= pcg->tolerance || predictions_converged(it, k));
    if (!pcg->converged)
        volt_log(VOLT_LOG_WARNING,
                 "the solver \"pcg\" stopped after %" PRId64 " steps with a residual of %.3g (tolerance %g): "
                 "predictions may be wrong by that share of the standard deviation of the targets",
                 pcg->steps, pcg->residual, pcg->tolerance);
}

static volt_status iterate(iteration *it, volt_matrix product)
{
    bool found = false, again = true;
    double *t = volt_alloc_doubles(it->columns, 1);
    volt_status status = t ? resume(it, &found) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !found)
        status = start(it);
    while (status == VOLT_OK && again) {
        while (status == VOLT_OK && !find_done(it) && it->at->steps < it->pcg->max_steps)
            status = step(it, t);
        if (status == VOLT_OK)
            status = save(it, true);
        if (status == VOLT_OK)
            status = find_truth(it, product, &again);
        if (status == VOLT_OK && again)
            status = start_again(it);
    }
    volt_free(t);
    if (status == VOLT_OK)
        report(it);
    return status;
}

volt_status volt_pcg_run(const volt_pcg_problem *problem, volt_iteration *pcg, volt_pcg_state *state,
                         volt_matrix product)
{
    int64_t n = problem->kernel->n, rows = n - problem->washout, columns = problem->columns;
    iteration it = {.problem = problem,
                    .pcg = pcg,
                    .at = state,
                    .rows = rows,
                    .columns = columns,
                    .begin = volt_max(rows - LAST_ROWS, 0),
                    .q = volt_alloc_doubles(rows, columns),
                    .z = volt_alloc_doubles(rows, columns),
                    .V = volt_alloc_doubles(n, columns),
                    .C = volt_alloc_doubles(n, columns),
                    .done = volt_alloc_zero(columns, sizeof(bool)),
                    .which = volt_alloc_zero(columns, sizeof(int64_t)),
                    .sum = volt_alloc_doubles(columns, 1)};
    for (int64_t i = 0; i < rows; i++)
        it.count += takes_part(&it, i);
    bool allocated = it.q && it.z && it.V && it.C && it.done && it.which && it.sum;
    volt_status status = allocated ? iterate(&it, product) : VOLT_ERR_MEMORY;
    volt_free(it.q);
    volt_free(it.z);
    volt_free(it.V);
    volt_free(it.C);
    volt_free(it.done);
    volt_free(it.which);
    volt_free(it.sum);
    return status;
}
