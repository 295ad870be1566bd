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

/* The rows from which on an autoregression takes part, and the origins after which an error counts half. */
enum { PARTS = 5, AR_ROWS = 60, HALF_LIFE = 8 };

/* A forecast that takes part in the weighted mean. The first one is Theta, the second one the kernel. */
typedef struct forecast_part {
    const double *value, *error;
    double weight;
} forecast_part;

/* Error of a part relative to that of the first one, where both are known; NaN: nowhere. The mean absolute errors of the
 * origins are averaged by their square roots, so that a crisis at one of them does not decide, and recent ones count more. */
static double relative_error(const forecast_series *series, const forecast_part *part,
                             const forecast_part *first)
{
    double sum = 0, other = 0;
    for (int64_t j = 0; j < series->origins.count; j++) {
        double errors = 0, others = 0;
        int64_t count = 0;
        for (int64_t i = j * series->steps; i < (j + 1) * series->steps; i++)
            if (!isnan(part->error[i]) && !isnan(first->error[i])) {
                errors += fabs(part->error[i]);
                others += fabs(first->error[i]);
                count++;
            }
        double recent = exp2(-(double)(series->origins.count - 1 - j) / HALF_LIFE);
        sum += count > 0 ? recent * sqrt(errors / (double)count) : 0;
        other += count > 0 ? recent * sqrt(others / (double)count) : 0;
    }
    return other > 0 ? pow(sum / other, 2) : NAN;
}

/* Sets the weights, proportional to the power -4 of the relative error; parts whose errors are unknown have weight 0. */
static void set_weights(const forecast_series *series, forecast_part *parts, int n)
{
    static const double least = 1e-12; /* of the error of the first part */
    double total = 0;
    for (int i = 0; i < n; i++) {
        double error = i == 0 ? 1 : relative_error(series, &parts[i], &parts[0]);
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

/* The weighted mean of the parts but the kernel that are known at this place; NaN if none is. *pull: what the kernel adds to
 * it; NaN: unknown. */
static double mean_of(const forecast_part *parts, int n, bool errors, int64_t i, double *pull)
{
    double sum = 0, total = 0;
    for (int p = 0; p < n; p++) {
        double value = errors ? parts[p].error[i] : parts[p].value[i];
        if (p == 1 || isnan(value))
            continue;
        sum += parts[p].weight * value;
        total += parts[p].weight;
    }
    double kernel = errors ? parts[1].error[i] : parts[1].value[i], mean = total > 0 ? sum / total : NAN;
    *pull = parts[1].weight > 0 ? parts[1].weight / (parts[1].weight + total) * (kernel - mean) : NAN;
    return mean;
}

/* Means of the steps from `first` on. In steps without a kernel fit the kernel adds half of what it adds one step before, and
 * half of what it adds one step after, so that the forecast does not jump where the methods change. */
static void mean_steps(const forecast_part *parts, int n, bool errors, int64_t first, int64_t steps,
                       double *mean)
{
    double before = 0, after = 0, pull;
    for (int64_t h = 0; h < steps; h++) {
        mean[h] = mean_of(parts, n, errors, first + h, &pull);
        before = isnan(pull) ? before / 2 : pull;
        mean[h] += before;
    }
    for (int64_t h = steps - 1; h >= 0; h--) {
        mean_of(parts, n, errors, first + h, &pull);
        after = isnan(pull) ? after / 2 : pull;
        mean[h] += isnan(pull) ? after : 0;
    }
}

void volt_forecast_combine(const forecast_series *series, forecast_combination *combination)
{
    static const volt_forecast_member members[PARTS] = {VOLT_MEMBER_THETA, VOLT_MEMBER_KERNEL, VOLT_MEMBER_ETS,
                                                        VOLT_MEMBER_SEASONAL, VOLT_MEMBER_AR};
    forecast_part parts[PARTS];
    volt_forecast_member member[PARTS];
    int64_t steps = series->steps;
    int n = 0;
    for (int i = 0; i < PARTS; i++) {
        bool is_seasonal = members[i] == VOLT_MEMBER_ETS || members[i] == VOLT_MEMBER_SEASONAL;
        if ((is_seasonal && series->season < 2) || (members[i] == VOLT_MEMBER_AR && series->n < AR_ROWS))
            continue;
        const forecast_values *values = &series->members[members[i]];
        member[n] = members[i];
        parts[n++] = (forecast_part){values->value, values->error, 0};
    }
    set_weights(series, parts, n);
    mean_steps(parts, n, false, 0, steps, combination->value);
    for (int64_t j = 0; j < series->origins.count; j++)
        mean_steps(parts, n, true, j * steps, steps, combination->error + j * steps);
    drop_rounding(series, combination->error, series->origins.count * steps);
    for (int m = 0; m < FORECAST_MEMBERS; m++)
        combination->weight[m] = 0;
    for (int i = 0; i < n; i++)
        combination->weight[member[i]] = parts[i].weight;
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
