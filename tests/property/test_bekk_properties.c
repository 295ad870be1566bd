/* tests/property/test_bekk_properties.c: gradient, scores and simulation of the BEKK model on random parameters, and
 * its estimator on samples whose parameters are known. */
#include "data/bekk/bekk.h"
#include "data/bekk/bekk_likelihood.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/data.h"

static const volt_matrix nothing = {NULL, 0, 0, 0};

/* Stationary parameters with a_i and b_i of either sign. */
static volt_bekk *random_parameters(volt_rng *rng, int64_t d)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(d, &bekk));
    for (int64_t i = 0; i < d; i++) {
        double radius = sqrt(0.3 + 0.65 * volt_rng_uniform(rng)), angle = 6.283185 * volt_rng_uniform(rng);
        bekk->a[i] = radius * cos(angle);
        bekk->b[i] = radius * sin(angle);
        for (int64_t j = i; j < d; j++)
            bekk->C[i * d + j] = (j == i ? 0.4 : 0) + 0.2 * volt_rng_normal(rng);
    }
    return bekk;
}

static double *simulate(const volt_bekk *bekk, int64_t n, uint64_t seed)
{
    double *returns = new_matrix(n, bekk->d);
    volt_bekk_simulate_options options = volt_bekk_simulate_options_default();
    options.seed = seed;
    check_ok(volt_bekk_simulate(bekk, &options, nothing, volt_matrix_of(returns, n, bekk->d), nothing));
    return returns;
}

static double loglik_at(volt_bekk_likelihood *likelihood, const volt_bekk *bekk, double *gradient)
{
    double loglik = 0;
    assert_int_equal(volt_bekk_likelihood_evaluate(likelihood, bekk->C, bekk->a, bekk->b, &loglik, gradient),
                     -1);
    return loglik;
}

/* Parameter k in the order of the gradient. */
static double *parameter_of(volt_bekk *bekk, int64_t k)
{
    int64_t d = bekk->d;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i; j < d; j++)
            if (k-- == 0)
                return bekk->C + i * d + j;
    return bekk->a + k; /* b follows a */
}

/* ---- derivatives ------------------------------------------------------------------------------ */

/* Central differences with step h err by h^2 / 6 of the third derivative, and by eps |l| / h: with h = 1e-5 times the
 * scale of a parameter, and third derivatives a few thousand times the gradient here, 1e-6 of its largest entry is
 * above both. Lengths around the number of lanes, too. */
static void gradient_equals_finite_differences(void **state)
{
    volt_rng rng = test_rng(101);
    static const int64_t sizes[][2] = {{1, 40}, {2, 7}, {2, 8}, {2, 9}, {3, 50}, {5, 33}, {8, 40}, {15, 61}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int64_t d = sizes[k][0], n = sizes[k][1], P = volt_bekk_parameter_count(d);
        volt_bekk *bekk = random_parameters(&rng, d);
        double *returns = normal_rows(&rng, n, d), *gradient = new_matrix(P, 1);
        volt_bekk_likelihood likelihood;
        check_ok(volt_bekk_likelihood_create(volt_view_of(returns, n, d), NULL, &likelihood));
        loglik_at(&likelihood, bekk, gradient);
        double largest = 0, worst = 0;
        for (int64_t p = 0; p < P; p++)
            largest = fmax(largest, fabs(gradient[p]));
        for (int64_t p = 0; p < P; p++) {
            double *parameter = parameter_of(bekk, p), kept = *parameter, step = 1e-5;
            *parameter = kept + step;
            double above = loglik_at(&likelihood, bekk, NULL);
            *parameter = kept - step;
            double below = loglik_at(&likelihood, bekk, NULL);
            *parameter = kept;
            worst = fmax(worst, fabs((above - below) / (2 * step) - gradient[p]));
        }
        print_message("d = %d, T = %d: gradient off by %.1e of %.3g\n", (int)d, (int)n, worst, largest);
        assert_true(largest > 1 && worst <= 1e-6 * largest);
        volt_bekk_likelihood_free(&likelihood);
        volt_bekk_free(bekk);
        free(gradient);
        free(returns);
    }
}

