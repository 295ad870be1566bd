/* cuda/form_grid.c: the grid of a kernel form, laid out from rows, columns and an initial state. */
#include "form_grid.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t count_slices(const volt_kernel_form *form)
{
    int64_t slices = 1;
    for (int64_t f = 0; f < form->n_factors; f++)
        if (form->factor[f].slice >= slices)
            slices = form->factor[f].slice + 1;
    return slices;
}

static int32_t count_states(const volt_kernel_form *form)
{
    int32_t states = 0;
    for (int64_t f = 0; f < form->n_factors; f++)
        states += form->factor[f].state_size;
    return states;
}

/* Number of rows before the first one that a window covers. */
static int64_t longest_lead(const volt_kernel_form *form)
{
    int64_t lead = 0;
    for (int64_t f = 0; f < form->n_factors; f++)
        if (form->factor[f].window - 1 > lead)
            lead = form->factor[f].window - 1;
    return lead;
}

/* Number of records covered by m columns, and the first row and the end of one of them. */
static int64_t count_records(const volt_kernel_form *form, int64_t m)
{
    int64_t records = 1;
    while (records < form->n_records && form->ends[records - 1] < m)
        records++;
    return records;
}

static int64_t record_begin(const volt_kernel_form *form, int64_t r)
{
    return r > 0 ? form->ends[r - 1] : 0;
}

static int64_t record_end(const volt_kernel_form *form, int64_t r, int64_t m)
{
    return form->n_records > 0 ? least(form->ends[r], m) : m;
}

/* Length of the state of factor f against `columns` columns. */
static int64_t state_length(const volt_kernel_form *form, int64_t f, int64_t columns)
{
    const volt_factor_form *factor = &form->factor[f];
    return factor->window > 1 ? (factor->window - 1) * form->d : factor->state_size * (columns + 1);
}

/* ---- block ------------------------------------------------------------------------------------ */

/* Offsets of the parts of the block. */
typedef struct layout {
    int64_t rows, columns, first, ends, left, border, top, end, total;
    int64_t lead, ld_rows;
} layout;

static layout lay_out(const volt_kernel_form *form, int64_t h, int64_t m, bool same)
{
    int64_t numbers = count_slices(form) * form->d, states = count_states(form);
    layout at = {.lead = same ? 0 : longest_lead(form)};
    at.ld_rows = h + at.lead;
    at.columns = at.rows + numbers * at.ld_rows;
    at.first = at.columns + (same ? 0 : numbers * m);
    at.ends = at.first + (form->n_records > 0 ? m : 0);
    at.left = at.ends + (form->n_records > 0 ? count_records(form, m) : 0);
    at.border = at.left + states * h;
    at.top = at.border + states;
    at.end = at.top + (same ? 0 : states * m);
    at.total = at.end + states * m;
    return at;
}

int64_t volt_form_grid_numbers(const volt_kernel_form *form, volt_view Z, volt_view Y)
{
    return lay_out(form, Z.rows, Y.data ? Y.rows : Z.rows, !Y.data).total;
}

/* Copies the rows of Z, transposed, from row `lead` on. */
static void transpose(volt_view Z, int64_t lead, int64_t ld, double *to)
{
    for (int64_t t = 0; t < Z.rows; t++)
        for (int64_t k = 0; k < Z.cols; k++)
            to[k * ld + lead + t] = Z.data[t * Z.ld + k];
}

/* Find the first row of the record of each column, and the end of each record. */
static void find_records(volt_form_grid *grid, int64_t *first, int64_t *ends)
{
    const volt_kernel_form *form = &grid->form;
    grid->records = count_records(form, grid->m);
    grid->longest = 0;
    for (int64_t r = 0; r < grid->records; r++) {
        int64_t begin = record_begin(form, r);
        ends[r] = record_end(form, r, grid->m);
        for (int64_t j = begin; j < ends[r]; j++)
            first[j] = begin;
        if (ends[r] - begin > grid->longest)
            grid->longest = ends[r] - begin;
    }
    grid->first = first;
    grid->ends = ends;
}

/* ---- states ----------------------------------------------------------------------------------- */

/* Walk down the left border from a zero initial state: states that enter each row, and `border` after the
 * last row. */
static void walk_border(const volt_form_grid *grid, volt_view Z, int f, double *border, double *left)
{
    const volt_factor_form *factor = &grid->form.factor[f];
    int64_t d = grid->form.d;
    double state[VOLT_FORM_STATE] = {0};
    for (int s = 0; s < factor->state_size; s++)
        state[s] = border[grid->state[f] + s];
    for (int64_t i = 0; i < Z.rows; i++) {
        if (grid->same && grid->first && grid->first[i] == i)
            memcpy(state, factor->start, sizeof state);
        for (int s = 0; s < factor->state_size; s++)
            left[(grid->state[f] + s) * grid->ld_left + i] = state[s];
        double local = volt_form_lone(d, factor->distance != 0, Z.data + i * Z.ld + factor->slice * d, 1);
        volt_form_step(&factor->step, local, state);
    }
    for (int s = 0; s < factor->state_size; s++)
        border[grid->state[f] + s] = state[s];
}

/* Copy a state, stored factor by factor within each record. The state against column j - 1 becomes the state
 * that enters column j along the diagonal. Rows covered by windows and the border are copied as well. */
