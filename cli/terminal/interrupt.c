/* cli/terminal/interrupt.c: signal handling. */
#define _POSIX_C_SOURCE 200809L
#include "terminal/progress_bar.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught; /* signal number; 0: none */
static volatile sig_atomic_t deferred;

static void on_signal(int signal_number)
{
    static const char message[] = "volterra: interrupted\n";
    caught = signal_number;
    if (deferred)
        return;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(128 + signal_number);
    _exit(128 + signal_number);
}

static void set_action(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void interrupt_install(void)
{
    /* No SA_RESTART, so that a signal interrupts a blocked read. SA_RESETHAND: a second signal kills the
     * process. */
    set_action(SIGINT, on_signal, (int)SA_RESETHAND);
    set_action(SIGTERM, on_signal, (int)SA_RESETHAND);
    set_action(SIGHUP, on_signal, (int)SA_RESETHAND);
    set_action(SIGPIPE, SIG_DFL, 0);
#ifdef SIGXFSZ
    set_action(SIGXFSZ, SIG_IGN, 0);
#endif
}

void interrupt_defer(bool on)
{
    deferred = on;
}

bool interrupt_seen(void)
{
    return caught != 0;
}

static int cancel_if_seen(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return interrupt_seen();
}

volt_progress interrupt_watch(void)
{
    volt_progress progress = {interrupt_seen() ? NULL : cancel_if_seen, NULL};
    return progress;
}

int interrupt_exit_status(void)
{
    return 128 + (caught ? caught : SIGINT);
}
