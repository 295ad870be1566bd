/* bench/bench_gradient.c: time of the evidence with its gradient in three parameters relative to a ridge fit, n = 3000, and a
 * gradient search compared with 200 draws on ten systems. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, SMALL = 200, RUNS = 3, PROBLEMS = 10, MOST = 40 };

typedef struct system {
    double *x, *y;
    int64_t n;
    volt_kernel *kernel;
} system_of;

/* A filtered input through a polynomial: pole, square and noise differ from system to system. */
static system_of make_system(int64_t n, int which)
{
    system_of made = {need_doubles(n), need_doubles(n), n, NULL};
    volt_rng rng;
    double previous = 0, pole = 0.3 + 0.06 * which, square = 0.1 * (which % 4), noise = which % 2 ? 0.3 : 0.03;
    volt_rng_init(&rng, 77, (uint64_t)which);
    for (int64_t i = 0; i < n; i++) {
        made.x[i] = 2 * volt_rng_uniform(&rng) - 1;
        previous = pole * previous + made.x[i];
        made.y[i] = previous + square * previous * previous + noise * volt_rng_normal(&rng);
    }
    return made;
}

static void free_system(system_of *made)
{
    volt_kernel_free(made->kernel);
    free(made->x);
    free(made->y);
}

static volt_view column(double *data, int64_t n)
{
    return volt_view_of(data, n, 1);
}

static double run_fit(void *context)
{
    system_of *s = context;
    volt_fit_options options = volt_fit_options_default();
    volt_model *model = NULL;
    options.alpha = 0.1;
    double begin = seconds_now();
    need(volt_model_fit(s->kernel, column(s->x, s->n), column(s->y, s->n), &options, volt_matrix_of(NULL, 0, 0),
                        &model),
         "fit");
    double seconds = seconds_now() - begin;
    volt_model_free(model);
    return seconds;
}

static double run_evidence(void *context)
{
    system_of *s = context;
    volt_evidence_options options = volt_evidence_options_default();
    volt_evidence_result *found = NULL;
    options.alpha = 0.1;
    double begin = seconds_now();
    need(volt_evidence(s->kernel, column(s->x, s->n), column(s->y, s->n), &options, &found), "evidence");
    double seconds = seconds_now() - begin;
    volt_evidence_free(found);
    return seconds;
}

static void time_gradient(void)
{
    system_of s = make_system(N, 3);
    need(volt_kernel_parse("memory:gamma=0.5,rho=0.5,mu=0.8", &s.kernel), "kernel");
    measurement m = {.name = "evidence, 3 parameters",
                     .parameters = "n=3000 d=1 q=1",
                     .peer = "ridge fit",
                     .judge = JUDGE_RATIO,
                     .at_least = 0.25};
    time_in_turn(run_evidence, &s, run_fit, &s, RUNS, 0, &m.time, &m.peer_time);
    report(&m);
    free_system(&s);
}

static volt_search *search(const system_of *s, const volt_candidates *candidates, volt_strategy strategy,
                           int64_t draws)
{
    volt_search_options options = volt_search_options_default();
    volt_search *found = NULL;
    options.score = VOLT_SCORE_LOG;
    options.strategy = strategy;
    options.draws = draws;
    need(volt_search_run(candidates, column(s->x, s->n), column(s->y, s->n), &options, &found), "search");
    return found;
}

/* Evaluations until the evidence of 200 draws is reached, in the order of one thread; MOST + 1: not reached. */
static int64_t evaluations_needed(int which)
{
    system_of s = make_system(SMALL, which);
    volt_candidates *candidates = NULL;
    need(volt_candidates_draw(which % 3 == 2 ? "volterra" : "memory", column(s.x, SMALL), NULL, &candidates),
         "draws");
    volt_search *drawn = search(&s, candidates, VOLT_STRATEGY_RANDOM, 200);
    volt_search *climbed = search(&s, candidates, VOLT_STRATEGY_GRADIENT, 100);
    double bar = volt_search_trial(drawn, VOLT_TRIAL_BEST)->score;
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(climbed, &info);
    int64_t needed = MOST + 1;
    for (int64_t i = info.trials - 1; i >= 0; i--)
        if (!volt_search_trial(climbed, i)->failure && volt_search_trial(climbed, i)->score >= bar && i < MOST)
            needed = i + 1;
    printf("{\"name\": \"gradient search\", \"problem\": %d, \"draws\": %.6g, \"gradient\": %.6g, "
           "\"evaluations\": %lld}\n",
           which, bar, volt_search_trial(climbed, VOLT_TRIAL_BEST)->score, (long long)needed);
    volt_search_free(climbed);
    volt_search_free(drawn);
    volt_candidates_free(candidates);
    free_system(&s);
    return needed;
}

int main(void)
{
    int64_t most = 0;
    time_gradient();
    for (int which = 0; which < PROBLEMS; which++) {
        int64_t needed = evaluations_needed(which);
        most = needed > most ? needed : most;
    }
    report(&(measurement){.name = "gradient search",
                          .parameters = "n=200 problems=10",
                          .value = (double)most,
                          .unit = "evaluations",
                          .judge = JUDGE_VALUE,
                          .at_most = MOST - 1});
    return 0;
}
