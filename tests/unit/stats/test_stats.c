/* tests/unit/stats/test_stats.c: metrics: known values, properties and errors. */
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/stats.h"

static volt_metrics metrics_of(const double *truth, const double *forecast, int64_t rows, int64_t cols)
{
    volt_metrics metrics = {.struct_size = sizeof metrics};
    check_ok(
        volt_metrics_compute(volt_view_of(truth, rows, cols), volt_view_of(forecast, rows, cols), &metrics));
    return metrics;
}

/* A few additions and one division: a few eps. */
static void check_near(const char *name, double expected, double actual)
{
    golden_check_number(name, expected, actual, 8 * DBL_EPSILON, GOLDEN_RELATIVE);
}

/* ---- metrics ---------------------------------------------------------------------------------- */

static void values_by_hand(void **state)
{
    /* errors 0, 1, -2, 1; mean 2.5 and population variance 1.25 of the truth */
    const double truth[] = {1, 2, 3, 4}, forecast[] = {1, 1, 5, 3};
    volt_metrics m = metrics_of(truth, forecast, 4, 1);
    check_near("mse", 6.0 / 4, m.mse);
    check_near("nmse", 1.5 / 1.25, m.nmse);
    check_near("r2", 1 - 1.5 / 1.25, m.r2);
    check_near("mae", 1, m.mae);
    check_near("mdae", 1, m.mdae);
    check_near("w1", (0 + 1 + 0 + 1) / 4.0, m.w1); /* sorted: 1 2 3 4 and 1 1 3 5 */
    check_near("mape", (0 + 1.0 / 2 + 2.0 / 3 + 1.0 / 4) / 4, m.mape);
    check_near("rmse", sqrt(1.5), m.rmse);

    /* The square of the second error underflows. */
    const double zeros[] = {0, 0}, small[] = {1, 0x1p-540};
    m = metrics_of(zeros, small, 2, 1);
    assert_true(m.mse == 0.5 && m.rmse == sqrt(0.5));
}

static void an_even_median_is_the_mean_of_the_middle(void **state)
{
    const double zeros[5] = {0}, errors[] = {8, -1, 3, -4, 100};
    check_near("four", 3.5, metrics_of(zeros, errors, 4, 1).mdae);
    check_near("five", 4, metrics_of(zeros, errors, 5, 1).mdae);
    check_near("two", 4.5, metrics_of(zeros, errors, 2, 1).mdae);
    check_near("one", 8, metrics_of(zeros, errors, 1, 1).mdae);
}

static void constant_truth_has_r2_one_or_zero(void **state)
{
    /* 0.1 three times: their mean does not round to 0.1, so a computed variance would not be 0. */
    const double constant[] = {0.1, 0.1, 0.1}, other[] = {0.1, 0.2, 0.1};
    volt_metrics exact = metrics_of(constant, constant, 3, 1);
    assert_true(exact.r2 == 1 && exact.nmse == 0 && exact.mse == 0);
    volt_metrics wrong = metrics_of(constant, other, 3, 1);
    assert_true(wrong.r2 == 0 && wrong.nmse == 1 && wrong.mse > 0);
    /* A single row is constant. */
    assert_true(metrics_of(constant, constant, 1, 1).r2 == 1);
    assert_true(metrics_of(constant, other + 1, 1, 1).r2 == 0);
}

static void zero_truth_keeps_mape_finite(void **state)
{
    const double truth[] = {0, 2}, forecast[] = {1, 1};
    check_near("mape", (1 / DBL_EPSILON + 0.5) / 2, metrics_of(truth, forecast, 2, 1).mape);
    assert_true(metrics_of(truth, truth, 2, 1).mape == 0);
}

