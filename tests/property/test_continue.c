/* tests/property/test_continue.c: both initial states of a prediction, for every lift.
 *
 * `continue` is the recursion on the training rows followed by the new ones; `reset` is a Gram matrix whose
 * rows have a zero past. Kernels come from plain loops, coefficients from the model. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 60, H = 41, D = 2, Q = 3, ALL = N + H };

typedef struct scene {
    const plain_kernel *kernel;
    volt_kernel *parsed;
    double *X; /* ALL x D, of which the first N are for training */
    double *Y; /* N x Q */
    double *Z; /* ALL x D: X as the model scales it */
    volt_model *model;
    volt_model_info info;
} scene;

static scene make_scene(const plain_kernel *kernel, const volt_fit_options *options, volt_rng *rng)
{
    scene s = {.kernel = kernel, .parsed = plain_parse(kernel->text)};
    s.X = random_rows(rng, ALL, D, 0.9);
    s.X[0] = 1; /* the largest is a training row, also after the shift */
    s.X[1] = 0.1;
    for (int k = 0; k < D; k++)
        for (int i = 1; i < N; i++)
            s.X[i * D + k] *= 0.9;
    for (int i = N; i < ALL; i++)
        for (int k = 0; k < D; k++)
            s.X[i * D + k] *= 0.7;
    s.Y = normal_rows(rng, N, Q);
    check_ok(volt_model_fit(s.parsed, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), options,
                            volt_matrix_of(NULL, 0, 0), &s.model));
    s.info.struct_size = sizeof s.info;
    volt_model_get_info(s.model, &s.info);
    s.Z = new_matrix(ALL, D);
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < D; k++)
            s.Z[i * D + k] = (s.X[i * D + k] - s.info.input_shift[k]) * s.info.input_scale;
    return s;
}

static void free_scene(scene *s)
{
    volt_model_free(s->model);
    free(s->Z);
    free(s->Y);
    free(s->X);
    volt_kernel_free(s->parsed);
}

/* Forecasts from rows of K (H x N) against `actual`. A sum of n products is off by n eps sum |k_j A_j|, and
 * entries of K by the tolerance of the kernel each. */
static void check_forecasts(const scene *s, const char *what, volt_view K, const double *actual)
{
    double entry = plain_tolerance(s->kernel, s->info.facts->radius, D);
    for (int64_t i = 0; i < H; i++)
        for (int k = 0; k < Q; k++) {
            long double sum = s->info.intercepts[k];
            double sizes = fabs(s->info.intercepts[k]), coefficients = 0;
            for (int64_t j = 0; j < N; j++) {
                double value = K.data[i * K.ld + j], a = s->info.coefficients[j * Q + k];
                sum += (long double)value * a;
                sizes += fabs(value * a);
                coefficients += fabs(a);
            }
            double scale = s->info.target_scale[k];
            double expected = s->info.target_mean[k] + scale * (double)sum;
            double tolerance = scale * ((N + 4) * DBL_EPSILON * sizes + entry * coefficients);
            if (!(fabs(actual[i * Q + k] - expected) <= tolerance))
                fail_msg("%s, %s: row %d, output %d is %.17g, expected %.17g: error %.3g, tolerance %.3g",
                         s->kernel->text, what, (int)i, k, actual[i * Q + k], expected,
                         fabs(actual[i * Q + k] - expected), tolerance);
        }
}

static void check_starts(const plain_kernel *kernel, const volt_fit_options *fit_options, volt_rng *rng)
{
    scene s = make_scene(kernel, fit_options, rng);
    double *K = new_matrix(ALL, ALL), *reset = new_matrix(H, N), out[H * Q];
    plain_gram(kernel, volt_view_of(s.Z, ALL, D), volt_view_of(s.Z, ALL, D), volt_matrix_of(K, ALL, ALL));
    plain_gram(kernel, volt_view_of(s.Z + N * D, H, D), volt_view_of(s.Z, N, D), volt_matrix_of(reset, H, N));

    volt_view fresh = volt_view_of(s.X + N * D, H, D);
    volt_predict_options options = volt_predict_options_default();
    int64_t beyond = -1;
    check_ok(volt_model_predict(s.model, fresh, &options, volt_matrix_of(out, H, Q), &beyond));
    assert_int_equal(beyond, 0);
    volt_view continued = {K + (int64_t)N * ALL, H, N, ALL};
    check_forecasts(&s, "continue", continued, out);

    options.start = VOLT_START_RESET;
    check_ok(volt_model_predict(s.model, fresh, &options, volt_matrix_of(out, H, Q), NULL));
    check_forecasts(&s, "reset", volt_view_of(reset, H, N), out);
    free(reset);
    free(K);
    free_scene(&s);
}

static void scaled_with_intercept(void **state)
{
    volt_rng rng = test_rng(31);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    for (int p = 0; p < PLAIN_KERNELS; p++) {
        check_starts(&plain_kernels[p], &options, &rng);
        check_starts(&plain_slow_kernels[p], &options, &rng);
    }
}

static void unscaled_with_washout(void **state)
{
    volt_rng rng = test_rng(32);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.scale = options.intercept = 0;
    options.washout = 7;
    for (int p = 0; p < PLAIN_KERNELS; p++)
        check_starts(&plain_kernels[p], &options, &rng);
}

/* Blocks of rows inside predict hold 2^20 numbers: with n = 60 a second block begins at row 17476. The last row
 * then depends on 18000 steps, and equals what a model sees that is given only the end of them. */
static void long_forecasts_cross_blocks(void **state)
{
    volt_rng rng = test_rng(33);
    volt_fit_options fit_options = volt_fit_options_default();
    fit_options.alpha = 1e-3;
    for (int p = PLAIN_GEOMETRIC; p <= PLAIN_RBF; p += PLAIN_RBF - PLAIN_GEOMETRIC) {
        scene s = make_scene(&plain_kernels[p], &fit_options, &rng);
        enum { LONG = 18000, TAIL = 1000 };
        double *X = random_rows(&rng, LONG, D, 0.5);
        double *out = new_matrix(LONG, Q), *tail = new_matrix(TAIL, Q);
        volt_predict_options options = volt_predict_options_default();
        check_ok(volt_model_predict(s.model, volt_view_of(X, LONG, D), &options, volt_matrix_of(out, LONG, Q),
                                    NULL));
        options.start = VOLT_START_RESET; /* the past fades: after 400 steps none of it is left */
        check_ok(volt_model_predict(s.model, volt_view_of(X + (LONG - TAIL) * D, TAIL, D), &options,
                                    volt_matrix_of(tail, TAIL, Q), NULL));
        double size = 0;
        for (int j = 0; j < N * Q; j++)
            size = fmax(size, fabs(s.info.coefficients[j]));
        double tolerance = 2 * N * size * s.info.target_scale[0] * 2 *
                           (plain_tolerance(s.kernel, 1, D) + N * DBL_EPSILON * s.info.facts->largest);
        for (int i = 400; i < TAIL; i++)
            for (int k = 0; k < Q; k++)
                assert_true(fabs(out[(LONG - TAIL + i) * Q + k] - tail[i * Q + k]) <= tolerance);
        free(tail);
        free(out);
        free(X);
        free_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaled_with_intercept),
        cmocka_unit_test(unscaled_with_washout),
        cmocka_unit_test(long_forecasts_cross_blocks),
    };
    return cmocka_run_group_tests_name("continue", tests, NULL, NULL);
}
