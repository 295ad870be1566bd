/* tests/property/test_thread_count.c: results that do not depend on the number of threads, and bounds for
 * the others.
 *
 * A Gram matrix is the same bit for bit: bands of diagonals do not depend on the number of threads. The
 * factorisation runs the same operations on the same tiles in an order that its data fix, but BLAS may sum
 * in another order on another number of threads: coefficients then differ by rounding, eps / rcond relative.
 * Automatic alphas are the same bit for bit, although eight threads factor four matrices at once. So are model files
 * on landmarks, which include the errors of held-out rows. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/solve.h"

#include <unistd.h>

enum { N = 700, M = 300, D = 3, Q = 4 };

static int restore_threads(void **state)
{
    return volt_set_threads(0) != VOLT_OK;
}

static void gram_matrices_are_equal_bit_for_bit(void **state)
{
    volt_rng rng = test_rng(41);
    double *X = random_rows(&rng, N, D, 1), *Y = random_rows(&rng, M, D, 1);
    double *one = new_matrix(N, N), *other = new_matrix(N, N);
    volt_view view_X = volt_view_of(X, N, D), view_Y = volt_view_of(Y, M, D), none = volt_view_of(NULL, 0, 0);
    for (int p = 0; p < PLAIN_KERNELS; p++) {
        volt_kernel *kernel = plain_parse(plain_kernels[p].text);
        for (int64_t threads = 2; threads <= 3; threads++) {
            check_ok(volt_set_threads(1));
            check_ok(volt_gram(kernel, view_X, none, NULL, volt_matrix_of(one, N, N)));
            check_ok(volt_set_threads(threads));
            check_ok(volt_gram(kernel, view_X, none, NULL, volt_matrix_of(other, N, N)));
            assert_memory_equal(one, other, sizeof(double) * N * N);

            check_ok(volt_gram(kernel, view_X, view_Y, NULL, volt_matrix_of(other, N, M)));
            check_ok(volt_set_threads(1));
            check_ok(volt_gram(kernel, view_X, view_Y, NULL, volt_matrix_of(one, N, M)));
            assert_memory_equal(one, other, sizeof(double) * N * M);
        }
        volt_kernel_free(kernel);
    }
    free(other);
    free(one);
    free(Y);
    free(X);
}

/* 2048 or more diagonals have narrower bands, which a thread takes one by one or together. */
static void large_gram_matrices_are_equal_bit_for_bit(void **state)
{
    enum { LARGE = 2102, OTHER = 1201 };
    static const int64_t threads[] = {2, 16};
    volt_rng rng = test_rng(45);
    double *X = random_rows(&rng, LARGE, 1, 1), *one = new_matrix(LARGE, LARGE),
           *other = new_matrix(LARGE, LARGE);
    volt_kernel *kernel = plain_parse("volterra:tau_coef=0.3,lambda_coef=0.9");
    volt_view view = volt_view_of(X, LARGE, 1), none = volt_view_of(NULL, 0, 0);
    for (int i = 0; i < 2; i++) {
        check_ok(volt_set_threads(1));
        check_ok(volt_gram(kernel, view, none, NULL, volt_matrix_of(one, LARGE, LARGE)));
        check_ok(volt_set_threads(threads[i]));
        check_ok(volt_gram(kernel, view, none, NULL, volt_matrix_of(other, LARGE, LARGE)));
        assert_memory_equal(one, other, sizeof(double) * LARGE * LARGE);
        volt_view columns = volt_view_of(X, OTHER, 1);
        check_ok(volt_gram(kernel, view, columns, NULL, volt_matrix_of(other, LARGE, OTHER)));
        check_ok(volt_set_threads(1));
        check_ok(volt_gram(kernel, view, columns, NULL, volt_matrix_of(one, LARGE, OTHER)));
        assert_memory_equal(one, other, sizeof(double) * LARGE * OTHER);
    }
    volt_kernel_free(kernel);
    free(other);
    free(one);
    free(X);
}

typedef struct run {
    volt_model *model;
    volt_model_info info;
    double fitted[N * Q], forecast[M * Q];
} run;

static void fit_and_predict(int64_t threads, const volt_kernel *kernel, const double *X, const double *Y,
                            const double *X2, run *r)
{
    check_ok(volt_set_threads(threads));
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-4;
    options.washout = 20;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, Q), &options,
                            volt_matrix_of(r->fitted, N, Q), &r->model));
    r->info.struct_size = sizeof r->info;
    volt_model_get_info(r->model, &r->info);
    check_ok(
        volt_model_predict(r->model, volt_view_of(X2, M, D), NULL, volt_matrix_of(r->forecast, M, Q), NULL));
}

static double largest_difference(const double *a, const double *b, int64_t count, double *size)
{
    double largest = 0;
    *size = 0;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
        *size = fmax(*size, fabs(a[i]));
    }
    return largest;
}

static void fits_and_forecasts_agree_to_rounding(void **state)
{
    volt_rng rng = test_rng(42);
    double *X = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q), *X2 = random_rows(&rng, M, D, 0.8);
    static run one, two;
    for (int p = 0; p < PLAIN_KERNELS; p++) {
        volt_kernel *kernel = plain_parse(plain_kernels[p].text);
        fit_and_predict(1, kernel, X, Y, X2, &one);
        fit_and_predict(2, kernel, X, Y, X2, &two);

        double size, difference;
        difference = largest_difference(one.info.coefficients, two.info.coefficients, N * Q, &size);
        print_message("%s: coefficients differ by %.2g of their largest (eps / rcond = %.2g)",
                      plain_kernels[p].text, difference / size, DBL_EPSILON / one.info.rcond);
        assert_true(difference <= 10 * DBL_EPSILON / one.info.rcond * size);

        /* Forecasts: eps sum |k_j A_j| <= N eps largest |A|. */
        double bound = 10 * N * DBL_EPSILON * one.info.facts->largest * size;
        double fitted = largest_difference(one.fitted, two.fitted, N * Q, &size);
        difference = largest_difference(one.forecast, two.forecast, M * Q, &size);
        print_message(", fitted values by %.2g, forecasts by %.2g (allowed %.2g)\n", fitted, difference, bound);
        assert_true(fitted <= bound * 2 && difference <= bound * 2); /* 2: targets have deviations near 1 */

        volt_model_free(one.model);
        volt_model_free(two.model);
        volt_kernel_free(kernel);
    }
    free(X2);
    free(Y);
    free(X);
}

