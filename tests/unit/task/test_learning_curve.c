/* tests/unit/task/test_learning_curve.c: learning curves: the same errors as separate fits, layout of the rows,
 * rates, invalid arguments, cancellation, and missing memory. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/task.h"

enum { N = 90, D = 2, Q = 2, TEST = 12, SIZES = 3 };
static const int64_t sizes[SIZES] = {15, 30, 60};

/* Inputs and targets with a memory of one row. */
typedef struct sample {
    double *X, *Y;
} sample;

static sample sample_make(uint64_t seed, int64_t n)
{
    volt_rng rng = test_rng(seed);
    sample made = {random_rows(&rng, n, D, 0.8), new_matrix(n, Q)};
    for (int64_t i = 0; i < n; i++) {
        double before = i > 0 ? made.X[(i - 1) * D] : 0;
        made.Y[i * Q] = made.X[i * D] * made.X[i * D + 1] + before + 0.1 * volt_rng_normal(&rng);
        made.Y[i * Q + 1] = fabs(made.X[i * D] + before) + 0.1 * volt_rng_normal(&rng);
    }
    return made;
}

static void sample_free(sample *made)
{
    free(made->X);
    free(made->Y);
}

static volt_curve_options sizes_of(const volt_fit_options *fit)
{
    volt_curve_options options = volt_curve_options_default();
    options.sizes = sizes;
    options.n_sizes = SIZES;
    options.test = TEST;
    options.fit = fit;
    return options;
}

static volt_curve *curve_of(const sample *data, int64_t n, const char *kernel,
                            const volt_curve_options *options)
{
    volt_curve *curve = NULL;
    check_ok(
        volt_curve_run(volt_view_of(data->X, n, D), volt_view_of(data->Y, n, Q), &kernel, 1, options, &curve));
    return curve;
}

/* ---- separate fits ---------------------------------------------------------------------------- */

/* NMSE of the rows `held` .. of a fit on `rows` rows from `first` on; *alphas receives the alphas. */
static double fit_and_test(const sample *data, const char *text, volt_fit_options options, int64_t first,
                           int64_t rows, int64_t held, double alphas[Q])
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_metrics metrics = {.struct_size = sizeof metrics};
    int64_t later = held + TEST - first - rows;
    double *out = new_matrix(later, Q);
    volt_view X = volt_view_of(data->X + first * D, rows + later, D);
    volt_view Y = volt_view_of(data->Y + first * Q, rows + later, Q);
    check_ok(volt_kernel_parse(text, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_rows(X, 0, rows), volt_view_rows(Y, 0, rows), &options,
                            (volt_matrix){0}, &model));
    check_ok(
        volt_model_predict(model, volt_view_rows(X, rows, later), NULL, volt_matrix_of(out, later, Q), NULL));
    check_ok(volt_metrics_compute(volt_view_rows(Y, rows + later - TEST, TEST),
                                  volt_view_of(out + (later - TEST) * Q, TEST, Q), &metrics));
    check_ok(volt_model_get_info(model, &info));
    memcpy(alphas, info.alphas, Q * sizeof *alphas);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(out);
    return metrics.nmse;
}

/* Up to rounding; both may be infinite. */
static bool is_same_alpha(double a, double b)
{
    return a == b || fabs(a / b - 1) < 1e-12;
}

typedef struct fit_case {
    const char *kernel;
    double alpha; /* 0: chosen; the diagonal of K is then constant, so that every size has the same grid */
    int64_t washout, ahead;
    int intercept;
    volt_initial initial;
} fit_case;

