/* bindings/models.c: fits, searches, predictions, streams and files of models. */
#include "call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- training data ---------------------------------------------------------------------------- */

typedef struct training {
    volt_view X, Y;
    const char *kernel;
    char horizons[64];
    volt_pairing_options options;
    volt_pairing *pairing;
} training;

/* Reads `ahead`: one horizon, or the first and the last. */
static void take_ahead(call *c, volt_pairing_options *options)
{
    volt_view given = take_view(c, "ahead", false);
    int64_t count = given.rows * given.cols;
    if (!given.data)
        return;
    double first = count > 0 ? given.data[0] : -1, last = count == 2 ? given.data[1] : first;
    if (count < 1 || count > 2 || first < 0 || first != floor(first) || last != floor(last) || last < first ||
        last > 1e12) {
        call_fail(c, "ahead must be an integer of at least 0, or the first and the last horizon");
        return;
    }
    options->first_ahead = (int64_t)first;
    options->ahead = (int64_t)last;
}

static training take_training(call *c)
{
    training t = {.options = volt_pairing_options_default()};
    t.X = take_view(c, "X", true);
    t.Y = take_view(c, "Y", false);
    t.kernel = take_text(c, "kernel", false);
    t.options.loss = take_text(c, "loss", false);
    t.options.records = take_lengths(c, "records", &t.options.n_records);
    take_ahead(c, &t.options);
    t.options.input_names = take_texts(c, "input_names", t.X.cols, NULL);
    t.options.target_names = take_texts(c, "output_names", t.Y.data ? t.Y.cols : t.X.cols, NULL);
    if (!t.kernel)
        t.kernel = "volterra";
    return t;
}

static void take_fit(call *c, volt_fit_options *options)
{
    take_season(c, &options->season);
    take_options(c, "volt_fit_options", options, NULL);
    options->progress = c->progress;
}

/* Pairs inputs and targets, and sets what a fit takes from the pairing. feeds: past outputs are inputs. */
static void pair(call *c, bool feeds, training *t, volt_fit_options *fit)
{
    t->options.fed_outputs = feeds;
    c->status = volt_pairing_create(t->X, t->Y, &t->options, &t->pairing);
    if (!call_ok(c))
        return;
    const volt_pairing *pairing = t->pairing;
    fit->ahead = pairing->ahead;
    fit->feedback = pairing->feedback;
    fit->missing_targets = pairing->missing_targets > 0;
    fit->anchors = pairing->anchors;
    fit->input_names = t->options.input_names;
    fit->output_names = pairing->output_names;
    fit->pending = pairing->pending;
    fit->records = pairing->records;
    fit->n_records = pairing->n_records;
    fit->loss = t->options.loss;
    if (pairing->first_ahead < pairing->ahead) {
        snprintf(t->horizons, sizeof t->horizons, "%lld..%lld", (long long)pairing->first_ahead,
                 (long long)pairing->ahead);
        fit->notes.horizons = t->horizons;
    }
}

/* ---- fit -------------------------------------------------------------------------------------- */

/* Adds a model, which the result takes over, and its properties. */
static void add_model(call *c, volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    add_fields(
        c, "volt_model_info", &info,
        NAMES("n", "rows", "d", "inputs", "q", "outputs", "n_members", "members", "alpha", "", "loss", ""));
    value_add(c->result, "alpha", info.alphas ? value_vector(info.alphas, info.q) : value_number(info.alpha));
    add_text(c, "loss", info.loss ? info.loss : "squares");
    if (info.input_names)
        value_add(c->result, "input_names", value_texts(info.input_names, info.d));
    if (info.output_names)
        value_add(c->result, "output_names", value_texts(info.output_names, info.q));
    if (info.anchors) {
        int64_t changes = 0;
        for (int64_t k = 0; k < info.q; k++)
            changes += info.anchors[k] >= 0;
        add_text(c, "target", changes == info.q ? "change" : changes ? "mixed" : "level");
    }
    if (info.report) {
        add_text(c, "solver", info.report->solver);
        add_number(c, "heldout_rows", (double)info.report->rows);
        add_number(c, "heldout_r2", info.report->heldout_r2);
        add_number(c, "log_likelihood", info.report->log_likelihood);
        value_add(c->result, "rkhs_norm", value_vector(info.report->rkhs_norm, info.q));
        value_add(c->result, "effective_dimension", value_vector(info.report->effective_dimension, info.q));
        value_add(c->result, "noise", value_vector(info.report->noise, info.q));
    }
    value_add(c->result, "model", value_handle(handle_create(model, NULL, NULL), true));
}

