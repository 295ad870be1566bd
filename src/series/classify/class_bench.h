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

#endif
