/* src/select/folds/state_folds.h: a candidate evaluated by ridge regression on explicit features of its rows: what the factor
 * of an n x n matrix would forecast, for n N^2 operations and one small system a fold.
 *
 * Features are the states of reservoirs (kernel/engine/state.h), or what landmarks make of the rows
 * (solve/landmark/landmark_operator.h). Landmarks lie before the first validation block of their group: from rows of validation no
 * more is learned than a model would know. Rows pass through F once, in time order; of features of landmarks it holds no more
 * rows than a block and its gap. */
#ifndef SELECT_STATE_FOLDS_H
#define SELECT_STATE_FOLDS_H

#include "model/fit/landmarks.h"
#include "select/folds/problem.h"
#include "solve/exact/operator.h"
#include "solve/landmark/state_sums.h"

typedef struct volt_state_folds {
    const volt_problem *problem;
    volt_resolved *resolved; /* of landmarks: its records are their runs */
    int64_t states;
    bool on_landmarks;
    volt_columns
        *columns;      /* what a past is against: the coordinates of states, or landmarks and the rows before
                              them */
    volt_operator *op; /* of the group of folds at hand: ... */
    volt_state_sums *sums; /* ... of its first m rows after the washout ... */
    int64_t m;
    double squares, largest; /* ... whose squared norms have this sum, and are at most this */
    volt_matrix F;           /* features of rows ... */
    int64_t first, filled;   /* ... first .. filled - 1 of it, the washout included */
    double *cross;           /* longest block x states, where blocks begin after a zero past; else NULL */

    /* ---- of landmarks, in the group at hand ---- */
    volt_landmark_set set;
    volt_records records; /* of its rows */
    double common;        /* that is subtracted from the kernel */
    double *readout;      /* columns x q, and q intercepts */
} volt_state_folds;

/* VOLT_ERR_MEMORY. The kernel, resolved, is one that volt_candidate_states takes, and both must outlive it. */
volt_status volt_state_folds_create(const volt_problem *problem, volt_resolved *resolved,
                                    volt_state_folds **folds);
void volt_state_folds_free(volt_state_folds *folds); /* NULL is fine */
double volt_state_folds_bytes(const volt_problem *problem, const volt_resolved *resolved);

/* Begin the group of training parts from row `base` on, whose rows, as the kernel sees them, are Z: nothing is run, and
 * nothing in the sums. Landmarks are chosen; `common` is subtracted from the kernel of those. */
volt_status volt_state_folds_begin(volt_state_folds *folds, int64_t base, volt_view Z, double common,
                                   volt_stage *stage);

/* The first `to` rows after the washout are in the sums; Y are their targets. Cancelled: VOLT_ERR_CANCELLED. */
volt_status volt_state_folds_grow(volt_state_folds *folds, int64_t to, volt_view Y, volt_stage *stage);

/* Features of rows begin .. end - 1, which lie behind the sums: *F is good until the sums grow. */
volt_status volt_state_folds_rows(volt_state_folds *folds, int64_t begin, int64_t end, volt_stage *stage,
                                  volt_view *F);

/* Features of other rows after a zero past, on landmarks. */
volt_status volt_state_folds_other(volt_state_folds *folds, volt_view Z, const volt_records *records,
                                   volt_matrix F, volt_stage *stage);

/* Forecasts of rows with the features F, from the system that was solved last. */
void volt_state_folds_forecast(const volt_state_folds *folds, volt_view F, volt_matrix out);

/* The same as coefficients of the columns (columns->m x q) and intercepts (q). */
void volt_state_folds_readout(volt_state_folds *folds, const double **coefficients, const double **intercepts);

/* The alphas to try (solve/choice/choice.h), how many: with states from the diagonal of all `rows` rows of the group, which are
 * filled, with landmarks from that of the rows in the sums. `diagonal` has room for them. */
volt_status volt_state_folds_grid(volt_state_folds *folds, int64_t rows, double *diagonal, double *alphas,
                                  int64_t *count, volt_stage *stage);

/* ---- rows left out one by one, of a candidate that is evaluated in features of its rows --------
 * A row that is left out is missed by (y_t - forecast) / (1 - h_t), h_t being its leverage (solve/landmark/state_sums.h): two passes
 * over the rows, one for the sums and one for errors and leverages with all alphas. */

/* LOO or GCV, as the problem says, for each of `count` alphas, into scores; the sums have all rows, and Y are their targets.
 * status[a] is what became of alpha a: VOLT_ERR_SINGULAR and VOLT_ERR_NOT_FINITE are its own, and leave no score. The status
 * returned is VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED, or VOLT_OK. */
volt_status volt_state_left_out(volt_state_folds *folds, volt_view Y, const double *alphas, int64_t count,
                                bool constant, volt_stage *stage, volt_status *status, double *scores);

/* Bytes that it takes, for so many features and alphas. */
double volt_state_left_out_bytes(const volt_problem *problem, double states, double alphas);

#endif
