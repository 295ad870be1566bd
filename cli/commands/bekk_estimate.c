/* cli/commands/bekk_estimate.c: volterra bekk fit: estimates parameters and standard errors from prices. */
#include "commands/bekk_estimate.h"

#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"
#include "text/text.h"
#include "volterra.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dates and source of the prices ------------------------------------------------------------ */

enum { DATE_LENGTH = 40 };

/* Extracts the first cell of a line if it looks like a date: digits with separators, not a number. */
static bool date_of_line(const char *line, size_t length, char date[DATE_LENGTH])
{
    size_t end = 0, digits = 0;
    double number;
    if (length > 0 && *line == '"') {
        line++;
        length--;
    }
    while (end < length && !strchr(",;\t\"\r", line[end])) {
        digits += isdigit((unsigned char)line[end]) != 0;
        end++;
    }
    if (end < 8 || end >= DATE_LENGTH || digits < 6 || !isdigit((unsigned char)line[0]))
        return false;
    memcpy(date, line, end);
    date[end] = '\0';
    return !volt_parse_number(date, &number);
}

/* Finds the first and last date in the first column of a CSV text. */
static bool find_dates(const char *text, char first[DATE_LENGTH], char last[DATE_LENGTH])
{
    bool found = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char date[DATE_LENGTH];
        if (date_of_line(line, length, date)) {
            memcpy(found ? last : first, date, sizeof date);
            if (!found)
                memcpy(last, date, sizeof date);
            found = true;
        }
        line += length + (line[length] == '\n');
    }
    return found;
}

/* Returns the file of a source (FILE or FILE:COLUMNS) as text; NULL if it is not a text file or cannot be read
 * again. */
static char *text_of_source(const char *source, char *path, size_t capacity)
{
    size_t length = strlen(source);
    char *text = NULL;
    while (length > 0 && length < capacity && strcmp(source, "-") != 0) {
        memcpy(path, source, length);
        path[length] = '\0';
        FILE *file = fopen(path, "rb");
        if (file) {
            fclose(file);
            return volt_text_read(path, &text) ? NULL : text;
        }
        while (length > 0 && source[--length] != ':')
            ;
    }
    snprintf(path, capacity, "%s", source);
    return NULL;
}

/* Writes the command that produced the parameters. The path is reduced to the file name, for privacy. */
static void write_command(const bekk_estimate_request *request, char *command, size_t capacity)
{
    const char *slash = strrchr(request->prices, '/');
    int used = snprintf(command, capacity, "volterra bekk fit %s", slash ? slash + 1 : request->prices);
    if (request->assets > 0 && used > 0 && (size_t)used < capacity)
        used += snprintf(command + used, capacity - (size_t)used, " --assets %lld", (long long)request->assets);
    if (request->starts > 0 && used > 0 && (size_t)used < capacity)
        snprintf(command + used, capacity - (size_t)used, " --starts %lld", (long long)request->starts);
}

static int describe(const bekk_estimate_request *request, const dataset *prices, volt_bekk *params)
{
    char path[4096], command[512], first[DATE_LENGTH], last[DATE_LENGTH];
    char *text = text_of_source(request->prices, path, sizeof path);
    bool has_dates = text && find_dates(text, first, last);
    volt_free(text);
    write_command(request, command, sizeof command);
    volt_status status =
        volt_bekk_set_source(params, prices->names, has_dates ? first : NULL, has_dates ? last : NULL, command);
    return status ? complain_status(status) : 0;
}

/* ---- table ------------------------------------------------------------------------------------ */

static const char *asset_name(const volt_bekk *params, int64_t i, char text[DATE_LENGTH])
{
    if (params->tickers)
        return params->tickers[i];
    snprintf(text, DATE_LENGTH, "%lld", (long long)i + 1);
    return text;
}

static int name_width(const volt_bekk *params)
{
    int width = 5;
    for (int64_t i = 0; params->tickers && i < params->d; i++)
        if (shown_width(params->tickers[i]) > width)
            width = shown_width(params->tickers[i]);
    return width < 20 ? width : 20;
}

/* Prints " (0.0123)", or blanks without standard errors. */
static void print_error(const double *errors, int64_t at, const char *format, int width)
{
    char number[32], text[40] = "";
    if (errors) {
        snprintf(number, sizeof number, format, errors[at]);
        snprintf(text, sizeof text, "(%s)", number);
    }
    printf(" %-*s", width, text);
}

static void print_assets(const volt_bekk *params)
{
    char text[DATE_LENGTH];
    int width = name_width(params);
    printf("%-*s  %8s %-9s  %8s %-9s  %9s\n", width, "asset", "a", "", "b", "", "a^2 + b^2");
    for (int64_t i = 0; i < params->d; i++) {
        double a = params->a[i], b = params->b[i];
        print_shown(stdout, asset_name(params, i, text), width);
        printf("  %8s", fixed_digits(a, 4).text);
        print_error(params->a_error, i, "%.4f", 9);
        printf("  %8s", fixed_digits(b, 4).text);
        print_error(params->b_error, i, "%.4f", 9);
        printf("  %9s\n", fixed_digits(a * a + b * b, 4).text);
    }
}

