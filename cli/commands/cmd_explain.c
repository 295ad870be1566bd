/* cli/commands/cmd_explain.c: volterra explain, the Volterra series of a model. */
#include "args/command.h"
#include "files/explained.h"
#include "files/inputs.h"
#include "files/model_times.h"
#include "files/outputs.h"
#include "files/record_list.h"
#include "files/svg_plot.h"
#include "page/explain_page.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "text/text.h"
#include "volterra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct explain_arguments {
    common_arguments common;
    const char *model, *about, *along, *series, *output;
    int64_t lags, order;
    row_range rows;
    int missing;
    bool no_band, no_shares, forgetting, csv, npy, plot, report;
} explain_arguments;

#define ROW(...) OPTION(explain_arguments, __VA_ARGS__)
static const option rows[] = {
    ROW("MODEL", NULL, model, "model file written by volterra fit", .required = true, .is_positional = true),
    HEADING("expansion"),
    ROW("lags", "L", lags, "number of lags, from 0 to L - 1", .range = AT_LEAST(1),
        .unset = "until the memory is below 0.001, at most 40"),
    ROW("order", "P", order, "highest order of the Volterra kernels", .range = WITHIN(1, 8), .fallback = "2"),
    ROW("about", "POINT", about,
        "constant input of the expansion: mean, zero, or one number per input, separated by commas",
        .fallback = "mean"),
    ROW("no-band", NULL, no_band,
        "no standard deviations of g1; they take as long as a fit if the model has no factor"),
    ROW("no-shares", NULL, no_shares, "no shares of the orders"),
    ROW("forgetting", NULL, forgetting,
        "distance of two states after different histories and the same inputs; in place of the expansion: the "
        "first and the second third of --along, then the last third",
        .python = ""),
    HEADING("data"),
    ROW("along", "X", along,
        "inputs of a new sequence for the shares of the orders; the contribution of each order to every row is "
        "then written as well",
        .unset = "the training rows", .python = ""),
    ROW("series", "FILE:COLUMN", series, SERIES_MEANING "; of --along"),
    ROWS_OPTION(explain_arguments, rows, "--along"),
    MISSING_OPTION(explain_arguments, missing),
    HEADING("output"),
    ROW("output", "PREFIX", output,
        "prefix of the output files: tables, plots and a page, or those selected below", .letter = 'o'),
    ROW("csv", NULL, csv, "tables PREFIX.g1.csv, PREFIX.g2.csv and so on, and PREFIX.shares.csv"),
    ROW("npy", NULL, npy, "the same tables as .npy files"),
    ROW("plot", NULL, plot, "PREFIX.g1.svg, PREFIX.g2.svg and PREFIX.shares.svg"),
    ROW("report", NULL, report, "PREFIX.html, a page with the plots"),
};

/* Data of an explanation. */
typedef struct explain_data {
    volt_model *model;
    dataset along;
    record_list records;
    double *point;
    volt_explanation *series;
    explained shown;
} explain_data;

static void explain_release(explain_data *data)
{
    explained_release(&data->shown);
    volt_explanation_free(data->series);
    free(data->point);
    record_list_release(&data->records);
    dataset_release(&data->along);
    volt_model_free(data->model);
}

/* ---- options ---------------------------------------------------------------------------------- */

/* Parses d comma-separated numbers. */
static int read_point(const char *text, int64_t d, double *point)
{
    const char *at = text;
    for (int64_t j = 0; j < d; j++) {
        size_t length = strcspn(at, ",");
        char word[64];
        bool fits = length < sizeof word;
        memcpy(word, at, fits ? length : 0);
        word[fits ? length : 0] = '\0';
        if (!volt_parse_number(word, &point[j]))
            return complain(EXIT_USAGE,
                            "--about %s: must be mean, zero or %lld number%s separated by commas (got '%.40s')",
                            text, (long long)d, d == 1 ? "" : "s", word);
        at += length;
        if (j + 1 < d && *at != ',')
            return complain(EXIT_USAGE, "--about %s has %lld number%s, but the model has %lld inputs", text,
                            (long long)j + 1, j == 0 ? "" : "s", (long long)d);
        at += *at == ',';
    }
    return *at || (at > text && at[-1] == ',')
               ? complain(EXIT_USAGE, "--about %s has more than %lld number%s (one per input)", text,
                          (long long)d, d == 1 ? "" : "s")
               : 0;
}

