/* src/solve/loss/loss_solve.c: the sequence of methods, and their shared memory: K above the diagonal, one
 * factor below.
 *
 * ADMM (loss_solve.h) is the first method: one factor, and many steps that read it. For piecewise linear
 * losses it soon finds the interpolated rows, but converges slowly. After a few steps, Newton's method on
 * those rows (loss_solve.h) converges to rounding. Smooth losses use ADMM until the gap is closed or a
 * Newton step would have been cheaper. Classes in several columns only use ADMM.
 *
 * Squares with weights are linear, and one factor solves them:
 *
 *     (K + alpha diag(1 / w)) A = Y - 1 c,     1' A = 0 with an intercept,     A_t = 0 where w_t = 0 */
#include "solve/loss/loss_solve.h"
#include "base/threads.h"

#include "backend/backend.h"
#include "backend/cholesky.h"
#include "base/alpha_grid.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/exact/factor.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static inline double volt_loss_weight(const volt_loss_problem *problem, int64_t row)
{
    return problem->weights ? problem->weights[row] : 1;
}

enum { VOLT_MIN_CHOSEN = 12 };

/* ---- slopes of the smoothed loss, row by row, with weights and non-crossing levels ------------------- */

/* A weight w multiplies l: the envelope of w l at rho is w times the envelope of l at rho / w. Levels of one
 * target are smoothed together, with u_1 <= u_2 <= ... : pool adjacent violators, where a block of levels is
 * one envelope at their mean level and mean point (docs/math.md). */

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

/* ---- feasible slopes, objective and duality gap ------------------------------------------------------ */

enum { THIN = 4, MAX_HALVINGS = 200 };

/* Levels that cross by less than this, relative to the largest level or target, cross by rounding. */
static const double CROSSING = 1e-9;

/* Swap the diagonal of K with the stored one. */
static void swap_diagonals(const volt_loss_problem *problem)
{
    for (int64_t i = 0; i < problem->n; i++) {
        double *at = &problem->K.data[i * (problem->K.ld + 1)], now = *at;
        *at = problem->diagonal[i];
        problem->diagonal[i] = now;
    }
}

/* C <- K V, both n x V.cols. */
static void loss_multiply(const volt_loss_problem *problem, volt_view V, volt_matrix C)
{
    volt_matrix K = problem->K;
    volt_blas_int n = (volt_blas_int)K.rows, ld = (volt_blas_int)K.ld;
    swap_diagonals(problem);
    if (V.cols <= THIN)
        for (int64_t k = 0; k < V.cols; k++)
            cblas_dsymv(CblasRowMajor, CblasUpper, n, 1, K.data, ld, V.data + k, (volt_blas_int)V.ld, 0,
                        C.data + k, (volt_blas_int)C.ld);
    else
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, n, (volt_blas_int)V.cols, 1, K.data, ld, V.data,
                    (volt_blas_int)V.ld, 0, C.data, (volt_blas_int)C.ld);
    swap_diagonals(problem);
}

/* ---- feasible slopes -------------------------------------------------------------------------- */

static void range_of(const volt_loss_problem *problem, int64_t row, int64_t k, double *low, double *high)
{
    double w = volt_loss_weight(problem, row);
    *low = *high = 0;
    if (w == 0)
        return;
    problem->loss->kind->range(problem->p[k], problem->Y.data[row * problem->Y.ld + k], low, high);
    *low *= w;
    *high *= w;
}

/* sum_t clip(g_t - theta w_t), which decreases with theta. */
static double clipped_sum(const volt_loss_problem *problem, volt_matrix G, int64_t k, double theta)
{
    double sum = 0, low, high;
    for (int64_t i = 0; i < problem->n; i++) {
        range_of(problem, i, k, &low, &high);
        sum += fmin(fmax(G.data[i * G.ld + k] - theta * volt_loss_weight(problem, i), low), high);
    }
    return sum;
}

/* The theta at which the sum is 0. */
static double balancing_shift(const volt_loss_problem *problem, volt_matrix G, int64_t k)
{
    double size = 0, low = 0, high = 0, sum = clipped_sum(problem, G, k, 0);
    for (int64_t i = 0; i < problem->n; i++)
        size += fabs(G.data[i * G.ld + k]);
    if (fabs(sum) <= (double)problem->n * DBL_EPSILON * size)
        return 0;
    double step = copysign(1e-12, sum); /* find a bracket, then bisect it */
    for (int i = 0; i < MAX_HALVINGS; i++, step *= 4) {
        double now = clipped_sum(problem, G, k, step);
        if ((sum > 0) != (now > 0))
            break;
        low = step;
    }
    high = step;
    for (int i = 0; i < MAX_HALVINGS; i++) {
        double middle = low + (high - low) / 2, now = clipped_sum(problem, G, k, middle);
        if (middle == low || middle == high || fabs(now) <= DBL_EPSILON * size)
            return middle;
        if ((sum > 0) == (now > 0))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void make_column_feasible(const volt_loss_problem *problem, volt_matrix G, int64_t k)
{
    double theta = problem->intercept ? balancing_shift(problem, G, k) : 0, low, high;
    for (int64_t i = 0; i < problem->n; i++) {
        double *g = &G.data[i * G.ld + k];
        range_of(problem, i, k, &low, &high);
        *g = fmin(fmax(*g - theta * volt_loss_weight(problem, i), low), high);
    }
}

static double total_weight(const volt_loss_problem *problem)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++)
        sum += volt_loss_weight(problem, i);
    return sum;
}

/* The largest share f <= 1 for which f g of one row is feasible for non-crossing levels: no sum of the first
 * j slopes is below minus the sum of the first j levels, and no sum of the last j is above the sum of 1 -
 * level over them. */
static double feasible_share(int64_t m, const double *q, double w, const double *g)
{
    double share = 1, slopes = 0, levels = 0;
    for (int64_t j = 0; j < m; j++) {
        slopes += g[j];
        levels += q[j];
        if (-slopes > w * levels)
            share = fmin(share, w * levels / -slopes);
    }
    slopes = levels = 0;
    for (int64_t j = m; j-- > 0;) {
        slopes += g[j];
        levels += 1 - q[j];
        if (slopes > w * levels)
            share = fmin(share, w * levels / slopes);
    }
    return share;
}

/* Shift each column to the sum 0 and shrink all columns; 0 is feasible. */
static void make_levels_feasible(const volt_loss_problem *problem, volt_matrix G, int64_t k)
{
    double total = total_weight(problem), share = 1;
    for (int64_t j = k; problem->intercept && j < k + problem->group; j++) {
        double sum = 0;
        for (int64_t i = 0; i < problem->n; i++)
            sum += volt_loss_weight(problem, i) > 0 ? G.data[i * G.ld + j] : 0;
        for (int64_t i = 0; i < problem->n; i++)
            G.data[i * G.ld + j] -= sum / total * volt_loss_weight(problem, i);
    }
    for (int64_t i = 0; i < problem->n; i++) {
        double w = volt_loss_weight(problem, i);
        if (w > 0)
            share = fmin(share, feasible_share(problem->group, problem->p + k, w, G.data + i * G.ld + k));
    }
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t j = k; j < k + problem->group; j++)
            G.data[i * G.ld + j] *= volt_loss_weight(problem, i) > 0 ? share : 0;
}

/* For classes: project p = g / w + y onto the simplex, then take (1 - e) p + e r with the same r in every
 * row, so that the sums of g are 0. e is the smallest value for which r is in the simplex. */
static void make_classes_feasible(const volt_loss_problem *problem, volt_matrix G)
{
    int64_t m = problem->group;
    double of_p[VOLT_MAX_LEVELS] = {0}, of_y[VOLT_MAX_LEVELS] = {0}, e = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double w = volt_loss_weight(problem, i), *g = G.data + i * G.ld, sum = 0;
        const double *y = problem->Y.data + i * problem->Y.ld;
        for (int64_t k = 0; k < m; k++)
            sum += g[k] = w > 0 ? fmax(g[k] / w + y[k], 0) : 0;
        for (int64_t k = 0; k < m; k++) {
            g[k] = w > 0 ? g[k] / sum : 0; /* p at this point */
            of_p[k] += w * g[k];
            of_y[k] += w * y[k];
        }
    }
    for (int64_t k = 0; problem->intercept && k < m; k++)
        if (of_p[k] > of_y[k])
            e = fmax(e, 1 - of_y[k] / of_p[k]);
    double total = total_weight(problem);
    for (int64_t i = 0; i < problem->n; i++) {
        double w = volt_loss_weight(problem, i), *g = G.data + i * G.ld;
        const double *y = problem->Y.data + i * problem->Y.ld;
        for (int64_t k = 0; k < m; k++) {
            double r = e > 0 ? fmax(of_y[k] - (1 - e) * of_p[k], 0) / total : 0; /* e r */
            g[k] = w > 0 ? w * ((1 - e) * g[k] + r - y[k]) : 0;
        }
    }
}

static void make_feasible(const volt_loss_problem *problem, volt_matrix G)
{
    if (problem->loss->kind->row) {
        make_classes_feasible(problem, G);
        return;
    }
    for (int64_t k = 0; k < problem->columns; k += problem->group)
        if (problem->group > 1)
            make_levels_feasible(problem, G, k);
        else
            make_column_feasible(problem, G, k);
}

/* ---- levels that cross ------------------------------------------------------------------------ */

/* Move the upper levels of every target up until no row has two that cross. */
static void uncross(const volt_loss_problem *problem, volt_loss_state *state)
{
    volt_matrix U = state->U;
    for (int64_t k = 0; k < problem->columns; k += problem->group)
        for (int64_t j = k + 1; j < k + problem->group; j++) {
            double most = 0;
            for (int64_t i = 0; i < problem->n; i++)
                if (volt_loss_weight(problem, i) > 0)
                    most = fmax(most, U.data[i * U.ld + j - 1] - U.data[i * U.ld + j]);
            state->c[j] += most;
            for (int64_t i = 0; i < problem->n; i++)
                U.data[i * U.ld + j] += most;
        }
}

/* ---- bounds of the objective ------------------------------------------------------------------ */

