/* tests/property/test_sig_features.c: sig with features=linear and features=rbf, against the signature of every
 * path written out: on windows, on rows and on series, by cells and by features, for near and far paths. */
#include "gram/engine/engine.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/plain_paths.h"
#include "support/sequences.h"
#include "volterra/model.h"

enum { N = 19, M = 13 };

static const volt_view none = {NULL, 0, 0, 0};

/* ---- the definition --------------------------------------------------------------------------- */

/* A kernel, and what it is made of. */
typedef struct form {
    const char *text; /* but for window, path and prescale */
    bool rbf;
    double gamma, scale;
    plain_path_kernel path; /* level, order and augmentations */
} form;

/* Features of a path, level m times scale^m, and those of the absolute values behind them. (Points that are
 * scaled before their differences are taken would round where the library does not.) */
static double *features_of(const form *f, const plain_path *path, int64_t *count)
{
    *count = plain_signature_length(path->channels, f->path.level);
    double *list = new_matrix(2, *count), power = 1;
    plain_signature(path, f->path.level, f->path.order, list, list + *count);
    for (int m = 1; m <= f->path.level; m++) {
        power *= f->scale;
        for (int64_t k = plain_signature_length(path->channels, m - 1);
             k < plain_signature_length(path->channels, m); k++) {
            list[k] *= power;
            list[*count + k] *= power;
        }
    }
    return list;
}

/* The features of every path. */
typedef struct described {
    const plain_path *path;
    double **list;
    int64_t paths, count;
} described;

static described describe(const form *f, const plain_path *path, int64_t paths)
{
    described all = {path, malloc((size_t)paths * sizeof(double *)), paths, 0};
    for (int64_t i = 0; i < paths; i++)
        all.list[i] = features_of(f, &path[i], &all.count);
    return all;
}

static void forget(described *all)
{
    for (int64_t i = 0; i < all->paths; i++)
        free(all->list[i]);
    free(all->list);
}

/* Sums over the features of two paths, in chunks, so that no term is rounded more than CHUNK + count / CHUNK
 * times. */
enum { CHUNK = 64 };
typedef struct sums {
    double product, squared; /* <f(x), f(y)>, |f(x) - f(y)|^2 */
    double sizes, both;      /* of the absolute values: <f(x), f(y)>, |f(x)|^2 + |f(y)|^2 */
} sums;

static sums sums_of(const double *fx, const double *fy, int64_t count)
{
    sums all = {0, 0, 0, 0};
    for (int64_t from = 0; from < count; from += CHUNK) {
        sums part = {0, 0, 0, 0};
        for (int64_t k = from; k < from + CHUNK && k < count; k++) {
            double ax = fx[count + k], ay = fy[count + k];
            part.product += fx[k] * fy[k];
            part.squared += (fx[k] - fy[k]) * (fx[k] - fy[k]);
            part.sizes += ax * ay;
            part.both += ax * ax + ay * ay;
        }
        all.product += part.product;
        all.squared += part.squared;
        all.sizes += part.sizes;
        all.both += part.both;
    }
    return all;
}

/* The kernel of two paths, and how far the library may be from it. A product of at most `level` factors goes
 * through sums over rows, columns and channels, so each feature is off by `rounding` times that of the
 * absolute values, and each inner product by as much of theirs. `exact` is for a library that takes
 * differences of features where they cancel: the square is then off by 2 |f(x) - f(y)| |e| + |e|^2, e the
 * errors of features. */
static double value_of(const form *f, const described *x, int64_t i, const described *y, int64_t j, bool exact,
                       double *bound)
{
    sums s = sums_of(x->list[i], y->list[j], x->count);
    double points = (double)(x->path[i].points + y->path[j].points + x->path[i].channels + 10);
    double rounding = DBL_EPSILON * (2 * f->path.level * points + CHUNK + (double)(x->count / CHUNK));
    if (!f->rbf) {
        *bound = rounding * s.sizes;
        return s.product;
    }
    double value = exp(-f->gamma * s.squared), error = 2 * rounding * s.both;
    if (exact) {
        double feature = rounding * sqrt(s.both);
        error = 2 * sqrt(s.squared) * feature + feature * feature;
        error += 1e-10 / f->gamma; /* which is all that the library trades for speed */
    }
    *bound = value * (expm1(fmin(f->gamma * error, 700)) + 8 * DBL_EPSILON +
                      4 * DBL_EPSILON * f->gamma * s.squared) +
             1e-300;
    return value;
}

