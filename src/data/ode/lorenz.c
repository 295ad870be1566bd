/* src/data/ode/lorenz.c: the Lorenz system of 1963.
 *
 *     u' = sigma (v - u)      v' = rho u - v - u w      w' = u v - beta w
 *
 * Two methods. The classical Runge-Kutta scheme takes one step of fixed length per row. The accurate method
 * expands the solution in its Taylor series: with u = sum u_k t^k and so on,
 *
 *     (k+1) u_{k+1} = sigma (v_k - u_k)
 *     (k+1) v_{k+1} = rho u_k - v_k - sum_j u_j w_{k-j}
 *     (k+1) w_{k+1} = sum_j u_j v_{k-j} - beta w_k
 *
 * to order 24, with steps short enough that the last two terms are below eps/2 of the state (Jorba and Zou, "A
 * software package for the numerical integration of ODEs by means of high-order Taylor methods", Experimental
 * Mathematics 14, 2005). A row takes the number of steps it needs. Each has an error of about eps times the
 * state, which the system amplifies by e^(0.9 t): the error of a row is about 1e-15 e^(0.9 t) of the largest
 * state. */
#include "base/error.h"
#include "data/ode/ode.h"
#include "data/process.h"
#include "data/system_table.h"
#include "volterra/data.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ORDER = 24, LOOK_EVERY = 1024 /* Taylor steps between two progress reports */ };

typedef struct lorenz {
    double sigma, rho, beta, step;
    double state[3], carry[3]; /* carry: see volt_add_compensated */
} lorenz;

static void field(const double *x, int half, const void *parameters, double *dx)
{
    (void)half;
    const lorenz *system = parameters;
    dx[0] = system->sigma * (x[1] - x[0]);
    dx[1] = system->rho * x[0] - x[1] - x[0] * x[2];
    dx[2] = x[0] * x[1] - system->beta * x[2];
}

static volt_status rk4_step(void *state, volt_stage *stage)
{
    (void)stage;
    lorenz *system = state;
    double work[VOLT_RK4_WORK(3)];
    volt_rk4_step(field, system, 3, system->step, system->state, work);
    return VOLT_OK;
}

/* ---- the accurate method ---------------------------------------------------------------------- */

/* Taylor coefficients of the solution from the current state. */
static void expand(const lorenz *system, double c[3][ORDER + 1])
{
    double *u = c[0], *v = c[1], *w = c[2];
    for (int i = 0; i < 3; i++)
        c[i][0] = system->state[i];
    for (int k = 0; k < ORDER; k++) {
        double scale = 1.0 / (k + 1);
        u[k + 1] = scale * (system->sigma * (v[k] - u[k]));
        v[k + 1] = scale * (system->rho * u[k] - v[k] - volt_taylor_product(u, w, k));
        w[k + 1] = scale * (volt_taylor_product(u, v, k) - system->beta * w[k]);
    }
}

/* Largest coefficient of order k among the three series. */
static double largest(double c[3][ORDER + 1], int k)
{
    return fmax(fabs(c[0][k]), fmax(fabs(c[1][k]), fabs(c[2][k])));
}

/* The longest step whose last two terms are below eps/2 of the state; 0 when a series has overflowed. */
static double longest_step(double c[3][ORDER + 1])
{
    double allowed = DBL_EPSILON / 2 * largest(c, 0);
    double longest = HUGE_VAL;
    for (int k = ORDER - 1; k <= ORDER; k++) {
        double size = largest(c, k);
        if (size > 0)
            longest = fmin(longest, pow(allowed / size, 1.0 / k));
    }
    for (int i = 0; i < 3; i++)
        if (!isfinite(c[i][ORDER]) || !isfinite(c[i][ORDER - 1]))
            return 0;
    return longest;
}

static volt_status taylor_step(void *state, volt_stage *stage)
{
    lorenz *system = state;
    double left = system->step;
    for (int64_t taken = 1; left > 0; taken++) {
        double c[3][ORDER + 1];
        expand(system, c);
        double h = fmin(left, longest_step(c));
        if (left - h == left)
            return volt_fail(VOLT_ERR_NOT_FINITE,
                             "the Lorenz system diverges within a time of %g after (%g, %g, %g)", left, c[0][0],
                             c[1][0], c[2][0]);
        for (int i = 0; i < 3; i++)
            volt_add_compensated(&system->state[i], &system->carry[i], volt_taylor_increment(c[i], ORDER, h));
        left -= h;
        if (taken % LOOK_EVERY == 0 && !volt_stage_advance(stage, 0))
            return VOLT_OK;
    }
    return VOLT_OK;
}

/* ---- public ----------------------------------------------------------------------------------- */

volt_status volt_lorenz_run(const volt_system_entry *entry, const volt_simulate_options *options,
                            volt_matrix out)
{
    (void)entry;
    lorenz system = {
        .sigma = options->sigma, .rho = options->rho, .beta = options->beta, .step = options->step};
    memcpy(system.state, options->start, sizeof system.state);
    volt_process process = {
        .name = "the Lorenz system",
        .state = &system,
        .row = system.state,
        .cols = 3,
        .lead = 0,
        .every = 1,
        .discard = options->discard,
        .step = options->method == VOLT_ODE_RK4 ? rk4_step : taylor_step,
    };
    return volt_process_run(&process, options->progress, out);
}
