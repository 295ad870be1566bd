/* tests/unit/data/test_bekk.c: the BEKK model: values computed by hand, files, presets, invalid arguments. */
#include "base/progress.h"
#include "data/bekk/bekk.h"
#include "data/bekk/bekk_likelihood.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/data.h"

static const volt_matrix nothing = {NULL, 0, 0, 0};
static const double two_pi = 6.283185307179586;

static volt_bekk *two_assets(void)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(2, &bekk));
    const double C[] = {0.3, 0.1, 0, 0.4}, a[] = {0.3, 0.2}, b[] = {0.9, 0.95};
    memcpy(bekk->C, C, sizeof C);
    memcpy(bekk->a, a, sizeof a);
    memcpy(bekk->b, b, sizeof b);
    return bekk;
}

/* ---- parameters ------------------------------------------------------------------------------- */

static void fresh_parameters_are_zero_and_unknown(void **state)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(3, &bekk));
    for (int i = 0; i < 15; i++)
        assert_true(bekk->C[i] == 0);
    assert_true(isnan(bekk->loglik) && bekk->converged == -1 && !bekk->tickers && !bekk->C_error);
    char *text = NULL;
    check_ok(volt_bekk_to_json(bekk, &text));
    assert_null(strstr(text, "observations")); /* unknown fields are omitted */
    volt_free(text);
    volt_bekk_free(bekk);
    volt_bekk_free(NULL);
    check_fails(volt_bekk_create(0, &bekk), VOLT_ERR_ARGUMENT, "assets 0");
    check_fails(volt_bekk_create(201, &bekk), VOLT_ERR_ARGUMENT, "1 200");
    check_fails(volt_bekk_create(2, NULL), VOLT_ERR_ARGUMENT, "NULL");
}

static void stationarity_names_the_asset(void **state)
{
    volt_bekk *bekk = two_assets();
    check_ok(volt_bekk_check_stationary(bekk));
    bekk->a[1] = 0.6;
    bekk->b[1] = 0.8; /* 0.36 + 0.64 is 1 up to rounding: not below 1 */
    bekk->b[1] = nextafter(0.8, 1);
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "a^2 b^2 2 1 = 0.6 b 0.8");
    bekk->b[1] = -0.9; /* |b| < 1 is not sufficient */
    const char *const tickers[] = {"ONE", "TWO"};
    check_ok(volt_bekk_set_source(bekk, tickers, NULL, NULL, NULL));
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "2 TWO 1.17");
    double covariance[4] = {-7, -7, -7, -7};
    check_fails(volt_bekk_stationary_covariance(bekk, volt_matrix_of(covariance, 2, 2)), VOLT_ERR_ARGUMENT,
                "TWO");
    check_fails(volt_bekk_simulate(bekk, NULL, nothing, volt_matrix_of(covariance, 2, 2), nothing),
                VOLT_ERR_ARGUMENT, "stationary");
    assert_true(covariance[0] == -7);
    bekk->b[1] = NAN;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_NOT_FINITE, "asset 2");
    bekk->b[1] = 0;
    bekk->C[2] = 0.1;
    check_fails(volt_bekk_check_stationary(bekk), VOLT_ERR_ARGUMENT, "entry 2 1 0.1");
    check_fails(volt_bekk_check_stationary(NULL), VOLT_ERR_ARGUMENT, "NULL");
    volt_bekk_free(bekk);
}

