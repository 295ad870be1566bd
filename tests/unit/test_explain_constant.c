/* tests/unit/test_explain_constant.c: a model of a constant has no variance to explain; kernels that overflow. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The variance is 0, so the share of every order is 0. */
static void constant_model_has_no_shares(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    volt_rng rng = test_rng(7704);
    double X[ROWS], Y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        X[i] = 2 * volt_rng_uniform(&rng) - 1;
        Y[i] = 3;
    }
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-6;
    volt_kernel *kernel = plain_parse("volterra:tau=0.3,lambda=0.5,lift=exponential");
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, 1), volt_view_of(Y, ROWS, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_explain_options asked = volt_explain_options_default();
    asked.lags = 2;
    volt_explanation *e = NULL;
    check_ok(volt_model_explain(model, &asked, &e));
    assert_true(e->shares && fabs(e->g0[0] - 3) < 1e-12);
    for (int64_t i = 0; i <= e->share_orders; i++)
        assert_true(e->shares[i] == 0 && e->variances[i] == 0);
    volt_explanation_free(e);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* Outputs of 1e300: with inputs of 1e-5 the kernel of order 2 overflows, with inputs of 1e-12 that of order 1. */
static void kernels_that_overflow_are_rejected(void **state)
{
    (void)state;
    enum { ROWS = 30 };
    static const double units[] = {1, 1e-5, 1e-12};
    for (int overflow = 0; overflow < 3; overflow++) {
        volt_rng rng = test_rng(7705);
        double X[ROWS], Y[ROWS];
        for (int i = 0; i < ROWS; i++) {
            double x = 2 * volt_rng_uniform(&rng) - 1;
            X[i] = units[overflow] * x;
            Y[i] = 1e300 * (x + x * x);
        }
        volt_fit_options options = volt_fit_options_default();
        options.alpha = 1e-3;
        volt_kernel *kernel = plain_parse("volterra:tau_coef=0.6,lambda_coef=0.5");
        volt_model *model = NULL;
        check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, 1), volt_view_of(Y, ROWS, 1), &options,
                                volt_matrix_of(NULL, 0, 0), &model));
        volt_explain_options asked = volt_explain_options_default();
        asked.lags = 2;
        asked.band = asked.shares = 0;
        volt_explanation *e = NULL;
        if (overflow == 0)
            check_ok(volt_model_explain(model, &asked, &e));
        else
            check_fails(volt_model_explain(model, &asked, &e), VOLT_ERR_NOT_FINITE,
                        overflow == 1 ? "order 2" : "order 1");
        volt_explanation_free(e);
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constant_model_has_no_shares),
                                       cmocka_unit_test(kernels_that_overflow_are_rejected)};
    return cmocka_run_group_tests_name("explain constant", tests, NULL, NULL);
}
