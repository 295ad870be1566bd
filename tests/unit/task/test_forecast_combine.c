/* tests/unit/task/test_forecast_combine.c: weights and expected errors of combined forecasts, by hand; searches of a kernel,
 * compared with plain fits of every candidate, with a clock that the test controls. */
#include "kernel/kernel_entry.h"
#include "stats/classical.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "task/series_forecast.h"
#include "volterra/select.h"

#include <time.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g differs from %.17g by more than %g", value, expected, tolerance);
}

enum { WEIGHT_STEPS = 2, WEIGHT_ORIGINS = 2, NUMBERS = WEIGHT_STEPS * (1 + WEIGHT_ORIGINS) };

/* Forecasts and errors of the members: each forecast is 10 (member + 1), each error has the size of the table. The
 * kernel is known in the first `kernel_steps` steps. `combined` receives the combined forecasts and errors. */
static void combine_steps(int64_t rows, int64_t season, int64_t kernel_steps, double weight[FORECAST_MEMBERS],
                          double combined[NUMBERS])
{
    static const double size[FORECAST_MEMBERS] = {2, 4, 4, 9, 8, 9, 1};
    double numbers[FORECAST_MEMBERS][NUMBERS], y[80] = {0};
    forecast_series series = {.y = y,
                              .n = rows,
                              .season = season,
                              .steps = WEIGHT_STEPS,
                              .origins = {.count = WEIGHT_ORIGINS, .known = {5, 8}}};
    for (int m = 0; m < FORECAST_MEMBERS; m++) {
        series.members[m] = (forecast_values){numbers[m], numbers[m] + WEIGHT_STEPS};
        for (int i = 0; i < NUMBERS; i++) /* errors of both signs, the same for all members */
            numbers[m][i] = i < WEIGHT_STEPS ? 10 * (m + 1) : i % 2 ? size[m] : -size[m];
    }
    for (int i = 0; i < NUMBERS; i++)
        if (i % WEIGHT_STEPS >= kernel_steps)
            numbers[VOLT_MEMBER_KERNEL][i] = NAN;
    forecast_combination combination = {.value = combined, .error = combined + WEIGHT_STEPS};
    volt_forecast_combine(&series, &combination);
    memcpy(weight, combination.weight, sizeof combination.weight);
}

static void combine(int64_t rows, int64_t season, double weight[FORECAST_MEMBERS], double *value)
{
    double combined[NUMBERS];
    combine_steps(rows, season, WEIGHT_STEPS, weight, combined);
    *value = combined[0];
}

/* Relative to the error 4 of Theta: kernel 1/2, ETS 1, seasonal naive 2, autoregression 1/4. Weights are the powers -4. */
static void weights_by_hand(void **state)
{
    double weight[FORECAST_MEMBERS], value;
    combine(60, 4, weight, &value);
    double total = 1 + 1 + 16 + 1 / 16.0 + 256;
    near(weight[VOLT_MEMBER_KERNEL], 16 / total, 1e-15);
    near(weight[VOLT_MEMBER_THETA], 1 / total, 1e-15);
    near(weight[VOLT_MEMBER_ETS], 1 / total, 1e-15);
    near(weight[VOLT_MEMBER_SEASONAL], 1 / 16.0 / total, 1e-15);
    near(weight[VOLT_MEMBER_AR], 256 / total, 1e-15);
    near(value, (16 * 10 + 20 + 30 + 50 / 16.0 + 256 * 70) / total, 1e-12);
}

/* In a step without a kernel fit the weights of the other members keep their ratios: inaccurate forecasts do not take the
 * weight of the kernel. Half of what the kernel adds in the step before is added. */
static void step_without_kernel(void **state)
{
    double weight[FORECAST_MEMBERS], combined[NUMBERS];
    combine_steps(60, 4, 1, weight, combined);
    double others = 1 + 1 + 1 / 16.0 + 256, total = others + 16, sum = 20 + 30 + 50 / 16.0 + 256 * 70;
    near(weight[VOLT_MEMBER_KERNEL], 16 / total, 1e-15);
    near(combined[0], (16 * 10 + sum) / total, 1e-12);
    near(combined[1], ((16 * 10 + sum) / total + sum / others) / 2, 1e-12);
    sum = 4 + 4 + 8 / 16.0 + 256;
    for (int j = 1; j <= WEIGHT_ORIGINS; j++) {
        double first = -(16 * 2 + sum) / total;
        near(combined[j * WEIGHT_STEPS], first, 1e-13);
        near(combined[j * WEIGHT_STEPS + 1], sum / others + (first + sum / others) / 2, 1e-13);
    }
}

