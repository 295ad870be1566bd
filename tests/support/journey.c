/* tests/support/journey.c: a journey through the library, disturbed at every step. */
#include "support/journey.h"

#include "base/blas.h"
#include "base/digest.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/team.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what it came to -------------------------------------------------------------------------- */

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

/* ---- claims ----------------------------------------------------------------------------------- */

static int64_t refuse_at, claims; /* on one thread */
static uint64_t available;

static bool is_refused(void)
{
    return ++claims == refuse_at;
}

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
    return is_refused() ? volt_memory_lacking(1e6, "the next buffer of BLAS") : __real_volt_blas_claim(use);
}

volt_status __wrap_volt_start_threads(void)
{
    return is_refused() ? volt_memory_lacking(1e6, "work on some threads") : __real_volt_start_threads();
}

volt_status __wrap_volt_memory_require(double bytes, const char *what)
{
    return is_refused() ? volt_memory_lacking(bytes, what) : __real_volt_memory_require(bytes, what);
}

uint64_t __wrap_volt_memory_available(void)
{
    return available > 0 ? available : __real_volt_memory_available();
}

/* What a disturbed journey leaves on a disk need not outlive the machine. */
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

/* ---- polls ------------------------------------------------------------------------------------ */

static int64_t cancel_at, polls;

static int listen(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_non_null(stage);
    assert_true(fraction >= 0 && fraction <= 1);
    return ++polls == cancel_at;
}

/* ---- the journey ------------------------------------------------------------------------------ */

/* Disturbances of one kind at most: every one, or so many that lie as far apart. */
enum { MOST = UNDER_SANITIZERS ? 8 : 200 };

typedef struct disturbance {
    const char *name;
    volt_status status; /* of a call that is disturbed */
} disturbance;
static const disturbance no_allocation = {"allocation", VOLT_ERR_MEMORY}, no_claim = {"claim", VOLT_ERR_MEMORY},
                         no_patience = {"poll", VOLT_ERR_CANCELLED};

/* With number k of the disturbance, 0 for none. Was there a number k? */
static bool travel(const journey *j, const disturbance *d, int64_t k, volt_status *status,
                   journey_result *result)
{
    *result = (journey_result){.digest = volt_digest_start};
    refuse_at = d == &no_claim ? k : 0;
    cancel_at = d == &no_patience ? k : 0;
    claims = polls = 0;
    failing_alloc_start(d == &no_allocation ? k : 0);
    *status = j->run(j->with, (volt_progress){listen, NULL}, result);
    bool hit = d == &no_allocation ? failing_alloc_hit() : (d == &no_claim ? claims : polls) >= k;
    int64_t live = failing_alloc_live();
    failing_alloc_stop();
    refuse_at = cancel_at = 0;
    if (live != 0)
        fail_msg("%s, %s %" PRId64 ": %" PRId64 " blocks are not freed", j->name, d->name, k, live);
    return hit;
}

/* How many there are of a disturbance. */
static int64_t count(const journey *j, const disturbance *d)
{
    volt_status status;
    journey_result result;
    travel(j, d, INT64_MAX, &status, &result);
    return d == &no_allocation ? failing_alloc_count() : d == &no_claim ? claims : polls;
}

/* Number 1, number 2 and so on, and at last the undisturbed journey again. Returns how many there were. */
static int64_t disturb(const journey *j, const disturbance *d, uint64_t digest)
{
    int64_t total = count(j, d), most = j->most > 0 && j->most < MOST ? j->most : MOST,
            step = 1 + (total - 1) / most;
    for (int64_t k = 1;; k = k > total ? k : k + step > total ? total + 1 : k + step) {
        volt_status status;
        journey_result result;
        bool hit = travel(j, d, k, &status, &result);
        bool same = result.digest == digest, goes_on = j->traits & JOURNEY_GOES_ON && d != &no_patience;
        bool right = !hit || goes_on     ? status == VOLT_OK && same
                     : status == VOLT_OK ? same && j->traits & JOURNEY_DOES_WITHOUT
                                         : status == d->status;
        if (!right)
            fail_msg("%s, %s %" PRId64 ": status \"%s\" (%s), %s numbers", j->name, d->name, k,
                     volt_status_message(status), volt_error_detail(), same ? "the same" : "other");
        assert_true(status == VOLT_OK || strlen(volt_error_detail()) > 0);
        if (!hit) {
            assert_int_equal(k, total + 1);
            return total;
        }
    }
}

void journey_check(const journey *j)
{
    volt_status status;
    journey_result first;
    travel(j, &no_allocation, 0, &status, &first);
    if (status != VOLT_OK || first.numbers == 0)
        fail_msg("%s, undisturbed: %s (%s)", j->name, volt_status_message(status), volt_error_detail());
    int64_t allocations = disturb(j, &no_allocation, first.digest);
    int64_t refused = disturb(j, &no_claim, first.digest);
    int64_t cancelled = disturb(j, &no_patience, first.digest);
    print_message("%s: %" PRId64 " allocations, %" PRId64 " claims, %" PRId64 " polls\n", j->name, allocations,
                  refused, cancelled);
    assert_true(allocations > 0);
    assert_true((cancelled > 0) == !(j->traits & JOURNEY_SILENT));
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
