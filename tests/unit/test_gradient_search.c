/* tests/unit/test_gradient_search.c: searches by gradient ascent of the evidence: results, fixed parameters,
 * independence of threads, logs, invalid arguments, memory, cancellation. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/polling.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 60, MOST = 40 };

static double x[N], y[N];

static volt_view X(void)
{
    return volt_view_of(x, N, 1);
}

static volt_view Y(void)
{
    return volt_view_of(y, N, 1);
}

/* A filtered and squared input with some noise. */
static int make_data(void **state)
{
    (void)state;
    volt_rng rng = test_rng(4501);
    double previous = 0;
    for (int i = 0; i < N; i++) {
        x[i] = volt_rng_normal(&rng);
        previous = 0.6 * previous + x[i];
        y[i] = previous + 0.2 * previous * previous + 0.1 * volt_rng_normal(&rng);
    }
    return 0;
}

static volt_search_options options_for(int64_t draws)
{
    volt_search_options options = volt_search_options_default();
    options.score = VOLT_SCORE_LOG;
    options.strategy = VOLT_STRATEGY_GRADIENT;
    options.draws = draws;
    return options;
}

static volt_candidates *draw(const char *kernel, const volt_range *ranges, int64_t n_ranges)
{
    volt_candidates *candidates = NULL;
    volt_draw_options options = volt_draw_options_default();
    options.seed = 3;
    options.ranges = ranges;
    options.n_ranges = n_ranges;
    check_ok(volt_candidates_draw(kernel, X(), &options, &candidates));
    return candidates;
}

static volt_search *search(const volt_candidates *candidates, const volt_search_options *options)
{
    volt_search *found = NULL;
    check_ok(volt_search_run(candidates, X(), Y(), options, &found));
    return found;
}

static double number_of(const char *text, const char *name)
{
    volt_kernel *kernel = plain_parse(text);
    volt_kernel_value value = {.struct_size = sizeof value};
    check_ok(volt_kernel_get(kernel, name, &value));
    volt_kernel_free(kernel);
    return value.number;
}

/* ---- results ---------------------------------------------------------------------------------- */

/* Higher evidence than any of 200 draws, with a fifth of the evaluations. */
static void gradient_search_beats_random_draws(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("memory", NULL, 0);
    volt_search_options by_draws = options_for(200), options = options_for(MOST);
    by_draws.strategy = VOLT_STRATEGY_RANDOM;
    volt_search *drawn = search(candidates, &by_draws), *found = search(candidates, &options);
    const volt_trial *best = volt_search_trial(found, VOLT_TRIAL_BEST);
    print_message("200 draws: %.4f; %d evaluations: %.4f\n", volt_search_trial(drawn, VOLT_TRIAL_BEST)->score,
                  MOST, best->score);
    assert_true(best->score > volt_search_trial(drawn, VOLT_TRIAL_BEST)->score);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(found, &info);
    assert_true(info.trials <= MOST && info.failed == 0);
    /* A factorisation for each of the first third, and for the others an inverse, of twice as many operations, as well. */
    double third = MOST / 3;
    assert_true(info.flops >= (third / 3 + (double)info.trials - third) * pow(N, 3));
    volt_search_free(found);
    volt_search_free(drawn);
    volt_candidates_free(candidates);
}

/* Every trial is one evaluation with a unique index. */
static void trials_are_evaluations(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("memory", NULL, 0);
    volt_search_options options = options_for(MOST);
    volt_search *found = search(candidates, &options);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(found, &info);
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(found, i);
        volt_kernel *kernel = plain_parse(trial->kernel);
        volt_evidence_options how = volt_evidence_options_default();
        volt_evidence_result *evidence = NULL;
        how.alpha = trial->alpha;
        how.gradient = how.leave_one_out = 0;
        check_ok(volt_evidence(kernel, X(), Y(), &how, &evidence));
        assert_true(evidence->log_likelihood == trial->score);
        assert_true(trial->index < MOST && (i == 0 || trial->index > volt_search_trial(found, i - 1)->index));
        volt_evidence_free(evidence);
        volt_kernel_free(kernel);
    }
    volt_search_free(found);
    volt_candidates_free(candidates);
}

