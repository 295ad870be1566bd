/* tests/unit/solve/test_loss_newton.c: Newton's method on smooth losses from starts far from the minimum. */
#include "solve/loss/loss_solve.h"
#include "support/check.h"

enum { N = 3, MAX_STEPS = 100 };

/* The minimum of l(y, u) + alpha u^2 / 2, by bisection of its derivative. */
static double plain_minimum(const volt_loss *loss, double y, double alpha)
{
    bool counts = loss->kind == &volt_loss_poisson;
    double low = -1e3, high = 1e3;
    for (int step = 0; step < 100; step++) {
        double u = (low + high) / 2, slope = counts ? exp(u) - y : -y / (1 + exp(y * u));
        *(slope + alpha * u > 0 ? &high : &low) = u;
    }
    return (counts ? exp(low) - y * low : log1p(exp(-y * low))) + alpha / 2 * low * low;
}

/* Full steps from the first two starts go past the minimum, to an overflow of exp(u). The line search makes the method
 * globally convergent. With K = I and without an intercept the rows are independent. */
static void smooth_losses_converge_from_anywhere(void **state)
{
    static const struct {
        const char *loss;
        double alpha, start; /* of u */
        double y[N];
    } cases[] = {
        {"poisson", 0.1, 0, {1000, 3, 200}}, {"poisson", 0.01, -5, {40, 0, 1e5}}, {"poisson", 1, 8, {0, 2, 1}},
        {"logistic", 0.01, 8, {-1, -1, 1}},  {"logistic", 1e-3, -6, {1, 1, -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double K[N * N], diagonal[N], p = 0, c = 0, A[N], U[N], G[N] = {0};
        int64_t steps = 0;
        volt_loss *loss = NULL;
        check_ok(volt_loss_parse(cases[i].loss, &loss));
        for (int s = 0; s < N; s++) {
            for (int t = 0; t < N; t++)
                K[s * N + t] = s == t ? 1 : 0;
            diagonal[s] = 1;
            A[s] = U[s] = cases[i].start; /* u = K a */
        }
        volt_loss_problem problem = {.loss = loss,
                                     .n = N,
                                     .columns = 1,
                                     .group = 1,
                                     .Y = volt_view_of(cases[i].y, N, 1),
                                     .p = &p,
                                     .alpha = cases[i].alpha,
                                     .K = volt_matrix_of(K, N, N),
                                     .diagonal = diagonal,
                                     .norm = 1};
        volt_loss_state found = {
            .A = volt_matrix_of(A, N, 1), .U = volt_matrix_of(U, N, 1), .G = volt_matrix_of(G, N, 1), .c = &c};
        const volt_newton_task task = {
            .min_shift = 1e-15, .tolerance = 1e-10, .one_more = true, .max_steps = MAX_STEPS};
        volt_loss_bound(&problem, NULL);
        check_ok(volt_newton_run(&problem, &task, &found, &steps));
        double least = 0;
        for (int s = 0; s < N; s++)
            least += plain_minimum(loss, cases[i].y[s], cases[i].alpha);
        print_message("# %s, alpha %g, start %g: %d steps, gap %g of %g, expected %g\n", cases[i].loss,
                      cases[i].alpha, cases[i].start, (int)steps, found.gap, found.objective, least);
        assert_true(found.gap <= task.tolerance * fabs(least));
        assert_true(fabs(found.objective - least) <= task.tolerance * fabs(least));
        assert_true(steps < MAX_STEPS);
        volt_loss_free(loss);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_losses_converge_from_anywhere),
    };
    return cmocka_run_group_tests_name("Newton's method", tests, NULL, NULL);
}
