/* src/select/folds/cross_validation.c: all validation blocks of a candidate from one factorisation.
 *
 * Training parts that begin at the same row are leading blocks of one another: one factor (solve/factor.h) grows from
 * block to block and forecasts each from the rows before it, and a candidate that is given up early has cost
 * little. Training parts that begin elsewhere (rolling ones) are groups of their own.
 *
 * An alpha that is not given is profiled: the same Gram matrix is factored with every alpha of a grid, and the best mean
 * score counts. Where an entry of the matrix costs much that is cheaper than to draw alpha with the rest. */
#include "select/folds/cross_validation.h"

#include "base/error.h"
#include "base/numbers.h"
#include "kernel/engine/engine.h"
#include "kernel/sliced_rows.h"
#include "select/folds/block_score.h"
#include "select/folds/simulate.h"
#include "solve/choice.h"

#include <string.h>

/* One candidate. */
typedef struct evaluation {
    const volt_problem *problem;
    volt_workspace *space;
    volt_factor *factor; /* of the group of folds at hand: training parts that begin at row ... */
    int64_t base;        /* ... this one; rows of the factor count from base + washout */
    volt_columns *columns;
    volt_kernel *kernel;
    volt_resolved resolved;
    const volt_scaled_inputs *inputs;
    int64_t width;           /* columns of them */
    volt_fed_inputs fed;     /* they are these where outputs come back; else there are none */
    volt_sliced_rows sliced; /* the inputs as the kernel sees them, after a zero past before row ... */
    int64_t sliced_from;     /* ... this one: where the group begins, if there are filters */
    double alpha;
    bool intercept; /* the readout has one: asked for, or because the Gram matrix is centred */
    volt_stage *stage;
} evaluation;

/* Rows of the inputs as they are, and as the kernel sees them in the group at hand. */
static volt_view scaled_rows(const evaluation *e, int64_t first, int64_t count)
{
    int64_t d = e->width;
    return volt_view_of(e->inputs->Z + first * d, count, d);
}

static volt_view input_rows(const evaluation *e, int64_t first, int64_t count)
{
    return volt_view_rows(e->sliced.rows, first - e->sliced_from, count);
}

/* Filter the rows from `first` on, after a zero past. */
static volt_status slice_rows(evaluation *e, int64_t first)
{
    volt_sliced_rows_release(&e->sliced);
    e->sliced_from = first;
    return volt_sliced_rows_make(e->kernel, scaled_rows(e, first, e->problem->n - first), &e->problem->records,
                                 first, "the inputs", &e->sliced);
}

/* ---- Gram matrix ------------------------------------------------------------------------------ */

/* The columns of the first `rows` rows of the group: those that are there, and more after them. */
static volt_status extend_columns(evaluation *e, int64_t rows)
{
    if (!e->columns)
        return volt_columns_create(&e->resolved, input_rows(e, e->base, rows), e->stage, &e->columns);
    int64_t there = e->columns->m;
    return volt_columns_append(&e->resolved, input_rows(e, e->base + there, rows - there), e->stage,
                               e->columns);
}

static void forget_columns(evaluation *e)
{
    volt_columns_free(e->columns);
    e->columns = NULL;
}

/* Rows of K up to `rows` at least, washout included. Where entries are cheap the whole triangle is computed at once,
 * otherwise no further than it is needed: a candidate may be given up. */
static volt_status fill_gram(evaluation *e, int64_t rows)
{
    if (rows <= e->factor->filled)
        return VOLT_OK;
    if (!volt_engine_is_dear(&e->resolved, rows))
        rows = e->factor->K.rows;
    volt_operator *op = NULL;
    VOLT_TRY(extend_columns(e, rows));
    VOLT_TRY(volt_kernel_operator(&e->resolved, e->columns, input_rows(e, e->base, rows), true, &op));
    volt_status status = volt_factor_fill(e->factor, op);
    volt_operator_free(op);
    return status;
}

