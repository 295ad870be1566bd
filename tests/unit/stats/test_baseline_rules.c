/* tests/unit/stats/test_baseline_rules.c: baselines: values computed by hand, available information, failures. */
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "volterra/stats.h"

enum { LENGTH = 160, COLUMNS = 2, SEASON = 8 };

/* A random walk and a noisy sine. */
static void draw(double y[LENGTH][COLUMNS], uint64_t seed)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int t = 0; t < LENGTH; t++) {
        y[t][0] = (t ? y[t - 1][0] : 100) + volt_rng_normal(&rng);
        y[t][1] = 3 * sin(6.283185307179586 * t / SEASON) + volt_rng_normal(&rng);
    }
}

static void values_by_hand(void **state)
{
    const double y[] = {1, 2, 4, 7, 11, 16};
    const volt_view levels = volt_view_of(y, 6, 1);
    double out[3];
    const volt_matrix f = volt_matrix_of(out, 3, 1);
    check_ok(volt_baseline_forecast(VOLT_BASELINE_NAIVE, levels, 2, 0, 0, 5, f));
    assert_true(out[0] == 7 && out[1] == 11 &&
                out[2] == 16); /* rows 5, 6 and 7; rows 6 and 7 are not yet known */
    check_ok(volt_baseline_forecast(VOLT_BASELINE_SEASONAL, levels, 3, 2, 0, 5, f));
    assert_true(out[0] == 2 && out[1] == 4 && out[2] == 7); /* two seasons of 2 rows earlier */
    check_ok(volt_baseline_forecast(VOLT_BASELINE_SEASONAL, levels, 2, 2, 0, 5, f));
    assert_true(out[0] == 7);
    check_ok(volt_baseline_forecast(VOLT_BASELINE_DRIFT, levels, 1, 0, 3, 3, f)); /* drift of 1.5 per row */
    assert_true(out[0] == 5.5 && out[1] == 8.5 && out[2] == 12.5);
    check_ok(volt_baseline_forecast(VOLT_BASELINE_DRIFT, levels, 2, 0, 0, 2, f));
    assert_true(out[0] == 1); /* one row gives no drift */
    assert_true(out[1] == 2 + 2 * 1 && out[2] == 4 + 2 * 1.5);
    /* Too few rows for an autoregression: falls back to naive. */
    check_ok(volt_baseline_forecast(VOLT_BASELINE_AR, levels, 1, 0, 6, 4, f));
    assert_true(out[0] == 7 && out[1] == 11 && out[2] == 16);
    assert_string_equal(volt_baseline_name(VOLT_BASELINE_AR), "autoregression");
    assert_null(volt_baseline_name((volt_baseline)VOLT_BASELINE_KINDS));
}

/* y[r] = a y[r - 1] + b without noise. The remaining error is due to the smallest ridge, 1e-6 of the
 * variance. */
static void autoregression_recovers_linear_rule(void **state)
{
    enum { n = 60 };
    double y[n] = {0}, out[20];
    for (int t = 0; t < n; t++)
        y[t] = t ? 0.9 * y[t - 1] - 0.5 * (t > 1 ? y[t - 2] : 0) + 1 : 7;
    check_ok(volt_baseline_forecast(VOLT_BASELINE_AR, volt_view_of(y, n, 1), 1, 0, 40, 40,
                                    volt_matrix_of(out, 20, 1)));
    golden_check("forecasts", y + 40, out, 20, 1e-4, GOLDEN_MAX_NORM);
    /* A constant is predicted exactly: no regressor varies. */
    for (int t = 0; t < n; t++)
        y[t] = 0.1;
    for (int64_t learn_end = 0; learn_end <= 40; learn_end += 40) {
        check_ok(volt_baseline_forecast(VOLT_BASELINE_AR, volt_view_of(y, n, 1), 1, 0, learn_end, 40,
                                        volt_matrix_of(out, 20, 1)));
        for (int i = 0; i < 20; i++)
            assert_true(out[i] == 0.1);
    }
}

