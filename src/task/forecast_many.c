/* src/task/forecast_many.c: forecasts of many series in long format, each from its own rows. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "io/series/series_list.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "text/text.h"
#include "volterra/task.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Series whose forecasts are in memory at a time, at least and at most, the length of a message. */
enum { FIRST_BLOCK = 16, BLOCK = 256, MESSAGE_LENGTH = 512 };

static const double block_seconds = 1; /* longer blocks become smaller: results are reported after each */

/* Rows grouped by series. */
typedef struct long_series {
    const volt_long_rows *data;
    volt_text_index ids; /* those of `done` that have no rows follow */
    int64_t count;       /* series */
    int64_t *first;      /* count + 1: where the rows of each series begin below */
    int64_t *rows;       /* grouped: rows of the data */
    double *values;      /* the same: values, and times if there are any */
    const char **texts;
    int64_t *done;              /* of the series: index in data->done; -1: none */
    volt_date_order date_order; /* in the whole column */
} long_series;

typedef struct one_forecast {
    volt_forecast_result shown;
    volt_forecast *forecast;
    const char **times; /* owns the texts of shown.times, in one block */
    char message[MESSAGE_LENGTH];
} one_forecast;

/* Times of one series; next to its rows. */
typedef struct series_times {
    const long_series *all;
    int64_t first;            /* of the grouped rows */
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
    volt_free(series->rows);
    volt_free(series->values);
    volt_free((void *)series->texts);
    volt_free(series->done);
}

/* Places the rows by series, in the given order within each. */
static void place_rows(long_series *series, const int64_t *of_row, int64_t *next)
{
    const volt_long_rows *data = series->data;
    for (int64_t i = 0; i < data->rows; i++)
        series->first[of_row[i] + 1]++;
    for (int64_t s = 0; s < series->count; s++) {
        series->first[s + 1] += series->first[s];
        next[s] = series->first[s];
    }
    for (int64_t i = 0; i < data->rows; i++) {
        int64_t place = next[of_row[i]]++;
        series->rows[place] = i;
        series->values[place] = data->values[i];
        if (series->texts)
            series->texts[place] = data->times[i];
    }
}

static volt_status group_rows(long_series *series)
{
    const volt_long_rows *data = series->data;
    int64_t n = data->rows, *of_row = volt_alloc(n, sizeof *of_row);
    volt_status status = of_row ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        status = volt_text_index_put(&series->ids, data->ids[i], &of_row[i]);
    series->count = series->ids.count;
    int64_t *next = volt_alloc_zero(series->count + 1, sizeof *next);
    series->first = volt_alloc_zero(series->count + 1, sizeof *series->first);
    series->rows = volt_alloc(n, sizeof *series->rows);
    series->values = volt_alloc_doubles(n, 1);
    series->texts = data->times ? volt_alloc(n, sizeof *series->texts) : NULL;
    series->done = volt_alloc(series->count + 1, sizeof *series->done);
    if (!next || !series->first || !series->rows || !series->values || (data->times && !series->texts) ||
        !series->done)
        status = VOLT_ERR_MEMORY;
    if (!status)
        place_rows(series, of_row, next);
    for (int64_t s = 0; s < series->count && !status; s++)
        series->done[s] = -1;
    for (int64_t i = 0, s = 0; i < data->n_done && !status; i++) {
        status = volt_text_index_put(&series->ids, data->done[i], &s);
        if (!status && s < series->count)
            series->done[s] = i;
    }
    volt_free(next);
    volt_free(of_row);
    return status;
}

/* Finds the order of day and month from all rows, because one row can determine it for the others. Each series determines
 * its own if the rows contradict each other. */
static void find_date_order(long_series *series)
{
    for (int64_t i = 0; series->texts && i < series->data->rows; i++) {
        volt_time_text parts;
        volt_time time;
        if (!volt_time_text_read(series->texts[i], &parts) || !parts.is_either)
            continue;
        volt_date_order found = volt_time_text_order(series->texts[i], &parts);
        bool is_month_first = found == VOLT_ORDER_MONTH_FIRST;
        if (found == VOLT_ORDER_OPEN || !volt_time_of_text(series->texts[i], &parts, is_month_first, &time))
            continue;
        if (series->date_order != VOLT_ORDER_OPEN && found != series->date_order) {
            series->date_order = VOLT_ORDER_OPEN;
            return;
        }
        series->date_order = found;
    }
}

/* Names the line and the column of a grouped row in the message of a failure. */
static volt_status fail_at(const long_series *series, int64_t place, const char *column, volt_status status)
{
    const volt_long_rows *data = series->data;
    if (!data->lines)
        return status;
    if (column)
        return volt_fail_prefix(status, "line %" PRId64 ", column '%.60s'", data->lines[series->rows[place]],
                                column);
    return volt_fail_prefix(status, "line %" PRId64, data->lines[series->rows[place]]);
}

