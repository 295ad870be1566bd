/* bench/gemm_rate.c: DGEMM, checked and timed. */
#include "gemm_rate.h"

#include "base/blas.h"

#include <math.h>
#include <stdlib.h>

static double run_gemm(void *context)
{
    double *A = context, *B = A + GEMM_N * GEMM_N, *C = B + GEMM_N * GEMM_N;
    double begin = seconds_now();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, GEMM_N, GEMM_N, GEMM_N, 1, A, GEMM_N, B, GEMM_N, 0, C,
                GEMM_N);
    return seconds_now() - begin;
}

timing time_gemm(int count)
{
    double *memory = need_doubles((int64_t)3 * GEMM_N * GEMM_N);
    timing t = time_runs(run_gemm, memory, count);
    double entry = memory[(int64_t)2 * GEMM_N * GEMM_N + 5]; /* sums of GEMM_N ones are exact */
    need_close("the product", fabs(entry - GEMM_N), 0);
    free(memory);
    return t;
}
