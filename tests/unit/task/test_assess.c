/* tests/unit/task/test_assess.c: comparison of models and searches with baselines: values, warnings, failures. */
#include "select/folds/problem.h"
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/task.h"

enum { N = 160, AHEAD = 2 };

static bool has(const volt_assessment *found, volt_warning_code code)
{
    for (int64_t i = 0; i < found->n_warnings; i++)
        if (found->warnings[i].code == code)
            return true;
    return false;
}

static volt_pairing *pair(const double *x, int64_t n, int64_t ahead)
{
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    options.ahead = ahead;
    check_ok(volt_pairing_create(volt_view_of(x, n, 1), (volt_view){0}, &options, &pairing));
    return pairing;
}

/* A noisy sine in the given units. */
static double *wave(uint64_t seed, double unit)
{
    volt_rng rng = test_rng(seed);
    double *x = normal_rows(&rng, N, 1);
    for (int64_t i = 0; i < N; i++)
        x[i] = unit * (sin((double)i / 4) + 0.1 * x[i]);
    return x;
}

static volt_model *fit(const volt_pairing *pairing, double *fitted)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.ahead = pairing->ahead;
    options.anchors = pairing->anchors;
    int64_t n = pairing->inputs.rows;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_model_fit(kernel, pairing->inputs, pairing->targets, &options,
                            volt_matrix_of(fitted, fitted ? n : 0, fitted ? 1 : 0), &model));
    volt_kernel_free(kernel);
    return model;
}

/* Rows without all targets do not enter R2. Without them there are no baselines. */
static void missing_targets_do_not_count(void **state)
{
    enum { HOLES = 10 };
    double *x = wave(8, 1), y[N], fitted[N], truth[N], values[N], r2 = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < N; i++)
        y[i] = i % (N / HOLES) == 3 ? (double)NAN : x[i] * x[i];
    volt_pairing *pairing = NULL;
    volt_pairing_options pairs = volt_pairing_options_default();
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(y, N, 1), &pairs, &pairing));
    assert_int_equal(pairing->missing_targets, HOLES);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options fitting = volt_fit_options_default();
    fitting.missing_targets = 1;
    fitting.alpha = 0.01;
    check_ok(volt_kernel_parse("rbf", &kernel));
    check_ok(volt_model_fit(kernel, pairing->inputs, pairing->targets, &fitting, volt_matrix_of(fitted, N, 1),
                            &model));
    volt_assess_options options = volt_assess_options_default();
    options.model = model;
    options.fitted = volt_view_of(fitted, N, 1);
    volt_assessment found = {.struct_size = sizeof found};
    check_ok(volt_assess(pairing, &options, &found));
    for (int64_t i = 0; i < N; i++)
        if (!isnan(y[i])) {
            truth[kept] = y[i];
            values[kept++] = fitted[i];
        }
    check_ok(volt_r2(volt_view_of(truth, kept, 1), volt_view_of(values, kept, 1), &r2));
    assert_true(found.r2 == r2 && found.n_baselines == 0);
    volt_model_free(model);
    volt_kernel_free(kernel);
    volt_pairing_free(pairing);
    free(x);
}

