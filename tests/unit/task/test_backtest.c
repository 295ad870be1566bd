/* tests/unit/task/test_backtest.c: backtests compared with a loop over plain forecasts, their origins and errors. */
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/forecast.h"

enum { ROWS = 70, SERIES = 2, STEPS = 4, ORIGINS = 3, COVERAGES = 2, METHODS = VOLT_BACKTEST_METHODS };
static const double coverages[COVERAGES] = {0.5, 0.9};

typedef struct scores {
    double mase[METHODS * SERIES], smape[METHODS * SERIES], rmse[METHODS * SERIES];
    int64_t values[METHODS * SERIES];
    double coverage[COVERAGES * SERIES], width[COVERAGES * SERIES];
} scores;

static volt_backtest result_in(scores *s)
{
    return (volt_backtest){.struct_size = sizeof(volt_backtest),
                           .mase = s->mase,
                           .smape = s->smape,
                           .rmse = s->rmse,
                           .values = s->values,
                           .coverage = s->coverage,
                           .width = s->width};
}

/* A season of 6, noise, and a column of random inputs that drives the first series. */
static void make_series(int64_t rows, uint64_t seed, double *levels, double *known)
{
    volt_rng rng = test_rng(seed);
    for (int64_t t = 0; t < rows; t++) {
        known[t] = volt_rng_uniform(&rng);
        levels[t * SERIES] = 10 + 3 * sin(1.0471976 * (double)t) + 4 * known[t] + 0.2 * volt_rng_uniform(&rng);
        levels[t * SERIES + 1] = 1000 + 10 * (double)t + 50 * volt_rng_uniform(&rng);
    }
}

static volt_forecast_options usual_options(void)
{
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = STEPS;
    options.season = 6;
    options.coverages = coverages;
    options.n_coverages = COVERAGES;
    return options;
}

static void near(double value, double expected)
{
    if (isnan(value) && isnan(expected))
        return;
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected))) /* sums of at most 12 numbers of one sign */
        fail_msg("%.17g differs from %.17g", value, expected);
}

/* ---- values ----------------------------------------------------------------------------------- */

static double plain_value(volt_forecast *const *runs, int64_t j, int64_t h, int64_t k, int m)
{
    const volt_forecast_step *step = volt_forecast_step_at(runs[j], h, k);
    return m == 0 ? step->value : step->member_value[m - 1];
}

static void check_method(volt_forecast *const *runs, const double *levels, int64_t k, int m,
                         const scores *found)
{
    double squares = 0, smape = 0, mase = 0;
    int64_t values = 0, counted = 0;
    for (int64_t j = 0; j < ORIGINS; j++) {
        int64_t rows = ROWS - STEPS * (ORIGINS - j), here = 0;
        double absolute = 0, naive = 0;
        for (int64_t t = 6; t < rows; t++)
            naive += fabs(levels[t * SERIES + k] - levels[(t - 6) * SERIES + k]) / (double)(rows - 6);
        for (int64_t h = 0; h < STEPS; h++) {
            double y = levels[(rows + h) * SERIES + k], f = plain_value(runs, j, h, k, m);
            if (isnan(f))
                continue;
            absolute += fabs(y - f);
            squares += (y - f) * (y - f);
            smape += 200 * fabs(y - f) / (fabs(y) + fabs(f));
            here++;
        }
        values += here;
        counted += here > 0;
        mase += here > 0 ? absolute / (double)here / naive : 0;
    }
    int64_t i = m * SERIES + k;
    assert_int_equal(found->values[i], values);
    near(found->rmse[i], values ? sqrt(squares / (double)values) : NAN);
    near(found->smape[i], values ? smape / (double)values : NAN);
    near(found->mase[i], counted ? mase / (double)counted : NAN);
}

