/* cuda/run_rows.h: the rows of a free run (base/run_form.h) in plain C, compiled by CUDA as well.
 *
 * Each row has three parts. A few threads ("lanes") compute its columns in a shared workspace. On a GPU
 * these are one warp of every block, each with its own workspace, so that no block waits for the columns of
 * another. All threads compute the entries of the kernel. A diagonal belongs to one thread and moves one
 * column to the right with every row, so no state is exchanged. The lanes then compute the outputs from sums
 * over all threads.
 *
 * run_kernel.cu runs it on a GPU; tests/support/far_backend.c runs it with one lane on the CPU. */
#ifndef CUDA_RUN_ROWS_H
#define CUDA_RUN_ROWS_H

#include "base/run_form.h"
#include "scan_form.h"

/* Sum of a value over the lanes, bitwise equal in each of them. */
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

/* Arrays in the block of a run, in this order: results first, then inputs. */
typedef enum volt_run_list {
    RUN_BANK,         /* states of the filters */
    RUN_RING,         /* ring_rows x numbers */
    RUN_RESULT,       /* done, outside, end */
    RUN_OUT,          /* rows x q */
    RUN_COEFFICIENTS, /* q x m */
    RUN_X,            /* (memory + rows) x inputs */
    RUN_KNOWN,        /* warm x q */
    RUN_FED,          /* outputs fed back with the first row */
    RUN_COLUMN,       /* volt_column records; none if the columns are the inputs */
    RUN_FILTER,       /* volt_run_filter records; none without filters */
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

/* The data of a run, in one block of numbers (laid out by run_grid.c). */
typedef struct volt_run_grid {
    volt_form_grid grid; /* without rows; its `top` are the diagonals ... */
    double *diagonals;   /* ... states x m: at row t, diagonal p is in column (p + t) mod m */
    double *border;      /* states: against zero rows */
    double *before;      /* numbers x (ring_rows - 1): the rows before the first */
    double *list[RUN_LISTS];
    int64_t model;           /* size of the arrays from RUN_COLUMN on, which every workspace copies */
    int32_t plain, filtered; /* columns are unmodified inputs; filters are used */
    int64_t rows, warm;
    int64_t inputs, input_columns, fed_outputs, q, columns, memory, slices;
    int64_t numbers, ring_rows; /* numbers of a row as the kernel sees it; rows stored */
    int32_t chained, watches, range;
    double scale;
} volt_run_grid;

/* Workspace shared by the lanes. */
typedef struct volt_run_workspace {
    double *ring;  /* ring_rows x numbers: row t is at t mod ring_rows */
    double *model; /* the arrays from RUN_COLUMN on */
    double *x;     /* 2 x inputs: row t is at t mod 2; the other half receives the next row */
    double *column, *bank, *next_bank, *border, *entering, *fresh, *fed_outputs;
} volt_run_workspace;

VOLT_FORM_FUNCTION const double *volt_run_model(const volt_run_grid *g, const volt_run_workspace *workspace,
                                                volt_run_list list)
{
    return workspace->model + (g->list[list] - g->list[RUN_COLUMN]);
}

VOLT_FORM_FUNCTION int64_t volt_run_bank_numbers(const volt_run_grid *g)
{
    return g->filtered ? VOLT_RUN_FILTER_STATES * g->numbers : 0;
}

VOLT_FORM_FUNCTION int64_t volt_run_workspace_numbers(const volt_run_grid *g)
{
    return g->ring_rows * g->numbers + g->model + 2 * g->inputs + g->columns + 2 * volt_run_bank_numbers(g) +
           2 * g->grid.states + g->q + g->fed_outputs;
}

VOLT_FORM_FUNCTION volt_run_workspace volt_run_workspace_in(const volt_run_grid *g, double *memory)
{
    volt_run_workspace workspace;
    workspace.ring = memory;
    workspace.model = workspace.ring + g->ring_rows * g->numbers;
    workspace.x = workspace.model + g->model;
    workspace.column = workspace.x + 2 * g->inputs;
    workspace.bank = workspace.column + g->columns;
    workspace.next_bank = workspace.bank + volt_run_bank_numbers(g);
    workspace.border = workspace.next_bank + volt_run_bank_numbers(g);
    workspace.entering = workspace.border + g->grid.states;
    workspace.fresh = workspace.entering + g->grid.states;
    workspace.fed_outputs = workspace.fresh + g->q;
    return workspace;
}

/* Load the state before the first row. */
VOLT_FORM_FUNCTION void volt_run_begin(const volt_run_grid *g, const volt_run_workspace *workspace,
                                       int64_t lane, int64_t lanes)
{
    int64_t lead = g->ring_rows - 1;
    for (int64_t i = lane; i < lead * g->numbers; i += lanes) {
        int64_t t = i / g->numbers, k = i % g->numbers;
        workspace->ring[(1 + t) * g->numbers + k] = g->before[k * lead + t];
    }
    for (int64_t i = lane; i < g->model; i += lanes)
        workspace->model[i] = g->list[RUN_COLUMN][i];
    for (int64_t i = lane; i < g->inputs; i += lanes)
        workspace->x[i] = g->list[RUN_X][g->memory * g->inputs + i];
    for (int64_t i = lane; i < volt_run_bank_numbers(g); i += lanes)
        workspace->bank[i] = g->list[RUN_BANK][i];
    for (int64_t i = lane; i < g->grid.states; i += lanes)
        workspace->border[i] = g->border[i];
    for (int64_t i = lane; i < g->fed_outputs; i += lanes)
        workspace->fed_outputs[i] = g->list[RUN_FED][i];
}

/* ---- columns ---------------------------------------------------------------------------------- */

VOLT_FORM_FUNCTION double volt_run_input(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t t,
                                         int64_t source, int64_t lag)
{
    if (lag == 0)
        return workspace->x[(t & 1) * g->inputs + source];
    return VOLT_RUN_LOAD(g->list[RUN_X] + (g->memory + t - lag) * g->inputs + source);
}

/* Number i of the given inputs of row t. */
VOLT_FORM_FUNCTION double volt_run_given(const volt_run_grid *g, int64_t t, int64_t i)
{
    return g->list[RUN_X][(g->memory + t) * g->inputs + i];
}

VOLT_FORM_FUNCTION const volt_column *volt_run_column_of(const volt_run_grid *g,
                                                         const volt_run_workspace *workspace, int64_t k)
{
    return (const volt_column *)(const void *)volt_run_model(g, workspace, RUN_COLUMN) + k;
}

VOLT_FORM_FUNCTION double volt_run_column(const volt_run_grid *g, const volt_run_workspace *workspace,
                                          int64_t t, int64_t k)
{
    if (k >= g->input_columns)
        return workspace->fed_outputs[k - g->input_columns];
    if (g->plain)
        return volt_run_input(g, workspace, t, k, 0);
    const volt_column *column = volt_run_column_of(g, workspace, k);
    double value = volt_run_input(g, workspace, t, column->source, column->plus);
    if (column->minus >= 0)
        value -= volt_run_input(g, workspace, t, column->source, column->minus);
    return column->weight * value;
}

/* Number k of slice s after filtering; updates the state of the filter. */
VOLT_FORM_FUNCTION double volt_run_filtered(const volt_run_grid *g, const volt_run_workspace *workspace,
                                            int64_t s, int64_t k)
{
    double value = workspace->column[k];
    if (!g->filtered)
        return value;
    const volt_run_filter *filter =
        (const volt_run_filter *)(const void *)volt_run_model(g, workspace, RUN_FILTER) + s;
    int64_t at = VOLT_RUN_FILTER_STATES * s * g->columns + k;
    const double *was = workspace->bank + at;
    double *next = workspace->next_bank + at;
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

enum { VOLT_RUN_HOST_ROW = 1, VOLT_RUN_COUNTED = 2 };

/* Compute slice s of the row into z; returns flags. */
VOLT_FORM_FUNCTION int volt_run_slice(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t s,
                                      double *z, int64_t lane, int64_t lanes)
{
    double squares = 0;
    for (int64_t k = lane; k < g->columns; k += lanes) {
        z[k] = volt_run_filtered(g, workspace, s, k);
        squares += z[k] * z[k];
    }
    double norm = sqrt(volt_run_sum(squares));
    if (!(norm * norm < INFINITY))
        return VOLT_RUN_HOST_ROW;
    if (norm <= volt_run_model(g, workspace, RUN_LIMIT)[s])
        return 0;
    int ball = (int)volt_run_model(g, workspace, RUN_BALL)[s];
    for (int64_t k = lane; ball == VOLT_OUTSIDE_CLIPPED && k < g->columns; k += lanes)
        z[k] *= volt_run_model(g, workspace, RUN_RADIUS)[s] / norm;
    return ball == VOLT_OUTSIDE_IGNORED ? 0 : ball == VOLT_OUTSIDE_HOST ? VOLT_RUN_HOST_ROW : VOLT_RUN_COUNTED;
}

/* Compute the columns of the row, clipped and scaled; returns flags. */
VOLT_FORM_FUNCTION int volt_run_columns(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t t,
                                        int64_t lane, int64_t lanes)
{
    bool bad = false, held = false;
    for (int64_t k = lane; k < g->columns; k += lanes) {
        double value = volt_run_column(g, workspace, t, k);
        bad = bad || !(fabs(value) < INFINITY);
        if (!g->plain && k < g->input_columns && g->range != VOLT_OUTSIDE_IGNORED) {
            const volt_column *column = volt_run_column_of(g, workspace, k);
            double within = fmin(fmax(value, column->low), column->high);
            held = held || within != value;
            value = within;
        }
        workspace->column[k] = (value - volt_run_model(g, workspace, RUN_SHIFT)[k]) * g->scale;
    }
    bool any_bad = VOLT_RUN_ANY(bad), any_held = VOLT_RUN_ANY(held);
    return any_bad || (any_held && g->range == VOLT_OUTSIDE_HOST) ? VOLT_RUN_HOST_ROW
           : any_held                                             ? VOLT_RUN_COUNTED
                                                                  : 0;
}

/* Advance the border. `entering` receives the state of the diagonal that enters at row t. */
VOLT_FORM_FUNCTION void volt_run_borders(const volt_run_grid *g, const volt_run_workspace *workspace,
                                         const double *z, int64_t lane, int64_t lanes)
{
    for (int64_t f = lane; f < g->grid.form.n_factors; f += lanes) {
        const volt_factor_form *factor = &g->grid.form.factor[f];
        double state[VOLT_FORM_STATE] = {0};
        for (int s = 0; s < factor->state_size; s++)
            workspace->entering[g->grid.state[f] + s] = state[s] = workspace->border[g->grid.state[f] + s];
        volt_form_step(&factor->step,
                       volt_form_lone(g->columns, factor->distance != 0, z + factor->slice * g->columns, 1),
                       state);
        for (int s = 0; s < factor->state_size; s++)
            workspace->border[g->grid.state[f] + s] = state[s];
    }
}

/* Compute row t, at position `slot` of the ring, as the kernel sees it. With VOLT_RUN_HOST_ROW the state is
 * unchanged. */
VOLT_FORM_FUNCTION int volt_run_row(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t t,
                                    int64_t slot, int64_t lane, int64_t lanes)
{
    double *z = workspace->ring + slot * g->numbers;
    int flags = volt_run_columns(g, workspace, t, lane, lanes);
    for (int64_t s = 0; s < g->slices && !(flags & VOLT_RUN_HOST_ROW); s++)
        flags |= volt_run_slice(g, workspace, s, z + s * g->columns, lane, lanes);
    if (flags & VOLT_RUN_HOST_ROW)
        return flags;
    VOLT_RUN_SYNC();
    for (int64_t i = lane; i < volt_run_bank_numbers(g); i += lanes)
        workspace->bank[i] = workspace->next_bank[i];
    volt_run_borders(g, workspace, z, lane, lanes);
    return flags;
}

/* ---- entries ---------------------------------------------------------------------------------- */

/* Sum of the local values over the windows that end in row `slot` of the ring and in column j. */
VOLT_FORM_FUNCTION double volt_run_window(const volt_run_grid *g, const volt_run_workspace *workspace,
                                          const volt_factor_form *factor, int64_t slot, int64_t j)
{
    int64_t d = g->columns, first = volt_form_first_column(&g->grid, j), at = slot;
    const double *y = g->grid.columns + factor->slice * d * g->grid.ld_columns;
    bool distance = factor->distance != 0;
    double sum = 0;
    for (int64_t k = 0; k<factor->window; k++, at = at> 0 ? at - 1 : g->ring_rows - 1) {
        const double *x = workspace->ring + at * g->numbers + factor->slice * d;
        sum += j - k >= first ? volt_form_local(d, distance, x, 1, y + (j - k), g->grid.ld_columns)
                              : volt_form_lone(d, distance, x, 1);
    }
    return sum;
}

/* Factor f of the entry of diagonal p, in column j, at the row in `slot`. `begins`: a record begins with
 * column j. */
VOLT_FORM_FUNCTION double volt_run_factor(const volt_run_grid *g, const volt_run_workspace *workspace, int f,
                                          int64_t slot, int64_t p, int64_t j, bool begins)
{
    const volt_factor_form *factor = &g->grid.form.factor[f];
    double *states = g->diagonals + g->grid.state[f] * g->grid.m + p, state[VOLT_FORM_STATE];
    int64_t d = g->columns;
    for (int s = 0; s < VOLT_FORM_STATE; s++) /* a constant: states stay in registers */
        state[s] = s >= factor->state_size ? 0
                   : begins                ? workspace->entering[g->grid.state[f] + s]
                                           : states[s * g->grid.m];
    double local =
        factor->window > 1
            ? volt_run_window(g, workspace, factor, slot, j)
            : volt_form_local(d, factor->distance != 0, workspace->ring + slot * g->numbers + factor->slice * d,
                              1, g->grid.columns + factor->slice * d * g->grid.ld_columns + j,
                              g->grid.ld_columns);
    double value = volt_form_step(&factor->step, local, state);
    for (int s = 0; s < VOLT_FORM_STATE; s++)
        if (s < factor->state_size)
            states[s * g->grid.m] = state[s];
    return value;
}

VOLT_FORM_FUNCTION double volt_run_entry(const volt_run_grid *g, const volt_run_workspace *workspace,
                                         int64_t slot, int64_t p, int64_t j)
{
    const volt_kernel_form *form = &g->grid.form;
    bool begins = j == volt_form_first_column(&g->grid, j);
    double product = 0, sum = 0;
    for (int f = 0; f < form->n_factors; f++)
        volt_form_join(form, f, volt_run_factor(g, workspace, f, slot, p, j, begins), &product, &sum);
    return sum;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* Output k of row t from the sum over all columns; returns true if the run has left its range. */
VOLT_FORM_FUNCTION bool volt_run_output(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t t,
                                        int64_t k, double sum)
{
    double y =
        volt_run_model(g, workspace, RUN_MEAN)[k] +
        volt_run_model(g, workspace, RUN_DEVIATION)[k] * (sum + volt_run_model(g, workspace, RUN_INTERCEPT)[k]);
    int64_t anchor = (int64_t)volt_run_model(g, workspace, RUN_ANCHOR)[k];
    if (anchor >= 0)
        y += volt_run_input(g, workspace, t, anchor, 0);
    workspace->fresh[k] = y;
    bool left = !(fabs(y) < INFINITY);
    if (g->watches && k < g->fed_outputs && t >= g->warm)
        left = left || !(fabs(y - volt_run_model(g, workspace, RUN_MIDDLE)[k]) <=
                         volt_run_model(g, workspace, RUN_REACH)[k]);
    return left;
}

/* Accept the outputs of row t and feed them back to the next row. `writes`: also store them in the block. */
VOLT_FORM_FUNCTION void volt_run_accept(const volt_run_grid *g, const volt_run_workspace *workspace, int64_t t,
                                        bool writes, int64_t lane, int64_t lanes)
{
    for (int64_t k = lane; k < g->q; k += lanes) {
        double y = workspace->fresh[k];
        if (g->chained)
            workspace->x[((t + 1) & 1) * g->inputs + k] = y;
        if (k < g->fed_outputs)
            workspace->fed_outputs[k] = volt_run_model(g, workspace, RUN_WEIGHT)[k] *
                                        ((t < g->warm ? g->list[RUN_KNOWN][t * g->q + k] : y) -
                                         volt_run_model(g, workspace, RUN_OFFSET)[k]);
        if (writes)
            g->list[RUN_OUT][t * g->q + k] = y;
        if (writes && g->chained && t + 1 < g->rows)
            g->list[RUN_X][(g->memory + t + 1) * g->inputs + k] = y;
    }
}

/* After the last row: copy the lanes' data to the block. */
VOLT_FORM_FUNCTION void volt_run_leave(const volt_run_grid *g, const volt_run_workspace *workspace,
                                       volt_run_result result, int64_t lane, int64_t lanes)
{
    for (int64_t i = lane; i < g->ring_rows * g->numbers; i += lanes)
        g->list[RUN_RING][i] = workspace->ring[i];
    for (int64_t i = lane; i < volt_run_bank_numbers(g); i += lanes)
        g->list[RUN_BANK][i] = workspace->bank[i];
    for (int64_t i = lane; i < g->grid.states; i += lanes)
        g->border[i] = workspace->border[i];
    if (lane == 0) {
        g->list[RUN_RESULT][0] = (double)result.done;
        g->list[RUN_RESULT][1] = (double)result.outside;
        g->list[RUN_RESULT][2] = result.end;
    }
}

#endif
