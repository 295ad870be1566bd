/* volterra/live.h: run a model row by row: predict, learn, update intervals, detect anomalies, save the state.
 *
 *     volt_live *live = NULL;
 *     volt_live_options options = volt_live_options_default();
 *     options.learn = 1;
 *     volt_live_create(model, &options, &live);
 *     for each row:  volt_live_feed(live, x, prediction), then, once it is known, volt_live_learn(live, 0, y)
 *     volt_live_free(live);
 *
 * Without `learn` the model is not changed, at O(n (d + q)) per row. With `learn` the readout after every target equals, to
 * rounding, a fit on the rows in the window, at O(n^2) per row. Scales, M, kernel and alpha do not change. Outputs without a
 * kernel part (alpha is INFINITY) are the mean of the targets in the window, or the naive forecast if the model uses it. Rows
 * outside the window still affect the state. */
#ifndef VOLTERRA_LIVE_H
#define VOLTERRA_LIVE_H

#include "volterra/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_live volt_live;

/* Scope of forget < 1. The scopes differ only for kernels with a part b_0 common to all entries: volterra with lifts that are
 * 1 at a zero input, and sums that contain it. */
typedef enum volt_forget_what {
    VOLT_FORGET_DYNAMICS, /* b_0 + (K_ij - b_0) phi^{|i-j|/2}: the response to inputs drifts, the level does not */
    VOLT_FORGET_ALL       /* K_ij phi^{|i-j|/2}: the level drifts as well */
} volt_forget_what;

typedef struct volt_live_options {
    size_t struct_size; /* set by volt_live_options_default */
    volt_start start;   /* VOLT_START_CONTINUE (default) or VOLT_START_RESET */
    volt_beyond beyond; /* default: VOLT_BEYOND_CLIP */
    /* (optional) rows x d to feed first: the inputs that had no target at the fit (volt_model_info.pending). Ignored if a state
     * is resumed */
    volt_view pending;

    /* -- learning -- */
    int learn;      /* 1: learn the targets; 0 (default): window and forget are ignored */
    int64_t window; /* maximum number of learned rows; the oldest are dropped; 0 (default): all */
    double forget;  /* phi in (0, 1]: factor phi^{|i-j|/2} of the kernel of rows i and j; 1 (default): none */
    volt_forget_what forget_what; /* default: VOLT_FORGET_ALL */

    /* -- feedback weight, without learning -- */
    int free_run; /* 1: predictions are fed back even if targets are given (default: 0) */

    /* -- intervals -- */
    /* (optional) numbers between 0 and 1: coverages of the intervals [array n_coverages] */
    const double *coverages;
    int64_t n_coverages;

    /* -- alarms, for a model that predicts its own inputs one row ahead (volt_fit_options.ahead = feedback = 1) -- */
    double alarm_rate; /* rate of false alarms, in (0, 1); 0 (default): no detector */
    /* number of latest errors that determine the scale of a channel, at least 10 (default: 300) */
    int64_t scale_rows;

    /* -- files -- */
    /* (optional) state file of volt_live_create. An existing file is resumed. The file is locked while the object exists, with
     * flock on NAME.lock: no other process can lock it or save to it, and the lock ends with the process. Devices, pipes and
     * file systems without locks are not locked */
    const char *state;
    int lock;               /* volt_live_load: 1: lock the file in the same way (default: 0) */
    volt_progress progress; /* used by volt_live_create and volt_live_predict */
} volt_live_options;
VOLT_API volt_live_options volt_live_options_default(void);

/* Creates a live object in the state at the end of the model's training rows. The model must outlive it. With `learn` it starts
 * from the last `window` training rows: their targets are computed from the coefficients, y = (K + alpha I) A + c, and their
 * matrix is factored, with the time and memory of a fit. VOLT_ERR_ARGUMENT, with `learn` also for a centred kernel without an
 * intercept, and for a model with landmarks, a loss other than squares, or weights. A sum of models (volt_model_sum) supports
 * neither `learn` nor alarms, and its intervals start with infinite widths. VOLT_ERR_IO: the state file is locked.
 * VOLT_ERR_FORMAT: it is damaged or belongs to another model. */
