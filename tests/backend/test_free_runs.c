/* tests/backend/test_free_runs.c: free runs on every back end that implements them, compared with streams on
 * the CPU: all kernel forms, filters, records, recipes, warm-ups, inputs outside the training range, and
 * runs that stop early.
 *
 * The model is fitted once, on the CPU. Results differ only by the rounding of each row, whose effect fades
 * in a stable system. */
#include "support/check.h"
#include "support/far_backend.h"
#include "support/fed_system.h"
#include "support/sequences.h"
#include "volterra.h"

/* Entries of about 1 are right to a few eps, times coefficients whose sizes add up to 1e4 or less (alpha is
 * 1e-3, n is 60): 1e-11, of which a row keeps less than all. The largest difference seen is 3e-12; a wrong
 * index makes 1e-2. */
static const double tolerance = 1e-8;

/* Every kind of step, alone and with others; windows shorter and longer than the sequences; filters. */
static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.8",
    "volterra:lift=even,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=exponential,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=poly:4,tau_coef=0.7,lambda_coef=0.8",
    "volterra:lift=rbf,gamma=0.7,lambda_coef=0.9",
    "fir:mu=0.8",
    "fading:gamma=0.4,rho=0.7",
    "memory:gamma=1,rho=0.5,mu=0.8",
    "linear",
    "rbf:gamma=0.5",
    "poly:degree=3,gamma=0.4",
    "sigmoid:gamma=0.3",
    "cauchy:gamma=0.6",
    "linear:window=4",
    "rbf:gamma=0.1,window=7",
    "cauchy:gamma=0.1,window=200",
    "fir:mu=0.9,corr=0.5",
    "volterra:pole=0.5,pair=0.4,angle=0.3",
    "2*fir:mu=0.7 + memory:gamma=1,rho=0.5,mu=0.8,pole=0.6",
    ("linear:window=3*rbf:gamma=0.5 + 0.5*volterra:tau_coef=0.6,lambda_coef=0.8 + "
     "3*fading*cauchy:window=5,gamma=0.2"),
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static void assert_near(const char *what, const double *found, const double *expected, int64_t count)
{
    double worst = 0, size = 1;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(expected[i]));
    for (int64_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs(found[i] - expected[i]) / size);
        if (!(fabs(found[i] - expected[i]) <= tolerance * size))
            fail_msg("%s, number %lld: %.17g and not %.17g", what, (long long)i, found[i], expected[i]);
    }
    if (getenv("VOLT_SHOW_ERRORS"))
        printf("# %s: off by %.1e\n", what, worst);
}

static bool runs_by_itself(const volt_backend *backend)
{
    return backend->run != NULL;
}

/* ---- forecasts -------------------------------------------------------------------------------- */

/* The message up to its first number that is not a count: equal runs end with equal messages. */
static void take_sentence(char *sentence, size_t size)
{
    snprintf(sentence, size, "%s", volt_error_detail());
    char *number = strstr(sentence, " is ");
    if (number)
        *number = 0;
}

static bool is_bounded(const volt_predict_report *report)
{
    bool found = false;
    for (int64_t i = 0; i < report->n_warnings; i++)
        found = found || report->warnings[i].code == VOLT_WARNING_RUN_BOUNDED;
    return found;
}

/* Compare the predictions of all rows of X on this back end, or the error message, with those of the CPU.
 * `theirs`: number of rows computed by the back end, -1: any positive number. A run that diverges is handed
 * back to the CPU. */
static void compare_forecasts(const volt_backend *backend, const char *what, const volt_model *model,
                              volt_view X, const volt_predict_options *options, int64_t theirs)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    int64_t q = info.q, beyond = 0, beyond_here = 0, before = far_backends_rows_run();
    double *found = new_matrix(X.rows, q), *expected = new_matrix(X.rows, q);
    char sentence[512] = "", sentence_here[512] = "";
    volt_predict_report report = {.struct_size = sizeof report}, report_here = report;
    volt_predict_options own = *options;
    own.report = &report;
    volt_status status = volt_model_predict(model, X, &own, volt_matrix_of(found, X.rows, q), &beyond);
    if (status != VOLT_OK)
        take_sentence(sentence, sizeof sentence);
    int64_t made = far_backends_rows_run() - before;
    if (strncmp(backend->name, "far", 3) == 0)
        assert_true(status != VOLT_OK || theirs < 0 || is_bounded(&report) ? made > 0 : made == theirs);
    check_ok(volt_backend_use(volt_cpu_backend.name));
    own.report = &report_here;
    volt_status here = volt_model_predict(model, X, &own, volt_matrix_of(expected, X.rows, q), &beyond_here);
    if (here != VOLT_OK)
        take_sentence(sentence_here, sizeof sentence_here);
    check_ok(volt_backend_use(backend->name));
    assert_true(status == here);
    assert_string_equal(sentence, sentence_here);
    if (status == VOLT_OK) {
        assert_near(what, found, expected, X.rows * q);
        assert_true(beyond == beyond_here);
        assert_int_equal(report.n_warnings, report_here.n_warnings);
        for (int64_t i = 0; i < report.n_warnings; i++)
            assert_true(report.warnings[i].code == report_here.warnings[i].code &&
                        report.warnings[i].row == report_here.warnings[i].row);
    }
    free(found);
    free(expected);
}