/* Adds held-out error, baselines and warnings. */
static void add_assessment(call *c, const volt_pairing *pairing, const volt_assess_options *options)
{
    volt_assessment found = {.struct_size = sizeof found};
    c->status = volt_assess(pairing, options, &found);
    if (!call_ok(c))
        return;
    add_number(c, "heldout_rmse", found.heldout_rmse);
    add_number(c, "r2", found.r2);
    value *baselines = value_list();
    for (int64_t i = 0; i < found.n_baselines; i++)
        value_add(baselines, found.baselines[i].name, value_number(found.baselines[i].rmse));
    value_add(c->result, "baselines", baselines);
    add_warning_codes(c, found.warnings, found.n_warnings);
}

/* Fits a kernel, and adds model, fitted values, properties, assessment and warnings. */
static void fit_model(call *c, const training *t, const char *text, const volt_fit_options *options,
                      int64_t season)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    const volt_pairing *pairing = t->pairing;
    volt_assess_options assess = volt_assess_options_default();
    volt_matrix fitted = add_matrix(c, "fitted", pairing->inputs.rows, pairing->outputs);
    if (call_ok(c))
        c->status = volt_kernel_parse(text, &kernel);
    if (call_ok(c))
        c->status = volt_model_fit(kernel, pairing->inputs, pairing->targets, options, fitted, &model);
    volt_kernel_free(kernel);
    if (!call_ok(c))
        return;
    assess.season = season;
    assess.by_loss = t->options.loss && strcmp(t->options.loss, "squares") != 0;
    assess.model = model;
    assess.fitted = volt_as_view(fitted);
    add_model(c, model);
    if (value_list_ok(c->result)) /* it has the model */
        add_assessment(c, pairing, &assess);
    volt_matrix targets = add_matrix(c, "targets", pairing->targets.rows, pairing->targets.cols);
    for (int64_t i = 0; i < targets.rows; i++)
        memcpy(targets.data + i * targets.ld, pairing->targets.data + i * pairing->targets.ld,
               (size_t)targets.cols * sizeof *targets.data);
}

static void run_fit(call *c)
{
    volt_fit_options options = volt_fit_options_default();
    training t = take_training(c);
    take_fit(c, &options);
    if (taken(c))
        pair(c, options.feedback_weight > 0, &t, &options);
    if (call_ok(c))
        fit_model(c, &t, t.kernel, &options, options.season);
    volt_pairing_free(t.pairing);
}

/* ---- tune ------------------------------------------------------------------------------------- */

enum { MAX_RANGES = 64 };

/* Returns a number of a range, whose items are texts, or a list with numbers; NaN: none. */
static double range_end(const value *given, int64_t i)
{
    const value *item = i < given->rows && given->kind == VALUE_LIST ? given->items[i] : NULL;
    char *end = NULL;
    if (item && item->kind == VALUE_NUMBERS)
        return item->rows * item->cols == 1 ? item->numbers[0] : NAN;
    if (i >= given->rows || given->kind != VALUE_TEXTS)
        return NAN;
    double number = strtod(given->texts[i], &end);
    return *end ? NAN : number;
}

