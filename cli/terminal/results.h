/* cli/terminal/results.h: results of a command on standard output, as a table or as JSON. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "terminal/messages.h"
#include "volterra.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A list of named values, printed at the end as an aligned table or as one JSON object. `key` is the name in
 * JSON, `label` the name in the table. NULL omits the value there. */
typedef struct result_list result_list;

result_list *results_new(bool json);
/* Marks the values added from now on as details, which the table has only with --verbose, or as main results
 * (the default). JSON has all values. */
void results_details(result_list *results, bool are_details);
void results_number(result_list *results, const char *key, const char *label, double value);
/* Adds a parameter, which may be copied from the table. */
void results_parameter(result_list *results, const char *key, const char *label, double value);
void results_count(result_list *results, const char *key, const char *label, int64_t value);
void results_flag(result_list *results, const char *key, bool value);
void results_text(result_list *results, const char *key, const char *label, const char *format, ...)
    VOLT_PRINTF(4, 5);
/* Adds a list of texts (JSON only). */
void results_texts(result_list *results, const char *key, char *const *values, int64_t count);
/* Add lists of numbers (JSON only). */
void results_numbers(result_list *results, const char *key, const double *values, int64_t count);
void results_rows(result_list *results, const char *key, volt_view values); /* a list of rows */
void results_counts(result_list *results, const char *key, const int64_t *values, int64_t count);
/* Adds a list of columns (JSON only): names[columns[0]], ..., or 0-based column numbers if names is NULL. */
void results_columns(result_list *results, const char *key, const char *const *names, const int64_t *columns,
                     int64_t count);
/* Adds fields of a struct of the library (JSON only), as build_fields does. */
#define results_fields(results, type, object, names) \
    results_described(results, #type, (const type *){object}, names)
void results_described(result_list *results, const char *type, const void *object, const char *names);
/* Appends a struct to the list `key`. */
#define results_append_struct(results, key, type, object) \
    results_append_described(results, key, #type, (const type *){object})
void results_append_described(result_list *results, const char *key, const char *type, const void *object);
/* Adds a nested object (JSON only). Takes ownership of `inner`. */
void results_nest(result_list *results, const char *key, result_list *inner);
/* Appends an object to the list `key` (JSON only). Takes ownership of `inner`. */
void results_append(result_list *results, const char *key, result_list *inner);
/* Prints and frees the results. Returns the exit status. When out of memory, prints only an error message. */
int results_print(result_list *results);
void results_discard(result_list *results);

/* ---- JSON documents, printed completely or not at all -----------------------------------------
 *     json_build build = {0};
 *     json_t *object = build_object(&build);
 *     build_set(&build, object, "alpha", build_number(&build, 0.5));
 *     return build_print(&build, object, JSON_INDENT(2));
 *
 * Memory may run out at every step. `build` records the first failure, so that callers need not check each
 * step. Every function accepts the result of a failed step, and build_print reports the error. Jansson
 * functions that return a status are therefore called only in results.c. */

typedef struct json_build {
    bool failed;
} json_build;

json_t *build_object(json_build *build);
json_t *build_array(json_build *build);
/* Infinities and NaN become null. */
json_t *build_number(json_build *build, double value);
json_t *build_count(json_build *build, int64_t value);
/* NULL and invalid UTF-8 become null. */
json_t *build_text(json_build *build, const char *text);

/* Both take ownership of `value`. */
void build_set(json_build *build, json_t *object, const char *key, json_t *value);
void build_append(json_build *build, json_t *array, json_t *value);

/* Sets fields of a struct of the library by their names in JSON: those in `names`, separated by blanks, or for NULL all that are
 * written. NULL pointers are omitted. An array with several dimensions is a list of rows of the last dimension. */
#define build_fields(build, object, type, from, names) \
    build_described(build, object, #type, (const type *){from}, names)
void build_described(json_build *build, json_t *object, const char *type, const void *from, const char *names);
/* Sets the members of another object, which the caller still owns. */
void build_update(json_build *build, json_t *object, json_t *other);

/* Prints the document on standard output, as ASCII, and frees it. Returns the exit status. After a failed
 * step, prints only an error message. */
int build_print(json_build *build, json_t *document, size_t flags);

/* ---- a matrix as JSON -------------------------------------------------------------------------- */

/* Prints {"columns": [...], "rows": [[...], ...]} on standard output, with a list "time" of texts unless
 * `times` is NULL, and a count unless extra_key is NULL. Returns the exit status. */
int print_matrix_json(volt_view values, const char *const *names, const char *const *times,
                      const char *extra_key, int64_t extra);

#endif
