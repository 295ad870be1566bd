/* cli/commands/cmd_classify.c: volterra classify, time series classification. */
#include "args/command.h"
#include "commands/classify_report.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "search/search_space.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct classify_arguments {
    common_arguments common;
    const char *train, *train_labels, *test, *test_labels, *kernel, *loss, *output;
    int scale, input, compare;
    double alpha, budget;
    int64_t draws, splits, blend, folds;
    const char *screen, *landmarks;
    text_list ranges;
} classify_arguments;

#define ROW(...) OPTION(classify_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("data"),
    ROW("train", "A", train, "training series: " COLLECTION_FORMATS, .required = true),
    ROW("train-labels", "FILE", train_labels, "classes of the training series: FILE or FILE:COLUMN",
        .unset = "classes in the file of A"),
    ROW("test", "B", test, "series to classify"),
    ROW("test-labels", "FILE", test_labels, "classes of the test series, for the accuracy",
        .unset = "classes in the file of B, if any"),
    HEADING("model"),
    ROW("kernel", "K", kernel,
        "kernel of series; parameters in the text are fixed, the others are searched; 'A | B' searches several "
        "kernels",
        .unset = "gak, volterra, memory and rbf"),
    ROW("loss", "L", loss, "loss function: squares, or multinomial for class probabilities",
        .fallback = "squares"),
    ROW("scale", NULL, scale,
        "scaling of each channel to mean 0 and standard deviation 1: over all training series, within each "
        "series, or none; auto tries the first two",
        .choices = object_scale_choices, .fallback = "auto"),
    ROW("input", NULL, input, "values of a step: levels, changes, or both; auto tries levels and both",
        .choices = object_input_choices, .fallback = "auto"),
    ROW("compare", NULL, compare,
        "comparison of whole series, or of all pairs of steps; pairs of steps have no order in time, and auto "
        "tries both",
        .choices = object_compare_choices, .fallback = "auto"),
    ROW("alpha", "A", alpha, "regularisation strength", .unset = "chosen for every kernel"),
    ROW("landmarks", "N", landmarks,
        "number of training series in the readout; 0: all; auto: all up to 500 series, 300 above, fewer for "
        "long series",
        .fallback = "auto"),
    ROW("blend", "M", blend, "maximum number of kernels in an average of the best of each kind; 1: one kernel",
        .range = WITHIN(1, 8), .fallback = "3"),
    HEADING("search"),
    ROW("draws", "N", draws, "number of kernels to evaluate, without a time limit", .range = AT_LEAST(1),
        .unset = "60; one per preprocessing if the kernel is fixed"),
    ROW("budget", "TIME", budget, "time limit of search and fit: 90s, 3min, 2h, or seconds",
        .is_duration = true, .unset = "30s; no limit with --draws"),
    ROW("screen", "N", screen,
        "number of series for a first evaluation of all kernels; 0: all series; auto: by the amount of work",
        .fallback = "auto"),
    ROW("range", "NAME=SPEC...", ranges,
        "search range of parameter NAME of the kernel: {names}, a list A|B|C, or one value",
        .names = range_forms),
    ROW("splits", "N", splits, "stratified splits with 30 % held out, to evaluate the chosen kernel; 0: none",
        .fallback = "20"),
    ROW("folds", "N", folds, "folds of the nested accuracy, 2 to 10; 0: none", .fallback = "5"),
    HEADING("output"),
    ROW("output", "FILE", output, "CSV file with predicted classes and the outputs of each class",
        .letter = 'o'),
};

/* ---- arguments -------------------------------------------------------------------------------- */

static int check(const classify_arguments *arguments)
{
    const char *const sources[] = {arguments->train, arguments->train_labels, arguments->test,
                                   arguments->test_labels};
    if (arguments->output && !arguments->test)
        return complain(EXIT_USAGE, "-o %s requires series to classify (--test B)", arguments->output);
    if (arguments->output && arguments->common.json && is_standard_output(arguments->output))
        return complain(EXIT_USAGE, "--json and -o - cannot both be written to standard output");
    int failed = arguments->output ? output_check(arguments->output) : 0;
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !failed; i++)
        failed = output_check_against(arguments->output, sources[i]);
    return failed;
}

