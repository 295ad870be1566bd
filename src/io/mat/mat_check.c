/* src/io/mat/mat_check.c: checks a MAT file before matio reads it.
 *
 * matio 1.5.23 does not check the lengths in a file of version 5: it reads a truncated file without an error,
 * with numbers from uninitialised memory. This code first traverses the elements, also compressed ones, and
 * checks every length against the file. Nothing is kept in memory.
 *
 * An element is a tag (type, bytes; 4 bytes each) and a body padded to 8 bytes; up to 4 bytes of body share 8
 * bytes with a short tag (bytes in the upper half of the first word). A matrix is an element that contains
 * others: flags, dimensions, name, then, depending on its class, numbers or the matrices of a cell or
 * structure. Reference: The MathWorks, "MAT-File Format" (version 5). */
#include "io/mat/mat.h"

#include "base/error.h"
#include "io/file/file_bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { HEADER_BYTES = 128, VERSION_AT = 124, HDF5_AT = 512, TAG_BYTES = 8, DEEPEST = 32, MAX_DIMENSIONS = 32 };
enum { MI_INT32 = 5, MI_UINT32 = 6, MI_MATRIX = 14, MI_COMPRESSED = 15 };
enum {
    MX_CELL = 1,
    MX_STRUCT = 2,
    MX_OBJECT = 3,
    MX_DOUBLE = 6,
    MX_UINT64 = 15,
    MX_FUNCTION = 16,
    MX_OPAQUE = 17,
    FLAG_COMPLEX = 0x0800
};

/* Bytes of one number of a stored type, 0 for other types. */
static int type_bytes(uint32_t type)
{
    static const int bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return type < sizeof bytes / sizeof *bytes ? bytes[type] : 0;
}

/* ---- bytes, plain or compressed --------------------------------------------------------------- */

typedef struct mat_walk {
    FILE *stream;
    int is_big;        /* byte order of the file */
    int64_t left;      /* unread bytes of the file; within a compressed element, of that element */
    int is_compressed; /* within a compressed element */
    int has_ended;     /* the compressed data have ended */
    z_stream inflater;
    unsigned char input[4096];
} mat_walk;

static int fill_input(mat_walk *walk)
{
    size_t length = walk->left < (int64_t)sizeof walk->input ? (size_t)walk->left : sizeof walk->input;
    if (length == 0 || fread(walk->input, 1, length, walk->stream) != length)
        return 0;
    walk->left -= (int64_t)length;
    walk->inflater.next_in = walk->input;
    walk->inflater.avail_in = (uInt)length;
    return 1;
}

/* Reads up to `count` bytes; returns how many preceded the end, or -1 when the data are damaged. */
static int64_t inflate_bytes(mat_walk *walk, unsigned char *bytes, size_t count)
{
    walk->inflater.next_out = bytes;
    walk->inflater.avail_out = (uInt)count;
    while (walk->inflater.avail_out > 0 && !walk->has_ended) {
        if (walk->inflater.avail_in == 0 && !fill_input(walk))
            return -1;
        int state = inflate(&walk->inflater, Z_NO_FLUSH);
        if (state != Z_OK && state != Z_STREAM_END)
            return -1;
        walk->has_ended = state == Z_STREAM_END;
    }
    walk->inflater.next_out = NULL;
    return (int64_t)(count - walk->inflater.avail_out);
}

/* Reads the next `count` bytes, at most one buffer. Returns 0 when there are fewer. */
static int take(mat_walk *walk, unsigned char *bytes, size_t count)
{
    if (walk->is_compressed)
        return inflate_bytes(walk, bytes, count) == (int64_t)count;
    if (walk->left < (int64_t)count || fread(bytes, 1, count, walk->stream) != count)
        return 0;
    walk->left -= (int64_t)count;
    return 1;
}

static int skip(mat_walk *walk, int64_t count)
{
    unsigned char bytes[4096];
    if (!walk->is_compressed) {
        assert(walk->left >= count); /* read_tag limits every element to the enclosing one */
        walk->left -= count;
        return fseek(walk->stream, (long)count, SEEK_CUR) == 0;
    }
    for (; count > 0; count -= (int64_t)sizeof bytes)
        if (!take(walk, bytes, count < (int64_t)sizeof bytes ? (size_t)count : sizeof bytes))
            return 0;
    return 1;
}

static uint32_t word(const mat_walk *walk, const unsigned char *bytes)
{
    uint32_t little = (uint32_t)volt_get_little(bytes, 4);
    if (!walk->is_big)
        return little;
    return little >> 24 | (little >> 8 & 0xff00u) | (little << 8 & 0xff0000u) | little << 24;
}

/* ---- elements --------------------------------------------------------------------------------- */

typedef struct mat_element {
    uint32_t type;
    int64_t n_bytes;       /* of the body, without padding */
    int64_t padded;        /* unread bytes of the body */
    unsigned char body[4]; /* of a short element */
} mat_element;

