/* src/select/folds/evaluation.c: one fold of a candidate: factors its training rows, or adds them to the
 * sums of states, then predicts and scores its block.
 *
 * Folds whose training parts start at the same row form a group. Begin the group, then score its folds in
 * time order. */
#include "kernel/kernel_entry.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"
#include "model/recipe.h"
#include "select/folds/cross_validation.h"
#include "select/folds/state_folds.h"
#include "solve/choice/choice.h"
#include "solve/loss/loss_solve.h"
#include "stats/stats_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct volt_evaluation {
    const volt_problem *problem;
    volt_workspace *space;
    volt_factor *factor; /* of the current group: training parts that start at row `base` */
    int64_t base;        /* rows of the factor count from base + washout */
    volt_columns *columns;
    /* replaces factor and columns if the candidate is evaluated in its states */
    volt_state_folds *states;
    volt_kernel *kernel;
    volt_resolved resolved;
    const volt_scaled_inputs *inputs;
    int64_t width;                    /* number of input columns */
    volt_feedback_inputs fed_outputs; /* inputs with fed-back outputs; else empty */
    volt_sliced_rows sliced; /* the inputs as passed to the kernel, from a zero initial state before row
                              * `sliced_from` */
    int64_t sliced_from;     /* start of the group, if there are filters */
    double alpha;
    bool intercept; /* requested, or implied by a centred Gram matrix */
    volt_stage *stage;
} volt_evaluation;

/* ---- scores of a validation block -------------------------------------------------------------------- */

double volt_score_sign(volt_score score)
{
    return score == VOLT_SCORE_NMSE || score == VOLT_SCORE_MSE || score == VOLT_SCORE_LOO ||
                   score == VOLT_SCORE_GCV || score == VOLT_SCORE_LOSS
               ? -1
               : 1;
}

const char *volt_score_name(volt_score score)
{
    static const char *const names[] = {"r2", "nmse", "mse", "prequential", "log", "loo", "gcv", "loss"};
    return names[score];
}

bool volt_score_is_of_all_rows(volt_score score)
{
    return score == VOLT_SCORE_LOG || score == VOLT_SCORE_LOO || score == VOLT_SCORE_GCV;
}

/* Copies the rows of the block (rows x q) that are not in the washout of a record. */
static volt_view copy_scored(const volt_problem *problem, const volt_split *split, volt_view rows, double *to)
{
    int64_t count = 0, q = problem->q;
    for (int64_t i = 0; i < rows.rows; i++)
        if (!problem->without[split->begin + i])
            memcpy(to + count++ * q, rows.data + i * rows.ld, (size_t)q * sizeof *to);
    return volt_view_of(to, count, q);
}

static volt_status score_rows(const volt_problem *problem, const volt_split *split, volt_view truth,
                              volt_view levels, volt_view forecast, double *score)
{
    int64_t q = problem->q;
    double value = 0;
    for (int64_t k = 0; levels.data && problem->score != VOLT_SCORE_MSE && k < q; k++) {
        volt_output output = volt_output_of(truth, forecast, k), level = volt_output_of(levels, levels, k);
        value += volt_output_nmse_of_levels(&output, &level) / (double)q;
    }
    if (problem->score == VOLT_SCORE_MSE)
        for (int64_t k = 0; k < q; k++) {
            volt_output output = volt_output_of(truth, forecast, k);
            value += volt_output_error(&output, problem->target_scale[k]) / (double)q;
        }
    else if (!levels.data)
        value = volt_normalised_error(truth, forecast);
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE,
                 "the forecasts for rows %" PRId64 " to %" PRId64 " are too large for a double",
                 split->begin + 1, split->end);
    *score = problem->score == VOLT_SCORE_R2 || problem->score == VOLT_SCORE_PREQUENTIAL ? 1 - value : value;
    return VOLT_OK;
}

