/* tests/unit/test_warnings.c: warnings of the program from several threads at once: each is printed once,
 * none is lost. */
#include "support/scratch.h"
#include "terminal/messages.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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

/* Output of print_warnings to standard error. */
static char *printed(void)
{
    const char *path = scratch_path("warnings");
    size_t size = 0;
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && freopen(path, "w", stderr));
    print_warnings();
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    return scratch_read(path, &size);
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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(concurrent_warnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
