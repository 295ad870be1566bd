/* web/web_progress.c: the functions of terminal/progress_bar.h for the worker of the page. */
#define _POSIX_C_SOURCE 200809L
#include "terminal/messages.h"
#include "terminal/progress_bar.h"
#include "text/text.h"

#include <emscripten.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const double every = 0.1; /* seconds */

static struct {
    double began, last;
    char text[512]; /* replaces the stage unless empty */
} state;

EM_JS(void, web_report, (const char *stage, double fraction),
      { Module["onProgress"](UTF8ToString(stage), fraction); })

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int on_progress(const char *stage, double fraction, void *context)
{
    (void)context;
    double now = seconds_now();
    if (now - state.last >= every) {
        state.last = now;
        web_report(state.text[0] ? state.text : stage, fraction);
    }
    return 0; /* the page cancels by ending the worker */
}

volt_progress progress_begin(bool quiet)
{
    (void)quiet;
    state.began = seconds_now();
    state.last = 0;
    state.text[0] = '\0';
    return (volt_progress){on_progress, NULL};
}

void progress_describe(const char *text)
{
    snprintf(state.text, sizeof state.text, "%s", text);
}

void progress_announce(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(state.text, sizeof state.text, format, args);
    va_end(args);
}

double progress_end(void)
{
    return seconds_now() - state.began;
}

void progress_clear(void)
{
}
