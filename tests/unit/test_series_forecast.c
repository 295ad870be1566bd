/* tests/unit/test_series_forecast.c: series forecasts compared with plain fits, their warnings, options and
 * errors. */
#include "support/check.h"
#include "support/sequences.h"
#include "task/forecast_group.h"
#include "volterra/stats.h"
#include "volterra/task.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 130, SEASON = 12 };

/* A trend, a season of 12 and noise; one column per series, the second in other units. */
static double *monthly(int64_t rows, int64_t series, uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    double *levels = new_matrix(rows, series);
    for (int64_t t = 0; t < rows; t++)
        for (int64_t k = 0; k < series; k++)
            levels[t * series + k] = pow(100, (double)k) * (20 + 0.05 * (double)t + volt_rng_uniform(&rng) +
                                                            5 * sin(0.523599 * (double)t + (double)k));
    return levels;
}

static volt_view view_of(const double *data, int64_t rows, int64_t cols)
{
    return (volt_view){data, rows, cols, cols};
}

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g differs from %.17g by more than %g", value, expected, tolerance);
}

static volt_forecast_info info_of(const volt_forecast *forecast)
{
    volt_forecast_info info = {.struct_size = sizeof info};
    check_ok(volt_forecast_get_info(forecast, &info));
    return info;
}

/* ---- values ----------------------------------------------------------------------------------- */

