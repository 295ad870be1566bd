/* tests/unit/predict/test_learner_scenarios.c: a learner with a failure at every step (support/scenario.h): a call
 * that fails to allocate is repeated, and the results are bitwise equal to those of an undisturbed learner. */
#include "predict/live/live_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/scenario.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/live.h"

#include <unistd.h>

enum { TRAIN = 8, ROWS = 7, D = 2, Q = 2, H = 2 };
static const volt_matrix nowhere = {NULL, 0, 0, 0};
static const double coverages[] = {0.5, 0.6};
static double X[(TRAIN + ROWS + H) * D], Y[(TRAIN + ROWS) * Q];

typedef struct pupil {
    const char *name, *kernel;
    int64_t ahead;
    double weight; /* feedback weight */
    volt_live_options options;
    volt_initial initial;
    bool detects; /* predicts its own inputs */
    volt_model *model;
} pupil;

/* ---- call sequence ---------------------------------------------------------------------------- */

/* Repeats a call that failed to allocate. */
#define AGAIN(status, call)              \
    do {                                 \
        if ((status) == VOLT_OK)         \
            (status) = (call);           \
        if ((status) == VOLT_ERR_MEMORY) \
            (status) = (call);           \
    } while (0)

/* The results of a learner: coefficients, intervals and forecasts. */
static volt_status put_learner(volt_live *learner, scenario_result *result)
{
    volt_live_info info = {.struct_size = sizeof info};
    volt_status status = VOLT_OK;
    double A[(TRAIN + ROWS) * Q], c[Q], out[H * Q], half[2 * Q];
    volt_live_get_info(learner, &info);
    AGAIN(status, volt_live_coefficients(learner, volt_matrix_of(A, info.rows, Q), c, NULL));
    out[0] = 1e77;
    volt_status first = volt_live_predict(learner, volt_view_of(X + (TRAIN + ROWS) * D, H, D), 0,
                                          volt_matrix_of(out, H, Q), NULL);
    assert_true(first == VOLT_OK || out[0] == 1e77);
    if (first != VOLT_OK)
        AGAIN(status, volt_live_predict(learner, volt_view_of(X + (TRAIN + ROWS) * D, H, D), 0,
                                        volt_matrix_of(out, H, Q), NULL));
    if (live_info(learner).n_coverages > 0) {
        check_ok(volt_live_interval(learner, half));
        scenario_put(result, half, 2 * Q);
    }
    scenario_put(result, A, info.rows * Q);
    scenario_put(result, c, Q);
    scenario_put(result, out, H * Q);
    return status;
}

/* Rows in time order, with and without late targets, a restart and a drop. */
static volt_status teach(const pupil *p, volt_live *learner)
{
    double y[Q];
    volt_status status = VOLT_OK;
    for (int64_t i = TRAIN; i < TRAIN + ROWS && status == VOLT_OK; i++) {
        const double *x = X + i * D, *target = Y + (i - p->ahead) * Q;
        if (p->detects) {
            volt_detection found = {.struct_size = sizeof found};
            AGAIN(status, volt_live_detect(learner, x, NULL, &found));
        } else if (p->ahead > 0) {
            AGAIN(status, volt_live_update(learner, x, 1, target, y));
        } else {
            AGAIN(status, volt_live_feed(learner, x, y));
            if (i != TRAIN + 2)
                AGAIN(status, volt_live_learn(learner, 0, target));
        }
        if (i == TRAIN + 4)
            AGAIN(status, volt_live_restart(learner));
        if (i == TRAIN + 6)
            AGAIN(status, volt_live_drop(learner, 1));
    }
    return status;
}

/* A model of all rows, if the learner keeps them. */
static volt_status put_model(const pupil *p, volt_live *learner, volt_progress progress,
                             scenario_result *result)
{
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_status status = VOLT_OK;
    if (p->options.window > 0 || p->options.forget < 1)
        return VOLT_OK;
    AGAIN(status, volt_live_model(learner, p->ahead == 0, progress, &model));
    assert_true((status == VOLT_OK) == (model != NULL));
    if (model) {
        check_ok(volt_model_get_info(model, &info));
        scenario_put(result, info.coefficients, info.kernel_rows * info.q);
    }
    volt_model_free(model);
    return status;
}

