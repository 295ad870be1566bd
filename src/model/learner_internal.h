/* src/model/learner_internal.h: what a learner holds. */
#ifndef MODEL_LEARNER_INTERNAL_H
#define MODEL_LEARNER_INTERNAL_H

#include "kernel/engine/moving.h"
#include "model/model_internal.h"
#include "solve/online_factor.h"

/* Outputs of one alpha, which share a factor. */
typedef struct volt_learner_group {
    volt_online_factor *factor;
    int64_t n;        /* outputs */
    int64_t *outputs; /* which */
    bool *constant;   /* has output i of the group an intercept? */
    double *y;        /* n: targets or forecasts on their way */
} volt_learner_group;

typedef struct volt_journal volt_journal;

struct volt_learner {
    const volt_model *model;
    int64_t window; /* 0: all rows */
    double forget;
    volt_forget_what forget_what;
    volt_beyond policy;
    volt_moving *moving;
    volt_recent recent; /* rows before the next one, as far as the recipe looks back */
    int64_t pushed, learned, beyond, events;
    bool pending; /* the last row is in, and may be learned: k holds its kernel */

    int64_t n;        /* rows of the window ... */
    int64_t *numbers; /* ... and their numbers in `moving` */
    int64_t capacity; /* of them */

    volt_learner_group *groups;
    int64_t n_groups;

    double *last;     /* recipe.inputs: the last row as it was given, once one is pushed */
    double *z, *y;    /* d: the row as the kernel sees it; q: scaled outputs or targets */
    double *k, *seen; /* room: the last row against the columns; against the window, as the factor sees it */
    int64_t k_room, seen_room;
    volt_journal *journal; /* NULL: none */
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
/* The forecast of the pending row from the window as it is, scaled, into learner->y. */
void volt_learner_solve(volt_learner *learner);

/* push, learn, drop and restart without the journal; y may be NULL where it is a forecast. */
volt_status volt_learner_do_push(volt_learner *learner, const double *x, double *y);
volt_status volt_learner_do_learn(volt_learner *learner, const double *y);
volt_status volt_learner_do_drop(volt_learner *learner, int64_t count);
volt_status volt_learner_do_restart(volt_learner *learner);

/* ---- the model's rows (learner_start.c) ------------------------------------------------------- */

/* Into a learner without rows: the window, its factors, the past. BLAS is claimed by the caller. */
volt_status volt_learner_start(volt_learner *learner, volt_progress progress);

/* ---- the journal (learner_journal.c) ---------------------------------------------------------- */

/* What was done: 'p' a row x, 'l' targets y, 'u' both, 'd' a number of rows dropped, 'r' a restart. */
volt_status volt_journal_write(volt_learner *learner, char what, const double *first, int64_t n_first,
                               const double *second, int64_t n_second);
/* VOLT_ERR_IO when the learner is ahead of its journal. */
volt_status volt_journal_check(const volt_learner *learner);
void volt_journal_free(volt_journal *journal);

#endif