/* The rows of a block, which is a new sequence or several, through a past that has seen none. */
static volt_status advance_block(evaluation *e, const volt_split *split, volt_view rows, volt_past *past,
                                 volt_matrix K)
{
    for (int64_t i = 0, end = 0; i < rows.rows; i = end) {
        end = volt_records_stretch(&e->problem->records, split->begin + i, split->end) - split->begin;
        if (i > 0)
            volt_past_zero(past);
        VOLT_TRY(volt_past_advance_at(e->factor->backend, past, volt_view_rows(rows, i, end - i), false, false,
                                      volt_matrix_rows(K, i, end - i), e->stage));
    }
    return VOLT_OK;
}

/* The kernel of a block after a zero past against all training rows, washed out or not. */
static volt_status fill_cross(evaluation *e, const volt_split *split, volt_matrix K)
{
    volt_columns *columns = NULL;
    volt_past *past = NULL;
    volt_sliced_rows block = {0};
    volt_status status = volt_sliced_rows_make(e->kernel, scaled_rows(e, split->begin, K.rows),
                                               &e->problem->records, split->begin, "the inputs", &block);
    if (status == VOLT_OK)
        status =
            volt_columns_create(&e->resolved, input_rows(e, split->train_begin, K.cols), e->stage, &columns);
    if (status == VOLT_OK)
        status = volt_past_create(&e->resolved, columns, K.rows, &past);
    if (status == VOLT_OK)
        status = advance_block(e, split, block.rows, past, K);
    volt_past_free(past);
    volt_columns_free(columns);
    volt_sliced_rows_release(&block);
    return status;
}

/* Nothing comes back before the first row of a block that is a new sequence. */
static volt_status cross_gram(evaluation *e, const volt_split *split, volt_matrix K)
{
    volt_fed_inputs_cut(&e->fed, split->begin);
    volt_status status = fill_cross(e, split, K);
    volt_fed_inputs_join(&e->fed, split->begin);
    return status;
}

/* ---- one fold --------------------------------------------------------------------------------- */

/* Begin the group of training parts from row `base` on, of which `rows` rows are needed. */
static volt_status begin_group(evaluation *e, int64_t base, int64_t rows)
{
    const volt_problem *problem = e->problem;
    int64_t w = problem->washout, q = problem->q, kept = rows - w;
    volt_matrix W = {e->space->W, kept, q, e->intercept ? q + 1 : q};
    forget_columns(e);
    volt_fed_inputs_join(&e->fed, e->base);
    volt_fed_inputs_cut(&e->fed, base);
    e->base = base;
    VOLT_TRY(volt_resolved_split(&e->resolved, &problem->records, base));
    if (base != e->sliced_from && volt_kernel_filters(e->kernel))
        VOLT_TRY(slice_rows(e, base));
    volt_factor_begin(e->factor, &(volt_factor_task){.rows = rows,
                                                     .washout = w,
                                                     .alpha = e->alpha,
                                                     .common = e->intercept ? e->resolved.common : 0,
                                                     .centred = e->resolved.centred && !problem->intercept,
                                                     .Y = volt_view_of(problem->Y + (base + w) * q, kept, q),
                                                     .W = W,
                                                     .u = e->intercept ? W.data + q : NULL,
                                                     .ld_u = W.ld,
                                                     .steady = true,
                                                     .stage = e->stage});
    return VOLT_OK;
}

/* Factor the first `to` rows. */
static volt_status grow(evaluation *e, int64_t to)
{
    VOLT_TRY(fill_gram(e, e->problem->washout + to));
    return volt_factor_grow(e->factor, to);
}

/* Room for the readout or the coefficients of the rows that are factored. */
static volt_matrix readout_room(const evaluation *e)
{
    return volt_matrix_of(e->space->D, e->factor->m, e->problem->q);
}

static volt_status forecast_continued(evaluation *e, const volt_split *split, volt_matrix out)
{
    VOLT_TRY(fill_gram(e, split->end - e->base));
    volt_factor_forecast(e->factor, split->begin - e->base - e->problem->washout, readout_room(e), out);
    return VOLT_OK;
}

