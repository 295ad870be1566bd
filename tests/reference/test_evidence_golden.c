/* tests/reference/test_evidence_golden.c: evidence, variances and leave-one-out errors, compared
 * with dense inverses in 50 digits. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/select.h"

static const char *const files[] = {"m2_evidence_geometric", "m2_evidence_even", "m2_evidence_exponential",
                                    "m2_evidence_poly",      "m2_evidence_rbf",  "m2_evidence_fading",
                                    "m2_evidence_memory"};
enum { FILES = (int)(sizeof files / sizeof *files) };

/* The kernel with the parameters of the file, named as in the formulas. */
static volt_kernel *kernel_of(golden *file)
{
    static const char *const numbers[] = {"tau", "gamma", "lambda", "rho", "mu"};
    char text[256];
    int used = snprintf(text, sizeof text, "%s", golden_text(file, "params.kernel"));
    char separator = ':';
    if (golden_has(file, "params.lift")) {
        const char *lift = golden_text(file, "params.lift");
        used += snprintf(text + used, sizeof text - (size_t)used, ":lift=%s", lift);
        if (strcmp(lift, "poly") == 0)
            used += snprintf(text + used, sizeof text - (size_t)used, ":%d",
                             (int)golden_number(file, "params.degree"));
        separator = ',';
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char path[32];
        snprintf(path, sizeof path, "params.%s", numbers[i]);
        if (!golden_has(file, path))
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "%c%s=%.17g", separator, numbers[i],
                         golden_number(file, path));
        separator = ',';
    }
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static char *path_of(int which, const char *field, char path[96])
{
    snprintf(path, 96, "expected.%d.%s", which, field);
    return path;
}

static void check_left_out(golden *file, int which, const volt_evidence_result *found)
{
    char path[96];
    double tol = golden_number(file, "tol");
    golden_array residuals = golden_array_of(file, path_of(which, "loo_residual", path));
    golden_array variances = golden_array_of(file, path_of(which, "loo_variance_over_scale", path));
    golden_array gcv = golden_array_of(file, path_of(which, "gcv", path));
    assert_true(residuals.rows == found->rows && residuals.cols == found->q);
    golden_check("loo_residual", residuals.data, found->loo_errors, residuals.count, tol, GOLDEN_MAX_NORM);
    for (int64_t t = 0; t < found->rows; t++)
        for (int64_t k = 0; k < found->q; k++)
            golden_check_number("loo_variance", variances.data[t],
                                found->loo_variances[t * found->q + k] / found->scale[k], tol, GOLDEN_RELATIVE);
    golden_check("gcv", gcv.data, found->gcv, found->q, tol, GOLDEN_RELATIVE);
    golden_check_number("trace_P", golden_number(file, path_of(which, "trace_P", path)), found->trace, tol,
                        GOLDEN_RELATIVE);
}

static void check_case(golden *file, const volt_kernel *kernel, int which)
{
    char path[96];
    golden_array Z = golden_array_of(file, "inputs.Z"), Y = golden_array_of(file, "inputs.Y");
    golden_array scale = golden_array_of(file, path_of(which, "scale", path));
    int64_t rows = (int64_t)golden_number(file, "inputs.rows_train");
    volt_evidence_options options = volt_evidence_options_default();
    volt_evidence_result *found = NULL;
    options.alpha = golden_number(file, "params.alpha");
    options.intercept = which == 0;
    options.scale = 0;
    check_ok(volt_evidence(kernel, volt_view_of(Z.data, rows, Z.cols), volt_view_of(Y.data, rows, Y.cols),
                           &options, &found));
    golden_check_number("log_likelihood", golden_number(file, path_of(which, "log_likelihood", path)),
                        found->log_likelihood, golden_number(file, "tol"), GOLDEN_RELATIVE);
    golden_check("scale", scale.data, found->scale, scale.count, golden_number(file, "tol"), GOLDEN_RELATIVE);
    check_left_out(file, which, found);
    volt_evidence_free(found);
}

static void every_golden_value(void **state)
{
    for (int f = 0; f < FILES; f++) {
        golden *file = golden_load(files[f]);
        print_message("%s\n", files[f]);
        assert_int_equal(golden_length(file, "expected"), 2); /* with intercept, without */
        volt_kernel *kernel = kernel_of(file);
        for (int which = 0; which < 2; which++)
            check_case(file, kernel, which);
        volt_kernel_free(kernel);
        golden_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_golden_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
