/* src/solve/loss/active_newton.c: Newton on active rows; the formulas are in loss_methods.h. */
#include "solve/loss/loss_methods.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MAX_TRIALS = 60,
    MAX_STALLS = 4,
    MAX_SMOOTH_STALLS = 40,
    MAX_GUESSES = 12,
    MAX_RISES = 2,
    MATRICES = 14
};

/* One group of columns: n x m each, m = problem->group. */
typedef struct newton {
    const volt_loss_problem *problem;
    volt_loss_problem of_group; /* the same problem with only the columns of the group */
    double rho;
    /* the readout, u = K a + 1 c, the slopes that the envelope is centred at, the slopes at u */
    volt_matrix a, u, g0, g;
    volt_matrix da, kda; /* the step: coefficients, K da */
    volt_matrix trial;   /* slopes along the line */
    volt_matrix saved_a, saved_u,
        /* restored after a failed step; the slopes of the last smoothed problem solved */
        solved;
    volt_matrix best_a, best_u;        /* the readout of the least gap so far */
    double *certificate;               /* n x 2 m */
    double *c, *dc, *saved_c, *best_c; /* m */
    double objective, gap;             /* of the best readout */
    volt_loss_directions directions;
    double *memory;
} newton;

static volt_status begin(const volt_loss_problem *problem, const volt_newton_task *task,
                         const volt_loss_state *state, int64_t k, newton *run)
{
    int64_t n = problem->n, m = problem->group;
    run->problem = problem;
    run->of_group = *problem;
    run->of_group.columns = m;
    run->of_group.Y = (volt_view){problem->Y.data + k, n, m, problem->Y.ld};
    run->of_group.p = problem->p + k;
    volt_loss_bound(&run->of_group, NULL);
    run->rho = problem->loss->kind->smooth ? INFINITY : task->rho;
    run->gap = INFINITY;
    run->memory = volt_alloc_doubles(n * MATRICES + 4, m);
    if (!run->memory)
        return VOLT_ERR_MEMORY;
    volt_matrix *parts[] = {&run->a,       &run->u,      &run->g0,     &run->g,
                            &run->da,      &run->kda,    &run->trial,  &run->saved_a,
                            &run->saved_u, &run->solved, &run->best_a, &run->best_u};
    double *next = run->memory;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++, next += n * m)
        *parts[i] = volt_matrix_of(next, n, m);
    run->certificate = next;
    run->c = next + 2 * n * m;
    run->dc = run->c + m;
    run->saved_c = run->dc + m;
    run->best_c = run->saved_c + m;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            run->a.data[i * m + j] = state->A.data[i * state->A.ld + k + j];
            run->u.data[i * m + j] = state->U.data[i * state->U.ld + k + j];
            run->solved.data[i * m + j] = state->G.data[i * state->G.ld + k + j];
        }
    memcpy(run->c, state->c + k, (size_t)m * sizeof *run->c);
    return VOLT_OK;
}

static void release(newton *run)
{
    volt_free(run->memory);
    volt_free(run->directions.items);
    volt_free(run->directions.numbers);
}

/* Slopes and directions at u. */
static volt_status find_slopes(newton *run)
{
    int64_t m = run->of_group.group;
    run->directions.size = run->directions.numbers_size = 0;
    for (int64_t i = 0; i < run->of_group.n; i++)
        VOLT_TRY(volt_loss_row_slope(&run->of_group, i, 0, run->u.data + i * m, run->g0.data + i * m, run->rho,
                                     run->g.data + i * m, &run->directions));
    return VOLT_OK;
}

/* The largest distance of u from its target: the largest useful step of an intercept. */
static double reach(const newton *run)
{
    volt_view Y = run->of_group.Y;
    double most = 0;
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t j = 0; j < Y.cols; j++)
            if (volt_loss_weight(run->problem, i) > 0)
                most = fmax(most, fabs(run->u.data[i * Y.cols + j] - Y.data[i * Y.ld + j]));
    return most;
}

