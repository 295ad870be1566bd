/* tests/fuzz/fuzz_times.c: libFuzzer target for dates, times of day, steps between rows, calendars and
 * durations.
 *
 * The lines are a column of dates. Each line is also read as a step, a calendar and a duration. Printed
 * values round-trip; calendar columns lie on the unit circle. */
#include "fuzz/fuzz_input.h"
#include "io/time/time_grid.h"

#include "args/options.h"
#include "files/calendar.h"
#include "fuzz/fuzz_lines.h"
#include "io/time/time_text.h"
#include "volterra.h"

#include <math.h>
#include <string.h>

enum { MAX_BYTES = 1 << 11, MAX_COLUMNS = 2 * 64 };

/* Moments are written to the microsecond, and doubles of this size lie a quarter of one apart. */
static int is_same(volt_time a, volt_time b)
{
    return fabs(a.seconds - b.seconds) <= 1e-6 && fabs(a.clock - b.clock) <= 1e-6;
}

static volt_time read_back(const char *text)
{
    volt_time time = {0};
    FUZZ_CHECK(volt_times_parse(&text, 1, &time) == VOLT_OK);
    return time;
}

/* A step reads back as the same; steps that were taken are moments, or beyond those that can be written. */
static void check_step(volt_time_step step, volt_time from)
{
    char text[VOLT_TIME_LENGTH], again[VOLT_TIME_LENGTH];
    volt_time_step read = {0};
    if (!volt_time_step_is_known(step))
        return;
    FUZZ_CHECK(isfinite(step.seconds) && (step.seconds != 0 || step.months != 0));
    FUZZ_CHECK(volt_time_step_parse(volt_time_step_format(step, text), &read) == VOLT_OK);
    FUZZ_CHECK(strcmp(volt_time_step_format(read, again), text) == 0);
    FUZZ_CHECK(read.months == step.months && read.is_month_end == step.is_month_end &&
               read.closed_weekdays == step.closed_weekdays);
    for (int64_t count = 0; count <= 3; count++) {
        volt_time later = volt_time_advance(from, step, count);
        FUZZ_CHECK(isfinite(later.seconds));
        volt_time_format(later, text);
        FUZZ_CHECK(strlen(text) < VOLT_TIME_LENGTH);
    }
}

static void check_column(char *const *lines, int count)
{
    volt_time times[FUZZ_LINES], again[FUZZ_LINES];
    char written[FUZZ_LINES][VOLT_TIME_LENGTH];
    const char *texts[FUZZ_LINES];
    if (count == 0 || volt_times_parse((const char *const *)lines, count, times))
        return;
    for (int i = 0; i < count; i++) {
        char text[VOLT_TIME_LENGTH], again_text[VOLT_TIME_LENGTH];
        FUZZ_CHECK(isfinite(times[i].seconds) && isfinite(times[i].clock));
        volt_time_format(times[i], text);
        /* The last microsecond of the year 9999 has no date, long texts have no room, and 24:00 and 23:59:60 are
         * of the day after, which months and quarters cannot name. */
        if (strstr(text, "after 1970") || strlen(lines[i]) > VOLT_TIME_LENGTH / 2 || strstr(lines[i], "24:") ||
            strstr(lines[i], ":60"))
            return;
        FUZZ_CHECK(is_same(read_back(text), times[i]));
        FUZZ_CHECK(strcmp(volt_time_format(read_back(text), again_text), text) == 0);
        FUZZ_CHECK(volt_time_write_like(lines[i], times[i], times[i], written[i]) == VOLT_OK);
        texts[i] = written[i];
    }
    FUZZ_CHECK(volt_times_parse(texts, count, again) == VOLT_OK);
    for (int i = 0; i < count; i++)
        FUZZ_CHECK(is_same(again[i], times[i]));
    volt_time_step step;
    FUZZ_CHECK(volt_time_step_find(times, count, &step) == VOLT_OK);
    check_step(step, times[0]);
    int64_t early = volt_times_disorder(times, count, step);
    FUZZ_CHECK(early >= 1 && early <= count);
    FUZZ_CHECK(early == count || times[early].seconds <= times[early - 1].seconds);
}

static void check_calendar(const char *parts, const char *line)
{
    double values[MAX_COLUMNS], row[MAX_COLUMNS];
    volt_calendar wanted = {0}, columns = {.parts = parts, .scale = 2};
    if (volt_calendar_columns(&columns, NULL, volt_matrix_of(NULL, 0, 0))) {
        FUZZ_CHECK(*volt_error_detail());
        return;
    }
    int64_t cols = columns.cols;
    FUZZ_CHECK(cols >= 2 && cols % 2 == 0);
    if (cols > MAX_COLUMNS)
        return;
    FUZZ_CHECK(calendar_check(parts, 2, &wanted) == 0 && wanted.cols == cols);
    for (int64_t j = 0; j < cols; j++) {
        FUZZ_CHECK(*columns.names[j]);
    }
    volt_time time = read_back("2019-12-31 23:59:59");
    FUZZ_CHECK(volt_calendar_columns(&columns, &time, volt_matrix_of(values, 1, cols)) == VOLT_OK);
    for (int64_t j = 0; j < cols; j += 2)
        FUZZ_CHECK(fabs(hypot(values[j], values[j + 1]) - 2) < 1e-12);
    const char *problem = NULL;
    if (calendar_of_line(&wanted, line, row, &problem))
        for (int64_t j = 0; j < cols; j += 2)
            FUZZ_CHECK(fabs(hypot(row[j], row[j + 1]) - 2) < 1e-12);
    else
        FUZZ_CHECK(problem && *problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *lines[FUZZ_LINES] = {NULL};
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    int count = fuzz_lines_split(bytes, size, lines);
    check_column(lines, count);
    for (int i = 0; i < count; i++) {
        volt_time_step step = {0};
        double seconds = -1;
        if (volt_time_step_parse(lines[i], &step) == VOLT_OK)
            check_step(step, read_back("2020-02-29 12:00"));
        if (parse_duration(lines[i], &seconds))
            FUZZ_CHECK(seconds > 0 && isfinite(seconds));
        else
            FUZZ_CHECK(seconds == -1);
        check_calendar(lines[i], lines[0]);
        check_column(lines + i, 1);
    }
    fuzz_lines_free(lines, count);
    return 0;
}
