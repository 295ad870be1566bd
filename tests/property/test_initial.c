/* tests/property/test_initial.c: the inputs before the first row of a record.
 *
 * A record with an initial input is compared with the same record after many explicit rows of that input, which have
 * no targets. With n fitted rows, entries K of at most k and a regularisation a, the two sides differ by rounding
 * and by the memory left after PREFIX rows: in K by at most delta = (c eps / (1 - eta) + eta^PREFIX) k, so in the
 * coefficients by n delta |A| / a with |A| <= |y| / a, and in a prediction by n k times that. */
#include "support/check.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra.h"

enum { D = 2, N = 24, SECOND = 10, NEW = 12, PREFIX = 400 };

/* Contraction rates of at most 0.9. */
static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.9",
    "volterra:lift=even,tau_coef=0.6,lambda_coef=0.9",
    "volterra:lift=exponential,tau_coef=0.6,lambda_coef=0.9",
    "volterra:lift=poly:3,tau_coef=0.6,lambda_coef=0.9",
    "volterra:lift=rbf,gamma=0.5,lambda_coef=0.9",
    "fading:gamma=0.3,rho=0.9",
    "memory:gamma=0.3,rho=0.8,mu=0.9",
    "fir:mu=0.8,corr=0.7",
    "recurrent:input=0.8,radius=0.9,bias=0.3,leak=0.6",
    "recurrent:activation=relu,radius=0.8,bias=0.3",
    "recurrent:radius=0.6,bias=0.5,pole=0.5 + 0.5 * fir:mu=0.5",
    "volterra:lift=rbf,gamma=0.5,lambda_coef=0.8,pole=0.7",
    "memory:gamma=0.3,rho=0.5,mu=0.8,pole=-0.4,pair=0.8,angle=0.3 + 0.5 * fir:mu=0.5,corr=0.4",
    "volterra:tau_coef=0.5,lambda_coef=0.8 * fading:gamma=0.2,rho=0.5",
    "linear",
    "rbf:gamma=0.3,window=5",
    "poly:degree=2,gamma=0.5,coef0=1,window=40",
    "cauchy:gamma=0.2,window=4",
    "gak:sigma=1,window=4",
    "sig:level=3,window=5",
    "sig:level=2,window=4,augment=time",
    "sigpde:static=rbf,sigma=1,window=5",
    "sigpde:window=3,dyadic=2",
    "esn:size=12,radius=0.8,input=0.7,bias=0.2,leak=0.5,seed=3",
    "esn:size=6,activation=identity,radius=0.7,bias=0.2,seed=3 + rbf:gamma=0.3",
    "sas:size=6,norm=0.8,seed=5",
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* Two records and a new one, and the same with rows before them. */
typedef struct problem {
    double X[(N + SECOND) * D], Y[N + SECOND], fresh[NEW * D];
    double *long_X, *long_Y, *long_fresh;
    int64_t records[2], long_records[2];
} problem;

/* `rows` rows of `from` after PREFIX rows of `past` (NULL: its first row). */
static void lengthen(const double *from, int64_t rows, const double *past, double *to)
{
    for (int64_t i = 0; i < PREFIX; i++)
        memcpy(to + i * D, past ? past : from, D * sizeof *to);
    memcpy(to + (int64_t)PREFIX * D, from, (size_t)(rows * D) * sizeof *to);
}

static problem make(const double *past)
{
    volt_rng rng = test_rng(20);
    problem made = {.records = {N, SECOND}, .long_records = {PREFIX + N, PREFIX + SECOND}};
    double *rows = random_rows(&rng, N + SECOND + NEW, D, 1);
    memcpy(made.X, rows, sizeof made.X);
    memcpy(made.fresh, rows + (int64_t)(N + SECOND) * D, sizeof made.fresh);
    for (int i = 0; i < N + SECOND; i++)
        made.Y[i] = made.X[i * D] + (i > 0 ? made.X[(i - 1) * D + 1] : 0) + 0.1 * volt_rng_normal(&rng);
    made.long_X = new_matrix(2 * PREFIX + N + SECOND, D);
    made.long_Y = new_matrix(2 * PREFIX + N + SECOND, 1);
    made.long_fresh = new_matrix(PREFIX + NEW, D);
    lengthen(made.X, N, past, made.long_X);
    lengthen(made.X + N * D, SECOND, past, made.long_X + (int64_t)(PREFIX + N) * D);
    lengthen(made.fresh, NEW, past, made.long_fresh);
    for (int i = 0; i < 2 * PREFIX + N + SECOND; i++)
        made.long_Y[i] = NAN;
    memcpy(made.long_Y + PREFIX, made.Y, N * sizeof(double));
    memcpy(made.long_Y + 2 * PREFIX + N, made.Y + N, SECOND * sizeof(double));
    free(rows);
    return made;
}

