/* src/series/classify/kernel_search.c: selects kernel, alpha and preparation to classify series.
 *
 * Draw i uses preparation i mod p and its candidate number i / p, which cycle through the kernels, so every
 * kernel is combined with every preparation. A long search is a race: all draws are tried on a stratified
 * sample of the series, the cheapest first. The draws with the best ranks, in the list of all series or in a
 * list without one of the folds (class_bench.h), are then tried on all series. */
#include "base/threads.h"
#include "series/classify/class_bench.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "base/progress.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "select/search/search_run.h"
#include "series/gram/objects_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A search over `count` draws, in this order, into `records`: on the series of `setting`, as `rows` by
 * preparation, against `columns` (NULL entries: themselves). A draw is stopped after `until` (0: no limit;
 * the first n_first: `until_first`) once another has a score, and is skipped when its `expected` seconds
 * (may be NULL) do not suffice. */
typedef struct volt_class_round {
    const volt_class_setting *setting;
    volt_class_bench *bench; /* of that setting, used by the caller's thread */
    volt_objects *const *rows, *const *columns;
    const int64_t *draws;
    int64_t count;
    const double *expected;
    double until, until_first;
    int64_t n_first;
    volt_class_record *records;
    bool keeps_matrices;
    double from, share; /* of the progress of the search */
} volt_class_round;

/* Plans a search within its budget: order of candidates, screening sample,
 * landmarks.
 *
 * The plan depends on sizes and the seed, not on time, so it is the same on every machine. Work is counted as
 * in volt_objects_work; one core does about 3e9 units a second. */

/* Limits on work: total up to which every candidate is tried on all series; of the screening sample; of the
 * finalists; of one matrix without landmarks. For a budget of 30 s, and in proportion for others. */
static const double race_from = 6e10, screen_work = 2e10, final_work = 6e10, carried_by_all = 1e10;
enum {
    MIN_SCREEN = 48,
    MAX_SCREEN = 200,
    MAX_WITHOUT_LANDMARKS = 500,
    LANDMARKS = 300,
    MIN_LANDMARKS = 64,
    MIN_FINALISTS = 6,
    MAX_FINALISTS = 24
};

typedef struct draw_work {
    int64_t draw, round; /* the draws of a round combine every kernel with every preparation once */
    double work;
} draw_work;

static int by_work(const void *a, const void *b)
{
    const draw_work *x = a, *y = b;
    if (x->round != y->round)
        return (x->round > y->round) - (x->round < y->round);
    return x->work != y->work ? (x->work > y->work) - (x->work < y->work)
                              : (x->draw > y->draw) - (x->draw < y->draw);
}

/* Number of draws that combine every kernel with every preparation once. */
static int64_t count_round(const volt_class_search *search)
{
    int64_t kernels = 1;
    for (const char *at = search->options->kernel ? search->options->kernel
                                                  : volt_classify_kernels(VOLT_OBJECT_COMPARE_STEPS, 1);
         (at = strchr(at, '|')); at++)
        kernels++;
    return kernels * search->n_preparations;
}

/* Work of every draw on all series, added to *total; kernels that cannot be parsed count 0, and fail when they are tried. */
static volt_status measure(const volt_class_search *search, draw_work *works, double *total)
{
    for (int64_t draw = 0; draw < search->draws; draw++) {
        volt_class_trial trial;
        volt_kernel *kernel = NULL;
        works[draw] = (draw_work){draw, draw / search->round, 0};
        VOLT_TRY(volt_class_trial_of(search, draw, &trial));
        volt_status status = volt_kernel_parse(trial.kernel, &kernel);
        if (status == VOLT_ERR_MEMORY)
            return status;
        if (status == VOLT_OK)
            works[draw].work = volt_objects_work(search->objects[trial.preparation], kernel);
        volt_kernel_free(kernel);
        *total += works[draw].work;
    }
    return VOLT_OK;
}

static volt_status check_count(int64_t count, const char *name, int64_t least, int64_t n)
{
    VOLT_REQUIRE(count >= least, VOLT_ERR_ARGUMENT,
                 "%s must be at least %" PRId64 " (two of every class), or 0 (got %" PRId64 ")", name, least,
                 count);
    VOLT_REQUIRE(count <= n, VOLT_ERR_ARGUMENT,
                 "%s must be at most %" PRId64 ", the number of training series (got %" PRId64 ")", name, n,
                 count);
    return VOLT_OK;
}

