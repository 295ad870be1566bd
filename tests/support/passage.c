/* tests/support/passage.c: a passage through the library, disturbed at every step. */
#include "support/passage.h"

#include "base/digest.h"
#include "base/progress.h"
#include "support/check.h"
#include "support/failing_alloc.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- what it came to -------------------------------------------------------------------------- */

static void put_bytes(passage_result *result, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        result->digest = volt_digest_byte(result->digest, byte[i]);
    result->numbers++;
}

void passage_put(passage_result *result, const double *numbers, int64_t count)
{
    put_bytes(result, numbers, (size_t)count * sizeof *numbers);
}

void passage_put_text(passage_result *result, const char *text)
{
    put_bytes(result, text, strlen(text));
}

/* ---- disturbances ------------------------------------------------------------------------------- */

static int64_t cancel_at, polls; /* on one thread */

static int listen(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_non_null(stage);
    assert_true(fraction >= 0 && fraction <= 1);
    return ++polls == cancel_at;
}

/* Disturbances of one kind at most: every one, or so many that lie as far apart. */
enum { MOST = UNDER_SANITIZERS ? 12 : 1000 };

typedef struct disturbance {
    const char *name;
    volt_status status; /* of a call that is disturbed */
} disturbance;
static const disturbance no_allocation = {"allocation", VOLT_ERR_MEMORY},
                         no_patience = {"poll", VOLT_ERR_CANCELLED};

/* With number k of the disturbance, 0 for none. Returns how many there were of it. */
static int64_t travel(const passage *p, const disturbance *d, int64_t k, volt_status *status,
                      passage_result *result)
{
    *result = (passage_result){.digest = volt_digest_start};
    cancel_at = d == &no_patience ? k : 0;
    polls = 0;
    failing_alloc_start(d == &no_allocation ? k : 0);
    *status = p->run(p->with, (volt_progress){listen, NULL}, result);
    int64_t live = failing_alloc_live();
    failing_alloc_stop();
    if (live != 0)
        fail_msg("%s, %s %" PRId64 ": %" PRId64 " blocks are not freed", p->name, d->name, k, live);
    if (cancel_at > 0 && polls > cancel_at)
        fail_msg("%s: cancelled at call %" PRId64 ", called %" PRId64 " times", p->name, cancel_at, polls);
    return d == &no_allocation ? failing_alloc_count() : polls;
}

static void check_undisturbed(const passage *p, const disturbance *d, uint64_t digest, int64_t *total)
{
    volt_status status;
    passage_result result;
    *total = travel(p, d, 0, &status, &result);
    if (status != VOLT_OK || result.digest != digest)
        fail_msg("%s, undisturbed: %s (%s), %s numbers", p->name, volt_status_message(status),
                 volt_error_detail(), result.digest == digest ? "the same" : "other");
}

/* Number 1, number 2 and so on, and at last the undisturbed passage again. Returns how many there were. */
static int64_t disturb(const passage *p, const disturbance *d, uint64_t digest)
{
    int64_t total, again;
    check_undisturbed(p, d, digest, &total);
    for (int64_t k = 1; k <= total; k += 1 + (total - 1) / MOST) {
        volt_status status;
        passage_result result;
        travel(p, d, k, &status, &result);
        if (status != d->status || strlen(volt_error_detail()) == 0)
            fail_msg("%s, %s %" PRId64 ": status \"%s\" (%s)", p->name, d->name, k, volt_status_message(status),
                     volt_error_detail());
    }
    check_undisturbed(p, d, digest, &again);
    assert_int_equal(again, total);
    return total;
}

void passage_check(const passage *p)
{
    volt_status status;
    passage_result first;
    travel(p, &no_allocation, 0, &status, &first);
    if (status != VOLT_OK || first.numbers == 0)
        fail_msg("%s, undisturbed: %s (%s)", p->name, volt_status_message(status), volt_error_detail());
    int64_t allocations = disturb(p, &no_allocation, first.digest);
    int64_t cancelled = disturb(p, &no_patience, first.digest);
    print_message("%s: %" PRId64 " allocations, %" PRId64 " polls\n", p->name, allocations, cancelled);
    assert_true(allocations > 0);
    assert_true((cancelled > 0) == !(p->traits & PASSAGE_SILENT));
}

int passage_begin(void **state)
{
    (void)state;
    volt_stage_set_interval(0);
    return volt_set_threads(1) != VOLT_OK;
}

int passage_end(void **state)
{
    (void)state;
    volt_stage_set_interval(0.05);
    return volt_set_threads(0) != VOLT_OK;
}