/* Reads one range: two numbers (logarithmic), "linear" or "integer" and two numbers, or a list of values. */
static void read_range(call *c, const char *name, const value *given, volt_range *range)
{
    range->name = name;
    if (given->kind == VALUE_NUMBERS && given->rows * given->cols == 2) {
        range->kind = VOLT_SEARCH_LOG;
        range->low = given->numbers[0];
        range->high = given->numbers[1];
        return;
    }
    const value *first = given->kind == VALUE_LIST && given->rows > 0 ? given->items[0] : given;
    const char *word = first->kind == VALUE_TEXTS && first->rows > 0 ? first->texts[0] : "";
    bool is_linear = strcmp(word, "linear") == 0, is_integer = strcmp(word, "integer") == 0;
    if (!is_linear && !is_integer && (given->kind != VALUE_TEXTS || given->rows < 1)) {
        call_fail(c, "the range of %s must be two numbers, c(\"linear\", low, high) or texts", name);
        return;
    }
    if (!is_linear && !is_integer) {
        range->choices = (const char *const *)given->texts;
        range->n_choices = given->rows;
        return;
    }
    range->kind = is_linear ? VOLT_SEARCH_LINEAR : VOLT_SEARCH_INTEGER;
    range->low = range_end(given, 1);
    range->high = range_end(given, 2);
    if (given->rows != 3 || isnan(range->low) || isnan(range->high))
        call_fail(c, "the range of %s must have a lower and an upper end after \"%s\"", name, word);
}

typedef struct tuning {
    training t;
    volt_range ranges[MAX_RANGES];
    volt_draw_options draw;
    volt_search_options search;
    volt_fit_options fit;
    volt_prepared *prepared;
    volt_candidates *candidates;
    volt_search *found;
    bool feeds, alpha_is_given;
} tuning;

static void take_ranges(call *c, tuning *run)
{
    const value *given = take(c, "ranges");
    run->draw.ranges = run->ranges;
    if (given && (given->kind != VALUE_LIST || given->rows > MAX_RANGES)) {
        call_fail(c, "ranges must be a named list of at most %d ranges", MAX_RANGES);
        return;
    }
    for (int64_t i = 0; given && i < given->rows; i++) {
        read_range(c, given->names[i], given->items[i], &run->ranges[i]);
        run->alpha_is_given = run->alpha_is_given || strcmp(given->names[i], "alpha") == 0;
        run->draw.n_ranges = i + 1;
    }
}

static void take_tuning(call *c, tuning *run)
{
    run->fit = volt_fit_options_default();
    run->search = volt_search_options_default();
    run->draw = volt_draw_options_default();
    run->search.splits.gap = VOLT_GAP_AUTO;
    run->t = take_training(c);
    take_fit(c, &run->fit);
    take_options(c, "volt_split_options", &run->search.splits, NULL);
    take_options(c, "volt_search_options", &run->search, NAMES("strategy", "search", "seconds", "budget"));
    run->feeds = take_number(c, "feedback", 0) != 0;
    run->draw.seed = (uint64_t)take_count(c, "seed", 0, 0);
    run->draw.scale = run->fit.scale;
    run->draw.from_defaults = 1;
    if (value_get(c->arguments, "alpha"))
        call_fail(c, "alpha is searched: use ranges for another range");
    if (run->search.draws == 0 && !(run->search.seconds > 0))
        run->search.draws = 100;
    take_ranges(c, run);
}

/* Sets what the search has in common with the fit. */
static void set_search(call *c, tuning *run)
{
    const volt_pairing *pairing = run->t.pairing;
    volt_search_options *search = &run->search;
    search->ahead = pairing->ahead;
    search->washout = run->fit.washout;
    search->intercept = run->fit.intercept;
    search->scale = run->fit.scale;
    search->records = pairing->records;
    search->n_records = pairing->n_records;
    search->base = run->prepared->base;
    search->initial = run->prepared->initial;
    search->initial_values = run->prepared->initial_values;
    search->solver = run->fit.solver;
    search->landmarks = run->fit.landmarks;
    search->landmark_choice = run->fit.landmark_choice;
    search->progress = c->progress;
    if (run->fit.loss && strcmp(run->fit.loss, "squares") != 0)
        search->loss = run->fit.loss;
    if (run->fit.tolerance > 0)
        search->tolerance = run->fit.tolerance;
}

static void add_trials(call *c, const volt_search *found)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(found, &info);
    const void **trials = call_array(c, info.trials, sizeof *trials);
    for (int64_t i = 0; trials && i < info.trials; i++)
        trials[i] = volt_search_trial(found, i);
    add_table(c, "trials", "volt_trial", trials, info.trials, NAMES("n_folds", "folds"));
    add_text(c, "score_name", info.score_name);
    add_number(c, "seconds", info.seconds);
    add_number(c, "failed", (double)info.failed);
    if (info.out_of_time)
        add_number(c, "out_of_time", 1);
}

