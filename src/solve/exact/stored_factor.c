/* src/solve/exact/stored_factor.c: a stored factor, and variances from it. */
#include "solve/exact/stored_factor.h"

#include "base/blas.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <math.h>
#include <string.h>

enum { PANEL = 128 }; /* rows of L unpacked at a time */

/* Offset of row i. */
static int64_t row_begin(int64_t i)
{
    return i * (i + 1) / 2;
}

volt_status volt_stored_factor_allocate(int64_t m, volt_stored_factor *stored)
{
    stored->m = m;
    stored->L = volt_alloc_doubles(row_begin(m), 1);
    stored->u = volt_alloc_zero(m, sizeof *stored->u);
    return stored->L && stored->u ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_stored_factor_release(volt_stored_factor *stored)
{
    volt_free(stored->L);
    volt_free(stored->u);
    *stored = (volt_stored_factor){0};
}

volt_status volt_stored_factors_create(int64_t q, volt_stored_factors *list)
{
    list->factors = volt_alloc_zero(q, sizeof *list->factors);
    list->of = volt_alloc(q, sizeof *list->of);
    list->constant = volt_alloc_zero(q, sizeof *list->constant);
    list->q = q;
    for (int64_t k = 0; list->of && k < q; k++)
        list->of[k] = -1;
    return list->factors && list->of && list->constant ? VOLT_OK : VOLT_ERR_MEMORY;
}

void volt_stored_factors_release(volt_stored_factors *list)
{
    for (int64_t f = 0; list->factors && f < list->q; f++)
        volt_stored_factor_release(&list->factors[f]);
    volt_free(list->factors);
    volt_free(list->of);
    volt_free(list->constant);
    *list = (volt_stored_factors){0};
}

volt_status volt_stored_factor_fill(const volt_factor *f, double alpha, volt_stored_factor *stored)
{
    const volt_factor_task *task = &f->task;
    double *block = volt_alloc_doubles(PANEL, f->m);
    volt_status status = block ? volt_stored_factor_allocate(f->m, stored) : VOLT_ERR_MEMORY;
    stored->alpha = alpha;
    stored->common = task->common;
    for (int64_t first = 0; status == VOLT_OK && first < f->m; first += PANEL) {
        int64_t count = volt_min(PANEL, f->m - first), width = first + count;
        volt_view on_device = {f->L.data + first * f->L.ld, count, width, f->L.ld};
        f->backend->get(on_device, volt_matrix_of(block, count, width));
        for (int64_t i = 0; i < count; i++)
            memcpy(stored->L + row_begin(first + i), block + i * width,
                   (size_t)(first + i + 1) * sizeof(double));
    }
    for (int64_t i = 0; status == VOLT_OK && i < f->m; i++) {
        if (task->without && task->without[i])
            stored->L[row_begin(i) + i] = 0;
        else if (task->u)
            stored->u[i] = task->u[i * task->ld_u];
        stored->uu += stored->u[i] * stored->u[i];
    }
    volt_free(block);
    return status;
}

/* Rows first .. first + count - 1 of L into `panel` (count x first + count), with zeros above the diagonal. */
static void unpack(const volt_stored_factor *stored, int64_t first, int64_t count, double *panel)
{
    int64_t width = first + count;
    for (int64_t i = 0; i < count; i++) {
        double *row = panel + i * width;
        memcpy(row, stored->L + row_begin(first + i), (size_t)(first + i + 1) * sizeof *row);
        memset(row + first + i + 1, 0, (size_t)(count - i - 1) * sizeof *row);
        if (row[first + i] == 0)
            row[first + i] = 1; /* a row without a target, whose right-hand side is 0 */
    }
}

/* K <- (L^{-1} (K - shift)')', panel by panel. */
static void solve_rows(const volt_stored_factor *stored, double shift, volt_matrix K, double *panel)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < stored->m; j++) {
            double *entry = &K.data[i * K.ld + j];
            *entry = stored->L[row_begin(j) + j] == 0 ? 0 : *entry - shift;
        }
    for (int64_t first = 0; first < stored->m; first += PANEL) {
        int64_t count = volt_min(PANEL, stored->m - first), width = first + count;
        unpack(stored, first, count, panel);
        if (first > 0)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (volt_blas_int)K.rows, (volt_blas_int)count,
                        (volt_blas_int)first, -1, K.data, (volt_blas_int)K.ld, panel, (volt_blas_int)width, 1,
                        K.data + first, (volt_blas_int)K.ld);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (volt_blas_int)K.rows,
                    (volt_blas_int)count, 1, panel + first, (volt_blas_int)width, K.data + first,
                    (volt_blas_int)K.ld);
    }
}

volt_status volt_stored_factor_latent_variances(const volt_stored_factor *stored, double one, volt_matrix K,
                                                const double *kk, double *plain, double *with_constant)
{
    double *panel = volt_alloc_doubles(PANEL, stored->m);
    if (!panel)
        return VOLT_ERR_MEMORY;
    solve_rows(stored, one * stored->common, K, panel);
    for (int64_t i = 0; i < K.rows; i++) {
        const double *v = K.data + i * K.ld;
        double squares = 0, ones = one;
        for (int64_t j = 0; j < stored->m; j++) {
            squares += v[j] * v[j];
            ones -= stored->u[j] * v[j];
        }
        /* Near a training row the difference cancels to rounding, so it is clipped at 0. */
        plain[i] = fmax(kk[i] - one * one * stored->common - squares, 0);
        with_constant[i] = plain[i] + (stored->uu > 0 ? ones * ones / stored->uu : 0);
    }
    volt_free(panel);
    return VOLT_OK;
}
