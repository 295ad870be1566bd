/* tests/support/lost_backend.c: a back end far away that is full, or lost, when it is asked for the k-th time. */
#include "support/lost_backend.h"

#include "base/backend.h"
#include "base/digest.h"
#include "base/error.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/far_backend.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* What may fail there: the at-th time that it is asked for, and from then on where it stays so. */
typedef struct fault {
    const char *name;
    volt_status status;
    bool stays;
    int64_t at, asked;
} fault;
static fault full = {"full", VOLT_ERR_MEMORY, false, 0, 0}, lost = {"lost", VOLT_ERR_DEVICE, true, 0, 0};

static bool is_due(fault *f)
{
    f->asked++;
    return f->at > 0 && (f->stays ? f->asked >= f->at : f->asked == f->at);
}

static double *(*far_alloc)(int64_t rows, int64_t cols);

static double *alloc_there(int64_t rows, int64_t cols)
{
    if (!is_due(&full))
        return far_alloc(rows, cols);
    volt_fail(VOLT_ERR_MEMORY, "the memory of the device is full");
    return NULL;
}

static volt_status state_there(void)
{
    return is_due(&lost) ? volt_fail(VOLT_ERR_DEVICE, "the device was lost") : VOLT_OK;
}

void lost_backend_register(void)
{
    static volt_backend backend;
    for (int64_t i = 0; volt_backend_at(i); i++)
        if (strcmp(volt_backend_at(i)->name, "far-gram") == 0)
            backend = *volt_backend_at(i);
    far_alloc = backend.alloc;
    backend.name = "lost";
    backend.alloc = alloc_there;
    backend.state = state_there;
    check_ok(volt_backend_register(&backend));
}

/* With the fault at number k, 0 for none. Returns how often it was asked for. */
static int64_t travel(const passage *p, fault *f, int64_t k, volt_status *status, passage_result *result)
{
    *result = (passage_result){.digest = volt_digest_start};
    f->asked = 0;
    f->at = k;
    failing_alloc_start(0);
    *status = p->run(p->with, (volt_progress){0}, result);
    int64_t live = failing_alloc_live() + far_backends_live();
    failing_alloc_stop();
    f->at = 0;
    if (live != 0)
        fail_msg("%s, %s %" PRId64 ": %" PRId64 " blocks are not freed", p->name, f->name, k, live);
    return f->asked;
}

static void check_fault(const passage *p, fault *f, uint64_t digest)
{
    volt_status status;
    passage_result result;
    int64_t all = travel(p, f, 0, &status, &result);
    assert_true(all > 0);
    for (int64_t k = 1; k <= all; k++) {
        travel(p, f, k, &status, &result);
        if (status != f->status || strlen(volt_error_detail()) == 0)
            fail_msg("%s, %s %" PRId64 ": status \"%s\" (%s)", p->name, f->name, k, volt_status_message(status),
                     volt_error_detail());
    }
    travel(p, f, 0, &status, &result);
    assert_true(status == VOLT_OK && result.digest == digest);
    print_message("%s: %s at %" PRId64 " places\n", p->name, f->name, all);
}

void lost_backend_check(const passage *p)
{
    volt_status status;
    passage_result first;
    check_ok(volt_backend_use("lost"));
    travel(p, &full, 0, &status, &first);
    if (status != VOLT_OK || first.numbers == 0)
        fail_msg("%s, undisturbed: %s (%s)", p->name, volt_status_message(status), volt_error_detail());
    check_fault(p, &full, first.digest);
    check_fault(p, &lost, first.digest);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}
