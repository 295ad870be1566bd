/* src/kernel/kinds/volterra.c: the Volterra reservoir kernel and its family of lifts.
 *
 *     K[i][j] = 1 + lambda^2 kappa(x_i, y_j) K[i-1][j-1]        (Gonon, Grigoryeva, Ortega, eq. for the
 *                                                               Gram matrix in section II.B)
 *
 * with the paper's kappa(z, z') = 1 / (1 - tau^2 <z, z'>) ("geometric") or another positive definite kappa.
 * The state of a diagonal is K. For zero inputs K = 1 / (1 - lambda^2 kappa(0, 0)), and kappa(0, 0) = 1 for
 * every lift.
 *
 * Bounds: with t = tau^2 M^2 and |z| <= M, sup kappa is
 *
 *     geometric    1 / (1 - t)           t < 1
 *     even         1 / (1 - t^2)         t < 1
 *     exponential  exp(t)
 *     poly:p       1 + t + ... + t^p
 *     rbf          1
 *
 * and the recursion converges if lambda^2 sup kappa < 1. */
#include "base/clones.h"
#include "base/error.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"
#include "text/text.h"

#include <float.h>
#include <math.h>

/* ---- parameters ------------------------------------------------------------------------------- */

enum { TAU, TAU_COEF, GAMMA, LAMBDA, LAMBDA_COEF, LIFT, N_PARAMETERS };

typedef enum lift { GEOMETRIC, EVEN, EXPONENTIAL, POLY, RBF } lift;

static inline lift lift_of(const volt_kernel *kernel)
{
    return (lift)(int)kernel->value[LIFT];
}

typedef struct constants {
    double tau2, lambda2;
    double rate; /* of the exponential: tau^2, or -gamma with lift=rbf */
    lift kind;
    int64_t degree; /* lift=poly:P */
} constants;
VOLT_KERNEL_CONSTANTS(constants)

/* Rounding tolerance of inner products of inputs on the sphere |z| = M, which is subtracted from the bounds. */
static inline double rounding_tolerance(int64_t d)
{
    return 2 * volt_norm_tolerance(d);
}

static const char *const lift_words[] = {"geometric", "even", "exponential", "poly:", "rbf", NULL};

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [TAU] = {VOLT_REAL("tau", "(0, inf)", 0, INFINITY, 0),
             .meaning = "weight of products of inputs; tau M < 1 for lifts geometric and even"},
    [TAU_COEF] = {VOLT_REAL("tau_coef", "(0, 1)", 0, 1, 0), VOLT_SEARCHED(LOG, 0.1, 0.995), .fallback = "0.3",
                  .meaning = "tau M, instead of tau; every value in the range is valid"},
    [GAMMA] =
        VOLT_PARAMETER_POSITIVE("gamma", "lift rbf only: exp(-gamma |z - z'|^2)", VOLT_UNIT_ONE, 1e-2, 10),
    [LAMBDA] = {VOLT_REAL("lambda", "(0, 1/sqrt(sup kappa))", 0, INFINITY, 0),
                .meaning = "decay factor of earlier inputs; lambda^2 sup kappa < 1"},
    [LAMBDA_COEF] = {VOLT_REAL("lambda_coef", "(0, 1)", 0, 1, 0), VOLT_SEARCHED(LINEAR, 0.01, 0.999),
                     .fallback = "0.9",
                     .meaning =
                         "lambda divided by its bound, instead of lambda; every value in the range is valid"},
    [LIFT] = {VOLT_CHOICE("lift", "geometric, even, exponential, poly:P, rbf", lift_words),
              .fallback = "geometric", .meaning = "the local kernel kappa"},
};

