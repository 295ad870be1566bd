/* src/solve/loss/loss_rows.c: slopes of the smoothed loss, row by row, with weights and non-crossing levels.
 *
 * A weight w multiplies l: the envelope of w l at rho is w times the envelope of l at rho / w. Levels of one
 * target are smoothed together, with u_1 <= u_2 <= ... : pool adjacent violators, where a block of levels is
 * one envelope at their mean level and mean point (docs/math.md). */
#include "base/error.h"
#include "base/memory.h"
#include "solve/loss/loss_problem.h"

#include <math.h>

static volt_status add_direction(volt_loss_directions *all, int64_t row, int64_t first, int64_t count, double d,
                                 const double *b)
{
    VOLT_TRY(volt_grow((void **)&all->items, &all->capacity, all->size + 1, sizeof *all->items));
    VOLT_TRY(volt_grow((void **)&all->numbers, &all->numbers_capacity, all->numbers_size + count,
                       sizeof *all->numbers));
    all->items[all->size++] = (volt_loss_direction){row, first, count, all->numbers_size, d};
    for (int64_t j = 0; j < count; j++)
        all->numbers[all->numbers_size++] = b[j];
    return VOLT_OK;
}

static volt_status add_unit(volt_loss_directions *all, int64_t row, int64_t k, double d)
{
    double one = 1;
    return all && d > 0 ? add_direction(all, row, k, 1, d, &one) : VOLT_OK;
}

/* ---- levels ----------------------------------------------------------------------------------- */

typedef struct level_block {
    int64_t first, count;
    double x, q; /* sums of rho (v - y) and of the levels */
} level_block;

static double clipped(const level_block *b, double w)
{
    double n = (double)b->count, x = b->x / n, q = b->q / n;
    return fmin(fmax(x, -w * q), w * (1 - q));
}

/* rho times the distance of the block from y. */
static double place(const level_block *b, double w)
{
    return b->x / (double)b->count - clipped(b, w);
}

/* The deviations of `count` tied levels from their mean, as orthonormal directions. */
static volt_status add_deviations(volt_loss_directions *all, int64_t row, int64_t first, int64_t count,
                                  double d)
{
    double b[VOLT_MAX_LEVELS];
    for (int64_t j = 1; j < count; j++) {
        double size = sqrt((double)j * (double)(j + 1));
        for (int64_t i = 0; i < j; i++)
            b[i] = 1 / size;
        b[j] = -(double)j / size;
        VOLT_TRY(add_direction(all, row, first, j + 1, d, b));
    }
    return VOLT_OK;
}

static volt_status add_block(volt_loss_directions *all, int64_t row, const level_block *b, double w, double rho)
{
    double n = (double)b->count, x = b->x / n, q = b->q / n;
    bool at_target = x > -w * q && x < w * (1 - q);
    for (int64_t j = 0; at_target && j < b->count; j++)
        VOLT_TRY(add_unit(all, row, b->first + j, rho));
    return at_target ? VOLT_OK : add_deviations(all, row, b->first, b->count, rho);
}

static volt_status levels_slope(const volt_loss_problem *problem, int64_t row, int64_t k, const double *u,
                                const double *g0, double rho, double *g, volt_loss_directions *directions)
{
    level_block blocks[VOLT_MAX_LEVELS];
    int64_t count = 0;
    double w = volt_loss_weight(problem, row), x[VOLT_MAX_LEVELS];
    const double *y = problem->Y.data + row * problem->Y.ld + k;
    for (int64_t j = 0; j < problem->group; j++) {
        x[j] = g0[j] + rho * (u[j] - y[j]);
        blocks[count++] = (level_block){j, 1, x[j], problem->p[k + j]};
        while (count > 1 && place(&blocks[count - 2], w) > place(&blocks[count - 1], w)) {
            blocks[count - 2].count += blocks[count - 1].count;
            blocks[count - 2].x += blocks[count - 1].x;
            blocks[count - 2].q += blocks[count - 1].q;
            count--;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const level_block *b = &blocks[i];
        double away = b->count > 1 ? place(b, w) : 0;
        for (int64_t j = b->first; j < b->first + b->count; j++)
            g[j] = b->count > 1 ? x[j] - away : clipped(b, w);
        if (directions)
            VOLT_TRY(add_block(directions, row, b, w, rho));
    }
    return VOLT_OK;
}

/* ---- any loss --------------------------------------------------------------------------------- */

/* One function of the whole row. */
static void whole_row_slope(const volt_loss_problem *problem, int64_t row, const double *u, const double *g0,
                            double rho, double *g)
{
    double w = volt_loss_weight(problem, row), scaled[VOLT_MAX_LEVELS];
    for (int64_t j = 0; j < problem->group; j++)
        scaled[j] = g0[j] / w;
    problem->loss->kind->row->slope(problem->group, problem->Y.data + row * problem->Y.ld, u, scaled, rho / w,
                                    g);
    for (int64_t j = 0; j < problem->group; j++)
        g[j] *= w;
}

volt_status volt_loss_row_slope(const volt_loss_problem *problem, int64_t row, int64_t k, const double *u,
                                const double *g0, double rho, double *g, volt_loss_directions *directions)
{
    const volt_loss_kind *kind = problem->loss->kind;
    double w = volt_loss_weight(problem, row);
    if (w == 0) {
        for (int64_t j = 0; j < problem->group; j++)
            g[j] = 0;
        return VOLT_OK;
    }
    if (kind->row) {
        whole_row_slope(problem, row, u, g0, rho, g);
        return VOLT_OK;
    }
    if (problem->group > 1)
        return levels_slope(problem, row, k, u, g0, rho, g, directions);
    double d;
    kind->slope(problem->p[k], problem->Y.data[row * problem->Y.ld + k], *u, *g0 / w, rho / w, g, &d);
    *g *= w;
    return add_unit(directions, row, 0, w * d);
}
