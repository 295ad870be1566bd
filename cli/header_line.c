/* cli/header_line.c: a line of column names. */
#include "header_line.h"

#include "volterra.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut the first cell off *rest and unquote it in place. Returns NULL when nothing is left. */
static char *next_cell(char **rest)
{
    char *read = *rest;
    if (!read)
        return NULL;
    while (*read == ' ' || *read == '\t')
        read++;
    char *cell = read, *write = read;
    bool is_quoted = *read == '"';
    if (is_quoted) {
        read++;
        for (; *read && !(*read == '"' && read[1] != '"'); read++) {
            if (*read == '"')
                read++;
            *write++ = *read;
        }
        if (*read)
            read++;
        while (*read && *read != ',')
            read++;
    } else {
        read += strcspn(read, ",");
        write = read;
        while (write > cell && isspace((unsigned char)write[-1]))
            write--;
    }
    *rest = *read ? read + 1 : NULL;
    *write = '\0';
    return cell;
}

int header_line_split(char *line, char ***names, int64_t *count)
{
    size_t most = 1;
    for (const char *c = line; *c; c++)
        most += *c == ',';
    char **cells = malloc(most * sizeof *cells);
    if (!cells)
        return -1;
    int64_t found = 0;
    for (char *cell = next_cell(&line); cell; cell = next_cell(&line))
        cells[found++] = cell;
    *names = cells;
    *count = found;
    return 0;
}

bool header_line_is(const char *line)
{
    char *copy = malloc(strlen(line) + 1);
    if (!copy)
        return false;
    strcpy(copy, line);
    bool has_number = false, has_name = false;
    char *rest = copy;
    for (char *cell = next_cell(&rest); cell; cell = next_cell(&rest)) {
        double number;
        if (volt_parse_number(cell, &number))
            has_number = true;
        else if (*cell)
            has_name = true;
    }
    free(copy);
    return has_name && !has_number;
}

bool header_line_locate(char *const *names, int64_t count, const char *const *wanted, int64_t n_wanted,
                        int64_t *from)
{
    int64_t *found = malloc((size_t)n_wanted * sizeof *found);
    bool all = found != NULL;
    for (int64_t j = 0; all && j < n_wanted; j++) {
        int64_t i = 0;
        while (i < count && strcmp(names[i], wanted[j]) != 0)
            i++;
        all = i < count;
        found[j] = i;
    }
    if (all)
        memcpy(from, found, (size_t)n_wanted * sizeof *found);
    free(found);
    return all;
}

void header_line_print(const char *const *names, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        if (j)
            putchar(',');
        if (!strpbrk(names[j], ",\"\r\n")) {
            fputs(names[j], stdout);
            continue;
        }
        putchar('"');
        for (const char *c = names[j]; *c; c++) {
            if (*c == '"')
                putchar('"');
            putchar(*c);
        }
        putchar('"');
    }
    putchar('\n');
}
