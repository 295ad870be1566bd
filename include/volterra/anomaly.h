/* volterra/anomaly.h: how unusual is a series among others, or a row of a series after those before it.
 *
 *     volt_series_anomaly *detector = NULL;
 *     volt_status status = volt_series_anomaly_fit("volterra", normal, n, NULL, 0, NULL, &detector);
 *     if (!status)
 *         status = volt_series_anomaly_score(detector, others, m, NULL, scores);
 *     volt_series_anomaly_free(detector);
 *
 * Scores are distances in the kernel's space, in units of the spread that the normal series have in each direction: the
 * variance norm of Cass, Gonon and Zozoulenko ("Variance norms for kernelized anomaly detection"), docs/math.md. */
#ifndef VOLTERRA_ANOMALY_H
#define VOLTERRA_ANOMALY_H

#include "volterra/base.h"
#include "volterra/model.h"
#include "volterra/objects.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- series among others ---------------------------------------------------------------------- */

/* Distances in the variance norm. */
typedef enum volt_anomaly_kind {
    VOLT_ANOMALY_MAHALANOBIS, /* from the mean of the normal series */
    VOLT_ANOMALY_CONFORMANCE  /* from the nearest of them */
} volt_anomaly_kind;

typedef struct volt_anomaly_options {
    volt_anomaly_kind score; /* VOLT_ANOMALY_CONFORMANCE */
    /* share of the total variance that every direction has at least, > 0; 0 (default): chosen of 1e-8, 1e-7,
     * ..., 1, by `examples` where there are some, else by the likelihood of series that are left out */
    double alpha;
    double rate; /* share of normal series that may lie above the threshold, in (0, 1); 0.05 */
    /* (optional) e x n: the kernel of series that are known not to be normal with the normal ones. alpha is then
     * the one with the largest sum of both areas of volt_ranking. volt_series_anomaly_fit sets it */
    volt_view examples;
    volt_progress progress;
} volt_anomaly_options;

typedef struct volt_anomaly_info {
    int64_t n;
    volt_anomaly_kind score;
    double alpha; /* that was chosen or given */
    double rate;  /* that was wanted ... */
    double least; /* ... and the smallest that n series can show, 1 / (n + 1) */
    /* of scores with one normal series more that is known, about: what scores of series left out are
     * multiplied by to be compared with scores of new series. 1 with fewer than 5 series */
    double growth;
    /* scores above it are anomalies: growth times the ceil((n + 1)(1 - rate))-th smallest of left_out, or
     * times the largest where that is more than there are */
    double threshold;
    /* n: the score of each normal series to a detector that has learned all others, with the ridge of this
     * one; exact, from one factorisation. It belongs to the detector */
    const double *left_out;
    /* of left_out and the scores of the examples, which are marked, to detectors that know one series less
     * as well, five at most, in the mean; zeros where there are none */
    volt_ranking areas;
    const char *kernel; /* full text; it belongs to the detector */
    int64_t tried;      /* kernels */
} volt_anomaly_info;

typedef struct volt_series_anomaly_options {
    volt_objects_options objects;  /* how series are prepared, learned from the normal ones */
    volt_anomaly_options detector; /* its `examples` are computed from the series given */
    int64_t draws;                 /* kernels that are tried beside the one given, drawn for the series; 0 */
    uint64_t seed;                 /* of the draws, 0 */
} volt_series_anomaly_options;
VOLT_API volt_series_anomaly_options volt_series_anomaly_options_default(void);

typedef struct volt_series_anomaly volt_series_anomaly;

/* Learn what is normal from n >= 3 series. n_examples series (0: none, then NULL) are known not to be normal: they choose
 * alpha and, with draws, the kernel: the one with the largest sum of both areas of normal series left out against them.
 * Without examples nothing tells kernels apart: draws are VOLT_ERR_ARGUMENT then. It takes the memory of
 * four n x n matrices, and n^3 operations for each alpha. The same bits whatever the number of threads. VOLT_ERR_SHAPE,
 * VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA where the kernel takes all series for the same;
 * VOLT_ERR_SINGULAR where alpha is too small for the rounding. options may be NULL. */
VOLT_API volt_status volt_series_anomaly_fit(const char *kernel, const volt_view *normal, int64_t n,
                                             const volt_view *examples, int64_t n_examples,
                                             const volt_series_anomaly_options *options,
                                             volt_series_anomaly **anomaly);
VOLT_API void volt_series_anomaly_free(volt_series_anomaly *anomaly);

VOLT_API void volt_series_anomaly_get_info(const volt_series_anomaly *anomaly, volt_anomaly_info *info);

/* Scores of `count` new series. progress may be NULL. */
VOLT_API volt_status volt_series_anomaly_score(const volt_series_anomaly *anomaly, const volt_view *series,
                                               int64_t count, const volt_progress *progress, double *scores);

/* ---- rows of one series ----------------------------------------------------------------------- */

/* A watch forecasts each row of a series from those before it and says how far it lies from the forecast, in units of
 * what errors are like there. The model forecasts its own inputs one row ahead (volt_fit_options.ahead = feedback = 1). */
typedef struct volt_watch_options {
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
