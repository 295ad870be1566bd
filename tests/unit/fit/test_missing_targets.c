/* tests/unit/fit/test_missing_targets.c: rows with missing targets update the state and are excluded from the fit. */
#include "support/check.h"
#include "support/plain_linear.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 60, D = 2, Q = 2, LATER = 9 };

typedef struct sample {
    double *X, *Y;
} sample;

static sample draw(volt_rng *rng, double share)
{
    sample s = {normal_rows(rng, N + LATER, D), normal_rows(rng, N, Q)};
    for (int i = 0; i < N; i++)
        if (volt_rng_uniform(rng) < share)
            s.Y[i * Q + (i % Q)] = NAN; /* one missing output of two is enough */
    return s;
}

static bool is_there(const sample *s, int i)
{
    return !isnan(s->Y[i * Q]) && !isnan(s->Y[i * Q + 1]);
}

/* The readout from only the rows with targets: bordered system [K + alpha I, 1; 1', 0]. Predicts all rows of
 * X, including the later ones. */
static void plain_forecasts(const sample *s, const volt_kernel *kernel, int washout, double alpha, double *out)
{
    enum { ALL = N + LATER };
    int rows[N] = {0}, m = 0;
    for (int i = washout; i < N; i++)
        if (is_there(s, i))
            rows[m++] = i;
    double *K = new_matrix(ALL, ALL), *A = new_matrix(m + 1, m + 1), *B = new_matrix(m + 1, Q);
    double radius = 0;
    for (int i = 0; i < N; i++)
        radius = fmax(radius, hypot(s->X[i * D], s->X[i * D + 1]));
    volt_gram_options options = volt_gram_options_default();
    options.mirror = 1;
    options.radius = radius;
    check_ok(volt_gram(kernel, volt_view_of(s->X, ALL, D), volt_view_of(NULL, 0, 0), &options,
                       volt_matrix_of(K, ALL, ALL)));
    for (int a = 0; a <= m; a++) {
        for (int b = 0; b <= m; b++)
            A[a * (m + 1) + b] = a < m && b < m ? K[rows[a] * ALL + rows[b]] + (a == b ? alpha : 0) : a != b;
        for (int k = 0; k < Q; k++)
            B[a * Q + k] = a < m ? s->Y[rows[a] * Q + k] : 0;
    }
    plain_solve(volt_view_of(A, m + 1, m + 1), volt_matrix_of(B, m + 1, Q));
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < Q; k++) {
            out[i * Q + k] = B[m * Q + k];
            for (int a = 0; a < m; a++)
                out[i * Q + k] += K[i * ALL + rows[a]] * B[a * Q + k];
        }
    free(K);
    free(A);
    free(B);
}

/* The condition of K + alpha I is at most n L / alpha, about 1e4 here, so 1e-9 is sufficient. Inputs stay
 * within the ball of the first N rows, so nothing is clipped. */
static void missing_target_only_updates_state(void **state)
{
    static const char *const kernels[] = {"volterra:tau_coef=0.4,lambda_coef=0.8", "rbf:gamma=0.3,window=3"};
    static const int washouts[] = {0, 7};
    volt_rng rng = test_rng(911);
    for (size_t t = 0; t < 2; t++)
        for (size_t w = 0; w < 2; w++) {
            sample s = draw(&rng, 0.25);
            for (int i = N; i < N + LATER; i++)
                for (int k = 0; k < D; k++)
                    s.X[i * D + k] /= 4;
            volt_kernel *kernel = NULL;
            check_ok(volt_kernel_parse(kernels[t], &kernel));
            double expected[(N + LATER) * Q], fitted[N * Q], later[LATER * Q];
            plain_forecasts(&s, kernel, washouts[w], 0.05, expected);
            volt_fit_options options = volt_fit_options_default();
            options.alpha = 0.05;
            options.scale = 0;
            options.washout = washouts[w];
            options.missing_targets = 1;
            volt_model *model = NULL;
            check_ok(volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options,
                                    volt_matrix_of(fitted, N, Q), &model));
            volt_predict_options ahead = volt_predict_options_default();
            ahead.beyond = VOLT_BEYOND_ERROR;
            check_ok(volt_model_predict(model, volt_view_of(s.X + N * D, LATER, D), &ahead,
                                        volt_matrix_of(later, LATER, Q), NULL));
            for (int i = 0; i < N * Q; i++)
                assert_true(fabs(fitted[i] - expected[i]) <= 1e-9);
            for (int i = 0; i < LATER * Q; i++)
                assert_true(fabs(later[i] - expected[N * Q + i]) <= 1e-9);
            volt_model_info info = {.struct_size = sizeof info};
            volt_model_get_info(model, &info);
            for (int i = 0; i < N; i++)
                if (!is_there(&s, i))
                    assert_true(info.coefficients[i * Q] == 0 && info.coefficients[i * Q + 1] == 0);
            volt_model_free(model);
            volt_kernel_free(kernel);
            free(s.X);
            free(s.Y);
        }
}

