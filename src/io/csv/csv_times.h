/* src/io/csv/csv_times.h: the times of the rows of a CSV file, kept as text beside the numbers. */
#ifndef IO_CSV_TIMES_H
#define IO_CSV_TIMES_H

#include "io/time/time_text.h"

#include <stdbool.h>
#include <stddef.h>

/* A column kept as text: one block, the pointers and behind them the texts. */
typedef struct volt_csv_texts {
    int64_t column; /* of the file; -1: none */
    char **texts;
    char *next; /* where the next text goes ... */
    char *end;  /* ... and where the block ends */
} volt_csv_texts;

/* Room for `rows` texts of `bytes` bytes, their zero bytes included. VOLT_ERR_MEMORY. */
volt_status volt_csv_texts_begin(volt_csv_texts *kept, int64_t column, int64_t rows, int64_t bytes);
/* False: there is no room, as there are more bytes than volt_csv_texts_begin was told. */
bool volt_csv_texts_put(volt_csv_texts *kept, int64_t row, const char *text, size_t length);

/* Hand the dates over to `table`, which has as many rows, as its times under `name`, each with the time of day behind it
 * that stands in a column of its own; `order` is what the file says about days and months. Texts that are no moments stay texts. `dates` is empty afterwards.
 * VOLT_ERR_MEMORY. */
volt_status volt_csv_times_finish(volt_csv_texts *dates, const volt_csv_texts *clocks, const char *name,
                                  volt_date_order order, volt_table *table);

#endif