static void check_interval(volt_forecast *const *runs, const double *levels, int64_t k, int c,
                           const scores *found)
{
    double inside = 0, width = 0;
    for (int64_t j = 0; j < ORIGINS; j++)
        for (int64_t h = 0; h < STEPS; h++) {
            const volt_forecast_step *step = volt_forecast_step_at(runs[j], h, k);
            double y = levels[(ROWS - STEPS * (ORIGINS - j) + h) * SERIES + k];
            inside += step->lower[c] <= y && y <= step->upper[c];
            width += step->upper[c] - step->lower[c];
        }
    near(found->coverage[c * SERIES + k], inside / (ORIGINS * STEPS));
    near(found->width[c * SERIES + k], width / (ORIGINS * STEPS));
}

/* `known_rows`: 0 without inputs, ROWS with lagged ones, more with those of the rows to forecast. */
static void compare_with_loop(int64_t known_rows)
{
    double levels[(ROWS + STEPS) * SERIES], known[ROWS + STEPS];
    volt_forecast *runs[ORIGINS];
    scores found;
    volt_backtest result = result_in(&found);
    volt_forecast_options options = usual_options();
    make_series(ROWS + STEPS, 7, levels, known);
    if (known_rows > 0)
        options.known = volt_view_of(known, known_rows, 1);
    check_ok(volt_forecast_backtest(volt_view_of(levels, ROWS, SERIES), &options, ORIGINS, &result));
    assert_int_equal(result.steps, STEPS);
    assert_string_equal(result.names[0], "forecast");
    assert_string_equal(result.names[1 + VOLT_MEMBER_THETA], "theta");
    assert_int_equal(result.origins, ORIGINS);
    assert_int_equal(result.distance, STEPS);
    assert_int_equal(result.first_rows, ROWS - ORIGINS * STEPS);
    for (int64_t j = 0; j < ORIGINS; j++) {
        int64_t rows = ROWS - STEPS * (ORIGINS - j);
        if (known_rows > 0)
            options.known.rows = known_rows > ROWS ? rows + STEPS : rows;
        check_ok(volt_forecast_run(volt_view_of(levels, rows, SERIES), &options, &runs[j]));
    }
    for (int64_t k = 0; k < SERIES; k++) {
        for (int m = 0; m < METHODS; m++)
            check_method(runs, levels, k, m, &found);
        for (int c = 0; c < COVERAGES; c++)
            check_interval(runs, levels, k, c, &found);
    }
    for (int64_t j = 0; j < ORIGINS; j++)
        volt_forecast_free(runs[j]);
}

static void backtest_is_a_loop(void **state)
{
    compare_with_loop(0);
    compare_with_loop(ROWS);
    compare_with_loop(ROWS + STEPS);
}

/* Constant series: no naive error to compare with, and no error at all. */
static void constant_series(void **state)
{
    double levels[30 * SERIES];
    scores found;
    volt_backtest result = result_in(&found);
    volt_forecast_options options = volt_forecast_options_default();
    for (int i = 0; i < 30 * SERIES; i++)
        levels[i] = i % SERIES ? 1e300 : 0;
    options.steps = 2;
    check_ok(volt_forecast_backtest(volt_view_of(levels, 30, SERIES), &options, 2, &result));
    for (int k = 0; k < SERIES; k++) {
        assert_true(isnan(found.mase[k]));
        assert_true(found.smape[k] == 0 && found.rmse[k] == 0);
        assert_int_equal(found.values[k], 4);
    }
    /* Constant until the origin: there is no naive error to compare with. */
    levels[28 * SERIES] = levels[29 * SERIES] = 3;
    check_ok(volt_forecast_backtest(volt_view_of(levels, 30, SERIES), &options, 1, &result));
    assert_true(isnan(found.mase[0]) && found.rmse[0] == 3 && found.smape[0] == 200);
}

/* Steps 1, 2 and 3 are predictable by hand: the naive forecast of a ramp has the error h. */
static void naive_errors_of_a_ramp(void **state)
{
    double levels[40];
    scores found;
    volt_backtest result = result_in(&found);
    volt_forecast_options options = volt_forecast_options_default();
    for (int i = 0; i < 40; i++)
        levels[i] = i;
    options.steps = 3;
    options.season = 0;
    check_ok(volt_forecast_backtest(volt_view_of(levels, 40, 1), &options, 2, &result));
    near(found.rmse[1 + VOLT_MEMBER_NAIVE], sqrt((1 + 4 + 9) / 3.0));
    near(found.mase[1 + VOLT_MEMBER_NAIVE], 2);
}

