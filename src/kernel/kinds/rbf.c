/* src/kernel/kinds/rbf.c: exp(-gamma |x - y|^2), the distance summed over a window. */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"

#include <math.h>

enum { GAMMA, WINDOW, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [GAMMA] = VOLT_PARAMETER_STATIC_GAMMA,
    [WINDOW] = VOLT_PARAMETER_WINDOW,
};

typedef struct constants {
    double gamma;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

VOLT_CLONES_WIDE
static void step(VOLT_STEP_ARGUMENTS)
{
    double minus_gamma = -constants_of(&scan->constants).gamma;
    VOLT_STATIC_STEP(volt_exp(minus_gamma * s))
}

static void taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    volt_taylor_exp(1, -constants_of(numbers).gamma, x, order, f);
}

VOLT_STATIC_SERIES(taylor)

static const volt_scan_code code = {.constants = {"gamma"}, .step = "return exp(-gamma * s);\n"};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    int64_t window = (int64_t)kernel->value[WINDOW];
    constants consts = {.gamma = volt_static_gamma(kernel, GAMMA, d, window)};
    volt_scan scan = {.step = step,
                      .distance = true,
                      .constants = constants_keep(consts),
                      .form = {VOLT_FORM_RBF, {consts.gamma}},
                      .code = &code};
    *resolved = volt_static_resolved(scan, window, radius, 1);
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_rbf = {
    .info = {VOLT_KERNEL_INFO, .name = "rbf", .formula = "exp(-gamma |x - y|^2)", .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
};
