/* tests/unit/solve/test_pcg.c: conjugate gradient fits compared with exact fits. */
#include "base/progress.h"
#include "solve/exact/operator.h"
#include "solve/iterative/pcg.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/landmark_problem.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"

static const char memory_text[] = "memory:gamma=1,rho=0.5,mu=0.8";
static const double tight = 1e-11;

/* The same options with the exact solver. */
static volt_fit_options exact_options(const volt_fit_options *options)
{
    volt_fit_options exact = *options;
    exact.solver = "exact";
    exact.landmarks = 0;
    exact.landmark_choice = VOLT_LANDMARKS_SPREAD;
    exact.tolerance = 0;
    exact.iterations = 0;
    exact.checkpoint = NULL;
    return exact;
}

static volt_fit_options pcg_options(double tolerance)
{
    volt_fit_options options = plain_options();
    options.solver = "pcg";
    options.tolerance = tolerance;
    return options;
}

static double spread_of(const double *values, int64_t count)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, isfinite(values[i]) ? fabs(values[i]) : 0);
    return largest;
}

/* With a residual r = tolerance |y| the error of the function in the norm of K is |(K + alpha I)^{-1} r|, at
 * most |r| / (2 sqrt(alpha)). The error of a prediction is that times sqrt(K(z, z)); the intercept adds as
 * much. The error of the exact fit is n eps times its condition number. The tolerance is ten times the
 * total. */
static double allowed_of(double largest_entry, double alpha, double tolerance, double spread, double rcond)
{
    double residual = tolerance * sqrt((double)N) * spread;
    return 10 * (sqrt(largest_entry / alpha) + 1) * residual + 64 * N * DBL_EPSILON / rcond * (1 + spread);
}

static double largest_entry_of(const char *text, const problem *p)
{
    double *K = full_gram(text, volt_view_of(p->X, ALL, D)), largest = spread_of(K, (int64_t)ALL * ALL);
    free(K);
    return largest;
}

/* ---- compared with the exact fit -------------------------------------------------------------- */

typedef struct setting {
    int64_t m, washout;
    volt_landmarks choice;
    bool intercept, holes;
    int64_t records[4], n_records;
    double feedback_weight;
} setting;

static void check_exact(const char *text, const setting *s, const problem *given, double tolerance)
{
    volt_fit_options options = pcg_options(tolerance);
    problem *p = malloc(sizeof *p);
    double fitted[2][N * Q], later[2][H * Q];
    assert_non_null(p);
    *p = *given;
    options.landmarks = s->m;
    options.landmark_choice = s->choice;
    options.washout = s->washout;
    options.intercept = s->intercept;
    options.records = s->n_records > 0 ? s->records : NULL;
    options.n_records = s->n_records;
    options.missing_targets = s->holes;
    options.feedback_weight = s->feedback_weight;
    for (int64_t i = 3; s->holes && i < N; i += 9)
        p->Y[i * Q] = NAN;
    volt_fit_options exact = exact_options(&options);
    volt_model *a = fit_text(text, p, &options, fitted[0]), *b = fit_text(text, p, &exact, fitted[1]);
    predict_rest(a, p, later[0]);
    predict_rest(b, p, later[1]);
    volt_model_info info = {.struct_size = sizeof info}, of_exact = {.struct_size = sizeof of_exact};
    volt_model_get_info(a, &info);
    volt_model_get_info(b, &of_exact);
    double gap = fmax(largest_gap(fitted[0], fitted[1], N * Q), largest_gap(later[0], later[1], H * Q));
    double allowed_gap =
        allowed_of(largest_entry_of(text, p), options.alpha, tolerance, spread_of(p->Y, N * Q), of_exact.rcond);
    if (!(gap <= allowed_gap))
        fail_msg("%s, %" PRId64 " landmarks, washout %" PRId64 ", %" PRId64
                 " records: %g away from the exact fit, allowed %g",
                 text, s->m, s->washout, s->n_records, gap, allowed_gap);
    assert_string_equal(info.report->solver, "pcg");
    assert_string_equal(of_exact.report->solver, "exact");
    assert_true(info.report->residual <= tolerance && info.report->iterations > 0);
    assert_true(isnan(of_exact.report->residual));
    assert_int_equal(info.report->landmarks, s->m > 0 ? s->m : volt_pcg_landmarks(N - s->washout));
    assert_int_equal(info.landmarks, 0);
    assert_int_equal(info.kernel_rows, N);
    assert_true(info.rcond > 0 && info.rcond <= 1);
    volt_model_free(a);
    volt_model_free(b);
    free(p);
}

