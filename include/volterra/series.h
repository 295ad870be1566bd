/* volterra/series.h: whole series as objects: their classes, numbers that belong to them, and how unusual they are.
 *
 *     volt_series_model *model = NULL;
 *     volt_status status = volt_series_fit_classes(series, n, classes, n_classes, NULL, &model);
 *     if (!status)
 *         status = volt_series_model_predict(model, others, count, NULL, outputs, volt_matrix_of(NULL, 0, 0), found);
 *     volt_series_model_free(model);
 *
 * Scales and the ball of the inputs are learned from the training series and applied to new series. Every struct begins with
 * struct_size: for options _default() sets it, for results the caller does. */
#ifndef VOLTERRA_SERIES_H
#define VOLTERRA_SERIES_H

#include "volterra/base.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- preparation and comparison ---------------------------------------------------------------- */

/* How values are scaled before a kernel sees them. After CHANNELS and SERIES all steps are divided by one number, so that
 * the largest norm of a training step is 1. */
typedef enum volt_object_scale {
    VOLT_OBJECT_SCALE_CHANNELS, /* each channel: mean 0, deviation 1 over all steps of the training series */
    VOLT_OBJECT_SCALE_SERIES,   /* each channel of each series: mean 0, deviation 1 (0 where it is constant) */
    VOLT_OBJECT_SCALE_NONE      /* unchanged */
} volt_object_scale;

/* What a step of a series is. */
typedef enum volt_object_input {
    VOLT_OBJECT_INPUT_LEVEL,  /* its values */
    VOLT_OBJECT_INPUT_CHANGE, /* their changes since the step before; 0 in the first step */
    VOLT_OBJECT_INPUT_BOTH    /* values, then changes */
} volt_object_input;

/* How two series are compared. */
typedef enum volt_object_compare {
    VOLT_OBJECT_COMPARE_SERIES, /* as wholes: final states, whole paths, all steps as one row */
    VOLT_OBJECT_COMPARE_STEPS /* mean of the kernel over all pairs of steps, one of each series, with their past: it
                                 * does not depend on when something happens. Kernels are those of volt_gram */
} volt_object_compare;

/* ---- classes and numbers of series -------------------------------------------------------------- */

/* In place of an option that is to be chosen. */
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
    int scale; /* a volt_object_scale; VOLT_SERIES_CHOOSE (default): channels or series, for numbers channels */
    int input; /* a volt_object_input; VOLT_SERIES_CHOOSE (default): level or both, for numbers level */
    int compare; /* a volt_object_compare; VOLT_SERIES_CHOOSE (default): series or steps, for numbers series */
    int normalise; /* 1: K(x, x) = 1 for every series. Kernels for classes are always normalised */
    double alpha;  /* regularisation, relative to the mean of K(x, x) over the training series; 0: chosen */

    /* -- classes -- */
    const char *loss; /* "squares" (or NULL), "multinomial" */
    /* kernels to try; 0: one for each preparation, with the defaults of the kernel; VOLT_SERIES_CHOOSE (default): 60, or 0
     * for a kernel without open parameters */
    int64_t draws;
    /* seconds for the search and the fit: no candidate is begun that would not end in time, and a late one is
     * abandoned, but one is always fitted. 0: no limit. VOLT_SERIES_CHOOSE (default): 30, or no limit with draws > 0 */
    double budget;
    /* series of the sample on which all candidates are tried first, at least two for each class; 0: every candidate is
     * tried on all series; VOLT_SERIES_CHOOSE (default): by the work that the candidates take */
    int64_t screen;
    /* training series that carry the readout, at least two for each class; 0: all; VOLT_SERIES_CHOOSE (default): all up
     * to 500 series and 300 above, fewer for long series. All for multinomial */
    int64_t landmarks;
    int64_t folds; /* of the nested accuracy, 0 (none) or 2 to 10; 5 */
    /* the mean of up to so many kernels, each the best of its kind, is used where its leave-one-out accuracy is higher
     * than that of the best kernel; 1 to 8; 3 */
    int64_t blend;
    uint64_t seed; /* of draws and splits, 0 */
    int64_t
        splits; /* repeated stratified splits on which the chosen kernel is evaluated as well, 20; 0: none */
    double held_out;          /* share of each class that a split holds out, 0.3 */
    const volt_range *ranges; /* (optional) n_ranges, as in volt_draw_options; none for alpha */
    int64_t n_ranges;
    /* (optional) n_parts, at most 8: the mean of exactly these kernels, such as volt_series_info.kernels of another fit.
     * Then kernel, scale, input, compare, draws, budget, screen, blend and ranges are ignored */
    const volt_series_kernel *parts;
    int64_t n_parts;

    volt_progress progress;
} volt_series_options;
VOLT_API volt_series_options volt_series_options_default(void);

