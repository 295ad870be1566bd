/* src/stats/wasserstein.h: the distance between samples that are sorted already. */
#ifndef STATS_WASSERSTEIN_H
#define STATS_WASSERSTEIN_H

#include <stdint.h>

double volt_wasserstein_sorted(const double *first, int64_t n_first, const double *second, int64_t n_second);

#endif