static void release(problem *made)
{
    free(made->long_X);
    free(made->long_Y);
    free(made->long_fresh);
}

static volt_kernel *parse(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static volt_fit_options plain_options(void)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1;
    options.scale = 0; /* the scale must not depend on the rows before */
    return options;
}

static volt_model *fit(const char *text, const double *X, const double *Y, int64_t n, volt_fit_options options)
{
    volt_kernel *kernel = parse(text);
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, n, D), volt_view_of(Y, n, 1), &options, (volt_matrix){0},
                            &model));
    volt_kernel_free(kernel);
    return model;
}

static double *predict(const volt_model *model, const double *X, int64_t n)
{
    double *out = new_matrix(n, 1);
    volt_predict_options options = volt_predict_options_default();
    options.start = VOLT_START_RESET;
    check_ok(volt_model_predict(model, volt_view_of(X, n, D), &options, volt_matrix_of(out, n, 1), NULL));
    return out;
}

/* The bound at the top of this file. */
static double tolerance_of(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_get_info(model, &info));
    double n = N + SECOND, k = fmax(info.facts->largest, 1), eta = fmin(info.facts->contraction, 0.9);
    if (!isfinite(k) || k > 1e3)
        k = 1e3; /* sig: entries on these rows are below this */
    double delta = (64 * DBL_EPSILON / (1 - eta) + pow(eta, PREFIX)) * k;
    return n * n * k * delta * 3 / (info.alpha * info.alpha);
}

static void check_near(const char *text, const char *what, const double *got, const double *expected, int64_t n,
                       double tolerance)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - expected[i]) <= tolerance))
            fail_msg("%s, %s: row %" PRId64 " is %.17g, expected %.17g (tolerance %g)", text, what, i + 1,
                     got[i], expected[i], tolerance);
}

static void check_stream(const char *text, const volt_model *model, const double *X, const double *expected,
                         double tolerance)
{
    volt_live_options options = volt_live_options_default();
    volt_live *live = NULL;
    options.start = VOLT_START_RESET;
    check_ok(volt_live_create(model, &options, &live));
    check_ok(volt_live_save(live, scratch_path("live.safetensors"))); /* before the first row is known */
    volt_live_free(live);
    options = volt_live_options_default();
    check_ok(volt_live_load(model, &options, scratch_path("live.safetensors"), &live));
    double y[NEW];
    for (int i = 0; i < NEW; i++)
        check_ok(volt_live_feed(live, X + i * D, &y[i]));
    check_near(text, "stream", y, expected, NEW, tolerance);
    check_ok(volt_live_restart(live));
    for (int i = 0; i < NEW; i++)
        check_ok(volt_live_feed(live, X + i * D, &y[i]));
    check_near(text, "restarted stream", y, expected, NEW, tolerance);
    volt_live_free(live);
}

