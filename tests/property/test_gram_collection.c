/* tests/property/test_gram_collection.c: Gram matrices of collections of series with lengths of their own, against
 * plain loops over one pair at a time, against corners of rectangular Gram matrices, and by hand. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/plain_paths.h"
#include "support/sequences.h"

static const double untouched = 1234.5;
static const volt_gram_options lower_only = {.struct_size = sizeof(volt_gram_options), .mirror = 0};

/* clang-format off */
static const plain_path_kernel path_kernels[] = {
    {"gak:sigma=0.6", PLAIN_GAK, .sigma = 0.6},
    {"gak:sigma=3", PLAIN_GAK, .sigma = 3},
    {"sig:level=1", PLAIN_SIG, .level = 1, .order = 1},
    {"sig:level=4", PLAIN_SIG, .level = 4, .order = 4},
    {"sig:level=5,order=1", PLAIN_SIG, .level = 5, .order = 1},
    {"sig:level=4,order=2", PLAIN_SIG, .level = 4, .order = 2},
    {"sig:level=3,augment=time+leadlag+basepoint", PLAIN_SIG, .level = 3, .order = 3, .time = true,
     .leadlag = true, .basepoint = true},
    {"sigpde", PLAIN_SIGPDE, .dyadic = 0},
    {"sigpde:dyadic=2,augment=time", PLAIN_SIGPDE, .dyadic = 2, .time = true},
    {"sigpde:dyadic=1,static=rbf,sigma=1.5", PLAIN_SIGPDE_RBF, .dyadic = 1, .sigma = 1.5},
    {"sigpde:static=rbf,augment=leadlag+basepoint", PLAIN_SIGPDE_RBF, .sigma = 1, .leadlag = true,
     .basepoint = true},
};
/* clang-format on */
enum { PATH_KERNELS = sizeof path_kernels / sizeof *path_kernels };

static const char *const scans[] = {
    "volterra:tau=0.6,lambda=0.7",
    "volterra:tau=0.6,lambda=0.85,lift=even",
    "volterra:tau=0.8,lambda=0.6,lift=exponential",
    "volterra:tau=0.7,lambda=0.65,lift=poly:3",
    "volterra:gamma=0.3,lambda=0.8,lift=rbf",
    "fading:gamma=0.4,rho=0.8",
    "memory:gamma=1,rho=0.5,mu=0.85",
    "recurrent:activation=relu,radius=0.8,leak=0.5",
    "esn:size=12,radius=0.8",
    "fir:mu=0.85",
};
enum { SCANS = sizeof scans / sizeof *scans };

/* ---- series ----------------------------------------------------------------------------------- */

/* `count` series of 1 to `longest` rows, numbers behind each row that nobody may read. */
static volt_view *random_series(volt_rng *rng, int64_t count, int64_t d, int64_t longest)
{
    volt_view *series = malloc((size_t)count * sizeof *series);
    for (int64_t i = 0; i < count; i++) {
        int64_t rows = 1 + (int64_t)(volt_rng_uniform(rng) * (double)longest), ld = d + 2;
        double *points = random_rows(rng, rows, d, 1), *padded = new_matrix(rows, ld);
        for (int64_t t = 0; t < rows; t++)
            for (int64_t c = 0; c < ld; c++)
                padded[t * ld + c] = c < d ? points[t * d + c] : NAN;
        free(points);
        volt_view view = {padded, rows, d, ld};
        series[i] = view;
    }
    return series;
}

static void free_series(volt_view *series, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        free((double *)series[i].data);
    free(series);
}

static volt_matrix empty_gram(int64_t n, int64_t m)
{
    volt_matrix K = {new_matrix(n, m + 1), n, m, m + 1};
    for (int64_t k = 0; k < n * (m + 1); k++)
        K.data[k] = untouched;
    return K;
}

