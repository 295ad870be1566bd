/* volterra/learner.h: go on fitting where a model stopped, row by row. */
#ifndef VOLTERRA_LEARNER_H
#define VOLTERRA_LEARNER_H

#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A learner goes on fitting where a model stopped: rows come one at a time, each is forecast before it is learned, and
 * after every one the readout is that of a fit on the rows that are learned, to rounding, at O(n^2) a row. Scales, M, the
 * kernel and alpha stay the model's. Outputs for which the kernel plays no part (alpha is INFINITY) are the mean of the
 * targets in the window, or the naive forecast where the model's are. Entries of the kernel see all rows before them, also
 * those that have left the window or were never learned.
 *
 *     volt_learner_create(model, &options, &learner);
 *     for each row:  volt_learner_push(learner, x, forecast), then, once it is known, volt_learner_learn(learner, y)
 *     volt_learner_free(learner);
 *
 * Where outputs come back beside the inputs (feedback_weight) the targets do, and of a row without one its forecast. The
 * model must outlive the learner. */
typedef struct volt_learner volt_learner;

/* What fades with forget < 1. Kernels that have no part b_0 in common to all entries (all but volterra with lifts that are 1 at
 * a zero input, and sums that hold it) fade in the same way with both. */
typedef enum volt_forget_what {
    VOLT_FORGET_DYNAMICS, /* b_0 + (K_ij - b_0) phi^{|i-j|/2}: how inputs act drifts, the level does not */
    VOLT_FORGET_ALL       /* K_ij phi^{|i-j|/2}: the level drifts as well */
} volt_forget_what;

typedef struct volt_learner_options {
    size_t struct_size;
    /* rows that are learned at a time, at most: a new one puts out the oldest; 0 (default): all */
    int64_t window;
    /* phi in (0, 1]: the kernel of rows i and j fades by phi^{|i-j|/2}; 1 (default): nothing fades */
    double forget;
    volt_forget_what forget_what; /* VOLT_FORGET_ALL */
    volt_beyond beyond;
    volt_progress progress; /* of volt_learner_create */
} volt_learner_options;
VOLT_API volt_learner_options volt_learner_options_default(void);

/* With the last `window` rows that the model was fitted on, or all. Their targets are taken back from its coefficients,
 * y = (K + alpha I) A + c, and their factor is made: as long as a fit of them, and the memory of one. VOLT_ERR_ARGUMENT
 * where the kernel is centred and there is no intercept, or where the model was fitted with another loss than squares, or
 * with weights. */
VOLT_API volt_status volt_learner_create(const volt_model *model, const volt_learner_options *options,
                                         volt_learner **learner);
VOLT_API void volt_learner_free(volt_learner *learner);

/* The next row x (d numbers) in, its forecast y (q numbers) out. A row that is refused leaves the learner as it was;
 * VOLT_ERR_NOT_FINITE when the forecast is too large for a double: the row is in. */
VOLT_API volt_status volt_learner_push(volt_learner *learner, const double *x, double *y);
/* Learn the target y (q numbers) of the row that was pushed last: what stands in that row of Y in a fit. Without it the
 * row only feeds the past, and is kept for that until the rows of the window before it have left. VOLT_ERR_ARGUMENT when there is no such row or it is learned, VOLT_ERR_NOT_FINITE,
 * VOLT_ERR_SINGULAR when it brings nothing new to rounding; the learner is as it was. */
VOLT_API volt_status volt_learner_learn(volt_learner *learner, const double *y);
/* Both; y is checked first, so that a pair that is not finite changes nothing. `forecast` may be NULL.
 * VOLT_ERR_SINGULAR: the row is in, and was forecast, but it is not learned. */
VOLT_API volt_status volt_learner_update(volt_learner *learner, const double *x, const double *y,
                                         double *forecast);
/* Rows in the order of time, where a model forecasts `ahead` rows ahead: y (q numbers) is what became known with x. It is the
 * target of the row that was pushed `ahead` rows before x, which is learned; then x is pushed, and its forecast (may be NULL)
 * is that of `ahead` rows later. Where no such row waits (it is a training row, lies before a restart, or it or a row after it is
 * learned), or a number of y is NaN, nothing is learned. With ahead 0 it is volt_learner_update. Status as there. */
VOLT_API volt_status volt_learner_advance(volt_learner *learner, const double *x, const double *y,
                                          double *forecast);
/* Drop the oldest `count` rows of the window. VOLT_ERR_ARGUMENT when there are not so many. */
VOLT_API volt_status volt_learner_drop(volt_learner *learner, int64_t count);
/* Another record begins, after a zero past. What was learned stays. */
VOLT_API volt_status volt_learner_restart(volt_learner *learner);