/* The largest element of alpha a + g. */
static double residual(const newton *run)
{
    double most = 0;
    for (int64_t i = 0; i < run->a.rows * run->a.cols; i++)
        most = fmax(most, fabs(run->problem->alpha * run->a.data[i] + run->g.data[i]));
    return most;
}

static double largest_slope(const newton *run)
{
    double most = 0;
    for (int64_t i = 0; i < run->g.rows * run->g.cols; i++)
        most = fmax(most, fabs(run->g.data[i]));
    return most;
}

/* ---- line search ------------------------------------------------------------------------------ */

/* The derivative of the smoothed objective at a share `tau` of the step; `linear` and `square` are a' K da
 * and da' K da. */
static volt_status derivative(newton *run, double tau, double linear, double square, double *value)
{
    int64_t m = run->of_group.group;
    double sum = run->problem->alpha * (linear + tau * square), u[VOLT_MAX_LEVELS];
    for (int64_t i = 0; i < run->of_group.n; i++) {
        double *g = run->trial.data + i * m;
        for (int64_t j = 0; j < m; j++)
            u[j] = run->u.data[i * m + j] + tau * (run->kda.data[i * m + j] + run->dc[j]);
        VOLT_TRY(volt_loss_row_slope(&run->of_group, i, 0, u, run->g0.data + i * m, run->rho, g, NULL));
        for (int64_t j = 0; j < m; j++)
            sum += g[j] * (run->kda.data[i * m + j] + run->dc[j]);
    }
    *value = isnan(sum) ? INFINITY : sum;
    return VOLT_OK;
}

/* The step length; 0: no further decrease. */
static volt_status search_line(newton *run, double *tau)
{
    double linear = 0, square = 0, at_0, at_1;
    for (int64_t i = 0; i < run->a.rows; i++)
        for (int64_t j = 0; j < run->a.cols; j++) {
            int64_t e = i * run->a.cols + j;
            linear += (run->u.data[e] - run->c[j]) * run->da.data[e];
            square += run->kda.data[e] * run->da.data[e];
        }
    VOLT_TRY(derivative(run, 0, linear, square, &at_0));
    VOLT_TRY(derivative(run, 1, linear, square, &at_1));
    *tau = at_0 < 0 ? 1 : 0;
    if (!(at_0 < 0) || at_1 <= -0.1 * at_0)
        return VOLT_OK;
    double low = 0, high = 1, slope_low = at_0, slope_high = at_1;
    for (int i = 0; i < MAX_TRIALS; i++) {
        /* alternately the secant and the midpoint, geometric if the ends differ by orders of magnitude */
        double chord = low + (high - low) * slope_low / (slope_low - slope_high), now;
        double middle = high > 16 * low ? fmax(high / 64, sqrt(low * high)) : low + (high - low) / 2;
        double next = i % 2 == 0 && isfinite(slope_high) ? chord : middle;
        VOLT_TRY(derivative(run, next, linear, square, &now));
        *tau = next;
        if (fabs(now) <= -0.1 * at_0)
            break;
        if (now < 0) {
            low = next;
            slope_low = now;
        } else {
            high = next;
            slope_high = now;
        }
    }
    return VOLT_OK;
}

/* ---- a step ----------------------------------------------------------------------------------- */

static void take_step(newton *run, double tau)
{
    int64_t m = run->of_group.group;
    for (int64_t i = 0; i < run->a.rows; i++)
        for (int64_t j = 0; j < m; j++) {
            run->a.data[i * m + j] += tau * run->da.data[i * m + j];
            run->u.data[i * m + j] += tau * (run->kda.data[i * m + j] + run->dc[j]);
        }
    for (int64_t j = 0; j < m; j++)
        run->c[j] += tau * run->dc[j];
}

static void copy(volt_matrix from, volt_matrix to)
{
    memcpy(to.data, from.data, (size_t)(from.rows * from.cols) * sizeof(double));
}

