/* bindings/tasks.c: forecasts, identification of systems, comparisons of kernels, covolatility, simulated systems. */
#include "call.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- forecast --------------------------------------------------------------------------------- */

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
    take_season(c, &f.options.season);
    take_options(c, "volt_forecast_options", &f.options, NAMES("search_seconds", "budget"));
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
    add_fields(c, "volt_forecast_info", &info, NAMES("members", "", "series", ""));
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

static void add_identification(call *c, const volt_identification *found, const volt_output_test *tests,
                               int64_t q)
{
    const void *candidates[VOLT_IDENTIFY_CANDIDATES], **outputs = call_array(c, q, sizeof *outputs);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        candidates[i] = &found->candidates[i];
    for (int64_t k = 0; outputs && k < q; k++)
        outputs[k] = &tests[k];
    add_table(c, "candidates", "volt_identify_candidate", candidates, VOLT_IDENTIFY_CANDIDATES,
              NAMES("feedback_weight", "feedback"));
    add_table(c, "output_tests", "volt_output_test", outputs, q, NULL);
    add_text(c, "chosen", found->candidates[found->chosen].name);
    add_text(c, "kernel", found->candidates[found->chosen].kernel);
    /* the noise of a fit is a level, in the units of the outputs */
    add_fields(c, "volt_identification", found,
               NAMES("n_averaged", "averaged", "chosen", "", "noise", "share_of_noise"));
    add_warning_codes(c, found->warnings, found->n_warnings);
}

static void run_identify(call *c)
{
    volt_model *model = NULL;
    volt_identify_options options = volt_identify_options_default();
    volt_view U = take_view(c, "U", true), Y = take_view(c, "Y", true);
    take_options(c, "volt_identify_options", &options, NAMES("seconds", "budget"));
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

static void add_comparison(call *c, const volt_comparison *found, int64_t rows)
{
    int64_t count = 0;
    while (volt_comparison_row_at(found, count))
        count++;
    const void **kernels = call_array(c, count, sizeof *kernels);
    double *nmse = add_vector(c, "nmse", count);
    volt_matrix losses = add_matrix(c, "losses", rows, count);
    for (int64_t i = 0; i < count && call_ok(c); i++) {
        const volt_comparison_row *row = kernels[i] = volt_comparison_row_at(found, i);
        nmse[i] = row->metrics ? row->metrics->nmse : NAN;
        for (int64_t t = 0; row->losses && t < rows; t++)
            losses.data[t * count + i] = row->losses[t];
    }
    add_table(c, "kernels", "volt_comparison_row", kernels, count,
              NAMES("mcs_pvalue", "mcs_p", "score", "cv_score"));
}

static void run_compare(call *c)
{
    volt_comparison *found = NULL;
    volt_compare_options options = volt_compare_options_default();
    volt_view X = take_view(c, "X", true), Y = take_view(c, "Y", true);
    take_options(c, "volt_compare_options", &options, NAMES("seconds", "budget"));
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

static void run_mcs(call *c)
{
    int64_t count = 0;
    volt_mcs *found = NULL;
    volt_mcs_options options = volt_mcs_options_default();
    volt_view losses = take_view(c, "losses", true);
    take_options(c, "volt_mcs_options", &options, NULL);
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
    add_fields(c, "volt_mcs", found, NULL);
    add_arrays(c, "volt_mcs", found,
               NAMES("pvalues", "pvalue", "mean_losses", "mean_loss", "statistics", "statistic"));
    value *order = (value *)value_get(c->result, "order");
    for (int64_t i = 0; order && i < order->rows; i++)
        order->numbers[i]++; /* models from 1 */
    volt_mcs_free(found);
}

/* ---- covolatility ----------------------------------------------------------------------------- */

static void run_bekk_fit(call *c)
{
    volt_bekk *bekk = NULL;
    volt_bekk_fit_info info = {.struct_size = sizeof info};
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    volt_view returns = take_view(c, "returns", true);
    take_options(c, "volt_bekk_fit_options", &options, NULL);
    options.progress = c->progress;
    if (taken(c))
        c->status = volt_bekk_fit(returns, &options, &bekk, &info);
    if (!call_ok(c))
        return;
    add_fields(c, "volt_bekk_fit_info", &info, NULL);
    add_number(c, "observations", (double)bekk->observations);
    add_arrays(
        c, "volt_bekk", bekk,
        NAMES("C", "C", "a", "a", "b", "b", "C_error", "C_error", "a_error", "a_error", "b_error", "b_error"));
    if (!info.converged)
        add_warning(c, "the estimation did not converge");
    volt_bekk_free(bekk);
}

typedef struct bekk_parameters {
    volt_view C, a, b;
} bekk_parameters;

static bekk_parameters take_bekk(call *c)
{
    bekk_parameters p = {take_view(c, "C", true), take_view(c, "a", true), take_view(c, "b", true)};
    if (p.C.rows != p.C.cols || p.a.rows * p.a.cols != p.C.rows || p.b.rows * p.b.cols != p.C.rows)
        call_fail(c, "C must be square, and a and b must have its number of rows, %lld", (long long)p.C.rows);
    return p;
}

static volt_bekk *create_bekk(call *c, bekk_parameters p)
{
    volt_bekk *bekk = NULL;
    c->status = volt_bekk_create(p.C.rows, &bekk);
    if (call_ok(c)) {
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

static void run_bekk_simulate(call *c)
{
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    bekk_parameters parameters = take_bekk(c);
    take_options(c, "volt_bekk_simulate_options", &options, NULL);
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

/* ---- systems and threads ---------------------------------------------------------------------- */

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

static void run_threads(call *c)
{
    bool is_given = value_get(c->arguments, "count") != NULL;
    int64_t count = take_count(c, "count", -1, INT64_MIN);
    if (taken(c) && is_given)
        c->status = volt_set_threads(count);
    volt_build_info info = {.struct_size = sizeof info};
    if (taken(c))
        c->status = volt_build_info_get(&info);
    add_number(c, "threads", (double)info.threads);
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
    {"threads", run_threads},
    {NULL, NULL},
};
