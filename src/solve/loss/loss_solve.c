/* src/solve/loss/loss_solve.c: the sequence of methods, and their shared memory: K above the diagonal, one
 * factor below.
 *
 * ADMM (loss_methods.h) is the first method: one factor, and many steps that read it. For piecewise linear
 * losses it soon finds the interpolated rows, but converges slowly. After a few steps, Newton's method on
 * those rows (loss_methods.h) converges to rounding. Smooth losses use ADMM until the gap is closed or a
 * Newton step would have been cheaper. Classes in several columns only use ADMM.
 *
 * Squares with weights are linear, and one factor solves them:
 *
 *     (K + alpha diag(1 / w)) A = Y - 1 c,     1' A = 0 with an intercept,     A_t = 0 where w_t = 0 */
#include "solve/loss/loss_solve.h"

#include "backend/backend.h"
#include "backend/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/exact/ridge.h"
#include "solve/loss/loss_methods.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    PROBE_ROWS = 512,    /* rows used to estimate the size of the residuals */
    LINE_STEPS = 10,     /* steps of the first method for piecewise linear losses */
    SMOOTH_STEPS = 40,   /* the same for smooth losses */
    CLASS_STEPS = 20000, /* and for several classes ... */
    TRIED_STEPS = 3000,  /* ... in trial fits */
    NEWTON_STEPS = 400,
    CHECK_EVERY = 5
};

/* Predictions vary with the square root of the gap. Below this tolerance one more Newton step is taken or,
 * for several classes, the state must have settled. */
static const double EXACT = 1e-9;

/* A gap above this share of the objective is an error; one between it and the tolerance is a warning. */
static const double OPEN = 1e-3;

double volt_loss_numbers(double n, double columns)
{
    return 2 * n + PROBE_ROWS * PROBE_ROWS + 14 * n * columns;
}

/* ---- size of the residuals -------------------------------------------------------------------- */

/* The last rows of positive weight, at most PROBE_ROWS. */
static int64_t probe_rows(const volt_loss_problem *problem, int64_t rows[PROBE_ROWS])
{
    int64_t count = 0;
    for (int64_t i = problem->n; i-- > 0 && count < PROBE_ROWS;)
        if (volt_loss_weight(problem, i) > 0)
            rows[count++] = i;
    for (int64_t i = 0; i < count / 2; i++) {
        int64_t other = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = other;
    }
    return count;
}

/* Absolute one-step prediction errors of column k by ridge regression on the probe rows, into `errors`; L is
 * their factor, w and u receive the forward solves (docs/math.md). Returns the number of errors. */
static int64_t probe_errors(const volt_loss_problem *problem, int64_t k, const int64_t *rows, volt_matrix L,
                            double *w, double *u, double *errors)
{
    int64_t m = L.rows, count = 0;
    double uw = 0, uu = 0;
    for (int64_t i = 0; i < m; i++) {
        w[i] = problem->Y.data[rows[i] * problem->Y.ld + k];
        u[i] = problem->intercept ? 1 : 0;
    }
    volt_cholesky_forward(L, volt_matrix_of(w, m, 1));
    volt_cholesky_forward(L, volt_matrix_of(u, m, 1));
    for (int64_t i = 0; i < m; i++) {
        double c = uu > 0 ? uw / uu : 0;
        if (i >= m / 4)
            errors[count++] = fabs(L.data[i * (L.ld + 1)] * (w[i] - u[i] * c));
        uw += u[i] * w[i];
        uu += u[i] * u[i];
    }
    return count;
}

/* The scale of the residuals, 1.4826 times their median, the least of any column; 1 if unknown. */
static volt_status residual_scale(const volt_loss_problem *problem, double *scale)
{
    int64_t rows[PROBE_ROWS], m = probe_rows(problem, rows), pivot = 0;
    double *memory = volt_alloc_doubles(m + 3, m);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_matrix L = volt_matrix_of(memory, m, m);
    double *w = memory + m * m, *u = w + m, *errors = u + m, least = INFINITY;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            L.data[i * m + j] = i == j ? problem->diagonal[rows[i]] + problem->alpha
                                       : problem->K.data[rows[j] * problem->K.ld + rows[i]];
    volt_cholesky_factor(L, NULL, &pivot);
    for (int64_t k = 0; pivot == 0 && k < problem->columns; k += problem->group) {
        int64_t count = probe_errors(problem, k, rows, L, w, u, errors);
        volt_sort(errors, count);
        if (count > 0 && errors[count / 2] > 0)
            least = fmin(least, 1.4826 * errors[count / 2]);
    }
    volt_free(memory);
    *scale = isfinite(least) ? least : 1;
    return VOLT_OK;
}