/* The budget in units of the default of 30 s. */
static double allowance(const volt_class_search *search)
{
    const double standard = 30;
    return search->budget > 0 ? search->budget / standard : 1;
}

/* Work of the scores of one matrix: factorisations for ten alphas, or decompositions for all lists. */
static double algebra(double n, double m, int64_t lists)
{
    return m > 0 ? (double)lists * (10 * m * m * m + 2 * n * m * m) : 13 * n * n * n;
}

static volt_status count_landmarks(const volt_class_search *search, double mean_work, int64_t *landmarks)
{
    int64_t n = search->setting.classes.n, requested = search->options->landmarks;
    int64_t least = 2 * search->setting.classes.n_classes;
    *landmarks = 0;
    if (requested > 0) {
        VOLT_TRY(check_count(requested, "landmarks", least, n));
        *landmarks = requested < n ? requested : 0;
    } else if (requested == VOLT_SERIES_CHOOSE && !search->is_multinomial) {
        double limit = carried_by_all * allowance(search);
        double affordable = mean_work > limit ? (double)n * limit / mean_work : (double)n;
        if (n > MAX_WITHOUT_LANDMARKS)
            affordable = fmin(affordable, LANDMARKS);
        int64_t count = (int64_t)fmax(affordable, (double)volt_max(MIN_LANDMARKS, least));
        bool saves = n > MAX_WITHOUT_LANDMARKS || count < n / 2; /* symmetry halves the work of all series */
        *landmarks = saves && count < n ? count : 0;
    }
    return VOLT_OK;
}

/* `total` is the work on all series, `carried` the work with landmarks. */
static volt_status count_screen(const volt_class_search *search, double total, double carried, int64_t *screen)
{
    int64_t n = search->setting.classes.n, requested = search->options->screen;
    int64_t least = 2 * search->setting.classes.n_classes;
    *screen = 0;
    if (requested > 0) {
        VOLT_TRY(check_count(requested, "screen", least, n));
        *screen = requested < n ? requested : 0;
    } else if (requested == VOLT_SERIES_CHOOSE && search->options->n_parts == 0 &&
               carried > race_from * allowance(search) && search->draws > MIN_FINALISTS) {
        int64_t affordable = (int64_t)((double)n * sqrt(screen_work * allowance(search) / total));
        affordable = volt_max(volt_min(affordable, MAX_SCREEN), volt_max(MIN_SCREEN, 2 * least));
        *screen = affordable < 7 * n / 10 ? affordable : 0;
    }
    return VOLT_OK;
}

/* Sets the order of the draws and the numbers of screening series and landmarks. */
static volt_status class_plan(volt_class_search *search, int64_t *order)
{
    search->round = count_round(search);
    draw_work *works = volt_alloc(search->draws, sizeof *works);
    double total = 0, n = (double)search->setting.classes.n;
    volt_status status = works ? measure(search, works, &total) : VOLT_ERR_MEMORY;
    int64_t landmarks = 0;
    if (status == VOLT_OK)
        status = count_landmarks(search, total / (double)search->draws, &landmarks);
    double carried = landmarks > 0 ? total * (double)landmarks / n : total;
    carried += (double)search->draws * algebra(n, (double)landmarks, search->setting.folds + 1);
    search->setting.n_landmarks = landmarks;
    if (status == VOLT_OK)
        status = count_screen(search, total, carried, &search->n_screen);
    search->max_finalists = (int64_t)fmin(
        fmax(final_work * allowance(search) * (double)search->draws / fmax(carried, 1), MIN_FINALISTS),
        MAX_FINALISTS);
    if (status == VOLT_OK) {
        qsort(works, (size_t)search->draws, sizeof *works, by_work);
        for (int64_t i = 0; i < search->draws; i++)
            order[i] = works[i].draw;
    }
    volt_free(works);
    return status;
}

/* ---- preparations and candidates --------------------------------------------------------------- */

