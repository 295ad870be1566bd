/* cli/terminal/text_stream.c: in-memory text streams for stdio functions, with reliable errors. */
#define _GNU_SOURCE /* fopencookie */
#include "terminal/text_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Reserves space for `more` bytes and the terminating zero. */
static bool reserve(text_stream *stream, size_t more)
{
    if (more >= SIZE_MAX / 2 - stream->size)
        return false;
    size_t needed = stream->size + more + 1;
    if (needed <= stream->capacity)
        return true;
    size_t capacity = needed > 2 * stream->capacity ? needed : 2 * stream->capacity;
    char *grown = realloc(stream->text, capacity);
    if (!grown)
        return false;
    stream->text = grown;
    stream->capacity = capacity;
    return true;
}

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    text_stream *stream = cookie;
    stream->failed = stream->failed || !reserve(stream, count);
    if (stream->failed)
        return 0;
    memcpy(stream->text + stream->size, bytes, count);
    stream->size += count;
    stream->text[stream->size] = '\0';
    return (ssize_t)count;
}

FILE *text_open(text_stream *stream)
{
    *stream = (text_stream){0};
    if (reserve(stream, 0)) {
        stream->text[0] = '\0';
        stream->out = fopencookie(stream, "w", (cookie_io_functions_t){.write = take});
    }
    return stream->out;
}

char *text_close(text_stream *stream)
{
    bool failed = !stream->out || fclose(stream->out) != 0;
    char *text = stream->text;
    if (failed || stream->failed) {
        free(text);
        text = NULL;
    }
    *stream = (text_stream){0};
    return text;
}
