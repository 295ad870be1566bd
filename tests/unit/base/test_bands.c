/* tests/unit/base/test_bands.c: a fit with rows distributed over several processes equals the fit of one process.
 * Threads of this process stand for the others. */
#include "base/row_bands.h"
#include "support/check.h"
#include "support/sequences.h"
#include "support/thread_bands.h"
#include "volterra/model.h"

enum { N = 3300, D = 2, Q = 2, LANDMARKS = 24, PARTS = 3 };

static double x[N * D], y[N * Q], holes[N * Q];

static int make_rows(void **state)
{
    volt_rng rng = test_rng(6100);
    double v = 0;
    for (int64_t t = 0; t < N; t++) {
        for (int k = 0; k < D; k++)
            x[t * D + k] = 2 * volt_rng_uniform(&rng) - 1;
        v = 0.7 * v + x[t * D] * x[t * D] - 0.3 * x[t * D + 1];
        y[t * Q] = 3 + v + 0.05 * volt_rng_normal(&rng);
        y[t * Q + 1] = 100 * tanh(v) + volt_rng_normal(&rng);
    }
    memcpy(holes, y, sizeof y);
    for (int64_t t = 0; t < N; t++) /* none in the first band, some in the others */
        for (int k = 0; k < Q; k++)
            if (t < 700 || t % 7 == 3)
                holes[t * Q + k] = NAN;
    return 0;
}

/* ---- fits ------------------------------------------------------------------------------------- */

typedef struct task {
    const char *kernel;
    volt_fit_options options;
    const double *targets;
    double alphas[Q], gcv[Q], loo[Q]; /* statistics stored in the model */
    double fitted[N * Q], forecast[N * Q];
} task;

static void fit(void *context)
{
    task *t = context;
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    check_ok(volt_kernel_parse(t->kernel, &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(x, N, D), volt_view_of(t->targets, N, Q), &t->options,
                            volt_matrix_of(t->fitted, N, Q), &model));
    check_ok(volt_model_predict(model, volt_view_of(x, N, D), NULL, volt_matrix_of(t->forecast, N, Q), NULL));
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    memcpy(t->alphas, info.alphas, sizeof t->alphas);
    if (info.report->gcv) /* only with landmarks */
        memcpy(t->gcv, info.report->gcv, sizeof t->gcv);
    if (info.report->loo_mse)
        memcpy(t->loo, info.report->loo_mse, sizeof t->loo);
    volt_model_free(model);
    volt_kernel_free(kernel);
}

/* Solutions differ by eps times the condition number of the normal equations, at most 1 / (eps alpha) for
 * outputs of this spread. The tolerance is far above the observed difference (1e-11) and far below the
 * effect of a lost row (1e-4). */
static void check_bands(const char *kernel, const volt_fit_options *options, const double *targets)
{
    static task alone, parts[PARTS];
    void *tasks[THREAD_BANDS] = {&alone};
    const double spread[Q] = {1, 100};
    alone = (task){.kernel = kernel, .options = *options, .targets = targets};
    thread_bands_run(1, fit, tasks);
    for (int64_t p = 0; p < PARTS; p++) {
        parts[p] = alone;
        memset(parts[p].forecast, 0, sizeof parts[p].forecast);
        tasks[p] = &parts[p];
    }
    thread_bands_run(PARTS, fit, tasks);
    double worst = 0;
    for (int64_t p = 0; p < PARTS; p++) { /* BLAS may round differently with another memory layout */
        for (int64_t i = 0; i < N * Q; i++) {
            worst = fmax(worst, fabs(parts[p].forecast[i] - alone.forecast[i]) / spread[i % Q]);
            worst = fmax(worst, fabs(parts[p].fitted[i] - alone.fitted[i]) / spread[i % Q]);
        }
    }
    printf("# %s, %d parts: %.1e\n", kernel, PARTS, worst);
    assert_true(worst < 1e-7);
    for (int64_t i = 0; i < PARTS * Q; i++) {
        const task *part = &parts[i / Q];
        int64_t k = i % Q;
        assert_true(fabs(part->alphas[k] / alone.alphas[k] - 1) < 1e-12);
        assert_true(fabs(part->gcv[k] - alone.gcv[k]) <= 1e-7 * alone.gcv[k]);
        assert_true(fabs(part->loo[k] - alone.loo[k]) <= 1e-7 * alone.loo[k]);
    }
}

static volt_fit_options options_of(double alpha)
{
    volt_fit_options options = volt_fit_options_default();
    options.alpha = alpha;
    options.solver = "nystrom";
    options.landmarks = LANDMARKS;
    return options;
}

static void landmarks_by_bands(void **state)
{
    volt_fit_options options = options_of(1e-3);
    check_bands("volterra", &options, y);
}

static void alpha_choice_does_not_depend_on_bands(void **state)
{
    volt_fit_options options = options_of(0);
    options.washout = 600; /* more than one band in the second pass */
    check_bands("fir", &options, y);
}

static void records_and_missing_targets(void **state)
{
    const int64_t lengths[] = {900, 1, 1400, N - 2301};
    volt_fit_options options = options_of(1e-2);
    options.records = lengths;
    options.n_records = 4;
    options.missing_targets = 1;
    check_bands("fading + 0.5*fir", &options, holes);
}

static void states_of_a_reservoir_by_bands(void **state)
{
    volt_fit_options options = options_of(1e-3);
    options.landmarks = 0;
    options.solver = "features";
    check_bands("esn:size=30,seed=1", &options, y);
}

/* Bands are whole blocks; each block is in exactly one band. */
static void every_row_is_in_one_band(void **state)
{
    for (int64_t parts = 1; parts <= 5; parts++)
        for (int64_t end = 3; end < 60; end++) {
            int64_t next = 3;
            for (int64_t part = 0; part < parts; part++) {
                volt_bands bands = {.parts = parts, .part = part};
                int64_t first, last;
                volt_bands_rows(&bands, 3, end, 8, &first, &last);
                assert_int_equal(first, next);
                assert_true(last >= first && (last == end || (last - 3) % 8 == 0));
                next = last;
            }
            assert_int_equal(next, end);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landmarks_by_bands),          cmocka_unit_test(alpha_choice_does_not_depend_on_bands),
        cmocka_unit_test(records_and_missing_targets), cmocka_unit_test(states_of_a_reservoir_by_bands),
        cmocka_unit_test(every_row_is_in_one_band),
    };
    return cmocka_run_group_tests_name("bands", tests, make_rows, NULL);
}
