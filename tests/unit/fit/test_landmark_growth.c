/* tests/unit/fit/test_landmark_growth.c: the automatic number of landmarks: nested sets, errors of the first landmarks, the choice,
 * and fits that equal those with the chosen number given. */
#include "fit/fit_task.h"
#include "fit/landmarks.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/kernel.h"

/* ---- the choice of a level -------------------------------------------------------------------- */

static volt_landmark_levels levels_of(const double *rmse, int64_t count)
{
    volt_landmark_levels levels = {.count = count};
    for (int64_t i = 0; i < count; i++) {
        levels.m[i] = 64 << i;
        levels.mse[i] = rmse[i] * rmse[i];
        levels.condition[i] = 1;
    }
    return levels;
}

static int64_t choose(const double *rmse, int64_t count, bool *grows)
{
    volt_landmark_levels levels = levels_of(rmse, count);
    return volt_landmark_level_choose(&levels, &(volt_landmark_costs){0}, grows);
}

static void least_level_within_one_percent(void **state)
{
    bool grows = false;
    assert_int_equal(choose((double[]){2, 1.02, 1.009, 1}, 4, &grows), 2);
    assert_false(grows);
    assert_int_equal(choose((double[]){1, 1, 1, 1}, 4, &grows), 0);
    assert_false(grows);
    assert_int_equal(choose((double[]){4, 3, 2, 1}, 4, &grows), 3); /* still falling */
    assert_true(grows);
    assert_int_equal(choose((double[]){0, 0}, 2, &grows), 0);
    assert_false(grows);
    assert_int_equal(choose((double[]){0.5, 1}, 2, &grows), 0); /* more landmarks are worse */
    assert_int_equal(choose((double[]){NAN, NAN}, 2, &grows), -1);
    assert_false(grows);
}

/* With n = 1e4, d = 1 and q = 1 a product takes 1.5e9 operations and a preconditioner 2e4 m^2: 8e7 for m = 64, 3.3e8 for
 * 128 and 1.3e9 for 256. */
static void fewest_operations_of_preconditioner_and_iterations(void **state)
{
    volt_landmark_costs costs = {.iterates = true, .n = 1e4, .d = 1, .q = 1, .tolerance = 1e-4};
    volt_landmark_levels levels = levels_of((double[]){1, 1, 1, 1}, 4);
    bool grows = true;
    assert_int_equal(volt_landmark_level_choose(&levels, &costs, &grows), 0); /* no iterations to save */
    assert_false(grows);
    levels.condition[0] = 100; /* 50 steps */
    assert_int_equal(volt_landmark_level_choose(&levels, &costs, &grows), 1);
    assert_false(grows);
    levels.condition[1] = levels.condition[2] =
        1e4; /* 496 steps: a preconditioner of 1024 landmarks takes 14 */
    levels.condition[0] = 1e6;
    levels.condition[1] = 1e5;
    assert_int_equal(volt_landmark_level_choose(&levels, &costs, &grows), 2);
    assert_true(grows);
    /* With n = 4000 a product takes 2.4e8 operations, and 256 landmarks instead of 128 take 3.9e8: two products. */
    costs.n = 4000;
    levels.condition[2] = 4;    /* 10 steps */
    levels.condition[1] = 6.09; /* 12 steps */
    assert_int_equal(volt_landmark_level_choose(&levels, &costs, &grows), 2);
    levels.condition[1] = 5.18; /* 11 steps */
    assert_int_equal(volt_landmark_level_choose(&levels, &costs, &grows), 1);
    costs.q = 20; /* a product takes 8.5e8 operations */
    assert_int_equal(volt_landmark_level_choose(&levels, &costs, &grows), 2);
}

/* ---- nested sets ------------------------------------------------------------------------------ */

