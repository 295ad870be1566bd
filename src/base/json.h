/* src/base/json.h: JSON text to values and back.
 *
 * The values are Jansson's, the reader is our own. Jansson's ignores that the buffer of a string or a number could
 * not grow (lex_save in its load.c, 2.14): characters get lost, and where the closing quote is among them it writes
 * past the end of its memory. Here a lack of memory is VOLT_ERR_MEMORY and nothing else happens.
 *
 * Jansson's allocator is one for the whole process and belongs to the program that uses this library: it is neither
 * set nor relied upon. What Jansson allocated is released by Jansson (json_decref), and no text of its making is
 * taken: volt_json_text writes into memory of the library. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strings.h"
#include "volterra/base.h"

#include <jansson.h>

/* Read one value, with nothing but white space around it, as RFC 8259 has it. Texts must be UTF-8 without \u0000,
 * keys must differ, numbers must fit (an integer 64 bits, any other a double), and values lie at most 64 deep.
 * VOLT_ERR_FORMAT with a sentence that gives the line and the column, or VOLT_ERR_MEMORY. Release *value with
 * json_decref. */
volt_status volt_json_parse(const char *text, int64_t size, json_t **value);

/* The text of `value`, on one line, into memory of the library: release it with volt_free. VOLT_ERR_MEMORY when
 * memory is out, or was when `value`, then NULL, was made. */
volt_status volt_json_text(const json_t *value, char **text);

/* A word in quotes behind `text`, all of it ASCII: a terminal that shows it obeys nothing of it. VOLT_ERR_ARGUMENT when it is not UTF-8, VOLT_ERR_MEMORY. */
volt_status volt_json_quote(volt_text_buffer *text, const char *word);

#endif