static int read_about(const explain_arguments *arguments, explain_data *data, volt_explain_options *options)
{
    const char *word = strcmp(arguments->about, "mean") == 0   ? "mean"
                       : strcmp(arguments->about, "zero") == 0 ? "zero"
                                                               : "point";
    strcpy(data->shown.about, word);
    options->about = word[0] == 'm' ? VOLT_ABOUT_MEAN : word[0] == 'z' ? VOLT_ABOUT_ZERO : VOLT_ABOUT_POINT;
    if (options->about != VOLT_ABOUT_POINT)
        return 0;
    int64_t count = data->shown.info.expansion_inputs;
    data->point = malloc((size_t)count * sizeof *data->point);
    options->point = data->point;
    return data->point ? read_point(arguments->about, count, data->point)
                       : complain(EXIT_FAILED, "not enough memory for the point of expansion");
}

static int explain_read(const explain_arguments *arguments, explain_data *data)
{
    int failed = model_read(arguments->model, &data->model);
    if (failed)
        return failed;
    data->shown.info.struct_size = sizeof data->shown.info;
    volt_model_get_info(data->model, &data->shown.info);
    model_times times;
    failed = explained_name(&data->shown);
    if (!failed && arguments->along)
        failed = model_times_read(&data->shown.info, &times);
    if (!failed && arguments->along)
        failed = model_times_read_inputs(&data->along, arguments->along, (volt_missing)arguments->missing,
                                         &arguments->rows, &data->shown.info, &times, arguments->series,
                                         &data->records);
    return failed;
}

/* ---- computation ------------------------------------------------------------------------------ */

static int find_parts(explain_data *data, volt_explain_options options)
{
    int64_t order = data->series->share_orders ? data->series->share_orders : options.order;
    int failed = allocate_matrix(data->along.view.rows, data->series->q * (order + 2),
                                 "the parts of the orders", &data->shown.parts);
    options.order = order;
    if (failed)
        return failed;
    volt_status status = volt_model_orders(data->model, data->along.view, &options, data->shown.parts);
    return status ? complain_status(status) : 0;
}

static int explain(const explain_arguments *arguments, explain_data *data)
{
    volt_explain_options options = volt_explain_options_default();
    options.lags = arguments->lags;
    options.order = arguments->order;
    options.band = !arguments->no_band;
    options.shares = !arguments->no_shares;
    options.along = data->along.view;
    options.records = data->records.lengths;
    options.n_records = data->records.n;
    int failed = read_about(arguments, data, &options);
    if (failed)
        return failed;
    options.progress = progress_begin(arguments->common.quiet);
    volt_status status = volt_model_explain(data->model, &options, &data->series);
    data->shown.series = data->series;
    if (!status && arguments->along && arguments->output)
        failed = find_parts(data, options);
    progress_end();
    return status ? complain_status(status) : failed;
}

/* ---- results ---------------------------------------------------------------------------------- */

/* Returns the lag at which |g1| of output k is largest, over all inputs. */
static int64_t largest_lag(const volt_explanation *e, int64_t k)
{
    int64_t best = 0, block = e->lags * e->d;
    const double *g = e->kernels[0] + k * block;
    for (int64_t i = 1; i < block; i++)
        if (g[i] * g[i] > g[best] * g[best])
            best = i;
    return best;
}

