/* tests/support/lost_backend.h: a back end far away (far_backend.h) that is full, or lost, when it is asked for the k-th time. */
#ifndef SUPPORT_LOST_BACKEND_H
#define SUPPORT_LOST_BACKEND_H

#include "support/journey.h"

/* Add it to the table as "lost", after far_backends_register: it does what far-gram does. */
void lost_backend_register(void);

/* The journey at this back end, whose k-th alloc gives nothing (VOLT_ERR_MEMORY), then whose k-th state is
 * VOLT_ERR_DEVICE and every one after it, for every k: nothing is left behind, here or there, and afterwards the journey
 * leads to the undisturbed numbers. The CPU is current before and after. */
void lost_backend_check(const journey *j);

#endif
