/* tests/property/test_gram_psd.c: Gram matrices are positive semidefinite and correspond to a zero initial
 * state, for every lift. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

/* ---- positive semidefinite -------------------------------------------------------------------- */

enum { N = 48 };

static void check_psd(const plain_kernel *kernel, volt_rng *rng, int64_t d)
{
    volt_kernel *parsed = plain_parse(kernel->text);
    double *rows = random_rows(rng, N, d, 1), *K = new_matrix(N, N);
    /* Repeated rows make the matrix singular or nearly so: the hard case. */
    memcpy(rows + (N / 2) * d, rows, (size_t)((N / 2) * d) * sizeof *rows);
    check_ok(
        volt_gram(parsed, volt_view_of(rows, N, d), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
    double smallest, largest;
    plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
    /* Entries off by e move eigenvalues by n e at most; Jacobi itself by some n eps |K|. */
    double tolerance = N * plain_tolerance(kernel, 1, d) + 8 * N * DBL_EPSILON * largest;
    if (!(smallest >= -tolerance))
        fail_msg("%s: smallest eigenvalue %.3g, allowed -%.3g", kernel->text, smallest, tolerance);
    free(K);
    free(rows);
    volt_kernel_free(parsed);
}

static void gram_matrices_are_positive_semidefinite(void **state)
{
    volt_rng rng = test_rng(11);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        for (int64_t d = 1; d <= 3; d += 2) {
            check_psd(&plain_kernels[p], &rng, d);
            check_psd(&plain_slow_kernels[p], &rng, d);
        }
}

/* With a constant border the rbf lift is not positive semidefinite: the check above detects it. */
static void constant_border_fails_for_rbf(void **state)
{
    volt_rng rng = test_rng(11);
    const plain_kernel *kernel = &plain_slow_kernels[PLAIN_RBF];
    double *rows = random_rows(&rng, N, 1, 1), *K = new_matrix(N, N);
    double lambda2 = kernel->lambda * kernel->lambda;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double previous = i > 0 && j > 0 ? K[(i - 1) * N + j - 1] : 1 / (1 - lambda2);
            K[i * N + j] = 1 + lambda2 * plain_kappa(kernel, rows + i, rows + j, 1) * previous;
        }
    double smallest, largest;
    plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
    assert_true(smallest < -1e-3 * largest);
    free(K);
    free(rows);
}

/* ---- zero padding ----------------------------------------------------------------------------- */

enum { ZEROS = 220, ROWS = 13, COLS = 9, D = 2 };

/* `rows` behind ZEROS rows of zeros. */
static double *behind_zeros(const double *rows, int64_t n)
{
    double *padded = new_matrix(ZEROS + n, D);
    for (int64_t i = 0; i < ZEROS * D; i++)
        padded[i] = 0;
    memcpy(padded + ZEROS * D, rows, (size_t)(n * D) * sizeof *rows);
    return padded;
}

/* The recursion on padded sequences, from K = 1 before their start: nothing is known about a zero past. */
static void truncated_gram(const plain_kernel *kernel, const double *X, int64_t n, const double *Y, int64_t m,
                           double *K)
{
    double lambda2 = kernel->lambda * kernel->lambda;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double previous = i > 0 && j > 0 ? K[(i - 1) * m + j - 1] : 1;
            K[i * m + j] = 1 + lambda2 * plain_kappa(kernel, X + i * D, Y + j * D, D) * previous;
        }
}

/* 220 steps at lambda^2 kappa(0, 0) <= 0.7225 leave 1e-31 of what was there before. */
static void initial_state_is_zero(void **state)
{
    volt_rng rng = test_rng(12);
    for (int p = 0; p < PLAIN_KERNELS; p++) {
        const plain_kernel *kernel = &plain_kernels[p];
        assert_true(pow(kernel->lambda, 2.0 * (ZEROS - ROWS)) < 1e-25);
        volt_kernel *parsed = plain_parse(kernel->text);
        double *X = random_rows(&rng, ROWS, D, 1), *Y = random_rows(&rng, COLS, D, 1);
        double *long_X = behind_zeros(X, ROWS), *long_Y = behind_zeros(Y, COLS);
        int64_t n = ZEROS + ROWS, m = ZEROS + COLS;
        double *truth = new_matrix(n, m), *own = new_matrix(n, m), K[ROWS * COLS];
        truncated_gram(kernel, long_X, n, long_Y, m, truth);

        volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .radius = 1};
        check_ok(volt_gram(parsed, volt_view_of(X, ROWS, D), volt_view_of(Y, COLS, D), &options,
                           volt_matrix_of(K, ROWS, COLS)));
        check_ok(volt_gram(parsed, volt_view_of(long_X, n, D), volt_view_of(long_Y, m, D), &options,
                           volt_matrix_of(own, n, m)));
        double tolerance = plain_tolerance(kernel, 1, D);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < COLS; j++) {
                int64_t at = (ZEROS + i) * m + ZEROS + j;
                if (!(fabs(K[i * COLS + j] - truth[at]) <= tolerance) ||
                    !(fabs(own[at] - truth[at]) <= tolerance))
                    fail_msg("%s: K[%d][%d] is %.17g, behind zeros %.17g, expected %.17g", kernel->text, (int)i,
                             (int)j, K[i * COLS + j], own[at], truth[at]);
            }
        free(own);
        free(truth);
        free(long_Y);
        free(long_X);
        free(Y);
        free(X);
        volt_kernel_free(parsed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_matrices_are_positive_semidefinite),
        cmocka_unit_test(constant_border_fails_for_rbf),
        cmocka_unit_test(initial_state_is_zero),
    };
    return cmocka_run_group_tests_name("gram_psd", tests, NULL, NULL);
}
