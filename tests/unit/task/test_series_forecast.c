/* tests/unit/task/test_series_forecast.c: series forecasts compared with plain fits, their warnings, options and
 * errors. */
#include "support/check.h"
#include "support/sequences.h"
#include "task/series_forecast.h"
#include "volterra/forecast.h"
#include "volterra/stats.h"

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

/* Phases of a season of 12 rows: five pairs of cosine and sine, and the alternation, half as large as the series. */
enum { PHASES = SEASON - 1, INPUTS = 1 + PHASES };

static double phase_of(int64_t j, int64_t t)
{
    double angle = 2 * acos(-1) * (double)(j / 2 + 1) * (double)t / SEASON;
    return j == PHASES - 1 ? 0.5 * cos(angle) : 0.5 * sqrt(2) * (j % 2 ? sin(angle) : cos(angle));
}

/* Forecast of a plain fit `ahead` rows ahead, in units of the standard deviation, with the phases of the row forecast. */
static double plain_fit(const double *levels, int64_t rows, int64_t ahead, double *share, bool *is_change)
{
    double mean = 0, variance = 0, *inputs = new_matrix(rows, INPUTS), *out = new_matrix(ahead, 1);
    int64_t anchor = 0, pairs = rows - ahead;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_fit_options fit = volt_fit_options_default();
    for (int64_t i = 0; i < rows; i++)
        mean += levels[i] / (double)rows;
    for (int64_t i = 0; i < rows; i++)
        variance += (levels[i] - mean) * (levels[i] - mean) / (double)rows;
    for (int64_t i = 0; i < rows; i++) {
        inputs[i * INPUTS] = levels[i] / sqrt(variance);
        for (int64_t j = 0; j < PHASES; j++)
            inputs[i * INPUTS + 1 + j] = phase_of(j, i + ahead);
    }
    fit.ahead = ahead;
    fit.season = SEASON;
    fit.anchors = &anchor;
    fit.passthrough_columns = PHASES;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_model_fit(kernel, view_of(inputs, pairs, INPUTS),
                            (volt_view){inputs + ahead * INPUTS, pairs, 1, INPUTS}, &fit,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_model_predict(model, view_of(inputs + pairs * INPUTS, ahead, INPUTS), NULL,
                                volt_matrix_of(out, ahead, 1), NULL));
    volt_model_get_info(model, &info);
    *share = info.report->share[0];
    *is_change = info.anchors[0] >= 0;
    double value = out[ahead - 1] * sqrt(variance);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(inputs);
    free(out);
    return value;
}

/* The kernel's part of steps 1 and 2, where alpha is chosen, is a plain fit. */
static void kernel_member_is_a_fit(void **state)
{
    double *levels = monthly(ROWS, 1, 1);
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    int fits = 0;
    options.steps = 2;
    options.season = SEASON;
    check_ok(volt_forecast_run(view_of(levels, ROWS, 1), &options, &forecast));
    for (int64_t h = 1; h <= 2; h++) {
        const volt_forecast_step *step = volt_forecast_step_at(forecast, h - 1, 0);
        bool is_change;
        double share, value = plain_fit(levels, ROWS, h, &share, &is_change);
        assert_true(step->kernel_share == share && step->is_change == is_change);
        if (share == 0)
            assert_true(isnan(step->member_value[VOLT_MEMBER_KERNEL]));
        else /* the mean is summed in a different order: a relative error of n eps in the scale */
            near(step->member_value[VOLT_MEMBER_KERNEL], value, 1e-9 * fabs(value));
        fits += share > 0;
    }
    assert_true(fits > 0);
    volt_forecast_free(forecast);
    free(levels);
}

