/* tests/unit/io/test_times.c: dates and times in common formats, and the calendar. */
#define _GNU_SOURCE
#include "io/time/time_grid.h"
#include "io/time/time_text.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "volterra/task.h"

#include <time.h>

static volt_time time_of(const char *text)
{
    volt_time time = {0};
    check_ok(volt_times_parse(&text, 1, &time));
    return time;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static void known_times(void **state)
{
    /* Seconds as printed by `date -u -d ... +%s`. */
    const struct {
        const char *text;
        double seconds, clock;
    } cases[] = {
        {"1970-01-01", 0, 0},
        {"2019-04-09", 1554768000, 1554768000},
        {"2019/4/9", 1554768000, 1554768000},
        {"09.04.2019", 1554768000, 1554768000},
        {"13/4/2019", 1555113600, 1555113600},
        {"4/13/2019", 1555113600, 1555113600},
        {"2019-04", 1554076800, 1554076800},
        {"2019Q2", 1554076800, 1554076800},
        {"1969", -31536000, -31536000},
        {"2019-q2", 1554076800, 1554076800},
        {"Q2 2019", 1554076800, 1554076800},
        {"2019M04", 1554076800, 1554076800},
        {"04/2019", 1554076800, 1554076800},
        {"04.2019", 1554076800, 1554076800},
        {"01.1800", -5364662400, -5364662400},
        {"4-2019", 1554076800, 1554076800},
        {"2019/04", 1554076800, 1554076800},
        {"201904", 1554076800, 1554076800},
        {"Apr 2019", 1554076800, 1554076800},
        {"Apr-19", 1554076800, 1554076800},
        {"2019-apr", 1554076800, 1554076800},
        {"2019-Apr-09", 1554768000, 1554768000},
        {"2019 April 9", 1554768000, 1554768000},
        {"20190409", 1554768000, 1554768000},
        {"9 April 2019", 1554768000, 1554768000},
        {"09-APR-19", 1554768000, 1554768000},
        {"April 9, 2019", 1554768000, 1554768000},
        {"09.04.19", 1554768000, 1554768000},
        {"9 Apr 2019 12:30", 1554813000, 1554813000},
        {"2019-W15", 1554681600, 1554681600},
        {"2020-W53", 1609113600, 1609113600},
        {"Jan-69", -31536000, -31536000},
        {"2019-04-09 12:30", 1554813000, 1554813000},
        {"2019-04-09T12:30:05Z", 1554813005, 1554813005},
        {"2019-04-09T12:30:05.25+02:00", 1554805805.25, 1554813005.25},
        {"2019-04-09 12:30:05 -0330", 1554825605, 1554813005},
        {"2019-04-09 12:30 +01", 1554809400, 1554813000},
        {"2019-04-09 12:30 AM", 1554769800, 1554769800},
        {"2019-04-09 12:30 pm", 1554813000, 1554813000},
        {"2019-04-09 24:00", 1554854400, 1554854400},
        {"2019-04-09 23:59:60", 1554854400, 1554854400},
        {"1900-03-01", -2203891200, -2203891200},
        {"2000-02-29", 951782400, 951782400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_time time = time_of(cases[i].text);
        if (time.seconds != cases[i].seconds || time.clock != cases[i].clock)
            fail_msg("%s: %.3f, %.3f", cases[i].text, time.seconds, time.clock);
    }
}

static void rejected_texts(void **state)
{
    const char *const texts[] = {"2019-02-29",
                                 "2019-13-01",
                                 "2019Q5",
                                 "2019Q0",
                                 "2019Q2 12:30",
                                 "2019-00-01",
                                 "2019-04-31",
                                 "2019-04-00",
                                 "2019-04-09 12:30:61",
                                 "2019-04-09 12:30 +1",
                                 "2019-04-09 25:00",
                                 "2019-04-09 24:01",
                                 "2019-04-09 24:00:01",
                                 "2019-04-09 12:61",
                                 "2019-04-09 13:00 PM",
                                 "Tuesday",
                                 "",
                                 "2019-W53",
                                 "2019-W00",
                                 "31 Apr 2019",
                                 "Apr 19",
                                 "19-04-09",
                                 "2019.04",
                                 "4.2019",
                                 "04.1799",
                                 "04.2200",
                                 "13.2019",
                                 "04.20190",
                                 "20190431",
                                 "20190-Apr",
                                 "201-Apr",
                                 "201913"};
    volt_time time;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_fails(volt_times_parse(&texts[i], 1, &time), VOLT_ERR_FORMAT, "date");
    const char *clock = "12:30", *either = "4/9/2019";
    check_fails(volt_times_parse(&clock, 1, &time), VOLT_ERR_FORMAT, "without");
    volt_time_text parts;
    assert_true(volt_time_text_read_known(clock, &parts) && !volt_time_of_text(clock, &parts, 0, &time));
    check_fails(volt_times_parse(&either, 1, &time), VOLT_ERR_FORMAT, "begin");
    const char *const mixed[] = {"4/9/2019", "Tuesday"};
    volt_time both[2];
    check_fails(volt_times_parse(mixed, 2, both), VOLT_ERR_FORMAT, "4/9/2019");
}

/* Later times have the form of the rows: names of months, their case, and numbers without zeros. */
static void forms_of_later_times(void **state)
{
    const struct {
        const char *texts[3], *later[3];
        volt_time_step step;
    } cases[] = {
        {{"2/13/2019", "3/13/2019", "4/13/2019"}, {"5/13/2019", "11/13/2019", "4/13/2020"}, {.months = 1}},
        {{"March 2019", "April 2019", "May 2019"}, {"June 2019", "December 2019", "May 2020"}, {.months = 1}},
        {{"MAR-19", "APR-19", "MAY-19"}, {"JUN-19", "DEC-19", "MAY-20"}, {.months = 1}},
        {{"201902", "201903", "201904"}, {"201905", "201911", "202004"}, {.months = 1}},
        {{"10.2019", "11.2019", "12.2019"}, {"01.2020", "07.2020", "12.2020"}, {.months = 1}},
        {{"2020-W50", "2020-W51", "2020-W52"}, {"2020-W53", "2021-W06", "2021-W11"}, {.seconds = 604800}},
        {{"Q1 2019", "Q2 2019", "Q3 2019"}, {"Q4 2019", "Q2 2021", "Q3 2022"}, {.months = 3}},
    };
    const int64_t steps[] = {1, 7, 12};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_time times[3];
        char text[VOLT_TIME_LENGTH];
        check_ok(volt_times_parse(cases[i].texts, 3, times));
        int64_t form = volt_times_form_row(cases[i].texts, 3);
        for (int k = 0; k < 3; k++) {
            volt_time later = volt_time_advance(times[2], cases[i].step, steps[k]);
            check_ok(volt_time_write_like(cases[i].texts[form], times[form], later, text));
            assert_string_equal(text, cases[i].later[k]);
        }
    }
    const char *const unreadable[] = {"2019-02-28", "March", "2019-04-30"};
    assert_int_equal(volt_times_form_row(unreadable, 3), 2);
}

/* Months and quarters as numbers with a point, of which the whole column shows the form. */
static void numbers_with_a_point(void **state)
{
    enum { ROWS = 30 };
    const struct {
        const char *form; /* of year (Y), month (M, m with two digits), or quarter (q) */
        int first;        /* month of the first row, from 0 */
        int is_trimmed;   /* zeros at the end are lost */
        const char *later;
    } cases[] = {
        {"Y.m", 0, 0, "2022.07"}, {"Y.m", 0, 1, "2022.07"},   {"Y.m", 9, 1, "2023.04"},
        {"Y.M", 0, 0, "2022.7"},  {"Y.M", 0, 1, "2022.7"},    {"Y.M", 9, 1, "2023.4"},
        {"Y.q", 0, 0, "2027.3"},  {"M.Y", 0, 0, "7.2022"},    {"m.Y", 0, 1, "07.2022"},
        {"M.Y", 3, 1, "10.2022"}, {"m.y", 0, 0, "07.22"},     {"m.y", 5, 1, "12.22"},
        {"mY", 4, 0, "112022"},   {"01mY", 0, 0, "01072022"}, {"m01Y", 0, 0, "07012022"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char room[ROWS][32], text[VOLT_TIME_LENGTH];
        const char *texts[ROWS];
        volt_time times[ROWS];
        int each = strchr(cases[k].form, 'q') ? 3 : 1;
        for (int i = 0; i < ROWS; i++) {
            int month = cases[k].first + each * i, year = 2020 + month / 12;
            char *end = room[i];
            for (const char *c = cases[k].form; *c; c++)
                end += *c == 'Y'   ? sprintf(end, "%d", year)
                       : *c == 'y' ? sprintf(end, "%02d", year % 100)
                       : *c == 'm' ? sprintf(end, "%02d", month % 12 + 1)
                       : *c == 'M' ? sprintf(end, "%d", month % 12 + 1)
                       : *c == 'q' ? sprintf(end, "%d", month % 12 / 3 + 1)
                                   : sprintf(end, "%c", *c);
            while (cases[k].is_trimmed && end[-1] == '0')
                *--end = '\0';
            texts[i] = room[i];
        }
        check_ok(volt_times_parse(texts, ROWS, times));
        volt_time_step step = {.months = each};
        for (int i = 0; i < ROWS; i++) {
            volt_time expected = volt_time_advance(time_of("2020-01-01"), (volt_time_step){.months = 1},
                                                   cases[k].first + each * i);
            if (times[i].clock != expected.clock)
                fail_msg("%s: '%s' in row %d", cases[k].form, texts[i], i);
        }
        int64_t form = volt_times_form_row(texts, ROWS);
        check_ok(
            volt_time_write_like(texts[form], times[form], volt_time_advance(times[ROWS - 1], step, 1), text));
        assert_string_equal(text, cases[k].later);
    }
    const char *const numbers[][4] = {
        {"2018.00", "2018.08", "2018.17", "2018.25"}, /* decimal years */
        {"2018.08", "2018.17", "2018.25", "2018.33"},
        {"1.00", "1.01", "1.02", "1.03"}, /* counters */
        {"2018.7", "2018.8", "2018.9", "2019.0"},
        {"3.22", "4.22", "5.22", "6.22"}, /* months of 2022, or seconds */
        {"2019.1", "2020.1", "2021.1", "2022.1"},
        {"102019", "102020", "102021", "102023"},
    };
    volt_time times[4];
    volt_date_order order;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        volt_digit_dates dates = {0};
        for (int i = 0; i < 4; i++)
            volt_digit_dates_learn(&dates, numbers[k][i]);
        if (volt_digit_dates_find(&dates, "time", &order) || volt_digit_dates_find(&dates, NULL, &order))
            fail_msg("%s, ... are dates", numbers[k][0]);
    }
    for (size_t k = 0; k < 6; k++)
        check_fails(volt_times_parse(numbers[k], 4, times), VOLT_ERR_FORMAT, "date");
    const char *const both[] = {"01/01/2019", "02/02/2019", "03/03/2019"}; /* in either order */
    char text[VOLT_TIME_LENGTH];
    check_ok(volt_times_parse(both, 3, times));
    assert_true(times[2].clock == time_of("2019-03-03").clock);
    check_ok(volt_time_write_like(both[2], times[2], time_of("2019-04-05"), text));
    assert_string_equal(text, "2019-04-05");
}

/* One unambiguous text determines the format of its column. */
static void day_or_month(void **state)
{
    const char *const days[] = {"4/9/2019", "30/9/2019"}, *const months[] = {"4/9/2019", "9/30/2019"};
    const char *const both[] = {"9/30/2019", "30/9/2019"};
    volt_time times[2];
    check_ok(volt_times_parse(days, 2, times));
    assert_true(times[0].seconds == time_of("2019-09-04").seconds);
    check_ok(volt_times_parse(months, 2, times));
    assert_true(times[0].seconds == time_of("2019-04-09").seconds);
    check_fails(volt_times_parse(both, 2, times), VOLT_ERR_FORMAT, "begins '9/30/2019'");
}

/* Without a number above 12, the order is the one with a regular step. */
static void day_or_month_by_step(void **state)
{
    enum { MOST = 40 };
    char room[MOST][32];
    const char *texts[MOST];
    volt_time times[MOST];
    for (int i = 0; i < MOST; i++)
        texts[i] = room[i];
    for (int i = 0; i < MOST; i++) /* first days of months */
        snprintf(room[i], sizeof room[i], "%02d/01/%d", i % 12 + 1, 2019 + i / 12);
    for (int n = 13; n <= MOST; n++) {
        check_ok(volt_times_parse(texts, n, times));
        assert_true(times[n - 1].seconds ==
                    volt_time_advance(time_of("2019-01-01"), (volt_time_step){.months = 1}, n - 1).seconds);
    }
    check_fails(volt_times_parse(texts, 12, times), VOLT_ERR_FORMAT, "both"); /* days of January */
    check_fails(volt_times_parse(texts, 2, times), VOLT_ERR_FORMAT, "begin");
    for (int i = 0; i < MOST; i++) /* the same with the day first, quarters */
        snprintf(room[i], sizeof room[i], "1-%d-%d", 3 * (i % 4) + 1, 2019 + i / 4);
    check_ok(volt_times_parse(texts, MOST, times));
    assert_true(times[5].seconds == time_of("2020-04-01").seconds);
    for (int i = 0; i < MOST; i++) /* hours of two days */
        snprintf(room[i], sizeof room[i], "%d/03/2019 %02d:00", 4 + i / 24, i % 24);
    check_ok(volt_times_parse(texts, MOST, times));
    assert_true(times[MOST - 1].seconds == time_of("2019-03-05 15:00").seconds);
    snprintf(room[3], sizeof room[3], "4/07/2019 03:00"); /* an outlier */
    check_fails(volt_times_parse(texts, MOST, times), VOLT_ERR_FORMAT, "neither");
}

static void every_day_of_a_calendar(void **state)
{
    /* Compared with the C library, every day from 1600 to 2400. */
    int64_t first = volt_days_of_date(1600, 1, 1), last = volt_days_of_date(2400, 12, 31);
    assert_int_equal(first, -135140);
    for (int64_t day = first; day <= last; day++) {
        time_t seconds = (time_t)day * 86400;
        struct tm expected;
        assert_non_null(gmtime_r(&seconds, &expected));
        volt_civil_date date = volt_date_of_days(day);
        if (date.year != expected.tm_year + 1900 || date.month != expected.tm_mon + 1 ||
            date.day != expected.tm_mday || volt_weekday_of_days(day) != (expected.tm_wday + 6) % 7 ||
            volt_days_of_date(date.year, date.month, date.day) != day ||
            day - volt_days_of_date(date.year, 1, 1) != expected.tm_yday)
            fail_msg("day %" PRId64 ": %" PRId64 "-%" PRId64 "-%" PRId64, day, date.year, date.month, date.day);
    }
}

static void written_and_read(void **state)
{
    const struct {
        const char *like, *later, *expected;
    } cases[] = {
        {"2019-04-09", "2019-04-10", "2019-04-10"},
        {"2019/4/9", "2019-12-31", "2019/12/31"},
        {"31.12.2019", "2020-01-01", "01.01.2020"},
        {"13/4/2019 11:30", "2019-05-01 00:15", "01/5/2019 00:15"},
        {"4/13/2019 11:30 AM", "2019-05-01 13:15", "5/01/2019 01:15 PM"},
        {"2019-04", "2020-01-01", "2020-01"},
        {"2019Q4", "2020-07-01", "2020Q3"},
        {"1999", "2000-07-01", "2000"},
        {"2019-04-09T12:30:05.25Z", "2019-04-09 12:30:05.5", "2019-04-09T12:30:05.50Z"},
        {"2019-04-09 12:30:59.9", "2019-04-09 23:59:59.99", "2019-04-10 00:00:00.0"},
        {"2019-04-09 12:30+02:00", "2019-04-09 22:00", "2019-04-10 00:00+02:00"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[VOLT_TIME_LENGTH];
        check_ok(volt_time_write_like(cases[i].like, time_of(cases[i].like), time_of(cases[i].later), text));
        assert_string_equal(text, cases[i].expected);
    }
    char text[VOLT_TIME_LENGTH];
    assert_string_equal(volt_time_format(time_of("9.4.2019"), text), "2019-04-09");
    assert_string_equal(volt_time_format(time_of("9.4.2019 7:05"), text), "2019-04-09 07:05");
    assert_string_equal(volt_time_format(time_of("2019-04-09T07:05:09.5-0330"), text),
                        "2019-04-09 07:05:09.500000-03:30");

    enum { SEED = 31, DRAWS = 3000 };
    print_message("seed %d\n", SEED);
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    for (int i = 0; i < DRAWS; i++) {
        double clock = floor(6e9 * volt_rng_uniform(&rng) - 2e9),
               offset = 900 * floor(96 * volt_rng_uniform(&rng) - 48);
        volt_time time = {clock - offset, clock}, back = time_of(volt_time_format(time, text));
        if (back.seconds != time.seconds || back.clock != time.clock)
            fail_msg("%.0f with offset %.0f became %s", clock, offset, text);
        char like[VOLT_TIME_LENGTH];
        check_ok(volt_time_write_like("2019-04-09T12:30:05+05:30", time_of("2019-04-09T12:30:05+05:30"), time,
                                      like));
        assert_true(time_of(like).seconds == time.seconds);
    }
}

/* ---- the calendar ----------------------------------------------------------------------------- */

static void calendar_by_hand(void **state)
{
    volt_calendar calendar = {.parts = "hour,weekday,month,yearday,minute", .scale = 2};
    check_ok(volt_calendar_columns(&calendar, NULL, volt_matrix_of(NULL, 0, 0)));
    assert_int_equal(calendar.cols, 10);
    assert_string_equal(calendar.names[0], "hour.sin");
    assert_string_equal(calendar.names[3], "weekday.cos");

    /* Thursday, 2 July 2020, 06:15: hour 6 is a quarter of the day, minute 15 a quarter of the hour. July is
     * half of the year, Thursday is day 3 of 7, and the day is number 183 (from 0) of 366, half of them. */
    volt_time time = time_of("2020-07-02 06:15:00+05:00");
    double row[10];
    check_ok(volt_calendar_columns(&calendar, &time, volt_matrix_of(row, 1, 10)));
    double turn = 2 * acos(-1.0);
    double shares[] = {6.25 / 24, 3.0 / 7, 0.5, 0.5, 0.25};
    for (int k = 0; k < 5; k++) {
        /* The angle is rounded at most twice, and so is its sine. */
        assert_true(fabs(row[2 * k] - 2 * sin(turn * shares[k])) <= 8e-15);
        assert_true(fabs(row[2 * k + 1] - 2 * cos(turn * shares[k])) <= 8e-15);
    }
    /* Columns with the variances 4 and 16: a sine of amplitude sqrt(20) has their mean, 10; without inputs 1. */
    const double inputs[] = {1, 2, 5, 10};
    calendar.scale = 0;
    calendar.inputs = volt_view_of(inputs, 2, 2);
    check_ok(volt_calendar_columns(&calendar, &time, volt_matrix_of(row, 1, 10)));
    assert_true(fabs(calendar.scale - sqrt(20)) <= 1e-14 && fabs(hypot(row[0], row[1]) - sqrt(20)) <= 1e-14);
    calendar = (volt_calendar){.parts = "hour"};
    check_ok(volt_calendar_columns(&calendar, NULL, volt_matrix_of(NULL, 0, 0)));
    assert_true(calendar.scale == 1);
}

static void calendar_rejected(void **state)
{
    static const char *const wrong[][2] = {
        {"hour,fortnight", "'fortnight'"}, {"", "part ''"}, {"hour,", "part ''"}, {"hour,hour", "'hour'"}};
    volt_calendar calendar = {.parts = "hour"};
    double row[4];
    volt_time time = {0, 0}, never = {1e300, 1e300};
    check_fails(volt_calendar_columns(&calendar, &time, volt_matrix_of(row, 1, 4)), VOLT_ERR_SHAPE,
                "2 columns 4");
    check_fails(volt_calendar_columns(&calendar, &never, volt_matrix_of(row, 1, 2)), VOLT_ERR_ARGUMENT,
                "four-digit");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        calendar.parts = wrong[i][0];
        check_fails(volt_calendar_columns(&calendar, &time, volt_matrix_of(row, 1, 2)), VOLT_ERR_ARGUMENT,
                    wrong[i][1]);
    }
}

/* ---- tables ----------------------------------------------------------------------------------- */

static volt_table *read_table(const char *text, const char *columns, volt_missing missing)
{
    char source[5000];
    volt_table *table = NULL;
    snprintf(source, sizeof source, "%s%s", scratch_write_text("times.csv", text), columns);
    check_ok(volt_table_read(source,
                             &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                  .missing = missing,
                                                  .end = VOLT_LAST_ROW},
                             &table));
    return table;
}

