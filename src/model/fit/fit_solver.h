/* src/model/fit/fit_solver.h: which solver a fit takes, and whether there is memory for it. */
#ifndef MODEL_FIT_SOLVER_H
#define MODEL_FIT_SOLVER_H

#include "model/fit/fit_task.h"
#include "solve/solver_table.h"

enum {
    VOLT_LEAST_LARGE = 8192, /* rows: below, an exact fit without memory is refused */
    VOLT_MOST_EXACT = 65536  /* rows: above, a factorisation here takes hours */
};

typedef struct volt_solver_choice {
    const volt_solver *solver; /* NULL: the one that takes the kernel's states, or its rows */
    int64_t landmarks;         /* that the readout is of; 0: of all rows ... */
    int64_t beside;            /* ... and landmarks that only help the solver find it */
} volt_solver_choice;

/* Reads the solver of the options into the task, and checks its options against each other and the data. VOLT_ERR_ARGUMENT. */
volt_status volt_fit_solver_check(const volt_kernel *kernel, bool loss, fit_task *task);

/* The solver of a fit on so many columns, by the options, or where they leave it open by what fits and pays.
 * VOLT_ERR_MEMORY, with the figures, where there is not enough for it. */
volt_status volt_fit_solver_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                   volt_solver_choice *choice);

/* NULL, or why an exact fit of n rows, which takes so many bytes, is too much here: without a solver in the options, and from
 * VOLT_LEAST_LARGE rows on, landmarks are used instead. */
const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan);

#endif
