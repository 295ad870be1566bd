/* src/select/candidates/candidates.h: where candidates come from, inside the library. */
#ifndef SELECT_CANDIDATES_H
#define SELECT_CANDIDATES_H

#include "volterra/select.h"

#include <stdbool.h>

/* A source of candidates. `get` gives the text of a kernel, which need not be complete, and alpha. */
struct volt_candidates {
    int64_t count;      /* -1: no end */
    int64_t parameters; /* that differ between candidates, alpha included; 0: not known */
    volt_status (*get)(const volt_candidates *candidates, int64_t index, char kernel[VOLT_KERNEL_LENGTH],
                       double *alpha);
    bool (*has)(const volt_candidates *candidates, int64_t index); /* (optional) is there such a candidate? */
    void (*release)(void *own);                                    /* (optional) */
    void *own;                                                     /* the source's own data */
};

/* Is there a candidate `index`? */
bool volt_candidates_has(const volt_candidates *candidates, int64_t index);

/* Hand `own` over to new candidates; on failure it is released. */
volt_status volt_candidates_make(const volt_candidates *source, volt_candidates **candidates);

#endif
