/* volterra/anomaly.h: how unusual is a row of a series after those before it. */
#ifndef VOLTERRA_ANOMALY_H
#define VOLTERRA_ANOMALY_H

#include "volterra/base.h"
#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rows of one series ----------------------------------------------------------------------- */

/* A watch forecasts each row of a series from those before it and says how far it lies from the forecast, in units of
 * what errors are like there. The model forecasts its own inputs one row ahead (volt_fit_options.ahead = feedback = 1). */
typedef struct volt_watch_options {
    size_t struct_size;
    double rate; /* share of rows that raise an alarm while nothing changes, in (0, 1); 0.001 */
    /* rows that the forecasts are learned from, the last ones (volt_learner); 0: the model stays as it is;
     * 500 */
    int64_t window;
    int64_t scale_rows; /* errors that the scale of a channel is taken from, the last ones, at least 10; 300 */
} volt_watch_options;
VOLT_API volt_watch_options volt_watch_options_default(void);

/* How many of the first rows of a series to learn from before the others are watched: a third, 50 to 2000. */
VOLT_API int64_t volt_watch_train_rows(int64_t rows);

typedef struct volt_watch volt_watch;

/* The model must outlive the watch; rows follow its training inputs. options may be NULL. VOLT_ERR_ARGUMENT for a model that
 * does not forecast its own inputs one row ahead, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_watch_create(const volt_model *model, const volt_watch_options *options,
                                       volt_watch **watch);
VOLT_API void volt_watch_free(volt_watch *watch);

typedef struct volt_watch_row {
    size_t struct_size; /* set by the caller */
    /* largest |error| over the scale of its channel, 1.4826 times the median of its last |errors|; NaN: not
     * known, for the first row, and while there are no errors to compare with */
    double score;
    /* a score above it is an alarm: where the last scores, 20 / rate of them, are enough to show the rate,
     * the one that so many of them lie above (a score that raised an alarm counts as at most 1.5 times its
     * threshold); before that, where an exponential tail of the largest tenth leads; INFINITY while there
     * are fewer than 30 */
    double threshold;
    int alarm;
    int64_t channel; /* of the largest error; -1: there is no score */
} volt_watch_row;

/* The next row x (d numbers). A row that raised an alarm is not learned, but it is the past of those after it.
 * VOLT_ERR_NOT_FINITE: the watch is as it was. `forecast` (d numbers, may be NULL) receives what was expected, NaN where
 * nothing was. */
VOLT_API volt_status volt_watch_push(volt_watch *watch, const double *x, double *forecast, volt_watch_row *row);

#ifdef __cplusplus
}
#endif
#endif
