/* tests/property/test_gram_plain.c: Gram matrices of every lift against plain loops: shapes round the edges of
 * bands and tiles, leading dimensions, triangles and mirrors. */
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"

enum { PADDING = 5 };
static const double untouched = 1234.5;

/* A copy with `PADDING` numbers behind each row: NaN, so that reading them shows. */
static volt_view padded(const double *rows, int64_t n, int64_t d)
{
    volt_view view = {NULL, n, d, d + PADDING};
    double *copy = new_matrix(n, view.ld);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < view.ld; k++)
            copy[i * view.ld + k] = k < d ? rows[i * d + k] : NAN;
    view.data = copy;
    return view;
}

static volt_matrix empty_gram(int64_t n, int64_t m)
{
    volt_matrix K = {new_matrix(n, m + PADDING), n, m, m + PADDING};
    for (int64_t i = 0; i < n * K.ld; i++)
        K.data[i] = untouched;
    return K;
}

static void check_padding(volt_matrix K)
{
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = K.cols; j < K.ld; j++)
            assert_true(K.data[i * K.ld + j] == untouched);
}

static void check_entry(const plain_kernel *kernel, const volt_matrix *K, const volt_matrix *truth, int64_t i,
                        int64_t j, double tolerance)
{
    double actual = K->data[i * K->ld + j], expected = truth->data[i * truth->ld + j];
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%s, %lld x %lld: K[%lld][%lld] is %.17g, expected %.17g: error %.3g, tolerance %.3g",
                 kernel->text, (long long)K->rows, (long long)K->cols, (long long)i, (long long)j, actual,
                 expected, fabs(actual - expected), tolerance);
}

