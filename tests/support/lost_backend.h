/* tests/support/lost_backend.h: a remote back end (far_backend.h) that is full or lost at the k-th call. */
#ifndef SUPPORT_LOST_BACKEND_H
#define SUPPORT_LOST_BACKEND_H

#include "support/scenario.h"

/* Add it to the table as "lost", after far_backends_register: it does what far-gram does. */
void lost_backend_register(void);

/* Runs the scenario on this back end with the k-th alloc failing (VOLT_ERR_MEMORY), then with the k-th and
 * all later states VOLT_ERR_DEVICE, for every k. Nothing may leak on the CPU or on the back end, and a final
 * run must give the results of a run without faults. The CPU is current before and after. */
void lost_backend_check(const scenario *j);

#endif
