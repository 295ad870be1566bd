/* tests/unit/predict/test_prediction_std.c: standard deviations from a stored factor, compared with the plain formula on
 * every engine. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/plain_linear.h"
#include "support/predict_std.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 132, H = 6, D = 2, Q = 2 }; /* more than one panel of rows */

static volt_model *fit_rows(const char *text, const double *X, const double *Y, int64_t n,
                            const volt_fit_options *options)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, n, D), volt_view_of(Y, n, Q), options, (volt_matrix){0},
                            &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_fit_options keeping(double alpha, int intercept)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = 0;
    options.intercept = intercept;
    options.keep_factor = 1;
    return options;
}

/* kk - k' R k + (1 - 1' R k)^2 / (1' R 1) + alpha of the last H rows of K (total x total), over the rows
 * listed in `used`. */
static void plain_variances(const double *K, int64_t total, const int64_t *used, int64_t m, double alpha,
                            bool intercept, double v[H])
{
    double *A = new_matrix(m, m), *B = new_matrix(m, H + 1), ones = 0;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++)
            A[i * m + j] = K[used[i] * total + used[j]] + (i == j ? alpha : 0);
        for (int64_t t = 0; t < H; t++)
            B[i * (H + 1) + t] = K[(total - H + t) * total + used[i]];
        B[i * (H + 1) + H] = 1;
    }
    plain_solve(volt_view_of(A, m, m), volt_matrix_of(B, m, H + 1));
    for (int64_t i = 0; i < m; i++)
        ones += B[i * (H + 1) + H];
    for (int64_t t = 0; t < H; t++) {
        const double *k = K + (total - H + t) * total;
        double cross = 1;
        v[t] = k[total - H + t] + alpha;
        for (int64_t i = 0; i < m; i++) {
            v[t] -= k[used[i]] * B[i * (H + 1) + t];
            cross -= B[i * (H + 1) + t];
        }
        v[t] += intercept ? cross * cross / ones : 0;
    }
    free(A);
    free(B);
}

/* Root mean of e^2 / v of an output, as stored in the model. */
static double noise_of(const volt_model *model, int64_t k)
{
    const volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    double sum = 0;
    int64_t count = 0;
    for (int64_t t = 0; t < near->rows; t++)
        if (near->scale[t * Q + k] > 0) {
            sum += pow(near->e[t * Q + k] / near->scale[t * Q + k], 2);
            count++;
        }
    return model->target_scale[k] * sqrt(sum / (double)count);
}

