/* src/base/row_bands.c: assignment of rows to processes. */
#include "base/row_bands.h"

#include "base/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static void leave_alone(double *numbers, int64_t count)
{
    (void)numbers;
    (void)count;
}

static const volt_bands alone = {.parts = 1, .sum = leave_alone};
static _Thread_local const volt_bands *current;

void volt_bands_use(const volt_bands *bands)
{
    current = bands;
}

const volt_bands *volt_bands_current(void)
{
    return current ? current : &alone;
}

void volt_bands_rows(const volt_bands *bands, int64_t begin, int64_t end, int64_t block, int64_t *first,
                     int64_t *last)
{
    int64_t blocks = (volt_max(end - begin, 0) + block - 1) / block;
    *first = volt_min(begin + blocks * bands->part / bands->parts * block, end);
    *last = volt_min(begin + blocks * (bands->part + 1) / bands->parts * block, end);
    *last = volt_max(*first, *last);
}

/* Rows 0 .. i - 1 hold i^2 / 2 entries, so the square root balances the entries. */
static int64_t triangle_row(const volt_bands *bands, int64_t n, int64_t part)
{
    return llround((double)n * sqrt((double)part / (double)bands->parts));
}

void volt_bands_of_triangle(const volt_bands *bands, int64_t n, int64_t *first, int64_t *last)
{
    *first = triangle_row(bands, n, bands->part);
    *last = triangle_row(bands, n, bands->part + 1);
}

void volt_bands_sum(const volt_bands *bands, volt_matrix M)
{
    bool packed = M.ld == M.cols;
    int64_t rows = packed ? 1 : M.rows, cols = packed ? M.rows * M.cols : M.cols;
    for (int64_t i = 0; i < rows; i++)
        bands->sum(M.data + i * M.ld, cols);
}

void volt_bands_broadcast(const volt_bands *bands, double *numbers, int64_t count)
{
    if (bands->parts == 1)
        return;
    if (bands->part > 0)
        memset(numbers, 0, (size_t)count * sizeof *numbers);
    bands->sum(numbers, count);
}

void volt_bands_gather(const volt_bands *bands, int64_t from, int64_t first, int64_t last, volt_matrix M)
{
    if (bands->parts == 1 || !M.data)
        return;
    for (int64_t i = 0; i < M.rows; i++)
        if (from + i < first || from + i >= last)
            memset(M.data + i * M.ld, 0, (size_t)M.cols * sizeof(double));
    volt_bands_sum(bands, M);
}
