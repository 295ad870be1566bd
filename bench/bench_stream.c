/* bench/bench_stream.c: one streaming step and one step of a simulation, n = 5000, d = q = 3.
 *
 * Streaming steps are timed one by one; the simulation, which is one call, in paths of 1000. */
#include "lorenz_problem.h"
#include "measure.h"
#include "peer.h"
#include "volterra/live.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20000, BATCHES = 20, BATCH = STEPS / BATCHES, CHECKED = 50 };

/* ---- check ------------------------------------------------------------------------------------ */

/* Checks the first streamed predictions after training, and the simulation, against the reference recursion with the model's
 * coefficients. Predictions differ by the rounding of k and of the sum: a small multiple of eps sum_j |k_j A_j|, 64 here. In a
 * simulation differences grow with the dynamics, so each step is checked separately, from its own input. Returns the sum of the
 * predictions of the last checked streaming step. */
static double check_steps(const lorenz_problem *problem, const volt_model *model, int closed)
{
    int64_t n = LORENZ_PAIRS, q = LORENZ_D;
    volt_view Z = lorenz_inputs(problem->scaled);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    plain_kernel kernel = lorenz_plain_kernel(problem);
    double *k = need_doubles(n);
    double out[CHECKED * LORENZ_D], total = 0;
    for (int64_t j = 0; j < n; j++)
        k[j] = 1 / (1 - kernel.lambda2);
    for (int64_t i = 0; i < n; i++)
        plain_step(&kernel, Z, Z.data + i * Z.ld, k);

    volt_view inputs = volt_view_rows(volt_as_view(problem->scaled), n, CHECKED);
    if (closed) {
        need(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, CHECKED, q), NULL),
             "continue");
    } else {
        volt_live *stream = NULL;
        need(volt_live_create(model, NULL, &stream), "stream");
        for (int64_t t = 0; t < CHECKED; t++)
            need(volt_live_feed(stream, inputs.data + t * inputs.ld, out + t * q), "push");
        volt_live_free(stream);
    }
    for (int64_t t = 0; t < CHECKED; t++) {
        const double *z = closed && t > 0 ? out + (t - 1) * q : inputs.data + t * inputs.ld;
        plain_step(&kernel, Z, z, k);
        total = 0;
        for (int64_t c = 0; c < q; c++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < n; j++) {
                sum += k[j] * info.coefficients[j * q + c];
                size += fabs(k[j] * info.coefficients[j * q + c]);
            }
            need_close(closed ? "a step of the closed loop" : "a streaming step", fabs(out[t * q + c] - sum),
                       64 * DBL_EPSILON * size);
            total += out[t * q + c];
        }
    }
    free(k);
    return total;
}

/* ---- steps ------------------------------------------------------------------------------------ */

typedef struct stepper {
    const lorenz_problem *problem;
    const volt_model *model;
    volt_live *stream;
    double *seconds; /* of each streaming step */
    int64_t done;
} stepper;

/* One batch of streaming steps: the median of its steps. */
static double run_stream(void *context)
{
    stepper *s = context;
    double y[LORENZ_D], batch[BATCH];
    for (int i = 0; i < BATCH; i++) {
        const double *x = s->problem->scaled.data + (LORENZ_PAIRS + s->done + i) * LORENZ_D;
        double begin = seconds_now();
        need(volt_live_feed(s->stream, x, y), "push");
        batch[i] = s->seconds[s->done + i] = seconds_now() - begin;
    }
    s->done += BATCH;
    return timing_of(batch, BATCH).median;
}

/* One path: its mean step. */
static double run_continue(void *context)
{
    stepper *s = context;
    double *out = need_doubles(BATCH * LORENZ_D);
    double begin = seconds_now();
    need(volt_model_continue(s->model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, BATCH, LORENZ_D),
                             NULL),
         "continue");
    double seconds = seconds_now() - begin;
    free(out);
    return seconds / BATCH;
}

static peer *start_peer(const lorenz_problem *problem, double ours)
{
    char inputs[PEER_PATH_LENGTH], targets[PEER_PATH_LENGTH], next[PEER_PATH_LENGTH];
    peer_write_matrix(lorenz_inputs(problem->scaled), inputs);
    peer_write_matrix(lorenz_targets(problem->scaled), targets);
    peer_write_matrix(volt_view_rows(volt_as_view(problem->scaled), LORENZ_PAIRS, CHECKED), next);
    peer *other =
        peer_start((const char *[]){"step", inputs, targets, "0.3", "0.3", "1e-10", "100", next, NULL});
    remove(inputs);
    remove(targets);
    remove(next);
    if (other) /* an explicit inverse keeps about 1e-6; see bench_fit.c */
        need_close("the steps of the peer", fabs(peer_value(other) - ours), 1e-5);
    return other;
}

int main(void)
{
    const double start[LORENZ_D] = {0, 1, 1.05};
    char parameters[64];
    snprintf(parameters, sizeof parameters, "n=%d d=3 q=3 threads=2 steps=%d", LORENZ_PAIRS, STEPS);
    need(volt_set_threads(2), "threads");
    lorenz_problem problem = lorenz_problem_make(start, 0, STEPS);
    volt_model *model = lorenz_fit(&problem);
    double forecast = check_steps(&problem, model, 0);
    check_steps(&problem, model, 1);

    stepper s = {.problem = &problem, .model = model, .seconds = need_doubles(STEPS)};
    need(volt_live_create(model, NULL, &s.stream), "stream");
    measurement m = {
        .name = "streaming step", .parameters = parameters, .unit = "us", .judge = JUDGE_VALUE, .at_most = 20};
    peer *other = start_peer(&problem, forecast);
    timing batches;
    if (other) {
        time_in_turn(run_stream, &s, peer_run, other, BATCHES, 0, &batches, &m.peer_time);
        m.peer = peer_name(other);
    } else {
        time_runs(run_stream, &s, BATCHES);
    }
    m.time = timing_of(s.seconds, STEPS);
    m.value = 1e6 * m.time.median;
    report(&m);
    peer_stop(other);

    measurement loop = {.name = "continuation step",
                        .parameters = parameters,
                        .unit = "us",
                        .judge = JUDGE_VALUE,
                        .at_most = 20};
    loop.time = time_runs(run_continue, &s, BATCHES);
    loop.value = 1e6 * loop.time.median;
    report(&loop);

    volt_live_free(s.stream);
    free(s.seconds);
    volt_model_free(model);
    lorenz_problem_free(&problem);
    return 0;
}