static void all_is_the_mean_over_outputs_and_invariances_hold(void **state)
{
    enum { T = 501, Q = 4 };
    const uint64_t seed = 3;
    print_message("seed %d, stream 0\n", (int)seed);
    static double y[T][Q], f[T][Q], y2[T][Q], f2[T][Q];
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < Q; j++) {
            y[i][j] = volt_rng_normal(&rng) * (j + 1) + j;
            f[i][j] = y[i][j] + 0.3 * volt_rng_normal(&rng);
            y2[i][j] = 8 * y[i][j]; /* a power of two: exact */
            f2[i][j] = 8 * f[i][j];
        }
    volt_metrics all = metrics_of(y[0], f[0], T, Q), scaled = metrics_of(y2[0], f2[0], T, Q);
    double mse = 0, mae = 0, mdae = 0, w1 = 0, r2 = 0, mape = 0, alone = 0;
    check_ok(volt_r2(volt_view_of(y[0], T, Q), volt_view_of(f[0], T, Q), &alone));
    assert_true(alone == all.r2);
    for (int j = 0; j < Q; j++) {
        volt_metrics m = {.struct_size = sizeof m};
        check_ok(volt_metrics_compute((volt_view){y[0] + j, T, 1, Q}, (volt_view){f[0] + j, T, 1, Q}, &m));
        mse += m.mse / Q;
        mae += m.mae / Q;
        mdae += m.mdae / Q;
        w1 += m.w1 / Q;
        r2 += m.r2 / Q;
        mape += m.mape / Q;
        assert_true(m.w1 <= m.mae * (1 + T * DBL_EPSILON)); /* pairing rows is one of many transport plans */
    }
    check_near("mse", mse, all.mse);
    check_near("mae", mae, all.mae);
    check_near("mdae", mdae, all.mdae);
    check_near("w1", w1, all.w1);
    check_near("r2", r2, all.r2);
    check_near("mape", mape, all.mape);
    golden_check_number("1 - r2", 1 - all.r2, all.nmse, 8 * DBL_EPSILON, GOLDEN_ABSOLUTE);
    /* scaling: squared errors by 64, absolute errors by 8, ratios unchanged */
    check_near("mse", 64 * all.mse, scaled.mse);
    check_near("w1", 8 * all.w1, scaled.w1);
    check_near("nmse", all.nmse, scaled.nmse);
}

static void forecasting_the_mean_has_nmse_one(void **state)
{
    const double truth[] = {1, 2, 6, 7}, forecast[] = {4, 4, 4, 4};
    volt_metrics m = metrics_of(truth, forecast, 4, 1);
    check_near("nmse", 1, m.nmse);
    assert_true(fabs(m.r2) <= 8 * DBL_EPSILON);
}

