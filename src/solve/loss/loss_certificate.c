/* src/solve/loss/loss_certificate.c: feasible slopes, objective and duality gap. */
#include "base/blas.h"
#include "base/numbers.h"
#include "solve/loss/loss_problem.h"

#include <float.h>
#include <math.h>

enum { THIN = 4, MOST_HALVINGS = 200 };

void volt_loss_multiply(const volt_loss_problem *problem, volt_view V, volt_matrix C)
{
    volt_matrix K = problem->K;
    volt_blas_int n = (volt_blas_int)K.rows, ld = (volt_blas_int)K.ld;
    if (V.cols <= THIN)
        for (int64_t k = 0; k < V.cols; k++)
            cblas_dsymv(CblasRowMajor, CblasUpper, n, 1, K.data, ld, V.data + k, (volt_blas_int)V.ld, 0,
                        C.data + k, (volt_blas_int)C.ld);
    else
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, n, (volt_blas_int)V.cols, 1, K.data, ld, V.data,
                    (volt_blas_int)V.ld, 0, C.data, (volt_blas_int)C.ld);
    for (int64_t i = 0; i < K.rows; i++) { /* what stands on the diagonal there is not K's */
        double off = problem->diagonal[i] - K.data[i * (K.ld + 1)];
        for (int64_t k = 0; k < V.cols; k++)
            C.data[i * C.ld + k] += off * V.data[i * V.ld + k];
    }
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

/* sum_t clip(g_t - theta w_t), which falls with theta. */
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
    double step = copysign(1e-12, sum); /* find a bracket, then halve it */
    for (int i = 0; i < MOST_HALVINGS; i++, step *= 4) {
        double now = clipped_sum(problem, G, k, step);
        if ((sum > 0) != (now > 0))
            break;
        low = step;
    }
    high = step;
    for (int i = 0; i < MOST_HALVINGS; i++) {
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

/* The largest share f <= 1 of the slopes g of one row that is feasible for levels that do not cross: no sum of the first
 * j slopes lies below minus that of the first levels, none of the last above that of what these lack to 1. */
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

/* Shift each column to the sum 0 and shrink all: 0 is feasible. */
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

/* Of classes: p = g / w + y back into the simplex, then (1 - e) p + e r with the same r in every row, which makes the sums
 * of g 0; e is the smallest that leaves r in the simplex. */
static void make_classes_feasible(const volt_loss_problem *problem, volt_matrix G)
{
    int64_t m = problem->group;
    double of_p[VOLT_MOST_LEVELS] = {0}, of_y[VOLT_MOST_LEVELS] = {0}, e = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double w = volt_loss_weight(problem, i), *g = G.data + i * G.ld, sum = 0;
        const double *y = problem->Y.data + i * problem->Y.ld;
        for (int64_t k = 0; k < m; k++)
            sum += g[k] = w > 0 ? fmax(g[k] / w + y[k], 0) : 0;
        for (int64_t k = 0; k < m; k++) {
            g[k] = w > 0 ? g[k] / sum : 0; /* p for now */
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
            if (most == 0)
                continue;
            state->c[j] += most;
            for (int64_t i = 0; i < problem->n; i++)
                U.data[i * U.ld + j] += most;
        }
}

/* ---- objective and gap ------------------------------------------------------------------------ */

/* Loss and excess of a row, whose slopes are g. Without an intercept levels that cross are taken in order. */
static void row_terms(const volt_loss_problem *problem, int64_t row, const double *u, const double *g,
                      double *loss, double *excess)
{
    const volt_loss_kind *kind = problem->loss->kind;
    const double *y = problem->Y.data + row * problem->Y.ld;
    double w = volt_loss_weight(problem, row), scaled[VOLT_MOST_LEVELS];
    if (w == 0)
        return;
    if (kind->row) {
        for (int64_t k = 0; k < problem->columns; k++)
            scaled[k] = g[k] / w;
        *loss += w * kind->row->value(problem->columns, y, u);
        *excess += w * kind->row->excess(problem->columns, y, u, scaled);
        return;
    }
    for (int64_t k = 0; k < problem->columns; k += problem->group) {
        for (int64_t j = 0; j < problem->group; j++)
            scaled[j] = u[k + j];
        if (problem->group > 1)
            volt_sort(scaled, problem->group);
        double sum = 0;
        for (int64_t j = 0; j < problem->group; j++) {
            *loss += w * kind->value(problem->p[k + j], y[k + j], scaled[j]);
            sum += w * kind->excess(problem->p[k + j], y[k + j], scaled[j], g[k + j] / w);
        }
        *excess += fmax(sum, 0); /* of levels together; each alone may lie below 0 */
    }
}

void volt_loss_certify(const volt_loss_problem *problem, double tolerance, volt_loss_state *state, double *room)
{
    int64_t n = problem->n, m = problem->columns;
    volt_matrix delta = volt_matrix_of(room, n, m), product = volt_matrix_of(room + n * m, n, m);
    double loss = 0, excess = 0, energy = 0, squares = 0;
    make_feasible(problem, state->G);
    if (problem->group > 1 && !problem->loss->kind->row && problem->intercept)
        uncross(problem, state);
    for (int64_t i = 0; i < n; i++) {
        const double *a = state->A.data + i * state->A.ld, *u = state->U.data + i * state->U.ld;
        const double *g = state->G.data + i * state->G.ld;
        row_terms(problem, i, u, g, &loss, &excess);
        for (int64_t k = 0; k < m; k++) {
            double off = g[k] + problem->alpha * a[k];
            energy += a[k] * (u[k] - state->c[k]);
            squares += off * off;
            delta.data[i * m + k] = off;
        }
    }
    state->objective = loss + problem->alpha / 2 * energy;
    double bar = tolerance * fabs(state->objective), most = problem->norm * squares / (2 * problem->alpha);
    if (excess <= bar && excess + most > bar) { /* the bound of delta' K delta is not good enough: the value */
        volt_loss_multiply(problem, volt_as_view(delta), product);
        most = 0;
        for (int64_t i = 0; i < n * m; i++)
            most += delta.data[i] * product.data[i] / (2 * problem->alpha);
    }
    state->gap = excess + fmax(most, 0);
}
