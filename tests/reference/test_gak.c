/* tests/reference/test_gak.c: global alignment kernels against golden figures: collections, pairs of unequal
 * lengths, rows read as paths, and series so far apart that doubles underflow. */
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/golden.h"
#include "support/plain_kernels.h"
#include "support/plain_paths.h"
#include "support/sequences.h"
#include "text/text.h"

static volt_kernel *gak_of(double sigma, const char *more)
{
    char text[128], number[VOLT_NUMBER_LENGTH];
    snprintf(text, sizeof text, "gak:sigma=%s%s", volt_format_number(sigma, number), more);
    return plain_parse(text);
}

/* series x time x channels as a list of views, to be freed. */
static volt_view *views_of(golden_array array)
{
    assert_int_equal(array.depth, 3);
    volt_view *views = malloc((size_t)array.shape[0] * sizeof *views);
    for (int64_t i = 0; i < array.shape[0]; i++)
        views[i] =
            volt_view_of(array.data + i * array.shape[1] * array.shape[2], array.shape[1], array.shape[2]);
    return views;
}

static volt_view view_at(golden *file, const char *pattern, int64_t index)
{
    char path[64];
    snprintf(path, sizeof path, "inputs.pairs.%lld.%s", (long long)index, pattern);
    golden_array array = golden_array_of(file, path);
    return volt_view_of(array.data, array.rows, array.cols);
}

static double expected_at(golden *file, int64_t pair, const char *field)
{
    char path[128];
    snprintf(path, sizeof path, "expected.pairs.%lld.%s", (long long)pair, field);
    return golden_number(file, path);
}

static double expected_item(golden *file, int64_t pair, const char *field, int64_t item)
{
    char path[40];
    snprintf(path, sizeof path, "%s.%lld", field, (long long)item);
    return expected_at(file, pair, path);
}

/* ---- collections ------------------------------------------------------------------------------ */

static void check_collection(const char *name)
{
    golden *file = golden_load(name);
    golden_array X = golden_array_of(file, "inputs.X"), Y = golden_array_of(file, "inputs.Y");
    golden_array xy = golden_array_of(file, "expected.cdist_xy"),
                 xx = golden_array_of(file, "expected.cdist_xx");
    volt_view *x = views_of(X), *y = views_of(Y);
    volt_kernel *kernel = gak_of(golden_number(file, "params.sigma"), "");
    double *K = new_matrix(X.rows, X.rows + Y.rows);
    check_ok(volt_gram_collection(kernel, x, X.rows, y, Y.rows, NULL, volt_matrix_of(K, X.rows, Y.rows)));
    golden_check("cdist_xy", xy.data, K, xy.count, golden_tol(file, "cdist_xy"), GOLDEN_RELATIVE);
    check_ok(volt_gram_collection(kernel, x, X.rows, NULL, 0, NULL, volt_matrix_of(K, X.rows, X.rows)));
    golden_check("cdist_xx", xx.data, K, xx.count, golden_tol(file, "cdist_xx"), GOLDEN_RELATIVE);
    free(K);
    volt_kernel_free(kernel);
    free(y);
    free(x);
    golden_free(file);
}

static void collections(void **state)
{
    check_collection("gak_cdist_d1");
    check_collection("gak_cdist_d3");
}

/* ---- pairs ------------------------------------------------------------------------------------ */

/* K before the normalisation, from the programme itself: the value it finishes with, without its scale. */
static double unnormalised(const volt_kernel *kernel, volt_view x, volt_view y)
{
    volt_programme programme;
    volt_path_shape shape;
    kernel->entry->paths(kernel, &programme, &shape);
    double *lanes = new_matrix(y.rows * y.cols, VOLT_LANES),
           *scratch = new_matrix(volt_pair_scratch(&programme, y.rows), 1);
    double out[VOLT_LANES];
    int64_t lengths[VOLT_LANES];
    for (int64_t k = 0; k < y.rows * y.cols; k++)
        for (int l = 0; l < VOLT_LANES; l++)
            lanes[k * VOLT_LANES + l] = y.data[k];
    for (int l = 0; l < VOLT_LANES; l++)
        lengths[l] = y.rows;
    volt_pair_run(&programme, x.data, x.rows, lanes, y.rows, y.cols, lengths, NULL, scratch, out);
    for (int l = 1; l < VOLT_LANES; l++)
        assert_true(out[l] == out[0]);
    free(scratch);
    free(lanes);
    return out[0] / exp((double)(x.rows + y.rows) * programme.log_scale);
}

/* log K(x, y) before the normalisation, from the programme in logarithms. */
static double log_unnormalised(const volt_kernel *kernel, volt_view x, volt_view y)
{
    volt_programme programme;
    volt_path_shape shape;
    kernel->entry->paths(kernel, &programme, &shape);
    double *scratch = new_matrix(y.rows + 1, 1);
    double value = programme.log_value(&programme, x.data, x.rows, y.data, y.rows, y.cols, 1, y.cols, -INFINITY,
                                       NULL, scratch);
    free(scratch);
    return value;
}

