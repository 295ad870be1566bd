/* src/model/interval/interval.h: standard deviations of new observations, from the factor that a model keeps. */
#ifndef MODEL_INTERVAL_INTERVAL_H
#define MODEL_INTERVAL_INTERVAL_H

#include "model/model_errors.h"
#include "model/model_internal.h"
#include "volterra/model.h"

typedef struct volt_spread {
    const volt_model *model;
    int64_t most_rows;
    double *kk; /* of every row that is forecast: the kernel with itself */
    double *s;  /* q: sqrt of the mean of e^2 / v over the training rows, in the units of the targets */
    double *here, *used;           /* most_rows x n: a block of kernels, and a copy that is used up */
    double *plain, *with_constant; /* most_rows: variances over s^2 */
} volt_spread;

/* For rows Z (scaled), which begin as `start` says and with every record anew, in blocks of most_rows. Release it in every
 * case. VOLT_ERR_ARGUMENT where the model keeps no factor; VOLT_ERR_DATA, VOLT_ERR_MEMORY. */
volt_status volt_spread_begin(const volt_model *model, volt_view Z, const volt_records *records,
                              volt_start start, int64_t most_rows, volt_spread *spread);
void volt_spread_release(volt_spread *spread);

/* Standard deviations of rows first .. first + K.rows - 1, whose kernels against the training rows are K (x n, at the back
 * end). BLAS must be claimed. */
volt_status volt_spread_rows(const volt_spread *spread, const volt_backend *backend, volt_view K, int64_t first,
                             volt_matrix std);

/* ---- what an adaptive interval holds, and its numbers for a file ------------------------------- */

typedef struct volt_interval {
    int64_t q, count;  /* outputs, coverages */
    double *coverages; /* count */
    double *miss;      /* count x q: the share of misses that is aimed at now */
    double *scores;    /* q x VOLT_INTERVAL_SCORES: the latest, a ring ... */
    double *sorted;    /* ... and the same upwards */
    int64_t *n, *next; /* q each: how many there are, and where the next one goes */
} volt_interval;

/* The same with a life of its own. VOLT_ERR_MEMORY. */
volt_status volt_interval_copy(const volt_interval *source, volt_interval **interval);

/* What has been learned, as volt_interval_length numbers: of every output how many scores there are, the scores in the order
 * of time (and zeros), then what is aimed at for each coverage. */
int64_t volt_interval_length(const volt_interval *interval);
void volt_interval_get(const volt_interval *interval, double *numbers);
/* False, and nothing happens, where the numbers cannot be those of an interval. */
bool volt_interval_set(volt_interval *interval, const double *numbers);

/* Intervals that follow the errors as truths arrive (adaptive conformal inference): each miss makes the next ones wider,
 * each hit a little narrower, so that in the long run the share of misses is the one that is wanted, whatever the data.
 * They begin with the errors of the model's last training rows; a model that holds none begins with no scores. `coverages`:
 * `count` numbers between 0 and 1. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_interval_create(const volt_model *model, const double *coverages, int64_t count,
                                 volt_interval **interval);
/* Half-widths about the next forecast (count x q numbers); INFINITY where the errors so far bound nothing. */
void volt_interval_half(const volt_interval *interval, double *half);
/* What was forecast (q numbers), and what came (NaN: not known; that output learns nothing). VOLT_ERR_NOT_FINITE, and
 * nothing is learned. */
volt_status volt_interval_learn(volt_interval *interval, const double *forecast, const double *truth);
void volt_interval_free(volt_interval *interval);

#endif
