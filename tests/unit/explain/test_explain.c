/* tests/unit/explain/test_explain.c: Volterra series of models: standard deviations against finite differences of
 * the posterior covariance, a known system, threads, memory, cancellation, invalid arguments. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 30, D = 2, Q = 2, LAGS = 3, HISTORY = 300 };

static const volt_matrix nowhere = {NULL, 0, 0, 0};

static volt_model *fit(const char *text, const double *X, const double *Y, int64_t n,
                       const volt_fit_options *options)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, n, D), volt_view_of(Y, n, Q), options, nowhere, &model));
    volt_kernel_free(kernel);
    return model;
}

static volt_fit_options plain_options(double alpha)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.scale = 0;
    return options;
}

/* ---- standard deviations ---------------------------------------------------------------------- */

/* K between training rows and sequences that are constant for long and differ by h or -h in one input at one
 * lag: the last rows of Gram matrices. */
static double kernel_between(const volt_kernel *kernel, volt_view X, volt_view Y)
{
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    double *K = new_matrix(X.rows, Y.rows);
    check_ok(volt_gram(kernel, X, Y, &options, volt_matrix_of(K, X.rows, Y.rows)));
    double last = K[X.rows * Y.rows - 1];
    free(K);
    return last;
}

static double *moved(const double *point, int lag, int input, double h)
{
    double *X = new_matrix(HISTORY, D);
    for (int i = 0; i < HISTORY * D; i++)
        X[i] = point[i % D];
    X[(HISTORY - 1 - lag) * D + input] += h;
    return X;
}

static void check_band(const char *text, const double *X, const double *Y, const double *point, bool intercept)
{
    const double alpha = 0.05, h = 1e-3;
    volt_fit_options fitting = plain_options(alpha);
    fitting.intercept = intercept;
    volt_model *model = fit(text, X, Y, N, &fitting);
    volt_kernel *kernel = plain_parse(text);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    volt_explain_options options = volt_explain_options_default();
    options.lags = LAGS;
    options.about = VOLT_ABOUT_POINT;
    options.point = point;
    options.order = 1;
    options.shares = 0;
    volt_explanation *e = NULL;
    check_ok(volt_model_explain(model, &options, &e));

    double *K = new_matrix(N, N), *solved = new_matrix(N, 2), slope[N], scale[Q] = {0};
    volt_gram_options gram = volt_gram_options_default();
    gram.radius = 1;
    check_ok(
        volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(NULL, 0, 0), &gram, volt_matrix_of(K, N, N)));
    for (int i = 0; i < N; i++)
        K[i * N + i] += alpha;
    for (int q = 0; q < Q; q++)
        for (int i = 0; i < N * N; i++)
            scale[q] +=
                info.coefficients[i / N * Q + q] * K[i] * info.coefficients[i % N * Q + q] / (N - intercept);
    for (int v = 0; v < LAGS * D; v++) {
        double *up = moved(point, v / D, v % D, h), *down = moved(point, v / D, v % D, -h);
        volt_view plus = volt_view_of(up, HISTORY, D), minus = volt_view_of(down, HISTORY, D);
        double prior = (kernel_between(kernel, plus, plus) - 2 * kernel_between(kernel, plus, minus) +
                        kernel_between(kernel, minus, minus)) /
                       (4 * h * h);
        double dd = 0, one_d = 0, one_one = 0;
        for (int i = 0; i < N; i++) {
            volt_view w = volt_view_of(X, i + 1, D);
            slope[i] = (kernel_between(kernel, plus, w) - kernel_between(kernel, minus, w)) / (2 * h);
            solved[2 * i] = slope[i];
            solved[2 * i + 1] = 1;
        }
        plain_solve(volt_view_of(K, N, N), volt_matrix_of(solved, N, 2));
        for (int i = 0; i < N; i++) {
            dd += slope[i] * solved[2 * i];
            one_d += solved[2 * i];
            one_one += solved[2 * i + 1];
        }
        double variance = prior - dd + (intercept ? one_d * one_d / one_one : 0);
        for (int q = 0; q < Q; q++) {
            double expected = sqrt(scale[q] * variance), found = e->g1_std[q * LAGS * D + v];
            /* Finite differences have errors of h^2 times higher derivatives and of eps / h^2 times the
             * kernel. */
            if (!(fabs(found - expected) <= 2e-5 * sqrt(scale[q] * (prior + 1e-3))))
                fail_msg("%s: lag %d, input %d, output %d: %.10g, by differences %.10g", text, v / D, v % D, q,
                         found, expected);
        }
        free(up);
        free(down);
    }
    free(K);
    free(solved);
    volt_explanation_free(e);
    volt_kernel_free(kernel);
    volt_model_free(model);
}

