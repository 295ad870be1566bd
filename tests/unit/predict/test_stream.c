/* tests/unit/predict/test_stream.c: predictions row by row, in one call and in a closed loop are equal; inputs
 * outside the ball. */
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* A model of one input and one target on `rows` random rows in [-1, 1], the first of them 1, without
 * scaling. */
static volt_model *line_model(const char *text, volt_rng *rng, int64_t rows, int feedback)
{
    volt_kernel *kernel = plain_parse(text);
    double *x = random_rows(rng, rows, 1, 0.9), *y = random_rows(rng, rows, 1, 0.9);
    x[0] = 1;
    volt_fit_options options = volt_fit_options_default();
    options.scale = 0;
    options.alpha = 0.1;
    options.feedback = feedback;
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(x, rows, 1), volt_view_of(y, rows, 1), &options, nowhere, &model));
    free(y);
    free(x);
    volt_kernel_free(kernel);
    return model;
}

static volt_live *open_stream(const volt_model *model, volt_start start, volt_beyond beyond)
{
    volt_predict_options options = {
        .struct_size = sizeof(volt_predict_options), .start = start, .beyond = beyond};
    volt_live *stream = NULL;
    check_ok(volt_live_create(model, as_live(&options), &stream));
    return stream;
}

/* ---- streaming equals batch ------------------------------------------------------------------- */

/* Both sum the same n products k_j A_j in a different order, with entries that the recursion rounds
 * differently. The unit is eps sum |k_j A_j| (here with the bound `largest` on k_j), and they differ by less
 * than 4 units: the errors of the recursion are a few eps and contract. The state buffer is full every 4096
 * rows for every lift: MANY rows reach its end twice. */
enum { N = 13, D = 2, Q = 3, MANY = 8300, FEW = 300 };

static void check_stream(const plain_kernel *kernel, volt_start start, int pushes, volt_rng *rng)
{
    volt_kernel *parsed = plain_parse(kernel->text);
    double *X = random_rows(rng, N, D, 1), *Y = normal_rows(rng, N, Q), *fresh = random_rows(rng, pushes, D, 1);
    double *batch = new_matrix(pushes, Q), out[Q];
    for (int i = 0; i < N; i++)
        Y[i * Q + 1] = 1000 + 10 * Y[i * Q + 1];
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-2;
    options.washout = 2;
    check_ok(volt_model_fit(parsed, volt_view_of(X, N, D), volt_view_of(Y, N, Q), &options, nowhere, &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);

    volt_predict_options how = volt_predict_options_default();
    how.start = start;
    int64_t beyond = 0;
    check_ok(volt_model_predict(model, volt_view_of(fresh, pushes, D), &how, volt_matrix_of(batch, pushes, Q),
                                &beyond));
    volt_live *stream = open_stream(model, start, VOLT_BEYOND_CLIP);
    double tolerance[Q], worst = 0;
    for (int k = 0; k < Q; k++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += fabs(info.coefficients[j * Q + k]);
        double terms = info.facts->largest * sum + fabs(info.intercepts[k]);
        tolerance[k] = 4 * DBL_EPSILON * (info.target_scale[k] * terms + fabs(info.target_mean[k]));
    }
    for (int i = 0; i < pushes; i++) {
        check_ok(volt_live_feed(stream, fresh + i * D, out));
        for (int k = 0; k < Q; k++) {
            double error = fabs(out[k] - batch[i * Q + k]);
            worst = fmax(worst, error / tolerance[k]);
            if (!(error <= tolerance[k]))
                fail_msg("%s, row %d, output %d: stream %.17g, batch %.17g, tolerance %.3g", kernel->text, i, k,
                         out[k], batch[i * Q + k], tolerance[k]);
        }
    }
    print_message("%s, %s: at most %.2g of the tolerance\n", kernel->text,
                  start == VOLT_START_RESET ? "reset" : "continue", worst);
    assert_int_equal(live_beyond(stream), beyond);
    volt_live_free(stream);
    volt_model_free(model);
    free(batch);
    free(fresh);
    free(Y);
    free(X);
    volt_kernel_free(parsed);
}

static void streaming_equals_batch_after_training(void **state)
{
    volt_rng rng = test_rng(131);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        check_stream(&plain_kernels[p], VOLT_START_CONTINUE, p == PLAIN_GEOMETRIC ? MANY : FEW, &rng);
}

static void streaming_equals_batch_after_a_reset(void **state)
{
    volt_rng rng = test_rng(132);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        check_stream(&plain_kernels[p], VOLT_START_RESET, p == PLAIN_RBF ? MANY : FEW, &rng);
}

/* A model is immutable, and streams are independent. */
static void streams_are_independent(void **state)
{
    volt_rng rng = test_rng(133);
    volt_model *model = line_model("volterra:tau=0.5,lambda=0.6", &rng, 20, 0);
    volt_live *first = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_CLIP);
    double x[] = {0.3, -0.2, 0.9}, a[3], b[3];
    for (int i = 0; i < 3; i++)
        check_ok(volt_live_feed(first, x + i, a + i));
    volt_live *second = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_CLIP);
    for (int i = 0; i < 3; i++) {
        double other = -x[i], ignored;
        check_ok(volt_live_feed(first, &other, &ignored));
        check_ok(volt_live_feed(second, x + i, b + i));
    }
    assert_memory_equal(a, b, sizeof a);
    volt_live_free(second);
    volt_live_free(first);
    volt_live_free(NULL);
    volt_model_free(model);
}