/* The matrix and the model use the ball of all rows, so the kernels are equal. */
static void check_kernel(const char *text, int intercept, int64_t washout, bool holes)
{
    enum { TOTAL = N + H };
    volt_rng rng = test_rng(41);
    double *X = random_rows(&rng, TOTAL, D, 1), *Y = normal_rows(&rng, N, Q);
    X[0] = 1; /* on the sphere: no later row is outside */
    X[1] = 0;
    double *K = full_gram(text, volt_view_of(X, TOTAL, D));
    volt_fit_options options = keeping(0.3, intercept);
    options.washout = washout;
    options.missing_targets = holes;
    int64_t used[N], m = 0;
    for (int64_t i = washout; i < N; i++) {
        if (holes && i % 9 == 4)
            Y[i * Q + 1] = NAN;
        else
            used[m++] = i;
    }
    volt_model *model = fit_rows(text, X, Y, N, &options), *read = NULL;
    double out[H * Q], plain[H * Q], std[H * Q], again[H * Q];
    volt_view later = volt_view_of(X + N * D, H, D);
    check_ok(predict_std(model, later, NULL, volt_matrix_of(out, H, Q), volt_matrix_of(std, H, Q), NULL));
    check_ok(volt_model_predict(model, later, NULL, volt_matrix_of(plain, H, Q), NULL));
    double v[H];
    plain_variances(K, TOTAL, used, m, options.alpha, intercept, v);
    for (int64_t i = 0; i < H; i++)
        for (int64_t k = 0; k < Q; k++) {
            double expected = noise_of(model, k) * sqrt(v[i]);
            /* Kernels are at most about 1e3 with alpha 0.3: cancellation leaves 1e-12 of v. */
            assert_true(fabs(std[i * Q + k] - expected) <= 1e-8 * expected);
            assert_true(fabs(out[i * Q + k] - plain[i * Q + k]) <= 1e-9);
        }
    const char *path = scratch_path("spread.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &read));
    check_ok(predict_std(read, later, NULL, volt_matrix_of(out, H, Q), volt_matrix_of(again, H, Q), NULL));
    assert_memory_equal(std, again, sizeof std);
    volt_model_free(read);
    volt_model_free(model);
    free(K);
    free(Y);
    free(X);
}

static void every_engine(void **state)
{
    for (const char *const *text = engine_kernels; *text; text++) {
        if (strstr(*text, "centre=yes"))
            continue;
        check_kernel(*text, 1, 0, false);
    }
}

static void without_intercept_with_washout_and_missing_targets(void **state)
{
    static const char *const texts[] = {"volterra:tau=0.5,lambda=0.6", "memory:gamma=0.5,rho=0.4,mu=0.3",
                                        "rbf:window=4", "fir:mu=0.5,pole=0.4 + 0.5*rbf:gamma=1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_kernel(texts[i], 0, 0, false);
        check_kernel(texts[i], 1, 7, false);
        check_kernel(texts[i], 1, 0, true);
        check_kernel(texts[i], 0, 3, true);
    }
}

/* Later records start from a zero initial state: the same as separate starts. */
static void records(void **state)
{
    volt_rng rng = test_rng(43);
    double *X = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q), *later = random_rows(&rng, H, D, 1);
    volt_fit_options options = keeping(0.3, 1);
    const int64_t lengths[] = {60, 50, 22}, parts[] = {2, 4};
    options.records = lengths;
    options.n_records = 3;
    volt_model *model = fit_rows("memory:gamma=0.5,rho=0.4,mu=0.3", X, Y, N, &options);
    double out[H * Q], std[H * Q], each[H * Q];
    volt_predict_options start = volt_predict_options_default();
    start.records = parts;
    start.n_records = 2;
    check_ok(predict_std(model, volt_view_of(later, H, D), &start, volt_matrix_of(out, H, Q),
                         volt_matrix_of(std, H, Q), NULL));
    start = volt_predict_options_default();
    check_ok(predict_std(model, volt_view_of(later, 2, D), &start, volt_matrix_of(out, 2, Q),
                         volt_matrix_of(each, 2, Q), NULL));
    start.start = VOLT_START_RESET;
    check_ok(predict_std(model, volt_view_of(later + 2 * D, 4, D), &start, volt_matrix_of(out, 4, Q),
                         volt_matrix_of(each + 2 * Q, 4, Q), NULL));
    for (int64_t i = 0; i < H * Q; i++)
        assert_true(fabs(std[i] - each[i]) <= 1e-9 * each[i]);
    volt_model_free(model);
    free(later);
    free(Y);
    free(X);
}

/* Outputs select separate alphas or none: each has its own factor. */
static void chosen_alphas(void **state)
{
    volt_rng rng = test_rng(47);
    double *X = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q);
    for (int64_t i = 0; i < N; i++)
        Y[i * Q] = sin(3 * X[i * D]) + 0.01 * Y[i * Q]; /* the second is noise */
    volt_fit_options options = volt_fit_options_default();
    options.keep_factor = 1;
    volt_model *model = fit_rows("rbf:gamma=1", X, Y, N, &options);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(info.keeps_factor);
    assert_true(info.alphas[0] != info.alphas[1]);
    double out[H * Q], std[H * Q], one[H * Q];
    check_ok(predict_std(model, volt_view_of(X, H, D), NULL, volt_matrix_of(out, H, Q),
                         volt_matrix_of(std, H, Q), NULL));
    options.alpha = info.alphas[0];
    volt_model *given = fit_rows("rbf:gamma=1", X, Y, N, &options);
    check_ok(predict_std(given, volt_view_of(X, H, D), NULL, volt_matrix_of(out, H, Q),
                         volt_matrix_of(one, H, Q), NULL));
    for (int64_t i = 0; i < H; i++) {
        assert_true(fabs(std[i * Q] - one[i * Q]) <= 1e-6 * one[i * Q]);
        assert_true(std[i * Q + 1] > 0.5 && std[i * Q + 1] < 2);
    }
    volt_model_free(given);
    volt_model_free(model);
    free(Y);
    free(X);
}

