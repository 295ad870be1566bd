/* tests/unit/select/test_following_candidates.c: adaptive candidates: choice of the parent trial, step sizes,
 * ranges, several kernels. */
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "select/search/cma.h"
#include "select/search/search_internal.h"
#include "select/search/search_run.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/kernel_forms.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 60, D = 2 };

static double X[N * D];

static int make_inputs(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 3200, 0);
    for (int i = 0; i < N * D; i++)
        X[i] = 3 + 5 * volt_rng_normal(&rng);
    return 0;
}

static volt_candidates *draw(const char *kernel, const volt_draw_options *options)
{
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_draw(kernel, volt_view_of(X, N, D), options, &candidates));
    return candidates;
}

static candidate follow(const volt_candidates *candidates, int64_t index, const volt_trial *parent)
{
    candidate found;
    volt_parents parents = {.trials = {parent}, .count = 1};
    volt_setting setting;
    check_ok(volt_candidates_follow(candidates, index, &parents, found.kernel, &setting));
    found.alpha = setting.alpha;
    return found;
}

/* ---- choice of the parent --------------------------------------------------------------------- */

static void check_parents(volt_score score, const volt_trial *list, int64_t count, const int *expected,
                          int64_t most)
{
    volt_standings standings;
    volt_parents parents;
    volt_trial *trials[8];
    check_ok(volt_standings_begin(&standings, (volt_race_rule){VOLT_RACE_EXACT, score, 2}));
    for (int64_t i = 0; i < count; i++) {
        trials[i] = (volt_trial *)&list[i];
        check_ok(volt_standings_add(&standings, trials[i]));
    }
    volt_parents_choose(&standings, trials, count, &parents);
    assert_int_equal(parents.count, most);
    for (int64_t i = 0; i < most; i++)
        assert_ptr_equal(parents.trials[i], &list[expected[i]]);
    volt_standings_end(&standings);
}

static void best_four_trials_are_parents(void **state)
{
    double folds[8][2] = {{0.5, 0.7}, {0.8, 0.8},  {0.7, 0}, {0.9, 0},
                          {0.8, 0.8}, {0.5, 0.69}, {0.1, 0}, {0, 0}};
    volt_trial list[8];
    memset(list, 0, sizeof list);
    for (int i = 0; i < 8; i++) {
        list[i] = (volt_trial){.index = i, .kernel = "rbf", .alpha = i + 1, .folds = folds[i], .n_folds = 2};
        list[i].score = (folds[i][0] + folds[i][1]) / 2;
    }
    list[2].stopped = list[3].stopped = list[6].stopped = 1;
    list[2].n_folds = list[3].n_folds = list[6].n_folds = 1;
    list[4].alpha = list[1].alpha; /* a duplicate candidate */
    list[7].failure = "it failed";
    list[7].score = NAN;
    /* After the best, 1, with 0.8 and 0.8: number 2 has 0.8 - 0.1, and number 3, which leads by 0.1 on its
     * only block, has no more than the best; then 0 with 0.6 and 5 with 0.595. */
    const int high[] = {1, 3, 2, 0};
    check_parents(VOLT_SCORE_R2, list, 8, high, 4);
    /* As errors: 5 and 6 have 0.595; 6 leads on its only block and comes later. Then 0 with 0.6, and 2 with
     * 0.595 + 0.2. */
    const int low[] = {5, 6, 0, 2};
    check_parents(VOLT_SCORE_MSE, list, 8, low, 4);
    const int few[] = {1, 0};
    check_parents(VOLT_SCORE_R2, list, 2, few, 2);
    check_parents(VOLT_SCORE_R2, list + 7, 1, NULL, 0);
    /* Candidates that differ in the feedback weight are distinct. */
    const int both[] = {1, 3, 4, 2};
    list[4].feedback = 2;
    check_parents(VOLT_SCORE_R2, list, 8, both, 4);
}

