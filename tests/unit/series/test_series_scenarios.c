/* tests/unit/series/test_series_scenarios.c: series regression and classification, comparisons of kernels and plans
 * under fault injection at every step (support/scenario.h). */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/scenario.h"
#include "support/sequences.h"
#include "support/series_classes.h"
#include "volterra/data.h"
#include "volterra/model.h"
#include "volterra/series.h"
#include "volterra/task.h"

enum { SERIES = 7, NEW = 2, LENGTH = 4 };
static waves made; /* only the first steps are used */

/* ---- series regression ------------------------------------------------------------------------ */

static volt_status regress(const void *with, volt_progress progress, scenario_result *result)
{
    const double *alpha = with;
    double Y[SERIES * 2], outputs[SERIES * 2];
    volt_series_options options = volt_series_options_default();
    volt_series_model *ridge = NULL;
    for (int64_t i = 0; i < SERIES; i++) {
        Y[2 * i] = (double)made.classes[i];
        Y[2 * i + 1] = 3;
    }
    options.alpha = *alpha;
    options.progress = progress;
    options.kernel = "volterra";
    volt_status status =
        volt_series_fit(made.series, SERIES, NULL, 0, volt_view_of(Y, SERIES, 2), &options, &ridge);
    assert_true((status == VOLT_OK) == (ridge != NULL));
    outputs[0] = 1e77;
    if (status == VOLT_OK)
        status = volt_series_model_predict(ridge, made.series + SERIES, NEW, progress,
                                           volt_matrix_of(outputs, NEW, 2), volt_matrix_of(NULL, 0, 0), NULL);
    assert_true(status == VOLT_OK || outputs[0] == 1e77);
    scenario_put(result, outputs, status == VOLT_OK ? NEW * 2 : 0);
    if (status == VOLT_OK) {
        volt_series_info info = {.struct_size = sizeof info};
        check_ok(volt_series_model_get_info(ridge, &info));
        scenario_put(result, info.left_out_outputs, SERIES * 2);
    }
    volt_series_model_free(ridge);
    return status;
}

/* ---- series classification -------------------------------------------------------------------- */

static volt_status classify(const void *with, volt_progress progress, scenario_result *result)
{
    volt_series_options options = *(const volt_series_options *)with;
    double outputs[SERIES * CLASSES];
    int64_t found[NEW];
    volt_series_model *classifier = NULL;
    options.progress = progress;
    volt_status status =
        volt_series_fit(made.series, SERIES, made.classes, CLASSES, (volt_view){0}, &options, &classifier);
    assert_true((status == VOLT_OK) == (classifier != NULL));
    outputs[0] = 1e77;
    if (status == VOLT_OK)
        status =
            volt_series_model_predict(classifier, made.series + SERIES, NEW, progress,
                                      volt_matrix_of(outputs, NEW, CLASSES), volt_matrix_of(NULL, 0, 0), found);
    assert_true(status == VOLT_OK || outputs[0] == 1e77);
    scenario_put(result, outputs, status == VOLT_OK ? NEW * CLASSES : 0);
    volt_series_model_free(classifier);
    return status;
}

