/* tests/backend/test_device_teams.c: searches and fits on several devices, and their failures.
 *
 * The back end far-gram (support/far_backend.h) computes like a GPU and is presented as 1, 2 and 3 devices. It aborts
 * if a thread uses memory of a device that it has not bound. With VOLT_CUDA_PLUGIN set, the GPU is compared as well;
 * VOLT_TEST_DEVICE=gpu:0,0 presents it as two devices. */
#include "backend/backend.h"
#include "base/row_bands.h"
#include "base/threads.h"
#include "support/check.h"
#include "support/far_backend.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 1610, D = 2, Q = 2, LATER = 11, WASHOUT = 5, CANDIDATES = 7, DEVICES = 3 };

static double *X, *Y;

static void make_data(void)
{
    volt_rng rng = test_rng(83);
    X = random_rows(&rng, N + LATER, D, 1);
    Y = new_matrix(N + LATER, Q);
    for (int64_t i = 0; i < N + LATER; i++)
        for (int64_t k = 0; k < Q; k++)
            Y[i * Q + k] =
                X[i * D + k % D] - (i > 0 ? X[(i - 1) * D] * X[i * D + 1] : 0) + 0.1 * volt_rng_normal(&rng);
}

/* ---- the team --------------------------------------------------------------------------------- */

typedef struct sums {
    double found[DEVICES][5];
    int64_t threads[DEVICES];
    int64_t failing; /* part that fails before its second sum; -1: none */
} sums;

static volt_status add_twice(int64_t part, volt_progress progress, void *context)
{
    sums *s = context;
    double *own = s->found[part];
    assert_non_null(progress.report);
    assert_int_equal(volt_backend_bound(), part);
    assert_int_equal(volt_bands_current()->part, part);
    s->threads[part] = volt_threads();
    for (int64_t i = 0; i < 5; i++)
        own[i] = (double)((part + 1) * (i + 1));
    volt_bands_current()->sum(own, 5);
    if (part == s->failing)
        return VOLT_ERR_DATA;
    volt_bands_broadcast(volt_bands_current(), own, 2);
    return progress.report("", 0, progress.context) ? VOLT_ERR_CANCELLED : VOLT_OK;
}

/* Sums are complete in all parts. A part that fails releases the others, and its status is returned. */
static void test_team(void **state)
{
    far_backends_present(DEVICES);
    check_ok(volt_backend_use("far-gram"));
    sums s = {.failing = -1};
    check_ok(volt_team_run(volt_backend_current(), (volt_progress){0}, add_twice, &s));
    for (int64_t p = 0; p < DEVICES; p++)
        for (int64_t i = 0; i < 5; i++)
            assert_true(s.found[p][i] == (double)(6 * (i + 1)));
    for (s.failing = 0; s.failing < DEVICES; s.failing++)
        assert_int_equal(volt_team_run(volt_backend_current(), (volt_progress){0}, add_twice, &s),
                         VOLT_ERR_DATA);
    assert_int_equal(volt_backend_bound(), 0);
    assert_int_equal(volt_bands_current()->parts, 1);
}

