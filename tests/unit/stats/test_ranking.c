/* tests/unit/stats/test_ranking.c: areas under the ROC and precision-recall curves, with known values and compared
 * with plain sums over pairs. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra/stats.h"

static void near_to(double actual, double expected, double tolerance)
{
    golden_check_number("value", expected, actual, tolerance, GOLDEN_ABSOLUTE);
}

static volt_ranking ranking_of(const double *scores, const int *marked, int64_t n)
{
    volt_ranking ranking = {.struct_size = sizeof ranking};
    check_ok(volt_ranking_compute(scores, marked, n, &ranking));
    return ranking;
}

/* ---- reference -------------------------------------------------------------------------------- */

static double plain_roc(const double *scores, const int *marked, int64_t n)
{
    double sum = 0, pairs = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (marked[i] && !marked[j]) {
                pairs++;
                sum += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
            }
    return sum / pairs;
}

/* The mean over positive rows of the precision among all rows with at least that score. */
static double plain_precision(const double *scores, const int *marked, int64_t n)
{
    double sum = 0, count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!marked[i])
            continue;
        double above = 0, right = 0;
        for (int64_t j = 0; j < n; j++)
            if (scores[j] >= scores[i]) {
                above++;
                right += marked[j] != 0;
            }
        sum += right / above;
        count++;
    }
    return sum / count;
}

/* ---- cases ------------------------------------------------------------------------------------ */

static void areas_by_hand(void **state)
{
    const double scores[] = {0.1, 0.4, 0.35, 0.8};
    const int marked[] = {0, 0, 1, 1}; /* the scikit-learn example: 0.75 and 0.8333... */
    volt_ranking ranking = ranking_of(scores, marked, 4);
    near_to(ranking.roc_auc, 0.75, 4 * DBL_EPSILON);
    near_to(ranking.pr_auc, (1 + 2.0 / 3) / 2, 4 * DBL_EPSILON);
    assert_int_equal(ranking.marked, 2);
    assert_int_equal(ranking.others, 2);

    const double same[] = {3, 3, 3, 3, 3}, rising[] = {1, 2, 3, 4, INFINITY};
    const int some[] = {0, 1, 0, 0, 1}, last[] = {0, 0, 0, 1, 1}, first[] = {1, 1, 0, 0, 0};
    near_to(ranking_of(same, some, 5).roc_auc, 0.5, 0);
    near_to(ranking_of(same, some, 5).pr_auc, 0.4, 4 * DBL_EPSILON);
    near_to(ranking_of(rising, last, 5).roc_auc, 1, 0);
    near_to(ranking_of(rising, last, 5).pr_auc, 1, 0);
    near_to(ranking_of(rising, first, 5).roc_auc, 0, 0);
    near_to(ranking_of(rising, first, 5).pr_auc, (1.0 / 4 + 2.0 / 5) / 2, 4 * DBL_EPSILON);
}

/* Many ties: scores are integers. */
static void areas_are_sums_over_pairs(void **state)
{
    enum { MOST = 60 };
    volt_rng rng = test_rng(5);
    for (int run = 0; run < 200; run++) {
        double scores[MOST];
        int marked[MOST];
        int64_t n = 2 + (int64_t)(volt_rng_uniform(&rng) * (MOST - 2));
        double levels = run % 2 ? 6 : 1e6;
        for (int64_t i = 0; i < n; i++) {
            scores[i] = floor(volt_rng_uniform(&rng) * levels);
            marked[i] = volt_rng_uniform(&rng) < 0.3;
        }
        marked[0] = 1;
        marked[n - 1] = 0;
        volt_ranking ranking = ranking_of(scores, marked, n);
        near_to(ranking.roc_auc, plain_roc(scores, marked, n), 1e-13);
        near_to(ranking.pr_auc, plain_precision(scores, marked, n), 1e-13);
    }
}

static void rankings_without_two_classes_are_rejected(void **state)
{
    const double scores[] = {1, 2, NAN};
    const int none[] = {0, 0, 0}, all[] = {1, 1, 1}, some[] = {1, 0, 1};
    volt_ranking ranking = {.struct_size = sizeof(volt_ranking), .roc_auc = 7};
    check_fails(volt_ranking_compute(scores, none, 2, &ranking), VOLT_ERR_DATA, "of 0 2");
    check_fails(volt_ranking_compute(scores, all, 2, &ranking), VOLT_ERR_DATA, "of 2");
    check_fails(volt_ranking_compute(scores, some, 3, &ranking), VOLT_ERR_NOT_FINITE, "score 2");
    check_fails(volt_ranking_compute(NULL, some, 3, &ranking), VOLT_ERR_ARGUMENT, "NULL");
    failing_alloc_start(1);
    volt_status status = volt_ranking_compute(scores, some, 2, &ranking);
    failing_alloc_stop();
    assert_int_equal(status, VOLT_ERR_MEMORY);
    near_to(ranking.roc_auc, 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_by_hand),
        cmocka_unit_test(areas_are_sums_over_pairs),
        cmocka_unit_test(rankings_without_two_classes_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
