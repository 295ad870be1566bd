/* tests/backend/test_solver_scenarios.c: fits by every solver on the CPU and on remote back ends, with an
 * out-of-memory error, a cancellation, a full device or a lost device at every possible point
 * (support/scenario.h). */
#include "support/check.h"
#include "support/far_backend.h"
#include "support/lost_backend.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 14, H = 3, D = 2, Q = 2, LANDMARKS = 4 };

static double *x, y[N * Q];

/* ---- scenarios --------------------------------------------------------------------------------- */

typedef struct fit_case {
    const char *kernel;
    const char *solver;
    double alpha; /* 0: chosen */
    const char *loss;
    bool records, holes, ahead, no_intercept, keeps_factor, automatic; /* automatic: the number of landmarks */
    int64_t washout, iterations;
    double feedback;
} fit_case;

static volt_fit_options options_of(const fit_case *c)
{
    static const int64_t lengths[] = {7, 1, 6}, anchors[] = {0, 1};
    volt_fit_options options = volt_fit_options_default();
    options.alpha = c->alpha;
    options.solver = c->solver;
    options.landmarks =
        c->solver && (strcmp(c->solver, "nystrom") == 0 || strcmp(c->solver, "pcg") == 0) ? LANDMARKS : 0;
    if (c->automatic)
        options.landmarks = VOLT_LANDMARKS_AUTO;
    options.loss = c->loss;
    options.intercept = !c->no_intercept;
    options.keep_factor = c->keeps_factor;
    options.washout = c->washout;
    options.iterations = c->iterations;
    options.missing_targets = c->holes;
    options.feedback_weight = c->feedback;
    if (c->ahead) {
        options.anchors = anchors;
        options.ahead = 1;
    }
    if (c->records) {
        options.records = lengths;
        options.n_records = 3;
    }
    return options;
}

