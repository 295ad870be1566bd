/* cli/commands/cmd_curve.c: volterra curve, held-out error against the number of training rows. */
#include "args/command.h"
#include "commands/curve_report.h"
#include "files/outputs.h"
#include "files/svg_plot.h"
#include "search/training.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct curve_arguments {
    common_arguments common;
    training_arguments training;
    const char *system, *output, *plot;
    text_list kernels;
    number_list sizes;
    int64_t length, points, test, repeat;
} curve_arguments;

enum { DEFAULT_POINTS = 8 };

#define ROW(...) OPTION(curve_arguments, __VA_ARGS__)
static const option rows[] = {
    HEADING("data"),
    ROW("x", "X", training.x, INPUTS_MEANING, .python = ""),
    GROUP(curve_arguments, training, &training_pairing_options),
    ROW("system", "SYSTEM", system,
        "simulated system in place of X, NAME or NAME:PARAMETER=VALUE,...; see volterra help systems",
        .python = ""),
    ROW("length", "N", length, "simulated rows of each repeat", .range = AT_LEAST(10),
        .unset = "depends on the system", .python = ""),
    HEADING("curve"),
    ROW("kernel", "K...", kernels, "kernels; see volterra help kernels", .unset = "volterra", .python = ""),
    ROW("sizes", "N1,N2,...", sizes, "numbers of training rows, increasing, at most 16", .range = AT_LEAST(2),
        .unset = "see --points", .python = ""),
    ROW("points", "K", points,
        "number of sizes at equal ratios; the smallest is the larger of 20 and a hundredth of the largest "
        "possible size",
        .range = WITHIN(1, 1000), .unset = DIGITS(8)),
    ROW("test", "ROWS", test, "held-out rows of each repeat", .range = AT_LEAST(1),
        .unset = "a fifth of the rows, divided by --repeat"),
    ROW("repeat", "R", repeat,
        "number of repeats: origins of X, the held-out rows of each after those of the one before; or seeds of "
        "--system, from --seed on",
        .range = WITHIN(1, 1000), .fallback = "1", .python = ""),
    HEADING("model"),
    ROW("alpha", "A", training.fit.alpha, "regularisation strength",
        .unset = "chosen for each size on the later half of its training rows"),
    GROUP(curve_arguments, training, &training_input_options),
    GROUP(curve_arguments, training, &training_readout_options),
    HEADING("output"),
    ROW("plot", "FILE.svg", plot, "plot of the curves", .ending = ".svg", .python = ""),
    ROW("output", "FILE", output, "table of all repeats: .npy, .mat or CSV", .letter = 'o', .python = ""),
};

/* ---- data ------------------------------------------------------------------------------------- */

typedef struct curve_data {
    training_data user;
    volt_matrix simulated; /* rows of all seeds */
    int64_t *lengths;      /* of the simulated records */
    volt_pairing *pairing; /* of the simulated rows; NULL: user data */
} curve_data;

static void data_release(curve_data *data)
{
    training_release(&data->user);
    volt_pairing_free(data->pairing);
    free(data->simulated.data);
    free(data->lengths);
}

static int simulate(const curve_arguments *arguments, curve_data *data)
{
    volt_system system;
    volt_simulate_options options;
    int64_t cols = 0, repeat = arguments->repeat;
    volt_status status = volt_system_parse(arguments->system, &system, &options);
    if (!status)
        status = volt_simulate_columns(system, &options, &cols);
    if (status)
        return complain_status_hint(status, " (--system)");
    const volt_system_info *info = volt_system_at((int64_t)system);
    int64_t length = arguments->length > 0 ? arguments->length : info->length;
    if (length > INT64_MAX / 1000 / repeat)
        return complain(EXIT_USAGE, "--length %lld is too large", (long long)length);
    int failed = allocate_matrix(length * repeat, cols, "the simulated rows", &data->simulated);
    data->lengths = calloc((size_t)repeat, sizeof *data->lengths);
    if (!failed && !data->lengths)
        failed = complain(EXIT_FAILED, "not enough memory for %lld repeats", (long long)repeat);
    options.start_noise = info->has_input ? 0 : 0.1;
    for (int64_t r = 0; !failed && r < repeat; r++) {
        options.seed = arguments->common.seed.value + (uint64_t)r;
        data->lengths[r] = length;
        status = volt_simulate(system, &options, volt_matrix_rows(data->simulated, r * length, length));
        if (status)
            failed = complain_status_hint(status, " (--seed %llu)", (unsigned long long)options.seed);
    }
    if (failed)
        return failed;
    volt_view X = volt_as_view(data->simulated), Y = {0};
    if (info->has_input) {
        Y = (volt_view){X.data + 1, X.rows, X.cols - 1, X.ld};
        X.cols = 1;
    }
    volt_pairing_options pairs = volt_pairing_options_default();
    pairs.records = data->lengths;
    pairs.n_records = repeat;
    status = volt_pairing_create(X, Y, &pairs, &data->pairing);
    if (status)
        return complain_status(status);
    data->user.inputs = data->pairing->inputs;
    failed = training_season(arguments->training.season, &data->user.season);
    return failed ? failed : training_initial(arguments->training.initial, &data->user);
}

