/* src/kernel/engine/columns.h: one side of a Gram matrix, laid out for the local values.
 *
 * The m rows of a sequence become the columns of S = X Y': they are kept transposed, d x length, so that a row
 * of S is a sum of d scaled rows of `packed` and vectorises whatever d is. For kernels on windows the rows of
 * zeros that precede the sequence stand before it, so that every window is a plain range of columns. */
#ifndef KERNEL_COLUMNS_H
#define KERNEL_COLUMNS_H

#include "base/progress.h"
#include "kernel/kernel_entry.h"
#include "kernel/products.h"

typedef struct volt_engine volt_engine; /* engine.h */

typedef struct volt_columns {
    const volt_engine *engine;
    int64_t m, d;  /* rows of the sequence, and numbers in each */
    double *given; /* m x d: the rows as they were given; NULL: packed holds them (scan_engine.c) */

    int64_t window;  /* of the kernel, as far as these rows fill it (columns.c) */
    int64_t lead;    /* rows of zeros before the first, in `packed` */
    bool increments; /* packed holds differences of neighbouring rows, one fewer */
    int64_t length;  /* columns of packed: m + lead, less one for increments */
    int64_t ld;      /* of packed: length and some zeros behind, so that a chunk may run over the end */
    double *packed;  /* d x ld */
    bool distance;   /* the local value is |x - y|^2 ... */
    double *centre;  /* ... d: then the centre is subtracted, so that no digits cancel ... */
    double *norms;   /* ... length: and these are the squared norms of the centred rows */

    double *paths;    /* paths in groups of VOLT_LANES, where the kernel needs them one by one (path.h) */
    double *features; /* m x n_features: explicit features of each path, where they are cheaper */
    int64_t n_features;
    double *feature_centre; /* n_features, where the programme wants distances: it is subtracted from all ... */
    double *feature_norms;  /* ... and m: these are the squared norms that are left */
    volt_self *self;        /* m: each path against itself, where the programme needs it */

    /* of a sum: those of each factor, on its slice of the rows; of records: of each */
    struct volt_columns **parts;
    int64_t n_parts;
} volt_columns;

/* Lay out the rows of Y (m x d) for the engine that the kernel runs on. The stage, which may be NULL, is polled where
 * that takes long: VOLT_ERR_CANCELLED. */
volt_status volt_columns_create(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                                volt_columns **columns);
/* The rows of Y after those that are there. On failure the columns can only be freed. */
volt_status volt_columns_append(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                                volt_columns *columns);
/* Creates *columns where there are none, else appends. */
volt_status volt_columns_add(const volt_resolved *resolved, volt_view Y, volt_stage *stage,
                             volt_columns **columns);
void volt_columns_free(volt_columns *columns);

/* Row j of Y again, as it was given. */
void volt_columns_row(const volt_columns *columns, int64_t j, double *row);

/* Local values of `rows` (1 to VOLT_SCAN_ROWS) rows x (d numbers each, ld_x apart) against columns
 * first .. first + count - 1 of packed: local[r * ld_local + k]. Writes up to VOLT_COLUMNS_CHUNK - 1 values
 * more than count. When distance, the rows x are centred already and `norms` are their squared norms; columns without
 * norms take the differences of the rows as given. */
enum { VOLT_COLUMNS_CHUNK = VOLT_PRODUCT_CHUNK };
void volt_columns_local(const volt_columns *columns, const double *x, int64_t ld_x, const double *norms,
                        int64_t rows, int64_t first, int64_t count, double *local, int64_t ld_local);

/* Subtract the centre from the rows of X, into `centred` (X.rows x d, may be X itself), and squared norms. */
void volt_columns_centre(const volt_columns *columns, volt_view X, double *centred, double *norms);

/* ---- for the engines -------------------------------------------------------------------------- */

/* Lays out `packed`, the centre and the norms of all rows, as columns->window and the kernel require: `pack` of an engine. */
volt_status volt_columns_pack(const volt_resolved *resolved, int64_t first, volt_stage *stage,
                              volt_columns *columns);
/* Rows of a window that count, where there are m columns (columns.c). */
int64_t volt_columns_window(const volt_resolved *resolved, int64_t m);
/* The numbers that volt_columns_pack takes, at most. */
double volt_columns_numbers(const volt_resolved *resolved, int64_t m);

/* Makes places for n parts, unless there are some. VOLT_ERR_MEMORY. */
volt_status volt_columns_need_parts(volt_columns *columns, int64_t n);

/* Room for `count` items in place of `kept`, which stay; further ones are zero. */
volt_status volt_columns_extend(void **items, int64_t kept, int64_t count, size_t size);

/* After work that was left undone because the stage, which may be NULL, was cancelled: VOLT_ERR_CANCELLED. */
volt_status volt_columns_cancelled(volt_stage *stage);

#endif
