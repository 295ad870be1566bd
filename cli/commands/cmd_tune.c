/* cli/commands/cmd_tune.c: volterra tune, tunes kernel parameters and alpha by time-ordered
 * cross-validation. */
#include "args/command.h"
#include "commands/prediction.h"
#include "files/outputs.h"
#include "search/search_report.h"
#include "search/search_space.h"
#include "search/tune.h"
#include "terminal/messages.h"

#include <stdio.h>
#include <string.h>

#define ROW(...) OPTION(tune_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("data"),
    GROUP(tune_arguments, training, &training_data_options),
    ROW("weights", "FILE:COLUMN", training.weights, LOSS_WEIGHTS, .is_rare = true),
    HEADING("search"),
    ROW("kernel", "K", kernel,
        "kernel; parameters in the text are fixed, the others are searched; 'A | B | C' searches several "
        "kernels",
        .unset = "volterra"),
    ROW("alpha", "A", alpha, "regularisation strength: short for --range alpha=A", .unset = "searched"),
    ROW("range", "NAME=SPEC...", ranges, RANGE_MEANING, .names = range_forms),
    ROW("draws", "N", draws, "maximum number of candidates", .range = AT_LEAST(1)),
    ROW("budget", "TIME", budget, "time limit of the search: 90s, 3min, 2h, 1h30m, or seconds",
        .is_duration = true),
    ROW("search", NULL, strategy,
        "sampling of candidates; random: independent; adaptive: after 64 draws mostly near the best four; cma: "
        "after 64 draws by CMA-ES from the best",
        .choices = strategy_choices, .fallback = "random"),
    ROW("candidates", "FILE", candidates,
        "CSV file of candidates; the columns are parameters of the kernel and alpha (a number or auto)",
        .python = "", .is_rare = true),
    ROW("grid", "POINTS", grid, "full grid with this number of values in each range", .range = AT_LEAST(1),
        .is_rare = true),
    ROW("race", NULL, race,
        "early stopping of candidates that cannot win (exact) or are unlikely to win (fast)",
        .choices = race_choices, .fallback = "exact", .is_rare = true),
    HEADING("validation"),
    ROW("folds", "K", folds, "validation blocks, each predicted from the rows before it", .range = AT_LEAST(1),
        .fallback = "5"),
    ROW("folds-by", NULL, folds_by,
        "validation blocks of rows, or of whole records (--min-train and --max-train then count records)",
        .choices = folds_by_choices, .fallback = "rows", .is_rare = true),
    ROW("gap", "G", gap, "rows excluded between training and validation", .unset = "H-1 with --ahead H",
        .is_rare = true),
    ROW("min-train", "N", min_train, "minimum rows of the first training part", .range = AT_LEAST(1),
        .fallback = "1", .is_rare = true),
    ROW("max-train", "N", max_train, "maximum rows of a training part, the latest ones", .range = AT_LEAST(1),
        .unset = "all", .is_rare = true),
    ROW("rolling", NULL, rolling, "training parts of constant length", .is_rare = true),
    ROW("start", NULL, start, "state at the start of the validation rows: continued from training, or zero",
        .choices = start_choices, .fallback = "continue", .is_rare = true),
    ROW("score", NULL, score,
        "criterion: highest r2, prequential r2 or log likelihood (log, evidence); lowest nmse, mse, or "
        "leave-one-out nmse (loo, or its approximation gcv)",
        .choices = score_choices, .unset = "r2, or the loss with --loss"),
    ROW("validate", NULL, validate, "validation with --feedback: free runs, or predictions one step ahead",
        .choices = validate_choices, .unset = "simulate"),
    HEADING("model"),
    GROUP(tune_arguments, training, &training_model_options),
    ROW("feedback-weight", "W", feedback_weight,
        "weight of the outputs among the inputs, with --feedback: short for --range feedback=W",
        .unset = "log:0.02..100", .is_rare = true),
    GROUP(tune_arguments, training, &loss_options),
    GROUP(tune_arguments, training, &search_solver_options_table),
    HEADING("output"),
    ROW("log", "FILE", log, "log file with one line of JSON per candidate"),
    ROW("resume", NULL, resume, "resume the search in --log"),
    ROW("plot", "FILE", plot, "plot of the score against each parameter (SVG)", .ending = ".svg"),
    ROW("output", "MODEL", output, "model file (safetensors) of the best candidate, fitted on all rows",
        .letter = 'o'),
};

/* ---- arguments -------------------------------------------------------------------------------- */

/* Sets the default score and rejects scores that are not supported with a loss. */
static int choose_score(tune_arguments *arguments)
{
    const char *loss = arguments->training.fit.loss;
    bool by_loss = loss && strcmp(loss, "squares") != 0;
    if (by_loss && arguments->score >= 0)
        return complain(EXIT_USAGE,
                        "--score %s requires squared loss: omit it with --loss %s, which is also the score",
                        choice_word(score_choices, arguments->score), loss);
    if (arguments->training.pairing.fed_outputs && (by_loss || arguments->training.weights))
        return complain(EXIT_USAGE, "--feedback is not supported with %s (only with squares and equal weights)",
                        by_loss ? "--loss" : "--weights");
    if (arguments->score < 0)
        arguments->score = by_loss ? VOLT_SCORE_LOSS : VOLT_SCORE_R2;
    return 0;
}

