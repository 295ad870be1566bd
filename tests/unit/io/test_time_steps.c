/* tests/unit/io/test_time_steps.c: steps between times of rows: months, closed weekdays, closed hours; as text. */
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "support/check.h"
#include "volterra/task.h"

enum { MOST = 400 };
static const double day = 86400;

static volt_time time_of(const char *text)
{
    volt_time time = {0};
    check_ok(volt_times_parse(&text, 1, &time));
    return time;
}

static volt_time at(double seconds)
{
    return (volt_time){seconds, seconds};
}

static volt_times_report check(const volt_time *times, int64_t n)
{
    volt_times_report report = {.struct_size = sizeof report};
    check_ok(volt_times_check(times, n, NULL, (volt_time){NAN, NAN}, &report));
    return report;
}

static volt_time_step step_of(const char *const *texts, int64_t n)
{
    volt_time times[64];
    volt_time_step step;
    assert_true(n <= 64);
    check_ok(volt_times_parse(texts, n, times));
    check_ok(volt_time_step_find(times, n, &step));
    return step;
}

static void steps(void **state)
{
    const char *const hours[] = {"2019-04-09 22:00", "2019-04-09 23:00", "2019-04-10 00:00"};
    const char *const months[] = {"2019-11", "2019-12", "2020-01"};
    const char *const ends[] = {"2019-12-31", "2020-01-31", "2020-02-29"};
    const char *const quarters[] = {"2019-10-15", "2020-01-15", "2020-04-15"};
    const char *const week[] = {"2019-04-08", "2019-04-09", "2019-04-10",
                                "2019-04-11", "2019-04-12", "2019-04-15"};
    const char *const backwards[] = {"2019-04-10", "2019-04-09"};
    /* clocks are put forward by an hour: days and months follow the local time */
    const char *const summer_days[] = {"2024-03-30T00:00+01:00", "2024-03-31T00:00+01:00",
                                       "2024-04-01T00:00+02:00"};
    const char *const summer_months[] = {"2024-02-01T00:00+01:00", "2024-03-01T00:00+01:00",
                                         "2024-04-01T00:00+02:00"};
    char text[VOLT_TIME_LENGTH];
    assert_string_equal(volt_time_step_format(step_of(hours, 3), text), "3600 s");
    assert_string_equal(volt_time_step_format(step_of(months, 3), text), "1 month");
    assert_string_equal(volt_time_step_format(step_of(ends, 3), text), "1 month to the last day");
    assert_string_equal(volt_time_step_format(step_of(quarters, 3), text), "3 months");
    assert_string_equal(volt_time_step_format(step_of(week, 6), text), "86400 s except Sat Sun");
    assert_string_equal(volt_time_step_format(step_of(summer_days, 3), text), "86400 s");
    assert_string_equal(volt_time_step_format(step_of(summer_months, 3), text), "1 month");
    assert_false(volt_time_step_is_known(step_of(backwards, 2)));
    assert_false(volt_time_step_is_known(step_of(hours, 1)));

    assert_true(volt_time_advance(time_of(hours[2]), step_of(hours, 3), 25).seconds ==
                time_of("2019-04-11 01:00").seconds);
    assert_true(volt_time_advance(time_of(ends[2]), step_of(ends, 3), 1).seconds ==
                time_of("2020-03-31").seconds);
    assert_true(volt_time_advance(time_of(ends[2]), step_of(ends, 3), -2).seconds ==
                time_of("2019-12-31").seconds);
    volt_time_step month = step_of(months, 3);
    assert_true(volt_time_advance(time_of("2020-01-30"), month, 1).seconds == time_of("2020-02-29").seconds);

    /* At most one row in ten may be missing. */
    volt_time times[21];
    volt_time_step step;
    for (int i = 0; i < 21; i++)
        times[i].seconds = times[i].clock = 600.0 * (i + (i > 7) + (i > 15));
    check_ok(volt_time_step_find(times, 21, &step));
    assert_true(step.seconds == 600);
    times[11].seconds += 1;
    check_ok(volt_time_step_find(times, 21, &step));
    assert_false(volt_time_step_is_known(step));
}