static void kernels_on(const volt_backend *backend)
{
    if (!runs_by_itself(backend))
        return;
    fed_system rows = fed_system_make(8101);
    static const int64_t records[] = {7, 1, 12, 10};
    for (int i = 0; i < KERNELS; i++) {
        volt_fit_options options = fed_options(0.5);
        if (strncmp(kernels[i], "sigmoid", 7) == 0)
            options.alpha = 10; /* it is not positive semidefinite */
        check_ok(volt_backend_use(volt_cpu_backend.name));
        volt_model *model = fed_fit(kernels[i], &rows, &options, volt_matrix_of(NULL, 0, 0));
        check_ok(volt_backend_use(backend->name));
        volt_predict_options free_run = volt_predict_options_default();
        volt_view X = fed_inputs(&rows, FED_N, FED_H);
        compare_forecasts(backend, kernels[i], model, X, &free_run, FED_H);
        free_run.start = VOLT_START_RESET; /* more rows than there are columns: diagonals come round */
        compare_forecasts(backend, kernels[i], model, fed_inputs(&rows, 0, FED_ALL), &free_run, FED_ALL);
        free_run.records = records;
        free_run.n_records = 4;
        free_run.known = fed_targets(&rows, FED_N, FED_H);
        compare_forecasts(backend, kernels[i], model, X, &free_run, FED_H); /* one step ahead */
        free_run.warm_up = 1;
        compare_forecasts(backend, kernels[i], model, X, &free_run, FED_H);
        volt_model_free(model);
    }
    fed_system_free(&rows);
}

static void kernels_equal_cpu(void **state)
{
    for_each_backend(kernels_on);
}

/* ---- what models may have --------------------------------------------------------------------- */

typedef struct model_case {
    const char *name, *kernel;
    volt_input input;
    bool records, no_scale, no_intercept, scale_each;
    int64_t landmarks;
} model_case;

static const model_case models[] = {
    {"as they are", "volterra:lambda_coef=0.8", .input = VOLT_INPUT_LEVEL},
    {"changes", "volterra:lambda_coef=0.8", .input = VOLT_INPUT_CHANGE},
    {"both, filtered", "volterra:lambda_coef=0.8,pole=0.4", .input = VOLT_INPUT_BOTH},
    {"records", "fir:mu=0.8 + rbf:gamma=0.5,window=3", .records = true, .input = VOLT_INPUT_LEVEL},
    {"landmarks", "volterra:lambda_coef=0.6", .landmarks = 24, .input = VOLT_INPUT_LEVEL},
    {"scaled each", "volterra:lambda_coef=0.8", .scale_each = true, .input = VOLT_INPUT_LEVEL},
    {"not scaled", "rbf:gamma=0.2", .no_scale = true, .no_intercept = true, .input = VOLT_INPUT_LEVEL},
};
enum { MODELS = sizeof models / sizeof models[0] };

static volt_model *fit_case(const model_case *one, const fed_system *rows, double weight)
{
    static const int64_t lengths[] = {25, 5, 30};
    volt_fit_options options = fed_options(weight);
    options.input = one->input;
    options.target = VOLT_TARGET_LEVEL;
    options.scale = !one->no_scale;
    options.intercept = !one->no_intercept;
    options.scale_each = one->scale_each;
    if (one->records) {
        options.records = lengths;
        options.n_records = 3;
    }
    if (one->landmarks) {
        options.solver = "nystrom";
        options.landmarks = one->landmarks;
    }
    return fed_fit(one->kernel, rows, &options, volt_matrix_of(NULL, 0, 0));
}

