/* src/model/recipe.c: scales, fed-back outputs, derived columns row by row, and the inputs before the first row. */
#include "model/recipe.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/views.h"
#include "kernel/kernel_entry.h"
#include "model/model_internal.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scaling ------------------------------------------------------------------------------------ */

/* Scales of inputs and targets, learned from the training rows. */

/* Requires finite values and finite sums over all rows, as scales are learned from those. */
static volt_status check_values(volt_view X, const char *name)
{
    volt_extent extent;
    VOLT_TRY(volt_extent_of(X, name, &extent));
    double most = DBL_MAX / 4 / (double)X.rows;
    VOLT_REQUIRE(extent.radius <= most, VOLT_ERR_NOT_FINITE,
                 "the norms of %s reach %g, and for %" PRId64 " rows they may reach %g", name, extent.radius,
                 X.rows, most);
    return VOLT_OK;
}

volt_status volt_check_pairs(volt_view X, volt_view Y)
{
    return volt_check_pairs_present(X, Y, Y);
}

volt_status volt_check_pairs_present(volt_view X, volt_view Y, volt_view present)
{
    VOLT_TRY(volt_check_shape(X, "the inputs"));
    VOLT_TRY(volt_check_shape(Y, "the targets"));
    VOLT_REQUIRE(X.rows == Y.rows, VOLT_ERR_SHAPE,
                 "there are %" PRId64 " rows of inputs and %" PRId64 " of targets", X.rows, Y.rows);
    VOLT_REQUIRE(X.rows < INT_MAX && Y.cols < INT_MAX, VOLT_ERR_SHAPE,
                 "%" PRId64 " rows and %" PRId64 " targets are more than BLAS can index", X.rows, Y.cols);
    VOLT_TRY(check_values(X, "the inputs"));
    return check_values(present, "the targets");
}

/* Row i of a view. */
static const double *row_of_view(void *context, int64_t i)
{
    const volt_view *X = context;
    return X->data + i * X->ld;
}

static volt_row_source source_of(volt_view *X)
{
    return (volt_row_source){.rows = X->rows, .cols = X->cols, .row = row_of_view, .context = X};
}

/* In two passes: the second corrects the rounding of the first. */
static void column_means(const volt_row_source *X, double *mean)
{
    enum { COLUMNS = 64 }; /* per pass */
    double n = (double)X->rows;
    memset(mean, 0, (size_t)X->cols * sizeof *mean);
    for (int64_t first = 0; first < X->cols; first += COLUMNS) {
        int64_t end = volt_min(first + COLUMNS, X->cols);
        double rest[COLUMNS] = {0};
        for (int64_t i = 0; i < X->rows; i++) {
            const double *x = X->row(X->context, i);
            for (int64_t k = first; k < end; k++)
                mean[k] += x[k] / n;
        }
        for (int64_t i = 0; i < X->rows; i++) {
            const double *x = X->row(X->context, i);
            for (int64_t k = first; k < end; k++)
                rest[k - first] += x[k] - mean[k];
        }
        for (int64_t k = first; k < end; k++)
            mean[k] += rest[k - first] / n;
    }
}

/* A constant minus its mean leaves only rounding, not spread. */
static bool is_rounding(double spread, double size)
{
    return !(spread > 0 && spread / size > 1e-14);
}

volt_status volt_input_scale_learn(volt_view X, bool centre, bool identity, volt_input_scale *scale)
{
    volt_row_source source = source_of(&X);
    return volt_input_scale_learn_rows(&source, centre, identity, scale);
}

