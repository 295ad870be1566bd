/* src/explain/explain_orders.c: the part of each order in the predictions along a sequence.
 *
 * With x0 + e (x - x0) as inputs, the powers of e are the orders (docs/math.md). The kernel recursion
 * carries order + 1 numbers per diagonal. Memory is unlimited, and no Volterra kernel is computed. A zero
 * initial state is expanded as e times the difference from x0 to zero. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"
#include "explain/explain_setup.h"
#include "solve/exact/operator.h"

#include <string.h>

enum { LANES = VOLT_JET_LANES };

/* States of all diagonals, in the layout of volt_explain_columns_at_rest: one array is read and one written per
 * row. */
typedef struct order_walk {
    const explain_setup *setup;
    volt_jet_space space;      /* one variable */
    explain_walker *walkers;   /* one per thread */
    int64_t threads, rows, ld; /* ld: columns, padded for lanes beyond the last */
    double *rest, *before, *after;
    double *moves;   /* (rows + 1) x width: differences of each row, and of zero, from the point */
    double *centres; /* factors x ld: local values of the point against the columns */
    double *slopes;  /* factors x columns of a row x ld: their slopes */
    double *values;  /* (order + 1) x ld: the kernel of one row, by order */
    bool *begins;    /* n: a record starts in this column */
} order_walk;

/* Local values of the point against all columns, and their slopes. */
static void lay_out_columns(order_walk *walk)
{
    const explain_setup *setup = walk->setup;
    int64_t d = setup->columns;
    for (int64_t f = 0; f < setup->kernel.n_factors; f++) {
        const volt_jet_factor *factor = &setup->kernel.factor[f];
        const double *x = setup->point + factor->slice * d;
        for (int64_t j = 0; j < setup->n; j++) {
            const double *w = volt_explain_row(setup, f, j);
            double s[3];
            volt_jet_local(factor, d, x, NULL, w, s);
            walk->centres[f * walk->ld + j] = s[0];
            for (int64_t c = 0; c < d; c++)
                walk->slopes[(f * d + c) * walk->ld + j] = factor->scan->distance ? 2 * (x[c] - w[c]) : w[c];
        }
    }
    for (int64_t j = 0; j < setup->n; j++)
        walk->begins[j] = volt_records_begins(setup->records, j);
}

static volt_status create(const explain_setup *setup, volt_view Z, int order, order_walk *walk)
{
    int64_t numbers = volt_max(setup->kernel.n_states, 1) * (order + 1), row = explain_state_row(setup->n),
            factors = setup->kernel.n_factors;
    *walk = (order_walk){
        .setup = setup, .threads = setup->n < 512 ? 1 : volt_threads(), .rows = Z.rows, .ld = setup->n + LANES};
    VOLT_TRY(volt_jet_space_create(1, order, &walk->space));
    walk->walkers = volt_alloc_zero(walk->threads, sizeof *walk->walkers);
    walk->rest = volt_alloc_zero(numbers * row, sizeof(double));
    walk->before = volt_alloc_zero(numbers * row, sizeof(double));
    walk->after = volt_alloc_zero(numbers * row, sizeof(double));
    walk->moves = volt_alloc_doubles(Z.rows + 1, setup->width);
    walk->centres = volt_alloc_zero(factors * walk->ld, sizeof(double));
    walk->slopes = volt_alloc_zero(factors * setup->columns * walk->ld, sizeof(double));
    walk->values = volt_alloc_zero((order + 1) * walk->ld, sizeof(double));
    walk->begins = volt_alloc_zero(setup->n, sizeof(bool));
    if (!walk->walkers || !walk->rest || !walk->before || !walk->after || !walk->moves || !walk->centres ||
        !walk->slopes || !walk->values || !walk->begins)
        return VOLT_ERR_MEMORY;
    for (int64_t t = 0; t < walk->threads; t++)
        VOLT_TRY(volt_explain_walker_create(setup, &walk->space, &walk->walkers[t]));
    lay_out_columns(walk);
    for (int64_t i = 0; i <= Z.rows; i++)
        for (int64_t k = 0; k < setup->width; k++)
            walk->moves[i * setup->width + k] = (i < Z.rows ? Z.data[i * Z.ld + k] : 0) - setup->point[k];
    return volt_start_threads();
}

static void release(order_walk *walk)
{
    for (int64_t t = 0; walk->walkers && t < walk->threads; t++)
        volt_explain_walker_release(&walk->walkers[t]);
    volt_free(walk->begins);
    volt_free(walk->values);
    volt_free(walk->slopes);
    volt_free(walk->centres);
    volt_free(walk->moves);
    volt_free(walk->after);
    volt_free(walk->before);
    volt_free(walk->rest);
    volt_free(walk->walkers);
    volt_jet_space_release(&walk->space);
}