static void check_nested(volt_landmarks choice, int64_t rows, int64_t m)
{
    volt_landmark_set set;
    volt_landmark_levels levels = {0};
    check_ok(volt_landmark_set_choose(rows, 0, &(volt_records){0}, m, choice, 3, &set));
    volt_landmark_set_nest(&set, choice, &levels);
    assert_true(levels.count >= 1 && levels.count <= VOLT_LANDMARK_LEVELS);
    assert_int_equal(levels.m[levels.count - 1], m);
    for (int64_t i = 1; i < levels.count; i++)
        assert_true(levels.m[i - 1] < levels.m[i]);
    bool *seen = calloc((size_t)set.n, sizeof *seen);
    for (int64_t a = 0; a < m; a++) {
        assert_true(set.column[a] >= 0 && set.column[a] < set.n && !seen[set.column[a]]);
        seen[set.column[a]] = true;
    }
    /* The first half covers the rows, or is the latest half. */
    int64_t half = levels.m[levels.count - 2], first = rows, last = 0;
    for (int64_t a = 0; a < half; a++) {
        first = set.source[set.column[a]] < first ? set.source[set.column[a]] : first;
        last = set.source[set.column[a]] > last ? set.source[set.column[a]] : last;
    }
    if (choice == VOLT_LANDMARKS_LAST)
        assert_int_equal(first, rows - half);
    else
        assert_true(first < rows / 10 && last > rows * 8 / 10);
    free(seen);
    volt_landmark_set_release(&set);
}

static void first_landmarks_are_chosen_like_all(void **state)
{
    check_nested(VOLT_LANDMARKS_SPREAD, 5000, 2048);
    check_nested(VOLT_LANDMARKS_SPREAD, 600, 600);
    check_nested(VOLT_LANDMARKS_LAST, 5000, 1000);
    check_nested(VOLT_LANDMARKS_RANDOM, 5000, 333);
}

/* ---- fits ------------------------------------------------------------------------------------- */

enum { N = 600, D = 5 };

typedef struct problem {
    double *X, *Y;
} problem;

/* A quadratic function of the inputs, and noise. */
static problem make_problem(double noise)
{
    volt_rng rng = test_rng(33);
    problem p = {normal_rows(&rng, N, D), new_matrix(N, 1)};
    for (int64_t i = 0; i < N; i++) {
        const double *x = p.X + i * D;
        p.Y[i] = noise * volt_rng_normal(&rng);
        for (int64_t k = 0; k < D; k++)
            p.Y[i] += x[k] + (double)(k + 1) * x[k] * x[(k + 1) % D] / D;
    }
    return p;
}

static void free_problem(problem *p)
{
    free(p->X);
    free(p->Y);
}

static double alpha = 1e-3;

static volt_status fit(const problem *p, const char *kernel_text, const char *solver, int64_t landmarks,
                       volt_landmarks choice, volt_model **model)
{
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.solver = solver;
    options.landmarks = landmarks;
    options.landmark_choice = choice;
    options.alpha = alpha;
    check_ok(volt_kernel_parse(kernel_text, &kernel));
    volt_status status = volt_model_fit(kernel, volt_view_of(p->X, N, D), volt_view_of(p->Y, N, 1), &options,
                                        volt_matrix_of(NULL, 0, 0), model);
    volt_kernel_free(kernel);
    return status;
}

static volt_model_info info_of(const volt_model *model)
{
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_get_info(model, &info));
    return info;
}

static void check_same(const volt_model *a, const volt_model *b)
{
    volt_model_info one = info_of(a), other = info_of(b);
    assert_int_equal(one.kernel_rows, other.kernel_rows);
    assert_memory_equal(one.coefficients, other.coefficients, (size_t)one.kernel_rows * sizeof(double));
    assert_memory_equal(one.intercepts, other.intercepts, sizeof(double));
}

/* Of rank 21: all levels have more landmarks, so the least of 600, 312, 160, 96 is as good as all. */
static void finite_rank_needs_the_least_number(void **state)
{
    problem p = make_problem(0.1);
    volt_model *model = NULL, *given = NULL;
    check_ok(fit(&p, "poly:degree=2", "nystrom", VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_SPREAD, &model));
    const volt_fit_report *report = info_of(model).report;
    assert_int_equal(report->landmarks, 96);
    assert_int_equal(report->landmarks_tried, N);
    assert_non_null(report->landmarks_why);
    assert_true(fabs(report->landmarks_gain) < 0.01);
    check_ok(fit(&p, "poly:degree=2", "nystrom", 96, VOLT_LANDMARKS_SPREAD, &given));
    check_same(model, given);
    assert_int_equal(info_of(given).report->landmarks_tried, 0);
    assert_null(info_of(given).report->landmarks_why);
    volt_model_free(model);
    volt_model_free(given);
    free_problem(&p);
}

