/* src/base/tensors.h: named arrays of numbers out of a user's file, for parts of the library that know no files.
 *
 * Declared here and made by io (io/safetensors/tensor_reader.c): whoever wants arrays by name, such as a kernel with
 * weights of the user's own, asks without knowing a format. */
#ifndef BASE_TENSORS_H
#define BASE_TENSORS_H

#include "volterra/status.h"

#include <stdint.h>

enum { VOLT_MOST_DIMENSIONS = 3 };

/* Row-major. The name and the numbers belong to the file that was read. */
typedef struct volt_array {
    const char *name;
    int dimensions;
    int64_t shape[VOLT_MOST_DIMENSIONS]; /* 1 behind the last dimension */
    const double *data;
} volt_array;

typedef struct volt_arrays volt_arrays;

/* All arrays of a safetensors file, whoever wrote it: numbers of 4 or 8 bytes. VOLT_ERR_IO; VOLT_ERR_FORMAT for a file that
 * is cut short, damaged or has something else in it; VOLT_ERR_NOT_FINITE names the first number that is none;
 * VOLT_ERR_MEMORY. */
volt_status volt_arrays_read(const char *path, volt_arrays **arrays);
void volt_arrays_free(volt_arrays *arrays); /* NULL is fine */

/* NULL when there is none of that name. */
const volt_array *volt_arrays_find(const volt_arrays *arrays, const char *name);

#endif
