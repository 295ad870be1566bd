/* bindings/tasks.c: forecasts, identification of systems, comparisons of kernels, covolatility, simulated systems. */
#include "call.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- forecast --------------------------------------------------------------------------------- */

static const field_word seasons[] = {{"auto", VOLT_SEASON_AUTO}, {"none", 0}, {NULL, 0}};

static const field forecast_fields[] = {
    FIELD(volt_forecast_options, FIELD_TEXT, kernel),
    FIELD(volt_forecast_options, FIELD_COUNT, steps),
    FIELD_WORDS(volt_forecast_options, FIELD_COUNT, season, seasons),
    FIELD(volt_forecast_options, FIELD_FLAG, separate),
    FIELD(volt_forecast_options, FIELD_FLAG, all_rows),
    FIELD_NAMED(volt_forecast_options, FIELD_REAL, "budget", search_seconds, NULL),
    FIELD(volt_forecast_options, FIELD_SEED, seed),
    FIELDS_END,
};

typedef struct forecasting {
    volt_view series, times;
    volt_time last;
    volt_forecast_options options;
} forecasting;

static forecasting take_forecast(call *c)
{
    forecasting f = {.options = volt_forecast_options_default(), .last = {NAN, NAN}};
    f.series = take_view(c, "series", true);
    f.times = take_view(c, "times", false);
    take_fields(c, forecast_fields, &f.options);
    f.options.known = take_view(c, "known", false);
    f.options.names = take_texts(c, "names", f.series.cols, NULL);
    volt_view coverage = take_view(c, "coverage", false);
    f.options.coverages = coverage.data;
    f.options.n_coverages = coverage.data ? coverage.rows * coverage.cols : 0;
    f.options.progress = c->progress;
    return f;
}

/* Finds the time step of the rows, and the last time, from `times` in seconds since 1970. */
static void find_step(call *c, forecasting *f)
{
    int64_t rows = f->series.rows, count = f->times.rows * f->times.cols;
    volt_times_report report = {.struct_size = sizeof report};
    if (!f->times.data)
        return;
    if (count != rows)
        call_fail(c, "times must have %lld numbers, one per row (got %lld)", (long long)rows, (long long)count);
    volt_time *times = call_array(c, rows, sizeof *times);
    for (int64_t i = 0; times && i < rows; i++)
        times[i] = f->last = (volt_time){f->times.data[i], f->times.data[i]};
    if (call_ok(c))
        c->status = volt_times_check(times, rows, NULL, (volt_time){NAN, NAN}, &report);
    if (!call_ok(c))
        return;
    f->options.step = report.step;
    add_warning_codes(c, report.warnings, report.n_warnings);
}

/* Values and expected errors: steps x series; ends of the intervals: a matrix for each coverage. */
static void add_steps(call *c, const volt_forecast *found, const volt_forecast_info *info, int64_t coverages)
{
    int64_t series = info->series, steps = info->steps;
    volt_matrix values = add_matrix(c, "forecast", steps, series),
                errors = add_matrix(c, "error", steps, series);
    volt_matrix *low = call_array(c, coverages, sizeof *low), *high = call_array(c, coverages, sizeof *high);
    add_matrices(c, "lower", coverages, steps, series, low);
    add_matrices(c, "upper", coverages, steps, series, high);
    for (int64_t i = 0; i < steps * series && call_ok(c); i++) {
        const volt_forecast_step *step = volt_forecast_step_at(found, i / series, i % series);
        values.data[i] = step->value;
        errors.data[i] = step->rmse;
        for (int64_t b = 0; b < coverages; b++) {
            low[b].data[i] = step->lower[b];
            high[b].data[i] = step->upper[b];
        }
    }
}

