/* src/series/classify/class_round.c: candidates on a setting, several at a time.
 *
 * Where series are few a kernel gives a thread too little to share: lanes, a thread each, take draws as they come. Every
 * draw has a record of its own, so that what was found is the same whatever the number of threads. */
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "series/classify/kernel_search.h"

#include <omp.h>
#include <stdatomic.h>
#include <string.h>

typedef struct round_run {
    volt_class_search *search;
    const volt_class_round *round;
    _Atomic int64_t next, ended, working; /* draws begun and ended; lanes that have not come to their end */
    _Atomic bool succeeded, failed, cancelled, cut;
} round_run;

/* One thread's part of the run. */
typedef struct round_lane {
    round_run *run;
    volt_class_bench *bench;
    bool is_caller; /* alone calls the user */
    double until;   /* of the draw that is tried; 0: no limit */
} round_lane;

static bool is_over(const round_lane *lane)
{
    return lane->until > 0 && volt_seconds() > lane->until;
}

/* Progress of a matrix is a part of that of the search. A user who has cancelled is not asked again. */
static int report_part(const char *stage, double fraction, void *context)
{
    (void)stage;
    const round_lane *lane = context;
    round_run *run = lane->run;
    const volt_progress *outer = &run->search->options->progress;
    double done = ((double)atomic_load(&run->ended) + fraction) / (double)(run->round->count + 1);
    done = run->round->from + run->round->share * (done < 1 ? done : 1);
    if (lane->is_caller && outer->report && !atomic_load(&run->cancelled) &&
        outer->report("classify", done, outer->context))
        atomic_store(&run->cancelled, true);
    return atomic_load(&run->cancelled) || (is_over(lane) && atomic_load(&run->succeeded));
}

static volt_status fill_gram(round_lane *lane, const volt_class_trial *trial)
{
    const volt_class_round *round = lane->run->round;
    volt_progress progress = {report_part, lane};
    volt_kernel *kernel = NULL;
    const volt_objects *columns = round->columns[trial->preparation];
    VOLT_TRY(volt_kernel_parse(trial->kernel, &kernel));
    volt_status status =
        columns ? volt_objects_cross(columns, kernel, lane->run->search->series, lane->bench->K.rows, &progress,
                                     lane->bench->K, NULL)
                : volt_objects_gram(round->rows[trial->preparation], kernel, &progress, lane->bench->K);
    volt_kernel_free(kernel);
    return status;
}

static volt_status evaluate(round_lane *lane, int64_t draw, volt_class_record *record)
{
    const volt_class_search *search = lane->run->search;
    volt_class_trial trial;
    VOLT_TRY(volt_class_trial_of(search, draw, &trial));
    VOLT_TRY(fill_gram(lane, &trial));
    VOLT_TRY(
        volt_class_profile(lane->bench, search->options->alpha, 0, lane->bench->setting.folds, record->scores));
    if (!lane->run->round->keeps_matrices)
        return VOLT_OK;
    int64_t size = lane->bench->K.rows * lane->bench->K.cols;
    record->K = volt_alloc_doubles(size, 1);
    if (!record->K)
        return VOLT_ERR_MEMORY;
    memcpy(record->K, lane->bench->K.data, (size_t)size * sizeof(double));
    return VOLT_OK;
}

/* Is the failure that of one candidate? */
static bool is_own_failure(const round_run *run, volt_status status)
{
    return status == VOLT_ERR_SINGULAR || status == VOLT_ERR_NOT_FINITE || status == VOLT_ERR_DATA ||
           status == VOLT_ERR_ARGUMENT || (status == VOLT_ERR_KERNEL && run->search->options->compare < 0);
}

static void try_draw(round_lane *lane, int64_t i)
{
    round_run *run = lane->run;
    int64_t draw = run->round->draws[i];
    volt_class_record *record = &run->round->records[draw];
    double begun = volt_seconds();
    lane->until = i < run->round->n_first ? run->round->until_first : run->round->until;
    bool is_too_long = lane->until > 0 && run->round->expected && begun + run->round->expected[i] > lane->until;
    if (is_too_long || (is_over(lane) && atomic_load(&run->succeeded))) {
        atomic_store(&run->cut, true);
        return;
    }
    volt_status status = evaluate(lane, draw, record);
    if (status == VOLT_ERR_CANCELLED && !atomic_load(&run->cancelled)) {
        atomic_store(&run->cut, true); /* given up for lack of time */
        return;
    }
    record->ended = true;
    record->status = status;
    record->seconds = volt_seconds() - begun;
    if (status == VOLT_OK) {
        atomic_store(&run->succeeded, true);
        return;
    }
    record->sentence = volt_strdup(volt_error_detail());
    if (!record->sentence)
        record->status = VOLT_ERR_MEMORY;
    if (!is_own_failure(run, record->status))
        atomic_store(&run->failed, true);
}

