/* src/kernel/programme.h: dynamic programmes over the block of local values of two paths.
 *
 * Two paths x_1 .. x_P and y_1 .. y_Q have a P x Q block of local values, <x_a, y_b> or |x_a - y_b|^2. A
 * programme applies a static kernel to them, optionally takes second differences, and processes the
 * resulting cells row by row. It always handles VOLT_LANES pairs at once: one path x against VOLT_LANES
 * paths y with interleaved cells, so that every operation vectorises for any path lengths. */
#ifndef KERNEL_PROGRAMME_H
#define KERNEL_PROGRAMME_H

#include "base/clones.h"
#include "base/progress.h"

#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- private constants of a kernel --------------------------------------------------------------
 *
 * A scan and a programme are copied by value, and engines pass them to the kernel's functions without
 * reading `constants`. A kernel's file declares its constants in a struct and uses VOLT_KERNEL_CONSTANTS once:
 *
 *     typedef struct constants {
 *         double gamma, rho;
 *     } constants;
 *     VOLT_KERNEL_CONSTANTS(constants)
 *
 *     .constants = constants_keep((constants){.gamma = gamma, .rho = rho})  in resolve
 *     const constants consts = constants_of(&scan->constants);              in the step, before its loops */

enum { VOLT_KERNEL_CONSTANTS_BYTES = 64 };

typedef struct volt_kernel_constants {
    alignas(double) unsigned char bytes[VOLT_KERNEL_CONSTANTS_BYTES];
} volt_kernel_constants;

/* Copies, not casts: any struct type is allowed, and compilers keep the copy in registers. */
#define VOLT_KERNEL_CONSTANTS(type)                                                      \
    _Static_assert(sizeof(type) <= VOLT_KERNEL_CONSTANTS_BYTES,                          \
                   "the kernel has more numbers than VOLT_KERNEL_CONSTANTS_BYTES hold"); \
    VOLT_INLINE volt_kernel_constants type##_keep(type numbers)                          \
    {                                                                                    \
        volt_kernel_constants consts = {.bytes = {0}};                                   \
        memcpy(consts.bytes, &numbers, sizeof numbers);                                  \
        return consts;                                                                   \
    }                                                                                    \
    VOLT_INLINE type type##_of(const volt_kernel_constants *consts)                      \
    {                                                                                    \
        type numbers;                                                                    \
        memcpy(&numbers, consts->bytes, sizeof numbers);                                 \
        return numbers;                                                                  \
    }

/* ---- programmes --------------------------------------------------------------------------------- */

enum { VOLT_LANES = 8 };

typedef struct volt_programme volt_programme;
struct volt_programme {
    bool distance;    /* local values are squared distances; otherwise inner products */
    bool differences; /* cells are second differences of lifted values, one fewer each way than points */
    bool normalised;  /* the kernel is K(x, y) / sqrt(K(x, x) K(y, y)) */
    double gaussian;  /* > 0: the kernel is exp(-gaussian |f(x) - f(y)|^2), where K(x, y) = <f(x), f(y)> */

    /* Apply the static kernel to `count` local values in place. NULL: none. */
    void (*lift)(const volt_programme *programme, double *values, int64_t count);

    /* (optional) Precomputes two numbers for each of `count` cells, which windows share: one replaces the
     * cell, one is stored in `second`. */
    void (*prepare)(const volt_programme *programme, double *cells, double *second, int64_t count);

    /* Numbers of scratch space for paths of `columns` cells. */
    int64_t (*scratch_length)(const volt_programme *programme, int64_t columns);
    void (*start)(const volt_programme *programme, int64_t columns, double *scratch);
    /* Process the next row of cells: the cell of column b and lane l is cells[b * step + l]; `second` has
     * the same layout. */
    void (*row)(const volt_programme *programme, int64_t columns, const double *cells, const double *second,
                int64_t step, double *scratch);
    /* The kernel of each lane, whose path y has lengths[l] <= columns cells; later cells were 0 (before
     * `prepare`). */
    void (*finish)(const volt_programme *programme, const int64_t *lengths, const double *scratch, double *out);

    /* Normalised programmes: `finish` returns K(x, y) e^{(P + Q) log_scale}. If that underflows, log_value
     * returns log K(x, y) of one pair: path x (P points, contiguous), path y (Q points, number c of point t
     * at y[t * t_step + c * c_step]). scratch has Q + 1 numbers. It may return -INFINITY once the result is
     * known to be below `least`, and any value after the stage (may be NULL) is cancelled. */
    double (*log_value)(const volt_programme *programme, const double *x, int64_t P, const double *y, int64_t Q,
                        int64_t t_step, int64_t c_step, int64_t channels, double least, volt_stage *stage,
                        double *scratch);
    double log_scale;

