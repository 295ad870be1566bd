/* tests/unit/model/test_feedback_refused.c: errors of models with output feedback: diverging runs, missing
 * outputs, invalid arguments, memory. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/fed_system.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "volterra/model.h"

enum { Q = FED_Q, N = FED_N, H = FED_H };

static const double omega = 1.7;
static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* ---- diverging runs --------------------------------------------------------------------------- */

/* y_t = 1.5 y_{t-1} + x_t from 1: 1.5^11 is 86 at the end of training, and y leaves the range 6 rows later. */
static void diverging_runs_are_bounded(void **state)
{
    enum { ROWS = 12, MORE = 20 };
    double x[MORE] = {1}, y[ROWS] = {0}, out[MORE], untouched[MORE];
    for (int t = 0; t < ROWS; t++)
        y[t] = (t ? 1.5 * y[t - 1] : 0) + x[t];
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-8;
    options.scale = 0;
    options.feedback_weight = 1;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse("linear", &kernel));
    check_ok(
        volt_model_fit(kernel, volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, 1), &options, nowhere, &model));
    for (int t = 0; t < MORE; t++)
        out[t] = untouched[t] = 1e77;
    x[0] = 0;
    /* |y - 43.75| > 10 * 42.75 requires y > 471.25: y is 86.5 * 1.5^k, and k = 5 is the first. */
    double bound = (y[0] + y[ROWS - 1]) / 2 + 10 * (y[ROWS - 1] - y[0]) / 2;
    volt_predict_options how = volt_predict_options_default();
    volt_predict_report report = {.struct_size = sizeof report};
    how.report = &report;
    check_ok(volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), NULL));
    for (int t = 0; t < MORE; t++) /* 1.5 times the bound is above the bound: all later rows are at it */
        assert_true(t < 4 ? fabs(out[t] / (y[ROWS - 1] * pow(1.5, t + 1)) - 1) < 1e-4
                          : fabs(out[t] - bound) <= 4 * DBL_EPSILON * bound);
    assert_int_equal(report.n_warnings, 1);
    assert_int_equal(report.warnings[0].code, VOLT_WARNING_RUN_BOUNDED);
    assert_int_equal(report.warnings[0].row, 4);
    assert_int_equal(report.warnings[0].rows, MORE - 4);
    assert_int_equal(report.warnings[0].column, 0);
    assert_non_null(strstr(report.warnings[0].text, "row 5 "));
    how.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), NULL));
    assert_true(report.n_warnings == 1 && report.warnings[0].row == 4);
    check_ok(volt_model_predict(model, volt_view_of(x, 4, 1), &how, volt_matrix_of(out, 4, 1), NULL));
    assert_int_equal(report.n_warnings, 0);

    /* VOLT_BEYOND_ERROR: the first fed-back output above those of training is an error. */
    int64_t beyond = -7;
    how.beyond = VOLT_BEYOND_ERROR;
    memcpy(out, untouched, sizeof out);
    check_fails(
        volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), &beyond),
        VOLT_ERR_DOMAIN, "row 1");
    assert_memory_equal(out, untouched, sizeof out);
    assert_int_equal(beyond, -7);
    report.struct_size = 1;
    how.beyond = VOLT_BEYOND_CLIP;
    check_fails(
        volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), &beyond),
        VOLT_ERR_ARGUMENT, "struct_size 1");
    assert_memory_equal(out, untouched, sizeof out);
    report.struct_size = sizeof report;
    check_ok(volt_model_predict(model, volt_view_of(x, 4, 1), NULL, volt_matrix_of(out, 4, 1), NULL));

    /* One-step-ahead forecasts do not diverge. */
    double known[MORE] = {0};
    how.known = volt_view_of(known, MORE, 1);
    known[3] = 900;
    check_ok(volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), NULL));
    assert_true(out[4] > 900);
    known[MORE - 2] = 900;
    check_ok(volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), NULL));
    assert_true(fabs(out[MORE - 1] / (1.5 * 900) - 1) < 1e-4);
    assert_int_equal(report.n_warnings, 0);

    /* After a warm-up the run is free again: 470 is inside the range, 1.5 * 470 in row 4 is not. A known
     * output of the warm-up may lie outside. */
    known[0] = 900;
    known[1] = known[2] = 470;
    how.warm_up = 3;
    check_ok(volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), NULL));
    assert_true(report.n_warnings == 1 && report.warnings[0].row == 3);
    assert_true(fabs(out[2] / (1.5 * 470) - 1) < 1e-4); /* of a row with known outputs: not bounded */
    known[2] = 2; /* 2 * 1.5^k is above 471.25 first at k = 14, in row 17 */
    check_ok(volt_model_predict(model, volt_view_of(x, MORE, 1), &how, volt_matrix_of(out, MORE, 1), NULL));
    assert_true(report.n_warnings == 1 && report.warnings[0].row == 16 && report.warnings[0].rows == 4);
    how.known.rows = 16;
    check_ok(volt_model_predict(model, volt_view_of(x, 16, 1), &how, volt_matrix_of(out, 16, 1), NULL));
    assert_true(fabs(out[15] / (2 * pow(1.5, 13)) - 1) < 1e-4);
    how.known.rows = how.warm_up = 3; /* as long as the rows: all forecasts are one step ahead */
    check_ok(volt_model_predict(model, volt_view_of(x, 3, 1), &how, volt_matrix_of(out, 3, 1), NULL));
    assert_true(fabs(out[1] / (1.5 * 900) - 1) < 1e-4 && fabs(out[2] / (1.5 * 470) - 1) < 1e-4);
    how.known.rows = 17; /* the last row itself leaves the range, with no row after it */
    check_ok(volt_model_predict(model, volt_view_of(x, 17, 1), &how, volt_matrix_of(out, 17, 1), NULL));
    assert_true(report.n_warnings == 1 && report.warnings[0].row == 16 && report.warnings[0].rows == 1);

    /* A run that starts without a measured output: a reset, or the second record. */
    const int64_t lengths[] = {2, 2};
    how = volt_predict_options_default();
    how.report = &report;
    how.start = VOLT_START_RESET;
    check_ok(volt_model_predict(model, volt_view_of(x, 4, 1), &how, volt_matrix_of(out, 4, 1), NULL));
    assert_true(report.n_warnings == 1 && report.warnings[0].code == VOLT_WARNING_NO_FIRST_OUTPUT);
    assert_true(report.warnings[0].row == 0 && report.warnings[0].rows == 1);
    how.start = VOLT_START_CONTINUE;
    how.records = lengths;
    how.n_records = 2;
    check_ok(volt_model_predict(model, volt_view_of(x, 4, 1), &how, volt_matrix_of(out, 4, 1), NULL));
    assert_true(report.n_warnings == 1 && report.warnings[0].code == VOLT_WARNING_NO_FIRST_OUTPUT);
    assert_true(report.warnings[0].row == 2 && report.warnings[0].rows == 1);
    known[0] = 2;
    how.known = volt_view_of(known, 4, 1);
    how.warm_up = 1;
    check_ok(volt_model_predict(model, volt_view_of(x, 4, 1), &how, volt_matrix_of(out, 4, 1), NULL));
    assert_int_equal(report.n_warnings, 0);

    /* A stream returns the forecast, rejects the rows after it and resumes from a known output, also after
     * loading. */
    const char *state_path = scratch_path("state.safetensors");
    volt_live *stream = NULL, *read = NULL, *copy = NULL;
    double last = 0;
    check_ok(volt_live_create(model, NULL, &stream));
    for (int i = 0; i < 5; i++)
        check_ok(volt_live_feed(stream, x, &last));
    assert_true(last > 471);
    check_fails(volt_live_feed(stream, x, &last), VOLT_ERR_NOT_FINITE, "output 1 row 5");
    check_ok(volt_live_copy(stream, &copy));
    check_fails(volt_live_feed(copy, x, &last), VOLT_ERR_NOT_FINITE, "output 1 row 5");
    volt_live_free(copy);
    check_ok(volt_live_save(stream, state_path));
    check_ok(volt_live_load(model, NULL, state_path, &read));
    check_fails(volt_live_feed(read, x, &last), VOLT_ERR_NOT_FINITE, "row 5");
    check_ok(volt_live_learn(read, 0, (double[]){2}));
    check_ok(volt_live_feed(read, x, &last));
    assert_true(fabs(last - 3) < 1e-4);
    volt_live_restart(stream);
    check_ok(volt_live_feed(stream, x, &last));
    volt_live_free(stream);
    volt_live_free(read);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* Without scaling, 1e308 fits into a double and twice as much does not. The row then waits for its target. */
