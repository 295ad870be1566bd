/* src/model/live/learner_internal.h: what a learner holds. */
#ifndef MODEL_LEARNER_INTERNAL_H
#define MODEL_LEARNER_INTERNAL_H

#include "kernel/engine/state.h"
#include "model/interval/adaptive_interval.h"
#include "model/model_internal.h"
#include "solve/exact/online_factor.h"
#include "volterra/learner.h"

/* Outputs of one alpha, which share a factor. */
typedef struct volt_learner_group {
    volt_online_factor *factor;
    int64_t n;        /* outputs */
    int64_t *outputs; /* which */
    bool *constant;   /* has output i of the group an intercept? */
    double *y;        /* n: targets or forecasts on their way */
} volt_learner_group;

/* Outputs in which the kernel plays no part, and their targets (learner_means.c). */
typedef struct volt_learner_means {
    int64_t n;        /* outputs */
    int64_t *outputs; /* which */
    bool *constant;   /* is the forecast the mean of the targets? Else it is 0 */
    double *Y;        /* rows of the window x n: scaled targets */
    int64_t room;     /* numbers in Y */
} volt_learner_means;

/* A row that was pushed, and is learned once its target is known. */
typedef struct volt_late_row {
    int64_t number;   /* -1: none */
    int64_t first;    /* the column that k begins with */
    double *k;        /* its kernel against columns first .. number */
    int64_t room;     /* of k */
    double *x;        /* recipe.inputs: as it was given */
    double *forecast; /* q; DBL_MAX: too large for a double */
} volt_late_row;

typedef struct volt_journal volt_journal;

/* All rows since the model ended, for volt_learner_model. A learner with a window keeps none: they would grow without end. */
typedef struct volt_pushed_rows {
    bool complete; /* they are there */
    double *
        rows; /* pushed x (inputs + q): the row as it was given; its target, or until it is known its forecast */
    int64_t room;    /* numbers in rows */
    int64_t *starts; /* numbers of the rows that begin a record ... */
    int64_t n_starts, starts_room;
} volt_pushed_rows;

struct volt_learner {
    const volt_model *model;
    struct volt_state_lock *lock; /* of the file that it is saved to, or NULL */
    int64_t window;               /* 0: all rows */
    double forget;
    volt_forget_what forget_what;
    volt_beyond policy;
    volt_moving *moving;
    volt_recent recent; /* rows before the next one, as far as the recipe looks back */
    int64_t pushed, learned, beyond, events;
    bool pending;        /* the last row is in, and may be learned: k holds its kernel ... */
    bool solved;         /* ... and the factors are solved for it */
    volt_late_row *late; /* n_late rows before the last, a ring: row t is at t % n_late ... */
    int64_t n_late;      /* ... which reaches as far back as targets come late: ahead - 1 */

    int64_t n;        /* rows of the window ... */
    int64_t *numbers; /* ... and their numbers in `moving` */
    int64_t capacity; /* of them */

    volt_learner_group *groups;
    int64_t n_groups;
    volt_learner_means means;

    volt_pushed_rows history;

    double *last;      /* recipe.inputs: the last row as it was given, once one is pushed */
    double *z, *y;     /* d: the row as the kernel sees it; q: scaled outputs or targets */
    double *k, *fresh; /* room: the last row against the columns; the next one, until it is in */
    int64_t k_room, fresh_room;
    double *seen; /* room: a row against the window, as the factor sees it */
    int64_t seen_room;
    double *forecast;        /* q: of the last row; DBL_MAX: too large for a double */
    volt_interval *interval; /* NULL: none is tracked */
    double *half;            /* coverages x q: about the last forecast */
    volt_journal *journal;   /* NULL: none */
};

/* ---- life (learner.c) ------------------------------------------------------------------------- */

/* Without rows, before the first of the model's. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_learner_begin(const volt_model *model, const volt_learner_options *options,
                               volt_learner **learner);

/* What fades, by the words that files and the command line have for it. */
extern const char *const volt_forget_words[2];

/* ---- rows (learner_rows.c) -------------------------------------------------------------------- */

/* Room for `rows` rows in the window. */
volt_status volt_learner_reserve(volt_learner *learner, int64_t rows);
/* What is subtracted from every entry of the kernel before it is factored: with an intercept the same forecasts, better
 * conditioned. */