volt_status volt_input_scale_learn_rows(const volt_row_source *X, bool centre, bool identity,
                                        volt_input_scale *scale)
{
    bool shifted = centre && !identity;
    if (shifted)
        column_means(X, scale->shift);
    else
        memset(scale->shift, 0, (size_t)X->cols * sizeof *scale->shift);

    double norm = 0, size = 0;
    for (int64_t i = 0; i < X->rows; i++) {
        const double *x = X->row(X->context, i);
        volt_squares squares = {0};
        for (int64_t k = 0; k < X->cols; k++) {
            volt_squares_add(&squares, x[k] - scale->shift[k]);
            size = fmax(size, fabs(x[k]));
        }
        norm = fmax(norm, volt_squares_root(&squares));
    }
    bool empty = is_rounding(norm, size);
    VOLT_REQUIRE(!empty || X->rows > 1, VOLT_ERR_DATA,
                 shifted ? "the inputs have only one row: there is nothing to learn from"
                         : "the only row of the inputs is zero: there is nothing to learn from");
    VOLT_REQUIRE(!empty, VOLT_ERR_DATA,
                 shifted ? "the inputs are constant over all %" PRId64 " rows: there is nothing to learn from"
                         : "the inputs are zero in all %" PRId64 " rows: there is nothing to learn from",
                 X->rows);
    scale->scale = identity ? 1 : 1 / norm;
    VOLT_REQUIRE(isfinite(scale->scale), VOLT_ERR_NOT_FINITE,
                 "the inputs are within %g of %s: the range is too small to be scaled to 1", norm,
                 shifted ? "their mean" : "0");
    return VOLT_OK;
}

void volt_input_scale_row(const volt_input_scale *scale, int64_t d, const double *x, double *z)
{
    for (int64_t k = 0; k < d; k++)
        z[k] = (x[k] - scale->shift[k]) * scale->scale;
}

void volt_target_scale_learn(volt_view Y, bool identity, double *mean, double *deviation)
{
    if (identity) {
        for (int64_t k = 0; k < Y.cols; k++) {
            mean[k] = 0;
            deviation[k] = 1;
        }
        return;
    }
    volt_row_source source = source_of(&Y);
    column_means(&source, mean);
    for (int64_t k = 0; k < Y.cols; k++) {
        volt_squares squares = {0};
        double size = 0;
        for (int64_t i = 0; i < Y.rows; i++) {
            volt_squares_add(&squares, Y.data[i * Y.ld + k] - mean[k]);
            size = fmax(size, fabs(Y.data[i * Y.ld + k]));
        }
        double spread = volt_squares_root_mean(&squares, Y.rows);
        deviation[k] = is_rounding(spread, size) ? 1 : spread; /* a constant target is not scaled */
    }
}

void volt_target_scale_powers(volt_view Y, double *scale)
{
    enum { SAFE = 400, MOST = 1000 }; /* powers of two; 2^1024 is not a finite number */
    for (int64_t k = 0; k < Y.cols; k++) {
        double largest = 0;
        int exponent;
        for (int64_t i = 0; i < Y.rows; i++)
            largest = fmax(largest, fabs(Y.data[i * Y.ld + k]));
        frexp(largest, &exponent);
        scale[k] = largest == 0 || abs(exponent) <= SAFE
                       ? 1
                       : ldexp(1, (int)volt_min(volt_max(exponent, -MOST), MOST));
    }
}

/* ---- fed-back outputs --------------------------------------------------------------------------- */

/* Outputs fed back as inputs of the next row. */

/* Limit of a free run: beyond it, predictions are useless and soon overflow. */
static const double max_ranges = 10;

