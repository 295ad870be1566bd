/* src/series/classify/class_bench.h: leave-one-out scores of a Gram matrix of series in classes, also within
 * folds.
 *
 * A matrix has a score for each of 1 + folds lists. List 0 contains all series; its score is leave-one-out.
 * List f contains the series outside fold f; its score is leave-one-out within the list, with the accuracy on
 * fold f of a fit on the list. A choice made by the scores of list f has not used fold f, so its accuracy
 * there is not biased by the choice (Stone 1974; Varma and Simon 2006). */
#ifndef CLASSIFY_CLASS_BENCH_H
#define CLASSIFY_CLASS_BENCH_H

#include "series/classify/series_model.h"
#include "solve/loss/loss.h"

#include <stdbool.h>

enum { VOLT_MAX_CLASS_FOLDS = 10, VOLT_MAX_LISTS = VOLT_MAX_CLASS_FOLDS + 1 };

typedef struct volt_class_score {
    double alpha;
    int64_t right; /* correct leave-one-out predictions in the list; -1: no alpha could be solved */
    double error;  /* mean square of the leave-one-out errors of the columns */
    int64_t held;  /* correct predictions in the fold by a fit on the list */
} volt_class_score;

/* Series in classes and folds, and the landmarks. */
typedef struct volt_class_setting {
    volt_class_list classes;
    int64_t folds;
    const int64_t *fold; /* n: 0 to folds - 1 */
    int64_t n_landmarks; /* 0: all series */
    const int64_t *landmarks;
} volt_class_setting;

typedef struct volt_class_bench {
    volt_class_setting setting;
    volt_matrix K;                      /* n x columns: all series, or the landmarks */
    volt_matrix Y, E;                   /* n x n_classes: columns of targets, and errors */
    volt_loo_readout loo;               /* without landmarks */
    volt_landmark_readout by_landmarks; /* with landmarks */
    int64_t *rows;
    bool *out;
    double *workspace;
} volt_class_bench;

/* BLAS must be claimed for all but create and release. */
volt_status volt_class_bench_create(const volt_class_setting *setting, volt_class_bench *bench);
void volt_class_bench_release(volt_class_bench *bench);

/* Whether a is better than b. */
bool volt_class_is_better(const volt_class_score *a, const volt_class_score *b);

/* Scores the matrix K of the bench in the lists `first` to `last`, each with its best alpha or the one given
 * (above 0). VOLT_ERR_SINGULAR when no alpha can be solved for the first. */
volt_status volt_class_profile(volt_class_bench *bench, double alpha, int64_t first, int64_t last,
                               volt_class_score *scores);

/* Solves for all series with alpha; E receives the leave-one-out errors. */
volt_status volt_class_solve(volt_class_bench *bench, double alpha, volt_class_score *score);
/* The solved readout: A (columns x n_classes) and c. */
void volt_class_coefficients(const volt_class_bench *bench, double alpha, double *A, double *c);
/* Errors of m rows held out together (m x n_classes) with that alpha, after volt_class_solve. */
volt_status volt_class_held_out_errors(volt_class_bench *bench, double alpha, const int64_t *rows, int64_t m,
                                       volt_matrix errors);

/* ---- the multinomial readout (classify.c) ---- */

typedef struct volt_class_readout {
    volt_matrix A;   /* n x n_classes */
    double *c;       /* n_classes */
    double alpha;    /* given or chosen; 0 before */
    double log_loss; /* mean -log probability over stratified folds, with that alpha */
} volt_class_readout;

/* Fits K (n x n, both triangles). An alpha of 0 is chosen by the log loss over stratified folds, refitted
 * for each. A and c belong to the caller. BLAS must be claimed. VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED,
 * VOLT_ERR_SINGULAR. */
volt_status volt_class_loss_fit(const volt_loss *loss, const volt_class_list *classes, volt_view K,
                                uint64_t seed, volt_progress progress, volt_class_readout *readout);

