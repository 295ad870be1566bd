/* volterra/select.h: choose the parameters of a kernel and alpha by cross-validation in time order.
 *
 *     volt_candidates *candidates = NULL;
 *     volt_search *search = NULL;
 *     volt_search_options options = volt_search_options_default();
 *     options.draws = 100;
 *     volt_status status = volt_candidates_draw("volterra", X, NULL, &candidates);
 *     if (!status)
 *         status = volt_search_run(candidates, X, Y, &options, &search);
 *     if (!status)
 *         printf("%s alpha=%g\n", volt_search_trial(search, VOLT_TRIAL_BEST)->kernel,
 *                volt_search_trial(search, VOLT_TRIAL_BEST)->alpha);
 *     volt_search_free(search);
 *     volt_candidates_free(candidates);
 *
 * Every candidate is fitted on the rows before each validation block and scored on the block. Training parts that start at
 * the first row are nested, so that one factorisation of one Gram matrix is enough for all of them. The scales of inputs and
 * targets, the radius of the ball and the normalisation of path=rows are computed once, from all rows. */
#ifndef VOLTERRA_SELECT_H
#define VOLTERRA_SELECT_H

#include "volterra/base.h"
#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- splits ----------------------------------------------------------------------------------- */

/* Training rows train_begin .. train_end - 1, validation rows begin .. end - 1. */
typedef struct volt_split {
    int64_t train_begin, train_end, begin, end;
} volt_split;

/* ahead - 1, so that all training targets are known; 0 for scores of all rows */
enum { VOLT_GAP_AUTO = -1 };

/* With the defaults, the splits of scikit-learn's TimeSeriesSplit: blocks of n / (folds + 1) rows at the end; the training part
 * of a block is all rows before it. */
typedef struct volt_split_options {
    int64_t folds;     /* validation blocks (default: 5) */
    int64_t gap;       /* rows excluded between training and validation; in a search also VOLT_GAP_AUTO */
    int64_t min_train; /* minimum rows of the first training part; blocks shrink if necessary (default: 1) */
    int64_t max_train; /* maximum rows of a training part, the latest ones; 0: all */
    int rolling;       /* 1: max_train is the length of the first training part (default: 0) */
} volt_split_options;

/* ---- candidates ------------------------------------------------------------------------------- */

/* A sequence of candidates, each a kernel and an alpha; an alpha of 0 is profiled. Candidate i depends only on i, except in a
 * search that follows its trials (volt_strategy). */
typedef struct volt_candidates volt_candidates;

/* Range of one parameter (or "alpha"), instead of the range of the kernel table. */
typedef struct volt_range {
    const char *name;
    volt_search_law kind; /* LOG, LINEAR, INTEGER, LOG_INTEGER: from low to high ... */
    double low, high;     /* ... in absolute units; an integer range includes both */
    /* not NULL: one of these texts, with equal probability [array n_choices] */
    const char *const *choices;
    int64_t n_choices;
} volt_range;

typedef struct volt_draw_options {
    size_t struct_size;
    uint64_t seed;            /* draw i uses Philox stream i */
    const volt_range *ranges; /* (optional) ranges [array n_ranges] */
    int64_t n_ranges;
    int scale; /* 1 (default): widths are in units of inputs scaled as in volt_fit_options.scale; 0: of the inputs */
    /* 1: unless a range is given for alpha, candidate 0 is the given kernel: parameters with a range here are drawn, the others
     * have their defaults (all are drawn if the kernel has no defaults), and alpha is 0 (profiled: volt_search_run). alpha is
     * also 0 in every draw of an expensive kernel. 0 (default): all are drawn */
    int from_defaults;
    /* (optional) n x q: the targets, which are fed back (volt_fit_options, feedback_weight). The weight is drawn as
     * "feedback", log-uniform from 0.02 to 100 unless a range is given; candidate 0 with from_defaults has 1. Widths are in
     * units of the distances of rows that include the outputs fed back */
    volt_view fed_outputs;
    /* > 0: X are the rows of series of about this many steps, which are compared as wholes (volt_gram_collection). Windows
     * are not drawn, and widths are in units of the distance times the square root of this. 0 (default): X is one sequence */
    double series_steps;
    /* 1 to 1000000: a grid with this number of values of each range, without seed; 0 (default): random draws */
    int64_t points;
} volt_draw_options;
VOLT_API volt_draw_options volt_draw_options_default(void);

