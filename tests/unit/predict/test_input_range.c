/* tests/unit/predict/test_input_range.c: rows outside the range of the training inputs. */
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/live.h"
#include "volterra/model.h"

enum { N = 24, D = 2 };

/* Inputs 0 from 1 to 3, inputs 1 from -2 to 2. */
static volt_model *fit_model(volt_input input)
{
    double x[N * D], y[N];
    for (int t = 0; t < N; t++) {
        x[t * D] = 1 + t % 3;
        x[t * D + 1] = t % 5 - 2;
        y[t] = x[t * D] * x[t * D + 1];
    }
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.input = input;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse("rbf", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, N, D), volt_view_of(y, N, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_predict_warning range_of(const volt_model *model, const double *x, int64_t rows)
{
    volt_predict_warning warning = {.rows = 0};
    check_ok(volt_model_check_range(model, volt_view_of(x, rows, D), 10, &warning));
    return warning;
}

/* Margins are 0.1 * 2 and 0.1 * 4. */
static void rows_outside_range_are_counted(void **state)
{
    volt_model *model = fit_model(VOLT_INPUT_LEVEL);
    const double inside[] = {0.81, -2.39, 3.19, 2.39};
    assert_int_equal(range_of(model, inside, 2).rows, 0);
    const double outside[] = {1, 0, 0.79, 0, 1, -2.41, -1, 5};
    volt_predict_warning found = range_of(model, outside, 4);
    assert_int_equal(found.code, VOLT_WARNING_INPUT_RANGE);
    assert_int_equal(found.rows, 3);
    assert_int_equal(found.row, 11);
    assert_int_equal(found.column, 0);
    assert_true(found.value == 0.79);
    assert_non_null(strstr(found.text, "below"));
    const double above[] = {2, 2.41};
    assert_int_equal(range_of(model, above, 1).column, 1);
    assert_non_null(strstr(range_of(model, above, 1).text, "above"));
    check_ok(volt_model_check_range(model, volt_view_of(above, 1, D), 20, &found)); /* adds to it */
    assert_true(found.rows == 4 && found.row == 11);

    /* The report of a prediction has it; a saved model keeps the range. */
    const char *path = scratch_path("range.safetensors");
    double out[4];
    volt_predict_report report = {.struct_size = sizeof report};
    volt_predict_options options = volt_predict_options_default();
    options.report = &report;
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    volt_model_free(model);
    check_ok(volt_model_load(path, &model));
    check_ok(volt_model_predict(model, volt_view_of(outside, 4, D), &options, volt_matrix_of(out, 4, 1), NULL));
    assert_int_equal(report.n_warnings, 1);
    assert_true(report.warnings[0].code == VOLT_WARNING_INPUT_RANGE && report.warnings[0].row == 1);
    check_ok(volt_model_predict(model, volt_view_of(inside, 2, D), &options, volt_matrix_of(out, 2, 1), NULL));
    assert_int_equal(report.n_warnings, 0);
    check_fails(volt_model_check_range(model, volt_view_of(outside, 8, 1), 0, &found), VOLT_ERR_SHAPE, "1 2");
    check_fails(volt_model_check_range(NULL, volt_view_of(outside, 4, D), 0, &found), VOLT_ERR_ARGUMENT,
                "NULL");
    volt_model_free(model);
}

/* Changes are clipped to ranges of their own. */
static void changes_have_no_range_of_levels(void **state)
{
    volt_model *model = fit_model(VOLT_INPUT_CHANGE);
    const double far[] = {100, 100};
    assert_int_equal(range_of(model, far, 1).rows, 0);
    volt_model_free(model);
}

/* A model of a stream that has learned a row has the wider range. */
static void learned_rows_extend_range(void **state)
{
    volt_model *model = fit_model(VOLT_INPUT_LEVEL), *grown = NULL;
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    options.learn = 1;
    const double far[] = {5, 0};
    double y;
    check_ok(volt_live_create(model, &options, &live));
    check_ok(volt_live_feed(live, far, &y));
    check_ok(volt_live_learn(live, 0, (double[]){1}));
    check_ok(volt_live_model(live, 0, (volt_progress){0}, &grown));
    assert_int_equal(range_of(model, far, 1).rows, 1);
    assert_int_equal(range_of(grown, far, 1).rows, 0);
    volt_live_free(live);
    volt_model_free(grown);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_outside_range_are_counted),
        cmocka_unit_test(changes_have_no_range_of_levels),
        cmocka_unit_test(learned_rows_extend_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
