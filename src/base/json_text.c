/* src/base/json_text.c: JSON values to text. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "text/text.h"

#include <string.h>

static int collect(const char *piece, size_t length, void *context)
{
    volt_text_buffer *text = context;
    volt_text_put_bytes(text, piece, length);
    return text->failed ? -1 : 0;
}

/* The text of `value` behind `text`. */
static volt_status put(volt_text_buffer *text, const json_t *value, size_t flags)
{
    /* Jansson (2.14) does not look whether the name of a value was taken: `failed` knows. */
    if (!value || json_dump_callback(value, collect, text, flags | JSON_COMPACT | JSON_ENCODE_ANY) != 0 ||
        text->failed)
        return volt_fail(VOLT_ERR_MEMORY, "memory is out for a JSON text");
    return VOLT_OK;
}

volt_status volt_json_text(const json_t *value, char **text)
{
    volt_text_buffer made = {0};
    volt_status status = put(&made, value, 0);
    if (status == VOLT_OK)
        *text = made.bytes;
    else
        volt_free(made.bytes);
    return status;
}

volt_status volt_json_quote(volt_text_buffer *text, const char *word)
{
    VOLT_REQUIRE(volt_is_utf8(word, strlen(word)), VOLT_ERR_ARGUMENT, "a text is not UTF-8");
    json_t *string = json_string_nocheck(word);
    volt_status status = put(text, string, JSON_ENSURE_ASCII);
    json_decref(string);
    return status;
}
