/* cuda/entries.h: the functions of the back end (backend/backend.h), grouped by file. */
#ifndef CUDA_ENTRIES_H
#define CUDA_ENTRIES_H

#include "gpu.h"

/* ---- thin_entries.c --------------------------------------------------------------------------- */
void volt_cuda_put(volt_view host, volt_matrix device);
void volt_cuda_get(volt_view device, volt_matrix host);
void volt_cuda_forward(volt_matrix L, int64_t from, int64_t to, bool steady, volt_matrix B);
void volt_cuda_backward(volt_matrix L, bool steady, volt_matrix B);
void volt_cuda_gemm(volt_view A, bool transposed, volt_view B, const double *shift, bool steady, volt_matrix C);
void volt_cuda_update(volt_matrix R, volt_view B, double scale);
/* out <- A in + scale out, or A' in + scale out; all on the device, with q columns in `in` and `out`. With scale
 * 0, `out` need not be initialised. */
bool volt_cuda_multiply(volt_cuda_lane *lane, volt_view A, bool transposed, const double *in, int64_t q,
                        double scale, double *out);

/* ---- feature_entries.c ------------------------------------------------------------------------ */
void volt_cuda_gather(volt_view K, const int64_t *column, const double *shift, volt_matrix F);
void volt_cuda_accumulate(volt_view F, double scale, volt_matrix G);

/* ---- factor_entries.c ------------------------------------------------------------------------- */
void volt_cuda_shift(volt_matrix A, int64_t first, int64_t count, double common, double alpha, double *largest);
void volt_cuda_mirror(volt_matrix A, bool up);
void volt_cuda_isolate(volt_matrix A, int64_t i, int64_t first, int64_t count, double diagonal);
void volt_cuda_trsm(volt_matrix L, int64_t first, int64_t count, int64_t from, int64_t to, volt_stage *stage);
void volt_cuda_potrf(volt_matrix L, int64_t from, int64_t to, volt_stage *stage, int64_t *pivot);
volt_status volt_cuda_norm(volt_view A, double *norm);
volt_status volt_cuda_rcond(volt_matrix L, double norm, double *rcond);
void volt_cuda_invert(volt_matrix L, volt_stage *stage);

/* ---- gram_entries.c --------------------------------------------------------------------------- */
bool volt_cuda_gram(const volt_kernel_form *form, volt_view Z, volt_matrix K, double *end, volt_stage *stage);
bool volt_cuda_cross(const volt_kernel_form *form, volt_view Y, volt_view Z, double *state, volt_matrix K,
                     volt_stage *stage);

/* ---- product_entries.c ------------------------------------------------------------------------ */
bool volt_cuda_product(const volt_kernel_form *form, const volt_product_task *task, volt_stage *stage);
bool volt_cuda_corner(const volt_kernel_form *form, volt_view Z, const int64_t *column, double shift,
                      volt_matrix L, volt_stage *stage);

/* ---- run_entries.c ---------------------------------------------------------------------------- */
bool volt_cuda_run(const volt_run_form *form, volt_view Y, volt_view coefficients, const volt_run_task *task,
                   volt_matrix out, volt_run_result *result);
double volt_cuda_run_seconds(double rows, double m, double d);

#endif
