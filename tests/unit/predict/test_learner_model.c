/* tests/unit/predict/test_learner_model.c: the model of all rows that a learner has learned, and outputs without the
 * kernel. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/predict_std.h"
#include "support/school.h"
#include "support/scratch.h"
#include "support/tensor_fields.h"

enum { TRAIN = SCHOOL_TRAIN, N = SCHOOL_ROWS, D = SCHOOL_D, Q = SCHOOL_Q, LAST = N - 6 };

/* n eps times the condition number, as in test_learner.c. */
static const double tolerance = 100 * N * DBL_EPSILON * (10 * N) / 0.7;
static const double unknown[Q] = {NAN, NAN};
static const volt_progress silent = {0};

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

static void refit(school *s, int64_t rows)
{
    volt_model_free(s->model);
    s->model = fit_rows(s, rows, s->fit.washout);
}

/* Rows TRAIN .. end - 1, each with the targets that became known with it. */
static volt_live *learn_to(const school *s, int64_t end)
{
    volt_live *learner = new_learner(s->model, 0, 1);
    for (int64_t t = TRAIN; t < end; t++) {
        int64_t of = t - s->fit.ahead;
        check_ok(volt_live_update(learner, s->X + t * D, 1, of >= TRAIN ? s->Y + of * Q : unknown, NULL));
    }
    return learner;
}

static volt_model *model_of(const volt_live *learner, int keep_factor)
{
    volt_model *model = NULL;
    check_ok(volt_live_model(learner, keep_factor, silent, &model));
    return model;
}

static void check_near(const char *what, const double *found, const double *wanted, int64_t count)
{
    double size = 1;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(wanted[i]));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(found[i] - wanted[i]) <= tolerance * size))
            fail_msg("%s: number %d is %.17g, and should be %.17g", what, (int)i, found[i], wanted[i]);
}

/* Predictions of the following rows, coefficients, intercepts, errors and intervals of two models. */
static void check_same(const char *what, const school *s, const volt_model *found, const volt_model *wanted)
{
    static const double levels[2] = {0.5, 0.8};
    double a[N * Q], b[N * Q];
    volt_model_info one = {.struct_size = sizeof one}, other = {.struct_size = sizeof other};
    volt_model_get_info(found, &one);
    volt_model_get_info(wanted, &other);
    assert_int_equal(one.n, other.n);
    assert_int_equal(one.n_records, other.n_records);
    int64_t rest = N - one.n;
    volt_view X = volt_view_of(s->X + one.n * D, rest, D);
    check_ok(volt_model_predict(found, X, NULL, volt_matrix_of(a, rest, Q), NULL));
    check_ok(volt_model_predict(wanted, X, NULL, volt_matrix_of(b, rest, Q), NULL));
    check_near(what, a, b, rest * Q);
    check_near(what, one.coefficients, other.coefficients, one.n * Q);
    check_near(what, one.intercepts, other.intercepts, Q);
    int64_t errors = volt_model_errors_read(found, volt_matrix_of(a, 0, 0));
    assert_int_equal(errors, volt_model_errors_read(wanted, volt_matrix_of(b, 0, 0)));
    volt_model_errors_read(found, volt_matrix_of(a, errors, Q));
    volt_model_errors_read(wanted, volt_matrix_of(b, errors, Q));
    for (int64_t i = 0; i < errors * Q; i++) /* NaN where there was no forecast */
        if (isnan(b[i])) {
            assert_true(isnan(a[i]));
            a[i] = b[i] = 0;
        }
    check_near(what, a, b, errors * Q);
    check_ok(volt_model_interval(found, levels, 2, volt_matrix_of(a, 2, Q)));
    check_ok(volt_model_interval(wanted, levels, 2, volt_matrix_of(b, 2, Q)));
    check_near(what, a, b, 2 * Q);
}

/* Predictions of a loaded model are bitwise equal. */
static void check_saved(const school *s, const volt_model *model)
{
    double a[N * Q], b[N * Q];
    const char *path = scratch_path("grown.safetensors");
    volt_model *again = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &again));
    int64_t rest = N - info.n;
    volt_predict_options options = volt_predict_options_default();
    options.beyond = VOLT_BEYOND_ALLOW;
    volt_view X = volt_view_of(s->X + info.n * D, rest, D);
    check_ok(volt_model_predict(model, X, &options, volt_matrix_of(a, rest, Q), NULL));
    check_ok(volt_model_predict(again, X, &options, volt_matrix_of(b, rest, Q), NULL));
    assert_memory_equal(a, b, (size_t)(rest * Q) * sizeof *a);
    volt_model_free(again);
}

