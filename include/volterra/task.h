/* volterra/task.h: tasks with automatic modelling decisions: pairing of rows, assessments, comparisons of kernels, learning
 * curves. Forecasts are in forecast.h, identification of systems in identify.h, anomalous rows in row_anomaly.h.
 *
 * NULL options are the defaults. */
#ifndef VOLTERRA_TASK_H
#define VOLTERRA_TASK_H

#include "volterra/base.h"
#include "volterra/forecast.h"
#include "volterra/io.h"
#include "volterra/live.h"
#include "volterra/model.h"
#include "volterra/row_anomaly.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pairing of inputs and targets ------------------------------------------------------------ */

/* Pairs the rows of a sequence as inputs and targets. */
enum { VOLT_AHEAD_AUTO = -1 };

typedef struct volt_pairing_options {
    size_t struct_size;
    /* horizon: the target of row t is row t + ahead. VOLT_AHEAD_AUTO (default): 0 with separate targets, 1 without */
    int64_t ahead;
    /* below `ahead`: every horizon from here to `ahead` is an output. VOLT_AHEAD_AUTO (default): ahead */
    int64_t first_ahead;
    /* (optional) lengths of consecutive records; pairs do not cross records [array n_records] */
    const int64_t *records;
    int64_t n_records;               /* 0 (default): one sequence */
    const char *const *record_names; /* (optional) for messages [array n_records] */
    /* number of last columns of X that are known in advance, such as a calendar, and not targets (default: 0) */
    int64_t known_inputs;
    int allow_target_in_inputs;      /* 1: with ahead 0, accept a target that is also an input; 0: reject it */
    const char *const *input_names;  /* (optional) names of the columns of X [array d] */
    const char *const *target_names; /* (optional) names of the columns of Y, or of X without Y [array q] */
    const char *loss;                /* (optional) text of the loss; NULL: squares */
    const char *const *labels; /* (optional) n class labels, instead of Y, for a loss of classes [array n] */
    int64_t n_classes;         /* with a loss of classes and no labels: classes that Y numbers from 0 */
    int fed_outputs; /* 1: past outputs are inputs of the model; requires Y and ahead 0 (default: 0) */
} volt_pairing_options;
VOLT_API volt_pairing_options volt_pairing_options_default(void);

/* Read the fields, do not change them; they belong to the pairing. Views may refer to X and Y. */
typedef struct volt_pairing {
    size_t struct_size;
    int64_t first_ahead, ahead;
    volt_view inputs;    /* the rows of X that have a target */
    volt_view targets;   /* rows of inputs x outputs: column 1 at first_ahead .. ahead, then column 2, ... */
    volt_view series;    /* all rows of Y, or of X without the known inputs */
    const int64_t *rows; /* per row of `inputs` its row of X; NULL: the same [array n] */
    /* lengths of the records of `inputs`, each `ahead` shorter; NULL: one sequence [array n_records] */
    const int64_t *records;
    int64_t n_records; /* 0: one sequence */
    /* per output the input with the same quantity, `ahead` rows earlier; NULL: not for all outputs, or ahead = 0
     * [array outputs] */
    const int64_t *anchors;
    int64_t outputs; /* of a model: columns of `targets`, or the outputs of the loss */
    /* 1: the outputs are the inputs one step later, so that they can be fed back; 0 with fed_outputs */
    int feedback;
    volt_view pending; /* last `ahead` rows of X, which have no target yet; no rows if a value is not finite */
    int64_t gap;       /* rows to exclude before test rows, so that all training targets are known: ahead - 1 */
    int64_t missing_targets;         /* rows of Y with a NaN, which are not fitted */
    const char *const *output_names; /* NULL: columns without names and one horizon [array outputs] */
    /* distinct labels, whose numbers from 0 are the targets: numbers by value, then texts by bytes. The texts belong to
     * the options. NULL: no labels [array n_classes] */
    const char *const *classes;
    int64_t n_classes; /* with a loss of classes: of the labels, or as given */
    const char *loss;  /* text, as given; NULL: squares */
    int fed_outputs;   /* as given [flag] */
} volt_pairing;

