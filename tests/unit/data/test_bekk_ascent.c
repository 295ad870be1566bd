/* tests/unit/data/test_bekk_ascent.c: the BEKK optimiser in unusual cases: stalled iterations, LAPACK failures,
 * no optimiser, points without a likelihood. */
#include "base/progress.h"
#include "data/bekk/bekk_likelihood.h"
#include "faults/failing.h"
#include "faults/failing_functions.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/polling.h"

#include <errno.h>

/* ---- LAPACK calls (called by failing_lapack.c) -------------------------------------------------- */

static int64_t fail_at, asked;

bool fault_due(fault_family family)
{
    assert_int_equal(family, FAULT_LAPACK);
    return ++asked == fail_at;
}

/* ---- a small problem -------------------------------------------------------------------------- */

enum { ROWS = 150, D = 2, SIZE = D * (D + 2) };
static double returns[ROWS][D];
static volt_bekk_likelihood likelihood;

static int make_returns(void **state)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(D, &bekk));
    const double C[] = {0.3, 0.1, 0, 0.4}, a[] = {0.4, 0.3}, b[] = {0.8, 0.85};
    memcpy(bekk->C, C, sizeof C);
    memcpy(bekk->a, a, sizeof a);
    memcpy(bekk->b, b, sizeof b);
    const volt_matrix nothing = {NULL, 0, 0, 0};
    check_ok(volt_bekk_simulate(bekk, NULL, nothing, volt_matrix_of(returns[0], ROWS, D), nothing));
    volt_bekk_free(bekk);
    fault_find_lapack();
    check_ok(volt_bekk_likelihood_create(volt_view_of(returns[0], ROWS, D), NULL, &likelihood));
    return 0;
}

static int free_returns(void **state)
{
    volt_bekk_likelihood_free(&likelihood);
    return 0;
}

static void begin(double *point)
{
    check_ok(volt_bekk_start_common(&likelihood, point + D * D, point + D * D + D, point));
}

static volt_status climb(int64_t rounds, double enough, volt_progress progress, double *point,
                         volt_bekk_ascent *ascent)
{
    volt_stage stage;
    volt_stage_begin(&stage, progress, "climb", 0, 1, (double)rounds);
    volt_status status = volt_bekk_climb(&likelihood, rounds, enough, &stage, point, ascent);
    return status == VOLT_OK ? volt_stage_end(&stage) : status;
}

static const volt_progress unwatched = {NULL, NULL};

/* ---- tests ------------------------------------------------------------------------------------ */

/* With an unreachable tolerance, the iterations with scores stall at the maximum and the Hessian takes over.
 * The reported remaining gain equals that of volt_bekk_curve at the point. */
static void stalled_ascent_uses_hessian(void **state)
{
    double point[SIZE], beyond[SIZE];
    volt_bekk_ascent usual = {0}, further = {0};
    begin(point);
    check_ok(climb(40, 1e-8, unwatched, point, &usual));
    memcpy(beyond, point, sizeof point);
    check_ok(climb(40, -1, unwatched, beyond, &further));
    assert_true(further.loglik >= usual.loglik && further.loglik - usual.loglik < 1e-6);
    assert_true(further.gain_left >= 0 && further.gain_left < 1e-6);

    volt_stage stage;
    volt_bekk_curvature curvature;
    volt_stage_begin(&stage, unwatched, "curve", 0, 1, 1);
    check_ok(volt_bekk_curve(&likelihood, beyond, &stage, NULL, &curvature));
    assert_true(curvature.is_maximum);
    /* Gradients are bitwise equal. Hessians agree to the error of the finite differences. */
    assert_true(fabs(further.gain_left - curvature.gain_left) <= 1e-3 * curvature.gain_left);
}

/* A scale that cannot be factored slows convergence but is not a failure: the maximum is the same. */
static void every_factorisation_may_fail(void **state)
{
    double point[SIZE], other[SIZE];
    volt_bekk_ascent usual = {0}, found = {0};
    begin(point);
    fail_at = 0;
    asked = 0;
    check_ok(climb(60, -1, unwatched, point, &usual));
    int64_t calls = asked;
    assert_true(calls > 2);
    for (fail_at = 1; fail_at <= calls; fail_at++) {
        asked = 0;
        begin(other);
        check_ok(climb(60, -1, unwatched, other, &found));
        if (!(fabs(found.loglik - usual.loglik) < 1e-6))
            fail_msg("call %d of dpotrf fails: loglik %.12g, not %.12g", (int)fail_at, found.loglik,
                     usual.loglik);
    }
    fail_at = 0;
}

static int stop_at(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    int64_t *left = context;
    return --*left == 0;
}

static void cancellation_at_every_poll(void **state)
{
    double point[SIZE], before[SIZE];
    for (int64_t k = 1;; k += 1 + k / 8) {
        int64_t left = k;
        volt_bekk_ascent ascent = {.evaluations = -7};
        begin(point);
        memcpy(before, point, sizeof point);
        volt_status status = climb(40, -1, (volt_progress){stop_at, &left}, point, &ascent);
        if (left > 0) {
            check_ok(status);
            assert_true(k > 30);
            break;
        }
        check_fails(status, VOLT_ERR_CANCELLED, "cancelled");
        assert_int_equal(left, 0); /* the callback is not called again */
        if (ascent.evaluations == -7)
            assert_memory_equal(point, before, sizeof point);
    }
}

