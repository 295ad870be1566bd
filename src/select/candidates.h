/* src/select/candidates.h: where candidates come from, inside the library. */
#ifndef SELECT_CANDIDATES_H
#define SELECT_CANDIDATES_H

#include "volterra/select.h"

/* A source of candidates. `get` gives the text of a kernel, which need not be complete, and alpha. */
struct volt_candidates {
    int64_t count; /* -1: no end */
    volt_status (*get)(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       double *alpha);
    void (*release)(void *own); /* (optional) */
    void *own;                  /* the source's own data */
};

/* Hand `own` over to new candidates; on failure it is released. */
volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates);

#endif
