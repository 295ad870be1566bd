/* bench/bench_gram.c: entries per second of the Volterra Gram matrix, compared with the same recursion in numba.
 *
 * Lower triangle, into memory whose pages are already mapped. */
#include "measure.h"
#include "peer.h"
#include "plain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3008, RUNS = 7, RUNS_IN_TURN = 15 };

typedef struct gram_case {
    const char *lift; /* as in the kernel text */
    plain_lift plain;
    int64_t d;
} gram_case;

static const gram_case cases[] = {
    {"geometric", PLAIN_GEOMETRIC, 10},
    {"even", PLAIN_EVEN, 10},
    {"exponential", PLAIN_EXPONENTIAL, 10},
    {"poly:3", PLAIN_POLY, 10},
    {"rbf", PLAIN_RBF, 10},
    {"geometric", PLAIN_GEOMETRIC, 1},
    {"geometric", PLAIN_GEOMETRIC, 3},
    {"geometric", PLAIN_GEOMETRIC, 30},
    {"geometric", PLAIN_GEOMETRIC, 100},
    {"geometric", PLAIN_GEOMETRIC, 300},
};

typedef struct problem {
    volt_kernel *kernel;
    volt_matrix X, K;
} problem;

static double run_gram(void *context)
{
    problem *p = context;
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 0;
    double begin = seconds_now();
    need(volt_gram(p->kernel, volt_as_view(p->X), volt_view_of(NULL, 0, 0), &options, p->K), "gram");
    return seconds_now() - begin;
}

/* Both sides compute the factor lambda^2 kappa with a relative error below delta: d products and sums in s,
 * a few operations and at most two ulp of an exponential after it; at these parameters s enters kappa with a
 * condition number below 3. An error propagates along its diagonal, reduced by the contraction c at each step:
 * |K - reference| <= 2 delta max|K| / (1 - c). */
static double gram_tolerance(const volt_kernel_facts *facts, int64_t d)
{
    double delta = 3 * (double)(d + 16) * DBL_EPSILON;
    return 2 * delta * facts->largest / (1 - facts->contraction);
}

static double mean_of_lower(volt_matrix K)
{
    double sum = 0;
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j <= i; j++)
            sum += K.data[i * K.ld + j];
    return sum / ((double)K.rows * (double)(K.rows + 1) / 2);
}

static peer *start_peer(const problem *p, const volt_kernel_facts *facts)
{
    char path[PEER_PATH_LENGTH], tau[32], lambda[32];
    peer_write_matrix(volt_as_view(p->X), path);
    snprintf(tau, sizeof tau, "%.17g", facts->tau);
    snprintf(lambda, sizeof lambda, "%.17g", facts->lambda);
    peer *other = peer_start((const char *[]){"gram", path, tau, lambda, NULL});
    remove(path);
    if (other)
        need_close("the Gram matrix of the peer", fabs(peer_value(other) / mean_of_lower(p->K) - 1), 1e-12);
    return other;
}

static void measure_case(const gram_case *c, int64_t threads, problem *p, const volt_kernel_facts *facts,
                         volt_view reference)
{
    char parameters[128], what[160];
    double entries = (double)N * (N + 1) / 2;
    need(volt_set_threads(threads), "threads");
    snprintf(parameters, sizeof parameters, "n=%d d=%lld lift=%s threads=%lld", N, (long long)c->d, c->lift,
             (long long)threads);

    run_gram(p);
    snprintf(what, sizeof what, "the Gram matrix, %s", parameters);
    need_close(what, lower_difference(volt_as_view(p->K), reference), gram_tolerance(facts, c->d));

    int is_headline = c == cases && threads == 2;
    peer *other = is_headline ? start_peer(p, facts) : NULL;
    measurement m = {.name = "gram", .parameters = parameters, .unit = "G entries/s"};
    if (other) {
        time_in_turn(run_gram, p, peer_run, other, RUNS_IN_TURN, 1, &m.time, &m.peer_time);
        m.peer = peer_name(other);
    } else {
        m.time = time_runs(run_gram, p, is_headline ? RUNS_IN_TURN : RUNS);
    }
    m.value = 1e-9 * entries / m.time.best;
    if (is_headline) {
        m.judge = JUDGE_VALUE;
        m.at_least = 0.6;
    }
    report(&m);
    if (is_headline) {
        m.name = "gram against peer";
        m.judge = JUDGE_RATIO;
        m.at_least = 6;
        report(&m);
    }
    if (other) { /* a slower peer is not a useful comparison */
        measurement theirs = {.name = "gram, the peer's own",
                              .parameters = parameters,
                              .time = m.peer_time,
                              .value = 1e-9 * entries / m.peer_time.best,
                              .unit = "G entries/s",
                              .judge = JUDGE_VALUE,
                              .at_least = 0.08};
        report(&theirs);
        peer_stop(other);
    }
}

int main(void)
{
    double *reference = need_doubles((int64_t)N * N);
    problem p = {.K = volt_matrix_of(need_doubles((int64_t)N * N), N, N)};
    const double gamma = 0.3;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const gram_case *c = cases + i;
        char text[96];
        if (c->plain == PLAIN_RBF)
            snprintf(text, sizeof text, "volterra:lift=rbf,gamma=%g,lambda_coef=0.7", gamma);
        else
            snprintf(text, sizeof text, "volterra:tau_coef=0.4,lambda_coef=0.7,lift=%s", c->lift);
        need(volt_kernel_parse(text, &p.kernel), text);
        p.X = volt_matrix_of(need_doubles(N * c->d), N, c->d);
        gaussian_inputs(20240229, p.X);

        volt_kernel_facts facts = {.struct_size = sizeof facts};
        need(volt_kernel_query(p.kernel, 1, c->d, DBL_EPSILON, &facts), text);
        plain_kernel plain = {.lift = c->plain,
                              .tau2 = facts.tau * facts.tau,
                              .lambda2 = facts.lambda * facts.lambda,
                              .gamma = gamma,
                              .degree = 3};
        plain_gram(&plain, volt_as_view(p.X), volt_matrix_of(reference, N, N));
        for (int64_t threads = 1; threads <= 2; threads++)
            measure_case(c, threads, &p, &facts, volt_view_of(reference, N, N));

        volt_kernel_free(p.kernel);
        free(p.X.data);
    }
    free(p.K.data);
    free(reference);
    return 0;
}
