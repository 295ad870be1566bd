/* volterra/live.h: run a model row by row: predict, learn, track intervals, keep the state in a file.
 *
 *     volt_live *live = NULL;
 *     volt_live_options options = volt_live_options_default();
 *     options.learn = 1;
 *     volt_live_create(model, &options, &live);
 *     for each row:  volt_live_feed(live, x, prediction), then, once it is known, volt_live_learn(live, 0, y)
 *     volt_live_free(live);
 *
 * Without `learn` the model stays as it is, at O(n (d + q)) a row. With it the readout is, after every target, that of a fit
 * on the rows in the window, to rounding, at O(n^2) a row. Scales, M, the kernel and alpha stay the model's. Outputs without
 * a kernel part (alpha is INFINITY) are the mean of the targets in the window, or the naive forecast where the model's are.
 * Rows outside the window still determine the state that later rows see. */
#ifndef VOLTERRA_LIVE_H
#define VOLTERRA_LIVE_H

#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_live volt_live;

/* What forget < 1 applies to. Kernels without a part b_0 common to all entries (all but volterra with lifts that are 1 at a
 * zero input, and sums that contain it) treat both alike. */
typedef enum volt_forget_what {
    VOLT_FORGET_DYNAMICS, /* b_0 + (K_ij - b_0) phi^{|i-j|/2}: the response to inputs drifts, the level does not */
    VOLT_FORGET_ALL       /* K_ij phi^{|i-j|/2}: the level drifts as well */
} volt_forget_what;

typedef struct volt_live_options {
    size_t struct_size; /* set by volt_live_options_default */
    volt_start start;   /* VOLT_START_CONTINUE or VOLT_START_RESET */
    volt_beyond beyond;
    /* (optional) rows x d that are fed first, without the journal: the inputs that had no target at the fit
     * (volt_model_info.pending). Not used where a state is resumed */
    volt_view pending;

    /* -- learning -- */
    int learn; /* 1: targets are learned, 0 */
    int64_t
        window; /* most rows that are learned at a time; the oldest is dropped for a new one; 0 (default): all */
    double
        forget; /* phi in (0, 1]: the kernel of rows i and j is multiplied by phi^{|i-j|/2}; 1 (default): none */
    volt_forget_what forget_what; /* VOLT_FORGET_ALL */

    /* -- feedback weight, without learning -- */
    int free_run; /* 1: predictions are fed back even where targets are given, 0 */

    /* -- intervals -- */
    const double *coverages; /* (optional) n_coverages numbers between 0 and 1: intervals to track */
    int64_t n_coverages;

    /* -- alarms, for a model that predicts its own inputs one row ahead (volt_fit_options.ahead = feedback = 1) -- */
    double
        alarm_rate; /* share of rows that raise an alarm while nothing changes, in (0, 1); 0 (default): no detector */
    int64_t scale_rows; /* latest errors that the scale of a channel is taken from, at least 10; 300 */

    /* -- files -- */
    /* (optional) state file of volt_live_create: locked as long as the object exists, and resumed from where it exists. The
     * lock is a kernel lock (flock) of a file NAME.lock, which ends with the process: nobody else can lock the file or save
     * to it. Devices, pipes and file systems without locks are not locked */
    const char *state;
    int lock; /* volt_live_load: 1: lock the file as above, 0 */
    /* (optional) journal of what is learned. Events in the file that the object has not seen are replayed first. From then
     * on every change is appended, and on disk before the call returns. An incomplete last line is dropped */
    const char *journal;
    volt_progress progress; /* of volt_live_create and volt_live_predict */
} volt_live_options;
VOLT_API volt_live_options volt_live_options_default(void);

/* Creates a live object at the end of the model's training rows. The model must outlive it. With `learn` it starts from the
 * last `window` rows of training: their targets are computed from the coefficients, y = (K + alpha I) A + c, and their matrix
 * is factored, with the time and memory of a fit. VOLT_ERR_ARGUMENT, with `learn` also for a centred kernel without an
 * intercept, a model on landmarks, of another loss than squares or with weights. VOLT_ERR_IO: another owner has locked the
 * state, or another process writes the journal. VOLT_ERR_FORMAT: a file is damaged, of another model, or the journal begins
 * after the state. */