static void standard_deviations(void **state)
{
    static const char *const texts[] = {
        "volterra:tau=0.6,lambda=0.7",
        "volterra:tau=0.8,lambda=0.6,lift=exponential",
        "volterra:tau=0.8,lambda=0.6,lift=poly:2",
        "volterra:gamma=0.6,lambda=0.8,lift=rbf",
        "memory:gamma=0.5,rho=0.5,mu=0.6",
        "fir:mu=0.7,corr=0.4",
        "rbf:gamma=0.7,window=3",
        "2*fir:mu=0.6,pole=0.5 + fading:gamma=0.6,rho=0.5",
        "linear:window=3*volterra:tau=0.5,lambda=0.6",
    };
    volt_rng rng = test_rng(7701);
    double *X = random_rows(&rng, N, D, 0.95), *Y = normal_rows(&rng, N, Q), zero[D] = {0},
           point[D] = {0.2, -0.1};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        if (UNDER_SANITIZERS && t % 3 != 0)
            continue;
        check_band(texts[t], X, Y, zero, true);
        check_band(texts[t], X, Y, point, t % 2);
    }
    free(X);
    free(Y);
}

/* With several alphas, missing targets, records and a washout, joint results equal separate ones. */
static void standard_deviations_of_parts(void **state)
{
    enum { KEPT = 24 };
    volt_rng rng = test_rng(7702);
    double *X = random_rows(&rng, N, D, 0.95), *Y = normal_rows(&rng, N, Q);
    volt_fit_options options = plain_options(0.05), missing = options, washed = options;
    volt_explain_options asked = volt_explain_options_default();
    asked.lags = LAGS;
    asked.shares = 0;
    volt_model *model = fit("memory:gamma=0.4", X, Y, N, &options);
    volt_explanation *both = NULL, *one = NULL;
    model->alphas[1] = 0.5; /* as if chosen */
    check_ok(volt_model_explain(model, &asked, &both));
    model->alphas[0] = 0.5;
    check_ok(volt_model_explain(model, &asked, &one));
    for (int i = 0; i < LAGS * D; i++) {
        assert_true(both->g1_std[LAGS * D + i] == one->g1_std[LAGS * D + i]);
        assert_true(both->g1_std[i] < one->g1_std[i] || both->g1_std[i] > one->g1_std[i]);
    }
    volt_explanation_free(both);
    volt_explanation_free(one);
    volt_model_free(model);

    /* Rows after the last target and before the first have no effect. */
    missing.missing_targets = 1;
    for (int i = KEPT; i < N; i++)
        Y[i * Q] = Y[i * Q + 1] = NAN;
    model = fit("memory:gamma=0.4", X, Y, N, &missing);
    check_ok(volt_model_explain(model, &asked, &both));
    volt_model_free(model);
    model = fit("memory:gamma=0.4", X, Y, KEPT, &options);
    asked.about = VOLT_ABOUT_POINT;
    asked.point = both->about;
    check_ok(volt_model_explain(model, &asked, &one));
    volt_model_free(model);
    for (int i = 0; i < Q * LAGS * D; i++)
        assert_true(fabs(both->g1_std[i] - one->g1_std[i]) <= 1e-11 * one->g1_std[i]);
    volt_explanation_free(both);
    volt_explanation_free(one);

    asked.about = VOLT_ABOUT_MEAN;
    asked.point = NULL;
    washed.washout = 5;
    model = fit("memory:gamma=0.4", X, Y, KEPT, &washed);
    check_ok(volt_model_explain(model, &asked, &one));
    for (int i = 0; i < Q * LAGS * D; i++)
        assert_true(one->g1_std[i] > 0 && isfinite(one->g1_std[i]));
    volt_explanation_free(one);
    volt_model_free(model);
    free(X);
    free(Y);
}

