/* cuda/factor_entries.c: the Cholesky factorisation, in place, panel by panel.
 *
 * Each panel computes `width` further columns of the factor:
 *
 *     diagonal block    L_kk = chol(A_kk - L[k, :k] L[k, :k]')                          (cuSOLVER)
 *     rows below it     L[r, k] = (A[r, k] - L[r, :k] L[k, :k]') L_kk^{-T}              (a product and a solve
 * of cuBLAS)
 *
 * Each entry is written once, and all products have long inner dimensions, which keeps the matrix units
 * busy. cuBLAS is column-major and sees the upper triangle of L'. Only the (row-major) lower triangle is
 * written. */
#include "base/condition.h"
#include "entries.h"
#include "matrix_kernels.h"

#include <math.h>

#ifndef VOLT_CUDA_PANEL
#define VOLT_CUDA_PANEL 2048 /* columns of a panel, chosen by measurement (docs/performance.md) */
#endif
enum { PANEL = VOLT_CUDA_PANEL };

static const double one = 1, minus_one = -1, zero = 0;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- preparation of the matrix ---------------------------------------------------------------- */

void volt_cuda_shift(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_OUT, 1), found = -INFINITY;
    if (device && count > 0) {
        volt_cuda_start_largest(lane->stream, A.data + first * (A.ld + 1), A.ld, count, device);
        volt_cuda_down(lane, device, 1, volt_matrix_of(&found, 1, 1));
        volt_cuda_start_shift(lane->stream, A.data, A.ld, first, count, common, alpha);
    }
    volt_cuda_give(lane);
    *largest = fmax(*largest, found);
}

void volt_cuda_mirror(volt_matrix A, bool up)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    volt_cuda_start_mirror(lane->stream, A.data, A.ld, A.rows, up);
    volt_cuda_give(lane);
}

void volt_cuda_isolate(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    volt_cuda_start_isolate(lane->stream, A.data, A.ld, i, first, count, diagonal);
    volt_cuda_give(lane);
}

volt_status volt_cuda_norm(volt_view A, double *norm)
{
    int64_t n = A.rows;
    double *sums = volt_cuda_host->alloc(n, sizeof *sums), largest = 0;
    volt_cuda_lane *lane = sums ? volt_cuda_take() : NULL;
    bool good = false;
    if (lane) {
        double *workspace = volt_cuda_workspace_of(lane, WORKSPACE_GRID, volt_cuda_norm_workspace(n) + n);
        if (workspace) {
            volt_cuda_start_sums(lane->stream, A.data, A.ld, n, workspace + n, workspace);
            good = volt_cuda_down(lane, workspace, n, volt_matrix_of(sums, 1, n));
        }
        good = volt_cuda_give(lane) && good;
    }
    for (int64_t i = 0; good && i < n; i++)
        largest = isnan(sums[i]) || isnan(largest) ? NAN : fmax(largest, sums[i]);
    volt_cuda_host->release(sums);
    if (good)
        *norm = largest;
    volt_status status = volt_cuda_state();
    return status == VOLT_OK && !good ? VOLT_ERR_MEMORY : status;
}

/* x <- A^{-1} x from the factor. */
static void solve_one(void *context, double *x)
{
    volt_matrix L = *(const volt_matrix *)context, column = volt_matrix_of(x, L.rows, 1);
    volt_cuda_forward(L, 0, L.rows, false, column);
    volt_cuda_backward(L, false, column);
}

volt_status volt_cuda_rcond(volt_matrix L, double norm, double *rcond)
{
    double *workspace = volt_cuda_host->alloc(2 * L.rows, sizeof *workspace);
    if (!workspace)
        return VOLT_ERR_MEMORY;
    double inverse = volt_inverse_norm(L.rows, solve_one, &L, workspace);
    volt_cuda_host->release(workspace);
    if (!volt_cuda_has_failed())
        *rcond = norm > 0 && inverse > 0 ? 1 / norm / inverse : 0;
    return volt_cuda_state();
}

/* ---- panels ----------------------------------------------------------------------------------- */

/* Triangular solves of cuBLAS are slow for many rows: at 2048 columns they reach a quarter of the rate of a
 * product. With many rows, diagonal blocks of INVERTED columns are inverted first, and all else is products.
 * Blocks are small, for accuracy. */
enum { INVERTED = 256, MANY_ROWS = 4096, MOST_ROWS = 32768, NARROW_PANEL = 1024 };

typedef struct inverted_blocks {
    double *of; /* INVERTED x INVERTED each */
    double *L;  /* INVERTED x INVERTED: a diagonal block with zeros above; NULL: without refinement */
    double *X;  /* INVERTED columns of at most MOST_ROWS rows */
} inverted_blocks;

/* Rows first .. first + count - 1 of columns `to` .. less their product with columns from .. to - 1:
 * L[r, to : to + width] -= L[r, from : to] L[to : to + width, from : to]'. */
