/* src/solve/exact/online_factor.c: append a row by a triangular solve, drop one by rotations.
 *
 * L is stored by columns, and both operations process eight columns at a time. The solve eliminates eight
 * unknowns from the right-hand side in one pass; eight rotations are applied to l_21 while it is in
 * registers. */
#include "solve/exact/online_factor.h"

#include "backend/cholesky.h"
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 8, MIN_CAPACITY = 64 };

static double *column(const volt_online_factor *f, int64_t j)
{
    return f->L + (f->start + j) * f->capacity + f->start;
}

static double *row_of_W(const volt_online_factor *f, int64_t i)
{
    return f->W + (f->start + i) * (f->q + 1);
}

/* ---- life ------------------------------------------------------------------------------------- */

void volt_online_free(volt_online_factor *f)
{
    if (f) {
        volt_free(f->L);
        volt_free(f->W);
        volt_free(f->l);
        volt_free(f->v);
        volt_free(f->sums);
    }
    volt_free(f);
}

volt_status volt_online_create(int64_t q, double alpha, volt_online_factor **factor)
{
    volt_online_factor *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->q = q;
    fresh->alpha = alpha;
    fresh->sums = volt_alloc_doubles(3, q + 1);
    volt_status status = fresh->sums ? volt_online_reserve(fresh, MIN_CAPACITY) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        *factor = fresh;
    else
        volt_online_free(fresh);
    return status;
}

/* Move the rows of the window to the start of `L` and `W`, which may be the old arrays: columns move down in
 * memory. */
static void move_to(volt_online_factor *f, double *L, double *W, int64_t capacity)
{
    for (int64_t j = 0; j < f->n; j++)
        memmove(L + j * capacity + j, column(f, j) + j, (size_t)(f->n - j) * sizeof *L);
    memmove(W, row_of_W(f, 0), (size_t)(f->n * (f->q + 1)) * sizeof *W);
    f->start = 0;
}

static volt_status enlarge(volt_online_factor *f, int64_t capacity)
{
    if ((double)capacity > 4096) {
        char what[96];
        snprintf(what, sizeof what, "the factor of a window of up to %" PRId64 " rows", capacity);
        VOLT_TRY(volt_memory_require(8.0 * (double)capacity * (double)capacity, what));
    }
    double *L = volt_alloc_doubles(capacity, capacity), *W = volt_alloc_doubles(capacity, f->q + 1);
    double *l = volt_alloc_doubles(capacity, 1), *v = volt_alloc_doubles(capacity, 1);
    if (!L || !W || !l || !v) {
        volt_free(L);
        volt_free(W);
        volt_free(l);
        volt_free(v);
        return VOLT_ERR_MEMORY;
    }
    if (f->capacity > 0) {
        move_to(f, L, W, capacity);
        memcpy(l, f->l, (size_t)f->n * sizeof *l);
    }
    volt_free(f->L);
    volt_free(f->W);
    volt_free(f->l);
    volt_free(f->v);
    f->L = L;
    f->W = W;
    f->l = l;
    f->v = v;
    f->capacity = capacity;
    return VOLT_OK;
}

volt_status volt_online_reserve(volt_online_factor *f, int64_t rows)
{
    if (f->start + rows <= f->capacity)
        return VOLT_OK;
    if (f->start > rows / 16 && rows <= f->capacity) { /* n^2 / 2 numbers moved every n / 16 rows, or more */
        move_to(f, f->L, f->W, f->capacity);
        return VOLT_OK;
    }
    return enlarge(f, rows + (f->n > 0 ? rows / 2 : rows / 8) + MIN_CAPACITY);
}

/* ---- the current row -------------------------------------------------------------------------- */

/* y <- y - sum_b x_b C_b for BLOCK columns C_b, ld apart. */
VOLT_CLONES
static void subtract_columns(const double *restrict C, int64_t ld, const double *restrict x, int64_t count,
                             double *restrict y)
{
    const double *c0 = C, *c1 = C + ld, *c2 = C + 2 * ld, *c3 = C + 3 * ld;
    const double *c4 = C + 4 * ld, *c5 = C + 5 * ld, *c6 = C + 6 * ld, *c7 = C + 7 * ld;
    double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    for (int64_t i = 0; i < count; i++)
        y[i] -= ((x0 * c0[i] + x1 * c1[i]) + (x2 * c2[i] + x3 * c3[i])) +
                ((x4 * c4[i] + x5 * c5[i]) + (x6 * c6[i] + x7 * c7[i]));
}

VOLT_CLONES
static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    double lane[BLOCK] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK)
        for (int l = 0; l < BLOCK; l++)
            lane[l] += a[i + l] * b[i + l];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (int l = 0; l < BLOCK; l++)
        sum += lane[l];
    return sum;
}

