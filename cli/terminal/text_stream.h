/* cli/terminal/text_stream.h: in-memory text streams for stdio functions, with reliable errors.
 *
 * In glibc, a stream of open_memstream() silently loses text when memory runs out: neither ferror() nor
 * fclose() reports it. This stream records the first failed write, and text_close reports it. */
#ifndef CLI_TEXT_STREAM_H
#define CLI_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct text_stream {
    char *text;
    size_t size, capacity;
    bool failed;
    FILE *out;
} text_stream;

/* Returns a stream for writing, or NULL when out of memory. `stream` must not move until text_close. */
FILE *text_open(text_stream *stream);

/* Returns the text, to be freed, or NULL if any write ran out of memory. May be called after a failed
 * text_open, or again, and then returns NULL. */
char *text_close(text_stream *stream);

/* ---- standard output on a terminal ------------------------------------------------------------- */

/* If standard output is a terminal, replaces it by a stream that removes control characters from all output
 * (volt_show_character; line ends and tabs are kept). Output to files and pipes is unchanged. */
void safe_output_begin(void);

#endif
