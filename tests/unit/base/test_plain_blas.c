/* tests/unit/base/test_plain_blas.c: the routines of builds without a BLAS, compared with loops over the definition.
 *
 * Sums of k products in any order differ by at most 2 k u sum |a_p b_p| (Higham, Accuracy and Stability of
 * Numerical Algorithms, section 3.1), u = DBL_EPSILON / 2. Solves and factors are checked by their residuals,
 * with the bounds of its chapters 8 and 10. */
#include "base/blas.h"
#include "base/numbers.h"
#include "support/check.h"
#include "volterra/base.h"

enum { LARGEST = 210, LD = LARGEST + 3, CELLS = LARGEST * LD, MARK = -77 };

static const int sizes[] = {1, 2, 3, 4, 5, 8, 31, 32, 33, 65, 97, 130, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes, EVERY = UNDER_SANITIZERS ? 3 : 1 };

static double A[CELLS], B[CELLS], C[CELLS], D[CELLS], E[CELLS];
static uint64_t seed = 20261117;

static double next(void) /* uniform on (-1, 1) */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) * 0x1p-52 - 1;
}

static void fill(double *M)
{
    for (int i = 0; i < CELLS; i++)
        M[i] = next();
}

/* L: a lower triangle whose inverse is of moderate size; NaN above the diagonal, which must not be read. */
static void fill_triangle(int n, double *L)
{
    for (int i = 0; i < CELLS; i++)
        L[i] = NAN;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            L[i * LD + j] = i == j ? 2 + next() : next() / n;
}

static double entry(const double *M, int transpose, int i, int j)
{
    return transpose ? M[j * LD + i] : M[i * LD + j];
}

static double lower(const double *L, int i, int j)
{
    return j > i ? 0 : L[i * LD + j];
}

static void close_to(double value, double expected, double bound)
{
    if (!(fabs(value - expected) <= bound))
        fail_msg("%.17g instead of %.17g, bound %g", value, expected, bound);
}

/* ---- products --------------------------------------------------------------------------------- */

static void check_gemm(int m, int n, int k, int ta, int tb, double alpha, double beta)
{
    for (int i = 0; i < CELLS; i++)
        C[i] = D[i] = beta == 0 ? NAN : next();
    cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha,
                A, LD, B, LD, beta, C, LD);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int p = 0; p < k; p++) {
                double product = entry(A, ta, i, p) * entry(B, tb, p, j);
                sum += product;
                size += fabs(product);
            }
            double old = beta == 0 ? 0 : beta * D[i * LD + j];
            close_to(C[i * LD + j], alpha * sum + old,
                     (k + 2) * DBL_EPSILON * (fabs(alpha) * size + fabs(old)));
        }
    for (int i = 0; i < m; i++) /* beyond its columns nothing changes */
        assert_memory_equal(C + i * LD + n, D + i * LD + n, (size_t)(LD - n) * sizeof *C);
}

static void products_match_definition(void **state)
{
    fill(A);
    fill(B);
    for (int s = 0; s < SIZES; s += EVERY)
        for (int t = 0; t < 4; t++) {
            int m = sizes[s], n = sizes[(s * 5 + t) % SIZES], k = sizes[(s * 3 + 2 * t + 1) % SIZES];
            check_gemm(m, n, k, t & 1, t >> 1, 1, 0);
            check_gemm(m, n, k, t & 1, t >> 1, -0.5, 1);
            check_gemm(n, m, k, t & 1, t >> 1, 2, -3);
        }
    check_gemm(4, 5, 0, 0, 0, 1, 2);
    check_gemm(4, 5, 3, 0, 0, 0, 2); /* only scales C */
}

