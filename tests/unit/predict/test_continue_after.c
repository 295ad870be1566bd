/* tests/unit/predict/test_continue_after.c: the closed loop after rows that follow training equals, bitwise, a
 * stream fed with these rows and then with its own outputs. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 70, NEW = 9, STEPS = 12, D = 3, ALL = N + 1 + NEW };

typedef struct scene {
    double *series; /* ALL x D: N inputs, the last target, then later rows */
    volt_model *model;
} scene;

static scene make_scene(const char *text, volt_target target)
{
    scene s = {.series = lorenz_rows(ALL, 0.02)};
    volt_kernel *kernel = plain_parse(text);
    int64_t anchors[D] = {0, 1, 2};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-4;
    options.ahead = 1;
    options.feedback = 1;
    options.target = target;
    options.input = target == VOLT_TARGET_CHANGE ? VOLT_INPUT_BOTH : VOLT_INPUT_LEVEL;
    options.anchors = anchors;
    options.season = 0;
    check_ok(volt_model_fit(kernel, volt_view_of(s.series, N, D), volt_view_of(s.series + D, N, D), &options,
                            volt_matrix_of(NULL, 0, 0), &s.model));
    volt_kernel_free(kernel);
    return s;
}

static void free_scene(scene *s)
{
    volt_model_free(s->model);
    free(s->series);
}

/* Reference: `rows` rows from `first` on, then STEPS outputs. */
static void by_stream(const scene *s, volt_start start, const double *first, int64_t rows, double *path)
{
    volt_live *stream = NULL;
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    check_ok(volt_live_create(s->model, as_live(&options), &stream));
    for (int64_t i = 0; i < rows; i++)
        check_ok(volt_live_feed(stream, first + i * D, path));
    for (int64_t i = 1; i < STEPS; i++)
        check_ok(volt_live_feed(stream, path + (i - 1) * D, path + i * D));
    volt_live_free(stream);
}

static void check_path(const scene *s, volt_start start, const double *first, int64_t rows,
                       const double *expected)
{
    double path[STEPS * D];
    volt_predict_options options = volt_predict_options_default();
    options.start = start;
    check_ok(volt_model_continue(s->model, volt_view_of(first, rows, D), &options,
                                 volt_matrix_of(path, STEPS, D), NULL));
    assert_memory_equal(path, expected, sizeof path);
}

static void continuation_equals_stream(void **state)
{
    static const char *const kernels[] = {"volterra", "volterra:lift=even", "fading", "rbf:window=5",
                                          "gak:sigma=1,window=4"};
    for (int k = 0; k < (int)(sizeof kernels / sizeof *kernels); k++)
        for (int t = 0; t < 2; t++) {
            scene s = make_scene(kernels[k], t ? VOLT_TARGET_CHANGE : VOLT_TARGET_LEVEL);
            const double *last = s.series + N * D; /* the last target */
            double path[STEPS * D], again[STEPS * D];
            by_stream(&s, VOLT_START_CONTINUE, last, 1 + NEW, path);
            check_path(&s, VOLT_START_CONTINUE, last, 1 + NEW, path); /* as in predict */
            check_path(&s, VOLT_START_CONTINUE, last + D, NEW, path); /* from the next row on */
            by_stream(&s, VOLT_START_CONTINUE, last, 1, path);
            check_path(&s, VOLT_START_CONTINUE, last, 1, path); /* no new rows: the plain loop */
            check_path(&s, VOLT_START_CONTINUE, NULL, 0, path);
            check_ok(volt_model_continue(s.model, volt_view_of(NULL, 0, 0), NULL,
                                         volt_matrix_of(again, STEPS, D), NULL));
            assert_memory_equal(again, path, sizeof path);
            by_stream(&s, VOLT_START_RESET, last + D, NEW, path);
            check_path(&s, VOLT_START_RESET, last + D, NEW, path); /* a separate sequence */
            free_scene(&s);
        }
}

static void count_warnings(volt_log_level level, const char *message, void *context)
{
    (void)message;
    *(int *)context += level == VOLT_LOG_WARNING;
}

/* The row after training equals the last target. If the position is given, it decides. Otherwise the row is
 * taken as the target, and the log warns. */
