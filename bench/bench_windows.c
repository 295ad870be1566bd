/* bench/bench_windows.c: kernels of 20-step windows: cost of a window, and pairs of windows compared with the peers.
 *
 * The comparison uses a cross Gram matrix, windows of X against windows of Y, so that symmetry does not halve the work of
 * either side. */
#include "measure.h"
#include "path_reference.h"
#include "peer.h"
#include "plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 10, W = 20, LEVEL = 4, N = 3008, RUNS = 9, RUNS_IN_TURN = 5, CHECKED = 300 };

static const double sigma = 1, gamma_of_rows = 0.5;

typedef struct problem {
    volt_kernel *kernel;
    volt_matrix X, Y, K; /* Y.data NULL: the lower triangle of X against itself */
} problem;

static double run_gram(void *context)
{
    problem *p = context;
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 0;
    double begin = seconds_now();
    need(volt_gram(p->kernel, volt_as_view(p->X), volt_as_view(p->Y), &options, p->K), "gram");
    return seconds_now() - begin;
}

static volt_matrix new_matrix(int64_t rows, int64_t cols)
{
    return volt_matrix_of(need_doubles(rows * cols), rows, cols);
}

/* ---- rbf: a window against a row -------------------------------------------------------------- */

static problem rbf_problem(int64_t window)
{
    problem p = {.X = new_matrix(N, D), .K = new_matrix(N, N)};
    char text[64];
    gaussian_inputs(20240229, p.X);
    snprintf(text, sizeof text, "rbf:gamma=%g,window=%lld", gamma_of_rows / (double)window, (long long)window);
    need(volt_kernel_parse(text, &p.kernel), text);
    run_gram(&p);

    /* A sum of w d squares, then the exponential of a number below 2. */
    volt_rng rng;
    volt_rng_init(&rng, 1, 0);
    for (int c = 0; c < CHECKED; c++) {
        int64_t i = (int64_t)(volt_rng_uniform(&rng) * N),
                j = (int64_t)(volt_rng_uniform(&rng) * (double)(i + 1));
        double distance = plain_sum(plain_distance, volt_as_view(p.X), i, j, window);
        need_close(text, fabs(p.K.data[i * N + j] - exp(-gamma_of_rows / (double)window * distance)),
                   4 * (double)(window * D + 16) * DBL_EPSILON);
    }
    return p;
}

static void free_problem(problem *p)
{
    volt_kernel_free(p->kernel);
    free(p->X.data);
    free(p->Y.data);
    free(p->K.data);
}

static void measure_rbf(void)
{
    problem rows = rbf_problem(1), windows = rbf_problem(W);
    measurement m = {.name = "rbf, windows over rows",
                     .parameters = "n=3008 d=10 window=20 threads=2",
                     .unit = "x",
                     .judge = JUDGE_VALUE,
                     .at_most = 1.3};
    timing of_rows;
    time_in_turn(run_gram, &windows, run_gram, &rows, RUNS, 1, &m.time, &of_rows);
    m.value = m.time.best / of_rows.best;
    report(&m);
    measurement single = {.name = "rbf, single rows",
                          .parameters = "n=3008 d=10 threads=2",
                          .time = of_rows,
                          .value = 0.5e-9 * N * (N + 1) / of_rows.best,
                          .unit = "G entries/s"};
    report(&single);
    free_problem(&rows);
    free_problem(&windows);
}

/* ---- paths: comparison with the peers --------------------------------------------------------- */

static double plain_gak_pair(const plain_path *x, const plain_path *y)
{
    return plain_gak(x, y, sigma);
}

static double plain_sig_pair(const plain_path *x, const plain_path *y)
{
    return plain_sig(x, y, LEVEL);
}

typedef struct path_case {
    const char *name, *text;
    double (*plain)(const plain_path *x, const plain_path *y);
    const char *task[2]; /* of path_peers.py, and its further arguments */
    int64_t n;           /* windows of each side, for a few seconds of the peer */
    double at_least;     /* 0: no budget */
} path_case;

static const path_case cases[] = {
    {"gak", "gak:sigma=1,window=20", plain_gak_pair, {"gak", "1"}, 300, 50},
    {"sigpde", "sigpde:dyadic=0,window=20", plain_sigpde, {"sigpde", NULL}, 600, 30},
    {"sig", "sig:level=4,window=20", plain_sig_pair, {"sig", "4"}, 1000, 0},
};

