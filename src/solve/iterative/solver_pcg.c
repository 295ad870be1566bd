/* src/solve/iterative/solver_pcg.c: conjugate gradients with a landmark preconditioner (pcg.h), to a
 * tolerance and without storing K.
 *
 * Alpha and the errors of held-out rows are computed with the landmarks as in solver_nystrom.c. The same
 * pass over the rows computes the features of the preconditioner. Then every output is solved with its
 * alpha. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "base/threads.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/feature_fit.h"
#include "solve/landmark/landmark_operator.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the landmark preconditioner of K + alpha I (pcg.h) ---------------------------------------------- */

/* B is stored, and each application reads it twice: for B' R, in pieces of rows whose sums are added in
 * order, and for B g. One thread makes each BLAS call. The processes of a job hold a band of B each: B' R is
 * summed over them, and the rows of B g are gathered. On a device, B is stored by the operator of the landmarks,
 * which computes both products. */

enum { PIECE = 1024 }; /* rows */

static int64_t count_pieces(int64_t rows)
{
    return (rows + PIECE - 1) / PIECE;
}

/* ---- life ------------------------------------------------------------------------------------- */

/* Workspace in host memory, and the band of B. */
static bool make_band(int64_t columns, volt_preconditioner *pre)
{
    int64_t own = pre->rows;
    pre->B = volt_matrix_of(volt_alloc_doubles(own, pre->landmarks), own, pre->landmarks);
    pre->partial = volt_alloc_doubles(count_pieces(own) * pre->landmarks, columns);
    return pre->B.data && pre->partial;
}

/* Prepares a preconditioner with the features of `landmarks`, without the first `washout` rows, for products with
 * this many columns. Unless the operator stores them (`fold`), allocates the band of this process
 * (base/row_bands.h) of B. VOLT_ERR_MEMORY; release it in every case. */
static volt_status preconditioner_make(volt_operator *landmarks, int64_t washout, int64_t columns,
                                       volt_preconditioner *pre)
{
    int64_t m = landmarks->n_states;
    *pre = (volt_preconditioner){.landmarks = m,
                                 .features = landmarks->fold ? landmarks : NULL,
                                 .washout = washout,
                                 .g = volt_alloc_doubles(m, columns),
                                 .of_group = volt_alloc_doubles(m, columns)};
    int64_t last = 0;
    volt_feature_band(volt_bands_current(), landmarks->n - washout, &pre->first, &last);
    pre->rows = last - pre->first;
    bool allocated = pre->features || make_band(columns, pre);
    return allocated && pre->g && pre->of_group ? VOLT_OK : VOLT_ERR_MEMORY;
}

static void preconditioner_release(volt_preconditioner *pre)
{
    for (int64_t i = 0; pre->backend && i < VOLT_PRECONDITIONERS; i++)
        pre->backend->release(pre->S[i]);
    volt_free(pre->B.data);
    volt_free(pre->partial);
    volt_free(pre->g);
    volt_free(pre->of_group);
    *pre = (volt_preconditioner){0};
}

double volt_pcg_bytes(double n, double q, double landmarks)
{
    double band = ceil(n / (double)volt_bands_current()->parts);
    double pieces = (double)count_pieces((int64_t)band), systems = fmin(q, VOLT_PRECONDITIONERS);
    double stored = band * landmarks + (pieces + 2) * landmarks * q + systems * landmarks * landmarks;
    return 8 * (stored + 10 * n * q) + volt_half_product_bytes(n, q);
}

double volt_pcg_flops(double n, double q, double landmarks, double steps)
{
    return 2 * n * landmarks * landmarks + steps * q * (4 * n * landmarks + 2 * n * n);
}

int64_t volt_pcg_landmarks(int64_t n)
{
    enum { RUN = 32 };
    int64_t wanted = (int64_t)(12.7 * sqrt((double)n)) / RUN * RUN;
    return volt_max(1, volt_min(volt_max(wanted, RUN), n));
}

/* ---- systems ---------------------------------------------------------------------------------- */

/* The system with the nearest alpha and the same constant; -1: none. */
static int64_t nearest(const volt_preconditioner *pre, double alpha, bool constant, double *distance)
{
    int64_t best = -1;
    *distance = INFINITY;
    for (int64_t i = 0; i < pre->count; i++) {
        double off = fabs(log(alpha / pre->alpha[i]));
        if (pre->constant[i] == constant && off < *distance) {
            best = i;
            *distance = off;
        }
    }
    return best;
}

/* Choose the alphas of the systems: repeatedly the alpha of a column that is farthest from those already
 * chosen. One place is reserved for columns of the other kind. */
static void choose_systems(const double *alpha, const bool *constant, int64_t columns, volt_preconditioner *pre)
{
    for (pre->count = 0; pre->count < VOLT_PRECONDITIONERS; pre->count++) {
        int64_t farthest = -1;
        double most = 0;
        for (int64_t k = 0; k < columns; k++) {
            double distance;
            if (nearest(pre, alpha[k], constant[k], &distance) >= 0 ? distance > most : !isinf(most)) {
                farthest = k;
                most = distance;
            }
        }
        if (farthest < 0)
            return;
        pre->alpha[pre->count] = alpha[farthest];
        pre->constant[pre->count] = constant[farthest];
    }
}

/* Builds the systems for columns with these alphas, from the sums of B. group (columns) receives the system
 * of each column, *rcond the least estimated reciprocal condition number. VOLT_ERR_SINGULAR,
 * VOLT_ERR_NOT_FINITE, VOLT_ERR_MEMORY. */