/* Pairs the rows of X (n x d) with those of Y (n x q), or of X itself if Y has no data. X and Y must outlive the pairing.
 * VOLT_ERR_ARGUMENT for horizons out of range, or a target that is an input of the same row; VOLT_ERR_SHAPE, VOLT_ERR_DATA for
 * too few rows or labels of one class. */
VOLT_API volt_status volt_pairing_create(volt_view X, volt_view Y, const volt_pairing_options *options,
                                         volt_pairing **pairing);
VOLT_API void volt_pairing_free(volt_pairing *pairing);

/* ---- rows of several tables ------------------------------------------------------------------- */

/* Keeps the rows of n tables that belong together, such as inputs, targets and weights: those rows of the first table that
 * have one in every other, and these. Rows of two tables with times belong together if they have the same time, or are the same
 * row of files with the same times. Tables whose times do not increase must have the same times. Without times they are the
 * same row of both files, which must have the same number of rows.
 * common[t] (n, may be NULL) receives the number of rows of the first table, as given, that have one in table t.
 * partner (may be NULL; n = 2) receives the row of the second table for each row of the first, or -1; the tables are then
 * unchanged, and may have only rows, file_rows, row_numbers and times. names: n names for messages. VOLT_ERR_SHAPE,
 * VOLT_ERR_DATA (the message has the times), VOLT_ERR_MEMORY; the tables are then unchanged. */
VOLT_API volt_status volt_tables_align(volt_table *const *tables, const char *const *names, int64_t n,
                                       int64_t *common, int64_t *partner);

/* ---- times of rows ---------------------------------------------------------------------------- */

typedef struct volt_times_report {
    size_t struct_size;  /* set by the caller */
    volt_time_grid grid; /* as given, or of these rows */
    int64_t before;      /* number of leading rows earlier than `last` */
    /* first row not earlier than `last`, if that is the last training target: VOLT_START_AT_TARGET (the same time) or
     * VOLT_START_AFTER_TARGET; VOLT_START_CONTINUE: unknown */
    volt_start start;
    /* VOLT_WARNING_ROWS_UNORDERED, or else VOLT_WARNING_ROWS_MISSING (the first gap) and VOLT_WARNING_TRAINING_ROWS */
    int64_t n_warnings;
    volt_warning warnings[4]; /* [array n_warnings] */
    /* step that at least nine of ten of these rows follow, or four of five with closed weekdays, where the others follow
     * holidays; all zero: none, or some times of day have no rows */
    volt_time_step step;
    int64_t missing; /* rows missing in all gaps; 0: none or unknown */
    /* first row that is not later than the row before it; n: none. A local clock without a time zone may be put back by an hour
     * on a Sunday night: rows of a step of at most an hour are then in order */
    int64_t disorder;
    /* with `grid` and `last`: first row whose time is not that of the steps after `last`; without a regular step or with closed
     * weekdays, whose holidays are unknown, first row that is not later than `last` and the row before it; n: none */
    int64_t misplaced;
} volt_times_report;

/* Checks the times of n rows: order, missing rows, and the relation to `last`, the time of the row that they follow, such as
 * the last training row (NaN: unknown). `grid` belongs to the training rows; NULL: found from these rows. The step is the
 * median, or whole months. Closed weekdays, closed nights, and holidays of up to two working days are not gaps.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_times_check(const volt_time *times, int64_t n, const volt_time_grid *grid,
                                      volt_time last, volt_times_report *report);

/* Inserts the rows that are missing between the times of the rows, with missing values, if the times have a regular step: days,
 * open weekdays, months, ... A gap that is no number of steps is left, and so are closed weekdays and nights, and holidays of
 * up to two working days. `times` are those of the rows; NULL: first->times, without effect if that is NULL. `second` (may be
 * NULL) has the same rows. Both tables have no faults. VOLT_ERR_SHAPE; VOLT_ERR_DATA if more rows are missing than present. */
VOLT_API volt_status volt_tables_fill(volt_table *first, volt_table *second, const volt_time *times);