static void invalid_input_is_rejected_and_metrics_untouched(void **state)
{
    double y[6] = {1, 2, 3, 4, 5, 6}, f[6] = {1, 2, 3, 4, 5, 6};
    volt_metrics metrics = {.struct_size = sizeof metrics}, before = {.struct_size = sizeof before};
    memset(&metrics, 0x5a, sizeof metrics);
    metrics.struct_size = sizeof metrics;
    before = metrics;
    check_fails(volt_metrics_compute(volt_view_of(y, 3, 2), volt_view_of(f, 2, 3), &metrics), VOLT_ERR_SHAPE,
                "3 2 forecast");
    check_fails(volt_metrics_compute(volt_view_of(y, 0, 2), volt_view_of(f, 0, 2), &metrics), VOLT_ERR_SHAPE,
                "x 0 2");
    check_fails(volt_metrics_compute(volt_view_of(y, 2, 0), volt_view_of(f, 2, 0), &metrics), VOLT_ERR_SHAPE,
                "x 2 0");
    check_fails(volt_metrics_compute(volt_view_of(NULL, 3, 2), volt_view_of(f, 3, 2), &metrics),
                VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_metrics_compute((volt_view){y, 3, 2, 1}, volt_view_of(f, 3, 2), &metrics),
                VOLT_ERR_ARGUMENT, "dimension 1 2");
    check_fails(volt_metrics_compute(volt_view_of(y, 3, 2), volt_view_of(f, 3, 2), NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    double r2 = -7;
    check_fails(volt_r2(volt_view_of(y, 3, 2), volt_view_of(f, 2, 3), &r2), VOLT_ERR_SHAPE, "3 2 forecast");
    check_fails(volt_r2(volt_view_of(y, 3, 2), volt_view_of(f, 3, 2), NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(r2 == -7);
    f[3] = NAN;
    check_fails(volt_metrics_compute(volt_view_of(y, 3, 2), volt_view_of(f, 3, 2), &metrics),
                VOLT_ERR_NOT_FINITE, "row 1 column forecast");
    y[4] = INFINITY;
    check_fails(volt_metrics_compute(volt_view_of(y, 3, 2), volt_view_of(f, 3, 2), &metrics),
                VOLT_ERR_NOT_FINITE, "row 2 column 0");
    assert_memory_equal(&metrics, &before, sizeof metrics);
}

/* Finite values with overflowing squares have an infinite mean square; overflowing differences or sums are
 * an error. */
static void overflow_is_an_error(void **state)
{
    const double large[] = {1e200, -1e200, 1e200}, other[] = {-1e200, 1e200, -1e200};
    const double huge[] = {DBL_MAX, DBL_MAX, -DBL_MAX};
    volt_metrics metrics = {.struct_size = sizeof metrics};
    check_ok(volt_metrics_compute(volt_view_of(large, 3, 1), volt_view_of(other, 3, 1), &metrics));
    assert_true(isinf(metrics.mse) && fabs(metrics.rmse / 2e200 - 1) < 1e-15 &&
                fabs(metrics.mae / 2e200 - 1) < 1e-15);
    assert_true(fabs(metrics.r2 - (1 - 4.5)) < 1e-14); /* the variance is 8/9, the squared error 4 */
    check_fails(volt_metrics_compute(volt_view_of(huge, 3, 1), volt_view_of(huge, 3, 1), &metrics),
                VOLT_ERR_NOT_FINITE, "column 0");
}

/* ---- Wasserstein ------------------------------------------------------------------------------ */

static double w1_of(const double *a, int64_t n, const double *b, int64_t m)
{
    double distance = -1;
    check_ok(volt_wasserstein(a, n, b, m, &distance));
    return distance;
}

static void distances_by_hand(void **state)
{
    const double a[] = {3, 0, 1}, b[] = {5, 8, 6}, c[] = {0, 2}, d[] = {1, 1, 1}, e[] = {7};
    check_near("shift by 5", 5, w1_of(a, 3, b, 3));
    check_near("two points to their middle", 1, w1_of(c, 2, d, 3));
    check_near("thirds and halves", 2.0 / 3, w1_of(a, 3, c, 2)); /* |F - G| = 1/6, 1/6, 1/3 on the gaps */
    check_near("one point", 6, w1_of(e, 1, d, 3));
    assert_true(w1_of(a, 3, a, 3) == 0);
}

/* The same sample in another order, or with every value twice, is at distance 0; the distance is symmetric;
 * the triangle inequality holds. */
static void wasserstein_is_a_metric(void **state)
{
    enum { N = 97, M = 53 };
    const uint64_t seed = 4;
    print_message("seed %d, stream 0\n", (int)seed);
    double a[N], a_twice[2 * N], b[M], c[N];
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int i = 0; i < N; i++) {
        a[i] = volt_rng_normal(&rng);
        c[i] = 1 + 2 * volt_rng_normal(&rng);
        a_twice[N - 1 - i] = a_twice[N + i] = a[i];
    }
    for (int i = 0; i < M; i++)
        b[i] = volt_rng_uniform(&rng);
    /* i/N and 2i/2N round equally, so the two functions agree exactly after both jumps */
    assert_true(w1_of(a, N, a_twice, 2 * N) == 0);
    double ab = w1_of(a, N, b, M), bc = w1_of(b, M, c, N), ac = w1_of(a, N, c, N);
    golden_check_number("symmetry", ab, w1_of(b, M, a, N), N * DBL_EPSILON, GOLDEN_RELATIVE);
    assert_true(ab > 0 && ac <= ab + bc && ab <= ac + bc && bc <= ab + ac);
}

static void invalid_samples_are_rejected(void **state)
{
    const double a[] = {1, NAN}, b[] = {1, 2}, far[] = {DBL_MAX}, near[] = {-DBL_MAX};
    double distance = 7;
    check_fails(volt_wasserstein(a, 0, b, 2, &distance), VOLT_ERR_ARGUMENT, "sample 0");
    check_fails(volt_wasserstein(b, 2, NULL, 2, &distance), VOLT_ERR_ARGUMENT, "second");
    check_fails(volt_wasserstein(b, 2, a, 2, &distance), VOLT_ERR_NOT_FINITE, "second 1");
    check_fails(volt_wasserstein(far, 1, near, 1, &distance), VOLT_ERR_NOT_FINITE, "overflows");
    check_fails(volt_wasserstein(b, 2, b, 2, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(distance == 7);
}

/* ---- valid prediction time -------------------------------------------------------------------- */

static void check_valid(const double *truth, const double *forecast, int64_t rows, int64_t cols,
                        double threshold, int64_t expected, int expected_reached)
{
    int64_t valid = -1;
    int reached = -1;
    check_ok(volt_valid_rows(volt_view_of(truth, rows, cols), volt_view_of(forecast, rows, cols), threshold,
                             &valid, &reached));
    assert_int_equal(valid, expected);
    assert_int_equal(reached, expected_reached);
}

static void first_row_above_threshold(void **state)
{
    /* relative errors: 0, 1/8, 1/4, 1/2 with |y| = 8 (powers of two: exact) */
    const double y[] = {8, 8, 8, 8}, f[] = {8, 9, 6, 12};
    check_valid(y, f, 4, 1, 0.5, 4, 1); /* reached with equality */
    check_valid(y, f, 4, 1, 0.2, 3, 1);
    check_valid(y, f, 4, 1, 0.125, 2, 1);
    check_valid(y, f, 4, 1, 0.51, 4, 0);    /* never */
    check_valid(y, f + 1, 3, 1, 0.1, 1, 1); /* at once */
    /* two outputs: |y| = 5 and 10, |e| = 0 and 2 */
    const double y2[] = {3, 4, 6, 8}, f2[] = {3, 4, 6, 10};
    check_valid(y2, f2, 2, 2, 0.2, 2, 1);
    check_valid(y2, f2, 2, 2, 0.21, 2, 0);
}

static void zero_and_huge_truths(void **state)
{
    const double zero[] = {0, 0}, near[] = {0, 1e-300};
    check_valid(zero, zero, 2, 1, 0.2, 2, 0);
    check_valid(zero, near, 2, 1, 0.2, 2, 1);
    const double large[] = {1e200, 1e200, 1e200, 1e200}, half[] = {1e200, 1e200, 0.5e200, 0.5e200};
    check_valid(large, half, 2, 2, 0.2, 2, 1);
    check_valid(large, half, 2, 2, 0.6, 2, 0);
}

static void invalid_calls_are_rejected(void **state)
{
    const double y[] = {1, 2}, bad[] = {1, NAN};
    const double thresholds[] = {0, -1, NAN, INFINITY};
    int64_t rows = 7;
    int reached = 7;
    for (int i = 0; i < 4; i++)
        check_fails(
            volt_valid_rows(volt_view_of(y, 2, 1), volt_view_of(y, 2, 1), thresholds[i], &rows, &reached),
            VOLT_ERR_ARGUMENT, "threshold");
    check_fails(volt_valid_rows(volt_view_of(y, 2, 1), volt_view_of(y, 1, 2), 0.2, &rows, &reached),
                VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_valid_rows(volt_view_of(y, 2, 1), volt_view_of(bad, 2, 1), 0.2, &rows, &reached),
                VOLT_ERR_NOT_FINITE, "row 1 column 0");
    check_fails(volt_valid_rows(volt_view_of(y, 2, 1), volt_view_of(y, 2, 1), 0.2, NULL, &reached),
                VOLT_ERR_ARGUMENT, "NULL");
    assert_true(rows == 7 && reached == 7);
}

static void memory_failures_are_clean(void **state)
{
    const double y[] = {1, 2, 3};
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_metrics metrics = {.struct_size = sizeof metrics};
        volt_status status = volt_metrics_compute(volt_view_of(y, 3, 1), volt_view_of(y, 3, 1), &metrics);
        failing_alloc_check(status);
    }
    for (int64_t k = 0; failing_alloc_next(&k);) {
        double distance = 7;
        volt_status status = volt_wasserstein(y, 3, y, 2, &distance);
        failing_alloc_check(status);
        assert_true(status == VOLT_OK || distance == 7);
    }
}

/* Codes are consecutive. */
static void every_warning_has_its_own_text(void **state)
{
    for (int code = 0; code <= VOLT_WARNING_SHORT_SEASON; code++) {
        const char *text = volt_warning_text((volt_warning_code)code);
        assert_string_not_equal(text, volt_warning_text((volt_warning_code)-1));
        for (int other = 0; other < code; other++)
            assert_string_not_equal(text, volt_warning_text((volt_warning_code)other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(an_even_median_is_the_mean_of_the_middle),
        cmocka_unit_test(constant_truth_has_r2_one_or_zero),
        cmocka_unit_test(zero_truth_keeps_mape_finite),
        cmocka_unit_test(all_is_the_mean_over_outputs_and_invariances_hold),
        cmocka_unit_test(forecasting_the_mean_has_nmse_one),
        cmocka_unit_test(invalid_input_is_rejected_and_metrics_untouched),
        cmocka_unit_test(overflow_is_an_error),
        cmocka_unit_test(distances_by_hand),
        cmocka_unit_test(wasserstein_is_a_metric),
        cmocka_unit_test(invalid_samples_are_rejected),
        cmocka_unit_test(first_row_above_threshold),
        cmocka_unit_test(zero_and_huge_truths),
        cmocka_unit_test(invalid_calls_are_rejected),
        cmocka_unit_test(memory_failures_are_clean),
        cmocka_unit_test(every_warning_has_its_own_text),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
