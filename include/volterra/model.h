/* volterra/model.h: fit a filter on one sequence of inputs and targets, then forecast with it.
 *
 * A model keeps the scaled training inputs, the coefficients of the readout and the state at the end of training. It
 * predicts from there: in one call (predict), fed with its own outputs (continue), or row by row (volterra/live.h). A model
 * never changes. */
#ifndef VOLTERRA_MODEL_H
#define VOLTERRA_MODEL_H

#include "volterra/base.h"
#include "volterra/kernel.h"
#include "volterra/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct volt_model volt_model;

/* ---- fit -------------------------------------------------------------------------------------- */

/* What a target is learned as. Forecasts are levels in every case. */
typedef enum volt_target {
    VOLT_TARGET_LEVEL,  /* as it is */
    VOLT_TARGET_CHANGE, /* its change from now: y_{t+ahead} - y_t */
    VOLT_TARGET_AUTO /* alpha given: level. Else, where every target is an input and ahead >= 1, the change, or the
                         * level where that is clearly better on held-out rows */
} volt_target;

/* What the kernel sees of the inputs. */
typedef enum volt_input {
    VOLT_INPUT_LEVEL,  /* x_t */
    VOLT_INPUT_CHANGE, /* x_t - x_{t-1}, and with a season S what stood there a season before the target */
    VOLT_INPUT_BOTH,   /* both */
    VOLT_INPUT_AUTO /* alpha given: level. Else both where every target is an input and ahead >= 1, or level */
} volt_input;

enum { VOLT_SEASON_AUTO = -1 };

/* Which rows are landmarks. */
typedef enum volt_landmarks {
    VOLT_LANDMARKS_SPREAD, /* runs of 32, from the first row to the last */
    VOLT_LANDMARKS_LAST,   /* the last ones, one run: the cheapest to stream */
    VOLT_LANDMARKS_RANDOM  /* single rows, each as likely as any other */
} volt_landmarks;

/* What whoever fits a model may record in it, as texts, and finds there again; forecasts take no notice of it. Each is
 * optional. */
typedef struct volt_model_notes {
    const char *time_end;    /* the time of the last row of X, as volt_time_format writes it */
    const char *time_target; /* the time of the last row of Y, in the same form */
    const char *time_step;   /* from a row to the next, as volt_time_step_format writes it */
    const char *calendar;    /* the last inputs are these columns of the calendar (volt_calendar_columns) ... */
    const char *calendar_scale; /* ... in this scale */
    const char *first_rows;     /* a digest of the first rows of X */
    const char *horizons;       /* "1..24": the outputs lie so many rows ahead, not all as many */
    const char *target_ndim;    /* "1": the targets were a vector; "2": a matrix */
} volt_model_notes;

