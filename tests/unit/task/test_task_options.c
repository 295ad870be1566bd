/* tests/unit/task/test_task_options.c: invalid arguments and options of the tasks. Every call changes one argument
 * of a valid call and is rejected before anything is computed. */
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/identify.h"
#include "volterra/row_anomaly.h"
#include "volterra/task.h"

enum { N = 100 };

static double numbers[2 * N], broken[2 * N]; /* `broken` has a NaN */
static volt_view one, two, empty;            /* views of `numbers` with 1 and 2 columns */

static int make_numbers(void **state)
{
    for (int i = 0; i < 2 * N; i++)
        broken[i] = numbers[i] = sin(0.3 * i) + 0.1 * cos(0.07 * i * i);
    broken[7] = NAN;
    one = volt_view_of(numbers, N, 1);
    two = volt_view_of(numbers, N, 2);
    return 0;
}

/* ---- pairing ------------------------------------------------------------------------------------ */

static void pairing_arguments(void **state)
{
    volt_pairing *pairing = NULL;
    volt_pairing_options base = volt_pairing_options_default(), options = base;
    check_fails(volt_pairing_create(one, empty, NULL, NULL), VOLT_ERR_ARGUMENT, "pairing");
    check_fails(volt_pairing_create(empty, one, NULL, &pairing), VOLT_ERR_SHAPE, "X");
    check_fails(volt_pairing_create((volt_view){numbers, 0, 1, 1}, empty, NULL, &pairing), VOLT_ERR_SHAPE,
                "X 0");
    check_fails(volt_pairing_create((volt_view){numbers, N, 0, 1}, empty, NULL, &pairing), VOLT_ERR_SHAPE,
                "X 0");
    check_fails(volt_pairing_create(one, volt_view_rows(one, 1, N - 1), NULL, &pairing), VOLT_ERR_SHAPE, "Y");
    check_fails(volt_pairing_create(one, (volt_view){numbers, N, 0, 1}, NULL, &pairing), VOLT_ERR_SHAPE, "Y");
    options.struct_size = 0;
    check_fails(volt_pairing_create(one, empty, &options, &pairing), VOLT_ERR_ARGUMENT, "struct_size");
    for (int64_t count = -1; count < 2; count += 2) { /* less than 0, and without lengths */
        options = base;
        options.n_records = count;
        check_fails(volt_pairing_create(one, empty, &options, &pairing), VOLT_ERR_ARGUMENT, "n_records");
    }
    for (int64_t known = -1; known < 3; known += 3) {
        options = base;
        options.known_inputs = known;
        check_fails(volt_pairing_create(two, empty, &options, &pairing), VOLT_ERR_ARGUMENT, "known_inputs");
    }
    assert_null(pairing);
}

/* ---- assessment --------------------------------------------------------------------------------- */

static void assessment_arguments(void **state)
{
    volt_pairing *pairing = NULL;
    check_ok(volt_pairing_create(one, empty, NULL, &pairing));
    volt_assessment found = {.struct_size = sizeof found};
    volt_assess_options base = volt_assess_options_default(), options = base;
    int64_t n = pairing->inputs.rows;
    check_fails(volt_assess(NULL, NULL, &found), VOLT_ERR_ARGUMENT, "pairing");
    check_fails(volt_assess(pairing, NULL, NULL), VOLT_ERR_ARGUMENT, "assessment");
    options.struct_size = 0;
    check_fails(volt_assess(pairing, &options, &found), VOLT_ERR_ARGUMENT, "struct_size");
    options = base;
    options.season = 1;
    check_fails(volt_assess(pairing, &options, &found), VOLT_ERR_ARGUMENT, "season 1");
    const int64_t rows[] = {-1, N + 1};
    for (int i = 0; i < 2; i++) {
        options = base;
        options.season_rows = rows[i];
        check_fails(volt_assess(pairing, &options, &found), VOLT_ERR_ARGUMENT, "season_rows");
    }
    volt_split_options splits = {.folds = 0};
    options = base;
    options.splits = &splits;
    check_fails(volt_assess(pairing, &options, &found), VOLT_ERR_ARGUMENT, "folds 0");
    const volt_split blocks[] = {
        {.begin = -1, .end = 9, .train_begin = 0, .train_end = 5},
        {.begin = 9, .end = 9, .train_begin = 0, .train_end = 5},
        {.begin = 9, .end = n + 1, .train_begin = 0, .train_end = 5},
        {.begin = 9, .end = n, .train_begin = -1, .train_end = 5},
        {.begin = 9, .end = n, .train_begin = 5, .train_end = 5},
        {.begin = 9, .end = n, .train_begin = 0, .train_end = n + 1},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        options = base;
        options.test = &blocks[i];
        check_fails(volt_assess(pairing, &options, &found), VOLT_ERR_ARGUMENT, "test rows");
    }
    volt_pairing_free(pairing);
}

