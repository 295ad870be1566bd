/* src/model/fit/landmarks.h: a model on a few landmarks of its training rows (solve/landmark/landmark_operator.h).
 *
 * A landmark is a training row with its past. Landmarks stand in runs, and before each run stand so many rows of its past
 * that what came before them counts for nothing: its ghosts. So the rows of such a model are records, one for each run,
 * whose ghosts have coefficients of zero, and forecasts, streams and explanations need to know nothing of landmarks. What
 * is lost with the other rows is kept in a volt_trained. */
#ifndef MODEL_LANDMARKS_H
#define MODEL_LANDMARKS_H

#include "model/fit/fit_task.h"
#include "model/model_internal.h"
#include "solve/landmark/landmark_operator.h"

enum {
    VOLT_LANDMARK_RUN = 32
}; /* landmarks in a run: as good as single rows, and far fewer ghosts (docs/math.md) */

/* Which rows are landmarks, and the rows that the model will have. */
typedef struct volt_landmark_set {
    int64_t m;
    int64_t *column; /* m: which of those rows are landmarks */
    int64_t n;       /* rows, ghosts included ... */
    int64_t *source; /* ... n: the training rows that they are ... */
    int64_t *runs;   /* ... and the lengths of n_runs runs */
    int64_t n_runs;
} volt_landmark_set;

/* Rows that the past of a kernel reaches, as far as landmarks go: what is farther back counts for less than 1e-7. */
int64_t volt_landmark_ghosts(const volt_resolved *resolved);

/* m landmarks among rows washout .. rows - 1, each run with at most `ghosts` rows before it, which do not leave its record.
 * VOLT_ERR_MEMORY; release it at any stage. */
volt_status volt_landmark_set_choose(int64_t rows, int64_t washout, const volt_records *records, int64_t m,
                                     volt_landmarks choice, int64_t ghosts, volt_landmark_set *set);
void volt_landmark_set_release(volt_landmark_set *set);

/* The model's rows are now those of the set, of the training rows: columns, records and coefficients of zero.
 * *coefficients receives the list that the model had. */
volt_status volt_model_use_landmarks(volt_model *model, const fit_task *task, volt_fit_rows *rows,
                                     const volt_landmark_set *set, volt_progress progress,
                                     double **coefficients);

/* The readout gamma of the features, which is lost, becomes the coefficients and intercepts of the model, which is then one of
 * landmarks; `washed`, where it has data, what those say on the rows of the washout. */
void volt_model_take_landmarks(volt_model *model, const volt_landmark_set *set, volt_operator *op,
                               volt_matrix gamma, volt_matrix washed);

#endif
