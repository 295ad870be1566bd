/* tests/unit/base/test_fork.c: a forked child of a process that has used the library can use it on one thread. A
 * child inherits only one thread of its parent, and OpenMP would wait for the others indefinitely; an alarm
 * turns this into a failure. */
#define _POSIX_C_SOURCE 200809L
#include "base/threads.h"
#include "support/check.h"
#include "support/child.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/select.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 600, D = 2, ROWS = 200, DRAWS = 3, HANGS = 300 /* seconds */ };

static double *X, *Y, *fresh;

static int make_rows(void **state)
{
    volt_rng rng = test_rng(3100);
    X = random_rows(&rng, N, D, 1);
    Y = normal_rows(&rng, N, 1);
    fresh = random_rows(&rng, ROWS, D, 1);
    return 0;
}

static int free_rows(void **state)
{
    free(fresh);
    free(Y);
    free(X);
    return 0;
}

/* ---- one call of each kind -------------------------------------------------------------------- */

typedef struct results {
    double forecast[ROWS], score[DRAWS];
} results;

static volt_status fit_and_predict(const char *text, double *forecast)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.washout = 10; /* their fitted values use BLAS outside a loop */
    double *fitted = malloc(N * sizeof *fitted);
    volt_status status = fitted ? volt_kernel_parse(text, &kernel) : VOLT_ERR_MEMORY;
    if (status == VOLT_OK)
        status = volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, 1), &options,
                                volt_matrix_of(fitted, N, 1), &model);
    if (status == VOLT_OK)
        status = volt_model_predict(model, volt_view_of(fresh, ROWS, D), NULL,
                                    volt_matrix_of(forecast, ROWS, 1), NULL);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(fitted);
    return status;
}

static volt_status search(double *score)
{
    volt_candidates *draws = NULL;
    volt_search *found = NULL;
    volt_search_options options = volt_search_options_default();
    options.draws = DRAWS;
    options.race = VOLT_RACE_NONE;
    volt_status status = volt_candidates_draw("volterra", volt_view_of(X, N, D), NULL, &draws);
    if (status == VOLT_OK)
        status = volt_search_run(draws, volt_view_of(X, N, D), volt_view_of(Y, N, 1), &options, &found);
    for (int i = 0; i < DRAWS && status == VOLT_OK; i++)
        score[i] = volt_search_trial(found, i)->score;
    volt_search_free(found);
    volt_candidates_free(draws);
    return status;
}

/* The signature kernel multiplies its features with BLAS outside a loop. */
static volt_status work(results *out)
{
    double ignored[ROWS];
    volt_status status = fit_and_predict("sig:level=2,window=4", ignored);
    if (status == VOLT_OK)
        status = fit_and_predict("volterra:tau_coef=0.4,lambda_coef=0.6", out->forecast);
    return status == VOLT_OK ? search(out->score) : status;
}

/* K + alpha I has a condition of at most n largest(K) / alpha < 1e5 here (largest(K) < 10), and the
 * summation order of BLAS depends on the threads: 1e5 eps, times 100 for the constants of the factorisation. */
static int near(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e7 * DBL_EPSILON * fmax(1, fabs(b[i]))))
            return 0;
    return 1;
}

/* ---- in the child ----------------------------------------------------------------------------- */

enum { RIGHT, FAILED, DIFFERS, THREADS, WARNING };

static char logged[256];

static void listen(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING)
        snprintf(logged, sizeof logged, "%s", message);
}

static int child(const results *expected)
{
    results own;
    alarm(HANGS);
    if (volt_threads() != 1)
        return THREADS;
    if (work(&own) != VOLT_OK)
        return FAILED;
    if (!near(own.forecast, expected->forecast, ROWS) || !near(own.score, expected->score, DRAWS))
        return DIFFERS;
    /* Requests for more threads log a warning and leave one thread. Requests for one or for the default do
     * not warn. */
    volt_set_log(listen, NULL);
    if (volt_set_threads(1) != VOLT_OK || volt_set_threads(0) != VOLT_OK || logged[0])
        return WARNING;
    if (volt_set_threads(2) != VOLT_OK || !strstr(logged, "one thread, not 2"))
        return WARNING;
    if (volt_set_threads(4) != VOLT_OK || !strstr(logged, "one thread, not 4"))
        return WARNING;
    if (volt_set_threads_local(3, NULL) != VOLT_OK || volt_threads() != 1 || volt_default_threads() != 1)
        return THREADS;
    if (!strstr(logged, "one thread, not 3"))
        return WARNING;
    return work(&own) == VOLT_OK ? RIGHT : FAILED;
}

static void *child_in_a_thread(void *expected)
{
    child_ends(child(expected));
}

static int result_of(pid_t pid)
{
    int status = 0;
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        fail_msg("the child was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void forked_child_uses_one_thread(void **state)
{
    results expected;
    check_ok(volt_set_threads(3));
    check_ok(work(&expected));
    for (int round = 0; round < 2; round++) {
        pid_t pid = fork();
        if (pid == 0)
            child_ends(child(&expected));
        assert_int_equal(result_of(pid), RIGHT);
        assert_int_equal(volt_threads(), 3); /* the parent keeps its threads */
        results again;
        check_ok(work(&again));
        assert_true(near(again.forecast, expected.forecast, ROWS));
    }
    check_ok(volt_set_threads(0));
}

static void thread_and_grandchild_use_one_thread(void **state)
{
    results expected;
    check_ok(volt_set_threads(3));
    check_ok(work(&expected));
    pid_t pid = fork();
    if (pid == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            child_ends(child(&expected));
        int status = 0;
        waitpid(grandchild, &status, 0);
        pthread_t thread;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != RIGHT ||
            pthread_create(&thread, NULL, child_in_a_thread, &expected))
            child_ends(FAILED);
        pthread_join(thread, NULL);
    }
    assert_int_equal(result_of(pid), RIGHT);
    check_ok(volt_set_threads(0));
}

/* A server that forks into the background before its first call keeps its threads. Must be the first test:
 * no thread runs yet. */
static void child_of_single_threaded_process_uses_all_threads(void **state)
{
    pid_t pid = fork();
    if (pid == 0) {
        results own;
        alarm(HANGS);
        child_ends(volt_set_threads(3) == VOLT_OK && volt_threads() == 3 && work(&own) == VOLT_OK ? RIGHT
                                                                                                  : FAILED);
    }
    assert_int_equal(result_of(pid), RIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(child_of_single_threaded_process_uses_all_threads),
        cmocka_unit_test(forked_child_uses_one_thread),
        cmocka_unit_test(thread_and_grandchild_use_one_thread),
    };
    return cmocka_run_group_tests_name("fork", tests, make_rows, free_rows);
}
