/* src/base/text_buffer.h: a text that grows piece by piece.
 *
 *     volt_text_buffer line = {0};
 *     volt_text_put(&line, "alpha ");
 *     volt_text_put(&line, number);
 *     return line.failed ? VOLT_ERR_MEMORY : ...
 *
 * The first piece that finds no memory is remembered in `failed`, and what follows is dropped: look once, at the
 * end. Release `bytes` with volt_free. */
#ifndef BASE_TEXT_BUFFER_H
#define BASE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct volt_text_buffer {
    char *bytes; /* a zero follows the last one; NULL before the first piece */
    int64_t size, capacity;
    bool failed;
} volt_text_buffer;

void volt_text_put(volt_text_buffer *text, const char *piece);

/* The same for so many bytes. */
void volt_text_put_bytes(volt_text_buffer *text, const char *bytes, size_t count);

#endif
