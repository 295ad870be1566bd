/* src/data/bekk/bekk_stationary.c: stationarity of the BEKK model, and its stationary covariance.
 *
 * The diagonal model is covariance stationary if and only if a_i^2 + b_i^2 < 1 for every i (the spectral radius of
 * A (x) A + B (x) B is max_ij |a_i a_j + b_i b_j|, which is attained on the diagonal). */
#include "base/error.h"
#include "base/views.h"
#include "data/bekk/bekk.h"

#include <inttypes.h>
#include <math.h>

volt_status volt_bekk_check(const volt_bekk *bekk)
{
    VOLT_REQUIRE(bekk && bekk->C && bekk->a && bekk->b, VOLT_ERR_ARGUMENT, "the BEKK parameters are NULL");
    int64_t d = bekk->d;
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets must be 1 to %d (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    for (int64_t i = 0; i < d; i++) {
        VOLT_REQUIRE(isfinite(bekk->a[i]) && isfinite(bekk->b[i]), VOLT_ERR_NOT_FINITE,
                     "a or b of asset %" PRId64 " is not finite", i + 1);
        for (int64_t j = 0; j < d; j++) {
            VOLT_REQUIRE(isfinite(bekk->C[i * d + j]), VOLT_ERR_NOT_FINITE,
                         "entry (%" PRId64 ", %" PRId64 ") of C is not finite", i + 1, j + 1);
            VOLT_REQUIRE(j >= i || bekk->C[i * d + j] == 0, VOLT_ERR_ARGUMENT,
                         "C must be upper triangular, but its entry (%" PRId64 ", %" PRId64 ") is %g", i + 1,
                         j + 1, bekk->C[i * d + j]);
        }
    }
    return VOLT_OK;
}

volt_status volt_bekk_check_stationary(const volt_bekk *bekk)
{
    VOLT_TRY(volt_bekk_check(bekk));
    for (int64_t i = 0; i < bekk->d; i++) {
        double a = bekk->a[i], b = bekk->b[i], sum = a * a + b * b;
        VOLT_REQUIRE(sum < 1, VOLT_ERR_ARGUMENT,
                     "the BEKK model is not covariance stationary: a^2 + b^2 of asset %" PRId64
                     "%s%s%s must be below 1 (got %.6g for a = %g, b = %g)",
                     i + 1, bekk->tickers ? " (" : "", bekk->tickers ? bekk->tickers[i] : "",
                     bekk->tickers ? ")" : "", sum, a, b);
    }
    return VOLT_OK;
}

static double stationary_entry(const volt_bekk *bekk, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = i > j ? i : j; k < bekk->d; k++)
        sum += bekk->C[i * bekk->d + k] * bekk->C[j * bekk->d + k];
    return sum / (1 - bekk->a[i] * bekk->a[j] - bekk->b[i] * bekk->b[j]);
}

volt_status volt_bekk_stationary_covariance(const volt_bekk *bekk, volt_matrix covariance)
{
    VOLT_TRY(volt_bekk_check_stationary(bekk));
    int64_t d = bekk->d;
    VOLT_TRY(volt_check_output(covariance, d, d, "the covariance"));
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++)
            VOLT_REQUIRE(isfinite(stationary_entry(bekk, i, j)), VOLT_ERR_NOT_FINITE,
                         "entry (%" PRId64 ", %" PRId64 ") of the stationary covariance overflows", i + 1,
                         j + 1);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            covariance.data[i * covariance.ld + j] = stationary_entry(bekk, i, j);
    return VOLT_OK;
}
