/* src/stats/bootstrap.h: means of resampled rows. */
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "base/progress.h"
#include "volterra/base.h"

/* Where the rows of a replication come from. */
typedef struct volt_resampling {
    int64_t reps;
    const int64_t *indices; /* reps x T given row numbers, or NULL: the stationary bootstrap with ... */
    double block;           /* ... this mean block length, at least 1, */
    uint64_t seed;          /* and Philox stream b for replication b */
} volt_resampling;

/* Row numbers of one replication of the stationary bootstrap (Politis and Romano, JASA 89, 1994): each goes on
 * after the one before it, row 0 after row count - 1, or with probability 1 / block jumps anywhere. */
void volt_stationary_indices(volt_rng *rng, double block, int64_t count, int64_t *indices);

/* means[i * reps + b]: the mean of column i over the rows of replication b. `values` is T x M. */
volt_status volt_bootstrap_means(volt_view values, const volt_resampling *resampling, volt_stage *stage,
                                 double *means);

#endif
