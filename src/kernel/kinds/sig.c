/* src/kernel/kinds/sig.c: the signature kernel truncated at level N, K = 1 + sum_{m <= N} <S^m(x), S^m(y)>.
 *
 * With M[i][j] = <dx_i, dy_j>, level m is a sum over i_1 <= ... <= i_m, j_1 <= ... <= j_m of products of M.
 * An index that repeats r times has weight 1/r!, and repeats at most `order` times: order = N is the
 * signature of the piecewise linear path, order = 1 the discretised kernel of Kiraly and Oberhauser.
 * R[p][q](i, j) collects the terms that end in (i, j) after p and q repeats of the last i and j. From level
 * m - 1 to level m
 *
 *     R'[0][0] = M             sum_{i' < i, j' < j} sum_{p,q} R[p][q](i', j')
 *     R'[p][0] = M / (p+1)     sum_{j' < j} sum_q R[p-1][q](i, j')
 *     R'[0][q] = M / (q+1)     sum_{i' < i} sum_p R[p][q-1](i', j)
 *     R'[p][q] = M / ((p+1)(q+1)) R[p-1][q-1](i, j)
 *
 * All levels are computed together, row by row.
 *
 * features= makes it a kernel on the vector f(x) of the levels 1 to N, as in the paper's comparison and in
 * iisignature: linear <f(x), f(y)>, which is the kernel above without its 1, or rbf exp(-gamma |f(x) -
 * f(y)|^2). The path, including time, is first multiplied by `scale`: level m by scale^m. */
#include "base/clones.h"
#include "base/error.h"
#include "kernel/kind_parts.h"

#include <math.h>
#include <string.h>

enum { LANES = VOLT_LANES, MAX_LEVELS = 16 };

enum { LEVEL, ORDER, FEATURES, GAMMA, SCALE, WINDOW, PATH, AUGMENT, PRESCALE, N_PARAMETERS };

static const char *const features_words[] = {"linear", "rbf", NULL};
enum { FEATURES_LINEAR, FEATURES_RBF };

static const volt_parameter_info parameters[N_PARAMETERS] = {
    [LEVEL] = {VOLT_INTEGER("level", "1 to 16", 1, MAX_LEVELS), VOLT_SEARCHED(INTEGER, 2, 5), .fallback = "4",
               .meaning = "truncation level of the signature"},
    [ORDER] = {VOLT_INTEGER("order", "1 to level", 1, MAX_LEVELS),
               .meaning = "largest number of repeats of one increment; default level (exact)"},
    [FEATURES] = {VOLT_CHOICE("features", "linear, rbf", features_words),
                  .meaning = "kernel on the numbers of levels 1 to level; linear: the formula without its 1; "
                             "rbf: exp(-gamma |f(x) - f(y)|^2); not given: the formula"},
    [GAMMA] = VOLT_PARAMETER_POSITIVE("gamma", "scale of features=rbf", VOLT_UNIT_ONE, 1e-3, 10),
    [SCALE] = VOLT_PARAMETER_POSITIVE(
        "scale", "with features: factor of the path, including time; level m is multiplied by scale^m",
        VOLT_UNIT_ONE, 0.1, 100),
    [WINDOW] = VOLT_PARAMETER_PATH_WINDOW,
    [PATH] = VOLT_PARAMETER_PATH,
    [AUGMENT] = VOLT_PARAMETER_AUGMENT,
    [PRESCALE] = VOLT_PARAMETER_PRESCALE,
};

static const volt_path_parameters where = {
    .window = WINDOW, .path = PATH, .augment = AUGMENT, .prescale = PRESCALE};

static bool has_features(const volt_kernel *kernel, int which)
{
    return kernel->present[FEATURES] && (int)kernel->value[FEATURES] == which;
}

