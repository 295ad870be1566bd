/* tests/unit/stats/test_decomposition.c: seasonal effects, the test of a season, naive and Naive2 forecasts. */
#include "stats/classical.h"
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"

enum { SEED = 20261117, LONG = 600 };

/* A line plus effects of mean 0, or times effects of mean 1: the moving average of an additive season is the
 * line itself; that of a multiplicative season is exact for a constant. */
static void effects_of_exact_seasons(void **state)
{
    const double odd[] = {0.5, -0.25, -0.25}, even[] = {1, -2, 0.5, 0.5}, factors[] = {0.5, 1.5, 1.25, 0.75};
    double y[23], found[4];
    for (int t = 0; t < 23; t++)
        y[t] = 3 + 0.5 * t + odd[t % 3];
    volt_season_effects(y, 23, 3, VOLT_SEASON_ADDITIVE, found);
    golden_check("odd season", odd, found, 3, 1e-14, GOLDEN_ABSOLUTE);
    for (int t = 0; t < 23; t++)
        y[t] = 3 - 0.5 * t + even[t % 4];
    for (int64_t n = 8; n <= 23; n++) { /* each phase has a row with a trend */
        volt_season_effects(y, n, 4, VOLT_SEASON_ADDITIVE, found);
        golden_check("even season", even, found, 4, 1e-14, GOLDEN_ABSOLUTE);
    }
    for (int t = 0; t < 23; t++)
        y[t] = 3 * factors[t % 4];
    volt_season_effects(y, 23, 4, VOLT_SEASON_MULTIPLICATIVE, found);
    golden_check("factors", factors, found, 4, 1e-14, GOLDEN_ABSOLUTE);
}

/* About 10 % of white noise series have a significant lag. The autocorrelation at lag 12 of 600 values is 2 %
 * too small, which leaves 9.3 %; over 1000 series the standard deviation of the share is 0.95 %. The
 * autocorrelation of a sine with the variance of the noise is 0.5, 12 times its standard deviation. */
static void significance_of_seasons(void **state)
{
    print_message("seed %d\n", SEED);
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    int found = 0, missed = 0;
    for (int k = 0; k < 1000; k++) {
        double y[LONG], z[LONG];
        for (int t = 0; t < LONG; t++) {
            y[t] = volt_rng_normal(&rng) / 8;
            z[t] = y[t] + sin(6.283185307179586 * t / 12) * sqrt(2) / 8;
        }
        found += volt_season_significant(y, LONG, 12);
        missed += !volt_season_significant(z, LONG, 12);
    }
    print_message("noise: %d, sine missed: %d of 1000\n", found, missed);
    assert_in_range(found, 93 - 48, 100 + 48);
    assert_int_equal(missed, 0);
    const double constant[20] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
                                 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    assert_false(volt_season_significant(constant, 20, 4));
    assert_false(volt_season_significant(constant, 4, 4));
}

static void naive_paths_by_hand(void **state)
{
    const double y[] = {1, 2, 4, 7, 11};
    double f[5];
    check_ok(volt_naive_forecast(VOLT_BASELINE_NAIVE, y, 5, 0, 2, f));
    assert_true(f[0] == 11 && f[1] == 11);
    check_ok(volt_naive_forecast(VOLT_BASELINE_DRIFT, y, 5, 0, 2, f));
    assert_true(f[0] == 13.5 && f[1] == 16);
    check_ok(volt_naive_forecast(VOLT_BASELINE_DRIFT, y, 1, 0, 2, f));
    assert_true(f[0] == 1 && f[1] == 1);
    check_ok(volt_naive_forecast(VOLT_BASELINE_SEASONAL, y, 5, 2, 5, f));
    assert_true(f[0] == 7 && f[1] == 11 && f[2] == 7 && f[3] == 11 && f[4] == 7);
    check_ok(volt_naive_forecast(VOLT_BASELINE_SEASONAL, y, 5, 5, 1, f));
    assert_true(f[0] == 1);
    check_fails(volt_naive_forecast(VOLT_BASELINE_SEASONAL, y, 5, 6, 1, f), VOLT_ERR_SHAPE, "6");
    check_fails(volt_naive_forecast(VOLT_BASELINE_SEASONAL, y, 5, 1, 1, f), VOLT_ERR_ARGUMENT, "season");
    check_fails(volt_naive_forecast(VOLT_BASELINE_AR, y, 5, 0, 1, f), VOLT_ERR_ARGUMENT, "3");
    const double far[] = {-1.5e308, 1.5e308};
    f[0] = 3;
    check_fails(volt_naive_forecast(VOLT_BASELINE_DRIFT, far, 2, 0, 1, f), VOLT_ERR_NOT_FINITE, "drift");
    assert_true(f[0] == 3);
    const double steep[] = {-1.5e308, 0, 0.5e308}; /* the difference overflows, the mean change does not */
    check_ok(volt_naive_forecast(VOLT_BASELINE_DRIFT, steep, 3, 0, 1, f));
    golden_check_number("steep", 1.5e308, f[0], 1e-15, GOLDEN_RELATIVE);
}

