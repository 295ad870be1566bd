/* src/solve/loss/loss_links.c: losses with a link function: classes (logistic, multinomial) and counts
 * (poisson).
 *
 * logistic, two classes as one function: y = +-1, l = log(1 + exp(-y u)), l*(g) = p log p + (1 - p) log(1 -
 * p) with p = -g y in [0, 1]. multinomial, one function per class: l = log sum exp u - u_y, l*(g) = sum p_k
 * log p_k with p = g + e_y in the simplex. l + l* - g u is the divergence of p from the probabilities of u.
 * poisson: l = exp(u) - y u; with p = g + y >= 0, l*(g) = p log p - p, and l + l* - g u = exp(u) - p + p
 * (log p - u). */
#include "base/error.h"
#include "solve/loss/loss.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { MAX_ROOT_STEPS = 200 };

/* f(of, x, d) returns the value of an increasing function at x, and its derivative in *d. Finds the root in
 * [low, high] by Newton's method, with bisection if a step leaves the interval. */
static double increasing_root(double (*f)(const void *of, double x, double *d), const void *of, double low,
                              double high)
{
    double x = low + (high - low) / 2;
    for (int i = 0; i < MAX_ROOT_STEPS; i++) {
        double d, value = f(of, x, &d);
        if (value == 0)
            return x;
        if (value > 0)
            high = x;
        else
            low = x;
        double next = x - value / d;
        /* also at regular intervals, because Newton's method may be slow */
        if (!(next > low && next < high) || i % 8 == 7)
            next = low + (high - low) / 2;
        if (fabs(next - x) <= 2 * DBL_EPSILON * fabs(x) || next == x)
            return next;
        x = next;
    }
    return x;
}

/* p log(p / q) - p + q: at least 0, and exactly 0 if they are equal. */
static double divergence(double p, double q)
{
    return p > 0 ? fmax(p * log(p / q) - p + q, 0) : q;
}

static double sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

/* ---- two classes ------------------------------------------------------------------------------ */

static double logistic_value(double p, double y, double u)
{
    (void)p;
    double m = y * u;
    return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
}

static double logistic_excess(double p, double y, double u, double g)
{
    (void)p;
    double share = -g * y, m = y * u;
    /* exp(-m) underflows before log(share / sigmoid) becomes inaccurate: use the logarithm of the sigmoid */
    double off = sigmoid(-m), log_off = -logistic_value(0, -y, u), log_on = -logistic_value(0, y, u);
    double a = share > 0 ? share * (log(share) - log_off) : 0;
    double b = share < 1 ? (1 - share) * (log1p(-share) - log_on) : 0;
    return off == share ? 0 : fmax(a + b, 0);
}

/* A target under a smoothed loss (loss.h). */
typedef struct eased_target {
    double y, v, rho;
} eased_target;

static double class_root(const void *of, double u, double *d)
{
    const eased_target *e = of;
    double s = sigmoid(-e->y * u);
    *d = s * (1 - s) + e->rho;
    return -e->y * s + e->rho * (u - e->v);
}

static void logistic_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    (void)p;
    double at = u;
    if (!isinf(rho)) {
        eased_target e = {y, u + g0 / rho, rho};
        at = y > 0 ? increasing_root(class_root, &e, e.v, e.v + 1 / rho)
                   : increasing_root(class_root, &e, e.v - 1 / rho, e.v);
    }
    double s = sigmoid(-y * at), bend = s * (1 - s);
    *g = -y * s;
    *d = isinf(rho) ? bend : rho * bend / (rho + bend);
}

static void logistic_range(double p, double y, double *low, double *high)
{
    (void)p;
    *low = y > 0 ? -1 : 0;
    *high = y > 0 ? 0 : 1;
}

static double at_zero(double y)
{
    (void)y;
    return 0;
}

static void softmax(int64_t m, double *u)
{
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < m; k++)
        top = fmax(top, u[k]);
    for (int64_t k = 0; k < m; k++)
        sum += u[k] = exp(u[k] - top);
    for (int64_t k = 0; k < m; k++)
        u[k] /= sum;
}

