/* tests/unit/select/test_candidate_corners.c: edge cases of search spaces: ranges of one value, choices with two
 * spellings of one number, duplicate combinations, positions of candidates, invalid ranges. */
#include "select/candidates/candidates.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 12, D = 2, MANY = 40 };

static double *x;

static volt_view rows(void)
{
    return volt_view_of(x, N, D);
}

static volt_candidates *draw(const char *kernel, const volt_range *ranges, int64_t count)
{
    volt_candidates *candidates = NULL;
    const volt_draw_options options = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .ranges = ranges, .n_ranges = count};
    check_ok(volt_candidates_draw(kernel, rows(), &options, &candidates));
    return candidates;
}

/* Candidate `index`, near the first candidate. */
static candidate follow(const volt_candidates *candidates, int64_t index)
{
    candidate first = candidate_get(candidates, 0), found;
    const volt_trial parent = {.kernel = first.kernel, .alpha = first.alpha};
    const volt_parents parents = {.trials = {&parent}, .count = 1};
    volt_setting setting;
    check_ok(volt_candidates_follow(candidates, index, &parents, found.kernel, &setting));
    found.alpha = setting.alpha;
    return found;
}

/* ---- ranges of one value ------------------------------------------------------------------------ */

/* Random, nearby and grid candidates all take the only value. */
static void single_value_range_gives_value(void **state)
{
    const volt_range ranges[] = {{.name = "lambda_coef", .kind = VOLT_SEARCH_LINEAR, .low = 0.25, .high = 0.25},
                                 {.name = "tau_coef", .kind = VOLT_SEARCH_LOG, .low = 0.5, .high = 0.5},
                                 {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 2, .high = 2}};
    const volt_draw_options options = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .ranges = ranges, .n_ranges = 3, .points = 3};
    volt_candidates *candidates = draw("volterra:lift=geometric", ranges, 3), *grid = NULL;
    check_ok(volt_candidates_draw("volterra:lift=geometric", rows(), &options, &grid));
    for (int64_t i = 0; i < MANY; i++) {
        const candidate all[] = {candidate_get(candidates, i), follow(candidates, i),
                                 candidate_get(grid, i % grid->count)};
        for (int k = 0; k < 3; k++) {
            assert_true(candidate_number(&all[k], "lambda_coef") == 0.25);
            assert_true(candidate_number(&all[k], "tau_coef") == 0.5);
            assert_true(all[k].alpha == 2);
        }
    }
    volt_candidates_free(grid);
    volt_candidates_free(candidates);
}

/* ---- choices ------------------------------------------------------------------------------------ */

/* A candidate's text has "0.5" for the choice "0.50". Later candidates recognise it, and most of them keep
 * it. */
static void choices_accept_any_number_format(void **state)
{
    static const char *const gammas[] = {"0.50", "+2e0", "3"}, *const alphas[] = {"1.0", "1e1"};
    const volt_range ranges[] = {{.name = "gamma", .choices = gammas, .n_choices = 3},
                                 {.name = "alpha", .choices = alphas, .n_choices = 2}};
    volt_candidates *candidates = draw("rbf", ranges, 2);
    candidate first = candidate_get(candidates, 0);
    double gamma = candidate_number(&first, "gamma");
    int stays = 0;
    assert_true(gamma == 0.5 || gamma == 2 || gamma == 3);
    for (int64_t i = 0; i < 5 * MANY; i++) {
        candidate found = follow(candidates, i);
        double value = candidate_number(&found, "gamma");
        assert_true(value == 0.5 || value == 2 || value == 3);
        assert_true(found.alpha == 1 || found.alpha == 10);
        stays += value == gamma && found.alpha == first.alpha;
    }
    /* Four in five candidates are near, and (1 - 0.15 * 2/3) (1 - 0.15 / 2) of these keep both: 0.67 of 200,
     * plus some random draws. For random draws only, the share is 1/6. */
    print_message("%d of %d stay\n", stays, 5 * MANY);
    assert_true(stays > 5 * MANY / 2);
    volt_candidates_free(candidates);
}

/* A choice that requires certain lifts is counted only with these. */
static void duplicate_combinations_count_once(void **state)
{
    static const char *const lifts[] = {"geometric", "rbf"}, *const coefs[] = {"0.1", "0.2", "0.3"};
    const volt_range ranges[] = {{.name = "lift", .choices = lifts, .n_choices = 2},
                                 {.name = "tau_coef", .choices = coefs, .n_choices = 3},
                                 {.name = "alpha", .kind = VOLT_SEARCH_LOG, .low = 1, .high = 1}};
    const volt_draw_options options = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .ranges = ranges, .n_ranges = 3, .points = 1};
    const char *kernel = "volterra";
    volt_candidates *grid = NULL;
    check_ok(volt_candidates_draw(kernel, rows(), &options, &grid));
    int64_t count = grid->count, with_coef = 0;
    char value[VOLT_KERNEL_LENGTH];
    for (int64_t i = 0; i < count; i++) {
        candidate one = candidate_get(grid, i);
        with_coef += candidate_parameter(&one, "tau_coef", value);
        for (int64_t j = 0; j < i; j++) {
            candidate other = candidate_get(grid, j);
            assert_string_not_equal(one.kernel, other.kernel);
        }
    }
    assert_int_equal(with_coef, 3);
    assert_int_equal(count, 4);
    volt_candidates_free(grid);
}

