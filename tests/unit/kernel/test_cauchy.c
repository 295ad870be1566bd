/* tests/unit/kernel/test_cauchy.c: the kernel of docs/adding_a_kernel.md: properties not covered by the loops over
 * the kernel table. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/plain_linear.h"
#include "support/sequences.h"
#include "volterra/live.h"
#include "volterra/model.h"

static const volt_view nothing = {0};

/* ---- values computed by hand ------------------------------------------------------------------ */

/* Squared distances of (0,0), (1,0), (1,2) are 1, 5 and 4. In windows of two rows with zero initial state,
 * those of the pairs (0,1), (0,2), (1,2) are 1 + 0, 5 + 1 and 4 + 1. */
static const struct {
    const char *text;
    double k01, k02, k12;
} by_hand[] = {
    {"cauchy:gamma=0.5", 2.0 / 3, 2.0 / 7, 1.0 / 3}, {"cauchy:gamma=0.5,window=2", 2.0 / 3, 1.0 / 4, 2.0 / 7},
    {"cauchy", 2.0 / 3, 2.0 / 7, 1.0 / 3},          /* gamma = 1 / d = 1/2 */
    {"cauchy:window=2", 4.0 / 5, 2.0 / 5, 4.0 / 9}, /* gamma = 1 / (d window) = 1/4 */
    {"cauchy:gamma=3", 1.0 / 4, 1.0 / 16, 1.0 / 13},
};

static void values_by_hand(void **state)
{
    const double X[] = {0, 0, 1, 0, 1, 2};
    for (size_t c = 0; c < sizeof by_hand / sizeof *by_hand; c++) {
        volt_kernel *kernel = plain_parse(by_hand[c].text);
        double K[9];
        check_ok(volt_gram(kernel, volt_view_of(X, 3, 2), nothing, NULL, volt_matrix_of(K, 3, 3)));
        const double expected[] = {1, by_hand[c].k01, by_hand[c].k02, by_hand[c].k01,
                                   1, by_hand[c].k12, by_hand[c].k02, by_hand[c].k12,
                                   1};
        /* Small integers: distances are exact, and the formula rounds three times. */
        for (int k = 0; k < 9; k++)
            if (!(fabs(K[k] - expected[k]) <= 2 * DBL_EPSILON * expected[k]))
                fail_msg("%s: entry %d is %.17g, expected %.17g", by_hand[c].text, k, K[k], expected[k]);
        volt_kernel_free(kernel);
    }
}

/* ---- windows ---------------------------------------------------------------------------------- */

typedef struct shape {
    int64_t n, m, d, w;
} shape;

static const shape shapes[] = {{3, 3, 1, 1},     {17, 5, 3, 2}, {9, 40, 2, 7},
                               {31, 300, 4, 20}, {4, 6, 5, 6},  {5, 5, 2, 11}};

/* Row i of `stacked` (n x (w d)) is the window that ends in row i, with zeros before the first row. */
static double *stack(const double *rows, int64_t n, int64_t d, int64_t w)
{
    double *stacked = new_matrix(n, w * d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = 0; p < w; p++)
            for (int64_t k = 0; k < d; k++) {
                int64_t t = i - (w - 1) + p;
                stacked[i * w * d + p * d + k] = t < 0 ? 0 : rows[t * d + k];
            }
    return stacked;
}

/* The kernel of two stacked windows in long double, and the error bound of the double result. Distances are
 * computed from products of centred rows, with coordinates of at most 1 here. With N the sum of their
 * squared norms, the error of D is at most (2 d + w + 12) eps N (products, norms, rounding of the centre,
 * the sum over the window, and the same for one row of w d numbers). 1/(1 + gamma D) turns this into the
 * quotient below. */
static double plain_value(const double *x, const double *y, const shape *s, double gamma, double *tolerance)
{
    int64_t length = s->w * s->d;
    long double distance = 0, norms = 0;
    for (int64_t k = 0; k < length; k++) {
        long double gap = (long double)x[k] - y[k], far_x = fabs(x[k]) + 1, far_y = fabs(y[k]) + 1;
        distance += gap * gap;
        norms += far_x * far_x + far_y * far_y;
    }
    double D = (double)distance, off = (double)(2 * length + s->w + 12) * DBL_EPSILON * (double)norms;
    *tolerance = gamma * off / ((1 + gamma * D) * (1 + gamma * fmax(D - off, 0))) + 4 * DBL_EPSILON;
    return (double)(1 / (1 + (long double)gamma * distance));
}