static void search_and_fit(call *c, tuning *run)
{
    volt_fit_options *fit = &run->fit;
    pair(c, run->feeds, &run->t, fit);
    if (!call_ok(c))
        return;
    fit->alpha = run->alpha_is_given; /* the value is ignored */
    c->status = volt_prepare(run->t.pairing->inputs, run->t.pairing->targets, fit, run->t.pairing->inputs.rows,
                             &run->prepared);
    if (!call_ok(c))
        return;
    const volt_prepared *prepared = run->prepared;
    set_search(c, run);
    if (run->feeds)
        run->draw.fed_outputs = prepared->Y;
    c->status = volt_candidates_draw(run->t.kernel, prepared->X, &run->draw, &run->candidates);
    if (call_ok(c))
        c->status = volt_search_run(run->candidates, prepared->X, prepared->Y, &run->search, &run->found);
    const volt_trial *best = call_ok(c) ? volt_search_trial(run->found, VOLT_TRIAL_BEST) : NULL;
    if (!best) {
        call_fail(c, "the budget ended the search before the first trial: increase it");
        return;
    }
    fit->target = prepared->target;
    fit->input = prepared->input;
    fit->season = prepared->season;
    fit->guarded = prepared->guarded;
    fit->alpha = best->alpha;
    fit->feedback_weight = best->feedback;
    add_trials(c, run->found);
    add_number(c, "score", best->score);
    fit_model(c, &run->t, best->kernel, fit, VOLT_SEASON_AUTO);
}

static void run_tune(call *c)
{
    tuning run = {0};
    take_tuning(c, &run);
    if (taken(c))
        search_and_fit(c, &run);
    volt_search_free(run.found);
    volt_candidates_free(run.candidates);
    volt_prepared_free(run.prepared);
    volt_pairing_free(run.t.pairing);
}

/* ---- predict ---------------------------------------------------------------------------------- */

/* Adds intervals of the predictions: lower and upper, a matrix for each coverage. */
static void add_intervals(call *c, const volt_model *model, volt_view coverage, volt_matrix prediction)
{
    int64_t count = coverage.rows * coverage.cols, q = prediction.cols;
    volt_matrix *low = call_array(c, count, sizeof *low), *high = call_array(c, count, sizeof *high);
    double *half = call_array(c, count * q, sizeof *half);
    add_matrices(c, "lower", count, prediction.rows, q, low);
    add_matrices(c, "upper", count, prediction.rows, q, high);
    if (call_ok(c))
        c->status = volt_model_interval(model, coverage.data, count, volt_matrix_of(half, count, q));
    for (int64_t k = 0; k < count && call_ok(c); k++)
        for (int64_t i = 0; i < prediction.rows * q; i++) {
            low[k].data[i] = prediction.data[i] - half[k * q + i % q];
            high[k].data[i] = prediction.data[i] + half[k * q + i % q];
        }
}

static void run_predict(call *c)
{
    char text[160];
    int64_t beyond = 0;
    volt_predict_options options = volt_predict_options_default();
    volt_predict_report report = {.struct_size = sizeof report};
    const handle *model = take_model(c);
    volt_view X = take_view(c, "X", true), coverage = take_view(c, "coverage", false);
    take_options(c, "volt_predict_options", &options, NULL);
    options.known = take_view(c, "known", false);
    options.records = take_lengths(c, "records", &options.n_records);
    bool std = take_number(c, "std", 0) != 0;
    options.progress = c->progress;
    options.report = &report;
    if (!taken(c))
        return;
    volt_matrix out = add_matrix(c, "prediction", X.rows, model_info(model).q);
    if (std)
        options.std = add_matrix(c, "std", X.rows, out.cols);
    if (call_ok(c))
        c->status = volt_model_predict(model->model, X, &options, out, &beyond);
    if (!call_ok(c))
        return;
    for (int64_t i = 0; i < report.n_warnings; i++)
        add_warning(c, report.warnings[i].text);
    if (beyond > 0) {
        snprintf(text, sizeof text, "%lld of %lld input rows have a larger norm than any training input",
                 (long long)beyond, (long long)X.rows);
        add_warning(c, text);
    }
    if (coverage.data)
        add_intervals(c, model->model, coverage, out);
}

