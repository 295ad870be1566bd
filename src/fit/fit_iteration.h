/* src/fit/fit_iteration.h: inputs of an iterative solver: landmarks for the preconditioner, and a
 * checkpoint. */
#ifndef FIT_FIT_ITERATION_H
#define FIT_FIT_ITERATION_H

#include "fit/landmarks.h"
#include "fit/pcg_checkpoint.h"
#include "solve/solver_table.h"

typedef struct volt_iteration_workspace {
    volt_landmark_set set;
    volt_resolved resolved; /* that of the model with the runs as records; owns only the records */
    volt_columns *columns;
    volt_checkpoint checkpoint;
    volt_iteration settings;
} volt_iteration_workspace;

/* Prepares m landmarks of the rows Z (0: none) and the iteration options. `task` is the task of the solver,
 * with everything that determines the result. `targets` are the rows to fit. Always call volt_iteration_end. */
volt_status volt_iteration_begin(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                                 const volt_solver *solver, const volt_solver_task *task, volt_view targets,
                                 volt_iteration_workspace *space);
void volt_iteration_end(volt_iteration_workspace *space);

#endif
