/* src/io/series/text_index.h: distinct texts, numbered in the order in which they first appear. */
#ifndef IO_TEXT_INDEX_H
#define IO_TEXT_INDEX_H

#include "volterra/status.h"

#include <stddef.h>
#include <stdint.h>

/* All zero is an index without texts. */
typedef struct volt_text_index {
    int64_t count;
    char *texts; /* one after the other, each with its zero byte */
    int64_t size, capacity;
    int64_t *places; /* where each begins in texts */
    int64_t places_capacity;
    int64_t *slots;  /* open addressing: 1 + number of the text, 0 for a free slot; at most half are taken */
    int64_t n_slots; /* a power of two, or 0 */
} volt_text_index;

/* The number of a text from 0 on, a new one when it has not been seen. The text ends at its first zero byte.
 * VOLT_ERR_MEMORY. */
volt_status volt_text_index_put(volt_text_index *index, const char *text, int64_t *number);

void volt_text_index_clear(volt_text_index *index);

#endif
