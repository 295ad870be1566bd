/* src/base/kernel_form.h: the numeric form of a kernel, for back ends that cannot call its functions.
 *
 * A kernel computed along diagonals (kernel/kernel_entry.h) is defined by a step: the local value of two rows
 * and the state of the diagonal determine an entry and the next state. A form is the kind of step and its
 * parameters; cuda/scan_form.h evaluates them. Plain data, for C and C++. */
#ifndef BASE_KERNEL_FORM_H
#define BASE_KERNEL_FORM_H

#include <stdint.h>

enum { VOLT_FORM_FACTORS = 16, VOLT_FORM_STATE = 3, VOLT_FORM_NUMBERS = 3 };

/* Kinds of steps, from the local value s and the state (a, b). Each comment lists the parameters, then the
 * operations in order; the expression without an assignment is the entry. */
typedef enum volt_form_kind {
    VOLT_FORM_NONE,      /* no numeric form */
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
    int32_t distance;              /* local values are |x - y|^2; otherwise <x, y> */
    int32_t state_size;            /* numbers of state; 0 where the local value is summed over a window */
    int64_t window;                /* rows of the window, with zeros before the first row of a record; else 1 */
    double start[VOLT_FORM_STATE]; /* the state of two zero sequences */
    int64_t slice;                 /* part of a row it uses: numbers slice * d .. slice * d + d - 1 */
    int64_t term;                  /* the term it belongs to, non-decreasing */
} volt_factor_form;

/* K = sum over terms of weight times the product of their factors. */
typedef struct volt_kernel_form {
    int64_t n_factors, d;
    volt_factor_form factor[VOLT_FORM_FACTORS];
    double weight[VOLT_FORM_FACTORS]; /* of term t */
    int64_t n_records;                /* of the columns; 0: one sequence ... */
    const int64_t *ends;              /* the row after the last of each, possibly beyond the columns */
} volt_kernel_form;

/* Numbers of state of a diagonal, of all factors. */
static inline int64_t volt_form_states(const volt_kernel_form *form)
{
    int64_t states = 0;
    for (int64_t f = 0; f < form->n_factors; f++)
        states += form->factor[f].state_size;
    return states;
}

#endif