static bool is_closed(const newton *run, const volt_newton_task *task)
{
    return run->gap <= volt_loss_gap_tolerance(&run->of_group, task->tolerance, run->objective);
}

/* Certifies the readout with these slopes (NULL: -alpha a), stores it if it is the best so far, and returns
 * its gap. */
static double certify(newton *run, const volt_newton_task *task, const double *slopes)
{
    volt_loss_state state = {.A = run->a, .U = run->kda, .G = run->trial, .c = run->dc}; /* after a step */
    for (int64_t i = 0; i < run->a.rows * run->a.cols; i++)
        run->trial.data[i] = slopes ? slopes[i] : -run->problem->alpha * run->a.data[i];
    memcpy(state.c, run->c, (size_t)run->a.cols * sizeof *state.c);
    volt_loss_certify(&run->of_group, task->tolerance, &state, run->certificate);
    if (!(state.gap < run->gap))
        return state.gap;
    run->gap = state.gap;
    run->objective = state.objective;
    copy(run->a, run->best_a);
    copy(state.U, run->best_u);
    memcpy(run->best_c, state.c, (size_t)run->a.cols * sizeof *state.c);
    return state.gap;
}

/* ---- piecewise linear losses ------------------------------------------------------------------ */

static volt_status newton_step_of(newton *run, double min_shift)
{
    newton_step made = {.da = run->da, .kda = run->kda, .dc = run->dc, .reach = reach(run)};
    return volt_newton_step(&run->of_group, &run->directions, run->a, run->g, min_shift, run->certificate,
                            &made);
}

/* Multiply rho by `factor`, keeping the set of active rows. */
static void stiffen(newton *run, double factor)
{
    int64_t m = run->of_group.group;
    for (int64_t i = 0; i < run->directions.size; i++) {
        volt_loss_direction *b = &run->directions.items[i];
        const double *x = run->directions.numbers + b->at;
        double *g = run->g.data + b->row * m + b->first, *g0 = run->g0.data + b->row * m + b->first, along = 0;
        for (int64_t j = 0; j < b->count; j++)
            along += x[j] * (g[j] - g0[j]);
        for (int64_t j = 0; j < b->count; j++)
            g[j] += (factor - 1) * along * x[j];
        b->d *= factor;
    }
}

/* Keep the active rows active and the slopes of all others fixed, solve one system, and update the active
 * rows. Close to the solution a few rounds find the minimum; otherwise they may diverge, and the state is
 * restored. */
static volt_status guess_rows(newton *run, const volt_newton_task *task, int64_t *steps)
{
    double last = INFINITY, *c = run->saved_c;
    int rises = 0;
    copy(run->a, run->saved_a);
    copy(run->u, run->saved_u);
    memcpy(c, run->c, (size_t)run->a.cols * sizeof *c);
    for (int round = 0; round < MAX_GUESSES && rises < MAX_RISES; round++) {
        if (!volt_stage_poll(run->problem->stage))
            return volt_stage_end(run->problem->stage);
        for (int64_t i = 0; i < run->a.rows * run->a.cols; i++)
            run->g0.data[i] = -run->problem->alpha * run->a.data[i];
        VOLT_TRY(find_slopes(run));
        stiffen(run, task->max_rho / run->rho);
        VOLT_TRY(newton_step_of(run, task->min_shift));
        take_step(run, 1);
        ++*steps;
        double gap = certify(run, task, NULL);
        if (is_closed(run, task))
            return VOLT_OK;
        rises += gap > last;
        last = gap;
    }
    copy(run->saved_a, run->a);
    copy(run->saved_u, run->u);
    memcpy(run->c, c, (size_t)run->a.cols * sizeof *c);
    return VOLT_OK;
}

