/* tests/unit/task/test_task_scenarios.c: identification, diagnosis, comparisons, forecasts, backtests and learning curves under
 * fault injection and on other clocks (support/scenario.h). */
#include "support/check.h"
#include "support/scenario.h"
#include "support/sequences.h"
#include "volterra/forecast.h"
#include "volterra/identify.h"
#include "volterra/task.h"

enum { N = 60, D = 2, SERIES = 2, MOST = 1 }; /* one fault below each call site */

static double u[N * D], y[N], levels[N * SERIES], later[N];
static volt_time times[N];

/* ---- identification --------------------------------------------------------------------------- */

typedef struct identify_case {
    bool by_records, tested, timed;
    volt_model *model; /* to diagnose */
    volt_identification found;
} identify_case;

static const int64_t halves[] = {N / 2, N / 2}, thirds[] = {20, 20, 20};

static volt_identify_options options_of(const identify_case *c, volt_progress progress)
{
    volt_identify_options options = volt_identify_options_default();
    options.draws = 1;
    options.progress = progress;
    if (c->by_records) {
        options.records = thirds;
        options.n_records = 3;
    }
    if (c->timed)
        options.times = times;
    if (c->tested) {
        options.test_inputs = volt_view_of(u, N, D);
        options.test_outputs = volt_view_of(y, N, 1);
        options.test_records = halves;
        options.n_test_records = 2;
    }
    return options;
}

static volt_status identify_with(const identify_case *c, volt_progress progress, volt_model **model,
                                 volt_identification *found)
{
    volt_identify_options options = options_of(c, progress);
    return volt_identify(volt_view_of(u, N, D), volt_view_of(y, N, 1), &options, model, found);
}

static volt_status identify(const void *with, volt_progress progress, scenario_result *result)
{
    volt_identification found = {.struct_size = sizeof found, .chosen = -7};
    volt_model *model = NULL;
    volt_status status = identify_with(with, progress, &model, &found);
    assert_true((status == VOLT_OK) == (model != NULL) && (status == VOLT_OK) == (found.chosen != -7));
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
            scenario_put_bytes(result, found.candidates[i].kernel, strlen(found.candidates[i].kernel));
            scenario_put(result, found.candidates[i].block_nmse, VOLT_IDENTIFY_BLOCKS);
        }
        scenario_put(result, &found.test_rmse, 1);
        scenario_put(result, &found.linear_test_rmse, 1);
    }
    volt_model_free(model);
    return status;
}

static volt_status diagnose(const void *with, volt_progress progress, scenario_result *result)
{
    const identify_case *c = with;
    volt_identify_options options = options_of(c, progress);
    volt_diagnosis *made = NULL;
    volt_status status = volt_identify_diagnose(volt_view_of(u, N, D), volt_view_of(y, N, 1), &options,
                                                c->model, &c->found, &made);
    assert_true((status == VOLT_OK) == (made != NULL));
    if (made) {
        scenario_put(result, made->autocorrelation, made->lags);
        scenario_put(result, made->gain, made->bins * D);
        if (made->model_gain)
            scenario_put(result, made->model_gain, made->bins * D);
    }
    volt_diagnosis_free(made);
    return status;
}

static void identification(void **state)
{
    identify_case cases[] = {
        {.timed = true},
        {.by_records = true, .tested = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        identify_case *c = &cases[i];
        c->found.struct_size = sizeof c->found;
        check_ok(identify_with(c, (volt_progress){0}, &c->model, &c->found));
        int traits = i == 0 ? 0 : SCENARIO_NEW_SITES;
        scenario_check(&(scenario){"identification", c, identify, traits, MOST});
        scenario_check(&(scenario){"diagnosis", c, diagnose, SCENARIO_NEW_SITES, MOST});
        volt_model_free(c->model);
    }
}

/* On a clock that uses up the time at once, linear models have a trial, and the others no score. */
static void identification_without_time(void **state)
{
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    int64_t unscored = 0;
    options.seconds = 1e-3;
    scenario_set_clock(10);
    check_ok(volt_identify(volt_view_of(u, N, D), volt_view_of(y, N, 1), &options, &model, &found));
    scenario_set_clock(0);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found.candidates[i];
        assert_true(one->trials > 0 || !one->is_linear);
        assert_true((one->trials == 0) == (isnan(one->nmse) && isnan(one->block_nmse[0])));
        unscored += isnan(one->nmse);
    }
    assert_true(unscored > 0 && found.candidates[found.chosen].is_linear);
    volt_model_free(model);
}

/* ---- forecasts -------------------------------------------------------------------------------- */

typedef struct forecast_case {
    const char *kernel;
    int64_t rows, steps;
    bool separate, known;
    double search_seconds;
} forecast_case;

static const double coverages[] = {0.5, 0.8};

static volt_forecast_options forecast_options(const forecast_case *c, volt_progress progress)
{
    volt_forecast_options options = volt_forecast_options_default();
    options.kernel = c->kernel;
    options.steps = c->steps;
    options.season = 4;
    options.separate = c->separate;
    options.search_seconds = c->search_seconds;
    options.coverages = coverages;
    options.n_coverages = 2;
    options.progress = progress;
    if (c->known)
        options.known = volt_view_of(later, c->rows + c->steps, 1);
    return options;
}

/* ---- comparison ------------------------------------------------------------------------------- */

