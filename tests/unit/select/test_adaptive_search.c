/* tests/unit/select/test_adaptive_search.c: adaptive searches and searches by CMA-ES: reproducible with any number of
 * threads, and after truncation of the log; better than random search. */
#include "select/search/search_run.h"
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <unistd.h>

enum { ROWS = 40, FOLDS = 3, DRAWS = VOLT_FIRST_DRAWS + 2 * VOLT_GENERATION + 5 };

static plain_problem problem;
static volt_candidates *candidates, *several;

static volt_candidates *draw(const char *kernel, uint64_t seed)
{
    volt_draw_options options = volt_draw_options_default();
    options.from_defaults = 1;
    options.seed = seed;
    volt_candidates *drawn = NULL;
    check_ok(volt_candidates_draw(kernel, plain_inputs(&problem), &options, &drawn));
    return drawn;
}

static int make_problem(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 3100, 0);
    problem = plain_problem_make(&rng, ROWS, 2, 2);
    candidates = draw("volterra", 1);
    several = draw("fir + memory:pole=? | rbf | volterra:lift=rbf", 2);
    return 0;
}

static int free_problem(void **state)
{
    volt_set_threads(0);
    volt_candidates_free(candidates);
    volt_candidates_free(several);
    plain_problem_free(&problem);
    return 0;
}

/* Options of a search with the strategy of the test. */
static volt_search_options following(void **state, volt_race race)
{
    const volt_strategy *strategy = *state;
    volt_search_options options = volt_search_options_default();
    options.splits.folds = FOLDS;
    options.draws = DRAWS;
    options.race = race;
    options.strategy = *strategy;
    return options;
}

static volt_search *run(const volt_candidates *which, const volt_search_options *options)
{
    volt_search *search = NULL;
    check_ok(volt_search_run(which, plain_inputs(&problem), plain_targets(&problem), options, &search));
    return search;
}

static int64_t count_trials(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    return info.trials;
}

/* Compares trials bitwise. */
static void same_search(const volt_search *a, const volt_search *b)
{
    assert_int_equal(count_trials(a), count_trials(b));
    for (int64_t i = 0; i < count_trials(a); i++) {
        const volt_trial *x = volt_search_trial(a, i), *y = volt_search_trial(b, i);
        assert_int_equal(x->index, y->index);
        assert_string_equal(x->kernel, y->kernel);
        assert_true(x->alpha == y->alpha && x->n_folds == y->n_folds && x->stopped == y->stopped);
        assert_memory_equal(x->folds, y->folds, (size_t)x->n_folds * sizeof(double));
    }
    assert_int_equal(volt_search_trial(a, VOLT_TRIAL_BEST)->index,
                     volt_search_trial(b, VOLT_TRIAL_BEST)->index);
}

/* ---- reproducible ----------------------------------------------------------------------------- */

static void results_do_not_depend_on_threads(void **state)
{
    static const volt_race races[] = {VOLT_RACE_NONE, VOLT_RACE_EXACT, VOLT_RACE_FAST};
    const volt_candidates *const which[] = {candidates, several};
    for (int r = 0; r < 3; r++)
        for (int w = 0; w < 2; w++) {
            volt_search_options options = following(state, races[r]);
            volt_search *searches[2];
            for (int t = 0; t < 2; t++) {
                check_ok(volt_set_threads(t ? 7 : 1));
                searches[t] = run(which[w], &options);
            }
            same_search(searches[0], searches[1]);
            for (int t = 0; t < 2; t++)
                volt_search_free(searches[t]);
        }
    check_ok(volt_set_threads(0));
}

/* The first candidates are random draws. Some of the later ones are too; most are not. */
static void later_candidates_differ_from_draws(void **state)
{
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    volt_search *search = run(candidates, &options);
    int64_t others = 0;
    for (int64_t i = 0; i < DRAWS; i++) {
        char kernel[VOLT_KERNEL_LENGTH];
        double alpha;
        check_ok(volt_candidates_get(candidates, i, kernel, &alpha, NULL));
        bool same = strcmp(kernel, volt_search_trial(search, i)->kernel) == 0;
        assert_true(same || i >= VOLT_FIRST_DRAWS);
        others += !same;
    }
    /* Of 37, each with probability 0.8; P(fewer than 18) < 1e-5. The seed is fixed. */
    if (options.strategy == VOLT_STRATEGY_ADAPTIVE)
        assert_true(others >= 18 && others < DRAWS - VOLT_FIRST_DRAWS);
    else
        assert_int_equal(others, DRAWS - VOLT_FIRST_DRAWS);
    volt_search_free(search);
}

