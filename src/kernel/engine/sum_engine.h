/* src/kernel/engine/sum_engine.h: for engines on sums of factors: which part of a row a factor sees, and where it stands. */
#ifndef KERNEL_SUM_ENGINE_H
#define KERNEL_SUM_ENGINE_H

#include "kernel/engine/engine.h"

static inline volt_view volt_sum_slice(const volt_sum *sum, int64_t factor, volt_view rows)
{
    volt_view slice = {rows.data + sum->slice[factor] * sum->d, rows.rows, sum->d, rows.ld};
    return slice;
}

/* Is factor f the first of its term, or the last? */
static inline bool volt_sum_begins_term(const volt_sum *sum, int64_t f)
{
    return f == 0 || sum->term[f - 1] != sum->term[f];
}

static inline bool volt_sum_ends_term(const volt_sum *sum, int64_t f)
{
    return f + 1 == sum->n_factors || sum->term[f + 1] != sum->term[f];
}

#endif
