/* src/model/recipe.h: converts user rows to kernel columns.
 *
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
 * columns are levels. A plain recipe uses the inputs unchanged. Fed-back outputs are the last columns (model/feedback.h); they are not clipped. */
#ifndef MODEL_RECIPE_H
#define MODEL_RECIPE_H

#include "base/run_form.h"
#include "kernel/filter.h"
#include "kernel/records.h"
#include "model/feedback.h"
#include "volterra/model.h"

#include <stdbool.h>

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

#endif