/* Products with few columns or rows are computed in blocks of 256: here more rows and terms than one block has. */
static void thin_products_of_several_blocks(void **state)
{
    enum { ROWS = 270, TERMS = 300 };
    static double wide[ROWS * TERMS], thin[TERMS * 2], out[ROWS * 2];
    for (int i = 0; i < ROWS * TERMS; i++)
        wide[i] = next();
    for (int i = 0; i < TERMS * 2; i++)
        thin[i] = next();
    for (int columns = 1; columns <= 2; columns++)
        for (int few_rows = 0; few_rows < 2; few_rows++) {
            if (few_rows) /* out' = thin' wide' */
                cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, columns, ROWS, TERMS, 1, thin, columns, wide,
                            TERMS, 0, out, ROWS);
            else
                cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, ROWS, columns, TERMS, 1, wide, TERMS,
                            thin, columns, 0, out, columns);
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < columns; j++) {
                    double sum = 0, size = 0;
                    for (int p = 0; p < TERMS; p++) {
                        sum += wide[i * TERMS + p] * thin[p * columns + j];
                        size += fabs(wide[i * TERMS + p] * thin[p * columns + j]);
                    }
                    close_to(out[few_rows ? j * ROWS + i : i * columns + j], sum, TERMS * DBL_EPSILON * size);
                }
        }
}

static void symmetric_products_match_definition(void **state)
{
    for (int s = 0; s < SIZES; s += EVERY)
        for (int t = 0; t < 2; t++) {
            int n = sizes[s], k = sizes[(s + 7) % SIZES];
            fill(A);
            fill(C);
            memcpy(D, C, sizeof C);
            cblas_dsyrk(CblasRowMajor, CblasLower, t ? CblasTrans : CblasNoTrans, n, k, -1, A, LD, 0.5, C, LD);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0.5 * D[i * LD + j], size = fabs(sum);
                    for (int p = 0; p < k; p++) {
                        double product = entry(A, t, i, p) * entry(A, !t, p, j);
                        sum -= product;
                        size += fabs(product);
                    }
                    if (j > i)
                        assert_true(C[i * LD + j] == D[i * LD + j]);
                    else
                        close_to(C[i * LD + j], sum, (k + 2) * DBL_EPSILON * size);
                }
            fill(B);
            for (int i = 0; i < n; i++) /* NaN below the diagonal must not be read */
                for (int j = 0; j < i; j++)
                    A[i * LD + j] = NAN;
            int cols = 1 + s % 6;
            for (int i = 0; i < CELLS; i++) /* with beta = 0, C and y are not read */
                C[i] = E[i] = NAN;
            cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, n, cols, 2, A, LD, B, LD, 0, C, LD);
            cblas_dsymv(CblasRowMajor, CblasUpper, n, 2, A, LD, B, LD, 0, E, 2);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < cols; j++) {
                    double sum = 0, size = 0;
                    for (int p = 0; p < n; p++) {
                        double product = 2 * A[(i < p ? i : p) * LD + (i < p ? p : i)] * B[p * LD + j];
                        sum += product;
                        size += fabs(product);
                    }
                    close_to(C[i * LD + j], sum, (n + 2) * DBL_EPSILON * size);
                    if (j == 0)
                        close_to(E[2 * i], sum, (n + 2) * DBL_EPSILON * size);
                }
        }
}

/* C <- 2 A B - C for A = [1 2; 2 3] and B = [1; 10], C = [5; 7]: small integers, exact. */
static void symmetric_product_is_added(void **state)
{
    const double symmetric[] = {1, 2, NAN, 3}, right[] = {1, 10};
    double sum[] = {5, 7};
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, 2, 1, 2, symmetric, 2, right, 1, -1, sum, 1);
    assert_true(sum[0] == 37 && sum[1] == 57);
}