enum { PATH_STEPS = 5, PATH_ORIGINS = 9, PATH_NUMBERS = PATH_STEPS * (1 + PATH_ORIGINS) };

/* Combines Theta, whose forecasts are 0 and whose errors are 1, and a kernel with these forecasts and errors. */
static void combine_path(double *kernel, double weight[FORECAST_MEMBERS], double combined[PATH_NUMBERS])
{
    static const double y[20] = {0};
    double theta[PATH_NUMBERS], unknown[PATH_NUMBERS];
    forecast_series series = {.y = y, .n = 20, .steps = PATH_STEPS, .origins = {.count = PATH_ORIGINS}};
    for (int i = 0; i < PATH_NUMBERS; i++) {
        theta[i] = i >= PATH_STEPS;
        unknown[i] = NAN;
    }
    for (int m = 0; m < FORECAST_MEMBERS; m++)
        series.members[m] = (forecast_values){unknown, unknown + PATH_STEPS};
    series.members[VOLT_MEMBER_THETA] = (forecast_values){theta, theta + PATH_STEPS};
    series.members[VOLT_MEMBER_KERNEL] = (forecast_values){kernel, kernel + PATH_STEPS};
    forecast_combination combination = {.value = combined, .error = combined + PATH_STEPS};
    volt_forecast_combine(&series, &combination);
    memcpy(weight, combination.weight, sizeof combination.weight);
}

/* A kernel fit in steps 0 and 3: what it adds is halved with every step from there. Its errors are those of Theta, so the
 * weights are 1/2. */
static void path_does_not_jump(void **state)
{
    double kernel[PATH_NUMBERS], weight[FORECAST_MEMBERS], combined[PATH_NUMBERS];
    for (int i = 0; i < PATH_NUMBERS; i++)
        kernel[i] = i % PATH_STEPS == 0 || i % PATH_STEPS == 3 ? 1 : NAN;
    kernel[0] = 16;
    kernel[3] = 32;
    combine_path(kernel, weight, combined);
    static const double expected[PATH_STEPS] = {8, 4 + 4, 2 + 8, 16, 8};
    near(weight[VOLT_MEMBER_KERNEL], 0.5, 1e-15);
    for (int h = 0; h < PATH_STEPS; h++)
        near(combined[h], expected[h], 1e-13);
}

/* Errors of 9 at the first of nine origins and of 1/4 at the others: the kernel has the larger weight, which the ratio of the
 * means of absolute errors, 11/9, would not give it. The k-th origin from the last one counts 2^(-k/8). */
static void one_crisis_does_not_decide(void **state)
{
    double kernel[PATH_NUMBERS], weight[FORECAST_MEMBERS], combined[PATH_NUMBERS], total = 0;
    for (int i = 0; i < PATH_NUMBERS; i++)
        kernel[i] = i < 2 * PATH_STEPS ? 9 : 0.25;
    for (int k = 0; k < PATH_ORIGINS; k++)
        total += exp2(-k / 8.0);
    combine_path(kernel, weight, combined);
    double ratio = pow((0.5 * 3 + (total - 0.5) * 0.5) / total, 2);
    near(weight[VOLT_MEMBER_KERNEL], pow(ratio, -4) / (1 + pow(ratio, -4)), 1e-14);
    assert_true(weight[VOLT_MEMBER_KERNEL] > 0.9);
}

/* The autoregression takes part from 60 rows on, the seasonal naive forecast and exponential smoothing with a season. */
static void members_that_take_part(void **state)
{
    double weight[FORECAST_MEMBERS], value;
    combine(59, 4, weight, &value);
    assert_true(weight[VOLT_MEMBER_AR] == 0 && weight[VOLT_MEMBER_SEASONAL] > 0 && weight[VOLT_MEMBER_ETS] > 0);
    combine(60, 0, weight, &value);
    assert_true(weight[VOLT_MEMBER_AR] > 0 && weight[VOLT_MEMBER_SEASONAL] == 0 &&
                weight[VOLT_MEMBER_ETS] == 0);
    near(weight[VOLT_MEMBER_THETA], 1 / (1 + 16 + 256.0), 1e-15);
}

