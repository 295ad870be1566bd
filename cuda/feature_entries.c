/* cuda/feature_entries.c: features from selected kernel columns, and their sums
 * (src/solve/landmark/device_landmarks.h). */
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

void volt_cuda_accumulate(volt_view F, double scale, volt_matrix G)
{
    volt_cuda_lane *lane = volt_cuda_take();
    if (!lane)
        return;
    volt_cuda_check_blas(cublasDsyrk_64(lane->blas, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, G.rows, F.rows, &one,
                                        F.data, F.ld, &scale, G.data, G.ld),
                         "a product");
    volt_cuda_give(lane);
}
