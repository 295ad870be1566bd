/* tests/unit/kernel/test_kernel_edges.c: unusual kernel texts, and kernels on unusual rows. */
#include "base/memory.h"
#include "gram/gram.h"
#include "kernel/kernel_entry.h"
#include "kernel/records.h"
#include "kernel/reservoir.h"
#include "support/check.h"
#include "support/engine_kernels.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/scratch.h"
#include "support/sequences.h"
#include "support/tensor_file.h"
#include "volterra/kernel.h"

static void refuse(const char *text, const char *fragment)
{
    volt_kernel *kernel = NULL;
    check_fails(volt_kernel_parse(text, &kernel), VOLT_ERR_KERNEL, fragment);
    assert_null(kernel);
}

/* `piece` repeated, separated by `between`. */
static const char *repeat(const char *piece, const char *between, int count, char *text)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        strcat(strcat(text, i ? between : ""), piece);
    return text;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static void exponent_signs_do_not_split_factors(void **state)
{
    static const char *const texts[] = {"2.e+1*rbf:gamma=1", "2.0E+1*rbf:gamma=1", "2e+1*rbf:gamma=1",
                                        "20*rbf:gamma=1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        volt_kernel *kernel = plain_parse(texts[i]);
        volt_kernel_value weight = {.struct_size = sizeof weight};
        check_ok(volt_kernel_get(kernel, "weight", &weight));
        assert_true(weight.number == 20);
        volt_kernel_free(kernel);
    }
}

static void too_long_texts_are_rejected(void **state)
{
    char text[4096];
    volt_kernel *kernel = NULL;
    refuse(repeat("rbf", "*", 17, text), "the kernel has more than 16 factors");
    refuse(repeat("rbf", "+", 17, text), "the kernel has more than 16 factors");
    kernel = plain_parse(repeat("rbf", "*", 16, text));
    volt_kernel_free(kernel);
    /* short as given, and too long with its defaults */
    refuse(repeat("esn:size=2,radius=0.12345678901234567,input=0.12345678901234567,leak=0.12345678901234567",
                  " + ", 16, text),
           "the kernel's text with all parameters has more than 2047 characters");
    check_fails(volt_kernel_parse_open(NULL, &kernel), VOLT_ERR_ARGUMENT, "kernel NULL");
    memset(text, ' ', 3000);
    text[3000] = '\0';
    check_fails(volt_kernel_parse_open(text, &kernel), VOLT_ERR_KERNEL, "characters 3000 2047");
}

/* The searched parameters are extracted from a text, as far as the list of names has room. */
static void open_parameters_are_extracted(void **state)
{
    static const struct {
        const char *text, *rest;
        int64_t most, count;
        const char *names[4];
    } cases[] = {
        {"rbf:gamma=?", "rbf", 4, 1, {"gamma"}},
        {"rbf:gamma=?,window=3", "rbf:window=3", 4, 1, {"gamma"}},
        {"memory:gamma=?,rho=?,mu=0.5", "memory:mu=0.5", 4, 2, {"gamma", "rho"}},
        {"memory:gamma=?,rho=?,mu=0.5", "memory:rho=?,mu=0.5", 1, 1, {"gamma"}},
        {"rbf:gamma=? + linear:window=?", "rbf + linear:window=?", 1, 1, {"1.gamma"}},
        {"rbf:gamma=? + ?*fir:mu=?", "rbf + fir", 4, 3, {"1.gamma", "2.mu", "2.weight"}},
        {"rbf:gamma=? + ?*fir:mu=?", "rbf + ?*fir", 2, 2, {"1.gamma", "2.mu"}},
        {"rbf:gamma=? + + fir:mu=?", "rbf + + fir", 4, 2, {"1.gamma", "2.mu"}},
        {"?*rbf", "rbf", 4, 1, {"1.weight"}},
        {"rbf?", "", 4, 1, {"rbf?"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128], names[4][VOLT_OPEN_NAME_LENGTH];
        snprintf(text, sizeof text, "%s", cases[i].text);
        assert_int_equal(volt_kernel_text_open_parameters(text, names, cases[i].most), cases[i].count);
        assert_string_equal(text, cases[i].rest);
        for (int64_t k = 0; k < cases[i].count; k++)
            assert_string_equal(names[k], cases[i].names[k]);
    }
}

static void parameters_are_inserted_into_text(void **state)
{
    static const struct {
        const char *text, *name, *wanted; /* NULL: invalid */
        size_t capacity;
    } cases[] = {
        {"rbf", "gamma", "rbf:gamma=7", 64},
        {"rbf  ", "gamma", "rbf:gamma=7  ", 64},
        {"", "gamma", ":gamma=7", 64},
        {"rbf:window=2", "gamma", "rbf:window=2,gamma=7", 64},
        {"rbf + fir ", "2.mu", "rbf + fir:mu=7 ", 64},
        {"rbf + fir", "2.weight", "rbf +7* fir", 64},
        {"rbf + fir", "3.mu", NULL, 64},
        {"rbf", "2gamma", "rbf:2gamma=7", 64},
        {"rbf", "gamma", NULL, 11},
        {"rbf", "gamma", "rbf:gamma=7", 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].text);
        bool put = volt_kernel_text_add(text, cases[i].capacity, cases[i].name, "7");
        assert_int_equal(put, cases[i].wanted != NULL);
        assert_string_equal(text, cases[i].wanted ? cases[i].wanted : cases[i].text);
    }
}