/* ---- working memory --------------------------------------------------------------------------- */

typedef struct loss_workspace {
    double *diagonal, *r1, *p;
    volt_matrix G;
} loss_workspace;

static void release(loss_workspace *space)
{
    volt_free(space->diagonal);
    volt_free(space->p);
    volt_free(space->G.data);
}

/* An upper bound of the largest eigenvalue: the largest row sum. */
static volt_status norm_of(volt_matrix K, double *norm)
{
    VOLT_TRY(volt_cpu_backend.norm(volt_as_view(K), norm));
    VOLT_REQUIRE(isfinite(*norm), VOLT_ERR_NOT_FINITE, "the Gram matrix contains a value that is not finite");
    return VOLT_OK;
}

static volt_status prepare(volt_matrix K, const volt_loss_task *task, loss_workspace *space,
                           volt_loss_problem *problem)
{
    const volt_loss *loss = task->loss;
    int64_t n = K.rows, columns = task->Y.cols;
    space->diagonal = volt_alloc_doubles(n, 2);
    space->p = volt_alloc_doubles(columns, 1);
    space->G = volt_matrix_of(volt_alloc_doubles(n, columns), n, columns);
    if (!space->diagonal || !space->p || !space->G.data)
        return VOLT_ERR_MEMORY;
    space->r1 = space->diagonal + n;
    for (int64_t i = 0; i < n; i++)
        space->diagonal[i] = K.data[i * (K.ld + 1)];
    for (int64_t k = 0; k < columns; k++) {
        double value = loss->count > 0 ? loss->values[k % loss->count] : 0;
        space->p[k] = loss->kind->in_units && task->units ? value / task->units[k] : value;
    }
    *problem = (volt_loss_problem){.loss = loss,
                                   .n = n,
                                   .columns = columns,
                                   .group = loss->kind->row ? columns : volt_max(loss->count, 1),
                                   .Y = task->Y,
                                   .p = space->p,
                                   .weights = task->weights,
                                   .alpha = task->alpha,
                                   .common = task->common,
                                   .intercept = task->intercept,
                                   .K = K,
                                   .diagonal = space->diagonal};
    VOLT_TRY(norm_of(K, &problem->norm));
    volt_cpu_backend.mirror(K, true);
    return VOLT_OK;
}

/* ---- the factor of the first method ----------------------------------------------------------- */

/* n eps max K_ii of the original K: lower bound for the shift of the diagonal. */
static double rounding_level(const volt_loss_problem *problem)
{
    double largest = 0;
    for (int64_t i = 0; i < problem->n; i++)
        largest = fmax(largest, problem->diagonal[i]);
    return (double)problem->n * DBL_EPSILON * (largest + fabs(problem->common));
}

static double mean_weight(const volt_loss_problem *problem)
{
    double sum = 0;
    int64_t counted = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        sum += volt_loss_weight(problem, i);
        counted += volt_loss_weight(problem, i) > 0;
    }
    return sum / (double)counted;
}

static volt_status choose_rho(const volt_loss_problem *problem, double level, double *rho)
{
    const volt_loss_kind *kind = problem->loss->kind;
    double scale = 1;
    if (kind->by_residuals)
        VOLT_TRY(residual_scale(problem, &scale));
    *rho = kind->rho / scale * mean_weight(problem);
    if (level > 0)
        *rho = fmin(*rho, problem->alpha / (10 * level));
    return VOLT_OK;
}

/* Factors K + (alpha / rho) I, with rho = 0: K + alpha diag(1 / w) of the rows of positive weight. r1: the solution for 1. */
static volt_status factor(const volt_loss_problem *problem, double rho, double level, double *r1, double *rcond)
{
    volt_matrix L = problem->K;
    int64_t pivot = 0;
    double least = INFINITY, most = 0, largest = rho;
    for (int64_t i = 0; i < L.rows; i++) {
        double w = rho > 0 ? rho : volt_loss_weight(problem, i);
        largest = fmax(largest, w);
        r1[i] = w > 0 ? 1 : 0;
        L.data[i * (L.ld + 1)] = problem->diagonal[i] + problem->alpha / w;
        if (w == 0)
            volt_cpu_backend.isolate(L, i, 0, L.rows, 1);
    }
    volt_cholesky_factor(L, problem->stage, &pivot);
    if (!volt_stage_should_continue(problem->stage))
        return volt_stage_end(problem->stage);
    if (pivot)
        return volt_ridge_singular(pivot, L.rows, problem->alpha / largest, level);
    for (int64_t i = 0; i < L.rows; i++) {
        double d = L.data[i * (L.ld + 1)];
        least = fmin(least, d);
        most = fmax(most, d);
    }
    *rcond = least * least / (most * most);
    if (problem->intercept)
        volt_loss_solve_factor(L, volt_matrix_of(r1, L.rows, 1));
    return VOLT_OK;
}

