/* cli/terminal/messages.h: errors and warnings on standard error. Warnings are printed when the work is
 * complete. */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "volterra.h"

#include <stdbool.h>
#include <stdio.h>

/* Sets the command name printed before every error. */
void set_command_name(const char *name);
const char *command_name(void);
void set_quiet(bool quiet);
void set_verbose(bool verbose);
/* Returns whether result tables have all details (--verbose). */
bool is_verbose(void);

/* Prints one line on standard error, "volterra COMMAND: ...", and drops the deferred warnings. Returns
 * exit_status, so that the caller can return the result directly. */
int complain(int exit_status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Prints the library's last error message. Returns the exit status for `status`. */
int complain_status(volt_status status);

/* Same as complain_status, with additional text after the message. */
int complain_status_hint(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* Tells the static analyser, which processes one file at a time, that none of these functions returns EXIT_DONE. */
#if defined __clang_analyzer__ && !defined CLI_MESSAGES_C
#define complain(exit_status, ...) \
    (complain(exit_status, __VA_ARGS__), (exit_status) ? (exit_status) : EXIT_FAILED)
#define complain_status(status) (complain_status(status), EXIT_FAILED)
#define complain_status_hint(status, ...) (complain_status_hint(status, __VA_ARGS__), EXIT_FAILED)
#endif

/* Prints such a line immediately, unless quiet, about a recoverable problem. */
void report(const char *format, ...) VOLT_PRINTF(1, 2);

/* Records an out-of-memory failure where no error can be returned, such as in a table cell. The command then
 * prints an error and ends with EXIT_FAILED. */
void note_lack_of_memory(void);
bool memory_was_out(void);

/* Defers a warning until the command has succeeded. Repeated texts are printed once. */
void warn(const char *format, ...) VOLT_PRINTF(1, 2);

/* Returns the first deferred warning, or NULL. It may explain a failure. */
const char *held_warning(void);

/* Log callback for the library: volt_set_log(hold_library_warning, NULL). */
void hold_library_warning(volt_log_level level, const char *message, void *context);

/* Prints the deferred warnings after success, unless quiet. */
void print_warnings(void);

/* ---- exit status ------------------------------------------------------------------------------- */

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* ---- format bytes and seconds ------------------------------------------------------------------ */

/* Write "12.3 GiB", "840 ms" or "3.2 hours" to `text` and return it. */
enum { QUANTITY_LENGTH = 32 };
char *format_bytes(double bytes, char text[QUANTITY_LENGTH]);
char *format_seconds(double seconds, char text[QUANTITY_LENGTH]);

/* ---- untrusted text in tables ------------------------------------------------------------------ */

/* Returns the number of characters that print_shown writes for a text. */
int shown_width(const char *text);

/* Writes a text without control characters, truncated or padded to `width` characters (0: full length). */
void print_shown(FILE *out, const char *text, int width);

#endif
