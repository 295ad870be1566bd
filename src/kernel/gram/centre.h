/* src/kernel/gram/centre.h: Gram matrices of features less their mean.
 *
 * With phi the features of a kernel and their mean taken over the m columns y, the entries
 *     <phi(x_i) - mean, phi(y_j) - mean> = K[i][j] - mean_l K[i][l] - mean_l Kyy[l][j] + mean_{kl} Kyy[k][l]
 * need the columns' own matrix Kyy. When rows and columns are the same, this is H K H with H = I - 11'/m. */
#ifndef KERNEL_CENTRE_H
#define KERNEL_CENTRE_H

#include "volterra/base.h"

#include <stdbool.h>

/* Fill K as it is, not centred; with `own` it is Kyy (m x m), of which the lower triangle is enough, and which
 * progress covers as [from, from + share] of the call. */
typedef volt_status (*volt_centre_fill)(const void *context, bool own, double from, double share,
                                        volt_matrix K);

/* What centring adds to the kernel of each row (n) and of each column (m) with itself. */
typedef struct volt_centre_shifts {
    double *rows, *columns;
} volt_centre_shifts;

/* Fill and centre K (n x m). With `same`, K is Kyy, and only its lower triangle is touched. Otherwise Kyy takes
 * memory of its own, for the time of the call, and `shifts` is filled where it is not NULL. Progress covers [from, 1]
 * of the call. */
volt_status volt_centre_gram(volt_centre_fill fill, const void *context, bool same, double from,
                             volt_centre_shifts *shifts, volt_matrix K);

#endif
