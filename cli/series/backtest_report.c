/* cli/series/backtest_report.c: writes the errors of a backtest as a file and as a report. */
#include "series/backtest_report.h"

#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = VOLT_BACKTEST_METHODS, ERRORS = 3 };

int backtest_create(backtest_table *table)
{
    size_t series = (size_t)table->data->levels.cols, methods = METHODS * series,
           intervals = (size_t)table->coverages.count * series;
    volt_backtest *result = &table->result;
    *result = (volt_backtest){.struct_size = sizeof *result};
    table->numbers = malloc((ERRORS * methods + 2 * intervals) * sizeof(double) + methods * sizeof(int64_t));
    if (!table->numbers)
        return complain(EXIT_FAILED, "not enough memory for the backtest");
    result->mase = table->numbers;
    result->smape = result->mase + methods;
    result->rmse = result->smape + methods;
    result->coverage = result->rmse + methods;
    result->width = result->coverage + intervals;
    result->values = (void *)(result->width + intervals);
    return 0;
}

void backtest_release(backtest_table *table)
{
    free(table->numbers);
}

/* ---- file ------------------------------------------------------------------------------------- */

/* Returns the names of the columns in one block. */
static char **column_names(const backtest_table *table)
{
    enum { SUFFIX_SIZE = 40 };
    static const char *const errors[ERRORS] = {"mase", "smape", "rmse"};
    const series_data *data = table->data;
    size_t series = (size_t)data->levels.cols, each = ERRORS + 2 * (size_t)table->coverages.count, length = 0;
    for (size_t k = 0; k < series; k++)
        length += each * (strlen(data->names[k]) + SUFFIX_SIZE);
    char **names = malloc(each * series * sizeof *names + length + 1);
    if (!names)
        return NULL;
    char *text = (char *)(names + each * series), **name = names;
    for (size_t k = 0; k < series; k++) {
        for (int e = 0; e < ERRORS; e++) {
            *name++ = text;
            text += sprintf(text, "%s.%s", data->names[k], errors[e]) + 1;
        }
        for (int c = 0; c < table->coverages.count; c++)
            for (int end = 0; end < 2; end++) {
                *name++ = text;
                text += sprintf(text, "%s.%s%.10g", data->names[k], end ? "width" : "coverage",
                                100 * table->coverages.values[c]) +
                        1;
            }
    }
    return names;
}

static void fill_row(const backtest_table *table, int m, double *row)
{
    const volt_backtest *result = &table->result;
    int64_t series = table->data->levels.cols;
    for (int64_t k = 0; k < series; k++) {
        *row++ = result->mase[m * series + k];
        *row++ = result->smape[m * series + k];
        *row++ = result->rmse[m * series + k];
        for (int c = 0; c < table->coverages.count; c++) {
            *row++ = m == 0 ? result->coverage[c * series + k] : NAN;
            *row++ = m == 0 ? result->width[c * series + k] : NAN;
        }
    }
}

int backtest_write(const char *path, const backtest_table *table)
{
    volt_matrix values = {0};
    char **names = column_names(table);
    row_labels labels = {.name = "method", .texts = (const char **)(void *)table->result.names};
    int failed = names ? 0 : complain(EXIT_FAILED, "not enough memory for the column names");
    if (!failed)
        failed = allocate_matrix(METHODS, (ERRORS + 2 * table->coverages.count) * table->data->levels.cols,
                                 "the backtest", &values);
    if (!failed) {
        for (int m = 0; m < METHODS; m++)
            fill_row(table, m, values.data + m * values.ld);
        failed = output_labelled(path, volt_as_view(values), (const char *const *)names, &labels);
    }
    free(values.data);
    free(names);
    return failed;
}

/* ---- report ----------------------------------------------------------------------------------- */

static void report_json(const backtest_table *table, result_list *results)
{
    const volt_backtest *result = &table->result;
    int64_t series = table->data->levels.cols;
    results_texts(results, "names", (char *const *)table->data->names, series);
    results_fields(results, volt_backtest, result, "steps origins distance first_rows");
    for (int64_t i = 0; i < METHODS * series; i++) {
        result_list *inner = results_new(true);
        results_text(inner, "name", NULL, "%s", result->names[i / series]);
        results_text(inner, "series", NULL, "%s", table->data->names[i % series]);
        results_number(inner, "mase", NULL, result->mase[i]);
        results_number(inner, "smape", NULL, result->smape[i]);
        results_number(inner, "rmse", NULL, result->rmse[i]);
        results_count(inner, "values", NULL, result->values[i]);
        results_append(results, "methods", inner);
    }
    for (int64_t i = 0; i < table->coverages.count * series; i++) {
        result_list *inner = results_new(true);
        results_number(inner, "coverage", NULL, table->coverages.values[i / series]);
        results_text(inner, "series", NULL, "%s", table->data->names[i % series]);
        results_number(inner, "observed", NULL, result->coverage[i]);
        results_number(inner, "width", NULL, result->width[i]);
        results_append(results, "intervals", inner);
    }
}

