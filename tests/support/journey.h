/* tests/support/journey.h: a journey through the library, disturbed at every step.
 *
 * A journey makes what it needs, does something and gives everything back, on one thread. journey_check runs it
 * undisturbed, then with the k-th allocation failing, then with the k-th claim (below) refused, and cancelled at the k-th
 * poll, each for every k (where there are very many, for some of them). Each time the status must be the right
 * one, nothing may be left behind, and after all of that the journey must lead to the undisturbed numbers, bit for bit.
 *
 * Claims are what memory is asked for before it is allocated: volt_blas_claim, volt_start_threads and
 * volt_memory_require. They are seen, and refused, because programs whose names end in `_journeys` are linked with
 * --wrap of these (tests/CMakeLists.txt). */
#ifndef SUPPORT_JOURNEY_H
#define SUPPORT_JOURNEY_H

#include "volterra/base.h"

#include <stdbool.h>

/* What a journey came to: a digest of the bits of its numbers. */
typedef struct journey_result {
    uint64_t digest;
    int64_t numbers;
} journey_result;

void journey_put(journey_result *result, const double *numbers, int64_t count);
void journey_put_bytes(journey_result *result, const void *bytes, size_t size);
/* A file as it is, which is removed. */
void journey_put_file(journey_result *result, const char *path);

/* What a journey does not promise. */
enum {
    JOURNEY_DOES_WITHOUT = 1, /* some allocations may fail, and it comes to the same numbers */
    JOURNEY_SILENT = 2,       /* it has no polls */
    JOURNEY_GOES_ON = 4       /* it calls again after a failure, and always comes to the same numbers */
};

typedef struct journey {
    const char *name;
    const void *with; /* what tells it from another with the same function */
    volt_status (*run)(const void *with, volt_progress progress, journey_result *result);
    int traits;
    int64_t most; /* of each kind of disturbance; 0: a thousand */
} journey;

/* Ends the test with the journey, the disturbance and its number. */
void journey_check(const journey *j);

/* What else may go wrong: where it may, ask whether it is due. It is at number `at`, 0 for never, and stays so or not. */
typedef struct journey_fault {
    const char *name;
    volt_status status; /* of a journey where it was due */
    bool stays;
    int64_t at, asked; /* on one thread */
} journey_fault;

bool journey_fault_due(journey_fault *fault);

/* As journey_check, with these. */
void journey_disturb(const journey *j, journey_fault *const faults[], int count);

/* Before and after a group of journeys: one thread, every poll is a call. */
int journey_begin(void **state);
int journey_end(void **state);

/* From now on volt_memory_available says so; 0: what is true. */
void journey_set_available(uint64_t bytes);

#endif
