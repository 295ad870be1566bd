/* src/kernel/products.h: tiles of S = X Y', inner products of rows with packed columns. */
#ifndef KERNEL_PRODUCTS_H
#define KERNEL_PRODUCTS_H

#include <stdint.h>

enum {
    VOLT_PRODUCT_ROWS = 4,  /* rows processed together */
    VOLT_PRODUCT_CHUNK = 8, /* columns processed together */
#if defined(__x86_64__)
    VOLT_PRODUCT_ALIGN = 8 /* columns per cache line, for aligned AVX-512 vectors */
#else
    VOLT_PRODUCT_ALIGN = 1
#endif
};

#define VOLT_PRODUCT_ARGUMENTS                                                                                \
    const double *restrict x, int64_t ld_x, int64_t d, const double *restrict y, int64_t ld_y, int64_t count, \
        double *restrict s, int64_t ld_s

/* s[r * ld_s + j] = sum_k x[r * ld_x + k] y[k * ld_y + j] for r < rows <= VOLT_PRODUCT_ROWS, j < count, k < d.
 * Reads and writes up to VOLT_PRODUCT_CHUNK - 1 columns more than count. */
void volt_products(int64_t rows, VOLT_PRODUCT_ARGUMENTS);

/* The same with a given implementation: for VOLT_PRODUCT_ROWS rows at once, and for one. */
typedef struct volt_product_loops {
    const char *name;
    void (*four)(VOLT_PRODUCT_ARGUMENTS);
    void (*one)(VOLT_PRODUCT_ARGUMENTS);
} volt_product_loops;

void volt_products_by(const volt_product_loops *loops, int64_t rows, VOLT_PRODUCT_ARGUMENTS);

/* Implementations that this processor supports, the fastest first (used by volt_products); NULL: no more.
 * Tests compare them all. */
const volt_product_loops *volt_product_loops_at(int index);

#endif