/* C C' = [0.10 0.04; 0.04 0.16]; 1 - a a' - b b' = [0.10, 0.085; 0.085, 0.0575]. */
static void stationary_covariance_by_hand(void **state)
{
    volt_bekk *bekk = two_assets();
    double covariance[4];
    const double expected[] = {0.1 / 0.1, 0.04 / 0.085, 0.04 / 0.085, 0.16 / 0.0575};
    check_ok(volt_bekk_stationary_covariance(bekk, volt_matrix_of(covariance, 2, 2)));
    for (int i = 0; i < 4; i++)
        assert_true(fabs(covariance[i] - expected[i]) <= 1e-14 * expected[3] / 0.0575);
    check_fails(volt_bekk_stationary_covariance(bekk, volt_matrix_of(covariance, 1, 2)), VOLT_ERR_SHAPE,
                "x 1 2");
    bekk->C[3] = 1e200; /* overflows when squared */
    double before = covariance[0];
    check_fails(volt_bekk_stationary_covariance(bekk, volt_matrix_of(covariance, 2, 2)), VOLT_ERR_NOT_FINITE,
                "overflows");
    assert_true(covariance[0] == before);
    volt_bekk_free(bekk);
}

static void signs_are_fixed_without_changing_the_model(void **state)
{
    volt_bekk *bekk = two_assets();
    double before[3], after[3];
    bekk->a[0] = -0.3, bekk->a[1] = 0.2; /* individual signs are identified, the common sign is not */
    bekk->b[0] = -0.9, bekk->b[1] = -0.95;
    bekk->C[1] = 0.1, bekk->C[3] = -0.4;
    volt_bekk_intercept(2, bekk->C, before);
    volt_bekk_fix_signs(bekk);
    volt_bekk_intercept(2, bekk->C, after);
    assert_memory_equal(before, after, sizeof before);
    assert_true(bekk->a[0] == 0.3 && bekk->a[1] == -0.2 && bekk->b[0] == 0.9 && bekk->b[1] == 0.95);
    assert_true(bekk->C[0] == 0.3 && bekk->C[1] == -0.1 && bekk->C[3] == 0.4);
    volt_bekk_free(bekk);
}

/* [5 2; 2 4]: c22 = 2, c12 = 1, c11 = 2. */
static void upper_factor_by_hand(void **state)
{
    const double M[] = {5, 2, 4};
    double C[4];
    assert_true(volt_bekk_upper_factor(2, M, C));
    assert_true(C[0] == 2 && C[1] == 1 && C[2] == 0 && C[3] == 2);
    const double indefinite[] = {1, 2, 1};
    assert_false(volt_bekk_upper_factor(2, indefinite, C));
}

/* For these a and b, S o (1 - a a' - b b') is indefinite: 1 - a_i^2 - b_i^2 is 0.0199 and 0.5, and the off-
 * diagonal entry is 0.95 (1 - 0.7 * 0.7) = 0.48 > sqrt(0.0199 * 0.5) = 0.1. */
static void indefinite_covariance_targets_are_shifted(void **state)
{
    volt_rng rng = test_rng(11);
    enum { ROWS = 60 };
    double rows[ROWS][2], first[] = {1, 0.95, 1};
    for (int t = 0; t < ROWS; t++)
        rows[t][0] = volt_rng_normal(&rng), rows[t][1] = volt_rng_normal(&rng);
    volt_bekk_likelihood likelihood;
    check_ok(volt_bekk_likelihood_create(volt_view_of(rows[0], ROWS, 2), first, &likelihood));
    double a[] = {0.99, 0}, b[] = {0, 0.7071}, C[4], product[3];
    assert_true(volt_bekk_target_variance(&likelihood, a, b, C));
    assert_true(a[0] < 0.99 && a[1] > 0); /* moved towards each other */
    volt_bekk_intercept(2, C, product);
    for (int i = 0, e = 0; i < 2; i++)
        for (int j = 0; j <= i; j++, e++)
            assert_true(fabs(product[e] - first[e] * (1 - a[i] * a[j] - b[i] * b[j])) <= 1e-14);
    double fine_a[] = {0.2, 0.25}, fine_b[] = {0.95, 0.94};
    assert_true(volt_bekk_target_variance(&likelihood, fine_a, fine_b, C));
    assert_true(fine_a[0] == 0.2 && fine_b[1] == 0.94); /* unchanged if already definite */
    volt_bekk_likelihood_free(&likelihood);
}

