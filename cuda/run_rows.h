/* cuda/run_rows.h: the rows of a free run (base/run_form.h), one after the other, in plain C, which CUDA compiles as well.
 *
 * A row has three parts. Its columns are made by a few threads ("lanes"), which share a room: on a GPU one warp of every
 * block, each with a room of its own, so that no block waits for another one's columns. The entries of the kernel are
 * made by all threads; a diagonal belongs to one of them and moves one column to the right with every row, so that no state
 * is ever handed over. The outputs, from sums over all threads, are made by the lanes again.
 *
 * run_kernel.cu runs it on a GPU, tests/support/far_backend.c with one lane in the tests of a machine without one. */
#ifndef CUDA_RUN_ROWS_H
#define CUDA_RUN_ROWS_H

#include "base/run_form.h"
#include "scan_form.h"

/* The sum of a value over the lanes, the same bits for each of them. */
VOLT_FORM_FUNCTION double volt_run_sum(double value)
{
#ifdef __CUDA_ARCH__
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
#endif
    return value;
}

#ifdef __CUDA_ARCH__
#define VOLT_RUN_ANY(flag) (__any_sync(0xffffffffu, flag) != 0)
#define VOLT_RUN_SYNC() __syncwarp()
#define VOLT_RUN_LOAD(place) __ldcg(place) /* another block may have written it */
#else
#define VOLT_RUN_ANY(flag) (flag)
#define VOLT_RUN_SYNC() ((void)0)
#define VOLT_RUN_LOAD(place) (*(place))
#endif

/* Lists of numbers in the block of a run, in its order: what is left behind first, then what is given. */
typedef enum volt_run_list {
    RUN_BANK,         /* states of the filters */
    RUN_RING,         /* ring_rows x numbers */
    RUN_RESULT,       /* done, outside, end */
    RUN_OUT,          /* rows x q */
    RUN_COEFFICIENTS, /* q x m */
    RUN_X,            /* (memory + rows) x inputs */
    RUN_KNOWN,        /* warm x q */
    RUN_FED,          /* what comes back with the first row */
    RUN_COLUMN,       /* own volt_column; none where columns are inputs */
    RUN_FILTER,       /* slices volt_run_filter; none where there are no filters */
    RUN_SHIFT,
    RUN_LIMIT,
    RUN_RADIUS,
    RUN_BALL, /* volt_outside, as numbers */
    RUN_INTERCEPT,
    RUN_MEAN,
    RUN_DEVIATION,
    RUN_ANCHOR, /* as numbers */
    RUN_OFFSET,
    RUN_WEIGHT,
    RUN_MIDDLE,
    RUN_REACH,
    RUN_LISTS
} volt_run_list;

/* All that a run needs, in one block of numbers (run_grid.c lays it out). */
typedef struct volt_run_grid {
    volt_form_grid grid; /* without rows; its `top` are the diagonals ... */
    double *diagonals;   /* ... states x m: diagonal p stands in column (p + t) mod m at row t */
    double *border;      /* states: against a zero past */
    double *before;      /* numbers x (ring_rows - 1): the rows before the first */
    double *list[RUN_LISTS];
    int64_t model;           /* numbers of the lists from RUN_COLUMN on, which every room has for itself */
    int32_t plain, filtered; /* columns are inputs as they are; there are filters */
    int64_t rows, warm;
    int64_t inputs, own, fed, q, columns, memory, slices;
    int64_t numbers, ring_rows; /* of a row as the kernel sees it; rows that are kept */
    int32_t chained, watches, range;
    double scale;
} volt_run_grid;

/* What the lanes share. */
typedef struct volt_run_room {
    double *ring;  /* ring_rows x numbers: row t is at t mod ring_rows */
    double *model; /* the lists from RUN_COLUMN on */
    double *x;     /* 2 x inputs: row t is at t mod 2, and the next one already beside it */
    double *column, *bank, *next_bank, *border, *entering, *fresh, *fed;
} volt_run_room;

VOLT_FORM_FUNCTION const double *volt_run_model(const volt_run_grid *g, const volt_run_room *room,
                                                volt_run_list list)
{
    return room->model + (g->list[list] - g->list[RUN_COLUMN]);
}

VOLT_FORM_FUNCTION int64_t volt_run_bank_numbers(const volt_run_grid *g)
{
    return g->filtered ? VOLT_RUN_FILTER_STATES * g->numbers : 0;
}

VOLT_FORM_FUNCTION int64_t volt_run_room_numbers(const volt_run_grid *g)
{
    return g->ring_rows * g->numbers + g->model + 2 * g->inputs + g->columns + 2 * volt_run_bank_numbers(g) +
           2 * g->grid.states + g->q + g->fed;
}

