/* tests/unit/stats/test_ets.c: exponential smoothing: derivatives, variances, choice of the form, units, failures. */
#include "stats/box_minimum.h"
#include "stats/classical.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"

enum { SEED = 20261119, ROWS = 96, SEASON = 4, AHEAD = 11, FORMS = 18 };

static volt_ets_form form_of(int i)
{
    return (volt_ets_form){i % 2 == 1, (volt_ets_trend)(i / 2 % 3), (volt_season_form)(i / 6)};
}

static bool same_form(volt_ets_form a, volt_ets_form b)
{
    return a.relative == b.relative && a.trend == b.trend && a.season == b.season;
}

/* A positive series with a trend and a season. */
static void draw(volt_rng *rng, int n, double *y)
{
    double level = 0.4;
    for (int t = 0; t < n; t++) {
        level *= exp(0.004 + 0.02 * volt_rng_normal(rng));
        y[t] = level * (1 + 0.2 * (t % SEASON) + 0.02 * volt_rng_normal(rng));
    }
}

/* ---- recursion ---------------------------------------------------------------------------------- */

static double value_of(volt_ets_form form, const double *y, const double x[6 + SEASON], double weight)
{
    double effects[SEASON], squares = NAN, logs = NAN;
    memcpy(effects, x + 6, sizeof effects);
    volt_ets_state run = {x[0], x[1], x[2], x[3], x[4], x[5], effects};
    assert_true(volt_ets_run(form, y, ROWS, SEASON, &run, NULL, &squares, &logs));
    return weight * squares + 2 * logs;
}

/* Central differences with step d err by the third derivative, d^2 times 1e3 at most of the value here, and by
 * rounding, eps/d times the value. */
static void derivatives_equal_differences(void **state)
{
    print_message("seed %d\n", SEED);
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    double y[ROWS], memory[4][ROWS];
    draw(&rng, ROWS, y);
    const volt_ets_trace trace = {memory[0], memory[1], memory[2], memory[3]};
    for (int i = 0; i < FORMS; i++) {
        const volt_ets_form form = form_of(i);
        const bool trend = form.trend != VOLT_ETS_LEVEL, times = form.season == VOLT_SEASON_MULTIPLICATIVE;
        double x[6 + SEASON] = {0.3, trend ? 0.05 : 0, form.season ? 0.2 : 0, trend ? 0.95 : 1, 0.5, 0};
        x[5] = trend ? 0.01 : 0;
        for (int j = 0; j < SEASON; j++)
            x[6 + j] = (times ? 1 : 0) + 0.1 * (j - 1);
        double effects[SEASON], derivatives[SEASON], squares, logs;
        memcpy(effects, x + 6, sizeof effects);
        volt_ets_state run = {x[0], x[1], x[2], x[3], x[4], x[5], effects}, d = {.effects = derivatives};
        const double weight = 100;
        assert_true(volt_ets_run(form, y, ROWS, SEASON, &run, &trace, &squares, &logs));
        volt_ets_gradient(form, y, ROWS, SEASON, &run, &trace, weight, &d);
        const double found[] = {d.alpha, d.beta, d.gamma, d.phi, d.level, d.slope};
        for (int k = 0; k < 6 + (form.season ? SEASON : 0); k++) {
            if ((!trend && (k == 1 || k == 3 || k == 5)) || (!form.season && k == 2))
                continue;
            const double step = 1e-6, kept = x[k];
            x[k] = kept + step;
            const double above = value_of(form, y, x, weight);
            x[k] = kept - step;
            const double below = value_of(form, y, x, weight);
            x[k] = kept;
            const double expected = (above - below) / (2 * step), size = fabs(above) + 10;
            golden_check_number("derivative", expected, k < 6 ? found[k] : derivatives[k - 6], 1e-8 * size,
                                GOLDEN_ABSOLUTE);
        }
    }
}

/* Multiplicative effects of 0, or a relative error of a forecast of 0. */
static void undefined_recursions_end(void **state)
{
    const double y[] = {1, 2, 3};
    double effects[] = {0, 1}, squares, logs;
    volt_ets_state run = {0.5, 0, 0.1, 1, 1, 0, effects};
    volt_ets_form form = {.season = VOLT_SEASON_MULTIPLICATIVE};
    assert_false(volt_ets_run(form, y, 3, 2, &run, NULL, &squares, &logs));
    run.level = 0;
    form = (volt_ets_form){.relative = true};
    assert_false(volt_ets_run(form, y, 3, 0, &run, NULL, &squares, &logs));
}

/* Variances against simulated paths: the estimate of a variance from N paths has the relative standard
 * deviation sqrt((kurtosis - 1)/N), about 1.2 % here. */