static void compare(const char *text, volt_initial initial, const double *past)
{
    problem p = make(past);
    volt_fit_options options = plain_options(), explicit_rows = plain_options();
    options.initial = initial;
    options.initial_values = past;
    options.records = p.records;
    options.n_records = 2;
    explicit_rows.records = p.long_records;
    explicit_rows.n_records = 2;
    explicit_rows.missing_targets = 1;
    volt_model *model = fit(text, p.X, p.Y, N + SECOND, options), *loaded = NULL;
    volt_model *expected = fit(text, p.long_X, p.long_Y, 2 * PREFIX + N + SECOND, explicit_rows);
    double tolerance = tolerance_of(model);
    double *got = predict(model, p.fresh, NEW), *wanted = predict(expected, p.long_fresh, PREFIX + NEW);
    check_near(text, "prediction", got, wanted + PREFIX, NEW, tolerance);
    check_ok(volt_model_save(model, scratch_path("model.safetensors"), (volt_progress){0}));
    check_ok(volt_model_load(scratch_path("model.safetensors"), &loaded));
    double *again = predict(loaded, p.fresh, NEW);
    check_near(text, "loaded", again, got, NEW, 0);
    check_stream(text, loaded, p.fresh, got, tolerance);
    free(got);
    free(wanted);
    free(again);
    volt_model_free(model);
    volt_model_free(loaded);
    volt_model_free(expected);
    release(&p);
}

static void rows_before_the_first(void **state)
{
    static const double past[D] = {0.5, -0.6};
    for (int k = 0; k < KERNELS; k += UNDER_SANITIZERS ? 2 : 1) {
        compare(kernels[k], VOLT_INITIAL_FIRST, NULL);
        compare(kernels[k], VOLT_INITIAL_VALUES, past);
    }
}

/* The mean is the values of the mean, and zero is the values of zero. */
static void mean_and_zero_are_values(void **state)
{
    problem p = make(NULL);
    double mean[D] = {0}, zero[D] = {0};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            mean[k] += p.X[i * D + k] / N;
    const struct {
        volt_initial one, other;
        const double *values;
    } cases[] = {{VOLT_INITIAL_MEAN, VOLT_INITIAL_VALUES, mean},
                 {VOLT_INITIAL_ZERO, VOLT_INITIAL_VALUES, zero}};
    for (int k = 0; k < KERNELS; k++)
        for (int c = 0; c < 2; c++) {
            volt_fit_options options = plain_options();
            options.initial = cases[c].one;
            volt_model *one = fit(kernels[k], p.X, p.Y, N, options);
            options.initial = cases[c].other;
            options.initial_values = cases[c].values;
            volt_model *other = fit(kernels[k], p.X, p.Y, N, options);
            double *first = predict(one, p.fresh, NEW), *second = predict(other, p.fresh, NEW);
            check_near(kernels[k], c ? "zero" : "mean", first, second, NEW, tolerance_of(one));
            free(first);
            free(second);
            volt_model_free(one);
            volt_model_free(other);
        }
    release(&p);
}

/* Changes of the inputs before the first row are zero for the first row, and count from given values. */
static void changes_count_from_the_initial_input(void **state)
{
    static const double past[D] = {0.5, -0.6};
    problem p = make(past);
    for (int given = 0; given < 2; given++) {
        volt_fit_options options = plain_options();
        options.input = VOLT_INPUT_BOTH;
        options.initial = given ? VOLT_INITIAL_VALUES : VOLT_INITIAL_FIRST;
        options.initial_values = past;
        volt_model *model = fit(kernels[0], p.X, p.Y, N, options);
        options.initial = VOLT_INITIAL_ZERO;
        options.missing_targets = 1;
        double *long_X = new_matrix(PREFIX + N, D), *long_new = new_matrix(PREFIX + NEW, D);
        lengthen(p.X, N, given ? past : NULL, long_X);
        lengthen(p.fresh, NEW, given ? past : NULL, long_new);
        volt_model *expected = fit(kernels[0], long_X, p.long_Y, PREFIX + N, options);
        double *got = predict(model, p.fresh, NEW), *wanted = predict(expected, long_new, PREFIX + NEW);
        check_near(kernels[0], "changes", got, wanted + PREFIX, NEW, tolerance_of(model));
        free(got);
        free(wanted);
        free(long_X);
        free(long_new);
        volt_model_free(model);
        volt_model_free(expected);
    }
    release(&p);
}

