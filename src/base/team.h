/* src/base/team.h: the threads of the library's parallel loops, started while there is room for them.
 *
 * OpenMP starts its threads in the first loop, and ends the program when it can not. Functions with a parallel loop
 * start them here first, from the thread that called the library. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include "volterra/base.h"

/* volt_threads() threads. VOLT_ERR_MEMORY, with the figures, when there is no room for their stacks. */
volt_status volt_start_threads(void);

/* Where the number of volt_threads() comes from, in words, static: OMP_NUM_THREADS, the processors, a quota, ... */
const char *volt_threads_from(void);

/* What volt_set_threads(0) gives. */
int64_t volt_default_threads(void);

#endif