/* Creates an endless sequence of random draws. Parameters that `kernel` gives are fixed; the others and alpha are drawn from
 * the ranges of the kernel table or from options->ranges. The ranges of widths are relative to the distances of the rows of
 * X, the rows of the search. "A | B | C" draws from several kernels in turn; a range applies to those that leave the
 * parameter open. With options->points the candidates are the full grid of the same space: every combination of that number
 * of values of each range (fewer for short integer ranges) and of all choices; alpha varies fastest, and several kernels
 * follow one another. options may be NULL. VOLT_ERR_KERNEL, VOLT_ERR_ARGUMENT. */
VOLT_API volt_status volt_candidates_draw(const char *kernel, volt_view X, const volt_draw_options *options,
                                          volt_candidates **candidates);
/* Creates a list of candidates: count kernels as text, an alpha for each, and (optional) feedback weights (volt_fit_options,
 * feedback_weight), 0: no feedback. All are copied and checked. */
VOLT_API volt_status volt_candidates_list(const char *const *kernels, const double *alphas,
                                          const double *feedbacks, int64_t count, volt_candidates **candidates);
/* Reads a list of candidates from a CSV file whose columns are parameters of `kernel`, alpha, and optionally feedback; cells
 * may be words (lift). An alpha `auto` is profiled. A parameter in both, an unknown column or an invalid cell is an error
 * with its line. If `kernel` is NULL, a column `kernel` with whole kernel texts may replace the parameters; without it they
 * are those of volterra. */
VOLT_API volt_status volt_candidates_read(const char *path, const char *kernel, volt_candidates **candidates);
VOLT_API void volt_candidates_free(volt_candidates *candidates);

/* Gets candidate `index`: the kernel's full text, alpha (0: profiled), and (may be NULL) the feedback weight (0: no
 * feedback). */
enum { VOLT_KERNEL_LENGTH = 2048 };
VOLT_API volt_status volt_candidates_get(const volt_candidates *candidates, int64_t index,
                                         char kernel[VOLT_KERNEL_LENGTH], double *alpha, double *feedback);

/* ---- evidence --------------------------------------------------------------------------------- */

typedef struct volt_evidence_options {
    size_t struct_size;
    double alpha;      /* regularisation, > 0 */
    int64_t washout;   /* leading rows that initialise the state but are excluded from the fit (default: 0) */
    int intercept;     /* 1 (default): unpenalised, with a flat prior (restricted likelihood) */
    int scale;         /* 1 (default): as in volt_fit_options.scale */
    int leave_one_out; /* 1 (default): costs one more factorisation */
    const int64_t *records; /* (optional) lengths, as in volt_fit_options [array n_records] */
    int64_t n_records;      /* 0: one sequence */
    volt_progress progress;
    /* inputs before the first row of a record or training part, as in volt_fit_options; X are the columns passed to the
     * kernel (volt_prepared) */
    volt_initial initial;
    const double *initial_values; /* numbers for VOLT_INITIAL_VALUES [array d] */
} volt_evidence_options;
VOLT_API volt_evidence_options volt_evidence_options_default(void);

/* Marginal likelihood of a kernel and alpha. Read the fields, do not change them. */
typedef struct volt_evidence_result {
    size_t struct_size;
    int64_t rows, q; /* rows after the washout, outputs */
    /* Gaussian log marginal likelihood, summed over outputs with profiled variances, in units of the targets: equal to
     * VOLT_SCORE_LOG */
    double log_likelihood;
    /* profiled variance s_k^2, in units of the targets squared; the noise variance is alpha times that [array q] */
    const double *scale;
    /* Leave-one-out, NULL if not requested: */
    /* target less its prediction from all other rows (their inputs are used) [array rows, q] */
    const double *loo_errors;
    const double *loo_variances; /* variance of this error, noise included [array rows, q] */
    const double *gcv;           /* generalised cross-validation, in units of the targets squared [array q] */
    double trace;                /* trace of P; times alpha it is rows less the degrees of freedom */
} volt_evidence_result;