static void take_state(const volt_form_grid *grid, const layout *at, const double *state, double *block)
{
    const volt_kernel_form *form = &grid->form;
    for (int64_t r = 0; r < count_records(form, grid->m); r++) {
        int64_t begin = record_begin(form, r), columns = record_end(form, r, grid->m) - begin;
        for (int64_t f = 0; f < form->n_factors; state += state_length(form, f, columns), f++) {
            const volt_factor_form *factor = &form->factor[f];
            if (factor->window > 1) {
                double *rows = block + at->rows + factor->slice * form->d * at->ld_rows + at->lead;
                for (int64_t t = 0; t < factor->window - 1; t++)
                    for (int64_t k = 0; k < form->d; k++)
                        rows[k * at->ld_rows + t - (factor->window - 1)] = state[t * form->d + k];
                continue;
            }
            for (int s = 0; s < factor->state_size; s++) {
                double *top = block + at->top + (grid->state[f] + s) * grid->m + begin;
                for (int64_t j = 1; j < columns; j++)
                    top[j] = state[s * columns + j - 1];
                block[at->border + grid->state[f] + s] = state[factor->state_size * columns + s];
            }
        }
    }
}

void volt_form_grid_make(const volt_kernel_form *form, volt_view Z, volt_view Y, const double *state,
                         double *block, volt_form_grid *grid)
{
    bool same = !Y.data;
    layout at = lay_out(form, Z.rows, same ? Z.rows : Y.rows, same);
    *grid = (volt_form_grid){.form = *form,
                             .states = count_states(form),
                             .same = same,
                             .h = Z.rows,
                             .m = same ? Z.rows : Y.rows,
                             .rows = block + at.rows + at.lead,
                             .columns = block + (same ? at.rows : at.columns),
                             .ld_rows = at.ld_rows,
                             .ld_columns = same ? at.ld_rows : Y.rows,
                             .lead = at.lead,
                             .records = 1,
                             .longest = same ? Z.rows : Y.rows,
                             .left = block + at.left,
                             .top = block + (same ? at.left : at.top),
                             .end = block + at.end,
                             .ld_left = Z.rows,
                             .ld_top = same ? Z.rows : Y.rows};
    memset(block, 0, (size_t)at.total * sizeof *block);
    for (int32_t f = 0, states = 0; f < form->n_factors; states += form->factor[f++].state_size)
        grid->state[f] = states;
    transpose(Z, at.lead, at.ld_rows, block + at.rows);
    if (!same)
        transpose(Y, 0, Y.rows, block + at.columns);
    if (form->n_records > 0)
        find_records(grid, (int64_t *)(void *)(block + at.first), (int64_t *)(void *)(block + at.ends));
    for (int64_t f = 0; same && f < form->n_factors; f++)
        memcpy(block + at.border + grid->state[f], form->factor[f].start,
               (size_t)form->factor[f].state_size * sizeof(double));
    if (!same)
        take_state(grid, &at, state, block);
    for (int f = 0; f < form->n_factors; f++)
        walk_border(grid, Z, f, block + at.border, block + at.left);
}

volt_form_grid volt_form_grid_rows(const volt_form_grid *grid, int64_t first, int64_t count,
                                   const double *carried, double *end)
{
    volt_form_grid rows = *grid;
    rows.before = rows.lead = first;
    rows.h = count;
    rows.m = first + count;
    rows.rows = grid->rows + first;
    rows.left = grid->left + first;
    rows.top = carried - 1; /* column 0 has no predecessor and is never read */
    rows.end = end;
    return rows;
}

void volt_form_grid_move(volt_form_grid *grid, const double *from, double *to)
{
    grid->rows = to + (grid->rows - from);
    grid->columns = to + (grid->columns - from);
    grid->left = to + (grid->left - from);
    grid->top = to + (grid->top - from);
    grid->end = to + (grid->end - from);
    if (grid->first) {
        grid->first = (const int64_t *)(const void *)(to + ((const double *)(const void *)grid->first - from));
        grid->ends = (const int64_t *)(const void *)(to + ((const double *)(const void *)grid->ends - from));
    }
}

/* ---- the final state -------------------------------------------------------------------------- */

/* The last window - 1 rows of factor f, with zeros before the first row of its record. */
static void last_rows(const volt_form_grid *grid, int64_t f, double *state)
{
    const volt_factor_form *factor = &grid->form.factor[f];
    int64_t d = grid->form.d, kept = factor->window - 1, first = volt_form_first_row(grid, grid->h - 1);
    const double *rows = grid->rows + factor->slice * d * grid->ld_rows;
    for (int64_t t = 0; t < kept; t++)
        for (int64_t k = 0; k < d; k++) {
            int64_t i = grid->h - kept + t;
            state[t * d + k] = i < first ? 0 : rows[k * grid->ld_rows + i];
        }
}

void volt_form_grid_state(const volt_form_grid *grid, const double *end, double *state)
{
    const volt_kernel_form *form = &grid->form;
    const double *border = grid->left + grid->states * grid->h; /* the border follows `left` */
    for (int64_t r = 0; r < count_records(form, grid->m); r++) {
        int64_t begin = record_begin(form, r), columns = record_end(form, r, grid->m) - begin;
        for (int64_t f = 0; f < form->n_factors; state += state_length(form, f, columns), f++) {
            int32_t size = form->factor[f].state_size;
            if (form->factor[f].window > 1)
                last_rows(grid, f, state);
            else
                for (int s = 0; s < size; s++) {
                    memcpy(state + s * columns, end + (grid->state[f] + s) * grid->m + begin,
                           (size_t)columns * sizeof *state);
                    state[size * columns + s] = border[grid->state[f] + s];
                }
        }
    }
}
