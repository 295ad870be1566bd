/* src/kernel/filter.h: linear filters between the inputs and the factors of a kernel.
 *
 * For every channel, from a stationary state for the inputs before the first row, zero by default (docs/math.md):
 *
 *     pole p         v_t = p v_{t-1} + (1 - |p|) x_t                                               |p| < 1
 *     pair r, a      w_t = 2 r cos(pi a) w_{t-1} - r^2 w_{t-2} + (1 - 2 r cos(pi a) + r^2) v_t     0 <= r < 1, 0 <= a <= 1
 *     echo s         u_t = w_t + s u_{t-1}                                                         of the kernel fir
 *
 * A bank maps a row x (d numbers) to a row with a slice of d numbers for each of its filters. */
#ifndef KERNEL_FILTER_H
#define KERNEL_FILTER_H

#include "kernel/past.h"
#include "volterra/base.h"

#include <stdbool.h>

typedef struct volt_filter {
    double pole, pair, angle, echo; /* all 0: no filter */
} volt_filter;

enum { VOLT_FILTER_PARAMETERS = 3 }; /* pole, pair, angle, in this order */

bool volt_filter_is_none(const volt_filter *filter);
bool volt_filter_is(const volt_filter *first, const volt_filter *second);

/* 2 r cos(pi a) of its pair. */
double volt_filter_turn(const volt_filter *filter);

typedef struct volt_filter_bank {
    const volt_filter *filters; /* n filters ... */
    const volt_past *past;      /* ... and the inputs before a sequence, which outlive the bank; NULL: zero */
    int64_t n, d;
    double *state; /* volt_filter_bank_length numbers */
} volt_filter_bank;

/* Creates a bank at the start of a sequence. A zeroed bank needs no release. */
volt_status volt_filter_bank_create(const volt_filter *filters, int64_t n, int64_t d, const volt_past *past,
                                    volt_filter_bank *bank);
void volt_filter_bank_release(volt_filter_bank *bank);
int64_t volt_filter_bank_length(int64_t n, int64_t d);
/* Starts another sequence. */
void volt_filter_bank_reset(volt_filter_bank *bank);

/* Filters the next row x into `out` (n d numbers). */
void volt_filter_bank_row(volt_filter_bank *bank, const double *x, double *out);

/* Filters all rows of X, one sequence, into `out` (X.rows x n d, contiguous). VOLT_ERR_MEMORY. */
volt_status volt_filter_rows(const volt_filter *filters, int64_t n, const volt_past *past, volt_view X,
                             double *out);

/* The stationary gain: the output for a constant input of 1. */
double volt_filter_gain(const volt_filter *filter);

/* Reconstructs the input rows of one sequence from `filtered` into `out` (filtered.rows x cols, contiguous). */
void volt_filter_undo(const volt_filter *filter, volt_view filtered, double *out);

#endif
