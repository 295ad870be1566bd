/* bindings/call_task.c: forecasts, identification of systems, comparisons of kernels. */
#include "call.h"

#include <math.h>
#include <stdlib.h>
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
    OTHER("series"),
    OTHER("known"),
    OTHER("coverage"),
    OTHER("names"),
    OTHER("times"),
    FIELDS_END,
};

/* Time step of the rows, and the last time, from `times` in seconds since 1970. */
static volt_status read_step(call *c, int64_t rows, volt_time_step *step, volt_time *last)
{
    volt_view given = {0};
    volt_times_report report = {.struct_size = sizeof report};
    volt_status status = argument_view(c, "times", false, &given);
    if (status || !given.data)
        return status;
    if (given.rows * given.cols != rows)
        return call_fail(c, "times must have %lld numbers, one per row (got %lld)", (long long)rows,
                         (long long)given.rows * given.cols);
    volt_time *times = calloc((size_t)rows + 1, sizeof *times);
    for (int64_t i = 0; times && i < rows; i++)
        times[i] = (volt_time){given.data[i], given.data[i]};
    status = times ? volt_times_check(times, rows, NULL, (volt_time){NAN, NAN}, &report) : VOLT_ERR_MEMORY;
    *last = times && rows > 0 ? times[rows - 1] : (volt_time){NAN, NAN};
    free(times);
    if (!status) {
        *step = report.step;
        call_warn_codes(c, report.warnings, report.n_warnings);
    }
    return status;
}

static volt_status read_forecast(call *c, volt_view *series, volt_forecast_options *options, volt_time *last)
{
    volt_view coverage = {0};
    *options = volt_forecast_options_default();
    options->progress = c->progress;
    volt_status status = argument_view(c, "series", true, series);
    if (!status)
        status = fields_set(c, forecast_fields, options);
    if (!status)
        status = argument_view(c, "known", false, &options->known);
    if (!status)
        status = argument_view(c, "coverage", false, &coverage);
    if (!status)
        status = argument_texts(c, "names", series->cols, &options->names, NULL);
    if (!status)
        status = read_step(c, series->rows, &options->step, last);
    if (status)
        return status;
    options->coverages = coverage.data;
    options->n_coverages = coverage.data ? coverage.rows * coverage.cols : 0;
    return VOLT_OK;
}

/* Values and expected errors: steps x series; ends of the intervals: a matrix for each coverage. */
static void add_steps(call *c, const volt_forecast *found, const volt_forecast_info *info, int64_t coverages)
{
    value *values = value_matrix(info->steps, info->series), *errors = value_matrix(info->steps, info->series);
    value *lower = value_list(), *upper = value_list();
    for (int64_t b = -1; b < coverages; b++) {
        value *low = b < 0 ? NULL : value_matrix(info->steps, info->series);
        value *high = b < 0 ? NULL : value_matrix(info->steps, info->series);
        for (int64_t h = 0; h < info->steps; h++)
            for (int64_t k = 0; k < info->series; k++) {
                const volt_forecast_step *step = volt_forecast_step_at(found, h, k);
                int64_t at = h * info->series + k;
                if (b < 0 && values && errors) {
                    values->numbers[at] = step->value;
                    errors->numbers[at] = step->rmse;
                } else if (low && high) {
                    low->numbers[at] = step->lower[b];
                    high->numbers[at] = step->upper[b];
                }
            }
        if (b >= 0) {
            value_add(lower, "", low);
            value_add(upper, "", high);
        }
    }
    value_add(c->result, "forecast", values);
    value_add(c->result, "error", errors);
    value_add(c->result, "lower", lower);
    value_add(c->result, "upper", upper);
}

