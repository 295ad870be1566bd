/* src/stats/autoregression.h: a linear autoregression that forecasts one series directly, `lag` rows ahead. */
#ifndef STATS_AUTOREGRESSION_H
#define STATS_AUTOREGRESSION_H

#include <stdint.h>

/* What volt_baseline_forecast says of VOLT_BASELINE_AR, for one series y that is no larger than 1 (squares must neither
 * overflow nor vanish): rows begin .. begin + count - 1, begin >= lag >= 1, into forecasts. Takes no memory. */
void volt_autoregression(const double *y, int64_t lag, int64_t season, int64_t learn_end, int64_t begin,
                         int64_t count, double *forecasts);

#endif