static volt_status forecast_reset(evaluation *e, const volt_split *split, volt_matrix out)
{
    int64_t w = e->problem->washout, m = e->factor->m;
    volt_matrix K = volt_matrix_of(e->space->cross, out.rows, w + m);
    VOLT_TRY(cross_gram(e, split, K));
    volt_view kept = {K.data + w, out.rows, m, K.ld};
    volt_factor_forecast_reset(e->factor, kept, readout_room(e), out);
    return VOLT_OK;
}

/* Outputs come back, and the block runs free. */
static volt_status forecast_simulated(evaluation *e, const volt_split *split, volt_matrix out)
{
    int64_t rows = e->problem->washout + e->factor->m,
            from = volt_records_begin(&e->problem->records, split->begin);
    from =
        e->problem->start == VOLT_START_RESET ? split->begin : volt_min(volt_max(from, e->base), split->begin);
    volt_fold_run run = {.problem = e->problem,
                         .split = split,
                         .kernel = e->kernel,
                         .resolved = &e->resolved,
                         .factor = e->factor,
                         .fed = &e->fed,
                         .past = input_rows(e, from, split->begin - from),
                         .scaled = scaled_rows(e, from, split->begin - from),
                         .stage = e->stage};
    VOLT_TRY(volt_columns_create(&e->resolved, input_rows(e, e->base, rows), e->stage, &run.columns));
    volt_status status = volt_fold_simulate(&run, out);
    volt_columns_free(run.columns);
    return status;
}

/* Every row of the block from the rows before it, less the gap. */
static volt_status forecast_prequential(evaluation *e, const volt_split *split, volt_matrix out)
{
    const volt_problem *problem = e->problem;
    int64_t q = problem->q, begin = split->begin - e->base - problem->washout;
    if (problem->gap == 0) {
        volt_factor_one_step(e->factor, begin, out);
        return VOLT_OK;
    }
    VOLT_REQUIRE(!e->resolved.centred || problem->intercept, VOLT_ERR_ARGUMENT,
                 "a centred Gram matrix without an intercept has no prequential score with a gap");
    VOLT_TRY(volt_factor_held_out(e->factor, problem->gap + 1, begin, e->intercept, false, out));
    for (int64_t i = 0; i < out.rows; i++)
        for (int64_t k = 0; k < q; k++)
            out.data[i * out.ld + k] = problem->Y[(split->begin + i) * q + k] - out.data[i * out.ld + k];
    return VOLT_OK;
}

static volt_status score_fold(evaluation *e, const volt_split *split, double *score)
{
    int64_t offset = e->base + e->problem->washout;
    volt_matrix out = volt_matrix_of(e->space->forecast, split->end - split->begin, e->problem->q);
    if (e->problem->score == VOLT_SCORE_PREQUENTIAL) {
        VOLT_TRY(grow(e, split->end - offset));
        VOLT_TRY(forecast_prequential(e, split, out));
    } else {
        VOLT_TRY(grow(e, split->train_end - offset));
        volt_factor_intercepts(e->factor);
        if (e->fed.omega > 0 && e->problem->simulates)
            VOLT_TRY(forecast_simulated(e, split, out));
        else
            VOLT_TRY(e->problem->start == VOLT_START_CONTINUE ? forecast_continued(e, split, out)
                                                              : forecast_reset(e, split, out));
        if (!volt_stage_goes_on(e->stage))
            return volt_stage_end(e->stage);
    }
    return volt_block_score(e->problem, split, volt_as_view(out), score);
}

