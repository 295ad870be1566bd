/* tests/reference/test_timeseriessplit.c: splits against scikit-learn's TimeSeriesSplit. */
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/golden.h"
#include "volterra/select.h"

enum { MAX_FOLDS = 16 };

static void check_length(golden *file, int64_t n)
{
    volt_split_options options = volt_split_options_default();
    options.folds = (int64_t)golden_number(file, "params.n_splits");
    char path[64];
    snprintf(path, sizeof path, "expected.%d", (int)n);
    golden_array expected = golden_array_of(file, path);
    assert_true(options.folds <= MAX_FOLDS && expected.rows == options.folds && expected.cols == 4);

    volt_split splits[MAX_FOLDS];
    check_ok(volt_splits(n, &options, splits));
    for (int64_t k = 0; k < options.folds; k++) {
        const double *row = expected.data + 4 * k;
        assert_int_equal(splits[k].train_begin, (int64_t)row[0]);
        assert_int_equal(splits[k].train_end, (int64_t)row[1]);
        assert_int_equal(splits[k].begin, (int64_t)row[2]);
        assert_int_equal(splits[k].end, (int64_t)row[3]);
    }
}

static void splits_equal_timeseriessplit(void **state)
{
    golden *file = golden_load("timeseriessplit");
    golden_array lengths = golden_array_of(file, "inputs.n");
    assert_true(lengths.count >= 3);
    for (int64_t i = 0; i < lengths.count; i++)
        check_length(file, (int64_t)lengths.data[i]);
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_equal_timeseriessplit),
    };
    return cmocka_run_group_tests_name("timeseriessplit", tests, NULL, NULL);
}