/* For a sine, the naive error reaches 2 sin(0.35) = 0.69. The sine satisfies a recurrence with two lags,
 * which a ridge of at most 1e-3 of a correlation changes by less than 1 %. */
static void autoregression_predicts_sine(void **state)
{
    enum { n = 60 };
    double y[n], out[20];
    for (int t = 0; t < n; t++)
        y[t] = 3 + sin(0.7 * t);
    for (int64_t lag = 1; lag <= 2; lag++)
        for (int64_t learn_end = 0; learn_end <= 40; learn_end += 40) {
            check_ok(volt_baseline_forecast(VOLT_BASELINE_AR, volt_view_of(y, n, 1), lag, 0, learn_end, 40,
                                            volt_matrix_of(out, 20, 1)));
            for (int i = 0; i < 20; i++)
                assert_true(fabs(out[i] - y[40 + i]) < 0.1);
        }
}

/* The forecast of row r is bitwise independent of rows after r - lag and of rows from learn_end on. */
static void forecasts_use_only_past_rows(void **state)
{
    static double y[LENGTH][COLUMNS], other[LENGTH][COLUMNS];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        print_message("seed %d, stream 0\n", (int)seed);
        draw(y, seed);
        for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++)
            for (int64_t lag = 1; lag <= 9; lag += 4)
                for (int64_t learn_end = 0; learn_end <= 60; learn_end += 60) {
                    const int64_t row = 80 + (int64_t)seed, known = row - lag + 1;
                    double out[COLUMNS], again[COLUMNS];
                    memcpy(other, y, sizeof y);
                    for (int64_t t = known; t < LENGTH; t++)
                        other[t][0] = other[t][1] = NAN;
                    check_ok(volt_baseline_forecast((volt_baseline)kind, volt_view_of(y[0], LENGTH, COLUMNS),
                                                    lag, SEASON, learn_end, row,
                                                    volt_matrix_of(out, 1, COLUMNS)));
                    check_ok(volt_baseline_forecast((volt_baseline)kind,
                                                    volt_view_of(other[0], LENGTH, COLUMNS), lag, SEASON,
                                                    learn_end, row, volt_matrix_of(again, 1, COLUMNS)));
                    assert_memory_equal(out, again, sizeof out);
                }
    }
}

/* Batches equal single rows, and joint columns equal separate columns. Scaling by a power of two scales the
 * result exactly, also near the limits of the range of doubles. */
static void rows_columns_and_units_are_independent(void **state)
{
    static double y[LENGTH][COLUMNS], z[LENGTH][COLUMNS], out[LENGTH][COLUMNS], part[LENGTH][COLUMNS];
    draw(y, 11);
    print_message("seed 11, stream 0\n");
    static const int exponents[] = {1000, -1000};
    for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++)
        for (int64_t learn_end = 0; learn_end <= 100; learn_end += 100) {
            const volt_view levels = volt_view_of(y[0], LENGTH, COLUMNS);
            const int64_t begin = 40, count = LENGTH - 40;
            const volt_baseline baseline = (volt_baseline)kind;
            check_ok(volt_baseline_forecast(baseline, levels, 2, SEASON, learn_end, begin,
                                            volt_matrix_of(out[0], count, COLUMNS)));
            for (int k = 0; k < COLUMNS; k++) {
                const volt_view column = {y[0] + k, LENGTH, 1, COLUMNS};
                const volt_matrix place = {part[0] + k, count, 1, COLUMNS};
                check_ok(volt_baseline_forecast(baseline, column, 2, SEASON, learn_end, begin, place));
            }
            assert_memory_equal(out, part, (size_t)count * sizeof *out);
            for (int64_t i = 0; i < count; i++)
                check_ok(volt_baseline_forecast(baseline, levels, 2, SEASON, learn_end, begin + i,
                                                volt_matrix_of(part[i], 1, COLUMNS)));
            assert_memory_equal(out, part, (size_t)count * sizeof *out);
            for (int e = 0; e < 2; e++) {
                for (int t = 0; t < LENGTH; t++)
                    for (int k = 0; k < COLUMNS; k++)
                        z[t][k] = ldexp(y[t][k], exponents[e]);
                check_ok(volt_baseline_forecast(baseline, volt_view_of(z[0], LENGTH, COLUMNS), 2, SEASON,
                                                learn_end, begin, volt_matrix_of(part[0], count, COLUMNS)));
                for (int64_t i = 0; i < count; i++)
                    for (int k = 0; k < COLUMNS; k++)
                        assert_true(part[i][k] == ldexp(out[i][k], exponents[e]));
            }
        }
}

