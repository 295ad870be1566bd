/* tests/reference/test_metrics.c: the metrics against SciPy and scikit-learn. */
#include "support/check.h"
#include "support/golden.h"
#include "volterra/stats.h"

static volt_view view_of(golden_array array)
{
    return volt_view_of(array.data, array.rows, array.cols);
}

static void all_outputs_equal_the_golden_file(void **state)
{
    golden *file = golden_load("metrics");
    volt_metrics metrics = {.struct_size = sizeof metrics};
    check_ok(volt_metrics_compute(view_of(golden_array_of(file, "inputs.y_true")),
                                  view_of(golden_array_of(file, "inputs.y_pred")), &metrics));
    const struct {
        const char *path;
        double actual;
    } fields[] = {
        {"expected.mse", metrics.mse},   {"expected.nmse", metrics.nmse},
        {"expected.r2", metrics.r2},     {"expected.mae", metrics.mae},
        {"expected.mdae", metrics.mdae}, {"expected.wasserstein_mean", metrics.w1},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        golden_check_number(fields[i].path, golden_number(file, fields[i].path), fields[i].actual,
                            golden_tol(file, fields[i].path), GOLDEN_RELATIVE);
    golden_free(file);
}

/* One column at a time, as a view into the whole matrix (its leading dimension is 5). */
static void each_output_equals_the_golden_file(void **state)
{
    golden *file = golden_load("metrics");
    volt_view truth = view_of(golden_array_of(file, "inputs.y_true"));
    volt_view forecast = view_of(golden_array_of(file, "inputs.y_pred"));
    double r2[5], mdae[5], w1[5];
    assert_int_equal(truth.cols, 5);
    for (int64_t j = 0; j < 5; j++) {
        volt_view y = {truth.data + j, truth.rows, 1, truth.ld};
        volt_view f = {forecast.data + j, forecast.rows, 1, forecast.ld};
        volt_metrics metrics = {.struct_size = sizeof metrics};
        check_ok(volt_metrics_compute(y, f, &metrics));
        r2[j] = metrics.r2;
        mdae[j] = metrics.mdae;
        w1[j] = metrics.w1;
    }
    double tol = golden_tol(file, "columns");
    golden_check("r2", golden_array_of(file, "expected.r2_columns").data, r2, 5, tol, GOLDEN_RELATIVE);
    golden_check("mdae", golden_array_of(file, "expected.mdae_columns").data, mdae, 5, tol, GOLDEN_RELATIVE);
    golden_check("w1", golden_array_of(file, "expected.wasserstein_columns").data, w1, 5, tol, GOLDEN_RELATIVE);
    golden_free(file);
}

/* All truths of column 0 against the first unequal_m of its forecasts. */
static void samples_of_unequal_length_equal_the_golden_file(void **state)
{
    golden *file = golden_load("metrics");
    golden_array truth = golden_array_of(file, "inputs.y_true");
    golden_array forecast = golden_array_of(file, "inputs.y_pred");
    int64_t n_first = truth.rows, n_second = (int64_t)golden_number(file, "params.unequal_m");
    double first[60], second[60], distance;
    assert_true(n_first <= 60 && n_second < n_first);
    for (int64_t i = 0; i < n_first; i++)
        first[i] = truth.data[i * truth.cols];
    for (int64_t i = 0; i < n_second; i++)
        second[i] = forecast.data[i * forecast.cols];

    const char *path = "expected.wasserstein_unequal_sizes_col0";
    check_ok(volt_wasserstein(first, n_first, second, n_second, &distance));
    golden_check_number(path, golden_number(file, path), distance, golden_tol(file, path), GOLDEN_RELATIVE);
    check_ok(volt_wasserstein(second, n_second, first, n_first, &distance));
    golden_check_number(path, golden_number(file, path), distance, golden_tol(file, path), GOLDEN_RELATIVE);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_outputs_equal_the_golden_file),
        cmocka_unit_test(each_output_equals_the_golden_file),
        cmocka_unit_test(samples_of_unequal_length_equal_the_golden_file),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
