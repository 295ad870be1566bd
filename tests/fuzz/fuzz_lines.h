/* tests/fuzz/fuzz_lines.h: an input as lines, for targets of short texts.
 *
 * Include it behind fuzz_input.h. */
#ifndef FUZZ_FUZZ_LINES_H
#define FUZZ_FUZZ_LINES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_LINES = 64 };

/* Split at line ends, each line in a block of its own, so that the sanitizer sees its end; returns how many. */
static inline int fuzz_lines_split(const uint8_t *bytes, size_t size, char *lines[FUZZ_LINES])
{
    int count = 0;
    for (size_t at = 0; at < size && count < FUZZ_LINES; count++) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        size_t length = end ? (size_t)(end - bytes) - at : size - at;
        lines[count] = malloc(length + 1);
        FUZZ_CHECK(lines[count]);
        memcpy(lines[count], bytes + at, length);
        lines[count][length] = '\0';
        at += length + 1;
    }
    return count;
}

static inline void fuzz_lines_free(char *lines[FUZZ_LINES], int count)
{
    for (int i = 0; i < count; i++)
        free(lines[i]);
}

#endif
