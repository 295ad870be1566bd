/* src/task/forecast_combine.c: the weighted mean of the members of a forecast, its expected errors and intervals. */
#include "task/forecast_members.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

void volt_forecast_rmse(const forecast_series *series, const double *error, double *rmse)
{
    for (int64_t h = 0; h < series->steps; h++) {
        double sum = 0;
        int64_t count = 0;
        for (int64_t j = 0; j < series->origins.count; j++) {
            double e = error[j * series->steps + h];
            if (!isnan(e)) {
                sum += e * e;
                count++;
            }
        }
        rmse[h] = count > 0 ? sqrt(sum / (double)count) : NAN;
    }
}

/* ---- weights ---------------------------------------------------------------------------------- */

/* Parts of the combination, and the rows from which on an autoregression takes part. */
enum { PARTS = 4, AR_ROWS = 60 };

/* A forecast that takes part in the weighted mean. */
typedef struct forecast_part {
    const double *value, *error;
    double weight;
} forecast_part;

/* Mean absolute error of a part relative to that of the first one, where both are known; NaN: nowhere. */
static double relative_error(const forecast_part *part, const forecast_part *first, int64_t count)
{
    double sum = 0, other = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(part->error[i]) && !isnan(first->error[i])) {
            sum += fabs(part->error[i]);
            other += fabs(first->error[i]);
        }
    return other > 0 ? sum / other : NAN;
}

/* Sets the weights, proportional to 1 / MAE^4; parts whose errors are unknown have weight 0. */
static void set_weights(forecast_part *parts, int n, int64_t count)
{
    static const double least = 1e-12; /* of the error of the first part */
    double total = 0;
    for (int i = 0; i < n; i++) {
        double error = i == 0 ? 1 : relative_error(&parts[i], &parts[0], count);
        parts[i].weight = isnan(error) ? 0 : 1 / pow(fmax(error, least), 4);
        total += parts[i].weight;
    }
    for (int i = 0; i < n; i++)
        parts[i].weight /= total;
}

/* Sets errors below the rounding of the largest value to 0, as of an exactly periodic series. */
static void drop_rounding(const forecast_series *series, double *error, int64_t count)
{
    double largest = 0;
    for (int64_t t = 0; t < series->n; t++)
        largest = fmax(largest, fabs(series->y[t]));
    for (int64_t i = 0; i < count; i++)
        if (fabs(error[i]) < DBL_EPSILON * largest)
            error[i] = 0;
}

/* The weighted mean of the parts that are known at this place; NaN if none is. */
static double mean_of(const forecast_part *parts, int n, bool errors, int64_t i)
{
    double sum = 0, total = 0;
    for (int p = 0; p < n; p++) {
        double value = errors ? parts[p].error[i] : parts[p].value[i];
        if (isnan(value))
            continue;
        sum += parts[p].weight * value;
        total += parts[p].weight;
    }
    return total > 0 ? sum / total : NAN;
}

/* The classical forecast is Theta, or its mean with exponential smoothing for a series with a season. */
static double classical_share(const forecast_series *series)
{
    return series->season >= 2 ? 0.5 : 1;
}

static void fill_classical(const forecast_series *series, const double *theta, const double *ets, int64_t count,
                           double *mean)
{
    double share = classical_share(series);
    for (int64_t i = 0; i < count; i++)
        mean[i] = share < 1 ? share * theta[i] + (1 - share) * ets[i] : theta[i];
}

void volt_forecast_combine(const forecast_series *series, forecast_combination *combination)
{
    const forecast_values *members = series->members;
    volt_forecast_member member[PARTS];
    int64_t steps = series->steps, errors = series->origins.count * steps;
    double *classical = combination->classical, *weight = combination->weight;
    fill_classical(series, members[VOLT_MEMBER_THETA].value, members[VOLT_MEMBER_ETS].value, steps, classical);
    fill_classical(series, members[VOLT_MEMBER_THETA].error, members[VOLT_MEMBER_ETS].error, errors,
                   classical + steps);
    static const volt_forecast_member others[PARTS - 1] = {VOLT_MEMBER_KERNEL, VOLT_MEMBER_SEASONAL,
                                                           VOLT_MEMBER_AR};
    forecast_part parts[PARTS] = {{classical, classical + steps, 0}};
    int n = 1;
    for (int i = 0; i < PARTS - 1; i++)
        if ((others[i] != VOLT_MEMBER_SEASONAL || series->season >= 2) &&
            (others[i] != VOLT_MEMBER_AR || series->n >= AR_ROWS)) {
            member[n] = others[i];
            parts[n++] = (forecast_part){members[others[i]].value, members[others[i]].error, 0};
        }
    set_weights(parts, n, errors);
    for (int64_t i = 0; i < steps; i++)
        combination->value[i] = mean_of(parts, n, false, i);
    for (int64_t i = 0; i < errors; i++)
        combination->error[i] = mean_of(parts, n, true, i);
    drop_rounding(series, combination->error, errors);
    for (int m = 0; m < FORECAST_MEMBERS; m++)
        weight[m] = 0;
    for (int i = 1; i < n; i++)
        weight[member[i]] = parts[i].weight;
    weight[VOLT_MEMBER_THETA] = parts[0].weight * classical_share(series);
    weight[VOLT_MEMBER_ETS] = parts[0].weight * (1 - classical_share(series));
}

