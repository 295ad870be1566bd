/* cli/files/header_line.h: header lines with column names, for line-by-line input and output. */
#ifndef CLI_HEADER_LINE_H
#define CLI_HEADER_LINE_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Skips the byte order mark and the '#' that numpy.savetxt writes before a header. */
const char *header_line_behind_mark(const char *line);

/* Tests whether the line is a header: at least one name and no number. Returns VOLT_ERR_MEMORY when out of
 * memory. */
volt_status header_line_is(const char *line, bool *is_header);

/* Tests whether the first cell is a number. Returns VOLT_ERR_MEMORY when out of memory. */
volt_status header_line_begins_with_number(const char *line, bool *begins);

/* Sets from[j] to the index of wanted[j] among the names. If any is missing, *all is false and `from` is
 * unchanged. Returns VOLT_ERR_MEMORY when out of memory. */
volt_status header_line_locate(char *const *names, int64_t count, const char *const *wanted, int64_t n_wanted,
                               int64_t *from, bool *all);

/* Suffix of the column of an end of an interval, such as ".lo90" or ".hi99.5". */
enum { HEADER_LINE_END = 32 };
const char *header_line_end(double coverage, bool is_upper, char suffix[HEADER_LINE_END]);

/* Prints a name, quoted where necessary. */
void header_line_print_cell(FILE *out, const char *text);
/* Prints a line of names separated by commas. */
void header_line_print(FILE *out, const char *const *names, int64_t count);

#endif