static bool subtract_product(volt_cuda_lane *lane, volt_matrix L, int64_t first, int64_t count, int64_t from,
                             int64_t to, int64_t width)
{
    double *rows = L.data + first * L.ld, *panel = L.data + to * L.ld;
    return to == from || volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_T, CUBLAS_OP_N, width, count,
                                                             to - from, &minus_one, panel + from, L.ld,
                                                             rows + from, L.ld, &one, rows + to, L.ld),
                                              "a product");
}

/* C <- factor A B + scale C, row by row, for a diagonal block A of `width` columns and `count` rows B and C. */
static bool multiply_block(volt_cuda_lane *lane, int64_t width, int64_t count, const double *factor,
                           const double *A, int64_t ld_A, const double *B, int64_t ld_B, const double *scale,
                           double *C, int64_t ld_C)
{
    return volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_T, CUBLAS_OP_N, width, count, width,
                                               factor, A, ld_A, B, ld_B, scale, C, ld_C),
                                "a product");
}

/* Columns k .. k + width - 1 of the rows, R, times the inverse D of the diagonal block: X = R D'. One step of
 * refinement, X + (R - X L_kk') D', makes the residual as small as that of a triangular solve. */
static bool multiply_rows(volt_cuda_lane *lane, volt_matrix L, int64_t first, int64_t count, int64_t k,
                          int64_t width, const inverted_blocks *blocks, const double *D)
{
    double *R = L.data + first * L.ld + k, *X = blocks->X;
    bool good = multiply_block(lane, width, count, &one, D, INVERTED, R, L.ld, &zero, X, INVERTED);
    if (good && blocks->L) {
        volt_cuda_start_triangle(lane->stream, L.data + k * (L.ld + 1), L.ld, width, blocks->L);
        good = multiply_block(lane, width, count, &minus_one, blocks->L, width, X, INVERTED, &one, R, L.ld) &&
               multiply_block(lane, width, count, &one, D, INVERTED, R, L.ld, &one, X, INVERTED);
    }
    if (good)
        volt_cuda_start_copy(lane->stream, X, INVERTED, R, L.ld, count, width);
    return good;
}

/* Inverts the diagonal blocks of columns from .. to - 1, upper triangles for cuBLAS. */
static bool invert_blocks(volt_cuda_lane *lane, volt_matrix L, int64_t count, int64_t from, int64_t to,
                          bool refines, inverted_blocks *blocks)
{
    int64_t panels = (to - from + INVERTED - 1) / INVERTED, whole = (to - from) / INVERTED, size = INVERTED;
    double *memory = volt_cuda_workspace_of(lane, WORKSPACE_OUT, (panels + 1) * (size * size + 2));
    blocks->L = refines && memory ? memory + panels * (size * size + 2) : NULL;
    blocks->X = volt_cuda_workspace_of(lane, WORKSPACE_THIN, least(count, MOST_ROWS) * size);
    blocks->of = memory;
    double **lists = volt_cuda_host->alloc(2 * panels, sizeof *lists), **device = NULL;
    bool good = memory && blocks->X && lists;
    if (!lists)
        volt_cuda_miss("a list here", 2 * (double)panels);
    if (good) {
        device = (double **)(void *)(memory + panels * size * size);
        for (int64_t p = 0; p < panels; p++) {
            lists[p] = L.data + (from + p * size) * (L.ld + 1);
            lists[panels + p] = memory + p * size * size;
        }
        volt_cuda_start_identities(lane->stream, memory, size, panels);
        good = volt_cuda_check(cudaMemcpyAsync(device, lists, (size_t)(2 * panels) * sizeof *lists,
                                               cudaMemcpyHostToDevice, lane->stream),
                               "a copy to it") &&
               (whole == 0 ||
                volt_cuda_check_blas(cublasDtrsmBatched(lane->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER,
                                                        CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, INVERTED, INVERTED,
                                                        &one, (const double *const *)device, (int)L.ld,
                                                        device + panels, INVERTED, (int)whole),
                                     "a triangular solve"));
        int64_t rest = to - from - whole * size;
        if (good && rest > 0)
            good = volt_cuda_check_blas(cublasDtrsm_64(lane->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER,
                                                       CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, rest, rest, &one,
                                                       lists[whole], L.ld, lists[panels + whole], size),
                                        "a triangular solve");
        good = good && volt_cuda_check(cudaStreamSynchronize(lane->stream), "a triangular solve");
    }
    volt_cuda_host->release(lists);
    return good;
}

/* Compute columns k .. k + width - 1 of rows first .. first + count - 1. With `inverses`, those of the diagonal
 * blocks from column k on, all is done by products: wide ones with the columns before k, narrow ones within the
 * panel. */
