/* tests/unit/stats/test_theta.c: the Theta methods against their state equations, exact series, units, failures. */
#include "stats/classical.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"

enum { SEED = 20261118, MOST = 150, AHEAD = 30 };

static const char *const kinds[] = {"OTM", "DOTM"};

/* Fiorucci et al. (2016), equations (11) to (17), with lines from sums over the rows. Returns the sum of
 * squared errors from row `first` on, and the path. */
static double plain_theta(int kind, const double *y, int n, double alpha, double theta, double level, int first,
                          double *path, int h)
{
    double z[MOST + AHEAD], squares = 0, l = level;
    memcpy(z, y, (size_t)n * sizeof *y);
    for (int t = 0; t < n + h; t++) {
        const int rows = kind == VOLT_THETA_DYNAMIC ? t : n;
        double mean = 0, product = 0, a = y[0], b = 0;
        for (int i = 0; i < rows; i++) {
            mean += z[i] / rows;
            product += (i + 1) * z[i] / rows;
        }
        if (rows > 1) {
            b = 6 / ((double)rows * rows - 1) * (2 * product - (1 + rows) * mean);
            a = mean - (rows + 1) / 2.0 * b;
        }
        const double m =
            l + (1 - 1 / theta) * (a * pow(1 - alpha, t) + b * (1 - pow(1 - alpha, t + 1)) / alpha);
        if (t >= n)
            path[t - n] = z[t] = m;
        else if (t >= first)
            squares += (z[t] - m) * (z[t] - m);
        l = alpha * z[t] + (1 - alpha) * l;
    }
    return squares;
}

static void draw(volt_rng *rng, int n, double *y)
{
    const double slope = volt_rng_normal(rng) / 5, noise = volt_rng_uniform(rng) * 2;
    double level = 20 * volt_rng_normal(rng);
    for (int t = 0; t < n; t++) {
        level += slope + 0.3 * volt_rng_normal(rng);
        y[t] = level + noise * volt_rng_normal(rng);
    }
}

/* The forecasts and errors satisfy the state equations with the parameters found, and none of 800 other
 * parameters has smaller errors. The golden section ends within
 * 0.08 0.618^20 = 5e-6 of the minimum over alpha. */
static void fits_satisfy_the_state_equations(void **state)
{
    print_message("seed %d\n", SEED);
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    for (int k = 0; k < 40; k++) {
        const int n = 7 + k * k % 100, kind = k % 2;
        double y[MOST], path[AHEAD], expected[AHEAD], spread = 0;
        draw(&rng, n, y);
        volt_theta_info info;
        check_ok(volt_theta_forecast((volt_theta_kind)kind, y, n, 1, AHEAD, path, &info));
        assert_int_equal(info.season, VOLT_SEASON_NONE);
        const double squares = plain_theta(kind, y, n, info.alpha, info.theta, info.level, 3, expected, AHEAD);
        golden_check(kinds[kind], expected, path, AHEAD, 1e-8, GOLDEN_MAX_NORM);
        golden_check_number("rmse", sqrt(squares / (n - 3)), info.rmse, 1e-8, GOLDEN_RELATIVE);
        for (int t = 0; t < n; t++)
            spread = fmax(spread, fabs(y[t] - y[0]));
        for (int i = 0; i < 800; i++) {
            const double alpha = fmin(fmax(info.alpha + 0.2 * volt_rng_normal(&rng), 0.1), 0.99);
            const double weight = fmin(fmax(1 - 1 / info.theta + 0.2 * volt_rng_normal(&rng), 0), 1 - 1e-10);
            const double level = info.level + spread * volt_rng_normal(&rng) * (i % 2);
            const double other = plain_theta(kind, y, n, alpha, 1 / (1 - weight), level, 3, expected, 0);
            assert_true(other >= squares * (1 - 1e-6));
        }
    }
}

/* n = 3 to 6: alpha = 1/2, theta = 2, level = y[0]/2. */
static void tiny_series_use_the_standard_parameters(void **state)
{
    const double y[] = {1, 2, 4, 3, 7, 5};
    for (int kind = 0; kind < 2; kind++)
        for (int n = 3; n <= 6; n++) {
            double path[4], expected[4];
            volt_theta_info info;
            check_ok(volt_theta_forecast((volt_theta_kind)kind, y, n, 0, 4, path, &info));
            assert_true(info.alpha == 0.5 && info.theta == 2);
            golden_check_number("level", 0.5, info.level, 1e-14, GOLDEN_ABSOLUTE);
            const double squares = plain_theta(kind, y, n, 0.5, 2, 0.5, 0, expected, 4);
            golden_check(kinds[kind], expected, path, 4, 1e-13, GOLDEN_RELATIVE);
            if (kind == VOLT_THETA_OPTIMISED)
                golden_check_number("rmse", sqrt(squares / n), info.rmse, 1e-12, GOLDEN_RELATIVE);
        }
}

