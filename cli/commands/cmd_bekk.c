/* cli/commands/cmd_bekk.c: volterra bekk: estimates, simulates and scores the BEKK covariance model. */
#include "args/command.h"
#include "commands/bekk_estimate.h"
#include "commands/bekk_params.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bekk_arguments {
    common_arguments common;
    const char *action, *file, *preset, *output, *returns, *prices;
    int64_t assets, starts, length, discard;
} bekk_arguments;

enum { NOT_GIVEN = -1 };

static name_list action_names(void);

#define ROW(...) OPTION(bekk_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("ACTION", NULL, action, "{names or}", .names = action_names, .required = true, .is_positional = true),
    ROW("FILE", NULL, file,
        "fit: prices, FILE or FILE:COLUMNS, one column per asset; simulate, score: parameters",
        .is_positional = true),
    ROW("preset", "P", preset, "built-in parameters in place of FILE, for simulate and score: {names}",
        .names = bekk_preset_names),
    ROW("assets", "N", assets, "fit: number of leading columns used", .range = AT_LEAST(1), .unset = "all"),
    ROW("starts", "N", starts,
        "fit: number of starting points of the optimisation; beyond two they depend on --seed",
        .range = WITHIN(1, 1e6), .unset = "2"),
    ROW("length", "N", length, "simulate: number of rows", .range = AT_LEAST(1),
        .unset = DIGITS(BEKK_DEFAULT_LENGTH)),
    ROW("discard", "K", discard, "simulate: initial rows that are discarded", .unset = "1000"),
    ROW("returns", "R", returns, "score: returns, FILE or FILE:COLUMNS"),
    ROW("prices", "F", prices, "score: prices in place of returns; log-returns without their means are scored"),
    ROW("output", "FILE", output, "file for the parameters of fit or the rows of simulate", .letter = 'o',
        .unset = "CSV on standard output"),
};

/* ---- fit and simulate ------------------------------------------------------------------------- */

static int run_fit(const bekk_arguments *arguments)
{
    if (!arguments->file)
        return complain(EXIT_USAGE, "fit requires a file of prices: volterra bekk fit prices.csv");
    bekk_estimate_request request = {
        .prices = arguments->file,
        .output = arguments->output,
        .assets = arguments->assets,
        .starts = arguments->starts,
        .common = arguments->common,
    };
    return bekk_estimate(&request);
}

static int run_simulation(const bekk_arguments *arguments)
{
    volt_bekk *params = NULL;
    int failed = output_check_against(arguments->output, arguments->file);
    if (!failed)
        failed = bekk_params_read(arguments->file, arguments->preset, &params);
    if (failed)
        return failed;
    bekk_simulation simulation = {
        .params = params,
        .origin = arguments->file ? arguments->file : arguments->preset,
        .output = arguments->output,
        .length = arguments->length > 0 ? arguments->length : BEKK_DEFAULT_LENGTH,
        .discard = arguments->discard,
        .common = arguments->common,
    };
    failed = bekk_simulate(&simulation);
    volt_bekk_free(params);
    return failed;
}

/* ---- score ------------------------------------------------------------------------------------ */

static int64_t find_column(const dataset *data, const char *name)
{
    for (int64_t j = 0; data->names && j < data->view.cols; j++)
        if (strcmp(data->names[j], name) == 0)
            return j;
    return -1;
}

/* Selects the columns named after the tickers of the parameters if the file has all of them, otherwise all
 * columns in order. Writes to `out` (rows x d), freed by the caller. */