/* Preparation number i: every open property takes one of two values. */
static volt_objects_options preparation_of(const volt_series_options *options, int64_t i)
{
    static const volt_object_scale scales[] = {VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_SCALE_SERIES};
    static const volt_object_input inputs[] = {VOLT_OBJECT_INPUT_LEVEL, VOLT_OBJECT_INPUT_BOTH};
    static const volt_object_compare compares[] = {VOLT_OBJECT_COMPARE_SERIES, VOLT_OBJECT_COMPARE_STEPS};
    volt_objects_options preparation = {(volt_object_scale)options->scale, (volt_object_input)options->input, 1,
                                        (volt_object_compare)options->compare};
    if (options->n_parts > 0) {
        const volt_series_kernel *part = &options->parts[i];
        return (volt_objects_options){part->scale, part->input, 1, part->compare};
    }
    if (options->compare < 0) {
        preparation.compare = compares[i % 2];
        i /= 2;
    }
    if (options->scale < 0) {
        preparation.scale = scales[i % 2];
        i /= 2;
    }
    if (options->input < 0)
        preparation.input = inputs[i % 2];
    return preparation;
}

static volt_status prepare(volt_class_search *search)
{
    const volt_series_options *options = search->options;
    int64_t count = 1;
    count *= options->scale < 0 ? 2 : 1;
    count *= options->input < 0 ? 2 : 1;
    count *= options->compare < 0 ? 2 : 1;
    if (options->n_parts > 0)
        count = options->n_parts;
    for (int64_t i = 0; i < count; i++) {
        volt_objects_options preparation = preparation_of(options, i);
        VOLT_TRY(
            volt_objects_create(search->series, search->setting.classes.n, &preparation, &search->objects[i]));
        search->n_preparations++;
    }
    return VOLT_OK;
}

static const char *kernel_of(const volt_class_search *search, int64_t preparation)
{
    const volt_objects *objects = search->objects[preparation];
    if (search->options->n_parts > 0)
        return search->options->parts[preparation].kernel;
    return search->options->kernel ? search->options->kernel
                                   : volt_classify_kernels(objects->options.compare, objects->equally_long);
}

/* Candidates, and how many to try: options->draws, 60 for a kernel with open parameters, or one per
 * preparation. */
static volt_status draw_candidates(volt_class_search *search)
{
    enum { STANDARD = 60 };
    const volt_series_options *options = search->options;
    volt_draw_options draw = volt_draw_options_default();
    draw.seed = options->seed;
    draw.ranges = options->ranges;
    draw.n_ranges = options->n_ranges;
    search->draws = search->n_preparations;
    if (options->n_parts > 0)
        return VOLT_OK;
    for (int64_t p = 0; p < search->n_preparations; p++)
        VOLT_TRY(
            volt_objects_candidates(search->objects[p], kernel_of(search, p), &draw, &search->candidates[p]));
    bool open =
        strchr(kernel_of(search, 0), '|') || search->candidates[0]->parameters != 1; /* only alpha is drawn */
    if (options->draws > 0)
        search->draws = options->draws;
    else if (options->draws == VOLT_SERIES_CHOOSE && open)
        search->draws = STANDARD;
    return VOLT_OK;
}

/* Whether the kernel is used as given, with its defaults. */
static bool is_given(const volt_class_search *search)
{
    return search->options->n_parts > 0 ||
           (search->draws <= search->n_preparations && search->options->draws <= 0);
}

/* The kernel of a draw. */
static volt_status class_candidate(const volt_class_search *search, int64_t draw,
                                   char kernel[VOLT_KERNEL_LENGTH])
{
    int64_t preparation = draw % search->n_preparations;
    double alpha;
    if (!is_given(search))
        return volt_candidates_get(search->candidates[preparation], draw / search->n_preparations, kernel,
                                   &alpha, NULL);
    volt_kernel *parsed = NULL;
    VOLT_TRY(volt_kernel_parse(kernel_of(search, preparation), &parsed));
    int length = snprintf(kernel, VOLT_KERNEL_LENGTH, "%s", volt_kernel_text(parsed));
    volt_kernel_free(parsed);
    VOLT_REQUIRE(length < VOLT_KERNEL_LENGTH, VOLT_ERR_KERNEL,
                 "the text of kernel %" PRId64 " is longer than %d characters", draw + 1,
                 VOLT_KERNEL_LENGTH - 1);
    return VOLT_OK;
}

volt_status volt_class_trial_of(const volt_class_search *search, int64_t draw, volt_class_trial *trial)
{
    trial->draw = draw;
    trial->preparation = draw % search->n_preparations;
    return class_candidate(search, draw, trial->kernel);
}

/* ---- start and end of a search ------------------------------------------------------------------ */