/* The forecast is the weighted mean of the members. */
static void forecast_is_the_weighted_mean(void **state)
{
    double *levels = monthly(ROWS, 2, 2);
    volt_forecast *forecast = NULL;
    check_ok(volt_forecast_run(view_of(levels, ROWS, 2), NULL, &forecast));
    volt_forecast_info info = info_of(forecast);
    int known = 0;
    for (int64_t k = 0; k < 2; k++) {
        const double *w = volt_forecast_series_at(forecast, k)->member_weight;
        double total = 0;
        for (int64_t m = 0; m < info.members; m++) {
            assert_true(w[m] >= 0);
            total += w[m];
        }
        near(total, 1, 1e-14);
        assert_true(w[VOLT_MEMBER_ETS] > 0); /* there is a season */
        assert_true(w[VOLT_MEMBER_NAIVE] + w[VOLT_MEMBER_DRIFT] == 0);
        for (int64_t h = 0; h < info.steps; h++) {
            const volt_forecast_step *step = volt_forecast_step_at(forecast, h, k);
            const double *v = step->member_value;
            double value = 0;
            for (int64_t m = 0; m < info.members; m++)
                value += w[m] > 0 ? w[m] * v[m] : 0; /* NaN without a kernel fit: see path_does_not_jump */
            known += !isnan(value);
            if (!isnan(value))
                near(step->value, value, 1e-13 * fabs(value));
            assert_true(v[VOLT_MEMBER_NAIVE] == levels[(ROWS - 1) * 2 + k]);
            assert_true(v[VOLT_MEMBER_SEASONAL] == levels[(ROWS - SEASON + h) * 2 + k]);
        }
    }
    assert_true(known > 0);
    volt_forecast_free(forecast);
    free(levels);
}

/* Means over the steps, and the default number of steps. */
static void summary_and_default_steps(void **state)
{
    double *levels = monthly(ROWS, 2, 2);
    volt_forecast *forecast = NULL;
    check_ok(volt_forecast_run(view_of(levels, ROWS, 2), NULL, &forecast));
    volt_forecast_info info = info_of(forecast);
    assert_int_equal(info.steps, SEASON);
    assert_int_equal(info.series, 2);
    assert_int_equal(info.rows, ROWS);
    assert_int_equal(info.first_row, 0);
    assert_int_equal(info.search, VOLT_FORECAST_SEARCH_NONE);
    assert_int_equal(info.origins, 16);
    assert_int_equal(strncmp(info.kernel, "volterra:", 9), 0);
    for (int64_t k = 0; k < 2; k++) {
        const volt_forecast_series *series = volt_forecast_series_at(forecast, k);
        double mse = 0, naive = 0;
        for (int64_t h = 0; h < info.steps; h++) {
            const volt_forecast_step *step = volt_forecast_step_at(forecast, h, k);
            mse += pow(step->rmse, 2);
            naive += pow(step->member_rmse[VOLT_MEMBER_NAIVE], 2);
            assert_null(step->lower);
            if (h > 0)
                assert_true(step->rmse >= volt_forecast_step_at(forecast, h - 1, k)->rmse);
        }
        assert_int_equal(series->season, SEASON);
        assert_int_equal(strncmp(series->ets, "ETS(", 4), 0);
        near(pow(series->rmse, 2), mse / (double)info.steps, 1e-13 * mse);
        near(pow(series->member_rmse[VOLT_MEMBER_NAIVE], 2), naive / (double)info.steps, 1e-13 * naive);
        assert_true(series->mase > 0 && series->mase < 1);
    }
    assert_null(volt_forecast_step_at(forecast, info.steps, 0));
    assert_null(volt_forecast_step_at(forecast, -1, 0));
    assert_null(volt_forecast_step_at(forecast, 0, info.series));
    assert_null(volt_forecast_step_at(forecast, 0, -1));
    assert_null(volt_forecast_step_at(NULL, 0, 0));
    assert_null(volt_forecast_series_at(forecast, info.series));
    volt_forecast_free(forecast);
    free(levels);
}

/* Intervals have the forecast in the middle, and wider ones contain narrower ones. Over independent series of white
 * noise, 90 % intervals contain 90 % of the next values: the error of the mean of 400 is 1.5 %, and Student's quantile
 * makes them a little wider. */
static void intervals_hold(void **state)
{
    enum { SERIES = 400, N = 40 };
    static const double coverages[] = {0.5, 0.9};
    volt_rng rng = test_rng(11);
    volt_forecast_options options = volt_forecast_options_default();
    int inside = 0;
    options.steps = 1;
    options.season = 0;
    options.coverages = coverages;
    options.n_coverages = 2;
    for (int s = 0; s < SERIES; s++) {
        double noise[N + 1];
        volt_forecast *forecast = NULL;
        for (int64_t i = 0; i <= N; i++)
            noise[i] = 10 + volt_rng_normal(&rng);
        check_ok(volt_forecast_run(view_of(noise, N, 1), &options, &forecast));
        const volt_forecast_step *step = volt_forecast_step_at(forecast, 0, 0);
        near(step->upper[1] - step->value, step->value - step->lower[1], 1e-12);
        assert_true(step->lower[1] < step->lower[0] && step->lower[0] < step->value);
        inside += noise[N] >= step->lower[1] && noise[N] <= step->upper[1];
        volt_forecast_free(forecast);
    }
    if (inside < 0.86 * SERIES || inside > 0.97 * SERIES)
        fail_msg("%d of %d values are inside", inside, SERIES);
}

