/* cli/commands/cmd_tune.c: volterra tune, choose a kernel's parameters and alpha by cross-validation in time order. */
#include "args/command.h"
#include "commands/forecast.h"
#include "files/outputs.h"
#include "search/search_report.h"
#include "search/search_space.h"
#include "search/tune.h"
#include "terminal/messages.h"

#include <stdio.h>
#include <string.h>

enum { FORM_SEARCH = 1, FORM_MERGE = 2 };

static const option rows[] = {
    TRAINING_SEQUENCE(offsetof(tune_arguments, training), FORM_SEARCH),
    TRAINING_RECORDS(offsetof(tune_arguments, training)),
    {.name = "kernel",
     .kind = OPTION_TEXT,
     .form = FORM_SEARCH,
     .argument = "K",
     .offset = offsetof(tune_arguments, kernel),
     .meaning = "the kernel (default volterra); parameters that it gives are fixed, the others are searched; "
                "'A | B | C' searches several and keeps the best"},
    {.name = "alpha",
     .kind = OPTION_TEXT,
     .form = FORM_SEARCH,
     .argument = "A",
     .offset = offsetof(tune_arguments, alpha),
     .meaning = "short for --range alpha=A (default: drawn, or profiled: see above)"},
    {.name = "range",
     .kind = OPTION_TEXTS,
     .form = FORM_SEARCH,
     .argument = "NAME=SPEC...",
     .offset = offsetof(tune_arguments, ranges),
     .names = range_forms,
     .meaning = RANGE_MEANING},
    {.name = "draws",
     .kind = OPTION_COUNT,
     .form = FORM_SEARCH,
     .least = 1,
     .argument = "N",
     .offset = offsetof(tune_arguments, draws),
     .meaning = "try N draws at most"},
    {.name = "budget",
     .kind = OPTION_DURATION,
     .form = FORM_SEARCH,
     .argument = "TIME",
     .offset = offsetof(tune_arguments, budget),
     .meaning = "stop in time: 90s, 3min, 2h, 1h30m; a number alone is seconds"},
    {.name = "search",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = strategy_choices,
     .fallback = "random",
     .offset = offsetof(tune_arguments, strategy),
     .meaning = "draw all alike, or (adaptive) after 64 draws most of them near the best four so far"},
    {.name = "method",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = method_choices,
     .fallback = "draws",
     .offset = offsetof(tune_arguments, method),
     .meaning = "with --score evidence, gradient climbs from the best of a few draws (default --draws 100)"},
    {.name = "candidates",
     .kind = OPTION_TEXT,
     .form = FORM_SEARCH,
     .argument = "FILE",
     .offset = offsetof(tune_arguments, candidates),
     .meaning =
         "try the rows of a CSV file, whose columns are parameters of the kernel and alpha (a number, or "
         "auto)"},
    {.name = "grid",
     .kind = OPTION_COUNT,
     .form = FORM_SEARCH,
     .least = 1,
     .argument = "POINTS",
     .offset = offsetof(tune_arguments, grid),
     .meaning = "try every combination of POINTS values of each range"},
    {.name = "folds",
     .kind = OPTION_COUNT,
     .form = FORM_SEARCH,
     .least = 1,
     .fallback = "5",
     .argument = "K",
     .offset = offsetof(tune_arguments, folds),
     .meaning = "validation blocks, each forecast from the rows before it"},
    {.name = "folds-by",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = folds_by_choices,
     .fallback = "rows",
     .offset = offsetof(tune_arguments, folds_by),
     .meaning = "with --series, blocks are rows wherever records begin, or whole records (--min-train and "
                "--max-train count records then)"},
    {.name = "gap",
     .kind = OPTION_COUNT,
     .form = FORM_SEARCH,
     .argument = "G",
     .offset = offsetof(tune_arguments, gap),
     .meaning =
         "rows left out between training and validation (default: H-1 with --ahead H, so that the targets "
         "of training are known when validation begins)"},
    {.name = "min-train",
     .kind = OPTION_COUNT,
     .form = FORM_SEARCH,
     .least = 1,
     .fallback = "1",
     .argument = "N",
     .offset = offsetof(tune_arguments, min_train),
     .meaning = "rows that the first training part has at least"},
    {.name = "max-train",
     .kind = OPTION_COUNT,
     .form = FORM_SEARCH,
     .least = 1,
     .argument = "N",
     .offset = offsetof(tune_arguments, max_train),
     .meaning = "rows that a training part has at most, the latest ones (default: all)"},
    {.name = "rolling",
     .kind = OPTION_FLAG,
     .form = FORM_SEARCH,
     .offset = offsetof(tune_arguments, rolling),
     .meaning = "every training part is as long as the first one"},
    {.name = "start",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = start_choices,
     .fallback = "continue",
     .offset = offsetof(tune_arguments, start),
     .meaning = "the validation rows follow the training rows, or are a new sequence after a zero past"},
    {.name = "score",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = score_choices,
     .offset = offsetof(tune_arguments, score),
     .meaning = "what is best (default r2, with --loss the loss's own): the highest r2, prequential r2 or log "
                "likelihood (log, evidence), the lowest nmse, "
                "mse, or nmse of rows left out one by one (loo, and gcv for short)"},
    {.name = "race",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = race_choices,
     .fallback = "exact",
     .offset = offsetof(tune_arguments, race),
     .meaning = "give up draws that cannot win any more, or (fast) hardly can, or none"},
    TRAINING_FEEDBACK(offsetof(tune_arguments, training)),
    {.name = "feedback-weight",
     .kind = OPTION_TEXT,
     .form = FORM_SEARCH,
     .argument = "W",
     .offset = offsetof(tune_arguments, feedback_weight),
     .meaning = "with --feedback: short for --range feedback=W (default: drawn, log:0.1..100)"},
    {.name = "validate",
     .kind = OPTION_CHOICE,
     .form = FORM_SEARCH,
     .choices = validate_choices,
     .offset = offsetof(tune_arguments, validate),
     .meaning =
         "with --feedback: score free runs on the validation rows (default), or forecasts one step ahead"},
    TRAINING_LOSS(offsetof(tune_arguments, training.loss)),
    TRAINING_SERIES(offsetof(tune_arguments, training)),
    TRAINING_READOUT(offsetof(tune_arguments, training)),
    SEARCH_SOLVER(offsetof(tune_arguments, solver)),
    {.name = "log",
     .kind = OPTION_TEXT,
     .form = FORM_SEARCH,
     .argument = "FILE",
     .offset = offsetof(tune_arguments, log),
     .meaning = "append a line of JSON for every draw that ends"},
    {.name = "resume",
     .kind = OPTION_FLAG,
     .form = FORM_SEARCH,
     .offset = offsetof(tune_arguments, resume),
     .meaning = "go on from the log, also after a crash"},
    {.name = "shard",
     .kind = OPTION_TEXT,
     .form = FORM_SEARCH,
     .argument = "I/N",
     .offset = offsetof(tune_arguments, shard),
     .meaning = "make only part I of N of the draws, 1/N to N/N on different machines"},
    {.name = "merge",
     .kind = OPTION_TEXTS,
     .form = FORM_MERGE,
     .required = true,
     .offset = offsetof(tune_arguments, merge),
     .argument = "LOG...",
     .meaning = "search nothing: read the logs of several runs and report the best of them all"},
    {.name = "plot",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     .offset = offsetof(tune_arguments, plot),
     .meaning = "draw the score against every parameter, as SVG (needs gnuplot)"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(tune_arguments, output),
     .argument = "MODEL",
     .meaning = "fit the winner on all rows and write the model (safetensors)"},
};