/* Rows left out one by one: their forecasts, or generalised cross-validation. */
static volt_status left_out_score(evaluation *e, double *score)
{
    const volt_problem *problem = e->problem;
    volt_split all = {.begin = problem->washout, .end = problem->n};
    volt_matrix out = readout_room(e);
    double *gcv =
        e->factor->squares; /* room for q numbers, which volt_factor_left_out does not read for errors */
    VOLT_TRY(volt_factor_precisions(e->factor, e->space->precisions));
    volt_factor_coefficients(e->factor, out);
    volt_factor_left_out(e->factor, e->space->precisions, out, volt_matrix_of(NULL, 0, 0), gcv);
    if (problem->score == VOLT_SCORE_GCV)
        return volt_gcv_score(problem, gcv, score);
    for (int64_t i = 0; i < out.rows * out.cols; i++)
        out.data[i] = problem->Y[all.begin * problem->q + i] - out.data[i];
    return volt_block_score(problem, &all, volt_as_view(out), score);
}

/* Over all rows, which are one group. */
static volt_status score_all_rows(evaluation *e, double *score)
{
    VOLT_TRY(grow(e, e->factor->L.rows));
    volt_factor_intercepts(e->factor);
    if (e->problem->score != VOLT_SCORE_LOG)
        return left_out_score(e, score);
    return volt_factor_log_score(e->factor, e->problem->target_scale, score);
}

/* ---- groups of folds -------------------------------------------------------------------------- */

/* Scores whose training parts begin at the same row: first .. next - 1. */
typedef struct group {
    int64_t first, next;
    int64_t rows; /* that they need */
} group;

/* The group that begins with score `first`. */
static group group_at(const volt_problem *problem, int64_t first)
{
    if (volt_score_is_of_all_rows(problem->score))
        return (group){.first = 0, .next = 1, .rows = problem->n};
    int64_t base = problem->splits[first].train_begin, next = first, end = 0;
    for (; next < problem->n_splits && problem->splits[next].train_begin == base; next++) {
        const volt_split *split = &problem->splits[next];
        end = problem->start == VOLT_START_RESET ? split->train_end : split->end;
    }
    return (group){.first = first, .next = next, .rows = end - base};
}

static volt_status begin(evaluation *e, const group *folds)
{
    bool all = volt_score_is_of_all_rows(e->problem->score);
    return begin_group(e, all ? 0 : e->problem->splits[folds->first].train_begin, folds->rows);
}

static volt_status score_at(evaluation *e, int64_t k, double *score)
{
    volt_status status = volt_score_is_of_all_rows(e->problem->score)
                             ? score_all_rows(e, score)
                             : score_fold(e, &e->problem->splits[k], score);
    VOLT_TRY(volt_backend_state(e->factor->backend)); /* whatever came of numbers from a device that was lost */
    return status;
}

/* ---- all folds, alpha given ------------------------------------------------------------------- */

static volt_status evaluate_all(evaluation *e, volt_goes_on_fn goes_on, void *context, double *folds,
                                int64_t *n_done)
{
    int64_t count = e->problem->folds;
    for (group at = {0}; at.next < count;) {
        at = group_at(e->problem, at.next);
        VOLT_TRY(begin(e, &at));
        for (int64_t k = at.first; k < at.next; k++) {
            VOLT_TRY(score_at(e, k, &folds[k]));
            *n_done = k + 1;
            if (k + 1 < count && goes_on && !goes_on(folds, k + 1, context))
                return VOLT_OK;
        }
    }
    return VOLT_OK;
}

/* ---- all folds, alpha profiled ---------------------------------------------------------------- */

typedef struct profile {
    double alphas[VOLT_CHOICE_ALPHAS];
    bool failed[VOLT_CHOICE_ALPHAS];
    int64_t count;
    volt_status status; /* of the last that failed, whose sentence stands */
} profile;

