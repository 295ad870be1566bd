/* tests/unit/predict/test_closed_loop.c: noisy closed-loop paths, and models without an initial state. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 90, D = 3, STEPS = 20, PATHS = 5 };

static volt_model *fit_series(const double *series, bool has_last)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    double *Y = new_matrix(N - 1, D);
    memcpy(Y, series + D, (size_t)((N - 1) * D) * sizeof *Y);
    if (!has_last)
        Y[(N - 2) * D + 1] = NAN;
    options.alpha = 1e-3;
    options.ahead = 1;
    options.feedback = 1;
    options.missing_targets = 1;
    check_ok(volt_kernel_parse("volterra:tau_coef=0.3,lambda_coef=0.3", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(series, N - 1, D), volt_view_of(Y, N - 1, D), &options,
                            (volt_matrix){0}, &model));
    volt_kernel_free(kernel);
    free(Y);
    return model;
}

/* Reference: a stream fed with its forecast plus an error from the list. */
static void paths_follow_documented_draws(void **state)
{
    double *series = lorenz_rows(N, 0.05), out[PATHS * STEPS * D], few[2 * STEPS * D];
    volt_model *model = fit_series(series, true);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    check_ok(volt_model_continue(
        model, (volt_view){0},
        &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = PATHS, .seed = 7},
        volt_matrix_of(out, PATHS * STEPS, D), NULL));
    check_ok(volt_model_continue(
        model, (volt_view){0},
        &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = 2, .seed = 7},
        volt_matrix_of(few, 2 * STEPS, D), NULL));
    assert_memory_equal(out, few, sizeof few); /* path p does not depend on the number of paths */
    double *errors = new_matrix(N - 1, D);
    assert_int_equal(volt_model_errors_read(model, volt_matrix_of(errors, N - 1, D)), N - 1);
    int64_t follow = 0, leap = 0;
    bool used[N] = {false};
    for (int p = 0; p < PATHS; p++) {
        volt_live *stream = NULL;
        double y[D];
        int64_t last = -1;
        check_ok(volt_live_create(model, NULL, &stream));
        check_ok(volt_live_feed(stream, series + (N - 1) * D, y));
        for (int i = 0; i < STEPS; i++) {
            const double *now = out + (p * STEPS + i) * D;
            int64_t drawn = -1; /* the same row for all outputs; row 0 has no earlier row */
            for (int64_t t = 1; t < N - 1 && drawn < 0; t++) {
                drawn = t;
                for (int k = 0; k < D; k++)
                    if (!(fabs(now[k] - y[k] - errors[t * D + k]) <= 1e-9 * (1 + fabs(y[k]))))
                        drawn = -1;
            }
            assert_true(drawn > 0);
            follow += last > 0 && drawn == (last == N - 2 ? 1 : last + 1);
            leap += last > 0 && drawn != (last == N - 2 ? 1 : last + 1);
            used[drawn] = true;
            last = drawn;
            check_ok(volt_live_feed(stream, now, y));
        }
        volt_live_free(stream);
    }
    int64_t kinds = 0;
    for (int64_t t = 0; t < N; t++)
        kinds += used[t];
    /* Of 95 steps, 9 in 10 use the row after the previous one, within 3 standard deviations. Paths start
     * anywhere. */
    assert_true(follow >= 70 && leap >= 2 && follow + leap == PATHS * (STEPS - 1) && kinds > 40);
    free(errors);
    volt_model_free(model);
    free(series);
}

/* Only these rows have errors: 0.001, 0.002, ... of the scaled targets, in every output. */
static void mark_errors(volt_model *model, const int64_t *rows, int64_t n)
{
    volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    memset(near->scale, 0, (size_t)(near->rows * D) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < D; k++) {
            near->scale[rows[i] * D + k] = 1;
            near->e[rows[i] * D + k] = 1e-3 * (double)(i + 1);
        }
}