static volt_status set_defaults(volt_kernel *kernel)
{
    volt_kernel_use_fallback(kernel, LIFT);
    VOLT_TRY(volt_kernel_refuse_both(kernel, TAU, TAU_COEF));
    VOLT_TRY(volt_kernel_refuse_both(kernel, LAMBDA, LAMBDA_COEF));
    if (!kernel->present[LAMBDA] && !kernel->present[LAMBDA_COEF])
        volt_kernel_use_fallback(kernel, LAMBDA_COEF);

    if (lift_of(kernel) == RBF) {
        VOLT_REQUIRE(!kernel->present[TAU] && !kernel->present[TAU_COEF], VOLT_ERR_KERNEL,
                     "kernel volterra: lift=rbf uses gamma, not %s", kernel->present[TAU] ? "tau" : "tau_coef");
        volt_kernel_use_fallback(kernel, GAMMA);
        return VOLT_OK;
    }
    VOLT_REQUIRE(!kernel->present[GAMMA], VOLT_ERR_KERNEL,
                 "kernel volterra: gamma requires lift=rbf; other lifts use tau or tau_coef");
    if (!kernel->present[TAU] && !kernel->present[TAU_COEF])
        volt_kernel_use_fallback(kernel, TAU_COEF);
    return VOLT_OK;
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* The recursion on `rows` rows. `factor` is lambda^2 kappa(s), an expression in the local value s. It is
 * inlined, and the inner loop vectorises. */
#define STEP_ROWS(factor)                                  \
    for (int64_t r = 0; r < rows; r++) {                   \
        const double *restrict row = local + r * ld_local; \
        double *restrict row_out = out + r * ld_out;       \
        for (int64_t k = 0; k < count; k++) {              \
            double s = row[k];                             \
            row_out[k] = state[k] = 1 + (factor)*state[k]; \
        }                                                  \
    }

/* Divisions dominate the cost, so two values share one: 1/a = b / (a b), 1/b = a / (a b). The denominators a
 * = 1 - t s (or 1 - t^2 s^2) are in (0, 2), far enough from 0 to avoid underflow. More values per division
 * would save little, because the dependency chain gets longer. */
VOLT_INLINE double denominator(double t, double s, bool even)
{
    double ts = t * s;
    return 1 - (even ? ts * ts : ts);
}

VOLT_INLINE void divide_four_rows(const double *restrict local, int64_t ld_local, double *restrict state,
                                  double *restrict out, int64_t ld_out, int64_t count, double t, double lambda2,
                                  bool even)
{
    const double *restrict row0 = local, *restrict row1 = local + ld_local;
    const double *restrict row2 = row1 + ld_local, *restrict row3 = row2 + ld_local;
    double *restrict out0 = out, *restrict out1 = out + ld_out;
    double *restrict out2 = out1 + ld_out, *restrict out3 = out2 + ld_out;
    for (int64_t k = 0; k < count; k++) {
        double a0 = denominator(t, row0[k], even), a1 = denominator(t, row1[k], even);
        double a2 = denominator(t, row2[k], even), a3 = denominator(t, row3[k], even);
        double inverse01 = lambda2 / (a0 * a1), inverse23 = lambda2 / (a2 * a3);
        double value = 1 + inverse01 * a1 * state[k];
        out0[k] = value;
        value = 1 + inverse01 * a0 * value;
        out1[k] = value;
        value = 1 + inverse23 * a3 * value;
        out2[k] = value;
        value = 1 + inverse23 * a2 * value;
        out3[k] = value;
        state[k] = value;
    }
}

/* One row: the elements of a pair are PAIR entries apart. */
VOLT_INLINE void divide_row(const double *restrict local, double *restrict state, double *restrict out,
                            int64_t count, double t, double lambda2, bool even)
{
    enum { PAIR = 16 };
    int64_t k0 = 0;
    for (; k0 + 2 * PAIR <= count; k0 += 2 * PAIR)
        for (int64_t k = k0; k < k0 + PAIR; k++) {
            double a = denominator(t, local[k], even), b = denominator(t, local[k + PAIR], even);
            double inverse = lambda2 / (a * b);
            out[k] = state[k] = 1 + inverse * b * state[k];
            out[k + PAIR] = state[k + PAIR] = 1 + inverse * a * state[k + PAIR];
        }
    for (int64_t k = k0; k < count; k++)
        out[k] = state[k] = 1 + lambda2 / denominator(t, local[k], even) * state[k];
}

VOLT_INLINE void divide_rows(const volt_scan *scan, int64_t rows, const double *local, int64_t ld_local,
                             double *state, double *out, int64_t ld_out, int64_t count, bool even)
{
    const constants consts = constants_of(&scan->constants);
    double t = consts.tau2, lambda2 = consts.lambda2;
    if (rows == VOLT_SCAN_ROWS)
        divide_four_rows(local, ld_local, state, out, ld_out, count, t, lambda2, even);
    else
        for (int64_t r = 0; r < rows; r++)
            divide_row(local + r * ld_local, state, out + r * ld_out, count, t, lambda2, even);
}

VOLT_CLONES
static void step_geometric(VOLT_STEP_ARGUMENTS)
{
    (void)stride; /* one number of state */
    divide_rows(scan, rows, local, ld_local, state, out, ld_out, count, false);
}

VOLT_CLONES
static void step_even(VOLT_STEP_ARGUMENTS)
{
    (void)stride;
    divide_rows(scan, rows, local, ld_local, state, out, ld_out, count, true);
}

VOLT_CLONES_WIDE
static void step_exp(VOLT_STEP_ARGUMENTS)
{
    (void)stride;
    const constants consts = constants_of(&scan->constants);
    double rate = consts.rate, lambda2 = consts.lambda2;
    STEP_ROWS(lambda2 * volt_exp(rate * s))
}

/* Replaces s by lambda^2 (1 + t s + ... + (t s)^degree): the loop over powers is outside a loop over a
 * chunk, which vectorises. */
VOLT_INLINE void power_sums(double *s, int64_t count, double t, double lambda2, int64_t degree)
{
    enum { CHUNK = 16 };
    for (int64_t k0 = 0; k0 < count; k0 += CHUNK) {
        int64_t width = count - k0 < CHUNK ? count - k0 : CHUNK;
        double ts[CHUNK] = {0}, sum[CHUNK];
        for (int64_t k = 0; k < width; k++)
            ts[k] = t * s[k0 + k];
        for (int k = 0; k < CHUNK; k++)
            sum[k] = 1;
        for (int64_t p = 0; p < degree; p++)
            for (int k = 0; k < CHUNK; k++)
                sum[k] = 1 + ts[k] * sum[k];
        for (int64_t k = 0; k < width; k++)
            s[k0 + k] = lambda2 * sum[k];
    }
}

VOLT_CLONES_WIDE
static void step_poly(VOLT_STEP_ARGUMENTS)
{
    (void)stride;
    const constants consts = constants_of(&scan->constants);
    for (int64_t r = 0; r < rows; r++)
        power_sums(local + r * ld_local, count, consts.tau2, consts.lambda2, consts.degree);
    STEP_ROWS(s)
}

static const volt_scan_step steps[] = {[GEOMETRIC] = step_geometric,
                                       [EVEN] = step_even,
                                       [EXPONENTIAL] = step_exp,
                                       [POLY] = step_poly,
                                       [RBF] = step_exp};

/* Form and text of the step of every lift; `factor` is lambda^2 kappa. */
#define CODE(prepare, factor)                           \
    .step = prepare "a[0] = 1.0 + " factor " * a[0];\n" \
                    "return a[0];\n",                   \
    .rest = prepare "a[0] = 1.0 / (1.0 - " factor ");\n"
static const struct {
    volt_form_kind form;
    volt_scan_code code;
} texts[] = {
    [GEOMETRIC] = {VOLT_FORM_GEOMETRIC, {{"tau2", "lambda2"}, CODE("", "lambda2 / (1.0 - tau2 * s)")}},
    [EVEN] = {VOLT_FORM_EVEN,
              {{"tau2", "lambda2"}, CODE("const double t = tau2 * s;\n", "lambda2 / (1.0 - t * t)")}},
    [EXPONENTIAL] = {VOLT_FORM_EXP, {{"rate", "lambda2"}, CODE("", "lambda2 * exp(rate * s)")}},
    [RBF] = {VOLT_FORM_EXP, {{"rate", "lambda2"}, CODE("", "lambda2 * exp(rate * s)")}},
    [POLY] = {VOLT_FORM_POWERS,
              {{"tau2", "lambda2", "int degree"},
               CODE(
                   "double sum = 1.0;\nint p;\nfor (p = 0; p < degree; p++)\n    sum = 1.0 + tau2 * s * sum;\n",
                   "lambda2 * sum")}},
};

static volt_scan_form form_of(const constants *consts)
{
    double first = texts[consts->kind].form == VOLT_FORM_EXP ? consts->rate : consts->tau2;
    return (volt_scan_form){texts[consts->kind].form, {first, consts->lambda2, (double)consts->degree}};
}

/* ---- power series ----------------------------------------------------------------------------- */

/* For sum_i t^i in one lane: t^p sum_{i >= p} C(i, p) t^(i - p). */
static void poly_taylor(const constants *consts, double x, int order, int lane, volt_lanes *f)
{
    double t = consts->tau2 * x, unit = consts->lambda2;
    for (int p = 0; p <= order; p++, unit *= consts->tau2) {
        double sum = 0, choose = 1, power = 1;
        for (int64_t i = p; i <= consts->degree; i++) {
            sum += choose * power;
            power *= t;
            choose *= (double)(i + 1) / (double)(i + 1 - p);
        }
        f[p][lane] = unit * sum;
    }
}

/* lambda^2 kappa as a function of the local value. */
static void kappa_taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    const constants consts = constants_of(numbers);
    volt_lanes minus[VOLT_MAX_ORDER + 1];
    switch (consts.kind) {
    case GEOMETRIC:
        volt_taylor_inverse(consts.lambda2, consts.tau2, x, order, f);
        return;
    case EVEN: /* 1/(1 - t^2) = (1/(1 - t) + 1/(1 + t)) / 2 */
        volt_taylor_inverse(consts.lambda2 / 2, consts.tau2, x, order, f);
        volt_taylor_inverse(consts.lambda2 / 2, -consts.tau2, x, order, minus);
        for (int p = 0; p <= order; p++)
            for (int k = 0; k < VOLT_JET_LANES; k++)
                f[p][k] += minus[p][k];
        return;
    case POLY:
        for (int k = 0; k < VOLT_JET_LANES; k++)
            poly_taylor(&consts, x[k], order, k, f);
        return;
    case EXPONENTIAL:
    case RBF:
        break;
    }
    volt_taylor_exp(consts.lambda2, consts.rate, x, order, f);
}

