/* src/select/evidence/evidence.c: the log marginal likelihood of one kernel and alpha on all rows, and leave-one-out
 * errors. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "gram/engine/engine.h"
#include "kernel/kernel_entry.h"
#include "select/folds/cross_validation.h"
#include "select/folds/problem.h"
#include "solve/exact/factor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

volt_evidence_options volt_evidence_options_default(void)
{
    volt_evidence_options options = {
        .struct_size = sizeof(volt_evidence_options), .intercept = 1, .scale = 1, .leave_one_out = 1};
    return options;
}

/* ---- a kernel on the rows --------------------------------------------------------------------- */

typedef struct sight {
    volt_kernel *kernel; /* with the past of the problem */
    volt_sliced_rows sliced;
    volt_resolved resolved;
} sight;

/* The rows as passed to the kernel, and the resolved kernel. Always release it. */
static volt_status look(const volt_problem *problem, const volt_kernel *given, sight *made)
{
    const volt_scaled_inputs *inputs =
        volt_kernel_keeps_origin(given) ? &problem->unshifted : &problem->shifted;
    VOLT_TRY(volt_kernel_parse(volt_kernel_text(given), &made->kernel));
    volt_kernel *kernel = made->kernel;
    VOLT_TRY(volt_kernel_use_past(kernel, &inputs->past));
    VOLT_TRY(volt_sliced_rows_make(kernel, volt_view_of(inputs->Z, problem->n, problem->d), &problem->records,
                                   0, "the inputs", &made->sliced));
    return volt_kernel_resolve_slices(kernel, made->sliced.extents, problem->d, &made->resolved);
}

static void release(sight *seen)
{
    volt_resolved_release(&seen->resolved);
    volt_sliced_rows_release(&seen->sliced);
    volt_kernel_free(seen->kernel);
}

/* ---- evaluation ------------------------------------------------------------------------------- */

static void begin(const volt_problem *problem, volt_workspace *space, const volt_resolved *resolved,
                  double alpha, volt_stage *stage)
{
    int64_t w = problem->washout, q = problem->q, kept = problem->n - w;
    volt_matrix W = {space->W, kept, q, problem->intercept ? q + 1 : q};
    volt_factor_begin(space->factor, &(volt_factor_task){.rows = problem->n,
                                                         .washout = w,
                                                         .alpha = alpha,
                                                         .common = problem->intercept ? resolved->common : 0,
                                                         .Y = volt_view_of(problem->Y + w * q, kept, q),
                                                         .W = W,
                                                         .u = problem->intercept ? W.data + q : NULL,
                                                         .ld_u = W.ld,
                                                         .steady = true,
                                                         .stage = stage});
}

static volt_status fill(const volt_problem *problem, volt_factor *factor, sight *seen, volt_stage *stage)
{
    volt_view rows = seen->sliced.rows;
    volt_columns *columns = NULL;
    volt_operator *op = NULL;
    volt_status status = volt_resolved_split(&seen->resolved, &problem->records, 0);
    if (status == VOLT_OK)
        status = volt_columns_create(&seen->resolved, rows, stage, &columns);
    if (status == VOLT_OK)
        status = volt_kernel_operator(&seen->resolved, columns, rows, true, &op);
    if (status == VOLT_OK)
        status = volt_factor_fill(factor, op);
    volt_operator_free(op);
    volt_columns_free(columns);
    return status;
}

/* Leaves the factor in the workspace. */
static volt_status evaluate_likelihood(const volt_problem *problem, volt_workspace *space, double alpha,
                                       sight *seen, volt_stage *stage, double *log_likelihood)
{
    volt_factor *factor = space->factor;
    VOLT_REQUIRE(!seen->resolved.centred, VOLT_ERR_ARGUMENT, "the evidence is not defined for centred kernels");
    begin(problem, space, &seen->resolved, alpha, stage);
    VOLT_TRY(fill(problem, factor, seen, stage));
    VOLT_TRY(volt_factor_grow(factor, factor->L.rows));
    volt_factor_intercepts(factor);
    return volt_factor_log_score(factor, problem->target_scale, log_likelihood);
}

/* ---- result ----------------------------------------------------------------------------------- */

/* `scale` begins the only array, of q variances, q numbers of the GCV, errors and variances. */
void volt_evidence_free(volt_evidence_result *result)
{
    if (result)
        volt_free((void *)result->scale);
    volt_free(result);
}

static volt_status make_result(int64_t rows, int64_t q, bool leave_one_out, volt_evidence_result **made)
{
    volt_evidence_result *result = volt_alloc_zero(1, sizeof *result);
    double *numbers = volt_alloc_doubles(2 * q + (leave_one_out ? 2 * rows * q : 0), 1);
    if (!result || !numbers) {
        volt_free(numbers);
        volt_free(result);
        return VOLT_ERR_MEMORY;
    }
    *result = (volt_evidence_result){.struct_size = sizeof *result,
                                     .rows = rows,
                                     .q = q,
                                     .scale = numbers,
                                     .loo_errors = leave_one_out ? numbers + 2 * q : NULL,
                                     .loo_variances = leave_one_out ? numbers + 2 * q + rows * q : NULL,
                                     .gcv = leave_one_out ? numbers + q : NULL,
                                     .trace = NAN};
    *made = result;
    return VOLT_OK;
}