static void variances_equal_those_of_simulated_paths(void **state)
{
    enum { PATHS = 20000, STEPS = SEASON };
    print_message("seed %d\n", SEED);
    volt_rng rng;
    volt_rng_init(&rng, SEED, 2);
    for (int i = 0; i < FORMS; i++) {
        const volt_ets_form form = form_of(i);
        const bool times = form.season == VOLT_SEASON_MULTIPLICATIVE;
        if (times && !form.relative)
            continue;
        double effects[SEASON], mean[STEPS], variance[STEPS], sum[STEPS] = {0};
        for (int j = 0; j < SEASON; j++)
            effects[j] = (times ? 1 : 0) + 0.2 * (j - 1);
        const double sigma = 0.1, trend = form.trend == VOLT_ETS_LEVEL ? 0 : 1;
        const volt_ets_state start = {.alpha = 0.5,
                                      .beta = 0.2 * trend,
                                      .gamma = form.season ? 0.3 : 0,
                                      .phi = form.trend == VOLT_ETS_DAMPED ? 0.9 : 1,
                                      .level = 2,
                                      .slope = 0.1 * trend,
                                      .effects = effects};
        volt_ets_path(form, &start, 0, SEASON, STEPS, mean);
        volt_ets_variances(form, &start, 0, SEASON, sigma, STEPS, mean, variance);
        for (int p = 0; p < PATHS; p++) {
            double s[SEASON], y, squares, logs, next;
            memcpy(s, effects, sizeof s);
            volt_ets_state at = start;
            for (int t = 0; t < STEPS; t++) {
                double one[1] = {s[t]};
                at.effects = one;
                volt_ets_path(form, &at, 0, 1, 1, &next); /* each phase occurs once */
                y = form.relative ? next * (1 + sigma * volt_rng_normal(&rng))
                                  : next + sigma * volt_rng_normal(&rng);
                sum[t] += (y - mean[t]) * (y - mean[t]) / PATHS;
                assert_true(volt_ets_run(form, &y, 1, 1, &at, NULL, &squares, &logs));
            }
        }
        golden_check("variances", sum, variance, STEPS, 0.06, GOLDEN_RELATIVE);
    }
}

/* ---- forecasts ---------------------------------------------------------------------------------- */

static void constants_and_lines_continue(void **state)
{
    double y[40], mean[AHEAD], variance[AHEAD], expected[AHEAD];
    volt_ets_info info;
    for (int n = 3; n <= 40; n++) {
        for (int t = 0; t < n; t++)
            y[t] = -0.1;
        check_ok(volt_ets_forecast(y, n, 4, AHEAD, NULL, mean, variance, &info));
        for (int i = 0; i < AHEAD; i++)
            assert_true(mean[i] == -0.1 && variance[i] == 0);
    }
    /* The rounding of the series is the floor of the likelihood: errors of some 1e-8 of the range remain. */
    for (int n = 8; n <= 40; n += 4) {
        for (int t = 0; t < n; t++)
            y[t] = 1 + 0.5 * t + (t % 4 == 2);
        check_ok(volt_ets_forecast(y, n, 4, AHEAD, NULL, mean, NULL, &info));
        for (int i = 0; i < AHEAD; i++)
            expected[i] = 1 + 0.5 * (n + i) + ((n + i) % 4 == 2);
        if (n > 11) { /* parameters of ETS(A,A,A): 9 */
            assert_true(info.form.trend == VOLT_ETS_TREND && info.form.season == VOLT_SEASON_ADDITIVE);
            golden_check("line", expected, mean, AHEAD, 1e-4, GOLDEN_MAX_NORM);
        }
    }
}

static void tiny_series_are_smoothed(void **state)
{
    const double y[] = {3, 5, 4, 6, 5, 7};
    for (int n = 3; n <= 6; n++) {
        double mean[3], variance[3];
        volt_ets_info info;
        check_ok(volt_ets_forecast(y, n, 2, 3, NULL, mean, variance, &info));
        assert_true(!info.form.relative && info.form.trend == VOLT_ETS_LEVEL &&
                    info.form.season == VOLT_SEASON_NONE);
        assert_int_equal(info.parameters, 3);
        assert_true(isfinite(info.aicc) == (n >= 5));
        assert_true(mean[0] >= 3 && mean[0] <= 7 && mean[2] == mean[0]);
        const double weight = info.alpha * info.alpha, sigma = info.sigma * info.sigma;
        golden_check_number("variance", sigma * (1 + 2 * weight), variance[2], 1e-12, GOLDEN_RELATIVE);
    }
}

