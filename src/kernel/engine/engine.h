/* src/kernel/engine/engine.h: what an engine is: it lays out columns, and runs the rows of a sequence against them.
 *
 * An engine is one file with one volt_engine, volt_engine_NAME, and one line of VOLT_ENGINE_LIST below. */
#ifndef KERNEL_ENGINE_H
#define KERNEL_ENGINE_H

#include "kernel/engine/state.h"

/* Rows of a sequence with the rows that their first windows still reach, as the engines on windows see them: h + window
 * - 1 rows (one fewer as increments), centred when distances are wanted. `window` is the columns': a longer one meets
 * nothing but zeros beyond, and what it adds there is the same for every column. */
typedef struct volt_window_rows {
    volt_view rows;
    const double *norms;  /* squared norms, when the columns want distances */
    const double *beyond; /* h: what each row's window adds to its sums beyond the columns; NULL: nothing */
    int64_t h;            /* rows of K */
    int64_t threads;      /* at most, and that many scratch spaces */
    /* the column that the first row is: only what lies up to the diagonal is wanted; or VOLT_OTHER_ROWS */
    int64_t own;
} volt_window_rows;

struct volt_engine {
    const char *name;
    bool is_expensive; /* an entry costs much: matrices are computed no further than they are needed */
    bool multiplies;   /* it calls BLAS, which the caller claims (base/blas.h) */

    /* Does it run this kernel on m columns? The first engine of the table that does is taken; the last, which has no
     * `takes`, runs what is left. */
    bool (*takes)(const volt_resolved *resolved, int64_t m);
    /* Numbers in memory, at most: m columns beside the rows as given, and a state that `rows` are pushed to at a time. */
    double (*numbers)(const volt_resolved *resolved, int64_t m, int64_t rows);
    /* Lay out columns->given from row `first` on; those before, if any, are laid out already. The stage, which may be
     * NULL, is polled: VOLT_ERR_CANCELLED. */
    volt_status (*pack)(const volt_resolved *resolved, int64_t first, volt_stage *stage, volt_columns *columns);
    const volt_state_ops *state;

    /* Engines on windows share one state (window_state.c), which brings them the rows. `resolved` has the window of the
     * rows; `self` holds each row's path against itself where the programme needs it; `scratch` has that many numbers
     * for each thread. */
    int64_t (*scratch)(const volt_resolved *resolved, const volt_columns *columns);
    void (*run)(const volt_resolved *resolved, const volt_columns *columns, const volt_window_rows *x,
                const volt_self *self, double *scratch, volt_matrix K, volt_stage *stage);
};

/* The engines, in the order in which they are asked. */
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

/* The same as a table that NULL ends (engine.c), and the engine that runs the kernel on m columns. */
extern const volt_engine *const volt_engine_table[];
const volt_engine *volt_engine_of(const volt_resolved *resolved, int64_t m);

/* Does an entry cost much, whatever records the rows belong to? */
bool volt_engine_is_expensive(const volt_resolved *resolved, int64_t m);

/* Bytes of m columns and of a state that `rows` are pushed to at a time, at most. */
double volt_engine_bytes(const volt_resolved *resolved, int64_t m, int64_t rows);

/* The kernel of a sequence with itself, K(t, t), at the rows of Z (n x d, scaled and filtered, one sequence from the zero
 * state) from `first` on, into `out` (n - first numbers). O(d) a row for scans; kernels on windows compute some other windows
 * too. VOLT_ERR_MEMORY. */
volt_status volt_diagonal(const volt_resolved *resolved, volt_view Z, int64_t first, double *out);

/* ---- sums of products: the part of a row that a factor sees, and its place in its term ----------- */

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
