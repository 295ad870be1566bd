/* tests/fuzz/fuzz_bekk_json.c: libFuzzer target for BEKK parameters in JSON.
 *
 * Parameters that are read must survive a bitwise round trip. A simulation and a likelihood with them fail
 * without changing their outputs, or give finite results. */
#include "fuzz/fuzz_input.h" /* first: it enables GNU functions */

#include "data/bekk/bekk.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parameters of many assets are slow to simulate and show nothing new. */
enum { MAX_TEXT = 1 << 14, MAX_ASSETS = 6, STEPS = 4, MAX_VECH = MAX_ASSETS * (MAX_ASSETS + 1) / 2 };
static const double untouched = -12345.678;

static void check_same(const double *a, const double *b, int64_t count)
{
    FUZZ_CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

static void check_same_text(const char *a, const char *b)
{
    FUZZ_CHECK(a && b ? strcmp(a, b) == 0 : a == b);
}

/* Standard errors are written with four digits, so a second round trip does not change them. */
static void check_round_trip(const volt_bekk *bekk, const char *written)
{
    volt_bekk *again = NULL;
    char *twice = NULL;
    FUZZ_CHECK(volt_bekk_from_json(written, &again) == VOLT_OK);
    int64_t d = bekk->d;
    FUZZ_CHECK(again->d == d && again->observations == bekk->observations);
    check_same(again->C, bekk->C, d * d);
    check_same(again->a, bekk->a, d);
    check_same(again->b, bekk->b, d);
    FUZZ_CHECK(!again->C_error == !bekk->C_error && !again->tickers == !bekk->tickers);
    for (int64_t i = 0; bekk->tickers && i < d; i++)
        check_same_text(again->tickers[i], bekk->tickers[i]);
    check_same_text(again->first_date, bekk->first_date);
    check_same_text(again->last_date, bekk->last_date);
    check_same_text(again->command, bekk->command);
    FUZZ_CHECK(volt_bekk_to_json(again, &twice) == VOLT_OK && strcmp(twice, written) == 0);
    volt_free(twice);
    volt_bekk_free(again);
}

/* All `count` numbers are finite, or unchanged if the call failed. */
static void check_numbers(volt_status status, const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        FUZZ_CHECK(status ? values[i] == untouched : isfinite(values[i]));
}

static void check_use(const volt_bekk *bekk)
{
    int64_t d = bekk->d, vech = d * (d + 1) / 2;
    double z[STEPS * MAX_ASSETS], r[STEPS * MAX_ASSETS], h[STEPS * MAX_VECH], terms[STEPS];
    double loglik = untouched, covariance[MAX_ASSETS * MAX_ASSETS];
    for (int64_t i = 0; i < STEPS * MAX_VECH; i++)
        h[i] = untouched;
    for (int64_t i = 0; i < STEPS * MAX_ASSETS; i++)
        z[i] = r[i] = untouched;
    for (int64_t i = 0; i < d * d; i++)
        covariance[i] = untouched;
    volt_status stationary = volt_bekk_stationary_covariance(bekk, volt_matrix_of(covariance, d, d));
    check_numbers(stationary, covariance, d * d);

    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.discard = 2;
    volt_status status = volt_bekk_simulate(bekk, &options, volt_matrix_of(z, STEPS, d),
                                            volt_matrix_of(r, STEPS, d), volt_matrix_of(h, STEPS, vech));
    check_numbers(status, z, STEPS * d);
    check_numbers(status, r, STEPS * d);
    check_numbers(status, h, STEPS * vech);
    FUZZ_CHECK(status || volt_bekk_check_stationary(bekk) == VOLT_OK);

    for (int64_t t = 0; t < STEPS; t++) { /* returns that span the space where d < STEPS */
        terms[t] = untouched;
        for (int64_t i = 0; i < d; i++)
            r[t * d + i] = 0.01 * (double)((3 * t + i * t + i) % 5 - 2);
    }
    for (int64_t i = 0; i < STEPS * vech; i++)
        h[i] = untouched;
    status = volt_bekk_loglik(bekk, volt_view_of(r, STEPS, d), terms, volt_matrix_of(h, STEPS, vech), &loglik);
    check_numbers(status, terms, STEPS);
    check_numbers(status, h, STEPS * vech);
    check_numbers(status, &loglik, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int is_ready;
    if (!is_ready)
        is_ready = volt_set_threads(1) == VOLT_OK;
    char text[MAX_TEXT + 1];
    if (size > MAX_TEXT || memchr(bytes, 0, size)) /* volt_text_read rejects a zero byte */
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';

    volt_bekk *bekk = NULL;
    if (volt_bekk_from_json(text, &bekk)) {
        FUZZ_CHECK(!bekk && *volt_error_detail());
        return 0;
    }
    FUZZ_CHECK(bekk->d >= 1 && bekk->d <= VOLT_BEKK_MAX_ASSETS);
    char *written = NULL;
    FUZZ_CHECK(volt_bekk_to_json(bekk, &written) == VOLT_OK);
    check_round_trip(bekk, written);
    volt_free(written);
    if (bekk->d <= MAX_ASSETS)
        check_use(bekk);
    volt_bekk_free(bekk);
    return 0;
}
