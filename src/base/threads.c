/* src/base/threads.c: the number of threads for OpenMP loops and BLAS: of the process, of the calling
 * thread, and of a forked child. */
#define _POSIX_C_SOURCE 200809L
#include "base/threads.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "volterra/base.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 4096 };

static _Atomic int64_t wanted;   /* set for the process; 0: the default */
static _Atomic int64_t standard; /* OpenMP's default before OpenBLAS changed it; 0: unchanged */

static _Thread_local int64_t local_threads; /* set for the calling thread; 0: as the process */
static _Thread_local int openmp;            /* OpenMP's number for this thread before it set its own */

/* ---- forked children -------------------------------------------------------------------------- */

/* A forked child inherits the thread lists of OpenMP and OpenBLAS, but only the thread that forked: its
 * first parallel loop would wait forever for the others. A single-threaded process has no list. */
static atomic_bool several; /* threads, when this process last forked */
static atomic_bool is_child;

static bool has_several_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return true; /* not known */
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count != 1;
}

static void before_fork(void)
{
    atomic_store(&several, has_several_threads());
}

/* Only sets a flag: other libraries may not be usable yet. Children of this child inherit it. */
static void in_child(void)
{
    if (atomic_load(&several))
        atomic_store(&is_child, true);
}

__attribute__((constructor)) static void listen_for_forks(void)
{
    pthread_atfork(before_fork, NULL, in_child);
}

/* Why this process is limited to one thread; NULL if it is not. */
static const char *limit_of_process(void)
{
    if (atomic_load(&is_child))
        return "the process was forked";
    return volt_blas_needs_one_thread() ? "OpenBLAS was built without threads" : NULL;
}

/* ---- OpenMP's number -------------------------------------------------------------------------- */

/* OpenMP has a number for each thread that starts loops, and OpenBLAS reads it. */
static void set_openmp_threads(int64_t count)
{
    if (omp_get_max_threads() != count && !omp_in_parallel())
        omp_set_num_threads((int)count);
}

/* In a limited process: limits this thread and, once, a BLAS with its own threads. */
static void stay_on_one(void)
{
    static atomic_flag openmp_threads = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&openmp_threads))
        volt_blas_set_threads(1);
    set_openmp_threads(1);
}

static int64_t of_process(void)
{
    int64_t count = atomic_load(&wanted);
    return count ? count : volt_default_threads();
}

/* A number set by OMP_NUM_THREADS or by a call takes precedence. Otherwise OpenMP uses all processors
 * available to this process, which a control group may limit further. *why names the source. */
static int64_t find_standard(const char **why)
{
    int64_t count = local_threads ? openmp : omp_get_max_threads(), all = omp_get_num_procs();
    if (getenv("OMP_NUM_THREADS")) {
        *why = "OMP_NUM_THREADS";
        return count;
    }
    *why = "the processors that it may run on";
    int64_t limited = volt_processors_limit(all, why);
    if (count == all || count == limited) /* the second was set by set_openmp_threads */
        return limited;
    *why = "a setting of OpenMP";
    return count;
}

int64_t volt_default_threads(void)
{
    const char *why;
    if (limit_of_process())
        return 1;
    int64_t count = atomic_load(&standard);
    return count ? count : find_standard(&why);
}

const char *volt_threads_from(void)
{
    const char *why = limit_of_process();
    volt_threads(); /* sets OpenMP's number */
    if (!why && (local_threads || atomic_load(&wanted)))
        return "asked for";
    if (!why)
        find_standard(&why);
    return why;
}

int64_t volt_threads(void)
{
    if (limit_of_process() || !VOLT_HAS_OPENMP) {
        stay_on_one();
        return 1;
    }
    int64_t process = of_process();
    /* Why 1: with concurrent calls of different thread counts above 1, OpenBLAS mixes up their buffers, and
     * both results are wrong. */
    set_openmp_threads(!local_threads || local_threads == process ? process : 1);
    return local_threads ? local_threads : process;
}

int64_t volt_threads_for(double work)
{
    double most = work / VOLT_WORK_PER_THREAD;
    return most < 2 ? 1 : (int64_t)fmin((double)volt_threads(), most);
}

/* ---- setting it ------------------------------------------------------------------------------- */

static volt_status check_count(int64_t count)
{
    VOLT_REQUIRE(count >= 0 && count <= MAX_THREADS, VOLT_ERR_ARGUMENT,
                 "the number of threads must be 0 (default) to %d (got %" PRId64 ")", MAX_THREADS, count);
    if (count > 1 && limit_of_process())
        volt_log(VOLT_LOG_WARNING, "this process is limited to one thread, not %" PRId64 ": %s", count,
                 atomic_load(&is_child)
                     ? "it was forked from a process with threads; start it with exec or spawn to use more"
                     : "OpenBLAS was built without threads; install its OpenMP build to use more");
    return VOLT_OK;
}

volt_status volt_set_threads(int64_t count)
{
    VOLT_TRY(check_count(count));
    if (limit_of_process())
        return VOLT_OK;
    int64_t unknown = 0;
    atomic_compare_exchange_strong(&standard, &unknown, volt_default_threads());
    atomic_store(&wanted, count);
    volt_blas_set_threads(of_process());
    return VOLT_OK;
}

volt_status volt_set_threads_local(int64_t count, int64_t *before)
{
    VOLT_TRY(check_count(count));
    if (before)
        *before = local_threads;
    if (count && !local_threads)
        openmp = omp_get_max_threads();
    bool ends = local_threads && !count;
    local_threads = count;
    if (ends)
        set_openmp_threads(openmp);
    return VOLT_OK;
}

int64_t volt_threads_begin(double work, int64_t *before)
{
    int64_t threads = volt_threads_for(work);
    *before = local_threads;
    if (threads == 1 && !local_threads) {
        volt_set_threads_local(1, NULL);
        volt_threads(); /* sets OpenMP's number, which BLAS uses */
    }
    return threads;
}

void volt_threads_end(int64_t before)
{
    if (local_threads != before)
        volt_set_threads_local(before, NULL);
}

/* ---- memory for the stacks of the threads, then the threads ------------------------------------ */

/* Threads started by this one: OpenMP keeps them for its next loop, and releases some in a loop with fewer. */
static _Thread_local int64_t started = 1;

/* Bytes of a thread's stack, with its guard pages. OMP_STACKSIZE may request another size, which is not
 * checked. */
static double stack_bytes(void)
{
    size_t size = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return (double)size + 0x1p16;
}

volt_status volt_start_threads(void)
{
    int64_t threads = volt_threads();
    if (threads > started && !omp_in_parallel()) {
        double bytes = (double)(threads - 1) * stack_bytes();
        if (!volt_memory_can_map(bytes)) {
            char what[64];
            snprintf(what, sizeof what, "work on %" PRId64 " threads", threads);
            return volt_memory_insufficient(bytes, what);
        }
        int running = 0;
#pragma omp parallel num_threads((int)threads) reduction(+ : running)
        running = 1;
        (void)running;
    }
    started = threads;
    return VOLT_OK;
}