/* ---- selects kernel, alpha and preparation to classify series ---------------------------------------- */

enum { VOLT_MAX_ROUNDS = 3 };

/* A candidate: one draw on one preparation. */
typedef struct volt_class_trial {
    int64_t draw;
    int64_t preparation; /* index among those of the search */
    char kernel[VOLT_KERNEL_LENGTH];
    volt_class_score score;
} volt_class_trial;

/* The result of a draw on the screening sample, or on all series. */
typedef struct volt_class_record {
    const volt_trial *trial; /* of the search that evaluated it; NULL: not tried; stopped: out of time */
    volt_status status;      /* of its evaluation */
    volt_class_score scores[VOLT_MAX_LISTS];
    double *K; /* its matrix, if it is kept; owned */
} volt_class_record;

typedef struct volt_class_search {
    const volt_series_options *options;
    const volt_view *series; /* training series as given */
    bool is_multinomial;
    volt_class_setting setting;                    /* with the lists below */
    int64_t *fold, *landmarks;                     /* n, n_landmarks */
    volt_class_bench bench;                        /* of the setting */
    volt_objects *objects[VOLT_MAX_PREPARATIONS];  /* all series */
    volt_objects *carriers[VOLT_MAX_PREPARATIONS]; /* the landmarks; NULL without */
    int64_t n_preparations;
    volt_candidates *candidates[VOLT_MAX_PREPARATIONS];
    double begun, budget; /* seconds; 0: no limit */
    int64_t draws;
    int64_t *order;   /* draws: every kernel with every preparation in turn, cheapest first */
    int64_t round;    /* draws that combine every kernel with every preparation once */
    int64_t n_screen; /* series of the screening sample; 0: no race */
    int64_t max_finalists;
    volt_class_record *screened, *full; /* draws each */
    int64_t *rank; /* draws x lists: rank on the screening sample, from 0; NULL without a race */
    int64_t depth; /* candidates with a smaller rank were tried on all series, in every list */

    volt_search *searches[VOLT_MAX_ROUNDS]; /* the sample, the finalists, and one that is always tried */
    int64_t n_searches;
    int64_t tried, failed, finalists;
    bool cut; /* the budget ended the search */
} volt_class_search;

/* Prepares the series in every requested form, with candidates and a plan. Release the search in any case. */
volt_status volt_class_search_open(volt_class_search *search, const volt_view *series,
                                   const volt_class_list *classes, const volt_series_options *options);
void volt_class_search_release(volt_class_search *search);

/* Tries the candidates: all on a sample of the series if that saves time, then the best of them on all
 * series. */
volt_status volt_class_search_run(volt_class_search *search);

/* Whether the draw was evaluated, successfully or not. */
static inline bool volt_class_is_tried(const volt_class_record *record)
{
    return record->trial && !record->trial->stopped;
}

static inline bool volt_class_has_scores(const volt_class_record *record)
{
    return volt_class_is_tried(record) && !record->trial->failure;
}

/* ---- parts of it ------------------------------------------------------------------------------ */

volt_status volt_class_trial_of(const volt_class_search *search, int64_t draw, volt_class_trial *trial);

/* The choice of a list: the best draw, or the mean of up to options->blend, each the best of its kind. */
typedef struct volt_class_choice {
    int64_t parts;
    int64_t draws[VOLT_MAX_BLEND];
    volt_class_score score;
} volt_class_choice;
volt_status volt_class_choose(volt_class_search *search, int64_t list, volt_class_choice *choice);

/* Writes the mean of the matrices of some draws to the K of the bench. */
volt_status volt_class_blend(volt_class_search *search, const int64_t *draws, int64_t count);

/* The default kernels, separated by '|', for a comparison; includes static kernels when all series have the
 * same length. */
const char *volt_classify_kernels(volt_object_compare compare, int equally_long);

#endif
