/* src/data/bekk/bekk_scores.c: exact derivatives of single terms of the log-likelihood.
 *
 * In the diagonal model H_t(i, j) depends only on a_i, a_j, b_i, b_j and (C C')(i, j), so derivatives can be
 * propagated forward in O(d^2) a step. With S_t the derivative of term t with respect to H_t,
 *
 *     c_t(i, j)  = 1 + b_i b_j c_{t-1}(i, j)                          of H_t(i, j) by (C C')(i, j)
 *     Da_t(i, j) = a_j r_i r_j + b_i b_j Da_{t-1}(i, j)               by a_i (half of it for i = j)
 *     Db_t(i, j) = b_j H_{t-1}(i, j) + b_i b_j Db_{t-1}(i, j)         by b_i (half of it for i = j)
 *
 *     dC = triu(2 (S_t o c_t) C),   da_i = 2 sum_j S_t(i, j) Da_t(i, j),   db_i = 2 sum_j S_t(i, j) Db_t(i, j)
 *
 * Their sum over t equals the gradient of the adjoint method. */
#include "base/error.h"
#include "base/memory.h"
#include "base/views.h"
#include "data/bekk/bekk.h"
#include "data/bekk/bekk_likelihood.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

int64_t volt_bekk_scores_workspace(int64_t d)
{
    return 4 * d * d;
}

/* One step of the three recursions, full d x d matrices, from the state at t - 1. */
static void advance(const volt_bekk_likelihood *likelihood, const double *a, const double *b, int64_t t,
                    double *c, double *Da, double *Db)
{
    int64_t d = likelihood->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            int64_t at = i * d + j;
            double beta = b[i] * b[j];
            double product = likelihood->returns[volt_bekk_lane_of(d, t - 1, i)] *
                             likelihood->returns[volt_bekk_lane_of(d, t - 1, j)];
            double H =
                likelihood->covariances[volt_bekk_lane_of(likelihood->entries, t - 1, volt_packed(i, j))];
            c[at] = 1 + beta * c[at];
            Da[at] = a[j] * product + beta * Da[at];
            Db[at] = b[j] * H + beta * Db[at];
        }
}

static void score_of_step(const volt_bekk_likelihood *likelihood, const double *C, int64_t t, const double *c,
                          const double *Da, const double *Db, double *S, double *score)
{
    int64_t d = likelihood->d;
    double *by_a = score + likelihood->entries, *by_b = by_a + d;
    for (int64_t i = 0; i < d; i++) {
        double sum_a = 0, sum_b = 0;
        for (int64_t j = 0; j < d; j++) {
            int64_t at = i * d + j;
            double slope = likelihood->slopes[volt_bekk_lane_of(likelihood->entries, t, volt_packed(i, j))];
            sum_a += slope * Da[at];
            sum_b += slope * Db[at];
            S[at] = slope * c[at];
        }
        by_a[i] = 2 * sum_a;
        by_b[i] = 2 * sum_b;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++) {
            double sum = 0;
            for (int64_t k = 0; k <= j; k++)
                sum += S[i * d + k] * C[k * d + j];
            *score++ = 2 * sum;
        }
}

void volt_bekk_scores(const volt_bekk_likelihood *likelihood, const double *C, const double *a, const double *b,
                      double *workspace, double *scores)
{
    int64_t d = likelihood->d, n_parameters = volt_bekk_parameter_count(d);
    double *c = workspace, *Da = c + d * d, *Db = Da + d * d, *S = Db + d * d;
    memset(workspace, 0, (size_t)(3 * d * d) * sizeof *workspace);
    memset(scores, 0, (size_t)n_parameters * sizeof *scores);
    for (int64_t t = 1; t < likelihood->n; t++) {
        advance(likelihood, a, b, t, c, Da, Db);
        score_of_step(likelihood, C, t, c, Da, Db, S, scores + t * n_parameters);
    }
}

/* ---- the log-likelihood of given parameters on given returns ----------------------------------- */

static volt_status check_call(const volt_bekk *bekk, volt_view returns, volt_matrix covariances,
                              const double *loglik)
{
    VOLT_TRY(volt_bekk_check(bekk));
    VOLT_REQUIRE(loglik, VOLT_ERR_ARGUMENT, "the output for the log-likelihood is NULL");
    VOLT_TRY(volt_returns_check(returns));
    VOLT_REQUIRE(returns.cols == bekk->d, VOLT_ERR_SHAPE,
                 "the returns have %" PRId64 " columns, but the BEKK parameters have %" PRId64 " assets",
                 returns.cols, bekk->d);
    VOLT_REQUIRE(returns.rows > bekk->d, VOLT_ERR_DATA,
                 "there are %" PRId64 " returns of %" PRId64
                 " assets, but their covariance requires at least %" PRId64,
                 returns.rows, bekk->d, bekk->d + 1);
    return covariances.data
               ? volt_check_output(covariances, returns.rows, volt_packed_count(bekk->d), "the covariances")
               : VOLT_OK;
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
    bool finite = broken < 0 && isfinite(value); /* every term is finite; their sum may not be */
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
    VOLT_REQUIRE(finite, VOLT_ERR_NOT_FINITE, "the log-likelihood overflows");
    return VOLT_OK;
}
