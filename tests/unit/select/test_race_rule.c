/* tests/unit/select/test_race_rule.c: when a race stops a candidate, with known values. */
#include "select/search/search_internal.h"
#include "support/check.h"

enum { FOLDS = 4 };

/* Scores of any size: a candidate that ties or could still tie continues; any other is stopped. */
static void tied_candidate_is_not_stopped(void **state)
{
    static const double sizes[] = {1e-6, 0.5, 3, 1e4};
    for (int size = 0; size < 4; size++) {
        double folds[FOLDS], same[FOLDS], worse[FOLDS];
        for (int k = 0; k < FOLDS; k++) {
            same[k] = folds[k] = sizes[size] * (1 + 0.1 * k);
            worse[k] = 5 * folds[k];
        }
        /* MSE: lower is better, and remaining errors may be 0. */
        const volt_trial best = {.score = sizes[size] * 1.15, .folds = folds};
        const volt_reference reference = {.best = &best, .spread = NAN};
        volt_race_rule rule = {VOLT_RACE_EXACT, VOLT_SCORE_MSE, FOLDS};
        for (int done = 1; done <= FOLDS; done++) {
            assert_false(volt_reference_beats(&rule, &reference, same, done));
            assert_true(volt_reference_beats(&rule, &reference, worse, done));
        }
        rule.race = VOLT_RACE_NONE;
        assert_false(volt_reference_beats(&rule, &reference, worse, FOLDS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tied_candidate_is_not_stopped)};
    return cmocka_run_group_tests_name("race rule", tests, NULL, NULL);
}
