/* tests/backend/test_landmarks_device.c: landmark and PCG models whose features and sums are kept on the back end,
 * for every back end: the model equals that of the CPU. One back end has memory for the features of half of the
 * rows, and small blocks. */
#include "solve/landmark/landmark_operator.h"
#include "support/check.h"
#include "support/far_backend.h"
#include "support/sequences.h"
#include "volterra.h"

enum { N = 11500, FEW = 3600, PRODUCTS = 260, LATER = 40, D = 2, Q = 2, LANDMARKS = 18 };

/* Features are L^{-1} k with a condition of 1e4 or less for so few landmarks, sums of 1e4 of them are right
 * to 1e-12, and alpha is at least 1e-3: 1e-9 with a margin. The largest difference seen is 6e-13. */
static const double tolerance = 1e-8;

typedef struct landmark_case {
    const char *name, *kernel;
    bool chooses, records, holes, no_intercept, anchors;
    bool many;           /* rows: several blocks */
    bool pcg, automatic; /* few rows; the number of landmarks is chosen */
    int64_t washout;
    double feedback;
} landmark_case;

static const landmark_case cases[] = {
    {.name = "plain", .kernel = "volterra:lambda_coef=0.5,tau_coef=0.5", .many = true},
    {"washed out, with holes", "volterra:lambda_coef=0.5,tau_coef=0.5", .washout = 7, .holes = true},
    {"records", "fir:mu=0.5 + rbf:gamma=0.5", .records = true},
    {"without a constant", "memory:gamma=1,rho=0.3,mu=0.4", .no_intercept = true},
    {"alpha chosen", "volterra:lambda_coef=0.5", .chooses = true},
    {"changes or levels", "volterra:lambda_coef=0.5", .chooses = true, .anchors = true},
    {.name = "windows", .kernel = "rbf:gamma=0.3,window=3"},
    {.name = "paths", .kernel = "gak:sigma=2,window=3"},
    {"fed-back outputs", "volterra:lambda_coef=0.5,pole=0.3", .feedback = 0.4},
    {"PCG", "volterra:lambda_coef=0.5,tau_coef=0.5", .pcg = true, .washout = 7},
    {"PCG with holes and records", "fir:mu=0.5 + rbf:gamma=0.5", .pcg = true, .holes = true, .records = true},
    {"landmarks chosen", "volterra:lambda_coef=0.5", .automatic = true},
    {"PCG, no constant, alpha chosen", "memory:gamma=1,rho=0.3,mu=0.4", .pcg = true, .no_intercept = true,
     .chooses = true},
    {"number chosen for PCG", "volterra:lambda_coef=0.5,tau_coef=0.5", .pcg = true, .automatic = true},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static double x[(N + LATER) * D], y[N * Q];

/* A back end with memory for the features of half of the rows, and small blocks. */
static volt_backend half;
static double half_bytes;

static uint64_t half_available(void)
{
    return (uint64_t)half_bytes;
}

static void make_rows(void)
{
    volt_rng rng = test_rng(8201);
    for (int64_t t = 0; t < N + LATER; t++)
        for (int64_t k = 0; k < D; k++)
            x[t * D + k] = (t > 0 ? 0.7 * x[(t - 1) * D + k] : 0) + volt_rng_normal(&rng);
    for (int64_t t = 0; t < N; t++) {
        y[t * Q] = tanh(x[t * D]) + 0.5 * x[(t > 0 ? t - 1 : 0) * D + 1] + 3;
        y[t * Q + 1] = x[t * D] * x[t * D + 1] + 0.1 * volt_rng_normal(&rng);
    }
}

typedef struct fitted {
    double alphas[Q], forecasts[LATER * Q], some[60 * Q];
    int64_t rows; /* landmarks, and what is before them */
} fitted;

static void fit_case(const landmark_case *one, fitted *result)
{
    static const int64_t lengths[] = {1500, 1, 499, 1600}, short_lengths[] = {100, 1, 59, 100},
                         anchors[] = {0, 1};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_fit_options options = volt_fit_options_default();
    int64_t n = one->pcg || one->automatic ? PRODUCTS : one->many ? N : FEW;
    double *targets = new_matrix(n, Q), *all = new_matrix(n, Q);
    memcpy(targets, one->anchors ? x + D : y, sizeof(double) * (size_t)(n * Q));
    for (int64_t t = 0; one->holes && t < n; t += 17) /* also where a block is split, row 1800 */
        targets[t * Q] = targets[t * Q + 1] = NAN;
    options.solver = one->pcg ? "pcg" : "nystrom";
    options.tolerance = one->pcg ? 1e-11 : 0;
    options.landmarks = one->automatic ? VOLT_LANDMARKS_AUTO : LANDMARKS;
    options.alpha = one->chooses ? 0 : 1e-3 * (double)n;
    options.washout = one->washout;
    options.missing_targets = one->holes;
    options.intercept = !one->no_intercept;
    options.feedback_weight = one->feedback;
    if (one->anchors) {
        options.ahead = 1;
        options.anchors = anchors;
    }
    if (one->records) {
        options.records = one->pcg ? short_lengths : lengths;
        options.n_records = 4;
    }
    check_ok(volt_kernel_parse(one->kernel, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, n, D), volt_view_of(targets, n, Q), &options,
                            volt_matrix_of(all, n, Q), &model));
    volt_model_get_info(model, &info);
    result->rows = info.kernel_rows;
    memcpy(result->alphas, info.alphas, sizeof result->alphas);
    for (int64_t i = 0; i < 60; i++) /* of all rows, near the ends of blocks too */
        memcpy(result->some + i * Q, all + (i * (n / 60) + i % 2) * Q, sizeof(double) * Q);
    check_ok(volt_model_predict(model, volt_view_of(x + n * D, LATER, D), NULL,
                                volt_matrix_of(result->forecasts, LATER, Q), NULL));
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(targets);
    free(all);
}

