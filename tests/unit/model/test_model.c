/* tests/unit/model/test_model.c: fitting: scales, fitted values, invalid arguments, cancellation. */
#include "base/memory.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 50, D = 2, Q = 3 };

static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* Inputs that are neither centred nor of norm 1, and targets of very different sizes. */
static void make_data(volt_rng *rng, double *X, double *Y)
{
    for (int i = 0; i < N; i++) {
        X[i * D] = 5 + 2 * volt_rng_normal(rng);
        X[i * D + 1] = -1 + 0.5 * volt_rng_normal(rng);
        for (int k = 0; k < Q; k++)
            Y[i * Q + k] = pow(100, k) * (1 + volt_rng_normal(rng));
    }
}

static volt_model *fit(const char *text, const double *X, const double *Y, const volt_fit_options *options,
                       volt_matrix fitted)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, Q), options, fitted, &model));
    volt_kernel_free(kernel);
    return model;
}

/* ---- scales ----------------------------------------------------------------------------------- */

static void close_to(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-13 * (fabs(expected) + 1)))
        fail_msg("%.17g, expected %.17g", actual, expected);
}

static void check_target_scales(const volt_model_info *info, const double *Y)
{
    for (int k = 0; k < Q; k++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < N; i++)
            mean += Y[i * Q + k] / N;
        for (int i = 0; i < N; i++)
            variance += (Y[i * Q + k] - mean) * (Y[i * Q + k] - mean) / N;
        close_to(info->target_mean[k], mean);
        close_to(info->target_scale[k], sqrt(variance));
    }
}

/* Inputs: the mean, and one scale that makes the largest norm 1; no shift for the even lift. */
static void scales_come_from_the_training_rows(void **state)
{
    volt_rng rng = test_rng(111);
    double X[N * D], Y[N * Q];
    make_data(&rng, X, Y);
    for (int even = 0; even < 2; even++) {
        volt_model *model = fit(even ? "volterra:lift=even" : "volterra", X, Y, NULL, nowhere);
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        double shift[D] = {0, 0}, largest = 0;
        for (int i = 0; i < N && !even; i++)
            for (int k = 0; k < D; k++)
                shift[k] += X[i * D + k] / N;
        for (int i = 0; i < N; i++)
            largest = fmax(largest, hypot(X[i * D] - shift[0], X[i * D + 1] - shift[1]));
        close_to(info.input_shift[0], shift[0]);
        close_to(info.input_shift[1], shift[1]);
        close_to(info.input_scale, 1 / largest);
        close_to(info.facts->radius, 1);
        check_target_scales(&info, Y);
        assert_true(info.scaled && info.intercept && !info.feedback);
        volt_model_free(model);
    }
}

static void without_scaling_values_are_unchanged(void **state)
{
    volt_rng rng = test_rng(112);
    double X[N * D], Y[N * Q], largest = 0;
    make_data(&rng, X, Y);
    volt_fit_options options = volt_fit_options_default();
    options.scale = 0;
    volt_model *model = fit("volterra", X, Y, &options, nowhere);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    for (int i = 0; i < N; i++)
        largest = fmax(largest, hypot(X[i * D], X[i * D + 1]));
    assert_true(info.input_shift[0] == 0 && info.input_shift[1] == 0 && info.input_scale == 1 && !info.scaled);
    close_to(info.facts->radius, largest);
    close_to(info.facts->tau, 0.3 / largest);
    for (int k = 0; k < Q; k++)
        assert_true(info.target_mean[k] == 0 && info.target_scale[k] == 1);
    volt_model_free(model);
}

static void constant_target_is_predicted_exactly(void **state)
{
    volt_rng rng = test_rng(113);
    double X[N * D], Y[N * Q], fitted[N * Q], out[Q];
    make_data(&rng, X, Y);
    for (int i = 0; i < N; i++)
        Y[i * Q + 1] = 0.1;
    volt_model *model = fit("volterra", X, Y, NULL, volt_matrix_of(fitted, N, Q));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(info.target_scale[1] == 1);
    check_ok(volt_model_predict(model, volt_view_of(X, 1, D), NULL, volt_matrix_of(out, 1, Q), NULL));
    close_to(info.target_mean[1], 0.1);
    assert_true(fabs(out[1] - 0.1) < 1e-13);
    for (int i = 0; i < N; i++)
        assert_true(fabs(fitted[i * Q + 1] - 0.1) < 1e-13);
    volt_model_free(model);
}

