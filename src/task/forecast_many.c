/* src/task/forecast_many.c: forecasts of many series in long format, each from its own rows. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "io/series/series_list.h"
#include "text/text.h"
#include "volterra/task.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Series whose forecasts are in memory at a time, and the length of a message. */
enum { BLOCK = 256, MESSAGE_LENGTH = 512 };

/* Rows grouped by series. */
typedef struct long_series {
    volt_text_index ids;
    int64_t *first; /* series + 1: where the rows of each series begin below */
    double *values; /* rows, grouped */
    const char **texts;
    volt_time *times; /* NULL: the column as a whole is not dates */
} long_series;

typedef struct one_forecast {
    volt_forecast_result shown;
    volt_forecast *forecast;
    const char **times; /* owns the texts of shown.times, in one block */
    char message[MESSAGE_LENGTH];
} one_forecast;

/* Times of one series; next to its rows. */
typedef struct series_times {
    const char *const *texts; /* NULL: none */
    int64_t n;
    volt_time *dates;    /* NULL: not dates */
    volt_time_step step; /* between dates; all zero: unknown */
    double last, each;   /* numbers: the last and the difference; each 0: no regular one */
} series_times;

/* ---- rows ------------------------------------------------------------------------------------- */

static void release_series(long_series *series)
{
    volt_text_index_clear(&series->ids);
    volt_free(series->first);
    volt_free(series->values);
    volt_free((void *)series->texts);
    volt_free(series->times);
}

/* Groups the rows by series, in the given order within each. */
static volt_status group_rows(const volt_long_rows *data, long_series *series)
{
    int64_t n = data->rows, *of_row = volt_alloc(n, sizeof *of_row);
    volt_status status = of_row ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        status = volt_text_index_put(&series->ids, data->ids[i], &of_row[i]);
    int64_t count = series->ids.count, *next = volt_alloc_zero(count + 1, sizeof *next);
    series->first = volt_alloc_zero(count + 1, sizeof *series->first);
    series->values = volt_alloc_doubles(n, 1);
    series->texts = data->times ? volt_alloc(n, sizeof *series->texts) : NULL;
    if (!next || !series->first || !series->values || (data->times && !series->texts))
        status = VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        series->first[of_row[i] + 1]++;
    for (int64_t s = 0; s < count && !status; s++) {
        series->first[s + 1] += series->first[s];
        next[s] = series->first[s];
    }
    for (int64_t i = 0; i < n && !status; i++) {
        int64_t place = next[of_row[i]]++;
        series->values[place] = data->values[i];
        if (series->texts)
            series->texts[place] = data->times[i];
    }
    volt_free(next);
    volt_free(of_row);
    return status;
}

/* Parses all times together, because one row can determine the order of day and month for the others. */
static volt_status parse_dates(int64_t rows, long_series *series)
{
    if (!series->texts)
        return VOLT_OK;
    series->times = volt_alloc(rows, sizeof *series->times);
    volt_status status = series->times ? volt_times_parse(series->texts, rows, series->times) : VOLT_ERR_MEMORY;
    if (status != VOLT_ERR_FORMAT)
        return status;
    volt_free(series->times);
    series->times = NULL;
    return VOLT_OK;
}

/* ---- times of one series ---------------------------------------------------------------------- */

static volt_status fail_order(const series_times *times, int64_t i, bool is_same)
{
    if (is_same)
        return volt_fail(VOLT_ERR_DATA, "two rows have the time %.60s", times->texts[i]);
    return volt_fail(VOLT_ERR_DATA, "the rows are not in time order: %.60s follows %.60s", times->texts[i],
                     times->texts[i - 1]);
}

static volt_status check_dates(series_times *times, int64_t *missing)
{
    volt_times_report report = {.struct_size = sizeof report};
    for (int64_t i = 1; i < times->n; i++)
        if (!(times->dates[i].seconds > times->dates[i - 1].seconds))
            return fail_order(times, i, times->dates[i].seconds == times->dates[i - 1].seconds);
    VOLT_TRY(volt_times_check(times->dates, times->n, NULL, (volt_time){NAN, NAN}, &report));
    times->step = report.step;
    for (int64_t i = 0; i < report.n_warnings; i++)
        if (report.warnings[i].code == VOLT_WARNING_ROWS_MISSING)
            *missing = volt_max(1, (int64_t)report.warnings[i].value);
    return VOLT_OK;
}

/* Times that are numbers, such as 1, 2, 3. */
static volt_status check_numbers(series_times *times)
{
    double first = 0, value = 0, before = 0, rounding = 0;
    for (int64_t i = 0; i < times->n; i++, before = value) {
        VOLT_REQUIRE(volt_parse_number(times->texts[i], &value) && isfinite(value), VOLT_ERR_FORMAT,
                     "the time '%.60s' is not a number", times->texts[i]);
        if (i > 0 && !(value > before))
            return fail_order(times, i, value == before);
        first = i > 0 ? first : value;
    }
    times->last = value;
    times->each = times->n > 1 ? (value - first) / (double)(times->n - 1) : 0;
    rounding = 1e-6 * times->each + 1e-12 * fmax(fabs(first), fabs(value));
    for (int64_t i = 0; i < times->n; i++) {
        volt_parse_number(times->texts[i], &value);
        if (fabs(value - first - (double)i * times->each) > rounding)
            times->each = 0;
    }
    return VOLT_OK;
}