/* A copy continues like its source, bit for bit, and the two are independent. The kernels on windows and
 * paths store their state differently from the scans. */
static void copy_continues_like_source(void **state)
{
    static const char *const kernels[] = {"volterra:tau=0.5,lambda=0.6", "memory:gamma=1,rho=0.5,mu=0.8",
                                          "rbf:gamma=1,window=4", "gak:sigma=1,window=5",
                                          "sig:level=3,window=5"};
    enum { BEFORE = 11, AFTER = 9 };
    volt_rng rng = test_rng(134);
    for (size_t p = 0; p < sizeof kernels / sizeof *kernels; p++) {
        volt_model *model = line_model(kernels[p], &rng, 20, 0);
        volt_live *source = open_stream(model, VOLT_START_RESET, VOLT_BEYOND_CLIP), *copy = NULL;
        double *x = random_rows(&rng, BEFORE + AFTER, 1, 0.9), a[AFTER], b[AFTER], ignored;
        x[0] = 2; /* outside the ball, and counted */
        for (int i = 0; i < BEFORE; i++)
            check_ok(volt_live_feed(source, x + i, &ignored));
        check_ok(volt_live_copy(source, &copy));
        for (int i = 0; i < AFTER; i++)
            check_ok(volt_live_feed(copy, x + BEFORE + i, b + i));
        double other = 3;
        check_ok(volt_live_feed(copy, &other, &ignored));
        int64_t counted = live_beyond(copy);
        volt_live_free(copy);
        assert_int_equal(counted - live_beyond(source), counted > 0);
        for (int i = 0; i < AFTER; i++)
            check_ok(volt_live_feed(source, x + BEFORE + i, a + i));
        assert_memory_equal(a, b, sizeof a);
        volt_live_free(source);
        volt_model_free(model);
        free(x);
    }
    volt_live *copy = NULL;
    check_fails(volt_live_copy(NULL, &copy), VOLT_ERR_ARGUMENT, "NULL");
}

/* ---- inputs outside the ball ------------------------------------------------------------------ */

/* tau = lambda = 0.5, M = 1: lambda^2 kappa = 0.25 / (1 - 0.25 r) reaches 1 at norm r = 3. */
static const char *const quarter = "volterra:tau=0.5,lambda=0.5";

