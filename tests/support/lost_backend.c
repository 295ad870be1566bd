/* tests/support/lost_backend.c: a remote back end that is full or lost at the k-th call. */
#include "support/lost_backend.h"

#include "backend/backend.h"
#include "base/error.h"
#include "support/check.h"

static scenario_fault full = {"full", VOLT_ERR_MEMORY, false, 0, 0},
                      lost = {"lost", VOLT_ERR_DEVICE, true, 0, 0};

static double *(*far_alloc)(int64_t rows, int64_t cols);

static double *alloc_there(int64_t rows, int64_t cols)
{
    if (!scenario_fault_due(&full))
        return far_alloc(rows, cols);
    volt_fail(VOLT_ERR_MEMORY, "the memory of the device is full");
    return NULL;
}

/* A product without memory for its workspace: the state reports it, once. */
static bool (*far_product)(const volt_kernel_form *form, const volt_product_task *task, volt_stage *stage);
static bool missing;

static bool product_there(const volt_kernel_form *form, const volt_product_task *task, volt_stage *stage)
{
    missing = scenario_fault_due(&full);
    return missing || far_product(form, task, stage);
}

static volt_status state_there(void)
{
    if (missing) {
        missing = false;
        return volt_fail(VOLT_ERR_MEMORY, "the memory of the device is full");
    }
    return scenario_fault_due(&lost) ? volt_fail(VOLT_ERR_DEVICE, "the device was lost") : VOLT_OK;
}

void lost_backend_register(void)
{
    static volt_backend backend;
    for (int64_t i = 0; volt_backend_at(i); i++)
        if (strcmp(volt_backend_at(i)->name, "far-gram") == 0)
            backend = *volt_backend_at(i);
    far_alloc = backend.alloc;
    far_product = backend.product;
    backend.name = "lost";
    backend.alloc = alloc_there;
    backend.product = product_there;
    backend.state = state_there;
    check_ok(volt_backend_register(&backend));
}

void lost_backend_check(const scenario *j)
{
    check_ok(volt_backend_use("lost"));
    scenario_disturb(j, (scenario_fault *[]){&full, &lost}, 2);
    assert_true(full.asked > 0 && lost.asked > 0);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}
