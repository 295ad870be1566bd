/* volterra/model.h: fit a model on one sequence of inputs and targets, and predict with it.
 *
 * A model stores the scaled training inputs, the coefficients of the readout and the state at the end of training.
 * Predictions continue from that state: in one call (predict), with outputs fed back as inputs (continue), or row by row
 * (volterra/live.h). A model never changes. */
#ifndef VOLTERRA_MODEL_H
#define VOLTERRA_MODEL_H

#include "volterra/base.h"
#include "volterra/io.h"
#include "volterra/kernel.h"
#include "volterra/solve.h"
#include "volterra/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_model volt_model;

/* ---- fit -------------------------------------------------------------------------------------- */

/* Form in which a target is learned. Predictions are always levels. */
typedef enum volt_target {
    VOLT_TARGET_LEVEL,  /* y_{t+ahead} */
    VOLT_TARGET_CHANGE, /* y_{t+ahead} - y_t */
    /* level if alpha is given. Otherwise, if every target is an input and ahead >= 1, the change, unless the level is
     * clearly better on held-out rows */
    VOLT_TARGET_AUTO
} volt_target;

/* Form in which the kernel receives the inputs. */
typedef enum volt_input {
    VOLT_INPUT_LEVEL,  /* x_t */
    VOLT_INPUT_CHANGE, /* x_t - x_{t-1}, and with a season S the value one season before the target */
    VOLT_INPUT_BOTH,   /* levels and changes */
    /* level if alpha is given. Otherwise both if every target is an input and ahead >= 1, else level */
    VOLT_INPUT_AUTO
} volt_input;

enum { VOLT_SEASON_AUTO = -1 };

/* Choice of the landmarks. */
typedef enum volt_landmarks {
    VOLT_LANDMARKS_SPREAD, /* runs of 32 rows, spread over all rows */
    VOLT_LANDMARKS_LAST,   /* the last rows: the cheapest to stream */
    VOLT_LANDMARKS_RANDOM  /* single rows, uniformly at random */
} volt_landmarks;

/* As volt_fit_options.landmarks: the number is chosen. Trials with nested sets of 2048, 4096, ... landmarks continue while
 * twice as many reduce the held-out RMSE by 1 % or more. Limits are 65536 landmarks, the rows, memory, and an estimated time
 * of 60 seconds for the next trial. The fit then uses the least of the last number, its half, its quarter, ... whose error is
 * within 1 % of that of the last number. For pcg the number minimises the estimated operations of the preconditioner and the
 * iterations. The model is the same as with this number given; volt_fit_report has the reason. */
enum { VOLT_LANDMARKS_AUTO = -1 };

/* Notes stored with the model, each optional. They do not affect predictions. */
typedef struct volt_model_notes {
    const char *time_end;       /* time of the last row of X: "2019-04-09 12:30" */
    const char *time_target;    /* time of the last row of Y, in the same form */
    const char *time_step;      /* time between rows: "3600 s", "86400 s except Sat Sun" or "1 month" */
    const char *calendar;       /* calendar columns (volt_calendar_columns) that are the last inputs ... */
    const char *calendar_scale; /* ... and their scale */
    const char *first_rows;     /* digest of the first rows of X; NULL in options: volt_model_fit computes it */
    const char *horizons;       /* "1..24": horizons of the outputs, if they differ */
    const char *target_ndim;    /* "1": the targets were a vector; "2": a matrix */
} volt_model_notes;

/* The inputs before the first row of a record: constant. The state starts where it is stationary for this input.
 * Fed-back outputs: see volt_fit_options.initial. */
typedef enum volt_initial {
    VOLT_INITIAL_ZERO, /* 0 in the units of the kernel: the mean of the training inputs if they are scaled and shifted */
    VOLT_INITIAL_FIRST, /* the first row of the record */
    VOLT_INITIAL_MEAN,  /* the mean of the training inputs */
    VOLT_INITIAL_VALUES /* given values */
} volt_initial;

