/* src/solve/loss/loss_residuals.c: losses of the residual r = y - u.
 *
 * squares r^2/2; huber r^2/2 up to |r| = delta and linear beyond; expectile w r^2, w = q above the
 * prediction and 1 - q below; quantile max(q r, (q - 1) r); epsilon max(|r| - epsilon, 0). The slopes of the
 * envelopes of the last two are the line rho (u - y) + g0, clipped to the bounds of l'. */
#include "base/numbers.h"
#include "solve/loss/loss.h"

#include <math.h>

/* For k (u - y)^2 / 2: the slope of its envelope and the derivative of the slope. */
static double eased(double k, double y, double u, double g0, double rho, double *d)
{
    *d = isinf(rho) ? k : k * rho / (k + rho);
    return isinf(rho) ? k * (u - y) : k * (g0 + rho * (u - y)) / (k + rho);
}

static void everywhere(double p, double y, double *low, double *high)
{
    (void)p;
    (void)y;
    *low = -INFINITY;
    *high = INFINITY;
}

/* ---- squares ---------------------------------------------------------------------------------- */

static double squares_value(double p, double y, double u)
{
    (void)p;
    return (y - u) * (y - u) / 2;
}

static double squares_excess(double p, double y, double u, double g)
{
    (void)p;
    return (y - u + g) * (y - u + g) / 2;
}

static void squares_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    (void)p;
    *g = eased(1, y, u, g0, rho, d);
}

const volt_loss_kind volt_loss_squares = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "squares",
             .meaning = "(y - u)^2 / 2: the mean",
             .score = "half squared error",
             .constant = "constant",
             .outputs = 1},
    .smooth = true,
    .rho = 1,
    .value = squares_value,
    .excess = squares_excess,
    .slope = squares_slope,
    .range = everywhere,
};

/* ---- huber ------------------------------------------------------------------------------------ */

static double huber_value(double p, double y, double u)
{
    double r = fabs(y - u);
    return r <= p ? r * r / 2 : p * r - p * p / 2;
}

static double huber_excess(double p, double y, double u, double g)
{
    double r = y - u;
    if (fabs(r) <= p)
        return (r + g) * (r + g) / 2;
    /* p |r| - p^2/2 + g r + g^2/2 = (p + s g)(|r| - p) + (p + s g)^2 / 2, s the sign of r */
    double rest = p + copysign(g, r * g);
    return rest * (fabs(r) - p) + rest * rest / 2;
}

static void huber_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    *g = eased(1, y, u, g0, rho, d);
    if (fabs(*g) >= p) {
        *g = copysign(p, *g);
        *d = 0;
    }
}

static void huber_range(double p, double y, double *low, double *high)
{
    (void)y;
    *low = -p;
    *high = p;
}

const volt_loss_kind volt_loss_huber = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "huber",
             .meaning = "(y - u)^2 / 2 up to delta, linear beyond: a mean that is robust to outliers",
             .parameter = "delta",
             .score = "huber loss",
             .constant = "constant",
             .outputs = 1},
    .high = INFINITY,
    .in_units = true,
    .smooth = true,
    .rho = 0.3,
    .value = huber_value,
    .excess = huber_excess,
    .slope = huber_slope,
    .range = huber_range,
};

/* ---- expectile -------------------------------------------------------------------------------- */

static double expectile_weight(double q, double r)
{
    return r > 0 ? q : 1 - q;
}

static double expectile_value(double p, double y, double u)
{
    double r = y - u;
    return expectile_weight(p, r) * r * r;
}

static double expectile_excess(double p, double y, double u, double g)
{
    double r = y - u, w = expectile_weight(p, r), v = expectile_weight(p, -g);
    if (w == v) {
        double root = 2 * w * r + g;
        return root * root / (4 * w);
    }
    return w * r * r + g * r + g * g / (4 * v); /* different weights: r and g have the same sign */
}

