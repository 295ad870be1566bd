/* tests/property/test_norms_properties.c: properties of norms, effective dimensions, spectra, distances and
 * forgetting. */
#include "support/check.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 60, D = 2, MANY = 1100 }; /* MANY: more than the rows of an exact dimension */

static volt_kernel *parse(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static volt_model *fit(const char *text, const double *X, int64_t n, double alpha, bool intercept)
{
    volt_kernel *kernel = parse(text);
    volt_model *model = NULL;
    double *Y = new_matrix(n, 1);
    for (int64_t i = 0; i < n; i++)
        Y[i] = X[i * D] + X[i * D] * X[i * D + 1] + (i > 0 ? X[(i - 1) * D] : 0);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.intercept = intercept;
    check_ok(volt_model_fit(kernel, volt_view_of(X, n, D), volt_view_of(Y, n, 1), &options, (volt_matrix){0},
                            &model));
    free(Y);
    volt_kernel_free(kernel);
    return model;
}

static volt_fit_report report_of(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_get_info(model, &info));
    return *info.report;
}

static const char *const kernels[] = {"volterra:tau=0.5,lambda=0.6",
                                      "volterra:lift=rbf,gamma=0.5,lambda=0.8",
                                      "volterra:lift=even,tau=0.6,lambda=0.7",
                                      "fading:gamma=0.3,rho=0.7",
                                      "rbf:gamma=0.4,window=3",
                                      "volterra:tau=0.4,lambda=0.5 + linear:window=2"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* The dimension lies between 0 and n and decreases with alpha; so does the norm. */
static void dimension_decreases_with_alpha(void **state)
{
    volt_rng rng = test_rng(3201);
    double *X = normal_rows(&rng, N, D);
    for (int k = 0; k < KERNELS; k++)
        for (int intercept = 0; intercept < 2; intercept++) {
            double before = N - intercept, norm = INFINITY;
            for (double alpha = 1e-6; alpha < 1e5; alpha *= 30) {
                volt_model *model = fit(kernels[k], X, N, alpha, intercept);
                volt_fit_report report = report_of(model);
                assert_true(report.effective_dimension[0] >= 0 && report.effective_dimension[0] < before);
                assert_true(report.rkhs_norm[0] > 0 && report.rkhs_norm[0] < norm);
                assert_true(report.noise[0] > 0 && report.dimension_error[0] == 0);
                before = report.effective_dimension[0];
                norm = report.rkhs_norm[0];
                volt_model_free(model);
            }
        }
    free(X);
}

/* The matrix of one-hot rows is diagonal. The iteration counts each of the two eigenvalues 4 and 1 once; errors are a few
 * roundings. The dimension at alpha: the trace 30 less 5 is taken as equal to the last eigenvalue. */
static void spectrum_of_diagonal_matrices(void **state)
{
    enum { HALF = 6, ROWS = 2 * HALF };
    double X[ROWS * ROWS] = {0}, out[4] = {-1, -1, -1, -1}, slack = 64 * DBL_EPSILON;
    volt_kernel *kernel = parse("linear");
    volt_view rows = volt_view_of(X, ROWS, ROWS);
    check_ok(volt_gram_spectrum(kernel, rows, NULL, volt_matrix_of(out, 1, 2)));
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == -1);
    for (int i = 0; i < ROWS; i++)
        X[i * ROWS + i] = i < HALF ? 2 : 1;
    check_ok(volt_gram_spectrum(kernel, rows, NULL, volt_matrix_of(out, 2, 2)));
    assert_true(fabs(out[0] - 4) <= 4 * slack && fabs(out[2] - 1) <= 4 * slack);
    assert_true(fabs(out[1] - (0.5 + 0.2 + 25 / 5.0)) <= 100 * slack);
    assert_true(fabs(out[3] - (0.8 + 0.5 + 25 / 2.0)) <= 100 * slack);
    volt_kernel_free(kernel);
}

