/* tests/unit/solve/test_ridge.c: ridge regression on a Gram matrix, with and without intercept, and its errors. */
#include "backend/cholesky.h"
#include "solve/exact/factor.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"
#include "volterra/solve.h"

/* ---- known values ----------------------------------------------------------------------------- */

/* K + I = (2 .5; .5 3), whose inverse is (3 -.5; -.5 2) / 5.75. */
static void two_rows_without_intercept(void **state)
{
    double K[] = {1, NAN, 0.5, 2}, Y[] = {1, 2}, c = 5;
    volt_ridge_options options = {.alpha = 1};
    volt_ridge_report report;
    check_ok(volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 1), &options, &c, &report));
    assert_true(fabs(Y[0] - 2 / 5.75) < 1e-15 && fabs(Y[1] - 3.5 / 5.75) < 1e-15);
    assert_true(c == 0);
    assert_true(report.rounding_level == 2 * DBL_EPSILON * 2);
    /* 1-norms 3.5 and 3.5 / 5.75 */
    assert_true(fabs(report.rcond - 5.75 / (3.5 * 3.5)) < 1e-12);
}

/* c = (1' R Y) / (1' R 1) = 5.5 / 4, A = R (Y - c) = (-1/4, 1/4). */
static void two_rows_with_intercept(void **state)
{
    double K[] = {1, NAN, 0.5, 2}, Y[] = {1, 2}, c = 5;
    volt_ridge_options options = {.alpha = 1, .intercept = 1};
    check_ok(volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 1), &options, &c, NULL));
    assert_true(fabs(c - 1.375) < 1e-15);
    assert_true(fabs(Y[0] + 0.25) < 1e-15 && fabs(Y[1] - 0.25) < 1e-15);
}

static void one_row(void **state)
{
    double K = 3, Y[] = {2, 5}, c[2];
    volt_ridge_options options = {.alpha = 1, .intercept = 1};
    check_ok(volt_ridge_solve(volt_matrix_of(&K, 1, 1), volt_matrix_of(Y, 1, 2), &options, c, NULL));
    assert_true(c[0] == 2 && c[1] == 5 && Y[0] == 0 && Y[1] == 0);

    /* The largest leading dimension. */
    options.intercept = 0;
    Y[0] = 2;
    K = 3;
    check_ok(
        volt_ridge_solve((volt_matrix){&K, 1, 1, INT_MAX}, (volt_matrix){Y, 1, 1, INT_MAX}, &options, c, NULL));
    assert_true(fabs(Y[0] - 0.5) <= 2 * DBL_EPSILON && c[0] == 0);
}

static void defaults(void **state)
{
    volt_ridge_options options = volt_ridge_options_default();
    assert_true(options.alpha == 1e-6 && options.intercept == 1 && !options.progress.report);
    double K[] = {1, 0, 0, 1}, Y[] = {1, 3}, c;
    check_ok(volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 1), NULL, &c, NULL));
    assert_true(fabs(c - 2) < 1e-14 && fabs(Y[0] + 1 / 1.000001) < 1e-14);
}

/* ---- random problems -------------------------------------------------------------------------- */

typedef struct problem {
    int64_t n, q, ld_K, ld_Y;
    double alpha;
    double *K, *Y; /* full K and targets, as given */
    double *A, *c; /* solution */
    double norm, size_A, size_Y;
    volt_ridge_report report;
} problem;

