/* src/gram/engine/state.h: the state of a sequence against the columns of a Gram matrix.
 *
 * Rows are pushed in time order, and rows of K are returned. The contents depend on the engine: a scan
 * stores the state of every diagonal, a kernel on windows the rows that later windows cover.
 *
 * The columns are fixed (columns.h), or they move with the rows: a pushed row may join them at the end, and
 * the oldest leave. Entries depend on the whole sequence, including columns that left. A scan keeps an edge
 * for that:
 *
 *     state(t, j) follows from state(t-1, j-1);   of the first column, j - 1 has left, and was last seen at t -
 * 1
 *
 * This is exact if one column leaves for each row that joins. Otherwise the error fades with the memory of
 * the kernel, and volt_state_settling returns the number of columns before the first requested one after
 * which it is below rounding. */
#ifndef KERNEL_STATE_H
#define KERNEL_STATE_H

#include "base/progress.h"
#include "gram/engine/columns.h"
#include "kernel/kernel_entry.h"

typedef struct volt_state volt_state;

/* Creates the zero state for the resolved kernel and the columns, both of which must outlive it. `max_rows` is
 * the largest number of rows of one volt_state_advance. VOLT_ERR_MEMORY. */
volt_status volt_state_create(const volt_resolved *resolved, const volt_columns *columns, int64_t max_rows,
                              volt_state **state);
/* Creates an independent copy; max_rows may differ. */
volt_status volt_state_copy(const volt_state *source, int64_t max_rows, volt_state **state);
void volt_state_free(volt_state *state);
/* Returns to the zero state, where another sequence begins. */
void volt_state_zero(volt_state *state);

/* Pushes the rows of Z (h x d, 1 <= h <= max_rows): K (h x m) receives the kernel of the sequence up to each
 * row against each column. With `same`, Z is the columns' own sequence from its start, and only the lower
 * triangle of K is written. stage may be NULL; it counts entries. After a cancelled stage the state is
 * unusable. */
void volt_state_advance(volt_state *state, volt_view Z, bool same, volt_matrix K, volt_stage *stage);

/* Pushes the rows of Z, which are rows first .. first + Z.rows - 1 of the columns' own sequence and follow
 * those that were pushed in the same way, from the start of their record on: row i of K (Z.rows x first +
 * Z.rows or more) receives the columns up to its own, first + i; later columns are ignored. After the last row
 * of the sequence the state is the one that volt_state_advance leaves. Where the columns are records, each
 * starts from the zero state. */
void volt_state_advance_lower(volt_state *state, volt_view Z, int64_t first, volt_matrix K, volt_stage *stage);

/* Moves from the zero state to the state after the rows of Z, without computing K. VOLT_ERR_ARGUMENT, with the
 * state unchanged, when the engine can only push them, as a scan. */
volt_status volt_state_seek(volt_state *state, volt_view Z);

/* The state as one list of volt_state_length() numbers, to save and to restore: of a scan, number s against
 * every column, for each s, then the border; of windows, their last rows but one. volt_state_length_for gives
 * the length before there are columns, so that a file that is too short is refused early. */
int64_t volt_state_length_for(const volt_resolved *resolved, int64_t m);
int64_t volt_state_length(const volt_state *state);
void volt_state_get(const volt_state *state, double *numbers);
void volt_state_set(volt_state *state, const double *numbers);

/* ---- the states of reservoirs as features: K = F F', a row of F for each state ------------------- */

/* A readout of n coefficients A against the training rows is then a readout F' A of N numbers, and a
 * prediction costs one step of the reservoir and N products for any n. */

/* Numbers in a state of the whole kernel: of one reservoir, or of all terms of a sum of reservoirs. 0:
 * another kernel, or a power of the product of states. */
int64_t volt_states_count(const volt_resolved *resolved);
/* Columns whose state gives the reservoir states of the rows pushed, each term's times the root of its weight,
 * for a kernel that has some. VOLT_ERR_MEMORY. */
volt_status volt_states_columns(const volt_resolved *resolved, volt_columns **columns);
/* Numbers in the state against such columns. A state against other columns begins with the same numbers. */
int64_t volt_states_length(const volt_resolved *resolved);

/* ---- columns that move: of one record ---------------------------------------------------------- */

/* Creates the zero state without columns. volt_state_zero keeps the columns; no row joins after it. */
volt_status volt_state_create_moving(const volt_resolved *resolved, volt_state **state);
/* Allocates everything that pushing z takes, and changes nothing else. VOLT_ERR_MEMORY. */
volt_status volt_state_prepare(volt_state *state, const double *z, bool joins, bool wanted);
void volt_state_drop(volt_state *state, int64_t count); /* the oldest columns */
int64_t volt_state_settling(const volt_resolved *resolved);

/* Columns and state as numbers, preceded by their count: volt_state_put returns the place behind them,
 * volt_state_take reads them into a state without columns and advances. VOLT_ERR_FORMAT, VOLT_ERR_MEMORY. */
double *volt_state_put(const volt_state *state, double *numbers);
volt_status volt_state_take(volt_state *state, const double **numbers, int64_t *length);
/* Reads a count: a whole number from 0 to `most`. VOLT_ERR_FORMAT. */
volt_status volt_state_count(double number, int64_t most, int64_t *count);

/* ---- columns that move: rows of any records, numbered from 0 ----------------------------------- */

