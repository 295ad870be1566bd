/* tests/unit/predict/test_learner_late.c: targets that become known `ahead` rows after their row, and their
 * intervals. */
#include "predict/interval/interval.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/school.h"
#include "support/scratch.h"

enum { TRAIN = SCHOOL_TRAIN, N = SCHOOL_ROWS, D = SCHOOL_D, Q = SCHOOL_Q };

/* n eps times the condition number, as in test_learner.c. */
static const double tolerance = 100 * N * DBL_EPSILON * (10 * N) / 0.7;
static const double unknown[Q] = {NAN, NAN};

/* A scan, a scan with filters, windows, a sum, a reservoir. */
static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "memory:gamma=1,rho=0.5,mu=0.7,pole=0.3",
    "gak:window=4,sigma=1",
    "rbf:gamma=1,window=3",
    "volterra:tau_coef=0.5,lambda_coef=0.7 + 2*fir",
    "esn:size=7,seed=2",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void open_late(const char *text, uint64_t seed, int64_t ahead, school *s)
{
    open_school(text, seed, s);
    volt_model_free(s->model);
    s->fit.ahead = ahead;
    s->model = fit_rows(s, TRAIN, 0);
}

/* The target that becomes known with row t: that of the row `ahead` rows earlier, unless it is a training
 * row. */
static const double *known_at(const school *s, int64_t t)
{
    return t - s->fit.ahead >= TRAIN ? s->Y + (t - s->fit.ahead) * Q : unknown;
}

static volt_status advance(const school *s, volt_live *learner, int64_t t, double *forecast)
{
    return volt_live_update(learner, s->X + t * D, 1, known_at(s, t), forecast);
}

/* The forecast of row t equals that of a fit on rows first .. end - 1, continued over the rows between. */
static void check_fresh(const school *s, int64_t first, int64_t end, int64_t t, const double *found)
{
    volt_model *fresh = fit_rows(s, end, first);
    double expected[N * Q];
    check_ok(volt_model_predict(fresh, volt_view_of(s->X + end * D, t + 1 - end, D), NULL,
                                volt_matrix_of(expected, t + 1 - end, Q), NULL));
    for (int64_t k = 0; k < Q; k++) {
        double wanted = expected[(t - end) * Q + k];
        if (!(fabs(found[k] - wanted) <= tolerance * fmax(1, fabs(wanted))))
            fail_msg("%s, ahead %d, row %d: %.17g, and should be %.17g", s->text, (int)s->fit.ahead, (int)t,
                     found[k], wanted);
    }
    volt_model_free(fresh);
}

static void late_target_is_learned_on_arrival(void **state)
{
    static const int64_t aheads[] = {0, 1, 2, 5};
    for (int i = 0; i < KERNELS; i++)
        for (int a = 0; a < 4; a++)
            for (int64_t window = 0; window <= 9; window += 9) {
                school s;
                int64_t ahead = aheads[a];
                open_late(kernels[i], 871, ahead, &s);
                volt_live *learner = new_learner(s.model, window, 1);
                for (int64_t t = TRAIN; t < N; t++) {
                    double y[Q];
                    check_ok(advance(&s, learner, t, y));
                    /* with ahead 0 the row's own target is passed with it and learned after the forecast */
                    int64_t end = ahead == 0 ? t : t - ahead + 1 > TRAIN ? t - ahead + 1 : TRAIN;
                    if (t % 6 == 0)
                        check_fresh(&s, window > 0 ? end - window : 0, end, t, y);
                }
                assert_int_equal(info_of(learner).rows_fed, N - TRAIN);
                assert_int_equal(info_of(learner).learned, N - TRAIN - ahead);
                volt_live_free(learner);
                close_school(&s);
            }
}