/* All alphas on the folds of a group, of which the Gram matrix is computed once. */
static volt_status profile_group(evaluation *e, const group *at, profile *p)
{
    double *diagonal = e->space->diagonal;
    e->alpha = 0;
    VOLT_TRY(begin(e, at));
    VOLT_TRY(fill_gram(e, at->rows));
    volt_factor_task task = e->factor->task;
    volt_factor_keep(e->factor, 0, diagonal);
    if (at->first == 0)
        p->count = volt_choice_grid(diagonal, e->factor->L.rows, e->factor->L.rows, p->alphas);
    bool is_whole = true;
    for (int64_t a = 0; a < p->count; a++) {
        double *scores = e->space->profile + a * e->problem->folds;
        volt_status status = VOLT_OK;
        if (p->failed[a])
            continue;
        if (!is_whole)
            volt_factor_restore(e->factor, 0);
        is_whole = false;
        volt_factor_restart(e->factor, &task, 0, p->alphas[a], diagonal);
        for (int64_t k = at->first; k < at->next && status == VOLT_OK; k++)
            status = score_at(e, k, &scores[k]);
        p->failed[a] = status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE;
        if (p->failed[a])
            p->status = status;
        else if (status != VOLT_OK)
            return status;
    }
    return VOLT_OK;
}

/* The alpha with the best mean; -1: all failed. */
static int64_t best_of(const profile *p, const volt_problem *problem, const double *scores)
{
    int64_t best = -1, folds = problem->folds;
    double highest = 0;
    for (int64_t a = 0; a < p->count; a++) {
        double mean = 0;
        for (int64_t k = 0; k < folds; k++)
            mean += volt_score_sign(problem->score) * scores[a * folds + k] / (double)folds;
        if (p->failed[a] || (best >= 0 && !(mean > highest)))
            continue;
        best = a;
        highest = mean;
    }
    return best;
}

static volt_status profile_alpha(evaluation *e, double *alpha, double *folds, int64_t *n_done)
{
    const volt_problem *problem = e->problem;
    profile p = {.status = VOLT_OK};
    for (group at = {0}; at.next < problem->folds;) {
        at = group_at(problem, at.next);
        VOLT_TRY(profile_group(e, &at, &p));
    }
    VOLT_REQUIRE(p.count > 0, VOLT_ERR_DATA,
                 "the diagonal of the Gram matrix is 0 or not finite: there is no alpha of its size");
    int64_t best = best_of(&p, problem, e->space->profile);
    if (best < 0)
        return p.status;
    *alpha = p.alphas[best];
    *n_done = problem->folds;
    memcpy(folds, e->space->profile + best * problem->folds, (size_t)problem->folds * sizeof *folds);
    return VOLT_OK;
}

volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double *alpha, double feedback, volt_goes_on_fn goes_on, void *context,
                          volt_stage *stage, double *folds, int64_t *n_done, volt_cost *cost)
{
    evaluation e = {.problem = problem,
                    .space = workspace,
                    .factor = workspace->factor,
                    .alpha = *alpha,
                    .width = problem->d,
                    .stage = stage};
    *n_done = 0;
    e.factor->cost = (volt_cost){0};
    VOLT_TRY(volt_kernel_parse(kernel, &e.kernel));
    e.inputs = volt_kernel_keeps_origin(e.kernel) ? &problem->unshifted : &problem->shifted;
    volt_status status = VOLT_OK;
    if (feedback > 0) {
        status = volt_fed_inputs_make(problem, e.inputs, feedback, &e.fed);
        e.inputs = &e.fed.all;
        e.width += problem->q;
    }
    if (status == VOLT_OK)
        status = slice_rows(&e, 0);
    if (status == VOLT_OK)
        status = volt_kernel_resolve_slices(e.kernel, e.sliced.extents, e.width, &e.resolved);
    e.intercept = problem->intercept || e.resolved.centred;
    if (status == VOLT_OK && volt_score_is_of_all_rows(problem->score) && e.resolved.centred)
        status = volt_fail(VOLT_ERR_ARGUMENT,
                           "a centred Gram matrix is no covariance of a process: it has no %s score",
                           volt_score_name(problem->score));
    if (status == VOLT_OK)
        status = *alpha > 0 ? evaluate_all(&e, goes_on, context, folds, n_done)
                            : profile_alpha(&e, alpha, folds, n_done);
    forget_columns(&e);
    volt_resolved_release(&e.resolved);
    volt_sliced_rows_release(&e.sliced);
    volt_fed_inputs_release(&e.fed);
    volt_kernel_free(e.kernel);
    *cost = e.factor->cost;
    return status;
}