/* The folds of the nested estimate: options->folds, at most n / 2. */
static volt_status make_folds(volt_class_search *search)
{
    int64_t n = search->setting.classes.n, *workspace = volt_alloc(n, sizeof *workspace);
    search->fold = volt_alloc_zero(n, sizeof *search->fold);
    volt_status status = workspace && search->fold ? VOLT_OK : VOLT_ERR_MEMORY;
    int64_t folds = volt_min(search->options->folds, n / 2);
    if (status == VOLT_OK && folds >= 2) {
        volt_class_folds(&search->setting.classes, folds, search->options->seed, workspace, search->fold);
        search->setting.folds = folds;
        search->setting.fold = search->fold;
    }
    volt_free(workspace);
    return status;
}

static volt_status select_landmarks(volt_class_search *search)
{
    int64_t m = search->setting.n_landmarks;
    if (m == 0)
        return VOLT_OK;
    search->landmarks = volt_alloc(m, sizeof *search->landmarks);
    if (!search->landmarks)
        return VOLT_ERR_MEMORY;
    search->setting.landmarks = search->landmarks;
    VOLT_TRY(volt_class_sample(&search->setting.classes, m, search->options->seed, search->landmarks));
    for (int64_t p = 0; p < search->n_preparations; p++)
        VOLT_TRY(volt_objects_select(search->objects[p], search->landmarks, m, &search->carriers[p]));
    return VOLT_OK;
}

volt_status volt_class_search_open(volt_class_search *search, const volt_view *series,
                                   const volt_class_list *classes, const volt_series_options *options)
{
    const double standard_budget = 30;
    *search = (volt_class_search){.options = options, .series = series, .begun = volt_seconds()};
    search->setting.classes = *classes;
    search->is_multinomial = options->loss && strcmp(options->loss, "multinomial") == 0;
    search->budget = options->budget;
    if (options->budget < 0) /* the number of draws is the limit */
        search->budget = options->draws > 0 ? 0 : standard_budget;
    VOLT_TRY(prepare(search));
    assert(search->n_preparations > 0);
    VOLT_TRY(draw_candidates(search));
    VOLT_TRY(make_folds(search));
    search->order = volt_alloc(search->draws, sizeof *search->order);
    search->screened = volt_alloc_zero(search->draws, sizeof *search->screened);
    search->full = volt_alloc_zero(search->draws, sizeof *search->full);
    if (!search->order || !search->screened || !search->full)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(class_plan(search, search->order));
    VOLT_TRY(select_landmarks(search));
    return volt_class_bench_create(&search->setting, &search->bench);
}

static void release_records(volt_class_record *records, int64_t count)
{
    for (int64_t i = 0; i < count && records; i++)
        volt_free(records[i].K);
    volt_free(records);
}

void volt_class_search_release(volt_class_search *search)
{
    for (int64_t p = 0; p < VOLT_MAX_PREPARATIONS; p++) {
        volt_objects_free(search->objects[p]);
        volt_objects_free(search->carriers[p]);
        volt_candidates_free(search->candidates[p]);
    }
    for (int64_t i = 0; i < search->n_searches; i++)
        volt_search_free(search->searches[i]);
    release_records(search->screened, search->draws);
    release_records(search->full, search->draws);
    volt_class_bench_release(&search->bench);
    volt_free(search->rank);
    volt_free(search->order);
    volt_free(search->fold);
    volt_free(search->landmarks);
    *search = (volt_class_search){0};
}

/* ---- evaluates candidates on a setting, for a search (select/search) --------------------------------- */

/* With few series one kernel matrix is too small for several threads, so several candidates are evaluated at a
 * time, each with one thread and one bench. Every draw has its own record, so results do not depend on the
 * number of threads. */

typedef struct class_evaluator {
    volt_evaluator evaluator;
    volt_class_search *search;
    const volt_class_round *round;
    volt_class_bench *bench;
} class_evaluator;

