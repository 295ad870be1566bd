/* volterra/series.h: whole series as objects: their classes, numbers that belong to them, and how unusual they are.
 *
 *     volt_classifier *classifier = NULL;
 *     volt_status status = volt_classify_fit(series, n, classes, n_classes, NULL, &classifier);
 *     if (!status)
 *         status = volt_classifier_predict(classifier, others, count, NULL, outputs, found);
 *     volt_classifier_free(classifier);
 *
 * The scale of each channel and the ball of the inputs are learned from the training series and applied to new series. */
#ifndef VOLTERRA_SERIES_H
#define VOLTERRA_SERIES_H

#include "volterra/base.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- how series are prepared and compared ----------------------------------------------------- */

/* How values are scaled before a kernel sees them. After CHANNELS and SERIES all steps are divided by one number, so that
 * the largest norm of a training step is 1. */
typedef enum volt_object_scale {
    VOLT_OBJECT_SCALE_CHANNELS, /* each channel: mean 0, deviation 1 over all steps of the training series */
    VOLT_OBJECT_SCALE_SERIES,   /* each channel of each series: mean 0, deviation 1 (0 where it is constant) */
    VOLT_OBJECT_SCALE_NONE      /* as they are */
} volt_object_scale;

/* What a step of a series is. */
typedef enum volt_object_input {
    VOLT_OBJECT_INPUT_LEVEL,  /* its values */
    VOLT_OBJECT_INPUT_CHANGE, /* their changes since the step before; 0 in the first step */
    VOLT_OBJECT_INPUT_BOTH    /* values, then changes */
} volt_object_input;

/* What of two series is compared. */
typedef enum volt_object_compare {
    VOLT_OBJECT_COMPARE_SERIES, /* the series: final states, whole paths, all steps as one row */
    VOLT_OBJECT_COMPARE_STEPS /* the mean of the kernel over all pairs of steps, one of each series, with what came before
                                 * them: when something happens does not matter, how often does. Kernels are those of
                                 * volt_gram, also on windows */
} volt_object_compare;

typedef struct volt_objects_options {
    volt_object_scale scale;     /* VOLT_OBJECT_SCALE_CHANNELS */
    volt_object_input input;     /* VOLT_OBJECT_INPUT_LEVEL */
    int normalise;               /* 1: K(x, x) = 1 for every series */
    volt_object_compare compare; /* VOLT_OBJECT_COMPARE_SERIES */
} volt_objects_options;

/* ---- classes of series ------------------------------------------------------------------------- */

/* The readout is ridge regression on a column for each class, 1 for its series and 0 for others, with an intercept; or
 * multinomial. Kernel, alpha and preparation are chosen on the training series only, by leave-one-out accuracy, which is
 * exact and comes from the factorisation that a fit needs anyway; ties are broken by the squared error of the columns.
 *
 * The leave-one-out accuracy of the chosen kernel is the largest of many, and so optimistic. The nested accuracy repeats the
 * choice without each of `folds` folds and counts on that fold: use it as the expected accuracy.
 *
 * Candidates that would take long on all series are first tried on a stratified sample of them (a race), the cheapest first;
 * above 500 series, or where one matrix would take too long, a stratified sample of landmarks carries the readout (Nystrom
 * features). Sample sizes follow from the sizes of the data, not from time: a search that ends before its budget is
 * reproducible. */

/* As volt_object_scale, volt_object_input and volt_object_compare where one is to be chosen. */
enum { VOLT_CLASSIFY_CHOOSE = -1 };

/* One of the kernels whose mean a classifier is, and how series are prepared for it. */
typedef struct volt_classifier_kernel {
    const char *kernel; /* full text; in volt_classifier_info it belongs to the classifier */
    volt_object_scale scale;
    volt_object_input input;
    volt_object_compare compare;
} volt_classifier_kernel;

