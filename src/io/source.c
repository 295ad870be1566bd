/* src/io/source.c: PATH:COLUMNS taken apart, and the kind of a file. */
#define _POSIX_C_SOURCE 200809L
#include "io/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct {
    const char *extension;
    volt_file_kind kind;
} extensions[] = {
    {".csv", VOLT_FILE_CSV}, {".tsv", VOLT_FILE_CSV}, {".txt", VOLT_FILE_CSV},   {".dat", VOLT_FILE_CSV},
    {".npy", VOLT_FILE_NPY}, {".mat", VOLT_FILE_MAT}, {".ts", VOLT_FILE_SERIES}, {".arff", VOLT_FILE_SERIES},
};

static const struct {
    const char *bytes;
    volt_file_kind kind;
} beginnings[] = {
    {"\x93NUMPY", VOLT_FILE_NPY},
    {"MATLAB 5.0 MAT-file", VOLT_FILE_MAT},
    {"MATLAB 7.3 MAT-file", VOLT_FILE_MAT},
};

volt_file_kind volt_file_kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(dot, extensions[i].extension) == 0)
            return extensions[i].kind;
    return VOLT_FILE_UNKNOWN;
}

volt_file_kind volt_file_kind_guess(const char *path)
{
    volt_file_kind kind = volt_file_kind_of(path);
    FILE *stream = NULL;
    if (kind != VOLT_FILE_UNKNOWN)
        return kind;
    if (strcmp(path, "-") == 0 || volt_file_open(path, &stream))
        return VOLT_FILE_CSV;
    char first[32] = "";
    if (volt_file_size(stream) >= (int64_t)sizeof first &&
        fread(first, 1, sizeof first, stream) == sizeof first)
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
            if (memcmp(first, beginnings[i].bytes, strlen(beginnings[i].bytes)) == 0)
                kind = beginnings[i].kind;
    fclose(stream);
    return kind == VOLT_FILE_UNKNOWN ? VOLT_FILE_CSV : kind;
}

static int is_file(const char *path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0;
}

static int has_known_extension(const char *path)
{
    return volt_file_kind_of(path) != VOLT_FILE_UNKNOWN;
}

/* Cut `path` at the last colon whose left side passes `test`; -1 when there is none. */
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