/* The estimate for many rows agrees with the spectrum, and decreases with alpha, since its vectors are fixed. */
static void estimated_dimension(void **state)
{
    volt_rng rng = test_rng(3202);
    double *X = normal_rows(&rng, MANY, D), *spectrum = new_matrix(MANY, 2), before = MANY;
    volt_kernel *kernel = parse("volterra:lift=rbf,gamma=0.5,lambda=0.8");
    volt_model *model = NULL;
    check_ok(volt_gram_spectrum(kernel, volt_view_of(X, MANY, D), NULL, volt_matrix_of(spectrum, MANY, 2)));
    double *Y = new_matrix(MANY, 1);
    for (int64_t i = 0; i < MANY; i++)
        Y[i] = X[i * D];
    for (double alpha = 0.01; alpha < 100; alpha *= 10) {
        volt_fit_options options = volt_fit_options_default();
        options.alpha = alpha;
        options.scale = options.intercept = 0;
        check_ok(volt_model_fit(kernel, volt_view_of(X, MANY, D), volt_view_of(Y, MANY, 1), &options,
                                (volt_matrix){0}, &model));
        volt_fit_report report = report_of(model);
        double exact = 0, error = report.dimension_error[0];
        for (int64_t i = 0; i < MANY; i++)
            exact += spectrum[2 * i] / (spectrum[2 * i] + alpha);
        /* 64 probes: six standard errors; the error is at most sqrt(2 d / 64). */
        assert_true(error > 0 && error <= 1.5 * sqrt(2 * exact / 64));
        assert_true(fabs(report.effective_dimension[0] - exact) <= 6 * error);
        assert_true(report.effective_dimension[0] < before);
        before = report.effective_dimension[0];
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
    free(Y);
    free(spectrum);
    free(X);
}

/* Distances satisfy the triangle inequality, are 0 on the diagonal and for a copy, and belong to the normalised kernel
 * if requested. Their error is eps K / d. */
static void distances_are_a_metric(void **state)
{
    volt_rng rng = test_rng(3203);
    double *X = normal_rows(&rng, N, D), *copy = new_matrix(N, D), *Dx = new_matrix(N, N),
           *cross = new_matrix(N, N), *K = new_matrix(N, N);
    double radius = 0;
    check_ok(volt_radius(volt_view_of(X, N, D), &radius));
    for (int i = 0; i < N * D; i++) /* tau is relative to inputs of norm at most 1 */
        copy[i] = X[i] /= radius;
    for (int k = 0; k < KERNELS; k++)
        for (int normalise = 0; normalise < 2; normalise++) {
            volt_kernel *kernel = parse(kernels[k]);
            volt_gram_options options = volt_gram_options_default();
            options.normalise = normalise;
            check_ok(volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(NULL, 0, 0), &options,
                               volt_matrix_of(K, N, N)));
            options.distance = 1;
            check_ok(volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(NULL, 0, 0), &options,
                               volt_matrix_of(Dx, N, N)));
            check_ok(volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(copy, N, D), &options,
                               volt_matrix_of(cross, N, N)));
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    double level = 64 * DBL_EPSILON * (K[i * N + i] + K[j * N + j]), d = Dx[i * N + j];
                    assert_true(d == Dx[j * N + i] && d >= 0);
                    assert_true(i != j || d == 0);
                    assert_true(fabs(d * d - (K[i * N + i] + K[j * N + j] - 2 * K[i * N + j])) <= level);
                    assert_true(fabs(d * d - cross[i * N + j] * cross[i * N + j]) <= level);
                    for (int l = 0; l < N; l++)
                        assert_true(d <= Dx[i * N + l] + Dx[l * N + j] + sqrt(level));
                }
            volt_kernel_free(kernel);
        }
    free(K);
    free(cross);
    free(Dx);
    free(copy);
    free(X);
}

