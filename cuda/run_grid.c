/* cuda/run_grid.c: the block of a free run, laid out from a form and a task. */
#include "run_grid.h"

#include <string.h>

enum {
    COLUMN_NUMBERS = sizeof(volt_column) / sizeof(double),
    FILTER_NUMBERS = sizeof(volt_run_filter) / sizeof(double)
};
_Static_assert(sizeof(volt_column) % sizeof(double) == 0, "columns lie among numbers");

static int64_t longest_window(const volt_kernel_form *form)
{
    int64_t longest = 1;
    for (int64_t f = 0; f < form->n_factors; f++)
        if (form->factor[f].window > longest)
            longest = form->factor[f].window;
    return longest;
}

/* A view without rows, for a grid of columns and their initial states. */
static volt_view no_rows(const volt_run_form *form)
{
    return volt_view_of(NULL, 0, form->slices * (form->input_columns + form->fed_outputs));
}

/* ---- layout ----------------------------------------------------------------------------------- */

static void list_numbers(const volt_run_form *form, int64_t m, const volt_run_task *task, int64_t rows,
                         int64_t numbers[RUN_LISTS])
{
    int64_t columns = form->input_columns + form->fed_outputs, seen = form->slices * columns;
    for (int i = RUN_SHIFT; i < RUN_LISTS; i++)
        numbers[i] = i < RUN_LIMIT       ? columns
                     : i < RUN_INTERCEPT ? form->slices
                     : i < RUN_OFFSET    ? form->q
                                         : form->fed_outputs;
    numbers[RUN_BANK] = form->filters ? VOLT_RUN_FILTER_STATES * seen : 0;
    numbers[RUN_RING] = longest_window(&form->kernel) * seen;
    numbers[RUN_RESULT] = 3;
    numbers[RUN_OUT] = rows * form->q;
    numbers[RUN_COEFFICIENTS] = form->q * m;
    numbers[RUN_X] = (form->memory + rows) * form->inputs;
    numbers[RUN_KNOWN] = task->known.rows * form->q;
    numbers[RUN_FED] = form->fed_outputs;
    numbers[RUN_COLUMN] = form->column ? form->input_columns * COLUMN_NUMBERS : 0;
    numbers[RUN_FILTER] = form->filters ? form->slices * FILTER_NUMBERS : 0;
}

/* Offset behind the border, the diagonals and the final states of the grid. */
volt_run_layout volt_run_layout_of(const volt_run_form *form, volt_view Y, const volt_run_task *task,
                                   int64_t rows)
{
    int64_t numbers[RUN_LISTS], states = 0;
    list_numbers(form, Y.rows, task, rows, numbers);
    for (int64_t f = 0; f < form->kernel.n_factors; f++)
        states += form->kernel.factor[f].state_size;
    volt_run_layout layout = {.lists = volt_form_grid_numbers(&form->kernel, no_rows(form), Y)};
    layout.back = layout.lists - states * (2 * Y.rows + 1);
    layout.total = layout.lists;
    for (int i = 0; i < RUN_LISTS; i++) {
        if (i == RUN_COEFFICIENTS)
            layout.back_end = layout.total;
        layout.total += numbers[i];
    }
    return layout;
}

static void place_lists(const volt_run_form *form, const volt_run_task *task, double *at, volt_run_grid *g)
{
    int64_t numbers[RUN_LISTS];
    list_numbers(form, g->grid.m, task, g->rows, numbers);
    for (int i = 0; i < RUN_LISTS; at += numbers[i++])
        g->list[i] = at;
    g->model = at - g->list[RUN_COLUMN];
}

void volt_run_grid_move(volt_run_grid *g, const double *from, double *to)
{
    volt_form_grid_move(&g->grid, from, to);
    g->diagonals = to + (g->diagonals - from);
    g->border = to + (g->border - from);
    g->before = to + (g->before - from);
    for (int i = 0; i < RUN_LISTS; i++)
        g->list[i] = to + (g->list[i] - from);
}

/* ---- there ------------------------------------------------------------------------------------ */