static volt_status fill_gram(class_evaluator *self, int64_t preparation, const char *text)
{
    const volt_class_round *round = self->round;
    volt_progress progress = volt_run_progress(&self->evaluator);
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
    return class_candidate(source->search, source->round->draws[index], kernel);
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

static volt_status class_round_run(volt_class_search *search, const volt_class_round *round)
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

/* ---- the screening sample ----------------------------------------------------------------------- */

/* A sample of the series, with their classes and folds. */
typedef struct screen {
    volt_class_setting setting;
    int64_t *rows, *of, *fold;
    volt_objects *objects[VOLT_MAX_PREPARATIONS], *columns[VOLT_MAX_PREPARATIONS];
    volt_class_bench bench;
} screen;

static volt_status screen_open(const volt_class_search *search, screen *made)
{
    int64_t m = search->n_screen;
    made->rows = volt_alloc(m, sizeof *made->rows);
    made->of = volt_alloc(m, sizeof *made->of);
    made->fold = volt_alloc(m, sizeof *made->fold);
    if (!made->rows || !made->of || !made->fold)
        return VOLT_ERR_MEMORY;
    VOLT_TRY(volt_class_sample(&search->setting.classes, m, search->options->seed, made->rows));
    for (int64_t i = 0; i < m; i++) {
        made->of[i] = search->setting.classes.of[made->rows[i]];
        made->fold[i] = search->fold[made->rows[i]];
    }
    made->setting = (volt_class_setting){.classes = {m, search->setting.classes.n_classes, made->of},
                                         .folds = search->setting.folds,
                                         .fold = made->fold};
    for (int64_t p = 0; p < search->n_preparations; p++)
        VOLT_TRY(volt_objects_select(search->objects[p], made->rows, m, &made->objects[p]));
    return volt_class_bench_create(&made->setting, &made->bench);
}

static void screen_close(screen *made)
{
    for (int64_t p = 0; p < VOLT_MAX_PREPARATIONS; p++)
        volt_objects_free(made->objects[p]);
    volt_class_bench_release(&made->bench);
    volt_free(made->rows);
    volt_free(made->of);
    volt_free(made->fold);
}

/* The time at which a part of the budget is spent; 0 without a limit. */
static double until(const volt_class_search *search, double share)
{
    return search->budget > 0 ? search->begun + share * search->budget : 0;
}

/* The rank of every draw in every list; draws that were not tried or failed come last. */
static void find_ranks(volt_class_search *search)
{
    int64_t lists = search->setting.folds + 1;
    for (int64_t list = 0; list < lists; list++)
        for (int64_t a = 0; a < search->draws; a++) {
            int64_t place = 0;
            for (int64_t b = 0; b < search->draws; b++) {
                const volt_class_record *record = &search->screened[a], *other = &search->screened[b];
                volt_class_score none = {.right = -1};
                const volt_class_score *x = volt_class_has_scores(record) ? &record->scores[list] : &none;
                const volt_class_score *y = volt_class_has_scores(other) ? &other->scores[list] : &none;
                place += volt_class_is_better(y, x) || (b < a && !volt_class_is_better(x, y));
            }
            search->rank[a * lists + list] = place;
        }
}

/* The best rank of a draw in any list. */
static int64_t best_rank(const volt_class_search *search, int64_t draw)
{
    int64_t lists = search->setting.folds + 1, best = search->draws;
    for (int64_t list = 0; list < lists; list++)
        best = volt_min(best, search->rank[draw * lists + list]);
    return best;
}

/* Sorts draws by their best rank, those of the list of all series first. The number of ranks gives at most
 * max_finalists, at least three. */
static int64_t find_finalists(const volt_class_search *search, int64_t *finalists)
{
    enum { MIN_DEPTH = 3 };
    int64_t count = 0, lists = search->setting.folds + 1;
    for (int64_t rank = 0; rank < search->draws; rank++) {
        int64_t before = count;
        for (int at_rank = 1; at_rank >= 0; at_rank--)
            for (int64_t draw = 0; draw < search->draws; draw++)
                if (volt_class_has_scores(&search->screened[draw]) && best_rank(search, draw) == rank &&
                    (search->rank[draw * lists] == rank) == at_rank)
                    finalists[count++] = draw;
        if (count > search->max_finalists && rank >= MIN_DEPTH)
            return before;
    }
    return count;
}

static volt_status run_screen(volt_class_search *search)
{
    screen made = {0};
    search->rank = volt_alloc(search->draws * (search->setting.folds + 1), sizeof *search->rank);
    volt_status status = search->rank ? screen_open(search, &made) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_class_round round = {.setting = &made.setting,
                                  .bench = &made.bench,
                                  .rows = made.objects,
                                  .columns = made.columns,
                                  .draws = search->order,
                                  .count = search->draws,
                                  .until = until(search, 0.4),
                                  .until_first =
                                      until(search, 0.6), /* so that all kinds are tried on slow machines too */
                                  .n_first = search->round,
                                  .records = search->screened,
                                  .from = 0,
                                  .share = 0.4};
        status = class_round_run(search, &round);
    }
    if (status == VOLT_OK)
        find_ranks(search);
    screen_close(&made);
    return status;
}

