/* tests/unit/base/test_progress.c: progress is monotone, and the user can cancel from any thread. */
#include "base/progress.h"
#include "support/check.h"

#include <pthread.h>

#include <omp.h>

/* Calls of a callback; it cancels at call number cancel_at (0: never). */
typedef struct witness {
    int calls, cancel_at;
    int backwards, outside, other_thread;
    double last;
    char stage[64];
    pthread_t caller;
} witness;

static witness fresh_witness(int cancel_at)
{
    witness seen = {.cancel_at = cancel_at, .last = 0, .caller = pthread_self()};
    return seen;
}

static int watch(const char *stage, double fraction, void *context)
{
    witness *seen = context;
    seen->calls++;
    seen->backwards += fraction < seen->last;
    seen->outside += !(fraction >= 0 && fraction <= 1);
    seen->other_thread += !pthread_equal(pthread_self(), seen->caller);
    seen->last = fraction;
    strncpy(seen->stage, stage, sizeof seen->stage - 1);
    return seen->calls == seen->cancel_at;
}

static void check_orderly(const witness *seen)
{
    assert_int_equal(seen->backwards, 0);
    assert_int_equal(seen->outside, 0);
    assert_int_equal(seen->other_thread, 0);
}

/* Waits longer than the interval between two calls of the user. */
static void let_time_pass(void)
{
    double until = volt_seconds() + 0.06;
    while (volt_seconds() < until)
        ;
}

static void stages_share_one_scale(void **state)
{
    witness seen = fresh_witness(0);
    volt_progress progress = {watch, &seen};
    volt_stage stage;

    volt_stage_begin(&stage, progress, "gram", 0, 0.25, 10);
    assert_true(seen.last == 0);
    assert_string_equal(seen.stage, "gram");
    for (int i = 0; i < 10; i++) {
        if (i == 4)
            let_time_pass();
        assert_true(volt_stage_advance(&stage, 1));
        if (i == 4)
            assert_true(seen.last == 0.125); /* 5 of 10 units of a quarter */
    }
    check_ok(volt_stage_end(&stage));
    assert_true(seen.last == 0.25);

    volt_stage_begin(&stage, progress, "factor", 0.25, 0.75, 4);
    assert_true(seen.last == 0.25);
    let_time_pass();
    assert_true(volt_stage_advance(&stage, 9)); /* progress is capped at the announced total */
    assert_true(seen.last == 1);
    check_ok(volt_stage_end(&stage));
    assert_string_equal(seen.stage, "factor");
    assert_true(seen.last == 1);
    check_orderly(&seen);
}

static void callback_rate_is_limited(void **state)
{
    witness seen = fresh_witness(0);
    volt_stage stage;
    double start = volt_seconds();
    volt_stage_begin(&stage, (volt_progress){watch, &seen}, "gram", 0, 1, 100000);
    for (int i = 0; i < 100000; i++)
        volt_stage_advance(&stage, 1);
    double seconds = volt_seconds() - start;
    check_ok(volt_stage_end(&stage));
    assert_true(seen.calls <= 2 + (int)(seconds / 0.05));
    check_orderly(&seen);
}

static void cancellation_reports_stage_name(void **state)
{
    witness seen = fresh_witness(2);
    volt_stage stage;
    volt_stage_begin(&stage, (volt_progress){watch, &seen}, "gram", 0, 1, 10);
    assert_true(volt_stage_should_continue(&stage));
    volt_stage_set_interval(1e9); /* the user is not called yet, whatever the load */
    assert_true(volt_stage_advance(&stage, 1));
    volt_stage_set_interval(0.05);
    let_time_pass();
    assert_false(volt_stage_advance(&stage, 1));
    assert_false(volt_stage_should_continue(&stage));
    assert_false(volt_stage_advance(&stage, 1));
    int calls = seen.calls;
    check_fails(volt_stage_end(&stage), VOLT_ERR_CANCELLED, "gram");
    assert_int_equal(seen.calls, calls); /* the user is not called after a cancellation */
}

static void cancellation_at_first_or_last_call(void **state)
{
    volt_stage stage;
    witness first = fresh_witness(1);
    volt_stage_begin(&stage, (volt_progress){watch, &first}, "gram", 0, 1, 10);
    assert_false(volt_stage_should_continue(&stage));
    assert_false(volt_stage_advance(&stage, 1));
    check_fails(volt_stage_end(&stage), VOLT_ERR_CANCELLED, "gram");

    witness last = fresh_witness(2);
    volt_stage_begin(&stage, (volt_progress){watch, &last}, "gram", 0, 1, 10);
    assert_true(volt_stage_should_continue(&stage));
    check_fails(volt_stage_end(&stage), VOLT_ERR_CANCELLED, "gram");
}

static void null_callback_is_allowed(void **state)
{
    volt_stage stage;
    volt_stage_begin(&stage, (volt_progress){NULL, NULL}, "gram", 0, 1, 0);
    assert_true(volt_stage_advance(&stage, 5));
    assert_true(volt_stage_should_continue(&stage));
    check_ok(volt_stage_end(&stage));
}

/* Time limit for threads that are not stopped. Exceeding it is a defect and not the effect of a loaded
 * machine. */
enum { FOREVER = 60 };

/* Advances in `n_threads` threads; returns the time until they stopped. */
static double work_in_parallel(volt_stage *stage, int n_threads)
{
    double start = volt_seconds();
#pragma omp parallel num_threads(n_threads)
    while (volt_stage_advance(stage, 1) && volt_seconds() - start < FOREVER)
        ;
    return volt_seconds() - start;
}

static void all_threads_of_a_region_stop(void **state)
{
    witness seen = fresh_witness(3);
    volt_stage stage;
    volt_stage_begin(&stage, (volt_progress){watch, &seen}, "gram", 0, 1, 1e12);
    double seconds = work_in_parallel(&stage, 3);
    check_fails(volt_stage_end(&stage), VOLT_ERR_CANCELLED, "gram");
    assert_true(seconds < FOREVER);
    assert_int_equal(seen.calls, 3);
    check_orderly(&seen);
}

/* A program may call the library from its own parallel region. Each call has its own stage; each caller
 * receives its progress and can cancel, from any thread of the region. */
static void every_caller_in_a_region_can_cancel(void **state)
{
    enum { CALLERS = 3 };
    witness seen[CALLERS];
    double seconds[CALLERS] = {0};
    volt_status ends[CALLERS];
    int team = 0;
#pragma omp parallel num_threads(CALLERS)
    {
        int me = omp_get_thread_num();
        volt_stage stage;
        seen[me] = fresh_witness(3);
        volt_stage_begin(&stage, (volt_progress){watch, &seen[me]}, "gram", 0, 1, 1e12);
        double start = volt_seconds();
        while (volt_stage_advance(&stage, 1) && seconds[me] < FOREVER)
            seconds[me] = volt_seconds() - start;
        ends[me] = volt_stage_end(&stage);
#pragma omp single
        team = omp_get_num_threads();
    }
    for (int i = 0; i < team; i++) {
        assert_int_equal(ends[i], VOLT_ERR_CANCELLED);
        assert_int_equal(seen[i].calls, 3);
        assert_true(seconds[i] < FOREVER);
        check_orderly(&seen[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_share_one_scale),
        cmocka_unit_test(callback_rate_is_limited),
        cmocka_unit_test(cancellation_reports_stage_name),
        cmocka_unit_test(cancellation_at_first_or_last_call),
        cmocka_unit_test(null_callback_is_allowed),
        cmocka_unit_test(all_threads_of_a_region_stop),
        cmocka_unit_test(every_caller_in_a_region_can_cancel),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
