/* src/base/blas_buffers.c: the buffers that BLAS allocates.
 *
 * OpenBLAS packs its operands into buffers of a fixed size, 32 MiB on most machines and 128 MiB on some: one
 * for every thread that is in BLAS at a time, and one for each of its worker threads. It allocates a buffer
 * when none is free, never releases one, and retries forever when allocation fails. The buffers are therefore
 * allocated here, one by one, each only while the largest size is available, and before the caller checks the
 * memory left for its matrices. */
#include "base/blas.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool has_claim; /* this thread is inside a call with a claim */

#ifdef VOLT_HAVE_OPENBLAS

/* Not in any header. When an OpenBLAS build hides them, only the available memory is checked. */
void *blas_memory_alloc(int purpose) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));
int openblas_get_num_threads(void);
void openblas_set_num_threads(int count);
char *openblas_get_config(void);

static const double largest_buffer = 132 * 0x1p20; /* with some pages around it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the two counters below */
static int64_t claimed;                                  /* buffers that running calls may need at a time */
static int64_t taken;                                    /* buffers known to be allocated */

/* A forked child must not inherit a lock held by another thread of the parent. */
static void lock_for_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void keep_lock_over_forks(void)
{
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

/* Buffers available besides those of OpenBLAS's worker threads: it has slots for two for each thread that it
 * was built for, and warns about more. */
static int64_t max_buffers(void)
{
    const char *found = strstr(openblas_get_config(), "MAX_THREADS=");
    long built_for = found ? strtol(found + strlen("MAX_THREADS="), NULL, 10) : 0;
    return built_for > 0 ? 2 * built_for - openblas_get_num_threads() : 2 * openblas_get_num_threads();
}

static volt_status lacking(int64_t threads)
{
    char what[96];
    snprintf(what, sizeof what, "the next BLAS buffer, on %d thread%s,", (int)threads, threads == 1 ? "" : "s");
    return volt_memory_insufficient(largest_buffer, what);
}

/* Allocates `count` buffers in addition to those that other threads use now. */
static volt_status take_buffers(int64_t count, int64_t threads)
{
    count = volt_min(count, max_buffers());
    volt_status status = VOLT_OK;
    void **buffers = volt_alloc_zero(count, sizeof *buffers);
    if (!buffers)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == VOLT_OK; i++)
        if (!volt_memory_can_map(largest_buffer))
            status = lacking(threads);
        else if (blas_memory_alloc && blas_memory_free)
            buffers[i] = blas_memory_alloc(0);
    for (int64_t i = 0; i < count; i++)
        if (buffers[i] && blas_memory_free)
            blas_memory_free(buffers[i]);
    volt_free(buffers);
    return status;
}

static volt_status claim_buffers(int64_t threads, int64_t *buffers)
{
    volt_status status = VOLT_OK;
    pthread_mutex_lock(&lock);
    int64_t own = openblas_get_num_threads(), more = threads + (threads > own ? threads - own : 0);
    if (claimed + more > taken) {
        status = take_buffers(claimed + more, threads);
        if (status == VOLT_OK)
            taken = claimed + more;
    }
    if (status == VOLT_OK) {
        claimed += more;
        *buffers = more;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void release_buffers(int64_t buffers)
{
    pthread_mutex_lock(&lock);
    claimed -= buffers;
    pthread_mutex_unlock(&lock);
}

void volt_blas_set_threads(int64_t count)
{
    int64_t more = count - openblas_get_num_threads();
    pthread_mutex_lock(&lock);
    bool enough = more <= 0 || take_buffers(more, count) == VOLT_OK;
    pthread_mutex_unlock(&lock);
    if (enough) /* otherwise the claim that needs them fails, with its message */
        openblas_set_num_threads((int)count);
}

#else

void volt_blas_set_threads(int64_t count)
{
    (void)count; /* set by the environment of that BLAS */
}

static volt_status claim_buffers(int64_t threads, int64_t *buffers)
{
    (void)threads;
    *buffers = 0; /* not known for other BLAS libraries */
    return VOLT_OK;
}

static void release_buffers(int64_t buffers)
{
    (void)buffers;
}

#endif

volt_status volt_blas_claim(volt_blas_use *use)
{
    volt_blas_use made = {.is_outer = !has_claim};
    if (made.is_outer) {
        volt_blas_log_core();
        volt_status status = volt_start_threads();
        if (status == VOLT_OK)
            status = claim_buffers(volt_threads(), &made.buffers);
        if (status != VOLT_OK)
            return status;
    }
    has_claim = true;
    *use = made;
    return VOLT_OK;
}

void volt_blas_release(const volt_blas_use *use)
{
    if (!use->is_outer)
        return;
    release_buffers(use->buffers);
    has_claim = false;
}

bool volt_blas_set_claimed(bool is_under)
{
    bool before = has_claim;
    has_claim = is_under;
    return before;
}
