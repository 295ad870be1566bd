/* tests/unit/model/test_error_lists.c: the rows covered by a model's error lists, and the rows used for each
 * output when errors are missing. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

enum { KEPT = 300, MOST = KEPT / 2, Q = 2 };

/* The far list starts where it contains MOST rows with a target. Rows without a target are not counted. */
static void long_horizon_list_counts_targets(void **state)
{
    bool without[KEPT];
    volt_model_errors errors = {0};
    volt_row_errors wanted[VOLT_ROW_ERRORS];
    for (int hole = 0; hole < 4; hole++) {
        int64_t begin = KEPT;
        for (int i = 0; i < KEPT; i++)
            without[i] = hole > 0 && i % (hole + 2) == 0;
        for (int64_t targets = 0; targets < MOST;) /* reference: counted from the end */
            targets += !without[--begin];
        check_ok(volt_errors_prepare(KEPT, Q, 1, hole > 0 ? without : NULL, KEPT, &errors, wanted));
        assert_int_equal(wanted[VOLT_ERRORS_FAR].begin, begin);
        assert_int_equal(wanted[VOLT_ERRORS_FAR].most, KEPT - KEPT / 4);
        assert_int_equal(wanted[VOLT_ERRORS_NEAR].begin, 0);
        assert_int_equal(errors.lists[VOLT_ERRORS_FAR].rows, KEPT - begin);
        assert_true(begin < KEPT - MOST || hole == 0);
        volt_errors_release(&errors);
    }
}

/* A row with an error only for output 0, and one with an error only for output 1. */
static void each_output_uses_its_rows(void **state)
{
    volt_model_errors errors = {0};
    double scores[VOLT_INTERVAL_SCORES];
    check_ok(volt_error_list_allocate(KEPT, Q, &errors.lists[VOLT_ERRORS_NEAR]));
    check_ok(volt_error_list_allocate(KEPT, Q, &errors.lists[VOLT_ERRORS_FAR]));
    volt_error_list *far = &errors.lists[VOLT_ERRORS_FAR];
    for (int t = 0; t < KEPT; t++)
        for (int k = 0; k < Q; k++) {
            far->scale[t * Q + k] = t % (3 + 2 * k) == 0 ? 0 : 1;
            far->e[t * Q + k] = (t % 2 ? -1 : 1) * (1000 * k + t);
        }
    for (int k = 0; k < Q; k++) {
        int64_t count = volt_error_scores(&errors, Q, k, scores), t = KEPT;
        assert_int_equal(count, MOST);
        while (count > 0) {
            while (--t % (3 + 2 * k) == 0)
                ;
            assert_true(scores[--count] == (double)(1000 * k + t));
        }
    }
    volt_errors_release(&errors);
}

/* Outputs whose errors differ in unit and in the available rows. */
static void errors_are_in_output_units(void **state)
{
    enum { N = 120 };
    volt_rng rng = test_rng(2706);
    double *X = normal_rows(&rng, N, 1), Y[N * Q], out[N * Q], half[Q];
    const double units[Q] = {1, 1000}, coverage = 0.8;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < Q; k++)
            Y[i * Q + k] = units[k] * (sin(X[i]) + 0.1 * volt_rng_normal(&rng));
    volt_fit_options options = volt_fit_options_default();
    volt_kernel *kernel = plain_parse("rbf:gamma=0.5");
    volt_model *model = NULL;
    options.alpha = 0.1;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(Y, N, Q), &options, (volt_matrix){0},
                            &model));
    volt_error_list *near = &model->errors.lists[VOLT_ERRORS_NEAR];
    assert_int_equal(near->rows, N);
    near->scale[50 * Q] = near->scale[60 * Q + 1] = 0; /* as for a row without a forecast */
    assert_int_equal(volt_model_errors_read(model, volt_matrix_of(out, N, Q)), N);
    for (int i = 1; i < N; i++)
        for (int k = 0; k < Q; k++) {
            assert_int_equal(isnan(out[i * Q + k]), (i == 50 && k == 0) || (i == 60 && k == 1));
            assert_true(isnan(out[i * Q + k]) || out[i * Q + k] == model->target_scale[k] * near->e[i * Q + k]);
        }
    check_ok(volt_model_interval(model, &coverage, 1, volt_matrix_of(half, 1, Q)));
    for (int k = 0; k < Q; k++) { /* 80 % of noise with standard deviation 0.1 lie within 0.13 of 0 */
        assert_true(half[k] > 0.05 * units[k] && half[k] < 0.3 * units[k]);
        double scores[VOLT_INTERVAL_SCORES];
        int64_t count = volt_error_scores(&model->errors, Q, k, scores), within = 0;
        for (int64_t i = 0; i < count; i++)
            within += model->target_scale[k] * scores[i] <= half[k];
        assert_int_equal(within, (int64_t)ceil(0.8 * (double)(count + 1) - 1e-9));
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_horizon_list_counts_targets),
        cmocka_unit_test(each_output_uses_its_rows),
        cmocka_unit_test(errors_are_in_output_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