/* Season, errors and weights of the methods, for each series. */
static void add_series(call *c, const volt_forecast *found, const volt_forecast_info *info)
{
    int64_t series = info->series;
    double *season = add_vector(c, "season", series), *mase = add_vector(c, "mase", series);
    double *rmse = add_vector(c, "rmse", series);
    volt_matrix weights = add_matrix(c, "weights", info->members, series);
    volt_matrix errors = add_matrix(c, "member_rmse", info->members, series);
    value *ets = value_list();
    for (int64_t k = 0; k < series && call_ok(c); k++) {
        const volt_forecast_series *one = volt_forecast_series_at(found, k);
        season[k] = (double)one->season;
        mase[k] = one->mase;
        rmse[k] = one->rmse;
        value_add(ets, "", value_text(one->ets));
        for (int64_t m = 0; m < info->members; m++) {
            weights.data[m * series + k] = one->member_weight[m];
            errors.data[m * series + k] = one->member_rmse[m];
        }
    }
    value_add(c->result, "ets", ets);
    value_add(c->result, "members", value_texts(info->member_names, info->members));
}

static void run_forecast(call *c)
{
    volt_forecast *found = NULL;
    volt_forecast_info info = {.struct_size = sizeof info};
    forecasting f = take_forecast(c);
    if (taken(c))
        find_step(c, &f);
    if (call_ok(c))
        c->status = volt_forecast_run(f.series, &f.options, &found);
    if (!call_ok(c))
        return;
    volt_forecast_get_info(found, &info);
    add_steps(c, found, &info, f.options.n_coverages);
    add_series(c, found, &info);
    double *times = volt_time_step_is_known(f.options.step) ? add_vector(c, "times", info.steps) : NULL;
    for (int64_t h = 0; times && h < info.steps; h++)
        times[h] = volt_time_advance(f.last, f.options.step, h + 1).seconds;
    add_text(c, "kernel", info.kernel);
    add_number(c, "rows", (double)info.rows);
    add_number(c, "origins", (double)info.origins);
    add_warning_codes(c, info.warnings, info.n_warnings);
    volt_forecast_free(found);
}

static void run_backtest(call *c)
{
    volt_backtest found = {.struct_size = sizeof found};
    forecasting f = take_forecast(c);
    int64_t origins = take_count(c, "origins", 3, INT64_MIN), series = f.series.cols;
    if (taken(c))
        find_step(c, &f);
    found.mase = add_matrix(c, "mase", VOLT_BACKTEST_METHODS, series).data;
    found.smape = add_matrix(c, "smape", VOLT_BACKTEST_METHODS, series).data;
    found.rmse = add_matrix(c, "rmse", VOLT_BACKTEST_METHODS, series).data;
    found.coverage = add_matrix(c, "coverage", f.options.n_coverages, series).data;
    if (call_ok(c))
        c->status = volt_forecast_backtest(f.series, &f.options, origins, &found);
    if (!call_ok(c))
        return;
    value_add(c->result, "methods", value_texts(found.names, VOLT_BACKTEST_METHODS));
    add_number(c, "steps", (double)found.steps);
    add_number(c, "origins", (double)found.origins);
}

/* ---- identify --------------------------------------------------------------------------------- */

static const field identify_fields[] = {
    FIELD_NAMED(volt_identify_options, FIELD_REAL, "budget", seconds, NULL),
    FIELD(volt_identify_options, FIELD_COUNT, draws),
    FIELD(volt_identify_options, FIELD_SEED, seed),
    FIELD(volt_identify_options, FIELD_FLAG, scale_each),
    FIELDS_END,
};

static const field candidate_fields[] = {
    FIELD(volt_identify_candidate, FIELD_TEXT, name),
    FIELD(volt_identify_candidate, FIELD_REAL, nmse),
    FIELD(volt_identify_candidate, FIELD_REAL, alpha),
    FIELD_NAMED(volt_identify_candidate, FIELD_REAL, "feedback", feedback_weight, NULL),
    FIELD(volt_identify_candidate, FIELD_COUNT, trials),
    FIELD(volt_identify_candidate, FIELD_CHARS, kernel),
    FIELDS_END,
};