double volt_learner_common(const volt_learner *learner);
/* The kernel k of rows so many apart, faded, ... */
double volt_learner_faded(const volt_learner *learner, double k, int64_t apart);
/* ... and less what is common: as the factor sees it. */
double volt_learner_factored(const volt_learner *learner, double k, int64_t apart);
/* The last row among those that wait; the arrays are the learner's. */
volt_late_row volt_learner_newest(const volt_learner *learner);
/* The forecast of the pending row from the window as it is, scaled, into learner->y. */
void volt_learner_solve(volt_learner *learner);

/* push, learn, drop and restart without the journal; y may be NULL where it is a forecast. */
volt_status volt_learner_do_push(volt_learner *learner, const double *x, double *y);
volt_status volt_learner_do_learn(volt_learner *learner, const double *y);
/* The target of the row that will be `ahead` rows back once the next one comes. VOLT_OK and *learned false: none waits. */
volt_status volt_learner_do_learn_late(volt_learner *learner, const double *y, bool *learned);
/* *learned, *pushed: what was done, also on failure. */
volt_status volt_learner_do_advance(volt_learner *learner, const double *x, const double *y, double *forecast,
                                    bool *learned, bool *pushed);
volt_status volt_learner_do_drop(volt_learner *learner, int64_t count);
volt_status volt_learner_do_restart(volt_learner *learner);

/* ---- rows that wait (learner_late.c) ---------------------------------------------------------- */

/* Room for as many as wait, none of which is there; and its end. */
volt_status volt_late_create(volt_learner *learner);
void volt_late_free(volt_learner *learner);
/* The last row, if it is pending, joins those that wait: the next one is a column, and becomes the last. learner->k is room
 * for anything then. */
void volt_late_keep(volt_learner *learner);
/* The row of this number; NULL: it does not wait. */
volt_late_row *volt_late_find(const volt_learner *learner, int64_t number);
/* The smallest number of those that wait, or `otherwise`. */
int64_t volt_late_oldest(const volt_learner *learner, int64_t otherwise);
/* Rows before this number wait no longer. */
void volt_late_clear(volt_learner *learner, int64_t before);

/* ---- outputs without the kernel (learner_means.c) ---------------------------------------------- */

volt_status volt_means_create(const volt_model *model, volt_learner_means *means);
void volt_means_release(volt_learner_means *means);
/* Room for so many rows of targets. */
volt_status volt_means_reserve(volt_learner_means *means, int64_t rows);
/* The forecasts from the first `rows` targets, scaled, into their places among the q outputs y. */
void volt_means_forecast(const volt_learner_means *means, int64_t rows, double *y);
/* The targets of the last `window` of n training rows that were fitted. */
volt_status volt_means_start(volt_learner_means *means, const volt_model *model, const int64_t *rows, int64_t n,
                             int64_t window);

/* ---- intervals (learner_interval.c) ----------------------------------------------------------- */

/* The half-widths about the forecast that was just made, and what came of a forecast. */
void volt_learner_widen(volt_learner *learner);
void volt_learner_observe(volt_learner *learner, const double *forecast, const double *y);

/* ---- the model's rows (learner_start.c) ------------------------------------------------------- */

/* Into a learner without rows: the window, its factors, the past. BLAS is claimed by the caller. */
volt_status volt_learner_start(volt_learner *learner, volt_progress progress);

/* ---- the journal (learner_journal.c) ---------------------------------------------------------- */

/* What was done: 'p' a row x, 'l' targets y, 'u' both, 'a' a row x and late targets y, 'w' late targets y alone, 'd' a
 * number of rows dropped, 'r' a restart. */
volt_status volt_journal_write(volt_learner *learner, char what, const double *first, int64_t n_first,
                               const double *second, int64_t n_second);
/* VOLT_ERR_IO when the learner is ahead of its journal. */
volt_status volt_journal_check(const volt_learner *learner);
void volt_journal_free(volt_journal *journal);

/* The coverages that are tracked, which belong to the learner; returns how many, 0: none. */
int64_t volt_learner_coverages(const volt_learner *learner, const double **coverages);

#endif