/* The sum of w l(y, c) of column k. */
static double constant_loss(const volt_loss_problem *problem, int64_t k, double c)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double w = volt_loss_weight(problem, i);
        if (w > 0)
            sum += w * problem->loss->kind->value(problem->p[k], problem->Y.data[i * problem->Y.ld + k], c);
    }
    return sum;
}

/* The constant c that minimises the sum of w l(y, c), by golden section search over the range of the
 * targets. */
static double best_constant(const volt_loss_problem *problem, int64_t k)
{
    enum { SECTIONS = 40 };
    static const double golden = 0.6180339887498949;
    const volt_loss_kind *kind = problem->loss->kind;
    double low = INFINITY, high = -INFINITY, best = 0, least = constant_loss(problem, k, 0);
    for (int64_t i = 0; i < problem->n; i++) {
        double y = problem->Y.data[i * problem->Y.ld + k], at = kind->start ? kind->start(y) : y;
        if (volt_loss_weight(problem, i) > 0) {
            low = fmin(low, at);
            high = fmax(high, at);
        }
    }
    for (int s = 0; s < SECTIONS; s++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        double at_left = constant_loss(problem, k, left), at_right = constant_loss(problem, k, right);
        if (fmin(at_left, at_right) < least) {
            least = fmin(at_left, at_right);
            best = at_left <= at_right ? left : right;
        }
        if (at_left <= at_right)
            high = right;
        else
            low = left;
    }
    return best;
}

/* The least value of l(y, .) is 0 except for counts, for which it is the value at u = log y. */
static double min_loss(const volt_loss_problem *problem, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; problem->loss->kind == &volt_loss_poisson && i < problem->n; i++) {
        double w = volt_loss_weight(problem, i), y = problem->Y.data[i * problem->Y.ld + k];
        sum += w > 0 && y > 0 ? w * (y - y * log(y)) : 0;
    }
    return sum;
}

void volt_loss_bound(volt_loss_problem *problem, double *c)
{
    bool rows = problem->loss->kind->row != NULL;
    problem->floor = 0;
    problem->ceiling = rows ? total_weight(problem) * log((double)problem->columns) : 0;
    for (int64_t k = 0; k < problem->columns; k++) {
        double best = problem->intercept && !rows ? best_constant(problem, k) : 0;
        problem->floor += min_loss(problem, k);
        problem->ceiling += rows ? 0 : constant_loss(problem, k, best);
        if (c)
            c[k] = best;
    }
}

static double rounding_of(const volt_loss_problem *problem)
{
    return (double)problem->n * DBL_EPSILON * fmax(fabs(problem->ceiling), fabs(problem->floor));
}

double volt_loss_gap_tolerance(const volt_loss_problem *problem, double tolerance, double objective)
{
    return fmax(tolerance * fabs(objective), rounding_of(problem));
}

/* Returns whether a readout can have this objective and be within the gap of the minimum. */
static bool within_bounds(const volt_loss_problem *problem, double objective, double gap)
{
    double rounding = 100 * rounding_of(problem);
    return objective >= problem->floor - rounding && objective <= problem->ceiling + gap + rounding;
}

/* ---- objective and gap ------------------------------------------------------------------------ */

/* Sums over rows, and the largest crossing of levels. */
typedef struct row_sums {
    double loss, excess;
    double crossing, largest; /* of u; of u and y */
} row_sums;

/* One target: group columns of a row of weight w. */
static void target_terms(const volt_loss_problem *problem, double w, const double *p, const double *y,
                         const double *u, const double *g, row_sums *sums)
{
    const volt_loss_kind *kind = problem->loss->kind;
    double excess = 0;
    for (int64_t j = 0; j < problem->group; j++) {
        sums->loss += w * kind->value(p[j], y[j], u[j]);
        excess += w * kind->excess(p[j], y[j], u[j], g[j] / w);
        sums->crossing = fmax(sums->crossing, j > 0 ? u[j - 1] - u[j] : 0);
        sums->largest = fmax(sums->largest, fmax(fabs(u[j]), fabs(y[j])));
    }
    sums->excess += fabs(excess); /* negative for one level only by the crossing that rounding allows */
}

static void row_terms(const volt_loss_problem *problem, int64_t row, const double *u, const double *g,
                      row_sums *sums)
{
    const volt_loss_kind *kind = problem->loss->kind;
    const double *y = problem->Y.data + row * problem->Y.ld;
    double w = volt_loss_weight(problem, row), scaled[VOLT_MAX_LEVELS];
    if (w == 0)
        return;
    if (kind->row) {
        for (int64_t k = 0; k < problem->columns; k++)
            scaled[k] = g[k] / w;
        sums->loss += w * kind->row->value(problem->columns, y, u);
        sums->excess += w * kind->row->excess(problem->columns, y, u, scaled);
        return;
    }
    for (int64_t k = 0; k < problem->columns; k += problem->group)
        target_terms(problem, w, problem->p + k, y + k, u + k, g + k, sums);
}

/* delta' K delta / (2 alpha). */
static double distance(const volt_loss_problem *problem, volt_matrix delta, volt_matrix product)
{
    double sum = 0;
    loss_multiply(problem, volt_as_view(delta), product);
    for (int64_t i = 0; i < delta.rows * delta.cols; i++)
        sum += delta.data[i] * product.data[i];
    return fmax(sum, 0) / (2 * problem->alpha);
}

void volt_loss_certify(const volt_loss_problem *problem, double tolerance, volt_loss_state *state,
                       double *space)
{
    int64_t n = problem->n, m = problem->columns;
    volt_matrix delta = volt_matrix_of(space, n, m), product = volt_matrix_of(space + n * m, n, m);
    double energy = 0, squares = 0, farthest = 0, steepest = 0;
    row_sums sums = {0};
    make_feasible(problem, state->G);
    loss_multiply(problem, volt_as_view(state->A), state->U);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++) {
            double a = state->A.data[i * state->A.ld + k], *u = &state->U.data[i * state->U.ld + k];
            double off = state->G.data[i * state->G.ld + k] + problem->alpha * a;
            energy += a * *u;
            squares += off * off;
            farthest = fmax(farthest, fabs(off));
            steepest = fmax(steepest, fabs(state->G.data[i * state->G.ld + k]));
            delta.data[i * m + k] = off;
            *u += state->c[k];
        }
    if (problem->group > 1 && !problem->loss->kind->row && problem->intercept)
        uncross(problem, state);
    for (int64_t i = 0; i < n; i++)
        row_terms(problem, i, state->U.data + i * state->U.ld, state->G.data + i * state->G.ld, &sums);
    state->objective = sums.loss + problem->alpha / 2 * energy;
    double bar = volt_loss_gap_tolerance(problem, tolerance, state->objective);
    double excess = sums.excess, most = problem->norm * squares / (2 * problem->alpha);
    if (excess <= bar && excess + most > bar) /* the bound is not sufficient: compute the value */
        most = distance(problem, delta, product);
    state->gap = excess + most;
    /* If K is rank-deficient, the active-row iteration may produce coefficients far above g / alpha, whose
     * rounding errors appear in u. */
    const volt_loss_kind *kind = problem->loss->kind;
    bool cancels = !kind->smooth && !kind->row && farthest > steepest;
    if (!within_bounds(problem, state->objective, state->gap) || sums.crossing > CROSSING * sums.largest ||
        cancels)
        state->gap = INFINITY;
}

/* The alternating direction method of multipliers; the formulas are in
 * loss_solve.h. */

static const double RELAXATION = 1.7;

/* ---- solves with one column ------------------------------------------------------------------- */

/* A triangular solve with one column is limited by reading L, so all threads must read. Rows below (columns
 * left of) a diagonal block are independent of each other. */
enum { SOLVE_BLOCK = 192, MIN_SHARED = 1000 }; /* below, L stays in the cache of one thread */

static void solve_block(volt_matrix L, int64_t first, int64_t count, CBLAS_TRANSPOSE transpose, double *x)
{
    cblas_dtrsv(CblasRowMajor, CblasLower, transpose, CblasNonUnit, (volt_blas_int)count,
                L.data + first * (L.ld + 1), (volt_blas_int)L.ld, x + first, 1);
}

static int64_t block_rows(int64_t n)
{
    return n < MIN_SHARED ? n : SOLVE_BLOCK;
}

static void forward_column(volt_matrix L, double *x)
{
    int64_t n = L.rows, block = block_rows(n);
    for (int64_t first = 0; first < n; first += block) {
        int64_t count = volt_min(block, n - first);
        solve_block(L, first, count, CblasNoTrans, x);
        if (first + count < n)
            cblas_dgemv(CblasRowMajor, CblasNoTrans, (volt_blas_int)(n - first - count), (volt_blas_int)count,
                        -1, L.data + (first + count) * L.ld + first, (volt_blas_int)L.ld, x + first, 1, 1,
                        x + first + count, 1);
    }
}

static void backward_column(volt_matrix L, double *x)
{
    int64_t n = L.rows, block = block_rows(n);
    for (int64_t first = (n - 1) / block * block; first >= 0; first -= block) {
        int64_t count = volt_min(block, n - first);
        solve_block(L, first, count, CblasTrans, x);
        if (first > 0)
            cblas_dgemv(CblasRowMajor, CblasTrans, (volt_blas_int)count, (volt_blas_int)first, -1,
                        L.data + first * L.ld, (volt_blas_int)L.ld, x + first, 1, 1, x, 1);
    }
}

void volt_loss_solve_factor(volt_matrix L, volt_matrix B)
{
    if (B.cols == 1 && B.ld == 1) {
        forward_column(L, B.data);
        backward_column(L, B.data);
    } else {
        volt_cholesky_forward(L, B);
        volt_cholesky_backward(L, B);
    }
}

/* ---- steps ------------------------------------------------------------------------------------ */

/* n x columns each: v (= K a + 1 c of the readout), u and g of the split. */
typedef struct admm_workspace {
    volt_matrix v, u, g;
    double *certificate;
} admm_workspace;

