/* bench/bench_losses.c: fits with other losses relative to the ridge fit of the same rows, in alternation.
 *
 * NARMA inputs with Student-t noise on the targets, as in the budget for quantiles: n = 3000, a duality gap of 1e-6. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000, RUNS = 5 };

static const struct {
    const char *loss;
    double alpha;
    double at_most; /* relative to the ridge fit; 0: no budget */
} cases[] = {
    {"quantile:q=0.9", 1, 2.5},   {"quantile:q=0.5", 1, 2.5},       {"quantile:q=0.9", 0.1, 2.5},
    {"quantile:q=0.5", 0.1, 2.5}, {"quantile:q=0.1/0.5/0.9", 1, 0}, {"epsilon:epsilon=0.02", 1, 0},
    {"huber:delta=0.05", 1, 0},   {"expectile:q=0.9", 1, 0},
};

typedef struct problem {
    volt_kernel *kernel;
    volt_view X, Y;
    volt_fit_options options;
} problem;

static double run(void *context)
{
    problem *p = context;
    volt_model *model = NULL;
    double begin = seconds_now();
    need(volt_model_fit(p->kernel, p->X, p->Y, &p->options, volt_matrix_of(NULL, 0, 0), &model), "fit");
    double seconds = seconds_now() - begin;
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    if (info.loss && !(info.duality_gap <= 1e-6 * fabs(info.objective))) {
        fprintf(stderr, "the gap of %s is %g of %g\n", info.loss, info.duality_gap, info.objective);
        exit(1);
    }
    volt_model_free(model);
    return seconds;
}

int main(void)
{
    double *rows = need_doubles(2 * N), *x = need_doubles(N), *y = need_doubles(N);
    volt_rng rng;
    volt_rng_init(&rng, 1, 0);
    need(volt_simulate(VOLT_SYSTEM_NARMA10, NULL, volt_matrix_of(rows, N, 2)), "narma10");
    for (int64_t i = 0; i < N; i++) { /* student-t noise, 3 degrees of freedom */
        double chi = 0, z = volt_rng_normal(&rng);
        x[i] = rows[2 * i];
        y[i] = rows[2 * i + 1];
        for (int k = 0; k < 3; k++)
            chi += pow(volt_rng_normal(&rng), 2);
        y[i] += 0.03 * z / sqrt(chi / 3);
    }
    volt_kernel *kernel = NULL;
    need(volt_kernel_parse("volterra:tau_coef=0.6,lambda_coef=0.97", &kernel), "kernel");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char parameters[128];
        snprintf(parameters, sizeof parameters, "n=%d alpha=%g %s", N, cases[k].alpha, cases[k].loss);
        problem ridge = {kernel, volt_view_of(x, N, 1), volt_view_of(y, N, 1), volt_fit_options_default()},
                loss;
        ridge.options.alpha = cases[k].alpha;
        loss = ridge;
        loss.options.loss = cases[k].loss;
        measurement m = {.name = "fit with a loss",
                         .parameters = parameters,
                         .peer = "ridge fit",
                         .judge = cases[k].at_most > 0 ? JUDGE_RATIO : JUDGE_NOTHING,
                         .at_least = cases[k].at_most > 0 ? 1 / cases[k].at_most : 0};
        time_in_turn(run, &loss, run, &ridge, RUNS, 1, &m.time, &m.peer_time);
        report(&m);
    }
    volt_kernel_free(kernel);
    free(rows);
    free(x);
    free(y);
    return 0;
}