/* ---- fixed parameters ------------------------------------------------------------------------- */

static void given_parameters_ranges_and_choices_are_respected(void **state)
{
    (void)state;
    static const char *const lifts[] = {"even", "exponential"};
    const volt_range ranges[] = {
        {.name = "lift", .choices = lifts, .n_choices = 2},
        {.name = "lambda_coef", .kind = VOLT_SEARCH_LINEAR, .low = 0.2, .high = 0.4},
        {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 0.01, .high = 0.02},
    };
    volt_candidates *candidates = draw("volterra:tau_coef=0.37", ranges, 3);
    volt_search_options options = options_for(MOST);
    volt_search *found = search(candidates, &options);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(found, &info);
    int at_end = 0;
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(found, i);
        double lambda = number_of(trial->kernel, "lambda_coef");
        assert_true(number_of(trial->kernel, "tau_coef") == 0.37);
        /* ends are reached through logarithms and logits, which round */
        assert_true(lambda >= 0.2 * (1 - 1e-12) && lambda <= 0.4 * (1 + 1e-12));
        assert_true(trial->alpha >= 0.01 * (1 - 1e-12) && trial->alpha <= 0.02 * (1 + 1e-12));
        assert_true(strstr(trial->kernel, "lift=even") || strstr(trial->kernel, "lift=exponential"));
        at_end += trial->alpha < 0.01 * (1 + 1e-9) || trial->alpha > 0.02 * (1 - 1e-9);
    }
    assert_true(at_end > 0); /* the narrow range excludes the optimum */
    volt_search_free(found);
    volt_candidates_free(candidates);
}

/* A fixed alpha is kept. A kernel without other free parameters has no ascent. */
static void alpha_can_be_fixed(void **state)
{
    (void)state;
    static const char *const given[] = {"0.25"};
    const volt_range ranges[] = {{.name = "alpha", .choices = given, .n_choices = 1}};
    static const char *const kernels[] = {"memory:mu=0.5", "linear"};
    for (int k = 0; k < 2; k++) {
        volt_candidates *candidates = draw(kernels[k], ranges, 1);
        volt_search_options options = options_for(24);
        volt_search *found = search(candidates, &options);
        volt_search_info info = {.struct_size = sizeof info};
        volt_search_get_info(found, &info);
        for (int64_t i = 0; i < info.trials; i++)
            assert_true(volt_search_trial(found, i)->alpha == 0.25);
        assert_true(k == 0 ? info.trials > 8 : info.trials == 8);
        volt_search_free(found);
        volt_candidates_free(candidates);
    }
}

/* Without other free parameters alpha is at a maximum: a change by 10 % reduces the evidence. */
static void alpha_is_optimised_without_other_parameters(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("linear", NULL, 0);
    volt_search_options options = options_for(24);
    volt_search *found = search(candidates, &options);
    const volt_trial *best = volt_search_trial(found, VOLT_TRIAL_BEST);
    volt_kernel *kernel = plain_parse(best->kernel);
    for (int i = 0; i < 2; i++) {
        volt_evidence_options how = volt_evidence_options_default();
        volt_evidence_result *evidence = NULL;
        how.alpha = best->alpha * (i ? 1.1 : 1 / 1.1);
        check_ok(volt_evidence(kernel, X(), Y(), &how, &evidence));
        print_message("alpha %g: %.6f; alpha %g: %.6f\n", best->alpha, best->score, how.alpha,
                      evidence->log_likelihood);
        assert_true(evidence->log_likelihood < best->score);
        volt_evidence_free(evidence);
    }
    volt_kernel_free(kernel);
    volt_search_free(found);
    volt_candidates_free(candidates);
}

