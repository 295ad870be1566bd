/* tests/unit/explain/test_impulse.c: impulse responses of fir models against the formula in plain loops and against
 * an impulse passed through a model. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 40, D = 2, Q = 3, LAGS = 25 };

static const volt_matrix nowhere = {NULL, 0, 0, 0};

typedef struct scene {
    double *X, *Y;
    volt_model *model;
    volt_model_info info;
} scene;

static scene make_scene(volt_rng *rng, const char *text, bool scaled)
{
    scene s = {.X = normal_rows(rng, N, D), .Y = normal_rows(rng, N, Q)};
    for (int i = 0; i < N * Q; i++)
        s.Y[i] = 100 + 7 * s.Y[i];
    for (int i = 0; i < N * D; i++)
        s.X[i] = 5 + 0.01 * s.X[i];
    volt_kernel *kernel = plain_parse(text);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.scale = scaled;
    check_ok(
        volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options, nowhere, &s.model));
    s.info.struct_size = sizeof s.info;
    volt_model_get_info(s.model, &s.info);
    volt_kernel_free(kernel);
    return s;
}

static void free_scene(scene *s)
{
    volt_model_free(s->model);
    free(s->Y);
    free(s->X);
}

/* g[k] = sum_j A_j sum_l mu^{(k+l)/2} corr^{|k-l|} z_{j-l}, unfiltered. */
static void impulse_response_equals_formula(void **state)
{
    volt_rng rng = test_rng(1320);
    for (int repeat = 0; repeat < 6; repeat++) {
        double mu = 0.1 + 0.85 * volt_rng_uniform(&rng),
               corr = repeat == 0 ? 0 : 1.8 * volt_rng_uniform(&rng) - 0.9;
        double weight = repeat % 2 ? 3 : 1, out[Q * LAGS * D];
        char text[200];
        /* the last with the largest number of factors, 16 */
        snprintf(text, sizeof text, "%g*fir:mu=%.17g,corr=%.17g%s%s", weight, mu, corr,
                 repeat > 2 ? " + rbf*linear" : "",
                 repeat == 5 ? "*rbf*rbf*rbf + rbf*rbf*rbf*rbf*rbf + rbf*rbf*rbf*rbf*rbf" : "");
        scene s = make_scene(&rng, text, repeat % 3 != 1);
        check_ok(volt_model_impulse(s.model, LAGS, volt_matrix_of(out, Q * LAGS, D)));
        for (int q = 0; q < Q; q++)
            for (int k = 0; k < LAGS; k++)
                for (int c = 0; c < D; c++) {
                    double g = 0, sizes = 0;
                    for (int j = 0; j < N; j++)
                        for (int l = 0; l <= j; l++) {
                            double z = (s.X[(j - l) * D + c] - s.info.input_shift[c]) * s.info.input_scale;
                            double term = weight * s.info.coefficients[j * Q + q] * pow(mu, 0.5 * (k + l)) *
                                          pow(corr, abs(k - l)) * z;
                            g += term;
                            sizes += fabs(term);
                        }
                    double unit = s.info.input_scale * s.info.target_scale[q];
                    /* Two recursions of N rows and a sum over N: rounding is proportional to the magnitudes,
                     * and cancellation by corr enlarges it by at most 1 / (1 - |corr|)^2. */
                    double tolerance = 400 * N * DBL_EPSILON * unit * (sizes + 1e-3);
                    if (!(fabs(out[(q * LAGS + k) * D + c] - unit * g) <= tolerance))
                        fail_msg("%s: lag %d, input %d, output %d: %.17g, expected %.17g", text, k, c, q,
                                 out[(q * LAGS + k) * D + c], unit * g);
                }
        free_scene(&s);
    }
}

/* fir is linear: the difference of its outputs with and without a unit impulse in one row is the response,
 * including filters. */
static void impulse_response_equals_simulation(void **state)
{
    static const char *const texts[] = {
        "fir",
        "fir:mu=0.7,corr=0.5",
        "2*fir:mu=0.8,pole=0.6",
        "fir:mu=0.6,corr=-0.4,pole=-0.3,pair=0.8,angle=0.3",
        "0.5*fir:mu=0.9 + 3*fir:mu=0.2,pair=0.5,angle=1",
    };
    volt_rng rng = test_rng(1321);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int start = 0; start < 2; start++) {
            scene s = make_scene(&rng, texts[t], true);
            double g[Q * LAGS * D], with[Q], without[Q], x[D];
            check_ok(volt_model_impulse(s.model, LAGS, volt_matrix_of(g, Q * LAGS, D)));
            for (int c = 0; c < D; c++) {
                volt_predict_options options = volt_predict_options_default();
                volt_live *one = NULL, *other = NULL;
                options.start = (volt_start)start;
                check_ok(volt_live_create(s.model, as_live(&options), &one));
                check_ok(volt_live_create(s.model, as_live(&options), &other));
                for (int lag = 0; lag < LAGS; lag++) {
                    for (int k = 0; k < D; k++)
                        x[k] = 5 + 0.01 * volt_rng_normal(&rng);
                    check_ok(volt_live_feed(other, x, without));
                    x[c] += lag == 0;
                    check_ok(volt_live_feed(one, x, with));
                    for (int k = 0; k < Q; k++) {
                        double expected = g[(k * LAGS + lag) * D + c],
                               largest = fabs(with[k]) + fabs(without[k]);
                        for (int i = 0; i < LAGS; i++)
                            largest = fmax(largest, fabs(g[(k * LAGS + i) * D + c]));
                        if (!(fabs(with[k] - without[k] - expected) <= 1000 * N * DBL_EPSILON * largest))
                            fail_msg("%s: lag %d, input %d, output %d: %.17g, expected %.17g", texts[t], lag, c,
                                     k, with[k] - without[k], expected);
                    }
                }
                volt_live_free(other);
                volt_live_free(one);
            }
            free_scene(&s);
        }
}

