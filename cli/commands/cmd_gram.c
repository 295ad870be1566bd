/* cli/commands/cmd_gram.c: volterra gram, the Gram matrix of sequences or collections of series. */
#include "args/command.h"
#include "files/collections.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "files/svg_plot.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "text/text.h"
#include "volterra.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gram_arguments {
    common_arguments common;
    const char *x, *y, *collection, *with, *kernel, *output, *plot;
    int missing;
    row_range rows, y_rows;
    double radius; /* 0: not given */
    int64_t count; /* of eigenvalues; 0: not given */
    bool normalise, distance, spectrum;
} gram_arguments;

enum { OF_SEQUENCES = 1, OF_COLLECTIONS }; /* the two forms of the command */

#define ROW(...) OPTION(gram_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("x", "X", x, "sequence of the rows: FILE or FILE:COLUMNS", .required = true, .form = OF_SEQUENCES),
    ROW("y", "Y", y, "sequence of the columns", .unset = "X", .form = OF_SEQUENCES),
    ROWS_OPTION(gram_arguments, rows, "X", .form = OF_SEQUENCES),
    ROW("y-rows", "A:B", y_rows, "the same for Y", .form = OF_SEQUENCES),
    MISSING_OPTION(gram_arguments, missing, .form = OF_SEQUENCES),
    ROW("collection", "A", collection, "series of the rows: " COLLECTION_FORMATS, .required = true,
        .form = OF_COLLECTIONS),
    ROW("with", "B", with, "series of the columns", .unset = "A", .form = OF_COLLECTIONS),
    ROW("kernel", "K", kernel, KERNEL_MEANING, .fallback = "volterra", .python = ""),
    ROW("radius", "R", radius, "bound of the norm of the inputs", .unset = "the largest norm"),
    ROW("normalise", NULL, normalise, "normalisation so that K(x, x) = 1"),
    ROW("distance", NULL, distance, "distances of the states in place of the kernel"),
    ROW("spectrum", NULL, spectrum, "eigenvalues and effective dimensions in place of the matrix",
        .form = OF_SEQUENCES, .python = ""),
    ROW("count", "K", count, "number of eigenvalues with --spectrum, the largest ones", .range = AT_LEAST(1),
        .unset = "all", .form = OF_SEQUENCES, .python = ""),
    ROW("plot", "FILE.svg", plot, "plot of the spectrum", .ending = ".svg", .form = OF_SEQUENCES, .python = ""),
    ROW("output", "FILE", output, "file for the matrix: .npy, .mat or CSV", .letter = 'o',
        .unset = "CSV on standard output"),
};

/* ---- shared by both forms --------------------------------------------------------------------- */

static volt_gram_options begin_gram(const gram_arguments *arguments)
{
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 1;
    options.radius = arguments->radius;
    options.normalise = arguments->normalise;
    options.distance = arguments->distance;
    options.progress = progress_begin(arguments->common.quiet);
    return options;
}

/* Largest norms of the row and column inputs of K. */
typedef struct radius_pair {
    double rows, columns;
} radius_pair;

/* Returns the largest norm over `count` sequences, already validated for K. */
static double radius_of(const volt_view *series, int64_t count)
{
    double radius = 0;
    for (int64_t i = 0; i < count; i++) {
        double own = 0;
        if (volt_radius(series[i], &own) == VOLT_OK)
            radius = fmax(radius, own);
    }
    return radius;
}

/* Returns true if the kernel depends on the radius. */
static bool depends_on_radius(const volt_kernel *kernel, double radius)
{
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    return volt_kernel_query(kernel, radius, 1, 0.5, &facts) == VOLT_OK && facts.lambda > 0;
}

