/* src/data/ode/mackey_glass.c: the Mackey-Glass equation, and its fixed-step scheme.
 *
 *     x'(t) = a x(t - delay) / (1 + x(t - delay)^power) - b x(t),     x(t) = start for t <= 0
 *
 * The delay is a whole number of steps, lag = delay / step. The fixed-step scheme is the classical Runge-Kutta
 * step with the delayed value held constant over the step: x_{k+1} from x_k with x_{k+1-lag} for x(t - delay).
 * This makes the scheme first order in the step. It generated the published results and is provided to
 * reproduce them. The accurate method uses Taylor series. */
#include "base/memory.h"

#include "base/error.h"
#include "data/ode/ode.h"
#include "data/process.h"
#include "data/system_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Taylor series ------------------------------------------------------------------------------ */

/* The Mackey-Glass equation by the method of steps, to rounding accuracy.
 *
 * Over one step the solution is a Taylor polynomial in s, the time since the start of the step in units of the
 * step h. The delay is a whole number of steps, so the delayed argument over a step is exactly the stored
 * polynomial y of an earlier step (initially the constant history), and the points where the solution is not
 * smooth, the multiples of the delay, are all ends of steps. With q = y / (1 + y^power) the coefficients
 * follow one by one:
 *
 *     1 + y^power = r,     q_k = (y_k - sum_{j<k} q_j r_{k-j}) / r_0,     x_{k+1} = h/(k+1) (a q_k - b x_k)
 *
 * For an integer power, y^power is a product of series, also at y = 0; otherwise, with y_0 > 0,
 *
 *     p_0 = y_0^power,     p_k = sum_{j=1..k} (power j - (k - j)) y_j p_{k-j} / (k y_0).
 *
 * Memory is one delay of polynomials. When the last two of the order + 1 coefficients exceed eps/2 of the
 * largest, all later steps are halved: the polynomials of the history are split, which is exact, and the
 * caller still receives steps of h.
 *
 * Accuracy: each step has an error of about eps h max|x'| (the sum over steps is compensated), so with the
 * usual parameters the error over the first ten delays is about 1e-15; the equation then amplifies errors by
 * about e^(0.006 t). */

enum {
    ORDER = 16,
    N_COEFFICIENTS = ORDER + 1,
    MAX_PARTS = 1024,         /* maximum number of parts of a step */
    MAX_WHOLE_POWER = 1 << 20 /* integer powers up to here by products */
};

typedef struct mackey_taylor {
    double a, b, power;
    double part_length;                /* h: step / parts */
    int64_t parts;                     /* a power of two */
    double value, carry;               /* carry: see volt_add_compensated */
    double (*delayed)[N_COEFFICIENTS]; /* ring of the polynomials of the last `lag` parts */
    int64_t lag, oldest;
} mackey_taylor;

static void *alloc_delayed(int64_t lag)
{
    if (volt_memory_require((double)lag * sizeof(double[N_COEFFICIENTS]),
                            "the delayed polynomials of Mackey-Glass") != VOLT_OK)
        return NULL;
    return volt_alloc(lag, sizeof(double[N_COEFFICIENTS]));
}

/* NULL when out of memory (with a message). `lag` is the delay in steps. */
static mackey_taylor *mackey_taylor_create(const volt_simulate_options *options, int64_t lag)
{
    mackey_taylor *equation = volt_alloc(1, sizeof *equation);
    if (!equation)
        return NULL;
    *equation = (mackey_taylor){
        .a = options->a,
        .b = options->b,
        .power = options->power,
        .part_length = options->step,
        .parts = 1,
        .value = options->start[0],
        .delayed = alloc_delayed(lag),
        .lag = lag,
    };
    if (!equation->delayed) {
        volt_free(equation);
        return NULL;
    }
    for (int64_t i = 0; i < lag; i++) {
        memset(equation->delayed[i], 0, sizeof equation->delayed[i]);
        equation->delayed[i][0] = options->start[0];
    }
    return equation;
}

static void mackey_taylor_free(mackey_taylor *equation)
{
    if (!equation)
        return;
    volt_free(equation->delayed);
    volt_free(equation);
}

/* ---- series ----------------------------------------------------------------------------------- */

/* product <- product * factor; from the highest coefficient down, since each needs the lower ones. */
static void multiply(double *product, const double *factor)
{
    for (int k = ORDER; k >= 0; k--)
        product[k] = volt_taylor_product(product, factor, k);
}

/* p <- y^n by repeated squaring. */
static void whole_power(const double *y, int64_t n, double *p)
{
    double square[N_COEFFICIENTS];
    memcpy(square, y, sizeof square);
    memset(p, 0, N_COEFFICIENTS * sizeof *p);
    p[0] = 1;
    for (; n > 0; n /= 2) {
        if (n % 2)
            multiply(p, square);
        if (n > 1)
            multiply(square, square);
    }
}

