/* volterra/task.h: whole tasks. Data go in, an answer comes out, and the library makes every modelling decision.
 *
 *     volt_forecast *forecast = NULL;
 *     volt_status status = volt_forecast_run(series, NULL, &forecast); // series: n x k, one row per time step
 *     if (!status)
 *         printf("%g +- %g\n", volt_forecast_step_at(forecast, 0, 0)->value,
 *                volt_forecast_step_at(forecast, 0, 0)->rmse);
 *     volt_forecast_free(forecast);
 *
 * Options structs begin with struct_size, which their _default() function sets. NULL options are the defaults. */
#ifndef VOLTERRA_TASK_H
#define VOLTERRA_TASK_H

#include "volterra/base.h"
#include "volterra/model.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pairing of inputs and targets ------------------------------------------------------------ */

/* Which rows of a sequence are inputs, which are targets, and how they are related. */
enum { VOLT_AHEAD_AUTO = -1 };

typedef struct volt_pairing_options {
    size_t struct_size;
    /* the target of row t is row t + ahead. VOLT_AHEAD_AUTO (default): 0 with targets of their own, 1 without */
    int64_t ahead;
    /* below `ahead`: every horizon from here to `ahead` is an output. VOLT_AHEAD_AUTO (default): ahead */
    int64_t first_ahead;
    /* (optional) n_records lengths that make up the rows; no pair crosses the borders of a record */
    const int64_t *records;
    int64_t n_records;               /* 0 (default): one sequence */
    const char *const *record_names; /* (optional) for messages */
    /* number of last columns of X that are known ahead, such as a calendar, and are not targets, 0 */
    int64_t known_inputs;
    int allow_target_in_inputs;      /* 1: with ahead 0, accept a target that is also an input; 0: refuse it */
    const char *const *input_names;  /* (optional) of the columns of X */
    const char *const *target_names; /* (optional) of the columns of Y, or of X where there is no Y */
} volt_pairing_options;
VOLT_API volt_pairing_options volt_pairing_options_default(void);

/* Read the fields, do not change them; they belong to the pairing. Views may be those of X and Y. */
typedef struct volt_pairing {
    size_t struct_size;
    int64_t first_ahead, ahead;
    volt_view inputs;       /* the rows of X that have a target */
    volt_view targets;      /* rows of inputs x outputs: column 1 at first_ahead .. ahead, then column 2, ... */
    volt_view series;       /* all rows of Y, or of X without the known inputs */
    const int64_t *rows;    /* per row of `inputs` its row of X; NULL: the same */
    const int64_t *records; /* lengths of the records of `inputs`, each `ahead` shorter; NULL: one sequence */
    int64_t n_records;      /* 0: one sequence */
    const int64_t
        *anchors; /* per output the input it is, `ahead` rows earlier; NULL: not all are, or ahead = 0 */
    int feedback; /* 1: the outputs are the inputs one step later, so that they can be fed back */
    int64_t gap;  /* rows to leave out before test rows, so that all targets of training are known: ahead - 1 */
    int64_t missing_targets;         /* rows of Y with a NaN, which are not fitted */
    const char *const *output_names; /* NULL: the columns have no names and there is one horizon */
} volt_pairing;

/* Pairs the rows of X (n x d) with those of Y (n x q), or of X itself where Y has no data. Keep X and Y as long as the
 * pairing. VOLT_ERR_ARGUMENT for horizons outside their range, or a target that is an input of the same row;
 * VOLT_ERR_SHAPE, VOLT_ERR_DATA for too few rows. */
VOLT_API volt_status volt_pairing_create(volt_view X, volt_view Y, const volt_pairing_options *options,
                                         volt_pairing **pairing);
VOLT_API void volt_pairing_free(volt_pairing *pairing);

/* ---- assessment ------------------------------------------------------------------------------- */

/* What is compared with forecasts that need no model, and on which rows: the blocks of a search (`splits`), a test block
 * (`test`), or else the held-out rows of `model`. */
