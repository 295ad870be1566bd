/* cli/commands/cmd_capacity.c: volterra capacity, memory and information processing capacity of a kernel. */
#include "args/command.h"
#include "files/outputs.h"
#include "files/svg_plot.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "volterra.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct capacity_arguments {
    common_arguments common;
    const char *kernel, *plot;
    int64_t rows, washout, degree, delay; /* washout 0: not given */
    double alpha, dimension, threshold;   /* alpha and threshold negative, dimension 0: not given */
    double significance;
} capacity_arguments;

#define ROW(...) OPTION(capacity_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("kernel", "K", kernel, KERNEL_MEANING, .fallback = "volterra"),
    ROW("rows", "N", rows, "rows of random inputs", .range = AT_LEAST(10), .fallback = "5000"),
    ROW("degree", "D", degree, "largest degree of the targets", .range = WITHIN(1, VOLT_CAPACITY_DEGREE),
        .fallback = "3"),
    ROW("delay", "T", delay, "largest delay of the targets", .range = AT_LEAST(0), .fallback = "30"),
    ROW("washout", "W", washout, "rows before the others, which initialise the state", .range = AT_LEAST(1),
        .unset = "200, or the delay if that is larger"),
    ROW("alpha", "A", alpha, "regularisation strength", .range = AT_LEAST(0),
        .unset = "0 for kernels with explicit states, otherwise chosen for --dimension"),
    ROW("dimension", "N", dimension, "effective dimension that alpha is chosen for",
        .unset = "100, or a twentieth of the rows if that is smaller"),
    ROW("significance", "P", significance, "tail probability of the threshold of capacities",
        .range = BETWEEN(0, 1), .fallback = "0.0001"),
    ROW("threshold", "C", threshold, "threshold below which capacities are set to 0", .range = WITHIN(0, 1),
        .unset = "from the significance"),
    ROW("plot", "FILE.svg", plot, "plot of the capacities by delay and degree", .ending = ".svg", .python = ""),
};

/* ---- results ---------------------------------------------------------------------------------- */

static json_t *degrees_json(json_build *build, const volt_capacity *found)
{
    json_t *list = build_array(build);
    for (int64_t degree = 0; degree <= found->degree; degree++) {
        json_t *one = build_object(build);
        build_set(build, one, "degree", build_count(build, degree));
        build_set(build, one, "targets", build_count(build, found->targets[degree]));
        build_set(build, one, "significant", build_count(build, found->significant[degree]));
        build_set(build, one, "capacity", build_number(build, found->by_degree[degree]));
        build_append(build, list, one);
    }
    return list;
}

static json_t *targets_json(json_build *build, const volt_capacity *found)
{
    json_t *list = build_array(build);
    for (int64_t k = 0; k < found->n_targets; k++) {
        const int64_t *factors = found->factors + 2 * found->degree * k;
        json_t *one = build_object(build), *pairs = build_array(build);
        for (int64_t i = 0; i < found->degree && factors[2 * i + 1] > 0; i++) {
            json_t *pair = build_array(build);
            build_append(build, pair, build_count(build, factors[2 * i]));
            build_append(build, pair, build_count(build, factors[2 * i + 1]));
            build_append(build, pairs, pair);
        }
        build_set(build, one, "factors", pairs);
        build_set(build, one, "capacity", build_number(build, found->capacities[k]));
        build_append(build, list, one);
    }
    return list;
}

static int print_json(const capacity_arguments *arguments, const char *kernel, const volt_capacity *found,
                      double seconds)
{
    json_build build = {0};
    json_t *object = build_object(&build);
    build_set(&build, object, "kernel", build_text(&build, kernel));
    build_fields(&build, object, volt_capacity, found,
                 "rows washout states alpha effective_dimension threshold total by_delay");
    char seed[24]; /* a text if it exceeds the integer range of most JSON readers */
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)arguments->common.seed.value);
    build_set(&build, object, "seed",
              arguments->common.seed.value <= INT64_MAX
                  ? build_count(&build, (int64_t)arguments->common.seed.value)
                  : build_text(&build, seed));
    build_set(&build, object, "linear_memory", build_number(&build, found->by_degree[1]));
    build_set(&build, object, "by_degree", degrees_json(&build, found));
    build_set(&build, object, "targets", targets_json(&build, found));
    build_set(&build, object, "seconds", build_number(&build, seconds));
    return build_print(&build, object, JSON_COMPACT);
}

