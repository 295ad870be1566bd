/* volterra/select.h: choose a kernel's parameters and alpha by cross-validation in time order.
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
 * Every candidate is fitted on the rows before each validation block and scored on the block. Training parts
 * that start at the first row are leading blocks of one another, so one factorisation of one Gram matrix
 * serves all of them; the scales of inputs and targets, the radius of the ball and the largest value, by which
 * path=rows divides, are learned once, on all rows given. */
#ifndef VOLTERRA_SELECT_H
#define VOLTERRA_SELECT_H

#include "volterra/base.h"
#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- splits ----------------------------------------------------------------------------------- */

/* Train on rows train_begin .. train_end - 1, validate on rows begin .. end - 1. */
typedef struct volt_split {
    int64_t train_begin, train_end, begin, end;
} volt_split;

enum {
    VOLT_GAP_AUTO = -1
}; /* ahead - 1, so that all targets of training are known; 0 for scores of all rows */

/* With the defaults, the splits of scikit-learn's TimeSeriesSplit: blocks of n / (folds + 1) rows at the end, everything before
 * a block is its training part. */
typedef struct volt_split_options {
    int64_t folds;     /* validation blocks, 5 */
    int64_t gap;       /* rows left out between training and validation, 0; of a search also VOLT_GAP_AUTO */
    int64_t min_train; /* rows that the first training part has at least, 1; blocks shrink to make room */
    int64_t max_train; /* rows that a training part has at most, the latest ones; 0: all */
    int rolling;       /* max_train is the length of the first training part, 0 */
} volt_split_options;

/* ---- candidates ------------------------------------------------------------------------------- */

/* A sequence of candidates, each a kernel and an alpha; an alpha of 0 is profiled. Candidate i depends on i alone, but in an
 * adaptive search (volt_strategy). */
typedef struct volt_candidates volt_candidates;

/* What one parameter (or "alpha") is drawn from; it replaces the range of the kernel table. */
typedef struct volt_range {
    const char *name;
    volt_search_law kind;       /* LOG, LINEAR, INTEGER, LOG_INTEGER: from low to high ... */
    double low, high;           /* ... as they are, in no unit of the data; an integer range includes both */
    const char *const *choices; /* not NULL: one of these n_choices texts, each as likely */
    int64_t n_choices;
} volt_range;

typedef struct volt_draw_options {
    size_t struct_size;
    uint64_t seed;            /* 0; draw i comes from Philox stream i */
    const volt_range *ranges; /* (optional) n_ranges of them */
    int64_t n_ranges;
    int scale; /* 1: widths are in units of the inputs as volt_fit_options.scale makes them; 0: as they are */
    int from_defaults; /* 1: unless a range is given for alpha, candidate 0 is the kernel as it is given, with draw 0 of the
                        * parameters that have a range here and the rest at its defaults (all of draw 0 where it has
                        * none), alpha 0 (profiled: volt_search_run); and alpha is 0 in every draw of a kernel whose
                        * entries cost much. 0 (default): all of them are drawn */
    /* (optional) n x q: the targets, which come back as inputs of the next row (volt_fit_options,
     * feedback_weight): their weight is drawn as "feedback", log-uniform from 0.1 to 100 unless a range is
     * given; candidate 0 of a sequence from defaults has 1. Widths are then in units of the distances of
     * rows with what comes back */
    volt_view fed;
    double series_steps; /* above 0: X are the rows of series of about so many steps, which are compared whole
                          * (volt_gram_collection): windows are not drawn, and widths of kernels that have one are in units
                          * of the distance times the root of this; 0 (default): X is one sequence */
    int64_t
        points; /* 1 to 1000000: a grid of so many values of each range, without seed; 0 (default): random draws */
} volt_draw_options;
VOLT_API volt_draw_options volt_draw_options_default(void);

