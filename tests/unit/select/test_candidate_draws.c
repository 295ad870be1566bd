/* tests/unit/select/test_candidate_draws.c: random candidates: parameters, distributions, units. Distributions are
 * checked with the Dvoretzky-Kiefer-Wolfowitz bound: the empirical distribution function of N draws lies
 * within sqrt(log(2/p) / (2N)) of the true one with probability at least 1 - p. Here p = 1e-9. */
#include "kernel/kernel_entry.h"
#include "select/candidates/candidates.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/kernel_forms.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 60, D = 3, DRAWS = UNDER_SANITIZERS ? 100 : 2000 };

static double X[N * D];

static int make_inputs(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2500, 0);
    for (int i = 0; i < N * D; i++)
        X[i] = 3 + 5 * volt_rng_normal(&rng);
    return 0;
}

static volt_view inputs(void)
{
    return volt_view_of(X, N, D);
}

static volt_candidates *draw_from(const char *kernel, const volt_draw_options *options)
{
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_draw(kernel, inputs(), options, &candidates));
    return candidates;
}

/* ---- distributions ---------------------------------------------------------------------------- */

static double band(int64_t draws)
{
    return sqrt(log(2 / 1e-9) / (2 * (double)draws));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* P(value <= x) for a range. */
static double law(const volt_range *range, double x)
{
    switch (range->kind) {
    case VOLT_SEARCH_LOG:
        return log(x / range->low) / log(range->high / range->low);
    case VOLT_SEARCH_LINEAR:
        return (x - range->low) / (range->high - range->low);
    case VOLT_SEARCH_INTEGER:
        return (floor(x) - range->low + 1) / (range->high - range->low + 1);
    default:
        return log((floor(x) + 1) / range->low) / log((range->high + 1) / range->low);
    }
}

/* Sorts the values. */
static void check_law(const char *what, const volt_range *range, double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    double slack = 4e-16 * fabs(range->high);
    assert_true(values[0] >= range->low - slack && values[count - 1] <= range->high + slack);
    int whole = range->kind == VOLT_SEARCH_INTEGER || range->kind == VOLT_SEARCH_LOG_INTEGER;
    for (int64_t i = 0; i < count; i++) {
        assert_true(!whole || values[i] == floor(values[i]));
        if (i + 1 < count && values[i + 1] == values[i])
            continue; /* the distribution function at a value counts all ties */
        double share = (double)(i + 1) / (double)count, before = law(range, values[i]) - share;
        if (!(fabs(before) <= band(count) + 1.0 / (double)count))
            fail_msg("%s: %.3f of the draws are at most %g, expected %.3f", what, share, values[i],
                     share + before);
    }
    /* Integer ranges include both ends. An end must occur if the probability of missing it, (1 - p)^count,
     * is below exp(-21) = 1e-9. */
    if (whole && law(range, range->low) * (double)count > 21)
        assert_true(values[0] == range->low);
    if (whole && (1 - law(range, range->high - 1)) * (double)count > 21)
        assert_true(values[count - 1] == range->high);
}

static void draws_follow_the_law_of_their_range(void **state)
{
    static const volt_range ranges[] = {
        {"alpha", VOLT_SEARCH_LOG, 1e-7, 1e-2, NULL, 0},     {"gamma", VOLT_SEARCH_LOG, 0.02, 40, NULL, 0},
        {"coef0", VOLT_SEARCH_LINEAR, 0.5, 2.5, NULL, 0},    {"degree", VOLT_SEARCH_INTEGER, 1, 4, NULL, 0},
        {"window", VOLT_SEARCH_LOG_INTEGER, 2, 30, NULL, 0},
    };
    volt_draw_options options = volt_draw_options_default();
    options.seed = 77;
    options.ranges = ranges;
    options.n_ranges = 5;
    volt_candidates *candidates = draw_from("poly", &options);
    for (int r = 0; r < 5; r++) {
        double values[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            candidate c = candidate_get(candidates, i);
            values[i] = candidate_number(&c, ranges[r].name);
        }
        check_law(ranges[r].name, &ranges[r], values, DRAWS);
    }
    volt_candidates_free(candidates);
}

/* The parameters of a draw are independent. For uniform u and v, mean (u - 1/2)(v - 1/2) has standard
 * deviation 1 / (12 sqrt(N)); seven standard deviations are allowed. */
static void parameters_are_drawn_independently(void **state)
{
    volt_candidates *candidates = draw_from("memory", NULL);
    static const char *const names[] = {"gamma", "rho", "mu", "alpha"};
    static const volt_range ranges[] = {{"gamma", VOLT_SEARCH_LOG, 0.01, 30, NULL, 0},
                                        {"rho", VOLT_SEARCH_LINEAR, 0, 0.95, NULL, 0},
                                        {"mu", VOLT_SEARCH_LINEAR, 0, 0.99, NULL, 0},
                                        {"alpha", VOLT_SEARCH_LOG, 1e-8, 10, NULL, 0}};
    double product[4][4] = {{0}}, serial = 0, last = 0;
    for (int i = 0; i < DRAWS; i++) {
        candidate c = candidate_get(candidates, i);
        double u[4];
        for (int r = 0; r < 4; r++)
            u[r] = law(&ranges[r], candidate_number(&c, names[r])) - 0.5;
        for (int r = 0; r < 4; r++)
            for (int s = 0; s < r; s++)
                product[r][s] += u[r] * u[s] / DRAWS;
        serial += u[0] * last / DRAWS;
        last = u[0];
    }
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < r; s++)
            assert_true(fabs(product[r][s]) <= 7 / (12 * sqrt(DRAWS)));
    assert_true(fabs(serial) <= 7 / (12 * sqrt(DRAWS)));
    volt_candidates_free(candidates);
}

