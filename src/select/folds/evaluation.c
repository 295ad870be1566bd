/* src/select/folds/evaluation.c: one fold of a candidate: factors its training rows, or adds them to the
 * sums of states, then predicts and scores its block. */
#include "select/folds/evaluation.h"

#include "base/error.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"
#include "select/folds/cross_validation.h"
#include "select/folds/state_folds.h"

#include <string.h>

/* Rows of the scaled inputs, and as passed to the kernel in the current group. */
static volt_view scaled_rows(const volt_evaluation *e, int64_t first, int64_t count)
{
    int64_t d = e->width;
    return volt_view_of(e->inputs->Z + first * d, count, d);
}

static volt_view input_rows(const volt_evaluation *e, int64_t first, int64_t count)
{
    return volt_view_rows(e->sliced.rows, first - e->sliced_from, count);
}

volt_status volt_evaluation_slice(volt_evaluation *e, int64_t first)
{
    volt_sliced_rows_release(&e->sliced);
    e->sliced_from = first;
    return volt_sliced_rows_make(e->kernel, scaled_rows(e, first, e->problem->n - first), &e->problem->records,
                                 first, "the inputs", &e->sliced);
}

/* ---- Gram matrix ------------------------------------------------------------------------------ */

/* Extends the columns to the first `rows` rows of the group. */
static volt_status extend_columns(volt_evaluation *e, int64_t rows)
{
    if (!e->columns)
        return volt_columns_create(&e->resolved, input_rows(e, e->base, rows), e->stage, &e->columns);
    int64_t n_columns = e->columns->m;
    return volt_columns_append(&e->resolved, input_rows(e, e->base + n_columns, rows - n_columns), e->stage,
                               e->columns);
}

void volt_evaluation_discard_columns(volt_evaluation *e)
{
    volt_columns_free(e->columns);
    e->columns = NULL;
}

/* With cheap entries the whole triangle is computed at once, otherwise only as needed, since a candidate may
 * be stopped. */
volt_status volt_evaluation_fill(volt_evaluation *e, int64_t rows)
{
    if (rows <= e->factor->filled)
        return VOLT_OK;
    if (!volt_engine_is_expensive(&e->resolved, rows))
        rows = e->factor->K.rows;
    volt_operator *op = NULL;
    VOLT_TRY(extend_columns(e, rows));
    VOLT_TRY(volt_kernel_operator(&e->resolved, e->columns, input_rows(e, e->base, rows), true, &op));
    volt_status status = volt_factor_fill(e->factor, op);
    volt_operator_free(op);
    return status;
}

/* Runs the rows of a block, which are one or more new sequences, from a zero initial state. */
static volt_status advance_block(volt_evaluation *e, const volt_backend *backend, const volt_split *split,
                                 volt_view rows, volt_state *kernel_state, volt_matrix K)
{
    for (int64_t i = 0, end = 0; i < rows.rows; i = end) {
        end = volt_records_segment_end(&e->problem->records, split->begin + i, split->end) - split->begin;
        if (i > 0)
            volt_state_zero(kernel_state);
        VOLT_TRY(volt_state_advance_at(backend, kernel_state, volt_view_rows(rows, i, end - i), false, false,
                                       volt_matrix_rows(K, i, end - i), e->stage));
    }
    return VOLT_OK;
}

/* The rows of a block against any columns, on the back end. */
static volt_status block_gram(volt_evaluation *e, const volt_split *split, volt_view rows,
                              const volt_columns *columns, const volt_backend *backend, volt_matrix K)
{
    volt_state *kernel_state = NULL;
    VOLT_TRY(volt_state_create(&e->resolved, columns, K.rows, &kernel_state));
    volt_status status = advance_block(e, backend, split, rows, kernel_state, K);
    volt_state_free(kernel_state);
    return status;
}

