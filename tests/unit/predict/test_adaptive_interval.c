/* tests/unit/predict/test_adaptive_interval.c: adaptive intervals of a stream against a reference implementation. */
#include "predict/interval/interval.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 80, Q = 2, SCORES = 300, MOST = 5000 };

static volt_model *make_model(int64_t ahead)
{
    volt_rng rng = test_rng(5);
    double *X = random_rows(&rng, N, 1, 1), *Y = normal_rows(&rng, N, Q);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.ahead = ahead;
    check_ok(volt_kernel_parse("volterra:tau=0.4,lambda=0.5", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(Y, N, Q), &options, (volt_matrix){0},
                            &model));
    volt_kernel_free(kernel);
    free(Y);
    free(X);
    return model;
}

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Reference implementation: all scores of one output, oldest first, and the target level. */
typedef struct plain_interval {
    double scores[MOST], miss, wanted;
    int64_t n;
} plain_interval;

static double plain_half(const plain_interval *plain)
{
    double sorted[SCORES];
    int64_t n = plain->n < SCORES ? plain->n : SCORES;
    memcpy(sorted, plain->scores + plain->n - n, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, upwards);
    if (plain->miss >= 1)
        return -1;
    double rank = ceil((double)(n + 1) * (1 - plain->miss) * (1 - 1e-12));
    return plain->miss <= 0 || rank > (double)n ? INFINITY : sorted[rank < 1 ? 0 : (int64_t)rank - 1];
}

static void plain_learn(plain_interval *plain, double score)
{
    plain->miss += 0.02 * (plain->wanted - (score <= plain_half(plain) ? 0 : 1));
    plain->scores[plain->n++] = score;
}

static void interval_equals_plain_formula(void **state)
{
    enum { LEVELS = 4 };
    static const double coverages[LEVELS] = {0.9, 0.5, 0.98, 0.03};
    volt_model *model = make_model(0);
    volt_interval *interval = NULL;
    check_ok(volt_interval_create(model, coverages, LEVELS, &interval));
    static plain_interval plain[LEVELS][Q];
    for (int c = 0; c < LEVELS; c++)
        for (int64_t k = 0; k < Q; k++) {
            plain[c][k] = (plain_interval){.miss = 1 - coverages[c], .wanted = 1 - coverages[c]};
            const volt_error_list *far = &model->errors.lists[VOLT_ERRORS_FAR];
            for (int64_t t = 0; t < far->rows; t++)
                if (far->scale[t * Q + k] > 0)
                    plain[c][k].scores[plain[c][k].n++] = model->target_scale[k] * fabs(far->e[t * Q + k]);
            assert_true(plain[c][k].n > 50);
        }
    volt_rng rng = test_rng(9);
    bool infinite = false, empty = false;
    for (int64_t t = 0; t < 1500; t++) {
        double half[LEVELS * Q], truth[Q], noise = t > 700 && t < 800 ? 30 : 1;
        volt_interval_half_widths(interval, half);
        for (int c = 0; c < LEVELS; c++)
            for (int64_t k = 0; k < Q; k++) {
                double expected = fmax(plain_half(&plain[c][k]), 0);
                infinite |= isinf(expected) != 0;
                empty |= plain_half(&plain[c][k]) < 0;
                assert_true(half[c * Q + k] == expected);
            }
        for (int64_t k = 0; k < Q; k++) /* some scores are tied, some missing */
            truth[k] = t % 10 == 3 ? 0.5 : t % 10 == 7 + k ? NAN : noise * volt_rng_normal(&rng);
        check_ok(volt_interval_learn(interval, (const double[Q]){0}, truth));
        for (int c = 0; c < LEVELS; c++)
            for (int64_t k = 0; k < Q; k++)
                if (!isnan(truth[k]))
                    plain_learn(&plain[c][k], fabs(truth[k]));
    }
    assert_true(infinite && empty);
    volt_interval_free(interval);
    volt_model_free(model);
}

