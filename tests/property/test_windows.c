/* tests/property/test_windows.c: kernels on windows of a sequence equal the same kernels on windows that
 * were stacked one by one, for every kernel that has windows, at the edges of bands and tiles, and with one
 * value of size 1e6 among the inputs: values that do not depend on it keep full precision. */
#include "gram/engine/engine.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_paths.h"
#include "support/sequences.h"

enum { PADDING = 3 };
static const double untouched = 1234.5;

/* clang-format off */
static const plain_path_kernel kernels[] = {
    {"linear", PLAIN_STATIC_LINEAR, .gamma = 1},
    {"rbf:gamma=0.3", PLAIN_STATIC_RBF, .gamma = 0.3},
    {"poly:degree=3,gamma=0.2,coef0=0.5", PLAIN_STATIC_POLY, .degree = 3, .gamma = 0.2, .coef0 = 0.5},
    {"sigmoid:gamma=0.1,coef0=-0.2", PLAIN_STATIC_SIGMOID, .gamma = 0.1, .coef0 = -0.2},
    {"gak:sigma=0.7", PLAIN_GAK, .sigma = 0.7},
    {"gak:sigma=0.02", PLAIN_GAK, .sigma = 0.02}, /* doubles underflow */
    {"sig:level=1,order=1", PLAIN_SIG, .level = 1, .order = 1},
    {"sig:level=2,order=1", PLAIN_SIG, .level = 2, .order = 1},
    {"sig:level=2,order=2", PLAIN_SIG, .level = 2, .order = 2},
    {"sig:level=3,order=2", PLAIN_SIG, .level = 3, .order = 2},
    {"sig:level=4,order=1", PLAIN_SIG, .level = 4, .order = 1},
    {"sig:level=4,order=3", PLAIN_SIG, .level = 4, .order = 3},
    {"sig:level=4", PLAIN_SIG, .level = 4, .order = 4},
    {"sigpde", PLAIN_SIGPDE, .dyadic = 0},
    {"sigpde:dyadic=2", PLAIN_SIGPDE, .dyadic = 2},
    {"sigpde:static=rbf,sigma=0.8", PLAIN_SIGPDE_RBF, .sigma = 0.8},
    {"sigpde:dyadic=1,static=rbf,sigma=2", PLAIN_SIGPDE_RBF, .sigma = 2, .dyadic = 1},
    {"sig:level=2,augment=time", PLAIN_SIG, .level = 2, .order = 2, .time = true},
    {"sig:level=3,order=2,augment=leadlag", PLAIN_SIG, .level = 3, .order = 2, .leadlag = true},
    {"sig:level=3,augment=basepoint+time", PLAIN_SIG, .level = 3, .order = 3, .time = true, .basepoint = true},
    {"sigpde:augment=basepoint", PLAIN_SIGPDE, .basepoint = true},
    {"sigpde:static=rbf,sigma=3,augment=time+leadlag+basepoint", PLAIN_SIGPDE_RBF, .sigma = 3, .time = true,
     .leadlag = true, .basepoint = true},
};
/* clang-format on */
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct shape {
    int64_t n, m, d, window;
} shape;

static volt_kernel *with_window(const plain_path_kernel *kernel, int64_t window)
{
    char more[32];
    snprintf(more, sizeof more, "window=%lld", (long long)window);
    return plain_path_parse(kernel, more);
}

/* The same rows with numbers behind each: NaN, so that reading them shows. */
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

/* Entries whose bound is NaN (overflow) are skipped; the others are counted. */
static int64_t compare(const plain_path_kernel *kernel, shape s, volt_matrix K, const double *value,
                       const double *bound, bool lower)
{
    int64_t compared = 0;
    for (int64_t i = 0; i < K.rows; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : K.cols); j++) {
            double actual = K.data[i * K.ld + j], expected = value[i * K.cols + j],
                   most = bound[i * K.cols + j];
            if (!isfinite(expected) || !isfinite(most))
                continue;
            compared++;
            if (!(fabs(actual - expected) <= most))
                fail_msg("%s, %lld x %lld of %lld numbers, window %lld: K[%lld][%lld] is %.17g, expected "
                         "%.17g: error "
                         "%.3g, bound %.3g",
                         kernel->text, (long long)K.rows, (long long)K.cols, (long long)s.d,
                         (long long)s.window, (long long)i, (long long)j, actual, expected,
                         fabs(actual - expected), most);
        }
    return compared;
}