/* Landmark features of the rows of a block. */
static volt_status block_features(volt_evaluation *e, const volt_split *split, volt_view rows, volt_matrix F)
{
    volt_records records = {0};
    VOLT_TRY(volt_records_from(&e->problem->records, split->begin, &records));
    volt_status status = volt_state_folds_other(e->states, rows, &records, F, e->stage);
    volt_records_release(&records);
    return status;
}

/* A block from a zero initial state against any columns, on the back end, or its landmark features. Nothing
 * is fed back to its first row. */
static volt_status fill_cross(volt_evaluation *e, const volt_split *split, const volt_columns *columns,
                              const volt_backend *backend, volt_matrix K)
{
    volt_sliced_rows block = {0};
    volt_feedback_inputs_slice(&e->fed_outputs, split->begin);
    volt_status status = volt_sliced_rows_make(e->kernel, scaled_rows(e, split->begin, K.rows),
                                               &e->problem->records, split->begin, "the inputs", &block);
    if (status == VOLT_OK)
        status = e->states && e->states->solver->needs.landmarks
                     ? block_features(e, split, block.rows, K)
                     : block_gram(e, split, block.rows, columns, backend, K);
    volt_feedback_inputs_join(&e->fed_outputs, split->begin);
    volt_sliced_rows_release(&block);
    return status;
}

/* The kernel of a block from a zero initial state against all training rows, washout included. */
static volt_status cross_gram(volt_evaluation *e, const volt_split *split, volt_matrix K)
{
    volt_columns *columns = NULL;
    VOLT_TRY(volt_columns_create(&e->resolved, input_rows(e, split->train_begin, K.cols), e->stage, &columns));
    volt_status status = fill_cross(e, split, columns, e->factor->backend, K);
    volt_columns_free(columns);
    return status;
}

/* ---- one fold --------------------------------------------------------------------------------- */

volt_status volt_evaluation_begin(volt_evaluation *e, int64_t base, int64_t rows)
{
    const volt_problem *problem = e->problem;
    int64_t w = problem->washout, q = problem->q, kept = rows - w;
    volt_matrix W = {e->space->W, kept, q, e->intercept ? q + 1 : q};
    volt_evaluation_discard_columns(e);
    volt_feedback_inputs_join(&e->fed_outputs, e->base);
    volt_feedback_inputs_slice(&e->fed_outputs, base);
    e->base = base;
    VOLT_TRY(volt_resolved_split(&e->resolved, &problem->records, base));
    if (base != e->sliced_from && volt_kernel_filters(e->kernel))
        VOLT_TRY(volt_evaluation_slice(e, base));
    if (e->states)
        return volt_state_folds_begin(e->states, base, input_rows(e, base, rows),
                                      e->intercept ? e->resolved.common : 0, e->stage);
    volt_factor_begin(e->factor, &(volt_factor_task){.rows = rows,
                                                     .washout = w,
                                                     .alpha = problem->loss ? 0 : e->alpha,
                                                     .common = e->intercept ? e->resolved.common : 0,
                                                     .centred = e->resolved.centred && !problem->intercept,
                                                     .Y = volt_problem_targets(problem, base + w, kept),
                                                     .without = volt_problem_without(problem, base + w),
                                                     .W = W,
                                                     .u = e->intercept ? W.data + q : NULL,
                                                     .ld_u = W.ld,
                                                     .steady = true,
                                                     .stage = e->stage});
    return VOLT_OK;
}

/* Factors the first `to` rows. */
static volt_status grow(volt_evaluation *e, int64_t to)
{
    VOLT_TRY(volt_evaluation_fill(e, e->problem->washout + to));
    return volt_factor_grow(e->factor, to);
}

/* Buffer for the readout or the coefficients of the factored rows. */
static volt_matrix readout_buffer(const volt_evaluation *e)
{
    return volt_matrix_of(e->space->D, e->factor->m, e->problem->q);
}

