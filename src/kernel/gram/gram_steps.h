/* src/kernel/gram/gram_steps.h: what follows the filling of a Gram matrix, the same for sequences and for collections:
 * centring, normalising, mirroring. */
#ifndef KERNEL_GRAM_STEPS_H
#define KERNEL_GRAM_STEPS_H

#include "kernel/gram/centre.h"

/* The kernel of every row of the matrix with itself, or with `columns` of every column, as the kernel gives it (not
 * centred). Progress covers [from, from + share] of the call. */
typedef volt_status (*volt_gram_self)(const void *context, bool columns, double from, double share,
                                      double *values);

/* How to make one matrix. */
typedef struct volt_gram_steps {
    const void *context;
    volt_centre_fill fill;
    volt_gram_self self; /* asked only where rows and columns differ: otherwise it is the diagonal */
    double self_work[2]; /* work of `self` for rows and for columns; that of filling K is 1 */
    bool same, centred, normalise, mirror;
} volt_gram_steps;

/* VOLT_ERR_DATA where the kernel of a row with itself is not above 0, which normalising divides by. */
volt_status volt_gram_run(const volt_gram_steps *steps, volt_matrix K);

#endif
