/* tests/unit/model/test_refused_models.c: invalid arguments of fits, streams, learners and model queries: each
 * argument in turn, with its message, and unchanged outputs. */
#include "predict/interval/interval.h"
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"
#include "volterra/solve.h"

enum { N = 24, D = 2 };
static double X[N * D], Y[N];
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static const double nine_of_ten = 0.9;

static volt_view inputs(void)
{
    return volt_view_of(X, N, D);
}

static volt_view targets(void)
{
    return volt_view_of(Y, N, 1);
}

static int draw_system(void **state)
{
    volt_rng rng = test_rng(11);
    for (int i = 0; i < N * D; i++)
        X[i] = volt_rng_normal(&rng);
    for (int i = 0; i < N; i++)
        Y[i] = X[i * D] - 0.5 * (i ? X[(i - 1) * D + 1] : 0) + 0.1 * volt_rng_normal(&rng);
    return 0;
}

/* A model of the system, or the error of the fit. */
static volt_status fit_with(const char *text, const volt_fit_options *options, volt_model **model)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    volt_status status = volt_model_fit(kernel, inputs(), targets(), options, nowhere, model);
    volt_kernel_free(kernel);
    return status;
}

static volt_model *model_of(const char *text, const volt_fit_options *options)
{
    volt_model *model = NULL;
    check_ok(fit_with(text, options, &model));
    return model;
}

static volt_fit_options given_alpha(void)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    return options;
}

/* ---- fits ------------------------------------------------------------------------------------- */

#define refused(kernel, status, sentence, ...)                        \
    do {                                                              \
        volt_fit_options o = given_alpha();                           \
        volt_model *none = NULL;                                      \
        __VA_ARGS__;                                                  \
        check_fails(fit_with((kernel), &o, &none), status, sentence); \
        assert_null(none);                                            \
    } while (0)

static void options_of_a_fit(void **state)
{
    const int64_t anchors[] = {-2}, far[] = {D}, last[] = {INT64_MAX};
    refused("rbf", VOLT_ERR_ARGUMENT, "must be 0 to 1", o.passthrough_columns = -1);
    refused("rbf", VOLT_ERR_ARGUMENT, "must be 0 to 1", o.passthrough_columns = D);
    refused("rbf", VOLT_ERR_ARGUMENT, "anchors got -2", o.anchors = anchors);
    refused("rbf", VOLT_ERR_ARGUMENT, "anchors 0 to 1 got 2", o.anchors = far);
    refused("rbf", VOLT_ERR_ARGUMENT, "anchors got 9223372036854775807", o.anchors = last);
    refused("rbf", VOLT_ERR_ARGUMENT, "the season 1", o.season = 1);
    refused("rbf", VOLT_ERR_ARGUMENT, "the season 24", o.season = N);
    refused("rbf", VOLT_ERR_ARGUMENT, "ahead -1", o.ahead = -1);
    refused("rbf", VOLT_ERR_ARGUMENT, "ahead 1000001", o.ahead = 1000001);
    refused("rbf", VOLT_ERR_ARGUMENT, "solver \"\"", o.solver = "");
    refused("rbf", VOLT_ERR_ARGUMENT, "did you mean \"exact\"", o.solver = "exakt");
    refused("rbf", VOLT_ERR_ARGUMENT, "landmark choice -1", o.landmark_choice = (volt_landmarks)-1);
    refused("rbf", VOLT_ERR_ARGUMENT, "landmark choice 99", o.landmark_choice = (volt_landmarks)99);
    refused("rbf", VOLT_ERR_ARGUMENT, "does not support landmarks", o.landmarks = 5, o.solver = "exact");
    refused("rbf", VOLT_ERR_ARGUMENT, "1 to 24", o.landmarks = -2, o.solver = "nystrom");
    refused("rbf", VOLT_ERR_ARGUMENT, "1 to 24", o.landmarks = N + 1, o.solver = "nystrom");
    refused("rbf", VOLT_ERR_ARGUMENT, "at least 1, or 0", o.iterations = -1, o.solver = "pcg");
    refused("rbf", VOLT_ERR_ARGUMENT, "does not support iterations", o.iterations = 3);
    refused("rbf", VOLT_ERR_ARGUMENT, "does not support a checkpoint", o.checkpoint = "somewhere");
    refused("rbf", VOLT_ERR_ARGUMENT, "got -1", o.checkpoint_seconds = -1, o.solver = "pcg");
    refused("rbf", VOLT_ERR_ARGUMENT, "got inf", o.checkpoint_seconds = INFINITY, o.solver = "pcg");
    refused("rbf", VOLT_ERR_ARGUMENT, "tolerance", o.tolerance = 1, o.solver = "pcg");
    refused("rbf", VOLT_ERR_ARGUMENT, "tolerance -1", o.tolerance = -1);
    refused("rbf", VOLT_ERR_ARGUMENT, "alpha_start -1", o.alpha_start = -1);
    refused("rbf", VOLT_ERR_ARGUMENT, "volt_target 9", o.target = (volt_target)9);
    refused("rbf", VOLT_ERR_ARGUMENT, "volt_input 9", o.input = (volt_input)9);
    refused("rbf", VOLT_ERR_ARGUMENT, "does not support keeping the factor", o.keep_factor = 1,
            o.solver = "nystrom", o.landmarks = 5);
    refused("gak:centre=yes,window=2", VOLT_ERR_ARGUMENT, "centred kernel without an intercept",
            o.intercept = 0, o.landmarks = 5, o.solver = "nystrom");
    refused("gak:centre=yes,window=2", VOLT_ERR_ARGUMENT, "alpha is required", o.intercept = 0, o.alpha = 0);
}

