/* src/stats/decomposition.c: the season of a series by classical decomposition, and naive forecasts.
 *
 * With the centred moving average over one season (even S: S + 1 rows, half weights at both ends),
 *
 *     T[t] = (1/S) sum_{|k| < S/2} y[t+k]  (+ (y[t-S/2] + y[t+S/2])/(2 S) for an even S),
 *
 * the effect of phase j is the mean of y[t] - T[t] or y[t]/T[t] over the rows t mod S = j that have a trend,
 * minus or divided by the mean over the phases. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/classical.h"
#include "stats/stats_internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double significance_bound = 1.6448536269514722; /* normal quantile of 0.95 */
static const double smallest_effect = 0.01;

/* ---- shared by the methods ---------------------------------------------------------------------- */

volt_status volt_check_forecast(const double *y, int64_t n, int64_t rows_needed, int64_t season, int64_t h,
                                const double *mean)
{
    VOLT_REQUIRE(n >= rows_needed, VOLT_ERR_SHAPE,
                 "the series must have at least %" PRId64 " values (got %" PRId64 ")", rows_needed, n);
    VOLT_REQUIRE(h >= 1, VOLT_ERR_ARGUMENT, "the number of steps must be at least 1 (got %" PRId64 ")", h);
    VOLT_REQUIRE(season >= 0, VOLT_ERR_ARGUMENT, "the season must not be negative (got %" PRId64 ")", season);
    VOLT_REQUIRE(y && mean, VOLT_ERR_ARGUMENT, "the series or the forecasts are NULL");
    return volt_require_finite("series", volt_view_of(y, n, 1));
}

volt_status volt_finish_path(const char *name, double *path, int64_t h, int exponent, double *mean)
{
    for (int64_t i = 0; i < h; i++) {
        path[i] = ldexp(path[i], exponent);
        VOLT_REQUIRE(isfinite(path[i]), VOLT_ERR_NOT_FINITE, "the %s forecast %" PRId64 " rows ahead overflows",
                     name, i + 1);
    }
    memcpy(mean, path, (size_t)h * sizeof *mean);
    return VOLT_OK;
}

/* ---- season ------------------------------------------------------------------------------------- */

bool volt_season_significant(const double *y, int64_t n, int64_t season)
{
    if (n <= season)
        return false;
    double mean = 0, squares = 0, sum = 1, r = 0;
    for (int64_t t = 0; t < n; t++)
        mean += y[t] / (double)n;
    for (int64_t t = 0; t < n; t++)
        squares += (y[t] - mean) * (y[t] - mean);
    const double rounding = 4 * DBL_EPSILON; /* of y[t] - mean, as |y| < 1 */
    if (!(squares > (double)n * rounding * rounding))
        return false;
    for (int64_t k = 1; k <= season; k++) {
        sum += 2 * r * r;
        double product = 0;
        for (int64_t t = k; t < n; t++)
            product += (y[t] - mean) * (y[t - k] - mean);
        r = product / squares;
    }
    return fabs(r) > significance_bound * sqrt(sum / (double)n);
}

/* The mean of the rows around t: S/2 of them on either side. */
static double trend_at(const double *y, int64_t season, int64_t t)
{
    const int64_t half = season / 2;
    double sum = 0;
    for (int64_t k = t - half; k <= t + half; k++)
        sum += y[k];
    if (season % 2 == 0)
        sum -= (y[t - half] + y[t + half]) / 2;
    return sum / (double)season;
}

void volt_season_effects(const double *y, int64_t n, int64_t season, volt_season_form form, double *effects)
{
    const int64_t half = season / 2;
    double mean = 0;
    for (int64_t j = 0; j < season; j++) {
        double sum = 0;
        int64_t rows = 0;
        for (int64_t t = j < half ? j + season : j; t < n - half; t += season, rows++) {
            const double trend = trend_at(y, season, t);
            sum += form == VOLT_SEASON_ADDITIVE ? y[t] - trend : y[t] / trend;
        }
        effects[j] = sum / (double)rows;
        mean += effects[j] / (double)season;
    }
    for (int64_t j = 0; j < season; j++)
        effects[j] = form == VOLT_SEASON_ADDITIVE ? effects[j] - mean : effects[j] / mean;
}