static void tables_keep_their_times(void **state)
{
    volt_table *table =
        read_table("a,when,b\n1,2019-04-09 01:00,2\n3, 2019-04-09 02:00 ,4\n", "", VOLT_MISSING_ERROR);
    assert_int_equal(table->cols, 2);
    assert_string_equal(table->time_name, "when");
    assert_string_equal(table->time_texts[0], "2019-04-09 01:00");
    assert_string_equal(table->time_texts[1], "2019-04-09 02:00");
    assert_true(table->times[1].seconds - table->times[0].seconds == 3600);
    volt_table_free(table);

    /* Dropped rows drop their times, and an unselected column can still be the time. */
    table = read_table("date,a,b\n2019-04-09,,2\n2019-04-10,3,4\n2019-04-11,,1\n2019-04-12,5,\n", ":a",
                       VOLT_MISSING_DROP);
    assert_int_equal(table->rows, 2);
    assert_string_equal(table->time_texts[0], "2019-04-10");
    assert_string_equal(table->time_texts[1], "2019-04-12");
    assert_true(table->times[1].seconds - table->times[0].seconds == 2 * 86400);
    assert_int_equal(table->row_numbers[0], 1);
    assert_int_equal(table->row_numbers[1], 3);
    volt_table_free(table);

    /* A date and a time of day in two columns, in either order. */
    table = read_table("Time;Date;v\n17:24:00;16/12/2006;1\n17:25:00;16/12/2006;2\n", "", VOLT_MISSING_ERROR);
    assert_string_equal(table->time_name, "Date");
    assert_string_equal(table->time_texts[1], "16/12/2006 17:25:00");
    assert_true(table->times[1].seconds - table->times[0].seconds == 60);
    volt_table_free(table);

    /* Unselected rows also determine the date format. */
    volt_read_options options = volt_read_options_default();
    options.first = 1;
    options.end = 2;
    table = NULL;
    check_ok(volt_table_read(scratch_write_text("days.csv", "date,v\n30/9/2019,1\n4/10/2019,2\n5/10/2019,3\n"),
                             &options, &table));
    assert_int_equal(table->rows, 1);
    assert_int_equal(table->row_numbers[0], 1);
    assert_true(table->times && table->times[0].seconds == time_of("2019-10-04").seconds);
    volt_table_free(table);

    /* Increasing years in a column with such a name are times, and numbers if the column is selected. Years
     * that do not increase, years under other names, and a file with only years are numbers. */
    const char *const years = "Year,v\n1871,1120\n1872,1160\n1874,963\n";
    table = read_table(years, "", VOLT_MISSING_ERROR);
    assert_int_equal(table->cols, 1);
    assert_string_equal(table->time_name, "Year");
    assert_true(table->times && table->times[2].seconds == time_of("1874-01-01").seconds);
    volt_table_free(table);
    table = read_table(years, ":v", VOLT_MISSING_ERROR);
    assert_true(table->cols == 1 && table->times);
    volt_table_free(table);
    table = read_table(years, ":Year,v", VOLT_MISSING_ERROR);
    assert_true(table->cols == 2 && !table->time_name);
    volt_table_free(table);
    /* Days need no name, and at least three rows. */
    table = read_table("d,v\n20190409,1\n20190410,2\n20190412,3\n", "", VOLT_MISSING_ERROR);
    assert_true(table->cols == 1 && table->times && table->times[2].seconds == time_of("2019-04-12").seconds);
    volt_table_free(table);
    /* Nor do months with a leading 0. Their points are not decimal points. */
    table = read_table("Monat;v\n11.2019;1,5\n12.2019;2,5\n01.2020;3,5\n", "", VOLT_MISSING_ERROR);
    assert_true(table->cols == 1 && table->times && table->times[2].seconds == time_of("2020-01-01").seconds &&
                table->values[2] == 3.5);
    volt_table_free(table);
    table = read_table("date,v\n11.2019,1.5\n12.2019,2.5\n", "", VOLT_MISSING_ERROR);
    assert_true(table->cols == 1 && table->times && table->times[1].seconds == time_of("2019-12-01").seconds);
    volt_table_free(table);
    const char *const numbers[] = {"d,v\n20190409,1\n20190410,2\n",
                                   "d,v\n02.2019,1\n03.2019,2\n",
                                   "d,v\n10.2019,1\n11.2019,2\n12.2019,3\n",
                                   "date,v\n04.2019,1\n03.2019,2\n",
                                   "date,v\n04.2019,1\n13.2019,2\n",
                                   "date,v\n04.2300,1\n05.2300,2\n",
                                   "year,v\n1871,1\n1871,2\n",
                                   "y,v\n1871,1\n1872,2\n",
                                   "year,v\n871,1\n872,2\n",
                                   "year,v\n1871.5,1\n1872.5,2\n",
                                   "time\n1871\n1872\n",
                                   "1871,1\n1872,2\n"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        table = read_table(numbers[i], "", VOLT_MISSING_ERROR);
        assert_true(table->cols == (strchr(numbers[i], 'v') || !strchr(numbers[i], 't') ? 2 : 1));
        assert_null(table->time_name);
        volt_table_free(table);
    }
    const char *model_names[] = {"v", "Year"};
    options = volt_read_options_default();
    options.names = model_names;
    options.n_names = 2;
    table = NULL;
    check_ok(volt_table_read(scratch_write_text("years.csv", years), &options, &table));
    assert_true(table->cols == 2 && table->values[1] == 1871 && !table->time_name);
    volt_table_free(table);

    /* Texts that are not times remain texts; a file without dates has no times. */
    table = read_table("date,a\nearly 2019,1\nlate 2019,2\n", "", VOLT_MISSING_ERROR);
    assert_string_equal(table->time_texts[1], "late 2019");
    assert_null(table->times);
    volt_table_free(table);
    table = read_table("Month,a\nJan,1\nFeb,2\n", "", VOLT_MISSING_ERROR);
    assert_true(table->cols == 1 && table->time_name && !table->times);
    volt_table_free(table);
    table = read_table("date,a\n2019-04-09,1\n,2\n", "", VOLT_MISSING_ERROR);
    assert_string_equal(table->time_texts[1], "");
    assert_null(table->times);
    volt_table_free(table);
    table = read_table("a\n1\n2\n", "", VOLT_MISSING_ERROR);
    assert_null(table->time_name);
    assert_null(table->times);
    assert_int_equal(table->row_numbers[1], 1);
    volt_table_free(table);
}