/* Prints the rows of C in units of 0.001, with standard errors below each row. */
static void print_matrix(const volt_bekk *params)
{
    enum { WIDEST = 8 };
    int64_t d = params->d;
    char text[DATE_LENGTH];
    int width = name_width(params);
    if (d > WIDEST) {
        printf("\nC (%lld numbers) is in the parameters: -o FILE or --json\n", (long long)(d * (d + 1) / 2));
        return;
    }
    printf("\n1000 C\n");
    for (int64_t i = 0; i < d; i++) {
        print_shown(stdout, asset_name(params, i, text), width);
        for (int64_t j = 0; j < d; j++)
            if (j < i)
                printf("  %9s", "");
            else
                printf("  %9s", fixed_digits(1000 * params->C[i * d + j], 3).text);
        printf("\n");
        if (!params->C_error)
            continue;
        printf("%-*s", width, "");
        for (int64_t j = 0; j < d; j++) {
            char error[32] = "";
            if (j >= i)
                snprintf(error, sizeof error, "(%s)", fixed_digits(1000 * params->C_error[i * d + j], 3).text);
            printf("  %9s", error);
        }
        printf("\n");
    }
}

static int print_table(const bekk_estimate_request *request, const volt_bekk *params,
                       const volt_bekk_fit_info *info, double seconds)
{
    char took[QUANTITY_LENGTH];
    print_assets(params);
    if (is_verbose())
        print_matrix(params);
    printf("\n%s", params->a_error ? "in parentheses: standard errors (sandwich)\n" : "");
    result_list *results = results_new(false);
    if (params->first_date)
        results_text(results, NULL, "prices", "%s to %s", params->first_date, params->last_date);
    results_count(results, NULL, "returns", params->observations);
    results_text(results, NULL, "log-likelihood", "%s", fixed_digits(params->loglik, 2).text);
    results_details(results, true);
    results_text(results, NULL, "variance targeting", "%s (start of the search)",
                 fixed_digits(info->start_loglik, 2).text);
    results_text(results, NULL, "starts", "%lld, of which %lld reached this maximum", (long long)info->starts,
                 (long long)info->reached);
    results_details(results, false);
    results_text(results, NULL, "converged", "%s (predicted gain of a Newton step: %s)",
                 info->converged ? "yes" : "NO", digits(info->gain_left).text);
    results_text(results, NULL, "time", "%s, %lld evaluations", format_seconds(seconds, took),
                 (long long)info->evaluations);
    if (request->output)
        results_text(results, NULL, "parameters", "%s", request->output);
    return results_print(results);
}

/* ---- estimation and output -------------------------------------------------------------------- */

static int write_file(const char *path, const char *text)
{
    bool is_file = !is_standard_output(path);
    if (is_file)
        interrupt_defer(true);
    volt_status status = volt_text_write(path, text);
    if (is_file)
        interrupt_defer(false);
    return status ? complain_status(status) : 0;
}

/* Writes the file, and prints the parameters or the table. */
static int write_results(const bekk_estimate_request *request, const volt_bekk *params,
                         const volt_bekk_fit_info *info, double seconds)
{
    char *text = NULL;
    volt_status status = volt_bekk_to_json(params, &text);
    if (status)
        return complain_status(status);
    bool to_output = request->output && is_standard_output(request->output);
    int failed = request->output ? write_file(request->output, text) : 0;
    if (!failed && request->common.json && !to_output)
        fputs(text, stdout);
    else if (!failed && !to_output)
        failed = print_table(request, params, info, seconds);
    volt_free(text);
    return failed;
}

static int estimate(const bekk_estimate_request *request, const dataset *prices, volt_matrix returns)
{
    volt_bekk *params = NULL;
    volt_bekk_fit_info info = {.struct_size = sizeof info};
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    if (request->starts > 0)
        options.starts = request->starts;
    if (request->common.seed.given)
        options.seed = request->common.seed.value;
    volt_status status = volt_log_returns(prices->view, returns);
    if (status)
        return complain_status_hint(status, " (%s)", request->prices);
    options.progress = progress_begin(request->common.quiet);
    status = volt_bekk_fit(volt_as_view(returns), &options, &params, &info);
    double seconds = progress_end();
    if (status)
        return complain_status(status);
    int failed = describe(request, prices, params);
    if (!failed)
        failed = write_results(request, params, &info, seconds);
    volt_bekk_free(params);
    return failed;
}

static int take_assets(const bekk_estimate_request *request, dataset *prices)
{
    if (request->assets > prices->view.cols)
        return complain(EXIT_USAGE, "--assets %lld is too large: %s has %lld column%s of prices",
                        (long long)request->assets, request->prices, (long long)prices->view.cols,
                        prices->view.cols == 1 ? "" : "s");
    if (request->assets > 0)
        prices->view.cols = request->assets;
    if (prices->view.rows < 2)
        return complain(EXIT_FAILED, "%s has %lld row%s of prices (at least 2 are required)", request->prices,
                        (long long)prices->view.rows, prices->view.rows == 1 ? "" : "s");
    return 0;
}

int bekk_estimate(const bekk_estimate_request *request)
{
    dataset prices = {0};
    volt_matrix returns = {0};
    int failed = request->output ? output_check(request->output) : 0;
    if (!failed && request->output)
        failed = output_check_against(request->output, request->prices);
    if (!failed)
        failed = dataset_read(&prices, request->prices, VOLT_MISSING_ERROR);
    if (!failed)
        failed = take_assets(request, &prices);
    if (!failed)
        failed = allocate_matrix(prices.view.rows - 1, prices.view.cols, "the returns", &returns);
    if (!failed)
        failed = estimate(request, &prices, returns);
    free(returns.data);
    dataset_release(&prices);
    return failed;
}
