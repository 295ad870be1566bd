/* cli/progress_bar.c: progress on standard error. */
#define _POSIX_C_SOURCE 200809L
#include "progress_bar.h"

#include "interrupt.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double bar_after = 0.3, bar_every = 0.1; /* seconds, on a terminal */
static const double line_after = 5, line_every = 10;  /* seconds, elsewhere */
enum { BAR_WIDTH = 30 };

static struct {
    bool quiet, is_terminal;
    bool drawn;           /* a bar stands on the screen */
    double began, spoken; /* clock readings; spoken 0: nothing said yet */
} state;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ", 12 s left" once there is enough to go by. */
static const char *time_left(double elapsed, double fraction, char text[QUANTITY_LENGTH + 16])
{
    char left[QUANTITY_LENGTH];
    text[0] = '\0';
    if (fraction > 0.02 && fraction < 1)
        snprintf(text, QUANTITY_LENGTH + 16, ", about %s left",
                 format_seconds(ceil(elapsed * (1 - fraction) / fraction), left));
    return text;
}

static void draw_bar(const char *stage, double fraction, double elapsed)
{
    char bar[BAR_WIDTH + 1], left[QUANTITY_LENGTH + 16];
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < (int)(fraction * BAR_WIDTH) ? '#' : '-';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r\033[K%s [%s] %3.0f%% %s%s", report_command(), bar, 100 * fraction, stage,
            time_left(elapsed, fraction, left));
    fflush(stderr);
    state.drawn = true;
}

static void print_line(const char *stage, double fraction, double elapsed)
{
    char left[QUANTITY_LENGTH + 16];
    fprintf(stderr, "volterra %s: %.0f%% done (%s)%s\n", report_command(), 100 * fraction, stage,
            time_left(elapsed, fraction, left));
}

static int on_progress(const char *stage, double fraction, void *context)
{
    (void)context;
    if (!state.quiet && !interrupt_seen()) {
        double now = seconds_now(), elapsed = now - state.began;
        double after = state.is_terminal ? bar_after : line_after;
        double every = state.is_terminal ? bar_every : line_every;
        if (elapsed >= after && now - state.spoken >= every) {
            state.spoken = now;
            if (state.is_terminal)
                draw_bar(stage, fraction, elapsed);
            else
                print_line(stage, fraction, elapsed);
        }
    }
    return interrupt_seen();
}

volt_progress progress_begin(bool quiet)
{
    state.quiet = quiet;
    state.is_terminal = isatty(STDERR_FILENO);
    state.drawn = false;
    state.began = seconds_now();
    state.spoken = 0;
    interrupt_defer(true);
    volt_progress progress = {on_progress, NULL};
    return progress;
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
