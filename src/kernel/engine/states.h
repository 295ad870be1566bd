/* src/kernel/engine/states.h: the states of a kernel of reservoirs as features: K = F F', F having a row for each state.
 *
 * A readout of n coefficients, A, against the rows of training is then one of N numbers, F' A, and a forecast costs one step
 * of the reservoir and N products, whatever n is. So columns may be the coordinates of states in place of rows: a past
 * against those gives the states themselves. */
#ifndef KERNEL_STATES_H
#define KERNEL_STATES_H

#include "kernel/engine/state.h"

/* Numbers in a state of the whole kernel: of one reservoir, or of all terms of a sum that are a reservoir each. 0: the kernel
 * is something else, or a power of the product of states. */
int64_t volt_states_count(const volt_resolved *resolved);

/* Columns whose past gives the states of the rows pushed, each term's times the root of its weight. The kernel has some.
 * VOLT_ERR_MEMORY. */
volt_status volt_states_columns(const volt_resolved *resolved, volt_columns **columns);

/* Reservoirs on their way through rows: all terms of a sum side by side, or one. For pasts that are made of one. */
typedef struct volt_state_walk {
    double *states; /* one after the other: volt_states_length() numbers */
    double *room;
} volt_state_walk;

/* Not yet anywhere: zero comes next. VOLT_ERR_MEMORY; release it in every case. */
volt_status volt_state_walk_make(const volt_resolved *resolved, volt_state_walk *walk);
void volt_state_walk_release(volt_state_walk *walk);
/* To the state of a zero past. */
void volt_state_walk_zero(const volt_resolved *resolved, volt_state_walk *walk);
/* Through the rows of Z. F (Z.rows x all states) receives the states, each term's times the root of its weight; an F without
 * data, nothing. */
void volt_state_walk_run(const volt_resolved *resolved, volt_state_walk *walk, volt_view Z, volt_matrix F);
/* The state as numbers. */
void volt_state_walk_get(const volt_resolved *resolved, const volt_state_walk *walk, double *state);
void volt_state_walk_set(const volt_resolved *resolved, volt_state_walk *walk, const double *state);

/* Numbers in the past of such columns. A past against other columns begins with the same numbers. */
int64_t volt_states_length(const volt_resolved *resolved);

#endif
