/* src/io/npy/npy_header.c: parses the header of an NPY file strictly, without evaluating it. */
#include "io/npy/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/file_bytes.h"
#include "io/file/text_lines.h"

#include <inttypes.h>
#include <string.h>

enum { PREAMBLE = 8, LONGEST_HEADER = 1 << 20, LONGEST_WORD = 32, MAX_DIMENSIONS = 32, KEPT_DIMENSIONS = 3 };

/* The three entries of the dictionary. */
typedef struct npy_entries {
    char descr[LONGEST_WORD];
    int is_fortran;
    int n_dimensions;
    int64_t shape[KEPT_DIMENSIONS]; /* the first three */
} npy_entries;

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\n");
}

/* Advances over `word` if it comes next. */
static int accept(const char **at, const char *word)
{
    skip_space(at);
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return 0;
    *at += length;
    return 1;
}

/* A string in single or double quotes, without escapes. */
static int accept_string(const char **at, char text[LONGEST_WORD])
{
    skip_space(at);
    char quote = **at;
    if (quote != '\'' && quote != '"')
        return 0;
    const char *end = strchr(*at + 1, quote);
    if (!end || end - *at > LONGEST_WORD - 1)
        return 0;
    size_t length = (size_t)(end - *at - 1);
    memcpy(text, *at + 1, length);
    text[length] = '\0';
    *at = end + 1;
    return 1;
}

static int accept_integer(const char **at, int64_t *value)
{
    skip_space(at);
    int64_t number = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        if (number > (INT64_MAX - 9) / 10)
            return 0;
        number = number * 10 + (*digit - '0');
    }
    if (digit == *at)
        return 0;
    *at = digit;
    (void)accept(at, "L"); /* written by Python 2 */
    *value = number;
    return 1;
}

/* (), (3,), (3, 4), (3, 4, 5, ...): keeps the first three lengths and counts all. */
static int accept_shape(const char **at, npy_entries *entries)
{
    int64_t length;
    entries->n_dimensions = 0;
    if (!accept(at, "("))
        return 0;
    while (!accept(at, ")")) {
        if (entries->n_dimensions == MAX_DIMENSIONS || !accept_integer(at, &length))
            return 0;
        if (entries->n_dimensions < KEPT_DIMENSIONS)
            entries->shape[entries->n_dimensions] = length;
        entries->n_dimensions++;
        if (!accept(at, ",")) {
            if (entries->n_dimensions == 1)
                return 0; /* (3) is not a tuple */
            return accept(at, ")");
        }
    }
    return 1;
}

static volt_status parse_entries(const char *text, npy_entries *entries)
{
    char shown[VOLT_EXCERPT_LENGTH], key[LONGEST_WORD];
    int seen[3] = {0, 0, 0};
    const char *at = text;
    int is_good = accept(&at, "{");
    while (is_good && !accept(&at, "}")) {
        is_good = accept_string(&at, key) && accept(&at, ":");
        if (is_good && strcmp(key, "descr") == 0) {
            if (accept(&at, "["))
                return volt_fail(VOLT_ERR_FORMAT,
                                 "the array has fields (a structured dtype); only plain numbers are supported");
            is_good = seen[0]++ == 0 && accept_string(&at, entries->descr);
        } else if (is_good && strcmp(key, "fortran_order") == 0) {
            entries->is_fortran = accept(&at, "True");
            is_good = seen[1]++ == 0 && (entries->is_fortran || accept(&at, "False"));
        } else if (is_good && strcmp(key, "shape") == 0) {
            is_good = seen[2]++ == 0 && accept_shape(&at, entries);
        } else {
            is_good = 0;
        }
        if (is_good && !accept(&at, ",")) {
            is_good = accept(&at, "}");
            break;
        }
    }
    skip_space(&at);
    VOLT_REQUIRE(is_good && !*at && seen[0] && seen[1] && seen[2], VOLT_ERR_FORMAT, "invalid NPY header: %s",
                 volt_excerpt(text, strlen(text), shown));
    return VOLT_OK;
}