static void learner_model_equals_fit_on_all_rows(void **state)
{
    static const int64_t aheads[] = {0, 1, 3};
    for (int i = 0; i < KERNELS; i++)
        for (int a = 0; a < 3; a++)
            for (int64_t washout = 0; washout <= 2; washout += 2) {
                school s;
                open_school(kernels[i], 1601, &s);
                s.fit.ahead = aheads[a];
                s.fit.washout = washout;
                refit(&s, TRAIN);
                volt_live *learner = learn_to(&s, LAST);
                volt_model *grown = model_of(learner, 0);
                volt_model *whole = fit_rows(&s, LAST - aheads[a], washout);
                check_same(kernels[i], &s, grown, whole);
                check_saved(&s, grown);
                volt_live_free(learner);
                volt_model_free(whole);
                volt_model_free(grown);
                close_school(&s);
            }
}

static void grown_model_keeps_the_factor(void **state)
{
    school s;
    double a[N * Q], b[N * Q], mean[N * Q];
    open_school(kernels[0], 1607, &s);
    volt_live *learner = learn_to(&s, LAST);
    volt_model *grown = model_of(learner, 1);
    volt_view X = volt_view_of(s.X + LAST * D, N - LAST, D);
    s.fit.keep_factor = 1;
    volt_model *whole = fit_rows(&s, LAST, 0);
    check_ok(
        predict_std(grown, X, NULL, volt_matrix_of(mean, N - LAST, Q), volt_matrix_of(a, N - LAST, Q), NULL));
    check_ok(
        predict_std(whole, X, NULL, volt_matrix_of(mean, N - LAST, Q), volt_matrix_of(b, N - LAST, Q), NULL));
    check_near("standard deviations", a, b, (N - LAST) * Q);
    volt_model_free(grown);
    volt_model_free(whole);
    volt_live_free(learner);
    close_school(&s);
}

/* A restart starts a new record, also in the model. A new learner can be created from a model exported by a
 * learner. */
static void restarts_are_records(void **state)
{
    static const int64_t lengths[] = {TRAIN + 4, LAST - TRAIN - 4};
    for (int i = 0; i < KERNELS; i++) {
        school s;
        open_school(kernels[i], 1609, &s);
        volt_live *learner = new_learner(s.model, 0, 1);
        volt_live *later = NULL;
        volt_model *half = NULL;
        for (int64_t t = TRAIN; t < LAST; t++) {
            if (t == TRAIN + 4)
                check_ok(volt_live_restart(learner));
            check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
            if (later)
                check_ok(volt_live_update(later, s.X + t * D, 0, s.Y + t * Q, NULL));
            if (t == TRAIN + 9) {
                half = model_of(learner, 0);
                later = new_learner(half, 0, 1);
            }
        }
        volt_model *grown = model_of(learner, 0), *twice = model_of(later, 0);
        s.fit.records = lengths;
        s.fit.n_records = 2;
        volt_model *whole = fit_rows(&s, LAST, 0);
        check_same(kernels[i], &s, grown, whole);
        check_same(kernels[i], &s, twice, whole);
        volt_live_free(learner);
        volt_live_free(later);
        volt_model_free(half);
        volt_model_free(grown);
        volt_model_free(twice);
        volt_model_free(whole);
        close_school(&s);
    }
}

/* Rows without a target are missing targets in the model. With feedback the learner's outputs are inputs of
 * the next row. */
