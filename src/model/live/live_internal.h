/* src/model/live/live_internal.h: the state of a live object.
 *
 * Every live object takes rows in the same way (live_rows.c). One that does not learn computes predictions from `past` and the
 * model's coefficients; one that learns from `moving`, the columns of its window, and the factors of `groups`. */
#ifndef MODEL_LIVE_INTERNAL_H
#define MODEL_LIVE_INTERNAL_H

#include "io/file/file_lock.h"
#include "kernel/engine/state.h"
#include "model/file/file_fields.h"
#include "model/interval/interval.h"
#include "model/model_internal.h"
#include "solve/exact/online_factor.h"
#include "volterra/live.h"

/* Outputs of one alpha, which share a factor. */
typedef struct volt_live_group {
    volt_online_factor *factor;
    int64_t n;        /* outputs */
    int64_t *outputs; /* which */
    bool *constant;   /* has output i of the group an intercept? */
    double *y;        /* n: scaled targets or predictions */
} volt_live_group;

/* Outputs without a kernel part, and their targets (live_means.c). */
typedef struct volt_live_means {
    int64_t n;        /* outputs */
    int64_t *outputs; /* which */
    bool *constant;   /* the prediction is the mean of the targets, else 0 */
    double *Y;        /* rows of the window x n: scaled targets */
    int64_t room;     /* numbers in Y */
} volt_live_means;

/* A row that waits for its target. */
typedef struct volt_late_row {
    int64_t number; /* -1: none */
    int64_t first;  /* the column that k begins with */
    double *k;      /* its kernel against columns first .. number */
    int64_t room;   /* of k */
    double *x;      /* recipe.inputs: as it was given */
} volt_late_row;

typedef struct volt_journal volt_journal;
typedef struct volt_detector volt_detector;

/* All rows since the model ended, for volt_live_model. With a window there are none: they would grow without end. */
typedef struct volt_fed_rows {
    bool complete;
    double *
        rows; /* pushed x (inputs + q): the row as it was given; its target, or until it is known its prediction */
    int64_t room;    /* numbers in rows */
    int64_t *starts; /* numbers of the rows that begin a record */
    int64_t n_starts, starts_room;
} volt_fed_rows;

struct volt_live {
    const volt_model *model;
    volt_beyond policy;
    bool learns, free_run;
    bool claimed;       /* the caller has claimed BLAS */
    volt_recent recent; /* rows before the next one, as far as the recipe looks back */
    int64_t pushed, learned, beyond, events;
    double *last;  /* recipe.inputs: the last row as it was given, once there is one */
    double *z, *y; /* d: the row as the kernel sees it; q: outputs */
    double *k;     /* the last row against the columns, k_room numbers */
    int64_t k_room;
    double
        *predictions; /* ahead + 1 rows x q, a ring of those that wait for targets; DBL_MAX: overflowed ... */
    int64_t n_predictions;   /* ... made since the last restart */
    volt_interval *interval; /* NULL: none is tracked */
    double *half;            /* coverages x q: about the last prediction */

    volt_detector *detector; /* NULL: none */

    /* files */
    char *path;            /* of the state, or NULL */
    volt_state_lock *lock; /* of that file, or NULL */
    volt_journal *journal; /* NULL: none */
    int64_t replayed, saved, saves;
    bool resumed;
    volt_progress progress; /* of volt_live_predict */

    /* without learning */
    volt_state *past;
    double *coefficients; /* q x columns of the readout */
    int64_t handed_back;  /* rows that a back end left to us (device_run.h) */
    bool diverged;        /* the prediction that would be fed back has left the range */

