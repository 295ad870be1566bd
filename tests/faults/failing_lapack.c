/* tests/faults/failing_lapack.c: failing LAPACK routines.
 *
 * A call of dpotrf or dgesdd that fails leaves its arguments as they were and INFO = 1. dtrtri fails where a
 * pivot is zero, and is called on factors whose pivots were found positive one by one; dlauum fails for no
 * matrix, and BLAS proper has no way to report a failure: these are not replaced. In builds without a BLAS the
 * linker replaces the routines of the library (--wrap). */
#define _GNU_SOURCE
#include "failing.h"

#include <dlfcn.h>
#include <string.h>

/* Fortran passes addresses, and the lengths of texts last. */
typedef void factor_fn(const char *uplo, const int *n, double *a, const int *lda, int *info, int length);
typedef void singular_fn(const char *job, const int *m, const int *n, double *a, const int *lda, double *values,
                         double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *size,
                         int *iwork, int *info, int length);

#ifdef VOLT_PLAIN_BLAS
#define dpotrf_ __wrap_volt_plain_dpotrf
#define dgesdd_ __wrap_volt_plain_dgesdd
factor_fn __real_volt_plain_dpotrf;
singular_fn __real_volt_plain_dgesdd;
#endif

factor_fn dpotrf_;
singular_fn dgesdd_;

static factor_fn *next_dpotrf;
static singular_fn *next_dgesdd;

#ifdef VOLT_PLAIN_BLAS

void fault_find_lapack(void)
{
    next_dpotrf = __real_volt_plain_dpotrf;
    next_dgesdd = __real_volt_plain_dgesdd;
}

#else

static void find(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

void fault_find_lapack(void)
{
    find("dpotrf_", &next_dpotrf);
    find("dgesdd_", &next_dgesdd);
}

#endif

static bool fails(int *info)
{
    if (!fault_due(FAULT_LAPACK))
        return false;
    *info = 1;
    return true;
}

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, int length)
{
    if (!fails(info))
        next_dpotrf(uplo, n, a, lda, info, length);
}

void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *values, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *size, int *iwork, int *info,
             int length)
{
    if (!fails(info))
        next_dgesdd(job, m, n, a, lda, values, u, ldu, vt, ldvt, work, size, iwork, info, length);
}
