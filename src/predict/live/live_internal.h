/* src/predict/live/live_internal.h: the state of a live object.
 *
 * Every live object processes rows in the same way. Without learning, predictions are computed
 * from `kernel_state` and the coefficients of the model. With learning, they are computed from `moving`, the columns
 * of its window, and the factors of `groups`. */
#ifndef MODEL_LIVE_INTERNAL_H
#define MODEL_LIVE_INTERNAL_H

#include "gram/engine/state.h"
#include "io/file/state_lock.h"
#include "model/file/file_fields.h"
#include "model/model_internal.h"
#include "predict/interval/interval.h"
#include "solve/exact/online_factor.h"
#include "volterra/live.h"

/* Outputs with the same alpha, which share a factor. */
typedef struct volt_live_group {
    volt_online_factor *factor;
    int64_t n;        /* number of outputs */
    int64_t *outputs; /* their indices */
    bool *constant;   /* per output: fitted with an intercept */
    double *y;        /* n: scaled targets or predictions */
} volt_live_group;

/* Outputs without a kernel part, and their targets. */
typedef struct volt_live_means {
    int64_t n;        /* number of outputs */
    int64_t *outputs; /* their indices */
    bool *constant;   /* the prediction is the mean of the targets, else 0 */
    double *Y;        /* rows of the window x n: scaled targets */
    int64_t capacity; /* allocated size of Y */
} volt_live_means;

/* A row whose target is pending. */
typedef struct volt_late_row {
    int64_t number;   /* -1: none */
    int64_t first;    /* first column of k */
    double *k;        /* its kernel against columns first .. number */
    int64_t capacity; /* allocated size of k */
    double *x;        /* recipe.inputs: as given */
} volt_late_row;

typedef struct volt_detector volt_detector;

/* All rows since the end of the model, for volt_live_model. Not kept with a window, to bound memory. */
typedef struct volt_feedback_rows {
    bool complete;
    double *rows; /* pushed x (inputs + q): the row as given; its target, or its prediction until the target is
               * known */
    int64_t capacity; /* allocated size of rows */
    int64_t *starts;  /* numbers of the first rows of records */
    int64_t n_starts, starts_size;
} volt_feedback_rows;

struct volt_live {
    const volt_model *model;
    volt_beyond policy;
    bool learns, free_run;
    bool claimed;       /* the caller has claimed BLAS */
    volt_recent recent; /* recent rows for the recipe */
    int64_t pushed, learned, beyond;
    double *last;  /* recipe.inputs: the last row as given */
    double *z, *y; /* d: the row as passed to the kernel; q: outputs */
    double *k;     /* the last row against the columns, k_size numbers */
    int64_t k_size;
    double
        *predictions; /* ahead + 1 rows x q, a ring of predictions without a target yet; DBL_MAX: overflowed */
    int64_t n_predictions;   /* predictions since the last restart */
    volt_interval *interval; /* NULL: not tracked */
    double *half;            /* coverages x q: about the last prediction */

    volt_detector *detector; /* NULL: none */

    /* files */
    char *path;            /* of the state, or NULL */
    volt_state_lock *lock; /* of that file, or NULL */
    bool resumed;
    volt_progress progress; /* of volt_live_predict */

    /* without learning */
    volt_state *kernel_state;
    double *coefficients; /* q x columns of the readout */
    int64_t handed_back;  /* rows that a back end returned unprocessed */
    bool diverged;        /* the prediction to be fed back has left the range; a sum: of a member */
    /* of a sum: one object per member; `k` is then a buffer of q numbers. NULL: another model */
    volt_live **members;
    bool found_first;    /* the output before the first row was found from the row taken last */
    int64_t next_beyond; /* `beyond` once the row taken last is fed */

    /* learning */
    int64_t window; /* 0: all rows */
    double forget;
    volt_forget_what forget_what;
    volt_moving *moving;
    bool pending;        /* the last row has no target yet; k holds its kernel */
    bool solved;         /* the factors are solved for it */
    volt_late_row *late; /* n_late rows before the last, a ring: row t is at t % n_late */
    int64_t n_late;      /* maximum delay of targets: ahead - 1 */
    int64_t n;           /* rows of the window */
    int64_t *numbers;    /* their numbers in `moving` */
    int64_t capacity;    /* allocated rows */
    volt_live_group *groups;
    int64_t n_groups;
    volt_live_means means;
    volt_feedback_rows history;
    double *fresh; /* the next row against the columns, until it is taken */
    int64_t fresh_size;
    double *seen; /* a row against the window, as used in the factor */
    int64_t seen_size;
};

/* ---- creation (live.c) ------------------------------------------------------------------------ */

/* Creates an object at the end of the model, or with VOLT_START_RESET in a zero initial state; without
 * learning, intervals and files. */
volt_status volt_live_open(const volt_model *model, volt_start start, volt_beyond policy, volt_live **live);
/* Starts tracking intervals. VOLT_ERR_ARGUMENT. */
volt_status volt_live_track(volt_live *live, const double *coverages, int64_t count);

/* Names of volt_forget_what in files and on the command line. */
extern const char *const volt_forget_words[2];

/* ---- rows --------------------------------------------------------------------------------------- */

/* VOLT_ERR_NOT_FINITE for an object that has diverged in row `row`, from 0. */
volt_status volt_live_report_diverged(const volt_live *live, int64_t row);

/* ---- the window --------------------------------------------------------------------------------- */

/* The kernel k of rows `apart` rows apart, with forgetting. */
double volt_live_decayed(const volt_live *live, double k, int64_t apart);
/* The same less the common part, as used in the factor. */
double volt_live_factored(const volt_live *live, double k, int64_t apart);

/* ---- the level -------------------------------------------------------------------------------- */

typedef struct volt_alarm_level {
    double rate;
    int64_t capacity, n, next;
    double *ring, *sorted;
} volt_alarm_level;

/* Keeps the last 20 / rate scores, at least 1000 and at most 100,000. Always release it. VOLT_ERR_MEMORY. */
volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate);
void volt_alarm_level_release(volt_alarm_level *level);
void volt_alarm_level_add(volt_alarm_level *level, double score);
/* The level for the next score; INFINITY with fewer than 30. */
double volt_alarm_level_now(const volt_alarm_level *level);

#endif