static void every_allocation_may_fail(void **state)
{
    char path[5000];
    snprintf(path, sizeof path, "%s",
             scratch_write_text("times.csv", "Date,Time,v\n2019-04-09,12:00,1\n2019-04-09,13:00,\n"));
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_table *table = NULL;
        volt_status status = volt_table_read(path,
                                             &(volt_read_options){.struct_size = sizeof(volt_read_options),
                                                                  .missing = VOLT_MISSING_DROP,
                                                                  .end = VOLT_LAST_ROW},
                                             &table);
        volt_table_free(table);
        failing_alloc_check(status);
    }
}

static void labelled(void **state)
{
    const double values[] = {1, 2.5, 3, 4};
    const char *const names[] = {"a", "b"}, *const labels[] = {"2019-04-09 01:00", "x,\"y\""};
    char path[5000];
    snprintf(path, sizeof path, "%s", scratch_write_text("labelled.csv", ""));
    check_ok(volt_table_write(path, volt_view_of(values, 2, 2), names,
                              &(volt_write_options){.struct_size = sizeof(volt_write_options),
                                                    .label_name = "time",
                                                    .labels = labels}));
    char *text = NULL;
    check_ok(volt_text_read(path, &text));
    assert_string_equal(text, "time,a,b\n2019-04-09 01:00,1,2.5\n\"x,\"\"y\"\"\",3,4\n");
    volt_free(text);
    check_fails(
        volt_table_write(path, volt_view_of(values, 2, 2), names,
                         &(volt_write_options){.struct_size = sizeof(volt_write_options), .labels = labels}),
        VOLT_ERR_ARGUMENT, "without");
}