static void choices_are_equally_likely(void **state)
{
    static const char *const lifts[] = {"geometric", "even", "exponential", "poly:3", "rbf"};
    const volt_range range = {.name = "lift", .choices = lifts, .n_choices = 5};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = &range;
    options.n_ranges = 1;
    volt_candidates *candidates = draw_from("volterra", &options);
    int counts[5] = {0};
    for (int i = 0; i < DRAWS; i++) {
        candidate c = candidate_get(candidates, i);
        char lift[64] = "geometric", ignored[64]; /* defaults are not printed */
        candidate_parameter(&c, "lift", lift);
        for (int l = 0; l < 5; l++)
            counts[l] += strcmp(lift, lifts[l]) == 0;
        /* each lift has its own parameters */
        assert_int_equal(candidate_parameter(&c, "gamma", ignored), strcmp(lift, "rbf") == 0);
        assert_int_equal(candidate_parameter(&c, "tau_coef", ignored), strcmp(lift, "rbf") != 0);
        assert_true(candidate_parameter(&c, "lambda_coef", ignored));
    }
    int sum = 0;
    for (int l = 0; l < 5; l++) {
        sum += counts[l];
        assert_true(fabs((double)counts[l] / DRAWS - 0.2) <= band(DRAWS)); /* Hoeffding bound */
    }
    assert_int_equal(sum, DRAWS);
    volt_candidates_free(candidates);
}

static void choices_of_numbers_and_of_alpha(void **state)
{
    static const char *const alphas[] = {"1e-3", "0.5"};
    static const char *const windows[] = {"1", "7", "20"};
    const volt_range ranges[] = {{.name = "alpha", .choices = alphas, .n_choices = 2},
                                 {.name = "window", .choices = windows, .n_choices = 3}};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = ranges;
    options.n_ranges = 2;
    volt_candidates *candidates = draw_from("linear", &options);
    int counts[2][3] = {{0}};
    for (int i = 0; i < DRAWS; i++) {
        candidate c = candidate_get(candidates, i);
        double window = candidate_number(&c, "window");
        assert_true((c.alpha == 1e-3 || c.alpha == 0.5) && (window == 1 || window == 7 || window == 20));
        counts[c.alpha == 0.5][window == 1 ? 0 : (window == 7 ? 1 : 2)]++;
    }
    for (int i = 0; i < 6; i++)
        assert_true(fabs((double)counts[i / 3][i % 3] / DRAWS - 1.0 / 6) <= band(DRAWS));
    volt_candidates_free(candidates);
}

