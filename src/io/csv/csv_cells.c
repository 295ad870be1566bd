/* src/io/csv/csv_cells.c: classification of CSV cells. */
#define _POSIX_C_SOURCE 200809L
#include "io/csv/csv.h"

#include "io/time/time_text.h"
#include "text/text.h"
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

int volt_cell_is_date(const char *text)
{
    volt_time_text parts;
    return volt_time_text_read(text, &parts);
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

int volt_cell_groups(const char *text, char mark)
{
    int groups = 0;
    text += *text == '-' || *text == '+';
    size_t first = strspn(text, "0123456789");
    if (first < 1 || first > 3)
        return -1;
    int begins_with_zero = *text == '0';
    for (text += first; *text == mark && strspn(text + 1, "0123456789") == 3; text += 4)
        groups++;
    return *text || (groups > 0 && begins_with_zero) ? -1 : groups;
}

int volt_cell_read_marked(const char *text, volt_cell_marks marks, double *value)
{
    char number[VOLT_NUMBER_LENGTH];
    size_t used = 0, length = strlen(text), whole = strcspn(text, (char[]){marks.decimal, '\0'});
    if (length >= sizeof number)
        return 0;
    memcpy(number, text, whole);
    number[whole] = '\0';
    if (strchr(number, marks.thousands) && volt_cell_groups(number, marks.thousands) < 0)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == marks.thousands && i < whole)
            continue;
        if (i != whole && (c == '.' || c == ','))
            return 0; /* another mark */
        number[used++] = (char)(i == whole ? '.' : c);
    }
    number[used] = '\0';
    return volt_parse_number(number, value);
}

int volt_cell_decimal_comma(const char *text, double *value)
{
    return strchr(text, ',') && volt_cell_read_marked(text, (volt_cell_marks){',', '.'}, value);
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
