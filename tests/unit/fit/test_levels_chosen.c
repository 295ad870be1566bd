/* tests/unit/fit/test_levels_chosen.c: targets that are inputs one step later, with levels predicted better than
 * changes, for every solver: the model is the fit with the chosen settings. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 90, H = 6, ALL = N + H, D = 3, Q = 2, WASHOUT = 3 };

/* A sine of the third input, and noise. Both are so small compared with the third input that they hardly
 * affect the kernel, and their changes even less. The level of the first is predictable; of the second, only
 * the mean is. */
static const double small = 1e-6;
static double x[(ALL + 1) * D];
static const int64_t anchors[Q] = {0, 1};

static int make_rows(void **state)
{
    volt_rng rng = test_rng(9308);
    double before = 0;
    for (int64_t t = 0; t <= ALL; t++) {
        x[t * D] = small * (sin(2 * before) + 0.05 * volt_rng_normal(&rng));
        x[t * D + 1] = small * (3 + volt_rng_normal(&rng));
        before = x[t * D + 2] = 2 * volt_rng_uniform(&rng) - 1;
    }
    return 0;
}

static double targets[N * Q];

static volt_view targets_of(void)
{
    for (int64_t t = 0; t < N; t++)
        memcpy(targets + t * Q, x + (t + 1) * D, Q * sizeof *targets);
    return volt_view_of(targets, N, Q);
}

static volt_model *fit(const char *text, volt_fit_options *options, double *forecasts)
{
    volt_kernel *kernel = plain_parse(text);
    volt_model *model = NULL;
    double fitted[N * Q];
    options->input = VOLT_INPUT_LEVEL;
    check_ok(volt_model_fit(kernel, volt_view_of(x, N, D), targets_of(), options, volt_matrix_of(fitted, N, Q),
                            &model));
    check_ok(
        volt_model_predict(model, volt_view_of(x + N * D, H, D), NULL, volt_matrix_of(forecasts, H, Q), NULL));
    volt_kernel_free(kernel);
    return model;
}

static const struct {
    const char *kernel;
    const char *solver;
    int64_t landmarks;
} cases[] = {
    {"rbf:gamma=1", "exact", 0},
    {"esn:size=8,seed=1", "features", 0},
    {"rbf:gamma=1", "nystrom", 20},
    {"rbf:gamma=1", "pcg", 20},
};

/* The mean of column k of the fitted targets. */
static double mean_target(int64_t k)
{
    double sum = 0;
    for (int64_t t = WASHOUT; t < N; t++)
        sum += x[(t + 1) * D + k];
    return sum / (N - WASHOUT);
}

/* A system of condition N / alpha, at most 1e6, is solved to 1e-10 of the targets, and the residual of 1e-12
 * in the iteration leaves at most 1e-6 of them. Observed: 4e-13. */
static const double tolerance = 1e-6;

static void chosen_levels_are_fitted(void **state)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_fit_options options = volt_fit_options_default();
        volt_model_info info = {.struct_size = sizeof info};
        double chosen[H * Q], given[H * Q], off = 0;
        options.solver = cases[c].solver;
        options.landmarks = cases[c].landmarks;
        options.tolerance = strcmp(cases[c].solver, "pcg") == 0 ? 1e-12 : 0;
        options.washout = WASHOUT;
        options.anchors = anchors;
        options.ahead = 1;
        volt_model *model = fit(cases[c].kernel, &options, chosen);
        volt_model_get_info(model, &info);
        assert_true(info.anchors[0] == -1 && info.anchors[1] == -1); /* levels */
        assert_true(isfinite(info.alphas[0]) && isinf(info.alphas[1]));
        options.alpha = info.alphas[0];
        volt_model_free(model);

        options.anchors = NULL;
        options.target = VOLT_TARGET_LEVEL;
        if (strcmp(cases[c].solver, "nystrom") != 0) {
            options.solver = "exact";
            options.landmarks = 0;
            options.tolerance = 0;
        }
        volt_model_free(fit(cases[c].kernel, &options, given));
        for (int64_t i = 0; i < H; i++)
            off = fmax(off, fmax(fabs(chosen[i * Q] - given[i * Q]), fabs(chosen[i * Q + 1] - mean_target(1))));
        print_message("%s: off by %.1e of the targets\n", cases[c].kernel, off / small);
        assert_true(off <= tolerance * small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chosen_levels_are_fitted)};
    return cmocka_run_group_tests_name("levels_chosen", tests, make_rows, NULL);
}
