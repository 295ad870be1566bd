/* src/data/bekk/bekk.c: parameters of the BEKK model: their life, their signs, when they are stationary.
 *
 * The diagonal model is stationary if and only if a_i^2 + b_i^2 < 1 for every i (the spectral radius of
 * A (x) A + B (x) B is max_ij |a_i a_j + b_i b_j|, which lies on the diagonal). Changing the sign of a, of b or of a
 * column of C changes nothing in H_t: sum a > 0, sum b > 0 and diag C > 0 choose one of the equal ones. */
#include "data/bekk/bekk.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------- */

volt_status volt_bekk_create(int64_t d, volt_bekk **bekk)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the place for the BEKK parameters is NULL");
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MOST_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets is %" PRId64 ", and must be 1 to %d", d, VOLT_BEKK_MOST_ASSETS);
    volt_bekk *fresh = volt_alloc_zero(1, sizeof *fresh);
    double *numbers = volt_alloc_zero(d * (d + 2), sizeof *numbers);
    if (!fresh || !numbers) {
        volt_free(numbers);
        volt_free(fresh);
        return VOLT_ERR_MEMORY;
    }
    fresh->d = d;
    fresh->C = numbers;
    fresh->a = numbers + d * d;
    fresh->b = fresh->a + d;
    fresh->loglik = NAN;
    fresh->converged = -1;
    *bekk = fresh;
    return VOLT_OK;
}

volt_status volt_bekk_allocate_errors(volt_bekk *bekk)
{
    int64_t d = bekk->d;
    if (bekk->C_error)
        return VOLT_OK;
    double *numbers = volt_alloc_zero(d * (d + 2), sizeof *numbers);
    if (!numbers)
        return VOLT_ERR_MEMORY;
    bekk->C_error = numbers;
    bekk->a_error = numbers + d * d;
    bekk->b_error = bekk->a_error + d;
    return VOLT_OK;
}

static void free_names(char **names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        volt_free(names[i]);
    volt_free(names);
}

void volt_bekk_free(volt_bekk *bekk)
{
    if (!bekk)
        return;
    free_names(bekk->tickers, bekk->d);
    volt_free(bekk->first_date);
    volt_free(bekk->last_date);
    volt_free(bekk->command);
    volt_free(bekk->C_error);
    volt_free(bekk->C);
    volt_free(bekk);
}

static volt_status copy_names(const char *const *names, int64_t count, char ***copy)
{
    if (!names)
        return VOLT_OK;
    char **fresh = volt_alloc_zero(count, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        fresh[i] = volt_strdup(names[i] ? names[i] : "");
        if (!fresh[i]) {
            free_names(fresh, count);
            return VOLT_ERR_MEMORY;
        }
    }
    *copy = fresh;
    return VOLT_OK;
}

volt_status volt_bekk_describe(volt_bekk *bekk, const char *const *tickers, const char *first_date,
                               const char *last_date, const char *command)
{
    VOLT_REQUIRE(bekk, VOLT_ERR_ARGUMENT, "the BEKK parameters are NULL");
    const char *const texts[] = {first_date, last_date, command};
    char *copies[3] = {NULL, NULL, NULL}, **names = NULL;
    volt_status status = copy_names(tickers, bekk->d, &names);
    for (int i = 0; i < 3 && status == VOLT_OK; i++)
        if (texts[i]) {
            copies[i] = volt_strdup(texts[i]);
            status = copies[i] ? VOLT_OK : VOLT_ERR_MEMORY;
        }
    if (status != VOLT_OK) {
        for (int i = 0; i < 3; i++)
            volt_free(copies[i]);
        free_names(names, bekk->d);
        return status;
    }
    free_names(bekk->tickers, bekk->d);
    volt_free(bekk->first_date);
    volt_free(bekk->last_date);
    volt_free(bekk->command);
    bekk->tickers = names;
    bekk->first_date = copies[0];
    bekk->last_date = copies[1];
    bekk->command = copies[2];
    return VOLT_OK;
}

/* ---- packed matrices and C --------------------------------------------------------------------- */