/* The parts divide the threads of the call; each has at least one. */
static void test_team_threads(void **state)
{
    const struct {
        int64_t threads, of_part;
    } cases[] = {{2 * DEVICES + 1, 2}, {DEVICES, 1}, {1, 1}};
    int64_t before = 0;
    far_backends_present(DEVICES);
    check_ok(volt_backend_use("far-gram"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sums s = {.failing = -1};
        check_ok(volt_set_threads_local(cases[i].threads, &before));
        int64_t allowed = volt_threads(); /* 1 if the process is limited to one thread */
        check_ok(volt_team_run(volt_backend_current(), (volt_progress){0}, add_twice, &s));
        assert_int_equal(volt_threads(), allowed);
        check_ok(volt_set_threads_local(before, NULL));
        for (int64_t p = 0; p < DEVICES; p++)
            assert_int_equal(s.threads[p], allowed == cases[i].threads ? cases[i].of_part : 1);
    }
}

/* ---- fits ------------------------------------------------------------------------------------- */

typedef struct fit_case {
    const char *kernel, *solver;
    int64_t rows, landmarks;
    double alpha;     /* 0: chosen */
    double tolerance; /* of predictions, which are about 1 */
    bool records;     /* several sequences */
} fit_case;

/* Predictions differ by rounding of sums over n rows, enlarged by the condition n / alpha: 1e-16 n n / alpha is
 * 3e-9 here. Conjugate gradients stop at a relative residual of 1e-10. */
static const fit_case cases[] = {
    {"volterra:tau_coef=0.3,lambda_coef=0.5", "nystrom", N, 40, 0.1, 1e-8, false},
    {"rbf:gamma=0.5,window=3", "nystrom", N, 33, 0, 1e-7, false},
    {"2*fir:mu=0.5 + linear*rbf:gamma=1", "nystrom", 700, 20, 0.1, 1e-8, false},
    {"volterra:tau_coef=0.3,lambda_coef=0.5", "pcg", 640, 60, 0.1, 1e-7, false},
    {"rbf:gamma=0.5,window=3", "pcg", 300, 40, 0, 1e-6, false},
    {"volterra:tau_coef=0.3,lambda_coef=0.5", "pcg", 400, 30, 0.1, 1e-7, true},
    {"memory:gamma=0.5,rho=0.5,mu=0.7", "nystrom", 1100, 30, 0.1, 1e-8, true},
};

typedef struct outcome {
    double predictions[LATER * Q], fitted[N * Q];
    char device[64];
} outcome;

static int cancel_after; /* reports until the user cancels; -1: never */

static int report(const char *stage, double fraction, void *context)
{
    (void)stage, (void)fraction, (void)context;
    return cancel_after >= 0 && cancel_after-- == 0;
}

static volt_status fit(const fit_case *c, outcome *out)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = c->alpha;
    const int64_t records[] = {70, 180, c->rows - 250};
    if (c->records) {
        options.records = records;
        options.n_records = 3;
    } else {
        options.washout = WASHOUT;
    }
    options.solver = c->solver;
    options.landmarks = c->landmarks;
    options.tolerance = strcmp(c->solver, "pcg") == 0 ? 1e-10 : 0;
    options.progress = (volt_progress){.report = report};
    check_ok(volt_kernel_parse(c->kernel, &kernel));
    volt_status status = volt_model_fit(kernel, volt_view_of(X, c->rows, D), volt_view_of(Y, c->rows, Q),
                                        &options, volt_matrix_of(out->fitted, c->rows, Q), &model);
    if (status == VOLT_OK) {
        volt_model_info info = {.struct_size = sizeof info};
        check_ok(volt_model_get_info(model, &info));
        snprintf(out->device, sizeof out->device, "%s", info.report->device);
        check_ok(volt_model_predict(model, volt_view_of(X + c->rows * D, LATER, D), NULL,
                                    volt_matrix_of(out->predictions, LATER, Q), NULL));
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    assert_true(far_backends_live() == 0);
    return status;
}

static void assert_near(const double *a, const double *b, int64_t count, double most)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) < most))
            fail_msg("number %lld: %.17g and %.17g", (long long)i, a[i], b[i]);
}

static void assert_same(const fit_case *c, const outcome *a, const outcome *b)
{
    assert_near(a->predictions, b->predictions, LATER * Q, c->tolerance);
    assert_near(a->fitted, b->fitted, c->rows * Q, c->tolerance);
}

static outcome here, there;

/* Rows are divided among the devices, and results agree with one device and with the CPU. */
static void test_fits(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_ok(volt_backend_use(volt_cpu_backend.name));
        check_ok(fit(&cases[i], &here));
        assert_string_equal(here.device, "cpu");
        check_ok(volt_backend_use("far-gram"));
        for (int64_t devices = UNDER_SANITIZERS ? DEVICES : 1; devices <= DEVICES; devices++) {
            far_backends_present(devices);
            check_ok(fit(&cases[i], &there));
            assert_same(&cases[i], &here, &there);
            assert_string_equal(there.device, "far-gram");
            for (int64_t d = 0; d < DEVICES; d++)
                assert_true((far_backends_operations(d) > 0) == (d < devices));
        }
    }
    check_ok(volt_backend_use(volt_cpu_backend.name));
}

/* ---- failures --------------------------------------------------------------------------------- */

static int warnings;

static void count_warnings(volt_log_level level, const char *text, void *context)
{
    (void)context;
    warnings += level == VOLT_LOG_WARNING && strstr(text, "devices") != NULL;
}

/* A device without memory, or one that is lost at some operation: the fit is repeated on the first device, with one
 * message. Nothing leaks (fit checks it). */
static void test_failing_device(void **state)
{
    const int chosen[] = {2, 3};
    volt_set_log(count_warnings, NULL);
    check_ok(volt_backend_use("far-gram"));
    for (int i = 0; i < 2; i++) {
        const fit_case *c = &cases[chosen[i]];
        far_backends_present(1);
        check_ok(fit(c, &here));
        for (int64_t device = 1; device < DEVICES; device++)
            for (int64_t operations = -1; operations < 40; operations += UNDER_SANITIZERS ? 20 : 10) {
                far_backends_present(DEVICES);
                if (operations < 0)
                    far_backends_fail_alloc(device);
                else
                    far_backends_lose(device, operations);
                warnings = 0;
                check_ok(fit(c, &there));
                assert_int_equal(warnings, 1);
                assert_same(c, &here, &there);
            }
        far_backends_present(2);
        far_backends_lose(0, 0); /* the first device is needed */
        check_fails(fit(c, &there), VOLT_ERR_DEVICE, "lost");
    }
    volt_set_log(NULL, NULL);
    far_backends_present(1);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}