/* Columns of a table that are times of its rows as numbers; -1: none. */
typedef struct volt_time_columns {
    size_t struct_size; /* set by the caller */
    /* column that increases by the same step in every row, or by a multiple of it in up to a tenth of the rows: the first one
     * named as a time, otherwise as an index, year, ..., otherwise the first column ... */
    int64_t counter;
    double step;        /* ... and this step */
    int64_t clock;      /* first column named as a time whose numbers increase in every record */
    const char *serial; /* static: what its numbers are, such as "serial dates of Excel"; NULL: unknown */
    /* `series` is the column. VOLT_WARNING_ROW_COUNTER; of the clock VOLT_WARNING_UNEVEN_CLOCK and VOLT_WARNING_SERIAL_DATES;
     * of the clock, otherwise of the counter, VOLT_WARNING_ROWS_MISSING (the first gap) */
    int64_t n_warnings;
    volt_warning warnings[4]; /* [array n_warnings] */
    int64_t missing;          /* rows missing in all gaps; 0: none or unknown */
} volt_time_columns;

/* Finds times among the columns of `values` (n x d, d >= 2, n >= 3), which are not data: is_time (d, may be NULL) is 1 for row
 * counters (the first column, and others named as a time or index, year, ...), and for columns named t, time, timestamp, date,
 * datetime or ds, with or without a unit in brackets, whose numbers increase, and months or quarters as numbers with a point
 * (2020.01, 2020.1, 1.2020), as volt_table_read finds them. names (d) and records may be NULL. Values that are
 * not finite are allowed. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_time_columns_find(volt_view values, const char *const *names, const int64_t *records,
                                            int64_t n_records, int *is_time, volt_time_columns *found);

/* ---- assessment ------------------------------------------------------------------------------- */

/* Model to compare with baselines, and rows of the comparison: the blocks of a search (`splits`), a test block (`test`), or
 * otherwise the held-out rows of `model`. */
typedef struct volt_assess_options {
    size_t struct_size;
    const volt_model *model;          /* (optional) fit of the pairs */
    volt_view fitted;                 /* (optional) its fitted values */
    const volt_split_options *splits; /* (optional) validation blocks [struct] */
    const volt_split *test;           /* (optional) one block [struct] */
    /* 1: in the blocks, drift and autoregression learn from all rows known at the time, as for held-out rows; 0 (default):
     * from the training part */
    int running;
    volt_score measure;  /* measure of `score` (default: VOLT_SCORE_R2) */
    double score;        /* score of the model in the blocks, NaN (default): unknown */
    int64_t season;      /* rows, at least 2; 0: none; VOLT_SEASON_AUTO (default): estimated from the targets */
    int64_t season_rows; /* number of leading rows from which the season is estimated; 0 (default): all */
    int by_loss; /* 1: baselines are constants, and errors are mean losses, of the loss of the pairing (default: 0) */
    const double *weights; /* (optional) weights of the pairs [array n] */
    int simulated; /* 1: `score` is of free runs of a model with feedback: VOLT_WARNING_FREE_RUN, and no baseline is better */
} volt_assess_options;
VOLT_API volt_assess_options volt_assess_options_default(void);

/* Means over outputs and blocks, in the units of the targets. Next to heldout_rmse, rmse is the root of mse. */
typedef struct volt_baseline_score {
    const char *name;          /* static */
    double mse, rmse, mae, r2; /* NaN with a loss */
    double loss;               /* mean loss; NaN without a loss [json score] */
    double ratio;              /* squared error or loss of the model relative to the baseline; NaN: unknown */
} volt_baseline_score;

