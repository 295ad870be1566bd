/* src/io/time/times.c: columns of times read, and single times written. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "io/time/time_grid.h"
#include "io/time/time_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- reading ---------------------------------------------------------------------------------- */

/* Length of an excerpt in messages. */
#define SHOWN "%.40s"

/* Determines whether the texts, read in this order, are dates with the same step between all rows. */
static volt_status check_regular(const char *const *texts, int64_t n, int is_month_first, volt_time *times,
                                 int *is_regular)
{
    volt_time_step step;
    *is_regular = 0;
    for (int64_t i = 0; i < n; i++) {
        volt_time_text parts;
        if (!volt_time_text_read_known(texts[i], &parts) ||
            !volt_time_of_text(texts[i], &parts, is_month_first, &times[i]))
            return VOLT_OK;
    }
    VOLT_TRY(volt_time_step_find(times, n, &step));
    if (n < 3 || !volt_time_step_is_known(step))
        return VOLT_OK;
    for (int64_t i = 1; i < n; i++)
        if (fabs(volt_time_advance(times[i - 1], step, 1).seconds - times[i].seconds) > 1e-3)
            return VOLT_OK;
    *is_regular = 1;
    return VOLT_OK;
}

/* Chooses the only order in which the column has a regular step: 01/01/2019, 02/01/2019, ..., 01/01/2020 are months.
 * `open` is an ambiguous text. `times` (n) is overwritten. */
static volt_status find_regular_order(const char *const *texts, int64_t n, const char *open, volt_time *times,
                                      volt_date_order *order)
{
    int day_first, month_first;
    VOLT_TRY(check_regular(texts, n, 0, times, &day_first));
    VOLT_TRY(check_regular(texts, n, 1, times, &month_first));
    VOLT_REQUIRE(day_first != month_first, VOLT_ERR_FORMAT,
                 "'" SHOWN "' may begin with the day or with the month (%s a regular step); write dates as "
                 "2019-04-09",
                 open, day_first ? "both have" : "neither has");
    *order = day_first ? VOLT_ORDER_DAY_FIRST : VOLT_ORDER_MONTH_FIRST;
    return VOLT_OK;
}

/* Determines which of the first two numbers of 4/9/2019 is the month, from all texts of a column. */
static volt_status find_order(const char *const *texts, int64_t n, volt_time *times, volt_date_order *order)
{
    const char *open = NULL, *unambiguous = NULL; /* an example of each kind */
    for (int64_t i = 0; i < n; i++) {
        volt_time_text parts;
        if (!volt_time_text_read_known(texts[i], &parts) || !parts.is_either)
            continue;
        volt_date_order found = volt_time_text_order(texts[i], &parts);
        if (found == VOLT_ORDER_OPEN) {
            if (volt_time_text_number(texts[i], parts.fields[TIME_DAY]) !=
                volt_time_text_number(texts[i], parts.fields[TIME_MONTH]))
                open = texts[i];
            continue;
        }
        VOLT_REQUIRE(*order == VOLT_ORDER_OPEN || found == *order, VOLT_ERR_FORMAT,
                     "'" SHOWN "' begins with %s, unlike '" SHOWN "'", texts[i],
                     found == VOLT_ORDER_DAY_FIRST ? "a day" : "a month", unambiguous ? unambiguous : "others");
        *order = found;
        unambiguous = texts[i];
    }
    return open && *order == VOLT_ORDER_OPEN ? find_regular_order(texts, n, open, times, order) : VOLT_OK;
}

volt_status volt_times_parse(const char *const *texts, int64_t n, volt_time *times)
{
    VOLT_REQUIRE(texts && times && n >= 0, VOLT_ERR_ARGUMENT,
                 "volt_times_parse requires texts and an output for times");
    return volt_times_parse_as(texts, n, VOLT_ORDER_OPEN, times);
}

