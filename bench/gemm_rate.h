/* bench/gemm_rate.h: DGEMM, the reference for other rates. */
#ifndef BENCH_GEMM_RATE_H
#define BENCH_GEMM_RATE_H

#include "measure.h"

enum { GEMM_N = 2048 };
static const double gemm_flops = 2.0 * GEMM_N * GEMM_N * GEMM_N;

/* `count` products of two GEMM_N x GEMM_N matrices with the current number of threads. */
timing time_gemm(int count);

#endif