/* Random draws without end. Parameters that `kernel` gives are fixed, the others are drawn from the ranges of
 * the kernel table (or from options->ranges); so is alpha. X is what will be searched on: the ranges of widths
 * are relative to the distances of its rows. "A | B | C" draws from several kernels in turn, a range counting for those
 * that leave the parameter open. With options->points they are the full grid of the same space instead: every combination of
 * so many values of each range (fewer where it holds fewer whole numbers) and of all choices, alpha running fastest; of
 * several kernels one grid after the other. options may be NULL. VOLT_ERR_KERNEL, VOLT_ERR_ARGUMENT. */
VOLT_API volt_status volt_candidates_draw(const char *kernel, volt_view X, const volt_draw_options *options,
                                          volt_candidates **candidates);
/* A list: count kernels as text, an alpha for each, and (optional) the weights with which outputs come back
 * (volt_fit_options, feedback_weight), 0: none do. All are copied, and checked. */
VOLT_API volt_status volt_candidates_list(const char *const *kernels, const double *alphas,
                                          const double *feedbacks, int64_t count, volt_candidates **candidates);
/* The same from a CSV file whose columns are parameters of `kernel`, alpha, and perhaps feedback; cells may be words (lift).
 * An alpha `auto` is profiled. A parameter in both, an unknown column or a cell that does not read is an error with
 * its line. A column
 * `kernel` of whole kernel texts may take the place of the parameters; `kernel` is NULL then. */
VOLT_API volt_status volt_candidates_read(const char *path, const char *kernel, volt_candidates **candidates);
VOLT_API void volt_candidates_free(volt_candidates *candidates);

/* How many there are; -1: no end. */
VOLT_API int64_t volt_candidates_count(const volt_candidates *candidates);
/* Candidate `index`: the kernel's full text, alpha, and (optional, may be NULL) the feedback weight, 0: no outputs come
 * back. */
enum { VOLT_KERNEL_LENGTH = 2048 };
VOLT_API volt_status volt_candidates_get(const volt_candidates *candidates, int64_t index,
                                         char kernel[VOLT_KERNEL_LENGTH], double *alpha, double *feedback);

/* ---- evidence --------------------------------------------------------------------------------- */

typedef struct volt_evidence_options {
    size_t struct_size;
    double alpha;           /* regularisation, > 0 */
    int64_t washout;        /* first rows that feed the past but are not fitted, 0 */
    int intercept;          /* 1: unpenalised, with a flat prior: the likelihood is the restricted one */
    int scale;              /* 1: as volt_fit_options.scale */
    int gradient;           /* 1; with it an evaluation costs about three factorisations, without it one */
    int leave_one_out;      /* 1: free beside the gradient, one more factorisation without it */
    const int64_t *records; /* (optional) n_records lengths that make up the rows, as in volt_fit_options */
    int64_t n_records;      /* 0: one sequence */
    volt_progress progress;
} volt_evidence_options;
VOLT_API volt_evidence_options volt_evidence_options_default(void);

/* How well a kernel and alpha explain the targets. Read the fields, do not change them. */
typedef struct volt_evidence_result {
    size_t struct_size;
    int64_t rows, q; /* rows kept after the washout, outputs */
    /* Gaussian log marginal likelihood, summed over outputs, the variance of each profiled, in units of the
     * targets: that of VOLT_SCORE_LOG */
    double log_likelihood;
    double alpha;
    double alpha_gradient; /* derivative of log_likelihood by alpha; NaN where none was asked */
    /* real parameters of the kernel that have a value, weights of terms, filters that are there */
    int64_t n_parameters;
    const char *const *names; /* as volt_kernel_get takes them */
    const double *values;     /* n_parameters */
    /* n_parameters: derivatives by the values, the ball M fixed by the inputs; NaN as above */
    const double *gradient;
    /* n_parameters: 1 where the kernel has no tangent, and Gram matrices were differenced */
    const int *by_differences;
    /* q: profiled variance s_k^2, in units of the targets squared; noise is alpha times that */
    const double *scale;
    /* Leave-one-out, NULL where not asked: */
    /* rows x q: target less its forecast from all other rows (their inputs it has seen) */
    const double *loo_errors;
    const double *loo_variances; /* rows x q: of such an error, noise included */
    const double *gcv;           /* q: generalised cross-validation, in units of the targets squared */
    double trace;                /* of P, rows less the degrees of freedom when multiplied by alpha */
} volt_evidence_result;

