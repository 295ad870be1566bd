/* tests/unit/explain/test_explain_constant.c: a model of a constant has no variance to explain; kernels that
 * overflow; the memory of inputs of different variance. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra.h"

/* The variance is 0, so the share of every order is 0. */
static void constant_model_has_no_shares(void **state)
{
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

/* Near the point of the expansion the parts of orders 0 to 4 are the whole prediction, and order 0 is the output for the
 * point: sums, windows and filters included. */
static void higher_orders_vanish_near_the_point(void **state)
{
    enum { ROWS = 40, D = 2, ORDER = 4 };
    static const char *const texts[] = {
        "fir:mu=0.6 + 2*rbf:gamma=0.5,pole=0.4,window=3", "linear + memory:gamma=0.5,rho=0.5,mu=0.6,pole=0.3",
        "rbf:gamma=0.5,window=4", "volterra:tau_coef=0.6,lambda_coef=0.6,pole=0.3 + fir:mu=0.5"};
    volt_rng rng = test_rng(7706);
    double *X = random_rows(&rng, ROWS, D, 1), *Y = normal_rows(&rng, ROWS, 1);
    const double point[D] = {0.3, -0.2};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        volt_kernel *kernel = plain_parse(texts[t]);
        volt_fit_options options = volt_fit_options_default();
        volt_model *model = NULL;
        double near[ROWS * D], still[ROWS * D], parts[ROWS * (ORDER + 2)], whole[ROWS], rest[ROWS];
        options.alpha = 0.1;
        options.scale = 0;
        check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, 1), &options,
                                volt_matrix_of(NULL, 0, 0), &model));
        for (int i = 0; i < ROWS * D; i++) {
            still[i] = point[i % D];
            near[i] = point[i % D] + 0.01 * X[i];
        }
        volt_explain_options asked = volt_explain_options_default();
        volt_predict_options predicting = volt_predict_options_default();
        asked.order = ORDER;
        asked.about = VOLT_ABOUT_POINT;
        asked.point = point;
        predicting.start = VOLT_START_RESET;
        check_ok(volt_model_orders(model, volt_view_of(near, ROWS, D), &asked,
                                   volt_matrix_of(parts, ROWS, ORDER + 2)));
        check_ok(volt_model_predict(model, volt_view_of(near, ROWS, D), &predicting,
                                    volt_matrix_of(whole, ROWS, 1), NULL));
        check_ok(volt_model_predict(model, volt_view_of(still, ROWS, D), &predicting,
                                    volt_matrix_of(rest, ROWS, 1), NULL));
        for (int i = 30; i < ROWS; i++) { /* after a zero initial state */
            const double *part = parts + i * (ORDER + 2);
            double sum = 0;
            for (int p = 0; p <= ORDER; p++)
                sum += part[p];
            if (!(fabs(part[0] - rest[i]) <= 1e-5 && fabs(part[ORDER + 1]) <= 1e-7 &&
                  fabs(sum - whole[i]) <= 1e-7))
                fail_msg("%s, row %d: order 0 is %g of %g, the rest is %g", texts[t], i, part[0], rest[i],
                         part[ORDER + 1]);
        }
        volt_model_free(model);
        volt_kernel_free(kernel);
    }
    free(X);
    free(Y);
}

/* y = x0 + x1[-1] / 2, with x1 a tenth of x0: lag 1 has 1 / 400 of the variance, and does not count as memory. */
static void memory_uses_the_variance_of_each_input(void **state)
{
    enum { ROWS = 120, D = 2, Q = 2, LAGS = 2 };
    volt_rng rng = test_rng(7711);
    double X[ROWS * D], Y[ROWS * Q], figures[8 * 2];
    for (int i = 0; i < ROWS; i++) {
        X[i * D] = 2 * volt_rng_uniform(&rng) - 1;
        X[i * D + 1] = 0.2 * volt_rng_uniform(&rng) - 0.1;
        Y[i * Q] = X[i * D] + (i ? 0.5 * X[(i - 1) * D + 1] : 0);
        Y[i * Q + 1] = X[i * D] + (i ? 2 * X[(i - 1) * D + 1] : 0); /* 4 % */
    }
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-9;
    volt_kernel *kernel = plain_parse("fir:pole=0.5");
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, D), volt_view_of(Y, ROWS, Q), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_explain_options asked = volt_explain_options_default();
    asked.lags = LAGS;
    volt_explanation *e = NULL;
    check_ok(volt_model_explain(model, &asked, &e));
    assert_int_equal(e->memory[0], 1);
    assert_int_equal(e->memory[1], 2);
    volt_explanation_free(e);

    /* Shapes of a comparison of two pasts. */
    volt_view past = volt_view_of(X, 4, D), narrow = {X, 4, D, 1};
    volt_matrix out = volt_matrix_of(figures, 5, 2);
    volt_progress quiet = {0};
    check_fails(volt_model_forgetting(model, narrow, past, past, quiet, out), VOLT_ERR_SHAPE, "");
    check_fails(volt_model_forgetting(model, past, narrow, past, quiet, out), VOLT_ERR_SHAPE, "");
    check_fails(volt_model_forgetting(model, past, past, narrow, quiet, out), VOLT_ERR_SHAPE, "");
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* Outputs of 1e200 and inputs of 1e150: the linear part is too large. */
static void part_too_large_is_rejected(void **state)
{
    enum { ROWS = 30 };
    volt_rng rng = test_rng(7708);
    double X[ROWS], Y[ROWS], far = 1e150, parts[3] = {0};
    for (int i = 0; i < ROWS; i++) {
        X[i] = volt_rng_normal(&rng);
        Y[i] = 1e200 * X[i];
    }
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    options.scale = 0;
    volt_kernel *kernel = plain_parse("fir");
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(X, ROWS, 1), volt_view_of(Y, ROWS, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_explain_options asked = volt_explain_options_default();
    asked.order = 1;
    check_fails(volt_model_orders(model, volt_view_of(&far, 1, 1), &asked, volt_matrix_of(parts, 1, 3)),
                VOLT_ERR_NOT_FINITE, "row 1");
    assert_true(parts[0] == 0 && parts[1] == 0 && parts[2] == 0);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(constant_model_has_no_shares),
                                       cmocka_unit_test(memory_uses_the_variance_of_each_input),
                                       cmocka_unit_test(kernels_that_overflow_are_rejected),
                                       cmocka_unit_test(higher_orders_vanish_near_the_point),
                                       cmocka_unit_test(part_too_large_is_rejected)};
    return cmocka_run_group_tests_name("explain constant", tests, NULL, NULL);
}
