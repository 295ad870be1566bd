/* cli/commands/classify_report.c: reports a classifier and its predictions for test series. */
#include "commands/classify_report.h"

#include "args/choices.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- confusion matrix ------------------------------------------------------------------------- */

/* Confusion matrix: true classes in rows (last row: untrained classes), predicted classes in columns. */
typedef struct confusion {
    int64_t classes;
    double *counts; /* (classes + 1) x classes */
    int64_t right, total, unseen;
} confusion;

static int64_t largest(const double *outputs, int64_t count)
{
    int64_t at = 0;
    for (int64_t k = 1; k < count; k++)
        if (outputs[k] > outputs[at])
            at = k;
    return at;
}

/* Counts the test series or, if their classes are unknown, the leave-one-out predictions of the training
 * series. */
static bool count_classes(const classified *result, bool of_test, confusion *made)
{
    const labelled_series *series = of_test ? &result->pair->test : &result->pair->train;
    int64_t q = result->classes->count;
    *made = (confusion){.classes = q, .counts = calloc((size_t)((q + 1) * q), sizeof *made->counts)};
    if (!made->counts)
        return false;
    made->total = series->collection->count;
    for (int64_t i = 0; i < made->total; i++) {
        int64_t is = of_test ? result->test[i] : result->train[i];
        int64_t found = of_test ? result->found[i] : largest(result->info.left_out_outputs + i * q, q);
        made->counts[(is == CLASS_UNKNOWN ? q : is) * q + found]++;
        made->right += is == found;
        made->unseen += is == CLASS_UNKNOWN;
    }
    return true;
}

static double row_sum(const confusion *counts, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < counts->classes; j++)
        sum += counts->counts[k * counts->classes + j];
    return sum;
}

static double column_sum(const confusion *counts, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j <= counts->classes; j++)
        sum += counts->counts[j * counts->classes + k];
    return sum;
}

static double own(const confusion *counts, int64_t k)
{
    return counts->counts[k * counts->classes + k];
}

/* ---- text ------------------------------------------------------------------------------------- */

enum { MAX_NAME = 16, MAX_COLUMNS = 12 };

static int name_width(const class_names *classes)
{
    int width = 5;
    for (int64_t k = 0; k < classes->count; k++) {
        int own_width = shown_width(classes->names[k]);
        width = own_width > width ? own_width : width;
    }
    return width < MAX_NAME ? width : MAX_NAME;
}

static void print_share(double part, double of)
{
    if (of > 0)
        printf("  %8.1f%%", 100 * part / of);
    else
        printf("  %9s", "-");
}

/* recall: correct / series of the class; precision: correct / series predicted as the class. */
static void print_class_table(const classified *result, const confusion *counts)
{
    int width = name_width(result->classes);
    printf("\n%-*s  %8s  %8s  %9s  %9s\n", width, "class", "training", "series", "recall", "precision");
    for (int64_t k = 0; k < counts->classes; k++) {
        print_shown(stdout, result->classes->names[k], width);
        printf("  %8lld  %8.0f",
               (long long)class_count(result->train, result->pair->train.collection->count, k),
               row_sum(counts, k));
        print_share(own(counts, k), row_sum(counts, k));
        print_share(own(counts, k), column_sum(counts, k));
        printf("\n");
    }
}

static void print_confusion(const classified *result, const confusion *counts)
{
    int width = name_width(result->classes);
    if (counts->classes > MAX_COLUMNS)
        return; /* wide tables are available with --json */
    printf("\n%-*s", width, "truth");
    for (int64_t k = 0; k < counts->classes; k++) {
        printf("  ");
        int gap = 6 - shown_width(result->classes->names[k]);
        printf("%*s", gap > 0 ? gap : 0, "");
        print_shown(stdout, result->classes->names[k], gap > 0 ? 0 : 6);
    }
    printf("   predicted\n");
    for (int64_t k = 0; k <= counts->classes; k++) {
        if (k == counts->classes && counts->unseen == 0)
            continue;
        print_shown(stdout, k < counts->classes ? result->classes->names[k] : "other", width);
        for (int64_t j = 0; j < counts->classes; j++)
            printf("  %6.0f", counts->counts[k * counts->classes + j]);
        printf("\n");
    }
}

/* ---- results ---------------------------------------------------------------------------------- */

