/* src/kernel/engine/state.h: where a sequence stands in time against the columns of a Gram matrix.
 *
 * Rows go in, in time order, and rows of K come out. What has to be remembered in between depends on the
 * engine: a scan remembers the state of every diagonal, a kernel on windows the rows that later windows
 * still see. */
#ifndef KERNEL_PAST_H
#define KERNEL_PAST_H

#include "base/progress.h"
#include "kernel/engine/columns.h"
#include "kernel/kernel_entry.h"

typedef struct volt_state volt_state;

/* A zero past, for the resolved kernel and the columns, both of which must outlive it. `most_rows` is the
 * most that one volt_state_advance will push. */
volt_status volt_state_create(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                              volt_state **past);
/* The same moment in time, with a life of its own; most_rows may differ. */
volt_status volt_state_copy(const volt_state *source, int64_t most_rows, volt_state **past);
void volt_state_free(volt_state *past);
/* Back to a zero past, where another sequence begins. */
void volt_state_zero(volt_state *past);

/* Push the rows of Z (h x d, 1 <= h <= most_rows): K (h x m) receives the kernel of the past up to each row
 * against each column. With `same`, Z is the columns' own sequence from its start, and only the lower
 * triangle of K is written. stage may be NULL; it counts entries, and when it is cancelled, the past is no
 * longer usable. */
void volt_state_advance(volt_state *past, volt_view Z, bool same, volt_matrix K, volt_stage *stage);

/* Push the rows of Z, which are rows first .. first + Z.rows - 1 of the columns' own sequence and follow those that were
 * pushed in the same way, from the start of their record on: row i of K (Z.rows x first + Z.rows or more) receives the columns up to its own,
 * first + i, and what lies beyond is neither written nor known to the past. After the last row of the sequence it is the past
 * that volt_state_advance leaves. Where the columns are records, a new one among the rows starts after a zero past. */
void volt_state_advance_lower(volt_state *past, volt_view Z, int64_t first, volt_matrix K, volt_stage *stage);

/* As if the rows of Z had been pushed, from a zero past, without computing anything. VOLT_ERR_ARGUMENT, and nothing
 * happens, when only pushing them can do that: so it is for scans. */
volt_status volt_state_seek(volt_state *past, volt_view Z);

/* The state as one list of volt_state_length() numbers, to save and to restore: of a scan, number s against every
 * column, for each s, then the border; of windows, their last rows but one. The length is known before any columns
 * are: a file that is too short for it is refused before work that it does not warrant. */
int64_t volt_state_length_for(const volt_resolved *resolved, int64_t m);
int64_t volt_state_length(const volt_state *past);
void volt_state_get(const volt_state *past, double *state);
void volt_state_set(volt_state *past, const double *state);

/* ---- for the engines -------------------------------------------------------------------------- */

/* Where rows stand that are not the columns' own. */
enum { VOLT_OTHER_ROWS = -1 };

/* The columns that row i is wanted against, the first row standing at `own` among m columns. */
static inline int64_t volt_own_end(int64_t own, int64_t i, int64_t m)
{
    return own >= 0 && own + i + 1 < m ? own + i + 1 : m;
}

/* What an engine offers; its own past begins with a struct volt_state. */
typedef struct volt_state_ops {
    /* Memory for a past; the zero past is set by volt_state_create through `zero`. */
    volt_status (*allocate)(const volt_resolved *resolved, const volt_columns *columns, int64_t most_rows,
                            volt_state **past);
    void (*zero)(volt_state *past);
    void (*release)(volt_state *past);
    /* `own`: the column that the first row of Z is, entries beyond the diagonal not being wanted; or VOLT_OTHER_ROWS. */
    void (*advance)(volt_state *past, volt_view Z, int64_t own, volt_matrix K, volt_stage *stage);
    void (*seek)(volt_state *past, volt_view Z);                 /* (optional) */
    int64_t (*length)(const volt_resolved *resolved, int64_t m); /* of the state against m columns */
    void (*get)(const volt_state *past, double *state);
    void (*set)(volt_state *past, const double *state);
} volt_state_ops;

struct volt_state {
    const volt_state_ops *ops;
    const volt_resolved *resolved;
    const volt_columns *columns;
    int64_t most_rows;
};

/* The past of the engines on windows (window_state.c), and the numbers that it takes where `rows` are pushed at a time,
 * beside the scratch space of the engine. */
extern const volt_state_ops volt_window_state_ops;
double volt_window_state_numbers(const volt_resolved *resolved, int64_t rows);

#endif