static void fixed_point_taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    (void)numbers;
    volt_taylor_inverse(1, 1, x, order, f);
}

/* K = 1 + lambda^2 kappa K. */
static void series_rest(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state)
{
    volt_jet *kappa = &workspace->spare[0];
    volt_jet_compose(workspace, kappa_taylor, &scan->constants, local, kappa);
    volt_jet_compose(workspace, fixed_point_taylor, NULL, kappa, state);
}

static void series_step(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state, volt_jet *out)
{
    volt_jet *kappa = &workspace->spare[0], *next = &workspace->spare[1];
    volt_jet_compose(workspace, kappa_taylor, &scan->constants, local, kappa);
    volt_jet_multiply(workspace->space, workspace->space->order, kappa, state, next);
    volt_jet_shift(1, next);
    volt_jet_swap(next, state);
    if (out)
        volt_jet_copy(workspace->space, state, out);
}

static const volt_scan_series series = {.rest = series_rest, .step = series_step};

/* ---- bounds ---------------------------------------------------------------------------------- */

/* sup of kappa for tau^2 <z, z'> <= t; infinite if the series diverges. */
static double sup_kappa(lift kind, double t, int64_t degree)
{
    switch (kind) {
    case GEOMETRIC:
        return t < 1 ? 1 / (1 - t) : INFINITY;
    case EVEN:
        return t < 1 ? 1 / ((1 - t) * (1 + t)) : INFINITY;
    case EXPONENTIAL:
        return exp(t);
    case POLY: {
        double sum = 1;
        for (int64_t p = 0; p < degree; p++)
            sum = 1 + t * sum;
        return sum;
    }
    case RBF:
        break;
    }
    return 1;
}