static void clipping_projects_and_counts(void **state)
{
    volt_rng rng = test_rng(134);
    volt_kernel *kernel = plain_parse(quarter);
    enum { ROWS = 12 };
    double *X = random_rows(&rng, ROWS, 2, 0.9), *Y = normal_rows(&rng, ROWS, 1);
    X[0] = 0.6; /* M = 1 */
    X[1] = 0.8;
    volt_fit_options options = volt_fit_options_default();
    options.scale = 0;
    options.alpha = 0.1;
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(X, ROWS, 2), volt_view_of(Y, ROWS, 1), &options, nowhere, &model));

    double far[] = {3, -4, 0.1, 0.2, 0, -1e8}, near[] = {0.6, -0.8, 0.1, 0.2, 0, -1}, out[3], expected[3], one;
    int64_t beyond = 0;
    check_ok(
        volt_model_predict(model, volt_view_of(near, 3, 2), NULL, volt_matrix_of(expected, 3, 1), &beyond));
    assert_int_equal(beyond, 0);
    check_ok(volt_model_predict(model, volt_view_of(far, 3, 2), NULL, volt_matrix_of(out, 3, 1), &beyond));
    assert_int_equal(beyond, 2);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_CLIP);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(out[i] - expected[i]) <= 1e-13 * (1 + fabs(expected[i])));
        check_ok(volt_live_feed(stream, far + 2 * i, &one));
        assert_true(fabs(one - expected[i]) <= 1e-13 * (1 + fabs(expected[i])));
    }
    assert_int_equal(live_beyond(stream), 2);
    for (int calls = 1; calls <= 2; calls++) { /* the rows of one call are counted too */
        check_ok(volt_live_predict(stream, volt_view_of(far, 3, 2), 1, volt_matrix_of(out, 3, 1), &beyond));
        assert_int_equal(beyond, 2);
        assert_int_equal(live_beyond(stream), 2 + 2 * calls);
    }
    volt_live_free(stream);
    volt_model_free(model);
    free(Y);
    free(X);
    volt_kernel_free(kernel);
}

static void rejection_changes_nothing(void **state)
{
    volt_rng rng = test_rng(135);
    volt_model *model = line_model(quarter, &rng, 20, 0);
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_ERROR};
    double x[] = {0.5, -1, 1.5, 0.2}, out[4] = {7, 7, 7, 7};
    int64_t beyond = -5;
    check_fails(volt_model_predict(model, volt_view_of(x, 4, 1), &options, volt_matrix_of(out, 4, 1), &beyond),
                VOLT_ERR_DOMAIN, "row 3 norm 1.5 1");
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 7);
    assert_int_equal(beyond, -5);

    /* the largest training row itself is not outside, even with rounding */
    double edge[] = {1, -1, 1 + 2 * DBL_EPSILON};
    check_ok(volt_model_predict(model, volt_view_of(edge, 3, 1), &options, volt_matrix_of(out, 3, 1), &beyond));
    assert_int_equal(beyond, 0);
    volt_model_free(model);
}

static void allowed_inputs_stop_before_divergence(void **state)
{
    volt_rng rng = test_rng(136);
    volt_model *model = line_model(quarter, &rng, 20, 0);
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_ALLOW};
    double x[] = {0.5, 2.9, -2.9}, y[] = {0.5, 3.1}, out[3], clipped[3];
    int64_t beyond = 0;
    check_ok(volt_model_predict(model, volt_view_of(x, 3, 1), &options, volt_matrix_of(out, 3, 1), &beyond));
    assert_int_equal(beyond, 2);
    check_ok(volt_model_predict(model, volt_view_of(x, 3, 1), NULL, volt_matrix_of(clipped, 3, 1), NULL));
    assert_true(out[0] == clipped[0] && out[1] != clipped[1]); /* used without projection */
    check_fails(volt_model_predict(model, volt_view_of(y, 2, 1), &options, volt_matrix_of(out, 2, 1), NULL),
                VOLT_ERR_DOMAIN, "row 2 norm 3.1");
    assert_non_null(strstr(volt_error_detail(), "must stay below 1"));
    double far = 1e30; /* also outside the pole of kappa */
    check_fails(volt_model_predict(model, volt_view_of(&far, 1, 1), &options, volt_matrix_of(out, 1, 1), NULL),
                VOLT_ERR_DOMAIN, "norm 1e+30");
    volt_model_free(model);
}

