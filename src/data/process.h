/* src/data/process.h: the main loop of all generators.
 *
 * A generator is a state with a current row and a function that takes one step. The loop discards rows, keeps
 * one row every `every` steps, reports progress, stops when the user cancels and rejects non-finite values. */
#ifndef DATA_PROCESS_H
#define DATA_PROCESS_H

#include "base/progress.h"
#include "volterra/data.h"

typedef struct volt_process {
    const char *name;  /* "the Lorenz system", for messages */
    void *state;       /* passed to step */
    const double *row; /* the current values, `cols` of them, inside the state */
    int64_t cols;
    int64_t lead;    /* steps before the first row: 0 when the start itself is a row */
    int64_t every;   /* steps from one row to the next */
    int64_t discard; /* rows discarded before the first */

    /* Takes one step. A long step calls volt_stage_advance(stage, 0) regularly and returns VOLT_OK early
     * when that returns false: the loop then ends the run. */
    volt_status (*step)(void *state, volt_stage *stage);
} volt_process;

/* Checks that a matrix can receive the rows of a process. */
volt_status volt_process_check(const char *name, volt_matrix out, int64_t cols, int64_t every, int64_t discard);

/* Fills `out`, which is unchanged on failure: VOLT_ERR_NOT_FINITE with the row, VOLT_ERR_CANCELLED,
 * VOLT_ERR_MEMORY, or the status of step. */
volt_status volt_process_run(const volt_process *process, volt_progress progress, volt_matrix out);

#endif