    /* learning */
    int64_t window; /* 0: all rows */
    double forget;
    volt_forget_what forget_what;
    volt_moving *moving;
    bool pending;        /* the last row waits for its target: k holds its kernel ... */
    bool solved;         /* ... and the factors are solved for it */
    volt_late_row *late; /* n_late rows before the last, a ring: row t is at t % n_late ... */
    int64_t n_late;      /* ... which reaches as far back as targets come late: ahead - 1 */
    int64_t n;           /* rows of the window ... */
    int64_t *numbers;    /* ... and their numbers in `moving` */
    int64_t capacity;    /* of them */
    volt_live_group *groups;
    int64_t n_groups;
    volt_live_means means;
    volt_fed_rows history;
    double *fresh; /* the next row against the columns, until it is taken */
    int64_t fresh_room;
    double *seen; /* a row against the window, as the factor sees it */
    int64_t seen_room;
};

/* ---- creation (live.c) ------------------------------------------------------------------------ */

/* At the model's end, or with VOLT_START_RESET a zero initial state; without learning, intervals and files. */
volt_status volt_live_open(const volt_model *model, volt_start start, volt_beyond policy, volt_live **live);
/* One that learns, before the first of the model's rows. VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_live_begin(const volt_model *model, const volt_live_options *options, volt_live **live);
/* Starts tracking intervals. VOLT_ERR_ARGUMENT, also when a journal is open. */
volt_status volt_live_track(volt_live *live, const double *coverages, int64_t count);

/* Names of volt_forget_what in files and on the command line. */
extern const char *const volt_forget_words[2];

/* ---- rows (live_rows.c) ----------------------------------------------------------------------- */

/* The public functions without the journal; y may be NULL where it is a prediction. */
volt_status volt_live_do_feed(volt_live *live, const double *x, double *y);
volt_status volt_live_do_learn(volt_live *live, int64_t back, const double *y);
/* *learned, *pushed: what was done, also on failure. */
volt_status volt_live_do_advance(volt_live *live, const double *x, const double *y, double *prediction,
                                 bool *learned, bool *pushed);
volt_status volt_live_do_drop(volt_live *live, int64_t count);
volt_status volt_live_do_restart(volt_live *live);
/* The prediction made `back` rows before the last; NULL: none since the last restart. */
double *volt_live_prediction(const volt_live *live, int64_t back);
/* The half-widths about the next prediction. */
void volt_live_widen(volt_live *live);

/* ---- the window (live_window.c) --------------------------------------------------------------- */

/* Memory for `rows` rows in the window. */
volt_status volt_live_reserve(volt_live *live, int64_t rows);
/* Subtracted from every entry of the kernel before it is factored: with an intercept the predictions are the same, and the
 * matrix is better conditioned. */
double volt_live_common(const volt_live *live);
/* The kernel k of rows so many apart, with forgetting, ... */
double volt_live_faded(const volt_live *live, double k, int64_t apart);
/* ... and less what is common: as the factor sees it. */
double volt_live_factored(const volt_live *live, double k, int64_t apart);

/* The row in live->z, past the columns and into them. On failure nothing changes. */
volt_status volt_window_take(volt_live *live);
/* The row that volt_window_take has taken becomes the last; live->last is still the one before it. */
void volt_window_become_last(volt_live *live, const double *x);
/* The prediction of the pending row from the window as it is, scaled, into live->y. */
void volt_window_solve(volt_live *live);
/* What is known of a row: its target or its prediction. */
void volt_window_record(volt_live *live, int64_t number, const double *y);
volt_status volt_window_check_target(const volt_live *live, const double *x, const double *y);
/* The target of the row fed `back` rows before the last. VOLT_OK and *learned false: it does not wait. */
volt_status volt_window_learn(volt_live *live, int64_t back, const double *y, bool *learned);
void volt_window_drop(volt_live *live, int64_t count);
volt_status volt_window_restart(volt_live *live);

/* ---- rows that wait (live_late.c) ------------------------------------------------------------- */

volt_status volt_late_create(volt_live *live);
void volt_late_free(volt_live *live);
/* The last row as one that waits; the arrays are the object's. */
volt_late_row volt_late_newest(const volt_live *live);
/* The last row, if it is pending, joins those that wait: the next one is a column, and becomes the last. live->k is free for
 * anything then. */
