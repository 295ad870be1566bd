/* tests/support/journey.h: fault injection at every step of a sequence of library calls.
 *
 * A journey is a function that creates objects, calls the library and frees everything, on one thread.
 * journey_check runs it without faults, then with the k-th allocation failing, with the k-th claim (below)
 * refused, and cancelled at the k-th poll, for every k (or a sample if there are many). Each run must return
 * the correct status and leave no allocation or file. A final run must give results bitwise equal to those
 * of the first.
 *
 * Claims are memory checks before an allocation: volt_blas_claim, volt_start_threads and
 * volt_memory_require. Programs whose names end in `_journeys` are linked with --wrap for these functions
 * (tests/CMakeLists.txt). */
#ifndef SUPPORT_JOURNEY_H
#define SUPPORT_JOURNEY_H

#include "volterra/base.h"

#include <stdbool.h>

/* Result of a journey: a digest of the bits of its numbers. */
typedef struct journey_result {
    uint64_t digest;
    int64_t numbers;
} journey_result;

void journey_put(journey_result *result, const double *numbers, int64_t count);
void journey_put_bytes(journey_result *result, const void *bytes, size_t size);
/* Add the contents of a file and remove it. */
void journey_put_file(journey_result *result, const char *path);

/* Exceptions for a journey. */
enum {
    JOURNEY_DOES_WITHOUT = 1, /* some allocations may fail, and it comes to the same numbers */
    JOURNEY_SILENT = 2,       /* it has no polls */
    JOURNEY_GOES_ON = 4       /* it calls again after a failure, and always comes to the same numbers */
};

typedef struct journey {
    const char *name;
    const void *with; /* distinguishes journeys with the same function */
    volt_status (*run)(const void *with, volt_progress progress, journey_result *result);
    int traits;
    int64_t most; /* faults of each kind; 0: a thousand */
} journey;

/* On failure ends the test and prints the journey, the fault and its number. */
void journey_check(const journey *j);

/* An additional kind of fault. Each fault point checks whether the fault is due: at number `at` (0: never),
 * once or permanently. */
typedef struct journey_fault {
    const char *name;
    volt_status status; /* status of a journey with the fault */
    bool stays;
    int64_t at, asked; /* on one thread */
} journey_fault;

bool journey_fault_due(journey_fault *fault);

/* As journey_check, with these faults. */
void journey_disturb(const journey *j, journey_fault *const faults[], int count);

/* Before and after a group of journeys: one thread, every poll is a call. */
int journey_begin(void **state);
int journey_end(void **state);

/* Set the result of volt_memory_available; 0: the actual value. */
void journey_set_available(uint64_t bytes);

#endif
