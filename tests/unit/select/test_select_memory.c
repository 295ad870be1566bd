/* tests/unit/select/test_select_memory.c: for every k, the k-th allocation of a search and of its candidates fails:
 * the call returns VOLT_ERR_MEMORY, without leaks or partial results, and the search can resume from its
 * log. test_search_scenarios.c has other kinds of searches. */
#include "support/candidate.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_cv.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <unistd.h>

enum { N = 20, DRAWS = 3 };

/* Data for the calls, created before any allocation fails. */
static plain_problem problem;
static volt_candidates *draws, *grid, *list, *function, *profiled, *sums;
static const char *csv, *log_path, *good_log;

static const char *const lifts[] = {"geometric", "rbf"};
static const volt_range ranges[] = {{.name = "lift", .choices = lifts, .n_choices = 2},
                                    {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 0.1, .high = 1}};
static const volt_draw_options draw_options = {
    .struct_size = sizeof(volt_draw_options), .ranges = ranges, .n_ranges = 2, .scale = 1};
static const char *const kernels[] = {"rbf:gamma=1", "volterra", "linear:window=2"};
static const double alphas[] = {1, 0.5, 0.25};

static int make(int64_t index, char *kernel, size_t size, double *alpha, void *context)
{
    (void)context;
    snprintf(kernel, size, "rbf:gamma=%d", (int)index + 1);
    *alpha = 1;
    return 0;
}

static volt_search_options search_options(void)
{
    volt_search_options options = volt_search_options_default();
    options.splits.folds = 2;
    options.draws = DRAWS;
    return options;
}

static int make_set(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2900, 0);
    problem = plain_problem_make(&rng, N, 2, 2);
    check_ok(volt_candidates_draw("volterra", plain_inputs(&problem), &draw_options, &draws));
    volt_draw_options grid_options = draw_options;
    grid_options.points = 2;
    check_ok(volt_candidates_draw("volterra", plain_inputs(&problem), &grid_options, &grid));
    check_ok(volt_candidates_list(kernels, alphas, NULL, 3, &list));
    check_ok(candidates_of_function(make, NULL, 4, &function));
    const volt_draw_options from_defaults = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .from_defaults = 1};
    check_ok(volt_candidates_draw("gak:window=3", plain_inputs(&problem), &from_defaults, &profiled));
    check_ok(volt_candidates_draw("?*fir:mu=0.5 + rbf:pole=?,gamma=1*linear", plain_inputs(&problem),
                                  &from_defaults, &sums));
    csv = scratch_write_text("candidates.csv", "gamma,alpha\n1,2\n3,4\n5,6\n");
    log_path = scratch_path("trials.jsonl");
    good_log = scratch_path("good.jsonl");
    volt_search_options options = search_options();
    options.log = good_log;
    volt_search *search = NULL;
    check_ok(volt_search_run(draws, plain_inputs(&problem), plain_targets(&problem), &options, &search));
    volt_search_free(search);
    return 0;
}

static int free_set(void **state)
{
    failing_alloc_stop();
    volt_set_threads(0);
    volt_candidates_free(function);
    volt_candidates_free(profiled);
    volt_candidates_free(sums);
    volt_candidates_free(list);
    volt_candidates_free(grid);
    volt_candidates_free(draws);
    plain_problem_free(&problem);
    return 0;
}

/* ---- the calls -------------------------------------------------------------------------------- */

/* Each call frees its results on success, and checks that a failure did not change its outputs. */

static volt_status finish(volt_status status, volt_candidates *candidates)
{
    assert_true((status == VOLT_OK) == (candidates != NULL));
    volt_candidates_free(candidates);
    return status;
}

static volt_status call_draw(void)
{
    volt_candidates *candidates = NULL;
    volt_status status = volt_candidates_draw("volterra", plain_inputs(&problem), &draw_options, &candidates);
    return finish(status, candidates);
}

static volt_status call_grid(void)
{
    volt_candidates *candidates = NULL;
    volt_draw_options options = draw_options;
    options.points = 3;
    volt_status status = volt_candidates_draw("volterra", plain_inputs(&problem), &options, &candidates);
    return finish(status, candidates);
}

static volt_status call_list(void)
{
    volt_candidates *candidates = NULL;
    volt_status status = volt_candidates_list(kernels, alphas, NULL, 3, &candidates);
    return finish(status, candidates);
}

static volt_status call_read(void)
{
    volt_candidates *candidates = NULL;
    volt_status status = volt_candidates_read(csv, "rbf", &candidates);
    return finish(status, candidates);
}

static volt_status call_function(void)
{
    volt_candidates *candidates = NULL;
    volt_status status = candidates_of_function(make, NULL, -1, &candidates);
    return finish(status, candidates);
}

static volt_status get_from(const volt_candidates *candidates)
{
    char kernel[VOLT_KERNEL_LENGTH] = "untouched";
    double alpha = 77;
    volt_status status = volt_candidates_get(candidates, 2, kernel, &alpha, NULL);
    assert_true((status == VOLT_OK) == (strcmp(kernel, "untouched") != 0 && alpha != 77));
    return status;
}

static volt_status call_get_draw(void)
{
    return get_from(draws);
}

static volt_status call_get_grid(void)
{
    return get_from(grid);
}

static volt_status call_get_list(void)
{
    return get_from(list);
}

static volt_status call_get_profiled(void)
{
    return get_from(profiled);
}