/* Each step is the fit with that `ahead` on the scaled series, or the value one season earlier. */
static void every_step_is_a_fit(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    double *levels = monthly(ROWS, 1, 1), mean = 0, variance = 0;
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = STEPS;
    options.season = SEASON;
    check_ok(volt_forecast_run(view_of(levels, ROWS, 1), &options, &forecast));
    for (int64_t i = 0; i < ROWS; i++)
        mean += levels[i] / ROWS;
    for (int64_t i = 0; i < ROWS; i++)
        variance += (levels[i] - mean) * (levels[i] - mean) / ROWS;
    int fits = 0;
    for (int64_t h = 1; h <= STEPS; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(forecast, h - 1, 0);
        double scaled[ROWS], out[STEPS], scale = sqrt(variance);
        int64_t anchor = 0;
        volt_kernel *kernel = NULL;
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        volt_fit_options fit = volt_fit_options_default();
        fit.ahead = h;
        fit.season = SEASON;
        fit.anchors = &anchor;
        for (int64_t i = 0; i < ROWS; i++)
            scaled[i] = levels[i] / scale;
        check_ok(volt_kernel_parse("volterra", &kernel));
        check_ok(volt_model_fit(kernel, view_of(scaled, ROWS - h, 1), view_of(scaled + h, ROWS - h, 1), &fit,
                                volt_matrix_of(NULL, 0, 0), &model));
        check_ok(
            volt_model_predict(model, view_of(scaled + ROWS - h, h, 1), NULL, volt_matrix_of(out, h, 1), NULL));
        volt_model_get_info(model, &info);
        if (step->method == VOLT_FORECAST_SEASONAL) {
            assert_true(step->value == levels[ROWS - 1 + h - SEASON]);
            assert_true(step->rmse == step->baseline_rmse[VOLT_BASELINE_SEASONAL]);
        } else { /* the mean is summed in a different order: a relative error of n eps in the scale */
            near(step->value, out[h - 1] * scale, 1e-9 * fabs(step->value));
            near(step->rmse, sqrt(info.report->mse[0] * variance), 1e-9 * step->rmse);
            fits++;
        }
        near(step->fit_rmse, sqrt(info.report->best_mse[0] * variance), 1e-9 * step->fit_rmse);
        near(step->baseline_rmse[VOLT_BASELINE_NAIVE], sqrt(info.report->naive_mse[0] * variance),
             1e-9 * step->baseline_rmse[VOLT_BASELINE_NAIVE]);
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
    assert_true(fits > 0);
    volt_forecast_free(forecast);
    free(levels);
}

/* Means over the steps, and the default number of steps. */
static void summary_and_default_steps(void **state)
{
    (void)state;
    double *levels = monthly(ROWS, 2, 2);
    volt_forecast *forecast = NULL;
    check_ok(volt_forecast_run(view_of(levels, ROWS, 2), NULL, &forecast));
    volt_forecast_info info = info_of(forecast);
    assert_int_equal(info.steps, SEASON);
    assert_int_equal(info.series, 2);
    assert_int_equal(info.rows, ROWS);
    assert_int_equal(info.first_row, 0);
    assert_int_equal(info.search, VOLT_FORECAST_SEARCH_NONE);
    assert_true(info.heldout_first >= info.heldout_last && info.heldout_last > 0);
    assert_int_equal(strncmp(info.kernel, "volterra:", 9), 0);
    for (int64_t k = 0; k < 2; k++) {
        const volt_forecast_series *series = volt_forecast_series_at(forecast, k);
        double mse = 0, naive = 0;
        for (int64_t h = 0; h < info.steps; h++) {
            mse += pow(volt_forecast_step_at(forecast, h, k)->rmse, 2);
            naive += pow(volt_forecast_step_at(forecast, h, k)->baseline_rmse[VOLT_BASELINE_NAIVE], 2);
        }
        assert_int_equal(series->season, SEASON);
        near(pow(series->rmse, 2), mse / (double)info.steps, 1e-13 * mse);
        near(pow(series->baseline_rmse[VOLT_BASELINE_NAIVE], 2), naive / (double)info.steps, 1e-13 * naive);
    }
    volt_forecast_free(forecast);
    free(levels);
}

/* A series forecast separately equals a forecast of only that series, bit for bit. */
static void separate_series_do_not_meet(void **state)
{
    (void)state;
    double *levels = monthly(ROWS, 2, 3), first[ROWS];
    volt_forecast *both = NULL, *one = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 2;
    options.separate = 1;
    for (int64_t i = 0; i < ROWS; i++)
        first[i] = levels[2 * i];
    check_ok(volt_forecast_run(view_of(levels, ROWS, 2), &options, &both));
    check_ok(volt_forecast_run(view_of(first, ROWS, 1), &options, &one));
    for (int64_t h = 0; h < 2; h++)
        assert_true(volt_forecast_step_at(both, h, 0)->value == volt_forecast_step_at(one, h, 0)->value);
    volt_forecast_free(both);
    volt_forecast_free(one);
    free(levels);
}

/* Long series: only the latest rows are used by default: (1.5e11 / 100)^(1/3) = 1144.7 rows. */
static void work_is_limited(void **state)
{
    (void)state;
    assert_int_equal(volt_forecast_first_row(1300, 100, false), 1300 - 1144);
    assert_int_equal(volt_forecast_first_row(1300, 100, true), 0);
    assert_int_equal(volt_forecast_first_row(1144, 100, false), 0);
    assert_int_equal(volt_forecast_first_row(2000, 600, false),
                     2000 - 1810); /* rows for the errors of 600 steps */
}

/* Series times a power of two, whose squares overflow or underflow: the same forecast times that power. */
static void extreme_units_change_nothing(void **state)
{
    (void)state;
    enum { STEPS = 2, SHORT = 60 };
    static const int powers[] = {560, -560};
    double *levels = monthly(SHORT, 1, 10), scaled[SHORT];
    volt_forecast *plain = NULL, *other = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = STEPS;
    check_ok(volt_forecast_run(view_of(levels, SHORT, 1), &options, &plain));
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        for (int64_t i = 0; i < SHORT; i++)
            scaled[i] = ldexp(levels[i], powers[p]);
        check_ok(volt_forecast_run(view_of(scaled, SHORT, 1), &options, &other));
        for (int64_t h = 0; h < STEPS; h++) {
            const volt_forecast_step *a = volt_forecast_step_at(plain, h, 0),
                                     *b = volt_forecast_step_at(other, h, 0);
            /* division by the power of two may change the last bit of the mean of the scale */
            near(ldexp(b->value, -powers[p]), a->value, 1e-12 * fabs(a->value));
            near(ldexp(b->rmse, -powers[p]), a->rmse, 1e-12 * a->rmse);
            near(ldexp(b->baseline_rmse[VOLT_BASELINE_NAIVE], -powers[p]),
                 a->baseline_rmse[VOLT_BASELINE_NAIVE], 1e-12 * a->baseline_rmse[VOLT_BASELINE_NAIVE]);
            assert_int_equal(a->method, b->method);
        }
        volt_forecast_free(other);
    }
    volt_forecast_free(plain);
    free(levels);
}

/* ---- warnings --------------------------------------------------------------------------------- */

