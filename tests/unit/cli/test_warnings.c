/* tests/unit/cli/test_warnings.c: messages of the program: warnings from several threads, units, padding, and progress on
 * a clock of the test. */
#define _GNU_SOURCE /* pseudo-terminals, terminal size */
#include "support/check.h"
#include "support/scratch.h"
#include "terminal/messages.h"
#include "terminal/progress_bar.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, TEXTS = 12, ROUNDS = 50 }; /* fewer texts than the program stores */

static void *say_all(void *context)
{
    char text[32];
    for (int i = 0; i < ROUNDS * TEXTS; i++) {
        snprintf(text, sizeof text, "matter %d.", i % TEXTS);
        hold_library_warning(i % 2 ? VOLT_LOG_INFO : VOLT_LOG_WARNING, i % 2 ? "news" : "a matter of all",
                             context);
        hold_library_warning(VOLT_LOG_WARNING, text, context);
    }
    return NULL;
}

/* ---- standard error --------------------------------------------------------------------------- */

/* Replaces standard error by the open file and returns a copy of the earlier one. */
static int redirect(int file)
{
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(file, STDERR_FILENO) >= 0);
    close(file);
    return kept;
}

static void restore(int kept)
{
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
}

static int redirect_to_file(void)
{
    return redirect(open(scratch_path("messages"), O_WRONLY | O_CREAT | O_TRUNC, 0600));
}

/* Restores standard error and returns the text written since redirect_to_file. */
static char *text_of_file(int kept)
{
    size_t size = 0;
    restore(kept);
    return scratch_read(scratch_path("messages"), &size);
}

/* ---- warnings --------------------------------------------------------------------------------- */

static char *printed(void)
{
    int kept = redirect_to_file();
    print_warnings();
    return text_of_file(kept);
}

static int count(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        found++;
    return found;
}

static void concurrent_warnings(void **state)
{
    pthread_t threads[THREADS];
    char text[32];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, say_all, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char *lines = printed();
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "warning: matter %d.\n", i);
        assert_int_equal(count(lines, text), 1);
    }
    assert_int_equal(count(lines, "a matter of all"), 1);
    assert_int_equal(count(lines, "news"), 0); /* not a warning */
    assert_int_equal(count(lines, "\n"), TEXTS + 1);
    assert_null(held_warning());
    free(lines);
}

/* ---- units and padding ------------------------------------------------------------------------ */

static void units_change_at_their_limits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } bytes[] = {{0, "0 bytes"},      {1023, "1023 bytes"},  {1024, "1.0 KiB"},   {1536, "1.5 KiB"},
                 {0x1p20, "1.0 MiB"}, {0x1p30, "1.0 GiB"},   {0x1p40, "1.0 TiB"}, {0x1p50, "1.0 PiB"},
                 {0x1p60, "1.0 EiB"}, {0x1p70, "1024.0 EiB"}},
      seconds[] = {{0.000999, "999 us"},
                   {0.00099951, "1 ms"},
                   {0.999, "999 ms"},
                   {0.99951, "1 s"},
                   {1, "1 s"},
                   {119.9, "120 s"},
                   {120, "2 min"},
                   {7199, "120 min"},
                   {7200, "2.0 hours"},
                   {2 * 86400 - 1, "48.0 hours"},
                   {2 * 86400, "2.0 days"},
                   {730 * 86400.0, "730.0 days"},
                   {730.5 * 86400, "2 years"}};
    char text[QUANTITY_LENGTH];
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        assert_string_equal(format_bytes(bytes[i].value, text), bytes[i].text);
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        assert_string_equal(format_seconds(seconds[i].value, text), seconds[i].text);
}

static void texts_are_cut_and_padded(void **state)
{
    static const struct {
        const char *text;
        int width;
        const char *shown;
    } cases[] = {{"abc", 0, "abc"},
                 {"abc", 2, "ab"},
                 {"abc", 3, "abc"},
                 {"abc", 5, "abc  "},
                 {"\xc3\xa9t\xc3\xa9", 4, "\xc3\xa9t\xc3\xa9 "},
                 {"a\nb", 3, "a?b"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *made = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&made, &size);
        assert_non_null(out);
        print_shown(out, cases[i].text, cases[i].width);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(made, cases[i].shown);
        free(made);
    }
    assert_int_equal(shown_width("\xc3\xa9t\xc3\xa9"), 3);
    assert_int_equal(shown_width(""), 0);
}

static void quiet_programs_print_errors_only(void **state)
{
    set_command_name("fit");
    for (int quiet = 0; quiet < 2; quiet++) {
        int kept = redirect_to_file();
        set_quiet(quiet);
        report("%d rows", 3);
        warn("w");
        warn("w");
        assert_string_equal(held_warning(), "w");
        print_warnings();
        assert_int_equal(complain(7, "a\nb"), 7);
        set_quiet(false);
        char *text = text_of_file(kept);
        assert_string_equal(text, quiet ? "volterra fit: a?b\n"
                                        : "volterra fit: 3 rows\nvolterra: warning: w\nvolterra fit: a?b\n");
        free(text);
    }
}