static void every_allocation_may_fail(void **state)
{
    double point[SIZE], before[SIZE];
    volt_bekk_ascent ascent = {.evaluations = -7};
    begin(point);
    memcpy(before, point, sizeof point);
    failing_function_start("nlopt_create", 1, ENOMEM);
    failing_alloc_start(0);
    volt_status status = climb(40, 1e-8, unwatched, point, &ascent);
    assert_int_equal(failing_alloc_live(), 0);
    failing_alloc_stop();
    assert_true(failing_function_stop());
    check_fails(status, VOLT_ERR_MEMORY, "7 parameters");
    failing_alloc_start(1);
    status = climb(40, 1e-8, unwatched, point, &ascent);
    failing_alloc_stop();
    check_fails(status, VOLT_ERR_MEMORY, "allocate");
    assert_memory_equal(point, before, sizeof point);
    assert_int_equal(ascent.evaluations, -7);
}

/* ---- points without a likelihood -------------------------------------------------------------- */

static void ascent_from_infeasible_start_is_rejected(void **state)
{
    double point[SIZE];
    volt_bekk_ascent ascent = {0};
    begin(point);
    point[0] = 1e200; /* overflows when squared */
    check_fails(climb(40, 1e-8, unwatched, point, &ascent), VOLT_ERR_SINGULAR, "point");
}

static void singular_covariance_is_rejected(void **state)
{
    volt_bekk_likelihood singular;
    const double first[] = {1, 2, 1}; /* indefinite */
    double a[] = {0.2, 0.2}, b[] = {0.9, 0.9}, C[4];
    check_ok(volt_bekk_likelihood_create(volt_view_of(returns[0], ROWS, D), first, &singular));
    assert_false(volt_bekk_target_variance(&singular, a, b, C));
    check_fails(volt_bekk_start_common(&singular, a, b, C), VOLT_ERR_DATA, "columns");
    volt_bekk_likelihood_free(&singular);
}

/* One asset with a = b = 0 has H = c^2 from the second step on. Returns equal to c have a score of 0 in c,
 * so the finite difference for the Hessian takes the step 1e-3 = c, to H = 0, where the likelihood is
 * undefined. */
static void hessian_near_infeasible_point_is_missing(void **state)
{
    enum { STEPS = 20 };
    double rows[STEPS], point[] = {1e-3, 0, 0}, first = 1e-6;
    for (int t = 0; t < STEPS; t++)
        rows[t] = 1e-3;
    volt_bekk_likelihood alone;
    volt_bekk_curvature curvature = {.is_maximum = -7};
    volt_stage stage;
    check_ok(volt_bekk_likelihood_create(volt_view_of(rows, STEPS, 1), &first, &alone));
    volt_stage_begin(&stage, unwatched, "curve", 0, 1, 3);
    check_ok(volt_bekk_curve(&alone, point, &stage, NULL, &curvature));
    assert_int_equal(curvature.is_maximum, 0);
    assert_true(isinf(curvature.gain_left));
    assert_true(point[0] == 1e-3);
    point[0] = 0; /* and at the point itself */
    volt_stage_begin(&stage, unwatched, "curve", 0, 1, 3);
    check_ok(volt_bekk_curve(&alone, point, &stage, NULL, &curvature));
    assert_int_equal(curvature.is_maximum, 0);
    volt_bekk_likelihood_free(&alone);
}

/* Two proportional assets have an unbounded likelihood: covariances tend to singular ones. Steps of the
 * optimiser to covariances that are singular by rounding are rejected, and the ascent ends at a point with a
 * likelihood. */
static void ascent_to_singular_covariances_stays_feasible(void **state)
{
    enum { STEPS = 60 };
    double rows[STEPS][D], point[SIZE] = {0.5, 0.2, 0, 0.5, 0.3, 0.3, 0.5, 0.5}, gradient[SIZE];
    const double first[] = {1, 0, 1};
    const double *C = point, *a = C + D * D, *b = a + D;
    for (int t = 0; t < STEPS; t++) {
        rows[t][0] = returns[t][0];
        rows[t][1] = 0.5 * returns[t][0];
    }
    volt_bekk_likelihood singular;
    volt_bekk_ascent ascent = {0};
    volt_stage stage;
    double before = 0, after = 0;
    check_ok(volt_bekk_likelihood_create(volt_view_of(rows[0], STEPS, D), first, &singular));
    assert_int_equal(volt_bekk_likelihood_evaluate(&singular, C, a, b, &before, gradient), -1);
    volt_stage_begin(&stage, unwatched, "climb", 0, 1, 40);
    check_ok(volt_bekk_climb(&singular, 40, 1e-8, &stage, point, &ascent));
    assert_int_equal(volt_bekk_likelihood_evaluate(&singular, C, a, b, &after, gradient), -1);
    assert_true(after == ascent.loglik); /* the same operations */
    assert_true(after > before + STEPS); /* the determinants decrease by more than a factor of e^2 */
    volt_bekk_likelihood_free(&singular);
}

static void overflowing_returns_are_rejected(void **state)
{
    double rows[60];
    for (int t = 0; t < 60; t++)
        rows[t] = t % 2 ? 1e200 : -1e200;
    volt_bekk *bekk = NULL;
    check_fails(volt_bekk_fit(volt_view_of(rows, 60, 1), NULL, &bekk, NULL), VOLT_ERR_DATA, "column 1");
    assert_null(bekk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stalled_ascent_uses_hessian),
        cmocka_unit_test(every_factorisation_may_fail),
        cmocka_unit_test_setup_teardown(cancellation_at_every_poll, poll_always, poll_as_usual),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(ascent_from_infeasible_start_is_rejected),
        cmocka_unit_test(singular_covariance_is_rejected),
        cmocka_unit_test(hessian_near_infeasible_point_is_missing),
        cmocka_unit_test(ascent_to_singular_covariances_stays_feasible),
        cmocka_unit_test(overflowing_returns_are_rejected),
    };
    return cmocka_run_group_tests_name("bekk_ascent", tests, make_returns, free_returns);
}
