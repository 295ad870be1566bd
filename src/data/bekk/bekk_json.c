/* src/data/bekk/bekk_json.c: parameters of the BEKK model as JSON, and back.
 *
 *     {"C": [[c11, c12], [0, c22]], "a": [a1, a2], "b": [b1, b2], "tickers": [...], "dates": [first, last],
 *      "loglik": ..., "observations": ..., "converged": true, "C_error": ..., "a_error": ..., "b_error": ...,
 *      "command": ...}
 *
 * C, a and b are required, the rest is optional. Unknown keys are ignored. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/bekk/bekk.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- write ------------------------------------------------------------------------------------ */

/* Numbers as the shortest text that parses to the same value; standard errors with four digits. */
static void write_list(volt_text_buffer *out, const double *values, int64_t count, int digits)
{
    char text[VOLT_NUMBER_LENGTH];
    volt_text_put(out, "[");
    for (int64_t i = 0; i < count; i++) {
        double value = values[i];
        if (digits) { /* round through text, which then prints short */
            snprintf(text, sizeof text, "%.*g", digits, value);
            for (char *c = text; *c; c++)
                *c = *c == ',' ? '.' : *c; /* independent of the locale */
            volt_parse_number(text, &value);
        }
        volt_text_put(out, i ? ", " : "");
        volt_text_put(out, volt_format_number(value, text));
    }
    volt_text_put(out, "]");
}

static void write_matrix(volt_text_buffer *out, const double *values, int64_t d, int digits)
{
    volt_text_put(out, "[\n");
    for (int64_t i = 0; i < d; i++) {
        volt_text_put(out, "    ");
        write_list(out, values + i * d, d, digits);
        volt_text_put(out, i + 1 < d ? ",\n" : "\n");
    }
    volt_text_put(out, "  ]");
}

static volt_status write_origin(volt_text_buffer *out, const volt_bekk *bekk)
{
    if (bekk->tickers) {
        volt_text_put(out, ",\n  \"tickers\": [");
        for (int64_t i = 0; i < bekk->d; i++) {
            volt_text_put(out, i ? ", " : "");
            VOLT_TRY(volt_json_quote(out, bekk->tickers[i]));
        }
        volt_text_put(out, "]");
    }
    if (bekk->first_date && bekk->last_date) {
        volt_text_put(out, ",\n  \"dates\": [");
        VOLT_TRY(volt_json_quote(out, bekk->first_date));
        volt_text_put(out, ", ");
        VOLT_TRY(volt_json_quote(out, bekk->last_date));
        volt_text_put(out, "]");
    }
    if (bekk->command) {
        volt_text_put(out, ",\n  \"command\": ");
        VOLT_TRY(volt_json_quote(out, bekk->command));
    }
    return VOLT_OK;
}

static volt_status write_object(volt_text_buffer *out, const volt_bekk *bekk)
{
    char number[VOLT_NUMBER_LENGTH];
    int64_t d = bekk->d;
    volt_text_put(out, "{\n  \"C\": ");
    write_matrix(out, bekk->C, d, 0);
    volt_text_put(out, ",\n  \"a\": ");
    write_list(out, bekk->a, d, 0);
    volt_text_put(out, ",\n  \"b\": ");
    write_list(out, bekk->b, d, 0);
    if (bekk->C_error) {
        volt_text_put(out, ",\n  \"C_error\": ");
        write_matrix(out, bekk->C_error, d, 4);
        volt_text_put(out, ",\n  \"a_error\": ");
        write_list(out, bekk->a_error, d, 4);
        volt_text_put(out, ",\n  \"b_error\": ");
        write_list(out, bekk->b_error, d, 4);
    }
    if (isfinite(bekk->loglik)) {
        volt_text_put(out, ",\n  \"loglik\": ");
        volt_text_put(out, volt_format_number(bekk->loglik, number));
    }
    if (bekk->observations > 0) {
        snprintf(number, sizeof number, "%" PRId64, bekk->observations);
        volt_text_put(out, ",\n  \"observations\": ");
        volt_text_put(out, number);
    }
    if (bekk->converged >= 0)
        volt_text_put(out, bekk->converged ? ",\n  \"converged\": true" : ",\n  \"converged\": false");
    VOLT_TRY(write_origin(out, bekk));
    volt_text_put(out, "\n}\n");
    return out->failed ? VOLT_ERR_MEMORY : VOLT_OK;
}

