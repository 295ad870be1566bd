/* cli/commands/cmd_simulate.c: volterra simulate, sequences of test systems. */
#include "args/command.h"
#include "commands/bekk_params.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "volterra.h"

#include <stdio.h>
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
    ROW("SYSTEM", NULL, system,
        "system, as NAME or NAME:PARAMETER=VALUE,...; NAME is {names or}, see volterra help systems",
        .names = system_names, .required = true, .is_positional = true),
    ROW("length", "N", length, "number of rows", .range = AT_LEAST(1),
        .unset = "10000 for lorenz, " DIGITS(BEKK_DEFAULT_LENGTH) " for bekk, 5000 for the others"),
    ROW("preset", "P", preset, "parameters of bekk: {names or}", .names = bekk_preset_names,
        .unset = BEKK_DEFAULT_PRESET),
    ROW("method", NULL, method,
        "integration of lorenz and mackey-glass: Runge-Kutta with fixed steps, or accurate to rounding",
        .choices = ode_method_choices, .fallback = "rk4"),
    ROW("step", "H", step, "time step", .unset = "depends on the system, see volterra help systems"),
    ROW("every", "K", every, "steps of the integration from one row to the next", .range = AT_LEAST(1),
        .unset = "depends on the system, see volterra help systems"),
    ROW("delay", "D", delay, "delay of mackey-glass", .unset = "17"),
    ROW("discard", "K", discard, "initial rows that are discarded",
        .unset = "1000 for bekk; see volterra help systems for the others"),
    ROW("start", "A,B,C", start, "initial values", .unset = "depends on the system, see volterra help systems"),
    OUTPUT_OPTION(simulate_arguments, output),
};

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

static const char bekk_name[] = "bekk";

static name_list system_names(void)
{
    name_list names = {0};
    for (int64_t i = 0; volt_system_at(i); i++)
        names_add(&names, volt_system_at(i)->name);
    names_add(&names, bekk_name);
    return names;
}

/* Parses SYSTEM. */
static int read_system(const char *text, volt_system *system, volt_simulate_options *options)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    name_list names = system_names();
    if (names_find(&names, name) < 0) { /* with bekk among the suggestions */
        char all[256];
        const char *nearest = names_nearest(&names, name);
        if (nearest)
            return complain(EXIT_USAGE, "unknown system '%s'; did you mean %s?", name, nearest);
        return complain(EXIT_USAGE, "unknown system '%s' (must be %s)", name,
                        names_join(&names, ", ", " or ", all, sizeof all));
    }
    if (strcmp(name, bekk_name) == 0)
        return complain(EXIT_USAGE, "bekk has no parameters after a colon (got '%s'); see --preset", text);
    volt_status status = volt_system_parse(text, system, options);
    return status ? complain_status(status) : 0;
}

/* Rejects options that the system does not use; info is NULL for bekk. */
static int check_options(const volt_system_info *info, const simulate_arguments *arguments)
{
    const char *useless = NULL;
    if (arguments->method != VOLT_ODE_RK4 && !(info && info->reads_method))
        useless = "method";
    else if (arguments->step > 0 && !(info && info->reads_step))
        useless = "step";
    else if (arguments->every > 0 && !(info && info->reads_every))
        useless = "every";
    else if (arguments->delay > 0 && !(info && strcmp(info->name, "mackey-glass") == 0))
        useless = "delay";
    else if (arguments->start.count > 0 && !(info && info->n_start > 0))
        useless = "start";
    else if (arguments->preset && info)
        useless = "preset";
    if (useless)
        return complain(EXIT_USAGE, "--%s is not supported for %s", useless, info ? info->name : bekk_name);
    return 0;
}

static int fill_options(const volt_system_info *info, const simulate_arguments *arguments,
                        volt_simulate_options *options)
{
    int failed = take_start(&arguments->start, options->start, info->n_start);
    if (failed)
        return failed;
    if (arguments->common.seed.given) {
        options->seed = arguments->common.seed.value;
        options->start_noise = info->has_input ? 0 : 0.1;
    }
    options->method = (volt_ode_method)arguments->method;
    if (arguments->step > 0)
        options->step = arguments->step;
    if (arguments->every > 0)
        options->every = arguments->every;
    if (arguments->delay > 0)
        options->delay = arguments->delay;
    if (arguments->discard != NOT_GIVEN)
        options->discard = arguments->discard;
    return 0;
}

/* ---- output ----------------------------------------------------------------------------------- */

typedef struct column_name {
    char text[24];
} column_name;

static int write_result(const simulate_arguments *arguments, const volt_system_info *info, volt_view values,
                        const char *const *columns)
{
    bool json = arguments->common.json;
    int failed = output_matrix(arguments->output, values, columns, json);
    if (failed || is_standard_output(arguments->output))
        return failed;
    result_list *results = results_new(json);
    results_text(results, "system", NULL, "%s", info->name);
    results_count(results, "rows", NULL, values.rows);
    results_count(results, "columns", NULL, values.cols);
    results_text(results, "output", NULL, "%s", arguments->output);
    results_text(results, NULL, arguments->output, "%lld rows of %s", (long long)values.rows, info->name);
    return results_print(results);
}