/* A stopped trial lags behind the best by the mean difference on its blocks, here (0.2 + 0.4) / 2. */
static void stopped_trial_has_its_mean_difference(void **state)
{
    double of_best[] = {0.8, 0.8, 0.5}, of_trial[] = {0.6, 0.4};
    const volt_trial best = {.folds = of_best, .n_folds = 3, .score = 0.7};
    const volt_trial trial = {.folds = of_trial, .n_folds = 2, .stopped = 1};
    assert_true(fabs(volt_trial_worth(&trial, &best, 1) - 0.4) <= 4 * DBL_EPSILON);
}

/* ---- step sizes ------------------------------------------------------------------------------- */

/* Four of five candidates are steps. log(gamma / gamma0) is normal with deviation s = 0.1 6^t, t uniform, so
 * its square has mean E s^2 = 0.01 (6^2 - 1) / (2 log 6) and variance 3 E s^4 - (E s^2)^2, E s^4 = 1e-4 (6^4
 * - 1) / (4 log 6). For logit(rho) the base is 3. The parent is in the middle of its ranges, ten deviations
 * from both ends. */
static void step_sizes_are_as_documented(void **state)
{
    enum { COUNT = 4000 };
    static const volt_range ranges[] = {
        {.name = "gamma", .kind = VOLT_SEARCH_LOG, .low = 1e-6, .high = 1e6},
        {.name = "rho", .kind = VOLT_SEARCH_LINEAR, .low = 1e-6, .high = 1 - 1e-6},
        {.name = "window", .kind = VOLT_SEARCH_INTEGER, .low = 1, .high = 1000},
    };
    static const char *const kernels[] = {"fading", "fading", "rbf"};
    static const char *const texts[] = {"fading:gamma=1,rho=0.5", "fading:gamma=1,rho=0.5",
                                        "rbf:gamma=1,window=7"};
    volt_rng rng = test_rng(3201);
    for (int r = 0; r < 3; r++) {
        volt_draw_options options = volt_draw_options_default();
        options.ranges = &ranges[r];
        options.n_ranges = 1;
        options.seed = volt_rng_word(&rng);
        volt_candidates *drawn = draw(kernels[r], &options);
        volt_trial parent = {.kernel = texts[r], .alpha = 1e-3};
        double squares = 0;
        int64_t near = 0, kept = 0;
        for (int64_t i = 0; i < COUNT; i++) {
            candidate found = follow(drawn, i, &parent), fresh = candidate_get(drawn, i);
            if (strcmp(found.kernel, fresh.kernel) == 0)
                continue;
            near++;
            double value = candidate_number(&found, ranges[r].name);
            double step = r == 0 ? log(value) : log(value / (1 - value));
            squares += r < 2 ? step * step : 0;
            kept += r == 2 && value == 7;
        }
        /* A binomial count lies within 5 standard deviations except once in a million. */
        assert_true(fabs((double)near - 0.8 * COUNT) < 5 * sqrt(0.16 * COUNT));
        double base = r == 0 ? 6 : 3, count = (double)near;
        double second = 0.01 * (pow(base, 2) - 1) / (2 * log(base)),
               fourth = 1e-4 * (pow(base, 4) - 1) / (4 * log(base));
        if (r < 2)
            assert_true(fabs(squares / count - second) < 5 * sqrt((3 * fourth - second * second) / count));
        else /* a redraw repeats the value once in a thousand */
            assert_true(fabs((double)kept / count - 0.85015) < 5 * sqrt(0.85 * 0.15 / count));
        volt_candidates_free(drawn);
    }
}