/* ---- methods ---------------------------------------------------------------------------------- */

static bool is_closed(const volt_loss_problem *problem, const volt_loss_state *state, double tolerance)
{
    return state->gap <= volt_loss_gap_tolerance(problem, tolerance, state->objective);
}

/* A change of rho in the first method. */
typedef struct other_rho {
    const volt_loss_problem *problem;
    double level, *r1, *rcond;
} other_rho;

static volt_status refactor(void *context, double rho)
{
    const other_rho *other = context;
    volt_cpu_backend.mirror(other->problem->K, false);
    return factor(other->problem, rho, other->level, other->r1, other->rcond);
}

/* The constants in state->c have zero loss, so f = 0 with them is optimal. The gap remains 0. */
static void take_constant(const volt_loss_problem *problem, volt_loss_state *state)
{
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < problem->columns; k++) {
            state->A.data[i * state->A.ld + k] = 0;
            state->U.data[i * state->U.ld + k] = state->c[k];
        }
    state->objective = problem->ceiling;
}

/* The minimum for squares, and its certificate. */
static volt_status solve_squares(const volt_loss_problem *problem, const volt_loss_task *task,
                                 loss_workspace *space, volt_loss_state *state, double *rcond)
{
    int64_t n = problem->n, m = problem->columns;
    double *certificate = volt_alloc_doubles(n, 2 * m), ones = 0;
    volt_status status =
        certificate ? factor(problem, 0, rounding_level(problem), space->r1, rcond) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < m; k++)
                state->A.data[i * state->A.ld + k] =
                    volt_loss_weight(problem, i) > 0 ? problem->Y.data[i * problem->Y.ld + k] : 0;
        volt_loss_solve_factor(problem->K, state->A);
        for (int64_t i = 0; i < n; i++)
            ones += space->r1[i];
        for (int64_t k = 0; k < m; k++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += state->A.data[i * state->A.ld + k];
            state->c[k] = problem->intercept ? sum / ones : 0;
            for (int64_t i = 0; i < n; i++) {
                double *a = &state->A.data[i * state->A.ld + k];
                *a -= space->r1[i] * state->c[k];
                state->G.data[i * state->G.ld + k] = -problem->alpha * *a;
            }
        }
        volt_loss_certify(problem, task->tolerance, state, certificate);
    }
    volt_free(certificate);
    return status;
}

static volt_status minimise(const volt_loss_problem *problem, const volt_loss_task *task, loss_workspace *space,
                            volt_loss_state *state, volt_loss_result *result)
{
    const volt_loss_kind *kind = problem->loss->kind;
    double level = rounding_level(problem), rho;
    if (kind == &volt_loss_squares) {
        result->steps = 1;
        return solve_squares(problem, task, space, state, &result->rcond);
    }
    VOLT_TRY(choose_rho(problem, level, &rho));
    VOLT_TRY(factor(problem, rho, level, space->r1, &result->rcond));
    volt_admm_task first = {.r1 = space->r1,
                            .rho = rho,
                            .tolerance = task->tolerance,
                            .max_steps = kind->row      ? (task->tried ? TRIED_STEPS : CLASS_STEPS)
                                         : kind->smooth ? SMOOTH_STEPS
                                                        : LINE_STEPS,
                            .every = kind->smooth ? CHECK_EVERY : LINE_STEPS,
                            .needs_convergence = task->tolerance <= EXACT};
    other_rho other = {problem, level, space->r1, &result->rcond};
    if (kind->row) { /* there is no second method for these */
        first.refactor = refactor;
        first.context = &other;
        first.min_rho = 1e-6 * rho;
        first.max_rho = level > 0 ? fmax(problem->alpha / (10 * level), rho) : 1e6 * rho;
    }
    VOLT_TRY(volt_admm_run(problem, &first, state, &result->steps));
    if (kind->row || (is_closed(problem, state, task->tolerance) && task->tolerance > EXACT))
        return VOLT_OK;
    volt_newton_task second = {.rho = 10 * rho,
                               .max_rho = level > 0 ? fmax(problem->alpha / (10 * level), 10 * rho) : 1e8 * rho,
                               .min_shift = 10 * level,
                               .tolerance = task->tolerance,
                               .one_more = task->tolerance <= EXACT,
                               .max_steps = NEWTON_STEPS};
    return volt_newton_run(problem, &second, state, &result->newton_steps);
}

/* a' K a is the squared norm of a function. If it is negative beyond rounding, K is not a Gram matrix, the
 * problem is not convex, and objective and gap are meaningless. */