/* Times by hand, the step that describes them, and times after them. */
static void calendars(void **state)
{
    static const struct {
        const char *texts[16], *step, *next, *fourth;
    } cases[] = {
        {{"2023-03-31", "2023-04-28", "2023-05-31"},
         "1 month to the last day except Sat Sun",
         "2023-06-30",
         "2023-09-29"},
        /* 2021-05-31 was a holiday */
        {{"2021-03-31", "2021-04-30", "2021-05-28", "2021-06-30", "2021-07-30", "2021-08-31"},
         "1 month to the last day except Sat Sun",
         "2021-09-30",
         "2021-12-31"},
        {{"2018-12-31", "2019-03-29", "2019-06-28"},
         "3 months to the last day except Sat Sun",
         "2019-09-30",
         "2020-06-30"},
        {{"2023-01-02", "2023-02-01", "2023-03-01", "2023-04-03"},
         "1 month except Sat Sun",
         "2023-05-01",
         "2023-08-01"},
        {{"2023-01-31", "2023-02-28", "2023-03-31"}, "1 month to the last day", "2023-04-30", "2023-07-31"},
        {{"2023-01-28", "2023-02-28", "2023-03-28"}, "1 month", "2023-04-28", "2023-07-28"},
        {{"2023-03-31", "2023-04-28", "2023-05-26"}, "2419200 s", "2023-06-23", "2023-09-15"},
        /* Monday to Friday, and a second Monday */
        {{"2019-04-08", "2019-04-09", "2019-04-10", "2019-04-11", "2019-04-12"},
         "86400 s",
         "2019-04-13",
         "2019-04-16"},
        {{"2019-04-08", "2019-04-09", "2019-04-10", "2019-04-11", "2019-04-12", "2019-04-15"},
         "86400 s except Sat Sun",
         "2019-04-16",
         "2019-04-19"},
        /* both Sundays missing */
        {{"2019-04-08", "2019-04-09", "2019-04-10", "2019-04-11", "2019-04-12", "2019-04-13", "2019-04-15",
          "2019-04-16", "2019-04-17", "2019-04-18", "2019-04-19", "2019-04-20", "2019-04-22"},
         "86400 s except Sun",
         "2019-04-23",
         "2019-04-26"},
        /* the only Saturday missing */
        {{"2019-04-08", "2019-04-09", "2019-04-10", "2019-04-11", "2019-04-12", "2019-04-14", "2019-04-15",
          "2019-04-16", "2019-04-17", "2019-04-18", "2019-04-19"},
         "86400 s",
         "2019-04-20",
         "2019-04-23"},
        /* one of two */
        {{"2019-04-08", "2019-04-09", "2019-04-10", "2019-04-11", "2019-04-12", "2019-04-14", "2019-04-15",
          "2019-04-16", "2019-04-17", "2019-04-18", "2019-04-19", "2019-04-20"},
         "86400 s",
         "2019-04-21",
         "2019-04-24"},
    };
    char text[VOLT_TIME_LENGTH];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t n = 0;
        while (n < 16 && cases[i].texts[n])
            n++;
        volt_time_step step = step_of(cases[i].texts, n);
        volt_time last = time_of(cases[i].texts[n - 1]);
        assert_string_equal(volt_time_step_format(step, text), cases[i].step);
        assert_string_equal(volt_time_format(volt_time_advance(last, step, 1), text), cases[i].next);
        assert_string_equal(volt_time_format(volt_time_advance(last, step, 4), text), cases[i].fourth);
        assert_string_equal(volt_time_format(volt_time_advance(time_of(cases[i].fourth), step, -4), text),
                            cases[i].texts[n - 1]);
    }
}

