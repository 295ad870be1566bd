/* src/solve/loss/newton_system.c: the linear system of a Newton step.
 *
 * It is gathered from K and factored in the memory below the diagonal of K, or in separate memory if it has
 * more unknowns than K has rows. */
#include "solve/loss/loss_methods.h"

#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
        volt_loss_multiply(problem, volt_as_view(step->da), kdn);
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
        volt_loss_multiply(problem, volt_as_view(step->da), step->kda);
    return status;
}