/* The season is that of the first output that has one: here of the second of three. */
static void season_of_any_output(void **state)
{
    enum { Q = 3, SEASON = 12, LATER = 7 };
    const double turn = 2 * acos(-1);
    volt_rng rng = test_rng(11);
    double *x = normal_rows(&rng, N, Q), fitted[N * Q];
    for (int i = 0; i < N; i++) {
        x[i * Q + 1] = sin(turn * i / SEASON) + 0.1 * x[i * Q + 1];
        x[i * Q + 2] = sin(turn * i / LATER) + 0.1 * x[i * Q + 2];
    }
    volt_pairing *pairing = NULL;
    volt_pairing_options pairs = volt_pairing_options_default();
    pairs.ahead = 1;
    check_ok(volt_pairing_create(volt_view_of(x, N, Q), (volt_view){0}, &pairs, &pairing));
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options fitting = volt_fit_options_default();
    fitting.ahead = 1;
    fitting.anchors = pairing->anchors;
    check_ok(volt_kernel_parse("linear", &kernel));
    check_ok(volt_model_fit(kernel, pairing->inputs, pairing->targets, &fitting,
                            volt_matrix_of(fitted, N - 1, Q), &model));
    volt_assess_options options = volt_assess_options_default();
    options.model = model;
    options.fitted = volt_view_of(fitted, N - 1, Q);
    options.season = VOLT_SEASON_AUTO;
    volt_assessment found = {.struct_size = sizeof found};
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.season, SEASON);
    volt_model_free(model);
    volt_kernel_free(kernel);
    volt_pairing_free(pairing);
    free(x);
}

/* ---- a fit ------------------------------------------------------------------------------------ */

static void baselines_are_compared_on_held_out_rows(void **state)
{
    double *x = wave(1, 1), fitted[N];
    volt_pairing *pairing = pair(x, N, AHEAD);
    volt_model *model = fit(pairing, fitted);
    volt_assess_options options = volt_assess_options_default();
    options.model = model;
    options.fitted = volt_view_of(fitted, N - AHEAD, 1);
    options.season = 0;
    volt_assessment found = {.struct_size = sizeof found};
    volt_assess_options wrong = options;
    volt_pairing *other = pair(x, N - 1, AHEAD);
    wrong.fitted = volt_view_of(fitted, (N - AHEAD) / 2, 2);
    check_fails(volt_assess(pairing, &wrong, &found), VOLT_ERR_SHAPE, "fitted");
    wrong.fitted = (volt_view){fitted, N - AHEAD, 2, 2};
    check_fails(volt_assess(pairing, &wrong, &found), VOLT_ERR_SHAPE, "fitted");
    check_fails(volt_assess(other, &options, &found), VOLT_ERR_SHAPE, "fitted");
    volt_pairing_free(other);
    check_ok(volt_assess(pairing, &options, &found));

    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    const volt_fit_report *report = info.report;
    assert_int_equal(found.heldout_rows, report->rows);
    assert_true(found.heldout_rmse == report->rmse[0]);
    assert_int_equal(found.n_baselines, 3); /* no season */
    for (int64_t i = 0; i < 3; i++) {
        static const volt_baseline kinds[] = {VOLT_BASELINE_NAIVE, VOLT_BASELINE_DRIFT, VOLT_BASELINE_AR};
        const volt_baseline_score *score = &found.baselines[i];
        double out[N];
        volt_metrics metrics = {.struct_size = sizeof metrics};
        volt_view series = volt_view_of(x, N, 1);
        int64_t begin = report->first + AHEAD;
        check_ok(
            volt_baseline_forecast(kinds[i], series, AHEAD, 0, 0, begin, volt_matrix_of(out, report->rows, 1)));
        check_ok(volt_metrics_compute(volt_view_rows(series, begin, report->rows),
                                      volt_view_of(out, report->rows, 1), &metrics));
        assert_string_equal(score->name, volt_baseline_name(kinds[i]));
        assert_true(score->mse == metrics.mse && score->mae == metrics.mae && score->r2 == metrics.r2);
        assert_true(score->rmse == sqrt(metrics.mse) && isnan(score->loss));
        assert_true(fabs(score->ratio - report->mse[0] / metrics.mse) < 1e-12 * score->ratio);
    }
    double r2 = 0;
    check_ok(volt_r2(pairing->targets, options.fitted, &r2));
    assert_true(found.r2 == r2 && !found.loss_name && isnan(found.loss));
    assert_true(found.better < 0 ? !has(&found, VOLT_WARNING_BETTER_BASELINE)
                                 : found.baselines[found.better].ratio > 1 / 0.99);
    assert_false(has(&found, VOLT_WARNING_PAST_TARGETS));
    assert_false(has(&found, VOLT_WARNING_FEW_ROWS));
    volt_model_free(model);
    volt_pairing_free(pairing);
    free(x);
}

