/* tests/unit/select/test_candidate_grids.c: grid candidates: each occurs once, in order, with both ends. */
#include "select/candidates/candidates.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 30, D = 2 };

static double X[N * D];

static int make_inputs(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2510, 0);
    for (int i = 0; i < N * D; i++)
        X[i] = volt_rng_normal(&rng);
    return 0;
}

static volt_candidates *grid_of(const char *kernel, const volt_range *ranges, int64_t n_ranges, int64_t points)
{
    volt_draw_options options = volt_draw_options_default();
    options.ranges = ranges;
    options.n_ranges = n_ranges;
    volt_candidates *candidates = NULL;
    options.points = points;
    check_ok(volt_candidates_draw(kernel, volt_view_of(X, N, D), &options, &candidates));
    return candidates;
}

/* All combinations, alpha varying fastest, ends included, real parameters equally spaced on their scale. */
static void grids_by_hand(void **state)
{
    static const volt_range ranges[] = {{"gamma", VOLT_SEARCH_LOG, 0.01, 1, NULL, 0},
                                        {"window", VOLT_SEARCH_INTEGER, 4, 5, NULL, 0},
                                        {"alpha", VOLT_SEARCH_LINEAR, 1, 2, NULL, 0}};
    volt_candidates *candidates = grid_of("rbf", ranges, 3, 3);
    assert_int_equal(candidates->count, 3 * 2 * 3);
    int seen[3][2][3] = {{{0}}};
    for (int64_t i = 0; i < 18; i++) {
        candidate c = candidate_get(candidates, i);
        double g = log10(candidate_number(&c, "gamma")) + 2, w = candidate_number(&c, "window") - 4,
               a = 2 * (c.alpha - 1);
        assert_true(fabs(g - round(g)) < 1e-14 && (w == 0 || w == 1) && fabs(a - round(a)) < 1e-14);
        assert_true(g > -0.5 && g < 2.5 && a > -0.5 && a < 2.5);
        seen[(int)round(g)][(int)w][(int)round(a)]++;
        assert_int_equal((int)round(a), i % 3); /* alpha varies fastest */
    }
    for (int i = 0; i < 18; i++)
        assert_int_equal(seen[i / 6][i / 3 % 2][i % 3], 1);
    volt_candidates_free(candidates);
}

/* Fixed parameters, and parameters not supported with them, do not enlarge the grid. */
static void grids_have_no_single_value_axes(void **state)
{
    static const struct {
        const char *kernel;
        int64_t size; /* with three points per parameter */
    } cases[] = {
        {"volterra", 27},
        {"volterra:lift=rbf", 27},
        {"volterra:tau_coef=0.3", 9},
        {"volterra:tau=0.01,lambda=0.2", 3},
        {"linear", 9},
        {"rbf:window=2", 9},
        {"memory", 81},
        {"esn:size=5,leak=1", 81},
        {"sas:size=5", 27},
        {"fir", 9},
        {"fir:corr=?", 27},
        {"fir + linear", 81},
        {"sigpde", 9},
        {"sigpde:static=rbf", 27},
        {"gak:path=rows", 9},
        {"poly", 2 * 81},
        {"fading:rho=0.5", 9},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        volt_candidates *candidates = grid_of(cases[k].kernel, NULL, 0, 3);
        int64_t count = candidates->count;
        if (count != cases[k].size)
            fail_msg("%s: the grid has %" PRId64 " candidates, expected %" PRId64, cases[k].kernel, count,
                     cases[k].size);
        volt_candidates_free(candidates);
    }
}

/* No duplicates, also where a choice determines which other parameters exist. */
static void grids_contain_every_candidate_once(void **state)
{
    static const char *const lifts[] = {"geometric", "rbf", "even"};
    const volt_range range = {.name = "lift", .choices = lifts, .n_choices = 3};
    volt_candidates *candidates = grid_of("volterra", &range, 1, 3);
    int64_t count = candidates->count;
    assert_int_equal(count, 3 * 27);
    candidate *all = malloc((size_t)count * sizeof *all);
    for (int64_t i = 0; i < count; i++) {
        all[i] = candidate_get(candidates, i);
        for (int64_t j = 0; j < i; j++)
            assert_false(strcmp(all[i].kernel, all[j].kernel) == 0 && all[i].alpha == all[j].alpha);
    }
    free(all);
    volt_candidates_free(candidates);
}

static void grids_of_integers(void **state)
{
    static const volt_range ranges[] = {{"window", VOLT_SEARCH_LOG_INTEGER, 1, 64, NULL, 0},
                                        {"alpha", VOLT_SEARCH_LOG, 1, 1, NULL, 0}};
    static const double expected[] = {1, 2, 4, 8, 16, 32, 64};
    volt_candidates *candidates = grid_of("linear", ranges, 2, 7);
    assert_int_equal(candidates->count, 7);
    for (int i = 0; i < 7; i++) {
        candidate c = candidate_get(candidates, i);
        assert_true(candidate_number(&c, "window") == expected[i] && c.alpha == 1);
    }
    volt_candidates_free(candidates);

    /* Dense at the low end: rounding must not repeat an integer. */
    static const volt_range crowded[] = {{"window", VOLT_SEARCH_LOG_INTEGER, 1, 20, NULL, 0},
                                         {"alpha", VOLT_SEARCH_LOG, 1, 1, NULL, 0}};
    for (int64_t points = 2; points <= 25; points++) {
        candidates = grid_of("linear", crowded, 2, points);
        int64_t count = candidates->count;
        assert_true(count <= points && count <= 20);
        double before = 0;
        for (int64_t i = 0; i < count; i++) {
            candidate c = candidate_get(candidates, i);
            double window = candidate_number(&c, "window");
            if (!(window > before))
                fail_msg("%d points: window %g after %g", (int)points, window, before);
            before = window;
        }
        assert_true(before == 20);
        volt_candidates_free(candidates);
    }
}

static void single_point_grid(void **state)
{
    volt_candidates *candidates = grid_of("memory", NULL, 0, 1);
    assert_int_equal(candidates->count, 1);
    candidate c = candidate_get(candidates, 0);
    assert_true(strncmp(c.kernel, "memory:", 7) == 0 && c.alpha > 0);
    volt_candidates_free(candidates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_by_hand),
        cmocka_unit_test(grids_have_no_single_value_axes),
        cmocka_unit_test(grids_contain_every_candidate_once),
        cmocka_unit_test(grids_of_integers),
        cmocka_unit_test(single_point_grid),
    };
    return cmocka_run_group_tests_name("candidate_grids", tests, make_inputs, NULL);
}
