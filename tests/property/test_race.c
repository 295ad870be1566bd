/* tests/property/test_race.c: races compared with the full search, on random problems and candidates.
 *
 * The exact race never changes the winner, nor the score it wins with; the fast one may, by little and
 * rarely. Nothing depends on the number of threads, not even which candidates are given up where. */
#include "support/check.h"
#include "support/plain_cv.h"
#include "support/sequences.h"

enum { PROBLEMS = UNDER_SANITIZERS ? 5 : 50, COUNT = 28, DRAWN = 20 };

/* ---- problems and candidates ------------------------------------------------------------------ */

typedef struct race_case {
    plain_problem problem;
    char texts[COUNT][VOLT_KERNEL_LENGTH];
    double alphas[COUNT];
    volt_candidates *candidates;
    volt_search_options options;
} race_case;

static const char *const families[] = {"volterra", "rbf:window=3",       "memory", "linear",
                                       "fading",   "volterra:lift=even", "cauchy", "poly:degree=2"};

/* DRAWN candidates in random order, some of them several times. */
static race_case make_case(volt_rng *rng, int number)
{
    race_case c = {.problem = plain_problem_make(rng, 50 + number % 11, 1 + number % 3, 1 + number % 2)};
    volt_draw_options draw = volt_draw_options_default();
    draw.seed = (uint64_t)number;
    volt_candidates *drawn = NULL;
    check_ok(volt_candidates_draw(families[number % 8], plain_inputs(&c.problem), &draw, &drawn));
    const char *texts[COUNT];
    for (int i = 0; i < COUNT; i++) {
        int64_t index = i < DRAWN ? i : (int64_t)(DRAWN * volt_rng_uniform(rng));
        check_ok(volt_candidates_get(drawn, index, c.texts[i], &c.alphas[i], NULL));
    }
    for (int i = COUNT - 1; i > 0; i--) {
        int j = (int)((i + 1) * volt_rng_uniform(rng));
        char spare[VOLT_KERNEL_LENGTH];
        memcpy(spare, c.texts[i], sizeof spare);
        memcpy(c.texts[i], c.texts[j], sizeof spare);
        memcpy(c.texts[j], spare, sizeof spare);
        double alpha = c.alphas[i];
        c.alphas[i] = c.alphas[j];
        c.alphas[j] = alpha;
    }
    for (int i = 0; i < COUNT; i++)
        texts[i] = c.texts[i];
    check_ok(volt_candidates_list(texts, c.alphas, NULL, COUNT, &c.candidates));
    volt_candidates_free(drawn);
    c.options = volt_search_options_default();
    c.options.start = number & 1 ? VOLT_START_RESET : VOLT_START_CONTINUE;
    c.options.intercept = number >> 1 & 1;
    c.options.washout = number & 4 ? 3 : 0;
    return c;
}

static void free_case(race_case *c)
{
    volt_candidates_free(c->candidates);
    plain_problem_free(&c->problem);
}

static volt_search *run(const race_case *c, volt_race race)
{
    volt_search_options options = c->options;
    options.race = race;
    volt_search *search = NULL;
    check_ok(volt_search_run(c->candidates, plain_inputs(&c->problem), plain_targets(&c->problem), &options,
                             &search));
    return search;
}

/* ---- what any race keeps ---------------------------------------------------------------------- */

/* Blocks that were scored have the scores of the full search, bit by bit; the counts in the description
 * match the trials. */
static void check_against_full(const volt_search *race, const volt_search *full)
{
    volt_search_info info = {.struct_size = sizeof info}, full_info = {.struct_size = sizeof full_info};
    volt_search_get_info(race, &info);
    volt_search_get_info(full, &full_info);
    assert_int_equal(info.trials, full_info.trials);
    assert_int_equal(info.failed, full_info.failed);
    int64_t stopped[64] = {0};
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *a = volt_search_trial(race, i), *b = volt_search_trial(full, i);
        assert_int_equal(a->index, i);
        assert_string_equal(a->kernel, b->kernel);
        assert_true(a->alpha == b->alpha && !b->stopped);
        assert_int_equal(a->failure != NULL, b->failure != NULL);
        if (a->failure)
            continue;
        assert_int_equal(b->n_folds, full_info.folds);
        assert_true(a->stopped ? a->n_folds < b->n_folds : a->n_folds == b->n_folds);
        assert_memory_equal(a->folds, b->folds, (size_t)a->n_folds * sizeof(double));
        stopped[a->n_folds] += a->stopped;
    }
    for (int64_t k = 0; k <= info.folds; k++) {
        assert_int_equal(info.stopped[k], stopped[k]);
        assert_int_equal(full_info.stopped[k], 0);
    }
}