static volt_status forecast_continued(volt_evaluation *e, const volt_split *split, volt_matrix out)
{
    VOLT_TRY(volt_evaluation_fill(e, split->end - e->base));
    volt_factor_forecast(e->factor, split->begin - e->base - e->problem->washout, readout_buffer(e), out);
    return VOLT_OK;
}

static volt_status forecast_reset(volt_evaluation *e, const volt_split *split, volt_matrix out)
{
    int64_t w = e->problem->washout, m = e->factor->m;
    volt_matrix K = volt_matrix_of(e->space->cross, out.rows, w + m);
    VOLT_TRY(cross_gram(e, split, K));
    volt_view kept = {K.data + w, out.rows, m, K.ld};
    volt_factor_forecast_reset(e->factor, kept, readout_buffer(e), out);
    return VOLT_OK;
}

/* Whether the block is a free run with feedback. */
static bool runs_free(const volt_evaluation *e)
{
    return e->fed_outputs.omega > 0 && e->problem->simulates;
}

/* A free run through columns with these coefficients and intercepts. */
static volt_status run_free(volt_evaluation *e, const volt_split *split, volt_columns *columns,
                            const double *coefficients, const double *intercepts, volt_matrix out)
{
    int64_t from = volt_records_begin(&e->problem->records, split->begin);
    from =
        e->problem->start == VOLT_START_RESET ? split->begin : volt_min(volt_max(from, e->base), split->begin);
    volt_fold_run run = {.problem = e->problem,
                         .split = split,
                         .kernel = e->kernel,
                         .resolved = &e->resolved,
                         .columns = columns,
                         .coefficients = coefficients,
                         .intercepts = intercepts,
                         .fed_outputs = &e->fed_outputs,
                         .kernel_state = input_rows(e, from, split->begin - from),
                         .scaled = scaled_rows(e, from, split->begin - from),
                         .stage = e->stage};
    return volt_fold_simulate(&run, out);
}

/* Washout rows have zero coefficients. */
static volt_status forecast_simulated(volt_evaluation *e, const volt_split *split, volt_matrix out)
{
    int64_t w = e->problem->washout, m = e->factor->m, q = e->problem->q;
    volt_matrix A = volt_matrix_of(e->space->D, w + m, q);
    volt_columns *columns = NULL;
    memset(A.data, 0, (size_t)(w * q) * sizeof(double));
    volt_factor_reset_readout(e->factor, volt_matrix_rows(A, w, m));
    VOLT_TRY(volt_columns_create(&e->resolved, input_rows(e, e->base, w + m), e->stage, &columns));
    volt_status status = run_free(e, split, columns, A.data, e->factor->shift, out);
    volt_columns_free(columns);
    return status;
}

/* Predicts every row of the block from the rows before it, less the gap. */
static volt_status forecast_prequential(volt_evaluation *e, const volt_split *split, volt_matrix out)
{
    const volt_problem *problem = e->problem;
    int64_t q = problem->q, begin = split->begin - e->base - problem->washout;
    if (problem->gap == 0) {
        volt_factor_one_step(e->factor, begin, out);
        return VOLT_OK;
    }
    VOLT_REQUIRE(!e->resolved.centred || problem->intercept, VOLT_ERR_ARGUMENT,
                 "a centred Gram matrix without an intercept has no prequential score with a gap");
    VOLT_TRY(volt_factor_held_out(e->factor, problem->gap + 1, begin, e->intercept, 1, out));
    for (int64_t i = 0; i < out.rows; i++)
        for (int64_t k = 0; k < q; k++)
            out.data[i * out.ld + k] = problem->Y[(split->begin + i) * q + k] - out.data[i * out.ld + k];
    return VOLT_OK;
}

/* With the factor of the training rows. */
static volt_status forecast_by_rows(volt_evaluation *e, const volt_split *split, volt_matrix out)
{
    VOLT_TRY(grow(e, split->train_end - e->base - e->problem->washout));
    volt_factor_intercepts(e->factor);
    if (runs_free(e))
        return forecast_simulated(e, split, out);
    return e->problem->start == VOLT_START_CONTINUE ? forecast_continued(e, split, out)
                                                    : forecast_reset(e, split, out);
}

