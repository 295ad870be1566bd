/* cli/benchmark/uea_run.c: one set: choose and fit on its training series, then count on its test series. */
#include "benchmark/uea.h"

#include "files/inputs.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <stdio.h>
#include <stdlib.h>

/* What a run works on; begins as {0}. */
typedef struct uea_work {
    uea_series set;
    int64_t *found;
    volt_matrix outputs;
    volt_classifier *classifier;
} uea_work;

static void release(uea_work *work)
{
    volt_classifier_free(work->classifier);
    free(work->outputs.data);
    free(work->found);
    uea_series_release(&work->set);
}

static int begin(const uea_run *run, uea_work *work)
{
    int failed = uea_series_read(&work->set, run);
    if (failed)
        return failed;
    int64_t tests = work->set.pair.test.collection->count;
    work->found = calloc((size_t)tests, sizeof *work->found);
    if (!work->found)
        return complain(EXIT_FAILED, "not enough memory for the classes of %s", run->test);
    return allocate_matrix(tests, work->set.classes.count, "the outputs", &work->outputs);
}

static int classify(const uea_options *options, uea_work *work)
{
    const volt_collection *train = work->set.pair.train.collection, *test = work->set.pair.test.collection;
    volt_classify_options fit = volt_classify_options_default();
    fit.kernel = options->kernel;
    if (options->draws > 0)
        fit.draws = options->draws;
    fit.budget = options->budget;
    fit.seed = options->seed;
    fit.progress = progress_begin(options->quiet);
    volt_status status = volt_classify_fit(train->series, train->count, work->set.train,
                                           work->set.classes.count, &fit, &work->classifier);
    if (!status)
        status = volt_classifier_predict(work->classifier, test->series, test->count, &fit.progress,
                                         work->outputs, work->found);
    return status ? complain_status(status) : 0;
}

static void take_results(const uea_work *work, uea_run *run)
{
    const volt_collection *test = work->set.pair.test.collection;
    int64_t right = 0;
    for (int64_t i = 0; i < test->count; i++)
        right += work->found[i] == work->set.test[i];
    run->accuracy = (double)right / (double)test->count;
    run->series = work->set.pair.train.collection->count;
    run->channels = test->channels;
    run->tests = test->count;
    run->classes = work->set.classes.count;
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
    int failed = begin(run, &work);
    if (!failed) {
        failed = classify(options, &work);
        run->seconds = progress_end();
    }
    if (!failed)
        take_results(&work, run);
    release(&work);
    return failed;
}