static volt_status admm_begin(const volt_loss_problem *problem, admm_workspace *space)
{
    int64_t n = problem->n, m = problem->columns;
    double *all = volt_alloc_doubles(n, 5 * m);
    if (!all)
        return VOLT_ERR_MEMORY;
    space->v = volt_matrix_of(all, n, m);
    space->u = volt_matrix_of(all + n * m, n, m);
    space->g = volt_matrix_of(all + 2 * n * m, n, m);
    space->certificate = all + 3 * n * m;
    const volt_loss_kind *kind = problem->loss->kind;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++) {
            double y = problem->Y.data[i * problem->Y.ld + k];
            bool counts = volt_loss_weight(problem, i) > 0;
            space->u.data[i * m + k] = !counts ? 0 : kind->start ? kind->start(y) : y;
            space->g.data[i * m + k] = 0;
        }
    return VOLT_OK;
}

/* Computes a, c and v for the current u and g. */
static void solve_readout(const volt_loss_problem *problem, const volt_admm_task *task, double rho,
                          const admm_workspace *space, volt_loss_state *state)
{
    int64_t n = problem->n, m = problem->columns;
    double *b = space->v.data, *a = state->A.data, shift = problem->alpha / rho, r1 = 0;
    for (int64_t i = 0; i < n * m; i++)
        a[i] = b[i] = space->u.data[i] - space->g.data[i] / rho;
    volt_loss_solve_factor(problem->K, state->A);
    for (int64_t i = 0; problem->intercept && i < n; i++)
        r1 += task->r1[i];
    for (int64_t k = 0; k < m; k++) {
        double sum = 0;
        for (int64_t i = 0; problem->intercept && i < n; i++)
            sum += a[i * m + k];
        double c = problem->intercept ? sum / r1 : 0;
        state->c[k] = c;
        for (int64_t i = 0; i < n; i++) {
            a[i * m + k] -= problem->intercept ? task->r1[i] * c : 0;
            b[i * m + k] -= shift * a[i * m + k];
        }
    }
}

/* The largest change of u and of g relative to their largest values. */
typedef struct movement {
    double u, g, du, dg;
    double apart; /* the largest difference between v and u, which converges to 0 */
} movement;

static volt_status ease_rows(const volt_loss_problem *problem, double rho, const admm_workspace *space,
                             movement *moved)
{
    int64_t m = problem->columns;
    double g[VOLT_MAX_LEVELS], v[VOLT_MAX_LEVELS];
    *moved = (movement){0};
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < m; k += problem->group) {
            double *u_i = space->u.data + i * m + k, *g_i = space->g.data + i * m + k;
            for (int64_t j = 0; j < problem->group; j++)
                v[j] = RELAXATION * space->v.data[i * m + k + j] + (1 - RELAXATION) * u_i[j];
            VOLT_TRY(volt_loss_row_slope(problem, i, k, v, g_i, rho, g, NULL));
            for (int64_t j = 0; j < problem->group; j++) {
                double u = v[j] + (g_i[j] - g[j]) / rho;
                moved->apart = fmax(moved->apart, fabs(space->v.data[i * m + k + j] - u));
                moved->du = fmax(moved->du, fabs(u - u_i[j]));
                moved->dg = fmax(moved->dg, fabs(g[j] - g_i[j]));
                moved->u = fmax(moved->u, fabs(u));
                moved->g = fmax(moved->g, fabs(g[j]));
                u_i[j] = u;
                g_i[j] = g[j];
            }
        }
    return VOLT_OK;
}

static void admm_certify(const volt_loss_problem *problem, const volt_admm_task *task,
                         const admm_workspace *space, volt_loss_state *state)
{
    memcpy(state->G.data, space->g.data, (size_t)(problem->n * problem->columns) * sizeof(double));
    volt_loss_certify(problem, task->tolerance, state, space->certificate);
}

/* The rho that balances the primal and dual residuals, each relative to its size (Stellato and others, OSQP,
 * 2020, section 5.2); the current one if it is within a factor. */
static double better_rho(const volt_admm_task *task, const movement *moved, double rho)
{
    enum { NEAR = 3 };
    double ratio = moved->apart * moved->g / (rho * moved->du * moved->u);
    if (!(ratio > 0 && isfinite(ratio)))
        return rho;
    double better = fmin(fmax(rho * sqrt(ratio), task->min_rho), task->max_rho);
    return better > NEAR * rho || NEAR * better < rho ? better : rho;
}

static volt_status run(const volt_loss_problem *problem, const volt_admm_task *task,
                       const admm_workspace *space, volt_loss_state *state, int64_t *steps)
{
    enum { FIRST_LOOK = 30 };
    movement moved;
    double rho = task->rho;
    for (int64_t step = 1, look = FIRST_LOOK; step <= task->max_steps; step++, ++*steps) {
        if (!volt_stage_poll(problem->stage))
            return volt_stage_end(problem->stage);
        solve_readout(problem, task, rho, space, state);
        VOLT_TRY(ease_rows(problem, rho, space, &moved));
        if (step % task->every != 0 && step < task->max_steps)
            continue;
        admm_certify(problem, task, space, state);
        bool still = !task->needs_convergence ||
                     (moved.du <= task->tolerance * moved.u && moved.dg <= task->tolerance * moved.g);
        if (state->gap <= volt_loss_gap_tolerance(problem, task->tolerance, state->objective) && still) {
            ++*steps;
            break;
        }
        if (!task->refactor || step < look)
            continue;
        look *= 3;
        double next = better_rho(task, &moved, rho);
        if (next != rho)
            VOLT_TRY(task->refactor(task->context, next));
        rho = next;
    }
    return VOLT_OK;
}

volt_status volt_admm_run(const volt_loss_problem *problem, const volt_admm_task *task, volt_loss_state *state,
                          int64_t *steps)
{
    admm_workspace space = {0};
    VOLT_TRY(admm_begin(problem, &space));
    volt_status status = run(problem, task, &space, state, steps);
    volt_free(space.v.data);
    return status;
}

/* ---- the linear system of a Newton step -------------------------------------------------------------- */

/* It is gathered from K and factored in the memory below the diagonal of K, or in separate memory if it has
 * more unknowns than K has rows. */

enum { TILE = 64 };

/* A system of some levels: its directions, M, the right-hand side and B' 1, one column per level. */
typedef struct system_part {
    const volt_loss_problem *problem;
    const volt_loss_directions *all;
    int64_t *members; /* its directions, in the order of rows */
    int64_t size;
    int64_t levels[VOLT_MAX_LEVELS], n_levels;
    volt_matrix M; /* size x size, the lower triangle */
    volt_matrix B; /* size x (1 + n_levels) */
} system_part;

static const double *coefficients(const volt_loss_directions *all, const volt_loss_direction *b)
{
    return all->numbers + b->at;
}

static double overlap(const volt_loss_directions *all, const volt_loss_direction *a,
                      const volt_loss_direction *b)
{
    int64_t first = volt_max(a->first, b->first);
    int64_t last = volt_min(a->first + a->count, b->first + b->count);
    double sum = 0;
    for (int64_t j = first; j < last; j++)
        sum += coefficients(all, a)[j - a->first] * coefficients(all, b)[j - b->first];
    return sum;
}

/* ---- coupled levels --------------------------------------------------------------------------- */

static void tie_levels(const volt_loss_directions *all, int64_t m, int64_t part[VOLT_MAX_LEVELS])
{
    for (int64_t j = 0; j < m; j++)
        part[j] = j;
    for (int64_t i = 0; i < all->size; i++) {
        const volt_loss_direction *b = &all->items[i];
        for (int64_t j = b->first + 1; j < b->first + b->count; j++) {
            int64_t low = volt_min(part[j], part[b->first]), high = volt_max(part[j], part[b->first]);
            for (int64_t k = 0; low != high && k < m; k++)
                part[k] = part[k] == high ? low : part[k];
        }
    }
}

static void select_members(const int64_t *part, int64_t which, int64_t m, system_part *s)
{
    s->size = s->n_levels = 0;
    for (int64_t j = 0; j < m; j++)
        if (part[j] == which)
            s->levels[s->n_levels++] = j;
    for (int64_t i = 0; i < s->all->size; i++)
        if (part[s->all->items[i].first] == which)
            s->members[s->size++] = i;
}

/* ---- M ---------------------------------------------------------------------------------------- */

static double kernel_entry(const volt_loss_problem *problem, int64_t i, int64_t j)
{
    return i == j ? problem->diagonal[i] : problem->K.data[volt_min(i, j) * problem->K.ld + volt_max(i, j)];
}

/* In tiles, because K is read along its rows and M is written along its columns. */
static void gather(const system_part *s, double min_shift)
{
    const volt_loss_directions *all = s->all;
    volt_matrix M = s->M;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)volt_threads())
    for (int64_t top = 0; top < s->size; top += TILE)
        for (int64_t left = 0; left <= top; left += TILE)
            for (int64_t j = left; j < volt_min(left + TILE, s->size); j++) {
                const volt_loss_direction *b = &all->items[s->members[j]];
                for (int64_t i = volt_max(top, j); i < volt_min(top + TILE, s->size); i++) {
                    const volt_loss_direction *a = &all->items[s->members[i]];
                    M.data[i * M.ld + j] = overlap(all, a, b) * kernel_entry(s->problem, b->row, a->row);
                }
            }
    for (int64_t i = 0; i < s->size; i++)
        M.data[i * (M.ld + 1)] += fmax(s->problem->alpha / all->items[s->members[i]].d, min_shift);
}

/* - B'R / d - B'K dn, and B'1. */
static void fill_sides(const system_part *s, volt_matrix a, volt_matrix g, volt_matrix kdn)
{
    int64_t m = a.cols;
    for (int64_t i = 0; i < s->size; i++) {
        const volt_loss_direction *b = &s->all->items[s->members[i]];
        const double *x = coefficients(s->all, b);
        double *row = s->B.data + i * s->B.ld, side = 0;
        memset(row + 1, 0, (size_t)s->n_levels * sizeof *row);
        for (int64_t j = 0; j < b->count; j++) {
            int64_t at = b->row * m + b->first + j;
            side -= x[j] * ((s->problem->alpha * a.data[at] + g.data[at]) / b->d + kdn.data[at]);
            for (int64_t k = 0; k < s->n_levels; k++)
                row[1 + k] += s->levels[k] == b->first + j ? x[j] : 0;
        }
        row[0] = side;
    }
}