/* Reads the times of a series; `own` receives dates that the column as a whole could not give. */
static volt_status read_times(const long_series *series, int64_t s, series_times *times, volt_time **own,
                              int64_t *missing)
{
    int64_t first = series->first[s];
    *times = (series_times){.n = series->first[s + 1] - first};
    if (!series->texts)
        return VOLT_OK;
    times->texts = series->texts + first;
    if (series->times) {
        times->dates = series->times + first;
    } else {
        double number;
        *own = volt_alloc(times->n, sizeof **own);
        volt_status status = *own ? volt_times_parse(times->texts, times->n, *own) : VOLT_ERR_MEMORY;
        bool may_be_numbers = status == VOLT_ERR_FORMAT && volt_parse_number(times->texts[0], &number);
        if (status && !may_be_numbers)
            return status;
        times->dates = status ? NULL : *own;
    }
    return times->dates ? check_dates(times, missing) : check_numbers(times);
}

/* Time of a step, from 1; false: unknown. */
static bool write_time(const series_times *times, int64_t step, char text[VOLT_TIME_LENGTH])
{
    if (times->dates && volt_time_step_is_known(times->step)) {
        volt_time last = times->dates[times->n - 1], later = volt_time_advance(last, times->step, step);
        return volt_time_write_like(times->texts[times->n - 1], last, later, text) == VOLT_OK;
    }
    if (times->dates || !(times->each > 0))
        return false;
    snprintf(text, VOLT_TIME_LENGTH, "%.12g", times->last + (double)step * times->each);
    return true;
}

static volt_status write_times(const series_times *times, int64_t steps, one_forecast *one)
{
    one->times = volt_alloc(steps, sizeof *one->times + VOLT_TIME_LENGTH);
    if (!one->times)
        return VOLT_ERR_MEMORY;
    char *text = (char *)(one->times + steps);
    one->shown.is_dated = times->texts != NULL;
    for (int64_t h = 0; h < steps; h++) {
        one->times[h] = text + h * VOLT_TIME_LENGTH;
        one->shown.is_dated = one->shown.is_dated && write_time(times, h + 1, text + h * VOLT_TIME_LENGTH);
    }
    for (int64_t h = 0; h < steps && !one->shown.is_dated; h++)
        snprintf(text + h * VOLT_TIME_LENGTH, VOLT_TIME_LENGTH, "%" PRId64, h + 1);
    one->shown.times = one->times;
    return VOLT_OK;
}

/* ---- one series ------------------------------------------------------------------------------- */

static volt_status check_values(const series_times *times, const double *values)
{
    for (int64_t i = 0; i < times->n; i++) {
        if (isfinite(values[i]))
            continue;
        const char *what = isnan(values[i]) ? "missing" : "infinite";
        if (times->texts)
            return volt_fail(VOLT_ERR_NOT_FINITE, "the value at %.60s is %s", times->texts[i], what);
        return volt_fail(VOLT_ERR_NOT_FINITE, "the value of row %" PRId64 " is %s", i, what);
    }
    return VOLT_OK;
}

static volt_status forecast_one(const long_series *series, int64_t s, volt_forecast_options options,
                                volt_time **own, one_forecast *one)
{
    const double *values = series->values + series->first[s];
    volt_forecast_info info = {.struct_size = sizeof info};
    series_times times;
    VOLT_TRY(read_times(series, s, &times, own, &one->shown.missing_rows));
    VOLT_TRY(check_values(&times, values));
    options.step = times.step;
    if (options.season > times.n / 2)
        options.season = 0;
    VOLT_TRY(volt_forecast_run(volt_view_of(values, times.n, 1), &options, &one->forecast));
    one->shown.forecast = one->forecast;
    VOLT_TRY(volt_forecast_get_info(one->forecast, &info));
    return write_times(&times, info.steps, one);
}

static void run_one(const long_series *series, int64_t s, const volt_forecast_options *options,
                    one_forecast *one)
{
    volt_time *own = NULL;
    *one = (one_forecast){.shown = {.struct_size = sizeof one->shown,
                                    .id = series->ids.texts + series->ids.places[s],
                                    .index = s,
                                    .count = series->ids.count,
                                    .rows = series->first[s + 1] - series->first[s]}};
    volt_status status = forecast_one(series, s, *options, &own, one);
    volt_free(own);
    if (status) {
        const char *detail = volt_error_detail();
        snprintf(one->message, sizeof one->message, "%s",
                 status == VOLT_ERR_MEMORY || !detail[0] ? volt_status_message(status) : detail);
    }
    one->shown.status = status;
    one->shown.message = one->message;
}

/* ---- all series ------------------------------------------------------------------------------- */

/* Lets a long forecast be cancelled. */
static int on_progress(const char *name, double fraction, void *context)
{
    (void)name;
    (void)fraction;
    return !volt_stage_poll(context);
}