/* Both solve the same systems with condition numbers below 1e5: relative errors are below 1e5 n eps = 2e-9. */
static void sizes_equal_separate_fits(void **state)
{
    static const fit_case cases[] = {
        {"volterra:tau=0.5,lambda=0.6", 0.01, 0, 0, 1, VOLT_INITIAL_ZERO},
        {"volterra:tau=0.5,lambda=0.6", 0.01, 4, 3, 0, VOLT_INITIAL_FIRST},
        {"volterra:lift=rbf,gamma=0.5,lambda=0.6", 0.02, 3, 1, 1, VOLT_INITIAL_ZERO},
        {"rbf:gamma=1,window=2", 0, 0, 0, 1, VOLT_INITIAL_ZERO},
        {"rbf:gamma=1,window=3", 0, 5, 3, 1, VOLT_INITIAL_ZERO},
        {"rbf:gamma=1", 0, 2, 2, 0, VOLT_INITIAL_ZERO},
        {"memory:gamma=0.5,rho=0.5,mu=0.7 + linear:window=2", 0.05, 1, 0, 1, VOLT_INITIAL_ZERO},
    };
    sample data = sample_make(3206, N);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_fit_options fit = volt_fit_options_default();
        fit.scale = 0;
        fit.alpha = cases[i].alpha;
        fit.washout = cases[i].washout;
        fit.ahead = cases[i].ahead;
        fit.intercept = cases[i].intercept;
        fit.initial = cases[i].initial;
        volt_curve_options options = sizes_of(&fit);
        int64_t gap = fit.ahead > 1 ? fit.ahead - 1 : 0, held = N - TEST;
        int64_t start = held - gap - sizes[SIZES - 1] - fit.washout;
        /* its first row is the largest, so that all training sets have the same range of the inputs */
        sample shifted = {data.X + start * D, data.Y + start * Q};
        double first[D] = {shifted.X[0], shifted.X[1]};
        shifted.X[0] = 0.9;
        shifted.X[1] = 0.1;
        volt_curve *curve = curve_of(&data, N, cases[i].kernel, &options);
        assert_int_equal(curve->gap, gap);
        assert_int_equal(curve->first[0], start);
        for (int s = 0; s < SIZES; s++) {
            double alphas[Q];
            double nmse =
                fit_and_test(&shifted, cases[i].kernel, fit, 0, fit.washout + sizes[s], held - start, alphas);
            if (!(fabs(curve->nmse[s] - nmse) <= 2e-9 * nmse))
                fail_msg("case %d, %d rows: %.17g instead of %.17g", (int)i, (int)sizes[s], curve->nmse[s],
                         nmse);
            for (int k = 0; k < Q; k++)
                assert_true(is_same_alpha(curve->alphas[s * Q + k], alphas[k]));
        }
        volt_curve_free(curve);
        shifted.X[0] = first[0];
        shifted.X[1] = first[1];
    }
    sample_free(&data);
}

/* The largest size has the scales, the columns and the grid of a fit. */
static void largest_size_equals_a_fit_with_scales(void **state)
{
    sample data = sample_make(3207, N);
    static const char *const kernels[] = {"volterra", "fading:gamma=0.4,rho=0.6", "volterra:pole=0.5 + rbf"};
    for (int i = 0; i < 3; i++)
        for (int each = 0; each < 2; each++) {
            volt_fit_options fit = volt_fit_options_default();
            fit.scale_each = each;
            fit.washout = 2;
            fit.initial = i == 0 ? VOLT_INITIAL_MEAN : VOLT_INITIAL_ZERO;
            volt_curve_options options = sizes_of(&fit);
            volt_curve *curve = curve_of(&data, N, kernels[i], &options);
            double alphas[Q];
            double nmse =
                fit_and_test(&data, kernels[i], fit, curve->first[0], 2 + sizes[SIZES - 1], N - TEST, alphas);
            double relative = curve->nmse[SIZES - 1] / nmse - 1;
            if (!(fabs(relative) <= 1e-6)) /* alpha down to 1e-8 of the diagonal: 1e8 n eps */
                fail_msg("%s: relative difference %.3g", kernels[i], relative);
            for (int k = 0; k < Q; k++)
                assert_true(is_same_alpha(curve->alphas[(SIZES - 1) * Q + k], alphas[k]));
            volt_curve_free(curve);
        }
    sample_free(&data);
}

/* ---- layout ----------------------------------------------------------------------------------- */

static void defaults(void **state)
{
    sample data = sample_make(3208, 400);
    volt_curve *curve = curve_of(&data, 400, "linear", NULL);
    assert_int_equal(curve->test_rows, 80);
    assert_int_equal(curve->n_repeats, 1);
    assert_int_equal(curve->first[0], 0);
    assert_int_equal(curve->n_sizes, 8);
    assert_int_equal(curve->sizes[0], 20);
    assert_int_equal(curve->sizes[7], 320);
    for (int s = 1; s < 8; s++) /* ratio 16^(1/7), rounded */
        assert_true(fabs((double)curve->sizes[s] - 20 * pow(16, s / 7.0)) <= 0.5);
    assert_true(isnan(curve->nmse_error[0]) && curve->mean_nmse[0] == curve->nmse[0]);
    volt_curve_free(curve);

    volt_curve_options options = volt_curve_options_default();
    options.repeat = 4;
    options.points = 3;
    curve = curve_of(&data, 400, "linear", &options);
    assert_int_equal(curve->test_rows, 20);
    assert_int_equal(curve->sizes[2], 320);
    for (int r = 0; r < 4; r++)
        assert_int_equal(curve->first[r], 20 * r);
    volt_curve_free(curve);

    const int64_t records[] = {150, 250};
    options.records = records;
    options.n_records = 2;
    options.repeat = 1;
    curve = curve_of(&data, 400, "linear", &options);
    assert_int_equal(curve->n_repeats, 2);
    assert_int_equal(curve->test_rows, 30);
    assert_int_equal(curve->sizes[2], 120);
    assert_int_equal(curve->first[0], 0);
    assert_int_equal(curve->first[1], 400 - 150);
    volt_curve_free(curve);
    options.points = 40; /* more than the distinct sizes */
    options.test = 125;
    curve = curve_of(&data, 400, "linear", &options);
    assert_int_equal(curve->n_sizes, 6);
    volt_curve_free(curve);
    sample_free(&data);
}

