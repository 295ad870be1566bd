/* src/io/source.c: splits PATH:COLUMNS. */
#define _POSIX_C_SOURCE 200809L
#include "io/source.h"

#include "base/memory.h"
#include "io/file/file_bytes.h"

#include <string.h>
#include <unistd.h>

static int is_file(const char *path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0;
}

static int has_known_extension(const char *path)
{
    return volt_file_kind_of(path) != VOLT_FILE_UNKNOWN;
}

/* Cuts `path` at the last colon whose left side passes `test`; -1 when there is none. */
static int64_t cut_at_colon(char *path, int (*test)(const char *))
{
    for (int64_t i = (int64_t)strlen(path) - 1; i > 0; i--) {
        if (path[i] != ':')
            continue;
        path[i] = '\0';
        if (test(path))
            return i;
        path[i] = ':';
    }
    return -1;
}

volt_status volt_source_split(const char *source, char **path, const char **columns)
{
    char *left = volt_strdup(source);
    if (!left)
        return VOLT_ERR_MEMORY;
    int64_t colon = -1;
    if (!is_file(source)) {
        colon = cut_at_colon(left, is_file);
        if (colon < 0)
            colon = cut_at_colon(left, has_known_extension);
    }
    *path = left;
    *columns = colon < 0 ? NULL : source + colon + 1;
    return VOLT_OK;
}
