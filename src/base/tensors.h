/* src/base/tensors.h: named arrays from a user's file, for parts of the library that do not depend on io.
 *
 * Declared here and implemented in io (io/safetensors/tensor_reader.c). Used for example by a kernel with
 * user-supplied weights. */
#ifndef BASE_TENSORS_H
#define BASE_TENSORS_H

#include "volterra/status.h"

#include <stdint.h>

enum { VOLT_MAX_DIMENSIONS = 3 };

/* Row-major. The name and the numbers belong to the volt_arrays object. */
typedef struct volt_array {
    const char *name;
    int dimensions;
    int64_t shape[VOLT_MAX_DIMENSIONS]; /* 1 after the last dimension */
    const double *data;
} volt_array;

typedef struct volt_arrays volt_arrays;

/* Reads all arrays of a safetensors file: numbers of 4 or 8 bytes. VOLT_ERR_IO; VOLT_ERR_FORMAT for a
 * truncated, damaged or unsupported file; VOLT_ERR_NOT_FINITE names the first non-finite number;
 * VOLT_ERR_MEMORY. */
volt_status volt_arrays_read(const char *path, volt_arrays **arrays);
void volt_arrays_free(volt_arrays *arrays); /* NULL is allowed */

/* NULL for an unknown name. */
const volt_array *volt_arrays_find(const volt_arrays *arrays, const char *name);

#endif