static void several_kernels_weights_and_filters(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("memory:pole=? + fir | rbf:window=2", NULL, 0);
    volt_search_options options = options_for(MOST);
    volt_search *found = search(candidates, &options);
    volt_search_info info = {.struct_size = sizeof info};
    volt_search_get_info(found, &info);
    const volt_trial *first = NULL, *last = NULL; /* in the first ascent: candidates from 13 on */
    for (int64_t i = 0; i < info.trials; i++) {
        const volt_trial *trial = volt_search_trial(found, i);
        if (trial->index == 13)
            first = trial;
        if (first && trial->index < 13 + (MOST - 13) / 4)
            last = trial;
    }
    if (!first || !last) {
        fail_msg("no trial of the first climb");
        return;
    }
    assert_true(last->score > first->score);
    if (strncmp(first->kernel, "memory", 6) == 0) {
        assert_true(number_of(first->kernel, "1.pole") != number_of(last->kernel, "1.pole"));
        assert_true(number_of(first->kernel, "2.weight") != number_of(last->kernel, "2.weight"));
    }
    volt_search_free(found);
    volt_candidates_free(candidates);
}

/* ---- threads and logs ------------------------------------------------------------------------- */

static void results_are_bitwise_independent_of_threads(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("memory | volterra", NULL, 0);
    volt_search *first = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        volt_search_options options = options_for(MOST);
        check_ok(volt_set_threads(threads));
        volt_search *found = search(candidates, &options);
        volt_search_info info = {.struct_size = sizeof info}, wanted = {.struct_size = sizeof wanted};
        volt_search_get_info(found, &info);
        volt_search_get_info(first ? first : found, &wanted);
        assert_true(info.trials == wanted.trials);
        for (int64_t i = 0; first && i < info.trials; i++) {
            const volt_trial *a = volt_search_trial(first, i), *b = volt_search_trial(found, i);
            assert_true(a->index == b->index && a->alpha == b->alpha && a->score == b->score);
            assert_string_equal(a->kernel, b->kernel);
        }
        if (first)
            volt_search_free(found);
        else
            first = found;
    }
    volt_search_free(first);
    volt_candidates_free(candidates);
    check_ok(volt_set_threads(0));
}

static void log_can_be_merged(void **state)
{
    (void)state;
    const char *path = scratch_path("gradient.jsonl");
    volt_candidates *candidates = draw("memory", NULL, 0);
    volt_search_options options = options_for(MOST);
    options.log = path;
    volt_search *found = search(candidates, &options), *read = NULL;
    volt_search_info info = {.struct_size = sizeof info}, again = {.struct_size = sizeof again};
    check_ok(volt_search_merge(&path, 1, &read));
    volt_search_get_info(found, &info);
    volt_search_get_info(read, &again);
    assert_true(info.trials == again.trials);
    assert_string_equal(volt_search_trial(found, VOLT_TRIAL_BEST)->kernel,
                        volt_search_trial(read, VOLT_TRIAL_BEST)->kernel);
    volt_search_free(read);
    volt_search_free(found);
    volt_candidates_free(candidates);
}

/* ---- invalid arguments ------------------------------------------------------------------------ */

static void unsupported_options_are_rejected(void **state)
{
    (void)state;
    const char *kernel = "rbf:gamma=1";
    double alpha = 1;
    volt_candidates *drawn = draw("memory", NULL, 0), *list = NULL;
    volt_search *found = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &list));
    volt_search_options options = options_for(20);
    check_fails(volt_search_run(list, X(), Y(), &options, &found), VOLT_ERR_ARGUMENT, "candidates");
    options.score = VOLT_SCORE_R2;
    check_fails(volt_search_run(drawn, X(), Y(), &options, &found), VOLT_ERR_ARGUMENT, "log");
    options = options_for(20);
    options.shards = 2;
    check_fails(volt_search_run(drawn, X(), Y(), &options, &found), VOLT_ERR_ARGUMENT, "2 shards");
    options = options_for(20);
    options.log = scratch_path("refused.jsonl");
    options.resume = 1;
    check_fails(volt_search_run(drawn, X(), Y(), &options, &found), VOLT_ERR_ARGUMENT, "resumed");
    assert_null(found);
    volt_candidates_free(list);
    volt_candidates_free(drawn);
}

