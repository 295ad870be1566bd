/* tests/unit/test_time_steps.c: steps between times of rows: months, closed weekdays, sessions; as text. */
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "support/check.h"
#include "volterra/task.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

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
    (void)state;
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
    (void)state;
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
    (void)state;
    static const char longest[] =
        "0.333333333333333 s except Mon Tue Wed Thu Fri Sat, 09:00:00 to 11:30:00, 12:30:00 to 15:00:00";
    const char *const good[] = {"3600 s",
                                "0.25 s",
                                "1 month",
                                "12 months",
                                "3 months to the last day",
                                "86400 s except Sat Sun",
                                "1 month except Sun",
                                "119987 months to the last day except Mon Tue Wed Thu Fri Sat",
                                "60 s, 00:00:00 to 00:01:00",
                                "11111 s except Mon Tue Wed Thu Fri Sat, 09:30:15 to 16:00:15",
                                "300 s, 16:00:00 to 15:55:00",
                                "300 s except Sat Sun, 09:00:00 to 11:25:00, 12:30:00 to 15:25:00",
                                "60 s, 21:00:00 to 23:59:00, 01:00:00 to 02:29:00",
                                longest,
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
                               "86400 s, 09:30:00 to 16:00:00",
                               "300 s, 16:00:00 to 15:55:01",
                               "300 s, 16:00:00 to 16:00:00",
                               "300 s, 09:00:00 to 11:25:00, 11:30:00 to 15:25:00",
                               "300 s, 09:00:00 to 11:25:00, 08:00:00 to 15:25:00",
                               "300 s, 09:00:00 to 11:25:00, 16:00:00 to 15:25:00",
                               "300 s, 09:00:00 to 11:25:00, 12:30:00 to 24:00:00",
                               "300 s, 09:00:00 to 11:25:00, 12:30:00 to",
                               "300 s, 09:00:00 to 10:00:00, 11:00:00 to 12:00:00, 13:00:00 to 14:00:00",
                               "300 s, 09:30:00 to 24:00:00",
                               "300 s, 09:30 to 16:00",
                               "1 month, 09:30:00 to 16:00:00",
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
    (void)state;
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

static void sessions(void **state)
{
    (void)state;
    enum { DAYS = 10, ROWS = 14 };
    const int weekend = 1 << 5 | 1 << 6;
    volt_time times[MOST];
    int64_t n = half_hours(DAYS, ROWS, ROWS, times);
    volt_time_step step = check(times, n).step;
    assert_true(step.seconds == 1800 && step.closed_weekdays == weekend && step.opens == 34200 &&
                step.closes == 57600);
    check_next(times[n - 1], step, 0, "2024-01-19 16:00");
    check_next(times[n - 1], step, 1, "2024-01-22 09:30");
    check_next(times[n - 1], step, 14, "2024-01-22 16:00");
    check_next(times[n - 1], step, 15, "2024-01-23 09:30");
    check_next(times[n - 1], step, 5 * 14 + 1, "2024-01-29 09:30");
    check_next(times[n - 1], step, -14, "2024-01-18 16:00");
    check_next(time_of("2024-01-20 10:00"), step, 1, "2024-01-22 09:30"); /* on a Saturday */
    check_next(time_of("2024-01-19 18:00"), step, 1, "2024-01-22 09:30"); /* after the session */
    for (int64_t i = 0; i < n; i++)
        assert_true(volt_time_advance(times[0], step, i).seconds == times[i].seconds);
    /* the first day begins late and the last ends early */
    assert_true(check(times + 3, n - 5).step.closes == 57600);
    check_next(times[n - 3], check(times + 3, n - 5).step, 3, "2024-01-22 09:30");
    /* two complete days have a session without closed weekdays and without gaps; two partial days only a gap */
    volt_times_report report = check(times, 28);
    assert_true(report.step.opens == 34200 && report.step.closed_weekdays == 0 && report.n_warnings == 0);
    check_next(times[27], report.step, 1, "2024-01-10 09:30");
    assert_true(check(times, 26).step.closes == 0);
    /* a model that knows the session counts the rows missing within it */
    const volt_time_grid grid = {.step = step};
    assert_int_equal(volt_time_grid_missing(&grid, times[2], times[6]), 3);
    assert_int_equal(volt_time_grid_missing(&grid, times[13], times[14]), 0);
    assert_int_equal(volt_time_grid_missing(&grid, times[13], times[14 * 4]), 3 * 14);
    /* one short day in ten is no other session, nor is a row outside */
    memmove(times + 4 * ROWS + 6, times + 5 * ROWS, 5 * ROWS * sizeof *times);
    assert_true(check(times, n - 8).step.closes == 57600);
    times[n - 8] = at(times[n - 9].seconds + 3 * 3600);
    assert_true(check(times, n - 7).step.closes == 57600);
    /* days around the clock without weekends */
    for (n = 0; n < 240; n++)
        times[n] =
            at(time_of("2024-01-08").seconds + day * (double)(n / 24 + n / 120 * 2) + 3600 * (double)(n % 24));
    step = check(times, n).step;
    assert_true(step.seconds == 3600 && step.closed_weekdays == weekend && step.closes == 0);
    check_next(times[n - 1], step, 1, "2024-01-22 00:00");
}

/* Ten sessions of 14 half hours from 22:00 to 04:30, opened on Monday to Friday. */
static void sessions_over_midnight(void **state)
{
    (void)state;
    enum { DAYS = 10, ROWS = 14 };
    volt_time times[DAYS * ROWS];
    int64_t n = half_hours(DAYS, ROWS, ROWS, times);
    for (int64_t i = 0; i < n; i++)
        times[i] = at(times[i].seconds + 12.5 * 3600);
    volt_times_report report = check(times, n);
    volt_time_step step = report.step;
    assert_true(step.seconds == 1800 && step.opens == 79200 && step.closes == 16200 && report.n_warnings == 0 &&
                step.closed_weekdays == (1 << 5 | 1 << 6));
    check_next(times[n - 1], step, 0, "2024-01-20 04:30");
    check_next(times[n - 1], step, 1, "2024-01-22 22:00");
    check_next(times[n - 1], step, 14, "2024-01-23 04:30");
    check_next(times[n - 1], step, -14, "2024-01-19 04:30");
    check_next(time_of("2024-01-23 12:00"), step, 1, "2024-01-23 22:00"); /* between sessions */
    check_next(time_of("2024-01-21 23:00"), step, 1, "2024-01-22 22:00"); /* on a Sunday */
    for (int64_t i = 0; i < n; i++)
        assert_true(volt_time_advance(times[0], step, i).seconds == times[i].seconds);
    const volt_time_grid grid = report.grid;
    assert_int_equal(volt_time_grid_missing(&grid, times[2], times[6]), 3); /* around midnight */
    assert_int_equal(volt_time_grid_missing(&grid, times[13], times[14]), 0);
    assert_int_equal(volt_time_grid_missing(&grid, times[13], times[14 * 5]), 4 * 14);
    memmove(times + 3, times + 4, (size_t)(n - 4) * sizeof *times); /* a row is missing */
    report = check(times, n - 1);
    assert_true(report.n_warnings == 1 && report.warnings[0].row == 3 && report.step.closes == 16200);
}

/* Ten sessions of 4 and 7 half hours with a break between them, from 9:30 and over midnight. */
static void sessions_with_a_break(void **state)
{
    (void)state;
    enum { DAYS = 10, PAUSE = 4, RESUMES = 7, ROWS = 11 };
    static const double begins[] = {9.5, 22}; /* the break is from 11:00 to 13:00, or from 23:30 to 1:30 */
    for (int b = 0; b < 2; b++) {
        volt_time times[DAYS * ROWS];
        double later = 3600 * (begins[b] - 9.5);
        int64_t n = half_hours(DAYS, PAUSE, RESUMES, times);
        for (int64_t i = 0; i < n; i++)
            times[i] = at(times[i].seconds + later);
        volt_times_report report = check(times, n);
        volt_time_step step = report.step;
        assert_true(step.seconds == 1800 && step.closed_weekdays == (1 << 5 | 1 << 6) &&
                    report.n_warnings == 0);
        assert_true(step.opens == 3600 * begins[b] && step.pause == step.opens + 3 * 1800);
        assert_true(step.resumes == fmod(step.opens + 7 * 1800, day) &&
                    step.closes == fmod(step.opens + 13 * 1800, day));
        assert_true(volt_time_step_day(step) == ROWS * 1800);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < n; k += 9)
                assert_true(volt_time_advance(times[i], step, k - i).seconds == times[k].seconds);
        /* moments in the break, and a time between two rows */
        double noon = times[PAUSE - 1].seconds;
        for (double minutes = 15; minutes < 120; minutes += 15)
            assert_true(volt_time_advance(at(noon + 60 * minutes), step, 1).seconds == times[PAUSE].seconds);
        assert_true(volt_time_advance(at(times[PAUSE].seconds + 600), step, 2).seconds ==
                    times[PAUSE + 2].seconds + 600);
        assert_int_equal(volt_time_grid_missing(&report.grid, times[PAUSE - 1], times[PAUSE]), 0);
        assert_int_equal(volt_time_grid_missing(&report.grid, times[PAUSE - 2], times[PAUSE + 1]), 2);
        assert_int_equal(volt_time_grid_missing(&report.grid, times[ROWS - 1], times[ROWS]), 0);
        /* the row after a break is missing; the first day begins late and the last ends early */
        memmove(times + 5 * ROWS + PAUSE, times + 5 * ROWS + PAUSE + 1, 49 * sizeof *times);
        report = check(times + 3, n - 6);
        assert_true(report.n_warnings == 1 && report.warnings[0].row == 5 * ROWS + PAUSE - 3);
        assert_true(report.step.pause == step.pause && report.step.closes == step.closes);
    }
}