/* ---- what was asked --------------------------------------------------------------------------- */

static int check_gradient(const tune_arguments *arguments)
{
    const char *other = arguments->candidates                           ? "--candidates"
                        : arguments->grid                               ? "--grid"
                        : arguments->strategy == VOLT_STRATEGY_ADAPTIVE ? "--search adaptive"
                        : arguments->shard                              ? "--shard"
                        : arguments->training.feedback                  ? "--feedback"
                                                                        : NULL;
    if (!arguments->method)
        return 0;
    if (arguments->score != VOLT_SCORE_LOG)
        return complain(EXIT_USAGE, "--method gradient climbs the evidence: it needs --score evidence");
    if (arguments->resume)
        return complain(EXIT_USAGE,
                        "--method gradient cannot be resumed, since a log has no gradients: begin it "
                        "again with a new --log");
    return other ? complain(EXIT_USAGE, "--method gradient does not go with %s", other) : 0;
}

/* Which score it is where none is given; and with a loss which scores mean nothing. */
static int settle_score(tune_arguments *arguments)
{
    const char *loss = arguments->training.loss.text;
    bool by_loss = loss && strcmp(loss, "squares") != 0;
    if (by_loss && arguments->method)
        return complain(EXIT_USAGE,
                        "--method gradient climbs the evidence of squares: it does not go with --loss %s",
                        loss);
    if (by_loss && arguments->score >= 0)
        return complain(
            EXIT_USAGE,
            "--score %s is one of squares: with --loss %s draws are judged by that loss, and --score "
            "is not given",
            choice_word(score_choices, arguments->score), loss);
    if (arguments->training.feedback && (by_loss || arguments->training.loss.weights))
        return complain(EXIT_USAGE,
                        "--feedback is searched with squares, all rows alike: it does not go with %s",
                        by_loss ? "--loss" : "--weights");
    if (arguments->score < 0)
        arguments->score = by_loss ? VOLT_SCORE_LOSS : VOLT_SCORE_R2;
    return 0;
}