/* ---- intercepts ------------------------------------------------------------------------------- */

/* S dc = t for a small symmetric positive semidefinite S, by elimination. */
static void solve_small(int64_t m, double *S, double *t)
{
    double largest = 0;
    for (int64_t k = 0; k < m; k++)
        largest = fmax(largest, S[k * m + k]);
    for (int64_t k = 0; k < m; k++)
        S[k * m + k] += 1e-13 * largest;
    for (int64_t k = 0; k < m; k++)
        for (int64_t i = k + 1; i < m; i++) {
            double f = S[i * m + k] / S[k * m + k];
            for (int64_t j = k; j < m; j++)
                S[i * m + j] -= f * S[k * m + j];
            t[i] -= f * t[k];
        }
    for (int64_t k = m; k-- > 0;) {
        for (int64_t j = k + 1; j < m; j++)
            t[k] -= S[k * m + j] * t[j];
        t[k] /= S[k * m + k];
    }
}

/* z (the first column of B) and dc from M^{-1} [side, B'1]; `ones` is B'1 before the solve. */
static void eliminate_intercepts(const system_part *s, volt_view ones, volt_matrix a, volt_matrix dn,
                                 double *dc)
{
    double S[VOLT_MAX_LEVELS * VOLT_MAX_LEVELS] = {0}, t[VOLT_MAX_LEVELS] = {0};
    int64_t m = s->n_levels;
    for (int64_t k = 0; k < m; k++)
        for (int64_t i = 0; i < a.rows; i++)
            t[k] += a.data[i * a.cols + s->levels[k]] + dn.data[i * a.cols + s->levels[k]];
    for (int64_t i = 0; i < s->size; i++)
        for (int64_t k = 0; k < m; k++) {
            double one = ones.data[i * ones.ld + k];
            t[k] += one * s->B.data[i * s->B.ld];
            for (int64_t j = 0; j < m; j++)
                S[k * m + j] += one * s->B.data[i * s->B.ld + 1 + j];
        }
    solve_small(m, S, t);
    for (int64_t k = 0; k < m; k++)
        dc[s->levels[k]] = t[k];
    for (int64_t i = 0; i < s->size; i++)
        for (int64_t k = 0; k < m; k++)
            s->B.data[i * s->B.ld] -= s->B.data[i * s->B.ld + 1 + k] * t[k];
}

/* Without an active row all slopes are fixed. The intercept moves in the direction of their sum until rows
 * become active; the line search finds where. */
static double idle_shift(const newton_step *step, volt_matrix a, int64_t level)
{
    double sum = 0;
    for (int64_t i = 0; i < a.rows; i++)
        sum += a.data[i * a.cols + level] + step->da.data[i * a.cols + level];
    return sum == 0 ? 0 : copysign(step->reach, sum);
}

/* ---- solution of the parts -------------------------------------------------------------------- */

static volt_status solve_part(system_part *s, volt_matrix a, volt_matrix g, volt_matrix kdn, double min_shift,
                              newton_step *step)
{
    const volt_loss_problem *problem = s->problem;
    int64_t width = 1 + s->n_levels, pivot = 0;
    bool own = s->size > problem->n;
    double *memory = own ? volt_alloc_doubles(s->size, s->size) : problem->K.data;
    double *sides = volt_alloc_doubles(s->size, 2 * width);
    volt_status status = memory && sides ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        s->M = (volt_matrix){memory, s->size, s->size, own ? s->size : problem->K.ld};
        s->B = volt_matrix_of(sides, s->size, width);
        volt_matrix before = volt_matrix_of(sides + s->size * width, s->size, width);
        gather(s, min_shift);
        fill_sides(s, a, g, kdn);
        memcpy(before.data, s->B.data, (size_t)(s->size * width) * sizeof(double));
        volt_cholesky_factor(s->M, NULL, &pivot);
        if (pivot) {
            status =
                volt_fail(VOLT_ERR_SINGULAR,
                          "the Gram matrix of %" PRId64 " active rows is not positive definite at row %" PRId64
                          "; an alpha larger than %g may help",
                          s->size, pivot, problem->alpha);
        } else {
            volt_matrix B = s->B;
            B.cols = problem->intercept ? width : 1;
            volt_cholesky_forward(s->M, B);
            volt_cholesky_backward(s->M, B);
            volt_view ones = {before.data + 1, s->size, s->n_levels, width};
            if (problem->intercept)
                eliminate_intercepts(s, ones, a, step->da, step->dc);
        }
    }
    for (int64_t i = 0; status == VOLT_OK && i < s->size; i++) {
        const volt_loss_direction *b = &s->all->items[s->members[i]];
        for (int64_t j = 0; j < b->count; j++)
            step->da.data[b->row * a.cols + b->first + j] +=
                s->B.data[i * s->B.ld] * coefficients(s->all, b)[j];
    }
    volt_free(own ? memory : NULL);
    volt_free(sides);
    return status;
}

/* dn = -(I - B B') R / alpha into `dn`; returns whether any element is not 0. */
static bool fixed_part(const volt_loss_problem *problem, const volt_loss_directions *all, volt_matrix a,
                       volt_matrix g, volt_matrix dn)
{
    int64_t m = a.cols;
    for (int64_t i = 0; i < a.rows * m; i++)
        dn.data[i] = -(a.data[i] + g.data[i] / problem->alpha);
    for (int64_t i = 0; i < all->size; i++) {
        const volt_loss_direction *b = &all->items[i];
        const double *x = coefficients(all, b);
        double *row = dn.data + b->row * m + b->first, along = 0;
        if (b->count == 1) {
            *row = 0;
            continue;
        }
        for (int64_t j = 0; j < b->count; j++)
            along += x[j] * row[j];
        for (int64_t j = 0; j < b->count; j++)
            row[j] -= along * x[j];
    }
    for (int64_t i = 0; i < a.rows * m; i++)
        if (dn.data[i] != 0)
            return true;
    return false;
}

volt_status volt_newton_step(const volt_loss_problem *problem, const volt_loss_directions *directions,
                             volt_matrix a, volt_matrix g, double min_shift, double *space, newton_step *step)
{
    int64_t m = a.cols, part[VOLT_MAX_LEVELS];
    volt_matrix kdn = volt_matrix_of(space, a.rows, m);
    if (fixed_part(problem, directions, a, g, step->da))
        loss_multiply(problem, volt_as_view(step->da), kdn);
    else
        memset(kdn.data, 0, (size_t)(a.rows * m) * sizeof(double));
    system_part s = {
        .problem = problem, .all = directions, .members = volt_alloc(directions->size, sizeof *s.members)};
    volt_status status = s.members ? VOLT_OK : VOLT_ERR_MEMORY;
    memset(step->dc, 0, (size_t)m * sizeof *step->dc);
    tie_levels(directions, m, part);
    for (int64_t j = 0; status == VOLT_OK && j < m; j++) {
        if (part[j] != j)
            continue;
        select_members(part, j, m, &s);
        if (s.size > 0)
            status = solve_part(&s, a, g, kdn, min_shift, step);
        else if (problem->intercept)
            step->dc[j] = idle_shift(step, a, j);
    }
    volt_free(s.members);
    if (status == VOLT_OK)
        loss_multiply(problem, volt_as_view(step->da), step->kda);
    return status;
}

/* ---- Newton on active rows; the formulas are in loss_solve.h --------------------------------------- */

enum {
    MAX_TRIALS = 60,
    MAX_STALLS = 4,
    MAX_SMOOTH_STALLS = 40,
    MAX_GUESSES = 12,
    MAX_RISES = 2,
    MATRICES = 14
};

/* One group of columns: n x m each, m = problem->group. */
typedef struct newton {
    const volt_loss_problem *problem;
    volt_loss_problem of_group; /* the same problem with only the columns of the group */
    double rho;
    /* the readout, u = K a + 1 c, the slopes that the envelope is centred at, the slopes at u */
    volt_matrix a, u, g0, g;
    volt_matrix da, kda; /* the step: coefficients, K da */
    volt_matrix trial;   /* slopes along the line */
    volt_matrix saved_a, saved_u,
        /* restored after a failed step; the slopes of the last smoothed problem solved */
        solved;
    volt_matrix best_a, best_u;        /* the readout of the least gap so far */
    double *certificate;               /* n x 2 m */
    double *c, *dc, *saved_c, *best_c; /* m */
    double objective, gap;             /* of the best readout */
    volt_loss_directions directions;
    double *memory;
} newton;

static volt_status newton_begin(const volt_loss_problem *problem, const volt_newton_task *task,
                                const volt_loss_state *state, int64_t k, newton *run)
{
    int64_t n = problem->n, m = problem->group;
    run->problem = problem;
    run->of_group = *problem;
    run->of_group.columns = m;
    run->of_group.Y = (volt_view){problem->Y.data + k, n, m, problem->Y.ld};
    run->of_group.p = problem->p + k;
    volt_loss_bound(&run->of_group, NULL);
    run->rho = problem->loss->kind->smooth ? INFINITY : task->rho;
    run->gap = INFINITY;
    run->memory = volt_alloc_doubles(n * MATRICES + 4, m);
    if (!run->memory)
        return VOLT_ERR_MEMORY;
    volt_matrix *parts[] = {&run->a,       &run->u,      &run->g0,     &run->g,
                            &run->da,      &run->kda,    &run->trial,  &run->saved_a,
                            &run->saved_u, &run->solved, &run->best_a, &run->best_u};
    double *next = run->memory;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++, next += n * m)
        *parts[i] = volt_matrix_of(next, n, m);
    run->certificate = next;
    run->c = next + 2 * n * m;
    run->dc = run->c + m;
    run->saved_c = run->dc + m;
    run->best_c = run->saved_c + m;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            run->a.data[i * m + j] = state->A.data[i * state->A.ld + k + j];
            run->u.data[i * m + j] = state->U.data[i * state->U.ld + k + j];
            run->solved.data[i * m + j] = state->G.data[i * state->G.ld + k + j];
        }
    memcpy(run->c, state->c + k, (size_t)m * sizeof *run->c);
    return VOLT_OK;
}