/* The tag of the next element; *left, the bytes left in the enclosing element, is reduced by the whole
 * element. */
static int read_tag(mat_walk *walk, int64_t *left, mat_element *element)
{
    unsigned char tag[TAG_BYTES];
    if (*left < TAG_BYTES || !take(walk, tag, sizeof tag))
        return 0;
    uint32_t first = word(walk, tag);
    int is_short = first >> 16 != 0;
    element->type = first & 0xffff;
    element->n_bytes = is_short ? first >> 16 : word(walk, tag + 4);
    element->padded = is_short ? 0 : (element->n_bytes + 7) / 8 * 8;
    memcpy(element->body, tag + 4, sizeof element->body);
    *left -= TAG_BYTES + element->padded;
    return *left >= 0 && (!is_short || element->n_bytes <= 4);
}

/* Reads an element of at most `most` 4-byte integers; returns their number, or -1. */
static int read_words(mat_walk *walk, int64_t *left, uint32_t type, uint32_t *words, int most)
{
    mat_element element;
    unsigned char bytes[4 * MAX_DIMENSIONS + 8];
    if (!read_tag(walk, left, &element) || element.type != type || element.n_bytes % 4 != 0 ||
        element.n_bytes > 4 * most)
        return -1;
    if (element.padded == 0)
        memcpy(bytes, element.body, sizeof element.body);
    else if (!take(walk, bytes, (size_t)element.padded))
        return -1;
    int count = (int)(element.n_bytes / 4);
    for (int i = 0; i < count; i++)
        words[i] = word(walk, bytes + 4 * i);
    return count;
}

static int skip_element(mat_walk *walk, int64_t *left, mat_element *element)
{
    return read_tag(walk, left, element) && skip(walk, element->padded);
}

/* Product of the dimensions, or -1 when it exceeds any file. */
static int64_t count_items(const uint32_t *dimensions, int rank)
{
    int64_t product = 1;
    for (int i = 0; i < rank; i++) {
        if (dimensions[i] > INT32_MAX || (dimensions[i] > 0 && product > INT64_MAX / 16 / dimensions[i]))
            return -1;
        product *= dimensions[i];
    }
    return product;
}

static int check_matrix(mat_walk *walk, int64_t left, int depth);

/* The matrices within a cell, structure, object or function handle: as many as matio will read. */
static int check_children(mat_walk *walk, int64_t left, uint32_t class, int64_t n_items, int depth)
{
    mat_element element;
    int64_t n_children = n_items;
    if (class == MX_OBJECT && !skip_element(walk, &left, &element))
        return 0;
    if (class == MX_STRUCT || class == MX_OBJECT) {
        uint32_t name_length;
        if (read_words(walk, &left, MI_INT32, &name_length, 1) != 1 || !skip_element(walk, &left, &element))
            return 0;
        if (name_length == 0 || name_length > INT32_MAX || element.n_bytes % name_length != 0)
            return 0;
        int64_t n_fields = element.n_bytes / name_length;
        if (n_fields > 0 && n_items > INT64_MAX / n_fields)
            return 0;
        n_children = n_items * n_fields;
    }
    for (int64_t i = 0; i < n_children; i++)
        if (!read_tag(walk, &left, &element) || element.type != MI_MATRIX ||
            element.padded != element.n_bytes || !check_matrix(walk, element.n_bytes, depth + 1))
            return 0;
    return left == 0;
}

/* The body of a matrix, `left` bytes. */
static int check_matrix(mat_walk *walk, int64_t left, int depth)
{
    if (left == 0)
        return depth > 0; /* an empty cell or field */
    uint32_t flags[2], dimensions[MAX_DIMENSIONS];
    mat_element element;
    if (depth > DEEPEST || read_words(walk, &left, MI_UINT32, flags, 2) != 2)
        return 0;
    uint32_t class = flags[0] & 0xff;
    if (class < MX_CELL || class > MX_OPAQUE) /* unknown: matio may leak memory on one */
        return 0;
    if (class == MX_OPAQUE) /* undocumented objects: matio skips them only when compressed */
        return walk->is_compressed && skip(walk, left);
    int rank = read_words(walk, &left, MI_INT32, dimensions, MAX_DIMENSIONS);
    int64_t n_items = rank >= 2 ? count_items(dimensions, rank) : -1;
    if (n_items < 0 || !skip_element(walk, &left, &element) || element.type != 1)
        return 0;
    if (class == MX_CELL || class == MX_STRUCT || class == MX_OBJECT ||
        (class == MX_FUNCTION && !walk->is_compressed))
        return check_children(walk, left, class, n_items, depth);
    if (class < MX_DOUBLE || class > MX_UINT64)
        return skip(walk, left); /* text, sparse: matio reads no further unless requested */

    for (int part = 0; part < (flags[0] & FLAG_COMPLEX ? 2 : 1); part++) {
        if (!skip_element(walk, &left, &element))
            return 0;
        int item = type_bytes(element.type);
        if (item == 0 || element.n_bytes != n_items * item) /* n_items is at most INT64_MAX / 16 */
            return 0;
    }
    return left == 0;
}