enum { MANY = 45 };

/* With the factor stored in the model, and without it. */
static void compare_bands(const char *kernel, const double *X, const double *Y, const volt_fit_options *options)
{
    volt_explain_options asked = volt_explain_options_default();
    volt_explanation *kept = NULL, *made = NULL, *other = NULL;
    volt_fit_options keeping = *options;
    asked.lags = MANY - 5; /* more variables than are solved at a time */
    asked.shares = 0;
    keeping.keep_factor = 1;
    volt_model *model = fit(kernel, X, Y, MANY, &keeping);
    check_ok(volt_model_explain(model, &asked, &kept));
    double *L = model->stored_factors.factors[0].L;
    int64_t m = model->stored_factors.factors[0].m;
    for (int64_t i = 0; i < m * (m + 1) / 2; i++)
        L[i] *= 2;
    check_ok(volt_model_explain(model, &asked, &other));
    volt_stored_factors_release(&model->stored_factors);
    check_ok(volt_model_explain(model, &asked, &made));
    /* The variances are of order 1, for a matrix of condition below 1e4. */
    for (int i = 0; i < Q * (MANY - 5) * D; i++)
        assert_true(fabs(kept->g1_std[i] - made->g1_std[i]) <= 1e-9 * (1 + made->g1_std[i]));
    assert_true(fabs(other->g1_std[0] - made->g1_std[0]) > 1e-6); /* the stored factor was used */
    volt_explanation_free(kept);
    volt_explanation_free(made);
    volt_explanation_free(other);
    volt_model_free(model);
}

static void standard_deviations_from_stored_factor(void **state)
{
    volt_rng rng = test_rng(7703);
    double *X = random_rows(&rng, MANY, D, 0.95), *Y = normal_rows(&rng, MANY, Q);
    for (int t = 1; t < MANY; t++) {
        Y[t * Q] = X[t * D] + 0.5 * X[(t - 1) * D] + 0.1 * Y[t * Q];
        Y[t * Q + 1] = X[t * D] * X[t * D + 1] + 0.3 * Y[t * Q + 1];
    }
    volt_fit_options options = plain_options(0.05), chosen = volt_fit_options_default();
    compare_bands("volterra:tau=0.6,lambda=0.7", X, Y, &options);
    compare_bands("memory:gamma=0.4", X, Y, &chosen); /* several alphas */
    options.intercept = 0;
    compare_bands("fir:mu=0.7", X, Y, &options);
    options.intercept = 1;
    options.washout = 4;
    options.missing_targets = 1;
    Y[7 * Q] = Y[7 * Q + 1] = NAN;
    compare_bands("volterra:tau=0.6,lambda=0.7", X, Y, &options);
    free(X);
    free(Y);
}

/* A model with a loss has kernels of the function before the link, and no standard deviations of this kind. */
static void model_with_loss(void **state)
{
    volt_rng rng = test_rng(7707);
    double *X = random_rows(&rng, N, D, 0.95), *Y = normal_rows(&rng, N, Q);
    volt_fit_options options = plain_options(0.05);
    options.loss = "huber:delta=1e6"; /* within the quadratic range of the loss */
    volt_explain_options asked = volt_explain_options_default();
    asked.lags = LAGS;
    volt_explanation *huber = NULL, *squares = NULL;
    volt_model *model = fit("memory:gamma=0.4", X, Y, N, &options);
    check_ok(volt_model_explain(model, &asked, &huber));
    volt_model_free(model);
    options.loss = NULL;
    model = fit("memory:gamma=0.4", X, Y, N, &options);
    check_ok(volt_model_explain(model, &asked, &squares));
    volt_model_free(model);
    assert_null(huber->g1_std);
    assert_non_null(squares->g1_std);
    for (int i = 0; i < Q * LAGS * D;
         i++) /* the relative gap is 1e-6, and kernels change with its square root */
        assert_true(fabs(huber->kernels[0][i] - squares->kernels[0][i]) < 0.02);
    volt_explanation_free(huber);
    volt_explanation_free(squares);
    free(X);
    free(Y);
}

