/* tests/unit/backend/test_cholesky.c: the tiled Cholesky factor, solves and condition number. */
#include "backend/cholesky.h"
#include "support/check.h"
#include "support/plain_linear.h"
#include "support/sequences.h"
#include "volterra/solve.h"

static const volt_progress silent = {NULL, NULL};
static const double untouched = 77.5;

static int restore_threads(void **state)
{
    return volt_set_threads(0) != VOLT_OK;
}

static void by_hand(void **state)
{
    double A[] = {4, untouched, untouched, 2, 5, untouched, -6, 1, 14};
    check_ok(volt_cholesky(volt_matrix_of(A, 3, 3), silent));
    const double L[] = {2, untouched, untouched, 1, 2, untouched, -3, 2, 1};
    for (int i = 0; i < 9; i++)
        assert_true(A[i] == L[i]);
    double one = 9;
    check_ok(volt_cholesky(volt_matrix_of(&one, 1, 1), silent));
    assert_true(one == 3);
}

/* A random matrix built in O(n^2): a banded factor times its transpose plus a diagonal. */
static double *cheap_spd(volt_rng *rng, int64_t n, int64_t ld)
{
    enum { BAND = 7 };
    double *G = normal_rows(rng, n, BAND), *A = new_matrix(n, ld);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < ld; j++) {
            double sum = i == j ? 2 : 0;
            for (int64_t k = 0; j < n && k < BAND; k++)
                sum += G[i * BAND + k] * G[j * BAND + k];
            A[i * ld + j] = j <= i ? sum : untouched;
        }
    free(G);
    return A;
}

/* |A v - L (L' v)| <= c n eps |A| |v| for a random v: Cholesky is backward stable with a factor of about n. */
static void check_factor(volt_rng *rng, int64_t n, int64_t ld)
{
    double *A = cheap_spd(rng, n, ld), *L = new_matrix(n, ld), *v = normal_rows(rng, n, 1),
           *Lv = new_matrix(n, 1);
    memcpy(L, A, (size_t)(n * ld) * sizeof *L);
    volt_matrix view = {L, n, n, ld};
    check_ok(volt_cholesky(view, silent));
    double norm = 0, v_norm = 0, error = 0;
    for (int64_t j = 0; j < n; j++) {
        Lv[j] = 0;
        for (int64_t i = j; i < n; i++)
            Lv[j] += L[i * ld + j] * v[i];
    }
    for (int64_t i = 0; i < n; i++) {
        double product = 0, again = 0;
        for (int64_t j = 0; j < n; j++) {
            product += (j <= i ? A[i * ld + j] : A[j * ld + i]) * v[j];
            if (j <= i)
                again += L[i * ld + j] * Lv[j];
        }
        error += (product - again) * (product - again);
        v_norm += v[i] * v[i];
        norm = fmax(norm, A[i * ld + i]);
        assert_true(L[i * ld + i] > 0);
        for (int64_t j = i + 1; j < ld; j++) /* above the diagonal and after the last column */
            assert_true(L[i * ld + j] == untouched);
    }
    double bound = 4 * (double)n * DBL_EPSILON * (double)n * norm * sqrt(v_norm); /* |A| <= n max A_ii */
    if (!(sqrt(error) <= bound))
        fail_msg("n = %" PRId64 ", ld = %" PRId64 ": residual %.3g, allowed %.3g", n, ld, sqrt(error), bound);
    free(Lv);
    free(v);
    free(L);
    free(A);
}

static void factors_reproduce_the_matrix(void **state)
{
    volt_rng rng = test_rng(91);
    static const int64_t sizes[] = {1, 2, 3, 17, 100, 255, 256, 257, 511, 512, 513, 600, 769};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_factor(&rng, sizes[i], sizes[i]);
        check_factor(&rng, sizes[i], sizes[i] + 9);
    }
}

