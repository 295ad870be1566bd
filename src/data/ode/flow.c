/* src/data/ode/flow.c: ordinary differential equations of the table of systems, with or without an input.
 *
 * The classical Runge-Kutta step evaluates the input at the start, the middle and the end of the step: the input
 * is a multisine on a grid of half steps. */
#include "base/error.h"

#include "base/memory.h"
#include "data/ode/ode.h"
#include "data/process.h"
#include "data/system_table.h"
#include "volterra/base.h"
#include "volterra/status.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- multisine ---------------------------------------------------------------------------------- */

/* Random-phase multisine on a grid of one period.
 *
 * cos(2 pi k j / points + phi_k) is expanded by the addition theorem, and k j is reduced modulo `points`, so that all
 * values come from one table of cosines and sines and the signal is exactly periodic. */

typedef struct volt_multisine volt_multisine;

static const double two_pi = 6.28318530717958647692;

struct volt_multisine {
    int64_t harmonics, points;
    double scale;
    double *phase_cos, *phase_sin; /* of phi_k, for each harmonic */
    double *grid_cos, *grid_sin;   /* of 2 pi j / points */
    double *values;                /* NaN: not computed */
};

static void multisine_free(volt_multisine *signal)
{
    if (!signal)
        return;
    volt_free(signal->phase_cos);
    volt_free(signal->phase_sin);
    volt_free(signal->grid_cos);
    volt_free(signal->grid_sin);
    volt_free(signal->values);
    volt_free(signal);
}

