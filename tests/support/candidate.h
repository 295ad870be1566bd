/* tests/support/candidate.h: a candidate, and the values of the parameters in its text. */
#ifndef SUPPORT_CANDIDATE_H
#define SUPPORT_CANDIDATE_H

#include "volterra/select.h"

typedef struct candidate {
    char kernel[VOLT_KERNEL_LENGTH];
    double alpha;
} candidate;

/* Candidate `index`; ends the test when there is none. */
candidate candidate_get(const volt_candidates *candidates, int64_t index);

/* The value of a parameter as text; 0 if the kernel text does not contain it. */
int candidate_parameter(const candidate *c, const char *name, char *value);

/* The value of a parameter (or of alpha) as a number; ends the test when there is none. */
double candidate_number(const candidate *c, const char *name);

/* Candidates from a function of the index: it writes candidate i as text and alpha, and returns 0, or
 * nonzero when there are no more. count -1: no end. */
typedef int (*candidate_fn)(int64_t index, char *kernel, size_t size, double *alpha, void *context);
volt_status candidates_of_function(candidate_fn make, void *context, int64_t count,
                                   volt_candidates **candidates);

#endif