/* ---- simulation ------------------------------------------------------------------------------- */

/* One asset: r = sqrt(h) z, h' = c^2 + a^2 r^2 + b^2 h, starting at the stationary variance with the first
 * normal draws. */
static void one_asset_by_hand(void **state)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(1, &bekk));
    bekk->C[0] = 0.5, bekk->a[0] = 0.4, bekk->b[0] = 0.8;
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.seed = 5;
    options.discard = 3;
    double z[20], r[20], h[20];
    check_ok(volt_bekk_simulate(bekk, &options, volt_matrix_of(z, 20, 1), volt_matrix_of(r, 20, 1),
                                volt_matrix_of(h, 20, 1)));
    volt_rng rng;
    volt_rng_init(&rng, 5, 0);
    double variance = 0.25 / (1 - 0.16 - 0.64);
    for (int t = -3; t < 20; t++) {
        double normal = volt_rng_normal(&rng), value = sqrt(variance) * normal;
        if (t >= 0) {
            assert_true(z[t] == normal);
            assert_true(fabs(r[t] - value) <= 1e-13 && fabs(h[t] - variance) <= 1e-13 * variance);
        }
        variance = 0.25 + 0.16 * value * value + 0.64 * variance;
    }
    volt_bekk_free(bekk);
}

static void seeds_streams_and_optional_outputs(void **state)
{
    volt_bekk *bekk = two_assets();
    double r[30][2], again[30][2], h[30][3], other[30][2];
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    check_ok(volt_bekk_simulate(bekk, NULL, nothing, volt_matrix_of(r[0], 30, 2), volt_matrix_of(h[0], 30, 3)));
    check_ok(volt_bekk_simulate(bekk, &options, nothing, volt_matrix_of(again[0], 30, 2), nothing));
    assert_memory_equal(r, again, sizeof r);
    options.seed = 1;
    check_ok(volt_bekk_simulate(bekk, &options, nothing, volt_matrix_of(other[0], 30, 2), nothing));
    assert_true(other[0][0] != r[0][0]);
    options.seed = 0;
    options.stream = 1;
    check_ok(volt_bekk_simulate(bekk, &options, nothing, volt_matrix_of(again[0], 30, 2), nothing));
    assert_true(again[0][0] != r[0][0] && again[0][0] != other[0][0]);

    check_fails(volt_bekk_simulate(bekk, NULL, nothing, nothing, nothing), VOLT_ERR_ARGUMENT, "matrix");
    check_fails(volt_bekk_simulate(bekk, NULL, nothing, volt_matrix_of(r[0], 0, 2), nothing), VOLT_ERR_ARGUMENT,
                "rows 0");
    check_fails(volt_bekk_simulate(bekk, NULL, nothing, volt_matrix_of(r[0], 10, 3), nothing), VOLT_ERR_SHAPE,
                "3 columns 2");
    check_fails(
        volt_bekk_simulate(bekk, NULL, volt_matrix_of(again[0], 9, 2), volt_matrix_of(r[0], 10, 2), nothing),
        VOLT_ERR_SHAPE, "10 rows 9");
    options.discard = -1;
    check_fails(volt_bekk_simulate(bekk, &options, nothing, volt_matrix_of(r[0], 10, 2), nothing),
                VOLT_ERR_ARGUMENT, "discard -1");
    volt_bekk_free(bekk);
}

/* ---- likelihood and returns ------------------------------------------------------------------- */