/* ---- expected errors and intervals ------------------------------------------------------------ */

/* Mean absolute value of the last rows of the first `known` ones: a season, at least 3. */
static double recent_level(const forecast_series *series, int64_t known)
{
    int64_t count = volt_min(known, volt_max(3, series->season));
    double sum = 0;
    for (int64_t t = known - count; t < known; t++)
        sum += fabs(series->y[t]);
    return sum / (double)count;
}

/* Factor of the variances of errors at an origin: errors often grow with the level. The ratio of the levels now and
 * then, instead of its square, is half-way between errors of constant size and errors in proportion to the level. */
static double level_ratio(const forecast_series *series, int64_t known)
{
    double then = recent_level(series, known), now = recent_level(series, series->n);
    return then > 0 && now > 0 ? fmin(fmax(now / then, 0.5), 2) : 1;
}

/* Replaces the variances by the nearest increasing sequence in the sense of least squares with these weights (pool
 * adjacent violators). */
static void make_increasing(double *variance, const double *weight, int64_t count)
{
    for (int64_t end = 1; end <= count; end++) {
        /* Blocks of equal values end at `end`; merge while the block before has a larger value. */
        int64_t begin = end - 1;
        double sum = weight[begin] * variance[begin], total = weight[begin];
        while (begin > 0 && variance[begin - 1] * total >= sum) {
            double value = variance[begin - 1];
            while (begin > 0 && variance[begin - 1] == value) {
                begin--;
                sum += weight[begin] * value;
                total += weight[begin];
            }
        }
        for (int64_t i = begin; i < end; i++)
            variance[i] = sum / total;
    }
}

void volt_forecast_spread(const forecast_series *series, const double *error, double *spread, double *counts)
{
    int64_t steps = series->steps, measured = 0;
    for (int64_t h = 0; h < steps; h++) {
        double sum = 0;
        counts[h] = 0;
        for (int64_t j = 0; j < series->origins.count; j++) {
            double e = error[j * steps + h];
            if (isnan(e))
                continue;
            sum += e * e * level_ratio(series, series->origins.known[j]);
            counts[h]++;
        }
        spread[h] = counts[h] > 0 ? sum / counts[h] : NAN;
        measured += counts[h] > 0;
    }
    make_increasing(spread, counts, measured); /* the first steps are measured */
    for (int64_t h = measured; h < steps; h++) /* the growth of a random walk */
        spread[h] = measured > 0 ? spread[measured - 1] * (double)(h + 1) / (double)measured : NAN;
    for (int64_t h = 0; h < steps; h++)
        spread[h] = sqrt(spread[h]);
}

/* Errors of forecasts h steps ahead from origins closer than h rows overlap. */
double volt_forecast_quantile(const forecast_series *series, double coverage, double count, int64_t step)
{
    int64_t rows = series->origins.count > 0 ? series->n - series->origins.known[0] : 0;
    double independent = (double)rows / (double)(step + 1);
    return volt_error_quantile(coverage, fmin(count, independent));
}

double volt_forecast_mase(const forecast_series *series, const double *error)
{
    int64_t lag = volt_max(1, series->season), count = 0, differences = series->n - lag;
    double sum = 0, naive = 0;
    for (int64_t i = 0; i < series->origins.count * series->steps; i++)
        if (!isnan(error[i])) {
            sum += fabs(error[i]);
            count++;
        }
    for (int64_t t = lag; t < series->n; t++)
        naive += fabs(series->y[t] - series->y[t - lag]);
    return count > 0 && naive > 0 ? sum / (double)count / (naive / (double)differences) : NAN;
}