/* A perturbation e of the entries of K changes predictions by at most n e |A| (1 + n L / alpha), L >= |K|.
 * Scaled inputs agree up to the rounding of the shift, here 2^10 times their spread. */
static void forecasts_do_not_depend_on_units(void **state)
{
    volt_rng rng = test_rng(114);
    double X[N * D], Y[N * Q], other_X[N * D], other_Y[N * Q], out[N * Q], other_out[N * Q];
    make_data(&rng, X, Y);
    for (int i = 0; i < N * D; i++)
        other_X[i] = 8 * X[i] + 1000;
    for (int i = 0; i < N * Q; i++)
        other_Y[i] = -3 * Y[i] + 20;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    volt_model *model = fit("volterra:tau=0.6,lambda=0.7", X, Y, &options, nowhere);
    volt_model *other = fit("volterra:tau=0.6,lambda=0.7", other_X, other_Y, &options, nowhere);
    check_ok(volt_model_predict(model, volt_view_of(X, N, D), NULL, volt_matrix_of(out, N, Q), NULL));
    check_ok(
        volt_model_predict(other, volt_view_of(other_X, N, D), NULL, volt_matrix_of(other_out, N, Q), NULL));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    double size = 0, L = info.facts->largest;
    for (int i = 0; i < N * Q; i++)
        size = fmax(size, fabs(info.coefficients[i]));
    double error = 1024 * DBL_EPSILON * L * L, bound = N * error * size * (1 + N * L / options.alpha);
    assert_true(bound < 1e-4); /* tight enough to detect a shift that is not removed */
    for (int i = 0; i < N * Q; i++) {
        double scale = info.target_scale[i % Q];
        assert_true(fabs(other_out[i] - (-3 * out[i] + 20)) <= 3 * scale * bound);
    }
    volt_model_free(other);
    volt_model_free(model);
}

/* ---- fitted values ---------------------------------------------------------------------------- */

/* fitted = mean + scale (K A + c), with K from plain loops on the scaled inputs. On fitted rows the library
 * uses Y - alpha A instead, which differs by the residual of the solve, 16 n eps |K| |A| with |K| <= n L. */
static void check_fitted(const plain_kernel *kernel, const double *X, const double *Y,
                         const volt_fit_options *options)
{
    double *K = new_matrix(N, N), Z[N * D];
    enum { LD = Q + 2 };
    double fitted[N * LD];
    for (int i = 0; i < N * LD; i++)
        fitted[i] = 1e77;
    volt_matrix view = {fitted, N, Q, LD};
    volt_model *model = fit(kernel->text, X, Y, options, view);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            Z[i * D + k] = (X[i * D + k] - info.input_shift[k]) * info.input_scale;
    plain_gram(kernel, volt_view_of(Z, N, D), volt_view_of(Z, N, D), volt_matrix_of(K, N, N));
    double entry = plain_tolerance(kernel, info.facts->radius, D);
    for (int k = 0; k < Q; k++) {
        double sum_A = 0, max_A = 0;
        for (int j = 0; j < N; j++) {
            sum_A += fabs(info.coefficients[j * Q + k]);
            max_A = fmax(max_A, fabs(info.coefficients[j * Q + k]));
        }
        double tolerance =
            info.target_scale[k] * (16 * N * DBL_EPSILON * N * info.facts->largest * max_A + entry * sum_A) +
            8 * DBL_EPSILON * fabs(info.target_mean[k]);
        for (int i = 0; i < N; i++) {
            double value = info.intercepts[k];
            for (int j = 0; j < N; j++)
                value += K[i * N + j] * info.coefficients[j * Q + k];
            value = info.target_mean[k] + info.target_scale[k] * value;
            if (!(fabs(fitted[i * LD + k] - value) <= tolerance))
                fail_msg("%s: fitted[%d][%d] is %.17g, expected %.17g; tolerance %.3g", kernel->text, i, k,
                         fitted[i * LD + k], value, tolerance);
        }
    }
    for (int i = 0; i < N; i++) {
        assert_true(fitted[i * LD + Q] == 1e77 && fitted[i * LD + Q + 1] == 1e77);
        for (int k = 0; k < Q; k++)
            assert_true((info.coefficients[i * Q + k] == 0) == (i < options->washout));
    }
    for (int k = 0; k < Q; k++)
        assert_true(options->intercept || info.intercepts[k] == 0);
    volt_model_free(model);
    free(K);
}