/* The mirrored matrix is symmetric to the bit, the other is its lower triangle, nothing else was written. */
static void check_triangles(const volt_kernel *kernel, const volt_view *X, int64_t n, volt_matrix full)
{
    volt_matrix lower = empty_gram(n, n);
    check_ok(volt_gram_collection(kernel, X, n, NULL, 0, &lower_only, lower));
    for (int64_t i = 0; i < n; i++) {
        assert_true(full.data[i * full.ld + n] == untouched && lower.data[i * lower.ld + n] == untouched);
        for (int64_t j = 0; j < n; j++) {
            double expected = j <= i ? full.data[i * full.ld + j] : untouched;
            assert_true(lower.data[i * lower.ld + j] == expected);
            assert_true(full.data[i * full.ld + j] == full.data[j * full.ld + i]);
        }
    }
    free(lower.data);
}

/* ---- paths ------------------------------------------------------------------------------------ */

static void check_against_plain(const plain_path_kernel *kernel, volt_rng *rng, int64_t n, int64_t m, int64_t d,
                                int64_t longest)
{
    volt_view *X = random_series(rng, n, d, longest), *Y = random_series(rng, m, d, longest);
    plain_path *x = plain_series(kernel, X, n), *y = plain_series(kernel, Y, m);
    double *value = new_matrix(n, n + m), *bound = new_matrix(n, n + m);
    volt_matrix K = empty_gram(n, m), own = empty_gram(n, n);
    volt_kernel *parsed = plain_path_parse(kernel, NULL);
    check_ok(volt_gram_collection(parsed, X, n, Y, m, NULL, K));
    check_ok(volt_gram_collection(parsed, X, n, NULL, 0, NULL, own));
    for (int same = 0; same < 2; same++) {
        volt_matrix actual = same ? own : K;
        plain_paths_gram(kernel, x, n, same ? x : y, actual.cols, 0, value, bound);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < actual.cols; j++) {
                double error = fabs(actual.data[i * actual.ld + j] - value[i * actual.cols + j]);
                if (!(error <= bound[i * actual.cols + j]))
                    fail_msg(
                        "%s, series of %" PRId64 " and %" PRId64 " rows: %.17g, expected %.17g, bound %.3g",
                        kernel->text, X[i].rows, same ? X[j].rows : Y[j].rows, actual.data[i * actual.ld + j],
                        value[i * actual.cols + j], bound[i * actual.cols + j]);
            }
    }
    check_triangles(parsed, X, n, own);
    volt_kernel_free(parsed);
    free(own.data);
    free(K.data);
    free(bound);
    free(value);
    plain_paths_free(y, m);
    plain_paths_free(x, n);
    free_series(Y, m);
    free_series(X, n);
}

/* Groups have 8 series. */
static void unequal_lengths_against_plain_loops(void **state)
{
    volt_rng rng = test_rng(341);
    static const int64_t sizes[][4] = {{1, 1, 1, 4},  {3, 7, 2, 12}, {7, 8, 1, 9},  {8, 9, 3, 6},
                                       {9, 17, 2, 8}, {17, 1, 1, 7}, {5, 16, 4, 3}, {4, 5, 2, 1}};
    for (int p = 0; p < PATH_KERNELS; p++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            check_against_plain(&path_kernels[p], &rng, sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3]);
}

/* K(x, x) itself underflows with its weights sqrt(2) - 1: 2 * 500 of them are below 1e-380. Logarithms of some
 * hundreds carry an error of that many eps, at each of P + Q steps at worst: 500 * 1000 eps on either side. */
static void long_series_in_logarithms(void **state)
{
    volt_rng rng = test_rng(342);
    static const int64_t lengths[] = {500, 430, 30, 470};
    double *rows[4], sigma = 0.9;
    volt_view X[4];
    plain_path x[4];
    double logs[4][4];
    for (int i = 0; i < 4; i++) {
        rows[i] = random_rows(&rng, lengths[i], 2, 1);
        X[i] = volt_view_of(rows[i], lengths[i], 2);
        plain_path path = {rows[i], lengths[i], 2};
        x[i] = path;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++)
            logs[i][j] = plain_gak_log(&x[i], &x[j], sigma);
    volt_kernel *kernel = plain_parse("gak:sigma=0.9");
    double K[16];
    check_ok(volt_gram_collection(kernel, X, 4, NULL, 0, NULL, volt_matrix_of(K, 4, 4)));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            double expected = exp(logs[i][j] - (logs[i][i] + logs[j][j]) / 2);
            double tolerance = 2 * DBL_EPSILON * 1000 * 1000 * expected;
            if (!(fabs(K[i * 4 + j] - expected) <= tolerance))
                fail_msg("series %d and %d: %.17g, expected %.17g", i, j, K[i * 4 + j], expected);
            assert_true(K[i * 4 + j] > 0);
        }
    volt_kernel_free(kernel);
    for (int i = 0; i < 4; i++)
        free(rows[i]);
}

