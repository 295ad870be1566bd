/* src/gram/engine/engine.h: the interface of engines, which lay out columns and run rows against them.
 *
 * An engine is one file with one volt_engine, volt_engine_NAME, and one line of VOLT_ENGINE_LIST below. */
#ifndef KERNEL_ENGINE_H
#define KERNEL_ENGINE_H

#include "gram/engine/state.h"

/* Rows of a sequence, preceded by the rows that their first windows cover, for the engines on windows: h +
 * window - 1 rows (one fewer as increments), centred for distances. `window` is the window of the columns. A
 * longer window only covers more zeros of the columns, whose contribution is the same for every column. */
typedef struct volt_window_rows {
    volt_view rows;
    const double *norms;  /* squared norms, if the columns use distances */
    const double *beyond; /* h: contribution of each row's window beyond the columns; NULL: none */
    int64_t h;            /* rows of K */
    int64_t threads;      /* maximum number of threads, and number of scratch buffers */
    /* the column of the first row: only entries up to the diagonal are computed; or VOLT_OTHER_ROWS */
    int64_t diagonal;
} volt_window_rows;

struct volt_engine {
    const char *name;
    bool is_expensive; /* entries are expensive: matrices are computed only as far as needed */
    bool multiplies;   /* it calls BLAS, which the caller claims (base/blas.h) */

    /* Returns whether it supports this kernel on m columns. The first engine of the table that does is used; the last
     * one has no `takes` and runs all others. */
    bool (*takes)(const volt_resolved *resolved, int64_t m);
    /* Maximum memory in numbers: m columns, without the rows as given, and a state for `rows` rows at a
     * time. */
    double (*numbers)(const volt_resolved *resolved, int64_t m, int64_t rows);
    /* Lay out columns->given from row `first` on; earlier rows are laid out already. The stage (may be NULL)
     * is polled: VOLT_ERR_CANCELLED. */
    volt_status (*pack)(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns);
    const volt_state_ops *state;

    /* Engines on windows share one state (window_state.c), which provides the rows. `resolved` has the
     * window of the rows. `self` holds each row's path against itself, if the programme needs it. `scratch`
     * has that many numbers per thread. */
    int64_t (*scratch)(const volt_resolved *resolved, const volt_columns *columns);
    void (*run)(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                const volt_self *self, double *scratch, volt_matrix K, volt_stage *stage);
};

/* The engines, in the order in which they are queried. */
#define VOLT_ENGINE_LIST(X) \
    X(records)              \
    X(sum)                  \
    X(reservoir)            \
    X(scan)                 \
    X(window_sum)           \
    X(features)             \
    X(paths)                \
    X(window_block)

#define VOLT_DECLARE_ENGINE(name) extern const volt_engine volt_engine_##name;
VOLT_ENGINE_LIST(VOLT_DECLARE_ENGINE)
#undef VOLT_DECLARE_ENGINE

/* The same list, terminated by NULL (engine.c); and the engine for the kernel on m columns. */
extern const volt_engine *const volt_engine_table[];
const volt_engine *volt_engine_of(const volt_resolved *resolved, int64_t m);

/* Returns whether entries are expensive, for any records. */
bool volt_engine_is_expensive(const volt_resolved *resolved, int64_t m);

/* Maximum memory in bytes of m columns and of a state for `rows` rows at a time. */
double volt_engine_bytes(const volt_resolved *resolved, int64_t m, int64_t rows);

/* The kernel of a sequence with itself, K(t, t), at the rows of Z (n x d, scaled and filtered, one sequence
 * from the zero state) from `first` on, into `out` (n - first numbers). O(d) per row for scans; kernels on
 * windows compute further entries. VOLT_ERR_MEMORY. */
volt_status volt_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out);

/* ---- sums of products: the slice of a factor, and its position in its term ----------------------- */

static inline volt_view volt_sum_slice(const volt_sum *sum, int64_t factor, volt_view rows)
{
    volt_view slice = {rows.data + sum->slice[factor] * sum->d, rows.rows, sum->d, rows.ld};
    return slice;
}

static inline bool volt_sum_begins_term(const volt_sum *sum, int64_t f)
{
    return f == 0 || sum->term[f - 1] != sum->term[f];
}

static inline bool volt_sum_ends_term(const volt_sum *sum, int64_t f)
{
    return f + 1 == sum->n_factors || sum->term[f + 1] != sum->term[f];
}

#endif