/* Kernel values outside the ball, from plain loops. */
static void allowed_inputs_follow_the_recursion(void **state)
{
    volt_rng rng = test_rng(137);
    enum { ROWS = 15, H = 9 };
    for (int p = 0; p < PLAIN_KERNELS; p++) {
        const plain_kernel *kernel = &plain_kernels[p];
        volt_kernel *parsed = plain_parse(kernel->text);
        double *X = random_rows(&rng, ROWS, 1, 0.7), *Y = normal_rows(&rng, ROWS, 1), out[H], K[H * ROWS];
        double *fresh = random_rows(&rng, H, 1, 1);
        volt_fit_options fit_options = volt_fit_options_default();
        fit_options.scale = 0;
        fit_options.alpha = 0.1;
        volt_model *model = NULL;
        check_ok(volt_model_fit(parsed, volt_view_of(X, ROWS, 1), volt_view_of(Y, ROWS, 1), &fit_options,
                                nowhere, &model));
        volt_predict_options options = {.struct_size = sizeof(volt_predict_options),
                                        .start = VOLT_START_RESET,
                                        .beyond = VOLT_BEYOND_ALLOW};
        int64_t beyond = 0;
        fresh[4] = 0.99;
        check_ok(
            volt_model_predict(model, volt_view_of(fresh, H, 1), &options, volt_matrix_of(out, H, 1), &beyond));
        assert_true(beyond >= 1);
        plain_gram(kernel, volt_view_of(fresh, H, 1), volt_view_of(X, ROWS, 1), volt_matrix_of(K, H, ROWS));
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        for (int i = 0; i < H; i++) {
            double expected = info.intercepts[0], sum = 0;
            for (int j = 0; j < ROWS; j++) {
                expected += K[i * ROWS + j] * info.coefficients[j];
                sum += fabs(info.coefficients[j]);
            }
            assert_true(fabs(out[i] - expected) <= 2 * sum * plain_tolerance(kernel, 1, 1));
        }
        volt_model_free(model);
        free(fresh);
        free(Y);
        free(X);
        volt_kernel_free(parsed);
    }
}

/* exp(-gamma d^2) vanishes: far away only the constant 1 of the kernel remains. */
static void rbf_accepts_any_input(void **state)
{
    volt_rng rng = test_rng(138);
    volt_model *model = line_model("volterra:lift=rbf,gamma=1,lambda=0.9", &rng, 10, 0);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_ALLOW);
    double expected = info.intercepts[0], out;
    for (int j = 0; j < 10; j++)
        expected += info.coefficients[j];
    static const double far[] = {100, -1e6, 1e100, 1e150};
    for (int i = 0; i < 4; i++) {
        check_ok(volt_live_feed(stream, &far[i], &out));
        assert_true(fabs(out - expected) <= 1e-13);
        assert_int_equal(live_beyond(stream), i + 1);
    }
    volt_live_free(stream);
    volt_model_free(model);
}

/* ---- bad rows --------------------------------------------------------------------------------- */

