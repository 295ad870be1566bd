/* cli/terminal/progress_bar.c: progress display on standard error. */
#define _DEFAULT_SOURCE /* terminal size */
#include "terminal/progress_bar.h"

#include "terminal/messages.h"
#include "text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double bar_after = 0.3, bar_every = 0.1; /* seconds, on a terminal */
#ifdef __EMSCRIPTEN__                                 /* web/worker.js reads the lines */
static const double line_after = 0, line_every = 0.1;
#else
static const double line_after = 5, line_every = 10; /* seconds, not on a terminal */
#endif
enum { BAR_WIDTH = 30, SHORT_BAR = 12, TEXT_CAPACITY = 512 };

static struct {
    bool quiet, is_terminal;
    bool drawn;                        /* a bar is on the screen */
    double began, last_line;           /* clock readings; last_line 0: no line yet */
    double first_fraction, first_time; /* first report: a call may continue earlier work */
    char text[TEXT_CAPACITY];          /* replaces the stage unless empty */
} state;

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Writes ", about 12 s left" once enough progress has been made for an estimate. */
static const char *time_left(double now, double fraction, char text[QUANTITY_LENGTH + 16])
{
    char left[QUANTITY_LENGTH];
    double done = fraction - state.first_fraction;
    text[0] = '\0';
    if (done > 0.02 && fraction < 1)
        snprintf(text, QUANTITY_LENGTH + 16, ", about %s left",
                 format_seconds(ceil((now - state.first_time) * (1 - fraction) / done), left));
    return text;
}

/* Rounded down, so that 100 is the end. */
static double percent(double fraction)
{
    return floor(100 * fraction);
}

/* Truncates the line to the terminal width, because a wrapped line cannot be erased by the next one. */
static void fit_terminal(char *line)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 4)
        return;
    if (strlen(line) >= size.ws_col)
        strcpy(line + size.ws_col - 4, "...");
}

static void draw_bar(const char *stage, double fraction, double now)
{
    char bar[BAR_WIDTH + 1], left[QUANTITY_LENGTH + 16], line[TEXT_CAPACITY + 128];
    int width = state.text[0] ? SHORT_BAR : BAR_WIDTH;
    for (int i = 0; i < width; i++)
        bar[i] = i < (int)(fraction * width) ? '#' : '-';
    bar[width] = '\0';
    time_left(now, fraction, left);
    if (state.text[0])
        snprintf(line, sizeof line, "%s [%s] %3.0f%%%s: %s", command_name(), bar, percent(fraction), left,
                 state.text);
    else
        snprintf(line, sizeof line, "%s [%s] %3.0f%% %s%s", command_name(), bar, percent(fraction), stage,
                 left);
    fit_terminal(line);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    state.drawn = true;
}

static void print_line(const char *stage, double fraction, double now)
{
    char left[QUANTITY_LENGTH + 16];
    time_left(now, fraction, left);
    if (state.text[0])
        fprintf(stderr, "volterra %s: %.0f%% done%s: %s\n", command_name(), percent(fraction), left,
                state.text);
    else
        fprintf(stderr, "volterra %s: %.0f%% done (%s)%s\n", command_name(), percent(fraction), stage, left);
}

static int on_progress(const char *stage, double fraction, void *context)
{
    (void)context;
    if (!state.quiet && !interrupt_seen()) {
        double now = seconds_now(), elapsed = now - state.began;
        if (state.first_time == 0) {
            state.first_time = now;
            state.first_fraction = fraction;
        }
        double after = state.is_terminal ? bar_after : line_after;
        double every = state.is_terminal ? bar_every : line_every;
        if (elapsed >= after && now - state.last_line >= every) {
            state.last_line = now;
            if (state.is_terminal)
                draw_bar(stage, fraction, now);
            else
                print_line(stage, fraction, now);
        }
    }
    return interrupt_seen();
}

volt_progress progress_begin(bool quiet)
{
    memset(&state, 0, sizeof state);
    state.quiet = quiet;
    state.is_terminal = isatty(STDERR_FILENO);
    state.began = seconds_now();
    interrupt_defer(true);
    return (volt_progress){on_progress, NULL};
}

void progress_describe(const char *text)
{
    snprintf(state.text, sizeof state.text, "%s", text);
    volt_make_printable(state.text);
}

void progress_announce(const char *format, ...)
{
    if (state.quiet)
        return;
    char text[TEXT_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    progress_clear();
    fprintf(stderr, "volterra %s: %s\n", command_name(), volt_make_printable(text));
}

double progress_end(void)
{
    progress_clear();
    interrupt_defer(false);
    return seconds_now() - state.began;
}

void progress_clear(void)
{
    if (!state.drawn)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    state.drawn = false;
}
