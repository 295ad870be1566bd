/* src/base/symmetric_eigen.h: eigenvalues of small symmetric matrices, bit-identical for any BLAS and number
 * of threads. */
#ifndef BASE_SYMMETRIC_EIGEN_H
#define BASE_SYMMETRIC_EIGEN_H

#include <stdint.h>

/* Diagonalises the symmetric A (d x d, full): eigenvalues A[i * d + i], unsorted, with unit eigenvectors in
 * the rows of V (d x d). Returns 0 when A is not finite. */
int volt_symmetric_eigen(int64_t d, double *A, double *V);

#endif
