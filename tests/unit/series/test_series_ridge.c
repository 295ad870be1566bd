/* tests/unit/series/test_series_ridge.c: series regression compared with plain fits on the Gram matrix. */
#include "series/gram/objects_internal.h"
#include "support/check.h"
#include "support/series_classes.h"
#include "volterra.h"

enum { Q = 2 };

/* Two targets of each series: its last value with an offset that costs digits unless it is removed, and a
 * mean. */
static void make_targets(const waves *made, double *Y)
{
    for (int i = 0; i < N; i++) {
        volt_view one = made->series[i];
        Y[i * Q] = 1e6 + one.data[(one.rows - 1) * one.ld];
        Y[i * Q + 1] = 0;
        for (int64_t t = 0; t < one.rows; t++)
            Y[i * Q + 1] += one.data[t * one.ld + 1] / (double)one.rows;
    }
}

/* options may be NULL: the defaults, with this kernel. */
static volt_status fit_numbers(const char *kernel, const volt_view *series, int64_t count, volt_view Y,
                               const volt_series_options *options, volt_series_model **model)
{
    volt_series_options own = options ? *options : volt_series_options_default();
    own.kernel = kernel;
    return volt_series_fit(series, count, NULL, 0, Y, &own, model);
}

/* Scales the Gram matrix by the mean of its diagonal; returns that mean. */
static double gram_in_units(const char *text, const waves *made, const volt_objects_options *way, double *K)
{
    volt_objects *objects = NULL;
    volt_kernel *kernel = NULL;
    double unit = 0;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_objects_create(made->series, N, way, &objects));
    check_ok(volt_objects_gram(objects, kernel, NULL, volt_matrix_of(K, N, N)));
    for (int i = 0; i < N; i++)
        unit += K[i * N + i] / N;
    for (int i = 0; i < N * N; i++)
        K[i] /= unit;
    volt_objects_free(objects);
    volt_kernel_free(kernel);
    return unit;
}

static void fit_equals_ridge_regression_on_gram_matrix(void **state)
{
    waves made;
    double K[N * N], Y[N * Q], expected[N * Q], outputs[N * Q], error = 0;
    make_waves(4401, 0.3, true, &made);
    make_targets(&made, Y);
    for (int normalise = 0; normalise < 2; normalise++) {
        volt_series_options options = volt_series_options_default();
        options.normalise = normalise;
        options.alpha = 0.05;
        volt_series_model *ridge = NULL;
        check_ok(fit_numbers("linear", made.series, N, volt_view_of(Y, N, Q), &options, &ridge));
        volt_objects_options way = volt_objects_options_default();
        way.normalise = normalise;
        double unit = gram_in_units("linear", &made, &way, K);
        assert_true(normalise ? fabs(unit - 1) < 1e-12 : fabs(unit - 1) > 0.1);
        bool without[N] = {false};
        plain_fit(K, N, Y, Q, 0.05, without, expected);
        check_ok(volt_series_model_predict(ridge, made.series, N, (volt_progress){0},
                                           volt_matrix_of(outputs, N, Q), volt_matrix_of(NULL, 0, 0), NULL));
        volt_series_info found = {.struct_size = sizeof found};
        check_ok(volt_series_model_get_info(ridge, &found));
        const double *left_out = found.left_out_outputs;
        for (int i = 0; i < N * Q;
             i++) /* the plain fit has targets of 1e6 in long double: 1e6 eps, and a condition number of 500 */
            assert_true(fabs(outputs[i] - expected[i]) < 1e-7);
        double sum[Q] = {0}, variance[Q] = {0}, mean[Q] = {0};
        for (int i = 0; i < N; i++)
            for (int k = 0; k < Q; k++)
                mean[k] += Y[i * Q + k] / N;
        for (int i = 0; i < N; i++) {
            without[i] = true;
            plain_fit(K, N, Y, Q, 0.05, without, expected);
            without[i] = false;
            for (int k = 0; k < Q; k++) {
                assert_true(fabs(left_out[i * Q + k] - expected[i * Q + k]) < 1e-7);
                sum[k] += pow(Y[i * Q + k] - expected[i * Q + k], 2);
                variance[k] += pow(Y[i * Q + k] - mean[k], 2);
            }
        }
        error = (sum[0] / variance[0] + sum[1] / variance[1]) / 2;
        volt_series_info info = {.struct_size = sizeof info};
        check_ok(volt_series_model_get_info(ridge, &info));
        assert_true(info.series == N && info.channels == CHANNELS && info.outputs == Q && info.alpha == 0.05);
        assert_string_equal(info.kernel, "linear:window=1");
        assert_true(fabs(info.left_out_error - error) < 1e-6 * error);
        volt_series_model_free(ridge);
    }
}