typedef struct volt_fit_options {
    size_t struct_size;
    /* -- readout -- */
    /* regularisation, > 0; 0 (default): chosen on held-out rows, see volt_fit_report */
    double alpha;
    /* (optional) a good alpha of a similar fit: with alpha 0, candidates near it are tried first, and others as long as the
     * errors decrease. Saves time. 0 (default): all candidates are tried */
    double alpha_start;
    int intercept; /* default: 1 [flag] */
    int scale;     /* 1 (default): inputs (x - mean) / max |x - mean|, targets (y - mean) / sd; 0: no scaling */
    /* (optional) text of a loss (volterra/solve.h); NULL: squares. The loss determines the outputs: one for each level and
     * target (target k, level j: k levels + j), or one for each class. alpha 0: chosen by the loss on held-out rows; the
     * target is then the change where possible, otherwise the level */
    const char *loss;
    /* with a loss: bound of the duality gap relative to the objective; with the solver pcg: bound of the residual relative
     * to the targets less their mean. 0 (default): 1e-6, and 1e-4 for pcg */
    double tolerance;
    /* (optional) numbers >= 0 that multiply the loss of each row. A row with weight 0 is not fitted: its inputs still
     * enter the state, its target is ignored [array n] */
    const double *weights;
    /* (optional) names: Y contains their numbers, from 0 [array n_classes] */
    const char *const *classes;
    int64_t n_classes; /* 0 (default): the classes are the distinct values of Y in increasing order */

    /* -- rows -- */
    /* leading rows of every record that initialise the state but are excluded from the fit (default: 0) */
    int64_t washout;
    /* (optional) lengths: the rows are consecutive sequences of these lengths, each from the initial
     * state [array n_records] */
    const int64_t *records;
    int64_t n_records;   /* 0 (default): one sequence */
    int missing_targets; /* 1: rows with a NaN target enter the state but are not fitted; 0: an error */

    /* -- inputs and targets -- */
    volt_target target; /* default: VOLT_TARGET_AUTO */
    volt_input input;   /* default: VOLT_INPUT_AUTO */
    /* (optional) target k is input anchors[k], `ahead` rows later; -1: not an input [array q] */
    const int64_t *anchors;
    /* stored in the model: row t of Y is this many steps after row t of X, 0 to 1,000,000 (default: 0) */
    int64_t ahead;
    /* season in rows, at least 2; 0: none; VOLT_SEASON_AUTO (default): estimated from the targets */
    int64_t season;
    /* number of last inputs (such as the hour of the day) that are always levels, whatever `input` is (default: 0) */
    int64_t passthrough_columns;
    /* with alpha given and target change: keep the naive forecast unless the fit is better on held-out rows (default: 0).
     * No effect for a centred kernel without an intercept, which has no held-out errors [flag] */
    int guarded;

    /* -- feedback -- */
    /* stored: the outputs are the inputs one step later, as volt_model_continue requires [flag] */
    int feedback;
    /* > 0: outputs are fed back as additional inputs. The kernel receives (x_t, weight v_{t-1}), where v are the targets
     * in the form used by the solver, 0 before the first row of a record; ahead must be 0. 0 (default): no feedback */
    double feedback_weight;

    /* -- solver -- */
    /* (optional) text of a solver (volt_solver_at). "exact": the Gram matrix is stored and factored, n^2 numbers.
     * "nystrom": approximate, a readout of m landmarks from sums over all rows, m^2 numbers. "features": exact, sums over the
     * states of reservoirs, for kernels with explicit states. "pcg": exact to a tolerance, without the Gram matrix: conjugate
     * gradients, preconditioned with m landmarks, n m numbers. "auto" or NULL (default): exact if it fits in memory
     * and is fast enough, features if available, otherwise nystrom */
    const char *solver;
    /* landmarks of nystrom and pcg, at most the rows after the washout; 0 (default): 2000, for pcg 12.7 times the square root
     * of the number of rows; VOLT_LANDMARKS_AUTO: chosen */
    int64_t landmarks;
    volt_landmarks landmark_choice; /* default: VOLT_LANDMARKS_SPREAD */
    /* maximum number of iterations of pcg; 0 (default): 1000. Without convergence a warning with the residual is logged */
    int64_t iterations;
    /* (optional) checkpoint file of pcg, replaced atomically every `checkpoint_seconds`, at the end, and on cancellation. An
     * existing file is resumed, with the same result. The fit does not remove the file. VOLT_ERR_FORMAT if it is damaged or
     * belongs to another fit; VOLT_ERR_IO if it cannot be written at the start. Later write errors are warnings */
    const char *checkpoint;
    double checkpoint_seconds; /* default: 60; 0: after every iteration */
    int keep_factor; /* 1: keep the factor of the Gram matrix in the model, for volt_predict_options.std (default: 0) */

    /* -- metadata -- */
    const char *const *input_names;  /* (optional) names, stored in the model [array d] */
    const char *const *output_names; /* (optional) names [array q] */
    volt_model_notes notes;          /* stored in the model */
    /* (optional) n_times times of all rows that X and Y come from: the last target is the last of them, and the last input is
     * `ahead` rows earlier. Stored as notes, in place of time_end, time_target and time_step [array n_times] */
    const volt_time *times;
    int64_t n_times;
    /* (optional) rows x d: inputs after the last row of X, whose targets are not known yet. Stored in the model;
     * predictions do not depend on them */
    volt_view pending;
    volt_progress progress;
    /* inputs before the first row of every record, in fits, predictions and streams (default: VOLT_INITIAL_ZERO). With a
     * feedback weight only ZERO and FIRST are supported. With FIRST, the output before the first row is the first known output
     * of the record, otherwise the stationary output for the first input */
    volt_initial initial;
    const double *initial_values; /* numbers for VOLT_INITIAL_VALUES, in the units of X [array d] */
    /* 1: every column of the inputs is divided by its standard deviation before the common scale, so that the fit does not
     * depend on the unit of an input; constant columns are dropped. Requires scale. 0 (default): one scale for all inputs */
    int scale_each;
} volt_fit_options;
VOLT_API volt_fit_options volt_fit_options_default(void);

