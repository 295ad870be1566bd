/* cli/commands/anomaly_among.c: detects anomalous series in a collection. */
#include "commands/anomaly_forms.h"
#include "files/collections.h"
#include "files/inputs.h"
#include "files/outputs.h"
#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const choice anomaly_score_choices[] = {
    {"conformance", VOLT_ANOMALY_CONFORMANCE, "distance from the nearest normal series"},
    {"mahalanobis", VOLT_ANOMALY_MAHALANOBIS, "distance from the mean of the normal series"},
    {NULL, 0, NULL},
};

const choice anomaly_scale_choices[] = {
    {"channels", VOLT_OBJECT_SCALE_CHANNELS, NULL},
    {"series", VOLT_OBJECT_SCALE_SERIES, NULL},
    {"none", VOLT_OBJECT_SCALE_NONE, NULL},
    {NULL, 0, NULL},
};

const choice anomaly_input_choices[] = {
    {"level", VOLT_OBJECT_INPUT_LEVEL, NULL},
    {"change", VOLT_OBJECT_INPUT_CHANGE, NULL},
    {"both", VOLT_OBJECT_INPUT_BOTH, NULL},
    {NULL, 0, NULL},
};

/* Normal series, anomalous examples and series to score. */
typedef struct anomaly_data {
    series_pair pair;
    const labelled_series *judged; /* test series, or training series without a test set */
    volt_view *normal, *examples;  /* subsets of the training series */
    int64_t *normal_rows;          /* indices of the normal series */
    int64_t n_normal, n_examples;
    double *scores; /* of the scored series */
    int *marks;     /* 1: not a normal class; NULL: classes unknown */
    volt_ranking areas;
    bool has_areas;
    volt_anomaly_info info;
} anomaly_data;

static void release(anomaly_data *data)
{
    series_pair_release(&data->pair);
    free(data->normal);
    free(data->examples);
    free(data->normal_rows);
    free(data->scores);
    free(data->marks);
}

/* ---- classes ---------------------------------------------------------------------------------- */

/* Training series of the class --normal are normal, the others are anomalous examples. Without --normal, all
 * are normal. */
static int divide(const anomaly_arguments *arguments, anomaly_data *data)
{
    const volt_collection *train = data->pair.train.collection;
    char **labels = data->pair.train.labels;
    if (arguments->normal && !labels)
        return complain(EXIT_USAGE, "--normal requires classes, but %s has none (give --train-labels)",
                        arguments->train);
    data->n_normal = data->n_examples = 0;
    for (int64_t i = 0; i < train->count; i++) {
        if (arguments->normal && strcmp(labels[i], arguments->normal) != 0) {
            data->examples[data->n_examples++] = train->series[i];
        } else {
            data->normal_rows[data->n_normal] = i;
            data->normal[data->n_normal++] = train->series[i];
        }
    }
    if (arguments->normal && data->n_normal == 0)
        return complain(EXIT_USAGE, "no series of %s has the class '%s'", arguments->train, arguments->normal);
    if (data->n_normal < 3)
        return complain(EXIT_FAILED, "%s has %lld normal series (at least 3 are required)", arguments->train,
                        (long long)data->n_normal);
    return 0;
}

static bool is_normal_class(const anomaly_data *data, const char *label)
{
    for (int64_t i = 0; i < data->n_normal; i++)
        if (strcmp(data->pair.train.labels[data->normal_rows[i]], label) == 0)
            return true;
    return false;
}

static int read_data(const anomaly_arguments *arguments, anomaly_data *data)
{
    int failed = series_pair_read(&data->pair, arguments->train, arguments->train_labels, arguments->test,
                                  arguments->test_labels);
    if (failed)
        return failed;
    data->judged = data->pair.test.collection ? &data->pair.test : &data->pair.train;
    size_t train = (size_t)data->pair.train.collection->count, judged = (size_t)data->judged->collection->count;
    data->normal = malloc(train * sizeof *data->normal);
    data->examples = malloc(train * sizeof *data->examples);
    data->normal_rows = malloc(train * sizeof *data->normal_rows);
    data->scores = malloc(judged * sizeof *data->scores);
    data->marks = malloc(judged * sizeof *data->marks);
    if (!data->normal || !data->examples || !data->normal_rows || !data->scores || !data->marks)
        return complain(EXIT_FAILED, "not enough memory for the series");
    return divide(arguments, data);
}

