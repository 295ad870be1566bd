/* src/anomaly/alarm_level.h: the level that a set share of scores lies above, from the last ones. */
#ifndef ANOMALY_ALARM_LEVEL_H
#define ANOMALY_ALARM_LEVEL_H

#include "volterra/status.h"

#include <stdint.h>

typedef struct volt_alarm_level {
    double rate;
    int64_t capacity, n, next;
    double *ring, *sorted;
} volt_alarm_level;

/* The last 20 / rate scores, at least 1000 and at most 100,000. Release it in every case. VOLT_ERR_MEMORY. */
volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate);
void volt_alarm_level_release(volt_alarm_level *level);

void volt_alarm_level_add(volt_alarm_level *level, double score);

/* What the next score has to exceed; INFINITY with fewer than 30. */
double volt_alarm_level_now(const volt_alarm_level *level);

#endif