volt_status volt_block_score(const volt_problem *problem, const volt_split *split, volt_view forecast,
                             double *score)
{
    int64_t q = problem->q, size = forecast.rows * q;
    volt_view truth = volt_view_of(problem->Y + split->begin * q, forecast.rows, q), levels = {0};
    if (problem->levels)
        levels = volt_view_of(problem->levels + split->begin * q, forecast.rows, q);
    if (!problem->without)
        return score_rows(problem, split, truth, levels, forecast, score);
    double *rows = volt_alloc_doubles(3, size);
    if (!rows)
        return VOLT_ERR_MEMORY;
    if (levels.data)
        levels = copy_scored(problem, split, levels, rows + 2 * size);
    volt_status status = score_rows(problem, split, copy_scored(problem, split, truth, rows), levels,
                                    copy_scored(problem, split, forecast, rows + size), score);
    volt_free(rows);
    return status;
}

/* Population variance. */
static double variance(volt_view Y, int64_t k)
{
    double mean = 0, sum = 0, n = (double)Y.rows;
    for (int64_t i = 0; i < Y.rows; i++)
        mean += Y.data[i * Y.ld + k] / n;
    for (int64_t i = 0; i < Y.rows; i++)
        sum += (Y.data[i * Y.ld + k] - mean) * (Y.data[i * Y.ld + k] - mean);
    return sum / n;
}

volt_status volt_gcv_score(const volt_problem *problem, const double *gcv, double *score)
{
    int64_t q = problem->q, first = problem->washout;
    volt_view truth =
        volt_view_of((problem->levels ? problem->levels : problem->Y) + first * q, problem->n - first, q);
    double value = 0;
    for (int64_t k = 0; k < q; k++)
        value += gcv[k] / variance(truth, k) / (double)q;
    VOLT_REQUIRE(isfinite(value), VOLT_ERR_NOT_FINITE,
                 "generalised cross-validation is not finite: a target is constant, or fitted exactly");
    *score = value;
    return VOLT_OK;
}

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

/* Filters the rows from `first` on, from a zero initial state. */
static volt_status evaluation_slice(volt_evaluation *e, int64_t first)
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

static void evaluation_discard_columns(volt_evaluation *e)
{
    volt_columns_free(e->columns);
    e->columns = NULL;
}

/* Computes rows of K up to at least `rows`, washout included. */
/* With cheap entries the whole triangle is computed at once, otherwise only as needed, since a candidate may
 * be stopped. */
static volt_status evaluation_fill(volt_evaluation *e, int64_t rows)
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

/* Begins the group of training parts from row `base` on, of which `rows` rows are required. */
static volt_status evaluation_begin(volt_evaluation *e, int64_t base, int64_t rows)
{
    const volt_problem *problem = e->problem;
    int64_t w = problem->washout, q = problem->q, kept = rows - w;
    volt_matrix W = {e->space->W, kept, q, e->intercept ? q + 1 : q};
    evaluation_discard_columns(e);
    volt_feedback_inputs_join(&e->fed_outputs, e->base);
    volt_feedback_inputs_slice(&e->fed_outputs, base);
    e->base = base;
    VOLT_TRY(volt_resolved_split(&e->resolved, &problem->records, base));
    if (base != e->sliced_from && volt_kernel_filters(e->kernel))
        VOLT_TRY(evaluation_slice(e, base));
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
    VOLT_TRY(evaluation_fill(e, e->problem->washout + to));
    return volt_factor_grow(e->factor, to);
}

/* Buffer for the readout or the coefficients of the factored rows. */
static volt_matrix readout_buffer(const volt_evaluation *e)
{
    return volt_matrix_of(e->space->D, e->factor->m, e->problem->q);
}

static volt_status forecast_continued(volt_evaluation *e, const volt_split *split, volt_matrix out)
{
    VOLT_TRY(evaluation_fill(e, split->end - e->base));
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

/* The first in two steps, in states: adds the training rows to the sums and sets *F to the states of the
 * block (none for a free run), then scores any alpha. */
static volt_status evaluation_prepare_states(volt_evaluation *e, const volt_split *split, volt_view *F)
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

static volt_status evaluation_score_states(volt_evaluation *e, const volt_split *split, double alpha,
                                           volt_view F, double *score)
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
        VOLT_TRY(evaluation_fill(e, split->end - e->base));
        part.cross = (volt_view){L.data + (split->begin - e->base - w) * L.ld, rows, m, L.ld};
    } else {
        volt_matrix cross = volt_matrix_of(e->space->cross, rows, w + m);
        VOLT_TRY(evaluation_fill(e, split->train_end - e->base));
        VOLT_TRY(cross_gram(e, split, cross));
        part.cross = (volt_view){cross.data + w, rows, m, cross.ld};
        part.common = e->intercept ? e->resolved.common : 0;
    }
    VOLT_TRY(volt_fold_loss_score(problem, e->space, &part, score, &flops));
    volt_factor_account(e->factor, begun, flops);
    return VOLT_OK;
}