static const volt_pairing *pairing_of(const curve_data *data)
{
    return data->pairing ? data->pairing : data->user.pairing;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static int check_source(const curve_arguments *arguments)
{
    const training_arguments *user = &arguments->training;
    const char *lonely = user->y            ? "y"
                         : user->ahead      ? "ahead"
                         : user->calendar   ? "calendar"
                         : user->series     ? "series"
                         : user->rows.given ? "rows"
                                            : NULL;
    if (user->fit.scale_each && !user->fit.scale)
        return complain(EXIT_USAGE, "--scale-each and --no-scale cannot be given together");
    if (!user->x && !arguments->system)
        return complain(EXIT_USAGE, "--x X or --system SYSTEM is required");
    if (user->x && arguments->system)
        return complain(EXIT_USAGE, "--x and --system cannot be given together");
    if (arguments->system && lonely)
        return complain(EXIT_USAGE, "--%s requires --x X", lonely);
    if (user->x && arguments->length > 0)
        return complain(EXIT_USAGE, "--length requires --system (select rows of %s with --rows)", user->x);
    if (arguments->sizes.count > 0 && arguments->points > 0)
        return complain(EXIT_USAGE, "--sizes and --points cannot be given together");
    for (int i = 0; i < arguments->sizes.count; i++) {
        double size = arguments->sizes.values[i];
        if (size != floor(size) || size > 1e9 || (i > 0 && size <= arguments->sizes.values[i - 1]))
            return complain(EXIT_USAGE, "--sizes must be increasing integers of at least 2 (got %.15g)", size);
    }
    return 0;
}

static int check_outputs(const curve_arguments *arguments)
{
    const output_option outputs[] = {{"-o", arguments->output}, {"--plot", arguments->plot}};
    int failed = outputs_check_distinct(outputs, 2);
    if (!failed && arguments->output && is_standard_output(arguments->output))
        failed = complain(EXIT_USAGE, "-o must be a file; --json prints all repeats");
    if (!failed && arguments->plot && is_standard_output(arguments->plot) && arguments->common.json)
        failed = complain(EXIT_USAGE, "--json and --plot - cannot both be written to standard output");
    for (int i = 0; i < 2 && !failed; i++)
        if (outputs[i].path)
            failed = training_check_output(&arguments->training, outputs[i].path);
    return failed;
}

static volt_fit_options fit_options(const curve_arguments *arguments, const curve_data *data)
{
    const volt_pairing *pairing = pairing_of(data);
    volt_fit_options fit = arguments->training.fit;
    if (data->pairing) {
        fit.season = data->user.season;
        fit.ahead = pairing->ahead;
        fit.anchors = pairing->anchors;
        fit.initial = data->user.initial;
        fit.initial_values = data->user.initial_values;
    } else {
        fit = training_options(&arguments->training, &data->user);
    }
    fit.records = NULL;
    fit.n_records = 0;
    return fit;
}

/* ---- run -------------------------------------------------------------------------------------- */

/* The kernels as given. */
static const char *const *kernels_of(const curve_arguments *arguments, int64_t *count)
{
    static const char *const usual[] = {"volterra"};
    bool is_given = arguments->kernels.count > 0;
    *count = is_given ? arguments->kernels.count : 1;
    return is_given ? arguments->kernels.texts : usual;
}

static int run(const curve_arguments *arguments, const curve_data *data, volt_curve **curve)
{
    const volt_pairing *pairing = pairing_of(data);
    int64_t sizes[NUMBER_LIST_CAPACITY];
    for (int i = 0; i < arguments->sizes.count; i++)
        sizes[i] = (int64_t)arguments->sizes.values[i];
    volt_fit_options fit = fit_options(arguments, data);
    volt_curve_options options = volt_curve_options_default();
    options.sizes = sizes;
    options.n_sizes = arguments->sizes.count;
    options.points = arguments->points > 0 ? arguments->points : DEFAULT_POINTS;
    options.test = arguments->test;
    options.repeat = data->pairing ? 1 : arguments->repeat;
    options.records = pairing->records;
    options.n_records = pairing->n_records;
    options.fit = &fit;
    options.progress = progress_begin(arguments->common.quiet);
    int64_t count;
    const char *const *kernels = kernels_of(arguments, &count);
    volt_status status = volt_curve_run(pairing->inputs, pairing->targets, kernels, count, &options, curve);
    progress_end();
    if (!status && interrupt_seen())
        status = VOLT_ERR_CANCELLED;
    if (status == VOLT_ERR_KERNEL)
        return complain_status_hint(status, " (see volterra help kernels)");
    if (status == VOLT_ERR_DATA)
        return complain_status_hint(status, " (--sizes, --test, --repeat, --washout)");
    return status ? complain_status(status) : 0;
}

/* Mean NMSE over training rows, with bands of one standard error, on logarithmic axes. */
static int draw(const char *path, const volt_curve *curve, const char *const *names)
{
    svg_plot plot = {0};
    svg_panel *panel = svg_add_panel(&plot, "NMSE of held-out rows");
    panel->height = 240;
    panel->x.is_log = panel->y.is_log = true;
    svg_text(panel->x.label, "training rows");
    for (int64_t k = 0; k < curve->n_kernels; k++) {
        svg_series *band = svg_add_series(panel, SVG_BAND, svg_colour(k), ""),
                   *line = svg_add_series(panel, SVG_LINE, svg_colour(k), names[k]),
                   *dots = svg_add_series(panel, SVG_DOTS, svg_colour(k), "");
        line->size = 2;
        line->is_dashed = k >= SVG_COLOURS - 1; /* colours repeat */
        for (int64_t s = 0; s < curve->n_sizes; s++) {
            const double size = (double)curve->sizes[s], mean = curve->mean_nmse[k * curve->n_sizes + s],
                         error = curve->nmse_error[k * curve->n_sizes + s], half = isfinite(error) ? error : 0;
            svg_add(band, size, fmax(mean - half, mean / 10), mean + half); /* stays on the logarithmic axis */
            svg_add(line, size, mean, 0);
            svg_add(dots, size, mean, 0);
        }
    }
    return svg_write_file(path, &plot);
}

static int show(const curve_arguments *arguments, const curve_data *data, const volt_curve *curve)
{
    int64_t count;
    const char *const *names = kernels_of(arguments, &count);
    curve_setting setting = {.source = arguments->system ? arguments->system : arguments->training.x,
                             .names = names,
                             .is_simulated = arguments->system != NULL,
                             .seed = arguments->common.seed.value,
                             .inputs = pairing_of(data)->inputs.cols,
                             .verbose = arguments->common.verbose};
    int failed = arguments->output ? curve_write(arguments->output, curve) : 0;
    if (!failed && arguments->plot)
        failed = draw(arguments->plot, curve, names);
    if (failed || (arguments->plot && is_standard_output(arguments->plot)))
        return failed;
    return arguments->common.json ? curve_print_json(curve, &setting) : curve_print_text(curve, &setting);
}

static int run_curve(int argc, char *const *argv)
{
    curve_arguments arguments = {.training = training_defaults()};
    curve_data data = {0};
    volt_curve *curve = NULL;
    int failed = options_parse(&command_curve.options, argc, argv, &arguments);
    if (!failed)
        failed = check_source(&arguments);
    if (!failed)
        failed = check_outputs(&arguments);
    if (!failed)
        failed =
            arguments.system ? simulate(&arguments, &data) : training_read(&arguments.training, &data.user);
    if (!failed)
        failed = run(&arguments, &data, &curve);
    if (!failed)
        failed = show(&arguments, &data, curve);
    volt_curve_free(curve);
    data_release(&data);
    text_list_free(&arguments.kernels);
    return failed;
}

const cli_command command_curve = {
    .name = "curve",
    .group = "Evaluate",
    .summary = "learning curves: held-out error against the number of training rows, and its rate",
    .description =
        "Fits every kernel on training sets of several sizes, and prints the mean NMSE of the held-out rows\n"
        "with its standard error over repeats. The rate is the slope of log NMSE against log rows over the\n"
        "larger half of the sizes, at least two.\n"
        "\n"
        "The standard error of the rate is computed over the repeats, or from the residuals of the fitted\n"
        "line if there is one repeat.\n"
        "\n"
        "The held-out rows follow the training rows and are the same for all sizes. A smaller training set\n"
        "is the beginning of the largest one. The inputs between a smaller training set and the held-out\n"
        "rows update the state, as in volterra predict. Scales and ranges are learned from the largest\n"
        "training set. One Gram matrix, and one factorisation for each alpha, serve all sizes.\n"
        "\n"
        "With --series, every record is a repeat of its own. With --system, every seed is a repeat: inputs\n"
        "u and outputs y of systems with an input, otherwise the next row from all columns. If the targets\n"
        "are inputs, changes are learned unless --alpha or --target is given; errors are computed from\n"
        "levels.\n",
    .examples =
        "  volterra curve --system narma10 --length 2500 --kernel volterra volterra:lift=even --repeat 3\n"
        "  volterra curve --x data.csv:u --y data.csv:y --kernel volterra rbf:window=10 --repeat 4\n"
        "  volterra curve --x data.csv:u --y data.csv:y --sizes 100,300,1000 --test 500 --plot curve.svg\n"
        "  volterra curve --system relay --repeat 5 --seed 1 --json\n",
    .options = OPTION_TABLE(rows),
    .run = run_curve,
};
