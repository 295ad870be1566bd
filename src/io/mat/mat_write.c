/* src/io/mat/mat_write.c: writes a MATLAB file of version 5 with one matrix, named data.
 *
 * Reference: The MathWorks, "MAT-File Format" (version 5): a header of 128 bytes, then elements of a tag
 * (type, bytes) and a body padded to 8 bytes. A matrix is an element that contains four others: flags,
 * dimensions, name and the numbers in column-major order. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/mat/mat.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { TEXT_BYTES = 124, HEADER_BYTES = 128, BEFORE_NUMBERS = 56 }; /* from the matrix's tag on */
enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14, MX_DOUBLE_CLASS = 6 };

static unsigned char *put_tag(unsigned char *at, uint64_t type, uint64_t n_bytes)
{
    volt_put_little(type, 4, at);
    volt_put_little(n_bytes, 4, at + 4);
    return at + 8;
}

/* Everything before the numbers: the file's header, the matrix's tag, flags, dimensions, name, numbers' tag. */
static void put_head(unsigned char *head, volt_view values, uint64_t data_bytes)
{
    static const char text[] = "MATLAB 5.0 MAT-file, written by volterra";
    memset(head, ' ', TEXT_BYTES);
    memcpy(head, text, sizeof text - 1);
    memset(head + TEXT_BYTES - 8, 0, 8); /* no subsystem data */
    volt_put_little(0x0100, 2, head + TEXT_BYTES);
    head[TEXT_BYTES + 2] = 'I'; /* little-endian */
    head[TEXT_BYTES + 3] = 'M';

    unsigned char *at = put_tag(head + HEADER_BYTES, MI_MATRIX, BEFORE_NUMBERS - 8 + data_bytes);
    at = put_tag(at, MI_UINT32, 8);
    volt_put_little(MX_DOUBLE_CLASS, 8, at);
    at = put_tag(at + 8, MI_INT32, 8);
    volt_put_little((uint64_t)values.rows, 4, at);
    volt_put_little((uint64_t)values.cols, 4, at + 4);
    volt_put_little(MI_INT8 | 4u << 16, 4, at + 8); /* a short name shares 8 bytes with its tag */
    volt_put_little(0x61746164, 4, at + 12);        /* "data" */
    put_tag(at + 16, MI_DOUBLE, data_bytes);
}

volt_status volt_mat_write(volt_atomic_file *file, volt_view values)
{
    enum { HEAD = HEADER_BYTES + BEFORE_NUMBERS };
    const int64_t most = (UINT32_MAX - BEFORE_NUMBERS) / (int64_t)sizeof(double);
    VOLT_REQUIRE(values.rows <= INT32_MAX && values.cols <= INT32_MAX && values.rows <= most / values.cols,
                 VOLT_ERR_ARGUMENT,
                 "%" PRId64 " x %" PRId64 " numbers do not fit in a MAT file of version 5 (4 GiB); write .npy",
                 values.rows, values.cols);
    double *column = volt_alloc_doubles(values.rows, 1);
    if (!column)
        return VOLT_ERR_MEMORY;
    unsigned char head[HEAD];
    put_head(head, values, (uint64_t)(values.rows * values.cols) * sizeof(double));
    volt_atomic_write(file, head, sizeof head);
    for (int64_t j = 0; j < values.cols && !file->failure; j++) {
        for (int64_t i = 0; i < values.rows; i++)
            column[i] = values.data[i * values.ld + j];
        volt_write_doubles(file, column, values.rows);
    }
    volt_free(column);
    return VOLT_OK;
}
