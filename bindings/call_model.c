/* bindings/call_model.c: fits, predictions and files of models. */
#include "call_training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---------------------------------------------------------------------------------- */

static const field_word starts[] = {{"continue", VOLT_START_CONTINUE}, {"reset", VOLT_START_RESET}, {NULL, 0}};
static const field_word beyonds[] = {
    {"clip", VOLT_BEYOND_CLIP}, {"error", VOLT_BEYOND_ERROR}, {"allow", VOLT_BEYOND_ALLOW}, {NULL, 0}};

static const field predict_fields[] = {
    FIELD_WORDS(volt_predict_options, FIELD_CHOICE, start, starts),
    FIELD_WORDS(volt_predict_options, FIELD_CHOICE, beyond, beyonds),
    FIELD(volt_predict_options, FIELD_COUNT, warm_up),
    OTHER("model"),
    OTHER("X"),
    OTHER("known"),
    OTHER("records"),
    OTHER("coverage"),
    OTHER("std"),
    FIELDS_END,
};

/* ---- fit -------------------------------------------------------------------------------------- */

static volt_status run_fit(call *c)
{
    const field *const tables[] = {training_fields, fit_fields};
    training t = {0};
    volt_fit_options options = volt_fit_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 2);
    if (!status)
        status = fields_set(c, fit_fields, &options);
    if (!status)
        status = call_training_read(c, options.feedback_weight > 0, &t);
    if (!status) {
        call_training_set(&t, &options);
        status = call_training_fit(c, &t, t.kernel, &options, call_training_assess_options(&t, options.season));
    }
    call_training_release(&t);
    return status;
}

/* ---- predict ---------------------------------------------------------------------------------- */

static void warn_of(call *c, const volt_predict_report *report, int64_t beyond, int64_t rows)
{
    char text[160];
    for (int64_t i = 0; i < report->n_warnings; i++)
        call_warn(c, report->warnings[i].text);
    if (beyond > 0) {
        snprintf(text, sizeof text, "%lld of %lld input rows have a larger norm than any training input",
                 (long long)beyond, (long long)rows);
        call_warn(c, text);
    }
}

/* Adds intervals of the predictions: lower and upper, a matrix for each coverage. */
static volt_status add_intervals(call *c, const volt_model *model, const value *prediction)
{
    volt_view coverage = {0};
    volt_status status = argument_view(c, "coverage", false, &coverage);
    int64_t count = coverage.rows * coverage.cols, q = prediction->cols;
    if (status || !coverage.data)
        return status;
    value *half = value_matrix(count, q), *lower = value_list(), *upper = value_list();
    status = half ? volt_model_interval(model, coverage.data, count, value_as_matrix(half)) : VOLT_ERR_MEMORY;
    for (int64_t k = 0; k < count && !status; k++) {
        value *low = value_matrix(prediction->rows, q), *high = value_matrix(prediction->rows, q);
        for (int64_t i = 0; low && high && i < prediction->rows * q; i++) {
            low->numbers[i] = prediction->numbers[i] - half->numbers[k * q + i % q];
            high->numbers[i] = prediction->numbers[i] + half->numbers[k * q + i % q];
        }
        value_add(lower, "", low);
        value_add(upper, "", high);
    }
    value_add(c->result, "lower", lower);
    value_add(c->result, "upper", upper);
    value_free(half);
    return status;
}

static volt_status run_predict(call *c)
{
    const field *const tables[] = {predict_fields};
    const volt_model *model = NULL;
    volt_view X = {0};
    int64_t *records = NULL, beyond = 0, std = 0;
    volt_predict_options options = volt_predict_options_default();
    volt_predict_report report = {.struct_size = sizeof report};
    volt_model_info info = {.struct_size = sizeof info};
    value *out = NULL, *deviations = NULL;
    options.progress = c->progress;
    options.report = &report;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_model(c, &model);
    if (!status)
        status = argument_view(c, "X", true, &X);
    if (!status)
        status = fields_set(c, predict_fields, &options);
    if (!status)
        status = argument_view(c, "known", false, &options.known);
    if (!status)
        status = argument_lengths(c, "records", &records, &options.n_records);
    if (!status)
        status = argument_count(c, "std", 0, &std);
    if (!status) {
        options.records = records;
        volt_model_get_info(model, &info);
        out = value_matrix(X.rows, info.q);
        deviations = std ? value_matrix(X.rows, info.q) : NULL;
        if (deviations)
            options.std = value_as_matrix(deviations);
        status = out && (deviations || !std)
                     ? volt_model_predict(model, X, &options, value_as_matrix(out), &beyond)
                     : VOLT_ERR_MEMORY;
    }
    free(records);
    if (!status) {
        warn_of(c, &report, beyond, X.rows);
        status = add_intervals(c, model, out);
    }
    if (status) {
        value_free(out);
        value_free(deviations);
        return status;
    }
    value_add(c->result, "prediction", out);
    if (deviations)
        value_add(c->result, "std", deviations);
    return VOLT_OK;
}

