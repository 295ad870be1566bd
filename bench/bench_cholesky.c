/* bench/bench_cholesky.c: GFLOP/s of the library's tiled Cholesky, of LAPACK's dpotrf and of DGEMM, the upper bound.
 *
 * All three on the same BLAS. A Cholesky factorisation takes n^3 / 3 operations, a product 2 n^3. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "gemm_rate.h"
#include "measure.h"
#include "plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3 };

typedef struct factor_problem {
    volt_matrix original, A;
    int use_lapack;
} factor_problem;

static void copy_lower(volt_matrix from, volt_matrix to)
{
    for (int64_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.ld, from.data + i * from.ld, (size_t)(i + 1) * sizeof(double));
}

static double run_factor(void *context)
{
    factor_problem *p = context;
    volt_blas_int n = (volt_blas_int)p->A.rows, ld = (volt_blas_int)p->A.ld, info = 0;
    volt_progress silent = {0};
    copy_lower(p->original, p->A);
    double begin = seconds_now();
    if (p->use_lapack)
        dpotrf_("U", &n, p->A.data, &ld, &info, 1); /* row-major lower is column-major upper */
    else
        need(volt_cholesky(p->A, silent), "Cholesky");
    double seconds = seconds_now() - begin;
    if (info != 0) {
        fprintf(stderr, "bench: dpotrf failed\n");
        exit(1);
    }
    return seconds;
}

/* L (L' v) against A v for a random v: |L||L'| <= max_i A_ii in each entry, so both sides differ by at most a
 * small multiple of n eps max A_ii sum|v|. */
static void check_factor(const factor_problem *p)
{
    int64_t n = p->A.rows;
    double *v = need_doubles(n), *u = need_doubles(n), *product = need_doubles(n);
    volt_rng rng;
    volt_rng_init(&rng, 7, 0);
    double sum_v = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = volt_rng_normal(&rng);
        sum_v += fabs(v[i]);
        u[i] = product[i] = 0;
        largest = fmax(largest, p->original.data[i * p->original.ld + i]);
    }
    for (int64_t i = 0; i < n; i++) { /* u = L' v, product = A v by the lower triangle */
        const double *l = p->A.data + i * p->A.ld, *a = p->original.data + i * p->original.ld;
        for (int64_t j = 0; j <= i; j++)
            u[j] += l[j] * v[i];
        for (int64_t j = 0; j < i; j++) {
            product[i] += a[j] * v[j];
            product[j] += a[j] * v[i];
        }
        product[i] += a[i] * v[i];
    }
    double error = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = -product[i];
        for (int64_t j = 0; j <= i; j++)
            sum += p->A.data[i * p->A.ld + j] * u[j];
        if (fabs(sum) > error || isnan(sum))
            error = fabs(sum);
    }
    need_close("the Cholesky factor", error, (double)n * DBL_EPSILON * largest * sum_v);
    free(v);
    free(u);
    free(product);
}

static void measure_gemm(int64_t threads)
{
    char parameters[64];
    snprintf(parameters, sizeof parameters, "n=%d threads=%lld", GEMM_N, (long long)threads);
    measurement m = {.name = "dgemm", .parameters = parameters, .unit = "GFLOP/s"};
    m.time = time_gemm(RUNS);
    m.value = 1e-9 * gemm_flops / m.time.best;
    report(&m);
}

static void measure_factor(factor_problem *p, int64_t threads)
{
    char parameters[64];
    double n = (double)p->A.rows, seconds[2][RUNS];
    for (int run = 0; run < RUNS; run++)
        for (p->use_lapack = 0; p->use_lapack < 2; p->use_lapack++) {
            seconds[p->use_lapack][run] = run_factor(p);
            if (run == 0)
                check_factor(p);
        }
    snprintf(parameters, sizeof parameters, "n=%lld threads=%lld", (long long)p->A.rows, (long long)threads);
    measurement m = {
        .name = "cholesky by tiles", .parameters = parameters, .unit = "GFLOP/s", .peer = "dpotrf"};
    m.time = timing_of(seconds[0], RUNS);
    m.peer_time = timing_of(seconds[1], RUNS);
    m.value = 1e-9 * n * n * n / 3 / m.time.best;
    report(&m);
    measurement lapack = {.name = "dpotrf", .parameters = parameters, .unit = "GFLOP/s", .time = m.peer_time};
    lapack.value = 1e-9 * n * n * n / 3 / lapack.time.best;
    report(&lapack);
}

int main(void)
{
    const int64_t sizes[] = {3008, 5000}, d = 10;
    for (int64_t threads = 1; threads <= 2; threads++) {
        need(volt_set_threads(threads), "threads");
        measure_gemm(threads);
    }
    for (int s = 0; s < 2; s++) {
        int64_t n = sizes[s];
        factor_problem p = {.original = volt_matrix_of(need_doubles(n * n), n, n),
                            .A = volt_matrix_of(need_doubles(n * n), n, n)};
        volt_matrix X = volt_matrix_of(need_doubles(n * d), n, d);
        gaussian_inputs(3, X);
        plain_kernel kernel = {.lift = PLAIN_GEOMETRIC, .tau2 = 0.36, .lambda2 = 0.4};
        plain_gram(&kernel, volt_as_view(X), p.original);
        for (int64_t i = 0; i < n; i++)
            p.original.data[i * n + i] += 1e-3;
        for (int64_t threads = 1; threads <= 2; threads++) {
            need(volt_set_threads(threads), "threads");
            measure_factor(&p, threads);
        }
        free(X.data);
        free(p.A.data);
        free(p.original.data);
    }
    return 0;
}