VOLT_API volt_status volt_live_create(const volt_model *model, const volt_live_options *options,
                                      volt_live **live);
/* Returns an independent copy of the state, without state file and journal. */
VOLT_API volt_status volt_live_copy(const volt_live *source, volt_live **live);
VOLT_API void volt_live_free(volt_live *live);

/* Takes the next row x (d numbers) and returns its prediction y (q numbers). A refused row leaves the object unchanged;
 * VOLT_ERR_NOT_FINITE when the prediction overflows: the row is taken. With a feedback weight the prediction is fed back
 * with the next row, until volt_live_learn gives the target. Without `learn`, a prediction that left 10 times the range of
 * the training targets is not fed back, and further rows are VOLT_ERR_NOT_FINITE. */
VOLT_API volt_status volt_live_feed(volt_live *live, const double *x, double *y);

/* Takes the target y (q numbers) of the row fed `back` rows before the last one. It updates the intervals; with `back` 0 it
 * replaces the output that is fed back (before the first row: that of the row before it).
 *
 * With `learn` it is learned; `back` is 0 or ahead - 1, and rows are learned in order. A row without target only
 * enters the state. VOLT_ERR_ARGUMENT when the row is not there or is learned, VOLT_ERR_NOT_FINITE, VOLT_ERR_SINGULAR when it
 * adds nothing to rounding; the object is unchanged.
 *
 * Without `learn`, `back` is 0 to `ahead`; NaN: not known; a row that overflowed or lies before a restart is ignored.
 * VOLT_ERR_ARGUMENT where the object neither tracks intervals nor feeds outputs back. */
VOLT_API volt_status volt_live_learn(volt_live *live, int64_t back, const double *y);

/* Both in one call. With late 0, y is the target of x; it is checked first, so that a pair that is not finite changes
 * nothing. With late 1, y was observed with x: it is the target of the row fed `ahead` rows before x, and is learned before x
 * is predicted. Nothing is learned where no such row waits, or a target is NaN. `prediction` may be NULL.
 * VOLT_ERR_SINGULAR: the row was taken and predicted, the target was not learned. */
VOLT_API volt_status volt_live_update(volt_live *live, const double *x, int late, const double *y,
                                      double *prediction);

/* Drops the oldest `count` rows of the window. VOLT_ERR_ARGUMENT when there are fewer. */
VOLT_API volt_status volt_live_drop(volt_live *live, int64_t count);
/* Begins another record, with a zero initial state. What was learned and counted stays. */
VOLT_API volt_status volt_live_restart(volt_live *live);

/* Predicts the rows of X (h x d) that follow, into `out` (h x q). *beyond (may be NULL) counts rows beyond the ball. With
 * advance 0 the object is unchanged; with 1 the rows are fed, on failure those before the one that failed. Without `learn` and
 * a feedback weight a failure changes nothing, pieces of a multiple of volt_live_info.block_rows rows give the bits of one volt_model_predict of
 * all rows, and the intervals do not see these predictions. */
VOLT_API volt_status volt_live_predict(volt_live *live, volt_view X, int advance, volt_matrix out,
                                       int64_t *beyond);

/* Half-widths of the intervals about the last prediction (n_coverages x q numbers; INFINITY: no bound), as of when it was made.
 * They adapt to the errors as targets arrive (adaptive conformal inference): each miss makes the next ones wider, each hit
 * a little narrower, so that the share of misses converges to 1 - coverage for any data. They start from the errors that
 * volt_model_interval uses; a model without errors starts with infinite ones. VOLT_ERR_ARGUMENT when none are tracked. */
VOLT_API volt_status volt_live_interval(const volt_live *live, double *half);