/* Three returns of one asset: 1, -1, 0. H_1 is their variance 1, then H is 0.25 + 0.16 r^2 + 0.64 h. */
static void likelihood_by_hand(void **state)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(1, &bekk));
    bekk->C[0] = 0.5, bekk->a[0] = 0.4, bekk->b[0] = 0.8;
    const double r[] = {1, -1, 0}, h[] = {1, 1.05, 0.25 + 0.16 + 0.64 * 1.05};
    double terms[3], H[3], loglik, sum = 0;
    check_ok(volt_bekk_loglik(bekk, volt_view_of(r, 3, 1), terms, volt_matrix_of(H, 3, 1), &loglik));
    for (int t = 0; t < 3; t++) {
        double expected = -0.5 * (log(two_pi) + log(h[t]) + r[t] * r[t] / h[t]);
        assert_true(fabs(terms[t] - expected) <= 1e-14 && fabs(H[t] - h[t]) <= 1e-15);
        sum += expected;
    }
    assert_true(fabs(loglik - sum) <= 1e-14);

    double wide[4] = {1, 2, 3, 4}, missing[] = {1, NAN, 0};
    loglik = -7;
    check_fails(volt_bekk_loglik(bekk, volt_view_of(wide, 2, 2), NULL, nothing, &loglik), VOLT_ERR_SHAPE,
                "2 columns");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(r, 1, 1), NULL, nothing, &loglik), VOLT_ERR_DATA, "at 2");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(missing, 3, 1), NULL, nothing, &loglik),
                VOLT_ERR_NOT_FINITE, "row 2 column 1");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(r, 3, 1), NULL, volt_matrix_of(H, 2, 1), &loglik),
                VOLT_ERR_SHAPE, "x 2 1 3");
    check_fails(volt_bekk_loglik(bekk, volt_view_of(r, 3, 1), NULL, nothing, NULL), VOLT_ERR_ARGUMENT, "NULL");
    /* r^2 / h = 1e308 from the second row on: every term is finite, the sum is not. */
    const double loud[] = {1, -1, 1, -1, 1, -1, 1, -1};
    bekk->C[0] = 1e-154, bekk->a[0] = bekk->b[0] = 0;
    check_fails(volt_bekk_loglik(bekk, volt_view_of(loud, 8, 1), NULL, nothing, &loglik), VOLT_ERR_NOT_FINITE,
                "overflows");
    bekk->C[0] = 0;
    check_fails(volt_bekk_loglik(bekk, volt_view_of(r, 3, 1), NULL, nothing, &loglik), VOLT_ERR_SINGULAR,
                "row 2");
    assert_true(loglik == -7);
    volt_bekk_free(bekk);
}

static void log_returns_by_hand(void **state)
{
    double prices[] = {1, 8, 2, 4, 8, 4}, returns[4] = {-7, -7, -7, -7};
    const double expected[] = {log(2), -log(2), log(4), 0};
    check_ok(volt_log_returns(volt_view_of(prices, 3, 2), volt_matrix_of(returns, 2, 2)));
    for (int i = 0; i < 4; i++)
        assert_true(fabs(returns[i] - expected[i]) <= 1e-15);
    returns[0] = -7;
    prices[3] = 0;
    check_fails(volt_log_returns(volt_view_of(prices, 3, 2), volt_matrix_of(returns, 2, 2)), VOLT_ERR_DATA,
                "row 2 column 0");
    prices[3] = NAN;
    check_fails(volt_log_returns(volt_view_of(prices, 3, 2), volt_matrix_of(returns, 2, 2)),
                VOLT_ERR_NOT_FINITE, "row 2 column");
    assert_true(returns[0] == -7);
    prices[3] = 4;
    check_fails(volt_log_returns(volt_view_of(prices, 1, 2), volt_matrix_of(returns, 0, 2)), VOLT_ERR_DATA,
                "two");
    check_fails(volt_log_returns(volt_view_of(prices, 3, 2), volt_matrix_of(returns, 3, 2)), VOLT_ERR_SHAPE,
                "x 2");
    check_fails(volt_log_returns(volt_view_of(NULL, 3, 2), volt_matrix_of(returns, 2, 2)), VOLT_ERR_SHAPE,
                "data NULL");
}

/* ---- files and presets ------------------------------------------------------------------------ */