static problem solve_random(volt_rng *rng, int64_t n, int64_t q, double alpha, int intercept, int64_t padding)
{
    enum { BAND = 9 };
    problem p = {.n = n, .q = q, .ld_K = n + padding, .ld_Y = q + padding, .alpha = alpha};
    double *G = normal_rows(rng, n, BAND);
    p.K = new_matrix(n, p.ld_K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p.ld_K; j++) {
            double sum = j < n ? 1 + (i == j) : 0; /* a constant part, as in typical kernels */
            for (int64_t k = 0; j < n && k < BAND; k++)
                sum += G[i * BAND + k] * G[j * BAND + k];
            p.K[i * p.ld_K + j] = sum;
        }
    free(G);
    p.Y = normal_rows(rng, n, p.ld_Y);
    p.A = new_matrix(n, p.ld_Y);
    p.c = new_matrix(1, q);
    memcpy(p.A, p.Y, (size_t)(n * p.ld_Y) * sizeof(double));
    double *factor = new_matrix(n, p.ld_K), *sums = new_matrix(VOLT_NORM_BANDS, n);
    memcpy(factor, p.K, (size_t)(n * p.ld_K) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < p.ld_K; j++)
            factor[i * p.ld_K + j] = NAN; /* only the lower triangle may be read */
    volt_ridge_options options = {.alpha = alpha, .intercept = intercept};
    volt_matrix view_K = {factor, n, n, p.ld_K}, view_A = {p.A, n, q, p.ld_Y};
    volt_view view = {p.K, n, n, p.ld_K};
    p.norm = volt_symmetric_norm(view, sums) + alpha;
    check_ok(volt_ridge_solve(view_K, view_A, &options, p.c, &p.report));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < q; k++) {
            p.size_A = fmax(p.size_A, fabs(p.A[i * p.ld_Y + k]));
            p.size_Y = fmax(p.size_Y, fabs(p.Y[i * p.ld_Y + k]));
        }
        for (int64_t k = q; k < p.ld_Y; k++)
            assert_true(p.A[i * p.ld_Y + k] == p.Y[i * p.ld_Y + k]);
        for (int64_t j = i + 1; j < p.ld_K; j++)
            assert_true(isnan(factor[i * p.ld_K + j]));
    }
    free(sums);
    free(factor);
    return p;
}

static void free_problem(problem *p)
{
    free(p->c);
    free(p->A);
    free(p->Y);
    free(p->K);
}

/* (K + alpha I) A + 1 c = Y up to the residual of a backward stable solve, and 1' A = 0 up to the error of
 * A. */
static void check_solution(const problem *p, int intercept)
{
    double n = (double)p->n;
    for (int64_t k = 0; k < p->q; k++) {
        double sum = 0;
        double allowed = 8 * n * DBL_EPSILON * (p->norm * p->size_A + fabs(p->c[k]) + p->size_Y);
        for (int64_t i = 0; i < p->n; i++) {
            double left = p->c[k] + p->alpha * p->A[i * p->ld_Y + k];
            for (int64_t j = 0; j < p->n; j++)
                left += p->K[i * p->ld_K + j] * p->A[j * p->ld_Y + k];
            sum += p->A[i * p->ld_Y + k];
            if (!(fabs(left - p->Y[i * p->ld_Y + k]) <= allowed))
                fail_msg("n = %" PRId64 ": residual %g in row %" PRId64 ", allowed %g", p->n,
                         left - p->Y[i * p->ld_Y + k], i, allowed);
        }
        if (intercept)
            assert_true(fabs(sum) <= 4 * n * DBL_EPSILON / p->report.rcond *
                                         (p->size_A + (fabs(p->c[k]) + p->size_Y) / p->norm));
        else
            assert_true(p->c[k] == 0);
    }
}

static void solutions_satisfy_the_equations(void **state)
{
    volt_rng rng = test_rng(101);
    static const int64_t sizes[] = {1, 2, 3, 5, 40, 255, 256, 257, 400, 512, 600};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int intercept = 0; intercept < 2; intercept++) {
            problem p = solve_random(&rng, sizes[i], 1 + (int64_t)i, 1e-3, intercept, (int64_t)(i % 3) * 4);
            check_solution(&p, intercept);
            free_problem(&p);
        }
}

static void many_outputs(void **state)
{
    volt_rng rng = test_rng(102);
    problem p = solve_random(&rng, 90, 150, 0.1, 1, 3);
    check_solution(&p, 1);
    free_problem(&p);
}

/* The augmented system (K + alpha I, 1; 1', 0) (A; c) = (Y; 0), by elimination. */
static void intercept_equals_the_augmented_system(void **state)
{
    volt_rng rng = test_rng(103);
    for (int64_t n = 1; n <= 41; n += 8) {
        enum { Q = 3 };
        problem p = solve_random(&rng, n, Q, 0.05, 1, 0);
        int64_t m = n + 1;
        double *system = new_matrix(m, m), *right = new_matrix(m, Q);
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < m; j++)
                system[i * m + j] = i < n && j < n ? p.K[i * n + j] + (i == j ? p.alpha : 0) : i != j;
            for (int64_t k = 0; k < Q; k++)
                right[i * Q + k] = i < n ? p.Y[i * Q + k] : 0;
        }
        plain_solve(volt_view_of(system, m, m), volt_matrix_of(right, m, Q));
        double allowed = 8 * (double)n * DBL_EPSILON / p.report.rcond * (p.size_A + p.size_Y);
        for (int64_t i = 0; i < n * Q; i++)
            assert_true(fabs(p.A[i] - right[i]) <= allowed);
        for (int64_t k = 0; k < Q; k++)
            assert_true(fabs(p.c[k] - right[n * Q + k]) <= allowed);
        free(right);
        free(system);
        free_problem(&p);
    }
}