/* Parses a number of series, or "auto". */
static int parse_count(const char *name, const char *text, int64_t *count)
{
    double number = 0;
    *count = VOLT_SERIES_CHOOSE;
    if (strcmp(text, "auto") == 0)
        return 0;
    if (!volt_parse_number(text, &number) || number < 0 || number != floor(number) || number > 1e9)
        return complain(EXIT_USAGE, "--%s must be an integer of at least 0, or auto (got '%s')", name, text);
    *count = (int64_t)number;
    return 0;
}

static int require_labels(const labelled_series *train)
{
    if (train->labels)
        return 0;
    return complain(EXIT_FAILED, "%s has no classes: give one per series with --train-labels FILE",
                    train->source);
}

/* ---- fit and predict -------------------------------------------------------------------------- */

static int fit(const classify_arguments *arguments, const search_space *space, const classified *result,
               volt_series_model **model)
{
    volt_series_options options = volt_series_options_default();
    const volt_collection *train = result->pair->train.collection;
    options.kernel = arguments->kernel;
    options.loss = arguments->loss;
    options.scale = arguments->scale;
    options.input = arguments->input;
    options.compare = arguments->compare;
    options.alpha = arguments->alpha;
    options.draws = arguments->draws > 0 ? arguments->draws : VOLT_SERIES_CHOOSE;
    options.budget = arguments->budget > 0 ? arguments->budget : VOLT_SERIES_CHOOSE;
    options.folds = arguments->folds;
    int failed = parse_count("screen", arguments->screen, &options.screen);
    if (!failed)
        failed = parse_count("landmarks", arguments->landmarks, &options.landmarks);
    if (failed)
        return failed;
    options.seed = arguments->common.seed.value;
    options.splits = arguments->splits;
    options.blend = arguments->blend;
    options.ranges = space->ranges;
    options.n_ranges = space->count;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_series_fit(train->series, train->count, result->train, result->classes->count,
                                         (volt_view){0}, &options, model);
    progress_end();
    if (status == VOLT_ERR_KERNEL)
        return complain_status_hint(status, " (see volterra help kernels)");
    return status ? complain_status(status) : 0;
}

static int predict(const volt_series_model *model, bool quiet, classified *result)
{
    const volt_collection *test = result->pair->test.collection;
    volt_progress progress = progress_begin(quiet);
    volt_status status = volt_series_model_predict(model, test->series, test->count, progress, result->outputs,
                                                   result->probabilities, result->found);
    progress_end();
    return status ? complain_status(status) : 0;
}

static int allocate(classified *result)
{
    const volt_collection *test = result->pair->test.collection;
    if (!test)
        return 0;
    result->found = calloc((size_t)test->count, sizeof *result->found);
    if (!result->found)
        return complain(EXIT_FAILED, "not enough memory for the predicted classes");
    int failed = allocate_matrix(test->count, result->classes->count, "the outputs", &result->outputs);
    return failed ? failed
                  : allocate_matrix(test->count, result->classes->count, "the outputs", &result->probabilities);
}

static int work(const classify_arguments *arguments, const search_space *space, classified *result)
{
    volt_series_model *model = NULL;
    int failed = allocate(result);
    if (!failed)
        failed = fit(arguments, space, result, &model);
    if (failed)
        return failed;
    result->info.struct_size = sizeof result->info;
    (void)volt_series_model_get_info(model, &result->info); /* neither pointer is NULL */
    if (result->pair->test.collection)
        failed = predict(model, arguments->common.quiet, result);
    if (!failed && arguments->output)
        failed = classify_write(result, arguments->output);
    if (!failed && !(arguments->output && is_standard_output(arguments->output)))
        failed = classify_print(result, arguments->output, result->info.seconds, arguments->common.json);
    volt_series_model_free(model);
    return failed;
}