/* The winner by hand: the best mean, the first of equals. */
static int64_t winner_of(const volt_search *full, double sign)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(full, &info);
    int64_t best = -1;
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(full, i);
        if (!trial->failure && (best < 0 || sign * trial->score > sign * volt_search_trial(full, best)->score))
            best = i;
    }
    return best;
}

static int64_t blocks_done(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    int64_t done = 0;
    for (int64_t i = 0; i < info.trials; i++)
        done += volt_search_trial(search, i)->n_folds;
    return done;
}

static double flops_of(const volt_search *search)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(search, &info);
    return info.flops;
}

/* ---- exact ------------------------------------------------------------------------------------ */

/* A stopped trial could not have won: perfect scores on its other blocks (`perfect`) leave it behind the
 * winner, or level with it when the winner has the lower index. */
static void check_stops(const volt_search *race, double sign, double perfect)
{
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(race, &info);
    const volt_trial *best = volt_search_trial(race, VOLT_TRIAL_BEST);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(race, i);
        if (!trial->stopped)
            continue;
        double sum = (double)(info.folds - trial->n_folds) * perfect;
        for (int64_t f = 0; f < trial->n_folds; f++)
            sum += trial->folds[f];
        double hope = sign * (sum / (double)info.folds - best->score),
               rounding = 1e-14 * (1 + fabs(best->score));
        if (!(hope <= rounding))
            fail_msg("candidate %" PRId64 " was given up after %" PRId64 " blocks with %g to spare", i,
                     trial->n_folds, hope);
    }
}

static void exact_races_with(volt_score score, double sign, double perfect)
{
    volt_rng rng = test_rng(2401);
    int64_t done = 0, all = 0;
    double work = 0, all_work = 0;
    int duplicates = 0;
    for (int number = 0; number < PROBLEMS; number++) {
        race_case c = make_case(&rng, number);
        c.options.score = score;
        volt_search *full = run(&c, VOLT_RACE_NONE), *exact = run(&c, VOLT_RACE_EXACT);
        const volt_trial *a = volt_search_trial(full, VOLT_TRIAL_BEST),
                         *b = volt_search_trial(exact, VOLT_TRIAL_BEST);
        assert_int_equal(a->index, winner_of(full, sign));
        if (a->index != b->index || memcmp(&a->score, &b->score, sizeof a->score) != 0)
            fail_msg("problem %d: candidate %" PRId64 " wins with %.17g, and the race gives %" PRId64
                     " with %.17g",
                     number, a->index, a->score, b->index, b->score);
        check_against_full(exact, full);
        check_stops(exact, sign, perfect);
        for (int64_t i = a->index + 1; i < COUNT; i++)
            duplicates += volt_search_trial(full, i)->score == a->score;
        done += blocks_done(exact);
        all += blocks_done(full);
        work += flops_of(exact);
        all_work += flops_of(full);
        volt_search_free(exact);
        volt_search_free(full);
        free_case(&c);
    }
    print_message("exact: %.0f%% of the blocks, %.0f%% of the operations; the winner was the same %d times\n",
                  100 * (double)done / (double)all, 100 * work / all_work, duplicates);
    assert_true(done < all);                  /* some trials were stopped, */
    assert_true(duplicates >= PROBLEMS / 10); /* and ties were there to be broken */
}

static void exact_race_keeps_winner_and_score(void **state)
{
    exact_races_with(VOLT_SCORE_R2, 1, 1);
}

static void exact_race_on_errors(void **state)
{
    exact_races_with(VOLT_SCORE_MSE, -1, 0);
}

/* ---- fast ------------------------------------------------------------------------------------- */

