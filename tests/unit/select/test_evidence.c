/* tests/unit/select/test_evidence.c: volt_evidence: explicit leave-one-out, units, threads, invalid arguments,
 * memory, cancellation. Tolerance of leave-one-out fits: 1e-9 of the largest error (n eps times the
 * condition number, at most 1e5 here). */
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/polling.h"
#include "support/sequences.h"
#include "volterra/model.h"
#include "volterra/select.h"

enum { N = 18, D = 2, Q = 2 };

static double x[N * D], y[N * Q];

static volt_view X(void)
{
    return volt_view_of(x, N, D);
}

static volt_view Y(void)
{
    return volt_view_of(y, N, Q);
}

static int make_data(void **state)
{
    volt_rng rng = test_rng(4401);
    for (int i = 0; i < N * D; i++)
        x[i] = 1 + 2 * volt_rng_normal(&rng);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < Q; k++)
            y[i * Q + k] = 5 + (k + 1) * x[i * D] + (i > 0 ? x[(i - 1) * D + 1] : 0) + volt_rng_normal(&rng);
    return 0;
}

static volt_evidence_options options_with(double alpha)
{
    volt_evidence_options options = volt_evidence_options_default();
    options.alpha = alpha;
    return options;
}

static volt_evidence_result *evidence(const char *text, const volt_evidence_options *options)
{
    volt_kernel *kernel = plain_parse(text);
    volt_evidence_result *found = NULL;
    check_ok(volt_evidence(kernel, X(), Y(), options, &found));
    volt_kernel_free(kernel);
    return found;
}

static void check_near(const char *what, double found, double expected, double allowed)
{
    if (!(fabs(found - expected) <= allowed))
        fail_msg("%s: %.15g, and should be %.15g (off by %.3g, allowed %.3g)", what, found, expected,
                 fabs(found - expected), allowed);
}

/* ---- explicit leave-one-out ------------------------------------------------------------------- */

/* Target k of row t minus its prediction by a ridge fit on all other rows. */
static double plain_left_out(const double *K, double alpha, bool intercept, int64_t t, int64_t k)
{
    enum { MOST = N };
    double A[MOST * MOST] = {0}, B[MOST * 2] = {0}, c = 0;
    int64_t m = 0, rows[MOST] = {0};
    for (int64_t i = 0; i < N; i++)
        if (i != t)
            rows[m++] = i;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++)
            A[i * m + j] = K[rows[i] * N + rows[j]] + (i == j ? alpha : 0);
        B[i * 2] = y[rows[i] * Q + k];
        B[i * 2 + 1] = 1;
    }
    plain_solve(volt_view_of(A, m, m), volt_matrix_of(B, m, 2));
    double sum = 0, ones = 0, forecast = 0;
    for (int64_t i = 0; i < m; i++) {
        sum += B[i * 2];
        ones += B[i * 2 + 1];
    }
    c = intercept ? sum / ones : 0;
    for (int64_t i = 0; i < m; i++)
        forecast += K[t * N + rows[i]] * (B[i * 2] - c * B[i * 2 + 1]);
    return y[t * Q + k] - (forecast + c);
}

static void errors_equal_loo_errors(void **state)
{
    static const char *const kernels[] = {"volterra:tau=0.05,lambda=0.7", "memory:gamma=0.1,rho=0.5,mu=0.7",
                                          "linear:window=2"};
    for (int p = 0; p < 3; p++)
        for (int intercept = 0; intercept < 2; intercept++) {
            volt_evidence_options options = options_with(0.2);
            options.intercept = intercept;
            options.scale = 0;
            double *K = full_gram(kernels[p], X());
            volt_evidence_result *found = evidence(kernels[p], &options);
            double largest = 0;
            for (int64_t i = 0; i < N * Q; i++)
                largest = fmax(largest, fabs(found->loo_errors[i]));
            for (int64_t t = 0; t < N; t++)
                for (int64_t k = 0; k < Q; k++)
                    check_near("error of a row left out", found->loo_errors[t * Q + k],
                               plain_left_out(K, options.alpha, options.intercept, t, k), 1e-9 * largest);
            volt_evidence_free(found);
            free(K);
        }
}

/* Search scores are the same values relative to the variance, with or without target scaling. */
static void search_scores_equal_evidence(void **state)
{
    const char *text = "memory:gamma=0.3,rho=0.5,mu=0.7";
    double alpha = 0.1;
    static const volt_score scores[] = {VOLT_SCORE_LOG, VOLT_SCORE_LOO, VOLT_SCORE_GCV};
    for (int scale = 0; scale < 2; scale++) {
        volt_evidence_options options = options_with(alpha);
        options.scale = scale;
        options.washout = 3;
        volt_evidence_result *found = evidence(text, &options);
        double expected[3] = {found->log_likelihood, 0, 0};
        int64_t m = found->rows;
        assert_true(m == N - 3);
        for (int64_t k = 0; k < Q; k++) {
            double mean = 0, variance = 0, squares = 0;
            for (int64_t t = N - m; t < N; t++)
                mean += y[t * Q + k] / (double)m;
            for (int64_t t = 0; t < m; t++) {
                variance += pow(y[(N - m + t) * Q + k] - mean, 2) / (double)m;
                squares += pow(found->loo_errors[t * Q + k], 2) / (double)m;
            }
            expected[1] += squares / variance / Q;
            expected[2] += found->gcv[k] / variance / Q;
        }
        for (int s = 0; s < 3; s++) {
            volt_candidates *candidates = NULL;
            volt_search *search = NULL;
            volt_search_options how = volt_search_options_default();
            how.score = scores[s];
            how.scale = scale;
            how.washout = 3;
            check_ok(volt_candidates_list(&text, &alpha, NULL, 1, &candidates));
            check_ok(volt_search_run(candidates, X(), Y(), &how, &search));
            check_near("score", volt_search_trial(search, VOLT_TRIAL_BEST)->score, expected[s],
                       1e-10 * (1 + fabs(expected[s])));
            volt_search_free(search);
            volt_candidates_free(candidates);
        }
        volt_evidence_free(found);
    }
}