/* ---- dependence on other settings ------------------------------------------------------------- */

static void same_candidate(const candidate *a, const candidate *b)
{
    assert_string_equal(a->kernel, b->kernel);
    assert_true(a->alpha == b->alpha);
}

static void draws_depend_on_seed_and_index_only(void **state)
{
    volt_draw_options options = volt_draw_options_default();
    volt_candidates *first = draw_from("memory", NULL), *again = draw_from("memory", &options);
    options.seed = 1;
    volt_candidates *other = draw_from("memory", &options);
    assert_int_equal(first->count, -1);
    static const int64_t order[] = {7, 0, 1000000007, 3, INT64_MAX - 1, 7, 1};
    for (int i = 0; i < 7; i++) {
        candidate a = candidate_get(first, order[i]), b = candidate_get(again, order[6 - i]),
                  c = candidate_get(again, order[i]), d = candidate_get(other, order[i]);
        same_candidate(&a, &c);
        assert_string_not_equal(a.kernel, d.kernel);
        if (order[i] != order[6 - i])
            assert_string_not_equal(a.kernel, b.kernel);
    }
    volt_candidates_free(other);
    volt_candidates_free(again);
    volt_candidates_free(first);
}

/* With one searched parameter, draw i is the first number of Philox stream i. */
static void draws_use_philox(void **state)
{
    static const volt_range range = {"alpha", VOLT_SEARCH_LINEAR, 1, 2, NULL, 0};
    volt_draw_options options = {
        .struct_size = sizeof(volt_draw_options), .seed = 12345, .ranges = &range, .n_ranges = 1, .scale = 1};
    volt_candidates *candidates = draw_from("linear:window=2", &options);
    for (int i = 0; i < 20; i++) {
        volt_rng rng;
        volt_rng_init(&rng, options.seed, (uint64_t)i);
        candidate c = candidate_get(candidates, i);
        assert_string_equal(c.kernel, "linear:window=2");
        assert_true(c.alpha == 1 + volt_rng_uniform(&rng));
    }
    volt_candidates_free(candidates);
}

/* Fixed parameters do not depend on other searched parameters or on the number of rows. */
static void given_parameters_are_fixed(void **state)
{
    static const struct {
        const char *kernel, *name, *value;
    } fixed[] = {
        {"volterra:tau_coef=0.37", "tau_coef", "0.37"},
        {"volterra:lambda=0.4", "lambda", "0.4"},
        {"volterra:lift=even", "lift", "even"},
        {"rbf:gamma=0.25", "gamma", "0.25"},
        {"rbf:window=9", "window", "9"},
        {"poly:degree=5", "degree", "5"},
        {"memory:mu=0.125", "mu", "0.125"},
        {"gak:window=6", "window", "6"},
        {"sig:path=rows", "path", "rows"},
        {"sig:level=3,order=1", "order", "1"},
        {"sigpde:static=rbf,dyadic=2", "static", "rbf"},
    };
    for (size_t f = 0; f < sizeof fixed / sizeof *fixed; f++) {
        volt_candidates *candidates = draw_from(fixed[f].kernel, NULL);
        candidate first = candidate_get(candidates, 0);
        int differ = 0;
        for (int i = 0; i < 50; i++) {
            candidate c = candidate_get(candidates, i);
            char value[64] = "nothing";
            candidate_parameter(&c, fixed[f].name, value);
            assert_string_equal(value, fixed[f].value);
            differ += strcmp(c.kernel, first.kernel) != 0;
        }
        if (differ == 0)
            fail_msg("%s: nothing else is drawn", fixed[f].kernel);
        volt_candidates_free(candidates);
    }
    volt_candidates *candidates = draw_from("volterra:lambda=0.4", NULL);
    candidate c = candidate_get(candidates, 0);
    char value[64];
    assert_false(candidate_parameter(&c, "lambda_coef", value));
    volt_candidates_free(candidates);
}

