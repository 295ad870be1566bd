/* src/kernel/gram/gram_states.h: collections with the kernel of a reservoir: the last states of two series. */
#ifndef KERNEL_GRAM_STATES_H
#define KERNEL_GRAM_STATES_H

#include "base/progress.h"
#include "kernel/reservoir.h"

/* K[i][j] of series X[i] and Y[j] (n_x x n_y), with `same` the lower triangle alone. The stage counts rows of K.
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
volt_status volt_gram_states(const volt_reservoir *reservoir, const volt_view *X, const volt_view *Y, bool same,
                             volt_stage *stage, volt_matrix K);

#endif