/* The gradient of |K A + 1 c - Y|^2 + alpha tr(A' K A) is zero: K (K A + 1 c - Y + alpha A) in A, and 1' (K
 * A + 1 c - Y) in c. */
static void objective_is_stationary(void **state)
{
    volt_rng rng = test_rng(104);
    enum { N = 50, Q = 2 };
    problem p = solve_random(&rng, N, Q, 0.3, 1, 0);
    double error[N], allowed = 8 * N * DBL_EPSILON * p.norm * (p.norm * p.size_A + p.size_Y);
    for (int k = 0; k < Q; k++) {
        double sum = 0;
        for (int i = 0; i < N; i++) {
            error[i] = p.c[k] - p.Y[i * Q + k];
            for (int j = 0; j < N; j++)
                error[i] += p.K[i * N + j] * p.A[j * Q + k];
            sum += error[i];
        }
        assert_true(fabs(sum) <= allowed);
        for (int i = 0; i < N; i++) {
            double gradient = 0;
            for (int j = 0; j < N; j++)
                gradient += p.K[i * N + j] * (error[j] + p.alpha * p.A[j * Q + k]);
            assert_true(fabs(gradient) <= allowed);
        }
    }
    free_problem(&p);
}

static void report_is_correct(void **state)
{
    volt_rng rng = test_rng(105);
    for (int64_t n = 2; n <= 42; n += 10)
        for (double alpha = 1e-6; alpha <= 1; alpha *= 1000) {
            problem p = solve_random(&rng, n, 1, alpha, 0, 0);
            double *inverse = new_matrix(n, n), *sums = new_matrix(VOLT_NORM_BANDS, n), largest = 0;
            for (int64_t i = 0; i < n; i++) {
                largest = fmax(largest, p.K[i * n + i]);
                p.K[i * n + i] += alpha;
            }
            for (int64_t i = 0; i < n * n; i++)
                inverse[i] = i / n == i % n;
            plain_solve(volt_view_of(p.K, n, n), volt_matrix_of(inverse, n, n));
            double truth = 1 / (volt_symmetric_norm(volt_view_of(p.K, n, n), sums) *
                                volt_symmetric_norm(volt_view_of(inverse, n, n), sums));
            assert_true(p.report.rcond <= 10 * truth && p.report.rcond >= truth / 10);
            assert_true(fabs(p.report.rounding_level / ((double)n * DBL_EPSILON * largest) - 1) < 1e-12);
            free(sums);
            free(inverse);
            free_problem(&p);
        }
}

/* ---- alpha that is too small ------------------------------------------------------------------ */

typedef struct heard {
    int warnings;
    char last[256];
} heard;

static void listen(volt_log_level level, const char *message, void *context)
{
    heard *h = context;
    h->warnings += level == VOLT_LOG_WARNING;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static int stop_listening(void **state)
{
    volt_set_log(NULL, NULL);
    return 0;
}

static void alpha_below_rounding_level_warns(void **state)
{
    double K[] = {5, 0, 0, 3}, Y[] = {1, 2}, c;
    heard h = {0};
    volt_set_log(listen, &h);
    volt_ridge_options options = {.alpha = 1e-18};
    check_ok(volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 1), &options, &c, NULL));
    assert_int_equal(h.warnings, 1);
    assert_non_null(strstr(h.last, "alpha = 1e-18"));
    assert_non_null(strstr(h.last, "2.22e-15")); /* 2 eps 5 */
    assert_non_null(strstr(h.last, "2.2e-14"));

    double again[] = {5, 0, 0, 3}; /* the level itself is accepted */
    options.alpha = 2 * DBL_EPSILON * 5;
    check_ok(volt_ridge_solve(volt_matrix_of(again, 2, 2), volt_matrix_of(Y, 2, 1), &options, &c, NULL));
    assert_int_equal(h.warnings, 1);
}