/* Fits a model on n rows of inputs X (n x d) and targets Y (n x q). `fitted` (n x outputs, data may be NULL) receives the
 * fitted values in the units of Y. The number of outputs is q, or determined by the loss. VOLT_ERR_ARGUMENT for an option,
 * VOLT_ERR_KERNEL, VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE (the message names row and column), VOLT_ERR_DATA for rows that cannot
 * be learned from, VOLT_ERR_SINGULAR if alpha is too small for the matrix, VOLT_ERR_MEMORY, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_model_fit(const volt_kernel *kernel, volt_view X, volt_view Y,
                                    const volt_fit_options *options, volt_matrix fitted, volt_model **model);
VOLT_API void volt_model_free(volt_model *model);

/* Matrices that a fit with these options learns from, for searches and comparisons: the columns passed to the kernel, the
 * targets, and the base to add to predictions to obtain levels. If the target is automatic and a change can be learned, it is
 * the change. Columns, and an automatic season, are learned from the first learn_rows rows; later rows are clipped to their
 * range. washout, intercept, names, progress and the value of a given alpha are ignored; columns for feedback_weight are added
 * by the search. Read the fields, do not change them. */
typedef struct volt_prepared {
    size_t struct_size;
    volt_view X;    /* n x columns; for level inputs and targets without scale_each, the X of the call */
    volt_view Y;    /* n x q; the same */
    volt_view base; /* n x q; no data: the targets are levels */
    volt_target target;
    volt_input input;
    int64_t season;
    int guarded; /* 1: fit the best candidate with volt_fit_options.guarded */
    /* the initial input as columns of X, for volt_search_options: ZERO, FIRST or VALUES ... */
    volt_initial initial;
    const double *initial_values; /* ... and X.cols numbers for VALUES [array d] */
} volt_prepared;
/* X and Y must outlive *prepared. Fails as volt_model_fit does. */
VOLT_API volt_status volt_prepare(volt_view X, volt_view Y, const volt_fit_options *options, int64_t learn_rows,
                                  volt_prepared **prepared);
VOLT_API void volt_prepared_free(volt_prepared *prepared);

/* Errors on held-out rows: the second half of the rows, at most 2048. If the past of a target is an input (anchors,
 * feedback), each row is predicted from all rows whose targets were known `ahead` rows before. Otherwise the rows are divided
 * into blocks, and each block is predicted from the rows known before its first row, as in use: predictions continue from
 * inputs only. The solvers nystrom and pcg, and features above 2048 rows, have a single block. A fit with the chosen alpha
 * given has the same errors. */