/* x <- L^{-1} x. */
static void solve_forward(const volt_online_factor *f, double *x)
{
    int64_t n = f->n;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t end = first + BLOCK < n ? first + BLOCK : n;
        for (int64_t j = first; j < end; j++) {
            const double *c = column(f, j);
            x[j] /= c[j];
            for (int64_t i = j + 1; i < end; i++)
                x[i] -= c[i] * x[j];
        }
        if (end < n)
            subtract_columns(column(f, first) + end, f->capacity, x + first, n - end, x + end);
    }
}

void volt_online_solve(volt_online_factor *f, const double *k, double self)
{
    memcpy(f->l, k, (size_t)f->n * sizeof *k);
    solve_forward(f, f->l);
    f->square = self + f->alpha - dot(f->l, f->l, f->n);
    f->least = (double)(f->n + 1) * DBL_EPSILON * fabs(self);
}

/* For every column of W (the last is u): products with u and with l. */
static void add_up(const volt_online_factor *f, double *with_u, double *with_l)
{
    int64_t width = f->q + 1;
    memset(with_u, 0, (size_t)width * sizeof *with_u);
    memset(with_l, 0, (size_t)width * sizeof *with_l);
    for (int64_t i = 0; i < f->n; i++) {
        const double *w = row_of_W(f, i);
        for (int64_t k = 0; k < width; k++) {
            with_u[k] += w[f->q] * w[k];
            with_l[k] += f->l[i] * w[k];
        }
    }
}

static double intercept(const volt_online_factor *f, bool constant, const double *with_u, int64_t k)
{
    return constant && f->n > 0 ? with_u[k] / with_u[f->q] : 0;
}

void volt_online_forecast(const volt_online_factor *f, const bool *constant, double *y)
{
    double *with_u = f->sums, *with_l = f->sums + f->q + 1;
    add_up(f, with_u, with_l);
    for (int64_t k = 0; k < f->q; k++) {
        double c = intercept(f, constant[k], with_u, k);
        y[k] = with_l[k] + c * (1 - with_l[f->q]);
    }
}

/* ---- append and drop -------------------------------------------------------------------------- */

volt_status volt_online_check(const volt_online_factor *f)
{
    VOLT_REQUIRE(
        f->square > f->least, VOLT_ERR_SINGULAR,
        "the row cannot be learned: its pivot %.3g must be above %.3g, the rounding level of its kernel "
        "(alpha is %.3g)",
        f->square, f->least, f->alpha);
    return VOLT_OK;
}

void volt_online_append(volt_online_factor *f, const double *y)
{
    int64_t n = f->n, width = f->q + 1;
    double delta = sqrt(f->square), *fresh = row_of_W(f, n), *with_l = f->sums;
    for (int64_t j = 0; j < n; j++)
        column(f, j)[n] = f->l[j];
    column(f, n)[n] = delta;
    memset(with_l, 0, (size_t)width * sizeof *with_l);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < width; k++)
            with_l[k] += f->l[i] * row_of_W(f, i)[k];
    for (int64_t k = 0; k < width; k++)
        fresh[k] = ((k < f->q ? y[k] : 1) - with_l[k]) / delta;
    f->n++;
}

/* A rotation that eliminates v against the pivot. */
typedef struct rotation {
    double c, s;
} rotation;

/* Apply BLOCK rotations in order to BLOCK columns C_b and v. */
VOLT_CLONES
static void rotate_columns(const rotation *restrict turn, double *restrict C, int64_t ld, int64_t count,
                           double *restrict v)
{
    for (int b = 0; b < BLOCK; b += 4) {
        double *restrict c0 = C + b * ld, *restrict c1 = c0 + ld, *restrict c2 = c1 + ld,
                         *restrict c3 = c2 + ld;
        const rotation t0 = turn[b], t1 = turn[b + 1], t2 = turn[b + 2], t3 = turn[b + 3];
        for (int64_t i = 0; i < count; i++) {
            double a0 = c0[i], a1 = c1[i], a2 = c2[i], a3 = c3[i];
            double v0 = v[i], v1 = t0.c * v0 - t0.s * a0, v2 = t1.c * v1 - t1.s * a1;
            double v3 = t2.c * v2 - t2.s * a2;
            c0[i] = t0.c * a0 + t0.s * v0;
            c1[i] = t1.c * a1 + t1.s * v1;
            c2[i] = t2.c * a2 + t2.s * v2;
            c3[i] = t3.c * a3 + t3.s * v3;
            v[i] = t3.c * v3 - t3.s * a3;
        }
    }
}

/* Compute the rotation of column j and apply it to rows up to `end` of the column and of v, and to W. */
static rotation turn_pivot(const volt_online_factor *f, int64_t j, int64_t end, double *v, double *e)
{
    double *c = column(f, j), *w = row_of_W(f, j), r = hypot(c[j], v[j]);
    const rotation turn = {c[j] / r, v[j] / r};
    c[j] = r;
    for (int64_t i = j + 1; i < end; i++) {
        double a = c[i];
        c[i] = turn.c * a + turn.s * v[i];
        v[i] = turn.c * v[i] - turn.s * a;
    }
    for (int64_t k = 0; k <= f->q; k++) {
        double a = w[k];
        w[k] = turn.c * a + turn.s * e[k];
        e[k] = turn.c * e[k] - turn.s * a;
    }
    return turn;
}

