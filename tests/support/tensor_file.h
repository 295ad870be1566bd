/* tests/support/tensor_file.h: safetensors files as other programs write them. */
#ifndef SUPPORT_TENSOR_FILE_H
#define SUPPORT_TENSOR_FILE_H

#include <stdint.h>

typedef struct tensor_entry {
    const char *name;
    int dimensions;
    int64_t shape[3];
    const double *data;
    int single; /* written as F32 */
} tensor_entry;

/* Write them to a scratch file of that name, without a checksum; returns its path (scratch.h). */
const char *tensor_file_write(const char *name, const tensor_entry *entries, int count);

#endif