void volt_late_keep(volt_live *live);
/* The row of this number; NULL: it does not wait. */
volt_late_row *volt_late_find(const volt_live *live, int64_t number);
/* The smallest number of those that wait, or `otherwise`. */
int64_t volt_late_oldest(const volt_live *live, int64_t otherwise);
/* Rows before this number wait no longer. */
void volt_late_clear(volt_live *live, int64_t before);

/* ---- outputs without the kernel (live_means.c) ------------------------------------------------ */

volt_status volt_means_create(const volt_model *model, volt_live_means *means);
void volt_means_release(volt_live_means *means);
/* Memory for so many rows of targets. */
volt_status volt_means_reserve(volt_live_means *means, int64_t rows);
/* The predictions from the first `rows` targets, scaled, into their places among the q outputs y. */
void volt_means_forecast(const volt_live_means *means, int64_t rows, double *y);
/* The targets of the last `window` of n training rows that were fitted. */
volt_status volt_means_start(volt_live_means *means, const volt_model *model, const int64_t *rows, int64_t n,
                             int64_t window);

/* ---- the model's rows (live_start.c) ---------------------------------------------------------- */

/* Into an object without rows: the window, its factors, the state. BLAS is claimed by the caller. */
volt_status volt_live_start(volt_live *live, volt_progress progress);

void volt_detector_free(volt_detector *detector);

/* ---- files (live_file.c, live_journal.c) ------------------------------------------------------ */

/* The object of a state file. `learn`: 1 or 0, as the file must have it; -1: either. On failure *live, where it is not NULL,
 * can only be freed. */
volt_status volt_live_read_state(const volt_model *model, const char *path, int learn,
                                 const volt_live_options *options, volt_live **live);
/* Replays what the file holds and the object has not seen (*replayed, may be NULL, counts it), then appends to it. On
 * VOLT_ERR_FORMAT the object can only be freed. */
volt_status volt_journal_open(volt_live *live, const char *path, int64_t *replayed);
/* Empties the journal: all of it is in a state file. */
volt_status volt_journal_clear(volt_live *live);
/* Appends an event: 'p' a row x, 'l' targets y, 'u' both, 'a' a row x and late targets y, 'w' late targets y only, 'd' a
 * number of rows dropped, 'r' a restart. */
volt_status volt_journal_write(volt_live *live, char what, const double *first, int64_t n_first,
                               const double *second, int64_t n_second);
/* VOLT_ERR_IO when the object is ahead of its journal. */
volt_status volt_journal_check(const volt_live *live);
void volt_journal_free(volt_journal *journal);

/* ---- scores of rows against their predictions, and the level above which a score is an alarm ---- */

/* ---- the level -------------------------------------------------------------------------------- */

typedef struct volt_alarm_level {
    double rate;
    int64_t capacity, n, next;
    double *ring, *sorted;
} volt_alarm_level;

/* The last 20 / rate scores, at least 1000 and at most 100,000. Release it in every case. VOLT_ERR_MEMORY. */
volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate);
void volt_alarm_level_release(volt_alarm_level *level);
void volt_alarm_level_add(volt_alarm_level *level, double score);
/* The level for the next score; INFINITY with fewer than 30. */
double volt_alarm_level_now(const volt_alarm_level *level);

/* ---- the detector ----------------------------------------------------------------------------- */

/* For a model that predicts its own inputs one row ahead; it starts with the errors of the later half of training.
 * VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
volt_status volt_detector_create(const volt_model *model, double rate, int64_t scale_rows,
                                 volt_detector **detector);
volt_status volt_detector_copy(const volt_detector *source, const volt_model *model, volt_detector **detector);
/* Into a state file, and out of it where the file has one; *detector is NULL where it has none. */
void volt_detector_put(const volt_detector *detector, volt_file_writer *writer);
volt_status volt_detector_read(const volt_file_fields *fields, const volt_model *model,
                               volt_detector **detector);

#endif
