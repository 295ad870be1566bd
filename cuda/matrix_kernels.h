/* cuda/matrix_kernels.h: kernels on device matrices. Each function starts a kernel on the stream and
 * returns. */
#ifndef CUDA_MATRIX_KERNELS_H
#define CUDA_MATRIX_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "scan_form.h"

#ifdef __cplusplus
extern "C" {
#endif

/* to[i * ld_to + j] <- from[i * ld_from + j]: for narrow matrices, for which the copy engine is slow. */
void volt_cuda_start_copy(cudaStream_t stream, const double *from, int64_t ld_from, double *to, int64_t ld_to,
                          int64_t rows, int64_t cols);
/* *largest <- the largest of `count` diagonal entries, starting at A; -infinity if there are none. */
void volt_cuda_start_largest(cudaStream_t stream, const double *A, int64_t ld, int64_t count, double *largest);
/* Subtract `common` from rows first .. first + count - 1 of the lower triangle, and add alpha to the
 * diagonal. */
void volt_cuda_start_shift(cudaStream_t stream, double *A, int64_t ld, int64_t first, int64_t count,
                           double common, double alpha);
void volt_cuda_start_mirror(cudaStream_t stream, double *A, int64_t ld, int64_t n, bool up);
void volt_cuda_start_isolate(cudaStream_t stream, double *A, int64_t ld, int64_t i, int64_t first,
                             int64_t count, double diagonal);
/* sums (n): row sums of the absolute values of the symmetric A. The workspace has
 * volt_cuda_norm_workspace(n) numbers. */
int64_t volt_cuda_norm_workspace(int64_t n);
void volt_cuda_start_sums(cudaStream_t stream, const double *A, int64_t ld, int64_t n, double *workspace,
                          double *sums);
/* T (n x n, ld n) <- the lower triangle of A, with zeros above. */
void volt_cuda_start_triangle(cudaStream_t stream, const double *A, int64_t ld, int64_t n, double *T);

/* T[j * ld_T + i] <- F[i * ld + j]: T (cols x ld_T) is the transpose of F (rows x cols). */
void volt_cuda_start_transpose(cudaStream_t stream, const double *F, int64_t ld, int64_t rows, int64_t cols,
                               double *T, int64_t ld_T);

/* D <- `count` identity matrices of this size, one after the other. */
void volt_cuda_start_identities(cudaStream_t stream, double *D, int64_t size, int64_t count);

/* F[i * ld_F + a] <- K[i * ld_K + column[a]] - shift[a]; columns are stored as whole numbers. */
void volt_cuda_start_gather(cudaStream_t stream, const double *K, int64_t ld_K, const double *column,
                            const double *shift, double *F, int64_t ld_F, int64_t rows, int64_t cols);

/* L[a][b] <- L[b][a] where column[b] > column[a]; L is n x n. */
void volt_cuda_start_complete(cudaStream_t stream, const double *column, double *L, int64_t ld, int64_t n);

/* Compute all entries of the grid, which is in device memory, into K. */
void volt_cuda_start_scan(cudaStream_t stream, const volt_form_grid *grid, double *K, int64_t ld);

#ifdef __cplusplus
}
#endif

#endif