/* The user cancels at the k-th report. */
static void test_cancelled(void **state)
{
    check_ok(volt_backend_use("far-gram"));
    far_backends_present(2);
    volt_stage_set_interval(0);
    for (int i = 2; i < 4; i++)
        for (int after = 0; after < 30; after += 7) {
            cancel_after = after;
            volt_status status = fit(&cases[i], &there); /* which may report less often */
            assert_int_equal(status, cancel_after < 0 ? VOLT_ERR_CANCELLED : VOLT_OK);
            assert_true(after > 0 || cancel_after < 0);
        }
    volt_stage_set_interval(0.05);
    cancel_after = -1;
    far_backends_present(1);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}

/* ---- searches --------------------------------------------------------------------------------- */

static volt_status search(double *scores, volt_search_info *info)
{
    static const char *const kernels[CANDIDATES] = {"volterra:tau_coef=0.3,lambda_coef=0.5",
                                                    "rbf:gamma=0.7",
                                                    "memory:gamma=0.5,rho=0.5,mu=0.7",
                                                    "gak:sigma=1,window=4",
                                                    "rbf:gamma=1,window=3",
                                                    "2*fir:mu=0.5 + linear*rbf:gamma=1",
                                                    "fading:gamma=0.3"};
    double alphas[CANDIDATES];
    volt_candidates *candidates = NULL;
    volt_search *found = NULL;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 3;
    options.race = VOLT_RACE_NONE;
    options.start = VOLT_START_RESET;
    for (int64_t i = 0; i < CANDIDATES; i++)
        alphas[i] = 0.1;
    check_ok(volt_candidates_list(kernels, alphas, NULL, CANDIDATES, &candidates));
    volt_status status =
        volt_search_run(candidates, volt_view_of(X, 90, D), volt_view_of(Y, 90, Q), &options, &found);
    for (int64_t i = 0; status == VOLT_OK && i < CANDIDATES; i++)
        scores[volt_search_trial(found, i)->index] = volt_search_trial(found, i)->score;
    *info = (volt_search_info){.struct_size = sizeof *info};
    if (status == VOLT_OK)
        volt_search_get_info(found, info);
    volt_search_free(found);
    volt_candidates_free(candidates);
    assert_true(far_backends_live() == 0);
    return status;
}

/* A candidate is evaluated on one device: scores do not depend on the number of devices. */
static void test_searches(void **state)
{
    double on_cpu[CANDIDATES], one[CANDIDATES], several[CANDIDATES];
    volt_search_info info;
    check_ok(volt_backend_use(volt_cpu_backend.name));
    check_ok(search(on_cpu, &info));
    check_ok(volt_backend_use("far-gram"));
    for (int64_t devices = 1; devices <= DEVICES; devices++) {
        far_backends_present(devices);
        check_ok(search(devices == 1 ? one : several, &info));
        assert_true(info.parallel >= devices);
        if (devices > 1)
            assert_memory_equal(one, several, sizeof one);
        assert_near(one, on_cpu, CANDIDATES, 1e-9);
        for (int64_t d = 0; d < DEVICES; d++)
            assert_true((far_backends_operations(d) > 0) == (d < devices));
    }

    /* A device without memory is not used. */
    volt_set_log(count_warnings, NULL);
    far_backends_present(DEVICES);
    far_backends_fail_alloc(1);
    warnings = 0;
    check_ok(search(several, &info));
    assert_int_equal(warnings, 1);
    assert_memory_equal(one, several, sizeof one);
    assert_true(far_backends_operations(1) == 0 && far_backends_operations(2) > 0);
    volt_set_log(NULL, NULL);

    /* A device that is lost ends the search, as with one device: its trials are in the log. Which device evaluates
     * most candidates depends on the threads, so both are lost. */
    far_backends_present(2);
    far_backends_lose(0, 20);
    far_backends_lose(1, 20);
    check_fails(search(several, &info), VOLT_ERR_DEVICE, "lost");
    far_backends_present(1);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}

/* ---- a GPU as several devices ----------------------------------------------------------------- */

static void test_gpus(void **state)
{
    if (!getenv("VOLT_CUDA_PLUGIN") || !getenv("VOLT_TEST_DEVICE"))
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_ok(volt_set_device("cpu"));
        check_ok(fit(&cases[i], &here));
        check_ok(volt_set_device(getenv("VOLT_TEST_DEVICE")));
        check_ok(fit(&cases[i], &there));
        assert_string_equal(there.device, volt_device());
        assert_same(&cases[i], &here, &there);
    }
    double on_cpu[CANDIDATES], on_gpu[CANDIDATES];
    volt_search_info info;
    check_ok(search(on_gpu, &info));
    check_ok(volt_set_device("cpu"));
    check_ok(search(on_cpu, &info));
    assert_near(on_gpu, on_cpu, CANDIDATES, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_team),      cmocka_unit_test(test_team_threads),
        cmocka_unit_test(test_fits),      cmocka_unit_test(test_failing_device),
        cmocka_unit_test(test_cancelled), cmocka_unit_test(test_searches),
        cmocka_unit_test(test_gpus),
    };
    cancel_after = -1;
    make_data();
    far_backends_register();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(X);
    free(Y);
    return failed;
}
