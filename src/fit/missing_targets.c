/* src/fit/missing_targets.c: rows without targets. */
#include "fit/fit_task.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_excluded(volt_view Y, const double *weights, bool missing, int64_t i)
{
    bool out = weights && weights[i] == 0;
    for (int64_t k = 0; missing && !out && k < Y.cols; k++)
        out = isnan(Y.data[i * Y.ld + k]);
    return out;
}

volt_status volt_missing_targets_find(volt_view Y, const double *weights, bool missing, int64_t first,
                                      volt_missing_targets *missing_targets)
{
    int64_t excluded = 0, fitted = 0, kept = 0;
    *missing_targets = (volt_missing_targets){.present = Y};
    for (int64_t i = 0; i < Y.rows; i++) {
        bool is_missing = is_excluded(Y, weights, missing, i);
        excluded += is_missing;
        fitted += !is_missing && i >= first;
    }
    if (excluded == 0)
        return VOLT_OK;
    VOLT_REQUIRE(fitted > 0, VOLT_ERR_DATA,
                 weights ? "the weights of the %" PRId64 " rows to fit sum to 0, or their targets are missing"
                         : "a target is missing in each of the %" PRId64 " rows to fit",
                 Y.rows - first);
    missing_targets->without = volt_alloc_zero(Y.rows, sizeof *missing_targets->without);
    missing_targets->copy = volt_alloc_doubles(Y.rows - excluded, Y.cols);
    if (!missing_targets->without || !missing_targets->copy)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < Y.rows; i++) {
        missing_targets->without[i] = is_excluded(Y, weights, missing, i);
        if (!missing_targets->without[i])
            memcpy(missing_targets->copy + kept++ * Y.cols, Y.data + i * Y.ld, (size_t)Y.cols * sizeof(double));
    }
    missing_targets->present = volt_view_of(missing_targets->copy, kept, Y.cols);
    return VOLT_OK;
}

volt_status volt_missing_targets_add_washout(const volt_records *records, int64_t rows, int64_t washout,
                                             volt_missing_targets *missing_targets)
{
    int64_t fitted = 0;
    if (!missing_targets->without)
        missing_targets->without = volt_alloc_zero(rows, sizeof *missing_targets->without);
    if (!missing_targets->without)
        return VOLT_ERR_MEMORY;
    volt_records_mark_starts(records, rows, washout, missing_targets->without);
    for (int64_t i = 0; i < rows; i++)
        fitted += !missing_targets->without[i];
    VOLT_REQUIRE(fitted > 0, VOLT_ERR_ARGUMENT,
                 "a washout of %" PRId64 " rows at the start of each of %" PRId64
                 " records leaves no rows to fit",
                 washout, records->n);
    return VOLT_OK;
}

void volt_missing_targets_release(volt_missing_targets *missing_targets)
{
    volt_free(missing_targets->without);
    volt_free(missing_targets->copy);
}