static const char softmax_code[] = "double top = u[0], sum = 0.0;\n"
                                   "int k;\n"
                                   "for (k = 1; k < m; k++)\n"
                                   "    top = u[k] > top ? u[k] : top;\n"
                                   "for (k = 0; k < m; k++) {\n"
                                   "    u[k] = exp(u[k] - top);\n"
                                   "    sum += u[k];\n"
                                   "}\n"
                                   "for (k = 0; k < m; k++)\n"
                                   "    u[k] /= sum;\n";

/* -log of the probability of the class, bounded away from 0. */
static double log_loss(int64_t m, double y, const double *forecast)
{
    (void)m;
    return -log(fmax(forecast[(int64_t)y], 1e-300));
}

const volt_loss_kind volt_loss_logistic = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "logistic",
             .meaning = "log(1 + exp(-y u)): probabilities of two classes",
             .score = "log loss",
             .constant = "class frequencies",
             .classes = 2,
             .unscaled = 1},
    .smooth = true,
    .rho = 0.1,
    .value = logistic_value,
    .excess = logistic_excess,
    .slope = logistic_slope,
    .range = logistic_range,
    .start = at_zero,
    .link = softmax,
    .link_code = softmax_code,
    .score = log_loss,
};

/* ---- several ---------------------------------------------------------------------------------- */

static double log_sum(int64_t m, const double *u)
{
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < m; k++)
        top = fmax(top, u[k]);
    for (int64_t k = 0; k < m; k++)
        sum += exp(u[k] - top);
    return top + log(sum);
}

static double row_value(int64_t m, const double *y, const double *u)
{
    double at = 0;
    for (int64_t k = 0; k < m; k++)
        at += y[k] * u[k];
    return log_sum(m, u) - at;
}

static double row_excess(int64_t m, const double *y, const double *u, const double *g)
{
    double sum = 0, log_all = log_sum(m, u);
    for (int64_t k = 0; k < m; k++)
        sum += divergence(fmax(g[k] + y[k], 0), exp(u[k] - log_all));
    return sum;
}

enum { MAX_STEPS = 60 };

/* F(x) = softmax(x) - y + rho (x - v), whose root is the prox; returns its largest element. */
static double row_residual(int64_t m, const double *y, const double *v, double rho, const double *x, double *p,
                           double *F)
{
    double log_all = log_sum(m, x), size = 0;
    for (int64_t k = 0; k < m; k++) {
        p[k] = exp(x[k] - log_all);
        F[k] = p[k] - y[k] + rho * (x[k] - v[k]);
        size = fmax(size, fabs(F[k]));
    }
    return size;
}

/* Newton's method with (diag p - p p' + rho I)^{-1}; steps are halved while the residual grows. */
static void row_slope(int64_t m, const double *y, const double *u, const double *g0, double rho, double *g)
{
    double x[VOLT_MAX_LEVELS], v[VOLT_MAX_LEVELS], p[VOLT_MAX_LEVELS], F[VOLT_MAX_LEVELS];
    double next[VOLT_MAX_LEVELS], step[VOLT_MAX_LEVELS];
    for (int64_t k = 0; k < m; k++)
        x[k] = v[k] = u[k] + g0[k] / rho;
    double size = row_residual(m, y, v, rho, x, p, F);
    for (int i = 0; i < MAX_STEPS && size > 1e-15; i++) {
        double pF = 0, pp = 0;
        for (int64_t k = 0; k < m; k++) {
            pF += p[k] * F[k] / (p[k] + rho);
            pp += p[k] * p[k] / (p[k] + rho);
        }
        for (int64_t k = 0; k < m; k++) /* Sherman-Morrison formula */
            step[k] = (F[k] + p[k] * pF / (1 - pp)) / (p[k] + rho);
        double length = 2, found = size;
        int halved = 0;
        do {
            length /= 2;
            for (int64_t k = 0; k < m; k++)
                next[k] = x[k] - length * step[k];
            found = row_residual(m, y, v, rho, next, p, F);
        } while (!(found < size) && ++halved < MAX_STEPS);
        if (!(found < size))
            break; /* rounding level reached */
        size = found;
        for (int64_t k = 0; k < m; k++)
            x[k] = next[k];
    }
    double log_all = log_sum(m, x);
    for (int64_t k = 0; k < m; k++)
        g[k] = exp(x[k] - log_all) - y[k];
}

