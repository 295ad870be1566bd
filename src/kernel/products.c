/* src/kernel/products.c: tiles of S = X Y', each entry a sum over the d coordinates.
 *
 * A block of columns stays in registers while the sum runs over the coordinates. On 64-bit ARM, compilers
 * achieve this with plain loops. For AVX2 and AVX-512 they vectorise the sum instead and shuffle more than
 * they multiply (0.33 G entries/s at d = 10 on a core with AVX-512; this code is three times as fast). For
 * these, vectors are written explicitly. */
#include "kernel/products.h"

#include <stdbool.h>
#include <stddef.h>

enum { ROWS = VOLT_PRODUCT_ROWS, CHUNK = VOLT_PRODUCT_CHUNK };

#define ARGUMENTS VOLT_PRODUCT_ARGUMENTS

/* ---- plain loops ------------------------------------------------------------------------------ */

static void four_rows(ARGUMENTS)
{
    for (int64_t j = 0; j < count; j += CHUNK) {
        double sum[ROWS][CHUNK];
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < CHUNK; c++)
                sum[r][c] = x[r * ld_x] * y[j + c];
        for (int64_t k = 1; k < d; k++) {
            const double *restrict row = y + k * ld_y + j;
            for (int r = 0; r < ROWS; r++)
                for (int c = 0; c < CHUNK; c++)
                    sum[r][c] += x[r * ld_x + k] * row[c];
        }
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < CHUNK; c++)
                s[r * ld_s + j + c] = sum[r][c];
    }
}

static void one_row(ARGUMENTS)
{
    (void)ld_x;
    (void)ld_s;
    for (int64_t j = 0; j < count; j += CHUNK) {
        double sum[CHUNK];
        for (int c = 0; c < CHUNK; c++)
            sum[c] = x[0] * y[j + c];
        for (int64_t k = 1; k < d; k++) {
            const double *restrict row = y + k * ld_y + j;
            for (int c = 0; c < CHUNK; c++)
                sum[c] += x[k] * row[c];
        }
        for (int c = 0; c < CHUNK; c++)
            s[j + c] = sum[c];
    }
}

/* ---- explicit vectors -------------------------------------------------------------------------- */

#if defined(__x86_64__)
typedef double vector4 __attribute__((vector_size(32), aligned(8)));
typedef double vector8 __attribute__((vector_size(64), aligned(8)));

/* A block of `rows` x (`groups` vectors of type `vector`) entries, from column j on. */
#define BLOCK(vector, rows, groups)                                               \
    do {                                                                          \
        enum { LENGTH = sizeof(vector) / sizeof(double) };                        \
        vector sum[rows][groups];                                                 \
        for (int g = 0; g < (int)(groups); g++) {                                 \
            vector column = *(const vector *)(y + j + g * LENGTH);                \
            for (int r = 0; r < (rows); r++)                                      \
                sum[r][g] = x[r * ld_x] * column;                                 \
        }                                                                         \
        for (int64_t k = 1; k < d; k++)                                           \
            for (int g = 0; g < (int)(groups); g++) {                             \
                vector column = *(const vector *)(y + k * ld_y + j + g * LENGTH); \
                for (int r = 0; r < (rows); r++)                                  \
                    sum[r][g] += x[r * ld_x + k] * column;                        \
            }                                                                     \
        for (int r = 0; r < (rows); r++)                                          \
            for (int g = 0; g < (int)(groups); g++)                               \
                *(vector *)(s + r * ld_s + j + g * LENGTH) = sum[r][g];           \
    } while (0)

/* Blocks of `groups` vectors, and of CHUNK columns at the end. */
#define COLUMNS(vector, rows, groups)                                     \
    do {                                                                  \
        enum { WIDTH = (groups) * sizeof(vector) / sizeof(double) };      \
        int64_t j = 0;                                                    \
        for (; j + (WIDTH - CHUNK) < count; j += WIDTH)                   \
            BLOCK(vector, rows, groups);                                  \
        for (; j < count; j += CHUNK)                                     \
            BLOCK(vector, rows, CHUNK * sizeof(double) / sizeof(vector)); \
    } while (0)

__attribute__((target("avx2,fma"))) static void four_rows_avx2(ARGUMENTS)
{
    COLUMNS(vector4, ROWS, 2);
}

__attribute__((target("avx2,fma"))) static void one_row_avx2(ARGUMENTS)
{
    COLUMNS(vector4, 1, 8);
}

__attribute__((target("avx512f,fma"))) static void four_rows_avx512(ARGUMENTS)
{
    COLUMNS(vector8, ROWS, 4);
}

__attribute__((target("avx512f,fma"))) static void one_row_avx512(ARGUMENTS)
{
    COLUMNS(vector8, 1, 8);
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/* ---- the loops of the processor ---------------------------------------------------------------- */

static bool has_nothing_more(void)
{
    return true;
}

/* The fastest first; the last one runs everywhere. */
static const struct {
    bool (*runs)(void);
    volt_product_loops loops;
} all[] = {
#if defined(__x86_64__)
    {has_avx512, {"AVX-512", four_rows_avx512, one_row_avx512}},
    {has_avx2, {"AVX2", four_rows_avx2, one_row_avx2}},
#endif
    {has_nothing_more, {"plain", four_rows, one_row}},
};

const volt_product_loops *volt_product_loops_at(int index)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].runs() && index-- == 0)
            return &all[i].loops;
    return NULL;
}

void volt_products_by(const volt_product_loops *loops, int64_t rows, VOLT_PRODUCT_ARGUMENTS)
{
    if (rows == ROWS)
        loops->four(x, ld_x, d, y, ld_y, count, s, ld_s);
    else
        for (int64_t r = 0; r < rows; r++)
            loops->one(x + r * ld_x, ld_x, d, y, ld_y, count, s + r * ld_s, ld_s);
}

void volt_products(int64_t rows, VOLT_PRODUCT_ARGUMENTS)
{
    volt_products_by(volt_product_loops_at(0), rows, x, ld_x, d, y, ld_y, count, s, ld_s);
}