/* A series that doubles in every row is fitted exactly; its forecasts stop at ten times the largest deviation. */
static void unstable_autoregression_is_bounded(void **state)
{
    enum { N = 30, STEPS = 40 };
    double y[N], mean[STEPS], level = 0, largest = 0;
    for (int t = 0; t < N; t++) {
        y[t] = ldexp(1, t);
        level += y[t] / N;
    }
    for (int t = 0; t < N; t++)
        largest = fmax(largest, fabs(y[t] - level));
    check_ok(volt_seasonal_ar_forecast(y, N, 0, STEPS, mean));
    near(mean[0], ldexp(1, N), 1e-3 * ldexp(1, N)); /* the ridge */
    near(mean[STEPS - 1], level + 10 * largest, 1e-9 * largest);
}

/* Two cosines and a power of 0.97 satisfy a recurrence with the lags 1 to 5: S - 1 to S + 1 for the season S = 4, and
 * the shorter lags. Without the lags of the season, 35 rows allow 4. The coefficients have sum b^2 = 2.7, and the
 * squares of the series around its mean have the sum 36: the ridge leaves a residual of at most sqrt(1e-6 36 2.7) =
 * 0.01 in every fitted row. The tolerance of the forecasts is twice that. */
static void lags_of_a_season_follow_the_shorter_ones(void **state)
{
    enum { N = 35, STEPS = 8 };
    double y[N + STEPS], mean[STEPS];
    for (int t = 0; t < N + STEPS; t++)
        y[t] = cos(0.9 * t) + cos(2.3 * t + 1) + pow(0.97, t);
    check_ok(volt_seasonal_ar_forecast(y, N, 4, STEPS, mean));
    for (int h = 0; h < STEPS; h++)
        near(mean[h], y[N + h], 0.02);
}

/* Levels 1 (rows 0 to 5) and 4 (rows 6 to 11), origins with 6 and 9 rows known: variances at the first are multiplied
 * by the largest ratio, 2. Step 2 has smaller errors than step 1 and is pooled with it; step 3 is measured once, step 4
 * not at all: a random walk has 4/3 of the variance of step 3. */
static void expected_errors_by_hand(void **state)
{
    enum { STEPS = 4 };
    double y[12], spread[STEPS], counts[STEPS];
    const double errors[2 * STEPS] = {2, 1, 6, NAN, 4, 0, NAN, NAN};
    forecast_series series = {.y = y, .n = 12, .steps = STEPS, .origins = {.count = 2, .known = {6, 9}}};
    for (int i = 0; i < 12; i++)
        y[i] = i < 6 ? 1 : 4;
    volt_forecast_spread(&series, errors, spread, counts);
    /* (2 4 + 16) / 2 = 12 and (2 1 + 0) / 2 = 1: pooled 6.5; 2 36 = 72; 72 4/3 = 96 */
    const double variances[STEPS] = {6.5, 6.5, 72, 96}, numbers[STEPS] = {2, 2, 1, 0};
    for (int h = 0; h < STEPS; h++) {
        near(spread[h] * spread[h], variances[h], 1e-13 * variances[h]);
        assert_true(counts[h] == numbers[h]);
    }
    /* without a level now there is no ratio: (4 + 16) / 2 = 10 and (1 + 0) / 2 = 0.5, pooled 5.25; 36; 36 4/3 */
    const double without_level[STEPS] = {5.25, 5.25, 36, 48};
    for (int i = 9; i < 12; i++)
        y[i] = 0;
    volt_forecast_spread(&series, errors, spread, counts);
    for (int h = 0; h < STEPS; h++)
        near(spread[h] * spread[h], without_level[h], 1e-13 * without_level[h]);
    /* 6 rows after the first origin: at least 3 degrees of freedom; t(0.95, 3) = 2.3534, to the documented 1 % */
    near(volt_forecast_quantile(&series, 0.9, 2, 0), 2.3534, 0.01 * 2.3534);
}

/* ---- search ----------------------------------------------------------------------------------- */

enum { SEARCH_ROWS = 80, LEARN_ROWS = 60, SERIES = 2, SEARCH_STEPS = 4, HORIZONS = 3 };

/* Replaces the library's clock: each call advances it by 1 ms. */
static long ticks;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    ticks++;
    *now = (struct timespec){.tv_sec = ticks / 1000, .tv_nsec = ticks % 1000 * 1000000};
    return 0;
}

typedef struct search_problem {
    double *levels;
    forecast_data data;
    volt_forecast_options options;
} search_problem;

