/* cli/terminal/results.h: what a command found, on standard output: a table for people, or JSON. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "terminal/messages.h"
#include "volterra.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A list of named values, printed at the end as an aligned table or as one JSON object. `key` is the
 * name in JSON (NULL: not there), `label` the one for people (NULL: not there). */
typedef struct result_list result_list;

result_list *results_new(bool json);
void results_number(result_list *results, const char *key, const char *label, double value);
void results_count(result_list *results, const char *key, const char *label, int64_t value);
void results_flag(result_list *results, const char *key, bool value);
void results_text(result_list *results, const char *key, const char *label, const char *format, ...)
    VOLT_PRINTF(4, 5);
/* A list of texts, for JSON alone. */
void results_texts(result_list *results, const char *key, char *const *values, int64_t count);
/* Lists of numbers, for JSON alone. */
void results_numbers(result_list *results, const char *key, const double *values, int64_t count);
void results_rows(result_list *results, const char *key, volt_view values); /* a list of rows */
void results_counts(result_list *results, const char *key, const int64_t *values, int64_t count);
/* A list of columns, for JSON alone: names[columns[0]], ..., or the numbers themselves, counted from 0, when
 * names is NULL. */
void results_columns(result_list *results, const char *key, const char *const *names, const int64_t *columns,
                     int64_t count);
/* An object inside the object, for JSON alone. Takes `inner`. */
void results_nest(result_list *results, const char *key, result_list *inner);
/* A list of objects, one more with every call, for JSON alone. Takes `inner`. */
void results_append(result_list *results, const char *key, result_list *inner);
/* Print and free. Returns the exit status: where memory was out for any part of it, nothing is printed and
 * one line says so. */
int results_print(result_list *results);
void results_discard(result_list *results);

/* ---- a JSON document, built value by value and printed as a whole or not at all ----------------
 *     json_build build = {0};
 *     json_t *object = build_object(&build);
 *     build_set(&build, object, "alpha", build_number(&build, 0.5));
 *     return build_print(&build, object, JSON_INDENT(2));
 *
 * Memory may run out at every step. The first failure is kept in `build`, so that nobody between the first line and
 * the last has to look: everything accepts what a failed step returned, and build_print refuses. The functions of
 * Jansson that return a status are therefore called in json_build.c alone. */

typedef struct json_build {
    bool failed;
} json_build;

json_t *build_object(json_build *build);
json_t *build_array(json_build *build);
/* JSON knows no infinities: they become null. */
json_t *build_number(json_build *build, double value);
json_t *build_count(json_build *build, int64_t value);
/* No text, and a text that is not UTF-8, become null. */
json_t *build_text(json_build *build, const char *text);

/* Both take `value` over. */
void build_set(json_build *build, json_t *object, const char *key, json_t *value);
void build_append(json_build *build, json_t *array, json_t *value);

/* Print the document on standard output, as ASCII, and release it. Returns the exit status: where a step failed nothing is
 * printed, and one line says so. */
int build_print(json_build *build, json_t *document, size_t flags);

/* ---- a matrix as JSON -------------------------------------------------------------------------- */

/* {"columns": [...], "rows": [[...], ...]} on standard output, with a list "time" of texts unless `times` is NULL, and one
 * more count unless extra_key is NULL. Returns the exit status. */
int print_matrix_json(volt_view values, const char *const *names, const char *const *times,
                      const char *extra_key, int64_t extra);

#endif
