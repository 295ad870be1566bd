/* tests/unit/task/test_row_anomaly.c: anomalous rows of a series: the scores of a fit and a live object set up by hand. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/task.h"

enum { N = 200, TRAIN = 90, D = 2, SCORED = N - TRAIN, PLACES = 3 * SCORED };

static double *waves(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    double *X = normal_rows(&rng, N, D);
    for (int64_t t = 0; t < N; t++)
        for (int64_t k = 0; k < D; k++)
            X[t * D + k] = sin(0.3 * (double)t + (double)k) + 0.1 * X[t * D + k];
    X[150 * D + 1] += 3;
    return X;
}

/* The same by hand: each row is the target of the row before it, and the last training row is fed first. */
static void score_by_hand(const double *X, double rate, int64_t window, double *scores, int64_t *channels)
{
    const int64_t anchors[D] = {0, 1};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_live *live = NULL;
    volt_fit_options fit = volt_fit_options_default();
    volt_live_options how = volt_live_options_default();
    fit.ahead = fit.feedback = 1;
    fit.anchors = anchors;
    how.alarm_rate = rate;
    how.learn = window > 0;
    how.window = window;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, TRAIN - 1, D), volt_view_of(X + D, TRAIN - 1, D), &fit,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_live_create(model, &how, &live));
    for (int64_t t = TRAIN - 1; t < N; t++) {
        volt_detection row = {.struct_size = sizeof row};
        check_ok(volt_live_detect(live, X + t * D, NULL, &row));
        if (t < TRAIN)
            continue;
        double *out = scores + 3 * (t - TRAIN);
        out[0] = row.score;
        out[1] = row.threshold;
        out[2] = row.alarm;
        channels[t - TRAIN] = row.channel;
    }
    volt_live_free(live);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void scores_equal_those_of_a_live_object(void **state)
{
    double *X = waves(1), scores[PLACES], expected[PLACES], again[PLACES];
    int64_t channels[SCORED], expected_channels[SCORED];
    volt_row_anomaly_options options = volt_row_anomaly_options_default();
    volt_model *model = NULL;
    options.train_rows = TRAIN;
    options.rate = 0.02;
    check_ok(volt_row_anomaly_fit(volt_view_of(X, N, D), &options, &model));
    for (int64_t window = 0; window <= 40; window += 40) {
        options.window = window;
        score_by_hand(X, options.rate, window, expected, expected_channels);
        check_ok(volt_row_anomaly_score(model, volt_view_of(X + TRAIN * D, SCORED, D), &options,
                                        volt_matrix_of(scores, SCORED, 3), channels));
        assert_memory_equal(scores, expected, sizeof scores);
        assert_memory_equal(channels, expected_channels, sizeof channels);
        assert_true(scores[3 * (150 - TRAIN) + 2] == 1 && channels[150 - TRAIN] == 1);
        check_ok(volt_row_anomaly_score(model, volt_view_of(X + TRAIN * D, SCORED, D), &options,
                                        volt_matrix_of(again, SCORED, 3), NULL));
        assert_memory_equal(again, expected, sizeof again);
    }
    volt_model_free(model);
    free(X);
}

static void a_third_of_the_rows_is_fitted_by_default(void **state)
{
    static const int64_t cases[][2] = {{51, 50}, {152, 50}, {153, 51}, {N, N / 3}};
    double *X = waves(2);
    volt_model *model = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_model_info info = {.struct_size = sizeof info};
        check_ok(volt_row_anomaly_fit(volt_view_of(X, cases[i][0], D), NULL, &model));
        check_ok(volt_model_get_info(model, &info));
        assert_int_equal(info.n, cases[i][1] - 1);
        volt_model_free(model);
    }
    check_fails(volt_row_anomaly_fit(volt_view_of(X, 50, D), NULL, &model), VOLT_ERR_DATA, "first 50");
    free(X);
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

static void invalid_arguments_are_rejected(void **state)
{
    double *X = waves(3), scores[PLACES];
    volt_view rows = volt_view_of(X, N, D), later = volt_view_of(X + TRAIN * D, SCORED, D);
    volt_matrix out = volt_matrix_of(scores, SCORED, 3);
    volt_model *model = NULL;
    volt_row_anomaly_options options = volt_row_anomaly_options_default();
    check_fails(volt_row_anomaly_fit(rows, &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    options.train_rows = 2;
    check_fails(volt_row_anomaly_fit(rows, &options, &model), VOLT_ERR_ARGUMENT, "train_rows 2");
    options.train_rows = N + 1;
    check_fails(volt_row_anomaly_fit(rows, &options, &model), VOLT_ERR_ARGUMENT, "train_rows 201");
    options.train_rows = TRAIN;
    options.rate = 1;
    check_fails(volt_row_anomaly_fit(rows, &options, &model), VOLT_ERR_ARGUMENT, "rate 1");
    options.rate = 0.01;
    options.window = -1;
    check_fails(volt_row_anomaly_fit(rows, &options, &model), VOLT_ERR_ARGUMENT, "window -1");
    options.window = 30;
    options.kernel = "gakk";
    check_fails(volt_row_anomaly_fit(rows, &options, &model), VOLT_ERR_KERNEL, "gak");
    options.kernel = "volterra";
    assert_null(model);
    check_ok(volt_row_anomaly_fit(rows, &options, &model));
    check_fails(volt_row_anomaly_score(NULL, later, &options, out, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_row_anomaly_score(model, volt_view_of(X, SCORED, 1), &options, out, NULL), VOLT_ERR_SHAPE,
                "x 110 1");
    check_fails(volt_row_anomaly_score(model, rows, &options, out, NULL), VOLT_ERR_SHAPE, "x 200 2");
    X[(N - 1) * D] = NAN;
    check_fails(volt_row_anomaly_score(model, later, &options, out, NULL), VOLT_ERR_NOT_FINITE, "row 109");
    X[(N - 1) * D] = 0;
    options.progress = (volt_progress){cancel, NULL};
    check_fails(volt_row_anomaly_score(model, later, &options, out, NULL), VOLT_ERR_CANCELLED, "cancelled");
    volt_model_free(model);

    volt_kernel *kernel = NULL;
    volt_fit_options fit = volt_fit_options_default();
    check_ok(volt_kernel_parse("linear", &kernel));
    check_ok(volt_model_fit(kernel, rows, rows, &fit, volt_matrix_of(NULL, 0, 0), &model));
    check_fails(volt_row_anomaly_score(model, later, NULL, out, NULL), VOLT_ERR_ARGUMENT,
                "volt_row_anomaly_fit");
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

static void every_allocation_may_fail(void **state)
{
    double *X = waves(4), scores[3];
    volt_row_anomaly_options options = volt_row_anomaly_options_default();
    options.train_rows = 20;
    options.kernel = "linear";
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_model *model = NULL;
        volt_status status = volt_row_anomaly_fit(volt_view_of(X, N, D), &options, &model);
        if (status == VOLT_OK)
            status = volt_row_anomaly_score(model, volt_view_of(X + 20 * D, 1, D), &options,
                                            volt_matrix_of(scores, 1, 3), NULL);
        volt_model_free(model);
        failing_alloc_check(status);
    }
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_equal_those_of_a_live_object),
        cmocka_unit_test(a_third_of_the_rows_is_fitted_by_default),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