static int check_search(const tune_arguments *arguments)
{
    if (arguments->candidates && arguments->grid)
        return complain(EXIT_USAGE, "--candidates and --grid cannot be given together");
    if (arguments->strategy != VOLT_STRATEGY_RANDOM && (arguments->candidates || arguments->grid))
        return complain(EXIT_USAGE, "--search %s is not supported with %s, which lists all candidates",
                        choice_word(strategy_choices, arguments->strategy),
                        arguments->candidates ? "--candidates" : "--grid");
    if (arguments->candidates &&
        (arguments->ranges.count > 0 || arguments->alpha || arguments->feedback_weight))
        return complain(EXIT_USAGE, "%s is not supported with --candidates, which lists all candidates",
                        arguments->alpha             ? "--alpha"
                        : arguments->feedback_weight ? "--feedback-weight"
                                                     : "--range");
    if (!arguments->candidates && !arguments->grid && !arguments->draws && !(arguments->budget > 0) &&
        !arguments->resume)
        return complain(EXIT_USAGE, "give the length of the search (--draws N or --budget 30m), the "
                                    "candidates (--candidates FILE or --grid POINTS), or --resume to report "
                                    "the log");
    if (arguments->resume && !arguments->log)
        return complain(EXIT_USAGE, "--resume requires --log FILE");
    if (arguments->log && strcmp(arguments->log, "-") == 0)
        return complain(EXIT_USAGE, "--log must be a file name");
    return 0;
}

static int check_feedback(const tune_arguments *arguments)
{
    bool feeds = arguments->training.pairing.fed_outputs;
    if (!feeds && (arguments->feedback_weight || arguments->validate >= 0))
        return complain(EXIT_USAGE, "%s requires --feedback",
                        arguments->feedback_weight ? "--feedback-weight" : "--validate");
    if (feeds && arguments->score >= VOLT_SCORE_PREQUENTIAL && arguments->validate != VOLT_VALIDATE_ONE_STEP)
        return complain(EXIT_USAGE, "--score %s with --feedback requires --validate one-step",
                        choice_word(score_choices, arguments->score));
    return 0;
}

static int check_outputs(const tune_arguments *arguments)
{
    const output_option outputs[] = {
        {"-o", arguments->output}, {"--plot", arguments->plot}, {"--log", arguments->log}};
    enum { COUNT = sizeof outputs / sizeof *outputs };
    if (arguments->common.json && ((arguments->output && is_standard_output(arguments->output)) ||
                                   (arguments->plot && is_standard_output(arguments->plot))))
        return complain(EXIT_USAGE, "--json and %s - cannot both be written to standard output",
                        arguments->output && is_standard_output(arguments->output) ? "-o" : "--plot");
    int failed = outputs_check_distinct(outputs, COUNT);
    for (int i = 0; i < COUNT && !failed; i++) {
        const char *path = outputs[i].path;
        if (!path)
            continue;
        failed = training_check_output(&arguments->training, path);
        if (!failed && arguments->candidates)
            failed = output_check_against(path, arguments->candidates);
    }
    return failed;
}

/* Rejects an existing log without --resume. Logs are never overwritten. */
static int check_log(const tune_arguments *arguments)
{
    if (!arguments->log || arguments->resume)
        return 0;
    FILE *file = fopen(arguments->log, "r");
    bool has_lines = file && fgetc(file) != EOF;
    if (file)
        fclose(file);
    if (has_lines)
        return complain(EXIT_USAGE, "the log %s exists: continue it with --resume, or choose another name",
                        arguments->log);
    return 0;
}

/* ---- command ---------------------------------------------------------------------------------- */

static int run_tune(int argc, char *const *argv)
{
    tune_arguments arguments = {.training = training_defaults(), .gap = -1, .validate = -1, .score = -1};
    training_data data = {0};
    int failed = options_parse(&command_tune.options, argc, argv, &arguments);
    if (!failed)
        failed = choose_score(&arguments);
    if (!failed)
        failed = check_search(&arguments);
    if (!failed)
        failed = check_feedback(&arguments);
    if (!failed)
        failed = check_outputs(&arguments);
    if (!failed)
        failed = check_log(&arguments);
    if (!failed)
        failed = tune_search(&arguments, &data);
    training_release(&data);
    text_list_free(&arguments.ranges);
    return failed;
}