/* In the units of the targets. */
static volt_status compute_errors(const volt_problem *problem, volt_workspace *space,
                                  volt_evidence_result *result)
{
    volt_factor *factor = space->factor;
    int64_t m = result->rows, q = result->q;
    const double *unit = problem->target_scale;
    double *scale = (double *)result->scale, *gcv = (double *)result->gcv;
    if (gcv)
        VOLT_TRY(volt_factor_precisions(factor, space->precisions));
    volt_factor_squares(factor);
    for (int64_t k = 0; k < q; k++)
        scale[k] = unit[k] * unit[k] * factor->squares[k] / (double)(problem->intercept ? m - 1 : m);
    if (!gcv)
        return VOLT_OK;
    volt_matrix errors = volt_matrix_of((double *)result->loo_errors, m, q);
    volt_matrix variances = volt_matrix_of((double *)result->loo_variances, m, q);
    volt_factor_coefficients(factor, errors);
    volt_factor_loo(factor, space->precisions, errors, variances, gcv);
    result->trace = 0;
    for (int64_t t = 0; t < m; t++)
        result->trace += space->precisions[t];
    for (int64_t i = 0; i < m * q; i++) {
        errors.data[i] *= unit[i % q];
        variances.data[i] *= unit[i % q] * unit[i % q];
    }
    for (int64_t k = 0; k < q; k++)
        gcv[k] *= unit[k] * unit[k];
    return VOLT_OK;
}

/* ---- volt_evidence ---------------------------------------------------------------------------- */

static volt_status require_memory(const volt_problem *problem, const volt_kernel *kernel)
{
    char what[96];
    double bytes = 0;
    snprintf(what, sizeof what, "the evidence of %" PRId64 " rows", problem->n);
    VOLT_TRY(volt_candidate_bytes(problem, volt_kernel_text(kernel), false, &bytes));
    bytes += 8 * (double)problem->n * (double)(2 * problem->q + 70); /* result and precisions */
    return volt_memory_require(volt_workspace_bytes(problem) + bytes, what);
}

static volt_status evaluate(const volt_problem *problem, volt_workspace *space, const volt_kernel *kernel,
                            const volt_evidence_options *options, volt_evidence_result *result)
{
    volt_stage stage;
    sight seen = {0};
    double entries = (double)problem->n * (double)problem->n;
    volt_stage_begin(&stage, options->progress, "evidence", 0, 1,
                     entries / 2 + volt_cholesky_units(problem->n));
    volt_status status = look(problem, kernel, &seen);
    if (status == VOLT_OK)
        status = volt_kernel_warn(kernel, &seen.resolved, seen.sliced.rows);
    if (status == VOLT_OK)
        status = evaluate_likelihood(problem, space, options->alpha, &seen, &stage, &result->log_likelihood);
    if (status == VOLT_OK)
        status = compute_errors(problem, space, result);
    release(&seen);
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

static volt_status create_and_evaluate(const volt_problem *problem, const volt_kernel *kernel,
                                       const volt_evidence_options *options, volt_evidence_result **result)
{
    volt_workspace *space = NULL;
    volt_evidence_result *made = NULL;
    VOLT_TRY(require_memory(problem, kernel));
    VOLT_TRY(volt_workspace_create(problem, &space));
    volt_status status =
        make_result(problem->n - problem->washout, problem->q, options->leave_one_out != 0, &made);
    if (status == VOLT_OK)
        status = evaluate(problem, space, kernel, options, made);
    if (status == VOLT_OK)
        *result = made;
    else
        volt_evidence_free(made);
    volt_workspace_free(space);
    return status;
}

volt_status volt_evidence(const volt_kernel *kernel, volt_view X, volt_view Y,
                          const volt_evidence_options *options, volt_evidence_result **result)
{
    volt_evidence_options opts = volt_evidence_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_evidence_options"));
    VOLT_REQUIRE(kernel && result, VOLT_ERR_ARGUMENT, "the kernel or the evidence is NULL");
    VOLT_REQUIRE(opts.alpha > 0 && isfinite(opts.alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite (got %g)", opts.alpha);
    volt_search_options like = volt_search_options_default();
    like.score = VOLT_SCORE_LOG;
    like.washout = opts.washout;
    like.intercept = opts.intercept;
    like.scale = opts.scale;
    like.records = opts.records;
    like.n_records = opts.n_records;
    like.initial = opts.initial;
    like.initial_values = opts.initial_values;
    volt_problem *problem = NULL;
    volt_blas_use use;
    VOLT_TRY(volt_problem_create(X, Y, &like, &problem));
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = create_and_evaluate(problem, kernel, &opts, result);
        volt_blas_release(&use);
    }
    volt_problem_free(problem);
    return status;
}
