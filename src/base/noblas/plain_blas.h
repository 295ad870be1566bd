/* src/base/noblas/plain_blas.h: the routines of BLAS and LAPACK that the library calls, for builds without a BLAS
 * (-DVOLT_BLAS=none).
 *
 * They have the names and arguments of CBLAS and LAPACK, which macros map to names with the prefix of the
 * library, and cover only the cases in use: matrices are row-major, triangles have a diagonal of their own
 * (CblasNonUnit), and triangular solves and products take lower triangles. LAPACK's column-major upper triangle
 * is a row-major lower one. Each call uses one thread and does not allocate memory; the sums of an entry are in
 * the same order wherever the entry is in its matrix. */
#ifndef BASE_PLAIN_BLAS_H
#define BASE_PLAIN_BLAS_H

#include <stdint.h>

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

#define cblas_ddot volt_plain_ddot
#define cblas_dnrm2 volt_plain_dnrm2
#define cblas_dscal volt_plain_dscal
#define cblas_dgemv volt_plain_dgemv
#define cblas_dsymv volt_plain_dsymv
#define cblas_dtrsv volt_plain_dtrsv
#define cblas_dgemm volt_plain_dgemm
#define cblas_dsyrk volt_plain_dsyrk
#define cblas_dsymm volt_plain_dsymm
#define cblas_dtrsm volt_plain_dtrsm
#define cblas_dtrmm volt_plain_dtrmm
#define dpotrf_ volt_plain_dpotrf
#define dtrtri_ volt_plain_dtrtri
#define dlauum_ volt_plain_dlauum
#define dsyevd_ volt_plain_dsyevd
#define dgesdd_ volt_plain_dgesdd

/* ---- vectors, and a matrix with a vector (plain_vector.c) --------------------------------------- */

double cblas_ddot(int n, const double *x, int step_x, const double *y, int step_y);
double cblas_dnrm2(int n, const double *x, int step);
void cblas_dscal(int n, double alpha, double *x, int step);
/* y <- alpha op(A) x + beta y; A is rows x cols. */
void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transpose, int rows, int cols, double alpha,
                 const double *A, int ld, const double *x, int step_x, double beta, double *y, int step_y);
void cblas_dsymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int n, double alpha, const double *A, int ld,
                 const double *x, int step_x, double beta, double *y, int step_y);
/* x <- op(L)^-1 x. */
void cblas_dtrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose, CBLAS_DIAG diagonal, int n,
                 const double *L, int ld, double *x, int step);

/* ---- products of matrices (plain_gemm.c) -------------------------------------------------------- */

/* C <- alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n. */
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, int m, int n,
                 int k, double alpha, const double *A, int ld_a, const double *B, int ld_b, double beta,
                 double *C, int ld_c);
/* Lower triangle of C <- alpha op(A) op(A)' + beta C; op(A) is n x k. */
void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose, int n, int k, double alpha,
                 const double *A, int ld_a, double beta, double *C, int ld_c);

/* ---- triangular and symmetric matrices (plain_triangle.c) --------------------------------------- */

/* C <- alpha A B + beta C for the symmetric A (m x m) of the upper triangle. */
void cblas_dsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, double alpha,
                 const double *A, int ld_a, const double *B, int ld_b, double beta, double *C, int ld_c);
/* B <- alpha op(L)^-1 B (left) or alpha B op(L)^-1 (right); B is m x n. */
void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose,
                 CBLAS_DIAG diagonal, int m, int n, double alpha, const double *L, int ld_l, double *B,
                 int ld_b);
/* B <- alpha L' B. */
void cblas_dtrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose,
                 CBLAS_DIAG diagonal, int m, int n, double alpha, const double *L, int ld_l, double *B,
                 int ld_b);

#endif