/* ---- a known system --------------------------------------------------------------------------- */

/* y = 1 + g1 x + x g2 x with two lags and no noise: its kernels are recovered, and higher orders are zero. */
static void known_system_is_recovered(void **state)
{
    enum { ROWS = 500 };
    volt_rng rng = test_rng(7703);
    double *X = new_matrix(ROWS, D), *Y = new_matrix(ROWS, Q);
    for (int i = 0; i < ROWS * D; i++)
        X[i] = 2 * volt_rng_uniform(&rng) - 1;
    for (int i = 0; i < ROWS; i++) {
        const double *x = X + i * D, *b = i ? x - D : NULL;
        double b0 = b ? b[0] : 0, b1 = b ? b[1] : 0;
        Y[i * Q] = 1 + 2 * x[0] - b1 + 0.5 * x[0] * x[0] + 0.8 * x[0] * b1 - 0.6 * x[0] * x[1];
        Y[i * Q + 1] = 3 * b0 + 0.7 * b0 * b1;
    }
    volt_fit_options options = plain_options(1e-6);
    volt_model *model = fit("volterra:tau=0.3,lambda=0.5,lift=exponential", X, Y, ROWS, &options);
    volt_explain_options asked = volt_explain_options_default();
    asked.lags = LAGS;
    asked.about = VOLT_ABOUT_ZERO;
    volt_explanation *e = NULL;
    check_ok(volt_model_explain(model, &asked, &e));
    double g1[Q][LAGS][D] = {{{2, 0}, {0, -1}}, {{0, 0}, {3, 0}}},
           g2[Q][LAGS][LAGS][D][D] = {{{{{0.5, -0.3}, {-0.3, 0}}, {{0, 0.8}}}},
                                      {{{{0}}}, {{{0}}, {{0, 0.35}, {0.35, 0}}}}};
    for (int i = 0; i < Q * LAGS * D; i++)
        assert_true(fabs(e->kernels[0][i] - (&g1[0][0][0])[i]) < 0.02);
    for (int i = 0; i < Q * LAGS * LAGS * D * D; i++)
        if (!(fabs(e->kernels[1][i] - (&g2[0][0][0][0][0])[i]) < 0.03))
            fail_msg("g2, place %d: %g, expected %g", i, e->kernels[1][i], (&g2[0][0][0][0][0])[i]);
    assert_true(fabs(e->g0[0] - 1) < 0.01 && fabs(e->g0[1]) < 0.01);
    assert_int_equal(e->share_orders, 2);
    for (int q = 0; q < Q; q++) {
        const double *share = e->shares + q * 3;
        assert_true(fabs(share[0] + share[1] + share[2] - 1) < 1e-12);
        assert_true(share[0] > 0.8 && share[1] > 0 && fabs(share[2]) < 0.01);
        assert_int_equal(e->memory[q], 2);
    }
    volt_explanation_free(e);
    volt_model_free(model);
    free(X);
    free(Y);
}

/* ---- threads, memory, cancellation ------------------------------------------------------------ */