VOLT_FORM_FUNCTION volt_run_room volt_run_room_in(const volt_run_grid *g, double *memory)
{
    volt_run_room room;
    room.ring = memory;
    room.model = room.ring + g->ring_rows * g->numbers;
    room.x = room.model + g->model;
    room.column = room.x + 2 * g->inputs;
    room.bank = room.column + g->columns;
    room.next_bank = room.bank + volt_run_bank_numbers(g);
    room.border = room.next_bank + volt_run_bank_numbers(g);
    room.entering = room.border + g->grid.states;
    room.fresh = room.entering + g->grid.states;
    room.fed = room.fresh + g->q;
    return room;
}

/* The moment before the first row. */
VOLT_FORM_FUNCTION void volt_run_begin(const volt_run_grid *g, const volt_run_room *room, int64_t lane,
                                       int64_t lanes)
{
    int64_t lead = g->ring_rows - 1;
    for (int64_t i = lane; i < lead * g->numbers; i += lanes) {
        int64_t t = i / g->numbers, k = i % g->numbers;
        room->ring[(1 + t) * g->numbers + k] = g->before[k * lead + t];
    }
    for (int64_t i = lane; i < g->model; i += lanes)
        room->model[i] = g->list[RUN_COLUMN][i];
    for (int64_t i = lane; i < g->inputs; i += lanes)
        room->x[i] = g->list[RUN_X][g->memory * g->inputs + i];
    for (int64_t i = lane; i < volt_run_bank_numbers(g); i += lanes)
        room->bank[i] = g->list[RUN_BANK][i];
    for (int64_t i = lane; i < g->grid.states; i += lanes)
        room->border[i] = g->border[i];
    for (int64_t i = lane; i < g->fed; i += lanes)
        room->fed[i] = g->list[RUN_FED][i];
}

/* ---- columns ---------------------------------------------------------------------------------- */

VOLT_FORM_FUNCTION double volt_run_input(const volt_run_grid *g, const volt_run_room *room, int64_t t,
                                         int64_t source, int64_t lag)
{
    if (lag == 0)
        return room->x[(t & 1) * g->inputs + source];
    return VOLT_RUN_LOAD(g->list[RUN_X] + (g->memory + t - lag) * g->inputs + source);
}

/* Number i of row t, of those that are given. */
VOLT_FORM_FUNCTION double volt_run_given(const volt_run_grid *g, int64_t t, int64_t i)
{
    return g->list[RUN_X][(g->memory + t) * g->inputs + i];
}

VOLT_FORM_FUNCTION const volt_column *volt_run_column_of(const volt_run_grid *g, const volt_run_room *room,
                                                         int64_t k)
{
    return (const volt_column *)(const void *)volt_run_model(g, room, RUN_COLUMN) + k;
}

VOLT_FORM_FUNCTION double volt_run_column(const volt_run_grid *g, const volt_run_room *room, int64_t t,
                                          int64_t k)
{
    if (k >= g->own)
        return room->fed[k - g->own];
    if (g->plain)
        return volt_run_input(g, room, t, k, 0);
    const volt_column *column = volt_run_column_of(g, room, k);
    double value = volt_run_input(g, room, t, column->source, column->plus);
    if (column->minus >= 0)
        value -= volt_run_input(g, room, t, column->source, column->minus);
    return column->weight * value;
}

/* Number k of slice s, and the state of its filter after it. */
VOLT_FORM_FUNCTION double volt_run_filtered(const volt_run_grid *g, const volt_run_room *room, int64_t s,
                                            int64_t k)
{
    double value = room->column[k];
    if (!g->filtered)
        return value;
    const volt_run_filter *filter =
        (const volt_run_filter *)(const void *)volt_run_model(g, room, RUN_FILTER) + s;
    int64_t at = VOLT_RUN_FILTER_STATES * s * g->columns + k;
    const double *was = room->bank + at;
    double *next = room->next_bank + at;
    int64_t d = g->columns;
    for (int i = 0; i < VOLT_RUN_FILTER_STATES; i++)
        next[i * d] = was[i * d];
    if (filter->pole != 0)
        value = next[0] = filter->pole * was[0] + (1 - fabs(filter->pole)) * value;
    if (filter->pair != 0) {
        double square = filter->pair * filter->pair;
        value = filter->turn * was[d] - square * was[2 * d] + (1 - filter->turn + square) * value;
        next[2 * d] = was[d];
        next[d] = value;
    }
    if (filter->echo != 0)
        value = next[3 * d] = value + filter->echo * was[3 * d];
    return value;
}

enum { VOLT_RUN_ASKED = 1, VOLT_RUN_COUNTED = 2 };