static void expectile_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    double off = isinf(rho) ? u - y : g0 + rho * (u - y);
    *g = eased(2 * expectile_weight(p, -off), y, u, g0, rho, d);
}

const volt_loss_kind volt_loss_expectile = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "expectile",
             .meaning = "q (y - u)^2 above u, (1 - q)(y - u)^2 below: the expectile at q",
             .parameter = "q",
             .score = "expectile loss",
             .constant = "constant",
             .outputs = 1},
    .high = 1,
    .smooth = true,
    .rho = 1,
    .value = expectile_value,
    .excess = expectile_excess,
    .slope = expectile_slope,
    .range = everywhere,
};

/* ---- quantile --------------------------------------------------------------------------------- */

static double quantile_value(double p, double y, double u)
{
    double r = y - u;
    return fmax(p * r, (p - 1) * r);
}

static double quantile_excess(double p, double y, double u, double g)
{
    double r = y - u;
    return r > 0 ? (p + g) * r : (p - 1 + g) * r;
}

static void quantile_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    double x = g0 + rho * (u - y);
    *g = fmin(fmax(x, -p), 1 - p);
    *d = x > -p && x < 1 - p ? rho : 0;
}

static void quantile_range(double p, double y, double *low, double *high)
{
    (void)y;
    *low = -p;
    *high = 1 - p;
}

/* Levels of one target never cross. */
static void quantile_link(int64_t m, double *u)
{
    if (m > 1)
        volt_sort(u, m);
}

/* Insertion sort: there are few levels. */
static const char sort_code[] = "int i, k;\n"
                                "for (i = 1; i < m; i++) {\n"
                                "    const double value = u[i];\n"
                                "    for (k = i; k > 0 && u[k - 1] > value; k--)\n"
                                "        u[k] = u[k - 1];\n"
                                "    u[k] = value;\n"
                                "}\n";

const volt_loss_kind volt_loss_quantile = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "quantile",
             .meaning = "q (y - u) above u, (1 - q)(u - y) below: the quantile at q, or several, q=0.1/0.5/0.9",
             .parameter = "q",
             .score = "pinball loss",
             .constant = "constant quantile",
             .outputs = 1,
             .several = 1},
    .high = 1,
    .rho = 0.3,
    .by_residuals = true,
    .value = quantile_value,
    .excess = quantile_excess,
    .slope = quantile_slope,
    .range = quantile_range,
    .link = quantile_link,
    .link_code = sort_code,
};

/* ---- epsilon ---------------------------------------------------------------------------------- */

static double epsilon_value(double p, double y, double u)
{
    return fmax(fabs(y - u) - p, 0);
}

static double epsilon_excess(double p, double y, double u, double g)
{
    double r = y - u, far = fabs(r) - p, same = copysign(g, r * g); /* > 0 if g pushes u away from y */
    return far > 0 ? (1 + same) * far + p * (same + fabs(g)) : fabs(g) * p + g * r;
}

static void epsilon_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    double x = g0 + rho * (u - y), size = fabs(x) - rho * p;
    *g = copysign(fmin(fmax(size, 0), 1), x);
    *d = size > 0 && size < 1 ? rho : 0;
}

static void epsilon_range(double p, double y, double *low, double *high)
{
    (void)p;
    (void)y;
    *low = -1;
    *high = 1;
}

const volt_loss_kind volt_loss_epsilon = {
    .info = {.struct_size = sizeof(volt_loss_info),
             .name = "epsilon",
             .meaning = "|y - u| beyond epsilon, 0 within: support vector regression",
             .parameter = "epsilon",
             .score = "epsilon-insensitive loss",
             .constant = "constant",
             .outputs = 1},
    .high = INFINITY,
    .in_units = true,
    .rho = 0.3,
    .by_residuals = true,
    .value = epsilon_value,
    .excess = epsilon_excess,
    .slope = epsilon_slope,
    .range = epsilon_range,
};
