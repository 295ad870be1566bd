/* tests/unit/model/test_pending.c: inputs stored in a model: those after the last training row, and a digest of
 * the first ones. */
#include "support/check.h"
#include "support/scratch.h"
#include "volterra/live.h"
#include "volterra/model.h"

enum { ROWS = 40, AHEAD = 2, COLS = 2 };

/* COLS inputs and one target, AHEAD rows later. */
typedef struct {
    double x[ROWS * COLS], y[ROWS];
    volt_kernel *kernel;
    volt_view X, Y;
    volt_fit_options options;
} task;

static void begin(task *t)
{
    for (int i = 0; i < ROWS; i++) {
        t->x[i * COLS] = sin(0.7 * i);
        t->x[i * COLS + 1] = cos(0.3 * i * i);
        t->y[i] = sin(0.7 * (i + AHEAD - 1)) + 0.1 * i;
    }
    check_ok(volt_kernel_parse("fading:gamma=1,rho=0.5", &t->kernel));
    t->X = volt_view_of(t->x, ROWS - AHEAD, COLS);
    t->Y = volt_view_of(t->y, ROWS - AHEAD, 1);
    t->options = volt_fit_options_default();
    t->options.alpha = 1e-2;
    t->options.ahead = AHEAD;
    t->options.pending = volt_view_of(t->x + (ROWS - AHEAD) * COLS, AHEAD, COLS);
}

static volt_status fit(task *t, volt_model **model)
{
    return volt_model_fit(t->kernel, t->X, t->Y, &t->options, (volt_matrix){0}, model);
}

static volt_model *saved_and_loaded(const volt_model *model)
{
    const char *path = scratch_path("pending.safetensors");
    volt_model *again = NULL;
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &again));
    return again;
}

static void pending_inputs_survive_a_file(void **state)
{
    task t;
    begin(&t);
    double wide[AHEAD * (COLS + 3)] = {0}; /* a view with a leading dimension */
    for (int i = 0; i < AHEAD; i++)
        memcpy(wide + i * (COLS + 3), t.options.pending.data + i * COLS, sizeof(double) * COLS);
    t.options.pending = (volt_view){wide, AHEAD, COLS, COLS + 3};
    volt_model *model = NULL;
    check_ok(fit(&t, &model));
    volt_model *again = saved_and_loaded(model);
    const volt_model *const both[] = {model, again};
    for (int i = 0; i < 2; i++) {
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(both[i], &info);
        assert_int_equal(info.pending.rows, AHEAD);
        assert_int_equal(info.pending.cols, COLS);
        assert_int_equal(info.pending.ld, COLS);
        assert_memory_equal(info.pending.data, t.x + (ROWS - AHEAD) * COLS, sizeof(double) * AHEAD * COLS);
    }
    volt_model_free(again);
    volt_model_free(model);
    volt_kernel_free(t.kernel);
}