    /* (optional) Explicit features instead of cells: K is offset + <f(x), f(y)>. features(...) is their
     * number for paths in `channels` dimensions. `describe` writes those of a path given by P contiguous
     * increments; scratch has as many numbers. */
    int64_t (*features)(const volt_programme *programme, int64_t channels);
    void (*describe)(const volt_programme *programme, const double *increments, int64_t P, int64_t channels,
                     double *features, double *scratch);
    /* multiplications per cell, to compare both methods */
    double (*cell_cost)(const volt_programme *programme);
    double offset;

    volt_kernel_constants constants; /* private constants of the kernel */
};

/* Number of cells along a path of `points` points. */
static inline int64_t volt_programme_cells(const volt_programme *programme, int64_t points)
{
    return programme->differences ? points - 1 : points;
}

/* Without a static kernel, second differences of <x, y> are products of increments. */
static inline bool volt_programme_on_increments(const volt_programme *programme)
{
    return programme->differences && !programme->lift;
}

/* Rows of `columns` local values between two polls of a stage: one pair of long paths takes seconds, one row
 * of short ones less than a poll. */
static inline int64_t volt_rows_between_polls(int64_t columns)
{
    return 1 + 4096 / (columns + 1);
}

/* ---- a path against itself -------------------------------------------------------------------- */

/* Returns whether the kernel of two paths requires K of each with itself. */
static inline bool volt_programme_needs_self(const volt_programme *programme)
{
    return programme->normalised || programme->gaussian > 0;
}

typedef struct volt_self {
    double value;  /* K(x, x) as returned by `finish` */
    double factor; /* normalised: value^{-1/2}; 0 on underflow */
    double log;    /* normalised: log K(x, x) */
} volt_self;

/* Smaller values may have lost digits to underflow. */
#define VOLT_MIN_PLAIN 1e-280

/* From the value of a path of P points against itself. If that has underflowed (factor 0), the caller of a
 * normalised programme sets log. */
static inline volt_self volt_self_of(const volt_programme *programme, double value, int64_t P)
{
    volt_self self = {.value = value};
    if (programme->normalised && value >= VOLT_MIN_PLAIN) {
        self.factor = 1 / sqrt(value);
        self.log = log(value) - 2 * (double)P * programme->log_scale;
    }
    return self;
}

/* Returns whether K can be computed as value * x.factor * y.factor. */
static inline bool volt_pair_is_plain(double value, volt_self x, volt_self y)
{
    return value >= VOLT_MIN_PLAIN && x.factor > 0 && y.factor > 0;
}

/* exp(-gaussian |f(x) - f(y)|^2) from <f(x), f(y)>. The square has an error of about eps (|f(x)|^2 +
 * |f(y)|^2) and is clipped at 0; NaN is preserved. */
static inline double volt_pair_gaussian(const volt_programme *programme, double value, volt_self x, volt_self y)
{
    double squared = x.value + y.value - 2 * value;
    return exp(-programme->gaussian * (squared < 0 ? 0 : squared));
}

/* For programmes that need K of each path with itself: converts *value, the result of `finish`, to the
 * kernel. `itself`: both paths are the same. False if `finish` has underflowed: the kernel is then
 * volt_pair_from_log() of log_value, with volt_pair_least() for `least`. */
static inline bool volt_pair_finish(const volt_programme *programme, bool itself, volt_self x, volt_self y,
                                    double *value)
{
    if (programme->gaussian > 0)
        *value = itself ? 1 : volt_pair_gaussian(programme, *value, x, y);
    else if (volt_pair_is_plain(*value, x, y))
        *value *= x.factor * y.factor;
    else
        return false;
    return true;
}

/* exp of this and smaller arguments is 0. */
#define VOLT_MIN_EXPONENT (-746.0)

/* Below this value of log K(x, y) the kernel is 0. */
static inline double volt_pair_least(volt_self x, volt_self y)
{
    return 0.5 * (x.log + y.log) + VOLT_MIN_EXPONENT;
}

/* The kernel from log K(x, y). */
static inline double volt_pair_from_log(double log_value, double least)
{
    return exp(log_value - least + VOLT_MIN_EXPONENT);
}

#endif
