/* src/kernel/products.h: tiles of S = X Y', inner products of rows with packed columns. */
#ifndef KERNEL_PRODUCTS_H
#define KERNEL_PRODUCTS_H

#include <stdint.h>

enum {
    VOLT_PRODUCT_ROWS = 4,  /* rows that are handled together */
    VOLT_PRODUCT_CHUNK = 8, /* columns likewise */
#if defined(__x86_64__)
    VOLT_PRODUCT_ALIGN =
        8 /* columns to a line of the cache, which the vectors of AVX-512 should not straddle */
#else
    VOLT_PRODUCT_ALIGN = 1
#endif
};

/* s[r * ld_s + j] = sum_k x[r * ld_x + k] y[k * ld_y + j] for r < rows <= VOLT_PRODUCT_ROWS, j < count, k < d.
 * Reads and writes up to VOLT_PRODUCT_CHUNK - 1 columns more than count. */
void volt_products(int64_t rows, const double *x, int64_t ld_x, int64_t d, const double *y, int64_t ld_y,
                   int64_t count, double *s, int64_t ld_s);

#endif