typedef struct volt_fit_report {
    size_t struct_size;
    int64_t rows;            /* number of held-out rows; 0: too few rows, and the other fields are unknown */
    int64_t first;           /* index of the first of them in X */
    double heldout_r2;       /* R2 of the model for levels, mean over outputs */
    double naive_r2;         /* R2 of the naive forecast; NaN if the targets are not inputs */
    int64_t alphas;          /* number of alphas tried; 0: alpha was given */
    const double *mse;       /* in the units of the targets: mean squared error of the model ... [array q] */
    const double *best_mse;  /* ... of the best fit tried ... [array q] */
    const double *naive_mse; /* ... of the naive forecast (NaN: not available) [array q] */
    const double *share;     /* 1: fit; 0: naive forecast; 1/2: mean of the two [array q] */
    /* log evidence of the kernel and alpha (volt_evidence) on all fitted rows, for the targets as learned, levels or
     * changes; NaN if an output is not a pure kernel fit */
    double log_likelihood;
    /* in the units of the targets; NULL: unknown. Leave-one-out mean squared errors of the last rows (at most 2048), NaN
     * for outputs without a kernel part ... [array q] */
    const double *loo_mse;
    const double *gcv; /* ... and generalised cross-validation over all rows [array q] */
    int64_t loo_rows;
    const char *solver; /* name of the solver used */
    int64_t iterations; /* iterations of an iterative solver ... */
    /* ... and its residual relative to the targets less their mean, the largest of all outputs; NaN: another solver */
    double residual;
    int64_t landmarks; /* landmarks of the readout or of the preconditioner; 0: none */
    /* square roots of mse, best_mse and naive_mse, valid also if the squares overflow or underflow [array q] */
    const double *rmse, *best_rmse, *naive_rmse;
    const double *loo_rmse, *gcv_rmse; /* the same for loo_mse and gcv; NULL: unknown [array q] */
    /* blocks of held-out rows, each predicted by one fit of the rows before it; 0: every row from all rows known
     * then [count] */
    int blocks;
    /* alpha of the best fit tried; infinite: a constant; NaN: alpha was given [array q] */
    const double *best_alpha;
    /* in the units of the targets: norm of the fitted functional in the space of the kernel, without its constant; 0 if
     * the kernel is not used. With pcg to its tolerance; NaN with a loss [array q] */
    const double *rkhs_norm;
    /* effective dimension tr K (K + alpha I)^-1 of the fitted rows, with K centred if the output has an intercept; 0 if
     * the kernel is not used. With landmarks, of the kernel of the landmarks. NaN with pcg and with a loss ...
     * [array q] */
    const double *effective_dimension;
    /* ... and its standard error: 0 up to 1024 rows and for features and landmarks, which compute the trace; above, it is
     * estimated with 64 vectors of random signs [array q] */
    const double *dimension_error;
    /* in the units of the targets: noise level, sqrt(sum of squared residuals / (rows - 1 - effective_dimension)), rows
     * without an intercept; NaN if the dimension is unknown or an output is not a pure kernel fit [array q] */
    const double *noise;
    /* VOLT_LANDMARKS_AUTO: the largest number of landmarks tried (0: the number was given), the relative reduction of the
     * held-out RMSE from the chosen number to that (NaN: pcg, or unknown), and the reason, static (NULL: was given) */
    int64_t landmarks_tried;
    double landmarks_gain;
    const char *landmarks_why;
    /* devices of the solver: "cpu", "gpu:0", "gpu:0,1", ...; in an MPI job those of the first process, and the number of
     * processes. NULL: unknown */
    const char *device;
} volt_fit_report;

/* Targets that the members of a sum were fitted on. The prediction of the sum does not depend on it; known outputs do. */
typedef enum volt_sum_kind {
    VOLT_SUM_AVERAGE, /* every member: the targets */
    VOLT_SUM_RESIDUAL /* the first member: the targets; the others: the residual of the weighted members before them */
} volt_sum_kind;

/* Properties of a model. Strings and arrays belong to the model. */
typedef struct volt_model_info {
    size_t struct_size; /* set by the caller */
    int64_t n, d, q;    /* training rows, inputs, outputs */
    const char *kernel; /* kernel text */
    /* properties of the kernel on the ball of the training inputs; NULL: a sum [struct] */
    const volt_kernel_facts *facts;
    double alpha; /* of the first output */
    double rcond; /* estimated reciprocal condition number of K + alpha I; NaN: unknown */
    int64_t washout, ahead;
    int intercept, scaled, feedback; /* [flag] */
    const char *const *input_names;  /* NULL: none [array d] */
    const char *const *output_names; /* NULL: none [array q] */
    /* kernel_rows x q on scaled targets; rows of the washout are zero [array kernel_rows, q] */
    const double *coefficients;
    const double *intercepts;  /* on scaled targets [array q] */
    const double *input_shift; /* a row x becomes (x - shift) * input_scale [array columns] */
    double input_scale;
    const double *target_mean, *target_scale; /* a scaled output v becomes mean + scale * v [array q] */
    /* columns passed to the kernel, the length of input_shift; d for level inputs without scale_each */
    int64_t columns;
    int64_t season;   /* season used in the columns; 0: none */
    volt_input input; /* not AUTO */
    /* input whose present value is added to the output; -1: none, it is a level [array q] */
    const int64_t *anchors;
    const double *alphas; /* alpha of each output; alpha is the first. INFINITY: no kernel part [array q] */
    const volt_fit_report *report; /* NULL: the model was read from a file [struct] */
    volt_model_notes notes;
    /* lengths; NULL: one sequence. Predictions continue the last record [array n_records] */
    const int64_t *records;
    int64_t n_records;
    double feedback_weight; /* weight of the outputs fed back, whose columns follow the inputs; 0: none */
    const char *loss;       /* text of the loss; NULL: squares */
    double objective;       /* sum of the losses + alpha / 2 |f|^2, in the units of the solver ... */
    double duality_gap;     /* ... and an upper bound of its distance from the minimum; both 0 for squares */
    double tolerance;       /* requested duality gap, relative to the objective */
    /* texts: output k is the probability of class k; NULL: none [array n_classes] */
    const char *const *classes;
    int64_t n_classes;
    int keeps_factor;    /* 1: volt_predict_options.std is supported [json keep_factor] */
    int64_t landmarks;   /* landmarks of the readout; 0: all training rows */
    int64_t kernel_rows; /* rows of coefficients: n, or with landmarks these and the rows before them */
    /* inputs after the last training row that were known at the fit; rows 0: none stored. Feed them first, or put them
     * before X, to predict later rows. With feedback: the last training target */
    volt_view pending;
    volt_training_times times; /* by the notes */
    int64_t expansion_inputs;  /* inputs of volt_model_explain: d, and with a feedback weight the q outputs */
    /* n_members models of a sum (volt_model_sum), owned by it; NULL: a fitted model */
    const volt_model *const *members;
    const double *member_weights; /* [array n_members] */
    int64_t n_members;
    volt_sum_kind sum_kind;
    volt_initial initial; /* inputs before the first row of a record ... */
    /* ... numbers for VOLT_INITIAL_MEAN and VOLT_INITIAL_VALUES; else NULL [array d] */
    const double *initial_values;
    int scale_each;      /* 1: fitted with volt_fit_options.scale_each */
    const char *library; /* version of the library that wrote the file, or fitted the model */
} volt_model_info;
VOLT_API volt_status volt_model_get_info(const volt_model *model, volt_model_info *info);
/* Returns 1 if X begins with the first training rows of the model, by the digest in its notes; 0 otherwise, or if the model
 * has none because these rows were fewer than 3 or all equal. */
