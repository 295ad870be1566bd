/* tests/unit/solve/test_loss_certificate.c: objectives and duality gaps computed by hand. */
#include "solve/loss/loss_solve.h"
#include "support/check.h"
#include "support/plain_linear.h"
#include "support/sequences.h"

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
    one_row row;
    certify(&row, -1, 1, -0.75, -0.25);
    assert_true(row.state.objective == 1.375);
    assert_true(row.state.gap == 0);
    volt_loss_free(row.loss);
}

/* Doubled slopes are scaled down to feasible ones: the gap is J - D >= J - 1.375. */
static void slopes_outside_bounds_are_scaled(void **state)
{
    one_row row;
    certify(&row, 1, 1, 0.5, 1.5);
    assert_true(row.G[0] == -0.5 && row.G[1] == -1.5);
    assert_true(row.state.gap >= row.state.objective - 1.375);
    volt_loss_free(row.loss);
}

/* The readout is (0.75, 0.25): its levels cross, and there is no intercept to separate them. */
static void crossing_levels_are_not_certified(void **state)
{
    one_row row;
    certify(&row, 1, 1, 0.75, 0.25);
    assert_true(isinf(row.state.gap));
    volt_loss_free(row.loss);
}

/* K = -1 is not a Gram matrix: u is the target, and the squared norm is -2. */
static void objectives_below_the_floor_are_not_certified(void **state)
{
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
    volt_loss_problem problem = {.n = 50, .floor = -0.25, .ceiling = 4};
    assert_true(volt_loss_gap_tolerance(&problem, 1e-3, -2) == 2e-3);
    assert_true(volt_loss_gap_tolerance(&problem, 0, -2) == 50 * DBL_EPSILON * 4);
    problem.floor = -8;
    assert_true(volt_loss_gap_tolerance(&problem, 0, 1) == 50 * DBL_EPSILON * 8);
}

/* ---- random readouts and slopes ---------------------------------------------------------------- */

enum { ROWS = 9, COLUMNS = 3 };

/* Whether the slopes of row i have a finite conjugate: within the range of a single column, partial sums within the sums of
 * the levels, or y plus slopes in the simplex. */
static void check_row(const volt_loss_problem *p, int64_t i, const double *g)
{
    const double *y = p->Y.data + i * p->Y.ld, w = p->weights[i], off = 1e-13 * (1 + w);
    double sum = 0, levels = 0, low, high;
    for (int64_t k = 0; k < p->columns; k++) {
        if (w == 0)
            assert_true(g[k] == 0);
        sum += g[k];
        levels += p->p[k];
        if (w > 0 && p->loss->kind->row) {
            assert_true(g[k] + w * y[k] >= -off);
        } else if (w > 0 && p->group > 1) {
            assert_true(-sum <= w * levels + off);
        } else if (w > 0) {
            p->loss->kind->range(p->p[k], y[k], &low, &high);
            assert_true(g[k] >= w * low - off && g[k] <= w * high + off);
        }
    }
    if (p->loss->kind->row)
        assert_true(fabs(sum) <= off);
    sum = levels = 0;
    for (int64_t k = p->columns; p->group > 1 && !p->loss->kind->row && w > 0 && k-- > 0;) {
        sum += g[k];
        levels += 1 - p->p[k];
        assert_true(sum <= w * levels + off);
    }
}

