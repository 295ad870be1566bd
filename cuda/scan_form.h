/* cuda/scan_form.h: the recursion of base/kernel_form.h and the grid it is applied to, in plain C, compiled
 * by CUDA as well.
 *
 * The same functions run on a GPU (scan_kernel.cu) and on the CPU in tests (tests/support/far_backend.c),
 * which compare them with the library's engines. */
#ifndef CUDA_SCAN_FORM_H
#define CUDA_SCAN_FORM_H

#include "base/kernel_form.h"

#include <math.h>

#ifdef __CUDACC__
#define VOLT_FORM_FUNCTION static __host__ __device__ __forceinline__
#else
#define VOLT_FORM_FUNCTION static inline
#endif

/* ---- one step --------------------------------------------------------------------------------- */

/* One step along a diagonal with local value s. */
VOLT_FORM_FUNCTION double volt_form_step(const volt_scan_form *form, double s, double *state)
{
    const double *c = form->number;
    double t, sum;
    switch (form->kind) {
    case VOLT_FORM_GEOMETRIC:
        return state[0] = 1 + c[1] / (1 - c[0] * s) * state[0];
    case VOLT_FORM_EVEN:
        t = c[0] * s;
        return state[0] = 1 + c[1] / (1 - t * t) * state[0];
    case VOLT_FORM_EXP:
        return state[0] = 1 + c[1] * exp(c[0] * s) * state[0];
    case VOLT_FORM_POWERS:
        sum = 1;
        for (int p = 0; p < (int)c[2]; p++)
            sum = 1 + c[0] * s * sum;
        return state[0] = 1 + c[1] * sum * state[0];
    case VOLT_FORM_FIR:
        t = s + c[1] * state[0];
        state[0] = s + c[0] * state[0];
        return t;
    case VOLT_FORM_FADING:
        state[0] = s + c[1] * state[0];
        return exp(-c[0] * state[0]);
    case VOLT_FORM_MEMORY:
        state[0] = s + c[1] * state[0];
        return state[1] = exp(-c[0] * state[0]) + c[2] * state[1];
    case VOLT_FORM_RBF:
        return exp(-c[0] * s);
    case VOLT_FORM_POLY:
        t = sum = c[0] * s + c[1];
        for (int p = 1; p < (int)c[2]; p++)
            sum *= t;
        return sum;
    case VOLT_FORM_SIGMOID:
        return tanh(c[0] * s + c[1]);
    case VOLT_FORM_CAUCHY:
        return 1 / (1 + c[0] * s);
    case VOLT_FORM_LINEAR:
    case VOLT_FORM_NONE:
        break;
    }
    return s;
}

/* ---- the grid --------------------------------------------------------------------------------- */

/* h rows of a sequence against m columns (filled by form_grid.c). Number s of the state of factor f is
 * number state[f] + s of every list of states. */
typedef struct volt_form_grid {
    volt_kernel_form form;
    int32_t state[VOLT_FORM_FACTORS];
    int32_t states;        /* of all factors */
    int32_t same;          /* the rows are columns: only the lower triangle is computed */
    int64_t before;        /* same: the rows are columns before .. before + h - 1 */
    int64_t h, m;          /* rows and columns */
    const double *rows;    /* number k of row i, of all slices, is rows[k * ld_rows + i] ... */
    const double *columns; /* ... and of column j columns[k * ld_columns + j] */
    int64_t ld_rows, ld_columns;
    int64_t lead;             /* rows available before row 0, for windows; zeros before them */
    const int64_t *first;     /* m: the first row of the record of column j; NULL: one record */
    const int64_t *ends;      /* records: the end of each record's columns; NULL: one record ... */
    int64_t records, longest; /* ... and the length of the longest */
    const double *left;       /* states x ld_left: entering row i at the first column of a record */
    const double *top;        /* states x ld_top: entering any other column j at row 0 */
    double *end;              /* states x ld_top: after the last row */
    int64_t ld_left, ld_top;
} volt_form_grid;