/* Learning the second record after a restart gives the model of both. */
static void learning_a_second_record(void **state)
{
    static const char *const learners[] = {"volterra:tau_coef=0.6,lambda_coef=0.9",
                                           "memory:gamma=0.3,rho=0.8,mu=0.9",
                                           "rbf:gamma=0.3,window=5",
                                           "fir:mu=0.8,corr=0.7 + 0.5 * fading:gamma=0.3,rho=0.5,pole=0.6",
                                           "recurrent:radius=0.8,leak=0.5",
                                           "esn:size=12,radius=0.8,seed=3"};
    static const double past[D] = {0.5, -0.6};
    problem p = make(past);
    for (size_t k = 0; k < sizeof learners / sizeof *learners; k++)
        for (int given = 0; given < 2; given++) {
            volt_fit_options options = plain_options();
            options.initial = given ? VOLT_INITIAL_VALUES : VOLT_INITIAL_FIRST;
            options.initial_values = past;
            volt_model *first = fit(learners[k], p.X, p.Y, N, options), *both = NULL;
            options.records = p.records;
            options.n_records = 2;
            volt_model *expected = fit(learners[k], p.X, p.Y, N + SECOND, options);
            volt_live_options learning = volt_live_options_default();
            volt_live *live = NULL;
            learning.learn = 1;
            check_ok(volt_live_create(first, &learning, &live));
            check_ok(volt_live_restart(live));
            for (int i = N; i < N + SECOND; i++)
                check_ok(volt_live_update(live, p.X + i * D, 0, p.Y + i, NULL));
            check_ok(volt_live_model(live, 0, (volt_progress){0}, &both));
            double *got = predict(both, p.fresh, NEW), *wanted = predict(expected, p.fresh, NEW);
            check_near(learners[k], "learned", got, wanted, NEW, tolerance_of(expected));
            free(got);
            free(wanted);
            volt_live_free(live);
            volt_model_free(first);
            volt_model_free(both);
            volt_model_free(expected);
        }
    release(&p);
}

/* A learner with a window has dropped rows before a restart. A saved one continues equally, and restarts equally. */
static void window_of_a_learner_is_saved(void **state)
{
    problem p = make(NULL);
    for (int k = 0; k < KERNELS; k += 4) {
        volt_fit_options options = plain_options();
        volt_live_options learning = volt_live_options_default();
        volt_live *live = NULL, *loaded = NULL;
        options.initial = VOLT_INITIAL_FIRST;
        learning.learn = 1;
        learning.window = N / 2;
        volt_model *model = fit(kernels[k], p.X, p.Y, N, options);
        check_ok(volt_live_create(model, &learning, &live));
        for (int i = N; i < N + SECOND; i++) {
            if (i == N + SECOND / 2)
                check_ok(volt_live_restart(live));
            check_ok(volt_live_update(live, p.X + i * D, 0, p.Y + i, NULL));
        }
        check_ok(volt_live_save(live, scratch_path("learner.safetensors")));
        check_ok(volt_live_load(model, &learning, scratch_path("learner.safetensors"), &loaded));
        for (int i = 0; i < NEW; i++) {
            double one = 0, other = 0;
            if (i == NEW / 2) {
                check_ok(volt_live_restart(live));
                check_ok(volt_live_restart(loaded));
            }
            check_ok(volt_live_feed(live, p.fresh + i * D, &one));
            check_ok(volt_live_feed(loaded, p.fresh + i * D, &other));
            check_near(kernels[k], "loaded learner", &other, &one, 1, tolerance_of(model));
        }
        volt_live_free(loaded);
        volt_live_free(live);
        volt_model_free(model);
    }
    release(&p);
}