static const field output_test_fields[] = {
    FIELD(volt_output_test, FIELD_REAL, rmse),
    FIELD(volt_output_test, FIELD_REAL, linear_rmse),
    FIELD(volt_output_test, FIELD_REAL, std),
    FIELDS_END,
};

static void add_identification(call *c, const volt_identification *found, const volt_output_test *tests,
                               int64_t q)
{
    const void *candidates[VOLT_IDENTIFY_CANDIDATES], **outputs = call_array(c, q, sizeof *outputs);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        candidates[i] = &found->candidates[i];
    for (int64_t k = 0; outputs && k < q; k++)
        outputs[k] = &tests[k];
    add_table(c, "candidates", candidates, VOLT_IDENTIFY_CANDIDATES, candidate_fields);
    add_table(c, "output_tests", outputs, q, output_test_fields);
    add_text(c, "chosen", found->candidates[found->chosen].name);
    add_text(c, "kernel", found->candidates[found->chosen].kernel);
    add_number(c, "averaged", (double)found->n_averaged);
    add_number(c, "nonlinearity", found->nonlinearity);
    add_number(c, "dead_time", (double)found->dead_time);
    add_number(c, "train_rows", (double)found->train_rows);
    add_number(c, "fit_begin", (double)found->fit_begin);
    add_number(c, "fit_rows", (double)found->fit_rows);
    add_number(c, "test_rows", (double)found->test_rows);
    add_number(c, "test_rmse", found->test_rmse);
    add_number(c, "linear_test_rmse", found->linear_test_rmse);
    add_number(c, "test_std", found->test_std);
    add_number(c, "seconds", found->seconds);
    add_warning_codes(c, found->warnings, found->n_warnings);
}

static void run_identify(call *c)
{
    volt_model *model = NULL;
    volt_identify_options options = volt_identify_options_default();
    volt_view U = take_view(c, "U", true), Y = take_view(c, "Y", true);
    take_fields(c, identify_fields, &options);
    options.test_inputs = take_view(c, "test_U", false);
    options.test_outputs = take_view(c, "test_Y", false);
    options.records = take_lengths(c, "records", &options.n_records);
    options.test_records = take_lengths(c, "test_records", &options.n_test_records);
    options.input_names = take_texts(c, "input_names", U.cols, NULL);
    options.output_names = take_texts(c, "output_names", Y.cols, NULL);
    options.progress = c->progress;
    bool begins = taken(c);
    volt_identification *found = call_array(c, 1, sizeof *found);
    volt_output_test *tests = options.output_tests = call_array(c, Y.cols, sizeof *tests);
    if (begins && call_ok(c)) {
        found->struct_size = sizeof *found;
        c->status = volt_identify(U, Y, &options, &model, found);
    }
    if (!call_ok(c))
        return;
    handle *made = handle_create(model, NULL, NULL);
    if (made) {
        volt_model_info info = model_info(made);
        add_identification(c, found, tests, Y.cols);
        add_number(c, "inputs", (double)info.d);
        add_number(c, "outputs", (double)info.q);
        add_number(c, "feedback_weight", info.feedback_weight);
    }
    value_add(c->result, "model", value_handle(made, true));
}

/* ---- compare ---------------------------------------------------------------------------------- */

static const field_word protocols[] = {
    {"history", VOLT_PROTOCOL_HISTORY}, {"published", VOLT_PROTOCOL_PUBLISHED}, {NULL, 0}};

static const field compare_fields[] = {
    FIELD_WORDS(volt_compare_options, FIELD_CHOICE, protocol, protocols),
    FIELD(volt_compare_options, FIELD_COUNT, gap),
    FIELD(volt_compare_options, FIELD_COUNT, draws),
    FIELD_NAMED(volt_compare_options, FIELD_REAL, "budget", seconds, NULL),
    FIELD(volt_compare_options, FIELD_COUNT, folds),
    FIELD(volt_compare_options, FIELD_SEED, seed),
    FIELD(volt_compare_options, FIELD_REAL, mcs_size),
    FIELD(volt_compare_options, FIELD_COUNT, mcs_reps),
    FIELDS_END,
};