/* The target of the newest row is learned after that of an earlier row, which changes its solution. */
static void newest_target_after_a_late_one(void **state)
{
    for (int i = 0; i < KERNELS; i++) {
        school s;
        double y[Q];
        open_late(kernels[i], 873, 2, &s);
        volt_live *learner = new_learner(s.model, 0, 1);
        check_ok(volt_live_feed(learner, s.X + TRAIN * D, y));
        check_ok(volt_live_feed(learner, s.X + (TRAIN + 1) * D, y));
        check_ok(volt_live_learn(learner, 1, s.Y + TRAIN * Q));
        check_ok(volt_live_learn(learner, 0, s.Y + (TRAIN + 1) * Q));
        assert_int_equal(info_of(learner).learned, 2);
        check_ok(volt_live_feed(learner, s.X + (TRAIN + 2) * D, y));
        check_fresh(&s, 0, TRAIN + 2, TRAIN + 2, y);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* If a target is the change from an input, the input of its own row is used. Copies keep it. */
static void difference_starts_at_its_row(void **state)
{
    static const int64_t anchors[Q] = {1, 0};
    school s;
    open_late(kernels[0], 877, 3, &s);
    volt_model_free(s.model);
    s.fit.target = VOLT_TARGET_CHANGE;
    s.fit.anchors = anchors;
    s.model = fit_rows(&s, TRAIN, 0);
    volt_live *learner = new_learner(s.model, 0, 1);
    for (int64_t t = TRAIN; t < N; t++) {
        double y[Q];
        volt_live *copy = NULL;
        check_ok(volt_live_copy(learner, &copy));
        volt_live_free(learner);
        learner = copy;
        check_ok(advance(&s, learner, t, y));
        if (t % 6 == 5)
            check_fresh(&s, 0, t - 2 > TRAIN ? t - 2 : TRAIN, t, y);
    }
    volt_live_free(learner);
    close_school(&s);
}

/* Rows whose target stays missing are skipped, and later rows are learned. */
static void missing_late_target_is_skipped(void **state)
{
    school s;
    double y[Q], A[N * Q], c[Q];
    int64_t rows[N], expected = TRAIN;
    open_late(kernels[0], 872, 3, &s);
    volt_live *learner = new_learner(s.model, 0, 1);
    for (int64_t t = TRAIN; t < N; t++)
        check_ok(volt_live_update(learner, s.X + t * D, 1, t % 4 == 1 ? unknown : known_at(&s, t), y));
    int64_t n = info_of(learner).rows;
    check_ok(volt_live_coefficients(learner, volt_matrix_of(A, n, Q), c, rows));
    for (int64_t i = TRAIN; i < n; i++, expected++) {
        if ((expected + 3) % 4 == 1)
            expected++;
        assert_int_equal(rows[i], expected);
    }
    volt_live_free(learner);
    close_school(&s);
}

/* The state of a learner, as the bytes of its file. */
static char *bytes_of(volt_live *learner, const char *name, size_t *size)
{
    check_ok(volt_live_save(learner, scratch_path(name)));
    return scratch_read(scratch_path(name), size);
}

static void check_same(volt_live *one, volt_live *two)
{
    size_t size = 0, other_size = 0;
    char *bytes = bytes_of(one, "one", &size), *other = bytes_of(two, "two", &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
}

/* Saved and loaded after every row: bitwise equal to an uninterrupted run. */
static void files_preserve_pending_rows(void **state)
{
    static const double coverages[] = {0.5, 0.9};
    for (int i = 0; i < KERNELS; i += 2) {
        school s;
        double y[Q], again_y[Q];
        open_late(kernels[i], 873, 3, &s);
        volt_live *whole = new_learner(s.model, 9, 1), *saved = NULL;
        check_ok(volt_live_track(whole, coverages, 2));
        check_ok(volt_live_save(whole, scratch_path("state")));
        for (int64_t t = TRAIN; t < N; t++) {
            check_ok(advance(&s, whole, t, y));
            check_ok(volt_live_load(s.model, NULL, scratch_path("state"), &saved));
            check_ok(advance(&s, saved, t, again_y));
            assert_memory_equal(y, again_y, sizeof y);
            check_ok(volt_live_save(saved, scratch_path("state")));
            volt_live_free(saved);
        }
        check_ok(volt_live_load(s.model, NULL, scratch_path("state"), &saved));
        check_same(whole, saved);
        volt_live_free(saved);
        volt_live_free(whole);
        close_school(&s);
    }
}

/* Any allocation fails: the row is accepted at the second call, with the same results. */
static void every_allocation_may_fail(void **state)
{
    for (int i = 0; i < 3; i++) {
        school s;
        open_late(kernels[i], 874, 2, &s);
        volt_live *plain = new_learner(s.model, 0, 1), *learner = new_learner(s.model, 0, 1);
        for (int64_t t = TRAIN; t < N; t++) {
            double expected[Q], found[Q] = {9, 9};
            volt_status status = VOLT_ERR_MEMORY;
            check_ok(advance(&s, plain, t, expected));
            for (int64_t k = 1; status == VOLT_ERR_MEMORY; k++) {
                failing_alloc_start(k);
                status = advance(&s, learner, t, found);
                failing_alloc_stop();
                assert_true(status == VOLT_OK || (found[0] == 9 && found[1] == 9));
            }
            check_ok(status);
            assert_memory_equal(found, expected, sizeof found);
        }
        assert_int_equal(info_of(learner).learned, info_of(plain).learned);
        assert_int_equal(info_of(learner).rows_fed, N - TRAIN);
        volt_live_free(learner);
        volt_live_free(plain);
        close_school(&s);
    }
}

/* The widths equal those of an interval updated by hand, before the observation. */
static void intervals_follow_the_targets(void **state)
{
    static const double coverages[] = {0.6, 0.9};
    for (int64_t ahead = 0; ahead <= 2; ahead += 2) {
        school s;
        const double *kept = NULL;
        double made[N * Q], half[2 * Q], expected[2 * Q];
        volt_interval *interval = NULL;
        open_late(kernels[0], 875, ahead, &s);
        volt_live *learner = new_learner(s.model, 12, 1);
        assert_int_equal(live_info(learner).n_coverages, 0);
        check_fails(volt_live_interval(learner, half), VOLT_ERR_ARGUMENT, "intervals");
        check_fails(volt_live_track(learner, (double[]){1.2}, 1), VOLT_ERR_ARGUMENT, "1.2");
        check_ok(volt_live_track(learner, coverages, 2));
        assert_int_equal(live_info(learner).n_coverages, 2);
        kept = live_info(learner).coverages;
        assert_true(kept[0] == 0.6 && kept[1] == 0.9);
        check_ok(volt_interval_create(s.model, coverages, 2, &interval));
        for (int64_t t = TRAIN; t < N; t++) {
            if (ahead > 0 && t - ahead >= TRAIN)
                check_ok(volt_interval_learn(interval, made + (t - ahead) * Q, known_at(&s, t)));
            volt_interval_half_widths(interval, expected);
            check_ok(advance(&s, learner, t, made + t * Q));
            check_ok(volt_live_interval(learner, half));
            assert_memory_equal(half, expected, sizeof half);
            if (ahead == 0)
                check_ok(volt_interval_learn(interval, made + t * Q, known_at(&s, t)));
        }
        volt_interval_free(interval);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* A target that cannot be learned, because its row is a duplicate and alpha is below rounding, is treated as
 * missing. The row that it is passed with is pushed and forecast, and later targets are learned. */
static void singular_target_does_not_block_row(void **state)
{
    for (int64_t ahead = 1; ahead <= 2; ahead++) {
        school s;
        open_late("rbf:gamma=0.5", 879, ahead, &s);
        volt_model_free(s.model);
        s.fit.alpha = 1e-17;
        s.fit.intercept = 0;
        s.model = fit_rows(&s, 1, 0);
        volt_live *learner = new_learner(s.model, 0, 1), *same = new_learner(s.model, 0, 1);
        for (int64_t t = 1; t < 8; t++) { /* row 2 duplicates the training row */
            const double *x = s.X + (t == 2 ? 0 : t) * D, *target = t > ahead ? s.Y + (t - ahead) * Q : unknown;
            bool is_twice = t - ahead == 2;
            double y[2][Q];
            volt_status status = volt_live_update(learner, x, 1, target, y[0]);
            assert_int_equal(status, is_twice ? VOLT_ERR_SINGULAR : VOLT_OK);
            check_ok(volt_live_update(same, x, 1, is_twice ? unknown : target, y[1]));
            assert_memory_equal(y[0], y[1], sizeof y[0]);
            assert_int_equal(info_of(learner).rows_fed, t);
            int64_t known = t > ahead ? t - ahead : 0;
            assert_int_equal(info_of(learner).learned, known > 1 ? known - 1 : known);
        }
        check_same(learner, same);
        volt_live_free(same);
        volt_live_free(learner);
        close_school(&s);
    }
}

static void rejected_call_changes_nothing(void **state)
{
    school s;
    double y[Q], bad[D] = {NAN, 0}, infinite[Q] = {1, INFINITY};
    open_late(kernels[1], 876, 2, &s);
    volt_live *learner = new_learner(s.model, 0, 1), *same = new_learner(s.model, 0, 1);
    for (int64_t t = TRAIN; t < TRAIN + 6; t++) {
        check_ok(advance(&s, learner, t, y));
        check_ok(advance(&s, same, t, y));
        check_fails(volt_live_update(learner, bad, 1, known_at(&s, t), y), VOLT_ERR_NOT_FINITE, "finite");
        if (t > TRAIN)
            check_fails(volt_live_update(learner, s.X, 1, infinite, y), VOLT_ERR_NOT_FINITE, "target 2");
        check_same(learner, same);
    }
    check_fails(volt_live_update(learner, s.X, 1, NULL, y), VOLT_ERR_ARGUMENT, "NULL");
    /* After a restart no row is waiting. After a later row is learned directly, no earlier row is. */
    check_ok(volt_live_restart(learner));
    int64_t learned = info_of(learner).learned;
    check_ok(volt_live_update(learner, s.X, 1, s.Y, y));
    check_ok(volt_live_update(learner, s.X + D, 1, s.Y, y));
    assert_int_equal(info_of(learner).learned, learned);
    check_ok(volt_live_learn(learner, 0, s.Y));
    check_ok(volt_live_update(learner, s.X + 2 * D, 1, s.Y, y));
    assert_int_equal(info_of(learner).learned, learned + 1);
    check_ok(volt_live_learn(learner, 0, s.Y)); /* the row itself, although others were solved for in between */
    volt_live_free(learner);
    volt_live_free(same);
    close_school(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_target_is_learned_on_arrival),
        cmocka_unit_test(difference_starts_at_its_row),
        cmocka_unit_test(missing_late_target_is_skipped),
        cmocka_unit_test(files_preserve_pending_rows),
        cmocka_unit_test(newest_target_after_a_late_one),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(intervals_follow_the_targets),
        cmocka_unit_test(singular_target_does_not_block_row),
        cmocka_unit_test(rejected_call_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
