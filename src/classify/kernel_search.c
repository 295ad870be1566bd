/* src/classify/kernel_search.c: which kernel, alpha and preparation tell the classes of series apart.
 *
 * Draw i takes preparation i mod p, and of its candidates number i / p, which go round the kernels: every kernel meets every
 * preparation. Each is worth the series that are told right with all others known, then the squared error.
 *
 * Where series are few a kernel gives a thread too little to share: lanes, a thread each, take draws as they come, and what
 * they found is concluded in the order of the draws, so that the result is the same whatever the number of threads. */
#include "classify/kernel_search.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "select/candidates/candidates.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- one matrix ------------------------------------------------------------------------------- */

volt_status volt_class_bench_create(const volt_class_list *classes, volt_class_bench *bench)
{
    int64_t n = classes->n, q = classes->n_classes;
    *bench = (volt_class_bench){.classes = *classes,
                                .K = volt_matrix_of(volt_alloc_doubles(n, n), n, n),
                                .Y = volt_matrix_of(volt_alloc_doubles(n, q), n, q),
                                .E = volt_matrix_of(volt_alloc_doubles(n, q), n, q)};
    if (!bench->K.data || !bench->Y.data || !bench->E.data)
        return VOLT_ERR_MEMORY;
    volt_class_columns(classes, bench->Y);
    return volt_left_out_create(n, q, &bench->left_out);
}

void volt_class_bench_release(volt_class_bench *bench)
{
    volt_free(bench->K.data);
    volt_free(bench->Y.data);
    volt_free(bench->E.data);
    volt_left_out_release(&bench->left_out);
    *bench = (volt_class_bench){0};
}

/* Is a better than b? */
static bool is_better(const volt_class_trial *a, const volt_class_trial *b)
{
    return a->right > b->right || (a->right == b->right && a->error < b->error);
}

static volt_status try_alpha(volt_class_bench *bench, double alpha, volt_class_trial *trial)
{
    int64_t n = bench->classes.n, q = bench->classes.n_classes;
    trial->alpha = alpha;
    VOLT_TRY(volt_left_out_solve(&bench->left_out, volt_as_view(bench->K), alpha, volt_as_view(bench->Y)));
    volt_left_out_each(&bench->left_out, bench->E);
    trial->right =
        volt_class_count_right(&bench->classes, volt_as_view(bench->Y), NULL, n, volt_as_view(bench->E));
    trial->error = 0;
    for (int64_t i = 0; i < n * q; i++)
        trial->error += bench->E.data[i] * bench->E.data[i] / (double)(n * q);
    VOLT_REQUIRE(isfinite(trial->error), VOLT_ERR_SINGULAR,
                 "alpha = %g is too small for the rounding of the matrix", alpha);
    return VOLT_OK;
}

volt_status volt_class_profile(volt_class_bench *bench, double alpha, volt_class_trial *trial)
{
    volt_class_trial best = *trial, now = *trial;
    volt_status status = VOLT_OK;
    best.right = -1;
    for (int power = VOLT_LOWEST_ALPHA; power <= VOLT_HIGHEST_ALPHA; power++) {
        status = try_alpha(bench, alpha > 0 ? alpha : pow(10, power), &now); /* or VOLT_ERR_SINGULAR */
        if (status == VOLT_OK && is_better(&now, &best))
            best = now;
        if (alpha > 0)
            break;
    }
    if (best.right < 0)
        return status; /* the last alpha, the largest, failed too */
    *trial = best;
    return VOLT_OK;
}

/* ---- the search ------------------------------------------------------------------------------- */

/* What became of a draw. */
typedef struct draw_result {
    volt_class_trial trial;
    bool begun;
    volt_status status;
    char *sentence; /* of a failure, owned */
} draw_result;

/* The search with what only its run needs. */
typedef struct search_run {
    volt_class_search *search;
    volt_candidates *candidates[VOLT_MOST_PREPARATIONS];
    double begun;
    int64_t draws;
    char *failure; /* the sentence of the first kernel that failed */

    /* Draws that are under way: results[i] is of draw `first` + i. */
    draw_result *results;
    int64_t first, count;
    _Atomic int64_t next, ended, working; /* of these; of all draws; lanes that have not come to their end */
    _Atomic bool succeeded, failed, cancelled; /* some kernel did; no further draw is begun; nor goes on */
} search_run;

