/* src/kernel/filter.c: filters of the inputs, row by row. */
#include "kernel/filter.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel_entry.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STATES = 4 }; /* v_{t-1}, w_{t-1}, w_{t-2}, u_{t-1} */

bool volt_filter_is_none(const volt_filter *filter)
{
    return filter->pole == 0 && filter->pair == 0 && filter->echo == 0;
}

bool volt_filter_is(const volt_filter *first, const volt_filter *second)
{
    return first->pole == second->pole && first->pair == second->pair && first->angle == second->angle &&
           first->echo == second->echo;
}

int64_t volt_filter_bank_length(int64_t n, int64_t d)
{
    return STATES * n * d;
}

volt_status volt_filter_bank_create(const volt_filter *filters, int64_t n, int64_t d, const volt_past *past,
                                    volt_filter_bank *bank)
{
    assert(filters || n == 0);
    *bank = (volt_filter_bank){.filters = filters, .past = past, .n = n, .d = d};
    bank->state = volt_alloc_zero(volt_filter_bank_length(n, d), sizeof(double));
    if (!bank->state)
        return VOLT_ERR_MEMORY;
    volt_filter_bank_reset(bank);
    return VOLT_OK;
}

void volt_filter_bank_release(volt_filter_bank *bank)
{
    volt_free(bank->state);
    bank->state = NULL;
}

/* The state after constant inputs x. */
static void settle(volt_filter_bank *bank, const double *x)
{
    for (int64_t s = 0; s < bank->n; s++) {
        const volt_filter *filter = &bank->filters[s];
        double *v = bank->state + s * STATES * bank->d;
        for (int64_t k = 0; k < bank->d; k++) {
            double value = filter->pole != 0 ? x[k] * (1 - fabs(filter->pole)) / (1 - filter->pole) : x[k];
            v[k] = v[bank->d + k] = v[2 * bank->d + k] = value; /* a pair has gain 1 */
            v[3 * bank->d + k] = value / (1 - filter->echo);
        }
    }
}

void volt_filter_bank_reset(volt_filter_bank *bank)
{
    memset(bank->state, 0, (size_t)volt_filter_bank_length(bank->n, bank->d) * sizeof(double));
    if (bank->past && bank->past->kind == VOLT_PAST_FIRST)
        bank->state[0] = VOLT_UNBEGUN;
    else if (bank->past && bank->past->input)
        settle(bank, bank->past->input);
}

double volt_filter_turn(const volt_filter *filter)
{
    static const double pi = 3.14159265358979323846264338327950288;
    return 2 * filter->pair * cos(pi * filter->angle);
}

static void filter_row(const volt_filter *filter, int64_t d, const double *x, double *state, double *out)
{
    double *v = state, *w = state + d, *older = state + 2 * d, *u = state + 3 * d;
    double p = filter->pole, r = filter->pair, turn = volt_filter_turn(filter);
    for (int64_t k = 0; k < d; k++) {
        double value = x[k];
        if (p != 0)
            value = v[k] = p * v[k] + (1 - fabs(p)) * value;
        if (r != 0) {
            value = turn * w[k] - r * r * older[k] + (1 - turn + r * r) * value;
            older[k] = w[k];
            w[k] = value;
        }
        if (filter->echo != 0)
            value = u[k] = value + filter->echo * u[k];
        out[k] = value;
    }
}

void volt_filter_bank_row(volt_filter_bank *bank, const double *x, double *out)
{
    if (bank->past && bank->past->kind == VOLT_PAST_FIRST && bank->state[0] == VOLT_UNBEGUN)
        settle(bank, x);
    for (int64_t s = 0; s < bank->n; s++)
        filter_row(&bank->filters[s], bank->d, x, bank->state + s * STATES * bank->d, out + s * bank->d);
}

volt_status volt_filter_rows(const volt_filter *filters, int64_t n, const volt_past *past, volt_view X,
                             double *out)
{
    volt_filter_bank bank;
    volt_status status = volt_filter_bank_create(filters, n, X.cols, past, &bank);
    for (int64_t i = 0; status == VOLT_OK && i < X.rows; i++)
        volt_filter_bank_row(&bank, X.data + i * X.ld, out + i * n * X.cols);
    volt_filter_bank_release(&bank);
    return status;
}

double volt_filter_gain(const volt_filter *filter)
{
    return (1 - fabs(filter->pole)) / (1 - filter->pole) / (1 - filter->echo); /* a pair has gain 1 */
}

/* The recursions of filter_row in reverse: echo, pair, pole. */
void volt_filter_undo(const volt_filter *filter, volt_view filtered, double *out)
{
    double p = filter->pole, r = filter->pair, turn = volt_filter_turn(filter);
    for (int64_t k = 0; k < filtered.cols; k++) {
        double u = 0, v = 0, w = 0, older = 0;
        for (int64_t i = 0; i < filtered.rows; i++) {
            double value = filtered.data[i * filtered.ld + k] - filter->echo * u, before = value;
            u = filtered.data[i * filtered.ld + k];
            value = (value - turn * w + r * r * older) / (1 - turn + r * r);
            older = w;
            w = before;
            before = value;
            value = (value - p * v) / (1 - fabs(p));
            v = before;
            out[i * filtered.cols + k] = value;
        }
    }
}

/* ---- filtered rows of a sequence --------------------------------------------------------------- */

/* Filters each record separately. */
static volt_status filter_records(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, double *filtered)
{
    int64_t slices = volt_kernel_slices(kernel);
    for (int64_t i = 0, end = 0; i < X.rows; i = end) {
        end = volt_records_segment_end(records, first + i, first + X.rows) - first;
        VOLT_TRY(volt_filter_rows(kernel->filters, slices, &kernel->past, volt_view_rows(X, i, end - i),
                                  filtered + i * slices * X.cols));
    }
    return VOLT_OK;
}

volt_status volt_sliced_rows_make(const volt_kernel *kernel, volt_view X, const volt_records *records,
                                  int64_t first, const char *name, volt_sliced_rows *sliced)
{
    int64_t slices = volt_kernel_slices(kernel);
    volt_extent given; /* report a value that is not finite as it was given */
    *sliced = (volt_sliced_rows){.rows = X};
    VOLT_TRY(volt_extent_of(X, name, &given));
    if (volt_kernel_filters(kernel)) {
        sliced->filtered = volt_alloc_doubles(X.rows, slices * X.cols);
        if (!sliced->filtered)
            return VOLT_ERR_MEMORY;
        VOLT_TRY(filter_records(kernel, X, records, first, sliced->filtered));
        sliced->rows = volt_view_of(sliced->filtered, X.rows, slices * X.cols);
    }
    if (slices > 1 || sliced->filtered)
        return volt_extents_of(sliced->rows, slices, name, sliced->extents);
    sliced->extents[0] = given;
    return VOLT_OK;
}

void volt_sliced_rows_release(volt_sliced_rows *sliced)
{
    volt_free(sliced->filtered);
    sliced->filtered = NULL;
}