static void series_scenarios(void **state)
{
    static const double chosen = 0, given = 0.1;
    static const volt_series_kernel parts[] = {
        {"volterra", VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_INPUT_LEVEL, VOLT_OBJECT_COMPARE_SERIES},
        {"linear:window=2", VOLT_OBJECT_SCALE_SERIES, VOLT_OBJECT_INPUT_BOTH, VOLT_OBJECT_COMPARE_STEPS}};
    volt_series_options drawn = volt_series_options_default(), multinomial = drawn, both = drawn;
    volt_series_options landmarks = drawn, late = drawn;
    drawn.kernel = "linear:window=2 | rbf:window=2";
    drawn.draws = 3;
    drawn.splits = 2;
    drawn.input = VOLT_OBJECT_INPUT_LEVEL;
    drawn.scale = VOLT_OBJECT_SCALE_CHANNELS;
    multinomial.kernel = "volterra";
    multinomial.loss = "multinomial";
    multinomial.draws = 0;
    multinomial.compare = VOLT_OBJECT_COMPARE_SERIES;
    multinomial.input = VOLT_OBJECT_INPUT_LEVEL;
    multinomial.scale = VOLT_OBJECT_SCALE_CHANNELS;
    multinomial.splits = 0;
    both.parts = parts;
    both.n_parts = 2;
    both.splits = 2;
    landmarks.kernel = "rbf";
    landmarks.draws = 2;
    landmarks.screen = 6;
    landmarks.landmarks = 6;
    landmarks.splits = 1;
    landmarks.folds = 2;
    late.kernel = "linear:window=2 | rbf:window=2";
    late.draws = 6;
    late.screen = 6;
    late.budget = 0.05; /* ends the search */
    scenario_check(&(scenario){"ridge, alpha chosen", &chosen, regress, 0, 0});
    scenario_check(&(scenario){"ridge", &given, regress, 0, 0});
    scenario_check(&(scenario){"classes", &drawn, classify, 0, 100});
    scenario_check(&(scenario){"classes, multinomial", &multinomial, classify, 0, 100});
    scenario_check(&(scenario){"classes, kernels given", &both, classify, 0, 100});
    scenario_check(&(scenario){"classes, landmarks", &landmarks, classify, 0, 100});
    scenario_set_clock(2e-3);
    scenario_check(&(scenario){"classes, budget", &late, classify, 0, 100});
    scenario_set_clock(0);
}

/* ---- comparisons ------------------------------------------------------------------------------ */

enum { ROWS = 16, TRAIN_ROWS = 12, D = 2 };
static double *X, *Y;

static volt_status compare(const void *with, volt_progress progress, scenario_result *result)
{
    volt_compare_options options = *(const volt_compare_options *)with;
    volt_comparison *comparison = NULL;
    options.progress = progress;
    volt_status status =
        volt_compare_run(volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, D), TRAIN_ROWS, &options, &comparison);
    for (int64_t i = 0; status == VOLT_OK && volt_comparison_row_at(comparison, i); i++) {
        volt_view out = volt_comparison_row_at(comparison, i)->forecast;
        scenario_put(result, out.data, out.rows * out.cols);
        scenario_put(result, volt_comparison_row_at(comparison, i)->losses, out.rows);
        scenario_put(result, &volt_comparison_row_at(comparison, i)->mcs_pvalue, 1);
    }
    volt_comparison_free(comparison);
    return status;
}

static void comparison_scenarios(void **state)
{
    static const volt_contender contenders[] = {{"Linear", "linear:window=1"}, {"RBF", "rbf:window=1"}};
    static const int64_t lengths[] = {7, 6, ROWS - 13};
    volt_compare_options squares = volt_compare_options_default();
    squares.contenders = contenders;
    squares.n_contenders = 2;
    squares.draws = 1;
    squares.folds = 2;
    squares.mcs_reps = 10;
    volt_compare_options levels = squares, published = squares;
    levels.loss = "quantile:q=0.3/0.7";
    levels.base = volt_view_of(X, ROWS, D);
    levels.records = lengths;
    levels.n_records = 3;
    levels.gap = 1;
    published.protocol = VOLT_PROTOCOL_PUBLISHED;
    scenario_check(&(scenario){"comparison", &squares, compare, 0, 100});
    scenario_check(&(scenario){"comparison with a loss", &levels, compare, 0, 100});
    scenario_check(&(scenario){"comparison as published", &published, compare, 0, 100});
}

/* ---- plans ------------------------------------------------------------------------------------ */

static volt_status plan(const void *with, volt_progress progress, scenario_result *result)
{
    (void)progress;
    volt_kernel *kernel = NULL;
    volt_solver_plans plans = {.struct_size = sizeof(volt_solver_plans), .count = -5};
    volt_status status = volt_kernel_parse(with, &kernel);
    if (status == VOLT_OK)
        status =
            volt_plan_fit(kernel, 500, 2, 1, 100, 0, &(volt_plan){.struct_size = sizeof(volt_plan)}, &plans);
    assert_true((status == VOLT_OK) == (plans.count > 0));
    for (int64_t i = 0; i < plans.count; i++)
        scenario_put(result, &plans.solver[i].bytes, 1);
    volt_kernel_free(kernel);
    return status;
}

