/* tests/unit/gram/test_columns_pack.c: packed columns, and tiles of inner products and squared distances. */
#include "gram/engine/columns.h"
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/sequences.h"

static void no_step(const volt_scan *scan, int64_t rows, double *local, int64_t ld_local, double *state,
                    int64_t stride, double *out, int64_t ld_out, int64_t count)
{
    (void)scan, (void)rows, (void)local, (void)ld_local, (void)state, (void)stride, (void)out, (void)ld_out,
        (void)count;
}

/* As for a plain scan: no window, no leading zeros. */
static volt_columns *columns_of(volt_view Y, bool distance)
{
    volt_resolved resolved = {.window = 1, .scan = {.step = no_step, .distance = distance}};
    volt_columns *columns = NULL;
    check_ok(volt_columns_create(&resolved, Y, NULL, &columns));
    return columns;
}

/* Unpacked rows are bitwise equal to the input, also after centring. The padding is zero. */
static void packed_rows_are_unchanged(void **state)
{
    volt_rng rng = test_rng(81);
    for (int64_t m = 1; m <= 20; m++)
        for (int64_t d = 1; d <= 3; d++)
            for (int distance = 0; distance < 2; distance++) {
                double *rows = normal_rows(&rng, m, d + 2), row[3];
                volt_view Y = {rows, m, d, d + 2};
                volt_columns *columns = columns_of(Y, distance != 0);
                assert_int_equal(columns->m, m);
                assert_int_equal(columns->d, d);
                assert_true(columns->ld >= m + VOLT_COLUMNS_CHUNK - 1);
                for (int64_t j = 0; j < m; j++) {
                    volt_columns_row(columns, j, row);
                    assert_memory_equal(row, rows + j * Y.ld, (size_t)d * sizeof(double));
                }
                for (int64_t k = 0; k < d; k++)
                    for (int64_t j = m; j < columns->ld; j++)
                        assert_true(columns->packed[k * columns->ld + j] == 0);
                volt_columns_free(columns);
                free(rows);
            }
    volt_columns_free(NULL);
}

static void centre_is_median_row(void **state)
{
    double rows[] = {1, 10, 3, 30, 600, 6000}, x[] = {3, 29, 5, 30}, centred[4], norms[2];
    volt_columns *columns = columns_of(volt_view_of(rows, 3, 2), true);
    assert_true(fabs(columns->centre[0] - 3) < 1e-14 && fabs(columns->centre[1] - 30) < 1e-13);
    assert_true(fabs(columns->norms[0] - (4 + 400)) < 1e-11);
    volt_columns_centre(columns, volt_view_of(x, 2, 2), centred, norms);
    assert_true(fabs(centred[0]) < 1e-14 && fabs(centred[1] + 1) < 1e-13);
    assert_true(fabs(centred[2] - 2) < 1e-14 && fabs(centred[3]) < 1e-13);
    assert_true(fabs(norms[0] - 1) < 1e-12 && fabs(norms[1] - 4) < 1e-12);
    volt_columns_free(columns);
}

/* Local values of `rows` rows at columns first .. first + count - 1, against long double sums. */
static void check_local(volt_rng *rng, int64_t m, int64_t d, int64_t rows, bool distance)
{
    enum { LD = 64 };
    double *Y = normal_rows(rng, m, d), *X = normal_rows(rng, rows, d + 3), local[VOLT_SCAN_ROWS * LD];
    double *centred = new_matrix(rows, d), norms[VOLT_SCAN_ROWS];
    volt_view view_X = {X, rows, d, d + 3};
    volt_columns *columns = columns_of(volt_view_of(Y, m, d), distance);
    volt_columns_centre(columns, view_X, centred, norms);
    for (int64_t first = 0; first < m; first++)
        for (int64_t count = 1; first + count <= m && count <= 20; count += 3) {
            for (int i = 0; i < VOLT_SCAN_ROWS * LD; i++)
                local[i] = NAN;
            if (distance)
                volt_columns_local(columns, centred, d, norms, rows, first, count, local, LD);
            else
                volt_columns_local(columns, X, view_X.ld, NULL, rows, first, count, local, LD);
            for (int64_t r = 0; r < rows; r++)
                for (int64_t k = 0; k < count; k++) {
                    long double sum = 0, sizes = 0;
                    for (int64_t i = 0; i < d; i++) {
                        long double x = X[r * view_X.ld + i], y = Y[(first + k) * d + i];
                        sum += distance ? (x - y) * (x - y) : x * y;
                        /* 20: rounding of the centre */
                        sizes += distance ? 2 * (x * x + y * y) + 20 : fabsl(x * y);
                    }
                    double error = fabs(local[r * LD + k] - (double)sum);
                    assert_true(error <= (double)(d + 4) * DBL_EPSILON * (double)sizes);
                    assert_true(!distance || local[r * LD + k] >= 0);
                }
            /* Columns after the chunk that contains the last one are unchanged. */
            int64_t chunks = (count + VOLT_COLUMNS_CHUNK - 1) / VOLT_COLUMNS_CHUNK;
            for (int64_t r = 0; r < rows; r++)
                for (int64_t k = chunks * VOLT_COLUMNS_CHUNK; k < LD; k++)
                    assert_true(isnan(local[r * LD + k]));
        }
    volt_columns_free(columns);
    free(centred);
    free(X);
    free(Y);
}

static void inner_products_equal_plain_sums(void **state)
{
    volt_rng rng = test_rng(82);
    for (int64_t rows = 1; rows <= VOLT_SCAN_ROWS; rows++)
        for (int64_t m = 1; m <= 27; m += 2)
            for (int64_t d = 1; d <= 17; d += 4)
                check_local(&rng, m, d, rows, false);
}

static void distances_equal_plain_sums(void **state)
{
    volt_rng rng = test_rng(83);
    for (int64_t rows = 1; rows <= VOLT_SCAN_ROWS; rows++)
        for (int64_t m = 1; m <= 27; m += 2)
            for (int64_t d = 1; d <= 17; d += 4)
                check_local(&rng, m, d, rows, true);
}

/* Inputs far from zero: without centring, distances of 1e-3 between points near 1e6 would lose all digits. */
static void distances_far_from_zero_keep_precision(void **state)
{
    enum { M = 11 };
    double rows[M], x = 1e6 + 0.25, centred, norm, local[M + VOLT_COLUMNS_CHUNK];
    for (int j = 0; j < M; j++)
        rows[j] = 1e6 + j / 1024.0; /* exact */
    volt_columns *columns = columns_of(volt_view_of(rows, M, 1), true);
    volt_columns_centre(columns, volt_view_of(&x, 1, 1), &centred, &norm);
    volt_columns_local(columns, &centred, 1, &norm, 1, 0, M, local, M + VOLT_COLUMNS_CHUNK);
    for (int j = 0; j < M; j++) {
        double distance = (x - rows[j]) * (x - rows[j]);
        assert_true(fabs(local[j] - distance) <= 1e-9 * distance); /* the centre rounds at 1e6 eps */
    }
    volt_columns_free(columns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_rows_are_unchanged),
        cmocka_unit_test(centre_is_median_row),
        cmocka_unit_test(inner_products_equal_plain_sums),
        cmocka_unit_test(distances_equal_plain_sums),
        cmocka_unit_test(distances_far_from_zero_keep_precision),
    };
    return cmocka_run_group_tests_name("columns_pack", tests, NULL, NULL);
}
