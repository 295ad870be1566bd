/* src/select/search/search_climbs.c: a search by gradient: a few draws, then climbs from the best of them.
 *
 * Of N evaluations the first 16 (a third of them if N is below 48) are draws. The others are divided among
 * climbs from the four best draws. A climb depends only on its start, and evaluations are bitwise identical
 * on any number of threads, so the search is reproducible. Evaluation e of climb s is candidate N_draws + s
 * E + e, where E is the limit per climb; indices after convergence are unused. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"

#include <inttypes.h>
#include <math.h>

enum { FIRST_DRAWS = 16, USUAL_DRAWS = 100 }; /* the second is the default number of evaluations */

volt_status volt_run_check_climb(const volt_candidates *candidates, const volt_search_options *options)
{
    VOLT_REQUIRE(candidates->coordinates, VOLT_ERR_ARGUMENT,
                 "a search by gradient is not supported with given candidates");
    VOLT_REQUIRE(!candidates->feeds, VOLT_ERR_ARGUMENT, "a search by gradient does not support feedback");
    VOLT_REQUIRE(options->score == VOLT_SCORE_LOG, VOLT_ERR_ARGUMENT,
                 "a search by gradient requires the score log");
    VOLT_REQUIRE(options->shards == 1, VOLT_ERR_ARGUMENT,
                 "a search by gradient cannot be divided into %" PRId64 " shards", options->shards);
    VOLT_REQUIRE(!options->resume, VOLT_ERR_ARGUMENT,
                 "a search by gradient cannot be resumed: repeat it with a new log");
    return VOLT_OK;
}

void volt_run_plan_climb(volt_run *run)
{
    int64_t total = run->length > 0 ? run->length : USUAL_DRAWS;
    run->length = volt_max(volt_min(FIRST_DRAWS, total / 3), 1);
    run->climbs = total - run->length;
}

/* One climb and its trials. */
typedef struct ascent {
    volt_run *run;
    volt_workspace *space;
    int64_t index; /* of its next evaluation */
    double begun;
} ascent;

static volt_status record(const char *kernel, double alpha, double evidence, volt_status status, void *context)
{
    ascent *one = context;
    volt_run *run = one->run;
    if (status != VOLT_OK && !volt_run_is_candidates_own(status))
        return status;
    volt_trial *trial = volt_trial_new(one->index++, kernel, alpha, &evidence, status == VOLT_OK ? 1 : 0,
                                       status == VOLT_OK ? NULL : volt_error_detail());
    if (!trial)
        return VOLT_ERR_MEMORY;
    trial->seconds = volt_seconds() - one->begun;
    one->begun = volt_seconds();
    omp_set_lock(&run->lock);
    volt_run_account(run, one->space->factor->cost);
    one->space->factor->cost = (volt_cost){0};
    status = volt_run_keep(trial, run);
    omp_unset_lock(&run->lock);
    volt_stage_advance(&run->stage, 1);
    return status;
}

static volt_status climb_from(volt_run *run, int64_t s, int64_t starts, const volt_trial *start,
                              volt_workspace *space)
{
    int64_t most = run->climbs / starts + (s < run->climbs % starts); /* the best starts have one more */
    int64_t before = s * (run->climbs / starts) + volt_min(s, run->climbs % starts);
    ascent one = {.run = run, .space = space, .index = run->length + before, .begun = volt_seconds()};
    volt_kernel *kernel = NULL;
    double bytes = 0;
    VOLT_TRY(volt_kernel_parse(start->kernel, &kernel));
    volt_status status = volt_evidence_bytes(run->problem, kernel, &bytes);
    volt_kernel_free(kernel);
    VOLT_TRY(status);
    VOLT_TRY(volt_run_reserve(run, bytes));
    space->factor->cost = (volt_cost){0};
    status = most > 0 ? volt_climb(run->candidates, start, run->problem, space, most, &run->stage, record, &one)
                      : VOLT_OK;
    volt_run_release(run, bytes);
    return status;
}

/* Loop of every thread: climbs until none is left. */
static void work(volt_run *run, const volt_parents *starts, int64_t *next, volt_workspace *space)
{
    while (volt_stage_should_continue(&run->stage)) {
        omp_set_lock(&run->lock);
        int64_t s = *next;
        bool is_over = s >= starts->count || run->status != VOLT_OK;
        if (!is_over) {
            ++*next;
            run->active++;
        }
        omp_unset_lock(&run->lock);
        if (is_over)
            break;
        int64_t before = volt_workspace_bind(space);
        volt_status status = climb_from(run, s, starts->count, starts->trials[s], space);
        volt_backend_bind(run->problem->backend, before);
        omp_set_lock(&run->lock);
        run->active--;
        if (status != VOLT_OK && status != VOLT_ERR_CANCELLED)
            volt_run_end(run, status);
        omp_unset_lock(&run->lock);
    }
    volt_run_listen(run);
}

void volt_run_climb(volt_run *run, volt_workspace **spaces, int64_t parallel)
{
    volt_parents starts = {.count = 0};
    int64_t next = 0;
    volt_parents_choose(&run->schedule.standings, run->schedule.final, run->schedule.standings.count, &starts);
    if (parallel == 1) {
        work(run, &starts, &next, spaces[0]);
        return;
    }
#pragma omp parallel num_threads((int)parallel)
    {
        int64_t previous = 0;
        volt_set_threads_local(1, &previous);
        work(run, &starts, &next, spaces[omp_get_thread_num()]);
        volt_set_threads_local(previous, NULL);
    }
}
