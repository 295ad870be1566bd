/* bench/bench_kernels.c: time and memory of the full Gram matrix of every kernel, as one table.
 *
 * Each kernel runs in a separate process, so that its peak memory is due to the Gram matrix. Memory is the peak beyond that of
 * a process with a matrix of 100 rows; it includes the matrix. */
#define _DEFAULT_SOURCE
#include "measure.h"
#include "path_reference.h"
#include "plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 3008, D = 10, W = 20, LEVEL = 4, RUNS = 3, CHECKED = 200, SEED = 20240229 };

/* ---- reference kernels ------------------------------------------------------------------------ */

static const double radius = 1, tau_coef = 0.4, lambda_coef = 0.7, rho = 0.5, mu = 0.85;

/* The longer history has rows where the other has zeros; before both, both are zeros. */
static int64_t longer_history(int64_t i, int64_t j)
{
    return i > j ? i : j;
}

static double plain_volterra(volt_view X, int64_t i, int64_t j)
{
    double tau2 = tau_coef * tau_coef / (radius * radius), lambda2 = lambda_coef * lambda_coef * (1 - tau2);
    double K = 1 / (1 - lambda2);
    for (int64_t lag = longer_history(i, j); lag >= 0; lag--)
        K = 1 + lambda2 * K / (1 - tau2 * plain_product(X, i - lag, j - lag));
    return K;
}

static double plain_fading(volt_view X, int64_t i, int64_t j)
{
    double distance = 0;
    for (int64_t lag = longer_history(i, j); lag >= 0; lag--)
        distance = plain_distance(X, i - lag, j - lag) + rho * distance;
    return exp(-distance);
}

static double plain_memory(volt_view X, int64_t i, int64_t j)
{
    double distance = 0, K = 1 / (1 - mu);
    for (int64_t lag = longer_history(i, j); lag >= 0; lag--) {
        distance = plain_distance(X, i - lag, j - lag) + rho * distance;
        K = exp(-distance) + mu * K;
    }
    return K;
}

static double plain_linear(volt_view X, int64_t i, int64_t j)
{
    return plain_product(X, i, j);
}

static double plain_linear_window(volt_view X, int64_t i, int64_t j)
{
    return plain_sum(plain_product, X, i, j, W);
}

static double plain_rbf(volt_view X, int64_t i, int64_t j)
{
    return exp(-0.5 * plain_distance(X, i, j));
}

static double plain_rbf_window(volt_view X, int64_t i, int64_t j)
{
    return exp(-0.05 * plain_sum(plain_distance, X, i, j, W));
}

static double cube(double x)
{
    return x * x * x;
}

static double plain_poly(volt_view X, int64_t i, int64_t j)
{
    return cube(0.5 * plain_product(X, i, j) + 1);
}

static double plain_poly_window(volt_view X, int64_t i, int64_t j)
{
    return cube(0.05 * plain_sum(plain_product, X, i, j, W) + 1);
}

static double plain_sigmoid(volt_view X, int64_t i, int64_t j)
{
    return tanh(0.5 * plain_product(X, i, j) + 1);
}

static double plain_sigmoid_window(volt_view X, int64_t i, int64_t j)
{
    return tanh(0.05 * plain_sum(plain_product, X, i, j, W) + 1);
}

static double plain_cauchy(volt_view X, int64_t i, int64_t j)
{
    return 1 / (1 + 0.5 * plain_distance(X, i, j));
}

static double plain_cauchy_window(volt_view X, int64_t i, int64_t j)
{
    return 1 / (1 + 0.05 * plain_sum(plain_distance, X, i, j, W));
}

/* A kernel of two paths made from rows i and j. */
#define OF_PATHS(name, make, formula)                     \
    static double name(volt_view X, int64_t i, int64_t j) \
    {                                                     \
        plain_path x = make(X, i), y = make(X, j);        \
        double value = formula;                           \
        free(x.points);                                   \
        free(y.points);                                   \
        return value;                                     \
    }

static plain_path window_of(volt_view X, int64_t i)
{
    return plain_window(X, i, W);
}

static plain_path published_path(volt_view X, int64_t i)
{
    double largest = X.data[0];
    for (int64_t k = 0; k < X.rows * X.cols; k++)
        largest = fmax(largest, X.data[k]);
    return plain_row_lead_lag(X, i, 1 / largest);
}

OF_PATHS(plain_gak_window, window_of, plain_gak(&x, &y, 1))
OF_PATHS(plain_gak_rows, plain_row, plain_gak(&x, &y, 1))
OF_PATHS(plain_sig_window, window_of, plain_sig(&x, &y, LEVEL))
OF_PATHS(plain_sig_rows, published_path, plain_sig(&x, &y, LEVEL))
OF_PATHS(plain_sigpde_window, window_of, plain_sigpde(&x, &y))
OF_PATHS(plain_sigpde_rows, published_path, plain_sigpde(&x, &y))