/* The same for windows: those of the last rows, and one of a row and zeros. K of the former with themselves is below 1e-280. */
static void long_windows_in_logarithms(void **state)
{
    enum { WINDOW = 450, ROWS = WINDOW + 1 };
    volt_rng rng = test_rng(344);
    double *rows = random_rows(&rng, ROWS, 2, 1), *other = new_matrix(WINDOW, 2), K[ROWS], sigma = 0.4;
    memset(other, 0, sizeof *other * 2 * WINDOW);
    other[2 * WINDOW - 2] = 0.5;
    plain_path y = {other, WINDOW, 2};
    volt_kernel *kernel = plain_parse("gak:sigma=0.4,window=450");
    check_ok(volt_gram(kernel, volt_view_of(rows, ROWS, 2), volt_view_of(other + 2 * WINDOW - 2, 1, 2), NULL,
                       volt_matrix_of(K, ROWS, 1)));
    const double other_itself = plain_gak_log(&y, &y, sigma);
    for (int i = WINDOW - 1; i < ROWS; i++) {
        plain_path x = {rows + 2 * (i + 1 - WINDOW), WINDOW, 2};
        double itself = plain_gak_log(&x, &x, sigma);
        double expected = exp(plain_gak_log(&x, &y, sigma) - (itself + other_itself) / 2);
        assert_true(expected > 0);
        if (!(fabs(K[i] - expected) <= 2 * DBL_EPSILON * 1000 * 1000 * expected))
            fail_msg("row %d: %.17g, expected %.17g", i, K[i], expected);
    }
    volt_kernel_free(kernel);
    free(other);
    free(rows);
}

/* ---- scans ------------------------------------------------------------------------------------ */

/* Aligned at the end, K is the last entry of the Gram matrix of the two series. Distances are differences
 * here and products of centred rows there: off by 4 (d + 4) eps (1 + sqrt d)^2 at each step, summed up by 1
 * / (1 - 0.8) and 1 / (1 - 0.85) at most; volterra uses the tolerance of its own tests, at most 1e-13 for
 * these kernels. */
static void final_states_are_corners(void **state)
{
    volt_rng rng = test_rng(343);
    enum { COUNT = 19, D = 3 };
    volt_view *X = random_series(&rng, COUNT, D, 21);
    volt_gram_options options = volt_gram_options_default();
    options.radius = 1;
    double tolerance = 2e-13;
    for (int p = 0; p < SCANS; p++) {
        volt_kernel *kernel = plain_parse(scans[p]);
        volt_matrix K = empty_gram(COUNT, COUNT), cross = empty_gram(COUNT, 10);
        check_ok(volt_gram_collection(kernel, X, COUNT, NULL, 0, &options, K));
        check_ok(volt_gram_collection(kernel, X, COUNT, X, 10, &options, cross));
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < COUNT; j++) {
                double *pair = new_matrix(X[i].rows, X[j].rows);
                check_ok(volt_gram(kernel, X[i], X[j], &options, volt_matrix_of(pair, X[i].rows, X[j].rows)));
                double corner = pair[X[i].rows * X[j].rows - 1];
                if (!(fabs(K.data[i * K.ld + j] - corner) <= tolerance * fmax(1, corner)))
                    fail_msg("%s, series of %d and %d rows: %.17g, and the corner is %.17g", scans[p],
                             (int)X[i].rows, (int)X[j].rows, K.data[i * K.ld + j], corner);
                assert_true(j >= 10 ||
                            fabs(cross.data[i * cross.ld + j] - corner) <= tolerance * fmax(1, corner));
                free(pair);
            }
        check_triangles(kernel, X, COUNT, K);
        free(cross.data);
        free(K.data);
        volt_kernel_free(kernel);
    }
    free_series(X, COUNT);
}

/* ---- positive semidefinite -------------------------------------------------------------------- */