/* Every pushed row becomes a column, and columns are kept from row `begin` to the last. Each record has a
 * separate state; the columns of earlier records meet its rows from the zero state. */
typedef struct volt_moving volt_moving;

/* Creates the zero state without columns. The resolved kernel, which may have records, must outlive it.
 * VOLT_ERR_MEMORY. */
volt_status volt_moving_create(const volt_resolved *resolved, volt_moving **moving);
/* Creates an independent copy. */
volt_status volt_moving_copy(const volt_moving *source, volt_moving **moving);
void volt_moving_free(volt_moving *moving);

/* Columns are rows begin .. next - 1, and `next` is the number of the next row. */
int64_t volt_moving_begin(const volt_moving *moving);
int64_t volt_moving_next(const volt_moving *moving);

/* As volt_state_prepare and volt_state_push; k receives next - begin numbers, and one more where z joins. After
 * a row that does not join none may. */
volt_status volt_moving_prepare(volt_moving *moving, const double *z, bool joins, bool wanted);
void volt_moving_push(volt_moving *moving, const double *z, bool joins, double *k);

/* Drops columns before `row`; some may stay, so that later entries are exact. */
void volt_moving_release(volt_moving *moving, int64_t row);

/* Begins another record. VOLT_ERR_MEMORY. */
volt_status volt_moving_restart(volt_moving *moving);

/* Everything as a list of numbers. VOLT_ERR_FORMAT for an invalid list, VOLT_ERR_MEMORY; then it can only be
 * freed. */
int64_t volt_moving_length(const volt_moving *moving);
void volt_moving_get(const volt_moving *moving, double *numbers);
volt_status volt_moving_set(volt_moving *moving, const double *numbers, int64_t length);

/* ---- for the engines -------------------------------------------------------------------------- */

/* The position of rows that are not the columns' own. */
enum { VOLT_OTHER_ROWS = -1 };

/* The columns computed for row i, if the first row is at position `diagonal` among m columns. */
static inline int64_t volt_diagonal_end(int64_t diagonal, int64_t i, int64_t m)
{
    return diagonal >= 0 && diagonal + i + 1 < m ? diagonal + i + 1 : m;
}

struct volt_state {
    const struct volt_state_ops *ops;
    const volt_resolved *resolved;
    const volt_columns *columns; /* fixed columns; set by the engine if they move */
    int64_t max_rows;
    int64_t count; /* columns */
    bool moves;    /* the columns belong to the state */
};

/* The functions of an engine. Its own struct begins with a volt_state. */
typedef struct volt_state_ops {
    size_t size; /* of that struct, which is zeroed before `allocate` */
    volt_status (*allocate)(volt_state *state);
    void (*release)(volt_state *state); /* its members, also after a failed `allocate` */
    void (*zero)(volt_state *state);
    /* `diagonal`: the column of the first row of Z, with entries up to the diagonal; or VOLT_OTHER_ROWS. With
     * moving columns there is one row, which joins if `diagonal` is their count, and K without data is not
     * written. */
    void (*advance)(volt_state *state, volt_view Z, int64_t diagonal, volt_matrix K, volt_stage *stage);
    void (*seek)(volt_state *state, volt_view Z);                /* (optional) */
    int64_t (*length)(const volt_resolved *resolved, int64_t m); /* against m fixed columns */
    int64_t (*moving_length)(const volt_state *state);           /* with the columns */
    void (*get)(const volt_state *state, double *numbers);
    volt_status (*set)(volt_state *state, const double *numbers, int64_t length);

    /* Columns that move. */
    volt_status (*prepare)(volt_state *state, const double *z, bool joins, bool wanted);
    void (*drop)(volt_state *state, int64_t count);
    int64_t (*settling)(const volt_resolved *resolved); /* NULL: 0 */
} volt_state_ops;

/* A state composed of states: of the factors of a sum, or of the records of the columns. Its numbers are
 * theirs, concatenated. */
typedef struct volt_state_parts {
    volt_state **each;
    int64_t n;
} volt_state_parts;

/* Allocates places for n states. VOLT_ERR_MEMORY. */
volt_status volt_state_parts_allocate(int64_t n, volt_state_parts *parts);
void volt_state_parts_release(volt_state_parts *parts);
void volt_state_parts_zero(const volt_state_parts *parts);
void volt_state_parts_get(const volt_state_parts *parts, double *numbers);
void volt_state_parts_set(const volt_state_parts *parts, const double *numbers);

/* Rows that are appended at the end and dropped at the front. */
typedef struct volt_row_list {
    double *data; /* capacity x cols, row i at data + (start + i) cols */
    int64_t cols, count, start, capacity;
} volt_row_list;

static inline double *volt_row_list_at(const volt_row_list *list, int64_t i)
{
    return list->data + (list->start + i) * list->cols;
}

/* Reserves space for one more row after the last; or for a list of `count` rows that replaces these.
 * VOLT_ERR_MEMORY. */
volt_status volt_row_list_reserve(volt_row_list *list);
volt_status volt_row_list_resize(volt_row_list *list, int64_t count);

/* The state of the engines on windows (window_state.c), and its size in numbers for `rows` rows at a time,
 * without the scratch space of the engine. */
extern const volt_state_ops volt_window_state_ops;
double volt_window_state_numbers(const volt_resolved *resolved, int64_t rows);

#endif