/* A pole moves on the atanh scale, with the deviation that a share has on the logit scale. */
static void poles_move_on_the_scale_of_atanh(void **state)
{
    enum { COUNT = 4000 };
    volt_candidates *drawn = draw("memory:gamma=1,rho=0.5,mu=0.5,pole=?", NULL);
    volt_trial parent = {.kernel = "memory:gamma=1,rho=0.5,mu=0.5,pole=0.3", .alpha = 1e-3};
    double squares = 0, count = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        candidate found = follow(drawn, i, &parent), fresh = candidate_get(drawn, i);
        if (strcmp(found.kernel, fresh.kernel) == 0)
            continue;
        double step = atanh(candidate_number(&found, "pole")) - atanh(0.3);
        squares += step * step;
        count++;
    }
    double second = 0.01 * 8 / (2 * log(3)), fourth = 1e-4 * 80 / (4 * log(3));
    assert_true(fabs(squares / count - second) < 5 * sqrt((3 * fourth - second * second) / count));
    volt_candidates_free(drawn);
}

/* ---- ranges ----------------------------------------------------------------------------------- */

typedef struct bound {
    const char *name;
    double low, high;
} bound;

/* For parents anywhere in the range, at an end, or outside it as a default may be. Values are low (high /
 * low)^u, up to rounding. */
static void candidates_stay_in_their_ranges(void **state)
{
    static const char *const lifts[] = {"geometric", "rbf", "poly:3"};
    static const volt_range ranges[] = {
        {.name = "lift", .choices = lifts, .n_choices = 3},
        {.name = "tau_coef", .kind = VOLT_SEARCH_LINEAR, .low = 0.4, .high = 0.6},
        {.name = "gamma", .kind = VOLT_SEARCH_LOG, .low = 0.5, .high = 0.7},
        {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 1e-3, .high = 2e-3},
    };
    static const bound bounds[] = {
        {"tau_coef", 0.4, 0.6}, {"gamma", 0.5, 0.7}, {"alpha", 1e-3, 2e-3}, {"lambda_coef", 0, 1}};
    static const char *const parents[] = {"volterra", "volterra:tau_coef=0.6,lambda_coef=0.999",
                                          "volterra:tau_coef=0.01", "volterra:lift=rbf,gamma=99",
                                          "volterra:lift=exponential"};
    static const double alphas[] = {1e-9, 2e-3, 1e-3, 1.5e-3, 0};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = ranges;
    options.n_ranges = 4;
    volt_candidates *drawn = draw("volterra", &options);
    for (int64_t i = 0; i < 2000; i++) {
        volt_trial parent = {.kernel = parents[i % 5], .alpha = alphas[i % 5]};
        candidate found = follow(drawn, i, &parent);
        char text[VOLT_VALUE_LENGTH];
        for (int b = 0; b < 4; b++)
            if (b == 2 || candidate_parameter(&found, bounds[b].name, text)) {
                double value = candidate_number(&found, bounds[b].name);
                assert_true(value >= bounds[b].low * (1 - 1e-12) && value <= bounds[b].high * (1 + 1e-12));
            }
        assert_true(!candidate_parameter(&found, "lift", text) || strcmp(text, "exponential") != 0);
    }
    volt_candidates_free(drawn);

    drawn = draw("fir:corr=? + memory:pole=?,pair=?,angle=?", NULL);
    static const bound filters[] = {{"1.corr", -0.9, 0.99}, {"2.pole", -0.9, 0.995}, {"2.pair", 0, 0.995},
                                    {"2.angle", 0, 1},      {"2.weight", 1e-3, 1e3}, {"1.mu", 0, 1}};
    static const char *const edges[] = {"fir + memory",
                                        "fir:corr=0.99 + 1000*memory:pole=0.98,pair=0.98,angle=1",
                                        "fir:corr=-0.9,mu=0.999999 + 0.001*memory:pole=-0.9,pair=0.5,angle=0"};
    for (int64_t i = 0; i < 2000; i++) {
        volt_trial parent = {.kernel = edges[i % 3], .alpha = 1};
        candidate found = follow(drawn, i, &parent);
        volt_kernel *kernel = NULL;
        check_ok(volt_kernel_parse(found.kernel, &kernel));
        for (size_t b = 0; b < sizeof filters / sizeof *filters; b++) {
            volt_kernel_value value = {.struct_size = sizeof value};
            check_ok(volt_kernel_get(kernel, filters[b].name, &value));
            assert_true(value.number >= filters[b].low - 1e-12 &&
                        value.number <= filters[b].high * (1 + 1e-12) + 1e-12);
        }
        volt_kernel_free(kernel);
    }
    volt_candidates_free(drawn);
}