VOLT_API int volt_model_begins(const volt_model_info *info, volt_view X);

/* ---- prediction ------------------------------------------------------------------------------- */

typedef enum volt_start {
    VOLT_START_CONTINUE, /* the inputs follow the training rows */
    VOLT_START_RESET,    /* the inputs are a new sequence, from the initial state (volt_fit_options.initial) */
    /* volt_model_continue only: */
    VOLT_START_AT_TARGET,   /* the first input is the last training target */
    VOLT_START_AFTER_TARGET /* the first input is the row after the last training target */
} volt_start;

/* Treatment of an input whose scaled norm exceeds M, the largest norm in training. */
typedef enum volt_beyond {
    VOLT_BEYOND_CLIP,  /* project it onto the ball and count it; kernels without a bound use it unchanged */
    VOLT_BEYOND_ERROR, /* VOLT_ERR_DOMAIN; the message names the row, its norm and M */
    VOLT_BEYOND_ALLOW  /* use it unchanged while lambda^2 kappa < 1, otherwise VOLT_ERR_DOMAIN */
} volt_beyond;

/* Warnings of volt_model_predict. */
enum { VOLT_PREDICT_TEXT = 320 };
typedef struct volt_predict_warning {
    volt_warning_code code;
    int64_t row;                  /* first row concerned, from 0 */
    int64_t rows;                 /* number of rows concerned */
    int64_t column;               /* output or input concerned, from 0 */
    double value;                 /* its value in that row */
    char text[VOLT_PREDICT_TEXT]; /* one sentence; rows and columns are counted from 1 */
} volt_predict_warning;

typedef struct volt_predict_report {
    size_t struct_size; /* set by the caller */
    int64_t n_warnings;
    volt_predict_warning warnings[4]; /* [array n_warnings] */
} volt_predict_report;

typedef struct volt_predict_options {
    size_t struct_size;
    volt_start start;   /* default: VOLT_START_CONTINUE */
    volt_beyond beyond; /* default: VOLT_BEYOND_CLIP */
    /* (optional) volt_model_predict: n_records lengths of consecutive records in X. `start` applies to the first record;
     * the others start from the initial state [array n_records] */
    const int64_t *records;
    int64_t n_records; /* 0 (default): one sequence */
    /* (optional) volt_model_predict of a model with a feedback weight: h x q measured outputs for the rows of X ... */
    volt_view known;
    /* ... which replace the model's outputs in the feedback for the first `warm_up` rows of every record; 0 (default):
     * all rows. Outputs that are not fed back may be NaN */
    int64_t warm_up;
    int64_t paths; /* volt_model_continue: number of noisy paths; 0 (default): one path without noise */
    uint64_t seed; /* seed of the paths (default: 0) */
    /* (optional) volt_model_predict: h x q, receives the predictive standard deviation of a new observation in the units of
     * the targets: s sqrt(latent variance + alpha) of the Gaussian process, including the uncertainty of the intercept, where
     * s^2 is the mean of e_t^2 / v_t over the training rows. The standard deviation increases with the distance from the
     * training inputs. O(n^2) per row. VOLT_ERR_ARGUMENT unless the model keeps its factor; VOLT_ERR_DATA if no training row
     * has an error */
    volt_matrix std;
    volt_progress progress;
    /* (optional) volt_model_predict: receives the warnings; NULL (default): they are logged [other] */
    volt_predict_report *report;
} volt_predict_options;
VOLT_API volt_predict_options volt_predict_options_default(void);

