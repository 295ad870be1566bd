/* tests/reference/test_explain_golden.c: Volterra kernels and contributions of each order, compared with the
 * definitions in 50 digits.
 *
 * The files contain the coefficients of a model, not its targets. The test fits a model on these rows and
 * replaces its scales and coefficients. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"

enum { TEXT = 200 };

static const char *path_of(int c, const char *name)
{
    static char path[2 * TEXT];
    snprintf(path, sizeof path, "cases.%d.%s", c, name);
    return path;
}

static double number(golden *file, int c, const char *name)
{
    return golden_number(file, path_of(c, name));
}

static golden_array array(golden *file, int c, const char *name)
{
    return golden_array_of(file, path_of(c, name));
}

/* The kernel's text from the names of its parameters. */
static volt_kernel *kernel_of(golden *file, int c)
{
    static const char *const names[] = {"tau", "gamma", "lambda", "rho", "mu"};
    char text[TEXT];
    int used = snprintf(text, sizeof text, "%s", golden_text(file, path_of(c, "params.kernel")));
    char sign = ':';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[TEXT];
        snprintf(path, sizeof path, "params.%s", names[i]);
        if (!golden_has(file, path_of(c, path)))
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "%c%s=%.17g", sign, names[i],
                         number(file, c, path));
        sign = ',';
    }
    if (golden_has(file, path_of(c, "params.lift")))
        used += snprintf(text + used, sizeof text - (size_t)used, ",lift=%s",
                         golden_text(file, path_of(c, "params.lift")));
    if (golden_has(file, path_of(c, "params.degree")))
        snprintf(text + used, sizeof text - (size_t)used, ":%d", (int)number(file, c, "params.degree"));
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

/* A model of the scaled rows Z with these coefficients. */
static volt_model *model_of(golden *file, int c, volt_view Z, golden_array A)
{
    volt_kernel *kernel = kernel_of(file, c);
    volt_fit_options options = volt_fit_options_default();
    volt_model *model = NULL;
    options.alpha = 1;
    options.scale = 0;
    check_ok(
        volt_model_fit(kernel, Z, volt_view_of(A.data, A.rows, A.cols), &options, (volt_matrix){0}, &model));
    memcpy(model->coefficients, A.data, (size_t)A.count * sizeof(double));
    memset(model->intercepts, 0, (size_t)A.cols * sizeof(double));
    volt_kernel_free(kernel);
    return model;
}

static void check_kernels(const char *name)
{
    golden *file = golden_load(name);
    for (int c = 0; c < 2; c++) {
        golden_array X = array(file, c, "inputs.X"), A = array(file, c, "inputs.coefficients"),
                     shift = array(file, c, "inputs.input_shift"),
                     about = array(file, c, "inputs.expand_about");
        double scale = number(file, c, "inputs.input_scale"), *Z = new_matrix(X.rows, X.cols);
        for (int64_t i = 0; i < X.count; i++)
            Z[i] = scale * (X.data[i] - shift.data[i % X.cols]);
        volt_model *model = model_of(file, c, volt_view_of(Z, X.rows, X.cols), A);
        memcpy(model->input.shift, shift.data, (size_t)X.cols * sizeof(double));
        model->input.scale = scale;
        for (int64_t k = 0; k < A.cols; k++) {
            model->intercepts[k] = array(file, c, "inputs.intercepts").data[k];
            model->target_mean[k] = array(file, c, "inputs.target_mean").data[k];
            model->target_scale[k] = array(file, c, "inputs.target_scale").data[k];
        }
        volt_explain_options options = volt_explain_options_default();
        options.lags = (int64_t)number(file, c, "params.lags");
        options.about = VOLT_ABOUT_POINT;
        options.point = about.data;
        options.band = 0;
        volt_explanation *e = NULL;
        check_ok(volt_model_explain(model, &options, &e));
        golden_array g0 = array(file, c, "expected.g0"), g1 = array(file, c, "expected.g1"),
                     g2 = array(file, c, "expected.g2");
        double tol = golden_number(file, "tol");
        golden_check("g0", g0.data, e->g0, g0.count, tol, GOLDEN_MAX_NORM);
        golden_check("g1", g1.data, e->kernels[0], g1.count, tol, GOLDEN_MAX_NORM);
        golden_check("g2", g2.data, e->kernels[1], g2.count, tol, GOLDEN_MAX_NORM);
        volt_explanation_free(e);
        volt_model_free(model);
        free(Z);
    }
    golden_free(file);
}

static void golden_volterra_kernels(void **state)
{
    static const char *const names[] = {"m2_taylor_geometric", "m2_taylor_even", "m2_taylor_exponential",
                                        "m2_taylor_poly",      "m2_taylor_rbf",  "m2_taylor_fading",
                                        "m2_taylor_memory"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_kernels(names[i]);
}

static void golden_orders(void **state)
{
    enum { PARTS = 4 };
    static const char *const names[PARTS] = {"expected.order0", "expected.order1", "expected.order2",
                                             "expected.higher"};
    golden *file = golden_load("m2_orders");
    for (int c = 0; c < golden_length(file, "cases"); c++) {
        golden_array Z = array(file, c, "inputs.Z"), A = array(file, c, "inputs.coefficients"),
                     test = array(file, c, "inputs.test");
        volt_model *model = model_of(file, c, volt_view_of(Z.data, Z.rows, Z.cols), A);
        volt_explain_options options = volt_explain_options_default();
        options.about = VOLT_ABOUT_ZERO;
        double *parts = new_matrix(test.rows, PARTS);
        check_ok(volt_model_orders(model, volt_view_of(test.data, test.rows, test.cols), &options,
                                   volt_matrix_of(parts, test.rows, PARTS)));
        golden_array total = array(file, c, "expected.total");
        double largest = 0;
        for (int64_t i = 0; i < total.count; i++)
            largest = total.data[i] * total.data[i] > largest * largest ? total.data[i] : largest;
        for (int p = 0; p < PARTS; p++) {
            golden_array wanted = array(file, c, names[p]);
            for (int64_t i = 0; i < wanted.count; i++) {
                double error = parts[i * PARTS + p] - wanted.data[i],
                       most = golden_number(file, "tol") * largest;
                if (!(error * error <= most * most))
                    fail_msg("case %d, %s, row %d: %.17g, expected %.17g", c, names[p], (int)i,
                             parts[i * PARTS + p], wanted.data[i]);
            }
        }
        free(parts);
        volt_model_free(model);
    }
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_volterra_kernels),
                                       cmocka_unit_test(golden_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
