/* cli/commands/curve_report.c: learning curves as text, JSON and a table. */
#include "commands/curve_report.h"

#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------- */

enum { CELL = 64, LONGEST_NAME = 44 };

/* "0.0123 (0.0040)"; without a standard error only the value; "-" for NaN. */
static char *cell_text(double value, double error, int decimals, char text[CELL])
{
    if (isnan(value))
        snprintf(text, CELL, "-");
    else if (isfinite(error))
        snprintf(text, CELL, "%s (%s)", fixed_digits(value, decimals).text, fixed_digits(error, decimals).text);
    else
        snprintf(text, CELL, "%s", fixed_digits(value, decimals).text);
    return text;
}

static double lowest_of(const double *values, int64_t count)
{
    double lowest = INFINITY;
    for (int64_t i = 0; i < count; i++)
        lowest = fmin(lowest, fabs(values[i]));
    return lowest;
}

/* A name that is too long becomes its number; the texts are then listed below. */
static bool is_long(const curve_setting *setting, int64_t k)
{
    return strlen(setting->names[k]) > LONGEST_NAME;
}

static char *name_text(const curve_setting *setting, int64_t k, char text[CELL])
{
    if (is_long(setting, k))
        snprintf(text, CELL, "kernel %lld", (long long)k + 1);
    else
        snprintf(text, CELL, "%s", setting->names[k]);
    return volt_make_printable(text);
}

/* The cell of row s; n_sizes: the rate. */
static char *curve_cell(const volt_curve *curve, int64_t k, int64_t s, char text[CELL])
{
    int64_t at = k * curve->n_sizes + s;
    if (s == curve->n_sizes) {
        double error = lowest_of(curve->rate_error, curve->n_kernels);
        return cell_text(curve->rate[k], curve->rate_error[k], isfinite(error) ? error_decimals(error, 1) : 3,
                         text);
    }
    return cell_text(curve->mean_nmse[at], curve->nmse_error[at],
                     column_decimals(lowest_of(curve->mean_nmse, curve->n_kernels * curve->n_sizes)), text);
}

static int column_width(const volt_curve *curve, const curve_setting *setting, int64_t k)
{
    char text[CELL];
    size_t width = strlen(name_text(setting, k, text));
    for (int64_t s = 0; s <= curve->n_sizes; s++)
        if (strlen(curve_cell(curve, k, s, text)) > width)
            width = strlen(text);
    return (int)width;
}

static void print_title(const volt_curve *curve, const curve_setting *setting)
{
    char source[160];
    snprintf(source, sizeof source, "%.150s", setting->source);
    printf("%s: NMSE of %lld held-out rows, %lld input%s, %lld output%s", volt_make_printable(source),
           (long long)curve->test_rows, (long long)setting->inputs, setting->inputs == 1 ? "" : "s",
           (long long)curve->outputs, curve->outputs == 1 ? "" : "s");
    if (curve->n_repeats > 1)
        printf(", mean (standard error) of %lld repeats", (long long)curve->n_repeats);
    puts("; rate: slope of log NMSE against log rows");
}

/* Prints the row of size s; -1: the names, n_sizes: the rates. */
static void print_row(const volt_curve *curve, const curve_setting *setting, int64_t s)
{
    char label[CELL], text[CELL];
    if (s >= 0 && s < curve->n_sizes)
        snprintf(label, sizeof label, "%lld", (long long)curve->sizes[s]);
    else
        snprintf(label, sizeof label, "%s", s < 0 ? "rows" : "rate");
    printf("%-7s", label);
    for (int64_t k = 0; k < curve->n_kernels; k++) {
        bool is_last = k + 1 == curve->n_kernels;
        const char *cell = s < 0 ? name_text(setting, k, text) : curve_cell(curve, k, s, text);
        printf("  %-*s", is_last ? 0 : column_width(curve, setting, k), cell);
    }
    putchar('\n');
}