volt_status volt_bekk_to_json(const volt_bekk *bekk, char **text)
{
    VOLT_REQUIRE(text, VOLT_ERR_ARGUMENT, "the output for the text is NULL");
    VOLT_TRY(volt_bekk_check(bekk));
    volt_text_buffer written = {0};
    volt_status status = write_object(&written, bekk);
    if (status == VOLT_OK)
        *text = written.bytes;
    else
        volt_free(written.bytes);
    return status == VOLT_ERR_ARGUMENT
               ? volt_fail(status, "a ticker, date or command is not UTF-8, and cannot be written as JSON")
               : status;
}

/* ---- read ------------------------------------------------------------------------------------- */

/* Reads `count` finite numbers; `where` names the list in a message. */
static volt_status read_list(const json_t *list, int64_t count, const char *where, double *values)
{
    VOLT_REQUIRE(json_is_array(list) && (int64_t)json_array_size(list) == count, VOLT_ERR_FORMAT,
                 "%s must be a list of %" PRId64 " numbers", where, count);
    for (int64_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, (size_t)i);
        VOLT_REQUIRE(json_is_number(item), VOLT_ERR_FORMAT, "number %" PRId64 " of %s is not a number", i + 1,
                     where);
        values[i] = json_number_value(item) + 0.0; /* -0.0 becomes 0: '-0' would be an integer */
        VOLT_REQUIRE(isfinite(values[i]), VOLT_ERR_NOT_FINITE, "number %" PRId64 " of %s is not finite", i + 1,
                     where);
    }
    return VOLT_OK;
}

/* Reads the rows of a d x d upper triangular matrix. */
static volt_status read_matrix(const json_t *rows, int64_t d, const char *name, double *values)
{
    char where[64];
    VOLT_REQUIRE(json_is_array(rows) && (int64_t)json_array_size(rows) == d, VOLT_ERR_FORMAT,
                 "\"%s\" must be a list of %" PRId64 " rows (the length of \"a\")", name, d);
    for (int64_t i = 0; i < d; i++) {
        snprintf(where, sizeof where, "row %" PRId64 " of \"%s\"", i + 1, name);
        VOLT_TRY(read_list(json_array_get(rows, (size_t)i), d, where, values + i * d));
        for (int64_t j = 0; j < i; j++)
            VOLT_REQUIRE(values[i * d + j] == 0, VOLT_ERR_FORMAT,
                         "\"%s\" must be upper triangular, but its entry (%" PRId64 ", %" PRId64 ") is %g",
                         name, i + 1, j + 1, values[i * d + j]);
    }
    return VOLT_OK;
}

static volt_status read_errors(const json_t *object, volt_bekk *bekk)
{
    const json_t *C = json_object_get(object, "C_error");
    const json_t *a = json_object_get(object, "a_error"), *b = json_object_get(object, "b_error");
    if (!C && !a && !b)
        return VOLT_OK;
    VOLT_TRY(volt_bekk_allocate_errors(bekk));
    VOLT_TRY(read_matrix(C, bekk->d, "C_error", bekk->C_error));
    VOLT_TRY(read_list(a, bekk->d, "\"a_error\"", bekk->a_error));
    return read_list(b, bekk->d, "\"b_error\"", bekk->b_error);
}

/* Reads a list of `count` texts; a missing list is allowed. */
static volt_status read_texts(const json_t *object, const char *key, int64_t count, const char **texts,
                              int *found)
{
    const json_t *list = json_object_get(object, key);
    *found = list && !json_is_null(list);
    if (!*found)
        return VOLT_OK;
    VOLT_REQUIRE(json_is_array(list) && (int64_t)json_array_size(list) == count, VOLT_ERR_FORMAT,
                 "\"%s\" must be a list of %" PRId64 " texts", key, count);
    for (int64_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(list, (size_t)i));
        VOLT_REQUIRE(texts[i], VOLT_ERR_FORMAT, "entry %" PRId64 " of \"%s\" is not a text", i + 1, key);
    }
    return VOLT_OK;
}