/* ---- comparison --------------------------------------------------------------------------------- */

static void comparison_arguments(void **state)
{
    enum { TRAIN = 80 };
    volt_comparison *comparison = NULL;
    volt_compare_options base = volt_compare_options_default(), options;
    const volt_contender twice[] = {{.kernel = "rbf"}, {.kernel = "RBF"}}, none = {.name = "nothing"};
    base.draws = 2;
    check_fails(volt_compare_run(one, one, TRAIN, &base, NULL), VOLT_ERR_ARGUMENT, "comparison");
    check_fails(volt_compare_run(one, one, 1, &base, &comparison), VOLT_ERR_ARGUMENT, "training rows");
    check_fails(volt_compare_run(one, one, N - 1, &base, &comparison), VOLT_ERR_ARGUMENT, "test rows");
    options = base;
    options.struct_size = 0;
    check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "struct_size");
    const int64_t gaps[] = {-1, TRAIN - 1};
    for (int i = 0; i < 2; i++) {
        options = base;
        options.gap = gaps[i];
        check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "gap");
    }
    const volt_view bases[] = {volt_view_rows(one, 1, N - 1), two};
    for (int i = 0; i < 2; i++) {
        options = base;
        options.base = bases[i];
        check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_SHAPE, "base");
    }
    options = base;
    options.base = one;
    options.protocol = VOLT_PROTOCOL_PUBLISHED;
    check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "base");
    options = base;
    options.draws = 0;
    options.seconds = 0;
    check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "draws");
    options = base;
    options.contenders = twice; /* the row of the protocol, by its kernel and by its name */
    options.n_contenders = 2;
    check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "RBF");
    options.contenders = &none;
    options.n_contenders = 1;
    check_fails(volt_compare_run(one, one, TRAIN, &options, &comparison), VOLT_ERR_ARGUMENT, "kernel 1");
    assert_null(comparison);
    assert_null(volt_comparison_row_at(NULL, 0));
    assert_null(volt_comparison_row_at(NULL, 0));
    assert_null(volt_comparison_row_at(NULL, -1));
}

/* ---- anomalies of rows -------------------------------------------------------------------------- */

static void anomaly_arguments(void **state)
{
    volt_model *model = NULL, *plain = NULL;
    volt_kernel *kernel = NULL;
    volt_row_anomaly_options base = volt_row_anomaly_options_default(), options = base;
    double scores[3 * N];
    volt_matrix out = volt_matrix_of(scores, 10, 3);
    volt_view X = volt_view_of(numbers, 10, 1);
    base.kernel = "fir";
    base.train_rows = 30;
    check_ok(volt_row_anomaly_fit(one, &base, &model));
    check_fails(volt_row_anomaly_fit(empty, &base, &plain), VOLT_ERR_ARGUMENT, "rows");
    check_fails(volt_row_anomaly_fit(one, &base, NULL), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_row_anomaly_score(NULL, X, &base, out, NULL), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_row_anomaly_score(model, empty, &base, out, NULL), VOLT_ERR_ARGUMENT, "rows");
    check_fails(volt_row_anomaly_score(model, X, &base, (volt_matrix){0}, NULL), VOLT_ERR_ARGUMENT, "scores");
    const double rates[] = {0, 1, NAN};
    for (int i = 0; i < 3; i++) {
        options = base;
        options.rate = rates[i];
        check_fails(volt_row_anomaly_score(model, X, &options, out, NULL), VOLT_ERR_ARGUMENT, "rate");
    }
    options = base;
    options.struct_size = 0;
    check_fails(volt_row_anomaly_score(model, X, &options, out, NULL), VOLT_ERR_ARGUMENT, "struct_size");
    const volt_matrix shapes[] = {volt_matrix_of(scores, 9, 3), volt_matrix_of(scores, 10, 2)};
    for (int i = 0; i < 2; i++)
        check_fails(volt_row_anomaly_score(model, X, &base, shapes[i], NULL), VOLT_ERR_SHAPE, "scores 10 3");
    check_fails(volt_row_anomaly_score(model, volt_view_of(numbers, 10, 2), &base, out, NULL), VOLT_ERR_SHAPE,
                "X columns");
    check_ok(volt_kernel_parse("fir", &kernel));
    check_ok(volt_model_fit(kernel, one, one, NULL, (volt_matrix){0}, &plain));
    check_fails(volt_row_anomaly_score(plain, X, &base, out, NULL), VOLT_ERR_ARGUMENT, "volt_row_anomaly_fit");
    volt_kernel_free(kernel);
    volt_model_free(plain);
    volt_model_free(model);
}

