/* cli/benchmark/chaos_report.c: valid times beside published ones, for people and for programs. */
#include "benchmark/chaos.h"
#include "terminal/quantities.h"
#include "terminal/results.h"

#include <stdio.h>

/* ---- JSON ------------------------------------------------------------------------------------- */

static void add_row(result_list *results, const chaos_run *run, int m)
{
    const chaos_result *result = &run->results[m];
    result_list *row = results_new(true);
    results_text(row, "dataset", NULL, "%s", run->system->name);
    results_text(row, "method", NULL, "%s", run->system->methods[m].name);
    results_text(row, "measure", NULL, "median valid time");
    results_number(row, "value", NULL, result->median);
    results_text(row, "unit", NULL, "Lyapunov times");
    results_number(row, "lower_quartile", NULL, result->lower);
    results_number(row, "upper_quartile", NULL, result->upper);
    results_numbers(row, "values", result->times, run->starts);
    results_text(row, "kernel", NULL, "%s", result->setting->kernel);
    results_number(row, "alpha", NULL, result->setting->alpha);
    results_number(row, "validation", NULL, result->validation);
    results_number(row, "fit_seconds", NULL, result->fit_seconds);
    results_number(row, "run_seconds", NULL, result->run_seconds);
    for (const chaos_figure *figure = run->system->published; figure->method; figure++) {
        result_list *published = results_new(true);
        results_text(published, "method", NULL, "%s", figure->method);
        results_number(published, "value", NULL, figure->value);
        results_append(row, "published", published);
    }
    if (!run->system->published[0].method)
        results_texts(row, "published", NULL, 0);
    results_append(results, "rows", row);
}

static int print_json(const chaos_run *runs, int count)
{
    result_list *results = results_new(true);
    results_text(results, "benchmark", NULL, "chaos");
    results_number(results, "threshold", NULL, chaos_threshold);
    for (int r = 0; r < count; r++) {
        result_list *system = results_new(true);
        results_text(system, "dataset", NULL, "%s", runs[r].system->name);
        results_count(system, "n", NULL, runs[r].rows);
        results_count(system, "starts", NULL, runs[r].starts);
        results_number(system, "step", NULL, runs[r].system->step);
        results_number(system, "lyapunov", NULL, runs[r].system->lyapunov);
        results_append(results, "systems", system);
        for (int m = 0; m < CHAOS_METHODS; m++)
            add_row(results, &runs[r], m);
    }
    return results_print(results);
}

/* ---- for people ------------------------------------------------------------------------------- */

static void print_run(const chaos_run *run)
{
    printf("%s: %lld starts, %lld rows to learn from, %g apart; times over %g\n", run->system->title,
           (long long)run->starts, (long long)run->rows, run->system->step, 1 / run->system->lyapunov);
    printf("%-58s %7s %15s  %s\n", "valid time, in Lyapunov times", "median", "quartiles", "setting");
    for (int m = 0; m < CHAOS_METHODS; m++) {
        const chaos_result *result = &run->results[m];
        printf("%-58s %7.2f %6.2f to %5.2f  %s, alpha %g\n", run->system->methods[m].name, result->median,
               result->lower, result->upper, result->setting->kernel, result->setting->alpha);
    }
    for (const chaos_figure *figure = run->system->published; figure->method; figure++)
        printf("%-58s %7g %15s  published\n", figure->method, figure->value, "");
}

static double total_seconds(const chaos_run *run)
{
    double sum = 0;
    for (int m = 0; m < CHAOS_METHODS; m++)
        sum += run->results[m].fit_seconds + run->results[m].run_seconds;
    return sum * (double)run->starts;
}

int chaos_print(const chaos_run *runs, int count, bool json)
{
    if (json)
        return print_json(runs, count);
    for (int r = 0; r < count; r++) {
        char time[QUANTITY_LENGTH];
        print_run(&runs[r]);
        printf("time: %s for all starts of the chosen settings\n%s",
               format_seconds(total_seconds(&runs[r]), time), r + 1 < count ? "\n" : "");
    }
    return 0;
}
