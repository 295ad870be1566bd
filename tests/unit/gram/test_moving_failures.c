/* tests/unit/gram/test_moving_failures.c: moving columns with failed allocations, damaged states and many rows. */
#include "gram/engine/state.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

enum { FIRST = 20, SECOND = 150, N = FIRST + SECOND, MANY = 70, D = 2, FEW = 12 };

/* Additional kernels: a power of a reservoir product, and a single factor. */
static const char *const more_kernels[] = {"esn:size=6,radius=0.7,degree=3,coef0=0.5", "2*fir:mu=0.7", NULL};

typedef struct run {
    const char *text;
    double *rows;
    volt_resolved resolved;
    volt_moving *moving;
} run;

static void begin(const char *text, uint64_t seed, run *r)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    *r = (run){.text = text, .rows = random_rows(&rng, N, D, 0.9)};
    r->resolved = resolve_on(text, volt_view_of(r->rows, N, D));
    check_ok(volt_moving_create(&r->resolved, &r->moving));
}

static void end(run *r)
{
    volt_moving_free(r->moving);
    volt_resolved_release(&r->resolved);
    free(r->rows);
}

static void push(volt_moving *moving, const double *z, bool joins, double *k)
{
    check_ok(volt_moving_prepare(moving, z, joins, true));
    volt_moving_push(moving, z, joins, k);
}

static void push_few(run *r)
{
    double k[N];
    for (int64_t t = 0; t < FEW; t++)
        push(r->moving, r->rows + t * D, true, k);
}

/* The kernel list and the kernels above. Unsupported operations return an error. */
static void for_every_kernel(void (*test)(const char *text))
{
    for (int i = 0; engine_kernels[i]; i++)
        test(engine_kernels[i]);
    for (int i = 0; more_kernels[i]; i++)
        test(more_kernels[i]);
}

/* ---- many rows -------------------------------------------------------------------------------- */

/* A record, then another without added rows: more rows than the initial state capacity, and a current record
 * without columns. */
static void many_rows_pass(const char *text)
{
    static const int64_t lengths[] = {FIRST, SECOND};
    run r;
    double k[N], size = 1;
    begin(text, 821, &r);
    volt_view Z = volt_view_of(r.rows, N, D);
    double *K = records_gram(text, Z, lengths, 2);
    for (int64_t i = 0; i < (int64_t)N * N; i++)
        size = fmax(size, fabs(K[i]));
    for (int64_t t = 0; t < N; t++) {
        bool joins = t < FIRST;
        if (t == FIRST)
            check_ok(volt_moving_restart(r.moving));
        push(r.moving, r.rows + t * D, joins, k);
        for (int64_t j = 0; j < (joins ? t + 1 : FIRST); j++)
            if (!(fabs(k[j] - K[t * N + j]) <= 2000 * N * DBL_EPSILON * size))
                fail_msg("%s: entry (%d, %d) is %.17g, and should be %.17g", text, (int)t, (int)j, k[j],
                         K[t * N + j]);
    }
    assert_int_equal(volt_moving_next(r.moving), FIRST);
    free(K);
    end(&r);
}

static void many_rows_without_joining(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.6,lambda_coef=0.8",
                                          "memory:gamma=1,rho=0.5,mu=0.8",
                                          "2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8", "linear:window=4",
                                          "esn:size=6,radius=0.7,degree=3,coef0=0.5"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        many_rows_pass(kernels[i]);
}

/* With a contraction rate of 0 the border has no effect, and an unused column is dropped immediately. */
static void stateless_engine_drops_nothing(void **state)
{
    static const char *const kernels[] = {"fir:mu=0", "fading:rho=0", "memory:rho=0,mu=0", "rbf:gamma=0.5"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        run r;
        double k[N], *K;
        begin(kernels[i], 826, &r);
        K = full_gram(kernels[i], volt_view_of(r.rows, N, D));
        for (int64_t t = 0; t < MANY; t++) {
            int64_t first = volt_moving_begin(r.moving);
            assert_int_equal(first, t > 5 ? t - 5 : 0);
            push(r.moving, r.rows + t * D, true, k);
            for (int64_t j = first; j <= t; j++)
                assert_true(fabs(k[j - first] - K[t * N + j]) <= 100 * DBL_EPSILON);
            volt_moving_release(r.moving, t > 4 ? t - 4 : 0);
        }
        free(K);
        end(&r);
    }
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Every allocation of the call fails in turn. A failure returns no object; `made` tells whether one was
 * returned. */
#define SWEEP(call, made, undo)                                           \
    for (int64_t fails = 1, hit = 1; hit; fails++) {                      \
        failing_alloc_start(fails);                                       \
        volt_status status = (call);                                      \
        hit = failing_alloc_hit();                                        \
        assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);        \
        assert_true(hit ? !(made) && failing_alloc_live() == 0 : (made)); \
        failing_alloc_stop();                                             \
        if (!hit)                                                         \
            (undo);                                                       \
    }