/* A forecast of three rows has no intervals. Coverage and width are means over the other origin. */
static void forecasts_without_intervals_are_skipped(void **state)
{
    enum { FEW = 7, AHEAD = 2, TWO = 2 };
    static const double levels[FEW] = {0, 2, 6, 5, 6, 9, 7};
    scores found;
    volt_backtest result = result_in(&found);
    volt_forecast_options options = usual_options();
    double inside = 0, width = 0, count = 0;
    options.steps = AHEAD;
    options.season = 0;
    check_ok(volt_forecast_backtest(volt_view_of(levels, FEW, 1), &options, TWO, &result));
    assert_true(result.first_rows == 3 && result.distance == AHEAD);
    for (int64_t rows = 3; rows < FEW; rows += AHEAD) {
        volt_forecast *one = NULL;
        check_ok(volt_forecast_run(volt_view_of(levels, rows, 1), &options, &one));
        for (int64_t h = 0; h < AHEAD; h++) {
            const volt_forecast_step *step = volt_forecast_step_at(one, h, 0);
            if (isnan(step->lower[0]))
                continue;
            inside += levels[rows + h] >= step->lower[0] && levels[rows + h] <= step->upper[0];
            width += step->upper[0] - step->lower[0];
            count++;
        }
        volt_forecast_free(one);
    }
    assert_true(count == AHEAD);
    near(found.coverage[0], inside / count);
    near(found.width[0], width / count);
}

/* ---- origins ---------------------------------------------------------------------------------- */

static volt_status run_origins(int64_t rows, int64_t steps, int64_t origins, volt_backtest *result)
{
    double levels[60 * SERIES], known[60];
    volt_forecast_options options = volt_forecast_options_default();
    make_series(60, 3, levels, known);
    options.steps = steps;
    options.season = 0;
    *result = (volt_backtest){.struct_size = sizeof *result};
    return volt_forecast_backtest(volt_view_of(levels, rows, SERIES), &options, origins, result);
}

static void origins_come_closer(void **state)
{
    volt_backtest result;
    check_ok(run_origins(40, 5, 4, &result)); /* 20, 25, 30, 35 */
    assert_int_equal(result.first_rows, 20);
    assert_int_equal(result.distance, 5);
    check_ok(run_origins(40, 5, 5, &result)); /* 15 rows for 4 distances */
    assert_int_equal(result.distance, 3);
    assert_int_equal(result.first_rows, 23);
    check_ok(run_origins(20, 8, 3, &result)); /* 10, 11, 12: the most */
    assert_int_equal(result.distance, 1);
    assert_int_equal(result.first_rows, 10);
    check_ok(run_origins(10, 7, 1, &result)); /* 3 rows, the least of a forecast */
    assert_int_equal(result.first_rows, 3);
}

static void too_many_origins(void **state)
{
    volt_backtest result;
    assert_int_equal(run_origins(20, 8, 4, &result), VOLT_ERR_ARGUMENT);
    assert_non_null(strstr(volt_error_detail(), "4"));
    assert_non_null(strstr(volt_error_detail(), "at most 3"));
    assert_int_equal(run_origins(20, 8, 0, &result), VOLT_ERR_ARGUMENT);
    assert_int_equal(run_origins(10, 8, 1, &result), VOLT_ERR_DATA); /* 2 rows before the origin */
    assert_non_null(strstr(volt_error_detail(), "11"));
    result.struct_size = 0;
    double y[12] = {0};
    assert_int_equal(volt_forecast_backtest(volt_view_of(y, 12, 1), NULL, 1, &result), VOLT_ERR_ARGUMENT);
    assert_int_equal(volt_forecast_backtest(volt_view_of(y, 12, 1), NULL, 1, NULL), VOLT_ERR_ARGUMENT);
}

/* ---- cancelling -------------------------------------------------------------------------------- */