static const volt_loss_row multinomial_row = {.value = row_value, .excess = row_excess, .slope = row_slope};

const volt_loss_kind volt_loss_multinomial = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "multinomial",
             .meaning = "log sum exp u - u_y: probabilities of several classes",
             .score = "log loss",
             .constant = "class frequencies",
             .classes = VOLT_MAX_LEVELS,
             .unscaled = 1},
    .smooth = true,
    .rho = 0.1,
    .row = &multinomial_row,
    .start = at_zero,
    .link = softmax,
    .link_code = softmax_code,
    .score = log_loss,
};

/* ---- counts ----------------------------------------------------------------------------------- */

static double poisson_value(double p, double y, double u)
{
    (void)p;
    return exp(u) - y * u;
}

static double poisson_excess(double p, double y, double u, double g)
{
    (void)p;
    double mean = exp(u), slope = g + y;
    return slope > 0 ? fmax(mean - slope + slope * (log(slope) - u), 0) : mean;
}

static double count_root(const void *of, double u, double *d)
{
    const eased_target *e = of;
    double mean = exp(u);
    *d = mean + e->rho;
    return mean - e->y + e->rho * (u - e->v);
}

/* The root is between v and log y, and not below v - 1 unless its exp is at most rho. */
static void poisson_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    (void)p;
    double at = u;
    if (!isinf(rho)) {
        eased_target e = {y, u + g0 / rho, rho};
        double other = y > 0 ? log(y) : -INFINITY;
        double low = fmax(fmin(e.v, other), fmin(e.v - 1, log(rho)));
        double high = fmin(fmax(e.v, other), e.v + y / rho);
        high = fmin(high, fmax(log(y + rho * (e.v - low)), low)); /* exp(u) = y + rho (v - u) at the root */
        at = high > low ? increasing_root(count_root, &e, low, high) : low;
    }
    double mean = exp(at);
    *g = mean - y;
    *d = isinf(rho) ? mean : rho * mean / (rho + mean);
}

static void poisson_range(double p, double y, double *low, double *high)
{
    (void)p;
    *low = -y;
    *high = INFINITY;
}

static double poisson_start(double y)
{
    return log(y + 0.5);
}

static volt_status poisson_check(double y, int64_t row)
{
    VOLT_REQUIRE(y >= 0, VOLT_ERR_DATA,
                 "the target of row %" PRId64 " is %g, but counts must be at least 0 (loss poisson)", row + 1,
                 y);
    return VOLT_OK;
}

static void exponential(int64_t m, double *u)
{
    for (int64_t k = 0; k < m; k++)
        u[k] = exp(u[k]);
}

static const char exponential_code[] = "int k;\n"
                                       "for (k = 0; k < m; k++)\n"
                                       "    u[k] = exp(u[k]);\n";

/* Half the deviance: y log(y / mean) - y + mean. */
static double poisson_score(int64_t m, double y, const double *forecast)
{
    (void)m;
    double mean = fmax(forecast[0], 1e-300);
    return y > 0 ? y * log(y / mean) - y + mean : mean;
}

const volt_loss_kind volt_loss_poisson = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "poisson",
             .meaning = "exp(u) - y u: the mean of counts, exp(u)",
             .score = "half poisson deviance",
             .constant = "mean count",
             .outputs = 1,
             .unscaled = 1},
    .smooth = true,
    .rho = 0.3,
    .value = poisson_value,
    .excess = poisson_excess,
    .slope = poisson_slope,
    .range = poisson_range,
    .start = poisson_start,
    .check = poisson_check,
    .link = exponential,
    .link_code = exponential_code,
    .score = poisson_score,
};