/* Slice s of the row into z: flags of what has happened. */
VOLT_FORM_FUNCTION int volt_run_slice(const volt_run_grid *g, const volt_run_room *room, int64_t s, double *z,
                                      int64_t lane, int64_t lanes)
{
    double squares = 0;
    for (int64_t k = lane; k < g->columns; k += lanes) {
        z[k] = volt_run_filtered(g, room, s, k);
        squares += z[k] * z[k];
    }
    double norm = sqrt(volt_run_sum(squares));
    if (!(norm * norm < INFINITY))
        return VOLT_RUN_ASKED;
    if (norm <= volt_run_model(g, room, RUN_LIMIT)[s])
        return 0;
    int ball = (int)volt_run_model(g, room, RUN_BALL)[s];
    for (int64_t k = lane; ball == VOLT_OUTSIDE_CLIPPED && k < g->columns; k += lanes)
        z[k] *= volt_run_model(g, room, RUN_RADIUS)[s] / norm;
    return ball == VOLT_OUTSIDE_LEFT ? 0 : ball == VOLT_OUTSIDE_ASKED ? VOLT_RUN_ASKED : VOLT_RUN_COUNTED;
}

/* The columns of the row, held and scaled: flags. */
VOLT_FORM_FUNCTION int volt_run_columns(const volt_run_grid *g, const volt_run_room *room, int64_t t,
                                        int64_t lane, int64_t lanes)
{
    bool bad = false, held = false;
    for (int64_t k = lane; k < g->columns; k += lanes) {
        double value = volt_run_column(g, room, t, k);
        bad = bad || !(fabs(value) < INFINITY);
        if (!g->plain && k < g->own && g->range != VOLT_OUTSIDE_LEFT) {
            const volt_column *column = volt_run_column_of(g, room, k);
            double within = fmin(fmax(value, column->low), column->high);
            held = held || within != value;
            value = within;
        }
        room->column[k] = (value - volt_run_model(g, room, RUN_SHIFT)[k]) * g->scale;
    }
    bool any_bad = VOLT_RUN_ANY(bad), any_held = VOLT_RUN_ANY(held);
    return any_bad || (any_held && g->range == VOLT_OUTSIDE_ASKED) ? VOLT_RUN_ASKED
           : any_held                                              ? VOLT_RUN_COUNTED
                                                                   : 0;
}

/* The border goes on: what a diagonal that enters at row t takes is `entering`. */
VOLT_FORM_FUNCTION void volt_run_borders(const volt_run_grid *g, const volt_run_room *room, const double *z,
                                         int64_t lane, int64_t lanes)
{
    for (int64_t f = lane; f < g->grid.form.n_factors; f += lanes) {
        const volt_factor_form *factor = &g->grid.form.factor[f];
        double state[VOLT_FORM_STATE] = {0};
        for (int s = 0; s < factor->state_size; s++)
            room->entering[g->grid.state[f] + s] = state[s] = room->border[g->grid.state[f] + s];
        volt_form_step(&factor->step,
                       volt_form_lone(g->columns, factor->distance != 0, z + factor->slice * g->columns, 1),
                       state);
        for (int s = 0; s < factor->state_size; s++)
            room->border[g->grid.state[f] + s] = state[s];
    }
}

/* Row t, at place `slot` of the ring, becomes what the kernel sees. With VOLT_RUN_ASKED nothing has happened. */
VOLT_FORM_FUNCTION int volt_run_row(const volt_run_grid *g, const volt_run_room *room, int64_t t, int64_t slot,
                                    int64_t lane, int64_t lanes)
{
    double *z = room->ring + slot * g->numbers;
    int flags = volt_run_columns(g, room, t, lane, lanes);
    for (int64_t s = 0; s < g->slices && !(flags & VOLT_RUN_ASKED); s++)
        flags |= volt_run_slice(g, room, s, z + s * g->columns, lane, lanes);
    if (flags & VOLT_RUN_ASKED)
        return flags;
    VOLT_RUN_SYNC();
    for (int64_t i = lane; i < volt_run_bank_numbers(g); i += lanes)
        room->bank[i] = room->next_bank[i];
    volt_run_borders(g, room, z, lane, lanes);
    return flags;
}

/* ---- entries ---------------------------------------------------------------------------------- */

/* The sum of the local values over the windows that end in row `slot` of the ring and in column j. */
VOLT_FORM_FUNCTION double volt_run_window(const volt_run_grid *g, const volt_run_room *room,
                                          const volt_factor_form *factor, int64_t slot, int64_t j)
{
    int64_t d = g->columns, first = volt_form_first_column(&g->grid, j), at = slot;
    const double *y = g->grid.columns + factor->slice * d * g->grid.ld_columns;
    bool distance = factor->distance != 0;
    double sum = 0;
    for (int64_t k = 0; k<factor->window; k++, at = at> 0 ? at - 1 : g->ring_rows - 1) {
        const double *x = room->ring + at * g->numbers + factor->slice * d;
        sum += j - k >= first ? volt_form_local(d, distance, x, 1, y + (j - k), g->grid.ld_columns)
                              : volt_form_lone(d, distance, x, 1);
    }
    return sum;
}

