/* src/predict/interval/interval.h: standard deviations of new observations from the kept factor, and adaptive
 * intervals. */
#ifndef MODEL_INTERVAL_INTERVAL_H
#define MODEL_INTERVAL_INTERVAL_H

#include "model/model_internal.h"
#include "volterra/model.h"

typedef struct volt_prediction_std {
    const volt_model *model;
    int64_t max_rows;
    double *kk;                    /* per predicted row: K(t, t) */
    double *s;                     /* q: sqrt of the mean of e^2 / v over the training rows, in target units */
    double *host, *used;           /* max_rows x n: a block of kernels, and a copy that is overwritten */
    double *plain, *with_constant; /* max_rows: variances over s^2 */
} volt_prediction_std;

/* For rows Z (scaled), which start as `start` specifies and are reset at every record, in blocks of
 * max_rows. Always release it. VOLT_ERR_ARGUMENT if the model keeps no factor; VOLT_ERR_DATA,
 * VOLT_ERR_MEMORY. */
volt_status volt_prediction_std_begin(const volt_model *model, volt_view Z, const volt_records *records,
                                      volt_start start, int64_t max_rows, volt_prediction_std *spread);
void volt_prediction_std_release(volt_prediction_std *spread);

/* Standard deviations of rows first .. first + K.rows - 1. K holds their kernels against the training rows
 * (x n, on the back end). BLAS must be claimed. */
volt_status volt_prediction_std_rows(const volt_prediction_std *spread, const volt_backend *backend,
                                     volt_view K, int64_t first, volt_matrix std);

/* ---- adaptive intervals -------------------------------------------------------------------------- */

typedef struct volt_interval {
    int64_t q, count;  /* outputs, coverages */
    double *coverages; /* count */
    double *miss;      /* count x q: current target miss rate */
    double *scores;    /* q x VOLT_INTERVAL_SCORES: ring of the latest */
    double *sorted;    /* the same, ascending */
    int64_t *n, *next; /* q each: number of scores, and position of the next */
} volt_interval;

/* Returns an independent copy. VOLT_ERR_MEMORY. */
volt_status volt_interval_copy(const volt_interval *source, volt_interval **interval);

/* The state as volt_interval_length numbers: per output the number of scores and the scores in time order
 * (padded with zeros), then the target miss rate of each coverage. */
int64_t volt_interval_length(const volt_interval *interval);
void volt_interval_get(const volt_interval *interval, double *numbers);
/* Returns false, without changes, if the numbers are not a valid state. */
bool volt_interval_set(volt_interval *interval, const double *numbers);

/* Creates intervals that adapt to the errors (adaptive conformal inference). Each miss widens the next
 * intervals, and each hit narrows them slightly, so that the long-run miss rate is the nominal one for any
 * data. They start with the errors of the last training rows of the model, if it keeps any. `coverages`:
 * `count` numbers between 0 and 1. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_interval_create(const volt_model *model, const double *coverages, int64_t count,
                                 volt_interval **interval);
/* Half-widths about the next prediction (count x q numbers); INFINITY if there are too few errors. */
void volt_interval_half_widths(const volt_interval *interval, double *half);
/* Learns from a prediction (q numbers) and its target (NaN: unknown; that output is skipped). On
 * VOLT_ERR_NOT_FINITE nothing is learned. */
volt_status volt_interval_learn(volt_interval *interval, const double *forecast, const double *truth);
void volt_interval_free(volt_interval *interval);

#endif