/* Computes the evidence of a kernel and alpha on inputs X (n x d) and targets Y (n x q), which are scaled as in a search.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA, VOLT_ERR_SINGULAR, VOLT_ERR_MEMORY,
 * VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_evidence(const volt_kernel *kernel, volt_view X, volt_view Y,
                                   const volt_evidence_options *options, volt_evidence_result **result);
VOLT_API void volt_evidence_free(volt_evidence_result *result);

/* ---- search ----------------------------------------------------------------------------------- */

typedef enum volt_score {
    VOLT_SCORE_R2,          /* mean over outputs, then over folds; higher is better */
    VOLT_SCORE_NMSE,        /* 1 - r2; lower is better */
    VOLT_SCORE_MSE,         /* in the units of the targets; lower is better */
    VOLT_SCORE_PREQUENTIAL, /* r2 of predictions of every row from all rows before it and its gap; per block */
    VOLT_SCORE_LOG,         /* Gaussian log marginal likelihood (evidence), profiled variances; one block */
    VOLT_SCORE_LOO,         /* leave-one-out nmse of all rows; lower is better */
    VOLT_SCORE_GCV,         /* generalised cross-validation over the variance of the targets; lower is better */
    VOLT_SCORE_LOSS         /* volt_loss_score for the loss of the search; lower is better */
} volt_score;

/* Early stopping of candidates. */
typedef enum volt_race {
    VOLT_RACE_EXACT, /* stop a candidate when perfect scores on its remaining blocks would not be enough */
    VOLT_RACE_FAST,  /* ... when its scores are too far below those of the best candidate (docs/math.md) */
    VOLT_RACE_NONE
} volt_race;

/* ADAPTIVE requires candidates of volt_candidates_draw: the first 64, then generations of 16, four of five of which are near
 * one of the four best trials of earlier generations. The result does not depend on the number of threads or on resuming.
 * With 1000 rows or more (after the washout), CMA proposes the candidates after the first
 * 256, from the best trial on.
 * CMA requires the same. After the first 64 draws, generations of max(12, 4 + 3 log d) candidates follow the covariance matrix
 * adaptation evolution strategy over the d open parameters, in the unit box of their ranges; choices keep the value of the
 * start. A run without progress is followed by one from another draw, with generations twice as large. Races compare with the
 * previous generation. Threads and resuming: as ADAPTIVE.
 * The program, Python, R and MATLAB call the strategy `search`. */
typedef enum volt_strategy {
    VOLT_STRATEGY_RANDOM, /* candidates in sequence */
    VOLT_STRATEGY_ADAPTIVE,
    VOLT_STRATEGY_CMA
} volt_strategy;

/* Validation of candidates with feedback of outputs. */
typedef enum volt_validate {
    /* simulation on the validation block, from the measured state (start: continue) or the initial state (reset); a
     * simulation that leaves 10 times the range of its training targets has failed */
    VOLT_VALIDATE_SIMULATE,
    VOLT_VALIDATE_ONE_STEP /* measured outputs are fed back */
} volt_validate;

/* An evaluated candidate. */
typedef struct volt_trial {
    size_t struct_size;
    int64_t index;      /* index of the candidate */
    const char *kernel; /* full text */
    double alpha;       /* given, or the best of a profile; 0: the profile failed */
    double score;       /* mean over the completed blocks; NaN on failure */
    double *folds;      /* scores of the blocks [array n_folds] */
    int64_t n_folds;    /* completed blocks */
    int stopped;        /* 1: stopped early after n_folds blocks */
    double seconds;
    const char *failure; /* reason of a failure, or NULL */
    double feedback;     /* feedback weight; 0: no feedback */
} volt_trial;

typedef struct volt_search volt_search;