/* Hours from 9:00 to 11:00 and from 12:30 to 14:30: the break is not a multiple of the step. Two breaks have no step. */
static void breaks_of_other_lengths(void **state)
{
    (void)state;
    enum { DAYS = 10, ROWS = 6 };
    volt_time times[DAYS * ROWS];
    char text[VOLT_TIME_LENGTH];
    for (int64_t i = 0; i < DAYS * ROWS; i++)
        times[i] = at(time_of("2024-01-08 09:00").seconds + day * (double)(i / ROWS) +
                      3600 * (double)(i % ROWS) + 1800 * (double)(i % ROWS >= 3));
    volt_time_step step = check(times, (int64_t)5 * ROWS).step;
    assert_string_equal(volt_time_step_format(step, text),
                        "3600 s, 09:00:00 to 11:00:00, 12:30:00 to 14:30:00");
    check_next(time_of("2024-01-12 14:30"), step, 3, "2024-01-13 11:00");
    check_next(time_of("2024-01-12 14:30"), step, 4, "2024-01-13 12:30");
    for (int64_t i = 0; i < DAYS * ROWS; i++)
        times[i] = at(times[i].seconds + 5400 * (double)(i % ROWS >= 5));
    assert_false(volt_time_step_is_known(check(times, (int64_t)DAYS * ROWS).step));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_with_a_break),
        cmocka_unit_test(breaks_of_other_lengths),
        cmocka_unit_test(steps),
        cmocka_unit_test(calendars),
        cmocka_unit_test(steps_as_texts),
        cmocka_unit_test(weekdays),
        cmocka_unit_test(sessions),
        cmocka_unit_test(sessions_over_midnight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