/* The score of a validation block with e->alpha, or of all rows, which are one group. */
static volt_status evaluation_score(volt_evaluation *e, const volt_split *split, double *score)
{
    if (e->problem->loss)
        return score_loss(e, split, score);
    volt_matrix out = forecast_buffer(e, split);
    if (e->states) {
        volt_view F = {0};
        VOLT_TRY(evaluation_prepare_states(e, split, &F));
        return evaluation_score_states(e, split, e->alpha, F, score);
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

/* In states: a score of all rows with each of `count` alphas (state_folds.c). If *count is 0, the alphas
 * are set to the grid. */
static volt_status evaluation_score_loo(volt_evaluation *e, double *alphas, int64_t *count, volt_status *status,
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

static volt_status evaluation_score_all(volt_evaluation *e, double *score)
{
    if (e->states) {
        int64_t one = 1;
        volt_status status = VOLT_OK;
        VOLT_TRY(evaluation_score_loo(e, &e->alpha, &one, &status, score));
        return status;
    }
    VOLT_TRY(grow(e, e->factor->L.rows));
    volt_factor_intercepts(e->factor);
    if (e->problem->score != VOLT_SCORE_LOG)
        return loo_score(e, score);
    return volt_factor_log_score(e->factor, e->problem->target_scale, score);
}

/* ---- scores all validation blocks of a candidate with one factorisation ------------------------------ */

/* Training parts that start at the same row are leading blocks of each other. One factor
 * (solve/exact/factor.h) grows from block to block and predicts each from the rows before it, so a candidate
 * that is stopped early costs little. Training parts that start elsewhere (rolling ones) form further
 * groups. Candidates with far fewer explicit states than rows use those instead (state_folds.h): their sums
 * grow from block to block. With a loss every training part is fitted separately (fold_loss.h); only the
 * rows of the matrix are shared.
 *
 * If alpha is not given it is profiled: the same Gram matrix is factored with every alpha of a grid, and the
 * best mean score is used. With expensive kernel entries this is cheaper than drawing alpha with the other
 * parameters. */

/* ---- groups of folds -------------------------------------------------------------------------- */

/* Scores whose training parts start at the same row: first .. next - 1. */
typedef struct group {
    int64_t first, next;
    int64_t rows; /* rows required */
} group;

/* The group that starts with score `first`. */
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

static volt_status begin(volt_evaluation *e, const group *folds)
{
    bool all = volt_score_is_of_all_rows(e->problem->score);
    return evaluation_begin(e, all ? 0 : e->problem->splits[folds->first].train_begin, folds->rows);
}

static volt_status score_at(volt_evaluation *e, int64_t k, double *score)
{
    volt_status status = volt_score_is_of_all_rows(e->problem->score)
                             ? evaluation_score_all(e, score)
                             : evaluation_score(e, &e->problem->splits[k], score);
    VOLT_TRY(volt_backend_state(e->factor->backend)); /* results from a lost device are invalid */
    return status;
}

/* ---- all folds, alpha given ------------------------------------------------------------------- */

static volt_status evaluate_all(volt_evaluation *e, volt_continue_fn should_continue, void *context,
                                double *folds, int64_t *n_done)
{
    int64_t count = e->problem->folds;
    for (group at = {0}; at.next < count;) {
        at = group_at(e->problem, at.next);
        VOLT_TRY(begin(e, &at));
        for (int64_t k = at.first; k < at.next; k++) {
            VOLT_TRY(score_at(e, k, &folds[k]));
            *n_done = k + 1;
            if (k + 1 < count && should_continue && !should_continue(folds, k + 1, context))
                return VOLT_OK;
        }
    }
    return VOLT_OK;
}

/* ---- all folds, alpha profiled ---------------------------------------------------------------- */

typedef struct profile {
    double alphas[VOLT_MAX_ALPHAS];
    bool failed[VOLT_MAX_ALPHAS];
    int64_t count;
    volt_status status; /* of the last failure, whose message is kept */
} profile;

/* Records the status of an alpha. One that fails is skipped. */
static volt_status note(profile *p, int64_t a, volt_status status)
{
    p->failed[a] = status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE;
    if (!p->failed[a])
        return status;
    p->status = status;
    return VOLT_OK;
}

/* All folds of a group with alpha number a. */
static volt_status profile_folds(volt_evaluation *e, const group *at, int64_t a, profile *p)
{
    double *scores = e->space->profile + a * e->problem->folds;
    volt_status status = VOLT_OK;
    for (int64_t k = at->first; k < at->next && status == VOLT_OK; k++)
        status = score_at(e, k, &scores[k]);
    return note(p, a, status);
}

/* With a loss: from the largest alpha down, until the folds of the first group have lost as often as a fit
 * allows. */
static volt_status profile_loss(volt_evaluation *e, const group *at, profile *p)
{
    double best = INFINITY;
    int64_t lost = 0;
    VOLT_TRY(evaluation_fill(e, at->rows));
    if (at->first == 0)
        p->count = volt_alpha_list(VOLT_ALPHA_LOSS, volt_loss_unit(volt_as_view(e->factor->L)), 0, p->alphas);
    for (int64_t a = 0; a < p->count; a++) {
        double mean = 0;
        if (p->failed[a])
            continue;
        e->alpha = p->alphas[a];
        VOLT_TRY(profile_folds(e, at, a, p));
        for (int64_t k = at->first; k < at->next && !p->failed[a]; k++)
            mean -= volt_score_sign(e->problem->score) * e->space->profile[a * e->problem->folds + k];
        lost = !p->failed[a] && mean < best ? 0 : lost + 1;
        best = lost == 0 ? mean : best;
        if (at->first == 0 && lost == volt_alpha_patience(VOLT_ALPHA_LOSS))
            p->count = a + 1;
    }
    return VOLT_OK;
}

/* All alphas on the folds of a group. The Gram matrix is computed once. */
static volt_status profile_rows(volt_evaluation *e, const group *at, profile *p)
{
    double *diagonal = e->space->diagonal;
    VOLT_TRY(evaluation_fill(e, at->rows));
    volt_factor_task task = e->factor->task;
    volt_factor_keep(e->factor, 0, diagonal);
    if (at->first == 0) {
        double least, unit = volt_alpha_unit(diagonal, e->factor->L.rows, e->factor->L.rows, &least);
        p->count = volt_alpha_list(VOLT_ALPHA_SQUARES, unit, least, p->alphas);
    }
    bool is_whole = true;
    for (int64_t a = 0; a < p->count; a++) {
        if (p->failed[a])
            continue;
        if (!is_whole)
            volt_factor_restore(e->factor, 0);
        is_whole = false;
        volt_factor_restart(e->factor, &task, 0, p->alphas[a], diagonal);
        VOLT_TRY(profile_folds(e, at, a, p));
    }
    return VOLT_OK;
}

/* The same in states: the sums of a fold serve all alphas. */
static volt_status profile_states(volt_evaluation *e, const group *at, profile *p)
{
    for (int64_t k = at->first; k < at->next; k++) {
        const volt_split *split = &e->problem->splits[k];
        volt_view F = {0};
        VOLT_TRY(evaluation_prepare_states(e, split, &F));
        if (k == 0)
            VOLT_TRY(
                volt_state_folds_grid(e->states, at->rows, e->space->diagonal, p->alphas, &p->count, e->stage));
        for (int64_t a = 0; a < p->count; a++) {
            if (p->failed[a])
                continue;
            double *score = &e->space->profile[a * e->problem->folds + k];
            VOLT_TRY(note(p, a, evaluation_score_states(e, split, p->alphas[a], F, score)));
        }
    }
    return VOLT_OK;
}

/* All alphas at once if all rows are one block. */
static volt_status profile_loo(volt_evaluation *e, profile *p)
{
    volt_status status[VOLT_MAX_ALPHAS];
    VOLT_TRY(evaluation_score_loo(e, p->alphas, &p->count, status, e->space->profile));
    for (int64_t a = 0; a < p->count; a++)
        VOLT_TRY(note(p, a, status[a]));
    return VOLT_OK;
}

static volt_status profile_group(volt_evaluation *e, const group *at, profile *p)
{
    VOLT_TRY(begin(e, at));
    if (e->problem->loss)
        return profile_loss(e, at, p);
    if (!e->states)
        return profile_rows(e, at, p);
    return volt_score_is_of_all_rows(e->problem->score) ? profile_loo(e, p) : profile_states(e, at, p);
}

/* The alpha with the best mean; -1: all failed. */
static int64_t best_of(const profile *p, const volt_problem *problem, const double *scores)
{
    int64_t index = -1, folds = problem->folds;
    volt_alpha_best best = {0};
    volt_alpha_choice choice = {.columns = 1, .best = &best};
    for (int64_t a = 0; a < p->count; a++) {
        double mean = 0;
        for (int64_t k = 0; k < folds; k++)
            mean += volt_score_sign(problem->score) * scores[a * folds + k] / (double)folds;
        choice.alpha = p->alphas[a];
        if (!p->failed[a] && volt_alpha_offer(&choice, 0, -mean, 0))
            index = a;
    }
    return index;
}

static volt_status profile_alpha(volt_evaluation *e, double *alpha, double *folds, int64_t *n_done)
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

/* As in fits. */
static volt_status check_solver(const volt_problem *problem, const volt_resolved *resolved)
{
    const volt_solver *solver = volt_candidate_solver(problem, resolved);
    VOLT_REQUIRE(problem->intercept || !resolved->centred || solver->accepts.centred, VOLT_ERR_ARGUMENT,
                 "the solver \"%s\" requires an intercept for centred kernels", solver->info.name);
    return VOLT_OK;
}

volt_status volt_evaluate(const volt_problem *problem, volt_workspace *workspace, const char *kernel,
                          double *alpha, double feedback, volt_continue_fn should_continue, void *context,
                          volt_stage *stage, double *folds, int64_t *n_done, volt_cost *cost)
{
    volt_evaluation e = {.problem = problem,
                         .space = workspace,
                         .factor = workspace->factor,
                         .alpha = *alpha,
                         .width = problem->d,
                         .stage = stage};
    *n_done = 0;
    e.factor->cost = (volt_cost){0};
    VOLT_TRY(volt_kernel_parse(kernel, &e.kernel));
    e.inputs = volt_kernel_keeps_origin(e.kernel) ? &problem->unshifted : &problem->shifted;
    volt_status status = volt_kernel_use_past(e.kernel, &e.inputs->past);
    if (status == VOLT_OK && feedback > 0)
        status = volt_initial_check(problem->initial, e.inputs->past.input, problem->d, true);
    if (status == VOLT_OK && feedback > 0) {
        status = volt_feedback_inputs_create(problem, e.inputs, feedback, &e.fed_outputs);
        e.inputs = &e.fed_outputs.all;
        e.width += problem->q;
    }
    if (status == VOLT_OK)
        status = evaluation_slice(&e, 0);
    if (status == VOLT_OK)
        status = volt_kernel_resolve_slices(e.kernel, e.sliced.extents, e.width, &e.resolved);
    e.intercept = problem->intercept || e.resolved.centred;
    if (status == VOLT_OK && volt_score_is_of_all_rows(problem->score) && e.resolved.centred)
        status = volt_fail(VOLT_ERR_ARGUMENT, "the score %s is not supported for centred kernels",
                           volt_score_name(problem->score));
    if (status == VOLT_OK)
        status = check_solver(problem, &e.resolved);
    if (status == VOLT_OK && volt_candidate_states(problem, &e.resolved) > 0)
        status = volt_state_folds_create(problem, &e.resolved, &e.states);
    if (status == VOLT_OK)
        status = *alpha > 0 ? evaluate_all(&e, should_continue, context, folds, n_done)
                            : profile_alpha(&e, alpha, folds, n_done);
    evaluation_discard_columns(&e);
    volt_state_folds_free(e.states);
    volt_resolved_release(&e.resolved);
    volt_sliced_rows_release(&e.sliced);
    volt_feedback_inputs_release(&e.fed_outputs);
    volt_kernel_free(e.kernel);
    *cost = e.factor->cost;
    return status;
}