static void results_do_not_depend_on_threads(void **state)
{
    enum { ROWS = 700 };
    volt_rng rng = test_rng(7704);
    double *X = random_rows(&rng, ROWS, D, 1), *Y = normal_rows(&rng, ROWS, Q);
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    volt_model *model = fit("memory + 2*fir:pole=0.5", X, Y, ROWS, &options);
    volt_explain_options asked = volt_explain_options_default();
    asked.lags = 6;
    asked.band = 0;
    volt_explanation *first = NULL, *e = NULL;
    check_ok(volt_set_threads(1));
    check_ok(volt_model_explain(model, &asked, &first));
    for (int threads = 2; threads <= 4; threads++) {
        check_ok(volt_set_threads(threads));
        check_ok(volt_model_explain(model, &asked, &e));
        assert_memory_equal(first->kernels[0], e->kernels[0], Q * 6 * D * sizeof(double));
        assert_memory_equal(first->kernels[1], e->kernels[1], Q * 36 * D * D * sizeof(double));
        for (int i = 0; i < Q * 3; i++) /* the summation order of BLAS may differ */
            assert_true(fabs(first->shares[i] - e->shares[i]) < 1e-11);
        volt_explanation_free(e);
    }
    check_ok(volt_set_threads(0));
    volt_explanation_free(first);
    volt_model_free(model);
    free(X);
    free(Y);
}

typedef struct scene {
    double *X, *Y;
    volt_model *model;
    volt_explain_options options;
} scene;

static scene make_scene(void)
{
    volt_rng rng = test_rng(7705);
    volt_fit_options fitting = volt_fit_options_default();
    fitting.alpha = 0.1;
    scene s = {.X = random_rows(&rng, N, D, 1),
               .Y = normal_rows(&rng, N, Q),
               .options = volt_explain_options_default()};
    s.model = fit("volterra*rbf + 2*fir:pole=0.5", s.X, s.Y, N, &fitting);
    s.options.lags = 2;
    s.options.along = volt_view_of(s.X, N, D);
    return s;
}

static void free_scene(scene *s)
{
    volt_model_free(s->model);
    free(s->X);
    free(s->Y);
}

typedef struct user {
    int64_t calls, cancel_at;
} user;

static int listen(const char *stage, double fraction, void *context)
{
    (void)stage;
    assert_true(fraction >= 0 && fraction <= 1);
    user *u = context;
    return ++u->calls == u->cancel_at;
}

/* Every poll calls the callback, on one thread. Cancels at each call in turn. */
static void cancellation_at_every_poll(void **state)
{
    scene s = make_scene();
    user all = {0};
    volt_explanation *e = NULL;
    s.options.progress = (volt_progress){listen, &all};
    check_ok(volt_model_explain(s.model, &s.options, &e));
    volt_explanation_free(e);
    assert_true(all.calls > 20);
    for (int64_t k = 1; k <= all.calls; k += UNDER_SANITIZERS ? 7 : 1) {
        user u = {.cancel_at = k};
        e = NULL;
        s.options.progress = (volt_progress){listen, &u};
        check_fails(volt_model_explain(s.model, &s.options, &e), VOLT_ERR_CANCELLED, "cancelled");
        assert_null(e);
        assert_int_equal(u.calls, k);
    }
    free_scene(&s);
}

static void invalid_arguments_are_rejected(void **state)
{
    scene s = make_scene();
    volt_explanation *e = NULL;
    volt_explain_options options = volt_explain_options_default();
    double parts[N * Q * 4], far[D] = {90, 0};
    check_fails(volt_model_explain(NULL, NULL, &e), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_model_explain(s.model, NULL, NULL), VOLT_ERR_ARGUMENT, "model");
    options.lags = -1;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_ARGUMENT, "lags -1");
    options.lags = N + 1;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_ARGUMENT, "31 lags 30");
    options.lags = 0;
    options.order = 0;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_ARGUMENT, "order 0");
    options.order = 9;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_ARGUMENT, "order 9");
    options.order = 8;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_ARGUMENT, "3.359e+14 30 lags");
    options.order = 2;
    options.about = VOLT_ABOUT_POINT;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_ARGUMENT, "NULL");
    options.point = far;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_DOMAIN, "training 1");
    far[0] = INFINITY;
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_NOT_FINITE, "finite");
    options.about = VOLT_ABOUT_MEAN;
    options.along = volt_view_of(s.X, N * D, 1);
    check_fails(volt_model_explain(s.model, &options, &e), VOLT_ERR_SHAPE, "1 columns model 2");
    check_fails(volt_model_orders(s.model, volt_view_of(s.X, N, D), NULL, volt_matrix_of(parts, N, Q)),
                VOLT_ERR_SHAPE, "parts 30 2 8");
    check_fails(volt_model_orders(NULL, volt_view_of(s.X, N, D), NULL, volt_matrix_of(parts, N, Q)),
                VOLT_ERR_ARGUMENT, "model NULL");
    assert_null(e);
    free_scene(&s);

    static const char *const texts[] = {"gak:window=3", "sig:window=3", "sigpde:window=3",
                                        "fir + gak:window=3"};
    for (int t = 0; t < 4; t++) {
        volt_rng rng = test_rng(7706);
        double *X = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q);
        volt_fit_options fitting = volt_fit_options_default();
        fitting.alpha = 1;
        volt_model *model = fit(texts[t], X, Y, N, &fitting);
        check_fails(volt_model_explain(model, NULL, &e), VOLT_ERR_ARGUMENT, "power series inputs");
        volt_model_free(model);
        free(X);
        free(Y);
    }
}

