/* src/base/noblas/plain_gemm.c: matrix products without a BLAS.
 *
 * C (m x n) is computed in tiles of a few rows and columns that are kept in registers (Goto and van de Geijn,
 * Anatomy of high-performance matrix multiplication, 2008). Blocks of op(A) and op(B) are copied first, so that
 * the loop over a tile reads both in order. A thin product, whose copies would cost more than its arithmetic,
 * has a loop of its own. */
#include "base/blas.h"
#include "base/clones.h"
#include "base/numbers.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum {
    DEPTH = 192, /* of a block; with the sizes below about 330 KiB on the stack */
    ROW_BLOCK = 120,
    COLUMN_BLOCK = 96,
    MAX_TILE = 8 * 16,
    THIN = 3, /* columns */
    THIN_BLOCK = 256
};

/* ---- tiles ------------------------------------------------------------------------------------ */

/* Sums over `depth` of the products of a column of a and a row of b, into tile (ROWS x WIDTH). */
typedef void (*tile_function)(int64_t depth, const double *a, const double *b, double *tile);

typedef struct tile_kind {
    int64_t rows, width;
    tile_function sum;
} tile_kind;

/* LANES vectors of BYTES each in a row of the tile. Arrays that are copied as a whole would not stay in registers,
 * so each vector is read and written on its own. */
