/* src/fit/landmarks.h: a model on landmarks, a subset of its training rows
 * (solve/landmark/landmark_operator.h).
 *
 * A landmark is a training row with its history. Landmarks are grouped in runs. Each run is preceded by
 * ghosts: enough earlier rows to make the effect of older rows negligible. Each run with its ghosts is a
 * record of the model, and ghosts have zero coefficients. Predictions, streams and explanations therefore
 * need no special case. A volt_trained keeps facts about the dropped rows. */
#ifndef FIT_LANDMARKS_H
#define FIT_LANDMARKS_H

#include "fit/fit_task.h"
#include "model/model_internal.h"
#include "solve/landmark/landmark_operator.h"

enum {
    VOLT_LANDMARK_RUN = 32
}; /* landmarks per run: as accurate as single rows, with far fewer ghosts (docs/math.md) */

/* The landmarks, and the rows of the model. */
typedef struct volt_landmark_set {
    int64_t m;
    int64_t *column; /* m: their indices among the n rows */
    int64_t n;       /* rows, ghosts included */
    int64_t *source; /* n: index of each row in the training rows */
    int64_t *runs;   /* lengths of the n_runs runs */
    int64_t n_runs;
} volt_landmark_set;

/* Memory length of the kernel in rows: older rows have a weight below 1e-7. */
int64_t volt_landmark_memory(const volt_resolved *resolved);

/* Selects m landmarks among rows washout .. rows - 1. Each run has at most `ghosts` rows before it, within
 * its record. VOLT_ERR_MEMORY; release at any stage. */
volt_status volt_landmark_set_choose(int64_t rows, int64_t washout, const volt_records *records, int64_t m,
                                     volt_landmarks choice, int64_t ghosts, volt_landmark_set *set);
/* Orders the landmarks so that the first ones of every level are chosen like the whole set: every second run, every fourth
 * run, ..., or the latest rows. Sets levels->count and levels->m; the least level has at least two runs. */
void volt_landmark_set_nest(volt_landmark_set *set, volt_landmarks choice, volt_landmark_levels *levels);
void volt_landmark_set_release(volt_landmark_set *set);

/* Replaces the rows of the model by those of the set: columns, records and zero coefficients. *coefficients
 * receives the previous coefficients of the model. */
volt_status volt_model_use_landmarks(volt_model *model, const fit_task *task, volt_fit_rows *rows,
                                     const volt_landmark_set *set, volt_progress progress,
                                     double **coefficients);

/* Converts the readout gamma of the features, which is overwritten, to coefficients and intercepts of the
 * model. If `washout_fitted` has data, it receives the kernel part of the washout rows. */
void volt_model_take_landmarks(volt_model *model, const volt_landmark_set *set, volt_operator *op,
                               volt_matrix gamma, volt_matrix washout_fitted);

#endif
