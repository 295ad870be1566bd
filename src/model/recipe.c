/* src/model/recipe.c: derived columns, row by row. */
#include "model/recipe.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "model/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- recent rows ------------------------------------------------------------------------------ */

static int64_t bank_length(const volt_recipe *recipe)
{
    return recipe->filters ? volt_filter_bank_length(recipe->slices, recipe->columns) : 0;
}

int64_t volt_recent_length(const volt_recipe *recipe)
{
    return recipe->memory * recipe->inputs + bank_length(recipe);
}

volt_status volt_recent_create(const volt_recipe *recipe, volt_recent *recent)
{
    *recent = (volt_recent){0};
    if (recipe->memory > 0) {
        recent->rows = volt_alloc_doubles(recipe->memory, recipe->inputs);
        if (!recent->rows)
            return VOLT_ERR_MEMORY;
    }
    if (recipe->fed_outputs.n > 0) {
        recent->n_fed_outputs = recipe->fed_outputs.n;
        recent->fed_outputs = volt_alloc_zero(recent->n_fed_outputs, sizeof *recent->fed_outputs);
        if (!recent->fed_outputs)
            return VOLT_ERR_MEMORY;
    }
    if (!recipe->filters)
        return VOLT_OK;
    recent->workspace = volt_alloc_doubles(recipe->columns + bank_length(recipe), 1);
    if (!recent->workspace)
        return VOLT_ERR_MEMORY;
    return volt_filter_bank_create(recipe->filters, recipe->slices, recipe->columns, recipe->past,
                                   &recent->bank);
}

void volt_recent_release(volt_recent *recent)
{
    volt_free(recent->rows);
    volt_free(recent->fed_outputs);
    volt_free(recent->workspace);
    volt_filter_bank_release(&recent->bank);
    recent->rows = recent->fed_outputs = recent->workspace = NULL;
}

void volt_recent_restart(volt_recent *recent)
{
    recent->begun = recent->fed = false;
    recent->next = 0;
    for (int64_t k = 0; k < recent->n_fed_outputs; k++)
        recent->fed_outputs[k] = 0;
    if (recent->bank.state)
        volt_filter_bank_reset(&recent->bank);
}

