/* src/stats/quantile.c: quantiles of the normal distribution, of Student's t and of chi-square. */
#include "stats/stats_internal.h"

#include <float.h>
#include <math.h>

/* x with P(|X| <= x) = coverage, by Newton's method on erfc, which is concave there. */
static double normal_quantile(double coverage)
{
    double tail = 1 - coverage, x = sqrt(-2 * log(tail / 2)) - 0.3; /* near the rational approximations */
    x = x > 0 ? x : 0;
    for (int i = 0; i < 30; i++) {
        double step = (erfc(x * M_SQRT1_2) - tail) / (M_2_SQRTPI * M_SQRT1_2 * exp(-x * x / 2));
        x += step;
        if (fabs(step) <= 1e-15 * x)
            break;
    }
    return x;
}

double volt_student_quantile(double coverage, double freedom)
{
    double x = normal_quantile(coverage), z = x * x;
    double g1 = x * (z + 1) / 4, g2 = x * ((5 * z + 16) * z + 3) / 96;
    double g3 = x * (((3 * z + 19) * z + 17) * z - 15) / 384;
    double g4 = x * ((((79 * z + 776) * z + 1482) * z - 1920) * z - 945) / 92160;
    return x + (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom) / freedom;
}

double volt_error_quantile(double coverage, double count)
{
    enum { MIN_FREEDOM = 3 };
    return volt_student_quantile(coverage, fmax(MIN_FREEDOM, count));
}

/* Q(a, x), the regularised upper incomplete gamma function: 1 less the power series of the lower one below
 * x = a + 1, a continued fraction above (Abramowitz and Stegun 6.5.29, 6.5.31). */
static double upper_gamma(double a, double x)
{
    enum { MOST = 100000 };
    int sign = 1;
    double scale = exp(a * log(x) - x - lgamma_r(a, &sign));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int k = 1; k < MOST && term > DBL_EPSILON * sum; k++)
            sum += term *= x / (a + k);
        return 1 - scale * sum;
    }
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, value = d, factor = 0; /* Lentz's method */
    for (int k = 1; k < MOST && fabs(factor - 1) > DBL_EPSILON; k++) {
        double step = -k * (k - a);
        b += 2;
        d = 1 / (step * d + b);
        c = b + step / c;
        factor = c * d;
        value *= factor;
    }
    return scale * value;
}

double volt_chi_square_quantile(double tail, double freedom)
{
    double low = 0, high = freedom + 1;
    while (upper_gamma(freedom / 2, high / 2) > tail)
        high *= 2;
    for (int k = 0; k < 100 && high - low > DBL_EPSILON * high; k++) {
        double middle = (low + high) / 2;
        if (upper_gamma(freedom / 2, middle / 2) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}