static void pairs_of_unequal_lengths(void **state)
{
    golden *file = golden_load("gak_pairs");
    int64_t pairs = golden_length(file, "inputs.pairs"), checked = 0;
    double tol = golden_tol(file, "gak");
    for (int64_t p = 0; p < pairs; p++) {
        volt_view x = view_at(file, "x", p), y = view_at(file, "y", p);
        for (int64_t s = 0; s < golden_length(file, "params.sigmas"); s++, checked++) {
            volt_kernel *kernel = gak_of(expected_item(file, p, "sigma", s), "");
            double K;
            check_ok(volt_gram_collection(kernel, &x, 1, &y, 1, NULL, volt_matrix_of(&K, 1, 1)));
            golden_check_number("gak", expected_item(file, p, "gak", s), K, tol, GOLDEN_RELATIVE);
            golden_check_number("unnormalized", expected_item(file, p, "unnormalized", s),
                                unnormalised(kernel, x, y), tol, GOLDEN_RELATIVE);
            golden_check_number("unnormalized_xx", expected_item(file, p, "unnormalized_xx", s),
                                unnormalised(kernel, x, x), tol, GOLDEN_RELATIVE);
            golden_check_number("unnormalized_yy", expected_item(file, p, "unnormalized_yy", s),
                                unnormalised(kernel, y, y), tol, GOLDEN_RELATIVE);
            golden_check_number("log_unnormalized", expected_item(file, p, "log_unnormalized", s),
                                log_unnormalised(kernel, x, y), tol, GOLDEN_ABSOLUTE);
            volt_kernel_free(kernel);
        }
    }
    assert_int_equal(checked, 63);
    golden_free(file);
}

/* ---- rows as paths ---------------------------------------------------------------------------- */

static void rows_as_paths(void **state)
{
    golden *file = golden_load("gak_rows");
    golden_array X = golden_array_of(file, "inputs.X");
    static const struct {
        const char *field;
        double sigma;
    } fields[] = {{"sigma_0.1", 0.1}, {"sigma_0.5", 0.5}, {"sigma_5", 5}};
    double *K = new_matrix(X.rows, X.rows);
    volt_view x = volt_view_of(X.data, X.rows, X.cols);
    for (int f = 0; f < 3; f++) {
        char path[64];
        snprintf(path, sizeof path, "expected.%s", fields[f].field);
        golden_array expected = golden_array_of(file, path);
        volt_kernel *kernel = gak_of(fields[f].sigma, ",path=rows");
        check_ok(volt_gram(kernel, x, volt_view_of(NULL, 0, 0), NULL, volt_matrix_of(K, X.rows, X.rows)));
        golden_check(fields[f].field, expected.data, K, expected.count, golden_tol(file, "rows"),
                     GOLDEN_RELATIVE);
        check_ok(volt_gram(kernel, x, x, NULL, volt_matrix_of(K, X.rows, X.rows)));
        golden_check(fields[f].field, expected.data, K, expected.count, golden_tol(file, "rows"),
                     GOLDEN_RELATIVE);
        volt_kernel_free(kernel);
    }
    free(K);
    golden_free(file);
}

/* ---- logarithms ------------------------------------------------------------------------------- */

static void far_series_in_logarithms(void **state)
{
    golden *file = golden_load("gak_log");
    int64_t pairs = golden_length(file, "inputs.pairs");
    double tol = golden_tol(file, "log_gak");
    for (int64_t p = 0; p < pairs; p++) {
        char path[64];
        snprintf(path, sizeof path, "inputs.pairs.%lld.sigma", (long long)p);
        volt_kernel *kernel = gak_of(golden_number(file, path), "");
        volt_view x = view_at(file, "x", p), y = view_at(file, "y", p);
        double xy = log_unnormalised(kernel, x, y), xx = log_unnormalised(kernel, x, x);
        double yy = log_unnormalised(kernel, y, y), log_gak = expected_at(file, p, "log_gak"), K = NAN;
        golden_check_number("log_unnormalized", expected_at(file, p, "log_unnormalized"), xy, tol,
                            GOLDEN_RELATIVE);
        golden_check_number("log_unnormalized_xx", expected_at(file, p, "log_unnormalized_xx"), xx, tol,
                            GOLDEN_RELATIVE);
        golden_check_number("log_unnormalized_yy", expected_at(file, p, "log_unnormalized_yy"), yy, tol,
                            GOLDEN_RELATIVE);
        golden_check_number("log_gak", log_gak, xy - 0.5 * (xx + yy), tol, GOLDEN_RELATIVE);

        /* The kernel itself: 0 where it lies below what a double holds, else with the digits of its
         * logarithm. */
        check_ok(volt_gram_collection(kernel, &x, 1, &y, 1, NULL, volt_matrix_of(&K, 1, 1)));
        if (log_gak < -746)
            assert_true(K == 0);
        else
            golden_check_number("gak", exp(log_gak), K, tol * fabs(log_gak), GOLDEN_RELATIVE);
        volt_kernel_free(kernel);
    }
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collections),
        cmocka_unit_test(pairs_of_unequal_lengths),
        cmocka_unit_test(rows_as_paths),
        cmocka_unit_test(far_series_in_logarithms),
    };
    return cmocka_run_group_tests_name("gak", tests, NULL, NULL);
}