/* A fit, and forecasts of the rows that follow. */
static volt_status fit(const void *with, volt_progress progress, scenario_result *result)
{
    const fit_case *c = with;
    volt_fit_options options = options_of(c);
    volt_predict_options predicting = volt_predict_options_default();
    volt_model_info info = {.struct_size = sizeof info};
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    double targets[N * Q], fitted[N * Q], out[H * Q];
    options.progress = predicting.progress = progress;
    memcpy(targets, c->ahead ? x + D : y, sizeof targets);
    for (int64_t i = 2; c->holes && i < N; i += 7)
        targets[i * Q] = targets[i * Q + 1] = NAN;
    volt_status status = volt_kernel_parse(c->kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_model_fit(kernel, volt_view_of(x, N, D), volt_view_of(targets, N, Q), &options,
                                volt_matrix_of(fitted, N, Q), &model);
    assert_true((status == VOLT_OK) == (model != NULL));
    if (status == VOLT_OK)
        status = volt_model_predict(model, volt_view_of(x + N * D, H, D), &predicting,
                                    volt_matrix_of(out, H, Q), NULL);
    if (status == VOLT_OK) {
        volt_model_get_info(model, &info);
        scenario_put(result, fitted, N * Q);
        scenario_put(result, out, H * Q);
        scenario_put(result, info.alphas, Q);
    }
    volt_model_free(model);
    volt_kernel_free(kernel);
    return status;
}

#define RBF "rbf:gamma=0.5"
#define SUM "fir:mu=0.5 + rbf:gamma=0.5"
#define EXACT .solver = "exact"
#define STATES .solver = "features"
#define NYSTROM .solver = "nystrom"
#define PCG .solver = "pcg", .iterations = 3

static const scenario here[] = {
    {"exact", &(fit_case){RBF, EXACT, .alpha = 0.1, .keeps_factor = true}, fit, 0, 0},
    {"exact, alpha chosen", &(fit_case){SUM, EXACT, .records = true, .holes = true}, fit, 0, 0},
    {"exact, changes or levels", &(fit_case){RBF, EXACT, .ahead = true}, fit, 0, 0},
    {"states", &(fit_case){"esn:size=3", STATES, .alpha = 0.1, .washout = 2}, fit, 0, 0},
    {"states, alpha chosen", &(fit_case){"esn:size=3", STATES, .records = true}, fit, 0, 0},
    {"states, changes or levels", &(fit_case){"esn:size=3", STATES, .ahead = true, .holes = true}, fit, 0, 0},
    {"landmarks", &(fit_case){SUM, NYSTROM, .alpha = 0.1, .records = true}, fit, 0, 0},
    {"landmarks, alpha chosen", &(fit_case){RBF, NYSTROM, .holes = true, .washout = 2}, fit, 0, 0},
    {"landmarks, changes or levels", &(fit_case){RBF, NYSTROM, .ahead = true}, fit, 0, 0},
    {"landmarks of paths", &(fit_case){"gak:sigma=2,window=3", NYSTROM, .alpha = 0.1, .no_intercept = true},
     fit, 0, 0},
    {"landmarks, fed-back outputs", &(fit_case){RBF, NYSTROM, .alpha = 0.1, .feedback = 0.3}, fit, 0, 0},
    {"landmarks, number chosen", &(fit_case){RBF, NYSTROM, .alpha = 0.1, .automatic = true}, fit, 0, 0},
    {"iteration", &(fit_case){SUM, PCG, .alpha = 0.1, .records = true}, fit, 0, 0},
    {"iteration, number chosen", &(fit_case){RBF, PCG, .alpha = 0.1, .automatic = true}, fit, 0, 0},
    {"iteration, alpha chosen", &(fit_case){RBF, PCG, .holes = true, .washout = 2}, fit, 0, 0},
    {"iteration, changes or levels", &(fit_case){RBF, PCG, .ahead = true}, fit, 0, 0},
};

enum { PUT = 2 };
static const scenario there[] = {
    {"landmarks", &(fit_case){SUM, NYSTROM, .alpha = 0.1, .records = true}, fit, 0, 0},
    {"exact, alpha chosen", &(fit_case){RBF, EXACT, .holes = true}, fit, 0, 0},
    {"exact", &(fit_case){SUM, EXACT, .alpha = 0.1, .records = true}, fit, 0, 0},
    {"exact, paths", &(fit_case){"gak:sigma=2,window=3", EXACT, .alpha = 0.1}, fit, 0, 0},
    {"landmarks, alpha chosen", &(fit_case){RBF, NYSTROM, .holes = true, .washout = 2}, fit, 0, 0},
    {"landmarks, number chosen", &(fit_case){RBF, NYSTROM, .alpha = 0.1, .automatic = true}, fit, 0, 0},
    {"iteration", &(fit_case){SUM, PCG, .alpha = 0.1, .records = true}, fit, 0, 0},
    {"iteration, alpha chosen", &(fit_case){RBF, PCG, .holes = true}, fit, 0, 0},
};

#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* ---- tests ------------------------------------------------------------------------------------ */

static void check_all(const scenario *list, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        scenario_check(&list[i]);
}

static void fits_on_cpu(void **state)
{
    check_all(here, COUNT(here));
}

/* Cases where rows computed on the CPU and copied differ from rows computed on the back end. */
static void fits_on_device(void **state)
{
    check_ok(volt_backend_use("far"));
    check_all(there, PUT);
    assert_true(far_backends_live() == 0);
    check_ok(volt_backend_use("far-gram"));
    check_all(there, COUNT(there));
    assert_true(far_backends_live() == 0);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}

static void fits_on_failing_device(void **state)
{
    for (int64_t i = 0; i < COUNT(there); i++)
        lost_backend_check(&there[i]);
}

static int make_rows(void **state)
{
    volt_rng rng = test_rng(9100);
    x = random_rows(&rng, N + H, D, 1);
    for (int64_t t = 0; t < N; t++) {
        y[t * Q] = x[t * D] + (t > 0 ? 0.5 * x[(t - 1) * D + 1] : 0) + 0.1 * volt_rng_normal(&rng);
        y[t * Q + 1] = 3 + x[t * D] * x[t * D + 1] + 0.1 * volt_rng_normal(&rng);
    }
    far_backends_register();
    lost_backend_register();
    return scenario_begin(state);
}

static int free_rows(void **state)
{
    free(x);
    return scenario_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_on_cpu),
        cmocka_unit_test(fits_on_device),
        cmocka_unit_test(fits_on_failing_device),
    };
    return cmocka_run_group_tests_name("solver_scenarios", tests, make_rows, free_rows);
}