/* Kernel and alpha on inputs X (n x d) and targets Y (n x q), which are scaled as in a search. Gradients are exact down the
 * diagonals for scans and expressions of them; for gak, sig, sigpde, filters and the echo of fir they come from
 * five-point differences of the Gram matrix. A parameter that is taken from the data (gamma of rbf where it is not
 * given) is none. VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_DATA, VOLT_ERR_SINGULAR,
 * VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_evidence(const volt_kernel *kernel, volt_view X, volt_view Y,
                                   const volt_evidence_options *options, volt_evidence_result **result);
VOLT_API void volt_evidence_free(volt_evidence_result *result);

/* ---- search ----------------------------------------------------------------------------------- */

typedef enum volt_score {
    VOLT_SCORE_R2,          /* mean over outputs, then over folds; the higher the better */
    VOLT_SCORE_NMSE,        /* 1 - r2: the lower the better */
    VOLT_SCORE_MSE,         /* in the units of the targets: the lower the better */
    VOLT_SCORE_PREQUENTIAL, /* r2 of forecasts of every row from all rows before it and its gap; per block */
    VOLT_SCORE_LOG, /* Gaussian log marginal likelihood (evidence), variances profiled; all rows are one block */
    VOLT_SCORE_LOO, /* nmse of all rows, each left out and forecast from all others: the lower the better */
    VOLT_SCORE_GCV, /* generalised cross-validation over the variance of the targets: the lower the better */
    VOLT_SCORE_LOSS /* volt_loss_score of the loss of the search: the lower the better */
} volt_score;

typedef enum volt_race {
    VOLT_RACE_EXACT, /* give a candidate up when perfect scores on its remaining blocks would not do */
    VOLT_RACE_FAST,  /* ... when its blocks so far lie too far below the best candidate's (docs/math.md) */
    VOLT_RACE_NONE
} volt_race;

/* ADAPTIVE takes what volt_candidates_draw made: the first 64, then generations of 16, four of five of which lie near one of
 * the four best trials of the generations before. It is the same on any number of threads and when it is resumed; each shard
 * is an adaptive search of its own.
 * GRADIENT takes the same, and the score VOLT_SCORE_LOG: of options.draws evaluations (0: 100) the first 16 (a third where
 * there are fewer than 48) are draws; from the four best of them it climbs with the gradient of the evidence in all
 * parameters that are searched and real, alpha included, by L-BFGS, within their ranges; choices and whole numbers stay
 * those of the draw. Every evaluation is a trial. The same on any number of threads; it has no shards and is not
 * resumed. */
typedef enum volt_strategy {
    VOLT_STRATEGY_RANDOM, /* the candidates as they come */
    VOLT_STRATEGY_ADAPTIVE,
    VOLT_STRATEGY_GRADIENT
} volt_strategy;

/* How candidates whose outputs come back are scored. */
typedef enum volt_validate {
    VOLT_VALIDATE_SIMULATE, /* free run on the validation block, which begins after the measured past (start: continue) or a
                             * zero past (reset); one that leaves 10 times the range of its training targets has failed */
    VOLT_VALIDATE_ONE_STEP /* measured outputs come back */
} volt_validate;

/* A candidate after its evaluation. */
typedef struct volt_trial {
    size_t struct_size;
    int64_t index;      /* among the candidates */
    const char *kernel; /* full text */
    double alpha;       /* given, or the best of a profile; 0: the profile failed */
    double score;       /* mean over the blocks done; NaN when it failed */
    double *folds;      /* n_folds of them, as far as it got */
    int64_t n_folds;    /* blocks done */
    int stopped;        /* given up by the race after n_folds blocks */
    double seconds;
    const char *failure; /* why there is no score, or NULL */
    double feedback;     /* the weight of outputs that come back; 0: none do */
} volt_trial;

typedef struct volt_search volt_search;

