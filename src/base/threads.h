/* src/base/threads.h: how many processors this process may keep busy.
 *
 * OpenMP counts those that it may run on (its affinity). A container or a batch job is often held to less by the CPU quota of
 * its control group: with more threads than that, all of them are stopped for a part of the time. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "volterra/base.h"

#include <stdint.h>

/* Whole processors that the quotas of the control groups of this process, and of those around them, leave it, at least 1; 0
 * when there is no quota. Version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). Files are looked for below `root`, "" for
 * those of the system. */
int64_t volt_cgroup_processors(const char *root);

/* What is left of `count` processors with the quota, and with the sharers below; *why says which of the two it was, and is left
 * alone where nothing was taken off. */
int64_t volt_processors_limit(int64_t count, const char **why);

/* So many processes of one job, this one among them, run on the same processors: each takes its part. 1 at the start; before
 * the first call that asks for threads. */
void volt_processors_set_sharers(int64_t processes);

/* ---- the threads of the library's parallel loops, started while there is room for them ---------
 * OpenMP starts its threads in the first loop, and ends the program when it can not. Functions with a parallel loop
 * start them here first, from the thread that called the library. */

/* volt_threads() threads. VOLT_ERR_MEMORY, with the figures, when there is no room for their stacks. */
volt_status volt_start_threads(void);

/* Where the number of volt_threads() comes from, in words, static: OMP_NUM_THREADS, the processors, a quota, ... */
const char *volt_threads_from(void);

/* What volt_set_threads(0) gives. */
int64_t volt_default_threads(void);

#endif