/* ---- one row against eight columns ------------------------------------------------------------ */

/* Difference of a row of the sequence from the point as passed to factor f. Rows before `begin` are zero. */
static const double *move_of(const order_walk *walk, int64_t f, int64_t row, int64_t begin)
{
    const explain_setup *setup = walk->setup;
    return walk->moves + (row >= begin ? row : walk->rows) * setup->width +
           setup->kernel.factor[f].slice * setup->columns;
}

/* Local value, summed over the window, of `row` in a record that starts at `begin`, against column j; -1:
 * zeros. */
static void sum_window(const order_walk *walk, int64_t f, int64_t row, int64_t begin, int64_t j,
                       double total[3])
{
    const explain_setup *setup = walk->setup;
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    const double *x = setup->point + factor->slice * setup->columns;
    int64_t column_begin = j >= 0 ? volt_records_begin(setup->records, j) : 0;
    int64_t available = volt_min(factor->window, volt_max(row - begin, j - column_begin) + 1);
    double s[3];
    total[0] = total[1] = total[2] = 0;
    for (int64_t k = 0; k <= available && k < factor->window; k++) {
        const double *w = j - k >= column_begin ? volt_explain_row(setup, f, j - k) : NULL;
        volt_jet_local(factor, setup->columns, x, move_of(walk, f, row - k, begin), w, s);
        double times =
            k == available ? (double)(factor->window - available) : 1; /* zeros against zeros from here on */
        for (int p = 0; p < 3; p++)
            total[p] += times * s[p];
    }
}

/* The local values of a row against columns j .. j + count - 1. */
static void set_local(const order_walk *walk, int64_t f, int64_t row, int64_t begin, int64_t j, int64_t count,
                      volt_jet *local)
{
    const explain_setup *setup = walk->setup;
    const volt_jet_factor *factor = &setup->kernel.factor[f];
    volt_lanes s[3] = {{0}};
    int degree = (int)volt_min(walk->space.order, 2);
    if (j < 0 || factor->window > 1) {
        for (int64_t l = 0; l < count; l++) {
            double one[3];
            sum_window(walk, f, row, begin, j + l, one);
            for (int p = 0; p < 3; p++)
                s[p][l] = one[p];
        }
    } else {
        const double *move = move_of(walk, f, row, begin), *centres = walk->centres + f * walk->ld + j;
        double square = 0;
        memcpy(s[0], centres, sizeof s[0]);
        for (int64_t c = 0; c < setup->columns; c++) {
            const double *slopes = walk->slopes + (f * setup->columns + c) * walk->ld + j;
            for (int l = 0; l < LANES; l++)
                s[1][l] += move[c] * slopes[l];
            square += move[c] * move[c];
        }
        for (int l = 0; factor->scan->distance && l < LANES; l++)
            s[2][l] = square;
    }
    memcpy(local->c, s, (size_t)(degree + 1) * sizeof s[0]);
    local->first = 0;
    local->end = 1;
    local->degree = degree;
}

/* States of factor f before columns j and later: those of the diagonals to their left, reset at each record. */
static void load(const order_walk *walk, const volt_jet_factor *factor, int64_t j, int64_t count,
                 volt_jet *states)
{
    int64_t orders = walk->space.order + 1, row = explain_state_row(walk->setup->n);
    for (int64_t s = factor->state; s < factor->state + factor->scan->state_size; s++) {
        for (int p = 0; p < orders; p++) {
            const double *from = walk->before + (s * orders + p) * row;
            double *to = states[s].c + p * LANES;
            memcpy(to, from + volt_max(j, 0), sizeof(volt_lanes));
            for (int64_t l = 0; l < count && j >= 0; l++)
                to[l] = walk->begins[j + l] ? from[0] : to[l];
        }
        states[s].first = 0;
        states[s].end = 1;
        states[s].degree = walk->space.order;
    }
}

static void save(const order_walk *walk, const volt_jet_factor *factor, int64_t j, int64_t count,
                 const volt_jet *states)
{
    int64_t orders = walk->space.order + 1, row = explain_state_row(walk->setup->n);
    for (int64_t s = factor->state; s < factor->state + factor->scan->state_size; s++)
        for (int p = 0; p < orders; p++) {
            double *to = walk->after + (s * orders + p) * row + j + 1;
            for (int64_t l = 0; l < count; l++)
                to[l] = p <= states[s].degree ? states[s].c[p * LANES + l] : 0;
        }
}