/* One thread's part of the run. */
typedef struct search_lane {
    search_run *run;
    volt_class_bench *bench;
    bool is_caller; /* alone calls the user */
} search_lane;

/* Preparation number i of those that are asked for: what is to be chosen takes one of two values. */
static volt_objects_options way_of(const volt_classify_options *options, int64_t i)
{
    static const volt_object_scale scales[] = {VOLT_OBJECT_SCALE_CHANNELS, VOLT_OBJECT_SCALE_SERIES};
    static const volt_object_input inputs[] = {VOLT_OBJECT_INPUT_LEVEL, VOLT_OBJECT_INPUT_BOTH};
    static const volt_object_compare compares[] = {VOLT_OBJECT_COMPARE_SERIES, VOLT_OBJECT_COMPARE_STEPS};
    volt_objects_options way = {(volt_object_scale)options->scale, (volt_object_input)options->input, 1,
                                (volt_object_compare)options->compare};
    if (options->compare < 0) {
        way.compare = compares[i % 2];
        i /= 2;
    }
    if (options->scale < 0) {
        way.scale = scales[i % 2];
        i /= 2;
    }
    if (options->input < 0)
        way.input = inputs[i % 2];
    return way;
}

static volt_status prepare(const volt_view *series, volt_class_search *search)
{
    const volt_classify_options *options = search->options;
    int64_t count = 1;
    count *= options->scale < 0 ? 2 : 1;
    count *= options->input < 0 ? 2 : 1;
    count *= options->compare < 0 ? 2 : 1;
    for (int64_t i = 0; i < count; i++) {
        volt_objects_options way = way_of(options, i);
        VOLT_TRY(volt_objects_create(series, search->bench->classes.n, &way, &search->objects[i]));
        search->n_preparations++;
    }
    return VOLT_OK;
}

static const char *kernel_of(const volt_class_search *search, int64_t preparation)
{
    const volt_objects *objects = search->objects[preparation];
    return search->options->kernel ? search->options->kernel
                                   : volt_classify_kernels(volt_objects_options_of(objects).compare,
                                                           volt_objects_are_equally_long(objects));
}

/* How many kernels to try: those asked for, or as many as there is something to draw for. */
static int64_t count_draws(const search_run *run)
{
    enum { STANDARD = 60 };
    const volt_class_search *search = run->search;
    int64_t asked = search->options->draws;
    const volt_candidates *first = run->candidates[0];
    bool open = strchr(kernel_of(search, 0), '|') || first->parameters != 1; /* alpha alone is drawn */
    if (asked == VOLT_CLASSIFY_CHOOSE)
        asked = open ? STANDARD : 0;
    return asked > 0 ? asked : search->n_preparations;
}

/* The kernel of draw i: of the candidates or, where none are drawn, as it is given. */
static volt_status kernel_of_draw(const search_run *run, int64_t draw, volt_class_trial *trial)
{
    const volt_class_search *search = run->search;
    double alpha;
    if (run->draws > search->n_preparations || search->options->draws > 0)
        return volt_candidates_get(run->candidates[trial->preparation], draw / search->n_preparations,
                                   trial->kernel, &alpha);
    volt_kernel *kernel = NULL;
    VOLT_TRY(volt_kernel_parse(kernel_of(search, trial->preparation), &kernel));
    snprintf(trial->kernel, sizeof trial->kernel, "%s", volt_kernel_text(kernel));
    volt_kernel_free(kernel);
    return VOLT_OK;
}

/* Progress of a matrix is a part of that of the search. A user who has cancelled is not asked again. */
static int report_part(const char *stage, double fraction, void *context)
{
    (void)stage;
    const search_lane *lane = context;
    search_run *run = lane->run;
    const volt_progress *outer = &run->search->options->progress;
    double done = ((double)atomic_load(&run->ended) + fraction) / (double)(run->draws + 1);
    if (lane->is_caller && outer->report && !atomic_load(&run->cancelled) &&
        outer->report("classify", fmin(done, 1), outer->context))
        atomic_store(&run->cancelled, true);
    return atomic_load(&run->cancelled);
}

static volt_status evaluate(search_lane *lane, int64_t draw, volt_class_trial *trial)
{
    const volt_class_search *search = lane->run->search;
    volt_kernel *kernel = NULL;
    volt_progress progress = {report_part, lane};
    VOLT_TRY(kernel_of_draw(lane->run, draw, trial));
    VOLT_TRY(volt_kernel_parse(trial->kernel, &kernel));
    volt_status status =
        volt_objects_gram(search->objects[trial->preparation], kernel, &progress, lane->bench->K);
    volt_kernel_free(kernel);
    if (status == VOLT_OK)
        status = volt_class_profile(lane->bench, search->options->alpha, trial);
    return status;
}

