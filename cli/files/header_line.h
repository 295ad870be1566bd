/* cli/files/header_line.h: a line of column names, for the command that reads and writes line by line. */
#ifndef CLI_HEADER_LINE_H
#define CLI_HEADER_LINE_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The first line of a file behind its byte order mark, and behind the '#' that numpy.savetxt puts before a header. */
const char *header_line_behind_mark(const char *line);

/* Is this line a header: is there a name in it, and no number? VOLT_ERR_MEMORY. */
volt_status header_line_is(const char *line, bool *is_header);

/* Is the first cell a number? VOLT_ERR_MEMORY. */
volt_status header_line_begins_with_number(const char *line, bool *begins);

/* from[j] = where wanted[j] stands among the names; *all false, and `from` untouched, unless all are there.
 * VOLT_ERR_MEMORY. */
volt_status header_line_locate(char *const *names, int64_t count, const char *const *wanted, int64_t n_wanted,
                               int64_t *from, bool *all);

/* Print names with commas between, quoted where needed: split again they are the same. */
void header_line_print(FILE *out, const char *const *names, int64_t count);

#endif