/* Finds the form of numbers with a point. */
static volt_date_order find_point_form(const char *const *texts, int64_t n)
{
    volt_digit_dates dates = {0};
    volt_date_order order;
    for (int64_t i = 0; i < n; i++)
        volt_digit_dates_learn(&dates, texts[i]);
    return volt_digit_dates_find(&dates, "date", &order) && order >= VOLT_ORDER_YEAR_MONTH ? order
                                                                                           : VOLT_ORDER_OPEN;
}

volt_status volt_times_parse_as(const char *const *texts, int64_t n, volt_date_order order, volt_time *times)
{
    if (order == VOLT_ORDER_OPEN)
        order = find_point_form(texts, n);
    VOLT_TRY(find_order(texts, n, times, &order));
    for (int64_t i = 0; i < n; i++) {
        volt_time_text parts;
        int is_time = volt_time_text_read_as(texts[i], order, &parts);
        VOLT_REQUIRE(!is_time || parts.fields[TIME_YEAR].length > 0, VOLT_ERR_FORMAT,
                     "'" SHOWN "' is a time of day without a date", texts[i]);
        VOLT_REQUIRE(volt_time_read_as(texts[i], order, i > 0 ? &times[i - 1] : NULL, &times[i]),
                     VOLT_ERR_FORMAT, "'" SHOWN "' is not a date", texts[i]);
        if (i == 1 && order == VOLT_ORDER_YEAR_NUMBER && volt_time_is_october(times[0], times[1]))
            volt_time_read_as(texts[0], VOLT_ORDER_YEAR_MONTH, NULL, &times[0]);
    }
    return VOLT_OK;
}

/* ---- writing ---------------------------------------------------------------------------------- */

const char *volt_time_format(volt_time time, char text[VOLT_TIME_LENGTH])
{
    volt_clock_parts parts;
    double offset = time.clock - time.seconds;
    if (!volt_clock_split(time.clock, 6, &parts)) {
        snprintf(text, VOLT_TIME_LENGTH, "%.0f seconds after 1970", time.seconds);
        return text;
    }
    int used = snprintf(text, VOLT_TIME_LENGTH, "%04" PRId64 "-%02" PRId64 "-%02" PRId64, parts.date.year,
                        parts.date.month, parts.date.day);
    size_t at = (size_t)used;
    if (parts.hour || parts.minute || parts.second || parts.fraction || offset != 0)
        at += (size_t)snprintf(text + at, VOLT_TIME_LENGTH - at, " %02" PRId64 ":%02" PRId64, parts.hour,
                               parts.minute);
    if (parts.second || parts.fraction)
        at += (size_t)snprintf(text + at, VOLT_TIME_LENGTH - at, ":%02" PRId64, parts.second);
    if (parts.fraction)
        at += (size_t)snprintf(text + at, VOLT_TIME_LENGTH - at, ".%06" PRId64, parts.fraction);
    if (offset != 0) {
        long minutes = lround(fabs(offset) / 60);
        snprintf(text + at, VOLT_TIME_LENGTH - at, "%c%02ld:%02ld", offset < 0 ? '-' : '+', minutes / 60,
                 minutes % 60);
    }
    return text;
}

/* Replaces a field by a number with at least `width` digits, or by the name of a month. Fields are replaced from the last to the first,
 * so that earlier positions remain valid. */
static int replace_field(char text[VOLT_TIME_LENGTH], volt_time_field field, size_t width, int64_t number,
                         int is_name)
{
    char digits[24];
    if (is_name)
        volt_month_name_like(number, text + field.at, field.length, digits);
    else
        snprintf(digits, sizeof digits, "%0*" PRId64, (int)width, number);
    size_t count = strlen(digits);
    size_t rest = strlen(text + field.at + field.length) + 1;
    if (field.at + count + rest > VOLT_TIME_LENGTH)
        return 0;
    memmove(text + field.at + count, text + field.at + field.length, rest);
    memcpy(text + field.at, digits, count); /* the rest follows: NOLINT(bugprone-not-null-terminated-result) */
    return 1;
}