/* Rows as they were in training, and some that are far outside. */
static void models_on(const volt_backend *backend)
{
    if (!runs_by_itself(backend))
        return;
    fed_system rows = fed_system_make(8102);
    double *wide = new_matrix(FED_H, FED_D);
    for (int64_t i = 0; i < FED_H * FED_D; i++)
        wide[i] = (i % 7 == 3 ? 3 : 1) * rows.x[FED_N * FED_D + i];
    for (int i = 0; i < MODELS; i++) {
        check_ok(volt_backend_use(volt_cpu_backend.name));
        volt_model *model = fit_case(&models[i], &rows, 0.5);
        check_ok(volt_backend_use(backend->name));
        volt_predict_options options = volt_predict_options_default();
        compare_forecasts(backend, models[i].name, model, fed_inputs(&rows, FED_N, FED_H), &options, FED_H);
        compare_forecasts(backend, models[i].name, model, volt_view_of(wide, FED_H, FED_D), &options, FED_H);
        options.start = VOLT_START_RESET;
        compare_forecasts(backend, models[i].name, model, volt_view_of(wide, FED_H, FED_D), &options, FED_H);
        volt_model_free(model);
    }
    free(wide);
    fed_system_free(&rows);
}

static void models_equal_cpu(void **state)
{
    for_each_backend(models_on);
}

/* ---- rows that are decided here --------------------------------------------------------------- */

/* Inputs outside the ball or the range are checked on the CPU: the run continues after them, or ends with
 * the same message. */
static void policies_on(const volt_backend *backend)
{
    if (!runs_by_itself(backend))
        return;
    fed_system rows = fed_system_make(8103);
    static const volt_beyond policies[] = {VOLT_BEYOND_ALLOW, VOLT_BEYOND_ERROR};
    for (int i = 0; i < MODELS; i++)
        for (int p = 0; p < 2; p++) {
            check_ok(volt_backend_use(volt_cpu_backend.name));
            volt_model *model = fit_case(&models[i], &rows, 0.5);
            check_ok(volt_backend_use(backend->name));
            volt_predict_options options = volt_predict_options_default();
            options.beyond = policies[p];
            for (int64_t at = 9; at < 27;
                 at += 8) /* one after the other: each ends an errand of the back end */
                rows.x[(FED_N + at) * FED_D] *= 1.1;
            compare_forecasts(backend, models[i].name, model, fed_inputs(&rows, FED_N, FED_H), &options, -1);
            options.known =
                fed_targets(&rows, FED_N, FED_H); /* known before the row that is asked about, too */
            compare_forecasts(backend, models[i].name, model, fed_inputs(&rows, FED_N, FED_H), &options, -1);
            volt_model_free(model);
        }
    fed_system_free(&rows);
}

static void extrapolation_policies_are_applied(void **state)
{
    for_each_backend(policies_on);
}

/* A system that grows: both bound the same rows. */
static void divergence_on(const volt_backend *backend)
{
    if (!runs_by_itself(backend))
        return;
    fed_system rows = fed_system_make(8104);
    double y[FED_Q] = {0};
    for (int64_t t = 0; t < FED_N; t++) {
        y[0] = 1.2 * y[0] + rows.x[t * FED_D];
        rows.y[t * FED_Q] = y[0];
        rows.y[t * FED_Q + 1] = 0.5 * y[0];
    }
    volt_fit_options fit = fed_options(1);
    fit.input = VOLT_INPUT_LEVEL;
    fit.scale = 0;
    check_ok(volt_backend_use(volt_cpu_backend.name));
    volt_model *model = fed_fit("linear", &rows, &fit, volt_matrix_of(NULL, 0, 0));
    check_ok(volt_backend_use(backend->name));
    volt_predict_options options = volt_predict_options_default();
    double out[FED_H * FED_Q];
    volt_predict_report report = {.struct_size = sizeof report};
    options.report = &report;
    check_ok(volt_model_predict(model, fed_inputs(&rows, FED_N, FED_H), &options,
                                volt_matrix_of(out, FED_H, FED_Q), NULL));
    assert_int_equal(report.n_warnings, 1);
    assert_int_equal(report.warnings[0].code, VOLT_WARNING_RUN_BOUNDED);
    compare_forecasts(backend, "one that grows", model, fed_inputs(&rows, FED_N, FED_H), &options, FED_H);
    options.known = fed_targets(&rows, FED_N, FED_H); /* known outputs are fed back: bounded */
    compare_forecasts(backend, "one that is held", model, fed_inputs(&rows, FED_N, FED_H), &options, FED_H);
    volt_model_free(model);
    fed_system_free(&rows);
}

static void divergence_is_bounded(void **state)
{
    for_each_backend(divergence_on);
}

/* ---- long runs, many outputs ------------------------------------------------------------------ */

enum { LONG = 16384 + 300, MANY = 11, FEW = 9 };

static int cancel_late(const char *stage, double fraction, void *context)
{
    (void)stage;
    return fraction > *(const double *)context;
}