/* Reports the radius of K with full precision, for reuse with another matrix. */
static void report_radius(const gram_arguments *arguments, const volt_kernel *kernel, radius_pair radius,
                          bool is_cross, result_list *results)
{
    char used[VOLT_NUMBER_LENGTH], of_rows[VOLT_NUMBER_LENGTH], of_columns[VOLT_NUMBER_LENGTH];
    double largest = arguments->radius > 0 ? arguments->radius : fmax(radius.rows, radius.columns);
    volt_format_number(largest, used);
    volt_format_number(radius.rows, of_rows);
    volt_format_number(radius.columns, of_columns);
    results_number(results, "radius", NULL, largest);
    if (is_cross) {
        results_number(results, "row_radius", NULL, radius.rows);
        results_number(results, "column_radius", NULL, radius.columns);
    }
    if (!depends_on_radius(kernel, largest))
        return;
    if (is_cross)
        results_text(results, NULL, "radius", "%s (rows %s, columns %s)", used, of_rows, of_columns);
    else
        results_text(results, NULL, "radius", "%s", used);
}

/* Writes K and starts *results; NULL if K was written to standard output. */
static int write_gram(const gram_arguments *arguments, const volt_kernel *kernel, radius_pair radius,
                      bool is_cross, volt_view K, result_list **results)
{
    bool json = arguments->common.json;
    *results = NULL;
    int failed = output_matrix(arguments->output, K, NULL, json);
    if (failed || is_standard_output(arguments->output))
        return failed;
    *results = results_new(json);
    results_text(*results, "output", NULL, "%s", arguments->output);
    volt_kernel_info info = {.struct_size = sizeof info};
    volt_kernel_get_info(kernel, &info);
    results_text(*results, "kernel", NULL, "%s", info.text);
    results_count(*results, "rows", NULL, K.rows);
    results_count(*results, "columns", NULL, K.cols);
    results_text(*results, NULL, arguments->output, "%lld x %lld %s of %s%s", (long long)K.rows,
                 (long long)K.cols, arguments->distance ? "distances" : "values", info.text,
                 arguments->normalise ? ", normalised" : "");
    report_radius(arguments, kernel, radius, is_cross, *results);
    results_flag(*results, "normalised", arguments->normalise);
    results_flag(*results, "distance", arguments->distance);
    return *results ? 0 : results_print(NULL);
}

static int print_time(result_list *results, double seconds)
{
    char time[QUANTITY_LENGTH];
    results_number(results, "seconds", NULL, seconds);
    results_text(results, NULL, "time", "%s", format_seconds(seconds, time));
    return results_print(results);
}

/* ---- sequences -------------------------------------------------------------------------------- */

static int read_sequences(const gram_arguments *arguments, dataset *x, dataset *y)
{
    volt_missing missing = (volt_missing)arguments->missing;
    if (!arguments->y && arguments->y_rows.given)
        return complain(EXIT_USAGE, "--y-rows requires --y");
    if (arguments->y && strcmp(arguments->x, "-") == 0 && strcmp(arguments->y, "-") == 0)
        return complain(EXIT_USAGE, "--x and --y cannot both be read from standard input");
    int failed = dataset_read_rows(x, arguments->x, missing, &arguments->rows, "--rows");
    if (failed || !arguments->y)
        return failed;

    failed = dataset_read_like(y, arguments->y, missing, &arguments->y_rows, "--y-rows", x);
    if (!failed && x->view.cols != y->view.cols)
        failed = complain(EXIT_FAILED, "%s has %lld columns but %s has %lld (must be equal)", arguments->x,
                          (long long)x->view.cols, arguments->y, (long long)y->view.cols);
    return failed;
}

static int gram_of_sequences(const gram_arguments *arguments, const volt_kernel *kernel, const dataset *x,
                             const dataset *y)
{
    volt_matrix K = {0};
    result_list *results = NULL;
    int64_t n_columns = arguments->y ? y->view.rows : x->view.rows;
    int failed = allocate_matrix(x->view.rows, n_columns, "the Gram matrix", &K);
    if (failed)
        return failed;
    volt_gram_options options = begin_gram(arguments);
    volt_status status = volt_gram(kernel, x->view, y->view, &options, K);
    double seconds = progress_end();
    radius_pair radius = {radius_of(&x->view, 1), radius_of(&y->view, arguments->y ? 1 : 0)};
    failed = status ? complain_status(status)
                    : write_gram(arguments, kernel, radius, arguments->y != NULL, volt_as_view(K), &results);
    if (results)
        failed = print_time(results, seconds);
    free(K.data);
    return failed;
}

