/* cli/commands/cmd_simulate.c: volterra simulate, sequences of test systems. */
#include "args/command.h"
#include "commands/bekk_params.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>

typedef struct simulate_arguments {
    common_arguments common;
    const char *system, *output, *preset;
    int64_t length, discard, every;
    int method;
    double step, delay;
    number_list start;
} simulate_arguments;

enum { NOT_GIVEN = -1 };

static name_list system_names(void);

#define ROW(...) OPTION(simulate_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("SYSTEM", NULL, system, "{names or}", .names = system_names, .required = true, .is_positional = true),
    ROW("length", "N", length, "number of rows", .range = AT_LEAST(1),
        .unset = "10000 for lorenz, " DIGITS(BEKK_DEFAULT_LENGTH) " for bekk, 5000 for the others"),
    ROW("preset", "P", preset, "parameters of bekk: {names or}", .names = bekk_preset_names,
        .unset = BEKK_DEFAULT_PRESET),
    ROW("method", NULL, method,
        "integration of lorenz and mackey-glass: Runge-Kutta with fixed steps, or accurate to rounding",
        .choices = ode_method_choices, .fallback = "rk4"),
    ROW("step", "H", step, "time step", .unset = "0.005 for lorenz, 0.02 for mackey-glass"),
    ROW("every", "K", every, "sampling of mackey-glass: one of K steps", .range = AT_LEAST(1), .unset = "50"),
    ROW("delay", "D", delay, "delay of mackey-glass", .unset = "17"),
    ROW("discard", "K", discard, "initial rows that are discarded",
        .unset = "200 for narma10, 1000 for bekk, 0 for the others"),
    ROW("start", "A,B,C", start, "initial value", .unset = "0,1,1.05 for lorenz, 1.2 for mackey-glass"),
    OUTPUT_OPTION(simulate_arguments, output),
};

/* Adds 0.1 times a standard normal draw to each coordinate of a starting point. */
static void perturb_start(seed_value seed, double *start, int64_t count)
{
    volt_rng rng;
    if (!seed.given)
        return;
    volt_rng_init(&rng, seed.value, 0);
    for (int64_t i = 0; i < count; i++)
        start[i] += 0.1 * volt_rng_normal(&rng);
}

static int take_start(const number_list *given, double *start, int64_t count)
{
    if (given->count == 0)
        return 0;
    if (given->count != count)
        return complain(EXIT_USAGE, "--start requires %d number%s for this system (got %d)", (int)count,
                        count == 1 ? "" : "s", given->count);
    memcpy(start, given->values, (size_t)count * sizeof *start);
    return 0;
}

/* ---- systems ---------------------------------------------------------------------------------- */

/* Writes its own rows, because the columns depend on the parameters. */
static int simulate_bekk(const simulate_arguments *arguments)
{
    const char *preset = arguments->preset ? arguments->preset : BEKK_DEFAULT_PRESET;
    volt_bekk *params = NULL;
    int failed = bekk_params_read(NULL, preset, &params);
    if (failed)
        return failed;
    bekk_simulation simulation = {
        .params = params,
        .origin = preset,
        .output = arguments->output,
        .length = arguments->length > 0 ? arguments->length : BEKK_DEFAULT_LENGTH,
        .discard = arguments->discard,
        .common = arguments->common,
    };
    failed = bekk_simulate(&simulation);
    volt_bekk_free(params);
    return failed;
}

typedef struct simulated_system {
    const char *name;
    int64_t default_length, cols;
    const char *columns[3];
    bool has_method, has_step, has_every, has_start, has_preset; /* options that the system accepts */
    volt_system system;
    int (*run_all)(const simulate_arguments *arguments); /* for systems that write their own rows */
} simulated_system;

static const simulated_system systems[] = {
    {"lorenz", 10000, 3, {"x", "y", "z"}, true, true, false, true, false, VOLT_SYSTEM_LORENZ, NULL},
    {"mackey-glass", 5000, 1, {"x"}, true, true, true, true, false, VOLT_SYSTEM_MACKEY_GLASS, NULL},
    {"narma10", 5000, 2, {"u", "y"}, false, false, false, false, false, VOLT_SYSTEM_NARMA10, NULL},
    {"bekk", BEKK_DEFAULT_LENGTH, 0, {NULL}, false, false, false, false, true, 0, simulate_bekk},
};
enum { N_SYSTEMS = sizeof systems / sizeof systems[0] };

static name_list system_names(void)
{
    name_list names = {0};
    for (int i = 0; i < N_SYSTEMS; i++)
        names_add(&names, systems[i].name);
    return names;
}