/* A step keeps widths in their unit: candidates stay near a parent with a window, with no factor of
 * sqrt(window). */
static void widths_keep_unit(void **state)
{
    volt_draw_options options = volt_draw_options_default();
    volt_candidates *drawn = draw("rbf:window=20", &options);
    candidate middle = candidate_get(drawn, 0);
    for (int64_t i = 1; fabs(log(candidate_number(&middle, "gamma"))) > 20 && i < 9; i++)
        middle = candidate_get(drawn, i);
    volt_trial parent = {.kernel = middle.kernel, .alpha = middle.alpha};
    double centre = log(candidate_number(&middle, "gamma")), farthest = 0;
    for (int64_t i = 0; i < 500; i++) {
        candidate found = follow(drawn, i, &parent), fresh = candidate_get(drawn, i);
        if (strcmp(found.kernel, fresh.kernel) != 0)
            farthest = fmax(farthest, fabs(log(candidate_number(&found, "gamma")) - centre));
    }
    assert_true(farthest < 6 * 0.6); /* six times the largest deviation */
    volt_candidates_free(drawn);
}

/* ---- several kernels -------------------------------------------------------------------------- */

static void kernels_alternate(void **state)
{
    enum { K = 3, ROUNDS = 60 };
    static const char *const kernels[K] = {"volterra", "rbf", "fir + memory:pole=?"};
    volt_draw_options options = volt_draw_options_default();
    options.seed = 5;
    options.from_defaults = 1;
    volt_candidates *all = draw(" volterra|rbf | fir + memory:pole=?", &options), *alone[K];
    assert_int_equal(all->count, -1);
    for (int k = 0; k < K; k++)
        alone[k] = draw(kernels[k], &options);
    for (int64_t r = 0; r < ROUNDS; r++) {
        bool seen[K + 1] = {false};
        for (int64_t i = r * K; i < (r + 1) * K; i++) {
            candidate found = candidate_get(all, i);
            int which = K; /* no kernel */
            for (int k = 0; k < K; k++) {
                candidate own = candidate_get(alone[k], r);
                if (strcmp(own.kernel, found.kernel) == 0 && own.alpha == found.alpha)
                    which = k;
            }
            assert_true(which < K && !seen[which] && (r > 0 || which == i));
            seen[which] = true;
        }
    }
    for (int k = 0; k < K; k++)
        volt_candidates_free(alone[k]);
    volt_candidates_free(all);
}

/* A candidate near a trial has the same kernel, identified by its fixed parameters. */
static void follower_has_same_kernel(void **state)
{
    volt_candidates *all = draw("rbf:window=2 | rbf:window=5 | fir + rbf:window=5 | fir * rbf", NULL);
    static const char *const parents[] = {"rbf:gamma=0.1,window=5", "fir:mu=0.5 + rbf:gamma=0.1,window=5",
                                          "fir:mu=0.5 * rbf:gamma=0.1"};
    static const char *const marks[] = {"window=5", " + ", "*rbf"};
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < 200; i++) {
            volt_trial parent = {.kernel = parents[p], .alpha = 1};
            candidate found = follow(all, i, &parent), fresh = candidate_get(all, i);
            if (strcmp(found.kernel, fresh.kernel) != 0) {
                assert_non_null(strstr(found.kernel, marks[p]));
                assert_true(p > 0 || strncmp(found.kernel, "rbf", 3) == 0);
            }
        }
    char kernel[VOLT_KERNEL_LENGTH];
    volt_setting setting;
    volt_trial stranger = {.kernel = "cauchy", .alpha = 1};
    volt_parents strangers = {.trials = {&stranger}, .count = 1};
    volt_status status = VOLT_OK;
    for (int64_t i = 0; i < 20 && status == VOLT_OK; i++)
        status = volt_candidates_follow(all, i, &strangers, kernel, &setting);
    check_fails(status, VOLT_ERR_KERNEL, "searched");
    volt_candidates_free(all);
}