static int print_table(const explain_data *data)
{
    const explained *shown = &data->shown;
    const volt_explanation *e = shown->series;
    result_list *results = results_new(false);
    results_text(results, NULL, "kernel", "%s", shown->info.kernel);
    results_text(results, NULL, "expansion", "about %s, lags 0 to %lld", shown->about, (long long)e->lags - 1);
    for (int64_t k = 0; k < e->q; k++) {
        int64_t at = largest_lag(e, k), place = k * e->lags * e->d + at;
        results_details(results, k > 0);
        results_text(results, NULL, "output", "%s", shown->outputs[k]);
        results_number(results, NULL, "  g0", e->g0[k]);
        if (e->g1_std)
            results_text(results, NULL, "  largest g1", "%s (%s, lag %lld)",
                         error_digits(e->kernels[0][place], e->g1_std[place]).text, shown->inputs[at % e->d],
                         (long long)(at / e->d));
        else
            results_text(results, NULL, "  largest g1", "%s (%s, lag %lld)", digits(e->kernels[0][place]).text,
                         shown->inputs[at % e->d], (long long)(at / e->d));
        if (e->memory[k] == e->lags)
            results_text(results, NULL, "  memory", "%lld lags or more", (long long)e->memory[k]);
        else
            results_text(results, NULL, "  memory", "%lld lag%s", (long long)e->memory[k],
                         e->memory[k] == 1 ? "" : "s");
        for (int64_t p = 0; e->shares && p <= e->share_orders; p++) {
            static const char *const labels[] = {"  order 1 share", "  order 2 share", "  order 3 share",
                                                 "  order 4 share", "  order 5 share", "  order 6 share",
                                                 "  order 7 share", "  order 8 share"};
            results_text(results, NULL, p < e->share_orders ? labels[p] : "  higher share", "%s",
                         fixed_digits(e->shares[k * (e->share_orders + 1) + p], 4).text);
        }
    }
    results_details(results, false);
    if (e->q > 1 && !is_verbose())
        results_text(results, NULL, "", "and %lld more outputs (--verbose)", (long long)e->q - 1);
    return results_print(results);
}

static int write_files(const explain_arguments *arguments, const explain_data *data)
{
    bool all = !arguments->csv && !arguments->npy && !arguments->plot && !arguments->report;
    int failed = 0;
    if (all || arguments->csv)
        failed = explained_write_tables(&data->shown, arguments->output, "csv");
    if (!failed && arguments->npy)
        failed = explained_write_tables(&data->shown, arguments->output, "npy");
    if (!failed && (all || arguments->plot))
        failed = explain_write_pictures(&data->shown, arguments->output);
    if (!failed && (all || arguments->report))
        failed = explain_write_page(&data->shown, arguments->model, arguments->output);
    return failed;
}

/* ---- forgetting ------------------------------------------------------------------------------- */

static int draw_forgetting(const char *path, volt_view curve)
{
    svg_plot plot = {0};
    svg_panel *panel = svg_add_panel(&plot, "distance of two states");
    panel->y.is_log = true;
    panel->x.is_whole = true;
    svg_text(panel->x.label, "common rows");
    svg_series *bound = svg_add_series(panel, SVG_LINE, SVG_ORANGE, "bound"),
               *distance = svg_add_series(panel, SVG_LINE, SVG_BLUE, "distance");
    bound->is_dashed = true;
    distance->size = 2;
    svg_add_column(bound, curve, 1, 0);
    svg_add_column(distance, curve, 0, 0);
    return svg_write_file(path, &plot);
}

static int write_forgetting(const explain_arguments *arguments, volt_view curve)
{
    static const char *const names[] = {"distance", "bound"};
    char path[EXPLAINED_PATH];
    bool all = !arguments->csv && !arguments->npy && !arguments->plot;
    int failed = 0;
    if (all || arguments->csv)
        failed = output_matrix(explained_path(arguments->output, "forgetting.csv", path), curve, names, false);
    if (!failed && arguments->npy)
        failed = output_matrix(explained_path(arguments->output, "forgetting.npy", path), curve, names, false);
    if (!failed && (all || arguments->plot))
        failed = draw_forgetting(explained_path(arguments->output, "forgetting.svg", path), curve);
    return failed;
}

