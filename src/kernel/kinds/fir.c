/* src/kernel/kinds/fir.c: a linear filter with a decaying impulse response, as in regularised
 * impulse-response estimation.
 *
 *     K[i][j] = sum_{k,l >= 0} mu^{(k+l)/2} corr^{|k-l|} <x_{i-k}, y_{j-l}>,      0 <= mu < 1, -1 < corr < 1
 *
 * This is the diagonal/correlated kernel of Chen, Ohlsson and Ljung (Automatica 48, 2012); tuned/correlated
 * is corr = sqrt(mu). With the echo u_i = x_i + corr sqrt(mu) u_{i-1} (filter.h), it is a diagonal scan
 * (docs/math.md):
 *
 *     F[i][j] = <u_i, u_j> + mu F[i-1][j-1],      K[i][j] = <u_i, u_j> + (1 - corr^2) mu F[i-1][j-1]
 *
 * The state of a diagonal is F, initially 0. */
#include "base/clones.h"
#include "kernel/kind_parts.h"

#include <math.h>

enum { MU, CORR, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [MU] = VOLT_PARAMETER_SHARE("mu", "decay factor of the squared impulse response per step", "0.9", 0.995),
    [CORR] = {VOLT_REAL("corr", "(-1, 1)", -1, 1, 0), .fallback = "0",
              .meaning = "correlation of neighbouring lags; searched only with corr=?"},
};

typedef struct constants {
    double mu, rest; /* rest: (1 - corr^2) mu */
} constants;
VOLT_KERNEL_CONSTANTS(constants)

VOLT_CLONES_WIDE
static void step(VOLT_STEP_ARGUMENTS)
{
    (void)stride; /* one number of state */
    const constants consts = constants_of(&scan->constants);
    double mu = consts.mu, rest = consts.rest;
    for (int64_t r = 0; r < rows; r++) {
        const double *restrict row = local + r * ld_local;
        double *restrict row_out = out + r * ld_out;
        for (int64_t k = 0; k < count; k++) {
            row_out[k] = row[k] + rest * state[k];
            state[k] = row[k] + mu * state[k];
        }
    }
}

static void series_rest(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state)
{
    volt_jet_copy(workspace->space, local, state);
    volt_jet_scale(workspace->space, 1 / (1 - constants_of(&scan->constants).mu), state);
}

static void series_step(const volt_scan *scan, const volt_jet_workspace *workspace, const volt_jet *local,
                        volt_jet *state, volt_jet *out)
{
    const constants consts = constants_of(&scan->constants);
    if (out) {
        volt_jet_copy(workspace->space, local, out);
        volt_jet_add(workspace->space, consts.rest, state, out);
    }
    volt_jet_scale(workspace->space, consts.mu, state);
    volt_jet_add(workspace->space, 1, local, state);
}

static const volt_scan_series series = {.rest = series_rest, .step = series_step};

static double echo(const volt_kernel *kernel)
{
    return kernel->value[CORR] * sqrt(kernel->value[MU]);
}

static void rest(const volt_scan *scan, double local, double *state)
{
    state[0] = local / (1 - constants_of(&scan->constants).mu);
}

static const volt_scan_code code = {
    .constants = {"mu", "rest"},
    .step = "const double value = s + rest * a[0];\n"
            "a[0] = s + mu * a[0];\n"
            "return value;\n",
    .rest = "a[0] = s / (1.0 - mu);\n",
};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    double mu = kernel->value[MU], corr = kernel->value[CORR];
    constants consts = {.mu = mu, .rest = (1 - corr * corr) * mu};
    volt_resolved made = {
        .facts = {.radius = radius, .contraction = mu, .largest = radius * radius / (1 - mu)},
        .window = 1,
        .scan = {.step = step,
                 .state_size = 1,
                 .start = {0},
                 .rest = rest,
                 .constants = constants_keep(consts),
                 .form = {VOLT_FORM_FIR, {consts.mu, consts.rest}},
                 .code = &code},
    };
    *resolved = made;
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_fir = {
    .info = {VOLT_KERNEL_INFO, .name = "fir",
             .formula = "sum_{k,l} mu^{(k+l)/2} corr^{|k-l|} <x_{i-k}, y_{j-l}>", .cost = "O(d)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
    .echo = echo,
};
