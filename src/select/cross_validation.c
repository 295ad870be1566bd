/* src/select/cross_validation.c: all validation blocks of a candidate from one factorisation.
 *
 * Training parts that begin at the same row are leading blocks of one another. With L L' = K + alpha I,
 * W = L^{-1} Y and u = L^{-1} 1, the first m rows have (docs/math.md)
 *
 *     c         = (u[:m]' W[:m]) / (u[:m]' u[:m])          (0 without intercept)
 *     continue    L[val, :m] (W[:m] - u[:m] c) + c
 *     reset       K_reset[val, :m] A + c,  A = L[:m, :m]^{-T} (W[:m] - u[:m] c)
 *     one step    y_t - L[t][t] (W[t] - u[t] c_t),  c_t from the rows before t
 *
 * so the factor grows from block to block, and a candidate that is given up early has cost little. In a
 * continued sequence the rows of L that forecast a block are those by which the factor grows next.
 * Training parts that begin elsewhere (rolling ones) are groups of their own. */
#include "select/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/gram/gram.h"
#include "solve/cholesky_grow.h"
#include "solve/ridge.h"
#include "stats/squared_errors.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_GROWTH = 2048 }; /* rows at a time: between two of them the user can stop */

struct volt_workspace {
    double *K;        /* most_rows x most_rows */
    double *W;        /* most_rows x (q + 1): the last column is u */
    double *D;        /* most_rows x q */
    double *forecast; /* block x q */
    double *cross;    /* block x most_rows, for a start by reset */
    double *numbers;  /* 5 x q */
};

static int64_t longest_block(const volt_problem *problem)
{
    int64_t longest = 0;
    for (int64_t k = 0; k < problem->n_splits; k++)
        longest = volt_max(longest, problem->splits[k].end - problem->splits[k].begin);
    return longest;
}

void volt_workspace_free(volt_workspace *workspace)
{
    if (!workspace)
        return;
    volt_free(workspace->K);
    volt_free(workspace->W);
    volt_free(workspace->D);
    volt_free(workspace->forecast);
    volt_free(workspace->cross);
    volt_free(workspace->numbers);
    volt_free(workspace);
}

volt_status volt_workspace_create(const volt_problem *problem, volt_workspace **workspace)
{
    volt_workspace *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    int64_t n = problem->most_rows, block = longest_block(problem);
    fresh->K = volt_alloc_doubles(n, n);
    fresh->W = volt_alloc_doubles(n, problem->q + 1);
    fresh->D = volt_alloc_doubles(n, problem->q);
    fresh->forecast = volt_alloc_doubles(block, problem->q);
    fresh->cross = volt_alloc_doubles(problem->start == VOLT_START_RESET ? block : 0, n);
    fresh->numbers = volt_alloc_doubles(5, problem->q);
    if (!fresh->K || !fresh->W || !fresh->D || !fresh->forecast || !fresh->cross || !fresh->numbers) {
        volt_workspace_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    *workspace = fresh;
    return VOLT_OK;
}

double volt_workspace_bytes(const volt_problem *problem)
{
    double n = (double)problem->most_rows, q = (double)problem->q, block = (double)longest_block(problem);
    double cross = problem->start == VOLT_START_RESET ? block * n : 0;
    return 8 * (n * n + n * (2 * q + 1) + block * q + cross);
}

/* ---- one evaluation --------------------------------------------------------------------------- */

typedef struct evaluation {
    const volt_problem *problem;
    volt_workspace *space;
    volt_kernel *kernel;
    volt_resolved resolved;
    const volt_scaled_inputs *inputs;
    double alpha;
    bool intercept; /* the readout has one: asked for, or because the Gram matrix is centred */
    bool centred;   /* ... and then the forecasts lack the mean of the training targets (docs/math.md) */
    volt_stage *stage;
    volt_cost cost;

    /* The group of folds at hand: training parts that begin at row `base`. Rows below count from
     * base + washout. */
    int64_t base;
    volt_matrix K;         /* all rows of the group, washout included, of which ... */
    int64_t filled;        /* ... these are computed */
    volt_columns *columns; /* of those */
    volt_matrix L;         /* its lower right block: K + alpha I, and its factor as far as it has grown */
    volt_matrix W;         /* Y and 1, and their forward solves as far as the factor has grown */
    double size;           /* largest K_ii, for the rounding level */
    int64_t m;             /* rows factored */
    int64_t panel_end;     /* rows m .. panel_end - 1 of L are final up to column ... */
    int64_t panel;         /* ... this one */
    int64_t summed;        /* rows that are in the sums: */
    double uu;             /* u' u */
    double *uw;            /* q: u' W */
    double *y;             /* q: 1' Y */
    double *c;             /* q: intercept of the rows in the sums, zeros without */
    double *shift;         /* q: what a forecast adds to the kernel's part */
    double *errors;        /* q */
} evaluation;

static volt_status cancelled(void)
{
    return volt_fail(VOLT_ERR_CANCELLED, "cancelled during the search");
}

/* Account for BLAS calls since `begun`. */
static void account(evaluation *e, double begun, double flops)
{
    e->cost.blas_seconds += (volt_seconds() - begun) * (omp_in_parallel() ? 1 : (double)volt_threads());
    e->cost.flops += flops;
}

/* ---- Gram matrix ------------------------------------------------------------------------------ */

static volt_view input_rows(const evaluation *e, int64_t first, int64_t count)
{
    int64_t d = e->problem->d;
    return volt_view_of(e->inputs->Z + first * d, count, d);
}

/* K - common 11' + alpha I, rows first .. first + count - 1 of what is left after the washout. */
static void finish_matrix(evaluation *e, int64_t first, int64_t count)
{
    double common = e->intercept ? e->resolved.common : 0;
    volt_matrix L = e->L;
    for (int64_t i = first; i < first + count; i++)
        e->size = fmax(e->size, L.data[i * L.ld + i]);
    if (common != 0) {
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)volt_threads())
        for (int64_t i = first; i < first + count; i++)
            for (int64_t j = 0; j <= i; j++)
                L.data[i * L.ld + j] -= common;
    }
    for (int64_t i = first; i < first + count; i++)
        L.data[i * L.ld + i] += e->alpha;
}