static void row_repeating_last_target(void **state)
{
    scene s = make_scene("volterra", VOLT_TARGET_LEVEL);
    const double *last = s.series + N * D;
    double rows[(2 + NEW) * D], path[STEPS * D], revised[D] = {last[0] + 0.1, last[1], last[2]};
    int warnings = 0;
    memcpy(rows, last, D * sizeof(double));
    memcpy(rows + D, last, (1 + NEW) * D * sizeof(double)); /* the target, a row equal to it, and others */
    volt_set_log(count_warnings, &warnings);

    by_stream(&s, VOLT_START_CONTINUE, rows, 2 + NEW, path);
    check_path(&s, VOLT_START_AFTER_TARGET, rows + D, 1 + NEW, path);
    check_path(&s, VOLT_START_AT_TARGET, rows, 2 + NEW, path);
    assert_int_equal(warnings, 0);
    by_stream(&s, VOLT_START_CONTINUE, rows + D, 1 + NEW, path);
    check_path(&s, VOLT_START_CONTINUE, rows + D, 1 + NEW, path);
    assert_int_equal(warnings, 1);
    by_stream(&s, VOLT_START_CONTINUE, revised, 1, path);
    check_path(&s, VOLT_START_AT_TARGET, revised, 1, path); /* a measurement corrected after training */
    by_stream(&s, VOLT_START_CONTINUE, last, 1, path);
    check_path(&s, VOLT_START_AFTER_TARGET, NULL, 0, path);
    assert_int_equal(warnings, 1);

    volt_set_log(NULL, NULL);
    free_scene(&s);
}

/* A view with a leading dimension. Rows outside the ball are counted, also in X. */
static void views_and_counts(void **state)
{
    scene s = make_scene("volterra", VOLT_TARGET_LEVEL);
    double wide[NEW][D + 2], path[STEPS * D], expected[STEPS * D];
    for (int i = 0; i < NEW; i++)
        for (int k = 0; k < D; k++)
            wide[i][k] = 100 + s.series[(N + 1 + i) * D + k];
    double *narrow = new_matrix(NEW, D);
    for (int i = 0; i < NEW; i++)
        memcpy(narrow + i * D, wide[i], D * sizeof(double));
    int64_t beyond = 0, also = 0;
    volt_view X = {wide[0], NEW, D, D + 2};
    check_ok(volt_model_continue(s.model, X, NULL, volt_matrix_of(path, STEPS, D), &beyond));
    check_ok(volt_model_continue(s.model, volt_view_of(narrow, NEW, D), NULL,
                                 volt_matrix_of(expected, STEPS, D), &also));
    assert_memory_equal(path, expected, sizeof path);
    assert_true(beyond == also && beyond >= NEW);
    free(narrow);
    free_scene(&s);
}

static int stop(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_string_equal(stage, "continue");
    return fraction > 0;
}

static void invalid_calls_are_rejected(void **state)
{
    scene s = make_scene("volterra", VOLT_TARGET_LEVEL);
    double path[STEPS * D], bad[D] = {1, 2, 0};
    volt_view X = volt_view_of(s.series, NEW, D);
    volt_matrix out = volt_matrix_of(path, STEPS, D);
    volt_predict_options options = volt_predict_options_default();
    memset(path, 0x55, sizeof path);
    double before[STEPS * D];
    memcpy(before, path, sizeof path);
    check_fails(volt_model_continue(s.model, volt_view_of(s.series, NEW, D - 1), NULL, out, NULL),
                VOLT_ERR_SHAPE, "inputs 2 columns model 3");
    check_fails(volt_model_continue(NULL, X, NULL, out, NULL), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_model_continue(s.model, X, NULL, volt_matrix_of(path, 0, D), NULL), VOLT_ERR_ARGUMENT,
                "steps");
    options.start = (volt_start)(VOLT_START_AFTER_TARGET + 1);
    check_fails(volt_model_continue(s.model, X, &options, out, NULL), VOLT_ERR_ARGUMENT, "start 4");
    options.start = VOLT_START_AT_TARGET; /* only for paths */
    double forecast[NEW * D];
    check_fails(volt_model_predict(s.model, X, &options, volt_matrix_of(forecast, NEW, D), NULL),
                VOLT_ERR_ARGUMENT, "start 2");
    volt_live *stream = NULL;
    check_fails(volt_live_create(s.model, as_live(&options), &stream), VOLT_ERR_ARGUMENT, "start 2");
    bad[2] = strtod("nan", NULL);
    check_fails(volt_model_continue(s.model, volt_view_of(bad, 1, D), NULL, out, NULL), VOLT_ERR_NOT_FINITE,
                "");
    double far[D] = {1e6, 0, 0};
    options.beyond = VOLT_BEYOND_ERROR;
    check_fails(volt_model_continue(s.model, volt_view_of(far, 1, D), &options, out, NULL), VOLT_ERR_DOMAIN,
                "");
    options = volt_predict_options_default();
    options.progress.report = stop;
    check_fails(volt_model_continue(s.model, X, &options, out, NULL), VOLT_ERR_CANCELLED, "");
    assert_memory_equal(path, before, sizeof path); /* no partial output */
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_model_continue(s.model, X, NULL, out, NULL);
        failing_alloc_check(status);
    }
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(continuation_equals_stream),
        cmocka_unit_test(row_repeating_last_target),
        cmocka_unit_test(views_and_counts),
        cmocka_unit_test(invalid_calls_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