/* ---- logs ------------------------------------------------------------------------------------- */

static const char *fresh_path(const char *name)
{
    const char *path = scratch_path(name);
    unlink(path);
    return path;
}

static void check_resumes(void **state, const volt_candidates *which, int64_t draws, const char *text,
                          size_t length, const volt_search *whole)
{
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    options.log = scratch_write("cut.jsonl", text, length);
    options.resume = 1;
    options.draws = draws;
    volt_search *search = run(which, &options);
    same_search(search, whole);
    options.draws = 0; /* no limit: only the log */
    volt_search *logged = run(which, &options);
    same_search(logged, whole);
    volt_search_free(logged);
    volt_search_free(search);
}

/* Reverses the order of the lines. */
static char *turn_lines(const char *text)
{
    size_t size = strlen(text), length = 0;
    char *turned = calloc(size + 1, 1);
    assert_non_null(turned);
    for (const char *end = text + size; end > text;) {
        const char *start = end - 1;
        while (start > text && start[-1] != '\n')
            start--;
        memcpy(turned + length, start, (size_t)(end - start));
        length += (size_t)(end - start);
        end = start;
    }
    return turned;
}

/* After some of the draws, and at the begin, in the middle and at the end of each generation. */
static void search_resumes_after_any_trial(void **state)
{
    volt_rng rng = test_rng(3101);
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    options.log = fresh_path("whole.jsonl");
    volt_search *whole = run(several, &options);
    size_t size = 0;
    char *text = scratch_read(options.log, &size);
    int64_t line = 0;
    for (const char *at = text; (at = strchr(at, '\n')); line++, at++) {
        int64_t after = (line + 1) % VOLT_GENERATION;
        if (after == 1 || (line >= VOLT_FIRST_DRAWS - 2 && (after == 0 || after == 7 || after == 15)))
            check_resumes(state, several, DRAWS, text, (size_t)(at + 1 - text), whole);
    }
    for (int cut = 0; cut < 6; cut++) /* in the middle of a line */
        check_resumes(state, several, DRAWS, text, (size_t)((double)size * volt_rng_uniform(&rng)), whole);
    char *turned = turn_lines(text);
    check_resumes(state, several, DRAWS, turned, size, whole);
    free(turned);
    free(text);
    volt_search_free(whole);
}

/* The log must contain the trials that later candidates depend on. */
static void log_without_parent_trials_is_rejected(void **state)
{
    volt_search_options options = following(state, VOLT_RACE_NONE);
    options.log = fresh_path("gap.jsonl");
    /* Lines are in order of completion, which on one thread is the order of the candidates. */
    check_ok(volt_set_threads(1));
    volt_search_free(run(candidates, &options));
    check_ok(volt_set_threads(0));
    char *text = scratch_read(options.log, NULL);
    options.log = scratch_write_text("lacks.jsonl", strchr(text, '\n') + 1);
    options.resume = 1;
    volt_search *search = NULL;
    check_fails(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_FORMAT, "candidate 64");
    assert_non_null(strstr(volt_error_detail(), "lacks.jsonl, line 64"));
    assert_null(search);
    /* Fewer draws do not depend on the missing trial. */
    options.draws = VOLT_FIRST_DRAWS;
    search = run(candidates, &options);
    assert_int_equal(count_trials(search), VOLT_FIRST_DRAWS);
    volt_search_free(search);
    free(text);
}

