/* tests/unit/predict/test_learner.c: after every row a learner equals a new fit on the rows of its window. */
#include "kernel/kernel_entry.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/school.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { TRAIN = SCHOOL_TRAIN, N = SCHOOL_ROWS, D = SCHOOL_D, Q = SCHOOL_Q };
static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* n eps times the condition number: eigenvalues lie between alpha and n times the largest entry, about 10. */
static const double tolerance = 100 * N * DBL_EPSILON * (10 * N) / 0.7;

static void check_near(const char *what, double found, double expected)
{
    if (!(fabs(found - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%s is %.17g, and should be %.17g", what, found, expected);
}

/* Coefficients, intercepts and the forecast of the next row equal those of a fit on rows first .. end - 1. */
static void check_fresh(const school *s, volt_live *learner, int64_t first, int64_t end)
{
    volt_model *fresh = fit_rows(s, end, first);
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(fresh, &info);
    double A[N * Q], c[Q], expected[Q], found[Q];
    int64_t rows[N];
    assert_int_equal(info_of(learner).rows, end - first);
    check_ok(volt_live_coefficients(learner, volt_matrix_of(A, end - first, Q), c, rows));
    for (int64_t i = 0; i < end - first; i++) {
        assert_int_equal(rows[i], first + i);
        for (int64_t k = 0; k < Q; k++)
            check_near(s->text, A[i * Q + k], info.coefficients[(first + i) * Q + k]);
    }
    for (int64_t k = 0; k < Q; k++)
        check_near("an intercept", c[k], info.intercepts[k]);
    if (end < N) {
        volt_view next = volt_view_of(s->X + end * D, 1, D);
        check_ok(volt_model_predict(fresh, next, NULL, volt_matrix_of(expected, 1, Q), NULL));
        check_ok(volt_live_predict(learner, next, 0, volt_matrix_of(found, 1, Q), NULL));
        for (int64_t k = 0; k < Q; k++)
            check_near("a forecast", found[k], expected[k]);
    }
    volt_model_free(fresh);
}

/* Rows are added and dropped by a random script with this seed. The learner is compared after some of the
 * steps. */
static void run_script(const char *text, uint64_t seed, int64_t window)
{
    school s;
    double y[Q];
    volt_rng rng;
    volt_rng_init(&rng, seed, 1);
    open_school(text, seed, &s);
    volt_live *learner = new_learner(s.model, window, 1);
    int64_t first = window > 0 && window < TRAIN ? TRAIN - window : 0;
    check_fresh(&s, learner, first, TRAIN);
    for (int64_t t = TRAIN; t < N; t++) {
        check_ok(volt_live_feed(learner, s.X + t * D, y));
        if (volt_rng_uniform(&rng) < 0.3 && t - first > 4) { /* between a row and its target */
            check_ok(volt_live_drop(learner, 3));
            first += 3;
        }
        check_ok(volt_live_learn(learner, 0, s.Y + t * Q));
        if (window > 0 && t + 1 - first > window)
            first++;
        if (t % 6 == 0)
            check_fresh(&s, learner, first, t + 1);
    }
    check_fresh(&s, learner, first, N);
    assert_int_equal(info_of(learner).learned, N - TRAIN);
    volt_live_free(learner);
    close_school(&s);
}

static void every_engine_learns(void **state)
{
    for (int i = 0; engine_kernels[i]; i++)
        for (int64_t window = 0; window < 20; window += 11)
            run_script(engine_kernels[i], 831, window);
}

/* Does the kernel need the number of rows of a path? */
static bool needs_window(const char *text)
{
    volt_kernel *kernel = plain_parse(text);
    const double row[D] = {0.5, 0.5};
    double K = 0;
    volt_status status =
        volt_gram(kernel, volt_view_of(row, 1, D), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(&K, 1, 1));
    volt_kernel_free(kernel);
    return status == VOLT_ERR_KERNEL;
}

static void every_kernel_learns(void **state)
{
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", volt_kernel_at(i)->name);
        if (needs_window(text))
            strcat(text, ":window=4");
        run_script(text, 832, 9);
    }
    run_script("volterra:tau_coef=0.5,lambda_coef=0.8,pole=0.4 + fir:mu=0.6,corr=0.3,pair=0.5,angle=0.2", 833,
               13);
}

/* Each row is forecast before it is learned, and two calls equal one combined call. */
static void prediction_precedes_learning(void **state)
{
    school s;
    open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 834, &s);
    volt_live *one = new_learner(s.model, 10, 1), *two = new_learner(s.model, 10, 1);
    for (int64_t t = TRAIN; t < N; t++) {
        double expected[Q], first[Q], second[Q];
        check_ok(
            volt_live_predict(one, volt_view_of(s.X + t * D, 1, D), 0, volt_matrix_of(expected, 1, Q), NULL));
        check_ok(volt_live_update(one, s.X + t * D, 0, s.Y + t * Q, first));
        check_ok(volt_live_feed(two, s.X + t * D, second));
        check_ok(volt_live_learn(two, 0, s.Y + t * Q));
        assert_memory_equal(first, second, sizeof first);
        for (int k = 0; k < Q; k++)
            check_near("a forecast", first[k], expected[k]);
    }
    volt_live_free(one);
    volt_live_free(two);
    close_school(&s);
}

/* Rows without a target update the state, in the model and afterwards. */
static void rows_without_targets_are_not_learned(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.6,lambda_coef=0.8", "gak:window=4,sigma=1"};
    for (int i = 0; i < 2; i++) {
        school s;
        open_school(kernels[i], 835, &s);
        volt_model_free(s.model);
        s.fit.missing_targets = 1;
        for (int64_t t = 0; t < N; t++)
            if (t % 5 == 2)
                s.Y[t * Q] = NAN;
        s.model = fit_rows(&s, TRAIN, 0);
        volt_live *learner = new_learner(s.model, 0, 1);
        double y[Q], A[N * Q], c[Q];
        int64_t rows[N], count = 0;
        for (int64_t t = TRAIN; t < N; t++) {
            check_ok(volt_live_feed(learner, s.X + t * D, y));
            if (t % 5 == 2)
                check_fails(volt_live_learn(learner, 0, s.Y + t * Q), VOLT_ERR_NOT_FINITE, "target 1");
            else
                check_ok(volt_live_learn(learner, 0, s.Y + t * Q));
        }
        volt_model *fresh = fit_rows(&s, N, 0);
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(fresh, &info);
        int64_t n = info_of(learner).rows;
        check_ok(volt_live_coefficients(learner, volt_matrix_of(A, n, Q), c, rows));
        for (int64_t t = 0; t < N; t++)
            if (t % 5 != 2) {
                assert_int_equal(rows[count], t);
                for (int64_t k = 0; k < Q; k++)
                    check_near(s.text, A[count * Q + k], info.coefficients[t * Q + k]);
                count++;
            }
        assert_int_equal(count, n);
        volt_model_free(fresh);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* A model of scaled inputs and of changes: the learner takes targets in the user's units. */
static void scales_are_fixed_by_the_model(void **state)
{
    school s;
    const int64_t anchors[Q] = {1, 0};
    for (int change = 0; change < 2; change++) {
        open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 836, &s);
        volt_model_free(s.model);
        s.fit.scale = 1;
        s.fit.target = change ? VOLT_TARGET_CHANGE : VOLT_TARGET_LEVEL;
        s.fit.anchors = anchors;
        s.fit.ahead = 1;
        for (int64_t i = 0; i < N * Q; i++)
            s.Y[i] = 40 + 3 * s.Y[i];
        s.model = fit_rows(&s, TRAIN, 0);
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(s.model, &info);
        volt_live *learner = new_learner(s.model, 0, 1);

        /* Reference: scaled rows and targets, unscaled ones, and levels. */
        school by_hand = s;
        by_hand.fit = volt_fit_options_default();
        by_hand.fit.alpha = s.fit.alpha;
        by_hand.fit.scale = 0;
        by_hand.X = new_matrix(N, D);
        by_hand.Y = new_matrix(N, Q);
        for (int64_t t = 0; t < N; t++) {
            for (int64_t j = 0; j < D; j++)
                by_hand.X[t * D + j] = (s.X[t * D + j] - info.input_shift[j]) * info.input_scale;
            for (int64_t k = 0; k < Q; k++) {
                double from = change ? s.X[t * D + anchors[k]] : info.target_mean[k];
                by_hand.Y[t * Q + k] = (s.Y[t * Q + k] - from) / info.target_scale[k];
            }
        }
        double A[N * Q], c[Q], y[Q];
        for (int64_t t = TRAIN; t < N; t++)
            check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, y));
        check_ok(volt_live_coefficients(learner, volt_matrix_of(A, N, Q), c, NULL));
        volt_model *fresh = fit_rows(&by_hand, N, 0);
        volt_model_info expected = {.struct_size = sizeof expected};
        volt_model_get_info(fresh, &expected);
        for (int64_t i = 0; i < N * Q; i++)
            check_near("a coefficient", A[i], expected.coefficients[i]);
        check_near("an intercept", c[0], expected.intercepts[0]);
        volt_model_free(fresh);
        free(by_hand.X);
        free(by_hand.Y);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* A learner of the last rows of several records equals one of all rows with the others dropped. */
static void check_window_of_records(const school *s, int64_t window)
{
    volt_live *learner = new_learner(s->model, window, 1), *all = new_learner(s->model, 0, 1);
    double A[2][N * Q], c[2][Q];
    check_ok(volt_live_drop(all, TRAIN - window));
    check_ok(volt_live_coefficients(learner, volt_matrix_of(A[0], window, Q), c[0], NULL));
    check_ok(volt_live_coefficients(all, volt_matrix_of(A[1], window, Q), c[1], NULL));
    for (int64_t i = 0; i < window * Q; i++)
        check_near(s->text, A[0][i], A[1][i]);
    for (int64_t k = 0; k < Q; k++)
        check_near("an intercept", c[0][k], c[1][k]);
    volt_live_free(all);
    volt_live_free(learner);
}

/* Records of the model and later records: no kernel entry extends across the start of a record. */
static void records_reset_state(void **state)
{
    static const int64_t lengths[] = {10, 8, 6, 11, 13};
    for (int i = 0; engine_kernels[i]; i++) {
        school s;
        open_school(engine_kernels[i], 837, &s);
        volt_model_free(s.model);
        s.fit.records = lengths;
        s.fit.n_records = 3;
        s.model = fit_rows(&s, TRAIN, 0);
        for (int64_t window = 4; window < TRAIN; window++) /* that start in any of the records */
            check_window_of_records(&s, window);
        volt_live *learner = new_learner(s.model, 0, 1);
        for (int64_t t = TRAIN; t < N; t++) {
            if (t == TRAIN || t == TRAIN + 11)
                check_ok(volt_live_restart(learner));
            check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
        }
        s.fit.n_records = 5;
        check_fresh(&s, learner, 0, N);
        volt_live_free(learner);
        close_school(&s);
    }
}

/* Output feedback: the targets of the previous rows or, where missing, the forecasts. */
static void feedback_models_learn(void **state)
{
    school s;
    double first[Q], second[Q], free_run[2 * Q];
    open_school("volterra:tau=0.2,lambda=0.5", 848, &s);
    volt_model_free(s.model);
    for (int64_t i = 0; i < N * Q; i++)
        s.Y[i] = 0.2 * tanh(s.Y[i]);
    s.Y[0] = 0.2; /* the first row still has the largest norm */
    s.fit.feedback_weight = 0.3;
    s.model = fit_rows(&s, TRAIN, 0);
    volt_live *learner = new_learner(s.model, 0, 1);
    check_fresh(&s, learner, 0, TRAIN);
    for (int64_t t = TRAIN; t < N - 2; t++)
        check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, NULL));
    check_fresh(&s, learner, 0, N - 2);
    check_ok(volt_live_predict(learner, volt_view_of(s.X + (N - 2) * D, 2, D), 0,
                               volt_matrix_of(free_run, 2, Q), NULL));
    check_ok(volt_live_feed(learner, s.X + (N - 2) * D, first));
    check_ok(volt_live_feed(learner, s.X + (N - 1) * D, second));
    for (int64_t k = 0; k < Q; k++) {
        check_near("a forecast", first[k], free_run[k]);
        check_near("a prediction fed back", second[k], free_run[Q + k]);
    }
    volt_live_free(learner);
    close_school(&s);
}

