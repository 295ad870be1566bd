/* bench/bench_dense.c: GFLOP/s of dgemm and dpotrf on one thread, of the BLAS or of builds without one.
 *
 * The time is that of the processor, so that other work on the machine disturbs it little. A product takes 2 n^3
 * operations, a factorisation n^3 / 3. */
#include "base/blas.h"
#include "measure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5 };

typedef struct dense_problem {
    volt_blas_int n;
    double *A, *B, *C;
    int factors; /* the matrix A A' + n I in B, instead of the product A B' */
} dense_problem;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double run(void *context)
{
    const dense_problem *p = context;
    volt_blas_int n = p->n, info = 0;
    if (p->factors)
        memcpy(p->C, p->B, (size_t)n * (size_t)n * sizeof *p->C);
    double begin = processor_seconds();
    if (p->factors)
        dpotrf_("U", &n, p->C, &n, &info, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, p->A, n, p->B, n, 0, p->C, n);
    return processor_seconds() - begin;
}

/* A few entries of the product, or of L L', against their definition. */
static void check(const dense_problem *p)
{
    int64_t n = p->n;
    for (int64_t i = 0; i < n; i += 97) {
        int64_t j = i * 3 % (i + 1);
        double sum = 0, size = 0;
        for (int64_t k = 0; k < (p->factors ? j + 1 : n); k++) {
            double term = p->factors ? p->C[i * n + k] * p->C[j * n + k] : p->A[i * n + k] * p->B[j * n + k];
            sum += term;
            size += fabs(term);
        }
        need_close("dgemm or dpotrf", fabs(sum - (p->factors ? p->B : p->C)[i * n + j]),
                   2 * (double)n * DBL_EPSILON * size);
    }
}

static void measure(dense_problem *p)
{
    char parameters[32];
    double n = p->n;
    snprintf(parameters, sizeof parameters, "n=%d threads=1", (int)p->n);
    measurement m = {.name = p->factors ? "dpotrf" : "dgemm", .parameters = parameters, .unit = "GFLOP/s"};
    m.time = time_runs(run, p, RUNS);
    check(p);
    m.value = 1e-9 * n * n * n * (p->factors ? 1.0 / 3 : 2) / m.time.best;
    report(&m);
}

int main(void)
{
    const volt_blas_int sizes[] = {500, 2000};
    need(volt_set_threads(1), "one thread");
    for (int s = 0; s < 2; s++) {
        volt_blas_int n = sizes[s];
        int64_t cells = (int64_t)n * n;
        dense_problem p = {
            .n = n, .A = need_doubles(cells), .B = need_doubles(cells), .C = need_doubles(cells)};
        volt_rng rng;
        volt_rng_init(&rng, 7, 0);
        for (int64_t i = 0; i < cells; i++) {
            p.A[i] = volt_rng_normal(&rng);
            p.B[i] = volt_rng_normal(&rng);
        }
        measure(&p);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, p.A, n, p.A, n, 0, p.B, n);
        for (int64_t i = 0; i < n; i++)
            p.B[i * n + i] += n;
        p.factors = 1;
        measure(&p);
        free(p.C);
        free(p.B);
        free(p.A);
    }
    return 0;
}
