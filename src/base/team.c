/* src/base/team.c: room for the stacks of the threads, then the threads. */
#include "base/team.h"

#include "base/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

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