static void forms_follow_the_data(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 1);
    double y[ROWS], mean[AHEAD];
    volt_ets_info info;
    char name[VOLT_ETS_NAME_SIZE];
    draw(&rng, ROWS, y);
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, NULL, mean, NULL, &info));
    volt_ets_name(info.form, name);
    print_message("positive: %s\n", name);
    for (int trend = 0; trend < 3; trend++) /* parameters that a form lacks are 0 */
        for (int season = 0; season < 3; season++) {
            const volt_ets_form form = {true, (volt_ets_trend)trend, (volt_season_form)season};
            const volt_ets_info begin = {.form = form, .alpha = 0.1, .phi = 0.9};
            check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, &begin, mean, NULL, &info));
            assert_memory_equal(&info.form.trend, &form.trend, sizeof form.trend);
            assert_true((info.beta > 0) == (trend > 0) && (info.gamma > 0) == (season > 0));
            assert_true(trend == VOLT_ETS_DAMPED ? info.phi > 0 && info.phi < 1 : info.phi == (trend > 0));
            assert_true(trend > 0 || info.slope == 0);
        }
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, NULL, mean, NULL, &info));
    assert_true(info.form.relative && info.form.season == VOLT_SEASON_MULTIPLICATIVE);
    check_ok(volt_ets_forecast(y, 2 * SEASON - 1, SEASON, AHEAD, NULL, mean, NULL, &info)); /* one season */
    assert_int_equal(info.form.season, VOLT_SEASON_NONE);
    check_ok(volt_ets_forecast(y, ROWS, INT64_MAX, AHEAD, NULL, mean, NULL, &info));
    assert_int_equal(info.form.season, VOLT_SEASON_NONE);
    y[5] = 0;
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, NULL, mean, NULL, &info));
    volt_ets_name(info.form, name);
    print_message("with a zero: %s\n", name);
    assert_true(!info.form.relative && info.form.season == VOLT_SEASON_ADDITIVE);
    /* A form that is not possible is chosen again. */
    const volt_ets_info start = {.form = {true, VOLT_ETS_TREND, VOLT_SEASON_MULTIPLICATIVE}, .alpha = 0.1};
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, &start, mean, NULL, &info));
    assert_true(!info.form.relative && info.form.season == VOLT_SEASON_ADDITIVE);
    assert_string_equal(
        (volt_ets_name((volt_ets_form){true, VOLT_ETS_DAMPED, VOLT_SEASON_ADDITIVE}, name), name),
        "ETS(M,Ad,A)");
}

/* A start fixes the form. No form from a distant start has a smaller AICc than the automatic choice, by more
 * than 0.5. */
static void starts_fix_the_form(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 3);
    double y[ROWS], mean[AHEAD];
    draw(&rng, ROWS, y);
    volt_ets_info chosen, info;
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, NULL, mean, NULL, &chosen));
    for (int i = 0; i < FORMS; i++) {
        volt_ets_info start = {.form = form_of(i), .alpha = 0.2, .beta = 0.02, .gamma = 0.1, .phi = 0.9};
        if (start.form.season == VOLT_SEASON_MULTIPLICATIVE && !start.form.relative)
            continue;
        check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, &start, mean, NULL, &info));
        assert_true(same_form(info.form, start.form));
        assert_true(info.aicc > chosen.aicc - 0.5);
        const double k = (double)info.parameters;
        golden_check_number("AICc", info.likelihood + 2 * k + 2 * k * (k + 1) / (ROWS - k - 1), info.aicc,
                            1e-12, GOLDEN_RELATIVE);
    }
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, &chosen, mean, NULL, &info));
    golden_check_number("likelihood", chosen.likelihood, info.likelihood, 0.5, GOLDEN_ABSOLUTE);
    check_ok(volt_ets_forecast(y, ROWS - 20, SEASON, AHEAD, &chosen, mean, NULL, &info));
    assert_true(same_form(info.form, chosen.form));
}