static const field comparison_fields[] = {
    FIELD(volt_comparison_row, FIELD_TEXT, name),
    FIELD_NAMED(volt_comparison_row, FIELD_REAL, "mcs_p", mcs_pvalue, NULL),
    FIELD(volt_comparison_row, FIELD_FLAG, in_mcs),
    FIELD_NAMED(volt_comparison_row, FIELD_REAL, "cv_score", score, NULL),
    FIELD(volt_comparison_row, FIELD_REAL, alpha),
    FIELD(volt_comparison_row, FIELD_COUNT, draws),
    FIELD(volt_comparison_row, FIELD_REAL, seconds),
    FIELD(volt_comparison_row, FIELD_TEXT, kernel),
    FIELD(volt_comparison_row, FIELD_TEXT, failure),
    FIELDS_END,
};

static void add_comparison(call *c, const volt_comparison *found, int64_t rows)
{
    int64_t count = volt_comparison_count(found);
    const void **kernels = call_array(c, count, sizeof *kernels);
    double *nmse = add_vector(c, "nmse", count);
    volt_matrix losses = add_matrix(c, "losses", rows, count);
    for (int64_t i = 0; i < count && call_ok(c); i++) {
        const volt_comparison_row *row = kernels[i] = volt_comparison_row_at(found, i);
        nmse[i] = row->metrics ? row->metrics->nmse : NAN;
        for (int64_t t = 0; row->losses && t < rows; t++)
            losses.data[t * count + i] = row->losses[t];
    }
    add_table(c, "kernels", kernels, count, comparison_fields);
}

static void run_compare(call *c)
{
    volt_comparison *found = NULL;
    volt_compare_options options = volt_compare_options_default();
    volt_view X = take_view(c, "X", true), Y = take_view(c, "Y", true);
    take_fields(c, compare_fields, &options);
    int64_t train = take_count(c, "train", X.rows * 3 / 4, INT64_MIN);
    const char *const *kernels = take_texts(c, "kernels", -1, &options.n_contenders);
    options.progress = c->progress;
    if (!options.draws && !(options.seconds > 0))
        options.draws = 100;
    if (!taken(c))
        return;
    volt_contender *contenders = kernels ? call_array(c, options.n_contenders, sizeof *contenders) : NULL;
    for (int64_t i = 0; contenders && i < options.n_contenders; i++)
        contenders[i].kernel = kernels[i];
    options.contenders = contenders;
    if (call_ok(c))
        c->status = volt_compare_run(X, Y, train, &options, &found);
    if (call_ok(c))
        add_comparison(c, found, X.rows - train);
    volt_comparison_free(found);
}

/* ---- model confidence set --------------------------------------------------------------------- */

static const field_word methods[] = {{"R", VOLT_MCS_R}, {"max", VOLT_MCS_MAX}, {NULL, 0}};

static const field mcs_fields[] = {
    FIELD_WORDS(volt_mcs_options, FIELD_CHOICE, method, methods),
    FIELD(volt_mcs_options, FIELD_REAL, size),
    FIELD(volt_mcs_options, FIELD_REAL, block),
    FIELD(volt_mcs_options, FIELD_COUNT, reps),
    FIELD(volt_mcs_options, FIELD_SEED, seed),
    FIELDS_END,
};

