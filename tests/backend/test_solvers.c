/* tests/backend/test_solvers.c: every solver, with kernels of every engine, on every back end: residuals of
 * the readout equations. Models and searches on every back end are compared with those of the CPU. */
#include "gram/engine/state.h"
#include "solve/iterative/pcg.h"
#include "solve/loss/loss_solve.h"
#include "solve/solver_table.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/far_backend.h"
#include "support/plain_cv.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/select.h"

enum { N = 60, W = 7, D = 2, Q = 2 };
static const double alpha = 0.1;

/* ---- the readout ------------------------------------------------------------------------------ */

/* (K + alpha I) A + 1 c = Y on the rows kept, up to n eps times the numbers that are added; 1' A = 0 with an intercept up
 * to the error of A, which is that times the condition number. */
static void check_readout(const volt_solver *solver, const char *text, const double *K, const double *Y,
                          const volt_solver_task *task, const volt_readout *readout)
{
    int64_t w = task->washout, n = N - w;
    double size = 0, largest, smallest;
    for (int64_t i = 0; i < N * N; i++)
        size = fmax(size, fabs(K[i]));
    plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
    for (int64_t k = 0; k < Q; k++) {
        double sum = 0, total = 0, c = readout->intercepts[k] + readout->unlearned[k], mean = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += readout->A.data[i * Q + k];
            total += fabs(readout->A.data[i * Q + k]);
            mean += Y[(w + i) * Q + k] / (double)n;
        }
        double allowed = 16 * N * DBL_EPSILON * ((size + alpha) * total + fabs(c) + 4);
        double spread = allowed * (largest + alpha) / alpha;
        for (int64_t i = 0; i < N; i++) {
            double left = 0;
            for (int64_t j = 0; j < n; j++)
                left += K[i * N + w + j] * readout->A.data[j * Q + k];
            double expected = i < w ? readout->washout_fitted.data[i * Q + k]
                                    : Y[i * Q + k] - c - alpha * readout->A.data[(i - w) * Q + k];
            if (!(fabs(left - expected) <= allowed))
                fail_msg("%s, %s: row %" PRId64 " is off by %g, allowed %g", solver->info.name, text, i,
                         left - expected, allowed);
        }
        assert_true(fabs(sum) <= spread || !task->intercept);
        assert_true(task->intercept || c == 0);
        assert_true(fabs(readout->unlearned[k] - (task->centred ? mean : 0)) <= 4 * N * DBL_EPSILON);
    }
    assert_true(readout->rcond > 0 && readout->rcond <= 1);
}

static void solve_case(const volt_solver *solver, const char *text, uint64_t seed, int64_t washout,
                       bool intercept, bool centred)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    double *inputs = random_rows(&rng, N, D, 1), *Y = normal_rows(&rng, N, Q), *K;
    volt_view Z = volt_view_of(inputs, N, D);
    K = full_gram(text, Z);
    volt_resolved resolved = resolve_on(text, Z);
    volt_columns *columns = NULL;
    volt_solver_task task = {.washout = washout,
                             .alpha = alpha,
                             .intercept = intercept,
                             .centred = centred,
                             .common = intercept ? resolved.common : 0};
    volt_loss_task squares = {.tolerance = 1e-12};
    if (solver->accepts.losses) {
        check_ok(volt_loss_parse("squares", (volt_loss **)&squares.loss));
        task.loss = &squares;
    }
    volt_iteration to_rounding = {.tolerance = 1e-14, .max_steps = 10 * N};
    task.iteration = &to_rounding;
    double A[N * Q], c[Q], unlearned[Q], washout_fitted[(W + 1) * Q];
    volt_readout readout = {.A = volt_matrix_of(A, N - washout, Q),
                            .intercepts = c,
                            .unlearned = unlearned,
                            .washout_fitted = volt_matrix_of(washout_fitted, washout, Q)};
    memcpy(A, Y + washout * Q, (size_t)((N - washout) * Q) * sizeof(double));
    check_ok(volt_columns_create(&resolved, Z, NULL, &columns));
    check_ok(volt_kernel_operator(&resolved, columns, Z, false, &task.kernel));
    volt_columns *states = NULL;
    if (volt_states_count(&resolved) > 0) {
        check_ok(volt_states_columns(&resolved, &states));
        volt_kernel_operator_use_states(task.kernel, states);
        readout.states = volt_matrix_of(new_matrix(states->m, Q), states->m, Q);
    }
    bool takes = !volt_solver_keeps_landmarks(solver) && (!solver->needs.states || (states && !centred));
    if (takes) {
        check_ok(solver->solve(&task, &readout));
        check_readout(solver, text, K, Y, &task, &readout);
    }
    free(readout.states.data);
    volt_operator_free(task.kernel);
    volt_loss_free((volt_loss *)squares.loss);
    volt_columns_free(states);
    volt_columns_free(columns);
    volt_resolved_release(&resolved);
    free(K);
    free(Y);
    free(inputs);
}