/* ---- spectrum --------------------------------------------------------------------------------- */

static int check_spectrum(const gram_arguments *arguments)
{
    if (!arguments->spectrum && (arguments->count > 0 || arguments->plot))
        return complain(EXIT_USAGE, "%s requires --spectrum", arguments->plot ? "--plot" : "--count");
    if (arguments->spectrum && (arguments->y || arguments->distance))
        return complain(EXIT_USAGE, "--spectrum and %s cannot be combined",
                        arguments->y ? "--y" : "--distance");
    if (arguments->plot && is_standard_output(arguments->plot) && is_standard_output(arguments->output))
        return complain(EXIT_USAGE, "--plot - requires -o FILE");
    const output_option outputs[] = {{"-o", arguments->output}, {"--plot", arguments->plot}};
    int failed = outputs_check_distinct(outputs, 2);
    return failed || !arguments->plot ? failed : output_check(arguments->plot);
}

/* Zeros, which are rounding errors, are not drawn. */
static int draw_spectrum(const char *path, volt_view spectrum)
{
    enum { MAX_DOTS = 100 };
    svg_plot plot = {0};
    svg_panel *values = svg_add_panel(&plot, "eigenvalues of the Gram matrix"),
              *dimensions = svg_add_panel(&plot, "effective dimension");
    svg_series *line = svg_add_series(values, SVG_LINE, SVG_BLUE, ""),
               *dots = svg_add_series(values, SVG_DOTS, SVG_BLUE, ""),
               *dimension = svg_add_series(dimensions, SVG_LINE, SVG_BLUE, "");
    values->x.is_log = values->y.is_log = dimensions->x.is_log = dimensions->y.is_log = true;
    dots->size = 3.5;
    svg_text(values->x.label, "number");
    svg_text(dimensions->x.label, "alpha");
    for (int64_t i = 0; i < spectrum.rows; i++) {
        const double *row = spectrum.data + i * spectrum.ld;
        svg_add(line, (double)i + 1, row[0], 0);
        if (i < MAX_DOTS)
            svg_add(dots, (double)i + 1, row[0], 0);
        svg_add(dimension, row[0], row[1], 0);
    }
    return svg_write_file(path, &plot);
}

/* Writes the eigenvalues and the plot. */
static int write_spectrum(const gram_arguments *arguments, const volt_kernel *kernel, const dataset *x,
                          volt_view spectrum, double seconds)
{
    static const char *const names[] = {"eigenvalue", "effective_dimension"};
    result_list *results = NULL;
    radius_pair radius = {radius_of(&x->view, 1), 0};
    int failed = arguments->plot ? draw_spectrum(arguments->plot, spectrum) : 0;
    if (!failed)
        failed = output_matrix(arguments->output, spectrum, names, arguments->common.json);
    if (failed || is_standard_output(arguments->output))
        return failed;
    volt_kernel_info info = {.struct_size = sizeof info};
    volt_kernel_get_info(kernel, &info);
    results = results_new(arguments->common.json);
    results_text(results, "output", NULL, "%s", arguments->output);
    results_text(results, "kernel", NULL, "%s", info.text);
    results_count(results, "rows", NULL, x->view.rows);
    results_count(results, "count", NULL, spectrum.rows);
    results_text(results, NULL, arguments->output, "%lld of %lld eigenvalues of %s", (long long)spectrum.rows,
                 (long long)x->view.rows, info.text);
    report_radius(arguments, kernel, radius, false, results);
    results_number(results, "largest", "largest", spectrum.data[0]);
    results_number(results, "smallest", "smallest", spectrum.data[(spectrum.rows - 1) * spectrum.ld]);
    return results ? print_time(results, seconds) : results_print(NULL);
}

