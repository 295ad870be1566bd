/* tests/property/test_curve_properties.c: learning curves do not depend on the other sizes, kernels and
 * repeats, nor on the units of the data; errors of a target in the space of the kernel fall. */
#include "backend/backend.h"
#include "support/check.h"
#include "support/far_backend.h"
#include "support/sequences.h"
#include "volterra/task.h"

enum { N = 150, D = 2 };

typedef struct sample {
    double *X, *Y;
} sample;

static sample sample_make(uint64_t seed)
{
    volt_rng rng = test_rng(seed);
    sample made = {normal_rows(&rng, N, D), new_matrix(N, 1)};
    for (int64_t i = 0; i < N; i++)
        made.Y[i] = made.X[i * D] * (i > 0 ? made.X[(i - 1) * D + 1] : 0) + fabs(made.X[i * D]) +
                    0.3 * volt_rng_normal(&rng);
    return made;
}

static void sample_free(sample *made)
{
    free(made->X);
    free(made->Y);
}

static volt_curve *run(const sample *data, int64_t first, int64_t rows, const char *const *kernels,
                       int64_t count, const volt_curve_options *options)
{
    volt_curve *curve = NULL;
    check_ok(volt_curve_run(volt_view_of(data->X + first * D, rows, D), volt_view_of(data->Y + first, rows, 1),
                            kernels, count, options, &curve));
    return curve;
}

static const char *const kernels[] = {"volterra:tau=0.5,lambda=0.6", "rbf:gamma=3,window=2", "fading"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* alpha is at least 1e-8 of the diagonal, so that rounding errors are at most about 1e8 n eps = 3e-6. */
static const double rounding = 1e-5;

static void check_near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= rounding * fabs(expected)))
        fail_msg("%.17g instead of %.17g", actual, expected);
}

static const int64_t sizes[] = {12, 25, 50, 100};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Each size, kernel and repeat computed separately. */
static void points_are_independent(void **state)
{
    sample data = sample_make(3221);
    volt_curve_options options = volt_curve_options_default();
    options.sizes = sizes;
    options.n_sizes = SIZES;
    options.test = 20;
    options.repeat = 2;
    volt_curve *all = run(&data, 0, N, kernels, KERNELS, &options);
    assert_int_equal(all->first[1], all->first[0] + 20);
    int64_t without[] = {25, 100};
    for (int64_t k = 0; k < KERNELS; k++)
        for (int64_t r = 0; r < 2; r++) {
            volt_curve_options one = options;
            one.repeat = 1;
            one.sizes = without;
            one.n_sizes = 2;
            volt_curve *part = run(&data, all->first[r], 120, kernels + k, 1, &one);
            const double *found = all->nmse + (k * 2 + r) * SIZES;
            check_near(part->nmse[0], found[1]);
            check_near(part->nmse[1], found[3]);
            volt_curve_free(part);
        }
    /* the same rows as records */
    sample stacked = {new_matrix(240, D), new_matrix(240, 1)};
    for (int r = 0; r < 2; r++) {
        memcpy(stacked.X + (ptrdiff_t)r * 120 * D, data.X + all->first[r] * D, 120 * D * sizeof(double));
        memcpy(stacked.Y + (ptrdiff_t)r * 120, data.Y + all->first[r], 120 * sizeof(double));
    }
    const int64_t records[] = {120, 120};
    volt_curve_options by_records = options;
    by_records.repeat = 1;
    by_records.records = records;
    by_records.n_records = 2;
    volt_curve *same = run(&stacked, 0, 240, kernels, KERNELS, &by_records);
    for (int64_t i = 0; i < (int64_t)KERNELS * 2 * SIZES; i++)
        check_near(same->nmse[i], all->nmse[i]);
    for (int64_t k = 0; k < KERNELS; k++) {
        check_near(same->rate[k], all->rate[k]);
        for (int64_t s = 0; s < SIZES; s++)
            check_near(all->mean_nmse[k * SIZES + s],
                       (all->nmse[2 * k * SIZES + s] + all->nmse[(2 * k + 1) * SIZES + s]) / 2);
    }
    volt_curve_free(same);
    volt_curve_free(all);
    sample_free(&stacked);
    sample_free(&data);
}

/* NMSE and alphas do not depend on the units, and the RMSE is proportional to that of the target. */
static void units(void **state)
{
    sample data = sample_make(3222);
    volt_curve_options options = volt_curve_options_default();
    options.points = 4;
    volt_curve *before = run(&data, 0, N, kernels, KERNELS, &options);
    for (int64_t i = 0; i < N; i++) {
        data.X[i * D] = 4 * data.X[i * D] + 8;
        data.X[i * D + 1] *= 4;
        data.Y[i] = 16 * data.Y[i] - 3;
    }
    volt_curve *after = run(&data, 0, N, kernels, KERNELS, &options);
    for (int64_t i = 0; i < KERNELS * before->n_sizes; i++) {
        check_near(after->nmse[i], before->nmse[i]);
        check_near(after->rmse[i], 16 * before->rmse[i]);
        assert_true(isinf(after->alphas[i]) ? isinf(before->alphas[i])
                                            : fabs(after->alphas[i] / before->alphas[i] - 1) < 1e-9);
    }
    volt_curve_free(after);
    volt_curve_free(before);
    sample_free(&data);
}