/* ---- forecasts ---------------------------------------------------------------------------------- */

static void forecast_arguments(void **state)
{
    volt_forecast *forecast = NULL;
    volt_forecast_info info = {.struct_size = sizeof info};
    volt_forecast_options base = volt_forecast_options_default(), options = base;
    const double coverage = 1.5;
    check_fails(volt_forecast_run(one, NULL, NULL), VOLT_ERR_ARGUMENT, "forecast");
    check_fails(volt_forecast_run(empty, NULL, &forecast), VOLT_ERR_SHAPE, "series");
    check_fails(volt_forecast_run((volt_view){numbers, -1, 1, 1}, NULL, &forecast), VOLT_ERR_SHAPE, "series");
    check_fails(volt_forecast_run((volt_view){numbers, N, 0, 1}, NULL, &forecast), VOLT_ERR_SHAPE, "series");
    check_fails(volt_forecast_run(volt_view_of(numbers, 1, 1), NULL, &forecast), VOLT_ERR_DATA, "1");
    options.struct_size = 0;
    check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "struct_size");
    options = base;
    options.kernel = NULL;
    check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "kernel");
    const int64_t steps[] = {-1, 1000001, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        options = base;
        options.steps = steps[i];
        check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "steps");
    }
    const double seconds[] = {-1, INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        options = base;
        options.search_seconds = seconds[i];
        check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "search_seconds");
    }
    const int64_t seasons[] = {1, N / 2 + 1};
    for (int i = 0; i < 2; i++) {
        options = base;
        options.season = seasons[i];
        check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "season");
    }
    const int64_t counts[] = {1, -1, INT64_MIN};
    for (int i = 0; i < 3; i++) {
        options = base;
        options.n_coverages = counts[i];
        check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "n_coverages");
    }
    options.n_coverages = 1;
    options.coverages = &coverage;
    check_fails(volt_forecast_run(one, &options, &forecast), VOLT_ERR_ARGUMENT, "1.5");
    assert_null(forecast);
    check_fails(volt_forecast_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "forecast");
    assert_null(volt_forecast_step_at(NULL, 0, 0));
    assert_null(volt_forecast_series_at(NULL, 0));
}

static int no_report(const volt_forecast_result *result, void *context)
{
    (void)result, (void)context;
    return 0;
}