static int spectrum_of_sequence(const gram_arguments *arguments, const volt_kernel *kernel, const dataset *x)
{
    volt_matrix spectrum = {0};
    int64_t count = arguments->count > 0 ? arguments->count : x->view.rows;
    if (count > x->view.rows)
        return complain(EXIT_USAGE, "--count must be at most %lld, the number of rows (got %lld)",
                        (long long)x->view.rows, (long long)count);
    int failed = allocate_matrix(count, 2, "the spectrum", &spectrum);
    if (failed)
        return failed;
    volt_gram_options options = begin_gram(arguments);
    volt_status status = volt_gram_spectrum(kernel, x->view, &options, spectrum);
    double seconds = progress_end();
    failed = status ? complain_status(status)
                    : write_spectrum(arguments, kernel, x, volt_as_view(spectrum), seconds);
    free(spectrum.data);
    return failed;
}

static int run_on_sequences(const gram_arguments *arguments, const volt_kernel *kernel)
{
    dataset x = {0}, y = {0};
    int failed = check_spectrum(arguments);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->x);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->y);
    if (!failed && arguments->plot)
        failed = output_check_against(arguments->plot, arguments->x);
    if (!failed)
        failed = read_sequences(arguments, &x, &y);
    if (!failed)
        failed = arguments->spectrum ? spectrum_of_sequence(arguments, kernel, &x)
                                     : gram_of_sequences(arguments, kernel, &x, &y);
    dataset_release(&x);
    dataset_release(&y);
    return failed;
}

/* ---- collections ------------------------------------------------------------------------------ */

static int read_collections(const gram_arguments *arguments, volt_collection **a, volt_collection **b)
{
    if (arguments->with && strcmp(arguments->collection, "-") == 0 && strcmp(arguments->with, "-") == 0)
        return complain(EXIT_USAGE, "--collection and --with cannot both be read from standard input");
    int refused = reading_options_refuse("collections of series");
    if (refused)
        return refused;
    volt_status status = volt_collection_read(arguments->collection, a);
    if (!status && arguments->with)
        status = volt_collection_read(arguments->with, b);
    if (status)
        return complain_status(status);
    if (*b && (*a)->channels != (*b)->channels)
        return complain(EXIT_FAILED, "the series of %s have %lld channel%s but those of %s have %lld",
                        arguments->collection, (long long)(*a)->channels, (*a)->channels == 1 ? "" : "s",
                        arguments->with, (long long)(*b)->channels);
    return 0;
}

/* Reports the size and labels of a collection. The keys name the shortest length, longest length and labels in
 * JSON. */
static void report_collection(result_list *results, const char *path, const volt_collection *collection,
                              const char *const keys[3])
{
    length_range range = collection_lengths(collection);
    char text[COLLECTION_TEXT_LENGTH];
    results_text(results, NULL, path, "%s", collection_text(collection, text));
    results_count(results, keys[0], NULL, range.shortest);
    results_count(results, keys[1], NULL, range.longest);
    if (collection->labels)
        results_texts(results, keys[2], collection->labels, collection->count);
}

static int report_collections(const gram_arguments *arguments, const volt_collection *a,
                              const volt_collection *b, double seconds, result_list *results)
{
    static const char *const row_keys[] = {"row_shortest", "row_longest", "row_labels"};
    static const char *const column_keys[] = {"column_shortest", "column_longest", "column_labels"};
    results_count(results, "channels", NULL, a->channels);
    report_collection(results, arguments->collection, a, row_keys);
    if (b)
        report_collection(results, arguments->with, b, column_keys);
    return print_time(results, seconds);
}