/* A free run that leaves ten times the range of the targets. */
static void diverging_free_run_is_rejected(void **state)
{
    school s;
    double far[D], y[Q] = {0};
    open_school("linear", 849, &s);
    volt_model_free(s.model);
    s.fit.feedback_weight = 0.3;
    s.model = fit_rows(&s, TRAIN, 0);
    volt_live *learner = new_learner(s.model, 0, 1);
    for (int64_t k = 0; k < D; k++)
        far[k] = 1e6 * (1 + fabs(s.X[TRAIN * D + k]));
    check_fails(volt_live_predict(learner, volt_view_of(far, 1, D), 0, volt_matrix_of(y, 1, Q), NULL),
                VOLT_ERR_NOT_FINITE, "row output");
    for (int64_t k = 0; k < Q; k++)
        assert_true(y[k] == 0);
    volt_live_free(learner);
    close_school(&s);
}

/* The results of a model choice: separate alphas, an output that is not learned, one without an intercept. */
static void learner_of_chosen_model(void **state)
{
    volt_rng rng = test_rng(838);
    enum { ROWS = 160 };
    double *X = random_rows(&rng, ROWS + 1, 1, 0.9), Y[ROWS * Q], expected[Q], found[Q];
    volt_kernel *kernel = plain_parse("volterra:tau_coef=0.6,lambda_coef=0.8");
    for (int64_t t = 0; t < ROWS; t++) {
        Y[t * Q] = X[t] + 0.4 * (t > 0 ? X[t - 1] * X[t] : 0) + 0.01 * volt_rng_normal(&rng);
        Y[t * Q + 1] = X[t] * X[t] + 0.3 * volt_rng_normal(&rng);
    }
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, 1), volt_view_of(Y, ROWS, Q), NULL, nowhere, &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    assert_true(info.alphas[0] != info.alphas[1]);
    volt_live *learner = new_learner(model, 0, 1);
    check_ok(
        volt_model_predict(model, volt_view_of(X + ROWS, 1, 1), NULL, volt_matrix_of(expected, 1, Q), NULL));
    check_ok(volt_live_feed(learner, X + ROWS, found));
    /* the smallest alpha determines the condition */
    double allowed = 1000 * ROWS * DBL_EPSILON * ROWS * 10 / fmin(info.alphas[0], info.alphas[1]);
    for (int k = 0; k < Q; k++)
        assert_true(fabs(found[k] - expected[k]) <= allowed);
    volt_live_free(learner);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void bad_rows_change_nothing(void **state)
{
    school s;
    open_school("volterra:tau_coef=0.6,lambda_coef=0.8,pole=0.3", 842, &s);
    volt_live *learner = new_learner(s.model, 6, 1), *plain = new_learner(s.model, 6, 1);
    double y[Q] = {9, 9}, expected[Q];
    const double bad_x[D] = {NAN, 0}, bad_y[Q] = {0, INFINITY}, far[D] = {1e200, 1e200};
    check_fails(volt_live_learn(learner, 0, s.Y), VOLT_ERR_ARGUMENT, "first");
    check_fails(volt_live_predict(learner, volt_view_of(s.X, 1, D - 1), 0, volt_matrix_of(y, 1, Q), NULL),
                VOLT_ERR_SHAPE, "inputs 1 columns model 2");
    check_fails(volt_live_predict(learner, volt_view_of(s.X, 2, D), 0, volt_matrix_of(y, 1, Q), NULL),
                VOLT_ERR_SHAPE, "predictions 1 2");
    for (int64_t t = TRAIN; t < N; t++) {
        check_fails(volt_live_feed(learner, bad_x, y), VOLT_ERR_NOT_FINITE, "finite");
        check_fails(volt_live_feed(learner, far, y), VOLT_ERR_NOT_FINITE, "large");
        check_fails(volt_live_update(learner, bad_x, 0, s.Y, y), VOLT_ERR_NOT_FINITE, "input row");
        check_fails(volt_live_update(learner, s.X, 0, bad_y, y), VOLT_ERR_NOT_FINITE, "target 2");
        check_fails(volt_live_drop(learner, 7), VOLT_ERR_ARGUMENT, "7 rows dropped window 6");
        check_fails(volt_live_drop(learner, -1), VOLT_ERR_ARGUMENT, "-1 rows");
        assert_true(y[0] == 9 && y[1] == 9);
        check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, y));
        check_fails(volt_live_learn(learner, 0, s.Y), VOLT_ERR_ARGUMENT, "learned");
        check_ok(volt_live_update(plain, s.X + t * D, 0, s.Y + t * Q, expected));
        assert_memory_equal(y, expected, sizeof y);
        y[0] = y[1] = 9;
    }
    check_ok(volt_live_drop(learner, 6));
    check_fails(volt_live_drop(learner, 1), VOLT_ERR_ARGUMENT, "1 rows dropped window 0");
    check_ok(volt_live_update(learner, s.X, 0, s.Y, y)); /* an empty window forecasts 0 */
    assert_true(y[0] == 0 && y[1] == 0);
    assert_int_equal(info_of(learner).rows, 1);
    volt_live_free(learner);
    volt_live_free(plain);
    close_school(&s);
}

