/* src/series/classify/class_round.c: evaluates candidates on a setting, for a search (select/search).
 *
 * With few series one kernel matrix is too small for several threads, so several candidates are evaluated at a
 * time, each with one thread and one bench. Every draw has its own record, so results do not depend on the
 * number of threads. */
#include "base/error.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "select/candidates/candidates.h"
#include "select/search/search_run.h"
#include "series/classify/kernel_search.h"

#include <stdio.h>
#include <string.h>

typedef struct class_evaluator {
    volt_evaluator evaluator;
    volt_class_search *search;
    const volt_class_round *round;
    volt_class_bench *bench;
} class_evaluator;

/* Called during the computation of a matrix. */
static int poll(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return !volt_run_goes_on(context);
}

static volt_status fill_gram(class_evaluator *self, int64_t preparation, const char *text)
{
    const volt_class_round *round = self->round;
    volt_progress progress = {poll, self};
    volt_kernel *kernel = NULL;
    const volt_objects *columns = round->columns[preparation];
    volt_matrix K = self->bench->K;
    VOLT_TRY(volt_kernel_parse(text, &kernel));
    volt_status status =
        columns ? volt_objects_cross(columns, kernel, self->search->series, K.rows, &progress, K, NULL)
                : volt_objects_gram(round->rows[preparation], kernel, &progress, K);
    volt_kernel_free(kernel);
    return status;
}

static volt_status score(class_evaluator *self, int64_t draw, const char *kernel, volt_class_record *record)
{
    const volt_class_bench *bench = self->bench;
    VOLT_TRY(fill_gram(self, draw % self->search->n_preparations, kernel));
    VOLT_TRY(
        volt_class_profile(self->bench, self->search->options->alpha, 0, bench->setting.folds, record->scores));
    if (!self->round->keeps_matrices)
        return VOLT_OK;
    int64_t size = bench->K.rows * bench->K.cols;
    record->K = volt_alloc_doubles(size, 1);
    if (!record->K)
        return VOLT_ERR_MEMORY;
    memcpy(record->K, bench->K.data, (size_t)size * sizeof(double));
    return VOLT_OK;
}

/* Scores of the lists: the share of correctly classified series. */
static volt_status evaluate(volt_evaluator *evaluator, int64_t position, const char *kernel,
                            volt_setting *setting, double *folds, int64_t *done, volt_cost *cost)
{
    (void)setting;
    (void)cost;
    class_evaluator *self = (class_evaluator *)evaluator;
    int64_t draw = self->round->draws[position];
    volt_class_record *record = &self->round->records[draw];
    record->status = score(self, draw, kernel, record);
    VOLT_TRY(record->status);
    for (int64_t list = 0; list <= self->bench->setting.folds; list++)
        folds[(*done)++] = (double)record->scores[list].right / (double)self->bench->setting.classes.n;
    return VOLT_OK;
}

static double limit(const volt_evaluator *evaluator, int64_t position, double *expected)
{
    const volt_class_round *round = ((const class_evaluator *)evaluator)->round;
    *expected = round->expected ? round->expected[position] : 0;
    return position < round->n_first ? round->until_first : round->until;
}

/* A kernel may not support one of the two comparisons of series. */
static bool is_own(const volt_evaluator *evaluator, volt_status status)
{
    const class_evaluator *self = (const class_evaluator *)evaluator;
    return volt_objects_is_kernel_failure(status) ||
           (status == VOLT_ERR_KERNEL && self->search->options->compare < 0);
}

/* Number of candidates evaluated at a time. */
static int64_t count_parallel(const volt_class_round *round)
{
    enum { MAX_SERIES = 1000 }; /* with more series, a matrix has work for all threads */
    double n = (double)round->setting->classes.n, q = (double)round->setting->classes.n_classes;
    double steps = n * round->rows[0]->steps; /* of all series, about: columns of a block of rows */
    double bytes = 8 * (n * (4 * n + 7 * q) + 256 * steps), available = (double)volt_memory_available();
    int64_t count = volt_threads();
    if (omp_in_parallel() || count > round->count || n > MAX_SERIES)
        return 1;
    while (count > 1 && available > 0 && (double)count * bytes > available / 4)
        count--;
    return count;
}

/* The candidates of a round, and its part of the progress of the search. */
typedef struct round_source {
    const volt_class_search *search;
    const volt_class_round *round;
} round_source;

static volt_status get(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       volt_setting *setting)
{
    const round_source *source = candidates->context;
    *setting = (volt_setting){0};
    return volt_class_candidate(source->search, source->round->draws[index], kernel);
}

static int report_part(const char *stage, double fraction, void *context)
{
    (void)stage;
    const round_source *source = context;
    const volt_progress *outer = &source->search->options->progress;
    fraction = source->round->from + source->round->share * fraction;
    return outer->report ? outer->report("classify", fraction, outer->context) : 0;
}

static volt_status search_with(volt_class_search *search, const volt_class_round *round,
                               volt_evaluator *const *evaluators, int64_t count)
{
    round_source source = {search, round};
    volt_candidates candidates = {.count = round->count, .get = get, .context = &source};
    volt_search_options options = volt_search_options_default();
    options.race = VOLT_RACE_NONE;
    options.progress = (volt_progress){report_part, &source};
    volt_search **found = &search->searches[search->n_searches++];
    volt_status status =
        volt_search_with(&candidates, &options, round->setting->folds + 1, evaluators, count, found);
    if (status == VOLT_ERR_DATA && *found)
        status = VOLT_OK; /* none has a score */
    VOLT_TRY(status);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(*found, &info);
    search->cut |= info.stopped[0] > 0;
    for (int64_t i = 0; i < round->count; i++)
        round->records[round->draws[i]].trial = volt_search_trial(*found, i);
    return VOLT_OK;
}

volt_status volt_class_round_run(volt_class_search *search, const volt_class_round *round)
{
    int64_t count = count_parallel(round);
    class_evaluator *self = volt_alloc_zero(count, sizeof *self);
    volt_class_bench *benches = volt_alloc_zero(count, sizeof *benches);
    volt_evaluator **evaluators = volt_alloc(count, sizeof *evaluators);
    volt_status status = self && benches && evaluators ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == VOLT_OK; i++) {
        self[i] = (class_evaluator){{.evaluate = evaluate, .limit = limit, .is_own = is_own},
                                    search,
                                    round,
                                    i > 0 ? &benches[i] : round->bench};
        evaluators[i] = &self[i].evaluator;
        if (i > 0)
            status = volt_class_bench_create(round->setting, &benches[i]);
    }
    if (status == VOLT_OK)
        status = search_with(search, round, evaluators, count);
    for (int64_t i = 1; i < count && benches; i++)
        volt_class_bench_release(&benches[i]);
    volt_free(evaluators);
    volt_free(benches);
    volt_free(self);
    return status;
}