/* Adds to `warning` (all zero before the first call) the rows of X (h x d) in which an input is below the smallest or above the
 * largest training value by more than 10 % of its range. warning->rows counts them (0: none); row, column and text describe
 * the first. `row` is the index of the first row of X. Models that learn from changes, which clip each column, and models from
 * older files have no range, and no row is counted. volt_model_predict adds this warning to options->report. VOLT_ERR_SHAPE. */
VOLT_API volt_status volt_model_check_range(const volt_model *model, volt_view X, int64_t row,
                                            volt_predict_warning *warning);

/* Predicts the rows of X (h x d) into `out` (h x q). *beyond (may be NULL) counts the rows that were clipped or allowed.
 *
 * A model with a feedback weight is simulated: its outputs are fed back one row later, except those in `known`. With
 * VOLT_START_CONTINUE the first row receives the last training target (VOLT_ERR_ARGUMENT if it was missing). Other records
 * start without a previous output. Unless `known` is given, the mean of the training targets (0 without scaling) takes its
 * place, or with VOLT_INITIAL_FIRST the stationary output for the first input, with VOLT_WARNING_NO_FIRST_OUTPUT.
 *
 * Outputs of a simulation are bounded to the range of the training targets plus 4.5 ranges on either side. A bounded output is
 * written and fed back, with VOLT_WARNING_RUN_BOUNDED for the first such row. With VOLT_BEYOND_ERROR it is
 * VOLT_ERR_NOT_FINITE; the message names the row. Constant targets have no bound. */
VOLT_API volt_status volt_model_predict(const volt_model *model, volt_view X,
                                        const volt_predict_options *options, volt_matrix out, int64_t *beyond);

/* Feeds the model its own outputs for out.rows steps. The rows of X (h x d, data may be NULL) are fed first, and out[0] follows
 * the last of them; without rows the first input is the last training target. options->start defines the first row of X:
 *
 * - VOLT_START_AT_TARGET: the last training target, which is the row after the last training input. Its value in X is used.
 * - VOLT_START_AFTER_TARGET: the row after the last training target, which is fed before X.
 * - VOLT_START_CONTINUE: decided by value. A first row equal to the last training target is taken as that target, with a
 *   warning in the log, as it could be a new row with the same value. Any other row is the next one.
 * - VOLT_START_RESET: the first row of a new sequence.
 *
 * *beyond (may be NULL) counts rows of X too.
 *
 * With options->paths > 0, out contains that number of noisy paths, each out.rows / paths steps long. Every output is the
 * prediction plus the error of a training row, and is fed back; the training rows are drawn at random in runs. Path p depends
 * on the seed but not on the number of paths. Bands from such paths are valid if errors are as in training, and only inside the
 * ball of training.
 *
 * VOLT_ERR_ARGUMENT unless the model was fitted with feedback. VOLT_ERR_NOT_FINITE if the path diverges. VOLT_ERR_DATA for
 * paths of a model without errors. */
VOLT_API volt_status volt_model_continue(const volt_model *model, volt_view X,
                                         const volt_predict_options *options, volt_matrix out, int64_t *beyond);

/* ---- sums of models --------------------------------------------------------------------------- */

/* Makes a model that predicts sum_i weights[i] f_i of `count` models, 1 to 1000, which may be sums up to 4 levels deep.
 * weights NULL: 1 / count each for an average, 1 each for residuals. Members have the same inputs, outputs, `ahead`, pending
 * rows and loss, and the same names where they have any (VOLT_SUM_RESIDUAL: inputs only, and squared losses). Each member has
 * its own kernel, scales, feedback and state, and feeds back its own outputs. Known outputs are fed back to every member of an
 * average; for residuals, member i receives the known outputs less the weighted outputs of the members before it.
 *
 * The members are shared, not copied: free them as usual, before or after the sum.
 *
 * volt_model_predict, volt_model_check_range, volt_model_save, volt_model_load and live objects without learning and alarms
 * support sums. Outputs of a free run are bounded member by member, and *beyond is the largest count of a member. Everything
 * else is VOLT_ERR_ARGUMENT with the name of the operation (volt_model_errors_read: 0). In volt_model_info, n and washout are
 * the largest of the members, notes and records those that all have in common, feedback_weight the largest; kernel describes
 * the sum, and everything that belongs to one kernel is 0, NaN or NULL: use `members`.
 *
 * VOLT_ERR_ARGUMENT, VOLT_ERR_SHAPE for different numbers of inputs or outputs, VOLT_ERR_NOT_FINITE for a weight,
 * VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_model_sum(const volt_model *const *models, const double *weights, int64_t count,
                                    volt_sum_kind kind, volt_model **sum);

/* ---- intervals -------------------------------------------------------------------------------- */

