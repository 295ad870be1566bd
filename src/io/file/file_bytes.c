/* src/io/file/file_bytes.c: the bytes of a file: all of them, or some. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/file_bytes.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_GUESS = 1 << 16 };

static volt_status read_failure(const char *path, int reason)
{
    return volt_fail(VOLT_ERR_IO, "cannot read %s: %s", path, strerror(reason));
}

bool volt_file_is_regular(const char *path)
{
    struct stat entry;
    return strcmp(path, "-") != 0 && stat(path, &entry) == 0 && S_ISREG(entry.st_mode);
}

volt_status volt_file_open(const char *path, FILE **stream)
{
    FILE *opened = fopen(path, "rb");
    if (!opened)
        return read_failure(path, errno);
    struct stat entry;
    if (fstat(fileno(opened), &entry) == 0 && S_ISDIR(entry.st_mode)) {
        fclose(opened);
        return read_failure(path, EISDIR);
    }
    *stream = opened;
    return VOLT_OK;
}

int64_t volt_file_size(FILE *stream)
{
    struct stat entry;
    if (fstat(fileno(stream), &entry) != 0 || !S_ISREG(entry.st_mode))
        return -1;
    return (int64_t)entry.st_size;
}

volt_status volt_file_read_at(FILE *stream, const char *path, int64_t size, int64_t at, int64_t count,
                              void *bytes)
{
    for (int64_t done = 0; done < count;) {
        ssize_t read = pread(fileno(stream), (char *)bytes + done, (size_t)(count - done), (off_t)(at + done));
        if (read < 0 && errno == EINTR)
            continue;
        if (read < 0)
            return read_failure(path, errno);
        VOLT_REQUIRE(read > 0, VOLT_ERR_IO,
                     "%s was cut short while it was read: it had %" PRId64 " bytes, and now ends at %" PRId64,
                     path, size, at + done);
        done += read;
    }
    return VOLT_OK;
}

/* Read to the end, growing as needed: the size of a pipe is not known, and a file may grow. */
static volt_status read_all(FILE *stream, const char *path, char **bytes, int64_t *size)
{
    int64_t expected = volt_file_size(stream);
    int64_t capacity = 0, used = 0;
    char *buffer = NULL;
    if (expected >= 0)
        VOLT_TRY(volt_memory_require((double)expected, path));
    volt_status status = volt_grow((void **)&buffer, &capacity, expected > 0 ? expected + 2 : FIRST_GUESS, 1);
    while (!status) {
        errno = 0;
        used += (int64_t)fread(buffer + used, 1, (size_t)(capacity - used - 1), stream);
        if (ferror(stream))
            status = read_failure(path, errno ? errno : EIO);
        else if (feof(stream))
            break;
        else
            status = volt_grow((void **)&buffer, &capacity, capacity + 1, 1);
    }
    if (status) {
        volt_free(buffer);
        return status;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return VOLT_OK;
}

volt_status volt_file_load(const char *path, char **bytes, int64_t *size)
{
    if (strcmp(path, "-") == 0)
        return read_all(stdin, "standard input", bytes, size);
    FILE *stream = NULL;
    VOLT_TRY(volt_file_open(path, &stream));
    volt_status status = read_all(stream, path, bytes, size);
    fclose(stream);
    return status;
}