static void parameters_read_back_exactly(void **state)
{
    volt_bekk *bekk = two_assets(), *back = NULL;
    const char *const tickers[] = {"A \"quoted\" one", "\xc3\x9c"};
    char *text = NULL, *again = NULL;
    bekk->C[1] = 1.0 / 3;
    bekk->a[0] = 0.1 + 0.2;
    check_ok(volt_bekk_allocate_errors(bekk));
    bekk->C_error[1] = 0.012504, bekk->a_error[1] = 0.50004, bekk->b_error[0] = 1.0004e-5;
    bekk->loglik = -1234.5678901234567;
    bekk->observations = 1;
    bekk->converged = 0;
    check_ok(volt_bekk_set_source(bekk, tickers, "2019-04-09", "2024-03-08", "made \\ by hand"));
    check_ok(volt_bekk_to_json(bekk, &text));
    check_ok(volt_bekk_from_json(text, &back));
    assert_memory_equal(bekk->C, back->C, 8 * sizeof(double));
    assert_true(back->C_error[1] == 0.0125 && back->a_error[1] == 0.5 && back->b_error[0] == 1e-5);
    assert_true(back->loglik == bekk->loglik && back->observations == 1 && back->converged == 0);
    assert_string_equal(back->tickers[0], tickers[0]);
    assert_string_equal(back->tickers[1], tickers[1]);
    assert_string_equal(back->first_date, "2019-04-09");
    assert_string_equal(back->last_date, "2024-03-08");
    assert_string_equal(back->command, "made \\ by hand");
    check_ok(volt_bekk_to_json(back, &again));
    assert_string_equal(text, again);
    volt_free(again);
    volt_free(text);
    text = NULL;
    volt_bekk_free(back);

    const char *const wrong[] = {"fine", "\xff"};
    check_ok(volt_bekk_set_source(bekk, wrong, NULL, NULL, NULL));
    assert_true(!bekk->command && !bekk->first_date);
    check_fails(volt_bekk_to_json(bekk, &text), VOLT_ERR_ARGUMENT, "UTF-8");
    assert_null(text);
    for (int k = 0; k < 2; k++) {
        check_ok(volt_bekk_set_source(bekk, NULL, k == 0 ? "\xff" : "2019", k == 0 ? "2020" : "\xff", NULL));
        check_fails(volt_bekk_to_json(bekk, &text), VOLT_ERR_ARGUMENT, "UTF-8");
    }
    check_ok(volt_bekk_set_source(bekk, NULL, "2019", NULL, NULL)); /* a span requires both ends */
    check_ok(volt_bekk_to_json(bekk, &text));
    assert_null(strstr(text, "dates"));
    volt_free(text);
    volt_bekk_free(bekk);
}