/* A narrow kernel without noise: every landmark helps, up to all rows. This is the reason, and not for a kernel of rank 21. */
static void every_landmark_helps(void **state)
{
    problem p = make_problem(0);
    volt_model *model = NULL, *of_rank = NULL;
    alpha = 1e-9;
    check_ok(fit(&p, "rbf:gamma=3", "nystrom", VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_SPREAD, &model));
    alpha = 1e-3;
    assert_int_equal(info_of(model).report->landmarks, N);
    check_ok(fit(&p, "poly:degree=2", "nystrom", VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_SPREAD, &of_rank));
    assert_string_not_equal(info_of(model).report->landmarks_why, info_of(of_rank).report->landmarks_why);
    volt_model_free(of_rank);
    volt_model_free(model);
    free_problem(&p);
}

/* The last m of M landmarks are the same set as the last m: the error of a level is that of a fit, to the rounding of two
 * ways to the same normal equations of condition below 1e6. */
static void errors_of_levels_are_errors_of_fits(void **state)
{
    problem p = make_problem(0.3);
    volt_model *model = NULL, *few = NULL, *all = NULL;
    check_ok(fit(&p, "rbf:gamma=0.05", "nystrom", VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_LAST, &model));
    const volt_fit_report *report = info_of(model).report;
    assert_true(report->landmarks < report->landmarks_tried);
    check_ok(fit(&p, "rbf:gamma=0.05", "nystrom", report->landmarks, VOLT_LANDMARKS_LAST, &few));
    check_ok(fit(&p, "rbf:gamma=0.05", "nystrom", report->landmarks_tried, VOLT_LANDMARKS_LAST, &all));
    double gain = 1 - info_of(all).report->rmse[0] / info_of(few).report->rmse[0];
    assert_float_equal(report->landmarks_gain, gain, 1e6 * N * DBL_EPSILON);
    volt_model_free(model);
    volt_model_free(few);
    volt_model_free(all);
    free_problem(&p);
}

static void iterative_solver_chooses_preconditioner(void **state)
{
    problem p = make_problem(0.1);
    volt_model *model = NULL, *given = NULL;
    check_ok(fit(&p, "poly:degree=2", "pcg", VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_SPREAD, &model));
    const volt_fit_report *report = info_of(model).report;
    assert_string_equal(report->solver, "pcg");
    assert_int_equal(report->landmarks, 96); /* of rank 21: no level saves iterations */
    assert_int_equal(report->landmarks_tried, N);
    assert_true(isnan(report->landmarks_gain));
    check_ok(fit(&p, "poly:degree=2", "pcg", 96, VOLT_LANDMARKS_SPREAD, &given));
    check_same(model, given);
    volt_model_free(model);
    volt_model_free(given);
    free_problem(&p);
}

static void solver_without_landmarks_ignores_it(void **state)
{
    problem p = make_problem(0.1);
    volt_model *model = NULL, *exact = NULL;
    check_fails(fit(&p, "rbf", "nystrom", -2, VOLT_LANDMARKS_SPREAD, &model), VOLT_ERR_ARGUMENT, "-2");
    assert_null(model);
    check_fails(fit(&p, "rbf", "exact", VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_SPREAD, &model), VOLT_ERR_ARGUMENT,
                "landmarks");
    assert_null(model);
    check_ok(fit(&p, "rbf", NULL, VOLT_LANDMARKS_AUTO, VOLT_LANDMARKS_SPREAD, &model));
    check_ok(fit(&p, "rbf", NULL, 0, VOLT_LANDMARKS_SPREAD, &exact));
    check_same(model, exact);
    volt_model_free(model);
    volt_model_free(exact);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_level_within_one_percent),
        cmocka_unit_test(fewest_operations_of_preconditioner_and_iterations),
        cmocka_unit_test(first_landmarks_are_chosen_like_all),
        cmocka_unit_test(finite_rank_needs_the_least_number),
        cmocka_unit_test(every_landmark_helps),
        cmocka_unit_test(errors_of_levels_are_errors_of_fits),
        cmocka_unit_test(iterative_solver_chooses_preconditioner),
        cmocka_unit_test(solver_without_landmarks_ignores_it),
    };
    return cmocka_run_group_tests_name("landmark_growth", tests, NULL, NULL);
}