/* Feeds a model its own outputs. */
static volt_status run_continue(call *c)
{
    static const field fields[] = {OTHER("model"), OTHER("X"), OTHER("steps"), FIELDS_END};
    const field *const tables[] = {fields};
    const volt_model *model = NULL;
    volt_view X = {0};
    int64_t steps = 0, beyond = 0;
    volt_predict_options options = volt_predict_options_default();
    volt_model_info info = {.struct_size = sizeof info};
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_model(c, &model);
    if (!status)
        status = argument_view(c, "X", false, &X);
    if (!status)
        status = argument_count(c, "steps", 1, &steps);
    if (!status && (steps < 1 || steps > 1000000000))
        status = call_fail(c, "steps must be at least 1 (got %lld)", (long long)steps);
    if (status)
        return status;
    volt_model_get_info(model, &info);
    value *out = value_matrix(steps, info.q);
    status = out ? volt_model_continue(model, X, &options, value_as_matrix(out), &beyond) : VOLT_ERR_MEMORY;
    if (status)
        value_free(out);
    else
        value_add(c->result, "prediction", out);
    return status;
}

/* ---- explain ---------------------------------------------------------------------------------- */

static volt_status run_explain(call *c)
{
    static const field fields[] = {FIELD(volt_explain_options, FIELD_COUNT, lags),
                                   FIELD(volt_explain_options, FIELD_COUNT, order),
                                   FIELD(volt_explain_options, FIELD_FLAG, band),
                                   FIELD(volt_explain_options, FIELD_FLAG, shares),
                                   OTHER("model"),
                                   FIELDS_END};
    const field *const tables[] = {fields};
    const volt_model *model = NULL;
    volt_explanation *found = NULL;
    volt_explain_options options = volt_explain_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = argument_model(c, &model);
    if (!status)
        status = fields_set(c, fields, &options);
    if (!status)
        status = volt_model_explain(model, &options, &found);
    if (status)
        return status;
    value_add(c->result, "inputs", value_number((double)found->d));
    value_add(c->result, "outputs", value_number((double)found->q));
    value_add(c->result, "lags", value_number((double)found->lags));
    value_add(c->result, "order", value_number((double)found->order));
    value_add(c->result, "about", value_vector(found->about, found->d));
    value_add(c->result, "g0", value_vector(found->g0, found->q));
    int64_t size = found->q;
    value *kernels = value_list();
    for (int64_t p = 0; p < found->order; p++) {
        size *= found->lags * found->d;
        value_add(kernels, "", value_vector(found->kernels[p], size));
    }
    value_add(c->result, "kernels", kernels);
    if (found->g1_std)
        value_add(c->result, "g1_std", value_vector(found->g1_std, found->q * found->lags * found->d));
    if (found->shares)
        value_add(c->result, "shares",
                  value_view(volt_view_of(found->shares, found->q, found->share_orders + 1)));
    volt_explanation_free(found);
    return VOLT_OK;
}

/* ---- files ------------------------------------------------------------------------------------ */

static volt_status read_path(call *c, const char **path)
{
    volt_status status = argument_text(c, "path", path);
    return status || *path ? status : call_fail(c, "path is missing");
}

static volt_status run_save(call *c)
{
    const char *path = NULL;
    const volt_model *model = NULL;
    volt_status status = argument_model(c, &model);
    if (!status)
        status = read_path(c, &path);
    return status ? status : volt_model_save(model, path, c->progress);
}

static volt_status run_load(call *c)
{
    const char *path = NULL;
    volt_model *model = NULL;
    volt_status status = read_path(c, &path);
    if (!status)
        status = volt_model_load(path, &model);
    if (status)
        return status;
    model_add_info(c->result, model);
    value_add(c->result, "model", value_handle(handle_create(model, NULL, NULL), true));
    return VOLT_OK;
}

const call_entry call_model_entries[] = {
    {"fit", run_fit},
    {"predict", run_predict},
    {"continue", run_continue},
    {"explain", run_explain},
    {"save", run_save},
    {"load", run_load},
    {NULL, NULL},
};