static void print_warnings_of(const classified *result)
{
    const volt_series_info *info = &result->info;
    int64_t single = 0;
    const char *name = NULL;
    for (int64_t i = 0; i < info->n_warnings; i++) {
        const volt_warning *warning = &info->warnings[i];
        if (warning->code == VOLT_WARNING_SINGLE_SERIES_CLASS && single++ == 0)
            name = result->classes->names[warning->series];
        if (warning->code == VOLT_WARNING_SEARCH_CUT)
            warn("--budget ended the search after %.0f of %lld kernels; the selection depends on the speed of "
                 "this machine",
                 warning->value, (long long)info->planned);
    }
    if (single == 1)
        warn("class %s has one training series: its leave-one-out prediction is wrong by construction", name);
    else if (single > 1)
        warn("%lld classes have one training series each (first: %s): their leave-one-out predictions are "
             "wrong by construction",
             (long long)single, name);
}

static void warn_of_unseen(const classified *result, const confusion *counts)
{
    for (int64_t i = 0; counts->unseen > 0 && i < counts->total; i++)
        if (result->test[i] == CLASS_UNKNOWN) {
            warn("%lld of %lld test series %s a class without training series (first: %s); counted as wrong",
                 (long long)counts->unseen, (long long)counts->total, counts->unseen == 1 ? "has" : "have",
                 result->pair->test.labels[i]);
            break;
        }
}

/* Adds the kernels. In JSON, the first kernel also has top-level fields. */
static void add_kernels(const classified *result, result_list *results)
{
    const volt_series_info *info = &result->info;
    for (int64_t p = 0; p < info->parts; p++) {
        volt_series_kernel part = info->kernels[p];
        results_text(results, NULL, p ? "and" : "kernel", "%s", part.kernel);
        results_details(results, true);
        results_text(results, NULL, "  applied to", "%s; %s, scaled by %s",
                     choice_label(object_compare_choices, (int)part.compare),
                     choice_label(object_input_choices, (int)part.input),
                     choice_label(object_scale_choices, (int)part.scale));
        results_details(results, false);
        results_append_struct(results, "kernels", volt_series_kernel, &part);
    }
}

static void add_training(const classified *result, result_list *results)
{
    const volt_series_info *info = &result->info;
    char text[COLLECTION_TEXT_LENGTH];
    results_text(results, NULL, "train", "%s: %s, %lld classes", result->pair->train.source,
                 collection_text(result->pair->train.collection, text), (long long)info->classes);
    results_text(results, "train", NULL, "%s", result->pair->train.source);
    results_fields(
        results, volt_series_info, info,
        "series channels kernel input scale compare loss alpha planned tried failed screen finalists "
        "cut landmarks left_out left_out_error nested folds splits");
    results_texts(results, "classes", (char *const *)result->classes->names, result->classes->count);
    add_kernels(result, results);
    results_details(results, true);
    results_text(results, NULL, "readout", "%s, alpha %s", info->loss, parameter_digits(info->alpha).text);
    if (info->tried > 1 && info->screen > 0)
        results_text(results, NULL, "selected", "from %lld kernels: all on %lld series, %lld on all%s",
                     (long long)info->tried, (long long)info->screen, (long long)info->finalists,
                     info->failed > 0 ? "; some could not be factored" : "");
    else if (info->tried > 1)
        results_text(results, NULL, "selected", "from %lld kernels%s", (long long)info->tried,
                     info->failed > 0 ? "; some could not be factored" : "");
    if (info->landmarks > 0)
        results_text(results, NULL, "landmarks", "%lld of %lld series", (long long)info->landmarks,
                     (long long)info->series);
    results_details(results, false);
}

static void add_loo(const classified *result, result_list *results)
{
    const volt_series_info *info = &result->info;
    results_text(results, NULL, "leave-one-out", "%.2f%% (%.0f of %lld), optimistic after selection",
                 100 * info->left_out, info->left_out * (double)info->series, (long long)info->series);
    if (info->folds > 0)
        results_text(results, NULL, "nested", "%.2f%% (%.0f of %lld), selection in each of %lld folds",
                     100 * info->nested, info->nested * (double)info->series, (long long)info->series,
                     (long long)info->folds);
    if (info->splits > 0) {
        results_fields(results, volt_series_info, info, "split_mean split_deviation");
        results_details(results, true);
        results_text(results, NULL, "splits", "%.2f%% +- %.2f over %lld stratified splits",
                     100 * info->split_mean, 100 * info->split_deviation, (long long)info->splits);
        results_details(results, false);
    }
    if (isfinite(info->log_loss)) {
        results_number(results, "log_loss", NULL, info->log_loss);
        results_text(results, NULL, "log loss", "%s over 5 stratified folds", digits(info->log_loss).text);
    }
}