/* White space and an empty parameter list are equivalent to the name without parameters. */
static void draws_do_not_depend_on_spelling(void **state)
{
    static const char *const spellings[] = {" rbf", "rbf ", " rbf \n", "rbf:", "rbf: "};
    volt_candidates *plain = draw_from("rbf", NULL);
    for (int s = 0; s < 5; s++) {
        volt_kernel *parsed = NULL;
        if (volt_kernel_parse(spellings[s], &parsed) != VOLT_OK)
            continue; /* invalid spelling */
        volt_kernel_free(parsed);
        volt_candidates *candidates = draw_from(spellings[s], NULL);
        for (int i = 0; i < 5; i++) {
            candidate a = candidate_get(plain, i), b = candidate_get(candidates, i);
            same_candidate(&a, &b);
        }
        volt_candidates_free(candidates);
    }
    volt_candidates_free(plain);
}

/* ---- the kernel table ------------------------------------------------------------------------- */

/* The median distance between rows after the input map of the kernel. */
static double distance_of_rows(int scale)
{
    double Z[N * D], mean[D] = {0}, largest = 0, distance = 0;
    for (int i = 0; i < N * D; i++)
        mean[i % D] += X[i] / N;
    for (int i = 0; i < N && scale; i++) {
        double sum = 0;
        for (int k = 0; k < D; k++)
            sum += pow(X[i * D + k] - mean[k], 2);
        largest = fmax(largest, sqrt(sum));
    }
    for (int i = 0; i < N * D; i++)
        Z[i] = scale ? (X[i] - mean[i % D]) / largest : X[i];
    check_ok(volt_kernel_distance_unit(volt_view_of(Z, N, D), 1, &distance));
    return distance;
}

static double unit_of(const volt_parameter_info *info, double distance, double window)
{
    double unit = distance * sqrt(window);
    switch (info->unit) {
    case VOLT_UNIT_DISTANCE:
        return unit;
    case VOLT_UNIT_SQUARE:
        return unit * unit;
    case VOLT_UNIT_INVERSE_SQUARE:
        return 1 / (unit * unit);
    default:
        return 1;
    }
}

static bool is_given(const char *text, const char *name)
{
    volt_kernel *kernel = plain_parse(text);
    volt_kernel_value value = {.struct_size = sizeof value};
    check_ok(volt_kernel_get(kernel, name, &value));
    volt_kernel_free(kernel);
    return value.given;
}

/* Each draw parses and resolves, and every searched parameter in it lies in its range. Together the draws
 * cover the range (below the 10 % and above the 90 % quantile). */
