/* cli/cmd_gram.c: volterra gram, the matrix of kernel values. */
#include "command.h"
#include "inputs.h"
#include "outputs.h"
#include "progress_bar.h"
#include "report.h"
#include "volterra.h"

#include <stdlib.h>
#include <string.h>

typedef struct gram_arguments {
    common_arguments common;
    const char *x, *y, *kernel, *output;
    int missing;
    row_range rows, y_rows;
} gram_arguments;

static const option rows[] = {
    {.name = "x",
     .kind = OPTION_TEXT,
     .required = true,
     .offset = offsetof(gram_arguments, x),
     .argument = "X",
     .meaning = "the sequence of the rows: FILE or FILE:COLUMNS"},
    {.name = "y",
     .kind = OPTION_TEXT,
     .offset = offsetof(gram_arguments, y),
     .argument = "Y",
     .meaning = "the sequence of the columns (default: X)"},
    {.name = "kernel",
     .kind = OPTION_TEXT,
     .fallback = "volterra",
     .argument = "K",
     .offset = offsetof(gram_arguments, kernel),
     .meaning = "the kernel, see volterra help kernels"},
    {.name = "rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(gram_arguments, rows),
     .argument = "A:B",
     .meaning = "use rows A <= t < B of X, counted from 0; negative ends count from the last row"},
    {.name = "y-rows",
     .kind = OPTION_ROWS,
     .offset = offsetof(gram_arguments, y_rows),
     .argument = "A:B",
     .meaning = "the same for Y"},
    {.name = "missing",
     .kind = OPTION_CHOICE,
     .choices = MISSING_CHOICES,
     .fallback = "error",
     .offset = offsetof(gram_arguments, missing),
     .meaning = "what to do with missing values"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(gram_arguments, output),
     .argument = "FILE",
     .meaning = "where to write: .npy, .mat or CSV (default: CSV on standard output)"},
};

static int read_sequences(const gram_arguments *arguments, dataset *x, dataset *y)
{
    volt_missing missing = missing_policy(arguments->missing);
    if (!arguments->y && arguments->y_rows.given)
        return complain(EXIT_USAGE, "--y-rows needs --y");
    if (arguments->y && strcmp(arguments->x, "-") == 0 && strcmp(arguments->y, "-") == 0)
        return complain(EXIT_USAGE, "--x and --y cannot both be read from standard input");
    int failed = dataset_read(x, arguments->x, missing);
    if (!failed)
        failed = dataset_take_rows(x, &arguments->rows, "--rows");
    if (failed || !arguments->y)
        return failed;

    failed = dataset_read(y, arguments->y, missing);
    if (!failed)
        failed = dataset_take_rows(y, &arguments->y_rows, "--y-rows");
    if (!failed && x->view.cols != y->view.cols)
        failed = complain(EXIT_FAILED, "%s has %lld columns but %s has %lld; they must be the same",
                          arguments->x, (long long)x->view.cols, arguments->y, (long long)y->view.cols);
    return failed;
}

static int compute_gram(const gram_arguments *arguments, const volt_kernel *kernel, const dataset *x,
                        const dataset *y, volt_matrix K)
{
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 1;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_gram(kernel, x->view, y->view, &options, K);
    progress_end();
    return status ? complain_status(status) : 0;
}

static int write_gram(const gram_arguments *arguments, const volt_kernel *kernel, volt_view K)
{
    bool json = arguments->common.json;
    int failed = output_matrix(arguments->output, K, NULL, json, NULL, 0);
    if (failed || is_standard_output(arguments->output))
        return failed;
    cli_report *report = report_new(json);
    report_text(report, "output", NULL, "%s", arguments->output);
    report_text(report, "kernel", NULL, "%s", volt_kernel_text(kernel));
    report_count(report, "rows", NULL, K.rows);
    report_count(report, "columns", NULL, K.cols);
    report_text(report, NULL, arguments->output, "%lld x %lld values of %s", (long long)K.rows,
                (long long)K.cols, volt_kernel_text(kernel));
    return report_print(report);
}

static int run_gram(int argc, char *const *argv)
{
    gram_arguments arguments = {0};
    dataset x = {0}, y = {0};
    volt_kernel *kernel = NULL;
    volt_matrix K = {0};
    int failed = options_parse(&command_gram.options, argc, argv, &arguments);
    if (failed)
        return failed;
    volt_status status = volt_kernel_parse(arguments.kernel, &kernel);
    if (status)
        return complain_status_hint(status, " (see volterra help kernels)");

    failed = output_check(arguments.output);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.x);
    if (!failed)
        failed = output_check_against(arguments.output, arguments.y);
    if (!failed)
        failed = read_sequences(&arguments, &x, &y);
    if (!failed)
        failed = allocate_matrix(x.view.rows, arguments.y ? y.view.rows : x.view.rows, "the Gram matrix", &K);
    if (!failed)
        failed = compute_gram(&arguments, kernel, &x, &y, K);
    if (!failed)
        failed = write_gram(&arguments, kernel, volt_as_view(K));

    free(K.data);
    dataset_release(&x);
    dataset_release(&y);
    volt_kernel_free(kernel);
    return failed;
}

const cli_command command_gram = {
    .name = "gram",
    .summary = "write the matrix of kernel values of one or two sequences",
    .description =
        "Entry (i, j) is the kernel of X up to row i and Y up to row j, each after a zero past. The\n"
        "values are taken as they are, without scaling; the full matrix is written.\n",
    .examples = "  volterra gram --x z.csv --kernel volterra:tau_coef=0.4,lambda_coef=0.7 -o K.npy\n",
    .options = OPTION_TABLE(rows),
    .run = run_gram,
};
