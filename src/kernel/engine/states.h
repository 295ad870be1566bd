/* src/kernel/engine/states.h: the states of a kernel of reservoirs as features: K = F F', F having a row for each state.
 *
 * A readout of n coefficients, A, against the rows of training is then one of N numbers, F' A, and a forecast costs one step
 * of the reservoir and N products, whatever n is. So columns may be the coordinates of states in place of rows: a past
 * against those gives the states themselves. */
#ifndef KERNEL_STATES_H
#define KERNEL_STATES_H

#include "kernel/engine/past.h"

/* Numbers in a state of the whole kernel: of one reservoir, or of all terms of a sum that are a reservoir each. 0: the kernel
 * is something else, or a power of the product of states. */
int64_t volt_states_count(const volt_resolved *resolved);

/* Columns whose past gives the states of the rows pushed, each term's times the root of its weight. The kernel has some.
 * VOLT_ERR_MEMORY. */
volt_status volt_states_columns(const volt_resolved *resolved, volt_columns **columns);

/* Numbers in the past of such columns. A past against other columns begins with the same numbers. */
int64_t volt_states_length(const volt_resolved *resolved);

#endif
