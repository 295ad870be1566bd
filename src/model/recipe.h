/* src/model/recipe.h: scaling of inputs and targets, fed-back outputs, the columns of the kernel, and the inputs before the first row. */
#ifndef MODEL_RECIPE_H
#define MODEL_RECIPE_H

#include "base/run_form.h"
#include "kernel/filter.h"
#include "kernel/kernel_entry.h"
#include "kernel/records.h"
#include "volterra/base.h"
#include "volterra/model.h"

#include <stdbool.h>

/* ---- scales inputs to the unit ball, targets to mean 0 and variance 1 --------------------------- */

/* Checks training inputs and targets: matching shapes, within BLAS limits, finite. */
volt_status volt_check_pairs(volt_view X, volt_view Y);
/* The same with missing targets: `present` holds the others. */
volt_status volt_check_pairs_present(volt_view X, volt_view Y, volt_view present);

/* Rows that need not be in memory. A row is valid until the next is read. Rows are read in order from 0, any
 * number of times. */
typedef struct volt_row_source {
    int64_t rows, cols;
    const double *(*row)(void *context, int64_t i);
    void *context;
} volt_row_source;

/* A row x becomes (x - shift) * scale. */
typedef struct volt_input_scale {
    double *shift; /* d */
    double scale;
} volt_input_scale;

/* Learns from the rows of X: shift is their mean (zero when !centre), scale makes the largest norm 1.
 * `identity` leaves inputs unchanged. VOLT_ERR_DATA when the inputs are constant (all zero without a shift). */
volt_status volt_input_scale_learn_rows(const volt_row_source *X, bool centre, bool identity,
                                        volt_input_scale *scale);
volt_status volt_input_scale_learn(volt_view X, bool centre, bool identity, volt_input_scale *scale);

/* Scales one row. */
void volt_input_scale_row(const volt_input_scale *scale, int64_t d, const double *x, double *z);

/* Learns from the rows of Y: column means and population standard deviations (1 for a constant column). */
void volt_target_scale_learn(volt_view Y, bool identity, double *mean, double *deviation);

/* Scales of unstandardised targets: 1, or a power of two if squares of the targets would overflow or
 * underflow. */
void volt_target_scale_powers(volt_view Y, double *scale);

/* ---- outputs fed back as inputs of the next row (NARX; docs/math.md, "Feedback") ---------------- */

/*
 *     kernel inputs of row t     (x_t, omega v_{t-1}),     v_k = (y_k - mean_k) / sd_k,     v = 0 before the first row
 *
 * x is in the unit ball, as without feedback, and the whole row is divided by the largest norm in training.
 * Without scaling the row is (x_t, omega y_{t-1}). Training uses measured outputs; predictions use measured
 * or predicted ones. */

typedef struct volt_feedback {
    int64_t n;          /* fed-back outputs; 0: none */
    double omega;       /* their weight, above 0 */
    double *offset;     /* n: an output y becomes the column */
    double *weight;     /* n: weight (y - offset) */
    double *low, *high; /* n: range of the training targets */
} volt_feedback;

static inline double volt_feedback_column(const volt_feedback *fed_outputs, int64_t k, double y)
{
    return fed_outputs->weight[k] * (y - fed_outputs->offset[k]);
}

static inline double volt_feedback_output(const volt_feedback *fed_outputs, int64_t k, double column)
{
    return fed_outputs->offset[k] + column / fed_outputs->weight[k];
}

/* Learns offsets, weights and ranges, fills the last columns of Z (rows x columns) from the targets of the
 * previous rows, and replaces the scale of the inputs by that of all columns. On entry the first columns of
 * Z hold the unscaled inputs and `input` their scale. `mean` and `deviation` describe the targets. identity:
 * no scaling. first_known: the output before a record is its first one, else the mean. Targets may be missing (NaN) only in the last row of a record. VOLT_ERR_NOT_FINITE. */