static int pick_columns(const volt_bekk *params, const dataset *data, volt_matrix *out)
{
    int64_t d = params->d, columns[VOLT_BEKK_MAX_ASSETS];
    bool by_name = params->tickers != NULL;
    for (int64_t j = 0; j < d; j++) {
        columns[j] = by_name ? find_column(data, params->tickers[j]) : -1;
        by_name = by_name && columns[j] >= 0;
    }
    if (!by_name && data->view.cols != d)
        return complain(
            EXIT_FAILED,
            "%s has %lld columns, but the parameters are for %lld assets (select columns with FILE:COLUMNS)",
            data->source, (long long)data->view.cols, (long long)d);
    int failed = allocate_matrix(data->view.rows, d, "the returns", out);
    for (int64_t t = 0; !failed && t < data->view.rows; t++)
        for (int64_t j = 0; j < d; j++)
            out->data[t * d + j] = data->view.data[t * data->view.ld + (by_name ? columns[j] : j)];
    return failed;
}

/* Converts prices to demeaned log-returns in place. */
static int turn_prices(volt_matrix *values)
{
    if (values->rows < 2)
        return complain(EXIT_FAILED, "one row of prices (at least 2 are required)");
    volt_matrix returns = volt_matrix_of(malloc((size_t)(values->rows * values->cols) * sizeof(double)),
                                         values->rows - 1, values->cols);
    if (!returns.data)
        return complain(EXIT_FAILED, "not enough memory for the returns");
    volt_status status = volt_log_returns(volt_as_view(*values), returns);
    if (status) {
        free(returns.data);
        return complain_status(status);
    }
    for (int64_t j = 0; j < returns.cols; j++) {
        double mean = 0;
        for (int64_t t = 0; t < returns.rows; t++)
            mean += returns.data[t * returns.ld + j] / (double)returns.rows;
        for (int64_t t = 0; t < returns.rows; t++)
            returns.data[t * returns.ld + j] -= mean;
    }
    free(values->data);
    *values = returns;
    return 0;
}

static int score(const bekk_arguments *arguments, const volt_bekk *params, volt_view returns)
{
    double loglik = 0;
    volt_status status = volt_bekk_loglik(params, returns, NULL, volt_matrix_of(NULL, 0, 0), &loglik);
    if (status)
        return complain_status(status);
    const double log_two_pi = 1.8378770664093454836;
    double constant = -0.5 * (double)returns.rows * (double)returns.cols * log_two_pi;
    result_list *results = results_new(arguments->common.json);
    results_count(results, "rows", "rows", returns.rows);
    results_count(results, "assets", "assets", returns.cols);
    results_number(results, "loglik", NULL, loglik);
    results_text(results, NULL, "log-likelihood", "%s", fixed_digits(loglik, 2).text);
    results_text(results, NULL, "without -T d log(2 pi)/2", "%s", fixed_digits(loglik - constant, 2).text);
    results_number(results, "loglik_per_row", "per row", loglik / (double)returns.rows);
    return results_print(results);
}

static int run_score(const bekk_arguments *arguments)
{
    if (!arguments->returns == !arguments->prices)
        return complain(EXIT_USAGE, "score requires %s --returns R %s --prices F",
                        arguments->returns ? "either" : "one of", arguments->returns ? "or" : "and");
    dataset data = {0};
    volt_bekk *params = NULL;
    volt_matrix values = {0};
    int failed = bekk_params_read(arguments->file, arguments->preset, &params);
    if (!failed)
        failed = dataset_read(&data, arguments->returns ? arguments->returns : arguments->prices,
                              VOLT_MISSING_ERROR);
    if (!failed)
        failed = pick_columns(params, &data, &values);
    if (!failed && arguments->prices)
        failed = turn_prices(&values);
    if (!failed)
        failed = score(arguments, params, volt_as_view(values));
    free(values.data);
    dataset_release(&data);
    volt_bekk_free(params);
    return failed;
}

/* ---- command ---------------------------------------------------------------------------------- */

typedef struct bekk_action {
    const char *name;
    /* option groups that the action accepts */
    bool has_preset, has_fit, has_simulate, has_score, has_output;
    int (*run)(const bekk_arguments *arguments);
} bekk_action;

