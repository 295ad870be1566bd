/* src/stats/box_minimum.h: the minimum of a smooth function in a box. */
#ifndef STATS_BOX_MINIMUM_H
#define STATS_BOX_MINIMUM_H

#include <stdint.h>

/* The value of the function at x, and its gradient. The value may be infinite or NaN where the function is not
 * defined; the gradient is then ignored. */
typedef double (*volt_box_function)(void *context, const double *x, double *gradient);

enum { VOLT_BOX_PAIRS = 8, VOLT_BOX_WORKSPACE = 2 * VOLT_BOX_PAIRS + 4 };

typedef struct volt_box_problem {
    volt_box_function function;
    void *context;
    int64_t count;            /* variables */
    const double *low, *high; /* may be infinite */
    double tolerance;         /* stops after three iterations in a row that gain less than this */
    int64_t max_iterations;
} volt_box_problem;

/* Moves x, inside the box, to a local minimum and returns the value there; x is unchanged when the value at x
 * is not finite. workspace: VOLT_BOX_WORKSPACE x count numbers. */
double volt_box_minimise(const volt_box_problem *problem, double *x, double *workspace);

#endif