/* NOLINTBEGIN(bugprone-macro-parentheses): ATTRIBUTES cannot have any */
#define DEFINE_TILE(NAME, ATTRIBUTES, BYTES, ROWS, LANES)                                      \
    typedef double NAME##_lane __attribute__((vector_size(BYTES), aligned(8), may_alias));     \
    ATTRIBUTES static void NAME(int64_t depth, const double *a, const double *b, double *tile) \
    {                                                                                          \
        NAME##_lane sums[ROWS][LANES] = {{{0}}};                                               \
        for (int64_t p = 0; p < depth; p++) {                                                  \
            const NAME##_lane *row = (const NAME##_lane *)b;                                   \
            for (int i = 0; i < ROWS; i++)                                                     \
                for (int j = 0; j < LANES; j++)                                                \
                    sums[i][j] += a[i] * row[j];                                               \
            a += ROWS;                                                                         \
            b += LANES * BYTES / 8;                                                            \
        }                                                                                      \
        for (int i = 0; i < ROWS; i++)                                                         \
            for (int j = 0; j < LANES; j++)                                                    \
                ((NAME##_lane *)tile)[i * LANES + j] = sums[i][j];                             \
    }                                                                                          \
    static const tile_kind NAME##_kind = {ROWS, LANES * BYTES / 8, NAME};
/* NOLINTEND(bugprone-macro-parentheses) */

#if VOLT_HAVE_CLONES || defined(__AVX512F__) || defined(__AVX2__)
#if VOLT_HAVE_CLONES
#define TARGET(name) __attribute__((target(name)))
#else
#define TARGET(name)
#endif
#if VOLT_HAVE_CLONES || defined(__AVX512F__)
DEFINE_TILE(tile_64_bytes, TARGET("avx512f"), 64, 8, 2)
#endif
DEFINE_TILE(tile_32_bytes, TARGET("avx2,fma"), 32, 6, 2)
#endif

#if defined(__aarch64__) /* 32 registers */
DEFINE_TILE(tile_16_bytes, , 16, 5, 4)
#else
DEFINE_TILE(tile_16_bytes, , 16, 4, 2)
#endif

static tile_kind tile_of_processor(void)
{
#if VOLT_HAVE_CLONES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return tile_64_bytes_kind;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return tile_32_bytes_kind;
#elif defined(__AVX512F__)
    return tile_64_bytes_kind;
#elif defined(__AVX2__)
    return tile_32_bytes_kind;
#endif
    return tile_16_bytes_kind;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* Entry (i, j) of a matrix is data[i * down + j * across]. */
typedef struct strided {
    const double *data;
    int64_t down, across;
} strided;

static strided part_of(strided A, int64_t i, int64_t j)
{
    A.data += i * A.down + j * A.across;
    return A;
}

static strided transposed(strided A)
{
    return (strided){A.data, A.across, A.down};
}

/* Copies A (rows x depth) in groups of `width` rows, each by columns; missing rows of the last are 0. */
static void pack(strided A, int64_t rows, int64_t depth, int64_t width, double *to)
{
    for (int64_t first = 0; first < rows; first += width, to += width * depth) {
        int64_t count = volt_min(width, rows - first);
        const double *from = A.data + first * A.down;
        if (count < width)
            memset(to, 0, (size_t)(width * depth) * sizeof *to);
        if (A.down == 1)
            for (int64_t p = 0; p < depth; p++)
                for (int64_t i = 0; i < count; i++)
                    to[p * width + i] = from[p * A.across + i];
        else
            for (int64_t i = 0; i < count; i++)
                for (int64_t p = 0; p < depth; p++)
                    to[p * width + i] = from[i * A.down + p * A.across];
    }
}

/* A product: C <- C + alpha A B, of the lower triangle only if `lower`. */
typedef struct product {
    int64_t m, n, k;
    double alpha;
    strided A, B;
    double *C;
    int64_t ld;
    int lower;
} product;

/* Adds alpha tile to the entries of C at (i, j), `rows` x `cols` of them. */
static void add_tile(const product *task, const double *tile, int64_t width, int64_t i, int64_t j, int64_t rows,
                     int64_t cols)
{
    const double alpha = task->alpha;
    for (int64_t r = 0; r < rows; r++) {
        double *c = task->C + (i + r) * task->ld + j;
        int64_t count = task->lower ? volt_min(cols, i + r - j + 1) : cols;
        for (int64_t s = 0; s < count; s++)
            c[s] += alpha * tile[r * width + s];
    }
}

/* Adds the product of two packed blocks to rows i.. and columns j.. of C. */
static void multiply_blocks(const product *task, const tile_kind *kind, const double *a, const double *b,
                            int64_t i, int64_t j, int64_t rows, int64_t cols, int64_t depth)
{
    double tile[MAX_TILE];
    for (int64_t s = 0; s < cols; s += kind->width)
        for (int64_t r = 0; r < rows; r += kind->rows) {
            int64_t have = volt_min(kind->rows, rows - r);
            if (task->lower && i + r + have - 1 < j + s)
                continue;
            kind->sum(depth, a + r * depth, b + s * depth, tile);
            add_tile(task, tile, kind->width, i + r, j + s, have, volt_min(kind->width, cols - s));
        }
}

static void multiply(const product *task)
{
    double a[ROW_BLOCK * DEPTH], b[COLUMN_BLOCK * DEPTH];
    const tile_kind kind = tile_of_processor();
    const strided columns = transposed(task->B);
    for (int64_t j = 0; j < task->n; j += COLUMN_BLOCK)
        for (int64_t p = 0; p < task->k; p += DEPTH) {
            int64_t cols = volt_min(COLUMN_BLOCK, task->n - j), depth = volt_min(DEPTH, task->k - p);
            pack(part_of(columns, j, p), cols, depth, kind.width, b);
            for (int64_t i = 0; i < task->m; i += ROW_BLOCK) {
                int64_t rows = volt_min(ROW_BLOCK, task->m - i);
                if (task->lower && i + rows - 1 < j)
                    continue;
                pack(part_of(task->A, i, p), rows, depth, kind.rows, a);
                multiply_blocks(task, &kind, a, b, i, j, rows, cols, depth);
            }
        }
}

/* ---- thin products ---------------------------------------------------------------------------- */

/* sums[r] <- sums[r] + the sum over p < depth of A_rp b[p]. */
VOLT_CLONES static void add_thin(strided A, int64_t rows, int64_t depth, const double *b, double *sums)
{
    if (A.across == 1) {
        for (int64_t r = 0; r < rows; r++) {
            const double *a = A.data + r * A.down;
            double parts[8] = {0}, rest = 0;
            int64_t p = 0;
            for (; p + 8 <= depth; p += 8)
                for (int l = 0; l < 8; l++)
                    parts[l] += a[p + l] * b[p + l];
            for (; p < depth; p++)
                rest += a[p] * b[p];
            sums[r] += ((parts[0] + parts[4]) + (parts[1] + parts[5])) +
                       ((parts[2] + parts[6]) + (parts[3] + parts[7])) + rest;
        }
    } else {
        for (int64_t p = 0; p < depth; p++) {
            const double *a = A.data + p * A.across;
            for (int64_t r = 0; r < rows; r++)
                sums[r] += a[r * A.down] * b[p];
        }
    }
}

/* C <- C + alpha A B for few columns of B; entry (i, j) of C is C[i * down + j * across]. */
static void multiply_thin(int64_t m, int64_t n, int64_t k, double alpha, strided A, strided B, double *C,
                          int64_t down, int64_t across)
{
    double b[THIN_BLOCK], sums[THIN_BLOCK];
    for (int64_t i = 0; i < m; i += THIN_BLOCK)
        for (int64_t p = 0; p < k; p += THIN_BLOCK)
            for (int64_t j = 0; j < n; j++) {
                int64_t rows = volt_min(THIN_BLOCK, m - i), depth = volt_min(THIN_BLOCK, k - p);
                for (int64_t l = 0; l < depth; l++)
                    b[l] = B.data[(p + l) * B.down + j * B.across];
                memset(sums, 0, (size_t)rows * sizeof *sums);
                add_thin(part_of(A, i, p), rows, depth, b, sums);
                for (int64_t r = 0; r < rows; r++)
                    C[(i + r) * down + j * across] += alpha * sums[r];
            }
}

/* ---- interface -------------------------------------------------------------------------------- */

static void scale(const product *task, double beta)
{
    for (int64_t i = 0; beta != 1 && i < task->m; i++) {
        double *c = task->C + i * task->ld;
        for (int64_t j = 0; j < (task->lower ? i + 1 : task->n); j++)
            c[j] = beta == 0 ? 0 : beta * c[j];
    }
}

static strided operand(CBLAS_TRANSPOSE transpose, const double *data, int ld)
{
    return transpose == CblasTrans ? (strided){data, 1, ld} : (strided){data, ld, 1};
}

void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, int m, int n,
                 int k, double alpha, const double *A, int ld_a, const double *B, int ld_b, double beta,
                 double *C, int ld_c)
{
    assert(layout == CblasRowMajor);
    (void)layout;
    product task = {.m = m, .n = n, .k = k, .alpha = alpha, .C = C, .ld = ld_c};
    task.A = operand(transpose_a, A, ld_a);
    task.B = operand(transpose_b, B, ld_b);
    scale(&task, beta);
    if (alpha == 0)
        return;
    if (n <= THIN)
        multiply_thin(m, n, k, alpha, task.A, task.B, C, ld_c, 1);
    else if (m <= THIN)
        multiply_thin(n, m, k, alpha, transposed(task.B), transposed(task.A), C, 1, ld_c);
    else
        multiply(&task);
}

void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transpose, int n, int k, double alpha,
                 const double *A, int ld_a, double beta, double *C, int ld_c)
{
    assert(layout == CblasRowMajor && uplo == CblasLower);
    (void)layout, (void)uplo;
    product task = {.m = n, .n = n, .k = k, .alpha = alpha, .C = C, .ld = ld_c, .lower = 1};
    task.A = operand(transpose, A, ld_a);
    task.B = transposed(task.A);
    scale(&task, beta);
    if (alpha != 0)
        multiply(&task);
}
