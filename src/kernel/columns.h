/* src/kernel/columns.h: one side of a Gram matrix, laid out for the inner products.
 *
 * The m rows of a sequence become the columns of S = X Y': they are kept transposed, d x m, so that a row of
 * S is a sum of d scaled rows of `packed` and vectorises whatever d is. */
#ifndef KERNEL_COLUMNS_H
#define KERNEL_COLUMNS_H

#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_columns {
    int64_t m, d;
    int64_t ld;      /* of packed: m and some zeros behind, so that a chunk may run over the end */
    double *packed;  /* d x ld */
    bool distance;   /* the local value is |x - y|^2 ... */
    double *centre;  /* ... d: then the mean row is subtracted, so that no digits cancel ... */
    double *norms;   /* ... m: these are the squared norms of the centred rows ... */
    double *given;   /* ... m x d: and these the rows as they were given */
} volt_columns;

/* Pack the rows of Y (m x d). `distance` as in volt_scan. */
volt_status volt_columns_create(volt_view Y, bool distance, volt_columns **columns);
void volt_columns_free(volt_columns *columns);

/* Row j of Y again, as it was given. */
void volt_columns_row(const volt_columns *columns, int64_t j, double *row);

/* Local values of `rows` (1 to VOLT_SCAN_ROWS) rows x (d numbers each, ld_x apart, as given) against
 * columns first .. first + count - 1: local[r * ld_local + k]. Writes up to VOLT_COLUMNS_CHUNK - 1 values
 * more than count. `norms` are the squared norms of the centred rows x (distance only).
 * The rows x are centred already when distance. */
enum { VOLT_COLUMNS_CHUNK = 8 };
void volt_columns_local(const volt_columns *columns, const double *x, int64_t ld_x, const double *norms,
                        int64_t rows, int64_t first, int64_t count, double *local, int64_t ld_local);

/* A copy of X with the centre subtracted, into `centred` (X.rows x d), and squared norms. */
void volt_columns_centre(const volt_columns *columns, volt_view X, double *centred, double *norms);

#endif
