/* tests/property/test_search_profile.c: alphas selected by a search, candidates that start from the
 * defaults, scores of levels, and gaps of the prequential score.
 *
 * Two computations of the same predictions differ only by rounding: 1e-9 of the score, as in
 * test_search_scores.c, with alphas of at least 1e-8 of the diagonal on a few dozen rows. Equal operations
 * give bitwise equal results. */
#include "kernel/kernel_entry.h"
#include "select/folds/problem.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"

enum { ALPHAS = 12 };

static const double tolerance = 1e-9;

static bool near(double a, double b)
{
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static volt_search *search_list(const plain_problem *problem, const char *const *kernels, const double *alphas,
                                int64_t count, const volt_search_options *options)
{
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(kernels, alphas, NULL, count, &candidates));
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), options, &search));
    volt_candidates_free(candidates);
    return search;
}

static volt_search *search_one(const plain_problem *problem, const char *kernel, double alpha,
                               const volt_search_options *options)
{
    return search_list(problem, &kernel, &alpha, 1, options);
}

static double sign_of(volt_score score)
{
    return score == VOLT_SCORE_NMSE || score == VOLT_SCORE_MSE ? -1 : 1;
}

/* ---- levels ----------------------------------------------------------------------------------- */

/* Population variance of rows begin .. end - 1 of a column. */
static double variance_of(const double *values, int64_t stride, int64_t begin, int64_t end)
{
    double mean = 0, sum = 0, count = (double)(end - begin);
    for (int64_t i = begin; i < end; i++)
        mean += values[i * stride] / count;
    for (int64_t i = begin; i < end; i++)
        sum += (values[i * stride] - mean) * (values[i * stride] - mean) / count;
    return sum;
}

/* Errors of levels equal those of the targets. The variance is computed from the levels, per output. */
static void scores_with_base_are_scores_of_levels(void **state)
{
    volt_rng rng = test_rng(12001);
    static const volt_score scores[] = {VOLT_SCORE_R2, VOLT_SCORE_NMSE, VOLT_SCORE_MSE, VOLT_SCORE_PREQUENTIAL};
    for (int s = 0; s < 4; s++) {
        enum { N = 60, Q = 2, FOLDS = 3 };
        plain_problem problem = plain_problem_make(&rng, N, 2, Q);
        double base[N * Q] = {0}, levels[N * Q], expected[FOLDS] = {0};
        for (int i = 0; i < N * Q; i++) {
            base[i] = (i < Q ? 1000 : base[i - Q]) + 10 * volt_rng_normal(&rng);
            levels[i] = base[i] + problem.Y[i];
        }
        volt_search_options options = volt_search_options_default();
        options.splits.folds = FOLDS;
        options.score = scores[s];
        volt_split splits[FOLDS];
        check_ok(volt_splits(N, &options.splits, splits));
        for (int k = 0; k < Q; k++) { /* errors of changes, as they are without a base */
            double column[N];
            for (int i = 0; i < N; i++)
                column[i] = problem.Y[i * Q + k];
            plain_problem one = {.n = N, .d = 2, .q = 1, .X = problem.X, .Y = column};
            volt_search *plain = search_one(&one, "volterra", 0.01, &options);
            for (int f = 0; f < FOLDS; f++) {
                double change = variance_of(column, 1, splits[f].begin, splits[f].end);
                double level = variance_of(levels + k, Q, splits[f].begin, splits[f].end);
                double score = volt_search_trial(plain, 0)->folds[f];
                double nmse = (scores[s] == VOLT_SCORE_NMSE ? score : 1 - score) * change / level;
                expected[f] += (scores[s] == VOLT_SCORE_MSE    ? score
                                : scores[s] == VOLT_SCORE_NMSE ? nmse
                                                               : 1 - nmse) /
                               Q;
            }
            volt_search_free(plain);
        }
        options.base = volt_view_of(base, N, Q);
        volt_search *search = search_one(&problem, "volterra", 0.01, &options);
        for (int f = 0; f < FOLDS; f++)
            if (!near(volt_search_trial(search, 0)->folds[f], expected[f]))
                fail_msg("score %d, fold %d: %.17g, plainly %.17g", s, f,
                         volt_search_trial(search, 0)->folds[f], expected[f]);
        volt_search_free(search);
        plain_problem_free(&problem);
    }
}