volt_status volt_evaluation_prepare_states(volt_evaluation *e, const volt_split *split, volt_view *F)
{
    volt_state_folds *states = e->states;
    int64_t w = e->problem->washout, to = split->train_end - e->base - w;
    int64_t before = states->m, count = split->end - split->begin;
    double begun = volt_seconds();
    VOLT_TRY(volt_state_folds_grow(states, to, volt_problem_targets(e->problem, e->base + w, to),
                                   volt_problem_without(e->problem, e->base + w), e->stage));
    volt_factor_account(e->factor, begun, volt_state_sums_add_flops(states->sums, (double)(to - before)));
    if (runs_free(e))
        return VOLT_OK;
    if (e->problem->start == VOLT_START_CONTINUE)
        return volt_state_folds_rows(states, split->begin - e->base, split->end - e->base, e->stage, F);
    volt_matrix cross = volt_matrix_of(states->cross, count, states->F.cols);
    *F = volt_as_view(cross);
    return fill_cross(e, split, states->columns, &volt_cpu_backend, cross);
}

/* Predicts the block from its states with this alpha. */
static volt_status forecast_from_states(volt_evaluation *e, const volt_split *split, double alpha, volt_view F,
                                        volt_matrix out)
{
    volt_state_sums *sums = e->states->sums;
    double begun = volt_seconds();
    VOLT_TRY(volt_state_sums_solve(sums, alpha, e->intercept, NULL));
    volt_factor_account(e->factor, begun, volt_state_sums_solve_flops(sums));
    if (runs_free(e)) {
        const double *coefficients, *intercepts;
        volt_state_folds_readout(e->states, &coefficients, &intercepts);
        return run_free(e, split, e->states->columns, coefficients, intercepts, out);
    }
    volt_state_folds_forecast(e->states, F, out);
    return VOLT_OK;
}

static volt_matrix forecast_buffer(const volt_evaluation *e, const volt_split *split)
{
    return volt_matrix_of(e->space->forecast, split->end - split->begin, e->problem->q);
}

static volt_status score_forecast(const volt_evaluation *e, const volt_split *split, volt_matrix out,
                                  double *score)
{
    if (!volt_stage_should_continue(e->stage))
        return volt_stage_end(e->stage);
    return volt_block_score(e->problem, split, volt_as_view(out), score);
}

volt_status volt_evaluation_score_states(volt_evaluation *e, const volt_split *split, double alpha, volt_view F,
                                         double *score)
{
    volt_matrix out = forecast_buffer(e, split);
    VOLT_TRY(forecast_from_states(e, split, alpha, F, out));
    return score_forecast(e, split, out, score);
}

/* With a loss, folds share only the rows of the Gram matrix. */
static volt_status score_loss(volt_evaluation *e, const volt_split *split, double *score)
{
    const volt_problem *problem = e->problem;
    int64_t w = problem->washout, m = split->train_end - e->base - w, rows = split->end - split->begin;
    double flops = 0, begun = volt_seconds();
    volt_view L = volt_as_view(e->factor->L);
    volt_loss_part part = {.split = split,
                           .K = {L.data, m, m, L.ld},
                           .first = e->base + w,
                           .alpha = e->alpha,
                           .intercept = e->intercept,
                           .centred = e->resolved.centred && !problem->intercept,
                           .stage = e->stage};
    if (problem->start == VOLT_START_CONTINUE) {
        VOLT_TRY(volt_evaluation_fill(e, split->end - e->base));
        part.cross = (volt_view){L.data + (split->begin - e->base - w) * L.ld, rows, m, L.ld};
    } else {
        volt_matrix cross = volt_matrix_of(e->space->cross, rows, w + m);
        VOLT_TRY(volt_evaluation_fill(e, split->train_end - e->base));
        VOLT_TRY(cross_gram(e, split, cross));
        part.cross = (volt_view){cross.data + w, rows, m, cross.ld};
        part.common = e->intercept ? e->resolved.common : 0;
    }
    VOLT_TRY(volt_fold_loss_score(problem, e->space, &part, score, &flops));
    volt_factor_account(e->factor, begun, flops);
    return VOLT_OK;
}