static volt_status set_defaults(volt_kernel *kernel)
{
    bool rbf = has_features(kernel, FEATURES_RBF);
    VOLT_REQUIRE(rbf || !kernel->present[GAMMA], VOLT_ERR_KERNEL, "kernel sig: gamma requires features=rbf");
    VOLT_REQUIRE(kernel->present[FEATURES] || !kernel->present[SCALE], VOLT_ERR_KERNEL,
                 "kernel sig: scale requires features=rbf or features=linear");
    VOLT_TRY(volt_path_set_defaults(kernel, &where));
    kernel->present[GAMMA] = rbf;
    kernel->present[SCALE] = kernel->present[FEATURES];
    if (!kernel->present[ORDER]) {
        kernel->value[ORDER] = kernel->value[LEVEL];
        kernel->present[ORDER] = true;
    }
    VOLT_REQUIRE(kernel->value[ORDER] <= kernel->value[LEVEL], VOLT_ERR_KERNEL,
                 "kernel sig: order=%g must be at most level=%g", kernel->value[ORDER], kernel->value[LEVEL]);
    return VOLT_OK;
}

/* ---- programme -------------------------------------------------------------------------------- */

typedef struct constants {
    int64_t level, order;
    double stretch; /* of the path: `scale`, or 1 */
} constants;
VOLT_KERNEL_CONSTANTS(constants)

/* Scratch space: the total of the kernel, then for each level below the last and each column
 *     above   sum over the rows before of the sum over the columns before (one number)
 *     column  sum over the rows before of sum_p R[p][q], for q < order
 * each LANES wide. */
static int64_t per_column(const constants *consts)
{
    return (consts->level - 1) * (1 + consts->order);
}

static int64_t scratch_length(const volt_programme *programme, int64_t columns)
{
    const constants consts = constants_of(&programme->constants);
    return (1 + columns * per_column(&consts)) * LANES;
}

static void start(const volt_programme *programme, int64_t columns, double *scratch)
{
    memset(scratch, 0, (size_t)scratch_length(programme, columns) * sizeof *scratch);
    for (int l = 0; l < LANES; l++)
        scratch[l] = programme->offset;
}

typedef double lanes[LANES];

static inline void add(lanes to, const lanes what)
{
    for (int l = 0; l < LANES; l++)
        to[l] += what[l];
}

static inline void scale(lanes to, const lanes M, double factor, const lanes what)
{
    for (int l = 0; l < LANES; l++)
        to[l] = M[l] * factor * what[l];
}

/* Order 1: one number per level. Level m + 1 of a cell is M times the sum over cells above and to the left. */
VOLT_CLONES
static void row_of_order_one(int64_t levels, double stretch, int64_t columns, const double *cells, int64_t step,
                             double *scratch)
{
    double *restrict total = scratch, before[MAX_LEVELS][LANES];
    memset(before, 0, sizeof before);
    for (int64_t b = 0; b < columns; b++) {
        double *restrict column = scratch + (1 + b * 2 * (levels - 1)) * LANES, M[LANES], R[LANES];
        for (int l = 0; l < LANES; l++)
            M[l] = R[l] = stretch * cells[b * step + l];
        for (int64_t m = 0; m + 1 < levels; m++, column += 2 * LANES)
            for (int l = 0; l < LANES; l++) {
                double next = M[l] * column[l];
                total[l] += R[l];
                column[l] += before[m][l];
                before[m][l] += R[l];
                R[l] = next;
            }
        for (int l = 0; l < LANES; l++)
            total[l] += R[l];
    }
}

