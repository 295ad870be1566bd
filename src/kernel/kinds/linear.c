/* src/kernel/kinds/linear.c: <x, y>, summed over a window. */
#include "base/clones.h"
#include "kernel/kind_parts.h"

enum { WINDOW, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {[WINDOW] = VOLT_PARAMETER_WINDOW};

VOLT_CLONES
static void step(VOLT_STEP_ARGUMENTS)
{
    (void)scan;
    VOLT_STATIC_STEP(s)
}

static void taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    (void)numbers;
    for (int p = 0; p <= order; p++)
        for (int k = 0; k < VOLT_JET_LANES; k++)
            f[p][k] = p == 0 ? x[k] : p == 1;
}

VOLT_STATIC_SERIES(taylor)

static const volt_scan_code code = {.step = "return s;\n"};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    int64_t window = (int64_t)kernel->value[WINDOW];
    volt_scan scan = {.step = step, .form = {VOLT_FORM_LINEAR, {0}}, .code = &code};
    *resolved = volt_static_resolved(scan, window, radius, (double)window * radius * radius);
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_linear = {
    .info = {VOLT_KERNEL_INFO, .name = "linear", .formula = "<x, y>", .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
};
