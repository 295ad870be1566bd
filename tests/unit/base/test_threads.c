/* tests/unit/base/test_threads.c: the number of threads is set in one place, and a thread can override it. */
#include "base/threads.h"
#include "support/check.h"
#include "volterra/base.h"

#include <pthread.h>

#include <omp.h>

static void thread_count_persists_until_default(void **state)
{
    int64_t initial = volt_threads();
    assert_int_equal(initial, omp_get_max_threads());
    for (int64_t count = 1; count <= 5; count++) {
        check_ok(volt_set_threads(count));
        assert_int_equal(volt_threads(), count);
    }
    check_ok(volt_set_threads(0));
    assert_int_equal(volt_threads(), initial);
}

static void impossible_counts_are_rejected_and_change_nothing(void **state)
{
    check_ok(volt_set_threads(3));
    check_fails(volt_set_threads(-1), VOLT_ERR_ARGUMENT, "threads -1");
    check_fails(volt_set_threads(INT64_MIN), VOLT_ERR_ARGUMENT, "-9223372036854775808");
    check_fails(volt_set_threads(INT64_MAX), VOLT_ERR_ARGUMENT, "9223372036854775807");
    assert_int_equal(volt_threads(), 3);
    check_ok(volt_set_threads(0));
}

/* ---- number of the calling thread ------------------------------------------------------------- */

typedef struct stranger {
    int64_t threads, own;
} stranger;

static void *look_from_another_thread(void *context)
{
    stranger *seen = context;
    seen->threads = volt_threads();
    check_ok(volt_set_threads_local(0, &seen->own));
    return NULL;
}

static void *ask_openmp(void *context)
{
    volt_threads();
    *(int *)context = omp_get_max_threads();
    return NULL;
}

static stranger seen_by_another_thread(void)
{
    stranger seen = {-1, -1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, look_from_another_thread, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return seen;
}

static void local_thread_count(void **state)
{
    check_ok(volt_set_threads(3));
    check_ok(volt_set_threads_local(2, NULL));
    assert_int_equal(volt_threads(), 2);
    assert_int_equal(omp_get_max_threads(), 1); /* for BLAS, see threads.c */
    stranger seen = seen_by_another_thread();
    assert_int_equal(seen.threads, 3);
    assert_int_equal(seen.own, 0);
    check_ok(volt_set_threads(2)); /* of the process, set here */
    int64_t before = -1;
    check_ok(volt_set_threads_local(0, &before));
    assert_int_equal(before, 2);
    assert_int_equal(volt_threads(), 2);
    assert_int_equal(omp_get_max_threads(), 2);
    check_fails(volt_set_threads_local(-1, &before), VOLT_ERR_ARGUMENT, "threads -1");
    assert_int_equal(before, 2);
    check_ok(volt_set_threads(0));
    assert_int_equal(volt_threads(), volt_default_threads());
}

/* BLAS uses the OpenMP setting of each thread; a new thread has the default. */
static void process_thread_count_reaches_blas(void **state)
{
    check_ok(volt_set_threads(5));
    int seen = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_openmp, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(seen, 5);
    check_ok(volt_set_threads(0));
}

/* Small work runs on one thread, also in BLAS, and the numbers of before return. */
static void small_work_has_one_thread(void **state)
{
    check_ok(volt_set_threads(5));
    const double work[] = {0, 1, 1.9, 2, 3.5, 5, 1e9};
    const int64_t threads[] = {1, 1, 1, 2, 3, 5, 5};
    for (int i = 0; i < 7; i++) {
        int64_t before = -1;
        assert_int_equal(volt_threads_for(work[i] * VOLT_WORK_PER_THREAD), threads[i]);
        assert_int_equal(volt_threads_begin(work[i] * VOLT_WORK_PER_THREAD, &before), threads[i]);
        int64_t during = threads[i] == 1 ? 1 : 5;
        assert_int_equal(omp_get_max_threads(), during);
        assert_int_equal(volt_threads(), during);
        volt_threads_end(before);
        assert_int_equal(volt_threads(), 5);
        assert_int_equal(omp_get_max_threads(), 5);
    }
    check_ok(volt_set_threads_local(2, NULL)); /* a number of the calling thread stays */
    int64_t before = -1;
    assert_int_equal(volt_threads_begin(0, &before), 1);
    assert_int_equal(volt_threads(), 2);
    volt_threads_end(before);
    assert_int_equal(volt_threads(), 2);
    check_ok(volt_set_threads_local(0, NULL));
    check_ok(volt_set_threads(0));
}

static void build_info_is_complete(void **state)
{
    check_ok(volt_set_threads(2));
    volt_build_info info = {.struct_size = sizeof info};
    volt_build_info_get(&info);
    char header[64];
    snprintf(header, sizeof header, "%d.%d.%d", VOLT_VERSION_MAJOR, VOLT_VERSION_MINOR, VOLT_VERSION_PATCH);
    assert_string_equal(header, volt_version()); /* set in CMakeLists.txt */
    assert_string_equal(info.version, volt_version());
    assert_int_equal(info.threads, 2);
    const char *const texts[] = {info.version, info.compiler, info.cpu_flags, info.fast_loops, info.blas};
    for (int i = 0; i < 5; i++)
        assert_true(texts[i] && strlen(texts[i]) > 0);
    assert_string_equal(volt_threads_from(), "asked for");
    check_ok(volt_set_threads(0));
    assert_string_not_equal(volt_threads_from(), "asked for");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_count_persists_until_default),
        cmocka_unit_test(impossible_counts_are_rejected_and_change_nothing),
        cmocka_unit_test(local_thread_count),
        cmocka_unit_test(process_thread_count_reaches_blas),
        cmocka_unit_test(small_work_has_one_thread),
        cmocka_unit_test(build_info_is_complete),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
