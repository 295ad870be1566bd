/* tests/support/scenario.h: fault injection at every step of a sequence of library calls.
 *
 * A scenario is a function that creates objects, calls the library and frees everything, on one thread.
 * scenario_check runs it without faults, then with the k-th allocation failing, with the k-th claim (below)
 * refused, and cancelled at the k-th poll, for every k. If there are many, one fault is tried below each call site
 * (support/call_sites.h). Each run must return the correct status and leave no allocation or file. A final run must
 * give results bitwise equal to those of the first.
 *
 * Claims are memory checks before an allocation: volt_blas_claim, volt_start_threads and
 * volt_memory_require. Programs whose names end in `_scenarios` are linked with --wrap for these functions
 * (tests/CMakeLists.txt). */
#ifndef SUPPORT_SCENARIO_H
#define SUPPORT_SCENARIO_H

#include "volterra/base.h"

#include <stdbool.h>

/* Result of a scenario: a digest of the bits of its numbers. */
typedef struct scenario_result {
    uint64_t digest;
    int64_t numbers;
} scenario_result;

void scenario_put(scenario_result *result, const double *numbers, int64_t count);
void scenario_put_bytes(scenario_result *result, const void *bytes, size_t size);
/* Add the contents of a file and remove it. */
void scenario_put_file(scenario_result *result, const char *path);

/* Exceptions for a scenario. */
enum {
    SCENARIO_DOES_WITHOUT = 1, /* some allocations may fail, and it comes to the same numbers */
    SCENARIO_SILENT = 2,       /* it has no polls */
    SCENARIO_GOES_ON = 4,      /* it calls again after a failure, and always comes to the same numbers */
    SCENARIO_NEW_SITES = 8     /* only faults below call sites that the scenario before it does not have */
};

typedef struct scenario {
    const char *name;
    const void *with; /* distinguishes scenarios with the same function */
    volt_status (*run)(const void *with, volt_progress progress, scenario_result *result);
    int traits;
    int64_t most; /* faults of each kind that are all tried; 0: 300 */
} scenario;

/* On failure ends the test and prints the scenario, the fault and its number. */
void scenario_check(const scenario *j);

/* An additional kind of fault. Each fault point checks whether the fault is due: at number `at` (0: never),
 * once or permanently. */
typedef struct scenario_fault {
    const char *name;
    volt_status status; /* status of a scenario with the fault */
    bool stays;
    int64_t at, asked; /* on one thread */
} scenario_fault;

bool scenario_fault_due(scenario_fault *fault);

/* As scenario_check, with these faults. */
void scenario_disturb(const scenario *j, scenario_fault *const faults[], int count);

/* Before and after a group of scenarios: one thread, every poll is a call. */
int scenario_begin(void **state);
int scenario_end(void **state);

/* Set the result of volt_memory_available; 0: the actual value. */
void scenario_set_available(uint64_t bytes);

/* Let time advance by `step` seconds at every reading (volt_seconds), from 0 in every run; 0: the actual time. */
void scenario_set_clock(double step);

#endif
