/* src/anomaly/alarm_level.c: the level that a set share of scores lies above, from the last ones.
 *
 * The ceil((N + 1)(1 - rate))-th smallest of N scores: where the next one is as likely to have any place among them as any
 * other, it lies above with probability at most the rate, and no less than rate - 1 / (N + 1), whatever the distribution.
 * Before there are 1 / rate scores there is no such place. Then the largest tenth is taken for an exponential tail, with
 * u what they exceed and b their mean excess: P(score > u + x) = (share of the tail) exp(-x / b). */
#include "anomaly/alarm_level.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "base/sorted_ring.h"
#include "model/model_errors.h"

#include <math.h>

enum { FEWEST = 30, LEAST_CAPACITY = 1000, MOST_CAPACITY = 100000, FEWEST_IN_TAIL = 5 };

volt_status volt_alarm_level_begin(volt_alarm_level *level, double rate)
{
    int64_t capacity = (int64_t)fmin(fmax(ceil(20 / rate), LEAST_CAPACITY), MOST_CAPACITY);
    *level = (volt_alarm_level){.rate = rate,
                                .capacity = capacity,
                                .ring = volt_alloc_doubles(capacity, 1),
                                .sorted = volt_alloc_doubles(capacity, 1)};
    return level->ring && level->sorted ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_alarm_level_release(volt_alarm_level *level)
{
    volt_free(level->ring);
    volt_free(level->sorted);
}

void volt_alarm_level_add(volt_alarm_level *level, double score)
{
    volt_sorted_ring_add(level->ring, level->sorted, level->capacity, &level->n, &level->next, score);
}

static double exponential_tail(const volt_alarm_level *level)
{
    int64_t n = level->n, tail = volt_max(n / 10, FEWEST_IN_TAIL);
    double edge = level->sorted[n - tail - 1], excess = 0;
    for (int64_t i = n - tail; i < n; i++)
        excess += (level->sorted[i] - edge) / (double)tail;
    return edge + excess * log((double)tail / ((double)(n + 1) * level->rate));
}

double volt_alarm_level_now(const volt_alarm_level *level)
{
    if (level->n < FEWEST)
        return INFINITY;
    double place = volt_interval_quantile(level->sorted, level->n, 1 - level->rate);
    return isfinite(place) ? place : exponential_tail(level);
}
