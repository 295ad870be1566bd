/* bench/bench_sums.c: a sum of two recursive kernels against each of them, in alternation, into mapped memory. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 3008, D = 10, RUNS = 15 };

static const struct {
    const char *first, *second;
} pairs[] = {
    {"fir:mu=0.9", "memory"},
    {"volterra", "memory"},
    {"volterra", "volterra:lift=rbf"},
    {"linear", "fading"},
};

typedef struct problem {
    volt_kernel *kernels[2];
    int count;
    volt_matrix X, K;
} problem;

static double run(void *context)
{
    problem *p = context;
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 0;
    double begin = seconds_now();
    for (int k = 0; k < p->count; k++)
        need(volt_gram(p->kernels[k], volt_as_view(p->X), volt_view_of(NULL, 0, 0), &options, p->K), "gram");
    return seconds_now() - begin;
}

static volt_kernel *parse(const char *text)
{
    volt_kernel *kernel = NULL;
    need(volt_kernel_parse(text, &kernel), text);
    return kernel;
}

int main(void)
{
    volt_rng rng;
    volt_rng_init(&rng, 1, 0);
    volt_matrix X = volt_matrix_of(need_doubles((int64_t)N * D), N, D);
    volt_matrix K = volt_matrix_of(need_doubles((int64_t)N * N), N, N);
    for (int64_t k = 0; k < (int64_t)N * D; k++)
        X.data[k] = volt_rng_normal(&rng);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        char text[160], parameters[256];
        snprintf(text, sizeof text, "%s + %s", pairs[k].first, pairs[k].second);
        snprintf(parameters, sizeof parameters, "n=%d d=%d kernels=%s,%s", N, D, pairs[k].first,
                 pairs[k].second);
        problem sum = {{parse(text)}, 1, X, K},
                both = {{parse(pairs[k].first), parse(pairs[k].second)}, 2, X, K};
        measurement m = {.name = "sum of two scans",
                         .parameters = parameters,
                         .peer = "both alone",
                         .judge = JUDGE_RATIO,
                         .at_least = 1 / 1.1};
        time_in_turn(run, &sum, run, &both, RUNS, 1, &m.time, &m.peer_time);
        report(&m);
        volt_kernel_free(sum.kernels[0]);
        volt_kernel_free(both.kernels[0]);
        volt_kernel_free(both.kernels[1]);
    }
    free(K.data);
    free(X.data);
    return 0;
}
