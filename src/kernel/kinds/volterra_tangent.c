/* src/kernel/kinds/volterra_tangent.c: derivatives of the Volterra kernel by its parameters, down the diagonals beside it.
 *
 * With the factor f = lambda^2 kappa(s) of a step, K[i][j] = 1 + f K[i-1][j-1], and for any parameter p
 *
 *     K'[i][j] = f (K'[i-1][j-1] + r K[i-1][j-1]),     r = d log f / dp = a + b g(s)
 *     a = d log lambda^2 / dp,   b = d log tau^2 / dp (lift rbf: d log gamma / dp),   g = d log kappa / d log tau^2:
 *
 *     geometric    t / (1 - t)                t = tau^2 <x, y>
 *     even         2 t^2 / (1 - t^2)
 *     exponential  t
 *     poly:p       (sum i t^i) / (sum t^i)
 *     rbf          -gamma |x - y|^2           (d log kappa / d log gamma)
 *
 * The state of a diagonal is (K, K'); a zero past has K = 1 / (1 - lambda^2), K' = a lambda^2 / (1 - lambda^2)^2. M stays
 * what it is, and a lambda that is given by its share of the bound moves with tau: log lambda^2 = const - log sup kappa. */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/kinds/volterra_lift.h"

#include <math.h>

typedef struct slope {
    double t, lambda2; /* t: tau^2, or the rate of an exponential */
    double a, b;
    int64_t degree;
} slope;
VOLT_OWN_NUMBERS(slope)

/* `value` and `rate`, expressions in the local value s: f, and r times f. They are inlined, and the loop vectorises. */
#define STEP_BOTH(value, rate)                                  \
    const slope own = slope_of(&scan->own);                     \
    double t = own.t, lambda2 = own.lambda2;                    \
    double a = own.a, b = own.b;                                \
    double *restrict kernels = state;                           \
    double *restrict slopes = state + stride;                   \
    for (int64_t r = 0; r < rows; r++) {                        \
        const double *restrict row = local + r * ld_local;      \
        double *restrict row_out = out + r * ld_out;            \
        for (int64_t k = 0; k < count; k++) {                   \
            double ts = t * row[k];                             \
            double f = (value);                                 \
            double moved = f * (slopes[k] + (rate)*kernels[k]); \
            kernels[k] = 1 + f * kernels[k];                    \
            slopes[k] = moved;                                  \
            row_out[k] = moved;                                 \
        }                                                       \
    }

VOLT_CLONES_WIDE
static void step_geometric(const volt_scan *scan, int64_t rows, double *local, int64_t ld_local, double *state,
                           int64_t stride, double *out, int64_t ld_out,
                           int64_t count){STEP_BOTH(lambda2 / (1 - ts), a + b * ts / (1 - ts))}

VOLT_CLONES_WIDE
    static void step_even(const volt_scan *scan, int64_t rows, double *local, int64_t ld_local, double *state,
                          int64_t stride, double *out, int64_t ld_out, int64_t count){
        STEP_BOTH(lambda2 / (1 - ts * ts), a + 2 * b * ts * ts / (1 - ts * ts))}

VOLT_CLONES_WIDE static void step_exp(const volt_scan *scan, int64_t rows, double *local, int64_t ld_local,
                                      double *state, int64_t stride, double *out, int64_t ld_out,
                                      int64_t count){STEP_BOTH(lambda2 * volt_exp(ts), a + b * ts)}

/* sum t^i and sum i t^i, i <= degree, by Horner's rule for both. */
VOLT_INLINE void power_sums(double t, int64_t degree, double *sum, double *weighted)
{
    *sum = 1;
    *weighted = 0;
    for (int64_t p = 0; p < degree; p++) {
        *weighted = t * (*sum + *weighted);
        *sum = 1 + t * *sum;
    }
}

/* The powers are summed number by number: rates become 0/0 nowhere, and the degree is small. */
static void step_poly(const volt_scan *scan, int64_t rows, double *local, int64_t ld_local, double *state,
                      int64_t stride, double *out, int64_t ld_out, int64_t count)
{
    const slope own = slope_of(&scan->own);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < count; k++) {
            double sum = 1, weighted = 0, *kernel = state + k, *moved = state + stride + k;
            power_sums(own.t * local[r * ld_local + k], own.degree, &sum, &weighted);
            *moved = own.lambda2 * (sum * *moved + (own.a * sum + own.b * weighted) * *kernel);
            *kernel = 1 + own.lambda2 * sum * *kernel;
            out[r * ld_out + k] = *moved;
        }
}

static volt_scan_step step_of(lift kind)
{
    switch (kind) {
    case GEOMETRIC:
        return step_geometric;
    case EVEN:
        return step_even;
    case POLY:
        return step_poly;
    case EXPONENTIAL:
    case RBF:
        break;
    }
    return step_exp;
}

/* g at t, which for the bound of lambda is tau^2 M^2 with the room that resolve leaves. */
static double log_slope(lift kind, double t, int64_t degree)
{
    double sum = 1, weighted = 0;
    switch (kind) {
    case GEOMETRIC:
        return t / (1 - t);
    case EVEN:
        return 2 * t * t / ((1 - t) * (1 + t));
    case EXPONENTIAL:
        return t;
    case POLY:
    case RBF: /* which has no tau */
        break;
    }
    power_sums(t, degree, &sum, &weighted);
    return weighted / sum;
}

bool volt_volterra_tangent(const volt_kernel *kernel, const volt_resolved *resolved, int p, volt_scan *tangent)
{
    const constants own = constants_of(&resolved->scan.own);
    double value = kernel->value[p], radius = resolved->facts.radius;
    slope made = {.t = own.kind == RBF || own.kind == EXPONENTIAL ? own.rate : own.tau2,
                  .lambda2 = own.lambda2,
                  .degree = own.degree};
    if (p == LAMBDA || p == LAMBDA_COEF) {
        made.a = 2 / value;
    } else if (p == GAMMA) {
        made.b = 1 / value;
    } else if (p == TAU || p == TAU_COEF) {
        double t = own.tau2 * radius * radius * (1 + rounding_room(resolved->d));
        made.b = 2 / value;
        if (kernel->present[LAMBDA_COEF])
            made.a = -made.b * log_slope(own.kind, t, own.degree);
    } else {
        return false;
    }
    double rest = 1 - own.lambda2;
    *tangent = (volt_scan){.step = step_of(own.kind),
                           .state_size = 2,
                           .start = {1 / rest, made.a * own.lambda2 / (rest * rest)},
                           .distance = resolved->scan.distance,
                           .own = slope_keep(made)};
    return true;
}