/* The noise triples halfway. The miss rate afterwards matches the target: by the bound of math.md it is
 * within (0.9 + 0.02) / (0.02 T) of 0.1, 0.023 for T = 2000. */
static void interval_adapts_to_noise_jump(void **state)
{
    const double coverage = 0.9;
    volt_model *model = make_model(0);
    volt_interval *interval = NULL;
    check_ok(volt_interval_create(model, &coverage, 1, &interval));
    volt_rng rng = test_rng(21);
    double missed[2] = {0};
    for (int64_t t = 0; t < 4000; t++) {
        double half[Q], truth[Q] = {(t < 2000 ? 1 : 3) * volt_rng_normal(&rng), 0};
        volt_interval_half_widths(interval, half);
        missed[t >= 2000] += fabs(truth[0]) <= half[0] ? 0 : 1;
        check_ok(volt_interval_learn(interval, (const double[Q]){0}, truth));
    }
    for (int part = 0; part < 2; part++)
        assert_true(fabs(missed[part] / 2000 - 0.1) <= 0.92 / (0.02 * 2000) + 0.02);
    volt_interval_free(interval);
    volt_model_free(model);
}

/* ---- in a stream ------------------------------------------------------------------------------ */

/* Each forecast is observed `ahead` rows later. The result equals that of one interval updated with both at
 * once. */
static void interval_updates_after_target(void **state)
{
    const double coverages[] = {0.8, 0.95};
    for (int64_t ahead = 0; ahead <= 3; ahead++) {
        volt_model *model = make_model(ahead);
        volt_live *stream = NULL, *copy = NULL;
        volt_interval *interval = NULL;
        check_ok(volt_live_create(model, NULL, &stream));
        check_ok(volt_live_track(stream, coverages, 2));
        check_ok(volt_interval_create(model, coverages, 2, &interval));
        volt_rng rng = test_rng(31);
        double forecasts[60][Q];
        const double *tracked = live_info(stream).coverages;
        assert_int_equal(live_info(stream).n_coverages, 2);
        assert_true(tracked[0] == 0.8 && tracked[1] == 0.95);
        for (int64_t t = 0, made = 0; t < 60; t++) {
            double x = volt_rng_uniform(&rng) - 0.5, truth[Q], half[2 * Q], expected[2 * Q];
            for (int64_t k = 0; k < Q; k++)
                truth[k] = volt_rng_normal(&rng);
            if (t == 30) { /* new record: pending forecasts are dropped */
                volt_live_restart(stream);
                made = 0;
            }
            check_ok(volt_live_feed(stream, &x, forecasts[made++]));
            check_ok(volt_live_interval(stream, half));
            volt_interval_half_widths(interval, expected);
            assert_memory_equal(half, expected, sizeof half);
            check_ok(volt_live_learn(stream, ahead, truth));
            if (made > ahead)
                check_ok(volt_interval_learn(interval, forecasts[made - 1 - ahead], truth));
            if (t == 40) { /* a copy and a loaded stream give the same intervals */
                const char *path = scratch_path("stream.state");
                check_ok(volt_live_save(stream, path));
                check_ok(volt_live_copy(stream, &copy));
                volt_live_free(stream);
                stream = NULL;
                check_ok(volt_live_load(model, NULL, path, &stream));
                assert_int_equal(copy->n_predictions < ahead + 1 ? copy->n_predictions : ahead + 1,
                                 stream->n_predictions);
                volt_live *loaded = NULL;
                double both[2][2 * Q], y[2][Q];
                check_ok(volt_live_load(model, NULL, path, &loaded));
                check_ok(volt_live_feed(copy, &x, y[0]));
                check_ok(volt_live_feed(loaded, &x, y[1]));
                check_ok(volt_live_interval(copy, both[0]));
                check_ok(volt_live_interval(loaded, both[1]));
                assert_memory_equal(both[0], both[1], sizeof both[0]);
                assert_memory_equal(y[0], y[1], sizeof y[0]);
                volt_live_free(loaded);
            }
        }
        volt_interval_free(interval);
        volt_live_free(copy);
        volt_live_free(stream);
        volt_model_free(model);
    }
}