typedef struct volt_fit_options {
    size_t struct_size;
    /* -- the readout -- */
    /* regularisation of the readout, > 0; 0 (default): chosen on held-out rows, see volt_fit_report */
    double alpha;
    int intercept; /* 1 */
    int scale;     /* 1: inputs (x - mean) / max |x - mean|, targets (y - mean) / sd; 0: as they are */
    /* (optional) text of a loss (volterra/solve.h); NULL: squares. The outputs are those of the loss: one
     * for each level and target (target k, level j: k levels + j), one for each class. alpha 0: chosen by
     * the loss on held-out rows; targets are then changes where they can be, else levels */
    const char *loss;
    /* of a loss: bounds the duality gap, relative to the objective; of the solver pcg: bounds the residual,
     * relative to the targets less their mean. 0 (default): 1e-6, and 1e-4 of pcg */
    double tolerance;
    /* (optional) n numbers at least 0 that multiply the loss of each row. A row of weight 0 is not fitted: its inputs
     * are part of the past of later rows, its target is ignored */
    const double *weights;
    const char *const *classes; /* (optional) n_classes names: Y holds their numbers, from 0 */
    int64_t n_classes;          /* 0 (default): the classes are the distinct values of Y, upwards */

    /* -- the rows -- */
    int64_t washout; /* first rows that feed the past but are not fitted, 0 */
    /* (optional) n_records lengths that make up the rows: the rows are so many sequences, one after the
     * other, each with a zero past of its own; a washout does not go with them */
    const int64_t *records;
    int64_t n_records; /* 0 (default): one sequence */
    int missing_targets; /* 1: rows in which a target is NaN feed the past and are not fitted; 0: they are refused */

    /* -- what is learned from them -- */
    volt_target target; /* VOLT_TARGET_AUTO */
    volt_input input;   /* VOLT_INPUT_AUTO */
    /* (optional) q: target k is input anchors[k], `ahead` rows later; -1: not an input */
    const int64_t *anchors;
    int64_t ahead; /* recorded in the model: row t of Y lies this many steps after row t of X, 0 */
    /* rows of a season, at least 2; 0: none; VOLT_SEASON_AUTO (default): found in the targets */
    int64_t season;
    /* so many of the last inputs (hour of the day, say) are levels whatever `input` says, 0 */
    int64_t as_they_are;
    /* alpha given, target change: keep the naive forecast unless held-out rows prefer the fit, 0. No effect for a centred
     * kernel without an intercept, which has no held-out errors */
    int guarded;

    /* -- outputs that come back -- */
    int feedback; /* recorded: the outputs are the inputs, one step later; volt_model_continue may run */
    /* above 0: outputs come back beside the inputs. The kernel sees (x_t, weight v_{t-1}), where v are the
     * targets as the solver sees them, and 0 before the first row of a record; ahead must be 0. 0 (default):
     * it sees x_t alone */
    double feedback_weight;

    /* -- how the readout is found -- */
    /* (optional) text of a solver (volt_solver_at). "exact": the Gram matrix is stored and factored, n^2 numbers.
     * "nystrom": approximate, a readout of m landmarks, from sums over all rows, m^2 numbers. "features": exact, sums over the
     * states of reservoirs, for kernels that have them. "pcg": exact to a tolerance, without the Gram matrix: conjugate
     * gradients, preconditioned with m landmarks, n m numbers. "auto" or NULL (default): exact where that fits in memory
     * and pays, by features where there are some, else nystrom */
    const char *solver;
    /* of nystrom and pcg, at most the rows after the washout; 0 (default): 2000, and of pcg 12.7 times the root of
     * the rows */
    int64_t landmarks;
    volt_landmarks landmark_choice; /* VOLT_LANDMARKS_SPREAD */
    /* of pcg: steps at most; 0 (default): 1000. Fewer than are needed: a warning with the
     * residual that was reached */
    int64_t iterations;
    /* (optional) of pcg: a file that says where it stands, replaced as a whole every so many
     * seconds and at the end, or when the fit is cancelled. Where it is there already the fit goes on from
     * it, to the same answer; it stays when the fit is done, and is the caller's to remove. VOLT_ERR_FORMAT
     * for one that is damaged or of another fit; VOLT_ERR_IO where it cannot be written to begin with. Later
     * on, no space for it is a warning, and the fit goes on */
    const char *checkpoint;
    double checkpoint_seconds; /* 60; 0: after every step */
    int keep_factor; /* 1: keep the factor of the Gram matrix in the model, for volt_predict_options.std, 0 */

    /* -- what the model records -- */
    const char *const *input_names;  /* (optional) d names, recorded in the model */
    const char *const *output_names; /* (optional) q names */
    volt_model_notes notes;          /* recorded */
    /* (optional) rows x d: inputs after the last row of X, whose targets are not known yet. Recorded in the model;
     * predictions do not depend on them */
    volt_view pending;
    volt_progress progress;
} volt_fit_options;
VOLT_API volt_fit_options volt_fit_options_default(void);

/* Fit on n rows of inputs X (n x d) and targets Y (n x q). `fitted` (n x outputs, may have data NULL) receives
 * the fitted values in the units of Y. There are q outputs, or those of the loss. */
VOLT_API volt_status volt_model_fit(const volt_kernel *kernel, volt_view X, volt_view Y,
                                    const volt_fit_options *options, volt_matrix fitted, volt_model **model);
VOLT_API void volt_model_free(volt_model *model);

/* What a fit with these options learns from, as matrices, for searches and comparisons: the columns that the kernel sees,
 * the targets, and what is added to forecasts of these to make levels. Where the options leave the target open and a
 * change can be learned, it is the change. Columns, and a season that is to be found, are learned from the first
 * learn_rows rows; those after them are held to their range. alpha, washout, intercept, names and progress do not
 * matter, but for alpha's being given; outputs that come back (feedback_weight) are no columns here: a search adds them.
 * Read the fields, do not change them. */
