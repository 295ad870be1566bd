/* tests/unit/stats/test_skill.c: errors relative to a baseline: known values, properties and errors. */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/stats.h"

static const volt_view NO_HISTORY = {0};

/* A few additions and divisions: a few eps. */
static void check_near(const char *name, double expected, double actual)
{
    golden_check_number(name, expected, actual, 8 * DBL_EPSILON, GOLDEN_RELATIVE);
}

static void values_by_hand(void **state)
{
    /* Errors 1, -1, 2 against 4, 5, 6; the second output is exact, the baseline's errors there are 1, 1, 1. */
    const double truth[] = {11, 0, 16, 1, 22, 2}, forecast[] = {10, 0, 17, 1, 20, 2};
    const double baseline[] = {7, 1, 11, 0, 16, 1}, exact[] = {7, 0, 11, 1, 16, 2};
    const volt_view y = volt_view_of(truth, 3, 2), f = volt_view_of(forecast, 3, 2);
    volt_skill skill = {.struct_size = sizeof skill};
    check_ok(volt_skill_compute(y, f, volt_view_of(baseline, 3, 2), NO_HISTORY, 1, 0, &skill));
    check_near("skill", 1 - 6.0 / 77 / 2, skill.skill);
    check_near("mase", 4.0 / 15 / 2, skill.mase);
    assert_int_equal(skill.outputs, 2);
    /* An output with an exact baseline is excluded. */
    check_ok(volt_skill_compute(y, f, volt_view_of(exact, 3, 2), NO_HISTORY, 1, 0, &skill));
    check_near("skill", 1 - 6.0 / 77, skill.skill);
    check_near("mase", 4.0 / 15, skill.mase);
    assert_int_equal(skill.outputs, 1);
    check_ok(volt_skill_compute(y, f, f, NO_HISTORY, 1, 0, &skill));
    assert_true(skill.skill == 0 && skill.mase == 1 && skill.outputs == 1);
    check_ok(volt_skill_compute(y, y, f, NO_HISTORY, 1, 0, &skill));
    assert_true(skill.skill == 1 && skill.mase == 0);
}

/* Scaling by a power of two has no effect, up to the limits of the double range; with one output the results
 * are ratios of metrics. */
static void result_does_not_depend_on_unit(void **state)
{
    enum { T = 200 };
    double y[3][T], z[3][T];
    volt_rng rng;
    volt_rng_init(&rng, 5, 0);
    print_message("seed 5, stream 0\n");
    for (int t = 0; t < T; t++) {
        y[0][t] = volt_rng_normal(&rng);
        y[1][t] = y[0][t] + 0.5 * volt_rng_normal(&rng);
        y[2][t] = y[0][t] + volt_rng_normal(&rng);
    }
    volt_skill skill = {.struct_size = sizeof skill}, scaled = {.struct_size = sizeof scaled};
    volt_metrics model = {.struct_size = sizeof model}, baseline = {.struct_size = sizeof baseline};
    const volt_view views[] = {volt_view_of(y[0], T, 1), volt_view_of(y[1], T, 1), volt_view_of(y[2], T, 1)};
    check_ok(volt_skill_compute(views[0], views[1], views[2], NO_HISTORY, 1, 0, &skill));
    check_ok(volt_metrics_compute(views[0], views[1], &model));
    check_ok(volt_metrics_compute(views[0], views[2], &baseline));
    golden_check_number("skill", 1 - model.mse / baseline.mse, skill.skill, 2 * T * DBL_EPSILON,
                        GOLDEN_ABSOLUTE);
    golden_check_number("mase", model.mae / baseline.mae, skill.mase, 2 * T * DBL_EPSILON, GOLDEN_ABSOLUTE);
    for (int exponent = -1000; exponent <= 1000; exponent += 2000) {
        for (int i = 0; i < 3; i++)
            for (int t = 0; t < T; t++)
                z[i][t] = ldexp(y[i][t], exponent);
        check_ok(volt_skill_compute(volt_view_of(z[0], T, 1), volt_view_of(z[1], T, 1),
                                    volt_view_of(z[2], T, 1), NO_HISTORY, 1, 0, &scaled));
        assert_true(scaled.skill == skill.skill && scaled.mase == skill.mase);
    }
}

