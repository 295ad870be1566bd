/* volterra/series.h: models of whole series: classification, regression and anomaly detection.
 *
 *     volt_series_model *model = NULL;
 *     volt_status status = volt_series_fit(series, n, classes, n_classes, (volt_view){0}, NULL, &model);
 *     if (!status)
 *         status = volt_series_model_predict(model, others, count, (volt_progress){0}, outputs,
 *                                            volt_matrix_of(NULL, 0, 0), found);
 *     volt_series_model_free(model);
 *
 * Scales and the ball of the inputs are learned from the training series and applied to new series. */
#ifndef VOLTERRA_SERIES_H
#define VOLTERRA_SERIES_H

#include "volterra/base.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- preparation and comparison ---------------------------------------------------------------- */

/* Scaling of the values before the kernel. After CHANNELS and SERIES all steps are divided by one number, so that the largest
 * norm of a training step is 1. */
typedef enum volt_object_scale {
    VOLT_OBJECT_SCALE_CHANNELS, /* each channel: mean 0, deviation 1 over all steps of the training series */
    VOLT_OBJECT_SCALE_SERIES,   /* each channel of each series: mean 0, deviation 1 (0 where it is constant) */
    VOLT_OBJECT_SCALE_NONE      /* unchanged */
} volt_object_scale;

/* Content of a step of a series. */
typedef enum volt_object_input {
    VOLT_OBJECT_INPUT_LEVEL,  /* values */
    VOLT_OBJECT_INPUT_CHANGE, /* changes from the previous step; 0 in the first step */
    VOLT_OBJECT_INPUT_BOTH    /* values, then changes */
} volt_object_input;

/* Comparison of two series. */
typedef enum volt_object_compare {
    VOLT_OBJECT_COMPARE_SERIES, /* as wholes: final states, whole paths, all steps as one row */
    /* mean of the kernel (volt_gram) over all pairs of steps, one of each series, with their states: independent of the
     * time at which something happens */
    VOLT_OBJECT_COMPARE_STEPS
} volt_object_compare;

/* ---- classes and numbers of series -------------------------------------------------------------- */

/* Value of options that are chosen automatically. */
enum { VOLT_SERIES_CHOOSE = -1 };

/* One of the kernels whose mean a model uses, and the preparation of the series for it. */
typedef struct volt_series_kernel {
    const char *kernel; /* full text; in volt_series_info it belongs to the model */
    volt_object_scale scale;
    volt_object_input input;
    volt_object_compare compare;
} volt_series_kernel;

typedef struct volt_series_options {
    size_t struct_size;
    /* kernel between series. Classes: open parameters are drawn, "A | B" are drawn in turn, NULL: a default list */
    const char *kernel;
    /* VOLT_SERIES_CHOOSE (default): channels or series, for numbers channels [words volt_object_scale] */
    int scale;
    /* VOLT_SERIES_CHOOSE (default): level or both, for numbers level [words volt_object_input] */
    int input;
    /* VOLT_SERIES_CHOOSE (default): series or steps, for numbers series [words volt_object_compare] */
    int compare;
    int normalise; /* 1 (default): K(x, x) = 1 for every series. Kernels for classes are always normalised */
    double alpha;  /* regularisation, relative to the mean of K(x, x) over the training series; 0: chosen */

    /* -- classes -- */
    const char *loss; /* "squares" (or NULL), "multinomial" */
    /* kernels to try; 0: one for each preparation, with the defaults of the kernel; VOLT_SERIES_CHOOSE (default): 60, or 0
     * for a kernel without open parameters */
    int64_t draws;
    /* time limit in seconds of the search and the fit: candidates that would exceed it are not started, late ones are
     * abandoned, but one is always fitted. 0: none. VOLT_SERIES_CHOOSE (default): 30, or none with draws > 0 */
    double budget;
    /* series in the screening sample, on which all candidates are tried first, at least two for each class; 0: no screening;
     * VOLT_SERIES_CHOOSE (default): by the estimated work */
    int64_t screen;
    /* landmarks of the readout, training series, at least two for each class; 0: all; VOLT_SERIES_CHOOSE (default): all up
     * to 500 series and 300 above, fewer for long series. All for multinomial */
    int64_t landmarks;
    int64_t folds; /* folds of the nested accuracy, 0 (none) or 2 to 10 (default: 5) */
    /* maximum number of kernels, each the best of its kind, whose mean is used if its leave-one-out accuracy exceeds that of
     * the best kernel; 1 to 8 (default: 3) */
    int64_t blend;
    uint64_t seed;   /* seed of draws and splits (default: 0) */
    int64_t splits;  /* repeated stratified splits to evaluate the chosen kernel (default: 20); 0: none */
    double held_out; /* held-out share of each class in a split (default: 0.3) */
    /* (optional) as in volt_draw_options; none for alpha [array n_ranges] */
    const volt_range *ranges;
    int64_t n_ranges;
    /* (optional) at most 8: the mean of exactly these kernels, such as volt_series_info.kernels of another fit.
     * Then kernel, scale, input, compare, draws, budget, screen, blend and ranges are ignored [array n_parts] */
    const volt_series_kernel *parts;
    int64_t n_parts;

    volt_progress progress;
} volt_series_options;
VOLT_API volt_series_options volt_series_options_default(void);