VOLT_CLONES
static void row(const volt_programme *programme, int64_t columns, const double *cells, const double *second,
                int64_t step, double *scratch)
{
    (void)second;
    const constants consts = constants_of(&programme->constants);
    double stretch = consts.stretch * consts.stretch; /* of a product of increments */
    if (consts.order == 1) {
        row_of_order_one(consts.level, stretch, columns, cells, step, scratch);
        return;
    }
    int64_t levels = consts.level, order = consts.order, stride = per_column(&consts);
    static const double inverse[MAX_LEVELS + 1] = {0,        1.0,      1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,
                                                   1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11,
                                                   1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16};
    lanes *total = (lanes *)scratch;
    lanes before[MAX_LEVELS];            /* per level: sum over the previous columns of this row, of all R */
    lanes along[MAX_LEVELS][MAX_LEVELS]; /* per level and p: sum over the previous columns of sum_q R[p][q] */
    for (int64_t m = 0; m + 1 < levels; m++) {
        memset(before[m], 0, sizeof before[m]);
        memset(along[m], 0, (size_t)order * sizeof along[m][0]);
    }

    for (int64_t b = 0; b < columns; b++) {
        lanes M;
        for (int l = 0; l < LANES; l++)
            M[l] = stretch * cells[b * step + l];
        lanes R[MAX_LEVELS][MAX_LEVELS], next[MAX_LEVELS][MAX_LEVELS];
        memcpy(R[0][0], M, sizeof M);
        add(*total, M);

        lanes *column = total + 1 + b * stride;
        for (int64_t m = 1; m < levels; m++, column += 1 + order) { /* from level m to level m + 1 */
            int64_t old = m < order ? m : order, now = m + 1 < order ? m + 1 : order;
            lanes sum = {0}, by_p[MAX_LEVELS], by_q[MAX_LEVELS];
            memset(by_p, 0, (size_t)old * sizeof by_p[0]);
            memset(by_q, 0, (size_t)old * sizeof by_q[0]);
            for (int64_t p = 0; p < old; p++)
                for (int64_t q = 0; q < old; q++) {
                    add(by_p[p], R[p][q]);
                    add(by_q[q], R[p][q]);
                }
            for (int64_t p = 0; p < old; p++)
                add(sum, by_p[p]);

            scale(next[0][0], M, 1, column[0]);
            for (int64_t p = 1; p < now; p++) {
                scale(next[p][0], M, inverse[p + 1], along[m - 1][p - 1]);
                scale(next[0][p], M, inverse[p + 1], column[p]);
                for (int64_t q = 1; q < now; q++)
                    scale(next[p][q], M, inverse[p + 1] * inverse[q + 1], R[p - 1][q - 1]);
            }

            /* Advance the sums of level m: previous rows for the next row, previous columns for the next
             * cell. */
            add(column[0], before[m - 1]);
            add(before[m - 1], sum);
            for (int64_t p = 0; p < old; p++) {
                add(along[m - 1][p], by_p[p]);
                add(column[1 + p], by_q[p]);
            }
            for (int64_t p = 0; p < now; p++)
                for (int64_t q = 0; q < now; q++) {
                    memcpy(R[p][q], next[p][q], sizeof M);
                    add(*total, next[p][q]);
                }
        }
    }
}

static void finish(const volt_programme *programme, const int64_t *lengths, const double *scratch, double *out)
{
    (void)programme;
    (void)lengths; /* cells after the end of a path are 0, and add nothing */
    memcpy(out, scratch, LANES * sizeof *out);
}

/* ---- explicit features ------------------------------------------------------------------------ */

/* Numbers in levels 1 .. level; at most 1e9. */
static int64_t features(const volt_programme *programme, int64_t channels)
{
    int64_t level = constants_of(&programme->constants).level;
    double count = 0, power = 1;
    for (int64_t m = 0; m < level; m++)
        count += power *= (double)channels;
    return (int64_t)fmin(count, 1e9);
}

static double cell_cost(const volt_programme *programme)
{
    const constants consts = constants_of(&programme->constants);
    double cost = 0;
    for (int64_t m = 1; m <= consts.level; m++)
        cost += (double)(m < consts.order ? m * m : consts.order * consts.order);
    return cost;
}

/* to = (from + add) (x) dx / divisor, where from and add have `count` numbers (add may be NULL). */
VOLT_CLONES
static void extend(const double *restrict from, const double *restrict add, int64_t count,
                   const double *restrict dx, int64_t channels, double divisor, double *restrict to)
{
    for (int64_t k = 0; k < count; k++) {
        double value = (from[k] + (add ? add[k] : 0)) / divisor;
        for (int64_t c = 0; c < channels; c++)
            to[k * channels + c] = value * dx[c];
    }
}