/* A candidate reads the clock 66 to 100 times: 2.6 to 4 s at 0.04 s, which is between the budget of 1 s and ten budgets. */
static void comparison_without_time(void **state)
{
    const volt_contender linear = {.name = "linear", .kernel = "linear"};
    volt_compare_options options = volt_compare_options_default();
    volt_comparison *made = NULL;
    options.contenders = &linear;
    options.n_contenders = 1;
    options.folds = 2;
    options.seconds = 1;
    scenario_set_clock(0.04);
    check_ok(volt_compare_run(volt_view_of(u, N, D), volt_view_of(y, N, 1), 40, &options, &made));
    assert_true(volt_comparison_row_at(made, 0)->draws == 1 && !volt_comparison_row_at(made, 0)->failure);
    volt_comparison_free(made);
    made = NULL;
    scenario_set_clock(100);
    assert_int_equal(volt_compare_run(volt_view_of(u, N, D), volt_view_of(y, N, 1), 40, &options, &made),
                     VOLT_ERR_DATA);
    scenario_set_clock(0);
    volt_comparison_free(made);
}

static volt_status forecast(const void *with, volt_progress progress, scenario_result *result)
{
    const forecast_case *c = with;
    volt_forecast_options options = forecast_options(c, progress);
    volt_forecast *made = NULL;
    volt_forecast_info info = {.struct_size = sizeof info};
    volt_status status = volt_forecast_run(volt_view_of(levels, c->rows, SERIES), &options, &made);
    assert_true((status == VOLT_OK) == (made != NULL));
    if (made) {
        check_ok(volt_forecast_get_info(made, &info));
        assert_true((info.search_draws > 0) == (c->search_seconds > 0));
        scenario_put_bytes(result, info.kernel, strlen(info.kernel));
        for (int64_t h = 0; h < c->steps; h++)
            for (int64_t k = 0; k < SERIES; k++)
                scenario_put(result, &volt_forecast_step_at(made, h, k)->value, 1);
    }
    volt_forecast_free(made);
    return status;
}

static volt_status backtest(const void *with, volt_progress progress, scenario_result *result)
{
    const forecast_case *c = with;
    volt_forecast_options options = forecast_options(c, progress);
    double mase[VOLT_BACKTEST_METHODS * SERIES] = {1e77}, covered[2 * SERIES] = {1e77};
    volt_backtest made = {.struct_size = sizeof made, .mase = mase, .coverage = covered};
    volt_status status = volt_forecast_backtest(volt_view_of(levels, c->rows, SERIES), &options, 2, &made);
    assert_true(status == VOLT_OK || (mase[0] == 1e77 && covered[0] == 1e77));
    scenario_put(result, mase, status == VOLT_OK ? VOLT_BACKTEST_METHODS * SERIES : 0);
    return status;
}

static void forecasts(void **state)
{
    static const forecast_case searched = {"rbf:window=2", 40, 2, .search_seconds = 3},
                               separate = {"linear:window=2", 30, 1, .separate = true, .known = true};
    scenario_set_clock(1e-3); /* a search within a time budget repeats exactly */
    scenario_check(&(scenario){"forecast with a search", &searched, forecast, 0, MOST});
    scenario_set_clock(0);
    scenario_check(&(scenario){"forecast of each series", &separate, forecast, SCENARIO_NEW_SITES, MOST});
    scenario_check(&(scenario){"backtest", &separate, backtest, SCENARIO_NEW_SITES, MOST});
}

/* ---- learning curve --------------------------------------------------------------------------- */

static volt_status curve(const void *with, volt_progress progress, scenario_result *result)
{
    static const char *const kernels[] = {"fir:mu=0.5 + rbf:gamma=0.5"};
    static const int64_t anchors[] = {0};
    volt_fit_options fit = volt_fit_options_default();
    volt_curve_options options = volt_curve_options_default();
    volt_curve *made = NULL;
    fit.anchors = anchors;
    options.points = 2;
    options.records = with;
    options.n_records = 2;
    options.fit = &fit;
    options.progress = progress;
    volt_status status =
        volt_curve_run(volt_view_of(u, N, D), volt_view_of(y, N, 1), kernels, 1, &options, &made);
    assert_true((status == VOLT_OK) == (made != NULL));
    if (made)
        scenario_put(result, made->nmse, made->n_repeats * made->n_sizes);
    volt_curve_free(made);
    return status;
}

static void learning_curve(void **state)
{
    scenario_check(&(scenario){"learning curve", halves, curve, 0, MOST});
}

/* ---- rows ------------------------------------------------------------------------------------- */

static int make_rows(void **state)
{
    volt_rng rng = test_rng(5611);
    double before = 0;
    for (int64_t t = 0; t < N; t++) {
        for (int64_t k = 0; k < D; k++)
            u[t * D + k] = volt_rng_normal(&rng);
        before = 0.6 * before + u[t * D] - 0.5 * u[t * D + 1];
        y[t] = tanh(before) + 0.05 * volt_rng_normal(&rng);
        times[t] = (volt_time){(double)(60 * t), (double)(60 * t)};
        for (int64_t k = 0; k < SERIES; k++)
            levels[t * SERIES + k] = 5 + sin(1.5708 * (double)t + (double)k) + 0.3 * volt_rng_uniform(&rng);
        later[t] = volt_rng_uniform(&rng);
    }
    return scenario_begin(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identification),          cmocka_unit_test(identification_without_time),
        cmocka_unit_test(comparison_without_time), cmocka_unit_test(forecasts),
        cmocka_unit_test(learning_curve),
    };
    return cmocka_run_group_tests_name("task_scenarios", tests, make_rows, scenario_end);
}