volt_status volt_evaluation_score(volt_evaluation *e, const volt_split *split, double *score)
{
    if (e->problem->loss)
        return score_loss(e, split, score);
    volt_matrix out = forecast_buffer(e, split);
    if (e->states) {
        volt_view F = {0};
        VOLT_TRY(volt_evaluation_prepare_states(e, split, &F));
        return volt_evaluation_score_states(e, split, e->alpha, F, score);
    }
    if (e->problem->score == VOLT_SCORE_PREQUENTIAL) {
        VOLT_TRY(grow(e, split->end - e->base - e->problem->washout));
        VOLT_TRY(forecast_prequential(e, split, out));
    } else {
        VOLT_TRY(forecast_by_rows(e, split, out));
    }
    return score_forecast(e, split, out, score);
}

/* Leave-one-out predictions, or generalised cross-validation. */
static volt_status loo_score(volt_evaluation *e, double *score)
{
    const volt_problem *problem = e->problem;
    volt_split all = {.begin = problem->washout, .end = problem->n};
    volt_matrix out = readout_buffer(e);
    double *gcv = e->factor->squares; /* buffer for q numbers, not read by volt_factor_loo for errors */
    VOLT_TRY(volt_factor_precisions(e->factor, e->space->precisions));
    volt_factor_coefficients(e->factor, out);
    volt_factor_loo(e->factor, e->space->precisions, out, volt_matrix_of(NULL, 0, 0), gcv);
    if (problem->score == VOLT_SCORE_GCV)
        return volt_gcv_score(problem, gcv, score);
    for (int64_t i = 0; i < out.rows * out.cols; i++)
        out.data[i] = problem->Y[all.begin * problem->q + i] - out.data[i];
    return volt_block_score(problem, &all, volt_as_view(out), score);
}

volt_status volt_evaluation_score_loo(volt_evaluation *e, double *alphas, int64_t *count, volt_status *status,
                                      double *scores)
{
    const volt_problem *problem = e->problem;
    int64_t w = problem->washout, kept = problem->n - w;
    volt_view Y = volt_view_of(problem->Y + w * problem->q, kept, problem->q);
    double begun = volt_seconds();
    VOLT_TRY(volt_state_folds_grow(e->states, kept, Y, NULL, e->stage));
    if (*count == 0)
        VOLT_TRY(volt_state_folds_grid(e->states, problem->n, e->space->diagonal, alphas, count, e->stage));
    VOLT_TRY(volt_state_loo(e->states, Y, alphas, *count, e->intercept, e->stage, status, scores));
    double sums = volt_state_sums_add_flops(e->states->sums, (double)kept),
           systems = volt_state_sums_solve_flops(e->states->sums);
    volt_factor_account(e->factor, begun, sums + (double)*count * (systems + sums));
    return VOLT_OK;
}

volt_status volt_evaluation_score_all(volt_evaluation *e, double *score)
{
    if (e->states) {
        int64_t one = 1;
        volt_status status = VOLT_OK;
        VOLT_TRY(volt_evaluation_score_loo(e, &e->alpha, &one, &status, score));
        return status;
    }
    VOLT_TRY(grow(e, e->factor->L.rows));
    volt_factor_intercepts(e->factor);
    if (e->problem->score != VOLT_SCORE_LOG)
        return loo_score(e, score);
    return volt_factor_log_score(e->factor, e->problem->target_scale, score);
}
