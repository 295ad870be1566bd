/* tests/unit/predict/test_stream_file.c: save and load the state of a stream. */
#include "io/safetensors/safetensors.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/model.h"

#include <unistd.h>

enum { N = 20, D = 2, Q = 2, BEFORE = 11, AFTER = 9 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};

static volt_model *new_model(const char *text, volt_rng *rng, double alpha)
{
    volt_kernel *kernel = plain_parse(text);
    double *X = random_rows(rng, N, D, 0.9), *Y = normal_rows(rng, N, Q);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, Q), &options, nowhere, &model));
    free(Y);
    free(X);
    volt_kernel_free(kernel);
    return model;
}

static volt_live *open_stream(const volt_model *model, volt_start start)
{
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .start = start, .beyond = VOLT_BEYOND_CLIP};
    volt_live *stream = NULL;
    check_ok(volt_live_create(model, as_live(&options), &stream));
    return stream;
}

static void push_rows(volt_live *stream, const double *x, int rows, double *y)
{
    for (int i = 0; i < rows; i++)
        check_ok(volt_live_feed(stream, x + i * D, y + i * Q));
}

/* Predictions are bitwise equal with and without the file for every kernel: before the first row, after one
 * row and after several; with the model in memory and with the loaded model. */
static void loaded_stream_continues(void **state)
{
    static const char *const kernels[] = {"volterra:tau=0.5,lambda=0.6", "memory:gamma=1,rho=0.5,mu=0.8",
                                          "rbf:gamma=1,window=4",        "gak:sigma=1,window=5",
                                          "sig:level=3,window=5",        "linear"};
    static const int counts[] = {0, 1, BEFORE};
    volt_rng rng = test_rng(201);
    for (size_t p = 0; p < sizeof kernels / sizeof *kernels; p++)
        for (int c = 0; c < 3; c++) {
            volt_model *model = new_model(kernels[p], &rng, 0.1), *again = NULL;
            double *x = random_rows(&rng, BEFORE + AFTER, D, 0.9), ignored[BEFORE * Q], last[D] = {7, 7};
            double expected[AFTER * Q], found[AFTER * Q];
            x[0] = 9; /* outside the ball, and counted if the kernel has one */
            volt_live *stream = open_stream(model, c % 2 ? VOLT_START_CONTINUE : VOLT_START_RESET);
            push_rows(stream, x, counts[c], ignored);
            const char *path = scratch_path("moment");
            check_ok(volt_live_save(stream, path));
            int64_t beyond = live_beyond(stream);
            push_rows(stream, x + counts[c] * D, AFTER, expected);
            volt_live_free(stream);

            check_ok(volt_model_save(model, scratch_path("model"), (volt_progress){0}));
            check_ok(volt_model_load(scratch_path("model"), &again));
            const volt_model *models[] = {model, again};
            for (int m = 0; m < 2; m++) {
                check_ok(volt_live_load(models[m], NULL, scratch_path("moment"), &stream));
                assert_int_equal(live_beyond(stream), beyond);
                assert_int_equal(live_last(stream, D, last), counts[c] > 0);
                for (int k = 0; k < D; k++)
                    assert_true(last[k] == (counts[c] ? x[(counts[c] - 1) * D + k] : 7));
                push_rows(stream, x + counts[c] * D, AFTER, found);
                assert_memory_equal(found, expected, sizeof found);
                volt_live_free(stream);
            }
            volt_model_free(again);
            volt_model_free(model);
            free(x);
        }
}

/* A model of changes uses a season of preceding rows, which the file contains too. A stream saved and loaded
 * after every row gives the same predictions as an uninterrupted one, from both initial states. */
static void difference_model_continues(void **state)
{
    enum { ROWS = 60, SEASON = 7 };
    volt_rng rng = test_rng(206);
    volt_kernel *kernel = plain_parse("volterra");
    double *X = normal_rows(&rng, ROWS + 1, D), *x = normal_rows(&rng, AFTER, D);
    const int64_t anchors[D] = {0, 1};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.ahead = 1;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_BOTH;
    options.season = SEASON;
    options.anchors = anchors;
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(X + D, ROWS, D), &options, nowhere,
                            &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(info.columns > D && info.anchors[0] == 0 && info.season == SEASON);
    const char *path = scratch_path("change");
    for (int start = 0; start < 2; start++) {
        double expected[AFTER * Q], found[AFTER * Q];
        volt_live *stream = open_stream(model, (volt_start)start);
        push_rows(stream, x, AFTER, expected);
        volt_live_free(stream);
        stream = open_stream(model, (volt_start)start);
        for (int i = 0; i <= AFTER; i++) {
            check_ok(volt_live_save(stream, path));
            volt_live_free(stream);
            check_ok(volt_live_load(model, NULL, path, &stream));
            if (i < AFTER)
                check_ok(volt_live_feed(stream, x + i * D, found + i * Q));
        }
        assert_memory_equal(found, expected, sizeof found);
        volt_live_free(stream);
    }
    volt_model_free(model);
    free(x);
    free(X);
    volt_kernel_free(kernel);
}

