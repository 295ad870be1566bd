/* tests/property/test_gram_normalised.c: normalised Gram matrices of sequences and of collections compared
 * with their definition, and the warning when matrices of one problem have different radii. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/kernel.h"

enum { N = 83, M = 29, D = 3 }; /* N: more than a block of 64 rows */

static const volt_gram_options plain_options = {
    .struct_size = sizeof(volt_gram_options), .mirror = 1, .radius = 1.5};
static const volt_gram_options normalised = {
    .struct_size = sizeof(volt_gram_options), .mirror = 1, .radius = 1.5, .normalise = 1};

/* One of every engine. */
static const char *const kernels[] = {"volterra",
                                      "volterra:lift=rbf,gamma=0.4",
                                      "fading",
                                      "memory",
                                      "recurrent:activation=relu",
                                      "esn:size=12",
                                      "sas:size=9",
                                      "fir:mu=0.8,corr=0.5",
                                      "2*linear + rbf:pole=0.4*fading",
                                      "linear",
                                      "poly:degree=3,coef0=0.2,window=4",
                                      "rbf:window=5",
                                      "sig:level=3,window=6",
                                      "sig:level=2,window=9",
                                      "sigpde:window=5,static=rbf,sigma=3",
                                      "gak:sigma=1,window=4"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* K(x, x) = 1; elsewhere two values of the kernel, each off by 1000 eps of the largest as in other tests of
 * these kernels, and a few roundings. Entries are at most 1. */
static const double tolerance = 1e4 * DBL_EPSILON;

static void check_entries(const char *text, volt_view K, const double *rows, const double *columns,
                          volt_view actual)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < K.cols; j++) {
            double expected = K.data[i * K.ld + j] / sqrt(rows[i] * columns[j]),
                   value = actual.data[i * actual.ld + j];
            if (!(fabs(value - expected) <= tolerance))
                fail_msg("%s: entry %d, %d is %.17g, expected %.17g", text, (int)i, (int)j, value, expected);
        }
}

static void take_diagonal(volt_view K, double *diagonal)
{
    for (int64_t i = 0; i < K.rows; i++)
        diagonal[i] = K.data[i * K.ld + i];
}

static void sequences_by_definition(void **state)
{
    volt_rng rng = test_rng(911);
    double *x = random_rows(&rng, N, D, 1.2), *y = random_rows(&rng, M, D, 0.9);
    double *K = new_matrix(N, N), *actual = new_matrix(N, N), self_x[N], self_y[M];
    volt_view X = volt_view_of(x, N, D), Y = volt_view_of(y, M, D), none = volt_view_of(NULL, 0, 0);
    for (int k = 0; k < KERNELS; k++) {
        volt_kernel *kernel = plain_parse(kernels[k]);
        check_ok(volt_gram(kernel, Y, none, &plain_options, volt_matrix_of(K, M, M)));
        take_diagonal(volt_view_of(K, M, M), self_y);
        check_ok(volt_gram(kernel, X, none, &plain_options, volt_matrix_of(K, N, N)));
        take_diagonal(volt_view_of(K, N, N), self_x);
        check_ok(volt_gram(kernel, X, none, &normalised, volt_matrix_of(actual, N, N)));
        check_entries(kernels[k], volt_view_of(K, N, N), self_x, self_x, volt_view_of(actual, N, N));
        for (int i = 0; i < N; i++) {
            assert_true(actual[i * N + i] == 1);
            for (int j = 0; j < i; j++)
                assert_true(actual[i * N + j] == actual[j * N + i]);
        }
        check_ok(volt_gram(kernel, X, Y, &plain_options, volt_matrix_of(K, N, M)));
        check_ok(volt_gram(kernel, X, Y, &normalised, volt_matrix_of(actual, N, M)));
        check_entries(kernels[k], volt_view_of(K, N, M), self_x, self_y, volt_view_of(actual, N, M));
        volt_kernel_free(kernel);
    }
    free(actual);
    free(K);
    free(y);
    free(x);
}

/* Of features less the mean of those of the columns: with k the kernel before centring, that of x with
 * itself is k(x, x) - 2 mean_l k(x, y_l) + mean_kl k(y_k, y_l). */
