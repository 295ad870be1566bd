/* cli/benchmark/chaos_systems.c: the systems, the settings that methods may choose from, and published figures. */
#include "benchmark/chaos.h"

const double chaos_threshold = 0.4;

/* From a normal start about that of the authors, on the attractor after `discard` rows. */
static volt_status simulate_lorenz(volt_rng *rng, int64_t discard, volt_matrix out)
{
    volt_lorenz_options options = volt_lorenz_options_default();
    options.step = 0.025;
    options.discard = discard;
    options.method = VOLT_ODE_ACCURATE;
    for (int k = 0; k < 3; k++)
        options.start[k] += volt_rng_normal(rng);
    return volt_simulate_lorenz(&options, out);
}

/* From a constant history between 0.8 and 1.4. */
static volt_status simulate_mackey_glass(volt_rng *rng, int64_t discard, volt_matrix out)
{
    volt_mackey_glass_options options = volt_mackey_glass_options_default();
    options.discard = discard;
    options.method = VOLT_ODE_ACCURATE;
    options.start = 0.8 + 0.6 * volt_rng_uniform(rng);
    return volt_simulate_mackey_glass(&options, out);
}

const chaos_system chaos_systems[] = {
    {.name = "lorenz",
     .title = "Lorenz",
     .d = 3,
     .step = 0.025,
     .lyapunov = 0.9056,
     .longest = 1600,
     .simulate = simulate_lorenz,
     .methods = {{"volterra",
                  {{"volterra:tau_coef=0.3,lambda_coef=0.3", 1e-12, VOLT_SOLVER_EXACT},
                   {"volterra:tau_coef=0.3,lambda_coef=0.3", 1e-13, VOLT_SOLVER_EXACT},
                   {"volterra:tau_coef=0.3,lambda_coef=0.6", 1e-12, VOLT_SOLVER_EXACT},
                   {"volterra:tau_coef=0.3,lambda_coef=0.6", 1e-13, VOLT_SOLVER_EXACT},
                   {"volterra:tau_coef=0.5,lambda_coef=0.3", 1e-13, VOLT_SOLVER_EXACT}}},
                 {"NG-RC (quadratic, delays)",
                  {{"poly:degree=2,gamma=1,coef0=1,window=2", 1e-5, VOLT_SOLVER_EXACT},
                   {"poly:degree=2,gamma=1,coef0=1,window=2", 1e-6, VOLT_SOLVER_EXACT},
                   {"poly:degree=2,gamma=1,coef0=1,window=3", 1e-5, VOLT_SOLVER_EXACT},
                   {"poly:degree=2,gamma=1,coef0=1,window=3", 1e-6, VOLT_SOLVER_EXACT}}},
                 {"ESN",
                  {{"esn:size=300,input=1,radius=0.1", 1e-9, VOLT_SOLVER_EXACT},
                   {"esn:size=300,input=1,radius=0.9", 1e-9, VOLT_SOLVER_EXACT},
                   {"esn:size=300,input=1,radius=0.1", 1e-11, VOLT_SOLVER_FEATURES},
                   {"esn:size=300,input=0.3,radius=0.1", 1e-11, VOLT_SOLVER_FEATURES},
                   {"esn:size=300,input=1,radius=0.1,degree=2,coef0=1", 1e-9, VOLT_SOLVER_EXACT}}}},
     .published = {{"ESN (arXiv 2004.01258: what had been reached), about", 6},
                   {"ESN, tuned for rows without noise (arXiv 2508.06730), above", 30}}},
    {.name = "mackey-glass",
     .title = "Mackey-Glass",
     .d = 1,
     .step = 1,
     .lyapunov = 0.0058,
     .longest = 4000,
     .simulate = simulate_mackey_glass,
     .methods = {{"volterra",
                  {{"volterra:tau_coef=0.3,lambda_coef=0.9", 1e-12, VOLT_SOLVER_EXACT},
                   {"volterra:tau_coef=0.5,lambda_coef=0.9", 1e-12, VOLT_SOLVER_EXACT},
                   {"volterra:tau_coef=0.2,lambda_coef=0.95", 1e-12, VOLT_SOLVER_EXACT}}},
                 {"NG-RC (quadratic, delays)",
                  {{"poly:degree=2,gamma=1,coef0=1,window=20", 1e-2, VOLT_SOLVER_EXACT},
                   {"poly:degree=3,gamma=1,coef0=1,window=20", 1e-3, VOLT_SOLVER_EXACT},
                   {"poly:degree=4,gamma=1,coef0=1,window=20", 1e-4, VOLT_SOLVER_EXACT}}},
                 {"ESN",
                  {{"esn:size=300,input=0.3,radius=0.9", 1e-9, VOLT_SOLVER_EXACT},
                   {"esn:size=300,input=1,radius=0.9", 1e-9, VOLT_SOLVER_EXACT},
                   {"esn:size=300,input=1,radius=1.2", 1e-9, VOLT_SOLVER_EXACT},
                   {"esn:size=300,input=1,radius=0.9", 1e-11, VOLT_SOLVER_FEATURES}}}}},
};
const int n_chaos_systems = (int)(sizeof chaos_systems / sizeof chaos_systems[0]);

name_list chaos_system_names(void)
{
    name_list list = {0};
    for (int i = 0; i < n_chaos_systems; i++)
        names_add(&list, chaos_systems[i].name);
    return list;
}
