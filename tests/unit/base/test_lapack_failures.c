/* tests/unit/base/test_lapack_failures.c: the k-th call of dpotrf or dgesdd fails, or all calls from the k-th on,
 * for every k and every operation that factors a matrix: VOLT_ERR_SINGULAR with a message, outputs
 * unchanged, nothing leaked. A search marks the candidate as failed, and skips an alpha that cannot be
 * factored. */
#include "backend/cholesky.h"
#include "base/alpha_grid.h"
#include "faults/failing.h"
#include "series/anomaly/variance_norm.h"
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/live_options.h"
#include "support/plain_cv.h"
#include "support/school.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/select.h"
#include "volterra/series.h"
#include "volterra/solve.h"
#include "volterra/task.h"

/* ---- LAPACK calls (called by failing_lapack.c) -------------------------------------------------- */

static int64_t fail_at, asked;
static bool fails_on; /* all calls from there on */

bool fault_due(fault_family family)
{
    assert_int_equal(family, FAULT_LAPACK);
    int64_t call = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    return call == fail_at || (fails_on && fail_at > 0 && call > fail_at);
}

/* ---- operations ------------------------------------------------------------------------------- */

enum { ROWS = 24, MARK = -77 };
static plain_problem problem;
static const volt_matrix nowhere = {NULL, 0, 0, 0};

static bool chooses; /* alpha */

static volt_status fit(volt_fit_options *options, const char *text, volt_view Y)
{
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    options->alpha = chooses ? 0 : 0.1;
    volt_status status = volt_model_fit(kernel, plain_inputs(&problem), Y, options, nowhere, &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

static volt_status fit_solver(const char *solver, const char *text)
{
    volt_fit_options options = volt_fit_options_default();
    options.solver = solver;
    options.landmarks = strcmp(solver, "nystrom") == 0 || strcmp(solver, "pcg") == 0 ? 8 : 0;
    return fit(&options, text, plain_targets(&problem));
}

static volt_status fit_exactly(void)
{
    return fit_solver("exact", "volterra");
}

static volt_status fit_landmarks(void)
{
    return fit_solver("nystrom", "volterra");
}

static volt_status fit_iteratively(void)
{
    return fit_solver("pcg", "volterra");
}

static volt_status fit_states(void)
{
    return fit_solver("features", "esn:size=6");
}

static volt_status choosing(volt_status (*work)(void))
{
    chooses = true;
    volt_status status = work();
    chooses = false;
    return status;
}

static volt_status choose_exactly(void)
{
    return choosing(fit_exactly);
}

static volt_status choose_on_landmarks(void)
{
    return choosing(fit_landmarks);
}

static volt_status choose_in_states(void)
{
    return choosing(fit_states);
}

static volt_status fit_loss(void)
{
    volt_fit_options options = volt_fit_options_default();
    options.loss = "huber:delta=0.5";
    return fit(&options, "volterra", plain_targets(&problem));
}

static volt_status solve_ridge(void)
{
    double *K = calloc(ROWS * ROWS, sizeof *K), Y[ROWS], c = MARK;
    volt_ridge_options options = volt_ridge_options_default();
    volt_ridge_report report = {.rcond = MARK};
    for (int64_t i = 0; i < ROWS; i++)
        K[i * ROWS + i] = Y[i] = 1 + (double)i;
    volt_status status =
        volt_ridge_solve(volt_matrix_of(K, ROWS, ROWS), volt_matrix_of(Y, ROWS, 1), &options, &c, &report);
    assert_true(status == VOLT_OK || (c == MARK && report.rcond == MARK));
    free(K);
    return status;
}

static volt_status factor(void)
{
    double A[4] = {4, 0, 1, 3};
    return volt_cholesky(volt_matrix_of(A, 2, 2), (volt_progress){0});
}

static school pupils;

/* A row that cannot be learned leaves the learner unchanged, and it continues with the next. */
static volt_status learn(void)
{
    volt_live_options options = *with_learning();
    volt_live *learner = NULL;
    options.window = 6;
    volt_status status = volt_live_create(pupils.model, &options, &learner);
    assert_true((status == VOLT_OK) == (learner != NULL));
    double y[SCHOOL_Q];
    for (int64_t t = SCHOOL_TRAIN; status == VOLT_OK && t < SCHOOL_TRAIN + 10; t++) {
        check_ok(volt_live_feed(learner, pupils.X + t * SCHOOL_D, y));
        status = volt_live_learn(learner, 0, pupils.Y + t * SCHOOL_Q);
    }
    volt_live_free(learner);
    return status;
}

static volt_status weigh_evidence(void)
{
    volt_kernel *kernel = NULL;
    volt_evidence_options options = volt_evidence_options_default();
    volt_evidence_result *result = NULL;
    options.alpha = 0.1;
    check_ok(volt_kernel_parse("rbf:gamma=1", &kernel));
    volt_status status =
        volt_evidence(kernel, plain_inputs(&problem), plain_targets(&problem), &options, &result);
    assert_true((status == VOLT_OK) == (result != NULL));
    volt_evidence_free(result);
    volt_kernel_free(kernel);
    return status;
}

static volt_status watch_series(void)
{
    double K[ROWS * ROWS];
    volt_anomaly_options options = volt_anomaly_options_default();
    volt_anomaly *anomaly = NULL;
    options.alpha = 0.1;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < ROWS; j++)
            K[i * ROWS + j] = (i == j) + 1 / (1 + (double)((i - j) * (i - j)));
    volt_status status = volt_anomaly_fit(volt_view_of(K, ROWS, ROWS), &options, &anomaly);
    assert_true((status == VOLT_OK) == (anomaly != NULL));
    volt_anomaly_free(anomaly);
    return status;
}

static int64_t failed_trials; /* for the search */

/* Every candidate is evaluated. A failed one reports the reason. */
static volt_status search(void)
{
    static const char *const kernels[] = {"rbf:gamma=1", "volterra"};
    static const double alphas[] = {1, 0.5};
    volt_candidates *candidates = NULL;
    volt_search *done = NULL;
    volt_search_options options = volt_search_options_default();
    volt_search_info info = {.struct_size = sizeof info};
    options.splits.folds = 2;
    check_ok(volt_candidates_list(kernels, alphas, NULL, 2, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &done));
    volt_search_get_info(done, &info);
    assert_int_equal(info.trials, 2);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(done, i);
        assert_true((trial->failure == NULL) == (trial->score == trial->score));
    }
    failed_trials = info.failed;
    volt_search_free(done);
    volt_candidates_free(candidates);
    return VOLT_OK;
}