/* Noise comes from rows with an error in every output, in time order, wrapping around at the end. */
static void noise_is_drawn_from_whole_rows(void **state)
{
    enum { LONG = 200 };
    static const int64_t rows[] = {3, 40, 41, 70};
    double *series = lorenz_rows(N, 0.05), out[LONG * D];
    volt_model *model = fit_series(series, true);
    mark_errors(model, rows, 4);
    volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    near->scale[50 * D + 1] = near->scale[50 * D + 2] = 1; /* rows with an error in only some outputs */
    near->scale[60 * D] = near->scale[60 * D + 1] = 1;
    for (int k = 0; k < D; k++)
        near->e[50 * D + k] = near->e[60 * D + k] = 0.5;
    volt_predict_options noisy = volt_predict_options_default();
    noisy.paths = 1;
    noisy.seed = 11;
    check_ok(volt_model_continue(model, (volt_view){0}, &noisy, volt_matrix_of(out, LONG, D), NULL));
    volt_live *stream = NULL;
    double y[D];
    int64_t last = -1, counts[4] = {0}, follow[4] = {0}, leap = 0;
    check_ok(volt_live_create(model, NULL, &stream));
    check_ok(volt_live_feed(stream, series + (N - 1) * D, y));
    for (int i = 0; i < LONG; i++) {
        double noise = (out[i * D] - y[0]) / model->target_scale[0] / 1e-3;
        int64_t drawn = (int64_t)lround(noise) - 1;
        assert_true(drawn >= 0 && drawn < 4 && fabs(noise - (double)(drawn + 1)) < 1e-6);
        counts[drawn]++;
        if (last >= 0 && drawn == (last + 1) % 4)
            follow[last]++;
        else
            leap += last >= 0;
        last = drawn;
        check_ok(volt_live_feed(stream, out + i * D, y));
    }
    /* With probability 9/10 a row is followed by the next (the last by the first), otherwise by a random
     * row. */
    for (int r = 0; r < 4; r++)
        assert_true(counts[r] >= 30 && follow[r] >= 25);
    assert_true(leap >= 3 && leap <= 35);
    volt_live_free(stream);
    volt_model_free(model);
    free(series);
}

/* Rows outside the ball are counted once each: known rows and rows of every path. */
static void rows_outside_the_ball_are_counted_once(void **state)
{
    static const int64_t rows[] = {5};
    double *series = lorenz_rows(N, 0.05), out[2 * STEPS * D], known[3 * D];
    volt_model *model = fit_series(series, true);
    mark_errors(model, rows, 1);
    for (int k = 0; k < D; k++)
        model->errors.lists[VOLT_ERRORS_NEAR].e[5 * D + k] = 0;
    for (int i = 0; i < 3; i++) /* two of three are far outside */
        for (int k = 0; k < D; k++)
            known[i * D + k] = i == 0 ? series[(N - 1) * D + k] : 1e3;
    volt_view X = volt_view_of(known, 3, D);
    int64_t path = -1, two = -1, first = -1;
    check_ok(volt_model_continue(model, X, NULL, volt_matrix_of(out, 1, D), &first));
    check_ok(volt_model_continue(model, X, NULL, volt_matrix_of(out, STEPS, D), &path));
    assert_int_equal(first, 2);
    assert_true(path >= first);
    volt_predict_options noisy = volt_predict_options_default();
    noisy.paths = 2;
    check_ok(volt_model_continue(model, X, &noisy, volt_matrix_of(out, 2 * STEPS, D), &two));
    assert_int_equal(two, first + 2 * (path - first)); /* without noise all paths are equal */
    volt_model_free(model);
    free(series);
}

/* With a reset state and no rows, the path still starts with the last training target, from a zero initial
 * state. */
static void reset_path_starts_from_last_target(void **state)
{
    double *series = lorenz_rows(N, 0.05), out[STEPS * D], y[D];
    volt_model *model = fit_series(series, true);
    volt_predict_options reset = volt_predict_options_default();
    reset.start = VOLT_START_RESET;
    check_ok(volt_model_continue(model, (volt_view){0}, &reset, volt_matrix_of(out, STEPS, D), NULL));
    volt_live *stream = NULL;
    check_ok(volt_live_create(model, as_live(&reset), &stream));
    check_ok(volt_live_feed(stream, series + (N - 1) * D, y));
    for (int i = 0; i < STEPS; i++) {
        assert_memory_equal(out + i * D, y, sizeof y);
        check_ok(volt_live_feed(stream, out + i * D, y));
    }
    volt_live_free(stream);
    volt_model_free(model);
    free(series);
}

