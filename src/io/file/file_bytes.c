/* src/io/file/file_bytes.c: reads a whole file, or a part of it. */
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

volt_status volt_file_exists(const char *path, bool *exists)
{
    struct stat entry;
    *exists = stat(path, &entry) == 0;
    return *exists || errno == ENOENT || errno == ENOTDIR ? VOLT_OK : read_failure(path, errno);
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
                     "%s was truncated while it was read: it had %" PRId64 " bytes, and now ends at %" PRId64,
                     path, size, at + done);
        done += read;
    }
    return VOLT_OK;
}

/* Reading mode. */
typedef struct reading {
    volt_file_extent extent; /* NULL: to the end of the file */
    bool is_text;            /* a zero byte ends it */
} reading;

/* Maximum number of bytes read from a file of unknown size: a pipe may never end. The other half of the
 * memory is for the data made from them. */
static int64_t max_unknown(void)
{
    uint64_t available = volt_memory_available();
    return available == 0 ? INT64_MAX : (int64_t)(available / 2 > INT64_MAX ? INT64_MAX : available / 2);
}

/* Reads to the end, growing the buffer: the size of a pipe is unknown, and a file may grow. */
static volt_status read_all(FILE *stream, const char *path, reading how, char **bytes, int64_t *size)
{
    int64_t expected = volt_file_size(stream), capacity = 0, used = 0;
    int64_t most = expected > 0 ? INT64_MAX : max_unknown();
    int64_t wanted = expected > 0 || !how.extent ? INT64_MAX : how.extent(NULL, 0);
    char *buffer = NULL;
    if (expected > 0)
        VOLT_TRY(volt_memory_require((double)expected, path));
    volt_status status = volt_grow((void **)&buffer, &capacity, expected > 0 ? expected + 2 : FIRST_GUESS, 1);
    while (!status) {
        int64_t space = capacity - used - 1 < wanted - used ? capacity - used - 1 : wanted - used;
        errno = 0;
        int64_t count = (int64_t)fread(buffer + used, 1, (size_t)space, stream);
        bool has_zero = how.is_text && memchr(buffer + used, '\0', (size_t)count);
        used += count;
        if (ferror(stream))
            status = read_failure(path, errno ? errno : EIO);
        if (status || feof(stream) || has_zero)
            break;
        if (how.extent && used == wanted) {
            wanted = how.extent(buffer, used);
            if (wanted <= used)
                break;
            status = volt_memory_require((double)(wanted - used), path);
        } else if (used == capacity - 1 && capacity > most && !how.extent) {
            status = volt_fail(VOLT_ERR_MEMORY,
                               "%s is too large: after %" PRId64
                               " bytes, more than half of the available memory (%" PRId64
                               " bytes), the end was not reached",
                               path, used, most);
        }
        if (!status && used == capacity - 1)
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

static volt_status load(const char *path, reading how, char **bytes, int64_t *size)
{
    if (strcmp(path, "-") == 0)
        return read_all(stdin, "standard input", how, bytes, size);
    FILE *stream = NULL;
    VOLT_TRY(volt_file_open(path, &stream));
    volt_status status = read_all(stream, path, how, bytes, size);
    fclose(stream);
    return status;
}

volt_status volt_file_load(const char *path, char **bytes, int64_t *size)
{
    return load(path, (reading){0}, bytes, size);
}

volt_status volt_file_load_text(const char *path, char **bytes, int64_t *size)
{
    return load(path, (reading){.is_text = true}, bytes, size);
}

volt_status volt_file_load_declared(const char *path, volt_file_extent extent, char **bytes, int64_t *size)
{
    return load(path, (reading){.extent = extent}, bytes, size);
}