static void constants_and_lines_continue(void **state)
{
    for (int kind = 0; kind < 2; kind++)
        for (int n = 3; n <= 40; n++) {
            double y[40], z[40], path[AHEAD], line[AHEAD];
            for (int t = 0; t < 40; t++) {
                y[t] = 0.1;
                z[t] = 5 - 0.25 * t;
            }
            check_ok(volt_theta_forecast((volt_theta_kind)kind, y, n, 4, AHEAD, path, NULL));
            for (int i = 0; i < AHEAD; i++)
                assert_true(path[i] == 0.1);
            if (n < 7)
                continue;
            /* The weight of the line is at most 1 - 1e-10; its errors add up over the rows. */
            check_ok(volt_theta_forecast(VOLT_THETA_OPTIMISED, z, n, 0, AHEAD, path, NULL));
            for (int i = 0; i < AHEAD; i++)
                line[i] = 5 - 0.25 * (n + i);
            golden_check("line", line, path, AHEAD, 1e-8, GOLDEN_ABSOLUTE);
        }
}

/* Powers of two change no rounding. 1e300 and 1e-300 do. */
static void forecasts_do_not_depend_on_the_unit(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 1);
    double y[60], scaled[60], path[AHEAD], other[AHEAD];
    for (int t = 0; t < 60; t++)
        y[t] = (5 + 0.05 * t + volt_rng_normal(&rng) / 2) * (1 + 0.5 * sin(6.283185307179586 * t / 6));
    volt_theta_info info, other_info;
    check_ok(volt_theta_forecast(VOLT_THETA_DYNAMIC, y, 60, 6, AHEAD, path, &info)); /* AHEAD > season */
    assert_int_equal(info.season, VOLT_SEASON_MULTIPLICATIVE);
    static const double units[] = {0x1p-990, 0x1p1010, 1e-300, 1e300};
    for (int k = 0; k < 4; k++) {
        for (int t = 0; t < 60; t++)
            scaled[t] = y[t] * units[k];
        check_ok(volt_theta_forecast(VOLT_THETA_DYNAMIC, scaled, 60, 6, AHEAD, other, &other_info));
        for (int i = 0; i < AHEAD; i++)
            other[i] /= units[k];
        golden_check("unit", path, other, AHEAD, k < 2 ? 0 : 1e-6, GOLDEN_RELATIVE);
        golden_check_number("rmse", info.rmse, other_info.rmse / units[k], k < 2 ? 0 : 1e-9, GOLDEN_RELATIVE);
    }
    for (int t = 0; t < 60; t++)
        scaled[t] = 1.5e308 / 60 * (t + 1);
    other[0] = 7;
    check_fails(volt_theta_forecast(VOLT_THETA_OPTIMISED, scaled, 60, 0, AHEAD, other, NULL),
                VOLT_ERR_NOT_FINITE, "Theta");
    assert_true(other[0] == 7);
}

/* Zeros and negatives: additive effects. One season: none. */
static void season_follows_the_data(void **state)
{
    double y[24], path[8];
    volt_theta_info info;
    for (int t = 0; t < 24; t++)
        y[t] = (t % 4 == 1) * 3;
    check_ok(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 24, 4, 8, path, &info));
    assert_int_equal(info.season, VOLT_SEASON_ADDITIVE);
    for (int i = 0; i < 8; i++)
        golden_check_number("pattern", (i % 4 == 1) * 3, path[i], 1e-12, GOLDEN_ABSOLUTE);
    check_ok(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 7, 4, 8, path, &info));
    assert_int_equal(info.season, VOLT_SEASON_NONE);
    check_ok(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 24, INT64_MAX, 8, path, &info));
    assert_int_equal(info.season, VOLT_SEASON_NONE);
}

static void rejected_and_out_of_memory(void **state)
{
    double y[] = {1, 2, 3, 5}, f[2];
    check_fails(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 2, 0, 1, f, NULL), VOLT_ERR_SHAPE, "3");
    check_fails(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 4, -1, 1, f, NULL), VOLT_ERR_ARGUMENT, "-1");
    check_fails(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 4, 0, 0, f, NULL), VOLT_ERR_ARGUMENT, "0");
    check_fails(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 4, 0, 1, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    y[3] = INFINITY;
    check_fails(volt_theta_forecast(VOLT_THETA_OPTIMISED, y, 4, 0, 1, f, NULL), VOLT_ERR_NOT_FINITE, "series");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_theta_forecast(VOLT_THETA_DYNAMIC, y, 3, 2, 2, f, NULL);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_satisfy_the_state_equations),
        cmocka_unit_test(tiny_series_use_the_standard_parameters),
        cmocka_unit_test(constants_and_lines_continue),
        cmocka_unit_test(forecasts_do_not_depend_on_the_unit),
        cmocka_unit_test(season_follows_the_data),
        cmocka_unit_test(rejected_and_out_of_memory),
    };
    return cmocka_run_group_tests_name("theta", tests, NULL, NULL);
}
