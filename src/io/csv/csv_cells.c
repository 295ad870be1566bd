/* src/io/csv/csv_cells.c: what a cell of a CSV file is. */
#define _POSIX_C_SOURCE 200809L
#include "io/csv/csv_cells.h"

#include "volterra/base.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

int volt_cell_is_missing(const char *text)
{
    static const char *const words[] = {"na", "nan", "-nan", "n/a", "#n/a", "null", "none", "?"};
    text = skip_blanks(text);
    if (!*text)
        return 1;
    size_t length = strcspn(text, " \t");
    if (length > 4 || *skip_blanks(text + length))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0)
            return 1;
    return 0;
}

/* Step over `least` to `most` digits; NULL when there are fewer. */
static const char *digits(const char *text, int least, int most)
{
    int count = 0;
    while (text && count < most && isdigit((unsigned char)text[count]))
        count++;
    return text && count >= least ? text + count : NULL;
}

static const char *one_of(const char *text, const char *characters)
{
    return text && *text && strchr(characters, *text) ? text + 1 : NULL;
}

/* 12:30, 12:30:05, 12:30:05.25, then perhaps AM, PM, Z, UTC, +01:00 or +0100. NULL when it is none. */
static const char *time_of_day(const char *text)
{
    const char *at = digits(one_of(digits(text, 1, 2), ":"), 2, 2);
    if (!at)
        return NULL;
    const char *seconds = digits(one_of(at, ":"), 2, 2);
    if (seconds) {
        at = seconds;
        const char *fraction = digits(one_of(at, ".,"), 1, 12);
        if (fraction)
            at = fraction;
    }
    const char *zone = skip_blanks(at);
    static const char *const words[] = {"am", "pm", "z", "utc", "gmt"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncasecmp(zone, words[i], strlen(words[i])) == 0)
            return zone + strlen(words[i]);
    const char *hours = digits(one_of(zone, "+-"), 2, 2);
    if (!hours)
        return at;
    const char *minutes = digits(*hours == ':' ? hours + 1 : hours, 2, 2);
    return minutes ? minutes : hours;
}

/* 2019-04-09, 2019/4/9, 2019-04, 09.04.2019, 4/9/2019. NULL when it is none. */
static const char *calendar_date(const char *text)
{
    const char *year = digits(text, 4, 4);
    const char *month = digits(one_of(year, "-/."), 1, 2);
    if (month) {
        const char *day = *month == *year ? digits(month + 1, 1, 2) : NULL;
        return day ? day : *year == '-' && month - year == 3 ? month : NULL;
    }
    const char *first = digits(text, 1, 2);
    const char *second = digits(one_of(first, "-/."), 1, 2);
    return second && *second == *first ? digits(second + 1, 4, 4) : NULL;
}

int volt_cell_is_date(const char *text)
{
    text = skip_blanks(text);
    const char *end = calendar_date(text);
    if (end) {
        const char *clock = time_of_day(*end == 'T' || *end == 't' ? end + 1 : skip_blanks(end));
        end = clock ? clock : end;
    } else {
        end = time_of_day(text);
    }
    return end && !*skip_blanks(end);
}

volt_cell volt_cell_read(const char *text, double *value)
{
    double number;
    if (volt_parse_number(text, &number)) {
        if (isnan(number))
            return VOLT_CELL_MISSING;
        *value = number;
        return VOLT_CELL_NUMBER;
    }
    if (volt_cell_is_missing(text))
        return VOLT_CELL_MISSING;
    return volt_cell_is_date(text) ? VOLT_CELL_DATE : VOLT_CELL_TEXT;
}

volt_status volt_cell_check(volt_cell kind, double value, const char **problem)
{
    switch (kind) {
    case VOLT_CELL_NUMBER:
        *problem = isfinite(value) ? NULL : "is not a finite number";
        return *problem ? VOLT_ERR_NOT_FINITE : VOLT_OK;
    case VOLT_CELL_MISSING:
        *problem = "is a missing value";
        return VOLT_ERR_NOT_FINITE;
    default:
        *problem = "is not a number";
        return VOLT_ERR_FORMAT;
    }
}

int volt_cells_are_header(const char *const *texts, int64_t count)
{
    double value;
    for (int64_t j = 0; j < count; j++)
        if (volt_cell_read(texts[j], &value) == VOLT_CELL_TEXT)
            return 1;
    return 0;
}