static void many_forecasts_arguments(void **state)
{
    const char *ids[] = {"a", NULL}, *times[] = {"2020", NULL}, *whole[] = {"a", "a"};
    volt_long_rows base = {.struct_size = sizeof base, .rows = 2, .ids = whole, .values = numbers}, rows = base;
    volt_forecast_options options = volt_forecast_options_default();
    check_fails(volt_forecast_many(NULL, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "data");
    check_fails(volt_forecast_many(&base, NULL, NULL, NULL), VOLT_ERR_ARGUMENT, "report");
    rows.struct_size = 0;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "struct_size");
    rows = base;
    rows.ids = NULL;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "ids");
    rows = base;
    rows.values = NULL;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "values");
    rows = base;
    rows.rows = 0;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_DATA, "rows");
    rows = base;
    rows.ids = ids;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "name 1");
    rows = base;
    rows.times = times;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "time 1");
    const int64_t done[] = {-1, 1};
    for (int i = 0; i < 2; i++) {
        rows = base;
        rows.n_done = done[i];
        check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "n_done");
    }
    rows.n_done = 1;
    rows.done = whole;
    check_fails(volt_forecast_many(&rows, NULL, no_report, NULL), VOLT_ERR_ARGUMENT, "done_times");
    options.known = one;
    check_fails(volt_forecast_many(&base, &options, no_report, NULL), VOLT_ERR_ARGUMENT, "known");
    options = volt_forecast_options_default();
    options.many_seconds = -1;
    check_fails(volt_forecast_many(&base, &options, no_report, NULL), VOLT_ERR_ARGUMENT, "many_seconds");
    options.struct_size = 0;
    check_fails(volt_forecast_many(&base, &options, no_report, NULL), VOLT_ERR_ARGUMENT, "struct_size");
}

/* ---- identification ----------------------------------------------------------------------------- */

static void identification_arguments(void **state)
{
    volt_model *model = NULL;
    volt_identification found = {.struct_size = sizeof found};
    volt_identify_options base = volt_identify_options_default(), options = base;
    volt_view few = volt_view_of(numbers, VOLT_IDENTIFY_MIN_ROWS - 1, 1), bad = volt_view_of(broken, N, 1);
    check_fails(volt_identify(empty, one, &base, &model, &found), VOLT_ERR_ARGUMENT, "inputs");
    check_fails(volt_identify(one, empty, &base, &model, &found), VOLT_ERR_ARGUMENT, "outputs");
    check_fails(volt_identify(one, few, &base, &model, &found), VOLT_ERR_SHAPE, "rows");
    check_fails(volt_identify((volt_view){numbers, N, 0, 1}, one, &base, &model, &found), VOLT_ERR_SHAPE,
                "column");
    check_fails(volt_identify(one, (volt_view){numbers, N, 0, 1}, &base, &model, &found), VOLT_ERR_SHAPE,
                "column");
    check_fails(volt_identify(few, few, &base, &model, &found), VOLT_ERR_DATA, "59 60");
    check_fails(volt_identify(bad, one, &base, &model, &found), VOLT_ERR_NOT_FINITE, "inputs");
    check_fails(volt_identify(one, bad, &base, &model, &found), VOLT_ERR_NOT_FINITE, "outputs");
    options.struct_size = 0;
    check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_ARGUMENT, "struct_size");
    options = base;
    options.draws = -1;
    check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_ARGUMENT, "draws");
    const double seconds[] = {0, -1, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        options = base;
        options.draws = 0;
        options.seconds = seconds[i];
        check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_ARGUMENT, "seconds");
    }
    options = base;
    options.test_inputs = one;
    check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_ARGUMENT, "test outputs");
    const volt_view tests[][2] = {{one, few}, {two, one}, {one, two}, {{numbers, 0, 1, 1}, {numbers, 0, 1, 1}}};
    for (int i = 0; i < 4; i++) {
        options.test_inputs = tests[i][0];
        options.test_outputs = tests[i][1];
        check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_SHAPE, "test");
    }
    options.test_inputs = bad;
    options.test_outputs = one;
    check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_NOT_FINITE, "test inputs");
    options.test_inputs = one;
    options.test_outputs = bad;
    check_fails(volt_identify(one, one, &options, &model, &found), VOLT_ERR_NOT_FINITE, "test outputs");
    const int64_t lengths[] = {N, 1};
    options = base;
    options.records = lengths;
    options.n_records = 2;
    assert_int_not_equal(volt_identify(one, one, &options, &model, &found), VOLT_OK);
    options = base;
    options.test_inputs = options.test_outputs = one;
    options.test_records = lengths;
    options.n_test_records = 2;
    assert_int_not_equal(volt_identify(one, one, &options, &model, &found), VOLT_OK);
    assert_null(model);

    volt_diagnosis *diagnosis = NULL;
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse("fir", &kernel));
    check_ok(volt_model_fit(kernel, one, one, NULL, (volt_matrix){0}, &model));
    check_fails(volt_identify_diagnose(one, one, &base, NULL, &found, &diagnosis), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_identify_diagnose(one, one, &base, model, NULL, &diagnosis), VOLT_ERR_ARGUMENT, "result");
    check_fails(volt_identify_diagnose(one, one, &base, model, &found, NULL), VOLT_ERR_ARGUMENT, "output");
    options = base;
    options.struct_size = 0;
    check_fails(volt_identify_diagnose(one, one, &options, model, &found, &diagnosis), VOLT_ERR_ARGUMENT,
                "struct_size");
    volt_kernel_free(kernel);
    volt_model_free(model);
    assert_null(diagnosis);
}