typedef struct watch {
    double last;
    int calls, cancel_at;
} watch;

static int on_progress(const char *stage, double fraction, void *context)
{
    watch *seen = context;
    assert_non_null(strstr(stage, "origin"));
    assert_true(fraction >= seen->last && fraction <= 1);
    seen->last = fraction;
    return ++seen->calls == seen->cancel_at;
}

static void progress_covers_all_origins(void **state)
{
    double levels[ROWS * SERIES], known[ROWS];
    make_series(ROWS, 6, levels, known);
    for (int cancel_at = 0; cancel_at <= 2; cancel_at += 2) {
        volt_backtest result = {.struct_size = sizeof result};
        volt_forecast_options options = usual_options();
        watch seen = {.cancel_at = cancel_at};
        options.progress = (volt_progress){on_progress, &seen};
        assert_int_equal(volt_forecast_backtest(volt_view_of(levels, ROWS, SERIES), &options, ORIGINS, &result),
                         cancel_at ? VOLT_ERR_CANCELLED : VOLT_OK);
        assert_true(cancel_at ? seen.calls == cancel_at : seen.last > 1 - 1e-9);
    }
}

/* ---- inputs of the rows to forecast ------------------------------------------------------------ */

static void later_known_rows_are_ignored(void **state)
{
    double levels[(ROWS + 9) * SERIES], known[ROWS + 9];
    volt_forecast *exact = NULL, *longer = NULL;
    volt_forecast_options options = usual_options();
    make_series(ROWS + 9, 9, levels, known);
    known[ROWS + STEPS] = NAN;
    options.known = volt_view_of(known, ROWS + STEPS, 1);
    check_ok(volt_forecast_run(volt_view_of(levels, ROWS, SERIES), &options, &exact));
    options.known.rows = ROWS + 9;
    check_ok(volt_forecast_run(volt_view_of(levels, ROWS, SERIES), &options, &longer));
    for (int64_t h = 0; h < STEPS; h++)
        assert_true(volt_forecast_step_at(exact, h, 0)->value == volt_forecast_step_at(longer, h, 0)->value);
    volt_forecast_free(exact);
    volt_forecast_free(longer);
    options.known.rows = ROWS + STEPS - 1;
    assert_int_equal(volt_forecast_run(volt_view_of(levels, ROWS, SERIES), &options, &exact), VOLT_ERR_SHAPE);
    options.known.rows = ROWS + STEPS;
    known[ROWS + 1] = NAN;
    assert_int_equal(volt_forecast_run(volt_view_of(levels, ROWS, SERIES), &options, &exact),
                     VOLT_ERR_NOT_FINITE);
    assert_non_null(strstr(volt_error_detail(), "71"));
}

/* The default number of steps does not exceed the rows of the inputs. */
static void known_rows_limit_default_steps(void **state)
{
    double levels[(ROWS + 9) * SERIES], known[ROWS + 9];
    make_series(ROWS + 9, 9, levels, known);
    for (int64_t more = 2; more <= 9; more += 7) {
        volt_forecast *forecast = NULL;
        volt_forecast_info info = {.struct_size = sizeof info};
        volt_forecast_options options = volt_forecast_options_default();
        options.season = 6;
        options.known = volt_view_of(known, ROWS + more, 1);
        check_ok(volt_forecast_run(volt_view_of(levels, ROWS, SERIES), &options, &forecast));
        check_ok(volt_forecast_get_info(forecast, &info));
        assert_int_equal(info.steps, more < 6 ? more : 6);
        volt_forecast_free(forecast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backtest_is_a_loop),
        cmocka_unit_test(constant_series),
        cmocka_unit_test(naive_errors_of_a_ramp),
        cmocka_unit_test(forecasts_without_intervals_are_skipped),
        cmocka_unit_test(origins_come_closer),
        cmocka_unit_test(too_many_origins),
        cmocka_unit_test(progress_covers_all_origins),
        cmocka_unit_test(later_known_rows_are_ignored),
        cmocka_unit_test(known_rows_limit_default_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
