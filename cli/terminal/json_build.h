/* cli/terminal/json_build.h: a JSON document, built value by value and printed as a whole or not at all.
 *
 *     json_build build = {0};
 *     json_t *object = build_object(&build);
 *     build_set(&build, object, "alpha", build_number(&build, 0.5));
 *     return build_print(&build, object, JSON_INDENT(2));
 *
 * Memory may run out at every step. The first failure is kept in `build`, so that nobody between the first line and
 * the last has to look: everything accepts what a failed step returned, and build_print refuses. The functions of
 * Jansson that return a status are therefore called in json_build.c alone. */
#ifndef CLI_JSON_BUILD_H
#define CLI_JSON_BUILD_H

#include "volterra.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

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
