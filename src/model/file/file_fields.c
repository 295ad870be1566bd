/* src/model/file/file_fields.c: the texts, numbers and tensors of a safetensors file, each checked on its way in. */
#include "model/file/file_fields.h"

#include "base/error.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

volt_status volt_fields_foreign(const volt_file_fields *fields, const char *why)
{
    return volt_fail(VOLT_ERR_FORMAT, "%s is not %s: %s", fields->path, fields->kind, why);
}

volt_status volt_fields_text(const volt_file_fields *fields, const char *key, const char **text)
{
    *text = volt_safetensors_metadata(fields->file, key);
    VOLT_REQUIRE(*text, VOLT_ERR_FORMAT, "%s is not %s: it has no \"%s\"", fields->path, fields->kind, key);
    return VOLT_OK;
}

volt_status volt_fields_number(const volt_file_fields *fields, const char *key, double least, double *value)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, key, &text));
    VOLT_REQUIRE(volt_parse_number(text, value) && isfinite(*value) && *value >= least, VOLT_ERR_FORMAT,
                 "%s: \"%s\" is \"%.40s\", and must be a number of at least %g", fields->path, key, text,
                 least);
    return VOLT_OK;
}

volt_status volt_fields_count(const volt_file_fields *fields, const char *key, int64_t *value)
{
    double number = 0;
    VOLT_TRY(volt_fields_number(fields, key, 0, &number));
    VOLT_REQUIRE(number == floor(number) && number < 9e15, VOLT_ERR_FORMAT,
                 "%s: \"%s\" is %g, and must be whole", fields->path, key, number);
    *value = (int64_t)number;
    return VOLT_OK;
}

volt_status volt_fields_flag(const volt_file_fields *fields, const char *key, bool *value)
{
    const char *text = NULL;
    VOLT_TRY(volt_fields_text(fields, key, &text));
    *value = strcmp(text, "yes") == 0;
    VOLT_REQUIRE(*value || strcmp(text, "no") == 0, VOLT_ERR_FORMAT,
                 "%s: \"%s\" is \"%.40s\", and must be yes or no", fields->path, key, text);
    return VOLT_OK;
}

volt_status volt_fields_tensor(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                               const volt_tensor **tensor)
{
    const volt_tensor *found = volt_safetensors_tensor(fields->file, name);
    VOLT_REQUIRE(found, VOLT_ERR_FORMAT, "%s is not %s: it has no tensor \"%s\"", fields->path, fields->kind,
                 name);
    VOLT_REQUIRE((rows < 0 || found->rows == rows) && (cols < 0 || found->cols == cols), VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" is %" PRId64 " x %" PRId64 ", which does not fit the other tensors",
                 fields->path, name, found->rows, found->cols);
    int64_t numbers = found->rows * (found->cols > 0 ? found->cols : 1);
    for (int64_t i = 0; i < numbers; i++)
        VOLT_REQUIRE(isfinite(found->data[i]), VOLT_ERR_FORMAT,
                     "%s: tensor \"%s\" holds a value that is not finite", fields->path, name);
    *tensor = found;
    return VOLT_OK;
}

volt_status volt_fields_copy(const volt_file_fields *fields, const char *name, int64_t rows, int64_t cols,
                             double *to)
{
    const volt_tensor *tensor = NULL;
    VOLT_TRY(volt_fields_tensor(fields, name, rows, cols, &tensor));
    memcpy(to, tensor->data, (size_t)(rows * (cols > 0 ? cols : 1)) * sizeof(double));
    return VOLT_OK;
}

volt_status volt_fields_index(const volt_file_fields *fields, const char *name, double value, int64_t least,
                              int64_t most, int64_t *index)
{
    VOLT_REQUIRE(value == floor(value) && value >= (double)least && value <= (double)most, VOLT_ERR_FORMAT,
                 "%s: tensor \"%s\" holds %g, and must hold whole numbers from %" PRId64 " to %" PRId64,
                 fields->path, name, value, least, most);
    *index = (int64_t)value;
    return VOLT_OK;
}
