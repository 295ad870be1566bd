/* tests/unit/solve/test_online_factor.c: a factor that appends rows and drops the oldest row. */
#include "base/blas.h"
#include "solve/exact/online_factor.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

enum { N = 60, Q = 2 };
static const double alpha = 0.05;
static const bool constant[Q] = {true, false};

/* Rows first .. end - 1 of K + alpha I with the intercept of output 0: coefficients and intercepts by
 * elimination. */
static void plain_readout(const double *K, const double *Y, int64_t first, int64_t end, double *A, double c[Q])
{
    int64_t n = end - first;
    for (int k = 0; k < Q; k++) {
        int64_t size = n + constant[k];
        double *M = new_matrix(size, size), *b = new_matrix(size, 1);
        for (int64_t i = 0; i < size; i++) {
            for (int64_t j = 0; j < size; j++)
                M[i * size + j] = i == n || j == n ? i != j : K[(first + i) * N + first + j] + (i == j) * alpha;
            b[i] = i == n ? 0 : Y[(first + i) * Q + k];
        }
        plain_solve(volt_view_of(M, size, size), volt_matrix_of(b, size, 1));
        for (int64_t i = 0; i < n; i++)
            A[i * Q + k] = b[i];
        c[k] = constant[k] ? b[n] : 0;
        free(M);
        free(b);
    }
}

/* n eps |K + alpha I| / alpha: the error bound of a backward stable solve relative to the largest value. */
static double tolerance(void)
{
    return 100 * N * DBL_EPSILON * (4 + alpha) / alpha;
}

static void check_readout(volt_online_factor *f, const double *K, const double *Y, int64_t first, int64_t end)
{
    int64_t n = end - first;
    double A[N * Q], c[Q], plain[N * Q], plain_c[Q];
    assert_int_equal(f->n, n);
    volt_online_coefficients(f, constant, volt_matrix_of(A, n, Q), c);
    plain_readout(K, Y, first, end, plain, plain_c);
    double size = 1;
    for (int64_t i = 0; i < n * Q; i++)
        size = fmax(size, fabs(plain[i]));
    for (int64_t i = 0; i < n * Q; i++)
        assert_true(fabs(A[i] - plain[i]) <= tolerance() * size);
    for (int k = 0; k < Q; k++)
        assert_true(fabs(c[k] - plain_c[k]) <= tolerance() * size);
}

/* Row t against rows first .. t - 1, and its prediction by their readout. */
static void check_forecast(volt_online_factor *f, const double *K, const double *Y, int64_t first, int64_t t)
{
    double y[Q], A[N * Q], c[Q];
    volt_online_solve(f, K + t * N + first, K[t * N + t]);
    volt_online_forecast(f, constant, y);
    if (t == first)
        return;
    plain_readout(K, Y, first, t, A, c);
    for (int k = 0; k < Q; k++) {
        double sum = c[k], size = 1;
        for (int64_t j = first; j < t; j++) {
            sum += K[t * N + j] * A[(j - first) * Q + k];
            size = fmax(size, fabs(A[(j - first) * Q + k]));
        }
        assert_true(fabs(y[k] - sum) <= 4 * tolerance() * size);
    }
}

static void append(volt_online_factor *f, const double *K, const double *Y, int64_t first, int64_t t)
{
    check_ok(volt_online_reserve(f, f->n + 1));
    check_forecast(f, K, Y, first, t);
    check_ok(volt_online_check(f));
    volt_online_append(f, Y + t * Q);
}

static void any_update_sequence_equals_refit(void **state)
{
    volt_rng rng = test_rng(821);
    double *K = plain_random_spd(&rng, N, 0), *Y = normal_rows(&rng, N, Q);
    for (int window = 1; window < 40; window += 6) {
        volt_online_factor *f = NULL;
        check_ok(volt_online_create(Q, alpha, &f));
        for (int64_t t = 0, first = 0; t < N; t++) {
            append(f, K, Y, first, t);
            int64_t most = t % 17 == 16 ? (window + 1) / 2 : window;
            for (; t + 1 - first > most; first++)
                volt_online_drop(f);
            check_readout(f, K, Y, first, t + 1);
        }
        volt_online_free(f);
    }
    free(K);
    free(Y);
}

