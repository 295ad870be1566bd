/* src/stats/skill.c: the errors of a forecast in units of a baseline's.
 *
 *     skill = 1 - mean_k (sum_t e_tk^2 / sum_t b_tk^2),       mase = mean_k (sum_t |e_tk| / sum_t |b_tk|),
 *
 * e the errors of the forecast and b those of the baseline, over the outputs k of which the baseline makes an error. */
#include "base/error.h"
#include "base/memory.h"
#include "stats/stats_internal.h"
#include "volterra/stats.h"

#include <inttypes.h>
#include <math.h>

/* Sum of absolute errors of an output, times `unit`. */
static double absolute_error(const volt_output *output, double unit)
{
    double sum = 0;
    for (int64_t i = 0; i < output->count; i++)
        sum += fabs((output->y[i * output->y_stride] - output->f[i * output->f_stride]) * unit);
    return sum;
}

volt_status volt_skill_compute(volt_view truth, volt_view forecast, volt_view baseline, volt_skill *skill)
{
    VOLT_TRY(volt_check_pair(truth, forecast));
    volt_status status = volt_check_pair(truth, baseline);
    if (status)
        return volt_fail_prefix(status, "with the baseline as the forecast");
    VOLT_REQUIRE(skill, VOLT_ERR_ARGUMENT, "there is no place for the skill");

    double squares = 0, absolutes = 0;
    int64_t outputs = 0;
    for (int64_t k = 0; k < truth.cols; k++) {
        const volt_output model = volt_output_of(truth, forecast, k),
                          other = volt_output_of(truth, baseline, k);
        const double unit = volt_output_unit(&other), error = volt_output_error(&other, unit);
        if (error == 0)
            continue;
        squares += volt_output_error(&model, unit) / error;
        absolutes += absolute_error(&model, unit) / absolute_error(&other, unit);
        outputs++;
        VOLT_REQUIRE(isfinite(squares) && isfinite(absolutes), VOLT_ERR_NOT_FINITE,
                     "the squares of column %" PRId64 " overflow", k);
    }
    VOLT_REQUIRE(outputs > 0, VOLT_ERR_DATA,
                 "the baseline is exact: errors cannot be measured in units of its errors");
    volt_skill found = {.struct_size = sizeof(volt_skill),
                        .skill = 1 - squares / (double)outputs,
                        .mase = absolutes / (double)outputs,
                        .outputs = outputs};
    return volt_result_give(skill, &found, sizeof found, "volt_skill");
}