/* Folds from one factorisation, against one fit for each. */
static void folds_start_from_the_initial_input(void **state)
{
    problem p = make(NULL);
    for (int k = 0; k < KERNELS; k++) {
        volt_search_options options = volt_search_options_default();
        volt_candidates *candidates = NULL;
        volt_search *search = NULL;
        options.initial = VOLT_INITIAL_FIRST;
        options.scale = 0;
        options.score = VOLT_SCORE_MSE;
        options.splits.folds = 2;
        options.race = VOLT_RACE_NONE;
        check_ok(volt_candidates_list(&kernels[k], &(double){1}, NULL, 1, &candidates));
        check_ok(
            volt_search_run(candidates, volt_view_of(p.X, N, D), volt_view_of(p.Y, N, 1), &options, &search));
        const volt_trial *trial = volt_search_trial(search, VOLT_TRIAL_BEST);
        if (!trial || trial->n_folds != 2)
            fail_msg("%s: no score", kernels[k]);
        for (int f = 0; f < 2; f++) {
            int64_t train = N / 3 * (f + 1), block = N / 3;
            volt_fit_options fits = plain_options();
            fits.initial = VOLT_INITIAL_FIRST;
            volt_model *model = fit(kernels[k], p.X, p.Y, train, fits);
            double y[N], mse = 0;
            check_ok(volt_model_predict(model, volt_view_of(p.X + train * D, block, D), NULL,
                                        volt_matrix_of(y, block, 1), NULL));
            for (int i = 0; i < block; i++)
                mse += pow(y[i] - p.Y[train + i], 2) / (double)block;
            /* Kernels that depend on the ball or on the largest value of all rows differ from a fit of fewer. */
            bool depends =
                strstr(kernels[k], "coef=") || strstr(kernels[k], "sas") || strstr(kernels[k], "sig:");
            if (!depends && !(fabs(mse - trial->folds[f]) <= tolerance_of(model)))
                fail_msg("%s: fold %d has %.17g, expected %.17g", kernels[k], f + 1, trial->folds[f], mse);
            volt_model_free(model);
        }
        volt_search_free(search);
        volt_candidates_free(candidates);
    }
    release(&p);
}

/* A linear reservoir that forgets 3 % in a step is at rest after 1200 steps from its start, within 1e-13 / 0.03 of the
 * state. The tolerance leaves a factor of 10^4 for the weights of the output. */
static void slow_reservoir_starts_at_rest(void **state)
{
    problem p = make(NULL);
    volt_fit_options options = plain_options();
    options.initial = VOLT_INITIAL_FIRST;
    volt_model *model = fit("esn:size=4,activation=identity,radius=0.97,seed=3", p.X, p.Y, N, options);
    double constant[NEW * D];
    for (int i = 0; i < NEW * D; i++)
        constant[i] = p.fresh[i % D];
    double *out = predict(model, constant, NEW);
    for (int i = 1; i < NEW; i++)
        if (!(fabs(out[i] - out[0]) <= 3e-8 * (1 + fabs(out[0]))))
            fail_msg("row %d is %.17g, the first %.17g", i, out[i], out[0]);
    free(out);
    volt_model_free(model);
    release(&p);
}

/* Fed-back outputs: the first known one; without any the stationary output, which a constant input keeps. */
static void feedback_starts_stationary(void **state)
{
    enum { ROWS = 200 };
    volt_rng rng = test_rng(21);
    double x[ROWS], y[ROWS] = {0}, constant[40], out[40];
    for (int i = 0; i < ROWS; i++) {
        x[i] = (i / 10 * 7 % 5) / 2.0 + 0.01 * volt_rng_normal(&rng);
        y[i] = 0.6 * (i > 0 ? y[i - 1] : x[0] / 0.4) + x[i];
    }
    volt_kernel *kernel = parse("memory:gamma=0.1,rho=0.3,mu=0.3");
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-6;
    options.feedback_weight = 1;
    options.initial = VOLT_INITIAL_FIRST;
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, 1), &options,
                            (volt_matrix){0}, &model));
    for (int i = 0; i < 40; i++)
        constant[i] = 1.5;
    volt_predict_options reset = volt_predict_options_default();
    volt_predict_report report = {.struct_size = sizeof report};
    reset.start = VOLT_START_RESET;
    reset.report = &report;
    check_ok(
        volt_model_predict(model, volt_view_of(constant, 40, 1), &reset, volt_matrix_of(out, 40, 1), NULL));
    assert_int_equal(report.n_warnings, 1);
    assert_int_equal(report.warnings[0].code, VOLT_WARNING_NO_FIRST_OUTPUT);
    /* The run stops within 1e-9 of the range of y; the error left is at most that over 1 - 0.6. */
    double range = 2.2 / 0.4, bound = 1e-9 * range / 0.4;
    for (int i = 0; i < 40; i++)
        if (!(fabs(out[i] - out[0]) <= 4 * bound))
            fail_msg("row %d is %.17g, the first %.17g", i, out[i], out[0]);
    /* The system itself is at 1.5 / 0.4 there; the model has learned it to a few per cent. */
    if (!(fabs(out[0] - 1.5 / 0.4) < 0.05 * range))
        fail_msg("the stationary output is %g, of the system %g", out[0], 1.5 / 0.4);

    double known[40];
    for (int i = 0; i < 40; i++)
        known[i] = i == 0 ? 3 : NAN;
    reset.known = volt_view_of(known, 40, 1);
    reset.warm_up = 1;
    check_ok(
        volt_model_predict(model, volt_view_of(constant, 40, 1), &reset, volt_matrix_of(out, 40, 1), NULL));
    assert_int_equal(report.n_warnings, 0);
    /* 0.6 * 3 + 1.5 in the system, with the first output as the one before it */
    if (!(fabs(out[0] - 3.3) < 0.05 * range))
        fail_msg("the first row is %g, of the system 3.3", out[0]);
    options.initial = VOLT_INITIAL_MEAN;
    volt_model *none = NULL;
    check_fails(volt_model_fit(kernel, volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, 1), &options,
                               (volt_matrix){0}, &none),
                VOLT_ERR_ARGUMENT, "feedback mean");
    volt_model_free(model);
    volt_kernel_free(kernel);
}

