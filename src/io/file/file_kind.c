/* src/io/file/file_kind.c: the kind of a file, by its extension or its first bytes. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/file_bytes.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *extension;
    volt_file_kind kind;
} extensions[] = {
    {".csv", VOLT_FILE_CSV}, {".tsv", VOLT_FILE_CSV}, {".txt", VOLT_FILE_CSV}, {".dat", VOLT_FILE_CSV},
    {".npy", VOLT_FILE_NPY}, {".mat", VOLT_FILE_MAT}, {".ts", VOLT_FILE_TS},
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
    if (!volt_file_is_regular(path) || volt_file_open(path, &stream))
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