static void warnings_have_codes(void **state)
{
    (void)state;
    volt_rng rng = test_rng(5);
    double walk[80], still[80];
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 2;
    for (int64_t i = 0; i < 80; i++) {
        walk[i] = (i > 0 ? walk[i - 1] : 0) + volt_rng_normal(&rng);
        still[i] = i < 20 ? (double)(i % 3) : 1;
    }
    check_ok(volt_forecast_run(view_of(walk, 80, 1), &options, &forecast));
    volt_forecast_info info = info_of(forecast);
    assert_int_equal(info.n_warnings, 1);
    assert_int_equal(info.warnings[0].code, VOLT_WARNING_NAIVE_FORECAST);
    assert_true(info.warnings[0].value > 0);
    assert_true(volt_forecast_step_at(forecast, 1, 0)->value == walk[79]);
    volt_forecast_free(forecast);
    check_ok(volt_forecast_run(view_of(still, 80, 1), &options, &forecast));
    info = info_of(forecast);
    assert_int_equal(info.n_warnings, 1);
    assert_int_equal(info.warnings[0].code, VOLT_WARNING_CONSTANT_HELDOUT);
    assert_string_not_equal(volt_warning_text(VOLT_WARNING_NAIVE_FORECAST),
                            volt_warning_text(VOLT_WARNING_BETTER_BASELINE));
    assert_non_null(volt_warning_text((volt_warning_code)99));
    volt_forecast_free(forecast);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_input_is_rejected(void **state)
{
    (void)state;
    double *levels = monthly(60, 1, 7);
    volt_view series = view_of(levels, 60, 1);
    volt_forecast *forecast = NULL;
    const char *name = "sales";
    volt_forecast_options options = volt_forecast_options_default(), bad;
    options.names = &name;
#define REFUSED(field, value, status, fragment)                                        \
    do {                                                                               \
        bad = options;                                                                 \
        bad.field = (value);                                                           \
        check_fails(volt_forecast_run(series, &bad, &forecast), (status), (fragment)); \
        assert_null(forecast);                                                         \
    } while (0)
    REFUSED(steps, 17, VOLT_ERR_ARGUMENT, "16");
    REFUSED(steps, -1, VOLT_ERR_ARGUMENT, "steps");
    REFUSED(season, 1, VOLT_ERR_ARGUMENT, "season");
    REFUSED(season, 31, VOLT_ERR_ARGUMENT, "season");
    REFUSED(kernel, NULL, VOLT_ERR_ARGUMENT, "kernel");
    REFUSED(kernel, "nothing", VOLT_ERR_KERNEL, "nothing");
    REFUSED(search_seconds, NAN, VOLT_ERR_ARGUMENT, "search_seconds");
    REFUSED(known, view_of(levels, 59, 1), VOLT_ERR_SHAPE, "59");
    check_fails(volt_forecast_run(view_of(levels, 12, 1), &options, &forecast), VOLT_ERR_DATA, "13");
    check_fails(volt_forecast_run(view_of(levels, 60, 0), &options, &forecast), VOLT_ERR_SHAPE, "column");
    check_fails(volt_forecast_run(series, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    levels[7] = NAN;
    check_fails(volt_forecast_run(series, &options, &forecast), VOLT_ERR_NOT_FINITE, "row 7 series 'sales'");
    for (int64_t i = 0; i < 60; i++)
        levels[i] = 5;
    check_fails(volt_forecast_run(series, &options, &forecast), VOLT_ERR_DATA, "sales");
    options.names = NULL;
    check_fails(volt_forecast_run(series, &options, &forecast), VOLT_ERR_DATA, "series 0");
    volt_forecast_free(NULL);
    free(levels);
}

static int cancel_later(const char *stage, double fraction, void *context)
{
    (void)stage;
    double *last = context;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction > 0.4;
}

static void progress_grows_and_cancels(void **state)
{
    (void)state;
    double *levels = monthly(60, 2, 8), last = 0;
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 3;
    options.separate = 1;
    options.progress = (volt_progress){cancel_later, &last};
    assert_int_equal(volt_forecast_run(view_of(levels, 60, 2), &options, &forecast), VOLT_ERR_CANCELLED);
    assert_null(forecast);
    assert_true(last > 0.4 && last < 0.9);
    free(levels);
}

/* ---- search ----------------------------------------------------------------------------------- */

static void search_reports_its_outcome(void **state)
{
    (void)state;
    double *levels = monthly(60, 1, 9);
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 14;
    options.search_seconds = 0.2;
    check_ok(volt_forecast_run(view_of(levels, 60, 1), &options, &forecast));
    assert_int_equal(info_of(forecast).search, VOLT_FORECAST_SEARCH_ROWS); /* 45 rows, but 52 are required */
    volt_forecast_free(forecast);
    options.steps = 1;
    options.search_seconds = 1e-9;
    check_ok(volt_forecast_run(view_of(levels, 60, 1), &options, &forecast));
    assert_int_equal(info_of(forecast).search, VOLT_FORECAST_SEARCH_TIME);
    volt_forecast_free(forecast);
    options.search_seconds = 0.3;
    check_ok(volt_forecast_run(view_of(levels, 60, 1), &options, &forecast));
    volt_forecast_info info = info_of(forecast);
    if (info.search_draws > 0)
        assert_true(info.search >= VOLT_FORECAST_SEARCH_WORSE);
    if (info.search == VOLT_FORECAST_SEARCH_ACCEPTED)
        assert_true(info.search_mse < 0.95 * info.search_mse_given);
    volt_forecast_free(forecast);
    free(levels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_is_a_fit),          cmocka_unit_test(summary_and_default_steps),
        cmocka_unit_test(separate_series_do_not_meet),  cmocka_unit_test(work_is_limited),
        cmocka_unit_test(extreme_units_change_nothing), cmocka_unit_test(warnings_have_codes),
        cmocka_unit_test(invalid_input_is_rejected),    cmocka_unit_test(progress_grows_and_cancels),
        cmocka_unit_test(search_reports_its_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
