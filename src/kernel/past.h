/* src/kernel/past.h: where a sequence stands in time against the columns of a Gram matrix.
 *
 * The state of the filter is the scan's state of the last row against every column, and the border state
 * against the zero sequence. Rows go in, in time order, and rows of K come out. */
#ifndef KERNEL_PAST_H
#define KERNEL_PAST_H

#include "kernel/scan.h"

typedef struct volt_past volt_past;

/* A zero past, for the resolved scan and the columns, both of which must outlive it. `most_rows` is the
 * most that one volt_past_advance will push. */
volt_status volt_past_create(const volt_scan *scan, const volt_columns *columns, int64_t most_rows,
                             volt_past **past);
/* The same moment in time, with a life of its own; most_rows may differ. */
volt_status volt_past_copy(const volt_past *source, int64_t most_rows, volt_past **past);
void volt_past_free(volt_past *past);

/* Push the rows of Z (h x d, 1 <= h <= most_rows): K (h x m) receives the kernel of the past up to each row
 * against each column. With `same`, Z is the columns' own sequence from its start, and only the lower
 * triangle of K is written. stage may be NULL; when it is cancelled, the past is no longer usable. */
void volt_past_advance(volt_past *past, volt_view Z, bool same, volt_matrix K, volt_stage *stage);

/* The state as one list of volt_past_length() numbers, to save and to restore. */
int64_t volt_past_length(const volt_past *past);
void volt_past_get(const volt_past *past, double *state);
void volt_past_set(volt_past *past, const double *state);

#endif
