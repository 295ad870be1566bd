/* src/kernel/kinds/fading.c: an RBF kernel on all previous rows, with geometrically decaying weights.
 *
 *     D[i][j] = |x_i - y_j|^2 + rho D[i-1][j-1],   K[i][j] = exp(-gamma D[i][j]),   0 <= rho < 1
 *
 * The state of a diagonal is D, initially 0. */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"

#include <math.h>

enum { GAMMA, RHO, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [GAMMA] = VOLT_PARAMETER_DISTANCE_GAMMA(10),
    [RHO] = VOLT_PARAMETER_RHO("0.9", 0.99),
};

typedef struct constants {
    double gamma, rho;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

VOLT_CLONES_WIDE
static void step(VOLT_STEP_ARGUMENTS)
{
    (void)stride; /* one number of state */
    const constants consts = constants_of(&scan->constants);
    double gamma = consts.gamma, rho = consts.rho;
    for (int64_t r = 0; r < rows; r++) {
        const double *restrict row = local + r * ld_local;
        double *restrict row_out = out + r * ld_out;
        for (int64_t k = 0; k < count; k++) {
            double distance = row[k] + rho * state[k];
            state[k] = distance;
            row_out[k] = volt_exp(-gamma * distance);
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
    volt_jet_copy(workspace->space, local, state);
    volt_jet_scale(workspace->space, 1 / (1 - constants_of(&scan->constants).rho), state);
}

static void series_step(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state, volt_jet *out)
{
    volt_jet_scale(workspace->space, constants_of(&scan->constants).rho, state);
    volt_jet_add(workspace->space, 1, local, state);
    if (out)
        volt_jet_compose(workspace, gauss_taylor, &scan->constants, state, out);
}

static const volt_scan_series series = {.rest = series_rest, .step = series_step};

static void rest(const volt_scan *scan, double local, double *state)
{
    state[0] = local / (1 - constants_of(&scan->constants).rho);
}

static const volt_scan_code code = {
    .constants = {"gamma", "rho"},
    .step = "a[0] = s + rho * a[0];\n"
            "return exp(-gamma * a[0]);\n",
    .rest = "a[0] = s / (1.0 - rho);\n",
};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    constants consts = {.gamma = kernel->value[GAMMA], .rho = kernel->value[RHO]};
    volt_resolved made = {
        .facts = {.radius = radius, .contraction = consts.rho, .largest = 1},
        .window = 1,
        .scan = {.step = step,
                 .state_size = 1,
                 .start = {0},
                 .rest = rest,
                 .distance = true,
                 .constants = constants_keep(consts),
                 .form = {VOLT_FORM_FADING, {consts.gamma, consts.rho}},
                 .code = &code},
    };
    *resolved = made;
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_fading = {
    .info = {VOLT_KERNEL_INFO, .name = "fading",
             .formula = "exp(-gamma D), D[i][j] = |x_i - y_j|^2 + rho D[i-1][j-1]", .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
};
