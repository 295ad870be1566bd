/* src/solve/loss/loss_certificate.c: feasible slopes, objective and duality gap. */
#include "base/blas.h"
#include "solve/loss/loss_problem.h"

#include <float.h>
#include <math.h>

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

void volt_loss_multiply(const volt_loss_problem *problem, volt_view V, volt_matrix C)
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
    volt_loss_multiply(problem, volt_as_view(delta), product);
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
    volt_loss_multiply(problem, volt_as_view(state->A), state->U);
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
