/* src/kernel/kinds/sigpde.c: the signature kernel as the solution of a Goursat PDE (Salvi et al. 2021).
 *
 * D are the second differences of a static kernel between the points of two paths. Each cell is split
 * 2^dyadic x 2^dyadic, with g = D / 4^dyadic:
 *
 *     K[a+1][b+1] = (K[a+1][b] + K[a][b+1]) (1 + g/2 + g^2/12) - K[a][b] (1 - g^2/12),   K = 1 on the border
 *
 * The kernel is the last K. The scheme is exact only in the limit of fine grids, so Gram matrices at a
 * finite dyadic order may be indefinite. */
#include "base/clones.h"
#include "base/error.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"
#include "kernel/kinds/lane_row.h"

#include <float.h>
#include <math.h>

enum { LANES = VOLT_LANES };

enum { DYADIC, STATIC, SIGMA, WINDOW, PATH, AUGMENT, PRESCALE, N_PARAMETERS };

static const char *const static_words[] = {"linear", "rbf", NULL};
enum { STATIC_LINEAR, STATIC_RBF };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [DYADIC] = {VOLT_INTEGER("dyadic", "0 to 8", 0, 8), .fallback = "0",
                .meaning = "each cell is split 2^dyadic x 2^dyadic"},
    [STATIC] = {VOLT_CHOICE("static", "linear, rbf", static_words), .fallback = "linear",
                .meaning = "kernel between points; rbf is exp(-|x - y|^2 / sigma)"},
    [SIGMA] = VOLT_PARAMETER_POSITIVE("sigma", "width of static=rbf", VOLT_UNIT_SQUARE, 0.1, 30),
    [WINDOW] = VOLT_PARAMETER_PATH_WINDOW,
    [PATH] = VOLT_PARAMETER_PATH,
    [AUGMENT] = VOLT_PARAMETER_AUGMENT,
    [PRESCALE] = VOLT_PARAMETER_PRESCALE,
};

static const volt_path_parameters where = {
    .window = WINDOW, .path = PATH, .augment = AUGMENT, .prescale = PRESCALE};

static volt_status set_defaults(volt_kernel *kernel)
{
    volt_kernel_use_fallback(kernel, STATIC);
    bool rbf = (int)kernel->value[STATIC] == STATIC_RBF, given = kernel->present[SIGMA];
    VOLT_REQUIRE(rbf || !given, VOLT_ERR_KERNEL, "kernel sigpde: sigma requires static=rbf");
    VOLT_TRY(volt_path_set_defaults(kernel, &where));
    kernel->present[SIGMA] = rbf;
    return VOLT_OK;
}

/* ---- programme -------------------------------------------------------------------------------- */

typedef struct constants {
    double rate; /* static=rbf: -1 / sigma */
    int64_t dyadic;
} constants;
VOLT_KERNEL_CONSTANTS(constants)

VOLT_CLONES_WIDE
static void lift_rbf(const volt_programme *programme, double *restrict values, int64_t count)
{
    double rate = constants_of(&programme->constants).rate;
    for (int64_t k = 0; k < count; k++)
        values[k] = volt_exp(rate * values[k]);
}

/* The scratch space is one row of K on the fine grid. */
static int64_t scratch_length(const volt_programme *programme, int64_t columns)
{
    return ((columns << constants_of(&programme->constants).dyadic) + 1) * LANES;
}

static void start(const volt_programme *programme, int64_t columns, double *K)
{
    int64_t length = scratch_length(programme, columns);
    for (int64_t k = 0; k < length; k++)
        K[k] = 1;
}

/* The two factors of a cell: 1 + g/2 + g^2/12 and -(1 - g^2/12). */
VOLT_CLONES
static void prepare(const volt_programme *programme, double *restrict cells, double *restrict second,
                    int64_t count)
{
    double share = ldexp(1, (int)(-2 * constants_of(&programme->constants).dyadic));
    for (int64_t k = 0; k < count; k++) {
        double g = cells[k] * share, square = g * g * (1.0 / 12);
        cells[k] = 1 + 0.5 * g + square;
        second[k] = square - 1;
    }
}

VOLT_CLONES
static void row(const volt_programme *programme, int64_t columns, const double *cells, const double *second,
                int64_t step, double *K)
{
    int64_t split = (int64_t)1 << constants_of(&programme->constants).dyadic;
    volt_lane_state border;
    for (int v = 0; v < VOLT_LANE_VECTORS; v++)
        border.diagonal[v] = border.left[v] = (volt_vector){0} + 1;
    if (split == 1) {
        volt_lane_row(border, columns, cells, second, step, K + LANES);
        return;
    }
    for (int64_t fine = 0; fine < split; fine++) {
        volt_lane_state state = border;
        for (int64_t b = 0; b < columns; b++)
            for (int64_t f = 0; f < split; f += 2)
                volt_lane_two(&state, cells + b * step, second + b * step, cells + b * step, second + b * step,
                              K + (b * split + f + 1) * LANES);
    }
}

static void finish(const volt_programme *programme, const int64_t *lengths, const double *K, double *out)
{
    int64_t dyadic = constants_of(&programme->constants).dyadic;
    for (int l = 0; l < LANES; l++)
        out[l] = K[(lengths[l] << dyadic) * LANES + l];
}

/* ---- entry ------------------------------------------------------------------------------------ */

static void paths(const volt_kernel *kernel, volt_programme *programme, volt_path_shape *shape)
{
    bool rbf = (int)kernel->value[STATIC] == STATIC_RBF;
    constants consts = {.rate = -fmin(1 / kernel->value[SIGMA], DBL_MAX), /* finite: times 0 it is 0 */
                        .dyadic = (int64_t)kernel->value[DYADIC]};
    volt_programme made = {
        .distance = rbf,
        .differences = true,
        .lift = rbf ? lift_rbf : NULL,
        .prepare = prepare,
        .scratch_length = scratch_length,
        .start = start,
        .row = row,
        .finish = finish,
        .constants = constants_keep(consts),
    };
    *programme = made;
    *shape = volt_path_shape_of(kernel, &where);
    shape->increments = volt_programme_on_increments(programme);
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    volt_programme programme;
    volt_path_shape shape;
    paths(kernel, &programme, &shape);
    return volt_path_resolve(kernel, &where, radius, programme, INFINITY, resolved);
}

const volt_kernel_entry volt_kernel_sigpde = {
    .info = {VOLT_KERNEL_INFO, .name = "sigpde",
             .formula = "signature kernel by a Goursat scheme on second differences of a static kernel",
             .cost =
                 "O(d + 4^dyadic window^2); augment: O((d + 4^dyadic) window^2); path=rows: O(4^dyadic d^2)"},
    .set_defaults = set_defaults,
    .resolve = resolve,
    .paths = paths,
    .may_be_indefinite = true,
};
