/* tests/support/polling.h: setup and teardown of tests that count the calls of a progress function. */
#ifndef SUPPORT_POLLING_H
#define SUPPORT_POLLING_H

#include "base/progress.h"
#include "base/threads.h"
#include "volterra/base.h"

static int64_t threads_before_polling;

/* Every poll calls the progress function. One thread: only the thread that began a stage calls it, and how many of the
 * units this thread takes depends on the load of the machine. */
static inline int poll_always(void **state)
{
    (void)state;
    threads_before_polling = volt_threads();
    volt_stage_set_interval(0);
    return volt_set_threads(1) != VOLT_OK;
}

static inline int poll_as_usual(void **state)
{
    (void)state;
    volt_stage_set_interval(0.05);
    return volt_set_threads(threads_before_polling) != VOLT_OK;
}

#endif
