/* tests/support/tensor_fields.h: the fields of a safetensors file: its tensors and texts. */
#ifndef SUPPORT_TENSOR_FIELDS_H
#define SUPPORT_TENSOR_FIELDS_H

#include "io/safetensors/safetensors.h"

#include <jansson.h>

enum { MAX_FIELDS = 48 };

typedef struct fields {
    volt_safetensors *file;
    json_t *header;
    volt_tensor tensors[MAX_FIELDS];
    volt_metadatum metadata[MAX_FIELDS];
    int64_t n_tensors, n_metadata;
} fields;

/* Reads the fields, without the checksum; ends the test when the file cannot be read. */
fields read_fields(const char *path);
void free_fields(fields *f);

int64_t numbers_of(const volt_tensor *tensor);

#endif
