/* src/io/csv/csv_walk.c: runs libcsv over a text, with the line numbers of the file.
 *
 * libcsv stores one cell at a time in its own buffer, allocated with malloc. */
#include "io/csv/csv.h"

#include "base/error.h"

#include <csv.h>
#include <inttypes.h>

typedef struct csv_walk {
    const volt_csv_events *events;
    int64_t line;     /* current line */
    int64_t row_line; /* of the first cell of this row */
    int64_t n_cells;  /* of this row so far */
    int after_return; /* a line feed now belongs to the carriage return before it */
    volt_status status;
} csv_walk;

/* `text` ends with a zero byte (CSV_APPEND_NULL). */
static int64_t line_breaks(const char *text, size_t length)
{
    int64_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    return count;
}

static void on_cell(void *text, size_t length, void *context)
{
    csv_walk *walk = context;
    walk->after_return = 0;
    if (walk->status)
        return;
    if (walk->n_cells == 0)
        walk->row_line = walk->line;
    const volt_csv_events *events = walk->events;
    walk->status = events->cell(events->context, walk->line, walk->n_cells, text, length);
    walk->n_cells++;
    walk->line += line_breaks(text, length);
}

/* Called for every line end outside quotes (CSV_REPALL_NL), and with -1 at the end of the text. */
static void on_line_end(int character, void *context)
{
    csv_walk *walk = context;
    if (walk->status)
        return;
    if (walk->n_cells > 0)
        walk->status = walk->events->row(walk->events->context, walk->row_line, walk->n_cells);
    walk->n_cells = 0;
    walk->line += !(character == '\n' && walk->after_return);
    walk->after_return = character == '\r';
}

static volt_status walk_failure(const csv_walk *walk, int error)
{
    if (error == CSV_EPARSE)
        return volt_fail(VOLT_ERR_FORMAT, "a quotation mark that opens on line %" PRId64 " is never closed",
                         walk->line);
    return volt_fail(VOLT_ERR_MEMORY, "a cell on line %" PRId64 " is too large for memory", walk->line);
}

/* Parses all blocks, then ends the text. */
static volt_status walk_blocks(volt_csv_feed *feed, struct csv_parser *parser, csv_walk *walk)
{
    const char *block;
    size_t length = 0;
    do {
        VOLT_TRY(volt_csv_feed_next(feed, &block, &length));
        bool is_parsed = length == 0 || csv_parse(parser, block, length, on_cell, on_line_end, walk) == length;
        VOLT_TRY(walk->status);
        if (!is_parsed)
            return walk_failure(walk, csv_error(parser));
    } while (length > 0);
    /* Strict only now: an open quote at the end of the text is an error, quotes within cells are not. */
    csv_set_opts(parser, CSV_REPALL_NL | CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    bool is_closed = csv_fini(parser, on_cell, on_line_end, walk) == 0;
    VOLT_TRY(walk->status);
    return is_closed ? VOLT_OK : walk_failure(walk, csv_error(parser));
}

volt_status volt_csv_walk(const volt_csv_text *csv, const volt_csv_events *events)
{
    struct csv_parser parser;
    volt_csv_feed feed;
    VOLT_TRY(volt_csv_feed_begin(csv, &feed));
    if (csv_init(&parser, CSV_REPALL_NL | CSV_APPEND_NULL) != 0) {
        volt_csv_feed_end(&feed);
        return volt_fail(VOLT_ERR_MEMORY, "could not start the CSV parser");
    }
    csv_set_delim(&parser, (unsigned char)csv->delimiter);
    csv_walk walk = {.events = events, .line = 1, .row_line = 1};
    volt_status status = walk_blocks(&feed, &parser, &walk);
    csv_free(&parser);
    volt_csv_feed_end(&feed);
    return status;
}