/* The selected alpha has the smallest leave-one-out error, and the solution is its fit. */
static void alpha_is_chosen_by_loo(void **state)
{
    waves made;
    double Y[N * Q], outputs[N], same[N];
    make_waves(4402, 0.5, false, &made);
    make_targets(&made, Y);
    for (int i = 0; i < N; i++)
        Y[i * Q + 1] = Y[i * Q] - 1e6 + sin(11.0 * i * i); /* half of it is noise */
    volt_view target = {Y + 1, N, 1, Q};
    volt_series_model *chosen = NULL, *other = NULL;
    volt_series_info info = {.struct_size = sizeof info}, given = {.struct_size = sizeof given};
    check_ok(fit_numbers("gak:sigma=4", made.series, N, target, NULL, &chosen));
    check_ok(volt_series_model_get_info(chosen, &info));
    int equal = 0;
    for (int power = -8; power <= 1; power++) {
        volt_series_options options = volt_series_options_default();
        options.alpha = pow(10, power);
        check_ok(fit_numbers("gak:sigma=4", made.series, N, target, &options, &other));
        check_ok(volt_series_model_get_info(other, &given));
        assert_true(info.left_out_error <= given.left_out_error);
        if (options.alpha == info.alpha) {
            equal++;
            check_ok(volt_series_model_predict(chosen, made.series, N, (volt_progress){0},
                                               volt_matrix_of(outputs, N, 1), volt_matrix_of(NULL, 0, 0),
                                               NULL));
            check_ok(volt_series_model_predict(other, made.series, N, (volt_progress){0},
                                               volt_matrix_of(same, N, 1), volt_matrix_of(NULL, 0, 0), NULL));
            assert_memory_equal(outputs, same, sizeof same);
        }
        volt_series_model_free(other);
    }
    assert_int_equal(equal, 1);
    assert_true(info.alpha == 0.1); /* neither the first nor the last candidate */
    volt_series_model_free(chosen);
}

/* Targets whose squares overflow or underflow have the same fit, in their unit. Powers of two scale exactly. */
static void the_unit_of_targets_is_arbitrary(void **state)
{
    static const int powers[] = {0, 1000, -900};
    waves made;
    double Y[N * Q], scaled[N * Q], first_alpha = 0, first_error = 0, first[N * Q];
    make_waves(4401, 0.3, true, &made);
    make_targets(&made, Y);
    for (int p = 0; p < 3; p++) {
        volt_series_model *ridge = NULL;
        volt_series_info info = {.struct_size = sizeof info};
        for (int i = 0; i < N * Q; i++)
            scaled[i] = ldexp(Y[i], powers[p]);
        check_ok(fit_numbers("linear", made.series, N, volt_view_of(scaled, N, Q), NULL, &ridge));
        check_ok(volt_series_model_get_info(ridge, &info));
        if (p == 0) {
            first_alpha = info.alpha;
            first_error = info.left_out_error;
            memcpy(first, info.left_out_outputs, sizeof first);
            assert_true(first_error > 0 && first_error < 1);
        }
        assert_true(info.alpha == first_alpha);
        assert_true(fabs(info.left_out_error - first_error) < 1e-12 * first_error);
        for (int i = 0; i < N * Q; i++)
            assert_true(ldexp(info.left_out_outputs[i], -powers[p]) == first[i]);
        volt_series_model_free(ridge);
    }
    for (int i = 0; i < N * Q; i++)
        scaled[i] = i % 4 < 2 ? 1.7e308 : -1.7e308;
    volt_series_model *none = NULL;
    check_fails(fit_numbers("linear", made.series, N, volt_view_of(scaled, N, Q), NULL, &none),
                VOLT_ERR_NOT_FINITE, "Y");
    assert_null(none);
}

