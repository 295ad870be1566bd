/* cuda/thin_entries.c: copies, and products of large device matrices with thin host matrices.
 *
 * cuBLAS is column-major and sees the transpose of a row-major matrix: a thin B (n x q) is q x n, and the
 * lower triangle of L is the upper triangle of L'. */
#include "entries.h"
#include "matrix_kernels.h"

#include <string.h>

/* Rows solved at a time. Few columns are solved one by one: cuBLAS reads the matrix at the rate of its memory
 * for vectors, and not for products with few columns (n = 100,000: 11 ms and 61 ms). */
enum { SOLVE_BLOCK = 2048, FEW_COLUMNS = 4 };

static const double one = 1, minus_one = -1;

/* ---- copies ----------------------------------------------------------------------------------- */

enum { NARROW = 8, MANY = 32 }; /* matrices with fewer columns and more rows are gathered first */

void volt_cuda_put(volt_view host, volt_matrix device)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    if (host.cols < NARROW && host.rows > MANY && device.ld > device.cols) {
        double *packed = volt_cuda_workspace_of(lane, WORKSPACE_THIN, host.rows * host.cols);
        if (packed && volt_cuda_up(lane, host, packed, host.cols))
            volt_cuda_start_copy(lane->stream, packed, host.cols, device.data, device.ld, host.rows, host.cols);
    } else
        volt_cuda_up(lane, host, device.data, device.ld);
    volt_cuda_give(lane);
}

void volt_cuda_get(volt_view device, volt_matrix host)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane) {
        for (int64_t i = 0; i < host.rows; i++)
            memset(host.data + i * host.ld, 0, (size_t)host.cols * sizeof(double));
        return;
    }
    if (host.cols < NARROW && host.rows > MANY && device.ld > device.cols) {
        double *packed = volt_cuda_workspace_of(lane, WORKSPACE_THIN, host.rows * host.cols);
        if (packed) {
            volt_cuda_start_copy(lane->stream, device.data, device.ld, packed, host.cols, host.rows, host.cols);
            volt_cuda_down(lane, packed, host.cols, host);
        }
    } else
        volt_cuda_down(lane, device.data, device.ld, host);
    volt_cuda_give(lane);
}

/* ---- solves ----------------------------------------------------------------------------------- */

/* x <- T^{-1} x, or T^{-T} x, for a lower triangle; neighbouring numbers of x are q apart. */
static bool solve_triangle(volt_cuda_lane *lane, volt_view T, bool transposed, double *x, int64_t q)
{
    return volt_cuda_check_blas(cublasDtrsv_64(lane->blas, CUBLAS_FILL_MODE_UPPER,
                                               transposed ? CUBLAS_OP_N : CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT,
                                               T.rows, T.data, T.ld, x, q),
                                "a triangular solve");
}

/* Column c of rows from .. to - 1: B <- L_ff^{-1} (B - L[from : to, :from] B[:from]). */
static bool forward_column(volt_cuda_lane *lane, volt_matrix L, int64_t from, int64_t to, double *B, int64_t q)
{
    const double *row = L.data + from * L.ld;
    return (from == 0 ||
            volt_cuda_check_blas(cublasDgemv_64(lane->blas, CUBLAS_OP_T, from, to - from, &minus_one, row, L.ld,
                                                B, q, &one, B + from * q, q),
                                 "a product")) &&
           solve_triangle(lane, (volt_view){row + from, to - from, to - from, L.ld}, false, B + from * q, q);
}

/* B[k : k + rows] <- L_kk^{-1} (B[k : k + rows] - L[k : k + rows, :k] B[:k]); B is q x n on the device. */
static bool forward_block(volt_cuda_lane *lane, volt_matrix L, int64_t k, int64_t rows, double *B, int64_t q)
{
    const double *row = L.data + k * L.ld;
    return (k == 0 || volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_N, CUBLAS_OP_N, q, rows, k,
                                                          &minus_one, B, q, row, L.ld, &one, B + k * q, q),
                                           "a product")) &&
           volt_cuda_check_blas(cublasDtrsm_64(lane->blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER,
                                               CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, q, rows, &one, row + k, L.ld,
                                               B + k * q, q),
                                "a triangular solve");
}