/* The evidence of a fit equals that of volt_evidence, with alpha fixed or chosen. */
static void fit_reports_evidence(void **state)
{
    volt_kernel *kernel = plain_parse("memory:gamma=0.3,rho=0.5,mu=0.7");
    for (int choice = 0; choice < 8; choice++) {
        volt_fit_options options = volt_fit_options_default();
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        options.alpha = choice & 1 ? 0.1 : 0;
        options.scale = choice >> 1 & 1;
        options.washout = choice >> 2 ? 3 : 0;
        volt_view one = {y, N, 1, Q}; /* outputs may have different alphas */
        check_ok(volt_model_fit(kernel, X(), one, &options, volt_matrix_of(NULL, 0, 0), &model));
        volt_model_get_info(model, &info);
        if (isfinite(info.alpha)) {
            volt_evidence_options how = options_with(info.alpha);
            volt_evidence_result *found = NULL;
            how.scale = options.scale;
            how.washout = options.washout;
            how.leave_one_out = 0;
            check_ok(volt_evidence(kernel, X(), one, &how, &found));
            if (choice & 1 || isfinite(info.report->log_likelihood))
                check_near("log likelihood", info.report->log_likelihood, found->log_likelihood,
                           1e-10 * (N + fabs(found->log_likelihood)));
            volt_evidence_free(found);
        } else {
            assert_true(isnan(info.report->log_likelihood));
        }
        volt_model_free(model);
    }
    volt_kernel_free(kernel);
}

/* ---- units and threads ------------------------------------------------------------------------ */

static void evidence_is_in_target_units(void **state)
{
    volt_evidence_options options = options_with(0.1);
    volt_evidence_result *found = evidence("rbf:gamma=0.5", &options);
    volt_kernel *kernel = plain_parse("rbf:gamma=0.5");
    double tenfold[N * Q];
    for (int i = 0; i < N * Q; i++)
        tenfold[i] = 7 + 10 * y[i];
    volt_evidence_result *other = NULL;
    check_ok(volt_evidence(kernel, X(), volt_view_of(tenfold, N, Q), &options, &other));
    check_near("log likelihood", other->log_likelihood, found->log_likelihood - (N - 1) * Q * log(10), 1e-9);
    check_near("scale", other->scale[1], 100 * found->scale[1], 1e-9 * other->scale[1]);
    check_near("error", other->loo_errors[3], 10 * found->loo_errors[3], 1e-9 * fabs(other->loo_errors[3]));
    check_near("variance", other->loo_variances[3], 100 * found->loo_variances[3],
               1e-9 * other->loo_variances[3]);
    check_near("gcv", other->gcv[0], 100 * found->gcv[0], 1e-9 * other->gcv[0]);
    volt_evidence_free(other);
    volt_evidence_free(found);
    volt_kernel_free(kernel);
}

