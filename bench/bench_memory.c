/* bench/bench_memory.c: peak memory of a fit (getrusage).
 *
 * Each size runs in a separate process, so that its peak is due to the fit. The unit is 8 n^2 + 8 n (d + q) bytes: the matrix
 * and the data. Two figures: the peak of the process, and that less the peak of a process with a fit of n = 100, which the
 * program and its libraries take for any n (buffers of BLAS that only larger fits use are included). The budget applies to the
 * second. */
#define _DEFAULT_SOURCE
#include "measure.h"
#include "plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { D = 10, Q = D * (D + 1) / 2, CHECKED = 32 /* rows */ };

static const double alpha = 1e-3, tau_coef = 0.6, lambda_coef = 0.8;

/* Targets like a covariance: h <- 0.9 h + 0.1 vech(z z'). */
static void covariance_targets(volt_view X, volt_matrix Y)
{
    double h[Q] = {0};
    for (int64_t i = 0; i < X.rows; i++) {
        const double *z = X.data + i * X.ld;
        int c = 0;
        for (int a = 0; a < D; a++)
            for (int b = a; b < D; b++, c++)
                h[c] = 0.9 * h[c] + 0.1 * z[a] * z[b];
        memcpy(Y.data + i * Y.ld, h, sizeof h);
    }
}

/* The first rows of (K + alpha I) A + c = Y: row i of K takes i + 1 steps of the recursion from zero initial state. The
 * residual may be a small multiple of n eps max|K| sum|A|. */
static void check_first_rows(const volt_model *model, volt_view X, volt_view Y)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    plain_kernel kernel = {.lift = PLAIN_GEOMETRIC,
                           .tau2 = info.facts->tau * info.facts->tau,
                           .lambda2 = info.facts->lambda * info.facts->lambda};
    double *k = need_doubles(X.rows);
    for (int64_t j = 0; j < X.rows; j++)
        k[j] = 1 / (1 - kernel.lambda2);
    for (int64_t i = 0; i < CHECKED; i++) {
        plain_step(&kernel, X, X.data + i * X.ld, k);
        for (int64_t c = 0; c < Q; c++) {
            double sum = info.intercepts[c] + alpha * info.coefficients[i * Q + c], size = 0;
            for (int64_t j = 0; j < X.rows; j++) {
                sum += k[j] * info.coefficients[j * Q + c];
                size += fabs(info.coefficients[j * Q + c]);
            }
            need_close("a fitted row", fabs(sum - Y.data[i * Y.ld + c]),
                       (double)X.rows * DBL_EPSILON * info.facts->largest * size);
        }
    }
    free(k);
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return (double)usage.ru_maxrss;
#else
    return 1024 * (double)usage.ru_maxrss;
#endif
}

/* Fits n rows in this process; returns its peak, and the seconds of the fit. */
static double peak_of_fit(int64_t n, double *seconds)
{
    volt_matrix X = volt_matrix_of(need_doubles(n * D), n, D), Y = volt_matrix_of(need_doubles(n * Q), n, Q);
    gaussian_inputs(11, X);
    covariance_targets(volt_as_view(X), Y);

    char text[96];
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = 0; /* the inputs have norms up to 1 already */
    snprintf(text, sizeof text, "volterra:tau_coef=%g,lambda_coef=%g", tau_coef, lambda_coef);
    need(volt_set_threads(2), "threads");
    need(volt_kernel_parse(text, &kernel), text);
    double begin = seconds_now();
    need(volt_model_fit(kernel, volt_as_view(X), volt_as_view(Y), &options, volt_matrix_of(NULL, 0, 0), &model),
         "fit");
    *seconds = seconds_now() - begin;
    double peak = peak_bytes();
    check_first_rows(model, volt_as_view(X), volt_as_view(Y));
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X.data);
    free(Y.data);
    return peak;
}

/* The same in a separate process. */
static double peak_in_child(int64_t n, double *seconds)
{
    int ends[2], status = 1;
    double answer[2] = {0};
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        answer[0] = peak_of_fit(n, &answer[1]);
        _exit(write(ends[1], answer, sizeof answer) == sizeof answer ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        read(ends[0], answer, sizeof answer) != sizeof answer) {
        fprintf(stderr, "bench: the process for n = %lld failed\n", (long long)n);
        exit(1);
    }
    close(ends[0]);
    close(ends[1]);
    *seconds = answer[1];
    return answer[0];
}

int main(void)
{
    const int64_t sizes[] = {3000, 6000, 10000};
    double seconds, fixed = peak_in_child(100, &seconds);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t n = sizes[i];
        char parameters[96];
        double peak = peak_in_child(n, &seconds), rows = (double)n,
               whole = 8 * rows * rows + 8 * rows * (D + Q);
        snprintf(parameters, sizeof parameters, "n=%lld d=%d q=%d peak_MB=%.1f fixed_MB=%.1f", (long long)n, D,
                 Q, 1e-6 * peak, 1e-6 * fixed);
        measurement m = {.name = "peak memory, process",
                         .parameters = parameters,
                         .time = {seconds, seconds},
                         .value = peak / whole,
                         .unit = "of matrix + data"};
        report(&m);
        m.name = "peak memory of fit";
        m.value = (peak - fixed) / whole;
        m.judge = JUDGE_VALUE;
        m.at_most = 1.15;
        report(&m);
    }
    return 0;
}
