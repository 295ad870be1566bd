/* tests/unit/series/test_classify_kinds.c: a search over many kinds of kernels, and over a kernel that compares
 * series in only one way; the readout of probabilities. */
#include "series/classify/class_bench.h"
#include "support/check.h"
#include "support/series_classes.h"
#include "volterra.h"

static volt_series_model *fit(const waves *from, const volt_series_options *options)
{
    volt_series_model *classifier = NULL;
    check_ok(volt_series_fit(from->series, N, from->classes, CLASSES, (volt_view){0}, options, &classifier));
    return classifier;
}

static volt_series_options plain_options(const char *kernel, int64_t draws)
{
    volt_series_options options = volt_series_options_default();
    options.kernel = kernel;
    options.scale = VOLT_OBJECT_SCALE_CHANNELS;
    options.input = VOLT_OBJECT_INPUT_LEVEL;
    options.draws = draws;
    options.splits = 0;
    return options;
}

/* With more kinds than a mean may contain, the best are kept, one kernel of each kind. */
static void more_kernels_than_a_mean_allows(void **state)
{
    waves made;
    make_waves(4322, 2, true, &made); /* enough noise that one kernel does not suffice */
    volt_series_options options = plain_options(
        "linear | rbf | poly | cauchy | gak | sig | sigpde | fir | fading | memory | volterra | esn:size=5",
        24);
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.alpha = 0.1;
    options.blend = 1;
    volt_series_info first = {.struct_size = sizeof first}, info = {.struct_size = sizeof info};
    volt_series_model *alone = fit(&made, &options);
    check_ok(volt_series_model_get_info(alone, &first));
    assert_int_equal(first.tried, 24);
    options.blend = 8;
    volt_series_model *blended = fit(&made, &options);
    check_ok(volt_series_model_get_info(blended, &info));
    assert_true(info.parts >= 2 && info.parts <= 8);
    assert_string_equal(info.kernel, first.kernel);
    assert_true(info.left_out > first.left_out ||
                (info.left_out == first.left_out && info.left_out_error <= first.left_out_error));
    for (int64_t p = 0; p < info.parts; p++)
        for (int64_t r = 0; r < p; r++) {
            volt_series_kernel one = info.kernels[p], other = info.kernels[r];
            size_t length = strcspn(one.kernel, ":");
            assert_true(length != strcspn(other.kernel, ":") || strncmp(one.kernel, other.kernel, length) != 0);
        }
    volt_series_model_free(blended);
    volt_series_model_free(alone);
}

/* A kernel that compares series but not their steps is evaluated in only one way. */
static void kernels_with_one_comparison(void **state)
{
    waves made;
    make_waves(4322, 0.5, true, &made);
    volt_series_options options = plain_options("volterra:pole=0.5", 8); /* both ways alternate */
    volt_series_info info = {.struct_size = sizeof info};
    volt_series_model *classifier = fit(&made, &options), *none = NULL;
    check_ok(volt_series_model_get_info(classifier, &info));
    assert_true(info.compare == VOLT_OBJECT_COMPARE_SERIES && info.tried == 4);
    volt_series_model_free(classifier);
    options.compare = VOLT_OBJECT_COMPARE_STEPS;
    check_fails(volt_series_fit(made.series, N, made.classes, CLASSES, (volt_view){0}, &options, &none),
                VOLT_ERR_KERNEL, "ball");
    assert_null(none);
}

/* The folds depend on the seed; the readout with a given alpha is fitted on all series. The log loss is that of the folds. */
static void readout_does_not_depend_on_folds(void **state)
{
    enum { SERIES = 17, KINDS = 3 };
    double K[SERIES * SERIES], A[2][SERIES * KINDS], c[2][KINDS], least = INFINITY, most = 0;
    int64_t of[SERIES];
    volt_loss *loss = NULL;
    for (int i = 0; i < SERIES; i++) {
        of[i] = i % KINDS;
        for (int j = 0; j < SERIES; j++)
            K[i * SERIES + j] = exp(-0.1 * pow(i % KINDS - j % KINDS + 0.05 * (i - j), 2)) + (i == j);
    }
    const volt_class_list classes = {SERIES, KINDS, of};
    check_ok(volt_loss_parse("multinomial", &loss));
    for (uint64_t seed = 0; seed < 30; seed++) {
        int now = seed > 0;
        volt_class_readout readout = {.A = volt_matrix_of(A[now], SERIES, KINDS), .c = c[now], .alpha = 0.3};
        check_ok(volt_class_loss_fit(loss, &classes, volt_view_of(K, SERIES, SERIES), seed, (volt_progress){0},
                                     &readout));
        assert_true(readout.alpha == 0.3);
        assert_memory_equal(A[now], A[0], sizeof A[0]);
        assert_memory_equal(c[now], c[0], sizeof c[0]);
        least = fmin(least, readout.log_loss);
        most = fmax(most, readout.log_loss);
    }
    assert_true(least > 0 && least < most && most < 2 * log(KINDS));
    volt_loss_free(loss);
}

/* Series of four numbers: with a small alpha, the matrix of the linear kernel is singular, and that of rbf is not. */
static void candidates_that_cannot_be_factored_are_counted(void **state)
{
    waves made;
    make_waves(4323, 0.5, true, &made);
    for (int i = 0; i < N; i++) {
        made.series[i].rows = 4;
        made.series[i].cols = 1;
    }
    volt_series_options options = plain_options("linear | rbf", 8);
    options.compare = VOLT_OBJECT_COMPARE_SERIES;
    options.alpha = 1e-18;
    volt_series_info info = {.struct_size = sizeof info};
    volt_series_model *classifier = fit(&made, &options);
    check_ok(volt_series_model_get_info(classifier, &info));
    assert_int_equal(info.tried, 8);
    assert_true(info.failed >= 4 && info.failed < 8);
    assert_memory_equal(info.kernel, "rbf:", 4);
    volt_series_model_free(classifier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_kernels_than_a_mean_allows),
        cmocka_unit_test(kernels_with_one_comparison),
        cmocka_unit_test(readout_does_not_depend_on_folds),
        cmocka_unit_test(candidates_that_cannot_be_factored_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
