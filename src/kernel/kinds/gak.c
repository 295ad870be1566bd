/* src/kernel/kinds/gak.c: the global alignment kernel (Cuturi 2011), normalised.
 *
 *     e = exp(-|x_a - y_b|^2 / (2 sigma^2)),  local = e / (2 - e)
 *     M[0][0] = 1, M[a][0] = M[0][b] = 0,  M[a][b] = local (M[a-1][b] + M[a][b-1] + M[a-1][b-1])
 *     K(x, y) = M[P][Q] / sqrt(M_xx[P][P] M_yy[Q][Q])
 *
 * The programme computes c^{a+b} M[a][b] with c = sqrt(2) - 1: 2 c + c^2 = 1, so that no entry exceeds 1,
 * and the factors cancel in K. K(x, x) may decrease like c^{2P}; if it underflows, the recursion is repeated
 * in logarithms. */
#include "base/clones.h"
#include "base/fastmath.h"
#include "kernel/kind_parts.h"
#include "kernel/kinds/lane_row.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANES = VOLT_LANES };

enum { SIGMA, WINDOW, PATH, CENTRE, N_PARAMETERS };

static const char *const centre_words[] = {"no", "yes", NULL};
enum { CENTRE_NO, CENTRE_YES };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [SIGMA] = VOLT_PARAMETER_POSITIVE("sigma", "width of the local Gaussian", VOLT_UNIT_DISTANCE, 0.3, 10),
    [WINDOW] = VOLT_PARAMETER_PATH_WINDOW,
    [PATH] = VOLT_PARAMETER_PATH,
    [CENTRE] = {VOLT_CHOICE("centre", "no, yes", centre_words), .fallback = "no",
                .meaning = "yes: subtract the mean of the features over the columns of the Gram matrix"},
};

static const volt_path_parameters where = {.window = WINDOW, .path = PATH, .augment = -1, .prescale = -1};

static volt_status set_defaults(volt_kernel *kernel)
{
    return volt_path_set_defaults(kernel, &where);
}

/* ---- programme -------------------------------------------------------------------------------- */

static const double weight = 0.41421356237309503; /* sqrt(2) - 1, the c above */
static const double log_weight = -0.881373587019543;

typedef struct constants {
    double rate; /* -1 / (2 sigma^2) */
} constants;
VOLT_KERNEL_CONSTANTS(constants)

/* c local: the weight that every path into a cell contains at least once. */
VOLT_CLONES_WIDE
static void lift(const volt_programme *programme, double *restrict values, int64_t count)
{
    double rate = constants_of(&programme->constants).rate;
    for (int64_t k = 0; k < count; k++) {
        double e = volt_exp(rate * values[k]);
        values[k] = weight * (e / (2 - e));
    }
}

/* The scratch space is one row of M, from column 0 on, with interleaved lanes. */
static int64_t scratch_length(const volt_programme *programme, int64_t columns)
{
    (void)programme;
    return (columns + 1) * LANES;
}

static void start(const volt_programme *programme, int64_t columns, double *M)
{
    (void)programme;
    memset(M, 0, (size_t)((columns + 1) * LANES) * sizeof *M);
    for (int l = 0; l < LANES; l++)
        M[l] = 1;
}

/* The factor of the diagonal step: its weight is c^2, compared with c for the others. */
VOLT_CLONES
static void prepare(const volt_programme *programme, double *restrict cells, double *restrict second,
                    int64_t count)
{
    (void)programme;
    for (int64_t k = 0; k < count; k++)
        second[k] = weight * cells[k];
}

VOLT_CLONES
static void row(const volt_programme *programme, int64_t columns, const double *cells, const double *second,
                int64_t step, double *M)
{
    (void)programme;
    volt_lane_state border;
    for (int v = 0; v < VOLT_LANE_VECTORS; v++) {
        border.diagonal[v] = VOLT_VECTOR(M, v);
        VOLT_VECTOR(M, v) = border.left[v] = (volt_vector){0};
    }
    volt_lane_row(border, columns, cells, second, step, M + LANES);
}

