/* tests/unit/select/test_search_scenarios.c: searches of every kind, evidence and plans under fault injection:
 * memory failure, cancellation and device loss at every point (support/scenario.h). */
#include "backend/backend.h"
#include "support/check.h"
#include "support/far_backend.h"
#include "support/lost_backend.h"
#include "support/plain_cv.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 18, D = 2, Q = 2, LANDMARKS = 3 };

static plain_problem problem;
static double base[N * Q], counts[N], weights[N];

/* ---- searches --------------------------------------------------------------------------------- */

typedef struct search_case {
    const char *kernel;
    double alpha, feedback; /* 0: profiled; no alphas are returned */
    volt_score score;
    volt_start start;
    volt_validate validate;
    const char *solver;
    volt_strategy strategy; /* then the kernel parameters are random */
    const char *loss;
    bool records, by_records, with_base, weighted, rolling, no_intercept;
    int64_t washout, gap, draws;
    volt_initial initial;
} search_case;

static volt_search_options options_of(const search_case *c)
{
    static const int64_t lengths[] = {7, 1, 10}, thirds[] = {6, 6, 6};
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 2;
    options.splits.gap = c->gap;
    options.splits.rolling = c->rolling;
    options.folds_by_records = c->by_records;
    options.start = c->start;
    options.validate = c->validate;
    options.washout = c->washout;
    options.initial = c->initial;
    options.score = c->score;
    options.solver = c->solver;
    options.landmarks = c->solver && strcmp(c->solver, "nystrom") == 0 ? LANDMARKS : 0;
    options.strategy = c->strategy;
    options.draws = c->draws;
    options.loss = c->loss;
    options.intercept = !c->no_intercept;
    options.race = VOLT_RACE_NONE;
    if (c->with_base)
        options.base = volt_view_of(base, N, Q);
    if (c->weighted)
        options.weights = weights;
    if (c->records) {
        options.records = c->by_records ? thirds : lengths;
        options.n_records = 3;
    }
    return options;
}

static volt_status candidates_of(const search_case *c, volt_candidates **candidates)
{
    const volt_draw_options drawing = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .from_defaults = 1};
    return c->draws > 0 ? volt_candidates_draw(c->kernel, plain_inputs(&problem), &drawing, candidates)
                        : volt_candidates_list(&c->kernel, &c->alpha, &c->feedback, 1, candidates);
}

static volt_status search(const void *with, volt_progress progress, scenario_result *result)
{
    const search_case *c = with;
    volt_search_options options = options_of(c);
    volt_view Y = c->loss ? volt_view_of(counts, N, 1) : plain_targets(&problem);
    volt_candidates *candidates = NULL;
    volt_search *done = NULL;
    volt_search_info info = {.struct_size = sizeof info};
    options.progress = progress;
    volt_status status = candidates_of(c, &candidates);
    if (status == VOLT_OK)
        status = volt_search_run(candidates, plain_inputs(&problem), Y, &options, &done);
    assert_true(status != VOLT_OK || done);
    if (status == VOLT_OK) {
        volt_search_get_info(done, &info);
        for (int64_t i = 0; i < info.trials; i++) {
            const volt_trial *trial = volt_search_trial(done, i);
            scenario_put_bytes(result, trial->kernel, strlen(trial->kernel));
            scenario_put(result, &trial->alpha, 1);
            scenario_put(result, trial->folds, trial->n_folds);
        }
    }
    volt_search_free(done);
    volt_candidates_free(candidates);
    return status;
}

/* ---- evidence and plans ------------------------------------------------------------------------- */

