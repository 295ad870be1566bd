/* tests/property/test_soak.c: a short soak test: the drift of streams and learners is bounded by rounding,
 * and their memory does not grow.
 *
 * `make soak` runs the long one. */
#include "support/check.h"
#include "support/long_run.h"

enum { SAMPLES = 4 };

typedef struct record {
    int seen;
    int64_t held;
} record;

static void check_sample(void *context, const soak_sample *sample)
{
    record *r = context;
    if (!(sample->error <= sample->bound))
        fail_msg("off by %g after %d rows, and rounding leaves room for %g", sample->error, (int)sample->rows,
                 sample->bound);
    if (r->seen++ == 0)
        r->held = sample->held;
    assert_int_equal(sample->held, r->held);
}

static void soak_of_stream(void **state)
{
    record r = {0};
    soak_count();
    check_ok(soak_stream(10000, SAMPLES, check_sample, &r));
    soak_uncount();
    assert_int_equal(r.seen, SAMPLES);
}

static void soak_of_learner(void **state)
{
    record r = {0};
    soak_count();
    check_ok(soak_learn(60, 1000, SAMPLES, check_sample, &r));
    soak_uncount();
    assert_int_equal(r.seen, SAMPLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(soak_of_stream), cmocka_unit_test(soak_of_learner)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