static void names_of_parameters(void **state)
{
    volt_kernel *kernel = plain_parse("rbf + fir:corr=0.5 + fir:corr=0.2");
    volt_kernel_value value = {.struct_size = sizeof value};
    check_fails(volt_kernel_get(kernel, "2mu", &value), VOLT_ERR_KERNEL, "\"2mu\"");
    assert_null(volt_kernel_parameter_name(kernel, -1));
    assert_string_equal(volt_kernel_parameter_name(kernel, 0), "1.weight");
    assert_int_equal(volt_kernel_slices(kernel), 3); /* each corr has its own slice */
    volt_kernel_free(kernel);
}

/* ---- Gram matrices -------------------------------------------------------------------------------- */

static const volt_view nothing = {NULL, 0, 0, 0};

/* Invalid arguments of collections, of one kernel and of an expression. */
static void collections_are_checked(void **state)
{
    static const char *const kernels[] = {"fir:mu=0.5", "2*fir:mu=0.5",
                                          "fir:mu=0.5*volterra:tau=0.3,lambda=0.3"};
    const double numbers[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        volt_kernel *kernel = plain_parse(kernels[i]);
        volt_view X[] = {volt_view_of(numbers, 3, 2), volt_view_of(numbers, 2, 2)};
        volt_view other[] = {volt_view_of(numbers, 3, 2), volt_view_of(numbers, 2, 1)};
        volt_view empty[] = {volt_view_of(numbers, 3, 2), volt_view_of(numbers, 0, 2)};
        double K[4] = {7, 7, 7, 7};
        volt_matrix out = volt_matrix_of(K, 2, 2);
        check_fails(volt_gram_collection(kernel, NULL, 2, NULL, 0, NULL, out), VOLT_ERR_SHAPE, "X");
        check_fails(volt_gram_collection(kernel, X, 0, NULL, 0, NULL, out), VOLT_ERR_SHAPE, "X");
        check_fails(volt_gram_collection(kernel, X, 2, X, 0, NULL, out), VOLT_ERR_SHAPE, "Y");
        check_fails(volt_gram_collection(kernel, other, 2, NULL, 0, NULL, out), VOLT_ERR_SHAPE,
                    "series 2 X 1 channels");
        check_fails(volt_gram_collection(kernel, X, 2, other, 2, NULL, out), VOLT_ERR_SHAPE,
                    "series 2 Y 1 channels");
        check_fails(volt_gram_collection(kernel, empty, 2, NULL, 0, NULL, out), VOLT_ERR_SHAPE, "series 2 X");
        check_fails(volt_gram_collection(kernel, X, 2, empty, 2, NULL, out), VOLT_ERR_SHAPE, "series 2 Y");
        check_fails(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, volt_matrix_of(NULL, 2, 2)),
                    VOLT_ERR_SHAPE, "K");
        check_fails(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, volt_matrix_of(K, 1, 2)), VOLT_ERR_SHAPE,
                    "K 1 2");
        check_fails(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, volt_matrix_of(K, 2, 1)), VOLT_ERR_SHAPE,
                    "K 2 1");
        check_fails(volt_gram_collection(kernel, X, 2, X, 1, NULL, out), VOLT_ERR_SHAPE, "K 2 1");
        check_fails(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, (volt_matrix){K, 2, 2, 1}),
                    VOLT_ERR_SHAPE, "K");
        assert_true(K[0] == 7 && K[3] == 7);
        check_ok(volt_gram_collection(kernel, X, 2, X, 2, NULL, out));
        volt_kernel_free(kernel);
    }
}