/* Is the failure that of one candidate? */
static bool is_own_failure(volt_status status)
{
    return status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE || status == VOLT_ERR_DATA ||
           status == VOLT_ERR_ARGUMENT;
}

/* Are both of one kernel, and do they compare the same of two series? */
static bool is_one_kind(const volt_class_search *search, const volt_class_trial *a, const volt_class_trial *b)
{
    size_t length = strcspn(a->kernel, ":");
    return length == strcspn(b->kernel, ":") && strncmp(a->kernel, b->kernel, length) == 0 &&
           volt_objects_options_of(search->objects[a->preparation]).compare ==
               volt_objects_options_of(search->objects[b->preparation]).compare;
}

/* Into the list of the best, in place of a worse one of its kind. */
static void keep(volt_class_search *search, const volt_class_trial *trial)
{
    int64_t at = search->n_best;
    for (int64_t b = 0; b < search->n_best; b++)
        if (is_one_kind(search, trial, &search->best[b]))
            at = b;
    if (at < search->n_best && !is_better(trial, &search->best[at]))
        return;
    if (at == VOLT_MOST_BLEND) { /* the list is full: its last makes room */
        at--;
        if (!is_better(trial, &search->best[at]))
            return;
    } else if (at == search->n_best) {
        search->n_best++;
    }
    for (; at > 0 && is_better(trial, &search->best[at - 1]); at--)
        search->best[at] = search->best[at - 1];
    search->best[at] = *trial;
}

/* Does the kernel not compare what the preparation does, where the other way to compare may do? */
static bool is_unfit(const search_run *run, volt_status status)
{
    return status == VOLT_ERR_KERNEL && run->search->options->compare < 0;
}

/* Take over the sentence of a failure, if it is the first. */
static void keep_sentence(search_run *run, draw_result *result)
{
    if (run->failure)
        return;
    run->failure = result->sentence;
    result->sentence = NULL;
}

/* What became of a draw: one of the best so far, a failure of its own, or one of the whole search. */
static volt_status conclude(search_run *run, draw_result *result)
{
    volt_class_search *search = run->search;
    if (!result->begun)
        return VOLT_OK;
    if (is_unfit(run, result->status)) { /* not tried: nothing was computed */
        keep_sentence(run, result);
        return VOLT_OK;
    }
    search->tried++;
    if (result->status == VOLT_OK) {
        keep(search, &result->trial);
    } else if (is_own_failure(result->status)) {
        search->failed++;
        keep_sentence(run, result);
    } else {
        return volt_fail(result->status, "%s",
                         result->sentence ? result->sentence : volt_status_message(result->status));
    }
    return VOLT_OK;
}

/* ---- lanes ------------------------------------------------------------------------------------ */

/* Is the time over? Not before a kernel did. */
static bool is_over(const search_run *run)
{
    double budget = run->search->options->budget;
    return budget > 0 && atomic_load(&run->succeeded) && volt_seconds() - run->begun > budget;
}

static void try_draw(search_lane *lane, int64_t draw, draw_result *result)
{
    search_run *run = lane->run;
    result->trial = (volt_class_trial){.preparation = draw % run->search->n_preparations};
    if (is_over(run))
        return;
    result->begun = true;
    result->status = evaluate(lane, draw, &result->trial);
    if (result->status == VOLT_OK) {
        atomic_store(&run->succeeded, true);
        return;
    }
    result->sentence = volt_strdup(volt_error_detail());
    if (!result->sentence)
        result->status = VOLT_ERR_MEMORY;
    if (!is_own_failure(result->status) && !is_unfit(run, result->status))
        atomic_store(&run->failed, true);
}

/* Draws until there are none left; then the caller's thread listens until the others are done. */
static void work(search_lane *lane)
{
    enum { PAUSE = 2000 }; /* microseconds */
    search_run *run = lane->run;
    while (!atomic_load(&run->failed) && !atomic_load(&run->cancelled)) {
        int64_t i = atomic_fetch_add(&run->next, 1);
        if (i >= run->count)
            break;
        try_draw(lane, run->first + i, &run->results[i]);
        atomic_fetch_add(&run->ended, 1);
    }
    atomic_fetch_sub(&run->working, 1);
    while (lane->is_caller && atomic_load(&run->working) > 0) {
        report_part(NULL, 0, lane);
        volt_rest(PAUSE);
    }
}