/* Factor f of the entry of diagonal p, which stands in column j, at the row in `slot`; `begins`: a record does, with j. */
VOLT_FORM_FUNCTION double volt_run_factor(const volt_run_grid *g, const volt_run_room *room, int f,
                                          int64_t slot, int64_t p, int64_t j, bool begins)
{
    const volt_factor_form *factor = &g->grid.form.factor[f];
    double *states = g->diagonals + g->grid.state[f] * g->grid.m + p, state[VOLT_FORM_STATE];
    int64_t d = g->columns;
    for (int s = 0; s < VOLT_FORM_STATE; s++) /* a constant: states stay in registers */
        state[s] = s >= factor->state_size ? 0
                   : begins                ? room->entering[g->grid.state[f] + s]
                                           : states[s * g->grid.m];
    double local =
        factor->window > 1
            ? volt_run_window(g, room, factor, slot, j)
            : volt_form_local(d, factor->distance != 0, room->ring + slot * g->numbers + factor->slice * d, 1,
                              g->grid.columns + factor->slice * d * g->grid.ld_columns + j, g->grid.ld_columns);
    double value = volt_form_step(&factor->step, local, state);
    for (int s = 0; s < VOLT_FORM_STATE; s++)
        if (s < factor->state_size)
            states[s * g->grid.m] = state[s];
    return value;
}

VOLT_FORM_FUNCTION double volt_run_entry(const volt_run_grid *g, const volt_run_room *room, int64_t slot,
                                         int64_t p, int64_t j)
{
    const volt_kernel_form *form = &g->grid.form;
    bool begins = j == volt_form_first_column(&g->grid, j);
    double product = 0, sum = 0;
    for (int f = 0; f < form->n_factors; f++)
        volt_form_join(form, f, volt_run_factor(g, room, f, slot, p, j, begins), &product, &sum);
    return sum;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* Output k of row t from the sum over all columns; true: the run has left its range. */
VOLT_FORM_FUNCTION bool volt_run_output(const volt_run_grid *g, const volt_run_room *room, int64_t t, int64_t k,
                                        double sum)
{
    double y = volt_run_model(g, room, RUN_MEAN)[k] +
               volt_run_model(g, room, RUN_DEVIATION)[k] * (sum + volt_run_model(g, room, RUN_INTERCEPT)[k]);
    int64_t anchor = (int64_t)volt_run_model(g, room, RUN_ANCHOR)[k];
    if (anchor >= 0)
        y += volt_run_input(g, room, t, anchor, 0);
    room->fresh[k] = y;
    bool left = !(fabs(y) < INFINITY);
    if (g->watches && k < g->fed && t >= g->warm)
        left = left ||
               !(fabs(y - volt_run_model(g, room, RUN_MIDDLE)[k]) <= volt_run_model(g, room, RUN_REACH)[k]);
    return left;
}

/* The outputs of row t are those of the run: the next row sees them. `writes`: also whoever reads the block. */
VOLT_FORM_FUNCTION void volt_run_accept(const volt_run_grid *g, const volt_run_room *room, int64_t t,
                                        bool writes, int64_t lane, int64_t lanes)
{
    for (int64_t k = lane; k < g->q; k += lanes) {
        double y = room->fresh[k];
        if (g->chained)
            room->x[((t + 1) & 1) * g->inputs + k] = y;
        if (k < g->fed)
            room->fed[k] =
                volt_run_model(g, room, RUN_WEIGHT)[k] *
                ((t < g->warm ? g->list[RUN_KNOWN][t * g->q + k] : y) - volt_run_model(g, room, RUN_OFFSET)[k]);
        if (writes)
            g->list[RUN_OUT][t * g->q + k] = y;
        if (writes && g->chained && t + 1 < g->rows)
            g->list[RUN_X][(g->memory + t + 1) * g->inputs + k] = y;
    }
}

/* After the last row: what the lanes hold goes back to the block. */
VOLT_FORM_FUNCTION void volt_run_leave(const volt_run_grid *g, const volt_run_room *room,
                                       volt_run_result result, int64_t lane, int64_t lanes)
{
    for (int64_t i = lane; i < g->ring_rows * g->numbers; i += lanes)
        g->list[RUN_RING][i] = room->ring[i];
    for (int64_t i = lane; i < volt_run_bank_numbers(g); i += lanes)
        g->list[RUN_BANK][i] = room->bank[i];
    for (int64_t i = lane; i < g->grid.states; i += lanes)
        g->border[i] = room->border[i];
    if (lane == 0) {
        g->list[RUN_RESULT][0] = (double)result.done;
        g->list[RUN_RESULT][1] = (double)result.outside;
        g->list[RUN_RESULT][2] = result.end;
    }
}

#endif