/* Feeds a model its own outputs. */
static void run_continue(call *c)
{
    volt_predict_options options = volt_predict_options_default();
    const handle *model = take_model(c);
    volt_view X = take_view(c, "X", false);
    int64_t steps = take_rows(c, "steps", 1);
    options.progress = c->progress;
    if (!taken(c))
        return;
    volt_matrix out = add_matrix(c, "prediction", steps, model_info(model).q);
    if (call_ok(c))
        c->status = volt_model_continue(model->model, X, &options, out, NULL);
}

/* ---- explain ---------------------------------------------------------------------------------- */

static void run_explain(call *c)
{
    volt_explanation *found = NULL;
    volt_explain_options options = volt_explain_options_default();
    const handle *model = take_model(c);
    take_options(c, "volt_explain_options", &options, NULL);
    options.progress = c->progress;
    if (taken(c))
        c->status = volt_model_explain(model->model, &options, &found);
    if (!call_ok(c))
        return;
    int64_t size = found->q;
    add_fields(c, "volt_explanation", found, NAMES("d", "inputs", "q", "outputs"));
    add_arrays(c, "volt_explanation", found, NULL);
    value *kernels = value_list();
    for (int64_t p = 0; p < found->order; p++) {
        size *= found->lags * found->d;
        value_add(kernels, "", value_vector(found->kernels[p], size));
    }
    value_add(c->result, "kernels", kernels);
    volt_explanation_free(found);
}

/* ---- row by row ------------------------------------------------------------------------------- */

static void run_stream(call *c)
{
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    handle *model = take_model(c);
    take_options(c, "volt_live_options", &options, NULL);
    options.progress = c->progress;
    if (!taken(c))
        return;
    volt_model_info info = model_info(model);
    if (options.start == VOLT_START_CONTINUE && info.pending.rows > 0)
        options.pending = info.pending;
    c->status = volt_live_create(model->model, &options, &live);
    if (call_ok(c))
        value_add(c->result, "stream", value_handle(handle_create(NULL, live, model), true));
}

/* Feeds rows one by one. */
static void run_feed(call *c)
{
    const handle *stream = take_stream(c);
    volt_view X = take_view(c, "X", true);
    if (!taken(c))
        return;
    volt_model_info info = model_info(stream->owner);
    if (X.cols != info.d)
        call_fail(c, "X must have %lld columns (got %lld)", (long long)info.d, (long long)X.cols);
    volt_matrix out = add_matrix(c, "prediction", X.rows, info.q);
    for (int64_t i = 0; i < X.rows && call_ok(c); i++)
        c->status = volt_live_feed(stream->stream, X.data + i * X.ld, out.data + i * info.q);
}

/* Gives the target of the row fed last. */
static void run_learn(call *c)
{
    const handle *stream = take_stream(c);
    volt_view y = take_view(c, "y", true);
    if (!taken(c))
        return;
    int64_t q = model_info(stream->owner).q;
    if (y.rows * y.cols != q)
        call_fail(c, "y must have %lld numbers (got %lld)", (long long)q, (long long)(y.rows * y.cols));
    else
        c->status = volt_live_learn(stream->stream, 0, y.data);
}

/* ---- files ------------------------------------------------------------------------------------ */

static void run_save(call *c)
{
    const handle *model = take_model(c);
    const char *path = take_text(c, "path", true);
    if (taken(c))
        c->status = volt_model_save(model->model, path, c->progress);
}

static void run_load(call *c)
{
    volt_model *model = NULL;
    const char *path = take_text(c, "path", true);
    if (taken(c))
        c->status = volt_model_load(path, &model);
    if (call_ok(c))
        add_model(c, model);
}

const call_entry model_functions[] = {
    {"fit", run_fit},
    {"tune", run_tune},
    {"predict", run_predict},
    {"continue", run_continue},
    {"explain", run_explain},
    {"stream", run_stream},
    {"feed", run_feed},
    {"learn", run_learn},
    {"save", run_save},
    {"load", run_load},
    {NULL, NULL},
};