/* ---- invalid ranges ----------------------------------------------------------------------------- */

static void check_refused(const char *kernel, volt_range range, volt_status expected, const char *sentence)
{
    volt_candidates *candidates = NULL;
    const volt_draw_options options = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .ranges = &range, .n_ranges = 1};
    check_fails(volt_candidates_draw(kernel, rows(), &options, &candidates), expected, sentence);
    assert_null(candidates);
}

static void invalid_ranges_are_rejected(void **state)
{
    static const char *const words[] = {"one"}, *const signs[] = {"-1"}, *const ends[] = {"inf"};
    check_refused("rbf", (volt_range){.kind = VOLT_SEARCH_LOG, .low = 1, .high = 2}, VOLT_ERR_ARGUMENT,
                  "range");
    check_refused("rbf | linear", (volt_range){.kind = VOLT_SEARCH_LOG, .low = 1, .high = 2}, VOLT_ERR_ARGUMENT,
                  "range");
    const char *whole = "whole";
    check_refused("rbf", (volt_range){"window", VOLT_SEARCH_INTEGER, 1, 2.5, NULL, 0}, VOLT_ERR_ARGUMENT,
                  whole);
    check_refused("rbf", (volt_range){"window", VOLT_SEARCH_INTEGER, 1, 2e9, NULL, 0}, VOLT_ERR_ARGUMENT,
                  whole);
    check_refused("rbf", (volt_range){"window", VOLT_SEARCH_INTEGER, -2e9, 1, NULL, 0}, VOLT_ERR_ARGUMENT,
                  whole);
    const char *positive = "must be positive and finite";
    check_refused("rbf", (volt_range){"alpha", .choices = words, .n_choices = 1}, VOLT_ERR_ARGUMENT, positive);
    check_refused("rbf", (volt_range){"alpha", .choices = signs, .n_choices = 1}, VOLT_ERR_ARGUMENT, positive);
    check_refused("rbf", (volt_range){"alpha", .choices = ends, .n_choices = 1}, VOLT_ERR_ARGUMENT, positive);
    check_refused("esn", (volt_range){"weights", VOLT_SEARCH_LINEAR, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT,
                  "weights choices range");
    check_refused("rbf", (volt_range){"delta", VOLT_SEARCH_LINEAR, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT,
                  "range \"delta\"");
    check_refused("esn:start=?", (volt_range){"leak", VOLT_SEARCH_LINEAR, 0.1, 1, NULL, 0}, VOLT_ERR_KERNEL,
                  "start= search range");
}

static void invalid_options_are_rejected(void **state)
{
    volt_candidates *candidates = NULL;
    volt_draw_options options = {.struct_size = sizeof(volt_draw_options), .scale = 1, .series_steps = -1};
    check_fails(volt_candidates_draw("rbf", rows(), &options, &candidates), VOLT_ERR_ARGUMENT,
                "series_steps -1");
    options.series_steps = INFINITY;
    check_fails(volt_candidates_draw("rbf", rows(), &options, &candidates), VOLT_ERR_ARGUMENT, "series_steps");
    options = (volt_draw_options){.struct_size = sizeof(volt_draw_options), .n_ranges = 1};
    check_fails(volt_candidates_draw("rbf", rows(), &options, &candidates), VOLT_ERR_ARGUMENT, "ranges NULL");
    check_fails(volt_candidates_draw("rbf | linear", rows(), &options, &candidates), VOLT_ERR_ARGUMENT,
                "ranges NULL");
    double fed_outputs[N] = {NAN};
    options = (volt_draw_options){
        .struct_size = sizeof(volt_draw_options), .scale = 1, .fed_outputs = volt_view_of(fed_outputs, N, 1)};
    check_fails(volt_candidates_draw("rbf", rows(), &options, &candidates), VOLT_ERR_NOT_FINITE, "outputs");
    assert_null(candidates);
}

/* Every round of two draws has one of each kernel, the last one as well. */
static void last_draws_take_turns(void **state)
{
    volt_draw_options options = volt_draw_options_default();
    for (uint64_t seed = 0; seed < 20; seed++) {
        volt_candidates *candidates = NULL;
        char texts[2][VOLT_KERNEL_LENGTH];
        double alpha;
        options.seed = seed;
        check_ok(volt_candidates_draw("rbf | linear", rows(), &options, &candidates));
        for (int k = 0; k < 2; k++)
            check_ok(volt_candidates_get(candidates, INT64_MAX - k, texts[k], &alpha, NULL));
        assert_true((strncmp(texts[0], "rbf", 3) == 0) != (strncmp(texts[1], "rbf", 3) == 0));
        volt_candidates_free(candidates);
    }
}

/* Sixteen factors with all parameters searched exceed the parameter limit of a search, and three lists of a
 * hundred words exceed the limit on combinations. */
static void too_large_spaces_are_rejected(void **state)
{
    char text[VOLT_KERNEL_LENGTH] = "volterra:lift=rbf,pole=?,pair=?", longest[VOLT_KERNEL_LENGTH + 8];
    volt_candidates *candidates = NULL;
    for (int f = 1; f < 16; f++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " + volterra:lift=rbf,pole=?,pair=?");
    check_fails(volt_candidates_draw(text, rows(), NULL, &candidates), VOLT_ERR_ARGUMENT, "parameters 64");

    enum { WORDS = 100 };
    static char numbers[WORDS][8];
    const char *words[WORDS];
    for (int i = 0; i < WORDS; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%d", i + 1);
        words[i] = numbers[i];
    }
    const volt_range ranges[] = {{.name = "gamma", .choices = words, .n_choices = WORDS},
                                 {.name = "window", .choices = words, .n_choices = WORDS}};
    const volt_draw_options options = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .ranges = ranges, .n_ranges = 2};
    check_fails(volt_candidates_draw("rbf", rows(), &options, &candidates), VOLT_ERR_ARGUMENT, "4096 choices");

    /* Sixteen factors with a text of maximum length: ",window=1" or another character does not fit. */
    static const char factor[] = "rbf:gamma=1.%s,pole=0.1%s,pair=0.1%s,angle=0.1%s+",
                      *zeros = "0000000000000000000000";
    longest[0] = '\0';
    for (int f = 0; f < 16; f++)
        snprintf(longest + strlen(longest), sizeof longest - strlen(longest), factor, zeros, zeros, zeros,
                 zeros + 1);
    longest[VOLT_KERNEL_LENGTH - 1] = '\0'; /* no "+" after the last */
    assert_int_equal(strlen(longest), VOLT_KERNEL_LENGTH - 1);
    const volt_range window = {.name = "1.window", .choices = words, .n_choices = WORDS};
    const volt_draw_options one = {
        .struct_size = sizeof(volt_draw_options), .scale = 1, .ranges = &window, .n_ranges = 1};
    check_fails(volt_candidates_draw(longest, rows(), &one, &candidates), VOLT_ERR_KERNEL,
                "kernel's 1.window 2047");
    memcpy(longest + VOLT_KERNEL_LENGTH - 1, " ", 2);
    check_fails(volt_candidates_draw(longest, rows(), NULL, &candidates), VOLT_ERR_KERNEL, "2047");
    memcpy(longest + VOLT_KERNEL_LENGTH, "|rbf", 5);
    check_fails(volt_candidates_draw(longest, rows(), &one, &candidates), VOLT_ERR_KERNEL, "2047");
    assert_null(candidates);
}

/* ---- units ------------------------------------------------------------------------------------- */

/* 1, 0 and 0 become 1/2, 1/4 and 1/8 by pole=0.5: the median distance is 1/4. The rows 0 and 0 are equal: without a filter,
 * the distance is 1. */
static void width_unit_is_of_filtered_rows(void **state)
{
    double impulse[] = {1, 0, 0}, outputs[] = {0, 0, 0}, distance = 0;
    static const char *const kernels[] = {"rbf:pole=0.5", "rbf:pole=0.5", "rbf"};
    for (int k = 0; k < 3; k++) {
        volt_draw_options options = volt_draw_options_default();
        volt_space *space = NULL;
        options.scale = 0;
        options.fed_outputs = volt_view_of(k > 0 ? outputs : NULL, k > 0 ? 3 : 0, k > 0 ? 1 : 0);
        check_ok(volt_space_create(kernels[k], volt_view_of(impulse, 3, 1), &options, &space));
        const volt_kernel *given = space->given;
        check_ok(volt_space_unit(space, given->n_factors > 0 ? given->factors[0] : given, 1, &distance));
        assert_true(distance == (k < 2 ? 0.25 : 1));
        volt_space_free(space);
    }
}

/* ---- positions -------------------------------------------------------------------------------- */

/* The position of a point of the space is that point, to the rounding of logarithms and of 17 printed digits. */
static void positions_read_back(void **state)
{
    static const char *const kernels[] = {
        "rbf",         "volterra",          "rbf:window=5",           "cauchy:window=3 + fir",
        "memory",      "volterra:lift=rbf", "fading*linear:window=2", "gak:window=4",
        "rbf:pole=0.5"};
    volt_rng rng = test_rng(4402);
    int reals = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        volt_draw_options options = volt_draw_options_default();
        const volt_range ranges[] = {{.name = "feedback", .kind = VOLT_SEARCH_LOG, .low = 0.1, .high = 10}};
        double targets[N];
        for (int i = 0; i < N; i++)
            targets[i] = sin(i);
        volt_space *space = NULL;
        const char *const words[] = {"0.50", "2.0"}; /* located by value */
        const volt_range choice = {.name = "gamma", .choices = words, .n_choices = 2};
        if (k % 2) {
            options.ranges = ranges;
            options.n_ranges = 1;
            options.fed_outputs = volt_view_of(targets, N, 1);
        } else if (k == 0) {
            options.ranges = &choice;
            options.n_ranges = 1;
        }
        check_ok(volt_space_create(kernels[k], rows(), &options, &space));
        for (int draw = 0; draw < 20; draw++) {
            double u[VOLT_MAX_AXES], found[VOLT_MAX_AXES];
            bool taken[VOLT_MAX_AXES], known[VOLT_MAX_AXES];
            char text[VOLT_KERNEL_LENGTH], again[VOLT_KERNEL_LENGTH];
            volt_setting setting, same;
            volt_kernel *kernel = NULL;
            for (int64_t a = 0; a < space->n_axes; a++)
                u[a] = volt_rng_uniform(&rng);
            check_ok(volt_space_at(space, u, text, &setting, taken));
            check_ok(volt_kernel_parse(text, &kernel));
            check_ok(volt_space_locate(space, kernel, &setting, found, known));
            for (int64_t a = 0; a < space->n_axes; a++) {
                const volt_axis *axis = &space->axes[a];
                if (!taken[a])
                    continue;
                assert_true(known[a]);
                if (!axis->choices && !volt_law_is_integer(axis->kind)) {
                    reals++;
                    if (!(fabs(found[a] - u[a]) <= 1e-12))
                        fail_msg("%s, %s: position %.17g instead of %.17g", text, axis->name, found[a], u[a]);
                    found[a] = u[a];
                }
            }
            check_ok(volt_space_at(space, found, again, &same, NULL));
            assert_string_equal(again, text);
            assert_true(same.alpha == setting.alpha && same.feedback == setting.feedback);
            volt_kernel_free(kernel);
        }
        volt_space_free(space);
    }
    assert_true(reals > 200);
}