static void newton_release(newton *run)
{
    volt_free(run->memory);
    volt_free(run->directions.items);
    volt_free(run->directions.numbers);
}

/* Slopes and directions at u. */
static volt_status find_slopes(newton *run)
{
    int64_t m = run->of_group.group;
    run->directions.size = run->directions.numbers_size = 0;
    for (int64_t i = 0; i < run->of_group.n; i++)
        VOLT_TRY(volt_loss_row_slope(&run->of_group, i, 0, run->u.data + i * m, run->g0.data + i * m, run->rho,
                                     run->g.data + i * m, &run->directions));
    return VOLT_OK;
}

/* The largest distance of u from its target: the largest useful step of an intercept. */
static double reach(const newton *run)
{
    volt_view Y = run->of_group.Y;
    double most = 0;
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t j = 0; j < Y.cols; j++)
            if (volt_loss_weight(run->problem, i) > 0)
                most = fmax(most, fabs(run->u.data[i * Y.cols + j] - Y.data[i * Y.ld + j]));
    return most;
}

/* The largest element of alpha a + g. */
static double residual(const newton *run)
{
    double most = 0;
    for (int64_t i = 0; i < run->a.rows * run->a.cols; i++)
        most = fmax(most, fabs(run->problem->alpha * run->a.data[i] + run->g.data[i]));
    return most;
}

static double largest_slope(const newton *run)
{
    double most = 0;
    for (int64_t i = 0; i < run->g.rows * run->g.cols; i++)
        most = fmax(most, fabs(run->g.data[i]));
    return most;
}

/* ---- line search ------------------------------------------------------------------------------ */

/* The derivative of the smoothed objective at a share `tau` of the step; `linear` and `square` are a' K da
 * and da' K da. */
static volt_status derivative(newton *run, double tau, double linear, double square, double *value)
{
    int64_t m = run->of_group.group;
    double sum = run->problem->alpha * (linear + tau * square), u[VOLT_MAX_LEVELS];
    for (int64_t i = 0; i < run->of_group.n; i++) {
        double *g = run->trial.data + i * m;
        for (int64_t j = 0; j < m; j++)
            u[j] = run->u.data[i * m + j] + tau * (run->kda.data[i * m + j] + run->dc[j]);
        VOLT_TRY(volt_loss_row_slope(&run->of_group, i, 0, u, run->g0.data + i * m, run->rho, g, NULL));
        for (int64_t j = 0; j < m; j++)
            sum += g[j] * (run->kda.data[i * m + j] + run->dc[j]);
    }
    *value = isnan(sum) ? INFINITY : sum;
    return VOLT_OK;
}

/* The step length; 0: no further decrease. */
static volt_status search_line(newton *run, double *tau)
{
    double linear = 0, square = 0, at_0, at_1;
    for (int64_t i = 0; i < run->a.rows; i++)
        for (int64_t j = 0; j < run->a.cols; j++) {
            int64_t e = i * run->a.cols + j;
            linear += (run->u.data[e] - run->c[j]) * run->da.data[e];
            square += run->kda.data[e] * run->da.data[e];
        }
    VOLT_TRY(derivative(run, 0, linear, square, &at_0));
    VOLT_TRY(derivative(run, 1, linear, square, &at_1));
    *tau = at_0 < 0 ? 1 : 0;
    if (!(at_0 < 0) || at_1 <= -0.1 * at_0)
        return VOLT_OK;
    double low = 0, high = 1, slope_low = at_0, slope_high = at_1;
    for (int i = 0; i < MAX_TRIALS; i++) {
        /* alternately the secant and the midpoint, geometric if the ends differ by orders of magnitude */
        double chord = low + (high - low) * slope_low / (slope_low - slope_high), now;
        double middle = high > 16 * low ? fmax(high / 64, sqrt(low * high)) : low + (high - low) / 2;
        double next = i % 2 == 0 && isfinite(slope_high) ? chord : middle;
        VOLT_TRY(derivative(run, next, linear, square, &now));
        *tau = next;
        if (fabs(now) <= -0.1 * at_0)
            break;
        if (now < 0) {
            low = next;
            slope_low = now;
        } else {
            high = next;
            slope_high = now;
        }
    }
    return VOLT_OK;
}

/* ---- a step ----------------------------------------------------------------------------------- */

static void take_step(newton *run, double tau)
{
    int64_t m = run->of_group.group;
    for (int64_t i = 0; i < run->a.rows; i++)
        for (int64_t j = 0; j < m; j++) {
            run->a.data[i * m + j] += tau * run->da.data[i * m + j];
            run->u.data[i * m + j] += tau * (run->kda.data[i * m + j] + run->dc[j]);
        }
    for (int64_t j = 0; j < m; j++)
        run->c[j] += tau * run->dc[j];
}

static void copy(volt_matrix from, volt_matrix to)
{
    memcpy(to.data, from.data, (size_t)(from.rows * from.cols) * sizeof(double));
}

static bool newton_is_closed(const newton *run, const volt_newton_task *task)
{
    return run->gap <= volt_loss_gap_tolerance(&run->of_group, task->tolerance, run->objective);
}

/* Certifies the readout with these slopes (NULL: -alpha a), stores it if it is the best so far, and returns
 * its gap. */
static double newton_certify(newton *run, const volt_newton_task *task, const double *slopes)
{
    volt_loss_state state = {.A = run->a, .U = run->kda, .G = run->trial, .c = run->dc}; /* after a step */
    for (int64_t i = 0; i < run->a.rows * run->a.cols; i++)
        run->trial.data[i] = slopes ? slopes[i] : -run->problem->alpha * run->a.data[i];
    memcpy(state.c, run->c, (size_t)run->a.cols * sizeof *state.c);
    volt_loss_certify(&run->of_group, task->tolerance, &state, run->certificate);
    if (!(state.gap < run->gap))
        return state.gap;
    run->gap = state.gap;
    run->objective = state.objective;
    copy(run->a, run->best_a);
    copy(state.U, run->best_u);
    memcpy(run->best_c, state.c, (size_t)run->a.cols * sizeof *state.c);
    return state.gap;
}

/* ---- piecewise linear losses ------------------------------------------------------------------ */

static volt_status newton_step_of(newton *run, double min_shift)
{
    newton_step made = {.da = run->da, .kda = run->kda, .dc = run->dc, .reach = reach(run)};
    return volt_newton_step(&run->of_group, &run->directions, run->a, run->g, min_shift, run->certificate,
                            &made);
}

/* Multiply rho by `factor`, keeping the set of active rows. */
static void stiffen(newton *run, double factor)
{
    int64_t m = run->of_group.group;
    for (int64_t i = 0; i < run->directions.size; i++) {
        volt_loss_direction *b = &run->directions.items[i];
        const double *x = run->directions.numbers + b->at;
        double *g = run->g.data + b->row * m + b->first, *g0 = run->g0.data + b->row * m + b->first, along = 0;
        for (int64_t j = 0; j < b->count; j++)
            along += x[j] * (g[j] - g0[j]);
        for (int64_t j = 0; j < b->count; j++)
            g[j] += (factor - 1) * along * x[j];
        b->d *= factor;
    }
}

/* Keep the active rows active and the slopes of all others fixed, solve one system, and update the active
 * rows. Close to the solution a few rounds find the minimum; otherwise they may diverge, and the state is
 * restored. */
static volt_status guess_rows(newton *run, const volt_newton_task *task, int64_t *steps)
{
    double last = INFINITY, *c = run->saved_c;
    int rises = 0;
    copy(run->a, run->saved_a);
    copy(run->u, run->saved_u);
    memcpy(c, run->c, (size_t)run->a.cols * sizeof *c);
    for (int round = 0; round < MAX_GUESSES && rises < MAX_RISES; round++) {
        if (!volt_stage_poll(run->problem->stage))
            return volt_stage_end(run->problem->stage);
        for (int64_t i = 0; i < run->a.rows * run->a.cols; i++)
            run->g0.data[i] = -run->problem->alpha * run->a.data[i];
        VOLT_TRY(find_slopes(run));
        stiffen(run, task->max_rho / run->rho);
        VOLT_TRY(newton_step_of(run, task->min_shift));
        take_step(run, 1);
        ++*steps;
        double gap = newton_certify(run, task, NULL);
        if (newton_is_closed(run, task))
            return VOLT_OK;
        rises += gap > last;
        last = gap;
    }
    copy(run->saved_a, run->a);
    copy(run->saved_u, run->u);
    memcpy(run->c, c, (size_t)run->a.cols * sizeof *c);
    return VOLT_OK;
}

/* The minimum of the smoothed problem, by Newton steps. */
static volt_status solve_eased(newton *run, const volt_newton_task *task, int64_t *steps)
{
    for (; *steps < task->max_steps; ++*steps) {
        double tau = 0;
        if (!volt_stage_poll(run->problem->stage))
            return volt_stage_end(run->problem->stage);
        VOLT_TRY(find_slopes(run));
        if (residual(run) <= 1e-9 * largest_slope(run))
            break;
        VOLT_TRY(newton_step_of(run, task->min_shift));
        VOLT_TRY(search_line(run, &tau));
        if (tau == 0)
            break;
        take_step(run, tau);
    }
    return VOLT_OK;
}

static volt_status iterate_lines(newton *run, const volt_newton_task *task, int64_t *steps)
{
    double best = INFINITY;
    for (int stalls = 0; stalls < MAX_STALLS && *steps < task->max_steps;) {
        VOLT_TRY(guess_rows(run, task, steps));
        if (newton_is_closed(run, task))
            break;
        copy(run->solved, run->g0);
        VOLT_TRY(solve_eased(run, task, steps));
        double gap = newton_certify(run, task, run->g.data);
        if (newton_is_closed(run, task))
            break;
        stalls = run->rho == task->max_rho && gap > best / 2 ? stalls + 1 : 0;
        best = fmin(best, gap);
        copy(run->g, run->solved);
        run->rho = fmin(run->rho * 4, task->max_rho);
    }
    return VOLT_OK;
}

