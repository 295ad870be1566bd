/* src/base/error.c: status messages, and the error message of each thread. */
#define BASE_ERROR_C /* the macros for the analyser would replace the definitions */

#include "base/error.h"

#include "text/text.h"
#include "volterra/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DETAIL_CAPACITY = 1024 };

static _Thread_local char detail[DETAIL_CAPACITY];

const char *volt_status_message(volt_status status)
{
    static const char *const messages[] = {
#define STATUS_MESSAGE(code, message) message,
        VOLT_STATUS_LIST(STATUS_MESSAGE)
#undef STATUS_MESSAGE
    };
    if ((int)status < 0 || (size_t)status >= sizeof messages / sizeof *messages)
        return "unknown status";
    return messages[status];
}

const char *volt_error_detail(void)
{
    return detail;
}

volt_status volt_fail(volt_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    volt_make_printable(detail); /* it may contain names and texts from files */
    return status;
}

volt_status volt_fail_prefix(volt_status status, const char *format, ...)
{
    char old[DETAIL_CAPACITY];
    memcpy(old, detail, sizeof old);

    va_list args;
    va_start(args, format);
    int used = vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    if (used >= 0 && used < DETAIL_CAPACITY - 2) {
        /* Not snprintf: the message may be truncated on purpose, and compilers warn about that. */
        size_t capacity = sizeof detail - (size_t)used - 3, kept = strlen(old);
        if (kept > capacity)
            kept = capacity;
        memcpy(detail + used, ": ", 2);
        memcpy(detail + used + 2, old, kept);
        detail[(size_t)used + 2 + kept] = '\0';
    }
    volt_make_printable(detail);
    return status;
}

/* ---- the log callback -------------------------------------------------------------------------- */

static volt_log_fn log_fn;
static void *log_context;
static _Thread_local bool is_muted;

void volt_log_mute(bool mute)
{
    is_muted = mute;
}

void volt_set_log(volt_log_fn log, void *context)
{
    log_fn = log;
    log_context = context;
}

void volt_log(volt_log_level level, const char *format, ...)
{
    if (!log_fn || is_muted)
        return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log_fn(level, volt_make_printable(message), log_context);
}