static void log_of_another_search_is_rejected(void **state)
{
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    options.draws = 3;
    options.log = fresh_path("adaptive.jsonl");
    volt_search_free(run(candidates, &options));
    options.resume = 1;
    volt_candidates *seeded = draw("volterra", 7); /* its first candidate is also the default */
    volt_search *search = NULL;
    check_fails(volt_search_run(seeded, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_FORMAT, "search");
    static const volt_strategy all[] = {VOLT_STRATEGY_RANDOM, VOLT_STRATEGY_ADAPTIVE, VOLT_STRATEGY_CMA};
    volt_strategy own = options.strategy;
    for (int s = 0; s < 3; s++) {
        options.strategy = all[s];
        if (all[s] != own)
            check_fails(
                volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_FORMAT, "search");
    }
    volt_candidates_free(seeded);
}

/* ---- comparison with random search ------------------------------------------------------------ */

/* y is u filtered by a system that few draws approximate. Both searches share their first draws. If later
 * candidates were no better than draws, each search would win with probability 1/2; 14 or more wins of 16
 * then have probability 137 / 2^16 < 0.0021, and 13 or more (CMA-ES, which may end in another minimum)
 * 697 / 2^16 < 0.011. The seeds are fixed. */
static void adaptive_search_beats_random_draws(void **state)
{
    if (UNDER_SANITIZERS) /* a statement about numbers, of code that the other tests run */
        skip();
    enum { N = 120, SEEDS = 16 };
    volt_rng rng = test_rng(3102);
    double U[N], Y[N], v[2] = {0, 0};
    for (int t = 0; t < N; t++) {
        U[t] = volt_rng_normal(&rng);
        double now = 1.6 * v[0] - 0.81 * v[1] + 0.2 * U[t];
        v[1] = v[0];
        v[0] = now;
        Y[t] = tanh(now) + 0.01 * volt_rng_normal(&rng);
    }
    int better = 0, worse = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        volt_draw_options drawing = volt_draw_options_default();
        drawing.seed = (uint64_t)seed;
        volt_candidates *drawn = NULL;
        check_ok(volt_candidates_draw("memory:pair=?,angle=?", volt_view_of(U, N, 1), &drawing, &drawn));
        double score[2];
        for (int s = 0; s < 2; s++) {
            volt_search_options options = following(state, VOLT_RACE_EXACT);
            options.draws = options.strategy == VOLT_STRATEGY_CMA ? 464 : 208; /* six parameters need more */
            if (s == 0)
                options.strategy = VOLT_STRATEGY_RANDOM;
            volt_search *search = NULL;
            check_ok(volt_search_run(drawn, volt_view_of(U, N, 1), volt_view_of(Y, N, 1), &options, &search));
            score[s] = volt_search_trial(search, VOLT_TRIAL_BEST)->score;
            volt_search_free(search);
        }
        better += score[1] > score[0];
        worse += score[1] < score[0];
        volt_candidates_free(drawn);
    }
    printf("it is better on %d and worse on %d of %d\n", better, worse, SEEDS);
    const volt_strategy *strategy = *state;
    assert_true(better >= (*strategy == VOLT_STRATEGY_CMA ? 13 : 14));
}

/* ---- CMA-ES ----------------------------------------------------------------------------------- */

/* With one parameter a run converges within a few hundred candidates, and others follow from other draws. */
static void runs_of_cma_follow_each_other(void **state)
{
    enum { MANY = 800 };
    volt_candidates *narrow = draw("fir:mu=0.5 | fir:mu=0.51", 3);
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    options.draws = MANY;
    options.log = fresh_path("runs.jsonl");
    volt_search *whole = run(narrow, &options);
    /* The distribution narrows to a factor of 1.5 at the end of a run, and is wide again in the next one. */
    int64_t wide = 0, narrowed = 0, others = 0;
    for (int64_t i = VOLT_FIRST_DRAWS; i + 12 <= MANY; i += 12) {
        double low = INFINITY, high = 0;
        for (int64_t k = i; k < i + 12; k++) {
            low = fmin(low, volt_search_trial(whole, k)->alpha);
            high = fmax(high, volt_search_trial(whole, k)->alpha);
        }
        narrowed += high < 1.5 * low;
        wide += narrowed > 0 && high > 10 * low;
    }
    printf("%d narrow stretches, %d wide ones after the first of them\n", (int)narrowed, (int)wide);
    assert_true(narrowed > 0 && wide > 0);
    /* A run keeps the kernel of its start. The second best draw is of the other kernel. */
    const char *kernel = volt_search_trial(whole, VOLT_FIRST_DRAWS)->kernel;
    for (int64_t i = VOLT_FIRST_DRAWS; i < MANY; i++)
        others += strcmp(volt_search_trial(whole, i)->kernel, kernel) != 0;
    assert_true(others > 0);
    size_t size = 0;
    char *text = scratch_read(options.log, &size);
    volt_rng rng = test_rng(3103);
    for (int cut = 0; cut < 4; cut++)
        check_resumes(state, narrow, MANY, text, (size_t)((double)size * volt_rng_uniform(&rng)), whole);
    free(text);
    volt_search_free(whole);
    volt_candidates_free(narrow);
}

/* A search from a given candidate has no draws: the candidate is the first trial, the next generation is near
 * it, and a run after one without progress is wider. */
