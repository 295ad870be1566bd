/* tests/support/polling.h: setup and teardown of tests that count the calls of a progress function. */
#ifndef SUPPORT_POLLING_H
#define SUPPORT_POLLING_H

#include "base/progress.h"
#include "volterra/base.h"

/* Every poll calls the progress function, from one thread. */
static inline int poll_always(void **state)
{
    (void)state;
    volt_stage_set_interval(0);
    return volt_set_threads(1) != VOLT_OK;
}

static inline int poll_as_usual(void **state)
{
    (void)state;
    volt_stage_set_interval(0.05);
    return volt_set_threads(0) != VOLT_OK;
}

#endif