/* Every series from three rows on has a forecast. */
static void short_series_are_forecast(void **state)
{
    double *levels = monthly(40, 1, 12);
    static const double coverage = 0.8;
    volt_forecast_options options = volt_forecast_options_default();
    options.coverages = &coverage;
    options.n_coverages = 1;
    for (int64_t rows = 3; rows <= 40; rows++)
        for (int64_t steps = 0; steps <= 50; steps += 25) {
            volt_forecast *forecast = NULL;
            options.steps = steps;
            check_ok(volt_forecast_run(view_of(levels, rows, 1), &options, &forecast));
            volt_forecast_info info = info_of(forecast);
            assert_true(steps == 0 || info.steps == steps);
            int64_t fitted = rows < 13 ? 0 : (rows - 10) / 3; /* step h requires 3 h + 10 rows */
            assert_int_equal(info.fitted_steps, fitted < info.steps ? fitted : info.steps);
            for (int64_t h = 0; h < info.steps; h++) {
                const volt_forecast_step *step = volt_forecast_step_at(forecast, h, 0);
                assert_true(isfinite(step->value));
                assert_true(h < fitted || step->kernel_share == 0);
                assert_true(rows == 3 ? isnan(step->rmse) : step->rmse > 0);
                assert_true(rows == 3 ? isnan(step->upper[0]) : step->upper[0] > step->value);
            }
            if (rows == 3) {
                assert_int_equal(info.n_warnings, 1);
                assert_int_equal(info.warnings[0].code, VOLT_WARNING_FEW_ROWS);
            }
            volt_forecast_free(forecast);
        }
    free(levels);
}

/* The calendar suggests a season that the autocorrelations of the changes do not show clearly enough. */
static void calendar_suggests_the_season(void **state)
{
    enum { N = 48 };
    volt_rng rng = test_rng(13);
    int found = 0, plain = 0;
    for (int s = 0; s < 20; s++) {
        double levels[N];
        volt_forecast *forecast = NULL;
        volt_forecast_options options = volt_forecast_options_default();
        options.steps = 1;
        for (int64_t i = 0; i < N; i++)
            levels[i] = 10 + sin(0.523599 * (double)i) + 0.5 * volt_rng_normal(&rng);
        check_ok(volt_forecast_run(view_of(levels, N, 1), &options, &forecast));
        plain += volt_forecast_series_at(forecast, 0)->season == SEASON;
        volt_forecast_free(forecast);
        options.step = (volt_time_step){.months = 1};
        check_ok(volt_forecast_run(view_of(levels, N, 1), &options, &forecast));
        found += volt_forecast_series_at(forecast, 0)->season == SEASON;
        volt_forecast_free(forecast);
    }
    if (found < 15 || found <= plain)
        fail_msg("%d of 20 seasons are found with dates, and %d without", found, plain);
}

/* Inputs of the rows to forecast: the series follows them, and so does its forecast. */
static void future_inputs_are_used(void **state)
{
    enum { N = 120, STEPS = 3 };
    volt_rng rng = test_rng(14);
    double levels[N + STEPS], price[N + STEPS], worst = 0, spread = 0;
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    for (int64_t i = 0; i < N + STEPS; i++) {
        price[i] = volt_rng_normal(&rng);
        levels[i] = 50 + 4 * price[i] + 0.1 * volt_rng_normal(&rng);
    }
    options.steps = STEPS;
    options.season = 0;
    options.known = view_of(price, N + STEPS, 1);
    check_ok(volt_forecast_run(view_of(levels, N, 1), &options, &forecast));
    for (int64_t h = 0; h < STEPS; h++) {
        worst = fmax(worst, fabs(volt_forecast_step_at(forecast, h, 0)->value - levels[N + h]));
        spread = fmax(spread, volt_forecast_step_at(forecast, h, 0)->rmse);
    }
    assert_true(spread < 1); /* without the inputs, 4 */
    assert_true(worst < 4 * spread);
    volt_forecast_free(forecast);
}

