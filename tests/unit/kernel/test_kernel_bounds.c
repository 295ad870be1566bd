/* tests/unit/kernel/test_kernel_bounds.c: valid ranges of lambda and tau, and bounds of a kernel on a ball of
 * inputs. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

/* Status of a query on |z| <= radius in d dimensions. */
static volt_status query(const char *text, double radius, int64_t d, volt_kernel_facts *facts)
{
    volt_kernel *kernel = plain_parse(text);
    volt_status status = volt_kernel_query(kernel, radius, d, 1e-16, facts);
    volt_kernel_free(kernel);
    return status;
}

static void close_to(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-13 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", actual, expected);
}

/* ---- bounds computed by hand ------------------------------------------------------------------ */

/* tau M = 0.6: t = 0.36. sup kappa and the bound on lambda, lambda = 0.5 throughout:
 *     geometric    1/0.64 = 1.5625                        bound 0.8
 *     even         1/(1 - 0.1296) = 1/0.8704
 *     exponential  exp(0.36)
 *     poly:3       1 + 0.36 + 0.1296 + 0.046656 = 1.536256
 *     rbf          1                                      bound 1 */
static void kernel_properties_by_hand(void **state)
{
    static const struct {
        const char *text;
        double tau, sup;
    } cases[] = {
        {"volterra:tau=0.3,lambda=0.5", 0.3, 1.5625},
        {"volterra:tau=0.3,lambda=0.5,lift=even", 0.3, 1 / 0.8704},
        {"volterra:tau=0.3,lambda=0.5,lift=exponential", 0.3, 1.4333294145603401},
        {"volterra:tau=0.3,lambda=0.5,lift=poly:3", 0.3, 1.536256},
        {"volterra:gamma=5,lambda=0.5,lift=rbf", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        check_ok(query(cases[i].text, 2, 3, &facts));
        assert_true(facts.radius == 2 && facts.lambda == 0.5);
        close_to(facts.sup_kappa, cases[i].sup);
        close_to(facts.lambda_bound, 1 / sqrt(cases[i].sup));
        close_to(facts.contraction, 0.25 * cases[i].sup);
        close_to(facts.largest, 1 / (1 - 0.25 * cases[i].sup));
        assert_true(facts.tau == cases[i].tau);
        /* the smallest integer h with contraction^h <= eps */
        assert_true(facts.horizon == ceil(log(1e-16) / log(0.25 * cases[i].sup)));
        assert_true(pow(facts.contraction, facts.horizon) <= 1e-16 * (1 + 1e-12));
        assert_true(pow(facts.contraction, facts.horizon - 1) > 1e-16);
    }
}

static void horizon_by_hand(void **state)
{
    volt_kernel *kernel = plain_parse("volterra:tau=0.6,lambda=0.4"); /* contraction 0.16/0.64 = 1/4 */
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_ok(volt_kernel_query(kernel, 1, 1, 0.01, &facts)); /* 4^-3 = 0.0156, 4^-4 = 0.0039 */
    assert_true(facts.horizon == 4);
    check_ok(volt_kernel_query(kernel, 1, 1, DBL_EPSILON, &facts)); /* 4^-26 = 2^-52 */
    assert_true(facts.horizon == 26 || facts.horizon == 27);
    volt_kernel_free(kernel);
}

static void both_parametrisations_agree(void **state)
{
    static const char *const lifts[] = {"geometric", "even", "exponential", "poly:4"};
    for (int i = 0; i < 4; i++) {
        char text[160];
        volt_kernel_facts coef = {.struct_size = sizeof coef}, plain = {.struct_size = sizeof plain};
        snprintf(text, sizeof text, "volterra:tau_coef=0.7,lambda_coef=0.9,lift=%s", lifts[i]);
        check_ok(query(text, 2.5, 3, &coef));
        close_to(coef.tau, 0.28);
        snprintf(text, sizeof text, "volterra:tau=0.28,lambda=%.17g,lift=%s", 0.9 * coef.lambda_bound,
                 lifts[i]);
        check_ok(query(text, 2.5, 3, &plain));
        close_to(coef.lambda, plain.lambda);
        close_to(coef.lambda_bound, plain.lambda_bound);
        close_to(coef.contraction, plain.contraction);
        close_to(coef.contraction, 0.81);
        close_to(coef.largest, plain.largest);
    }
}

/* ---- bounds ----------------------------------------------------------------------------------- */

static void lambda_at_its_bound_is_rejected(void **state)
{
    volt_kernel_facts facts = {.struct_size = sizeof(volt_kernel_facts), .radius = -7};
    check_fails(query("volterra:tau=0.6,lambda=0.8", 1, 1, &facts), VOLT_ERR_ARGUMENT, "lambda = 0.8");
    assert_non_null(strstr(volt_error_detail(), "bound, 0.8 "));
    check_fails(query("volterra:tau=0.6,lambda=0.81", 1, 1, &facts), VOLT_ERR_ARGUMENT, "lambda = 0.81");
    check_fails(query("volterra:tau=0.6,lambda=5", 1, 1, &facts), VOLT_ERR_ARGUMENT, "stay");
    check_fails(query("volterra:lift=rbf,lambda=1", 1, 1, &facts), VOLT_ERR_ARGUMENT, "lambda = 1");
    check_fails(query("volterra:lift=even,tau=0.6,lambda=0.93295230317524813", 1, 1, &facts), VOLT_ERR_ARGUMENT,
                "lift");
    check_fails(query("volterra:lift=exponential,tau=1,lambda=0.60653065971263342", 1, 1, &facts),
                VOLT_ERR_ARGUMENT, "lift");
    check_fails(query("volterra:lift=poly:3,tau=1,lambda=0.5", 1, 1, &facts), VOLT_ERR_ARGUMENT, "lift poly");
    assert_true(facts.radius == -7); /* not modified */
}

static void lambda_just_below_its_bound_is_accepted(void **state)
{
    static const struct {
        const char *lift;
        double bound;
    } cases[] = {{"geometric,tau=0.6", 0.8},
                 {"even,tau=0.6", 0.93295230317524813},
                 {"exponential,tau=0.6", 0.83527021141127200},
                 {"poly:3,tau=0.6", 0.80680429956941812},
                 {"rbf,gamma=1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[160];
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        snprintf(text, sizeof text, "volterra:lambda=%.17g,lift=%s", cases[i].bound * (1 - 1e-13),
                 cases[i].lift);
        check_ok(query(text, 1, 4, &facts));
        assert_true(facts.contraction < 1 && isfinite(facts.largest) && facts.largest > 1e12);
        close_to(facts.lambda_bound, cases[i].bound);
    }
}

static void tau_at_one_over_the_radius_is_rejected(void **state)
{
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_fails(query("volterra:tau=1,lambda=0.1", 1, 1, &facts), VOLT_ERR_ARGUMENT, "1/M = 1");
    check_fails(query("volterra:tau=0.5,lambda=0.1", 2, 1, &facts), VOLT_ERR_ARGUMENT, "tau = 0.5");
    check_fails(query("volterra:tau=3,lambda=0.1,lift=even", 1, 1, &facts), VOLT_ERR_ARGUMENT, "lift");
    check_ok(query("volterra:tau=0.4999999999,lambda_coef=0.1", 2, 1, &facts));
    /* the other lifts accept any tau */
    check_ok(query("volterra:tau=3,lambda_coef=0.5,lift=exponential", 1, 1, &facts));
    check_ok(query("volterra:tau=3,lambda_coef=0.5,lift=poly:5", 1, 1, &facts));
}

/* lambda = 0.85 with tau M = 0.6: above 0.8 (geometric), below 0.93 (even) and 1 (rbf). */
static void bounds_depend_on_lift(void **state)
{
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_fails(query("volterra:tau=0.6,lambda=0.85", 1, 2, &facts), VOLT_ERR_ARGUMENT, "lambda = 0.85");
    check_fails(query("volterra:tau=0.6,lambda=0.85,lift=exponential", 1, 2, &facts), VOLT_ERR_ARGUMENT,
                "exponential");
    check_ok(query("volterra:tau=0.6,lambda=0.85,lift=even", 1, 2, &facts));
    check_ok(query("volterra:gamma=0.6,lambda=0.85,lift=rbf", 1, 2, &facts));

    double x[] = {1, 0.3, -0.2}, K[9];
    volt_view X = volt_view_of(x, 3, 1), none = volt_view_of(NULL, 0, 0);
    volt_kernel *geometric = plain_parse("volterra:tau=0.6,lambda=0.85");
    volt_kernel *even = plain_parse("volterra:tau=0.6,lambda=0.85,lift=even");
    check_fails(volt_gram(geometric, X, none, NULL, volt_matrix_of(K, 3, 3)), VOLT_ERR_ARGUMENT, "lambda");
    check_ok(volt_gram(even, X, none, NULL, volt_matrix_of(K, 3, 3)));
    x[0] = 0.5; /* valid for the geometric lift on a smaller ball: 0.85 < sqrt(1 - 0.09) */
    check_ok(volt_gram(geometric, X, none, NULL, volt_matrix_of(K, 3, 3)));
    volt_kernel_free(even);
    volt_kernel_free(geometric);
}

static void rbf_takes_any_radius(void **state)
{
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_ok(query("volterra:gamma=2,lambda=0.9,lift=rbf", 1e100, 3, &facts));
    assert_true(facts.sup_kappa == 1 && facts.tau == 0);
}

static void invalid_queries_are_rejected(void **state)
{
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_fails(query("volterra", -1, 1, &facts), VOLT_ERR_ARGUMENT, "radius");
    check_fails(query("volterra", NAN, 1, &facts), VOLT_ERR_ARGUMENT, "radius");
    check_fails(query("volterra", INFINITY, 1, &facts), VOLT_ERR_ARGUMENT, "radius");
    check_ok(query("volterra", 0, 1, &facts));
    volt_kernel *kernel = plain_parse("volterra");
    static const double wrong_eps[] = {0, 1, -1, NAN, INFINITY};
    for (int i = 0; i < 5; i++)
        check_fails(volt_kernel_query(kernel, 1, 1, wrong_eps[i], &facts), VOLT_ERR_ARGUMENT, "eps");
    check_fails(volt_kernel_query(NULL, 1, 1, 0.1, &facts), VOLT_ERR_ARGUMENT, "kernel");
    volt_kernel_free(kernel);
}

/* Coefficients are always valid, however close to 1, in any dimension. */
static void coefficients_next_to_one_are_accepted(void **state)
{
    volt_rng rng = test_rng(61);
    static const char *const kernels[] = {
        "volterra:tau_coef=0.999999999999999,lambda_coef=0.999999999999999",
        "volterra:tau_coef=0.999999999999999,lambda_coef=0.999999999999999,lift=even",
        "volterra:tau_coef=0.999999999999999,lambda_coef=0.999999999999999,lift=exponential",
        "volterra:tau_coef=0.999999999999999,lambda_coef=0.999999999999999,lift=poly:64",
        "volterra:lambda_coef=0.999999999999999,lift=rbf",
        "volterra:tau_coef=0.99999999999999989,lambda_coef=0.99999999999999989",
        "volterra:tau_coef=0.99999999999999989,lambda_coef=0.99999999999999989,lift=even",
        "volterra:tau_coef=0.99999999999999989,lambda_coef=0.99999999999999989,lift=exponential",
        "volterra:tau_coef=0.99999999999999989,lambda_coef=0.99999999999999989,lift=poly:64",
        "volterra:lambda_coef=0.99999999999999989,lift=rbf",
        "volterra:tau_coef=1e-300,lambda_coef=0.99999999999999989",
        "volterra:tau_coef=0.99999999999999989,lambda_coef=1e-300",
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (int64_t d = 1; d <= 64; d *= 8) {
            enum { N = 40 };
            volt_kernel *kernel = plain_parse(kernels[i]);
            double *X = random_rows(&rng, N, d, 3.7), *K = new_matrix(N, N);
            for (int64_t k = 0; k < N / 4 * d;
                 k++) /* duplicate rows on the sphere: inner products at the bound */
                X[k] = 3.7 / sqrt((double)d);
            check_ok(volt_gram(kernel, volt_view_of(X, N, d), volt_view_of(NULL, 0, 0), NULL,
                               volt_matrix_of(K, N, N)));
            for (int k = 0; k < N * N; k++)
                if (!isfinite(K[k]) || K[k] < 0)
                    fail_msg("%s, d = %d: K holds %g", kernels[i], (int)d, K[k]);
            free(K);
            free(X);
            volt_kernel_free(kernel);
        }
}

static void null_arguments_are_rejected(void **state)
{
    volt_kernel *kernel = plain_parse("volterra");
    volt_kernel_info info = {.struct_size = sizeof info};
    check_fails(volt_kernel_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "kernel");
    check_fails(volt_kernel_get_info(kernel, NULL), VOLT_ERR_ARGUMENT, "description");
    check_ok(volt_kernel_get_info(kernel, &info));
    assert_string_equal(info.name, "volterra");
    volt_kernel_free(kernel);
}

/* ---- properties implied by the bounds --------------------------------------------------------- */

/* Normalised: K(x, x) = 1, and no entry is larger. */
static void alignments_are_at_most_one(void **state)
{
    volt_kernel *kernel = plain_parse("gak:window=3");
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_ok(volt_kernel_query(kernel, 1, 2, 1e-16, &facts));
    close_to(facts.largest, 1);
    volt_kernel_free(kernel);
}

/* A constant input of norm r approaches (input^2 r^2 + bias^2) / (1 - radius^2). */
static void recurrent_bounds_are_approached(void **state)
{
    enum { N = 200 };
    double X[N], K[N * N];
    volt_kernel *kernel = plain_parse("recurrent:activation=relu,radius=0.8,input=0.7,bias=0.5");
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    for (int i = 0; i < N; i++)
        X[i] = 2;
    check_ok(volt_kernel_query(kernel, 2, 1, 1e-16, &facts));
    close_to(facts.largest, (0.49 * 4 + 0.25) / (1 - 0.64));
    check_ok(volt_gram(kernel, volt_view_of(X, N, 1), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
    close_to(K[N * N - 1], facts.largest);
    volt_kernel_free(kernel);
}

static void entries_do_not_exceed_bound(void **state)
{
    volt_rng rng = test_rng(62);
    enum { N = 60, D = 2 };
    for (int p = 0; p < 2 * PLAIN_KERNELS; p++) {
        const plain_kernel *plain =
            p < PLAIN_KERNELS ? &plain_kernels[p] : &plain_slow_kernels[p - PLAIN_KERNELS];
        volt_kernel *kernel = plain_parse(plain->text);
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        double *X = random_rows(&rng, N, D, 1), *K = new_matrix(N, N), largest = 0;
        for (int i = 0; i < N / 2; i++) { /* constant and on the sphere: the bound is approached */
            X[i * D] = 1;
            X[i * D + 1] = 0;
        }
        check_ok(volt_kernel_query(kernel, 1, D, 1e-16, &facts));
        check_ok(
            volt_gram(kernel, volt_view_of(X, N, D), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, N, N)));
        for (int i = 0; i < N * N; i++)
            largest = fmax(largest, fabs(K[i]));
        assert_true(largest <= facts.largest * (1 + 1e-12));
        if (p < PLAIN_KERNELS && plain->lift != PLAIN_RBF)
            assert_true(largest >= 0.99 * facts.largest);
        free(K);
        free(X);
        volt_kernel_free(kernel);
    }
}

/* Two initial states, then the same h rows: the remaining difference is at most contraction^h times the
 * difference of two kernel values, each of magnitude at most `largest`. For positive kernels it is at most
 * eps largest. */
static void influence_is_negligible_after_horizon(void **state)
{
    volt_rng rng = test_rng(63);
    enum { HISTORY = 30, D = 2 };
    const double eps = 1e-6;
    for (int p = 0; p < PLAIN_KERNELS; p++) {
        volt_kernel *kernel = plain_parse(plain_kernels[p].text);
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        check_ok(volt_kernel_query(kernel, 1, D, eps, &facts));
        int64_t h = (int64_t)facts.horizon, n = HISTORY + h;
        double *X = random_rows(&rng, n, D, 1), *Y = random_rows(&rng, n, D, 1),
               *other = random_rows(&rng, n, D, 1);
        /* worst case: all rows at one point of the sphere, opposite initial states */
        for (int64_t i = 0; i < n; i++) {
            X[i * D] = Y[i * D] = other[i * D] = 1;
            X[i * D + 1] = Y[i * D + 1] = other[i * D + 1] = 0;
            if (i < HISTORY)
                other[i * D] = 0;
        }
        double *K = new_matrix(n, n), *K_other = new_matrix(n, n);
        volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .radius = 1};
        check_ok(
            volt_gram(kernel, volt_view_of(X, n, D), volt_view_of(Y, n, D), &options, volt_matrix_of(K, n, n)));
        check_ok(volt_gram(kernel, volt_view_of(other, n, D), volt_view_of(Y, n, D), &options,
                           volt_matrix_of(K_other, n, n)));
        double difference = fabs(K[n * n - 1] - K_other[n * n - 1]);
        assert_true(difference < eps * facts.largest);
        assert_true(difference > 1e-3 * eps); /* the horizon is not unnecessarily long */
        free(K_other);
        free(K);
        free(other);
        free(Y);
        free(X);
        volt_kernel_free(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_properties_by_hand),
        cmocka_unit_test(horizon_by_hand),
        cmocka_unit_test(both_parametrisations_agree),
        cmocka_unit_test(lambda_at_its_bound_is_rejected),
        cmocka_unit_test(lambda_just_below_its_bound_is_accepted),
        cmocka_unit_test(tau_at_one_over_the_radius_is_rejected),
        cmocka_unit_test(bounds_depend_on_lift),
        cmocka_unit_test(rbf_takes_any_radius),
        cmocka_unit_test(invalid_queries_are_rejected),
        cmocka_unit_test(coefficients_next_to_one_are_accepted),
        cmocka_unit_test(alignments_are_at_most_one),
        cmocka_unit_test(null_arguments_are_rejected),
        cmocka_unit_test(recurrent_bounds_are_approached),
        cmocka_unit_test(entries_do_not_exceed_bound),
        cmocka_unit_test(influence_is_negligible_after_horizon),
    };
    return cmocka_run_group_tests_name("kernel_bounds", tests, NULL, NULL);
}
