/* cli/benchmark/sysid_report.c: the figures on standard output, for people and for programs. */
#include "benchmark/sysid_report.h"

#include "terminal/messages.h"
#include "terminal/quantities.h"
#include "terminal/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sysid_figures(const sysid_runs *runs, sysid_figure figures[SYSID_MOST_FIGURES])
{
    int count = 0;
    for (int r = 0; r < runs->count; r++) {
        const sysid_run *run = &runs->runs[r];
        for (int i = 0; i < run->set->n_tests; i++)
            for (int k = 0; k < run->set->tests[i].n_measures && count < SYSID_MOST_FIGURES; k++)
                figures[count++] =
                    (sysid_figure){run, &run->set->tests[i], &run->set->tests[i].measures[k], run->rmse[i][k]};
    }
    return count;
}

double sysid_published_figure(const sysid_published *row, const sysid_figure *figure)
{
    return figure->measure->published < 0 ? 0 : row->rmse[figure->measure->published];
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void add_figure(result_list *results, const sysid_figure *figure)
{
    result_list *row = results_new(true);
    results_text(row, "dataset", NULL, "%s", figure->measure->dataset);
    results_text(row, "measure", NULL, "rmse after %lld rows", (long long)figure->measure->after);
    results_number(row, "value", NULL, figure->value);
    results_text(row, "unit", NULL, "%s", figure->run->set->unit);
    results_text(row, "set", NULL, "%s", figure->run->set->name);
    results_text(row, "test", NULL, "%s", figure->test->name);
    for (int i = 0; i < n_sysid_published; i++) {
        double value = sysid_published_figure(&sysid_published_rows[i], figure);
        if (value == 0)
            continue;
        result_list *published = results_new(true);
        results_text(published, "method", NULL, "%s", sysid_published_rows[i].method);
        results_number(published, "value", NULL, value);
        results_append(row, "published", published);
    }
    if (figure->measure->published < 0)
        results_texts(row, "published", NULL, 0);
    results_append(results, "rows", row);
}

/* The lines of a text as a list. */
static int add_lines(result_list *results, const char *key, char *text)
{
    enum { MOST_LINES = 16 };
    char *lines[MOST_LINES];
    int count = 0;
    if (!text)
        return complain(EXIT_FAILED, "not enough memory for the commands");
    for (char *line = strtok(text, "\n"); line && count < MOST_LINES; line = strtok(NULL, "\n"))
        lines[count++] = line;
    results_texts(results, key, lines, count);
    free(text);
    return 0;
}

static int add_setting(result_list *results, const sysid_run *run)
{
    const sysid_setting *setting = &run->setting;
    result_list *inner = results_new(true);
    results_text(inner, "set", NULL, "%s", run->set->name);
    results_text(inner, "file", NULL, "%s", run->data.path);
    if (setting->name)
        results_text(inner, "preset", NULL, "%s", setting->name);
    results_text(inner, "kernel", NULL, "%s", setting->kernel);
    results_number(inner, "alpha", NULL, setting->alpha);
    results_number(inner, "feedback_weight", NULL, setting->feedback_weight);
    results_count(inner, "first_row", NULL, setting->first);
    results_count(inner, "washout", NULL, setting->washout);
    results_count(inner, "n", NULL, setting->rows);
    results_count(inner, "warm_up", NULL, sysid_warm_up(run));
    results_number(inner, "fit_seconds", NULL, run->fit_seconds);
    results_number(inner, "simulate_seconds", NULL, run->simulate_seconds);
    if (run->draws > 0) {
        results_count(inner, "draws", NULL, run->draws);
        results_number(inner, "search_seconds", NULL, run->search_seconds);
    }
    int failed = add_lines(inner, "commands", sysid_commands(run));
    results_append(results, "settings", inner);
    return failed;
}

static int print_json(const sysid_runs *runs)
{
    sysid_figure figures[SYSID_MOST_FIGURES];
    int count = sysid_figures(runs, figures), failed = 0;
    result_list *results = results_new(true);
    results_text(results, "benchmark", NULL, "sysid");
    for (int i = 0; i < count; i++)
        add_figure(results, &figures[i]);
    results_text(results, "published_source", NULL, "%s", sysid_published_source);
    for (int r = 0; !failed && r < runs->count; r++)
        failed = add_setting(results, &runs->runs[r]);
    if (failed) {
        results_discard(results);
        return failed;
    }
    return results_print(results);
}

/* ---- for people ------------------------------------------------------------------------------- */

static int print_setting(const sysid_run *run)
{
    char fit[QUANTITY_LENGTH], simulate[QUANTITY_LENGTH];
    const sysid_setting *setting = &run->setting;
    const int64_t first = setting->first + setting->washout;
    result_list *results = results_new(false);
    results_text(results, NULL, "system", "%s, %s", run->set->title, run->data.path);
    if (setting->name)
        results_text(results, NULL, "preset", "%s", setting->name);
    if (run->draws > 0) {
        results_text(results, NULL, "found by", "%lld draws in %s", (long long)run->draws,
                     format_seconds(run->search_seconds, fit));
    }
    results_text(results, NULL, "kernel", "%s", setting->kernel);
    results_number(results, NULL, "alpha", setting->alpha);
    if (setting->feedback_weight > 0)
        results_text(results, NULL, "feedback",
                     "weight %.6g; the first %lld measured outputs of a test set the state",
                     setting->feedback_weight, (long long)sysid_warm_up(run));
    results_text(results, NULL, "trained on", "%lld rows from row %lld on, %lld of washout before them",
                 (long long)setting->rows, (long long)first, (long long)setting->washout);
    results_text(results, NULL, "time", "fit %s, simulations %s", format_seconds(run->fit_seconds, fit),
                 format_seconds(run->simulate_seconds, simulate));
    return results_print(results);
}

enum { METHOD_WIDTH = 38, FIGURE_WIDTH = 14 };

static void print_value(double value)
{
    if (value > 0)
        printf("%*.*g", FIGURE_WIDTH, 3, value);
    else
        printf("%*s", FIGURE_WIDTH, "-");
}

static void print_table(const sysid_runs *runs)
{
    sysid_figure figures[SYSID_MOST_FIGURES];
    int count = sysid_figures(runs, figures);
    printf("\n%-*s", METHOD_WIDTH, "RMSE of the simulation");
    for (int i = 0; i < count; i++)
        printf("%*s", FIGURE_WIDTH, figures[i].measure->heading);
    printf("\n%-*s", METHOD_WIDTH, "");
    for (int i = 0; i < count; i++)
        printf("%*s", FIGURE_WIDTH, figures[i].run->set->unit);
    printf("\n%-*s", METHOD_WIDTH, "volterra");
    for (int i = 0; i < count; i++)
        print_value(figures[i].value);
    putchar('\n');
    for (int m = 0; m < n_sysid_published; m++) {
        bool any = false;
        for (int i = 0; i < count; i++)
            any = any || sysid_published_figure(&sysid_published_rows[m], &figures[i]) > 0;
        if (!any)
            continue;
        printf("%-*s", METHOD_WIDTH, sysid_published_rows[m].method);
        for (int i = 0; i < count; i++)
            print_value(sysid_published_figure(&sysid_published_rows[m], &figures[i]));
        putchar('\n');
    }
    printf("Published figures: %s.\n", sysid_published_source);
}

static int print_commands(const sysid_runs *runs)
{
    puts("\nThe same by hand:");
    for (int r = 0; r < runs->count; r++) {
        char *text = sysid_commands(&runs->runs[r]);
        if (!text)
            return complain(EXIT_FAILED, "not enough memory for the commands");
        fputs(text, stdout);
        free(text);
    }
    return 0;
}

int sysid_print(const sysid_runs *runs, bool json)
{
    if (json)
        return print_json(runs);
    int failed = 0;
    for (int r = 0; !failed && r < runs->count; r++) {
        if (r > 0)
            putchar('\n');
        failed = print_setting(&runs->runs[r]);
    }
    if (failed)
        return failed;
    print_table(runs);
    return print_commands(runs);
}