/* Without noise, a target in the space of the kernel is learned: the error at 100 rows is far below the error
 * at 12. */
static void error_of_a_target_in_the_space_falls(void **state)
{
    sample data = sample_make(3223);
    for (int64_t i = 0; i < N; i++)
        data.Y[i] = data.X[i * D] * data.X[i * D + 1] + data.X[i * D] * data.X[i * D];
    volt_curve_options options = volt_curve_options_default();
    options.sizes = sizes;
    options.n_sizes = SIZES;
    options.test = 30;
    const char *quadratic = "poly:degree=2";
    volt_curve *curve = run(&data, 0, N, &quadratic, 1, &options);
    assert_true(curve->nmse[SIZES - 1] < 1e-6 * curve->nmse[0] || curve->nmse[SIZES - 1] < 1e-12);
    volt_curve_free(curve);
    sample_free(&data);
}

/* The order of rounding depends on the threads only. */
static void threads(void **state)
{
    sample data = sample_make(3224);
    volt_curve_options options = volt_curve_options_default();
    options.points = 3;
    check_ok(volt_set_threads(1));
    volt_curve *one = run(&data, 0, N, kernels, KERNELS, &options);
    check_ok(volt_set_threads(3));
    volt_curve *three = run(&data, 0, N, kernels, KERNELS, &options);
    check_ok(volt_set_threads(0));
    for (int64_t i = 0; i < KERNELS * one->n_sizes; i++)
        check_near(three->nmse[i], one->nmse[i]);
    volt_curve_free(one);
    volt_curve_free(three);
    sample_free(&data);
}

/* A back end whose memory is not accessible gives the numbers of the CPU. */
static void back_ends(void **state)
{
    sample data = sample_make(3226);
    volt_fit_options fit = volt_fit_options_default();
    fit.washout = 3;
    volt_curve_options options = volt_curve_options_default();
    options.fit = &fit;
    options.points = 3;
    volt_curve *near = run(&data, 0, N, kernels, KERNELS, &options);
    far_backends_register();
    check_ok(volt_backend_use("far-gram"));
    volt_curve *far = run(&data, 0, N, kernels, KERNELS, &options);
    check_ok(volt_backend_use("cpu"));
    assert_true(far_backends_filled() > 0);
    assert_int_equal(far_backends_live(), 0);
    for (int64_t i = 0; i < KERNELS * near->n_sizes; i++)
        check_near(far->nmse[i], near->nmse[i]);
    volt_curve_free(near);
    volt_curve_free(far);
    sample_free(&data);
}

/* Changes are learned, and errors are relative to the variance of the levels. */
static void changes(void **state)
{
    volt_rng rng = test_rng(3225);
    double *X = new_matrix(N + 1, 1);
    for (int64_t i = 0; i <= N; i++)
        X[i] = (i > 0 ? X[i - 1] : 0) + volt_rng_normal(&rng);
    const int64_t anchors[] = {0};
    volt_fit_options fit = volt_fit_options_default();
    fit.anchors = anchors;
    fit.ahead = 1;
    volt_curve_options options = volt_curve_options_default();
    options.fit = &fit;
    options.points = 3;
    volt_curve *curve = NULL;
    const char *kernel = "volterra";
    check_ok(volt_curve_run(volt_view_of(X, N, 1), volt_view_of(X + 1, N, 1), &kernel, 1, &options, &curve));
    int64_t last = curve->n_sizes - 1, first = N - curve->test_rows;
    double mean = 0, variance = 0, squares = 0;
    for (int64_t i = first; i < N; i++)
        mean += X[i + 1] / (double)curve->test_rows;
    for (int64_t i = first; i < N; i++) {
        variance += pow(X[i + 1] - mean, 2) / (double)curve->test_rows;
        squares += pow(X[i + 1] - X[i], 2) / (double)curve->test_rows;
    }
    /* the change is noise: its mean square, the error of the naive forecast, is within 20 % of the error */
    assert_true(fabs(curve->nmse[last] / (squares / variance) - 1) < 0.2);
    assert_true(fabs(pow(curve->rmse[last], 2) / variance / curve->nmse[last] - 1) < 1e-9);
    volt_curve_free(curve);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_independent),
        cmocka_unit_test(units),
        cmocka_unit_test(error_of_a_target_in_the_space_falls),
        cmocka_unit_test(threads),
        cmocka_unit_test(back_ends),
        cmocka_unit_test(changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
