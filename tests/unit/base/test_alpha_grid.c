/* tests/unit/base/test_alpha_grid.c: the grid of alpha and the choice from it. */
#include "base/alpha_grid.h"
#include "base/error.h"
#include "support/check.h"

/* Powers of ten times the unit, in grid order, above the rounding level. */
static void grids_are_powers_of_ten_in_order(void **state)
{
    static const struct {
        volt_alpha_grid grid;
        double first, last;
        int count;
    } grids[] = {{VOLT_ALPHA_SQUARES, 1e3, 1e-8, 12}, {VOLT_ALPHA_LOSS, 1e2, 1e-7, 10},
                 {VOLT_ALPHA_SERIES, 1e-8, 10, 10},   {VOLT_ALPHA_CLASS_LOSS, 1e-3, 10, 5},
                 {VOLT_ALPHA_ANOMALY, 1e-8, 1, 9},    {VOLT_ALPHA_AUTOREGRESSION, 1e2, 1e-6, 9},
                 {VOLT_ALPHA_SEARCH, 10, 1e-8, 10}};
    double alphas[VOLT_MAX_ALPHAS];
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        int64_t count = volt_alpha_list(grids[i].grid, 1, 0, alphas);
        assert_int_equal(count, grids[i].count);
        assert_int_equal(count, volt_alpha_count(grids[i].grid));
        assert_true(alphas[0] == grids[i].first && alphas[count - 1] == grids[i].last);
        assert_true(volt_alpha_low(grids[i].grid) == fmin(grids[i].first, grids[i].last));
        assert_true(volt_alpha_high(grids[i].grid) == fmax(grids[i].first, grids[i].last));
    }
    assert_int_equal(volt_alpha_list(VOLT_ALPHA_SQUARES, 2, 0.02, alphas), 5); /* 2000 .. 0.2 */
    assert_true(alphas[4] == 2 * 0.1);
    assert_int_equal(volt_alpha_list(VOLT_ALPHA_SQUARES, DBL_MAX / 50, 0, alphas), 10);
    assert_int_equal(volt_alpha_list(VOLT_ALPHA_SQUARES, 0, 0, alphas), 0);
}

static void unit_is_the_mean_over_rows_with_a_target(void **state)
{
    const double diagonal[] = {3, 0, 5, 4};
    double least;
    assert_true(volt_alpha_unit(diagonal, 4, 3, &least) == 4);
    assert_true(fabs(least - 10 * 4 * DBL_EPSILON * 5) < DBL_EPSILON);
    assert_true(volt_alpha_unit(diagonal, 4, 0, &least) == 0);
}

/* ---- choice ----------------------------------------------------------------------------------- */

/* Errors of two columns by log10 alpha, and a record of the calls. */
typedef struct table {
    double errors[VOLT_MAX_ALPHAS][2], seconds[VOLT_MAX_ALPHAS]; /* from the smallest power, -8 */
    double screened[VOLT_MAX_ALPHAS];
    int singular; /* smaller powers cannot be evaluated */
    int evaluations, screenings, kept;
} table;

static int power_of(const volt_alpha_choice *choice)
{
    return (int)lround(log10(choice->alpha));
}

static volt_status evaluate(void *context, volt_alpha_choice *choice)
{
    table *t = context;
    int power = power_of(choice);
    t->evaluations++;
    if (power < t->singular)
        return volt_fail(VOLT_ERR_SINGULAR, "power %d", power);
    for (int64_t k = 0; k < choice->columns; k++)
        t->kept += volt_alpha_offer(choice, k, t->errors[power + 8][k], t->seconds[power + 8]);
    return VOLT_OK;
}

static volt_status screen(void *context, volt_alpha_choice *choice)
{
    table *t = context;
    t->screenings++;
    for (int64_t k = 0; k < choice->columns; k++)
        assert_false(volt_alpha_offer(choice, k, t->screened[power_of(choice) + 8], 0));
    return VOLT_OK;
}

static volt_status out_of_memory(void *context, volt_alpha_choice *choice)
{
    (void)context;
    (void)choice;
    return VOLT_ERR_MEMORY;
}

static void fill(table *t, double value)
{
    *t = (table){.singular = -9};
    for (int i = 0; i < VOLT_MAX_ALPHAS; i++)
        t->errors[i][0] = t->errors[i][1] = t->screened[i] = value;
}