static void indefinite_matrices_are_rejected_with_the_pivot(void **state)
{
    enum { N = 600 };
    static const int bad[] = {0, 255, 256, 400, 599};
    double *K = new_matrix(N, N), *Y = new_matrix(N, 1), c = 9;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        for (int i = 0; i < N; i++) {
            Y[i] = 1;
            for (int j = 0; j < N; j++)
                K[i * N + j] = i == j ? (i == bad[b] ? -1 : 2) : 0;
        }
        volt_ridge_options options = {.alpha = 0.25, .intercept = 1};
        volt_ridge_report report = {-1, -1};
        char sentence[64];
        snprintf(sentence, sizeof sentence, "pivot %d of 600", bad[b] + 1);
        check_fails(volt_ridge_solve(volt_matrix_of(K, N, N), volt_matrix_of(Y, N, 1), &options, &c, &report),
                    VOLT_ERR_SINGULAR, sentence);
        assert_non_null(strstr(volt_error_detail(), "alpha = 0.25 is above"));
        assert_non_null(strstr(volt_error_detail(), "2.66e-13")); /* 600 eps 2 */
        assert_non_null(strstr(volt_error_detail(), "not positive semidefinite"));
        assert_true(c == 9 && report.rcond == -1 && report.rounding_level == -1);
    }
    free(Y);
    free(K);
}