/* The same with numbered columns: x1, x2, ... */
static int write_numbered(const simulate_arguments *arguments, const volt_system_info *info, volt_view values)
{
    column_name *texts = calloc((size_t)values.cols, sizeof *texts);
    const char **columns = calloc((size_t)values.cols, sizeof *columns);
    int failed = texts && columns ? 0 : complain(EXIT_FAILED, "out of memory");
    for (int64_t j = 0; !failed && j < values.cols; j++) {
        snprintf(texts[j].text, sizeof texts[j].text, "%s%lld", info->columns[0], (long long)j + 1);
        columns[j] = texts[j].text;
    }
    if (!failed)
        failed = write_result(arguments, info, values, columns);
    free(columns);
    free(texts);
    return failed;
}

static int simulate(volt_system system, volt_simulate_options *options, const simulate_arguments *arguments)
{
    const volt_system_info *info = volt_system_at((int64_t)system);
    volt_matrix out = {0};
    int64_t cols = 0, length = arguments->length > 0 ? arguments->length : info->length;
    volt_status status = volt_simulate_columns(system, options, &cols);
    if (status)
        return complain_status(status);
    int failed = allocate_matrix(length, cols, "the sequence", &out);
    if (!failed) {
        options->progress = progress_begin(arguments->common.quiet);
        status = volt_simulate(system, options, out);
        progress_end();
        failed = status ? complain_status(status) : 0;
    }
    if (!failed)
        failed = info->is_numbered ? write_numbered(arguments, info, volt_as_view(out))
                                   : write_result(arguments, info, volt_as_view(out), info->columns);
    free(out.data);
    return failed;
}

static int run_simulate(int argc, char *const *argv)
{
    simulate_arguments arguments = {.discard = NOT_GIVEN};
    volt_system system = VOLT_SYSTEM_LORENZ;
    volt_simulate_options options;
    int failed = options_parse(&command_simulate.options, argc, argv, &arguments);
    if (failed)
        return failed;
    bool is_bekk = strcmp(arguments.system, bekk_name) == 0;
    if (!is_bekk)
        failed = read_system(arguments.system, &system, &options);
    const volt_system_info *info = is_bekk ? NULL : volt_system_at((int64_t)system);
    if (!failed)
        failed = check_options(info, &arguments);
    if (!failed && info)
        failed = fill_options(info, &arguments, &options);
    if (!failed)
        failed = output_check(arguments.output);
    if (failed)
        return failed;
    return is_bekk ? simulate_bekk(&arguments) : simulate(system, &options, &arguments);
}

const cli_command command_simulate = {
    .name = "simulate",
    .group = "Tools",
    .summary = "simulate a known system: chaotic, driven by an input, or covariances of stocks",
    .description =
        "Writes the rows of a simulated system, which are the same for the same --seed (default 0).\n"
        "volterra help systems lists the equations and the parameters with ranges and defaults.\n"
        "\n"
        "lorenz                columns x, y, z: the Lorenz 1963 equations\n"
        "mackey-glass          column x: a delay equation\n"
        "narma10               columns u, y: random input u and its response y\n"
        "lorenz96              columns x1, x2, ...: the Lorenz 1996 equations\n"
        "kuramoto-sivashinsky  columns u1, u2, ...: a partial differential equation at equidistant points\n"
        "henon                 columns x, y: the Henon map\n"
        "duffing, van-der-pol, wiener-hammerstein, bouc-wen\n"
        "                      columns u, y: random-phase multisine u and the response y of an oscillator,\n"
        "                      of two filters with a saturation between them, or of a hysteretic spring\n"
        "wiener, relay         columns u, y: independent random inputs u and the response y of a low pass\n"
        "                      with a nonlinear output, or of a hysteresis without fading memory\n"
        "bekk                  columns z1.., r1.., h11, h21, ..: innovations, returns and covariances of\n"
        "                      stocks; see volterra help bekk for other parameters\n"
        "\n"
        "--seed selects the input of systems with columns u, y and the draws of bekk. For the other\n"
        "systems, --seed adds 0.1 times a standard normal draw to each initial value.\n",
    .examples = "  volterra simulate lorenz --length 7501 -o lorenz.csv\n"
                "  volterra simulate mackey-glass --seed 3 | head\n"
                "  volterra simulate lorenz96:forcing=10,dimension=20 --every 5 -o l96.csv\n"
                "  volterra simulate bouc-wen:amplitude=30 --seed 1 -o hysteresis.csv\n"
                "  volterra simulate bekk --preset sp500-d5 --length 3761 --seed 1 -o bekk.csv\n",
    .options = OPTION_TABLE(rows),
    .run = run_simulate,
};
