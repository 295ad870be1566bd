/* src/solve/landmark/feature_fit.h: a readout of explicit features of the rows (state_sums.h).
 *
 * Solvers differ in the operator, which computes the features, and in the prediction of held-out rows. */
#ifndef SOLVE_FEATURE_FIT_H
#define SOLVE_FEATURE_FIT_H

#include "solve/landmark/state_sums.h"
#include "solve/solver_table.h"

typedef struct volt_feature_fit {
    const volt_solver_task *task;
    int64_t rows, states, q; /* rows kept; targets, first the given ones and then levels */
    int64_t columns;
    volt_view first, level; /* targets */
    double *block;          /* a block of rows x states */
    double *targets;        /* a block of rows x columns */
    int64_t n_last;
    double *last;    /* n_last x states: features of the last rows, ... */
    int64_t ld_last; /* ... in rows of this length */
    volt_state_sums *sums;
    int64_t n_early;        /* 0, or the number of first rows whose sums are in ... */
    volt_state_sums *early; /* ... early */
    double *leverage;       /* n_last, in the last solved system of all rows ... */
    double freedom;         /* ... and their sum over all rows */
    double *squares;        /* q: of the errors of all rows */
    double added;           /* rows that the first pass has added, for progress */
    /* (optional) states columns: receives the features of the band of this process, which ... */
    volt_matrix kept;
    int64_t kept_first;   /* ... begins here (volt_feature_band) */
    volt_stage *choosing; /* while alpha is chosen */
} volt_feature_fit;

/* The setting of output k: as chosen, or as given by the task. */
volt_chosen volt_feature_chosen(const volt_solver_task *task, int64_t k);

/* Number of last rows whose features are stored; includes the held-out rows. */
int64_t volt_feature_last(const volt_solver_task *task, int64_t rows);

/* Computes results of held-out rows: task->choice, held_out and errors. Progress covers [from, from +
 * share]. */
typedef volt_status (*volt_feature_hold_out)(volt_feature_fit *fit, double from, double share);

/* Selects the held-out rows, of `rows`, in the task's held_out or choice. Returns the number of rows known
 * when the first of them is predicted; 0: none is held out. The other function is a volt_feature_hold_out
 * for a fit with early sums (feature_fit.c). */
int64_t volt_feature_held_out(const volt_solver_task *task, int64_t rows);
volt_status volt_feature_predict_held_out(volt_feature_fit *fit, double from, double share);

/* Computes the sums over all rows and the results of held-out rows: the first part of the function below.
 * s->task, first, level, n_early and kept must be set. The pass over the rows covers the progress up to
 * `share`, hold_out a further `of_choice`. Release it in every case. */
volt_status volt_feature_fit_sum(volt_feature_fit *s, volt_feature_hold_out hold_out, double share,
                                 double of_choice);
void volt_feature_fit_release(volt_feature_fit *s);

/* An empty fit of these targets. */
volt_feature_fit volt_feature_fit_of(const volt_solver_task *task, int64_t n_early, volt_view targets);

/* Shares of the stages in the expected operations of volt_feature_fit_run: the pass over the rows, the choice, the final
 * system with its leverages, and the second pass. */
typedef struct volt_feature_shares {
    double states, choose, solve, readout;
} volt_feature_shares;
volt_feature_shares volt_feature_fit_shares(const volt_feature_fit *s);

/* The rows, of `rows`, whose features this process stores: first .. last - 1. */
struct volt_bands;
void volt_feature_band(const struct volt_bands *bands, int64_t rows, int64_t *first, int64_t *last);

volt_status volt_feature_fit_run(const volt_solver_task *task, int64_t n_early, volt_feature_hold_out hold_out,
                                 volt_readout *readout);
/* The part of the Nystrom solver before the final solve (solver_nystrom.c): the sums, alpha chosen on
 * held-out rows, and their errors. `kept` receives the features of the rows of this process, from kept_first
 * on, as above. Release `fit` in every case. */
volt_status volt_nystrom_sum(const volt_solver_task *task, volt_view targets, int64_t kept_first,
                             volt_matrix kept, double share, double of_choice, volt_feature_fit *fit);
/* Errors of the held-out rows, as chosen: e is held x q, the workspace held x columns (feature_fit.c). */
volt_status volt_feature_chosen_errors(volt_feature_fit *fit, volt_matrix workspace, volt_matrix e);
/* Peak memory in bytes, without hold_out and `early`. */
double volt_feature_fit_bytes(double n, double q, double states);

#endif