static void assert_near(const landmark_case *one, const char *what, const double *found, const double *expected,
                        int64_t count)
{
    double worst = 0, size = 1;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(expected[i]));
    for (int64_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(found[i] - expected[i]) / size);
    if (getenv("VOLT_SHOW_ERRORS"))
        printf("# %s, %s: off by %.1e\n", one->name, what, worst);
    if (!(worst <= tolerance))
        fail_msg("%s, %s: off by %g of their size, allowed %g", one->name, what, worst, tolerance);
}

static fitted expected[CASES];

static void fits_on(const volt_backend *backend)
{
    static fitted found;
    for (int i = 0; i < CASES; i++) {
        if (backend != &volt_cpu_backend)
            half_bytes = volt_device_landmarks_bytes(&half, (cases[i].many ? N : FEW) / 2, LANDMARKS,
                                                     (double)expected[i].rows);
        fit_case(&cases[i], backend == &volt_cpu_backend ? &expected[i] : &found);
        if (backend == &volt_cpu_backend)
            continue;
        assert_true(found.rows == expected[i].rows);
        for (int k = 0; k < Q; k++)
            assert_true(fabs(found.alphas[k] / expected[i].alphas[k] - 1) < 1e-6);
        assert_near(&cases[i], "forecasts", found.forecasts, expected[i].forecasts, LATER * Q);
        assert_near(&cases[i], "fitted values", found.some, expected[i].some, 60 * Q);
    }
}

static void models_equal_cpu(void **state)
{
    make_rows();
    for_each_backend(fits_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_equal_cpu)};
    far_backends_register();
    for (int64_t i = 0; volt_backend_at(i); i++)
        if (strcmp(volt_backend_at(i)->name, "far-gram") == 0)
            half = *volt_backend_at(i);
    half.name = "far-half";
    half.available = half_available;
    half.block = 1 << 15;
    check_ok(volt_backend_register(&half));
    return cmocka_run_group_tests_name("landmarks", tests, NULL, NULL);
}
