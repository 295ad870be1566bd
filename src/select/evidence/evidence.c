/* src/select/evidence/evidence.c: the log marginal likelihood of a kernel and alpha on all rows, and its
 * gradient.
 *
 * The factor gives the likelihood and G, its derivatives with respect to the entries of the Gram matrix
 * (solve/exact/factor_evidence.c). For every parameter G is contracted with dK / dp: with the matrix of the
 * kernel's tangent if available, otherwise by finite differences of c(p) = sum_ij G_ij K_ij(p):
 *
 *     c'(p) = (8 (c(p + h) - c(p - h)) - (c(p + 2h) - c(p - 2h))) / (12 h),      error h^4 c^(5) / 30
 *
 * Filters change the inputs and the ball, so both are computed again at each point. */
#include "select/evidence/evidence.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "gram/engine/engine.h"
#include "kernel/kernel_entry.h"
#include "solve/exact/factor.h"

#include <math.h>

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
    *made = (sight){0};
    VOLT_TRY(volt_kernel_parse(volt_kernel_text(given), &made->kernel));
    volt_kernel *kernel = made->kernel;
    VOLT_TRY(volt_kernel_use_past(kernel, &inputs->past));
    VOLT_TRY(volt_sliced_rows_make(kernel, volt_view_of(inputs->Z, problem->n, problem->d), &problem->records,
                                   0, "the inputs", &made->sliced));
    return volt_kernel_resolve_slices(kernel, made->sliced.extents, problem->d, &made->resolved);
}

static void release(sight *made)
{
    volt_resolved_release(&made->resolved);
    volt_sliced_rows_release(&made->sliced);
    volt_kernel_free(made->kernel);
}

/* Operation on the Gram matrix of a kernel or a tangent, given as an operator. */
typedef volt_status (*operation)(volt_factor *factor, volt_operator *op, double *value);

static volt_status fill(volt_factor *factor, volt_operator *op, double *value)
{
    (void)value;
    return volt_factor_fill(factor, op);
}

static volt_status with_matrix(const volt_evidence_task *task, volt_resolved *resolved, volt_view rows,
                               operation run, double *value)
{
    volt_columns *columns = NULL;
    volt_operator *op = NULL;
    volt_status status = volt_resolved_split(resolved, &task->problem->records, 0);
    if (status == VOLT_OK)
        status = volt_columns_create(resolved, rows, task->stage, &columns);
    if (status == VOLT_OK)
        status = volt_kernel_operator(resolved, columns, rows, true, &op);
    if (status == VOLT_OK)
        status = run(task->space->factor, op, value);
    volt_operator_free(op);
    volt_columns_free(columns);
    return status;
}

/* ---- one derivative --------------------------------------------------------------------------- */

/* sum_ij G_ij K_ij with the variable at `value`. */
static volt_status contract_at(const volt_evidence_task *task, const volt_variable *variable, double value,
                               double *sum)
{
    char text[VOLT_EXPRESSION_LENGTH];
    volt_kernel *kernel = NULL;
    sight seen = {0};
    VOLT_TRY(volt_kernel_with(task->kernel, 1, &variable->name, &value, text));
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    volt_status status = look(task->problem, kernel, &seen);
    if (status == VOLT_OK)
        status = with_matrix(task, &seen.resolved, seen.sliced.rows, volt_factor_contract, sum);
    release(&seen);
    volt_kernel_free(kernel);
    return status;
}

/* Points of a stencil in steps from the value, and their weights over the step. */
enum { POINTS = 5 };
typedef struct stencil {
    int at[POINTS];
    double weight[POINTS];
} stencil;

static const stencil central = {{-2, -1, 0, 1, 2}, {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12}};
static const stencil upward = {{0, 1, 2, 3, 4}, {-25.0 / 12, 48.0 / 12, -36.0 / 12, 16.0 / 12, -3.0 / 12}};
static const stencil downward = {{0, -1, -2, -3, -4}, {25.0 / 12, -48.0 / 12, 36.0 / 12, -16.0 / 12, 3.0 / 12}};

/* The step is a fraction of the value, or of the distance to the nearer end, for which rounding and
 * truncation errors are both about 1e-12. At a closed end of the range the stencil is one-sided, also where
 * the pole of a filter is 0 and its gain has a kink. */
static const stencil *choose_stencil(const volt_variable *v, double *step)
{
    bool at_low = v->closed && v->value == v->low, at_high = v->value == v->high;
    double down = v->value - v->low, up = v->high - v->value, size = fabs(v->value);
    if (isfinite(v->low) && isfinite(v->high)) /* a share, a pole, an angle */
        size = at_low || at_high ? (v->high - v->low) / 8 : fmin(down, up);
    else if (isfinite(v->low) && !at_low)
        size = down;
    else
        size = fmax(size, 1e-3);
    *step = 2e-3 * size;
    if (v->low < 0 && v->value != 0)
        *step = fmin(*step, fabs(v->value) / 4);
    return at_low ? &upward : at_high ? &downward : &central;
}