static void invalid_options_are_rejected(void **state)
{
    school s;
    open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 843, &s);
    volt_live *learner = NULL;
    volt_live_options options = *with_learning();
    static const double forgets[] = {0, -0.5, 1.01, NAN};
    for (int i = 0; i < 4; i++) {
        options.forget = forgets[i];
        check_fails(volt_live_create(s.model, &options, &learner), VOLT_ERR_ARGUMENT, "forget");
    }
    options = *with_learning();
    options.window = -3;
    check_fails(volt_live_create(s.model, &options, &learner), VOLT_ERR_ARGUMENT, "window -3");
    options = *with_learning();
    options.start = (volt_start)7;
    check_fails(volt_live_create(s.model, &options, &learner), VOLT_ERR_ARGUMENT, "start 7");
    options = *with_learning();
    options.beyond = (volt_beyond)7;
    check_fails(volt_live_create(s.model, &options, &learner), VOLT_ERR_ARGUMENT, "7");
    learner = new_learner(s.model, 0, 1);
    check_fails(volt_live_learn(learner, 1, s.Y), VOLT_ERR_ARGUMENT, "0 1");
    volt_live_free(learner);
    s.fit.ahead = 3;
    volt_model_free(s.model);
    s.model = fit_rows(&s, TRAIN, 0);
    learner = new_learner(s.model, 0, 1);
    check_fails(volt_live_learn(learner, 1, s.Y), VOLT_ERR_ARGUMENT, "2 1");
    volt_live_free(learner);
    learner = NULL;
    s.fit.ahead = 0;
    check_fails(volt_live_create(NULL, with_learning(), &learner), VOLT_ERR_ARGUMENT, "NULL");
    volt_model_free(s.model);
    s.fit.loss = "huber:delta=1";
    s.model = fit_rows(&s, TRAIN, 0);
    check_fails(volt_live_create(s.model, with_learning(), &learner), VOLT_ERR_ARGUMENT, "huber");
    s.fit.loss = NULL;
    volt_model_free(s.model);
    s.text = "gak:window=3,centre=yes";
    s.fit.intercept = 0;
    s.model = fit_rows(&s, TRAIN, 0);
    check_fails(volt_live_create(s.model, with_learning(), &learner), VOLT_ERR_ARGUMENT, "intercept");
    assert_null(learner);
    close_school(&s);
}