/* The ends of the slopes of l, by hand. */
static void ranges_by_definition(void **state)
{
    static const struct {
        const volt_loss_kind *kind;
        double p, y, low, high;
    } cases[] = {{&volt_loss_huber, 0.3, 2, -0.3, 0.3},
                 {&volt_loss_quantile, 0.3, 2, -0.3, 0.7},
                 {&volt_loss_epsilon, 0.2, 2, -1, 1},
                 {&volt_loss_logistic, 0, 1, -1, 0},
                 {&volt_loss_logistic, 0, -1, 0, 1},
                 {&volt_loss_poisson, 0, 3, -3, INFINITY},
                 {&volt_loss_squares, 0, 3, -INFINITY, INFINITY},
                 {&volt_loss_expectile, 0.2, 3, -INFINITY, INFINITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low = 7, high = 7;
        cases[i].kind->range(cases[i].p, cases[i].y, &low, &high);
        assert_true(low == cases[i].low && high == cases[i].high);
    }
}

/* Any slopes become feasible, and feasible ones stay. U, objective and gap by their definitions; with an intercept, levels
 * that cross are moved apart, as little as possible from the first on. */
static void certificates_of_random_readouts(void **state)
{
    static const struct {
        const char *text;
        int64_t columns;
    } cases[] = {{"huber:delta=0.3", 1},     {"quantile:q=0.3", 1},  {"quantile:q=0.2/0.5/0.7", 3},
                 {"epsilon:epsilon=0.2", 2}, {"expectile:q=0.7", 1}, {"logistic", 1},
                 {"multinomial", 3},         {"poisson", 1}};
    volt_rng rng = test_rng(4430);
    int finite = 0, all = 0;
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++)
        for (int draw = 0; draw < 24; draw++) {
            int64_t m = cases[t].columns;
            double *K = plain_random_spd(&rng, ROWS, 0.2), Y[ROWS * COLUMNS], w[ROWS], q[COLUMNS],
                   A[ROWS * COLUMNS], U[ROWS * COLUMNS], G[ROWS * COLUMNS], c[COLUMNS], moved[COLUMNS],
                   diagonal[ROWS], space[2 * ROWS * COLUMNS], before[ROWS * COLUMNS];
            volt_loss *loss = NULL;
            check_ok(volt_loss_parse(cases[t].text, &loss));
            for (int64_t i = 0; i < ROWS; i++) {
                double y = volt_rng_normal(&rng);
                w[i] = i % 4 == 3 ? 0 : 0.3 + 2 * volt_rng_uniform(&rng);
                diagonal[i] = K[i * (ROWS + 1)];
                for (int64_t k = 0; k < m; k++) {
                    Y[i * m + k] = loss->kind == &volt_loss_logistic  ? (y > 0 ? 1 : -1)
                                   : loss->kind == &volt_loss_poisson ? floor(fabs(3 * y))
                                   : loss->kind->row                  ? i % 3 == k
                                                                      : y;
                    A[i * m + k] = 0.05 * volt_rng_normal(&rng);
                    G[i * m + k] = (draw % 3 + 0.5) * volt_rng_normal(&rng);
                    if (loss->kind->row) /* near probabilities less y */
                        G[i * m + k] =
                            w[i] * (0.2 * G[i * m + k] / (draw % 3 + 0.5) + 1.0 / COLUMNS - Y[i * m + k]);
                    q[k] = loss->count > 0 ? loss->values[k % loss->count] : 0;
                    c[k] = moved[k] = 0.3 * volt_rng_normal(&rng) + (draw % 4 == 3 ? 3.0 * (double)k : 0);
                }
            }
            volt_loss_problem problem = {.loss = loss,
                                         .n = ROWS,
                                         .columns = m,
                                         .group = loss->kind->row   ? m
                                                  : loss->count > 1 ? loss->count
                                                                    : 1,
                                         .Y = volt_view_of(Y, ROWS, m),
                                         .p = q,
                                         .weights = w,
                                         .alpha = 0.4,
                                         .intercept = draw % 2,
                                         .K = volt_matrix_of(K, ROWS, ROWS),
                                         .diagonal = diagonal,
                                         .norm = 7};
            volt_loss_state made = {.A = volt_matrix_of(A, ROWS, m),
                                    .U = volt_matrix_of(U, ROWS, m),
                                    .G = volt_matrix_of(G, ROWS, m),
                                    .c = c};
            volt_loss_bound(&problem, NULL);
            volt_loss_certify(&problem, 1e-9, &made, space);
            double objective = 0, excess = 0, squares = 0, expected[ROWS * COLUMNS];
            bool crosses = problem.group > 1 && !loss->kind->row;
            for (int64_t i = 0; i < ROWS; i++) {
                check_row(&problem, i, G + i * m);
                for (int64_t k = 0; k < m; k++) {
                    double u = 0, off = G[i * m + k] + 0.4 * A[i * m + k];
                    for (int64_t j = 0; j < ROWS; j++)
                        u += K[i * ROWS + j] * A[j * m + k];
                    objective += 0.2 * u * A[i * m + k];
                    squares += off * off;
                    expected[i * m + k] = u + moved[k];
                }
            }
            for (int64_t k = 0; problem.intercept && k < m; k++) {
                double sum = 0, most = 0;
                for (int64_t i = 0; i < ROWS; i++) {
                    sum += G[i * m + k];
                    if (crosses && k > 0 && w[i] > 0)
                        most = fmax(most, expected[i * m + k - 1] - expected[i * m + k]);
                }
                assert_true(fabs(sum) <= 1e-12);
                moved[k] += most;
                for (int64_t i = 0; i < ROWS; i++)
                    expected[i * m + k] += most;
            }
            for (int64_t k = 0; k < m; k++)
                assert_true(fabs(c[k] - moved[k]) <= 1e-13);
            for (int64_t i = 0; i < ROWS; i++) {
                double scaled[COLUMNS];
                for (int64_t k = 0; k < m; k++) {
                    assert_true(fabs(U[i * m + k] - expected[i * m + k]) <= 1e-13);
                    scaled[k] = w[i] > 0 ? G[i * m + k] / w[i] : 0;
                }
                const double *y = Y + i * m, *u = U + i * m;
                if (w[i] > 0 && loss->kind->row) {
                    objective += w[i] * loss->kind->row->value(m, y, u);
                    excess += w[i] * loss->kind->row->excess(m, y, u, scaled);
                }
                double of_row = 0;
                for (int64_t k = 0; w[i] > 0 && !loss->kind->row && k < m; k++) {
                    objective += w[i] * loss->kind->value(q[k], y[k], u[k]);
                    of_row += w[i] * loss->kind->excess(q[k], y[k], u[k], scaled[k]);
                }
                excess += fabs(of_row); /* of levels that cross, the sum may be negative */
            }
            assert_true(fabs(made.objective - objective) <= 1e-12 * (1 + fabs(objective)));
            all++;
            if (isfinite(made.gap)) { /* unless levels cross, or coefficients are far from the slopes */
                double distance =
                    0; /* computed if the excess is within the tolerance, otherwise bounded by the norm */
                for (int64_t k = 0; k < m; k++)
                    for (int64_t i = 0; i < ROWS; i++)
                        for (int64_t j = 0; j < ROWS; j++)
                            distance += K[i * ROWS + j] * (G[i * m + k] + 0.4 * A[i * m + k]) *
                                        (G[j * m + k] + 0.4 * A[j * m + k]);
                bool is_small = excess <= volt_loss_gap_tolerance(&problem, 1e-9, objective);
                double gap = excess + (is_small ? distance : 7 * squares) / 0.8;
                finite++;
                if (!(fabs(made.gap - gap) <= 1e-12 * (1 + gap)))
                    fail_msg("%s: gap %.17g, expected %.17g", cases[t].text, made.gap, gap);
            }
            memcpy(before, G, sizeof before);
            volt_loss_certify(&problem, 1e-9, &made, space);
            for (int64_t i = 0; i < ROWS * m; i++)
                assert_true(fabs(G[i] - before[i]) <= 1e-11);
            volt_loss_free(loss);
            free(K);
        }
    print_message("# %d of %d gaps are finite\n", finite, all);
    assert_true(finite > all / 3);
}

/* Medians of the known rows of each target; the mean of three weighted counts. */
static void constants_by_hand(void **state)
{
    const double Y[] = {NAN, 10, 1, NAN, 2, 30, 9, 20, NAN, 40}, counts[] = {1, 4, 10}, w[] = {2, 1, 0};
    double forecast[2] = {0};
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse("epsilon:epsilon=0.001", &loss));
    check_ok(volt_loss_constant(loss, volt_view_of(Y, 5, 2), NULL, 2, forecast));
    assert_true(fabs(forecast[0] - 2) <= 0.002 && forecast[1] >= 20 - 0.002 && forecast[1] <= 30 + 0.002);
    volt_loss_free(loss);
    check_ok(volt_loss_parse("poisson", &loss));
    check_ok(volt_loss_constant(loss, volt_view_of(counts, 3, 1), w, 1, forecast));
    assert_true(fabs(forecast[0] - 2) <= 1e-6); /* the square root of rounding */
    volt_loss_free(loss);
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
        cmocka_unit_test(constants_by_hand),
        cmocka_unit_test(ranges_by_definition),
        cmocka_unit_test(certificates_of_random_readouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