/* A matrix whose entries are off by c eps max K has eigenvalues off by n c eps max K; c = 1000 covers the
 * bounds of every kernel here. */
static void semidefinite(void **state)
{
    volt_rng rng = test_rng(344);
    enum { COUNT = 40 };
    for (int p = 0; p < SCANS + PATH_KERNELS; p++) {
        const char *text = p < SCANS ? scans[p] : path_kernels[p - SCANS].text;
        if (p >= SCANS && path_kernels[p - SCANS].family >= PLAIN_SIGPDE)
            continue;
        volt_view *X = random_series(&rng, COUNT, 1 + p % 2, 12);
        volt_kernel *kernel = plain_parse(text);
        double *K = new_matrix(COUNT, COUNT), smallest, largest;
        check_ok(volt_gram_collection(kernel, X, COUNT, NULL, 0, NULL, volt_matrix_of(K, COUNT, COUNT)));
        plain_eigenvalues(volt_view_of(K, COUNT, COUNT), &smallest, &largest);
        double most = 0;
        for (int k = 0; k < COUNT * COUNT; k++)
            most = fmax(most, fabs(K[k]));
        print_message("%s: eigenvalues %.3g to %.3g\n", text, smallest, largest);
        assert_true(smallest >= -1000 * COUNT * DBL_EPSILON * most);
        free(K);
        volt_kernel_free(kernel);
        free_series(X, COUNT);
    }
}

/* ---- one step --------------------------------------------------------------------------------- */

static void one_step_by_hand(void **state)
{
    double points[] = {0.5, -0.25, 0.75, 0.5}; /* |x - y|^2 = 0.625, <x, y> = 0.25 */
    volt_view X[] = {volt_view_of(points, 1, 2), volt_view_of(points + 2, 1, 2)};
    double e = exp(-0.625 / (2 * 1.5 * 1.5)), K[4];
    double kappa = 1 / (1 - 0.36 * 0.25);
    const struct {
        const char *text;
        double expected;
    } cases[] = {
        {"volterra:tau=0.6,lambda=0.5", 1 + 0.25 * kappa / (1 - 0.25)},
        {"volterra:lift=rbf,gamma=0.4,lambda=0.5", 1 + 0.25 * exp(-0.4 * 0.625) / (1 - 0.25)},
        {"fading:gamma=0.4,rho=0.7", exp(-0.4 * 0.625)},
        {"memory:gamma=0.4,rho=0.7,mu=0.6", exp(-0.4 * 0.625) + 0.6 / (1 - 0.6)},
        {"fir:mu=0.6,corr=0.7", 0.25},
        {"2*fir + fading:gamma=0.4", 0.5 + exp(-0.4 * 0.625)},
        {"gak:sigma=1.5", e / (2 - e)}, /* a point against itself is 1, so it is normalised already */
        {"sig", 1},
        {"sig:level=3,order=1", 1},
        {"sig:level=1,augment=basepoint", 1 + 0.25},
        {"sigpde", 1},
        {"sigpde:dyadic=2,static=rbf", 1},
        {"sigpde:augment=basepoint", 1 + 0.25 + 0.25 * 0.25 / 4},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = plain_parse(cases[c].text);
        check_ok(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, volt_matrix_of(K, 2, 2)));
        if (!(fabs(K[2] - cases[c].expected) <= 4 * DBL_EPSILON * fabs(cases[c].expected)) || K[1] != K[2])
            fail_msg("%s: %.17g, expected %.17g", cases[c].text, K[2], cases[c].expected);
        volt_kernel_free(kernel);
    }
}

/* Points that are all alike have e = 1, and the kernel counts alignments: 1 for 1 x 1 points and for 1 x 2,
 * 3 for 2 x 2. After the normalisation 1, 1 / sqrt(3), 1. */