/* An entry takes W^2 cells of D + 16 operations, whose errors do not grow: relative to sqrt(K(x, x) K(y, y)), which
 * bounds it, the error is below their number times eps. */
static void check_some_pairs(const path_case *c, const problem *p)
{
    volt_rng rng;
    volt_rng_init(&rng, 2, 0);
    for (int k = 0; k < CHECKED; k++) {
        int64_t i = (int64_t)(volt_rng_uniform(&rng) * (double)c->n);
        int64_t j = (int64_t)(volt_rng_uniform(&rng) * (double)c->n);
        plain_path x = plain_window(volt_as_view(p->X), i, W), y = plain_window(volt_as_view(p->Y), j, W);
        double size = sqrt(c->plain(&x, &x) * c->plain(&y, &y));
        need_close(c->text, fabs(p->K.data[i * c->n + j] - c->plain(&x, &y)),
                   W * W * (D + 16) * DBL_EPSILON * size);
        free(x.points);
        free(y.points);
    }
}

static double mean_of(volt_matrix K)
{
    double sum = 0;
    for (int64_t k = 0; k < K.rows * K.cols; k++)
        sum += K.data[k];
    return sum / (double)(K.rows * K.cols);
}

static peer *start_peer(const path_case *c, const problem *p)
{
    char x_path[PEER_PATH_LENGTH], y_path[PEER_PATH_LENGTH], window[16];
    peer_write_matrix(volt_as_view(p->X), x_path);
    peer_write_matrix(volt_as_view(p->Y), y_path);
    snprintf(window, sizeof window, "%d", W);
    peer *other = peer_start_script("path_peers.py",
                                    (const char *[]){c->task[0], x_path, y_path, window, c->task[1], NULL});
    remove(x_path);
    remove(y_path);
    if (other)
        need_close("the Gram matrix of the peer", fabs(peer_value(other) / mean_of(p->K) - 1), 1e-9);
    return other;
}

static void measure_paths(const path_case *c)
{
    int64_t n = c->n;
    problem p = {.X = new_matrix(n, D), .Y = new_matrix(n, D), .K = new_matrix(n, n)};
    gaussian_inputs(3, p.X);
    gaussian_inputs(4, p.Y);
    need(volt_kernel_parse(c->text, &p.kernel), c->text);
    run_gram(&p);
    check_some_pairs(c, &p);

    char parameters[96], name[64];
    snprintf(parameters, sizeof parameters, "kernel=%s n=%lld d=%d threads=2", c->text, (long long)n, D);
    snprintf(name, sizeof name, "%s, pairs", c->name);
    measurement m = {.name = name, .parameters = parameters, .unit = "M pairs/s"};
    peer *other = start_peer(c, &p);
    if (other) {
        time_in_turn(run_gram, &p, peer_run, other, RUNS_IN_TURN, 0, &m.time, &m.peer_time);
        m.peer = peer_name(other);
    } else {
        m.time = time_runs(run_gram, &p, RUNS_IN_TURN);
    }
    m.value = 1e-6 * (double)(n * n) / m.time.best;
    report(&m);

    snprintf(name, sizeof name, "%s against peer", c->name);
    if (c->at_least > 0) {
        m.judge = JUDGE_RATIO;
        m.at_least = c->at_least;
        report(&m);
    } else if (other) {
        m.value = m.peer_time.best / m.time.best;
        m.unit = "x";
        report(&m);
    }
    if (other) { /* a single-core peer: compare with one core */
        snprintf(name, sizeof name, "%s, one core", c->name);
        snprintf(parameters, sizeof parameters, "kernel=%s n=%lld d=%d threads=1", c->text, (long long)n, D);
        need(volt_set_threads(1), "threads");
        measurement one = {.name = name,
                           .parameters = parameters,
                           .time = time_runs(run_gram, &p, RUNS_IN_TURN),
                           .unit = "x",
                           .peer = peer_name(other),
                           .peer_time = m.peer_time};
        one.value = one.peer_time.best / one.time.best;
        report(&one);
        need(volt_set_threads(2), "threads");
    }
    peer_stop(other);
    free_problem(&p);
}

int main(void)
{
    need(volt_set_threads(2), "threads");
    measure_rbf();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        measure_paths(cases + i);
    return 0;
}
