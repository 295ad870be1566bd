/* src/model/fit/fit_solver.h: which solver a fit takes, and whether there is memory for it. */
#ifndef MODEL_FIT_SOLVER_H
#define MODEL_FIT_SOLVER_H

#include "model/fit/fit_task.h"
#include "solve/solver_table.h"

enum {
    VOLT_LEAST_LARGE = 8192, /* rows: below, whoever lacks the memory for an exact fit is told so */
    VOLT_MOST_EXACT = 65536  /* rows: above, a factorisation here takes hours */
};

typedef struct volt_fit_way {
    const volt_solver *solver; /* NULL: the first of the table that takes the kernel's states, or its rows */
    int64_t landmarks;         /* that the readout is of; 0: of all rows ... */
    int64_t beside;            /* ... and landmarks that only help the solver find it */
} volt_fit_way;

/* Check what the options say of solvers and landmarks against each other and the data. VOLT_ERR_ARGUMENT. */
volt_status volt_fit_way_check(const volt_kernel *kernel, const fit_task *task, bool loss);

/* The solver of a fit on so many columns, by the options, or where they leave it open by what fits and pays.
 * VOLT_ERR_MEMORY, with the figures, where there is not enough for it. */
volt_status volt_fit_way_choose(const volt_kernel *kernel, const fit_task *task, int64_t columns, bool loss,
                                volt_fit_way *way);

/* NULL, or why an exact fit of n rows, which takes so many bytes, is too much here: where nobody says how, and the rows are at
 * least VOLT_LEAST_LARGE, landmarks stand for them. */
const char *volt_exact_is_too_much(int64_t n, double q, double bytes, const volt_plan *plan);

/* Bytes at the peak of a fit with Nystrom's solver, and with conjugate gradients: n rows of d columns as the kernel sees them, q
 * outputs. */
double volt_nystrom_fit_bytes(double n, double d, double q, double landmarks);
double volt_pcg_fit_bytes(double n, double d, double q, double landmarks);

/* Which of the public names a solver has. */
volt_fit_solver volt_fit_solver_of(const volt_solver *solver);

#endif