/* A window of one row, and a duplicate row with alpha below rounding. */
static void small_windows_and_singular_rows(void **state)
{
    school s;
    double y[Q];
    run_script("volterra:tau_coef=0.6,lambda_coef=0.8", 844, 1);
    open_school("rbf:gamma=0.5", 845, &s);
    volt_live *few = new_learner(s.model, 5, 1); /* it stores only the columns of its window */
    assert_int_equal(volt_moving_begin(few->moving), TRAIN - 5);
    assert_int_equal(volt_moving_next(few->moving), TRAIN);
    volt_live_free(few);
    volt_model_free(s.model);
    s.fit.alpha = 1e-17;
    s.fit.intercept = 0;
    s.model = fit_rows(&s, 1, 0);
    volt_live *learner = new_learner(s.model, 0, 1);
    check_fails(volt_live_update(learner, s.X, 0, s.Y, y), VOLT_ERR_SINGULAR, "learned");
    assert_int_equal(info_of(learner).rows, 1);
    assert_int_equal(info_of(learner).rows_fed, 1);
    check_ok(volt_live_update(learner, s.X + D, 0, s.Y + Q, y));
    assert_int_equal(info_of(learner).rows, 2);
    volt_live_free(learner);
    close_school(&s);
}

/* Constant targets and rows without a target have zero coefficients. The training rows are still in the
 * window: forecasts of later rows equal those of a fit on all of them. */