/* Every draw of every kernel is matched to its kernel among several. */
static void every_draw_can_be_followed(void **state)
{
    static const struct {
        const char *form, *parameters;
    } forms[] = {{"linear:window=3 | %s", ""},
                 {"linear:window=3 | %s", "pole=?"},
                 {"linear:window=3 | 2*%s | fir + ?*%s", "pair=0.5,angle=?"}};
    volt_draw_options options = volt_draw_options_default();
    options.from_defaults = 1;
    int64_t followed = 0;
    for (int64_t k = 0; k < volt_kernel_count(); k++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            char text[256];
            const volt_kernel_info *info = volt_kernel_at(k);
            kernel_form first = kernel_small_form(info, forms[f].parameters),
                        second = kernel_small_form(info, "");
            snprintf(text, sizeof text, forms[f].form, first.text, second.text);
            volt_candidates *all = NULL;
            if (volt_candidates_draw(text, volt_view_of(X, N, D), &options, &all) != VOLT_OK)
                continue; /* a kernel that cannot be a factor */
            for (int64_t i = 0; i < 12; i++) {
                candidate drawn = candidate_get(all, i);
                volt_trial parent = {.kernel = drawn.kernel, .alpha = drawn.alpha};
                for (int64_t index = 100; index < 104; index++, followed++)
                    follow(all, index, &parent);
            }
            volt_candidates_free(all);
        }
    printf("%" PRId64 " followed\n", followed);
    assert_true(followed >= 2 * 12 * 4 * volt_kernel_count());
}

static void ranges_apply_to_kernels_with_the_parameter(void **state)
{
    static const volt_range ranges[] = {{.name = "gamma", .kind = VOLT_SEARCH_LOG, .low = 2, .high = 3},
                                        {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 5, .high = 6},
                                        {.name = "depth", .kind = VOLT_SEARCH_LOG, .low = 5, .high = 6}};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = ranges;
    options.n_ranges = 2;
    volt_candidates *all = draw("linear | rbf | rbf:gamma=9 | fading", &options);
    for (int64_t i = 0; i < 40; i++) {
        candidate found = candidate_get(all, i);
        char text[VOLT_VALUE_LENGTH];
        assert_true(found.alpha >= 5 && found.alpha <= 6 * (1 + 1e-12));
        if (candidate_parameter(&found, "gamma", text)) {
            double gamma = candidate_number(&found, "gamma");
            assert_true(gamma == 9 || (gamma >= 2 && gamma <= 3 * (1 + 1e-12)));
        }
    }
    volt_candidates_free(all);
    options.n_ranges = 3;
    all = NULL;
    check_fails(volt_candidates_draw("linear | rbf", volt_view_of(X, N, D), &options, &all), VOLT_ERR_ARGUMENT,
                "range \"depth\"");
    check_fails(volt_candidates_draw("rbf | | linear", volt_view_of(X, N, D), NULL, &all), VOLT_ERR_KERNEL,
                "kernel 2");
    check_fails(volt_candidates_draw("rbf |", volt_view_of(X, N, D), NULL, &all), VOLT_ERR_KERNEL, "kernel 2");
    check_fails(volt_candidates_draw("rbf | rfb", volt_view_of(X, N, D), NULL, &all), VOLT_ERR_KERNEL,
                "kernel 2");
    check_fails(volt_candidates_draw("|", volt_view_of(X, N, D), NULL, &all), VOLT_ERR_KERNEL, "empty");
    char many[400] = "rbf";
    for (int k = 0; k < 40; k++)
        strcat(many, "|rbf");
    check_fails(volt_candidates_draw(many, volt_view_of(X, N, D), NULL, &all), VOLT_ERR_KERNEL, "more 32");
    assert_null(all);
}