static const simulated_system *find_system(const char *name)
{
    char all[128];
    name_list names = system_names();
    int found = names_find(&names, name);
    if (found >= 0)
        return &systems[found];
    const char *nearest = names_nearest(&names, name);
    if (nearest)
        complain(EXIT_USAGE, "unknown system '%s'; did you mean %s?", name, nearest);
    else
        complain(EXIT_USAGE, "unknown system '%s' (must be %s)", name,
                 names_join(&names, ", ", " and ", all, sizeof all));
    return NULL;
}

/* Rejects options that the system does not use. */
static int check_options(const simulated_system *system, const simulate_arguments *arguments)
{
    const char *useless = NULL;
    if (arguments->method != VOLT_ODE_RK4 && !system->has_method)
        useless = "method";
    else if (arguments->step > 0 && !system->has_step)
        useless = "step";
    else if (arguments->every > 0 && !system->has_every)
        useless = "every";
    else if (arguments->delay > 0 && !system->has_every)
        useless = "delay";
    else if (arguments->start.count > 0 && !system->has_start)
        useless = "start";
    else if (arguments->preset && !system->has_preset)
        useless = "preset";
    if (useless)
        return complain(EXIT_USAGE, "--%s is not supported for %s", useless, system->name);
    return 0;
}

static int write_result(const simulate_arguments *arguments, const simulated_system *system, volt_view values)
{
    bool json = arguments->common.json;
    int failed = output_matrix(arguments->output, values, system->columns, json, NULL, 0);
    if (failed || is_standard_output(arguments->output))
        return failed;
    result_list *results = results_new(json);
    results_text(results, "system", NULL, "%s", system->name);
    results_count(results, "rows", NULL, values.rows);
    results_count(results, "columns", NULL, values.cols);
    results_text(results, "output", NULL, "%s", arguments->output);
    results_text(results, NULL, arguments->output, "%lld rows of %s", (long long)values.rows, system->name);
    return results_print(results);
}

static int simulate(const simulated_system *system, const simulate_arguments *arguments, volt_matrix out)
{
    volt_simulate_options options = volt_simulate_options_default(system->system);
    int failed = take_start(&arguments->start, options.start, system->cols);
    if (failed)
        return failed;
    if (system->has_start)
        perturb_start(arguments->common.seed, options.start, system->cols);
    if (arguments->common.seed.given)
        options.seed = arguments->common.seed.value;
    options.method = (volt_ode_method)arguments->method;
    if (arguments->step > 0)
        options.step = arguments->step;
    if (arguments->every > 0)
        options.every = arguments->every;
    if (arguments->delay > 0)
        options.delay = arguments->delay;
    if (arguments->discard != NOT_GIVEN)
        options.discard = arguments->discard;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_simulate(system->system, &options, out);
    progress_end();
    return status ? complain_status(status) : 0;
}

static int run_simulate(int argc, char *const *argv)
{
    simulate_arguments arguments = {.discard = NOT_GIVEN};
    int failed = options_parse(&command_simulate.options, argc, argv, &arguments);
    const simulated_system *system = failed ? NULL : find_system(arguments.system);
    if (!failed && !system)
        failed = EXIT_USAGE;
    if (!failed)
        failed = check_options(system, &arguments);
    if (!failed)
        failed = output_check(arguments.output);
    if (failed)
        return failed;
    if (system->run_all)
        return system->run_all(&arguments);

    volt_matrix out = {0};
    int64_t length = arguments.length > 0 ? arguments.length : system->default_length;
    failed = allocate_matrix(length, system->cols, "the sequence", &out);
    if (!failed)
        failed = simulate(system, &arguments, out);
    if (!failed)
        failed = write_result(&arguments, system, volt_as_view(out));
    free(out.data);
    return failed;
}

const cli_command command_simulate = {
    .name = "simulate",
    .names = system_names,
    .summary = "simulate a known system: {names}",
    .description =
        "lorenz        columns x, y, z: the Lorenz 1963 equations with sigma 10, rho 28, beta 8/3\n"
        "mackey-glass  column x: the delay equation x' = 0.2 x(t-17) / (1 + x(t-17)^10) - 0.1 x\n"
        "narma10       columns u, y: random input u and its response y\n"
        "bekk          columns z1.., r1.., h11, h21, ..: innovations, returns and covariances of\n"
        "              stocks; see volterra help bekk for other parameters\n"
        "\n"
        "Results are reproducible. --seed (default 0) adds 0.1 times a standard normal draw to each\n"
        "coordinate of the initial value of lorenz and mackey-glass, and selects the random input of\n"
        "narma10 and bekk.\n",
    .examples = "  volterra simulate lorenz --length 7501 -o lorenz.csv\n"
                "  volterra simulate mackey-glass --seed 3 | head\n"
                "  volterra simulate bekk --preset sp500-d5 --length 3761 --seed 1 -o bekk.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_simulate,
};