static void random_walk_keeps_naive_forecast(void **state)
{
    volt_rng rng = test_rng(2);
    double *x = normal_rows(&rng, N, 1);
    for (int64_t i = 1; i < N; i++)
        x[i] += x[i - 1];
    volt_pairing *pairing = pair(x, N, 1);
    volt_assess_options options = volt_assess_options_default();
    volt_model *model = fit(pairing, NULL);
    options.model = model;
    volt_assessment found = {.struct_size = sizeof found};
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.naive_outputs, 1);
    assert_int_equal(found.halfway_outputs, 0);
    assert_true(has(&found, VOLT_WARNING_NAIVE_FORECAST));
    assert_true(found.naive_ratio > 0.5 && isnan(found.r2));
    assert_true(fabs(found.baselines[0].ratio - 1) < 1e-12);
    volt_model_free(model);
    volt_pairing_free(pairing);

    pairing = pair(x, 5, 1); /* too few rows for a held-out set */
    options.model = model = fit(pairing, NULL);
    check_ok(volt_assess(pairing, &options, &found));
    assert_true(has(&found, VOLT_WARNING_FEW_ROWS) && found.n_baselines == 0 && isnan(found.heldout_rmse));
    volt_model_free(model);
    volt_pairing_free(pairing);
    free(x);
}

static void baselines_do_not_depend_on_the_unit(void **state)
{
    double ratios[2] = {0};
    for (int i = 0; i < 2; i++) {
        double unit = i ? ldexp(1, -600) : 1, *x = wave(3, unit);
        volt_pairing *pairing = pair(x, N, 1);
        volt_model *model = fit(pairing, NULL);
        volt_assess_options options = volt_assess_options_default();
        options.model = model;
        volt_assessment found = {.struct_size = sizeof found};
        check_ok(volt_assess(pairing, &options, &found));
        ratios[i] = found.baselines[0].ratio;
        assert_true(found.baselines[0].rmse / unit > 0.01 && found.baselines[0].rmse / unit < 1);
        volt_model_free(model);
        volt_pairing_free(pairing);
        free(x);
    }
    assert_true(fabs(ratios[0] / ratios[1] - 1) < 1e-9);
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static void blocks_of_a_search_are_averaged(void **state)
{
    double *x = wave(4, 1), r2 = 0, rmse = 0;
    volt_pairing *pairing = pair(x, N, 1);
    volt_split_options splits = {.folds = 3, .min_train = 1};
    volt_split blocks[3];
    check_ok(volt_splits(N - 1, &splits, blocks));
    volt_assess_options options = volt_assess_options_default();
    volt_assessment found = {.struct_size = sizeof found}, one = {.struct_size = sizeof one};
    options.splits = &splits;
    options.score = 0.5;
    check_ok(volt_assess(pairing, &options, &found));
    options.splits = NULL;
    for (int b = 0; b < 3; b++) {
        options.test = &blocks[b];
        check_ok(volt_assess(pairing, &options, &one));
        r2 += one.baselines[0].r2 / 3;
        rmse += one.baselines[0].rmse / 3;
    }
    assert_string_equal(found.baselines[0].name, "naive");
    assert_true(fabs(found.baselines[0].r2 - r2) < 1e-14);
    assert_true(fabs(found.baselines[0].rmse - rmse) < 1e-14 * rmse);
    assert_true(rmse * rmse < (1 - 1e-9) * found.baselines[0].mse); /* the blocks differ */
    assert_true(fabs(found.baselines[0].ratio - 0.5 / (1 - r2)) < 1e-12);
    double least = INFINITY; /* a baseline is better only if its error is below 0.99 of the score's */
    for (int64_t i = 0; i < one.n_baselines; i++)
        least = fmin(least, 1 - one.baselines[i].r2);
    options.score = 1 - 1.005 * least;
    check_ok(volt_assess(pairing, &options, &one));
    assert_true(one.better == -1 && !has(&one, VOLT_WARNING_BETTER_BASELINE));
    options.score = 1 - 1.02 * least;
    check_ok(volt_assess(pairing, &options, &one));
    assert_true(one.better >= 0 && has(&one, VOLT_WARNING_BETTER_BASELINE));
    options.measure = VOLT_SCORE_LOG; /* not a block score */
    check_ok(volt_assess(pairing, &options, &one));
    assert_true(isnan(one.baselines[0].ratio) && one.better == -1);
    options.measure = VOLT_SCORE_NMSE;
    options.score = 1.5;
    check_ok(volt_assess(pairing, &options, &one));
    assert_true(has(&one, VOLT_WARNING_WORSE_THAN_CONSTANT) && has(&one, VOLT_WARNING_BETTER_BASELINE));
    assert_true(one.better >= 0 && one.baselines[one.better].ratio > 1);

    volt_pairing_free(pairing);
    volt_rng rng = test_rng(5);
    double *y = normal_rows(&rng, N, 1);
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(y, N, 1), NULL, &pairing));
    check_ok(volt_assess(pairing, &options, &one));
    assert_true(has(&one, VOLT_WARNING_PAST_TARGETS));
    volt_pairing_free(pairing);
    volt_pairing_options fed = volt_pairing_options_default();
    fed.fed_outputs = 1;
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(y, N, 1), &fed, &pairing));
    check_ok(volt_assess(pairing, &options, &one));
    assert_false(has(&one, VOLT_WARNING_PAST_TARGETS));
    assert_true(one.better >= 0 && has(&one, VOLT_WARNING_BETTER_BASELINE));
    options.simulated = 1;
    check_ok(volt_assess(pairing, &options, &one));
    assert_true(has(&one, VOLT_WARNING_FREE_RUN) && has(&one, VOLT_WARNING_WORSE_THAN_CONSTANT));
    assert_true(one.better == -1 && !has(&one, VOLT_WARNING_BETTER_BASELINE));
    volt_pairing_free(pairing);
    free(x);
    free(y);
}