static bool rolls; /* a group of rows for each fold */

/* An alpha that cannot be factored is skipped. */
static volt_status profile(const char *solver, volt_score score, const char *kernel, const char *loss)
{
    static const double alpha = 0;
    volt_candidates *candidates = NULL;
    volt_search *done = NULL;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 2;
    options.splits.rolling = rolls;
    options.score = score;
    options.solver = solver;
    options.loss = loss;
    options.landmarks = strcmp(solver, "nystrom") == 0 ? 4 : 0;
    check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
    volt_status status =
        volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &done);
    if (status ==
        /* all alphas failed, so the candidate fails with the first reason */
        VOLT_ERR_DATA) {
        const volt_trial *trial = volt_search_trial(done, 0);
        assert_true(trial->failure && strstr(trial->failure, "positive"));
        status = VOLT_ERR_SINGULAR;
    } else
        assert_true(status != VOLT_OK || volt_search_trial(done, VOLT_TRIAL_BEST)->alpha > 0);
    volt_search_free(done);
    volt_candidates_free(candidates);
    return status;
}

static volt_status profile_exactly(void)
{
    return profile("exact", VOLT_SCORE_R2, "volterra", NULL);
}

static volt_status profile_left_out(void)
{
    return profile("exact", VOLT_SCORE_LOO, "volterra", NULL);
}

static volt_status profile_on_landmarks(void)
{
    return profile("nystrom", VOLT_SCORE_R2, "volterra", NULL);
}

static volt_status profile_states(void)
{
    return profile("exact", VOLT_SCORE_R2, "esn:size=4", NULL);
}

static volt_status profile_landmarks_left_out(void)
{
    return profile("nystrom", VOLT_SCORE_LOO, "volterra", NULL);
}

static volt_status profile_loss(void)
{
    rolls = true;
    volt_status status = profile("exact", VOLT_SCORE_R2, "volterra", "huber:delta=1");
    rolls = false;
    return status;
}

