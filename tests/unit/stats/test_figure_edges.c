/* tests/unit/stats/test_figure_edges.c: statistics of extreme data. */
#include "stats/stats_internal.h"
#include "support/check.h"
#include "volterra.h"

/* ---- metrics ---------------------------------------------------------------------------------- */

/* Squares that overflow, by themselves or divided by a tiny variance. The error names the first such output. */
static void overflowing_scores(void **state)
{
    const double truth[] = {0, 1, 1, 2, 2, 3}, far[] = {0, 1, 1e200, 2, 2, 3},
                 both[] = {1e200, 1e200, 1, 2, 2, 3};
    const double tiny[] = {1e-200, 2e-200, 3e-200}, errors[] = {1e100, 2e-200, 3e-200};
    volt_metrics metrics = {.struct_size = sizeof(volt_metrics), .mse = 7};
    volt_skill skill = {.struct_size = sizeof(volt_skill), .skill = 7};
    double r2 = 7;
    volt_view Y = volt_view_of(truth, 3, 2);
    check_fails(volt_metrics_compute(Y, volt_view_of(far, 3, 2), &metrics), VOLT_ERR_NOT_FINITE, "column 0");
    check_fails(volt_metrics_compute(Y, volt_view_of(both, 3, 2), &metrics), VOLT_ERR_NOT_FINITE, "column 0");
    check_fails(volt_metrics_compute(volt_view_of(tiny, 3, 1), volt_view_of(errors, 3, 1), &metrics),
                VOLT_ERR_NOT_FINITE, "column 0");
    check_fails(volt_r2(volt_view_of(tiny, 3, 1), volt_view_of(errors, 3, 1), &r2), VOLT_ERR_NOT_FINITE,
                "column 0");
    const double near[] = {1e-200, 2e-200, 2e-200};
    check_fails(volt_skill_compute(volt_view_of(tiny, 3, 1), volt_view_of(errors, 3, 1),
                                   volt_view_of(near, 3, 1), (volt_view){0}, 1, 0, &skill),
                VOLT_ERR_NOT_FINITE, "squares column 0");
    assert_true(metrics.mse == 7 && r2 == 7 && skill.skill == 7);
    /* large values with errors of the same size are valid, although their squares overflow */
    const double large[] = {1e200, 2e200, 3e200}, off[] = {1e200, 2e200, 4e200};
    check_ok(volt_r2(volt_view_of(large, 3, 1), volt_view_of(off, 3, 1), &r2));
    assert_true(fabs(r2 - 0.5) < 1e-15);
}

/* Errors of changes relative to the variance of the levels. For constant levels the error is 0 if exact,
 * otherwise 1. */
static void errors_normalised_by_level_variance(void **state)
{
    const double part[] = {1, 2, 4}, wrong[] = {1, 2, 5}, levels[] = {10, 12, 14}, constant[] = {3, 3, 3};
    volt_output off = {part, wrong, 1, 1, 3}, exact = {part, part, 1, 1, 3};
    volt_output moving = {levels, levels, 1, 1, 3}, still = {constant, constant, 1, 1, 3};
    assert_true(fabs(volt_output_nmse_of_levels(&off, &moving) - (1.0 / 3) / (8.0 / 3)) < 1e-15);
    assert_true(volt_output_nmse_of_levels(&exact, &moving) == 0);
    assert_true(volt_output_nmse_of_levels(&off, &still) == 1);
    assert_true(volt_output_nmse_of_levels(&exact, &still) == 0);
}

/* Constant losses: every statistic is infinite, and the larger loss is eliminated first, for any column
 * order. */
static void constant_predictions(void **state)
{
    enum { T = 12, M = 4 };
    static const double levels[][M] = {{0, 3, 1, 2}, {3, 2, 1, 0}, {1, 0, 3, 2}};
    for (int method = 0; method < 2; method++)
        for (size_t c = 0; c < sizeof levels / sizeof *levels; c++) {
            double losses[T * M];
            int64_t indices[5 * T];
            volt_mcs_options options = volt_mcs_options_default();
            volt_mcs *mcs = NULL;
            for (int i = 0; i < T * M; i++)
                losses[i] = levels[c][i % M];
            for (int i = 0; i < 5 * T; i++)
                indices[i] = i * 7 % T;
            options.method = method ? VOLT_MCS_MAX : VOLT_MCS_R;
            options.indices = indices;
            options.reps = 5;
            check_fails(volt_mcs_compute(volt_view_of(losses, 1, M), &options, &mcs), VOLT_ERR_SHAPE, "");
            assert_null(mcs);
            options.indices = indices;
            options.reps = 5;
            check_ok(volt_mcs_compute(volt_view_of(losses, T, M), &options, &mcs));
            for (int s = 0; s < M; s++)
                assert_true(levels[c][mcs->order[s]] == M - 1 - s);
            for (int s = 0; s < M - 1; s++)
                assert_true(isinf(mcs->statistics[s]));
            volt_mcs_free(mcs);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflowing_scores),
        cmocka_unit_test(errors_normalised_by_level_variance),
        cmocka_unit_test(constant_predictions),
    };
    return cmocka_run_group_tests_name("figure edges", tests, NULL, NULL);
}
