/* src/kernel/kinds/sigmoid.c: tanh(gamma <x, y> + coef0), the product summed over a window. Not positive
 * semidefinite in general. */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"

#include <math.h>

enum { GAMMA, COEF0, WINDOW, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [GAMMA] = VOLT_PARAMETER_STATIC_GAMMA,
    [COEF0] = {VOLT_REAL("coef0", "(-inf, inf)", -INFINITY, INFINITY, 0), VOLT_SEARCHED(LOG, 1e-3, 3),
               .fallback = "1", .meaning = "shift inside tanh"},
    [WINDOW] = VOLT_PARAMETER_WINDOW,
};

typedef struct constants {
    double gamma, coef0;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

VOLT_CLONES_WIDE
static void step(VOLT_STEP_ARGUMENTS)
{
    const constants consts = constants_of(&scan->constants);
    double gamma = consts.gamma, coef0 = consts.coef0;
    VOLT_STATIC_STEP(volt_tanh(gamma * s + coef0))
}

/* y = tanh(gamma x + coef0) has y' = gamma (1 - y^2). */
static void taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    const constants consts = constants_of(numbers);
    for (int k = 0; k < VOLT_JET_LANES; k++)
        f[0][k] = volt_tanh(consts.gamma * x[k] + consts.coef0);
    for (int p = 1; p <= order; p++)
        for (int k = 0; k < VOLT_JET_LANES; k++) {
            double square = 0;
            for (int i = 0; i < p; i++)
                square += f[i][k] * f[p - 1 - i][k];
            f[p][k] = consts.gamma * ((p == 1) - square) / p;
        }
}

VOLT_STATIC_SERIES(taylor)

static const volt_scan_code code = {.constants = {"gamma", "coef0"},
                                    .step = "return tanh(gamma * s + coef0);\n"};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    int64_t window = (int64_t)kernel->value[WINDOW];
    constants consts = {.gamma = volt_static_gamma(kernel, GAMMA, d, window), .coef0 = kernel->value[COEF0]};
    volt_scan scan = {.step = step,
                      .constants = constants_keep(consts),
                      .form = {VOLT_FORM_SIGMOID, {consts.gamma, consts.coef0}},
                      .code = &code};
    *resolved = volt_static_resolved(scan, window, radius, 1);
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_sigmoid = {
    .info = {VOLT_KERNEL_INFO, .name = "sigmoid", .formula = "tanh(gamma <x, y> + coef0)", .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
    .may_be_indefinite = true,
};
