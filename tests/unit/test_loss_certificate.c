/* tests/unit/test_loss_certificate.c: objectives and duality gaps computed by hand. */
#include "loss/loss_problem.h"
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* One row of weight 2 with target y, levels 0.25 and 0.75, K = k, alpha = 2, no intercept. */
typedef struct one_row {
    volt_loss *loss;
    double Y[2], p[2], w, K, diagonal, A[2], U[2], G[2], c[2], workspace[4];
    volt_loss_problem problem;
    volt_loss_state state;
} one_row;

static void certify(one_row *row, double y, double k, double a0, double a1)
{
    *row = (one_row){.Y = {y, y}, .p = {0.25, 0.75}, .w = 2, .K = k, .diagonal = k, .A = {a0, a1}};
    check_ok(volt_loss_parse("quantile:q=0.25/0.75", &row->loss));
    row->problem = (volt_loss_problem){.loss = row->loss,
                                       .n = 1,
                                       .columns = 2,
                                       .group = 2,
                                       .Y = volt_view_of(row->Y, 1, 2),
                                       .p = row->p,
                                       .weights = &row->w,
                                       .alpha = 2,
                                       .K = volt_matrix_of(&row->K, 1, 1),
                                       .diagonal = &row->diagonal,
                                       .norm = fabs(k)};
    row->state = (volt_loss_state){.A = volt_matrix_of(row->A, 1, 2),
                                   .U = volt_matrix_of(row->U, 1, 2),
                                   .G = volt_matrix_of(row->G, 1, 2),
                                   .c = row->c};
    for (int j = 0; j < 2; j++)
        row->G[j] = -2 * row->A[j];
    volt_loss_bound(&row->problem, NULL);
    volt_loss_certify(&row->problem, 1e-6, &row->state, row->workspace);
}

/* Both levels are below the target, so the slopes are -w q = -0.5 and -1.5, the coefficients 0.25 and 0.75,
 * and J = 2 (0.25 * 0.75 + 0.75 * 0.25) + 0.0625 + 0.5625 = 1.375. All numbers are exact. */
static void slopes_at_the_bounds_of_a_weighted_row_are_feasible(void **state)
{
    (void)state;
    one_row row;
    certify(&row, 1, 1, 0.25, 0.75);
    assert_true(row.state.objective == 1.375);
    assert_true(row.state.gap == 0);
    assert_true(row.problem.floor == 0 && row.problem.ceiling == 2);
    volt_loss_free(row.loss);
}

/* Above the target the slopes are w (1 - q) = 1.5 and 0.5: coefficients -0.75 and -0.25 with the target at
 * -1. */
static void slopes_at_the_upper_bounds_are_feasible(void **state)
{
    (void)state;
    one_row row;
    certify(&row, -1, 1, -0.75, -0.25);
    assert_true(row.state.objective == 1.375);
    assert_true(row.state.gap == 0);
    volt_loss_free(row.loss);
}

/* Doubled slopes are scaled down to feasible ones: the gap is J - D >= J - 1.375. */
static void slopes_outside_bounds_are_scaled(void **state)
{
    (void)state;
    one_row row;
    certify(&row, 1, 1, 0.5, 1.5);
    assert_true(row.G[0] == -0.5 && row.G[1] == -1.5);
    assert_true(row.state.gap >= row.state.objective - 1.375);
    volt_loss_free(row.loss);
}

/* The readout is (0.75, 0.25): its levels cross, and there is no intercept to separate them. */
static void crossing_levels_are_not_certified(void **state)
{
    (void)state;
    one_row row;
    certify(&row, 1, 1, 0.75, 0.25);
    assert_true(isinf(row.state.gap));
    volt_loss_free(row.loss);
}

/* K = -1 is not a Gram matrix: u is the target, and the squared norm is -2. */
static void objectives_below_the_floor_are_not_certified(void **state)
{
    (void)state;
    one_row row;
    certify(&row, 1, -1, -1, -1);
    assert_true(row.state.objective == -2);
    assert_true(isinf(row.state.gap));
    volt_loss_free(row.loss);
}

/* Coefficients that are e too large, with the slopes of the minimum: the excess is 0, and the gap is
 * sum K (2 e)^2 / (2 alpha) = 2 e^2. A bound of 1e6 on the norm of K is not sufficient, so that the value is computed. */
static void gap_is_computed_where_the_bound_is_too_large(void **state)
{
    (void)state;
    const double e = 1e-5;
    one_row row;
    certify(&row, 1, 1, 0.25, 0.75);
    row.problem.norm = 1e6;
    row.A[0] = 0.25 + e;
    row.A[1] = 0.75 + e;
    row.G[0] = -0.5;
    row.G[1] = -1.5;
    volt_loss_certify(&row.problem, 1e-6, &row.state, row.workspace);
    assert_true(fabs(row.state.gap - 2 * e * e) <= 1e-3 * e * e);
    volt_loss_certify(&row.problem, 1, &row.state, row.workspace); /* here it is */
    assert_true(fabs(row.state.gap - 2e6 * e * e) <= 1e3 * e * e);
    volt_loss_free(row.loss);
}

/* The tolerance is relative to the objective, and at least the rounding of n terms of the size of the bounds. */
static void tolerance_is_above_rounding(void **state)
{
    (void)state;
    volt_loss_problem problem = {.n = 50, .floor = -0.25, .ceiling = 4};
    assert_true(volt_loss_gap_tolerance(&problem, 1e-3, -2) == 2e-3);
    assert_true(volt_loss_gap_tolerance(&problem, 0, -2) == 50 * DBL_EPSILON * 4);
    problem.floor = -8;
    assert_true(volt_loss_gap_tolerance(&problem, 0, 1) == 50 * DBL_EPSILON * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_at_the_bounds_of_a_weighted_row_are_feasible),
        cmocka_unit_test(slopes_at_the_upper_bounds_are_feasible),
        cmocka_unit_test(slopes_outside_bounds_are_scaled),
        cmocka_unit_test(crossing_levels_are_not_certified),
        cmocka_unit_test(objectives_below_the_floor_are_not_certified),
        cmocka_unit_test(gap_is_computed_where_the_bound_is_too_large),
        cmocka_unit_test(tolerance_is_above_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