/* Slope of a line through the logarithms of two points; with one repeat no standard error. */
static void rates(void **state)
{
    sample data = sample_make(3209, N);
    volt_fit_options fit = volt_fit_options_default();
    fit.alpha = 0.1;
    volt_curve_options options = sizes_of(&fit);
    volt_curve *curve = curve_of(&data, N, "volterra", &options);
    double slope = log(curve->nmse[2] / curve->nmse[1]) / log(2);
    assert_true(fabs(curve->rate[0] - slope) < 1e-12 && isnan(curve->rate_error[0]));
    volt_curve_free(curve);
    options.points = 5;
    options.n_sizes = 0;
    curve = curve_of(&data, N, "volterra", &options);
    double x[3], y[3], mx = 0, my = 0, xx = 0, xy = 0, rest = 0;
    for (int i = 0; i < 3; i++) { /* of five sizes, the last three */
        mx += (x[i] = log((double)curve->sizes[2 + i])) / 3;
        my += (y[i] = log(curve->nmse[2 + i])) / 3;
    }
    for (int i = 0; i < 3; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    for (int i = 0; i < 3; i++)
        rest += pow(y[i] - my - xy / xx * (x[i] - mx), 2);
    assert_true(fabs(curve->rate[0] - xy / xx) < 1e-12 && fabs(curve->rate_error[0] - sqrt(rest / xx)) < 1e-12);
    volt_curve_free(curve);
    options.points = 1;
    curve = curve_of(&data, N, "volterra", &options);
    assert_true(isnan(curve->rate[0]) && isnan(curve->rate_error[0]));
    volt_curve_free(curve);
    sample_free(&data);
}

/* ---- failures --------------------------------------------------------------------------------- */

static volt_status try_run(const sample *data, const char *kernel, const volt_curve_options *options)
{
    volt_curve *curve = NULL;
    volt_status status = volt_curve_run(volt_view_of(data->X, N, D), volt_view_of(data->Y, N, Q), &kernel,
                                        kernel != NULL, options, &curve);
    assert_true(!status == (curve != NULL));
    volt_curve_free(curve);
    return status;
}

static void invalid_arguments(void **state)
{
    sample data = sample_make(3210, N);
    volt_fit_options fit = volt_fit_options_default();
    const volt_curve_options good = sizes_of(&fit);
    volt_curve_options bad = good;
    const int64_t equal[] = {20, 20}, small[] = {1, 20}, large[] = {INT64_MAX, 20}, records[] = {50, 41};
    double weights[N] = {0};
    check_ok(try_run(&data, "linear", &good));
    check_fails(try_run(&data, NULL, &good), VOLT_ERR_ARGUMENT, "kernels");
    check_fails(try_run(&data, "no-kernel", &good), VOLT_ERR_KERNEL, "no-kernel");
    check_fails(volt_curve_run(volt_view_of(data.X, N, D), volt_view_of(data.Y, N, Q), (const char *[]){NULL},
                               1, &good, &(volt_curve *){NULL}),
                VOLT_ERR_ARGUMENT, "kernel 1 NULL");
    check_fails(volt_curve_run(volt_view_of(data.X, N, D), volt_view_of(data.Y, N, Q),
                               (const char *[]){"linear"}, 1, &good, NULL),
                VOLT_ERR_ARGUMENT, "curve NULL");
    check_fails(volt_curve_run(volt_view_of(data.X, N, D), volt_view_of(data.Y, N - 1, Q),
                               (const char *[]){"linear"}, 1, &good, &(volt_curve *){NULL}),
                VOLT_ERR_SHAPE, "90 89");
    bad.n_sizes = 2;
    bad.sizes = equal;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "sizes 20 2");
    bad.sizes = small;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "sizes 1");
    bad.sizes = large; /* no number is larger than the first */
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "sizes 20 2");
    bad.sizes = NULL;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "sizes NULL");
    bad = good;
    bad.n_sizes = -1;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "points");
    bad.n_sizes = 0;
    bad.points = 0;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "points 0 1000");
    bad = good;
    bad.repeat = 0;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "repeat 0");
    bad = good;
    bad.test = -1;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "test -1");
    bad.test = N - 59; /* one row too many */
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_DATA, "90 31 59 60");
    bad = good;
    bad.repeat = INT64_MAX;
    bad.test = INT64_MAX;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_DATA, "60");
    bad = good;
    bad.records = records;
    bad.n_records = 2;
    check_fails(try_run(&data, "linear", &bad), VOLT_ERR_ARGUMENT, "record 90 41");

    fit.loss = "huber";
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "loss");
    fit.loss = NULL;
    fit.weights = weights;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "weights");
    fit.weights = NULL;
    fit.missing_targets = 1;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "missing_targets");
    fit.missing_targets = 0;
    fit.feedback_weight = 1;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "feedback_weight");
    fit.feedback_weight = 0;
    fit.n_records = 2;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "records");
    fit.n_records = 0;
    fit.landmarks = 5;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "landmarks");
    fit.landmarks = VOLT_LANDMARKS_AUTO;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "landmarks");
    fit.landmarks = 0;
    fit.solver = "pcg";
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "solver exact pcg");
    fit.solver = "exact";
    check_ok(try_run(&data, "linear", &good));
    fit.alpha = -1;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "alpha -1");
    fit.alpha = 0;
    fit.washout = -1;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "washout -1");
    fit.washout = 0;
    fit.ahead = -1;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_ARGUMENT, "ahead -1");
    fit.ahead = 0;
    fit.intercept = 0;
    check_fails(try_run(&data, "gak:window=3,centre=yes", &good), VOLT_ERR_ARGUMENT, "intercept");
    fit.intercept = 1;
    fit.alpha = 1e-300; /* the kernel has rank 2: the message names the kernel and the repeat */
    fit.intercept = 0;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_SINGULAR, "linear repeat alpha");
    fit.alpha = 0;
    data.Y[7] = NAN;
    check_fails(try_run(&data, "linear", &good), VOLT_ERR_NOT_FINITE, "");
    sample_free(&data);
}

