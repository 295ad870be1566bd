/* src/base/strings.h: a text that grows piece by piece.
 *
 *     volt_text_buffer line = {0};
 *     volt_text_put(&line, "alpha ");
 *     volt_text_put(&line, number);
 *     return line.failed ? VOLT_ERR_MEMORY : ...
 *
 * The first piece that finds no memory is remembered in `failed`, and what follows is dropped: look once, at the
 * end. Release `bytes` with volt_free. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include "volterra/status.h"

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

/* ---- lists of names ---------------------------------------------------------------------------- */

/* A list of its own with `count` names, for volt_names_free; NULL for NULL, and a name that is NULL is empty.
 * VOLT_ERR_MEMORY. */
volt_status volt_names_copy(const char *const *names, int64_t count, char ***copy);

/* Free the names and the list of them. NULL is fine, for the list and for every name. */
void volt_names_free(char **names, int64_t count);

#endif