static bool finish_rows(volt_cuda_lane *lane, volt_matrix L, int64_t first, int64_t count, int64_t k,
                        int64_t width, const inverted_blocks *blocks, const double *inverses)
{
    if (count == 0 || width == 0)
        return true;
    bool good = subtract_product(lane, L, first, count, 0, k, width);
    if (good && !inverses)
        good =
            volt_cuda_check_blas(cublasDtrsm_64(lane->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER,
                                                CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, width, count, &one,
                                                L.data + k * (L.ld + 1), L.ld, L.data + first * L.ld + k, L.ld),
                                 "a triangular solve");
    for (int64_t row = 0; inverses && row < count; row += MOST_ROWS) /* the workspace holds so many */
        for (int64_t at = 0, rows = least(MOST_ROWS, count - row); good && at < width; at += INVERTED) {
            int64_t columns = least(INVERTED, width - at);
            good = subtract_product(lane, L, first + row, rows, k, k + at, columns) &&
                   multiply_rows(lane, L, first + row, rows, k + at, columns, blocks, inverses + at * INVERTED);
        }
    return good;
}

/* Factor the diagonal block of columns k .. k + width - 1; earlier columns of its rows are final. */
static bool factor_block(volt_cuda_lane *lane, volt_matrix L, int64_t k, int64_t width)
{
    double *panel = L.data + k * L.ld;
    size_t device_bytes = 0, host_bytes = 0;
    if (k > 0 && !volt_cuda_check_blas(cublasDsyrk_64(lane->blas, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, width, k,
                                                      &minus_one, panel, L.ld, &one, panel + k, L.ld),
                                       "a product"))
        return false;
    if (!volt_cuda_check_solver(cusolverDnXpotrf_bufferSize(lane->solver, lane->params, CUBLAS_FILL_MODE_UPPER,
                                                            width, CUDA_R_64F, panel + k, L.ld, CUDA_R_64F,
                                                            &device_bytes, &host_bytes),
                                "a factorisation"))
        return false;
    double *workspace =
        volt_cuda_workspace_of(lane, WORKSPACE_SOLVER, (int64_t)(device_bytes / sizeof(double)) + 1);
    void *host_workspace = volt_cuda_host_workspace(lane, host_bytes);
    return workspace && host_workspace &&
           volt_cuda_check_solver(cusolverDnXpotrf(lane->solver, lane->params, CUBLAS_FILL_MODE_UPPER, width,
                                                   CUDA_R_64F, panel + k, L.ld, CUDA_R_64F, workspace,
                                                   device_bytes, host_workspace, host_bytes, lane->info),
                                  "a factorisation") &&
           volt_cuda_check(
               cudaMemcpyAsync(lane->host_info, lane->info, sizeof(int), cudaMemcpyDeviceToHost, lane->stream),
               "a copy from it") &&
           volt_cuda_check(cudaStreamSynchronize(lane->stream), "a factorisation");
}

/* Report progress; returns false if the user has cancelled. */
static bool advance(volt_stage *stage, double units)
{
    return !stage || volt_cuda_host->advance(stage, (int64_t)units);
}

void volt_cuda_trsm(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage)
{
    volt_cuda_lane *lane = count > 0 && to > from ? volt_cuda_take() : NULL;
    if (!lane)
        return;
    inverted_blocks blocks = {0};
    bool many = count >= MANY_ROWS && !stage,
         good = !many || invert_blocks(lane, L, count, from, to, false, &blocks);
    int64_t panel = many ? NARROW_PANEL : PANEL; /* by products: fewer columns in narrow ones */
    for (int64_t k = from; good && k < to; k += panel) {
        int64_t width = least(panel, to - k);
        good = finish_rows(lane, L, first, count, k, width, &blocks,
                           many ? blocks.of + (k - from) * INVERTED : NULL);
        if (good && stage)
            good = volt_cuda_check(cudaStreamSynchronize(lane->stream), "a product") &&
                   advance(stage, (double)count * (double)width * (double)(2 * k + width) / 1000);
    }
    volt_cuda_give(lane);
}

/* Share of the operations of columns `from` .. to - 1 that belongs to columns before k. Column c takes 2 c
 * (to - c). */
static double share_done(double from, double to, double k)
{
    double begin = from * from * (to - 2 * from / 3), end = to * to * to / 3, now = k * k * (to - 2 * k / 3);
    return (now - begin) / (end - begin);
}

/* Compute columns k .. k + width - 1 of the rows below the diagonal block, up to row `to`. */
static bool finish_panel(volt_cuda_lane *lane, volt_matrix L, int64_t k, int64_t width, int64_t to)
{
    inverted_blocks blocks = {0};
    int64_t first = k + width, count = to - first;
    if (count >= MANY_ROWS && !invert_blocks(lane, L, count, k, first, true, &blocks))
        return false;
    return finish_rows(lane, L, first, count, k, width, &blocks, blocks.of);
}