static void check_kernel(const char *text, const volt_kernel_info *info, int scale)
{
    enum { FEW = 200 };
    volt_draw_options options = volt_draw_options_default();
    options.scale = scale;
    volt_candidates *candidates = draw_from(text, &options);
    static candidate drawn[FEW];
    for (int i = 0; i < FEW; i++)
        drawn[i] = candidate_get(candidates, i);
    double distance = distance_of_rows(scale);
    for (int64_t p = 0; p < info->n_parameters; p++) {
        const volt_parameter_info *parameter_info = &info->parameters[p];
        if (parameter_info->search == VOLT_SEARCH_NONE)
            continue;
        volt_range range = {info->parameters[p].name,
                            parameter_info->search,
                            parameter_info->search_low,
                            parameter_info->search_high,
                            NULL,
                            0};
        double values[FEW];
        int count = 0;
        for (int i = 0; i < FEW; i++) {
            const candidate *c = &drawn[i];
            char value[VOLT_VALUE_LENGTH];
            if (!candidate_parameter(c, range.name, value) || is_given(text, range.name))
                continue;
            char window_text[VOLT_VALUE_LENGTH];
            double window = candidate_parameter(c, "window", window_text) ? candidate_number(c, "window") : 1;
            values[count++] = candidate_number(c, range.name) / unit_of(parameter_info, distance, window);
        }
        if (count == 0)
            continue; /* fixed, or not supported with the other parameters */
        assert_int_equal(count, FEW);
        if (parameter_info->unit != VOLT_UNIT_ONE) { /* multiplied and divided by the unit */
            range.low *= 1 - 1e-12;
            range.high *= 1 + 1e-12;
        }
        check_law(text, &range, values, count);
    }
    for (int i = 0; i < FEW; i++) {
        volt_kernel *kernel = plain_parse(drawn[i].kernel);
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        assert_string_equal(volt_kernel_text(kernel), drawn[i].kernel);
        check_ok(volt_kernel_query(kernel, 1, D, 0.1, &facts));
        volt_kernel_free(kernel);
    }
    volt_candidates_free(candidates);
}

static const volt_kernel_info *info_named(const char *text)
{
    volt_kernel *kernel = plain_parse(text);
    const volt_kernel_info *info = volt_kernel_info_of(kernel);
    volt_kernel_free(kernel);
    return info;
}

static void every_kernel_can_be_drawn(void **state)
{
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const volt_kernel_info *info = volt_kernel_at(i);
        kernel_form form = kernel_small_form(info, "");
        for (int scale = 0; scale < 2; scale++)
            check_kernel(form.text, info, scale);
    }
    static const char *const forms[] = {"volterra:lift=rbf", "volterra:lift=even", "sig:path=rows",
                                        "gak:path=rows",     "sigpde:static=rbf",  "rbf:window=12"};
    for (int f = 0; f < 6; f++)
        check_kernel(forms[f], info_named(forms[f]), 1);
}