typedef struct volt_detection {
    size_t struct_size; /* set by the caller */
    /* largest |error| over the scale of its channel, 1.4826 times the median of its latest |errors|; NaN: not known, for
     * the first row, and while there are too few errors */
    double score;
    /* a score above it is an alarm: the quantile of the latest 20 / rate scores where these are enough for the rate (a score
     * that raised an alarm counts as at most 1.5 times its threshold); before that the quantile of an exponential tail
     * fitted to the largest tenth; INFINITY with fewer than 30 scores */
    double threshold;
    int alarm;
    int64_t channel; /* of the largest error; -1: there is no score */
} volt_detection;
/* Takes the next row x (d numbers) of a series and compares it with its prediction. Requires options.alarm_rate. With `learn`
 * the row is learned unless it raised an alarm; a model without a kernel part in any output stays as it is. `expected` (d
 * numbers, may be NULL) receives the prediction, NaN where there is none. VOLT_ERR_NOT_FINITE: the object is unchanged. */
VOLT_API volt_status volt_live_detect(volt_live *live, const double *x, double *expected,
                                      volt_detection *detection);
/* Number of first rows of a series to fit the model on before the others are scored: a third, 50 to 2000. */
VOLT_API int64_t volt_live_train_rows(int64_t rows);

typedef struct volt_live_info {
    size_t struct_size; /* set by the caller */
    int learns;
    int64_t rows;   /* in the window; 0 without `learn` */
    int64_t window; /* at most; 0: all */
    double forget;
    volt_forget_what forget_what;
    int64_t fed;             /* rows since the model ended ... */
    int64_t learned;         /* ... and of these, learned */
    int64_t beyond;          /* rows beyond the ball of training */
    double condition;        /* lower bound of the condition number of K + alpha I, the largest of all alphas */
    int64_t events;          /* rows, targets, drops and restarts: what a journal counts */
    int64_t replayed;        /* events taken from the journal when it was opened */
    int resumed;             /* the state file existed */
    int64_t saved;           /* `fed` when the state file was last written or read ... */
    int64_t saves;           /* ... and how often it was written */
    const double *last;      /* d: the last row; NULL: none yet */
    const double *coverages; /* n_coverages: of the intervals that are tracked; NULL: none are */
    int64_t n_coverages;
    int64_t block_rows; /* of volt_live_predict */
} volt_live_info;
/* Arrays belong to the object and are valid until it changes. */
VOLT_API volt_status volt_live_get_info(const volt_live *live, volt_live_info *info);

/* Reads the coefficients A (rows x q) and intercepts c (q numbers) on scaled targets, of the rows of the window, the oldest
 * first; t[i] (rows numbers, may be NULL) is the number of row i, training rows counted from 0. Requires `learn`. */
VOLT_API volt_status volt_live_coefficients(const volt_live *live, volt_matrix A, double *c, int64_t *t);

/* Fits a model on all rows learned so far. Kernel, scales, alphas, kinds of target and shares are those of the model that the
 * object was created from; coefficients, errors (for intervals) and, with keep_factor, the factor (for standard deviations)
 * are those of all rows. Predictions of the new model are those of volt_live_predict, to rounding. The rows after the
 * last target, `ahead` of them, are not part of it: give them to it as the rows that follow. Costs O(n^3), like a fit. The
 * object is unchanged. VOLT_ERR_ARGUMENT unless it learns with window 0 and forget 1, or when it was loaded from a file
 * without the rows fed so far (written by version 1.0). Free the model with volt_model_free. */
VOLT_API volt_status volt_live_model(const volt_live *live, int keep_factor, volt_progress progress,
                                     volt_model **model);

/* Saves the state, without the model, as a safetensors file, replaced as a whole or not at all. path NULL: the state file of
 * the options or of volt_live_load; the journal is emptied then. VOLT_ERR_NOT_FINITE when the state has overflowed;
 * VOLT_ERR_IO, also when another owner has locked the file. When a journal cannot be written, the object takes nothing more
 * until it is saved in this way. */
VOLT_API volt_status volt_live_save(volt_live *live, const char *path);
/* Loads a state; it continues to the last bit as the one that was saved. Learning and intervals are the file's: `learn` of
 * the options must agree (NULL: either), and coverages are only used where the file has none. VOLT_ERR_IO; VOLT_ERR_FORMAT
 * for a file that is truncated, damaged, foreign, from a later version or of another model. */
VOLT_API volt_status volt_live_load(const volt_model *model, const volt_live_options *options, const char *path,
                                    volt_live **live);

#ifdef __cplusplus
}
#endif
#endif