volt_status volt_feedback_learn(volt_feedback *fed_outputs, volt_view Y, const volt_records *records,
                                const double *mean, const double *deviation, bool identity, bool first_known,
                                volt_matrix Z, volt_input_scale *input);

/* VOLT_ERR_DATA if a target is missing that the next row requires. */
volt_status volt_feedback_check_targets(volt_view Y, const volt_records *records);

/* Centre of the training range of output k, and the largest allowed distance of a free run from it. */
void volt_feedback_bounds(const volt_feedback *fed_outputs, int64_t k, double *middle, double *reach);
/* Returns the first output outside an interval 10 times as wide as the training range with the same centre,
 * or -1. Constant targets have no range and no limit. */
int64_t volt_feedback_find_diverged(const volt_feedback *fed_outputs, const double *y);
/* Clips the outputs y to these bounds. */
void volt_feedback_clip(const volt_feedback *fed_outputs, double *y);
/* Reports VOLT_ERR_NOT_FINITE for output k of row `row` (from 0). */
volt_status volt_feedback_report_diverged(const volt_feedback *fed_outputs, int64_t k, int64_t row,
                                          const double *y);

/* ---- converts user rows to kernel columns ------------------------------------------------------- */

/*
 * A column is an input at one lag, or the difference of two lags, times a weight:
 *
 *     level           x_t
 *     change          x_t - x_{t-1}
 *     season gap      x_{t+H-S} - x_t             a season S ago, as far ahead as the target (S > H)
 *     season change   x_{t+H-S} - x_{t-S}         the change of the target a season ago
 *
 * where S is the least multiple of the season that is at least H.
 *
 * Before the first row of a sequence every lag has the initial input, or else the value of that row. The weight gives a column the
 * spread of its input, or spread 1. Later rows are clipped, column by column, to the range of training, unless all
 * columns are levels. A plain recipe uses the inputs unchanged. Fed-back outputs are the last columns (model/recipe.h); they are not clipped. */

typedef struct volt_recipe {
    int64_t inputs, columns;
    bool plain;                 /* column j is input j */
    volt_column *column;        /* columns of inputs; NULL when plain */
    volt_feedback fed_outputs;  /* the last columns: outputs of the previous row */
    int64_t memory;             /* number of rows that the lags reach back */
    const volt_filter *filters; /* of the kernel, which outlives the recipe; NULL: none */
    int64_t slices;             /* number of filters; rows are scaled, then filtered */
    const volt_past *past;      /* of the kernel, for the filters; NULL: zero */
    const double *initial;      /* inputs: those before the first row; NULL: the first row */
} volt_recipe;

/* Options of the recipe. */
typedef struct volt_recipe_task {
    volt_input kind; /* not AUTO */
    int64_t ahead, season;
    const int64_t *anchors; /* q: the inputs that are targets; only these have a season; NULL: none */
    int64_t q;
    int64_t passthrough_columns; /* number of last inputs that are always levels */
    const volt_records *records; /* of the rows; NULL: one sequence */
    bool scale;                  /* learn weights and ranges; else weights are 1 and nothing is clipped */
    bool scale_each;             /* weights give every column spread 1; requires scale */
} volt_recipe_task;

/* Learns a recipe from the training rows. Constant columns are dropped. VOLT_ERR_DATA when none is left,
 * VOLT_ERR_NOT_FINITE when a weight is not finite.
 * Release at any stage; an all-zero struct needs no release. */
volt_status volt_recipe_learn(volt_view X, const volt_recipe_task *task, volt_recipe *recipe);
void volt_recipe_release(volt_recipe *recipe);
/* Copies the recipe without filters; set those of the new kernel with volt_recipe_use_filters.
 * VOLT_ERR_MEMORY. */
volt_status volt_recipe_copy(const volt_recipe *from, volt_recipe *to);

/* Number of columns made of inputs. */
static inline int64_t volt_recipe_input_columns(const volt_recipe *recipe)
{
    return recipe->columns - recipe->fed_outputs.n;
}