static volt_status read_origin(const json_t *object, volt_bekk *bekk)
{
    const char *tickers[VOLT_BEKK_MAX_ASSETS], *dates[2] = {NULL, NULL};
    int has_tickers = 0, has_dates = 0;
    VOLT_TRY(read_texts(object, "tickers", bekk->d, tickers, &has_tickers));
    VOLT_TRY(read_texts(object, "dates", 2, dates, &has_dates));
    const json_t *loglik = json_object_get(object, "loglik"), *converged = json_object_get(object, "converged");
    const json_t *observations = json_object_get(object, "observations");
    VOLT_REQUIRE(!loglik || json_is_number(loglik) || json_is_null(loglik), VOLT_ERR_FORMAT,
                 "\"loglik\" must be a number");
    VOLT_REQUIRE(!observations || (json_is_integer(observations) && json_integer_value(observations) >= 0),
                 VOLT_ERR_FORMAT, "\"observations\" must be a whole number of at least 0");
    VOLT_REQUIRE(!converged || json_is_boolean(converged), VOLT_ERR_FORMAT,
                 "\"converged\" must be true or false");
    if (json_is_number(loglik))
        bekk->loglik = json_number_value(loglik) + 0.0; /* -0.0 becomes 0, as in read_list */
    if (observations)
        bekk->observations = (int64_t)json_integer_value(observations);
    if (converged)
        bekk->converged = json_is_true(converged);
    return volt_bekk_set_source(bekk, has_tickers ? tickers : NULL, dates[0], dates[1],
                                json_string_value(json_object_get(object, "command")));
}

static volt_status read_object(const json_t *object, volt_bekk **bekk)
{
    VOLT_REQUIRE(json_typeof(object) == JSON_OBJECT, VOLT_ERR_FORMAT,
                 "the BEKK parameters must be a JSON object");
    static const char *const keys[] = {"C", "a", "b"};
    for (int k = 0; k < 3; k++)
        VOLT_REQUIRE(json_is_array(json_object_get(object, keys[k])), VOLT_ERR_FORMAT,
                     "the BEKK parameters have no list \"%s\" (required: \"C\", \"a\" and \"b\")", keys[k]);
    const json_t *a = json_object_get(object, "a");
    int64_t d = (int64_t)json_array_size(a);
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MAX_ASSETS, VOLT_ERR_FORMAT,
                 "\"a\" must have 1 to %d numbers (got %" PRId64 ")", VOLT_BEKK_MAX_ASSETS, d);
    VOLT_TRY(volt_bekk_create(d, bekk));
    VOLT_TRY(read_list(a, d, "\"a\"", (*bekk)->a));
    VOLT_TRY(read_list(json_object_get(object, "b"), d, "\"b\"", (*bekk)->b));
    VOLT_TRY(read_matrix(json_object_get(object, "C"), d, "C", (*bekk)->C));
    VOLT_TRY(read_errors(object, *bekk));
    return read_origin(object, *bekk);
}

volt_status volt_bekk_from_json(const char *text, volt_bekk **bekk)
{
    VOLT_REQUIRE(text && bekk, VOLT_ERR_ARGUMENT, "the text or the output for the BEKK parameters is NULL");
    json_t *object = NULL;
    volt_status status = volt_json_parse(text, (int64_t)strlen(text), &object);
    if (status == VOLT_ERR_FORMAT)
        return volt_fail_prefix(status, "the BEKK parameters are not JSON");
    VOLT_TRY(status);
    volt_bekk *fresh = NULL;
    status = read_object(object, &fresh);
    json_decref(object);
    if (status == VOLT_OK)
        *bekk = fresh;
    else
        volt_bekk_free(fresh);
    return status;
}
