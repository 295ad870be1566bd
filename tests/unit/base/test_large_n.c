/* tests/unit/base/test_large_n.c: more rows than the square root of 2^31, with landmarks: fitted values equal the
 * predictions of the model. */
#include "support/check.h"
#include "volterra.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum {
    N = 1500,
    WASHOUT = 60
    /* the same program in a tenth of the time, with smaller numbers */
};
#else
enum { N = 46400, WASHOUT = 60 };
#endif

static void fitted_values_equal_prediction(void **state)
{
    const uint64_t seed = 46341;
    print_message("seed %d\n", (int)seed);
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *fitted = malloc(N * sizeof *fitted),
           *forecast = malloc(N * sizeof *forecast);
    assert_true(x && y && fitted && forecast);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int64_t i = 0; i < N; i++) {
        x[i] = volt_rng_uniform(&rng) - 0.5;
        y[i] = i > 1 ? x[i] * x[i - 1] + 0.5 * x[i - 2] : 0;
    }
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.washout = WASHOUT;
    options.solver = "nystrom";
    options.landmarks = 48;
    check_ok(volt_kernel_parse("volterra:tau_coef=0.6,lambda_coef=0.5", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, N, 1), volt_view_of(y, N, 1), &options,
                            volt_matrix_of(fitted, N, 1), &model));
    volt_predict_options from_zero = volt_predict_options_default();
    from_zero.start = VOLT_START_RESET;
    check_ok(
        volt_model_predict(model, volt_view_of(x, N, 1), &from_zero, volt_matrix_of(forecast, N, 1), NULL));

    /* Fitted values are y - alpha a, a = (y - f) / alpha: exact up to rounding. Predictions use landmarks
     * whose memory is truncated at 1e-7 of the kernel. */
    double worst = 0, error = 0, size = 0;
    for (int64_t i = 0; i < N; i++) {
        worst = fmax(worst, fabs(fitted[i] - forecast[i]));
        error += (y[i] - forecast[i]) * (y[i] - forecast[i]);
        size += y[i] * y[i];
    }
    print_message("largest difference %g, share of the squares that is left %g\n", worst, error / size);
    assert_true(worst < 1e-9);
    assert_true(error < 0.2 * size);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(x);
    free(y);
    free(fitted);
    free(forecast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitted_values_equal_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