static void fits_equal_exact_solver(void **state)
{
    static const setting settings[] = {
        {.m = 36, .intercept = true},
        {.m = 33, .washout = 9, .intercept = true, .choice = VOLT_LANDMARKS_LAST},
        {.m = 12, .intercept = false, .choice = VOLT_LANDMARKS_RANDOM},
        {.m = 40, .intercept = true, .records = {20, 35, 25}, .n_records = 3},
        {.m = 0, .washout = 5, .intercept = true, .holes = true},
        {.m = 1, .intercept = true},
    };
    problem *p = make_problem(9400);
    int64_t threads = 1;
    for (int64_t k = 0; engine_kernels[k]; k++)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
            check_ok(volt_set_threads(threads));
            threads = threads < 4 ? 2 * threads : 1;
            check_exact(engine_kernels[k], &settings[s], p, tight);
        }
    check_ok(volt_set_threads(0));
    setting fed = {.m = 20, .intercept = true, .feedback_weight = 0.5}, all = {.m = N, .intercept = true};
    check_exact(memory_text, &fed, p, tight);
    check_exact(memory_text, &all, p, tight);
    check_exact("fir:mu=0.8,pole=0.4 + 0.5*memory:gamma=1,rho=0.5,mu=0.8,pair=0.5,angle=0.2", &settings[0], p,
                tight);
    free(p);
}

/* A smaller residual gives a smaller error, and the default tolerance is sufficient. */
static void tolerance_bounds_prediction_error(void **state)
{
    problem *p = make_problem(9410);
    volt_fit_options options = pcg_options(0), exact = exact_options(&options);
    double fitted[N * Q], later[2][H * Q];
    options.landmarks = 8;
    options.scale = exact.scale = 1;
    volt_model *model = fit_text(memory_text, p, &exact, fitted);
    predict_rest(model, p, later[1]);
    volt_model_free(model);
    double spread = 0, mean = 0;
    for (int64_t i = 0; i < H; i++)
        mean += later[1][i * Q] / H;
    for (int64_t i = 0; i < H; i++)
        spread += pow(later[1][i * Q] - mean, 2) / H;
    for (options.tolerance = 0;; options.tolerance = 1e-8) {
        model = fit_text(memory_text, p, &options, fitted);
        predict_rest(model, p, later[0]);
        volt_model_info info = {.struct_size = sizeof info};
        volt_model_get_info(model, &info);
        double tolerance = options.tolerance > 0 ? options.tolerance : 1e-4;
        assert_true(info.report->residual <= tolerance && info.report->residual > 0);
        assert_true(largest_gap(later[0], later[1], H * Q) <= 10 * tolerance * sqrt(spread));
        volt_model_free(model);
        if (options.tolerance > 0)
            break;
    }
    free(p);
}

/* ---- restart ---------------------------------------------------------------------------------- */

/* A state of three steps at 0.9 times the solution, with a recursive residual that has drifted to almost 0. */
static volt_status load_drifted(void *context, volt_pcg_state *at, bool *found)
{
    const double *targets = context, tiny = 1e-14, size = hypot(targets[0], targets[1]);
    *found = true;
    at->steps = 3;
    at->restarts = 0;
    for (int i = 0; i < 2; i++) {
        at->x[i] = 0.9 * (i + 1);
        at->r[i] = at->p[i] = tiny * targets[i];
    }
    for (int i = 0; i < VOLT_PCG_NUMBERS; i++)
        at->numbers[i] = 1;
    at->numbers[VOLT_PCG_RZ] = at->numbers[VOLT_PCG_RESIDUAL] = tiny;
    at->numbers[VOLT_PCG_SIZE] = size;
    at->numbers[VOLT_PCG_TRUE] = 2;
    return VOLT_OK;
}