static void steps_as_texts(void **state)
{
    const char *const good[] = {"3600 s",
                                "0.25 s",
                                "1 month",
                                "12 months",
                                "3 months to the last day",
                                "86400 s except Sat Sun",
                                "1 month except Sun",
                                "119987 months to the last day except Mon Tue Wed Thu Fri Sat",
                                "3600 s except Mon Tue Wed Thu Fri Sat",
                                "315537897599 s",
                                "119987 months"}; /* from the year 1 to 9999 */
    const char *const bad[] = {"",
                               "3600",
                               "-1 s",
                               "0 s",
                               "nan s",
                               "1e300 s",
                               "1 minute",
                               "1.5 months",
                               "2 month",
                               "1 month to the last",
                               "1 months",
                               "s",
                               "86400 s except",
                               "86400 s except Sun Sat",
                               "86401 s except Sun",
                               "300 s, 09:30:00 to 16:00:00",
                               "86400 s except Mon Tue Wed Thu Fri Sat Sun"};
    char text[VOLT_TIME_LENGTH];
    volt_time_step step;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check_ok(volt_time_step_parse(good[i], &step));
        assert_string_equal(volt_time_step_format(step, text), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_fails(volt_time_step_parse(bad[i], &step), VOLT_ERR_FORMAT, "step");
}

/* Trading days: no weekends, and holidays that shorten a week. */
static void weekdays(void **state)
{
    enum { ROWS = 40, DAYS = 70 };
    const int weekend = 1 << 5 | 1 << 6, friday = 1 << 4;
    volt_time times[MOST];
    volt_time_step step;
    for (int closed = 1; closed < 127; closed++) { /* closed < 127: bits of the closed weekdays */
        int n = 0;
        for (int i = 0; i < DAYS; i++) /* 1970-01-05 was a Monday; 16:00 */
            if (!(closed >> i % 7 & 1))
                times[n++].seconds = 86400.0 * (4 + i) + 57600;
        for (int i = 0; i < n; i++)
            times[i].clock = times[i].seconds;
        step = (volt_time_step){.seconds = 86400, .closed_weekdays = closed};
        for (int i = 0; i < n; i++) {
            assert_true(volt_time_advance(times[0], step, i).seconds == times[i].seconds);
            assert_true(volt_time_advance(times[n - 1], step, i + 1 - n).seconds == times[i].seconds);
        }
        step = check(times, n).step;
        if (closed == weekend || closed == (weekend | friday) || closed == 1 << 6)
            assert_int_equal(step.closed_weekdays, closed);
    }
    /* Rows of a Saturday step to Monday, and those of a day stay there. */
    step = (volt_time_step){.seconds = 86400, .closed_weekdays = weekend};
    assert_true(volt_time_advance(time_of("2019-04-13"), step, 1).seconds == time_of("2019-04-15").seconds);
    assert_true(volt_time_advance(time_of("2019-04-13"), step, 5).seconds == time_of("2019-04-19").seconds);
    assert_true(volt_time_advance(time_of("2019-04-13"), step, 0).seconds == time_of("2019-04-13").seconds);
    step.seconds = 6 * 3600;
    assert_true(volt_time_advance(time_of("2019-04-12 18:00"), step, 2).seconds ==
                time_of("2019-04-15 06:00").seconds);
    step.seconds = 86400, step.closed_weekdays = 127; /* no week has an open day: none is skipped */
    assert_true(volt_time_advance(time_of("2019-04-12"), step, 1).seconds == time_of("2019-04-13").seconds);

    /* A single row on a Saturday in twenty weeks leaves the weekend closed. */
    int count = 0;
    for (int i = 0; i < 7 * 20; i++)
        if (i % 7 < 5 || i == 7 * 9 + 5)
            times[count++] = at(86400.0 * (4 + i));
    assert_int_equal(check(times, count).step.closed_weekdays, weekend);

    /* With up to one holiday in five rows, the step is known; with more, it is not. */
    for (int holidays = 6; holidays <= 9; holidays++) {
        int n = 0;
        for (int i = 0; n < ROWS; i++)
            if (i % 7 < 5 && !(i % 7 == 2 && i / 7 < holidays)) {
                times[n].seconds = times[n].clock = 86400.0 * (4 + i);
                n++;
            }
        step = check(times, ROWS).step;
        assert_int_equal(volt_time_step_is_known(step), holidays <= 7);
        assert_int_equal(step.closed_weekdays, holidays <= 7 ? weekend : 0);
    }
}

/* Half hours from 9:30 to 16:00 on working days from Monday, 2024-01-08, except those from `pause` to `resume`. */
static int64_t half_hours(int64_t days, int pause, int resume, volt_time *times)
{
    int64_t n = 0;
    for (int64_t d = 0; d < days; d++)
        for (int64_t k = 0; k < 14; k++)
            if (k < pause || k >= resume)
                times[n++] = at(time_of("2024-01-08").seconds + day * (double)(d + d / 5 * 2) + 34200 +
                                1800 * (double)k);
    return n;
}

static void check_next(volt_time last, volt_time_step step, int64_t count, const char *expected)
{
    assert_true(volt_time_advance(last, step, count).clock == time_of(expected).clock);
}

/* Hours from Monday to Friday, around the clock. */
static void weekends_of_hours(void **state)
{
    volt_time times[240];
    for (int n = 0; n < 240; n++)
        times[n] =
            at(time_of("2024-01-08").seconds + day * (double)(n / 24 + n / 120 * 2) + 3600 * (double)(n % 24));
    volt_time_step step = check(times, 240).step;
    assert_true(step.seconds == 3600 && step.closed_weekdays == (1 << 5 | 1 << 6));
    check_next(times[239], step, 1, "2024-01-22 00:00");
}

/* Days of 14 half hours from 9:30 or 22:00, with or without a break, have no step. Only those that close at night have a grid. */
static void closed_hours_have_no_step(void **state)
{
    enum { DAYS = 10 };
    for (int k = 0; k < 4; k++) {
        bool has_break = k % 2, is_late = k / 2;
        volt_time times[MOST];
        int64_t n = half_hours(DAYS, has_break ? 4 : 14, has_break ? 7 : 14, times);
        for (int64_t i = 0; i < n; i++)
            times[i] = at(times[i].seconds + (is_late ? 12.5 * 3600 : 0));
        volt_times_report report = check(times, n);
        assert_false(volt_time_step_is_known(report.step));
        assert_int_equal(report.n_warnings, 0);
        assert_int_equal(report.grid.closes_nightly, k == 0);
        assert_true(report.grid.step.seconds == (k == 0 ? 1800 : 0));
        memmove(times + 20, times + 22, (size_t)(n - 22) * sizeof *times); /* two rows are missing */
        assert_int_equal(check(times, n - 2).n_warnings, k == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(calendars),
        cmocka_unit_test(steps_as_texts),
        cmocka_unit_test(weekdays),
        cmocka_unit_test(weekends_of_hours),
        cmocka_unit_test(closed_hours_have_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