static void base_with_wrong_shape_is_rejected(void **state)
{
    volt_rng rng = test_rng(12002);
    plain_problem problem = plain_problem_make(&rng, 30, 1, 1);
    double base[31] = {0}, alpha = 1;
    const char *kernel = "volterra";
    volt_candidates *candidates = NULL;
    volt_search *search = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
    volt_search_options options = volt_search_options_default();
    options.base = volt_view_of(base, 31, 1);
    check_fails(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_SHAPE, "base 31 1");
    base[4] = NAN;
    options.base.rows = 30;
    check_fails(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_NOT_FINITE, "base");
    volt_candidates_free(candidates);
    plain_problem_free(&problem);
}

/* ---- a profile -------------------------------------------------------------------------------- */

/* Every way of scoring. */
static volt_search_options options_of(int way)
{
    volt_search_options options = volt_search_options_default();
    options.race = VOLT_RACE_NONE;
    options.splits.folds = 3;
    switch (way) {
    case 0:
        break;
    case 1:
        options.score = VOLT_SCORE_MSE;
        options.splits.gap = 4;
        options.washout = 5;
        break;
    case 2:
        options.splits.rolling = 1;
        options.intercept = 0;
        break;
    case 3:
        options.score = VOLT_SCORE_NMSE;
        options.start = VOLT_START_RESET;
        break;
    case 4:
        options.score = VOLT_SCORE_PREQUENTIAL;
        options.splits.gap = 2;
        break;
    default:
        options.score = VOLT_SCORE_LOG;
        options.washout = 3;
    }
    return options;
}
enum { WAYS = 6 };

/* The diagonal of a Gaussian kernel is 1, and the grid 1e-8 .. 1e3. */
static void profile_is_best_of_grid(void **state)
{
    volt_rng rng = test_rng(12003);
    const char *kernels[ALPHAS];
    double alphas[ALPHAS];
    for (int a = 0; a < ALPHAS; a++) {
        kernels[a] = "rbf:gamma=0.8";
        alphas[a] = pow(10, 3 - a);
    }
    for (int way = 0; way < WAYS; way++) {
        plain_problem problem = plain_problem_make(&rng, 50, 2, 2);
        volt_search_options options = options_of(way);
        volt_search *profile = search_one(&problem, kernels[0], 0, &options);
        volt_search *all = search_list(&problem, kernels, alphas, ALPHAS, &options);
        const volt_trial *chosen = volt_search_trial(profile, VOLT_TRIAL_BEST),
                         *best = volt_search_trial(all, VOLT_TRIAL_BEST);
        if (!near(chosen->alpha / best->alpha, 1) || !near(chosen->score, best->score))
            fail_msg("way %d: alpha %.17g with %.17g, of the grid %.17g with %.17g", way, chosen->alpha,
                     chosen->score, best->alpha, best->score);
        assert_int_equal(chosen->n_folds, best->n_folds);
        for (int64_t f = 0; f < best->n_folds; f++)
            assert_true(near(chosen->folds[f], best->folds[f]));
        volt_search_free(profile);
        volt_search_free(all);
        plain_problem_free(&problem);
    }
}