static void centred_by_definition(void **state)
{
    volt_rng rng = test_rng(912);
    double *x = random_rows(&rng, N, D, 1), *y = random_rows(&rng, M, D, 1);
    double cross[N * M], own[M * M], actual[N * M], centred[N * M], self_x[N], self_y[M], mean = 0;
    volt_view X = volt_view_of(x, N, D), Y = volt_view_of(y, M, D), none = volt_view_of(NULL, 0, 0);
    volt_kernel *plain = plain_parse("gak:sigma=0.7,window=4"),
                *kernel = plain_parse("gak:sigma=0.7,window=4,centre=yes");
    check_ok(volt_gram(plain, X, Y, &plain_options, volt_matrix_of(cross, N, M)));
    check_ok(volt_gram(plain, Y, none, &plain_options, volt_matrix_of(own, M, M)));
    check_ok(volt_gram(kernel, X, Y, &plain_options, volt_matrix_of(centred, N, M)));
    for (int k = 0; k < M * M; k++)
        mean += own[k] / (M * M);
    for (int i = 0; i < N; i++) {
        self_x[i] = 1 + mean;
        for (int j = 0; j < M; j++)
            self_x[i] -= 2 * cross[i * M + j] / M;
    }
    for (int i = 0; i < M; i++) {
        self_y[i] = 1 + mean;
        for (int j = 0; j < M; j++)
            self_y[i] -= 2 * own[i * M + j] / M;
    }
    check_ok(volt_gram(kernel, X, Y, &normalised, volt_matrix_of(actual, N, M)));
    check_entries("centred", volt_view_of(centred, N, M), self_x, self_y, volt_view_of(actual, N, M));
    check_ok(volt_gram(kernel, Y, none, &plain_options, volt_matrix_of(centred, M, M)));
    check_ok(volt_gram(kernel, Y, none, &normalised, volt_matrix_of(actual, M, M)));
    check_entries("centred, same", volt_view_of(centred, M, M), self_y, self_y, volt_view_of(actual, M, M));
    volt_kernel_free(kernel);
    volt_kernel_free(plain);
    free(y);
    free(x);
}

static void collections_by_definition(void **state)
{
    enum { SERIES = 13, OTHERS = 6 };
    static const char *const on_series[] = {"volterra",
                                            "fading",
                                            "memory",
                                            "fir + 0.5*memory:pole=0.3",
                                            "esn:size=12",
                                            "sig:level=3",
                                            "sigpde:static=rbf,sigma=3",
                                            "gak:sigma=1"};
    volt_rng rng = test_rng(913);
    volt_view series[SERIES];
    for (int i = 0; i < SERIES; i++)
        series[i] = volt_view_of(random_rows(&rng, 2 + i, D, 1.2), 2 + i, D);
    const volt_view *others = series + SERIES - OTHERS;
    double K[SERIES * SERIES], actual[SERIES * SERIES], self[SERIES];
    for (int k = 0; k < (int)(sizeof on_series / sizeof *on_series); k++) {
        volt_kernel *kernel = plain_parse(on_series[k]);
        check_ok(volt_gram_collection(kernel, series, SERIES, NULL, 0, &plain_options,
                                      volt_matrix_of(K, SERIES, SERIES)));
        take_diagonal(volt_view_of(K, SERIES, SERIES), self);
        check_ok(volt_gram_collection(kernel, series, SERIES, NULL, 0, &normalised,
                                      volt_matrix_of(actual, SERIES, SERIES)));
        check_entries(on_series[k], volt_view_of(K, SERIES, SERIES), self, self,
                      volt_view_of(actual, SERIES, SERIES));
        check_ok(volt_gram_collection(kernel, others, OTHERS, series, SERIES, &plain_options,
                                      volt_matrix_of(K, OTHERS, SERIES)));
        check_ok(volt_gram_collection(kernel, others, OTHERS, series, SERIES, &normalised,
                                      volt_matrix_of(actual, OTHERS, SERIES)));
        check_entries(on_series[k], volt_view_of(K, OTHERS, SERIES), self + SERIES - OTHERS, self,
                      volt_view_of(actual, OTHERS, SERIES));
        volt_kernel_free(kernel);
    }
    for (int i = 0; i < SERIES; i++)
        free((double *)series[i].data);
}

/* A row with zero features cannot be normalised. */
static void rows_of_zero(void **state)
{
    double x[] = {1, 0, 2}, K[9];
    volt_view X = volt_view_of(x, 3, 1), one = volt_view_of(x, 1, 1), none = volt_view_of(NULL, 0, 0);
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .normalise = 1};
    volt_kernel *kernel = plain_parse("linear");
    check_fails(volt_gram(kernel, X, none, &options, volt_matrix_of(K, 3, 3)), VOLT_ERR_DATA, "row 2 1 0");
    check_fails(volt_gram(kernel, X, one, &options, volt_matrix_of(K, 3, 1)), VOLT_ERR_DATA, "row 2 1");
    check_fails(volt_gram(kernel, one, X, &options, volt_matrix_of(K, 1, 3)), VOLT_ERR_DATA, "column 2 1");
    volt_kernel_free(kernel);
}

