/* tests/support/passage.h: a passage through the library, disturbed at every step.
 *
 * A passage makes what it needs, does something and gives everything back, on one thread. passage_check runs it undisturbed,
 * then with the k-th allocation failing and cancelled at the k-th poll, each for every k. Each time the status must be the
 * right one, nothing may be left behind, and afterwards the passage must lead to the undisturbed numbers, bit for bit. */
#ifndef SUPPORT_PASSAGE_H
#define SUPPORT_PASSAGE_H

#include "volterra/base.h"

/* What a passage came to: a digest of the bits of its numbers. */
typedef struct passage_result {
    uint64_t digest;
    int64_t numbers;
} passage_result;

void passage_put(passage_result *result, const double *numbers, int64_t count);
void passage_put_text(passage_result *result, const char *text);

enum { PASSAGE_SILENT = 1 }; /* it has no polls */

typedef struct passage {
    const char *name;
    const void *with; /* what tells it from another with the same function */
    volt_status (*run)(const void *with, volt_progress progress, passage_result *result);
    int traits;
} passage;

/* Ends the test with the passage, the disturbance and its number. */
void passage_check(const passage *p);

/* Before and after a group of passages: one thread, every poll is a call. */
int passage_begin(void **state);
int passage_end(void **state);

#endif