static int run_on(const classify_arguments *arguments, const search_space *space, series_pair *pair)
{
    class_names classes = {0};
    classified result = {.pair = pair, .classes = &classes};
    int failed = series_pair_read(pair, arguments->train, arguments->train_labels, arguments->test,
                                  arguments->test_labels);
    if (!failed)
        failed = require_labels(&pair->train);
    if (!failed)
        failed = class_names_read(&classes, &pair->train, &result.train);
    if (!failed && pair->test.labels)
        failed = class_numbers(&classes, &pair->test, &result.test);
    if (!failed)
        failed = work(arguments, space, &result);
    free(result.train);
    free(result.test);
    free(result.found);
    free(result.outputs.data);
    free(result.probabilities.data);
    class_names_release(&classes);
    return failed;
}

static int run_classify(int argc, char *const *argv)
{
    classify_arguments arguments = {0};
    search_space space = {0};
    series_pair pair = {0};
    int failed = options_parse(&command_classify.options, argc, argv, &arguments);
    if (!failed)
        failed = check(&arguments);
    if (!failed)
        failed = search_space_read(&space, &arguments.ranges, NULL, NULL);
    if (!failed)
        failed = run_on(&arguments, &space, &pair);
    series_pair_release(&pair);
    search_space_release(&space);
    text_list_free(&arguments.ranges);
    return failed;
}

const cli_command command_classify = {
    .name = "classify",
    .group = "Whole series",
    .summary = "classify time series",
    .description =
        "Fits a readout on the Gram matrix of a kernel of series, and predicts the classes of the series of\n"
        "B. The kernel, alpha and the preprocessing are selected on the training series.\n"
        "\n"
        "The readout is a ridge regression on a 0/1 column for each class or, with --loss multinomial,\n"
        "class probabilities. Lengths of series may differ. Series of B are preprocessed like those of A.\n"
        "\n"
        "Free parameters of the kernel, alpha and the preprocessing (--scale, --input, --compare) are\n"
        "selected on the training series by leave-one-out accuracy, then by squared error. Averages of the\n"
        "best kernels of different kinds are evaluated as well (--blend). Kernels are normalised so that\n"
        "K(x, x) = 1. The leave-one-out accuracy of the selected kernel is optimistic. The nested accuracy\n"
        "is the expected accuracy. The selection is repeated without each of --folds folds and evaluated on\n"
        "that fold.\n"
        "\n"
        "Without --kernel, candidates alternate between gak, volterra, memory and, if all series have the\n"
        "same length, rbf. linear, rbf, poly, sigmoid and cauchy use a series as one row and require equal\n"
        "lengths; esn and sas compare final states (volterra help kernels).\n"
        "\n"
        "The search takes at most --budget. If all kernels on all series would take too long, they are\n"
        "first evaluated on a sample of the series (--screen). Above 500 series the readout uses landmarks\n"
        "(--landmarks). Results are reproducible unless the budget ended the search, which is reported.\n"
        "With --draws there is no time limit.\n"
        "\n"
        "The report contains the accuracy on B, recall and precision of each class, and the confusion\n"
        "matrix. Without classes of B, recall, precision and confusion matrix are leave-one-out.\n",
    .examples = "  volterra classify --train ERing_TRAIN.ts --test ERing_TEST.ts\n"
                "  volterra classify --train A.npy --train-labels a.csv --test B.npy -o found.csv\n"
                "  volterra classify --train A.ts --test B.ts --kernel gak --draws 20 --input level\n"
                "  volterra classify --train A.ts --kernel 'gak | sig:augment=time' --budget 2min --json\n"
                "  volterra classify --train A.ts --test B.ts --loss multinomial\n",
    .options = OPTION_TABLE(rows),
    .run = run_classify,
};
