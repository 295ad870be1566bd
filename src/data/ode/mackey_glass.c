/* src/data/ode/mackey_glass.c: the Mackey-Glass equation, and its fixed-step scheme.
 *
 *     x'(t) = a x(t - delay) / (1 + x(t - delay)^power) - b x(t),     x(t) = start for t <= 0
 *
 * The delay is a whole number of steps, lag = delay / step. The fixed-step scheme is the classical Runge-Kutta
 * step with the delayed value held constant over the step: x_{k+1} from x_k with x_{k+1-lag} for x(t - delay).
 * This makes the scheme first order in the step. It generated the published results and is provided to
 * reproduce them. The accurate method is in mackey_glass_taylor.c. */
#include "base/memory.h"
#include "data/ode/ode.h"

#include "base/error.h"
#include "data/process.h"
#include "data/system_table.h"

#include <math.h>

typedef struct mackey_rk4 {
    double a, b, power, step;
    double value;
    double delayed_term; /* a y / (1 + y^power) of the delayed value y, held over the step */
    double *delayed;     /* ring of the last `lag` values */
    int64_t lag, oldest;
} mackey_rk4;

/* ---- fixed steps ------------------------------------------------------------------------------ */

static void field(const double *x, int half, const void *parameters, double *dx)
{
    (void)half;
    const mackey_rk4 *equation = parameters;
    dx[0] = equation->delayed_term - equation->b * x[0];
}

/* The ring holds x_{k+1-lag} ... x_k, initially the constant history. The delayed value is the oldest, and
 * the new value replaces it. */
static volt_status rk4_step(void *state, volt_stage *stage)
{
    (void)stage;
    mackey_rk4 *equation = state;
    double delayed = equation->delayed[equation->oldest];
    equation->delayed_term = equation->a * delayed / (1 + pow(delayed, equation->power));
    double work[VOLT_RK4_WORK(1)];
    volt_rk4_step(field, equation, 1, equation->step, &equation->value, work);
    equation->delayed[equation->oldest] = equation->value;
    equation->oldest = equation->oldest + 1 < equation->lag ? equation->oldest + 1 : 0;
    return VOLT_OK;
}

/* ---- public ----------------------------------------------------------------------------------- */

/* The delay in steps, or 0 when it is not a whole number. The relative tolerance of 1e-12 allows for the
 * rounding of decimal values such as 17 and 0.02. */
static int64_t whole_steps(double delay, double step)
{
    double steps = round(delay / step);
    if (!(steps >= 1 && steps < 0x1p53) || fabs(steps * step - delay) > 1e-12 * delay)
        return 0;
    return (int64_t)steps;
}

static volt_status simulate_rk4(const volt_simulate_options *options, int64_t lag, volt_process *process,
                                volt_matrix out)
{
    VOLT_TRY(volt_memory_require((double)lag * sizeof(double), "the delayed values of Mackey-Glass"));
    mackey_rk4 equation = {
        .a = options->a,
        .b = options->b,
        .power = options->power,
        .step = options->step,
        .value = options->start[0],
        .delayed = volt_alloc(lag, sizeof(double)),
        .lag = lag,
    };
    if (!equation.delayed)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < lag; i++)
        equation.delayed[i] = options->start[0];
    process->state = &equation;
    process->row = &equation.value;
    process->step = rk4_step;
    volt_status status = volt_process_run(process, options->progress, out);
    volt_free(equation.delayed);
    return status;
}

static volt_status simulate_accurate(const volt_simulate_options *options, int64_t lag, volt_process *process,
                                     volt_matrix out)
{
    volt_mackey_taylor *equation = volt_mackey_taylor_create(options, lag);
    if (!equation)
        return VOLT_ERR_MEMORY;
    process->state = equation;
    process->row = volt_mackey_taylor_value(equation);
    process->step = volt_mackey_taylor_step;
    volt_status status = volt_process_run(process, options->progress, out);
    volt_mackey_taylor_free(equation);
    return status;
}

volt_status volt_mackey_glass_run(const volt_system_entry *entry, const volt_simulate_options *options,
                                  volt_matrix out)
{
    (void)entry;
    VOLT_REQUIRE(
        whole_steps(options->delay, options->step) >= 1, VOLT_ERR_ARGUMENT,
        "mackey-glass: the delay %.15g must be a whole number of steps, at least 1 (got %.15g steps of %.15g)",
        options->delay, options->delay / options->step, options->step);

    volt_process process = {
        .name = "the Mackey-Glass equation",
        .cols = 1,
        .lead = 1,
        .every = options->every,
        .discard = options->discard,
    };
    int64_t lag = whole_steps(options->delay, options->step);
    return options->method == VOLT_ODE_RK4 ? simulate_rk4(options, lag, &process, out)
                                           : simulate_accurate(options, lag, &process, out);
}
