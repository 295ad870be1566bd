/* tests/property/test_search_scores.c: one-step-ahead errors equal those of a fit per row, the log score is
 * the log density of a normal distribution, and every score follows its definition in the header.
 *
 * Tolerances: 1e-9 of the score and its rounding where forecasts are compared, as in test_search_folds.c.
 * The log score is a sum of n q terms of order one and of n logarithms of pivots, each as exact as the
 * pivot, which is off by n eps max K / alpha at most: 1e-9 of the score with alpha >= 1e-4 and max K below
 * 100. */
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/sequences.h"

enum { MAX_FOLDS = 8 };

static const double tolerance = 1e-9;

static const char *const kernels[] = {
    "volterra:tau_coef=0.6,lambda_coef=0.9",
    "volterra:tau_coef=0.7,lambda_coef=0.8,lift=even",
    "volterra:lift=rbf,gamma=0.7,lambda=0.8",
    "linear:window=4",
    "rbf:gamma=0.8",
    "poly:degree=2,gamma=1,coef0=0.5,window=2",
    "fading:gamma=0.6,rho=0.7",
    "memory:gamma=1,rho=0.5,mu=0.8",
    "recurrent:activation=relu,radius=0.8,leak=0.5",
    "fir:mu=0.7,corr=0.4",
    "gak:sigma=1,window=3",
    "sig:level=2,window=3",
    "cauchy:gamma=0.4,window=3",
    "esn:size=15,radius=0.8",
    "sas:size=10,norm=0.8",
};
enum { KERNELS = (int)(sizeof kernels / sizeof *kernels) };

static volt_search *search_one(const plain_problem *problem, const char *kernel, double alpha,
                               const volt_search_options *options)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), options, &search));
    assert_null(volt_search_trial(search, 0)->failure);
    volt_candidates_free(candidates);
    return search;
}

static volt_search_options options_with(volt_score score, int choice)
{
    volt_search_options options = volt_search_options_default();
    options.score = score;
    options.race = VOLT_RACE_NONE;
    options.splits.folds = 4;
    options.intercept = choice & 1;
    options.washout = choice & 2 ? 6 : 0;
    options.scale = !(choice & 4);
    return options;
}

/* ---- prequential ------------------------------------------------------------------------------ */

static void one_step_errors_equal_one_fit_per_row(void **state)
{
    volt_rng rng = test_rng(2301);
    double worst = 0;
    for (int p = 0; p < KERNELS; p++) {
        plain_problem problem = plain_problem_make(&rng, 40 + p, 2, 2);
        for (int choice = 0; choice < 8; choice++) {
            volt_search_options options = options_with(VOLT_SCORE_PREQUENTIAL, choice);
            double alpha = (choice & 4 ? 1e-3 : 1e-6) * pow(10, 3 * volt_rng_uniform(&rng));
            volt_search *search = search_one(&problem, kernels[p], alpha, &options);
            const volt_trial *trial = volt_search_trial(search, 0);
            double expected[MAX_FOLDS], rounding[MAX_FOLDS], mean = 0, bounds = 0;
            plain_cv_folds(&problem, kernels[p], alpha, &options, expected, rounding);
            assert_int_equal(trial->n_folds, options.splits.folds);
            for (int64_t f = 0; f < trial->n_folds; f++) {
                double bound = tolerance * (1 + fabs(expected[f])) + rounding[f];
                double error = fabs(trial->folds[f] - expected[f]);
                worst = fmax(worst, error / bound);
                if (!(error <= bound))
                    fail_msg("%s, alpha %g, choice %d, block %" PRId64 ": %.17g, separate fits give %.17g",
                             kernels[p], alpha, choice, f, trial->folds[f], expected[f]);
                mean += expected[f] / (double)trial->n_folds;
                bounds += bound / (double)trial->n_folds;
            }
            assert_true(fabs(trial->score - mean) <= bounds);
            volt_search_free(search);
        }
        plain_problem_free(&problem);
    }
    print_message("the worst error is %.2g of the tolerance\n", worst);
}

/* ---- log score -------------------------------------------------------------------------------- */

static void log_score_equals_density_of_targets(void **state)
{
    volt_rng rng = test_rng(2302);
    double worst = 0;
    for (int p = 0; p < KERNELS; p++) {
        plain_problem problem = plain_problem_make(&rng, 60 + p, 2, 3);
        for (int choice = 0; choice < 8; choice++) {
            volt_search_options options = options_with(VOLT_SCORE_LOG, choice);
            double alpha = (choice & 4 ? 1e-1 : 1e-4) * pow(10, 3 * volt_rng_uniform(&rng));
            volt_search *search = search_one(&problem, kernels[p], alpha, &options);
            const volt_trial *trial = volt_search_trial(search, 0);
            double expected = plain_cv_log_score(&problem, kernels[p], alpha, &options);
            double error = fabs(trial->score - expected) / (tolerance * (1 + fabs(expected)));
            worst = fmax(worst, error);
            if (!(error <= 1))
                fail_msg("%s, alpha %g, choice %d: %.17g, the density is %.17g", kernels[p], alpha, choice,
                         trial->score, expected);
            assert_int_equal(trial->n_folds, 1);
            assert_true(trial->folds[0] == trial->score);
            volt_search_free(search);
        }
        plain_problem_free(&problem);
    }
    print_message("the worst error is %.2g of the tolerance\n", worst);
}