/* Called after every trial by the thread that called volt_search_run, in no particular order. */
typedef void (*volt_trial_fn)(const volt_search *search, const volt_trial *trial, void *context);

typedef struct volt_search_options {
    size_t struct_size;
    /* -- rows and blocks -- */
    volt_split_options splits;
    int64_t ahead; /* horizon of the targets in rows, for VOLT_GAP_AUTO (default: 0) */
    /* 1: blocks are whole records: folds, min_train and max_train of the splits count records, and the gap counts rows;
     * 0: blocks are rows, independent of records */
    int folds_by_records;
    volt_start start; /* start of the validation rows (default: VOLT_START_CONTINUE) */
    /* leading rows of every training part that are excluded from the fit (default: 0). With several records, the leading rows
     * of every record, which are neither fitted nor scored; free runs with feedback start from their measured outputs. Then
     * only with the scores r2, nmse and mse, without loss, weights, max_train and rolling */
    int64_t washout;
    const int64_t *records; /* (optional) lengths, as in volt_fit_options [array n_records] */
    int64_t n_records;      /* 0: one sequence */
    /* (optional) n x q: added to targets and predictions to obtain levels (volt_prepared.base). Scores are then computed
     * from levels, except VOLT_SCORE_LOG */
    volt_view base;

    /* -- fits -- */
    int intercept; /* default: 1 [flag] */
    int scale;     /* default: 1 [flag] */
    /* As in volt_fit_options. With a loss other than squares the score is the loss: VOLT_SCORE_R2 means VOLT_SCORE_LOSS, other
     * scores are rejected. An alpha that is not given is profiled from the largest down, as in fits with a loss. Weights apply
     * to fits and scores. Feedback is not supported. Every training part must contain all classes. */
    const char *loss;      /* (optional) text of a loss; NULL: squares */
    double tolerance;      /* bound of the duality gap, relative to the objective; 0: 1e-6 */
    const double *weights; /* (optional) numbers >= 0; targets of rows with weight 0 are ignored [array n] */
    /* (optional) texts: the targets are their numbers, from 0 [array n_classes] */
    const char *const *classes;
    int64_t n_classes;
    /* (optional) solver of the candidates. "exact": by the Gram matrix, or by features for kernels with explicit states.
     * "nystrom": on landmarks (volt_fit_options) before the first validation block, by sums that are updated from block to
     * block; not with the scores prequential and log, with weights or with a loss other than squares. "auto" or NULL
     * (default): nystrom from 8192 rows on, if an exact search does not fit in memory or has more than 32,768 rows per fit.
     * To fit the best candidate in the same way, use the same solver and landmarks */
    const char *solver;
    /* at most the rows after the washout before the first block; 0 (default): 2000, or all of these */
    int64_t landmarks;
    volt_landmarks landmark_choice; /* default: VOLT_LANDMARKS_SPREAD */
    /* -- scores -- */
    volt_score score; /* default: VOLT_SCORE_R2 */
    /* VOLT_VALIDATE_SIMULATE; the scores prequential and log require ONE_STEP */
    volt_validate validate;
    volt_race race; /* default: VOLT_RACE_EXACT */

    /* -- number of trials -- */
    volt_strategy strategy; /* default: VOLT_STRATEGY_RANDOM */
    int64_t draws;          /* maximum number of candidates; 0: all */
    double seconds; /* time budget; 0: none. Candidates that would exceed it are not started or abandoned */

    /* -- log -- */
    /* (optional) log of the trials, a line of JSON each. The file is locked; a second search with it is VOLT_ERR_IO */
    const char *log;
    /* 1: reuse the trials in the log. With an endless sequence of candidates and without a limit, no candidate is evaluated:
     * the search consists of the trials in the log */
    int resume;
    volt_trial_fn on_trial; /* (optional) */
    void *trial_context;
    volt_progress progress;
    /* inputs before the first row of a record or training part, as in volt_fit_options; X are the columns passed to the
     * kernel (volt_prepared) */
    volt_initial initial;
    const double *initial_values; /* numbers for VOLT_INITIAL_VALUES [array d] */
} volt_search_options;
VOLT_API volt_search_options volt_search_options_default(void);