static void solvers_on(const volt_backend *backend)
{
    (void)backend;
    uint64_t seed = 7301;
    printf("# seeds from %d on\n", (int)seed);
    for (int64_t s = 0; volt_solver_table[s]; s++)
        for (int64_t k = 0; engine_kernels[k]; k++, seed++) {
            bool is_slow = UNDER_SANITIZERS || !all_backends_run(); /* as a job of processes */
            if (is_slow && (k + s) % 3)                             /* a third for each solver, not the same */
                continue;
            solve_case(volt_solver_table[s], engine_kernels[k], seed, 0, true, false);
            solve_case(volt_solver_table[s], engine_kernels[k], seed, W, true, false);
            if (!volt_solver_table[s]->accepts.losses)
                solve_case(volt_solver_table[s], engine_kernels[k], seed, W, true, true);
            solve_case(volt_solver_table[s], engine_kernels[k], seed, W, false, false);
        }
}

static void readouts_satisfy_the_normal_equations(void **state)
{
    for_each_backend(solvers_on);
}

static void solvers_report_requirements(void **state)
{
    for (int64_t s = 0; volt_solver_table[s]; s++) {
        const volt_solver *solver = volt_solver_table[s];
        double seconds = -1;
        assert_true(solver->info.name[0] && solver->info.meaning[0]);
        assert_true(solver->bytes(20000, 3, 50) > solver->bytes(10000, 3, 50) &&
                    solver->bytes(10000, 3, 50) > 0);
        assert_true(solver->takes(10000, 3, 50, 0) && !solver->takes(1000000, 3, 50, 1000));
        assert_true(solver->takes(10000, 3, 50, solver->bytes(10000, 3, 50)));
        bool needs_more = solver->needs.states || volt_solver_keeps_landmarks(solver);
        assert_true(needs_more != solver->takes(10000, 3, 0, 0));
        assert_true(!solver->needs.landmarks || solver->landmarks(10000) > 0);
        check_ok(solver->seconds(3000, 50, &seconds));
        assert_true(seconds > 0 && isfinite(seconds));
    }
    assert_ptr_equal(volt_solver_choose(100, 1, 0, true, 0), &volt_solver_loss);
    assert_ptr_equal(volt_solver_choose(10000, 1, 50, true, 0), &volt_solver_loss);
    assert_ptr_equal(volt_solver_choose(1000000000, 1, 0, true, 1000), &volt_solver_loss);
    assert_string_equal(volt_solver_choose(100, 1, 0, false, 0)->info.name, "exact");
    assert_string_equal(volt_solver_choose(4096, 1, 100, false, 0)->info.name, "exact");
    assert_string_equal(volt_solver_choose(5000, 1, 100, false, 0)->info.name, "features");
    assert_string_equal(volt_solver_choose(5000, 1, 2600, false, 0)->info.name, "exact");
    assert_string_equal(volt_solver_choose(1000000, 1, 0, false, 0)->info.name, "exact");
    assert_string_equal(volt_solver_choose(1000000000, 1, 50, false, 1000)->info.name, "exact");
}

/* ---- models and searches ---------------------------------------------------------------------- */

enum { LATER = 25, FOLDS = 3 };

/* Results of the public functions on one back end. */
typedef struct outcome {
    double rcond, fitted[N * Q], continued[LATER * Q], reset[LATER * Q];
    double folds[2][FOLDS];
    double log_score;
} outcome;

static double first_score(const volt_candidates *candidates, const plain_problem *problem, volt_score score,
                          volt_start start, double *folds)
{
    volt_search_options options = volt_search_options_default();
    volt_search *search = NULL;
    options.splits.folds = FOLDS;
    options.score = score;
    options.start = start;
    options.washout = 3;
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), &options, &search));
    const volt_trial *trial = volt_search_trial(search, 0);
    if (folds)
        memcpy(folds, trial->folds, FOLDS * sizeof *folds);
    double value = trial->score;
    volt_search_free(search);
    return value;
}

