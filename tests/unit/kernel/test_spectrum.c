/* tests/unit/kernel/test_spectrum.c: spectral radii and norms of matrices with known spectra. */
#include "kernel/reservoir.h"
#include "support/check.h"
#include "support/sequences.h"

/* A <- H A, or A H if `right`, with H a random reflection I - 2 v v' / v'v. */
static void reflect(volt_rng *rng, double *A, int64_t n, bool left, bool right)
{
    double *v = new_matrix(1, n), square = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = volt_rng_normal(rng);
        square += v[i] * v[i];
    }
    for (int side = 0; side < 2; side++)
        for (int64_t j = 0; j < n && (side ? right : left); j++) {
            double part = 0;
            for (int64_t i = 0; i < n; i++)
                part += v[i] * (side ? A[j * n + i] : A[i * n + j]);
            for (int64_t i = 0; i < n; i++)
                *(side ? &A[j * n + i] : &A[i * n + j]) -= 2 * part / square * v[i];
        }
    free(v);
}

/* Rotations of known modulus and one real number on the diagonal, in a random orthogonal basis: a normal
 * matrix, whose norm is its radius. With different bases on the two sides only the norm is preserved. Such
 * products have an error of n eps times the norm; the iteration stops at 1e-13 of the radius. */
static void known_spectra(void **state)
{
    volt_rng rng = test_rng(7101);
    static const int64_t sizes[] = {1, 2, 3, 6, 25, 60, 121};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int round = 0; round < 4; round++) {
            int64_t n = sizes[s];
            double *A = calloc((size_t)(n * n), sizeof *A), largest = 0, radius = 0, norm = 0;
            assert_non_null(A);
            for (int64_t k = 0; k < n; k += 2) {
                double modulus = 0.1 + volt_rng_uniform(&rng), angle = 3 * volt_rng_uniform(&rng);
                largest = fmax(largest, modulus);
                A[k * n + k] = k + 1 < n ? modulus * cos(angle) : -modulus;
                if (k + 1 < n) {
                    A[(k + 1) * n + k + 1] = modulus * cos(angle);
                    A[k * n + k + 1] = -modulus * sin(angle);
                    A[(k + 1) * n + k] = modulus * sin(angle);
                }
            }
            for (int r = 0; r < 3; r++)
                reflect(&rng, A, n, true, round % 2 == 0);
            double tolerance = 1e-11 * largest;
            check_ok(volt_spectral_norm(A, n, &norm));
            assert_true(fabs(norm - largest) <= tolerance);
            check_ok(volt_spectral_radius(A, n, &radius));
            if (round % 2 == 0 && fabs(radius - largest) > tolerance)
                fail_msg("size %d: radius %.17g, and %.17g is right", (int)n, radius, largest);
            assert_true(radius <= norm * (1 + 1e-12));
            free(A);
        }
}

/* Jordan blocks and nilpotent matrices: the radius of a nilpotent matrix is 0. */
static void hard_spectra(void **state)
{
    double zero[9] = {0}, shift[9] = {0, 1, 0, 0, 0, 1, 0, 0, 0}, one[4] = {3, 0, 0, -4}, radius = -1;
    check_ok(volt_spectral_radius(zero, 3, &radius));
    assert_true(radius == 0);
    check_ok(volt_spectral_radius(shift, 3, &radius));
    assert_true(radius < 1e-5); /* a cube root of rounding */
    check_ok(volt_spectral_norm(shift, 3, &radius));
    assert_true(fabs(radius - 1) < 1e-12);
    check_ok(volt_spectral_radius(one, 2, &radius));
    assert_true(fabs(radius - 4) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_spectra),
        cmocka_unit_test(hard_spectra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