/* p <- y^power for any power; y[0] > 0. */
static void real_power(const double *y, double power, double *p)
{
    p[0] = pow(y[0], power);
    for (int k = 1; k <= ORDER; k++) {
        double sum = 0;
        for (int j = 1; j <= k; j++)
            sum += (power * j - (k - j)) * y[j] * p[k - j];
        p[k] = sum / (k * y[0]);
    }
}

/* q <- y / (1 + y^power). */
static void delayed_term(const double *y, double power, double *q)
{
    double r[N_COEFFICIENTS];
    if (power <= MAX_WHOLE_POWER && power == floor(power))
        whole_power(y, (int64_t)power, r);
    else
        real_power(y, power, r);
    r[0] += 1;
    for (int k = 0; k <= ORDER; k++) {
        double sum = y[k];
        for (int j = 0; j < k; j++)
            sum -= q[j] * r[k - j];
        q[k] = sum / r[0];
    }
}

/* x <- the solution over the next part, from its value and the polynomial one delay ago. */
static void expand(const mackey_taylor *equation, double *x)
{
    double q[N_COEFFICIENTS];
    delayed_term(equation->delayed[equation->oldest], equation->power, q);
    x[0] = equation->value;
    for (int k = 0; k < ORDER; k++)
        x[k + 1] = equation->part_length / (k + 1) * (equation->a * q[k] - equation->b * x[k]);
}

static bool is_finite(const double *x)
{
    for (int k = 0; k <= ORDER; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

static bool has_converged(const double *x)
{
    double largest = 0;
    for (int k = 0; k <= ORDER; k++)
        largest = fmax(largest, fabs(x[k]));
    return fabs(x[ORDER - 1]) + fabs(x[ORDER]) <= DBL_EPSILON / 2 * largest;
}

/* ---- step halving ----------------------------------------------------------------------------- */

/* The two halves of a polynomial on [0, 1], each as a polynomial on [0, 1]:
 * left(s) = x(s/2) and right(s) = x((1 + s)/2) = left(1 + s), a shift by synthetic division. */
static void halve(const double *x, double *left, double *right)
{
    for (int k = 0; k <= ORDER; k++)
        right[k] = left[k] = ldexp(x[k], -k);
    for (int i = 0; i < ORDER; i++)
        for (int k = ORDER - 1; k >= i; k--)
            right[k] += right[k + 1];
}

/* Halves every part, including those of the history. */
static volt_status halve_parts(mackey_taylor *equation)
{
    VOLT_REQUIRE(equation->parts < MAX_PARTS, VOLT_ERR_NOT_FINITE,
                 "the Mackey-Glass equation cannot be continued from the value %g: its series does not "
                 "converge over 1/%d of the step",
                 equation->value, MAX_PARTS);
    double(*finer)[N_COEFFICIENTS] = alloc_delayed(2 * equation->lag);
    if (!finer)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < equation->lag; i++)
        halve(equation->delayed[(equation->oldest + i) % equation->lag], finer[2 * i], finer[2 * i + 1]);
    volt_free(equation->delayed);
    equation->delayed = finer;
    equation->oldest = 0;
    equation->lag *= 2;
    equation->parts *= 2;
    equation->part_length /= 2;
    return VOLT_OK;
}

/* One step of options->step; a volt_process step. VOLT_ERR_NOT_FINITE when the solution cannot be continued,
 * VOLT_ERR_MEMORY when a finer history does not fit in memory. */
static volt_status mackey_taylor_step(void *state, volt_stage *stage)
{
    mackey_taylor *equation = state;
    int64_t part = 0;
    while (part < equation->parts) {
        double x[N_COEFFICIENTS];
        expand(equation, x);
        if (!is_finite(x))
            return volt_fail(VOLT_ERR_NOT_FINITE,
                             "the Mackey-Glass equation cannot be continued: a term overflows or its "
                             "denominator vanishes after the value %g, with the delayed value %g",
                             equation->value, equation->delayed[equation->oldest][0]);
        if (!has_converged(x)) {
            VOLT_TRY(halve_parts(equation));
            part *= 2;
            continue;
        }
        memcpy(equation->delayed[equation->oldest], x, sizeof x);
        equation->oldest = equation->oldest + 1 < equation->lag ? equation->oldest + 1 : 0;
        volt_add_compensated(&equation->value, &equation->carry, volt_taylor_increment(x, ORDER, 1));
        part++;
    }
    if (equation->parts > 1) /* a step takes longer now: up to MAX_PARTS microseconds */
        volt_stage_advance(stage, 0);
    return VOLT_OK;
}

/* ---- the series --------------------------------------------------------------------------------- */

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
    mackey_taylor *equation = mackey_taylor_create(options, lag);
    if (!equation)
        return VOLT_ERR_MEMORY;
    process->state = equation;
    process->row = &equation->value;
    process->step = mackey_taylor_step;
    volt_status status = volt_process_run(process, options->progress, out);
    mackey_taylor_free(equation);
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