/* Returns the first row of a column that is below 1 % of its first; -1: none. */
static int64_t rows_to_forget(volt_view curve, int64_t column)
{
    for (int64_t i = 0; i < curve.rows; i++)
        if (curve.data[i * curve.ld + column] < 0.01 * curve.data[column])
            return i;
    return -1;
}

static void report_rows(result_list *results, const char *key, const char *label, int64_t count, int64_t most)
{
    if (count >= 0)
        results_count(results, key, NULL, count);
    if (count >= 0)
        results_text(results, NULL, label, "%lld row%s", (long long)count, count == 1 ? "" : "s");
    else
        results_text(results, NULL, label, "more than %lld rows", (long long)most);
}

static int print_forgetting(const explain_arguments *arguments, const explain_data *data, volt_view curve)
{
    bool bounded = isfinite(curve.data[1]);
    int64_t common = curve.rows - 1, third = (data->along.view.rows - common) / 2;
    result_list *results = results_new(arguments->common.json);
    results_text(results, "kernel", "kernel", "%s", data->shown.info.kernel);
    results_count(results, "history_rows", NULL, third);
    results_count(results, "common_rows", NULL, common);
    results_text(results, NULL, "rows", "two histories of %lld, then %lld common", (long long)third,
                 (long long)common);
    results_number(results, NULL, "distance", curve.data[0]);
    results_number(results, NULL, "after all rows", curve.data[common * curve.ld]);
    report_rows(results, "forgotten_rows", "below 1 % after", rows_to_forget(curve, 0), common);
    if (bounded) {
        results_number(results, "contraction", NULL, curve.data[curve.ld + 1] / curve.data[1]);
        report_rows(results, "bound_rows", "by the bound after", rows_to_forget(curve, 1), common);
    }
    if (arguments->common.json)
        results_rows(results, "curve", curve);
    return results_print(results);
}

static int forget(const explain_arguments *arguments, const explain_data *data)
{
    volt_view X = data->along.view;
    int64_t third = X.rows / 3, common = X.rows - 2 * third;
    volt_matrix curve = {0};
    if (third < 1)
        return complain(EXIT_FAILED, "--forgetting requires at least 3 rows (--along has %lld)",
                        (long long)X.rows);
    int failed = allocate_matrix(common + 1, 2, "the distances", &curve);
    if (failed)
        return failed;
    volt_progress progress = progress_begin(arguments->common.quiet);
    volt_status status =
        volt_model_forgetting(data->model, volt_view_rows(X, 0, third), volt_view_rows(X, third, third),
                              volt_view_rows(X, 2 * third, common), progress, curve);
    progress_end();
    failed = status ? complain_status(status) : 0;
    if (!failed && arguments->output)
        failed = write_forgetting(arguments, volt_as_view(curve));
    if (!failed)
        failed = print_forgetting(arguments, data, volt_as_view(curve));
    free(curve.data);
    return failed;
}

/* ---- command ---------------------------------------------------------------------------------- */

