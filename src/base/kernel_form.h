/* src/base/kernel_form.h: a kernel as numbers alone, for back ends that cannot call its functions.
 *
 * A kernel that runs down diagonals (kernel/kernel_entry.h) is a step: the local value of two rows and the state of the
 * diagonal give an entry and the next state. Here the step is a kind and its numbers; cuda/scan_form.h computes them.
 * Plain data, for C and C++. */
#ifndef BASE_KERNEL_FORM_H
#define BASE_KERNEL_FORM_H

#include <stdint.h>

enum { VOLT_FORM_FACTORS = 16, VOLT_FORM_STATE = 3, VOLT_FORM_NUMBERS = 3 };

/* What a step computes from the local value s and the state (a, b), and its numbers in order; first the entry. */
typedef enum volt_form_kind {
    VOLT_FORM_NONE,      /* no form is known */
    VOLT_FORM_GEOMETRIC, /* tau^2, lambda^2:         a <- 1 + lambda^2 a / (1 - tau^2 s),             a */
    VOLT_FORM_EVEN,      /* tau^2, lambda^2:         a <- 1 + lambda^2 a / (1 - (tau^2 s)^2),         a */
    VOLT_FORM_EXP,       /* rate, lambda^2:          a <- 1 + lambda^2 a exp(rate s),                 a */
    VOLT_FORM_POWERS,    /* tau^2, lambda^2, degree: a <- 1 + lambda^2 a (1 + ... + (tau^2 s)^degree), a */
    VOLT_FORM_FIR, /* mu, rest:                s + rest a,                                      a <- s + mu a */
    VOLT_FORM_FADING, /* gamma, rho:              a <- s + rho a,                                  exp(-gamma a) */
    VOLT_FORM_MEMORY,  /* gamma, rho, mu:          a <- s + rho a, b <- exp(-gamma a) + mu b,       b */
    VOLT_FORM_LINEAR,  /*                          s */
    VOLT_FORM_RBF,     /* gamma:                   exp(-gamma s) */
    VOLT_FORM_POLY,    /* gamma, coef0, degree:    (gamma s + coef0)^degree */
    VOLT_FORM_SIGMOID, /* gamma, coef0:            tanh(gamma s + coef0) */
    VOLT_FORM_CAUCHY,  /* gamma:                   1 / (1 + gamma s) */
} volt_form_kind;

typedef struct volt_scan_form {
    volt_form_kind kind;
    double number[VOLT_FORM_NUMBERS];
} volt_scan_form;

typedef struct volt_factor_form {
    volt_scan_form step;
    int32_t distance;   /* local values are |x - y|^2; otherwise <x, y> */
    int32_t state_size; /* numbers of state; none where the local value is summed over a window of ... */
    int64_t window;     /* ... so many rows, with zeros before the first of a record; else 1 */
    double start[VOLT_FORM_STATE]; /* the state of a zero past against a zero past */
    int64_t slice;                 /* of a row that it sees: numbers slice * d .. slice * d + d - 1 */
    int64_t term;                  /* that it belongs to: they do not fall */
} volt_factor_form;

/* K = sum over terms of weight times the product of their factors. */
typedef struct volt_kernel_form {
    int64_t n_factors, d;
    volt_factor_form factor[VOLT_FORM_FACTORS];
    double weight[VOLT_FORM_FACTORS]; /* of term t */
    int64_t n_records;                /* of the columns; 0: one sequence ... */
    const int64_t *ends; /* ... the row behind the last of each, which may lie behind the columns */
} volt_kernel_form;

#endif