static void compare(const char *what, const double *K, const double *X, const double *Y, const shape *s,
                    double gamma)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->m; j++) {
            double tolerance,
                expected = plain_value(X + i * s->w * s->d, Y + j * s->w * s->d, s, gamma, &tolerance);
            if (!(fabs(K[i * s->m + j] - expected) <= tolerance))
                fail_msg("%s, %" PRId64 " x %" PRId64 ", d = %" PRId64 ", w = %" PRId64 ": K[%" PRId64
                         "][%" PRId64 "] is %.17g, expected %.17g +- %.2g",
                         what, s->n, s->m, s->d, s->w, i, j, K[i * s->m + j], expected, tolerance);
        }
}

static void check_windows(volt_rng *rng, const shape *s, double far_x, double far_y)
{
    double gamma = 0.1 + volt_rng_uniform(rng);
    double *X = random_rows(rng, s->n, s->d, 1), *Y = random_rows(rng, s->m, s->d, 1),
           *K = new_matrix(s->n, s->m);
    if (far_x > 0)
        X[(s->n / 2) * s->d] = far_x;
    if (far_y > 0)
        Y[(s->m / 2) * s->d] = far_y;
    double *stacked_X = stack(X, s->n, s->d, s->w), *stacked_Y = stack(Y, s->m, s->d, s->w);
    char text[96];
    snprintf(text, sizeof text, "cauchy:gamma=%.17g,window=%" PRId64, gamma, s->w);
    volt_kernel *windowed = plain_parse(text);
    snprintf(text, sizeof text, "cauchy:gamma=%.17g", gamma);
    volt_kernel *single = plain_parse(text);

    check_ok(volt_gram(windowed, volt_view_of(X, s->n, s->d), volt_view_of(Y, s->m, s->d), NULL,
                       volt_matrix_of(K, s->n, s->m)));
    compare("windows", K, stacked_X, stacked_Y, s, gamma);
    check_ok(volt_gram(single, volt_view_of(stacked_X, s->n, s->w * s->d),
                       volt_view_of(stacked_Y, s->m, s->w * s->d), NULL, volt_matrix_of(K, s->n, s->m)));
    compare("stacked", K, stacked_X, stacked_Y, s, gamma);

    volt_kernel_free(single);
    volt_kernel_free(windowed);
    free(stacked_Y);
    free(stacked_X);
    free(K);
    free(Y);
    free(X);
}

static void window_equals_concatenated_row(void **state)
{
    volt_rng rng = test_rng(81);
    for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++) {
        check_windows(&rng, &shapes[c], 0, 0);
        check_windows(&rng, &shapes[c], 1e6, 0); /* affects only the windows that contain it */
        check_windows(&rng, &shapes[c], 0, 1e6);
    }
}

/* ---- positive semidefinite -------------------------------------------------------------------- */

static void gram_matrices_are_positive_semidefinite(void **state)
{
    enum { N = 48, D = 2 };
    static const char *const texts[] = {"cauchy:gamma=0.01", "cauchy:gamma=5", "cauchy:gamma=1,window=5"};
    volt_rng rng = test_rng(82);
    for (size_t c = 0; c < sizeof texts / sizeof *texts; c++) {
        volt_kernel *kernel = plain_parse(texts[c]);
        double *rows = random_rows(&rng, N, D, 1), *K = new_matrix(N, N), smallest, largest;
        for (int i = 0; i < N / 2 * D; i++)
            rows[N / 2 * D + i] = rows[i]; /* duplicate rows: singular */
        check_ok(volt_gram(kernel, volt_view_of(rows, N, D), nothing, NULL, volt_matrix_of(K, N, N)));
        for (int i = 0; i < N; i++) {
            assert_true(K[i * N + i] == 1); /* the distance of a window to itself is exactly 0 */
            for (int j = 0; j < N; j++)
                assert_true(K[i * N + j] == K[j * N + i] && K[i * N + j] > 0 && K[i * N + j] <= 1);
        }
        plain_eigenvalues(volt_view_of(K, N, N), &smallest, &largest);
        /* The error of distances is at most (2 d + w + 12) eps 8 w (see above, centred norms up to 2), that
         * of entries gamma times this with gamma <= 5, that of eigenvalues N times this; Jacobi adds some N
         * eps |K|. */
        double tolerance = N * 5 * (2 * D + 5 + 12) * DBL_EPSILON * 8 * 5 + 8 * N * DBL_EPSILON * largest;
        if (!(smallest >= -tolerance))
            fail_msg("%s: smallest eigenvalue %.3g, allowed -%.3g", texts[c], smallest, tolerance);
        free(K);
        free(rows);
        volt_kernel_free(kernel);
    }
}

/* ---- text and table --------------------------------------------------------------------------- */