/* Kernels whose diagonal is their own: the alpha chosen, given, has the same scores. */
static void profiled_alpha_reproduces_scores(void **state)
{
    volt_rng rng = test_rng(12004);
    static const char *const kernels[] = {"volterra:lambda_coef=0.99", "linear:window=3", "gak:window=4",
                                          "gak:window=4,centre=yes", "sig:window=4,level=2"};
    for (int k = 0; k < 5; k++)
        for (int way = 0; way < WAYS; way++) {
            plain_problem problem = plain_problem_make(&rng, 50, 2, 1);
            volt_search_options options = options_of(way);
            const char *kernel = kernels[k];
            if (k == 3 && way == WAYS - 1) {
                plain_problem_free(&problem);
                continue; /* a centred matrix has no log score */
            }
            volt_search *profile = search_one(&problem, kernel, 0, &options);
            const volt_trial *chosen = volt_search_trial(profile, VOLT_TRIAL_BEST);
            volt_search *given = search_one(&problem, kernel, chosen->alpha, &options);
            const volt_trial *same = volt_search_trial(given, 0);
            for (int64_t f = 0; f < same->n_folds; f++)
                if (!near(chosen->folds[f], same->folds[f]))
                    fail_msg("%s, way %d, fold %" PRId64 ": %.17g, with alpha %g given %.17g", kernel, way, f,
                             chosen->folds[f], chosen->alpha, same->folds[f]);
            volt_search_free(given);
            volt_search_free(profile);
            plain_problem_free(&problem);
        }
}

/* ---- gaps ------------------------------------------------------------------------------------- */

/* Row t from the rows before t - gap: blocks of one row each, trained on those. */
static void prequential_score_respects_gap(void **state)
{
    volt_rng rng = test_rng(12005);
    enum { N = 40, LAST = 10 };
    for (int64_t gap = 0; gap < 5; gap++)
        for (int intercept = 0; intercept <= 1; intercept++) {
            plain_problem problem = plain_problem_make(&rng, N, 2, 1);
            volt_search_options options = volt_search_options_default();
            options.intercept = intercept;
            options.splits =
                (volt_split_options){.folds = LAST, .gap = gap, .min_train = N - gap - LAST, .max_train = 0};
            options.score = VOLT_SCORE_MSE;
            volt_search *rows = search_one(&problem, "volterra", 0.01, &options);
            options.splits = (volt_split_options){.folds = 1, .gap = gap, .min_train = N - gap - LAST};
            options.score = VOLT_SCORE_PREQUENTIAL;
            volt_search *block = search_one(&problem, "volterra", 0.01, &options);
            double expected = 1 - volt_search_trial(rows, 0)->score / variance_of(problem.Y, 1, N - LAST, N);
            if (!near(volt_search_trial(block, 0)->score, expected))
                fail_msg("gap %" PRId64 ": %.17g, row by row %.17g", gap, volt_search_trial(block, 0)->score,
                         expected);
            volt_search_free(rows);
            volt_search_free(block);
            plain_problem_free(&problem);
        }
}

/* ---- from the defaults ------------------------------------------------------------------------ */

static volt_candidates *draw(const plain_problem *problem, const char *kernel, uint64_t seed, bool defaults,
                             const volt_range *range)
{
    volt_candidates *candidates = NULL;
    volt_draw_options options = volt_draw_options_default();
    options.seed = seed;
    options.from_defaults = defaults;
    options.ranges = range;
    options.n_ranges = range ? 1 : 0;
    check_ok(volt_candidates_draw(kernel, plain_inputs(problem), &options, &candidates));
    return candidates;
}

/* Candidate 0 is the kernel with what is given; the others stay what they were, but for alpha where it is
 * profiled. */