/* Columns of levels and changes, and a change added to the level. */
static void impulse_response_with_difference_columns(void **state)
{
    volt_rng rng = test_rng(1322);
    static const int64_t anchors[] = {0, 1};
    double *X = normal_rows(&rng, N + 1, D), g[D * LAGS * D], with[D], without[D];
    volt_kernel *kernel = plain_parse("fir:mu=0.7,corr=0.3,pole=0.4");
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.anchors = anchors;
    options.ahead = 1;
    options.season = 4;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_BOTH;
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(X + D, N, D), &options, nowhere, &model));
    check_ok(volt_model_impulse(model, LAGS, volt_matrix_of(g, D * LAGS, D)));
    for (int c = 0; c < D; c++) {
        volt_live *one = NULL, *other = NULL;
        volt_predict_options predicting = volt_predict_options_default();
        predicting.beyond = VOLT_BEYOND_ALLOW; /* no clipping to a range */
        check_ok(volt_live_create(model, as_live(&predicting), &one));
        check_ok(volt_live_create(model, as_live(&predicting), &other));
        for (int lag = 0; lag < LAGS; lag++) {
            double x[D] = {0.1, 0.2};
            check_ok(volt_live_feed(other, x, without));
            x[c] += lag == 0 ? 0.5 : 0;
            check_ok(volt_live_feed(one, x, with));
            for (int k = 0; k < D; k++)
                if (!(fabs((with[k] - without[k]) / 0.5 - g[(k * LAGS + lag) * D + c]) <= 1e-11))
                    fail_msg("lag %d, input %d, output %d: %.17g, expected %.17g", lag, c, k,
                             (with[k] - without[k]) / 0.5, g[(k * LAGS + lag) * D + c]);
        }
        volt_live_free(other);
        volt_live_free(one);
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

static void models_without_response_are_rejected(void **state)
{
    volt_rng rng = test_rng(1323);
    double out[Q * LAGS * D];
    volt_matrix fits = volt_matrix_of(out, Q * LAGS, D);
    static const char *const texts[] = {"rbf", "fir*rbf + memory", "memory + rbf*fir", "linear:pole=0.5"};
    for (int t = 0; t < 4; t++) {
        scene s = make_scene(&rng, texts[t], true);
        check_fails(volt_model_impulse(s.model, LAGS, fits), VOLT_ERR_ARGUMENT, "linear fir");
        free_scene(&s);
    }
    scene s = make_scene(&rng, "fir + rbf", true);
    check_fails(volt_model_impulse(s.model, 0, fits), VOLT_ERR_ARGUMENT, "lags 0");
    check_fails(volt_model_impulse(s.model, LAGS - 1, fits), VOLT_ERR_SHAPE, "72 75 2");
    check_fails(volt_model_impulse(s.model, LAGS, nowhere), VOLT_ERR_SHAPE, "x 0");
    check_fails(volt_model_impulse(NULL, LAGS, fits), VOLT_ERR_ARGUMENT, "model NULL");
    for (int64_t k = 0; failing_alloc_next(&k);) {
        out[0] = 77;
        volt_status status = volt_model_impulse(s.model, LAGS, fits);
        failing_alloc_check(status);
        assert_true(status == VOLT_OK || out[0] == 77);
    }
    free_scene(&s);
}

/* A response of 1e300 per 1e-20. */
static void response_too_large_is_rejected(void **state)
{
    volt_rng rng = test_rng(1324);
    double *X = normal_rows(&rng, N, 1), Y[N], out[2];
    for (int i = 0; i < N; i++) {
        Y[i] = 1e300 * X[i];
        X[i] *= 1e-20;
    }
    volt_kernel *kernel = plain_parse("fir");
    volt_fit_options options = volt_fit_options_default();
    volt_model *model = NULL;
    options.alpha = 0.1;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(Y, N, 1), &options, nowhere, &model));
    check_fails(volt_model_impulse(model, 2, volt_matrix_of(out, 2, 1)), VOLT_ERR_NOT_FINITE, "lag 0");
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulse_response_equals_formula),
        cmocka_unit_test(impulse_response_equals_simulation),
        cmocka_unit_test(impulse_response_with_difference_columns),
        cmocka_unit_test(models_without_response_are_rejected),
        cmocka_unit_test(response_too_large_is_rejected),
    };
    return cmocka_run_group_tests_name("impulse", tests, NULL, NULL);
}
