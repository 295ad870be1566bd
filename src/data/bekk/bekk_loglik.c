/* src/data/bekk/bekk_loglik.c: the log-likelihood of given parameters on given returns. */
#include "base/error.h"
#include "base/memory.h"
#include "data/bekk/bekk_likelihood.h"
#include "data/bekk/returns.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static volt_status check_call(const volt_bekk *bekk, volt_view returns, volt_matrix covariances,
                              const double *loglik)
{
    VOLT_TRY(volt_bekk_check(bekk));
    VOLT_REQUIRE(loglik, VOLT_ERR_ARGUMENT, "the place for the log-likelihood is NULL");
    VOLT_TRY(volt_returns_check(returns));
    VOLT_REQUIRE(returns.cols == bekk->d, VOLT_ERR_SHAPE,
                 "the returns have %" PRId64 " columns, and the BEKK parameters are those of %" PRId64
                 " assets",
                 returns.cols, bekk->d);
    VOLT_REQUIRE(returns.rows > bekk->d, VOLT_ERR_DATA,
                 "there are %" PRId64 " returns of %" PRId64
                 " assets, and their covariance needs at least %" PRId64,
                 returns.rows, bekk->d, bekk->d + 1);
    VOLT_REQUIRE(!covariances.data || (covariances.rows == returns.rows && covariances.ld >= covariances.cols &&
                                       covariances.cols == volt_packed_count(bekk->d)),
                 VOLT_ERR_SHAPE,
                 "the covariances are %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64,
                 covariances.rows, covariances.cols, returns.rows, volt_packed_count(bekk->d));
    return VOLT_OK;
}

static void copy_covariances(const volt_bekk_likelihood *likelihood, double *packed, volt_matrix out)
{
    for (int64_t t = 0; t < likelihood->n; t++) {
        for (int64_t e = 0; e < likelihood->entries; e++)
            packed[e] = likelihood->covariances[volt_bekk_lane_of(likelihood->entries, t, e)];
        volt_packed_to_vech(likelihood->d, packed, out.data + t * out.ld);
    }
}

volt_status volt_bekk_loglik(const volt_bekk *bekk, volt_view returns, double *terms, volt_matrix covariances,
                             double *loglik)
{
    VOLT_TRY(check_call(bekk, returns, covariances, loglik));
    volt_bekk_likelihood likelihood;
    VOLT_TRY(volt_bekk_likelihood_create(returns, NULL, &likelihood));
    double value = 0;
    int64_t broken = volt_bekk_likelihood_evaluate(&likelihood, bekk->C, bekk->a, bekk->b, &value, NULL);
    bool finite = broken < 0 && isfinite(value); /* every term is; their sum may not be */
    if (finite) {
        if (terms)
            memcpy(terms, likelihood.terms, (size_t)likelihood.n * sizeof *terms);
        if (covariances.data)
            copy_covariances(&likelihood, likelihood.sums, covariances);
        *loglik = value;
    }
    volt_bekk_likelihood_free(&likelihood);
    VOLT_REQUIRE(broken < 0, VOLT_ERR_SINGULAR, "the covariance of row %" PRId64 " is not positive definite",
                 broken + 1);
    VOLT_REQUIRE(finite, VOLT_ERR_NOT_FINITE, "the log-likelihood is too large for a double");
    return VOLT_OK;
}
