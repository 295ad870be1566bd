/* src/data/bekk_json.c: parameters of the BEKK model as JSON, and back.
 *
 *     {"C": [[c11, c12], [0, c22]], "a": [a1, a2], "b": [b1, b2], "tickers": [...], "dates": [first, last],
 *      "loglik": ..., "observations": ..., "converged": true, "C_error": ..., "a_error": ..., "b_error": ...,
 *      "command": ...}
 *
 * C, a and b must be there, the rest may be. Keys that are not known are passed over. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "base/error.h"
#include "base/memory.h"
#include "data/bekk.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- write ------------------------------------------------------------------------------------ */

/* Numbers as the shortest text that reads back; errors of estimates with four digits. */
static void write_list(FILE *out, const double *values, int64_t count, int digits)
{
    char text[VOLT_NUMBER_LENGTH];
    fputc('[', out);
    for (int64_t i = 0; i < count; i++) {
        double value = values[i];
        if (digits) { /* round through text, which then prints short */
            snprintf(text, sizeof text, "%.*g", digits, value);
            for (char *c = text; *c; c++)
                *c = *c == ',' ? '.' : *c; /* whatever the locale */
            volt_parse_number(text, &value);
        }
        fprintf(out, "%s%s", i ? ", " : "", volt_format_number(value, text));
    }
    fputc(']', out);
}

static void write_matrix(FILE *out, const double *values, int64_t d, int digits)
{
    fputs("[\n", out);
    for (int64_t i = 0; i < d; i++) {
        fputs("    ", out);
        write_list(out, values + i * d, d, digits);
        fputs(i + 1 < d ? ",\n" : "\n", out);
    }
    fputs("  ]", out);
}

/* A quoted text; returns 0 when it is not UTF-8. */
static int write_text(FILE *out, const char *text)
{
    json_t *string = json_string(text);
    int failed = !string || json_dumpf(string, out, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(string);
    return !failed;
}

static int write_origin(FILE *out, const volt_bekk *bekk)
{
    int fine = 1;
    if (bekk->tickers) {
        fputs(",\n  \"tickers\": [", out);
        for (int64_t i = 0; i < bekk->d; i++) {
            fputs(i ? ", " : "", out);
            fine = write_text(out, bekk->tickers[i]) && fine;
        }
        fputc(']', out);
    }
    if (bekk->first_date && bekk->last_date) {
        fputs(",\n  \"dates\": [", out);
        fine = write_text(out, bekk->first_date) && fine;
        fputs(", ", out);
        fine = write_text(out, bekk->last_date) && fine;
        fputc(']', out);
    }
    if (bekk->command) {
        fputs(",\n  \"command\": ", out);
        fine = write_text(out, bekk->command) && fine;
    }
    return fine;
}

static int write_object(FILE *out, const volt_bekk *bekk)
{
    char number[VOLT_NUMBER_LENGTH];
    int64_t d = bekk->d;
    fputs("{\n  \"C\": ", out);
    write_matrix(out, bekk->C, d, 0);
    fputs(",\n  \"a\": ", out);
    write_list(out, bekk->a, d, 0);
    fputs(",\n  \"b\": ", out);
    write_list(out, bekk->b, d, 0);
    if (bekk->C_error) {
        fputs(",\n  \"C_error\": ", out);
        write_matrix(out, bekk->C_error, d, 4);
        fputs(",\n  \"a_error\": ", out);
        write_list(out, bekk->a_error, d, 4);
        fputs(",\n  \"b_error\": ", out);
        write_list(out, bekk->b_error, d, 4);
    }
    if (isfinite(bekk->loglik))
        fprintf(out, ",\n  \"loglik\": %s", volt_format_number(bekk->loglik, number));
    if (bekk->observations > 0)
        fprintf(out, ",\n  \"observations\": %" PRId64, bekk->observations);
    if (bekk->converged >= 0)
        fprintf(out, ",\n  \"converged\": %s", bekk->converged ? "true" : "false");
    int fine = write_origin(out, bekk);
    fputs("\n}\n", out);
    return fine;
}

volt_status volt_bekk_to_json(const volt_bekk *bekk, char **text)
{
    VOLT_REQUIRE(text, VOLT_ERR_ARGUMENT, "the place for the text is NULL");
    VOLT_TRY(volt_bekk_check(bekk));
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    VOLT_REQUIRE(out, VOLT_ERR_MEMORY, "could not allocate the text of the BEKK parameters");
    int fine = write_object(out, bekk);
    int failed = ferror(out);
    failed = fclose(out) || failed;
    char *copy = fine && !failed ? volt_strdup(written) : NULL;
    free(written);
    VOLT_REQUIRE(fine, VOLT_ERR_ARGUMENT,
                 "a ticker, date or command is not UTF-8, and cannot be written as JSON");
    VOLT_REQUIRE(!failed, VOLT_ERR_MEMORY, "could not allocate the text of the BEKK parameters");
    if (!copy)
        return VOLT_ERR_MEMORY;
    *text = copy;
    return VOLT_OK;
}

/* ---- read ------------------------------------------------------------------------------------- */

/* `count` finite numbers; `where` names the list in a sentence. */
static volt_status read_list(const json_t *list, int64_t count, const char *where, double *values)
{
    VOLT_REQUIRE(json_is_array(list) && (int64_t)json_array_size(list) == count, VOLT_ERR_FORMAT,
                 "%s must be a list of %" PRId64 " numbers", where, count);
    for (int64_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, (size_t)i);
        VOLT_REQUIRE(json_is_number(item), VOLT_ERR_FORMAT, "number %" PRId64 " of %s is not a number", i + 1,
                     where);
        values[i] =
            json_number_value(item) + 0.0; /* -0.0 becomes 0: written it would be -0, a whole number, 0 */
        VOLT_REQUIRE(isfinite(values[i]), VOLT_ERR_NOT_FINITE, "number %" PRId64 " of %s is not finite", i + 1,
                     where);
    }
    return VOLT_OK;
}

