/* cli/terminal/safe_output.c: filter control characters from standard output on a terminal. */
#define _GNU_SOURCE /* fopencookie */
#include "terminal/text_stream.h"

#include "text/text.h"
#include "volterra.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { MAX_BYTES = 4 }; /* UTF-8 bytes per character */

/* The first bytes of an incomplete character. */
static struct {
    char bytes[MAX_BYTES];
    size_t count;
} begun;

static bool write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Returns whether the bytes are a proper prefix of a UTF-8 character. */
static bool is_begun(const char *bytes, size_t count)
{
    unsigned char lead = (unsigned char)bytes[0];
    size_t length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (lead >= 0xf8 || count >= length)
        return false;
    for (size_t i = 1; i < count; i++)
        if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Copies the character at `bytes` to `out` and returns its length, or 0 if the character is incomplete. */
static size_t take_character(const char *bytes, size_t count, char *out, size_t *filled)
{
    char shown[VOLT_CHARACTER_LENGTH];
    if (*bytes == '\n' || *bytes == '\t') {
        out[(*filled)++] = *bytes;
        return 1;
    }
    if (is_begun(bytes, count))
        return 0;
    size_t step = volt_show_character(bytes, count, shown);
    for (const char *at = shown; *at; at++)
        out[(*filled)++] = *at;
    return step;
}

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    char out[512], joined[2 * MAX_BYTES];
    size_t filled = 0, done = 0;
    (void)cookie;
    while (begun.count > 0 && done < count) { /* one byte at a time until the character is complete */
        memcpy(joined, begun.bytes, begun.count);
        joined[begun.count] = bytes[done];
        size_t step = take_character(joined, begun.count + 1, out, &filled);
        if (step == 0) {
            begun.bytes[begun.count++] = bytes[done++];
        } else if (step == begun.count + 1) {
            done++;
            begun.count = 0;
        } else { /* not a valid prefix */
            begun.count -= step;
            memmove(begun.bytes, begun.bytes + step, begun.count);
        }
    }
    while (done < count) {
        size_t step = take_character(bytes + done, count - done, out, &filled);
        if (step == 0) {
            begun.count = count - done;
            memcpy(begun.bytes, bytes + done, begun.count);
            break;
        }
        done += step;
        if (filled > sizeof out - VOLT_CHARACTER_LENGTH) {
            if (!write_all(out, filled))
                return 0;
            filled = 0;
        }
    }
    return write_all(out, filled) ? (ssize_t)count : 0;
}

static int finish(void *cookie)
{
    (void)cookie;
    bool written = begun.count == 0 || write_all("?", 1);
    return close(STDOUT_FILENO) == 0 && written ? 0 : EOF;
}

void safe_output_begin(void)
{
    if (!isatty(STDOUT_FILENO))
        return;
    FILE *safe = fopencookie(NULL, "w", (cookie_io_functions_t){.write = take, .close = finish});
    if (!safe)
        return;
    setvbuf(safe, NULL, _IOLBF, BUFSIZ);
    fflush(stdout);
    stdout = safe;
}