/* Draws until there are none left; then the caller's thread listens until the others are done. */
static void work(round_lane *lane)
{
    enum { PAUSE = 2000 }; /* microseconds */
    round_run *run = lane->run;
    while (!atomic_load(&run->failed) && !atomic_load(&run->cancelled)) {
        int64_t i = atomic_fetch_add(&run->next, 1);
        if (i >= run->round->count)
            break;
        try_draw(lane, i);
        atomic_fetch_add(&run->ended, 1);
    }
    atomic_fetch_sub(&run->working, 1);
    while (lane->is_caller && atomic_load(&run->working) > 0) {
        report_part(NULL, 0, lane);
        volt_rest(PAUSE);
    }
}

static void work_together(round_run *run, round_lane *lanes, int64_t n_lanes)
{
    atomic_store(&run->working, n_lanes);
    if (n_lanes == 1) {
        work(&lanes[0]);
        return;
    }
#pragma omp parallel num_threads((int)n_lanes)
    {
        int64_t own = 0;
        bool claimed = volt_blas_set_claimed(true);
#pragma omp single
        atomic_store(&run->working, omp_get_num_threads()); /* OpenMP may have given fewer */
        volt_set_own_threads(1, &own);
        work(&lanes[omp_get_thread_num()]);
        volt_set_own_threads(own, NULL);
        volt_blas_set_claimed(claimed);
    }
}

/* How many draws are tried at a time. */
static int64_t count_lanes(const round_run *run)
{
    enum { MOST_SERIES = 1000 }; /* with more a matrix has work for all threads */
    const volt_class_round *round = run->round;
    double n = (double)round->setting->classes.n, q = (double)round->setting->classes.n_classes;
    double steps = n * round->rows[0]->steps; /* of all series, about: columns of a block of rows */
    double bytes = 8 * (n * (4 * n + 7 * q) + 256 * steps), available = (double)volt_memory_available();
    int64_t lanes = volt_threads();
    if (omp_in_parallel() || lanes > round->count || n > MOST_SERIES)
        return 1;
    while (lanes > 1 && available > 0 && (double)lanes * bytes > available / 4)
        lanes--;
    return lanes;
}

/* The first failure in the order of the draws that is not one candidate's own. The user is called once
 * for every draw. */
static volt_status conclude(round_run *run, round_lane *caller)
{
    const volt_class_round *round = run->round;
    for (int64_t i = 0; i < round->count; i++)
        report_part(NULL, 0, caller);
    if (atomic_load(&run->cancelled))
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled");
    if (!atomic_load(&run->failed))
        return VOLT_OK;
    for (int64_t draw = 0; draw < run->search->draws; draw++) {
        const volt_class_record *record = &round->records[draw];
        if (record->ended && record->status != VOLT_OK && !is_own_failure(run, record->status))
            return volt_fail(record->status, "%s",
                             record->sentence ? record->sentence : volt_status_message(record->status));
    }
    return VOLT_OK;
}

volt_status volt_class_round_run(volt_class_search *search, const volt_class_round *round)
{
    round_run run = {.search = search, .round = round};
    int64_t n_lanes = count_lanes(&run);
    round_lane *lanes = volt_alloc_zero(n_lanes, sizeof *lanes);
    volt_class_bench *benches = volt_alloc_zero(n_lanes, sizeof *benches);
    volt_status status = lanes && benches ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < n_lanes && status == VOLT_OK; i++) {
        lanes[i] = (round_lane){&run, i > 0 ? &benches[i] : round->bench, i == 0, 0};
        if (i > 0)
            status = volt_class_bench_create(round->setting, &benches[i]);
    }
    if (status == VOLT_OK) {
        work_together(&run, lanes, n_lanes);
        status = conclude(&run, &lanes[0]);
        search->cut = search->cut || atomic_load(&run.cut);
    }
    for (int64_t i = 1; i < n_lanes && benches; i++)
        volt_class_bench_release(&benches[i]);
    volt_free(benches);
    volt_free(lanes);
    return status;
}