static const bekk_action actions[] = {
    {"fit", false, true, false, false, true, run_fit},
    {"simulate", true, false, true, false, true, run_simulation},
    {"score", true, false, false, true, false, run_score},
};
enum { N_ACTIONS = sizeof actions / sizeof actions[0] };

static name_list action_names(void)
{
    name_list names = {0};
    for (int i = 0; i < N_ACTIONS; i++)
        names_add(&names, actions[i].name);
    return names;
}

static const bekk_action *find_action(const char *name)
{
    char all[128];
    name_list names = action_names();
    int found = names_find(&names, name);
    if (found >= 0)
        return &actions[found];
    const char *nearest = names_nearest(&names, name);
    if (nearest)
        complain(EXIT_USAGE, "unknown action '%s'; did you mean bekk %s?", name, nearest);
    else
        complain(EXIT_USAGE, "unknown action '%s' (must be %s)", name,
                 names_join(&names, ", ", " and ", all, sizeof all));
    return NULL;
}

/* Rejects options that the action does not use. */
static int check_options(const bekk_action *action, const bekk_arguments *arguments)
{
    const struct {
        const char *name;
        bool given, has;
    } uses[] = {
        {"preset", arguments->preset != NULL, action->has_preset},
        {"assets", arguments->assets > 0, action->has_fit},
        {"starts", arguments->starts > 0, action->has_fit},
        {"length", arguments->length > 0, action->has_simulate},
        {"discard", arguments->discard != NOT_GIVEN, action->has_simulate},
        {"returns", arguments->returns != NULL, action->has_score},
        {"prices", arguments->prices != NULL, action->has_score},
        {"output", arguments->output != NULL, action->has_output},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (uses[i].given && !uses[i].has)
            return complain(EXIT_USAGE, "--%s is not supported by bekk %s", uses[i].name, action->name);
    return 0;
}

static int run_bekk(int argc, char *const *argv)
{
    bekk_arguments arguments = {.discard = NOT_GIVEN};
    int failed = options_parse(&command_bekk.options, argc, argv, &arguments);
    if (failed)
        return failed;
    const bekk_action *action = find_action(arguments.action);
    if (!action)
        return EXIT_USAGE;
    failed = check_options(action, &arguments);
    return failed ? failed : action->run(&arguments);
}

const cli_command command_bekk = {
    .name = "bekk",
    .group = "Tools",
    .summary = "estimate, simulate or score the BEKK model of covolatility",
    .description =
        "Estimates the BEKK model of the covariances of stock returns from prices (fit), simulates it, or\n"
        "computes the log-likelihood of returns (score). Parameters are read from a file of fit or built in\n"
        "(--preset).\n"
        "\n"
        "bekk fit prices.csv [--assets N] [-o params.json]\n"
        "bekk simulate params.json|--preset P [--length N] [--seed S] [-o rows.csv]\n"
        "bekk score params.json|--preset P --returns R|--prices F\n"
        "\n"
        "Returns r_t = H_t^(1/2) z_t of d assets have covariances H_t = C C' + A r r' A' + B H B', with r\n"
        "and H of the previous step, C upper triangular, A and B diagonal. fit maximises the likelihood of\n"
        "log-returns without their means, from prices without gaps, and prints a table with standard\n"
        "errors; --json prints the parameters. simulate writes columns z1.. (innovations), r1.. (returns)\n"
        "and h11, h21, ... (covariances of the return in the same row). score prints the log-likelihood.\n",
    .examples = "  volterra bekk fit prices.csv:MMM,ABT,ACN -o params.json\n"
                "  volterra bekk simulate params.json --length 1000 --seed 1 -o sample.csv\n"
                "  volterra bekk score params.json --returns 'sample.csv:r*'\n"
                "  volterra bekk simulate --preset sp500-d5 --length 5 --json\n",
    .options = OPTION_TABLE(rows),
    .run = run_bekk,
};