/* The window becomes empty and is filled again. */
static void factor_can_be_emptied(void **state)
{
    volt_rng rng = test_rng(822);
    double *K = plain_random_spd(&rng, N, 0), *Y = normal_rows(&rng, N, Q), y[Q] = {7, 7};
    volt_online_factor *f = NULL;
    check_ok(volt_online_create(Q, alpha, &f));
    assert_true(volt_online_condition(f) == 1);
    for (int64_t t = 0; t < 20; t++)
        append(f, K, Y, 0, t);
    assert_true(volt_online_condition(f) > 1);
    while (f->n > 0)
        volt_online_drop(f);
    volt_online_solve(f, K, K[0]);
    volt_online_forecast(f, constant, y);
    assert_true(y[0] == 0 && y[1] == 0);
    for (int64_t t = 20; t < 40; t++)
        append(f, K, Y, 20, t);
    check_readout(f, K, Y, 20, 40);
    volt_online_free(f);
    free(K);
    free(Y);
}

/* Appending all rows at once gives the same factor as appending them one by one. */
static void several_rows_at_once(void **state)
{
    volt_rng rng = test_rng(823);
    double *K = plain_random_spd(&rng, N, 0), *Y = normal_rows(&rng, N, Q);
    volt_online_factor *f = NULL;
    volt_blas_use use;
    check_ok(volt_online_create(Q, alpha, &f));
    check_ok(volt_online_reserve(f, 50));
    volt_matrix gram = volt_online_gram(f, 45);
    for (int64_t i = 0; i < 45; i++)
        memcpy(gram.data + i * gram.ld, K + i * N, (size_t)(i + 1) * sizeof *K);
    check_ok(volt_blas_claim(&use));
    check_ok(volt_online_factorise(f, volt_view_of(Y, 45, Q), NULL));
    volt_blas_release(&use);
    check_readout(f, K, Y, 0, 45);
    for (int64_t t = 45, first = 0; t < N; t++) {
        append(f, K, Y, first, t);
        volt_online_drop(f);
        check_readout(f, K, Y, ++first, t + 1);
    }
    volt_online_free(f);
    free(K);
    free(Y);
}

/* Export and import of L and W: later results are bitwise equal, for any position of the window in memory. */
static void copy_continues(void **state)
{
    volt_rng rng = test_rng(824);
    double *K = plain_random_spd(&rng, N, 0), *Y = normal_rows(&rng, N, Q), packed[N * N], first_y[Q], y[Q];
    volt_online_factor *f = NULL, *copy = NULL;
    check_ok(volt_online_create(Q, alpha, &f));
    check_ok(volt_online_create(Q, alpha, &copy));
    for (int64_t t = 0; t < 30; t++)
        append(f, K, Y, t > 20 ? t - 20 : 0, t), f->n > 20 ? volt_online_drop(f) : (void)0;
    volt_online_get(f, packed);
    check_ok(volt_online_reserve(copy, f->n + 1));
    check_ok(volt_online_set(copy, f->n, packed, f->W + f->start * (Q + 1)));
    for (int64_t t = 30; t < N; t++) {
        volt_online_factor *both[] = {f, copy};
        for (int i = 0; i < 2; i++) {
            append(both[i], K, Y, t - 20, t);
            volt_online_drop(both[i]);
            volt_online_solve(both[i], K + t * N + t - 19, 1);
            volt_online_forecast(both[i], constant, i ? y : first_y);
        }
        assert_memory_equal(first_y, y, sizeof y);
    }
    packed[2] = 0;
    check_fails(volt_online_set(copy, 2, packed, f->W), VOLT_ERR_FORMAT, "pivot 2");
    volt_online_free(copy);
    volt_online_free(f);
    free(K);
    free(Y);
}