static volt_status capacities(const char *text)
{
    volt_kernel *kernel = NULL;
    volt_capacity *capacity = NULL;
    volt_capacity_options options = volt_capacity_options_default();
    options.rows = 20;
    options.washout = options.delay = 2;
    options.degree = 1;
    options.threshold = 0;
    check_ok(volt_kernel_parse(text, &kernel));
    volt_status status = volt_capacity_compute(kernel, &options, &capacity);
    assert_true((status == VOLT_OK) == (capacity != NULL));
    volt_capacity_free(capacity);
    volt_kernel_free(kernel);
    return status;
}

static volt_status capacities_of_matrix(void)
{
    return capacities("volterra");
}

static volt_status capacities_of_states(void)
{
    return capacities("esn:size=4");
}

/* ---- every call ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    volt_status (*work)(void);
    bool retries; /* after a diagonal shift, or by another path to the same minimum */
} subjects[] = {
    {"factor", factor, false},
    {"ridge", solve_ridge, false},
    {"exact fit", fit_exactly, false},
    {"fit on landmarks", fit_landmarks, true},
    {"iterative fit", fit_iteratively, true},
    {"fit of states", fit_states, false},
    {"fit of a loss", fit_loss, true},
    {"learner", learn, false},
    {"evidence", weigh_evidence, false},
    {"anomaly of series", watch_series, false},
    {"search", search, false},
    {"exact, alpha chosen", choose_exactly, true},
    {"landmarks, alpha chosen", choose_on_landmarks, true},
    {"states, alpha chosen", choose_in_states, true},
    {"capacities", capacities_of_matrix, false},
    {"capacities of states", capacities_of_states, false},
    {"profile", profile_exactly, true},
    {"profile, left out", profile_left_out, true},
    {"profile on landmarks", profile_on_landmarks, true},
    {"profile of states", profile_states, true},
    {"profile on landmarks, left out", profile_landmarks_left_out, true},
    {"profile of a loss", profile_loss, true},
};

/* The message of a failure, and the undisturbed result after it. */
static void check_call(size_t i, int64_t k)
{
    fail_at = k;
    asked = 0;
    failing_alloc_start(0);
    volt_status status = subjects[i].work();
    bool hit = asked >= k;
    assert_int_equal(failing_alloc_live(), 0);
    failing_alloc_stop();
    fail_at = 0;
    if (subjects[i].work == search)
        assert_int_equal(failed_trials, hit);
    else if (status != (hit ? VOLT_ERR_SINGULAR : VOLT_OK) && !(status == VOLT_OK && subjects[i].retries))
        fail_msg("%s, call %d of LAPACK fails: status %d, %s", subjects[i].name, (int)k, (int)status,
                 volt_error_detail());
    assert_true(status == VOLT_OK || strlen(volt_error_detail()) > 20);
}

static void every_call_may_fail(void **state)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        fail_at = asked = 0;
        check_ok(subjects[i].work());
        int64_t calls = asked;
        print_message("%s: %d calls\n", subjects[i].name, (int)calls);
        assert_true(calls > 0);
        for (int64_t k = 1; k <= calls + 1; k++)
            check_call(i, k);
        fails_on = subjects[i].work != search; /* a search in which all candidates fail is an error */
        for (int64_t k = 1; fails_on && k <= calls; k++)
            check_call(i, k);
        fails_on = false;
    }
}

/* From the largest alpha down, a profile of a loss ends two alphas after its minimum. Each alpha takes a factor for each of
 * the two folds. */
static void profile_of_a_loss_ends_after_its_minimum(void **state)
{
    asked = 0;
    check_ok(profile("exact", VOLT_SCORE_R2, "volterra", "huber:delta=1"));
    print_message("%d calls\n", (int)asked);
    assert_true(asked > 0 && asked <= 2 * (volt_alpha_count(VOLT_ALPHA_LOSS) - 1));
}

static int make_set(void **state)
{
    volt_rng rng = test_rng(3300);
    fault_find_lapack();
    problem = plain_problem_make(&rng, ROWS, 2, 2);
    open_school("volterra", 3301, &pupils);
    return 0;
}

static int free_set(void **state)
{
    close_school(&pupils);
    plain_problem_free(&problem);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_may_fail),
                                       cmocka_unit_test(profile_of_a_loss_ends_after_its_minimum)};
    return cmocka_run_group_tests(tests, make_set, free_set);
}