/* Alpha chosen with missing targets: held-out errors equal those of refits on the rows before each of 15 blocks of two. One
 * output, with mean squared errors compared at the chosen alpha, avoids target scaling. */
static void alpha_is_chosen_on_rows_with_targets(void **state)
{
    volt_rng rng = test_rng(912);
    sample s = draw(&rng, 0.2);
    for (int i = 0; i < N; i++) /* a learnable target */
        for (int k = 0; k < Q && is_there(&s, i); k++)
            s.Y[i * Q + k] = s.X[i * D] - 0.5 * (i ? s.X[(i - 1) * D + k] : 0) + 0.1 * s.Y[i * Q + k];
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse("volterra:tau_coef=0.4,lambda_coef=0.8", &kernel));
    volt_fit_options options = volt_fit_options_default();
    options.scale = 0;
    options.missing_targets = 1;
    volt_model *model = NULL;
    check_ok(volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    const volt_fit_report *report = info.report;
    assert_int_equal(report->rows, N / 2);
    for (int k = 0; k < Q; k++) {
        double sum = 0;
        int64_t counted = 0;
        for (int t = N / 2; t < N; t++) {
            if (!is_there(&s, t))
                continue;
            sample before = {s.X, new_matrix(N, Q)};
            for (int i = 0; i < N * Q; i++)
                before.Y[i] = i < (t - t % 2) * Q ? s.Y[i] : NAN;
            double out[(N + LATER) * Q];
            plain_forecasts(&before, kernel, 0, info.alphas[k], out);
            sum += (s.Y[t * Q + k] - out[t * Q + k]) * (s.Y[t * Q + k] - out[t * Q + k]);
            counted++;
            free(before.Y);
        }
        print_message("output %d: alpha %g, held out %g\n", k, info.alphas[k], report->mse[k]);
        assert_true(isfinite(info.alphas[k]));
        assert_true(fabs(report->mse[k] - sum / (double)counted) <= 1e-8 * sum);
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(s.X);
    free(s.Y);
}

/* R2 on held-out rows with constant targets is 1 for exact predictions and 0 for others, as in volt_r2. The mean of 0.1 is
 * rounded. */
static void constant_held_out_targets(void **state)
{
    volt_rng rng = test_rng(914);
    sample s = draw(&rng, 0.2);
    volt_kernel *kernel = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.missing_targets = 1;
    check_ok(volt_kernel_parse("volterra", &kernel));
    for (int exact = 0; exact <= 1; exact++) {
        for (int i = exact ? 0 : N / 2 * Q; i < N * Q; i++)
            s.Y[i] = isnan(s.Y[i]) ? NAN : 0.1;
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        check_ok(volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options,
                                volt_matrix_of(NULL, 0, 0), &model));
        volt_model_get_info(model, &info);
        assert_int_equal(info.report->rows, N / 2);
        assert_true(info.report->heldout_r2 == exact);
        for (int k = 0; k < Q; k++)
            assert_true((info.report->mse[k] == 0) == exact);
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
    free(s.X);
    free(s.Y);
}

static void missing_targets_require_option(void **state)
{
    volt_rng rng = test_rng(913);
    sample s = draw(&rng, 0.3);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_fails(volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options,
                               volt_matrix_of(NULL, 0, 0), &model),
                VOLT_ERR_NOT_FINITE, "targets");
    for (int i = 0; i < N; i++)
        s.Y[i * Q] = NAN;
    options.missing_targets = 1;
    check_fails(volt_model_fit(kernel, volt_view_of(s.X, N, D), volt_view_of(s.Y, N, Q), &options,
                               volt_matrix_of(NULL, 0, 0), &model),
                VOLT_ERR_DATA, "60 rows");
    assert_null(model);
    volt_kernel_free(kernel);
    free(s.X);
    free(s.Y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_target_only_updates_state),
        cmocka_unit_test(alpha_is_chosen_on_rows_with_targets),
        cmocka_unit_test(constant_held_out_targets),
        cmocka_unit_test(missing_targets_require_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