static void copy_numbers(double *to, const double *from, int64_t count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

void volt_recent_copy(const volt_recipe *recipe, const volt_recent *from, volt_recent *to)
{
    if (from->begun)
        copy_numbers(to->rows, from->rows, recipe->memory * recipe->inputs);
    copy_numbers(to->bank.state, from->bank.state, bank_length(recipe));
    copy_numbers(to->fed_outputs, from->fed_outputs, recipe->fed_outputs.n);
    to->next = from->next;
    to->begun = from->begun;
    to->fed = from->fed;
}

void volt_recent_get(const volt_recipe *recipe, const volt_recent *recent, double *numbers)
{
    int64_t width = recipe->inputs;
    for (int64_t i = 0; i < recipe->memory; i++)
        copy_numbers(numbers + i * width, recent->rows + (recent->next + i) % recipe->memory * width, width);
    copy_numbers(numbers + recipe->memory * width, recent->bank.state, bank_length(recipe));
}

void volt_recent_set(const volt_recipe *recipe, const double *numbers, volt_recent *recent)
{
    int64_t rows = recipe->memory * recipe->inputs;
    recent->next = 0;
    recent->begun = true;
    copy_numbers(recent->rows, numbers, rows);
    copy_numbers(recent->bank.state, numbers + rows, bank_length(recipe));
}

void volt_recent_filter(const volt_recipe *recipe, volt_recent *recent, double *z)
{
    if (!recipe->filters)
        return;
    copy_numbers(recent->workspace, z, recipe->columns);
    copy_numbers(recent->workspace + recipe->columns, recent->bank.state, bank_length(recipe));
    volt_filter_bank_row(&recent->bank, recent->workspace, z);
}

void volt_recent_unfilter(const volt_recipe *recipe, volt_recent *recent)
{
    if (recipe->filters)
        copy_numbers(recent->bank.state, recent->workspace + recipe->columns, bank_length(recipe));
}

void volt_recent_push(const volt_recipe *recipe, volt_recent *recent, const double *x)
{
    size_t width = (size_t)recipe->inputs;
    const double *before = recipe->initial ? recipe->initial : x;
    for (int64_t i = 0; !recent->begun && i < recipe->memory; i++)
        memcpy(recent->rows + (size_t)i * width, before, width * sizeof(double));
    if (recipe->memory > 0 && (recent->begun || recipe->initial)) {
        memcpy(recent->rows + (size_t)recent->next * width, x, width * sizeof(double));
        recent->next = (recent->next + 1) % recipe->memory;
    }
    recent->begun = true;
}

void volt_recent_feed(const volt_recipe *recipe, volt_recent *recent, const double *y)
{
    recent->fed = true;
    for (int64_t k = 0; k < recipe->fed_outputs.n; k++)
        recent->fed_outputs[k] = volt_feedback_column(&recipe->fed_outputs, k, y[k]);
}

/* Input `source` `lag` rows ago. */
static double lagged(const volt_recipe *recipe, const volt_recent *recent, const double *x, int64_t source,
                     int64_t lag)
{
    if (lag == 0 || (!recent->begun && !recipe->initial))
        return x[source];
    if (!recent->begun)
        return recipe->initial[source];
    int64_t at = (recent->next - lag + recipe->memory) % recipe->memory;
    return recent->rows[at * recipe->inputs + source];
}

/* ---- rows ------------------------------------------------------------------------------------- */

void volt_recipe_row(const volt_recipe *recipe, const volt_recent *recent, const double *x, double *columns)
{
    int64_t input_columns = volt_recipe_input_columns(recipe);
    copy_numbers(columns + input_columns, recent->fed_outputs, recipe->fed_outputs.n);
    if (recipe->plain) {
        memcpy(columns, x, (size_t)input_columns * sizeof *columns);
        return;
    }
    for (int64_t j = 0; j < input_columns; j++) {
        const volt_column *column = &recipe->column[j];
        double value = lagged(recipe, recent, x, column->source, column->plus);
        if (column->minus >= 0)
            value -= lagged(recipe, recent, x, column->source, column->minus);
        columns[j] = column->weight * value;
    }
}

bool volt_recipe_clip(const volt_recipe *recipe, double *columns)
{
    bool held = false;
    for (int64_t j = 0; !recipe->plain && j < volt_recipe_input_columns(recipe); j++) {
        double value = fmin(fmax(columns[j], recipe->column[j].low), recipe->column[j].high);
        held |= value != columns[j];
        columns[j] = value;
    }
    return held;
}

/* ---- learning --------------------------------------------------------------------------------- */

enum { MAX_PER_INPUT = 4 };

static bool is_anchor(const volt_recipe_task *task, int64_t input)
{
    for (int64_t k = 0; task->anchors && k < task->q; k++)
        if (task->anchors[k] == input)
            return true;
    return false;
}

static void add_column(volt_recipe *recipe, int64_t source, int64_t plus, int64_t minus)
{
    recipe->column[recipe->columns++] = (volt_column){
        .source = source, .plus = plus, .minus = minus, .weight = 1, .low = -INFINITY, .high = INFINITY};
    recipe->memory = volt_max(recipe->memory, volt_max(plus, minus));
}

static void list_columns(const volt_recipe_task *task, volt_recipe *recipe)
{
    int64_t H = task->ahead, S = task->season;
    if (S >= 2) /* the season before the target that is known at the time of the forecast */
        S *= volt_max(1, (H + S - 1) / S);
    for (int64_t i = 0; i < recipe->inputs; i++) {
        bool whole = i >= recipe->inputs - task->passthrough_columns;
        if (task->kind != VOLT_INPUT_CHANGE || whole)
            add_column(recipe, i, 0, -1);
        if (whole || task->kind == VOLT_INPUT_LEVEL)
            continue;
        add_column(recipe, i, 0, 1);
        if (S < 2 || !is_anchor(task, i))
            continue;
        if (S > H)
            add_column(recipe, i, S - H, 0);
        add_column(recipe, i, S - H, S);
    }
}

/* Population spread and range of every column over the rows. */
typedef struct column_facts {
    double *spread, *low, *high, *row, *mean;
} column_facts;

static void measure_columns(volt_view X, const volt_records *records, const volt_recipe *recipe,
                            volt_recent *recent, column_facts *facts)
{
    int64_t count = recipe->columns;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < X.rows; i++) {
            const double *x = X.data + i * X.ld;
            if (volt_records_begins(records, i))
                volt_recent_restart(recent);
            volt_recipe_row(recipe, recent, x, facts->row);
            volt_recent_push(recipe, recent, x);
            for (int64_t j = 0; j < count; j++) {
                double value = facts->row[j];
                if (pass == 0) {
                    facts->mean[j] += value / (double)X.rows;
                    facts->low[j] = i ? fmin(facts->low[j], value) : value;
                    facts->high[j] = i ? fmax(facts->high[j], value) : value;
                } else {
                    double range = facts->high[j] - facts->low[j]; /* scaled by the range: squares must not
                                                                    * overflow */
                    double part = range > 0 ? (value - facts->mean[j]) / range : 0;
                    facts->spread[j] += part * part / (double)X.rows;
                }
            }
        }
    }
    for (int64_t j = 0; j < count; j++) {
        double size = fmax(fabs(facts->low[j]), fabs(facts->high[j]));
        facts->spread[j] = (facts->high[j] - facts->low[j]) * sqrt(facts->spread[j]);
        if (!(facts->spread[j] > 1e-14 * size)) /* only rounding */
            facts->spread[j] = 0;
    }
}