static volt_status preconditioner_factor(volt_state_sums *sums, const double *alpha, const bool *constant,
                                         int64_t columns, int64_t *group, volt_preconditioner *pre,
                                         double *rcond)
{
    pre->backend = sums->backend ? sums->backend : &volt_cpu_backend;
    *rcond = 1;
    choose_systems(alpha, constant, columns, pre);
    for (int64_t k = 0; k < columns; k++) {
        double distance;
        group[k] = nearest(pre, alpha[k], constant[k], &distance);
    }
    for (int64_t i = 0; i < pre->count; i++) {
        double of_system = 1;
        VOLT_TRY(volt_state_sums_solve(sums, pre->alpha[i], pre->constant[i], &of_system));
        *rcond = fmin(*rcond, of_system);
        pre->S[i] = volt_state_sums_copy_factor(sums);
        if (!pre->S[i])
            return VOLT_ERR_MEMORY;
    }
    return volt_backend_state(pre->backend);
}

/* ---- application ------------------------------------------------------------------------------ */

/* out (B.cols x k) = B' R of some rows. */
static void fold_piece(volt_view B, volt_view R, double *out)
{
    volt_blas_int rows = (volt_blas_int)B.rows, m = (volt_blas_int)B.cols, k = (volt_blas_int)R.cols;
    if (k == 1)
        cblas_dgemv(CblasRowMajor, CblasTrans, rows, m, 1, B.data, (volt_blas_int)B.ld, R.data,
                    (volt_blas_int)R.ld, 0, out, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, k, rows, 1, B.data, (volt_blas_int)B.ld, R.data,
                    (volt_blas_int)R.ld, 0, out, k);
}

/* Z -= B g of some rows. */
static void spread_piece(volt_view B, const double *g, volt_matrix Z)
{
    volt_blas_int rows = (volt_blas_int)B.rows, m = (volt_blas_int)B.cols, k = (volt_blas_int)Z.cols;
    if (k == 1)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, m, -1, B.data, (volt_blas_int)B.ld, g, 1, 1, Z.data,
                    (volt_blas_int)Z.ld);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, k, m, -1, B.data, (volt_blas_int)B.ld, g,
                    k, 1, Z.data, (volt_blas_int)Z.ld);
}

/* g = B' R; R has the rows of B. */
static void fold(const volt_preconditioner *pre, volt_view R)
{
    volt_view B = volt_as_view(pre->B);
    int64_t pieces = count_pieces(B.rows), each = B.cols * R.cols;
#pragma omp parallel for schedule(static) num_threads((int)volt_threads())
    for (int64_t p = 0; p < pieces; p++) {
        int64_t count = volt_min(PIECE, B.rows - p * PIECE);
        fold_piece(volt_view_rows(B, p * PIECE, count), volt_view_rows(R, p * PIECE, count),
                   pre->partial + p * each);
    }
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (each > 10000)
    for (int64_t i = 0; i < each; i++) {
        double sum = 0;
        for (int64_t p = 0; p < pieces; p++)
            sum += pre->partial[p * each + i];
        pre->g[i] = sum;
    }
}

/* g <- (S S')^{-1} g, with g summed over the bands; each column uses the system of its group. */
static void solve_groups(const volt_preconditioner *pre, const int64_t *group, int64_t columns)
{
    int64_t m = pre->landmarks;
    volt_bands_current()->sum(pre->g, m * columns);
    for (int64_t i = 0; i < pre->count; i++) {
        int64_t count = 0;
        for (int64_t k = 0; k < columns; k++)
            count += group[k] == i;
        for (int64_t j = 0, to = 0; j < m; j++)
            for (int64_t k = 0; k < columns; k++)
                if (group[k] == i)
                    pre->of_group[to++] = pre->g[j * columns + k];
        volt_matrix S = volt_matrix_of(pre->S[i], m, m), own = volt_matrix_of(pre->of_group, m, count);
        pre->backend->forward(S, 0, m, true, own);
        pre->backend->backward(S, true, own);
        for (int64_t j = 0, from = 0; j < m; j++)
            for (int64_t k = 0; k < columns; k++)
                if (group[k] == i)
                    pre->g[j * columns + k] = pre->of_group[from++];
    }
    volt_bands_broadcast(volt_bands_current(), pre->g, m * columns); /* devices may round differently */
}

/* Z -= B g, with g = (B'B + alpha I)^{-1} B' R. */
static void apply_band(const volt_preconditioner *pre, const int64_t *group, volt_view R, volt_matrix Z)
{
    volt_view B = volt_as_view(pre->B);
    fold(pre, volt_view_rows(R, pre->first, B.rows));
    solve_groups(pre, group, R.cols);
    volt_matrix own = volt_matrix_rows(Z, pre->first, B.rows);
    int64_t pieces = count_pieces(B.rows);
#pragma omp parallel for schedule(static) num_threads((int)volt_threads())
    for (int64_t p = 0; p < pieces; p++) {
        int64_t count = volt_min(PIECE, B.rows - p * PIECE);
        spread_piece(volt_view_rows(B, p * PIECE, count), pre->g, volt_matrix_rows(own, p * PIECE, count));
    }
    volt_bands_gather(volt_bands_current(), 0, pre->first, pre->first + B.rows, Z);
}

