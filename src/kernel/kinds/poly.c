/* src/kernel/kinds/poly.c: (gamma <x, y> + coef0)^degree, the product summed over a window. */
#include "base/clones.h"
#include "kernel/kind_parts.h"

#include <math.h>

enum { DEGREE, GAMMA, COEF0, WINDOW, N_PARAMETERS };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [DEGREE] = {VOLT_INTEGER("degree", "1 to 64", 1, 64), VOLT_SEARCHED(INTEGER, 2, 3), .fallback = "3",
                .meaning = "degree of the polynomial"},
    [GAMMA] = VOLT_PARAMETER_STATIC_GAMMA,
    [COEF0] = {VOLT_REAL("coef0", "[0, inf)", 0, INFINITY, 1), VOLT_SEARCHED(LOG, 1e-4, 1), .fallback = "1",
               .meaning = "weight of the lower degrees"},
    [WINDOW] = VOLT_PARAMETER_WINDOW,
};

typedef struct constants {
    double gamma, coef0;
    int64_t degree;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

/* Powers by repeated multiplication, row by row: the loop over powers runs outside the one that vectorises. */
VOLT_CLONES_WIDE
static void step(VOLT_STEP_ARGUMENTS)
{
    (void)state;
    (void)stride;
    const constants consts = constants_of(&scan->constants);
    double gamma = consts.gamma, coef0 = consts.coef0;
    int64_t degree = consts.degree;
    for (int64_t r = 0; r < rows; r++) {
        double *restrict base = local + r * ld_local;
        double *restrict row_out = out + r * ld_out;
        for (int64_t k = 0; k < count; k++)
            row_out[k] = base[k] = gamma * base[k] + coef0;
        for (int64_t p = 1; p < degree; p++)
            for (int64_t k = 0; k < count; k++)
                row_out[k] *= base[k];
    }
}

/* C(degree, p) gamma^p (gamma x + coef0)^(degree - p). */
static void taylor(const void *numbers, const double *x, int order, volt_lanes *f)
{
    const constants consts = constants_of(numbers);
    double unit = 1;
    for (int p = 0; p <= order; p++) {
        for (int k = 0; k < VOLT_JET_LANES; k++)
            f[p][k] = p <= consts.degree
                          ? unit * pow(consts.gamma * x[k] + consts.coef0, (double)(consts.degree - p))
                          : 0;
        unit *= consts.gamma * (double)(consts.degree - p) / (p + 1);
    }
}

VOLT_STATIC_SERIES(taylor)

static const volt_scan_code code = {
    .constants = {"gamma", "coef0", "int degree"},
    .step = "const double base = gamma * s + coef0;\n"
            "double value = base;\n"
            "int p;\n"
            "for (p = 1; p < degree; p++)\n"
            "    value *= base;\n"
            "return value;\n",
};

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    int64_t window = (int64_t)kernel->value[WINDOW];
    constants consts = {.gamma = volt_static_gamma(kernel, GAMMA, d, window),
                        .coef0 = kernel->value[COEF0],
                        .degree = (int64_t)kernel->value[DEGREE]};
    volt_scan scan = {.step = step,
                      .constants = constants_keep(consts),
                      .form = {VOLT_FORM_POLY, {consts.gamma, consts.coef0, (double)consts.degree}},
                      .code = &code};
    double largest = pow(consts.gamma * (double)window * radius * radius + consts.coef0, (double)consts.degree);
    *resolved = volt_static_resolved(scan, window, radius, largest);
    return VOLT_OK;
}

const volt_kernel_entry volt_kernel_poly = {
    .info = {VOLT_KERNEL_INFO, .name = "poly", .formula = "(gamma <x, y> + coef0)^degree",
             .cost = "O(d + degree)"},
    .set_defaults = volt_kernel_use_fallbacks,
    .resolve = resolve,
    .series = &series,
};