/* Rows after training are processed first. */
static void paths_after_new_rows(void **state)
{
    double *series = lorenz_rows(N + 4, 0.05), mean[D], out[STEPS * D];
    volt_model *model = fit_series(series, true);
    volt_view X = volt_view_of(series + (N - 1) * D, 5, D);
    int64_t beyond = -1;
    check_ok(volt_model_continue(model, X, NULL, volt_matrix_of(mean, 1, D), NULL));
    check_ok(volt_model_continue(
        model, X, &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = 1, .seed = 0},
        volt_matrix_of(out, STEPS, D), &beyond));
    assert_true(beyond >= 0);
    double *errors = new_matrix(N - 1, D);
    volt_model_errors_read(model, volt_matrix_of(errors, N - 1, D));
    double widest = 0;
    for (int64_t t = 1; t < N - 1; t++)
        widest = fmax(widest, fabs(errors[t * D]));
    assert_true(out[0] != mean[0] && fabs(out[0] - mean[0]) <= widest);
    free(errors);
    volt_model_free(model);
    free(series);
}

static void missing_last_target_is_rejected(void **state)
{
    double *series = lorenz_rows(N, 0.05), out[STEPS * D], again[STEPS * D];
    volt_model *model = fit_series(series, false), *read = NULL;
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, STEPS, D), NULL),
                VOLT_ERR_ARGUMENT, "target");
    check_fails(volt_model_continue(
                    model, (volt_view){0},
                    &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = 1, .seed = 0},
                    volt_matrix_of(out, STEPS, D), NULL),
                VOLT_ERR_ARGUMENT, "target");
    const char *path = scratch_path("no_last.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &read));
    check_fails(volt_model_continue(read, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, STEPS, D), NULL),
                VOLT_ERR_ARGUMENT, "target");
    /* The row whose target was missing may be given now: it follows the last training input. */
    volt_view X = volt_view_of(series + (N - 1) * D, 1, D);
    check_ok(volt_model_continue(model, X, NULL, volt_matrix_of(out, STEPS, D), NULL));
    check_ok(volt_model_continue(read, X, NULL, volt_matrix_of(again, STEPS, D), NULL));
    assert_memory_equal(out, again, sizeof out);
    volt_live *stream = NULL;
    double y[D];
    check_ok(volt_live_create(model, NULL, &stream));
    check_ok(volt_live_feed(stream, X.data, y));
    assert_memory_equal(out, y, sizeof y);
    volt_live_free(stream);
    volt_model_free(read);
    volt_model_free(model);
    free(series);
}

static void invalid_arguments_are_rejected(void **state)
{
    double *series = lorenz_rows(N, 0.05), out[STEPS * D] = {0};
    volt_model *model = fit_series(series, true);
    check_fails(volt_model_continue(model, (volt_view){0},
                                    &(volt_predict_options){
                                        .struct_size = sizeof(volt_predict_options), .paths = -1, .seed = 0},
                                    volt_matrix_of(out, STEPS, D), NULL),
                VOLT_ERR_ARGUMENT, "-1 paths");
    check_fails(volt_model_continue(
                    model, (volt_view){0},
                    &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = 3, .seed = 0},
                    volt_matrix_of(out, STEPS, D), NULL),
                VOLT_ERR_ARGUMENT, "rows 20");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_model_continue(
            model, (volt_view){0},
            &(volt_predict_options){.struct_size = sizeof(volt_predict_options), .paths = 2, .seed = 0},
            volt_matrix_of(out, STEPS, D), NULL);
        failing_alloc_check(status);
        assert_true(status == VOLT_OK || out[0] == 0);
    }
    volt_model_free(model);
    free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_follow_documented_draws),
        cmocka_unit_test(noise_is_drawn_from_whole_rows),
        cmocka_unit_test(rows_outside_the_ball_are_counted_once),
        cmocka_unit_test(reset_path_starts_from_last_target),
        cmocka_unit_test(paths_after_new_rows),
        cmocka_unit_test(missing_last_target_is_rejected),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests_name("closed_loop", tests, NULL, NULL);
}