static void alignments_counted_by_hand(void **state)
{
    double points[] = {0.3, 0.3};
    volt_view X[] = {volt_view_of(points, 1, 1), volt_view_of(points, 2, 1)};
    double K[4];
    volt_kernel *kernel = plain_parse("gak");
    check_ok(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, volt_matrix_of(K, 2, 2)));
    assert_true(fabs(K[0] - 1) <= 4 * DBL_EPSILON && fabs(K[3] - 1) <= 4 * DBL_EPSILON);
    assert_true(fabs(K[2] - 1 / sqrt(3)) <= 4 * DBL_EPSILON);
    volt_kernel_free(kernel);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void sequence_options_are_rejected(void **state)
{
    double points[] = {1, 2, 3, 4}, K = untouched;
    volt_view X = volt_view_of(points, 2, 2);
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"gak:window=3", "window is for one sequence"},
        {"sig:window=3", "window is for one sequence"},
        {"sigpde:window=1", "window is for one sequence"},
        {"gak:path=rows", "path=rows is for one sequence"},
        {"sig:path=rows", "path=rows is for one sequence"},
        {"sigpde:path=rows", "path=rows is for one sequence"},
        {"linear", "compares rows, not series"},
        {"rbf:window=4", "compares rows, not series"},
        {"poly", "compares rows, not series"},
        {"sigmoid", "compares rows, not series"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_kernel *kernel = plain_parse(cases[c].text);
        check_fails(volt_gram_collection(kernel, &X, 1, NULL, 0, NULL, volt_matrix_of(&K, 1, 1)),
                    VOLT_ERR_KERNEL, cases[c].fragment);
        assert_true(K == untouched);
        volt_kernel_free(kernel);
    }
    volt_kernel *kernel = plain_parse("volterra:tau=0.6,lambda=0.5"); /* tau M >= 1 at |x| = 5 */
    check_fails(volt_gram_collection(kernel, &X, 1, NULL, 0, NULL, volt_matrix_of(&K, 1, 1)), VOLT_ERR_ARGUMENT,
                "tau");
    volt_kernel_free(kernel);
}

static void invalid_collections_are_rejected(void **state)
{
    double points[] = {1, 2, 3, 4}, bad[] = {1, NAN}, K[4] = {untouched, untouched, untouched, untouched};
    volt_view X[] = {volt_view_of(points, 2, 2), volt_view_of(points, 4, 1)}, nan = volt_view_of(bad, 1, 2);
    volt_view empty = volt_view_of(points, 0, 2);
    volt_kernel *kernel = plain_parse("gak");
    volt_matrix one = volt_matrix_of(K, 1, 1), two = volt_matrix_of(K, 2, 2);
    check_fails(volt_gram_collection(NULL, X, 1, NULL, 0, NULL, one), VOLT_ERR_ARGUMENT, "kernel NULL");
    check_fails(volt_gram_collection(kernel, NULL, 1, NULL, 0, NULL, one), VOLT_ERR_SHAPE, "X");
    check_fails(volt_gram_collection(kernel, X, 0, NULL, 0, NULL, one), VOLT_ERR_SHAPE, "X");
    check_fails(volt_gram_collection(kernel, X, 1, X, 0, NULL, one), VOLT_ERR_SHAPE, "Y");
    check_fails(volt_gram_collection(kernel, X, 2, NULL, 0, NULL, two), VOLT_ERR_SHAPE,
                "series 2 X 1 channels");
    check_fails(volt_gram_collection(kernel, X, 1, X + 1, 1, NULL, one), VOLT_ERR_SHAPE, "series 1 Y channels");
    check_fails(volt_gram_collection(kernel, &empty, 1, NULL, 0, NULL, one), VOLT_ERR_SHAPE, "series 1 X");
    check_fails(volt_gram_collection(kernel, &nan, 1, NULL, 0, NULL, one), VOLT_ERR_NOT_FINITE, "series 1 X");
    const volt_view second[] = {X[0], nan};
    check_fails(volt_gram_collection(kernel, second, 2, NULL, 0, NULL, two), VOLT_ERR_NOT_FINITE, "series 2 X");
    check_fails(volt_gram_collection(kernel, X, 1, NULL, 0, NULL, two), VOLT_ERR_SHAPE, "K 2 1");
    for (int k = 0; k < 4; k++)
        assert_true(K[k] == untouched);
    volt_kernel_free(kernel);
}

