/* cli/terminal/results.c: results on standard output, one list of values as a table for people or as JSON. */
#include "terminal/json_build.h"
#include "terminal/report.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 40 };

typedef struct report_entry {
    const char *key, *label;
    json_t *value; /* owned; NULL: null */
    char *text;    /* owned, for people; NULL: nothing */
} report_entry;

struct cli_report {
    bool json;
    json_build build; /* a text for people that found no memory is a failed step too */
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
static void set_text(cli_report *report, report_entry *entry, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    entry->text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (entry->text)
        vsnprintf(entry->text, (size_t)length + 1, format, again);
    else
        report->build.failed = true;
    va_end(again);
}

static void say(cli_report *report, report_entry *entry, const char *format, ...) VOLT_PRINTF(3, 4);
static void say(cli_report *report, report_entry *entry, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_text(report, entry, format, args);
    va_end(args);
}

/* The next free entry, or NULL without a report: report_print then says that memory ran out. */
static report_entry *next_entry(cli_report *report, const char *key, const char *label)
{
    if (!report)
        return NULL;
    assert(report->count < MOST_ENTRIES);
    report_entry *entry = &report->entries[report->count++];
    entry->key = key;
    entry->label = label;
    return entry;
}

void report_number(cli_report *report, const char *key, const char *label, double value)
{
    report_entry *entry = next_entry(report, key, label);
    if (!entry)
        return;
    entry->value = build_number(&report->build, value);
    say(report, entry, "%.6g", value);
}

void report_count(cli_report *report, const char *key, const char *label, int64_t value)
{
    report_entry *entry = next_entry(report, key, label);
    if (!entry)
        return;
    entry->value = build_count(&report->build, value);
    say(report, entry, "%lld", (long long)value);
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
    set_text(report, entry, format, args);
    va_end(args);
    entry->value = build_text(&report->build, entry->text);
}

/* An entry that is a list, for JSON alone; NULL without a report. */
static json_t *next_list(cli_report *report, const char *key)
{
    report_entry *entry = next_entry(report, key, NULL);
    return entry ? entry->value = build_array(&report->build) : NULL;
}

void report_texts(cli_report *report, const char *key, char *const *values, int64_t count)
{
    json_t *list = next_list(report, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&report->build, list, build_text(&report->build, values[i]));
}

void report_numbers(cli_report *report, const char *key, const double *values, int64_t count)
{
    json_t *list = next_list(report, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&report->build, list, build_number(&report->build, values[i]));
}

void report_counts(cli_report *report, const char *key, const int64_t *values, int64_t count)
{
    json_t *list = next_list(report, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&report->build, list, build_count(&report->build, values[i]));
}

void report_columns(cli_report *report, const char *key, const char *const *names, const int64_t *columns,
                    int64_t count)
{
    if (!names) {
        report_counts(report, key, columns, count);
        return;
    }
    json_t *list = next_list(report, key);
    for (int64_t i = 0; list && i < count; i++)
        build_append(&report->build, list, build_text(&report->build, names[columns[i]]));
}

/* ---- printing --------------------------------------------------------------------------------- */

/* The values move into the object. */
static json_t *json_of_report(cli_report *report)
{
    json_t *object = build_object(&report->build);
    for (int i = 0; i < report->count; i++) {
        report_entry *entry = &report->entries[i];
        if (!entry->key)
            continue;
        build_set(&report->build, object, entry->key, entry->value ? entry->value : json_null());
        entry->value = NULL;
    }
    return object;
}

void report_nest(cli_report *report, const char *key, cli_report *inner)
{
    report_entry *entry = next_entry(report, key, NULL);
    if (entry) {
        entry->value = inner ? json_of_report(inner) : NULL;
        report->build.failed = report->build.failed || !inner || inner->build.failed;
    }
    report_discard(inner);
}

static int print_table(const cli_report *report)
{
    if (report->build.failed)
        return complain(EXIT_FAILED, "not enough memory for the report");
    int width = 0;
    for (int i = 0; i < report->count; i++) {
        const char *label = report->entries[i].label;
        if (label && (int)strlen(label) > width)
            width = (int)strlen(label);
    }
    for (int i = 0; i < report->count; i++) {
        const report_entry *entry = &report->entries[i];
        if (entry->label)
            printf("%-*s  %s\n", width, entry->label, entry->text ? volt_make_printable(entry->text) : "");
    }
    return EXIT_DONE;
}

int report_print(cli_report *report)
{
    if (!report)
        return complain(EXIT_FAILED, "not enough memory for the report");
    int status = report->json ? build_print(&report->build, json_of_report(report), JSON_INDENT(2))
                              : print_table(report);
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

static json_t *json_row(json_build *build, volt_view values, int64_t i)
{
    json_t *row = build_array(build);
    for (int64_t j = 0; j < values.cols; j++)
        build_append(build, row, build_number(build, values.data[i * values.ld + j]));
    return row;
}

int report_matrix_json(volt_view values, const char *const *names, const char *extra_key, int64_t extra)
{
    json_build build = {0};
    json_t *object = build_object(&build), *rows = build_array(&build);
    if (names) {
        json_t *columns = build_array(&build);
        for (int64_t j = 0; j < values.cols; j++)
            build_append(&build, columns, build_text(&build, names[j]));
        build_set(&build, object, "columns", columns);
    }
    if (extra_key)
        build_set(&build, object, extra_key, build_count(&build, extra));
    for (int64_t i = 0; i < values.rows; i++)
        build_append(&build, rows, json_row(&build, values, i));
    build_set(&build, object, "rows", rows);
    return build_print(&build, object, JSON_COMPACT);
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
