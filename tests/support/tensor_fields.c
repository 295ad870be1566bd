/* tests/support/tensor_fields.c: the fields of a safetensors file: its tensors and texts. */
#include "support/tensor_fields.h"

#include "support/check.h"
#include "support/scratch.h"

fields read_fields(const char *path)
{
    fields f = {0};
    size_t size = 0;
    uint64_t length = 0;
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    for (int b = 0; b < 8; b++)
        length |= (uint64_t)(unsigned char)bytes[b] << (8 * b);
    f.header = json_loadb(bytes + 8, length, 0, NULL);
    assert_non_null(f.header);
    free(bytes);
    check_ok(volt_safetensors_read(path, &f.file));
    const char *key;
    json_t *value;
    json_object_foreach(f.header, key, value)
    {
        assert_true(f.n_tensors < MAX_FIELDS);
        if (strcmp(key, "__metadata__") != 0)
            f.tensors[f.n_tensors++] = *volt_safetensors_tensor(f.file, key);
    }
    json_object_foreach(json_object_get(f.header, "__metadata__"), key, value)
    {
        assert_true(f.n_metadata < MAX_FIELDS);
        if (strcmp(key, "checksum") != 0)
            f.metadata[f.n_metadata++] = (volt_metadatum){key, json_string_value(value)};
    }
    return f;
}

void free_fields(fields *f)
{
    volt_safetensors_free(f->file);
    json_decref(f->header);
}

int64_t numbers_of(const volt_tensor *tensor)
{
    return tensor->rows * (tensor->cols > 0 ? tensor->cols : 1);
}
