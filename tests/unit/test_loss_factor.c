/* tests/unit/test_loss_factor.c: blocked solves with a factor that exceeds the cache of one thread. */
#include "loss/loss_methods.h"
#include "support/sequences.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* L L' x = b with a known x, for one and two columns, around the size from which blocks are used. */
static void block_solve_equals_full_solve(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 193, 999, 1000, 1153};
    volt_rng rng = test_rng(31);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t q = 1; q <= 2; q++) {
            int64_t n = sizes[s];
            double *L = new_matrix(n, n), *x = normal_rows(&rng, n, q), *b = new_matrix(n, q),
                   *half = new_matrix(n, q);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) /* entries above the diagonal are not read */
                    L[i * n + j] = j > i    ? NAN
                                   : j == i ? 1 + volt_rng_uniform(&rng)
                                            : volt_rng_normal(&rng) / (2.0 * (double)n);
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < q; k++) {
                    half[i * q + k] = 0;
                    for (int64_t j = i; j < n; j++)
                        half[i * q + k] += L[j * n + i] * x[j * q + k];
                }
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < q; k++) {
                    b[i * q + k] = 0;
                    for (int64_t j = 0; j <= i; j++)
                        b[i * q + k] += L[i * n + j] * half[j * q + k];
                }
            volt_loss_solve_factor(volt_matrix_of(L, n, n), volt_matrix_of(b, n, q));
            /* The diagonal lies in (1, 2) and the other entries are small: the condition number of L L' is
             * below 100. */
            for (int64_t i = 0; i < n * q; i++)
                if (!(fabs(b[i] - x[i]) <= 100 * 100 * (double)n * DBL_EPSILON))
                    fail_msg("n = %d: %.17g, and should be %.17g", (int)n, b[i], x[i]);
            free(half);
            free(b);
            free(x);
            free(L);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(block_solve_equals_full_solve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