static volt_status weigh(const void *with, volt_progress progress, scenario_result *result)
{
    volt_evidence_options options = volt_evidence_options_default();
    volt_evidence_result *found = NULL;
    volt_kernel *kernel = NULL;
    options.alpha = 0.1;
    options.progress = progress;
    volt_status status = volt_kernel_parse(with, &kernel);
    if (status == VOLT_OK)
        status = volt_evidence(kernel, plain_inputs(&problem), plain_targets(&problem), &options, &found);
    assert_true((status == VOLT_OK) == (found != NULL));
    if (status == VOLT_OK) {
        scenario_put(result, &found->log_likelihood, 1);
        scenario_put(result, found->loo_errors, found->rows * found->q);
    }
    volt_evidence_free(found);
    volt_kernel_free(kernel);
    return status;
}

static volt_status plan(const void *with, volt_progress progress, scenario_result *result)
{
    const search_case *c = with;
    (void)progress;
    volt_search_options options = options_of(c);
    volt_search_plan found = {.struct_size = sizeof(volt_search_plan), .bytes = -77};
    volt_kernel *kernel = NULL;
    volt_status status = volt_kernel_parse(c->kernel, &kernel);
    if (status == VOLT_OK)
        status = volt_plan_search(kernel, N, D, Q, c->alpha, &options, 0, &found);
    assert_true((status == VOLT_OK) == (found.bytes > 0));
    if (status == VOLT_OK) {
        scenario_put(result, &found.bytes, 1);
    }
    volt_kernel_free(kernel);
    return status;
}

/* ---- scenarios --------------------------------------------------------------------------------- */

#define RBF "rbf:gamma=0.5"
#define SUM "fir:mu=0.5 + rbf:gamma=0.5"
#define ESN "esn:size=3"
#define NYSTROM .solver = "nystrom"

static const scenario scenarios[] = {
    {"exact", &(search_case){SUM, 0.1, .records = true, .start = VOLT_START_RESET}, search, 0, 0},
    {"exact, profile", &(search_case){RBF, .with_base = true, .washout = 1, .gap = 1}, search, 0, 0},
    {"exact, blocks of records", &(search_case){RBF, 0.1, .records = true, .by_records = true}, search, 0, 0},
    {"exact, washout of records",
     &(search_case){RBF, 0.1, .records = true, .by_records = true, .with_base = true, .washout = 1}, search, 0,
     0},
    {"exact, mean before the first row", &(search_case){"rbf:pole=0.3", 0.1, .initial = VOLT_INITIAL_MEAN},
     search, 0, 0},
    {"left out, profile", &(search_case){RBF, .score = VOLT_SCORE_LOO, .records = true}, search, 0, 0},
    {"left out by formula", &(search_case){RBF, 0.1, .score = VOLT_SCORE_GCV}, search, 0, 0},
    {"one step after the other", &(search_case){SUM, 0.1, .score = VOLT_SCORE_PREQUENTIAL}, search, 0, 0},
    {"log score", &(search_case){RBF, 0.1, .score = VOLT_SCORE_LOG}, search, 0, 0},
    {"states", &(search_case){ESN, .start = VOLT_START_RESET, .washout = 1}, search, 0, 0},
    {"states, rolling", &(search_case){ESN, 0.1, .rolling = true, .records = true}, search, 0, 0},
    {"states, left out", &(search_case){ESN, .score = VOLT_SCORE_LOO}, search, 0, 0},
    {"states, by formula", &(search_case){ESN, 0.1, .score = VOLT_SCORE_GCV}, search, 0, 0},
    {"states, one step", &(search_case){ESN, 0.1, .score = VOLT_SCORE_PREQUENTIAL}, search, 0, 0},
    {"landmarks", &(search_case){SUM, NYSTROM, .records = true, .start = VOLT_START_RESET}, search, 0, 0},
    {"landmarks, rolling", &(search_case){RBF, 0.1, NYSTROM, .rolling = true, .washout = 1}, search, 0, 0},
    {"landmarks, left out", &(search_case){RBF, NYSTROM, .score = VOLT_SCORE_LOO}, search, 0, 0},
    {"simulation", &(search_case){RBF, 0.1, .feedback = 0.3}, search, 0, 0},
    {"simulation of records",
     &(search_case){RBF, 0.1, .feedback = 0.3, .records = true, .by_records = true, .washout = 1}, search, 0,
     0},
    {"simulation from nothing", &(search_case){RBF, 0.1, .feedback = 0.3, .start = VOLT_START_RESET}, search, 0,
     0},
    {"simulation on landmarks", &(search_case){RBF, 0.1, NYSTROM, .feedback = 0.3}, search, 0, 0},
    {"simulation of states", &(search_case){ESN, 0.1, .feedback = 0.3}, search, 0, 0},
    {"fed, one step", &(search_case){RBF, 0.1, .feedback = 0.3, .validate = VOLT_VALIDATE_ONE_STEP}, search, 0,
     0},
    {"loss", &(search_case){RBF, 0.5, .loss = "huber:delta=0.5", .weighted = true}, search, 0, 0},
    {"loss, profile", &(search_case){RBF, .loss = "quantile:q=0.5", .start = VOLT_START_RESET}, search, 0, 0},
    {"counts", &(search_case){RBF, 0.5, .loss = "poisson"}, search, 0, 0},
    {"adaptive", &(search_case){"rbf", .strategy = VOLT_STRATEGY_ADAPTIVE, .draws = 3}, search, 0, 0},
    {"CMA-ES", &(search_case){"linear", .strategy = VOLT_STRATEGY_CMA, .draws = 66}, search, 0, 0},
    {"evidence", SUM ",pole=0.3", weigh, 0, 0},
    {"plan", &(search_case){RBF, 0.1, .draws = 2}, plan, SCENARIO_SILENT, 0},
    {"plan of states", &(search_case){ESN, .draws = 2}, plan, SCENARIO_SILENT, 0},
    {"plan of landmarks", &(search_case){RBF, 0.1, NYSTROM, .draws = 2}, plan, SCENARIO_SILENT, 0},
};