/* Columns j .. j + count - 1 of one row. Column -1 is a zero history, which has only states. */
static void step(const order_walk *walk, int64_t row, int64_t begin, int64_t j, int64_t count,
                 explain_walker *walker)
{
    const explain_setup *setup = walk->setup;
    for (int64_t f = 0; f < setup->kernel.n_factors; f++) {
        const volt_jet_factor *factor = &setup->kernel.factor[f];
        set_local(walk, f, row, begin, j, count, walker->local);
        load(walk, factor, j, count, walker->states);
        factor->series->step(factor->scan, &walker->workspace, walker->local, walker->states + factor->state,
                             &walker->values[f]);
        save(walk, factor, j, count, walker->states);
    }
    if (j < 0)
        return;
    volt_jet_join(&setup->kernel, &walker->workspace, walker->values, walker->out);
    for (int p = 0; p <= walk->space.order; p++)
        memcpy(walk->values + p * walk->ld + j, walker->out->c + p * LANES, sizeof(volt_lanes));
}

/* ---- all rows --------------------------------------------------------------------------------- */

/* Computes the kernel of `row` against all columns, by order, in walk->values. */
static void walk_row(order_walk *walk, int64_t row, int64_t begin)
{
    int64_t n = walk->setup->n, blocks = (n + LANES - 1) / LANES;
    if (row == begin)
        memcpy(walk->before, walk->rest,
               (size_t)(walk->setup->kernel.n_states * (walk->space.order + 1) * explain_state_row(n)) *
                   sizeof(double));
#pragma omp parallel for schedule(static) num_threads((int)walk->threads) if (walk->threads > 1)
    for (int64_t b = 0; b < blocks; b++)
        step(walk, row, begin, b * LANES, volt_min(LANES, n - b * LANES), &walk->walkers[omp_get_thread_num()]);
    step(walk, row, begin, -1, 1, &walk->walkers[0]);
    double *kept = walk->before;
    walk->before = walk->after;
    walk->after = kept;
}

static void walk_rows(order_walk *walk, const volt_records *records, volt_stage *stage, double *parts)
{
    const volt_model *model = walk->setup->model;
    int64_t n = walk->setup->n, q = model->q, orders = walk->space.order + 1;
    volt_explain_columns_at_rest(walk->setup, &walk->space, walk->moves + walk->rows * walk->setup->width,
                                 &walk->walkers[0], walk->rest);
    for (int64_t i = 0; i < walk->rows && volt_stage_advance(stage, 1); i++) {
        walk_row(walk, i, volt_records_begin(records, i));
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)orders, (volt_blas_int)q,
                    (volt_blas_int)n, 1, walk->values, (volt_blas_int)walk->ld, model->coefficients,
                    (volt_blas_int)q, 0, parts + i * (orders + 1) * q, (volt_blas_int)q);
    }
}

volt_status volt_explain_whole(const explain_setup *setup, volt_view Z, const volt_records *records,
                               volt_stage *stage, volt_matrix f)
{
    const volt_model *model = setup->model;
    const volt_backend *backend = volt_backend_current();
    int64_t most = volt_block_rows(Z.rows, setup->n);
    double *block = backend->alloc(most, setup->n);
    volt_state *kernel_state = NULL;
    volt_status status =
        block ? volt_state_create(&model->resolved, model->columns, most, &kernel_state) : VOLT_ERR_MEMORY;
    volt_view A = volt_view_of(model->coefficients, model->n, model->q);
    for (int64_t first = 0, count = 0; status == VOLT_OK && first < Z.rows && volt_stage_poll(stage);
         first += count) {
        count = volt_min(most, volt_records_segment_end(records, first, Z.rows) - first);
        if (first > 0 && volt_records_begins(records, first))
            volt_state_zero(kernel_state);
        volt_matrix K = volt_matrix_of(block, count, setup->n);
        status = volt_state_advance_at(backend, kernel_state, volt_view_rows(Z, first, count), false, false, K,
                                       NULL);
        if (status == VOLT_OK)
            backend->gemm(volt_as_view(K), false, A, NULL, false, volt_matrix_rows(f, first, count));
        if (status == VOLT_OK)
            status = volt_backend_state(backend);
    }
    volt_state_free(kernel_state);
    backend->release(block);
    return status;
}

volt_status volt_explain_orders(const explain_setup *setup, volt_view Z, const volt_records *records, int order,
                                volt_stage *stage, double *parts)
{
    order_walk walk = {0};
    volt_status status = create(setup, Z, order, &walk);
    if (status == VOLT_OK)
        walk_rows(&walk, records, stage, parts);
    release(&walk);
    volt_matrix f = {parts + (order + 1) * setup->model->q, Z.rows, setup->model->q,
                     (order + 2) * setup->model->q};
    if (status == VOLT_OK)
        status = volt_explain_whole(setup, Z, records, stage, f);
    return status;
}
