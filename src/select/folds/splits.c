/* src/select/folds/splits.c: training and validation rows in time order.
 *
 * Validation blocks of equal length follow each other at the end of the rows. The remaining first rows are
 * used only for training. Without a minimum training length the blocks equal those of scikit-learn's
 * TimeSeriesSplit: n / (folds + 1) rows each. */
#include "base/error.h"
#include "base/numbers.h"
#include "select/folds/problem.h"
#include "volterra/select.h"

#include <inttypes.h>

volt_split_options volt_split_options_default(void)
{
    volt_split_options options = {.folds = 5, .min_train = 1};
    return options;
}

volt_status volt_splits(int64_t n, const volt_split_options *options, volt_split *splits)
{
    volt_split_options standard = volt_split_options_default();
    if (!options)
        options = &standard;
    VOLT_REQUIRE(splits, VOLT_ERR_ARGUMENT, "the output for the splits is NULL");
    VOLT_REQUIRE(options->folds >= 1, VOLT_ERR_ARGUMENT,
                 "the number of folds must be at least 1 (got %" PRId64 ")", options->folds);
    VOLT_REQUIRE(options->gap >= 0, VOLT_ERR_ARGUMENT, "the gap must be at least 0 (got %" PRId64 " rows)",
                 options->gap);
    VOLT_REQUIRE(options->min_train >= 1, VOLT_ERR_ARGUMENT,
                 "the minimum training length must be at least 1 (got %" PRId64 ")", options->min_train);
    VOLT_REQUIRE(options->max_train >= 0, VOLT_ERR_ARGUMENT,
                 "the maximum training length must be at least 1, or 0 for all rows (got %" PRId64 ")",
                 options->max_train);
    VOLT_REQUIRE(!options->max_train || !options->rolling, VOLT_ERR_ARGUMENT,
                 "give a maximum training length or rolling, not both");

    /* The last condition leaves one row to each block and is written to avoid overflow. */
    VOLT_REQUIRE(options->gap < n && options->min_train < n && options->folds < n &&
                     n - options->gap - options->min_train >= options->folds,
                 VOLT_ERR_ARGUMENT,
                 "%" PRId64 " rows are too few for %" PRId64 " folds with a gap of %" PRId64
                 " and at least %" PRId64 " training rows",
                 n, options->folds, options->gap, options->min_train);
    int64_t block =
        volt_min(n / (options->folds + 1), (n - options->gap - options->min_train) / options->folds);

    int64_t longest = options->max_train;
    for (int64_t k = 0; k < options->folds; k++) {
        volt_split split = {.begin = n - (options->folds - k) * block};
        split.end = split.begin + block;
        split.train_end = split.begin - options->gap;
        if (options->rolling && k == 0)
            longest = split.train_end;
        if (longest > 0)
            split.train_begin = volt_max(0, split.train_end - longest);
        splits[k] = split;
    }
    return VOLT_OK;
}
