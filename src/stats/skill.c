/* src/stats/skill.c: the errors of a forecast relative to a baseline.
 *
 *     skill = 1 - mean_k (sum_t e_tk^2 / sum_t b_tk^2),       mase = mean_k (sum_t |e_tk| / sum_t |b_tk|),
 *
 * with e the errors of the forecast and b those of the baseline, over the outputs k where the baseline is not
 * exact. */
#include "base/error.h"
#include "base/memory.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Sum of absolute errors of an output, times `unit`. */
static double absolute_error(const volt_output *output, double unit)
{
    double sum = 0;
    for (int64_t i = 0; i < output->count; i++)
        sum += fabs((output->y[i * output->y_stride] - output->f[i * output->f_stride]) * unit);
    return sum;
}

/* The errors of all outputs. The sums in `found` stay 0 where the baseline is exact. */
static volt_status compare(volt_view truth, volt_view forecast, volt_view baseline, volt_skill *found)
{
    volt_status status = volt_check_pair(truth, baseline);
    if (status)
        return volt_fail_prefix(status, "with the baseline as the forecast");
    double squares = 0, absolutes = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        const volt_output model = volt_output_of(truth, forecast, k),
                          other = volt_output_of(truth, baseline, k);
        const double unit = volt_output_unit(&other), error = volt_output_error(&other, unit);
        if (error == 0)
            continue;
        squares += volt_output_error(&model, unit) / error;
        absolutes += absolute_error(&model, unit) / absolute_error(&other, unit);
        found->outputs++;
        VOLT_REQUIRE(isfinite(squares) && isfinite(absolutes), VOLT_ERR_NOT_FINITE,
                     "the squares of column %" PRId64 " overflow", k);
    }
    if (found->outputs > 0) {
        found->skill = 1 - squares / (double)found->outputs;
        found->mase = absolutes / (double)found->outputs;
    }
    return VOLT_OK;
}

/* Compares the last rows of the truth with the values found->lag rows earlier, the first of which may be in
 * `past`. */
static volt_status compare_naive(volt_view truth, volt_view forecast, volt_view past, volt_skill *found)
{
    const int64_t first = truth.rows - found->rows, cols = truth.cols;
    double *values = volt_alloc(found->rows * cols, sizeof *values);
    if (!values)
        return VOLT_ERR_MEMORY;
    for (int64_t i = 0; i < found->rows; i++) {
        const int64_t row = first + i - found->lag;
        const double *from = row >= 0 ? truth.data + row * truth.ld : past.data + (past.rows + row) * past.ld;
        memcpy(values + i * cols, from, (size_t)cols * sizeof *values);
    }
    volt_status status =
        compare(volt_view_rows(truth, first, found->rows), volt_view_rows(forecast, first, found->rows),
                volt_view_of(values, found->rows, cols), found);
    volt_free(values);
    return status;
}

volt_status volt_skill_compute(volt_view truth, volt_view forecast, volt_view baseline, volt_view past,
                               int64_t ahead, int64_t season, volt_skill *skill)
{
    VOLT_TRY(volt_check_pair(truth, forecast));
    VOLT_REQUIRE(skill, VOLT_ERR_ARGUMENT, "the skill is NULL");
    volt_skill found = {.struct_size = sizeof found, .skill = NAN, .mase = NAN, .rows = truth.rows};
    if (baseline.data) {
        VOLT_TRY(compare(truth, forecast, baseline, &found));
    } else {
        VOLT_REQUIRE(ahead >= 1, VOLT_ERR_ARGUMENT, "ahead must be at least 1 (got %" PRId64 ")", ahead);
        VOLT_REQUIRE(season == 0 || season >= 2, VOLT_ERR_ARGUMENT,
                     "season must be 0 (none) or at least 2 (got %" PRId64 ")", season);
        VOLT_REQUIRE(past.rows == 0 || (past.data && past.cols == truth.cols), VOLT_ERR_SHAPE,
                     "past has %" PRId64 " columns and truth has %" PRId64, past.cols, truth.cols);
        found.lag = season ? (ahead + season - 1) / season * season : ahead;
        const int64_t missing = found.lag > past.rows ? found.lag - past.rows : 0;
        found.rows = truth.rows > missing ? truth.rows - missing : 0;
        if (found.rows > 0)
            VOLT_TRY(compare_naive(truth, forecast, past, &found));
    }
    VOLT_TRY(volt_result_copy(skill, &found, sizeof found, "volt_skill"));
    VOLT_REQUIRE(found.rows > 0, VOLT_ERR_DATA,
                 "the naive forecast needs the truth %" PRId64 " rows earlier, which none of the %" PRId64
                 " rows has: pass the earlier rows as past",
                 found.lag, truth.rows);
    VOLT_REQUIRE(found.outputs > 0, VOLT_ERR_DATA, "the baseline is exact: relative errors are undefined");
    return VOLT_OK;
}