typedef struct volt_assess_options {
    size_t struct_size;
    const volt_model *model;          /* (optional) a fit of the pairs */
    volt_view fitted;                 /* (optional) its fitted values */
    const volt_split_options *splits; /* (optional) validation blocks */
    const volt_split *test;           /* (optional) one block */
    int running; /* 1: in the blocks, drift and autoregression learn from all rows known at the time, as for held-out
                  * rows; 0 (default): from the training part */
    volt_score measure;    /* of `score` in the blocks, VOLT_SCORE_R2 */
    double score;          /* of the model in the blocks, NaN (default): not known */
    int64_t season;        /* rows, at least 2; 0: none; VOLT_SEASON_AUTO (default): found in the targets */
    int64_t season_rows;   /* the season is found in so many first rows of the series; 0 (default): in all */
    int fed_outputs;       /* 1: past outputs are inputs of the model, 0 */
    const char *loss;      /* (optional) text of a loss: baselines are constants, and errors mean losses */
    int64_t n_classes;     /* of a loss of classes */
    const double *weights; /* (optional) of the pairs */
} volt_assess_options;
VOLT_API volt_assess_options volt_assess_options_default(void);

/* Means over outputs and blocks, in the units of the targets. */
typedef struct volt_baseline_score {
    const char *name;          /* static */
    double mse, rmse, mae, r2; /* NaN with a loss */
    double loss;               /* mean loss; NaN without a loss */
    double ratio;              /* the model's squared error or loss, relative to this one's; NaN: not known */
} volt_baseline_score;

enum { VOLT_ASSESS_WARNINGS = 4 }; /* in this version: the most that an assessment has */

typedef struct volt_assessment {
    size_t struct_size; /* set by the caller */

    /* -- of the model; NaN and 0 where it is not known -- */
    int64_t heldout_rows;
    double heldout_rmse;       /* root of the mean squared error, outputs together */
    double loo_rmse, gcv_rmse; /* the same by leave-one-out and generalised cross-validation */
    int64_t naive_outputs;     /* outputs that are the last value: no fit is clearly better */
    int64_t halfway_outputs;   /* outputs half-way between the last value and the fit */
    double naive_ratio;        /* squared error of the best fit relative to that of the last value, held out */
    double r2;                 /* of the fitted values; rows without a target are not counted */
    double loss;               /* their mean loss ... */
    const char *loss_name;     /* ... and its name as a score (static); NULL: no loss */

    /* -- baselines; none for records, missing targets or (without a loss) weights -- */
    int64_t season; /* used by them; 0: none */
    int64_t n_baselines;
    volt_baseline_score baselines[VOLT_BASELINES];
    int64_t better; /* the best of those that clearly do better than the model; -1: none does */

    int64_t n_warnings;
    volt_warning warnings[VOLT_ASSESS_WARNINGS];
} volt_assessment;

/* Compares a model, or the best candidate of a search, with baselines on the pairs. Without a loss these are naive, seasonal
 * naive, drift and autoregression, as far as there are rows before the blocks. With a loss they are the constant of least
 * loss in the training parts and, where every target is an input, the last value plus a constant. A baseline is better when
 * its error is below 0.99 of the model's. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_assess(const volt_pairing *pairing, const volt_assess_options *options,
                                 volt_assessment *assessment);

/* ---- forecast --------------------------------------------------------------------------------- */

typedef struct volt_forecast volt_forecast;

/* How a step of a series is forecast. */
typedef enum volt_forecast_method {
    VOLT_FORECAST_FIT,     /* kernel fit */
    VOLT_FORECAST_HALF,    /* mean of the kernel fit and the last value */
    VOLT_FORECAST_NAIVE,   /* last value */
    VOLT_FORECAST_SEASONAL /* value one season earlier */
} volt_forecast_method;
VOLT_API const char *volt_forecast_method_name(volt_forecast_method method);

typedef struct volt_forecast_options {
    size_t struct_size;
    const char *kernel; /* kernel text, "volterra" */
    /* rows to forecast, at least 1; 0 (default): one season, at most 60; 12 without a season; fewer where the
     * series is too short to measure the errors */
    int64_t steps;
    int64_t season;  /* rows, at least 2; 0: none; VOLT_SEASON_AUTO (default): found in each series */
    int separate;    /* 1: forecast each series from itself only, 0: from all of them */
    int all_rows;    /* 1: use every row; 0: the latest rows that about half a minute of work allows */
    volt_view known; /* (optional) n x c inputs known for every row, such as volt_calendar_columns */
    /* seconds for a search of the kernel's parameters, which its text leaves open; 0 (default): no search. The
     * best candidate replaces the kernel only if it is also clearly better on the last quarter of the rows */
    double search_seconds;
    uint64_t seed;            /* of the search */
    const char *const *names; /* (optional) k names of the series, for messages */
    volt_progress progress;
} volt_forecast_options;
VOLT_API volt_forecast_options volt_forecast_options_default(void);