static void check_rectangle(const plain_kernel *kernel, volt_rng *rng, int64_t n, int64_t m, int64_t d)
{
    volt_kernel *parsed = plain_parse(kernel->text);
    double *rows = random_rows(rng, n, d, 1), *columns = random_rows(rng, m, d, 1);
    volt_view X = padded(rows, n, d), Y = padded(columns, m, d);
    volt_matrix K = empty_gram(n, m), truth = empty_gram(n, m);
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    check_ok(volt_gram(parsed, X, Y, &options, K));
    plain_gram(kernel, X, Y, truth);
    double tolerance = plain_tolerance(kernel, 1, d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            check_entry(kernel, &K, &truth, i, j, tolerance);
    check_padding(K);
    free(truth.data);
    free(K.data);
    free((double *)Y.data);
    free((double *)X.data);
    free(columns);
    free(rows);
    volt_kernel_free(parsed);
}

/* The triangle, the mirrored matrix and the rectangular matrix of X with itself. */
static void check_symmetric(const plain_kernel *kernel, volt_rng *rng, int64_t n, int64_t d)
{
    volt_kernel *parsed = plain_parse(kernel->text);
    double *rows = random_rows(rng, n, d, 1);
    volt_view X = padded(rows, n, d), none = volt_view_of(NULL, 0, 0);
    volt_matrix lower = empty_gram(n, n), full = empty_gram(n, n), rectangle = empty_gram(n, n);
    volt_matrix truth = empty_gram(n, n);
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .mirror = 0, .radius = 1};
    check_ok(volt_gram(parsed, X, none, &options, lower));
    check_ok(volt_gram(parsed, X, X, &options, rectangle));
    options.mirror = 1;
    check_ok(volt_gram(parsed, X, none, &options, full));
    plain_gram(kernel, X, X, truth);
    double tolerance = plain_tolerance(kernel, 1, d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            check_entry(kernel, &full, &truth, i, j, tolerance);
            check_entry(kernel, &rectangle, &truth, i, j, tolerance);
            assert_true(full.data[i * full.ld + j] == full.data[j * full.ld + i]);
            if (j <= i)
                assert_true(lower.data[i * lower.ld + j] == full.data[i * full.ld + j]);
            else
                assert_true(lower.data[i * lower.ld + j] == untouched);
        }
    check_padding(lower);
    check_padding(full);
    free(truth.data);
    free(rectangle.data);
    free(full.data);
    free(lower.data);
    free((double *)X.data);
    free(rows);
    volt_kernel_free(parsed);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void small_rectangles(void **state)
{
    volt_rng rng = test_rng(1);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        for (int64_t n = 1; n <= 9; n++)
            for (int64_t m = 1; m <= 9; m++)
                check_rectangle(&plain_kernels[p], &rng, n, m, 1 + (n + m) % 4);
}

/* A band has 256 diagonals, a tile 4 rows, a chunk of columns 8. */
static void rectangles_round_the_edges_of_bands(void **state)
{
    volt_rng rng = test_rng(2);
    static const int64_t shapes[][2] = {{255, 2},  {256, 1},  {257, 3},  {258, 5}, {1, 255}, {2, 256},
                                        {3, 257},  {4, 258},  {300, 7},  {7, 300}, {5, 513}, {33, 128},
                                        {20, 193}, {1, 1024}, {1024, 1}, {34, 127}};
    for (int p = 0; p < PLAIN_KERNELS; p++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            check_rectangle(&plain_kernels[p], &rng, shapes[s][0], shapes[s][1], 2);
}

static void random_rectangles_near_the_bounds(void **state)
{
    volt_rng rng = test_rng(3);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        for (int round = 0; round < 12; round++) {
            int64_t n = 1 + (int64_t)(volt_rng_uniform(&rng) * 70),
                    m = 1 + (int64_t)(volt_rng_uniform(&rng) * 70);
            int64_t d = 1 + (int64_t)(volt_rng_uniform(&rng) * 14);
            check_rectangle(&plain_slow_kernels[p], &rng, n, m, d);
        }
}

static void small_triangles(void **state)
{
    volt_rng rng = test_rng(4);
    for (int p = 0; p < PLAIN_KERNELS; p++)
        for (int64_t n = 1; n <= 13; n++)
            check_symmetric(&plain_kernels[p], &rng, n, 1 + n % 5);
}

static void triangles_round_the_edges_of_bands(void **state)
{
    volt_rng rng = test_rng(5);
    for (int64_t n = 255; n <= 258; n++)
        check_symmetric(&plain_kernels[PLAIN_GEOMETRIC], &rng, n, 1);
    check_symmetric(&plain_kernels[PLAIN_RBF], &rng, 258, 1); /* the one whose diagonal is special */
}

/* More than one band on each side of the diagonal. */
static void large_geometric_triangle(void **state)
{
    volt_rng rng = test_rng(6);
    check_symmetric(&plain_slow_kernels[0], &rng, 515, 1);
}

/* ---- hand values and failures ----------------------------------------------------------------- */

/* tau = 0.5, lambda = 0.5: lambda^2 = tau^2 = 1/4, border 4/3. x = (1, 0.5): K00 = 1 + (1/4) (4/3) / (1 - 1/4)
 * = 13/9, K10 = 1 + (1/3) / (1 - 1/8) = 29/21, K11 = 1 + (1/4) (13/9) / (1 - 1/16) = 1 + 13/33.75. */
static void two_rows_by_hand(void **state)
{
    volt_kernel *kernel = plain_parse("volterra:tau=0.5,lambda=0.5");
    double x[] = {1, 0.5}, K[4];
    check_ok(volt_gram(kernel, volt_view_of(x, 2, 1), volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
    assert_true(fabs(K[0] - 13.0 / 9) < 1e-15);
    assert_true(fabs(K[2] - 29.0 / 21) < 1e-15);
    assert_true(fabs(K[3] - (1 + 13 / 33.75)) < 1e-15);
    assert_true(K[1] == K[2]);
    volt_kernel_free(kernel);
}

static void invalid_calls_are_rejected(void **state)
{
    volt_kernel *kernel = plain_parse("volterra:tau=0.5,lambda=0.5");
    double x[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, K[9];
    for (int i = 0; i < 9; i++)
        K[i] = untouched;
    volt_view X = volt_view_of(x, 3, 2), none = volt_view_of(NULL, 0, 0), narrow = {x, 3, 2, 1};
    volt_matrix out = volt_matrix_of(K, 3, 3), short_rows = {K, 3, 3, 2};
    check_fails(volt_gram(NULL, X, none, NULL, out), VOLT_ERR_ARGUMENT, "kernel");
    check_fails(volt_gram(kernel, none, none, NULL, out), VOLT_ERR_SHAPE, "row");
    check_fails(volt_gram(kernel, volt_view_of(x, 3, 0), none, NULL, out), VOLT_ERR_SHAPE, "column");
    check_fails(volt_gram(kernel, narrow, none, NULL, out), VOLT_ERR_SHAPE, "dimension");
    check_fails(volt_gram(kernel, X, volt_view_of(x, 3, 1), NULL, out), VOLT_ERR_SHAPE, "2 columns Y 1");
    check_fails(volt_gram(kernel, X, none, NULL, volt_matrix_of(K, 3, 2)), VOLT_ERR_SHAPE, "x 3");
    check_fails(volt_gram(kernel, X, none, NULL, volt_matrix_of(NULL, 3, 3)), VOLT_ERR_SHAPE, "K");
    check_fails(volt_gram(kernel, X, none, NULL, short_rows), VOLT_ERR_SHAPE, "K");
    volt_gram_options options = {.struct_size = sizeof(volt_gram_options), .radius = 0.7};
    check_fails(volt_gram(kernel, X, none, &options, out), VOLT_ERR_ARGUMENT, "norms 0.78");
    options.radius = -1;
    check_fails(volt_gram(kernel, X, none, &options, out), VOLT_ERR_ARGUMENT, "radius -1");
    options.radius = NAN;
    check_fails(volt_gram(kernel, X, none, &options, out), VOLT_ERR_ARGUMENT, "radius");
    options.radius = INFINITY;
    check_fails(volt_gram(kernel, X, none, &options, out), VOLT_ERR_ARGUMENT, "finite");
    x[3] = NAN;
    check_fails(volt_gram(kernel, X, none, NULL, out), VOLT_ERR_NOT_FINITE, "row 2 column");
    x[3] = -INFINITY;
    check_fails(volt_gram(kernel, volt_view_of(x, 1, 2), X, NULL, volt_matrix_of(K, 1, 3)), VOLT_ERR_NOT_FINITE,
                "Y");
    x[3] = 1e200;
    check_fails(volt_gram(kernel, X, none, NULL, out), VOLT_ERR_NOT_FINITE, "1e+200");
    for (int i = 0; i < 9; i++)
        assert_true(K[i] == untouched);
    volt_kernel_free(kernel);
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)fraction;
    ++*(int *)context;
    assert_string_equal(stage, "gram");
    return 1;
}

static void progress_callback_cancels(void **state)
{
    volt_kernel *kernel = plain_parse("volterra:tau=0.5,lambda=0.5");
    int calls = 0;
    double x[4] = {0.1, 0.2, 0.3, 0.4}, K[16];
    volt_gram_options options = {
        .struct_size = sizeof(volt_gram_options), .mirror = 1, .progress = {cancel, &calls}};
    check_fails(
        volt_gram(kernel, volt_view_of(x, 4, 1), volt_view_of(NULL, 0, 0), &options, volt_matrix_of(K, 4, 4)),
        VOLT_ERR_CANCELLED, "gram");
    assert_int_equal(calls, 1);
    volt_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rectangles),
        cmocka_unit_test(rectangles_round_the_edges_of_bands),
        cmocka_unit_test(random_rectangles_near_the_bounds),
        cmocka_unit_test(small_triangles),
        cmocka_unit_test(triangles_round_the_edges_of_bands),
        cmocka_unit_test(large_geometric_triangle),
        cmocka_unit_test(two_rows_by_hand),
        cmocka_unit_test(invalid_calls_are_rejected),
        cmocka_unit_test(progress_callback_cancels),
    };
    return cmocka_run_group_tests_name("gram_plain", tests, NULL, NULL);
}