/* The columns of the first `rows` rows of the group: those that are there, and more after them. */
static volt_status extend_columns(evaluation *e, int64_t rows)
{
    if (!e->columns)
        return volt_columns_create(&e->resolved, input_rows(e, e->base, rows), e->stage, &e->columns);
    int64_t there = e->columns->m;
    return volt_columns_append(&e->resolved, input_rows(e, e->base + there, rows - there), e->stage,
                               e->columns);
}

/* Rows of K up to `rows` at least, washout included. Where entries are cheap the whole triangle is computed at once,
 * otherwise no further than it is needed: a candidate may be given up. */
static volt_status fill_gram(evaluation *e, int64_t rows)
{
    if (rows <= e->filled)
        return VOLT_OK;
    if (!volt_engine_of(&e->resolved, rows)->is_dear)
        rows = e->K.rows;
    volt_past *past = NULL;
    int64_t first = e->filled, w = e->problem->washout;
    volt_status status = extend_columns(e, rows);
    if (status == VOLT_OK)
        status = volt_past_create(&e->resolved, e->columns, rows - first, &past);
    if (status == VOLT_OK && first > 0)
        status = volt_past_seek(past, input_rows(e, e->base, first));
    if (status == VOLT_OK) {
        volt_matrix block = {e->K.data + first * e->K.ld, rows - first, rows, e->K.ld};
        volt_past_advance(past, input_rows(e, e->base + first, rows - first), first == 0, block, e->stage);
        if (!volt_stage_goes_on(e->stage))
            status = cancelled();
        else if (!isfinite(e->resolved.facts.largest)) /* no bound says that K cannot overflow */
            status = volt_check_finite(block, first == 0);
    }
    if (status == VOLT_OK) {
        e->filled = rows;
        int64_t begin = volt_max(first - w, 0), end = volt_max(rows - w, 0);
        finish_matrix(e, begin, end - begin);
    }
    volt_past_free(past);
    return status;
}

static void forget_columns(evaluation *e)
{
    volt_columns_free(e->columns);
    e->columns = NULL;
}

/* Begin the group of training parts from row `base` on, of which `rows` rows are needed. */
static void begin_group(evaluation *e, int64_t base, int64_t rows)
{
    int64_t w = e->problem->washout, q = e->problem->q, kept = rows - w;
    forget_columns(e);
    e->base = base;
    e->K = volt_matrix_of(e->space->K, rows, rows);
    e->L = (volt_matrix){e->K.data + w * e->K.ld + w, kept, kept, e->K.ld};
    e->W = volt_matrix_of(e->space->W, kept, e->intercept ? q + 1 : q);
    for (int64_t i = 0; i < kept; i++) {
        double *row = e->W.data + i * e->W.ld;
        memcpy(row, e->problem->Y + (base + w + i) * q, (size_t)q * sizeof(double));
        if (e->intercept)
            row[q] = 1;
    }
    e->filled = e->m = e->panel_end = e->panel = e->summed = 0;
    e->size = e->uu = 0;
    memset(e->uw, 0, (size_t)q * sizeof(double));
    memset(e->y, 0, (size_t)q * sizeof(double));
    memset(e->c, 0, (size_t)q * sizeof(double));
    memset(e->shift, 0, (size_t)q * sizeof(double));
}