/* The identity with one bad pivot: the pivots before it are 1. */
static void check_pivot(int64_t n, int64_t bad, double value)
{
    double *A = new_matrix(n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            A[i * n + j] = i == j ? (i == bad ? value : 1) : 0;
    char sentence[64];
    snprintf(sentence, sizeof sentence, "pivot %" PRId64 " of %" PRId64, bad + 1, n);
    check_fails(volt_cholesky(volt_matrix_of(A, n, n), silent), VOLT_ERR_SINGULAR, sentence);
    free(A);
}

static void bad_pivots_are_reported(void **state)
{
    static const int64_t bad[] = {0, 1, 254, 255, 256, 257, 400, 511, 512, 599};
    for (int64_t threads = 1; threads <= 2; threads++) {
        check_ok(volt_set_threads(threads));
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            check_pivot(600, bad[i], -1);
            check_pivot(600, bad[i], 0);
        }
        check_pivot(1, 0, 0);
    }
}

/* LAPACK may miss it: any comparison with NaN is false. */
static void nan_pivot_is_reported(void **state)
{
    check_pivot(600, 400, NAN);
    check_pivot(5, 0, NAN);
}

/* A pivot that becomes negative only by the updates: rows 400 and 20 are equal except for a smaller
 * diagonal. */
static void pivots_made_bad_by_updates_are_reported(void **state)
{
    enum { N = 600 };
    volt_rng rng = test_rng(92);
    double *A = cheap_spd(&rng, N, N);
    for (int j = 0; j < N; j++) { /* row and column 400 become copies of 20 */
        if (j <= 400)
            A[400 * N + j] = j <= 20 ? A[20 * N + j] : A[j * N + 20];
        else
            A[j * N + 400] = A[j * N + 20];
    }
    A[400 * N + 400] = A[20 * N + 20] - 1e-6;
    check_fails(volt_cholesky(volt_matrix_of(A, N, N), silent), VOLT_ERR_SINGULAR, "pivot 401 600");
    free(A);
}

static void solves_invert_the_factor(void **state)
{
    enum { N = 300, Q = 5 };
    volt_rng rng = test_rng(93);
    double *A = cheap_spd(&rng, N, N), *B = normal_rows(&rng, N, Q), *X = new_matrix(N, Q),
           *L = new_matrix(N, N);
    memcpy(L, A, sizeof(double) * N * N);
    memcpy(X, B, sizeof(double) * N * Q);
    check_ok(volt_cholesky(volt_matrix_of(L, N, N), silent));
    volt_cholesky_forward(volt_matrix_of(L, N, N), volt_matrix_of(X, N, Q));
    volt_cholesky_backward(volt_matrix_of(L, N, N), volt_matrix_of(X, N, Q));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < Q; k++) {
            double sum = 0, sizes = 0;
            for (int j = 0; j < N; j++) {
                double term = (j <= i ? A[i * N + j] : A[j * N + i]) * X[j * Q + k];
                sum += term;
                sizes += fabs(term);
            }
            assert_true(fabs(sum - B[i * Q + k]) <= 10 * N * DBL_EPSILON * (sizes + 1));
        }
    free(L);
    free(X);
    free(B);
    free(A);
}

/* Several blocks of L and pieces of B, in a wider matrix: L X = B and L' X = B to n eps |L| |X| per entry with one thread and
 * with two. The bits are the same but on x86-64, where OpenBLAS chooses its kernel by the size of a piece. */