/* An expression: weights and filters are random, and every candidate filters its rows. */
static volt_status call_draw_sums(void)
{
    volt_candidates *candidates = NULL;
    volt_status status = volt_candidates_draw(
        "2*fir + ?*rbf:pole=?,window=2", plain_inputs(&problem),
        &(volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1}, &candidates);
    return finish(status, candidates);
}

static volt_status call_get_sums(void)
{
    return get_from(sums);
}

static volt_status call_get_function(void)
{
    return get_from(function);
}

static volt_status search_with(const volt_candidates *candidates, const volt_search_options *options)
{
    volt_search *search = NULL;
    volt_status status =
        volt_search_run(candidates, plain_inputs(&problem), plain_targets(&problem), options, &search);
    assert_true((status == VOLT_OK) == (search != NULL));
    volt_search_free(search);
    return status;
}

static volt_status call_search(void)
{
    volt_search_options options = search_options();
    return search_with(draws, &options);
}

static volt_status call_search_sums(void)
{
    volt_search_options options = search_options();
    volt_status status = search_with(sums, &options);
    options.score = VOLT_SCORE_PREQUENTIAL;
    return status ? status : search_with(sums, &options);
}

static volt_status call_search_reset(void)
{
    volt_search_options options = search_options();
    options.start = VOLT_START_RESET;
    options.washout = 1;
    return search_with(list, &options);
}

static volt_status call_search_rolling(void)
{
    volt_search_options options = search_options();
    options.splits.rolling = 1;
    options.race = VOLT_RACE_FAST;
    return search_with(list, &options);
}

static volt_status call_search_prequential(void)
{
    volt_search_options options = search_options();
    options.score = VOLT_SCORE_PREQUENTIAL;
    return search_with(list, &options);
}

/* Profiled alphas, with every kind of score, a base and a gap. */
static volt_status call_search_profile(void)
{
    static double base[N * 2];
    volt_search_options options = search_options();
    options.base = volt_view_of(base, N, 2);
    volt_status status = search_with(profiled, &options);
    options.score = VOLT_SCORE_PREQUENTIAL;
    options.splits.gap = 1;
    return status ? status : search_with(profiled, &options);
}

/* Another run can resume from the log of a run that failed for lack of memory. */
static volt_status call_search_logged(void)
{
    volt_search_options options = search_options();
    options.log = log_path;
    unlink(log_path);
    volt_status status = search_with(draws, &options);
    if (access(log_path, F_OK) == 0) {
        volt_search *again = NULL;
        failing_alloc_start(0);
        options.resume = 1;
        check_ok(volt_search_run(draws, plain_inputs(&problem), plain_targets(&problem), &options, &again));
        volt_search_free(again);
    }
    return status;
}

static volt_status call_resume(void)
{
    volt_search_options options = search_options();
    options.log = good_log;
    options.resume = 1;
    return search_with(draws, &options);
}

/* A search of the log only. */
static volt_status call_report(void)
{
    volt_search_options options = search_options();
    options.log = good_log;
    options.resume = 1;
    options.draws = 0;
    return search_with(draws, &options);
}

/* ---- every k ---------------------------------------------------------------------------------- */

static void fail_every_allocation(volt_status (*call)(void))
{
    for (int64_t k = 0; failing_alloc_next(&k); k += UNDER_SANITIZERS ? 2 : 0)
        failing_alloc_check(call());
}

static void candidates_run_out_of_memory(void **state)
{
    fail_every_allocation(call_draw);
    fail_every_allocation(call_grid);
    fail_every_allocation(call_list);
    fail_every_allocation(call_read);
    fail_every_allocation(call_function);
    fail_every_allocation(call_get_draw);
    fail_every_allocation(call_get_grid);
    fail_every_allocation(call_get_list);
    fail_every_allocation(call_get_profiled);
    fail_every_allocation(call_get_function);
    fail_every_allocation(call_draw_sums);
    fail_every_allocation(call_get_sums);
}

static void searches_run_out_of_memory(void **state)
{
    check_ok(volt_set_threads(1));
    fail_every_allocation(call_search_rolling);
    fail_every_allocation(call_search_reset);
    fail_every_allocation(call_search_prequential);
    fail_every_allocation(call_search_profile);
    fail_every_allocation(call_search_sums);
}

/* With two threads at work the other one must stop too. */
static void searches_on_two_threads_run_out_of_memory(void **state)
{
    check_ok(volt_set_threads(2));
    fail_every_allocation(call_search);
}

/* call_search_logged resets the allocation count for the second run; the status shows whether the first run
 * failed. */
static void logged_searches_run_out_of_memory(void **state)
{
    check_ok(volt_set_threads(1));
    for (int64_t k = 1;; k++) {
        failing_alloc_start(k);
        volt_status status = call_search_logged();
        int64_t live = failing_alloc_live();
        failing_alloc_stop();
        assert_int_equal(live, 0);
        if (status == VOLT_OK) {
            print_message("search with a log: %" PRId64 " allocations\n", k - 1);
            assert_true(k > DRAWS);
            break;
        }
        if (status != VOLT_ERR_MEMORY)
            fail_msg("allocation %" PRId64 ": status \"%s\" (%s)", k, volt_status_message(status),
                     volt_error_detail());
    }
    fail_every_allocation(call_resume);
    fail_every_allocation(call_report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_run_out_of_memory),
        cmocka_unit_test(searches_run_out_of_memory),
        cmocka_unit_test(searches_on_two_threads_run_out_of_memory),
        cmocka_unit_test(logged_searches_run_out_of_memory),
    };
    return cmocka_run_group_tests_name("select_memory", tests, make_set, free_set);
}