static void loss_baseline_is_constant(void **state)
{
    enum { ROWS = 40 };
    double x[ROWS], y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        x[i] = i;
        y[i] = i % 2;
    }
    volt_pairing *pairing = NULL;
    volt_pairing_options how = volt_pairing_options_default();
    how.loss = "logistic";
    how.n_classes = 2;
    check_ok(volt_pairing_create(volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, 1), &how, &pairing));
    volt_split test = {.train_end = 20, .begin = 20, .end = ROWS};
    volt_assess_options options = volt_assess_options_default();
    volt_assessment found = {.struct_size = sizeof found};
    options.test = &test;
    options.by_loss = 1;
    options.measure = VOLT_SCORE_LOSS;
    options.score = 2 * log(2);
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 1);
    assert_string_equal(found.baselines[0].name, "class frequencies");
    assert_true(fabs(found.baselines[0].loss - log(2)) < 1e-12 && isnan(found.baselines[0].mse));
    assert_true(fabs(found.baselines[0].ratio - 2) < 1e-12 && found.better == 0);
    assert_non_null(found.loss_name);
    double weights[ROWS] = {0}; /* no training row is scored */
    weights[ROWS - 1] = 1;
    options.weights = weights;
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 0);
    volt_pairing_free(pairing);

    how.loss = "quantile:q=0.5";
    how.ahead = 1;
    check_ok(
        volt_pairing_create(volt_view_of(x, ROWS, 1), volt_view_of(NULL, 0, 0), &how, &pairing)); /* a line */
    test.train_end = 20;
    test.end = ROWS - 1;
    options.weights = NULL;
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 2);
    assert_true(found.baselines[0].loss > 1 && found.baselines[1].loss < 1e-9);
    volt_split_options splits = {.folds = 2, .min_train = 1, .gap = ROWS}; /* too few rows */
    options.test = NULL;
    options.splits = &splits;
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 0);
    volt_pairing_free(pairing);
}

