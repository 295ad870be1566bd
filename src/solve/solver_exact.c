/* src/solve/solver_exact.c: the exact solver. K is stored at the back end and factored in place.
 *
 * The lower triangle of K is filled, and the block K[w:, w:] after a washout of w rows becomes its factor.
 * The factorisation does not modify the block K[w:, :w], from which K A of the washout rows is computed. */
#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/exact/factor.h"
#include "solve/solver_table.h"

#include <math.h>

/* Numbers per row in addition to the matrix: u, and the workspace of the condition estimate and of the effective
 * dimension, one after the other. */
enum { NUMBERS_PER_ROW = 68 };

static double bytes(double n, double q, double states)
{
    (void)states;
    return 8 * (n * n + NUMBERS_PER_ROW * n + volt_choice_numbers(n, q));
}

static bool takes(int64_t n, int64_t q, int64_t states, double available)
{
    return available == 0 || bytes((double)n, (double)q, (double)states) <= available;
}

/* ---- a trial ---------------------------------------------------------------------------------- */

enum { TRIAL_ROWS = 1536, TRIAL_REPEATS = 3 };

/* Factor I + 1 1' several times: the first run includes the start of the threads. */
static double time_factor(volt_matrix K)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < TRIAL_REPEATS; repeat++) {
        for (int64_t i = 0; i < K.rows; i++)
            for (int64_t j = 0; j <= i; j++)
                K.data[i * K.ld + j] = i == j ? 2 : 1;
        int64_t pivot = 0;
        double start = volt_seconds();
        volt_cpu_backend.potrf(K, 0, K.rows, NULL, &pivot);
        best = fmin(best, volt_seconds() - start);
    }
    return best;
}

/* CPU only; devices report their own times (solve/landmark/placement.h). */
static volt_status seconds(double n, double states, double *value)
{
    (void)states;
    double *K = volt_alloc_doubles(TRIAL_ROWS, TRIAL_ROWS), ratio = n / TRIAL_ROWS;
    if (!K)
        return VOLT_ERR_MEMORY;
    *value = time_factor(volt_matrix_of(K, TRIAL_ROWS, TRIAL_ROWS)) * ratio * ratio * ratio;
    volt_free(K);
    return VOLT_OK;
}

/* ---- solve ------------------------------------------------------------------------------------ */

/* Share of the Gram matrix in the total time, from operation counts. */
static double gram_share(double n, double entry_cost)
{
    double gram = n * n / 2 * entry_cost, factor = n * n * n / 3;
    return gram / (gram + factor);
}

volt_status volt_solver_fill(volt_factor *factor, const volt_solver_task *task, double share)
{
    double n = (double)task->kernel->n;
    volt_stage stage;
    volt_stage_begin(&stage, task->progress, "gram", 0, share, n * n / 2);
    factor->task.stage = &stage;
    VOLT_TRY(volt_factor_fill(factor, task->kernel));
    return volt_stage_end(&stage);
}

/* K - common 11' was factored, so the rounding error of 1' A = 0 is added to the intercept. */
static void take_intercepts(const volt_factor *factor, const volt_solver_task *task, volt_readout *readout)
{
    volt_matrix A = readout->A;
    for (int64_t k = 0; k < A.cols; k++) {
        double sum = 0, mean = task->centred ? factor->y[k] / (double)A.rows : 0;
        for (int64_t i = 0; i < A.rows; i++)
            sum += A.data[i * A.ld + k];
        readout->intercepts[k] = factor->c[k] - (task->common * sum + mean);
        readout->unlearned[k] = mean;
    }
}

static volt_status choose_with(volt_factor *factor, const volt_solver_task *task, volt_readout *readout)
{
    int64_t n = task->kernel->n;
    double rows = volt_choice_rows((double)n), entries = (double)n * (double)n / 2 * task->kernel->entry_cost;
    double share = entries / (entries + pow((double)n, 3) / 3 + VOLT_MAX_ALPHAS * pow(rows, 3) / 3);
    volt_factor_task begun = {.rows = n,
                              .washout = task->washout,
                              .common = task->common,
                              .without = task->without,
                              .Y = volt_as_view(readout->A)};
    volt_factor_begin(factor, &begun);
    VOLT_TRY(volt_solver_fill(factor, task, share));
    for (int64_t k = 0; k < readout->A.cols; k++)
        readout->unlearned[k] = 0;
    task->choice->errors = task->errors;
    task->choice->stored_factors = task->stored_factors;
    task->choice->target_scale = task->target_scale;
    task->choice->dimension = readout->dimension;
    task->choice->dimension_error = readout->dimension_error;
    VOLT_TRY(volt_choice_solve(factor, &begun, task->intercept, task->choice, task->progress, share, readout->A,
                               readout->intercepts, &readout->rcond));
    readout->log_likelihood = task->choice->log_likelihood;
    return VOLT_OK;
}

