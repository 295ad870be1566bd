/* tests/unit/solve/test_loss_diagonal.c: losses of independent rows: slopes at the ends of their range, and fits with a diagonal
 * Gram matrix, whose rows are problems of one variable. */
#include "solve/loss/loss_solve.h"
#include "support/check.h"
#include "support/sequences.h"

/* At the ends of its range a slope has the conjugate of the limit, with 0 log 0 = 0. At the slope of u itself the excess is 0
 * up to rounding, and never negative. */
static void excess_at_the_ends_of_the_range(void **state)
{
    volt_rng rng = test_rng(4414);
    for (int draw = 0; draw < 2000; draw++) {
        double y = draw % 2 ? 1 : -1, u = 3 * volt_rng_normal(&rng), count = draw % 5, g, d;
        double own = volt_loss_logistic.value(0, y, u), other = volt_loss_logistic.value(0, -y, u);
        assert_true(fabs(volt_loss_logistic.excess(0, y, u, 0) - own) <= 4 * DBL_EPSILON * own);
        assert_true(fabs(volt_loss_logistic.excess(0, y, u, -y) - other) <= 4 * DBL_EPSILON * other);
        assert_true(fabs(volt_loss_poisson.excess(0, count, u, -count) - exp(u)) <=
                    8 * DBL_EPSILON * (exp(u) + count));
        volt_loss_logistic.slope(0, y, u, 0, INFINITY, &g, &d);
        for (int ulp = -2; ulp <= 2; ulp++) {
            double excess = volt_loss_logistic.excess(0, y, u, g * (1 + ulp * DBL_EPSILON));
            assert_true(excess >= 0 && excess <= 8 * DBL_EPSILON * (1 + fabs(u)));
        }
        volt_loss_poisson.slope(0, count, u, 0, INFINITY, &g, &d);
        for (int ulp = -2; ulp <= 2; ulp++) {
            double excess = volt_loss_poisson.excess(0, count, u, g * (1 + ulp * DBL_EPSILON));
            assert_true(excess >= 0 && excess <= 16 * DBL_EPSILON * (1 + exp(u) + count) * (1 + fabs(u)));
        }
    }
}

/* ---- a diagonal Gram matrix ------------------------------------------------------------------- */

enum { N = 24 };

/* The minimum over a of w l(y, k a) + alpha k a^2 / 2, by golden sections; the objective is convex. */
static double plain_minimum(const volt_loss *loss, double y, double w, double k, double alpha)
{
    const double golden = (sqrt(5) - 1) / 2;
    double low = -50, high = 50;
    for (int step = 0; step < 200; step++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        double at_a = w * loss->kind->value(loss->values[0], y, k * a) + alpha * k * a * a / 2;
        double at_b = w * loss->kind->value(loss->values[0], y, k * b) + alpha * k * b * b / 2;
        if (at_a < at_b)
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}

/* K = diag(k_i). Most targets are 0, so that the median of the residuals is 0 and their scale unknown. */
static void rows_of_a_diagonal_matrix_are_independent(void **state)
{
    static const char *const texts[] = {"huber:delta=0.1", "quantile:q=0.3", "epsilon:epsilon=0.2",
                                        "expectile:q=0.7", "logistic",       "poisson"};
    volt_rng rng = test_rng(4420);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int weighted = 0; weighted < 2; weighted++) {
            double K[N * N] = {0}, Y[N] = {0}, A[N], U[N], c = 0, w[N];
            volt_loss *loss = NULL;
            check_ok(volt_loss_parse(texts[t], &loss));
            for (int i = 0; i < N; i++) {
                K[i * (N + 1)] = 0.5 + volt_rng_uniform(&rng);
                Y[i] = i % 6 == 0 ? 1 + i % 4 : 0;
                if (loss->kind == &volt_loss_logistic)
                    Y[i] = i % 3 == 0 ? 1 : -1;
                w[i] = 0.5 + volt_rng_uniform(&rng);
            }
            double diagonal[N];
            for (int i = 0; i < N; i++)
                diagonal[i] = K[i * (N + 1)];
            volt_loss_task task = {.loss = loss,
                                   .Y = volt_view_of(Y, N, 1),
                                   .weights = weighted ? w : NULL,
                                   .alpha = 0.3,
                                   .tolerance = 1e-10,
                                   .share = 1};
            volt_loss_result result = {.A = volt_matrix_of(A, N, 1), .U = volt_matrix_of(U, N, 1), .c = &c};
            check_ok(volt_loss_minimise(volt_matrix_of(K, N, N), &task, &result));
            for (int i = 0; i < N; i++) {
                double expected = plain_minimum(loss, Y[i], weighted ? w[i] : 1, diagonal[i], 0.3);
                if (!(fabs(A[i] - expected) <= 1e-5 && fabs(U[i] - diagonal[i] * A[i]) <= 1e-12))
                    fail_msg("%s, row %d: %.12g, expected %.12g", texts[t], i, A[i], expected);
            }
            volt_loss_free(loss);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(excess_at_the_ends_of_the_range),
        cmocka_unit_test(rows_of_a_diagonal_matrix_are_independent),
    };
    return cmocka_run_group_tests_name("losses of independent rows", tests, NULL, NULL);
}
