/* tests/reference/test_recurrent.c: recurrent kernels: values of make_recurrent.py, convergence of echo state networks
 * to them, bounds, refusals. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sequences.h"
#include "volterra.h"

static volt_kernel *parse(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static void gram(const char *text, volt_view X, volt_view Y, double *K)
{
    volt_kernel *kernel = parse(text);
    check_ok(volt_gram(kernel, X, Y, NULL, volt_matrix_of(K, X.rows, Y.data ? Y.rows : X.rows)));
    volt_kernel_free(kernel);
}

/* The slope of the expectation of sign is infinite at equal histories, and is about 1 / sqrt(2 - 2 r) elsewhere, which is
 * below 1e3 on these rows. */
static void values_of_the_definition(void **state)
{
    golden *file = golden_load("recurrent");
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.Y");
    volt_view x = volt_view_of(X.data, X.rows, X.cols), y = volt_view_of(Y.data, Y.rows, Y.cols);
    for (int64_t c = 0; c < golden_length(file, "cases"); c++) {
        char path[64], text[160];
#define AT(name) (snprintf(path, sizeof path, "cases.%" PRId64 "." name, c), path)
        const char *activation = golden_text(file, AT("activation"));
        double input = golden_number(file, AT("input")), radius = golden_number(file, AT("radius"));
        double bias = golden_number(file, AT("bias")), leak = golden_number(file, AT("leak"));
        snprintf(text, sizeof text, "recurrent:activation=%s,input=%.17g,radius=%.17g,bias=%.17g,leak=%.17g",
                 activation, input, radius, bias, leak);
        golden_array xx = golden_array_of(file, AT("gram_xx")), xy = golden_array_of(file, AT("gram_xy"));
        double *K = new_matrix(X.rows, X.rows);
        gram(text, x, (volt_view){0}, K);
        golden_check(text, xx.data, K, xx.count, golden_tol(file, "gram_xx"), GOLDEN_MAX_NORM);
        gram(text, x, y, K);
        golden_check(text, xy.data, K, xy.count, golden_tol(file, "gram_xy"), GOLDEN_MAX_NORM);
        free(K);
    }
    golden_free(file);
}

enum { ROWS = 24, INPUTS = 40 };

/* Root mean square difference of <x, x'> / size of networks from the limit, over entries and seeds. The input weights of
 * the network are uniform with variance 1/3. Their sum over 40 inputs is normal up to an excess kurtosis of 1.2 / 40. */
static double distance_of(int size, volt_view X, const double *limit)
{
    enum { SEEDS = 8 };
    double sum = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        char text[160];
        double K[ROWS * ROWS];
        snprintf(text, sizeof text, "esn:activation=erf,size=%d,radius=0.7,input=%.17g,bias=0,seed=%d", size,
                 0.9 * sqrt(3), seed);
        gram(text, X, (volt_view){0}, K);
        for (int k = 0; k < ROWS * ROWS; k++)
            sum += pow(K[k] / size - limit[k], 2) / (ROWS * ROWS * SEEDS);
    }
    return sqrt(sum);
}

/* An average over N units of products of at most 1 has a standard deviation of at most 1 / sqrt(N). The errors of
 * earlier steps are kept with the rate eta, so the sum has at most 1 / (1 - eta) of that; a spectral radius of exactly 0.7
 * differs from its limit by less. The ratio of two sizes 16 times apart is then near 4; 2.5 leaves room for 8 seeds. */
static void networks_converge(void **state)
{
    volt_rng rng = test_rng(7);
    double *rows = random_rows(&rng, ROWS, INPUTS, 1), limit[ROWS * ROWS];
    volt_view X = volt_view_of(rows, ROWS, INPUTS);
    double eta = 0.49;
    gram("recurrent:activation=erf,radius=0.7,input=0.9,bias=0", X, (volt_view){0}, limit);
    double small = distance_of(8, X, limit), large = distance_of(128, X, limit);
    print_message("rms distance of 8 units %g, of 128 units %g\n", small, large);
    if (!(small <= 1 / ((1 - eta) * sqrt(8)) && large <= 1 / ((1 - eta) * sqrt(128)) && large < small / 2.5))
        fail_msg("networks of 8 and 128 units differ from the limit by %g and %g", small, large);
    free(rows);
}

