/* bindings/call_training.c: training data and fits, shared by fit and tune. */
#include "call_training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---------------------------------------------------------------------------------- */

static const field_word targets[] = {
    {"level", VOLT_TARGET_LEVEL}, {"change", VOLT_TARGET_CHANGE}, {"auto", VOLT_TARGET_AUTO}, {NULL, 0}};
static const field_word inputs[] = {{"level", VOLT_INPUT_LEVEL},
                                    {"change", VOLT_INPUT_CHANGE},
                                    {"both", VOLT_INPUT_BOTH},
                                    {"auto", VOLT_INPUT_AUTO},
                                    {NULL, 0}};
static const field_word initials[] = {
    {"zero", VOLT_INITIAL_ZERO}, {"first", VOLT_INITIAL_FIRST}, {"mean", VOLT_INITIAL_MEAN}, {NULL, 0}};
static const field_word choices[] = {{"spread", VOLT_LANDMARKS_SPREAD},
                                     {"last", VOLT_LANDMARKS_LAST},
                                     {"random", VOLT_LANDMARKS_RANDOM},
                                     {NULL, 0}};
static const field_word seasons[] = {{"auto", VOLT_SEASON_AUTO}, {"none", 0}, {NULL, 0}};

const field training_fields[] = {OTHER("X"),     OTHER("Y"),           OTHER("kernel"),       OTHER("records"),
                                 OTHER("ahead"), OTHER("input_names"), OTHER("output_names"), OTHER("loss"),
                                 FIELDS_END};

const field fit_fields[] = {
    FIELD(volt_fit_options, FIELD_REAL, alpha),
    FIELD(volt_fit_options, FIELD_FLAG, intercept),
    FIELD(volt_fit_options, FIELD_FLAG, scale),
    FIELD(volt_fit_options, FIELD_FLAG, scale_each),
    FIELD(volt_fit_options, FIELD_REAL, tolerance),
    FIELD(volt_fit_options, FIELD_COUNT, washout),
    FIELD_WORDS(volt_fit_options, FIELD_CHOICE, target, targets),
    FIELD_WORDS(volt_fit_options, FIELD_CHOICE, input, inputs),
    FIELD_WORDS(volt_fit_options, FIELD_COUNT, season, seasons),
    FIELD(volt_fit_options, FIELD_REAL, feedback_weight),
    FIELD(volt_fit_options, FIELD_TEXT, solver),
    FIELD(volt_fit_options, FIELD_COUNT, landmarks),
    FIELD_WORDS(volt_fit_options, FIELD_CHOICE, landmark_choice, choices),
    FIELD_WORDS(volt_fit_options, FIELD_CHOICE, initial, initials),
    FIELD(volt_fit_options, FIELD_FLAG, keep_factor),
    FIELDS_END,
};

/* ---- training data ---------------------------------------------------------------------------- */

void call_training_release(training *t)
{
    volt_pairing_free(t->pairing);
    free(t->records);
}

/* Reads `ahead`: one horizon, or the first and the last. */
static volt_status read_ahead(call *c, volt_pairing_options *options)
{
    volt_view given = {0};
    volt_status status = argument_view(c, "ahead", false, &given);
    int64_t count = given.rows * given.cols;
    if (status || !given.data)
        return status;
    double first = count > 0 ? given.data[0] : -1, last = count == 2 ? given.data[1] : first;
    if (count < 1 || count > 2 || first < 0 || first != floor(first) || last != floor(last) || last < first ||
        last > 1e12)
        return call_fail(c, "ahead must be an integer of at least 0, or the first and the last horizon");
    options->first_ahead = (int64_t)first;
    options->ahead = (int64_t)last;
    return VOLT_OK;
}

volt_status call_training_read(call *c, bool feeds, training *t)
{
    volt_view X = {0}, Y = {0};
    volt_pairing_options options = volt_pairing_options_default();
    volt_status status = argument_view(c, "X", true, &X);
    if (!status)
        status = argument_view(c, "Y", false, &Y);
    if (!status)
        status = argument_text(c, "kernel", &t->kernel);
    if (!status)
        status = argument_text(c, "loss", &t->loss);
    if (!status)
        status = argument_lengths(c, "records", &t->records, &options.n_records);
    if (!status)
        status = read_ahead(c, &options);
    if (!status)
        status = argument_texts(c, "input_names", X.cols, &t->input_names, NULL);
    if (!status)
        status = argument_texts(c, "output_names", Y.data ? Y.cols : X.cols, &options.target_names, NULL);
    if (status)
        return status;
    if (!t->kernel)
        t->kernel = "volterra";
    options.records = t->records;
    options.input_names = t->input_names;
    options.loss = t->loss;
    options.fed_outputs = feeds;
    status = volt_pairing_create(X, Y, &options, &t->pairing);
    if (!status && t->pairing->first_ahead < t->pairing->ahead)
        snprintf(t->horizons, sizeof t->horizons, "%lld..%lld", (long long)t->pairing->first_ahead,
                 (long long)t->pairing->ahead);
    return status;
}

