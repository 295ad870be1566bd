/* src/select/folds/state_folds.h: evaluates a candidate by ridge regression on explicit features of its
 * rows.
 *
 * The predictions equal those of the factor of an n x n matrix, at a cost of n N^2 operations and one small
 * system per fold. Features are the states of reservoirs (gram/engine/state.h), or landmark features of
 * the rows (solve/landmark/landmark_operator.h). Landmarks precede the first validation block of their
 * group, so validation rows are not used for training. Rows pass through F once, in time order; with
 * landmarks F holds only a block and its gap. */
#ifndef SELECT_STATE_FOLDS_H
#define SELECT_STATE_FOLDS_H

#include "fit/landmarks.h"
#include "select/folds/problem.h"
#include "solve/exact/operator.h"
#include "solve/landmark/state_sums.h"
#include "solve/solver_table.h"

typedef struct volt_state_folds {
    const volt_problem *problem;
    volt_resolved *resolved; /* of landmarks: its records are their runs */
    int64_t states;
    const volt_solver *solver; /* features of landmarks if it needs them, otherwise states */
    volt_columns *columns;     /* columns of the state: states, or landmarks and the rows before them */
    volt_operator *op;         /* of the current group of folds */
    volt_state_sums *sums;     /* of its first m rows after the washout */
    int64_t m;
    double squares, largest; /* sum and maximum of their squared norms */
    volt_matrix F;           /* features of rows */
    int64_t first, filled;   /* first .. filled - 1 of it, washout included */
    double *cross;           /* longest block x states, if blocks start from a zero initial state; else NULL */

    /* ---- landmarks of the current group ---- */
    volt_landmark_set set;
    volt_records records; /* of its rows */
    double common;        /* subtracted from the kernel */
    double *readout;      /* columns x q, and q intercepts */
} volt_state_folds;

/* VOLT_ERR_MEMORY. The resolved kernel must be accepted by volt_candidate_states. It and the problem must
 * outlive the folds. */
volt_status volt_state_folds_create(const volt_problem *problem, volt_resolved *resolved,
                                    volt_state_folds **folds);
void volt_state_folds_free(volt_state_folds *folds); /* accepts NULL */
double volt_state_folds_bytes(const volt_problem *problem, const volt_resolved *resolved);

/* Begins the group of training parts from row `base` on, with kernel rows Z and empty sums. Selects
 * landmarks; `common` is subtracted from their kernel. */
volt_status volt_state_folds_begin(volt_state_folds *folds, int64_t base, volt_view Z, double common,
                                   volt_stage *stage);

/* Adds rows to the sums up to the first `to` after the washout, except those in `without` (may be NULL). Y are
 * their targets. VOLT_ERR_CANCELLED. */
volt_status volt_state_folds_grow(volt_state_folds *folds, int64_t to, volt_view Y, const bool *without,
                                  volt_stage *stage);

/* Features of rows begin .. end - 1, which follow the rows of the sums. *F is valid until the sums grow. */
volt_status volt_state_folds_rows(volt_state_folds *folds, int64_t begin, int64_t end, volt_stage *stage,
                                  volt_view *F);

/* Features of other rows from a zero initial state, on landmarks. */
volt_status volt_state_folds_other(volt_state_folds *folds, volt_view Z, const volt_records *records,
                                   volt_matrix F, volt_stage *stage);

/* Predictions of rows with the features F, from the last solved system. */
void volt_state_folds_forecast(const volt_state_folds *folds, volt_view F, volt_matrix out);

/* The same as coefficients of the columns (columns->m x q) and intercepts (q). */
void volt_state_folds_readout(volt_state_folds *folds, const double **coefficients, const double **intercepts);

/* The alphas to try (solve/choice/choice.h) and their number: with states from the diagonal of all `rows`
 * rows of the group, which must be filled; with landmarks from that of the rows in the sums. `diagonal` is a
 * buffer for it. */
volt_status volt_state_folds_grid(volt_state_folds *folds, int64_t rows, double *diagonal, double *alphas,
                                  int64_t *count, volt_stage *stage);

/* ---- leave-one-out scores in features of the rows --------------------------------------------------
 * The leave-one-out error is (y_t - prediction) / (1 - h_t), where h_t is the leverage
 * (solve/landmark/state_sums.h). Two passes over the rows: one for the sums, and one for errors and
 * leverages with all alphas. */

/* LOO or GCV, as the problem specifies, for each of `count` alphas, into scores. The sums must include all
 * rows; Y are their targets. status[a] is the status of alpha a: VOLT_ERR_SINGULAR and VOLT_ERR_NOT_FINITE
 * leave no score. Returns VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, or VOLT_OK. */
volt_status volt_state_loo(volt_state_folds *folds, volt_view Y, const double *alphas, int64_t count,
                           bool constant, volt_stage *stage, volt_status *status, double *scores);

#endif