typedef struct volt_series_model volt_series_model;

/* Learns the class of each of `count` series: classes[i], from 0 to n_classes - 1. A class without series is never predicted.
 *
 * The readout is ridge regression on a column for each class, 1 for its series and 0 for others, with an intercept; or
 * multinomial. Kernel, alpha and preparation are chosen on the training series by leave-one-out accuracy, which is exact and
 * follows from the factorisation of the fit; ties are broken by the squared error of the columns. Candidates that would take
 * long on all series are first tried on a stratified sample of them; above 500 series, or where one matrix would take too
 * long, a stratified sample of landmarks carries the readout (Nystrom features). Sample sizes follow from the sizes of the
 * data, not from time: a search that ends before its budget is reproducible.
 *
 * VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA: series of one class only, or no
 * kernel that could be factored (the message of the first failure); VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_series_fit_classes(const volt_view *series, int64_t count, const int64_t *classes,
                                             int64_t n_classes, const volt_series_options *options,
                                             volt_series_model **model);

/* Learns numbers of series, the rows of Y (count x q), by ridge regression with options->kernel (required):
 * (K / s + alpha I) A = Y - c, s the mean of K(x, x) over the training series. An alpha of 0 is chosen among 1e-8, 1e-7, ..., 10
 * by left_out_error. Options under "classes" are ignored. VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_SHAPE (fewer than 2
 * series among them), VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA, VOLT_ERR_SINGULAR where alpha is too small for the rounding of K,
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_series_fit_numbers(const volt_view *series, int64_t count, volt_view Y,
                                             const volt_series_options *options, volt_series_model **model);
VOLT_API void volt_series_model_free(volt_series_model *model);

/* What was chosen, and its errors on the training series. Pointers belong to the model. */
typedef struct volt_series_info {
    size_t struct_size; /* set by the caller */
    int64_t series, channels;
    int64_t classes;                   /* 0: numbers */
    int64_t outputs;                   /* classes, or columns of Y */
    int64_t parts;                     /* kernels whose mean is used */
    const volt_series_kernel *kernels; /* the parts, the best by itself first */
    const char *kernel;                /* of the first part, full text */
    const char *loss;
    double alpha;
    volt_object_scale scale; /* of the first part */
    volt_object_input input;
    volt_object_compare compare;
    /* mean square of the leave-one-out errors of the columns; of numbers in units of the variance of each (constant
     * ones unchanged) */
    double left_out_error;
    const double *left_out_outputs; /* series x outputs: exact leave-one-out outputs (ridge) */

    /* -- classes; NaN and 0 for numbers -- */
    double
        left_out; /* leave-one-out accuracy of the chosen kernel (ridge): optimistic, as it was chosen by it */
    /* expected accuracy: the choice is repeated without each of `folds` folds and counted on it (ridge); NaN without
     * folds, or where the budget ended the search too early */
    double nested;
    int64_t folds;
    int64_t splits;
    double split_mean, split_deviation; /* accuracy of the chosen kernel over the splits (ridge); NaN without */
    double temperature;                 /* squares: probabilities are softmax(outputs / temperature) */
    double log_loss; /* multinomial: mean -log probability over 5 stratified folds; else NaN */
    int64_t planned; /* candidates */
    int64_t tried,
        failed;        /* candidates tried, on the screening sample or on all series, and failures among them */
    int64_t screen;    /* series of the screening sample; 0: there was none */
    int64_t finalists; /* candidates tried on all series */
    int cut; /* 1: the budget ended the search, so that the choice depends on the speed of the machine */
    int64_t landmarks; /* series that carry the readout; 0: all */
    double seconds;

    /* VOLT_WARNING_SEARCH_CUT, VOLT_WARNING_SINGLE_SERIES_CLASS */
    const volt_warning *warnings;
    int64_t n_warnings;
} volt_series_info;
VOLT_API volt_status volt_series_model_get_info(const volt_series_model *model, volt_series_info *info);

/* Predicts new series. Every output is optional (NULL data): outputs (count x outputs), those of multinomial are
 * probabilities; probabilities of the classes (count x classes), for squares softmax(outputs / temperature) with the
 * temperature of smallest log loss on the training series, each left out, one count added to every class; classes (count),
 * those of the largest outputs. progress may be NULL. VOLT_ERR_ARGUMENT for probabilities or classes of numbers. */
