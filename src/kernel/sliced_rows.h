/* src/kernel/sliced_rows.h: rows as a kernel sees them: filtered, one slice for each of its filters. */
#ifndef KERNEL_SLICED_ROWS_H
#define KERNEL_SLICED_ROWS_H

#include "kernel/kernel_entry.h"

typedef struct volt_sliced_rows {
    volt_view rows;                         /* n x slices d; the rows as given where nothing is filtered */
    volt_extent extents[VOLT_MOST_FACTORS]; /* of each slice */
    double *filtered;                       /* what they lie in, or NULL */
} volt_sliced_rows;

/* Rows X (n x d) after a zero past, which begins again with every record (NULL: there is one); X begins with row `first`
 * of the records. `name` is for sentences. Release it in every case. */
volt_status volt_sliced_rows_make(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, const char *name, volt_sliced_rows *sliced);
void volt_sliced_rows_release(volt_sliced_rows *sliced);

#endif