/* A kernel of the rows that overflows is reported by every solver. */
static void kernels_too_large_for_a_double(void **state)
{
    static const struct {
        const char *solver, *loss;
    } cases[] = {{"exact", NULL}, {"nystrom", NULL}, {"pcg", NULL}, {"auto", "huber:delta=1"}};
    double far[N * D];
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    for (int i = 0; i < N * D; i++)
        far[i] = 1e120 * X[i];
    check_ok(volt_kernel_parse("poly:degree=3", &kernel));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int chooses = 0; chooses < 2; chooses++) {
            volt_fit_options options = volt_fit_options_default();
            options.scale = 0;
            options.alpha = chooses ? 0 : 0.1;
            options.solver = cases[c].solver;
            options.loss = cases[c].loss;
            options.landmarks = c == 1 || c == 2 ? 5 : 0;
            check_fails(volt_model_fit(kernel, volt_view_of(far, N, D), volt_view_of(X, N, D), &options,
                                       nowhere, &model),
                        VOLT_ERR_NOT_FINITE, "");
        }
    assert_null(model);
    volt_kernel_free(kernel);
}

static void options_of_a_loss(void **state)
{
    double weights[N];
    for (int i = 0; i < N; i++)
        weights[i] = 1;
    weights[3] = -1;
    refused("rbf", VOLT_ERR_ARGUMENT, "weight 4 -1", o.weights = weights);
    weights[3] = INFINITY;
    refused("rbf", VOLT_ERR_ARGUMENT, "weight 4 inf", o.weights = weights);
    refused("rbf", VOLT_ERR_ARGUMENT, "loss quantile:q=0.5 has no classes", o.loss = "quantile:q=0.5",
            o.n_classes = 2, o.classes = (const char *const[]){"a", "b"});
    refused("rbf", VOLT_ERR_ARGUMENT, "cannot be fed back", o.loss = "quantile:q=0.1/0.9",
            o.feedback_weight = 0.5);
    refused("rbf", VOLT_ERR_ARGUMENT, "cannot be fed back", o.loss = "poisson", o.feedback_weight = 0.5);
    refused("rbf", VOLT_ERR_ARGUMENT, "does not support losses", o.loss = "quantile:q=0.5",
            o.solver = "nystrom", o.landmarks = 5);
    refused("esn", VOLT_ERR_ARGUMENT, "does not support losses", o.loss = "quantile:q=0.5",
            o.solver = "features");
    refused("rbf", VOLT_ERR_ARGUMENT, "logistic", o.loss = "logistic", o.feedback = 1);
    refused("rbf", VOLT_ERR_ARGUMENT, "keep_factor", o.loss = "quantile:q=0.5", o.keep_factor = 1);
    refused("rbf", VOLT_ERR_ARGUMENT, "class row 1", o.loss = "logistic", o.n_classes = 2,
            o.classes = (const char *const[]){"a", "b"});
}