static void rejected_row_leaves_stream_unchanged(void **state)
{
    volt_rng rng = test_rng(139);
    volt_model *model = line_model(quarter, &rng, 20, 0);
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_ERROR);
    volt_live *clean = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_ERROR);
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300, 2};
    static const volt_status status[] = {VOLT_ERR_NOT_FINITE, VOLT_ERR_NOT_FINITE, VOLT_ERR_NOT_FINITE,
                                         VOLT_ERR_NOT_FINITE, VOLT_ERR_DOMAIN};
    static const char *const rows[] = {"row 2 ", "row 3 ", "row 4 ", "row 5 ", "row 6 "};
    for (int i = 0; i < 5; i++) {
        double x = 0.1 * i, a, b, out = 7;
        check_ok(volt_live_feed(stream, &x, &a));
        check_fails(volt_live_feed(stream, &bad[i], &out), status[i], rows[i]);
        assert_true(out == 7);
        check_ok(volt_live_feed(clean, &x, &b));
        assert_true(a == b);
    }
    assert_int_equal(live_beyond(stream), 0);
    volt_live_free(clean);
    volt_live_free(stream);
    volt_model_free(model);
}

static void invalid_forecasts_are_rejected(void **state)
{
    volt_rng rng = test_rng(140);
    volt_model *model = line_model(quarter, &rng, 20, 0);
    double x[4] = {0.1, 0.2, NAN, 0.3}, out[4] = {7, 7, 7, 7};
    int64_t beyond = -5;
    volt_view X = volt_view_of(x, 2, 1);
    volt_matrix good = volt_matrix_of(out, 2, 1), narrow = {out, 2, 1, 0};
    check_fails(volt_model_predict(NULL, X, NULL, good, NULL), VOLT_ERR_ARGUMENT, "model");
    check_fails(volt_model_predict(model, volt_view_of(NULL, 2, 1), NULL, good, NULL), VOLT_ERR_SHAPE,
                "inputs");
    check_fails(volt_model_predict(model, volt_view_of(x, 0, 1), NULL, volt_matrix_of(out, 0, 1), NULL),
                VOLT_ERR_SHAPE, "x 0 1");
    check_fails(volt_model_predict(model, volt_view_of(x, 2, 2), NULL, good, NULL), VOLT_ERR_SHAPE,
                "2 columns");
    check_fails(volt_model_predict(model, X, NULL, volt_matrix_of(out, 3, 1), NULL), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_model_predict(model, X, NULL, volt_matrix_of(out, 2, 2), NULL), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_model_predict(model, X, NULL, volt_matrix_of(NULL, 2, 1), NULL), VOLT_ERR_SHAPE,
                "predictions");
    check_fails(volt_model_predict(model, X, NULL, narrow, NULL), VOLT_ERR_SHAPE, "predictions");
    check_fails(volt_model_predict(model, volt_view_of(x, 4, 1), NULL, volt_matrix_of(out, 4, 1), &beyond),
                VOLT_ERR_NOT_FINITE, "row 3");
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, good, NULL), VOLT_ERR_ARGUMENT,
                "requires");
    check_fails(volt_model_continue(NULL, volt_view_of(NULL, 0, 0), NULL, good, NULL), VOLT_ERR_ARGUMENT,
                "model");
    volt_live *stream = NULL;
    check_fails(volt_live_create(NULL, NULL, &stream), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_create(model, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 7);
    assert_int_equal(beyond, -5);
    volt_model_free(model);
}

/* ---- closed loop ------------------------------------------------------------------------------ */

/* Past the end of the state buffer, bitwise equal to explicit pushes. */
static void closed_loop_equals_manual_feeding(void **state)
{
    enum { ROWS = 300, STEPS = 4500, LD = 4 };
    double *X = lorenz_rows(ROWS + 1, 0.02), *path = new_matrix(STEPS, LD), input[3], output[3];
    volt_kernel *kernel = plain_parse("volterra:tau_coef=0.3,lambda_coef=0.8");
    volt_fit_options options = volt_fit_options_default();
    options.feedback = 1;
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, 3), volt_view_of(X + 3, ROWS, 3), &options, nowhere,
                            &model));
    for (int i = 0; i < STEPS * LD; i++)
        path[i] = 1e77;
    volt_matrix out = {path, STEPS, 3, LD};
    int64_t beyond = -1;
    check_ok(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, out, &beyond));
    volt_live *stream = open_stream(model, VOLT_START_CONTINUE, VOLT_BEYOND_CLIP);
    memcpy(input, X + 3 * ROWS, sizeof input); /* the last training target */
    for (int i = 0; i < STEPS; i++) {
        check_ok(volt_live_feed(stream, input, output));
        assert_memory_equal(output, path + i * LD, sizeof output);
        assert_true(path[i * LD + 3] == 1e77);
        memcpy(input, output, sizeof input);
    }
    assert_int_equal(beyond, live_beyond(stream));
    volt_live_free(stream);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(path);
    free(X);
}

