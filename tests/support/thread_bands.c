/* tests/support/thread_bands.c: sums over threads, which wait for each other. */
#define _GNU_SOURCE
#include "support/thread_bands.h"

#include "base/row_bands.h"
#include "support/check.h"
#include "volterra/base.h"

#include <pthread.h>

typedef struct member {
    int64_t parts, part;
    void (*function)(void *task);
    void *task;
} member;

static pthread_barrier_t barrier;
static double *offered[THREAD_BANDS];
static _Thread_local volt_bands own;

/* Each adds for itself, in order. */
static void sum(double *numbers, int64_t count)
{
    double *all = calloc((size_t)count + 1, sizeof *all);
    assert_non_null(all);
    offered[own.part] = numbers;
    pthread_barrier_wait(&barrier);
    for (int64_t part = 0; part < own.parts; part++)
        for (int64_t i = 0; i < count; i++)
            all[i] += offered[part][i];
    pthread_barrier_wait(&barrier);
    memcpy(numbers, all, (size_t)count * sizeof *all);
    free(all);
    pthread_barrier_wait(&barrier);
}

static void *run(void *context)
{
    member *m = context;
    own = (volt_bands){.parts = m->parts, .part = m->part, .sum = sum};
    volt_bands_use(m->parts > 1 ? &own : NULL);
    volt_set_threads_local(1, NULL);
    m->function(m->task);
    volt_set_threads_local(0, NULL);
    volt_bands_use(NULL);
    own = (volt_bands){0};
    return NULL;
}

int64_t thread_bands_part(void)
{
    return own.part;
}

void thread_bands_run(int64_t parts, void (*function)(void *task), void *const tasks[THREAD_BANDS])
{
    pthread_t threads[THREAD_BANDS];
    member members[THREAD_BANDS];
    assert_in_range(parts, 1, THREAD_BANDS);
    for (int64_t p = 0; p < parts; p++)
        members[p] = (member){.parts = parts, .part = p, .function = function, .task = tasks[p]};
    if (parts == 1) {
        run(&members[0]);
        return;
    }
    pthread_barrier_init(&barrier, NULL, (unsigned)parts);
    for (int64_t p = 0; p < parts; p++)
        assert_int_equal(pthread_create(&threads[p], NULL, run, &members[p]), 0);
    for (int64_t p = 0; p < parts; p++)
        pthread_join(threads[p], NULL);
    pthread_barrier_destroy(&barrier);
}
