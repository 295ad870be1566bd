/* src/io/csv/csv_text.h: a text of cells, and what separates them.
 *
 * The text is in memory, or in a file that is read in blocks, from the beginning for every walk: a table needs two walks,
 * and no text of a large file is ever in memory as a whole. Blocks are read by position and not mapped: where another
 * program cuts a mapped file short, the next look at it ends the process. */
#ifndef IO_CSV_TEXT_H
#define IO_CSV_TEXT_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VOLT_CSV_BLOCK = 1 << 20 }; /* bytes that are read at a time */

typedef struct volt_csv_text {
    const char *text; /* NULL: it is that of `file` */
    int64_t size;     /* bytes, of a file when it was opened: what is appended later is not read */
    char delimiter;   /* between cells: a tab, a semicolon, a comma or one blank */
    char *loaded;     /* memory that goes with it, or NULL */
    FILE *file;       /* a regular one, or NULL ... */
    const char *path; /* ... at this path, for error sentences */
    int64_t begin;    /* where its text begins, behind a byte order mark */
    int64_t comment;  /* where it has a '#' before its header, which is a blank; -1: none */
    int64_t block;    /* bytes of it that are read at a time */
} volt_csv_text;

/* Find the delimiter in the first lines of a text. Cells separated by white space are rewritten in place, so that
 * one blank stands between two of them; lines stay lines. */
volt_csv_text volt_csv_text_of(char *text, int64_t size);

/* The same of a file, or of standard input for "-", without its byte order mark and without the '#' that numpy.savetxt
 * puts before its header. What is no regular file, a pipe say, is held in memory. `path` must outlive the text.
 * VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT, which does not name the file, when it is empty or no text. */
volt_status volt_csv_text_open(const char *path, volt_csv_text *csv);
/* In blocks of so many bytes. */
volt_status volt_csv_text_open_blocks(const char *path, int64_t block, volt_csv_text *csv);
void volt_csv_text_close(volt_csv_text *csv);

/* Where we are with respect to quoted cells. */
typedef struct volt_csv_quotes {
    int is_quoted;
    int has_closed; /* by the character before this one */
    char before;
} volt_csv_quotes;

/* One walk over a text, block after block. */
typedef struct volt_csv_feed {
    const volt_csv_text *csv;
    int64_t done;             /* bytes of the text that have gone by */
    char *room;               /* of a file: a block, and one byte before it */
    volt_csv_quotes quotes;   /* of cells separated by white space ... */
    int has_blank, has_cells; /* ... and what stood on this line before the block */
} volt_csv_feed;

volt_status volt_csv_feed_begin(const volt_csv_text *csv, volt_csv_feed *feed);
/* The next bytes, which stay until the next call; *length is 0 at the end alone. VOLT_ERR_IO: the file has become shorter,
 * or cannot be read; VOLT_ERR_FORMAT: it is no text. */
volt_status volt_csv_feed_next(volt_csv_feed *feed, const char **block, size_t *length);
void volt_csv_feed_end(volt_csv_feed *feed);

#endif