void volt_online_drop(volt_online_factor *f)
{
    double *v = f->v, *e = f->sums;
    memcpy(v, column(f, 0) + 1, (size_t)(f->n - 1) * sizeof *v);
    memcpy(e, row_of_W(f, 0), (size_t)(f->q + 1) * sizeof *e);
    f->start++;
    f->n--;
    for (int64_t first = 0; first < f->n; first += BLOCK) {
        rotation turns[BLOCK];
        int64_t end = first + BLOCK < f->n ? first + BLOCK : f->n;
        for (int64_t j = first; j < end; j++)
            turns[j - first] = turn_pivot(f, j, end, v, e);
        if (end < f->n)
            rotate_columns(turns, column(f, first) + end, f->capacity, f->n - end, v + end);
    }
}

/* ---- results ---------------------------------------------------------------------------------- */

void volt_online_coefficients(const volt_online_factor *f, const bool *constant, volt_matrix A, double *c)
{
    double *with_u = f->sums, *a = f->v;
    add_up(f, with_u, f->sums + f->q + 1);
    for (int64_t k = 0; k < f->q; k++) {
        c[k] = intercept(f, constant[k], with_u, k);
        for (int64_t i = f->n - 1; i >= 0; i--) { /* a = L^{-T} (w - u c) */
            const double *w = row_of_W(f, i), *l = column(f, i);
            a[i] = (w[k] - w[f->q] * c[k] - dot(l + i + 1, a + i + 1, f->n - i - 1)) / l[i];
            A.data[i * A.ld + k] = a[i];
        }
    }
}

double volt_online_condition(const volt_online_factor *f)
{
    double largest = 0, smallest = INFINITY;
    for (int64_t j = 0; j < f->n; j++) {
        largest = fmax(largest, column(f, j)[j]);
        smallest = fmin(smallest, column(f, j)[j]);
    }
    return f->n > 0 ? largest / smallest * (largest / smallest) : 1;
}

/* ---- all rows at once ------------------------------------------------------------------------- */

/* The row-major lower triangle uses the half of the memory that is not used by the columns of L. */
volt_matrix volt_online_gram(volt_online_factor *f, int64_t rows)
{
    f->start = 0;
    return (volt_matrix){f->L, rows, rows, f->capacity};
}

static void mirror(const volt_online_factor *f, int64_t n)
{
    enum { TILE = 32 };
    for (int64_t top = 0; top < n; top += TILE)
        for (int64_t left = 0; left <= top; left += TILE)
            for (int64_t i = top; i < n && i < top + TILE; i++)
                for (int64_t j = left; j <= i && j < left + TILE; j++)
                    f->L[j * f->capacity + i] = f->L[i * f->capacity + j];
}

volt_status volt_online_factorise(volt_online_factor *f, volt_view Y, volt_stage *stage)
{
    int64_t n = Y.rows, pivot = 0;
    volt_matrix K = volt_online_gram(f, n);
    for (int64_t i = 0; i < n; i++)
        K.data[i * K.ld + i] += f->alpha;
    if (n > 0)
        volt_cholesky_factor(K, stage, &pivot);
    if (!volt_stage_should_continue(stage))
        return volt_stage_end(stage);
    VOLT_REQUIRE(pivot == 0, VOLT_ERR_SINGULAR,
                 "the matrix of the window is not positive definite at row %" PRId64 " (alpha is %.3g)", pivot,
                 f->alpha);
    mirror(f, n);
    f->n = n;
    for (int64_t k = 0; k <= f->q; k++) {
        for (int64_t i = 0; i < n; i++)
            f->v[i] = k < f->q ? Y.data[i * Y.ld + k] : 1;
        solve_forward(f, f->v);
        for (int64_t i = 0; i < n; i++)
            row_of_W(f, i)[k] = f->v[i];
    }
    return VOLT_OK;
}

void volt_online_get(const volt_online_factor *f, double *packed)
{
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t j = 0; j <= i; j++)
            *packed++ = column(f, j)[i];
}

volt_status volt_online_set(volt_online_factor *f, int64_t n, const double *packed, const double *W)
{
    for (int64_t i = 0; i < n; i++)
        VOLT_REQUIRE(packed[i * (i + 1) / 2 + i] > 0, VOLT_ERR_FORMAT,
                     "pivot %" PRId64 " of the factor must be above 0 (got %.3g)", i + 1,
                     packed[i * (i + 1) / 2 + i]);
    f->n = n;
    f->start = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            column(f, j)[i] = *packed++;
    memcpy(f->W, W, (size_t)(n * (f->q + 1)) * sizeof *W);
    return VOLT_OK;
}