/* ---- memory and cancellation ------------------------------------------------------------------ */

enum { FEW = 16 }; /* rows, where a call is repeated for each of its allocations */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("memory:rho=0.5 + fir:mu=0.5", NULL, 0);
    for (int threads = 1; threads <= 2; threads++)
        for (int64_t k = 1;; k += (threads == 1 ? 1 : 7) * (UNDER_SANITIZERS ? 5 : 1)) {
            volt_search_options options = options_for(5);
            volt_search *found = NULL;
            check_ok(volt_set_threads(threads));
            failing_alloc_start(k);
            volt_status status =
                volt_search_run(candidates, volt_view_of(x, FEW, 1), volt_view_of(y, FEW, 1), &options, &found);
            int hit = failing_alloc_hit();
            volt_search_free(found);
            int64_t live = failing_alloc_live();
            failing_alloc_stop();
            assert_true(live == 0 && status == (hit ? VOLT_ERR_MEMORY : VOLT_OK));
            if (!hit) {
                print_message("%d threads: %" PRId64 " allocations\n", threads, k - 1);
                break;
            }
        }
    volt_candidates_free(candidates);
    check_ok(volt_set_threads(0));
}

typedef struct user {
    int64_t calls, cancel_at;
} user;

static int listen(const char *stage, double fraction, void *context)
{
    user *u = context;
    (void)stage;
    assert_true(fraction >= 0 && fraction <= 1);
    return ++u->calls == u->cancel_at;
}

/* Cancelled late, in an ascent, the search keeps its best trial. */
static void search_can_be_cancelled(void **state)
{
    (void)state;
    volt_candidates *candidates = draw("memory", NULL, 0);
    user all = {0};
    volt_search_options options = options_for(9);
    options.progress = (volt_progress){.report = listen, .context = &all};
    volt_search *whole = search(candidates, &options);
    for (int64_t at = 1; at < all.calls; at += 1 + all.calls / 40) {
        user listener = {.cancel_at = at};
        volt_search *found = NULL;
        options.progress.context = &listener;
        check_fails(volt_search_run(candidates, X(), Y(), &options, &found), VOLT_ERR_CANCELLED, "cancelled");
        if (found) { /* equal to the uninterrupted search up to there */
            const volt_trial *best = volt_search_trial(found, VOLT_TRIAL_BEST);
            bool is_there = false;
            volt_search_info info = {.struct_size = sizeof info};
            volt_search_get_info(whole, &info);
            for (int64_t i = 0; i < info.trials; i++)
                is_there = is_there || (volt_search_trial(whole, i)->index == best->index &&
                                        volt_search_trial(whole, i)->score == best->score);
            assert_true(is_there);
        }
        volt_search_free(found);
    }
    volt_search_free(whole);
    volt_candidates_free(candidates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_search_beats_random_draws),
        cmocka_unit_test(trials_are_evaluations),
        cmocka_unit_test(given_parameters_ranges_and_choices_are_respected),
        cmocka_unit_test(alpha_can_be_fixed),
        cmocka_unit_test(alpha_is_optimised_without_other_parameters),
        cmocka_unit_test(several_kernels_weights_and_filters),
        cmocka_unit_test(results_are_bitwise_independent_of_threads),
        cmocka_unit_test(log_can_be_merged),
        cmocka_unit_test(unsupported_options_are_rejected),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test_setup_teardown(search_can_be_cancelled, poll_always, poll_as_usual),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
