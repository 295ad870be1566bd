/* src/data/process.h: the loop that every generator shares.
 *
 * A generator is a state with a current row and a function that takes one step; the loop discards,
 * keeps one row of `every` steps, reports progress, stops when the user cancels and refuses values that
 * are not finite. */
#ifndef DATA_PROCESS_H
#define DATA_PROCESS_H

#include "base/progress.h"
#include "volterra/data.h"

typedef struct volt_process {
    const char *name;  /* "the Lorenz system", for sentences */
    void *state;       /* handed to step */
    const double *row; /* the current values, `cols` of them, inside the state */
    int64_t cols;
    int64_t lead;    /* steps before the first row: 0 when the start itself is a row */
    int64_t every;   /* steps from one row to the next */
    int64_t discard; /* rows left out before the first that is kept */

    /* Take one step. A step that may take long calls volt_stage_advance(stage, 0) now and then and
     * returns VOLT_OK early when that says stop: the loop then ends the run. */
    volt_status (*step)(void *state, volt_stage *stage);
} volt_process;

/* Refuse a matrix that cannot take the rows of a process. */
volt_status volt_process_check(const char *name, volt_matrix out, int64_t cols, int64_t every, int64_t discard);

/* Fill `out`, which is untouched on failure: VOLT_ERR_NOT_FINITE with the row, VOLT_ERR_CANCELLED,
 * VOLT_ERR_MEMORY, or what step returned. */
volt_status volt_process_run(const volt_process *process, volt_progress progress, volt_matrix out);

/* Options that every differential equation has. `name` begins the message. */
/* VOLT_ERR_ARGUMENT unless the step is above 0 and finite. */
volt_status volt_ode_check_step(const char *name, double step);

/* VOLT_ERR_ARGUMENT unless the method is one that there is. */
volt_status volt_ode_check_method(const char *name, volt_ode_method method);

#endif