/* The field that begins last before `end`; -1: none. */
static int last_field(const volt_time_text *parts, size_t end)
{
    int last = -1;
    for (int i = 0; i < TIME_FIELDS; i++)
        if (parts->fields[i].length > 0 && parts->fields[i].at < end &&
            (last < 0 || parts->fields[i].at > parts->fields[last].at))
            last = i;
    return last;
}

/* Reads `text` in the form in which it is `time`. */
static int read_form(const char *text, volt_time time, volt_time_text *parts)
{
    volt_time same;
    for (int order = VOLT_ORDER_DAY_FIRST; order < VOLT_ORDERS; order++)
        if (volt_time_text_read_as(text, (volt_date_order)order, parts) &&
            volt_time_of_text(text, parts, order == VOLT_ORDER_MONTH_FIRST, &same) && same.clock == time.clock)
            return 1;
    return volt_time_text_read_known(text, parts);
}

/* Whether the form of later times is open: 4/4/2019 has two orders, 2019.1 is the first month or quarter, or has lost a zero,
 * and May is a short and a long name. */
static int is_open_form(const char *text)
{
    volt_time_text parts;
    if (volt_time_text_read_as(text, VOLT_ORDER_YEAR_NUMBER, &parts))
        return volt_time_field_width(&parts, TIME_MONTH) == 1 &&
               volt_time_text_number(text, parts.fields[TIME_MONTH]) == 1;
    if (volt_time_text_read_as(text, VOLT_ORDER_YEAR_MONTH, &parts) ||
        volt_time_text_read_as(text, VOLT_ORDER_MONTH_YEAR, &parts) ||
        volt_time_text_read_as(text, VOLT_ORDER_MONTH_SHORT, &parts))
        return 0;
    if (!volt_time_text_read_known(text, &parts))
        return 1;
    volt_time_field first = parts.fields[TIME_DAY], second = parts.fields[TIME_MONTH];
    if (parts.is_either)
        return volt_time_text_number(text, first) == volt_time_text_number(text, second);
    return parts.is_named && second.length == 3 && strncasecmp(text + second.at, "may", 3) == 0;
}

int64_t volt_times_form_row(const char *const *texts, int64_t n)
{
    int64_t best = -1;
    for (int64_t i = n - 1; texts && i >= 0; i--)
        if ((best < 0 || strlen(texts[i]) < strlen(texts[best])) && !is_open_form(texts[i]))
            best = i;
    return best < 0 ? n - 1 : best;
}

volt_status volt_time_write_like(const char *like, volt_time like_time, volt_time time,
                                 char text[VOLT_TIME_LENGTH])
{
    volt_time_text form;
    volt_time same;
    volt_clock_parts parts;
    VOLT_REQUIRE(like && text && strlen(like) < VOLT_TIME_LENGTH && read_form(like, like_time, &form),
                 VOLT_ERR_FORMAT, "the format of a time is '" SHOWN "', which is not a time", like ? like : "");
    double clock = time.seconds + (like_time.clock - like_time.seconds);
    VOLT_REQUIRE(volt_clock_split(clock, (int)form.fields[TIME_FRACTION].length, &parts), VOLT_ERR_FORMAT,
                 "%.0f seconds after 1970 is outside the four-digit years", time.seconds);
    int is_month_first =
        form.is_either && volt_time_of_text(like, &form, 1, &same) && same.clock == like_time.clock;
    int64_t numbers[TIME_FIELDS] = {parts.date.year, parts.date.month, parts.date.day, parts.hour,
                                    parts.minute,    parts.second,     parts.fraction};
    if (is_month_first) {
        numbers[TIME_DAY] = parts.date.month;
        numbers[TIME_MONTH] = parts.date.day;
    }
    if (form.is_quarter)
        numbers[TIME_MONTH] = (parts.date.month + 2) / 3;
    if (form.is_week)
        numbers[TIME_MONTH] = volt_week_of_days(parts.days, &numbers[TIME_YEAR]);
    if (volt_time_field_width(&form, TIME_YEAR) == 2)
        numbers[TIME_YEAR] %= 100;
    /* 1/1/2019 does not show the order of day and month. */
    if (form.is_either && is_open_form(like) && numbers[TIME_DAY] != numbers[TIME_MONTH]) {
        volt_time_format((volt_time){time.seconds, clock}, text);
        return VOLT_OK;
    }
    strcpy(text, like);
    if (form.half_day) {
        char *letter = text + form.half_day;
        int is_small = *letter == 'a' || *letter == 'p';
        *letter = parts.hour < 12 ? (is_small ? 'a' : 'A') : (is_small ? 'p' : 'P');
        numbers[TIME_HOUR] = parts.hour % 12 == 0 ? 12 : parts.hour % 12;
    }
    size_t end = VOLT_TIME_LENGTH;
    for (int i = last_field(&form, end); i >= 0; i = last_field(&form, end)) {
        end = form.fields[i].at;
        VOLT_REQUIRE(replace_field(text, form.fields[i], volt_time_field_width(&form, i), numbers[i],
                                   i == TIME_MONTH && form.is_named),
                     VOLT_ERR_FORMAT, "a time like '" SHOWN "' does not fit the buffer", like);
    }
    return VOLT_OK;
}

