/* cli/terminal/text_stream.h: a text written with the functions of stdio and kept in memory, whole or not at all.
 *
 * open_memstream() would do, if it told of a write that found no memory: in glibc neither ferror() nor fclose() does,
 * and the text lacks a piece. Here the first such write is kept, and text_close says so. */
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

/* Where to write; NULL when memory is out. `stream` must stay where it is until text_close. */
FILE *text_open(text_stream *stream);

/* The text, to be released with free, or NULL when memory was out for any part of it. Fine without text_open having
 * succeeded, and once more: NULL then. */
char *text_close(text_stream *stream);

/* ---- standard output on a terminal ------------------------------------------------------------- */

/* Where standard output is a terminal, replace it by a stream that prints no control characters, whoever writes: names and
 * texts of files, tables, CSV and JSON (volt_show_character; ends of lines and tabs stay). Files and pipes receive the bytes
 * as they are. */
void safe_output_begin(void);

#endif
