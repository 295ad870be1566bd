/* tests/unit/task/test_times_check.c: order of rows by their times, missing rows, and rows that the model knows. */
#include "io/time/time_grid.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/task.h"

enum { MOST = 400 };
static const double day = 86400;
static const volt_time unknown = {NAN, NAN};

static volt_time at(double seconds)
{
    return (volt_time){seconds, seconds};
}

static volt_time date(const char *text)
{
    volt_time time;
    check_ok(volt_times_parse(&text, 1, &time));
    return time;
}

static const volt_warning *warning(const volt_times_report *report, volt_warning_code code)
{
    for (int64_t i = 0; i < report->n_warnings; i++)
        if (report->warnings[i].code == code)
            return &report->warnings[i];
    return NULL;
}

/* Checks rows by their own grid. */
static volt_times_report check(const volt_time *times, int64_t n)
{
    volt_times_report report = {.struct_size = sizeof report};
    check_ok(volt_times_check(times, n, NULL, unknown, &report));
    return report;
}

/* Removes `count` rows from row `first` on; `missing` of them must be found before that row (-1: no gap, 0: an unknown number). */
static void check_gap(const volt_time *times, int64_t n, int64_t first, int64_t count, int64_t missing)
{
    volt_time kept[MOST] = {{0}};
    memcpy(kept, times, (size_t)first * sizeof *kept);
    memcpy(kept + first, times + first + count, (size_t)(n - first - count) * sizeof *kept);
    assert_int_equal(check(times, n).n_warnings, 0);
    volt_times_report report = check(kept, n - count);
    const volt_warning *gap = warning(&report, VOLT_WARNING_ROWS_MISSING);
    assert_int_equal(gap != NULL, missing >= 0);
    if (gap) {
        assert_int_equal(gap->row, first);
        assert_true(gap->value == (double)missing);
    }
}

static void gaps_are_found_on_every_grid(void **state)
{
    volt_time hours[60] = {{0}}, months[60] = {{0}}, work[60] = {{0}}, trading[MOST] = {{0}};
    int64_t n_work = 0, n_trading = 0;
    for (int64_t i = 0; i < 60; i++)
        hours[i] = at(3600.0 * (double)i);
    const volt_time_step month = {.months = 1, .is_month_end = 1};
    for (int64_t i = 0; i < 60; i++)
        months[i] = volt_time_advance(date("2001-01-31"), month, i);
    double monday = date("2024-01-08").seconds;
    for (int64_t d = 0; n_work < 60; d++)
        if (d % 7 < 5)
            work[n_work++] = at(monday + day * (double)d);
    for (int64_t d = 0; n_trading + 20 <= MOST; d++) /* half hours from 9:30, on working days */
        for (int64_t k = 0; d % 7 < 5 && k < 20; k++)
            trading[n_trading++] = at(monday + day * (double)d + 34200 + 1800 * (double)k);
    check_gap(hours, 60, 20, 1, 1);
    check_gap(hours, 60, 20, 7, 7);
    check_gap(months, 60, 20, 1, 1);
    check_gap(months, 60, 20, 12, 12);
    check_gap(work, 60, 20, 2, -1); /* a holiday */
    check_gap(work, 60, 20, 3, 3);
    check_gap(trading, n_trading, 25, 3, 0);
    volt_times_report report = check(trading, n_trading);
    assert_int_equal(report.grid.step.closed_weekdays, 1 << 5 | 1 << 6);
    assert_int_equal(report.grid.closes_nightly, 1);
    assert_true(report.grid.step.seconds == 1800 && check(months, 60).grid.step.months == 1);
}

/* ---- grids by hand ---------------------------------------------------------------------------- */

static volt_time_grid grid_of(const volt_time *times, int64_t n)
{
    volt_time_grid grid;
    check_ok(volt_time_grid_find(times, n, &grid));
    return grid;
}

/* Rows at the dates given as days after 2001-01-01, a Monday. */
static volt_time_grid grid_of_days(int64_t n, const int *days)
{
    volt_time times[MOST];
    double begin = date("2001-01-01").seconds;
    for (int64_t i = 0; i < n; i++)
        times[i] = at(begin + day * days[i]);
    return grid_of(times, n);
}