typedef struct volt_classify_options {
    const char *kernel; /* what it leaves open is drawn; "A | B" are drawn in turn; NULL: a default list */
    const char *loss;   /* "squares" (or NULL), "multinomial" */
    int scale;          /* a volt_object_scale, or VOLT_CLASSIFY_CHOOSE (default): channels or series */
    int input;          /* a volt_object_input, or VOLT_CLASSIFY_CHOOSE (default): level or both */
    int compare;        /* a volt_object_compare, or VOLT_CLASSIFY_CHOOSE (default): series or steps */
    double alpha;       /* regularisation of kernels that are 1 of a series with itself; 0: chosen */
    /* kernels that are tried; 0: one for each way to prepare, the kernel as it is given, with its defaults;
     * VOLT_CLASSIFY_CHOOSE (default): 60, or 0 where a kernel leaves nothing open */
    int64_t draws;
    /* seconds for the search and the fit: no candidate is begun that would not end in time, and one that is late is
     * abandoned, but one is always fitted. 0: no limit. VOLT_CLASSIFY_CHOOSE (default): 30, or no limit where draws is
     * above 0 */
    double budget;
    /* series of the sample on which all candidates are tried first, at least two for each class; 0: none, every candidate
     * is tried on all series; VOLT_CLASSIFY_CHOOSE (default): by the work that the candidates take */
    int64_t screen;
    /* training series that carry the readout, at least two for each class; 0: all; VOLT_CLASSIFY_CHOOSE (default): all up
     * to 500 series and 300 above, fewer for long series. All for multinomial */
    int64_t landmarks;
    int64_t folds; /* of the nested accuracy, 0 (none) or 2 to 10; 5 */
    /* the mean of up to so many kernels, each the best of its kind, is taken where it tells more series that
     * are left out than the best alone; at least 1, at most 8; 3 */
    int64_t blend;
    uint64_t seed;   /* of draws and splits, 0 */
    int64_t splits;  /* repeated stratified splits that the chosen kernel is judged by as well, 20; 0: none */
    double held_out; /* share of each class that a split holds out, 0.3 */
    const volt_range *ranges; /* (optional) n_ranges, as in volt_draw_options; none for alpha */
    int64_t n_ranges;
    /* (optional) n_parts, at most 8: the mean of exactly these kernels, such as volt_classifier_info.kernels of
     * another fit. Nothing is drawn: kernel, scale, input, compare, draws, budget, screen, blend and ranges are
     * ignored */
    const volt_classifier_kernel *parts;
    int64_t n_parts;
    volt_progress progress;
} volt_classify_options;
VOLT_API volt_classify_options volt_classify_options_default(void);

/* What was chosen, and how good it is on training series that were left out. Read the fields, do not change them. */
typedef struct volt_classifier_info {
    int64_t series, classes, channels;
    int64_t parts; /* kernels whose mean it is */
    const volt_classifier_kernel
        *kernels;       /* the parts, the best by itself first; they belong to the classifier */
    const char *kernel; /* of the first part, full text */
    const char *loss;
    double alpha;
    volt_object_scale scale; /* of the first part, and so on */
    volt_object_input input;
    volt_object_compare compare;
    int64_t planned; /* candidates */
    int64_t tried,
        failed;        /* candidates tried, on the screening sample or on all series, and failures among them */
    int64_t screen;    /* series of the screening sample; 0: there was none */
    int64_t finalists; /* candidates tried on all series */
    int cut; /* 1: the budget ended the search, so that the choice depends on the speed of the machine */
    int64_t landmarks; /* series that carry the readout; 0: all */
    double
        left_out; /* leave-one-out accuracy of the chosen kernel (ridge): optimistic, as it was chosen by it */
    double left_out_error; /* mean square of the columns' errors then */
    const double
        *left_out_outputs; /* series x classes: leave-one-out ridge outputs; they belong to the classifier */
    /* accuracy with the choice repeated without each of `folds` folds (ridge); NaN without folds, or where the budget
     * ended the search too early */
    double nested;
    int64_t folds;
    int64_t splits;
    double split_mean, split_deviation; /* accuracy of the chosen kernel over the splits (ridge); NaN without */
    double temperature; /* probabilities are softmax(outputs / temperature): volt_classifier_probabilities */
    double log_loss;    /* multinomial: mean -log probability over 5 stratified folds; else NaN */
    double seconds;
} volt_classifier_info;