static volt_status difference(const volt_evidence_task *task, const volt_variable *variable, double *slope)
{
    double step = 0, sum = 0;
    const stencil *points = choose_stencil(variable, &step);
    for (int i = 0; i < POINTS; i++) {
        double value = 0;
        if (points->weight[i] == 0)
            continue;
        VOLT_TRY(contract_at(task, variable, variable->value + points->at[i] * step, &value));
        sum += points->weight[i] * value;
    }
    *slope = sum / step;
    return VOLT_OK;
}

static volt_status differentiate(volt_evidence_task *task, const sight *seen, int64_t v)
{
    volt_resolved tangent = {0}, alone = seen->resolved;
    bool known = false;
    alone.records = NULL; /* the tangent is divided into records again */
    VOLT_TRY(volt_kernel_tangent(task->kernel, &alone, task->variables[v].name, &tangent, &known));
    task->differenced[v] = !known;
    if (!known)
        return difference(task, &task->variables[v], &task->slopes[v]);
    volt_status status = with_matrix(task, &tangent, seen->sliced.rows, volt_factor_contract, &task->slopes[v]);
    volt_tangent_release(&tangent);
    return status;
}

/* ---- evaluation ------------------------------------------------------------------------------------ */

static void begin(const volt_evidence_task *task, const volt_resolved *resolved)
{
    const volt_problem *problem = task->problem;
    int64_t w = problem->washout, q = problem->q, kept = problem->n - w;
    volt_matrix W = {task->space->W, kept, q, problem->intercept ? q + 1 : q};
    volt_factor_begin(task->space->factor,
                      &(volt_factor_task){.rows = problem->n,
                                          .washout = w,
                                          .alpha = task->alpha,
                                          .common = problem->intercept ? resolved->common : 0,
                                          .Y = volt_view_of(problem->Y + w * q, kept, q),
                                          .W = W,
                                          .u = problem->intercept ? W.data + q : NULL,
                                          .ld_u = W.ld,
                                          .steady = true,
                                          .stage = task->stage});
}

static volt_status likelihood(volt_evidence_task *task, sight *seen)
{
    volt_factor *factor = task->space->factor;
    VOLT_REQUIRE(!seen->resolved.centred, VOLT_ERR_ARGUMENT, "the evidence is not defined for centred kernels");
    begin(task, &seen->resolved);
    VOLT_TRY(with_matrix(task, &seen->resolved, seen->sliced.rows, fill, NULL));
    VOLT_TRY(volt_factor_grow(factor, factor->L.rows));
    volt_factor_intercepts(factor);
    return volt_factor_log_score(factor, task->problem->target_scale, &task->log_likelihood);
}

static volt_status slopes(volt_evidence_task *task, const sight *seen)
{
    volt_factor *factor = task->space->factor;
    volt_matrix A = volt_matrix_of(task->space->D, factor->m, task->problem->q);
    VOLT_TRY(volt_factor_gradient_weights(factor, A, task->space->precisions));
    task->by_alpha = volt_factor_trace(factor, task->space->diagonal);
    for (int64_t v = 0; v < task->n_variables; v++)
        VOLT_TRY(differentiate(task, seen, v));
    bool finite = isfinite(task->by_alpha);
    for (int64_t v = 0; v < task->n_variables; v++)
        finite = finite && isfinite(task->slopes[v]);
    VOLT_REQUIRE(finite, VOLT_ERR_NOT_FINITE, "the gradient of the evidence is too large for a double");
    return VOLT_OK;
}

static volt_status evaluate_loo(volt_evidence_task *task)
{
    volt_factor *factor = task->space->factor;
    VOLT_TRY(volt_factor_precisions(factor, task->space->precisions));
    volt_factor_squares(factor);
    volt_factor_coefficients(factor, volt_matrix_of(task->space->D, factor->m, task->problem->q));
    return VOLT_OK;
}

volt_status volt_evidence_evaluate(volt_evidence_task *task)
{
    sight seen = {0};
    volt_status status = look(task->problem, task->kernel, &seen);
    if (status == VOLT_OK && task->warns)
        status = volt_kernel_warn(task->kernel, &seen.resolved, seen.sliced.rows);
    if (status == VOLT_OK)
        status = likelihood(task, &seen);
    if (status == VOLT_OK && task->gradient)
        status = slopes(task, &seen);
    else if (status == VOLT_OK && task->leave_one_out)
        status = evaluate_loo(task);
    release(&seen);
    return status;
}

volt_status volt_evidence_bytes(const volt_problem *problem, const volt_kernel *kernel, double *bytes)
{
    int64_t n = problem->n;
    VOLT_TRY(volt_candidate_bytes(problem, volt_kernel_text(kernel), false, bytes));
    /* A tangent has at most twice the state of a kernel, and separate columns. */
    *bytes = 2 * *bytes + 8 * (double)n * (double)(volt_block_rows(n, n) + problem->q + 4);
    return VOLT_OK;
}
