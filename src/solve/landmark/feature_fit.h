/* src/solve/landmark/feature_fit.h: a readout of explicit features of the rows, whatever they are (state_sums.h), for the solvers on them.
 *
 * The solvers differ in where features come from, which is the operator's business, and in how held-out rows are
 * forecast. */
#ifndef SOLVE_FEATURE_FIT_H
#define SOLVE_FEATURE_FIT_H

#include "solve/landmark/state_sums.h"
#include "solve/solver_table.h"

typedef struct volt_feature_fit {
    const volt_solver_task *task;
    int64_t rows, states, q; /* rows kept; targets: those asked for, and levels behind them */
    int64_t columns;
    volt_view first, level; /* targets */
    double *block;          /* a block of rows x states */
    double *targets;        /* a block of rows x columns */
    int64_t n_last;
    double *last; /* n_last x states: features of the last rows */
    volt_state_sums *sums;
    int64_t n_early;        /* 0, or: the sums over so many of the first rows are ... */
    volt_state_sums *early; /* ... these */
    double *leverage;       /* n_last, in the system of all rows that was solved last ... */
    double freedom;         /* ... and their sum over all rows */
    double *squares;        /* q: of the errors of all rows */
    volt_matrix kept; /* (optional) states wide: receives the features of the band of this process, which ... */
    int64_t kept_first;   /* ... begins here (volt_feature_band) */
    volt_stage *choosing; /* while alpha is chosen */
} volt_feature_fit;

static inline bool volt_feature_has_target(const volt_feature_fit *fit, int64_t i)
{
    return !(fit->task->without && fit->task->without[i]);
}

/* Row i of column k of the targets. */
static inline double volt_feature_target(const volt_feature_fit *fit, int64_t i, int64_t k)
{
    return k < fit->q ? fit->first.data[i * fit->first.ld + k]
                      : fit->level.data[i * fit->level.ld + k - fit->q];
}

/* What output k is to be: as chosen, or as the task says. */
volt_chosen volt_feature_chosen(const volt_solver_task *task, int64_t k);

/* The last rows whose features are kept: the held-out ones are among them. */
int64_t volt_feature_last(const volt_solver_task *task, int64_t rows);

/* What only held-out rows tell: task->choice, held_out and errors. Progress covers [from, from + share]. */
typedef volt_status (*volt_feature_hold_out)(volt_feature_fit *fit, double from, double share);

/* The rows to hold out, of so many, into the task's held_out or choice; returns how many rows are known when the first of them is
 * predicted, 0: none is held out. The other function is a volt_feature_hold_out for a fit with so many early rows
 * (feature_held_out.c). */
int64_t volt_feature_held_out(const volt_solver_task *task, int64_t rows);
volt_status volt_feature_predict_held_out(volt_feature_fit *fit, double from, double share);

/* The sums over all rows, and what held-out rows tell: the first part of what follows, to which s->task, first, level, n_early and
 * kept belong; the pass over the rows covers the progress up to `share`, hold_out as much as `of_choice` from there. Release it in
 * every case. */
volt_status volt_feature_fit_sum(volt_feature_fit *s, volt_feature_hold_out hold_out, double share,
                                 double of_choice);
void volt_feature_fit_release(volt_feature_fit *s);

/* A fit of these targets, with nothing in it yet. */
volt_feature_fit volt_feature_fit_of(const volt_solver_task *task, int64_t n_early, volt_view targets);

/* The rows, of so many, whose features this process keeps where they are to be kept: first .. last - 1. */
struct volt_bands;
void volt_feature_band(const struct volt_bands *bands, int64_t rows, int64_t *first, int64_t *last);

volt_status volt_feature_fit_run(const volt_solver_task *task, int64_t n_early, volt_feature_hold_out hold_out,
                                 volt_readout *readout);
/* What Nystrom's solver does before it solves (solver_nystrom.c): the sums, alpha chosen on rows that are forecast from those
 * before them, and the errors of these; `kept` receives the features of its rows, those from kept_first on, as above. Release `fit` in every case. */
volt_status volt_nystrom_sum(const volt_solver_task *task, volt_view targets, int64_t kept_first,
                             volt_matrix kept, double share, double of_choice, volt_feature_fit *fit);
/* Bytes at its peak, beside those of hold_out and of `early`. */
double volt_feature_fit_bytes(double n, double q, double states);

#endif