/* ---- times of one series ---------------------------------------------------------------------- */

static volt_status fail_time(const series_times *times, int64_t i, volt_status status)
{
    return fail_at(times->all, times->first + i, times->all->data->time_name, status);
}

static volt_status fail_order(const series_times *times, int64_t i, bool is_same)
{
    volt_status status = is_same
                             ? volt_fail(VOLT_ERR_DATA, "two rows have the time %.60s", times->texts[i])
                             : volt_fail(VOLT_ERR_DATA, "the rows are not in time order: %.60s follows %.60s",
                                         times->texts[i], times->texts[i - 1]);
    return fail_time(times, i, status);
}

static volt_status check_dates(series_times *times, int64_t *missing)
{
    volt_times_report report = {.struct_size = sizeof report};
    VOLT_TRY(volt_times_check(times->dates, times->n, NULL, (volt_time){NAN, NAN}, &report));
    times->step = report.step;
    for (int64_t i = 0; i < report.n_warnings; i++)
        if (report.warnings[i].code == VOLT_WARNING_ROWS_MISSING)
            *missing = volt_max(1, report.missing);
    int64_t early = volt_times_disorder(times->dates, times->n, report.step);
    if (early < times->n)
        return fail_order(times, early, times->dates[early].seconds == times->dates[early - 1].seconds);
    return VOLT_OK;
}

