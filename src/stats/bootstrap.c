/* src/stats/bootstrap.c: the stationary bootstrap of column means.
 *
 * Replication b draws from Philox stream b and sums its rows in the order of the draws, so the result does not
 * depend on the number of threads, and equal columns have bit-identical means. The cost is T x M additions per
 * replication; memory beyond the means is one row of indices per thread. */
#include "stats/stats_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/threads.h"

#include <inttypes.h>

enum { CHUNK = 32 }; /* replications between two reports of progress */

void volt_stationary_indices(volt_rng *rng, double block, int64_t count, int64_t *indices)
{
    const double jump = 1 / block;
    for (int64_t t = 0; t < count; t++) {
        if (t == 0 || volt_rng_uniform(rng) < jump)
            indices[t] = (int64_t)(volt_rng_uniform(rng) * (double)count);
        else
            indices[t] = indices[t - 1] + 1 < count ? indices[t - 1] + 1 : 0;
    }
}

/* Sums the columns of `values` over the rows in `indices`. */
static void sum_rows(volt_view values, const int64_t *restrict indices, double *restrict sums)
{
    for (int64_t i = 0; i < values.cols; i++)
        sums[i] = 0;
    for (int64_t t = 0; t < values.rows; t++) {
        const double *row = values.data + indices[t] * values.ld;
        for (int64_t i = 0; i < values.cols; i++)
            sums[i] += row[i];
    }
}

static void run_replication(volt_view values, const volt_resampling *resampling, int64_t b, int64_t *scratch,
                            double *sums, double *means)
{
    const int64_t *indices = scratch;
    if (resampling->indices) {
        indices = resampling->indices + b * values.rows;
    } else {
        volt_rng rng;
        volt_rng_init(&rng, resampling->seed, (uint64_t)b);
        volt_stationary_indices(&rng, resampling->block, values.rows, scratch);
    }
    sum_rows(values, indices, sums);
    for (int64_t i = 0; i < values.cols; i++)
        means[i * resampling->reps + b] = sums[i] / (double)values.rows;
}

volt_status volt_bootstrap_means(volt_view values, const volt_resampling *resampling, volt_stage *stage,
                                 double *means)
{
    const int64_t reps = resampling->reps, chunks = (reps + CHUNK - 1) / CHUNK;
    const int64_t threads = volt_min(volt_threads(), chunks);
    VOLT_TRY(volt_start_threads());
    int64_t *indices = volt_alloc(threads * values.rows, sizeof *indices);
    double *sums = indices ? volt_alloc_doubles(threads, values.cols) : NULL;
    if (!sums) {
        volt_free(indices);
        return VOLT_ERR_MEMORY;
    }

#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        if (!volt_stage_should_continue(stage))
            continue;
        const int64_t thread = omp_get_thread_num(), end = volt_min((chunk + 1) * CHUNK, reps);
        for (int64_t b = chunk * CHUNK; b < end; b++)
            run_replication(values, resampling, b, indices + thread * values.rows, sums + thread * values.cols,
                            means);
        volt_stage_advance(stage, end - chunk * CHUNK);
    }
    volt_free(sums);
    volt_free(indices);
    return volt_stage_end(stage);
}