static void vectors_match_definition(void **state)
{
    for (int s = 0; s < SIZES; s += EVERY) {
        int n = sizes[s], m = sizes[(s + 4) % SIZES];
        fill(A);
        fill(B);
        for (int t = 0; t < 2; t++)
            for (int step = 1; step <= 3; step += 2) {
                int rows = t ? n : m, cols = t ? m : n;
                fill(C);
                memcpy(D, C, sizeof C);
                cblas_dgemv(CblasRowMajor, t ? CblasTrans : CblasNoTrans, rows, cols, -1, A, LD, B, step, 1, C,
                            step);
                for (int i = 0; i < m; i++) {
                    double sum = D[i * step], size = fabs(sum);
                    for (int p = 0; p < n; p++) {
                        sum -= entry(A, t, i, p) * B[p * step];
                        size += fabs(entry(A, t, i, p) * B[p * step]);
                    }
                    close_to(C[i * step], sum, (n + 2) * DBL_EPSILON * size);
                }
                double dot = 0, square = 0;
                for (int i = 0; i < n; i++) {
                    dot += A[i * step] * B[i];
                    square += A[i * step] * A[i * step];
                }
                close_to(cblas_ddot(n, A, step, B, 1), dot, 2 * n * DBL_EPSILON * n);
                close_to(cblas_dnrm2(n, A, step), sqrt(square), n * DBL_EPSILON * sqrt(square));
            }
    }
    double extreme[] = {3e300, -4e300}, tiny[] = {3e-300, 4e-300};
    close_to(cblas_dnrm2(2, extreme, 1), 5e300, 5e285);
    close_to(cblas_dnrm2(2, tiny, 1), 5e-300, 5e-315);
    assert_true(isnan(cblas_dnrm2(1, (const double[]){NAN}, 1)) && cblas_dnrm2(0, tiny, 1) == 0);
}

/* ---- triangles -------------------------------------------------------------------------------- */

/* |op(L) x - b| <= n u |op(L)| |x|, entry by entry, for substitution in any order. */
static void check_solution(int n, int transpose, const double *L, const double *x, int step, const double *b,
                           int step_b)
{
    for (int i = 0; i < n; i++) {
        double sum = 0, size = fabs(b[i * step_b]);
        for (int p = 0; p < n; p++) {
            double product = (transpose ? lower(L, p, i) : lower(L, i, p)) * x[p * step];
            sum += product;
            size += fabs(product);
        }
        close_to(sum, b[i * step_b], 2 * (n + 2) * DBL_EPSILON * size);
    }
}

static void triangular_solves_have_small_residuals(void **state)
{
    for (int s = 0; s < SIZES; s += EVERY)
        for (int t = 0; t < 2; t++) {
            int n = sizes[s], m = sizes[(s + 5) % SIZES];
            CBLAS_TRANSPOSE transpose = t ? CblasTrans : CblasNoTrans;
            fill_triangle(n, A);
            fill(B);
            memcpy(C, B, sizeof B);
            cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, n, m, -1, A, LD, C, LD);
            for (int j = 0; j < m; j++) {
                for (int i = 0; i < n; i++)
                    E[i] = -B[i * LD + j];
                check_solution(n, t, A, C + j, LD, E, 1);
            }
            assert_true(m == LARGEST || C[m] == B[m]);
            memcpy(C, B, sizeof B);
            cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, transpose, CblasNonUnit, m, n, 1, A, LD, C, LD);
            for (int i = 0; i < m; i++)
                check_solution(n, !t, A, C + i * LD, 1, B + i * LD, 1);
            memcpy(C, B, sizeof B);
            cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, n, A, LD, C, 2);
            check_solution(n, t, A, C, 2, B, 2);
            memcpy(C, B, sizeof B);
            cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, m, 1, A, LD, C, LD);
            for (int j = 0; j < m; j++)
                check_solution(n, 1, A, B + j, LD, C + j, LD);
        }
}

/* ---- factors ---------------------------------------------------------------------------------- */

/* C <- L L' for L = A. */
static void square_of_triangle(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p <= (i < j ? i : j); p++)
                sum += A[i * LD + p] * A[j * LD + p];
            C[i * LD + j] = j > i ? MARK : sum;
        }
}