/* (K + I) (1, 2)' = (5, 9)'. The true residual is 0.1: the iteration restarts from it and takes at most two steps. */
static void drifted_residual_restarts(void **state)
{
    const double K[] = {2, 1, 1, 3}, alpha = 1;
    double targets[] = {5, 9}, x[2], r[2], p[2], product[2], numbers[VOLT_PCG_NUMBERS];
    const bool constant = false;
    const int64_t group = 0;
    const volt_preconditioner none = {0};
    volt_operator *op = NULL;
    check_ok(volt_dense_operator(volt_view_of(K, 2, 2), &op));
    volt_pcg_problem system = {.kernel = op,
                               .backend = &volt_cpu_backend,
                               .columns = 1,
                               .alpha = &alpha,
                               .constant = &constant,
                               .targets = targets,
                               .pre = &none,
                               .group = &group};
    volt_iteration pcg = {.tolerance = 1e-12, .max_steps = 20, .load = load_drifted, .context = targets};
    volt_pcg_state at = {.rows = 2, .columns = 1, .x = x, .r = r, .p = p, .numbers = numbers};
    check_ok(volt_pcg_run(&system, &pcg, &at, volt_matrix_of(product, 2, 1)));
    assert_true(pcg.converged && pcg.residual <= 1e-12);
    assert_true(pcg.steps > 3 && pcg.steps <= 5);
    for (int i = 0; i < 2; i++) /* the residual is at most 1e-12 |y|, and the eigenvalues are above 2 */
        assert_true(fabs(x[i] - (i + 1)) <= 1e-11 && fabs(product[i] - (targets[i] - (i + 1))) <= 1e-10);
    volt_operator_free(op);
}

/* ---- selected alpha --------------------------------------------------------------------------- */

/* Alpha is selected with the landmarks, as in the Nystrom solver; then the exact fit with that alpha, one
 * for each output. */
static void alpha_is_chosen_by_the_landmarks(void **state)
{
    problem *p = make_problem(9420);
    volt_fit_options options = pcg_options(tight), nystrom = plain_options();
    double fitted[N * Q], later[2][H * Q];
    options.alpha = nystrom.alpha = 0;
    options.landmarks = nystrom.landmarks = 30;
    volt_model *model = fit_text(memory_text, p, &options, fitted);
    volt_model *by_landmarks = fit_text(memory_text, p, &nystrom, fitted);
    volt_model_info info = {.struct_size = sizeof info}, other = {.struct_size = sizeof other};
    volt_model_get_info(model, &info);
    volt_model_get_info(by_landmarks, &other);
    predict_rest(model, p, later[0]);
    assert_int_equal(info.report->rows, other.report->rows);
    for (int64_t k = 0; k < Q; k++) {
        assert_true(info.alphas[k] == other.alphas[k] && isfinite(info.alphas[k]));
        assert_true(info.report->mse[k] == other.report->mse[k]);
        volt_fit_options exact = exact_options(&options);
        exact.alpha = info.alphas[k];
        volt_model *alone = fit_text(memory_text, p, &exact, fitted);
        volt_model_info of_exact = {.struct_size = sizeof of_exact};
        volt_model_get_info(alone, &of_exact);
        predict_rest(alone, p, later[1]);
        double gap = 0;
        for (int64_t i = 0; i < H; i++)
            gap = fmax(gap, fabs(later[0][i * Q + k] - later[1][i * Q + k]));
        assert_true(gap <= allowed_of(largest_entry_of(memory_text, p), exact.alpha, tight,
                                      spread_of(p->Y, N * Q), of_exact.rcond));
        volt_model_free(alone);
    }
    volt_model_free(by_landmarks);
    volt_model_free(model);
    free(p);
}

/* Targets that are inputs: held-out rows select changes or levels, and a half readout or none. The selection
 * equals that of the Nystrom solver, and the readout uses all rows. */
