/* tests/unit/gram/test_moving.c: on every engine, entries for a moving window of columns equal those of the full
 * matrix. */
#include "gram/engine/state.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

enum { N = 120, D = 2 };

/* Additional kernels: windows that are long, augmented, normalised or shorter than the sequence. */
static const char *const more_kernels[] = {"rbf:window=40,gamma=0.3", "sig:window=5,augment=time,level=2",
                                           "sigpde:static=rbf,window=4", "gak:window=30,sigma=2", NULL};

/* Tolerance for kernel entries of size up to `size`: sums and recursions in a different order, n eps each,
 * with a margin for slowly fading memory. */
static double tolerance(const double *K)
{
    double size = 1;
    for (int64_t i = 0; i < (int64_t)N * N; i++)
        size = fmax(size, fabs(K[i]));
    return 2000 * N * DBL_EPSILON * size;
}

typedef struct run {
    const char *text;
    double *rows, *K;
    volt_resolved resolved;
    volt_moving *moving;
} run;

/* Rows of which the first has the largest norm. */
static void begin(const char *text, uint64_t seed, const int64_t *lengths, int64_t n, run *r)
{
    volt_rng rng = test_rng(seed);
    r->text = text;
    r->rows = random_rows(&rng, N, D, 0.9);
    r->rows[0] = 0.9;
    r->rows[1] = 0.2;
    volt_view Z = volt_view_of(r->rows, N, D);
    r->K = n > 0 ? records_gram(text, Z, lengths, n) : full_gram(text, Z);
    r->resolved = resolve_on(text, Z);
    check_ok(volt_moving_create(&r->resolved, &r->moving));
}

static void end(run *r)
{
    volt_moving_free(r->moving);
    volt_resolved_release(&r->resolved);
    free(r->K);
    free(r->rows);
}

static void push(run *r, int64_t t, double *k)
{
    check_ok(volt_moving_prepare(r->moving, r->rows + t * D, true, k != NULL));
    volt_moving_push(r->moving, r->rows + t * D, true, k);
}

/* Row t, whose entries start at column `begin`, as far as requested. */
static void compare(const run *r, int64_t t, int64_t begin, int64_t wanted, const double *k)
{
    double most = tolerance(r->K);
    for (int64_t j = wanted; j <= t; j++)
        if (!(fabs(k[j - begin] - r->K[t * N + j]) <= most))
            fail_msg("%s: entry (%d, %d) is %.17g, and should be %.17g", r->text, (int)t, (int)j, k[j - begin],
                     r->K[t * N + j]);
}

/* A window that slides, grows, stays constant and shrinks. */
static void entries_are_those_of_the_whole_matrix(const char *text)
{
    run r;
    double k[N];
    begin(text, 811, NULL, 0, &r);
    for (int64_t t = 0, wanted = 0; t < N; t++) {
        bool is_wanted = t < 20 || t > 30;
        int64_t first = volt_moving_begin(r.moving);
        assert_int_equal(volt_moving_next(r.moving), t);
        assert_true(first <= wanted);
        push(&r, t, is_wanted ? k : NULL);
        if (is_wanted)
            compare(&r, t, first, wanted, k);
        wanted = t < 40 ? (t > 8 ? t - 8 : 0) : t < 65 ? 40 : t < 70 ? 63 : t < 90 ? t - 6 : t < 110 ? 89 : t;
        volt_moving_release(r.moving, wanted);
    }
    end(&r);
}

static void every_engine_supports_moving_window(void **state)
{
    for (int i = 0; engine_kernels[i]; i++)
        entries_are_those_of_the_whole_matrix(engine_kernels[i]);
    for (int i = 0; more_kernels[i]; i++)
        entries_are_those_of_the_whole_matrix(more_kernels[i]);
}

/* If one row is dropped for each new row, columns before the window are exact too. Kernels with short memory
 * keep few of them, and the border before the first column takes the value of the dropped column. */
static void precision_at_buffer_edge(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.3,lambda_coef=0.3",
                                          "memory:gamma=1,rho=0.2,mu=0.3", "fading:rho=0.2",
                                          "2*fir:mu=0.2 + volterra:lambda_coef=0.2"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        run r;
        double k[N];
        begin(kernels[i], 816, NULL, 0, &r);
        for (int64_t t = 0; t < N; t++) {
            int64_t first = volt_moving_begin(r.moving);
            push(&r, t, k);
            compare(&r, t, first, first, k);
            volt_moving_release(r.moving, t > 5 ? t - 5 : 0);
        }
        assert_true(volt_moving_begin(r.moving) > 0);
        end(&r);
    }
}

static void records_reset_state(void **state)
{
    static const int64_t lengths[] = {20, 1, 35, 3, 30, 31};
    for (int i = 0; engine_kernels[i]; i++) {
        run r;
        double k[N];
        begin(engine_kernels[i], 812, lengths, 6, &r);
        for (int64_t t = 0, record = 0, stop = lengths[0], wanted = 0; t < N; t++) {
            if (t == stop) {
                stop += lengths[++record];
                check_ok(volt_moving_restart(r.moving));
            }
            int64_t first = volt_moving_begin(r.moving);
            push(&r, t, k);
            compare(&r, t, first, wanted, k);
            wanted = t < 40 ? 0 : t < 70 ? t - 35 : t < 80 ? 44 : t - 12;
            volt_moving_release(r.moving, wanted);
        }
        end(&r);
    }
}

/* Records with all columns released, and empty records, use no memory. A release past the last row releases
 * all rows. */
