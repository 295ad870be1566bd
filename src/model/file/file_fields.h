/* src/model/file/file_fields.h: the texts, numbers and tensors of a safetensors file, each checked on its way in.
 *
 * A file that passed its checksum may still have been written by something else: every function says which field is
 * wrong, and fails with VOLT_ERR_FORMAT. */
#ifndef MODEL_FILE_FIELDS_H
#define MODEL_FILE_FIELDS_H

#include "io/safetensors/safetensors.h"

#include <stdbool.h>

typedef struct volt_file_fields {
    const volt_safetensors *file;
    const char *path;
    const char *kind; /* what the file should be, e.g. "a volterra model" */
} volt_file_fields;

/* The file is not of the kind it should be. */
volt_status volt_fields_foreign(const volt_file_fields *fields, const char *why);

volt_status volt_fields_text(const volt_file_fields *fields, const char *key, const char **text);
/* At least `least`, and finite. */
volt_status volt_fields_number(const volt_file_fields *fields, const char *key, double least, double *value);
volt_status volt_fields_count(const volt_file_fields *fields, const char *key, int64_t *value);
volt_status volt_fields_flag(const volt_file_fields *fields, const char *key, bool *value);

/* The tensor `name`, which must have this shape (-1: any) and hold finite numbers only; it belongs to the file. */
volt_status volt_fields_tensor(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                               const volt_tensor **tensor);
/* The same into `to`. */
volt_status volt_fields_copy(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                             double *to);
/* A number of the tensor `name` that must be whole, from `least` to `most`. */
volt_status volt_fields_index(const volt_file_fields *fields, const char *name, double value, int64_t least,
                              int64_t most, int64_t *index);

#endif