static outcome run_all(const char *text, const plain_problem *problem)
{
    outcome o;
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.washout = W;
    volt_view X = plain_inputs(problem), Y = plain_targets(problem);
    check_ok(volt_model_fit(kernel, volt_view_rows(X, 0, N), volt_view_rows(Y, 0, N), &options,
                            volt_matrix_of(o.fitted, N, Q), &model));
    volt_predict_options predict = volt_predict_options_default();
    check_ok(volt_model_predict(model, volt_view_rows(X, N, LATER), &predict,
                                volt_matrix_of(o.continued, LATER, Q), NULL));
    predict.start = VOLT_START_RESET;
    check_ok(volt_model_predict(model, volt_view_rows(X, N, LATER), &predict, volt_matrix_of(o.reset, LATER, Q),
                                NULL));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    o.rcond = info.rcond;
    volt_model_free(model);
    volt_kernel_free(kernel);

    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_list(&text, &alpha, NULL, 1, &candidates));
    first_score(candidates, problem, VOLT_SCORE_R2, VOLT_START_CONTINUE, o.folds[0]);
    first_score(candidates, problem, VOLT_SCORE_R2, VOLT_START_RESET, o.folds[1]);
    o.log_score = first_score(candidates, problem, VOLT_SCORE_LOG, VOLT_START_CONTINUE, NULL);
    volt_candidates_free(candidates);
    return o;
}

static double spread_of(const double *values, int64_t count)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

static void check_same(const char *text, const char *what, const double *here, const double *there,
                       int64_t count, double rcond)
{
    double allowed = 64 * N * DBL_EPSILON / rcond * (1 + spread_of(here, count));
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(here[i] - there[i]) <= allowed))
            fail_msg("%s, %s: %.17g at the CPU and %.17g there, allowed %g", text, what, here[i], there[i],
                     allowed);
}

/* Both are solved from the same equations, and differ by n eps times the condition number. */
static void models_on(const volt_backend *backend)
{
    volt_rng rng = test_rng(7302);
    plain_problem problem = plain_problem_make(&rng, N + LATER, D, Q);
    for (int64_t k = 0; engine_kernels[k]; k++) {
        if (UNDER_SANITIZERS && k % 3)
            continue;
        check_ok(volt_backend_use(volt_cpu_backend.name));
        outcome here = run_all(engine_kernels[k], &problem);
        check_ok(volt_backend_use(backend->name));
        outcome there = run_all(engine_kernels[k], &problem);
        check_same(engine_kernels[k], "fitted", here.fitted, there.fitted, N * Q, here.rcond);
        check_same(engine_kernels[k], "continued", here.continued, there.continued, LATER * Q, here.rcond);
        check_same(engine_kernels[k], "reset", here.reset, there.reset, LATER * Q, here.rcond);
        check_same(engine_kernels[k], "scores", here.folds[0], there.folds[0], 2 * FOLDS, here.rcond);
        check_same(engine_kernels[k], "log score", &here.log_score, &there.log_score, 1, here.rcond);
    }
    plain_problem_free(&problem);
}

static void models_and_searches_equal_cpu(void **state)
{
    for_each_backend(models_on);
}

/* ---- the table -------------------------------------------------------------------------------- */

static void incomplete_or_duplicate_backends_are_rejected(void **state)
{
    int64_t count = 0;
    while (volt_backend_at(count))
        count++;
    assert_ptr_equal(volt_backend_at(0), &volt_cpu_backend);
    assert_ptr_equal(volt_backend_current(), &volt_cpu_backend);
    assert_null(volt_backend_at(-1));
    check_fails(volt_backend_use("quantum"), VOLT_ERR_ARGUMENT, "'quantum' available cpu");
    check_fails(volt_backend_use(NULL), VOLT_ERR_ARGUMENT, "available cpu");

    volt_backend copy = volt_cpu_backend;
    check_fails(volt_backend_register(NULL), VOLT_ERR_ARGUMENT, "name");
    check_fails(volt_backend_register(&copy), VOLT_ERR_ARGUMENT, "cpu");
    copy.name = "half";
    copy.forward = NULL;
    check_fails(volt_backend_register(&copy), VOLT_ERR_ARGUMENT, "lacks");
    assert_null(volt_backend_at(count));

    static char names[16][8];
    static volt_backend more[16];
    for (int i = 0; i < 16; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        more[i] = volt_cpu_backend;
        more[i].name = names[i];
        volt_status status = volt_backend_register(&more[i]);
        if (status != VOLT_OK) {
            check_fails(volt_backend_register(&more[i]), VOLT_ERR_ARGUMENT, "n");
            return;
        }
        assert_ptr_equal(volt_backend_at(count + i), &more[i]);
    }
    fail_msg("the table has no end");
}

static int make_backends(void **state)
{
    far_backends_register();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readouts_satisfy_the_normal_equations), cmocka_unit_test(solvers_report_requirements),
        cmocka_unit_test(models_and_searches_equal_cpu),
        cmocka_unit_test(incomplete_or_duplicate_backends_are_rejected), /* fills the table: last */
    };
    return cmocka_run_group_tests_name("solvers", tests, make_backends, NULL);
}