static void refusals(void **state)
{
    problem p = make(NULL);
    static const double bad[D] = {0, INFINITY}, far[D] = {3, 0};
    const struct {
        const char *kernel;
        int initial;
        const double *values;
        volt_status status;
        const char *terms;
    } cases[] = {
        {"fading", 4, NULL, VOLT_ERR_ARGUMENT, "initial 4"},
        {"fading", -1, NULL, VOLT_ERR_ARGUMENT, "initial -1"},
        {"fading", VOLT_INITIAL_VALUES, NULL, VOLT_ERR_ARGUMENT, "initial 2"},
        {"fading", VOLT_INITIAL_VALUES, bad, VOLT_ERR_NOT_FINITE, "initial 2 inf"},
        {"recurrent:activation=sign", VOLT_INITIAL_FIRST, NULL, VOLT_ERR_ARGUMENT, "initial recurrent"},
        {"volterra:tau_coef=0.9,lambda_coef=0.9", VOLT_INITIAL_VALUES, far, VOLT_ERR_ARGUMENT, "initial 3"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = parse(cases[c].kernel);
        volt_fit_options options = plain_options();
        volt_model *model = NULL;
        options.initial = (volt_initial)cases[c].initial;
        options.initial_values = cases[c].values;
        check_fails(volt_model_fit(kernel, volt_view_of(p.X, N, D), volt_view_of(p.Y, N, 1), &options,
                                   (volt_matrix){0}, &model),
                    cases[c].status, cases[c].terms);
        assert_null(model);
        volt_kernel_free(kernel);
    }
    volt_fit_options options = plain_options();
    options.initial = VOLT_INITIAL_FIRST;
    volt_model *model = fit("fir", p.X, p.Y, N, options);
    volt_explanation *explanation = NULL;
    double g[D];
    check_fails(volt_model_explain(model, NULL, &explanation), VOLT_ERR_ARGUMENT, "initial first");
    check_fails(volt_model_impulse(model, 1, volt_matrix_of(g, 1, D)), VOLT_ERR_ARGUMENT, "initial first");
    volt_model_free(model);
    release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_before_the_first),
        cmocka_unit_test(mean_and_zero_are_values),
        cmocka_unit_test(changes_count_from_the_initial_input),
        cmocka_unit_test(learning_a_second_record),
        cmocka_unit_test(folds_start_from_the_initial_input),
        cmocka_unit_test(window_of_a_learner_is_saved),
        cmocka_unit_test(slow_reservoir_starts_at_rest),
        cmocka_unit_test(feedback_starts_stationary),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("initial", tests, NULL, NULL);
}
