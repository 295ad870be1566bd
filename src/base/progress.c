/* src/base/progress.c: progress and cancellation. */
#define _POSIX_C_SOURCE 200809L
#include "base/progress.h"

#include "base/error.h"
#include "base/openmp.h"

#include <math.h>
#include <time.h>

static double report_interval = 0.05; /* seconds */

void volt_stage_set_interval(double seconds)
{
    report_interval = seconds;
}

double volt_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void volt_sleep(int64_t microseconds)
{
    struct timespec pause = {.tv_nsec = (long)microseconds * 1000};
    nanosleep(&pause, NULL);
}

/* Whether this is the thread that created the stage. In a region opened by that thread since, it is thread
 * 0. */
static bool is_owner(const volt_stage *stage)
{
    if (omp_get_ancestor_thread_num(stage->level) != stage->owner)
        return false;
    for (int level = stage->level + 1; level <= omp_get_level(); level++)
        if (omp_get_ancestor_thread_num(level) != 0)
            return false;
    return true;
}

static void call_user(volt_stage *stage, double fraction)
{
    if (fraction > 1)
        fraction = 1;
    stage->last = volt_seconds();
    if (stage->progress.report(stage->name, stage->from + stage->share * fraction, stage->progress.context))
        atomic_store(&stage->cancelled, true);
}

void volt_stage_begin(volt_stage *stage, volt_progress progress, const char *name, double from, double share,
                      double total)
{
    stage->progress = progress;
    stage->name = name;
    stage->from = from;
    stage->share = share;
    stage->total = total > 1 ? total : 1;
    atomic_init(&stage->done, 0);
    atomic_init(&stage->cancelled, false);
    stage->last = volt_seconds();
    stage->owner = omp_get_thread_num();
    stage->level = omp_get_level();
    if (progress.report)
        call_user(stage, 0);
}

bool volt_stage_advance(volt_stage *stage, int64_t units)
{
    if (!stage || !stage->progress.report)
        return true;
    int64_t done = atomic_fetch_add(&stage->done, units) + units;
    if (volt_stage_should_continue(stage) && is_owner(stage) && volt_seconds() - stage->last >= report_interval)
        call_user(stage, (double)done / stage->total);
    return !atomic_load(&stage->cancelled);
}

bool volt_stage_poll(volt_stage *stage)
{
    return volt_stage_advance(stage, 0);
}

/* Work without a stage (NULL) continues. */
static int poll_stage(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return !volt_stage_poll(context);
}

volt_progress volt_stage_polled(volt_stage *stage)
{
    return (volt_progress){.report = stage ? poll_stage : NULL, .context = stage};
}

bool volt_stage_should_continue(const volt_stage *stage)
{
    return !stage || !atomic_load(&stage->cancelled);
}

volt_status volt_stage_end(volt_stage *stage)
{
    if (stage->progress.report && !atomic_load(&stage->cancelled))
        call_user(stage, 1);
    if (atomic_load(&stage->cancelled))
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled during %s", stage->name);
    return VOLT_OK;
}

bool volt_stage_reach(volt_stage *stage, double units)
{
    if (!stage)
        return true;
    double missing = units - (double)atomic_load(&stage->done);
    return volt_stage_advance(stage, missing >= 1 ? (int64_t)missing : 0);
}

/* ---- a stage inside a stage ------------------------------------------------------------------- */

void volt_stage_begin_inner(volt_stage *outer, double units, double total, volt_stage *inner)
{
    if (!outer) {
        volt_stage_begin(inner, (volt_progress){0}, "", 0, 0, total);
        return;
    }
    double done = fmin(1, (double)atomic_load(&outer->done) / outer->total);
    double share = fmin(1 - done, units / outer->total);
    volt_stage_begin(inner, volt_stage_should_continue(outer) ? outer->progress : (volt_progress){0},
                     outer->name, outer->from + outer->share * done, outer->share * share, total);
    if (!volt_stage_should_continue(outer))
        atomic_store(&inner->cancelled, true);
}

bool volt_stage_end_inner(volt_stage *outer, double units, volt_stage *inner)
{
    if (!outer)
        return true;
    if (!volt_stage_should_continue(inner))
        atomic_store(&outer->cancelled, true);
    return volt_stage_advance(outer, (int64_t)units);
}

/* ---- calls inside a call ------------------------------------------------------------------------ */

static int report_part(const char *stage, double fraction, void *context)
{
    const volt_progress_part *part = context;
    return part->whole.report(part->stage ? part->stage : stage, part->from + part->share * fraction,
                              part->whole.context);
}

volt_progress volt_progress_of_part(volt_progress_part *part)
{
    return part->whole.report ? (volt_progress){report_part, part} : part->whole;
}

/* ---- one call --------------------------------------------------------------------------------- */

static const double almost = 0.999; /* the largest fraction before the end */

static int report_to_user(const char *stage, double fraction, void *context)
{
    volt_meter *meter = context;
    double part = meter->from + meter->share * fraction;
    meter->reached = fmax(meter->reached, fmin(almost, meter->begin + meter->length * part));
    return meter->user.report(stage, meter->reached, meter->user.context);
}

volt_progress volt_meter_begin(volt_meter *meter, volt_progress user)
{
    *meter = (volt_meter){.user = user, .length = 1, .share = 1};
    return user.report ? (volt_progress){report_to_user, meter} : user;
}

void volt_meter_cover(volt_meter *meter, double from, double share)
{
    if (!meter)
        return;
    meter->from = from;
    meter->share = share;
}

void volt_meter_part(volt_meter *meter, double share_of_rest)
{
    meter->begin = meter->reached;
    meter->length = share_of_rest * (1 - meter->reached);
    volt_meter_cover(meter, 0, 1);
}

volt_status volt_meter_end(volt_meter *meter, volt_status status)
{
    if (status == VOLT_OK && meter->user.report && meter->user.report("finish", 1, meter->user.context))
        return volt_fail(VOLT_ERR_CANCELLED, "cancelled at the end");
    return status;
}
