/* src/base/blas.h: the BLAS and LAPACK interface, through CBLAS and the Fortran symbols. In builds without a BLAS
 * the names are macros for the routines of base/noblas/plain_blas.h.
 *
 * A row-major lower triangle is a column-major upper triangle, so LAPACK is called with 'U' on the
 * same memory, without transposing or copying. */
#ifndef BASE_BLAS_H
#define BASE_BLAS_H

#include "volterra/base.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef VOLT_PLAIN_BLAS
#include "base/noblas/plain_blas.h"
#else
#include <cblas.h>
#endif

/* The integer type of the BLAS found at configure time. */
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

void dsyevd_(const char *jobs, const char *uplo, const volt_blas_int *n, double *a, const volt_blas_int *lda,
             double *values, double *work, const volt_blas_int *work_size, volt_blas_int *iwork,
             const volt_blas_int *iwork_size, volt_blas_int *info, int jobs_length, int uplo_length);

void dgesdd_(const char *job, const volt_blas_int *m, const volt_blas_int *n, double *a,
             const volt_blas_int *lda, double *values, double *u, const volt_blas_int *ldu, double *vt,
             const volt_blas_int *ldvt, double *work, const volt_blas_int *work_size, volt_blas_int *iwork,
             volt_blas_int *info, int job_length);

/* Whether the BLAS must not be called from several threads: an OpenBLAS without threads protects its buffers only
 * if built with USE_LOCKING=1, which it does not report. */
bool volt_blas_needs_one_thread(void);

/* Sets the number of BLAS threads for calls from outside a parallel region. */
void volt_blas_set_threads(int64_t count);

/* OpenBLAS allocates its own buffers, and hangs when that fails (blas_buffers.c). Every library function that
 * calls BLAS makes a claim first, from the calling thread, before it checks the memory available for its
 * matrices. Nested claims of the same thread have no effect. VOLT_ERR_MEMORY, with the sizes.
 *
 *     volt_blas_use use;
 *     VOLT_TRY(volt_blas_claim(&use));
 *     volt_status status = work();
 *     volt_blas_release(&use); */
typedef struct volt_blas_use {
    bool is_outer;
    int64_t buffers;
} volt_blas_use;

volt_status volt_blas_claim(volt_blas_use *use);
void volt_blas_release(const volt_blas_use *use);
/* A thread of a parallel region uses the claim of the thread that opened the region, which covers all its
 * threads. Pass true when it begins, and the returned value when it ends. */
bool volt_blas_set_claimed(bool is_under);

/* The core that OpenBLAS detected before the override (blas.c); NULL without an override. */
const char *volt_blas_overridden_core(void);
/* Logs the override, once. */
void volt_blas_log_core(void);

/* Name, version and threading of the BLAS, where available. */
const char *volt_blas_name(void);

#endif