static void predictions_do_not_depend_on_pending_inputs(void **state)
{
    task t;
    begin(&t);
    double out[2][AHEAD];
    for (int i = 0; i < 2; i++) {
        volt_model *model = NULL;
        volt_view next = volt_view_of(t.x + (ROWS - AHEAD) * COLS, AHEAD, COLS);
        check_ok(fit(&t, &model));
        check_ok(volt_model_predict(model, next, NULL, volt_matrix_of(out[i], AHEAD, 1), NULL));
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        assert_int_equal(info.pending.rows, i == 0 ? AHEAD : 0);
        volt_model_free(model);
        t.options.pending = (volt_view){0};
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    volt_kernel_free(t.kernel);
}

static void with_feedback_the_last_target_is_pending(void **state)
{
    task t;
    begin(&t);
    t.options.ahead = 1;
    t.options.feedback = 1;
    t.options.pending = (volt_view){0};
    t.Y = volt_view_of(t.x + COLS, ROWS - AHEAD, COLS);
    volt_model *model = NULL;
    check_ok(fit(&t, &model));
    volt_model *again = saved_and_loaded(model);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(again, &info);
    assert_int_equal(info.pending.rows, 1);
    assert_memory_equal(info.pending.data, t.x + (ROWS - AHEAD) * COLS, sizeof(double) * COLS);
    volt_model_free(again);
    volt_model_free(model);
    volt_kernel_free(t.kernel);
}

static void invalid_pending_inputs_are_rejected(void **state)
{
    task t;
    begin(&t);
    volt_model *model = NULL;
    volt_view right = t.options.pending;
    t.options.pending.cols = 1;
    check_fails(fit(&t, &model), VOLT_ERR_SHAPE, "x 2 1");
    const volt_view wrong[] = {
        {NULL, 1, COLS, COLS}, {right.data, -1, COLS, COLS}, {right.data, 1, COLS, COLS - 1}};
    for (int i = 0; i < 3; i++) {
        t.options.pending = wrong[i];
        check_fails(fit(&t, &model), VOLT_ERR_SHAPE, "pending");
    }
    t.options.pending = right;
    t.x[(ROWS - 1) * COLS + 1] = NAN;
    check_fails(fit(&t, &model), VOLT_ERR_NOT_FINITE, "pending input 2 row");
    assert_null(model);
    volt_kernel_free(t.kernel);
}

/* A stream that begins with pending inputs continues as one that was fed them. */
static void streams_begin_after_pending_inputs(void **state)
{
    task t;
    begin(&t);
    volt_model *model = NULL;
    volt_live *fed = NULL, *begun = NULL;
    check_ok(fit(&t, &model));
    volt_live_options options = volt_live_options_default();
    options.start = VOLT_START_CONTINUE;
    check_ok(volt_live_create(model, &options, &fed));
    options.pending = t.options.pending;
    check_ok(volt_live_create(model, &options, &begun));
    double one = 0, other = 1;
    for (int64_t i = 0; i < AHEAD; i++)
        check_ok(volt_live_feed(fed, t.options.pending.data + i * COLS, &one));
    check_ok(volt_live_feed(fed, t.x, &one));
    check_ok(volt_live_feed(begun, t.x, &other));
    assert_true(one == other);
    volt_live_free(fed);
    volt_live_free(begun);
    begun = NULL;
    options.pending.cols = 1;
    check_fails(volt_live_create(model, &options, &begun), VOLT_ERR_SHAPE, "2 1");
    assert_null(begun);
    volt_model_free(model);
    volt_kernel_free(t.kernel);
}

/* The digest follows the file format: FNV-1a of the bytes of the first numbers. */
static void models_recognise_their_first_rows(void **state)
{
    enum { N = 10 };
    double x[N + 2], y[N];
    volt_model *model = NULL;
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1;
    for (int i = 0; i < N + 2; i++)
        x[i] = i;
    for (int i = 0; i < N; i++)
        y[i] = i * i;
    check_ok(volt_kernel_parse("linear", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, N, 1), volt_view_of(y, N, 1), &options, (volt_matrix){0},
                            &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_string_equal(info.notes.first_rows, "8 20062299e1827990");
    assert_int_equal(volt_model_begins(&info, volt_view_of(x, N + 2, 1)), 1);
    assert_int_equal(volt_model_begins(&info, volt_view_of(x, 8, 1)), 1);
    assert_int_equal(volt_model_begins(&info, volt_view_of(x, 7, 1)), 0);
    assert_int_equal(volt_model_begins(&info, volt_view_of(x + 1, N, 1)), 0);
    assert_int_equal(volt_model_begins(&info, volt_view_of(x, 5, 2)), 0);
    assert_int_equal(volt_model_begins(NULL, volt_view_of(x, N, 1)), 0);
    x[0] = -0.0;
    assert_int_equal(volt_model_begins(&info, volt_view_of(x, N, 1)), 1);
    volt_model_free(model);

    /* Equal rows do not identify a sequence. */
    for (int i = 0; i < 8; i++)
        x[i] = 3;
    check_ok(volt_model_fit(kernel, volt_view_of(x, N, 1), volt_view_of(y, N, 1), &options, (volt_matrix){0},
                            &model));
    volt_model_get_info(model, &info);
    assert_null(info.notes.first_rows);
    assert_int_equal(volt_model_begins(&info, volt_view_of(x, N, 1)), 0);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pending_inputs_survive_a_file),
        cmocka_unit_test(predictions_do_not_depend_on_pending_inputs),
        cmocka_unit_test(with_feedback_the_last_target_is_pending),
        cmocka_unit_test(invalid_pending_inputs_are_rejected),
        cmocka_unit_test(streams_begin_after_pending_inputs),
        cmocka_unit_test(models_recognise_their_first_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
