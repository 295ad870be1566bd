/* cli/header_line.h: a line of column names, for the command that reads and writes line by line. */
#ifndef CLI_HEADER_LINE_H
#define CLI_HEADER_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* Is this line a header: is there a name in it, and no number? */
bool header_line_is(const char *line);

/* Split into names, without quotes and the white space around them. The names lie in `line`, which is
 * changed; the caller frees *names. Returns nonzero when memory is out. */
int header_line_split(char *line, char ***names, int64_t *count);

/* from[j] = where wanted[j] stands among the names; false, and `from` untouched, unless all are there. */
bool header_line_locate(char *const *names, int64_t count, const char *const *wanted, int64_t n_wanted,
                        int64_t *from);

/* Print names with commas between, quoted where needed. */
void header_line_print(const char *const *names, int64_t count);

#endif