static void fast_race_is_near_optimal(void **state)
{
    volt_rng rng = test_rng(2402);
    int near = 0, same = 0;
    int64_t done = 0, all = 0;
    double work = 0, all_work = 0, worst = 0;
    for (int number = 0; number < PROBLEMS; number++) {
        race_case c = make_case(&rng, number);
        volt_search *full = run(&c, VOLT_RACE_NONE), *fast = run(&c, VOLT_RACE_FAST);
        check_against_full(fast, full);
        const volt_trial *best = volt_search_trial(full, VOLT_TRIAL_BEST),
                         *winner = volt_search_trial(fast, VOLT_TRIAL_BEST);
        assert_true(!winner->stopped && winner->n_folds == c.options.splits.folds);
        double lost = best->score - volt_search_trial(full, winner->index)->score;
        near += lost <= 0.01;
        same += winner->index == best->index;
        worst = fmax(worst, lost);
        done += blocks_done(fast);
        all += blocks_done(full);
        work += flops_of(fast);
        all_work += flops_of(full);
        volt_search_free(fast);
        volt_search_free(full);
        free_case(&c);
    }
    print_message(
        "fast: the same winner on %d of %d problems, within 0.01 on %d, at worst %.3g behind; %.0f%% of "
        "the blocks, %.0f%% of the operations\n",
        same, PROBLEMS, near, worst, 100 * (double)done / (double)all, 100 * work / all_work);
    assert_true(near >= PROBLEMS - 2);
    assert_true(done < all);
}

/* ---- threads ---------------------------------------------------------------------------------- */

static void same_search(const volt_search *a, const volt_search *b)
{
    volt_search_info info = {.struct_size = sizeof info}, other = {.struct_size = sizeof other};
    volt_search_get_info(a, &info);
    volt_search_get_info(b, &other);
    assert_int_equal(info.trials, other.trials);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *x = volt_search_trial(a, i), *y = volt_search_trial(b, i);
        assert_int_equal(x->index, y->index);
        assert_string_equal(x->kernel, y->kernel);
        assert_true(x->alpha == y->alpha);
        if (x->n_folds != y->n_folds || x->stopped != y->stopped)
            fail_msg("candidate %" PRId64 " has %" PRId64 " blocks, and %" PRId64 " with other threads", i,
                     x->n_folds, y->n_folds);
        assert_memory_equal(x->folds, y->folds, (size_t)x->n_folds * sizeof(double));
        assert_memory_equal(&x->score, &y->score, sizeof x->score);
    }
    assert_int_equal(volt_search_trial(a, VOLT_TRIAL_BEST)->index,
                     volt_search_trial(b, VOLT_TRIAL_BEST)->index);
}

static int default_threads(void **state)
{
    return volt_set_threads(0);
}

static void results_do_not_depend_on_threads(void **state)
{
    static const volt_race races[] = {VOLT_RACE_NONE, VOLT_RACE_EXACT, VOLT_RACE_FAST};
    volt_rng rng = test_rng(2403);
    for (int number = 0; number < 12; number++) {
        race_case c = make_case(&rng, number);
        for (int r = 0; r < 3; r++) {
            volt_search *searches[3];
            for (int t = 0; t < 3; t++) {
                check_ok(volt_set_threads(1 << t));
                searches[t] = run(&c, races[r]);
            }
            same_search(searches[0], searches[1]);
            same_search(searches[0], searches[2]);
            for (int t = 0; t < 3; t++)
                volt_search_free(searches[t]);
        }
        free_case(&c);
    }
}

/* A problem large enough for multithreaded BLAS. */
static void larger_problems_do_not_depend_on_threads(void **state)
{
    enum { ROWS = 400 };
    volt_rng rng = test_rng(2404);
    race_case c = {.problem = plain_problem_make(&rng, ROWS, 3, 4), .options = volt_search_options_default()};
    check_ok(volt_candidates_draw("volterra", plain_inputs(&c.problem), NULL, &c.candidates));
    c.options.draws = 6;
    volt_search *searches[3];
    for (int t = 0; t < 3; t++) {
        check_ok(volt_set_threads(1 << t));
        searches[t] = run(&c, VOLT_RACE_EXACT);
    }
    same_search(searches[0], searches[1]);
    same_search(searches[0], searches[2]);
    for (int t = 0; t < 3; t++)
        volt_search_free(searches[t]);
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_race_keeps_winner_and_score),
        cmocka_unit_test(exact_race_on_errors),
        cmocka_unit_test(fast_race_is_near_optimal),
        cmocka_unit_test_teardown(results_do_not_depend_on_threads, default_threads),
        cmocka_unit_test_teardown(larger_problems_do_not_depend_on_threads, default_threads),
    };
    return cmocka_run_group_tests_name("race", tests, NULL, NULL);
}
