/* cli/terminal/messages.h: what the program says on standard error: errors, and warnings once the work is done. */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "volterra.h"

#include <stdbool.h>
#include <stdio.h>

/* The command that speaks: its name stands before every error. */
void set_command_name(const char *name);
const char *command_name(void);
void set_quiet(bool quiet);

/* One line on standard error, "volterra COMMAND: ...". Returns exit_status, so that a caller can return
 * what it complains about. Warnings that were held back are dropped: one line says why it failed. */
int complain(int exit_status, const char *format, ...) VOLT_PRINTF(2, 3);

/* The library's sentence for its last failure, with the exit status that belongs to `status`. */
int complain_status(volt_status status);

/* The same with more behind it. */
int complain_status_hint(volt_status status, const char *format, ...) VOLT_PRINTF(2, 3);

/* What looks at one file alone cannot know that none of them returns EXIT_DONE. */
#if defined __clang_analyzer__ && !defined CLI_MESSAGES_C
#define complain(exit_status, ...) \
    (complain(exit_status, __VA_ARGS__), (exit_status) ? (exit_status) : EXIT_FAILED)
#define complain_status(status) (complain_status(status), EXIT_FAILED)
#define complain_status_hint(status, ...) (complain_status_hint(status, __VA_ARGS__), EXIT_FAILED)
#endif

/* One line like that at once, unless quiet, about something that the command gets over. */
void report(const char *format, ...) VOLT_PRINTF(1, 2);

/* For what cannot return a failure, such as a cell of a table that is being written: the command then ends with a
 * sentence and EXIT_FAILED, whatever else it comes to. */
void note_lack_of_memory(void);
bool memory_was_out(void);

/* Hold a warning back until the command has succeeded; each text is said once. */
void warn(const char *format, ...) VOLT_PRINTF(1, 2);

/* The first warning that is held back, or NULL: it may explain a failure. */
const char *held_warning(void);

/* Receives the library's log: volt_set_log(hold_library_warning, NULL). */
void hold_library_warning(volt_log_level level, const char *message, void *context);

/* The command succeeded: print the warnings, unless quiet. */
void print_warnings(void);

/* ---- how the program ends ---------------------------------------------------------------------- */

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* ---- bytes and seconds as people write them ---------------------------------------------------- */

/* "12.3 GiB", "840 ms", "3.2 hours" into `text`; returns text. */
enum { QUANTITY_LENGTH = 32 };
char *format_bytes(double bytes, char text[QUANTITY_LENGTH]);
char *format_seconds(double seconds, char text[QUANTITY_LENGTH]);

/* ---- text out of files in tables for people ---------------------------------------------------- */

/* How many characters print_shown writes for a text. */
int shown_width(const char *text);

/* Write a text without what a terminal would obey, cut or filled with blanks to `width` characters; 0: as long as it
 * is. */
void print_shown(FILE *out, const char *text, int width);

#endif
