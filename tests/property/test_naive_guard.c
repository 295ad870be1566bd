/* tests/property/test_naive_guard.c: fits of a series with default options, compared with the naive forecast
 * on later rows.
 *
 * A random walk is unpredictable, so a fitted model loses to the naive forecast. The naive forecast is
 * replaced only after two tests at 0.99 on the rows held out, and one step ahead half-way after two at 0.95:
 * if each walk is spoiled with probability p = 0.05 at most, more than k of n walks are with the binomial
 * probability below. Predictable series must be learned. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 90, LATER = 60, WALKS = 60 };

/* Squared error over the naive one's, on LATER rows after N that trained; *learned: the naive forecast was replaced. */
static double ratio_of(const volt_kernel *kernel, const double *X, int64_t ahead, int *learned)
{
    static const int64_t anchor = 0;
    volt_fit_options options = volt_fit_options_default();
    options.ahead = ahead;
    options.anchors = &anchor;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    double out[LATER], error = 0, naive = 0;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, 1), volt_view_of(X + ahead, N, 1), &options,
                            (volt_matrix){0}, &model));
    volt_model_get_info(model, &info);
    *learned += info.report->share[0] > 0;
    check_ok(
        volt_model_predict(model, volt_view_of(X + N, LATER, 1), NULL, volt_matrix_of(out, LATER, 1), NULL));
    for (int64_t i = 0; i < LATER; i++) {
        double y = X[N + i + ahead];
        error += (y - out[i]) * (y - out[i]);
        naive += (y - X[N + i]) * (y - X[N + i]);
    }
    volt_model_free(model);
    return error / naive;
}

/* P(more than k of n), each with probability p. */
static double binomial_tail(int n, int k, double p)
{
    double below = 0, term = pow(1 - p, n);
    for (int i = 0; i <= k; i++) {
        below += term;
        term *= p / (1 - p) * (double)(n - i) / (double)(i + 1);
    }
    return 1 - below;
}

static void random_walk_keeps_naive_forecast(void **state)
{
    volt_rng rng = test_rng(921);
    volt_kernel *kernel = plain_parse("volterra");
    for (int64_t ahead = 1; ahead <= 5; ahead += 4) {
        int worse = 0, learned = 0;
        for (int walk = 0; walk < WALKS; walk++) {
            double X[N + LATER + 5], drift = walk % 3 == 0 ? 0.1 : 0;
            X[0] = 0;
            for (int i = 1; i < N + LATER + 5; i++) { /* every fourth has heavy tails */
                double step = volt_rng_normal(&rng);
                X[i] = X[i - 1] + drift + (walk % 4 == 3 ? step * step * step : step);
            }
            worse += ratio_of(kernel, X, ahead, &learned) > 1.01;
        }
        print_message("%d ahead: %d of %d walks above 1.01, %d learned\n", (int)ahead, worse, WALKS, learned);
        /* A count this high has probability at most 1e-4 over the seeds. */
        assert_true(worse == 0 || binomial_tail(WALKS, worse - 1, 0.05) > 1e-4);
    }
    volt_kernel_free(kernel);
}

static void predictable_series_use_the_model(void **state)
{
    volt_rng rng = test_rng(922);
    volt_kernel *kernel = plain_parse("volterra");
    int learned = 0;
    for (int trial = 0; trial < 8; trial++) {
        double X[N + LATER + 5];
        for (int i = 0; i < N + LATER + 5; i++)
            X[i] = 50 + 10 * sin(2 * acos(-1) * i / 12) + 0.5 * volt_rng_normal(&rng);
        for (int64_t ahead = 1; ahead <= 4; ahead += 3)
            assert_true(ratio_of(kernel, X, ahead, &learned) < 0.2);
    }
    assert_int_equal(learned, 16);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walk_keeps_naive_forecast),
        cmocka_unit_test(predictable_series_use_the_model),
    };
    return cmocka_run_group_tests_name("naive_guard", tests, NULL, NULL);
}