/* Forecasts the next rows of `series` (n x k, in time order, finite). Each step is a fit of its own, with target, inputs,
 * constant and alpha chosen on held-out rows, unless the last value or the value one season earlier is better there.
 * VOLT_ERR_DATA for too few rows, or a series that is constant; VOLT_ERR_ARGUMENT for an option outside its range. */
VOLT_API volt_status volt_forecast_run(volt_view series, const volt_forecast_options *options,
                                       volt_forecast **forecast);
VOLT_API void volt_forecast_free(volt_forecast *forecast);

typedef enum volt_forecast_search {
    VOLT_FORECAST_SEARCH_NONE,     /* not asked for */
    VOLT_FORECAST_SEARCH_ROWS,     /* too few rows to search on and to confirm the result */
    VOLT_FORECAST_SEARCH_TIME,     /* no candidate could be tried in the time given */
    VOLT_FORECAST_SEARCH_WORSE,    /* no candidate was better on the held-out rows */
    VOLT_FORECAST_SEARCH_REJECTED, /* the best candidate was not clearly better on the last quarter of the rows */
    VOLT_FORECAST_SEARCH_ACCEPTED /* the best candidate replaced the kernel */
} volt_forecast_search;

/* Texts and arrays belong to the forecast. */
typedef struct volt_forecast_info {
    size_t struct_size; /* set by the caller */
    int64_t steps, series;
    int64_t rows;          /* used */
    int64_t first_row;     /* the first row used */
    int64_t heldout_first; /* rows held out to measure the errors of the first step ... */
    int64_t heldout_last;  /* ... and of the last */
    const char *kernel;    /* the kernel used, with all parameters */
    volt_forecast_search search;
    int64_t search_draws; /* candidates tried */
    double search_mse; /* MSE of the best candidate on the last quarter, relative to the naive forecast's ... */
    double search_mse_given; /* ... and of the kernel given */
    const volt_warning *warnings;
    int64_t n_warnings;
} volt_forecast_info;
VOLT_API volt_status volt_forecast_get_info(const volt_forecast *forecast, volt_forecast_info *info);

/* One step of one series. Root mean squared errors refer to held-out rows and are in the units of the series. */
typedef struct volt_forecast_step {
    size_t struct_size;
    double value;
    volt_forecast_method method;
    int is_change;                        /* 1: the fit learned the change from the last row; 0: the level */
    double rmse;                          /* expected: of the method used */
    double fit_rmse;                      /* of the best fit tried */
    double baseline_rmse[VOLT_BASELINES]; /* NaN: too few rows for this baseline */
} volt_forecast_step;
VOLT_API const volt_forecast_step *volt_forecast_step_at(const volt_forecast *forecast, int64_t step,
                                                         int64_t series);

/* One series: its season (0: none) and root mean squared errors over all steps. */
typedef struct volt_forecast_series {
    size_t struct_size;
    int64_t season;
    double rmse, fit_rmse;
    double baseline_rmse[VOLT_BASELINES]; /* NaN where one of the steps has none */
} volt_forecast_series;
VOLT_API const volt_forecast_series *volt_forecast_series_at(const volt_forecast *forecast, int64_t series);

/* ---- comparison of kernels -------------------------------------------------------------------- */

/* Each kernel is tuned on the first rows, refitted there and tested on the last. The rows of a protocol are the nine kernels
 * of the paper and this library, Linear, RBF, Poly, Sigmoid, GAK, Sig(N), Sig-PDE, Volterra, Volterra even, and ESN, an echo
 * state network of 200 states. */

typedef enum volt_protocol {
    VOLT_PROTOCOL_HISTORY,  /* every kernel sees a window of the past, which is tuned; continue, intercept */
    VOLT_PROTOCOL_PUBLISHED /* what each kernel saw in the paper: docs/results.md; reset, no intercept */
} volt_protocol;

/* One kernel of the comparison. */
typedef struct volt_contender {
    const char *name; /* (optional) of its row; NULL: that of the protocol's row, or the text of the kernel */
    const char *
        kernel; /* text: parameters that are given are fixed, the others are tuned. Without a name also the name of
                         * a row of the protocol ("Sig-PDE"), or of its kernel ("gak"): that row */
} volt_contender;

/* Called before row `row` is tuned with search NULL, after every trial of it with the search so far and the
 * trial, and after its test with the finished search and trial NULL. In the thread that called. */
typedef void (*volt_compare_fn)(int64_t row, int64_t rows, const char *name, const volt_search *search,
                                const volt_trial *trial, void *context);

