/* src/solve/loss/loss_absolute.c: losses made of straight lines: quantile and epsilon.
 *
 * With r = y - u: quantile max(q r, (q - 1) r), epsilon max(|r| - epsilon, 0). The slopes of their envelopes are those of
 * the line rho (u - y) + g0, held between the bounds of l'. */
#include "solve/loss/loss.h"

#include "base/numbers.h"

#include <math.h>

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

const volt_loss_kind volt_loss_quantile = {
    .info = {.name = "quantile",
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
};

static double epsilon_value(double p, double y, double u)
{
    return fmax(fabs(y - u) - p, 0);
}

static double epsilon_excess(double p, double y, double u, double g)
{
    double r = y - u, far = fabs(r) - p, same = copysign(g, r * g); /* > 0 where g pushes u away from y */
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
    .info = {.name = "epsilon",
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