static int cancel_late(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_string_equal(stage, "continue");
    return fraction > 0;
}

static void failures_of_the_closed_loop(void **state)
{
    volt_rng rng = test_rng(141);
    volt_model *model = line_model(quarter, &rng, 20, 1);
    double out[3] = {7, 7, 7};
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, 0, 1), NULL),
                VOLT_ERR_ARGUMENT, "steps 0");
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, 3, 2), NULL),
                VOLT_ERR_SHAPE, "x 3 1");
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options),
                                    .progress = {cancel_late, NULL}};
    int64_t beyond = -5;
    check_fails(
        volt_model_continue(model, volt_view_of(NULL, 0, 0), &options, volt_matrix_of(out, 3, 1), &beyond),
        VOLT_ERR_CANCELLED, "continue");
    for (int i = 0; i < 3; i++)
        assert_true(out[i] == 7);
    assert_int_equal(beyond, -5);
    volt_model_free(model);
}

/* A target far outside the inputs leaves the ball immediately. */
static void closed_loop_outside_ball_is_rejected(void **state)
{
    double x[] = {0.1, -0.5, 1, 0.2, 0.7}, y[] = {10, -50, 100, 20, 70}, out[5] = {7, 7, 7, 7, 7};
    volt_kernel *kernel = plain_parse(quarter);
    volt_fit_options fit_options = volt_fit_options_default();
    fit_options.scale = 0;
    fit_options.feedback = 1;
    volt_model *model = NULL;
    check_ok(
        volt_model_fit(kernel, volt_view_of(x, 5, 1), volt_view_of(y, 5, 1), &fit_options, nowhere, &model));
    volt_predict_options options = {.struct_size = sizeof(volt_predict_options), .beyond = VOLT_BEYOND_ERROR};
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), &options, volt_matrix_of(out, 5, 1), NULL),
                VOLT_ERR_DOMAIN, "row 1");
    options.beyond = VOLT_BEYOND_ALLOW;
    check_fails(volt_model_continue(model, volt_view_of(NULL, 0, 0), &options, volt_matrix_of(out, 5, 1), NULL),
                VOLT_ERR_DOMAIN, "row 1");
    assert_true(out[0] == 7 && out[4] == 7);
    int64_t beyond = 0;
    check_ok(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(out, 5, 1),
                                 &beyond)); /* clipped */
    assert_true(beyond >= 1);
    for (int i = 0; i < 5; i++)
        assert_true(isfinite(out[i]));
    volt_model_free(model);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streaming_equals_batch_after_training),
        cmocka_unit_test(streaming_equals_batch_after_a_reset),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(copy_continues_like_source),
        cmocka_unit_test(clipping_projects_and_counts),
        cmocka_unit_test(rejection_changes_nothing),
        cmocka_unit_test(allowed_inputs_stop_before_divergence),
        cmocka_unit_test(allowed_inputs_follow_the_recursion),
        cmocka_unit_test(rbf_accepts_any_input),
        cmocka_unit_test(rejected_row_leaves_stream_unchanged),
        cmocka_unit_test(invalid_forecasts_are_rejected),
        cmocka_unit_test(closed_loop_equals_manual_feeding),
        cmocka_unit_test(failures_of_the_closed_loop),
        cmocka_unit_test(closed_loop_outside_ball_is_rejected),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