static void compare(const form *f, const char *where, const plain_path *x, int64_t n, const plain_path *y,
                    int64_t m, const double *K)
{
    described fx = describe(f, x, n), fy = describe(f, y, m);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double bound, expected = value_of(f, &fx, i, &fy, j, false, &bound);
            if (!(fabs(K[i * m + j] - expected) <= bound))
                fail_msg("%s, %s: entry (%d, %d) is %.17g, expected %.17g: error %.3g, bound %.3g", f->text,
                         where, (int)i, (int)j, K[i * m + j], expected, fabs(K[i * m + j] - expected), bound);
        }
    forget(&fy);
    forget(&fx);
}

/* ---- everywhere ------------------------------------------------------------------------------- */

/* clang-format off */
static const form forms[] = {
    {"sig:level=1,features=linear", false, 0, 1, {.level = 1, .order = 1}},
    {"sig:level=3,features=linear,scale=2.5", false, 0, 2.5, {.level = 3, .order = 3}},
    {"sig:level=5,order=1,features=linear,scale=0.3", false, 0, 0.3, {.level = 5, .order = 1}},
    {"sig:level=3,features=rbf", true, 1, 1, {.level = 3, .order = 3}},
    {"sig:level=4,features=rbf,gamma=0.02,scale=2", true, 0.02, 2, {.level = 4, .order = 4}},
    {"sig:level=4,order=2,features=rbf,gamma=0.3,scale=0.7", true, 0.3, 0.7, {.level = 4, .order = 2}},
    {"sig:level=5,order=1,features=rbf,gamma=0.1", true, 0.1, 1, {.level = 5, .order = 1}},
    {"sig:level=3,features=linear,scale=1.7,augment=time", false, 0, 1.7, {.level = 3, .order = 3, .time = true}},
    {"sig:level=2,features=rbf,gamma=0.05,scale=3,augment=time+leadlag+basepoint", true, 0.05, 3,
     {.level = 2, .order = 2, .time = true, .leadlag = true, .basepoint = true}},
    {"sig:level=5,features=rbf,gamma=0.01,augment=leadlag", true, 0.01, 1,
     {.level = 5, .order = 5, .leadlag = true}}, /* more features than cells */
};
/* clang-format on */
enum { FORMS = sizeof forms / sizeof *forms };

static volt_kernel *with(const form *f, const char *more)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s", f->text, more);
    return plain_parse(text);
}

static void on_windows(void **state)
{
    volt_rng rng = test_rng(521);
    static const volt_engine *const engines[] = {&volt_engine_window_block, &volt_engine_paths,
                                                 &volt_engine_features};
    bool met[3] = {false};
    static const int64_t windows[] = {1, 2, 5}, dimensions[] = {1, 3, 6};
    for (int p = 0; p < FORMS; p++)
        for (int k = 0; k < 9; k++) {
            int64_t window = windows[k % 3], d = dimensions[k / 3];
            const form *f = &forms[p];
            if (plain_signature_length(2 * d + 1, f->path.level) > 4000)
                continue;
            char more[32];
            snprintf(more, sizeof more, ",window=%d", (int)window);
            double *rows = random_rows(&rng, N, d, 1), *columns = random_rows(&rng, M, d, 1);
            volt_view X = volt_view_of(rows, N, d), Y = volt_view_of(columns, M, d);
            volt_kernel *kernel = with(f, more);
            plain_path *x = plain_windows(&f->path, X, window), *y = plain_windows(&f->path, Y, window);
            double K[N * N];
            check_ok(volt_gram(kernel, X, Y, NULL, volt_matrix_of(K, N, M)));
            compare(f, more, x, N, y, M, K);
            check_ok(volt_gram(kernel, X, none, NULL, volt_matrix_of(K, N, N)));
            compare(f, more, x, N, x, N, K);
            for (int i = 0; f->rbf && i < N; i++)
                assert_true(K[i * N + i] == 1);

            volt_resolved resolved;
            volt_columns *laid = NULL;
            check_ok(volt_kernel_resolve(kernel, (volt_extent){1, 1}, d, &resolved));
            check_ok(volt_columns_create(&resolved, Y, NULL, &laid));
            for (int engine = 0; engine < 3; engine++)
                met[engine] |= f->rbf && laid->engine == engines[engine];
            volt_columns_free(laid);
            plain_paths_free(y, M);
            plain_paths_free(x, N);
            volt_kernel_free(kernel);
            free(columns);
            free(rows);
        }
    assert_true(met[0] && met[1] && met[2]);
}