void volt_bekk_intercept(int64_t d, const double *C, double *packed)
{
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = i; k < d; k++)
                sum += C[i * d + k] * C[j * d + k];
            packed[volt_packed(i, j)] = sum;
        }
}

/* An ordinary Cholesky factor that begins at the last row and column: column k of C from entry (k, k) up. */
int volt_bekk_upper_factor(int64_t d, const double *packed, double *C)
{
    memset(C, 0, (size_t)(d * d) * sizeof *C);
    for (int64_t k = d - 1; k >= 0; k--) {
        double pivot = packed[volt_packed(k, k)];
        for (int64_t l = k + 1; l < d; l++)
            pivot -= C[k * d + l] * C[k * d + l];
        if (!(pivot > 0) || !isfinite(pivot))
            return 0;
        C[k * d + k] = sqrt(pivot);
        for (int64_t i = 0; i < k; i++) {
            double rest = packed[volt_packed(k, i)];
            for (int64_t l = k + 1; l < d; l++)
                rest -= C[i * d + l] * C[k * d + l];
            C[i * d + k] = rest / C[k * d + k];
        }
    }
    return 1;
}

void volt_packed_to_vech(int64_t d, const double *packed, double *vech)
{
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = j; i < d; i++)
            *vech++ = packed[volt_packed(i, j)];
}

static void fix_sign(double *values, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += values[i];
    for (int64_t i = 0; sum < 0 && i < count; i++)
        values[i] = -values[i];
}

void volt_bekk_fix_signs(volt_bekk *bekk)
{
    int64_t d = bekk->d;
    fix_sign(bekk->a, d);
    fix_sign(bekk->b, d);
    for (int64_t k = 0; k < d; k++)
        for (int64_t i = 0; bekk->C[k * d + k] < 0 && i <= k; i++)
            bekk->C[i * d + k] = -bekk->C[i * d + k]; /* the diagonal last */
}

/* ---- stationarity ----------------------------------------------------------------------------- */

volt_status volt_bekk_check(const volt_bekk *bekk)
{
    VOLT_REQUIRE(bekk && bekk->C && bekk->a && bekk->b, VOLT_ERR_ARGUMENT, "the BEKK parameters are NULL");
    int64_t d = bekk->d;
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MOST_ASSETS, VOLT_ERR_ARGUMENT,
                 "the number of assets is %" PRId64 ", and must be 1 to %d", d, VOLT_BEKK_MOST_ASSETS);
    for (int64_t i = 0; i < d; i++) {
        VOLT_REQUIRE(isfinite(bekk->a[i]) && isfinite(bekk->b[i]), VOLT_ERR_NOT_FINITE,
                     "a or b of asset %" PRId64 " is not finite", i + 1);
        for (int64_t j = 0; j < d; j++) {
            VOLT_REQUIRE(isfinite(bekk->C[i * d + j]), VOLT_ERR_NOT_FINITE,
                         "entry (%" PRId64 ", %" PRId64 ") of C is not finite", i + 1, j + 1);
            VOLT_REQUIRE(j >= i || bekk->C[i * d + j] == 0, VOLT_ERR_ARGUMENT,
                         "C must be upper triangular, and its entry (%" PRId64 ", %" PRId64 ") is %g", i + 1,
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
                     "the BEKK model is not stationary: a^2 + b^2 of asset %" PRId64
                     "%s%s%s is %.6g (a = %g, b = %g), "
                     "and must be below 1",
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
    VOLT_REQUIRE(covariance.data && covariance.rows == d && covariance.cols == d && covariance.ld >= d,
                 VOLT_ERR_SHAPE,
                 "the covariance is %" PRId64 " x %" PRId64 ", and must be %" PRId64 " x %" PRId64,
                 covariance.rows, covariance.cols, d, d);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++)
            VOLT_REQUIRE(isfinite(stationary_entry(bekk, i, j)), VOLT_ERR_NOT_FINITE,
                         "entry (%" PRId64 ", %" PRId64
                         ") of the covariance in the long run is too large for a double",
                         i + 1, j + 1);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            covariance.data[i * covariance.ld + j] = stationary_entry(bekk, i, j);
    return VOLT_OK;
}
