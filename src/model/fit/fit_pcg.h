/* src/model/fit/fit_pcg.h: what a fit by conjugate gradients needs beside the model: landmarks, and a checkpoint. */
#ifndef MODEL_FIT_PCG_H
#define MODEL_FIT_PCG_H

#include "model/fit/landmarks.h"
#include "model/fit/pcg_checkpoint.h"
#include "solve/solver_table.h"

typedef struct volt_pcg_room {
    volt_landmark_set set;
    volt_resolved resolved; /* the model's, its records being the runs of the landmarks: it owns those alone */
    volt_columns *columns;
    volt_checkpoint checkpoint;
    volt_pcg pcg;
} volt_pcg_room;

/* m landmarks of the rows Z, and what the options say of the iteration; `task` is the solver's, with all that the result depends on,
 * and `targets` the rows that it is to fit. Release it in every case. */
volt_status volt_pcg_room_make(const fit_task *fit, const volt_model *model, volt_view Z, int64_t m,
                               const volt_solver_task *task, volt_view targets, volt_pcg_room *room);
void volt_pcg_room_release(volt_pcg_room *room);

#endif
