/* src/solve/loss/scalar_root.h: the root of an increasing function of one number. */
#ifndef SOLVE_LOSS_SCALAR_ROOT_H
#define SOLVE_LOSS_SCALAR_ROOT_H

/* f(of, x, d) gives the value at x and in *d > 0 the derivative. The root lies in [low, high]: Newton, and halving where that
 * leaves the interval. */
double volt_increasing_root(double (*f)(const void *of, double x, double *d), const void *of, double low,
                            double high);

#endif