static void grids_follow_one_another(void **state)
{
    static const char *const kernels[] = {"rbf", "fading", "linear"};
    volt_candidates *all = NULL;
    check_ok(volt_candidates_draw(
        "rbf | fading | linear", volt_view_of(X, N, D),
        &(volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1, .points = 3}, &all));
    int64_t at = 0;
    for (int k = 0; k < 3; k++) {
        volt_candidates *alone = NULL;
        check_ok(volt_candidates_draw(
            kernels[k], volt_view_of(X, N, D),
            &(volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1, .points = 3}, &alone));
        for (int64_t i = 0; i < alone->count; i++, at++) {
            candidate own = candidate_get(alone, i), found = candidate_get(all, at);
            assert_string_equal(own.kernel, found.kernel);
            assert_true(own.alpha == found.alpha);
        }
        volt_candidates_free(alone);
    }
    assert_int_equal(all->count, at);
    volt_candidates_free(all);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    static const volt_range range = {.name = "gamma", .kind = VOLT_SEARCH_LOG, .low = 2, .high = 3};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = &range;
    options.n_ranges = 1;
    volt_trial parent = {.kernel = "fir:mu=0.5 + memory:gamma=2,rho=0.5,mu=0.5,pole=0.5", .alpha = 1};
    volt_parents parents = {.trials = {&parent}, .count = 1};
    volt_candidates *all = draw("rbf | fir + memory:pole=?", &options);
    volt_status status = VOLT_ERR_MEMORY;
    int64_t k = 1;
    for (; status == VOLT_ERR_MEMORY; k++) {
        volt_candidates *fresh = NULL;
        failing_alloc_start(k);
        status = volt_candidates_draw("rbf | fir + memory:pole=?", volt_view_of(X, N, D), &options, &fresh);
        failing_alloc_stop();
        assert_true((fresh != NULL) == (status == VOLT_OK));
        volt_candidates_free(fresh);
    }
    check_ok(status);
    assert_true(k > 10);
    for (int64_t index = 0; index < 3; index++) {
        status = VOLT_ERR_MEMORY;
        for (k = 1; status == VOLT_ERR_MEMORY; k++) {
            char kernel[VOLT_KERNEL_LENGTH];
            volt_setting setting;
            failing_alloc_start(k);
            status = volt_candidates_follow(all, index, &parents, kernel, &setting);
            failing_alloc_stop();
        }
        check_ok(status);
        assert_true(k > 3);
    }
    volt_candidates_free(all);
}

/* Without a valid trial to follow, all candidates are draws: the kernel of these rows overflows. */
static void failed_draws_are_followed_by_draws(void **state)
{
    enum { DRAWS = VOLT_FIRST_DRAWS + 2 * VOLT_GENERATION };
    static const volt_strategy strategies[] = {VOLT_STRATEGY_ADAPTIVE, VOLT_STRATEGY_CMA};
    volt_candidates *candidates = draw("poly:degree=2", NULL);
    double far[N * D];
    for (int i = 0; i < N * D; i++)
        far[i] = 1e200 * X[i];
    for (int s = 0; s < 2; s++) {
        volt_search_options options = volt_search_options_default();
        volt_search *search = NULL;
        options.draws = DRAWS;
        options.scale = 0;
        options.strategy = strategies[s];
        volt_view rows = volt_view_of(far, N, D);
        assert_int_equal(volt_search_run(candidates, rows, volt_view_of(X, N, D), &options, &search),
                         VOLT_ERR_DATA);
        for (int64_t i = 0; i < DRAWS; i++) {
            char kernel[VOLT_KERNEL_LENGTH];
            double alpha;
            check_ok(volt_candidates_get(candidates, i, kernel, &alpha, NULL));
            assert_string_equal(volt_search_trial(search, i)->kernel, kernel);
            assert_non_null(volt_search_trial(search, i)->failure);
        }
        volt_search_free(search);
    }
    volt_candidates_free(candidates);
}

/* ---- CMA-ES ----------------------------------------------------------------------------------- */

