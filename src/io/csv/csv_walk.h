/* src/io/csv/csv_walk.h: libcsv over a text, with the line numbers of the file. */
#ifndef IO_CSV_WALK_H
#define IO_CSV_WALK_H

#include "io/csv/csv_text.h"

#include <stddef.h>

/* What to call. Lines count from 1, quoted line breaks included; columns count from 0. A status other than
 * VOLT_OK ends the walk. Blank lines are no rows. */
typedef struct volt_csv_events {
    /* A cell without its quotes and padding, with a zero byte behind it, and the line it begins on. */
    volt_status (*cell)(void *context, int64_t line, int64_t column, const char *text, size_t length);
    /* The end of a row, and the line it began on. */
    volt_status (*row)(void *context, int64_t line, int64_t n_cells);
    void *context;
} volt_csv_events;

/* VOLT_ERR_FORMAT when a quote is never closed, VOLT_ERR_MEMORY, what an event returned, or what volt_csv_feed_next does. */
volt_status volt_csv_walk(const volt_csv_text *csv, const volt_csv_events *events);

#endif