/* Season, errors and weights of the methods, for each series. */
static void add_series(call *c, const volt_forecast *found, const volt_forecast_info *info)
{
    value *season = value_vector(NULL, info->series), *mase = value_vector(NULL, info->series);
    value *rmse = value_vector(NULL, info->series), *ets = value_list();
    value *weights = value_matrix(info->members, info->series),
          *errors = value_matrix(info->members, info->series);
    for (int64_t k = 0; k < info->series && season && mase && rmse && weights && errors; k++) {
        const volt_forecast_series *one = volt_forecast_series_at(found, k);
        season->numbers[k] = (double)one->season;
        mase->numbers[k] = one->mase;
        rmse->numbers[k] = one->rmse;
        value_add(ets, "", value_text(one->ets));
        for (int64_t m = 0; m < info->members; m++) {
            weights->numbers[m * info->series + k] = one->member_weight[m];
            errors->numbers[m * info->series + k] = one->member_rmse[m];
        }
    }
    value_add(c->result, "season", season);
    value_add(c->result, "mase", mase);
    value_add(c->result, "rmse", rmse);
    value_add(c->result, "ets", ets);
    value_add(c->result, "members", value_texts(info->member_names, info->members));
    value_add(c->result, "weights", weights);
    value_add(c->result, "member_rmse", errors);
}

/* Times of the steps in seconds since 1970, if the rows have a step. */
static void add_times(call *c, volt_time last, volt_time_step step, int64_t steps)
{
    value *times = volt_time_step_is_known(step) ? value_vector(NULL, steps) : NULL;
    for (int64_t h = 0; times && h < steps; h++)
        times->numbers[h] = volt_time_advance(last, step, h + 1).seconds;
    if (times)
        value_add(c->result, "times", times);
}

static volt_status run_forecast(call *c)
{
    const field *const tables[] = {forecast_fields};
    volt_view series = {0};
    volt_forecast_options options = {0};
    volt_time last = {NAN, NAN};
    volt_forecast *found = NULL;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = read_forecast(c, &series, &options, &last);
    if (!status)
        status = volt_forecast_run(series, &options, &found);
    if (status)
        return status;
    volt_forecast_info info = {.struct_size = sizeof info};
    volt_forecast_get_info(found, &info);
    add_steps(c, found, &info, options.n_coverages);
    add_series(c, found, &info);
    add_times(c, last, options.step, info.steps);
    value_add(c->result, "kernel", value_text(info.kernel));
    value_add(c->result, "rows", value_number((double)info.rows));
    value_add(c->result, "origins", value_number((double)info.origins));
    call_warn_codes(c, info.warnings, info.n_warnings);
    volt_forecast_free(found);
    return VOLT_OK;
}

static volt_status run_backtest(call *c)
{
    static const field more[] = {OTHER("origins"), FIELDS_END};
    const field *const tables[] = {forecast_fields, more};
    volt_view series = {0};
    int64_t origins = 0;
    volt_forecast_options options = {0};
    volt_time last = {NAN, NAN};
    volt_backtest found = {.struct_size = sizeof found};
    volt_status status = fields_check(c, tables, 2);
    if (!status)
        status = read_forecast(c, &series, &options, &last);
    if (!status)
        status = argument_count(c, "origins", 3, &origins);
    if (status)
        return status;
    value *mase = value_matrix(VOLT_BACKTEST_METHODS, series.cols),
          *smape = value_matrix(VOLT_BACKTEST_METHODS, series.cols);
    value *rmse = value_matrix(VOLT_BACKTEST_METHODS, series.cols),
          *coverage = value_matrix(options.n_coverages, series.cols);
    bool ok = mase && smape && rmse && coverage;
    if (ok) {
        found.mase = mase->numbers;
        found.smape = smape->numbers;
        found.rmse = rmse->numbers;
        found.coverage = coverage->numbers;
    }
    status = ok ? volt_forecast_backtest(series, &options, origins, &found) : VOLT_ERR_MEMORY;
    if (status) {
        value_free(mase);
        value_free(smape);
        value_free(rmse);
        value_free(coverage);
        return status;
    }
    value_add(c->result, "mase", mase);
    value_add(c->result, "smape", smape);
    value_add(c->result, "rmse", rmse);
    value_add(c->result, "coverage", coverage);
    value_add(c->result, "methods", value_texts(found.names, VOLT_BACKTEST_METHODS));
    value_add(c->result, "steps", value_number((double)found.steps));
    value_add(c->result, "origins", value_number((double)found.origins));
    return VOLT_OK;
}

/* ---- identify --------------------------------------------------------------------------------- */