typedef struct volt_prepared {
    size_t struct_size;
    volt_view X;    /* n x columns; with level inputs and targets that of the call */
    volt_view Y;    /* n x q, likewise */
    volt_view base; /* n x q; no data: the targets are levels */
    volt_target target;
    volt_input input;
    int64_t season;
    int guarded; /* 1: fit the best candidate with volt_fit_options.guarded */
} volt_prepared;
VOLT_API volt_status volt_prepare(volt_view X, volt_view Y, const volt_fit_options *options, int64_t learn_rows,
                                  volt_prepared **prepared);
VOLT_API void volt_prepared_free(volt_prepared *prepared);

/* Errors of held-out rows: the later half of the rows, at most 2048. Each is predicted from all rows whose targets were known
 * `ahead` rows before; by the solvers nystrom and pcg, and by features above 2048 rows, from all rows known before the first
 * held-out row. A fit with the chosen alpha given has the same errors. */
typedef struct volt_fit_report {
    size_t struct_size;
    int64_t rows;            /* held out; 0: too few to hold any out, and nothing below is known */
    int64_t first;           /* the first of them, counted as the rows of X */
    double prequential_r2;   /* of the model as it is, mean over outputs, of levels */
    double naive_r2;         /* of "as now"; NaN where targets are not inputs */
    int64_t alphas;          /* tried; 0: alpha was given */
    const double *mse;       /* q, in the units of the targets: of the model as it is ... */
    const double *best_mse;  /* ... of the best that was tried ... */
    const double *naive_mse; /* ... of "as now" (NaN: not there) */
    const double *share;     /* q: 1: learned; 0: the naive forecast was kept; 1/2: half-way between the two */
    /* of all rows fitted: the evidence of the kernel and alpha (volt_evidence), in units of the targets as
     * they were learned, levels or changes; NaN where an output is not the kernel's alone */
    double log_likelihood;
    /* q, in the units of the targets; NULL: not known. Mean squared errors of rows that were left out of the
     * fit one by one, of the last (at most 2048), NaN where the kernel plays no part ... */
    const double *loo_mse;
    const double *gcv; /* ... and generalised cross-validation, over all rows */
    int64_t loo_rows;
    const char *solver; /* name of the one that found the readout */
    int64_t iterations; /* steps of one that iterates ... */
    /* ... and its residual, relative to the targets less their mean, the largest of all outputs; NaN:
     * another solver */
    double residual;
    int64_t landmarks; /* of the readout, or of what made the steps few; 0: none */
    /* q: roots of mse, best_mse and naive_mse, also where a square is too large or too small for a double */
    const double *rmse, *best_rmse, *naive_rmse;
    const double *loo_rmse, *gcv_rmse; /* q: the same of loo_mse and gcv; NULL: not known */
} volt_fit_report;

/* What a model is. Strings and arrays belong to the model. */
typedef struct volt_model_info {
    size_t struct_size;             /* set by the caller */
    int64_t n, d, q;                /* training rows, inputs, outputs */
    const char *kernel;             /* its text */
    const volt_kernel_facts *facts; /* the kernel on the ball of the training inputs */
    double alpha, rcond;
    int64_t washout, ahead;
    int intercept, scaled, feedback;
    const char *const *input_names;
    const char *const *output_names;
    const double *coefficients; /* kernel_rows x q on scaled targets; rows of the washout are zero */
    const double *intercepts;   /* q, on scaled targets */
    const double *input_shift;  /* columns: a row x of columns becomes (x - shift) * input_scale */
    double input_scale;
    const double *target_mean, *target_scale; /* q: a scaled output v becomes mean + scale * v */
    int64_t columns;  /* that the kernel sees; shift has as many numbers. d where inputs are levels */
    int64_t season;   /* that the columns know; 0: none */
    volt_input input; /* not AUTO */
    const int64_t
        *anchors;         /* q: the input whose present value is added to the output; -1: none, it is a level */
    const double *alphas; /* q: each output's; alpha is the first's. INFINITY: the kernel plays no part */
    const volt_fit_report *report; /* NULL: the model was read from a file */
    volt_model_notes notes;
    const int64_t *records; /* n_records lengths; NULL: one sequence. What follows, follows the last record */
    int64_t n_records;
    /* of the outputs that come back beside the inputs, which are columns behind theirs; 0: none */
    double feedback_weight;
    const char *loss;   /* its text; NULL: squares */
    double objective;   /* sum of the losses + alpha / 2 |f|^2, in the units that the solver sees ... */
    double duality_gap; /* ... which lies no more than this above the least possible; both 0 for squares */
    double tolerance;   /* what the gap was to be, relative to the objective */
    const char *const *classes; /* n_classes texts: output k is the probability of class k; NULL: none */
    int64_t n_classes;
    int keeps_factor;    /* volt_predict_options.std may be asked for */
    int64_t landmarks;   /* that the readout is of; 0: of all training rows */
    int64_t kernel_rows; /* rows of coefficients: n, or with landmarks these and the rows before them */
    /* inputs after the last training row that were known at the fit; rows 0: none were recorded. Push them, or put them
     * before X, to predict rows that follow them. With feedback the last training target */
    volt_view pending;
} volt_model_info;
VOLT_API volt_status volt_model_get_info(const volt_model *model, volt_model_info *info);

