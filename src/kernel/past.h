/* src/kernel/past.h: the inputs before the first row of a sequence: one constant input (docs/math.md, "Initial
 * input").
 *
 * The kernel of two constant sequences is a fixed point of the recursion. States start there. With
 * VOLT_PAST_FIRST the constant is the first row of each sequence. A state is then unbegun until that row is
 * known: its first number is VOLT_UNBEGUN, which is finite and can be saved. */
#ifndef KERNEL_PAST_H
#define KERNEL_PAST_H

#include <float.h>
#include <stdint.h>

typedef enum volt_past_kind {
    VOLT_PAST_ZERO,  /* zero */
    VOLT_PAST_FIRST, /* the first row of the sequence */
    VOLT_PAST_FIXED  /* the same input for every sequence */
} volt_past_kind;

typedef struct volt_past {
    volt_past_kind kind;
    int64_t n;
    double *input; /* n, for VOLT_PAST_FIXED; else NULL */
} volt_past;

#define VOLT_UNBEGUN (-DBL_MAX)

/* The constant input of a sequence whose first row is `first`; NULL: zero. */
static inline const double *volt_past_input(const volt_past *past, const double *first)
{
    return past->kind == VOLT_PAST_FIRST ? first : past->input;
}

#endif