static void steps_of_a_month_and_more(void **state)
{
    volt_time times[MOST];
    for (int64_t months = 1; months <= 24; months++) { /* on the first day of a month */
        for (int64_t i = 0; i < 30; i++)
            times[i] = volt_time_advance(date("2001-01-01"), (volt_time_step){.months = months}, i);
        volt_time_grid grid = grid_of(times, 30);
        assert_int_equal(grid.step.months, months);
        assert_true(grid.step.seconds == 0 && grid.step.closed_weekdays == 0 && !grid.closes_nightly);
        assert_int_equal(volt_time_grid_missing(&grid, times[3], times[4]), 0);
        assert_int_equal(volt_time_grid_missing(&grid, times[3], times[9]), 5);
    }
    for (int days = 26; days <= 40; days++) { /* equal numbers of days are no months */
        for (int64_t i = 0; i < 30; i++)
            times[i] = at(date("2001-01-01").seconds + day * days * (double)i);
        volt_time_grid grid = grid_of(times, 30);
        assert_true(grid.step.seconds == day * days && grid.step.months == 0);
        assert_int_equal(volt_time_grid_missing(&grid, times[3], times[5]), 1);
    }
    /* distances of one and two months in turn have no step; with two thirds of one month, they have */
    const int in_turn[] = {0, 31, 90, 120, 181, 212, 273}, mostly[] = {0, 31, 59, 120, 151, 181, 243};
    assert_int_equal(grid_of_days(7, in_turn).step.months, 0);
    assert_int_equal(grid_of_days(7, mostly).step.months, 1);
}

static void short_and_irregular_grids(void **state)
{
    const int three[] = {0, 2, 4}, twice[] = {0, 0, 0, 1}, half[] = {0, 5, 10, 30, 60},
              most[] = {0, 5, 10, 15, 60, 99};
    assert_true(grid_of_days(3, three).step.seconds == 2 * day);
    assert_true(grid_of_days(2, three).step.seconds == 0);
    assert_true(grid_of_days(4, twice).step.seconds == 0);
    assert_true(grid_of_days(5, half).step.seconds == 0); /* two of four distances */
    assert_true(grid_of_days(6, most).step.seconds == 5 * day);
    const volt_time far[] = {at(4e6 * day), at(4e6 * day + 1), at(4e6 * day + 2)};
    assert_true(grid_of(far, 3).step.seconds == 0); /* 11000 years */
    const volt_time_grid second = {.step = {.seconds = 1}};
    assert_int_equal(volt_time_grid_missing(&second, far[0], far[2]), 0);
    assert_int_equal(volt_time_grid_missing(&second, at(0), at(1.49)), 0);
    assert_int_equal(volt_time_grid_missing(&second, at(0), at(1.51)), 1);
    assert_int_equal(volt_time_grid_missing(&second, at(0), at(9)), 8);
    assert_int_equal(volt_time_grid_missing(&(volt_time_grid){.closes_nightly = 0}, at(0), at(9)), 0);
}

/* Clocks are put forward by an hour in the middle: hours follow the seconds, days follow the clock. */
static void clock_changes_are_no_gaps(void **state)
{
    volt_time hours[60], days[60];
    for (int64_t i = 0; i < 60; i++) {
        hours[i] = (volt_time){.seconds = 3600.0 * (double)i, .clock = 3600.0 * (double)(i + (i >= 30))};
        days[i] = (volt_time){.seconds = day * (double)i - (i >= 30 ? 3600 : 0), .clock = day * (double)i};
    }
    volt_time_grid hourly = grid_of(hours, 60), daily = grid_of(days, 60);
    assert_true(hourly.step.seconds == 3600 && daily.step.seconds == day);
    for (int64_t i = 1; i < 60; i++) {
        assert_int_equal(volt_time_grid_missing(&hourly, hours[i - 1], hours[i]), 0);
        assert_int_equal(volt_time_grid_missing(&daily, days[i - 1], days[i]), 0);
    }
    assert_int_equal(volt_time_grid_missing(&hourly, hours[28], hours[31]), 2);
    assert_int_equal(volt_time_grid_missing(&daily, days[28], days[31]), 2);
}