/* Two noisy oscillations whose amplitudes grow by `growth` a row. */
static search_problem make_search(const char *kernel, int separate, double growth)
{
    static const int64_t columns[SERIES] = {0, 1}, seasons[SERIES] = {0};
    volt_rng rng = test_rng(91);
    search_problem p = {.levels = new_matrix(SEARCH_ROWS, SERIES), .options = volt_forecast_options_default()};
    for (int64_t t = 0; t < SEARCH_ROWS; t++)
        for (int64_t k = 0; k < SERIES; k++)
            p.levels[t * SERIES + k] =
                exp(growth * (double)t) * sin(0.4 * (double)t + 0.9 * (double)k) + 0.05 * volt_rng_normal(&rng);
    p.data = (forecast_data){.levels = volt_view_of(p.levels, SEARCH_ROWS, SERIES),
                             .columns = columns,
                             .seasons = seasons,
                             .steps = SEARCH_STEPS};
    p.options.kernel = kernel;
    p.options.separate = separate;
    p.options.seed = 5;
    return p;
}

/* The errors of one candidate relative to the naive forecast's: held out of the first rows, and on the last quarter. */
static void score_plainly(forecast_group *groups, int64_t n_groups, const char *text, double *heldout,
                          double *test)
{
    static const int64_t horizons[HORIZONS] = {1, 2, 4}; /* the first, the middle and the last step */
    volt_kernel *kernel = plain_parse(text);
    *heldout = *test = 0;
    for (int64_t g = 0; g < n_groups; g++)
        for (int h = 0; h < HORIZONS; h++) {
            int64_t ahead = horizons[h], count = groups[g].count, rows = SEARCH_ROWS - LEARN_ROWS;
            volt_model *model = NULL;
            volt_model_info info = {.struct_size = sizeof info};
            check_ok(
                volt_forecast_group_fit(&groups[g], kernel, LEARN_ROWS, ahead, (volt_progress){0}, &model));
            check_ok(volt_model_get_info(model, &info));
            volt_view inputs = volt_as_view(groups[g].inputs);
            double values[(SEARCH_ROWS - LEARN_ROWS) * SERIES];
            check_ok(volt_model_predict(model, volt_view_rows(inputs, LEARN_ROWS - ahead, rows), NULL,
                                        volt_matrix_of(values, rows, count), NULL));
            for (int64_t k = 0; k < count; k++) {
                double error = 0, naive = 0;
                *heldout += info.report->mse[k] / info.report->naive_mse[k] / (SERIES * HORIZONS);
                /* targets in the last quarter whose origin follows the training rows */
                for (int64_t t = LEARN_ROWS + ahead - 1; t < SEARCH_ROWS; t++) {
                    double truth = inputs.data[t * inputs.ld + k];
                    error += pow(values[(t - LEARN_ROWS) * count + k] - truth, 2);
                    naive += pow(inputs.data[(t - ahead) * inputs.ld + k] - truth, 2);
                }
                *test += error / naive / (SERIES * HORIZONS);
            }
            volt_model_free(model);
        }
    volt_kernel_free(kernel);
}

/* Sums of a few numbers of size 1 in another order. */
static const double sum_rounding = 1e-13;