static double centre_of(int64_t d)
{
    return sqrt((double)d); /* the rows lie in the unit ball, but for an outlier that is no median */
}

/* Windows with an outlier may overflow and are then rejected. */
static bool all_finite(const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return false;
    return true;
}

static void check_rectangle(const plain_path_kernel *kernel, shape s, const double *rows, const double *columns,
                            double share)
{
    volt_kernel *parsed = with_window(kernel, s.window);
    volt_view X = padded(rows, s.n, s.d), Y = padded(columns, s.m, s.d);
    plain_path *x = plain_windows(kernel, X, s.window), *y = plain_windows(kernel, Y, s.window);
    double *value = new_matrix(s.n, s.m), *bound = new_matrix(s.n, s.m);
    volt_matrix K = empty_gram(s.n, s.m);
    plain_paths_gram(kernel, x, s.n, y, s.m, centre_of(s.d), value, bound);
    if (all_finite(value, s.n * s.m)) {
        check_ok(volt_gram(parsed, X, Y, NULL, K));
        int64_t compared = compare(kernel, s, K, value, bound, false);
        assert_true((double)compared >= share * (double)(s.n * s.m));
        check_padding(K);
    } else {
        check_fails(volt_gram(parsed, X, Y, NULL, K), VOLT_ERR_NOT_FINITE, "double");
    }
    free(K.data);
    free(bound);
    free(value);
    plain_paths_free(y, s.m);
    plain_paths_free(x, s.n);
    free((double *)Y.data);
    free((double *)X.data);
    volt_kernel_free(parsed);
}

/* Only the lower triangle, then mirrored. */
static void compare_symmetric(const plain_path_kernel *kernel, shape s, const volt_kernel *parsed, volt_view X,
                              const double *value, const double *bound, double share)
{
    volt_view none = volt_view_of(NULL, 0, 0);
    volt_matrix lower = empty_gram(s.n, s.n), full = empty_gram(s.n, s.n);
    volt_gram_options options = volt_gram_options_default();
    check_ok(volt_gram(parsed, X, none, &options, full));
    options.mirror = 0;
    check_ok(volt_gram(parsed, X, none, &options, lower));
    int64_t compared = compare(kernel, s, lower, value, bound, true);
    assert_true((double)compared >= share * (double)(s.n * (s.n + 1) / 2));
    bool unit = kernel->family == PLAIN_STATIC_RBF;
    for (int64_t i = 0; i < s.n; i++) {
        assert_true(!unit || lower.data[i * lower.ld + i] == 1); /* a window is at distance 0 from itself */
        for (int64_t j = 0; j < s.n; j++) {
            const double *one = &full.data[i * full.ld + j], *other = &lower.data[i * lower.ld + j];
            assert_memory_equal(one, &full.data[j * full.ld + i], sizeof(double));
            if (j <= i)
                assert_memory_equal(one, other, sizeof(double));
            else
                assert_true(*other == untouched);
        }
    }
    check_padding(lower);
    check_padding(full);
    free(full.data);
    free(lower.data);
}

static void check_symmetric(const plain_path_kernel *kernel, shape s, const double *rows, double share)
{
    volt_kernel *parsed = with_window(kernel, s.window);
    volt_view X = padded(rows, s.n, s.d), none = volt_view_of(NULL, 0, 0);
    plain_path *x = plain_windows(kernel, X, s.window);
    double *value = new_matrix(s.n, s.n), *bound = new_matrix(s.n, s.n);
    volt_matrix full = empty_gram(s.n, s.n);
    plain_paths_gram(kernel, x, s.n, x, s.n, centre_of(s.d), value, bound);
    if (all_finite(value, s.n * s.n))
        compare_symmetric(kernel, s, parsed, X, value, bound, share);
    else
        check_fails(volt_gram(parsed, X, none, NULL, full), VOLT_ERR_NOT_FINITE, "double");
    free(full.data);
    free(bound);
    free(value);
    plain_paths_free(x, s.n);
    free((double *)X.data);
    volt_kernel_free(parsed);
}

static void check_shape(const plain_path_kernel *kernel, shape s, volt_rng *rng)
{
    double *rows = random_rows(rng, s.n, s.d, 1), *columns = random_rows(rng, s.m, s.d, 1);
    check_rectangle(kernel, s, rows, columns, 1);
    check_symmetric(kernel, s, rows, 1);
    free(columns);
    free(rows);
}

/* ---- shapes ----------------------------------------------------------------------------------- */

