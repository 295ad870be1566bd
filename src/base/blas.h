/* src/base/blas.h: the BLAS and LAPACK that the library calls, through CBLAS and the Fortran symbols.
 *
 * A row-major lower triangle is a column-major upper triangle, so LAPACK is called with 'U' on the
 * same memory: nothing is transposed and nothing is copied. */
#ifndef BASE_BLAS_H
#define BASE_BLAS_H

#include "volterra/base.h"

#include <cblas.h>
#include <stdbool.h>
#include <stdint.h>

/* The integer of the BLAS that was found at configure time. */
#ifdef VOLT_BLAS_ILP64
typedef int64_t volt_blas_int;
#else
typedef int volt_blas_int;
#endif

void dpotrf_(const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda, volt_blas_int *info,
             int uplo_length);
void dtrtri_(const char *uplo, const char *diagonal, const volt_blas_int *n, double *a,
             const volt_blas_int *lda, volt_blas_int *info, int uplo_length, int diagonal_length);
void dlauum_(const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda, volt_blas_int *info,
             int uplo_length);
void dpocon_(const char *uplo, const volt_blas_int *n, const double *a, const volt_blas_int *lda,
             const double *norm, double *rcond, double *work, volt_blas_int *iwork, volt_blas_int *info,
             int uplo_length);

void dsyevd_(const char *jobs, const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda,
             double *values, double *work, const volt_blas_int *work_size, volt_blas_int *iwork,
             const volt_blas_int *iwork_size, volt_blas_int *info, int jobs_length, int uplo_length);

/* Threads that BLAS may use in calls from outside a parallel region. */
void volt_blas_set_threads(int64_t count);

/* BLAS takes memory for itself, and hangs where there is none (blas_buffers.c). Every function of the library that
 * comes to BLAS claims first, from the thread that called it, and before it looks how much memory is left for its own
 * matrices; inside another claim of the same thread nothing happens. VOLT_ERR_MEMORY, with the figures.
 *
 *     volt_blas_use use;
 *     VOLT_TRY(volt_blas_claim(&use));
 *     volt_status status = work();
 *     volt_blas_release(&use);                                                                        */
typedef struct volt_blas_use {
    bool is_outer;
    int64_t buffers;
} volt_blas_use;

volt_status volt_blas_claim(volt_blas_use *use);
void volt_blas_release(const volt_blas_use *use);
/* A thread of a parallel region works under the claim of the thread that opened it, which is for as many: true when it
 * begins, and what that returned when it ends. */
bool volt_blas_set_claimed(bool is_under);

/* What OpenBLAS took this processor for before it was told better (blas_core.c); NULL: it knew. */
const char *volt_blas_misjudged(void);
/* Say so in the log, once. */
void volt_blas_say_core(void);

/* Name, version and threading of the BLAS, as far as it tells. */
const char *volt_blas_name(void);

#endif