static void constant_targets_are_learned(void **state)
{
    for (int constant = 1; constant <= Q; constant++) /* number of outputs */
        for (int64_t window = 0; window <= 20; window += 20) {
            school s;
            double y[Q];
            open_school("volterra:tau_coef=0.6,lambda_coef=0.8", 846, &s);
            volt_model_free(s.model);
            for (int64_t t = 0; t < TRAIN; t++)
                memset(s.Y + t * Q, 0, (size_t)constant * sizeof(double));
            s.model = fit_rows(&s, TRAIN, 0);
            volt_live *learner = new_learner(s.model, window, 1);
            check_fresh(&s, learner, window > 0 ? TRAIN - window : 0, TRAIN);
            for (int64_t t = TRAIN; t < TRAIN + 5; t++) {
                check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, y));
                check_fresh(&s, learner, window > 0 ? t + 1 - window : 0, t + 1);
            }
            volt_live_free(learner);
            close_school(&s);
        }
}

/* Rows are dropped before the first push, and all of them while a row waits for its target. A kernel without
 * columns before the window must keep that of the waiting row. */
static void windows_can_be_emptied(void **state)
{
    static const char *const texts[] = {"rbf:gamma=0.5", "linear:window=2",
                                        "volterra:tau_coef=0.6,lambda_coef=0.8"};
    for (int i = 0; i < 3; i++) {
        school s;
        double y[Q];
        open_school(texts[i], 848, &s);
        volt_live *learner = new_learner(s.model, 0, 1);
        check_ok(volt_live_drop(learner, 5));
        check_fresh(&s, learner, 5, TRAIN);
        check_ok(volt_live_update(learner, s.X + TRAIN * D, 0, s.Y + TRAIN * Q, y));
        check_fresh(&s, learner, 5, TRAIN + 1);
        check_ok(volt_live_feed(learner, s.X + (TRAIN + 1) * D, y));
        check_ok(volt_live_drop(learner, TRAIN - 4));
        assert_int_equal(info_of(learner).rows, 0);
        check_ok(volt_live_learn(learner, 0, s.Y + (TRAIN + 1) * Q));
        for (int64_t t = TRAIN + 2; t < TRAIN + 6; t++) {
            check_fresh(&s, learner, TRAIN + 1, t);
            check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, y));
        }
        volt_live_free(learner);
        close_school(&s);
    }
}