static void cma_starts_at_a_given_candidate(void **state)
{
    enum { MANY = 400 };
    static const double step = 0.01;
    volt_candidates *near = draw("linear", 4), *other = draw("linear", 4);
    volt_setting setting = {.alpha = 0.03};
    check_ok(volt_candidates_start(near, "linear", &setting, step));
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    options.draws = MANY;
    options.log = fresh_path("start.jsonl");
    volt_search *search = run(near, &options);
    const volt_trial *first = volt_search_trial(search, 0);
    assert_true(first->alpha == 0.03 && volt_search_trial(search, VOLT_TRIAL_BEST)->score >= first->score);
    /* alpha has a range of 10^11 or less: six steps of 0.01 are less than a factor of 10^0.7. */
    for (int64_t i = 1; i <= 12; i++)
        assert_true(fabs(log10(volt_search_trial(search, i)->alpha / 0.03)) < 0.7);
    double narrowest = INFINITY, widest = 0; /* afterwards */
    for (int64_t i = 1; i + 12 <= MANY; i += 12) {
        double low = INFINITY, high = 0;
        for (int64_t k = i; k < i + 12; k++) {
            low = fmin(low, volt_search_trial(search, k)->alpha);
            high = fmax(high, volt_search_trial(search, k)->alpha);
        }
        if (high / low < narrowest) {
            narrowest = high / low;
            widest = 0;
        }
        widest = fmax(widest, high / low);
    }
    printf("narrowest generation: a factor of %g; later ones: up to %g\n", narrowest, widest);
    assert_true(narrowest < 1.1 && widest > 1.2);

    /* The log belongs to this start. */
    volt_search *again = NULL;
    options.resume = 1;
    again = run(near, &options);
    same_search(search, again);
    volt_search_free(again);
    setting.alpha = 0.04;
    check_ok(volt_candidates_start(other, "linear", &setting, step));
    check_fails(volt_search_run(other, plain_inputs(&problem), plain_targets(&problem), &options, &again),
                VOLT_ERR_FORMAT, "search");
    volt_search_free(search);
    volt_candidates_free(near);
    volt_candidates_free(other);
}

/* Choices keep the value of the start; integers are searched. Without a parameter to move, candidates are
 * draws. */
static void choices_are_fixed_and_integers_are_not(void **state)
{
    const char *lifts[] = {"rbf", "geometric"}, *one[] = {"0.5"};
    volt_range ranges[] = {{.name = "lift", .choices = lifts, .n_choices = 2},
                           {.name = "alpha", .choices = one, .n_choices = 1}};
    volt_draw_options drawing = volt_draw_options_default();
    drawing.ranges = ranges;
    drawing.n_ranges = 1;
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    volt_candidates *drawn = NULL;
    check_ok(volt_candidates_draw("volterra", plain_inputs(&problem), &drawing, &drawn));
    volt_search *search = run(drawn, &options);
    bool is_rbf = strstr(volt_search_trial(search, VOLT_FIRST_DRAWS)->kernel, "lift=rbf");
    for (int64_t i = VOLT_FIRST_DRAWS; i < DRAWS; i++)
        assert_int_equal(is_rbf, strstr(volt_search_trial(search, i)->kernel, "lift=rbf") != NULL);
    volt_search_free(search);
    volt_candidates_free(drawn);

    drawing.n_ranges = 0;
    check_ok(volt_candidates_draw("rbf", plain_inputs(&problem), &drawing, &drawn));
    search = run(drawn, &options);
    char first[32] = "";
    int64_t others = 0;
    for (int64_t i = VOLT_FIRST_DRAWS; i < DRAWS; i++) {
        const char *window = strstr(volt_search_trial(search, i)->kernel, "window=");
        assert_non_null(window);
        if (i == VOLT_FIRST_DRAWS)
            snprintf(first, sizeof first, "%.*s", (int)strcspn(window, ","), window);
        others += strncmp(window, first, strcspn(window, ",")) != 0;
    }
    assert_true(others > 0);
    volt_search_free(search);
    volt_candidates_free(drawn);

    drawing.ranges = ranges + 1;
    drawing.n_ranges = 1;
    check_ok(volt_candidates_draw("linear", plain_inputs(&problem), &drawing, &drawn));
    search = run(drawn, &options);
    assert_int_equal(count_trials(search), DRAWS);
    volt_search_free(search);
    volt_candidates_free(drawn);
}

/* From 1000 rows on, an adaptive search changes to CMA-ES after 256 candidates: from there on, none is an
 * unrestricted draw. */
