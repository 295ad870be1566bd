/* src/kernel/kinds/volterra_lift.h: what the files of the Volterra kernel share: its parameters, its lifts, its numbers. */
#ifndef KERNEL_VOLTERRA_LIFT_H
#define KERNEL_VOLTERRA_LIFT_H

#include "kernel/kernel_entry.h"

enum { TAU, TAU_COEF, GAMMA, LAMBDA, LAMBDA_COEF, LIFT, N_PARAMETERS };

typedef enum lift { GEOMETRIC, EVEN, EXPONENTIAL, POLY, RBF } lift;

static inline lift lift_of(const volt_kernel *kernel)
{
    return (lift)(int)kernel->value[LIFT];
}

typedef struct constants {
    double tau2, lambda2;
    double rate; /* of the exponential: tau^2, or -gamma with lift=rbf */
    lift kind;
    int64_t degree; /* lift=poly:P */
} constants;
VOLT_OWN_NUMBERS(constants)

/* Inner products of inputs on the sphere |z| = M are rounded: leave that much room inside the bounds. */
static inline double rounding_room(int64_t d)
{
    return 2 * volt_norm_room(d);
}

/* The tangent of the kernel's entry (volterra_tangent.c). */
bool volt_volterra_tangent(const volt_kernel *kernel, const volt_resolved *resolved, int p, volt_scan *tangent);

#endif