static void copy_numbers(double *to, const double *from, int64_t count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static void copy_rows(double *to, volt_view from)
{
    for (int64_t i = 0; i < from.rows; i++)
        copy_numbers(to + i * from.cols, from.data + i * from.ld, from.cols);
}

static void fill_outputs(const volt_run_form *form, volt_run_grid *g)
{
    copy_numbers(g->list[RUN_INTERCEPT], form->intercept, form->q);
    copy_numbers(g->list[RUN_MEAN], form->mean, form->q);
    copy_numbers(g->list[RUN_DEVIATION], form->deviation, form->q);
    for (int64_t k = 0; k < form->q; k++)
        g->list[RUN_ANCHOR][k] = (double)form->anchor[k];
    copy_numbers(g->list[RUN_OFFSET], form->offset, form->fed_outputs);
    copy_numbers(g->list[RUN_WEIGHT], form->weight, form->fed_outputs);
    copy_numbers(g->list[RUN_MIDDLE], form->middle, form->fed_outputs);
    copy_numbers(g->list[RUN_REACH], form->reach, form->fed_outputs);
}

static void fill_rows(const volt_run_form *form, const volt_run_task *task, volt_run_grid *g)
{
    copy_rows(g->list[RUN_X], task->before);
    copy_rows(g->list[RUN_X] + form->memory * form->inputs, task->X);
    copy_rows(g->list[RUN_KNOWN], task->known);
    copy_numbers(g->list[RUN_FED], task->fed_outputs, form->fed_outputs);
    if (form->column)
        memcpy(g->list[RUN_COLUMN], form->column, (size_t)form->input_columns * sizeof *form->column);
    copy_numbers(g->list[RUN_SHIFT], form->shift, g->columns);
    copy_numbers(g->list[RUN_LIMIT], form->limit, form->slices);
    copy_numbers(g->list[RUN_RADIUS], form->radius, form->slices);
    for (int64_t s = 0; s < form->slices; s++)
        g->list[RUN_BALL][s] = form->ball[s];
    if (!form->filters)
        return;
    memcpy(g->list[RUN_FILTER], form->filters, (size_t)form->slices * sizeof *form->filters);
    copy_numbers(g->list[RUN_BANK], task->bank, volt_run_bank_numbers(g));
}

void volt_run_grid_make(const volt_run_form *form, volt_view Y, volt_view coefficients,
                        const volt_run_task *task, int64_t rows, double *block, volt_run_grid *g)
{
    volt_run_layout layout = volt_run_layout_of(form, Y, task, rows);
    *g = (volt_run_grid){.rows = rows,
                         .warm = task->known.rows,
                         .inputs = form->inputs,
                         .input_columns = form->input_columns,
                         .fed_outputs = form->fed_outputs,
                         .q = form->q,
                         .columns = form->input_columns + form->fed_outputs,
                         .memory = form->memory,
                         .slices = form->slices,
                         .numbers = form->slices * (form->input_columns + form->fed_outputs),
                         .ring_rows = longest_window(&form->kernel),
                         .plain = !form->column,
                         .filtered = form->filters != NULL,
                         .chained = form->chained,
                         .watches = task->watches,
                         .range = form->range,
                         .scale = form->scale};
    memset(block, 0, (size_t)layout.total * sizeof *block);
    volt_form_grid_make(&form->kernel, no_rows(form), Y, task->state, block, &g->grid);
    g->diagonals = block + (g->grid.top - block);
    g->border = block + layout.back;
    g->before = block; /* the grid begins with these rows */
    place_lists(form, task, block + layout.lists, g);
    copy_rows(g->list[RUN_COEFFICIENTS], coefficients);
    fill_rows(form, task, g);
    fill_outputs(form, g);
}

/* ---- and back --------------------------------------------------------------------------------- */

/* After the last row, diagonal p is in column (p + done - 1) mod m. */
static void turn_diagonals(const volt_run_grid *g, int64_t done)
{
    int64_t m = g->grid.m, behind = (done - 1) % m;
    for (int64_t s = 0; s < g->grid.states; s++)
        for (int64_t j = 0; j < m; j++)
            g->grid.end[s * m + j] = g->diagonals[s * m + (j >= behind ? j - behind : j - behind + m)];
}

/* The last rows become the rows before the first. */
static void return_rows(const volt_run_grid *g, int64_t done)
{
    int64_t lead = g->ring_rows - 1;
    for (int64_t t = 0; t < lead; t++) {
        int64_t row = done - lead + t, slot = (row % g->ring_rows + g->ring_rows) % g->ring_rows;
        for (int64_t k = 0; k < g->numbers; k++)
            g->before[k * lead + t] = g->list[RUN_RING][slot * g->numbers + k];
    }
}

void volt_run_grid_take(const volt_run_grid *g, const volt_run_task *task, volt_matrix out,
                        volt_run_result *result)
{
    const double *left = g->list[RUN_RESULT];
    *result = (volt_run_result){
        .done = (int64_t)left[0], .outside = (int64_t)left[1], .end = (volt_run_stop)(int)left[2]};
    for (int64_t i = 0; i < result->done; i++)
        copy_numbers(out.data + i * out.ld, g->list[RUN_OUT] + i * g->q, g->q);
    if (result->done == 0)
        return;
    turn_diagonals(g, result->done);
    return_rows(g, result->done);
    volt_form_grid_state(&g->grid, g->grid.end, task->state);
    if (g->filtered)
        copy_numbers(task->bank, g->list[RUN_BANK], volt_run_bank_numbers(g));
}
