/* src/solve/exact/half_product.c: K V from the lower triangle of K; each entry is used for both halves.
 *
 *     C_block += K_block V_left,    C_left += K_block' V_block,    on the diagonal once
 *
 * for blocks of rows that are computed and discarded. V and C are stored transposed, so that loops run along
 * the columns of K. Threads share the columns in pieces of a fixed length. A piece owns its part of C_left,
 * and the sums of C_block are added piece by piece, so that the order of all sums does not depend on the
 * number of threads. */
#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "solve/exact/operator.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 1024, /* columns: four rows of a piece stay in the first-level cache for all columns of V */
    GROUP = 4,    /* rows that share the loads and stores of V and C */
    LANES = 4,    /* parallel partial sums, for vectorisation */
    MIN_ROWS = 8,
    MAX_ROWS = 64 /* rows of a block */
};
static const double block_numbers = 1 << 21;

static int64_t rows_of_block(double n)
{
    return (int64_t)fmax(MIN_ROWS, fmin(MAX_ROWS, block_numbers / n)) / GROUP * GROUP;
}

typedef struct half_product {
    int64_t n, k;
    double *block;   /* rows of a block x n, at most */
    double *V, *C;   /* k x n: transposed */
    double *partial; /* pieces x rows of a block x k */
} half_product;

double volt_half_product_bytes(double n, double k)
{
    double rows = (double)rows_of_block(n);
    return 8 * (rows * n + 2 * n * k + (n / PIECE + 1) * rows * k);
}

/* c += K' s, sums = K v, of GROUP rows of `count` columns. */
VOLT_CLONES
static void use_group(const double *restrict K, int64_t ld, int64_t count, const double *restrict v,
                      const double *restrict s, double *restrict c, double *restrict sums)
{
    const double *restrict k0 = K, *restrict k1 = K + ld, *restrict k2 = K + 2 * ld, *restrict k3 = K + 3 * ld;
    double a0[LANES] = {0}, a1[LANES] = {0}, a2[LANES] = {0}, a3[LANES] = {0};
    double s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    int64_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++) {
            double value = v[j + l];
            c[j + l] += (k0[j + l] * s0 + k1[j + l] * s1) + (k2[j + l] * s2 + k3[j + l] * s3);
            a0[l] += k0[j + l] * value;
            a1[l] += k1[j + l] * value;
            a2[l] += k2[j + l] * value;
            a3[l] += k3[j + l] * value;
        }
    for (; j < count; j++) {
        c[j] += (k0[j] * s0 + k1[j] * s1) + (k2[j] * s2 + k3[j] * s3);
        a0[0] += k0[j] * v[j];
        a1[0] += k1[j] * v[j];
        a2[0] += k2[j] * v[j];
        a3[0] += k3[j] * v[j];
    }
    const double *const lanes[GROUP] = {a0, a1, a2, a3};
    for (int r = 0; r < GROUP; r++)
        sums[r] = (lanes[r][0] + lanes[r][1]) + (lanes[r][2] + lanes[r][3]);
}

/* The same of one row; returns the sum. */
VOLT_CLONES
static double use_row(const double *restrict K, int64_t count, const double *restrict v, double s,
                      double *restrict c)
{
    double sums[LANES] = {0};
    int64_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++) {
            c[j + l] += K[j + l] * s;
            sums[l] += K[j + l] * v[j + l];
        }
    for (; j < count; j++) {
        c[j] += K[j] * s;
        sums[0] += K[j] * v[j];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Columns begin .. begin + count - 1, all before row `first`, of a block of rows from there; sums: rows x k. */
static void use_piece(const half_product *h, volt_matrix K, int64_t first, int64_t begin, int64_t count,
                      double *sums)
{
    int64_t i = 0;
    for (; i + GROUP <= K.rows; i += GROUP)
        for (int64_t k = 0; k < h->k; k++) {
            double *row = h->V + k * h->n, of_rows[GROUP];
            use_group(K.data + i * K.ld + begin, K.ld, count, row + begin, row + first + i,
                      h->C + k * h->n + begin, of_rows);
            for (int r = 0; r < GROUP; r++)
                sums[(i + r) * h->k + k] = of_rows[r];
        }
    for (; i < K.rows; i++)
        for (int64_t k = 0; k < h->k; k++) {
            double *row = h->V + k * h->n;
            sums[i * h->k + k] =
                use_row(K.data + i * K.ld + begin, count, row + begin, row[first + i], h->C + k * h->n + begin);
        }
}

/* The triangle on the diagonal. */
static void use_corner(const half_product *h, volt_matrix K, int64_t first)
{
    for (int64_t k = 0; k < h->k; k++) {
        double *v = h->V + k * h->n + first, *c = h->C + k * h->n + first;
        for (int64_t i = 0; i < K.rows; i++) {
            const double *row = K.data + i * K.ld + first;
            c[i] += use_row(row, i, v, v[i], c) + row[i] * v[i];
        }
    }
}

static void use_block(const half_product *h, volt_matrix K, int64_t first)
{
    int64_t pieces = (first + PIECE - 1) / PIECE, each = K.rows * h->k;
    double work = (double)K.rows * (double)first * (double)h->k;
#pragma omp parallel for schedule(static) num_threads((int)volt_threads()) if (work > 100000)
    for (int64_t p = 0; p < pieces; p++)
        use_piece(h, K, first, p * PIECE, volt_min(PIECE, first - p * PIECE), h->partial + p * each);
    for (int64_t k = 0; k < h->k; k++)
        for (int64_t i = 0; i < K.rows; i++) {
            double sum = 0;
            for (int64_t p = 0; p < pieces; p++)
                sum += h->partial[p * each + i * h->k + k];
            h->C[k * h->n + first + i] += sum;
        }
    use_corner(h, K, first);
}

static volt_status use_rows(const half_product *h, volt_operator *op, int64_t first, int64_t end,
                            volt_stage *stage)
{
    int64_t most = rows_of_block((double)h->n);
    for (int64_t at = first; at < end; at += most) {
        int64_t count = volt_min(most, end - at);
        volt_matrix K = volt_matrix_of(h->block, count, at + count);
        VOLT_TRY(op->lower(op, at, K, stage));
        if (!volt_stage_should_continue(stage))
            return VOLT_OK;
        use_block(h, K, at);
    }
    return VOLT_OK;
}

static void transpose(volt_view from, double *to)
{
    for (int64_t i = 0; i < from.rows; i++)
        for (int64_t k = 0; k < from.cols; k++)
            to[k * from.rows + i] = from.data[i * from.ld + k];
}

volt_status volt_operator_add_lower(volt_operator *op, int64_t first, int64_t end, volt_view V, volt_matrix C,
                                    volt_stage *stage)
{
    int64_t n = op->n, rows = rows_of_block((double)n);
    half_product h = {.n = n,
                      .k = V.cols,
                      .block = volt_alloc_doubles(volt_min(rows, n), n),
                      .V = volt_alloc_doubles(V.cols, n),
                      .C = volt_alloc_doubles(V.cols, n),
                      .partial = volt_alloc_doubles((n / PIECE + 1) * rows, V.cols)};
    volt_status status = h.block && h.V && h.C && h.partial ? VOLT_OK : VOLT_ERR_MEMORY;
    if (status == VOLT_OK) {
        transpose(V, h.V);
        transpose(volt_as_view(C), h.C);
        status = use_rows(&h, op, first, end, stage);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < V.cols; k++)
                C.data[i * C.ld + k] = h.C[k * n + i];
    }
    volt_free(h.block);
    volt_free(h.V);
    volt_free(h.C);
    volt_free(h.partial);
    return status;
}