const cli_command command_tune = {
    .name = "tune",
    .group = "Models",
    .summary = "search the parameters of a kernel and alpha by cross-validation in time order",
    .description =
        "Draws parameters and alpha at random, fits each candidate on the rows before every validation\n"
        "block, and reports the best score on the blocks. With -o the best candidate is fitted on all rows\n"
        "and saved.\n"
        "\n"
        "Candidates may also be read from a file (--candidates) or form a grid (--grid). Training parts\n"
        "start at the first row. Scales of inputs and targets are computed once, on all rows. Candidate i\n"
        "depends only on --seed and i.\n"
        "\n"
        "With --search adaptive, generations of 16 candidates follow the first 64. Four of five candidates\n"
        "are near one of the four best of earlier generations. The result does not depend on the number of\n"
        "threads, and --resume continues with the same candidates. A candidate that was stopped early\n"
        "counts with the best score plus its mean difference from the best on its complete folds.\n"
        "--kernel 'A | B' alternates between kernels; with adaptive, most\n"
        "candidates use the best of them. On 1000 rows or more, --search cma proposes the candidates after\n"
        "the first 256.\n"
        "\n"
        "With --search cma, the covariance matrix adaptation evolution strategy (CMA-ES) starts at the best\n"
        "of the first 64 candidates. Its generations have 12 candidates or, for more than 20 parameters, 4\n"
        "+ 3 log(parameters). Logarithmic ranges are searched in logarithms, steps beyond the end of a\n"
        "range are reflected, integers are rounded, and words keep the value of the start. A run that makes\n"
        "no progress is followed by a run from the next best of the 64, with generations twice as large. A\n"
        "candidate is stopped early when it would not be among the better half of the previous generation.\n"
        "A stopped candidate ranks after the complete ones. Threads and --resume behave as with adaptive.\n"
        "\n"
        "--score evidence is the log marginal likelihood of all rows.\n"
        "\n"
        "If alpha is not given, candidate 0 has the default parameters, with the best alpha of a grid; for\n"
        "expensive kernels all candidates use this grid. If the targets are also inputs, changes of the\n"
        "targets are learned from levels and changes of the inputs, and the best candidate is fitted like\n"
        "volterra fit --guard. With --alpha, --range alpha=, --candidates (where alpha may be auto) or\n"
        "--grid, levels are learned from levels. --target and --input override this. Scores are always\n"
        "computed from levels. The report includes the naive, seasonal naive and drift forecasts and a\n"
        "linear autoregression on the validation rows.\n"
        "\n"
        "With --feedback every candidate has a feedback weight and runs free on each validation block from\n"
        "the measured state before it; --validate one-step scores predictions one step ahead. A candidate\n"
        "fails if its run leaves 10 times the range of the targets. Files of --candidates require a column\n"
        "feedback.\n"
        "\n"
        "With --loss, candidates are fitted and scored by that loss: pinball loss of quantiles, log loss of\n"
        "classes, half the deviance of counts. If alpha is not given, it is the best of 1e2, 10, 1, ...\n"
        "times the mean diagonal. --weights apply to fits and scores. The report includes the best\n"
        "constant.\n"
        "\n"
        "With --solver nystrom candidates are fitted on landmarks before the first validation block, for\n"
        "searches on up to a million rows. The scores are r2, nmse, mse, loo and gcv; --loss is not\n"
        "supported. auto uses nystrom from 8192 rows on if an exact search does not fit in memory or has\n"
        "more than 32768 rows per fit. The best candidate is fitted with the same solver.\n"
        "\n"
        "--draws and --budget can be combined, also with --candidates and --grid. With --log a search can\n"
        "be interrupted and continued with --resume. Ctrl-C reports the best candidate so far and fits no\n"
        "model. --resume without --draws and --budget reports the best candidate in the log, and -o fits it.\n",
    .examples =
        "  volterra tune --x lorenz.csv --kernel volterra --draws 100 -o lorenz.safetensors\n"
        "  volterra tune --x data.csv:z1..z5 --y 'data.csv:h*' --kernel volterra:lift=even --budget 30m \\\n"
        "                --range lambda_coef=uniform:0.5..0.99 --log trials.jsonl --plot search.svg\n"
        "  volterra tune --x data.csv --kernel rbf --range 'window=1|5|20' --alpha log:1e-6..1 --grid 9\n"
        "  volterra tune --x u.csv --y y.csv --kernel 'fir + memory:pole=? | volterra' --search adaptive \\\n"
        "                --draws 400 -o system.safetensors\n"
        "  volterra tune --x u.csv --y y.csv --kernel 'fir + fading' --feedback --draws 400 --search adaptive\n"
        "  volterra tune --x u.csv --y y.csv --kernel 'fir + memory:pole=?,pair=?,angle=?' --search cma \\\n"
        "                --budget 10min -o system.safetensors\n"
        "  volterra tune --x load.csv --loss quantile:q=0.1/0.5/0.9 --draws 100 -o bands.safetensors\n"
        "  volterra tune --x u.csv --y y.csv:label --loss multinomial --kernel rbf --draws 50\n"
        "  volterra tune --x u.npy --draws 50 --solver nystrom --landmarks 1000 -o large.safetensors\n"
        "  volterra tune --x u.csv --y y.csv --log trials.jsonl --resume -o best.safetensors\n",
    .options = OPTION_TABLE(rows),
    .run = run_tune,
};