/* VOLT_ERR_MEMORY. */
static volt_status multisine_create(double amplitude, int64_t harmonics, int64_t points, uint64_t seed,
                                    volt_multisine **signal)
{
    *signal = NULL;
    VOLT_TRY(volt_memory_require((2 * (double)harmonics + 3 * (double)points) * sizeof(double),
                                 "the input of the system"));
    volt_multisine *made = volt_alloc_zero(1, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    made->harmonics = harmonics;
    made->points = points;
    made->scale = amplitude * sqrt(2 / (double)harmonics);
    made->phase_cos = volt_alloc(harmonics, sizeof(double));
    made->phase_sin = volt_alloc(harmonics, sizeof(double));
    made->grid_cos = volt_alloc(points, sizeof(double));
    made->grid_sin = volt_alloc(points, sizeof(double));
    made->values = volt_alloc(points, sizeof(double));
    if (!made->phase_cos || !made->phase_sin || !made->grid_cos || !made->grid_sin || !made->values) {
        multisine_free(made);
        return VOLT_ERR_MEMORY;
    }
    volt_rng rng;
    volt_rng_init(&rng, seed, 1);
    for (int64_t k = 0; k < harmonics; k++) {
        double phase = two_pi * volt_rng_uniform(&rng);
        made->phase_cos[k] = cos(phase);
        made->phase_sin[k] = sin(phase);
    }
    for (int64_t j = 0; j < points; j++) {
        double angle = two_pi * ((double)j / (double)points);
        made->grid_cos[j] = cos(angle);
        made->grid_sin[j] = sin(angle);
        made->values[j] = NAN;
    }
    *signal = made;
    return VOLT_OK;
}

/* The value at any j >= 0; the first use of a point costs M products. */
static double multisine_at(volt_multisine *signal, int64_t j)
{
    const int64_t points = signal->points;
    j %= points;
    if (!isnan(signal->values[j]))
        return signal->values[j];
    double sum = 0;
    int64_t at = 0; /* k j modulo points */
    for (int64_t k = 0; k < signal->harmonics; k++) {
        at += j;
        if (at >= points)
            at -= points;
        sum += signal->phase_cos[k] * signal->grid_cos[at] - signal->phase_sin[k] * signal->grid_sin[at];
    }
    return signal->values[j] = signal->scale * sum;
}

/* ---- flow --------------------------------------------------------------------------------------- */

typedef struct flow_run {
    volt_flow flow; /* first: the fields read it */
    volt_derivative field;
    double step;
    double *x, *work;
    volt_multisine *input; /* NULL: none */
    int64_t points, now;   /* half steps in a period of the input, and since its start */
    double row[2];         /* input and first state */
} flow_run;

static volt_status flow_step(void *state, volt_stage *stage)
{
    flow_run *run = state;
    for (int half = 0; run->input && half < 3; half++)
        run->flow.input[half] = multisine_at(run->input, run->now + half);
    volt_rk4_step(run->field, &run->flow, run->flow.n_states, run->step, run->x, run->work);
    run->now = run->input ? (run->now + 2) % run->points : 0;
    run->row[0] = run->flow.input[2];
    run->row[1] = run->x[0];
    volt_stage_poll(stage);
    return VOLT_OK;
}

/* Creates the input: `period` rows of 2 `every` half steps. */
static volt_status begin_input(const volt_system_entry *entry, const volt_simulate_options *options,
                               flow_run *run)
{
    const double *p = options->parameters;
    double harmonics = floor(p[INPUT_BANDWIDTH] * p[INPUT_PERIOD]);
    double points = 2 * (double)options->every * p[INPUT_PERIOD];
    VOLT_REQUIRE(harmonics >= 1, VOLT_ERR_ARGUMENT,
                 "%s: bandwidth * period must be at least 1 (got %g * %g = %g)", entry->info.name,
                 p[INPUT_BANDWIDTH], p[INPUT_PERIOD], p[INPUT_BANDWIDTH] * p[INPUT_PERIOD]);
    VOLT_REQUIRE(points < 0x1p53, VOLT_ERR_ARGUMENT,
                 "%s: 2 * every * period must be below 2^53 (got every %g, period %g)", entry->info.name,
                 (double)options->every, p[INPUT_PERIOD]);
    run->points = (int64_t)points;
    VOLT_TRY(multisine_create(p[INPUT_AMPLITUDE], (int64_t)harmonics, run->points, options->seed, &run->input));
    run->row[0] = multisine_at(run->input, 0);
    return VOLT_OK;
}

static void set_start(const volt_system_entry *entry, const volt_simulate_options *options, flow_run *run)
{
    memset(run->x, 0, (size_t)run->flow.n_states * sizeof(double));
    memcpy(run->x, options->start, (size_t)entry->info.n_start * sizeof(double));
    if (entry->info.is_numbered) /* Lorenz 1996: a perturbation of the equilibrium */
        for (int64_t i = 0; i < run->flow.n_states; i++)
            run->x[i] += options->parameters[LORENZ96_FORCING];
    run->row[1] = run->x[0];
}

volt_status volt_flow_run(const volt_system_entry *entry, const volt_simulate_options *options, volt_matrix out)
{
    int64_t n_states = entry->n_states ? entry->n_states : out.cols;
    flow_run run = {
        .flow = {.parameters = options->parameters, .n_states = n_states},
        .field = entry->field,
        .step = options->step,
        .x = volt_alloc_doubles(1 + VOLT_RK4_WORK(1), n_states),
    };
    if (!run.x)
        return VOLT_ERR_MEMORY;
    run.work = run.x + n_states;
    set_start(entry, options, &run);
    volt_status status = entry->info.has_input ? begin_input(entry, options, &run) : VOLT_OK;
    volt_process process = {
        .name = entry->title,
        .state = &run,
        .row = entry->info.has_input ? run.row : run.x,
        .cols = out.cols,
        .every = options->every,
        .discard = options->discard,
        .step = flow_step,
    };
    if (status == VOLT_OK)
        status = volt_process_run(&process, options->progress, out);
    multisine_free(run.input);
    volt_free(run.x);
    return status;
}

/* ---- equations -------------------------------------------------------------------------------- */

void volt_lorenz96_field(const double *x, int half, const void *flow, double *dx)
{
    (void)half;
    const volt_flow *f = flow;
    const int64_t d = f->n_states;
    const double forcing = f->parameters[LORENZ96_FORCING];
    for (int64_t i = 0; i < d; i++) {
        int64_t next = i + 1 < d ? i + 1 : 0, before = i >= 1 ? i - 1 : d - 1,
                second = i >= 2 ? i - 2 : i + d - 2;
        dx[i] = (x[next] - x[second]) * x[before] - x[i] + forcing;
    }
}

void volt_duffing_field(const double *x, int half, const void *flow, double *dx)
{
    const volt_flow *f = flow;
    const double *p = f->parameters;
    dx[0] = x[1];
    dx[1] = f->input[half] - p[DUFFING_DAMPING] * x[1] - p[DUFFING_LINEAR] * x[0] -
            p[DUFFING_CUBIC] * x[0] * x[0] * x[0];
}

void volt_van_der_pol_field(const double *x, int half, const void *flow, double *dx)
{
    const volt_flow *f = flow;
    dx[0] = x[1];
    dx[1] = f->input[half] + f->parameters[VAN_DER_POL_MU] * (1 - x[0] * x[0]) * x[1] - x[0];
}

/* States y, y', v, v'. */
void volt_wiener_hammerstein_field(const double *x, int half, const void *flow, double *dx)
{
    const volt_flow *f = flow;
    const double *p = f->parameters;
    double w1 = p[WIENER_FREQUENCY1], w2 = p[WIENER_FREQUENCY2], gain = p[WIENER_GAIN];
    double bent = tanh(gain * x[2]) / gain;
    dx[0] = x[1];
    dx[1] = w2 * w2 * (bent - x[0]) - 2 * p[WIENER_DAMPING2] * w2 * x[1];
    dx[2] = x[3];
    dx[3] = w1 * w1 * (f->input[half] - x[2]) - 2 * p[WIENER_DAMPING1] * w1 * x[3];
}

/* States y, y', z; |z|^(nu-1) z = sign(z) |z|^nu, which is finite at z = 0. */
void volt_bouc_wen_field(const double *x, int half, const void *flow, double *dx)
{
    const volt_flow *f = flow;
    const double *p = f->parameters;
    double v = x[1], z = x[2];
    double size = p[BOUC_NU] == 1 ? fabs(z) : pow(fabs(z), p[BOUC_NU]);
    dx[0] = v;
    dx[1] = (f->input[half] - p[BOUC_DAMPING] * v - p[BOUC_STIFFNESS] * x[0] - z) / p[BOUC_MASS];
    dx[2] = p[BOUC_ALPHA] * v -
            p[BOUC_BETA] * (p[BOUC_GAMMA] * fabs(v) * copysign(size, z) + p[BOUC_DELTA] * v * size);
}