static void damaged_files_are_rejected_with_position(void **state)
{
    const struct {
        const char *text;
        volt_status status;
        const char *sentence;
    } wrong[] = {
        {"", VOLT_ERR_FORMAT, "not JSON: line 1"},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0]", VOLT_ERR_FORMAT, "not JSON"},
        {"[1]", VOLT_ERR_FORMAT, "must be a JSON object"},
        {"{\"C\": [[1]], \"a\": [0]}", VOLT_ERR_FORMAT, "no list \"b\""},
        {"{\"C\": 1, \"a\": [0], \"b\": [0]}", VOLT_ERR_FORMAT, "no list \"C\""},
        {"{\"C\": [], \"a\": [], \"b\": []}", VOLT_ERR_FORMAT, "\"a\" 0 numbers"},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0, 1]}", VOLT_ERR_FORMAT, "\"b\" must be a list of 1 numbers"},
        {"{\"C\": [[1]], \"a\": [\"x\"], \"b\": [0]}", VOLT_ERR_FORMAT, "number 1 of \"a\" is not a number"},
        {"{\"C\": [[1, 2]], \"a\": [0], \"b\": [0]}", VOLT_ERR_FORMAT, "row 1 of \"C\" must be a list of 1"},
        {"{\"C\": [[1], [2]], \"a\": [0], \"b\": [0]}", VOLT_ERR_FORMAT, "\"C\" must be a list of 1 rows"},
        {"{\"C\": [[1, 0], [2, 1]], \"a\": [0, 0], \"b\": [0, 0]}", VOLT_ERR_FORMAT, "entry (2, 1) is 2"},
        {"{\"C\": [[1]], \"a\": [1e999], \"b\": [0]}", VOLT_ERR_FORMAT, "not JSON"},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"tickers\": [1]}", VOLT_ERR_FORMAT, "entry 1 of \"tickers\""},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"dates\": [\"x\"]}", VOLT_ERR_FORMAT, "list of 2 texts"},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"loglik\": \"x\"}", VOLT_ERR_FORMAT, "\"loglik\""},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"observations\": -1}", VOLT_ERR_FORMAT, "\"observations\""},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"converged\": 1}", VOLT_ERR_FORMAT, "\"converged\""},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"a_error\": [1]}", VOLT_ERR_FORMAT, "\"C_error\""},
        {"{\"C\": [[1]], \"a\": [0], \"a\": [0], \"b\": [0]}", VOLT_ERR_FORMAT, "duplicate"},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"C_error\": 7}", VOLT_ERR_FORMAT,
         "\"C_error\" must be a list of 1 rows"},
        {"{\"C\": [[1]], \"a\": [0], \"b\": [0], \"tickers\": 7}", VOLT_ERR_FORMAT,
         "\"tickers\" must be a list of 1 texts"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_bekk *bekk = NULL;
        check_fails(volt_bekk_from_json(wrong[i].text, &bekk), wrong[i].status, wrong[i].sentence);
        assert_null(bekk);
    }
    volt_bekk *bekk = NULL; /* unknown keys and null are accepted */
    check_ok(
        volt_bekk_from_json("{\"C\": [[1]], \"a\": [0], \"b\": [0], \"loglik\": null, \"mine\": {}}", &bekk));
    assert_true(isnan(bekk->loglik));
    volt_bekk_free(bekk);
}

static void presets_are_stationary_estimates(void **state)
{
    static const char *const names[] = {"sp500-d5", "sp500-d10", "sp500-d15"};
    for (int64_t k = 0; k < 3; k++) {
        volt_bekk *bekk = NULL;
        assert_string_equal(volt_bekk_preset_name(k), names[k]);
        check_ok(volt_bekk_preset(names[k], &bekk));
        assert_int_equal(bekk->d, 5 * (k + 1));
        check_ok(volt_bekk_check_stationary(bekk));
        assert_true(bekk->converged == 1 && bekk->observations == 1237 &&
                    bekk->loglik > 17000 * (double)(k + 1) * 0.9);
        assert_true(bekk->a_error && bekk->tickers && bekk->first_date && bekk->command);
        assert_string_equal(bekk->tickers[0], "MMM");
        for (int64_t i = 0; i < bekk->d; i++)
            assert_true(bekk->C[i * bekk->d + i] > 0);
        volt_bekk_free(bekk);
    }
    volt_bekk *bekk = NULL;
    assert_null(volt_bekk_preset_name(3));
    assert_null(volt_bekk_preset_name(-1));
    check_fails(volt_bekk_preset("sp500d5", &bekk), VOLT_ERR_ARGUMENT, "sp500-d5");
    check_fails(volt_bekk_preset("nasdaq", &bekk), VOLT_ERR_ARGUMENT, "'nasdaq'");
    assert_null(bekk);
}

/* ---- estimator -------------------------------------------------------------------------------- */