/* Each column has its own minimum. Ties are broken by the second number, then by order. */
static void smallest_error_wins_ties_to_first(void **state)
{
    table t;
    volt_alpha_best best[2] = {{0}};
    volt_alpha_choice choice = {
        .grid = VOLT_ALPHA_SQUARES, .unit = 1, .evaluate = evaluate, .context = &t, .columns = 2, .best = best};
    fill(&t, 7);
    t.errors[8 - 3][0] = t.errors[8 - 5][0] = 2;
    t.errors[8 + 1][1] = NAN;
    t.errors[8 + 2][1] = -INFINITY;
    check_ok(volt_alpha_choose(&choice));
    assert_true(best[0].alpha == 1e-3 && best[0].error == 2);
    assert_true(best[1].alpha == 100);
    assert_int_equal(t.evaluations, 12);
    assert_int_equal(choice.tried, 12);
    assert_int_equal(choice.failed, 0);

    volt_alpha_best one;
    fill(&t, 7);
    check_ok(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, &t, &one));
    assert_true(one.alpha == 1e-8);
    t.seconds[4] = -1;
    check_ok(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, &t, &one));
    assert_true(one.alpha == 1e-4);
    t.evaluations = 0;
    check_ok(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 1e-2, evaluate, &t, &one));
    assert_true(one.alpha == 1e-2);
    assert_int_equal(t.evaluations, 1);
}

static void singular_candidates_are_skipped(void **state)
{
    table t;
    volt_alpha_best best;
    fill(&t, 1);
    t.singular = -2;
    check_ok(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, &t, &best));
    assert_true(best.alpha == 1e-2);
    t.singular = 9;
    assert_int_equal(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, &t, &best), VOLT_ERR_SINGULAR);
    assert_true(best.alpha == 0);
    fill(&t, INFINITY);
    check_ok(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, evaluate, &t, &best));
    assert_true(best.alpha == 0);
    assert_int_equal(volt_alpha_choose_one(VOLT_ALPHA_SERIES, 0, out_of_memory, &t, &best), VOLT_ERR_MEMORY);
}

/* 100, 10, 1, then two without improvement: 0.1 and 0.01. */
static void loss_grid_stops_after_two_failures(void **state)
{
    table t;
    volt_alpha_best best;
    fill(&t, 3);
    t.errors[8][0] = 2;
    t.errors[8 - 4][0] = 1;
    check_ok(volt_alpha_choose_one(VOLT_ALPHA_LOSS, 0, evaluate, &t, &best));
    assert_true(best.alpha == 1);
    assert_int_equal(t.evaluations, 5);
    assert_int_equal(volt_alpha_patience(VOLT_ALPHA_LOSS), 2);
    assert_int_equal(volt_alpha_patience(VOLT_ALPHA_SQUARES), 0);
}

/* The most promising candidate is evaluated first. Candidates with a bound above the best error are not
 * evaluated. */
static void screened_candidates_are_evaluated_in_score_order(void **state)
{
    table t;
    volt_alpha_best best = {0};
    volt_alpha_choice choice = {.grid = VOLT_ALPHA_SQUARES,
                                .unit = 1,
                                .evaluate = evaluate,
                                .screen = screen,
                                .context = &t,
                                .columns = 1,
                                .best = &best};
    fill(&t, 9);
    t.screened[0] = 1;
    t.screened[1] = 2;
    t.screened[2] = 4;
    t.errors[0][0] = 5;
    t.errors[1][0] = 3;
    t.errors[2][0] = 0; /* bound 4, above the best error 3: not evaluated */
    check_ok(volt_alpha_choose(&choice));
    assert_true(best.alpha == 1e-7 && best.error == 3);
    assert_int_equal(t.screenings, 12);
    assert_int_equal(t.evaluations, 2);
    assert_int_equal(t.kept, 2);

    t.screenings = 0;
    best = (volt_alpha_best){0};
    choice.given = 1e-2;
    check_ok(volt_alpha_choose(&choice));
    assert_int_equal(t.screenings, 0);
    assert_true(best.alpha == 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grids_are_powers_of_ten_in_order),
                                       cmocka_unit_test(unit_is_the_mean_over_rows_with_a_target),
                                       cmocka_unit_test(smallest_error_wins_ties_to_first),
                                       cmocka_unit_test(singular_candidates_are_skipped),
                                       cmocka_unit_test(loss_grid_stops_after_two_failures),
                                       cmocka_unit_test(screened_candidates_are_evaluated_in_score_order)};
    return cmocka_run_group_tests_name("alpha grid", tests, NULL, NULL);
}