typedef struct volt_compare_options {
    size_t struct_size;
    volt_protocol protocol;           /* VOLT_PROTOCOL_HISTORY */
    const volt_contender *contenders; /* (optional) n_contenders of them; NULL: the rows of the protocol */
    int64_t n_contenders;

    /* -- the rows -- */
    int64_t gap; /* rows left out between training and validation, and of the n_train rows so many of the last
                         * ones between training and test, 0; H - 1 for targets H rows ahead */
    /* (optional) n_records lengths that make up all rows, training and test, as in volt_fit_options */
    const int64_t *records;
    int64_t n_records; /* 0: one sequence */
    /* (optional) n x q: what is added to targets and forecasts to make levels (volt_prepared.base); scores,
     * metrics, losses and forecasts are those of levels then. Not with PUBLISHED */
    volt_view base;
    /* (optional) As in volt_search_options: kernels are fitted with the loss and compared by it. Not with PUBLISHED. */
    const char *loss;           /* NULL: squares */
    double tolerance;           /* 1e-6 */
    const double *weights;      /* of all rows, training and test */
    const char *const *classes; /* needed where the loss is one of classes */
    int64_t n_classes;

    /* -- the search of each kernel -- */
    int64_t draws;     /* per kernel; 0: as many as the budget allows */
    double seconds;    /* tuning budget per kernel; 0: none. One of the two must be given */
    int64_t folds;     /* 5 */
    volt_race race;    /* VOLT_RACE_EXACT */
    int from_defaults; /* as in volt_draw_options, 0 */
    uint64_t seed;     /* of the draws and of the bootstrap, 0 */

    /* -- the model confidence set -- */
    double mcs_size;  /* 0.25 */
    int64_t mcs_reps; /* 10000 */

    /* -- what is kept and said on the way -- */
    const char *log;          /* (optional) directory for the trial logs, NUMBER-NAME.jsonl of each row, counted
                             * from 01; must exist */
    int resume;               /* go on from those logs */
    volt_compare_fn on_event; /* (optional) */
    void *event_context;
    volt_progress progress;
} volt_compare_options;
VOLT_API volt_compare_options volt_compare_options_default(void);

typedef struct volt_comparison_row {
    size_t struct_size;
    const char *name;   /* of the contender */
    const char *given;  /* its kernel, as it was given */
    const char *kernel; /* the winner of its search, full text; "" when it failed */
    double alpha;
    double score; /* mean R2 over the folds, of the winner */
    const volt_metrics
        *metrics; /* on the test rows, in the units of Y; NaN where they are compared by a loss */
    double loss;  /* volt_loss_score on the test rows where they are; else NaN */
    double mcs_pvalue;
    int in_mcs;
    int64_t hyperparameters; /* numbers that were tuned, alpha included */
    const char *cost;        /* of one entry of the Gram matrix */
    int64_t draws, failed;   /* of the search */
    double seconds;          /* of the search */
    double fit_seconds;      /* of refit and test */
    const char *failure;     /* why there is no result, or NULL: every draw failed, say */
    /* of the test rows, (n - n_train) x q in the units of Y, or as many columns as a loss has outputs; data NULL
     * when the row failed */
    volt_view forecast;
    /* n - n_train: mean over outputs of e^2 / variance, so that their mean is the NMSE; with a loss that one, times
     * the weight over the mean weight, so that their mean is `loss`. NULL when the row failed */
    const double *losses;
    const volt_search *search; /* that found the kernel; NULL when there was none */
} volt_comparison_row;

typedef struct volt_comparison volt_comparison;

/* X (n x d), Y (n x q) in time order; the first n_train rows train and tune, the others test. A contender that
 * fails is a row with a reason, and the others go on. What the kernels and the data are to blame for is VOLT_OK,
 * and VOLT_ERR_DATA when all fail; another failure (memory, a log) is the status of the whole, and *comparison holds all
 * rows when one came to a result. VOLT_ERR_CANCELLED: *comparison holds the rows that are done. */
VOLT_API volt_status volt_compare_run(volt_view X, volt_view Y, int64_t n_train,
                                      const volt_compare_options *options, volt_comparison **comparison);
VOLT_API void volt_comparison_free(volt_comparison *comparison);

VOLT_API int64_t volt_comparison_count(const volt_comparison *comparison);
/* NULL when row is outside 0 .. volt_comparison_count() - 1. What it points to belongs to the comparison. */
VOLT_API const volt_comparison_row *volt_comparison_row_at(const volt_comparison *comparison, int64_t row);

#ifdef __cplusplus
}
#endif

#endif
