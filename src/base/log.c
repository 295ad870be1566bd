/* src/base/log.c: the log callback. */
#include "base/log.h"

#include "text/text.h"

#include <stdarg.h>
#include <stdio.h>

static volt_log_fn log_fn;
static void *log_context;

void volt_set_log(volt_log_fn log, void *context)
{
    log_fn = log;
    log_context = context;
}

void volt_log(volt_log_level level, const char *format, ...)
{
    if (!log_fn)
        return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log_fn(level, volt_make_printable(message), log_context);
}