/* Called by the thread that called volt_search_run after every trial, in no particular order. */
typedef void (*volt_trial_fn)(const volt_search *search, const volt_trial *trial, void *context);

typedef struct volt_search_options {
    size_t struct_size;
    /* -- the rows, and the blocks that candidates are judged on -- */
    volt_split_options splits;
    int64_t ahead; /* rows that the targets lie ahead, for a gap of VOLT_GAP_AUTO, 0 */
    int folds_by_records; /* 1: blocks are whole records: folds, min_train and max_train of the splits count records, and
                             * the gap counts rows; 0: blocks are rows, wherever records begin */
    volt_start start;       /* of the validation rows, VOLT_START_CONTINUE */
    int64_t washout;        /* first rows of every training part that feed the past but are not fitted, 0 */
    const int64_t *records; /* (optional) n_records lengths that make up the rows, as in volt_fit_options */
    int64_t n_records;      /* 0: one sequence */
    /* (optional) n x q: what is added to targets and forecasts to make levels (volt_prepared.base); scores
     * are those of levels then, but the log score, which has no levels */
    volt_view base;

    /* -- the fits -- */
    int intercept; /* 1 */
    int scale;     /* 1 */
    /* As in volt_fit_options. With another loss than squares the score is the loss's own: VOLT_SCORE_R2 means
     * VOLT_SCORE_LOSS then, the others are refused; an alpha that is not given is profiled from the largest down, as fits
     * with a loss choose theirs. Weights count in fits and in scores. Outputs do not come back. Every training part must
     * have all classes. */
    const char *loss;      /* (optional) text of a loss; NULL: squares */
    double tolerance;      /* of the duality gap, relative to the objective; 0: 1e-6 */
    const double *weights; /* (optional) of the rows, n numbers at least 0; targets of weight 0 are ignored */
    const char *const *classes; /* (optional) n_classes texts: the targets are their numbers, from 0 */
    int64_t n_classes;
    /* How candidates are fitted: exactly, those with explicit states in them; or on landmarks (volt_fit_options), which lie
     * before the first block of validation, by sums that grow from block to block. "auto" or NULL (default): on
     * landmarks from 8192 rows on, where an exact search lacks memory here, or has more than 32,768 rows to a fit.
     * "exact", "nystrom"; with landmarks no scores prequential and log, and squares alone, every row
     * alike. The winner is fitted the same way by whoever fits it with the same solver and landmarks. */
    const char *solver;
    /* at most the rows after the washout before the first block; 0 (default): 2000, or those */
    int64_t landmarks;
    volt_landmarks landmark_choice; /* VOLT_LANDMARKS_SPREAD */

    /* -- who is better -- */
    volt_score score; /* VOLT_SCORE_R2 */
    /* VOLT_VALIDATE_SIMULATE; scores of one step, prequential and log, go with ONE_STEP alone */
    volt_validate validate;
    volt_race race; /* VOLT_RACE_EXACT */

    /* -- how many are tried -- */
    volt_strategy strategy; /* VOLT_STRATEGY_RANDOM */
    int64_t draws;          /* candidates to try at most, over all shards; 0: all there are */
    double seconds;         /* budget; 0: none. Candidates that cannot end in time are not begun or are left */
    int64_t shard, shards;  /* this run takes the candidates with index % shards == shard; 0 of 1 */

    /* -- what is kept and said on the way -- */
    const char *log;        /* (optional) a file that receives a line of JSON for every trial when it ends; it
                             * is locked meanwhile, and a second search on it is VOLT_ERR_IO */
    int resume;             /* the trials that stand in the log are taken from there */
    volt_trial_fn on_trial; /* (optional) */
    void *trial_context;
    volt_progress progress;
} volt_search_options;
VOLT_API volt_search_options volt_search_options_default(void);

