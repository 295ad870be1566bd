/* tests/unit/select/test_splits.c: training and validation rows: known values, invariants and invalid arguments. */
#include "select/folds/problem.h"
#include "support/check.h"
#include "support/sequences.h"
#include "volterra/select.h"

enum { MAX_FOLDS = 8 };

/* ---- known values ----------------------------------------------------------------------------- */

typedef struct split_case {
    const char *what;
    int64_t n;
    volt_split_options options;
    volt_split expected[MAX_FOLDS];
} split_case;

static const split_case cases[] = {
    /* block = 12 / 4 */
    {"plain", 12, {3, 0, 1, 0, 0}, {{0, 3, 3, 6}, {0, 6, 6, 9}, {0, 9, 9, 12}}},
    /* block = 14 / 4 = 3: the two remaining rows are training rows */
    {"rest", 14, {3, 0, 1, 0, 0}, {{0, 5, 5, 8}, {0, 8, 8, 11}, {0, 11, 11, 14}}},
    {"one fold", 9, {1, 0, 1, 0, 0}, {{0, 5, 5, 9}}},
    {"fewest rows", 4, {3, 0, 1, 0, 0}, {{0, 1, 1, 2}, {0, 2, 2, 3}, {0, 3, 3, 4}}},
    {"two rows", 2, {1, 0, 1, 0, 0}, {{0, 1, 1, 2}}},
    {"gap", 14, {3, 2, 1, 0, 0}, {{0, 3, 5, 8}, {0, 6, 8, 11}, {0, 9, 11, 14}}},
    /* a gap of 5 leaves no training row before blocks of 3: (14 - 5 - 1) / 3 = 2 */
    {"gap that shrinks blocks", 14, {3, 5, 1, 0, 0}, {{0, 3, 8, 10}, {0, 5, 10, 12}, {0, 7, 12, 14}}},
    {"minimum that is met", 14, {3, 0, 5, 0, 0}, {{0, 5, 5, 8}, {0, 8, 8, 11}, {0, 11, 11, 14}}},
    /* (14 - 6) / 3 = 2 */
    {"minimum", 14, {3, 0, 6, 0, 0}, {{0, 8, 8, 10}, {0, 10, 10, 12}, {0, 12, 12, 14}}},
    {"largest minimum", 14, {3, 0, 11, 0, 0}, {{0, 11, 11, 12}, {0, 12, 12, 13}, {0, 13, 13, 14}}},
    /* (14 - 2 - 6) / 3 = 2 */
    {"minimum and gap", 14, {3, 2, 6, 0, 0}, {{0, 6, 8, 10}, {0, 8, 10, 12}, {0, 10, 12, 14}}},
    {"maximum", 14, {3, 0, 1, 6, 0}, {{0, 5, 5, 8}, {2, 8, 8, 11}, {5, 11, 11, 14}}},
    {"maximum and gap", 14, {3, 1, 1, 6, 0}, {{0, 4, 5, 8}, {1, 7, 8, 11}, {4, 10, 11, 14}}},
    {"maximum of one", 12, {3, 0, 1, 1, 0}, {{2, 3, 3, 6}, {5, 6, 6, 9}, {8, 9, 9, 12}}},
    {"maximum beyond all rows", 12, {3, 0, 1, 99, 0}, {{0, 3, 3, 6}, {0, 6, 6, 9}, {0, 9, 9, 12}}},
    {"rolling", 14, {3, 0, 1, 0, 1}, {{0, 5, 5, 8}, {3, 8, 8, 11}, {6, 11, 11, 14}}},
    {"rolling and gap", 14, {3, 2, 1, 0, 1}, {{0, 3, 5, 8}, {3, 6, 8, 11}, {6, 9, 11, 14}}},
};

static void by_hand(void **state)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        volt_split splits[MAX_FOLDS];
        check_ok(volt_splits(cases[c].n, &cases[c].options, splits));
        for (int64_t k = 0; k < cases[c].options.folds; k++) {
            const volt_split *a = &splits[k], *e = &cases[c].expected[k];
            if (memcmp(a, e, sizeof *a) != 0)
                fail_msg("%s, fold %" PRId64 ": %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                         ", expected %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
                         cases[c].what, k, a->train_begin, a->train_end, a->begin, a->end, e->train_begin,
                         e->train_end, e->begin, e->end);
        }
    }
}

static void defaults(void **state)
{
    volt_split_options options = volt_split_options_default();
    assert_true(options.folds == 5 && options.gap == 0 && options.min_train == 1 && options.max_train == 0 &&
                options.rolling == 0);
    volt_split with[5], without[5];
    check_ok(volt_splits(33, &options, with));
    check_ok(volt_splits(33, NULL, without));
    assert_memory_equal(with, without, sizeof with);
}