static void missing_targets_and_feedback(void **state)
{
    for (int feeds = 0; feeds <= 1; feeds++) {
        school s;
        open_school(kernels[0], 1613, &s);
        s.fit.feedback_weight = feeds ? 0.3 : 0;
        s.fit.missing_targets = !feeds;
        refit(&s, TRAIN);
        volt_live *learner = new_learner(s.model, 0, 1);
        for (int64_t t = TRAIN; t < LAST; t++) {
            bool hole = !feeds && t % 5 == 0;
            check_ok(volt_live_update(learner, s.X + t * D, 1, hole ? unknown : s.Y + t * Q, NULL));
            for (int64_t k = 0; hole && k < Q; k++)
                s.Y[t * Q + k] = NAN;
        }
        volt_model *grown = model_of(learner, 0), *whole = fit_rows(&s, LAST, 0);
        check_same(feeds ? "feedback" : "holes", &s, grown, whole);
        check_saved(&s, grown);
        volt_model_free(grown);
        volt_model_free(whole);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* The history is part of a learner's file: the exported model is bitwise equal. */
static void saved_learner_keeps_rows(void **state)
{
    school s;
    open_school(kernels[0], 1619, &s);
    volt_live *learner = learn_to(&s, TRAIN + 8), *again = NULL;
    check_ok(volt_live_restart(learner));
    const char *path = scratch_path("learner");
    check_ok(volt_live_save(learner, path));
    check_ok(volt_live_load(s.model, NULL, path, &again));
    for (int64_t t = TRAIN + 8; t < LAST; t++) {
        check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
        check_ok(volt_live_update(again, s.X + t * D, 0, s.Y + t * Q, NULL));
    }
    volt_model *one = model_of(learner, 0), *other = model_of(again, 0);
    volt_model_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    volt_model_get_info(one, &a);
    volt_model_get_info(other, &b);
    assert_int_equal(a.n_records, 2);
    assert_int_equal(b.n_records, 2);
    assert_memory_equal(a.coefficients, b.coefficients, (size_t)(LAST * Q) * sizeof *a.coefficients);
    volt_model_free(one);
    volt_model_free(other);
    volt_live_free(learner);
    volt_live_free(again);
    close_school(&s);
}

/* Rows outside the ball, for a kernel that does not clip: the kernel keeps the first ball, also in files. */
static void rows_outside_the_ball(void **state)
{
    static const char *const texts[] = {"rbf:gamma=1,window=3", "volterra:tau_coef=0.6,lambda_coef=0.5",
                                        "sig:level=2,path=rows"};
    for (int i = 0; i < 3; i++) {
        school s;
        open_school(texts[i], 1621, &s);
        volt_live_options options = *with_learning();
        options.beyond = VOLT_BEYOND_ALLOW;
        volt_live *learner = NULL;
        check_ok(volt_live_create(s.model, &options, &learner));
        for (int64_t k = 0; k < D; k++) /* the row with the largest norm, and slightly beyond */
            s.X[(TRAIN + 3) * D + k] = 1.1 * s.X[k];
        for (int64_t t = TRAIN; t < LAST; t++)
            check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
        assert_true(info_of(learner).beyond > 0);
        volt_model *grown = model_of(learner, 0);
        double a[N * Q], b[N * Q];
        volt_view X = volt_view_of(s.X + LAST * D, N - LAST, D);
        check_ok(volt_live_predict(learner, X, 0, volt_matrix_of(a, N - LAST, Q), NULL));
        check_ok(volt_model_predict(grown, X, NULL, volt_matrix_of(b, N - LAST, Q), NULL));
        check_near(texts[i], b, a, (N - LAST) * Q);
        check_saved(&s, grown);
        volt_model_free(grown);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* ---- outputs without the kernel --------------------------------------------------------------- */

/* From 0 to 0.5. */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 33) / 4294967296.0;
}

static bool is_without_kernel(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    return isinf(info.alphas[0]) && isinf(info.alphas[1]);
}

/* Targets independent of the inputs, for which the fit chooses alpha = INFINITY. */
static void open_noise(school *s)
{
    open_school("rbf:gamma=1,window=1", 1627, s);
    s->fit.alpha = 0;
    uint64_t seed = 7;
    do {
        for (int64_t i = 0; i < N * Q; i++)
            s->Y[i] = 3 + draw(&seed);
        refit(s, TRAIN);
    } while (!is_without_kernel(s->model));
}

static double mean_of(const school *s, int64_t first, int64_t end, int64_t k)
{
    double sum = 0;
    for (int64_t t = first; t < end; t++)
        sum += s->Y[t * Q + k];
    return sum / (double)(end - first);
}

static void constant_model_equals_window_mean(void **state)
{
    for (int64_t window = 0; window <= 10; window += 10) {
        school s;
        open_noise(&s);
        volt_live *learner = new_learner(s.model, window, 1);
        for (int64_t t = TRAIN; t < N; t++) {
            double y[Q];
            check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, y));
            int64_t first = window > 0 ? t - window : 0;
            for (int64_t k = 0; k < Q; k++)
                check_near("mean", &y[k], &(double){mean_of(&s, first, t, k)}, 1);
        }
        const char *path = scratch_path("constant");
        volt_live *again = NULL, *copy = NULL;
        double a[Q], b[Q];
        check_ok(volt_live_copy(learner, &copy));
        check_ok(volt_live_save(copy, path));
        volt_live_free(copy);
        check_ok(volt_live_load(s.model, NULL, path, &again));
        check_ok(volt_live_drop(learner, 3));
        check_ok(volt_live_drop(again, 3));
        check_ok(volt_live_feed(learner, s.X, a));
        check_ok(volt_live_feed(again, s.X, b));
        assert_memory_equal(a, b, sizeof a);
        double mean = mean_of(&s, window > 0 ? N - window + 3 : 3, N, 0);
        check_near("after a drop", a, &mean, 1);
        volt_live_free(learner);
        volt_live_free(again);
        close_school(&s);
    }
}