/* Rows of a d x d upper triangular matrix. */
static volt_status read_matrix(const json_t *rows, int64_t d, const char *name, double *values)
{
    char where[64];
    VOLT_REQUIRE(json_is_array(rows) && (int64_t)json_array_size(rows) == d, VOLT_ERR_FORMAT,
                 "\"%s\" must be a list of %" PRId64 " rows, as many as there are numbers in \"a\"", name, d);
    for (int64_t i = 0; i < d; i++) {
        snprintf(where, sizeof where, "row %" PRId64 " of \"%s\"", i + 1, name);
        VOLT_TRY(read_list(json_array_get(rows, (size_t)i), d, where, values + i * d));
        for (int64_t j = 0; j < i; j++)
            VOLT_REQUIRE(values[i * d + j] == 0, VOLT_ERR_FORMAT,
                         "\"%s\" must be upper triangular, and its entry (%" PRId64 ", %" PRId64 ") is %g",
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

/* Texts of a list, as many as `count`; a missing list is none. */
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
    const char *tickers[VOLT_BEKK_MOST_ASSETS], *dates[2] = {NULL, NULL};
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
        bekk->loglik = json_number_value(loglik);
    if (observations)
        bekk->observations = (int64_t)json_integer_value(observations);
    if (converged)
        bekk->converged = json_is_true(converged);
    return volt_bekk_describe(bekk, has_tickers ? tickers : NULL, dates[0], dates[1],
                              json_string_value(json_object_get(object, "command")));
}

static volt_status read_object(const json_t *object, volt_bekk **bekk)
{
    VOLT_REQUIRE(json_is_object(object), VOLT_ERR_FORMAT, "the BEKK parameters must be a JSON object");
    static const char *const keys[] = {"C", "a", "b"};
    for (int k = 0; k < 3; k++)
        VOLT_REQUIRE(json_is_array(json_object_get(object, keys[k])), VOLT_ERR_FORMAT,
                     "the BEKK parameters have no list \"%s\" (they need \"C\", \"a\" and \"b\")", keys[k]);
    const json_t *a = json_object_get(object, "a");
    int64_t d = (int64_t)json_array_size(a);
    VOLT_REQUIRE(d >= 1 && d <= VOLT_BEKK_MOST_ASSETS, VOLT_ERR_FORMAT,
                 "\"a\" has %" PRId64 " numbers, and must have 1 to %d", d, VOLT_BEKK_MOST_ASSETS);
    VOLT_TRY(volt_bekk_create(d, bekk));
    VOLT_TRY(read_list(a, d, "\"a\"", (*bekk)->a));
    VOLT_TRY(read_list(json_object_get(object, "b"), d, "\"b\"", (*bekk)->b));
    VOLT_TRY(read_matrix(json_object_get(object, "C"), d, "C", (*bekk)->C));
    VOLT_TRY(read_errors(object, *bekk));
    return read_origin(object, *bekk);
}

volt_status volt_bekk_from_json(const char *text, volt_bekk **bekk)
{
    VOLT_REQUIRE(text && bekk, VOLT_ERR_ARGUMENT, "the text or the place for the BEKK parameters is NULL");
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object)
        return volt_fail(VOLT_ERR_FORMAT, "the BEKK parameters are not JSON: line %d, column %d: %s",
                         error.line, error.column, error.text);
    volt_bekk *fresh = NULL;
    volt_status status = read_object(object, &fresh);
    json_decref(object);
    if (status == VOLT_OK)
        *bekk = fresh;
    else
        volt_bekk_free(fresh);
    return status;
}
