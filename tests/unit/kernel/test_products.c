/* tests/unit/kernel/test_products.c: every product loop that this processor supports, compared with plain sums. */
#include "kernel/products.h"
#include "support/check.h"
#include "support/sequences.h"

enum { ROWS = VOLT_PRODUCT_ROWS, CHUNK = VOLT_PRODUCT_CHUNK, MOST = 96, MAX_D = 9, LD = MOST + 2 * CHUNK };

static const double untouched = 1e77;

static int64_t whole_chunks(int64_t count)
{
    return (count + CHUNK - 1) / CHUNK * CHUNK;
}

/* One entry: the sum in order. Both sums have an error of d eps times the sum of absolute values. */
static void check_entry(const char *name, const double *x, const double *y, int64_t d, double found)
{
    double sum = 0, size = 0;
    for (int64_t k = 0; k < d; k++) {
        sum += x[k] * y[k * LD];
        size += fabs(x[k] * y[k * LD]);
    }
    if (!(fabs(found - sum) <= 2 * (double)d * DBL_EPSILON * size))
        fail_msg("%s: %.17g, and should be %.17g", name, found, sum);
}

static void compare(const volt_product_loops *loops, int64_t rows, int64_t d, int64_t count, const double *x,
                    const double *y)
{
    double s[(ROWS + 1) * LD];
    for (int64_t i = 0; i < (ROWS + 1) * LD; i++)
        s[i] = untouched;
    volt_products_by(loops, rows, x, MAX_D, d, y, LD, count, s, LD);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < count; j++)
            check_entry(loops->name, x + r * MAX_D, y + j, d, s[r * LD + j]);
    for (int64_t i = 0; i < (ROWS + 1) * LD; i++) /* only the requested rows, in whole chunks */
        if (i / LD >= rows || i % LD >= whole_chunks(count))
            assert_true(s[i] == untouched);
}

/* Counts on both sides of every width at which a loop changes: 8, 16, 32 and 64 columns. */
static void every_loop_equals_plain_sums(void **state)
{
    volt_rng rng = test_rng(911);
    double *x = normal_rows(&rng, ROWS, MAX_D), *y = normal_rows(&rng, MAX_D, LD);
    int n = 0;
    for (const volt_product_loops *loops; (loops = volt_product_loops_at(n)); n++)
        for (int64_t rows = 1; rows <= ROWS; rows++)
            for (int64_t d = 1; d <= MAX_D; d += 4)
                for (int64_t count = 1; count <= MOST; count += count % 8 == 1 ? 7 : 1)
                    compare(loops, rows, d, count, x, y);
    print_message("# %d kinds of loops\n", n);
    assert_true(n >= 1);
    free(y);
    free(x);
}

/* The library uses the first of them. */
static void first_supported_loop_is_used(void **state)
{
    volt_rng rng = test_rng(912);
    double *x = normal_rows(&rng, ROWS, MAX_D), *y = normal_rows(&rng, MAX_D, LD);
    double taken[ROWS * LD] = {0}, first[ROWS * LD] = {0};
    for (int64_t rows = 1; rows <= ROWS; rows++) {
        volt_products(rows, x, MAX_D, MAX_D, y, LD, MOST, taken, LD);
        volt_products_by(volt_product_loops_at(0), rows, x, MAX_D, MAX_D, y, LD, MOST, first, LD);
        assert_memory_equal(taken, first, sizeof taken);
    }
    free(y);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loop_equals_plain_sums),
        cmocka_unit_test(first_supported_loop_is_used),
    };
    return cmocka_run_group_tests_name("products", tests, NULL, NULL);
}
