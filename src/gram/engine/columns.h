/* src/gram/engine/columns.h: one side of a Gram matrix, laid out for the local values.
 *
 * The m rows of a sequence become the columns of S = X Y'. They are stored transposed, d x length, so that a
 * row of S is a sum of d scaled rows of `packed` and vectorises for any d. For kernels on windows, rows of
 * the past (past.h) are added before the sequence, so that every window is a range of columns. */
#ifndef KERNEL_COLUMNS_H
#define KERNEL_COLUMNS_H

#include "base/progress.h"
#include "kernel/kernel_entry.h"
#include "kernel/products.h"

typedef struct volt_engine volt_engine; /* engine.h */

typedef struct volt_columns {
    const volt_engine *engine;
    int64_t m, d;  /* rows of the sequence, and numbers in each */
    double *given; /* m x d: the rows as given; NULL: packed holds them (scan_engine.c) */

    int64_t window;  /* effective window of the kernel (columns.c) */
    int64_t lead;    /* rows of the past before the first, in `packed` */
    bool increments; /* packed holds differences of consecutive rows, one fewer */
    int64_t length;  /* columns of packed: m + lead, less one for increments */
    int64_t ld;      /* of packed: length padded with zeros, so that a chunk may exceed the end */
    double *packed;  /* d x ld; and one list more of the numbers of scan.own, where the kernel has it */
    bool distance;   /* the local value is |x - y|^2 ... */
    double *centre;  /* ... d: the centre is then subtracted, to avoid cancellation ... */
    double *norms;   /* ... length: squared norms of the centred rows */

    double *paths;    /* paths in groups of VOLT_LANES, if the kernel needs them separately (path.h) */
    double *features; /* m x n_features: explicit features of each path, if they are cheaper */
    int64_t n_features;
    double *feature_centre; /* n_features, if the programme uses distances: subtracted from all features ... */
    double *feature_norms;  /* ... and m: the squared norms of the result */
    volt_self *self;        /* m: each path against itself, if the programme needs it */

    /* of a sum: the columns of each factor, on its slice of the rows; of records: of each record */
    struct volt_columns **parts;
    int64_t n_parts;
} volt_columns;

/* Lay out the rows of Y (m x d) for the engine of the kernel. The stage (may be NULL) is polled during long
 * operations: VOLT_ERR_CANCELLED. */
volt_status volt_columns_create(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                                volt_columns **columns);
/* Appends the rows of Y. After a failure the columns can only be freed. */
volt_status volt_columns_append(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                                volt_columns *columns);
/* Creates *columns if NULL, else appends. */
volt_status volt_columns_add(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                             volt_columns **columns);
void volt_columns_free(volt_columns *columns);

/* The numbers of the rows by scan.own: one per column. */
static inline const double *volt_columns_own(const volt_columns *columns)
{
    return columns->packed + columns->d * columns->ld;
}

/* Row j of Y, as it was given. */
void volt_columns_row(const volt_columns *columns, int64_t j, double *row);

/* Local values of `rows` (1 to VOLT_SCAN_ROWS) rows x (d numbers each, ld_x apart) against columns first ..
 * first + count - 1 of packed: local[r * ld_local + k]. Writes up to VOLT_COLUMNS_CHUNK - 1 values more than
 * count. For distances, the rows x are already centred and `norms` are their squared norms; columns without
 * norms use the differences of the rows as given. */
enum { VOLT_COLUMNS_CHUNK = VOLT_PRODUCT_CHUNK };
void volt_columns_local(const volt_columns *columns, const double *x, int64_t ld_x, const double *norms,
                        int64_t rows, int64_t first, int64_t count, double *local, int64_t ld_local);

/* Subtract the centre from the rows of X, into `centred` (X.rows x d, may be X itself), and compute squared
 * norms. */
void volt_columns_centre(const volt_columns *columns, volt_view X, double *centred, double *norms);

/* ---- for the engines -------------------------------------------------------------------------- */

/* Lays out `packed`, the centre and the norms of all rows, as columns->window and the kernel require: `pack`
 * of an engine. */
volt_status volt_columns_pack(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                              volt_columns *columns);
/* Effective rows of a window for m columns (columns.c). */
int64_t volt_columns_window(const volt_resolved *resolved, int64_t m);
/* Maximum size of the data of volt_columns_pack, in numbers. */
double volt_columns_numbers(const volt_resolved *resolved, int64_t m);

/* Allocates an array of n parts, unless it exists. VOLT_ERR_MEMORY. */
volt_status volt_columns_need_parts(volt_columns *columns, int64_t n);

/* Reallocates `items` for `count` items, preserving `kept` of them; further ones are zero. */
volt_status volt_columns_extend(void **items, int64_t kept, int64_t count, size_t size);

/* VOLT_ERR_CANCELLED if the stage (may be NULL) was cancelled. */
volt_status volt_columns_cancelled(volt_stage *stage);

#endif
