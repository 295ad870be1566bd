/* src/kernel/engine/sum_engine.h: for engines on sums of factors: which part of a row a factor sees. */
#ifndef KERNEL_SUM_ENGINE_H
#define KERNEL_SUM_ENGINE_H

#include "kernel/engine/engine.h"

static inline volt_view volt_sum_slice(const volt_sum *sum, int64_t factor, volt_view rows)
{
    volt_view slice = {rows.data + sum->slice[factor] * sum->d, rows.rows, sum->d, rows.ld};
    return slice;
}

#endif
