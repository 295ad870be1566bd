/* volterra/study.h: the comparison of kernels on one data set: tune each, refit, forecast, test, rank.
 *
 *     volt_study *study = NULL;
 *     volt_study_options options = volt_study_options_default();
 *     options.draws = 50;
 *     volt_status status = volt_study_run(X, Y, 3008, &options, &study); // the first 3008 rows train
 *     for (int64_t i = 0; !status && i < volt_study_count(study); i++)
 *         printf("%s %g\n", volt_study_row_at(study, i)->name, volt_study_row_at(study, i)->metrics.nmse);
 *     volt_study_free(study); */
#ifndef VOLTERRA_STUDY_H
#define VOLTERRA_STUDY_H

#include "volterra/data.h"
#include "volterra/select.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum volt_protocol {
    VOLT_PROTOCOL_HISTORY,  /* every kernel sees a window of the past, which is tuned; continue, intercept */
    VOLT_PROTOCOL_PUBLISHED /* what each kernel saw in the paper: docs/results.md; reset, no intercept */
} volt_protocol;

/* One kernel of the comparison. */
typedef struct volt_contender {
    const char *name;   /* of its row */
    const char *kernel; /* text; parameters that are given are fixed, the others are tuned */
} volt_contender;

/* The rows of a comparison under a protocol: the nine of the paper and this library, Linear, RBF, Poly, Sigmoid, GAK, Sig(N),
 * Sig-PDE, Volterra, Volterra even, and ESN, what one would take instead: an echo state network of 200 states. Static; *count receives how many. */
VOLT_API const volt_contender *volt_contenders(volt_protocol protocol, int64_t *count);

/* Called before row `row` is tuned with search NULL, after every trial of it with the search so far and the
 * trial, and after its test with the finished search and trial NULL. In the thread that called. */
typedef void (*volt_study_fn)(int64_t row, const char *name, const volt_search *search, const volt_trial *trial,
                              void *context);

typedef struct volt_study_options {
    size_t struct_size;
    volt_protocol protocol;           /* VOLT_PROTOCOL_HISTORY */
    const volt_contender *contenders; /* (optional) n_contenders of them; NULL: volt_contenders(protocol) */
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
    const char *log;        /* (optional) directory for the trial logs, NUMBER-NAME.jsonl of each row, counted
                             * from 01; must exist */
    int resume;             /* go on from those logs */
    volt_study_fn on_event; /* (optional) */
    void *event_context;
    volt_progress progress;
} volt_study_options;
VOLT_API volt_study_options volt_study_options_default(void);

typedef struct volt_study_row {
    size_t struct_size;
    const char *name;   /* of the contender */
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
} volt_study_row;

typedef struct volt_study volt_study;

/* X (n x d), Y (n x q) in time order; the first n_train rows train and tune, the others test. A contender that
 * fails is a row with a reason, and the others go on. What the kernels and the data are to blame for is VOLT_OK,
 * and VOLT_ERR_DATA when all fail; another failure (memory, a log) is the status of the whole, and *study holds all
 * rows when one came to a result. VOLT_ERR_CANCELLED: *study holds the rows that are done. */
VOLT_API volt_status volt_study_run(volt_view X, volt_view Y, int64_t n_train,
                                    const volt_study_options *options, volt_study **study);
VOLT_API void volt_study_free(volt_study *study);

VOLT_API int64_t volt_study_count(const volt_study *study);
/* NULL when row is outside 0 .. volt_study_count() - 1. What it points to belongs to the study. */
VOLT_API const volt_study_row *volt_study_row_at(const volt_study *study, int64_t row);

/* The paper's data: innovations z_t of a BEKK model as inputs and 1000 vech(H_{t+1}) as targets. X is
 * rows x d and Y rows x d (d + 1) / 2; rows + 1 observations are simulated. */
VOLT_API volt_status volt_study_sample(const volt_bekk *model, uint64_t seed, volt_matrix X, volt_matrix Y);

#ifdef __cplusplus
}
#endif
#endif