/* The published transform: values over the largest of the columns, times prescale; then lead-lag and time;
 * and all of that, time too, times scale. */
static void on_rows(void **state)
{
    volt_rng rng = test_rng(522);
    enum { D = 4 };
    /* clang-format off */
    static const form by_rows[] = {
        {"sig:level=4,features=linear,scale=3", false, 0, 3,
         {.level = 4, .order = 4, .time = true, .leadlag = true}},
        {"sig:level=6,features=rbf,gamma=0.5,scale=0.5", true, 0.5, 0.5,
         {.level = 6, .order = 6, .time = true, .leadlag = true}},
        {"sig:level=4,order=2,features=rbf,gamma=0.1,scale=2", true, 0.1, 2,
         {.level = 4, .order = 2, .time = true, .leadlag = true}},
    };
    /* clang-format on */
    for (size_t p = 0; p < sizeof by_rows / sizeof *by_rows; p++) {
        const form *f = &by_rows[p];
        double *rows = normal_rows(&rng, N, D), *columns = normal_rows(&rng, M, D), K[N * M],
               largest = columns[0];
        for (int k = 0; k < M * D; k++)
            largest = fmax(largest, columns[k]);
        volt_view X = volt_view_of(rows, N, D), Y = volt_view_of(columns, M, D);
        volt_kernel *kernel = with(f, ",path=rows,prescale=0.4");
        plain_path *x = plain_rows(&f->path, X, 0.4 / largest), *y = plain_rows(&f->path, Y, 0.4 / largest);
        check_ok(volt_gram(kernel, X, Y, NULL, volt_matrix_of(K, N, M)));
        compare(f, "rows", x, N, y, M, K);
        plain_paths_free(y, M);
        plain_paths_free(x, N);
        volt_kernel_free(kernel);
        free(columns);
        free(rows);
    }
}

static void on_series(void **state)
{
    volt_rng rng = test_rng(523);
    enum { D = 2 };
    volt_view X[N];
    for (int i = 0; i < N; i++)
        X[i] = volt_view_of(random_rows(&rng, 1 + i % 7, D, 1), 1 + i % 7, D);
    for (int p = 0; p < FORMS; p++) {
        const form *f = &forms[p];
        volt_kernel *kernel = with(f, "");
        plain_path *x = plain_series(&f->path, X, N);
        double K[N * N];
        check_ok(volt_gram_collection(kernel, X, N, NULL, 0, NULL, volt_matrix_of(K, N, N)));
        compare(f, "series", x, N, x, N, K);
        for (int i = 0; f->rbf && i < N; i++)
            assert_true(K[i * N + i] == 1);
        check_ok(volt_gram_collection(kernel, X, N, X, M, NULL, volt_matrix_of(K, N, M)));
        compare(f, "series", x, N, x, M, K);
        plain_paths_free(x, N);
        volt_kernel_free(kernel);
    }
    for (int i = 0; i < N; i++)
        free((double *)X[i].data);
}

/* ---- near and far ----------------------------------------------------------------------------- */

/* Paths so near to one another, and features so large, that norms less products would lose every digit. */
static void nearby_paths_keep_precision(void **state)
{
    volt_rng rng = test_rng(524);
    enum { D = 2, WINDOW = 4, LEVEL = 5 };
    static const double gaps[] = {1e-3, 1e-5, 1e-7, 1e-9};
    static const form f = {"sig:level=5,features=rbf,gamma=3,scale=20,augment=time",
                           true,
                           3,
                           20,
                           {.level = LEVEL, .order = LEVEL, .time = true}};
    volt_kernel *kernel = with(&f, ",window=4");
    int close = 0;
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        double *rows = random_rows(&rng, N, D, 1), K[N * N];
        for (int i = WINDOW; i < N; i++) /* a period of four rows, nearly */
            for (int k = 0; k < D; k++)
                rows[i * D + k] = rows[(i - WINDOW) * D + k] + gaps[g] * (volt_rng_uniform(&rng) - 0.5);
        volt_view X = volt_view_of(rows, N, D);
        plain_path *x = plain_windows(&f.path, X, WINDOW);
        described features = describe(&f, x, N);
        check_ok(volt_gram(kernel, X, X, NULL, volt_matrix_of(K, N, N)));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double bound, expected = value_of(&f, &features, i, &features, j, true, &bound);
                if (!(fabs(K[i * N + j] - expected) <= bound))
                    fail_msg("gap %g: entry (%d, %d) is %.17g, expected %.17g: error %.3g, bound %.3g", gaps[g],
                             i, j, K[i * N + j], expected, fabs(K[i * N + j] - expected), bound);
                close += i != j && expected > 1e-3 && expected < 0.999 && bound < 1e-3 * expected;
            }
        forget(&features);
        plain_paths_free(x, N);
        free(rows);
    }
    assert_true(close > 10); /* the bounds do say something about values between 0 and 1 */
    volt_kernel_free(kernel);
}