static void small_shapes(void **state)
{
    volt_rng rng = test_rng(301);
    for (int p = 0; p < KERNELS; p++)
        for (int64_t window = 1; window <= 5; window++) {
            static const shape sizes[] = {{1, 1, 1, 0}, {1, 2, 2, 0}, {2, 1, 1, 0}, {3, 9, 2, 0},
                                          {8, 3, 3, 0}, {9, 8, 1, 0}, {7, 17, 2, 0}};
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                shape s = sizes[k];
                s.window = window;
                check_shape(&kernels[p], s, &rng);
            }
        }
}

static void windows_longer_than_the_sequence(void **state)
{
    volt_rng rng = test_rng(302);
    static const shape shapes[] = {{3, 5, 2, 9}, {9, 4, 1, 12}, {5, 5, 3, 6}, {1, 1, 2, 10}};
    for (int p = 0; p < KERNELS; p++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            check_shape(&kernels[p], shapes[k], &rng);
}

/* Bands have 64 windows or 128 diagonals, blocks 32 rows, groups 8 windows. */
static void shapes_round_the_edges_of_bands(void **state)
{
    volt_rng rng = test_rng(303);
    static const shape shapes[] = {
        {5, 63, 1, 2},  {6, 64, 2, 3},  {4, 65, 1, 4},  {7, 66, 2, 2},  {31, 9, 1, 3},  {32, 8, 2, 2},
        {33, 7, 1, 3},  {9, 127, 1, 3}, {5, 128, 1, 2}, {6, 129, 2, 3}, {4, 130, 1, 5}, {63, 10, 1, 3},
        {65, 12, 1, 4}, {66, 5, 2, 2},  {3, 255, 1, 3}, {2, 256, 1, 2}, {3, 257, 1, 2}, {2, 258, 2, 3}};
    for (int p = 0; p < KERNELS; p += UNDER_SANITIZERS ? 2 : 1)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            shape s = shapes[k], flat = {s.m, s.n, s.d, s.window};
            double *rows = random_rows(&rng, s.n, s.d, 1), *columns = random_rows(&rng, s.m, s.d, 1);
            check_rectangle(&kernels[p], s, rows, columns, 1);
            if (s.m < 200 || p % 3 == (int)(k % 3))
                check_rectangle(&kernels[p], flat, columns, rows, 1);
            free(columns);
            free(rows);
        }
}

static void triangles_round_the_edges_of_bands(void **state)
{
    volt_rng rng = test_rng(304);
    static const int64_t sizes[] = {63, 64, 65, 66, 127, 128, 129, 130};
    for (int p = UNDER_SANITIZERS ? 1 : 0; p < KERNELS; p += UNDER_SANITIZERS ? 2 : 1)
        for (int k = 0; k < 8; k++) {
            if (k >= 4 && k % 4 != p % 4) /* the larger ones in turn */
                continue;
            shape s = {sizes[k], 0, 1 + (k + p) % 2, 2 + (k + p) % 3};
            double *rows = random_rows(&rng, s.n, s.d, 1);
            check_symmetric(&kernels[p], s, rows, 1);
            free(rows);
        }
    for (int p = 0; p < 4; p++) { /* static kernels are cheap */
        shape s = {255 + p, 0, 2, 7};
        double *rows = random_rows(&rng, s.n, s.d, 1);
        check_symmetric(&kernels[p], s, rows, 1);
        free(rows);
    }
}

static void random_shapes(void **state)
{
    volt_rng rng = test_rng(305);
    for (int p = 0; p < KERNELS; p++)
        for (int round = 0; round < 4; round++) {
            shape s = {1 + (int64_t)(volt_rng_uniform(&rng) * 30), 1 + (int64_t)(volt_rng_uniform(&rng) * 30),
                       1 + (int64_t)(volt_rng_uniform(&rng) * 4), 1 + (int64_t)(volt_rng_uniform(&rng) * 7)};
            check_shape(&kernels[p], s, &rng);
        }
}

/* ---- an outlier ------------------------------------------------------------------------------- */

/* Windows without the outlier keep their narrow bounds. Where the numbers of
 * one entry overflow (products of 1e6 to the power 2 level window), there is nothing to compare. */