/* Times that are numbers, such as 1, 2, 3. */
static volt_status check_numbers(series_times *times)
{
    double first = 0, value = 0, before = 0, rounding = 0;
    for (int64_t i = 0; i < times->n; i++, before = value) {
        if (!volt_parse_number(times->texts[i], &value) || !isfinite(value))
            return fail_time(times, i,
                             volt_fail(VOLT_ERR_FORMAT, "the time '%.60s' is not a number", times->texts[i]));
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

/* Names the row of the first text that is not a date; a failure for another reason keeps its message. */
static volt_status fail_date(const series_times *times, volt_status status)
{
    for (int64_t i = 0; i < times->n && status == VOLT_ERR_FORMAT; i++) {
        volt_time_text parts;
        volt_time time;
        if (!times->texts[i][0])
            return fail_time(times, i, volt_fail(status, "the time is missing"));
        if (!volt_time_text_read_known(times->texts[i], &parts) || parts.fields[TIME_YEAR].length == 0 ||
            (!volt_time_of_text(times->texts[i], &parts, 0, &time) &&
             !volt_time_of_text(times->texts[i], &parts, 1, &time)))
            return fail_time(times, i, status);
    }
    return status;
}

/* Reads the times of a series; `dates` receives them if they are dates. */
static volt_status read_times(const long_series *series, int64_t s, series_times *times, volt_time **dates,
                              int64_t *missing)
{
    int64_t first = series->first[s];
    double number;
    *times = (series_times){.all = series, .first = first, .n = series->first[s + 1] - first};
    if (!series->texts)
        return VOLT_OK;
    times->texts = series->texts + first;
    *dates = volt_alloc(times->n, sizeof **dates);
    volt_status status =
        *dates ? volt_times_parse_as(times->texts, times->n, series->date_order, *dates) : VOLT_ERR_MEMORY;
    if (status == VOLT_ERR_FORMAT && volt_parse_number(times->texts[0], &number))
        return check_numbers(times);
    if (status)
        return fail_date(times, status);
    times->dates = *dates;
    return check_dates(times, missing);
}

/* Time of a step, from 1; false: unknown. */
static bool write_time(const series_times *times, int64_t step, char text[VOLT_TIME_LENGTH])
{
    if (times->dates && volt_time_step_is_known(times->step)) {
        volt_time last = times->dates[times->n - 1], later = volt_time_advance(last, times->step, step);
        int64_t form = volt_times_form_row(times->texts, times->n);
        return volt_time_write_like(times->texts[form], times->dates[form], later, text) == VOLT_OK;
    }
    if (times->dates || !(times->each > 0))
        return false;
    double at = times->last + (double)step * times->each;
    bool is_whole = at == rint(at) && fabs(at) < 1e15; /* milliseconds since 1970 have 13 digits */
    snprintf(text, VOLT_TIME_LENGTH, is_whole ? "%.0f" : "%.12g", at);
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

static volt_status check_values(const series_times *times, const double *values, volt_missing missing)
{
    const volt_long_rows *data = times->all->data;
    for (int64_t i = 0; i < times->n; i++) {
        int64_t row = times->all->rows[times->first + i];
        const char *fault = data->faults ? data->faults[row] : NULL;
        volt_status status = fault ? VOLT_ERR_FORMAT : VOLT_ERR_NOT_FINITE;
        if (!fault && (isfinite(values[i]) || (isnan(values[i]) && missing == VOLT_MISSING_INTERPOLATE)))
            continue;
        if (fault && data->lines)
            volt_fail(status, "%s", fault);
        else if (fault && times->texts)
            volt_fail(status, "the value at %.60s: %s", times->texts[i], fault);
        else if (fault)
            volt_fail(status, "the value of row %" PRId64 ": %s", i, fault);
        else if (times->texts)
            volt_fail(status, "the value at %.60s is %s", times->texts[i],
                      isnan(values[i]) ? "missing" : "infinite");
        else
            volt_fail(status, "the value of row %" PRId64 " is %s", i,
                      isnan(values[i]) ? "missing" : "infinite");
        return fail_at(times->all, times->first + i, data->value_name, status);
    }
    return VOLT_OK;
}

/* Whether the first step has the time that it has in an earlier forecast. */
static bool follows(const series_times *times, const char *time)
{
    char text[VOLT_TIME_LENGTH];
    return strcmp(time, write_time(times, 1, text) ? text : "1") == 0;
}

static volt_status forecast_one(const long_series *series, int64_t s, volt_forecast_options options,
                                volt_time **dates, one_forecast *one)
{
    const double *values = series->values + series->first[s];
    volt_forecast_info info = {.struct_size = sizeof info};
    series_times times;
    VOLT_TRY(read_times(series, s, &times, dates, &one->shown.missing_rows));
    VOLT_TRY(check_values(&times, values, options.missing));
    if (series->done[s] >= 0 && follows(&times, series->data->done_times[series->done[s]])) {
        one->shown.done = series->done[s];
        return VOLT_OK;
    }
    options.step = times.step;
    options.times = times.dates;
    if (options.season > times.n / 2)
        options.season = 0;
    VOLT_TRY(volt_forecast_run(volt_view_of(values, times.n, 1), &options, &one->forecast));
    one->shown.forecast = one->forecast;
    VOLT_TRY(volt_forecast_get_info(one->forecast, &info));
    return write_times(&times, info.steps, one);
}

static void describe(const long_series *series, int64_t s, one_forecast *one)
{
    *one = (one_forecast){.shown = {.struct_size = sizeof one->shown,
                                    .id = series->ids.texts + series->ids.places[s],
                                    .index = s,
                                    .count = series->count,
                                    .rows = series->first[s + 1] - series->first[s],
                                    .status = VOLT_ERR_CANCELLED,
                                    .done = -1}};
    one->shown.message = one->message;
}

static void run_one(const long_series *series, int64_t s, const volt_forecast_options *options,
                    one_forecast *one)
{
    volt_time *dates = NULL;
    volt_status status = forecast_one(series, s, *options, &dates, one);
    volt_free(dates);
    if (status) {
        const char *detail = volt_error_detail();
        snprintf(one->message, sizeof one->message, "%s",
                 status == VOLT_ERR_MEMORY || !detail[0] ? volt_status_message(status) : detail);
    }
    one->shown.status = status;
}

/* ---- all series ------------------------------------------------------------------------------- */

/* A call in progress. */
typedef struct many_run {
    const long_series *series;
    volt_forecast_options options; /* of each series */
    volt_stage stage;
    double seconds, began; /* time limit, 0: none, and the begin of the call */
    _Atomic int64_t made;  /* forecasts, earlier ones included */
    one_forecast *all;     /* BLOCK */
} many_run;

/* Whether a further series may begin. At least one is forecast, so that repeated calls complete the work. */
static bool has_time(many_run *run)
{
    return run->seconds == 0 || atomic_load(&run->made) == 0 || volt_seconds() - run->began < run->seconds;
}

static void run_block(many_run *run, int64_t first, int64_t count)
{
#pragma omp parallel num_threads((int)volt_min(volt_threads(), count))
    {
        int64_t own = 0;
        bool claimed = volt_blas_set_claimed(true);
        volt_set_threads_local(1, &own);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < count; i++) {
            one_forecast *one = &run->all[i];
            describe(run->series, first + i, one);
            if (!volt_stage_should_continue(&run->stage))
                continue;
            if (has_time(run)) {
                run_one(run->series, first + i, &run->options, one);
                atomic_fetch_add(&run->made, one->shown.status == VOLT_OK);
            } else {
                snprintf(one->message, sizeof one->message, "not begun within %g s", run->seconds);
            }
            volt_stage_advance(&run->stage, 1);
        }
        volt_set_threads_local(own, NULL);
        volt_blas_set_claimed(claimed);
    }
}

/* A failure that every series would have. */
static bool ends_all(volt_status status)
{
    return status == VOLT_ERR_ARGUMENT || status == VOLT_ERR_KERNEL || status == VOLT_ERR_MEMORY;
}

/* After a cancellation, the series that are complete are still reported. */
static volt_status report_block(const many_run *run, int64_t count, volt_forecast_fn report, void *context)
{
    bool is_cancelled = !volt_stage_should_continue(&run->stage);
    for (int64_t i = 0; i < count; i++) {
        const volt_forecast_result *shown = &run->all[i].shown;
        if (ends_all(shown->status))
            return volt_fail(shown->status, "%s", shown->message);
        if (is_cancelled && shown->status == VOLT_ERR_CANCELLED)
            continue;
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

static volt_status run_blocks(many_run *run, volt_forecast_fn report, void *context)
{
    int64_t count = run->series->count, next = FIRST_BLOCK;
    char reason[MESSAGE_LENGTH] = "";
    for (int64_t first = 0, size = 0; first < count; first += size) {
        double began = volt_seconds();
        size = volt_min(next, count - first);
        run_block(run, first, size);
        volt_status status = report_block(run, size, report, context);
        if (first == 0)
            snprintf(reason, sizeof reason, "%s", run->all[0].message);
        release_block(run->all, size);
        if (status)
            return status;
        if (!volt_stage_should_continue(&run->stage))
            break;
        if (volt_seconds() - began < block_seconds)
            next = volt_min(2 * next, BLOCK);
        else
            next = volt_max(next / 2, FIRST_BLOCK);
    }
    VOLT_TRY(volt_stage_end(&run->stage));
    VOLT_REQUIRE(atomic_load(&run->made) > 0, VOLT_ERR_DATA,
                 "none of the %" PRId64 " series has a forecast; '%.60s': %s", count, run->series->ids.texts,
                 reason);
    return VOLT_OK;
}

static volt_status check_arguments(const volt_long_rows *data, const volt_forecast_options *options,
                                   volt_forecast_fn report)
{
    VOLT_REQUIRE(report, VOLT_ERR_ARGUMENT, "report is NULL");
    VOLT_REQUIRE(data->rows == 0 || (data->ids && data->values), VOLT_ERR_ARGUMENT,
                 "ids and values must not be NULL");
    VOLT_REQUIRE(data->rows > 0, VOLT_ERR_DATA, "there are no rows");
    VOLT_REQUIRE(!options->known.data && !options->calendar, VOLT_ERR_ARGUMENT,
                 "known and calendar are not supported for many series");
    for (int64_t i = 0; i < data->rows; i++)
        VOLT_REQUIRE(data->ids[i] && (!data->times || data->times[i]), VOLT_ERR_ARGUMENT,
                     "the name or the time of row %" PRId64 " is NULL", i);
    VOLT_REQUIRE(options->many_seconds >= 0, VOLT_ERR_ARGUMENT, "many_seconds must be at least 0 (got %g)",
                 options->many_seconds);
    VOLT_REQUIRE(data->n_done == 0 || (data->n_done > 0 && data->done && data->done_times), VOLT_ERR_ARGUMENT,
                 "done and done_times must have n_done entries (n_done is %" PRId64 ")", data->n_done);
    return VOLT_OK;
}

volt_status volt_forecast_many(const volt_long_rows *data, const volt_forecast_options *options,
                               volt_forecast_fn report, void *context)
{
    volt_forecast_options chosen = volt_forecast_options_default();
    volt_long_rows rows = {.struct_size = sizeof rows};
    long_series series = {.data = &rows};
    VOLT_REQUIRE(data, VOLT_ERR_ARGUMENT, "data is NULL");
    VOLT_TRY(volt_options_take(&rows, sizeof rows, data, "volt_long_rows"));
    VOLT_TRY(volt_options_take(&chosen, sizeof chosen, options, "volt_forecast_options"));
    VOLT_TRY(check_arguments(&rows, &chosen, report));
    chosen.names = NULL;
    volt_blas_use use;
    VOLT_TRY(volt_start_threads());
    VOLT_TRY(volt_blas_claim(&use));
    many_run run = {.series = &series,
                    .options = chosen,
                    .seconds = chosen.many_seconds,
                    .began = volt_seconds(),
                    .all = volt_alloc_zero(BLOCK, sizeof *run.all)};
    volt_status status = run.all ? group_rows(&series) : VOLT_ERR_MEMORY;
    if (!status) {
        find_date_order(&series);
        run.options.progress = volt_stage_polled(&run.stage); /* a long forecast can be cancelled */
        volt_stage_begin(&run.stage, chosen.progress, "forecasts", 0, 1, (double)series.count);
        status = run_blocks(&run, report, context);
    }
    release_series(&series);
    volt_free(run.all);
    volt_blas_release(&use);
    return status;
}