static void error_names_failing_factor(void **state)
{
    const double numbers[] = {0.1, 0.2, 0.3, 0.4}, large[] = {1e200, 0, 0, 1};
    volt_view X[] = {volt_view_of(numbers, 2, 2)}, far[] = {volt_view_of(large, 2, 2)};
    double K[4] = {7};
    static const struct {
        const char *kernel, *sentence, *part;
        bool series;
    } cases[] = {
        {"fir + 2*rbf", "factor 2: kernel rbf compares rows, not series", NULL, true},
        {"2*rbf", "kernel rbf compares rows, not series", "factor", true},
        {"rbf + esn:size=3,density=1e-9,radius=0.5",
         "factor 2: kernel esn: the weights between states have a spectral radius of 0", NULL, false},
        {"2*esn:size=3,density=1e-9,norm=0.5", "kernel esn: the weights between states have a norm of 0",
         "factor", false},
        {"sas:size=3,density=1e-9", "kernel sas: a matrix that was drawn is 0", "factor", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_kernel *kernel = plain_parse(cases[i].kernel);
        volt_status status = cases[i].series
                                 ? volt_gram_collection(kernel, X, 1, NULL, 0, NULL, volt_matrix_of(K, 1, 1))
                                 : volt_gram(kernel, X[0], nothing, NULL, volt_matrix_of(K, 2, 2));
        check_fails(status, cases[i].series ? VOLT_ERR_KERNEL : VOLT_ERR_ARGUMENT, cases[i].sentence);
        assert_true(!cases[i].part || !strstr(volt_error_detail(), cases[i].part));
        volt_kernel_free(kernel);
    }
    volt_kernel *gak = plain_parse("gak");
    check_fails(volt_gram_collection(gak, far, 1, NULL, 0, NULL, volt_matrix_of(K, 1, 1)), VOLT_ERR_NOT_FINITE,
                "inputs 1e+200");
    volt_kernel_free(gak);
}

static int64_t warnings;

static void hear(volt_log_level level, const char *message, void *context)
{
    (void)message;
    (void)context;
    warnings += level == VOLT_LOG_WARNING;
}

static int listen_no_more(void **state)
{
    volt_set_log(NULL, NULL);
    failing_alloc_stop();
    return 0;
}

static void matrices_are_checked(void **state)
{
    const double numbers[] = {0.1, 0.2, 0.3, 0.4}, far[] = {3, 0, 0, 2}, farther[] = {5, 0, 0, 4};
    double K[4] = {7, 7, 7, 7};
    volt_view X = volt_view_of(numbers, 2, 2);
    volt_kernel *kernel = plain_parse("linear"), *bounded = plain_parse("volterra:tau=0.5,lambda=0.5");
    volt_matrix out = volt_matrix_of(K, 2, 2);
    check_fails(volt_gram(kernel, X, volt_view_of(numbers, 0, 2), NULL, out), VOLT_ERR_SHAPE, "Y");
    check_fails(volt_gram(kernel, X, nothing, NULL, volt_matrix_of(NULL, 2, 2)), VOLT_ERR_SHAPE, "K 2");
    check_fails(volt_gram(kernel, X, nothing, NULL, (volt_matrix){K, 2, 2, 1}), VOLT_ERR_SHAPE, "K 2");
    check_fails(volt_gram(kernel, X, nothing, NULL, volt_matrix_of(K, 1, 2)), VOLT_ERR_SHAPE, "K 1 2");
    check_fails(volt_radius(X, NULL), VOLT_ERR_ARGUMENT, "radius NULL");
    /* outside the ball on either side: an error, without an earlier warning */
    warnings = 0;
    volt_set_log(hear, NULL);
    check_fails(volt_gram(bounded, volt_view_of(farther, 2, 2), volt_view_of(far, 2, 2), NULL, out),
                VOLT_ERR_ARGUMENT, "tau");
    assert_int_equal(warnings, 0);
    assert_true(K[0] == 7 && K[3] == 7);
    volt_kernel_free(bounded);
    volt_kernel_free(kernel);
}

/* Intermediate values that overflow. */
static void overflowing_parameters_are_rejected(void **state)
{
    const double large[] = {1e40, 0, 0, 1e40}, huge[] = {1.7e308, 1.7e308, 1.7e308, 1.7e308};
    double K[4];
    volt_gram_options options = volt_gram_options_default();
    volt_kernel *poly = plain_parse("poly:degree=5,gamma=1"), *echo = plain_parse("fir:corr=0.9,mu=0.9");
    check_fails(volt_gram(poly, volt_view_of(large, 2, 2), nothing, &options, volt_matrix_of(K, 2, 2)),
                VOLT_ERR_NOT_FINITE, "");
    options.normalise = 1;
    check_fails(volt_gram(poly, volt_view_of(large, 1, 2), volt_view_of(large + 2, 1, 2), &options,
                          volt_matrix_of(K, 1, 1)),
                VOLT_ERR_DATA, "itself");
    check_fails(volt_gram(echo, volt_view_of(huge, 4, 1), nothing, NULL, volt_matrix_of(K, 4, 4)),
                VOLT_ERR_NOT_FINITE, "X");
    volt_kernel_free(echo);
    volt_kernel_free(poly);
}

/* ---- reservoirs ------------------------------------------------------------------------------------ */

static volt_status gram_of_weights(const char *text, const char *path, double *K)
{
    const double Z[4] = {0.1, 0.2, 0.3, 0.4};
    char with[512];
    snprintf(with, sizeof with, "%s,weights=%s", text, path);
    volt_kernel *kernel = plain_parse(with);
    volt_status status = volt_gram(kernel, volt_view_of(Z, 2, 2), nothing, NULL, volt_matrix_of(K, 2, 2));
    volt_kernel_free(kernel);
    return status;
}

/* x -> tanh(A x + b): a rotation has no limit; A = -2.5 oscillates, and converges with damping 1/2. x -> P x
 * + q with P = I has no fixed point. */
static void resting_states_exist(void **state)
{
    double rotation[] = {0, -3, 3, 0}, C[4] = {0}, b[] = {0.5, 0.1}, unit[] = {1, 0, 0, 1};
    double zeros[8] = {0}, K[4] = {7, 7, 7, 7};
    tensor_entry esn[] = {{"A", 2, {2, 2}, rotation, 0}, {"C", 2, {2, 2}, C, 0}, {"b", 1, {2}, b, 0}};
    check_fails(gram_of_weights("esn:start=rest", tensor_file_write("w", esn, 3), K), VOLT_ERR_ARGUMENT,
                "kernel esn");
    assert_true(K[0] == 7);
    double swapped[] = {-2.5, 0, 0, -2.5};
    esn[0].data = swapped;
    check_ok(gram_of_weights("esn:start=rest", tensor_file_write("w", esn, 3), K));
    double
        x = 0,
        y = 0; /* the fixed points of tanh(0.5 - 2.5 x) and tanh(0.1 - 2.5 y); C is 0: the state is constant */
    for (int i = 0; i < 200; i++) {
        x = 0.5 * x + 0.5 * tanh(0.5 - 2.5 * x);
        y = 0.5 * y + 0.5 * tanh(0.1 - 2.5 * y);
    }
    assert_true(fabs(K[0] - (x * x + y * y)) < 1e-9 && fabs(K[3] - K[0]) < 1e-9);
    const tensor_entry sas[] = {{"P0", 2, {2, 2}, unit, 0},
                                {"q0", 1, {2}, b, 0},
                                {"P1", 3, {2, 2, 2}, zeros, 0},
                                {"q1", 2, {2, 2}, zeros, 0}};
    check_fails(gram_of_weights("sas:start=rest", tensor_file_write("w", sas, 4), K), VOLT_ERR_ARGUMENT,
                "kernel sas");
    warnings = 0;
    volt_set_log(hear, NULL);
    check_ok(gram_of_weights("sas:start=zero", tensor_file_write("w", sas, 4), K)); /* x_t = t q0 */
    assert_int_equal(warnings, 1);
    double q2 = b[0] * b[0] + b[1] * b[1];
    assert_true(fabs(K[0] - q2) < 1e-15 && fabs(K[1] - 2 * q2) < 1e-15 && fabs(K[3] - 4 * q2) < 1e-14);
    char text[512];
    snprintf(text, sizeof text, "sas:start=zero,weights=%s", tensor_file_write("w", sas, 4));
    volt_kernel *kernel = plain_parse(text);
    volt_kernel_facts facts = {.struct_size = sizeof facts};
    check_ok(volt_kernel_query(kernel, 1, 2, 1e-9, &facts));
    assert_true(facts.contraction == 0 && isinf(facts.largest)); /* no bound is known */
    volt_kernel_free(kernel);
}

/* Zero inputs have radius 0: weights are drawn as for radius 1, and only the constants affect the states. */
static void hear_difference(volt_log_level level, const char *message, void *context)
{
    (void)level;
    const char *left = strstr(message, "differ by ");
    *(double *)context = left ? strtod(left + strlen("differ by "), NULL) : 0;
}

/* Linear reservoirs: the difference of two states does not depend on the inputs. It starts with alternating signs. */
static void reservoir_with_long_memory_is_measured(void **state)
{
    enum { N = 9, ROWS = 200 };
    double A[N * N], radius = 0, x[N], next[N], squares = 0, found = 0, K[4];
    const double rows[2] = {0.5, 1};
    volt_reservoir_draw_normal(5, 0, 1, (int64_t)N * N, A);
    check_ok(volt_spectral_radius(A, N, &radius));
    for (int i = 0; i < N; i++)
        x[i] = i % 2 ? -1 : 1;
    for (int t = 0; t < ROWS; t++) {
        for (int i = 0; i < N; i++) {
            next[i] = 0;
            for (int j = 0; j < N; j++)
                next[i] += 0.998 / radius * A[i * N + j] * x[j];
        }
        memcpy(x, next, sizeof x);
    }
    for (int i = 0; i < N; i++)
        squares += x[i] * x[i] / N;
    volt_kernel *kernel = plain_parse("esn:size=9,radius=0.998,seed=5,activation=identity,start=zero");
    volt_set_log(hear_difference, &found);
    check_ok(volt_gram(kernel, volt_view_of(rows, 2, 1), nothing, NULL, volt_matrix_of(K, 2, 2)));
    volt_set_log(NULL, NULL);
    print_message("%.4g of the distance is left, %g printed\n", sqrt(squares), found);
    assert_true(fabs(found / sqrt(squares) - 1) < 0.05); /* two digits */
    volt_kernel_free(kernel);
}

static void reservoirs_on_zeros(void **state)
{
    const double zeros[4] = {0};
    double K[4];
    volt_kernel *kernel = plain_parse("sas:size=3,norm=0,start=zero"); /* p = 0: x_t = q0 */
    check_ok(volt_gram(kernel, volt_view_of(zeros, 2, 2), nothing, NULL, volt_matrix_of(K, 2, 2)));
    assert_true(K[0] > 0 && K[0] == K[1] && K[1] == K[2] && K[2] == K[3]);
    volt_kernel_free(kernel);
}

static void weights_with_wrong_shape_are_rejected(void **state)
{
    const double rows[] = {0.5, -0.2, 0.3, 0.9};
    volt_resolved resolved = resolve_on("esn:size=3", volt_view_of(rows, 2, 2));
    volt_reservoir *reservoir = resolved.reservoir;
    double numbers[64] = {0}, kept = reservoir->matrix[0];
    volt_reservoir_matrix wrong[] = {{.size = 4, .rows = reservoir->length + 1, .data = numbers},
                                     {.size = 3, .rows = reservoir->length, .data = numbers}};
    check_fails(volt_reservoir_set(reservoir, &wrong[0]), VOLT_ERR_SHAPE, "weights");
    check_fails(volt_reservoir_set(reservoir, &wrong[1]), VOLT_ERR_SHAPE, "weights");
    assert_true(reservoir->matrix[0] == kept);
    volt_resolved_release(&resolved);
}

/* A tiny element below a zero diagonal is ignored; a matrix with NaN has no radius. */
static void spectral_edge_cases(void **state)
{
    double tiny[] = {0, 1, 2, 1e-310, 0, 1, 0, 1e-310, 0}, broken[] = {NAN, 1, 1, 1, 1, 1, 0, 1, 1}, radius = 7;
    assert_int_equal(volt_hessenberg_radius(tiny, 3, &radius), 1);
    assert_true(radius <= 1e-150);
    radius = 7;
    assert_int_equal(volt_hessenberg_radius(broken, 3, &radius), 0);
    assert_true(radius == 7);
    double A[16] = {NAN};
    check_ok(volt_spectral_radius(A, 4, &radius));
    assert_true(radius == 0); /* rejected by callers that scale by it */
}

/* ---- records --------------------------------------------------------------------------------------- */

static void records_are_checked(void **state)
{
    volt_records records;
    const int64_t lengths[] = {2, 3};
    int64_t *cut = NULL, n = 7;
    check_fails(volt_records_make(lengths, -1, 5, &records), VOLT_ERR_ARGUMENT, "-1 records");
    check_fails(volt_records_make(NULL, 2, 5, &records), VOLT_ERR_ARGUMENT, "lengths");
    check_ok(volt_records_make(NULL, 0, 5, &records));
    assert_int_equal(records.n, 0);
    check_ok(volt_records_make(lengths, 2, 5, &records));
    failing_alloc_start(1);
    check_fails(volt_records_slice(&records, 1, 4, &cut, &n), VOLT_ERR_MEMORY, "");
    failing_alloc_stop();
    assert_true(!cut && n == 0);
    check_ok(volt_records_slice(&records, 1, 4, &cut, &n));
    assert_true(n == 2 && cut[0] == 1 && cut[1] == 2);
    volt_free(cut);
    volt_records_release(&records);
}

/* Nothing bounds the states of an unbounded activation: an overflow of the kernel is an error. */
static void overflow_of_linear_states(void **state)
{
    const double Z[] = {1, -1, 1, 1};
    double K[4] = {0};
    volt_kernel *kernel = plain_parse("esn:size=5,activation=identity,input=1e60,degree=3");
    check_fails(
        volt_gram(kernel, volt_view_of(Z, 2, 2), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)),
        VOLT_ERR_NOT_FINITE, "row 1 column 1");
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponent_signs_do_not_split_factors),
        cmocka_unit_test(too_long_texts_are_rejected),
        cmocka_unit_test(open_parameters_are_extracted),
        cmocka_unit_test(parameters_are_inserted_into_text),
        cmocka_unit_test(names_of_parameters),
        cmocka_unit_test(collections_are_checked),
        cmocka_unit_test(error_names_failing_factor),
        cmocka_unit_test_teardown(matrices_are_checked, listen_no_more),
        cmocka_unit_test(overflowing_parameters_are_rejected),
        cmocka_unit_test_teardown(resting_states_exist, listen_no_more),
        cmocka_unit_test(reservoirs_on_zeros),
        cmocka_unit_test(reservoir_with_long_memory_is_measured),
        cmocka_unit_test(weights_with_wrong_shape_are_rejected),
        cmocka_unit_test(spectral_edge_cases),
        cmocka_unit_test_teardown(records_are_checked, listen_no_more),
        cmocka_unit_test(overflow_of_linear_states),
    };
    return cmocka_run_group_tests_name("kernel edges", tests, NULL, NULL);
}