static void dropped_records_free_memory(void **state)
{
    static const int64_t lengths[] = {10, 10, N - 20};
    for (int i = 0; engine_kernels[i]; i++) {
        run r;
        double k[N];
        begin(engine_kernels[i], 815, lengths, 3, &r);
        int64_t empty = volt_moving_length(r.moving);
        for (int64_t t = 0; t < 10; t++)
            push(&r, t, NULL);
        check_ok(volt_moving_restart(r.moving));
        int64_t length = volt_moving_length(r.moving);
        check_ok(volt_moving_restart(r.moving)); /* of an empty record */
        assert_int_equal(volt_moving_length(r.moving), length);
        volt_moving_release(r.moving, 10);
        assert_int_equal(volt_moving_begin(r.moving), 10);
        assert_int_equal(volt_moving_length(r.moving), empty);
        for (int64_t t = 10; t < 20; t++)
            push(&r, t, NULL);
        check_ok(volt_moving_restart(r.moving));
        volt_moving_release(r.moving, N + 7);
        assert_int_equal(volt_moving_begin(r.moving), 20);
        assert_int_equal(volt_moving_next(r.moving), 20);
        for (int64_t t = 20; t < 40; t++) {
            int64_t first = volt_moving_begin(r.moving);
            push(&r, t, k);
            compare(&r, t, first, t < 30 ? 20 : t, k);
            if (t == 29)
                volt_moving_release(r.moving, N + 7);
        }
        end(&r);
    }
}

/* A copy continues independently, bit for bit. Rows that are not added leave its columns unchanged. */
static void copy_has_same_state(void **state)
{
    for (int i = 0; engine_kernels[i]; i++) {
        run r;
        double k[N], again[N];
        begin(engine_kernels[i], 813, NULL, 0, &r);
        for (int64_t t = 0; t < 90; t++) {
            push(&r, t, k);
            volt_moving_release(r.moving, t > 50 ? t - 37 : 0);
        }
        volt_moving *copy = NULL, *own = r.moving;
        check_ok(volt_moving_copy(own, &copy));
        for (int64_t t = 90; t < 100; t++) {
            int64_t count = t + 1 - volt_moving_begin(own);
            r.moving = own;
            push(&r, t, k);
            r.moving = copy;
            push(&r, t, again);
            assert_memory_equal(k, again, (size_t)count * sizeof *k);
            volt_moving_release(own, t - 37);
            volt_moving_release(copy, t - 37);
        }
        int64_t first = volt_moving_begin(copy), columns = volt_moving_next(copy) - first;
        for (int64_t t = 100; t < N; t++) {
            check_ok(volt_moving_prepare(copy, r.rows + t * D, false, true));
            volt_moving_push(copy, r.rows + t * D, false, k);
            assert_int_equal(volt_moving_next(copy), 100);
            for (int64_t j = 0; j < columns; j++)
                assert_true(fabs(k[j] - r.K[t * N + first + j]) <= tolerance(r.K) || first + j < 62);
        }
        volt_moving_free(copy);
        r.moving = own;
        end(&r);
    }
}

/* Rows at which columns are moved in memory or reallocated. */
static bool is_tried(int64_t t)
{
    return t == 0 || t == 1 || t == 33 || (t > 61 && t < 68);
}

/* The k-th allocation fails: the state is unchanged, and the row can be pushed again. */
static void every_allocation_may_fail(void **state)
{
    for (int i = 0; engine_kernels[i]; i++) {
        run r;
        double k[N];
        begin(engine_kernels[i], 814, NULL, 0, &r);
        for (int64_t t = 0; t < 68; t++) {
            for (int64_t fails = is_tried(t) ? 1 : 1000;; fails++) {
                failing_alloc_start(fails);
                volt_status status = volt_moving_prepare(r.moving, r.rows + t * D, true, true);
                int hit = failing_alloc_hit();
                failing_alloc_stop();
                assert_int_equal(status, hit ? VOLT_ERR_MEMORY : VOLT_OK);
                if (!hit)
                    break;
            }
            int64_t first = volt_moving_begin(r.moving);
            volt_moving_push(r.moving, r.rows + t * D, true, k);
            compare(&r, t, first, first, k);
            volt_moving_release(r.moving, t > 60 ? t - 10 : 0);
        }
        end(&r);
    }
}

/* Invalid state arrays. */
static void damaged_states_are_rejected(void **state)
{
    for (int i = 0; engine_kernels[i]; i++) {
        run r;
        begin(engine_kernels[i], 815, NULL, 0, &r);
        double k[N];
        for (int64_t t = 0; t < 12; t++)
            push(&r, t, k);
        int64_t length = volt_moving_length(r.moving);
        double *whole = new_matrix(length + 1, 1);
        whole[length] = 0;
        volt_moving_get(r.moving, whole);
        for (int64_t cut = -1; cut < length; cut += 1 + cut / 4) {
            volt_moving *other = NULL;
            check_ok(volt_moving_create(&r.resolved, &other));
            check_fails(volt_moving_set(other, whole, cut < 0 ? length + 1 : cut), VOLT_ERR_FORMAT, "state");
            volt_moving_free(other);
        }
        free(whole);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_supports_moving_window),
        cmocka_unit_test(precision_at_buffer_edge),
        cmocka_unit_test(records_reset_state),
        cmocka_unit_test(dropped_records_free_memory),
        cmocka_unit_test(copy_has_same_state),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(damaged_states_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
