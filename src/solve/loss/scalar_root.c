/* src/solve/loss/scalar_root.c: Newton between two bounds. */
#include "solve/loss/scalar_root.h"

#include <float.h>
#include <math.h>

enum { MOST_STEPS = 200 };

double volt_increasing_root(double (*f)(const void *of, double x, double *d), const void *of, double low,
                            double high)
{
    double x = low + (high - low) / 2;
    for (int i = 0; i < MOST_STEPS; i++) {
        double d, value = f(of, x, &d);
        if (value == 0)
            return x;
        if (value > 0)
            high = x;
        else
            low = x;
        double next = x - value / d;
        if (!(next > low && next < high) || i % 8 == 7) /* now and then in any case: Newton may creep */
            next = low + (high - low) / 2;
        if (fabs(next - x) <= 2 * DBL_EPSILON * fabs(x) || next == x)
            return next;
        x = next;
    }
    return x;
}
