/* src/model/recipe.h: from the rows that a user has to the columns that the kernel sees.
 *
 * A column is an input at one lag, or the difference of two lags, times a weight:
 *
 *     level           x_t
 *     change          x_t - x_{t-1}
 *     season gap      x_{t+H-S} - x_t             a season S ago, as far ahead as the target (S > H)
 *     season change   x_{t+H-S} - x_{t-S}         what the target's change was a season ago (S >= H)
 *
 * Before the first row of a sequence every lag holds that row. The weight gives a column the spread of its input, so
 * that none drowns the others; later rows are held, column by column, to the range that training had. A plain recipe
 * takes the inputs as they are. Outputs that come back as inputs of the next row are columns behind those of the inputs
 * (model/feedback.h); nothing holds them. */
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
    volt_column *column;        /* those of the inputs; NULL when plain */
    volt_fed fed;               /* the last columns: outputs of the row before */
    int64_t memory;             /* rows of the past that the lags reach */
    const volt_filter *filters; /* of the kernel, which outlives the recipe; NULL: none */
    int64_t slices;             /* how many; rows are filtered after they are scaled */
} volt_recipe;

/* What is wanted of the inputs. */
typedef struct volt_recipe_task {
    volt_input kind; /* not AUTO */
    int64_t ahead, season;
    const int64_t *anchors; /* q: the inputs that are targets, which alone have a season; NULL: none */
    int64_t q;
    int64_t as_they_are;         /* the last inputs that are levels whatever the kind */
    const volt_records *records; /* of the rows; NULL: one sequence */
    bool scale;                  /* weights and ranges are learned; else weights are 1 and nothing is held */
} volt_recipe_task;

/* Learn a recipe from the training rows; columns that never move are left out. VOLT_ERR_DATA when none is left. Release
 * it at any stage; one that is all zero needs none. */
volt_status volt_recipe_learn(volt_view X, const volt_recipe_task *task, volt_recipe *recipe);
void volt_recipe_release(volt_recipe *recipe);
/* An independent copy without filters: those of its own kernel are set with volt_recipe_use_filters. VOLT_ERR_MEMORY. */
volt_status volt_recipe_copy(const volt_recipe *from, volt_recipe *to);

/* Columns that are made of inputs. */
static inline int64_t volt_recipe_own(const volt_recipe *recipe)
{
    return recipe->columns - recipe->fed.n;
}

/* The q outputs come back as well, with a weight above 0: columns behind those that are there. VOLT_ERR_MEMORY. */
volt_status volt_recipe_feed_back(volt_recipe *recipe, int64_t q, double weight);

/* Rows are filtered as the kernel, which must outlive the recipe, wants it. */
void volt_recipe_use_filters(volt_recipe *recipe, const volt_kernel *kernel);

/* What the rows before the present one have left behind: themselves, as far as the lags reach, the filters, and the
 * outputs that come back. */
typedef struct volt_recent {
    double *rows; /* memory x inputs, a ring; NULL without memory */
    int64_t next; /* where the present row will go */
    bool begun;
    double *fed;           /* fed.n: the last columns of the next row; NULL: nothing comes back */
    int64_t n_fed;         /* how many */
    volt_filter_bank bank; /* no state without filters */
    double *room;          /* a scaled row, and the state of the filters before the present one */
} volt_recent;

volt_status volt_recent_create(const volt_recipe *recipe, volt_recent *recent);
void volt_recent_release(volt_recent *recent);
/* Another sequence begins: nothing is left of the one before. */
void volt_recent_restart(volt_recent *recent);
void volt_recent_copy(const volt_recipe *recipe, const volt_recent *from, volt_recent *to);
/* As one list of volt_recent_length numbers, out and in: the rows in time order, the oldest first (memory x inputs), then
 * the state of the filters. What comes back is not part of it. */
int64_t volt_recent_length(const volt_recipe *recipe);
void volt_recent_get(const volt_recipe *recipe, const volt_recent *recent, double *rows);
void volt_recent_set(const volt_recipe *recipe, const double *rows, volt_recent *recent);

/* The columns of the present row x, and then on to the next row. */
void volt_recipe_row(const volt_recipe *recipe, const volt_recent *recent, const double *x, double *columns);
void volt_recent_push(const volt_recipe *recipe, volt_recent *recent, const double *x);
/* The outputs y of the row that was pushed last come back with the next one; nothing happens without feedback. */
void volt_recent_feed(const volt_recipe *recipe, volt_recent *recent, const double *y);

/* Filter a row of scaled columns into z (slices x columns numbers; z may be the columns where there are no filters), or
 * take back what the last call did to the filters. */
void volt_recent_filter(const volt_recipe *recipe, volt_recent *recent, double *z);
void volt_recent_unfilter(const volt_recipe *recipe, volt_recent *recent);

/* Hold the columns of a row to the range of training; true: something was held. */
bool volt_recipe_hold(const volt_recipe *recipe, double *columns);

#endif
