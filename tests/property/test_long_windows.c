/* tests/property/test_long_windows.c: windows longer than the sequence that a model was fitted to.
 *
 * The zeros before the first row contribute little or nothing to such windows and are skipped. Predictions
 * equal those of the explicit zero-padded windows, however the rows after training are divided into calls. */
#include "support/check.h"
#include "support/plain_paths.h"
#include "support/sequences.h"
#include "volterra/kernel.h"
#include "volterra/live.h"
#include "volterra/model.h"

enum { TRAIN = 7, AFTER = 40, ALL = TRAIN + AFTER, D = 2 };

/* clang-format off */
static const plain_path_kernel kernels[] = {
    {"linear", PLAIN_STATIC_LINEAR, .gamma = 1},
    {"rbf:gamma=0.05", PLAIN_STATIC_RBF, .gamma = 0.05},
    {"poly:degree=2,gamma=0.2,coef0=0.5", PLAIN_STATIC_POLY, .degree = 2, .gamma = 0.2, .coef0 = 0.5},
    {"gak:sigma=0.7", PLAIN_GAK, .sigma = 0.7},
    {"sig:level=2,order=1", PLAIN_SIG, .level = 2, .order = 1},
    {"sig:level=3", PLAIN_SIG, .level = 3, .order = 3},
    {"sigpde", PLAIN_SIGPDE, .dyadic = 0},
    {"sigpde:static=rbf,sigma=2", PLAIN_SIGPDE_RBF, .sigma = 2},
    {"sig:level=2,augment=time", PLAIN_SIG, .level = 2, .order = 2, .time = true},
};
/* clang-format on */
static const int64_t windows[] = {6, 7, 8, 9, 20, 46, 47, 100};

static volt_model *fit(const plain_path_kernel *kernel, int64_t window, const double *rows,
                       const double *targets)
{
    char more[32];
    snprintf(more, sizeof more, "window=%d", (int)window);
    volt_kernel *parsed = plain_path_parse(kernel, more);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 100; /* large against the sums of a window: no matrix is indefinite */
    options.scale = 0;
    options.intercept = 0;
    volt_model *model = NULL;
    check_ok(volt_model_fit(parsed, volt_view_of(rows, TRAIN, D), volt_view_of(targets, TRAIN, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_kernel_free(parsed);
    return model;
}

/* The forecasts after training, and how far they may be off, from the plain kernel and the model's
 * coefficients. */
static void plain_forecasts(const plain_path_kernel *kernel, int64_t window, const double *rows,
                            const volt_model *model, double *forecast, double *most)
{
    volt_view X = volt_view_of(rows, ALL, D);
    plain_path *paths = plain_windows(kernel, X, window);
    double *value = new_matrix(ALL, TRAIN), *bound = new_matrix(ALL, TRAIN);
    plain_paths_gram(kernel, paths, ALL, paths, TRAIN, sqrt((double)D), value, bound);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    for (int64_t i = 0; i < AFTER; i++) {
        forecast[i] = most[i] = 0;
        for (int64_t j = 0; j < TRAIN; j++) {
            int64_t at = (TRAIN + i) * TRAIN + j;
            forecast[i] += value[at] * info.coefficients[j];
            /* the entry, and the rounding of a sum of TRAIN products on each side */
            most[i] +=
                fabs(info.coefficients[j]) * (bound[at] + 2 * (TRAIN + 1) * DBL_EPSILON * fabs(value[at]));
        }
    }
    plain_paths_free(paths, ALL);
    free(bound);
    free(value);
}

static void check_forecasts(const char *how, const char *kernel, int64_t window, const double *actual,
                            const double *expected, const double *most)
{
    for (int64_t i = 0; i < AFTER; i++)
        if (!(fabs(actual[i] - expected[i]) <= most[i]))
            fail_msg("%s, window %d, %s: row %d is %.17g, expected %.17g: error %.3g, bound %.3g", kernel,
                     (int)window, how, (int)i, actual[i], expected[i], fabs(actual[i] - expected[i]), most[i]);
}

static void check_model(const plain_path_kernel *kernel, int64_t window, const double *rows,
                        const double *targets)
{
    double expected[AFTER], most[AFTER], actual[AFTER];
    volt_model *model = fit(kernel, window, rows, targets);
    const double *after = rows + TRAIN * D;
    plain_forecasts(kernel, window, rows, model, expected, most);

    check_ok(
        volt_model_predict(model, volt_view_of(after, AFTER, D), NULL, volt_matrix_of(actual, AFTER, 1), NULL));
    check_forecasts("all at once", kernel->text, window, actual, expected, most);

    volt_live *stream = NULL;
    check_ok(volt_live_create(model, NULL, &stream));
    for (int64_t i = 0; i < AFTER; i++)
        check_ok(volt_live_feed(stream, after + i * D, actual + i));
    check_forecasts("row by row", kernel->text, window, actual, expected, most);
    volt_live_free(stream);
    volt_model_free(model);
}

static void predictions_equal_plain_windows(void **state)
{
    volt_rng rng = test_rng(2501);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
            double *rows = random_rows(&rng, ALL, D, 1), *targets = normal_rows(&rng, TRAIN, 1);
            if (!UNDER_SANITIZERS)
                check_model(&kernels[k], windows[i], rows, targets);
            /* Zeros in the data are treated like zeros before it. */
            memset(rows, 0, 3 * D * sizeof(double));
            memset(rows + (TRAIN + 2) * D, 0, 9 * D * sizeof(double));
            check_model(&kernels[k], windows[i], rows, targets);
            free(targets);
            free(rows);
        }
}

/* The work of (rows + window)^2 entries would take hours. */
static void huge_window_costs_no_more_than_its_state(void **state)
{
    volt_rng rng = test_rng(2502);
    static const char *const texts[] = {"rbf:window=1000000,gamma=0.05", "linear:window=1000000",
                                        "sig:level=2,window=1000000", "sig:level=2,features=rbf,window=1000000",
                                        "sigpde:window=1000000"};
    double *rows = random_rows(&rng, ALL, D, 1), *targets = normal_rows(&rng, TRAIN, 1), out[3] = {0},
           shorter[3] = {0};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        /* No window is longer than this sequence: 50 rows see as much as a million. */
        char text[64];
        const char *million = strstr(texts[k], "1000000");
        snprintf(text, sizeof text, "%.*s50%s", (int)(million - texts[k]), texts[k], million + 7);
        const char *both[] = {texts[k], text};
        for (int i = 0; i < 2; i++) {
            volt_kernel *kernel = NULL;
            volt_model *model = NULL;
            volt_fit_options options = volt_fit_options_default();
            options.alpha = 1;
            check_ok(volt_kernel_parse(both[i], &kernel));
            check_ok(volt_model_fit(kernel, volt_view_of(rows, TRAIN, D), volt_view_of(targets, TRAIN, 1),
                                    &options, volt_matrix_of(NULL, 0, 0), &model));
            check_ok(volt_model_predict(model, volt_view_of(rows + TRAIN * D, 3, D), NULL,
                                        volt_matrix_of(i ? shorter : out, 3, 1), NULL));
            volt_model_free(model);
            volt_kernel_free(kernel);
        }
        /* Values of order 1 from at most 10 rows, in sums of another order: fewer than 1000 roundings. */
        for (int i = 0; i < 3; i++)
            assert_true(fabs(out[i] - shorter[i]) <= 1000 * DBL_EPSILON);
    }
    free(targets);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_equal_plain_windows),
        cmocka_unit_test(huge_window_costs_no_more_than_its_state),
    };
    return cmocka_run_group_tests_name("long_windows", tests, NULL, NULL);
}