/* ---- progress --------------------------------------------------------------------------------- */

static double test_clock = -1; /* seconds; negative: the clock of the system */

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (test_clock < 0 || clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec = (time_t)test_clock;
    now->tv_nsec = (long)(1e9 * (test_clock - (double)now->tv_sec));
    return 0;
}

/* Reports progress at a time. All times and fractions are multiples of powers of two. */
static void advance(volt_progress progress, double time, double fraction)
{
    test_clock = time;
    assert_int_equal(progress.report("factor", fraction, progress.context), 0);
}

/* Not on a terminal: the first line after 5 s, one every 10 s, with an estimate after 2 % of the work. */
static void progress_lines(void **state)
{
    int kept = redirect_to_file();
    set_command_name("fit");
    test_clock = 1000;
    volt_progress progress = progress_begin(false);
    advance(progress, 1001, 0.25);
    advance(progress, 1004.75, 0.25);
    advance(progress, 1005, 0.265625);
    advance(progress, 1014.75, 0.5);
    advance(progress, 1015, 0.5);
    progress_describe("3 of\n4");
    advance(progress, 1025, 0.9990234375);
    advance(progress, 1035, 1);
    progress_announce("%d left", 2);
    test_clock = 1036.5;
    assert_true(progress_end() == 36.5);
    progress = progress_begin(false);
    advance(progress, 1041.5, 0.5); /* the text and the estimate of the first run are forgotten */
    progress_end();
    progress = progress_begin(true);
    advance(progress, 1100, 0.5);
    progress_announce("nothing");
    progress_end();
    test_clock = -1;
    char *text = text_of_file(kept);
    assert_string_equal(text, "volterra fit: 26% done (factor)\n"
                              "volterra fit: 50% done (factor), about 28 s left\n"
                              "volterra fit: 99% done, about 1 s left: 3 of?4\n"
                              "volterra fit: 100% done: 3 of?4\n"
                              "volterra fit: 2 left\n"
                              "volterra fit: 50% done (factor)\n");
    free(text);
}

/* A pseudo-terminal with that many columns; *kept is the earlier standard error. */
static int open_terminal(unsigned short columns, int *kept)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
        return -1;
    int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(other >= 0 && ioctl(other, TIOCSWINSZ, &size) == 0);
    assert_true(fcntl(terminal, F_SETFL, O_NONBLOCK) == 0);
    *kept = redirect(other);
    return terminal;
}

/* Asserts the text written to the terminal since the last call. */
static void assert_shown(int terminal, const char *expected)
{
    char text[1024];
    ssize_t length = read(terminal, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    assert_string_equal(text, expected);
}

/* On a terminal: a bar after 0.3 s, drawn again after 0.1 s, cut at the width, and erased at the end. */
static void progress_bars(void **state)
{
    int kept = -1, terminal = open_terminal(80, &kept);
    if (terminal < 0) {
        print_message("there are no pseudo-terminals\n");
        skip();
    }
    set_command_name("fit");
    test_clock = 1000;
    volt_progress progress = progress_begin(false);
    advance(progress, 1000.25, 0.25);
    assert_shown(terminal, "");
    advance(progress, 1000.3125, 0.25);
    assert_shown(terminal, "\r\033[Kfit [#######-----------------------]  25% factor");
    advance(progress, 1000.375, 0.5);
    assert_shown(terminal, "");
    advance(progress, 1001.25, 0.5);
    assert_shown(terminal, "\r\033[Kfit [###############---------------]  50% factor, about 2 s left");
    progress_describe("a description of exactly as many letters..");
    advance(progress, 1002, 1); /* 67 columns */
    assert_shown(terminal, "\r\033[Kfit [############] 100%: a description of exactly as many letters..");
    struct winsize size = {.ws_row = 24, .ws_col = 68};
    assert_int_equal(ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
    advance(progress, 1003, 1);
    assert_shown(terminal, "\r\033[Kfit [############] 100%: a description of exactly as many letters..");
    size.ws_col = 67;
    assert_int_equal(ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
    advance(progress, 1004, 1);
    assert_shown(terminal, "\r\033[Kfit [############] 100%: a description of exactly as many lette...");
    size.ws_col = 4;
    assert_int_equal(ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
    advance(progress, 1005, 1);
    assert_shown(terminal, "\r\033[K...");
    size.ws_col = 3;
    assert_int_equal(ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
    advance(progress, 1006, 1);
    assert_shown(terminal, "\r\033[Kfit [############] 100%: a description of exactly as many letters..");
    assert_true(progress_end() == 6);
    assert_shown(terminal, "\r\033[K");
    progress_clear();
    assert_shown(terminal, "");
    test_clock = -1;
    restore(kept);
    close(terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concurrent_warnings),      cmocka_unit_test(units_change_at_their_limits),
        cmocka_unit_test(texts_are_cut_and_padded), cmocka_unit_test(quiet_programs_print_errors_only),
        cmocka_unit_test(progress_lines),           cmocka_unit_test(progress_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