typedef struct kernel_case {
    const char *text;
    double (*plain)(volt_view X, int64_t i, int64_t j);
} kernel_case;

static const kernel_case cases[] = {
    {"volterra:tau_coef=0.4,lambda_coef=0.7", plain_volterra},
    {"fading:gamma=1,rho=0.5", plain_fading},
    {"memory:gamma=1,rho=0.5,mu=0.85", plain_memory},
    {"linear", plain_linear},
    {"rbf:gamma=0.5", plain_rbf},
    {"poly:degree=3,gamma=0.5,coef0=1", plain_poly},
    {"sigmoid:gamma=0.5,coef0=1", plain_sigmoid},
    {"cauchy:gamma=0.5", plain_cauchy},
    {"linear:window=20", plain_linear_window},
    {"rbf:gamma=0.05,window=20", plain_rbf_window},
    {"poly:degree=3,gamma=0.05,coef0=1,window=20", plain_poly_window},
    {"sigmoid:gamma=0.05,coef0=1,window=20", plain_sigmoid_window},
    {"cauchy:gamma=0.05,window=20", plain_cauchy_window},
    {"gak:sigma=1,window=20", plain_gak_window},
    {"sig:level=4,window=20", plain_sig_window},
    {"sigpde:window=20", plain_sigpde_window},
    {"gak:sigma=1,path=rows", plain_gak_rows},
    {"sig:level=4,path=rows", plain_sig_rows},
    {"sigpde:path=rows", plain_sigpde_rows},
};

/* ---- one kernel ------------------------------------------------------------------------------- */

typedef struct problem {
    volt_kernel *kernel;
    volt_matrix X, K;
} problem;

static double run_gram(void *context)
{
    problem *p = context;
    double begin = seconds_now();
    need(volt_gram(p->kernel, volt_as_view(p->X), volt_view_of(NULL, 0, 0), NULL, p->K), "gram");
    return seconds_now() - begin;
}

/* An entry takes at most W^2 cells of D + 16 operations each, and none of their errors grows: relative to the
 * two diagonal entries, which bound it, the error is below their number times eps. sigmoid need not be
 * positive semidefinite, but its entries and its diagonal are of size 1 here. */
static void check_some_entries(const kernel_case *c, const problem *p)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 1);
    int64_t n = p->X.rows;
    for (int k = 0; k < CHECKED; k++) {
        int64_t i = (int64_t)(volt_rng_uniform(&rng) * (double)n),
                j = (int64_t)(volt_rng_uniform(&rng) * (double)n);
        if (k == 0) /* the kernel with only zeros before it */
            i = j = 0;
        double size = sqrt(p->K.data[i * n + i] * p->K.data[j * n + j]);
        need_close(c->text, fabs(p->K.data[i * n + j] - c->plain(volt_as_view(p->X), i, j)),
                   W * W * (D + 16) * DBL_EPSILON * fmax(size, DBL_EPSILON));
    }
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

typedef struct answer {
    timing time;
    double peak; /* bytes */
} answer;

/* Measures the peak of this process, and the time of the Gram matrix. */
static answer measure_kernel(const kernel_case *c, int64_t n)
{
    problem p = {.X = volt_matrix_of(need_doubles(n * D), n, D),
                 .K = volt_matrix_of(need_doubles(n * n), n, n)};
    gaussian_inputs(SEED, p.X);
    need(volt_set_threads(2), "threads");
    need(volt_kernel_parse(c->text, &p.kernel), c->text);
    answer a = {.time = time_runs(run_gram, &p, RUNS), .peak = peak_bytes()};
    check_some_entries(c, &p);
    volt_kernel_free(p.kernel);
    free(p.X.data);
    free(p.K.data);
    return a;
}

static answer measure_in_child(const kernel_case *c, int64_t n)
{
    int ends[2], status = 1;
    answer a = {0};
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        a = measure_kernel(c, n);
        _exit(write(ends[1], &a, sizeof a) == sizeof a ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        read(ends[0], &a, sizeof a) != sizeof a) {
        fprintf(stderr, "bench: the process for %s failed\n", c->text);
        exit(1);
    }
    close(ends[0]);
    close(ends[1]);
    return a;
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const kernel_case *c = cases + i;
        answer small = measure_in_child(c, 100), full = measure_in_child(c, N);
        char parameters[192];
        snprintf(parameters, sizeof parameters, "kernel=%s n=%d d=%d threads=2", c->text, N, D);
        measurement m = {.name = "gram of a kernel",
                         .parameters = parameters,
                         .time = full.time,
                         .value = full.time.best,
                         .unit = "s"};
        report(&m);
        m.name = "memory of it";
        m.value = 1e-6 * (full.peak - small.peak);
        m.unit = "MB";
        report(&m);
    }
    return 0;
}
