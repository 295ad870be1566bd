/* cli/args/option_values.c: parse the value of one option. */
#include "args/options.h"

#include "terminal/messages.h"
#include "text/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- durations -------------------------------------------------------------------------------- */

/* Largest unit first. The longest name of each unit is last. */
static const struct {
    const char *names[6];
    double seconds;
} units[] = {{{"d", "day", "days"}, 86400},
             {{"h", "hr", "hrs", "hour", "hours"}, 3600},
             {{"m", "min", "mins", "minute", "minutes"}, 60},
             {{"s", "sec", "secs", "second", "seconds"}, 1}};
enum { N_UNITS = (int)(sizeof units / sizeof units[0]) };

/* Returns the unit with index >= `first` that matches the letters at the start of `text`, or N_UNITS. */
static int find_unit(const char *text, size_t length, int first)
{
    for (int unit = first; unit < N_UNITS; unit++)
        for (const char *const *name = units[unit].names; *name; name++)
            if (strlen(*name) == length && strncmp(text, *name, length) == 0)
                return unit;
    return N_UNITS;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Parses the number at the start of `text`: digits with at most one decimal point. Returns its length, 0 if
 * there is no number. */
static size_t read_plain_number(const char *text, double *value)
{
    char digits[32];
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || length >= sizeof digits)
        return 0;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return volt_parse_number(digits, value) && isfinite(*value) ? length : 0;
}

bool parse_duration(const char *text, double *seconds)
{
    double total = 0;
    int next = 0; /* first unit that is still allowed */
    bool is_first = true;
    for (const char *from = skip_blanks(text); *from; is_first = false) {
        double value = 0;
        size_t length = read_plain_number(from, &value);
        if (length == 0)
            return false;
        from = skip_blanks(from + length);
        if (!*from && is_first) { /* a number without a unit must be the whole text */
            total = value;
            break;
        }
        length = strspn(from, "abcdefghijklmnopqrstuvwxyz");
        int unit = find_unit(from, length, next);
        if (unit == N_UNITS)
            return false;
        total += value * units[unit].seconds;
        next = unit + 1;
        from = skip_blanks(from + length);
    }
    if (!(total > 0) || !isfinite(total))
        return false;
    *seconds = total;
    return true;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

/* Gets the allowed range of a row. Returns false if any value is allowed. */
static bool range_of(const option *row, value_range *range)
{
    *range = row->range;
    bool is_given = range->low != 0 || range->high != 0;
    if (!is_given && row->kind == OPTION_NUMBER)
        *range = (value_range){0, HUGE_VAL, true, false};
    else if (!is_given && row->kind == OPTION_COUNT)
        *range = (value_range)AT_LEAST(0);
    return is_given || row->kind == OPTION_NUMBER || row->kind == OPTION_COUNT;
}

char *option_range(const option *row, char text[MEANING_LENGTH])
{
    value_range range;
    text[0] = '\0';
    if (row->is_duration || !range_of(row, &range))
        return text;
    const char *low = range.excludes_low ? "above" : "at least",
               *high = range.excludes_high ? "below" : "at most";
    if (isinf(range.high) && range.low == 0 && range.excludes_low)
        snprintf(text, MEANING_LENGTH, "positive");
    else if (isinf(range.high))
        snprintf(text, MEANING_LENGTH, "%s %g", low, range.low);
    else if (range.excludes_low && range.excludes_high)
        snprintf(text, MEANING_LENGTH, "between %g and %g", range.low, range.high);
    else if (!range.excludes_low && !range.excludes_high)
        snprintf(text, MEANING_LENGTH, "from %.10g to %.10g", range.low, range.high);
    else
        snprintf(text, MEANING_LENGTH, "%s %.10g and %s %.10g", low, range.low, high, range.high);
    return text;
}

/* ---- single values ---------------------------------------------------------------------------- */

/* Largest count: doubles represent integers exactly up to this value, and INT64_MAX is reserved. */
static const int64_t max_count = INT64_C(1) << 53;

static int check_range(const option *row, const char *text, double number)
{
    value_range range;
    char allowed[MEANING_LENGTH];
    if (!isfinite(number))
        return complain(EXIT_USAGE, "--%s must be finite (got %s)", row->name, text);
    if (!range_of(row, &range))
        return 0;
    bool is_low = range.excludes_low ? number <= range.low : number < range.low;
    bool is_high = range.excludes_high ? number >= range.high : number > range.high;
    if (is_low || is_high)
        return complain(EXIT_USAGE, "--%s must be %s (got %s)", row->name, option_range(row, allowed), text);
    return 0;
}

static int parse_count(const option *row, const char *text, int64_t *value)
{
    double number = 0;
    if (!volt_parse_number(text, &number) || !(fabs(number) <= (double)max_count) || number != floor(number))
        return complain(EXIT_USAGE, "--%s must be an integer (got '%s')", row->name, text);
    *value = (int64_t)number;
    return check_range(row, text, number);
}

static int parse_number(const option *row, const char *text, double *value)
{
    if (row->is_duration)
        return parse_duration(text, value)
                   ? 0
                   : complain(EXIT_USAGE,
                              "--%s must be a positive time such as 90s, 3min, 2h or 1h30m (got '%s')",
                              row->name, text);
    if (!volt_parse_number(text, value))
        return complain(EXIT_USAGE, "--%s must be a number (got '%s')", row->name, text);
    return check_range(row, text, *value);
}

static int parse_seed(const option *row, const char *text, seed_value *seed)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno)
        return complain(EXIT_USAGE, "--%s must be an integer from 0 to 2^64 - 1 (got '%s')", row->name, text);
    seed->given = true;
    seed->value = value;
    return 0;
}