static void run_block(const long_series *series, int64_t first, int64_t count,
                      const volt_forecast_options *options, volt_stage *stage, one_forecast *all)
{
#pragma omp parallel num_threads((int)volt_min(volt_threads(), count))
    {
        int64_t own = 0;
        bool claimed = volt_blas_set_claimed(true);
        volt_set_threads_local(1, &own);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < count; i++)
            if (volt_stage_should_continue(stage)) {
                run_one(series, first + i, options, &all[i]);
                volt_stage_advance(stage, 1);
            }
        volt_set_threads_local(own, NULL);
        volt_blas_set_claimed(claimed);
    }
}

/* A failure that every series would have. */
static bool ends_all(volt_status status)
{
    return status == VOLT_ERR_ARGUMENT || status == VOLT_ERR_KERNEL || status == VOLT_ERR_MEMORY ||
           status == VOLT_ERR_CANCELLED;
}

static volt_status report_block(const one_forecast *all, int64_t count, volt_forecast_fn report, void *context,
                                int64_t *made)
{
    for (int64_t i = 0; i < count; i++) {
        const volt_forecast_result *shown = &all[i].shown;
        if (ends_all(shown->status))
            return volt_fail(shown->status, "%s", shown->message);
        *made += shown->status == VOLT_OK;
        VOLT_REQUIRE(!report(shown, context), VOLT_ERR_CANCELLED,
                     "cancelled after %" PRId64 " of %" PRId64 " series", shown->index + 1, shown->count);
    }
    return VOLT_OK;
}

static void release_block(one_forecast *all, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        volt_forecast_free(all[i].forecast);
        volt_free((void *)all[i].times);
    }
}

static volt_status run_blocks(const long_series *series, const volt_forecast_options *options,
                              volt_forecast_fn report, void *context, one_forecast *all)
{
    int64_t count = series->ids.count, made = 0;
    char reason[MESSAGE_LENGTH] = "";
    volt_stage stage;
    volt_forecast_options each = *options;
    each.progress = (volt_progress){.report = on_progress, .context = &stage};
    volt_stage_begin(&stage, options->progress, "forecasts", 0, 1, (double)count);
    for (int64_t first = 0; first < count; first += BLOCK) {
        int64_t size = volt_min(BLOCK, count - first);
        volt_status status = VOLT_OK;
        for (int64_t i = 0; i < size; i++)
            all[i] = (one_forecast){.forecast = NULL};
        run_block(series, first, size, &each, &stage, all);
        if (volt_stage_should_continue(&stage))
            status = report_block(all, size, report, context, &made);
        if (first == 0)
            snprintf(reason, sizeof reason, "%s", all[0].message);
        release_block(all, size);
        if (status)
            return status;
        if (!volt_stage_should_continue(&stage))
            break;
    }
    VOLT_TRY(volt_stage_end(&stage));
    VOLT_REQUIRE(made > 0, VOLT_ERR_DATA, "none of the %" PRId64 " series has a forecast; '%.60s': %s", count,
                 series->ids.texts, reason);
    return VOLT_OK;
}

static volt_status check_arguments(const volt_long_rows *data, const volt_forecast_options *options,
                                   volt_forecast_fn report)
{
    VOLT_REQUIRE(report, VOLT_ERR_ARGUMENT, "report is NULL");
    VOLT_REQUIRE(data->rows == 0 || (data->ids && data->values), VOLT_ERR_ARGUMENT,
                 "ids and values must not be NULL");
    VOLT_REQUIRE(data->rows > 0, VOLT_ERR_DATA, "there are no rows");
    VOLT_REQUIRE(!options->known.data, VOLT_ERR_ARGUMENT, "known is not supported for many series");
    for (int64_t i = 0; i < data->rows; i++)
        VOLT_REQUIRE(data->ids[i] && (!data->times || data->times[i]), VOLT_ERR_ARGUMENT,
                     "the name or the time of row %" PRId64 " is NULL", i);
    return VOLT_OK;
}

volt_status volt_forecast_many(const volt_long_rows *data, const volt_forecast_options *options,
                               volt_forecast_fn report, void *context)
{
    volt_forecast_options chosen = volt_forecast_options_default();
    volt_long_rows rows = {.struct_size = sizeof rows};
    long_series series = {.first = NULL};
    VOLT_REQUIRE(data, VOLT_ERR_ARGUMENT, "data is NULL");
    VOLT_TRY(volt_options_take(&rows, sizeof rows, data, "volt_long_rows"));
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_forecast_options"));
    VOLT_TRY(check_arguments(&rows, &chosen, report));
    chosen.names = NULL;
    volt_blas_use use;
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    one_forecast *all = volt_alloc_zero(BLOCK, sizeof *all);
    volt_status status = all ? group_rows(&rows, &series) : VOLT_ERR_MEMORY;
    if (!status)
        status = parse_dates(rows.rows, &series);
    if (!status)
        status = run_blocks(&series, &chosen, report, context, all);
    release_series(&series);
    volt_free(all);
    volt_blas_release(&use);
    return status;
}