static void one_entry_of_a_million_rows(void **state)
{
    volt_rng rng = test_rng(306);
    static const shape shapes[] = {
        {23, 30, 2, 3}, {40, 17, 1, 5}, {9, 70, 3, 2}, {12, 11, 2, 1}, {131, 9, 1, 4}};
    for (int p = 0; p < KERNELS; p++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            shape s = shapes[k];
            double *rows = random_rows(&rng, s.n, s.d, 1), *columns = random_rows(&rng, s.m, s.d, 1);
            rows[s.n / 2 * s.d] = 1e6;
            double share = 1 - 2 * (double)s.window / (double)s.n;
            check_rectangle(&kernels[p], s, rows, columns, share);
            if (s.n < 100)
                check_symmetric(&kernels[p], s, rows, share * share / 2);
            columns[s.m / 3 * s.d] = -1e6;
            check_rectangle(&kernels[p], s, rows, columns, share * (1 - 2 * (double)s.window / (double)s.m));
            free(columns);
            free(rows);
        }
}

/* ---- the whole sequence ----------------------------------------------------------------------- */

/* With a window of n rows the last row sees the whole sequence: a collection of one series each. */
static void last_window_equals_whole_sequence(void **state)
{
    volt_rng rng = test_rng(307);
    for (int p = 0; p < KERNELS; p++) {
        if (kernels[p].family < PLAIN_GAK)
            continue; /* static kernels compare rows, not series */
        for (int64_t n = 1; n <= 12; n++) {
            int64_t d = 1 + n % 3;
            double *rows = random_rows(&rng, n, d, 1), *columns = random_rows(&rng, n, d, 1), value, bound,
                   series;
            double *K = new_matrix(n, n);
            volt_view X = volt_view_of(rows, n, d), Y = volt_view_of(columns, n, d);
            volt_kernel *windowed = with_window(&kernels[p], n), *whole = plain_path_parse(&kernels[p], NULL);
            check_ok(volt_gram(windowed, X, Y, NULL, volt_matrix_of(K, n, n)));
            check_ok(volt_gram_collection(whole, &X, 1, &Y, 1, NULL, volt_matrix_of(&series, 1, 1)));
            plain_path *x = plain_series(&kernels[p], &X, 1), *y = plain_series(&kernels[p], &Y, 1);
            plain_paths_gram(&kernels[p], x, 1, y, 1, centre_of(d), &value, &bound);
            assert_true(fabs(series - value) <= bound);
            assert_true(fabs(K[n * n - 1] - series) <= 2 * bound);
            plain_paths_free(y, 1);
            plain_paths_free(x, 1);
            volt_kernel_free(whole);
            volt_kernel_free(windowed);
            free(K);
            free(columns);
            free(rows);
        }
    }
}

/* ---- rows as paths ---------------------------------------------------------------------------- */

/* Paths of d scalars divided by the largest value of the columns, by default with lead-lag and time. */
static void rows_as_paths(void **state)
{
    volt_rng rng = test_rng(308);
    /* clang-format off */
    static const plain_path_kernel by_rows[] = {
        {"gak:sigma=0.5", PLAIN_GAK, .sigma = 0.5},
        {"sig:level=2,prescale=0.7", PLAIN_SIG, .level = 2, .order = 2, .time = true, .leadlag = true},
        {"sig:level=5,prescale=0.7", PLAIN_SIG, .level = 5, .order = 5, .time = true, .leadlag = true},
        {"sig:level=4,order=2,augment=none,prescale=0.7", PLAIN_SIG, .level = 4, .order = 2},
        {"sig:level=3,augment=basepoint,prescale=0.7", PLAIN_SIG, .level = 3, .order = 3, .basepoint = true},
        {"sigpde:dyadic=1,prescale=0.7", PLAIN_SIGPDE, .dyadic = 1, .time = true, .leadlag = true},
        {"sigpde:static=rbf,sigma=1.5,prescale=0.7", PLAIN_SIGPDE_RBF, .sigma = 1.5, .time = true,
         .leadlag = true},
    };
    /* clang-format on */
    static const shape shapes[] = {{5, 9, 1, 1}, {9, 7, 2, 1}, {17, 8, 5, 1}, {12, 66, 4, 1}, {65, 3, 7, 1}};
    for (size_t p = 0; p < sizeof by_rows / sizeof *by_rows; p++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            shape s = shapes[k];
            const plain_path_kernel *kernel = &by_rows[p];
            double *rows = normal_rows(&rng, s.n, s.d), *columns = normal_rows(&rng, s.m, s.d),
                   largest = -INFINITY;
            for (int64_t i = 0; i < s.m * s.d; i++)
                largest = fmax(largest, columns[i]);
            double scale = kernel->family == PLAIN_GAK ? 1 : 0.7 / largest;
            volt_view X = volt_view_of(rows, s.n, s.d), Y = volt_view_of(columns, s.m, s.d);
            plain_path *x = plain_rows(kernel, X, scale), *y = plain_rows(kernel, Y, scale);
            double *value = new_matrix(s.m, s.n + s.m), *bound = new_matrix(s.m, s.n + s.m);
            volt_matrix K = empty_gram(s.n, s.m), own = empty_gram(s.m, s.m);
            volt_kernel *parsed = plain_path_parse(kernel, "path=rows");
            check_ok(volt_gram(parsed, X, Y, NULL, K));
            plain_paths_gram(kernel, x, s.n, y, s.m, 0, value, bound);
            assert_int_equal(compare(kernel, s, K, value, bound, false), s.n * s.m);
            check_ok(volt_gram(parsed, Y, volt_view_of(NULL, 0, 0), NULL, own));
            plain_paths_gram(kernel, y, s.m, y, s.m, 0, value, bound);
            assert_int_equal(compare(kernel, s, own, value, bound, false), s.m * s.m);
            volt_kernel_free(parsed);
            free(own.data);
            free(K.data);
            free(bound);
            free(value);
            plain_paths_free(y, s.m);
            plain_paths_free(x, s.n);
            free(columns);
            free(rows);
        }
}