/* Powers of two change no rounding. */
static void forecasts_do_not_depend_on_the_unit(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 4);
    double y[ROWS], scaled[ROWS], mean[AHEAD], variance[AHEAD], other[AHEAD], spread[AHEAD];
    draw(&rng, ROWS, y);
    volt_ets_info info, other_info;
    check_ok(volt_ets_forecast(y, ROWS, SEASON, AHEAD, NULL, mean, variance, &info));
    static const double units[] = {0x1p-500, 0x1p500, 0x1p-990, 0x1p1000, 1e-300, 1e300};
    for (int k = 0; k < 6; k++) {
        for (int t = 0; t < ROWS; t++)
            scaled[t] = y[t] * units[k];
        check_ok(volt_ets_forecast(scaled, ROWS, SEASON, AHEAD, NULL, other, spread, &other_info));
        for (int i = 0; i < AHEAD; i++) {
            other[i] /= units[k];
            spread[i] /= units[k] * units[k];
        }
        golden_check("unit", mean, other, AHEAD, k < 4 ? 0 : 1e-4, GOLDEN_RELATIVE);
        if (k < 2)
            golden_check("variances", variance, spread, AHEAD, 0, GOLDEN_RELATIVE);
        golden_check_number("likelihood", info.likelihood + 2 * ROWS * log(units[k]), other_info.likelihood,
                            k < 4 ? 1e-12 : 1e-6, GOLDEN_RELATIVE);
    }
    for (int t = 0; t < ROWS; t++)
        scaled[t] = 1.7e308 / ROWS * (t + 1);
    other[0] = 7;
    check_fails(volt_ets_forecast(scaled, ROWS, 0, AHEAD, NULL, other, NULL, NULL), VOLT_ERR_NOT_FINITE,
                "exponential");
    assert_true(other[0] == 7);
}

static void rejected_and_out_of_memory(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 5);
    double y[20], f[2], variance[2];
    draw(&rng, 20, y);
    check_fails(volt_ets_forecast(y, 2, 0, 1, NULL, f, NULL, NULL), VOLT_ERR_SHAPE, "3");
    check_fails(volt_ets_forecast(y, 4, -1, 1, NULL, f, NULL, NULL), VOLT_ERR_ARGUMENT, "-1");
    check_fails(volt_ets_forecast(y, 4, 0, 0, NULL, f, NULL, NULL), VOLT_ERR_ARGUMENT, "0");
    check_fails(volt_ets_forecast(NULL, 4, 0, 1, NULL, f, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_ets_forecast(y, 20, 4, 2, NULL, f, variance, NULL);
        failing_alloc_check(status);
    }
    y[7] = NAN;
    check_fails(volt_ets_forecast(y, 20, 0, 1, NULL, f, NULL, NULL), VOLT_ERR_NOT_FINITE, "series");
}

/* ---- minima in a box ---------------------------------------------------------------------------- */

/* Rosenbrock's function, undefined for x < -1.5. */
static double rosenbrock(void *context, const double *x, double *gradient)
{
    (void)context;
    if (x[0] < -1.5)
        return INFINITY;
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    gradient[0] = -2 * a - 400 * x[0] * b;
    gradient[1] = 200 * b;
    return a * a + 100 * b * b;
}

/* In the box x1 <= 0.25 the minimum has x1 = 0.25 and 2 (x0 - 1) = 400 x0 (0.25 - x0^2). */
static void minima_inside_and_at_a_bound(void **state)
{
    double low[] = {-5, -5}, high[] = {5, 5}, x[] = {-1.2, 1}, workspace[2 * VOLT_BOX_WORKSPACE];
    volt_box_problem problem = {rosenbrock, NULL, 2, low, high, 1e-12, 500};
    double value = volt_box_minimise(&problem, x, workspace);
    assert_true(value < 1e-10 && fabs(x[0] - 1) < 1e-4 && fabs(x[1] - 1) < 1e-4);
    high[1] = 0.25;
    x[0] = -1.2;
    x[1] = 0.1;
    value = volt_box_minimise(&problem, x, workspace);
    assert_true(x[1] == 0.25);
    golden_check_number("stationary", 2 * (x[0] - 1), 400 * x[0] * (0.25 - x[0] * x[0]), 1e-4, GOLDEN_ABSOLUTE);
    x[0] = -2; /* undefined at the start: nothing changes */
    assert_true(isinf(volt_box_minimise(&problem, x, workspace)) && x[0] == -2);
    x[0] = 1; /* at the minimum */
    x[1] = high[1] = 1;
    assert_true(volt_box_minimise(&problem, x, workspace) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_equal_differences),
        cmocka_unit_test(undefined_recursions_end),
        cmocka_unit_test(variances_equal_those_of_simulated_paths),
        cmocka_unit_test(constants_and_lines_continue),
        cmocka_unit_test(tiny_series_are_smoothed),
        cmocka_unit_test(forms_follow_the_data),
        cmocka_unit_test(starts_fix_the_form),
        cmocka_unit_test(forecasts_do_not_depend_on_the_unit),
        cmocka_unit_test(rejected_and_out_of_memory),
        cmocka_unit_test(minima_inside_and_at_a_bound),
    };
    return cmocka_run_group_tests_name("ets", tests, NULL, NULL);
}