/* Weights are 0 until volt_feedback_learn. Release at any stage; an all-zero struct needs no release. */
static volt_status feedback_create(int64_t n, double omega, volt_feedback *fed_outputs)
{
    double *numbers = volt_alloc_zero(4 * n, sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    *fed_outputs = (volt_feedback){.n = n,
                                   .omega = omega,
                                   .offset = numbers,
                                   .weight = numbers + n,
                                   .low = numbers + 2 * n,
                                   .high = numbers + 3 * n};
    return VOLT_OK;
}

volt_status volt_feedback_check_targets(volt_view Y, const volt_records *records)
{
    for (int64_t i = 0; i + 1 < Y.rows; i++)
        for (int64_t k = 0; !volt_records_begins(records, i + 1) && k < Y.cols; k++)
            VOLT_REQUIRE(!isnan(Y.data[i * Y.ld + k]), VOLT_ERR_DATA,
                         "target %" PRId64 " of row %" PRId64
                         " is missing, and feedback requires it as an input of the next row",
                         k + 1, i + 1);
    return VOLT_OK;
}

/* Ignores missing targets. */
static void learn_ranges(volt_view Y, volt_feedback *fed_outputs)
{
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < Y.rows; i++) {
            low = fmin(low, Y.data[i * Y.ld + k]);
            high = fmax(high, Y.data[i * Y.ld + k]);
        }
        fed_outputs->low[k] = low;
        fed_outputs->high[k] = high;
    }
}

/* The largest norm of the rows after subtracting `shift`. */
static double largest_norm(volt_matrix Z, const double *shift)
{
    double norm = 0;
    for (int64_t i = 0; i < Z.rows; i++) {
        volt_squares squares = {0};
        for (int64_t j = 0; j < Z.cols; j++)
            volt_squares_add(&squares, Z.data[i * Z.ld + j] - shift[j]);
        norm = fmax(norm, volt_squares_root(&squares));
    }
    return norm;
}

volt_status volt_feedback_learn(volt_feedback *fed_outputs, volt_view Y, const volt_records *records,
                                const double *mean, const double *deviation, bool identity, bool first_known,
                                volt_matrix Z, volt_input_scale *input)
{
    int64_t input_columns = Z.cols - fed_outputs->n;
    learn_ranges(Y, fed_outputs);
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        fed_outputs->offset[k] = mean[k];
        fed_outputs->weight[k] = fed_outputs->omega / (input->scale * deviation[k]);
        input->shift[input_columns + k] =
            0; /* standardised columns need no shift; before the first row they are 0 */
        VOLT_REQUIRE(isfinite(fed_outputs->weight[k]), VOLT_ERR_NOT_FINITE,
                     "output %" PRId64 ": feedback weight %g over standard deviation %g "
                     "is not finite",
                     k + 1, fed_outputs->omega, deviation[k]);
    }
    for (int64_t i = 0; i < Z.rows; i++)
        for (int64_t k = 0; k < fed_outputs->n; k++) {
            bool begins = i == 0 || volt_records_begins(records, i);
            double before = Y.data[(begins ? i : i - 1) * Y.ld + k];
            bool known = !begins || (first_known && isfinite(before));
            Z.data[i * Z.ld + input_columns + k] = known ? volt_feedback_column(fed_outputs, k, before) : 0;
        }
    if (!identity)
        input->scale = 1 / largest_norm(Z, input->shift);
    VOLT_REQUIRE(isfinite(input->scale) && input->scale > 0, VOLT_ERR_NOT_FINITE,
                 "inputs and outputs fed back with weight %g cannot be scaled to 1", fed_outputs->omega);
    return VOLT_OK;
}

void volt_feedback_bounds(const volt_feedback *fed_outputs, int64_t k, double *middle, double *reach)
{
    double half = fed_outputs->high[k] / 2 - fed_outputs->low[k] / 2;
    *middle = half > 0 ? fed_outputs->low[k] + half : 0;
    *reach = half > 0 ? max_ranges * half : INFINITY;
}

int64_t volt_feedback_find_diverged(const volt_feedback *fed_outputs, const double *y)
{
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        double middle, reach;
        volt_feedback_bounds(fed_outputs, k, &middle, &reach);
        if (!(fabs(y[k] - middle) <= reach))
            return k;
    }
    return -1;
}

void volt_feedback_clip(const volt_feedback *fed_outputs, double *y)
{
    for (int64_t k = 0; k < fed_outputs->n; k++) {
        double middle, reach;
        volt_feedback_bounds(fed_outputs, k, &middle, &reach);
        y[k] = fmin(fmax(y[k], middle - reach), middle + reach);
    }
}