/* A range of a single value has position 0. */
static void ranges_of_one_value_have_position_0(void **state)
{
    static const volt_range fixed[] = {{.name = "pole", .kind = VOLT_SEARCH_LINEAR, .low = 0.5, .high = 0.5},
                                       {.name = "gamma", .kind = VOLT_SEARCH_LOG, .low = 2, .high = 2}};
    static const double values[] = {0.4, 0.5, 0.9}; /* clipped to the range */
    volt_draw_options options = volt_draw_options_default();
    volt_space *space = NULL;
    options.scale = 0;
    options.ranges = fixed;
    options.n_ranges = 2;
    check_ok(volt_space_create("rbf:pole=?,gamma=?", rows(), &options, &space));
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        double u[VOLT_MAX_AXES];
        bool known[VOLT_MAX_AXES];
        char text[VOLT_KERNEL_LENGTH];
        int found = 0;
        volt_setting setting = {.alpha = 1};
        volt_kernel *kernel = NULL;
        snprintf(text, sizeof text, "rbf:pole=%g,gamma=%g", values[v], 4 * values[v]);
        check_ok(volt_kernel_parse(text, &kernel));
        check_ok(volt_space_locate(space, kernel, &setting, u, known));
        for (int64_t a = 0; a < space->n_axes; a++)
            if (space->axes[a].low == space->axes[a].high) {
                assert_true(known[a] && u[a] == 0);
                found++;
            }
        assert_int_equal(found, 2);
        volt_kernel_free(kernel);
    }
    volt_space_free(space);
}

static int make_rows(void **state)
{
    volt_rng rng = test_rng(9400);
    x = random_rows(&rng, N, D, 1);
    return 0;
}

static int free_rows(void **state)
{
    free(x);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_value_range_gives_value),
        cmocka_unit_test(choices_accept_any_number_format),
        cmocka_unit_test(duplicate_combinations_count_once),
        cmocka_unit_test(invalid_ranges_are_rejected),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(last_draws_take_turns),
        cmocka_unit_test(too_large_spaces_are_rejected),
        cmocka_unit_test(width_unit_is_of_filtered_rows),
        cmocka_unit_test(positions_read_back),
        cmocka_unit_test(ranges_of_one_value_have_position_0),
    };
    return cmocka_run_group_tests_name("candidate_corners", tests, make_rows, free_rows);
}