/* Matrices of several tiles, so that threads share the work. */
static void results_are_bitwise_independent_of_threads(void **state)
{
    enum { ROWS = 600 };
    static const char *const kernels[] = {"volterra:tau_coef=0.5,lambda_coef=0.8",
                                          "rbf:gamma=0.5,pole=0.4*linear + 2*fir:mu=0.8"};
    volt_rng rng = test_rng(4402);
    double *rows = normal_rows(&rng, ROWS, 1), *targets = normal_rows(&rng, ROWS, 1);
    for (int p = 0; p < 2; p++) {
        volt_kernel *kernel = plain_parse(kernels[p]);
        volt_evidence_options options = options_with(0.5);
        volt_evidence_result *first = NULL;
        for (int threads = 1; threads <= 4; threads++) {
            volt_evidence_result *found = NULL;
            check_ok(volt_set_threads(threads));
            check_ok(volt_evidence(kernel, volt_view_of(rows, ROWS, 1), volt_view_of(targets, ROWS, 1),
                                   &options, &found));
            if (!first) {
                first = found;
                continue;
            }
            assert_true(found->log_likelihood == first->log_likelihood);
            assert_memory_equal(found->loo_errors, first->loo_errors, ROWS * sizeof(double));
            volt_evidence_free(found);
        }
        volt_evidence_free(first);
        volt_kernel_free(kernel);
    }
    check_ok(volt_set_threads(0));
    free(rows);
    free(targets);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void unsupported_options_are_rejected(void **state)
{
    volt_kernel *kernel = plain_parse("rbf:gamma=1"), *centred = plain_parse("gak:window=3,centre=yes");
    volt_evidence_options options = options_with(0.1), wrong = options;
    volt_evidence_result *result = NULL;
    check_fails(volt_evidence(NULL, X(), Y(), &options, &result), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_evidence(kernel, X(), Y(), NULL, &result), VOLT_ERR_ARGUMENT, "alpha 0");
    check_fails(volt_evidence(kernel, X(), Y(), &options, NULL), VOLT_ERR_ARGUMENT, "NULL");
    wrong.alpha = 0;
    check_fails(volt_evidence(kernel, X(), Y(), &wrong, &result), VOLT_ERR_ARGUMENT, "alpha 0");
    wrong.alpha = NAN;
    check_fails(volt_evidence(kernel, X(), Y(), &wrong, &result), VOLT_ERR_ARGUMENT, "alpha");
    wrong = options;
    wrong.washout = N - 1;
    check_fails(volt_evidence(kernel, X(), Y(), &wrong, &result), VOLT_ERR_ARGUMENT, "leaves 2");
    wrong.washout = -1;
    check_fails(volt_evidence(kernel, X(), Y(), &wrong, &result), VOLT_ERR_ARGUMENT, "washout -1");
    static const int64_t lengths[] = {5, 5};
    wrong = options;
    wrong.records = lengths;
    wrong.n_records = 2;
    check_fails(volt_evidence(kernel, X(), Y(), &wrong, &result), VOLT_ERR_ARGUMENT, "10");
    check_fails(volt_evidence(kernel, X(), volt_view_of(y, N - 1, Q), &options, &result), VOLT_ERR_SHAPE, "17");
    check_fails(volt_evidence(centred, X(), Y(), &options, &result), VOLT_ERR_ARGUMENT, "centred");
    double saved = y[4];
    y[4] = NAN;
    check_fails(volt_evidence(kernel, X(), Y(), &options, &result), VOLT_ERR_NOT_FINITE, "row 3");
    y[4] = saved;
    double zeros[N * Q] = {0};
    wrong = options;
    wrong.scale = 0;
    check_fails(volt_evidence(kernel, X(), volt_view_of(zeros, N, Q), &wrong, &result), VOLT_ERR_NOT_FINITE,
                "fitted");
    volt_kernel *hard = plain_parse("volterra:tau=1,lambda=0.5");
    check_fails(volt_evidence(hard, X(), Y(), &wrong, &result), VOLT_ERR_ARGUMENT, "tau");
    volt_kernel_free(hard);
    assert_null(result);
    volt_evidence_free(NULL);
    volt_kernel_free(centred);
    volt_kernel_free(kernel);
}

/* ---- memory and cancellation ------------------------------------------------------------------ */

static const char *const hard_kernel = "rbf:gamma=0.5,pole=0.4*linear + 2*fir:mu=0.8";

static void every_allocation_may_fail(void **state)
{
    volt_kernel *kernel = plain_parse(hard_kernel);
    check_ok(volt_set_threads(1));
    for (int leave_one_out = 0; leave_one_out < 2; leave_one_out++)
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_evidence_options options = options_with(0.1);
            volt_evidence_result *found = NULL;
            options.leave_one_out = leave_one_out;
            volt_status status = volt_evidence(kernel, X(), Y(), &options, &found);
            assert_true((status == VOLT_OK) == (found != NULL));
            volt_evidence_free(found);
            failing_alloc_check(status);
        }
    check_ok(volt_set_threads(0));
    volt_kernel_free(kernel);
}

typedef struct user {
    int64_t calls, cancel_at;
} user;

static int listen(const char *stage, double fraction, void *context)
{
    user *u = context;
    assert_string_equal(stage, "evidence");
    assert_true(fraction >= 0 && fraction <= 1);
    return ++u->calls == u->cancel_at;
}

static void cancellation_at_every_poll(void **state)
{
    volt_kernel *kernel = plain_parse(hard_kernel);
    int64_t polls = 0;
    for (int64_t at = 0; at <= polls; at++) {
        user listener = {.cancel_at = at};
        volt_evidence_options options = options_with(0.1);
        volt_evidence_result *found = NULL;
        options.progress = (volt_progress){.report = listen, .context = &listener};
        volt_status status = volt_evidence(kernel, X(), Y(), &options, &found);
        if (at == 0)
            polls = listener.calls;
        assert_true(status == (at == 0 ? VOLT_OK : VOLT_ERR_CANCELLED) && (found != NULL) == (at == 0));
        volt_evidence_free(found);
    }
    assert_true(polls > 4);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_equal_loo_errors),
        cmocka_unit_test(search_scores_equal_evidence),
        cmocka_unit_test(fit_reports_evidence),
        cmocka_unit_test(evidence_is_in_target_units),
        cmocka_unit_test(results_are_bitwise_independent_of_threads),
        cmocka_unit_test(unsupported_options_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(cancellation_at_every_poll, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
