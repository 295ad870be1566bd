/* src/kernel/engine/moving.h: rows, one at a time, past a window of the rows before them, whatever records they are in.
 *
 * Rows are numbered in the order in which they come, from 0. Every row that is pushed becomes a column, and columns are
 * kept from row `begin` to the last. A record that begins has a track of its own (track.h); columns of records before it
 * meet its rows after a zero past. */
#ifndef KERNEL_MOVING_H
#define KERNEL_MOVING_H

#include "kernel/engine/track.h"

typedef struct volt_moving volt_moving;

/* After a zero past, without columns. The resolved kernel, which may have records of its own, must outlive it.
 * VOLT_ERR_MEMORY. */
volt_status volt_moving_create(const volt_resolved *resolved, volt_moving **moving);
/* The same moment, with a life of its own. */
volt_status volt_moving_copy(const volt_moving *source, volt_moving **moving);
void volt_moving_free(volt_moving *moving);

/* Columns are rows begin .. next - 1, and `next` is the number of the row to come. */
int64_t volt_moving_begin(const volt_moving *moving);
int64_t volt_moving_next(const volt_moving *moving);

/* All the memory that pushing z takes; as far as anybody sees nothing changes. */
volt_status volt_moving_prepare(volt_moving *moving, const double *z, bool joins, bool wanted);
/* Push the row z, prepared in the same way: k (NULL: not wanted) receives next - begin numbers, its kernel against every
 * column, and where it joins one more, against itself. After a row that does not join none may. */
void volt_moving_push(volt_moving *moving, const double *z, bool joins, double *k);

/* No row before `row` is wanted as a column; some may stay, so that later entries are exact. */
void volt_moving_release(volt_moving *moving, int64_t row);

/* Another record begins. VOLT_ERR_MEMORY. */
volt_status volt_moving_restart(volt_moving *moving);

/* Everything as a list of numbers, out and in. VOLT_ERR_FORMAT for a list that none gave out, VOLT_ERR_MEMORY; only to be
 * freed then. */
int64_t volt_moving_length(const volt_moving *moving);
void volt_moving_get(const volt_moving *moving, double *state);
volt_status volt_moving_set(volt_moving *moving, const double *state, int64_t length);

#endif