static volt_status live(const void *with, volt_progress progress, scenario_result *result)
{
    const pupil *p = with;
    volt_live *learner = NULL, *copy = NULL, *again = NULL;
    volt_live_options options = p->options;
    const char *path = scratch_path("learner");
    volt_status status = VOLT_OK;
    options.struct_size = sizeof options;
    options.progress = progress;
    AGAIN(status, volt_live_create(p->model, &options, &learner));
    assert_true((status == VOLT_OK) == (learner != NULL));
    AGAIN(status, volt_live_track(learner, coverages, 2));
    if (status == VOLT_OK)
        status = teach(p, learner);
    AGAIN(status, volt_live_copy(learner, &copy));
    assert_true((status == VOLT_OK) == (copy != NULL));
    AGAIN(status, volt_live_save(copy, path));
    AGAIN(status, volt_live_load(p->model, NULL, path, &again));
    if (status == VOLT_OK)
        status = put_model(p, copy, progress, result);
    if (status == VOLT_OK)
        status = put_learner(learner, result);
    if (status == VOLT_OK)
        status = put_learner(copy, result);
    if (status == VOLT_OK)
        status = put_learner(again, result);
    volt_live_free(again);
    volt_live_free(copy);
    volt_live_free(learner);
    unlink(path);
    return status;
}

static pupil pupils[] = {
    {.name = "levels",
     .kernel = "volterra:tau_coef=0.6,lambda_coef=0.8,pole=0.2",
     .initial = VOLT_INITIAL_MEAN},
    {.name = "a window", .kernel = "gak:window=3", .options.window = 5},
    {.name = "a sum", .kernel = "fir:mu=0.5 + rbf:pole=0.3", .ahead = 1, .options.window = 6},
    {.name = "late targets that fade", .kernel = "volterra", .ahead = 2, .options.forget = 0.9},
    {.name = "fed-back outputs",
     .kernel = "volterra",
     .weight = 0.3,
     .options = {.forget = 0.9, .forget_what = VOLT_FORGET_DYNAMICS}},
    {.name = "a detector",
     .kernel = "volterra",
     .ahead = 1,
     .options = {.alarm_rate = 0.1, .scale_rows = 10},
     .detects = true},
};

static void every_learner_scenario(void **state)
{
    for (size_t i = 0; i < sizeof pupils / sizeof *pupils; i++)
        scenario_check(&(scenario){pupils[i].name, &pupils[i], live, SCENARIO_GOES_ON, 0});
}

static int make_models(void **state)
{
    volt_rng rng = test_rng(5301);
    double *rows = random_rows(&rng, TRAIN + ROWS + H, D, 0.9), *targets = normal_rows(&rng, TRAIN + ROWS, Q);
    memcpy(X, rows, sizeof X);
    memcpy(Y, targets, sizeof Y);
    free(rows);
    free(targets);
    for (size_t i = 0; i < sizeof pupils / sizeof *pupils; i++) {
        pupil *p = &pupils[i];
        volt_fit_options options = volt_fit_options_default();
        volt_kernel *kernel = plain_parse(p->kernel);
        options.alpha = 0.3;
        options.ahead = p->ahead;
        options.feedback_weight = p->weight;
        options.initial = p->initial;
        options.feedback = p->detects;
        p->options.struct_size = sizeof p->options;
        p->options.learn = 1;
        if (p->options.forget == 0)
            p->options.forget = 1;
        if (p->weight == 0)
            p->options.forget_what = VOLT_FORGET_ALL;
        check_ok(volt_model_fit(kernel, volt_view_of(X, TRAIN, D),
                                volt_view_of(p->detects ? X + D : Y, TRAIN, Q), &options, nowhere, &p->model));
        volt_kernel_free(kernel);
    }
    return scenario_begin(state);
}

static int free_models(void **state)
{
    for (size_t i = 0; i < sizeof pupils / sizeof *pupils; i++)
        volt_model_free(pupils[i].model);
    return scenario_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_learner_scenario),
    };
    return cmocka_run_group_tests_name("learner_scenarios", tests, make_models, free_models);
}