/* Gram matrices of smooth inputs are numerically rank deficient. */
static void suggested_alpha_works(void **state)
{
    enum { N = 400 };
    static const char *const kernels[] = {
        "volterra:tau_coef=0.3,lambda_coef=0.3", "volterra:tau_coef=0.3,lambda_coef=0.9",
        "volterra:tau_coef=0.01,lambda_coef=0.999999", "volterra:lift=rbf,gamma=0.01,lambda=0.9",
        "volterra:lift=exponential,tau_coef=0.2,lambda_coef=0.5"};
    double *X = lorenz_rows(N, 0.005), *K = new_matrix(N, N), *factor = new_matrix(N, N), *Y = new_matrix(N, 3),
           c[3];
    int refused = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        volt_kernel *kernel = plain_parse(kernels[i]);
        check_ok(
            volt_gram(kernel, volt_view_of(X, N, 3), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
        memcpy(factor, K, sizeof(double) * N * N);
        memcpy(Y, X, sizeof(double) * N * 3);
        volt_ridge_options options = {.alpha = 1e-300, .intercept = 1};
        volt_status status =
            volt_ridge_solve(volt_matrix_of(factor, N, N), volt_matrix_of(Y, N, 3), &options, c, NULL);
        volt_kernel_free(kernel);
        if (status == VOLT_OK)
            continue;
        assert_int_equal(status, VOLT_ERR_SINGULAR);
        refused++;
        const char *tail = strstr(volt_error_detail(), "; alpha = ");
        assert_non_null(tail);
        assert_int_equal(sscanf(tail, "; alpha = %lf", &options.alpha), 1);
        memcpy(factor, K, sizeof(double) * N * N);
        memcpy(Y, X, sizeof(double) * N * 3);
        check_ok(volt_ridge_solve(volt_matrix_of(factor, N, N), volt_matrix_of(Y, N, 3), &options, c, NULL));
    }
    print_message("%d kernels were refused with alpha = 1e-300\n", refused);
    assert_true(refused >= 3);
    free(Y);
    free(factor);
    free(K);
    free(X);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_calls_are_rejected(void **state)
{
    double K[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Y[6] = {1, 2, 3, 4, 5, 6}, c[2] = {7, 7};
    volt_matrix good_K = volt_matrix_of(K, 3, 3), good_Y = volt_matrix_of(Y, 3, 2), narrow_Y = {Y, 3, 2, 1};
    volt_matrix narrow_K = {K, 3, 3, 2};
    volt_ridge_options options = volt_ridge_options_default();
    check_fails(volt_ridge_solve(volt_matrix_of(K, 3, 2), good_Y, &options, c, NULL), VOLT_ERR_SHAPE, "x 3 2");
    check_fails(volt_ridge_solve(volt_matrix_of(NULL, 3, 3), good_Y, &options, c, NULL), VOLT_ERR_SHAPE,
                "Gram");
    check_fails(volt_ridge_solve(volt_matrix_of(K, 0, 0), good_Y, &options, c, NULL), VOLT_ERR_SHAPE, "x 0");
    check_fails(volt_ridge_solve(narrow_K, good_Y, &options, c, NULL), VOLT_ERR_SHAPE, "dimension 2");
    check_fails(volt_ridge_solve(good_K, volt_matrix_of(Y, 2, 2), &options, c, NULL), VOLT_ERR_SHAPE, "x 2");
    check_fails(volt_ridge_solve(good_K, volt_matrix_of(Y, 3, 0), &options, c, NULL), VOLT_ERR_SHAPE, "x 3 0");
    check_fails(volt_ridge_solve(good_K, volt_matrix_of(NULL, 3, 2), &options, c, NULL), VOLT_ERR_SHAPE,
                "targets");
    check_fails(volt_ridge_solve(good_K, narrow_Y, &options, c, NULL), VOLT_ERR_SHAPE, "targets");
    check_fails(volt_ridge_solve(good_K, good_Y, &options, NULL, NULL), VOLT_ERR_ARGUMENT, "intercepts");
    static const double alphas[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        options.alpha = alphas[i];
        check_fails(volt_ridge_solve(good_K, good_Y, &options, c, NULL), VOLT_ERR_ARGUMENT, "alpha");
    }
    for (int i = 0; i < 6; i++)
        assert_true(Y[i] == i + 1);
    assert_true(c[0] == 7 && c[1] == 7);
}

static void non_finite_gram_matrix_is_rejected(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (int place = 0; place < 6; place++)
        for (int v = 0; v < 3; v++) {
            static const int at[] = {0, 3, 4, 6, 7, 8}; /* the lower triangle of 3 x 3 */
            double K[9] = {4, 0, 0, 1, 4, 0, 1, 1, 4}, Y[3] = {1, 2, 3}, c;
            K[at[place]] = values[v];
            check_fails(volt_ridge_solve(volt_matrix_of(K, 3, 3), volt_matrix_of(Y, 3, 1), NULL, &c, NULL),
                        VOLT_ERR_NOT_FINITE, "finite");
        }
}

static void non_finite_targets_are_rejected(void **state)
{
    double K[4] = {4, 0, 1, 4}, Y[4] = {1, 2, NAN, 4}, c[2];
    check_fails(volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 2), NULL, c, NULL),
                VOLT_ERR_NOT_FINITE, "targets");
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)context;
    assert_true(fraction >= 0 && fraction <= 1);
    assert_string_equal(stage, "factor");
    return 1;
}

static void progress_callback_cancels(void **state)
{
    double K[] = {2, 0, 0, 2}, Y[] = {1, 2}, c = 3;
    volt_ridge_options options = {.alpha = 1, .progress = {cancel, NULL}};
    check_fails(volt_ridge_solve(volt_matrix_of(K, 2, 2), volt_matrix_of(Y, 2, 1), &options, &c, NULL),
                VOLT_ERR_CANCELLED, "factor");
    assert_true(c == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rows_without_intercept),
        cmocka_unit_test(two_rows_with_intercept),
        cmocka_unit_test(one_row),
        cmocka_unit_test(defaults),
        cmocka_unit_test(solutions_satisfy_the_equations),
        cmocka_unit_test(many_outputs),
        cmocka_unit_test(intercept_equals_the_augmented_system),
        cmocka_unit_test(objective_is_stationary),
        cmocka_unit_test(report_is_correct),
        cmocka_unit_test_teardown(alpha_below_rounding_level_warns, stop_listening),
        cmocka_unit_test(indefinite_matrices_are_rejected_with_the_pivot),
        cmocka_unit_test(suggested_alpha_works),
        cmocka_unit_test(invalid_calls_are_rejected),
        cmocka_unit_test(non_finite_gram_matrix_is_rejected),
        cmocka_unit_test(non_finite_targets_are_rejected),
        cmocka_unit_test(progress_callback_cancels),
    };
    return cmocka_run_group_tests_name("ridge", tests, NULL, NULL);
}