/* ---- cancellation and memory ------------------------------------------------------------------ */

typedef struct user {
    int64_t calls, cancel_at;
    double last;
} user;

static int listen(const char *stage, double fraction, void *context)
{
    user *u = context;
    assert_non_null(stage);
    assert_true(fraction >= u->last - 1e-12 && fraction <= 1 + 1e-12);
    u->last = fraction;
    return ++u->calls == u->cancel_at;
}

static void cancelled_at_every_call(void **state)
{
    sample data = sample_make(3211, N);
    volt_fit_options fit = volt_fit_options_default();
    volt_curve_options options = sizes_of(&fit);
    const char *kernels[] = {"volterra", "rbf"};
    user u = {0};
    options.progress = (volt_progress){.report = listen, .context = &u};
    for (int64_t at = 0, all = 1; at <= all; at += 1 + all / 40) { /* first undisturbed */
        volt_curve *curve = NULL;
        u = (user){.cancel_at = at};
        volt_status status = volt_curve_run(volt_view_of(data.X, N, D), volt_view_of(data.Y, N, Q), kernels, 2,
                                            &options, &curve);
        if (at == 0) {
            check_ok(status);
            assert_true(u.calls > 10 && fabs(u.last - 1) < 1e-12);
            all = u.calls;
            at = 1 - (1 + all / 40);
        } else {
            assert_int_equal(status, VOLT_ERR_CANCELLED);
            assert_int_equal(u.calls, u.cancel_at);
        }
        volt_curve_free(curve);
    }
    sample_free(&data);
}

static void every_allocation_may_fail(void **state)
{
    sample data = sample_make(3212, N);
    volt_fit_options fit = volt_fit_options_default();
    fit.initial = VOLT_INITIAL_MEAN;
    fit.scale_each = 1;
    volt_curve_options options = sizes_of(&fit);
    const char *kernel = "volterra:pole=0.5";
    check_ok(volt_set_threads(1));
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_curve *curve = NULL;
        volt_status status = volt_curve_run(volt_view_of(data.X, N, D), volt_view_of(data.Y, N, Q), &kernel, 1,
                                            &options, &curve);
        volt_curve_free(curve);
        failing_alloc_check(status);
    }
    check_ok(volt_set_threads(0));
    sample_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_equal_separate_fits),
        cmocka_unit_test(largest_size_equals_a_fit_with_scales),
        cmocka_unit_test(defaults),
        cmocka_unit_test(rates),
        cmocka_unit_test(invalid_arguments),
        cmocka_unit_test_setup_teardown(cancelled_at_every_call, poll_always, poll_as_usual),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
