/* tests/support/thread_pool.h: a pool of a search (select/search/worker_pool.h) whose processes are threads,
 * and whose messages lie in lists. One at a time. */
#ifndef SUPPORT_THREAD_POOL_H
#define SUPPORT_THREAD_POOL_H

#include "select/search/worker_pool.h"

#include <pthread.h>

enum { THREAD_POOL_CHANNELS = 8, THREAD_POOL_BYTES = 4096 };

typedef struct thread_pool_state {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t servers, arrived, absent, channels;
    int64_t handed;    /* candidates, over all channels */
    int64_t spoilt;    /* the answer on this channel ... */
    int64_t spoilt_at; /* ... with this number, from 1, is invalid, or reports a failed process */
    bool garbage;
    int64_t answers[THREAD_POOL_CHANNELS];
    int64_t reports; /* calls of the leader's progress since all have met */
    bool met, waits;
} thread_pool_state;
extern thread_pool_state thread_pool;

/* Run a search with `servers` others of `lanes` lanes each, of whom the first `missing` do not come. Answer
 * number `spoilt_at` of the last one is spoilt. Without a progress of its own the leader waits until others
 * have had as many candidates as there are channels, so that they take part. */
volt_status thread_pool_run(const volt_candidates *candidates, volt_view X, volt_view Y,
                            const volt_search_options *options, int64_t servers, int64_t lanes, int64_t missing,
                            int64_t spoilt_at, volt_search **search);

/* ---- its pieces -------------------------------------------------------------------------------- */

/* One that serves: a thread's function, of a thread_pool_task. */
typedef struct thread_pool_task {
    const volt_candidates *candidates;
    volt_view X, Y;
    volt_search_options options;
    int64_t number, threads;
} thread_pool_task;
void *thread_pool_serve(void *task);

/* The leader's end of a channel. */
void thread_pool_send(int64_t channel, const void *message, size_t size);
size_t thread_pool_receive(int64_t channel, void *message, size_t space);

/* Discards all unread messages. */
void thread_pool_reset(void);

#endif