/* Scores come from sensitivities carried forward, the gradient from an adjoint carried backward. */
static void scores_sum_to_the_gradient(void **state)
{
    volt_rng rng = test_rng(102);
    for (int64_t d = 1; d <= 6; d++) {
        int64_t n = 45, P = volt_bekk_parameter_count(d);
        volt_bekk *bekk = random_parameters(&rng, d);
        double *returns = normal_rows(&rng, n, d), *gradient = new_matrix(P, 1);
        double *scores = new_matrix(n, P), *workspace = new_matrix(volt_bekk_scores_workspace(d), 1);
        volt_bekk_likelihood likelihood;
        check_ok(volt_bekk_likelihood_create(volt_view_of(returns, n, d), NULL, &likelihood));
        loglik_at(&likelihood, bekk, gradient);
        volt_bekk_scores(&likelihood, bekk->C, bekk->a, bekk->b, workspace, scores);
        for (int64_t p = 0; p < P; p++) {
            double sum = 0, size = 0;
            for (int64_t t = 0; t < n; t++) {
                sum += scores[t * P + p];
                size += fabs(scores[t * P + p]);
            }
            assert_true(fabs(sum - gradient[p]) <=
                        1e-11 * size); /* n d rounding errors, conditioned by H^{-1} */
        }
        volt_bekk_likelihood_free(&likelihood);
        volt_bekk_free(bekk);
        free(workspace);
        free(scores);
        free(gradient);
        free(returns);
    }
}

static void results_are_bitwise_independent_of_threads(void **state)
{
    enum { D = 12, N = 1200 }; /* large enough for more than one thread to be woken */
    volt_rng rng = test_rng(103);
    volt_bekk *bekk = random_parameters(&rng, D);
    double *gradients[2], loglik[2], *returns[2];
    for (int k = 0; k < 2; k++) {
        check_ok(volt_set_threads(k + 1));
        gradients[k] = new_matrix(volt_bekk_parameter_count(D), 1);
        returns[k] = simulate(bekk, N, 8);
        volt_bekk_likelihood likelihood;
        check_ok(volt_bekk_likelihood_create(volt_view_of(returns[k], N, D), NULL, &likelihood));
        loglik[k] = loglik_at(&likelihood, bekk, gradients[k]);
        volt_bekk_likelihood_free(&likelihood);
    }
    check_ok(volt_set_threads(0));
    assert_memory_equal(returns[0], returns[1], N * D * sizeof(double));
    assert_true(loglik[0] == loglik[1]);
    assert_memory_equal(gradients[0], gradients[1], (size_t)volt_bekk_parameter_count(D) * sizeof(double));
    for (int k = 0; k < 2; k++) {
        free(gradients[k]);
        free(returns[k]);
    }
    volt_bekk_free(bekk);
}

/* ---- simulation ------------------------------------------------------------------------------- */

/* The root R of H, column by column: R = R', R R = H, and R is positive definite (u' R u > 0). */
static void root_is_symmetric_and_squares_to_the_covariance(void **state)
{
    volt_rng rng = test_rng(104);
    for (int64_t d = 1; d <= 15; d += 2) {
        volt_bekk *bekk = random_parameters(&rng, d);
        double *packed = new_matrix(volt_packed_count(d), 1), *root = new_matrix(d, d),
               *unit = new_matrix(d, 1);
        double *workspace = new_matrix(volt_symmetric_root_workspace(d), 1), *image = new_matrix(d, 1);
        volt_bekk_intercept(d, bekk->C, packed);
        for (int64_t j = 0; j < d; j++) {
            for (int64_t i = 0; i < d; i++)
                unit[i] = i == j;
            check_ok(volt_symmetric_root(d, packed, unit, workspace, root + j * d));
        }
        double size = 0, tol;
        for (int64_t i = 0; i < d; i++)
            size += packed[volt_packed(i, i)]; /* the trace bounds the norm */
        tol = 20 * (double)d * DBL_EPSILON * size;
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++) {
                double product = 0;
                for (int64_t k = 0; k < d; k++)
                    product += root[i * d + k] * root[k * d + j];
                assert_true(fabs(product - packed[volt_packed(i, j)]) <= tol);
                assert_true(fabs(root[i * d + j] - root[j * d + i]) <=
                            20 * (double)d * DBL_EPSILON * sqrt(size));
            }
        for (int64_t i = 0; i < d; i++)
            unit[i] = volt_rng_normal(&rng);
        check_ok(volt_symmetric_root(d, packed, unit, workspace, image));
        double form = 0;
        for (int64_t i = 0; i < d; i++)
            form += unit[i] * image[i];
        assert_true(form > 0);
        free(image);
        free(workspace);
        free(unit);
        free(root);
        free(packed);
        volt_bekk_free(bekk);
    }
}