/* ---- growth ----------------------------------------------------------------------------------- */

/* Rows first .. last - 1, which are not factored, become final up to column e->m. */
static void finish_rows(evaluation *e, int64_t first, int64_t last)
{
    int64_t middle = volt_min(volt_max(first, e->panel_end), last); /* rows before it are final up to panel */
    double begun = volt_seconds(), m = (double)e->m, panel = (double)e->panel;
    volt_cholesky_grow_rows(e->L, first, middle - first, e->panel, e->m, e->stage);
    volt_cholesky_grow_rows(e->L, middle, last - middle, 0, e->m, e->stage);
    account(e, begun, (double)(middle - first) * (m * m - panel * panel) + (double)(last - middle) * m * m);
}

/* Factor the first `to` rows. */
static volt_status grow(evaluation *e, int64_t to)
{
    VOLT_TRY(fill_gram(e, e->problem->washout + to));
    while (e->m < to) {
        int64_t from = e->m, next = volt_min(to, from + MOST_GROWTH), pivot = 0;
        finish_rows(e, from, next);
        double begun = volt_seconds(), size = (double)(next - from), q = (double)e->W.cols;
        volt_cholesky_grow_corner(e->L, from, next, e->stage, &pivot);
        if (pivot == 0 && volt_stage_goes_on(e->stage))
            volt_cholesky_grow_forward(e->L, from, next, e->W);
        account(e, begun, size * size * ((double)from + size / 3) + size * q * (2 * (double)from + size));
        if (!volt_stage_goes_on(e->stage))
            return cancelled();
        if (pivot)
            return volt_ridge_singular(pivot, to, e->alpha, (double)to * DBL_EPSILON * e->size);
        e->m = next;
    }
    return VOLT_OK;
}

/* Row t of the forward solves joins the sums behind the intercept. */
static void add_to_sums(evaluation *e, int64_t t)
{
    const double *row = e->W.data + t * e->W.ld;
    int64_t q = e->problem->q;
    const double *y = e->problem->Y + (e->base + e->problem->washout + t) * q;
    double u = row[q];
    e->uu += u * u;
    for (int64_t k = 0; k < q; k++) {
        e->uw[k] += u * row[k];
        e->y[k] += y[k];
    }
}

/* From the sums over the first `rows` rows. */
static void update_intercept(evaluation *e, int64_t rows)
{
    for (int64_t k = 0; k < e->problem->q; k++) {
        e->c[k] = e->uw[k] / e->uu;
        e->shift[k] = e->c[k] - (e->centred ? e->y[k] / (double)rows : 0);
    }
}

/* The sums over the first m rows, and the intercepts from them. */
static void take_intercept(evaluation *e)
{
    if (!e->intercept)
        return;
    for (; e->summed < e->m; e->summed++)
        add_to_sums(e, e->summed);
    update_intercept(e, e->m);
}

/* ---- forecasts of a block --------------------------------------------------------------------- */

/* D = W[:m] - u[:m] c. */
static volt_matrix readout(evaluation *e)
{
    int64_t q = e->problem->q;
    volt_matrix D = volt_matrix_of(e->space->D, e->m, q);
    for (int64_t i = 0; i < e->m; i++) {
        const double *row = e->W.data + i * e->W.ld;
        double u = e->intercept ? row[q] : 0;
        for (int64_t k = 0; k < q; k++)
            D.data[i * q + k] = row[k] - u * e->c[k];
    }
    return D;
}

static volt_status forecast_continued(evaluation *e, const volt_split *split, volt_matrix out)
{
    int64_t first = split->begin - e->base - e->problem->washout;
    VOLT_TRY(fill_gram(e, split->end - e->base));
    finish_rows(e, e->m, first + out.rows);
    e->panel_end = first + out.rows;
    e->panel = e->m;
    volt_matrix D = readout(e);
    volt_view rows = {e->L.data + first * e->L.ld, out.rows, e->m, e->L.ld};
    double begun = volt_seconds();
    volt_product(rows, volt_as_view(D), e->shift, out);
    account(e, begun, 2 * (double)out.rows * (double)e->m * (double)out.cols);
    return VOLT_OK;
}

