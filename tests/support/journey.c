/* tests/support/journey.c: fault injection at every step of a sequence of library calls. */
#include "support/journey.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/far_backend.h"
#include "support/scratch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- results ---------------------------------------------------------------------------------- */

void journey_put_bytes(journey_result *result, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        result->digest = volt_digest_byte(result->digest, byte[i]);
    result->numbers++;
}

void journey_put(journey_result *result, const double *numbers, int64_t count)
{
    journey_put_bytes(result, numbers, (size_t)count * sizeof *numbers);
}

void journey_put_file(journey_result *result, const char *path)
{
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    journey_put_bytes(result, bytes, size);
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

/* ---- faults ----------------------------------------------------------------------------------- */

static journey_fault allocation = {"allocation", VOLT_ERR_MEMORY, false, 0, 0},
                     claim = {"claim", VOLT_ERR_MEMORY, false, 0, 0},
                     poll = {"poll", VOLT_ERR_CANCELLED, false, 0, 0};

bool journey_fault_due(journey_fault *fault)
{
    fault->asked++;
    return fault->at > 0 && (fault->stays ? fault->asked >= fault->at : fault->asked == fault->at);
}

static int listen(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_non_null(stage);
    assert_true(fraction >= 0 && fraction <= 1);
    return journey_fault_due(&poll);
}

/* ---- claims ----------------------------------------------------------------------------------- */

static uint64_t available;

volt_status __real_volt_blas_claim(volt_blas_use *use);
volt_status __real_volt_start_threads(void);
volt_status __real_volt_memory_require(double bytes, const char *what);
uint64_t __real_volt_memory_available(void);
volt_status __wrap_volt_blas_claim(volt_blas_use *use);
volt_status __wrap_volt_start_threads(void);
volt_status __wrap_volt_memory_require(double bytes, const char *what);
uint64_t __wrap_volt_memory_available(void);

volt_status __wrap_volt_blas_claim(volt_blas_use *use)
{
    return journey_fault_due(&claim) ? volt_memory_insufficient(1e6, "the next BLAS buffer")
                                     : __real_volt_blas_claim(use);
}

volt_status __wrap_volt_start_threads(void)
{
    return journey_fault_due(&claim) ? volt_memory_insufficient(1e6, "work on some threads")
                                     : __real_volt_start_threads();
}

volt_status __wrap_volt_memory_require(double bytes, const char *what)
{
    return journey_fault_due(&claim) ? volt_memory_insufficient(bytes, what)
                                     : __real_volt_memory_require(bytes, what);
}

uint64_t __wrap_volt_memory_available(void)
{
    return available > 0 ? available : __real_volt_memory_available();
}

/* Files of a journey with faults need no fsync. */
int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

void journey_set_available(uint64_t bytes)
{
    available = bytes;
}

/* ---- the journey ------------------------------------------------------------------------------ */

/* Run with the fault at number k (0: none). Returns the number of fault points passed. */
static int64_t travel(const journey *j, journey_fault *fault, int64_t k, volt_status *status,
                      journey_result *result)
{
    *result = (journey_result){.digest = volt_digest_start};
    fault->at = k;
    fault->asked = 0;
    failing_alloc_start(allocation.at);
    *status = j->run(j->with, (volt_progress){listen, NULL}, result);
    allocation.asked = failing_alloc_count();
    int64_t live = failing_alloc_live() + far_backends_live();
    failing_alloc_stop();
    fault->at = 0;
    if (live != 0)
        fail_msg("%s, %s %" PRId64 ": %" PRId64 " blocks are not freed", j->name, fault->name, k, live);
    return fault->asked;
}

/* Returns whether the status is correct for a journey whose fault occurred. */
static bool is_right(const journey *j, const journey_fault *fault, volt_status status, bool same)
{
    if (status != VOLT_OK && strlen(volt_error_detail()) == 0)
        return false;
    if (j->traits & JOURNEY_GOES_ON && fault != &poll)
        return status == VOLT_OK && same;
    return status == fault->status || (j->traits & JOURNEY_DOES_WITHOUT && status == VOLT_OK && same);
}

static void fail_at(const journey *j, const journey_fault *fault, int64_t k, volt_status status, bool same)
{
    fail_msg("%s, %s %" PRId64 " of %" PRId64 ": status \"%s\" (%s), %s numbers", j->name, fault->name, k,
             fault->asked, volt_status_message(status), volt_error_detail(), same ? "the same" : "other");
}

/* Run without faults; the results must match the digest if it is set. */
static int64_t travel_undisturbed(const journey *j, journey_fault *fault, uint64_t *digest)
{
    volt_status status;
    journey_result result;
    int64_t asked = travel(j, fault, 0, &status, &result);
    bool same = *digest == 0 || result.digest == *digest;
    if (status != VOLT_OK || !same || result.numbers == 0)
        fail_at(j, fault, 0, status, same);
    *digest = result.digest;
    return asked;
}

/* Largest number of faults of one kind: all, or this many at equal distances. */
enum { MOST = UNDER_SANITIZERS ? 12 : 1000 };

static int64_t step_among(const journey *j, int64_t total)
{
    return 1 + (total - 1) / (j->most > 0 && j->most < MOST ? j->most : MOST);
}

void journey_disturb(const journey *j, journey_fault *const faults[], int count)
{
    uint64_t digest = 0;
    travel_undisturbed(j, faults[0], &digest); /* initialises objects that are created once */
    print_message("%s:", j->name);
    for (int i = 0; i < count; i++) {
        journey_fault *fault = faults[i];
        int64_t total = travel_undisturbed(j, fault, &digest);
        for (int64_t k = 1; k <= total; k += step_among(j, total)) {
            volt_status status;
            journey_result result;
            int64_t asked = travel(j, fault, k, &status, &result);
            bool same = result.digest == digest;
            if (asked < k || !is_right(j, fault, status, same))
                fail_at(j, fault, k, status, same);
            if (fault == &poll && asked > k && !(j->traits & JOURNEY_GOES_ON))
                fail_msg("%s: cancelled at poll %" PRId64 ", polled %" PRId64 " times", j->name, k, asked);
        }
        assert_int_equal(travel_undisturbed(j, fault, &digest), total);
        print_message(" %" PRId64 " times %s", total, fault->name);
    }
    print_message("\n");
}

void journey_check(const journey *j)
{
    journey_disturb(j, (journey_fault *[]){&allocation, &claim, &poll}, 3);
    assert_true(allocation.asked > 0);
    assert_true((poll.asked > 0) == !(j->traits & JOURNEY_SILENT));
}

int journey_begin(void **state)
{
    (void)state;
    volt_stage_set_interval(0);
    return volt_set_threads(1) != VOLT_OK;
}

int journey_end(void **state)
{
    (void)state;
    volt_stage_set_interval(0.05);
    journey_set_available(0);
    return volt_set_threads(0) != VOLT_OK;
}
