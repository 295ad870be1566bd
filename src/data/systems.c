/* src/data/systems.c: the systems of volt_simulate, and one of them: NARMA10, the nonlinear autoregressive
 * moving average of order 10, a benchmark of system identification.
 *
 *     y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1,    u[t] uniform on [0, 0.5)
 *
 * (Atiya and Parlos, "New results on recurrent network training", IEEE Transactions on Neural Networks 11,
 * 2000.) Inputs and outputs before the first row are 0. For rare inputs y leaves the basin of its bounded
 * solution and diverges. */
#include "base/error.h"
#include "base/memory.h"
#include "data/process.h"
#include "volterra/data.h"

#include <stdbool.h>

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

static volt_status narma10_run(const volt_simulate_options *options, volt_matrix out)
{
    VOLT_TRY(volt_process_check("narma10", out, 2, 1, options->discard));

    narma10 system = {.now = 0};
    volt_rng_init(&system.rng, options->seed, 0);
    volt_process process = {
        .name = "NARMA10",
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

/* ---- all systems ------------------------------------------------------------------------------ */

volt_simulate_options volt_simulate_options_default(volt_system system)
{
    bool is_lorenz = system == VOLT_SYSTEM_LORENZ;
    return (volt_simulate_options){
        .struct_size = sizeof(volt_simulate_options),
        .sigma = 10,
        .rho = 28,
        .beta = 8.0 / 3.0,
        .a = 0.2,
        .b = 0.1,
        .power = 10,
        .delay = 17,
        .start = {is_lorenz ? 0 : 1.2, 1, 1.05},
        .step = is_lorenz ? 0.005 : 0.02,
        .every = 50,
        .method = VOLT_ODE_RK4,
        .discard = system == VOLT_SYSTEM_NARMA10 ? 200 : 0,
    };
}

volt_status volt_simulate(volt_system system, const volt_simulate_options *options, volt_matrix out)
{
    volt_simulate_options opts = volt_simulate_options_default(system);
    VOLT_TRY(volt_options_take(&opts, sizeof opts, options, "volt_simulate_options"));
    switch (system) {
    case VOLT_SYSTEM_LORENZ:
        return volt_lorenz_run(&opts, out);
    case VOLT_SYSTEM_MACKEY_GLASS:
        return volt_mackey_glass_run(&opts, out);
    case VOLT_SYSTEM_NARMA10:
        return narma10_run(&opts, out);
    }
    return volt_fail(VOLT_ERR_ARGUMENT, "unknown system %d", (int)system);
}