/* Output k is a nonlinear signal with noise that grows with k, so that the outputs have different alphas. */
static void automatic_alphas_are_equal_bit_for_bit(void **state)
{
    enum { ROWS = 400 };
    volt_rng rng = test_rng(43);
    double *X = random_rows(&rng, ROWS, D, 1), *Y = normal_rows(&rng, ROWS, Q);
    for (int64_t i = 0; i < ROWS * Q; i++)
        Y[i] = sin(3 * X[i / Q * D + i % D]) + 0.03 * pow(5, (double)(i % Q)) * Y[i];
    volt_kernel *kernel = plain_parse("volterra:tau_coef=0.4,lambda_coef=0.7");
    volt_model *model[3] = {NULL};
    volt_model_info info[3];
    static const int64_t threads[] = {1, 3, 8};
    for (int i = 0; i < 3; i++) {
        check_ok(volt_set_threads(threads[i]));
        check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, Q), NULL,
                                volt_matrix_of(NULL, 0, 0), &model[i]));
        info[i].struct_size = sizeof info[i];
        volt_model_get_info(model[i], &info[i]);
        assert_memory_equal(info[0].alphas, info[i].alphas, sizeof(double) * Q);
        assert_memory_equal(info[0].coefficients, info[i].coefficients, sizeof(double) * ROWS * Q);
        assert_true(info[0].rcond == info[i].rcond);
    }
    assert_true(info[0].alphas[0] < info[0].alphas[Q - 1]);
    for (int i = 0; i < 3; i++)
        volt_model_free(model[i]);
    volt_kernel_free(kernel);
    free(Y);
    free(X);
}

/* The bytes of a model file, in *bytes. */
static size_t saved(const volt_model *model, char **bytes)
{
    char path[512];
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/volterra_threads_%ld.safetensors", tmp && *tmp ? tmp : "/tmp",
             (long)getpid());
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    *bytes = malloc(size);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, size, file), size);
    fclose(file);
    remove(path);
    return size;
}

#ifdef __x86_64__
static const bool has_equal_bits = false;
#else
static const bool has_equal_bits = true;
#endif

/* 500 is between one and two blocks of the inner dimension of products (256 with OpenBLAS), which a product on several
 * threads divides differently. On x86-64 OpenBLAS also chooses its kernel by the size of a product, so that models agree to
 * rounding only: the condition number is at most (rows + alpha) / alpha, with K(x, x) of about 1. */
static void landmark_models_are_equal(void **state)
{
    enum { ROWS = 1100 };
    static const int64_t landmarks[] = {100, 500, 1000};
    volt_rng rng = test_rng(44);
    double *X = random_rows(&rng, ROWS, 1, 1), *Y = normal_rows(&rng, ROWS, 1);
    for (int64_t i = 1; i < ROWS; i++)
        Y[i] = 0.5 * Y[i - 1] + sin(3 * X[i]) + 0.05 * Y[i];
    volt_kernel *kernel = plain_parse("volterra:tau_coef=0.3,lambda_coef=0.9");
    volt_fit_options options = volt_fit_options_default();
    options.solver = "nystrom";
    options.alpha = 1e-2;
    for (int m = 0; m < 3; m++) {
        options.landmarks = landmarks[m];
        char *bytes[3];
        size_t size[3];
        double *fitted[3];
        for (int64_t threads = 1; threads <= 3; threads++) {
            volt_model *model = NULL;
            check_ok(volt_set_threads(threads));
            fitted[threads - 1] = new_matrix(ROWS, 1);
            check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, 1), volt_view_of(Y, ROWS, 1), &options,
                                    volt_matrix_of(fitted[threads - 1], ROWS, 1), &model));
            size[threads - 1] = saved(model, &bytes[threads - 1]);
            volt_model_free(model);
        }
        for (int i = 1; i < 3; i++) {
            for (int64_t t = 0; t < ROWS; t++)
                assert_true(fabs(fitted[i][t] - fitted[0][t]) <= 100 * ROWS / options.alpha * DBL_EPSILON);
            if (has_equal_bits) {
                assert_int_equal(size[0], size[i]);
                assert_memory_equal(bytes[0], bytes[i], size[0]);
            }
        }
        for (int i = 0; i < 3; i++) {
            free(bytes[i]);
            free(fitted[i]);
        }
    }
    volt_kernel_free(kernel);
    free(Y);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(automatic_alphas_are_equal_bit_for_bit, restore_threads),
        cmocka_unit_test_teardown(landmark_models_are_equal, restore_threads),
        cmocka_unit_test_teardown(gram_matrices_are_equal_bit_for_bit, restore_threads),
        cmocka_unit_test_teardown(large_gram_matrices_are_equal_bit_for_bit, restore_threads),
        cmocka_unit_test_teardown(fits_and_forecasts_agree_to_rounding, restore_threads),
    };
    return cmocka_run_group_tests_name("thread_count", tests, NULL, NULL);
}
