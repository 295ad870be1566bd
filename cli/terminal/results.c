/* cli/terminal/results.c: results on standard output, as a table or as JSON. */
#include "terminal/results.h"

#include "terminal/digits.h"
#include "terminal/messages.h"
#include "terminal/text_stream.h"
#include "text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON documents --------------------------------------------------------------------------- */

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

/* ---- structs of the library ------------------------------------------------------------------- */

static json_t *json_of_rows(json_build *build, volt_view values);
static void set_fields(json_build *build, json_t *object, const volt_struct *type, const char *from,
                       const char *names);

/* Does a list of words, separated by blanks, contain the word? */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static const char *word_of(const volt_word *words, int value)
{
    while (words->text && words->value != value)
        words++;
    return words->text;
}

static json_t *json_of_value(json_build *build, const volt_field *field, const void *value)
{
    json_t *object;
    switch (field->kind) {
    case VOLT_KIND_DOUBLE:
        return build_number(build, *(const double *)value);
    case VOLT_KIND_INT64:
    case VOLT_KIND_UINT64:
        return build_count(build, *(const int64_t *)value);
    case VOLT_KIND_INT:
        return build_count(build, *(const int *)value);
    case VOLT_KIND_FLAG:
        return json_boolean(*(const int *)value);
    case VOLT_KIND_WORD:
        return build_text(build, word_of(field->words, *(const int *)value));
    case VOLT_KIND_TEXT:
        return build_text(build, *(const char *const *)value);
    case VOLT_KIND_CHARS:
        return build_text(build, value);
    case VOLT_KIND_STRUCT:
        object = build_object(build);
        set_fields(build, object, field->inner, value, NULL);
        return object;
    case VOLT_KIND_VIEW:
        return json_of_rows(build, *(const volt_view *)value);
    default:
        return json_null();
    }
}

static const volt_field number_kind = {.kind = VOLT_KIND_DOUBLE, .size = sizeof(double)};
static const volt_field count_kind = {.kind = VOLT_KIND_INT64, .size = sizeof(int64_t)};
static const volt_field text_kind = {.kind = VOLT_KIND_TEXT, .size = sizeof(char *)};

static json_t *json_of_list(json_build *build, const volt_field *kind, const void *values, int64_t count)
{
    json_t *list = build_array(build);
    for (int64_t i = 0; i < count; i++)
        build_append(build, list, json_of_value(build, kind, (const char *)values + (size_t)i * kind->size));
    return list;
}

static json_t *json_of_rows(json_build *build, volt_view values)
{
    json_t *rows = build_array(build);
    for (int64_t i = 0; i < values.rows; i++)
        build_append(build, rows, json_of_list(build, &number_kind, values.data + i * values.ld, values.cols));
    return rows;
}

/* An array is a list of values, and with two or more dimensions a list of rows of the last dimension. Returns NULL if the
 * pointer is NULL. */
static json_t *json_of_field(json_build *build, const volt_field *field, const char *object)
{
    const char *value = object + field->offset;
    if (field->is_pointer)
        memcpy(&value, value, sizeof value);
    if (!value ||
        (field->kind == VOLT_KIND_TEXT && field->n_dimensions == 0 && !*(char *const *)(const void *)value))
        return NULL;
    if (field->n_dimensions == 0)
        return json_of_value(build, field, value);
    int64_t rows = 1, length = volt_dimension_of(&field->shape[field->n_dimensions - 1], object);
    for (int64_t i = 0; i < field->n_dimensions - 1; i++)
        rows *= volt_dimension_of(&field->shape[i], object);
    if (field->n_dimensions == 1)
        return json_of_list(build, field, value, length);
    json_t *list = build_array(build);
    for (int64_t i = 0; i < rows; i++)
        build_append(build, list,
                     json_of_list(build, field, value + (size_t)(i * length) * field->size, length));
    return list;
}

/* Sets the fields in `names`, or all for NULL. */
static void set_fields(json_build *build, json_t *object, const volt_struct *type, const char *from,
                       const char *names)
{
    for (int64_t i = 0; i < type->n_fields; i++) {
        const volt_field *field = &type->fields[i];
        bool is_written = field->json && (!names || has_word(names, field->name));
        json_t *value = is_written ? json_of_field(build, field, from) : NULL;
        if (value)
            build_set(build, object, field->json, value);
    }
}

