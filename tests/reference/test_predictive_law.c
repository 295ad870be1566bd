/* tests/reference/test_predictive_law.c: means and variances of forecasts against dense inverses in 50
 * digits. */
#include "support/check.h"
#include "support/golden.h"
#include "support/predict_std.h"
#include "support/sequences.h"
#include "volterra.h"

/* The kernel with the parameters of the file. */
static volt_kernel *kernel_of(golden *file)
{
    static const char *const numbers[] = {"tau", "gamma", "lambda", "rho", "mu"};
    char text[256];
    int used = snprintf(text, sizeof text, "%s", golden_text(file, "params.kernel"));
    const char *separator = ":";
    if (golden_has(file, "params.lift")) {
        const char *lift = golden_text(file, "params.lift");
        used += snprintf(text + used, sizeof text - (size_t)used, ":lift=%s", lift);
        if (strcmp(lift, "poly") == 0)
            used += snprintf(text + used, sizeof text - (size_t)used, ":%d",
                             (int)golden_number(file, "params.degree"));
        separator = ",";
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char path[32];
        snprintf(path, sizeof path, "params.%s", numbers[i]);
        if (!golden_has(file, path))
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s=%.17g", separator, numbers[i],
                         golden_number(file, path));
        separator = ",";
    }
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static void check_case(golden *file, int which)
{
    golden_array Z = golden_array_of(file, "inputs.Z"), Y = golden_array_of(file, "inputs.Y");
    int64_t n = Y.rows, q = Y.cols, h = Z.rows - n;
    char path[96];
    snprintf(path, sizeof path, "expected.%d.scale", which);
    golden_array s2 = golden_array_of(file, path);
    snprintf(path, sizeof path, "expected.%d.latent_variance_over_scale", which);
    golden_array latent = golden_array_of(file, path);
    snprintf(path, sizeof path, "expected.%d.forecast", which);
    golden_array forecast = golden_array_of(file, path);

    volt_kernel *kernel = kernel_of(file);
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = golden_number(file, "params.alpha");
    options.scale = 0;
    options.intercept = which == 0;
    options.keep_factor = 1;
    double *out = new_matrix(h, q), *std = new_matrix(h, q), *expected = new_matrix(h, q);
    volt_predict_options allow = volt_predict_options_default();
    allow.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_model_fit(kernel, volt_view_of(Z.data, n, Z.cols), volt_view_of(Y.data, n, q), &options,
                            (volt_matrix){0}, &model));
    check_ok(predict_std(model, volt_view_of(Z.data + n * Z.cols, h, Z.cols), &allow, volt_matrix_of(out, h, q),
                         volt_matrix_of(std, h, q), NULL));
    for (int64_t i = 0; i < h; i++)
        for (int64_t k = 0; k < q; k++)
            expected[i * q + k] = sqrt(s2.data[k] * (latent.data[i] + options.alpha));
    golden_check("forecast", forecast.data, out, h * q, golden_tol(file, "forecast"), GOLDEN_MAX_NORM);
    golden_check("std", expected, std, h * q, golden_tol(file, "latent_variance_over_scale"), GOLDEN_MAX_NORM);
    free(expected);
    free(std);
    free(out);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void golden_figures(void **state)
{
    golden *file = golden_load(*state);
    assert_true(golden_length(file, "expected") == 2);
    check_case(file, 0); /* with an intercept */
    check_case(file, 1);
    golden_free(file);
}

#define CASE(name) cmocka_unit_test_prestate(golden_figures, (void *)(uintptr_t)(name))

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE("m2_evidence_geometric"), CASE("m2_evidence_even"), CASE("m2_evidence_exponential"),
        CASE("m2_evidence_poly"),      CASE("m2_evidence_rbf"),  CASE("m2_evidence_fading"),
        CASE("m2_evidence_memory"),
    };
    return cmocka_run_group_tests_name("predictive_law", tests, NULL, NULL);
}