/* The kernel of the block after a zero past against all training rows, washed out or not. */
static volt_status cross_gram(evaluation *e, const volt_split *split, volt_matrix K)
{
    volt_columns *columns = NULL;
    volt_past *past = NULL;
    volt_status status =
        volt_columns_create(&e->resolved, input_rows(e, split->train_begin, K.cols), e->stage, &columns);
    if (status == VOLT_OK)
        status = volt_past_create(&e->resolved, columns, K.rows, &past);
    if (status == VOLT_OK)
        volt_past_advance(past, input_rows(e, split->begin, K.rows), false, K, e->stage);
    volt_past_free(past);
    volt_columns_free(columns);
    return status;
}

static volt_status forecast_reset(evaluation *e, const volt_split *split, volt_matrix out)
{
    int64_t w = e->problem->washout, q = e->problem->q;
    volt_matrix A = readout(e);
    double begun = volt_seconds();
    volt_cholesky_leading_backward(e->L, A);
    account(e, begun, (double)e->m * (double)e->m * (double)q);

    /* K - common 11' was factored: what 1' A is not quite 0 by goes into the intercept. */
    double common = e->intercept ? e->resolved.common : 0;
    for (int64_t i = 0; common != 0 && i < e->m; i++)
        for (int64_t k = 0; k < q; k++)
            e->shift[k] -= common * A.data[i * q + k];

    volt_matrix K = volt_matrix_of(e->space->cross, out.rows, w + e->m);
    VOLT_TRY(cross_gram(e, split, K));
    volt_view kept = {K.data + w, out.rows, e->m, K.ld};
    begun = volt_seconds();
    volt_product(kept, volt_as_view(A), e->shift, out);
    account(e, begun, 2 * (double)out.rows * (double)e->m * (double)q);
    return VOLT_OK;
}

/* One step ahead, each row trained on all before it; the first `begin` rows only train. */
static void forecast_one_step(evaluation *e, int64_t begin, volt_matrix out)
{
    int64_t q = e->problem->q;
    const double *Y = e->problem->Y + (e->base + e->problem->washout) * q;
    for (int64_t t = e->summed; t < e->m; t++) {
        const double *row = e->W.data + t * e->W.ld;
        double pivot = e->L.data[t * e->L.ld + t], u = e->intercept ? row[q] : 0;
        if (t >= begin) {
            if (e->intercept)
                update_intercept(e, t);
            for (int64_t k = 0; k < q; k++) /* c and shift differ by what a centred kernel does not learn */
                out.data[(t - begin) * out.ld + k] =
                    Y[t * q + k] - pivot * (row[k] - u * e->c[k]) + (e->shift[k] - e->c[k]);
        }
        if (e->intercept)
            add_to_sums(e, t);
    }
    e->summed = e->m;
}

/* ---- scores ----------------------------------------------------------------------------------- */

static volt_status score_block(evaluation *e, const volt_split *split, volt_matrix forecast, double *score)
{
    const volt_problem *problem = e->problem;
    int64_t q = problem->q;
    volt_view truth = volt_view_of(problem->Y + split->begin * q, forecast.rows, q);
    double value = 0;
    if (problem->score == VOLT_SCORE_MSE)
        for (int64_t k = 0; k < q; k++) {
            volt_output output = volt_output_of(truth, volt_as_view(forecast), k);
            value += volt_output_error(&output, problem->target_scale[k]) / (double)q;
        }
    else
        value = volt_normalised_error(truth, volt_as_view(forecast));
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE,
                 "the forecasts for rows %" PRId64 " to %" PRId64 " are too large for a double",
                 split->begin + 1, split->end);
    *score = problem->score == VOLT_SCORE_R2 || problem->score == VOLT_SCORE_PREQUENTIAL ? 1 - value : value;
    return VOLT_OK;
}

static volt_status score_fold(evaluation *e, const volt_split *split, double *score)
{
    int64_t offset = e->base + e->problem->washout;
    volt_matrix out = volt_matrix_of(e->space->forecast, split->end - split->begin, e->problem->q);
    if (e->problem->score == VOLT_SCORE_PREQUENTIAL) {
        VOLT_TRY(grow(e, split->end - offset));
        forecast_one_step(e, split->begin - offset, out);
    } else {
        VOLT_TRY(grow(e, split->train_end - offset));
        take_intercept(e);
        VOLT_TRY(e->problem->start == VOLT_START_CONTINUE ? forecast_continued(e, split, out)
                                                          : forecast_reset(e, split, out));
        if (!volt_stage_goes_on(e->stage))
            return cancelled();
    }
    return score_block(e, split, out, score);
}

