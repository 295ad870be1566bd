/* src/select/evidence/evidence_result.c: the public result of volt_evidence. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "select/evidence/evidence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

volt_evidence_options volt_evidence_options_default(void)
{
    volt_evidence_options options = {.struct_size = sizeof(volt_evidence_options),
                                     .intercept = 1,
                                     .scale = 1,
                                     .gradient = 1,
                                     .leave_one_out = 1};
    return options;
}

/* The result and its arrays, in few allocations. */
typedef struct holder {
    volt_evidence_result result; /* first: the caller holds its address */
    char *text;                  /* concatenated names */
    const char **names;
    double *numbers;
    int *differenced;
} holder;

void volt_evidence_free(volt_evidence_result *result)
{
    holder *all = (holder *)result;
    if (!all)
        return;
    volt_free(all->text);
    volt_free(all->names);
    volt_free(all->numbers);
    volt_free(all->differenced);
    volt_free(all);
}

enum { NAME_LENGTH = 40 };

static volt_status make_holder(int64_t rows, int64_t q, int64_t n_variables, bool leave_one_out, holder **made)
{
    int64_t count = n_variables > 0 ? n_variables : 1;
    holder *all = volt_alloc_zero(1, sizeof *all);
    if (!all)
        return VOLT_ERR_MEMORY;
    all->text = volt_alloc_zero(count, NAME_LENGTH);
    all->names = volt_alloc_zero(count, sizeof *all->names);
    all->differenced = volt_alloc_zero(count, sizeof *all->differenced);
    all->numbers = volt_alloc_doubles(2 * count + 2 * q + (leave_one_out ? 2 * rows * q : 0), 1);
    if (!all->text || !all->names || !all->differenced || !all->numbers) {
        volt_evidence_free(&all->result);
        return VOLT_ERR_MEMORY;
    }
    double *scale = all->numbers + 2 * count, *gcv = scale + q, *errors = gcv + q;
    all->result = (volt_evidence_result){.struct_size = sizeof(volt_evidence_result),
                                         .rows = rows,
                                         .q = q,
                                         .n_parameters = n_variables,
                                         .names = all->names,
                                         .values = all->numbers,
                                         .gradient = all->numbers + count,
                                         .by_differences = all->differenced,
                                         .scale = scale,
                                         .loo_errors = leave_one_out ? errors : NULL,
                                         .loo_variances = leave_one_out ? errors + rows * q : NULL,
                                         .gcv = leave_one_out ? gcv : NULL,
                                         .trace = NAN};
    *made = all;
    return VOLT_OK;
}

static void take_slopes(const volt_evidence_task *task, holder *all)
{
    volt_evidence_result *result = &all->result;
    result->log_likelihood = task->log_likelihood;
    result->alpha = task->alpha;
    result->alpha_gradient = task->gradient ? task->by_alpha : NAN;
    for (int64_t v = 0; v < task->n_variables; v++) {
        char *name = all->text + v * NAME_LENGTH;
        snprintf(name, NAME_LENGTH, "%s", task->variables[v].name);
        all->names[v] = name;
        all->numbers[v] = task->variables[v].value;
        ((double *)result->gradient)[v] = task->gradient ? task->slopes[v] : NAN;
        all->differenced[v] = task->gradient && task->differenced[v];
    }
}

/* In the units of the targets. */
static void take_errors(const volt_evidence_task *task, holder *all)
{
    volt_evidence_result *result = &all->result;
    volt_factor *factor = task->space->factor;
    int64_t m = result->rows, q = result->q;
    const double *unit = task->problem->target_scale;
    double *scale = (double *)result->scale;
    for (int64_t k = 0; k < q; k++)
        scale[k] = unit[k] * unit[k] * factor->squares[k] / (double)(task->problem->intercept ? m - 1 : m);
    if (!result->loo_errors)
        return;
    volt_matrix errors = volt_matrix_of((double *)result->loo_errors, m, q);
    volt_matrix variances = volt_matrix_of((double *)result->loo_variances, m, q);
    memcpy(errors.data, task->space->D, (size_t)(m * q) * sizeof(double));
    volt_factor_loo(factor, task->space->precisions, errors, variances, (double *)result->gcv);
    result->trace = 0;
    for (int64_t t = 0; t < m; t++)
        result->trace += task->space->precisions[t];
    for (int64_t i = 0; i < m * q; i++) {
        errors.data[i] *= unit[i % q];
        variances.data[i] *= unit[i % q] * unit[i % q];
    }
    for (int64_t k = 0; k < q; k++)
        ((double *)result->gcv)[k] *= unit[k] * unit[k];
}

