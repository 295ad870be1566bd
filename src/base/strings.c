/* src/base/strings.c: growing strings and lists of names. */
#include "base/strings.h"

#include "base/memory.h"
#include "volterra/base.h"

#include <string.h>

void volt_text_put_bytes(volt_text_buffer *text, const char *bytes, size_t count)
{
    text->failed = text->failed || volt_grow((void **)&text->bytes, &text->capacity,
                                             text->size + (int64_t)count + 1, 1) != VOLT_OK;
    if (text->failed)
        return;
    memcpy(text->bytes + text->size, bytes, count);
    text->size += (int64_t)count;
    text->bytes[text->size] = '\0';
}

void volt_text_put(volt_text_buffer *text, const char *piece)
{
    volt_text_put_bytes(text, piece, strlen(piece));
}

/* ---- lists of names ---------------------------------------------------------------------------- */

volt_status volt_names_copy(const char *const *names, int64_t count, char ***copy)
{
    if (!names)
        return VOLT_OK;
    char **made = volt_alloc_zero(count, sizeof *made);
    if (!made)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        made[i] = volt_strdup(names[i] ? names[i] : "");
        if (!made[i]) {
            volt_names_free(made, count);
            return VOLT_ERR_MEMORY;
        }
    }
    *copy = made;
    return VOLT_OK;
}

void volt_names_free(char **names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        volt_free(names[i]);
    volt_free(names);
}