typedef struct volt_assessment {
    size_t struct_size; /* set by the caller */

    /* -- model; NaN and 0: unknown -- */
    int64_t heldout_rows;
    double heldout_rmse;       /* root mean squared error over all outputs */
    double loo_rmse, gcv_rmse; /* the same by leave-one-out and generalised cross-validation */
    int64_t naive_outputs;     /* outputs that use the last value: no fit is clearly better */
    int64_t halfway_outputs;   /* outputs that use the mean of the last value and the fit */
    double naive_ratio;        /* held-out squared error of the best fit relative to that of the last value */
    double r2;                 /* R2 of the fitted values, without rows that have no target */
    double loss;               /* mean loss of the fitted values ... [json score] */
    const char *loss_name;     /* ... and its name as a score (static); NULL: no loss [json score_name] */

    /* -- baselines; none with records, missing targets or (without a loss) weights -- */
    int64_t season; /* season of the baselines; 0: none */
    int64_t n_baselines;
    volt_baseline_score baselines[8]; /* [array n_baselines] */
    int64_t better; /* index of the best baseline that is clearly better than the model; -1: none */

    int64_t n_warnings;
    volt_warning warnings[4]; /* [array n_warnings] */
} volt_assessment;

/* Compares a model, or the best candidate of a search, with baselines on the pairs. Without by_loss these are naive, seasonal
 * naive, drift and autoregression, if there are enough rows before the blocks. With by_loss they are the constant with the
 * smallest loss in the training parts and, if every target is an input, the last value plus a constant. A baseline is better
 * if its error is below 0.99 of the model's. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_assess(const volt_pairing *pairing, const volt_assess_options *options,
                                 volt_assessment *assessment);

/* ---- comparison of kernels -------------------------------------------------------------------- */

/* Each kernel is tuned on the first rows, refitted there and tested on the last. The rows of a protocol are the nine kernels of
 * the paper and this library, Linear, RBF, Poly, Sigmoid, GAK, Sig(N), Sig-PDE, Volterra, Volterra even, ESN, an echo state
 * network with 200 states, and, with HISTORY only, Recurrent, such a network of infinite width. */

typedef enum volt_protocol {
    VOLT_PROTOCOL_HISTORY,  /* every kernel has a window of past rows, which is tuned; continue, intercept */
    VOLT_PROTOCOL_PUBLISHED /* inputs as in the paper: docs/paper_results.md; reset, no intercept */
} volt_protocol;

/* One kernel of the comparison. */
typedef struct volt_contender {
    const char *name; /* (optional) name of the row; NULL: of the protocol's row, or the text of the kernel */
    /* text: given parameters are fixed, the others are tuned. Without a name, also the name of a row of the protocol
     * ("Sig-PDE") or of its kernel ("gak"): that row */
    const char *kernel;
} volt_contender;

/* Called by the calling thread: before row `row` is tuned with search NULL, after every trial with the search so far and the
 * trial, and after the test with the finished search and trial NULL. */
typedef void (*volt_compare_fn)(int64_t row, int64_t rows, const char *name, const volt_search *search,
                                const volt_trial *trial, void *context);

typedef struct volt_compare_options {
    size_t struct_size;
    volt_protocol protocol; /* default: VOLT_PROTOCOL_HISTORY */
    /* (optional) contenders; NULL: the rows of the protocol [array n_contenders] */
    const volt_contender *contenders;
    int64_t n_contenders;

    /* -- rows -- */
    /* rows excluded between training and validation, and at the end of the n_train rows before the test rows; H - 1 for
     * targets H rows ahead */
    int64_t gap;
    /* (optional) lengths of all rows, training and test, as in volt_fit_options [array n_records] */
    const int64_t *records;
    int64_t n_records; /* 0: one sequence */
    /* (optional) n x q: added to targets and predictions to obtain levels (volt_prepared.base). Scores, metrics, losses and
     * forecasts are then levels. Not with PUBLISHED */
    volt_view base;
    /* (optional) As in volt_search_options: kernels are fitted with the loss and compared by it. Not with PUBLISHED. */
    const char *loss;           /* NULL: squares */
    double tolerance;           /* default: 1e-6 */
    const double *weights;      /* weights of all rows, training and test [array n] */
    const char *const *classes; /* required for a loss of classes [array n_classes] */
    int64_t n_classes;

    /* -- search of each kernel -- */
    int64_t draws; /* per kernel; 0: limited by the time budget only */
    /* time budget per kernel; 0: none. One of the two is required. A kernel without any trial after it gets ten times the
     * budget for its first candidate */
    double seconds;
    int64_t folds;     /* default: 5 */
    volt_race race;    /* default: VOLT_RACE_EXACT */
    int from_defaults; /* as in volt_draw_options (default: 0) [flag] */
    uint64_t seed;     /* seed of the draws and of the bootstrap (default: 0) */

    /* -- model confidence set -- */
    double mcs_size;  /* size of volt_mcs_options (default: 0.25) ... */
    int64_t mcs_reps; /* ... and its replications (default: 10000) */

    /* -- log -- */
    /* (optional) existing directory for the trial logs, NUMBER-NAME.jsonl of each row, counted from 01 */
    const char *log;
    int resume;               /* 1: resume from these logs */
    volt_compare_fn on_event; /* (optional) */
    void *event_context;
    volt_progress progress;
} volt_compare_options;
VOLT_API volt_compare_options volt_compare_options_default(void);

