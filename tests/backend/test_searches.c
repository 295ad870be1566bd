/* tests/backend/test_searches.c: searches, the evidence and stored factors on every back end.
 *
 * Memory of the far back ends cannot be accessed, so a direct access to a matrix ends the program. Scores
 * equal those of the CPU up to the rounding of Gram matrices. */
#include "support/check.h"
#include "support/far_backend.h"
#include "support/fed_system.h"
#include "support/predict_std.h"
#include "support/sequences.h"
#include "volterra.h"

/* Entries of K differ by a few eps of their size, which K + alpha I, with n = 90, entries of about 1 and alpha = 1e-2,
 * enlarges by 1e4 at most: 1e-11, and a margin of 1000. Profiled alphas reach down to 1e-8 of the diagonal, and the best of
 * them is hardly ever that small. */
static const double tolerance = 1e-8;

static void assert_close(double a, double b, const char *what, int64_t where)
{
    if (!(fabs(a - b) <= tolerance * fmax(1, fabs(b))) && !(isnan(a) && isnan(b)))
        fail_msg("%s, number %lld: %.17g and on the CPU %.17g", what, (long long)where, a, b);
}

/* ---- searches --------------------------------------------------------------------------------- */

typedef struct search_case {
    const char *name;
    volt_score score;
    volt_start start;
    double alpha; /* 0: profiled */
    bool rolling, feeds, records;
    volt_validate validate;
    int64_t washout, gap;
    bool no_intercept;
} search_case;