static void target_too_large_for_feedback(void **state)
{
    fed_system rows = fed_system_make(4108);
    volt_fit_options options = fed_options(2);
    options.scale = 0;
    volt_model *model = fed_fit("linear", &rows, &options, nowhere);
    volt_live *learner = NULL;
    double y[Q], next[Q];
    check_ok(volt_live_create(model, with_learning(), &learner));
    check_ok(volt_live_feed(learner, rows.x + N * FED_D, y));
    memcpy(y, rows.y + N * Q, sizeof y);
    y[1] = 1e308;
    check_fails(volt_live_learn(learner, 0, y), VOLT_ERR_NOT_FINITE, "target 2");
    check_ok(volt_live_learn(learner, 0, rows.y + N * Q));
    check_ok(volt_live_feed(learner, rows.x + (N + 1) * FED_D, next));
    check_fails(volt_live_update(learner, rows.x, 0, y, next), VOLT_ERR_NOT_FINITE, "target 2");
    volt_live_free(learner);
    volt_model_free(model);
    fed_system_free(&rows);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void missing_targets(void **state)
{
    fed_system rows = fed_system_make(4105);
    volt_fit_options options = fed_options(omega);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    int64_t lengths[] = {20, N - 20};
    options.missing_targets = 1;
    check_ok(volt_kernel_parse("rbf", &kernel));
    double kept[Q];
    memcpy(kept, rows.y + 19 * Q, sizeof kept);
    rows.y[19 * Q + 1] = NAN;
    check_fails(
        volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options, nowhere, &model),
        VOLT_ERR_DATA, "target 2 row 20");
    options.records = lengths;
    options.n_records = 2; /* it is the last of its record */
    double fitted[N * Q];
    check_ok(volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options,
                            volt_matrix_of(fitted, N, Q), &model));
    assert_true(isfinite(fitted[19 * Q + 1]));
    volt_model_free(model);
    memcpy(rows.y + 19 * Q, kept, sizeof kept);
    options.n_records = 0;

    /* A last row without a target updates the state, and there is no output to continue from. */
    rows.y[(N - 1) * Q] = NAN;
    check_ok(
        volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options, nowhere, &model));
    double out[H * Q];
    volt_live *stream = NULL;
    volt_predict_options how = volt_predict_options_default();
    const char *path = scratch_path("model.safetensors");
    volt_model *read = NULL;
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &read));
    check_fails(volt_model_predict(read, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL),
                VOLT_ERR_ARGUMENT, "target");
    check_fails(volt_live_create(model, as_live(&how), &stream), VOLT_ERR_ARGUMENT, "target");
    how.start = VOLT_START_RESET;
    check_ok(volt_model_predict(read, fed_inputs(&rows, N, H), &how, volt_matrix_of(out, H, Q), NULL));
    volt_model_free(read);
    volt_model_free(model);
    volt_kernel_free(kernel);
    fed_system_free(&rows);
}

