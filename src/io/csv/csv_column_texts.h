/* src/io/csv/csv_column_texts.h: one column of a CSV file, as texts. */
#ifndef IO_CSV_COLUMN_TEXTS_H
#define IO_CSV_COLUMN_TEXTS_H

#include "volterra/status.h"

#include <stdint.h>

/* The column that `selection` names; NULL: the only one, or `series`. One block: free *texts with volt_free. VOLT_ERR_IO,
 * VOLT_ERR_MEMORY; VOLT_ERR_FORMAT, with the file, for an empty cell too. */
volt_status volt_csv_column_texts(const char *path, const char *selection, char ***texts, int64_t *rows);

#endif