/* Classes are integers below the class count, and their number is limited. */
static void invalid_classes(void **state)
{
    volt_fit_options options = given_alpha();
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    double classes[N];
    check_ok(volt_kernel_parse("rbf", &kernel));
    options.loss = "multinomial";
    options.classes = (const char *const[]){"a", "b", "c"};
    options.n_classes = 3;
    static const double wrong[] = {-1, 3, 0.5, INFINITY};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        for (int i = 0; i < N; i++)
            classes[i] = i % 3;
        classes[7] = wrong[w];
        volt_status expected = isinf(wrong[w]) ? VOLT_ERR_NOT_FINITE : VOLT_ERR_ARGUMENT;
        check_fails(volt_model_fit(kernel, inputs(), volt_view_of(classes, N, 1), &options, nowhere, &model),
                    expected, "row 8");
    }
    options.n_classes = INT_MAX;
    check_fails(volt_model_fit(kernel, inputs(), volt_view_of(classes, N, 1), &options, nowhere, &model),
                VOLT_ERR_ARGUMENT, "maximum");
    check_fails(volt_model_fit(kernel, inputs(), volt_view_of(X, N / 2, 2), &options, nowhere, &model),
                VOLT_ERR_SHAPE, "target");
    assert_null(model);
    volt_kernel_free(kernel);
}