static volt_status sample(const void *with, volt_progress progress, scenario_result *result)
{
    (void)progress;
    enum { DAYS = 3, MOST = 16 };
    const volt_bekk *bekk = with;
    int64_t d = bekk->d, q = d * (d + 1) / 2;
    double x[DAYS * MOST] = {0}, y[DAYS * MOST * (MOST + 1) / 2];
    assert_true(d <= MOST);
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.seed = 3;
    volt_status status = volt_bekk_simulate(bekk, &options, volt_matrix_of(x, DAYS, d),
                                            volt_matrix_of(NULL, 0, 0), volt_matrix_of(y, DAYS, q));
    assert_true(status == VOLT_OK || x[0] == 0);
    scenario_put(result, x, status == VOLT_OK ? DAYS * d : 0);
    return status;
}

static void plan_and_sample_scenarios(void **state)
{
    scenario_check(&(scenario){"plan", "volterra", plan, SCENARIO_SILENT, 0});
    scenario_check(&(scenario){"plan of states", "esn:size=3", plan, SCENARIO_SILENT, 0});
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_preset(volt_bekk_preset_name(0), &bekk));
    scenario_check(&(scenario){"sample", bekk, sample, SCENARIO_SILENT, 0});
    volt_bekk_free(bekk);
}

/* ---- forecasts of many series ----------------------------------------------------------------- */

static int put_forecast(const volt_forecast_result *result, void *context)
{
    for (int64_t h = 0; result->forecast && h < 2; h++) {
        scenario_put(context, &volt_forecast_step_at(result->forecast, h, 0)->value, 1);
        scenario_put_bytes(context, result->times[h], strlen(result->times[h]));
    }
    return 0;
}

/* Two series of months, a third with words as times. */
static volt_status forecast_series(const void *with, volt_progress progress, scenario_result *result)
{
    (void)with;
    enum { MONTHS = 24, ALL = 2 * MONTHS + 3 };
    static const char *const names[] = {"a", "b"};
    static char texts[MONTHS][16];
    const char *ids[ALL], *times[ALL];
    double values[ALL];
    for (int t = 0; t < MONTHS; t++) {
        snprintf(texts[t], sizeof texts[t], "%d-%02d", 2010 + t / 12, t % 12 + 1);
        for (int s = 0; s < 2; s++) {
            ids[2 * t + s] = names[s];
            times[2 * t + s] = texts[t];
            values[2 * t + s] = X[t] + s;
        }
    }
    for (int i = 2 * MONTHS; i < ALL; i++) {
        ids[i] = "c";
        times[i] = "never";
        values[i] = i;
    }
    volt_long_rows rows = {
        .struct_size = sizeof rows, .rows = ALL, .ids = ids, .times = times, .values = values};
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 2;
    options.progress = progress;
    return volt_forecast_many(&rows, &options, put_forecast, result);
}

static void forecast_scenarios(void **state)
{
    scenario_check(&(scenario){"forecasts of many series", NULL, forecast_series, 0, 200});
}

static int make_rows(void **state)
{
    volt_rng rng = test_rng(5501);
    X = random_rows(&rng, ROWS, D, 1);
    Y = normal_rows(&rng, ROWS, D);
    make_waves(5502, 0.2, true, &made);
    for (int64_t i = 0; i < SERIES + NEW; i++)
        made.series[i] = volt_view_rows(made.series[i], 0, LENGTH);
    return scenario_begin(state);
}

static int free_rows(void **state)
{
    free(X);
    free(Y);
    return scenario_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_scenarios),
        cmocka_unit_test(comparison_scenarios),
        cmocka_unit_test(plan_and_sample_scenarios),
        cmocka_unit_test(forecast_scenarios),
    };
    return cmocka_run_group_tests_name("series_scenarios", tests, make_rows, free_rows);
}
