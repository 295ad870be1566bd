/* src/base/threads.h: the number of processors available to this process, and the threads of parallel loops.
 *
 * OpenMP counts the processors in the affinity mask. The CPU quota of a control group (container, batch job)
 * often allows less; with more threads than the quota, all threads are throttled. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "volterra/base.h"

#include <stdint.h>

/* Whole processors allowed by the quotas of the control groups of this process and their parents, at least
 * 1; 0 without a quota. Version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). Files are read below `root`,
 * "" for those of the system. */
int64_t volt_cgroup_processors(const char *root);

/* Limits `count` processors by the quota and by the sharers below; *why names the limit that applied, and is
 * unchanged when none did. */
int64_t volt_processors_limit(int64_t count, const char **why);

/* Sets the number of processes of one job, including this one, that share the processors equally. Default 1;
 * call it before the first call that uses threads. */
void volt_processors_set_sharers(int64_t processes);

/* ---- the threads of the library's parallel loops, started after a memory check ------------------
 * OpenMP starts its threads in the first loop, and aborts the program on failure. Functions with a parallel
 * loop start them here first, from the thread that called the library. */

/* Returns the number of threads used by calls from this thread. */
int64_t volt_threads(void);

/* Starts volt_threads() threads. VOLT_ERR_MEMORY, with the sizes, when memory for their stacks is short. */
volt_status volt_start_threads(void);

/* Threads for a loop of `work` operations: at most volt_threads(), and one for each VOLT_WORK_PER_THREAD of them. A thread
 * that has less work than this costs more than it saves: other processes may delay its start by milliseconds. */
#define VOLT_WORK_PER_THREAD 2e7
int64_t volt_threads_for(double work);

/* The same, and the calling thread keeps to one thread, also in BLAS, until volt_threads_end() if that is the number. */
int64_t volt_threads_begin(double work, int64_t *before);
void volt_threads_end(int64_t before);

/* The source of the number of volt_threads(), static: OMP_NUM_THREADS, the processors, a quota, ... */
const char *volt_threads_from(void);

/* The number that volt_set_threads(0) selects. */
int64_t volt_default_threads(void);

#endif
