/* src/io/csv/csv_text.h: CSV text and its delimiter.
 *
 * The text is in memory, or in a file that is read in blocks, from the beginning for every pass. A table needs
 * two passes, so a large file is never in memory as a whole. Blocks are read by position and not mapped: if
 * another program truncates a mapped file, the next access ends the process. */
#ifndef IO_CSV_TEXT_H
#define IO_CSV_TEXT_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VOLT_CSV_BLOCK = 1 << 20 }; /* bytes read at a time */

typedef struct volt_csv_text {
    const char *text; /* NULL: read from `file` */
    int64_t size;     /* bytes; for a file, when it was opened: appended data are not read */
    char delimiter;   /* between cells: a tab, a semicolon, a comma or one blank */
    char *loaded;     /* memory owned by this text, or NULL */
    FILE *file;       /* a regular file, or NULL */
    const char *path; /* its path, for error messages */
    int64_t begin;    /* start of its text, after a byte order mark */
    int64_t comment;  /* position of a '#' before its header, read as a blank; -1: none */
    int64_t block;    /* bytes read at a time */
} volt_csv_text;

/* Finds the delimiter in the first lines of a text. Cells separated by white space are rewritten in place
 * with one blank between two cells; line breaks are kept. */
volt_csv_text volt_csv_text_of(char *text, int64_t size);

/* The same for a file, or for standard input ("-"), without its byte order mark and without the '#' that
 * numpy.savetxt writes before its header. Other than regular files, e.g. pipes, are read into memory. `path`
 * must outlive the text. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT, without the file name, when it is
 * empty or not text. */
volt_status volt_csv_text_open(const char *path, volt_csv_text *csv);
/* The same with a block size in bytes. */
volt_status volt_csv_text_open_blocks(const char *path, int64_t block, volt_csv_text *csv);
void volt_csv_text_close(volt_csv_text *csv);

/* Position relative to quoted cells. */
typedef struct volt_csv_quotes {
    int is_quoted;
    int has_closed; /* closed by the previous character */
    char before;
} volt_csv_quotes;

/* One pass over a text, block by block. */
typedef struct volt_csv_feed {
    const volt_csv_text *csv;
    int64_t done;             /* bytes of the text already delivered */
    char *buffer;             /* for a file: a block, and one byte before it */
    volt_csv_quotes quotes;   /* for cells separated by white space */
    int has_blank, has_cells; /* found on this line before the block */
} volt_csv_feed;

#endif