static void thin_solves_by_blocks(void **state)
{
    enum { ROWS = 700, WIDE = 21 };
    static const int64_t widths[] = {1, 7, 20};
    volt_rng rng = test_rng(96);
    double *A = plain_random_spd(&rng, ROWS, 1), *B = normal_rows(&rng, ROWS, WIDE);
    check_ok(volt_cholesky(volt_matrix_of(A, ROWS, ROWS), silent));
    volt_matrix L = volt_matrix_of(A, ROWS, ROWS);
    for (int w = 0; w < 3; w++)
        for (int transposed = 0; transposed < 2; transposed++) {
            double *X[2];
            for (int threads = 1; threads <= 2; threads++) {
                double *x = X[threads - 1] = new_matrix(ROWS, WIDE);
                memcpy(x, B, (size_t)(ROWS * WIDE) * sizeof *x);
                volt_matrix thin = {x, ROWS, widths[w], WIDE};
                check_ok(volt_set_threads(threads));
                (transposed ? volt_cholesky_backward : volt_cholesky_forward)(L, thin);
            }
#ifndef __x86_64__
            assert_memory_equal(X[0], X[1], (size_t)(ROWS * WIDE) * sizeof(double));
#endif
            for (int64_t at = 0; at < 2 * ROWS; at++)
                for (int64_t k = 0; k < WIDE; k++) {
                    const double *x = X[at / ROWS];
                    int64_t i = at % ROWS;
                    double sum = 0, size = 0;
                    for (int64_t j = 0; j < ROWS && k < widths[w]; j++) {
                        double l = transposed ? (j >= i ? A[j * ROWS + i] : 0) : (j <= i ? A[i * ROWS + j] : 0);
                        sum += l * x[j * WIDE + k];
                        size += fabs(l * x[j * WIDE + k]);
                    }
                    double expected = B[i * WIDE + k], found = k < widths[w] ? sum : x[i * WIDE + k];
                    if (!(fabs(found - expected) <= ROWS * DBL_EPSILON * size))
                        fail_msg("row %d, column %d: %g instead of %g", (int)i, (int)k, found, expected);
                }
            free(X[0]);
            free(X[1]);
        }
    check_ok(volt_set_threads(0));
    free(A);
    free(B);
}

/* ---- condition -------------------------------------------------------------------------------- */

static void norm_is_largest_column_sum(void **state)
{
    double A[] = {1, NAN, NAN, -2, 3, NAN, 4, -5, 6}, sums[VOLT_NORM_BANDS * 3];
    assert_true(volt_symmetric_norm(volt_view_of(A, 3, 3), sums) == 15);
    A[3] = NAN;
    assert_true(isnan(volt_symmetric_norm(volt_view_of(A, 3, 3), sums)));
    A[3] = INFINITY;
    assert_true(isinf(volt_symmetric_norm(volt_view_of(A, 3, 3), sums)));
}

/* rcond = 1 / (|A| |A^-1|) in the 1-norm, from the explicit inverse. */
static void condition_estimate_is_within_factor_ten(void **state)
{
    volt_rng rng = test_rng(94);
    for (int64_t n = 1; n <= 40; n += 3)
        for (double shift = 1e-8; shift <= 10; shift *= 100) {
            double *A = plain_random_spd(&rng, n, shift), *inverse = new_matrix(n, n),
                   *sums = new_matrix(VOLT_NORM_BANDS, n);
            for (int64_t i = 0; i < n * n; i++)
                inverse[i] = i / n == i % n;
            plain_solve(volt_view_of(A, n, n), volt_matrix_of(inverse, n, n));
            double norm = volt_symmetric_norm(volt_view_of(A, n, n), sums);
            double truth = 1 / (norm * volt_symmetric_norm(volt_view_of(inverse, n, n), sums)), rcond = -1;
            check_ok(volt_cholesky(volt_matrix_of(A, n, n), silent));
            check_ok(volt_cholesky_rcond(volt_matrix_of(A, n, n), norm, &rcond));
            if (!(rcond <= 10 * truth && rcond >= truth / 10))
                fail_msg("n = %d, shift %g: rcond %g, truth %g", (int)n, shift, rcond, truth);
            free(sums);
            free(inverse);
            free(A);
        }
}

/* A A^{-1} = 1, for one tile and for several. Rounding is n eps / rcond; the tolerance allows a factor of
 * 100. */