/* ---- rows of two sequences -------------------------------------------------------------------- */

enum { DAYS = 6, DAY = 86400 };

static void days_from(int first, int step, volt_time times[DAYS])
{
    for (int i = 0; i < DAYS; i++)
        times[i].seconds = times[i].clock = (double)(first + step * i) * DAY;
}

static void times_matched(void **state)
{
    volt_time first[DAYS], second[DAYS];
    int64_t partner[DAYS];
    static const struct {
        int begin, step;
        int64_t partner[DAYS];
    } cases[] = {{0, 1, {0, 1, 2, 3, 4, 5}}, {4, 1, {-1, -1, -1, -1, 0, 1}}, {-2, 2, {1, -1, 2, -1, 3, -1}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        days_from(0, 1, first);
        days_from(cases[c].begin, cases[c].step, second);
        check_ok(volt_times_match(first, DAYS, second, DAYS, partner));
        assert_memory_equal(partner, cases[c].partner, sizeof partner);
    }
    days_from(6, 1, second);
    check_fails(volt_times_match(first, DAYS, second, DAYS, partner), VOLT_ERR_DATA,
                "1970-01-01 1970-01-06 1970-01-07 1970-01-12");
    /* Times that do not increase are matched only with the same times. */
    days_from(0, 1, second);
    first[3] = second[3] = first[2];
    check_ok(volt_times_match(first, DAYS, second, DAYS, partner));
    assert_int_equal(partner[3], 3);
    check_fails(volt_times_match(first, DAYS, second, DAYS - 1, partner), VOLT_ERR_DATA, "1970-01-03 row 3");
    check_fails(volt_times_match(first, 0, second, 1, partner), VOLT_ERR_ARGUMENT, "times");
    /* the same local clock, with and without a time zone */
    days_from(0, 1, first);
    days_from(0, 1, second);
    for (int i = 0; i < DAYS; i++)
        second[i].seconds -= 3600;
    check_ok(volt_times_match(first, DAYS, second, DAYS, partner));
    assert_int_equal(partner[DAYS - 1], DAYS - 1);
}

static volt_table *read_rows(const char *text, int64_t first)
{
    volt_table *table = NULL;
    volt_read_options options = volt_read_options_default();
    options.first = first;
    options.keep_faults = 1;
    check_ok(volt_table_read(scratch_write_text("rows.csv", text), &options, &table));
    return table;
}

#define DATED(a, b, c) "date,v\n2020-01-0" #a ",1\n2020-01-0" #b ",x\n2020-01-0" #c ",3\n"

/* Tables with times keep the rows of common times, others the rows with common numbers. */
static void tables_aligned(void **state)
{
    static const char *const names[] = {"X", "Y", "W"};
    int64_t common[3];
    volt_table *tables[3] = {read_rows(DATED(1, 2, 3), 0), read_rows(DATED(2, 3, 4), 0),
                             read_rows("w\n7\n8\n9\n", 0)};
    check_ok(volt_tables_align(tables, names, 3, common, NULL));
    assert_true(common[0] == 3 && common[1] == 2 && common[2] == 3);
    for (int t = 0; t < 3; t++)
        assert_int_equal(tables[t]->rows, 2);
    assert_true(tables[0]->row_numbers[0] == 1 && tables[1]->row_numbers[0] == 0 && tables[2]->values[0] == 8);
    assert_string_equal(tables[1]->time_texts[1], "2020-01-03");
    assert_true(tables[0]->faults[0] && !tables[0]->faults[1]);
    volt_table_free(tables[1]);
    tables[1] = read_rows(DATED(6, 7, 8), 0);
    check_fails(volt_tables_align(tables, names, 3, NULL, NULL), VOLT_ERR_DATA, "X Y 2020-01-02 2020-01-08");
    assert_int_equal(tables[2]->rows, 2);
    volt_table_free(tables[1]);
    tables[1] = read_rows("v\n1\n2\n", 0);
    check_fails(volt_tables_align(tables, names, 2, NULL, NULL), VOLT_ERR_SHAPE, "X 3 Y 2");
    volt_table_free(tables[1]);
    tables[1] = read_rows("v\n1\n2\n3\n", 2); /* a selection of rows keeps their numbers */
    check_ok(volt_tables_align(tables, names, 2, common, NULL));
    assert_true(common[1] == 1 && tables[0]->row_numbers[0] == 2 && tables[1]->values[0] == 3);
    for (int t = 0; t < 3; t++)
        volt_table_free(tables[t]);
    /* Dates that are repeated, as in records, match row by row when they are the same. */
    tables[0] = read_rows(DATED(1, 2, 1), 1);
    tables[1] = read_rows(DATED(1, 2, 1), 0);
    check_ok(volt_tables_align(tables, names, 2, common, NULL));
    assert_true(common[1] == 2 && tables[1]->row_numbers[1] == 2);
    volt_table_free(tables[0]);
    volt_table_free(tables[1]);
}

/* Inserted rows have the dates between their neighbours, in the form of the file, and no values. */
static void missing_dates_are_inserted(void **state)
{
    volt_table *table =
        read_table("date,v\n29.01.2020,1\n30.01.2020,2\n02.02.2020,5\n03.02.2020,6\n04.02.2020,7\n", "",
                   VOLT_MISSING_ERROR);
    static const char *const dates[] = {"29.01.2020", "30.01.2020", "31.01.2020", "01.02.2020",
                                        "02.02.2020", "03.02.2020", "04.02.2020"};
    static const int64_t numbers[] = {0, 1, 1, 1, 2, 3, 4};
    check_ok(volt_tables_fill(table, NULL, NULL));
    assert_true(table->rows == 7 && table->inserted == 2);
    for (int64_t i = 0; i < 7; i++) {
        assert_string_equal(table->time_texts[i], dates[i]);
        assert_true(table->times[i].seconds == table->times[0].seconds + 86400.0 * (double)i);
        assert_int_equal(table->row_numbers[i], numbers[i]);
        bool is_inserted = i == 2 || i == 3;
        assert_true(is_inserted ? isnan(table->values[i]) : table->values[i] == (double)(i + 1));
    }
    volt_table_free(table);
}

static void texts_with_times(void **state)
{
    char source[600], **texts = NULL;
    int64_t rows = 0;
    volt_table *table = NULL;
    snprintf(source, sizeof source, "%s:r",
             scratch_write_text("records.csv", "date,r\n2020-01-01,a\n2020-01-02,b\n"));
    check_ok(volt_texts_read(source, &texts, &rows, &table));
    assert_true(rows == 2 && table->rows == 2 && table->times &&
                table->times[1].seconds - table->times[0].seconds == DAY);
    volt_free(texts);
    volt_table_free(table);
    snprintf(source, sizeof source, "%s:date", scratch_path("records.csv"));
    check_ok(volt_texts_read(source, &texts, &rows, &table));
    assert_true(table->rows == 2 && !table->times && table->file_rows == 2);
    volt_free(texts);
    volt_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times),
        cmocka_unit_test(rejected_texts),
        cmocka_unit_test(forms_of_later_times),
        cmocka_unit_test(numbers_with_a_point),
        cmocka_unit_test(day_or_month),
        cmocka_unit_test(day_or_month_by_step),
        cmocka_unit_test(every_day_of_a_calendar),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(calendar_by_hand),
        cmocka_unit_test(calendar_rejected),
        cmocka_unit_test(tables_keep_their_times),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(labelled),
        cmocka_unit_test(times_matched),
        cmocka_unit_test(tables_aligned),
        cmocka_unit_test(missing_dates_are_inserted),
        cmocka_unit_test(texts_with_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