/* ---- forecast --------------------------------------------------------------------------------- */

typedef enum volt_start {
    VOLT_START_CONTINUE, /* the inputs follow the training rows */
    VOLT_START_RESET,    /* the inputs are a new sequence after a zero past */
    /* of volt_model_continue only, see there: */
    VOLT_START_AT_TARGET,   /* the first input is the last training target */
    VOLT_START_AFTER_TARGET /* the first input is the row after the last training target */
} volt_start;

/* What to do with an input whose scaled norm exceeds M, the largest of training. */
typedef enum volt_beyond {
    VOLT_BEYOND_CLIP,  /* project it to the ball, and count it; kernels that take any input leave it alone */
    VOLT_BEYOND_ERROR, /* VOLT_ERR_DOMAIN; the sentence has the row, its norm and M */
    VOLT_BEYOND_ALLOW  /* take it as it is while lambda^2 kappa stays below 1, else VOLT_ERR_DOMAIN */
} volt_beyond;

typedef struct volt_predict_options {
    size_t struct_size;
    volt_start start;
    volt_beyond beyond;
    /* (optional) volt_model_predict: n_records lengths that make up the rows of X: `start` is that of the
     * first record, and the others begin after a zero past */
    const int64_t *records;
    int64_t n_records; /* 0 (default): one sequence */
    /* (optional) volt_model_predict of a model with a feedback weight: h x q outputs that were measured, row
     * by row with X ... */
    volt_view known;
    /* ... which come back in place of the model's own for so many rows, of every record; 0 (default): for
     * all of them. What no row comes after, or comes after the warm-up, may be NaN */
    int64_t warm_up;
    int64_t paths; /* volt_model_continue: noisy paths; 0 (default): one path without noise */
    uint64_t seed; /* of the paths, 0 */
    /* (optional) volt_model_predict: h x q, receives the standard deviation of a new observation about each forecast, in
     * the units of the targets, by the Gaussian law: s sqrt(latent variance + alpha), the uncertainty of the intercept
     * included, where s^2 is the mean of e_t^2 / v_t over the training rows. It grows where inputs are unlike those of
     * training. O(n^2) a row. VOLT_ERR_ARGUMENT unless the model keeps its factor; VOLT_ERR_DATA where no training row
     * has an error */
    volt_matrix std;
    volt_progress progress;
} volt_predict_options;
VOLT_API volt_predict_options volt_predict_options_default(void);

/* Forecasts for the rows of X (h x d) into `out` (h x q). *beyond (may be NULL) counts the rows that were
 * clipped or allowed.
 *
 * A model with a feedback weight runs free: its own outputs come back, one row later, but for those that are `known`. With
 * VOLT_START_CONTINUE the first row sees the last training target (VOLT_ERR_ARGUMENT when that was missing). A run whose
 * outputs leave 10 times the range of the training targets is VOLT_ERR_NOT_FINITE; the sentence has the row. */
VOLT_API volt_status volt_model_predict(const volt_model *model, volt_view X,
                                        const volt_predict_options *options, volt_matrix out, int64_t *beyond);

/* Feeds the model its own outputs for out.rows steps. The rows of X (h x d, may have data NULL) go in first, and out[0] follows
 * the last of them; without rows the last training target is the first input. options->start defines the first row of X:
 *   VOLT_START_AT_TARGET     the last training target, which is the row after the last training input. Its value in X is used.
 *   VOLT_START_AFTER_TARGET  the row after the last training target, which goes in before X.
 *   VOLT_START_CONTINUE      decided by value: a first row equal to the last training target is taken as that target, and the
 *                            log warns, since it may as well be a new row of the same value; any other row is the next one.
 *   VOLT_START_RESET         the first row of a new sequence.
 * *beyond (may be NULL) counts rows of X too.
 *
 * With options->paths above 0, out holds so many paths one after the other, each out.rows / paths steps long, with noise:
 * every output is the prediction plus the error of a training row, rows being drawn at random in runs, and is fed back. Path
 * p is the same for the same seed however many paths there are. Bands of such paths are valid as far as errors stay as in
 * training, and only inside the ball of training.
 *
 * VOLT_ERR_ARGUMENT unless the model was fitted with feedback. VOLT_ERR_NOT_FINITE if the path diverges. VOLT_ERR_DATA for
 * paths of a model without errors. */