static void failures_name_the_argument(void **state)
{
    double y[20], out[4] = {5, 5, 5, 5};
    for (int t = 0; t < 20; t++)
        y[t] = t;
    const volt_view levels = volt_view_of(y, 20, 1);
    const volt_matrix f = volt_matrix_of(out, 2, 1);
    const volt_baseline naive = VOLT_BASELINE_NAIVE, seasonal = VOLT_BASELINE_SEASONAL;
    check_fails(volt_baseline_forecast((volt_baseline)9, levels, 1, 0, 0, 9, f), VOLT_ERR_ARGUMENT,
                "baseline 9");
    check_fails(volt_baseline_forecast(naive, levels, 0, 0, 0, 9, f), VOLT_ERR_ARGUMENT, "lag 0");
    check_fails(volt_baseline_forecast(naive, levels, INT64_MAX, 0, 0, INT64_MAX, f), VOLT_ERR_ARGUMENT, "lag");
    check_fails(volt_baseline_forecast(naive, levels, 1, 1, 0, 9, f), VOLT_ERR_ARGUMENT, "season 1");
    check_fails(volt_baseline_forecast(naive, levels, 1, -4, 0, 9, f), VOLT_ERR_ARGUMENT, "season -4");
    check_fails(volt_baseline_forecast(seasonal, levels, 1, 0, 0, 9, f), VOLT_ERR_ARGUMENT, "season 2 rows");
    check_fails(volt_baseline_forecast(naive, levels, 1, 0, 21, 9, f), VOLT_ERR_ARGUMENT, "end 0 20");
    check_fails(volt_baseline_forecast(naive, levels, 3, 0, 0, 2, f), VOLT_ERR_ARGUMENT, "row 3");
    check_fails(volt_baseline_forecast(seasonal, levels, 3, 2, 0, 3, f), VOLT_ERR_ARGUMENT, "row 4");
    check_fails(volt_baseline_forecast(naive, levels, 3, 0, 0, 22, f), VOLT_ERR_ARGUMENT, "row 22");
    check_fails(volt_baseline_forecast(naive, levels, 1, 0, 0, 9, volt_matrix_of(out, 2, 2)), VOLT_ERR_SHAPE,
                "x 2");
    check_fails(volt_baseline_forecast(naive, volt_view_of(y, 0, 1), 1, 0, 0, 9, f), VOLT_ERR_SHAPE, "x 0 1");
    check_fails(volt_baseline_forecast(naive, volt_view_of(NULL, 20, 1), 1, 0, 0, 9, f), VOLT_ERR_ARGUMENT,
                "data");
    y[7] = NAN;
    check_fails(volt_baseline_forecast(naive, levels, 1, 0, 0, 9, f), VOLT_ERR_NOT_FINITE, "row 7");
    y[7] = 7;
    y[0] = -DBL_MAX;
    y[19] = DBL_MAX;
    check_fails(volt_baseline_forecast(VOLT_BASELINE_DRIFT, levels, 1, 0, 20, 19, f), VOLT_ERR_NOT_FINITE,
                "drift forecast row 20 column 0");
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 5);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_baseline_forecast(naive, levels, 1, 0, 0, 9, f);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(autoregression_recovers_linear_rule),
        cmocka_unit_test(autoregression_predicts_sine),
        cmocka_unit_test(forecasts_use_only_past_rows),
        cmocka_unit_test(rows_columns_and_units_are_independent),
        cmocka_unit_test(failures_name_the_argument),
    };
    return cmocka_run_group_tests_name("baseline rules", tests, NULL, NULL);
}