/* |K| <= largest, K(x, x) of sign is 1, and rows far apart are forgotten at the rate of the facts. */
static void bounds_hold(void **state)
{
    static const char *const texts[] = {"recurrent:activation=erf,radius=1.1,bias=0.6,leak=0.4",
                                        "recurrent:activation=relu,radius=0.9,leak=0.7,input=2",
                                        "recurrent:activation=sign"};
    enum { N = 60 };
    volt_rng rng = test_rng(8);
    double *one = random_rows(&rng, N, 2, 1), *other = random_rows(&rng, N, 2, 1), K[N * N];
    for (int c = 0; c < 3; c++) {
        volt_kernel *kernel = parse(texts[c]);
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        check_ok(volt_kernel_query(kernel, 1, 2, DBL_EPSILON, &facts));
        volt_kernel_free(kernel);
        gram(texts[c], volt_view_of(one, N, 2), volt_view_of(other, N, 2), K);
        for (int k = 0; k < N * N; k++)
            if (!(fabs(K[k]) <= facts.largest * (1 + 8 * DBL_EPSILON)))
                fail_msg("%s: entry %d is %g, beyond %g", texts[c], k, K[k], facts.largest);
        gram(texts[c], volt_view_of(one, N, 2), (volt_view){0}, K);
        for (int i = 0; i < N && c == 2; i++)
            assert_true(K[i * N + i] == 1);
    }
    /* Different first rows, then the same ones: K of the two approaches K of one with itself. */
    for (int c = 0; c < 2; c++) {
        double changed[N * 2], self[N * N], both[N * N];
        for (int k = 0; k < N * 2; k++)
            changed[k] = k < 10 ? other[k] : one[k];
        volt_kernel *kernel = parse(texts[c]);
        volt_kernel_facts facts = {.struct_size = sizeof facts};
        check_ok(volt_kernel_query(kernel, 1, 2, DBL_EPSILON, &facts));
        volt_kernel_free(kernel);
        gram(texts[c], volt_view_of(one, N, 2), (volt_view){0}, self);
        gram(texts[c], volt_view_of(one, N, 2), volt_view_of(changed, N, 2), both);
        for (int t = 5; t < N; t++) {
            double bound = 2 * facts.largest * pow(facts.contraction, t - 4) + 64 * DBL_EPSILON * facts.largest;
            if (!(fabs(both[t * N + t] - self[t * N + t]) <= bound))
                fail_msg("%s: after %d equal rows the kernels differ by %g, beyond %g", texts[c], t - 4,
                         both[t * N + t] - self[t * N + t], bound);
        }
    }
    free(one);
    free(other);
}

static void refusals(void **state)
{
    static const struct {
        const char *text, *terms;
    } cases[] = {
        {"recurrent:activation=tanh", "activation tanh erf"},
        {"recurrent:radius=-0.1", "radius -0.1"},
        {"recurrent:radius=10", "radius 10"},
        {"recurrent:input=0", "input 0"},
        {"recurrent:bias=-1", "bias -1"},
        {"recurrent:leak=0", "leak 0"},
        {"recurrent:leak=1.5", "leak 1.5"},
        {"recurrent:radius=1.2,bias=0.1", "radius 1.2 bias"},
        {"recurrent:activation=relu,radius=1", "radius relu"},
        {"recurrent:activation=sign,bias=0", "bias sign"},
        {"recurrent:size=5", "size"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = NULL;
        check_fails(volt_kernel_parse(cases[c].text, &kernel), VOLT_ERR_KERNEL, cases[c].terms);
        assert_null(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_definition),
        cmocka_unit_test(networks_converge),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("recurrent kernels", tests, NULL, NULL);
}