static const field identify_fields[] = {
    FIELD_NAMED(volt_identify_options, FIELD_REAL, "budget", seconds, NULL),
    FIELD(volt_identify_options, FIELD_COUNT, draws),
    FIELD(volt_identify_options, FIELD_SEED, seed),
    FIELD(volt_identify_options, FIELD_FLAG, scale_each),
    OTHER("U"),
    OTHER("Y"),
    OTHER("records"),
    OTHER("test_U"),
    OTHER("test_Y"),
    OTHER("test_records"),
    OTHER("input_names"),
    OTHER("output_names"),
    FIELDS_END,
};

static void add_identification(call *c, const volt_identification *found, const volt_output_test *tests,
                               int64_t q)
{
    value *names = value_list(), *kernels = value_list();
    value *numbers = value_matrix(VOLT_IDENTIFY_CANDIDATES, 4);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found->candidates[i];
        value_add(names, "", value_text(one->name));
        value_add(kernels, "", value_text(one->kernel));
        const double row[4] = {one->nmse, one->alpha, one->feedback_weight, (double)one->trials};
        if (numbers)
            memcpy(numbers->numbers + 4 * i, row, sizeof row);
    }
    value *candidates = value_list();
    value_add(candidates, "name", names);
    value_add(candidates, "kernel", kernels);
    value_add(candidates, "numbers", numbers); /* NMSE, alpha, feedback weight, trials */
    value_add(c->result, "candidates", candidates);
    value_add(c->result, "chosen", value_text(found->candidates[found->chosen].name));
    value_add(c->result, "kernel", value_text(found->candidates[found->chosen].kernel));
    value_add(c->result, "averaged", value_number((double)found->n_averaged));
    value_add(c->result, "nonlinearity", value_number(found->nonlinearity));
    value_add(c->result, "dead_time", value_number((double)found->dead_time));
    value_add(c->result, "train_rows", value_number((double)found->train_rows));
    value_add(c->result, "fit_begin", value_number((double)found->fit_begin));
    value_add(c->result, "fit_rows", value_number((double)found->fit_rows));
    value_add(c->result, "test_rows", value_number((double)found->test_rows));
    value_add(c->result, "test_rmse", value_number(found->test_rmse));
    value_add(c->result, "linear_test_rmse", value_number(found->linear_test_rmse));
    value_add(c->result, "test_std", value_number(found->test_std));
    value *outputs = value_matrix(q, 3); /* RMSE, of the linear model, standard deviation */
    for (int64_t k = 0; outputs && k < q; k++) {
        const double row[3] = {tests[k].rmse, tests[k].linear_rmse, tests[k].std};
        memcpy(outputs->numbers + 3 * k, row, sizeof row);
    }
    value_add(c->result, "output_tests", outputs);
    value_add(c->result, "seconds", value_number(found->seconds));
    call_warn_codes(c, found->warnings, found->n_warnings);
}

static volt_status run_identify(call *c)
{
    const field *const tables[] = {identify_fields};
    volt_view U = {0}, Y = {0};
    int64_t *records = NULL, *test_records = NULL;
    volt_model *model = NULL;
    volt_identify_options options = volt_identify_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = fields_set(c, identify_fields, &options);
    if (!status)
        status = argument_view(c, "U", true, &U);
    if (!status)
        status = argument_view(c, "Y", true, &Y);
    if (!status)
        status = argument_view(c, "test_U", false, &options.test_inputs);
    if (!status)
        status = argument_view(c, "test_Y", false, &options.test_outputs);
    if (!status)
        status = argument_lengths(c, "records", &records, &options.n_records);
    if (!status)
        status = argument_lengths(c, "test_records", &test_records, &options.n_test_records);
    if (!status)
        status = argument_texts(c, "input_names", U.cols, &options.input_names, NULL);
    if (!status)
        status = argument_texts(c, "output_names", Y.cols, &options.output_names, NULL);
    volt_identification *found = status ? NULL : calloc(1, sizeof *found);
    volt_output_test *tests = status ? NULL : calloc((size_t)Y.cols + 1, sizeof *tests);
    if (!status && (!found || !tests))
        status = VOLT_ERR_MEMORY;
    if (!status) {
        options.records = records;
        options.test_records = test_records;
        options.output_tests = tests;
        found->struct_size = sizeof *found;
        status = volt_identify(U, Y, &options, &model, found);
    }
    if (!status) {
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        add_identification(c, found, tests, Y.cols);
        value_add(c->result, "inputs", value_number((double)info.d));
        value_add(c->result, "outputs", value_number((double)info.q));
        value_add(c->result, "feedback_weight", value_number(info.feedback_weight));
        value_add(c->result, "model", value_handle(handle_create(model, NULL, NULL), true));
    }
    free(found);
    free(tests);
    free(records);
    free(test_records);
    return status;
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
    OTHER("X"),
    OTHER("Y"),
    OTHER("train"),
    OTHER("kernels"),
    FIELDS_END,
};