/* The same with features stored by their operator. */
static volt_status apply_features(const volt_preconditioner *pre, const int64_t *group, volt_view R,
                                  volt_matrix Z)
{
    volt_operator *features = pre->features;
    volt_matrix g = volt_matrix_of(pre->g, pre->landmarks, R.cols);
    int64_t first = pre->washout + pre->first, rows = pre->rows;
    memset(pre->g, 0, (size_t)(pre->landmarks * R.cols) * sizeof(double));
    if (rows > 0)
        VOLT_TRY(features->fold(features, first, volt_view_rows(R, pre->first, rows), g));
    solve_groups(pre, group, R.cols);
    double *spread = volt_alloc_doubles(rows, R.cols);
    if (!spread)
        return VOLT_ERR_MEMORY;
    volt_status status = rows > 0 ? features->combine(features, first, volt_as_view(g),
                                                      volt_matrix_of(spread, rows, R.cols), NULL)
                                  : VOLT_OK;
    for (int64_t i = 0; status == VOLT_OK && i < rows * R.cols; i++)
        Z.data[pre->first * Z.cols + i] -= spread[i];
    volt_free(spread);
    if (status == VOLT_OK)
        volt_bands_gather(volt_bands_current(), 0, pre->first, pre->first + rows, Z);
    return status;
}

/* Z = (R - B (B'B + alpha I)^{-1} B' R) / alpha, not projected; without a B, R / alpha. R and Z are rows x
 * columns, contiguous. Collective. Results do not depend on the number of threads. VOLT_ERR_MEMORY and failures
 * of the back end. */
static volt_status preconditioner_apply(const volt_preconditioner *pre, const int64_t *group,
                                        const double *alpha, volt_view R, volt_matrix Z)
{
    memcpy(Z.data, R.data, (size_t)(R.rows * R.cols) * sizeof(double));
    if (pre->features)
        VOLT_TRY(apply_features(pre, group, R, Z));
    else if (pre->landmarks > 0)
        apply_band(pre, group, R, Z);
    for (int64_t i = 0; i < Z.rows; i++)
        for (int64_t k = 0; k < Z.cols; k++)
            Z.data[i * Z.cols + k] /= pre->landmarks > 0 ? pre->alpha[group[k]] : alpha[k];
    return VOLT_OK;
}

/* ---- preconditioned conjugate gradients for several columns ------------------------------------------ */

/* q = (K + alpha I) p,   t = r'z / p'q,   x += t p,   r -= t q,   z = M^{-1} r,   p = z + (r'z / last r'z)
 * p
 *
 * Columns share only the multiplication by K. A converged column is not multiplied any more. All sums are
 * taken in the order of the rows. When all columns have converged, one more multiplication computes the true
 * residual, because the recursive one drifts by rounding. If the true residual is too large, the iteration
 * restarts from there. */

enum { MAX_RESTARTS = 20, LAST_ROWS = 2048 };
/* Predictions of the last rows have settled if they changed by less than this share of the tolerance in all
 * steps of the ring. */
static const double converged_share = 0.01;

typedef struct iteration {
    const volt_pcg_problem *problem;
    volt_iteration *pcg;
    volt_pcg_state *at;
    int64_t rows, columns;
    double count;     /* number of rows solved */
    int64_t begin;    /* the first of the last rows */
    double *q, *z;    /* rows x columns */
    double *V, *C;    /* n x columns: the factor and the product */
    bool *done;       /* columns */
    int64_t *which;   /* columns: indices of the multiplied columns */
    double *sum;      /* columns */
    int64_t products; /* products with K so far */
} iteration;

static double *number(const iteration *it, int64_t k, volt_pcg_number which)
{
    return &it->at->numbers[k * VOLT_PCG_NUMBERS + which];
}

static bool takes_part(const iteration *it, int64_t i)
{
    return !(it->problem->without && it->problem->without[i]);
}

/* ---- vectors ---------------------------------------------------------------------------------- */

