/* cli/terminal/json_build.c: build a JSON document and print it completely or not at all. */
#include "terminal/results.h"

#include "terminal/messages.h"
#include "terminal/text_stream.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records the failure if `made` is NULL. Every new value passes through this function. */
static json_t *keep(json_build *build, json_t *made)
{
    build->failed = build->failed || !made;
    return made;
}

json_t *build_object(json_build *build)
{
    return keep(build, json_object());
}

json_t *build_array(json_build *build)
{
    return keep(build, json_array());
}

json_t *build_number(json_build *build, double value)
{
    return keep(build, isfinite(value) ? json_real(value) : json_null());
}

json_t *build_count(json_build *build, int64_t value)
{
    return keep(build, json_integer((json_int_t)value));
}

/* Checked here because json_string() does not distinguish invalid UTF-8 from lack of memory. */
static bool is_utf8(const char *text)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    for (size_t step; text < end; text += step) {
        step = volt_show_character(text, (size_t)(end - text), shown);
        if (step == 1 && (unsigned char)*text >= 0x80) /* invalid first byte */
            return false;
    }
    return true;
}

json_t *build_text(json_build *build, const char *text)
{
    return keep(build, text && is_utf8(text) ? json_string_nocheck(text) : json_null());
}

void build_set(json_build *build, json_t *object, const char *key, json_t *value)
{
    build->failed = json_object_set_new(object, key, value) != 0 || build->failed;
}

void build_append(json_build *build, json_t *array, json_t *value)
{
    build->failed = json_array_append_new(array, value) != 0 || build->failed;
}

int build_print(json_build *build, json_t *document, size_t flags)
{
    /* Write to memory first: Jansson could run out of memory after half of the document is printed. Use
     * text_stream because json_dumps() does not check whether its buffer could hold the key (2.14). */
    text_stream memory;
    bool failed = !text_open(&memory) || build->failed ||
                  json_dumpf(document, memory.out, flags | JSON_ENSURE_ASCII) != 0;
    char *text = text_close(&memory);
    json_decref(document);
    bool is_whole = text && !failed;
    if (is_whole)
        puts(text); /* write errors are detected when standard output is closed */
    free(text);
    return is_whole ? EXIT_DONE : complain(EXIT_FAILED, "not enough memory for the JSON text");
}

/* ---- a matrix as JSON -------------------------------------------------------------------------- */

static json_t *json_row(json_build *build, volt_view values, int64_t i)
{
    json_t *row = build_array(build);
    for (int64_t j = 0; j < values.cols; j++)
        build_append(build, row, build_number(build, values.data[i * values.ld + j]));
    return row;
}

int print_matrix_json(volt_view values, const char *const *names, const char *const *times,
                      const char *extra_key, int64_t extra)
{
    json_build build = {0};
    json_t *object = build_object(&build), *rows = build_array(&build);
    if (names) {
        json_t *columns = build_array(&build);
        for (int64_t j = 0; j < values.cols; j++)
            build_append(&build, columns, build_text(&build, names[j]));
        build_set(&build, object, "columns", columns);
    }
    if (times) {
        json_t *list = build_array(&build);
        for (int64_t i = 0; i < values.rows; i++)
            build_append(&build, list, build_text(&build, times[i]));
        build_set(&build, object, "time", list);
    }
    if (extra_key)
        build_set(&build, object, extra_key, build_count(&build, extra));
    for (int64_t i = 0; i < values.rows; i++)
        build_append(&build, rows, json_row(&build, values, i));
    build_set(&build, object, "rows", rows);
    return build_print(&build, object, JSON_COMPACT);
}