static void constant_inputs(void **state)
{
    volt_fit_options options = given_alpha();
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_prepared *prepared = NULL;
    const double tiny[] = {0, 5e-324, 0, 5e-324}, zero[] = {0, 0};
    check_ok(volt_kernel_parse("rbf", &kernel));
    check_fails(
        volt_model_fit(kernel, volt_view_of(zero, 1, 1), volt_view_of(Y, 1, 1), &options, nowhere, &model),
        VOLT_ERR_DATA, "row");
    check_fails(
        volt_model_fit(kernel, volt_view_of(tiny, 4, 1), volt_view_of(Y, 4, 1), &options, nowhere, &model),
        VOLT_ERR_NOT_FINITE, "range small");
    options.scale = 0;
    check_fails(
        volt_model_fit(kernel, volt_view_of(zero, 1, 1), volt_view_of(Y, 1, 1), &options, nowhere, &model),
        VOLT_ERR_DATA, "row inputs zero");
    const volt_view many = {X, (int64_t)INT_MAX + 1, 1, 1};
    check_fails(volt_model_fit(kernel, many, many, &options, nowhere, &model), VOLT_ERR_SHAPE, "BLAS");
    assert_null(model);
    check_fails(volt_prepare(inputs(), targets(), NULL, N, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_prepare(inputs(), targets(), NULL, 0, &prepared), VOLT_ERR_ARGUMENT, "learn_rows 0");
    check_fails(volt_prepare(inputs(), targets(), NULL, N + 1, &prepared), VOLT_ERR_ARGUMENT, "24");
    assert_null(prepared);
    volt_kernel_free(kernel);
}

/* ---- model queries ---------------------------------------------------------------------------- */

static void queries_into_null(void **state)
{
    volt_fit_options options = given_alpha();
    volt_model *model = model_of("fir + rbf", &options);
    double out[4 * N] = {-7};
    check_fails(volt_model_impulse(NULL, 2, volt_matrix_of(out, 2, D)), VOLT_ERR_ARGUMENT, "model NULL");
    check_fails(volt_model_impulse(model, 0, volt_matrix_of(out, 2, D)), VOLT_ERR_ARGUMENT, "at 1");
    check_fails(volt_model_impulse(model, 2, volt_matrix_of(NULL, 2, D)), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_model_impulse(model, 2, volt_matrix_of(out, 2, 1)), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_model_impulse(model, 2, (volt_matrix){out, 2, D, 1}), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_model_impulse(model, 2, volt_matrix_of(out, 3, D)), VOLT_ERR_SHAPE, "x 3 2");

    check_fails(volt_model_interval(NULL, &nine_of_ten, 1, volt_matrix_of(out, 1, 1)), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_model_interval(model, NULL, 1, volt_matrix_of(out, 1, 1)), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_interval(model, &nine_of_ten, 0, volt_matrix_of(out, 1, 1)), VOLT_ERR_ARGUMENT,
                "empty");
    check_fails(volt_model_interval(model, &nine_of_ten, 1, volt_matrix_of(NULL, 1, 1)), VOLT_ERR_SHAPE, "x 1");
    check_fails(volt_model_interval(model, &nine_of_ten, 1, volt_matrix_of(out, 2, 1)), VOLT_ERR_SHAPE,
                "x 2 1");
    check_fails(volt_model_interval(model, &nine_of_ten, 1, volt_matrix_of(out, 1, 2)), VOLT_ERR_SHAPE,
                "x 1 2");
    check_fails(volt_model_interval(model, &nine_of_ten, 1, (volt_matrix){out, 1, 1, 0}), VOLT_ERR_SHAPE,
                "leading 0");

    volt_live *live = NULL;
    check_fails(volt_live_create(NULL, NULL, &live), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_create(model, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_predict(NULL, inputs(), 1, volt_matrix_of(out, N, 1), NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    volt_live_options live_options = volt_live_options_default();
    live_options.beyond = (volt_beyond)9;
    check_fails(volt_live_create(model, &live_options, &live), VOLT_ERR_ARGUMENT, "volt_beyond 9");
    assert_null(live);
    volt_predict_options predict = volt_predict_options_default();
    predict.beyond = (volt_beyond)9;
    check_fails(volt_model_predict(model, inputs(), &predict, volt_matrix_of(out, N, 1), NULL),
                VOLT_ERR_ARGUMENT, "volt_beyond 9");
    volt_model_info info = {.struct_size = sizeof info};
    check_fails(volt_model_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "model NULL");
    check_fails(volt_model_get_info(model, NULL), VOLT_ERR_ARGUMENT, "volt_model_info NULL");
    assert_int_equal(volt_model_errors_read(NULL, nowhere), 0);

    volt_explanation *explanation = NULL;
    volt_explain_options asked = volt_explain_options_default();
    const volt_view row = volt_view_of(X, 1, D);
    check_fails(volt_model_explain(NULL, NULL, &explanation), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_orders(NULL, row, NULL, volt_matrix_of(out, 1, 4)), VOLT_ERR_ARGUMENT, "model NULL");
    asked.order = 2;
    check_fails(volt_model_orders(model, row, &asked, volt_matrix_of(NULL, 1, 4)), VOLT_ERR_SHAPE, "x 1 4");
    check_fails(volt_model_orders(model, row, &asked, volt_matrix_of(out, 2, 4)), VOLT_ERR_SHAPE, "x 2 4");
    check_fails(volt_model_orders(model, row, &asked, volt_matrix_of(out, 1, 5)), VOLT_ERR_SHAPE, "x 1 5");
    check_fails(volt_model_orders(model, row, &asked, (volt_matrix){out, 1, 4, 3}), VOLT_ERR_SHAPE,
                "leading 3");
    asked.about = VOLT_ABOUT_POINT;
    check_fails(volt_model_explain(model, &asked, &explanation), VOLT_ERR_ARGUMENT, "point");
    asked.order = 0;
    check_fails(volt_model_explain(model, &asked, &explanation), VOLT_ERR_ARGUMENT, "order 0");
    assert_null(explanation);
    assert_true(out[0] == -7);
    volt_model_free(model);
}

static void invalid_histories(void **state)
{
    volt_fit_options options = given_alpha();
    volt_model *model = model_of("volterra", &options);
    double out[2 * (N + 1)] = {-7};
    const volt_view row = volt_view_of(X, 1, D), rows = volt_view_of(X, 3, D),
                    narrow = volt_view_of(X, 1, D - 1);
    const volt_matrix place = volt_matrix_of(out, 4, 2);
    const volt_progress silent = {0};
    check_fails(volt_model_forgetting(NULL, row, row, rows, silent, place), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_forgetting(model, narrow, row, rows, silent, place), VOLT_ERR_SHAPE, "first");
    check_fails(volt_model_forgetting(model, row, narrow, rows, silent, place), VOLT_ERR_SHAPE, "second");
    check_fails(volt_model_forgetting(model, row, row, narrow, silent, place), VOLT_ERR_SHAPE, "common");
    check_fails(volt_model_forgetting(model, row, row, rows, silent, volt_matrix_of(NULL, 4, 2)),
                VOLT_ERR_SHAPE, "x 4 2");
    check_fails(volt_model_forgetting(model, row, row, rows, silent, volt_matrix_of(out, 3, 2)), VOLT_ERR_SHAPE,
                "x 3 2");
    check_fails(volt_model_forgetting(model, row, row, rows, silent, volt_matrix_of(out, 4, 1)), VOLT_ERR_SHAPE,
                "x 4 1");
    check_fails(volt_model_forgetting(model, row, row, rows, silent, (volt_matrix){out, 4, 2, 1}),
                VOLT_ERR_SHAPE, "x 4 2");
    volt_model_free(model);
    options.feedback_weight = 0.5;
    model = model_of("volterra", &options);
    check_fails(volt_model_forgetting(model, row, row, rows, silent, place), VOLT_ERR_ARGUMENT, "feedback");
    volt_model_free(model);
    options = given_alpha();
    options.initial = VOLT_INITIAL_FIRST;
    model = model_of("volterra", &options);
    check_fails(volt_model_orders(model, row, NULL, volt_matrix_of(out, 1, 4)), VOLT_ERR_ARGUMENT, "initial");
    assert_true(out[0] == -7);
    volt_model_free(model);
}

/* Models with feedback, with another loss and on landmarks do not support every query. */
static void unsupported_queries(void **state)
{
    volt_fit_options options = given_alpha();
    double out[N * 4], half;
    volt_interval *interval = NULL;
    volt_live *learner = NULL;
    options.feedback_weight = 0.5;
    volt_model *fed_outputs = model_of("fading", &options);
    volt_explain_options asked = volt_explain_options_default();
    asked.order = 2;
    check_fails(volt_model_orders(fed_outputs, inputs(), &asked, volt_matrix_of(out, N, 4)), VOLT_ERR_ARGUMENT,
                "");
    volt_predict_options predict = volt_predict_options_default();
    predict.known = targets();
    predict.known.cols = 2;
    check_fails(volt_model_predict(fed_outputs, inputs(), &predict, volt_matrix_of(out, N, 1), NULL),
                VOLT_ERR_SHAPE, "x 24 2");
    predict.known = (volt_view){Y, N, 1, 0};
    check_fails(volt_model_predict(fed_outputs, inputs(), &predict, volt_matrix_of(out, N, 1), NULL),
                VOLT_ERR_SHAPE, "x 24 1");
    volt_model_free(fed_outputs);

    options = given_alpha();
    options.loss = "quantile:q=0.5";
    volt_model *lossy = model_of("rbf", &options);
    check_fails(volt_model_interval(lossy, &nine_of_ten, 1, volt_matrix_of(&half, 1, 1)), VOLT_ERR_ARGUMENT,
                "quantile");
    check_fails(volt_interval_create(lossy, &nine_of_ten, 1, &interval), VOLT_ERR_ARGUMENT, "loss");
    check_fails(volt_live_create(lossy, with_learning(), &learner), VOLT_ERR_ARGUMENT, "squares");
    volt_model_free(lossy);

    options = given_alpha();
    options.solver = "nystrom";
    options.landmarks = 6;
    volt_model *landmarks = model_of("rbf", &options);
    check_fails(volt_live_create(landmarks, with_learning(), &learner), VOLT_ERR_ARGUMENT, "6 landmarks");
    volt_model_free(landmarks);

    options = given_alpha();
    options.intercept = 0;
    volt_model *centred = model_of("gak:centre=yes,window=2", &options);
    check_fails(volt_live_create(centred, with_learning(), &learner), VOLT_ERR_ARGUMENT, "intercept");
    volt_model_free(centred);
    assert_true(!interval && !learner);
}

/* ---- streams, intervals, learners --------------------------------------------------------------- */

static void invalid_stream_rows(void **state)
{
    volt_fit_options options = given_alpha();
    volt_model *model = model_of("rbf", &options);
    volt_live *stream = NULL;
    double y = -7, half = -7;
    check_ok(volt_live_create(model, NULL, &stream));
    check_fails(volt_live_feed(NULL, X, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_feed(stream, NULL, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_feed(stream, X, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(NULL, 0, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(stream, 0, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_track(NULL, &nine_of_ten, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_ok(volt_live_track(stream, &nine_of_ten, 1));
    check_fails(volt_live_interval(NULL, &half), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_interval(stream, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(NULL, 0, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(stream, 0, NULL), VOLT_ERR_ARGUMENT, "NULL");
    volt_live *loaded = NULL;
    check_fails(volt_live_load(NULL, NULL, "moment", &loaded), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_load(model, NULL, NULL, &loaded), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_load(model, NULL, "moment", NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(!loaded && y == -7 && half == -7);

    /* A rejected row leaves the stream unchanged. */
    double expected;
    check_ok(volt_live_feed(stream, X, &y));
    volt_live *fresh = NULL;
    check_ok(volt_live_create(model, NULL, &fresh));
    check_ok(volt_live_feed(fresh, X, &expected));
    assert_true(y == expected);
    volt_live_free(fresh);
    volt_live_free(stream);

    volt_interval *interval = NULL;
    check_fails(volt_interval_create(NULL, &nine_of_ten, 1, &interval), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_interval_create(model, NULL, 1, &interval), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_interval_create(model, &nine_of_ten, 1, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_interval_create(model, &nine_of_ten, 0, &interval), VOLT_ERR_ARGUMENT, "empty");
    check_ok(volt_interval_create(model, &nine_of_ten, 1, &interval));
    double before, after;
    volt_interval_half_widths(interval, &before);
    const double row = 1, lost = NAN, endless = INFINITY, largest = DBL_MAX, smallest = -DBL_MAX;
    check_fails(volt_interval_learn(NULL, &row, &row), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_interval_learn(interval, NULL, &row), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_interval_learn(interval, &row, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_interval_learn(interval, &lost, &row), VOLT_ERR_NOT_FINITE, "finite");
    check_fails(volt_interval_learn(interval, &row, &endless), VOLT_ERR_NOT_FINITE, "finite");
    check_fails(volt_interval_learn(interval, &largest, &smallest), VOLT_ERR_NOT_FINITE, "finite");
    check_ok(volt_interval_learn(interval, &row, &lost)); /* no value is known: no update */
    volt_interval_half_widths(interval, &after);
    assert_true(before == after);
    volt_interval_free(interval);
    volt_model_free(model);
}

static void invalid_learner_rows(void **state)
{
    volt_fit_options options = given_alpha();
    volt_model *model = model_of("rbf", &options);
    volt_live *learner = NULL, *loaded = NULL;
    double y = -7, A[N], c = -7, out[2] = {-7, -7};
    check_ok(volt_live_create(model, with_learning(), &learner));
    check_fails(volt_live_feed(NULL, X, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_feed(learner, NULL, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_feed(learner, X, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(NULL, 0, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_learn(learner, 0, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_update(NULL, X, 0, Y, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_update(learner, NULL, 0, Y, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_update(learner, X, 0, NULL, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_update(NULL, X, 1, Y, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_update(learner, NULL, 1, Y, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_update(learner, X, 1, NULL, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_drop(NULL, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_restart(NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_track(NULL, &nine_of_ten, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_track(learner, NULL, 1), VOLT_ERR_ARGUMENT, "NULL");
    check_ok(volt_live_track(learner, &nine_of_ten, 1));
    check_fails(volt_live_interval(NULL, &y), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_interval(learner, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_save(NULL, "moment"), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_save(learner, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_load(NULL, NULL, "moment", &loaded), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_load(model, NULL, NULL, &loaded), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_load(model, NULL, "moment", NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_coefficients(NULL, volt_matrix_of(A, N, 1), &c, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_coefficients(learner, volt_matrix_of(A, N, 1), NULL, NULL), VOLT_ERR_ARGUMENT,
                "NULL");
    check_fails(volt_live_coefficients(learner, volt_matrix_of(A, N - 1, 1), &c, NULL), VOLT_ERR_SHAPE,
                "x 23 1");
    check_fails(volt_live_coefficients(learner, volt_matrix_of(A, N, 2), &c, NULL), VOLT_ERR_SHAPE, "x 24 2");
    check_fails(volt_live_coefficients(learner, (volt_matrix){A, N, 1, 0}, &c, NULL), VOLT_ERR_SHAPE, "x 24 1");
    check_fails(volt_live_coefficients(learner, volt_matrix_of(NULL, N, 1), &c, NULL), VOLT_ERR_SHAPE,
                "x 24 1");
    const volt_view row = volt_view_of(X, 1, D), wide = volt_view_of(X, 1, D + 1);
    check_fails(volt_live_predict(NULL, row, 0, volt_matrix_of(out, 1, 1), NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_live_predict(learner, wide, 0, volt_matrix_of(out, 1, 1), NULL), VOLT_ERR_SHAPE,
                "3 columns");
    check_fails(volt_live_predict(learner, row, 0, volt_matrix_of(NULL, 1, 1), NULL), VOLT_ERR_SHAPE, "x 1");
    check_fails(volt_live_predict(learner, row, 0, volt_matrix_of(out, 2, 1), NULL), VOLT_ERR_SHAPE, "x 2 1");
    check_fails(volt_live_predict(learner, row, 0, volt_matrix_of(out, 1, 2), NULL), VOLT_ERR_SHAPE, "x 1 2");
    check_fails(volt_live_predict(learner, row, 0, (volt_matrix){out, 1, 1, 0}, NULL), VOLT_ERR_SHAPE,
                "leading 0");
    assert_true(!loaded && y == -7 && c == -7 && out[0] == -7 && out[1] == -7);

    /* The learner is unchanged: the next prediction equals the model's. */
    int64_t beyond = -7;
    double expected;
    const double next[D] = {0.1, -0.2};
    check_ok(volt_model_predict(model, volt_view_of(next, 1, D), NULL, volt_matrix_of(&expected, 1, 1), NULL));
    check_ok(volt_live_predict(learner, volt_view_of(next, 1, D), 0, volt_matrix_of(&y, 1, 1), &beyond));
    assert_int_equal(beyond, 0);
    /* The same system, solved again: n eps times the condition number, which is below n / alpha. */
    assert_true(fabs(y - expected) <= 1000 * N * DBL_EPSILON * N / 0.1);
    volt_live_free(learner);
    volt_model_free(model);
}

/* Calls into matrices of another shape, each dimension in turn, and without an object. */
static void outputs_of_another_shape(void **state)
{
    enum { AFTER = 10, ROWS = AFTER + 1 };
    double numbers[3 * N];
    volt_view half = volt_view_of(X, 6, D), rest = volt_view_of(X, AFTER, D);
    const volt_progress silent = {0};
    volt_kernel *kernel = NULL;
    volt_kernel_facts facts;
    volt_fit_options options = given_alpha();
    volt_model *model = model_of("rbf", &options);
    options.feedback_weight = 0.5;
    volt_model *fed = model_of("rbf", &options);
    check_ok(volt_kernel_parse("rbf", &kernel));
    const volt_matrix wrong[] = {{NULL, ROWS, 2, 2},
                                 {numbers, ROWS - 1, 2, 2},
                                 {numbers, ROWS, 1, 2},
                                 {numbers, ROWS, 3, 3},
                                 {numbers, ROWS, 2, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_fails(volt_model_forgetting(model, half, half, rest, silent, wrong[i]), VOLT_ERR_SHAPE, "11 x 2");
    volt_matrix right = volt_matrix_of(numbers, ROWS, 2);
    check_ok(volt_model_forgetting(model, half, half, rest, silent, right));
    check_fails(volt_model_forgetting(NULL, half, half, rest, silent, right), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_forgetting(fed, half, half, rest, silent, right), VOLT_ERR_ARGUMENT, "feedback");
    const volt_matrix spectra[] = {{NULL, 2, 2, 2},    {numbers, 0, 2, 2}, {numbers, AFTER + 1, 2, 2},
                                   {numbers, 2, 1, 2}, {numbers, 2, 3, 3}, {numbers, 2, 2, 1}};
    for (size_t i = 0; i < sizeof spectra / sizeof *spectra; i++)
        check_fails(volt_gram_spectrum(kernel, rest, NULL, spectra[i]), VOLT_ERR_SHAPE, "1 to 10");
    check_ok(volt_gram_spectrum(kernel, rest, NULL, volt_matrix_of(numbers, AFTER, 2)));
    check_fails(volt_gram_spectrum(NULL, rest, NULL, volt_matrix_of(numbers, 2, 2)), VOLT_ERR_ARGUMENT, "NULL");
    facts.struct_size = sizeof facts;
    check_fails(volt_kernel_query(kernel, 1, 0, 0.1, &facts), VOLT_ERR_ARGUMENT, "0");
    check_fails(volt_kernel_query(NULL, 1, 1, 0.1, &facts), VOLT_ERR_ARGUMENT, "NULL");
    static const struct {
        const char *solver, *terms;
    } solvers[] = {
        {"exact:steps=3", "exact:steps=3 auto"}, {"exat", "exat exact"}, {"nothing", "nothing auto"}};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        refused("rbf", VOLT_ERR_ARGUMENT, solvers[i].terms, o.solver = solvers[i].solver);
    char text[257];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    refused("rbf", VOLT_ERR_ARGUMENT, "solver auto", o.solver = text);
    refused("rbf", VOLT_ERR_ARGUMENT, "tolerance 1", o.solver = "pcg"; o.tolerance = 1);
    volt_kernel_free(kernel);
    volt_model_free(model);
    volt_model_free(fed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_a_fit),
        cmocka_unit_test(options_of_a_loss),
        cmocka_unit_test(kernels_too_large_for_a_double),
        cmocka_unit_test(invalid_classes),
        cmocka_unit_test(constant_inputs),
        cmocka_unit_test(queries_into_null),
        cmocka_unit_test(unsupported_queries),
        cmocka_unit_test(invalid_stream_rows),
        cmocka_unit_test(invalid_learner_rows),
        cmocka_unit_test(outputs_of_another_shape),
        cmocka_unit_test(invalid_histories),
    };
    return cmocka_run_group_tests(tests, draw_system, NULL);
}
