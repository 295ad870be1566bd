/* cli/files/header_line.c: header lines with column names. */
#include "files/header_line.h"

#include "text/text.h"
#include "volterra.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *header_line_behind_mark(const char *line)
{
    if (strncmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3;
    const char *first = line + strspn(line, " \t");
    return *first == '#' ? first + 1 : line;
}

/* Splits a line into cells. A malformed line has no cells; the row reader reports the error. */
static volt_status split(const char *line, char ***cells, int64_t *count)
{
    volt_status status = volt_csv_split_line(line, NULL, cells, count);
    if (status)
        *count = 0;
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

/* A name is neither a number nor a missing-value marker such as NA. */
static volt_status is_a_name(const char *cell, bool *is_number, bool *is_name)
{
    double number;
    *is_number = volt_parse_number(cell, &number);
    *is_name = !*is_number && *cell;
    if (!*is_name)
        return VOLT_OK;
    volt_status status = volt_csv_parse_row(cell, 1, VOLT_MISSING_KEEP, &number);
    *is_name = !(status == VOLT_OK && isnan(number));
    return status == VOLT_ERR_MEMORY ? status : VOLT_OK;
}

volt_status header_line_is(const char *line, bool *is_header)
{
    char **cells = NULL;
    int64_t count = 0;
    bool has_number = false, has_name = false;
    volt_status status = split(line, &cells, &count);
    for (int64_t j = 0; !status && j < count; j++) {
        bool is_number = false, is_name = false;
        status = is_a_name(cells[j], &is_number, &is_name);
        has_number |= is_number;
        has_name |= is_name;
    }
    volt_free(cells);
    *is_header = has_name && !has_number;
    return status;
}

volt_status header_line_begins_with_number(const char *line, bool *begins)
{
    char **cells = NULL;
    int64_t count = 0;
    double number;
    volt_status status = split(line, &cells, &count);
    *begins = count > 0 && volt_parse_number(cells[0], &number);
    volt_free(cells);
    return status;
}

/* Compares names as the file reader does: surrounding blanks are ignored, also within quotes. */
static bool has_name(const char *cell, const char *name)
{
    while (isspace((unsigned char)*cell))
        cell++;
    size_t length = strlen(cell);
    while (length > 0 && isspace((unsigned char)cell[length - 1]))
        length--;
    return length == strlen(name) && memcmp(cell, name, length) == 0;
}

volt_status header_line_locate(char *const *names, int64_t count, const char *const *wanted, int64_t n_wanted,
                               int64_t *from, bool *all)
{
    int64_t *found = malloc((size_t)n_wanted * sizeof *found);
    if (!found)
        return VOLT_ERR_MEMORY;
    *all = true;
    for (int64_t j = 0; *all && j < n_wanted; j++) {
        int64_t i = 0;
        while (i < count && !has_name(names[i], wanted[j]))
            i++;
        *all = i < count;
        found[j] = i;
    }
    if (*all)
        memcpy(from, found, (size_t)n_wanted * sizeof *found);
    free(found);
    return VOLT_OK;
}

const char *header_line_end(double coverage, bool is_upper, char suffix[HEADER_LINE_END])
{
    snprintf(suffix, HEADER_LINE_END, ".%s%.10g", is_upper ? "hi" : "lo", 100 * coverage);
    return suffix;
}

/* Without quotes, such a name would be split, trimmed or lose its first byte when read again. */
static bool needs_quotes(const char *name)
{
    return strpbrk(name, ",;\t \"\r\n") || header_line_behind_mark(name) != name;
}

void header_line_print_cell(FILE *out, const char *text)
{
    if (!needs_quotes(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

void header_line_print(FILE *out, const char *const *names, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        if (j)
            fputc(',', out);
        header_line_print_cell(out, names[j]);
    }
    fputc('\n', out);
}