/* Pushes one row and observes its target. Returns the half-widths before the update. */
static void track_row(volt_live *stream, double x, const double truth[Q], double half[Q])
{
    double forecast[Q];
    check_ok(volt_live_feed(stream, &x, forecast));
    check_ok(volt_live_interval(stream, half));
    check_ok(volt_live_learn(stream, 0, truth));
}

/* A loaded stream and a copy drop their scores in order of arrival, as the original does, whether or not the
 * buffer of 300 is full. The noise grows, so another order gives other widths. */
static void files_and_copies_preserve_score_order(void **state)
{
    const double coverage = 0.9;
    static const int64_t saved_after[] = {5, 150, SCORES, 437, 2 * SCORES + 1}; /* plus training scores */
    for (size_t i = 0; i < sizeof saved_after / sizeof *saved_after; i++) {
        volt_model *model = make_model(0);
        volt_live *stream = NULL, *loaded = NULL, *copy = NULL;
        const char *path = scratch_path("scores.state");
        volt_rng rng = test_rng(71 + i);
        check_ok(volt_live_create(model, NULL, &stream));
        check_ok(volt_live_track(stream, &coverage, 1));
        for (int64_t t = 0; t < saved_after[i] + SCORES; t++) {
            double x = volt_rng_uniform(&rng) - 0.5, half[3][Q], truth[Q];
            for (int64_t k = 0; k < Q; k++) /* output 2 has fewer scores than output 1 */
                truth[k] = k == 1 && t % 3 == 0 ? NAN : 0.01 * (double)(t + 1) * volt_rng_normal(&rng);
            if (t == saved_after[i]) {
                check_ok(volt_live_save(stream, path));
                check_ok(volt_live_load(model, NULL, path, &loaded));
                check_ok(volt_live_copy(stream, &copy));
            }
            track_row(stream, x, truth, half[0]);
            if (loaded) {
                track_row(loaded, x, truth, half[1]);
                track_row(copy, x, truth, half[2]);
                assert_memory_equal(half[0], half[1], sizeof half[0]);
                assert_memory_equal(half[0], half[2], sizeof half[0]);
            }
        }
        volt_live_free(copy);
        volt_live_free(loaded);
        volt_live_free(stream);
        volt_model_free(model);
    }
}

/* A forecast that overflows has no error. Its observation is skipped, and neighbouring forecasts keep
 * theirs. */
static void overflowing_predictions_keep_their_position(void **state)
{
    enum { ROWS = 40, AHEAD = 2 };
    volt_rng rng = test_rng(41);
    double *X = random_rows(&rng, N, 1, 1), *Y = new_matrix(N, 1), coverage = 0.8;
    for (int64_t i = 0; i < N; i++)
        Y[i] = 10 * X[i] + 0.1 * volt_rng_normal(&rng);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_live *stream = NULL, *loaded = NULL;
    volt_interval *interval = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.ahead = AHEAD;
    check_ok(volt_kernel_parse("poly:degree=3", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(Y, N, 1), &options, (volt_matrix){0},
                            &model));
    volt_predict_options allow = volt_predict_options_default();
    allow.beyond = VOLT_BEYOND_ALLOW;
    check_ok(volt_live_create(model, as_live(&allow), &stream));
    check_ok(volt_live_track(stream, &coverage, 1));
    check_ok(volt_interval_create(model, &coverage, 1, &interval));
    double made[ROWS] = {0};
    for (int64_t t = 0; t < ROWS; t++) {
        bool overflows = t % 7 == 3;
        double x = overflows ? 1e120 : volt_rng_uniform(&rng) - 0.5, half[2];
        double truth = t < AHEAD ? NAN : made[t - AHEAD] + 0.3 * volt_rng_normal(&rng);
        volt_status status = volt_live_feed(stream, &x, &made[t]);
        assert_int_equal(status, overflows ? VOLT_ERR_NOT_FINITE : VOLT_OK);
        check_ok(volt_live_interval(stream, &half[0]));
        volt_interval_half_widths(interval, &half[1]);
        assert_true(half[0] == half[1]);
        if (t >= AHEAD && (t - AHEAD) % 7 == 3)
            truth = 5; /* for the forecast that overflowed */
        else if (t >= AHEAD)
            check_ok(volt_interval_learn(interval, &made[t - AHEAD], &truth));
        check_ok(volt_live_learn(stream, AHEAD, &truth));
        if (t % 7 == 4) { /* the file stores the slot of the forecast that overflowed */
            const char *path = scratch_path("overflow.state");
            check_ok(volt_live_save(stream, path));
            check_ok(volt_live_load(model, as_live(&allow), path, &loaded));
            volt_live_free(stream);
            stream = loaded;
        }
    }
    volt_interval_free(interval);
    volt_live_free(stream);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
    free(Y);
}

