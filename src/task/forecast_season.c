/* src/task/forecast_season.c: the season of a series that is forecast. */
#include "task/forecast_season.h"

#include "base/memory.h"
#include "io/time/time_text.h"
#include "volterra/stats.h"

#include <math.h>
#include <stdbool.h>

enum { MAX_PERIODS = 2 };

/* Periods of the calendar in rows; returns their number. */
static int calendar_periods(volt_time_step step, int64_t periods[MAX_PERIODS])
{
    int count = 0, n_lengths = step.closed_weekdays ? 1 : 2; /* holidays shift a week of open days */
    const double day = 86400, lengths[] = {day, 7 * day};
    if (step.months > 0 && step.months < 12 && 12 % step.months == 0)
        periods[count++] = 12 / step.months;
    if (step.months > 0)
        return count;
    if (step.seconds == 604800)
        periods[count++] = 52;
    for (int i = 0; i < n_lengths && step.seconds > 0; i++) {
        double rows = lengths[i] / step.seconds;
        if (rows >= 2 && rows <= 2016 && rows == floor(rows))
            periods[count++] = (int64_t)rows;
    }
    return count;
}

int64_t volt_forecast_calendar(volt_time_step step)
{
    int64_t periods[MAX_PERIODS];
    return calendar_periods(step, periods) > 0 ? periods[0] : 0;
}

/* Mean absolute difference of values `lag` rows apart. */
static double mean_gap(const double *y, int64_t n, int64_t lag)
{
    double sum = 0;
    for (int64_t t = lag; t < n; t++)
        sum += fabs(y[t] - y[t - lag]);
    return sum / (double)(n - lag);
}

/* Whether the means of the S phases of a season differ at the level 5 %: an F test of the series without its trend, a
 * centred moving average over one season. Paulson's approximation of the F distribution. */
static bool repeats(const double *y, int64_t n, int64_t S, double *means)
{
    static const double bound = 1.645; /* normal quantile of 0.95 */
    int64_t half = S / 2, rows = n - 2 * half;
    double between = 0, total = 0, mean = 0;
    if (rows < S + 2)
        return false;
    for (int64_t j = 0; j < S; j++)
        means[j] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t t = half; t < n - half; t++) {
            double trend = S % 2 == 0 ? -(y[t - half] + y[t + half]) / 2 : 0;
            for (int64_t i = t - half; i <= t + half; i++)
                trend += y[i];
            double x = y[t] - trend / (double)S;
            int64_t j = t % S, count = rows / S + ((t - half) % S < rows % S);
            if (pass == 0) {
                means[j] += x / (double)count;
                mean += x / (double)rows;
            } else {
                total += (x - mean) * (x - mean);
                between += (means[j] - mean) * (means[j] - mean);
            }
        }
    double a = (double)(S - 1), b = (double)(rows - S), within = total - between;
    if (!(within > 0))
        return between > 0;
    double root = cbrt(between / a / (within / b)), u = 2 / (9 * a), v = 2 / (9 * b);
    return (1 - v) * root - (1 - u) > bound * sqrt(v * root * root + u);
}

volt_status volt_forecast_season(const double *y, int64_t n, volt_time_step step, int64_t *season)
{
    int64_t periods[MAX_PERIODS];
    int count = calendar_periods(step, periods);
    double least = INFINITY, *means = volt_alloc_doubles(n, 1);
    *season = 0;
    if (!means)
        return VOLT_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!repeats(y, n, periods[i], means))
            continue;
        double gap = mean_gap(y, n, periods[i]);
        if (gap < least)
            *season = periods[i];
        least = fmin(gap, least);
    }
    volt_free(means);
    return *season > 0 ? VOLT_OK : volt_season_find(y, n, 1, season);
}

bool volt_forecast_is_calendar(volt_time_step step, int64_t season)
{
    int64_t periods[MAX_PERIODS];
    int count = calendar_periods(step, periods);
    for (int i = 0; i < count; i++)
        if (periods[i] == season)
            return true;
    return false;
}

int64_t volt_forecast_common_season(const int64_t *seasons, int64_t count)
{
    int64_t best = 0, most = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t same = 0;
        for (int64_t i = 0; i < count; i++)
            same += seasons[i] == seasons[k];
        if (seasons[k] > 0 && (same > most || (same == most && seasons[k] < best))) {
            best = seasons[k];
            most = same;
        }
    }
    return best;
}