/* The radius that is asked for must hold all rows, for one series and for collections alike, and is then used. */
static void too_small_radius_is_rejected(void **state)
{
    double points[] = {0.3, 0.4, 0.6, 0.8}, K[4] = {untouched, untouched, untouched, untouched};
    volt_view X = volt_view_of(points, 1, 2), Y = volt_view_of(points, 2, 2), none = volt_view_of(NULL, 0, 0);
    volt_matrix one = volt_matrix_of(K, 1, 1), two = volt_matrix_of(K, 2, 2);
    static const char *const texts[] = {"volterra", "memory", "gak", "gak:path=rows"};
    for (int p = 0; p < 4; p++) {
        volt_kernel *kernel = plain_parse(texts[p]);
        volt_gram_options options = volt_gram_options_default();
        options.radius = 0.75;
        const char *sentence = "the radius is 0.75, but the inputs have norms up to 1";
        if (p != 2) /* needs a window */
            check_fails(volt_gram(kernel, Y, none, &options, two), VOLT_ERR_ARGUMENT, sentence);
        if (p != 3) { /* is for one series */
            check_fails(volt_gram_collection(kernel, &Y, 1, NULL, 0, &options, one), VOLT_ERR_ARGUMENT,
                        sentence);
            check_fails(volt_gram_collection(kernel, &X, 1, &Y, 1, &options, one), VOLT_ERR_ARGUMENT, sentence);
            options.radius = -1;
            check_fails(volt_gram_collection(kernel, &X, 1, NULL, 0, &options, one), VOLT_ERR_ARGUMENT,
                        "radius -1");
            options.radius = INFINITY;
            check_fails(volt_gram_collection(kernel, &X, 1, NULL, 0, &options, one), VOLT_ERR_ARGUMENT,
                        "finite");
            assert_true(K[0] == untouched);
            options.radius = 1;
            check_ok(volt_gram_collection(kernel, &Y, 1, NULL, 0, &options, one));
            K[0] = untouched;
        }
        volt_kernel_free(kernel);
    }
}

static int stop_at_once(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

static void threads_cancelling_and_memory(void **state)
{
    volt_rng rng = test_rng(345);
    enum { COUNT = 21 };
    volt_view *X = random_series(&rng, COUNT, 2, 9);
    for (int p = 0; p < SCANS + PATH_KERNELS; p++) {
        volt_kernel *kernel = plain_parse(p < SCANS ? scans[p] : path_kernels[p - SCANS].text);
        volt_matrix one = empty_gram(COUNT, COUNT), two = empty_gram(COUNT, COUNT);
        check_ok(volt_set_threads(1));
        check_ok(volt_gram_collection(kernel, X, COUNT, X, COUNT, NULL, one));
        check_ok(volt_set_threads(2));
        check_ok(volt_gram_collection(kernel, X, COUNT, X, COUNT, NULL, two));
        check_ok(volt_set_threads(0));
        assert_memory_equal(one.data, two.data, COUNT * (COUNT + 1) * sizeof(double));

        volt_gram_options options = volt_gram_options_default();
        options.progress.report = stop_at_once;
        check_fails(volt_gram_collection(kernel, X, COUNT, NULL, 0, &options, one), VOLT_ERR_CANCELLED, "gram");

        for (int64_t k = 0; failing_alloc_next(&k);) {
            volt_matrix K = empty_gram(COUNT, COUNT);
            failing_alloc_start(k);
            volt_status status = volt_gram_collection(kernel, X, COUNT, NULL, 0, NULL, K);
            failing_alloc_check(status);
            assert_true(status == VOLT_OK || K.data[0] == untouched);
            free(K.data);
        }
        free(two.data);
        free(one.data);
        volt_kernel_free(kernel);
    }
    free_series(X, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_lengths_against_plain_loops),
        cmocka_unit_test(long_series_in_logarithms),
        cmocka_unit_test(long_windows_in_logarithms),
        cmocka_unit_test(final_states_are_corners),
        cmocka_unit_test(semidefinite),
        cmocka_unit_test(one_step_by_hand),
        cmocka_unit_test(alignments_counted_by_hand),
        cmocka_unit_test(sequence_options_are_rejected),
        cmocka_unit_test(invalid_collections_are_rejected),
        cmocka_unit_test(too_small_radius_is_rejected),
        cmocka_unit_test(threads_cancelling_and_memory),
    };
    return cmocka_run_group_tests_name("collections", tests, NULL, NULL);
}