volt_status volt_feedback_report_diverged(const volt_feedback *fed_outputs, int64_t k, int64_t row,
                                          const double *y)
{
    return volt_fail(VOLT_ERR_NOT_FINITE,
                     "the free run diverges: output %" PRId64 " of row %" PRId64
                     " is %g, beyond %g times the range of the training targets, %g to %g",
                     k + 1, row + 1, y[k], max_ranges, fed_outputs->low[k], fed_outputs->high[k]);
}

/* ---- the recipe --------------------------------------------------------------------------------- */

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
    VOLT_TRY(feedback_create(q, weight, &recipe->fed_outputs));
    recipe->columns += q;
    return VOLT_OK;
}

void volt_recipe_release(volt_recipe *recipe)
{
    volt_free(recipe->column);
    recipe->column = NULL;
    volt_free(recipe->fed_outputs.offset);
    recipe->fed_outputs = (volt_feedback){0};
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
        VOLT_TRY(feedback_create(fed_outputs, from->fed_outputs.omega, &to->fed_outputs));
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

/* ---- initial inputs ----------------------------------------------------------------------------- */

/* The inputs before the first row, and the output that follows from them. */

const char *const volt_initial_words[4] = {"zero", "first", "mean", "values"};

volt_status volt_initial_check(volt_initial initial, const double *values, int64_t n, bool feeds_back)
{
    VOLT_REQUIRE(initial >= VOLT_INITIAL_ZERO && initial <= VOLT_INITIAL_VALUES, VOLT_ERR_ARGUMENT,
                 "unknown initial input %d", (int)initial);
    VOLT_REQUIRE(initial != VOLT_INITIAL_VALUES || values, VOLT_ERR_ARGUMENT,
                 "the initial input requires %" PRId64 " values", n);
    VOLT_REQUIRE(!feeds_back || initial == VOLT_INITIAL_ZERO || initial == VOLT_INITIAL_FIRST,
                 VOLT_ERR_ARGUMENT, "the initial input of a model with feedback must be zero or first (got %s)",
                 volt_initial_words[initial]);
    for (int64_t k = 0; initial == VOLT_INITIAL_VALUES && k < n; k++)
        VOLT_REQUIRE(isfinite(values[k]), VOLT_ERR_NOT_FINITE,
                     "value %" PRId64 " of the initial input must be finite (got %g)", k + 1, values[k]);
    return VOLT_OK;
}

volt_status volt_initial_values(volt_initial initial, const double *values, volt_view X, double **made)
{
    if (initial != VOLT_INITIAL_MEAN && initial != VOLT_INITIAL_VALUES)
        return VOLT_OK;
    double *fresh = volt_alloc_zero(X.cols, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < X.cols; k++)
        for (int64_t i = 0; i < X.rows && initial == VOLT_INITIAL_MEAN; i++)
            fresh[k] += X.data[i * X.ld + k] / (double)X.rows;
    if (initial == VOLT_INITIAL_VALUES)
        memcpy(fresh, values, (size_t)X.cols * sizeof *fresh);
    *made = fresh;
    return VOLT_OK;
}

volt_status volt_initial_past(volt_initial initial, const double *row, int64_t n, volt_past *past)
{
    double *input = NULL;
    if (row) {
        input = volt_alloc_doubles(n, 1);
        if (!input)
            return VOLT_ERR_MEMORY;
        memcpy(input, row, (size_t)n * sizeof *input);
    }
    volt_past_release(past);
    *past = (volt_past){.kind = input                           ? VOLT_PAST_FIXED
                                : initial == VOLT_INITIAL_FIRST ? VOLT_PAST_FIRST
                                                                : VOLT_PAST_ZERO,
                        .n = input ? n : 0,
                        .input = input};
    return VOLT_OK;
}

void volt_past_release(volt_past *past)
{
    volt_free(past->input);
    *past = (volt_past){.kind = VOLT_PAST_ZERO};
}

volt_status volt_model_settle_past(volt_model *model)
{
    const volt_recipe *recipe = &model->recipe;
    const volt_recent none = {0};
    double *row = NULL;
    if (model->initial_values) {
        row = volt_alloc_doubles(recipe->columns, 1);
        if (!row)
            return VOLT_ERR_MEMORY;
        volt_recipe_row(recipe, &none, model->initial_values, row);
        volt_input_scale_row(&model->input, recipe->columns, row, row);
    }
    volt_status status = volt_initial_past(model->initial, row, recipe->columns, &model->past);
    volt_free(row);
    return status == VOLT_OK ? volt_kernel_use_past(model->kernel, &model->past) : status;
}

volt_status volt_initial_require_zero(const volt_model *model)
{
    VOLT_REQUIRE(model->initial == VOLT_INITIAL_ZERO, VOLT_ERR_ARGUMENT,
                 "expansions require a model fitted with the initial input zero (got %s)",
                 volt_initial_words[model->initial]);
    return VOLT_OK;
}

/* ---- feedback ---------------------------------------------------------------------------------- */

typedef struct run_buffers {
    volt_recent recent;
    volt_state *state;
    double *z, *k, *before;
} run_buffers;

/* Runs the model on rows x until its output stays within 1e-9 of the range of the targets. */
static volt_status run(const volt_model *model, const double *x, run_buffers *buffers, double *y)
{
    enum { MAX_ROWS = 2000 };
    static const double near = 1e-9;
    volt_model_reader reader = volt_model_reader_of(model);
    const volt_feedback *fed_outputs = &model->recipe.fed_outputs;
    int64_t m = reader.columns->m, beyond = 0;
    bool moves = true;
    for (int64_t i = 0; i < MAX_ROWS && moves; i++) {
        VOLT_TRY(volt_model_take_input(model, &buffers->recent, x, VOLT_BEYOND_CLIP, 0, buffers->z, &beyond));
        volt_state_advance(buffers->state, volt_view_of(buffers->z, 1, model->d), false,
                           volt_matrix_of(buffers->k, 1, m), NULL);
        for (int64_t k = 0; k < model->q; k++) {
            buffers->before[k] = y[k];
            y[k] = 0;
            for (int64_t j = 0; j < m; j++)
                y[k] += buffers->k[j] * reader.coefficients[j * model->q + k];
        }
        VOLT_TRY(volt_model_finish_output(model, 0, x, y));
        volt_feedback_clip(fed_outputs, y);
        volt_recent_push(&model->recipe, &buffers->recent, x);
        volt_recent_feed(&model->recipe, &buffers->recent, y);
        moves = i == 0;
        for (int64_t k = 0; k < model->q; k++)
            moves |= fabs(y[k] - buffers->before[k]) > near * (fed_outputs->high[k] - fed_outputs->low[k]);
    }
    return VOLT_OK;
}

volt_status volt_model_stationary_output(const volt_model *model, const double *x, double *y)
{
    const volt_columns *columns = volt_model_reader_of(model).columns;
    run_buffers buffers = {.z = volt_alloc_doubles(model->d, 1),
                           .k = volt_alloc_doubles(columns->m, 1),
                           .before = volt_alloc_doubles(model->q, 1)};
    volt_status status = buffers.z && buffers.k && buffers.before
                             ? volt_recent_create(&model->recipe, &buffers.recent)
                             : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_state_create(&model->resolved, columns, 1, &buffers.state);
    if (status == VOLT_OK)
        status = run(model, x, &buffers, y);
    volt_state_free(buffers.state);
    volt_recent_release(&buffers.recent);
    volt_free(buffers.before);
    volt_free(buffers.k);
    volt_free(buffers.z);
    return status;
}
