/* src/kernel/kinds/cauchy.c: 1 / (1 + gamma |x - y|^2), with the distance summed over a window.
 *
 * It is the average of Gaussians exp(-t gamma D) over t with density exp(-t), so positive semidefinite; its
 * tails decay like 1/D, unlike those of rbf. docs/adding_a_kernel.md explains this file. */
#include "base/clones.h"
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
    double gamma = constants_of(&scan->constants).gamma;
    VOLT_STATIC_STEP(1 / (1 + gamma * s))
}

static void taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    volt_taylor_inverse(1, -constants_of(numbers).gamma, x, order, f);
}

VOLT_STATIC_SERIES(taylor)

static const volt_scan_code code = {.constants = {"gamma"}, .step = "return 1.0 / (1.0 + gamma * s);\n"};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    int64_t window = (int64_t)kernel->value[WINDOW];
    constants consts = {.gamma = volt_static_gamma(kernel, GAMMA, d, window)};
    volt_scan scan = {.step = step,
                      .distance = true,
                      .constants = constants_keep(consts),
                      .form = {VOLT_FORM_CAUCHY, {consts.gamma}},
                      .code = &code};
    *resolved = volt_static_resolved(scan, window, radius, 1);
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_cauchy = {
    .info = {VOLT_KERNEL_INFO, .name = "cauchy", .formula = "1 / (1 + gamma |x - y|^2)", .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
};
