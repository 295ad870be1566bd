/* src/stats/block_length.c: the block length of a stationary bootstrap.
 *
 * The mean block length that minimises the mean squared error of the bootstrap variance of a mean is
 * (Politis and White, Econometric Reviews 23, 2004, with the constant D of the correction by Patton, Politis
 * and White, Econometric Reviews 28, 2009)
 *
 *     b = (2 G^2 / D)^(1/3) T^(1/3),   G = sum_k w(k/m) |k| R(k),   D = 2 (sum_k w(k/m) R(k))^2,
 *
 * with sums over |k| <= m, R(k) the autocovariance at lag k, and the flat-top window w(s) = 1 for |s| <= 1/2,
 * else 2 (1 - |s|). The bandwidth is m = 2 l, where l is the smallest lag, at least 1, after which K = max(5,
 * sqrt(log10 T)) consecutive autocorrelations stay within 2 sqrt(log10(T) / T). The maximum of m is ceil(sqrt
 * T) + K, also used when no l is found. b is restricted to 1 <= b <= ceil(min(3 sqrt T, T/3)). */
#include "stats/stats_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>

static int64_t lags_in_a_row(int64_t count)
{
    return volt_max(5, (int64_t)ceil(sqrt(log10((double)count))));
}

/* At most count - 1 when count >= VOLT_BLOCK_ROWS. */
static int64_t largest_bandwidth(int64_t count)
{
    return (int64_t)ceil(sqrt((double)count)) + lags_in_a_row(count);
}

/* Subtracts the mean from the values, after scaling them by a power of two so that squares neither overflow
 * nor underflow; the block length is scale-free. */
static void centre(double *values, int64_t count)
{
    double largest = 0, mean = 0;
    int exponent = 0;
    for (int64_t t = 0; t < count; t++)
        largest = fmax(largest, fabs(values[t]));
    frexp(largest, &exponent);
    for (int64_t t = 0; t < count; t++) {
        values[t] = ldexp(values[t], -exponent);
        mean += values[t] / (double)count;
    }
    for (int64_t t = 0; t < count; t++)
        values[t] -= mean;
}

static double autocovariance(const double *centred, int64_t count, int64_t lag)
{
    double sum = 0;
    for (int64_t t = lag; t < count; t++)
        sum += centred[t] * centred[t - lag];
    return sum / (double)count;
}

/* The bandwidth m, and R(0) .. R(m) into R. Later lags are not computed. */
static int64_t choose_bandwidth(const double *centred, int64_t count, double *R)
{
    const int64_t most = largest_bandwidth(count), needed = lags_in_a_row(count);
    int64_t k = 0, run = 0; /* run: consecutive small autocorrelations, up to lag k */
    R[0] = autocovariance(centred, count, 0);
    const double bound = 2 * sqrt(log10((double)count) / (double)count) * R[0];
    while (run < needed && k < most) {
        k++;
        R[k] = autocovariance(centred, count, k);
        run = fabs(R[k]) < bound ? run + 1 : 0;
    }
    const int64_t m = run == needed ? volt_min(most, 2 * volt_max(1, k - needed)) : most;
    for (k++; k <= m; k++)
        R[k] = autocovariance(centred, count, k);
    return m;
}

/* The rule for one series, which is overwritten; R has space for largest_bandwidth(count) + 1 numbers. */
static double block_length(double *values, int64_t count, double *R)
{
    double low = values[0], high = values[0];
    for (int64_t t = 1; t < count; t++) {
        low = fmin(low, values[t]);
        high = fmax(high, values[t]);
    }
    if (low == high)
        return 1;
    centre(values, count);
    const int64_t m = choose_bandwidth(values, count, R);
    double weighted = 0, spectrum = R[0];
    for (int64_t k = 1; k <= m; k++) {
        double share = (double)k / (double)m, window = share <= 0.5 ? 1 : 2 * (1 - share);
        weighted += 2 * window * (double)k * R[k];
        spectrum += 2 * window * R[k];
    }
    /* b^3 = T (G / sum w R)^2. A spectrum of 0 gives an infinite block length, limited by the bound below. */
    const double T = (double)count, most = ceil(fmin(3 * sqrt(T), T / 3));
    double ratio = fabs(weighted) / fabs(spectrum);
    double best = ratio > 0 ? cbrt(T * ratio * ratio) : 1; /* 0/0 is not above 0 */
    return fmax(1, fmin(best, most));
}

volt_status volt_block_length_of_differences(volt_view values, volt_progress progress, double *block)
{
    const int64_t count = values.rows;
    VOLT_REQUIRE(count >= VOLT_BLOCK_ROWS, VOLT_ERR_SHAPE,
                 "estimating the block length requires at least %d rows, not %" PRId64, VOLT_BLOCK_ROWS, count);
    double *difference = volt_alloc(count, sizeof *difference);
    double *R = difference ? volt_alloc(largest_bandwidth(count) + 1, sizeof *R) : NULL;
    if (!R) {
        volt_free(difference);
        return VOLT_ERR_MEMORY;
    }
    double longest = 1;
    volt_stage stage; /* A small part of a bootstrap: progress stays at 0, only cancellation is checked. */
    volt_stage_begin(&stage, progress, "block length", 0, 0, 1);
    for (int64_t i = 0; i < values.cols; i++)
        for (int64_t j = 0; j < i && volt_stage_poll(&stage); j++) {
            if (volt_columns_are_equal(values, i, j))
                continue;
            for (int64_t t = 0; t < count; t++)
                difference[t] = values.data[t * values.ld + i] - values.data[t * values.ld + j];
            longest = fmax(longest, block_length(difference, count, R));
        }
    volt_free(R);
    volt_free(difference);
    VOLT_TRY(volt_stage_end(&stage));
    *block = longest;
    return VOLT_OK;
}