typedef struct volt_comparison_row {
    size_t struct_size;
    const char *name;   /* name of the contender */
    const char *given;  /* its kernel, as given */
    const char *kernel; /* best kernel of its search, full text; "" on failure */
    double alpha;
    double score;                /* mean R2 over the folds, of the best kernel */
    const volt_metrics *metrics; /* on the test rows, in the units of Y; NaN with a loss [struct] */
    double loss;                 /* volt_loss_score on the test rows with a loss; else NaN */
    double mcs_pvalue;
    int in_mcs;              /* [flag] */
    int64_t hyperparameters; /* number of tuned parameters, alpha included */
    const char *cost;        /* cost of one entry of the Gram matrix */
    int64_t draws, failed;   /* candidates of the search */
    double seconds;          /* duration of the search */
    double fit_seconds;      /* duration of refit and test */
    const char *failure;     /* reason of a failure (such as: every draw failed), or NULL */
    /* predictions of the test rows, (n - n_train) x q in the units of Y, or x outputs with a loss; data NULL on failure */
    volt_view forecast;
    /* n - n_train: mean over outputs of e^2 / variance, whose mean is the NMSE. With a loss: the loss times the weight over
     * the mean weight, whose mean is `loss`. NULL on failure [array n] */
    const double *losses;
    const volt_search *search; /* search of the kernel; NULL: none */
} volt_comparison_row;

typedef struct volt_comparison volt_comparison;

/* Compares kernels on X (n x d), Y (n x q) in time order: the first n_train rows for training and tuning, the others for the
 * test. A contender that fails is a row with a reason. Failures caused by kernels or data return VOLT_OK, or VOLT_ERR_DATA if
 * all fail. Any other failure (memory, a log) is returned, and *comparison holds all rows if one has a result.
 * VOLT_ERR_CANCELLED: *comparison holds the completed rows. */
VOLT_API volt_status volt_compare_run(volt_view X, volt_view Y, int64_t n_train,
                                      const volt_compare_options *options, volt_comparison **comparison);
VOLT_API void volt_comparison_free(volt_comparison *comparison);

/* Returns row `row`, from 0; NULL after the last. It belongs to the comparison. */
VOLT_API const volt_comparison_row *volt_comparison_row_at(const volt_comparison *comparison, int64_t row);

/* ---- learning curves -------------------------------------------------------------------------- */

/* Held-out error against the number of training rows.
 *
 *     const char *kernels[] = {"volterra", "rbf:window=10"};
 *     volt_curve *curve = NULL;
 *     volt_status status = volt_curve_run(X, Y, kernels, 2, NULL, &curve);
 *     if (!status)
 *         printf("rate of %s: %g +- %g\n", curve->kernels[0], curve->rate[0], curve->rate_error[0]);
 *     volt_curve_free(curve); */
