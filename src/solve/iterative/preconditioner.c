/* src/solve/iterative/preconditioner.c: the landmark preconditioner of K + alpha I (pcg.h).
 *
 * B is stored, and each application reads it twice: for B' R, in pieces of rows whose sums are added in
 * order, and for B g. One thread makes each BLAS call. The processes of a job hold a band of B each: B' R is
 * summed over them, and the rows of B g are gathered. On a device, B is stored by the operator of the landmarks,
 * which computes both products. */
#include "backend/cholesky.h"
#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"
#include "solve/iterative/pcg.h"
#include "solve/landmark/feature_fit.h"

#include <math.h>
#include <string.h>

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

volt_status volt_preconditioner_make(volt_operator *landmarks, int64_t washout, int64_t columns,
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

void volt_preconditioner_release(volt_preconditioner *pre)
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

volt_status volt_preconditioner_factor(volt_state_sums *sums, const double *alpha, const bool *constant,
                                       int64_t columns, int64_t *group, volt_preconditioner *pre, double *rcond)
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

volt_status volt_preconditioner_apply(const volt_preconditioner *pre, const int64_t *group, const double *alpha,
                                      volt_view R, volt_matrix Z)
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