/* ---- all series ---------------------------------------------------------------------------------- */

/* Whether the matrices can be kept for the later means without using much of the memory. */
static bool fits_in_memory(const volt_class_search *search, int64_t count)
{
    double bytes = 8.0 * (double)count * (double)search->bench.K.rows * (double)search->bench.K.cols;
    double available = (double)volt_memory_available();
    return bytes <= 1e9 && (available <= 0 || bytes <= available / 8);
}

static volt_status run_full(volt_class_search *search, const int64_t *draws, int64_t count, double limit,
                            const double *expected)
{
    volt_class_round round = {.setting = &search->setting,
                              .bench = &search->bench,
                              .rows = search->objects,
                              .columns = search->carriers,
                              .draws = draws,
                              .count = count,
                              .expected = expected,
                              .until = limit,
                              .records = search->full,
                              .keeps_matrices = fits_in_memory(search, count),
                              .from = search->n_screen > 0 ? 0.4 : 0,
                              .share = search->n_screen > 0 ? 0.5 : 0.9};
    return class_round_run(search, &round);
}

static bool any_full(const volt_class_search *search)
{
    for (int64_t draw = 0; draw < search->draws; draw++)
        if (volt_class_has_scores(&search->full[draw]))
            return true;
    return false;
}

/* Tries the finalists, at least one of them independent of time. */
static volt_status run_finalists(volt_class_search *search, int64_t *finalists, double *expected)
{
    int64_t count = find_finalists(search, finalists), quickest = 0;
    double n = (double)search->bench.K.rows, m = (double)search->bench.K.cols, s = (double)search->n_screen;
    for (int64_t i = 0; i < count; i++) {
        expected[i] = search->screened[finalists[i]].trial->seconds * n * m / (s * s);
        quickest = expected[i] < expected[quickest] ? i : quickest;
    }
    if (count == 0)
        return VOLT_OK; /* all failed on the sample */
    VOLT_TRY(run_full(search, finalists, count, until(search, 0.8), expected));
    if (!any_full(search))
        VOLT_TRY(run_full(search, &finalists[quickest], 1, 0, NULL));
    search->depth = search->draws;
    for (int64_t draw = 0; draw < search->draws; draw++)
        if (volt_class_has_scores(&search->screened[draw]) && !volt_class_is_tried(&search->full[draw]))
            search->depth = volt_min(search->depth, best_rank(search, draw));
    return VOLT_OK;
}

static volt_status race(volt_class_search *search)
{
    int64_t *finalists = volt_alloc(search->draws, sizeof *finalists);
    double *expected = volt_alloc_doubles(search->draws, 1);
    volt_status status = finalists && expected ? run_screen(search) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = run_finalists(search, finalists, expected);
    volt_free(finalists);
    volt_free(expected);
    return status;
}

/* Counts the trials; if none succeeded, reports the message of the first failure. */
static volt_status count_trials(volt_class_search *search)
{
    const char *failure = NULL;
    for (int64_t draw = 0; draw < search->draws; draw++) {
        const volt_class_record *full = &search->full[draw],
                                *record = volt_class_is_tried(full) ? full : &search->screened[draw];
        if (!volt_class_is_tried(record))
            continue;
        if (!failure)
            failure = record->trial->failure;
        if (record->status == VOLT_ERR_KERNEL) /* not supported by the kernel: nothing was computed */
            continue;
        search->tried++;
        search->failed += record->status != VOLT_OK;
        search->finalists += record == full;
    }
    if (any_full(search))
        return VOLT_OK;
    VOLT_REQUIRE(search->tried > 0, VOLT_ERR_KERNEL, "%s", failure);
    return volt_fail(VOLT_ERR_DATA, "none of %" PRId64 " kernels could be used; the first: %s", search->tried,
                     failure);
}

volt_status volt_class_search_run(volt_class_search *search)
{
    if (search->options->n_parts > 0) { /* only alpha to choose */
        search->tried = search->finalists = search->draws;
        return VOLT_OK;
    }
    if (search->n_screen > 0) {
        VOLT_TRY(race(search));
    } else {
        VOLT_TRY(run_full(search, search->order, search->draws, until(search, 0.8), NULL));
    }
    return count_trials(search);
}
