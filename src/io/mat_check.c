/* src/io/mat_check.c: is this a MAT file that is safe to hand to matio? */
#include "io/mat_check.h"

#include "base/error.h"
#include "io/file_bytes.h"
#include "io/little_endian.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER_BYTES = 128, VERSION_AT = 124, HDF5_AT = 512, HDF5_BYTES = 8 };

static volt_status check_73(FILE *stream)
{
    char found[HDF5_BYTES];
    VOLT_REQUIRE(fseek(stream, HDF5_AT, SEEK_SET) == 0 && fread(found, 1, sizeof found, stream) == sizeof found &&
                     memcmp(found, "\x89HDF\r\n\x1a\n", sizeof found) == 0,
                 VOLT_ERR_FORMAT, "the header says MAT version 7.3, and no HDF5 data follow it");
    return VOLT_OK;
}

static volt_status check_stream(FILE *stream, int64_t *size)
{
    unsigned char header[HEADER_BYTES];
    *size = volt_file_size(stream);
    VOLT_REQUIRE(*size >= 0, VOLT_ERR_IO, "a MAT file is read from a regular file only");
    VOLT_REQUIRE(fread(header, 1, sizeof header, stream) == sizeof header, VOLT_ERR_FORMAT,
                 "%" PRId64 " bytes are too short for a MAT file", *size);
    int is_little = memcmp(header + VERSION_AT + 2, "IM", 2) == 0;
    int is_big = memcmp(header + VERSION_AT + 2, "MI", 2) == 0;
    int version = is_big ? header[VERSION_AT] << 8 | header[VERSION_AT + 1]
                         : header[VERSION_AT + 1] << 8 | header[VERSION_AT];
    VOLT_REQUIRE(is_little || is_big, VOLT_ERR_FORMAT,
                 "this is not a MAT file of version 5 or 7.3 (version 4 is not read; save it with -v7)");
    VOLT_REQUIRE(version == 0x0100 || version == 0x0200, VOLT_ERR_FORMAT, "MAT version 0x%04x is not known", version);
    return version == 0x0200 ? check_73(stream) : VOLT_OK;
}

volt_status volt_mat_check(const char *path, int64_t *size)
{
    FILE *stream = NULL;
    VOLT_TRY(volt_file_open(path, &stream));
    volt_status status = check_stream(stream, size);
    fclose(stream);
    if (status)
        volt_fail_prefix(status, "%s", path);
    return status;
}