/* A series forecast separately equals a forecast of only that series, bit for bit. */
static void separate_series_do_not_meet(void **state)
{
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

/* Columns with the seasons 7, 12, 12 and none in two orders: the most frequent season decides the number of steps, and the
 * forecasts are the same to rounding. The Gram matrix is a sum over columns in another order: relative differences of
 * COLS eps. The smallest candidate of alpha is 1e-8 of the mean diagonal, so the condition is at most n 1e8; values are
 * at most 6. */
static void order_of_columns_changes_nothing(void **state)
{
    enum { COLS = 4, LENGTH = 120 };
    static const int64_t order[COLS] = {1, 3, 2, 0}, season[COLS] = {7, 12, 12, 0};
    static const double tolerance = 6 * COLS * DBL_EPSILON * LENGTH * 1e8;
    volt_rng rng = test_rng(19);
    double *levels = new_matrix(LENGTH, COLS), *other = new_matrix(LENGTH, COLS), last[COLS] = {0};
    volt_forecast *given = NULL, *permuted = NULL;
    for (int64_t t = 0; t < LENGTH; t++)
        for (int64_t k = 0; k < COLS; k++)
            levels[t * COLS + k] = last[k] =
                season[k] ? 5 * sin(2 * acos(-1) * (double)t / (double)season[k]) + 0.3 * volt_rng_normal(&rng)
                          : 0.9 * last[k] + volt_rng_normal(&rng);
    for (int64_t t = 0; t < LENGTH; t++)
        for (int64_t k = 0; k < COLS; k++)
            other[t * COLS + k] = levels[t * COLS + order[k]];
    check_ok(volt_forecast_run(view_of(levels, LENGTH, COLS), NULL, &given));
    check_ok(volt_forecast_run(view_of(other, LENGTH, COLS), NULL, &permuted));
    assert_int_equal(info_of(given).steps, SEASON);
    assert_int_equal(info_of(permuted).steps, SEASON);
    for (int64_t k = 0; k < COLS; k++) {
        assert_int_equal(volt_forecast_series_at(given, k)->season, season[k]);
        for (int64_t h = 0; h < SEASON; h++) {
            const volt_forecast_step *a = volt_forecast_step_at(given, h, order[k]);
            const volt_forecast_step *b = volt_forecast_step_at(permuted, h, k);
            near(b->value, a->value, tolerance);
            near(b->rmse, a->rmse, tolerance);
        }
    }
    volt_forecast_free(given);
    volt_forecast_free(permuted);
    free(levels);
    free(other);
}

/* Long series: only the latest rows are used by default: (1.2e10 / 100)^(1/3) = 493.2 rows. */
static void work_is_limited(void **state)
{
    assert_int_equal(volt_forecast_first_row(1300, 100, false), 1300 - 493);
    assert_int_equal(volt_forecast_first_row(1300, 100, true), 0);
    assert_int_equal(volt_forecast_first_row(493, 100, false), 0);
    assert_int_equal(volt_forecast_first_row(2000, 600, false),
                     2000 - 1810); /* rows for fits of all 600 steps */
}

/* The interval of a finite series would end beyond the largest number. */
static void result_beyond_the_largest_number_is_an_error(void **state)
{
    static const double y[] = {0, 0, 0, 1e308}, coverage = 0.8;
    static const char *const names[] = {"load"};
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.names = names;
    check_ok(volt_forecast_run(view_of(y, 4, 1), &options, &forecast));
    assert_true(isfinite(volt_forecast_step_at(forecast, 0, 0)->value));
    volt_forecast_free(forecast);
    options.coverages = &coverage;
    options.n_coverages = 1;
    assert_int_equal(volt_forecast_run(view_of(y, 4, 1), &options, &forecast), VOLT_ERR_NOT_FINITE);
    assert_null(forecast);
    assert_non_null(strstr(volt_error_detail(), "load"));
}

/* Series times a power of two, whose squares overflow or underflow: the same forecast times that power. */
static void extreme_units_change_nothing(void **state)
{
    enum { STEPS = 2, SHORT = 60 };
    static const int powers[] = {1019, 560, -560}; /* the largest level is in [16, 32) */
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
            near(ldexp(b->member_rmse[VOLT_MEMBER_NAIVE], -powers[p]), a->member_rmse[VOLT_MEMBER_NAIVE],
                 1e-12 * a->member_rmse[VOLT_MEMBER_NAIVE]);
            assert_true(a->kernel_share == b->kernel_share);
        }
        volt_forecast_free(other);
    }
    volt_forecast_free(plain);
    free(levels);
}