/* Results are bitwise independent of the number of threads, after the learner is created. */
static void results_do_not_depend_on_threads(void **state)
{
    for (int i = 0; engine_kernels[i]; i++) {
        school s;
        double y[2][(N - TRAIN) * Q];
        open_school(engine_kernels[i], 847, &s);
        for (int threads = 1; threads < 3; threads++) {
            check_ok(volt_set_threads(1));
            volt_live *learner = new_learner(s.model, 12, 0.99);
            check_ok(volt_set_threads(threads == 1 ? 1 : 3));
            for (int64_t t = TRAIN; t < N; t++)
                check_ok(
                    volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, y[threads - 1] + (t - TRAIN) * Q));
            volt_live_free(learner);
        }
        check_ok(volt_set_threads(0));
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        close_school(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_learns),
        cmocka_unit_test(every_kernel_learns),
        cmocka_unit_test(prediction_precedes_learning),
        cmocka_unit_test(rows_without_targets_are_not_learned),
        cmocka_unit_test(scales_are_fixed_by_the_model),
        cmocka_unit_test(records_reset_state),
        cmocka_unit_test(feedback_models_learn),
        cmocka_unit_test(diverging_free_run_is_rejected),
        cmocka_unit_test(learner_of_chosen_model),
        cmocka_unit_test(bad_rows_change_nothing),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(small_windows_and_singular_rows),
        cmocka_unit_test(constant_targets_are_learned),
        cmocka_unit_test(windows_can_be_emptied),
        cmocka_unit_test(results_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