static void check_changes(const char *text)
{
    enum { ROWS = 120 };
    double x[ROWS], fitted[2][ROWS - 1], again[2][ROWS - 1];
    volt_rng rng = test_rng(9430);
    int64_t anchor = 0;
    x[0] = 0;
    for (int64_t i = 1; i < ROWS; i++)
        x[i] = 0.3 * sin(0.2 * (double)i) + 0.5 * x[i - 1] + 0.02 * volt_rng_normal(&rng);
    volt_fit_options options = pcg_options(tight);
    options.alpha = 0;
    options.ahead = 1;
    options.anchors = &anchor;
    options.landmarks = ROWS - 1;
    volt_predict_options reset = volt_predict_options_default();
    reset.start = VOLT_START_RESET;
    volt_kernel *kernel = plain_parse(text);
    volt_view X = volt_view_of(x, ROWS - 1, 1), Y = volt_view_of(x + 1, ROWS - 1, 1);
    for (int i = 0; i < 2; i++) {
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        options.solver = i == 0 ? "pcg" : "nystrom";
        check_ok(volt_model_fit(kernel, X, Y, &options, volt_matrix_of(fitted[i], ROWS - 1, 1), &model));
        volt_model_get_info(model, &info);
        assert_true(info.anchors[0] == 0 && info.report->share[0] > 0);
        check_ok(volt_model_predict(model, X, &reset, volt_matrix_of(again[i], ROWS - 1, 1), NULL));
        assert_true(i == 1 || info.report->iterations <= 4); /* one output: a different product with B */
        volt_model_free(model);
    }
    /* All rows are landmarks: the Nystrom readout equals the exact readout, up to the jitter
     * (landmark_problem.h). */
    assert_true(largest_gap(fitted[0], fitted[1], ROWS - 1) <= allowed);
    assert_true(largest_gap(again[0], again[1], ROWS - 1) <= allowed);
    volt_kernel_free(kernel);
}

/* The entries of the second kernel share a constant, which a readout without an intercept omits. */
static void changes_are_learned(void **state)
{
    check_changes(memory_text);
    check_changes("volterra:tau_coef=0.3,lambda_coef=0.5");
}

/* ---- reported values -------------------------------------------------------------------------- */

static char heard[256];

static void listen(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING)
        snprintf(heard, sizeof heard, "%s", message);
}

static void unconverged_fit_is_reported(void **state)
{
    problem *p = make_problem(9440);
    volt_fit_options options = pcg_options(1e-9);
    double fitted[N * Q];
    volt_model_info info = {.struct_size = sizeof info};
    options.landmarks = 4;
    options.iterations = 3;
    heard[0] = '\0';
    volt_set_log(listen, NULL);
    volt_model *model = fit_text(memory_text, p, &options, fitted);
    volt_set_log(NULL, NULL);
    volt_model_get_info(model, &info);
    assert_int_equal(info.report->iterations, 3);
    assert_true(info.report->residual > 1e-9 && info.report->residual < 1);
    assert_non_null(strstr(heard, "3 steps"));
    volt_model_free(model);
    free(p);
}

/* With as many landmarks as rows one iteration is enough; constant targets need none. */
static void landmarks_reduce_iterations(void **state)
{
    problem *p = make_problem(9450);
    volt_fit_options options = pcg_options(1e-5);
    double fitted[N * Q];
    volt_model_info info = {.struct_size = sizeof info};
    int64_t steps[3] = {0};
    static const int64_t m[3] = {1, 40, N};
    for (int i = 0; i < 3; i++) {
        options.landmarks = m[i];
        volt_model *model = fit_text(memory_text, p, &options, fitted);
        volt_model_get_info(model, &info);
        steps[i] = info.report->iterations;
        volt_model_free(model);
    }
    assert_true(steps[0] > steps[1] && steps[1] > steps[2] && steps[2] <= 2);
    for (int64_t i = 0; i < N * Q; i++)
        p->Y[i] = 3;
    volt_model *model = fit_text(memory_text, p, &options, fitted);
    volt_model_get_info(model, &info);
    assert_int_equal(info.report->iterations, 0);
    assert_true(fabs(fitted[5] - 3) <= 16 * DBL_EPSILON);
    volt_model_free(model);
    free(p);
}