/* Sets weights and ranges and removes constant columns. `spread` of the inputs: inputs numbers. */
static void take_facts(const column_facts *facts, const double *spread, const volt_recipe_task *task,
                       volt_recipe *recipe)
{
    int64_t kept = 0;
    for (int64_t j = 0; j < recipe->columns; j++) {
        volt_column column = recipe->column[j];
        if (facts->spread[j] == 0)
            continue;
        if (task->scale_each)
            column.weight = 1 / facts->spread[j];
        else if (task->scale)
            column.weight = column.minus < 0 ? 1 : spread[column.source] / facts->spread[j];
        if (task->scale && task->kind != VOLT_INPUT_LEVEL) {
            column.low = column.weight * facts->low[j];
            column.high = column.weight * facts->high[j];
        }
        recipe->column[kept++] = column;
    }
    recipe->columns = kept;
}

static volt_status learn(volt_view X, const volt_recipe_task *task, volt_recent *recent, double *numbers,
                         volt_recipe *recipe)
{
    int64_t d = recipe->inputs, most = MAX_PER_INPUT * d;
    column_facts facts = {numbers, numbers + most, numbers + 2 * most, numbers + 3 * most, numbers + 4 * most};
    double *mean = numbers + 5 * most, *spread = mean + d;
    volt_target_scale_learn(X, false, mean, spread);
    measure_columns(X, task->records, recipe, recent, &facts);
    take_facts(&facts, spread, task, recipe);
    VOLT_REQUIRE(recipe->columns > 0, VOLT_ERR_DATA,
                 "the inputs are constant over all %" PRId64 " rows: there is nothing to learn from", X.rows);
    for (int64_t j = 0; task->scale_each && j < recipe->columns; j++)
        VOLT_REQUIRE(isfinite(recipe->column[j].weight), VOLT_ERR_NOT_FINITE,
                     "the range of input %" PRId64 " is too small to be scaled to 1",
                     recipe->column[j].source + 1);
    return VOLT_OK;
}

volt_status volt_recipe_learn(volt_view X, const volt_recipe_task *task, volt_recipe *recipe)
{
    *recipe = (volt_recipe){
        .inputs = X.cols, .columns = X.cols, .plain = task->kind == VOLT_INPUT_LEVEL && !task->scale_each};
    if (recipe->plain)
        return VOLT_OK;
    recipe->columns = 0;
    recipe->column = volt_alloc_zero(MAX_PER_INPUT * X.cols, sizeof *recipe->column);
    if (!recipe->column)
        return VOLT_ERR_MEMORY;
    list_columns(task, recipe);
    volt_recent recent = {0};
    int64_t count = (5 * MAX_PER_INPUT + 2) * X.cols;
    double *numbers = volt_alloc_zero(count, sizeof *numbers);
    volt_status status = numbers ? volt_recent_create(recipe, &recent) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = learn(X, task, &recent, numbers, recipe);
    volt_recent_release(&recent);
    volt_free(numbers);
    return status;
}

volt_status volt_recipe_feed_back(volt_recipe *recipe, int64_t q, double weight)
{
    VOLT_TRY(volt_feedback_create(q, weight, &recipe->fed_outputs));
    recipe->columns += q;
    return VOLT_OK;
}

void volt_recipe_release(volt_recipe *recipe)
{
    volt_free(recipe->column);
    recipe->column = NULL;
    volt_feedback_release(&recipe->fed_outputs);
}

volt_status volt_recipe_copy(const volt_recipe *from, volt_recipe *to)
{
    int64_t input_columns = volt_recipe_input_columns(from), fed_outputs = from->fed_outputs.n;
    *to = *from;
    to->filters = NULL;
    to->past = NULL;
    to->initial = NULL;
    to->slices = 0;
    to->column = NULL;
    to->fed_outputs = (volt_feedback){0};
    if (fed_outputs > 0) {
        VOLT_TRY(volt_feedback_create(fed_outputs, from->fed_outputs.omega, &to->fed_outputs));
        memcpy(to->fed_outputs.offset, from->fed_outputs.offset,
               (size_t)(4 * fed_outputs) * sizeof *to->fed_outputs.offset);
    }
    if (from->plain)
        return VOLT_OK;
    to->column = volt_alloc(input_columns, sizeof *to->column);
    if (!to->column)
        return VOLT_ERR_MEMORY;
    memcpy(to->column, from->column, (size_t)input_columns * sizeof *to->column);
    return VOLT_OK;
}

void volt_recipe_use_filters(volt_recipe *recipe, const volt_kernel *kernel)
{
    if (!volt_kernel_filters(kernel))
        return;
    recipe->filters = kernel->filters;
    recipe->past = &kernel->past;
    recipe->slices = volt_kernel_slices(kernel);
}