static void factors_reproduce_matrix(void **state)
{
    for (int s = 0; s < SIZES; s += EVERY) {
        int n = sizes[s], ld = LD, info = -1;
        fill_triangle(n, A);
        square_of_triangle(n);
        memcpy(D, C, sizeof C);
        dpotrf_("U", &n, C, &ld, &info, 1);
        assert_int_equal(info, 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (j > i) {
                    assert_true(C[i * LD + j] == MARK);
                    continue;
                }
                double sum = 0, size = 0;
                for (int p = 0; p <= j; p++) {
                    sum += C[i * LD + p] * C[j * LD + p];
                    size += fabs(C[i * LD + p] * C[j * LD + p]);
                }
                close_to(sum, D[i * LD + j], 2 * (n + 2) * DBL_EPSILON * size);
            }
        memcpy(E, C, sizeof C); /* the factor, its inverse, and L'L of the inverse: the inverse of the matrix */
        info = -1;
        dtrtri_("U", "N", &n, C, &ld, &info, 1, 1);
        assert_int_equal(info, 0);
        for (int j = 0; j < n; j++) { /* column j of L L^-1 */
            for (int i = 0; i < n; i++) {
                double sum = 0, size = i == j;
                for (int p = j; p <= i; p++) {
                    sum += E[i * LD + p] * C[p * LD + j];
                    size += fabs(E[i * LD + p] * C[p * LD + j]);
                }
                close_to(sum, i == j, 8 * (n + 2) * DBL_EPSILON * size);
            }
        }
        memcpy(D, C, sizeof C);
        info = -1;
        dlauum_("U", &n, C, &ld, &info, 1);
        assert_int_equal(info, 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0, size = 0;
                for (int p = i; p < n; p++) {
                    sum += D[p * LD + i] * D[p * LD + j];
                    size += fabs(D[p * LD + i] * D[p * LD + j]);
                }
                close_to(C[i * LD + j], sum, (n + 2) * DBL_EPSILON * size);
            }
    }
}

static void failing_pivots_are_reported(void **state)
{
    for (int at = 1; at <= 97; at += 16) {
        int n = 97, ld = LD, info = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                C[i * LD + j] = i == j ? (i + 1 == at ? (at % 32 == 1 ? -1 : NAN) : 1) : 0;
        dpotrf_("U", &n, C, &ld, &info, 1);
        assert_int_equal(info, at);
    }
    double zero[] = {1, 0, 1, 0};
    int n = 2, info = 0;
    dtrtri_("U", "N", &n, zero, &n, &info, 1, 1);
    assert_int_equal(info, 2);
}

/* ---- eigenvalues ------------------------------------------------------------------------------ */

static int decompose(const char *job, int n, double *M, double *values)
{
    double work[2 * LARGEST + 1];
    int size = 2 * n + 1, integers = 1, whole[1], info = 0, ld = LD;
    dsyevd_(job, "U", &n, M, &ld, values, work, &size, whole, &integers, &info, 1, 1);
    return info;
}

/* Residuals and deviations from orthogonality are of order n u |A|. */
static void eigenvectors_diagonalise(void **state)
{
    double values[LARGEST], alone[LARGEST];
    for (int s = 0; s < 2 * SIZES; s += EVERY) {
        int n = sizes[s / 2];
        double norm = 0;
        fill(A);
        for (int i = 0; i < n; i++) /* every second one: low rank, with a multiple eigenvalue 0 */
            for (int j = 0; j <= i; j++)
                norm = fmax(norm, n * fabs(A[j * LD + i] = A[i * LD + j] *= s % 2 && (i % 3 || j % 3) ? 0 : 1));
        memcpy(C, A, sizeof A);
        memcpy(D, A, sizeof A);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                C[i * LD + j] = D[i * LD + j] = NAN;
        assert_int_equal(decompose("V", n, C, values), 0);
        assert_int_equal(decompose("N", n, D, alone), 0);
        const double bound = 8 * n * DBL_EPSILON;
        for (int r = 0; r < n; r++) {
            assert_true(r == 0 || values[r] >= values[r - 1]);
            close_to(alone[r], values[r], bound * norm);
            for (int i = 0; i < n; i++) {
                double sum = 0, dot = 0;
                for (int p = 0; p < n; p++) {
                    sum += A[i * LD + p] * C[r * LD + p];
                    dot += C[i * LD + p] * C[r * LD + p];
                }
                close_to(sum, values[r] * C[r * LD + i], bound * norm);
                close_to(dot, i == r, bound);
            }
        }
    }
    A[0] = NAN;
    assert_true(decompose("V", 5, A, values) != 0);
    /* Workspace queries, of either array. */
    for (int which = 0; which < 2; which++) {
        double work = 0;
        int n = 7, ld = LD, size = which ? 15 : -1, integers = which ? -1 : 1, whole = 0, info = 9;
        dsyevd_("V", "U", &n, A, &ld, values, &work, &size, &whole, &integers, &info, 1, 1);
        assert_int_equal(info, 0);
        assert_true(work == 15 && whole == 1);
    }
}