static const search_case cases[] = {
    {.name = "continued", .alpha = 1e-2},
    {.name = "washed out, with a gap", .alpha = 1e-2, .washout = 7, .gap = 2},
    {.name = "reset", .alpha = 1e-2, .start = VOLT_START_RESET, .washout = 4},
    {.name = "rolling", .alpha = 1e-2, .rolling = true, .washout = 3},
    {.name = "without a constant", .alpha = 1e-2, .no_intercept = true, .score = VOLT_SCORE_NMSE},
    {.name = "profiled", .alpha = 0, .washout = 2},
    {.name = "profiled after a reset", .alpha = 0, .start = VOLT_START_RESET},
    {.name = "records", .alpha = 1e-2, .records = true},
    {.name = "records, reset", .alpha = 1e-2, .records = true, .start = VOLT_START_RESET},
    {.name = "prequential", .alpha = 1e-2, .score = VOLT_SCORE_PREQUENTIAL, .washout = 5},
    {.name = "prequential with a gap", .alpha = 1e-2, .score = VOLT_SCORE_PREQUENTIAL, .gap = 3},
    {.name = "log", .alpha = 1e-2, .score = VOLT_SCORE_LOG, .washout = 5},
    {.name = "left out", .alpha = 1e-2, .score = VOLT_SCORE_LOO},
    {.name = "gcv, profiled", .alpha = 0, .score = VOLT_SCORE_GCV},
    {.name = "free runs", .alpha = 1e-2, .feeds = true},
    {.name = "one step", .alpha = 1e-2, .feeds = true, .validate = VOLT_VALIDATE_ONE_STEP, .washout = 2},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* One of each engine that a candidate may run on, and one whose inputs are filtered. */
static const char *const kernels[] = {"volterra:tau_coef=0.3,lambda_coef=0.5", "rbf:gamma=0.7,window=3",
                                      "gak:sigma=1,window=4", "2*fir:mu=0.5 + memory:pole=0.4*rbf:gamma=1",
                                      "sig:level=2,window=3"};
enum { KERNELS = sizeof kernels / sizeof kernels[0], MAX_SCORES = KERNELS * 8 };

static const int64_t lengths[] = {35, 25, 30};

/* All fold scores and alphas of the search into `scores`; returns how many. */
static int64_t run_search(const search_case *one, const fed_system *rows, double scores[MAX_SCORES])
{
    double alphas[KERNELS], weights[KERNELS];
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    volt_search_options options = volt_search_options_default();
    options.score = one->score;
    options.start = one->start;
    options.race = VOLT_RACE_NONE;
    options.splits.folds = 3;
    options.splits.rolling = one->rolling;
    options.splits.gap = one->gap;
    options.washout = one->washout;
    options.intercept = !one->no_intercept;
    options.validate = one->validate;
    if (one->records) {
        options.records = lengths;
        options.n_records = 3;
    }
    for (int k = 0; k < KERNELS; k++) {
        alphas[k] = one->alpha;
        weights[k] = 0.5;
    }
    check_ok(one->feeds ? volt_candidates_list(kernels, alphas, weights, KERNELS, &candidates)
                        : volt_candidates_list(kernels, alphas, NULL, KERNELS, &candidates));
    volt_status status = volt_search_run(candidates, fed_inputs(rows, 0, FED_ALL),
                                         fed_targets(rows, 0, FED_ALL), &options, &search);
    if (status != VOLT_OK)
        printf("# %s: %s\n", one->name, volt_error_detail());
    check_ok(status);
    int64_t count = 0;
    for (int64_t i = 0; i < KERNELS; i++) {
        const volt_trial *trial = volt_search_trial(search, i);
        scores[count++] = trial->alpha;
        scores[count++] = (double)trial->n_folds;
        for (int64_t f = 0; f < trial->n_folds; f++)
            scores[count++] = trial->folds[f];
    }
    scores[count++] = (double)volt_search_trial(search, VOLT_TRIAL_BEST)->index;
    volt_search_free(search);
    volt_candidates_free(candidates);
    return count;
}

static double expected[CASES][MAX_SCORES];

static void searches_on(const volt_backend *backend)
{
    fed_system rows = fed_system_make(161);
    for (int c = 0; c < CASES; c++) {
        double scores[MAX_SCORES];
        int64_t count = run_search(&cases[c], &rows, scores);
        if (backend == &volt_cpu_backend)
            memcpy(expected[c], scores, sizeof scores);
        for (int64_t i = 0; i < count; i++)
            assert_close(scores[i], expected[c][i], cases[c].name, i);
    }
    fed_system_free(&rows);
}

static void test_searches(void **state)
{
    for_each_backend(searches_on);
}

/* ---- evidence --------------------------------------------------------------------------------- */

enum { NUMBERS = 4 };
static double evidence[KERNELS][NUMBERS];

static void evidence_on(const volt_backend *backend)
{
    fed_system rows = fed_system_make(162);
    for (int k = 0; k < KERNELS; k++) {
        volt_kernel *kernel = NULL;
        volt_evidence_result *result = NULL;
        volt_evidence_options options = volt_evidence_options_default();
        options.alpha = 1e-2;
        options.washout = 3;
        check_ok(volt_kernel_parse(kernels[k], &kernel));
        check_ok(volt_evidence(kernel, fed_inputs(&rows, 0, FED_ALL), fed_targets(&rows, 0, FED_ALL), &options,
                               &result));
        double *known = evidence[k], found[NUMBERS] = {result->log_likelihood, result->trace,
                                                       result->loo_errors[5], result->loo_variances[5]};
        if (backend == &volt_cpu_backend)
            memcpy(known, found, sizeof found);
        for (int i = 0; i < NUMBERS; i++) { /* values are of the order of n / alpha */
            if (!(fabs(found[i] - known[i]) <= 1e-6 * fmax(1, fabs(known[i]))))
                fail_msg("%s, number %d: %.17g and on the CPU %.17g", kernels[k], i, found[i], known[i]);
        }
        volt_evidence_free(result);
        volt_kernel_free(kernel);
    }
    fed_system_free(&rows);
}

static void test_evidence(void **state)
{
    for_each_backend(evidence_on);
}

/* ---- factors that are kept -------------------------------------------------------------------- */

static double spreads[FED_H * FED_Q];

/* The factor is copied to the CPU in panels and gives the standard deviations. Some targets are missing. */
static void kept_on(const volt_backend *backend)
{
    fed_system rows = fed_system_make(163);
    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    double out[FED_H * FED_Q], std[FED_H * FED_Q];
    options.alpha = 1e-2;
    options.keep_factor = 1;
    options.missing_targets = 1;
    for (int64_t i = 9; i < FED_N; i += 13)
        rows.y[i * FED_Q] = NAN;
    check_ok(volt_kernel_parse(kernels[0], &kernel));
    check_ok(volt_model_fit(kernel, fed_inputs(&rows, 0, FED_N), fed_targets(&rows, 0, FED_N), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(predict_std(model, fed_inputs(&rows, FED_N, FED_H), NULL, volt_matrix_of(out, FED_H, FED_Q),
                         volt_matrix_of(std, FED_H, FED_Q), NULL));
    if (backend == &volt_cpu_backend)
        memcpy(spreads, std, sizeof std);
    for (int64_t i = 0; i < FED_H * FED_Q; i++)
        assert_close(std[i], spreads[i], "standard deviation", i);
    volt_model_free(model);
    volt_kernel_free(kernel);
    fed_system_free(&rows);
}

static void test_stored_factors(void **state)
{
    for_each_backend(kept_on);
}

int main(void)
{
    far_backends_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_stored_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