/* Types such as "<f8". */
static volt_status parse_type(const char *descr, volt_npy_header *header)
{
    static const struct {
        const char *type;
        int item_size;
    } known[] = {{"f8", 8}, {"f4", 4}, {"i1", 1}, {"i2", 2}, {"i4", 4}, {"i8", 8},
                 {"u1", 1}, {"u2", 2}, {"u4", 4}, {"u8", 8}, {"b1", 1}};
    int host_is_little_endian = volt_host_is_little();
    char order = descr[0], shown[VOLT_EXCERPT_LENGTH];
    for (size_t i = 0; order && strchr("<>|=", order) && i < sizeof known / sizeof *known; i++)
        if (strcmp(descr + 1, known[i].type) == 0) {
            header->type = known[i].type[0];
            header->item_size = known[i].item_size;
            header->is_swapped =
                (order == '<' && !host_is_little_endian) || (order == '>' && host_is_little_endian);
            return VOLT_OK;
        }
    return volt_fail(VOLT_ERR_FORMAT, "the dtype '%s' is not supported; save the array as float64 ('<f8')",
                     volt_excerpt(descr, strlen(descr), shown));
}

/* Reads the header, except the shape, into `header`, and the dictionary into `entries`. */
static volt_status read_entries(FILE *stream, volt_npy_header *header, npy_entries *entries)
{
    unsigned char start[PREAMBLE + 4];
    VOLT_REQUIRE(fread(start, 1, PREAMBLE + 2, stream) == PREAMBLE + 2 && memcmp(start, "\x93NUMPY", 6) == 0,
                 VOLT_ERR_FORMAT, "this is not an NPY file: it does not begin with \\x93NUMPY");
    int major = start[6], minor = start[7];
    VOLT_REQUIRE(major >= 1 && major <= 3 && minor == 0, VOLT_ERR_FORMAT,
                 "NPY version %d.%d is not supported; 1.0, 2.0 and 3.0 are", major, minor);
    int64_t length = start[8] | (int64_t)start[9] << 8;
    header->data_offset = PREAMBLE + 2;
    if (major > 1) {
        VOLT_REQUIRE(fread(start + 10, 1, 2, stream) == 2, VOLT_ERR_FORMAT,
                     "the file ends within the NPY header");
        length |= (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
        header->data_offset += 2;
    }
    header->data_offset += length;
    VOLT_REQUIRE(length <= LONGEST_HEADER, VOLT_ERR_FORMAT,
                 "the NPY header is %" PRId64 " bytes long; at most %d are supported", length, LONGEST_HEADER);

    char *text = volt_alloc(length + 1, 1);
    if (!text)
        return VOLT_ERR_MEMORY;
    volt_status status = VOLT_OK;
    if (fread(text, 1, (size_t)length, stream) != (size_t)length)
        status = volt_fail(VOLT_ERR_FORMAT, "the file ends within the NPY header");
    text[length] = '\0';
    if (!status && strlen(text) != (size_t)length)
        status = volt_fail(VOLT_ERR_FORMAT, "the NPY header contains a zero byte");
    if (!status)
        status = parse_entries(text, entries);
    if (!status)
        status = parse_type(entries->descr, header);
    volt_free(text);
    header->is_fortran = entries->is_fortran;
    return status;
}

volt_status volt_npy_header_read(FILE *stream, volt_npy_header *header)
{
    npy_entries entries = {.n_dimensions = 0};
    VOLT_TRY(read_entries(stream, header, &entries));
    VOLT_REQUIRE(entries.n_dimensions == 1 || entries.n_dimensions == 2, VOLT_ERR_FORMAT,
                 "the array has %d dimensions; a matrix has 2, a single series 1", entries.n_dimensions);
    header->rows = entries.shape[0];
    header->cols = entries.n_dimensions == 2 ? entries.shape[1] : 1;
    VOLT_REQUIRE(header->rows > 0 && header->cols > 0, VOLT_ERR_FORMAT,
                 "the array is empty: %" PRId64 " x %" PRId64, header->rows, header->cols);
    return VOLT_OK;
}

volt_status volt_npy_header_read_series(FILE *stream, volt_npy_header *header, int64_t *count)
{
    npy_entries entries = {.n_dimensions = 0};
    VOLT_TRY(read_entries(stream, header, &entries));
    VOLT_REQUIRE(entries.n_dimensions == 2 || entries.n_dimensions == 3, VOLT_ERR_FORMAT,
                 "the array has %d dimension%s; a collection has 3 (series x time x channels), or 2 with one "
                 "channel",
                 entries.n_dimensions, entries.n_dimensions == 1 ? "" : "s");
    *count = entries.shape[0];
    header->rows = entries.shape[1];
    header->cols = entries.n_dimensions == 3 ? entries.shape[2] : 1;
    VOLT_REQUIRE(*count > 0 && header->rows > 0 && header->cols > 0, VOLT_ERR_FORMAT,
                 "the array is empty: %" PRId64 " x %" PRId64 " x %" PRId64, *count, header->rows,
                 header->cols);
    return VOLT_OK;
}
