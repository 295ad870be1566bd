/* src/model/adaptive_interval.h: what an adaptive interval holds, and its numbers for a file. */
#ifndef MODEL_ADAPTIVE_INTERVAL_H
#define MODEL_ADAPTIVE_INTERVAL_H

#include "model/model_errors.h"
#include "volterra/model.h"

struct volt_interval {
    int64_t q, count;  /* outputs, coverages */
    double *coverages; /* count */
    double *miss;      /* count x q: the share of misses that is aimed at now */
    double *scores;    /* q x VOLT_INTERVAL_SCORES: the latest, a ring ... */
    double *sorted;    /* ... and the same upwards */
    int64_t *n, *next; /* q each: how many there are, and where the next one goes */
};

/* The same with a life of its own. VOLT_ERR_MEMORY. */
volt_status volt_interval_copy(const volt_interval *source, volt_interval **interval);

/* What has been learned, as volt_interval_length numbers: of every output how many scores there are, the scores in the order
 * of time (and zeros), then what is aimed at for each coverage. */
int64_t volt_interval_length(const volt_interval *interval);
void volt_interval_get(const volt_interval *interval, double *numbers);
/* False, and nothing happens, where the numbers cannot be those of an interval. */
bool volt_interval_set(volt_interval *interval, const double *numbers);

#endif
