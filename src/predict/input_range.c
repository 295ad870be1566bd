/* src/predict/input_range.c: rows outside the range of the training inputs.
 *
 * A row may lie inside the ball of training and still have an input that training never reached, such as a
 * negative input after training on positive ones. Each input is compared with its own range. A recipe of
 * changes has ranges of its own, to which it clips. Ranges are those of the inputs before any weight. */
#include "base/error.h"
#include "model/model_internal.h"
#include "predict/predict_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Share of the range by which an input may leave it without a warning. */
static const double margin = 0.1;

/* The model, or the first member of a sum, whose input j has a range that x leaves by more than the margin;
 * NULL: none. */
static const volt_model *find_left(const volt_model *model, int64_t j, double x)
{
    const volt_model *found = NULL;
    for (int64_t i = 0; model->sum && !found && i < model->sum->n; i++)
        found = find_left(model->sum->models[i], j, x);
    if (!model->input_range)
        return found;
    double low = model->input_range[j], high = model->input_range[model->recipe.inputs + j];
    double reach = margin * (high - low);
    return x < low - reach || x > high + reach ? model : NULL;
}

/* The first input of row x outside its range and margin, or -1. */
static int64_t find_outside(const volt_model *model, const double *x)
{
    for (int64_t j = 0; j < model->recipe.inputs; j++)
        if (find_left(model, j, x[j]))
            return j;
    return -1;
}

static void describe(const volt_model *model, double x, volt_predict_warning *warning)
{
    int64_t d = model->recipe.inputs, j = warning->column;
    double low = model->input_range[j], high = model->input_range[d + j];
    const char *name = model->input_names ? model->input_names[j] : "";
    snprintf(warning->text, sizeof warning->text,
             "%" PRId64
             " input row%s the range of the training inputs by more than %g %% of it, first row %" PRId64
             ": input %" PRId64 "%s%.40s%s is %g, %s (training: %g to %g)",
             warning->rows, warning->rows == 1 ? " leaves" : "s leave", 100 * margin, warning->row + 1, j + 1,
             *name ? " (" : "", name, *name ? ")" : "", x, x < low ? "below" : "above", low, high);
}

volt_status volt_model_check_range(const volt_model *model, volt_view X, int64_t row,
                                   volt_predict_warning *warning)
{
    VOLT_REQUIRE(model && warning, VOLT_ERR_ARGUMENT, "the model or the warning is NULL");
    VOLT_TRY(volt_model_check_inputs(model, X));
    int64_t before = warning->rows;
    for (int64_t i = 0; i < X.rows; i++) {
        int64_t j = find_outside(model, X.data + i * X.ld);
        if (j < 0)
            continue;
        if (warning->rows++ == 0) {
            warning->code = VOLT_WARNING_INPUT_RANGE;
            warning->row = row + i;
            warning->column = j;
            warning->value = X.data[i * X.ld + j];
        }
    }
    const volt_model *left = warning->rows > before ? find_left(model, warning->column, warning->value) : NULL;
    if (left)
        describe(left, warning->value, warning);
    return VOLT_OK;
}