VOLT_API volt_status volt_model_continue(const volt_model *model, volt_view X,
                                         const volt_predict_options *options, volt_matrix out, int64_t *beyond);

/* ---- intervals -------------------------------------------------------------------------------- */

/* Computes half-widths of prediction intervals, in the units of the targets: row c of half (count x q) is for coverages[c],
 * between 0 and 1. prediction -+ half holds that share of the observations, one output at a time, if new errors are
 * exchangeable with those of the last training rows (split conformal prediction). These are at most 300; the last quarter of
 * the rows is predicted by a model of the rows before it (docs/math.md, "Intervals"). VOLT_ERR_DATA where there are fewer
 * errors than the coverage needs, p / (1 - p). VOLT_ERR_ARGUMENT for a coverage outside (0, 1) or above 300/301, for a model
 * of another loss than squares, and for a model without errors: of an older library, or of a centred kernel without an
 * intercept. VOLT_ERR_SHAPE, VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. On failure `half` is unchanged. */
VOLT_API volt_status volt_model_interval(const volt_model *model, const double *coverages, int64_t count,
                                         volt_matrix half);
/* Reads the errors of the training rows, target less prediction in the units of the targets, into the rows of `out` (rows x q;
 * no data: nothing). Each row is predicted from the rows whose targets were known before it; NaN where it was not predicted.
 * Returns the number of rows: those after the washout, of a model on landmarks at most the last 2048; 0: the model has none.
 * Intervals are made from other errors, those of the last quarter. */
VOLT_API int64_t volt_model_errors_read(const volt_model *model, volt_matrix out);

/* What a unit in one input adds to the outputs, from the row itself to lags - 1 rows later, through the terms of the kernel
 * that are fir alone: the model's linear part, filters included; where an output is a change, the level it is added to as
 * well. In units of the outputs for a unit of the input. `out` is q lags x d: row k lags + l is output k at lag l.
 * What comes back through a feedback
 * weight is not in it. VOLT_ERR_ARGUMENT when no term is fir alone. */
VOLT_API volt_status volt_model_impulse(const volt_model *model, int64_t lags, volt_matrix out);

/* ---- files ------------------------------------------------------------------------------------ */

/* A safetensors file with everything needed to predict and to continue streaming. The file at `path` is replaced as a whole
 * or not at all. progress may be NULL; when it cancels (VOLT_ERR_CANCELLED) the old file stays. */
VOLT_API volt_status volt_model_save(const volt_model *model, const char *path, const volt_progress *progress);
/* VOLT_ERR_IO, or VOLT_ERR_FORMAT for a file that is truncated, damaged, foreign or from a later version. */
VOLT_API volt_status volt_model_load(const char *path, volt_model **model);

/* ---- explain: the Volterra series of a model -------------------------------------------------- */

/* A fitted model is a Volterra series of its inputs. About a constant input x0, x = x0 + delta,
 *
 *     f = g0 + sum_m <g1[m], delta_{-m}> + sum_{m1 <= m2} delta_{-m1}' g2[m1][m2] delta_{-m2} + ...
 *
 * in the units of inputs and outputs. g2 belongs to pairs of lags without order, m1 <= m2; blocks of equal lags are
 * symmetric. Orders above 2 likewise. With a loss that has a link (poisson, classes) f is what stands before the link. */
enum { VOLT_EXPLAIN_ORDERS = 8 }; /* the highest order */

typedef enum volt_about {
    VOLT_ABOUT_MEAN, /* of the training inputs; an input of which the model sees changes alone stands at 0 */
    VOLT_ABOUT_ZERO,
    VOLT_ABOUT_POINT
} volt_about;