static int check_options(const explain_arguments *arguments)
{
    bool asks = arguments->csv || arguments->npy || arguments->plot || arguments->report;
    if (asks && !arguments->output)
        return complain(EXIT_USAGE, "--csv, --npy, --plot and --report require -o PREFIX");
    if (arguments->forgetting && !arguments->along)
        return complain(EXIT_USAGE, "--forgetting requires --along");
    if (arguments->forgetting && arguments->series)
        return complain(EXIT_USAGE, "--forgetting and --series cannot be combined");
    if (arguments->forgetting && arguments->report)
        return complain(EXIT_USAGE, "--forgetting and --report cannot be combined");
    if (!arguments->along && (arguments->series || arguments->rows.given))
        return complain(EXIT_USAGE, "%s requires --along", arguments->series ? "--series" : "--rows");
    if (arguments->along && strcmp(arguments->model, "-") == 0 && strcmp(arguments->along, "-") == 0)
        return complain(EXIT_USAGE, "the model and --along cannot both be read from standard input");
    if (!arguments->output)
        return 0;
    char path[EXPLAINED_PATH];
    if (strlen(arguments->output) + 32 > sizeof path || is_standard_output(arguments->output))
        return complain(EXIT_USAGE, "-o %.40s is not a prefix of file names", arguments->output);
    return output_check(
        explained_path(arguments->output, arguments->forgetting ? "forgetting.csv" : "g1.csv", path));
}

static int run_explain(int argc, char *const *argv)
{
    explain_arguments arguments = {0};
    explain_data data = {0};
    int failed = options_parse(&command_explain.options, argc, argv, &arguments);
    if (failed)
        return failed;
    failed = check_options(&arguments);
    if (!failed)
        failed = explain_read(&arguments, &data);
    if (!failed && arguments.forgetting) {
        failed = forget(&arguments, &data);
        explain_release(&data);
        return failed;
    }
    if (!failed)
        failed = explain(&arguments, &data);
    if (!failed && arguments.output)
        failed = write_files(&arguments, &data);
    if (!failed)
        failed = arguments.common.json ? explained_print_json(&data.shown) : print_table(&data);
    explain_release(&data);
    return failed;
}

const cli_command command_explain = {
    .name = "explain",
    .group = "Models",
    .summary = "the Volterra series of a model: kernels and shares of the orders",
    .description =
        "Computes the Volterra series of a model: the impulse response, the interactions of two impulses,\n"
        "and the share of every order in the variance of the predictions. -o PREFIX writes CSV tables, SVG\n"
        "plots and an HTML page.\n"
        "\n"
        "About a constant input, x = x0 + delta, the model is\n"
        "\n"
        "  f = g0 + sum_m g1[m] delta[-m] + sum_{m1 <= m2} g2[m1][m2] delta[-m1] delta[-m2] + ...\n"
        "\n"
        "in the units of the data, including filters and changes of the inputs. g1 is the impulse response,\n"
        "with the standard deviation of a Gaussian process with the model's kernel and alpha. g2 is the\n"
        "interaction of two impulses; pairs of lags are unordered.\n"
        "\n"
        "The share of an order is cov(f_p, f) / var(f) over the rows, where f_p is its contribution to f.\n"
        "Shares add up to 1 and may be negative, since orders are correlated. They depend on the point of\n"
        "expansion. Memory is the number of lags with 99 % of the response of g1 and g2 to white inputs.\n"
        "\n"
        "Kernels of paths (gak, sig, sigpde) have no Volterra series. Even kernels have no odd orders about\n"
        "zero. For a model with --feedback the series is for one step: the outputs of the previous row,\n"
        "NAME[-1], are inputs. With a loss that has a link function, it is the series before the link.\n"
        "Standard deviations require squares without weights.\n"
        "\n"
        "With --forgetting, --along is divided into two histories and the inputs that follow both. The\n"
        "table PREFIX.forgetting.csv and the plot PREFIX.forgetting.svg have the distance of the two states\n"
        "after 0, 1, 2, ... of these inputs. For models with a volterra kernel without filters and levels\n"
        "as inputs, they also have the bound by the contraction of the state map. Other kernels have no\n"
        "bound.\n",
    .examples = "  volterra explain model.safetensors\n"
                "  volterra explain model.safetensors --lags 30 -o learned\n"
                "  volterra explain model.safetensors --about zero --order 3 --json\n"
                "  volterra explain model.safetensors --along test.csv -o test --csv\n"
                "  volterra explain model.safetensors --forgetting --along train.csv -o memory\n",
    .options = OPTION_TABLE(rows),
    .run = run_explain,
};
