/* tests/fuzz/fuzz_state.h: the state of a stream, a learner or a fit, mutated, with the checksum and the digest of what it
 * belongs to put right.
 *
 * Include it behind fuzz_input.h; STATE_KEY is the name of the digest where it is not that of a model. */
#ifndef FUZZ_FUZZ_STATE_H
#define FUZZ_FUZZ_STATE_H

#include "fuzz/fuzz_mend.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_DIGITS = 16 };
#ifndef STATE_KEY
#define STATE_KEY "model"
#endif

/* Position of the digits in a file; NULL: nowhere. */
static uint8_t *state_digest(uint8_t *bytes, size_t size)
{
    static const char key[] = "\"" STATE_KEY "\":\"";
    size_t length = sizeof key - 1;
    for (size_t i = 0; i + length + STATE_DIGITS <= size; i++)
        if (memcmp(bytes + i, key, length) == 0)
            return bytes + i + length;
    return NULL;
}

/* The digits in a file that was saved; the bytes are freed. */
static void state_learn_digest(uint8_t *bytes, size_t size, uint8_t digits[STATE_DIGITS])
{
    uint8_t *found = state_digest(bytes, size);
    FUZZ_CHECK(found);
    memcpy(digits, found, STATE_DIGITS);
    free(bytes);
}

/* The file put right, to be freed. */
static uint8_t *state_mend(const uint8_t *bytes, size_t size, const uint8_t digits[STATE_DIGITS],
                           size_t *mended_size)
{
    uint8_t *own = malloc(size);
    FUZZ_CHECK(own);
    memcpy(own, bytes, size);
    uint8_t *found = state_digest(own, size);
    if (found)
        memcpy(found, digits, STATE_DIGITS);
    uint8_t *mended = fuzz_mend(own, size, mended_size);
    free(own);
    return mended;
}

#endif
