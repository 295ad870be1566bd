/* src/select/search/schedule.c: positions, standings of the race, and trials whose reference is not known
 * yet. */
#include "select/search/schedule.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"

volt_status volt_schedule_begin(volt_schedule *schedule, volt_race_rule rule)
{
    *schedule = (volt_schedule){.max_ahead = VOLT_LAG, .evolves_at = INT64_MAX};
    return volt_standings_begin(&schedule->standings, rule);
}

void volt_schedule_end(volt_schedule *schedule)
{
    for (int64_t p = 0; p < schedule->positions; p++)
        volt_trial_free(schedule->waiting[p]);
    volt_free(schedule->waiting);
    volt_free(schedule->final);
    volt_standings_end(&schedule->standings);
}

static volt_status make_positions(volt_schedule *schedule, int64_t count)
{
    VOLT_TRY(volt_grow((void **)&schedule->final, &schedule->final_capacity, count, sizeof(volt_trial *)));
    VOLT_TRY(volt_grow((void **)&schedule->waiting, &schedule->waiting_capacity, count, sizeof(volt_trial *)));
    for (; schedule->positions < count; schedule->positions++)
        schedule->final[schedule->positions] = schedule->waiting[schedule->positions] = NULL;
    return VOLT_OK;
}

bool volt_schedule_has(const volt_schedule *schedule, int64_t position)
{
    return position < schedule->positions && schedule->final[position];
}

/* Adds trials to the standings in order of position. */
static volt_status update_standings(volt_schedule *schedule)
{
    while (volt_schedule_has(schedule, schedule->standings.count))
        VOLT_TRY(volt_standings_add(&schedule->standings, schedule->final[schedule->standings.count]));
    return VOLT_OK;
}

volt_status volt_schedule_resume(volt_schedule *schedule, int64_t position, volt_trial *trial)
{
    VOLT_TRY(make_positions(schedule, position + 1));
    schedule->final[position] = trial;
    return update_standings(schedule);
}

int64_t volt_schedule_next(volt_schedule *schedule)
{
    while (volt_schedule_has(schedule, schedule->next))
        schedule->next++;
    return schedule->next;
}

int64_t volt_schedule_needs(const volt_schedule *schedule, int64_t position)
{
    if (position >= schedule->evolves_at)
        return position < schedule->generation_end ? schedule->generation_begin : schedule->generation_end;
    return schedule->adaptive ? volt_generation_begin(position) : 0;
}

bool volt_schedule_may_begin(const volt_schedule *schedule)
{
    return volt_schedule_needs(schedule, schedule->next) <= schedule->standings.count &&
           schedule->next - schedule->standings.count < schedule->max_ahead;
}

volt_status volt_schedule_take(volt_schedule *schedule)
{
    VOLT_TRY(make_positions(schedule, schedule->next + 1));
    schedule->next++;
    return VOLT_OK;
}

const volt_reference *volt_schedule_reference(const volt_schedule *schedule, int64_t position)
{
    if (position >= schedule->evolves_at)
        return &schedule->generation_reference; /* generations do not overlap */
    int64_t before = volt_max(0, position - VOLT_LAG + 1);
    return before <= schedule->standings.count ? &schedule->standings.references[before] : NULL;
}

/* Truncates the trial to the folds that the rule allows. */
static void judge(const volt_schedule *schedule, const volt_reference *reference, volt_trial *trial)
{
    const volt_race_rule *rule = &schedule->standings.rule;
    for (int64_t done = 1; done <= trial->n_folds && done < rule->folds; done++)
        if (volt_reference_beats(rule, reference, trial->folds, done)) {
            volt_trial_stop(trial, done);
            return;
        }
}

/* Settles trials whose reference is known; each may be the reference of a later one. */
static volt_status finalise(volt_schedule *schedule, volt_keep_trial keep, void *context)
{
    for (int64_t p = schedule->standings.count; p < schedule->next; p++) {
        const volt_reference *reference = volt_schedule_reference(schedule, p);
        volt_trial *trial = schedule->waiting[p];
        if (!reference)
            break;
        if (!trial)
            continue;
        schedule->waiting[p] = NULL;
        judge(schedule, reference, trial);
        VOLT_TRY(keep(trial, context));
        schedule->final[p] = trial;
        VOLT_TRY(update_standings(schedule));
    }
    return VOLT_OK;
}

volt_status volt_schedule_finish(volt_schedule *schedule, int64_t position, volt_trial *trial,
                                 volt_keep_trial keep, void *context)
{
    schedule->waiting[position] = trial;
    return finalise(schedule, keep, context);
}
