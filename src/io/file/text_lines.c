/* src/io/file/text_lines.c: reads a text file line by line. */
#include "io/file/text_lines.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/atomic_file.h"
#include "io/file/file_bytes.h"
#include "text/text.h"
#include "volterra/base.h"
#include "volterra/io.h"

#include <inttypes.h>
#include <string.h>

/* Begins of files of other formats. */
static const struct {
    const char *begin, *advice;
} other_formats[] = {
    {"\xff\xfe", "is UTF-16 text; save it as UTF-8"},
    {"\xfe\xff", "is UTF-16 text; save it as UTF-8"},
    {"PK\3\4", "is a spreadsheet or an archive; save it as CSV"},
    {"\xd0\xcf\x11\xe0", "is a spreadsheet or an archive; save it as CSV"},
    {"\x1f\x8b", "is compressed with gzip; decompress it"},
    {"BZh91AY&SY", "is compressed with bzip2; decompress it"},
    {"\xfd\x37zXZ", "is compressed with xz; decompress it"},
    {"\x28\xb5\x2f\xfd", "is compressed with zstd; decompress it"},
    {"PAR1\x15", "is a Parquet file; save it as CSV"},
    {"\x89HDF", "is an HDF5 file; save it as CSV"},
};

volt_status volt_text_check(const char *text, int64_t at, int64_t size)
{
    for (size_t i = 0; i < sizeof other_formats / sizeof *other_formats && at == 0; i++) {
        size_t length = strlen(other_formats[i].begin);
        VOLT_REQUIRE((size_t)size < length || memcmp(text, other_formats[i].begin, length) != 0,
                     VOLT_ERR_FORMAT, "the file %s", other_formats[i].advice);
    }
    const char *zero = memchr(text, '\0', (size_t)size);
    VOLT_REQUIRE(!zero, VOLT_ERR_FORMAT, "byte %" PRId64 " is zero: this is not a text file",
                 at + (int64_t)(zero - text) + 1);
    return VOLT_OK;
}

volt_status volt_text_lines_open(const char *path, volt_text_lines *lines)
{
    char *text = NULL;
    int64_t size = 0;
    VOLT_TRY(volt_file_load_text(path, &text, &size));
    volt_status status =
        size > 0 ? volt_text_check(text, 0, size) : volt_fail(VOLT_ERR_FORMAT, "the file is empty");
    if (status) {
        volt_free(text);
        return status;
    }
    lines->text = lines->next = text;
    lines->end = text + size;
    lines->line = 0;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lines->next += 3;
    return VOLT_OK;
}

void volt_text_lines_close(volt_text_lines *lines)
{
    volt_free(lines->text);
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

char *volt_text_lines_next(volt_text_lines *lines, char comment)
{
    while (lines->next < lines->end) {
        char *begin = lines->next;
        char *end = begin + strcspn(begin, "\r\n");
        lines->next = end + (end < lines->end) + (end[0] == '\r' && end[1] == '\n');
        lines->line++;
        while (is_blank(*begin))
            begin++;
        while (end > begin && is_blank(end[-1]))
            end--;
        *end = '\0';
        if (*begin && *begin != comment)
            return begin;
    }
    return NULL;
}

int64_t volt_text_lines_count(const volt_text_lines *lines, char character)
{
    int64_t count = 0;
    for (const char *c = lines->next; c < lines->end; c++)
        count += *c == character;
    return count;
}

/* ---- excerpts of a file's text that are safe to display ---------------------------------------- */

enum { SHOWN = 40 };

const char *volt_excerpt(const char *text, size_t length, char buffer[VOLT_EXCERPT_LENGTH])
{
    size_t used = 0, i = 0;
    while (i < length) {
        char shown[VOLT_CHARACTER_LENGTH];
        size_t step = volt_show_character(text + i, length - i, shown);
        if (used + strlen(shown) > SHOWN)
            break;
        strcpy(buffer + used, shown);
        used += strlen(shown);
        i += step;
    }
    strcpy(buffer + used, i < length ? "..." : "");
    return buffer;
}

char *volt_utf8_copy(const char *text, size_t length)
{
    int is_utf8 = volt_is_utf8(text, length);
    size_t high = 0;
    for (size_t i = 0; i < length; i++)
        high += (unsigned char)text[i] >= 0x80;
    char *copy = volt_alloc((int64_t)(length + (is_utf8 ? 0 : high) + 1), 1);
    if (!copy)
        return NULL;
    char *end = copy;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (is_utf8 || byte < 0x80) {
            *end++ = (char)byte;
        } else {
            *end++ = (char)(0xc0 | byte >> 6);
            *end++ = (char)(0x80 | (byte & 0x3f));
        }
    }
    *end = '\0';
    return copy;
}

/* ---- whole text files, for formats implemented elsewhere --------------------------------------- */

volt_status volt_text_read(const char *path, char **text)
{
    VOLT_REQUIRE(path && text, VOLT_ERR_ARGUMENT, "the path or the text is NULL");
    char *bytes = NULL;
    int64_t size = 0;
    VOLT_TRY(volt_file_load_text(path, &bytes, &size));
    if (strlen(bytes) != (size_t)size) {
        volt_free(bytes);
        return volt_fail(VOLT_ERR_FORMAT, "%s is not a text file: it contains a zero byte", path);
    }
    *text = bytes;
    return VOLT_OK;
}

volt_status volt_text_write(const char *path, const char *text)
{
    VOLT_REQUIRE(path && text, VOLT_ERR_ARGUMENT, "the path or the text is NULL");
    volt_atomic_file file;
    VOLT_TRY(volt_atomic_open(&file, path));
    volt_atomic_write(&file, text, strlen(text));
    return volt_atomic_close(&file);
}