/* The distance of two states stays below its bound, and reaches it with the lift rbf, for which kappa(z, z) = 1. */
static void forgetting_stays_below_its_bound(void **state)
{
    volt_rng rng = test_rng(3204);
    enum { PAST = 20, ROWS = 2 * PAST };
    double *X = normal_rows(&rng, N + ROWS, D), out[(ROWS + 1) * 2];
    for (int k = 0; k < KERNELS; k++) {
        volt_model *model = fit(kernels[k], X, N, 0.01, true);
        volt_view rows = volt_view_of(X, N + ROWS, D);
        check_ok(volt_model_forgetting(model, volt_view_rows(rows, 0, PAST), volt_view_rows(rows, PAST, PAST),
                                       volt_view_rows(rows, 2 * PAST, ROWS), (volt_progress){0},
                                       volt_matrix_of(out, ROWS + 1, 2)));
        bool bounded = k < 3; /* the first three are volterra without other factors */
        assert_true(out[0] > 0 && isnan(out[1]) == !bounded);
        for (int s = 1; bounded && s <= ROWS; s++) {
            double level = 1e-7; /* rounding level of distances of states of norm about 1 */
            assert_true(out[2 * s] <= out[2 * s + 1] * (1 + 1e-12) + level && out[2 * s + 1] < out[2 * s - 1]);
            assert_true(k != 1 || out[2 * s] >= out[2 * s + 1] - level - 1e-6 * out[2 * s + 1]);
        }
        volt_model_free(model);
    }
    free(X);
}

static void invalid_arguments(void **state)
{
    volt_rng rng = test_rng(3205);
    double *X = normal_rows(&rng, N, D), out[2 * (N + 1)];
    volt_view rows = volt_view_of(X, N, D), narrow = volt_view_of(X, N, 1), none = volt_view_of(NULL, 0, 0);
    volt_kernel *kernel = parse("volterra");
    volt_model *model = fit("volterra", X, N, 0.1, true);
    volt_gram_options options = volt_gram_options_default();
    check_fails(volt_gram_spectrum(kernel, rows, NULL, volt_matrix_of(out, N + 1, 2)), VOLT_ERR_SHAPE, "60 61");
    check_fails(volt_gram_spectrum(kernel, rows, NULL, volt_matrix_of(out, N, 1)), VOLT_ERR_SHAPE, "60 x 1");
    check_fails(volt_gram_spectrum(NULL, rows, NULL, volt_matrix_of(out, N, 2)), VOLT_ERR_ARGUMENT, "kernel");
    options.distance = 1;
    check_fails(volt_gram_spectrum(kernel, rows, &options, volt_matrix_of(out, N, 2)), VOLT_ERR_ARGUMENT,
                "distances");
    check_fails(
        volt_model_forgetting(model, none, rows, rows, (volt_progress){0}, volt_matrix_of(out, N + 1, 2)),
        VOLT_ERR_SHAPE, "first");
    check_fails(
        volt_model_forgetting(model, rows, narrow, rows, (volt_progress){0}, volt_matrix_of(out, N + 1, 2)),
        VOLT_ERR_SHAPE, "second 1 2");
    check_fails(volt_model_forgetting(model, rows, rows, rows, (volt_progress){0}, volt_matrix_of(out, N, 2)),
                VOLT_ERR_SHAPE, "61 60");
    X[3] = NAN;
    check_fails(
        volt_model_forgetting(model, rows, rows, rows, (volt_progress){0}, volt_matrix_of(out, N + 1, 2)),
        VOLT_ERR_NOT_FINITE, "2");
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimension_decreases_with_alpha),
        cmocka_unit_test(spectrum_of_diagonal_matrices),
        cmocka_unit_test(estimated_dimension),
        cmocka_unit_test(distances_are_a_metric),
        cmocka_unit_test(forgetting_stays_below_its_bound),
        cmocka_unit_test(invalid_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
