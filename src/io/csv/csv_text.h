/* src/io/csv/csv_text.h: a text of cells, and what separates them. */
#ifndef IO_CSV_TEXT_H
#define IO_CSV_TEXT_H

#include "volterra/status.h"

#include <stdint.h>

typedef struct volt_csv_text {
    const char *text;
    int64_t size;
    char delimiter; /* between cells: a tab, a semicolon, a comma or one blank */
    char *loaded;   /* memory that goes with it, or NULL */
} volt_csv_text;

/* Find the delimiter in the first lines of a text. Cells separated by white space are rewritten in place, so that
 * one blank stands between two of them; lines stay lines. */
volt_csv_text volt_csv_text_of(char *text, int64_t size);

/* The same of a whole file, or of standard input for "-", without its byte order mark and without the '#' that
 * numpy.savetxt puts before its header. VOLT_ERR_IO, VOLT_ERR_MEMORY; VOLT_ERR_FORMAT, which does not name the file,
 * when it is empty or no text. */
volt_status volt_csv_text_load(const char *path, volt_csv_text *csv);
void volt_csv_text_free(volt_csv_text *csv);

#endif