/* Parts of changes: with the level, which contributes to orders 0 and 1, they add up to the forecast in
 * every record. */
static void order_contributions_sum_to_change(void **state)
{
    enum { ROWS = 40, ORDER = 2, TESTS = 12 };
    volt_rng rng = test_rng(77);
    double *X = random_rows(&rng, ROWS, D, 0.5), *Y = new_matrix(ROWS, Q);
    int64_t anchors[Q], records[] = {TESTS / 2, TESTS / 2};
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < Q; k++)
            Y[i * Q + k] = i + 1 < ROWS ? X[(i + 1) * D + k % D] : 0;
    for (int64_t k = 0; k < Q; k++)
        anchors[k] = k % D;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.ahead = 1;
    options.season = 0;
    options.target = VOLT_TARGET_CHANGE;
    options.input = VOLT_INPUT_LEVEL;
    options.anchors = anchors;
    volt_model *model = fit("fading", X, Y, ROWS - 1, &options);
    volt_explain_options asked = volt_explain_options_default();
    double parts[TESTS * Q * (ORDER + 2)], expected[TESTS * Q];
    asked.order = ORDER;
    asked.records = records;
    asked.n_records = 2;
    check_ok(volt_model_orders(model, volt_view_of(X, TESTS, D), &asked,
                               volt_matrix_of(parts, TESTS, Q * (ORDER + 2))));
    volt_predict_options anew = volt_predict_options_default();
    anew.start = VOLT_START_RESET;
    for (int64_t r = 0; r < 2; r++)
        check_ok(volt_model_predict(model, volt_view_of(X + r * records[0] * D, records[0], D), &anew,
                                    volt_matrix_of(expected + r * records[0] * Q, records[0], Q), NULL));
    for (int64_t i = 0; i < TESTS * Q; i++) {
        double sum = 0, size = 1;
        for (int p = 0; p < ORDER + 2; p++) {
            sum += parts[i * (ORDER + 2) + p];
            size += fabs(parts[i * (ORDER + 2) + p]);
        }
        /* The remainder is computed as a difference, so only the sums of ROWS products round. */
        if (!(fabs(sum - expected[i]) <= 100 * ROWS * DBL_EPSILON * size / 0.1))
            fail_msg("the parts of number %d add up to %.17g, and the forecast is %.17g", (int)i, sum,
                     expected[i]);
    }
    volt_model_free(model);
    free(Y);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_contributions_sum_to_change),
        cmocka_unit_test(standard_deviations),
        cmocka_unit_test(standard_deviations_of_parts),
        cmocka_unit_test(standard_deviations_from_stored_factor),
        cmocka_unit_test(model_with_loss),
        cmocka_unit_test(known_system_is_recovered),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test_setup_teardown(cancellation_at_every_poll, poll_always, poll_as_usual),
        cmocka_unit_test(invalid_arguments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