/* Parses one end of a range. An empty text is an open end. */
static bool parse_range_end(const char *text, size_t length, bool *given, int64_t *value)
{
    char digits[24];
    if (length == 0)
        return true;
    if (length >= sizeof digits || isspace((unsigned char)text[0]))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    char *end = NULL;
    errno = 0;
    *value = strtoll(digits, &end, 10);
    *given = true;
    return *end == '\0' && errno == 0 && *value >= -max_count && *value <= max_count;
}

static int parse_rows(const option *row, const char *text, row_range *rows)
{
    const char *colon = strchr(text, ':');
    if (!colon || !parse_range_end(text, (size_t)(colon - text), &rows->has_start, &rows->start) ||
        !parse_range_end(colon + 1, strlen(colon + 1), &rows->has_stop, &rows->stop))
        return complain(EXIT_USAGE, "--%s must be START:STOP such as 0:5000, -1000: or :800 (got '%s')",
                        row->name, text);
    rows->given = true;
    rows->text = text;
    return 0;
}

static int parse_numbers(const option *row, const char *text, number_list *list)
{
    list->count = 0;
    for (const char *from = text;; from++) {
        char item[64];
        size_t length = strcspn(from, ",");
        if (list->count == NUMBER_LIST_CAPACITY)
            return complain(EXIT_USAGE, "--%s takes at most %d numbers (got '%s')", row->name,
                            NUMBER_LIST_CAPACITY, text);
        bool reads = length > 0 && length < sizeof item;
        if (reads) {
            memcpy(item, from, length);
            item[length] = '\0';
            reads = volt_parse_number(item, &list->values[list->count]);
        }
        if (!reads)
            return complain(EXIT_USAGE, "--%s must be numbers separated by commas (got '%s')", row->name, text);
        int failed = check_range(row, item, list->values[list->count]);
        if (failed)
            return failed;
        list->count++;
        from += length;
        if (!*from)
            return 0;
    }
}

static int parse_choice(const option *row, const char *text, int *value)
{
    const choice *chosen = choice_of_word(row->choices, text);
    if (chosen) {
        *value = chosen->value;
        return 0;
    }
    char all[CHOICES_LENGTH];
    name_list words = choice_names(row->choices);
    const char *nearest = names_nearest(&words, text);
    choices_text(row->choices, all);
    if (nearest)
        return complain(EXIT_USAGE, "--%s must be %s (got '%s'); did you mean %s?", row->name, all, text,
                        nearest);
    return complain(EXIT_USAGE, "--%s must be %s (got '%s')%s%s", row->name, all, text, row->hint ? "; " : "",
                    row->hint ? row->hint : "");
}

static int append_text(const option *row, const char *text, text_list *list)
{
    if (!*text)
        return complain(EXIT_USAGE, "%s%s must not be empty", row->is_positional ? "" : "--", row->name);
    const char **texts = realloc(list->texts, ((size_t)list->count + 1) * sizeof *texts);
    if (!texts)
        return complain(EXIT_FAILED, "not enough memory for the values of --%s", row->name);
    list->texts = texts;
    list->texts[list->count++] = text;
    return 0;
}

void text_list_free(text_list *list)
{
    free(list->texts);
    list->texts = NULL;
    list->count = 0;
}

int option_parse_value(const option *row, const char *text, void *target)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        return 0;
    case OPTION_SWITCH:
        *(int *)target = row->sets;
        return 0;
    case OPTION_TEXT:
        if (!*text)
            return complain(EXIT_USAGE, "%s%s must not be empty", row->is_positional ? "" : "--", row->name);
        *(const char **)target = text;
        return 0;
    case OPTION_COUNT:
        return parse_count(row, text, target);
    case OPTION_NUMBER:
        return parse_number(row, text, target);
    case OPTION_CHOICE:
        return parse_choice(row, text, target);
    case OPTION_SEED:
        return parse_seed(row, text, target);
    case OPTION_ROWS:
        return parse_rows(row, text, target);
    case OPTION_NUMBERS:
        return parse_numbers(row, text, target);
    case OPTION_TEXTS:
        return append_text(row, text, target);
    case OPTION_HEADING:
    case OPTION_GROUP:
        break;
    }
    return complain(EXIT_FAILED, "option --%s has no parser", row->name);
}
