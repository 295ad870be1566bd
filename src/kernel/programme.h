/* src/kernel/programme.h: dynamic programmes over the block of local values of two paths.
 *
 * Two paths x_1 .. x_P and y_1 .. y_Q have a P x Q block of local values, <x_a, y_b> or |x_a - y_b|^2. A
 * programme lifts them (to a static kernel), takes second differences or not, and walks the resulting cells
 * row by row. It always handles VOLT_LANES pairs at once: one path x against VOLT_LANES paths y, whose cells
 * lie side by side, so that every operation vectorises whatever the paths' lengths are. */
#ifndef KERNEL_PROGRAMME_H
#define KERNEL_PROGRAMME_H

#include <stdbool.h>
#include <stdint.h>

enum { VOLT_LANES = 8 };

typedef struct volt_programme volt_programme;
struct volt_programme {
    bool distance;    /* local values are squared distances; otherwise inner products */
    bool differences; /* cells are second differences of lifted values, one fewer each way than points */
    bool normalised;  /* the kernel is K(x, y) / sqrt(K(x, x) K(y, y)) */

    /* Lift `count` local values in place. NULL: they are used as they are. */
    void (*lift)(const volt_programme *programme, double *values, int64_t count);

    /* Numbers of scratch space for paths of `columns` cells. */
    int64_t (*scratch_length)(const volt_programme *programme, int64_t columns);
    void (*start)(const volt_programme *programme, int64_t columns, double *scratch);
    /* The next row of cells: that of column b and lane l is cells[b * step + l]. */
    void (*row)(const volt_programme *programme, int64_t columns, const double *cells, int64_t step,
                double *scratch);
    /* The kernel of each lane, whose path y has lengths[l] <= columns cells; cells behind them were 0. */
    void (*finish)(const volt_programme *programme, const int64_t *lengths, const double *scratch, double *out);

    double constant[2];
    int64_t level, order, dyadic;
};

/* Cells along a path of `points` points. */
static inline int64_t volt_programme_cells(const volt_programme *programme, int64_t points)
{
    return programme->differences ? points - 1 : points;
}

/* Without a lift, second differences of <x, y> are products of increments: take those instead. */
static inline bool volt_programme_on_increments(const volt_programme *programme)
{
    return programme->differences && !programme->lift;
}

#endif
