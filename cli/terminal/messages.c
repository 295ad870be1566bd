/* cli/terminal/messages.c: errors and warnings on standard error. */
#define CLI_MESSAGES_C /* the macros for the analyser would replace the definitions */

#include "terminal/messages.h"

#include "terminal/progress_bar.h"
#include "text/text.h"
#include "volterra.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_CAPACITY = 1536, MAX_WARNINGS = 16 };

static const char *current_command;
static bool is_quiet, wants_details;
static pthread_mutex_t warnings_lock =
    PTHREAD_MUTEX_INITIALIZER; /* the library may warn from any of its threads */
static char *warnings[MAX_WARNINGS];
static int n_warnings;

void set_command_name(const char *name)
{
    current_command = name;
}

const char *command_name(void)
{
    return current_command ? current_command : "";
}

void set_quiet(bool quiet)
{
    is_quiet = quiet;
}

void set_verbose(bool verbose)
{
    wants_details = verbose;
}

bool is_verbose(void)
{
    return wants_details;
}

static void print_error(char *text)
{
    /* Names may contain any character: replace line breaks and terminal control characters. */
    volt_make_printable(text);
    progress_clear();
    fprintf(stderr, "volterra%s%s: %s\n", current_command ? " " : "", command_name(), text);
}

int complain(int exit_status, const char *format, ...)
{
    char text[LINE_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error(text);
    return exit_status;
}

void report(const char *format, ...)
{
    char text[LINE_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!is_quiet)
        print_error(text);
}

/* ---- errors of the library -------------------------------------------------------------------- */

static int exit_status_of(volt_status status)
{
    switch (status) {
    case VOLT_OK:
        return EXIT_DONE;
    case VOLT_ERR_ARGUMENT:
    case VOLT_ERR_KERNEL:
        return EXIT_USAGE;
    case VOLT_ERR_CANCELLED:
        return interrupt_exit_status();
    default:
        return EXIT_FAILED;
    }
}

static const char *sentence_of(volt_status status)
{
    const char *detail = volt_error_detail();
    return *detail ? detail : volt_status_message(status);
}

int complain_status(volt_status status)
{
    if (status == VOLT_ERR_CANCELLED || interrupt_seen())
        return complain(interrupt_exit_status(), "interrupted");
    return complain(exit_status_of(status), "%s", sentence_of(status));
}

int complain_status_hint(volt_status status, const char *format, ...)
{
    char hint[LINE_CAPACITY / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(hint, sizeof hint, format, args);
    va_end(args);
    if (status == VOLT_ERR_CANCELLED || interrupt_seen())
        return complain_status(status);
    return complain(exit_status_of(status), "%s%s", sentence_of(status), hint);
}

/* ---- failures that cannot be returned ---------------------------------------------------------- */

static bool lacked_memory;

void note_lack_of_memory(void)
{
    lacked_memory = true;
}

bool memory_was_out(void)
{
    return lacked_memory;
}

/* ---- warnings --------------------------------------------------------------------------------- */

static bool is_held(const char *text)
{
    for (int i = 0; i < n_warnings; i++)
        if (strcmp(warnings[i], text) == 0)
            return true;
    return false;
}

static void hold_warning(const char *text)
{
    pthread_mutex_lock(&warnings_lock);
    if (n_warnings < MAX_WARNINGS && !is_held(text)) {
        char *copy = malloc(strlen(text) + 1);
        if (copy) {
            strcpy(copy, text);
            warnings[n_warnings++] = volt_make_printable(copy);
        } else
            note_lack_of_memory();
    }
    pthread_mutex_unlock(&warnings_lock);
}

void warn(const char *format, ...)
{
    char text[LINE_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hold_warning(text);
}

const char *held_warning(void)
{
    return n_warnings > 0 ? warnings[0] : NULL;
}

void hold_library_warning(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING)
        hold_warning(message);
}

void print_warnings(void)
{
    progress_clear();
    for (int i = 0; i < n_warnings; i++) {
        if (!is_quiet)
            fprintf(stderr, "volterra: warning: %s\n", warnings[i]);
        free(warnings[i]);
    }
    n_warnings = 0;
}

/* ---- format bytes and seconds ------------------------------------------------------------------ */

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
    if (seconds < 999.5e-6) /* use the next unit if %.3g would round up to 1000 */
        snprintf(text, QUANTITY_LENGTH, "%.3g us", 1e6 * seconds);
    else if (seconds < 999.5e-3)
        snprintf(text, QUANTITY_LENGTH, "%.3g ms", 1e3 * seconds);
    else if (seconds < 120)
        snprintf(text, QUANTITY_LENGTH, "%.3g s", seconds);
    else if (seconds < 7200)
        snprintf(text, QUANTITY_LENGTH, "%.0f min", seconds / 60);
    else if (seconds < 2 * 86400)
        snprintf(text, QUANTITY_LENGTH, "%.1f hours", seconds / 3600);
    else if (seconds < 2 * 365.25 * 86400)
        snprintf(text, QUANTITY_LENGTH, "%.1f days", seconds / 86400);
    else
        snprintf(text, QUANTITY_LENGTH, "%.3g years", seconds / (365.25 * 86400));
    return text;
}

/* ---- untrusted text in tables ------------------------------------------------------------------ */

int shown_width(const char *text)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    int width = 0;
    for (size_t step; (step = volt_show_character(text, (size_t)(end - text), shown)) > 0; text += step)
        width++;
    return width;
}

void print_shown(FILE *out, const char *text, int width)
{
    char shown[VOLT_CHARACTER_LENGTH];
    const char *end = text + strlen(text);
    int written = 0;
    for (size_t step; (step = volt_show_character(text, (size_t)(end - text), shown)) > 0; text += step) {
        if (width > 0 && written == width)
            return;
        fputs(shown, out);
        written++;
    }
    fprintf(out, "%*s", written < width ? width - written : 0, "");
}