/* Means over a long sample. H is autocorrelated, with a memory of about 1 / (1 - a^2 - b^2) <= 1 / 0.13 steps here, so
 * that n steps are worth about n / 15; entries of H and of r r' vary by a few times their mean. 8 % of the largest
 * variance is then five standard errors and more at n = 200,000. The seed is fixed: the test is not random. */
static void long_samples_have_the_stationary_covariance(void **state)
{
    enum { D = 3, N = 200000 };
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(D, &bekk));
    const double C[] = {0.5, 0.1, -0.2, 0, 0.4, 0.2, 0, 0, 0.6}, a[] = {0.3, 0.25, 0.2},
                 b[] = {0.85, 0.9, 0.88};
    memcpy(bekk->C, C, sizeof C);
    memcpy(bekk->a, a, sizeof a);
    memcpy(bekk->b, b, sizeof b);
    double *r = new_matrix(N, D), *z = new_matrix(N, D), *h = new_matrix(N, 6), expected[9];
    check_ok(volt_bekk_simulate(bekk, NULL, volt_matrix_of(z, N, D), volt_matrix_of(r, N, D),
                                volt_matrix_of(h, N, 6)));
    check_ok(volt_bekk_stationary_covariance(bekk, volt_matrix_of(expected, D, D)));
    double largest = fmax(expected[0], fmax(expected[4], expected[8]));
    for (int64_t j = 0, at = 0; j < D; j++)
        for (int64_t i = j; i < D; i++, at++) {
            double products = 0, covariances = 0, innovations = 0;
            for (int64_t t = 0; t < N; t++) {
                products += r[t * D + i] * r[t * D + j] / N;
                covariances += h[t * 6 + at] / N;
                innovations += z[t * D + i] * z[t * D + j] / N;
            }
            assert_true(fabs(products - expected[i * D + j]) <= 0.08 * largest);
            assert_true(fabs(covariances - expected[i * D + j]) <= 0.08 * largest);
            assert_true(fabs(innovations - (i == j)) <= 5 * sqrt(2.0 / N));
        }
    free(h);
    free(z);
    free(r);
    volt_bekk_free(bekk);
}

/* ---- estimator -------------------------------------------------------------------------------- */

static volt_bekk *three_assets(void)
{
    volt_bekk *bekk = NULL;
    check_ok(volt_bekk_create(3, &bekk));
    const double C[] = {0.004, 0.001, 0.002, 0, 0.003, 0.001, 0, 0, 0.005};
    const double a[] = {0.3, 0.25, 0.2}, b[] = {0.9, 0.93, 0.94};
    memcpy(bekk->C, C, sizeof C);
    memcpy(bekk->a, a, sizeof a);
    memcpy(bekk->b, b, sizeof b);
    return bekk;
}

/* 20 samples, 12 parameters: (estimate - truth) / error is about standard normal. Of 240 such numbers the mean square
 * is 1 with standard error sqrt(2 / 240) = 0.09 if they were independent; those of one sample are not, which at worst
 * makes it sqrt(2 / 20) = 0.32. So within [0.4, 1.9] it must lie, no number may pass 5, and the mean over the samples
 * of each parameter's number, sd 1 / sqrt(20), may not pass 4 / sqrt(20): bias would show there. */
static void known_parameters_are_recovered_within_standard_errors(void **state)
{
    enum { SAMPLES = 20, ROWS = 3000, P = 12 };
    volt_bekk *truth = three_assets();
    double mean_square = 0, worst = 0, mean[P] = {0};
    for (int sample = 0; sample < SAMPLES; sample++) {
        double *returns = simulate(truth, ROWS, 500 + (uint64_t)sample);
        volt_bekk *found = NULL;
        volt_bekk_fit_info info = {.struct_size = sizeof info};
        volt_bekk_fit_options options = volt_bekk_fit_options_default();
        options.starts = 1;
        check_ok(volt_bekk_fit(volt_view_of(returns, ROWS, 3), &options, &found, &info));
        assert_true(info.converged && found->a_error);
        for (int64_t p = 0; p < P; p++) {
            volt_bekk errors = {.d = 3, .C = found->C_error, .a = found->a_error, .b = found->b_error};
            double score = (*parameter_of(found, p) - *parameter_of(truth, p)) / *parameter_of(&errors, p);
            mean_square += score * score / (SAMPLES * P);
            mean[p] += score / SAMPLES;
            worst = fmax(worst, fabs(score));
        }
        volt_bekk_free(found);
        free(returns);
    }
    print_message("seeds 500 to 519: mean square %.3f, largest %.2f\n", mean_square, worst);
    assert_true(mean_square > 0.4 && mean_square < 1.9 && worst < 5);
    for (int p = 0; p < P; p++)
        assert_true(fabs(mean[p]) <= 4 / sqrt(SAMPLES));
    volt_bekk_free(truth);
}