/* One row each hour from 9 to 16, Monday to Friday. */
static void trading_hours(void **state)
{
    volt_time times[MOST];
    int64_t n = 0;
    for (int64_t d = 0; n + 8 <= MOST; d++)
        for (int64_t hour = 9; d % 7 < 5 && hour < 17; hour++)
            times[n++] = at(date("2001-01-01").seconds + day * (double)d + 3600 * (double)hour);
    volt_time_grid grid = grid_of(times, n);
    assert_true(grid.step.seconds == 3600 && grid.step.closed_weekdays == (1 << 5 | 1 << 6) &&
                grid.closes_nightly);
    assert_int_equal(volt_time_grid_missing(&grid, times[7], times[8]), 0);   /* a night */
    assert_int_equal(volt_time_grid_missing(&grid, times[39], times[40]), 0); /* a weekend */
    assert_int_equal(volt_time_grid_missing(&grid, times[39], times[56]), 0); /* two holidays */
    assert_true(volt_time_grid_missing(&grid, times[39], times[64]) > 0);     /* three */
    assert_int_equal(volt_time_grid_missing(&grid, times[0], times[3]), 2);
    grid = grid_of(times, 16); /* one night only */
    assert_true(grid.step.seconds == 3600 && !grid.closes_nightly);
    /* hours around the clock from 18:00 to 6:00 two days later: the hours that are missing on the day between passed once */
    for (n = 0; n < 33; n++)
        times[n] = at(date("2001-01-01").seconds + 3600 * (double)(18 + n + (n >= 16 ? 4 : 0)));
    grid = grid_of(times, n);
    assert_true(grid.step.seconds == 3600 && !grid.closes_nightly);
    assert_int_equal(volt_time_grid_missing(&grid, times[15], times[16]), 4);
    /* a fifth of the rows of a day is missing at random, in nights that are closed */
    volt_rng rng = test_rng(2);
    n = 0;
    for (int64_t d = 0; d < 30; d++)
        for (int64_t k = 0; k < 12; k++)
            if (volt_rng_uniform(&rng) > 0.2)
                times[n++] = at(date("2001-01-01").seconds + day * (double)d + 3600 * (double)(8 + k));
    grid = grid_of(times, n);
    assert_true(grid.step.seconds == 3600 && grid.closes_nightly);
}

static void irregular_times_have_no_step(void **state)
{
    volt_time times[60];
    volt_rng rng = test_rng(1);
    double now = 0;
    for (int64_t i = 0; i < 60; i++)
        times[i] = at(now -= 3600 * log(1 - volt_rng_uniform(&rng)));
    volt_times_report report = check(times, 60);
    assert_int_equal(report.n_warnings, 0);
    assert_false(volt_time_step_is_known(report.grid.step));
    assert_int_equal(check(times, 0).n_warnings, 0);
    assert_false(volt_time_step_is_known(check(times, 2).grid.step));
}

/* -1e-12 seconds after midnight of 1970 are 86400 seconds after the midnight before, by rounding. */
static void midnight_within_rounding(void **state)
{
    const double steps[] = {3600, 86400.0 / 7}, early[] = {-1e-12, -1.5e-11};
    for (int k = 0; k < 4; k++) {
        volt_time times[200];
        double step = steps[k / 2];
        for (int i = 0; i < 200; i++)
            times[i] = at(i == 100 ? early[k % 2] : step * (i - 100));
        volt_times_report report = check(times, 200);
        assert_float_equal(report.step.seconds, step, 1e-9);
        assert_int_equal(report.n_warnings, 0);
    }
}

static void clocks_without_value_have_no_step(void **state)
{
    volt_time times[200];
    const volt_time_grid work_days = {.step = {.seconds = day, .closed_weekdays = 1 << 5 | 1 << 6}};
    const double clocks[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 200; i++)
            times[i] = at(3600.0 * i);
        times[100].clock = clocks[k];
        volt_times_report report = check(times, 200);
        assert_false(volt_time_step_is_known(report.step));
        assert_false(volt_time_step_is_known(report.grid.step));
        assert_int_equal(volt_time_grid_missing(&work_days, times[100], times[101]), 0);
        assert_int_equal(volt_time_grid_missing(&work_days, times[99], times[100]), 0);
    }
}