/* ---- invariants ------------------------------------------------------------------------------- */

static int64_t draw(volt_rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)(volt_rng_uniform(rng) * (double)(high - low + 1));
}

/* Either the rows are too few, or blocks are equal, contiguous and end with the last row, and every training
 * part ends `gap` rows before its block and has the requested length. Blocks have the maximum length. */
static void blocks_tile_the_end(void **state)
{
    volt_rng rng = test_rng(2101);
    int done = 0, refused = 0;
    for (int round = 0; round < 2000; round++) {
        int64_t n = draw(&rng, 1, 60);
        volt_split_options options = {draw(&rng, 1, MAX_FOLDS), draw(&rng, 0, 9), draw(&rng, 1, 20), 0, 0};
        if (round % 3 == 1)
            options.max_train = draw(&rng, 1, 30);
        options.rolling = round % 3 == 2;
        int64_t folds = options.folds, workspace = n - options.gap - options.min_train;
        volt_split splits[MAX_FOLDS];
        volt_status status = volt_splits(n, &options, splits);
        if (workspace < folds) {
            assert_int_equal(status, VOLT_ERR_ARGUMENT);
            refused++;
            continue;
        }
        check_ok(status);
        int64_t block = n / (folds + 1) < workspace / folds ? n / (folds + 1) : workspace / folds;
        for (int64_t k = 0; k < folds; k++) {
            volt_split s = splits[k];
            assert_int_equal(s.end - s.begin, block);
            assert_int_equal(s.end, k + 1 < folds ? splits[k + 1].begin : n);
            assert_int_equal(s.begin - s.train_end, options.gap);
            int64_t rows = s.train_end - s.train_begin, longest = options.max_train;
            if (options.rolling)
                longest = splits[0].train_end;
            assert_int_equal(rows, longest && longest < s.train_end ? longest : s.train_end);
            assert_true(s.train_end >= options.min_train && rows >= 1);
        }
        done++;
    }
    print_message("%d splits, %d refused\n", done, refused);
    assert_true(done > 500 && refused > 100);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void invalid_splits_are_rejected(void **state)
{
    static const struct {
        int64_t n;
        volt_split_options options;
        const char *fragment;
    } wrong[] = {
        {10, {0, 0, 1, 0, 0}, "0 folds"},
        {10, {-3, 0, 1, 0, 0}, "-3 folds"},
        {10, {3, -1, 1, 0, 0}, "gap -1"},
        {10, {3, 0, 0, 0, 0}, "minimum training length 0"},
        {10, {3, 0, 1, -2, 0}, "maximum training length -2"},
        {10, {3, 0, 1, 4, 1}, "not both"},
        {3, {3, 0, 1, 0, 0}, "3 rows are too few for 3 folds"},
        {1, {1, 0, 1, 0, 0}, "1 rows are too few"},
        {0, {1, 0, 1, 0, 0}, "0 rows are too few"},
        {-5, {1, 0, 1, 0, 0}, "-5 rows are too few"},
        {10, {3, 7, 1, 0, 0}, "a gap of 7"},
        {10, {3, 0, 8, 0, 0}, "at least 8 training rows"},
        {10, {3, 3, 5, 0, 0}, "a gap of 3 and at least 5 training rows"},
        {10, {INT64_MAX, 0, 1, 0, 0}, "too few"},
        {10, {3, INT64_MAX, 1, 0, 0}, "too few"},
        {10, {3, 0, INT64_MAX, 0, 0}, "too few"},
        {INT64_MAX, {3, INT64_MAX - 1, INT64_MAX - 1, 0, 0}, "too few"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_split splits[MAX_FOLDS], before[MAX_FOLDS];
        memset(splits, 0x5a, sizeof splits);
        memcpy(before, splits, sizeof splits);
        check_fails(volt_splits(wrong[i].n, &wrong[i].options, splits), VOLT_ERR_ARGUMENT, wrong[i].fragment);
        assert_memory_equal(splits, before, sizeof splits);
    }
    check_fails(volt_splits(10, NULL, NULL), VOLT_ERR_ARGUMENT, "splits");
}

static void huge_lengths_do_not_overflow(void **state)
{
    volt_split splits[MAX_FOLDS];
    volt_split_options options = {3, 0, 1, 0, 0};
    check_ok(volt_splits(INT64_MAX, &options, splits));
    assert_true(splits[2].end == INT64_MAX && splits[0].begin > 0 && splits[2].train_end == splits[2].begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(defaults),
        cmocka_unit_test(blocks_tile_the_end),
        cmocka_unit_test(invalid_splits_are_rejected),
        cmocka_unit_test(huge_lengths_do_not_overflow),
    };
    return cmocka_run_group_tests_name("splits", tests, NULL, NULL);
}