/* Computes half-widths of prediction intervals in the units of the targets: row c of half (count x q) is for coverages[c],
 * between 0 and 1. For each output, prediction -+ half contains that share of the observations if new errors are exchangeable
 * with the calibration errors (split conformal prediction). The calibration errors are at most 300, from the last training
 * rows; the last quarter of the rows is predicted by a model of the rows before it (docs/math.md, "Intervals"). With fewer
 * errors than p / (1 - p), normal tails are used (Student's t). VOLT_ERR_DATA with fewer than 3 errors.
 * VOLT_ERR_ARGUMENT for a coverage outside (0, 1), for a loss other than squares, and for a model without errors: from an
 * older library, or with a centred kernel without an intercept. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_model_interval(const volt_model *model, const double *coverages, int64_t count,
                                         volt_matrix half);
/* Copies the errors of the training rows, target less prediction in the units of the targets, to `out` (rows x q; without data:
 * not copied). Each row is predicted from the rows whose targets were known before it; NaN if it was not predicted. Returns the
 * number of rows: those after the washout, with landmarks at most the last 2048; 0: the model has none. Intervals use other
 * errors, those of the last quarter. */
VOLT_API int64_t volt_model_errors_read(const volt_model *model, volt_matrix out);

/* Computes the impulse response of the linear part: the change of the outputs at lags 0 .. lags - 1 per unit of each input,
 * through the kernel terms that consist only of fir, filters included. If an output is a change, the level it is added to is
 * included. `out` is q lags x d: row k lags + l is output k at lag l. The effect of a feedback weight is not included.
 * VOLT_ERR_ARGUMENT if no term consists only of fir. */
VOLT_API volt_status volt_model_impulse(const volt_model *model, int64_t lags, volt_matrix out);

/* ---- files ------------------------------------------------------------------------------------ */

/* Saves the model as a safetensors file with everything needed to predict and to stream. The file is replaced atomically.
 * On cancellation (VOLT_ERR_CANCELLED) the old file is kept. */
VOLT_API volt_status volt_model_save(const volt_model *model, const char *path, volt_progress progress);
/* Loads a model. VOLT_ERR_IO; VOLT_ERR_FORMAT for a file that is truncated, damaged, of another type or from a
 * later version. */
VOLT_API volt_status volt_model_load(const char *path, volt_model **model);

/* ---- explain: the Volterra series of a model -------------------------------------------------- */

/* A fitted model is a Volterra series of its inputs. About a constant input x0, x = x0 + delta,
 *
 *     f = g0 + sum_m <g1[m], delta_{-m}> + sum_{m1 <= m2} delta_{-m1}' g2[m1][m2] delta_{-m2} + ...
 *
 * in the units of inputs and outputs. g2 is defined for m1 <= m2; blocks of equal lags are symmetric. The same holds for
 * orders above 2. With a loss that has a link function (poisson, classes), f is the value before the link. */
enum { VOLT_EXPLAIN_ORDERS = 8 }; /* the highest order */

typedef enum volt_about {
    VOLT_ABOUT_MEAN, /* mean of the training inputs; 0 for inputs that enter only as changes */
    VOLT_ABOUT_ZERO,
    VOLT_ABOUT_POINT
} volt_about;

typedef struct volt_explain_options {
    size_t struct_size;
    int64_t lags;        /* 0 (default): until the influence of the inputs is below 0.001, at most 40 */
    int64_t order;       /* highest order, 1 to VOLT_EXPLAIN_ORDERS (default: 2) */
    volt_about about;    /* default: VOLT_ABOUT_MEAN */
    const double *point; /* VOLT_ABOUT_POINT: volt_model_info.expansion_inputs numbers [array d] */
    int band;            /* 1 (default): standard deviations of g1; factors the Gram matrix again */
    int shares;          /* 1 (default): variance shares of the orders */
    volt_view along;     /* rows for the shares, a new sequence; no data (default): the training rows */
    /* (optional) lengths of consecutive records in `along` [array n_records] */
    const int64_t *records;
    int64_t n_records;
    volt_progress progress;
} volt_explain_options;
VOLT_API volt_explain_options volt_explain_options_default(void);

