/* tests/support/archive.h: reads the archives of tests/fuzz/corpus, which are ustar files made by tests/fuzz/corpus.py. */
#ifndef SUPPORT_ARCHIVE_H
#define SUPPORT_ARCHIVE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCHIVE_BLOCK = 512, ARCHIVE_NAME = 100, ARCHIVE_SIZE_AT = 124, ARCHIVE_MAGIC_AT = 257 };

/* Reads the next file of the archive: its name, and its bytes in a block to be freed. The block is exactly as long as the
 * file (1 byte for an empty one), so that the sanitizer sees an access beyond its end. Returns 1, 0 at the end of the
 * archive, and -1 if the archive is damaged. */
static inline int archive_next(FILE *archive, char name[ARCHIVE_NAME + 1], uint8_t **bytes, size_t *size)
{
    char header[ARCHIVE_BLOCK];
    if (fread(header, 1, sizeof header, archive) != sizeof header)
        return -1;
    if (header[0] == '\0')
        return 0;
    if (memcmp(header + ARCHIVE_MAGIC_AT, "ustar", sizeof "ustar") != 0)
        return -1;
    memcpy(name, header, ARCHIVE_NAME);
    name[ARCHIVE_NAME] = '\0';
    *size = strtoul(header + ARCHIVE_SIZE_AT, NULL, 8);
    long padding = (long)(-*size % ARCHIVE_BLOCK);
    *bytes = malloc(*size ? *size : 1);
    if (*bytes && fread(*bytes, 1, *size, archive) == *size && fseek(archive, padding, SEEK_CUR) == 0)
        return 1;
    free(*bytes);
    return -1;
}

#endif