static double gain(const volt_resolved *resolved, double norm)
{
    const volt_kernel_facts *facts = &resolved->facts;
    const constants consts = constants_of(&resolved->scan.constants);
    /* With the rounding tolerance of inner products, as in resolve. */
    double t = facts->tau * facts->tau * norm * facts->radius * (1 + rounding_tolerance(resolved->d));
    return facts->lambda * facts->lambda * sup_kappa(consts.kind, t, consts.degree);
}

/* tau^2 M^2, from tau or from tau_coef, which is kept below 1 by the rounding tolerance. */
static volt_status resolve_tau(const volt_kernel *kernel, double radius, double tolerance, double *tau,
                               double *t)
{
    if (kernel->present[TAU]) {
        *tau = kernel->value[TAU];
        *t = *tau * *tau * radius * radius;
    } else {
        double coef = kernel->value[TAU_COEF];
        *t = fmin(coef * coef, 1 - 4 * tolerance);
        *tau = radius > 0 ? sqrt(*t) / radius : coef;
    }
    lift kind = lift_of(kernel);
    char given[VOLT_NUMBER_LENGTH], largest[VOLT_NUMBER_LENGTH];
    VOLT_REQUIRE(
        (kind != GEOMETRIC && kind != EVEN) || *t * (1 + tolerance) < 1, VOLT_ERR_ARGUMENT,
        "tau = %s must stay below 1/M = %.10g for lift %s, M = %s being the largest norm of the inputs",
        volt_format_number(*tau, given), 1 / radius, lift_words[kind], volt_format_number(radius, largest));
    return VOLT_OK;
}