static int gram_of_collections(const gram_arguments *arguments, const volt_kernel *kernel,
                               const volt_collection *a, const volt_collection *b)
{
    volt_matrix K = {0};
    result_list *results = NULL;
    assert(a);
    int failed = allocate_matrix(a->count, b ? b->count : a->count, "the Gram matrix", &K);
    if (failed)
        return failed;
    volt_gram_options options = begin_gram(arguments);
    volt_status status =
        volt_gram_collection(kernel, a->series, a->count, b ? b->series : NULL, b ? b->count : 0, &options, K);
    double seconds = progress_end();
    radius_pair radius = {radius_of(a->series, a->count), b ? radius_of(b->series, b->count) : 0};
    failed = status ? complain_status(status)
                    : write_gram(arguments, kernel, radius, b != NULL, volt_as_view(K), &results);
    if (results)
        failed = report_collections(arguments, a, b, seconds, results);
    free(K.data);
    return failed;
}

static int run_on_collections(const gram_arguments *arguments, const volt_kernel *kernel)
{
    volt_collection *a = NULL, *b = NULL;
    int failed = output_check_against(arguments->output, arguments->collection);
    if (!failed)
        failed = output_check_against(arguments->output, arguments->with);
    if (!failed)
        failed = read_collections(arguments, &a, &b);
    if (!failed)
        failed = gram_of_collections(arguments, kernel, a, b);
    volt_collection_free(a);
    volt_collection_free(b);
    return failed;
}

/* ---- command ---------------------------------------------------------------------------------- */

static int run_gram(int argc, char *const *argv)
{
    gram_arguments arguments = {0};
    volt_kernel *kernel = NULL;
    int failed = options_parse(&command_gram.options, argc, argv, &arguments);
    if (failed)
        return failed;
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");
    failed = output_check(arguments.output);
    if (!failed)
        failed = arguments.collection ? run_on_collections(&arguments, kernel)
                                      : run_on_sequences(&arguments, kernel);
    volt_kernel_free(kernel);
    return failed;
}

const cli_command command_gram = {
    .name = "gram",
    .group = "Tools",
    .summary = "write the kernel matrix of sequences or of collections of series",
    .description =
        "Writes the full matrix of a kernel, not scaled: entry (i, j) is the kernel of X up to row i and Y\n"
        "up to row j, each with a zero initial state. With --collection, entry (i, j) is the kernel of\n"
        "series i of A and series j of B.\n"
        "\n"
        "tau_coef and lambda_coef are relative to bounds that depend on the radius, the largest norm of an\n"
        "input. Matrices of one problem require the same radius: use a --radius that covers training and\n"
        "test rows. The result reports the radius, and a warning is printed if rows of X exceed those of Y.\n"
        "\n"
        "With --distance, entry (i, j) is the distance of the two states, sqrt(K(x, x) + K(y, y) - 2 K(x,\n"
        "y)). Distances below about 6e-8 of the norms of the states are rounding errors and become 0.\n"
        "\n"
        "With --spectrum, row i is the i-th largest eigenvalue of the matrix of X and the effective\n"
        "dimension tr K (K + alpha I)^-1 for alpha equal to this eigenvalue. --count K computes the K\n"
        "largest by a Lanczos iteration, for many rows; the effective dimension is then a lower bound.\n"
        "--plot draws the decay of the eigenvalues and the effective dimension over alpha.\n"
        "\n"
        "With --collection, lengths of the series may differ. Kernels of the whole past compare the final\n"
        "states of two series, kernels of paths the two paths (volterra help kernels). With --json, class\n"
        "labels in the files are printed as well.\n",
    .examples = "  volterra gram --x z.csv --kernel volterra:tau_coef=0.4,lambda_coef=0.7 -o K.npy\n"
                "  volterra gram --collection train.ts --kernel gak:sigma=2 -o K.npy\n"
                "  volterra gram --x z.csv --kernel gak:sigma=2,window=20 -o K.npy\n"
                "  volterra gram --x test.csv --y z.csv --radius 4 --normalise -o C.npy\n"
                "  volterra gram --x z.csv --kernel volterra --spectrum -o spectrum.csv --plot spectrum.svg\n"
                "  volterra gram --collection test.ts --with train.ts --kernel gak:sigma=2 -o C.npy\n",
    .options = OPTION_TABLE(rows),
    .run = run_gram,
};