/* Its model has the mean of all targets, and intervals from |y - mean of the rows before the last quarter|. */
static void a_constant_model_has_intervals(void **state)
{
    school s;
    open_noise(&s);
    volt_live *learner = learn_to(&s, N);
    volt_model *grown = model_of(learner, 0);
    double y[Q], half[Q], far[N], level = 0.5;
    check_ok(volt_model_predict(grown, volt_view_of(s.X, 1, D), NULL, volt_matrix_of(y, 1, Q), NULL));
    check_ok(volt_model_interval(grown, &level, 1, volt_matrix_of(half, 1, Q)));
    for (int64_t k = 0; k < Q; k++) {
        check_near("mean", &y[k], &(double){mean_of(&s, 0, N, k)}, 1);
        int64_t count = 0, below = 0;
        for (int64_t t = 1; t < N; t++) {
            int64_t known = t < N - N / 4 ? t : N - N / 4;
            far[count++] = fabs(s.Y[t * Q + k] - mean_of(&s, 0, known, k));
        }
        for (int64_t i = 0; i < count; i++)
            below += far[i] <= half[k] * (1 + tolerance);
        assert_int_equal(below, (count + 1) / 2); /* its index among them */
    }
    volt_model_free(grown);
    volt_live_free(learner);
    close_school(&s);
}

/* A copy of the file without the tensors whose names end so. */
static const char *file_without(const char *path, const char *end)
{
    static char copy[512];
    fields f = read_fields(path);
    int64_t kept = 0;
    for (int64_t i = 0; i < f.n_tensors; i++) {
        size_t length = strlen(f.tensors[i].name), tail = strlen(end);
        if (length < tail || strcmp(f.tensors[i].name + length - tail, end) != 0)
            f.tensors[kept++] = f.tensors[i];
    }
    assert_true(kept < f.n_tensors);
    snprintf(copy, sizeof copy, "%s", scratch_path("without"));
    check_ok(volt_safetensors_write(copy, f.tensors, kept, f.metadata, f.n_metadata));
    free_fields(&f);
    return copy;
}

/* Without means in the state, or errors in the model, the targets of training are replaced by their mean. */
static void constant_without_targets(void **state)
{
    school s;
    double mean[Q], y[Q];
    open_noise(&s);
    volt_live *learner = learn_to(&s, LAST), *again = NULL;
    const char *path = scratch_path("constant");
    check_ok(volt_live_save(learner, path));
    check_ok(volt_live_load(s.model, NULL, file_without(path, "means"), &again));
    check_ok(volt_live_feed(again, s.X, y));
    for (int64_t k = 0; k < Q; k++)
        mean[k] = mean_of(&s, 0, TRAIN, k);
    check_near("without means", y, mean, Q);
    volt_live_free(again);
    volt_live_free(learner);

    volt_model *bare = NULL;
    path = scratch_path("model");
    check_ok(volt_model_save(s.model, path, silent));
    path = file_without(path, "errors");
    check_ok(volt_model_load(file_without(path, "error_scales"), &bare));
    learner = new_learner(bare, 0, 1);
    check_ok(volt_live_update(learner, s.X, 0, s.Y + TRAIN * Q, y));
    check_near("without errors", y, mean, Q);
    check_ok(volt_live_feed(learner, s.X, y));
    for (int64_t k = 0; k < Q; k++)
        mean[k] = mean_of(&s, 0, TRAIN + 1, k);
    check_near("one row more", y, mean, Q);
    volt_live_free(learner);
    volt_model_free(bare);
    close_school(&s);
}