static volt_forecast_search search_and_compare(const char *kernel_text, int separate, double growth,
                                               double seconds)
{
    search_problem p = make_search(kernel_text, separate, growth);
    volt_kernel *kernel = plain_parse(kernel_text);
    volt_forecast_info info = {.struct_size = sizeof info};
    p.options.search_seconds = seconds;
    long begin = ticks;
    check_ok(volt_forecast_search_run(&p.data, &p.options, &kernel, &info));
    double elapsed = 1e-3 * (double)(ticks - begin);

    int64_t n_groups = separate ? SERIES : 1;
    forecast_group groups[SERIES] = {{0}};
    volt_candidates *candidates = NULL;
    volt_draw_options drawing = volt_draw_options_default();
    drawing.seed = p.options.seed;
    for (int64_t g = 0; g < n_groups; g++)
        check_ok(volt_forecast_group_create(&p.data, g, SERIES / n_groups, &groups[g]));
    check_ok(volt_candidates_draw(kernel_text, volt_as_view(groups[0].inputs), &drawing, &candidates));
    char best[VOLT_KERNEL_LENGTH] = "", given[VOLT_KERNEL_LENGTH];
    double heldout, test, best_heldout, best_test, alpha;
    volt_kernel *parsed = plain_parse(kernel_text);
    strcpy(given, volt_kernel_text(parsed));
    volt_kernel_free(parsed);
    score_plainly(groups, n_groups, given, &heldout, &test);
    best_heldout = heldout;
    best_test = test;
    for (int64_t draw = 0; draw < info.search_draws; draw++) {
        char text[VOLT_KERNEL_LENGTH];
        double drawn_heldout, drawn_test;
        check_ok(volt_candidates_get(candidates, draw, text, &alpha, NULL));
        score_plainly(groups, n_groups, text, &drawn_heldout, &drawn_test);
        if (drawn_heldout < best_heldout) {
            best_heldout = drawn_heldout;
            best_test = drawn_test;
            strcpy(best, text);
        }
    }
    print_message("# %s, growth %g: outcome %d of %d draws, %g s, held out %g of %g, test %g of %g\n",
                  kernel_text, growth, (int)info.search, (int)info.search_draws, elapsed, best_heldout, heldout,
                  best_test, test);
    near(info.search_mse, best_test, sum_rounding * best_test);
    near(info.search_mse_given, test, sum_rounding * test);
    volt_forecast_search expected = info.search_draws == 0       ? VOLT_FORECAST_SEARCH_TIME
                                    : !(best_heldout < heldout)  ? VOLT_FORECAST_SEARCH_WORSE
                                    : !(best_test < 0.95 * test) ? VOLT_FORECAST_SEARCH_REJECTED
                                                                 : VOLT_FORECAST_SEARCH_ACCEPTED;
    assert_int_equal(info.search, expected);
    assert_string_equal(volt_kernel_text(kernel), expected == VOLT_FORECAST_SEARCH_ACCEPTED ? best : given);
    /* The forecast that follows takes as long as 4 / 3 (80 / 60)^3 candidates. */
    double rest = 4.0 / 3 * pow(80.0 / 60, 3), mean = elapsed / (double)(info.search_draws + 1);
    if (info.search_draws > 0)
        assert_true(elapsed + rest * mean <= seconds && elapsed + 4 * (2 + rest) * mean > seconds);
    for (int64_t g = 0; g < n_groups; g++)
        volt_forecast_group_release(&groups[g]);
    volt_candidates_free(candidates);
    volt_kernel_free(kernel);
    free(p.levels);
    return info.search;
}

static void search_equals_plain_scores(void **state)
{
    bool seen[VOLT_FORECAST_SEARCH_ACCEPTED + 1] = {false};
    seen[search_and_compare("rbf:window=3", 0, 0, 1e-3)] = true;
    seen[search_and_compare("rbf:window=3", 0, 0, 3)] = true;
    seen[search_and_compare("cauchy", 0, 0, 5)] = true;
    seen[search_and_compare("rbf:window=2", 1, 0, 5)] = true;
    seen[search_and_compare("volterra", 1, 0.01, 12)] = true;
    assert_true(seen[VOLT_FORECAST_SEARCH_TIME] && seen[VOLT_FORECAST_SEARCH_WORSE] &&
                seen[VOLT_FORECAST_SEARCH_REJECTED] && seen[VOLT_FORECAST_SEARCH_ACCEPTED]);
}

typedef struct search_calls {
    int64_t calls, at; /* cancels at call `at`; 0: never */
    double last;
    bool draws;
    double best; /* error of the given kernel in the text of the first draw */
} search_calls;

static int count_calls(const char *stage, double fraction, void *context)
{
    search_calls *calls = context;
    assert_true(fraction >= calls->last && fraction <= 1);
    assert_true(strcmp(stage, "search") == 0 ? !calls->draws : strncmp(stage, "draw ", 5) == 0);
    if (!calls->draws && stage[0] == 'd') {
        calls->draws = true;
        assert_int_equal(sscanf(stage, "draw 1, best MSE %lf", &calls->best), 1);
    }
    calls->last = fraction;
    return ++calls->calls == calls->at;
}

/* Fractions are shares of the time. Cancelling stops the search and keeps the kernel. */
static void search_reports_and_cancels(void **state)
{
    search_problem p = make_search("rbf", 0, 0);
    search_calls all = {0};
    p.options.search_seconds = 8;
    for (int64_t at = 0; at <= all.calls; at = at == 0 ? 1 : at + all.calls / 5) {
        volt_kernel *kernel = plain_parse("rbf");
        volt_forecast_info info = {.struct_size = sizeof info};
        search_calls calls = {.at = at};
        p.options.progress = (volt_progress){count_calls, &calls};
        volt_status status = volt_forecast_search_run(&p.data, &p.options, &kernel, &info);
        if (at > 0) {
            assert_int_equal(status, VOLT_ERR_CANCELLED);
            assert_int_equal(calls.calls, at);
            assert_string_equal(volt_kernel_text(kernel), "rbf:window=1");
        } else {
            check_ok(status);
            all = calls;
            assert_true(all.draws && all.last > 0.1);
            forecast_group group = {0};
            double heldout, test;
            check_ok(volt_forecast_group_create(&p.data, 0, SERIES, &group));
            score_plainly(&group, 1, "rbf:window=1", &heldout, &test);
            near(all.best, heldout, 1e-3 * heldout); /* four digits */
            volt_forecast_group_release(&group);
        }
        volt_kernel_free(kernel);
    }
    free(p.levels);
}

