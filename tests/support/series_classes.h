/* tests/support/series_classes.h: series in classes, and a plain ridge regression to compare with. */
#ifndef SUPPORT_SERIES_CLASSES_H
#define SUPPORT_SERIES_CLASSES_H

#include "volterra/base.h"

#include <stdbool.h>

enum { N = 24, CLASSES = 3, STEPS = 12, CHANNELS = 2 };

/* Sines of three frequencies at random phases, with noise; lengths may differ. */
typedef struct waves {
    volt_view series[N];
    int64_t classes[N];
    double numbers[N * STEPS * CHANNELS];
} waves;

void make_waves(uint64_t seed, double noise, bool equal, waves *made);

/* Ridge regression with an intercept on the rows of K (n x n, n at most N) that are not left out, by elimination in long
 * double: outputs of all n rows, for q (at most CLASSES) columns of targets. */
void plain_fit(const double *K, int64_t n, const double *Y, int64_t q, double alpha, const bool *without,
               double *outputs);

#endif
