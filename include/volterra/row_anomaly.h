/* volterra/row_anomaly.h: anomalous rows of a series.
 *
 * A model of the first rows of a series predicts each later row; the score of a row is its error relative to the latest errors
 * (volt_detection):
 *
 *     volt_model *model = NULL;
 *     volt_status status = volt_row_anomaly_fit(training_rows, NULL, &model);
 *     if (!status)
 *         status = volt_row_anomaly_score(model, following_rows, NULL, scores, channels);
 *     volt_model_free(model);
 */
#ifndef VOLTERRA_ROW_ANOMALY_H
#define VOLTERRA_ROW_ANOMALY_H

#include "volterra/live.h"
#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_row_anomaly_options {
    size_t struct_size;
    const char *kernel; /* kernel text (default: "volterra") */
    int64_t train_rows; /* leading rows to fit, at least 3; 0 (default): a third of the rows, 50 to 2000 */
    const char *const *names; /* (optional) names of the columns, stored in the model [array d] */
    double rate;              /* rate of false alarms, in (0, 1) (default: 0.001) */
    /* number of latest rows that are learned (default: 500); 0: no learning after the training rows */
    int64_t window;
    volt_progress progress;
} volt_row_anomaly_options;
VOLT_API volt_row_anomaly_options volt_row_anomaly_options_default(void);

/* Fits the model on the first train_rows rows of X (n x d, in time order, finite): the target of a row is the next row, and all
 * choices are made on held-out rows. volt_model_info.n is train_rows - 1. VOLT_ERR_DATA if train_rows is 0 and no rows are left
 * to score; VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL and the errors of volt_model_fit. Free *model with volt_model_free. */
VOLT_API volt_status volt_row_anomaly_fit(volt_view X, const volt_row_anomaly_options *options,
                                          volt_model **model);

/* Scores the rows X (m x d) that follow the training rows; every call starts at the end of training. scores (m x 3) receives
 * score, threshold and alarm (0 or 1) of each row, channels (m, may be NULL) its channel, as in volt_detection. `kernel`,
 * train_rows and names are ignored. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_CANCELLED; VOLT_ERR_ARGUMENT also for a model
 * that does not predict its own inputs one row ahead. */
VOLT_API volt_status volt_row_anomaly_score(const volt_model *model, volt_view X,
                                            const volt_row_anomaly_options *options, volt_matrix scores,
                                            int64_t *channels);

#ifdef __cplusplus
}
#endif
#endif