/* An overflow is an error with a message; no result is NaN or infinite. */
static void overflow_is_rejected(void **state)
{
    volt_rng rng = test_rng(525);
    enum { D = 3 };
    static const char *const texts[] = {
        "sig:level=4,features=linear,scale=1e80,window=3", "sig:level=4,features=rbf,scale=1e80,window=3",
        "sig:level=4,order=2,features=rbf,scale=1e80,window=3", "sig:level=6,features=rbf,scale=1e60,window=2"};
    double *rows = random_rows(&rng, N, D, 1), K[N * N];
    volt_view X = volt_view_of(rows, N, D);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        volt_kernel *kernel = plain_parse(texts[t]);
        volt_model *model = NULL;
        check_fails(volt_gram(kernel, X, none, NULL, volt_matrix_of(K, N, N)), VOLT_ERR_NOT_FINITE, "large");
        volt_status status = volt_model_fit(kernel, X, X, NULL, volt_matrix_of(NULL, 0, 0), &model);
        if (status == VOLT_OK)
            fail_msg("%s: a fit succeeded", texts[t]);
        assert_null(model);
        volt_kernel_free(kernel);
    }
    /* Overflowing squares are harmless: the distance is then infinite. */
    volt_kernel *kernel = plain_parse("sig:level=2,features=rbf,scale=1e80,window=3");
    check_ok(volt_gram(kernel, X, none, NULL, volt_matrix_of(K, N, N)));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(K[i * N + j] == (i == j ? 1 : 0));
    volt_kernel_free(kernel);
    free(rows);
}

static void every_allocation_may_fail(void **state)
{
    volt_rng rng = test_rng(526);
    enum { D = 2 };
    static const char *const texts[] = {"sig:level=3,features=rbf,window=4",
                                        "sig:level=3,order=2,features=rbf,window=4"};
    double *rows = random_rows(&rng, N, D, 1), K[N * M];
    for (int t = 0; t < 2; t++) {
        volt_kernel *kernel = plain_parse(texts[t]);
        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_status status = volt_gram(kernel, volt_view_of(rows, N, D), volt_view_of(rows, M, D), NULL,
                                           volt_matrix_of(K, N, M));
            failing_alloc_check(status);
        }
        volt_kernel_free(kernel);
    }
    free(rows);
}

/* features=linear is the plain kernel without its 1. */
static void linear_features_equal_kernel_minus_one(void **state)
{
    volt_rng rng = test_rng(527);
    enum { D = 3 };
    double *rows = random_rows(&rng, N, D, 1), K[N * N], linear[N * N];
    volt_view X = volt_view_of(rows, N, D);
    volt_kernel *plain = plain_parse("sig:level=3,window=4"),
                *kernel = plain_parse("sig:level=3,features=linear,window=4");
    check_ok(volt_gram(plain, X, none, NULL, volt_matrix_of(K, N, N)));
    check_ok(volt_gram(kernel, X, none, NULL, volt_matrix_of(linear, N, N)));
    double largest = 0;
    for (int k = 0; k < N * N; k++)
        largest = fmax(largest, fabs(K[k]));
    for (int k = 0; k < N * N; k++)
        assert_true(fabs(linear[k] - (K[k] - 1)) <= 100 * DBL_EPSILON * largest);
    volt_kernel_free(kernel);
    volt_kernel_free(plain);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_windows),
        cmocka_unit_test(on_rows),
        cmocka_unit_test(on_series),
        cmocka_unit_test(nearby_paths_keep_precision),
        cmocka_unit_test(overflow_is_rejected),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(linear_features_equal_kernel_minus_one),
    };
    return cmocka_run_group_tests_name("sig_features", tests, NULL, NULL);
}