static int check_search(const tune_arguments *arguments)
{
    int failed = check_gradient(arguments);
    if (failed)
        return failed;
    if (arguments->candidates && arguments->grid)
        return complain(EXIT_USAGE, "--candidates and --grid do not go together");
    if (arguments->strategy == VOLT_STRATEGY_ADAPTIVE && (arguments->candidates || arguments->grid))
        return complain(EXIT_USAGE, "--search adaptive does not go with %s, which says all that is tried",
                        arguments->candidates ? "--candidates" : "--grid");
    if (arguments->candidates &&
        (arguments->ranges.count > 0 || arguments->alpha || arguments->feedback_weight))
        return complain(EXIT_USAGE, "%s does not go with --candidates, which says all that is tried",
                        arguments->alpha             ? "--alpha"
                        : arguments->feedback_weight ? "--feedback-weight"
                                                     : "--range");
    if (!arguments->candidates && !arguments->grid && !arguments->draws && !(arguments->budget > 0) &&
        !arguments->method)
        return complain(EXIT_USAGE, "say how long to search: --draws N or --budget 30m, or what to try: "
                                    "--candidates FILE or --grid POINTS");
    if (arguments->resume && !arguments->log)
        return complain(EXIT_USAGE, "--resume needs the log to go on from: --log FILE");
    if (arguments->log && strcmp(arguments->log, "-") == 0)
        return complain(EXIT_USAGE, "--log needs the name of a file");
    return 0;
}

static int check_feedback(const tune_arguments *arguments)
{
    bool feeds = arguments->training.feedback;
    if (!feeds && (arguments->feedback_weight || arguments->validate >= 0))
        return complain(EXIT_USAGE, "%s needs --feedback",
                        arguments->feedback_weight ? "--feedback-weight" : "--validate");
    if (feeds && arguments->score >= VOLT_SCORE_PREQUENTIAL && arguments->validate != VOLT_VALIDATE_ONE_STEP)
        return complain(EXIT_USAGE,
                        "--score %s is one of single steps: with --feedback it needs --validate one-step",
                        choice_word(score_choices, arguments->score));
    return 0;
}

static int check_merge(const tune_arguments *arguments)
{
    if (arguments->output && !arguments->training.x)
        return complain(EXIT_USAGE, "-o %s needs the data to fit the winner on: --x X (and --y Y)",
                        arguments->output);
    return 0;
}