/* The model supports files, intervals and streaming like any other. */
static void files_preserve_interval_data(void **state)
{
    problem *p = make_problem(9460);
    volt_fit_options options = pcg_options(tight);
    double fitted[N * Q], later[2][H * Q], half[2][Q], coverage = 0.8;
    const char *path = scratch_path("pcg.safetensors");
    options.landmarks = 30;
    volt_model *model = fit_text(memory_text, p, &options, fitted), *loaded = NULL;
    check_ok(volt_model_save(model, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &loaded));
    predict_rest(model, p, later[0]);
    predict_rest(loaded, p, later[1]);
    assert_memory_equal(later[0], later[1], sizeof later[0]);
    check_ok(volt_model_interval(model, &coverage, 1, volt_matrix_of(half[0], 1, Q)));
    check_ok(volt_model_interval(loaded, &coverage, 1, volt_matrix_of(half[1], 1, Q)));
    assert_memory_equal(half[0], half[1], sizeof half[0]);
    assert_true(half[0][0] > 0 && half[0][1] > 0);

    /* They equal the errors of a landmark model fitted without these rows. */
    volt_fit_options nystrom = plain_options();
    nystrom.landmarks = 30;
    volt_model *by_landmarks = fit_text(memory_text, p, &nystrom, fitted);
    check_ok(volt_model_interval(by_landmarks, &coverage, 1, volt_matrix_of(half[1], 1, Q)));
    assert_memory_equal(half[0], half[1], sizeof half[0]);
    volt_model_free(by_landmarks);
    volt_model_free(loaded);
    volt_model_free(model);
    free(p);
}

static void results_do_not_depend_on_threads(void **state)
{
    problem *p = make_problem(9470);
    volt_fit_options options = pcg_options(1e-6);
    double fitted[3][N * Q];
    options.landmarks = 30;
    for (int i = 0; i < 3; i++) {
        check_ok(volt_set_threads(1 << i));
        volt_model_free(fit_text(memory_text, p, &options, fitted[i]));
    }
    check_ok(volt_set_threads(0));
    for (int i = 1; i < 3; i++) /* BLAS may sum in a different order with several threads */
        assert_true(largest_gap(fitted[0], fitted[i], N * Q) <= 1e-9);
    free(p);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void refuse(const volt_fit_options *options, const char *text, volt_status expected,
                   const char *sentence)
{
    problem *p = make_problem(9480);
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    check_fails(volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, Q), options,
                               volt_matrix_of(NULL, 0, 0), &model),
                expected, sentence);
    assert_null(model);
    volt_kernel_free(kernel);
    free(p);
}

static void invalid_options_are_rejected(void **state)
{
    volt_fit_options o = pcg_options(0);
    o.landmarks = N + 1;
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "landmarks 81 1 80");
    o = pcg_options(1);
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "tolerance 1");
    o = pcg_options(-1e-3);
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "tolerance -0.001");
    o = pcg_options(0);
    o.iterations = -2;
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "iterations -2");
    o = pcg_options(0);
    o.checkpoint = "x";
    o.checkpoint_seconds = -1;
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "got -1");
    o = pcg_options(0);
    o.keep_factor = 1;
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "\"pcg\"");
    o = pcg_options(0);
    o.loss = "huber:delta=0.5";
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "\"pcg\" losses");
    o = pcg_options(0);
    o.intercept = 0;
    refuse(&o, "gak:window=3,centre=yes", VOLT_ERR_ARGUMENT, "\"pcg\" kernel");
    o = plain_options();
    o.iterations = 5;
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "iterations solvers pcg");
    o = plain_options();
    o.checkpoint = "x";
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "checkpoint solvers pcg");
    o = plain_options();
    o.solver = "quick";
    refuse(&o, memory_text, VOLT_ERR_ARGUMENT, "solver \"quick\"");
    o = pcg_options(0);
    o.alpha = 1e-30;
    o.landmarks = 40;
    refuse(&o, memory_text, VOLT_ERR_SINGULAR, "alpha");
}

/* At least the features of all rows, ten vectors for each output, and the halves of the product. */
static void planned_memory_covers_usage(void **state)
{
    const double n = 4000, q = 3, landmarks = 50;
    assert_true(volt_pcg_bytes(n, q, landmarks) >=
                8 * (n * landmarks + 10 * n * q) + volt_half_product_bytes(n, q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_equal_exact_solver),          cmocka_unit_test(tolerance_bounds_prediction_error),
        cmocka_unit_test(alpha_is_chosen_by_the_landmarks), cmocka_unit_test(changes_are_learned),
        cmocka_unit_test(unconverged_fit_is_reported),      cmocka_unit_test(landmarks_reduce_iterations),
        cmocka_unit_test(files_preserve_interval_data),     cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(invalid_options_are_rejected),     cmocka_unit_test(planned_memory_covers_usage),
        cmocka_unit_test(drifted_residual_restarts),
    };
    return cmocka_run_group_tests_name("conjugate gradients", tests, NULL, NULL);
}
