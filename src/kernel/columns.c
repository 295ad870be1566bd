/* src/kernel/columns.c: tiles of S = X Y' and of squared distances. */
#include "kernel/columns.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"

#include <string.h>

enum { CHUNK = VOLT_COLUMNS_CHUNK };

/* Four rows of S: a CHUNK-wide block of each stays in registers while k runs over the d coordinates. */
VOLT_CLONES
static void products_four(const double *restrict x, int64_t ld_x, int64_t d, const double *restrict y,
                          int64_t ld_y, int64_t count, double *restrict s, int64_t ld_s)
{
    for (int64_t j = 0; j < count; j += CHUNK) {
        double sum[VOLT_SCAN_ROWS][CHUNK];
        for (int r = 0; r < VOLT_SCAN_ROWS; r++)
            for (int c = 0; c < CHUNK; c++)
                sum[r][c] = x[r * ld_x] * y[j + c];
        for (int64_t k = 1; k < d; k++) {
            const double *restrict row = y + k * ld_y + j;
            for (int r = 0; r < VOLT_SCAN_ROWS; r++)
                for (int c = 0; c < CHUNK; c++)
                    sum[r][c] += x[r * ld_x + k] * row[c];
        }
        for (int r = 0; r < VOLT_SCAN_ROWS; r++)
            for (int c = 0; c < CHUNK; c++)
                s[r * ld_s + j + c] = sum[r][c];
    }
}

VOLT_CLONES
static void products_one(const double *restrict x, int64_t d, const double *restrict y, int64_t ld_y,
                         int64_t count, double *restrict s)
{
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

/* |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>, never below 0. */
VOLT_CLONES
static void distances_from_products(double x_norm, const double *restrict y_norms, int64_t count,
                                    double *restrict s)
{
    for (int64_t j = 0; j < count; j++) {
        double squared = x_norm + y_norms[j] - 2 * s[j];
        s[j] = squared > 0 ? squared : 0;
    }
}

void volt_columns_local(const volt_columns *columns, const double *x, int64_t ld_x, const double *norms,
                        int64_t rows, int64_t first, int64_t count, double *local, int64_t ld_local)
{
    const double *y = columns->packed + first;
    if (rows == VOLT_SCAN_ROWS)
        products_four(x, ld_x, columns->d, y, columns->ld, count, local, ld_local);
    else
        for (int64_t r = 0; r < rows; r++)
            products_one(x + r * ld_x, columns->d, y, columns->ld, count, local + r * ld_local);
    if (columns->distance)
        for (int64_t r = 0; r < rows; r++)
            distances_from_products(norms[r], columns->norms + first, count, local + r * ld_local);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void mean_row(volt_view Y, double *mean)
{
    for (int64_t i = 0; i < Y.rows; i++)
        for (int64_t k = 0; k < Y.cols; k++)
            mean[k] += Y.data[i * Y.ld + k] / (double)Y.rows;
}

volt_status volt_columns_create(volt_view Y, bool distance, volt_columns **columns)
{
    volt_columns *fresh = volt_alloc_zero(1, sizeof *fresh);
    if (!fresh)
        return VOLT_ERR_MEMORY;
    fresh->m = Y.rows;
    fresh->d = Y.cols;
    fresh->ld = (Y.rows + 2 * CHUNK - 1) / CHUNK * CHUNK;
    fresh->distance = distance;
    fresh->packed = volt_alloc_zero(fresh->d * fresh->ld, sizeof(double));
    fresh->centre = volt_alloc_zero(fresh->d, sizeof(double));
    fresh->norms = volt_alloc_doubles(distance ? fresh->m : 0, 1);
    fresh->given = volt_alloc_doubles(distance ? fresh->m : 0, fresh->d);
    if (!fresh->packed || !fresh->centre || !fresh->norms || !fresh->given) {
        volt_columns_free(fresh);
        return VOLT_ERR_MEMORY;
    }

    if (distance)
        mean_row(Y, fresh->centre);
    for (int64_t j = 0; j < Y.rows; j++) {
        double sum = 0;
        for (int64_t k = 0; k < Y.cols; k++) {
            double value = Y.data[j * Y.ld + k] - fresh->centre[k];
            fresh->packed[k * fresh->ld + j] = value;
            sum += value * value;
        }
        if (distance) {
            fresh->norms[j] = sum;
            memcpy(fresh->given + j * Y.cols, Y.data + j * Y.ld, (size_t)Y.cols * sizeof(double));
        }
    }
    *columns = fresh;
    return VOLT_OK;
}

void volt_columns_free(volt_columns *columns)
{
    if (columns) {
        volt_free(columns->packed);
        volt_free(columns->centre);
        volt_free(columns->norms);
        volt_free(columns->given);
    }
    volt_free(columns);
}

void volt_columns_row(const volt_columns *columns, int64_t j, double *row)
{
    for (int64_t k = 0; k < columns->d; k++)
        row[k] = columns->distance ? columns->given[j * columns->d + k] : columns->packed[k * columns->ld + j];
}

void volt_columns_centre(const volt_columns *columns, volt_view X, double *centred, double *norms)
{
    for (int64_t i = 0; i < X.rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < X.cols; k++) {
            double value = X.data[i * X.ld + k] - columns->centre[k];
            centred[i * X.cols + k] = value;
            sum += value * value;
        }
        norms[i] = sum;
    }
}
