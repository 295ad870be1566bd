/* cli/benchmark/uea_anomaly.c: novel series, by the protocol of KTAD.
 *
 * Every class is the normal one once: a detector learns its training series, and judges all test series. alpha and the
 * kernel are chosen on training series alone, by those of the other classes. Cass, Gonon and Zozoulenko, "Variance norms for
 * kernelized anomaly detection". */
#include "benchmark/uea.h"

#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdlib.h>

enum { DRAWS = 20 };

static const char *const kernels[] = {"volterra", "gak", "sig:level=4", "esn:size=100"};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

static const volt_anomaly_kind scores[] = {VOLT_ANOMALY_CONFORMANCE, VOLT_ANOMALY_MAHALANOBIS};
enum { N_SCORES = sizeof scores / sizeof *scores };

/* What a set works with; begins as {0}. */
typedef struct novelty_work {
    uea_series set;
    volt_view *normal, *others; /* training series */
    double *scores;             /* of test series */
    int *marks;                 /* 1: of the normal class */
} novelty_work;

static void release(novelty_work *work)
{
    uea_series_release(&work->set);
    free(work->normal);
    free(work->others);
    free(work->scores);
    free(work->marks);
}

static int begin(const uea_run *run, novelty_work *work)
{
    int failed = uea_series_read(&work->set, run);
    if (failed)
        return failed;
    size_t train = (size_t)work->set.pair.train.collection->count;
    size_t test = (size_t)work->set.pair.test.collection->count;
    work->normal = malloc(train * sizeof *work->normal);
    work->others = malloc(train * sizeof *work->others);
    work->scores = malloc(test * sizeof *work->scores);
    work->marks = malloc(test * sizeof *work->marks);
    if (!work->normal || !work->others || !work->scores || !work->marks)
        return complain(EXIT_FAILED, "not enough memory for the series of %s", run->name);
    return 0;
}

/* Mark the test series of a class; are there some, and others? */
static bool mark_tests(novelty_work *work, int64_t class_number)
{
    int64_t marked = 0, count = work->set.pair.test.collection->count;
    for (int64_t i = 0; i < count; i++)
        marked += work->marks[i] = work->set.test[i] == class_number;
    return marked > 0 && marked < count;
}

/* Fit on one class and score all test series, whose classes are marked. */
static volt_status judge(novelty_work *work, int64_t class_number, const uea_options *options,
                         const uea_novelty *row, volt_progress progress)
{
    const volt_collection *train = work->set.pair.train.collection, *test = work->set.pair.test.collection;
    volt_series_anomaly_options how = volt_series_anomaly_options_default();
    volt_series_anomaly *detector = NULL;
    int64_t n = 0, m = 0;
    for (int64_t i = 0; i < train->count; i++)
        if (work->set.train[i] == class_number)
            work->normal[n++] = train->series[i];
        else
            work->others[m++] = train->series[i];
    how.detector.score = row->score;
    how.detector.progress = progress;
    how.draws = options->draws > 0 ? options->draws : DRAWS;
    how.seed = options->seed;
    volt_status status =
        volt_series_anomaly_fit(row->kernel, work->normal, n, work->others, m, &how, &detector);
    if (!status)
        status = volt_series_anomaly_score(detector, test->series, test->count, progress, work->scores);
    volt_series_anomaly_free(detector);
    return status;
}

/* Areas of one class, added to the row. */
static volt_status add_areas(novelty_work *work, uea_novelty *row)
{
    volt_ranking areas;
    int64_t count = work->set.pair.test.collection->count;
    for (int64_t i = 0; i < count; i++)
        work->scores[i] = -work->scores[i]; /* what is marked, the normal class, has the small scores */
    volt_status status = volt_ranking_compute(work->scores, work->marks, count, &areas);
    if (!status) {
        row->roc_auc += areas.roc_auc;
        row->pr_auc += areas.pr_auc;
    }
    return status;
}

static int compute_row(novelty_work *work, const uea_run *run, const uea_options *options, uea_novelty *row,
                       int64_t *classes)
{
    volt_progress progress = progress_begin(options->quiet);
    volt_status status = VOLT_OK;
    *classes = 0;
    for (int64_t k = 0; k < work->set.classes.count && !status; k++) {
        if (!mark_tests(work, k))
            continue;
        status = judge(work, k, options, row, progress);
        if (!status)
            status = add_areas(work, row);
        ++*classes;
    }
    row->seconds = progress_end();
    if (status)
        return complain_status(status);
    if (*classes == 0)
        return complain(EXIT_FAILED, "no class of %s has test series beside those of others", run->name);
    row->roc_auc /= (double)*classes;
    row->pr_auc /= (double)*classes;
    return 0;
}

int uea_find_novelties(const uea_run *run, const uea_options *options, uea_novelties *found)
{
    novelty_work work = {0};
    int failed = begin(run, &work), n = options->kernel ? 1 : N_KERNELS;
    for (int i = 0; i < n * N_SCORES && !failed; i++) {
        uea_novelty *row = &found->rows[found->count++];
        row->kernel = options->kernel ? options->kernel : kernels[i / N_SCORES];
        row->score = scores[i % N_SCORES];
        failed = compute_row(&work, run, options, row, &found->classes);
    }
    release(&work);
    return failed;
}
