/* tests/unit/select/test_candidates.c: candidates from lists, functions and CSV files; invalid candidates. */
#include "select/candidates/candidates.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { N = 12, D = 2 };

static double X[N * D];

static int make_inputs(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, 2600, 0);
    for (int i = 0; i < N * D; i++)
        X[i] = volt_rng_normal(&rng);
    return 0;
}

static void check_candidate(const volt_candidates *candidates, int64_t index, const char *kernel, double alpha)
{
    char text[VOLT_KERNEL_LENGTH];
    double value = NAN;
    check_ok(volt_candidates_get(candidates, index, text, &value, NULL));
    assert_string_equal(text, kernel);
    assert_true(value == alpha);
}

/* A rejected candidate leaves its outputs unchanged. */
static void check_no_candidate(const volt_candidates *candidates, int64_t index, volt_status status,
                               const char *fragment)
{
    char text[VOLT_KERNEL_LENGTH] = "untouched";
    double value = 77;
    check_fails(volt_candidates_get(candidates, index, text, &value, NULL), status, fragment);
    assert_string_equal(text, "untouched");
    assert_true(value == 77);
}

/* ---- list ------------------------------------------------------------------------------------- */

static void lists_are_copied_and_completed(void **state)
{
    char first[] = "rbf:gamma=2";
    const char *kernels[] = {first, "volterra", "linear: window = 3 "};
    double alphas[] = {0.5, 1e-3, 7};
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_list(kernels, alphas, NULL, 3, &candidates));
    first[0] = 'x';
    kernels[1] = NULL;
    alphas[2] = -1;
    assert_int_equal(candidates->count, 3);
    check_candidate(candidates, 2, "linear:window=3", 7);
    check_candidate(candidates, 0, "rbf:gamma=2,window=1", 0.5);
    check_candidate(candidates, 1, "volterra:tau_coef=0.3,lambda_coef=0.9", 1e-3);
    check_no_candidate(candidates, 3, VOLT_ERR_ARGUMENT, "candidates 3");
    check_no_candidate(candidates, -1, VOLT_ERR_ARGUMENT, "candidate -1");
    volt_candidates_free(candidates);
    volt_candidates_free(NULL);
}

