/* tests/reference/test_feedback_golden.c: models with output feedback: free runs after training and after a
 * warm-up, and one-step-ahead predictions, which equal the fitted values on the training rows. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/model.h"

typedef struct fitted_case {
    golden *file;
    golden_array x, y;
    int64_t train;
    volt_kernel *kernel;
    volt_model *model;
} fitted_case;

static volt_view rows_of(golden_array array, int64_t first, int64_t count)
{
    return volt_view_rows(volt_view_of(array.data, array.rows, array.cols > 0 ? array.cols : 1), first, count);
}

static void fit_case(fitted_case *c, volt_matrix fitted)
{
    c->file = golden_load("m2_feedback");
    c->x = golden_array_of(c->file, "x");
    c->y = golden_array_of(c->file, "y");
    c->train = (int64_t)golden_number(c->file, "train_rows");
    volt_fit_options options = volt_fit_options_default();
    options.alpha = golden_number(c->file, "alpha");
    options.feedback_weight = golden_number(c->file, "feedback_weight");
    options.scale = 0;
    check_ok(volt_kernel_parse(golden_text(c->file, "kernel"), &c->kernel));
    check_ok(volt_model_fit(c->kernel, rows_of(c->x, 0, c->train), rows_of(c->y, 0, c->train), &options, fitted,
                            &c->model));
}

static void release_case(fitted_case *c)
{
    volt_model_free(c->model);
    volt_kernel_free(c->kernel);
    golden_free(c->file);
}

static void check_run(const fitted_case *c, const char *name, const volt_predict_options *options)
{
    golden_array wanted = golden_array_of(c->file, name);
    double *out = new_matrix(wanted.count, 1);
    check_ok(volt_model_predict(c->model, rows_of(c->x, c->train, wanted.count), options,
                                volt_matrix_of(out, wanted.count, 1), NULL));
    golden_check(name, wanted.data, out, wanted.count, golden_number(c->file, "rtol"), GOLDEN_MAX_NORM);
    free(out);
}

static void golden_free_runs(void **state)
{
    fitted_case c = {0};
    fit_case(&c, (volt_matrix){0});
    volt_predict_options options = volt_predict_options_default();
    check_run(&c, "simulated_continue", &options);
    options.start = VOLT_START_RESET;
    options.known = rows_of(c.y, c.train, golden_array_of(c.file, "simulated_reset_after_warm_up").count);
    options.warm_up = (int64_t)golden_number(c.file, "warm_up");
    check_run(&c, "simulated_reset_after_warm_up", &options);
    release_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(golden_free_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