/* Each output has its own factor, and the file stores all of them. */
static void several_factors_in_a_file(void **state)
{
    volt_rng rng = test_rng(48);
    double *X = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q);
    for (int64_t i = 0; i < N; i++) {
        Y[i * Q] = sin(3 * X[i * D]) + 1e-3 * Y[i * Q];
        Y[i * Q + 1] = cos(2 * X[i * D + 1]) + 0.3 * Y[i * Q + 1];
    }
    volt_fit_options options = volt_fit_options_default();
    options.keep_factor = 1;
    volt_model *model = fit_rows("rbf:gamma=1", X, Y, N, &options), *loaded = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(isfinite(info.alphas[0]) && isfinite(info.alphas[1]) && info.alphas[0] != info.alphas[1]);
    const char *path = scratch_path("factors.safetensors");
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &loaded));
    double out[2][H * Q], std[2][H * Q];
    check_ok(predict_std(model, volt_view_of(X, H, D), NULL, volt_matrix_of(out[0], H, Q),
                         volt_matrix_of(std[0], H, Q), NULL));
    check_ok(predict_std(loaded, volt_view_of(X, H, D), NULL, volt_matrix_of(out[1], H, Q),
                         volt_matrix_of(std[1], H, Q), NULL));
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_memory_equal(std[0], std[1], sizeof std[0]);
    for (int64_t i = 0; i < H; i++) /* the noise of the second is three hundred times as large */
        assert_true(std[0][i * Q] > 0 && std[0][i * Q + 1] > 3 * std[0][i * Q]);
    volt_model_free(loaded);
    volt_model_free(model);
    free(Y);
    free(X);
}

static void invalid_arguments_are_rejected(void **state)
{
    volt_rng rng = test_rng(53);
    double *X = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q);
    volt_fit_options options = keeping(0.3, 1);
    volt_model *model = NULL;
    volt_kernel *kernel = NULL;
    double out[H * Q], std[H * Q];
    options.keep_factor = 0;
    model = fit_rows("rbf:gamma=1", X, Y, N, &options);
    check_fails(predict_std(model, volt_view_of(X, H, D), NULL, volt_matrix_of(out, H, Q),
                            volt_matrix_of(std, H, Q), NULL),
                VOLT_ERR_ARGUMENT, "keep fit keep_factor");
    check_fails(predict_std(model, volt_view_of(X, H, D), NULL, volt_matrix_of(out, H, Q),
                            volt_matrix_of(std, H, 1), NULL),
                VOLT_ERR_SHAPE, "x 6 2");
    volt_model_free(model);
    model = NULL;
    options.keep_factor = 1;
    options.intercept = 0;
    check_ok(volt_kernel_parse("gak:window=3,centre=yes", &kernel));
    check_fails(volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, Q), &options, (volt_matrix){0},
                               &model),
                VOLT_ERR_ARGUMENT, "keep_factor intercept");
    assert_null(model);
    volt_kernel_free(kernel);
    free(Y);
    free(X);
}

static void every_allocation_may_fail(void **state)
{
    enum { FEW = 24 };
    volt_rng rng = test_rng(59);
    double *X = random_rows(&rng, FEW, D, 1), *Y = normal_rows(&rng, FEW, Q), out[H * Q], std[H * Q];
    volt_fit_options options = keeping(0.3, 1);
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse("fir:mu=0.5 + rbf:window=3", &kernel));
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_model *model = NULL;
        volt_status status = volt_model_fit(kernel, volt_view_of(X, FEW, D), volt_view_of(Y, FEW, Q), &options,
                                            (volt_matrix){0}, &model);
        if (status == VOLT_OK)
            status = predict_std(model, volt_view_of(X, H, D), NULL, volt_matrix_of(out, H, Q),
                                 volt_matrix_of(std, H, Q), NULL);
        volt_model_free(model);
        failing_alloc_check(status);
    }
    volt_kernel_free(kernel);
    free(Y);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine),
        cmocka_unit_test(without_intercept_with_washout_and_missing_targets),
        cmocka_unit_test(records),
        cmocka_unit_test(chosen_alphas),
        cmocka_unit_test(several_factors_in_a_file),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}