static void inverse_times_matrix_is_identity(void **state)
{
    static const int64_t sizes[] = {1, 7, 64, 300, 528}; /* up to three tiles of 256 rows */
    volt_rng rng = test_rng(95);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s], every = n > 300 ? 37 : 1; /* columns that are checked */
        double *A = plain_random_spd(&rng, n, 1), *P = new_matrix(n, n), *sums = new_matrix(VOLT_NORM_BANDS, n),
               rcond = 0;
        memcpy(P, A, (size_t)(n * n) * sizeof *P);
        check_ok(volt_cholesky(volt_matrix_of(P, n, n), silent));
        check_ok(volt_cholesky_rcond(volt_matrix_of(P, n, n), volt_symmetric_norm(volt_view_of(A, n, n), sums),
                                     &rcond));
        volt_cholesky_invert(volt_matrix_of(P, n, n), NULL);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j += every) {
                double sum = 0;
                for (int64_t k = 0; k < n; k++)
                    sum += A[i * n + k] * P[k > j ? k * n + j : j * n + k];
                assert_true(fabs(sum - (i == j)) <= 100 * (double)n * DBL_EPSILON / rcond);
            }
        free(sums);
        free(P);
        free(A);
    }
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_shapes_are_rejected(void **state)
{
    double A[9] = {1};
    volt_matrix narrow = {A, 3, 3, 2}, wide = {A, 3, 3, (int64_t)1 << 31};
    check_fails(volt_cholesky(volt_matrix_of(A, 3, 2), silent), VOLT_ERR_SHAPE, "x 3 2");
    check_fails(volt_cholesky(volt_matrix_of(A, 0, 0), silent), VOLT_ERR_SHAPE, "x 0");
    check_fails(volt_cholesky(volt_matrix_of(NULL, 3, 3), silent), VOLT_ERR_SHAPE, "x 3");
    check_fails(volt_cholesky(narrow, silent), VOLT_ERR_SHAPE, "dimension 2");
    check_fails(volt_cholesky(wide, silent), VOLT_ERR_SHAPE, "2147483648");
}

typedef struct calls {
    int count, cancel_at;
    double last;
    int in_order;
} calls;

static int note(const char *stage, double fraction, void *context)
{
    calls *c = context;
    c->in_order = c->in_order && strcmp(stage, "factor") == 0 && fraction >= c->last && fraction <= 1;
    c->last = fraction;
    return ++c->count == c->cancel_at;
}

static void progress_callback_cancels(void **state)
{
    enum { N = 600 };
    volt_rng rng = test_rng(95);
    for (int64_t threads = 1; threads <= 2; threads++) {
        check_ok(volt_set_threads(threads));
        double *A = cheap_spd(&rng, N, N);
        calls c = {.cancel_at = 1, .in_order = 1};
        volt_progress progress = {note, &c};
        check_fails(volt_cholesky(volt_matrix_of(A, N, N), progress), VOLT_ERR_CANCELLED, "factor");
        assert_int_equal(c.count, 1);
        free(A);

        A = cheap_spd(&rng, N, N);
        calls all = {.in_order = 1};
        progress.context = &all;
        check_ok(volt_cholesky(volt_matrix_of(A, N, N), progress));
        assert_true(all.in_order && all.count >= 2 && all.last == 1);
        free(A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(factors_reproduce_the_matrix),
        cmocka_unit_test_teardown(bad_pivots_are_reported, restore_threads),
        cmocka_unit_test(nan_pivot_is_reported),
        cmocka_unit_test(pivots_made_bad_by_updates_are_reported),
        cmocka_unit_test(solves_invert_the_factor),
        cmocka_unit_test(thin_solves_by_blocks),
        cmocka_unit_test(norm_is_largest_column_sum),
        cmocka_unit_test(condition_estimate_is_within_factor_ten),
        cmocka_unit_test(inverse_times_matrix_is_identity),
        cmocka_unit_test(invalid_shapes_are_rejected),
        cmocka_unit_test_teardown(progress_callback_cancels, restore_threads),
    };
    return cmocka_run_group_tests_name("cholesky", tests, NULL, NULL);
}