static void finish(const volt_programme *programme, const int64_t *lengths, const double *M, double *out)
{
    (void)programme;
    for (int l = 0; l < LANES; l++)
        out[l] = M[lengths[l] * LANES + l];
}

/* log(e^a + e^b + e^c); arguments may be -inf. */
static double log_sum(double a, double b, double c)
{
    double largest = fmax(a, fmax(b, c));
    if (largest == -INFINITY)
        return largest;
    return largest + log(exp(a - largest) + exp(b - largest) + exp(c - largest));
}

/* log local = -d - log(2 - e^{-d}), d = |x - y|^2 / (2 sigma^2). */
static double log_local(const volt_programme *programme, const double *x, const double *y, int64_t c_step,
                        int64_t channels)
{
    double squared = 0;
    for (int64_t k = 0; k < channels; k++) {
        double gap = x[k] - y[k * c_step];
        squared += gap * gap;
    }
    double exponent = constants_of(&programme->constants).rate * squared;
    return exponent - log1p(1 - exp(exponent));
}

/* An alignment passes through every row, so its product is at most the product of the rows' largest local
 * values. There are fewer than c^{-(P + Q)} alignments. */
static double log_bound(const volt_programme *programme, const double *x, int64_t P, const double *y, int64_t Q,
                        int64_t t_step, int64_t c_step, int64_t channels, double least, volt_stage *stage)
{
    double bound = -(double)(P + Q) * programme->log_scale;
    for (int64_t a = 0; a < P && bound >= least && volt_stage_poll(stage); a++) {
        double largest = -INFINITY;
        for (int64_t b = 0; b < Q; b++)
            largest = fmax(largest, log_local(programme, x + a * channels, y + b * t_step, c_step, channels));
        bound += largest;
    }
    return bound;
}

static double log_value(const volt_programme *programme, const double *x, int64_t P, const double *y, int64_t Q,
                        int64_t t_step, int64_t c_step, int64_t channels, double least, volt_stage *stage,
                        double *logs)
{
    if (log_bound(programme, x, P, y, Q, t_step, c_step, channels, least, stage) < least)
        return -INFINITY;
    for (int64_t b = 0; b <= Q; b++)
        logs[b] = -INFINITY;
    logs[0] = 0;
    for (int64_t a = 0; a < P && volt_stage_poll(stage); a++) {
        double diagonal = logs[0];
        logs[0] = -INFINITY;
        for (int64_t b = 0; b < Q; b++) {
            double up = logs[b + 1];
            logs[b + 1] = log_local(programme, x + a * channels, y + b * t_step, c_step, channels) +
                          log_sum(up, logs[b], diagonal);
            diagonal = up;
        }
    }
    return logs[Q];
}

/* ---- entry ------------------------------------------------------------------------------------ */

static void paths(const volt_kernel *kernel, volt_programme *programme, volt_path_shape *shape)
{
    double sigma = kernel->value[SIGMA];
    constants consts = {.rate = -fmin(1 / (2 * sigma * sigma), DBL_MAX)}; /* finite: times 0 it is 0 */
    volt_programme made = {
        .distance = true,
        .normalised = true,
        .lift = lift,
        .prepare = prepare,
        .scratch_length = scratch_length,
        .start = start,
        .row = row,
        .finish = finish,
        .log_value = log_value,
        .log_scale = log_weight,
        .constants = constants_keep(consts),
    };
    *programme = made;
    *shape = volt_path_shape_of(kernel, &where);
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    volt_programme programme;
    volt_path_shape shape;
    paths(kernel, &programme, &shape);
    return volt_path_resolve(kernel, &where, radius, programme, 1, resolved);
}

static bool centred(const volt_kernel *kernel)
{
    return (int)kernel->value[CENTRE] == CENTRE_YES;
}

const volt_kernel_entry volt_kernel_gak = {
    .info = {VOLT_KERNEL_INFO, .name = "gak",
             .formula =
                 "sum over alignments of prod e/(2 - e), e = exp(-|x_a - y_b|^2 / (2 sigma^2)), normalised",
             .cost = "O(d + window^2); path=rows: O(d^2)"},
    .set_defaults = set_defaults,
    .resolve = resolve,
    .centred = centred,
    .paths = paths,
};
