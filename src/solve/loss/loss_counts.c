/* src/solve/loss/loss_counts.c: the loss of counts, poisson with the logarithm as link.
 *
 * l = exp(u) - y u; with p = g + y >= 0, l*(g) = p log p - p, and l + l* - g u = exp(u) - p + p (log p - u). */
#include "solve/loss/loss.h"
#include "solve/loss/scalar_root.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

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

typedef struct eased_count {
    double y, v, rho;
} eased_count;

static double count_root(const void *of, double u, double *d)
{
    const eased_count *e = of;
    double mean = exp(u);
    *d = mean + e->rho;
    return mean - e->y + e->rho * (u - e->v);
}

/* The root lies between v and log y, and not below v - 1 unless exp of it is at most rho. */
static void poisson_slope(double p, double y, double u, double g0, double rho, double *g, double *d)
{
    (void)p;
    double at = u;
    if (!isinf(rho)) {
        eased_count e = {y, u + g0 / rho, rho};
        double other = y > 0 ? log(y) : -INFINITY;
        double low = fmax(fmin(e.v, other), fmin(e.v - 1, log(rho)));
        double high = fmin(fmax(e.v, other), e.v + y / rho);
        high = fmin(high, fmax(log(y + rho * (e.v - low)), low)); /* exp(u) = y + rho (v - u) there */
        at = high > low ? volt_increasing_root(count_root, &e, low, high) : low;
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
                 "the target of row %" PRId64 " is %g, and counts must be at least 0 (loss poisson)", row + 1,
                 y);
    return VOLT_OK;
}

static void exponential(int64_t m, double *u)
{
    for (int64_t k = 0; k < m; k++)
        u[k] = exp(u[k]);
}

/* Half the deviance: y log(y / mean) - y + mean. */
static double poisson_score(int64_t m, double y, const double *forecast)
{
    (void)m;
    double mean = fmax(forecast[0], 1e-300);
    return y > 0 ? y * log(y / mean) - y + mean : mean;
}

const volt_loss_kind volt_loss_poisson = {
    .info = {.name = "poisson",
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
    .score = poisson_score,
};