static const scenario there[] = {
    {"exact", &(search_case){SUM, 0.1, .records = true, .start = VOLT_START_RESET}, search, 0, 0},
    {"exact, profile", &(search_case){RBF, .with_base = true, .washout = 1, .gap = 1}, search, 0, 0},
    {"left out", &(search_case){RBF, 0.1, .score = VOLT_SCORE_LOO}, search, 0, 0},
    {"one step after the other", &(search_case){SUM, 0.1, .score = VOLT_SCORE_PREQUENTIAL}, search, 0, 0},
    {"simulation", &(search_case){RBF, 0.1, .feedback = 0.3}, search, 0, 0},
    {"evidence", RBF, weigh, 0, 0},
};

#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* ---- tests ------------------------------------------------------------------------------------ */

static void check_all(const scenario *list, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        scenario_check(&list[i]);
}

static void searches_on_cpu(void **state)
{
    check_all(scenarios, COUNT(scenarios));
}

static void searches_on_device(void **state)
{
    check_ok(volt_backend_use("far-gram"));
    check_all(there, COUNT(there));
    assert_true(far_backends_live() == 0);
    check_ok(volt_backend_use(volt_cpu_backend.name));
}

static void searches_on_failing_device(void **state)
{
    for (int64_t i = 0; i < COUNT(there); i++)
        lost_backend_check(&there[i]);
}

static int make_rows(void **state)
{
    volt_rng rng = test_rng(9200);
    problem = plain_problem_make(&rng, N, D, Q);
    for (int64_t i = 0; i < N; i++) {
        base[i * Q] = base[i * Q + 1] = (double)i;
        counts[i] = (double)(i * 5 % 4);
        weights[i] = 1 + (double)(i % 3);
    }
    far_backends_register();
    lost_backend_register();
    return scenario_begin(state);
}

static int free_rows(void **state)
{
    plain_problem_free(&problem);
    return scenario_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_on_cpu),
        cmocka_unit_test(searches_on_device),
        cmocka_unit_test(searches_on_failing_device),
    };
    return cmocka_run_group_tests_name("search_scenarios", tests, make_rows, free_rows);
}