/* The minimum of the smoothed problem, by Newton steps. */
static volt_status solve_eased(newton *run, const volt_newton_task *task, int64_t *steps)
{
    for (; *steps < task->max_steps; ++*steps) {
        double tau = 0;
        if (!volt_stage_poll(run->problem->stage))
            return volt_stage_end(run->problem->stage);
        VOLT_TRY(find_slopes(run));
        if (residual(run) <= 1e-9 * largest_slope(run))
            break;
        VOLT_TRY(newton_step_of(run, task->min_shift));
        VOLT_TRY(search_line(run, &tau));
        if (tau == 0)
            break;
        take_step(run, tau);
    }
    return VOLT_OK;
}

static volt_status iterate_lines(newton *run, const volt_newton_task *task, int64_t *steps)
{
    double best = INFINITY;
    for (int stalls = 0; stalls < MAX_STALLS && *steps < task->max_steps;) {
        VOLT_TRY(guess_rows(run, task, steps));
        if (is_closed(run, task))
            break;
        copy(run->solved, run->g0);
        VOLT_TRY(solve_eased(run, task, steps));
        double gap = certify(run, task, run->g.data);
        if (is_closed(run, task))
            break;
        stalls = run->rho == task->max_rho && gap > best / 2 ? stalls + 1 : 0;
        best = fmin(best, gap);
        copy(run->g, run->solved);
        run->rho = fmin(run->rho * 4, task->max_rho);
    }
    return VOLT_OK;
}

/* ---- smooth losses ---------------------------------------------------------------------------- */

static volt_status iterate_smooth(newton *run, const volt_newton_task *task, int64_t *steps)
{
    double best = INFINITY;
    for (int stalls = 0, closed = 0; stalls < MAX_SMOOTH_STALLS && *steps < task->max_steps;) {
        double tau;
        if (!volt_stage_poll(run->problem->stage))
            return volt_stage_end(run->problem->stage);
        VOLT_TRY(find_slopes(run));
        VOLT_TRY(newton_step_of(run, task->min_shift));
        VOLT_TRY(search_line(run, &tau));
        take_step(run, tau > 0 ? tau : 1); /* below rounding in u, the step still brings alpha a closer to -g */
        ++*steps;
        double gap = certify(run, task, NULL);
        closed += is_closed(run, task);
        if (closed > (task->one_more ? 1 : 0))
            break;
        stalls = gap > best / 2 ? stalls + 1 : 0;
        best = fmin(best, gap);
    }
    return VOLT_OK;
}

/* Copy the best readout to the state. */
static void finish(const newton *run, int64_t k, volt_loss_state *state)
{
    int64_t m = run->of_group.group;
    for (int64_t i = 0; i < run->a.rows; i++)
        for (int64_t j = 0; j < m; j++) {
            state->A.data[i * state->A.ld + k + j] = run->best_a.data[i * m + j];
            state->U.data[i * state->U.ld + k + j] = run->best_u.data[i * m + j];
            state->G.data[i * state->G.ld + k + j] = -run->problem->alpha * run->best_a.data[i * m + j];
        }
    memcpy(state->c + k, run->best_c, (size_t)m * sizeof *run->c);
}

volt_status volt_newton_run(const volt_loss_problem *problem, const volt_newton_task *task,
                            volt_loss_state *state, int64_t *steps)
{
    volt_status status = VOLT_OK;
    state->objective = state->gap = 0;
    for (int64_t k = 0; status == VOLT_OK && k < problem->columns; k += problem->group) {
        newton run = {0};
        int64_t taken = 0;
        status = begin(problem, task, state, k, &run);
        if (status == VOLT_OK) {
            certify(&run, task, run.solved.data);
            status = problem->loss->kind->smooth ? iterate_smooth(&run, task, &taken)
                                                 : iterate_lines(&run, task, &taken);
        }
        if (status == VOLT_OK && isfinite(run.gap))
            finish(&run, k, state);
        state->objective += run.objective;
        state->gap += run.gap;
        *steps += taken;
        release(&run);
    }
    return status;
}
