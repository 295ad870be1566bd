/* cli/commands/cmd_mcs.c: volterra mcs, the model confidence set. */
#include "args/command.h"
#include "files/inputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "text/text.h"
#include "volterra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mcs_arguments {
    common_arguments common;
    const char *losses, *block;
    row_range rows;
    double size;
    int method;
    int64_t reps;
} mcs_arguments;

#define ROW(...) OPTION(mcs_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("LOSSES", NULL, losses, "losses: FILE or FILE:COLUMNS, one row per time, one column per model",
        .required = true, .is_positional = true),
    ROW("size", "A", size, "size of the test: the set contains the best model with probability 1 - size",
        .range = BETWEEN(0, 1), .fallback = "0.25"),
    ROW("method", NULL, method, "statistic; R: pairs of models; max: each model and the mean of all",
        .choices = mcs_method_choices, .fallback = "R"),
    ROW("block", "B", block,
        "mean block length of the bootstrap, or auto: from the autocorrelation of the loss differences",
        .unset = "the integer part of the square root of the number of rows"),
    ROW("reps", "N", reps, "bootstrap replications", .range = AT_LEAST(1), .fallback = "10000"),
    ROWS_OPTION(mcs_arguments, rows, "the losses"),
};

static int parse_block(const char *text, double *block)
{
    *block = VOLT_BLOCK_SQRT;
    if (!text)
        return 0;
    if (strcmp(text, "auto") == 0) {
        *block = VOLT_BLOCK_AUTO;
        return 0;
    }
    if (!volt_parse_number(text, block))
        return complain(EXIT_USAGE, "--block must be a number or auto (got '%s')", text);
    if (!(*block >= 1))
        return complain(EXIT_USAGE, "--block must be at least 1 (got %s)", text);
    return 0;
}

static const char *column_name(const dataset *losses, int64_t i, char number[VOLT_NUMBER_LENGTH])
{
    if (losses->names)
        return losses->names[i];
    snprintf(number, VOLT_NUMBER_LENGTH, "%lld", (long long)i + 1);
    return number;
}

/* ---- results ---------------------------------------------------------------------------------- */

static void report_members(result_list *results, const dataset *losses, const volt_mcs *mcs, int64_t *columns)
{
    for (int included = 1; included >= 0; included--) {
        int64_t count = 0;
        for (int64_t i = 0; i < mcs->models; i++)
            if (mcs->included[i] == included)
                columns[count++] = i;
        results_columns(results, included ? "included" : "excluded", losses->names, columns, count);
    }
}

static int print_json(const mcs_arguments *arguments, const dataset *losses, const volt_mcs *mcs)
{
    int64_t *columns = malloc((size_t)mcs->models * sizeof *columns);
    if (!columns)
        return complain(EXIT_FAILED, "not enough memory for the list of columns");
    for (int64_t i = 0; i < mcs->models; i++)
        columns[i] = i;
    result_list *results = results_new(true);
    results_count(results, "rows", NULL, losses->view.rows);
    results_columns(results, "columns", losses->names, columns, mcs->models);
    results_fields(results, volt_mcs, mcs, "pvalues statistics mean_losses block");
    report_members(results, losses, mcs, columns);
    results_columns(results, "order", losses->names, mcs->order, mcs->models);
    results_number(results, "size", NULL, arguments->size);
    results_text(results, "method", NULL, "%s", choice_word(mcs_method_choices, arguments->method));
    results_count(results, "reps", NULL, arguments->reps);
    if (arguments->common.seed.value <= INT64_MAX)
        results_count(results, "seed", NULL, (int64_t)arguments->common.seed.value);
    else /* exceeds the integer range of most JSON readers */
        results_text(results, "seed", NULL, "%llu", (unsigned long long)arguments->common.seed.value);
    free(columns);
    return results_print(results);
}

