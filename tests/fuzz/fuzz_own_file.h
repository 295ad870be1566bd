/* tests/fuzz/fuzz_own_file.h: a file in a folder, for targets that write, lock or replace one.
 *
 * Include it behind fuzz_input.h. */
#ifndef FUZZ_FUZZ_OWN_FILE_H
#define FUZZ_FUZZ_OWN_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_folder[256], fuzz_file[sizeof fuzz_folder + 16];

static void fuzz_remove_folder(void)
{
    unlink(fuzz_file);
    rmdir(fuzz_folder);
}

/* The path of a file of this process's own, in a folder that goes when the program ends; nobody has made the file
 * yet. Ends the program if the folder cannot be created. */
static inline const char *fuzz_own_path(void)
{
    if (!*fuzz_folder) {
        const char *parent = getenv("TMPDIR");
        snprintf(fuzz_folder, sizeof fuzz_folder, "%s/volterra-fuzz-XXXXXX",
                 parent && *parent ? parent : "/tmp");
        if (!mkdtemp(fuzz_folder)) {
            perror(fuzz_folder);
            abort();
        }
        snprintf(fuzz_file, sizeof fuzz_file, "%s/own", fuzz_folder);
        atexit(fuzz_remove_folder);
    }
    return fuzz_file;
}

/* Write the bytes to a file, or end the program. */
static inline void fuzz_write(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
        perror(path);
        abort();
    }
}

/* The bytes of a file, to be freed, and their number. */
static inline uint8_t *fuzz_read(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    long end = stream && fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    uint8_t *bytes = end >= 0 ? malloc((size_t)end + 1) : NULL;
    if (!bytes || fseek(stream, 0, SEEK_SET) != 0 || fread(bytes, 1, (size_t)end, stream) != (size_t)end) {
        perror(path);
        abort();
    }
    fclose(stream);
    *size = (size_t)end;
    return bytes;
}

#endif