/* The likelihood of the truth, and of variance targeting, lies below; other starts and other units end at the same. */
static void perturbed_starts_and_units_reach_the_same_maximum(void **state)
{
    enum { ROWS = 1200 };
    volt_bekk *truth = three_assets(), *found = NULL, *scaled = NULL;
    double *returns = simulate(truth, ROWS, 77), at_truth = 0;
    volt_bekk_fit_info info = {.struct_size = sizeof info}, other = {.struct_size = sizeof other};
    volt_bekk_fit_options options = volt_bekk_fit_options_default();
    options.starts = 8;
    check_ok(volt_bekk_fit(volt_view_of(returns, ROWS, 3), &options, &found, &info));
    print_message("%d of %d starts, gain left %.1e\n", (int)info.reached, (int)info.starts, info.gain_left);
    assert_true(info.starts == 8 && info.reached == 8 && info.converged);
    assert_true(isfinite(info.start_loglik) && info.loglik > info.start_loglik && found->loglik == info.loglik);

    for (int64_t j = 0; j < 3; j++) { /* without means, as the estimator sees them */
        double mean = 0;
        for (int64_t t = 0; t < ROWS; t++)
            mean += returns[t * 3 + j] / ROWS;
        for (int64_t t = 0; t < ROWS; t++)
            returns[t * 3 + j] -= mean;
    }
    double again = 0;
    check_ok(volt_bekk_loglik(found, volt_view_of(returns, ROWS, 3), NULL, nothing, &again));
    check_ok(volt_bekk_loglik(truth, volt_view_of(returns, ROWS, 3), NULL, nothing, &at_truth));
    assert_true(fabs(again - info.loglik) <= 1e-9 * fabs(again) && at_truth < again);

    static const double units[] = {100, 1, 1e-3};
    for (int64_t t = 0; t < ROWS; t++)
        for (int64_t j = 0; j < 3; j++)
            returns[t * 3 + j] = returns[t * 3 + j] * units[j] + 5 * units[j];
    options.starts = 1;
    check_ok(volt_bekk_fit(volt_view_of(returns, ROWS, 3), &options, &scaled, &other));
    double shift = 0;
    for (int64_t j = 0; j < 3; j++)
        shift += ROWS * log(units[j]);
    assert_true(fabs(other.loglik + shift - info.loglik) <= 1e-6);
    for (int64_t i = 0; i < 3;
         i++) { /* a maximum to 1e-5 of loglik is known to sqrt(2e-5) of a standard error */
        assert_true(fabs(scaled->a[i] - found->a[i]) <= 1e-2 * found->a_error[i]);
        assert_true(fabs(scaled->b[i] - found->b[i]) <= 1e-2 * found->b_error[i]);
        for (int64_t j = i; j < 3; j++)
            assert_true(fabs(scaled->C[i * 3 + j] / units[i] - found->C[i * 3 + j]) <=
                        1e-2 * found->C_error[i * 3 + j]);
    }
    volt_bekk_free(scaled);
    volt_bekk_free(found);
    volt_bekk_free(truth);
    free(returns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_equals_finite_differences),
        cmocka_unit_test(scores_sum_to_the_gradient),
        cmocka_unit_test(results_are_bitwise_independent_of_threads),
        cmocka_unit_test(root_is_symmetric_and_squares_to_the_covariance),
        cmocka_unit_test(long_samples_have_the_stationary_covariance),
        cmocka_unit_test(known_parameters_are_recovered_within_standard_errors),
        cmocka_unit_test(perturbed_starts_and_units_reach_the_same_maximum),
    };
    return cmocka_run_group_tests_name("bekk_properties", tests, NULL, NULL);
}