typedef struct volt_explain_options {
    size_t struct_size;
    int64_t lags;        /* 0 (default): until the past counts for less than a thousandth, 40 at most */
    int64_t order;       /* of the highest kernel, 2; 1 to VOLT_EXPLAIN_ORDERS */
    volt_about about;    /* VOLT_ABOUT_MEAN */
    const double *point; /* VOLT_ABOUT_POINT: a number for every input, see volt_explanation.d */
    int band;   /* 1 (default): standard deviations of g1, for which the Gram matrix is factored once more */
    int shares; /* 1 (default): shares of the orders */
    volt_view along; /* rows over which they are taken, a new sequence; no data (default): the training rows */
    const int64_t *records; /* (optional) n_records lengths that make up the rows of `along` */
    int64_t n_records;
    volt_progress progress;
} volt_explain_options;
VOLT_API volt_explain_options volt_explain_options_default(void);

/* Read the fields, do not change them. */
typedef struct volt_explanation {
    size_t struct_size;
    /* inputs and outputs; lags 0 .. lags - 1. With a feedback weight the outputs of the row before are
     * inputs as well, behind the others: the series is that of one step */
    int64_t d, q, lags, order;
    const double *about; /* d */
    const double *g0;    /* q */
    /* order p at p - 1: q x lags^p x d^p, [output][lag 1]...[input 1]..., 0 where lags fall; NULL above
     * `order` */
    const double *kernels[VOLT_EXPLAIN_ORDERS];
    /* q x lags x d: standard deviations after the fit, of a Gaussian process with the model's kernel and
     * alpha; NULL: not asked for, or the model was fitted with a loss or weights */
    const double *g1_std;
    int64_t share_orders; /* orders that have a share: max(2, order) */
    /* q x (share_orders + 1): cov(f_p, f) / var(f) of orders 1, 2, ..., then of all higher ones, which add
     * up to 1; NULL: not asked for */
    const double *shares;
    const double *variances; /* the same shape: var(f_p) / var(f) */
    const int64_t *memory;   /* q: so many lags hold 99 % of what g1 and g2 would do to white inputs */
} volt_explanation;

/* VOLT_ERR_ARGUMENT: a kernel without a power series, lags or an order that are not there, a kernel with too many
 * numbers; VOLT_ERR_DOMAIN: a point outside the ball of training. options may be NULL. */
VOLT_API volt_status volt_model_explain(const volt_model *model, const volt_explain_options *options,
                                        volt_explanation **explanation);
VOLT_API void volt_explanation_free(volt_explanation *explanation);

/* The part of each order in the forecasts for the rows of X (h x d), a new sequence after a zero past: `out` is
 * h x q (order + 2), for every output the parts of orders 0, 1, ..., order and of all higher ones, which add up to the
 * forecast. Of the options order, about, point, records and progress count; inputs beyond the ball are clipped. */
VOLT_API volt_status volt_model_orders(const volt_model *model, volt_view X,
                                       const volt_explain_options *options, volt_matrix out);

/* ---- plan ------------------------------------------------------------------------------------- */

/* Memory and time of a fit with n rows, d inputs and q outputs on this machine. kernel NULL: enough for `volterra` with any
 * lift. Times come from a measurement (a fifth of a second; longer where entries cost much) if measure is not 0. */
typedef struct volt_plan {
    size_t struct_size;     /* set by the caller */
    double fit_bytes;       /* peak of volt_model_fit */
    double model_bytes;     /* the model itself, in memory and on disk */
    double available_bytes; /* 0: unknown */
    double gram_seconds, factor_seconds, stream_seconds;
    int64_t n_that_fits;   /* largest n with this d and q that fits in the available memory */
    double choose_seconds; /* on top, where alpha is not given */
    double factor_bytes;   /* on top of both, for every alpha, where the factor is kept */

    /* A device (volt_set_device): zeros where there is none or the CPU was chosen; the seconds above are the CPU's. */
    int on_device; /* the fit goes there: fit_bytes is without the matrix, and n_that_fits minds both memories */
    double device_bytes, device_available_bytes;       /* of its memory; 0: unknown */
    int64_t device_n_that_fits;                        /* 0: unknown */
    double device_gram_seconds, device_factor_seconds; /* 0: unknown */

    double evidence_bytes, evidence_seconds; /* of volt_evidence with its gradient, on the CPU */
} volt_plan;
/* solvers (may be NULL) receives the plan of every solver (solve.h) and requires a kernel; those on landmarks have `landmarks`
 * (0: the usual number). VOLT_ERR_ARGUMENT, VOLT_ERR_MEMORY. */
VOLT_API volt_status volt_plan_fit(const volt_kernel *kernel, int64_t n, int64_t d, int64_t q,
                                   int64_t landmarks, int measure, volt_plan *plan, volt_solver_plans *solvers);

#ifdef __cplusplus
}
#endif
#endif