/* The draws from run->first on, by all lanes. */
static void work_together(search_run *run, search_lane *lanes, int64_t n_lanes)
{
    for (int64_t i = 0; i < run->count; i++)
        run->results[i] = (draw_result){0};
    atomic_store(&run->next, 0);
    atomic_store(&run->working, n_lanes);
    if (n_lanes == 1) {
        work(&lanes[0]);
        return;
    }
#pragma omp parallel num_threads((int)n_lanes)
    {
        int64_t own = volt_own_threads();
        bool claimed = volt_blas_set_claimed(true);
#pragma omp single
        atomic_store(&run->working, omp_get_num_threads()); /* OpenMP may have given fewer */
        volt_set_own_threads(1);
        work(&lanes[omp_get_thread_num()]);
        volt_set_own_threads(own);
        volt_blas_set_claimed(claimed);
    }
}

static volt_status conclude_all(search_run *run, search_lane *caller)
{
    volt_status status = VOLT_OK;
    for (int64_t i = 0; i < run->count; i++) {
        if (status == VOLT_OK)
            status = conclude(run, &run->results[i]);
        volt_free(run->results[i].sentence);
        if (status == VOLT_OK && report_part(NULL, 0, caller))
            status = volt_fail(VOLT_ERR_CANCELLED, "cancelled");
    }
    return status;
}

static volt_status try_all(search_run *run, search_lane *lanes, int64_t n_lanes)
{
    enum { MOST_AT_A_TIME = 256 }; /* draws whose results wait to be concluded */
    volt_status status = VOLT_OK;
    run->results = volt_alloc_zero(volt_min(run->draws, MOST_AT_A_TIME), sizeof *run->results);
    if (!run->results)
        return VOLT_ERR_MEMORY;
    while (run->first < run->draws && status == VOLT_OK && !is_over(run)) {
        run->count = volt_min(run->draws - run->first, MOST_AT_A_TIME);
        work_together(run, lanes, n_lanes);
        status = conclude_all(run, &lanes[0]);
        run->first += run->count;
    }
    volt_free(run->results);
    return status;
}

/* How many draws are tried at a time. */
static int64_t count_lanes(const search_run *run)
{
    enum { MOST_SERIES = 1000 }; /* with more a matrix has work for all threads */
    const volt_class_search *search = run->search;
    double n = (double)search->bench->classes.n, q = (double)search->bench->classes.n_classes;
    double steps =
        n * volt_objects_steps(search->objects[0]); /* of all series, about: columns of a block of rows */
    double bytes = 8 * (n * (2 * n + 6 * q) + 256 * steps), available = (double)volt_memory_available();
    int64_t lanes = volt_threads();
    if (omp_in_parallel() || lanes > run->draws || n > MOST_SERIES)
        return 1;
    while (lanes > 1 && available > 0 && (double)lanes * bytes > available / 4)
        lanes--;
    return lanes;
}

/* The caller's lane has the bench of the search, the others have their own. */
static volt_status try_in_lanes(search_run *run)
{
    int64_t n_lanes = count_lanes(run);
    search_lane *lanes = volt_alloc_zero(n_lanes, sizeof *lanes);
    volt_class_bench *benches = volt_alloc_zero(n_lanes, sizeof *benches);
    volt_status status = lanes && benches ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n_lanes && status == VOLT_OK; i++) {
        lanes[i] = (search_lane){run, i > 0 ? &benches[i] : run->search->bench, i == 0};
        if (i > 0)
            status = volt_class_bench_create(&run->search->bench->classes, &benches[i]);
    }
    if (status == VOLT_OK)
        status = try_all(run, lanes, n_lanes);
    for (int64_t i = 1; i < n_lanes && benches; i++)
        volt_class_bench_release(&benches[i]);
    volt_free(benches);
    volt_free(lanes);
    return status;
}