/* Evaluates the candidates. An alpha of 0 is profiled: 12 alphas, 10^-8 to 10^3 times the mean diagonal of the candidate's
 * Gram matrix, are scored on the folds, and the best is used. If cancelled with at least one score, the call returns
 * VOLT_ERR_CANCELLED and *search holds the completed trials. A candidate that fails is a trial with a reason. If all fail,
 * the call returns VOLT_ERR_DATA with the first reason, and *search holds the trials. VOLT_ERR_ARGUMENT: an endless sequence
 * without a limit that is not resumed, an adaptive or CMA search of candidates that are not drawn, splits without training rows, scores that the
 * start does not support; VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_IO and VOLT_ERR_FORMAT (log). */
VOLT_API volt_status volt_search_run(const volt_candidates *candidates, volt_view X, volt_view Y,
                                     const volt_search_options *options, volt_search **search);
/* Estimated memory and time of a search. */
typedef struct volt_search_plan {
    size_t struct_size;       /* set by the caller */
    const char *solver;       /* solver of the candidates: exact, features or nystrom ... */
    int64_t landmarks;        /* ... and its landmarks; 0: none */
    const char *why;          /* static: why "auto" selected landmarks; NULL: it did not */
    int64_t max_rows;         /* size of the matrix, or the sums, of a candidate [json rows] */
    int64_t parallel;         /* candidates evaluated in parallel */
    int on_device;            /* [flag] */
    double bytes;             /* peak memory, without the caller's rows */
    double available_bytes;   /* 0: unknown */
    int fits;                 /* 1: fits in the available memory, if known */
    double candidate_seconds; /* one candidate on all threads [json draw_seconds] */
    double seconds;           /* all draws without early stopping */
} volt_search_plan;
/* Estimates a search on n rows of d inputs and q outputs, for options->draws candidates (at least 1) like `kernel`. alpha 0:
 * profiled. Of the options, only splits, start, washout, score, solver and landmarks are used; records, base, loss and weights
 * are VOLT_ERR_ARGUMENT. Without `measure` the seconds are 0. VOLT_ERR_ARGUMENT as in volt_search_run. */
VOLT_API volt_status volt_plan_search(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, double alpha,
                                      const volt_search_options *options, int measure, volt_search_plan *plan);

VOLT_API void volt_search_free(volt_search *search);

typedef struct volt_search_info {
    size_t struct_size; /* set by the caller */
    int64_t trials;     /* trials, including failed ones [json draws] */
    int64_t failed;
    int64_t resumed; /* trials read from the log */
    int64_t folds;
    int64_t gap; /* between training and validation */
    /* number of candidates stopped after 0, 1, ... blocks [array folds + 1; json stopped_after] */
    const int64_t *stopped;
    int64_t total;       /* largest number of trials of this run; -1: endless; 0: only the log */
    int64_t expected;    /* expected number of trials at the present rate; 0: unknown */
    int out_of_time;     /* 1: the time budget ended the search */
    double seconds;      /* duration of this run */
    double blas_seconds; /* time in BLAS, sum over all threads */
    double flops;        /* operations of the factorisations and solves */
    int64_t parallel;    /* candidates evaluated in parallel */
    volt_score score;
    const char *loss;       /* text of the loss for VOLT_SCORE_LOSS, else NULL */
    const char *score_name; /* r2, nmse, ..., or the name of the loss as a score: "pinball loss" */
    const char *solver;     /* solver of the candidates */
    int64_t landmarks;      /* landmarks of the candidates; 0: none */
} volt_search_info;
VOLT_API volt_status volt_search_get_info(const volt_search *search, volt_search_info *info);

/* Returns trial i of 0 .. trials - 1, in order of the candidates, or the best complete trial (of equal ones the first); NULL if
 * there is none. */
enum { VOLT_TRIAL_BEST = -1 };
VOLT_API const volt_trial *volt_search_trial(const volt_search *search, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