static volt_status check(const volt_kernel *kernel, const volt_evidence_options *options,
                         volt_evidence_result **result)
{
    VOLT_REQUIRE(kernel && options && result, VOLT_ERR_ARGUMENT,
                 "the kernel, the options or the evidence is NULL");
    VOLT_REQUIRE(options->alpha > 0 && isfinite(options->alpha), VOLT_ERR_ARGUMENT,
                 "alpha must be positive and finite (got %g)", options->alpha);
    return VOLT_OK;
}

static volt_status evaluate(volt_evidence_task *task, const volt_evidence_options *options, holder **made)
{
    const volt_problem *problem = task->problem;
    char what[96];
    double bytes = 0;
    snprintf(what, sizeof what, "the evidence of %" PRId64 " rows", problem->n);
    VOLT_TRY(volt_evidence_bytes(problem, task->kernel, &bytes));
    VOLT_TRY(volt_memory_require(volt_workspace_bytes(problem) + bytes, what));
    VOLT_TRY(volt_workspace_create(problem, &task->space));
    holder *all = NULL;
    volt_status status =
        make_holder(problem->n - problem->washout, problem->q, task->n_variables, task->leave_one_out, &all);
    if (status == VOLT_OK) {
        double entries = (double)problem->n * (double)problem->n;
        volt_stage_begin(task->stage, options->progress, "evidence", 0, 1,
                         entries / 2 + (task->gradient ? 3 : 1) * volt_cholesky_units(problem->n) +
                             (task->gradient ? entries * (double)task->n_variables : 0));
        status = volt_evidence_evaluate(task);
    }
    if (status == VOLT_OK)
        status = volt_stage_end(task->stage);
    if (status == VOLT_OK) {
        if (!task->gradient && !task->leave_one_out)
            volt_factor_squares(task->space->factor);
        take_slopes(task, all);
        take_errors(task, all);
        *made = all;
    } else if (all) {
        volt_evidence_free(&all->result);
    }
    volt_workspace_free(task->space);
    return status;
}

volt_status volt_evidence(const volt_kernel *kernel, volt_view X, volt_view Y,
                          const volt_evidence_options *options, volt_evidence_result **result)
{
    volt_evidence_options opts = volt_evidence_options_default();
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_evidence_options"));
    options = &opts;
    VOLT_TRY(check(kernel, options, result));
    volt_search_options like = volt_search_options_default();
    like.score = VOLT_SCORE_LOG;
    like.washout = options->washout;
    like.intercept = options->intercept;
    like.scale = options->scale;
    like.records = options->records;
    like.n_records = options->n_records;
    like.initial = options->initial;
    like.initial_values = options->initial_values;
    volt_problem *problem = NULL;
    volt_blas_use use;
    volt_stage stage;
    volt_variable variables[VOLT_MAX_VARIABLES];
    VOLT_TRY(volt_problem_create(X, Y, &like, &problem));
    volt_evidence_task task = {.problem = problem,
                               .kernel = kernel,
                               .stage = &stage,
                               .variables = variables,
                               .n_variables = volt_kernel_variables(kernel, VOLT_MAX_VARIABLES, variables),
                               .alpha = options->alpha,
                               .gradient = options->gradient != 0,
                               .leave_one_out = options->leave_one_out != 0,
                               .warns = true};
    holder *all = NULL;
    volt_status status = volt_blas_claim(&use);
    if (status == VOLT_OK) {
        status = evaluate(&task, options, &all);
        volt_blas_release(&use);
    }
    volt_problem_free(problem);
    if (status == VOLT_OK)
        *result = &all->result;
    return status;
}
