/* tests/unit/cli/test_outputs.c: outputs of the program: digits of numbers, reports after a failed allocation, files written while a
 * signal arrives. */
#define _POSIX_C_SOURCE 200809L
#include "files/outputs.h"
#include "support/check.h"
#include "support/child.h"
#include "support/scratch.h"
#include "terminal/digits.h"
#include "terminal/progress_bar.h"
#include "terminal/results.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- reports ---------------------------------------------------------------------------------- */

static int redirect(FILE *stream, const char *path)
{
    fflush(stream);
    int kept = dup(fileno(stream)), file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && file >= 0 && dup2(file, fileno(stream)) >= 0);
    close(file);
    return kept;
}

static void restore(FILE *stream, int kept)
{
    fflush(stream);
    assert_true(dup2(kept, fileno(stream)) >= 0);
    close(kept);
}

/* Prints and frees the results. Returns the exit status; *text receives the standard output. */
static int print_to_text(result_list *results, char **text)
{
    const char *path = scratch_path("report");
    int out = redirect(stdout, path), messages = redirect(stderr, "/dev/null");
    int exit_status = results_print(results);
    restore(stderr, messages);
    restore(stdout, out);
    *text = scratch_read(path, NULL);
    assert_non_null(*text);
    return exit_status;
}

static result_list *inner_results(void)
{
    result_list *inner = results_new(true);
    assert_non_null(inner);
    results_count(inner, "rows", NULL, 7);
    return inner;
}

/* NULL is a list that could not be allocated. The report is not printed then, whatever is added later. */
static void incomplete_reports_are_not_printed(void **state)
{
    void (*const add[])(result_list *, const char *, result_list *) = {results_nest, results_append};
    for (int i = 0; i < 2; i++)
        for (int lacks = 0; lacks < 2; lacks++) {
            char *text;
            result_list *results = results_new(true);
            assert_non_null(results);
            if (lacks)
                add[i](results, "first", NULL);
            add[i](results, "second", inner_results());
            assert_int_equal(print_to_text(results, &text), lacks ? EXIT_FAILED : EXIT_DONE);
            if (lacks)
                assert_string_equal(text, "");
            else
                assert_non_null(strstr(text, "\"rows\": 7"));
            free(text);
        }
}

/* ---- files ------------------------------------------------------------------------------------ */

static int signal_in_fsync; /* raised by the next call; 0: none */

int __real_fsync(int file);
int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
    int number = signal_in_fsync;
    signal_in_fsync = 0;
    if (number)
        raise(number);
    return __real_fsync(file);
}

/* A signal during writing takes effect after the file is in place; a later one ends the program immediately. */
static void signals_wait_for_text_files(void **state)
{
    const char *path = scratch_write_text("page.html", "old");
    int before = scratch_count(), ended;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect(stderr, "/dev/null");
        interrupt_install();
        signal_in_fsync = SIGINT;
        if (output_text(path, "new") == 0 && interrupt_seen())
            raise(SIGTERM);
        child_ends(1);
    }
    assert_true(waitpid(child, &ended, 0) == child);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 128 + SIGTERM);
    char *text = scratch_read(path, NULL);
    assert_string_equal(text, "new");
    assert_int_equal(scratch_count(), before); /* no temporary file */
    free(text);
}

/* ---- digits ----------------------------------------------------------------------------------- */

static void numbers_have_four_digits(void **state)
{
    assert_string_equal(digits(0.123456).text, "0.1235");
    assert_string_equal(digits(9999.6).text, "10000");
    assert_string_equal(digits(-1234567).text, "-1235000");
    assert_string_equal(digits(1e7).text, "1e+07");
    assert_string_equal(digits(NAN).text, "nan");
    assert_string_equal(digits(0.999998).text, "0.999998"); /* not 1 */
    assert_string_equal(digits(-0.99996).text, "-0.99996");
    assert_string_equal(digits(1).text, "1");
    assert_string_equal(parameter_digits(0.1234567).text, "0.123457");
}

static void columns_have_equal_decimals(void **state)
{
    assert_int_equal(column_decimals(0.0176), 4);
    assert_int_equal(column_decimals(12.34), 2);
    assert_int_equal(column_decimals(12345), 0);
    assert_int_equal(column_decimals(0), 3);
    assert_int_equal(column_decimals(INFINITY), 3);
    assert_int_equal(column_decimals(1e-30), 9);
    assert_string_equal(fixed_digits(0.5, 3).text, "0.500");
    assert_string_equal(fixed_digits(-1e-9, 3).text, "0.000");
    assert_string_equal(fixed_digits(12345678, 0).text, "12345678");
    assert_string_equal(fixed_digits(12345678, 2).text, "1.23e+07");
    assert_int_equal(error_decimals(0.337, 372), 2);
    assert_int_equal(error_decimals(14, 1687), 0);
    assert_int_equal(error_decimals(1e-13, 301), 3);
    assert_int_equal(error_decimals(NAN, 301), 1);
    assert_string_equal(error_digits(0.72654, 0.0123).text, "0.727 +- 0.012");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incomplete_reports_are_not_printed),
        cmocka_unit_test(numbers_have_four_digits),
        cmocka_unit_test(columns_have_equal_decimals),
        cmocka_unit_test(signals_wait_for_text_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