/* A compressed element of n_bytes: one matrix, and then the end of the compressed data. */
static int check_compressed(mat_walk *walk, int64_t n_bytes)
{
    int64_t behind = walk->left - n_bytes, inside = INT64_MAX;
    unsigned char surplus;
    mat_element element;
    memset(&walk->inflater, 0, sizeof walk->inflater);
    if (inflateInit(&walk->inflater) != Z_OK)
        return 0;
    walk->left = n_bytes;
    walk->is_compressed = 1;
    walk->has_ended = 0;
    int is_good = read_tag(walk, &inside, &element) && element.type == MI_MATRIX &&
                  element.padded == element.n_bytes && check_matrix(walk, element.n_bytes, 0);
    /* The checksum is verified at the end of the compressed data: request one more byte. */
    is_good = is_good && inflate_bytes(walk, &surplus, 1) == 0;
    inflateEnd(&walk->inflater);
    is_good = is_good && fseek(walk->stream, (long)walk->left, SEEK_CUR) == 0;
    walk->left = behind;
    walk->is_compressed = 0;
    return is_good;
}

static volt_status check_elements(mat_walk *walk, int64_t size)
{
    while (walk->left > 0) {
        int64_t at = size - walk->left, inside = walk->left;
        mat_element element;
        unsigned char tag[TAG_BYTES];
        VOLT_REQUIRE(take(walk, tag, sizeof tag), VOLT_ERR_FORMAT, "the file is truncated at byte %" PRId64,
                     size);
        element.type = word(walk, tag);
        element.n_bytes = word(walk, tag + 4);
        inside -= TAG_BYTES;
        VOLT_REQUIRE(element.type == MI_MATRIX || element.type == MI_COMPRESSED, VOLT_ERR_FORMAT,
                     "the element at byte %" PRId64 " is of type %" PRIu32 ", expected a matrix", at,
                     element.type);
        VOLT_REQUIRE(element.n_bytes <= inside, VOLT_ERR_FORMAT,
                     "the file is truncated: the element at byte %" PRId64 " has %" PRId64
                     " bytes, found %" PRId64,
                     at, element.n_bytes, inside);
        int is_good = element.type == MI_COMPRESSED ? check_compressed(walk, element.n_bytes)
                                                    : check_matrix(walk, element.n_bytes, 0);
        VOLT_REQUIRE(is_good, VOLT_ERR_FORMAT, "the variable at byte %" PRId64 " is damaged", at);
    }
    return VOLT_OK;
}

/* ---- the file --------------------------------------------------------------------------------- */

static volt_status check_hdf5(FILE *stream)
{
    char found[8];
    VOLT_REQUIRE(fseek(stream, HDF5_AT, SEEK_SET) == 0 &&
                     fread(found, 1, sizeof found, stream) == sizeof found &&
                     memcmp(found, "\x89HDF\r\n\x1a\n", sizeof found) == 0,
                 VOLT_ERR_FORMAT, "the header declares MAT version 7.3, but no HDF5 data follow it");
    return VOLT_OK;
}

static volt_status check_stream(FILE *stream, int64_t *size)
{
    unsigned char header[HEADER_BYTES];
    *size = volt_file_size(stream);
    VOLT_REQUIRE(*size >= 0, VOLT_ERR_IO, "a MAT file must be a regular file");
    VOLT_REQUIRE(fread(header, 1, sizeof header, stream) == sizeof header, VOLT_ERR_FORMAT,
                 "%" PRId64 " bytes are too few for a MAT file", *size);
    int is_little = memcmp(header + VERSION_AT + 2, "IM", 2) == 0;
    int is_big = memcmp(header + VERSION_AT + 2, "MI", 2) == 0;
    int version = is_big ? header[VERSION_AT] << 8 | header[VERSION_AT + 1]
                         : header[VERSION_AT + 1] << 8 | header[VERSION_AT];
    VOLT_REQUIRE(is_little || is_big, VOLT_ERR_FORMAT,
                 "this is not a MAT file of version 5 or 7.3 (version 4 is not supported; save it with -v7)");
    VOLT_REQUIRE(version == 0x0100 || version == 0x0200, VOLT_ERR_FORMAT, "unknown MAT version 0x%04x",
                 (unsigned)version);
    if (version == 0x0200)
        return check_hdf5(stream);
    mat_walk walk = {.stream = stream, .is_big = is_big, .left = *size - HEADER_BYTES};
    return check_elements(&walk, *size);
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
