/* tests/reference/test_volterra_ridge.c: training, forecast and closed loop on Lorenz data against figures
 * of the authors' class, recomputed in 128-bit arithmetic.
 *
 * The authors' constant alpha0 is reg times the mean of the coefficients, not an unpenalised intercept. The
 * library does not support it, so the test fits without intercept and adds alpha0: to a forecast, and in the
 * closed loop to each output before it is fed back. */
#include "support/check.h"
#include "support/golden.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"
#include "volterra/model.h"

enum { MAX_OUTPUTS = 8 };

typedef struct trained {
    golden *file;
    volt_kernel *kernel;
    volt_model *model;
    volt_model_info info;
    double alpha0[MAX_OUTPUTS];
} trained;

static volt_view view_of(golden_array array)
{
    return volt_view_of(array.data, array.rows, array.cols);
}

static trained train(const char *name)
{
    trained t = {.file = golden_load(name)};
    char text[128], tau[VOLT_NUMBER_LENGTH], lambda[VOLT_NUMBER_LENGTH];
    snprintf(text, sizeof text, "volterra:tau_coef=%s,lambda_coef=%s",
             volt_format_number(golden_number(t.file, "params.tau_coef"), tau),
             volt_format_number(golden_number(t.file, "params.ld_coef"), lambda));
    t.kernel = plain_parse(text);

    volt_fit_options options = volt_fit_options_default();
    options.alpha = golden_number(t.file, "params.reg");
    options.washout = (int64_t)golden_number(t.file, "params.washout");
    options.intercept = 0;
    options.scale = 0; /* the inputs of the file are scaled */
    options.feedback = 1;
    check_ok(volt_model_fit(t.kernel, view_of(golden_array_of(t.file, "inputs.train_input")),
                            view_of(golden_array_of(t.file, "inputs.train_teacher")), &options,
                            volt_matrix_of(NULL, 0, 0), &t.model));
    t.info.struct_size = sizeof t.info;
    volt_model_get_info(t.model, &t.info);
    assert_true(t.info.q <= MAX_OUTPUTS);
    for (int64_t i = t.info.washout; i < t.info.n; i++)
        for (int64_t k = 0; k < t.info.q; k++)
            t.alpha0[k] +=
                options.alpha * t.info.coefficients[i * t.info.q + k] / (double)(t.info.n - t.info.washout);
    return t;
}

static void finish(trained *t)
{
    volt_model_free(t->model);
    volt_kernel_free(t->kernel);
    golden_free(t->file);
}

static void check_field(const trained *t, const char *field, const double *actual)
{
    char path[64];
    snprintf(path, sizeof path, "expected.%s", field);
    golden_array expected = golden_array_of(t->file, path);
    golden_check(field, expected.data, actual, expected.count, golden_tol(t->file, field), GOLDEN_MAX_NORM);
}

static void check_kernel(const trained *t)
{
    golden_check_number("tau", golden_number(t->file, "expected.tau"), t->info.facts->tau,
                        golden_tol(t->file, "tau"), GOLDEN_RELATIVE);
    golden_check_number("ld", golden_number(t->file, "expected.ld"), t->info.facts->lambda,
                        golden_tol(t->file, "ld"), GOLDEN_RELATIVE);

    int64_t n = t->info.n;
    double *K = new_matrix(n, n);
    check_ok(volt_gram(t->kernel, view_of(golden_array_of(t->file, "inputs.train_input")),
                       volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, n, n)));
    check_field(t, "gram_train_last_row", K + (n - 1) * n);
    free(K);
}

/* `notes` of the files: alpha0 to an absolute tolerance times max |teacher|. */
static void check_readout(const trained *t)
{
    for (int64_t i = 0; i < t->info.washout * t->info.q; i++)
        assert_true(t->info.coefficients[i] == 0);
    golden_array alpha = golden_array_of(t->file, "expected.alpha_quad");
    assert_int_equal(alpha.rows, t->info.n - t->info.washout);
    check_field(t, "alpha_quad", t->info.coefficients + t->info.washout * t->info.q);

    golden_array teacher = golden_array_of(t->file, "inputs.train_teacher");
    golden_array alpha0 = golden_array_of(t->file, "expected.alpha0_quad");
    double size = 0;
    for (int64_t i = 0; i < teacher.count; i++)
        size = fmax(size, fabs(teacher.data[i]));
    golden_check("alpha0_quad", alpha0.data, t->alpha0, t->info.q, golden_tol(t->file, "alpha0_quad") * size,
                 GOLDEN_ABSOLUTE);
}

/* The authors take inputs beyond M as they are. */
static void check_forecast(const trained *t)
{
    golden_array inputs = golden_array_of(t->file, "inputs.test_input");
    int64_t q = t->info.q;
    double *forecast = new_matrix(inputs.rows, q);
    volt_predict_options options = volt_predict_options_default();
    options.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_model_predict(t->model, view_of(inputs), &options, volt_matrix_of(forecast, inputs.rows, q),
                                NULL));
    for (int64_t i = 0; i < inputs.rows; i++)
        for (int64_t k = 0; k < q; k++)
            forecast[i * q + k] += t->alpha0[k];
    check_field(t, "forecast_quad", forecast);
    free(forecast);
}

static void check_closed_loop(const trained *t)
{
    golden_array expected = golden_array_of(t->file, "expected.path_continue_quad");
    golden_array latest = golden_array_of(t->file, "inputs.latest_input");
    int64_t q = t->info.q;
    double *path = new_matrix(expected.rows, q);
    volt_predict_options options = volt_predict_options_default();
    options.beyond = VOLT_BEYOND_ALLOW;
    volt_live *stream = NULL;
    check_ok(volt_live_create(t->model, as_live(&options), &stream));
    const double *input = latest.data;
    for (int64_t i = 0; i < expected.rows; i++) {
        double *output = path + i * q;
        check_ok(volt_live_feed(stream, input, output));
        for (int64_t k = 0; k < q; k++)
            output[k] += t->alpha0[k];
        input = output;
    }
    check_field(t, "path_continue_quad", path);
    volt_live_free(stream);
    free(path);
}

static void check_case(const char *name)
{
    trained t = train(name);
    check_kernel(&t);
    check_readout(&t);
    check_forecast(&t);
    check_closed_loop(&t);
    finish(&t);
}

static void small_regularisation_long_memory(void **state)
{
    check_case("volterra_ridge_c0");
}

static void large_regularisation_short_memory(void **state)
{
    check_case("volterra_ridge_c1");
}

/* volt_model_continue starts from the last training target: without alpha0 it is the loop written by hand. */
static void closed_loop_starts_from_the_last_target(void **state)
{
    trained t = train("volterra_ridge_c0");
    golden_array latest = golden_array_of(t.file, "inputs.latest_input");
    enum { STEPS = 50 };
    double path[STEPS * 3], output[3], input[3];
    check_ok(
        volt_model_continue(t.model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(path, STEPS, 3), NULL));
    volt_live *stream = NULL;
    check_ok(volt_live_create(t.model, NULL, &stream));
    memcpy(input, latest.data, sizeof input);
    for (int i = 0; i < STEPS; i++) {
        check_ok(volt_live_feed(stream, input, output));
        assert_memory_equal(output, path + 3 * i, sizeof output);
        memcpy(input, output, sizeof input);
    }
    volt_live_free(stream);
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_regularisation_long_memory),
        cmocka_unit_test(large_regularisation_short_memory),
        cmocka_unit_test(closed_loop_starts_from_the_last_target),
    };
    return cmocka_run_group_tests_name("volterra_ridge", tests, NULL, NULL);
}