static void wrong_arguments(void **state)
{
    fed_system rows = fed_system_make(4106);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL, *plain = NULL;
    volt_live *stream = NULL;
    check_ok(volt_kernel_parse("rbf", &kernel));
    volt_fit_options options = fed_options(omega);
    const double bad[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        options.feedback_weight = bad[i];
        check_fails(volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options, nowhere,
                                   &model),
                    VOLT_ERR_ARGUMENT, "feedback weight");
    }
    options = fed_options(omega);
    options.ahead = 1;
    check_fails(
        volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options, nowhere, &model),
        VOLT_ERR_ARGUMENT, "ahead = 1");
    options.ahead = 0;
    options.feedback = 1;
    check_fails(
        volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options, nowhere, &model),
        VOLT_ERR_ARGUMENT, "feedback_weight");
    options = fed_options(omega);
    options.feedback_weight = 1e300;
    rows.y[0] = 1; /* sd of 1e-12: the weight is out of range */
    for (int64_t i = 0; i < N; i++)
        rows.y[i * Q + 1] = 1e-12 * (double)(i % 2);
    check_fails(
        volt_model_fit(kernel, fed_inputs(&rows, 0, N), fed_targets(&rows, 0, N), &options, nowhere, &model),
        VOLT_ERR_NOT_FINITE, "weight 1e+300");
    fed_system_free(&rows);
    rows = fed_system_make(4106);

    options = fed_options(omega);
    model = fed_fit("rbf", &rows, &options, nowhere);
    options.feedback_weight = 0;
    plain = fed_fit("rbf", &rows, &options, nowhere);
    double out[H * Q];
    volt_matrix to = volt_matrix_of(out, H, Q);
    volt_predict_options how = volt_predict_options_default();
    how.known = fed_targets(&rows, N, H);
    check_fails(volt_model_predict(plain, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_ARGUMENT,
                "outputs");
    how.known = fed_targets(&rows, N, H - 1);
    check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_SHAPE,
                "outputs 29 2 30");
    how.known = volt_view_of(rows.y, H, 1);
    check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_SHAPE, "x 30 1");
    how.known = fed_targets(&rows, N, H);
    how.warm_up = H + 1;
    check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_ARGUMENT,
                "31 rows");
    how.warm_up = -1;
    check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_ARGUMENT,
                "-1 rows");
    how.warm_up = 3;
    rows.y[(N + 2) * Q] = NAN;
    check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_NOT_FINITE,
                "output 1 row 3");
    how.warm_up = 2; /* outputs after the warm-up and of the last row may be missing */
    check_ok(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL));
    check_ok(volt_model_predict(
        model, fed_inputs(&rows, N, 3),
        &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .known = fed_targets(&rows, N, 3)},
        volt_matrix_of(out, 3, Q), NULL));
    how.known = volt_view_of(NULL, 0, 0);
    check_fails(volt_model_predict(model, fed_inputs(&rows, N, H), &how, to, NULL), VOLT_ERR_ARGUMENT,
                "outputs");
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, to, NULL), VOLT_ERR_ARGUMENT,
                "inputs");

    check_ok(volt_live_create(plain, NULL, &stream));
    check_fails(volt_live_learn(stream, 0, out), VOLT_ERR_ARGUMENT, "feedback");
    volt_live_free(stream);
    check_ok(volt_live_create(model, NULL, &stream));
    check_fails(volt_live_learn(stream, 0, (double[]){1, INFINITY}), VOLT_ERR_NOT_FINITE, "output 2");
    check_fails(volt_model_orders(model, fed_inputs(&rows, N, H), NULL, to), VOLT_ERR_ARGUMENT, "feedback");
    check_fails(volt_live_learn(stream, 0, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(NULL, 0, out), VOLT_ERR_ARGUMENT, "NULL");
    volt_live_free(stream);
    volt_model_free(plain);
    volt_model_free(model);
    volt_kernel_free(kernel);
    fed_system_free(&rows);
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Fit, save, load and run: all operations in which feedback allocates. */
static volt_status do_all(const volt_kernel *kernel, const fed_system *rows, const char *path, double *out)
{
    volt_fit_options options = fed_options(omega);
    volt_model *model = NULL, *read = NULL;
    volt_status status =
        volt_model_fit(kernel, fed_inputs(rows, 0, N), fed_targets(rows, 0, N), &options, nowhere, &model);
    if (status == VOLT_OK)
        status = volt_model_save(model, path, (volt_progress){0});
    if (status == VOLT_OK)
        status = volt_model_load(path, &read);
    if (status == VOLT_OK)
        status = volt_model_predict(read, fed_inputs(rows, N, H), NULL, volt_matrix_of(out, H, Q), NULL);
    volt_model_free(model);
    volt_model_free(read);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    fed_system rows = fed_system_make(4107);
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse("fir:mu=0.4 + memory:pole=0.3", &kernel));
    const char *path = scratch_path("model.safetensors");
    double out[H * Q];
    check_ok(do_all(kernel, &rows, path, out));
    for (int64_t k = 0; failing_alloc_next(&k);) {
        for (int64_t i = 0; i < H * Q; i++)
            out[i] = 1e77;
        volt_status status = do_all(kernel, &rows, path, out);
        failing_alloc_check_lenient(status); /* saving succeeds without the sync of the directory */
        assert_true((status != VOLT_OK) == (out[0] == 1e77));
    }
    volt_kernel_free(kernel);
    fed_system_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diverging_runs_are_bounded),
        cmocka_unit_test(target_too_large_for_feedback),
        cmocka_unit_test(missing_targets),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