/* Forecasts for rows X (h x d) that follow, into `out` (h x q), without learning: the learner stays where it is. *beyond
 * (may be NULL) counts rows beyond the ball. */
VOLT_API volt_status volt_learner_predict(const volt_learner *learner, volt_view X, volt_matrix out,
                                          int64_t *beyond);

typedef struct volt_learner_info {
    size_t struct_size;           /* set by the caller */
    int64_t rows;                 /* in the window now ... */
    int64_t window;               /* ... and at most; 0: all */
    double forget;                /* phi ... */
    volt_forget_what forget_what; /* ... and what fades with it */
    int64_t pushed;               /* since the model ended ... */
    int64_t learned;              /* ... and of these, learned */
    int64_t beyond;               /* of these, beyond the ball of training */
    double condition;   /* a lower bound of the condition number of K + alpha I, the largest of all alphas */
    int64_t events;     /* pushes, targets, drops and restarts: what a journal counts */
    const double *last; /* d: the last input that was taken; NULL: none yet. Valid until the learner changes */
    const double *coverages; /* n_coverages: of the intervals that are kept; NULL: none are */
    int64_t n_coverages;
} volt_learner_info;
VOLT_API volt_status volt_learner_get_info(const volt_learner *learner, volt_learner_info *info);

/* The coefficients A (rows x q) and intercepts c (q numbers) on scaled targets, of the rows of the window, the oldest
 * first; number t[i] (rows numbers, may be NULL) is that of row i, training rows counted from 0. */
VOLT_API volt_status volt_learner_coefficients(const volt_learner *learner, volt_matrix A, double *c,
                                               int64_t *t);

/* Fits a model on all rows learned so far. Kernel, scales, alphas, kinds of target and shares are those of the model that the
 * learner was created from; coefficients, errors (for intervals) and, with keep_factor, the factor (for standard deviations)
 * are those of all rows. Predictions of the new model are those of volt_learner_predict, to rounding. The rows after the
 * last target, `ahead` of them, are not part of it: give them to it as the rows that follow. Costs O(n^3), like a fit. The
 * learner is unchanged. VOLT_ERR_ARGUMENT unless the learner has window 0 and forget 1, or when it was loaded from a file
 * without the rows pushed so far (written by version 1.0). Free the model with volt_model_free. */
VOLT_API volt_status volt_learner_model(const volt_learner *learner, int keep_factor, volt_progress progress,
                                        volt_model **model);

/* Tracks adaptive intervals (volt_stream_track) of the predictions from now on. Every target that is learned updates them.
 * A second call starts anew. VOLT_ERR_ARGUMENT when a journal is open. */
VOLT_API volt_status volt_learner_track(volt_learner *learner, const double *coverages, int64_t count);
/* Half-widths about the last prediction, as of when it was made (coverages x q numbers; INFINITY: no bound).
 * VOLT_ERR_ARGUMENT when nothing is tracked. */
VOLT_API volt_status volt_learner_interval(const volt_learner *learner, double *half);

/* The moment of a learner as a safetensors file, replaced as a whole or not at all, and a learner that goes on from
 * there, to the last bit. VOLT_ERR_IO, saving also when another owner has locked the file; VOLT_ERR_FORMAT as for volt_stream_load. Loading, `window`, `forget` and
 * `forget_what` are the file's, and options may be NULL. */
VOLT_API volt_status volt_learner_save(const volt_learner *learner, const char *path);
VOLT_API volt_status volt_learner_load(const volt_model *model, const volt_learner_options *options,
                                       const char *path, volt_learner **learner);
/* As volt_stream_hold. */
VOLT_API void volt_learner_hold(volt_learner *learner, struct volt_state_lock *lock);

/* Keep a journal: what the file holds and the learner has not seen is done first, and *replayed (may be NULL) counts it;
 * from then on everything that changes the learner is appended to the file, and on the disk before the call returns. A
 * last line that was cut short is dropped. VOLT_ERR_IO, also when another process keeps the file; VOLT_ERR_FORMAT for one
 * that is damaged, of another model, or begins after the learner's moment; the learner can only be freed then. After a
 * VOLT_ERR_IO of push, learn, drop or
 * restart the learner is ahead of its journal, and takes nothing more until volt_learner_clear_journal. */
VOLT_API volt_status volt_learner_open_journal(volt_learner *learner, const char *path, int64_t *replayed);
/* Empty the journal: all of it is in a file that volt_learner_save wrote. */
VOLT_API volt_status volt_learner_clear_journal(volt_learner *learner);

#ifdef __cplusplus
}
#endif
#endif