static void records_and_weights_have_no_baselines(void **state)
{
    double *x = wave(6, 1), weights[N];
    for (int i = 0; i < N; i++)
        weights[i] = 1;
    const int64_t lengths[] = {N / 2, N / 2};
    volt_split_options splits = {.folds = 2, .min_train = 1};
    volt_pairing_options records = volt_pairing_options_default();
    records.records = lengths;
    records.n_records = 2;
    volt_pairing *pairing = NULL;
    volt_assess_options options = volt_assess_options_default();
    volt_assessment found = {.struct_size = sizeof found};
    options.splits = &splits;
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), (volt_view){0}, &records, &pairing));
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 0);
    volt_pairing_free(pairing);
    pairing = pair(x, N, 1);
    options.weights = weights;
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 0);
    options.weights = NULL;
    splits.folds = 2 * N; /* too few rows */
    check_ok(volt_assess(pairing, &options, &found));
    assert_int_equal(found.n_baselines, 0);
    volt_pairing_free(pairing);
    free(x);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_options_are_rejected(void **state)
{
    double *x = wave(7, 1);
    volt_pairing *pairing = pair(x, N, 1);
    volt_assess_options options = volt_assess_options_default(), bad = options;
    volt_assessment found = {.struct_size = sizeof found};
    volt_split outside = {.train_end = 10, .begin = 20, .end = N};
    bad.season = 1;
    check_fails(volt_assess(pairing, &bad, &found), VOLT_ERR_ARGUMENT, "season");
    bad = options;
    bad.season_rows = N + 1;
    check_fails(volt_assess(pairing, &bad, &found), VOLT_ERR_ARGUMENT, "season_rows");
    bad = options;
    bad.test = &outside;
    check_fails(volt_assess(pairing, &bad, &found), VOLT_ERR_ARGUMENT, "test");
    check_fails(volt_assess(NULL, &options, &found), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_assess(pairing, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    double fitted[3] = {0};
    volt_model *model = fit(pairing, NULL);
    bad = options;
    bad.model = model;
    bad.fitted = volt_view_of(fitted, 3, 1);
    check_fails(volt_assess(pairing, &bad, &found), VOLT_ERR_SHAPE, "fitted");
    volt_model_free(model);
    volt_pairing_free(pairing);
    free(x);
}

static void failed_allocations_leak_nothing(void **state)
{
    double *x = wave(8, 1);
    volt_pairing *pairing = NULL;
    volt_pairing_options how = volt_pairing_options_default();
    how.loss = "quantile:q=0.5";
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(NULL, 0, 0), &how, &pairing));
    volt_split_options splits = {.folds = 2, .min_train = 1};
    for (int by_loss = 0; by_loss < 2; by_loss++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_assess_options options = volt_assess_options_default();
            options.splits = &splits;
            options.by_loss = by_loss;
            volt_assessment found = {.struct_size = sizeof found};
            failing_alloc_start(k);
            volt_status status = volt_assess(pairing, &options, &found);
            failing_alloc_check(status);
        }
    volt_pairing_free(pairing);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_targets_do_not_count),
        cmocka_unit_test(season_of_any_output),
        cmocka_unit_test(baselines_are_compared_on_held_out_rows),
        cmocka_unit_test(random_walk_keeps_naive_forecast),
        cmocka_unit_test(baselines_do_not_depend_on_the_unit),
        cmocka_unit_test(blocks_of_a_search_are_averaged),
        cmocka_unit_test(loss_baseline_is_constant),
        cmocka_unit_test(records_and_weights_have_no_baselines),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