static void rows_out_of_order_are_counted(void **state)
{
    volt_time times[] = {{0, 0}, {2, 2}, {1, 1}, {3, 3}, {2, 2}};
    volt_times_report report = check(times, 5);
    assert_int_equal(report.n_warnings, 1);
    assert_int_equal(report.warnings[0].code, VOLT_WARNING_ROWS_UNORDERED);
    assert_int_equal(report.warnings[0].row, 2);
    assert_true(report.warnings[0].value == 2);
    times[2] = times[4] = (volt_time){NAN, NAN};
    assert_true(check(times, 5).warnings[0].value == 3);
}

/* Local times around an hour that occurs twice are in order on Sunday nights, if the step is at most an hour. */
static void local_clocks_are_put_back(void **state)
{
    enum { N = 200, CHANGE = 100 };
    const struct {
        const char *first_again; /* the time to which the clock is put back */
        double step;
        bool is_known;
    } cases[] = {
        {"2024-10-27 02:00", 3600, true},  {"2024-10-27 02:00", 900, true},   {"2024-11-03 01:00", 1800, true},
        {"2018-02-17 23:00", 300, true},   {"2024-10-27 03:59", 60, true},    {"2024-10-27 04:00", 3600, false},
        {"2024-10-26 22:59", 1800, false}, {"2024-10-28 02:00", 3600, false}, {"2024-10-27 02:00", 5400, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_time times[N];
        double again = date(cases[c].first_again).seconds, step = cases[c].step;
        for (int64_t i = 0; i < N; i++)
            times[i] = at(again + step * (double)(i - CHANGE) + (i < CHANGE ? 3600 : 0));
        volt_times_report report = check(times, N);
        assert_true(report.step.seconds == step);
        bool is_later = times[CHANGE].seconds > times[CHANGE - 1].seconds;
        assert_int_equal(volt_times_disorder(times, N, report.step),
                         cases[c].is_known || is_later ? N : CHANGE);
        bool goes_back = times[CHANGE].seconds < times[CHANGE - 1].seconds;
        assert_int_equal(report.n_warnings, !cases[c].is_known && goes_back);
        /* a row is missing or repeated, or the times have a zone */
        assert_int_equal(volt_times_disorder(times + 1, 1, report.step), 1);
        volt_time before = at(times[CHANGE - 1].seconds + step);
        assert_false(volt_time_is_put_back(report.step, before, times[CHANGE]));
        before = times[CHANGE - 1];
        before.seconds -= 7200;
        assert_false(volt_time_is_put_back(report.step, before, times[CHANGE]));
    }
}

static void rows_are_compared_with_the_last_one(void **state)
{
    const volt_time_grid grid = {.step = {.seconds = 10}};
    static const struct {
        double last;
        int64_t before, known, gap, missing;
        volt_start start;
    } cases[] = {
        {90, 0, 0, -1, 0, VOLT_START_AFTER_TARGET},  {60, 0, 0, 0, 3, VOLT_START_AFTER_TARGET},
        {100, 0, 1, -1, 0, VOLT_START_AT_TARGET},    {120, 2, 3, -1, 0, VOLT_START_AT_TARGET},
        {125, 3, 3, -1, 0, VOLT_START_AFTER_TARGET}, {150, 5, 5, -1, 0, VOLT_START_CONTINUE},
    };
    volt_time times[5];
    for (int64_t i = 0; i < 5; i++)
        times[i] = at(100 + 10.0 * (double)i);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_times_report report = {.struct_size = sizeof report};
        check_ok(volt_times_check(times, 5, &grid, at(cases[i].last), &report));
        const volt_warning *known = warning(&report, VOLT_WARNING_TRAINING_ROWS);
        const volt_warning *gap = warning(&report, VOLT_WARNING_ROWS_MISSING);
        assert_int_equal(report.before, cases[i].before);
        assert_int_equal(report.start, cases[i].start);
        assert_int_equal(known ? (int64_t)known->value : 0, cases[i].known);
        assert_int_equal(gap ? gap->row : -1, cases[i].gap);
        assert_int_equal(gap ? (int64_t)gap->value : 0, cases[i].missing);
    }
}

