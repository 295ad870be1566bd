/* tests/reference/test_forecast_choice.c: choices of a fit with default options on real series, compared
 * with NumPy. */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/model.h"

enum { FORECASTS = 5 };

static double number_of(golden *file, int64_t index, const char *key)
{
    char path[64];
    snprintf(path, sizeof path, "inputs.cases.%" PRId64 ".%s", index, key);
    return golden_number(file, path);
}

static golden_array array_of(golden *file, int64_t index, const char *key)
{
    char path[64];
    snprintf(path, sizeof path, "inputs.cases.%" PRId64 ".%s", index, key);
    return golden_array_of(file, path);
}

static void check_case(golden *file, int64_t index, const volt_kernel *kernel)
{
    static const int64_t anchor = 0;
    double tol = golden_tol(file, "forecasts"), out[FORECASTS];
    golden_array y = array_of(file, index, "y"), expected = array_of(file, index, "forecasts");
    volt_fit_options options = volt_fit_options_default();
    options.ahead = (int64_t)number_of(file, index, "ahead");
    options.anchors = &anchor;
    int64_t rows = (int64_t)number_of(file, index, "training_rows") - options.ahead;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_fit(kernel, volt_view_of(y.data, rows, 1),
                            volt_view_of(y.data + options.ahead, rows, 1), &options, (volt_matrix){0}, &model));
    volt_model_get_info(model, &info);
    const volt_fit_report *report = info.report;
    bool kept = number_of(file, index, "naive_kept") != 0;
    double alpha = number_of(file, index, "best_alpha");
    print_message("case %" PRId64 ": season %" PRId64 ", alpha %g\n", index, info.season, info.alpha);
    assert_int_equal(info.season, (int64_t)number_of(file, index, "season"));
    assert_int_equal(info.columns, (int64_t)number_of(file, index, "columns"));
    assert_int_equal(report->first, (int64_t)number_of(file, index, "first_held_out"));
    assert_true(report->share[0] == (kept ? 0 : 1) && info.anchors[0] == 0);
    if (kept)
        assert_true(isinf(info.alpha));
    else
        golden_check_number("alpha", alpha, info.alpha, tol, GOLDEN_RELATIVE);
    golden_check_number("best mse", number_of(file, index, "best_mse"), report->best_mse[0], tol,
                        GOLDEN_RELATIVE);
    golden_check_number("naive mse", number_of(file, index, "naive_mse"), report->naive_mse[0], tol,
                        GOLDEN_RELATIVE);
    golden_check_number("mse", kept ? report->naive_mse[0] : report->best_mse[0], report->mse[0], tol,
                        GOLDEN_RELATIVE);

    /* Rows that follow the last training input. */
    check_ok(volt_model_predict(model, volt_view_of(y.data + rows, FORECASTS, 1), NULL,
                                volt_matrix_of(out, FORECASTS, 1), NULL));
    golden_check("forecasts", expected.data, out, FORECASTS, tol, GOLDEN_RELATIVE);
    volt_model_free(model);
}

static void choices_equal_the_golden_file(void **state)
{
    golden *file = golden_load("forecast_choice");
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(golden_text(file, "params.kernel"), &kernel));
    for (int64_t i = 0; i < golden_length(file, "inputs.cases"); i++)
        check_case(file, i, kernel);
    volt_kernel_free(kernel);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_equal_the_golden_file),
    };
    return cmocka_run_group_tests_name("forecast_choice", tests, NULL, NULL);
}