/* K = 1 / (1 - f), where f = lambda^2 kappa is found from a step of K = 1. */
static void rest(const volt_scan *scan, double local, double *state)
{
    double value;
    state[0] = 1;
    scan->step(scan, 1, &local, 1, state, 1, &value, 1, 1);
    state[0] = 1 / (1 - (value - 1));
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    lift kind = lift_of(kernel);
    double tolerance = rounding_tolerance(d), tau = 0, t = 0;
    int64_t degree = (int64_t)kernel->argument[LIFT];
    if (kind != RBF)
        VOLT_TRY(resolve_tau(kernel, radius, tolerance, &tau, &t));

    double sup = sup_kappa(kind, t, degree), sup_with_tolerance = sup_kappa(kind, t * (1 + tolerance), degree);
    double bound = 1 / sqrt(sup);
    double coef = fmin(kernel->value[LAMBDA_COEF], 1 - 4 * DBL_EPSILON); /* its square must not round to 1 */
    double lambda = kernel->present[LAMBDA] ? kernel->value[LAMBDA] : coef / sqrt(sup_with_tolerance);
    char given[VOLT_NUMBER_LENGTH], name[VOLT_VALUE_LENGTH];
    VOLT_REQUIRE(lambda * lambda * sup_with_tolerance < 1, VOLT_ERR_ARGUMENT,
                 "lambda = %s must stay below its bound, %.10g for lift %s with tau M = %.6g",
                 volt_format_number(lambda, given), bound, volt_kernel_value_text(kernel, LIFT, name), sqrt(t));

    double contraction = lambda * lambda * sup;
    volt_kernel_facts facts = {
        .struct_size = sizeof(volt_kernel_facts),
        .radius = radius,
        .tau = tau,
        .lambda = lambda,
        .lambda_bound = bound,
        .sup_kappa = sup,
        .contraction = contraction,
        .largest = 1 / (1 - contraction),
    };
    double zero_state = 1 / (1 - lambda * lambda);
    constants consts = {.tau2 = tau * tau,
                        .lambda2 = lambda * lambda,
                        .rate = kind == RBF ? -kernel->value[GAMMA] : tau * tau,
                        .kind = kind,
                        .degree = degree};
    volt_scan scan = {
        .step = steps[kind],
        .state_size = 1,
        .start = {zero_state},
        .rest = rest,
        .distance = kind == RBF,
        .constants = constants_keep(consts),
        .form = form_of(&consts),
        .code = &texts[kind].code,
    };
    volt_resolved made = {
        .facts = facts,
        .gain = kind == RBF ? NULL : gain,
        .common = kind == RBF ? 0 : zero_state, /* kappa(z, 0) = 1: the border is constant */
        .window = 1,
        .scan = scan,
    };
    *resolved = made;
    return VOLT_OK;
}

/* The even lift ignores the sign of inputs: a symmetry about zero. */
static bool keeps_origin(const volt_kernel *kernel)
{
    return lift_of(kernel) == EVEN;
}

/* For the help: every lift, and its largest value on |z| <= M. */
static const char notes[] =
    "lift         kappa(x, y)                           largest on |z| <= M, t = tau^2 M^2\n"
    "geometric    1 / (1 - tau^2 <x, y>)                1 / (1 - t), t < 1\n"
    "even         1 / (1 - tau^4 <x, y>^2)              1 / (1 - t^2), t < 1\n"
    "exponential  exp(tau^2 <x, y>)                     exp(t)\n"
    "poly:P       1 + s + ... + s^P, s = tau^2 <x, y>   1 + t + ... + t^P\n"
    "rbf          exp(-gamma |x - y|^2)                 1\n";

const volt_kernel_entry volt_kernel_volterra = {
    .info = {VOLT_KERNEL_INFO, .name = "volterra",
             .formula = "K[i][j] = 1 + lambda^2 kappa(x_i, y_j) K[i-1][j-1], kappa = 1/(1 - tau^2 <x, y>)",
             .cost = "O(d); lift=poly:P: O(d + P)", .notes = notes},
    .set_defaults = set_defaults,
    .resolve = resolve,
    .keeps_origin = keeps_origin,
    .series = &series,
};
