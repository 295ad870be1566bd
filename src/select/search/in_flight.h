/* src/select/search/in_flight.h: where the candidates of a search are evaluated, and how many at a time. */
#ifndef SELECT_IN_FLIGHT_H
#define SELECT_IN_FLIGHT_H

#include "select/folds/workspace.h"

/* Choose the back end of the problem, for so many candidates (-1: no end). */
void volt_flight_choose(volt_problem *problem, int64_t candidates);
/* The same; VOLT_ERR_MEMORY when not even one workspace has room there. */
volt_status volt_flight_place(volt_problem *problem, int64_t candidates);

/* How many at a time. Here: one a thread, where a factorisation is too small to be divided well and half of the memory
 * holds their workspaces. On a device: as many as keep it busy and as its memory holds, each with a thread here that waits
 * for it most of the time. */
int64_t volt_flight_size(const volt_problem *problem, int64_t candidates);

#endif