static void invalid_lists_are_rejected(void **state)
{
    static const struct {
        const char *kernel;
        double alpha;
        volt_status status;
        const char *fragment;
    } wrong[] = {
        {"rbf:gama=1", 1, VOLT_ERR_KERNEL, "did you mean \"gamma\"?"},
        {"rbf:gama=1", 1, VOLT_ERR_KERNEL, "candidate 2"},
        {"nothing", 1, VOLT_ERR_KERNEL, "candidate 2"},
        {"", 1, VOLT_ERR_KERNEL, "candidate 2"},
        {"rbf", -0.5, VOLT_ERR_ARGUMENT, "alpha -0.5"},
        {"rbf", -1, VOLT_ERR_ARGUMENT, "alpha -1"},
        {"rbf", NAN, VOLT_ERR_ARGUMENT, "alpha"},
        {"rbf", INFINITY, VOLT_ERR_ARGUMENT, "alpha inf"},
        {NULL, 1, VOLT_ERR_ARGUMENT, "NULL"},
    };
    volt_candidates *candidates = (volt_candidates *)&wrong;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *kernels[] = {"linear", wrong[i].kernel};
        const double alphas[] = {1, wrong[i].alpha};
        check_fails(volt_candidates_list(kernels, alphas, NULL, 2, &candidates), wrong[i].status,
                    wrong[i].fragment);
        assert_ptr_equal(candidates, &wrong);
    }
    const char *kernel = "linear";
    double alpha = 1;
    check_fails(volt_candidates_list(&kernel, &alpha, NULL, 0, &candidates), VOLT_ERR_ARGUMENT, "candidate 0");
    check_fails(volt_candidates_list(&kernel, &alpha, NULL, -4, &candidates), VOLT_ERR_ARGUMENT,
                "candidate -4");
    check_fails(volt_candidates_list(NULL, &alpha, NULL, 1, &candidates), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_list(&kernel, NULL, NULL, 1, &candidates), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_list(&kernel, &alpha, NULL, 1, NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_ptr_equal(candidates, &wrong);
}

/* ---- function --------------------------------------------------------------------------------- */

typedef struct recipe {
    const char *format;
    double alpha;
    int64_t last; /* no candidates after it */
} recipe;

static int make(int64_t index, char *kernel, size_t size, double *alpha, void *context)
{
    const recipe *r = context;
    if (index > r->last)
        return 1;
    snprintf(kernel, size, r->format, (int)index + 1);
    *alpha = r->alpha;
    return 0;
}

static void functions_make_candidates(void **state)
{
    recipe good = {"rbf:gamma=%d", 0.25, 10};
    volt_candidates *endless = NULL, *ten = NULL;
    check_ok(candidates_of_function(make, &good, -1, &endless));
    check_ok(candidates_of_function(make, &good, 10, &ten));
    assert_int_equal(endless->count, -1);
    assert_int_equal(ten->count, 10);
    check_candidate(endless, 3, "rbf:gamma=4,window=1", 0.25);
    check_candidate(ten, 9, "rbf:gamma=10,window=1", 0.25);
    check_no_candidate(ten, 10, VOLT_ERR_ARGUMENT, "candidates 10");
    check_no_candidate(endless, 11, VOLT_ERR_ARGUMENT, "candidate 11");
    check_no_candidate(endless, -1, VOLT_ERR_ARGUMENT, "candidate -1");
    volt_candidates_free(ten);

    good.format = "nonsense%d";
    check_no_candidate(endless, 0, VOLT_ERR_KERNEL, "nonsense1");
    good.format = "rbf:gamma=%d";
    good.alpha = -0.5;
    check_no_candidate(endless, 0, VOLT_ERR_ARGUMENT, "alpha -0.5");
    good.alpha = 0; /* alpha is profiled */
    check_candidate(endless, 0, "rbf:gamma=1,window=1", 0);
    volt_candidates_free(endless);

    volt_candidates *candidates = (volt_candidates *)&good;
    assert_ptr_equal(candidates, &good);
}

static void null_returns_nothing(void **state)
{
    const char *kernel = "linear";
    double alpha = 1;
    char text[VOLT_KERNEL_LENGTH];
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_list(&kernel, &alpha, NULL, 1, &candidates));
    check_fails(volt_candidates_get(NULL, 0, text, &alpha, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_get(candidates, 0, NULL, &alpha, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_get(candidates, 0, text, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    volt_candidates_free(candidates);
}

/* ---- CSV -------------------------------------------------------------------------------------- */

static volt_candidates *read_text(const char *csv, const char *kernel)
{
    volt_candidates *candidates = NULL;
    check_ok(volt_candidates_read(scratch_write_text("candidates.csv", csv), kernel, &candidates));
    return candidates;
}

static void files_of_parameters(void **state)
{
    volt_candidates *candidates = read_text("tau,alpha,lambda\n0.25,1e-3,0.5\n0.125,2,0.75\n", "volterra");
    assert_int_equal(candidates->count, 2);
    check_candidate(candidates, 0, "volterra:tau=0.25,lambda=0.5", 1e-3);
    check_candidate(candidates, 1, "volterra:tau=0.125,lambda=0.75", 2);
    check_no_candidate(candidates, 2, VOLT_ERR_ARGUMENT, "candidate 2");
    volt_candidates_free(candidates);
}

/* Words, fixed parameters, blanks, quotes, CRLF and CR line ends, a byte order mark, no final newline and
 * other delimiters are read as in CSV matrices. */
static void candidate_files_of_many_formats(void **state)
{
    static const struct {
        const char *csv, *kernel, *first;
        double alpha;
    } cases[] = {
        {"lift,tau,alpha\neven,0.5,1\n", "volterra:lambda=0.25", "volterra:tau=0.5,lambda=0.25,lift=even", 1},
        {"lift,alpha\npoly:3,0.5", "volterra", "volterra:tau_coef=0.3,lambda_coef=0.9,lift=poly:3", 0.5},
        {"alpha\n2\n", "linear", "linear:window=1", 2},
        {"alpha,gamma,window\r\n2,3,4\r\n", "rbf", "rbf:gamma=3,window=4", 2},
        {"\xef\xbb\xbf"
         "alpha,gamma\n2,3\n",
         "rbf", "rbf:gamma=3,window=1", 2},
        {"# alpha gamma\n2 3\n", "rbf", "rbf:gamma=3,window=1", 2}, /* numpy.savetxt */
        {"alpha;gamma\n2;3\n", "rbf", "rbf:gamma=3,window=1", 2},
        {"alpha\tgamma\n2\t3\n", "rbf", "rbf:gamma=3,window=1", 2},
        {"\"alpha\",\"gamma\"\n\"2\",\"3\"\n", "rbf", "rbf:gamma=3,window=1", 2},
        {"alpha,gamma\n\n2,3\n\n", "rbf", "rbf:gamma=3,window=1", 2},
        {"alpha,augment,window\n2,time+leadlag,3\n", "sig:level=2",
         "sig:level=2,order=2,window=3,augment=time+leadlag", 2},
        {"alpha,gamma\nauto,3\n", "rbf", "rbf:gamma=3,window=1", 0},      /* alpha is profiled */
        {"alpha,gamma,window\n2,3,\n", "rbf", "rbf:gamma=3,window=1", 2}, /* an empty cell is the default */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_candidates *candidates = read_text(cases[c].csv, cases[c].kernel);
        assert_int_equal(candidates->count, 1);
        check_candidate(candidates, 0, cases[c].first, cases[c].alpha);
        volt_candidates_free(candidates);
    }
}

static void files_of_complete_kernels(void **state)
{
    volt_candidates *candidates =
        read_text("alpha,kernel\n0.5,\"volterra:tau=0.25,lambda=0.5\"\n1,linear\n", NULL);
    assert_int_equal(candidates->count, 2);
    check_candidate(candidates, 0, "volterra:tau=0.25,lambda=0.5", 0.5);
    check_candidate(candidates, 1, "linear:window=1", 1);
    volt_candidates_free(candidates);
}

static void invalid_files_are_rejected_with_their_line(void **state)
{
    static const struct {
        const char *csv, *kernel;
        volt_status status;
        const char *fragments[3];
    } wrong[] = {
        {"", "rbf", VOLT_ERR_FORMAT, {"candidates.csv", "empty"}},
        {"alpha,gamma\n", "rbf", VOLT_ERR_FORMAT, {"candidates.csv", "no candidates"}},
        {"gamma\n1\n", "rbf", VOLT_ERR_FORMAT, {"line 1", "no column alpha"}},
        {",alpha\n1,2\n", "rbf", VOLT_ERR_FORMAT, {"line 1", "a column has no name"}},
        {"alpha,gama\n1,2\n", "rbf", VOLT_ERR_FORMAT, {"candidates.csv", "gama", "did you mean \"gamma\"?"}},
        {"alpha,nothing\n1,\n", "rbf", VOLT_ERR_FORMAT, {"line 1", "nothing"}},
        {"alpha,gamma\n1,2\n1,x\n", "rbf", VOLT_ERR_FORMAT, {"line 3", "gamma=x"}},
        {"alpha,gamma\n1,2\n1,-2\n", "rbf", VOLT_ERR_FORMAT, {"line 3", "gamma=-2"}},
        {"alpha,gamma\n1,2\n\n1,-2\n", "rbf", VOLT_ERR_FORMAT, {"line 4", "gamma=-2"}},
        {"alpha,gamma\n1,\"2,window=3\"\n", "rbf", VOLT_ERR_FORMAT, {"line 2", "gamma is \"2,window=3\""}},
        {"alpha,gamma\n1,2\nx,2\n", "rbf", VOLT_ERR_FORMAT, {"line 3", "alpha \"x\""}},
        {"alpha,gamma\n1,2\n,2\n", "rbf", VOLT_ERR_FORMAT, {"line 3", "alpha"}},
        {"alpha,gamma\n0,2\n", "rbf", VOLT_ERR_FORMAT, {"line 2", "alpha 0"}},
        {"alpha,gamma\ninf,2\n", "rbf", VOLT_ERR_FORMAT, {"line 2", "alpha inf"}},
        {"alpha,gamma\nnan,2\n", "rbf", VOLT_ERR_FORMAT, {"line 2", "alpha"}},
        {"alpha,gamma\n1\n", "rbf", VOLT_ERR_FORMAT, {"line 2", "1 cells", "2"}},
        {"alpha,gamma\n1,2,3\n", "rbf", VOLT_ERR_FORMAT, {"line 2", "more cells"}},
        {"alpha,gamma,gamma\n1,2,3\n", "rbf", VOLT_ERR_FORMAT, {"line 1", "two columns are named gamma"}},
        {"alpha,gamma\n1,2\n", "rbf:gamma=1", VOLT_ERR_FORMAT, {"line", "gamma"}},
        {"alpha,lift\n1,odd\n", "volterra", VOLT_ERR_FORMAT, {"line 2", "lift=odd"}},
        {"alpha,gamma\n1,2\n", "volterra", VOLT_ERR_FORMAT, {"line 2", "lift=rbf"}},
        {"alpha,kernel\n1,rbf\n", "rbf", VOLT_ERR_FORMAT, {"line 1", "column kernel"}},
        {"alpha,gama\n1,2\n", NULL, VOLT_ERR_FORMAT, {"line 1", "gama"}},
        {"alpha,kernel,gamma\n1,rbf,2\n", NULL, VOLT_ERR_FORMAT, {"line 1", "only alpha and feedback"}},
        {"alpha,kernel\n1,rbff\n", NULL, VOLT_ERR_FORMAT, {"line 2", "did you mean \"rbf\"?"}},
        {"alpha,kernel\n1,\n", NULL, VOLT_ERR_FORMAT, {"line 2"}},
        {"1,2\n3,4\n", "rbf", VOLT_ERR_FORMAT, {"line 1"}},
        {"alpha,gamma\n1,2\n", "rbff", VOLT_ERR_KERNEL, {"did you mean \"rbf\"?"}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_candidates *candidates = (volt_candidates *)&wrong;
        volt_status status = volt_candidates_read(scratch_write_text("candidates.csv", wrong[i].csv),
                                                  wrong[i].kernel, &candidates);
        if (status != wrong[i].status)
            fail_msg("case %d ended with status %d: %s", (int)i, (int)status, volt_error_detail());
        for (int f = 0; f < 3 && wrong[i].fragments[f]; f++)
            if (!error_names(wrong[i].fragments[f]))
                fail_msg("case %d: \"%s\" does not say \"%s\"", (int)i, volt_error_detail(),
                         wrong[i].fragments[f]);
        assert_ptr_equal(candidates, &wrong);
    }
    volt_candidates *candidates = NULL;
    check_fails(volt_candidates_read(scratch_path("missing.csv"), "rbf", &candidates), VOLT_ERR_IO,
                "missing.csv");
    check_fails(volt_candidates_read(NULL, "rbf", &candidates), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_read(scratch_write_text("candidates.csv", "alpha\n1\n"), "rbf", NULL),
                VOLT_ERR_ARGUMENT, "NULL");
    assert_null(candidates);
}

/* A kernel text above the maximum length. */
static void long_cells_are_rejected(void **state)
{
    char csv[3000] = "alpha,gamma\n1,";
    size_t length = strlen(csv);
    memset(csv + length, '1', 2000);
    memcpy(csv + length + 2000, "\n", 2);
    volt_candidates *candidates = NULL;
    check_fails(volt_candidates_read(scratch_write_text("candidates.csv", csv), "rbf", &candidates),
                VOLT_ERR_FORMAT, "line 2");
    assert_null(candidates);
}

/* ---- invalid draws and grids ------------------------------------------------------------------ */

static void invalid_ranges_are_rejected(void **state)
{
    static const char *const good_words[] = {"even", "geometric"}, *const bad_words[] = {"even", "odd"};
    static const char *const bad_alphas[] = {"1", "0"};
    static const struct {
        const char *kernel;
        volt_range range;
        volt_status status;
        const char *fragment;
    } wrong[] = {
        {"rbff", {"gamma", VOLT_SEARCH_LOG, 1, 2, NULL, 0}, VOLT_ERR_KERNEL, "did you mean \"rbf\"?"},
        {"rbf", {"gama", VOLT_SEARCH_LOG, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "did you mean \"gamma\"?"},
        {"rbf", {NULL, VOLT_SEARCH_LOG, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "no name"},
        {"rbf", {"gamma", VOLT_SEARCH_NONE, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma distribution"},
        {"rbf", {"gamma", (volt_search_law)9, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma distribution"},
        {"rbf", {"gamma", VOLT_SEARCH_LOG, 2, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma 2 1"},
        {"rbf", {"gamma", VOLT_SEARCH_LOG, 0, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma above 0"},
        {"rbf", {"gamma", VOLT_SEARCH_LINEAR, 0, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma (0, inf)"},
        {"rbf", {"gamma", VOLT_SEARCH_LINEAR, NAN, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma finite"},
        {"rbf", {"gamma", VOLT_SEARCH_LINEAR, 1, INFINITY, NULL, 0}, VOLT_ERR_ARGUMENT, "to inf"},
        {"rbf", {"window", VOLT_SEARCH_LOG, 1, 5, NULL, 0}, VOLT_ERR_ARGUMENT, "whole numbers"},
        {"rbf", {"window", VOLT_SEARCH_INTEGER, 1, 2.5, NULL, 0}, VOLT_ERR_ARGUMENT, "whole ends"},
        {"rbf", {"window", VOLT_SEARCH_INTEGER, 0, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "1 to 1000000"},
        {"rbf", {"window", VOLT_SEARCH_INTEGER, 1, 1000001, NULL, 0}, VOLT_ERR_ARGUMENT, "1 to 1000000"},
        {"memory", {"rho", VOLT_SEARCH_LINEAR, 0.5, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "rho [0, 1)"},
        {"rbf", {"alpha", VOLT_SEARCH_LINEAR, 0, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "alpha above 0"},
        {"rbf", {"alpha", VOLT_SEARCH_LINEAR, -1, 1, NULL, 0}, VOLT_ERR_ARGUMENT, "alpha above -1"},
        {"rbf:gamma=1", {"gamma", VOLT_SEARCH_LOG, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "as well"},
        {"rbf: gamma = 1", {"gamma", VOLT_SEARCH_LOG, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "as well"},
        {"volterra", {"gamma", VOLT_SEARCH_LOG, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "gamma"},
        {"volterra:lift=rbf", {"tau", VOLT_SEARCH_LOG, 0.1, 0.2, NULL, 0}, VOLT_ERR_ARGUMENT, "tau"},
        {"volterra:tau=0.1", {"tau_coef", VOLT_SEARCH_LOG, 0.1, 0.2, NULL, 0}, VOLT_ERR_ARGUMENT, "tau_coef"},
        {"volterra", {"lift", VOLT_SEARCH_INTEGER, 1, 2, NULL, 0}, VOLT_ERR_ARGUMENT, "give choices"},
        {"volterra", {"lift", VOLT_SEARCH_NONE, 0, 0, bad_words, 2}, VOLT_ERR_KERNEL, "lift=odd"},
        {"volterra", {"lift", VOLT_SEARCH_NONE, 0, 0, good_words, 0}, VOLT_ERR_ARGUMENT, "no choices for lift"},
        {"rbf", {"gamma", VOLT_SEARCH_NONE, 0, 0, good_words, 2}, VOLT_ERR_KERNEL, "gamma=even"},
        {"rbf", {"alpha", VOLT_SEARCH_NONE, 0, 0, bad_alphas, 2}, VOLT_ERR_ARGUMENT, "alpha 0"},
    };
    volt_view inputs = volt_view_of(X, N, D);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_draw_options options = volt_draw_options_default();
        options.ranges = &wrong[i].range;
        options.n_ranges = 1;
        volt_candidates *candidates = (volt_candidates *)&wrong;
        check_fails(volt_candidates_draw(wrong[i].kernel, inputs, &options, &candidates), wrong[i].status,
                    wrong[i].fragment);
        options.points = 2;
        check_fails(volt_candidates_draw(wrong[i].kernel, inputs, &options, &candidates), wrong[i].status,
                    wrong[i].fragment);
        assert_ptr_equal(candidates, &wrong);
    }
}

/* A range may include an end that is valid for the parameter: leak lies in (0, 1]. */
static void ranges_may_reach_parameter_bounds(void **state)
{
    static const volt_range leak = {"leak", VOLT_SEARCH_LINEAR, 0.5, 1, NULL, 0};
    volt_draw_options options = volt_draw_options_default();
    options.ranges = &leak;
    options.n_ranges = 1;
    volt_candidates *candidates = NULL;
    char text[VOLT_KERNEL_LENGTH];
    double alpha = 0;
    bool has_low = false, has_high = false;
    options.points = 2;
    check_ok(volt_candidates_draw("esn:size=3", volt_view_of(X, N, D), &options, &candidates));
    for (int64_t i = 0; i < candidates->count; i++) {
        check_ok(volt_candidates_get(candidates, i, text, &alpha, NULL));
        has_low = has_low || strstr(text, "leak=0.5,");
        has_high = has_high || strstr(text, "leak=1,");
    }
    assert_true(has_low && has_high);
    volt_candidates_free(candidates);
}

static void invalid_draws_are_rejected(void **state)
{
    volt_view inputs = volt_view_of(X, N, D);
    volt_candidates *candidates = NULL;
    static const volt_range twice[] = {{"gamma", VOLT_SEARCH_LOG, 1, 2, NULL, 0},
                                       {"gamma", VOLT_SEARCH_LOG, 1, 3, NULL, 0}};
    volt_draw_options options = volt_draw_options_default();
    options.n_ranges = 2;
    check_fails(volt_candidates_draw("rbf", inputs, &options, &candidates), VOLT_ERR_ARGUMENT, "NULL");
    options.ranges = twice;
    check_fails(volt_candidates_draw("rbf", inputs, &options, &candidates), VOLT_ERR_ARGUMENT, "ranges");
    check_fails(volt_candidates_draw(NULL, inputs, NULL, &candidates), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_draw("rbf", inputs, NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_candidates_draw("rbf", volt_view_of(NULL, 0, 0), NULL, &candidates), VOLT_ERR_SHAPE, "X");
    check_fails(volt_candidates_draw("rbf", volt_view_of(X, N, 0), NULL, &candidates), VOLT_ERR_SHAPE, "X");
    double alike[] = {1, 2, 1, 2, 1, 2}, broken[] = {1, NAN, 2, 3};
    check_fails(volt_candidates_draw("rbf", volt_view_of(alike, 3, 2), NULL, &candidates), VOLT_ERR_DATA,
                "unit distance");
    check_fails(volt_candidates_draw("rbf", volt_view_of(broken, 2, 2), NULL, &candidates), VOLT_ERR_NOT_FINITE,
                "row");
    check_fails(volt_candidates_draw(
                    "rbf", inputs,
                    &(volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1, .points = -3},
                    &candidates),
                VOLT_ERR_ARGUMENT, "-3 points");
    check_fails(
        volt_candidates_draw(
            "memory", inputs,
            &(volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1, .points = 1000000},
            &candidates),
        VOLT_ERR_ARGUMENT, "enumerate");

    /* This grid would be small enough to enumerate. */
    options = (volt_draw_options){.struct_size = sizeof(volt_draw_options), .scale = 1, .points = 1000001};
    check_fails(volt_candidates_draw("linear", inputs, &options, &candidates), VOLT_ERR_ARGUMENT, "1000001");
    assert_null(candidates);
    options.points = 1000000;
    check_ok(volt_candidates_draw("linear", inputs, &options, &candidates));
    assert_true(candidates->count >= options.points);
    volt_candidates_free(candidates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_copied_and_completed),
        cmocka_unit_test(invalid_lists_are_rejected),
        cmocka_unit_test(functions_make_candidates),
        cmocka_unit_test(null_returns_nothing),
        cmocka_unit_test(files_of_parameters),
        cmocka_unit_test(candidate_files_of_many_formats),
        cmocka_unit_test(files_of_complete_kernels),
        cmocka_unit_test(invalid_files_are_rejected_with_their_line),
        cmocka_unit_test(long_cells_are_rejected),
        cmocka_unit_test(invalid_ranges_are_rejected),
        cmocka_unit_test(ranges_may_reach_parameter_bounds),
        cmocka_unit_test(invalid_draws_are_rejected),
    };
    return cmocka_run_group_tests_name("candidates", tests, make_inputs, NULL);
}
