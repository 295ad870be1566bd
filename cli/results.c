/* cli/results.c: results on standard output, one list of values as a table for people or as JSON. */
#include "report.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 40 };

typedef struct report_entry {
    const char *key, *label;
    json_t *value; /* owned; NULL: null */
    char *text;    /* owned, for people; NULL: not enough memory */
} report_entry;

struct cli_report {
    bool json;
    int count;
    report_entry entries[MOST_ENTRIES];
};

cli_report *report_new(bool json)
{
    cli_report *made = calloc(1, sizeof *made);
    if (made)
        made->json = json;
    return made;
}

/* The text of an entry, for people. */
static void set_text(report_entry *entry, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    entry->text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (entry->text)
        vsnprintf(entry->text, (size_t)length + 1, format, again);
    va_end(again);
}

static void say(report_entry *entry, const char *format, ...) VOLT_PRINTF(2, 3);
static void say(report_entry *entry, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_text(entry, format, args);
    va_end(args);
}

/* The next free entry, or NULL: report_print then says that memory ran out. */
static report_entry *next_entry(cli_report *report, const char *key, const char *label)
{
    if (!report || report->count == MOST_ENTRIES)
        return NULL;
    report_entry *entry = &report->entries[report->count++];
    entry->key = key;
    entry->label = label;
    return entry;
}

/* JSON knows no infinities: they become null. */
static json_t *json_of_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void report_number(cli_report *report, const char *key, const char *label, double value)
{
    report_entry *entry = next_entry(report, key, label);
    if (!entry)
        return;
    entry->value = json_of_number(value);
    say(entry, "%.6g", value);
}

void report_count(cli_report *report, const char *key, const char *label, int64_t value)
{
    report_entry *entry = next_entry(report, key, label);
    if (!entry)
        return;
    entry->value = json_integer((json_int_t)value);
    say(entry, "%lld", (long long)value);
}

void report_flag(cli_report *report, const char *key, bool value)
{
    report_entry *entry = next_entry(report, key, NULL);
    if (entry)
        entry->value = json_boolean(value);
}

void report_text(cli_report *report, const char *key, const char *label, const char *format, ...)
{
    report_entry *entry = next_entry(report, key, label);
    if (!entry)
        return;
    va_list args;
    va_start(args, format);
    set_text(entry, format, args);
    va_end(args);
    entry->value = entry->text ? json_string(entry->text) : NULL;
}

/* A text that is not UTF-8 is no JSON text: it becomes null. */
static json_t *json_of_text(const char *text)
{
    json_t *made = json_string(text);
    return made ? made : json_null();
}

void report_texts(cli_report *report, const char *key, char *const *values, int64_t count)
{
    report_entry *entry = next_entry(report, key, NULL);
    if (!entry)
        return;
    entry->value = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(entry->value, json_of_text(values[i]));
}

void report_numbers(cli_report *report, const char *key, const double *values, int64_t count)
{
    report_entry *entry = next_entry(report, key, NULL);
    if (!entry)
        return;
    entry->value = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(entry->value, json_of_number(values[i]));
}

void report_counts(cli_report *report, const char *key, const int64_t *values, int64_t count)
{
    report_entry *entry = next_entry(report, key, NULL);
    if (!entry)
        return;
    entry->value = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(entry->value, json_integer((json_int_t)values[i]));
}

void report_columns(cli_report *report, const char *key, const char *const *names, const int64_t *columns,
                    int64_t count)
{
    if (!names) {
        report_counts(report, key, columns, count);
        return;
    }
    report_entry *entry = next_entry(report, key, NULL);
    if (!entry)
        return;
    entry->value = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(entry->value, json_of_text(names[columns[i]]));
}

/* ---- printing --------------------------------------------------------------------------------- */

static int print_json(json_t *value, size_t flags)
{
    int failed = !value || json_dumpf(value, stdout, flags | JSON_ENSURE_ASCII);
    json_decref(value);
    if (failed && !ferror(stdout))
        return complain(EXIT_FAILED, "not enough memory for the JSON text");
    if (!failed)
        putchar('\n');
    return EXIT_DONE; /* a write error is seen when standard output is closed */
}

static json_t *json_of_report(const cli_report *report)
{
    json_t *object = json_object();
    for (int i = 0; i < report->count; i++) {
        const report_entry *entry = &report->entries[i];
        if (entry->key)
            json_object_set(object, entry->key, entry->value ? entry->value : json_null());
    }
    return object;
}

void report_nest(cli_report *report, const char *key, cli_report *inner)
{
    report_entry *entry = next_entry(report, key, NULL);
    if (entry && inner)
        entry->value = json_of_report(inner);
    report_discard(inner);
}

static int print_table(cli_report *report)
{
    int width = 0;
    for (int i = 0; i < report->count; i++) {
        const char *label = report->entries[i].label;
        if (label && (int)strlen(label) > width)
            width = (int)strlen(label);
    }
    for (int i = 0; i < report->count; i++) {
        report_entry *entry = &report->entries[i];
        if (entry->label)
            printf("%-*s  %s\n", width, entry->label, entry->text ? volt_make_printable(entry->text) : "");
    }
    return EXIT_DONE;
}

int report_print(cli_report *report)
{
    if (!report)
        return complain(EXIT_FAILED, "not enough memory for the report");
    int status = report->json ? print_json(json_of_report(report), JSON_INDENT(2)) : print_table(report);
    report_discard(report);
    return status;
}

void report_discard(cli_report *report)
{
    for (int i = 0; report && i < report->count; i++) {
        json_decref(report->entries[i].value);
        free(report->entries[i].text);
    }
    free(report);
}

static json_t *json_row(volt_view values, int64_t i)
{
    json_t *row = json_array();
    for (int64_t j = 0; j < values.cols; j++)
        json_array_append_new(row, json_of_number(values.data[i * values.ld + j]));
    return row;
}

int report_matrix_json(volt_view values, const char *const *names, const char *extra_key, int64_t extra)
{
    json_t *object = json_object(), *columns = json_array(), *rows = json_array();
    for (int64_t j = 0; names && j < values.cols; j++)
        json_array_append_new(columns, json_of_text(names[j]));
    for (int64_t i = 0; i < values.rows; i++)
        json_array_append_new(rows, json_row(values, i));
    if (names)
        json_object_set_new(object, "columns", columns);
    else
        json_decref(columns);
    if (extra_key)
        json_object_set_new(object, extra_key, json_integer((json_int_t)extra));
    json_object_set_new(object, "rows", rows);
    return print_json(object, JSON_COMPACT);
}

/* ---- quantities for people -------------------------------------------------------------------- */

char *format_bytes(double bytes, char text[QUANTITY_LENGTH])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    while (bytes >= 1024 && unit < 6) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, QUANTITY_LENGTH, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

char *format_seconds(double seconds, char text[QUANTITY_LENGTH])
{
    if (seconds < 1e-3)
        snprintf(text, QUANTITY_LENGTH, "%.3g us", 1e6 * seconds);
    else if (seconds < 1)
        snprintf(text, QUANTITY_LENGTH, "%.3g ms", 1e3 * seconds);
    else if (seconds < 120)
        snprintf(text, QUANTITY_LENGTH, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(text, QUANTITY_LENGTH, "%.0f min", seconds / 60);
    else if (seconds < 2 * 86400)
        snprintf(text, QUANTITY_LENGTH, "%.1f hours", seconds / 3600);
    else
        snprintf(text, QUANTITY_LENGTH, "%.1f days", seconds / 86400);
    return text;
}