static void add_test(const classified *result, const confusion *counts, result_list *results)
{
    const labelled_series *test = &result->pair->test;
    char text[COLLECTION_TEXT_LENGTH];
    if (!test->collection)
        return;
    int64_t count = test->collection->count;
    results_text(results, NULL, "test", "%s: %s", test->source, collection_text(test->collection, text));
    results_text(results, "test", NULL, "%s", test->source);
    const char **names = calloc((size_t)count, sizeof *names);
    if (!names)
        note_lack_of_memory();
    for (int64_t i = 0; names && i < count; i++)
        names[i] = result->classes->names[result->found[i]];
    if (names)
        results_texts(results, "predicted", (char *const *)names, count);
    free(names);
    results_rows(results, "outputs", volt_as_view(result->outputs));
    results_rows(results, "probabilities", volt_as_view(result->probabilities));
    if (!result->test)
        return;
    double share = (double)counts->right / (double)counts->total;
    results_number(results, "accuracy", NULL, share);
    results_text(results, NULL, "accuracy", "%.2f%% (%lld of %lld)", 100 * share, (long long)counts->right,
                 (long long)counts->total);
}

/* Adds lists by class: recall and precision (null without series), and all counts. */
static void add_classes(const confusion *counts, bool of_test, result_list *results)
{
    int64_t q = counts->classes;
    double *shares = calloc((size_t)(2 * q), sizeof *shares);
    if (!shares) {
        note_lack_of_memory();
        return;
    }
    for (int64_t k = 0; k < q; k++) {
        shares[k] = own(counts, k) / row_sum(counts, k);
        shares[q + k] = own(counts, k) / column_sum(counts, k);
    }
    results_text(results, "classes_of", NULL, "%s", of_test ? "test" : "left out");
    results_numbers(results, "recall", shares, q);
    results_numbers(results, "precision", shares + q, q);
    results_rows(results, "confusion", volt_view_of(counts->counts, q, q));
    if (of_test)
        results_count(results, "unseen", NULL, counts->unseen);
    free(shares);
}

int classify_print(const classified *result, const char *output, double seconds, bool json)
{
    bool of_test = result->test != NULL;
    confusion counts;
    char time[QUANTITY_LENGTH];
    if (!count_classes(result, of_test, &counts))
        return complain(EXIT_FAILED, "not enough memory for the table of classes");
    result_list *results = results_new(json);
    print_warnings_of(result);
    if (of_test)
        warn_of_unseen(result, &counts);
    add_training(result, results);
    add_loo(result, results);
    add_test(result, &counts, results);
    add_classes(&counts, of_test, results);
    if (output)
        results_text(results, "output", "predictions", "%s", output);
    results_number(results, "seconds", NULL, seconds);
    results_text(results, NULL, "time", "%s", format_seconds(seconds, time));
    int failed = results_print(results);
    if (!failed && !json && is_verbose()) {
        print_class_table(result, &counts);
        print_confusion(result, &counts);
        if (!of_test)
            printf("\n(leave-one-out predictions of the training series%s)\n",
                   result->pair->test.collection ? "; the classes of the test series are unknown" : "");
    }
    free(counts.counts);
    return failed;
}

int classify_write(const classified *result, const char *path)
{
    int64_t count = result->pair->test.collection->count;
    row_labels labels = {.name = "class", .texts = calloc((size_t)count, sizeof *labels.texts)};
    if (!labels.texts)
        return complain(EXIT_FAILED, "not enough memory for the predictions");
    for (int64_t i = 0; i < count; i++)
        labels.texts[i] = result->classes->names[result->found[i]];
    int failed = output_labelled(path, volt_as_view(result->outputs), result->classes->names, &labels);
    free(labels.texts);
    return failed;
}