/* Rows must continue the step after the last row; with closed weekdays, whose holidays are unknown, they must increase. */
static void misplaced_rows_are_found(void **state)
{
    const double hour = 3600;
    volt_time times[] = {at(hour), at(2 * hour), at(4 * hour), at(5 * hour)};
    volt_times_report report = {.struct_size = sizeof report};
    volt_time_grid grid = {.step = {.seconds = hour}};
    check_ok(volt_times_check(times, 4, &grid, at(0), &report));
    assert_true(report.misplaced == 2 && report.disorder == 4);
    check_ok(volt_times_check(times + 1, 3, &grid, at(0), &report));
    assert_int_equal(report.misplaced, 0);
    grid.step.closed_weekdays = 64;
    check_ok(volt_times_check(times, 4, &grid, at(0), &report));
    assert_int_equal(report.misplaced, 4);
    times[3] = times[2];
    check_ok(volt_times_check(times, 4, &grid, at(0), &report));
    assert_true(report.misplaced == 3 && report.disorder == 3);
    check_ok(volt_times_check(times, 4, NULL, at(0), &report)); /* without a grid: not checked */
    assert_int_equal(report.misplaced, 4);
}

static void a_model_stores_the_times_of_its_rows(void **state)
{
    double X[9] = {1, 2, 4, 3, 5, 7, 6, 8, 9};
    volt_view rows = volt_view_of(X, 9, 1);
    volt_matrix none = volt_matrix_of(NULL, 0, 0);
    volt_time times[11];
    for (int i = 0; i < 11; i++)
        times[i] = at(3600.0 * i);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.ahead = 2;
    options.times = times;
    options.n_times = 11;
    check_ok(volt_kernel_parse("linear", &kernel));
    check_ok(volt_model_fit(kernel, rows, rows, &options, none, &model));
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_get_info(model, &info));
    assert_string_equal(info.notes.time_end, "1970-01-01 08:00");
    assert_string_equal(info.notes.time_target, "1970-01-01 10:00");
    assert_string_equal(info.notes.time_step, "3600 s");
    assert_true(info.times.end.seconds == 8 * 3600 && info.times.target.seconds == 10 * 3600);
    assert_true(info.times.step.seconds == 3600);
    volt_model_free(model);

    options.n_times = 2;
    check_fails(volt_model_fit(kernel, rows, rows, &options, none, &model), VOLT_ERR_ARGUMENT, "n_times 2");
    options.times = NULL;
    options.notes.time_step = "soon";
    check_fails(volt_model_fit(kernel, rows, rows, &options, none, &model), VOLT_ERR_FORMAT, "time_step");
    volt_kernel_free(kernel);
}

static void failures_are_reported(void **state)
{
    volt_time times[] = {{0, 0}, {1, 1}, {2, 2}};
    volt_times_report report = {.struct_size = sizeof report};
    check_fails(volt_times_check(NULL, 3, NULL, unknown, &report), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_times_check(times, 3, NULL, unknown, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_times_check(times, -1, NULL, unknown, &report), VOLT_ERR_ARGUMENT, "");
    failing_alloc_start(1);
    volt_status status = volt_times_check(times, 3, NULL, unknown, &report);
    assert_true(failing_alloc_hit());
    failing_alloc_stop();
    assert_int_equal(status, VOLT_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_found_on_every_grid),
        cmocka_unit_test(steps_of_a_month_and_more),
        cmocka_unit_test(short_and_irregular_grids),
        cmocka_unit_test(clock_changes_are_no_gaps),
        cmocka_unit_test(trading_hours),
        cmocka_unit_test(irregular_times_have_no_step),
        cmocka_unit_test(midnight_within_rounding),
        cmocka_unit_test(clocks_without_value_have_no_step),
        cmocka_unit_test(rows_out_of_order_are_counted),
        cmocka_unit_test(local_clocks_are_put_back),
        cmocka_unit_test(rows_are_compared_with_the_last_one),
        cmocka_unit_test(misplaced_rows_are_found),
        cmocka_unit_test(a_model_stores_the_times_of_its_rows),
        cmocka_unit_test(failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
