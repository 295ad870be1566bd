/* src/select/folds/state_folds.h: a candidate with explicit states (kernel/engine/states.h), evaluated by ridge regression
 * on those: what the factor of an n x n matrix would forecast, for n N^2 operations and one small system a fold. */
#ifndef SELECT_STATE_FOLDS_H
#define SELECT_STATE_FOLDS_H

#include "select/folds/problem.h"
#include "solve/operator.h"
#include "solve/state_sums.h"

typedef struct volt_state_folds {
    const volt_problem *problem;
    const volt_resolved *resolved;
    volt_columns *coordinates; /* what a past is against that gives states */
    volt_operator *op;         /* of the group of folds at hand: ... */
    volt_state_sums *sums;     /* ... of its first m rows after the washout */
    int64_t m;
    volt_matrix F;  /* states of its rows, the washout included, of which ... */
    int64_t filled; /* ... so many are there */
    double *cross;  /* longest block x states, where blocks begin after a zero past; else NULL */
} volt_state_folds;

/* VOLT_ERR_MEMORY. The kernel, resolved, has states, and both must outlive it. */
volt_status volt_state_folds_create(const volt_problem *problem, const volt_resolved *resolved,
                                    volt_state_folds **folds);
void volt_state_folds_free(volt_state_folds *folds); /* NULL is fine */
double volt_state_folds_bytes(const volt_problem *problem, const volt_resolved *resolved);

/* Begin a group whose rows, as the kernel sees them, are Z: nothing is run, and nothing in the sums. */
volt_status volt_state_folds_begin(volt_state_folds *folds, volt_view Z);

/* The states of the first `rows` rows. Cancelled: VOLT_ERR_CANCELLED. */
volt_status volt_state_folds_fill(volt_state_folds *folds, int64_t rows, volt_stage *stage);

/* The first `to` rows after the washout are in the sums; Y are their targets. */
volt_status volt_state_folds_grow(volt_state_folds *folds, int64_t to, volt_view Y, volt_stage *stage);

/* Forecasts of rows with the states F, from the system that was solved last. */
void volt_state_folds_forecast(const volt_state_folds *folds, volt_view F, volt_matrix out);

/* Squared norms of the states after the washout, which are the diagonal of K: count numbers. */
void volt_state_folds_diagonal(const volt_state_folds *folds, int64_t count, double *diagonal);

#endif
