/* src/stats/season.c: the season of a series, from the autocorrelation of its changes.
 *
 * With d the N = n - 1 changes of y minus their mean, and M = min(2N/3, 800),
 *
 *     r[l] = (sum_i d[i+l] d[i] / sum_i d[i]^2) N / (N - l),        l = 0 .. M.
 *
 * S is a candidate, 4 <= S <= min((M - 1)/2, 400), when r has a significant peak at S that exceeds the values
 * before it and repeats after two seasons:
 *
 *     r[S-1] < r[S] >= r[S+1],     r[S] > max(0.2, 3/sqrt(N - S)),
 *     min r[0..S] < r[S]/2,        max r[2S-1 .. 2S+1] >= r[S]/2.
 *
 * The season is the smallest candidate with r at least 0.8 of the largest: multiples of a season have peaks of
 * about the same height. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "volterra/stats.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { SHORTEST_SEASON = 4, LONGEST_SEASON = 400, MAX_LAGS = 800 };

/* The changes of y minus their mean, after scaling y by a power of two to at most 1, so that squares neither
 * overflow nor underflow; the season is scale-free. Returns the sum of their squares, and 0 when the changes
 * are only rounding errors (a constant, a straight line). */
static double centred_changes(const double *y, int64_t n, int64_t stride, double *d)
{
    double largest = 0, mean = 0, squares = 0;
    int exponent = 0;
    for (int64_t t = 0; t < n; t++)
        largest = fmax(largest, fabs(y[t * stride]));
    frexp(largest, &exponent);

    const int64_t N = n - 1;
    for (int64_t i = 0; i < N; i++) {
        d[i] = ldexp(y[(i + 1) * stride], -exponent) - ldexp(y[i * stride], -exponent);
        mean += d[i] / (double)N;
    }
    for (int64_t i = 0; i < N; i++) {
        d[i] -= mean;
        squares += d[i] * d[i];
    }
    /* Two values and their difference, each rounded by eps/2 at most, and their mean. */
    const double rounding = 4 * DBL_EPSILON;
    return squares > (double)N * rounding * rounding ? squares : 0;
}

static void autocorrelations(const double *d, int64_t N, double squares, int64_t M, double *r)
{
    for (int64_t lag = 0; lag <= M; lag++) {
        double sum = 0;
        for (int64_t i = 0; i + lag < N; i++)
            sum += d[i + lag] * d[i];
        r[lag] = sum / squares * ((double)N / (double)(N - lag));
    }
}

/* `lowest` is min r[0..S]. */
static bool is_candidate(const double *r, int64_t N, int64_t S, double lowest)
{
    const bool is_peak = r[S] > r[S - 1] && r[S] >= r[S + 1];
    const bool stands_out = r[S] > fmax(0.2, 3 / sqrt((double)(N - S))) && lowest < r[S] / 2;
    const double again = fmax(r[2 * S], fmax(r[2 * S - 1], r[2 * S + 1]));
    return is_peak && stands_out && again >= r[S] / 2;
}

static int64_t season_of(const double *r, int64_t N, int64_t M)
{
    const int64_t longest = volt_min((M - 1) / 2, LONGEST_SEASON);
    /* First the largest r of a candidate, then the smallest candidate that is near it. */
    double bound = 0;
    for (int pass = 0; pass < 2; pass++) {
        double lowest = r[0], largest = 0;
        for (int64_t S = 1; S <= longest; S++) {
            lowest = fmin(lowest, r[S]);
            if (S < SHORTEST_SEASON || r[S] < bound || !is_candidate(r, N, S, lowest))
                continue;
            if (pass == 1)
                return S;
            largest = fmax(largest, r[S]);
        }
        bound = 0.8 * largest;
    }
    return 0;
}

volt_status volt_season_find(const double *y, int64_t n, int64_t stride, int64_t *season)
{
    VOLT_REQUIRE(y && season, VOLT_ERR_ARGUMENT, "the series or its season is NULL");
    VOLT_REQUIRE(n >= 1, VOLT_ERR_SHAPE, "the series must have at least 1 value (got %" PRId64 ")", n);
    VOLT_REQUIRE(stride >= 1, VOLT_ERR_ARGUMENT, "the stride must be at least 1 (got %" PRId64 ")", stride);
    for (int64_t t = 0; t < n; t++)
        VOLT_REQUIRE(isfinite(y[t * stride]), VOLT_ERR_NOT_FINITE, "value %" PRId64 " of the series is %g", t,
                     y[t * stride]);

    const int64_t N = n - 1, M = volt_min(2 * N / 3, MAX_LAGS);
    if ((M - 1) / 2 < SHORTEST_SEASON) {
        *season = 0;
        return VOLT_OK;
    }
    double *d = volt_alloc_doubles(1, N), *r = volt_alloc_doubles(1, M + 1);
    volt_status status = d && r ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        const double squares = centred_changes(y, n, stride, d);
        if (squares > 0)
            autocorrelations(d, N, squares, M, r);
        *season = squares > 0 ? season_of(r, N, M) : 0;
    }
    volt_free(r);
    volt_free(d);
    return status;
}