static void long_runs_on(const volt_backend *backend)
{
    if (!runs_by_itself(backend))
        return;
    volt_rng rng = test_rng(8105);
    double *x = normal_rows(&rng, LONG, 1), *y = new_matrix(FEW, MANY), *out = new_matrix(LONG, MANY),
           half = 0.5;
    for (int64_t t = 0; t < FEW; t++)
        for (int64_t k = 0; k < MANY; k++)
            y[t * MANY + k] = x[t] * (double)(k + 1) / MANY + (t > 0 ? 0.3 * y[(t - 1) * MANY + k] : 0);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = fed_options(0.2);
    options.input = VOLT_INPUT_LEVEL;
    check_ok(volt_backend_use(volt_cpu_backend.name));
    check_ok(volt_kernel_parse("volterra:lambda_coef=0.5,pole=0.2", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, FEW, 1), volt_view_of(y, FEW, MANY), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_backend_use(backend->name));
    volt_predict_options run = volt_predict_options_default();
    compare_forecasts(backend, "a long run", model, volt_view_of(x, LONG, 1), &run, LONG);
    run.progress = (volt_progress){cancel_late, &half};
    check_fails(
        volt_model_predict(model, volt_view_of(x, LONG, 1), &run, volt_matrix_of(out, LONG, MANY), NULL),
        VOLT_ERR_CANCELLED, "");
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(x);
    free(y);
    free(out);
}

static void long_runs_continue_across_blocks(void **state)
{
    for_each_backend(long_runs_on);
}

/* ---- closed loops ----------------------------------------------------------------------------- */

/* A series whose input is its value one row before. */
static volt_model *fit_series(const double *series, int64_t n, volt_input input, volt_target target,
                              int64_t season)
{
    static const int64_t anchors[] = {0, 1};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-3;
    options.ahead = 1;
    options.feedback = 1;
    options.anchors = anchors;
    options.input = input;
    options.target = target;
    options.season = season;
    check_ok(volt_kernel_parse("volterra:lambda_coef=0.6,tau_coef=0.5 + fir:mu=0.3,pole=0.2", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(series, n, 2), volt_view_of(series + 2, n, 2), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_kernel_free(kernel);
    return model;
}

/* The last case is longer than a block of rows: the lags of the next block are outputs of the previous one. */
static void continues_on(const volt_backend *backend)
{
    enum { N = 80 };
    if (!runs_by_itself(backend))
        return;
    static const struct {
        volt_input input;
        volt_target target;
        int64_t season, n, steps;
    } cases[] = {{VOLT_INPUT_LEVEL, VOLT_TARGET_LEVEL, 0, N, 95},
                 {VOLT_INPUT_BOTH, VOLT_TARGET_LEVEL, 0, N, 95},
                 {VOLT_INPUT_CHANGE, VOLT_TARGET_CHANGE, 0, N, 95},
                 {VOLT_INPUT_BOTH, VOLT_TARGET_CHANGE, 8, N, 95},
                 {VOLT_INPUT_BOTH, VOLT_TARGET_LEVEL, 8, 24, LONG}};
    double series[(N + 1) * 2];
    volt_rng rng = test_rng(8106);
    for (int t = 0; t <= N; t++) {
        series[2 * t] = sin(0.785398163397448 * t) + 0.05 * volt_rng_normal(&rng);
        series[2 * t + 1] = 5 + 0.5 * series[2 * t] * series[2 * t] + 0.02 * volt_rng_normal(&rng);
    }
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        int64_t beyond = 0, beyond_here = 0, before = far_backends_rows_run(), steps = cases[c].steps;
        double *found = new_matrix(steps, 2), *expected = new_matrix(steps, 2);
        check_ok(volt_backend_use(volt_cpu_backend.name));
        volt_model *model = fit_series(series, cases[c].n, cases[c].input, cases[c].target, cases[c].season);
        check_ok(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(expected, steps, 2),
                                     &beyond_here));
        check_ok(volt_backend_use(backend->name));
        check_ok(volt_model_continue(model, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(found, steps, 2),
                                     &beyond));
        if (strncmp(backend->name, "far", 3) == 0)
            assert_true(far_backends_rows_run() - before == steps - 1);
        assert_near("a closed loop", found, expected, steps * 2);
        assert_true(beyond == beyond_here);
        volt_model_free(model);
        free(found);
        free(expected);
    }
}

static void closed_loops_equal_cpu(void **state)
{
    for_each_backend(continues_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_equal_cpu),
        cmocka_unit_test(models_equal_cpu),
        cmocka_unit_test(extrapolation_policies_are_applied),
        cmocka_unit_test(divergence_is_bounded),
        cmocka_unit_test(long_runs_continue_across_blocks),
        cmocka_unit_test(closed_loops_equal_cpu),
    };
    far_backends_register();
    return cmocka_run_group_tests_name("free runs", tests, NULL, NULL);
}