/* ---- exact bounds ------------------------------------------------------------------------------- */

/* A value at its bound is accepted: the last check, of `threshold`, fails instead. */
#define capacity_fails(terms, ...)                                                           \
    do {                                                                                     \
        volt_capacity_options o = volt_capacity_options_default();                           \
        o.threshold = 2;                                                                     \
        __VA_ARGS__;                                                                         \
        check_fails(volt_capacity_compute(kernel, &o, &capacity), VOLT_ERR_ARGUMENT, terms); \
    } while (0)

static void bounds_of_capacities(void **state)
{
    volt_capacity *capacity = NULL;
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse("esn:size=3", &kernel));
    capacity_fails("threshold 2", o.rows = 10);
    capacity_fails("rows 10 9", o.rows = 9);
    capacity_fails("rows", o.rows = INT32_MAX);
    capacity_fails("threshold 2", o.degree = 1);
    capacity_fails("degree 0", o.degree = 0);
    capacity_fails("threshold 2", o.degree = VOLT_CAPACITY_DEGREE, o.delay = 2);
    capacity_fails("degree 21", o.degree = VOLT_CAPACITY_DEGREE + 1, o.delay = 2);
    capacity_fails("threshold 2", o.delay = 0);
    capacity_fails("delay -1", o.delay = -1);
    capacity_fails("threshold 2", o.degree = 1, o.delay = VOLT_CAPACITY_TARGETS - 2);
    capacity_fails("degree 1 delay", o.degree = 1, o.delay = VOLT_CAPACITY_TARGETS - 1);
    capacity_fails("threshold 2", o.delay = 20, o.washout = 20);
    capacity_fails("washout 20 19", o.delay = 20, o.washout = 19);
    capacity_fails("washout", o.washout = INT32_MAX);
    capacity_fails("threshold 2", o.alpha = 0);
    capacity_fails("alpha", o.alpha = NAN);
    capacity_fails("threshold 2", o.dimension = 0);
    capacity_fails("dimension -1", o.dimension = -1);
    capacity_fails("threshold 2", o.rows = 50, o.dimension = 49);
    capacity_fails("dimension 50", o.rows = 50, o.dimension = 50);
    capacity_fails("alpha dimension", o.alpha = 0, o.dimension = 3);
    capacity_fails("significance 0", o.significance = 0);
    capacity_fails("significance 1", o.significance = 1);
    check_fails(volt_capacity_compute(NULL, NULL, &capacity), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_capacity_compute(kernel, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    volt_capacity_options least = volt_capacity_options_default();
    least.rows = 10;
    least.degree = 1;
    least.delay = 0;
    least.threshold = 1;
    check_ok(volt_capacity_compute(kernel, &least, &capacity));
    volt_capacity_free(capacity);
    volt_kernel_free(kernel);
}

static volt_status curve_of(const volt_curve_options *options, const volt_fit_options *fit)
{
    static const char *const kernels[] = {"linear"};
    volt_curve *curve = NULL;
    volt_curve_options used = *options;
    used.fit = fit;
    volt_status status = volt_curve_run(one, one, kernels, 1, &used, &curve);
    volt_curve_free(curve);
    return status;
}

static void bounds_of_curves(void **state)
{
    static const int64_t small[] = {2, 3}, too_small[] = {1, 3}, equal[] = {3, 3};
    volt_curve_options base = volt_curve_options_default(), options = base;
    volt_fit_options plain = volt_fit_options_default(), fit = plain;
    base.test = 10;
    const int64_t points[] = {1, 1000, 0, 1001};
    for (int i = 0; i < 4; i++) {
        options = base;
        options.points = points[i];
        if (i < 2)
            check_ok(curve_of(&options, NULL));
        else
            check_fails(curve_of(&options, NULL), VOLT_ERR_ARGUMENT, "points 1000");
    }
    options = base;
    options.sizes = small;
    options.n_sizes = 2;
    check_ok(curve_of(&options, NULL));
    options.sizes = too_small;
    check_fails(curve_of(&options, NULL), VOLT_ERR_ARGUMENT, "sizes 2 1");
    options.sizes = equal;
    check_fails(curve_of(&options, NULL), VOLT_ERR_ARGUMENT, "sizes 3 2");
    options.sizes = NULL;
    check_fails(curve_of(&options, NULL), VOLT_ERR_ARGUMENT, "sizes");
    options = base;
    options.repeat = 0;
    check_fails(curve_of(&options, NULL), VOLT_ERR_ARGUMENT, "repeat 0");
    options = base;
    options.test = -1;
    check_fails(curve_of(&options, NULL), VOLT_ERR_ARGUMENT, "test -1");
    options.test = 0;
    check_ok(curve_of(&options, NULL));
    fit.alpha = -1;
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "alpha -1");
    fit = plain;
    fit.washout = -1;
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "washout -1");
    fit = plain;
    fit.ahead = -1;
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "ahead -1");
    fit = plain;
    fit.solver = "pcg";
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "solver pcg");
    const char *const exact[] = {"exact", "auto"};
    for (int i = 0; i < 2; i++) {
        fit.solver = exact[i];
        check_ok(curve_of(&base, &fit));
    }
    fit = plain;
    fit.landmarks = 1;
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "landmarks");
    fit = plain;
    fit.feedback_weight = 0.1;
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "feedback_weight");
    fit = plain;
    fit.loss = "huber";
    check_fails(curve_of(&base, &fit), VOLT_ERR_ARGUMENT, "loss");
}