/* The alphas of each size, with --verbose: their range over repeats and outputs. */
static void print_alphas(const volt_curve *curve, int64_t k)
{
    for (int64_t s = 0; s < curve->n_sizes; s++) {
        double low = INFINITY, high = 0;
        for (int64_t r = 0; r < curve->n_repeats; r++)
            for (int64_t j = 0; j < curve->outputs; j++) {
                int64_t at = (k * curve->n_repeats + r) * curve->n_sizes + s;
                low = fmin(low, curve->alphas[at * curve->outputs + j]);
                high = fmax(high, curve->alphas[at * curve->outputs + j]);
            }
        printf("%s%s", s > 0 ? ", " : " ", parameter_digits(low).text);
        if (high > low)
            printf(" to %s", parameter_digits(high).text);
    }
    putchar('\n');
}

int curve_print_text(const volt_curve *curve, const curve_setting *setting)
{
    print_title(curve, setting);
    for (int64_t s = -1; s <= curve->n_sizes; s++)
        print_row(curve, setting, s);
    for (int64_t k = 0; k < curve->n_kernels; k++)
        if (setting->verbose || is_long(setting, k))
            printf("kernel %lld  %s\n", (long long)k + 1, curve->kernels[k]);
    for (int64_t k = 0; setting->verbose && k < curve->n_kernels; k++) {
        printf("alpha %lld ", (long long)k + 1);
        print_alphas(curve, k);
    }
    return 0;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

int curve_print_json(const volt_curve *curve, const curve_setting *setting)
{
    int64_t repeats = curve->n_repeats, sizes = curve->n_sizes, outputs = curve->outputs;
    result_list *results = results_new(true);
    results_text(results, "source", NULL, "%s", setting->source);
    if (setting->is_simulated)
        results_count(results, "seed", NULL, (int64_t)setting->seed);
    results_fields(results, volt_curve, curve, "sizes test_rows washout gap first outputs");
    results_count(results, "repeats", NULL, repeats);
    for (int64_t k = 0; k < curve->n_kernels; k++) {
        int64_t at = k * repeats * sizes;
        result_list *one = results_new(true);
        results_text(one, "kernel", NULL, "%s", curve->kernels[k]);
        results_text(one, "given", NULL, "%s", setting->names[k]);
        results_number(one, "rate", NULL, curve->rate[k]);
        results_number(one, "rate_error", NULL, curve->rate_error[k]);
        results_numbers(one, "mean_nmse", curve->mean_nmse + k * sizes, sizes);
        results_numbers(one, "nmse_error", curve->nmse_error + k * sizes, sizes);
        results_rows(one, "nmse", volt_view_of(curve->nmse + at, repeats, sizes));
        results_rows(one, "rmse", volt_view_of(curve->rmse + at, repeats, sizes));
        results_rows(one, "alphas", volt_view_of(curve->alphas + at * outputs, repeats, sizes * outputs));
        results_append(results, "kernels", one);
    }
    return results_print(results);
}

/* ---- table ------------------------------------------------------------------------------------ */

int curve_write(const char *path, const volt_curve *curve)
{
    static const char *const names[] = {"kernel", "repeat", "rows", "nmse", "rmse", "alpha"};
    enum { COLUMNS = sizeof names / sizeof *names };
    int64_t count = curve->n_kernels * curve->n_repeats * curve->n_sizes;
    volt_matrix table = {0};
    int failed = allocate_matrix(count, COLUMNS, "the table of the curves", &table);
    if (failed)
        return failed;
    for (int64_t i = 0; i < count; i++) {
        int64_t s = i % curve->n_sizes, r = i / curve->n_sizes % curve->n_repeats;
        double *row = table.data + i * COLUMNS;
        row[0] = (double)(i / curve->n_sizes / curve->n_repeats + 1);
        row[1] = (double)(r + 1);
        row[2] = (double)curve->sizes[s];
        row[3] = curve->nmse[i];
        row[4] = curve->rmse[i];
        row[5] = curve->alphas[i * curve->outputs];
    }
    failed = output_matrix(path, volt_as_view(table), names, false);
    free(table.data);
    return failed;
}