static void only_first_draw_uses_defaults(void **state)
{
    volt_rng rng = test_rng(12006);
    plain_problem problem = plain_problem_make(&rng, 40, 2, 1);
    static const struct {
        const char *given;
        bool is_dear;
    } cases[] = {{"volterra", false}, {"volterra:tau_coef=0.2", false}, {"rbf:window=5", false},
                 {"memory", false},   {"gak:window=6", true},           {"sig:window=6", true},
                 {"sigpde", true}};
    const volt_range fixed = {"alpha", VOLT_SEARCH_LOG, 1e-3, 1, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_candidates *plain = draw(&problem, cases[i].given, 7, false, NULL);
        volt_candidates *start = draw(&problem, cases[i].given, 7, true, NULL);
        volt_candidates *asked = draw(&problem, cases[i].given, 7, true, &fixed);
        volt_kernel *kernel = NULL;
        check_ok(volt_kernel_parse(cases[i].given, &kernel));
        candidate first = candidate_get(start, 0);
        bool runs =
            strcmp(cases[i].given, "sigpde") != 0; /* without a window there are no paths: draw 0 it is */
        assert_string_equal(first.kernel, runs ? volt_kernel_text(kernel) : candidate_get(plain, 0).kernel);
        assert_true(first.alpha == 0 && candidate_get(asked, 0).alpha > 0);
        for (int64_t c = 1; c < 20; c++) {
            candidate a = candidate_get(plain, c), b = candidate_get(start, c), d = candidate_get(asked, c);
            assert_string_equal(a.kernel, b.kernel);
            assert_string_equal(a.kernel, d.kernel);
            assert_true(b.alpha == (cases[i].is_dear ? 0 : a.alpha));
            assert_true(d.alpha >= 1e-3 * (1 - 1e-15) && d.alpha <= 1 + 1e-15);
        }
        volt_kernel_free(kernel);
        volt_candidates_free(asked);
        volt_candidates_free(start);
        volt_candidates_free(plain);
    }
    plain_problem_free(&problem);
}

/* Parameters with a given range stay in it, also in candidate 0. The other parameters of candidate 0 have
 * their defaults. */
static void given_ranges_apply_to_first_candidate(void **state)
{
    volt_rng rng = test_rng(12009);
    plain_problem problem = plain_problem_make(&rng, 40, 2, 1);
    const volt_range range = {"lambda_coef", VOLT_SEARCH_LINEAR, 0.5, 0.6, NULL, 0};
    for (uint64_t seed = 0; seed < 10; seed++) {
        volt_candidates *candidates = draw(&problem, "volterra", seed, true, &range);
        volt_candidates *plain = draw(&problem, "volterra", seed, false, &range);
        candidate first = candidate_get(candidates, 0), drawn = candidate_get(plain, 0);
        assert_true(candidate_number(&first, "lambda_coef") == candidate_number(&drawn, "lambda_coef"));
        assert_true(candidate_number(&first, "tau_coef") == 0.3 && first.alpha == 0);
        volt_candidates_free(plain);
        volt_candidates_free(candidates);
    }
    plain_problem_free(&problem);
}

static volt_search *search_draws(const plain_problem *problem, const char *kernel, uint64_t seed, int64_t draws,
                                 volt_search_options options)
{
    volt_search *search = NULL;
    volt_candidates *candidates = draw(problem, kernel, seed, true, NULL);
    options.draws = draws;
    check_ok(volt_search_run(candidates, plain_inputs(problem), plain_targets(problem), &options, &search));
    volt_candidates_free(candidates);
    return search;
}

static void search_is_never_worse_than_defaults(void **state)
{
    static const char *const kernels[] = {"volterra", "rbf", "gak:window=5", "linear:window=4"};
    for (uint64_t seed = 0; seed < 12; seed++) {
        volt_rng rng = test_rng(12100 + seed);
        plain_problem problem = plain_problem_make(&rng, 60, 2, 1);
        volt_search_options options = volt_search_options_default();
        options.score = (volt_score)(seed % 4);
        options.race = (volt_race)(seed % 3);
        volt_search *none = search_draws(&problem, kernels[seed % 4], seed, 1, options);
        volt_search *ten = search_draws(&problem, kernels[seed % 4], seed, 10, options);
        double before = volt_search_trial(none, VOLT_TRIAL_BEST)->score,
               after = volt_search_trial(ten, VOLT_TRIAL_BEST)->score;
        assert_int_equal(volt_search_trial(none, VOLT_TRIAL_BEST)->index, 0);
        assert_true(volt_search_trial(none, VOLT_TRIAL_BEST)->alpha > 0);
        if (!(sign_of(options.score) * (after - before) >= 0))
            fail_msg("seed %" PRIu64 ": %.17g with ten draws, %.17g with the defaults alone", seed, after,
                     before);
        volt_search_free(none);
        volt_search_free(ten);
        plain_problem_free(&problem);
    }
}