/* As for capacities; the last check of a search is that of `validate`. */
#define search_fails(terms, ...)                                                                   \
    do {                                                                                           \
        volt_search_options o = volt_search_options_default();                                     \
        o.draws = 1;                                                                               \
        o.validate = (volt_validate)7;                                                             \
        __VA_ARGS__;                                                                               \
        check_fails(volt_search_run(candidates, one, one, &o, &search), VOLT_ERR_ARGUMENT, terms); \
    } while (0)

static void bounds_of_searches(void **state)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_draw("rbf", one, NULL, &candidates));
    search_fails("validation 7", o.seconds = 0);
    search_fails("validation 7", o.draws = 0, o.seconds = 1);
    search_fails("draws budget", o.draws = 0, o.seconds = 0);
    search_fails("draws -1", o.draws = -1);
    search_fails("budget -1", o.seconds = -1);
    search_fails("budget", o.seconds = INFINITY);
    search_fails("validation 7", o.race = VOLT_RACE_EXACT);
    search_fails("validation 7", o.race = VOLT_RACE_NONE);
    search_fails("race -1", o.race = (volt_race)-1);
    search_fails("race 3", o.race = (volt_race)(VOLT_RACE_NONE + 1));
    search_fails("validation 7", o.strategy = VOLT_STRATEGY_RANDOM);
    search_fails("validation 7", o.strategy = VOLT_STRATEGY_CMA);
    search_fails("strategy -1", o.strategy = (volt_strategy)-1);
    search_fails("strategy", o.strategy = (volt_strategy)(VOLT_STRATEGY_CMA + 1));
    search_fails("resume log", o.resume = 1);
    assert_null(search);
    volt_candidates_free(candidates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairing_arguments),        cmocka_unit_test(assessment_arguments),
        cmocka_unit_test(comparison_arguments),     cmocka_unit_test(anomaly_arguments),
        cmocka_unit_test(forecast_arguments),       cmocka_unit_test(many_forecasts_arguments),
        cmocka_unit_test(identification_arguments), cmocka_unit_test(bounds_of_capacities),
        cmocka_unit_test(bounds_of_curves),         cmocka_unit_test(bounds_of_searches),
    };
    return cmocka_run_group_tests(tests, make_numbers, NULL);
}
