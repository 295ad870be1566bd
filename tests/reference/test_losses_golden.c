/* tests/reference/test_losses_golden.c: fits with every loss compared with the minima of another solver. */
#include "base/numbers.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/model.h"

/* The text of the loss of a file. */
static void loss_text(golden *file, char *text, size_t size)
{
    const char *name = golden_text(file, "params.loss");
    if (strcmp(name, "quantiles") == 0) {
        golden_array q = golden_array_of(file, "params.q");
        int used = snprintf(text, size, "quantile:q=");
        for (int64_t j = 0; j < q.count; j++)
            used += snprintf(text + used, size - (size_t)used, "%s%g", j ? "/" : "", q.data[j]);
        return;
    }
    snprintf(text, size, "%s", name);
    static const char *const parameters[] = {"q", "delta", "epsilon"};
    for (int p = 0; p < 3; p++) {
        char path[32];
        snprintf(path, sizeof path, "params.%s", parameters[p]);
        if (golden_has(file, path))
            snprintf(text, size, "%s:%s=%g", name, parameters[p], golden_number(file, path));
    }
}

/* From what the model forecasts back to u, as the file has it: one column of two classes, a sum of 0 of
 * more. */
static int64_t unlinked(const char *loss, double *out, int64_t rows, int64_t cols)
{
    bool two = strcmp(loss, "logistic") == 0, many = strcmp(loss, "multinomial") == 0;
    for (int64_t i = 0; i < rows; i++) {
        double *row = out + i * cols, mean = 0;
        if (strcmp(loss, "poisson") == 0)
            row[0] = log(row[0]);
        for (int64_t k = 0; many && k < cols; k++)
            mean += log(row[k]) / (double)cols;
        for (int64_t k = 0; many && k < cols; k++)
            row[k] = log(row[k]) - mean;
        if (two)
            out[i] = log(row[1] / row[0]);
    }
    return two ? 1 : cols;
}

/* The file's levels of new rows may cross; the library's never do. */
static void sort_rows(double *data, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++)
        volt_sort(data + i * cols, cols);
}

/* The largest K(z, z) of the rows. */
static double largest_diagonal(const volt_kernel *kernel, volt_view Z)
{
    double *K = new_matrix(Z.rows, Z.rows), largest = 0;
    check_ok(volt_gram(kernel, Z, Z, NULL, volt_matrix_of(K, Z.rows, Z.rows)));
    for (int64_t i = 0; i < Z.rows; i++)
        largest = fmax(largest, K[i * Z.rows + i]);
    free(K);
    return largest;
}

/* Fit, and compare with expected.E of the file. */
static void compare(golden *file, int e, double tolerance, bool forecasts)
{
    char text[64], kernel_text[96], path[32];
    golden_array Z = golden_array_of(file, "inputs.Z"), y = golden_array_of(file, "inputs.y");
    snprintf(path, sizeof path, "expected.%d.fitted", e);
    golden_array fitted = golden_array_of(file, path);
    snprintf(path, sizeof path, "expected.%d.forecast", e);
    golden_array forecast = golden_array_of(file, path);
    loss_text(file, text, sizeof text);
    int64_t n = (int64_t)golden_number(file, "inputs.rows_train"), later = Z.rows - n, outputs = fitted.cols;
    const char *loss = golden_text(file, "params.loss");
    if (strcmp(loss, "logistic") == 0)
        outputs = 2;
    snprintf(kernel_text, sizeof kernel_text, "volterra:tau=%.17g,lambda=%.17g",
             golden_number(file, "params.tau"), golden_number(file, "params.lambda"));
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = golden_number(file, "params.alpha");
    options.scale = 0;
    options.loss = text;
    options.tolerance = tolerance;
    options.intercept = e == 0;
    double *made = new_matrix(n, outputs), *out = new_matrix(later, outputs);
    check_ok(volt_kernel_parse(kernel_text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(Z.data, n, Z.cols), volt_view_of(y.data, n, 1), &options,
                            volt_matrix_of(made, n, outputs), &model));
    volt_model_get_info(model, &info);
    assert_string_equal(info.loss, text);
    snprintf(path, sizeof path, "expected.%d.objective", e);
    double least = golden_number(file, path);
    print_message("# %s %s: objective %.12g, gap %.3g of it\n", text, e ? "plain" : "intercept", info.objective,
                  info.duality_gap / fabs(info.objective));
    assert_true(info.duality_gap >= 0 && info.duality_gap <= tolerance * fabs(info.objective));
    assert_true(info.objective - least <= info.duality_gap + golden_tol(file, "objective") * fabs(least));
    assert_true(least - info.objective <= golden_tol(file, "objective") * fabs(least));
    volt_predict_options how = volt_predict_options_default();
    how.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_model_predict(model, volt_view_of(Z.data + n * Z.cols, later, Z.cols), &how,
                                volt_matrix_of(out, later, outputs), NULL));
    snprintf(path, sizeof path, "expected.%d.tol_forecast", e);
    double tol = golden_number(file, path), size = 0;
    /* strong convexity: |f(z) - f*(z)| <= sqrt(2 gap K(z, z) / alpha) */
    double bound = sqrt(2 * info.duality_gap * largest_diagonal(kernel, volt_view_of(Z.data, Z.rows, Z.cols)) /
                        options.alpha);
    for (int64_t i = 0; i < fitted.count; i++)
        size = fmax(size, fabs(fitted.data[i]));
    tol = fmax(tol, bound / size);
    assert_true(tol < 1e-4 || !forecasts);
    if (forecasts) {
        if (strcmp(loss, "quantiles") == 0)
            sort_rows(forecast.data, later, outputs);
        unlinked(loss, made, n, outputs);
        unlinked(loss, out, later, outputs);
        golden_check("fitted", fitted.data, made, fitted.count, tol, GOLDEN_MAX_NORM);
        golden_check("forecast", forecast.data, out, forecast.count, tol, GOLDEN_MAX_NORM);
    }
    free(made);
    free(out);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static const char *const files[] = {
    "m2_loss_huber",   "m2_loss_quantile_10", "m2_loss_quantile_50", "m2_loss_quantile_90", "m2_loss_quantiles",
    "m2_loss_epsilon", "m2_loss_expectile",   "m2_loss_logistic",    "m2_loss_multinomial", "m2_loss_poisson"};

static void run_all(double tolerance, bool forecasts)
{
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        golden *file = golden_load(files[f]);
        assert_int_equal(golden_length(file, "expected"), 2);
        for (int e = 0; e < 2; e++)
            compare(file, e, tolerance, forecasts);
        golden_free(file);
    }
}

static void objectives_lie_within_the_gap(void **state)
{
    run_all(1e-3, false);
    run_all(1e-6, false);
}

static void forecasts_agree_where_the_gap_is_closed(void **state)
{
    run_all(1e-12, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objectives_lie_within_the_gap),
        cmocka_unit_test(forecasts_agree_where_the_gap_is_closed),
    };
    return cmocka_run_group_tests_name("losses_golden", tests, NULL, NULL);
}
