/* cli/benchmark/uea_anomaly_report.c: areas of novel series, for people and for programs. */
#include "benchmark/uea.h"
#include "terminal/quantities.h"
#include "terminal/results.h"
#include "terminal/shown_text.h"

#include <stdio.h>

static const char *score_word(volt_anomaly_kind score)
{
    return score == VOLT_ANOMALY_CONFORMANCE ? "conformance" : "mahalanobis";
}

static void add_area(result_list *results, const uea_run *run, const uea_novelties *found,
                     const uea_novelty *novelty, const char *measure, double value)
{
    result_list *row = results_new(true);
    results_text(row, "dataset", NULL, "%s", run->name);
    results_text(row, "kernel", NULL, "%s", novelty->kernel);
    results_text(row, "score", NULL, "%s", score_word(novelty->score));
    results_text(row, "measure", NULL, "%s", measure);
    results_number(row, "value", NULL, value);
    results_text(row, "unit", NULL, "share");
    results_count(row, "classes", NULL, found->classes);
    results_number(row, "seconds", NULL, novelty->seconds);
    results_texts(row, "published", NULL, 0); /* no figures were found to quote */
    results_append(results, "rows", row);
}

static int print_json(const uea_runs *runs, const uea_novelties *found)
{
    result_list *results = results_new(true);
    results_text(results, "benchmark", NULL, "uea");
    results_text(results, "task", NULL, "anomaly");
    for (int r = 0; r < runs->count; r++)
        for (int i = 0; i < found[r].count; i++) {
            const uea_novelty *novelty = &found[r].rows[i];
            add_area(results, &runs->runs[r], &found[r], novelty, "PR area", novelty->pr_auc);
            add_area(results, &runs->runs[r], &found[r], novelty, "ROC area", novelty->roc_auc);
        }
    return results_print(results);
}

int uea_print_novelties(const uea_runs *runs, const uea_novelties *found, bool json)
{
    enum { NAME_WIDTH = 26, KERNEL_WIDTH = 16 };
    if (json)
        return print_json(runs, found);
    printf("%-*s  %-*s  %-11s  %8s  %8s  %9s\n", NAME_WIDTH, "novel series", KERNEL_WIDTH, "kernel", "score",
           "PR area", "ROC area", "time");
    for (int r = 0; r < runs->count; r++)
        for (int i = 0; i < found[r].count; i++) {
            const uea_novelty *row = &found[r].rows[i];
            char time[QUANTITY_LENGTH];
            print_shown(stdout, i ? "" : runs->runs[r].name, NAME_WIDTH);
            printf("  ");
            print_shown(stdout, row->kernel, KERNEL_WIDTH);
            printf("  %-11s  %8.4f  %8.4f  %9s\n", score_word(row->score), row->pr_auc, row->roc_auc,
                   format_seconds(row->seconds, time));
        }
    printf("\nmeans over the classes, each the normal one once; in the PR area normal series are marked\n");
    return 0;
}
