/* src/stats/quantile.c: quantiles of the normal distribution and of Student's t. */
#include "stats/stats_internal.h"

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