/* Adds the q fed-back outputs with a weight above 0 as last columns. VOLT_ERR_MEMORY. */
volt_status volt_recipe_feed_back(volt_recipe *recipe, int64_t q, double weight);

/* Uses the filters of the kernel, which must outlive the recipe. */
void volt_recipe_use_filters(volt_recipe *recipe, const volt_kernel *kernel);

/* State of the recipe: recent rows, as far as the lags reach, filters, and fed-back outputs. */
typedef struct volt_recent {
    double *rows; /* memory x inputs, a ring; NULL without memory */
    int64_t next; /* position of the present row */
    bool begun;
    bool fed;              /* an output of the sequence, or before it, is known */
    double *fed_outputs;   /* fed.n: the last columns of the next row; NULL: no feedback */
    int64_t n_fed_outputs; /* their number */
    volt_filter_bank bank; /* no state without filters */
    double *workspace;     /* a scaled row, and the state of the filters before the present one */
} volt_recent;

volt_status volt_recent_create(const volt_recipe *recipe, volt_recent *recent);
void volt_recent_release(volt_recent *recent);
/* Starts another sequence. */
void volt_recent_restart(volt_recent *recent);
void volt_recent_copy(const volt_recipe *recipe, const volt_recent *from, volt_recent *to);
/* Saves and restores the state as volt_recent_length numbers: the rows in time order, oldest first (memory x
 * inputs), then the state of the filters. Fed-back outputs are not included. */
int64_t volt_recent_length(const volt_recipe *recipe);
void volt_recent_get(const volt_recipe *recipe, const volt_recent *recent, double *rows);
void volt_recent_set(const volt_recipe *recipe, const double *rows, volt_recent *recent);

/* Columns of the present row x, and advancing to the next row. */
void volt_recipe_row(const volt_recipe *recipe, const volt_recent *recent, const double *x, double *columns);
void volt_recent_push(const volt_recipe *recipe, volt_recent *recent, const double *x);
/* Sets the outputs y of the last pushed row, to be fed back to the next one. No effect without feedback. */
void volt_recent_feed(const volt_recipe *recipe, volt_recent *recent, const double *y);

/* Filters a row of scaled columns into z (slices x columns numbers; in place without filters), or undoes the
 * last call. */
void volt_recent_filter(const volt_recipe *recipe, volt_recent *recent, double *z);
void volt_recent_unfilter(const volt_recipe *recipe, volt_recent *recent);

/* Clips the columns of a row to the range of training. Returns true if any was clipped. */
bool volt_recipe_clip(const volt_recipe *recipe, double *columns);

/* ---- the inputs before the first row of every record (docs/math.md, "Initial input") ------------ */

/* Names by volt_initial, as in model files. */
extern const char *const volt_initial_words[4];

/* Checks the setting for n inputs. VOLT_ERR_ARGUMENT, VOLT_ERR_NOT_FINITE. */
volt_status volt_initial_check(volt_initial initial, const double *values, int64_t n, bool feeds_back);

/* The constant input in the units of X: n numbers for volt_free, or NULL where it is zero or the first row.
 * VOLT_ERR_MEMORY. */
volt_status volt_initial_values(volt_initial initial, const double *values, volt_view X, double **made);

/* The same as passed to the filters: a constant row of scaled columns (n numbers; NULL if there is none), which
 * is copied. */
volt_status volt_initial_past(volt_initial initial, const double *row, int64_t n, volt_past *past);
void volt_past_release(volt_past *past);

/* Sets the past of a model from its initial values, recipe and input scale, and passes it to the kernel.
 * VOLT_ERR_MEMORY. */
volt_status volt_model_settle_past(volt_model *model);

/* VOLT_ERR_ARGUMENT unless the initial input is zero, as series expansions require. */
volt_status volt_initial_require_zero(const volt_model *model);

/* Numbers of the output that a model with feedback approaches when its input is x for a long time, in the units
 * of the targets, into y (q). VOLT_ERR_MEMORY and the errors of a prediction. */
volt_status volt_model_stationary_output(const volt_model *model, const double *x, double *y);

#endif