/* A duplicate row is rejected if alpha is below the rounding level. */
static void a_pivot_at_rounding_level_is_rejected(void **state)
{
    volt_online_factor *f = NULL;
    const double y[1] = {1}, k[2] = {3, 3};
    check_ok(volt_online_create(1, 1e-17, &f));
    volt_online_solve(f, k, 3);
    check_ok(volt_online_check(f));
    volt_online_append(f, y);
    volt_online_solve(f, k, 3);
    check_fails(volt_online_check(f), VOLT_ERR_SINGULAR, "alpha 1e-17");
    assert_int_equal(f->n, 1);
    /* A positive pivot at the rounding level is rejected too. For a row with K_ii = 3 and K_ij = 3 (1 - eps
     * / 2) the pivot is 3 eps, and the level is 2 * 3 eps. For 3 (1 - 4 eps) it is 24 eps. */
    volt_online_solve(f, (const double[]){3 * (1 - DBL_EPSILON / 2)}, 3);
    assert_true(f->square > 0 && f->square <= 6 * DBL_EPSILON);
    check_fails(volt_online_check(f), VOLT_ERR_SINGULAR, "alpha 1e-17");
    volt_online_solve(f, (const double[]){3 * (1 - 4 * DBL_EPSILON)}, 3);
    check_ok(volt_online_check(f));
    volt_online_free(f);
}

/* Reallocation between the solve for a row and its append does not change the solved row. */
static void memory_may_grow_before_a_row_is_appended(void **state)
{
    volt_rng rng = test_rng(826);
    double *K = plain_random_spd(&rng, N, 0), *Y = normal_rows(&rng, N, Q);
    volt_online_factor *f = NULL;
    check_ok(volt_online_create(Q, alpha, &f));
    for (int64_t t = 0; t < 10; t++)
        append(f, K, Y, 0, t);
    for (int64_t t = 10, workspace = 200; t < 13; t++, workspace *= 3) {
        int64_t capacity = f->capacity;
        volt_online_solve(f, K + t * N, K[t * N + t]);
        check_ok(volt_online_reserve(f, workspace));
        assert_true(f->capacity > capacity);
        volt_online_append(f, Y + t * Q);
        check_readout(f, K, Y, 0, t + 1);
    }
    volt_online_free(f);
    free(K);
    free(Y);
}

/* For a diagonal matrix the bound equals the condition number. */
static void condition_of_a_diagonal_matrix(void **state)
{
    static const double diagonal[] = {2, 9, 1, 4}, zeros[4] = {0};
    volt_online_factor *f = NULL;
    check_ok(volt_online_create(1, 0.5, &f));
    for (int i = 0; i < 4; i++) {
        volt_online_solve(f, zeros, diagonal[i]);
        volt_online_append(f, zeros);
    }
    assert_true(fabs(volt_online_condition(f) - 9.5 / 1.5) <= 16 * DBL_EPSILON * 9.5 / 1.5);
    volt_online_free(f);
}

static void every_allocation_may_fail(void **state)
{
    volt_rng rng = test_rng(825);
    double *K = plain_random_spd(&rng, N, 0), *Y = normal_rows(&rng, N, Q);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_online_factor *f = NULL;
        volt_status status = volt_online_create(Q, alpha, &f);
        volt_online_free(f);
        failing_alloc_check(status);
    }
    volt_online_factor *f = NULL;
    check_ok(volt_online_create(Q, alpha, &f));
    for (int64_t t = 0; t < 25; t++)
        append(f, K, Y, 0, t);
    for (int64_t k = 1;; k++) {
        failing_alloc_start(k);
        volt_status status = volt_online_reserve(f, 1000);
        int hit = failing_alloc_hit();
        failing_alloc_stop();
        assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
        check_readout(f, K, Y, 0, 25);
        if (!hit)
            break;
    }
    append(f, K, Y, 0, 25);
    check_readout(f, K, Y, 0, 26);
    volt_online_free(f);
    free(K);
    free(Y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_update_sequence_equals_refit),
        cmocka_unit_test(factor_can_be_emptied),
        cmocka_unit_test(several_rows_at_once),
        cmocka_unit_test(copy_continues),
        cmocka_unit_test(a_pivot_at_rounding_level_is_rejected),
        cmocka_unit_test(memory_may_grow_before_a_row_is_appended),
        cmocka_unit_test(condition_of_a_diagonal_matrix),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