/* ---- fit and score ---------------------------------------------------------------------------- */

static int fit(const anomaly_arguments *arguments, const anomaly_data *data, volt_series_anomaly **anomaly)
{
    volt_series_anomaly_options options = volt_series_anomaly_options_default();
    options.scale = (volt_object_scale)arguments->scale;
    options.input = (volt_object_input)arguments->input;
    options.score = (volt_anomaly_kind)arguments->score;
    options.alpha = arguments->alpha;
    if (arguments->rate > 0)
        options.rate = arguments->rate;
    options.progress = progress_begin(arguments->common.quiet);
    options.draws = arguments->draws;
    options.seed = arguments->common.seed.value;
    volt_status status = volt_series_anomaly_fit(arguments->kernel, data->normal, data->n_normal,
                                                 data->examples, data->n_examples, &options, anomaly);
    progress_end();
    return status ? complain_status(status) : 0;
}

/* Scores the series. Training series get leave-one-out scores. */
static int score(const anomaly_arguments *arguments, const volt_series_anomaly *anomaly, anomaly_data *data)
{
    const volt_collection *judged = data->judged->collection;
    volt_progress progress = progress_begin(arguments->common.quiet);
    volt_status status =
        volt_series_anomaly_score(anomaly, judged->series, judged->count, progress, data->scores);
    progress_end();
    if (status)
        return complain_status(status);
    for (int64_t i = 0; data->judged == &data->pair.train && i < data->n_normal; i++)
        data->scores[data->normal_rows[i]] = data->info.scores[i];
    if (!data->pair.train.labels || !data->judged->labels)
        return 0;
    int64_t marked = 0;
    for (int64_t i = 0; i < judged->count; i++)
        marked += data->marks[i] = !is_normal_class(data, data->judged->labels[i]);
    if (marked == 0 || marked == judged->count)
        return 0;
    data->has_areas = true;
    data->areas.struct_size = sizeof data->areas;
    status = volt_ranking_compute(data->scores, data->marks, judged->count, &data->areas);
    return status ? complain_status(status) : 0;
}

/* ---- report ----------------------------------------------------------------------------------- */

static int write_scores(const anomaly_arguments *arguments, const anomaly_data *data, double threshold)
{
    static const char *const names[] = {"score", "anomaly"};
    int64_t count = data->judged->collection->count;
    row_labels classes = {.name = data->judged->labels ? "class" : NULL,
                          .texts = (const char **)data->judged->labels};
    volt_matrix table = {0};
    int failed = allocate_matrix(count, 2, "the scores", &table);
    for (int64_t i = 0; !failed && i < count; i++) {
        table.data[2 * i] = data->scores[i];
        table.data[2 * i + 1] = data->scores[i] > threshold;
    }
    if (!failed)
        failed = output_labelled(arguments->output, volt_as_view(table), names, &classes);
    free(table.data);
    return failed;
}

/* Reports the number of series above the threshold and the zero-based numbers of the first ones. */
static void report_found(result_list *results, const anomaly_data *data, double threshold)
{
    enum { SHOWN = 12 };
    char text[SHOWN * 24 + 8] = "";
    size_t length = 0;
    int64_t *found = malloc((size_t)data->judged->collection->count * sizeof *found), count = 0;
    if (!found) {
        note_lack_of_memory();
        return;
    }
    for (int64_t i = 0; i < data->judged->collection->count; i++) {
        if (data->scores[i] <= threshold)
            continue;
        if (count < SHOWN)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld", count ? ", " : "",
                                       (long long)i);
        found[count++] = i;
    }
    results_counts(results, "anomalies", found, count);
    if (count == 0)
        results_text(results, NULL, "anomalies", "none of %lld", (long long)data->judged->collection->count);
    else
        results_text(results, NULL, "anomalies", "%lld of %lld: %s%s", (long long)count,
                     (long long)data->judged->collection->count, text, count > SHOWN ? ", ..." : "");
    free(found);
}

