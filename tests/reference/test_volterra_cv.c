/* tests/reference/test_volterra_cv.c: a search over six candidates against the authors' estimator inside
 * scikit-learn's grid search: one factorisation compared with thirty fits. */
#include "support/check.h"
#include "support/golden.h"
#include "text/text.h"
#include "volterra/select.h"

enum { MOST = 16 };

/* The candidates of the file as a list; the file contains omega clamped to its bound. */
static volt_candidates *candidates_of(golden *file, int64_t *count)
{
    golden_array tuples = golden_array_of(file, "params.tuples_tau_omega_alpha");
    golden_array lambda = golden_array_of(file, "params.omega_effective");
    static char texts[MOST][128];
    const char *kernels[MOST];
    double alphas[MOST];
    assert_true(tuples.rows <= MOST && tuples.rows == lambda.count);
    for (int64_t i = 0; i < tuples.rows; i++) {
        char tau[VOLT_NUMBER_LENGTH], omega[VOLT_NUMBER_LENGTH];
        snprintf(texts[i], sizeof texts[i], "volterra:tau=%s,lambda=%s",
                 volt_format_number(tuples.data[3 * i], tau), volt_format_number(lambda.data[i], omega));
        kernels[i] = texts[i];
        alphas[i] = tuples.data[3 * i + 2];
    }
    volt_candidates *candidates = NULL;
    *count = tuples.rows;
    check_ok(volt_candidates_list(kernels, alphas, NULL, *count, &candidates));
    return candidates;
}

static volt_search_options options_of(golden *file)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = (int64_t)golden_number(file, "params.n_splits");
    options.start = VOLT_START_RESET;
    options.intercept = 0;
    options.scale = 0;
    options.race = VOLT_RACE_NONE;
    return options;
}

static void search_equals_the_grid_search(void **state)
{
    golden *file = golden_load("endtoend_volterra_cv");
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.y");
    golden_array folds = golden_array_of(file, "expected.r2_per_fold");
    golden_array means = golden_array_of(file, "expected.r2_mean");
    double tol = golden_tol(file, "r2_per_fold");
    int64_t count = 0;
    volt_candidates *candidates = candidates_of(file, &count);
    volt_search_options options = options_of(file);
    volt_search *search = NULL;
    check_ok(volt_search_run(candidates, volt_view_of(X.data, X.rows, X.cols),
                             volt_view_of(Y.data, Y.rows, Y.cols), &options, &search));

    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    assert_int_equal(info.trials, count);
    assert_int_equal(info.failed, 0);
    for (int64_t i = 0; i < count; i++) {
        const volt_trial *trial = volt_search_trial(search, i);
        assert_int_equal(trial->index, i);
        assert_int_equal(trial->n_folds, options.splits.folds);
        golden_check("r2_per_fold", folds.data + i * folds.cols, trial->folds, folds.cols, tol,
                     GOLDEN_ABSOLUTE);
        golden_check_number("r2_mean", means.data[i], trial->score, tol, GOLDEN_ABSOLUTE);
    }
    assert_int_equal(volt_search_trial(search, VOLT_TRIAL_BEST)->index,
                     (int64_t)golden_number(file, "expected.best_index"));

    volt_search_free(search);
    volt_candidates_free(candidates);
    golden_free(file);
}

/* The exact race gives the same winner with the same folds. */
static void race_finds_the_same_winner(void **state)
{
    golden *file = golden_load("endtoend_volterra_cv");
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.y");
    golden_array folds = golden_array_of(file, "expected.r2_per_fold");
    int64_t count = 0;
    volt_candidates *candidates = candidates_of(file, &count);
    volt_search_options options = options_of(file);
    options.race = VOLT_RACE_EXACT;
    volt_search *search = NULL;
    check_ok(volt_search_run(candidates, volt_view_of(X.data, X.rows, X.cols),
                             volt_view_of(Y.data, Y.rows, Y.cols), &options, &search));
    const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
    assert_int_equal(best->index, (int64_t)golden_number(file, "expected.best_index"));
    golden_check("r2_per_fold", folds.data + best->index * folds.cols, best->folds, folds.cols,
                 golden_tol(file, "r2_per_fold"), GOLDEN_ABSOLUTE);
    volt_search_free(search);
    volt_candidates_free(candidates);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_equals_the_grid_search),
        cmocka_unit_test(race_finds_the_same_winner),
    };
    return cmocka_run_group_tests_name("volterra_cv", tests, NULL, NULL);
}
