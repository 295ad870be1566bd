/* tests/reference/test_curve.c: learning curves from the definitions (make_curve.py). */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/task.h"

enum { KERNELS = 2 };

static golden_array field(golden *file, int kernel, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "curves.%d.%s", kernel, name);
    return golden_array_of(file, path);
}

static double number(golden *file, int kernel, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "curves.%d.%s", kernel, name);
    return golden_number(file, path);
}

/* The chosen alphas are at least 1e-3, and the entries of K below 5: errors are about 45 * 5e3 eps = 1e-10. */
static void check_curve(golden *file, const volt_curve *curve, int k)
{
    static const double tolerance = 1e-8;
    int64_t each = curve->n_repeats * curve->n_sizes;
    golden_check("nmse", field(file, k, "nmse").data, curve->nmse + k * each, each, tolerance, GOLDEN_RELATIVE);
    golden_check("rmse", field(file, k, "rmse").data, curve->rmse + k * each, each, tolerance, GOLDEN_RELATIVE);
    golden_array alphas = field(file, k, "alphas"); /* -1: infinite */
    for (int64_t i = 0; i < each * curve->outputs; i++) {
        double found = curve->alphas[k * each * curve->outputs + i];
        golden_check_number("alpha", alphas.data[i], isinf(found) ? -1 : found, tolerance, GOLDEN_RELATIVE);
    }
    golden_check("mean_nmse", field(file, k, "mean_nmse").data, curve->mean_nmse + k * curve->n_sizes,
                 curve->n_sizes, tolerance, GOLDEN_RELATIVE);
    golden_check("nmse_error", field(file, k, "nmse_error").data, curve->nmse_error + k * curve->n_sizes,
                 curve->n_sizes, 1e-6, GOLDEN_RELATIVE);
    golden_check_number("rate", number(file, k, "rate"), curve->rate[k], 1e-7, GOLDEN_ABSOLUTE);
    golden_check_number("rate_error", number(file, k, "rate_error"), curve->rate_error[k], 1e-7,
                        GOLDEN_ABSOLUTE);
}

static void curves_from_definitions(void **state)
{
    golden *file = golden_load("curve");
    golden_array X = golden_array_of(file, "X"), Y = golden_array_of(file, "Y");
    golden_array sizes = golden_array_of(file, "sizes"), first = golden_array_of(file, "first");
    const char *kernels[KERNELS] = {golden_text(file, "curves.0.kernel"), golden_text(file, "curves.1.kernel")};
    int64_t counts[8];
    assert_true(sizes.count <= 8);
    for (int64_t s = 0; s < sizes.count; s++)
        counts[s] = (int64_t)sizes.data[s];
    volt_fit_options fit = volt_fit_options_default();
    fit.washout = (int64_t)golden_number(file, "washout");
    fit.ahead = (int64_t)golden_number(file, "ahead");
    volt_curve_options options = volt_curve_options_default();
    options.sizes = counts;
    options.n_sizes = sizes.count;
    options.test = (int64_t)golden_number(file, "test");
    options.repeat = (int64_t)golden_number(file, "repeat");
    options.fit = &fit;
    volt_curve *curve = NULL;
    check_ok(volt_curve_run(volt_view_of(X.data, X.rows, X.cols), volt_view_of(Y.data, Y.rows, Y.cols), kernels,
                            KERNELS, &options, &curve));
    assert_int_equal(curve->n_repeats, first.count);
    assert_int_equal(curve->gap, fit.ahead - 1);
    for (int64_t r = 0; r < first.count; r++)
        assert_int_equal(curve->first[r], (int64_t)first.data[r]);
    for (int k = 0; k < KERNELS; k++)
        check_curve(file, curve, k);
    volt_curve_free(curve);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(curves_from_definitions)};
    return cmocka_run_group_tests_name("curve_golden", tests, NULL, NULL);
}
