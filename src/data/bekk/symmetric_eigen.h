/* src/data/bekk/symmetric_eigen.h: eigenvalues of small symmetric matrices, the same bits whatever the BLAS and the threads. */
#ifndef DATA_SYMMETRIC_EIGEN_H
#define DATA_SYMMETRIC_EIGEN_H

#include <stdint.h>

/* The symmetric A (d x d, full) becomes diagonal: eigenvalues A[i * d + i], in no order, with unit eigenvectors in the
 * rows of V (d x d). Returns 0 when A is not finite. */
int volt_symmetric_eigen(int64_t d, double *A, double *V);

#endif
