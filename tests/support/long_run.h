/* tests/support/long_run.h: long runs of a stream and of a learner, with measurements of memory usage and
 * drift.
 *
 * The system is y_t = 0.8 x_t + 0.6 x_t x_{t-1} + 0.4 x_{t-2} + noise, with inputs drawn from [-1, 1].
 * Nothing is scaled, and the kernel has tau and lambda of its own, so that models of any rows are of one
 * kind. */
#ifndef SUPPORT_LONG_RUN_H
#define SUPPORT_LONG_RUN_H

#include "volterra.h"

/* Measurements after a number of rows. */
typedef struct soak_sample {
    int64_t rows;
    double error; /* of predictions, relative to a fresh stream or fit */
    double bound; /* bound from rounding */
    int64_t held; /* bytes allocated by the library */
} soak_sample;

typedef void soak_report(void *context, const soak_sample *sample);

/* Start counting allocated bytes. Call it before any object is created, and soak_uncount after all are
 * freed. */
void soak_count(void);
void soak_uncount(void);

/* Run `rows` rows through a stream of a model of 200 rows, with evenly spaced measurements, the last at the
 * end. The fresh stream receives only the last 1000 rows. Predictions of both differ by rounding, at most by
 * (with the values of volt_kernel_facts)
 *
 *     2 eps largest sum_j |A_j| (n + 8 / (1 - contraction)),
 *
 * n for the sum, and 8 roundings of each step, of which every later step keeps `contraction` at most. */
volt_status soak_stream(int64_t rows, int64_t samples, soak_report *report, void *context);

/* Run `rows` rows through a learner of the last `window` rows. A fit of the same rows, with 200 rows of
 * washout before them, forecasts the next 20 rows too: within n eps c of each other, n the rows of both and
 * c = (n largest + alpha) / alpha, above the condition number of K + alpha I. */
volt_status soak_learn(int64_t window, int64_t rows, int64_t samples, soak_report *report, void *context);

#endif
