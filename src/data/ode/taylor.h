/* src/data/ode/taylor.h: the arithmetic of truncated Taylor series, and sums that lose nothing.
 *
 * A series is an array of coefficients c[0], c[1], ... of the powers of the time since its start. */
#ifndef DATA_TAYLOR_H
#define DATA_TAYLOR_H

/* Coefficient k of the product of two series: sum_{j=0..k} a[j] b[k-j]. */
static inline double volt_taylor_product(const double *a, const double *b, int k)
{
    double sum = 0;
    for (int j = 0; j <= k; j++)
        sum += a[j] * b[k - j];
    return sum;
}

/* The value at time t less the value at 0: sum_{k=1..order} c[k] t^k, by Horner's rule. */
static inline double volt_taylor_increment(const double *c, int order, double t)
{
    double sum = 0;
    for (int k = order; k >= 1; k--)
        sum = (sum + c[k]) * t;
    return sum;
}

/* *value += increment, where *carry holds what rounding took from the sums before (Knuth's two-sum).
 * Thousands of short steps then add up without the rounding of each. */
static inline void volt_add_carried(double *value, double *carry, double increment)
{
    double small = increment + *carry;
    double sum = *value + small;
    double kept = sum - *value;
    *carry = (*value - (sum - kept)) + (small - kept);
    *value = sum;
}

#endif