static void print_degrees(const volt_capacity *found)
{
    printf("\ndegree   targets  significant  capacity\n");
    for (int64_t degree = 0; degree <= found->degree; degree++)
        printf("%6lld  %8lld  %11lld  %8s\n", (long long)degree, (long long)found->targets[degree],
               (long long)found->significant[degree], fixed_digits(found->by_degree[degree], 3).text);
}

/* The rows up to the last delay with a capacity. */
static void print_delays(const volt_capacity *found)
{
    int64_t delays = found->delay + 1, last = -1;
    for (int64_t k = 0; k < found->degree * delays; k++)
        if (found->by_delay[k] > 0 && k % delays > last)
            last = k % delays;
    if (last < 0)
        return;
    printf("\n delay");
    for (int64_t degree = 1; degree <= found->degree; degree++)
        printf("%*s%lld", degree < 10 ? 10 : 9, "degree ", (long long)degree);
    printf("\n");
    for (int64_t delay = 0; delay <= last; delay++) {
        printf("%6lld", (long long)delay);
        for (int64_t degree = 1; degree <= found->degree; degree++)
            printf("  %9s", fixed_digits(found->by_delay[(degree - 1) * delays + delay], 3).text);
        printf("\n");
    }
}

static int print_table(const capacity_arguments *arguments, const char *kernel, const volt_capacity *found,
                       double seconds)
{
    char time[QUANTITY_LENGTH];
    result_list *results = results_new(false);
    results_text(results, NULL, "kernel", "%s", kernel);
    results_details(results, true);
    results_text(results, NULL, "inputs", "%lld rows after a washout of %lld, seed %llu",
                 (long long)found->rows, (long long)found->washout,
                 (unsigned long long)arguments->common.seed.value);
    results_details(results, false);
    if (found->states > 0)
        results_count(results, NULL, "states", found->states);
    results_parameter(results, NULL, "alpha", found->alpha);
    results_number(results, NULL, "effective dimension", found->effective_dimension);
    results_number(results, NULL, "threshold", found->threshold);
    results_number(results, NULL, "linear memory", found->by_degree[1]);
    results_number(results, NULL, "total capacity", found->total);
    results_text(results, NULL, "time", "%s", format_seconds(seconds, time));
    int failed = results_print(results);
    if (failed)
        return failed;
    print_degrees(found);
    print_delays(found);
    return EXIT_DONE;
}

/* ---- plot ------------------------------------------------------------------------------------- */

static int draw(const char *path, const volt_capacity *capacity)
{
    svg_plot plot = {0};
    const int64_t delays = capacity->delay + 1;
    svg_panel *memory = svg_add_panel(&plot, "linear memory: capacity of degree 1"),
              *all = svg_add_panel(&plot, "capacity of all targets, by degree");
    svg_series *line = svg_add_series(memory, SVG_LINE, SVG_BLUE, ""),
               *dots = svg_add_series(memory, SVG_DOTS, SVG_BLUE, "");
    memory->y.high = 1.05;
    memory->x.is_whole = all->x.is_whole = true;
    svg_text(memory->x.label, "delay (rows)");
    svg_text(all->x.label, "largest delay of a target (rows)");
    double *sums = calloc((size_t)delays, sizeof *sums); /* of the lower degrees */
    plot.failed = !sums;
    for (int64_t degree = 0; sums && degree < capacity->degree; degree++) {
        char name[32];
        snprintf(name, sizeof name, "degree %lld", (long long)degree + 1);
        svg_series *bars = svg_add_series(all, SVG_BARS, svg_colour(degree), name);
        bars->size = 0.8;
        for (int64_t delay = 0; delay < delays; delay++) {
            const double below = sums[delay];
            sums[delay] += capacity->by_delay[degree * delays + delay];
            svg_add(bars, (double)delay, sums[delay], below);
            if (degree == 0) {
                svg_add(line, (double)delay, sums[delay], 0);
                svg_add(dots, (double)delay, sums[delay], 0);
            }
        }
    }
    free(sums);
    return svg_write_file(path, &plot);
}