typedef struct volt_series_model volt_series_model;

/* Learns the class of each of `count` series: classes[i], from 0 to n_classes - 1; or, with classes NULL, numbers: the rows of
 * Y (count x q). A class without series is never predicted.
 *
 * Classes: the readout is ridge regression on a column for each class, 1 for its series and 0 for others, with an intercept; or
 * multinomial. Kernel, alpha and preparation are chosen by leave-one-out accuracy on the training series, which is exact and
 * follows from the factorisation of the fit; ties are broken by the squared error of the columns. Expensive candidates are
 * first tried on a stratified sample of the series. Above 500 series, or if one matrix would take too long, the readout uses
 * a stratified sample of landmarks (Nystrom features). Sample sizes depend on the sizes of the data, not on time: a search
 * that ends before its budget is reproducible.
 *
 * Numbers: ridge regression with options->kernel (required): (K / s + alpha I) A = Y - c, s the mean of K(x, x) over the
 * training series. An alpha of 0 is chosen among 1e-8, 1e-7, ..., 10 by left_out_error. Options under "classes" are ignored.
 *
 * VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA: only one class, or no kernel
 * could be factored (the message describes the first failure); VOLT_ERR_SINGULAR where alpha is too small for the rounding of
 * K; VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_series_fit(const volt_view *series, int64_t count, const int64_t *classes,
                                     int64_t n_classes, volt_view Y, const volt_series_options *options,
                                     volt_series_model **model);
VOLT_API void volt_series_model_free(volt_series_model *model);

/* Choices of a fit, and its errors on the training series. Pointers belong to the model. */
typedef struct volt_series_info {
    size_t struct_size; /* set by the caller */
    int64_t series, channels;
    int64_t classes;                   /* 0: numbers */
    int64_t outputs;                   /* classes, or columns of Y */
    int64_t parts;                     /* kernels whose mean is used */
    const volt_series_kernel *kernels; /* the parts, the best one first [array parts] */
    const char *kernel;                /* full text of the first part */
    const char *loss;
    double alpha;
    volt_object_scale scale; /* of the first part */
    volt_object_input input;
    volt_object_compare compare;
    /* mean squared leave-one-out error of the columns; for numbers relative to the variance of each (constant columns
     * unchanged) */
    double left_out_error;
    const double *left_out_outputs; /* exact leave-one-out outputs (ridge) [array series, outputs] */

    /* -- classes; NaN and 0 for numbers -- */
    /* leave-one-out accuracy of the chosen kernel (ridge): optimistic [json left_out_accuracy] */
    double left_out;
    /* expected accuracy: the choice is repeated without each of `folds` folds and evaluated on it (ridge); NaN without folds,
     * or if the budget ended the search too early [json nested_accuracy] */
    double nested;
    int64_t folds;
    int64_t splits;
    /* accuracy of the chosen kernel over the splits (ridge); NaN without [json split_accuracy] */
    double split_mean;
    double split_deviation; /* its standard deviation */
    double temperature;     /* squares: probabilities are softmax(outputs / temperature) */
    double log_loss;        /* multinomial: mean -log probability over 5 stratified folds; else NaN */
    int64_t planned;        /* candidates */
    int64_t tried, failed;  /* candidates tried (on the screening sample or on all series), and failed */
    int64_t screen;         /* series in the screening sample; 0: no screening */
    int64_t finalists;      /* candidates tried on all series */
    int cut;           /* 1: the budget ended the search; the choice then depends on the speed of the machine */
    int64_t landmarks; /* landmarks of the readout; 0: all series */
    double seconds;

    /* VOLT_WARNING_SEARCH_CUT, VOLT_WARNING_SINGLE_SERIES_CLASS [array n_warnings] */
    const volt_warning *warnings;
    int64_t n_warnings;
} volt_series_info;
VOLT_API volt_status volt_series_model_get_info(const volt_series_model *model, volt_series_info *info);

/* Predicts new series. Every output is optional (NULL data). `outputs` is count x outputs, probabilities for multinomial.
 * `probabilities` of the classes is count x classes; for squares these are softmax(outputs / temperature), where the
 * temperature minimises the leave-one-out log loss on the training series with one count added to every class. `classes`
 * (count) are those with the largest outputs. VOLT_ERR_ARGUMENT for probabilities or classes of a model of numbers. */