static void run_mcs(call *c)
{
    int64_t count = 0;
    volt_mcs *found = NULL;
    volt_mcs_options options = volt_mcs_options_default();
    volt_view losses = take_view(c, "losses", true);
    take_fields(c, mcs_fields, &options);
    int64_t *indices = take_lengths(c, "indices", &count); /* rows from 1 */
    options.progress = c->progress;
    if (indices && (losses.rows < 1 || count % losses.rows != 0))
        call_fail(c, "indices must have a row for each replication and %lld columns", (long long)losses.rows);
    if (!taken(c))
        return;
    for (int64_t i = 0; indices && i < count; i++)
        indices[i]--;
    if (indices) {
        options.indices = indices;
        options.reps = count / losses.rows;
    }
    c->status = volt_mcs_compute(losses, &options, &found);
    if (!call_ok(c))
        return;
    double *included = add_vector(c, "included", found->models), *order = add_vector(c, "order", found->models);
    for (int64_t i = 0; i < found->models && call_ok(c); i++) {
        included[i] = found->included[i];
        order[i] = (double)found->order[i] + 1;
    }
    value_add(c->result, "pvalue", value_vector(found->pvalues, found->models));
    value_add(c->result, "mean_loss", value_vector(found->mean_losses, found->models));
    value_add(c->result, "statistic", value_vector(found->statistics, found->models - 1));
    add_number(c, "block", found->block);
    volt_mcs_free(found);
}

/* ---- covolatility ----------------------------------------------------------------------------- */

static const field bekk_fit_fields[] = {
    FIELD(volt_bekk_fit_options, FIELD_COUNT, starts),
    FIELD(volt_bekk_fit_options, FIELD_SEED, seed),
    FIELD(volt_bekk_fit_options, FIELD_COUNT, rounds),
    FIELD(volt_bekk_fit_options, FIELD_FLAG, standard_errors),
    FIELDS_END,
};

static void run_bekk_fit(call *c)
{
    volt_bekk *bekk = NULL;
    volt_bekk_fit_info info = {.struct_size = sizeof info};
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    volt_view returns = take_view(c, "returns", true);
    take_fields(c, bekk_fit_fields, &options);
    options.progress = c->progress;
    if (taken(c))
        c->status = volt_bekk_fit(returns, &options, &bekk, &info);
    if (!call_ok(c))
        return;
    int64_t d = bekk->d;
    value_add(c->result, "C", value_view(volt_view_of(bekk->C, d, d)));
    value_add(c->result, "a", value_vector(bekk->a, d));
    value_add(c->result, "b", value_vector(bekk->b, d));
    if (bekk->C_error) {
        value_add(c->result, "C_error", value_view(volt_view_of(bekk->C_error, d, d)));
        value_add(c->result, "a_error", value_vector(bekk->a_error, d));
        value_add(c->result, "b_error", value_vector(bekk->b_error, d));
    }
    add_number(c, "loglik", info.loglik);
    add_number(c, "converged", info.converged);
    add_number(c, "observations", (double)bekk->observations);
    if (!info.converged)
        add_warning(c, "the estimation did not converge");
    volt_bekk_free(bekk);
}

/* The parameters C, a, b, or a preset. */
typedef struct bekk_parameters {
    const char *preset;
    volt_view C, a, b;
} bekk_parameters;

static bekk_parameters take_bekk(call *c)
{
    bekk_parameters p = {.preset = take_text(c, "preset", false)};
    p.C = take_view(c, "C", !p.preset);
    p.a = take_view(c, "a", !p.preset);
    p.b = take_view(c, "b", !p.preset);
    if (!p.preset &&
        (p.C.rows != p.C.cols || p.a.rows * p.a.cols != p.C.rows || p.b.rows * p.b.cols != p.C.rows))
        call_fail(c, "C must be square, and a and b must have its number of rows, %lld", (long long)p.C.rows);
    return p;
}

static volt_bekk *create_bekk(call *c, bekk_parameters p)
{
    volt_bekk *bekk = NULL;
    c->status = p.preset ? volt_bekk_preset(p.preset, &bekk) : volt_bekk_create(p.C.rows, &bekk);
    if (call_ok(c) && !p.preset) {
        memcpy(bekk->C, p.C.data, (size_t)(p.C.rows * p.C.cols) * sizeof(double));
        memcpy(bekk->a, p.a.data, (size_t)p.C.rows * sizeof(double));
        memcpy(bekk->b, p.b.data, (size_t)p.C.rows * sizeof(double));
    }
    return bekk;
}