typedef struct volt_classifier volt_classifier;

/* classes[i], from 0 to n_classes - 1, is that of series i. A class may have no series: it is never found.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE; VOLT_ERR_DATA: series of one class only, or no
 * kernel that could be factored (the sentence of the first failure); VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_classify_fit(const volt_view *series, int64_t count, const int64_t *classes,
                                       int64_t n_classes, const volt_classify_options *options,
                                       volt_classifier **classifier);
VOLT_API void volt_classifier_free(volt_classifier *classifier);
VOLT_API void volt_classifier_get_info(const volt_classifier *classifier, volt_classifier_info *info);

/* Outputs (count x n_classes) of new series: those of the columns, or probabilities for multinomial; and (optional, may
 * be NULL) the class of the largest, `count` of them. progress may be NULL. */
VOLT_API volt_status volt_classifier_predict(const volt_classifier *classifier, const volt_view *series,
                                             int64_t count, const volt_progress *progress, volt_matrix outputs,
                                             int64_t *classes);

/* Turn outputs of volt_classifier_predict (any number x n_classes) into probabilities of the classes, in place. Those of
 * multinomial are probabilities already. Others become softmax(outputs / temperature), with the temperature that has the
 * smallest log loss for the training series, each left out, with one count added to every class: the largest output stays
 * the largest. */
VOLT_API volt_status volt_classifier_probabilities(const volt_classifier *classifier, volt_matrix outputs);

/* ---- numbers of whole series -------------------------------------------------------------------- */

/* Ridge regression for targets that are numbers: (K / s + alpha I) A = Y - c, where s is the mean of K(x, x) over the training
 * series, so that alpha has the same size for every kernel.
 *
 *     volt_series_ridge *ridge = NULL;
 *     volt_status status = volt_series_ridge_fit("gak", series, n, Y, NULL, &ridge);            // Y: n x q
 *     if (!status)
 *         status = volt_series_ridge_predict(ridge, others, count, NULL, outputs);               // count x q
 *     volt_series_ridge_free(ridge); */
typedef struct volt_series_ridge_options {
    volt_objects_options objects; /* how series are prepared */
    /* regularisation, above 0; 0 (default): the one of 1e-8, 1e-7, ..., 10 with the smallest left_out_error */
    double alpha;
    volt_progress progress;
} volt_series_ridge_options;
VOLT_API volt_series_ridge_options volt_series_ridge_options_default(void);

typedef struct volt_series_ridge volt_series_ridge;

/* Learn the row of Y (count x q) that belongs to each of `count` series. VOLT_ERR_ARGUMENT, VOLT_ERR_KERNEL, VOLT_ERR_SHAPE
 * (fewer than 2 series among them), VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA, VOLT_ERR_SINGULAR where alpha is too small for the
 * rounding of K, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. options may be NULL. */
VOLT_API volt_status volt_series_ridge_fit(const char *kernel, const volt_view *series, int64_t count,
                                           volt_view Y, const volt_series_ridge_options *options,
                                           volt_series_ridge **ridge);
VOLT_API void volt_series_ridge_free(volt_series_ridge *ridge);

typedef struct volt_series_ridge_info {
    int64_t series, channels, outputs;
    const char *kernel; /* full text; it belongs to the ridge */
    double alpha;       /* that was chosen or given */
    /* mean square of the leave-one-out errors of the training series; of every output in units of
     * its variance (constant outputs as they are), in the mean over them */
    double left_out_error;
    const double
        *left_out_outputs; /* series x outputs: exact leave-one-out outputs; they belong to the ridge */
} volt_series_ridge_info;
VOLT_API void volt_series_ridge_get_info(const volt_series_ridge *ridge, volt_series_ridge_info *info);

/* Outputs (count x q) of new series. progress may be NULL. */
VOLT_API volt_status volt_series_ridge_predict(const volt_series_ridge *ridge, const volt_view *series,
                                               int64_t count, const volt_progress *progress,
                                               volt_matrix outputs);

/* ---- series among others ---------------------------------------------------------------------- */

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

#ifdef __cplusplus
}
#endif
#endif
