/* tests/property/test_scans_of_our_own.c: the kernels fading and memory, by hand, against plain loops,
 * against explicit zeros in front, and as streams.
 *
 *     D[i][j] = |x_i - y_j|^2 + rho D[i-1][j-1]
 *     fading  K = exp(-gamma D)
 *     memory  K = exp(-gamma D) + mu K[i-1][j-1]
 * and borders against the zero sequence: D_b = |z|^2 + rho D_b from 0, K_b = exp(-gamma D_b) + mu K_b from
 * 1 / (1 - mu). */
#include "support/check.h"
#include "support/live_options.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "volterra/model.h"

typedef struct scan_kernel {
    const char *text;
    double gamma, rho, mu; /* fading: mu < 0 */
} scan_kernel;

static const scan_kernel kernels[] = {
    {"fading:gamma=0.7,rho=0", 0.7, 0, -1},         {"fading:gamma=0.4,rho=0.8", 0.4, 0.8, -1},
    {"fading:gamma=0.05,rho=0.99", 0.05, 0.99, -1}, {"memory:gamma=1,rho=0.5,mu=0.85", 1, 0.5, 0.85},
    {"memory:gamma=2,rho=0,mu=0.95", 2, 0, 0.95},   {"memory:gamma=0.3,rho=0.9,mu=0", 0.3, 0.9, 0},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- plain loops ------------------------------------------------------------------------------ */

typedef struct diagonal {
    double D, K;
} diagonal;

/* One step of the recursion; y NULL: the zero sequence. */
static diagonal step(const scan_kernel *kernel, diagonal last, const double *x, const double *y, int64_t d)
{
    double squared = 0;
    for (int64_t k = 0; k < d; k++) {
        double gap = x[k] - (y ? y[k] : 0);
        squared += gap * gap;
    }
    diagonal next = {squared + kernel->rho * last.D, 0};
    next.K = exp(-kernel->gamma * next.D) + (kernel->mu < 0 ? 0 : kernel->mu * last.K);
    return next;
}

static void plain_scan(const scan_kernel *kernel, volt_view X, volt_view Y, double *K)
{
    int64_t n = X.rows, m = Y.rows, d = X.cols, ld = m + 1;
    diagonal *grid = malloc((size_t)((n + 1) * ld) * sizeof *grid), start = {0, 1 / (1 - fmax(kernel->mu, 0))};
    grid[0] = start;
    for (int64_t j = 0; j < m; j++)
        grid[j + 1] = step(kernel, grid[j], Y.data + j * Y.ld, NULL, d);
    for (int64_t i = 0; i < n; i++) {
        grid[(i + 1) * ld] = step(kernel, grid[i * ld], X.data + i * X.ld, NULL, d);
        for (int64_t j = 0; j < m; j++) {
            grid[(i + 1) * ld + j + 1] =
                step(kernel, grid[i * ld + j], X.data + i * X.ld, Y.data + j * Y.ld, d);
            K[i * m + j] = grid[(i + 1) * ld + j + 1].K;
        }
    }
    free(grid);
}

/* For rows in the unit ball. A squared distance is off by 4 (d + 4) eps (1 + sqrt d)^2 (products of rows
 * that were centred), D by 1 / (1 - rho) of that and of the roundings of D <= 4 / (1 - rho); K by gamma
 * times it, and memory sums that up by 1 / (1 - mu). */
static double tolerance_of(const scan_kernel *kernel, int64_t d)
{
    double size = 1 + sqrt((double)d), fades = 1 / (1 - kernel->rho), sums = 1 / (1 - fmax(kernel->mu, 0));
    double distance = DBL_EPSILON * fades * (4 * (double)(d + 4) * size * size + 8 * fades);
    return sums * (kernel->gamma * distance + 8 * DBL_EPSILON * sums);
}

static void check_entries(const scan_kernel *kernel, const char *what, const double *K, int64_t ld,
                          const double *truth, int64_t n, int64_t m, int64_t d)
{
    double tolerance = tolerance_of(kernel, d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            if (!(fabs(K[i * ld + j] - truth[i * m + j]) <= tolerance))
                fail_msg("%s, %s: K[%d][%d] is %.17g, expected %.17g, tolerance %.3g", kernel->text, what,
                         (int)i, (int)j, K[i * ld + j], truth[i * m + j], tolerance);
}

/* ---- tests ------------------------------------------------------------------------------------ */

/* x = (1, 2), y = (3): D00 = 4, and D10 = (2 - 3)^2 + rho 1^2 = 1.5, as x_0 = 1 met the zero past of y. */
static void by_hand(void **state)
{
    double x[] = {1, 2}, y[] = {3}, K[4];
    volt_view X = volt_view_of(x, 2, 1), Y = volt_view_of(y, 1, 1);
    volt_kernel *fading = plain_parse("fading:gamma=0.25,rho=0.5"),
                *memory = plain_parse("memory:gamma=0.25,rho=0.5,mu=0.8");
    check_ok(volt_gram(fading, X, Y, NULL, volt_matrix_of(K, 2, 1)));
    assert_true(fabs(K[0] - exp(-1.0)) <= 1e-15);
    assert_true(fabs(K[1] - exp(-0.25 * 1.5)) <= 1e-15);

    /* K00 = e^-1 + 0.8 * 5; the border after x_0 is e^{-1/4} + 0.8 * 5. */
    check_ok(volt_gram(memory, X, Y, NULL, volt_matrix_of(K, 2, 1)));
    assert_true(fabs(K[0] - (exp(-1.0) + 4)) <= 4e-15);
    assert_true(fabs(K[1] - (exp(-0.25 * 1.5) + 0.8 * (exp(-0.25) + 4))) <= 4e-15);

    /* A sequence is at distance 0 from itself: 1, and 1 + mu + mu^2 + ... */
    check_ok(volt_gram(fading, X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
    assert_true(K[0] == 1 && K[3] == 1);
    check_ok(volt_gram(memory, X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, 2, 2)));
    assert_true(fabs(K[0] - 5) <= 4e-15 && fabs(K[3] - 5) <= 4e-15);
    volt_kernel_free(memory);
    volt_kernel_free(fading);
}

static void scan_equals_plain_loops(void **state)
{
    volt_rng rng = test_rng(381);
    static const int64_t shapes[][3] = {{1, 1, 1},   {3, 8, 2},   {9, 4, 3},   {40, 33, 5},   {5, 255, 1},
                                        {256, 6, 2}, {7, 257, 1}, {258, 3, 2}, {130, 129, 1}, {66, 300, 1}};
    for (int p = 0; p < KERNELS; p++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            int64_t n = shapes[s][0], m = shapes[s][1], d = shapes[s][2];
            double *x = random_rows(&rng, n, d, 1), *y = random_rows(&rng, m, d, 1);
            double *K = new_matrix(n, m > n ? m : n), *truth = new_matrix(n, m > n ? m : n);
            volt_view X = volt_view_of(x, n, d), Y = volt_view_of(y, m, d);
            volt_kernel *kernel = plain_parse(kernels[p].text);
            check_ok(volt_gram(kernel, X, Y, NULL, volt_matrix_of(K, n, m)));
            plain_scan(&kernels[p], X, Y, truth);
            check_entries(&kernels[p], "rectangle", K, m, truth, n, m, d);
            check_ok(volt_gram(kernel, X, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, n, n)));
            plain_scan(&kernels[p], X, X, truth);
            check_entries(&kernels[p], "symmetric", K, n, truth, n, n, d);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++)
                    assert_true(K[i * n + j] == K[j * n + i]);
            volt_kernel_free(kernel);
            free(truth);
            free(K);
            free(y);
            free(x);
        }
}

/* Rows of zeros in front change nothing: they are the zero past. */
static void explicit_zero_rows_have_no_effect(void **state)
{
    volt_rng rng = test_rng(382);
    enum { N = 20, M = 27, D = 2, ZEROS = 37 };
    double *x = random_rows(&rng, N, D, 1), *y = random_rows(&rng, M, D, 1), K[N * M];
    double *long_x = new_matrix(N + ZEROS, D), *long_y = new_matrix(M + ZEROS, D);
    double *padded = new_matrix(N + ZEROS, M + ZEROS);
    memset(long_x, 0, ZEROS * D * sizeof(double));
    memset(long_y, 0, ZEROS * D * sizeof(double));
    memcpy(long_x + ZEROS * D, x, N * D * sizeof(double));
    memcpy(long_y + ZEROS * D, y, M * D * sizeof(double));
    for (int p = 0; p < KERNELS; p++) {
        volt_kernel *kernel = plain_parse(kernels[p].text);
        check_ok(
            volt_gram(kernel, volt_view_of(x, N, D), volt_view_of(y, M, D), NULL, volt_matrix_of(K, N, M)));
        check_ok(volt_gram(kernel, volt_view_of(long_x, N + ZEROS, D), volt_view_of(long_y, M + ZEROS, D), NULL,
                           volt_matrix_of(padded, N + ZEROS, M + ZEROS)));
        check_entries(&kernels[p], "zeros in front", padded + ZEROS * (M + ZEROS) + ZEROS, M + ZEROS, K, N, M,
                      D);
        volt_kernel_free(kernel);
    }
    free(padded);
    free(long_y);
    free(long_x);
    free(y);
    free(x);
}

/* Row by row or all at once: off by eps sum |k_j A_j| for the order of sums, and the tolerance of K. */
static void stream_equals_prediction(void **state)
{
    volt_rng rng = test_rng(383);
    enum { N = 60, H = 300, D = 2 };
    double *x = random_rows(&rng, N + H, D, 1), y[N], batch[H];
    for (int i = 0; i < N; i++)
        y[i] = x[i * D] + (i > 1 ? x[(i - 2) * D + 1] * x[(i - 1) * D] : 0);
    for (int p = 0; p < KERNELS; p++)
        for (int start = 0; start < 2; start++) {
            volt_kernel *kernel = plain_parse(kernels[p].text);
            volt_fit_options options = volt_fit_options_default();
            options.alpha = 1e-3;
            volt_model *model = NULL;
            check_ok(volt_model_fit(kernel, volt_view_of(x, N, D), volt_view_of(y, N, 1), &options,
                                    volt_matrix_of(NULL, 0, 0), &model));
            volt_predict_options how = volt_predict_options_default();
            how.start = (volt_start)start;
            check_ok(volt_model_predict(model, volt_view_of(x + N * D, H, D), &how, volt_matrix_of(batch, H, 1),
                                        NULL));
            volt_model_info info = {.struct_size = sizeof info};
            volt_model_get_info(model, &info);
            double sizes = 0;
            for (int j = 0; j < N; j++)
                sizes += fabs(info.coefficients[j]);
            double tolerance = info.target_scale[0] * sizes *
                               (tolerance_of(&kernels[p], D) + (N + 4) * DBL_EPSILON * info.facts->largest);
            volt_live *stream = NULL;
            check_ok(volt_live_create(model, as_live(&how), &stream));
            for (int i = 0; i < H; i++) {
                double out = NAN;
                check_ok(volt_live_feed(stream, x + (N + i) * D, &out));
                if (!(fabs(out - batch[i]) <= tolerance))
                    fail_msg("%s: row %d is %.17g in the stream and %.17g in the forecast, tolerance %.3g",
                             kernels[p].text, i, out, batch[i], tolerance);
            }
            volt_live_free(stream);
            volt_model_free(model);
            volt_kernel_free(kernel);
        }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(scan_equals_plain_loops),
        cmocka_unit_test(explicit_zero_rows_have_no_effect),
        cmocka_unit_test(stream_equals_prediction),
    };
    return cmocka_run_group_tests_name("scans_of_our_own", tests, NULL, NULL);
}
