/* bench/bench_simulate.c: one step of a simulation, n = 5000, d = 2, q = 1. The budget applies to the kernel volterra; other
 * common kernels are measured for comparison.
 *
 * Paths of 1000 rows are timed as a whole, and the steps of the first path are checked against a stream that is fed its own
 * outputs as measured values. */
#include "measure.h"
#include "volterra/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 5000, D = 2, PATH = 1000, PATHS = 20 };

typedef struct simulation {
    const volt_model *model;
    volt_view X;
    double out[PATH];
} simulation;

/* A stable system. */
static void make_rows(double *x, double *y)
{
    volt_rng rng;
    volt_rng_init(&rng, 1, 0);
    double last = 0;
    for (int64_t t = 0; t < N + PATH; t++) {
        for (int64_t j = 0; j < D; j++)
            x[t * D + j] = volt_rng_normal(&rng);
        y[t] = last = 0.7 * last + tanh(x[t * D]) - 0.2 * x[t * D + 1];
    }
}

static double run_path(void *context)
{
    simulation *s = context;
    double begin = seconds_now();
    need(volt_model_predict(s->model, s->X, NULL, volt_matrix_of(s->out, PATH, 1), NULL), "free run");
    return (seconds_now() - begin) / PATH;
}

static void check_path(simulation *s)
{
    volt_live *stream = NULL;
    double y = 0;
    run_path(s);
    need(volt_live_create(s->model, NULL, &stream), "stream");
    for (int64_t t = 0; t < PATH; t++) {
        need(volt_live_feed(stream, s->X.data + t * D, &y), "push");
        need_close("a step of the free run", fabs(y - s->out[t]), 0);
        need(volt_live_learn(stream, 0, &y), "feed");
    }
    volt_live_free(stream);
}

int main(void)
{
    static const char *const kernels[] = {"volterra", "fading:gamma=0.5,rho=0.3",
                                          "memory:gamma=0.5,rho=0.3,mu=0.5",
                                          "5*fir:mu=0.3 + fading:gamma=0.5,rho=0.3"};
    static const char *const names[] = {"volterra", "fading", "memory", "fir+fading"};
    need(volt_set_threads(2), "threads");
    double *x = need_doubles((N + PATH) * D), *y = need_doubles(N + PATH);
    make_rows(x, y);
    for (size_t c = 0; c < sizeof kernels / sizeof *kernels; c++) {
        volt_kernel *kernel = NULL;
        volt_model *model = NULL;
        volt_fit_options options = volt_fit_options_default();
        options.alpha = 1e-2;
        options.feedback_weight = 2;
        need(volt_kernel_parse(kernels[c], &kernel), "kernel");
        need(volt_model_fit(kernel, volt_view_of(x, N, D), volt_view_of(y, N, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model),
             "fit");
        simulation s = {.model = model, .X = volt_view_of(x + N * D, PATH, D)};
        check_path(&s);
        char parameters[64];
        snprintf(parameters, sizeof parameters, "n=%d d=%d q=1 kernel=%.20s", N, D, names[c]);
        measurement m = {.name = "free run step", .parameters = parameters, .unit = "us"};
        if (c == 0) {
            m.judge = JUDGE_VALUE;
            m.at_most = 25;
        }
        m.time = time_runs(run_path, &s, PATHS);
        m.value = 1e6 * m.time.median;
        report(&m);
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
    free(x);
    free(y);
    return 0;
}