void volt_cuda_potrf(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot)
{
    *pivot = 0;
    volt_cuda_lane *lane = to > from ? volt_cuda_take() : NULL;
    if (!lane)
        return;
    bool good = true;
    double units = volt_backend_potrf_units(to - from), reported = 0;
    for (int64_t k = from, width = 0; good && *pivot == 0 && k < to; k += width) {
        width = least(PANEL, to - k);
        good = factor_block(lane, L, k, width);
        if (good && *lane->host_info > 0)
            *pivot = k + *lane->host_info;
        if (good && *pivot == 0) {
            double now = floor(units * share_done((double)from, (double)to, (double)(k + width)));
            good = finish_panel(lane, L, k, width, to) && advance(stage, now - reported);
            reported = now;
        }
    }
    volt_cuda_give(lane);
}

/* ---- inverse ---------------------------------------------------------------------------------- */

enum { INVERSE_BLOCK = 2048 }; /* columns inverted by cuSOLVER, which is slow for many */

/* T (n x n, a lower triangle with zeros above) <- its inverse. */
static bool invert_block(volt_cuda_lane *lane, double *T, int64_t n, int64_t ld)
{
    size_t device_bytes = 0, host_bytes = 0;
    if (!volt_cuda_check_solver(cusolverDnXtrtri_bufferSize(lane->solver, CUBLAS_FILL_MODE_UPPER,
                                                            CUBLAS_DIAG_NON_UNIT, n, CUDA_R_64F, T, ld,
                                                            &device_bytes, &host_bytes),
                                "an inverse"))
        return false;
    double *workspace =
        volt_cuda_workspace_of(lane, WORKSPACE_SOLVER, (int64_t)(device_bytes / sizeof(double)) + 1);
    void *host_workspace = volt_cuda_host_workspace(lane, host_bytes);
    return workspace && host_workspace &&
           volt_cuda_check_solver(cusolverDnXtrtri(lane->solver, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT,
                                                   n, CUDA_R_64F, T, ld, workspace, device_bytes,
                                                   host_workspace, host_bytes, lane->info),
                                  "an inverse") &&
           volt_cuda_check(cudaStreamSynchronize(lane->stream), "an inverse");
}

/* The same by halves: with the diagonal blocks A and C, the block B below A becomes -C^{-1} B A^{-1}. W has
 * n^2 / 4 numbers. */
static bool invert_triangle(volt_cuda_lane *lane, double *T, int64_t n, int64_t ld, double *W)
{
    if (!W || n <= INVERSE_BLOCK)
        return invert_block(lane, T, n, ld);
    int64_t h = (n / 2 + INVERSE_BLOCK - 1) / INVERSE_BLOCK * INVERSE_BLOCK, rest = n - h;
    double *B = T + h * ld, *C = B + h;
    return invert_triangle(lane, T, h, ld, W) && invert_triangle(lane, C, rest, ld, W) &&
           volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_N, CUBLAS_OP_N, h, rest, h, &one, T, ld, B,
                                               ld, &zero, W, h),
                                "a product") &&
           volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_N, CUBLAS_OP_N, h, rest, rest, &minus_one,
                                               W, h, C, ld, &zero, B, ld),
                                "a product");
}

/* T (a triangle with zeros above) <- its inverse; then the lower triangle of R <- T' T. */
static bool invert_into(volt_cuda_lane *lane, double *T, volt_matrix R)
{
    int64_t n = R.rows, numbers = n * n / 4;
    bool has_room =
        (double)volt_cuda_available() > 2 * 8 * (double)numbers; /* otherwise cuSOLVER inverts it all */
    double *W = n > INVERSE_BLOCK && has_room ? volt_cuda_workspace_of(lane, WORKSPACE_OUT, numbers) : NULL;
    return invert_triangle(lane, T, n, n, W) &&
           volt_cuda_check_blas(cublasDsyrk_64(lane->blas, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, n, &one, T,
                                               n, &zero, R.data, R.ld),
                                "a product") &&
           volt_cuda_check(cudaStreamSynchronize(lane->stream), "an inverse");
}

void volt_cuda_invert(volt_matrix L, volt_stage *stage)
{
    double *T = volt_cuda_alloc(L.rows, L.rows);
    if (!T)
        volt_cuda_miss("a second matrix, for the inverse", (double)L.rows * (double)L.rows);
    volt_cuda_lane *lane = T ? volt_cuda_take() : NULL;
    if (lane) {
        volt_cuda_start_triangle(lane->stream, L.data, L.ld, L.rows, T);
        invert_into(lane, T, L);
        volt_cuda_give(lane);
    }
    volt_cuda_release(T);
    if (stage)
        volt_cuda_host->poll(stage);
}