/* Ten times the targets: every one of their densities is a tenth, whatever is scaled. */
static void log_score_is_in_the_units_of_the_targets(void **state)
{
    volt_rng rng = test_rng(2303);
    plain_problem problem = plain_problem_make(&rng, 60, 2, 2);
    for (int choice = 0; choice < 8; choice++) {
        volt_search_options options = options_with(VOLT_SCORE_LOG, choice);
        volt_search *before = search_one(&problem, kernels[0], 1e-2, &options);
        for (int64_t i = 0; i < problem.n * problem.q; i++)
            problem.Y[i] *= 10;
        volt_search *after = search_one(&problem, kernels[0], 1e-2, &options);
        for (int64_t i = 0; i < problem.n * problem.q; i++)
            problem.Y[i] /= 10;
        int64_t rows = problem.n - options.washout - options.intercept;
        double fall = volt_search_trial(before, VOLT_TRIAL_BEST)->score -
                      volt_search_trial(after, VOLT_TRIAL_BEST)->score;
        assert_true(fabs(fall - (double)(rows * problem.q) * log(10)) <= 1e-8 * fabs(fall));
        volt_search_free(after);
        volt_search_free(before);
    }
    plain_problem_free(&problem);
}

/* ---- what the best is ------------------------------------------------------------------------- */

static volt_search *search_many(const plain_problem *problem, volt_score score)
{
    enum { COUNT = 12 };
    const char *texts[COUNT];
    double alphas[COUNT];
    for (int i = 0; i < COUNT; i++) {
        texts[i] = kernels[i % KERNELS];
        alphas[i] = pow(10, -5 + i % 7);
    }
    volt_search_options options = options_with(score, 1);
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(texts, alphas, NULL, COUNT, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), &options, &search));
    volt_candidates_free(candidates);
    return search;
}

/* The highest R2 and log score win, and the lowest errors. */
static void reported_best_has_highest_score(void **state)
{
    static const volt_score scores[] = {VOLT_SCORE_R2, VOLT_SCORE_NMSE, VOLT_SCORE_MSE, VOLT_SCORE_PREQUENTIAL,
                                        VOLT_SCORE_LOG};
    volt_rng rng = test_rng(2304);
    plain_problem problem = plain_problem_make(&rng, 70, 2, 2);
    for (int s = 0; s < 5; s++) {
        volt_search *search = search_many(&problem, scores[s]);
        volt_search_info info = {.struct_size = sizeof info};
        volt_search_get_info(search, &info);
        assert_int_equal(info.score, scores[s]);
        assert_int_equal(info.folds, scores[s] == VOLT_SCORE_LOG ? 1 : 4);
        double sign = scores[s] == VOLT_SCORE_NMSE || scores[s] == VOLT_SCORE_MSE ? -1 : 1;
        const volt_trial *best = volt_search_trial(search, VOLT_TRIAL_BEST);
        int beaten = 0;
        for (int64_t i = 0; i < info.trials; i++)
            beaten += sign * volt_search_trial(search, i)->score < sign * best->score;
        assert_int_equal(beaten, info.trials - 1);
        volt_search_free(search);
    }
    plain_problem_free(&problem);
}

/* NMSE is 1 - R2, fold by fold: they come from the same forecasts. */
static void nmse_is_one_minus_r2(void **state)
{
    volt_rng rng = test_rng(2305);
    plain_problem problem = plain_problem_make(&rng, 70, 2, 3);
    volt_search *r2 = search_many(&problem, VOLT_SCORE_R2), *nmse = search_many(&problem, VOLT_SCORE_NMSE);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(r2, &info);
    for (int64_t i = 0; i < info.trials; i++)
        for (int64_t f = 0; f < info.folds; f++) {
            double a = volt_search_trial(r2, i)->folds[f], b = volt_search_trial(nmse, i)->folds[f];
            assert_true(fabs(a + b - 1) <= 1e-12 * (1 + fabs(a)));
        }
    volt_search_free(nmse);
    volt_search_free(r2);
    plain_problem_free(&problem);
}

/* A target that is constant over a block has R2 = 0 there, unless it is forecast exactly (scikit-learn). */
static void constant_targets(void **state)
{
    volt_rng rng = test_rng(2306);
    plain_problem problem = plain_problem_make(&rng, 50, 2, 1);
    for (int64_t i = 40; i < 50; i++) /* the last of four blocks of ten rows */
        problem.Y[i] = 0.25;
    volt_search_options options = options_with(VOLT_SCORE_R2, 0);
    volt_search *search = search_one(&problem, kernels[0], 1e-3, &options);
    assert_true(volt_search_trial(search, VOLT_TRIAL_BEST)->folds[3] == 0 &&
                isfinite(volt_search_trial(search, VOLT_TRIAL_BEST)->score));
    volt_search_free(search);
    plain_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_errors_equal_one_fit_per_row),
        cmocka_unit_test(log_score_equals_density_of_targets),
        cmocka_unit_test(log_score_is_in_the_units_of_the_targets),
        cmocka_unit_test(reported_best_has_highest_score),
        cmocka_unit_test(nmse_is_one_minus_r2),
        cmocka_unit_test(constant_targets),
    };
    return cmocka_run_group_tests_name("search_scores", tests, NULL, NULL);
}
