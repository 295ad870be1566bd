/* src/base/text_buffer.c: a text that grows piece by piece. */
#include "base/text_buffer.h"

#include "base/memory.h"

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