VOLT_API volt_status volt_live_create(const volt_model *model, const volt_live_options *options,
                                      volt_live **live);
/* Creates an independent copy, without state file. */
VOLT_API volt_status volt_live_copy(const volt_live *source, volt_live **live);
VOLT_API void volt_live_free(volt_live *live);

/* Feeds the next row x (d numbers) and returns its prediction y (q numbers). A rejected row leaves the object unchanged.
 * VOLT_ERR_NOT_FINITE: the prediction overflowed, and the row was fed. With a feedback weight the prediction is fed back with
 * the next row, unless volt_live_learn sets the target first. Without `learn`, a prediction beyond 10 times the range of the
 * training targets is not fed back, and further rows are VOLT_ERR_NOT_FINITE. */
VOLT_API volt_status volt_live_feed(volt_live *live, const double *x, double *y);

/* Sets the target y (q numbers) of the row fed `back` rows before the last one. The target updates the intervals; with `back`
 * 0 it replaces the output that is fed back (before the first row: the output of the row before it).
 *
 * With `learn` the target is learned; `back` is 0 or ahead - 1, and rows are learned in order. A row without a target only
 * enters the state. VOLT_ERR_ARGUMENT if the row does not exist or is already learned, VOLT_ERR_NOT_FINITE, VOLT_ERR_SINGULAR
 * if the matrix becomes singular to rounding; the object is unchanged.
 *
 * Without `learn`, `back` is 0 to `ahead`, and a NaN target is unknown. A row that overflowed or precedes a restart is ignored.
 * VOLT_ERR_ARGUMENT if the object neither tracks intervals nor feeds outputs back, and before the first row of a record if a
 * member of a sum that was fitted on residuals feeds outputs back. */
VOLT_API volt_status volt_live_learn(volt_live *live, int64_t back, const double *y);

/* Feeds and learns in one call. With late 0, y is the target of x; it is checked first, so that a pair that is not finite
 * changes nothing. With late 1, y was observed with x: it is the target of the row fed `ahead` rows before x, and is learned
 * before x is predicted. Nothing is learned if that row does not exist or a target is NaN. `prediction` may be NULL.
 * VOLT_ERR_SINGULAR: the row was fed and predicted, the target was not learned. */
VOLT_API volt_status volt_live_update(volt_live *live, const double *x, int late, const double *y,
                                      double *prediction);

/* Drops the oldest `count` rows of the window. VOLT_ERR_ARGUMENT if there are fewer. */
VOLT_API volt_status volt_live_drop(volt_live *live, int64_t count);
/* Begins another record, with zero initial state. Learned rows and counters are kept. */
VOLT_API volt_status volt_live_restart(volt_live *live);

/* Predicts the following rows X (h x d) into `out` (h x q). *beyond (may be NULL) counts rows outside the ball. With advance 0
 * the object is unchanged; with 1 the rows are fed, on failure those before the failing row. Without `learn` and a feedback
 * weight, a failure changes nothing, calls with a multiple of volt_live_info.block_rows rows give bit-identical results to one
 * volt_model_predict of all rows (sums: equal to rounding), and the intervals ignore these predictions. */
VOLT_API volt_status volt_live_predict(volt_live *live, volt_view X, int advance, volt_matrix out,
                                       int64_t *beyond);

/* Returns half-widths of the intervals of the last prediction (n_coverages x q numbers; INFINITY: no bound), as computed with
 * it. The intervals adapt to the errors (adaptive conformal inference): a miss widens the next interval, a hit narrows it
 * slightly, so that the share of misses converges to 1 - coverage for any data. They start from the errors that
 * volt_model_interval uses; a model without errors starts with infinite widths. VOLT_ERR_ARGUMENT if no intervals are tracked.
 * */
VOLT_API volt_status volt_live_interval(const volt_live *live, double *half);