VOLT_API volt_status volt_series_model_predict(const volt_series_model *model, const volt_view *series,
                                               int64_t count, const volt_progress *progress,
                                               volt_matrix outputs, volt_matrix probabilities,
                                               int64_t *classes);

/* ---- series among others ------------------------------------------------------------------------ */

/* How unusual is a series among normal ones?
 *
 *     volt_series_anomaly *detector = NULL;
 *     volt_status status = volt_series_anomaly_fit("volterra", normal, n, NULL, 0, NULL, &detector);
 *     if (!status)
 *         status = volt_series_anomaly_score(detector, others, m, NULL, scores);
 *     volt_series_anomaly_free(detector);
 *
 * Scores are distances in the kernel's space, in units of the spread that the normal series have in each direction: the
 * variance norm of Cass, Gonon and Zozoulenko ("Variance norms for kernelized anomaly detection"), docs/math.md. */

typedef enum volt_anomaly_kind {
    VOLT_ANOMALY_MAHALANOBIS, /* distance from the mean of the normal series */
    VOLT_ANOMALY_CONFORMANCE  /* distance from the nearest of them */
} volt_anomaly_kind;

typedef struct volt_series_anomaly_options {
    size_t struct_size;
    volt_object_scale scale;     /* preparation of the series: VOLT_OBJECT_SCALE_CHANNELS, ... */
    volt_object_input input;     /* ... VOLT_OBJECT_INPUT_LEVEL, ... */
    int normalise;               /* ... 1: K(x, x) = 1 for every series, ... */
    volt_object_compare compare; /* ... VOLT_OBJECT_COMPARE_SERIES */
    volt_anomaly_kind score;     /* VOLT_ANOMALY_CONFORMANCE */
    /* share of the total variance that every direction has at least; 0 (default): chosen among 1e-8, 1e-7, ..., 1, by
     * the examples where there are some, else by the leave-one-out likelihood of the normal series */
    double alpha;
    double rate;   /* share of normal series that may lie above the threshold, in (0, 1); 0.05 */
    int64_t draws; /* kernels to try besides the one given, drawn for the series; 0 */
    uint64_t seed; /* of the draws, 0 */
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
    double least; /* ... and the smallest that n series can show, 1 / (n + 1) */
    /* factor of scores for one more known normal series, about: leave-one-out scores are multiplied by it to be
     * compared with scores of new series. 1 with fewer than 5 series */
    double growth;
    /* scores above it are anomalies: the ceil((n + 1)(1 - rate))-th smallest of `scores`, or the largest where that is
     * more than there are */
    double threshold;
    const double *left_out; /* n: exact leave-one-out scores of the normal series, with the same ridge */
    const double
        *scores; /* n: growth times left_out, comparable with the threshold and with scores of new series */
    /* of left_out and the scores of the examples, which are marked, to detectors that know one series less as well (the
     * mean over five at most); zeros without examples */
    volt_ranking areas;
    const char *kernel; /* full text */
    int64_t tried;      /* kernels */

    const volt_warning *warnings; /* VOLT_WARNING_RATE_TOO_SMALL */
    int64_t n_warnings;
} volt_anomaly_info;

typedef struct volt_series_anomaly volt_series_anomaly;

/* Learns what is normal from n >= 3 series. n_examples series (0: none, then NULL) are known not to be normal: they choose
 * alpha and, with draws, the kernel: the one with the largest sum of both areas of normal series left out against them.
 * Draws require examples. Memory: four n x n matrices; n^3 operations for each alpha. The result does not depend on the number
 * of threads. VOLT_ERR_SHAPE, VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA where the kernel does not
 * distinguish the series; VOLT_ERR_SINGULAR where alpha is too small for the rounding. */
VOLT_API volt_status volt_series_anomaly_fit(const char *kernel, const volt_view *normal, int64_t n,
                                             const volt_view *examples, int64_t n_examples,
                                             const volt_series_anomaly_options *options,
                                             volt_series_anomaly **anomaly);
VOLT_API void volt_series_anomaly_free(volt_series_anomaly *anomaly);

VOLT_API volt_status volt_series_anomaly_get_info(const volt_series_anomaly *anomaly, volt_anomaly_info *info);

/* Scores of `count` new series. progress may be NULL. */
VOLT_API volt_status volt_series_anomaly_score(const volt_series_anomaly *anomaly, const volt_view *series,
                                               int64_t count, const volt_progress *progress, double *scores);

#ifdef __cplusplus
}
#endif
#endif
