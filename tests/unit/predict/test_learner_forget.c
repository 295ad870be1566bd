/* tests/unit/predict/test_learner_forget.c: learners with forgetting against direct solves with the discounted
 * matrix. */
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/school.h"
#include "support/scratch.h"

enum { TRAIN = SCHOOL_TRAIN, N = SCHOOL_ROWS, D = SCHOOL_D, Q = SCHOOL_Q, WINDOW = 15 };
static const double phi = 0.9;

/* n eps times the condition number, as in test_learner.c. */
static const double tolerance = 100 * N * DBL_EPSILON * (10 * N) / 0.7;

/* Kernels with a common part that is equal for all inputs: 1 / (1 - lambda^2) for volterra, except with lift
 * rbf. */
static const struct {
    const char *text;
    double common;
} kernels[] = {
    {"volterra:tau=0.5,lambda=0.6", 1 / (1 - 0.36)},
    {"volterra:lift=even,tau=0.5,lambda=0.5", 1 / (1 - 0.25)},
    {"volterra:lift=rbf,gamma=0.7,lambda=0.6", 0},
    {"memory:gamma=1,rho=0.5,mu=0.7", 0},
    {"fir:mu=0.6 + 2*volterra:tau=0.4,lambda=0.5", 2 / (1 - 0.25)},
    {"gak:window=4,sigma=1", 0},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static double faded(double k, double common, volt_forget_what what, int64_t apart)
{
    double steady = what == VOLT_FORGET_ALL ? 0 : common;
    return steady + (k - steady) * pow(phi, 0.5 * (double)apart);
}

/* Forecast of row t from rows first .. t - 1: [K + alpha I, 1; 1', 0] [A; c] = [Y; 0]; without an intercept
 * c is 0. */
static void plain_forecast(const school *s, const double *K, double common, volt_forget_what what,
                           int64_t first, int64_t t, double *y)
{
    int64_t n = t - first;
    double A[(WINDOW + 1) * (WINDOW + 1)], B[(WINDOW + 1) * Q];
    memset(B, 0, sizeof B);
    for (int64_t i = 0; i <= n; i++)
        for (int64_t j = 0; j <= n; j++) {
            bool border = i == n || j == n;
            double entry = border ? (i == j ? !s->fit.intercept : s->fit.intercept)
                                  : faded(K[(first + i) * N + first + j], common, what, i > j ? i - j : j - i);
            A[i * (n + 1) + j] = entry + (i == j && !border ? s->fit.alpha : 0);
        }
    memcpy(B, s->Y + first * Q, (size_t)(n * Q) * sizeof *B);
    plain_solve(volt_view_of(A, n + 1, n + 1), volt_matrix_of(B, n + 1, Q));
    for (int64_t k = 0; k < Q; k++) {
        y[k] = B[n * Q + k];
        for (int64_t i = 0; i < n; i++)
            y[k] += B[i * Q + k] * faded(K[t * N + first + i], common, what, t - first - i);
    }
}

static void check_near(const char *what, double found, double expected)
{
    if (!(fabs(found - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%s: %.17g, and should be %.17g", what, found, expected);
}

static volt_live *forgetful(const volt_model *model, volt_forget_what what)
{
    volt_live_options options = *with_learning();
    volt_live *learner = NULL;
    options.window = WINDOW;
    options.forget = phi;
    options.forget_what = what;
    check_ok(volt_live_create(model, &options, &learner));
    assert_int_equal(info_of(learner).forget_what, what);
    return learner;
}

static void run_kernel(const char *text, double common, int intercept, volt_forget_what what)
{
    school s;
    open_school(text, 861, &s);
    volt_model_free(s.model);
    s.fit.intercept = intercept;
    s.model = fit_rows(&s, TRAIN, 0);
    volt_kernel *kernel = plain_parse(text);
    double *K = malloc(sizeof *K * N * N), expected[Q], found[Q], ahead[Q];
    check_ok(
        volt_gram(kernel, volt_view_of(s.X, N, D), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
    volt_live *learner = forgetful(s.model, what);
    for (int64_t apart = 0; apart < 5; apart++) { /* an intercept includes the common part that does not fade */
        double entry = faded(2.5, common, what, apart),
               kept = intercept && what != VOLT_FORGET_ALL ? common : 0;
        check_near("decayed", volt_live_decayed(learner, 2.5, apart), entry);
        check_near("factored", volt_live_factored(learner, 2.5, apart), entry - kept);
    }
    for (int64_t t = TRAIN; t < N; t++) {
        plain_forecast(&s, K, common, what, t - WINDOW, t, expected);
        check_ok(
            volt_live_predict(learner, volt_view_of(s.X + t * D, 1, D), 0, volt_matrix_of(ahead, 1, Q), NULL));
        check_ok(volt_live_update(learner, s.X + t * D, 0, s.Y + t * Q, found));
        for (int64_t k = 0; k < Q; k++) {
            check_near(text, found[k], expected[k]);
            check_near("without learning", ahead[k], expected[k]);
        }
    }
    volt_live_free(learner);
    free(K);
    volt_kernel_free(kernel);
    close_school(&s);
}

static void both_kinds_equal_direct_solves(void **state)
{
    for (int i = 0; i < KERNELS; i++)
        for (int intercept = 0; intercept < 2; intercept++) {
            run_kernel(kernels[i].text, kernels[i].common, intercept, VOLT_FORGET_DYNAMICS);
            run_kernel(kernels[i].text, kernels[i].common, intercept, VOLT_FORGET_ALL);
        }
}

/* For kernels without a common part both kinds of forgetting are bitwise equal; for volterra they are not. */
static void both_kinds_agree_without_common_part(void **state)
{
    for (int i = 0; i < KERNELS; i++) {
        school s;
        double one[Q], two[Q], furthest = 0;
        open_school(kernels[i].text, 862, &s);
        volt_live *dynamics = forgetful(s.model, VOLT_FORGET_DYNAMICS);
        volt_live *all = forgetful(s.model, VOLT_FORGET_ALL);
        for (int64_t t = TRAIN; t < N; t++) {
            check_ok(volt_live_update(dynamics, s.X + t * D, 0, s.Y + t * Q, one));
            check_ok(volt_live_update(all, s.X + t * D, 0, s.Y + t * Q, two));
            furthest = fmax(furthest, fabs(one[0] - two[0]));
        }
        assert_true(kernels[i].common == 0 ? furthest == 0 : furthest > 1e-3);
        volt_live_free(dynamics);
        volt_live_free(all);
        close_school(&s);
    }
}

/* States record the forgetting. */
static void files_preserve_forgetting(void **state)
{
    school s;
    double expected[Q], found[Q];
    open_school(kernels[0].text, 863, &s);
    for (int what = 0; what < 2; what++) {
        volt_live *learner = forgetful(s.model, (volt_forget_what)what), *again = NULL;
        check_ok(volt_live_update(learner, s.X + TRAIN * D, 0, s.Y + TRAIN * Q, NULL));
        check_ok(volt_live_save(learner, scratch_path("state")));
        check_ok(volt_live_load(s.model, NULL, scratch_path("state"), &again));
        assert_int_equal(info_of(again).forget_what, what);
        check_ok(volt_live_feed(learner, s.X, expected));
        check_ok(volt_live_feed(again, s.X, found));
        assert_memory_equal(found, expected, sizeof found);
        volt_live_free(learner);
        volt_live_free(again);
    }
    close_school(&s);
}

static void forgetting_mode_is_checked(void **state)
{
    school s;
    volt_live *learner = NULL;
    volt_live_options options = *with_learning();
    open_school(kernels[0].text, 864, &s);
    assert_int_equal(options.forget_what, VOLT_FORGET_ALL);
    options.forget_what = (volt_forget_what)2;
    check_fails(volt_live_create(s.model, &options, &learner), VOLT_ERR_ARGUMENT, "forget_what 2");
    assert_null(learner);
    close_school(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_equal_direct_solves),
        cmocka_unit_test(both_kinds_agree_without_common_part),
        cmocka_unit_test(files_preserve_forgetting),
        cmocka_unit_test(forgetting_mode_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
