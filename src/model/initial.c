/* src/model/initial.c: the inputs before the first row, and the output that follows from them. */
#include "model/initial.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/model_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