/* One more increment (Chen): level m becomes sum_i S^i (x) dx^{(x) (m - i)} / (m - i)!, by Horner's rule,
 *     (S^{m-1} + (S^{m-2} + ( ... (1) (x) dx/m ... ) (x) dx/2) (x) dx/1.
 * The highest level is computed first. */
static void add_increment(const double *dx, int64_t channels, int64_t level, double *const *S,
                          double *const *work)
{
    for (int64_t m = level; m >= 1; m--) {
        const double one = 1;
        extend(&one, NULL, 1, dx, channels, (double)m, work[0]);
        int64_t count = channels;
        for (int64_t i = 1; i < m; i++) { /* work[i] has the level i + 1 */
            extend(S[i - 1], work[i - 1], count, dx, channels, (double)(m - i), work[i]);
            count *= channels;
        }
        for (int64_t k = 0; k < count; k++)
            S[m - 1][k] += work[m - 1][k];
    }
}

static void describe(const volt_programme *programme, const double *increments, int64_t P, int64_t channels,
                     double *list, double *scratch)
{
    const constants consts = constants_of(&programme->constants);
    double *S[MAX_LEVELS], *work[MAX_LEVELS];
    int64_t offset = 0, count = 1;
    for (int64_t m = 0; m < consts.level; m++) {
        count *= channels;
        S[m] = list + offset;
        work[m] = scratch + offset;
        offset += count;
    }
    memset(list, 0, (size_t)offset * sizeof *list);
    for (int64_t t = 0; t < P; t++)
        add_increment(increments + t * channels, channels, consts.level, S, work);

    double power = 1;
    count = 1;
    for (int64_t m = 0; m < consts.level; m++) {
        power *= consts.stretch;
        count *= channels;
        for (int64_t k = 0; k < count; k++)
            S[m][k] *= power;
    }
}

/* ---- entry ------------------------------------------------------------------------------------ */

static void paths(const volt_kernel *kernel, volt_programme *programme, volt_path_shape *shape)
{
    constants consts = {.level = (int64_t)kernel->value[LEVEL],
                        .order = (int64_t)kernel->value[ORDER],
                        .stretch = kernel->present[FEATURES] ? kernel->value[SCALE] : 1};
    volt_programme made = {
        .differences = true,
        .scratch_length = scratch_length,
        .start = start,
        .row = row,
        .finish = finish,
        .offset = kernel->present[FEATURES] ? 0 : 1,
        .gaussian = has_features(kernel, FEATURES_RBF) ? kernel->value[GAMMA] : 0,
        .constants = constants_keep(consts),
    };
    if (consts.order == consts.level) { /* exact: the features are the signature's */
        made.features = features;
        made.describe = describe;
        made.cell_cost = cell_cost;
    }
    *programme = made;
    *shape = volt_path_shape_of(kernel, &where);
    shape->increments = true;
}

static volt_status resolve(const volt_kernel *kernel, double radius, int64_t d, volt_resolved *resolved)
{
    (void)d;
    volt_programme programme;
    volt_path_shape shape;
    paths(kernel, &programme, &shape);
    double largest = has_features(kernel, FEATURES_RBF) ? 1 : INFINITY;
    return volt_path_resolve(kernel, &where, radius, programme, largest, resolved);
}

const volt_kernel_entry volt_kernel_sig = {
    .info = {VOLT_KERNEL_INFO, .name = "sig",
             .formula = "1 + sum_{m <= level} <S^m(x), S^m(y)>, S the signature",
             .cost = "O(d + level order^2 window^2), or O(d^level) where less; augment: O((d + level order^2) "
                     "window^2); path=rows: O(level order^2 d^2), or O(3^level) where less"},
    .set_defaults = set_defaults,
    .resolve = resolve,
    .paths = paths,
};