/* Columns of the table of a comparison. */
typedef struct comparison_columns {
    value *names, *kernels, *failures, *numbers, *losses;
} comparison_columns;

enum { COMPARISON_NUMBERS = 8 };

static void add_comparison(call *c, const volt_comparison *found, int64_t rows)
{
    int64_t count = volt_comparison_count(found);
    comparison_columns columns = {value_list(), value_list(), value_list(),
                                  value_matrix(count, COMPARISON_NUMBERS), value_matrix(rows, count)};
    for (int64_t i = 0; i < count && columns.numbers && columns.losses; i++) {
        const volt_comparison_row *row = volt_comparison_row_at(found, i);
        value_add(columns.names, "", value_text(row->name));
        value_add(columns.kernels, "", value_text(row->kernel));
        value_add(columns.failures, "", value_text(row->failure ? row->failure : ""));
        const double numbers[COMPARISON_NUMBERS] = {
            row->alpha,      row->score,      row->metrics ? row->metrics->nmse : NAN,
            row->mcs_pvalue, row->in_mcs,     (double)row->draws,
            row->seconds,    row->fit_seconds};
        memcpy(columns.numbers->numbers + COMPARISON_NUMBERS * i, numbers, sizeof numbers);
        for (int64_t t = 0; row->losses && t < rows; t++)
            columns.losses->numbers[t * count + i] = row->losses[t];
    }
    value_add(c->result, "name", columns.names);
    value_add(c->result, "kernel", columns.kernels);
    value_add(c->result, "failure", columns.failures);
    /* alpha, score, NMSE, p-value, included, draws, seconds of the search, seconds of fit and test */
    value_add(c->result, "numbers", columns.numbers);
    value_add(c->result, "losses", columns.losses);
}

static volt_status run_compare(call *c)
{
    const field *const tables[] = {compare_fields};
    volt_view X = {0}, Y = {0};
    int64_t train = 0, count = 0;
    const char *const *kernels = NULL;
    volt_contender *contenders = NULL;
    volt_comparison *found = NULL;
    volt_compare_options options = volt_compare_options_default();
    options.progress = c->progress;
    volt_status status = fields_check(c, tables, 1);
    if (!status)
        status = fields_set(c, compare_fields, &options);
    if (!status)
        status = argument_view(c, "X", true, &X);
    if (!status)
        status = argument_view(c, "Y", true, &Y);
    if (!status)
        status = argument_count(c, "train", X.rows * 3 / 4, &train);
    if (!status)
        status = argument_texts(c, "kernels", -1, &kernels, &count);
    if (!status && !options.draws && !(options.seconds > 0))
        options.draws = 100;
    if (!status && kernels) {
        contenders = calloc((size_t)count + 1, sizeof *contenders);
        for (int64_t i = 0; contenders && i < count; i++)
            contenders[i].kernel = kernels[i];
        status = contenders ? VOLT_OK : VOLT_ERR_MEMORY;
        options.contenders = contenders;
        options.n_contenders = count;
    }
    if (!status)
        status = volt_compare_run(X, Y, train, &options, &found);
    if (!status)
        add_comparison(c, found, X.rows - train);
    volt_comparison_free(found);
    free(contenders);
    return status;
}

const call_entry call_task_entries[] = {
    {"forecast", run_forecast},
    {"backtest", run_backtest},
    {"identify", run_identify},
    {"compare", run_compare},
    {NULL, NULL},
};
