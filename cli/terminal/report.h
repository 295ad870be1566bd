/* cli/terminal/report.h: what the program says: errors, warnings, and results as a table or as JSON. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "volterra.h"

#include <stdbool.h>
#include <stdint.h>

/* How the program ends. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The command that speaks: its name stands before every error. */
void report_set_command(const char *name);
const char *report_command(void);
void report_set_quiet(bool quiet);

/* ---- errors and warnings ---------------------------------------------------------------------- */

/* One line on standard error, "volterra COMMAND: ...". Returns exit_status, so that a caller can return
 * what it complains about. Warnings that were held back are dropped: one line says why it failed. */
int complain(int exit_status, const char *format, ...) VOLT_PRINTF(2, 3);

/* The library's sentence for its last failure, with the exit status that belongs to `status`. */
int complain_status(volt_status status);

/* The same with more behind it. */
int complain_status_hint(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Hold a warning back until the command has succeeded; each text is said once. */
void warn(const char *format, ...) VOLT_PRINTF(1, 2);

/* The first warning that is held back, or NULL: it may explain a failure. */
const char *held_warning(void);

/* Receives the library's log: volt_set_log(report_library_log, NULL). */
void report_library_log(volt_log_level level, const char *message, void *context);

/* The command succeeded: print the warnings, unless quiet. */
void report_warnings(void);

/* ---- results ---------------------------------------------------------------------------------- */

/* A list of named values, printed at the end as an aligned table or as one JSON object. `key` is the
 * name in JSON (NULL: not there), `label` the one for people (NULL: not there). */
typedef struct cli_report cli_report;

cli_report *report_new(bool json);
void report_number(cli_report *report, const char *key, const char *label, double value);
void report_count(cli_report *report, const char *key, const char *label, int64_t value);
void report_flag(cli_report *report, const char *key, bool value);
void report_text(cli_report *report, const char *key, const char *label, const char *format, ...)
    VOLT_PRINTF(4, 5);
/* A list of texts, for JSON alone. */
void report_texts(cli_report *report, const char *key, char *const *values, int64_t count);
/* Lists of numbers, for JSON alone. */
void report_numbers(cli_report *report, const char *key, const double *values, int64_t count);
void report_counts(cli_report *report, const char *key, const int64_t *values, int64_t count);
/* A list of columns, for JSON alone: names[columns[0]], ..., or the numbers themselves, counted from 0, when
 * names is NULL. */
void report_columns(cli_report *report, const char *key, const char *const *names, const int64_t *columns,
                    int64_t count);
/* An object inside the object, for JSON alone. Takes `inner`. */
void report_nest(cli_report *report, const char *key, cli_report *inner);
/* Print and free. Returns the exit status: where memory was out for any part of the report, nothing is printed and
 * one line says so. */
int report_print(cli_report *report);
void report_discard(cli_report *report);

/* {"columns": [...], "rows": [[...], ...]} on standard output, with one more count unless extra_key is
 * NULL. Returns the exit status. */
int report_matrix_json(volt_view values, const char *const *names, const char *extra_key, int64_t extra);

/* "12.3 GiB", "840 ms", "3.2 hours" into `text`; returns text. */
enum { QUANTITY_LENGTH = 32 };
char *format_bytes(double bytes, char text[QUANTITY_LENGTH]);
char *format_seconds(double seconds, char text[QUANTITY_LENGTH]);

#endif