/* ---- smooth losses ---------------------------------------------------------------------------- */

static volt_status iterate_smooth(newton *run, const volt_newton_task *task, int64_t *steps)
{
    double best = INFINITY;
    for (int stalls = 0, closed = 0; stalls < MAX_SMOOTH_STALLS && *steps < task->max_steps;) {
        double tau;
        if (!volt_stage_poll(run->problem->stage))
            return volt_stage_end(run->problem->stage);
        VOLT_TRY(find_slopes(run));
        VOLT_TRY(newton_step_of(run, task->min_shift));
        VOLT_TRY(search_line(run, &tau));
        take_step(run, tau > 0 ? tau : 1); /* below rounding in u, the step still brings alpha a closer to -g */
        ++*steps;
        double gap = newton_certify(run, task, NULL);
        closed += newton_is_closed(run, task);
        if (closed > (task->one_more ? 1 : 0))
            break;
        stalls = gap > best / 2 ? stalls + 1 : 0;
        best = fmin(best, gap);
    }
    return VOLT_OK;
}

/* Copy the best readout to the state. */
static void finish(const newton *run, int64_t k, volt_loss_state *state)
{
    int64_t m = run->of_group.group;
    for (int64_t i = 0; i < run->a.rows; i++)
        for (int64_t j = 0; j < m; j++) {
            state->A.data[i * state->A.ld + k + j] = run->best_a.data[i * m + j];
            state->U.data[i * state->U.ld + k + j] = run->best_u.data[i * m + j];
            state->G.data[i * state->G.ld + k + j] = -run->problem->alpha * run->best_a.data[i * m + j];
        }
    memcpy(state->c + k, run->best_c, (size_t)m * sizeof *run->c);
}

volt_status volt_newton_run(const volt_loss_problem *problem, const volt_newton_task *task,
                            volt_loss_state *state, int64_t *steps)
{
    volt_status status = VOLT_OK;
    state->objective = state->gap = 0;
    for (int64_t k = 0; status == VOLT_OK && k < problem->columns; k += problem->group) {
        newton run = {0};
        int64_t taken = 0;
        status = newton_begin(problem, task, state, k, &run);
        if (status == VOLT_OK) {
            newton_certify(&run, task, run.solved.data);
            status = problem->loss->kind->smooth ? iterate_smooth(&run, task, &taken)
                                                 : iterate_lines(&run, task, &taken);
        }
        if (status == VOLT_OK && isfinite(run.gap))
            finish(&run, k, state);
        state->objective += run.objective;
        state->gap += run.gap;
        *steps += taken;
        newton_release(&run);
    }
    return status;
}

enum {
    PROBE_ROWS = 512,    /* rows used to estimate the size of the residuals */
    LINE_STEPS = 10,     /* steps of the first method for piecewise linear losses */
    SMOOTH_STEPS = 40,   /* the same for smooth losses */
    CLASS_STEPS = 20000, /* and for several classes ... */
    TRIED_STEPS = 3000,  /* ... in trial fits */
    NEWTON_STEPS = 400,
    CHECK_EVERY = 5
};

/* Predictions vary with the square root of the gap. Below this tolerance one more Newton step is taken or,
 * for several classes, the state must have settled. */
static const double EXACT = 1e-9;

/* A gap above this share of the objective is an error; one between it and the tolerance is a warning. */
static const double OPEN = 1e-3;

double volt_loss_numbers(double n, double columns)
{
    return 2 * n + PROBE_ROWS * PROBE_ROWS + 14 * n * columns;
}

/* ---- size of the residuals -------------------------------------------------------------------- */

/* The last rows of positive weight, at most PROBE_ROWS. */
static int64_t probe_rows(const volt_loss_problem *problem, int64_t rows[PROBE_ROWS])
{
    int64_t count = 0;
    for (int64_t i = problem->n; i-- > 0 && count < PROBE_ROWS;)
        if (volt_loss_weight(problem, i) > 0)
            rows[count++] = i;
    for (int64_t i = 0; i < count / 2; i++) {
        int64_t other = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = other;
    }
    return count;
}

/* Absolute one-step prediction errors of column k by ridge regression on the probe rows, into `errors`; L is
 * their factor, w and u receive the forward solves (docs/math.md). Returns the number of errors. */
static int64_t probe_errors(const volt_loss_problem *problem, int64_t k, const int64_t *rows, volt_matrix L,
                            double *w, double *u, double *errors)
{
    int64_t m = L.rows, count = 0;
    double uw = 0, uu = 0;
    for (int64_t i = 0; i < m; i++) {
        w[i] = problem->Y.data[rows[i] * problem->Y.ld + k];
        u[i] = problem->intercept ? 1 : 0;
    }
    volt_cholesky_forward(L, volt_matrix_of(w, m, 1));
    volt_cholesky_forward(L, volt_matrix_of(u, m, 1));
    for (int64_t i = 0; i < m; i++) {
        double c = uu > 0 ? uw / uu : 0;
        if (i >= m / 4)
            errors[count++] = fabs(L.data[i * (L.ld + 1)] * (w[i] - u[i] * c));
        uw += u[i] * w[i];
        uu += u[i] * u[i];
    }
    return count;
}

/* The scale of the residuals, 1.4826 times their median, the least of any column; 1 if unknown. */
static volt_status residual_scale(const volt_loss_problem *problem, double *scale)
{
    int64_t rows[PROBE_ROWS], m = probe_rows(problem, rows), pivot = 0;
    double *memory = volt_alloc_doubles(m + 3, m);
    if (!memory)
        return VOLT_ERR_MEMORY;
    volt_matrix L = volt_matrix_of(memory, m, m);
    double *w = memory + m * m, *u = w + m, *errors = u + m, least = INFINITY;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            L.data[i * m + j] = i == j ? problem->diagonal[rows[i]] + problem->alpha
                                       : problem->K.data[rows[j] * problem->K.ld + rows[i]];
    volt_cholesky_factor(L, NULL, &pivot);
    for (int64_t k = 0; pivot == 0 && k < problem->columns; k += problem->group) {
        int64_t count = probe_errors(problem, k, rows, L, w, u, errors);
        volt_sort(errors, count);
        if (count > 0 && errors[count / 2] > 0)
            least = fmin(least, 1.4826 * errors[count / 2]);
    }
    volt_free(memory);
    *scale = isfinite(least) ? least : 1;
    return VOLT_OK;
}

/* ---- working memory --------------------------------------------------------------------------- */

typedef struct loss_workspace {
    double *diagonal, *r1, *p;
    volt_matrix G;
} loss_workspace;

static void release(loss_workspace *space)
{
    volt_free(space->diagonal);
    volt_free(space->p);
    volt_free(space->G.data);
}

/* An upper bound of the largest eigenvalue: the largest row sum. */
static volt_status norm_of(volt_matrix K, double *norm)
{
    VOLT_TRY(volt_cpu_backend.norm(volt_as_view(K), norm));
    VOLT_REQUIRE(isfinite(*norm), VOLT_ERR_NOT_FINITE, "the Gram matrix contains a value that is not finite");
    return VOLT_OK;
}

static volt_status prepare(volt_matrix K, const volt_loss_task *task, loss_workspace *space,
                           volt_loss_problem *problem)
{
    const volt_loss *loss = task->loss;
    int64_t n = K.rows, columns = task->Y.cols;
    space->diagonal = volt_alloc_doubles(n, 2);
    space->p = volt_alloc_doubles(columns, 1);
    space->G = volt_matrix_of(volt_alloc_doubles(n, columns), n, columns);
    if (!space->diagonal || !space->p || !space->G.data)
        return VOLT_ERR_MEMORY;
    space->r1 = space->diagonal + n;
    for (int64_t i = 0; i < n; i++)
        space->diagonal[i] = K.data[i * (K.ld + 1)];
    for (int64_t k = 0; k < columns; k++) {
        double value = loss->count > 0 ? loss->values[k % loss->count] : 0;
        space->p[k] = loss->kind->in_units && task->units ? value / task->units[k] : value;
    }
    *problem = (volt_loss_problem){.loss = loss,
                                   .n = n,
                                   .columns = columns,
                                   .group = loss->kind->row ? columns : volt_max(loss->count, 1),
                                   .Y = task->Y,
                                   .p = space->p,
                                   .weights = task->weights,
                                   .alpha = task->alpha,
                                   .common = task->common,
                                   .intercept = task->intercept,
                                   .K = K,
                                   .diagonal = space->diagonal};
    VOLT_TRY(norm_of(K, &problem->norm));
    volt_cpu_backend.mirror(K, true);
    return VOLT_OK;
}

/* ---- the factor of the first method ----------------------------------------------------------- */

/* n eps max K_ii of the original K: lower bound for the shift of the diagonal. */
static double rounding_level(const volt_loss_problem *problem)
{
    double largest = 0;
    for (int64_t i = 0; i < problem->n; i++)
        largest = fmax(largest, problem->diagonal[i]);
    return (double)problem->n * DBL_EPSILON * (largest + fabs(problem->common));
}

static double mean_weight(const volt_loss_problem *problem)
{
    double sum = 0;
    int64_t counted = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        sum += volt_loss_weight(problem, i);
        counted += volt_loss_weight(problem, i) > 0;
    }
    return sum / (double)counted;
}

static volt_status choose_rho(const volt_loss_problem *problem, double level, double *rho)
{
    const volt_loss_kind *kind = problem->loss->kind;
    double scale = 1;
    if (kind->by_residuals)
        VOLT_TRY(residual_scale(problem, &scale));
    *rho = kind->rho / scale * mean_weight(problem);
    if (level > 0)
        *rho = fmin(*rho, problem->alpha / (10 * level));
    return VOLT_OK;
}