static void text_bounds_are_checked(void **state)
{
    volt_kernel *kernel = plain_parse("cauchy:window=3,gamma=0.25");
    assert_string_equal(volt_kernel_text(kernel), "cauchy:gamma=0.25,window=3");
    volt_kernel_free(kernel);
    kernel = NULL;
    check_fails(volt_kernel_parse("cauchy:gamma=0", &kernel), VOLT_ERR_KERNEL, "gamma");
    check_fails(volt_kernel_parse("cauchy:gamma=-1", &kernel), VOLT_ERR_KERNEL, "gamma");
    check_fails(volt_kernel_parse("cauchy:window=0", &kernel), VOLT_ERR_KERNEL, "window");
    check_fails(volt_kernel_parse("cauchy:sigma=1", &kernel), VOLT_ERR_KERNEL, "sigma");
    check_fails(volt_kernel_parse("cauchi", &kernel), VOLT_ERR_KERNEL, "cauchy"); /* the closest valid name */
    assert_null(kernel);
}

static const volt_kernel_info *find_in_table(const char *name)
{
    for (int64_t i = 0; i < volt_kernel_count(); i++)
        if (strcmp(volt_kernel_at(i)->name, name) == 0)
            return volt_kernel_at(i);
    return NULL;
}

static void table_has_search_ranges(void **state)
{
    const volt_kernel_info *info = find_in_table("cauchy");
    assert_non_null(info);
    assert_int_equal(info->n_parameters, 2);
    assert_string_equal(info->parameters[0].name, "gamma");
    assert_int_equal(info->parameters[0].search, VOLT_SEARCH_LOG);
    assert_int_equal(info->parameters[0].unit, VOLT_UNIT_INVERSE_SQUARE);
    assert_string_equal(info->parameters[1].name, "window");
    assert_int_equal(info->parameters[1].search, VOLT_SEARCH_LOG_INTEGER);
}

static void series_are_rejected(void **state)
{
    const double values[] = {1, 2, 3};
    volt_view series[] = {volt_view_of(values, 3, 1), volt_view_of(values, 2, 1)};
    volt_kernel *kernel = plain_parse("cauchy");
    double K[4];
    check_fails(volt_gram_collection(kernel, series, 2, NULL, 0, NULL, volt_matrix_of(K, 2, 2)),
                VOLT_ERR_KERNEL, "cauchy");
    volt_kernel_free(kernel);
}

/* ---- models ----------------------------------------------------------------------------------- */

/* The bound includes the coefficients: sums of n products in another order differ by 2 n eps sum |A k|, and
 * k <= 1. */
static double forecast_tolerance(const volt_model *model, int64_t n)
{
    volt_model_info info = {.struct_size = sizeof info};
    volt_model_get_info(model, &info);
    double sum = fabs(info.intercepts[0]);
    for (int64_t i = 0; i < n; i++)
        sum += fabs(info.coefficients[i]);
    return 2 * (double)n * DBL_EPSILON * sum * info.target_scale[0];
}

static void stream_equals_prediction(void **state)
{
    enum { N = 60, H = 25, D = 2 };
    volt_rng rng = test_rng(83);
    double *X = random_rows(&rng, N + H, D, 1), *Y = normal_rows(&rng, N, 1), batch[H], row;
    volt_kernel *kernel = plain_parse("cauchy:window=4");
    volt_model *model = NULL;
    volt_live *stream = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 0.1;
    check_ok(volt_model_fit(kernel, volt_view_of(X, N, D), volt_view_of(Y, N, 1), &options,
                            volt_matrix_of(NULL, 0, 0), &model));
    check_ok(volt_model_predict(model, volt_view_of(X + N * D, H, D), NULL, volt_matrix_of(batch, H, 1), NULL));
    check_ok(volt_live_create(model, NULL, &stream));
    double tolerance = forecast_tolerance(model, N);
    for (int h = 0; h < H; h++) {
        check_ok(volt_live_feed(stream, X + (N + h) * D, &row));
        if (!(fabs(row - batch[h]) <= tolerance))
            fail_msg("row %d: streamed %.17g, in a batch %.17g, tolerance %.2g", h, row, batch[h], tolerance);
    }
    volt_live_free(stream);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free(Y);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(window_equals_concatenated_row),
        cmocka_unit_test(gram_matrices_are_positive_semidefinite),
        cmocka_unit_test(text_bounds_are_checked),
        cmocka_unit_test(table_has_search_ranges),
        cmocka_unit_test(series_are_rejected),
        cmocka_unit_test(stream_equals_prediction),
    };
    return cmocka_run_group_tests_name("cauchy", tests, NULL, NULL);
}
