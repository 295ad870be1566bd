/* tests/unit/predict/test_too_large.c: predictions that overflow. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "volterra.h"

/* y = 1e160 x, without scaling: the message names the row that overflows. */
static void overflowing_prediction_names_row(void **state)
{
    double x[8], y[8], out[4], later[4] = {1, 2, 3, 1e150};
    for (int i = 0; i < 8; i++) {
        x[i] = (i + 1) / 8.0;
        y[i] = 1e160 * x[i];
    }
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-6;
    options.scale = 0;
    options.intercept = 0;
    volt_predict_options allow = volt_predict_options_default();
    allow.beyond = VOLT_BEYOND_ALLOW;
    volt_kernel *kernel = plain_parse("linear");
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(x, 8, 1), volt_view_of(y, 8, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_model_predict(model, volt_view_of(later, 3, 1), &allow, volt_matrix_of(out, 3, 1), NULL));
    assert_true(fabs(out[2] / 3e160 - 1) < 1e-4);
    check_fails(volt_model_predict(model, volt_view_of(later, 4, 1), &allow, volt_matrix_of(out, 4, 1), NULL),
                VOLT_ERR_NOT_FINITE, "output 1 row 4");
    volt_model_free(model);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(overflowing_prediction_names_row)};
    return cmocka_run_group_tests_name("too large", tests, NULL, NULL);
}
