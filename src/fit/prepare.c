/* src/fit/prepare.c: inputs and targets of a fit as matrices, for searches and comparisons that fit
 * many kernels to the same columns. */
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit_task.h"
#include "model/initial.h"

#include <inttypes.h>
#include <string.h>

/* A result, and whether its matrices are its own. */
typedef struct prepared {
    volt_prepared made; /* first: pointers to it are pointers to this struct */
    bool is_own;
} prepared;

/* Computes the columns of all rows. Rows after the first `learn_rows` are clipped to the range of those. */
static volt_status fill_columns(const fit_task *task, const volt_recipe *recipe, int64_t learn_rows,
                                double *columns)
{
    volt_view X = task->X;
    volt_recent recent = {0};
    VOLT_TRY(volt_recent_create(recipe, &recent));
    for (int64_t i = 0; i < X.rows; i++) {
        double *row = columns + i * recipe->columns;
        if (volt_records_begins(task->records, i))
            volt_recent_restart(&recent);
        volt_recipe_row(recipe, &recent, X.data + i * X.ld, row);
        volt_recent_push(recipe, &recent, X.data + i * X.ld);
        if (i >= learn_rows)
            volt_recipe_clip(recipe, row);
    }
    volt_recent_release(&recent);
    return VOLT_OK;
}

static void fill_targets(const fit_task *task, double *targets, double *base)
{
    int64_t q = task->Y.cols;
    for (int64_t i = 0; i < task->Y.rows; i++)
        for (int64_t k = 0; k < q; k++) {
            double now = task->change ? task->X.data[i * task->X.ld + task->options->anchors[k]] : 0;
            targets[i * q + k] = task->Y.data[i * task->Y.ld + k] - now;
            if (base)
                base[i * q + k] = now;
        }
}

/* The initial input as columns; recipe NULL: plain. The recipe uses it for its lags. */
static volt_status prepare_initial(const fit_task *task, volt_recipe *recipe, volt_prepared *made)
{
    const volt_fit_options *options = task->options;
    const volt_recent none = {0};
    double *values = NULL;
    VOLT_TRY(volt_initial_values(options->initial, options->initial_values, task->X, &values));
    made->initial = values ? VOLT_INITIAL_VALUES : options->initial;
    made->initial_values = values;
    if (!recipe || !values)
        return VOLT_OK;
    double *columns = volt_alloc_doubles(task->X.cols + recipe->columns, 1);
    if (!columns)
        return VOLT_ERR_MEMORY;
    memcpy(columns + recipe->columns, values, (size_t)task->X.cols * sizeof *values);
    recipe->initial = columns + recipe->columns;
    volt_recipe_row(recipe, &none, recipe->initial, columns);
    made->initial_values = columns;
    volt_free(values);
    return VOLT_OK;
}

static volt_status prepare(const fit_task *task, int64_t learn_rows, volt_recipe *recipe, prepared *whole)
{
    volt_prepared *made = &whole->made;
    int64_t n = task->X.rows, q = task->Y.cols;
    made->struct_size = sizeof *made;
    made->input = task->input;
    made->target = task->change ? VOLT_TARGET_CHANGE : VOLT_TARGET_LEVEL;
    made->season = task->season;
    made->guarded = task->change && !task->options->loss && !task->options->weights;
    whole->is_own = task->change || task->input != VOLT_INPUT_LEVEL || task->options->scale_each;
    if (!whole->is_own) {
        made->X = task->X;
        made->Y = task->Y;
        return prepare_initial(task, NULL, made);
    }
    VOLT_TRY(volt_fit_task_recipe(task, learn_rows, recipe));
    VOLT_TRY(prepare_initial(task, recipe, made));
    made->X = volt_view_of(volt_alloc_doubles(n, recipe->columns), n, recipe->columns);
    made->Y = volt_view_of(volt_alloc_doubles(n, q), n, q);
    if (task->change)
        made->base = volt_view_of(volt_alloc_doubles(n, q), n, q);
    if (!made->X.data || !made->Y.data || (task->change && !made->base.data))
        return VOLT_ERR_MEMORY;
    fill_targets(task, (double *)made->Y.data, (double *)made->base.data);
    return fill_columns(task, recipe, learn_rows, (double *)made->X.data);
}

volt_status volt_prepare(volt_view X, volt_view Y, const volt_fit_options *options, int64_t learn_rows,
                         volt_prepared **result)
{
    volt_fit_options without = volt_fit_options_default();
    VOLT_TRY(volt_options_take(&without, sizeof without, options, "volt_fit_options"));
    fit_task task;
    volt_recipe recipe = {0};
    without.feedback_weight = 0; /* a search weights fed-back columns for each candidate */
    options = &without;
    VOLT_REQUIRE(result, VOLT_ERR_ARGUMENT, "output argument is NULL");
    VOLT_TRY(volt_check_pairs(X, Y));
    VOLT_TRY(volt_loss_fit_anchors(&without));
    VOLT_REQUIRE(learn_rows >= 1 && learn_rows <= X.rows, VOLT_ERR_ARGUMENT,
                 "learn_rows is %" PRId64 ", but there are %" PRId64 " rows", learn_rows, X.rows);
    volt_records records;
    VOLT_TRY(volt_records_make(options->records, options->n_records, X.rows, &records));
    volt_status status = volt_fit_task_resolve(X, Y, options, &records, learn_rows, &task);
    prepared *made = NULL;
    if (status == VOLT_OK)
        made = volt_alloc_zero(1, sizeof *made);
    if (status == VOLT_OK)
        status = made ? prepare(&task, learn_rows, &recipe, made) : VOLT_ERR_MEMORY;
    volt_recipe_release(&recipe);
    volt_records_release(&records);
    if (status == VOLT_OK)
        *result = &made->made;
    else if (made)
        volt_prepared_free(&made->made);
    return status;
}

void volt_prepared_free(volt_prepared *made)
{
    if (made && ((prepared *)made)->is_own) {
        volt_free((double *)made->X.data);
        volt_free((double *)made->Y.data);
        volt_free((double *)made->base.data);
    }
    if (made)
        volt_free((double *)made->initial_values);
    volt_free(made);
}