static void naive2_removes_the_season(void **state)
{
    const double factors[] = {0.5, 1.5, 1.25, 0.75};
    double y[30], f[6], expected[6];
    for (int t = 0; t < 30; t++)
        y[t] = 8 * factors[t % 4];
    for (int i = 0; i < 6; i++)
        expected[i] = 8 * factors[(30 + i) % 4];
    volt_season_form form;
    check_ok(volt_naive2_forecast(y, 30, 4, 6, f, &form));
    assert_int_equal(form, VOLT_SEASON_MULTIPLICATIVE);
    golden_check("factors", expected, f, 6, 1e-14, GOLDEN_RELATIVE);

    for (int t = 0; t < 30; t++)
        y[t] -= 8; /* has negative values */
    for (int i = 0; i < 6; i++)
        expected[i] -= 8;
    check_ok(volt_naive2_forecast(y, 30, 4, 6, f, &form));
    assert_int_equal(form, VOLT_SEASON_ADDITIVE);
    golden_check("effects", expected, f, 6, 1e-14, GOLDEN_MAX_NORM);

    /* A phase with effects below 0.01. */
    for (int t = 0; t < 30; t++)
        y[t] = t % 4 ? 8 : 0.01;
    check_ok(volt_naive2_forecast(y, 30, 4, 6, f, &form));
    assert_int_equal(form, VOLT_SEASON_ADDITIVE);

    check_ok(volt_naive2_forecast(y, 11, 4, 6, f, &form)); /* fewer than three seasons */
    assert_int_equal(form, VOLT_SEASON_NONE);
    assert_true(f[0] == 8 && f[5] == 8);
    check_ok(volt_naive2_forecast(y, 30, INT64_MAX, 1, f, NULL));
    assert_true(f[0] == 8);
}

static void rejected_and_out_of_memory(void **state)
{
    double y[] = {1, 2, 3}, f[2];
    check_fails(volt_naive2_forecast(y, 0, 0, 1, f, NULL), VOLT_ERR_SHAPE, "0");
    check_fails(volt_naive2_forecast(y, 3, -1, 1, f, NULL), VOLT_ERR_ARGUMENT, "-1");
    check_fails(volt_naive2_forecast(y, 3, 0, 0, f, NULL), VOLT_ERR_ARGUMENT, "0");
    check_fails(volt_naive2_forecast(NULL, 3, 0, 1, f, NULL), VOLT_ERR_ARGUMENT, "NULL");
    y[1] = NAN;
    check_fails(volt_naive2_forecast(y, 3, 0, 1, f, NULL), VOLT_ERR_NOT_FINITE, "series");
    check_fails(volt_naive_forecast(VOLT_BASELINE_NAIVE, y, 3, 0, 1, f), VOLT_ERR_NOT_FINITE, "series");
    y[1] = 2;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_naive2_forecast(y, 3, 2, 2, f, NULL);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_of_exact_seasons),   cmocka_unit_test(significance_of_seasons),
        cmocka_unit_test(naive_paths_by_hand),        cmocka_unit_test(naive2_removes_the_season),
        cmocka_unit_test(rejected_and_out_of_memory),
    };
    return cmocka_run_group_tests_name("decomposition", tests, NULL, NULL);
}