/* Evaluate the candidates. An alpha of 0 is profiled: each of 12 alphas, 10^-8 to 10^3 times the mean diagonal of the
 * candidate's Gram matrix, is scored on the folds, and the trial is that of the best. When it is cancelled with at least one score, *search holds what there is, and the
 * call returns VOLT_ERR_CANCELLED all the same. A candidate that fails is a trial with a reason; when all
 * fail the call returns VOLT_ERR_DATA with the first reason, and *search holds the trials.
 * VOLT_ERR_ARGUMENT: no limit on an endless sequence, an adaptive search of candidates that are not drawn, splits that leave
 * nothing to train on, scores that do not go with the start; VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_IO and
 * VOLT_ERR_FORMAT (log). */
VOLT_API volt_status volt_search_run(const volt_candidates *candidates, volt_view X, volt_view Y,
                                     const volt_search_options *options, volt_search **search);
/* What such a search would take here, from the shape of its rows alone. */
typedef struct volt_search_plan {
    size_t struct_size; /* set by the caller */
    /* name of that of the candidates: exact, features (in the states of a reservoir) or nystrom ... */
    const char *solver;
    int64_t landmarks; /* ... on so many landmarks; 0: none */
    const char *why;   /* static: why "auto" came to landmarks; NULL: it did not */
    int64_t most_rows; /* of the matrix, or the sums, of a candidate */
    int64_t parallel;  /* candidates that are evaluated side by side */
    int on_device;
    double bytes;           /* at the peak, the rows of the caller not among them */
    double available_bytes; /* 0: unknown */
    int fits;               /* in the available memory, as far as it is known */
    /* of one candidate, all threads working on it, and of all draws: none raced away */
    double candidate_seconds, seconds;
} volt_search_plan;
/* n rows of d inputs and q outputs; the candidates are like `kernel`, and options->draws of them (at least 1). alpha 0: profiled. Of the
 * options splits, start, washout, score, solver and landmarks (ignored by one that has none) matter; records, a base, losses and weights are none
 * (VOLT_ERR_ARGUMENT). Without `measure` seconds are 0. VOLT_ERR_ARGUMENT as volt_search_run. */
VOLT_API volt_status volt_plan_search(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q, double alpha,
                                      const volt_search_options *options, int measure, volt_search_plan *plan);

/* The union of the logs of several runs (shards, say) over the same rows with the same options.
 * VOLT_ERR_FORMAT when they differ in what they searched. */
VOLT_API volt_status volt_search_merge(const char *const *logs, int64_t count, volt_search **search);
/* Was the log written by a search on these rows? base: that of its options. A log without trials is of none. */
VOLT_API volt_status volt_search_log_is_of(const char *log, volt_view X, volt_view Y, volt_view base,
                                           int *is_of);
VOLT_API void volt_search_free(volt_search *search);

typedef struct volt_search_info {
    size_t struct_size; /* set by the caller */
    int64_t trials;     /* in this search, failed ones included */
    int64_t failed;
    int64_t resumed; /* of the trials, taken from the log */
    int64_t folds;
    int64_t gap;            /* between training and validation; -1: not known (logs that were merged) */
    const int64_t *stopped; /* folds + 1: how many were given up after 0, 1, ... blocks */
    int64_t expected;       /* trials that there will be at the present pace; 0: not known yet */
    int out_of_time;        /* the budget ended the search */
    double seconds;         /* this run */
    double blas_seconds;    /* of all threads together, inside BLAS */
    double flops;           /* of the factorisations and solves */
    int64_t parallel;       /* candidates evaluated at a time */
    volt_score score;
    const char *loss;       /* text of the loss where the score is VOLT_SCORE_LOSS, else NULL */
    const char *score_name; /* r2, nmse, ..., or what the loss is called as a score: "pinball loss" */
    const char *solver;     /* name of that of the candidates; NULL: not known (logs that were merged) */
    int64_t landmarks;      /* that candidates were fitted on; 0: on none */
} volt_search_info;
VOLT_API volt_status volt_search_get_info(const volt_search *search, volt_search_info *info);

/* Trial i of 0 .. trials - 1, by index of the candidate, or the best complete one, of equals that with the lowest index.
 * Returns NULL when there is none. */
enum { VOLT_TRIAL_BEST = -1 };
VOLT_API const volt_trial *volt_search_trial(const volt_search *search, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