typedef struct volt_curve_options {
    size_t struct_size;
    /* (optional) increasing numbers of training rows, at least 2 each [array n_sizes] */
    const int64_t *sizes;
    int64_t n_sizes; /* 0 (default): chosen by `points` */
    /* number of sizes (default: 8): at equal ratios, up to the largest possible size N, from N / 100 or 20, whichever is
     * larger */
    int64_t points;
    /* held-out rows of a repeat; 0 (default): a fifth of the shortest record, divided by `repeat` */
    int64_t test;
    /* origins in every record (default: 1): the held-out rows are the last repeat * test rows, in `repeat` blocks */
    int64_t repeat;
    /* (optional) lengths of consecutive independent records, for example one for each seed of a simulated system.
     * Every record has its own training and held-out rows and counts as `repeat` repeats [array n_records] */
    const int64_t *records;
    int64_t n_records; /* 0 (default): one record */
    /* (optional) options of the fits: alpha, intercept, scale, scale_each, washout, ahead, anchors, target, input, season,
     * passthrough_columns and initial are used. loss, weights, missing_targets, records, feedback_weight, and solvers other
     * than "exact" are not supported. Other fields are ignored [struct] */
    const volt_fit_options *fit;
    volt_progress progress;
} volt_curve_options;
VOLT_API volt_curve_options volt_curve_options_default(void);

/* Read the fields, do not change them; they belong to the curve. Repeat r uses rows from first[r] on: `washout` rows,
 * sizes[n_sizes - 1] training rows, `gap` rows without use, and `test_rows` held-out rows. */
typedef struct volt_curve {
    size_t struct_size;
    int64_t n_kernels, n_repeats, n_sizes, outputs;
    const char *const *kernels; /* full texts [array n_kernels] */
    const int64_t *sizes;       /* training rows, without the washout [array n_sizes] */
    const int64_t *first;       /* [array n_repeats] */
    int64_t washout, gap, test_rows;
    /* errors of the held-out rows, as in volt_metrics ... [array n_kernels, n_repeats, n_sizes] */
    const double *nmse, *rmse;
    /* ... and x outputs: alpha of each output; INFINITY: the kernel is not used [array n_kernels, n_repeats,
     * n_sizes, outputs] */
    const double *alphas;
    /* mean of nmse over the repeats and its standard error; NaN: one repeat [array n_kernels, n_sizes] */
    const double *mean_nmse, *nmse_error;
    /* slope of log nmse against log rows over the larger half of the sizes, at least two, mean over the repeats; NaN:
     * one size, or an error of 0 ... [array n_kernels] */
    const double *rate;
    /* ... and its standard error: from the slopes of the repeats, or with one repeat from the residuals of the line, which
     * are correlated; NaN: one repeat and two sizes [array n_kernels] */
    const double *rate_error;
} volt_curve;

/* Computes the learning curves of n_kernels kernels (texts) on X (n x d), Y (n x q) in time order.
 *
 * The training rows of a size are the first rows of the repeat, so all sizes have the same held-out rows, which follow the
 * largest training set after a gap of ahead - 1 rows. The inputs between the training rows and the held-out rows update the
 * state. One Gram matrix and one factorisation for each alpha serve all sizes. Scales, the range of the kernel and the grid of
 * alphas are determined by the largest training set. Unless alpha is given, it is chosen for each size, repeat and output on
 * the later half of its training rows, as in volt_model_fit with VOLT_TARGET_LEVEL, also for changes; all candidates are
 * tried.
 *
 * VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_KERNEL, VOLT_ERR_DATA (too few rows, constant inputs),
 * VOLT_ERR_SINGULAR (given alpha), VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_curve_run(volt_view X, volt_view Y, const char *const *kernels, int64_t n_kernels,
                                    const volt_curve_options *options, volt_curve **curve);
VOLT_API void volt_curve_free(volt_curve *curve);

/* ---- capacities ------------------------------------------------------------------------------- */

/* The capacity of a kernel to reconstruct functions of its past inputs (Jaeger 2001; Dambre, Verstraeten, Schrauwen and
 * Massar, "Information processing capacity of dynamical systems", 2012):
 *
 *     volt_capacity *capacity = NULL;
 *     volt_status status = volt_capacity_compute(kernel, NULL, &capacity);
 *     if (!status)
 *         printf("linear memory: %g\n", capacity->by_degree[1]);
 *     volt_capacity_free(capacity);
 *
 * The inputs u are independent and uniform on [-1, 1]. A target y is a product of Legendre polynomials of single inputs,
 * P_k(u(t - j)), scaled to unit variance. Its degree is the sum of the k. Its capacity is, over all functionals f of the
 * kernel,
 *
 *     C = 1 - min_f (sum_t (y_t - f_t)^2 + alpha |f|^2) / sum_t y_t^2 = y' H y / y' y,      H = K (K + alpha I)^-1
 *
 * between 0 and 1. Capacities of orthogonal targets sum to at most the effective dimension tr H. With alpha = 0 and explicit
 * states it is the capacity of Dambre et al.: H projects on the states, and tr H is their rank (docs/math.md). */