volt_season_form volt_season_remove(double *y, int64_t n, int64_t season, int64_t seasons, double *effects)
{
    if (season < 2 || n / season < seasons || !volt_season_significant(y, n, season))
        return VOLT_SEASON_NONE;
    volt_season_form form = VOLT_SEASON_MULTIPLICATIVE;
    for (int64_t t = 0; t < n; t++)
        if (y[t] <= 0)
            form = VOLT_SEASON_ADDITIVE;
    volt_season_effects(y, n, season, form, effects);
    for (int64_t j = 0; j < season && form == VOLT_SEASON_MULTIPLICATIVE; j++)
        if (effects[j] < smallest_effect) {
            form = VOLT_SEASON_ADDITIVE;
            volt_season_effects(y, n, season, form, effects);
        }
    for (int64_t t = 0; t < n; t++)
        y[t] = form == VOLT_SEASON_ADDITIVE ? y[t] - effects[t % season] : y[t] / effects[t % season];
    return form;
}

double volt_season_apply(volt_season_form form, double value, const double *effects, int64_t season, int64_t t)
{
    if (form == VOLT_SEASON_NONE)
        return value;
    return form == VOLT_SEASON_ADDITIVE ? value + effects[t % season] : value * effects[t % season];
}

/* ---- forecasts without parameters --------------------------------------------------------------- */

volt_status volt_naive_forecast(volt_baseline kind, const double *y, int64_t n, int64_t season, int64_t h,
                                double *mean)
{
    const bool seasonal = kind == VOLT_BASELINE_SEASONAL;
    VOLT_REQUIRE(kind == VOLT_BASELINE_NAIVE || seasonal || kind == VOLT_BASELINE_DRIFT, VOLT_ERR_ARGUMENT,
                 "baseline %d has no path; must be naive, seasonal naive or drift", (int)kind);
    VOLT_REQUIRE(!seasonal || season >= 2, VOLT_ERR_ARGUMENT,
                 "the seasonal naive forecast requires a season of at least 2 rows (got %" PRId64 ")", season);
    VOLT_TRY(volt_check_forecast(y, n, seasonal ? season : 1, season, h, mean));
    const double last = y[n - 1];
    /* Halves: the difference of two finite values may overflow. */
    const double change = n > 1 ? 2 * ((last / 2 - y[0] / 2) / (double)(n - 1)) : 0;
    if (kind == VOLT_BASELINE_DRIFT) {
        VOLT_REQUIRE(isfinite(last + change * (double)h), VOLT_ERR_NOT_FINITE,
                     "the drift forecast %" PRId64 " rows ahead overflows", h);
        for (int64_t i = 0; i < h; i++)
            mean[i] = last + change * (double)(i + 1);
        return VOLT_OK;
    }
    for (int64_t i = 0; i < h; i++)
        mean[i] = seasonal ? y[n - season + i % season] : last;
    return VOLT_OK;
}

volt_status volt_naive2_forecast(const double *y, int64_t n, int64_t season, int64_t h, double *mean,
                                 volt_season_form *form)
{
    VOLT_TRY(volt_check_forecast(y, n, 1, season, h, mean));
    double *z = volt_alloc_doubles(1, n), *effects = volt_alloc_doubles(1, volt_min(season, n));
    double *path = volt_alloc_doubles(1, h);
    volt_status status = z && effects && path ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        const int exponent = volt_scale_to_unit(y, n, 1, z);
        const volt_season_form found = volt_season_remove(z, n, season, 3, effects);
        for (int64_t i = 0; i < h; i++)
            path[i] = volt_season_apply(found, z[n - 1], effects, season, n + i);
        status = volt_finish_path("Naive2", path, h, exponent, mean);
        if (status == VOLT_OK && form)
            *form = found;
    }
    volt_free(path);
    volt_free(effects);
    volt_free(z);
    return status;
}
