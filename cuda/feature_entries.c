/* cuda/feature_entries.c: features from selected kernel columns, and their sums
 * (src/solve/landmark/landmark_operator.h). */
#include "entries.h"
#include "matrix_kernels.h"

static const double one = 1;

void volt_cuda_gather(volt_view K, const int64_t *column, const double *shift, volt_matrix F)
{
    int64_t m = F.cols;
    double *lists = volt_cuda_host->alloc(2 * m, sizeof *lists);
    volt_cuda_lane *lane = lists ? volt_cuda_take() : NULL;
    if (!lists)
        volt_cuda_miss("a list here", 2 * (double)m);
    for (int64_t a = 0; lists && a < m; a++) {
        lists[a] = (double)column[a];
        lists[m + a] = shift[a];
    }
    if (lane) {
        double *device = volt_cuda_workspace_of(lane, WORKSPACE_THIN, 2 * m);
        if (device && volt_cuda_up(lane, volt_view_of(lists, 1, 2 * m), device, 2 * m))
            volt_cuda_start_gather(lane->stream, K.data, K.ld, device, device + m, F.data, F.ld, F.rows, m);
        volt_cuda_give(lane);
    }
    volt_cuda_host->release(lists);
}

/* Rows are summed in pieces of at most this many numbers. */
static const double piece_numbers = 1 << 28; /* 2 GB */
enum { SUM_BLOCK = 2048, MIN_COLUMNS = 512, ALIGNED = 32 };

/* G <- T T' + scale G in the lower triangle, for T (m x rows): block rows of G by products, their corners by
 * syrk. */
static bool add_products(volt_cuda_lane *lane, const double *T, int64_t ld, int64_t rows, double scale,
                         volt_matrix G)
{
    bool good = true;
    for (int64_t i = 0; good && i < G.rows; i += SUM_BLOCK) {
        int64_t width = G.rows - i < SUM_BLOCK ? G.rows - i : SUM_BLOCK;
        good = (i == 0 ||
                volt_cuda_check_blas(cublasDgemm_64(lane->blas, CUBLAS_OP_T, CUBLAS_OP_N, i, width, rows, &one,
                                                    T, ld, T + i * ld, ld, &scale, G.data + i * G.ld, G.ld),
                                     "a product")) &&
               volt_cuda_check_blas(cublasDsyrk_64(lane->blas, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, width, rows,
                                                   &one, T + i * ld, ld, &scale, G.data + i * (G.ld + 1), G.ld),
                                    "a product");
    }
    return good;
}

/* The rows of F are transposed first: products of cuBLAS along contiguous numbers are faster (55 and 46 TFLOP/s
 * on an H200). */
void volt_cuda_accumulate(volt_view F, double scale, volt_matrix G)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    int64_t pieces = 1 + (int64_t)((double)F.rows * (double)F.cols / piece_numbers);
    int64_t most = (F.rows + pieces - 1) / pieces, ld = (most + ALIGNED - 1) / ALIGNED * ALIGNED;
    double *T = F.cols >= MIN_COLUMNS ? volt_cuda_workspace_of(lane, WORKSPACE_OUT, ld * F.cols) : NULL;
    bool good = T || F.cols < MIN_COLUMNS;
    for (int64_t first = 0; T && good && first < F.rows; first += most) {
        int64_t rows = F.rows - first < most ? F.rows - first : most;
        volt_cuda_start_transpose(lane->stream, F.data + first * F.ld, F.ld, rows, F.cols, T, ld);
        good = add_products(lane, T, ld, rows, first > 0 ? 1 : scale, G);
    }
    if (F.cols < MIN_COLUMNS)
        volt_cuda_check_blas(cublasDsyrk_64(lane->blas, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, G.rows, F.rows,
                                            &one, F.data, F.ld, &scale, G.data, G.ld),
                             "a product");
    volt_cuda_give(lane);
}