/* The parameters that must be searched for each kernel, listed by hand as a check of the table. */
static void drawn_parameters_by_kernel(void **state)
{
    static const struct {
        const char *kernel, *drawn[4], *not_drawn[3];
    } cases[] = {
        {"volterra", {"tau_coef", "lambda_coef"}, {"gamma", "tau", "lambda"}},
        {"volterra:lift=rbf", {"gamma", "lambda_coef"}, {"tau", "tau_coef", "lambda"}},
        {"volterra:tau=0.01", {"lambda_coef"}, {"tau_coef", "gamma", "lambda"}},
        {"linear", {"window"}, {NULL}},
        {"rbf", {"gamma", "window"}, {NULL}},
        {"cauchy", {"gamma", "window"}, {NULL}},
        {"poly", {"degree", "gamma", "coef0", "window"}, {NULL}},
        {"sigmoid", {"gamma", "coef0", "window"}, {NULL}},
        {"fading", {"gamma", "rho"}, {NULL}},
        {"memory", {"gamma", "rho", "mu"}, {NULL}},
        {"recurrent", {"input", "radius", "bias", "leak"}, {"activation"}},
        {"fir", {"mu"}, {NULL}},
        {"esn:size=9", {"radius", "leak", "input", "bias"}, {"norm"}},
        {"esn:size=9,norm=0.8", {"leak", "input", "bias"}, {"radius"}},
        {"sas:size=9", {"norm", "share"}, {NULL}},
        {"gak", {"sigma", "window"}, {NULL}},
        {"gak:path=rows", {"sigma"}, {"window"}},
        {"sig", {"level", "window"}, {"prescale"}},
        {"sig:path=rows", {"level", "prescale"}, {"window"}},
        {"sigpde", {"window"}, {"sigma", "prescale"}},
        {"sigpde:static=rbf", {"window", "sigma"}, {"prescale"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        volt_candidates *candidates = draw_from(cases[k].kernel, NULL);
        candidate a = candidate_get(candidates, 0);
        for (int p = 0; p < 4 && cases[k].drawn[p]; p++) {
            int differ = 0;
            for (int i = 1; i < 30; i++) {
                candidate b = candidate_get(candidates, i);
                differ += candidate_number(&a, cases[k].drawn[p]) != candidate_number(&b, cases[k].drawn[p]);
            }
            if (differ == 0)
                fail_msg("%s: %s is not drawn", cases[k].kernel, cases[k].drawn[p]);
        }
        char value[64];
        for (int p = 0; p < 3 && cases[k].not_drawn[p]; p++)
            if (candidate_parameter(&a, cases[k].not_drawn[p], value))
                fail_msg("%s: %s is in %s", cases[k].kernel, cases[k].not_drawn[p], a.kernel);
        volt_candidates_free(candidates);
    }
}

/* A given range replaces that of the table and has no unit. It also adds an excluded parameter. */
static void given_ranges_replace_table_ranges(void **state)
{
    static const volt_range ranges[] = {{"gamma", VOLT_SEARCH_LOG, 2, 3, NULL, 0},
                                        {"alpha", VOLT_SEARCH_LINEAR, 5, 6, NULL, 0}};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = ranges;
    options.n_ranges = 2;
    volt_candidates *candidates = draw_from("rbf:window=30", &options);
    static const volt_range tau[] = {{"tau", VOLT_SEARCH_LINEAR, 0.01, 0.02, NULL, 0},
                                     {"lambda", VOLT_SEARCH_LINEAR, 0.3, 0.4, NULL, 0}};
    options.ranges = tau;
    volt_candidates *volterra = draw_from("volterra", &options);
    for (int i = 0; i < 100; i++) {
        candidate c = candidate_get(candidates, i), v = candidate_get(volterra, i);
        double gamma = candidate_number(&c, "gamma"), t = candidate_number(&v, "tau"),
               lambda = candidate_number(&v, "lambda");
        char value[64];
        assert_true(gamma >= 2 && gamma <= 3 && c.alpha >= 5 && c.alpha <= 6);
        assert_true(t >= 0.01 && t <= 0.02 && lambda >= 0.3 && lambda <= 0.4);
        assert_false(candidate_parameter(&v, "tau_coef", value) ||
                     candidate_parameter(&v, "lambda_coef", value));
    }
    volt_candidates_free(volterra);
    volt_candidates_free(candidates);
}

static void single_value_range(void **state)
{
    static const volt_range ranges[] = {{"gamma", VOLT_SEARCH_LOG, 2, 2, NULL, 0},
                                        {"window", VOLT_SEARCH_INTEGER, 3, 3, NULL, 0},
                                        {"alpha", VOLT_SEARCH_LINEAR, 0.5, 0.5, NULL, 0}};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = ranges;
    options.n_ranges = 3;
    volt_candidates *candidates = draw_from("rbf", &options);
    candidate c = candidate_get(candidates, 12);
    assert_string_equal(c.kernel, "rbf:gamma=2,window=3");
    assert_true(c.alpha == 0.5);
    volt_candidates_free(candidates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_follow_the_law_of_their_range),
        cmocka_unit_test(parameters_are_drawn_independently),
        cmocka_unit_test(choices_are_equally_likely),
        cmocka_unit_test(choices_of_numbers_and_of_alpha),
        cmocka_unit_test(draws_depend_on_seed_and_index_only),
        cmocka_unit_test(draws_use_philox),
        cmocka_unit_test(given_parameters_are_fixed),
        cmocka_unit_test(draws_do_not_depend_on_spelling),
        cmocka_unit_test(every_kernel_can_be_drawn),
        cmocka_unit_test(drawn_parameters_by_kernel),
        cmocka_unit_test(given_ranges_replace_table_ranges),
        cmocka_unit_test(single_value_range),
    };
    return cmocka_run_group_tests_name("candidate_draws", tests, make_inputs, NULL);
}