static volt_status begin(search_run *run, const volt_view *series)
{
    volt_class_search *search = run->search;
    const volt_classify_options *options = search->options;
    volt_draw_options draw = volt_draw_options_default();
    draw.seed = options->seed;
    draw.ranges = options->ranges;
    draw.n_ranges = options->n_ranges;
    VOLT_TRY(prepare(series, search));
    assert(search->n_preparations > 0);
    for (int64_t p = 0; p < search->n_preparations; p++)
        VOLT_TRY(volt_objects_candidates(search->objects[p], kernel_of(search, p), &draw, &run->candidates[p]));
    run->draws = count_draws(run);
    return VOLT_OK;
}

/* The kernels that are given, each with a preparation of its own, in place of a search. */
static volt_status take_given(const volt_view *series, volt_class_search *search)
{
    const volt_classify_options *options = search->options;
    for (int64_t p = 0; p < options->n_parts; p++) {
        const volt_classifier_kernel *part = &options->parts[p];
        volt_objects_options way = {part->scale, part->input, 1, part->compare};
        volt_class_trial *given = &search->best[p];
        VOLT_TRY(volt_objects_create(series, search->bench->classes.n, &way, &search->objects[p]));
        *given = (volt_class_trial){.preparation = p};
        VOLT_REQUIRE(snprintf(given->kernel, sizeof given->kernel, "%s", part->kernel) <
                         (int)sizeof given->kernel,
                     VOLT_ERR_KERNEL, "the text of kernel %" PRId64 " is longer than %d characters", p + 1,
                     (int)sizeof given->kernel - 1);
        search->n_best++;
        search->tried++;
    }
    search->n_preparations = options->n_parts;
    return VOLT_OK;
}

volt_status volt_class_search_run(const volt_view *series, volt_class_search *search)
{
    if (search->options->n_parts > 0)
        return take_given(series, search);
    search_run run = {.search = search, .begun = volt_seconds()};
    volt_status status = begin(&run, series);
    if (status == VOLT_OK)
        status = try_in_lanes(&run);
    if (status == VOLT_OK && search->tried == 0)
        status = volt_fail(VOLT_ERR_KERNEL, "%s", run.failure);
    else if (status == VOLT_OK && search->n_best == 0)
        status = volt_fail(VOLT_ERR_DATA, "none of %" PRId64 " kernels tells series apart; the first: %s",
                           search->tried, run.failure);
    for (int64_t p = 0; p < VOLT_MOST_PREPARATIONS; p++)
        volt_candidates_free(run.candidates[p]);
    volt_free(run.failure);
    return status;
}

void volt_class_search_release(volt_class_search *search)
{
    for (int64_t p = 0; p < VOLT_MOST_PREPARATIONS; p++)
        volt_objects_free(search->objects[p]);
}

/* ---- means of several kernels ----------------------------------------------------------------- */

volt_status volt_class_search_blend(volt_class_search *search, int64_t m)
{
    volt_class_bench *bench = search->bench;
    int64_t n = bench->classes.n;
    double *sum = volt_alloc_zero(n * n, sizeof *sum);
    volt_status status = sum ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t b = 0; b < m && status == VOLT_OK; b++) {
        volt_kernel *kernel = NULL;
        status = volt_kernel_parse(search->best[b].kernel, &kernel);
        if (status == VOLT_OK)
            status = volt_objects_gram(search->objects[search->best[b].preparation], kernel, NULL, bench->K);
        volt_kernel_free(kernel);
        for (int64_t i = 0; i < n * n && status == VOLT_OK; i++)
            sum[i] += bench->K.data[i] / (double)m;
    }
    for (int64_t i = 0; i < n * n && status == VOLT_OK; i++)
        bench->K.data[i] = sum[i];
    volt_free(sum);
    return status;
}

volt_status volt_class_search_choose(volt_class_search *search, int64_t *m, volt_class_trial *trial)
{
    int64_t most = search->options->blend < search->n_best ? search->options->blend : search->n_best;
    *m = 1;
    *trial = search->best[0];
    if (search->options->n_parts > 0) { /* all of them, and nothing to choose but alpha */
        *m = search->n_best;
        VOLT_TRY(volt_class_search_blend(search, *m));
        return volt_class_profile(search->bench, search->options->alpha, trial);
    }
    for (int64_t count = 2; count <= most; count++) {
        volt_class_trial blended = search->best[0];
        VOLT_TRY(volt_class_search_blend(search, count));
        volt_status status = volt_class_profile(search->bench, search->options->alpha, &blended);
        if (status == VOLT_OK && is_better(&blended, trial)) {
            *m = count;
            *trial = blended;
        }
    }
    return VOLT_OK;
}