static void run_bekk_loglik(call *c)
{
    double loglik = NAN;
    volt_view returns = take_view(c, "returns", true);
    bekk_parameters parameters = take_bekk(c);
    volt_bekk *bekk = taken(c) ? create_bekk(c, parameters) : NULL;
    int64_t half = bekk ? bekk->d * (bekk->d + 1) / 2 : 0;
    volt_matrix covariances = add_matrix(c, "covariances", returns.rows, half);
    if (call_ok(c))
        c->status = volt_bekk_loglik(bekk, returns, NULL, covariances, &loglik);
    volt_bekk_free(bekk);
    add_number(c, "loglik", loglik);
}

static const field bekk_simulate_fields[] = {
    FIELD(volt_bekk_simulate_options, FIELD_SEED, seed),
    FIELD(volt_bekk_simulate_options, FIELD_COUNT, discard),
    FIELDS_END,
};

static void run_bekk_simulate(call *c)
{
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    bekk_parameters parameters = take_bekk(c);
    take_fields(c, bekk_simulate_fields, &options);
    int64_t rows = take_rows(c, "rows", 1000);
    options.progress = c->progress;
    volt_bekk *bekk = taken(c) ? create_bekk(c, parameters) : NULL;
    int64_t d = bekk ? bekk->d : 0;
    volt_matrix z = add_matrix(c, "innovations", rows, d), r = add_matrix(c, "returns", rows, d);
    volt_matrix h = add_matrix(c, "covariances", rows, d * (d + 1) / 2);
    if (call_ok(c))
        c->status = volt_bekk_simulate(bekk, &options, z, r, h);
    volt_bekk_free(bekk);
}

static void run_returns(call *c)
{
    volt_view prices = take_view(c, "prices", true);
    if (prices.rows < 2)
        call_fail(c, "prices must have at least 2 rows (got %lld)", (long long)prices.rows);
    if (!taken(c))
        return;
    volt_matrix returns = add_matrix(c, "returns", prices.rows - 1, prices.cols);
    if (call_ok(c))
        c->status = volt_log_returns(prices, returns);
}

/* ---- systems and versions --------------------------------------------------------------------- */

static void run_simulate(call *c)
{
    int64_t columns = 0;
    volt_system system = 0;
    volt_simulate_options options = {0};
    const char *text = take_text(c, "system", true);
    if (call_ok(c))
        c->status = volt_system_parse(text, &system, &options);
    const volt_system_info *info = volt_system_at(system);
    int64_t rows = take_rows(c, "rows", info->length);
    options.seed = (uint64_t)take_count(c, "seed", 0, 0);
    options.discard = take_count(c, "discard", options.discard, INT64_MIN);
    options.progress = c->progress;
    if (taken(c))
        c->status = volt_simulate_columns(system, &options, &columns);
    volt_matrix out = add_matrix(c, "data", rows, columns);
    if (call_ok(c))
        c->status = volt_simulate(system, &options, out);
    if (call_ok(c) && !info->is_numbered)
        value_add(c->result, "columns", value_texts(info->columns, columns));
}

static void run_version(call *c)
{
    if (taken(c))
        add_text(c, "version", volt_version());
}

static void run_threads(call *c)
{
    bool is_given = value_get(c->arguments, "count") != NULL;
    int64_t count = take_count(c, "count", -1, INT64_MIN);
    if (taken(c) && is_given)
        c->status = volt_set_threads(count);
    add_number(c, "threads", (double)volt_threads());
}

const call_entry task_functions[] = {
    {"forecast", run_forecast},
    {"backtest", run_backtest},
    {"identify", run_identify},
    {"compare", run_compare},
    {"mcs", run_mcs},
    {"bekk_fit", run_bekk_fit},
    {"bekk_loglik", run_bekk_loglik},
    {"bekk_simulate", run_bekk_simulate},
    {"returns", run_returns},
    {"simulate", run_simulate},
    {"version", run_version},
    {"threads", run_threads},
    {NULL, NULL},
};