/* ---- logs ------------------------------------------------------------------------------------- */

static void check_same_trials(const volt_search *a, const volt_search *b)
{
    volt_search_info first = {.struct_size = sizeof first}, second = {.struct_size = sizeof second};
    volt_search_get_info(a, &first);
    volt_search_get_info(b, &second);
    assert_int_equal(first.trials, second.trials);
    for (int64_t i = 0; i < first.trials; i++) {
        const volt_trial *one = volt_search_trial(a, i), *other = volt_search_trial(b, i);
        assert_string_equal(one->kernel, other->kernel);
        assert_true(one->alpha == other->alpha && one->n_folds == other->n_folds);
        assert_true(one->score == other->score || (isnan(one->score) && isnan(other->score)));
    }
}

static void profiles_are_resumed(void **state)
{
    volt_rng rng = test_rng(12007);
    plain_problem problem = plain_problem_make(&rng, 50, 2, 1);
    const char *whole = scratch_path("profile.jsonl");
    volt_search_options options = volt_search_options_default();
    options.log = whole;
    volt_search_free(search_draws(&problem, "gak:window=5", 3, 4, options));
    options.resume = 1;
    volt_search *resumed = search_draws(&problem, "gak:window=5", 3, 9, options);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(resumed, &info);
    assert_int_equal(info.resumed, 4);
    options.log = NULL;
    options.resume = 0;
    volt_search *straight = search_draws(&problem, "gak:window=5", 3, 9, options);
    check_same_trials(resumed, straight);

    volt_search_free(straight);
    volt_search_free(resumed);
    plain_problem_free(&problem);
}

/* A centred matrix has no log score, whatever alpha is. The failure is written to the log and read from it. */
static void failing_profile_is_a_failed_trial(void **state)
{
    volt_rng rng = test_rng(12008);
    plain_problem problem = plain_problem_make(&rng, 30, 1, 1);
    const char *const kernels[] = {"gak:window=3,centre=yes", "rbf:gamma=1"};
    const double alphas[] = {0, 1};
    volt_search_options options = volt_search_options_default();
    options.log = scratch_path("failed.jsonl");
    options.score = VOLT_SCORE_LOG;
    for (options.resume = 0; options.resume <= 1; options.resume++) {
        volt_search *search = search_list(&problem, kernels, alphas, 2, &options);
        const volt_trial *failed = volt_search_trial(search, 0);
        assert_non_null(failed->failure);
        assert_non_null(strstr(failed->failure, "centred kernels"));
        assert_true(failed->alpha == 0 && isnan(failed->score));
        assert_int_equal(volt_search_trial(search, VOLT_TRIAL_BEST)->index, 1);
        volt_search_free(search);
    }
    plain_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_with_base_are_scores_of_levels),
        cmocka_unit_test(base_with_wrong_shape_is_rejected),
        cmocka_unit_test(profile_is_best_of_grid),
        cmocka_unit_test(profiled_alpha_reproduces_scores),
        cmocka_unit_test(prequential_score_respects_gap),
        cmocka_unit_test(only_first_draw_uses_defaults),
        cmocka_unit_test(given_ranges_apply_to_first_candidate),
        cmocka_unit_test(search_is_never_worse_than_defaults),
        cmocka_unit_test(profiles_are_resumed),
        cmocka_unit_test(failing_profile_is_a_failed_trial),
    };
    return cmocka_run_group_tests_name("search_profile", tests, NULL, NULL);
}
