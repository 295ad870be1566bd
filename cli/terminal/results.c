/* cli/terminal/results.c: results on standard output, as a table or as JSON. */
#include "terminal/results.h"

#include "terminal/digits.h"
#include "terminal/messages.h"
#include "text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Adds a list entry for JSON only. Returns NULL if `results` is NULL. */
static json_t *next_list(result_list *results, const char *key)
{
    result_entry *entry = next_entry(results, key, NULL);
    return entry ? entry->value = build_array(&results->build) : NULL;
}

void results_texts(result_list *results, const char *key, char *const *values, int64_t count)
{
    json_t *list = next_list(results, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&results->build, list, build_text(&results->build, values[i]));
}

void results_numbers(result_list *results, const char *key, const double *values, int64_t count)
{
    json_t *list = next_list(results, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&results->build, list, build_number(&results->build, values[i]));
}

void results_rows(result_list *results, const char *key, volt_view values)
{
    json_t *list = next_list(results, key);
    for (int64_t i = 0; list && i < values.rows; i++) {
        json_t *row = build_array(&results->build);
        for (int64_t j = 0; row && j < values.cols; j++)
            build_append(&results->build, row, build_number(&results->build, values.data[i * values.ld + j]));
        build_append(&results->build, list, row);
    }
}

void results_counts(result_list *results, const char *key, const int64_t *values, int64_t count)
{
    json_t *list = next_list(results, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&results->build, list, build_count(&results->build, values[i]));
}

void results_columns(result_list *results, const char *key, const char *const *names, const int64_t *columns,
                     int64_t count)
{
    if (!names) {
        results_counts(results, key, columns, count);
        return;
    }
    json_t *list = next_list(results, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&results->build, list, build_text(&results->build, names[columns[i]]));
}

/* ---- printing --------------------------------------------------------------------------------- */

/* Moves the values into the object. */
static json_t *json_of_results(result_list *results)
{
    json_t *object = build_object(&results->build);
    for (int i = 0; i < results->count; i++) {
        result_entry *entry = &results->entries[i];
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