static int check_outputs(const tune_arguments *arguments)
{
    const output_option outputs[] = {
        {"-o", arguments->output}, {"--plot", arguments->plot}, {"--log", arguments->log}};
    enum { COUNT = sizeof outputs / sizeof *outputs };
    if (arguments->common.json && ((arguments->output && is_standard_output(arguments->output)) ||
                                   (arguments->plot && is_standard_output(arguments->plot))))
        return complain(EXIT_USAGE, "--json and %s - both want standard output",
                        arguments->output && is_standard_output(arguments->output) ? "-o" : "--plot");
    int failed = outputs_check_distinct(outputs, COUNT);
    for (int i = 0; i < COUNT && !failed; i++) {
        const char *path = outputs[i].path;
        if (!path)
            continue;
        failed = training_check_output(&arguments->training, path);
        if (!failed && arguments->candidates)
            failed = output_check_against(path, arguments->candidates);
        for (int64_t k = 0; k < arguments->merge.count && !failed; k++)
            failed = output_check_against(path, arguments->merge.texts[k]);
    }
    return failed;
}

/* A log is never overwritten: it may be all that is left of a long search. */
static int check_log(const tune_arguments *arguments)
{
    if (!arguments->log || arguments->resume)
        return 0;
    FILE *file = fopen(arguments->log, "r");
    bool has_lines = file && fgetc(file) != EOF;
    if (file)
        fclose(file);
    if (has_lines)
        return complain(EXIT_USAGE,
                        "the log %s exists already; go on from it with --resume, or choose another name",
                        arguments->log);
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int run_tune(int argc, char *const *argv)
{
    tune_arguments arguments = {.gap = -1, .validate = -1, .score = -1};
    training_data data = {0};
    int failed = options_parse(&command_tune.options, argc, argv, &arguments);
    if (!failed)
        failed = settle_score(&arguments);
    if (!failed)
        failed = arguments.merge.count > 0 ? check_merge(&arguments) : check_search(&arguments);
    if (!failed)
        failed = check_feedback(&arguments);
    if (!failed)
        failed = check_outputs(&arguments);
    if (!failed)
        failed = check_log(&arguments);
    if (!failed)
        failed = arguments.merge.count > 0 ? tune_merge(&arguments, &data) : tune_search(&arguments, &data);
    training_release(&data);
    text_list_free(&arguments.ranges);
    text_list_free(&arguments.merge);
    return failed;
}

const cli_command command_tune = {
    .name = "tune",
    .summary = "choose a kernel's parameters and alpha by cross-validation in time order",
    .description =
        "Draws parameters and alpha at random (or takes them from a file or a grid), fits each draw on\n"
        "the rows before every validation block, scores it on the block, and reports the best. Training\n"
        "parts start at the first row, so one factorisation serves all blocks. The scales of inputs and\n"
        "targets are learned once, on all rows given. Draw i depends on --seed and i alone.\n"
        "\n"
        "With --search adaptive the first 64 draws are such, and the others come in generations of 16: of\n"
        "five draws four lie near one of the four best of the generations before (widths, weights and alpha\n"
        "within factors, poles and shares near by, choices kept), so that no draw depends on the number of\n"
        "threads, and --resume goes on with the same ones. A draw given up counts with the best score plus\n"
        "its mean difference from the best on the folds it has. Every shard is a search of its own.\n"
        "--kernel 'A | B' draws from the kernels in turn; adaptive, most draws go to those that do best.\n"
        "\n"
        "--score evidence, the log marginal likelihood of all rows, has a gradient in every parameter: with\n"
        "--method gradient the first 16 draws are such, and the others are steps of L-BFGS uphill from the "
        "four\n"
        "best, in logarithms and logits, within the ranges; words and whole numbers stay those of the draw.\n"
        "It depends on --seed alone, and ends early where nothing is left to gain. No --shard, no --resume.\n"
        "\n"
        "Where nothing is said of alpha, draw 0 is the kernel's defaults, and its alpha the best of a grid\n"
        "in the folds, as that of every draw of a kernel whose entries cost much; and where the targets are\n"
        "inputs, changes of the targets are learned from levels and changes of the inputs. With --alpha,\n"
        "--range alpha=, --candidates (where alpha may be auto) or --grid levels are learned from levels.\n"
        "--target and --input say otherwise. Scores are those of levels in every case. The winner of a search\n"
        "for changes is fitted like volterra fit --guard: as now stays the forecast unless held-out rows\n"
        "clearly prefer it. Naive, seasonal naive, drift and a linear autoregression on the validation rows\n"
        "stand beside the best score.\n"
        "\n"
        "With --feedback (volterra fit) every draw has a weight of the outputs that come back, feedback, and\n"
        "runs free on each validation block, from the measured past before it: errors of one step, which\n"
        "--validate one-step takes, choose models that drift. A run that leaves 10 times the range of the\n"
        "targets is a failed draw. --candidates files need a column feedback.\n"
        "\n"
        "With --loss every training part is fitted with that loss, and its validation block is judged by it:\n"
        "pinball loss of quantiles, log loss of classes, half the deviance of counts. An alpha that is not\n"
        "given is the best of 1e2, 10, 1, ... times the mean diagonal, as in volterra fit. --weights count in\n"
        "fits and scores. The constant of least loss in the training parts (class frequencies, a mean count)\n"
        "stands beside the best score, and where targets are inputs so does as now with a constant change.\n"
        "\n"
        "With --solver nystrom every draw is fitted on landmarks (volterra fit), which lie before the first\n"
        "validation block, from sums that grow from block to block: no matrix of n x n, and searches on a\n"
        "million rows. Scores r2, nmse, mse, loo and gcv; no --loss. auto does so from 8192 rows on where an\n"
        "exact search does not fit in memory or has more than 32768 rows to a fit, and says so. The winner is\n"
        "fitted with the same solver and landmarks.\n"
        "\n"
        "--draws and --budget may stand together, also to limit --candidates and --grid. With --log\n"
        "nothing is lost: kill it, and go on with --resume. Ctrl-C ends it with the best so far (no model\n"
        "is fitted then). --merge takes the logs of all shards, and with -o also the data and the\n"
        "options of the fit.\n",
    .examples =
        "  volterra tune --x lorenz.csv --kernel volterra --draws 100 -o lorenz.safetensors\n"
        "  volterra tune --x data.csv:z1..z5 --y 'data.csv:h*' --kernel volterra:lift=even --budget 30m \\\n"
        "                --range lambda_coef=uniform:0.5..0.99 --log trials.jsonl --plot search.svg\n"
        "  volterra tune --x u.csv --y y.csv --kernel rbf --range 'window=1|5|20' --alpha log:1e-6..1 --grid "
        "9\n"
        "  volterra tune --x u.csv --y y.csv --kernel 'fir + memory:pole=? | volterra' --search "
        "adaptive \\\n"
        "                --draws 400 -o system.safetensors\n"
        "  volterra tune --x u.csv --y y.csv --kernel 'fir + fading' --feedback --draws 400 --search adaptive\n"
        "  volterra tune --x u.csv --y y.csv --kernel memory --score evidence --method gradient -o "
        "system.safetensors\n"
        "  volterra tune --x load.csv --loss quantile:q=0.1/0.5/0.9 --draws 100 -o bands.safetensors\n"
        "  volterra tune --x u.csv --y y.csv:label --loss multinomial --kernel rbf --draws 50\n"
        "  volterra tune --x u.npy --y y.npy --draws 50 --solver nystrom --landmarks 1000 -o "
        "large.safetensors\n"
        "  volterra tune --x u.csv --y y.csv --draws 1000 --shard 3/16 --log part3.jsonl\n"
        "  volterra tune --merge part*.jsonl --x u.csv --y y.csv -o best.safetensors\n",
    .options = OPTION_TABLE(rows),
    .run = run_tune,
};