static int stop_late(const char *stage, double fraction, void *context)
{
    (void)stage;
    double *last = context;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return fraction > 0.4;
}

static void progress_and_memory(void **state)
{
    volt_rng rng = test_rng(914);
    double *x = random_rows(&rng, N, D, 1), *K = new_matrix(N, N), last = 0;
    volt_view X = volt_view_of(x, N, D), Y = volt_view_of(x, M, D);
    volt_kernel *kernel = plain_parse("gak:sigma=1,window=4,centre=yes");
    volt_gram_options options = normalised;
    options.progress = (volt_progress){stop_late, &last};
    check_fails(volt_gram(kernel, X, Y, &options, volt_matrix_of(K, N, M)), VOLT_ERR_CANCELLED, "");
    assert_true(last > 0.4);
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_gram(kernel, X, Y, &normalised, volt_matrix_of(K, N, M));
        failing_alloc_check(status);
    }
    volt_kernel_free(kernel);
    free(K);
    free(x);
}

/* ---- radii ------------------------------------------------------------------------------------ */

static char said[512];

static void listen(volt_log_level level, const char *message, void *context)
{
    (void)context;
    if (level == VOLT_LOG_WARNING)
        snprintf(said, sizeof said, "%s", message);
}

/* The log message for a matrix with rows 3, 4 and columns 1, 0 times the factors. */
static const char *said_of(const char *text, double rows, double columns, double radius)
{
    double x[] = {3 * rows, 4 * rows}, y[] = {columns, 0}, K[4];
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .radius = radius};
    volt_kernel *kernel = plain_parse(text);
    said[0] = '\0';
    volt_set_log(listen, NULL);
    check_ok(
        volt_gram(kernel, volt_view_of(x, 1, 2), volt_view_of(y, 1, 2), &options, volt_matrix_of(K, 1, 1)));
    volt_view a = volt_view_of(x, 1, 2), b = volt_view_of(y, 1, 2);
    char once[sizeof said];
    snprintf(once, sizeof once, "%s", said);
    said[0] = '\0';
    if (strncmp(text, "volterra", 8) == 0) {
        check_ok(volt_gram_collection(kernel, &a, 1, &b, 1, &options, volt_matrix_of(K, 1, 1)));
        assert_string_equal(said, once);
    }
    snprintf(said, sizeof said, "%s", once);
    volt_set_log(NULL, NULL);
    volt_kernel_free(kernel);
    return said;
}

static void radii_of_one_problem(void **state)
{
    assert_non_null(strstr(said_of("volterra", 1, 2, 0), "up to 5, the columns up to 2"));
    assert_non_null(strstr(said_of("volterra:tau=0.1,lambda_coef=0.5", 1, 2, 0), "radius"));
    assert_string_equal(said_of("volterra", 1, 2, 5), "");   /* it is given */
    assert_string_equal(said_of("volterra", 0.4, 2, 0), ""); /* the rows reach as far as the columns */
    assert_string_equal(said_of("volterra", 0.1, 2, 0), ""); /* and less far */
    assert_string_equal(said_of("volterra:tau=0.1,lambda=0.3", 1, 2, 0),
                        ""); /* the same kernel on any radius */
    assert_string_equal(said_of("rbf", 1, 2, 0), "");
    assert_string_equal(said_of("fading", 1, 2, 0), "");

    double x[] = {3, 4, -6, 8}, radius = 0, bad[] = {1, NAN};
    check_ok(volt_radius(volt_view_of(x, 2, 2), &radius));
    assert_true(radius == 10);
    check_fails(volt_radius(volt_view_of(bad, 1, 2), &radius), VOLT_ERR_NOT_FINITE, "row 1 column 2");
    check_fails(volt_radius(volt_view_of(NULL, 0, 0), &radius), VOLT_ERR_SHAPE, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_by_definition),   cmocka_unit_test(centred_by_definition),
        cmocka_unit_test(collections_by_definition), cmocka_unit_test(rows_of_zero),
        cmocka_unit_test(progress_and_memory),       cmocka_unit_test(radii_of_one_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