/* Read the fields, do not change them. */
typedef struct volt_explanation {
    size_t struct_size;
    /* inputs and outputs; lags 0 .. lags - 1. With a feedback weight, the outputs of the previous row are additional inputs
     * after the others, and the series describes one step */
    int64_t d, q, lags, order;
    const double *about; /* the point of the expansion [array d; json point] */
    const double *g0;    /* [array q] */
    /* order p at p - 1: q x lags^p x d^p, [output][lag 1]...[input 1]..., 0 where lags decrease; NULL above
     * `order` [other] */
    const double *kernels[VOLT_EXPLAIN_ORDERS];
    /* posterior standard deviations of a Gaussian process with the model's kernel and alpha; NULL: not
     * requested, or the model was fitted with a loss or weights [array q, lags, d] */
    const double *g1_std;
    int64_t share_orders; /* number of orders with a share: max(2, order) */
    /* cov(f_p, f) / var(f) of orders 1, 2, ..., then of all higher orders; they sum to 1. NULL: not
     * requested [array q, share_orders + 1] */
    const double *shares;
    const double *variances; /* the same shape: var(f_p) / var(f) [array q, share_orders + 1] */
    const int64_t *memory; /* number of lags with 99 % of the response of g1 and g2 to white inputs [array q] */
} volt_explanation;

/* Computes the Volterra series of a model. VOLT_ERR_ARGUMENT: a kernel without a power series, lags or order out of range, a
 * kernel with too many numbers; VOLT_ERR_DOMAIN: a point outside the ball of training. options may be NULL. */
VOLT_API volt_status volt_model_explain(const volt_model *model, const volt_explain_options *options,
                                        volt_explanation **explanation);
VOLT_API void volt_explanation_free(volt_explanation *explanation);

/* Decomposes the predictions for the rows of X (h x d), a new sequence with zero initial state, by order. `out` is
 * h x q (order + 2): for every output the parts of orders 0, 1, ..., order and of all higher orders, which sum to the
 * prediction. Only the options order, about, point, records and progress are used; inputs outside the ball are clipped. */
VOLT_API volt_status volt_model_orders(const volt_model *model, volt_view X,
                                       const volt_explain_options *options, volt_matrix out);

/* Computes how a model forgets: the distance of two states (volt_gram_options.distance) that have different histories and
 * then receive the same inputs X (h x d). Both histories have at least one row, in the units of the inputs, and start from
 * the initial state of the model; inputs outside the ball of training are clipped. Row s of `out` (h + 1 x 2) receives the
 * distance after s rows of X and its bound, the distance in row 0 times (lambda sqrt(sup kappa))^s. The bound is NaN unless
 * the kernel is volterra without filters or other factors and the inputs are levels. VOLT_ERR_ARGUMENT for a feedback weight
 * or a sum of models; VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_CANCELLED. */
VOLT_API volt_status volt_model_forgetting(const volt_model *model, volt_view first, volt_view second,
                                           volt_view X, volt_progress progress, volt_matrix out);

/* ---- plan ------------------------------------------------------------------------------------- */

/* Estimated memory and time of a fit with n rows, d inputs and q outputs on this machine. kernel NULL: enough for `volterra`
 * with any lift. Times require measure != 0; the measurement takes a fifth of a second, longer for expensive kernels. */
typedef struct volt_plan {
    size_t struct_size; /* set by the caller */
    /* peak memory of volt_model_fit. On four or more threads, the choice of alpha uses up to three more matrices of at most
     * 4096 rows, if they take at most a quarter of the available memory */
    double fit_bytes;
    double model_bytes;     /* size of the model in memory and on disk */
    double available_bytes; /* 0: unknown */
    double gram_seconds, factor_seconds, stream_seconds;
    int64_t n_that_fits;   /* largest n with this d and q that fits in the available memory */
    double choose_seconds; /* additional time if alpha is not given */
    double factor_bytes;   /* additional size of both, per alpha, if the factor is kept */

    /* GPU (volt_set_device): zeros without a GPU or if the CPU was chosen; the seconds above are for the CPU. */
    /* 1: the fit runs on the GPU; fit_bytes excludes the matrix, and n_that_fits considers both memories */
    int on_device;
    double device_bytes, device_available_bytes;       /* device memory; 0: unknown */
    int64_t device_n_that_fits;                        /* 0: unknown */
    double device_gram_seconds, device_factor_seconds; /* 0: unknown */
} volt_plan;
/* Estimates a fit. solvers (may be NULL) receives the estimate of every solver (solve.h) and requires a kernel; `landmarks`
 * applies to those with landmarks (0: the default number). VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_plan_fit(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q,
                                   int64_t landmarks, int measure, volt_plan *plan, volt_solver_plans *solvers);

#ifdef __cplusplus
}
#endif
#endif