/* The Gaussian log marginal likelihood of all rows kept, in the units of the targets, with the variance of each
 * output profiled; with an intercept, whose prior is flat, the restricted one (docs/math.md). */
static volt_status log_score(evaluation *e, double *score)
{
    const double two_pi = 6.283185307179586476925286766559;
    VOLT_REQUIRE(!e->resolved.centred, VOLT_ERR_ARGUMENT,
                 "a centred Gram matrix is no covariance of a process: it has no log score");
    VOLT_TRY(grow(e, e->L.rows));
    take_intercept(e);
    volt_matrix D = readout(e);
    int64_t q = e->problem->q;
    double rows = (double)(e->intercept ? e->m - 1 : e->m), pivots = 0, sum = 0;
    memset(e->errors, 0, (size_t)q * sizeof *e->errors);
    for (int64_t t = 0; t < e->m; t++) {
        pivots += log(e->L.data[t * e->L.ld + t]);
        for (int64_t k = 0; k < q; k++)
            e->errors[k] += D.data[t * q + k] * D.data[t * q + k];
    }
    if (e->intercept)
        pivots += log(e->uu) / 2;
    for (int64_t k = 0; k < q; k++)
        sum -= rows * (log(two_pi * e->errors[k] / rows) / 2 + 0.5 + log(e->problem->target_scale[k])) + pivots;
    VOLT_REQUIRE(isfinite(sum), VOLT_ERR_NOT_FINITE, "the log score is not finite: a target is fitted exactly");
    *score = sum;
    return VOLT_OK;
}

/* ---- all folds -------------------------------------------------------------------------------- */

/* Rows that the folds from `first` on need which begin where that one does; *next is the fold after them. */
static int64_t group_rows(const volt_problem *problem, int64_t first, int64_t *next)
{
    int64_t base = problem->splits[first].train_begin, end = 0;
    for (*next = first; *next < problem->n_splits && problem->splits[*next].train_begin == base; ++*next) {
        const volt_split *split = &problem->splits[*next];
        end = problem->start == VOLT_START_RESET ? split->train_end : split->end;
    }
    return end - base;
}

static volt_status evaluate_all(evaluation *e, volt_goes_on_fn goes_on, void *context, double *folds,
                                int64_t *n_done)
{
    const volt_problem *problem = e->problem;
    if (problem->score == VOLT_SCORE_LOG) {
        begin_group(e, 0, problem->n);
        VOLT_TRY(log_score(e, &folds[0]));
        *n_done = 1;
        return VOLT_OK;
    }
    for (int64_t first = 0, next = 0; first < problem->n_splits; first = next) {
        int64_t rows = group_rows(problem, first, &next);
        begin_group(e, problem->splits[first].train_begin, rows);
        for (int64_t k = first; k < next; k++) {
            VOLT_TRY(score_fold(e, &problem->splits[k], &folds[k]));
            *n_done = k + 1;
            if (k + 1 < problem->n_splits && goes_on && !goes_on(folds, k + 1, context))
                return VOLT_OK;
        }
    }
    return VOLT_OK;
}

volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double alpha, volt_goes_on_fn goes_on, void *context, volt_stage *stage,
                          double *folds, int64_t *n_done, volt_cost *cost)
{
    int64_t q = problem->q;
    evaluation e = {
        .problem = problem,
        .space = workspace,
        .alpha = alpha,
        .stage = stage,
        .uw = workspace->numbers,
        .c = workspace->numbers + q,
        .y = workspace->numbers + 2 * q,
        .errors = workspace->numbers + 3 * q,
        .shift = workspace->numbers + 4 * q,
    };
    *n_done = 0;
    VOLT_TRY(volt_kernel_parse(kernel, &e.kernel));
    e.inputs = volt_kernel_keeps_origin(e.kernel) ? &problem->unshifted : &problem->shifted;
    volt_status status = volt_kernel_resolve(e.kernel, e.inputs->extent, problem->d, &e.resolved);
    e.intercept = problem->intercept || e.resolved.centred;
    e.centred = e.resolved.centred && !problem->intercept;
    if (status == VOLT_OK)
        status = evaluate_all(&e, goes_on, context, folds, n_done);
    forget_columns(&e);
    volt_kernel_free(e.kernel);
    *cost = e.cost;
    return status;
}