static void adaptive_searches_of_many_rows_end_with_cma(void **state)
{
    enum { EXPLORED = 256, ALL = EXPLORED + 40, LATEST = 1000 };
    volt_rng rng = test_rng(3104);
    double X[LATEST], Y[LATEST];
    for (int t = 0; t < LATEST; t++) {
        X[t] = volt_rng_normal(&rng);
        Y[t] = tanh(X[t] + 0.5 * (t > 0 ? X[t - 1] : 0)) + 0.1 * volt_rng_normal(&rng);
    }
    for (int64_t rows = LATEST - 1; rows <= LATEST; rows++) {
        volt_view inputs = volt_view_of(X, rows, 1), targets = volt_view_of(Y, rows, 1);
        volt_candidates *drawn = NULL;
        volt_search *searches[2];
        check_ok(volt_candidates_draw("fading", inputs, NULL, &drawn));
        volt_search_options options = following(state, VOLT_RACE_EXACT);
        options.draws = ALL;
        options.solver = "nystrom"; /* on few landmarks, for speed */
        options.landmarks = 20;
        for (int t = 0; t < 2; t++) {
            check_ok(volt_set_threads(t ? 5 : 1));
            check_ok(volt_search_run(drawn, inputs, targets, &options, &searches[t]));
        }
        check_ok(volt_set_threads(0));
        same_search(searches[0], searches[1]);
        int64_t draws = 0;
        for (int64_t i = EXPLORED; i < ALL; i++) {
            char kernel[VOLT_KERNEL_LENGTH];
            double alpha;
            check_ok(volt_candidates_get(drawn, i, kernel, &alpha, NULL));
            draws += strcmp(kernel, volt_search_trial(searches[0], i)->kernel) == 0;
        }
        /* Without CMA-ES, each of 40 is a draw with probability 0.2; P(none) < 2e-4. The seed is fixed. */
        assert_int_equal(draws == 0, rows == LATEST);
        for (int t = 0; t < 2; t++)
            volt_search_free(searches[t]);
        volt_candidates_free(drawn);
    }
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void adaptive_search_requires_draws(void **state)
{
    const char *kernels[] = {"rbf", "linear"};
    const double alphas[] = {1, 1};
    volt_candidates *given[2] = {NULL, NULL};
    check_ok(volt_candidates_list(kernels, alphas, NULL, 2, &given[0]));
    check_ok(volt_candidates_draw(
        "rbf | linear", plain_inputs(&problem),
        &(volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1, .points = 2}, &given[1]));
    volt_search_options options = following(state, VOLT_RACE_EXACT);
    volt_search *search = NULL;
    for (int g = 0; g < 2; g++) {
        check_fails(
            volt_search_run(given[g], plain_inputs(&problem), plain_targets(&problem), &options, &search),
            VOLT_ERR_ARGUMENT, "given candidates");
        volt_candidates_free(given[g]);
    }
    options.strategy = (volt_strategy)(VOLT_STRATEGY_CMA + 1);
    check_fails(volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), &options, &search),
                VOLT_ERR_ARGUMENT, "strategy 3");
    assert_null(search);
}

#define BOTH(test)                                     \
    {#test ", adaptive", test, NULL, NULL, &by_steps}, \
    {                                                  \
#test ", CMA-ES", test, NULL, NULL, &by_cma    \
    }

int main(void)
{
    static volt_strategy by_steps = VOLT_STRATEGY_ADAPTIVE, by_cma = VOLT_STRATEGY_CMA;
    const struct CMUnitTest tests[] = {
        BOTH(results_do_not_depend_on_threads),
        BOTH(later_candidates_differ_from_draws),
        BOTH(search_resumes_after_any_trial),
        BOTH(log_without_parent_trials_is_rejected),
        BOTH(log_of_another_search_is_rejected),
        BOTH(adaptive_search_beats_random_draws),
        BOTH(adaptive_search_requires_draws),
        cmocka_unit_test_prestate(runs_of_cma_follow_each_other, &by_cma),
        cmocka_unit_test_prestate(cma_starts_at_a_given_candidate, &by_cma),
        cmocka_unit_test_prestate(choices_are_fixed_and_integers_are_not, &by_cma),
        cmocka_unit_test_prestate(adaptive_searches_of_many_rows_end_with_cma, &by_steps),
    };
    return cmocka_run_group_tests_name("adaptive_search", tests, make_problem, free_problem);
}