/* ---- command ---------------------------------------------------------------------------------- */

static int compute(const capacity_arguments *arguments, const volt_kernel *kernel)
{
    volt_capacity *found = NULL;
    volt_kernel_info info = {.struct_size = sizeof info};
    volt_capacity_options options = volt_capacity_options_default();
    options.rows = arguments->rows;
    options.washout = arguments->washout;
    options.degree = arguments->degree;
    options.delay = arguments->delay;
    options.alpha = arguments->alpha;
    options.dimension = arguments->dimension;
    options.significance = arguments->significance;
    options.threshold = arguments->threshold;
    options.seed = arguments->common.seed.value;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_capacity_compute(kernel, &options, &found);
    double seconds = progress_end();
    if (status)
        return complain_status(status);
    volt_kernel_get_info(kernel, &info);
    int failed = arguments->plot ? draw(arguments->plot, found) : 0;
    bool prints = !arguments->plot || !is_standard_output(arguments->plot);
    if (!failed && prints)
        failed = arguments->common.json ? print_json(arguments, info.text, found, seconds)
                                        : print_table(arguments, info.text, found, seconds);
    volt_capacity_free(found);
    return failed;
}

static int check_arguments(const capacity_arguments *arguments)
{
    if (arguments->alpha >= 0 && arguments->dimension > 0)
        return complain(EXIT_USAGE, "--alpha and --dimension cannot be combined");
    if (arguments->washout > 0 && arguments->washout < arguments->delay)
        return complain(EXIT_USAGE, "--washout must be at least the delay, %lld (got %lld)",
                        (long long)arguments->delay, (long long)arguments->washout);
    if (arguments->plot && is_standard_output(arguments->plot) && arguments->common.json)
        return complain(EXIT_USAGE, "--json and --plot - cannot be combined");
    return arguments->plot ? output_check(arguments->plot) : 0;
}

static int run_capacity(int argc, char *const *argv)
{
    capacity_arguments arguments = {.alpha = -1, .threshold = -1};
    volt_kernel *kernel = NULL;
    int failed = options_parse(&command_capacity.options, argc, argv, &arguments);
    if (!failed)
        failed = check_arguments(&arguments);
    if (failed)
        return failed;
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");
    failed = compute(&arguments, kernel);
    volt_kernel_free(kernel);
    return failed;
}

const cli_command command_capacity = {
    .name = "capacity",
    .group = "Evaluate",
    .summary = "memory and information processing capacity of a kernel or reservoir",
    .description =
        "Computes the capacities of a kernel: the shares of the variance of products of earlier random\n"
        "inputs that it reconstructs, from 0 to 1 (Jaeger 2001; Dambre et al. 2012). The report sums them\n"
        "by degree and by delay.\n"
        "\n"
        "Inputs u are random, independent and uniform on [-1, 1]. A target is a product of Legendre\n"
        "polynomials of inputs with delays from 0 to --delay; its degree is at most --degree. The sum over\n"
        "the targets of degree 1 is the linear memory. The sum over all targets is about the effective\n"
        "dimension tr K (K + alpha I)^-1 or less.\n"
        "\n"
        "Reservoirs (esn, sas) have explicit states and need no regularisation: the effective dimension is\n"
        "their rank. For other kernels alpha is required, since without it every capacity is 1. Compare\n"
        "kernels with the same --dimension.\n"
        "\n"
        "Capacities below the threshold are set to 0. An independent target exceeds half of the threshold\n"
        "with the probability --significance. The tables have the sums by degree, and by the largest delay\n"
        "of a target; the column of degree 1 is the memory curve. --json has every target as a list of\n"
        "[delay, degree].\n",
    .examples = "  volterra capacity --kernel volterra:tau_coef=0.8 --dimension 50\n"
                "  volterra capacity --kernel esn:size=100,radius=0.95 --rows 20000 --plot capacity.svg\n"
                "  volterra capacity --kernel linear:window=10 --degree 1 --rows 2000 --json\n",
    .options = OPTION_TABLE(rows),
    .run = run_capacity,
};