static void fitted_values_equal_readout(void **state)
{
    volt_rng rng = test_rng(115);
    double X[N * D], Y[N * Q], *small = random_rows(&rng, N, D, 1);
    make_data(&rng, X, Y);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        for (int choice = 0; choice < 8; choice++) {
            volt_fit_options options = volt_fit_options_default();
            options.alpha = 1e-3;
            options.scale = choice & 1;
            options.intercept = choice >> 1 & 1;
            options.washout = choice & 4 ? 9 : 0;
            check_fitted(&plain_kernels[p], options.scale ? X : small, Y, &options);
        }
    free(small);
}

/* Washout of all rows but one: the intercept fits the remaining row. */
static void a_washout_may_leave_one_row(void **state)
{
    volt_rng rng = test_rng(116);
    double X[N * D], Y[N * Q], fitted[N * Q];
    make_data(&rng, X, Y);
    volt_fit_options options = volt_fit_options_default();
    options.washout = N - 1;
    volt_model *model = fit("volterra", X, Y, &options, volt_matrix_of(fitted, N, Q));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < Q; k++)
            assert_true(fabs(fitted[i * Q + k] - Y[(N - 1) * Q + k]) <= 1e-12 * pow(100, k));
    volt_model_free(model);
}

/* ---- model properties ------------------------------------------------------------------------- */

static void description_is_complete(void **state)
{
    volt_rng rng = test_rng(117);
    double X[N * D], Y[N * Q];
    make_data(&rng, X, Y);
    char input[] = "a\"b";
    const char *inputs[] = {input, "z2"};
    const char *outputs[] = {"one", "two", "three"};
    volt_fit_options options = volt_fit_options_default();
    options.input_names = inputs;
    options.output_names = outputs;
    options.washout = 4;
    options.ahead = 2;
    options.alpha = 0.25;
    volt_model *model = fit("volterra:lambda=0.5,tau=0.3", X, Y, &options, nowhere);
    input[0] = 'X'; /* names are copies */
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_int_equal(info.n, N);
    assert_int_equal(info.d, D);
    assert_int_equal(info.q, Q);
    assert_string_equal(info.kernel, "volterra:tau=0.3,lambda=0.5");
    assert_true(info.facts->tau == 0.3 && info.facts->lambda == 0.5 && info.facts->horizon > 1);
    assert_true(info.alpha == 0.25 && info.rcond > 0 && info.rcond <= 1);
    assert_int_equal(info.washout, 4);
    assert_int_equal(info.ahead, 2);
    assert_string_equal(info.input_names[0], "a\"b");
    assert_string_equal(info.input_names[1], "z2");
    assert_string_equal(info.output_names[2], "three");
    volt_model_free(model);
    model = fit("volterra", X, Y, NULL, nowhere);
    volt_model_get_info(model, &info);
    assert_null(info.input_names);
    assert_null(info.output_names);
    assert_true(info.alpha > 0 && info.washout == 0 && info.ahead == 0); /* chosen */
    volt_model_free(model);
    volt_model_free(NULL);
}

/* ---- alpha that is too small ------------------------------------------------------------------ */