enum {
    VOLT_CAPACITY_DEGREE = 20,      /* largest degree */
    VOLT_CAPACITY_TARGETS = 1000000 /* most targets */
};

typedef struct volt_capacity_options {
    size_t struct_size;
    int64_t rows;    /* rows of the targets, at least 10 (default: 5000) */
    int64_t washout; /* rows before them, at least `delay`; 0 (default): 200, or `delay` if that is larger */
    int64_t degree;  /* largest degree of a target, 1 to VOLT_CAPACITY_DEGREE (default: 3) */
    int64_t delay;   /* largest delay of a target (default: 30) */
    /* Regularisation; 0 only for kernels with fewer explicit states than rows: esn and sas with degree=1, and sums of them.
     * Negative (default): 0 for these kernels, otherwise given by `dimension` */
    double alpha;
    /* Effective dimension, below `rows`, that alpha is chosen for, to a relative accuracy of 1e-4; not with alpha. 0
     * (default): for kernels without explicit states 100, or a twentieth of the rows if that is smaller, or less if rounding
     * errors do not allow an alpha as small as required */
    double dimension;
    double significance; /* tail probability of the threshold, in (0, 1) (default: 1e-4) */
    /* Capacities below it are set to 0; in [0, 1]. Negative (default): 2 t / rows, where chi-square with tr H degrees of
     * freedom exceeds t with the probability `significance` */
    double threshold;
    uint64_t seed; /* of the inputs (default: 0) */
    volt_progress progress;
} volt_capacity_options;
VOLT_API volt_capacity_options volt_capacity_options_default(void);

typedef struct volt_capacity {
    size_t struct_size;
    int64_t rows, washout, degree, delay;
    int64_t states; /* explicit states of the kernel; 0: the kernel matrix was used */
    double alpha;
    double effective_dimension; /* tr H */
    double threshold;
    double total; /* sum of all capacities */
    int64_t n_targets;
    /* delay and degree of each factor of a target, in the order of the delays. Unused factors have the
     * degree 0. Targets are in the order of their degrees, the constant first [array n_targets, degree, 2] */
    int64_t *factors;
    double *capacities; /* 0 below the threshold [array n_targets] */
    /* sums over the targets of each degree, from 0. by_degree[1] is the linear memory [array degree + 1] */
    double *by_degree;
    int64_t *targets;     /* number of targets of each degree ... [array degree + 1] */
    int64_t *significant; /* ... and of those that are not below the threshold [array degree + 1] */
    /* sums over the targets of degree 1, 2, ... (rows) whose largest delay is 0, 1, ... (columns). The
     * first row is the memory curve [array degree, delay + 1] */
    double *by_delay;
} volt_capacity;

/* Computes the capacities of all products of degree up to `degree` of inputs with delays 0 to `delay`, from one
 * factorisation. Kernels are evaluated with the radius 1. The matrix of rows + washout rows is stored, except for kernels with
 * fewer explicit states than rows. A threshold of 1 or more, for too few rows, logs a warning. options may be NULL.
 * VOLT_ERR_ARGUMENT: a value out of range, or too many targets. VOLT_ERR_SINGULAR: alpha is too small for the kernel, or its
 * matrix is not positive semidefinite, or LAPACK fails. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. Free *capacity with
 * volt_capacity_free. */
VOLT_API volt_status volt_capacity_compute(const volt_kernel *kernel, const volt_capacity_options *options,
                                           volt_capacity **capacity);
VOLT_API void volt_capacity_free(volt_capacity *capacity);

#ifdef __cplusplus
}
#endif

#endif
