/* src/solve/exact/operator.c: products by blocks of rows, and the operator of a stored matrix. */
#include "solve/exact/operator.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/row_bands.h"

#include <string.h>

static const double block_numbers = 1 << 20;

static int64_t rows_of_block(double numbers, int64_t rows, int64_t n)
{
    int64_t block = (int64_t)(numbers / (double)n) / VOLT_SCAN_ROWS * VOLT_SCAN_ROWS;
    return volt_min(volt_max(block, VOLT_SCAN_ROWS), rows);
}

int64_t volt_block_rows(int64_t rows, int64_t n)
{
    return rows_of_block(block_numbers, rows, n);
}

int64_t volt_block_rows_at(const volt_backend *backend, int64_t rows, int64_t n)
{
    return rows_of_block(backend->block > 0 ? (double)backend->block : block_numbers, rows, n);
}

void volt_operator_free(volt_operator *op)
{
    if (op)
        op->release(op);
}

/* Returns whether the flag is set in any process of the job. */
static bool any_fails(const volt_bands *bands, bool fails)
{
    double count = fails;
    bands->sum(&count, 1);
    return count > 0;
}

/* C <- the contribution of rows first .. end - 1, by the back end or else on the host, if that is preferred or the
 * only way; else *done is false. */
static volt_status multiply_band(volt_operator *op, const volt_backend *backend, int64_t first, int64_t end,
                                 volt_view V, volt_matrix C, volt_stage *stage, bool *done)
{
    *done = false;
    if (op->product && backend->product)
        VOLT_TRY(op->product(op, backend, first, end, V, C, stage, done));
    bool all = first == 0 && end == op->n;
    if (*done || !op->lower || (all && backend->cross))
        return VOLT_OK;
    *done = true;
    op->mark = first;
    for (int64_t i = 0; i < C.rows; i++)
        memset(C.data + i * C.ld, 0, (size_t)C.cols * sizeof(double));
    return volt_operator_add_lower(op, first, end, V, C, stage);
}

/* C <- K V; each part of a job computes a band. *done as above. */
static volt_status multiply_bands(volt_operator *op, const volt_backend *backend, volt_view V, volt_matrix C,
                                  volt_stage *stage, bool *done)
{
    const volt_bands *bands = volt_bands_current();
    int64_t first, end;
    volt_bands_of_triangle(bands, op->n, &first, &end);
    volt_status status = multiply_band(op, backend, first, end, V, C, stage, done);
    if (bands->parts == 1 || (status == VOLT_OK && !*done))
        return status;
    op->is_banded = true;
    bool fails = status != VOLT_OK || !volt_stage_should_continue(stage);
    if (any_fails(bands, fails))
        return fails ? status : volt_fail(VOLT_ERR_CANCELLED, "another process of the job has stopped");
    volt_bands_sum(bands, C);
    return VOLT_OK;
}

volt_status volt_operator_multiply(volt_operator *op, const volt_backend *backend, volt_view V, volt_matrix C,
                                   volt_stage *stage)
{
    bool done = false;
    VOLT_TRY(multiply_bands(op, backend, V, C, stage, &done));
    if (done)
        return VOLT_OK;
    /* Fewer rows than n: a request for all rows would omit the upper triangle. */
    int64_t most = volt_block_rows_at(backend, volt_max(op->n / 2, 1), op->n);
    double *block = backend->alloc(most, op->n);
    volt_status status = block ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t first = 0; status == VOLT_OK && first < op->n; first += most) {
        int64_t count = volt_min(most, op->n - first);
        volt_matrix K = volt_matrix_of(block, count, op->n);
        status = op->rows(op, first, backend, K, stage);
        if (!volt_stage_should_continue(stage))
            break;
        if (status == VOLT_OK)
            backend->gemm(volt_as_view(K), false, V, NULL, false, volt_matrix_rows(C, first, count));
        if (status == VOLT_OK)
            status = volt_backend_state(backend);
    }
    backend->release(block);
    return status;
}

volt_status volt_operator_fold(volt_operator *op, volt_view A, volt_matrix B, volt_progress progress)
{
    int64_t most = volt_block_rows(op->n, op->n_states);
    volt_stage stage;
    volt_stage_begin(&stage, progress, "states", 1, 0, (double)op->n * (double)op->n_states);
    double *block = volt_alloc_doubles(most, op->n_states);
    volt_status status = block ? VOLT_OK : VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < B.rows; i++)
        memset(B.data + i * B.ld, 0, (size_t)B.cols * sizeof(double));
    for (int64_t first = 0; status == VOLT_OK && first < op->n && volt_stage_should_continue(&stage);
         first += most) {
        int64_t count = volt_min(most, op->n - first);
        volt_matrix F = volt_matrix_of(block, count, op->n_states);
        status = op->states(op, first, F, &stage);
        if (status == VOLT_OK && volt_stage_should_continue(&stage))
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (volt_blas_int)B.rows, (volt_blas_int)B.cols,
                        (volt_blas_int)count, 1, F.data, (volt_blas_int)F.ld, A.data + first * A.ld,
                        (volt_blas_int)A.ld, 1, B.data, (volt_blas_int)B.ld);
    }
    volt_free(block);
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

/* ---- a matrix --------------------------------------------------------------------------------- */

typedef struct dense {
    volt_operator op;
    volt_view K;
} dense;

static volt_status dense_rows(volt_operator *op, int64_t first, const volt_backend *backend, volt_matrix K,
                              volt_stage *stage)
{
    (void)stage;
    backend->put(volt_view_rows(((dense *)op)->K, first, K.rows), K);
    return VOLT_OK;
}

static void dense_release(volt_operator *op)
{
    volt_free(op);
}

volt_status volt_dense_operator(volt_view K, volt_operator **op)
{
    dense *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->op = (volt_operator){.n = K.rows, .entry_cost = 1, .rows = dense_rows, .release = dense_release};
    fresh->K = K;
    *op = &fresh->op;
    return VOLT_OK;
}
