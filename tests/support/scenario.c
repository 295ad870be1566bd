/* tests/support/scenario.c: fault injection at every step of a sequence of library calls. */
#include "support/scenario.h"

#include "base/blas.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/progress.h"
#include "base/threads.h"
#include "support/call_sites.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/far_backend.h"
#include "support/scratch.h"

#include <unistd.h>

/* ---- results ---------------------------------------------------------------------------------- */

void scenario_put_bytes(scenario_result *result, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        result->digest = volt_digest_byte(result->digest, byte[i]);
    result->numbers++;
}

void scenario_put(scenario_result *result, const double *numbers, int64_t count)
{
    scenario_put_bytes(result, numbers, (size_t)count * sizeof *numbers);
}

void scenario_put_file(scenario_result *result, const char *path)
{
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    scenario_put_bytes(result, bytes, size);
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

/* ---- faults ----------------------------------------------------------------------------------- */

static scenario_fault allocation = {"allocation", VOLT_ERR_MEMORY, false, 0, 0},
                      claim = {"claim", VOLT_ERR_MEMORY, false, 0, 0},
                      poll = {"poll", VOLT_ERR_CANCELLED, false, 0, 0};

static const scenario_fault *noted; /* kind of fault whose call sites are listed */

bool scenario_fault_due(scenario_fault *fault)
{
    fault->asked++;
    if (fault == noted)
        call_sites_note(fault->asked);
    return fault->at > 0 && (fault->stays ? fault->asked >= fault->at : fault->asked == fault->at);
}

static int listen(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_non_null(stage);
    assert_true(fraction >= 0 && fraction <= 1);
    return scenario_fault_due(&poll);
}

/* ---- claims ----------------------------------------------------------------------------------- */

static uint64_t available;
static double clock_step, clock_now;

volt_status __real_volt_blas_claim(volt_blas_use *use);
volt_status __real_volt_start_threads(void);
volt_status __real_volt_memory_require(double bytes, const char *what);
uint64_t __real_volt_memory_available(void);
double __real_volt_seconds(void);
volt_status __wrap_volt_blas_claim(volt_blas_use *use);
volt_status __wrap_volt_start_threads(void);
volt_status __wrap_volt_memory_require(double bytes, const char *what);
uint64_t __wrap_volt_memory_available(void);
double __wrap_volt_seconds(void);

volt_status __wrap_volt_blas_claim(volt_blas_use *use)
{
    return scenario_fault_due(&claim) ? volt_memory_insufficient(1e6, "the next BLAS buffer")
                                      : __real_volt_blas_claim(use);
}

volt_status __wrap_volt_start_threads(void)
{
    return scenario_fault_due(&claim) ? volt_memory_insufficient(1e6, "work on some threads")
                                      : __real_volt_start_threads();
}

volt_status __wrap_volt_memory_require(double bytes, const char *what)
{
    return scenario_fault_due(&claim) ? volt_memory_insufficient(bytes, what)
                                      : __real_volt_memory_require(bytes, what);
}

uint64_t __wrap_volt_memory_available(void)
{
    return available > 0 ? available : __real_volt_memory_available();
}

double __wrap_volt_seconds(void)
{
    return clock_step > 0 ? clock_now += clock_step : __real_volt_seconds();
}

/* Files of a scenario with faults need no fsync. */
int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

void scenario_set_available(uint64_t bytes)
{
    available = bytes;
}

void scenario_set_clock(double step)
{
    clock_step = step;
}

/* ---- the scenario ------------------------------------------------------------------------------ */

/* Run with the fault at number k (0: none). Returns the number of fault points passed. */
static int64_t travel(const scenario *j, scenario_fault *fault, int64_t k, volt_status *status,
                      scenario_result *result)
{
    *result = (scenario_result){.digest = volt_digest_start};
    fault->at = k;
    fault->asked = 0;
    clock_now = 0;
    failing_alloc_start(allocation.at);
    if (noted == &allocation)
        failing_alloc_watch(call_sites_note);
    *status = j->run(j->with, (volt_progress){listen, NULL}, result);
    allocation.asked = failing_alloc_count();
    int64_t live = failing_alloc_live() + far_backends_live();
    failing_alloc_stop();
    fault->at = 0;
    if (live != 0)
        fail_msg("%s, %s %" PRId64 ": %" PRId64 " blocks are not freed", j->name, fault->name, k, live);
    return fault->asked;
}

/* Returns whether the status is correct for a scenario whose fault occurred. */
static bool is_right(const scenario *j, const scenario_fault *fault, volt_status status, bool same)
{
    if (status != VOLT_OK && strlen(volt_error_detail()) == 0)
        return false;
    if (j->traits & SCENARIO_GOES_ON && fault != &poll)
        return status == VOLT_OK && same;
    return status == fault->status || (j->traits & SCENARIO_DOES_WITHOUT && status == VOLT_OK && same);
}

static void fail_at(const scenario *j, const scenario_fault *fault, int64_t k, volt_status status, bool same)
{
    fail_msg("%s, %s %" PRId64 " of %" PRId64 ": status \"%s\" (%s), %s numbers", j->name, fault->name, k,
             fault->asked, volt_status_message(status), volt_error_detail(), same ? "the same" : "other");
}

/* Run without faults; the results must match the digest if it is set. */
static int64_t travel_undisturbed(const scenario *j, scenario_fault *fault, uint64_t *digest)
{
    volt_status status;
    scenario_result result;
    int64_t asked = travel(j, fault, 0, &status, &result);
    bool same = *digest == 0 || result.digest == *digest;
    if (status != VOLT_OK || !same || result.numbers == 0)
        fail_at(j, fault, 0, status, same);
    *digest = result.digest;
    return asked;
}

/* Largest number of faults of one kind. Of more, one fault below each call site is tried; with sanitizers, which
 * are slow, this many at equal distances. */
enum { MOST = UNDER_SANITIZERS ? 12 : 300 };

static void try_fault(const scenario *j, scenario_fault *fault, int64_t k, uint64_t digest)
{
    volt_status status;
    scenario_result result;
    int64_t asked = travel(j, fault, k, &status, &result);
    bool same = result.digest == digest;
    if (asked < k || !is_right(j, fault, status, same))
        fail_at(j, fault, k, status, same);
    if (fault == &poll && asked > k && !(j->traits & SCENARIO_GOES_ON))
        fail_msg("%s: cancelled at poll %" PRId64 ", polled %" PRId64 " times", j->name, k, asked);
}

void scenario_disturb(const scenario *j, scenario_fault *const faults[], int count)
{
    uint64_t digest = 0;
    travel_undisturbed(j, faults[0], &digest); /* initialises objects that are created once */
    print_message("%s:", j->name);
    for (int i = 0; i < count; i++) {
        scenario_fault *fault = faults[i];
        int64_t most = j->most > 0 && j->most < MOST ? j->most : MOST, tried = 0;
        call_sites_begin(i + 1, i == 0 && !(j->traits & SCENARIO_NEW_SITES));
        noted = fault;
        int64_t total = travel_undisturbed(j, fault, &digest), n_sites = 0;
        noted = NULL;
        const int64_t *sites = call_sites_list(&n_sites);
        bool by_sites = (total > most || j->traits & SCENARIO_NEW_SITES) && !UNDER_SANITIZERS;
        int64_t step = by_sites ? 1 : 1 + (total - 1) / most, end = by_sites ? n_sites : total;
        for (int64_t k = 0; k < end; k += step, tried++)
            try_fault(j, fault, by_sites ? sites[k] : k + 1, digest);
        assert_int_equal(travel_undisturbed(j, fault, &digest), total);
        print_message(" %" PRId64 " of %" PRId64 " times %s", tried, total, fault->name);
    }
    print_message("\n");
}

void scenario_check(const scenario *j)
{
    scenario_disturb(j, (scenario_fault *[]){&allocation, &claim, &poll}, 3);
    assert_true(allocation.asked > 0);
    assert_true((poll.asked > 0) == !(j->traits & SCENARIO_SILENT));
}

int scenario_begin(void **state)
{
    (void)state;
    volt_stage_set_interval(0);
    return volt_set_threads(1) != VOLT_OK;
}

int scenario_end(void **state)
{
    (void)state;
    volt_stage_set_interval(0.05);
    scenario_set_available(0);
    scenario_set_clock(0);
    return volt_set_threads(0) != VOLT_OK;
}