/* Factors K + (alpha / rho) I, with rho = 0: K + alpha diag(1 / w) of the rows of positive weight. r1: the solution for 1. */
static volt_status factor(const volt_loss_problem *problem, double rho, double level, double *r1, double *rcond)
{
    volt_matrix L = problem->K;
    int64_t pivot = 0;
    double least = INFINITY, most = 0, largest = rho;
    for (int64_t i = 0; i < L.rows; i++) {
        double w = rho > 0 ? rho : volt_loss_weight(problem, i);
        largest = fmax(largest, w);
        r1[i] = w > 0 ? 1 : 0;
        L.data[i * (L.ld + 1)] = problem->diagonal[i] + problem->alpha / w;
        if (w == 0)
            volt_cpu_backend.isolate(L, i, 0, L.rows, 1);
    }
    volt_cholesky_factor(L, problem->stage, &pivot);
    if (!volt_stage_should_continue(problem->stage))
        return volt_stage_end(problem->stage);
    if (pivot)
        return volt_ridge_singular(pivot, L.rows, problem->alpha / largest, level);
    for (int64_t i = 0; i < L.rows; i++) {
        double d = L.data[i * (L.ld + 1)];
        least = fmin(least, d);
        most = fmax(most, d);
    }
    *rcond = least * least / (most * most);
    if (problem->intercept)
        volt_loss_solve_factor(L, volt_matrix_of(r1, L.rows, 1));
    return VOLT_OK;
}

/* ---- methods ---------------------------------------------------------------------------------- */

static bool is_closed(const volt_loss_problem *problem, const volt_loss_state *state, double tolerance)
{
    return state->gap <= volt_loss_gap_tolerance(problem, tolerance, state->objective);
}

/* A change of rho in the first method. */
typedef struct other_rho {
    const volt_loss_problem *problem;
    double level, *r1, *rcond;
} other_rho;

static volt_status refactor(void *context, double rho)
{
    const other_rho *other = context;
    volt_cpu_backend.mirror(other->problem->K, false);
    return factor(other->problem, rho, other->level, other->r1, other->rcond);
}

/* The constants in state->c have zero loss, so f = 0 with them is optimal. The gap remains 0. */
static void take_constant(const volt_loss_problem *problem, volt_loss_state *state)
{
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < problem->columns; k++) {
            state->A.data[i * state->A.ld + k] = 0;
            state->U.data[i * state->U.ld + k] = state->c[k];
        }
    state->objective = problem->ceiling;
}

/* The minimum for squares, and its certificate. */
static volt_status solve_squares(const volt_loss_problem *problem, const volt_loss_task *task,
                                 loss_workspace *space, volt_loss_state *state, double *rcond)
{
    int64_t n = problem->n, m = problem->columns;
    double *certificate = volt_alloc_doubles(n, 2 * m), ones = 0;
    volt_status status =
        certificate ? factor(problem, 0, rounding_level(problem), space->r1, rcond) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < m; k++)
                state->A.data[i * state->A.ld + k] =
                    volt_loss_weight(problem, i) > 0 ? problem->Y.data[i * problem->Y.ld + k] : 0;
        volt_loss_solve_factor(problem->K, state->A);
        for (int64_t i = 0; i < n; i++)
            ones += space->r1[i];
        for (int64_t k = 0; k < m; k++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += state->A.data[i * state->A.ld + k];
            state->c[k] = problem->intercept ? sum / ones : 0;
            for (int64_t i = 0; i < n; i++) {
                double *a = &state->A.data[i * state->A.ld + k];
                *a -= space->r1[i] * state->c[k];
                state->G.data[i * state->G.ld + k] = -problem->alpha * *a;
            }
        }
        volt_loss_certify(problem, task->tolerance, state, certificate);
    }
    volt_free(certificate);
    return status;
}

static volt_status minimise(const volt_loss_problem *problem, const volt_loss_task *task, loss_workspace *space,
                            volt_loss_state *state, volt_loss_result *result)
{
    const volt_loss_kind *kind = problem->loss->kind;
    double level = rounding_level(problem), rho;
    if (kind == &volt_loss_squares) {
        result->steps = 1;
        return solve_squares(problem, task, space, state, &result->rcond);
    }
    VOLT_TRY(choose_rho(problem, level, &rho));
    VOLT_TRY(factor(problem, rho, level, space->r1, &result->rcond));
    volt_admm_task first = {.r1 = space->r1,
                            .rho = rho,
                            .tolerance = task->tolerance,
                            .max_steps = kind->row      ? (task->tried ? TRIED_STEPS : CLASS_STEPS)
                                         : kind->smooth ? SMOOTH_STEPS
                                                        : LINE_STEPS,
                            .every = kind->smooth ? CHECK_EVERY : LINE_STEPS,
                            .needs_convergence = task->tolerance <= EXACT};
    other_rho other = {problem, level, space->r1, &result->rcond};
    if (kind->row) { /* there is no second method for these */
        first.refactor = refactor;
        first.context = &other;
        first.min_rho = 1e-6 * rho;
        first.max_rho = level > 0 ? fmax(problem->alpha / (10 * level), rho) : 1e6 * rho;
    }
    VOLT_TRY(volt_admm_run(problem, &first, state, &result->steps));
    if (kind->row || (is_closed(problem, state, task->tolerance) && task->tolerance > EXACT))
        return VOLT_OK;
    volt_newton_task second = {.rho = 10 * rho,
                               .max_rho = level > 0 ? fmax(problem->alpha / (10 * level), 10 * rho) : 1e8 * rho,
                               .min_shift = 10 * level,
                               .tolerance = task->tolerance,
                               .one_more = task->tolerance <= EXACT,
                               .max_steps = NEWTON_STEPS};
    return volt_newton_run(problem, &second, state, &result->newton_steps);
}

/* a' K a is the squared norm of a function. If it is negative beyond rounding, K is not a Gram matrix, the
 * problem is not convex, and objective and gap are meaningless. */
static volt_status check_norm(const volt_loss_problem *problem, const volt_loss_state *state)
{
    double energy = 0, rounding = 0, level = rounding_level(problem);
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < problem->columns; k++) {
            double a = state->A.data[i * state->A.ld + k];
            double u = state->U.data[i * state->U.ld + k];
            energy += a * (u - state->c[k]);
            rounding += 10 * level * a * a + 10 * DBL_EPSILON * fabs(a) * (fabs(u) + fabs(state->c[k]));
        }
    if (energy >= -rounding)
        return VOLT_OK;
    return volt_fail(
        VOLT_ERR_SINGULAR,
        "the squared norm of the fitted function is %.3g, below 0 by more than the rounding level "
        "n eps max K_ii = %.3g allows, so the Gram matrix is not positive semidefinite; use a larger "
        "alpha or another kernel",
        energy, level);
}

/* A gap far above the tolerance means that the readout is not the minimum. Several classes have no second
 * method and a loose bound, so their gap is only a warning. */
static volt_status check_gap(const volt_loss_problem *problem, const volt_loss_task *task,
                             const volt_loss_state *state, const volt_loss_result *result)
{
    double most = volt_loss_gap_tolerance(problem, fmax(OPEN, task->tolerance), state->objective);
    if (state->gap <= most || (problem->loss->kind->row && isfinite(state->gap)))
        return VOLT_OK;
    return volt_fail(VOLT_ERR_SINGULAR,
                     "loss %s with alpha %g: the duality gap is %.3g of the objective after %" PRId64
                     " iterations, and %.3g is required; use a larger alpha",
                     task->loss->text, task->alpha, state->gap / fabs(state->objective),
                     result->steps + result->newton_steps, task->tolerance);
}

volt_status volt_loss_minimise(volt_matrix K, const volt_loss_task *task, volt_loss_result *result)
{
    loss_workspace space = {0};
    volt_loss_problem problem;
    volt_loss_state state = {.A = result->A, .U = result->U, .c = result->c};
    volt_stage stage;
    volt_stage_begin(&stage, task->progress, "factor", task->from, task->share, volt_cholesky_units(K.rows));
    result->steps = result->newton_steps = 0;
    result->rcond = 1;
    volt_status status = prepare(K, task, &space, &problem);
    if (status == VOLT_OK) {
        state.G = space.G;
        problem.stage = &stage;
        volt_loss_bound(&problem, state.c);
        if (problem.ceiling <= problem.floor)
            take_constant(&problem, &state);
        else
            status = minimise(&problem, task, &space, &state, result);
    }
    if (status == VOLT_OK)
        status = volt_stage_end(&stage);
    if (status == VOLT_OK)
        status = check_norm(&problem, &state);
    if (status == VOLT_OK)
        status = check_gap(&problem, task, &state, result);
    result->objective = state.objective;
    result->gap = state.gap;
    if (status == VOLT_OK && !task->tried && !is_closed(&problem, &state, task->tolerance))
        volt_log(VOLT_LOG_WARNING,
                 "loss %s: the duality gap is %.3g of the objective after %d steps, tolerance %.3g",
                 task->loss->text, state.gap / fabs(state.objective),
                 (int)(result->steps + result->newton_steps), task->tolerance);
    release(&space);
    return status;
}

/* Moves a matrix with `from` fewer columns, which begins at M.data, behind `from` columns of 0. */
static void spread_columns(volt_matrix M, int64_t from)
{
    for (int64_t i = M.rows; i-- > 0 && from > 0;)
        for (int64_t k = M.cols; k-- > 0;)
            M.data[i * M.cols + k] = k < from ? 0 : M.data[i * (M.cols - from) + k - from];
}

volt_status volt_loss_minimise_outputs(volt_matrix K, const volt_loss_task *task, volt_loss_result *result)
{
    int64_t n = K.rows, q = task->Y.cols, from = volt_loss_first_column(task->loss);
    volt_matrix A = result->A, U = result->U;
    volt_loss_task less = *task;
    less.Y = (volt_view){task->Y.data + from, n, q - from, task->Y.ld};
    less.units = task->units ? task->units + from : NULL;
    if (less.alpha == 0)
        VOLT_TRY(volt_loss_choose(K, &less, &less.alpha));
    result->alpha = less.alpha;
    result->A = volt_matrix_of(A.data, n, q - from);
    result->U = volt_matrix_of(U.data, n, q - from);
    volt_status status = volt_loss_minimise(K, &less, result);
    result->A = A;
    result->U = U;
    VOLT_TRY(status);
    spread_columns(A, from);
    spread_columns(U, from);
    spread_columns(volt_matrix_of(result->c, 1, q), from);
    for (int64_t k = 0; k < q; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += A.data[i * q + k];
        result->c[k] -= task->common * sum;
    }
    return VOLT_OK;
}