/* The naive forecast stays naive, whatever is learned. */
static void naive_stays_naive(void **state)
{
    static const int64_t anchors[Q] = {0, 1};
    school s;
    open_school("rbf:gamma=1,window=1", 1637, &s);
    s.fit.alpha = 0;
    s.fit.ahead = 1;
    s.fit.anchors = anchors;
    s.fit.input = VOLT_INPUT_LEVEL;
    uint64_t seed = 11;
    do { /* two random walks */
        for (int64_t i = 0; i < N * D; i++)
            s.X[i] = (i >= D ? s.X[i - D] : 0) + draw(&seed) - 0.25;
        memcpy(s.Y, s.X + D, (size_t)((N - 1) * D) * sizeof *s.Y);
        refit(&s, TRAIN);
    } while (!is_without_kernel(s.model));
    volt_live *learner = learn_to(&s, LAST);
    volt_model *grown = model_of(learner, 0);
    double y[Q];
    check_ok(volt_model_predict(grown, volt_view_of(s.X + (LAST - 1) * D, 1, D), NULL, volt_matrix_of(y, 1, Q),
                                NULL));
    check_near("naive", y, s.X + (LAST - 1) * D, Q);
    volt_model_free(grown);
    volt_live_free(learner);
    close_school(&s);
}

/* Before the first row the model is that of the fit. A learner may begin with a new record. */
static void nothing_learned(void **state)
{
    school s;
    open_school(kernels[0], 1643, &s);
    volt_live *learner = new_learner(s.model, 0, 1), *restarted = NULL, *begun = NULL;
    volt_model *grown = model_of(learner, 0);
    check_same("nothing learned", &s, grown, s.model);
    volt_model_free(grown);
    volt_live_options options = *with_learning();
    options.start = VOLT_START_RESET;
    check_ok(volt_live_create(s.model, &options, &begun));
    check_ok(volt_live_create(s.model, with_learning(), &restarted));
    check_ok(volt_live_restart(restarted));
    for (int64_t t = TRAIN; t < TRAIN + 3; t++) {
        double a[Q], b[Q];
        check_ok(volt_live_update(begun, s.X + t * D, 0, s.Y + t * Q, a));
        check_ok(volt_live_update(restarted, s.X + t * D, 0, s.Y + t * Q, b));
        assert_memory_equal(a, b, sizeof a);
    }
    volt_live_free(begun);
    volt_live_free(restarted);
    volt_live_free(learner);
    close_school(&s);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void learners_without_model_are_rejected(void **state)
{
    school s;
    volt_model *model = NULL;
    open_school(kernels[0], 1657, &s);
    volt_live *window = new_learner(s.model, 9, 1), *forgets = new_learner(s.model, 0, 0.9);
    volt_live *plain = new_learner(s.model, 0, 1);
    check_fails(volt_live_model(window, 0, silent, &model), VOLT_ERR_ARGUMENT, "window 9");
    check_fails(volt_live_model(forgets, 0, silent, &model), VOLT_ERR_ARGUMENT, "forget 0.9");
    check_fails(volt_live_model(NULL, 0, silent, &model), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_model(plain, 0, silent, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_ok(volt_live_restart(plain));
    check_fails(volt_live_model(plain, 0, silent, &model), VOLT_ERR_ARGUMENT, "target record");
    check_ok(volt_live_drop(plain, TRAIN));
    check_fails(volt_live_model(plain, 0, silent, &model), VOLT_ERR_ARGUMENT, "rows");
    assert_null(model);
    volt_live_free(window);
    volt_live_free(forgets);
    volt_live_free(plain);
    close_school(&s);
}

static void every_allocation_may_fail(void **state)
{
    for (int i = 0; i < KERNELS; i += 5) {
        school s;
        open_school(kernels[i], 1663, &s);
        volt_live *learner = learn_to(&s, LAST);
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_model *model = NULL;
            volt_status status = volt_live_model(learner, i == 0, silent, &model);
            volt_model_free(model);
            failing_alloc_check(status);
        }
        volt_live_free(learner);
        close_school(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learner_model_equals_fit_on_all_rows),
        cmocka_unit_test(grown_model_keeps_the_factor),
        cmocka_unit_test(restarts_are_records),
        cmocka_unit_test(missing_targets_and_feedback),
        cmocka_unit_test(saved_learner_keeps_rows),
        cmocka_unit_test(rows_outside_the_ball),
        cmocka_unit_test(constant_model_equals_window_mean),
        cmocka_unit_test(a_constant_model_has_intervals),
        cmocka_unit_test(constant_without_targets),
        cmocka_unit_test(naive_stays_naive),
        cmocka_unit_test(nothing_learned),
        cmocka_unit_test(learners_without_model_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
