/* src/data/maps.c: systems in discrete time: NARMA10, the Henon map, a Wiener filter and a relay.
 *
 * NARMA10, the nonlinear autoregressive moving average of order 10, is a benchmark of system identification:
 *
 *     y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1,    u[t] uniform on [0, 0.5)
 *
 * (Atiya and Parlos, "New results on recurrent network training", IEEE Transactions on Neural Networks 11,
 * 2000.) Inputs and outputs before the first row are 0. For rare inputs y leaves the basin of its bounded
 * solution and diverges.
 *
 * The Henon map (Henon, "A two-dimensional mapping with a strange attractor", Communications in Mathematical
 * Physics 50, 1976) is x[t+1] = 1 - a x[t]^2 + y[t], y[t+1] = b x[t].
 *
 * The Wiener filter is a low pass followed by a function without memory, with u[t] uniform on [-1, 1):
 *
 *     v[t] = pole v[t-1] + (1 - pole) u[t],    y[t] = sqrt(v[t]^2 + offset^2)
 *
 * It is analytic in the inputs for offset > 0, and the absolute value for offset = 0.
 *
 * The relay has the input -1 or 1 (a pulse) with probability `rate`, otherwise uniform on [-0.5, 0.5), and
 *
 *     y[t] = u[t] for a pulse, otherwise y[t-1],    y = 1 before the first pulse
 *
 * a hysteresis with thresholds between 0.5 and 1. It has no fading memory: two histories that differ only in
 * the sign of the last pulse have outputs that differ by 2, however long ago it was. */
#include "base/error.h"
#include "data/process.h"
#include "data/system_table.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 10 };

typedef struct narma10 {
    volt_rng rng;
    double inputs[MEMORY], outputs[MEMORY]; /* rings: the last ten u, and y[t-9] ... y[t] */
    int now;                                /* position of u[t] and y[t+1], which replace the oldest */
    double row[2];                          /* u[t], y[t+1] */
} narma10;

static volt_status narma10_step(void *state, volt_stage *stage)
{
    (void)stage;
    narma10 *system = state;
    int now = system->now, next = (now + 1) % MEMORY, before = (now + MEMORY - 1) % MEMORY;

    double sum = 0;
    for (int i = 0; i < MEMORY; i++)
        sum += system->outputs[i];
    system->inputs[now] = 0.5 * volt_rng_uniform(&system->rng);
    double last = system->outputs[before];                       /* y[t] */
    double product = system->inputs[next] * system->inputs[now]; /* u[t-9] u[t] */
    system->outputs[now] = 0.3 * last + 0.05 * last * sum + 1.5 * product + 0.1;

    system->row[0] = system->inputs[now];
    system->row[1] = system->outputs[now];
    system->now = next;
    return VOLT_OK;
}

volt_status volt_narma10_run(const volt_system_entry *entry, const volt_simulate_options *options,
                             volt_matrix out)
{
    narma10 system = {.now = 0};
    volt_rng_init(&system.rng, options->seed, 0);
    volt_process process = {
        .name = entry->title,
        .state = &system,
        .row = system.row,
        .cols = 2,
        .lead = 1,
        .every = 1,
        .discard = options->discard,
        .step = narma10_step,
    };
    return volt_process_run(&process, options->progress, out);
}

/* ---- Henon map -------------------------------------------------------------------------------- */

typedef struct henon {
    double a, b;
    double row[2]; /* x[t], y[t] */
} henon;

static volt_status henon_step(void *state, volt_stage *stage)
{
    (void)stage;
    henon *map = state;
    double x = map->row[0];
    map->row[0] = 1 - map->a * x * x + map->row[1];
    map->row[1] = map->b * x;
    return VOLT_OK;
}

volt_status volt_henon_run(const volt_system_entry *entry, const volt_simulate_options *options,
                           volt_matrix out)
{
    henon map = {.a = options->parameters[HENON_A], .b = options->parameters[HENON_B]};
    memcpy(map.row, options->start, sizeof map.row);
    volt_process process = {
        .name = entry->title,
        .state = &map,
        .row = map.row,
        .cols = 2,
        .every = options->every,
        .discard = options->discard,
        .step = henon_step,
    };
    return volt_process_run(&process, options->progress, out);
}

/* ---- systems with independent inputs ---------------------------------------------------------- */

typedef struct driven_map {
    volt_rng rng;
    double parameters[2]; /* of the system */
    double v;             /* state of the Wiener filter */
    double row[2];        /* u[t], y[t] */
} driven_map;

static volt_status wiener_step(void *state, volt_stage *stage)
{
    (void)stage;
    driven_map *map = state;
    double u = 2 * volt_rng_uniform(&map->rng) - 1, pole = map->parameters[FILTER_POLE];
    double offset = map->parameters[FILTER_OFFSET];
    map->v = pole * map->v + (1 - pole) * u;
    map->row[0] = u;
    map->row[1] = sqrt(map->v * map->v + offset * offset);
    return VOLT_OK;
}

/* Two draws for every row. */
static volt_status relay_step(void *state, volt_stage *stage)
{
    (void)stage;
    driven_map *map = state;
    double chance = volt_rng_uniform(&map->rng), value = volt_rng_uniform(&map->rng);
    bool is_pulse = chance < map->parameters[RELAY_RATE];
    map->row[0] = is_pulse ? (value < 0.5 ? -1 : 1) : value - 0.5;
    if (is_pulse)
        map->row[1] = map->row[0];
    return VOLT_OK;
}

static volt_status driven_run(const volt_system_entry *entry, const volt_simulate_options *options,
                              volt_status (*step)(void *state, volt_stage *stage), volt_matrix out)
{
    driven_map map = {.row = {0, 1}};
    memcpy(map.parameters, options->parameters, sizeof map.parameters);
    volt_rng_init(&map.rng, options->seed, 0);
    volt_process process = {
        .name = entry->title,
        .state = &map,
        .row = map.row,
        .cols = 2,
        .lead = 1,
        .every = 1,
        .discard = options->discard,
        .step = step,
    };
    return volt_process_run(&process, options->progress, out);
}

volt_status volt_wiener_run(const volt_system_entry *entry, const volt_simulate_options *options,
                            volt_matrix out)
{
    return driven_run(entry, options, wiener_step, out);
}

volt_status volt_relay_run(const volt_system_entry *entry, const volt_simulate_options *options,
                           volt_matrix out)
{
    return driven_run(entry, options, relay_step, out);
}
