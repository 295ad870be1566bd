/* src/base/json.h: JSON text to values and back.
 *
 * The values are Jansson's; the parser is not. Jansson's parser ignores failures to grow the buffer of a
 * string or a number (lex_save in its load.c, 2.14): it drops characters, and without the closing quote it
 * writes out of bounds. This parser returns VOLT_ERR_MEMORY instead.
 *
 * Jansson's allocator is global and belongs to the program that uses this library, which neither sets nor
 * relies on it. Jansson releases its own memory (json_decref), and volt_json_text writes into memory of this
 * library. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strings.h"
#include "volterra/base.h"

#include <jansson.h>

/* Parses one value, surrounded only by white space (RFC 8259). Strings must be UTF-8 without \u0000, keys
 * must be unique, integers must fit 64 bits and other numbers a double, and values are nested at most 64
 * deep. VOLT_ERR_FORMAT, with the line and the column, or VOLT_ERR_MEMORY. Release *value with json_decref. */
volt_status volt_json_parse(const char *text, int64_t size, json_t **value);

/* Writes `value` on one line; release the text with volt_free. VOLT_ERR_MEMORY when out of memory, also when
 * `value` is NULL because its construction failed. */
volt_status volt_json_text(const json_t *value, char **text);

/* Appends a quoted ASCII string to `text`, without characters that control a terminal. VOLT_ERR_ARGUMENT
 * when it is not UTF-8, VOLT_ERR_MEMORY. */
volt_status volt_json_quote(volt_text_buffer *text, const char *word);

#endif
