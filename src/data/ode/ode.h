/* src/data/ode/ode.h: arithmetic of truncated Taylor series, compensated sums, and Runge-Kutta steps.
 *
 * A series is an array of coefficients c[0], c[1], ... of the powers of the time since its start. */
#ifndef DATA_ODE_ODE_H
#define DATA_ODE_ODE_H

#include "base/progress.h"
#include "data/system_table.h"
#include "volterra/data.h"

/* Coefficient k of the product of two series: sum_{j=0..k} a[j] b[k-j]. */
static inline double volt_taylor_product(const double *a, const double *b, int k)
{
    double sum = 0;
    for (int j = 0; j <= k; j++)
        sum += a[j] * b[k - j];
    return sum;
}

/* The value at time t minus the value at 0: sum_{k=1..order} c[k] t^k, by Horner's rule. */
static inline double volt_taylor_increment(const double *c, int order, double t)
{
    double sum = 0;
    for (int k = order; k >= 1; k--)
        sum = (sum + c[k]) * t;
    return sum;
}

/* *value += increment with compensated summation: *carry holds the rounding error of the previous sums
 * (Knuth's two-sum). */
static inline void volt_add_compensated(double *value, double *carry, double increment)
{
    double small = increment + *carry;
    double sum = *value + small;
    double kept = sum - *value;
    *carry = (*value - (sum - kept)) + (small - kept);
    *value = sum;
}

/* ---- one step of the classical Runge-Kutta method, inlined into each system --------------------
 *     k1 = f(x)   k2 = f(x + h/2 k1)   k3 = f(x + h/2 k2)   k4 = f(x + h k3)
 *     x <- x + h/6 (k1 + 2 k2 + 2 k3 + k4) */

/* Numbers in the workspace of a step. */
#define VOLT_RK4_WORK(dim) (5 * (dim))

static inline void volt_rk4_step(volt_derivative field, const void *parameters, int64_t dim, double h,
                                 double *x, double *work)
{
    double *k1 = work, *k2 = k1 + dim, *k3 = k2 + dim, *k4 = k3 + dim, *at = k4 + dim;
    field(x, 0, parameters, k1);
    for (int64_t i = 0; i < dim; i++)
        at[i] = x[i] + h / 2 * k1[i];
    field(at, 1, parameters, k2);
    for (int64_t i = 0; i < dim; i++)
        at[i] = x[i] + h / 2 * k2[i];
    field(at, 1, parameters, k3);
    for (int64_t i = 0; i < dim; i++)
        at[i] = x[i] + h * k3[i];
    field(at, 2, parameters, k4);
    for (int64_t i = 0; i < dim; i++)
        x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

#endif