/* A = V S W': orthonormal columns of V with decreasing values, and V V' A = A, entry by entry to n u |A|. */
static void singular_vectors_span_columns(void **state)
{
    for (int s = 0; s < SIZES - 4; s += EVERY) {
        int n = sizes[s + 2], m = sizes[s] < n ? sizes[s] : n, size = m * n, info = -1, whole[8 * LARGEST],
            one = 1;
        double values[LARGEST], norm = 0;
        for (int i = 0; i < m * n; i++) { /* columns of very different sizes */
            B[i] = next() * pow(10, -(i % m) % 9);
            A[i] = B[i];
            norm += B[i] * B[i];
        }
        norm = sqrt(norm);
        dgesdd_("O", &m, &n, B, &m, values, D, &m, NULL, &one, C, &size, whole, &info, 1);
        assert_int_equal(info, 0);
        double sum = 0;
        for (int j = 0; j < m; j++) {
            assert_true(j == 0 || values[j] <= values[j - 1]);
            sum += values[j] * values[j];
            for (int k = 0; k <= j; k++) {
                double dot = 0;
                for (int i = 0; i < n; i++)
                    dot += B[i * m + j] * B[i * m + k];
                close_to(dot, j == k, 8 * (n + m) * DBL_EPSILON);
            }
        }
        close_to(sqrt(sum), norm, 8 * n * DBL_EPSILON * norm);
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                E[k] = 0;
                for (int i = 0; i < n; i++)
                    E[k] += B[i * m + k] * A[i * m + j];
            }
            for (int i = 0; i < n; i++) {
                double back = 0;
                for (int k = 0; k < m; k++)
                    back += B[i * m + k] * E[k];
                close_to(back, A[i * m + j], 8 * (n + m) * DBL_EPSILON * norm);
            }
        }
    }
    int two = 2, size = 4, query = -1, info = -1, whole[16];
    double infinite[] = {NAN, 1, 2, 3}, values[2], needed = 0;
    dgesdd_("O", &two, &two, infinite, &two, values, D, &two, NULL, &two, &needed, &query, whole, &info, 1);
    assert_true(info == 0 && needed == size);
    dgesdd_("O", &two, &two, infinite, &two, values, D, &two, NULL, &two, C, &size, whole, &info, 1);
    assert_true(info > 0);
}

int main(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_definition),
        cmocka_unit_test(thin_products_of_several_blocks),
        cmocka_unit_test(symmetric_products_match_definition),
        cmocka_unit_test(symmetric_product_is_added),
        cmocka_unit_test(vectors_match_definition),
        cmocka_unit_test(triangular_solves_have_small_residuals),
        cmocka_unit_test(factors_reproduce_matrix),
        cmocka_unit_test(failing_pivots_are_reported),
        cmocka_unit_test(eigenvectors_diagonalise),
        cmocka_unit_test(singular_vectors_span_columns),
    };
    return cmocka_run_group_tests_name("plain BLAS", tests, NULL, NULL);
}
