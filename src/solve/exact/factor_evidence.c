/* src/solve/exact/factor_evidence.c: the gradient of the log score with respect to the Gram matrix.
 *
 * With A = P Y, P = R - r r' / (u' u), R = (L L')^{-1}, r = L^{-T} u (P = R without intercept) and s_k^2 as
 * in the log score (docs/math.md),
 *
 *     d log p / d theta = sum_ij G_ij dK_ij / d theta,      G = 1/2 (sum_k A_k A_k' / s_k^2 - q P)
 *
 * s_k^2 is profiled out and contributes no term. G overwrites L. K is contracted with it row by row and
 * never stored. */
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/openmp.h"
#include "solve/exact/factor.h"

#include <math.h>
#include <string.h>

/* Columns A_k / s_k, and r sqrt(q / u'u): B B' - q R = 2 G. */
static void make_columns(const volt_factor *f, volt_view A, volt_view r, volt_matrix B)
{
    int64_t m = f->m, q = f->q;
    double rows = (double)(f->task.u ? m - 1 : m);
    for (int64_t k = 0; k < q; k++) {
        double unit = 1 / sqrt(f->squares[k] / rows);
        for (int64_t t = 0; t < m; t++)
            B.data[t * B.ld + k] = unit * A.data[t * A.ld + k];
    }
    for (int64_t t = 0; f->task.u && t < m; t++)
        B.data[t * B.ld + q] = r.data[t * r.ld] * sqrt((double)q / f->uu);
}

volt_status volt_factor_gradient_weights(volt_factor *f, volt_matrix A, double *P)
{
    int64_t m = f->m, q = f->q, columns = q + (f->task.u ? 1 : 0);
    volt_matrix L = {f->L.data, m, m, f->L.ld};
    volt_matrix B = volt_matrix_of(volt_alloc_doubles(m, columns), m, columns);
    volt_matrix r = volt_matrix_of(volt_alloc_doubles(m, 1), m, 1);
    volt_status status = B.data && r.data ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        volt_factor_squares(f);
        volt_factor_coefficients(f, A);
        volt_factor_zero_sum(f, r);
        make_columns(f, volt_as_view(A), volt_as_view(r), B);
        double begun = volt_seconds(), size = (double)m;
        f->backend->invert(L, f->task.stage);
        volt_factor_account(f, begun, 2 * size * size * size / 3);
        if (!volt_stage_should_continue(f->task.stage))
            status = volt_stage_end(f->task.stage);
    }
    if (status == VOLT_OK) {
        volt_factor_pivots(f, 0, m, P); /* the diagonal of R */
        for (int64_t t = 0; f->task.u && t < m; t++)
            P[t] -= r.data[t] * r.data[t] / f->uu;
        for (int64_t i = 0; i < m * columns; i++)
            B.data[i] *= sqrt(0.5);
        f->backend->update(L, volt_as_view(B), -(double)q / 2);
        status = volt_backend_state(f->backend);
    }
    volt_free(r.data);
    volt_free(B.data);
    return status;
}

/* ---- contraction ------------------------------------------------------------------------------ */

/* Contract rows first .. first + K.rows - 1, all columns, and write the part of each row to `sums`. Rows and
 * columns of the washout are excluded. Entries above the diagonal are counted by symmetry. */
static void contract_rows(const volt_factor *f, int64_t first, volt_view K, volt_view G, double *sums)
{
    int64_t w = f->task.washout;
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)volt_threads())
    for (int64_t i = 0; i < K.rows; i++) {
        int64_t t = first + i - w;
        const double *k = K.data + i * K.ld + w, *g = G.data + i * G.ld;
        double sum = 0;
        for (int64_t j = 0; j < t; j++)
            sum += g[j] * k[j];
        sums[i] = t < 0 ? 0 : 2 * sum + g[t] * k[t];
    }
}

/* Workspace for blocks of rows, and a readable copy of G. */
typedef struct contraction {
    volt_factor *factor;
    double *K, *G, *sums;
    int64_t most;
} contraction;

static volt_status contract_block(const contraction *c, volt_operator *op, int64_t first, int64_t count,
                                  double *sum)
{
    volt_factor *f = c->factor;
    int64_t w = f->task.washout, n = op->n;
    volt_matrix K = volt_matrix_of(c->K, count, n);
    volt_matrix on_device = {f->L.data + (first - w) * f->L.ld, count, n - w, f->L.ld};
    volt_matrix G = volt_backend_map(f->backend, on_device);
    VOLT_TRY(op->rows(op, first, &volt_cpu_backend, K, f->task.stage));
    if (!volt_stage_should_continue(f->task.stage))
        return volt_stage_end(f->task.stage);
    if (!G.data) {
        G = volt_matrix_of(c->G, count, n - w);
        f->backend->get(volt_as_view(on_device), G);
        VOLT_TRY(volt_backend_state(f->backend));
    }
    contract_rows(f, first, volt_as_view(K), volt_as_view(G), c->sums);
    for (int64_t i = 0; i < count; i++)
        *sum += c->sums[i];
    return VOLT_OK;
}

volt_status volt_factor_contract(volt_factor *f, volt_operator *op, double *sum)
{
    int64_t n = op->n, w = f->task.washout, most = volt_block_rows(n, n);
    contraction c = {.factor = f,
                     .K = volt_alloc_doubles(most, n),
                     .G = volt_alloc_doubles(volt_backend_is_remote(f->backend) ? most : 0, n),
                     .sums = volt_alloc_doubles(most, 1),
                     .most = most};
    double total = 0;
    volt_status status = c.K && c.G && c.sums ? VOLT_OK : VOLT_ERR_MEMORY;
    /* The operator passes the washout rows to reach the first row that counts. */
    for (int64_t first = w; status == VOLT_OK && first < n; first += most)
        status = contract_block(&c, op, first, volt_min(most, n - first), &total);
    volt_free(c.sums);
    volt_free(c.G);
    volt_free(c.K);
    if (status == VOLT_OK)
        *sum = total;
    return status;
}

double volt_factor_trace(const volt_factor *f, double *workspace)
{
    double sum = 0;
    volt_factor_pivots(f, 0, f->m, workspace);
    for (int64_t t = 0; t < f->m; t++)
        sum += workspace[t];
    return sum;
}