VOLT_API volt_status volt_series_model_predict(const volt_series_model *model, const volt_view *series,
                                               int64_t count, volt_progress progress, volt_matrix outputs,
                                               volt_matrix probabilities, int64_t *classes);

/* ---- anomaly detection -------------------------------------------------------------------------- */

/* Scores how unusual a series is, given normal ones:
 *
 *     volt_series_anomaly *detector = NULL;
 *     volt_status status = volt_series_anomaly_fit("volterra", normal, n, NULL, 0, NULL, &detector);
 *     if (!status)
 *         status = volt_series_anomaly_score(detector, others, m, (volt_progress){0}, scores);
 *     volt_series_anomaly_free(detector);
 *
 * Scores are distances in the feature space of the kernel, relative to the standard deviation of the normal series in each
 * direction: the variance norm of Cass, Gonon and Zozoulenko ("Variance norms for kernelized anomaly
 * detection"), docs/math.md. */

typedef enum volt_anomaly_kind {
    VOLT_ANOMALY_MAHALANOBIS, /* distance from the mean of the normal series */
    VOLT_ANOMALY_CONFORMANCE  /* distance from the nearest of them */
} volt_anomaly_kind;

typedef struct volt_series_anomaly_options {
    size_t struct_size;
    volt_object_scale scale; /* preparation of the series */
    volt_object_input input;
    int normalise; /* 1 (default): K(x, x) = 1 for every series */
    volt_object_compare compare;
    volt_anomaly_kind score; /* default: VOLT_ANOMALY_CONFORMANCE */
    /* minimum variance of every direction relative to the total variance; 0 (default): chosen among 1e-8, 1e-7, ..., 1, by
     * the examples if there are any, otherwise by the leave-one-out likelihood of the normal series */
    double alpha;
    double rate;   /* false alarm rate: share of normal series above the threshold, in (0, 1) (default: 0.05) */
    int64_t draws; /* kernels to try in addition to the given one (default: 0) */
    uint64_t seed; /* seed of the draws (default: 0) */
    volt_progress progress;
} volt_series_anomaly_options;
VOLT_API volt_series_anomaly_options volt_series_anomaly_options_default(void);

/* Pointers belong to the detector. */
typedef struct volt_anomaly_info {
    size_t struct_size; /* set by the caller */
    int64_t n;          /* normal series */
    volt_anomaly_kind score;
    double alpha; /* chosen or given */
    double rate;  /* as given ... */
    double least; /* ... and its smallest value with n series, 1 / (n + 1) */
    /* approximate growth of scores with one more normal series: leave-one-out scores are multiplied by it to be comparable with
     * scores of new series. 1 with fewer than 5 series */
    double growth;
    /* scores above it are anomalies: the ceil((n + 1)(1 - rate))-th smallest of `scores`, or the largest if there are fewer */
    double threshold;
    const double *left_out; /* exact leave-one-out scores of the normal series, with the same ridge [array n] */
    const double *scores;   /* growth times left_out, comparable with scores of new series [array n] */
    /* ranking of left_out and the scores of the examples (marked), the latter from detectors without one normal series (mean
     * over at most five); zeros without examples */
    volt_ranking areas;
    const char *kernel; /* full text */
    int64_t tried;      /* kernels tried */

    const volt_warning *warnings; /* VOLT_WARNING_RATE_TOO_SMALL [array n_warnings] */
    int64_t n_warnings;
} volt_anomaly_info;

typedef struct volt_series_anomaly volt_series_anomaly;

/* Fits a detector to n >= 3 normal series. The n_examples examples of anomalies (0: none, then NULL) choose alpha and, with
 * draws, the kernel: the one with the largest sum of both areas of volt_ranking, leave-one-out. Draws require examples.
 * Memory: four n x n matrices; n^3 operations for each alpha. The result does not depend on the number of threads.
 * VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA if the kernel does not distinguish the
 * series; VOLT_ERR_SINGULAR if alpha is too small for the rounding errors. */
VOLT_API volt_status volt_series_anomaly_fit(const char *kernel, const volt_view *normal, int64_t n,
                                             const volt_view *examples, int64_t n_examples,
                                             const volt_series_anomaly_options *options,
                                             volt_series_anomaly **anomaly);
VOLT_API void volt_series_anomaly_free(volt_series_anomaly *anomaly);

VOLT_API volt_status volt_series_anomaly_get_info(const volt_series_anomaly *anomaly, volt_anomaly_info *info);

/* Computes the scores of `count` new series. */
VOLT_API volt_status volt_series_anomaly_score(const volt_series_anomaly *anomaly, const volt_view *series,
                                               int64_t count, volt_progress progress, double *scores);

#ifdef __cplusplus
}
#endif
#endif