static void failures_name_the_argument(void **state)
{
    double y[] = {1, 2, 3}, f[] = {1, 2, 4}, far[] = {1, 2, DBL_MAX};
    const volt_view truth = volt_view_of(y, 3, 1), forecast = volt_view_of(f, 3, 1);
    volt_skill skill = {.struct_size = sizeof(volt_skill), 5, 5, 5, 5, 5};
    check_fails(volt_skill_compute(truth, forecast, volt_view_of(f, 2, 1), NO_HISTORY, 1, 0, &skill),
                VOLT_ERR_SHAPE, "baseline");
    check_fails(volt_skill_compute(truth, volt_view_of(f, 2, 1), truth, NO_HISTORY, 1, 0, &skill),
                VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_skill_compute(truth, forecast, forecast, NO_HISTORY, 1, 0, NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_skill_compute(truth, volt_view_of(far, 3, 1), forecast, NO_HISTORY, 1, 0, &skill),
                VOLT_ERR_NOT_FINITE, "column 0");
    f[0] = NAN;
    check_fails(volt_skill_compute(truth, truth, forecast, NO_HISTORY, 1, 0, &skill), VOLT_ERR_NOT_FINITE,
                "baseline");
    const volt_view wide = volt_view_of(f, 1, 2);
    check_fails(volt_skill_compute(truth, truth, (volt_view){0}, wide, 1, 0, &skill), VOLT_ERR_SHAPE, "past");
    const volt_view nothing = {NULL, 3, truth.cols, truth.cols};
    check_fails(volt_skill_compute(truth, truth, (volt_view){0}, nothing, 1, 0, &skill), VOLT_ERR_SHAPE,
                "past");
    check_fails(volt_skill_compute(truth, truth, (volt_view){0}, NO_HISTORY, 0, 0, &skill), VOLT_ERR_ARGUMENT,
                "ahead");
    check_fails(volt_skill_compute(truth, truth, (volt_view){0}, NO_HISTORY, 1, 1, &skill), VOLT_ERR_ARGUMENT,
                "season");
    check_fails(volt_skill_compute(truth, truth, (volt_view){0}, volt_view_of(f, 1, 1), 1, 0, &skill),
                VOLT_ERR_NOT_FINITE, "baseline");
    assert_true(skill.skill == 5 && skill.mase == 5 && skill.outputs == 5 && skill.rows == 5 && skill.lag == 5);

    /* The numbers of rows are set even without a comparison. */
    check_fails(volt_skill_compute(truth, truth, truth, NO_HISTORY, 1, 0, &skill), VOLT_ERR_DATA, "exact");
    assert_true(isnan(skill.skill) && isnan(skill.mase) && skill.rows == 3 && skill.lag == 0);
    check_fails(volt_skill_compute(truth, truth, (volt_view){0}, NO_HISTORY, 3, 0, &skill), VOLT_ERR_DATA,
                "3 rows");
    assert_true(isnan(skill.skill) && skill.rows == 0 && skill.lag == 3 && skill.outputs == 0);
}

/* The naive predictions equal volt_baseline_forecast for the concatenated past and truth. */
static void naive_forecasts_use_previous_rows(void **state)
{
    enum { N = 40, HISTORY = 5, Q = 2 };
    double levels[N * Q], forecast[N * Q], out[N * Q];
    volt_rng rng;
    volt_rng_init(&rng, 6, 0);
    for (int i = 0; i < N * Q; i++) {
        levels[i] = volt_rng_normal(&rng);
        forecast[i] = levels[i] + 0.3 * volt_rng_normal(&rng);
    }
    const volt_view all = volt_view_of(levels, N, Q), past = volt_view_rows(all, 0, HISTORY);
    const volt_view truth = volt_view_rows(all, HISTORY, N - HISTORY);
    const volt_view guess = volt_view_rows(volt_view_of(forecast, N, Q), HISTORY, N - HISTORY);
    for (int64_t ahead = 1; ahead <= 8; ahead++)
        for (int64_t season = 0; season <= 7; season += 7) {
            const int64_t lag = season ? (ahead > 7 ? 14 : 7) : ahead, first = lag > HISTORY ? lag : HISTORY;
            volt_skill found = {.struct_size = sizeof found}, expected = {.struct_size = sizeof expected};
            check_ok(volt_baseline_forecast(season ? VOLT_BASELINE_SEASONAL : VOLT_BASELINE_NAIVE, all, ahead,
                                            season, 0, first, volt_matrix_of(out, N - first, Q)));
            check_ok(volt_skill_compute(volt_view_rows(truth, first - HISTORY, N - first),
                                        volt_view_rows(guess, first - HISTORY, N - first),
                                        volt_view_of(out, N - first, Q), NO_HISTORY, 1, 0, &expected));
            check_ok(volt_skill_compute(truth, guess, (volt_view){0}, past, ahead, season, &found));
            assert_int_equal(found.lag, lag);
            assert_int_equal(found.rows, N - first);
            assert_true(found.skill == expected.skill && found.mase == expected.mase && found.outputs == Q);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(result_does_not_depend_on_unit),
        cmocka_unit_test(failures_name_the_argument),
        cmocka_unit_test(naive_forecasts_use_previous_rows),
    };
    return cmocka_run_group_tests_name("skill", tests, NULL, NULL);
}