void call_training_set(const training *t, volt_fit_options *options)
{
    const volt_pairing *pairing = t->pairing;
    options->ahead = pairing->ahead;
    options->feedback = pairing->feedback;
    options->missing_targets = pairing->missing_targets > 0;
    options->anchors = pairing->anchors;
    options->input_names = t->input_names;
    options->output_names = pairing->output_names;
    options->pending = pairing->pending;
    options->records = pairing->records;
    options->n_records = pairing->n_records;
    options->loss = t->loss;
    if (t->horizons[0])
        options->notes.horizons = t->horizons;
}

/* ---- results ---------------------------------------------------------------------------------- */

void model_add_info(value *result, const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    value_add(result, "rows", value_number((double)info.n));
    value_add(result, "inputs", value_number((double)info.d));
    value_add(result, "outputs", value_number((double)info.q));
    value_add(result, "kernel", value_text(info.kernel));
    value_add(result, "alpha", info.alphas ? value_vector(info.alphas, info.q) : value_number(info.alpha));
    value_add(result, "ahead", value_number((double)info.ahead));
    value_add(result, "season", value_number((double)info.season));
    value_add(result, "washout", value_number((double)info.washout));
    value_add(result, "intercept", value_number(info.intercept));
    value_add(result, "feedback_weight", value_number(info.feedback_weight));
    value_add(result, "landmarks", value_number((double)info.landmarks));
    value_add(result, "members", value_number((double)info.n_members));
    value_add(result, "loss", value_text(info.loss ? info.loss : "squares"));
    if (info.input_names)
        value_add(result, "input_names", value_texts(info.input_names, info.d));
    if (info.output_names)
        value_add(result, "output_names", value_texts(info.output_names, info.q));
    if (info.anchors) {
        int64_t changes = 0;
        for (int64_t k = 0; k < info.q; k++)
            changes += info.anchors[k] >= 0;
        value_add(result, "target", value_text(changes == info.q ? "change" : changes ? "mixed" : "level"));
    }
    if (info.report) {
        value_add(result, "solver", value_text(info.report->solver));
        value_add(result, "heldout_rows", value_number((double)info.report->rows));
        value_add(result, "heldout_r2", value_number(info.report->heldout_r2));
        value_add(result, "log_likelihood", value_number(info.report->log_likelihood));
        value_add(result, "rkhs_norm", value_vector(info.report->rkhs_norm, info.q));
        value_add(result, "effective_dimension", value_vector(info.report->effective_dimension, info.q));
        value_add(result, "noise", value_vector(info.report->noise, info.q));
    }
}

/* Adds the assessment: held-out error, baselines, warnings. */
static volt_status add_assessment(call *c, const training *t, volt_assess_options options)
{
    volt_assessment found = {.struct_size = sizeof found};
    volt_status status = volt_assess(t->pairing, &options, &found);
    if (status)
        return status;
    value_add(c->result, "heldout_rmse", value_number(found.heldout_rmse));
    value_add(c->result, "r2", value_number(found.r2));
    value *baselines = value_list();
    for (int64_t i = 0; i < found.n_baselines; i++)
        value_add(baselines, found.baselines[i].name, value_number(found.baselines[i].rmse));
    value_add(c->result, "baselines", baselines);
    call_warn_codes(c, found.warnings, found.n_warnings);
    return VOLT_OK;
}

volt_status call_training_fit(call *c, const training *t, const char *text, const volt_fit_options *options,
                              volt_assess_options assess)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    value *fitted = value_matrix(t->pairing->inputs.rows, t->pairing->outputs);
    volt_status status = fitted ? volt_kernel_parse(text, &kernel) : VOLT_ERR_MEMORY;
    if (!status)
        status = volt_model_fit(kernel, t->pairing->inputs, t->pairing->targets, options,
                                value_as_matrix(fitted), &model);
    volt_kernel_free(kernel);
    if (!status) {
        assess.model = model;
        assess.fitted = value_as_view(fitted);
        status = add_assessment(c, t, assess);
    }
    if (status) {
        value_free(fitted);
        volt_model_free(model);
        return status;
    }
    model_add_info(c->result, model);
    value_add(c->result, "model", value_handle(handle_create(model, NULL, NULL), true));
    value_add(c->result, "fitted", fitted);
    value_add(c->result, "targets", value_view(t->pairing->targets));
    return VOLT_OK;
}

volt_assess_options call_training_assess_options(const training *t, int64_t season)
{
    volt_assess_options assess = volt_assess_options_default();
    assess.season = season;
    assess.by_loss = t->loss && strcmp(t->loss, "squares") != 0;
    return assess;
}
