/* tests/faults/failing_lapack.c: failing LAPACK routines.
 *
 * A call of dpotrf or dpocon that fails leaves its arguments as they were and INFO = 1. dtrtri fails where a
 * pivot is zero, and is called on factors whose pivots were found positive one by one; dlauum fails for no
 * matrix, and BLAS proper has no way to report a failure: these are not replaced. */
#define _GNU_SOURCE
#include "failing.h"

#include <dlfcn.h>
#include <string.h>

/* Fortran passes addresses, and the lengths of texts last. */
typedef void factor_fn(const char *uplo, const int *n, double *a, const int *lda, int *info, int length);
typedef void condition_fn(const char *uplo, const int *n, const double *a, const int *lda, const double *norm,
                          double *rcond, double *work, int *iwork, int *info, int length);

factor_fn dpotrf_;
condition_fn dpocon_;

static factor_fn *next_dpotrf;
static condition_fn *next_dpocon;

static void find(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

void fault_find_lapack(void)
{
    find("dpotrf_", &next_dpotrf);
    find("dpocon_", &next_dpocon);
}

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

void dpocon_(const char *uplo, const int *n, const double *a, const int *lda, const double *norm, double *rcond,
             double *work, int *iwork, int *info, int length)
{
    if (!fails(info))
        next_dpocon(uplo, n, a, lda, norm, rcond, work, iwork, info, length);
}