VOLT_FORM_FUNCTION int64_t volt_form_first_row(const volt_form_grid *g, int64_t i)
{
    return g->same && g->first ? g->first[g->before + i] - g->before : -g->lead;
}

VOLT_FORM_FUNCTION int64_t volt_form_first_column(const volt_form_grid *g, int64_t j)
{
    return g->first ? g->first[j] : 0;
}

/* Load the state that enters entry (i, j) of factor f, if a diagonal enters the grid or a record begins
 * there. Where a record of the rows begins, the kernel is symmetric: row and column exchange their roles. */
VOLT_FORM_FUNCTION void volt_form_enter(const volt_form_grid *g, int f, int64_t i, int64_t j, double *state)
{
    bool column_begins = j == volt_form_first_column(g, j);
    bool row_begins = g->same && g->first && g->first[g->before + i] == g->before + i;
    int size = g->form.factor[f].state_size;
    for (int s = 0; s < VOLT_FORM_STATE; s++) { /* a constant: states stay in registers */
        if (s >= size)
            break;
        if (column_begins)
            state[s] = g->left[(g->state[f] + s) * g->ld_left + i];
        else if (row_begins)
            state[s] = g->left[(g->state[f] + s) * g->ld_left + j - g->before];
        else if (i == 0)
            state[s] = g->top[(g->state[f] + s) * g->ld_top + j];
    }
}

/* The local value of two rows of d numbers. */
VOLT_FORM_FUNCTION double volt_form_local(int64_t d, bool distance, const double *x, int64_t ld_x,
                                          const double *y, int64_t ld_y)
{
    double sum = 0;
    if (distance)
        for (int64_t k = 0; k < d; k++) {
            double difference = x[k * ld_x] - y[k * ld_y];
            sum += difference * difference;
        }
    else
        for (int64_t k = 0; k < d; k++)
            sum += x[k * ld_x] * y[k * ld_y];
    return sum;
}

/* The local value of a row of zeros and another row. */
VOLT_FORM_FUNCTION double volt_form_lone(int64_t d, bool distance, const double *y, int64_t ld_y)
{
    double sum = 0;
    for (int64_t k = 0; distance && k < d; k++)
        sum += y[k * ld_y] * y[k * ld_y];
    return sum;
}

/* The sum of the local values of factor f over the windows that end in row i and column j. */
VOLT_FORM_FUNCTION double volt_form_window(const volt_form_grid *g, int f, int64_t i, int64_t j)
{
    const volt_factor_form *factor = &g->form.factor[f];
    int64_t d = g->form.d, first_row = volt_form_first_row(g, i), first_column = volt_form_first_column(g, j);
    const double *x = g->rows + factor->slice * d * g->ld_rows;
    const double *y = g->columns + factor->slice * d * g->ld_columns;
    double sum = 0;
    for (int64_t k = 0; k < factor->window && (i - k >= first_row || j - k >= first_column); k++) {
        if (i - k < first_row)
            sum += volt_form_lone(d, factor->distance != 0, y + (j - k), g->ld_columns);
        else if (j - k < first_column)
            sum += volt_form_lone(d, factor->distance != 0, x + (i - k), g->ld_rows);
        else
            sum +=
                volt_form_local(d, factor->distance != 0, x + (i - k), g->ld_rows, y + (j - k), g->ld_columns);
    }
    return sum;
}

/* Combine factors: `product` is the product of the current term, *sum the sum of the previous terms. */
VOLT_FORM_FUNCTION void volt_form_join(const volt_kernel_form *form, int f, double value, double *product,
                                       double *sum)
{
    bool begins = f == 0 || form->factor[f].term != form->factor[f - 1].term;
    bool ends = f + 1 == form->n_factors || form->factor[f].term != form->factor[f + 1].term;
    *product = begins ? value : *product * value;
    if (ends)
        *sum += form->weight[form->factor[f].term] * *product;
}

#endif