void volt_solver_fill_washout(const volt_factor *factor, const volt_solver_task *task, volt_readout *readout)
{
    int64_t w = task->washout;
    if (!readout->washout_fitted.data || w == 0)
        return;
    volt_view washout_block = {factor->K.data + w * factor->K.ld, task->kernel->n - w, w, factor->K.ld};
    factor->backend->gemm(washout_block, true, volt_as_view(readout->A), NULL, false, readout->washout_fitted);
}

/* One factor for all outputs. */
static volt_status keep_factor(const volt_factor *factor, const volt_solver_task *task)
{
    volt_stored_factors *stored_factors = task->stored_factors;
    VOLT_TRY(volt_stored_factor_fill(factor, task->alpha, &stored_factors->factors[0]));
    stored_factors->count = 1;
    for (int64_t k = 0; k < stored_factors->q; k++) {
        stored_factors->of[k] = 0;
        stored_factors->constant[k] = task->intercept;
    }
    return VOLT_OK;
}

/* The same for all outputs. */
static volt_status take_dimension(volt_factor *factor, const volt_solver_task *task, volt_readout *readout)
{
    volt_stage stage;
    volt_stage_begin(&stage, task->progress, "factor", 1, 0, 1);
    factor->task.stage = &stage;
    volt_status status =
        volt_factor_dimension(factor, task->intercept, readout->dimension, readout->dimension_error);
    factor->task.stage = NULL;
    for (int64_t k = 1; k < readout->A.cols; k++) {
        readout->dimension[k] = readout->dimension[0];
        readout->dimension_error[k] = readout->dimension_error[0];
    }
    return status;
}

static volt_status solve_with(volt_factor *factor, double *u, const volt_solver_task *task,
                              volt_readout *readout)
{
    int64_t n = task->kernel->n, w = task->washout;
    double share = gram_share((double)n, task->kernel->entry_cost);
    volt_ridge_report report;
    volt_factor_begin(
        factor, &(volt_factor_task){.rows = n,
                                    .washout = w,
                                    .alpha = task->alpha,
                                    .common = task->common,
                                    .without = task->without,
                                    .centred = task->centred,
                                    .Y = volt_as_view(readout->A),
                                    .W = readout->A,
                                    .u = task->intercept ? u : NULL,
                                    .ld_u = 1,
                                    .held_out = task->held_out,
                                    .errors = task->errors,
                                    .log_likelihood = task->target_scale ? &readout->log_likelihood : NULL,
                                    .target_scale = task->target_scale});
    VOLT_TRY(volt_solver_fill(factor, task, share));
    VOLT_TRY(volt_ridge_run(factor, task->progress, share, 1 - share, &report));
    take_intercepts(factor, task, readout);
    if (readout->dimension)
        VOLT_TRY(take_dimension(factor, task, readout));
    if (task->stored_factors)
        VOLT_TRY(keep_factor(factor, task));
    readout->rcond = report.rcond;
    return VOLT_OK;
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    const volt_backend *backend = task->backend ? task->backend : volt_backend_current();
    int64_t columns = readout->A.cols * (task->choice && task->choice->level.data ? 2 : 1);
    double *u = volt_alloc_doubles(readout->A.rows, 1);
    volt_factor *factor = NULL;
    volt_status status =
        u ? volt_factor_create(backend, NULL, task->kernel->n, columns, &factor) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        readout->log_likelihood = NAN;
        status = task->choice ? choose_with(factor, task, readout) : solve_with(factor, u, task, readout);
    }
    if (status == VOLT_OK) {
        volt_solver_fill_washout(factor, task, readout);
        status = volt_backend_state(backend);
    }
    volt_factor_free(factor);
    volt_free(u);
    return status;
}

const volt_solver volt_solver_exact = {
    .info = {.name = "exact", .meaning = "exact: the Gram matrix is stored and factored", .searches = 1},
    .reason = "exact, and the matrix fits in memory",
    .needs = {.matrix = true},
    .accepts = {.device = true, .centred = true},
    .offers = {.factor = true},
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
