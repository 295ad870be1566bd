/* src/backend/device_team.c: threads, barriers and sums of a team of devices. */
#include "backend/device_team.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "base/threads.h"

#include <pthread.h>
#include <stdio.h>

typedef struct member {
    volt_bands bands; /* first: volt_bands_current() of the thread is the member */
    struct team *team;
    pthread_t thread;
    double *numbers; /* that are being added */
} member;

typedef struct team {
    const volt_backend *backend;
    volt_progress user;
    volt_team_fn work;
    void *context;
    int64_t parts, threads;
    member *members;

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t moved;
    int64_t waiting, generation;
    bool stopped; /* a part has failed: nobody waits any more, and sums are undefined ... */
    volt_status status;
    char text[512]; /* ... with this message: messages belong to a thread */
} team;

/* ---- waiting ---------------------------------------------------------------------------------- */

static bool is_stopped(team *t)
{
    pthread_mutex_lock(&t->lock);
    bool stopped = t->stopped;
    pthread_mutex_unlock(&t->lock);
    return stopped;
}

/* A part with this status leaves. Only the first one determines the status of the team: the others fail because sums
 * are undefined by then. */
static void stop(team *t, volt_status status, const char *text)
{
    pthread_mutex_lock(&t->lock);
    if (!t->stopped) {
        t->status = status;
        snprintf(t->text, sizeof t->text, "%s", text);
    }
    t->stopped = true;
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}

/* Waits for all parts; false if the team was stopped. */
static bool all_arrive(team *t)
{
    pthread_mutex_lock(&t->lock);
    int64_t generation = t->generation;
    if (++t->waiting == t->parts) {
        t->waiting = 0;
        t->generation++;
        pthread_cond_broadcast(&t->moved);
    }
    while (!t->stopped && t->generation == generation)
        pthread_cond_wait(&t->moved, &t->lock);
    bool good = !t->stopped;
    pthread_mutex_unlock(&t->lock);
    return good;
}

/* ---- sums ------------------------------------------------------------------------------------- */

static void sum_over_parts(double *numbers, int64_t count)
{
    member *own = (member *)(void *)(size_t)volt_bands_current();
    const team *t = own->team;
    int64_t part = own->bands.part;
    own->numbers = numbers;
    if (!all_arrive(own->team))
        return;
    for (int64_t i = count * part / t->parts; i < count * (part + 1) / t->parts; i++) {
        double sum = 0;
        for (int64_t p = 0; p < t->parts; p++)
            sum += t->members[p].numbers[i];
        for (int64_t p = 0; p < t->parts; p++)
            t->members[p].numbers[i] = sum;
    }
    all_arrive(own->team);
}

/* ---- parts ------------------------------------------------------------------------------------ */

static int forward(const char *stage, double fraction, void *context)
{
    team *t = context;
    int cancelled = t->user.report ? t->user.report(stage, fraction, t->user.context) : 0;
    return cancelled || is_stopped(t);
}

static int watch(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    return is_stopped(context);
}

static void run_part(member *m)
{
    team *t = m->team;
    int64_t part = m->bands.part, threads = 0, before = volt_backend_bind(t->backend, part);
    volt_progress progress = {.report = part == 0 ? forward : watch, .context = t};
    volt_set_threads_local(t->threads, &threads);
    volt_bands_use(&m->bands);
    volt_status status = t->work(part, progress, t->context);
    if (status != VOLT_OK)
        stop(t, status, volt_error_detail());
    volt_bands_use(NULL);
    volt_set_threads_local(threads, NULL);
    volt_backend_bind(t->backend, before);
}

static void *run_thread(void *context)
{
    bool claimed = volt_blas_set_claimed(true); /* by the call that runs the team */
    volt_log_mute(true);
    run_part(context);
    volt_log_mute(false);
    volt_blas_set_claimed(claimed);
    return NULL;
}

volt_status volt_team_run(const volt_backend *backend, volt_progress progress, volt_team_fn work, void *context)
{
    int64_t parts = volt_backend_devices(backend), started = 1;
    team t = {.backend = backend,
              .user = progress,
              .work = work,
              .context = context,
              .parts = parts,
              .threads = volt_max(volt_threads() / parts, 1),
              .members = volt_alloc_zero(parts, sizeof *t.members),
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .moved = PTHREAD_COND_INITIALIZER};
    if (!t.members)
        return VOLT_ERR_MEMORY;
    for (int64_t p = 0; p < parts; p++) {
        t.members[p].bands = (volt_bands){.parts = parts, .part = p, .in_process = true, .sum = sum_over_parts};
        t.members[p].team = &t;
    }
    while (started < parts &&
           pthread_create(&t.members[started].thread, NULL, run_thread, &t.members[started]) == 0)
        started++;
    if (started == parts)
        run_part(&t.members[0]);
    else
        stop(&t, VOLT_ERR_MEMORY, "cannot start a thread for each device");
    for (int64_t p = 1; p < started; p++)
        pthread_join(t.members[p].thread, NULL);
    volt_status status = t.stopped ? volt_fail(t.status, "%s", t.text) : VOLT_OK;
    pthread_cond_destroy(&t.moved);
    pthread_mutex_destroy(&t.lock);
    volt_free(t.members);
    return status;
}