/* a'b of every column into it->sum. */
static void dot(const iteration *it, const double *a, const double *b)
{
    memset(it->sum, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            it->sum[k] += a[i * it->columns + k] * b[i * it->columns + k];
}

/* Zero in the excluded rows, and of sum zero with an intercept. */
static void project(const iteration *it, double *v)
{
    memset(it->sum, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            it->sum[k] += takes_part(it, i) ? v[i * it->columns + k] : 0;
    for (int64_t k = 0; k < it->columns; k++)
        it->sum[k] = it->problem->constant[k] ? it->sum[k] / it->count : 0;
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            v[i * it->columns + k] = takes_part(it, i) ? v[i * it->columns + k] - it->sum[k] : 0;
}

static volt_status precondition(const iteration *it)
{
    const volt_pcg_problem *problem = it->problem;
    VOLT_TRY(preconditioner_apply(problem->pre, problem->group, problem->alpha,
                                  volt_view_of(it->at->r, it->rows, it->columns),
                                  volt_matrix_of(it->z, it->rows, it->columns)));
    project(it, it->z);
    return VOLT_OK;
}

/* C = K v for the columns that have not converged, or all; V and C have the columns `which`. */
static volt_status multiply(iteration *it, const double *v, bool all, volt_stage *stage, int64_t *count)
{
    const volt_pcg_problem *problem = it->problem;
    int64_t w = problem->washout, n = problem->kernel->n, some = 0;
    for (int64_t k = 0; k < it->columns; k++)
        if (all || !it->done[k])
            it->which[some++] = k;
    memset(it->V, 0, (size_t)(w * some) * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t c = 0; c < some; c++)
            it->V[(w + i) * some + c] = v[i * it->columns + it->which[c]];
    *count = some;
    return volt_operator_multiply(problem->kernel, problem->backend, volt_view_of(it->V, n, some),
                                  volt_matrix_of(it->C, n, some), stage);
}

/* q = (K - common 11' + alpha I) v, projected, from the product; 0 in columns without one. */
static void finish_product(const iteration *it, const double *v, int64_t count, double *q)
{
    const volt_pcg_problem *problem = it->problem;
    double *total = it->sum;
    memset(total, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            total[k] += v[i * it->columns + k];
    memset(q, 0, (size_t)(it->rows * it->columns) * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t c = 0; c < count; c++) {
            int64_t k = it->which[c];
            q[i * it->columns + k] = it->C[(problem->washout + i) * count + c] - problem->common * total[k] +
                                     problem->alpha[k] * v[i * it->columns + k];
        }
    project(it, q);
}

/* ---- state of the iteration -------------------------------------------------------------------- */

/* Did the predictions of the last rows change by less than the tolerance allows, in every step of the ring? */
static bool predictions_converged(const iteration *it, int64_t k)
{
    double moved = 0;
    for (int64_t i = 0; i < VOLT_PCG_RING; i++)
        moved += *number(it, k, (volt_pcg_number)(VOLT_PCG_MOVED + i));
    return it->at->steps >= VOLT_PCG_RING && moved <= converged_share * it->pcg->tolerance;
}

static bool is_small(const iteration *it, int64_t k)
{
    return *number(it, k, VOLT_PCG_RESIDUAL) <= it->pcg->tolerance;
}

/* Marks converged columns; returns whether all have converged. */
static bool find_done(iteration *it)
{
    bool all = true;
    for (int64_t k = 0; k < it->columns; k++) {
        it->done[k] = is_small(it, k) || predictions_converged(it, k) || !(*number(it, k, VOLT_PCG_RZ) > 0);
        all = all && it->done[k];
    }
    return all;
}

/* Checks that r'z, in it->sum, is positive, or so small that its sign may be rounding. */
static volt_status check_positive(const iteration *it, int64_t k)
{
    double residual = *number(it, k, VOLT_PCG_RESIDUAL), rz = it->sum[k];
    VOLT_REQUIRE(isfinite(residual) && isfinite(rz), VOLT_ERR_NOT_FINITE,
                 "conjugate gradients overflowed in step %" PRId64, it->at->steps);
    VOLT_REQUIRE(rz > 0 || residual <= sqrt(DBL_EPSILON) || is_small(it, k), VOLT_ERR_SINGULAR,
                 "alpha is %g, too small for the preconditioner: it is not positive definite to rounding in "
                 "step %" PRId64 ", at a residual of %g; use a larger alpha or fewer landmarks",
                 it->problem->alpha[k], it->at->steps, residual);
    return VOLT_OK;
}

/* Recompute z, p and r'z from r, in the columns that have not converged. */
static volt_status start_columns(iteration *it)
{
    volt_pcg_state *at = it->at;
    VOLT_TRY(precondition(it));
    dot(it, at->r, it->z);
    for (int64_t k = 0; k < it->columns; k++) {
        if (it->done[k])
            continue;
        VOLT_TRY(check_positive(it, k));
        *number(it, k, VOLT_PCG_RZ) = it->sum[k];
        for (int64_t i = 0; i < VOLT_PCG_RING; i++)
            *number(it, k, (volt_pcg_number)(VOLT_PCG_MOVED + i)) = 1;
    }
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            if (!it->done[k])
                at->p[i * it->columns + k] = it->z[i * it->columns + k];
    return VOLT_OK;
}

/* Start from x = 0. */
static volt_status start(iteration *it)
{
    volt_pcg_state *at = it->at;
    size_t bytes = (size_t)(it->rows * it->columns) * sizeof(double);
    at->steps = at->restarts = 0;
    memset(at->x, 0, bytes);
    memset(at->p, 0, bytes);
    memcpy(at->r, it->problem->targets, bytes);
    project(it, at->r);
    dot(it, at->r, at->r);
    for (int64_t k = 0; k < it->columns; k++) {
        double size = sqrt(it->sum[k]);
        *number(it, k, VOLT_PCG_ALPHA) = it->problem->alpha[k];
        *number(it, k, VOLT_PCG_RZ) = 0;
        *number(it, k, VOLT_PCG_SIZE) = size;
        *number(it, k, VOLT_PCG_RESIDUAL) = size > 0 ? 1 : 0;
        *number(it, k, VOLT_PCG_TRUE) = 2;
        for (int64_t i = 0; i < VOLT_PCG_RING; i++)
            *number(it, k, (volt_pcg_number)(VOLT_PCG_MOVED + i)) = 1;
        it->done[k] = !(size > 0);
    }
    return start_columns(it);
}

/* The first process of a job reads the state and sends it to the others, whose disks may differ. */
static volt_status load(iteration *it, bool *found)
{
    const volt_bands *bands = volt_bands_current();
    volt_pcg_state *at = it->at;
    volt_status status = bands->part == 0 ? it->pcg->load(it->pcg->context, at, found) : VOLT_OK;
    bool reads = bands->part == 0 && status == VOLT_OK && *found;
    double head[] = {status != VOLT_OK, reads, reads ? (double)at->steps : 0, reads ? (double)at->restarts : 0};
    bands->sum(head, sizeof head / sizeof *head);
    if (head[0] > 0)
        return status != VOLT_OK ? status
                                 : volt_fail(VOLT_ERR_FORMAT, "the first process cannot read the checkpoint");
    *found = head[1] > 0;
    if (!*found || bands->parts == 1)
        return VOLT_OK;
    at->steps = (int64_t)head[2];
    at->restarts = (int64_t)head[3];
    double *const lists[] = {at->x, at->r, at->p};
    int64_t end = bands->part == 0 ? it->rows : 0;
    for (int i = 0; i < 3; i++)
        volt_bands_gather(bands, 0, 0, end, volt_matrix_of(lists[i], it->rows, it->columns));
    volt_bands_gather(bands, 0, 0, end > 0 ? it->columns : 0,
                      volt_matrix_of(at->numbers, it->columns, VOLT_PCG_NUMBERS));
    return VOLT_OK;
}

/* States with other values of alpha are ignored. */
static volt_status resume(iteration *it, bool *found)
{
    *found = false;
    if (!it->pcg->load)
        return VOLT_OK;
    VOLT_TRY(load(it, found));
    for (int64_t k = 0; *found && k < it->columns; k++)
        VOLT_REQUIRE(*number(it, k, VOLT_PCG_ALPHA) == it->problem->alpha[k], VOLT_ERR_FORMAT,
                     "the checkpoint has alpha %.17g in column %" PRId64 ", but this fit has %.17g",
                     *number(it, k, VOLT_PCG_ALPHA), k + 1, it->problem->alpha[k]);
    return VOLT_OK;
}

/* ---- a step ----------------------------------------------------------------------------------- */

/* Move x and r along p by t (columns). Predictions change by t (K p) = t (q - alpha p). */
static void move(iteration *it, const double *t)
{
    volt_pcg_state *at = it->at;
    double *moved = it->sum;
    memset(moved, 0, (size_t)it->columns * sizeof(double));
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++) {
            int64_t a = i * it->columns + k;
            if (it->done[k])
                continue;
            double by = t[k] * (it->q[a] - it->problem->alpha[k] * at->p[a]);
            at->x[a] += t[k] * at->p[a];
            at->r[a] -= t[k] * it->q[a];
            moved[k] += i >= it->begin ? by * by : 0;
        }
    for (int64_t k = 0; k < it->columns; k++)
        if (!it->done[k]) {
            double spread = *number(it, k, VOLT_PCG_SIZE) / sqrt(it->count);
            *number(it, k, VOLT_PCG_MOVED + at->steps % VOLT_PCG_RING) =
                sqrt(moved[k] / (double)(it->rows - it->begin)) / spread;
        }
}

/* Compute the step lengths t. */
static volt_status find_lengths(iteration *it, double *t)
{
    dot(it, it->at->p, it->q);
    for (int64_t k = 0; k < it->columns; k++) {
        if (it->done[k])
            continue;
        double curvature = it->sum[k];
        VOLT_REQUIRE(isfinite(curvature), VOLT_ERR_NOT_FINITE,
                     "the kernel of the rows is too large for a double");
        VOLT_REQUIRE(
            curvature > 0, VOLT_ERR_SINGULAR,
            "K + alpha I is not positive definite to rounding: conjugate gradients found a direction of "
            "curvature %g in step %" PRId64 "; use an alpha larger than %g",
            curvature, it->at->steps + 1, it->problem->alpha[k]);
        t[k] = *number(it, k, VOLT_PCG_RZ) / curvature;
    }
    return VOLT_OK;
}

/* Compute the next direction. */
static volt_status turn(iteration *it)
{
    volt_pcg_state *at = it->at;
    dot(it, at->r, at->r);
    for (int64_t k = 0; k < it->columns; k++)
        if (!it->done[k])
            *number(it, k, VOLT_PCG_RESIDUAL) = sqrt(it->sum[k]) / *number(it, k, VOLT_PCG_SIZE);
    VOLT_TRY(precondition(it));
    dot(it, at->r, it->z);
    for (int64_t k = 0; k < it->columns; k++) {
        if (it->done[k])
            continue;
        VOLT_TRY(check_positive(it, k));
        double *rz = number(it, k, VOLT_PCG_RZ);
        double ratio = it->sum[k] / *rz;
        *rz = it->sum[k];
        for (int64_t i = 0; i < it->rows; i++) {
            int64_t a = i * it->columns + k;
            at->p[a] = it->z[a] + ratio * at->p[a];
        }
    }
    return VOLT_OK;
}

/* The largest residual of a column. */
static double residual_of(const iteration *it, volt_pcg_number which)
{
    double most = 0;
    for (int64_t k = 0; k < it->columns; k++)
        most = fmax(most, *number(it, k, which));
    return most;
}

/* Products with K in total: the steps at the present rate of convergence, and one for the true residual. */
static double expected_products(const iteration *it)
{
    double residual = fmax(residual_of(it, VOLT_PCG_RESIDUAL), it->pcg->tolerance), steps = VOLT_PCG_USUAL;
    if (it->at->steps > 0)
        steps = residual < 1 ? (double)it->at->steps * log(it->pcg->tolerance) / log(residual) : INFINITY;
    double left = fmin(ceil(steps), (double)it->pcg->max_steps) - (double)it->at->steps;
    return (double)it->products + fmax(left, 0) + 1;
}

/* Begin a stage for the next multiplication. */
static void begin_stage(iteration *it, char text[64], volt_stage *stage)
{
    double n = (double)it->problem->kernel->n, before = it->problem->before,
           all = before + expected_products(it);
    snprintf(text, 64, "step %" PRId64 ", residual %.1e", it->at->steps + 1,
             residual_of(it, VOLT_PCG_RESIDUAL));
    volt_stage_begin(stage, it->problem->progress, text, (before + (double)it->products) / all, 1 / all,
                     n * n / 2 / (double)volt_bands_current()->parts);
    it->products++;
}

/* Only the first process of a job saves. */
static volt_status save(const iteration *it, bool last)
{
    bool saves = it->pcg->save && volt_bands_current()->part == 0;
    return saves ? it->pcg->save(it->pcg->context, it->at, last) : VOLT_OK;
}

/* K v. On VOLT_ERR_CANCELLED the state, which has not changed, is saved. */
static volt_status multiply_watched(iteration *it, const double *v, bool all, int64_t *count)
{
    char text[64];
    volt_stage stage;
    begin_stage(it, text, &stage);
    volt_status status = multiply(it, v, all, &stage, count);
    if (status != VOLT_OK && status != VOLT_ERR_CANCELLED) /* also if another process was cancelled */
        return status;
    if (status == VOLT_OK && volt_stage_should_continue(&stage))
        return VOLT_OK;
    VOLT_TRY(save(it, true));
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

static volt_status step(iteration *it, double *t)
{
    int64_t count = 0;
    VOLT_TRY(multiply_watched(it, it->at->p, false, &count));
    finish_product(it, it->at->p, count, it->q);
    VOLT_TRY(find_lengths(it, t));
    move(it, t);
    it->at->steps++;
    VOLT_TRY(turn(it));
    return save(it, false);
}

/* ---- true residual at the end ------------------------------------------------------------------ */

/* r = y - (K + alpha I) x in all columns, and K x into `product`; *again: a column must continue. */
static volt_status find_truth(iteration *it, volt_matrix product, bool *again)
{
    volt_pcg_state *at = it->at;
    int64_t count = 0, n = it->problem->kernel->n;
    VOLT_TRY(multiply_watched(it, at->x, true, &count));
    for (int64_t i = 0; i < n; i++)
        memcpy(product.data + i * product.ld, it->C + i * count, (size_t)count * sizeof(double));
    finish_product(it, at->x, count, it->q);
    for (int64_t i = 0; i < it->rows * it->columns; i++)
        it->q[i] = it->problem->targets[i] - it->q[i];
    project(it, it->q);
    dot(it, it->q, it->q);
    *again = false;
    for (int64_t k = 0; k < it->columns; k++) {
        double size = *number(it, k, VOLT_PCG_SIZE), truth = size > 0 ? sqrt(it->sum[k]) / size : 0;
        double *last = number(it, k, VOLT_PCG_TRUE);
        bool converged = predictions_converged(it, k), improves = truth < *last / 2;
        VOLT_REQUIRE(isfinite(truth), VOLT_ERR_NOT_FINITE, "the kernel of the rows is too large for a double");
        *last = truth;
        it->done[k] = truth <= it->pcg->tolerance || converged || !improves || at->restarts >= MAX_RESTARTS ||
                      at->steps >= it->pcg->max_steps;
        *again = *again || !it->done[k];
    }
    return VOLT_OK;
}

/* Restart the columns that have not converged from their true residual, which is in q. */
static volt_status start_again(iteration *it)
{
    for (int64_t i = 0; i < it->rows; i++)
        for (int64_t k = 0; k < it->columns; k++)
            if (!it->done[k])
                it->at->r[i * it->columns + k] = it->q[i * it->columns + k];
    for (int64_t k = 0; k < it->columns; k++)
        if (!it->done[k])
            *number(it, k, VOLT_PCG_RESIDUAL) = *number(it, k, VOLT_PCG_TRUE);
    it->at->restarts++;
    return start_columns(it);
}

static void report(iteration *it)
{
    volt_iteration *pcg = it->pcg;
    pcg->steps = it->at->steps;
    pcg->residual = residual_of(it, VOLT_PCG_TRUE);
    pcg->converged = true;
    for (int64_t k = 0; k < it->columns; k++)
        pcg->converged =
            pcg->converged && (*number(it, k, VOLT_PCG_TRUE) <= pcg->tolerance || predictions_converged(it, k));
    if (!pcg->converged)
        volt_log(VOLT_LOG_WARNING,
                 "the solver \"pcg\" stopped after %" PRId64 " steps with a residual of %.3g (tolerance %g): "
                 "predictions may be wrong by that share of the standard deviation of the targets",
                 pcg->steps, pcg->residual, pcg->tolerance);
}

static volt_status iterate(iteration *it, volt_matrix product)
{
    bool found = false, again = true;
    double *t = volt_alloc_doubles(it->columns, 1);
    volt_status status = t ? resume(it, &found) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK && !found)
        status = start(it);
    while (status == VOLT_OK && again) {
        while (status == VOLT_OK && !find_done(it) && it->at->steps < it->pcg->max_steps)
            status = step(it, t);
        if (status == VOLT_OK)
            status = save(it, true);
        if (status == VOLT_OK)
            status = find_truth(it, product, &again);
        if (status == VOLT_OK && again)
            status = start_again(it);
    }
    volt_free(t);
    if (status == VOLT_OK)
        report(it);
    return status;
}

volt_status volt_pcg_run(const volt_pcg_problem *problem, volt_iteration *pcg, volt_pcg_state *state,
                         volt_matrix product)
{
    int64_t n = problem->kernel->n, rows = n - problem->washout, columns = problem->columns;
    iteration it = {.problem = problem,
                    .pcg = pcg,
                    .at = state,
                    .rows = rows,
                    .columns = columns,
                    .begin = volt_max(rows - LAST_ROWS, 0),
                    .q = volt_alloc_doubles(rows, columns),
                    .z = volt_alloc_doubles(rows, columns),
                    .V = volt_alloc_doubles(n, columns),
                    .C = volt_alloc_doubles(n, columns),
                    .done = volt_alloc_zero(columns, sizeof(bool)),
                    .which = volt_alloc_zero(columns, sizeof(int64_t)),
                    .sum = volt_alloc_doubles(columns, 1)};
    for (int64_t i = 0; i < rows; i++)
        it.count += takes_part(&it, i);
    bool allocated = it.q && it.z && it.V && it.C && it.done && it.which && it.sum;
    volt_status status = allocated ? iterate(&it, product) : VOLT_ERR_MEMORY;
    volt_free(it.q);
    volt_free(it.z);
    volt_free(it.V);
    volt_free(it.C);
    volt_free(it.done);
    volt_free(it.which);
    volt_free(it.sum);
    return status;
}

static double bytes(double n, double q, double landmarks)
{
    return volt_pcg_bytes(n, q, landmarks) + volt_solver_nystrom.bytes(n, q, landmarks);
}

static bool takes(int64_t n, int64_t q, int64_t landmarks, double available)
{
    return landmarks <= n && (available == 0 || bytes((double)n, (double)q, (double)landmarks) <= available);
}

/* The preconditioner, at the speed of the Nystrom trial, and the steps, whose additional operations are less
 * efficient. */
static volt_status seconds(double n, double landmarks, double *value)
{
    double m = fmax(landmarks, 1), once = 2 * n * m * m;
    VOLT_TRY(volt_solver_nystrom.seconds(n, m, value));
    *value *= 1 + 4 * (volt_pcg_flops(n, 1, m, VOLT_PCG_EXPECTED) - once) / once;
    return VOLT_OK;
}

/* The systems to solve: outputs that use the kernel. */
typedef struct system_list {
    int64_t columns;
    int64_t *output, *group; /* columns */
    double *alpha;
    bool *constant;
    double *targets; /* rows x columns */
    volt_preconditioner pre;
    volt_pcg_state state;
    double *product; /* n x columns: K x */
    double rcond;    /* of K + alpha I as approximated by the landmarks; 1 without landmarks */
} system_list;

static void release_systems(system_list *s)
{
    preconditioner_release(&s->pre);
    volt_free(s->output);
    volt_free(s->group);
    volt_free(s->alpha);
    volt_free(s->constant);
    volt_free(s->targets);
    volt_free(s->state.x);
    volt_free(s->state.r);
    volt_free(s->state.p);
    volt_free(s->state.numbers);
    volt_free(s->product);
}

static volt_status make_systems(const volt_solver_task *task, const volt_readout *readout, system_list *s)
{
    int64_t n = task->kernel->n, rows = readout->A.rows, q = readout->A.cols;
    *s = (system_list){.output = volt_alloc_zero(q, sizeof *s->output),
                       .group = volt_alloc_zero(q, sizeof *s->group),
                       .alpha = volt_alloc_doubles(q, 1),
                       .constant = volt_alloc_zero(q, sizeof *s->constant),
                       .targets = volt_alloc_doubles(rows, q),
                       .state = {.rows = rows,
                                 .x = volt_alloc_doubles(rows, q),
                                 .r = volt_alloc_doubles(rows, q),
                                 .p = volt_alloc_doubles(rows, q),
                                 .numbers = volt_alloc_zero(q * VOLT_PCG_NUMBERS, sizeof(double))},
                       .product = volt_alloc_doubles(n, q),
                       .rcond = 1};
    bool allocated = s->output && s->group && s->alpha && s->constant && s->targets && s->state.x &&
                     s->state.r && s->state.p && s->state.numbers && s->product;
    if (!allocated)
        return VOLT_ERR_MEMORY;
    volt_operator *landmarks = task->iteration->landmarks;
    return landmarks ? preconditioner_make(landmarks, task->washout, q, &s->pre) : VOLT_OK;
}

/* ---- before the iteration ----------------------------------------------------------------------- */

/* Targets of output k: its level if that was chosen, else `first`. */
static volt_view targets_of(const volt_solver_task *task, int64_t k, volt_view first)
{
    return task->choice && task->choice->outputs[k].level ? task->choice->level : first;
}

/* Lists the chosen columns and their targets. */
static void list_systems(const volt_solver_task *task, volt_view first, system_list *s)
{
    for (int64_t k = 0; k < first.cols; k++) {
        volt_chosen chosen = volt_feature_chosen(task, k);
        if (isinf(chosen.alpha))
            continue;
        s->output[s->columns] = k;
        s->alpha[s->columns] = chosen.alpha;
        s->constant[s->columns++] = chosen.constant;
    }
    s->state.columns = s->columns;
    for (int64_t i = 0; i < first.rows; i++)
        for (int64_t c = 0; c < s->columns; c++) {
            int64_t k = s->output[c];
            volt_view Y = targets_of(task, k, first);
            s->targets[i * s->columns + c] = task->without && task->without[i] ? 0 : Y.data[i * Y.ld + k];
        }
}

/* One pass over the rows: choice on held-out rows, and the preconditioner. */
static volt_status choose_and_precondition(const volt_solver_task *task, volt_view first, double share,
                                           system_list *s)
{
    volt_solver_task by_landmarks = *task;
    volt_feature_fit fit = {0};
    if (!task->iteration->landmarks) {
        list_systems(task, first, s);
        return VOLT_OK;
    }
    by_landmarks.kernel = task->iteration->landmarks;
    by_landmarks.loo_errors = NULL;
    volt_feature_fit plan = volt_feature_fit_of(&by_landmarks, 0, first);
    volt_feature_shares of = volt_feature_fit_shares(&plan);
    share /= of.states + of.choose;
    volt_status status = volt_nystrom_sum(&by_landmarks, first, s->pre.first, s->pre.B, share * of.states,
                                          share * of.choose, &fit);
    if (status == VOLT_OK) {
        list_systems(task, first, s);
        status =
            preconditioner_factor(fit.sums, s->alpha, s->constant, s->columns, s->group, &s->pre, &s->rcond);
    }
    volt_feature_fit_release(&fit);
    return status;
}

/* ---- after it ----------------------------------------------------------------------------------- */

/* Mean of column k of the targets over the rows with a target; and of K x. */
static double mean_target(const volt_solver_task *task, volt_view Y, int64_t k)
{
    double sum = 0, count = 0;
    for (int64_t i = 0; i < Y.rows; i++)
        if (!(task->without && task->without[i])) {
            sum += Y.data[i * Y.ld + k];
            count++;
        }
    return count > 0 ? sum / count : 0;
}

/* If the kernel is not used: 0, or the mean of the targets. `first` is still in A. */
static void take_constant(const volt_solver_task *task, int64_t k, volt_readout *readout)
{
    volt_chosen chosen = volt_feature_chosen(task, k);
    volt_view Y = targets_of(task, k, volt_as_view(readout->A));
    readout->intercepts[k] = chosen.constant ? mean_target(task, Y, k) : 0;
    readout->unlearned[k] = 0;
    for (int64_t i = 0; i < readout->A.rows; i++)
        readout->A.data[i * readout->A.ld + k] = 0;
    for (int64_t i = 0; readout->washout_fitted.data && i < readout->washout_fitted.rows; i++)
        readout->washout_fitted.data[i * readout->washout_fitted.ld + k] = 0;
}

/* Store solved column c. With an intercept c = mean (y - K x), corrected for the rounding error of 1'x times
 * `common`. */
static void take_column(const volt_solver_task *task, const system_list *s, int64_t c, volt_readout *readout)
{
    int64_t k = s->output[c], w = task->washout, rows = s->state.rows, columns = s->columns;
    double share = volt_feature_chosen(task, k).share, sum = 0;
    volt_view product = volt_view_of(s->product + w * columns, rows, columns);
    double mean = mean_target(task, volt_view_of(s->targets, rows, columns), c);
    for (int64_t i = 0; i < rows; i++) {
        sum += s->state.x[i * columns + c];
        readout->A.data[i * readout->A.ld + k] = share * s->state.x[i * columns + c];
    }
    readout->unlearned[k] = task->centred ? mean : 0;
    readout->intercepts[k] =
        s->constant[c] ? share * (mean - mean_target(task, product, c)) : -share * task->common * sum;
    readout->intercepts[k] -= readout->unlearned[k];
    for (int64_t i = 0; readout->washout_fitted.data && i < w; i++)
        readout->washout_fitted.data[i * readout->washout_fitted.ld + k] = share * s->product[i * columns + c];
}

static void take_readout(const volt_solver_task *task, const system_list *s, volt_readout *readout)
{
    readout->rcond = s->rcond;
    for (int64_t k = 0, c = 0; k < readout->A.cols; k++)
        if (c < s->columns && s->output[c] == k)
            take_column(task, s, c++, readout);
        else
            take_constant(task, k, readout);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* Operations before the steps, relative to a product with K: a pass over the rows, and the systems of the choice. */
static double work_before(const volt_solver_task *task, double q)
{
    const volt_operator *kernel = task->kernel, *landmarks = task->iteration->landmarks;
    if (!landmarks)
        return 0;
    double n = (double)kernel->n, m = (double)landmarks->n_states;
    double product = n * n / 2 * kernel->entry_cost + q * (4 * n * m + 2 * n * n);
    double pass = n * (landmarks->row_units * landmarks->entry_cost + 2 * m * m);
    return (pass + (task->choice ? VOLT_MAX_ALPHAS : 1) * m * m * m / 3) / product;
}

static volt_status solve_systems(const volt_solver_task *task, system_list *s, volt_readout *readout)
{
    int64_t n = task->kernel->n;
    double before = work_before(task, (double)readout->A.cols), share = before / (before + VOLT_PCG_USUAL + 1);
    readout->log_likelihood = NAN;
    task->iteration->steps = 0;
    task->iteration->residual = 0;
    task->iteration->converged = true;
    VOLT_TRY(choose_and_precondition(task, volt_as_view(readout->A), share, s));
    volt_pcg_problem problem = {.kernel = task->kernel,
                                .backend = task->backend ? task->backend : volt_backend_current(),
                                .washout = task->washout,
                                .without = task->without,
                                .common = task->common,
                                .columns = s->columns,
                                .alpha = s->alpha,
                                .constant = s->constant,
                                .targets = s->targets,
                                .pre = &s->pre,
                                .group = s->group,
                                .progress = task->progress,
                                .before = before};
    if (s->columns > 0)
        VOLT_TRY(volt_pcg_run(&problem, task->iteration, &s->state, volt_matrix_of(s->product, n, s->columns)));
    take_readout(task, s, readout);
    return VOLT_OK;
}

static volt_status solve(const volt_solver_task *task, volt_readout *readout)
{
    VOLT_REQUIRE(task->iteration && (task->iteration->landmarks || !task->choice), VOLT_ERR_ARGUMENT,
                 "the solver \"pcg\" requires landmarks or alpha");
    system_list systems = {0};
    volt_status status = make_systems(task, readout, &systems);
    if (status == VOLT_OK)
        status = solve_systems(task, &systems, readout);
    release_systems(&systems);
    return status;
}

const volt_solver volt_solver_pcg = {
    .info = {.name = "pcg", .meaning = "exact to a tolerance: conjugate gradients, without the Gram matrix"},
    .accuracy = VOLT_ACCURACY_TOLERANCE,
    .needs = {.rows = true, .landmarks = true},
    .accepts = {.device = true},
    .offers = {.checkpoints = true},
    .iterations = 1000,
    .tolerance = 1e-4,
    .products = VOLT_PCG_EXPECTED,
    .landmarks = volt_pcg_landmarks,
    .takes = takes,
    .bytes = bytes,
    .seconds = seconds,
    .solve = solve,
};