static void memory_fails_at_birth(const char *text)
{
    run r;
    begin(text, 822, &r);
    volt_moving *fresh = NULL;
    SWEEP(volt_moving_create(&r.resolved, &fresh), fresh != NULL, volt_moving_free(fresh))
    double k[N];
    int64_t rows = strstr(text, "window") ? FEW : MANY; /* more than the initial capacity of the states */
    for (int64_t t = 0; t < rows; t++)
        push(r.moving, r.rows + t * D, true, k);
    check_ok(volt_moving_restart(r.moving));
    push(r.moving, r.rows, true, k);
    volt_moving *copy = NULL;
    SWEEP(volt_moving_copy(r.moving, &copy), copy != NULL, (void)0)
    double again[N];
    push(r.moving, r.rows + FEW * D, true, k);
    push(copy, r.rows + FEW * D, true, again);
    assert_memory_equal(k, again, (size_t)(rows + 2) * sizeof *k);
    volt_moving_free(copy);
    end(&r);
}

/* A failed restart has no effect: the record continues. */
static void memory_fails_between_records(const char *text)
{
    run r, undisturbed;
    begin(text, 823, &r);
    begin(text, 823, &undisturbed);
    push_few(&r);
    push_few(&undisturbed);
    double k[N], wanted[N];
    int64_t fails = 1;
    for (int hit = 1; hit; fails++) {
        failing_alloc_start(fails);
        volt_status status = volt_moving_restart(r.moving);
        hit = failing_alloc_hit();
        failing_alloc_stop();
        assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
        if (!hit)
            break;
        const double *z = r.rows + (FEW + fails) * D;
        int64_t columns = volt_moving_next(r.moving);
        push(r.moving, z, false, k);
        push(undisturbed.moving, z, false, wanted);
        assert_memory_equal(k, wanted, (size_t)columns * sizeof *k);
    }
    assert_true(fails > 2);
    end(&undisturbed);
    end(&r);
}

static void every_allocation_may_fail(void **state)
{
    for_every_kernel(memory_fails_at_birth);
    for_every_kernel(memory_fails_between_records);
}

/* ---- damaged states --------------------------------------------------------------------------- */

static volt_status set_state(const run *r, const double *numbers, int64_t length)
{
    volt_moving *other = NULL;
    check_ok(volt_moving_create(&r->resolved, &other));
    volt_status status = volt_moving_set(other, numbers, length);
    if (status == VOLT_OK) { /* rows can be pushed to it in any case */
        double *k = new_matrix(1, volt_moving_next(other) - volt_moving_begin(other) + 1);
        push(other, r->rows, true, k);
        free(k);
    }
    volt_moving_free(other);
    return status;
}

/* Each number near the front, where the counts are stored, is replaced. */
static void damaged_numbers(const char *text)
{
    run r;
    begin(text, 824, &r);
    push_few(&r);
    int64_t length = volt_moving_length(r.moving);
    double *numbers = new_matrix(length, 1);
    volt_moving_get(r.moving, numbers);
    check_ok(set_state(&r, numbers, length));
    for (int64_t p = 0; p < 10 && p < length; p++) {
        double kept = numbers[p];
        const double others[] = {-1, 0.5, NAN, 0x1p60, kept + 1};
        for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
            numbers[p] = others[o];
            volt_status status = set_state(&r, numbers, length);
            assert_true(status == VOLT_OK || status == VOLT_ERR_FORMAT);
            if (o < 4 && p < 3) /* begin, tracks, length of the first track: these are counts */
                check_fails(status, VOLT_ERR_FORMAT, "state");
        }
        numbers[p] = kept;
    }
    const double nothing[] = {0, 1, 0}, no_record[] = {0, 0};
    check_fails(set_state(&r, nothing, 3), VOLT_ERR_FORMAT, "state");
    check_fails(set_state(&r, no_record, 2), VOLT_ERR_FORMAT, "record");
    free(numbers);
    end(&r);
}

/* A state of a sum: the first factor's part from one time, the second's from another. It starts with begin,
 * the number of tracks and the track length; each part starts with its length. */
static void factors_must_have_the_same_columns(void **state)
{
    run r;
    begin("fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8", 825, &r);
    push_few(&r);
    int64_t before = volt_moving_length(r.moving);
    double *early = new_matrix(before, 1), k[N];
    volt_moving_get(r.moving, early);
    push(r.moving, r.rows + FEW * D, true, k);
    int64_t after = volt_moving_length(r.moving);
    double *late = new_matrix(after, 1), *mixed = new_matrix(after + 1, 1);
    volt_moving_get(r.moving, late);
    int64_t first = 1 + (int64_t)late[3], behind = 4 + (int64_t)early[3], rest = before - behind;
    memcpy(mixed, late, (size_t)(3 + first) * sizeof *mixed);
    memcpy(mixed + 3 + first, early + behind, (size_t)rest * sizeof *mixed);
    mixed[2] = (double)(first + rest);
    check_fails(set_state(&r, mixed, 3 + first + rest), VOLT_ERR_FORMAT, "columns");
    memcpy(mixed, late, (size_t)after * sizeof *mixed);
    mixed[after] = 0;
    mixed[2]++;
    check_fails(set_state(&r, mixed, after + 1), VOLT_ERR_FORMAT, "numbers");
    free(mixed);
    free(late);
    free(early);
    end(&r);
}

static void damaged_states_are_rejected(void **state)
{
    for_every_kernel(damaged_numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows_without_joining),   cmocka_unit_test(stateless_engine_drops_nothing),
        cmocka_unit_test(every_allocation_may_fail),   cmocka_unit_test(factors_must_have_the_same_columns),
        cmocka_unit_test(damaged_states_are_rejected),
    };
    return cmocka_run_group_tests_name("moving failures", tests, NULL, NULL);
}