/* Three quarters of the rows must suffice for the last step. */
static void search_requires_rows(void **state)
{
    search_problem p = make_search("rbf", 0, 0);
    volt_kernel *kernel = plain_parse("rbf");
    volt_forecast_info info = {.struct_size = sizeof info};
    p.options.search_seconds = 1e-3;
    p.data.steps = 16; /* 58 of 60 rows */
    check_ok(volt_forecast_search_run(&p.data, &p.options, &kernel, &info));
    assert_int_equal(info.search, VOLT_FORECAST_SEARCH_TIME);
    p.data.steps = 17; /* 61 */
    check_ok(volt_forecast_search_run(&p.data, &p.options, &kernel, &info));
    assert_int_equal(info.search, VOLT_FORECAST_SEARCH_ROWS);
    volt_kernel_free(kernel);
    free(p.levels);
}

/* ---- whole forecasts -------------------------------------------------------------------------- */

/* An exactly periodic series has no error, and no baseline is better. */
static void errors_within_rounding_are_zero(void **state)
{
    double levels[60];
    volt_forecast *forecast = NULL;
    volt_forecast_info info = {.struct_size = sizeof info};
    volt_forecast_options options = volt_forecast_options_default();
    for (int64_t i = 0; i < 60; i++)
        levels[i] = (double)(i % 7 * i % 7);
    options.season = 7;
    options.steps = 7;
    check_ok(volt_forecast_run(volt_view_of(levels, 60, 1), &options, &forecast));
    volt_forecast_get_info(forecast, &info);
    assert_int_equal(info.n_warnings, 0);
    for (int64_t h = 0; h < 7; h++) {
        near(volt_forecast_step_at(forecast, h, 0)->value, levels[53 + h], 1e-9);
        assert_true(volt_forecast_step_at(forecast, h, 0)->rmse == 0);
    }
    volt_forecast_free(forecast);
}

static int stop(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

/* Quarters of an hour: 30 days have a season of a week, 672 rows. The 584 rows used for 60 steps have a season of a day.
 * A season that does not fit the rows would be an error before the first progress report of a fit. */
static void seasons_fit_the_rows_used(void **state)
{
    enum { DAY_ROWS = 96, ROWS_OF_MONTH = 30 * DAY_ROWS };
    static double levels[ROWS_OF_MONTH];
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    volt_rng rng = test_rng(31);
    for (int64_t i = 0; i < ROWS_OF_MONTH; i++)
        levels[i] = 20 * sin(6.283185307179586 * (double)i / DAY_ROWS) + (i / DAY_ROWS % 7 < 5 ? 8 : 0) +
                    volt_rng_normal(&rng);
    options.step.seconds = 900;
    options.progress.report = stop;
    check_fails(volt_forecast_run(volt_view_of(levels, ROWS_OF_MONTH, 1), &options, &forecast),
                VOLT_ERR_CANCELLED, "");
    options.season = 672;
    check_fails(volt_forecast_run(volt_view_of(levels, ROWS_OF_MONTH, 1), &options, &forecast),
                VOLT_ERR_CANCELLED, "");
    assert_null(forecast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_by_hand),
        cmocka_unit_test(step_without_kernel),
        cmocka_unit_test(path_does_not_jump),
        cmocka_unit_test(one_crisis_does_not_decide),
        cmocka_unit_test(members_that_take_part),
        cmocka_unit_test(unstable_autoregression_is_bounded),
        cmocka_unit_test(lags_of_a_season_follow_the_shorter_ones),
        cmocka_unit_test(expected_errors_by_hand),
        cmocka_unit_test_setup_teardown(search_equals_plain_scores, poll_always, poll_as_usual),
        cmocka_unit_test_setup_teardown(search_reports_and_cancels, poll_always, poll_as_usual),
        cmocka_unit_test_setup_teardown(search_requires_rows, poll_always, poll_as_usual),
        cmocka_unit_test(errors_within_rounding_are_zero),
        cmocka_unit_test(seasons_fit_the_rows_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