static void invalid_arguments_are_rejected(void **state)
{
    volt_model *model = make_model(0);
    volt_interval *interval = NULL;
    volt_live *stream = NULL;
    const double coverage = 0.9, zeros[Q] = {0};
    double half[Q], after[Q];
    check_fails(volt_interval_create(model, (const double[]){0.9, 1.2}, 2, &interval), VOLT_ERR_ARGUMENT,
                "1.2");
    check_fails(volt_interval_create(model, &coverage, 0, &interval), VOLT_ERR_ARGUMENT, "empty");
    assert_null(interval);
    check_ok(volt_interval_create(model, &coverage, 1, &interval));
    volt_interval_half_widths(interval, half);
    check_fails(volt_interval_learn(interval, zeros, (const double[Q]){1, INFINITY}), VOLT_ERR_NOT_FINITE,
                "output 2");
    check_fails(volt_interval_learn(interval, (const double[Q]){NAN, 0}, zeros), VOLT_ERR_NOT_FINITE,
                "output 1");
    volt_interval_half_widths(interval, after);
    assert_memory_equal(half, after, sizeof half);
    check_ok(volt_live_create(model, NULL, &stream));
    check_fails(volt_live_learn(stream, 0, zeros), VOLT_ERR_ARGUMENT, "intervals");
    check_fails(volt_live_interval(stream, half), VOLT_ERR_ARGUMENT, "intervals");
    check_fails(volt_live_track(stream, &(double){0}, 1), VOLT_ERR_ARGUMENT, "0 1");
    assert_int_equal(live_info(stream).n_coverages, 0);
    check_ok(volt_live_track(stream, &coverage, 1));
    check_ok(volt_live_learn(stream, 0, zeros)); /* nothing was forecast */
    check_fails(volt_live_learn(stream, 1, zeros), VOLT_ERR_ARGUMENT, "0 rows");
    check_fails(volt_live_learn(stream, -1, zeros), VOLT_ERR_ARGUMENT, "-1 rows");
    volt_live_free(stream);
    volt_interval_free(interval);
    volt_model_free(model);
}

static void allocation_failure_leaves_stream_unchanged(void **state)
{
    volt_model *model = make_model(2);
    const double coverage = 0.9;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_live *stream = NULL, *copy = NULL;
        failing_alloc_start(0);
        check_ok(volt_live_create(model, NULL, &stream));
        failing_alloc_start(k);
        volt_status status = volt_live_track(stream, &coverage, 1);
        if (status == VOLT_OK)
            status = volt_live_copy(stream, &copy);
        volt_live_free(copy);
        volt_live_free(stream);
        failing_alloc_check(status);
    }
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_equals_plain_formula),
        cmocka_unit_test(interval_adapts_to_noise_jump),
        cmocka_unit_test(interval_updates_after_target),
        cmocka_unit_test(files_and_copies_preserve_score_order),
        cmocka_unit_test(overflowing_predictions_keep_their_position),
        cmocka_unit_test(invalid_arguments_are_rejected),
        cmocka_unit_test(allocation_failure_leaves_stream_unchanged),
    };
    return cmocka_run_group_tests_name("adaptive_interval", tests, NULL, NULL);
}