/* ---- alpha by fits on the earlier rows, evaluated on the later ones ---------------------------------- */

/* With many rows, fits on the last ones screen the candidates (base/alpha_grid.h). */

enum { MAX_TRIED = 1200 };

double volt_loss_unit(volt_view K)
{
    double unit = 0;
    for (int64_t i = 0; i < K.rows; i++)
        unit += K.data[i * (K.ld + 1)] / (double)K.rows;
    return unit > 0 ? unit : 1;
}

double volt_loss_choice_numbers(double n, double columns)
{
    double rows = fmin(n, MAX_TRIED), whole = n > MAX_TRIED ? n + (2 * n + 1) * columns : 0;
    return rows * rows + 4 * rows * columns + volt_loss_numbers(rows, columns) + whole;
}

double volt_loss_mean(const volt_loss_task *task, volt_view U, int64_t first)
{
    const volt_loss *loss = task->loss;
    const volt_loss_kind *kind = loss->kind;
    double sum = 0, total = 0, u[VOLT_MAX_LEVELS];
    int64_t group = volt_max(loss->count, 1);
    for (int64_t i = first; i < U.rows; i++) {
        const double *y = task->Y.data + i * task->Y.ld, *row = U.data + i * U.ld;
        double w = task->weights ? task->weights[i] : 1;
        if (w == 0)
            continue;
        total += w;
        if (kind->row) {
            sum += w * kind->row->value(U.cols, y, row);
            continue;
        }
        for (int64_t k = 0; k < U.cols; k += group) {
            memcpy(u, row + k, (size_t)group * sizeof *u);
            if (group > 1)
                volt_sort(u, group);
            for (int64_t j = 0; j < group; j++) {
                double unit = kind->in_units && task->units ? task->units[k + j] : 1;
                sum += w * kind->value(loss->count > 0 ? loss->values[j] / unit : 0, y[k + j], u[j]);
            }
        }
    }
    return sum / total;
}

/* Rows first .. first + rows - 1, of which the first `fitted` train. */
typedef struct trial_rows {
    int64_t first, rows, fitted;
} trial_rows;

static volt_loss_task part_of(const volt_loss_task *task, const trial_rows *part, int64_t rows)
{
    volt_loss_task less = *task;
    less.Y = volt_view_rows(task->Y, part->first, rows);
    less.weights = task->weights ? task->weights + part->first : NULL;
    less.tolerance = 1e-4;
    less.tried = true;
    less.share = 0;
    return less;
}

/* Returns whether the training rows contain a weight above 0, and every class. */
static bool can_train(const volt_loss_task *task, const trial_rows *part)
{
    const volt_loss_kind *kind = task->loss->kind;
    for (int64_t k = 0; k < task->Y.cols; k++) {
        bool low = false, high = false;
        for (int64_t i = part->first; i < part->first + part->fitted; i++) {
            double y = task->Y.data[i * task->Y.ld + k];
            if (task->weights && task->weights[i] == 0)
                continue;
            low = low || y <= 0 || !kind->info.classes;
            high = high || y > 0 || !kind->info.classes;
        }
        if (!low || !high)
            return false;
    }
    return true;
}

/* Workspace for the trials of a part: A and U are rows x columns. */
typedef struct trial_workspace {
    double *numbers;
    volt_matrix work; /* fitted x fitted; no data: K itself is overwritten and restored ... */
    double *diagonal; /* ... with this, fitted */
    volt_matrix A, U;
    double *c;
} trial_workspace;

static volt_status make_workspace(const trial_rows *part, int64_t columns, bool in_place,
                                  trial_workspace *space)
{
    int64_t square = in_place ? 0 : part->fitted * part->fitted;
    space->numbers = volt_alloc_doubles(square + part->fitted + (2 * part->rows + 1) * columns, 1);
    if (!space->numbers)
        return VOLT_ERR_MEMORY;
    space->work = volt_matrix_of(in_place ? NULL : space->numbers, part->fitted, part->fitted);
    space->diagonal = space->numbers + square;
    space->A = volt_matrix_of(space->diagonal + part->fitted, part->rows, columns);
    space->U = volt_matrix_of(space->A.data + part->rows * columns, part->rows, columns);
    space->c = space->U.data + part->rows * columns;
    return VOLT_OK;
}

/* The matrix of the training rows, in memory that may be overwritten: its lower triangle is that part of K. */
static volt_matrix begin_work(volt_matrix K, const trial_rows *part, const trial_workspace *space)
{
    volt_matrix block = {K.data + part->first * (K.ld + 1), part->fitted, part->fitted, K.ld};
    for (int64_t i = 0; i < part->fitted; i++) {
        space->diagonal[i] = block.data[i * (block.ld + 1)];
        if (space->work.data)
            memcpy(space->work.data + i * space->work.ld, block.data + i * block.ld,
                   (size_t)(i + 1) * sizeof(double));
    }
    return space->work.data ? space->work : block;
}

/* Restores the entries of K from the upper triangle, where volt_loss_minimise stores them. */
static void end_work(volt_matrix work, const trial_workspace *space)
{
    if (space->work.data)
        return;
    volt_cpu_backend.mirror(work, false);
    for (int64_t i = 0; i < work.rows; i++)
        work.data[i * (work.ld + 1)] = space->diagonal[i];
}

/* Offers the mean loss of the held-out rows; nothing if the fit fails. */
static volt_status try_alpha(volt_matrix K, const volt_loss_task *task, const trial_rows *part,
                             const trial_workspace *space, volt_alpha_choice *choice)
{
    int64_t fitted = part->fitted, first = part->first, columns = task->Y.cols;
    volt_matrix work = begin_work(K, part, space), A = space->A, U = space->U;
    volt_loss_task less = part_of(task, part, fitted), all = part_of(task, part, part->rows);
    less.alpha = choice->alpha;
    volt_loss_result result = {
        .A = volt_matrix_rows(A, 0, fitted), .U = volt_matrix_rows(U, 0, fitted), .c = space->c};
    volt_status status = volt_loss_minimise(work, &less, &result);
    if (status != VOLT_OK && status != VOLT_ERR_SINGULAR)
        return status;
    end_work(work, space);
    if (status == VOLT_ERR_SINGULAR)
        return VOLT_OK;
    for (int64_t i = fitted; i < part->rows; i++)
        memcpy(U.data + i * U.ld, space->c, (size_t)columns * sizeof(double));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (volt_blas_int)(part->rows - fitted),
                (volt_blas_int)columns, (volt_blas_int)fitted, 1, K.data + (first + fitted) * K.ld + first,
                (volt_blas_int)K.ld, A.data, (volt_blas_int)A.ld, 1, U.data + fitted * U.ld,
                (volt_blas_int)U.ld);
    volt_alpha_offer(choice, 0, volt_loss_mean(&all, volt_as_view(U), fitted), 0);
    return VOLT_OK;
}

typedef struct trials {
    volt_matrix K;
    const volt_loss_task *task;
    trial_rows last, whole; /* screening rows, and all rows */
    trial_workspace last_space, whole_space;
} trials;

static volt_status try_last(void *context, volt_alpha_choice *choice)
{
    const trials *all = context;
    return try_alpha(all->K, all->task, &all->last, &all->last_space, choice);
}

static volt_status try_whole(void *context, volt_alpha_choice *choice)
{
    const trials *all = context;
    return try_alpha(all->K, all->task, &all->whole, &all->whole_space, choice);
}

/* The last rows, at most `most`. The training rows end where a third of the weights above 0 remains. */
static trial_rows split_rows(const volt_loss_task *task, int64_t n, int64_t most, int64_t *counted)
{
    trial_rows part = {.first = n - volt_min(n, most), .rows = volt_min(n, most)};
    const double *weights = task->weights ? task->weights + part.first : NULL;
    int64_t held = 0;
    *counted = 0;
    for (int64_t i = 0; i < part.rows; i++)
        *counted += !weights || weights[i] > 0;
    part.fitted = part.rows;
    while (held < *counted / 3) {
        part.fitted--;
        held += !weights || weights[part.fitted] > 0;
    }
    return part;
}

volt_status volt_loss_choose(volt_matrix K, const volt_loss_task *task, double *alpha)
{
    int64_t counted;
    trial_rows last = split_rows(task, K.rows, task->max_tried > 0 ? task->max_tried : MAX_TRIED, &counted);
    VOLT_REQUIRE(counted >= VOLT_MIN_CHOSEN, VOLT_ERR_DATA,
                 "alpha cannot be chosen on %" PRId64 " rows (at least %d are required): set alpha", counted,
                 VOLT_MIN_CHOSEN);
    trials all = {.K = K, .task = task, .last = last};
    all.whole = (trial_rows){.first = 0, .rows = K.rows, .fitted = last.first + last.fitted};
    volt_alpha_best best = {0};
    volt_alpha_choice choice = {.grid = VOLT_ALPHA_LOSS,
                                .unit = volt_loss_unit(volt_as_view(K)),
                                .evaluate = last.first > 0 ? try_whole : try_last,
                                .screen = last.first > 0 ? try_last : NULL,
                                .context = &all,
                                .columns = 1,
                                .best = &best};
    *alpha = choice.unit;
    if (!can_train(task, &last))
        return VOLT_OK;
    volt_status status = make_workspace(&last, task->Y.cols, false, &all.last_space);
    if (status == VOLT_OK && last.first > 0)
        status = make_workspace(&all.whole, task->Y.cols, true, &all.whole_space);
    if (status == VOLT_OK)
        status = volt_alpha_choose(&choice);
    if (status == VOLT_OK && best.alpha > 0)
        *alpha = best.alpha;
    volt_free(all.last_space.numbers);
    volt_free(all.whole_space.numbers);
    return status;
}