/* Fit Lorenz data one step ahead; the alpha in the message must work. */
static void check_suggestion(const char *text, double *X, int64_t n, int64_t *refused)
{
    volt_kernel *kernel = plain_parse(text);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-300;
    volt_view inputs = volt_view_of(X, n, 3), targets = volt_view_of(X + 3, n, 3);
    volt_model *model = NULL;
    volt_status status = volt_model_fit(kernel, inputs, targets, &options, nowhere, &model);
    if (status != VOLT_OK) {
        const char *tail = strstr(volt_error_detail(), "; alpha = ");
        assert_int_equal(status, VOLT_ERR_SINGULAR);
        assert_null(model);
        assert_non_null(tail);
        assert_int_equal(sscanf(tail, "; alpha = %lf", &options.alpha), 1);
        status = volt_model_fit(kernel, inputs, targets, &options, nowhere, &model);
        if (status != VOLT_OK)
            fail_msg("%s: alpha = %g was suggested, and then: %s", text, options.alpha, volt_error_detail());
        ++*refused;
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* The same for small tau and nearly constant K. The centred K has the rounding error of the full K, so the
 * threshold n eps max K_ii uses K before centring. */
static void suggested_alpha_works(void **state)
{
    enum { ROWS = 300 };
    static const char *const kernels[] = {"volterra:tau_coef=0.3,lambda_coef=0.3",
                                          "volterra:tau_coef=0.3,lambda_coef=0.999999",
                                          "volterra:tau_coef=0.9,lambda_coef=0.99",
                                          "volterra:lift=rbf,gamma=0.01,lambda=0.999",
                                          "volterra:tau_coef=0.01,lambda_coef=0.3",
                                          "volterra:tau_coef=0.1,lambda_coef=0.3,lift=even",
                                          "volterra:tau_coef=0.01,lambda_coef=0.9",
                                          "volterra:tau_coef=0.01,lambda_coef=0.3,lift=exponential",
                                          "volterra:tau_coef=0.1,lambda_coef=0.3,lift=poly:2"};
    int64_t refused = 0;
    double *X = lorenz_rows(ROWS + 1, 0.001);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_suggestion(kernels[i], X, ROWS, &refused);
    free(X);
    print_message("%d of %d fits were refused with alpha = 1e-300\n", (int)refused,
                  (int)(sizeof kernels / sizeof *kernels));
    assert_true(refused >= 6);
}

/* ---- failures --------------------------------------------------------------------------------- */

typedef struct attempt {
    volt_kernel *kernel;
    double X[N * D], Y[N * Q], fitted[N * Q];
    volt_fit_options options;
    volt_view x, y;
    volt_matrix out;
} attempt;

static void check_refused(attempt *a, volt_status expected, const char *fragment)
{
    volt_model *model = (volt_model *)a;
    for (int i = 0; i < N * Q; i++)
        a->fitted[i] = 1e77;
    check_fails(volt_model_fit(a->kernel, a->x, a->y, &a->options, a->out, &model), expected, fragment);
    assert_ptr_equal(model, a);
    for (int i = 0; i < N * Q; i++)
        assert_true(a->fitted[i] == 1e77);
}

static attempt begin_attempt(volt_rng *rng, attempt *a)
{
    memset(a, 0, sizeof *a);
    a->kernel = plain_parse("volterra:tau=0.6,lambda=0.7");
    make_data(rng, a->X, a->Y);
    a->options = volt_fit_options_default();
    a->x = volt_view_of(a->X, N, D);
    a->y = volt_view_of(a->Y, N, Q);
    a->out = volt_matrix_of(a->fitted, N, Q);
    return *a;
}

/* Values up to the limits of the double range. */
static void shrink(double *X)
{
    for (int i = 0; i < N * D; i++)
        X[i] *= 1e-310;
}

static void invalid_fits_are_rejected(void **state)
{
    volt_rng rng = test_rng(118);
    static attempt a;
    attempt good = begin_attempt(&rng, &a);
#define AGAIN(change, status, fragment)      \
    do {                                     \
        memcpy(&a, &good, sizeof a);         \
        change;                              \
        check_refused(&a, status, fragment); \
    } while (0)
    AGAIN(a.options.season = 1, VOLT_ERR_ARGUMENT, "season 1");
    AGAIN(a.options.target = VOLT_TARGET_CHANGE, VOLT_ERR_ARGUMENT, "every target input");
    AGAIN(a.options.passthrough_columns = D, VOLT_ERR_ARGUMENT, "passthrough_columns");
    AGAIN(a.options.alpha = -2, VOLT_ERR_ARGUMENT, "got -2");
    AGAIN(a.options.alpha = NAN, VOLT_ERR_ARGUMENT, "alpha");
    AGAIN(a.options.alpha = INFINITY, VOLT_ERR_ARGUMENT, "got");
    AGAIN(a.options.washout = N, VOLT_ERR_ARGUMENT, "washout 50 0 49");
    AGAIN(a.options.washout = -1, VOLT_ERR_ARGUMENT, "washout -1");
    AGAIN(a.options.washout = INT64_MAX, VOLT_ERR_ARGUMENT, "washout");
    AGAIN(a.options.ahead = -1, VOLT_ERR_ARGUMENT, "ahead -1");
    AGAIN(a.options.feedback = 1, VOLT_ERR_ARGUMENT, "feedback");
    AGAIN(a.y.rows = N - 1, VOLT_ERR_SHAPE, "50 rows inputs 49 targets");
    AGAIN(a.x.rows = 0, VOLT_ERR_SHAPE, "x 0 2");
    AGAIN(a.x.cols = 0, VOLT_ERR_SHAPE, "x 50 0");
    AGAIN(a.y.data = NULL, VOLT_ERR_SHAPE, "targets");
    AGAIN(a.y.cols = 0, VOLT_ERR_SHAPE, "x 50 0");
    AGAIN(a.x.ld = 1, VOLT_ERR_SHAPE, "dimension 1");
    AGAIN(a.out.rows = N - 1, VOLT_ERR_SHAPE, "fitted 49 3");
    AGAIN(a.out.cols = Q - 1, VOLT_ERR_SHAPE, "fitted 50 2");
    AGAIN(a.out.ld = Q - 1, VOLT_ERR_SHAPE, "fitted");
    AGAIN(a.X[5] = NAN, VOLT_ERR_NOT_FINITE, "row 3 column 2");
    AGAIN(a.X[4] = a.X[5] = 1.7e308, VOLT_ERR_NOT_FINITE, "inputs");
    AGAIN(a.X[5] = 1e307, VOLT_ERR_NOT_FINITE, "50 rows 8.9");
    AGAIN(a.Y[5] = -1e307, VOLT_ERR_NOT_FINITE, "norms targets 1e+307");
    AGAIN(shrink(a.X), VOLT_ERR_NOT_FINITE, "range small");
    AGAIN(a.Y[5] = -INFINITY, VOLT_ERR_NOT_FINITE, "row 2 column 3");
    AGAIN(a.kernel = NULL, VOLT_ERR_ARGUMENT, "kernel");
    check_fails(volt_model_fit(good.kernel, volt_view_of(good.X, N, D), volt_view_of(good.Y, N, Q), NULL,
                               nowhere, NULL),
                VOLT_ERR_ARGUMENT, "NULL");
    /* outside a bound: M = 1 on scaled inputs, M is about 10 on unscaled ones */
    AGAIN(a.options.scale = 0, VOLT_ERR_ARGUMENT, "tau = 0.6");
#undef AGAIN
    volt_kernel_free(good.kernel);
}

static void constant_inputs_are_rejected(void **state)
{
    volt_rng rng = test_rng(119);
    static attempt a;
    begin_attempt(&rng, &a);
    for (int i = 0; i < N; i++) {
        a.X[i * D] = 0.1; /* its mean does not round to 0.1 exactly */
        a.X[i * D + 1] = 1e5 / 3;
    }
    check_refused(&a, VOLT_ERR_DATA, "constant");
    a.x.rows = a.y.rows = a.out.rows = 1; /* a single row is constant */
    check_refused(&a, VOLT_ERR_DATA, "row");
    a.x.rows = a.y.rows = a.out.rows = N;
    memset(a.X, 0, sizeof a.X);
    check_refused(&a, VOLT_ERR_DATA, "constant");
    a.options.scale = 0;
    check_refused(&a, VOLT_ERR_DATA, "zero 50 rows");
    volt_kernel_free(a.kernel);
}

/* One row without scaling: K = 1 + lambda^2 kappa b, A = y / (K + alpha) without intercept. */
static void one_row_can_be_fitted_without_scale(void **state)
{
    volt_kernel *kernel = plain_parse("volterra:tau=0.5,lambda=0.5");
    double x = 1, y = 3, fitted = 0;
    volt_fit_options options = volt_fit_options_default();
    options.scale = options.intercept = 0;
    options.alpha = 5.0 / 9;
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(&x, 1, 1), volt_view_of(&y, 1, 1), &options,
                            volt_matrix_of(&fitted, 1, 1), &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    close_to(info.coefficients[0], 1.5); /* K = 13/9 */
    close_to(fitted, 1.5 * 13 / 9);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void more_rows_than_memory_holds_are_rejected(void **state)
{
    if (volt_memory_available() == 0)
        skip();              /* not available on this system */
    enum { ROWS = 4000000 }; /* 116 TiB of Gram matrix */
    double *X = calloc(ROWS, sizeof *X);
    X[7] = 1;
    volt_kernel *kernel = plain_parse("volterra");
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.solver = "exact";
    check_fails(
        volt_model_fit(kernel, volt_view_of(X, ROWS, 1), volt_view_of(X, ROWS, 1), &options, nowhere, &model),
        VOLT_ERR_MEMORY, "4000000 rows");
    assert_non_null(strstr(volt_error_detail(), "rows would fit"));
    assert_null(model);
    volt_kernel_free(kernel);
    free(X);
}

/* ---- progress --------------------------------------------------------------------------------- */

typedef struct watcher {
    const char *cancel_in; /* stage, or NULL */
    double last;
    int calls, in_order;
    char stages[64];
} watcher;

static int watch(const char *stage, double fraction, void *context)
{
    watcher *w = context;
    w->calls++;
    w->in_order = w->in_order && fraction >= w->last && fraction <= 1;
    w->last = fraction;
    if (!strstr(w->stages, stage)) {
        strcat(w->stages, stage);
        strcat(w->stages, " ");
    }
    return w->cancel_in && strcmp(stage, w->cancel_in) == 0;
}

static void a_fit_can_be_cancelled_in_every_stage(void **state)
{
    volt_rng rng = test_rng(120);
    static const char *const stages[] = {"gram", "choose", "factor", NULL};
    for (int i = 0; i < 4; i++) {
        static attempt a;
        begin_attempt(&rng, &a);
        a.options.alpha = 0;
        watcher w = {.cancel_in = stages[i], .in_order = 1};
        a.options.progress.report = watch;
        a.options.progress.context = &w;
        if (stages[i]) {
            check_refused(&a, VOLT_ERR_CANCELLED, stages[i]);
        } else {
            volt_model *model = NULL;
            check_ok(volt_model_fit(a.kernel, a.x, a.y, &a.options, a.out, &model));
            volt_model_free(model);
            assert_string_equal(w.stages, "gram choose factor finish ");
            assert_true(w.last == 1);
        }
        assert_true(w.in_order && w.calls >= 1);
        volt_kernel_free(a.kernel);
    }
}

static void a_forecast_can_be_cancelled(void **state)
{
    volt_rng rng = test_rng(121);
    double X[N * D], Y[N * Q], out[N * Q];
    make_data(&rng, X, Y);
    volt_model *model = fit("volterra", X, Y, NULL, nowhere);
    watcher w = {.cancel_in = "predict", .in_order = 1};
    volt_predict_options options = volt_predict_options_default();
    options.progress.report = watch;
    options.progress.context = &w;
    int64_t beyond = -5;
    for (int i = 0; i < N * Q; i++)
        out[i] = 1e77;
    check_fails(volt_model_predict(model, volt_view_of(X, N, D), &options, volt_matrix_of(out, N, Q), &beyond),
                VOLT_ERR_CANCELLED, "predict");
    assert_int_equal(beyond, -5);
    for (int i = 0; i < N * Q; i++)
        assert_true(out[i] == 1e77);
    w.cancel_in = NULL;
    check_ok(volt_model_predict(model, volt_view_of(X, N, D), &options, volt_matrix_of(out, N, Q), &beyond));
    assert_true(w.last == 1);
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_come_from_the_training_rows),
        cmocka_unit_test(without_scaling_values_are_unchanged),
        cmocka_unit_test(constant_target_is_predicted_exactly),
        cmocka_unit_test(forecasts_do_not_depend_on_units),
        cmocka_unit_test(fitted_values_equal_readout),
        cmocka_unit_test(a_washout_may_leave_one_row),
        cmocka_unit_test(description_is_complete),
        cmocka_unit_test(suggested_alpha_works),
        cmocka_unit_test(invalid_fits_are_rejected),
        cmocka_unit_test(constant_inputs_are_rejected),
        cmocka_unit_test(one_row_can_be_fitted_without_scale),
        cmocka_unit_test(more_rows_than_memory_holds_are_rejected),
        cmocka_unit_test(a_fit_can_be_cancelled_in_every_stage),
        cmocka_unit_test(a_forecast_can_be_cancelled),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
