/* src/base/strings.h: growing strings and lists of names.
 *
 *     volt_text_buffer line = {0};
 *     volt_text_put(&line, "alpha ");
 *     volt_text_put(&line, number);
 *     return line.failed ? VOLT_ERR_MEMORY : ...
 *
 * An allocation failure sets `failed`, and later pieces are dropped: check once, at the end. Release `bytes`
 * with volt_free. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include "volterra/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct volt_text_buffer {
    char *bytes; /* zero-terminated; NULL before the first piece */
    int64_t size, capacity;
    bool failed;
} volt_text_buffer;

void volt_text_put(volt_text_buffer *text, const char *piece);

/* The same for `size` bytes. */
void volt_text_put_bytes(volt_text_buffer *text, const char *bytes, size_t count);

/* ---- lists of names ---------------------------------------------------------------------------- */

/* Copies a list of `count` names; free it with volt_names_free. NULL for NULL; a NULL name becomes empty.
 * VOLT_ERR_MEMORY. */
volt_status volt_names_copy(const char *const *names, int64_t count, char ***copy);

/* Frees the names and the list. The list and every name may be NULL. */
void volt_names_free(char **names, int64_t count);

#endif