void build_described(json_build *build, json_t *object, const char *type, const void *from, const char *names)
{
    set_fields(build, object, volt_struct_find(type), from, names);
}

void build_update(json_build *build, json_t *object, json_t *other)
{
    build->failed = json_object_update(object, other) != 0 || build->failed;
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

int print_matrix_json(volt_view values, const char *const *names, const char *const *times,
                      const char *extra_key, int64_t extra)
{
    json_build build = {0};
    json_t *object = build_object(&build);
    if (names)
        build_set(&build, object, "columns", json_of_list(&build, &text_kind, names, values.cols));
    if (times)
        build_set(&build, object, "time", json_of_list(&build, &text_kind, times, values.rows));
    if (extra_key)
        build_set(&build, object, extra_key, build_count(&build, extra));
    build_set(&build, object, "rows", json_of_rows(&build, values));
    return build_print(&build, object, JSON_COMPACT);
}

/* ---- lists of results ------------------------------------------------------------------------- */

typedef struct result_entry {
    const char *key, *label;
    json_t *value; /* owned; NULL: null */
    char *text;    /* owned, for the table; NULL: not shown */
    bool is_detail;
} result_entry;

struct result_list {
    bool json, are_details;
    json_build build; /* also records failed allocations of table texts */
    int count, capacity;
    result_entry *entries;
};

result_list *results_new(bool json)
{
    result_list *made = calloc(1, sizeof *made);
    if (made)
        made->json = json;
    return made;
}

void results_details(result_list *results, bool are_details)
{
    if (results)
        results->are_details = are_details;
}

/* Sets the table text of an entry. */
static void set_text(result_list *results, result_entry *entry, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    entry->text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (entry->text)
        vsnprintf(entry->text, (size_t)length + 1, format, again);
    else
        results->build.failed = true;
    va_end(again);
}

static void format_text(result_list *results, result_entry *entry, const char *format, ...) VOLT_PRINTF(3, 4);
static void format_text(result_list *results, result_entry *entry, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_text(results, entry, format, args);
    va_end(args);
}

/* Returns the next free entry, or NULL when out of memory. results_print then reports the error. */
static result_entry *next_entry(result_list *results, const char *key, const char *label)
{
    if (!results)
        return NULL;
    if (results->count == results->capacity) {
        int capacity = 2 * results->capacity + 32;
        result_entry *longer = realloc(results->entries, (size_t)capacity * sizeof *longer);
        if (!longer) {
            results->build.failed = true;
            return NULL;
        }
        results->entries = longer;
        results->capacity = capacity;
    }
    results->entries[results->count] = (result_entry){key, label, NULL, NULL, results->are_details};
    return &results->entries[results->count++];
}

void results_number(result_list *results, const char *key, const char *label, double value)
{
    result_entry *entry = next_entry(results, key, label);
    if (!entry)
        return;
    entry->value = build_number(&results->build, value);
    format_text(results, entry, "%s", digits(value).text);
}

void results_parameter(result_list *results, const char *key, const char *label, double value)
{
    results_number(results, key, NULL, value);
    results_text(results, NULL, label, "%s", parameter_digits(value).text);
}

void results_count(result_list *results, const char *key, const char *label, int64_t value)
{
    result_entry *entry = next_entry(results, key, label);
    if (!entry)
        return;
    entry->value = build_count(&results->build, value);
    format_text(results, entry, "%lld", (long long)value);
}

void results_flag(result_list *results, const char *key, bool value)
{
    result_entry *entry = next_entry(results, key, NULL);
    if (entry)
        entry->value = json_boolean(value);
}

void results_text(result_list *results, const char *key, const char *label, const char *format, ...)
{
    result_entry *entry = next_entry(results, key, label);
    if (!entry)
        return;
    va_list args;
    va_start(args, format);
    set_text(results, entry, format, args);
    va_end(args);
    entry->value = build_text(&results->build, entry->text);
}

static void add_list(result_list *results, const char *key, const volt_field *kind, const void *values,
                     int64_t count)
{
    result_entry *entry = next_entry(results, key, NULL);
    if (entry)
        entry->value = json_of_list(&results->build, kind, values, count);
}

void results_texts(result_list *results, const char *key, char *const *values, int64_t count)
{
    add_list(results, key, &text_kind, values, count);
}

void results_numbers(result_list *results, const char *key, const double *values, int64_t count)
{
    add_list(results, key, &number_kind, values, count);
}

void results_counts(result_list *results, const char *key, const int64_t *values, int64_t count)
{
    add_list(results, key, &count_kind, values, count);
}

void results_rows(result_list *results, const char *key, volt_view values)
{
    result_entry *entry = next_entry(results, key, NULL);
    if (entry)
        entry->value = json_of_rows(&results->build, values);
}

void results_columns(result_list *results, const char *key, const char *const *names, const int64_t *columns,
                     int64_t count)
{
    if (!names) {
        results_counts(results, key, columns, count);
        return;
    }
    result_entry *entry = next_entry(results, key, NULL);
    if (entry)
        entry->value = build_array(&results->build);
    for (int64_t i = 0; entry && i < count; i++)
        build_append(&results->build, entry->value, build_text(&results->build, names[columns[i]]));
}

/* ---- structs of the library ------------------------------------------------------------------- */

/* An entry without key and text holds an object whose members are those of the results. */
void results_described(result_list *results, const char *type, const void *object, const char *names)
{
    result_entry *entry = next_entry(results, NULL, NULL);
    if (entry) {
        entry->value = build_object(&results->build);
        build_described(&results->build, entry->value, type, object, names);
    }
}

void results_append_described(result_list *results, const char *key, const char *type, const void *object)
{
    result_list *inner = results_new(true);
    results_described(inner, type, object, NULL);
    results_append(results, key, inner);
}

/* ---- printing --------------------------------------------------------------------------------- */

/* Moves the values into the object. */
static json_t *json_of_results(result_list *results)
{
    json_t *object = build_object(&results->build);
    for (int i = 0; i < results->count; i++) {
        result_entry *entry = &results->entries[i];
        if (!entry->key && !entry->text)
            build_update(&results->build, object, entry->value);
        if (!entry->key)
            continue;
        build_set(&results->build, object, entry->key, entry->value ? entry->value : json_null());
        entry->value = NULL;
    }
    return object;
}

void results_nest(result_list *results, const char *key, result_list *inner)
{
    result_entry *entry = next_entry(results, key, NULL);
    if (entry) {
        entry->value = inner ? json_of_results(inner) : NULL;
        results->build.failed = results->build.failed || !inner || inner->build.failed;
    }
    results_discard(inner);
}

/* Returns the entry with that key, or NULL. */
static result_entry *find_entry(result_list *results, const char *key)
{
    for (int i = 0; results && i < results->count; i++)
        if (results->entries[i].key && strcmp(results->entries[i].key, key) == 0)
            return &results->entries[i];
    return NULL;
}

void results_append(result_list *results, const char *key, result_list *inner)
{
    result_entry *entry = find_entry(results, key);
    if (!entry) {
        entry = next_entry(results, key, NULL);
        if (entry)
            entry->value = build_array(&results->build);
    }
    if (entry) {
        if (inner)
            build_append(&results->build, entry->value, json_of_results(inner));
        results->build.failed = results->build.failed || !inner || inner->build.failed; /* must be last */
    }
    results_discard(inner);
}

static bool is_shown(const result_entry *entry)
{
    return entry->label && (!entry->is_detail || is_verbose());
}

static int print_table(const result_list *results)
{
    if (results->build.failed)
        return complain(EXIT_FAILED, "not enough memory for the report");
    int width = 0;
    for (int i = 0; i < results->count; i++) {
        const result_entry *entry = &results->entries[i];
        if (is_shown(entry) && shown_width(entry->label) > width)
            width = shown_width(entry->label);
    }
    for (int i = 0; i < results->count; i++) {
        const result_entry *entry = &results->entries[i];
        if (!is_shown(entry))
            continue;
        print_shown(stdout, entry->label, width);
        printf("  %s\n", entry->text ? volt_make_printable(entry->text) : "");
    }
    return EXIT_DONE;
}

int results_print(result_list *results)
{
    if (!results)
        return complain(EXIT_FAILED, "not enough memory for the report");
    int status = results->json ? build_print(&results->build, json_of_results(results), JSON_INDENT(2))
                               : print_table(results);
    results_discard(results);
    return status;
}

void results_discard(result_list *results)
{
    for (int i = 0; results && i < results->count; i++) {
        json_decref(results->entries[i].value);
        free(results->entries[i].text);
    }
    if (results)
        free(results->entries);
    free(results);
}