/* ---- cells or features ------------------------------------------------------------------------ */

/* The exact signature is computed either way, as the shapes make one or the other cheaper: the tests above must
 * have met both, and both must agree on the same paths. */
static void cells_equal_features(void **state)
{
    volt_rng rng = test_rng(309);
    enum { N = 21, D = 2, WINDOW = 5, LEVEL = 4 };
    const plain_path_kernel kernel = {"sig:level=4", PLAIN_SIG, .level = LEVEL, .order = LEVEL};
    double *rows = random_rows(&rng, N, D, 1), value[N * N], bound[N * N], by_features[N * N], by_cells[N * N];
    volt_view X = volt_view_of(rows, N, D);
    plain_path *x = plain_windows(&kernel, X, WINDOW);
    plain_paths_gram(&kernel, x, N, x, N, 0, value, bound);

    volt_kernel *parsed = with_window(&kernel, WINDOW);
    volt_resolved resolved;
    volt_columns *columns = NULL;
    check_ok(volt_kernel_resolve(parsed, (volt_extent){1, 1}, D, &resolved));
    check_ok(volt_columns_create(&resolved, X, NULL, &columns));
    assert_ptr_equal(columns->engine, &volt_engine_features); /* 30 numbers against 2 * 30 * 16 products */
    volt_columns_free(columns);
    check_ok(volt_gram(parsed, X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(by_features, N, N)));

    /* The same windows by cells: each as one series of a collection. */
    volt_view series[N];
    for (int i = 0; i < N; i++)
        series[i] = volt_view_of(x[i].point, WINDOW, D);
    volt_kernel *whole = plain_path_parse(&kernel, NULL);
    check_ok(volt_gram_collection(whole, series, N, NULL, 0, NULL, volt_matrix_of(by_cells, N, N)));
    for (int k = 0; k < N * N; k++) {
        assert_true(fabs(by_features[k] - value[k]) <= bound[k]);
        assert_true(fabs(by_cells[k] - value[k]) <= bound[k]);
        assert_true(fabs(by_cells[k] - by_features[k]) <= bound[k]);
    }

    /* Wide rows have too many features: cells that windows share. */
    double *wide = random_rows(&rng, N, 9, 1);
    check_ok(volt_kernel_resolve(parsed, (volt_extent){1, 1}, 9, &resolved));
    check_ok(volt_columns_create(&resolved, volt_view_of(wide, N, 9), NULL, &columns));
    assert_ptr_equal(columns->engine, &volt_engine_window_block);
    volt_columns_free(columns);
    shape s = {N, 5, 9, WINDOW};
    check_symmetric(&kernel, s, wide, 1);
    check_rectangle(&kernel, s, wide, wide, 1);
    free(wide);
    volt_kernel_free(whole);
    volt_kernel_free(parsed);
    plain_paths_free(x, N);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_shapes),
        cmocka_unit_test(windows_longer_than_the_sequence),
        cmocka_unit_test(shapes_round_the_edges_of_bands),
        cmocka_unit_test(triangles_round_the_edges_of_bands),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(one_entry_of_a_million_rows),
        cmocka_unit_test(last_window_equals_whole_sequence),
        cmocka_unit_test(rows_as_paths),
        cmocka_unit_test(cells_equal_features),
    };
    return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
