/* src/kernel/kinds/memory_kernel.c: a linear filter over nonlinear functions of recent rows, with fading
 * memory.
 *
 *     D[i][j] = |x_i - y_j|^2 + rho D[i-1][j-1]
 *     K[i][j] = exp(-gamma D[i][j]) + mu K[i-1][j-1],            0 <= rho < 1, 0 <= mu < 1
 *
 * The state of a diagonal is (D, K), initially D = 0 and K = 1 / (1 - mu). */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"

#include <math.h>

enum { GAMMA, RHO, MU, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [GAMMA] = VOLT_PARAMETER_DISTANCE_GAMMA(30),
    [RHO] = VOLT_PARAMETER_RHO("0.5", 0.95),
    [MU] = VOLT_PARAMETER_SHARE("mu", "decay factor of the kernel per step", "0.85", 0.99),
};

typedef struct constants {
    double gamma, rho, mu;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

VOLT_CLONES_WIDE
static void step(VOLT_STEP_ARGUMENTS)
{
    const constants consts = constants_of(&scan->constants);
    double gamma = consts.gamma, rho = consts.rho, mu = consts.mu;
    double *restrict distances = state, *restrict kernels = state + stride;
    for (int64_t r = 0; r < rows; r++) {
        const double *restrict row = local + r * ld_local;
        double *restrict row_out = out + r * ld_out;
        for (int64_t k = 0; k < count; k++) {
            double distance = row[k] + rho * distances[k];
            double value = volt_exp(-gamma * distance) + mu * kernels[k];
            distances[k] = distance;
            kernels[k] = value;
            row_out[k] = value;
        }
    }
}

static void gauss_taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    volt_taylor_exp(1, -constants_of(numbers).gamma, x, order, f);
}

static void series_rest(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state)
{
    const constants consts = constants_of(&scan->constants);
    volt_jet *distance = &state[0], *value = &state[1];
    volt_jet_copy(workspace->space, local, distance);
    volt_jet_scale(workspace->space, 1 / (1 - consts.rho), distance);
    volt_jet_compose(workspace, gauss_taylor, &scan->constants, distance, value);
    volt_jet_scale(workspace->space, 1 / (1 - consts.mu), value);
}

static void series_step(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state, volt_jet *out)
{
    const constants consts = constants_of(&scan->constants);
    volt_jet *distance = &state[0], *value = &state[1], *next = &workspace->spare[0];
    volt_jet_scale(workspace->space, consts.rho, distance);
    volt_jet_add(workspace->space, 1, local, distance);
    volt_jet_compose(workspace, gauss_taylor, &scan->constants, distance, next);
    volt_jet_add(workspace->space, consts.mu, value, next);
    volt_jet_swap(next, value);
    if (out)
        volt_jet_copy(workspace->space, value, out);
}

static const volt_scan_series series = {.rest = series_rest, .step = series_step};

static void rest(const volt_scan *scan, double local, double *state)
{
    const constants consts = constants_of(&scan->constants);
    state[0] = local / (1 - consts.rho);
    state[1] = volt_exp(-consts.gamma * state[0]) / (1 - consts.mu);
}

static const volt_scan_code code = {
    .constants = {"gamma", "rho", "mu"},
    .step = "a[0] = s + rho * a[0];\n"
            "a[1] = exp(-gamma * a[0]) + mu * a[1];\n"
            "return a[1];\n",
    .rest = "a[0] = s / (1.0 - rho);\n"
            "a[1] = exp(-gamma * a[0]) / (1.0 - mu);\n",
};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    double rho = kernel->value[RHO], mu = kernel->value[MU];
    constants consts = {.gamma = kernel->value[GAMMA], .rho = rho, .mu = mu};
    volt_resolved made = {
        .facts = {.radius = radius, .contraction = fmax(rho, mu), .largest = 1 / (1 - mu)},
        .window = 1,
        .scan = {.step = step,
                 .state_size = 2,
                 .start = {0, 1 / (1 - mu)},
                 .rest = rest,
                 .distance = true,
                 .constants = constants_keep(consts),
                 .form = {VOLT_FORM_MEMORY, {consts.gamma, consts.rho, consts.mu}},
                 .code = &code},
    };
    *resolved = made;
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_memory = {
    .info = {VOLT_KERNEL_INFO, .name = "memory",
             .formula = "exp(-gamma D) + mu K[i-1][j-1], D[i][j] = |x_i - y_j|^2 + rho D[i-1][j-1]",
             .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
};