static void constant_series_leaves_the_others_alone(void **state)
{
    enum { N = 80 };
    double *wave = malloc(N * sizeof *wave), *both = malloc(2 * N * sizeof *both);
    volt_forecast *single = NULL, *pair = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 3;
    for (int64_t i = 0; i < N; i++) {
        wave[i] = sin(0.7 * (double)i) + sin(1.9 * (double)i);
        both[2 * i] = 5;
        both[2 * i + 1] = wave[i];
    }
    check_ok(volt_forecast_run(view_of(wave, N, 1), &options, &single));
    check_ok(volt_forecast_run(view_of(both, N, 2), &options, &pair));
    assert_true(volt_forecast_series_at(single, 0)->member_weight[VOLT_MEMBER_KERNEL] > 0);
    assert_true(volt_forecast_series_at(pair, 0)->member_weight[VOLT_MEMBER_KERNEL] == 0);
    for (int64_t h = 0; h < 3; h++) {
        assert_true(volt_forecast_step_at(pair, h, 0)->value == 5);
        assert_true(volt_forecast_step_at(pair, h, 1)->value == volt_forecast_step_at(single, h, 0)->value);
    }
    volt_forecast_free(single);
    volt_forecast_free(pair);
    free(wave);
    free(both);
}

/* ---- warnings --------------------------------------------------------------------------------- */

static void warnings_have_codes(void **state)
{
    double constant[30], wave[40];
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 2;
    for (int64_t i = 0; i < 30; i++)
        constant[i] = 7;
    check_ok(volt_forecast_run(view_of(constant, 30, 1), &options, &forecast));
    volt_forecast_info info = info_of(forecast);
    assert_int_equal(info.n_warnings, 1);
    assert_int_equal(info.warnings[0].code, VOLT_WARNING_CONSTANT_HELDOUT);
    assert_true(volt_forecast_step_at(forecast, 1, 0)->value == 7);
    assert_true(volt_forecast_step_at(forecast, 1, 0)->rmse == 0);
    volt_forecast_free(forecast);
    for (int64_t i = 0; i < 40; i++) /* exact for an autoregression, which takes part from 60 rows on */
        wave[i] = cos(0.9 * (double)i) + cos(2.3 * (double)i + 1);
    options.steps = 3;
    check_ok(volt_forecast_run(view_of(wave, 40, 1), &options, &forecast));
    info = info_of(forecast);
    assert_int_equal(info.n_warnings, 1);
    assert_int_equal(info.warnings[0].code, VOLT_WARNING_BETTER_BASELINE);
    assert_int_equal(info.warnings[0].baseline, VOLT_BASELINE_AR);
    const volt_forecast_series *shown = volt_forecast_series_at(forecast, 0);
    double ratio = shown->member_rmse[VOLT_MEMBER_AR] / shown->rmse;
    assert_true(ratio < 0.1 && fabs(info.warnings[0].value / (ratio * ratio) - 1) < 1e-12);
    volt_forecast_free(forecast);
    double line[16]; /* the drift is exact, the combination almost */
    for (int64_t i = 0; i < 16; i++)
        line[i] = 2.5 * (double)i;
    check_ok(volt_forecast_run(view_of(line, 16, 1), &options, &forecast));
    assert_true(volt_forecast_series_at(forecast, 0)->rmse < 1e-6);
    assert_int_equal(info_of(forecast).n_warnings, 0);
    volt_forecast_free(forecast);
    const char *unknown = volt_warning_text((volt_warning_code)99);
    for (int a = VOLT_WARNING_CONSTANT_HELDOUT; a <= VOLT_WARNING_BETTER_LINEAR; a++)
        for (int b = a + 1; b <= VOLT_WARNING_BETTER_LINEAR + 1; b++)
            assert_string_not_equal(volt_warning_text((volt_warning_code)a),
                                    b > VOLT_WARNING_BETTER_LINEAR ? unknown
                                                                   : volt_warning_text((volt_warning_code)b));
    for (int m = 0; m < (int)info.members; m++)
        assert_non_null(info.member_names[m]);
}