/* The lowest of the errors of series k that are not 0. */
static double lowest_of(const backtest_table *table, const double *errors, int64_t k)
{
    double lowest = INFINITY;
    for (int64_t i = k; i < METHODS * table->data->levels.cols; i += table->data->levels.cols)
        if (table->result.values[i] > 0 && errors[i] > 0)
            lowest = fmin(lowest, errors[i]);
    return lowest;
}

/* Reports a method whose MASE is lower than that of the combination, the first one. */
static void print_better(const backtest_table *table, int64_t k, int decimals)
{
    const volt_backtest *result = &table->result;
    int64_t series = table->data->levels.cols, best = k;
    for (int64_t i = k + series; i < METHODS * series; i += series)
        if (result->values[i] == result->values[k] && result->mase[i] < result->mase[best])
            best = i;
    number_text lower = fixed_digits(result->mase[best], decimals),
                own = fixed_digits(result->mase[k], decimals);
    if (strcmp(lower.text, own.text) != 0)
        printf("%s has a lower MASE than the combination (%s, %s)\n", result->names[best / series], lower.text,
               own.text);
}

/* Prints the methods of one series that have forecasts. */
static void print_series(const backtest_table *table, int64_t k)
{
    const volt_backtest *result = &table->result;
    int64_t series = table->data->levels.cols, all = result->steps * result->origins;
    int width = series > 1 ? shown_width(table->data->names[k]) : 0;
    const double *const columns[ERRORS] = {result->mase, result->smape, result->rmse};
    int decimals[ERRORS];
    for (int e = 0; e < ERRORS; e++)
        decimals[e] = column_decimals(lowest_of(table, columns[e], k));
    width = width > 16 ? width : 16;
    print_shown(stdout, series > 1 ? table->data->names[k] : "method", width);
    printf("  %9s  %9s  %9s\n", "MASE", "sMAPE %", "RMSE");
    for (int m = 0; m < METHODS; m++) {
        int64_t i = m * series + k;
        if (result->values[i] == 0)
            continue;
        printf("%-*s", width, result->names[m]);
        for (int e = 0; e < ERRORS; e++)
            printf("  %9s", fixed_digits(columns[e][i], decimals[e]).text);
        if (result->values[i] < all)
            printf("  (%lld of %lld values)", (long long)result->values[i], (long long)all);
        putchar('\n');
    }
    print_better(table, k, decimals[0]);
}

static void report_intervals(const backtest_table *table, int64_t k, result_list *results)
{
    int64_t series = table->data->levels.cols;
    char text[512] = "";
    size_t used = 0;
    for (int c = 0; c < table->coverages.count && used < sizeof text; c++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %%: coverage %s, mean width %s",
                                 used ? "; " : "", digits(100 * table->coverages.values[c]).text,
                                 fixed_digits(table->result.coverage[c * series + k], 3).text,
                                 digits(table->result.width[c * series + k]).text);
    results_text(results, NULL, series > 1 ? table->data->names[k] : "intervals", "%s", text);
}

int backtest_report(const backtest_table *table, const char *output, bool json)
{
    const volt_backtest *result = &table->result;
    result_list *results = results_new(json);
    if (json)
        report_json(table, results);
    results_text(results, NULL, "backtest",
                 "%lld forecast%s of %lld step%s: the first after %lld rows, then every %lld rows",
                 (long long)result->origins, result->origins == 1 ? "" : "s", (long long)result->steps,
                 result->steps == 1 ? "" : "s", (long long)result->first_rows, (long long)result->distance);
    for (int64_t k = 0; !json && k < table->data->levels.cols; k++)
        report_intervals(table, k, results);
    if (output)
        results_text(results, "output", "written", "%s", output);
    int failed = results_print(results);
    for (int64_t k = 0; !failed && !json && k < table->data->levels.cols; k++)
        print_series(table, k);
    return failed;
}