static void report_learned(result_list *results, const volt_anomaly_info *info, const anomaly_data *data)
{
    char text[COLLECTION_TEXT_LENGTH];
    results_text(results, NULL, "train", "%s: %s", data->pair.train.source,
                 collection_text(data->pair.train.collection, text));
    results_count(results, "normal_series", "normal series", info->n);
    if (data->n_examples > 0) {
        results_count(results, "examples", "other series", data->n_examples);
        results_text(results, NULL, "training AUC", "ROC %s, PR %s (leave-one-out)",
                     digits(info->areas.roc_auc).text, digits(info->areas.pr_auc).text);
        results_number(results, "train_roc_auc", NULL, info->areas.roc_auc);
        results_number(results, "train_pr_auc", NULL, info->areas.pr_auc);
    }
    if (data->pair.test.collection)
        results_text(results, NULL, "test", "%s: %s", data->pair.test.source,
                     collection_text(data->pair.test.collection, text));
}

static int report_all(const anomaly_arguments *arguments, const anomaly_data *data)
{
    volt_anomaly_info info = data->info;
    result_list *results = results_new(arguments->common.json);
    report_learned(results, &info, data);
    results_text(results, "kernel", "kernel", "%s", info.kernel);
    results_details(results, true);
    results_text(results, "score", NULL, "%s", choice_word(anomaly_score_choices, arguments->score));
    results_text(results, NULL, "score", "%s", choice_label(anomaly_score_choices, arguments->score));
    results_parameter(results, "alpha", "alpha", info.alpha);
    if (arguments->draws > 0)
        results_count(results, "kernels_tried", "kernels tried", info.tried);
    results_details(results, false);
    results_fields(results, volt_anomaly_info, &info, "rate threshold");
    results_text(results, NULL, "threshold", "%s (false-alarm rate %s)", digits(info.threshold).text,
                 digits(info.rate > info.least ? info.rate : info.least).text);
    report_found(results, data, info.threshold);
    results_numbers(results, "scores", data->scores, data->judged->collection->count);
    if (data->has_areas) {
        results_number(results, "roc_auc", "ROC AUC", data->areas.roc_auc);
        results_number(results, "pr_auc", "PR AUC", data->areas.pr_auc);
    }
    if (arguments->output)
        results_text(results, "output", "written", "%s", arguments->output);
    if (info.n_warnings > 0) /* VOLT_WARNING_RATE_TOO_SMALL */
        warn("--rate %g is too small for %lld normal series: the threshold is their largest score, with a "
             "false-alarm rate of 1/%lld",
             info.rate, (long long)info.n, (long long)info.n + 1);
    return results_print(results);
}

/* ---- command ---------------------------------------------------------------------------------- */

static int check_output(const anomaly_arguments *arguments)
{
    const char *const sources[] = {arguments->train, arguments->test, arguments->train_labels,
                                   arguments->test_labels};
    int failed = arguments->output ? output_check(arguments->output) : 0;
    for (size_t i = 0; !failed && arguments->output && i < sizeof sources / sizeof *sources; i++)
        failed = output_check_against(arguments->output, sources[i]);
    if (!failed && arguments->output && is_standard_output(arguments->output))
        failed = complain(EXIT_USAGE, "-o must be a file: standard output is used for the results");
    return failed;
}

int anomaly_among_series(const anomaly_arguments *arguments)
{
    anomaly_data data = {0};
    volt_series_anomaly *anomaly = NULL;
    int failed = check_output(arguments);
    if (!failed)
        failed = read_data(arguments, &data);
    if (!failed && arguments->draws > 0 && data.n_examples == 0)
        failed = complain(
            EXIT_USAGE,
            "--draws requires training series of other classes: a file with several classes, and --normal");
    if (!failed)
        failed = fit(arguments, &data, &anomaly);
    data.info.struct_size = sizeof data.info;
    if (!failed)
        (void)volt_series_anomaly_get_info(anomaly, &data.info); /* neither pointer is NULL */
    if (!failed)
        failed = score(arguments, anomaly, &data);
    if (!failed && arguments->output)
        failed = write_scores(arguments, &data, data.info.threshold);
    if (!failed)
        failed = report_all(arguments, &data);
    volt_series_anomaly_free(anomaly);
    release(&data);
    return failed;
}
