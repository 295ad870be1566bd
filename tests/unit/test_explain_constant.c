/* tests/unit/test_explain_constant.c: a model of a constant has no variance to explain. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constant_model_has_no_shares)};
    return cmocka_run_group_tests_name("explain constant", tests, NULL, NULL);
}