typedef struct volt_detection {
    size_t struct_size; /* set by the caller */
    /* largest |error| relative to the scale of its channel, 1.4826 times the median of its latest |errors|; NaN: unknown, for
     * the first row and while there are too few errors */
    double score;
    /* scores above it raise an alarm: the quantile of the latest 20 / rate scores, once there are enough for the rate (a score
     * that raised an alarm counts as at most 1.5 times its threshold); before that the quantile of an exponential tail
     * fitted to the largest tenth; INFINITY with fewer than 30 scores */
    double threshold;
    int alarm;       /* [flag] */
    int64_t channel; /* channel of the largest error; -1: no score */
} volt_detection;
/* Feeds the next row x (d numbers) of a series and compares it with its prediction. Requires options.alarm_rate. With `learn`
 * the row is learned unless it raised an alarm; a model without a kernel part in any output is not changed. `expected` (d
 * numbers, may be NULL) receives the prediction, NaN if there is none. VOLT_ERR_NOT_FINITE: the object is unchanged. */
VOLT_API volt_status volt_live_detect(volt_live *live, const double *x, double *expected,
                                      volt_detection *detection);

typedef struct volt_live_info {
    size_t struct_size; /* set by the caller */
    int learns;         /* [flag] */
    int64_t rows;       /* rows in the window; 0 without `learn` */
    int64_t window;     /* maximum; 0: all */
    double forget;
    volt_forget_what forget_what;
    int64_t rows_fed;   /* rows fed since the end of training ... */
    int64_t learned;    /* ... and those learned */
    int64_t beyond;     /* rows outside the ball of training */
    double condition;   /* lower bound of the condition number of K + alpha I, the largest over all alphas */
    int resumed;        /* 1: resumed from a state file */
    const double *last; /* the last row; NULL: none yet [array d] */
    const double *coverages; /* coverages of the intervals; NULL: none [array n_coverages] */
    int64_t n_coverages;
    int64_t block_rows; /* see volt_live_predict */
} volt_live_info;
/* Arrays belong to the object and are valid until it changes. */
VOLT_API volt_status volt_live_get_info(const volt_live *live, volt_live_info *info);

/* Copies the coefficients A (rows x q) and intercepts c (q numbers) for scaled targets, of the rows of the window in time
 * order; t[i] (rows numbers, may be NULL) is the index of row i, counted from the first training row. Requires `learn`. */
VOLT_API volt_status volt_live_coefficients(const volt_live *live, volt_matrix A, double *c, int64_t *t);

/* Fits a model on all rows learned so far, in O(n^3). Kernel, scales, alphas, forms of the targets and shares are taken from
 * the original model. Coefficients, errors (for intervals) and, with keep_factor, the factor (for standard deviations) are
 * computed from all rows. The new model predicts as volt_live_predict does, to rounding. The `ahead` rows after the last target
 * are not part of it; feed them to it first. The object is unchanged. VOLT_ERR_ARGUMENT unless it learns with window 0 and
 * forget 1, or if it was loaded from a file without the rows fed so far (written by version 1.0). Free the model with
 * volt_model_free. */
VOLT_API volt_status volt_live_model(const volt_live *live, int keep_factor, volt_progress progress,
                                     volt_model **model);

/* Saves the state, without the model, as a safetensors file that is replaced atomically. path NULL: the state file of the
 * options or of volt_live_load. VOLT_ERR_NOT_FINITE if the state has overflowed; VOLT_ERR_IO, also if the file is locked. */
VOLT_API volt_status volt_live_save(volt_live *live, const char *path);
/* Loads a state. Results are bit-identical to those of the saved object. Learning and intervals are read from the file: `learn`
 * of the options must agree (options NULL: either), and coverages are used only if the file has none. VOLT_ERR_IO;
 * VOLT_ERR_FORMAT for a file that is truncated, damaged, of another type, from a later version or of another model. */
VOLT_API volt_status volt_live_load(const volt_model *model, const volt_live_options *options, const char *path,
                                    volt_live **live);

#ifdef __cplusplus
}
#endif
#endif
