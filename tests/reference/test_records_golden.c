/* tests/reference/test_records_golden.c: a fit on three records, whose Gram matrix was filled pair by pair. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { MOST = 16 };

/* All rows of the records at `path`, one after the other, and their lengths. */
static volt_view joined(golden *file, const char *path, int64_t lengths[MOST], int64_t *n)
{
    int64_t rows = 0, cols = 0, at = 0;
    char name[64];
    *n = golden_length(file, path);
    assert_true(*n > 1 && *n <= MOST);
    for (int64_t r = 0; r < *n; r++) {
        snprintf(name, sizeof name, "%s.%d", path, (int)r);
        golden_array record = golden_array_of(file, name);
        rows += lengths[r] = record.rows;
        cols = record.cols;
    }
    double *all = new_matrix(rows, cols);
    for (int64_t r = 0; r < *n; r++) {
        snprintf(name, sizeof name, "%s.%d", path, (int)r);
        golden_array record = golden_array_of(file, name);
        memcpy(all + at * cols, record.data, (size_t)record.count * sizeof(double));
        at += record.rows;
    }
    return volt_view_of(all, rows, cols);
}

static void both_starts(void **state)
{
    golden *file = golden_load("m2_records");
    int64_t lengths[MOST], n = 0;
    volt_view X = joined(file, "records", lengths, &n), Y = joined(file, "targets", lengths, &n);
    golden_array H = golden_array_of(file, "H");
    golden_array wanted[] = {golden_array_of(file, "forecast_continue"),
                             golden_array_of(file, "forecast_reset")};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = golden_number(file, "alpha");
    options.scale = 0;
    options.records = lengths;
    options.n_records = n;
    check_ok(volt_kernel_parse(golden_text(file, "kernel"), &kernel));
    check_ok(volt_model_fit(kernel, X, Y, &options, (volt_matrix){0}, &model));
    double *out = new_matrix(H.rows, Y.cols);
    for (int start = VOLT_START_CONTINUE; start <= VOLT_START_RESET; start++) {
        volt_predict_options how = volt_predict_options_default();
        how.start = (volt_start)start;
        how.beyond = VOLT_BEYOND_ALLOW;
        check_ok(volt_model_predict(model, volt_view_of(H.data, H.rows, H.cols), &how,
                                    volt_matrix_of(out, H.rows, Y.cols), NULL));
        golden_check(start ? "reset" : "continue", wanted[start].data, out, wanted[start].count,
                     golden_number(file, "rtol"), GOLDEN_MAX_NORM);
    }
    free(out);
    free((double *)X.data);
    free((double *)Y.data);
    volt_model_free(model);
    volt_kernel_free(kernel);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_starts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