/* B[k : k + rows] <- L_kk^{-T} (B[k : k + rows] - L[k + rows : m, k : k + rows]' B[k + rows : m]). */
static bool backward_block(volt_cuda_lane *lane, volt_matrix L, int64_t m, int64_t k, int64_t rows, double *B,
                           int64_t q)
{
    const double *corner = L.data + k * (L.ld + 1);
    int64_t below = m - k - rows;
    return (below == 0 || volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_N, CUBLAS_OP_T, q, rows,
                                                              below, &minus_one, B + (k + rows) * q, q,
                                                              corner + rows * L.ld, L.ld, &one, B + k * q, q),
                                               "a product")) &&
           volt_cuda_check_blas(cublasDtrsm_64(lane->blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER,
                                               CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, q, rows, &one, corner, L.ld,
                                               B + k * q, q),
                                "a triangular solve");
}

void volt_cuda_forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B)
{
    (void)steady; /* results do not depend on the number of threads */
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    int64_t q = B.cols;
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_THIN, to * q);
    bool good = device && volt_cuda_up(lane, volt_view_rows(volt_as_view(B), 0, to), device, q);
    for (int64_t c = 0; q <= FEW_COLUMNS && to > from && good && c < q; c++)
        good = forward_column(lane, L, from, to, device + c, q);
    for (int64_t k = from; q > FEW_COLUMNS && good && k < to; k += SOLVE_BLOCK)
        good = forward_block(lane, L, k, k + SOLVE_BLOCK < to ? SOLVE_BLOCK : to - k, device, q);
    if (good)
        volt_cuda_down(lane, device + from * q, q, volt_matrix_rows(B, from, to - from));
    volt_cuda_give(lane);
}

void volt_cuda_backward(volt_matrix L, bool steady, volt_matrix B)
{
    (void)steady;
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    int64_t q = B.cols, m = B.rows;
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_THIN, m * q);
    bool good = device && volt_cuda_up(lane, volt_as_view(B), device, q);
    for (int64_t c = 0; q <= FEW_COLUMNS && m > 0 && good && c < q; c++)
        good = solve_triangle(lane, (volt_view){L.data, m, m, L.ld}, true, device + c, q);
    for (int64_t end = m; q > FEW_COLUMNS && good && end > 0; end -= SOLVE_BLOCK) {
        int64_t rows = end < SOLVE_BLOCK ? end : SOLVE_BLOCK;
        good = backward_block(lane, L, m, end - rows, rows, device, q);
    }
    if (good)
        volt_cuda_down(lane, device, q, B);
    volt_cuda_give(lane);
}

/* ---- products --------------------------------------------------------------------------------- */

bool volt_cuda_multiply(volt_cuda_lane *lane, volt_view A, bool transposed, const double *in, int64_t q,
                        double scale, double *out)
{
    if (A.rows == 0 || A.cols == 0)
        return true;
    if (q > FEW_COLUMNS) {
        int64_t rows = transposed ? A.cols : A.rows, inner = transposed ? A.rows : A.cols;
        return volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_N,
                                                   transposed ? CUBLAS_OP_T : CUBLAS_OP_N, q, rows, inner, &one,
                                                   in, q, A.data, A.ld, &scale, out, q),
                                    "a product");
    }
    for (int64_t k = 0; k < q; k++)
        if (!volt_cuda_check_blas(cublasDgemv_64(lane->blas, transposed ? CUBLAS_OP_N : CUBLAS_OP_T, A.cols,
                                                 A.rows, &one, A.data, A.ld, in + k, q, &scale, out + k, q),
                                  "a product"))
            return false;
    return true;
}

void volt_cuda_gemm(volt_view A, bool transposed, volt_view B, const double *shift, bool steady, volt_matrix C)
{
    (void)steady;
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    int64_t q = B.cols;
    double *in = volt_cuda_workspace_of(lane, WORKSPACE_THIN, B.rows * q),
           *out = volt_cuda_workspace_of(lane, WORKSPACE_OUT, C.rows * q);
    bool good = in && out && volt_cuda_up(lane, B, in, q) &&
                volt_cuda_multiply(lane, A, transposed, in, q, 0, out) && volt_cuda_down(lane, out, q, C);
    if (!volt_cuda_give(lane) || !good)
        return;
    for (int64_t i = 0; shift && i < C.rows; i++)
        for (int64_t k = 0; k < q; k++)
            C.data[i * C.ld + k] += shift[k];
}

void volt_cuda_update(volt_matrix R, volt_view B, double scale)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    double *device = volt_cuda_workspace_of(lane, WORKSPACE_THIN, B.rows * B.cols);
    if (device && volt_cuda_up(lane, B, device, B.cols))
        volt_cuda_check_blas(cublasDsyrk_64(lane->blas, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, R.rows, B.cols,
                                            &one, device, B.cols, &scale, R.data, R.ld),
                             "a product");
    volt_cuda_give(lane);
}