/* ---- two columns ------------------------------------------------------------------------------ */

/* Whether two numbers of seconds since 1970 are equal: those of a text of 2019 are rounded by less than 3e-7 s. */
static bool is_equal(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

bool volt_time_is_same(volt_time a, volt_time b)
{
    return is_equal(a.seconds, b.seconds) || is_equal(a.clock, b.clock) ||
           (isnan(a.seconds) && isnan(b.seconds));
}

static int64_t count_increasing(const volt_time *times, int64_t n)
{
    int64_t i = 1;
    while (i < n && times[i].seconds > times[i - 1].seconds)
        i++;
    return i;
}

static volt_status require_increasing(const volt_time *times, int64_t n, const char *which)
{
    char before[VOLT_TIME_LENGTH], after[VOLT_TIME_LENGTH];
    int64_t i = count_increasing(times, n);
    VOLT_REQUIRE(
        i >= n, VOLT_ERR_DATA,
        "the times of the two differ and can be matched only if they increase: in the %s, %s follows %s "
        "(row %" PRId64 ", counted from 0)",
        which, volt_time_format(times[i], after), volt_time_format(times[i - 1], before), i);
    return VOLT_OK;
}

volt_status volt_times_match(const volt_time *first, int64_t n_first, const volt_time *second, int64_t n_second,
                             int64_t *partner)
{
    VOLT_REQUIRE(first && second && partner && n_first >= 1 && n_second >= 1, VOLT_ERR_ARGUMENT,
                 "volt_times_match requires times of two sequences and an output");
    int64_t same = 0, known = 0;
    while (same < n_first && same < n_second && volt_time_is_same(first[same], second[same]))
        same++;
    bool is_same = same == n_first && same == n_second;
    if (!is_same) {
        VOLT_TRY(require_increasing(first, n_first, "first"));
        VOLT_TRY(require_increasing(second, n_second, "second"));
    }
    for (int64_t i = 0, j = 0; i < n_first; i++) {
        while (!is_same && j < n_second && second[j].seconds < first[i].seconds &&
               !is_equal(second[j].seconds, first[i].seconds))
            j++;
        bool has_one = is_same || (j < n_second && is_equal(second[j].seconds, first[i].seconds));
        partner[i] = is_same ? i : has_one ? j : -1;
        known += has_one;
    }
    char ends[4][VOLT_TIME_LENGTH];
    VOLT_REQUIRE(known > 0, VOLT_ERR_DATA,
                 "the two have no time in common: the first has %s to %s, the second %s to %s",
                 volt_time_format(first[0], ends[0]), volt_time_format(first[n_first - 1], ends[1]),
                 volt_time_format(second[0], ends[2]), volt_time_format(second[n_second - 1], ends[3]));
    return VOLT_OK;
}