static volt_status check_norm(const volt_loss_problem *problem, const volt_loss_state *state)
{
    double energy = 0, rounding = 0, level = rounding_level(problem);
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < problem->columns; k++) {
            double a = state->A.data[i * state->A.ld + k];
            double u = state->U.data[i * state->U.ld + k];
            energy += a * (u - state->c[k]);
            rounding += 10 * level * a * a + 10 * DBL_EPSILON * fabs(a) * (fabs(u) + fabs(state->c[k]));
        }
    if (energy >= -rounding)
        return VOLT_OK;
    return volt_fail(
        VOLT_ERR_SINGULAR,
        "the squared norm of the fitted function is %.3g, below 0 by more than the rounding level "
        "n eps max K_ii = %.3g allows, so the Gram matrix is not positive semidefinite; use a larger "
        "alpha or another kernel",
        energy, level);
}

/* A gap far above the tolerance means that the readout is not the minimum. Several classes have no second
 * method and a loose bound, so their gap is only a warning. */
static volt_status check_gap(const volt_loss_problem *problem, const volt_loss_task *task,
                             const volt_loss_state *state, const volt_loss_result *result)
{
    double most = volt_loss_gap_tolerance(problem, fmax(OPEN, task->tolerance), state->objective);
    if (state->gap <= most || (problem->loss->kind->row && isfinite(state->gap)))
        return VOLT_OK;
    return volt_fail(VOLT_ERR_SINGULAR,
                     "loss %s with alpha %g: the duality gap is %.3g of the objective after %" PRId64
                     " iterations, and %.3g is required; use a larger alpha",
                     task->loss->text, task->alpha, state->gap / fabs(state->objective),
                     result->steps + result->newton_steps, task->tolerance);
}

volt_status volt_loss_minimise(volt_matrix K, const volt_loss_task *task, volt_loss_result *result)
{
    loss_workspace space = {0};
    volt_loss_problem problem;
    volt_loss_state state = {.A = result->A, .U = result->U, .c = result->c};
    volt_stage stage;
    volt_stage_begin(&stage, task->progress, "factor", task->from, task->share, volt_cholesky_units(K.rows));
    result->steps = result->newton_steps = 0;
    result->rcond = 1;
    volt_status status = prepare(K, task, &space, &problem);
    if (status == VOLT_OK) {
        state.G = space.G;
        problem.stage = &stage;
        volt_loss_bound(&problem, state.c);
        if (problem.ceiling <= problem.floor)
            take_constant(&problem, &state);
        else
            status = minimise(&problem, task, &space, &state, result);
    }
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        status = check_norm(&problem, &state);
    if (status == VOLT_OK)
        status = check_gap(&problem, task, &state, result);
    result->objective = state.objective;
    result->gap = state.gap;
    if (status == VOLT_OK && !task->tried && !is_closed(&problem, &state, task->tolerance))
        volt_log(VOLT_LOG_WARNING,
                 "loss %s: the duality gap is %.3g of the objective after %d steps, tolerance %.3g",
                 task->loss->text, state.gap / fabs(state.objective),
                 (int)(result->steps + result->newton_steps), task->tolerance);
    release(&space);
    return status;
}

/* Moves a matrix with `from` fewer columns, which begins at M.data, behind `from` columns of 0. */
static void spread_columns(volt_matrix M, int64_t from)
{
    for (int64_t i = M.rows; i-- > 0 && from > 0;)
        for (int64_t k = M.cols; k-- > 0;)
            M.data[i * M.cols + k] = k < from ? 0 : M.data[i * (M.cols - from) + k - from];
}

volt_status volt_loss_minimise_outputs(volt_matrix K, const volt_loss_task *task, volt_loss_result *result)
{
    int64_t n = K.rows, q = task->Y.cols, from = volt_loss_first_column(task->loss);
    volt_matrix A = result->A, U = result->U;
    volt_loss_task less = *task;
    less.Y = (volt_view){task->Y.data + from, n, q - from, task->Y.ld};
    less.units = task->units ? task->units + from : NULL;
    if (less.alpha == 0)
        VOLT_TRY(volt_loss_choose(K, &less, &less.alpha));
    result->alpha = less.alpha;
    result->A = volt_matrix_of(A.data, n, q - from);
    result->U = volt_matrix_of(U.data, n, q - from);
    volt_status status = volt_loss_minimise(K, &less, result);
    result->A = A;
    result->U = U;
    VOLT_TRY(status);
    spread_columns(A, from);
    spread_columns(U, from);
    spread_columns(volt_matrix_of(result->c, 1, q), from);
    for (int64_t k = 0; k < q; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += A.data[i * q + k];
        result->c[k] -= task->common * sum;
    }
    return VOLT_OK;
}