static void invalid_arguments_are_rejected(void **state)
{
    waves made;
    double Y[N * Q], bad[N] = {NAN};
    make_waves(4403, 0.3, false, &made);
    make_targets(&made, Y);
    volt_series_model *ridge = NULL;
    volt_view targets = volt_view_of(Y, N, Q);
    volt_series_options options = volt_series_options_default();
    options.alpha = -1;
    check_fails(fit_numbers("gak", made.series, N, targets, &options, &ridge), VOLT_ERR_ARGUMENT, "alpha -1");
    options.alpha = 0;
    options.scale = 7;
    check_fails(fit_numbers("gak", made.series, N, targets, &options, &ridge), VOLT_ERR_ARGUMENT, "scale 7");
    check_fails(fit_numbers(NULL, made.series, N, targets, NULL, &ridge), VOLT_ERR_ARGUMENT, "kernel NULL");
    check_fails(fit_numbers("gak", made.series, 1, volt_view_of(Y, 1, Q), NULL, &ridge), VOLT_ERR_SHAPE,
                "at 2");
    check_fails(fit_numbers("gak", made.series, N, volt_view_of(Y, N - 1, Q), NULL, &ridge), VOLT_ERR_SHAPE,
                "Y 23 rows 24 series");
    check_fails(fit_numbers("gak", made.series, N, volt_view_of(bad, N, 1), NULL, &ridge), VOLT_ERR_NOT_FINITE,
                "Y");
    check_fails(fit_numbers("gakk", made.series, N, targets, NULL, &ridge), VOLT_ERR_KERNEL, "gak");
    check_fails(fit_numbers("rbf", made.series, N, targets, NULL, &ridge), VOLT_ERR_KERNEL, "lengths");
    check_fails(fit_numbers("gak", made.series, N, targets, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_null(ridge);
    check_ok(fit_numbers("gak", made.series, N, targets, NULL, &ridge));
    double outputs[N * Q];
    int64_t classes[2];
    check_fails(volt_series_model_predict(ridge, made.series, 2, (volt_progress){0},
                                          volt_matrix_of(outputs, 2, Q), volt_matrix_of(NULL, 0, 0), classes),
                VOLT_ERR_ARGUMENT, "numbers");
    volt_series_info unset = {0};
    check_fails(volt_series_model_get_info(ridge, &unset), VOLT_ERR_ARGUMENT, "struct_size");
    check_fails(volt_series_model_predict(ridge, made.series, 2, (volt_progress){0},
                                          volt_matrix_of(outputs, 1, Q), volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_series_model_predict(ridge, NULL, 0, (volt_progress){0}, volt_matrix_of(outputs, 1, Q),
                                          volt_matrix_of(NULL, 0, 0), NULL),
                VOLT_ERR_SHAPE, "empty");
    volt_series_model_free(ridge);
    volt_series_model_free(NULL);
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

static void fit_can_be_cancelled(void **state)
{
    waves made;
    double Y[N * Q];
    make_waves(4404, 0.3, false, &made);
    make_targets(&made, Y);
    volt_series_model *ridge = NULL;
    volt_series_options options = volt_series_options_default();
    options.progress = (volt_progress){cancel, NULL};
    check_fails(fit_numbers("gak", made.series, N, volt_view_of(Y, N, Q), &options, &ridge), VOLT_ERR_CANCELLED,
                "cancel");
    assert_null(ridge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_equals_ridge_regression_on_gram_matrix),
        cmocka_unit_test(alpha_is_chosen_by_loo),
        cmocka_unit_test(the_unit_of_targets_is_arbitrary),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(fit_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
