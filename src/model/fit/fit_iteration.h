/* src/model/fit/fit_iteration.h: what a fit gives a solver that iterates: landmarks beside the model, and a checkpoint. */
#ifndef MODEL_FIT_ITERATION_H
#define MODEL_FIT_ITERATION_H

#include "model/fit/landmarks.h"
#include "model/fit/pcg_checkpoint.h"
#include "solve/solver_table.h"

typedef struct volt_iteration_workspace {
    volt_landmark_set set;
    volt_resolved resolved; /* the model's, its records being the runs of the landmarks: it owns only those */
    volt_columns *columns;
    volt_checkpoint checkpoint;
    volt_iteration own;
} volt_iteration_workspace;

/* m landmarks of the rows Z (0: none), and what the options say of the iteration; `task` is the solver's, with all that the
 * result depends on, and `targets` the rows that it is to fit. End it in every case. */
volt_status volt_iteration_begin(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                                 const volt_solver *solver, const volt_solver_task *task, volt_view targets,
                                 volt_iteration_workspace *space);
void volt_iteration_end(volt_iteration_workspace *space);

#endif
