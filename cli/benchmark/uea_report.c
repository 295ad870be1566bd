/* cli/benchmark/uea_report.c: accuracies beside those of other methods, for people and for programs. */
#include "args/choices.h"
#include "benchmark/uea.h"
#include "terminal/quantities.h"
#include "terminal/results.h"
#include "terminal/shown_text.h"

#include <stdio.h>
#include <string.h>

static const uea_reference *reference_of(const uea_run *run)
{
    for (int i = 0; i < n_uea_references; i++)
        if (strcmp(uea_references[i].set, run->name) == 0)
            return &uea_references[i];
    return NULL;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void add_published(result_list *row, const char *method, double value)
{
    if (!(value > 0))
        return;
    result_list *published = results_new(true);
    results_text(published, "method", NULL, "%s", method);
    results_number(published, "value", NULL, value);
    results_append(row, "published", published);
}

static void add_row(result_list *results, const uea_run *run)
{
    const uea_reference *reference = reference_of(run);
    result_list *row = results_new(true);
    results_text(row, "dataset", NULL, "%s", run->name);
    results_text(row, "measure", NULL, "accuracy");
    results_number(row, "value", NULL, run->accuracy);
    results_text(row, "unit", NULL, "share");
    results_count(row, "series", NULL, run->series);
    results_count(row, "tests", NULL, run->tests);
    results_count(row, "channels", NULL, run->channels);
    results_count(row, "classes", NULL, run->classes);
    results_number(row, "alpha", NULL, run->info.alpha);
    for (int64_t p = 0; p < run->info.parts; p++) {
        const volt_classifier_kernel *way = &run->kernels[p].way;
        result_list *kernel = results_new(true);
        results_text(kernel, "kernel", NULL, "%s", run->kernels[p].text);
        results_text(kernel, "scale", NULL, "%s", choice_word(object_scale_choices, (int)way->scale));
        results_text(kernel, "input", NULL, "%s", choice_word(object_input_choices, (int)way->input));
        results_text(kernel, "compare", NULL, "%s", choice_word(object_compare_choices, (int)way->compare));
        results_append(row, "kernels", kernel);
    }
    results_count(row, "tried", NULL, run->info.tried);
    results_number(row, "left_out_accuracy", NULL, run->info.left_out);
    results_number(row, "split_accuracy", NULL, run->info.split_mean);
    results_number(row, "seconds", NULL, run->seconds);
    if (reference) {
        add_published(row, "1-NN DTW", reference->dtw);
        add_published(row, "MiniRocket", reference->minirocket);
    } else {
        results_texts(row, "published", NULL, 0);
    }
    results_append(results, "rows", row);
}

static int print_json(const uea_runs *runs)
{
    result_list *results = results_new(true);
    results_text(results, "benchmark", NULL, "uea");
    for (int r = 0; r < runs->count; r++)
        add_row(results, &runs->runs[r]);
    results_text(results, "published_source", NULL, "%s", uea_reference_source);
    return results_print(results);
}

/* ---- for people ------------------------------------------------------------------------------- */

enum { NAME_WIDTH = 26 };

static void print_share(double share)
{
    if (share > 0)
        printf("  %9.2f%%", 100 * share);
    else
        printf("  %10s", "-");
}

static void print_row(const uea_run *run)
{
    const uea_reference *reference = reference_of(run);
    char time[QUANTITY_LENGTH];
    print_shown(stdout, run->name, NAME_WIDTH);
    print_share(run->accuracy);
    print_share(run->info.left_out);
    print_share(reference ? reference->dtw : 0);
    print_share(reference ? reference->minirocket : 0);
    printf("  %9s\n", format_seconds(run->seconds, time));
}

static void print_choice(const uea_run *run)
{
    for (int64_t p = 0; p < run->info.parts; p++) {
        const volt_classifier_kernel *way = &run->kernels[p].way;
        print_shown(stdout, p ? "  and" : run->name, NAME_WIDTH);
        printf("  %s; --compare %s --input %s --scale %s\n", run->kernels[p].text,
               choice_word(object_compare_choices, (int)way->compare),
               choice_word(object_input_choices, (int)way->input),
               choice_word(object_scale_choices, (int)way->scale));
    }
}

int uea_print(const uea_runs *runs, bool json)
{
    if (json)
        return print_json(runs);
    printf("%-*s  %10s  %10s  %10s  %10s  %9s\n", NAME_WIDTH, "accuracy on test series", "volterra", "left out",
           "1-NN DTW", "MiniRocket", "time");
    for (int r = 0; r < runs->count; r++)
        print_row(&runs->runs[r]);
    printf("\nleft out: of training series, by which the kernel was chosen; 1-NN DTW and MiniRocket: %s\n\n",
           uea_reference_source);
    for (int r = 0; r < runs->count; r++)
        print_choice(&runs->runs[r]);
    return 0;
}