/* A copy keeps the last input too; a rejected row is not an input. */
static void last_input(void **state)
{
    volt_rng rng = test_rng(202);
    volt_model *model = new_model("volterra:tau=0.5,lambda=0.6", &rng, 0.1);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE), *copy = NULL;
    double x[] = {0.25, -0.5}, wrong[] = {0.1, 1e300}, y[Q], last[D] = {7, 7};
    check_ok(volt_live_copy(stream, &copy));
    assert_int_equal(live_last(copy, D, last), 0);
    volt_live_free(copy);
    check_ok(volt_live_feed(stream, x, y));
    check_fails(volt_live_feed(stream, wrong, y), VOLT_ERR_NOT_FINITE, "large");
    check_ok(volt_live_copy(stream, &copy));
    assert_int_equal(live_last(copy, D, last), 1);
    assert_memory_equal(last, x, sizeof x);
    volt_live_free(copy);
    volt_live_free(stream);
    volt_model_free(model);
}

/* Metadata of the file (docs/file_formats.md). */
static void file_has_its_kind(void **state)
{
    volt_rng rng = test_rng(204);
    volt_model *model = new_model("volterra:tau=0.5,lambda=0.6", &rng, 0.1);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE);
    volt_safetensors *file = NULL;
    const char *path = scratch_path("itself");
    check_ok(volt_live_save(stream, path));
    check_ok(volt_safetensors_read(path, &file));
    assert_string_equal(volt_safetensors_metadata(file, "format"), "volterra-live");
    assert_string_equal(volt_safetensors_metadata(file, "learns"), "no");
    assert_string_equal(volt_safetensors_metadata(file, "library"), volt_version());
    assert_string_equal(volt_safetensors_metadata(file, "kernel"), "volterra:tau=0.5,lambda=0.6");
    assert_string_equal(volt_safetensors_metadata(file, "rows"), "0");
    volt_safetensors_free(file);
    volt_live_free(stream);
    volt_model_free(model);
}

static void invalid_files_are_rejected(void **state)
{
    volt_rng rng = test_rng(203);
    volt_model *model = new_model("volterra:tau=0.5,lambda=0.6", &rng, 0.1),
               *other = new_model("rbf:gamma=1,window=3", &rng, 0.1);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE), *none = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("refused"));
    check_ok(volt_live_save(stream, path));
    check_fails(volt_live_load(other, NULL, path, &none), VOLT_ERR_FORMAT, "model");
    assert_non_null(strstr(volt_error_detail(), "rbf:gamma=1"));
    check_fails(volt_live_load(NULL, NULL, path, &none), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_save(NULL, path), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_load(model, NULL, scratch_path("absent"), &none), VOLT_ERR_IO, "absent");

    /* The checksum covers every byte of the file. */
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1;
        const char *damaged = scratch_write("damaged", bytes, size);
        assert_int_equal(volt_live_load(model, NULL, damaged, &none), VOLT_ERR_FORMAT);
        bytes[i] ^= 1;
    }
    const char *cut = scratch_write("cut", bytes, size - 1);
    assert_int_equal(volt_live_load(model, NULL, cut, &none), VOLT_ERR_FORMAT);
    free(bytes);

    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_fails(volt_live_load(model, NULL, path, &none), VOLT_ERR_FORMAT, "state volterra model");
    volt_model *loaded = NULL;
    check_ok(volt_live_save(stream, path));
    check_fails(volt_model_load(path, &loaded), VOLT_ERR_FORMAT, "volterra model");
    char far[600];
    snprintf(far, sizeof far, "%s/none/moment", scratch_directory());
    check_fails(volt_live_save(stream, far), VOLT_ERR_IO, "none");
    assert_null(none);
    volt_live_free(stream);
    volt_model_free(other);
    volt_model_free(model);
}

/* Models that differ in any number are different models. */
static void model_digest(void **state)
{
    volt_rng first = test_rng(204), second = test_rng(204);
    volt_model *model = new_model("volterra:tau=0.5,lambda=0.6", &first, 0.1);
    volt_model *same = new_model("volterra:tau=0.5,lambda=0.6", &second, 0.1);
    volt_rng third = test_rng(204), fourth = test_rng(204);
    volt_model *others[] = {new_model("volterra:tau=0.5,lambda=0.6", &third, 0.1000001),
                            new_model("volterra:tau=0.5,lambda=0.5999999", &fourth, 0.1)};
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE), *again = NULL;
    check_ok(volt_live_save(stream, scratch_path("one")));
    check_ok(volt_live_load(same, NULL, scratch_path("one"), &again));
    volt_live_free(again);
    for (int i = 0; i < 2; i++) {
        check_fails(volt_live_load(others[i], NULL, scratch_path("one"), &again), VOLT_ERR_FORMAT, "model");
        volt_model_free(others[i]);
    }
    volt_live_free(stream);
    volt_model_free(same);
    volt_model_free(model);
}

static void every_allocation_may_fail(void **state)
{
    volt_rng rng = test_rng(205);
    volt_model *model = new_model("gak:sigma=1,window=3", &rng, 0.1);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE);
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("alloc"));
    for (int loads = 0; loads < 2; loads++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_live *again = NULL;
            volt_status status =
                loads ? volt_live_load(model, NULL, path, &again) : volt_live_save(stream, path);
            volt_live_free(again);
            if (loads)
                failing_alloc_check(status);
            else /* a save may skip the removal of old temporary files */
                failing_alloc_check_lenient(status);
        }
    volt_live_free(stream);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_stream_continues),
        cmocka_unit_test(difference_model_continues),
        cmocka_unit_test(last_input),
        cmocka_unit_test(invalid_files_are_rejected),
        cmocka_unit_test(file_has_its_kind),
        cmocka_unit_test(model_digest),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