/* Less than two years of months without a season cause a warning. */
static void short_season_is_a_warning(void **state)
{
    double y[24];
    volt_rng rng = test_rng(77);
    volt_forecast_options options = volt_forecast_options_default();
    options.step = (volt_time_step){.months = 1};
    options.steps = 2;
    for (int i = 0; i < 24; i++)
        y[i] = 10 + volt_rng_normal(&rng);
    for (int64_t rows = 20; rows <= 24; rows += 4) {
        volt_forecast *forecast = NULL;
        check_ok(volt_forecast_run(view_of(y, rows, 1), &options, &forecast));
        volt_forecast_info info = info_of(forecast);
        bool is_short = info.n_warnings > 0 && info.warnings[0].code == VOLT_WARNING_SHORT_SEASON;
        assert_int_equal(is_short, rows < 24);
        if (is_short)
            assert_true(info.warnings[0].value == 12);
        volt_forecast_free(forecast);
        options.season = 0; /* given: no warning */
        check_ok(volt_forecast_run(view_of(y, rows, 1), &options, &forecast));
        info = info_of(forecast);
        assert_true(info.n_warnings == 0 || info.warnings[0].code != VOLT_WARNING_SHORT_SEASON);
        volt_forecast_free(forecast);
        options.season = VOLT_SEASON_AUTO;
    }
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_input_is_rejected(void **state)
{
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
    REFUSED(steps, -1, VOLT_ERR_ARGUMENT, "steps");
    REFUSED(season, 1, VOLT_ERR_ARGUMENT, "season");
    REFUSED(season, 31, VOLT_ERR_ARGUMENT, "season");
    REFUSED(kernel, NULL, VOLT_ERR_ARGUMENT, "kernel");
    REFUSED(kernel, "nothing", VOLT_ERR_KERNEL, "nothing");
    REFUSED(search_seconds, NAN, VOLT_ERR_ARGUMENT, "search_seconds");
    REFUSED(known, view_of(levels, 59, 1), VOLT_ERR_SHAPE, "59");
    check_fails(volt_forecast_run(view_of(levels, 2, 1), &options, &forecast), VOLT_ERR_DATA, "3");
    static const double above = 1.5;
    bad = options;
    bad.coverages = &above;
    bad.n_coverages = 1;
    check_fails(volt_forecast_run(series, &bad, &forecast), VOLT_ERR_ARGUMENT, "1.5");
    check_fails(volt_forecast_run(view_of(levels, 60, 0), &options, &forecast), VOLT_ERR_SHAPE, "column");
    check_fails(volt_forecast_run(series, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    levels[7] = NAN;
    check_fails(volt_forecast_run(series, &options, &forecast), VOLT_ERR_NOT_FINITE, "row 7 series 'sales'");
    options.names = NULL;
    check_fails(volt_forecast_run(series, &options, &forecast), VOLT_ERR_NOT_FINITE, "series 0");
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

/* A series that changes only in its last rows has classical forecasts with intervals, alone and beside another one. */
static void late_change_is_forecast(void **state)
{
    enum { STEPS = 6, COLS = 2 };
    const double coverages[] = {0.8};
    double *levels = monthly(60, COLS, 5), width[COLS], coverage[COLS];
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = STEPS;
    options.separate = 1;
    options.coverages = coverages;
    options.n_coverages = 1;
    for (int64_t late = 1; late <= STEPS; late += 5)
        for (options.search_seconds = 0; options.search_seconds < 0.2; options.search_seconds += 0.1) {
            volt_forecast *forecast = NULL;
            volt_backtest result = {.struct_size = sizeof result, .coverage = coverage, .width = width};
            for (int64_t i = 0; i < 60; i++)
                levels[i * COLS + 1] = i < 60 - late ? 0 : 4 + (double)i;
            check_ok(volt_forecast_run(view_of(levels, 60, COLS), &options, &forecast));
            const double *weight = volt_forecast_series_at(forecast, 1)->member_weight;
            assert_true(volt_forecast_series_at(forecast, 0)->member_weight[VOLT_MEMBER_KERNEL] > 0);
            assert_true(late > 1 || weight[VOLT_MEMBER_KERNEL] == 0);
            for (int64_t h = 0; h < STEPS; h++) {
                const volt_forecast_step *step = volt_forecast_step_at(forecast, h, 1);
                assert_true(step->lower[0] < step->value && step->value < step->upper[0]);
            }
            volt_forecast_free(forecast);
            if (options.search_seconds == 0)
                check_ok(volt_forecast_backtest(view_of(levels, 60, COLS), &options, 2, &result));
        }
    free(levels);
}

/* Missing values, and rows missing between the times, are interpolated: the forecast is that of the series without them. */
static void missing_rows_are_filled(void **state)
{
    enum { N = 60, STEPS = 3, GONE = 2 };
    double *full = monthly(N, 1, 5), *known = new_matrix(N + STEPS, 1), holes[N], shown[N + STEPS - GONE];
    volt_time times[N - GONE];
    int64_t rows = 0;
    volt_forecast_options options = volt_forecast_options_default();
    full[30] = (2 * full[29] + full[32]) / 3;
    full[31] = (full[29] + 2 * full[32]) / 3;
    full[40] = (full[39] + full[41]) / 2;
    for (int64_t i = 0; i < N + STEPS; i++) {
        known[i] = i > 28 && i < 33 ? (double)i : (double)(i % 5);
        if (i == 30 || i == 31)
            continue;
        shown[rows] = known[i];
        if (i < N) {
            holes[rows] = i == 40 ? NAN : full[i];
            times[rows] = (volt_time){86400.0 * (double)i, 86400.0 * (double)i};
        }
        rows++;
    }
    options.steps = STEPS;
    options.known = view_of(known, N + STEPS, 1);
    volt_forecast *expected = NULL, *forecast = NULL;
    check_ok(volt_forecast_run(view_of(full, N, 1), &options, &expected));
    options.known = view_of(shown, rows, 1);
    options.times = times;
    rows = N - GONE;
    assert_int_equal(volt_forecast_run(view_of(holes, rows, 1), &options, &forecast), VOLT_ERR_NOT_FINITE);
    options.missing = VOLT_MISSING_DROP;
    assert_int_equal(volt_forecast_run(view_of(holes, rows, 1), &options, &forecast), VOLT_ERR_ARGUMENT);
    options.missing = VOLT_MISSING_INTERPOLATE;
    check_ok(volt_forecast_run(view_of(holes, rows, 1), &options, &forecast));
    volt_forecast_info info = info_of(forecast);
    assert_true(info.inserted_rows == GONE && info.interpolated == GONE + 1 && info.rows == N);
    for (int64_t h = 0; h < STEPS; h++) {
        double value = volt_forecast_step_at(expected, h, 0)->value;
        near(volt_forecast_step_at(forecast, h, 0)->value, value, 1e-9 * fabs(value));
    }
    volt_forecast_free(forecast);
    times[N - GONE - 1].seconds += 86400e3; /* more rows missing than present */
    times[N - GONE - 1].clock += 86400e3;
    assert_int_equal(volt_forecast_run(view_of(holes, rows, 1), &options, &forecast), VOLT_ERR_DATA);
    volt_forecast_free(expected);
    free(known);
    free(full);
}

/* ---- search (test_forecast_combine.c has its results) ------------------------------------------ */

static void search_reports_its_outcome(void **state)
{
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
    free(levels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_member_is_a_fit),
        cmocka_unit_test(forecast_is_the_weighted_mean),
        cmocka_unit_test(summary_and_default_steps),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(short_series_are_forecast),
        cmocka_unit_test(calendar_suggests_the_season),
        cmocka_unit_test(future_inputs_are_used),
        cmocka_unit_test(separate_series_do_not_meet),
        cmocka_unit_test(order_of_columns_changes_nothing),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(result_beyond_the_largest_number_is_an_error),
        cmocka_unit_test(extreme_units_change_nothing),
        cmocka_unit_test(constant_series_leaves_the_others_alone),
        cmocka_unit_test(late_change_is_forecast),
        cmocka_unit_test(missing_rows_are_filled),
        cmocka_unit_test(warnings_have_codes),
        cmocka_unit_test(short_season_is_a_warning),
        cmocka_unit_test(invalid_input_is_rejected),
        cmocka_unit_test(progress_grows_and_cancels),
        cmocka_unit_test(search_reports_its_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
