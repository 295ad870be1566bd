/* cli/benchmark/uea_run.c: one set: choose and fit on its training series, then count on its test series. */
#include "benchmark/uea.h"

#include "files/inputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdio.h>
#include <stdlib.h>

/* What a run works on; begins as {0}. */
typedef struct uea_work {
    series_pair pair;
    class_names classes;
    int64_t *train, *test, *found;
    volt_matrix outputs;
    volt_classifier *classifier;
} uea_work;

static void release(uea_work *work)
{
    volt_classifier_free(work->classifier);
    free(work->outputs.data);
    free(work->train);
    free(work->test);
    free(work->found);
    class_names_release(&work->classes);
    series_pair_release(&work->pair);
}

static int read_set(const uea_run *run, uea_work *work)
{
    int failed = series_pair_read(&work->pair, run->train, NULL, run->test, NULL);
    if (failed)
        return failed;
    if (!work->pair.train.labels || !work->pair.test.labels)
        return complain(EXIT_FAILED, "%s has no classes", work->pair.train.labels ? run->test : run->train);
    failed = class_names_read(&work->classes, &work->pair.train);
    if (!failed)
        failed = class_numbers(&work->classes, &work->pair.train, &work->train);
    if (!failed)
        failed = class_numbers(&work->classes, &work->pair.test, &work->test);
    int64_t tests = work->pair.test.collection->count;
    work->found = calloc((size_t)tests, sizeof *work->found);
    if (!failed && !work->found)
        failed = complain(EXIT_FAILED, "not enough memory for the classes of %s", run->test);
    return failed ? failed : allocate_matrix(tests, work->classes.count, "the outputs", &work->outputs);
}

static int classify(const uea_options *options, uea_work *work)
{
    const volt_collection *train = work->pair.train.collection, *test = work->pair.test.collection;
    volt_classify_options fit = volt_classify_options_default();
    if (options->draws > 0)
        fit.draws = options->draws;
    fit.budget = options->budget;
    fit.seed = options->seed;
    fit.progress = progress_begin(options->quiet);
    volt_status status = volt_classify_fit(train->series, train->count, work->train, work->classes.count, &fit,
                                           &work->classifier);
    if (!status)
        status = volt_classifier_predict(work->classifier, test->series, test->count, &fit.progress,
                                         work->outputs, work->found);
    return status ? complain_status(status) : 0;
}

static void take_results(const uea_work *work, uea_run *run)
{
    const volt_collection *test = work->pair.test.collection;
    int64_t right = 0;
    for (int64_t i = 0; i < test->count; i++)
        right += work->found[i] == work->test[i];
    run->accuracy = (double)right / (double)test->count;
    run->series = work->pair.train.collection->count;
    run->channels = test->channels;
    run->tests = test->count;
    run->classes = work->classes.count;
    volt_classifier_describe(work->classifier, &run->info);
    for (int64_t p = 0; p < run->info.parts && p < UEA_MOST_KERNELS; p++) {
        uea_kernel *kernel = &run->kernels[p];
        if (volt_classifier_part(work->classifier, p, &kernel->way) == VOLT_OK)
            snprintf(kernel->text, sizeof kernel->text, "%s", kernel->way.kernel);
        kernel->way.kernel = NULL;
    }
    run->info.kernel = run->info.loss = NULL; /* they end with the classifier */
}

int uea_compute(uea_run *run, const uea_options *options)
{
    uea_work work = {0};
    int failed = read_set(run, &work);
    if (!failed) {
        failed = classify(options, &work);
        run->seconds = progress_end();
    }
    if (!failed)
        take_results(&work, run);
    release(&work);
    return failed;
}