/* Prints the models in reverse order of elimination, by decreasing p-value. */
static void print_models(const dataset *losses, const volt_mcs *mcs)
{
    char number[VOLT_NUMBER_LENGTH];
    int width = (int)strlen("model");
    double lowest = INFINITY;
    for (int64_t i = 0; i < mcs->models; i++)
        lowest = fmin(lowest, fabs(mcs->mean_losses[i]));
    int decimals = column_decimals(lowest);
    for (int64_t i = 0; i < mcs->models; i++) {
        int length = shown_width(column_name(losses, i, number));
        width = length > width ? length : width;
    }
    printf("\n%-*s  %12s  %8s\n", width, "model", "mean loss", "p-value");
    for (int64_t s = mcs->models - 1; s >= 0; s--) {
        int64_t i = mcs->order[s];
        print_shown(stdout, column_name(losses, i, number), width);
        printf("  %12s  %8s%s\n", fixed_digits(mcs->mean_losses[i], decimals).text,
               fixed_digits(mcs->pvalues[i], 3).text, mcs->included[i] ? "  **" : "");
    }
}

static int print_table(const mcs_arguments *arguments, const dataset *losses, const volt_mcs *mcs)
{
    result_list *results = results_new(false);
    results_text(results, NULL, "losses", "%s: %lld rows, %lld model%s", arguments->losses,
                 (long long)losses->view.rows, (long long)mcs->models, mcs->models == 1 ? "" : "s");
    results_details(results, true);
    results_text(results, NULL, "method", "%s", choice_word(mcs_method_choices, arguments->method));
    results_text(results, NULL, "bootstrap", "%lld replications, mean block length %s, seed %llu",
                 (long long)arguments->reps, digits(mcs->block).text,
                 (unsigned long long)arguments->common.seed.value);
    int failed = results_print(results);
    if (failed)
        return failed;
    print_models(losses, mcs);
    printf("\n** in the model confidence set at %s %%\n", digits(100 * (1 - arguments->size)).text);
    return EXIT_DONE;
}

/* ---- command ---------------------------------------------------------------------------------- */

static int compute(const mcs_arguments *arguments, double block, const dataset *losses)
{
    volt_mcs *mcs = NULL;
    volt_mcs_options options = volt_mcs_options_default();
    options.method = (volt_mcs_method)arguments->method;
    options.size = arguments->size;
    options.block = block;
    options.reps = arguments->reps;
    options.seed = arguments->common.seed.value;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_mcs_compute(losses->view, &options, &mcs);
    progress_end();
    if (status)
        return complain_status(status);
    int failed =
        arguments->common.json ? print_json(arguments, losses, mcs) : print_table(arguments, losses, mcs);
    volt_mcs_free(mcs);
    return failed;
}

static int run_mcs(int argc, char *const *argv)
{
    mcs_arguments arguments = {0};
    dataset losses = {0};
    double block = 0;
    int failed = options_parse(&command_mcs.options, argc, argv, &arguments);
    if (!failed)
        failed = parse_block(arguments.block, &block);
    if (!failed)
        failed = dataset_read_rows(&losses, arguments.losses, VOLT_MISSING_ERROR, &arguments.rows, "--rows");
    if (!failed)
        failed = compute(&arguments, block, &losses);
    dataset_release(&losses);
    return failed;
}

const cli_command command_mcs = {
    .name = "mcs",
    .group = "Evaluate",
    .summary = "model confidence set of several models",
    .description =
        "Computes the model confidence set of Hansen, Lunde and Nason. Models are eliminated one by one,\n"
        "the worst first, while a test by the stationary bootstrap rejects equal performance.\n"
        "\n"
        "Models with a p-value above --size are in the set and marked ** in the table. Equal columns are\n"
        "one model with one p-value. With --json, pvalues are in the order of the columns; included,\n"
        "excluded and order (of elimination) have names, or column numbers from 0 if the file has no\n"
        "header. Results are reproducible (--seed, default 0).\n",
    .examples = "  volterra mcs losses.csv\n"
                "  volterra mcs losses.csv --method max --size 0.1 --block auto --json\n"
                "  volterra mcs 'losses.csv:volterra,gak,sig*' --rows -500:\n",
    .options = OPTION_TABLE(rows),
    .run = run_mcs,
};
