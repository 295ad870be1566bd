/* tests/unit/predict/test_learner_long.c: a window that moves over many times its own length: after hundreds of rows
 * a learner still equals a new fit on the last of them. */
#include "support/check.h"
#include "support/live_options.h"
#include "support/sequences.h"
#include "volterra/live.h"

enum { TRAIN = 10, N = 300, WINDOW = 6 };
static const double alpha = 0.7;
static const volt_matrix nowhere = {NULL, 0, 0, 0};

static const char *const kernels[] = {"volterra:tau=0.5,lambda=0.6",
                                      "volterra:tau=0.5,lambda=0.1",
                                      "fading",
                                      "memory",
                                      "fir",
                                      "rbf:gamma=1",
                                      "rbf:gamma=1,window=3",
                                      "gak:window=3",
                                      "esn:size=8",
                                      "fir + 0.5*rbf:gamma=1"};

/* Each step adds one row to the window and drops one: N times an error of eps times the condition number,
 * which is at most the largest eigenvalue, WINDOW times entries of about 10, divided by alpha. */
static const double tolerance = 100 * N * DBL_EPSILON * 10 * WINDOW / 0.7;

typedef struct rows {
    double *X, *Y;
} rows;

/* The first row has the largest norm, so every fit has the same ball. */
static rows draw_rows(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    rows drawn = {random_rows(&rng, N, 1, 0.8), normal_rows(&rng, N, 1)};
    drawn.X[0] = 0.95;
    return drawn;
}

static void free_rows(rows *drawn)
{
    free(drawn->X);
    free(drawn->Y);
}

static volt_model *fit(const char *text, const rows *drawn, int64_t n, int64_t washout)
{
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    options.alpha = alpha;
    options.scale = 0;
    options.washout = washout;
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(drawn->X, n, 1), volt_view_of(drawn->Y, n, 1), &options,
                            nowhere, &model));
    volt_kernel_free(kernel);
    return model;
}

static void check_near(const char *text, double found, double expected)
{
    if (!(fabs(found - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%s: %.17g, and should be %.17g", text, found, expected);
}

static void long_moving_window(void **state)
{
    rows drawn = draw_rows(21);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        volt_model *model = fit(kernels[k], &drawn, TRAIN, 0), *fresh = fit(kernels[k], &drawn, N, N - WINDOW);
        volt_live_options options = *with_learning();
        volt_live *learner = NULL;
        options.window = WINDOW;
        check_ok(volt_live_create(model, &options, &learner));
        for (int64_t t = TRAIN; t < N; t++)
            check_ok(volt_live_update(learner, drawn.X + t, 0, drawn.Y + t, NULL));
        double A[WINDOW], c;
        int64_t numbers[WINDOW];
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(fresh, &info);
        check_ok(volt_live_coefficients(learner, volt_matrix_of(A, WINDOW, 1), &c, numbers));
        for (int i = 0; i < WINDOW; i++) {
            assert_int_equal(numbers[i], N - WINDOW + i);
            check_near(kernels[k], A[i], info.coefficients[N - WINDOW + i]);
        }
        check_near(kernels[k], c, info.intercepts[0]);
        volt_live_free(learner);
        volt_model_free(fresh);
        volt_model_free(model);
    }
    free_rows(&drawn);
}

/* Empty records are ignored: two restarts equal one. */
static void two_consecutive_restarts(void **state)
{
    rows drawn = draw_rows(22);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        volt_model *model = fit(kernels[k], &drawn, TRAIN, 0);
        volt_live *once = NULL, *twice = NULL;
        check_ok(volt_live_create(model, with_learning(), &once));
        check_ok(volt_live_create(model, with_learning(), &twice));
        check_ok(volt_live_restart(once));
        check_ok(volt_live_restart(twice));
        check_ok(volt_live_restart(twice));
        for (int64_t t = TRAIN; t < TRAIN + 8; t++) {
            double expected, found;
            check_ok(volt_live_update(once, drawn.X + t, 0, drawn.Y + t, &expected));
            check_ok(volt_live_update(twice, drawn.X + t, 0, drawn.Y + t, &found));
            assert_true(found == expected);
        }
        volt_live_free(twice);
        volt_live_free(once);
        volt_model_free(model);
    }
    free_rows(&drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_moving_window),
        cmocka_unit_test(two_consecutive_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
