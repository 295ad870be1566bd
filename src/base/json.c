/* src/base/json.c: JSON text to values.
 *
 * A recursive descent parser. Every function leaves `at` after the text it read; the first error ends parsing.
 * Strings and numbers use one buffer as long as the text, allocated at the start: a string is never longer
 * than its source text. */
#include "base/json.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
    const char *begin, *at, *end;
    char *buffer;
    int depth;
} reader;

static volt_status read_value(reader *r, json_t **value);

/* ---- errors ----------------------------------------------------------------------------------- */

static volt_status fault(const reader *r, const char *what)
{
    int64_t line = 1, column = 1;
    for (const char *c = r->begin; c < r->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return volt_fail(VOLT_ERR_FORMAT, "line %" PRId64 ", column %" PRId64 ": %s", line, column, what);
}

static volt_status no_memory(void)
{
    return volt_fail(VOLT_ERR_MEMORY, "not enough memory for a JSON text");
}

static volt_status give(json_t *made, json_t **value)
{
    *value = made;
    return made ? VOLT_OK : no_memory();
}

/* ---- characters ------------------------------------------------------------------------------- */

/* The next character, or 0 at the end. */
static char peek(const reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool skip(reader *r, char expected)
{
    skip_space(r);
    if (r->at == r->end || *r->at != expected)
        return false;
    r->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- strings ---------------------------------------------------------------------------------- */

static volt_status read_hex(reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = peek(r);
        int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return fault(r, "\\u requires four hexadecimal digits");
        *code = *code << 4 | (uint32_t)digit;
    }
    return VOLT_OK;
}

/* The UTF-8 of a code point; returns its length. */
static size_t put_utf8(uint32_t code, char *to)
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(leads[length] | code);
    return length;
}

/* After "\u": one code point, which may take two escapes. */
static volt_status read_code_point(reader *r, char **to)
{
    uint32_t code = 0, low = 0;
    VOLT_TRY(read_hex(r, &code));
    if (code >= 0xd800 && code <= 0xdbff && r->end - r->at >= 2 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        VOLT_TRY(read_hex(r, &low));
        if (low < 0xdc00 || low > 0xdfff)
            return fault(r, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code <= 0xdfff)
        return fault(r, "half of a surrogate pair");
    if (code == 0)
        return fault(r, "\\u0000 is not allowed in a string");
    *to += put_utf8(code, *to);
    return VOLT_OK;
}

static volt_status read_escape(reader *r, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = peek(r);
    const char *found = c ? strchr(letters, c) : NULL;
    if (c != 'u' && !found)
        return fault(r, "invalid escape in a string");
    r->at++;
    if (c == 'u')
        return read_code_point(r, to);
    *(*to)++ = meanings[found - letters];
    return VOLT_OK;
}

/* Reads a string into the buffer and adds a terminating zero. */
static volt_status read_text(reader *r, size_t *length)
{
    char *to = r->buffer;
    r->at++; /* the quote */
    while (peek(r) != '"') {
        size_t step = volt_utf8_length(r->at, (size_t)(r->end - r->at));
        if (r->at == r->end)
            return fault(r, "a string is not closed");
        if (step == 0)
            return fault(r, "a string is not UTF-8");
        if ((unsigned char)*r->at < 0x20)
            return fault(r, "a control character in a string");
        if (*r->at == '\\') {
            r->at++;
            VOLT_TRY(read_escape(r, &to));
            continue;
        }
        memcpy(to, r->at, step);
        to += step;
        r->at += step;
    }
    r->at++;
    *to = '\0';
    *length = (size_t)(to - r->buffer);
    return VOLT_OK;
}

static volt_status read_string(reader *r, json_t **value)
{
    size_t length = 0;
    VOLT_TRY(read_text(r, &length));
    return give(json_stringn_nocheck(r->buffer, length), value);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Digits, at least one. */
static volt_status skip_digits(reader *r)
{
    if (!is_digit(peek(r)))
        return fault(r, "a digit is missing");
    while (is_digit(peek(r)))
        r->at++;
    return VOLT_OK;
}

static volt_status read_number(reader *r, json_t **value)
{
    const char *from = r->at;
    bool is_integer = true;
    r->at += peek(r) == '-';
    if (peek(r) == '0')
        r->at++; /* only a point or an exponent may follow */
    else
        VOLT_TRY(skip_digits(r));
    if (peek(r) == '.') {
        is_integer = false;
        r->at++;
        VOLT_TRY(skip_digits(r));
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        is_integer = false;
        r->at++;
        r->at += peek(r) == '-' || peek(r) == '+';
        VOLT_TRY(skip_digits(r));
    }
    size_t length = (size_t)(r->at - from);
    memcpy(r->buffer, from, length);
    r->buffer[length] = '\0';
    if (is_integer) {
        errno = 0;
        long long whole = strtoll(r->buffer, NULL, 10);
        return errno == ERANGE ? fault(r, "an integer too large for 64 bits")
                               : give(json_integer(whole), value);
    }
    double number = NAN;
    if (!volt_parse_number(r->buffer, &number) || !isfinite(number))
        return fault(r, "a number too large for a double");
    return give(json_real(number), value);
}

/* ---- arrays and objects ----------------------------------------------------------------------- */

static volt_status read_items(reader *r, json_t *array)
{
    r->at++; /* the bracket */
    if (skip(r, ']'))
        return VOLT_OK;
    do {
        json_t *item = NULL;
        VOLT_TRY(read_value(r, &item));
        if (json_array_append_new(array, item) != 0)
            return no_memory();
    } while (skip(r, ','));
    return skip(r, ']') ? VOLT_OK : fault(r, "',' or ']' is missing");
}

static volt_status read_member(reader *r, json_t *object)
{
    size_t length = 0;
    skip_space(r);
    if (peek(r) != '"')
        return fault(r, "a name in quotes is missing");
    VOLT_TRY(read_text(r, &length));
    if (json_object_get(object, r->buffer))
        return fault(r, "a duplicate name");
    char *key = volt_strdup(r->buffer); /* the buffer is reused for the value */
    if (!key)
        return VOLT_ERR_MEMORY;
    json_t *value = NULL;
    volt_status status = skip(r, ':') ? read_value(r, &value) : fault(r, "':' is missing");
    if (status == VOLT_OK && json_object_set_new_nocheck(object, key, value) != 0)
        status = no_memory();
    volt_free(key);
    return status;
}

static volt_status read_members(reader *r, json_t *object)
{
    r->at++; /* the brace */
    if (skip(r, '}'))
        return VOLT_OK;
    do
        VOLT_TRY(read_member(r, object));
    while (skip(r, ','));
    return skip(r, '}') ? VOLT_OK : fault(r, "',' or '}' is missing");
}

/* ---- values ----------------------------------------------------------------------------------- */

static volt_status read_nest(reader *r, json_t **value)
{
    bool is_object = *r->at == '{';
    if (r->depth == DEEPEST)
        return fault(r, "values are nested too deeply");
    json_t *fresh = is_object ? json_object() : json_array();
    if (!fresh)
        return no_memory();
    r->depth++;
    volt_status status = is_object ? read_members(r, fresh) : read_items(r, fresh);
    r->depth--;
    if (status == VOLT_OK)
        *value = fresh;
    else
        json_decref(fresh);
    return status;
}

static bool skip_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static volt_status read_value(reader *r, json_t **value)
{
    skip_space(r);
    char c = peek(r);
    if (c == '{' || c == '[')
        return read_nest(r, value);
    if (c == '"')
        return read_string(r, value);
    if (c == '-' || is_digit(c))
        return read_number(r, value);
    if (skip_word(r, "true"))
        return give(json_true(), value);
    if (skip_word(r, "false"))
        return give(json_false(), value);
    if (skip_word(r, "null"))
        return give(json_null(), value);
    return fault(r, r->at == r->end ? "the text ends too early" : "a value is missing");
}

volt_status volt_json_parse(const char *text, int64_t size, json_t **value)
{
    reader r = {.begin = text, .at = text, .end = text + size};
    r.buffer = volt_alloc(size + 1, 1);
    if (!r.buffer)
        return VOLT_ERR_MEMORY;
    json_t *fresh = NULL;
    volt_status status = read_value(&r, &fresh);
    skip_space(&r);
    if (status == VOLT_OK && r.at < r.end)
        status = fault(&r, "text after the value");
    volt_free(r.buffer);
    if (status == VOLT_OK)
        *value = fresh;
    else
        json_decref(fresh);
    return status;
}

/* ---- JSON values to text ----------------------------------------------------------------------- */

static int collect(const char *piece, size_t length, void *context)
{
    volt_text_buffer *text = context;
    volt_text_put_bytes(text, piece, length);
    return text->failed ? -1 : 0;
}

/* Appends the text of `value` to `text`. */
static volt_status put(volt_text_buffer *text, const json_t *value, size_t flags)
{
    /* Jansson (2.14) does not check whether an object key was written: `failed` records it. */
    if (!value || json_dump_callback(value, collect, text, flags | JSON_COMPACT | JSON_ENCODE_ANY) != 0 ||
        text->failed)
        return volt_fail(VOLT_ERR_MEMORY, "not enough memory for a JSON text");
    return VOLT_OK;
}

volt_status volt_json_text(const json_t *value, char **text)
{
    volt_text_buffer made = {0};
    volt_status status = put(&made, value, 0);
    if (status == VOLT_OK)
        *text = made.bytes;
    else
        volt_free(made.bytes);
    return status;
}

volt_status volt_json_quote(volt_text_buffer *text, const char *word)
{
    VOLT_REQUIRE(volt_is_utf8(word, strlen(word)), VOLT_ERR_ARGUMENT, "a string is not UTF-8");
    json_t *string = json_string_nocheck(word);
    volt_status status = put(text, string, JSON_ENSURE_ASCII);
    json_decref(string);
    return status;
}