/* The first generation starts at the best draw. Its step is the root mean square distance per axis of the next three draws. */
static void first_step_of_cma_is_the_spread_of_the_best_draws(void **state)
{
    enum { POPULATION = 12, DRAWS = VOLT_FIRST_DRAWS };
    static const uint64_t evolving = UINT64_C(0xa24baed4963ee407); /* random numbers of the generations */
    double y[N], u[VOLT_MAX_AXES], squares = 0;
    for (int i = 0; i < N; i++)
        y[i] = sin(X[i * D]) + X[i * D + 1];
    volt_candidates *candidates = draw("rbf", NULL);
    volt_search_options options = volt_search_options_default();
    options.draws = DRAWS + POPULATION;
    options.race = VOLT_RACE_NONE;
    options.strategy = VOLT_STRATEGY_CMA;
    volt_search *search = NULL;
    check_ok(volt_search_run(candidates, volt_view_of(X, N, D), volt_view_of(y, N, 1), &options, &search));
    volt_standings standings;
    volt_trial *trials[DRAWS];
    check_ok(volt_standings_begin(&standings,
                                  (volt_race_rule){VOLT_RACE_NONE, options.score, options.splits.folds}));
    for (int64_t i = 0; i < DRAWS; i++) {
        trials[i] = (volt_trial *)volt_search_trial(search, i);
        check_ok(volt_standings_add(&standings, trials[i]));
    }
    volt_parents best;
    volt_point start, other;
    volt_parents_choose(&standings, trials, DRAWS, &best);
    volt_standings_end(&standings);
    assert_int_equal(best.count, 4);
    check_ok(volt_candidates_locate(candidates, best.trials[0], &start));
    for (int64_t i = 1; i < best.count; i++) {
        check_ok(volt_candidates_locate(candidates, best.trials[i], &other));
        for (int64_t a = 0; a < start.count; a++)
            squares += pow(other.u[start.axes[a]] - start.u[start.axes[a]], 2);
    }
    volt_cma_options begun = {.n = start.count, .start = u, .population = POPULATION};
    begun.sigma = sqrt(squares / (double)(3 * start.count));
    assert_true(start.count >= 2 && begun.sigma > 0.05 && begun.sigma < 0.3); /* without a bound */
    for (int64_t a = 0; a < start.count; a++)
        u[a] = start.u[start.axes[a]];
    volt_cma *cma = NULL;
    check_ok(volt_cma_create(&begun, &cma));
    volt_cma_ask(cma, candidates->seed ^ evolving, DRAWS);
    for (int64_t k = 0; k < POPULATION; k++) {
        candidate expected;
        volt_setting setting;
        for (int64_t a = 0; a < start.count; a++)
            start.u[start.axes[a]] = volt_cma_point(cma, k)[a];
        check_ok(volt_candidates_at(&start, expected.kernel, &setting));
        /* equal up to the rounding of the sum */
        assert_true(fabs(log(setting.alpha / volt_search_trial(search, DRAWS + k)->alpha)) < 1e-9);
    }
    volt_cma_free(cma);
    volt_search_free(search);
    volt_candidates_free(candidates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_four_trials_are_parents),
        cmocka_unit_test(stopped_trial_has_its_mean_difference),
        cmocka_unit_test(step_sizes_are_as_documented),
        cmocka_unit_test(poles_move_on_the_scale_of_atanh),
        cmocka_unit_test(candidates_stay_in_their_ranges),
        cmocka_unit_test(widths_keep_unit),
        cmocka_unit_test(kernels_alternate),
        cmocka_unit_test(follower_has_same_kernel),
        cmocka_unit_test(every_draw_can_be_followed),
        cmocka_unit_test(ranges_apply_to_kernels_with_the_parameter),
        cmocka_unit_test(grids_follow_one_another),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(failed_draws_are_followed_by_draws),
        cmocka_unit_test(first_step_of_cma_is_the_spread_of_the_best_draws),
    };
    return cmocka_run_group_tests_name("following_candidates", tests, make_inputs, NULL);
}