static void invalid_estimation_data(void **state)
{
    enum { ROWS = 60 };
    volt_rng rng = test_rng(3);
    double *rows = normal_rows(&rng, ROWS, 3);
    volt_bekk *bekk = NULL;
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    check_fails(volt_bekk_fit(volt_view_of(rows, 49, 1), NULL, &bekk, NULL), VOLT_ERR_DATA, "3 parameters 50");
    check_fails(volt_bekk_fit(volt_view_of(rows, 18, 10), NULL, &bekk, NULL), VOLT_ERR_DATA,
                "10 75 parameters 150");
    options.starts = 0;
    check_fails(volt_bekk_fit(volt_view_of(rows, ROWS, 3), &options, &bekk, NULL), VOLT_ERR_ARGUMENT, "1 0");
    check_fails(volt_bekk_fit(volt_view_of(rows, ROWS, 3), NULL, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    for (int t = 0; t < ROWS; t++)
        rows[t * 3 + 2] = rows[t * 3] - 2 * rows[t * 3 + 1];
    check_fails(volt_bekk_fit(volt_view_of(rows, ROWS, 3), NULL, &bekk, NULL), VOLT_ERR_DATA, "depend");
    for (int t = 0; t < ROWS; t++)
        rows[t * 3 + 1] = 0.25;
    check_fails(volt_bekk_fit(volt_view_of(rows, ROWS, 3), NULL, &bekk, NULL), VOLT_ERR_DATA,
                "column 2 constant");
    rows[7] = NAN;
    check_fails(volt_bekk_fit(volt_view_of(rows, ROWS, 3), NULL, &bekk, NULL), VOLT_ERR_NOT_FINITE,
                "row 3 column 2");
    assert_null(bekk);
    free(rows);
}

static double *sample_of(const volt_bekk *bekk, int64_t n, uint64_t seed)
{
    double *returns = new_matrix(n, bekk->d);
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.seed = seed;
    check_ok(volt_bekk_simulate(bekk, &options, nothing, volt_matrix_of(returns, n, bekk->d), nothing));
    return returns;
}

static void keep_warning(volt_log_level level, const char *message, void *context)
{
    (void)level;
    snprintf(context, 256, "%s", message);
}

/* One iteration is not enough. The call reports this and still returns the estimate. */
static void unconverged_estimate_is_reported(void **state)
{
    volt_bekk *truth = two_assets(), *bekk = NULL;
    double *returns = sample_of(truth, 400, 9);
    volt_bekk_fit_info info = {.struct_size = sizeof info};
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    char warning[256] = "";
    volt_set_log(keep_warning, warning);
    check_ok(volt_bekk_fit(volt_view_of(returns, 400, 2), &options, &bekk, &info));
    assert_true(info.converged && bekk->converged == 1 && info.gain_left < 1e-5 && bekk->a_error &&
                info.evaluations > 0);
    assert_string_equal(warning, "");
    volt_bekk_free(bekk);

    free(returns);

    /* Rounding decides which of the short samples need more than one iteration. Some of them do on every
     * machine. */
    enum { SAMPLES = 40, ROWS = 60 };
    int unfinished = 0, apart = 0;
    options.rounds = 1;
    for (uint64_t seed = 1; seed <= SAMPLES; seed++) {
        warning[0] = '\0';
        returns = sample_of(truth, ROWS, seed);
        check_ok(volt_bekk_fit(volt_view_of(returns, ROWS, 2), &options, &bekk, &info));
        bool warned = strstr(warning, "did not converge") || strstr(warning, "not a maximum");
        assert_true(info.converged == bekk->converged && warned == !info.converged);
        assert_true(info.gain_left < 1e-5 || !info.converged);
        unfinished += !info.converged;
        apart += info.reached < info.starts;
        volt_bekk_free(bekk);
        free(returns);
    }
    volt_set_log(NULL, NULL);
    print_message("%d of %d did not converge, the starts of %d end apart\n", unfinished, SAMPLES, apart);
    assert_true(unfinished > 0 && apart > 0);
    volt_bekk_free(truth);
}

typedef struct watch_state {
    int calls, cancel_at, backwards;
    double last;
} watch_state;

static int watch(const char *stage, double fraction, void *context)
{
    watch_state *seen = context;
    (void)stage;
    seen->calls++;
    seen->backwards += fraction < seen->last - 1e-12;
    seen->last = fraction;
    return seen->calls == seen->cancel_at;
}

static void progress_and_cancellation(void **state)
{
    volt_bekk *truth = two_assets(), *bekk = NULL;
    double *returns = sample_of(truth, 300, 2);
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    watch_state seen = {0};
    options.progress = (volt_progress){watch, &seen};
    check_ok(volt_bekk_fit(volt_view_of(returns, 300, 2), &options, &bekk, NULL));
    assert_true(seen.last == 1 && seen.backwards == 0 && seen.calls >= 4);
    volt_bekk_free(bekk);
    bekk = NULL;
    int calls = seen.calls;
    for (int at = 1; at <= calls; at++) { /* no result after cancellation at any call */
        seen = (watch_state){.cancel_at = at};
        volt_status status = volt_bekk_fit(volt_view_of(returns, 300, 2), &options, &bekk, NULL);
        if (status == VOLT_OK) /* the number of calls depends on the clock: this run was faster */
            break;
        assert_int_equal(status, VOLT_ERR_CANCELLED);
        assert_null(bekk);
        assert_int_equal(seen.calls, at);
    }
    volt_bekk_free(bekk);
    bekk = NULL;
    volt_bekk_simulate_options simulate = volt_bekk_simulate_options_default();
    seen = (watch_state){.cancel_at = 2};
    simulate.progress = (volt_progress){watch, &seen};
    simulate.discard = INT64_MAX / 2;
    returns[0] = -7;
    check_fails(volt_bekk_simulate(truth, &simulate, nothing, volt_matrix_of(returns, 300, 2), nothing),
                VOLT_ERR_CANCELLED, "simulate");
    assert_true(returns[0] == -7);
    volt_bekk_free(truth);
    free(returns);
}

static volt_status everything(double *returns, volt_bekk **bekk)
{
    double loglik;
    char *text = NULL;
    volt_bekk *preset = NULL;
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    volt_status status = volt_bekk_preset("sp500-d5", &preset);
    if (status == VOLT_OK)
        status = volt_bekk_to_json(preset, &text);
    if (status == VOLT_OK)
        status = volt_bekk_simulate(preset, NULL, nothing, volt_matrix_of(returns, 60, 5), nothing);
    if (status == VOLT_OK)
        status = volt_bekk_loglik(preset, volt_view_of(returns, 60, 5), NULL, nothing, &loglik);
    volt_free(text);
    volt_bekk_free(preset);
    options.rounds = 2;
    return status == VOLT_OK ? volt_bekk_fit(volt_view_of(returns, 60, 2), &options, bekk, NULL) : status;
}

static void every_allocation_may_fail(void **state)
{
    for (int64_t k = 0; failing_alloc_next(&k);) {
        double returns[300];
        volt_bekk *bekk = NULL;
        volt_status status = everything(returns, &bekk);
        assert_true((status == VOLT_OK) == (bekk != NULL));
        volt_bekk_free(bekk);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_parameters_are_zero_and_unknown),
        cmocka_unit_test(stationarity_names_the_asset),
        cmocka_unit_test(stationary_covariance_by_hand),
        cmocka_unit_test(signs_are_fixed_without_changing_the_model),
        cmocka_unit_test(upper_factor_by_hand),
        cmocka_unit_test(indefinite_covariance_targets_are_shifted),
        cmocka_unit_test(one_asset_by_hand),
        cmocka_unit_test(seeds_streams_and_optional_outputs),
        cmocka_unit_test(likelihood_by_hand),
        cmocka_unit_test(log_returns_by_hand),
        cmocka_unit_test(parameters_read_back_exactly),
        cmocka_unit_test(damaged_files_are_rejected_with_position),
        cmocka_unit_test(presets_are_stationary_estimates),
        cmocka_unit_test(invalid_estimation_data),
        cmocka_unit_test(unconverged_estimate_is_reported),
        cmocka_unit_test(progress_and_cancellation),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("bekk", tests, NULL, NULL);
}
