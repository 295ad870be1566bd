/* src/base/threads.c: the number of threads, for our loops and for BLAS: of the process, of the calling thread, and
 * of a forked child. */
#include "base/threads.h"

#include "base/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#define _POSIX_C_SOURCE 200809L
#include "base/blas.h"
#include "base/error.h"
#include "volterra/base.h"

#include <dirent.h>
#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_THREADS = 4096 };

static _Atomic int64_t wanted;   /* by the process; 0: the default */
static _Atomic int64_t standard; /* the default of OpenMP, kept because OpenBLAS changes it (it calls
                                    omp_set_num_threads); 0: not changed yet */

static _Thread_local int64_t own; /* wanted by the calling thread; 0: as the process */
static _Thread_local int openmp;  /* what OpenMP had for this thread before it wanted a number of its own */

/* ---- forked children -------------------------------------------------------------------------- */

/* A child has a copy of OpenMP's list of threads and of OpenBLAS's, but of the threads only the one that forked:
 * the first parallel loop would wait for the others for ever. A process of one thread has no such list. */
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

/* Only a mark: this may run while another library is not usable yet. A child of such a child has it too. */
static void in_child(void)
{
    if (atomic_load(&several))
        atomic_store(&is_child, true);
}

__attribute__((constructor)) static void listen_for_forks(void)
{
    pthread_atfork(before_fork, NULL, in_child);
}

/* ---- OpenMP's number -------------------------------------------------------------------------- */

/* OpenMP has a number for each thread that starts loops, and OpenBLAS looks there. */
static void tell_openmp(int64_t count)
{
    if (omp_get_max_threads() != count && !omp_in_parallel())
        omp_set_num_threads((int)count);
}

/* In a forked child: this thread and, once, a BLAS that brings threads of its own. */
static void stay_on_one(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        volt_blas_set_threads(1);
    tell_openmp(1);
}

static int64_t of_process(void)
{
    int64_t count = atomic_load(&wanted);
    return count ? count : volt_default_threads();
}

/* What OpenMP was told, by OMP_NUM_THREADS or by a call, is what the user wants. Where it was told nothing it takes all
 * processors that this process may run on, of which a control group may leave it less. *why names the source. */
static int64_t find_standard(const char **why)
{
    int64_t count = own ? openmp : omp_get_max_threads(), all = omp_get_num_procs();
    if (getenv("OMP_NUM_THREADS")) {
        *why = "OMP_NUM_THREADS";
        return count;
    }
    *why = "the processors that it may run on";
    int64_t limited = volt_processors_limit(all, why);
    if (count == all || count == limited) /* the second is what tell_openmp has said */
        return limited;
    *why = "a setting of OpenMP";
    return count;
}

int64_t volt_default_threads(void)
{
    const char *why;
    if (atomic_load(&is_child))
        return 1;
    int64_t count = atomic_load(&standard);
    return count ? count : find_standard(&why);
}

const char *volt_threads_from(void)
{
    const char *why = "it is a forked process";
    volt_threads(); /* so that OpenMP has been told */
    if (own || atomic_load(&wanted))
        return "asked for";
    if (!atomic_load(&is_child))
        find_standard(&why);
    return why;
}

int64_t volt_threads(void)
{
    if (atomic_load(&is_child)) {
        stay_on_one();
        return 1;
    }
    int64_t process = of_process();
    /* Why 1: where calls of different numbers above 1 run at a time, OpenBLAS takes the buffers of one for
     * another, and both are wrong. */
    tell_openmp(!own || own == process ? process : 1);
    return own ? own : process;
}

/* ---- setting it ------------------------------------------------------------------------------- */

static volt_status check_count(int64_t count)
{
    VOLT_REQUIRE(count >= 0 && count <= MOST_THREADS, VOLT_ERR_ARGUMENT,
                 "the number of threads is %" PRId64 ", and must be 0 (default) to %d", count, MOST_THREADS);
    if (count > 1 && atomic_load(&is_child))
        volt_log(VOLT_LOG_WARNING,
                 "this process was forked from one with threads and stays on one thread, not %" PRId64
                 ": start it anew (exec, spawn) to have more",
                 count);
    return VOLT_OK;
}

volt_status volt_set_threads(int64_t count)
{
    VOLT_TRY(check_count(count));
    if (atomic_load(&is_child))
        return VOLT_OK;
    int64_t unknown = 0;
    atomic_compare_exchange_strong(&standard, &unknown, volt_default_threads());
    atomic_store(&wanted, count);
    volt_blas_set_threads(of_process());
    return VOLT_OK;
}

volt_status volt_set_own_threads(int64_t count, int64_t *before)
{
    VOLT_TRY(check_count(count));
    if (before)
        *before = own;
    if (count && !own)
        openmp = omp_get_max_threads();
    bool ends = own && !count;
    own = count;
    if (ends)
        tell_openmp(openmp);
    return VOLT_OK;
}

/* ---- room for the stacks of the threads, then the threads -------------------------------------- */

/* Threads that this one has started: OpenMP keeps them for its next loop, and lets go of some in a loop of fewer. */
static _Thread_local int64_t started = 1;

/* Bytes of a thread's stack, with the pages that guard it. OMP_STACKSIZE may ask for another size: then the loop
 * itself finds out. */
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
            return volt_memory_lacking(bytes, what);
        }
        int running = 0;
#pragma omp parallel num_threads((int)threads) reduction(+ : running)
        running = 1;
        (void)running;
    }
    started = threads;
    return VOLT_OK;
}
