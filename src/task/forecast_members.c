/* src/task/forecast_members.c: classical methods and baselines at the end of a series and at earlier rows. */
#include "task/forecast_members.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "stats/classical.h"
#include "stats/stats_internal.h"

#include <math.h>
#include <string.h>

const char *const volt_forecast_method_names[1 + FORECAST_MEMBERS] = {
    "forecast",
    [1 + VOLT_MEMBER_KERNEL] = "kernel",
    [1 + VOLT_MEMBER_THETA] = "theta",
    [1 + VOLT_MEMBER_ETS] = "ets",
    [1 + VOLT_MEMBER_NAIVE] = "naive",
    [1 + VOLT_MEMBER_DRIFT] = "drift",
    [1 + VOLT_MEMBER_AR] = "autoregression",
    [1 + VOLT_MEMBER_SEASONAL] = "seasonal naive",
};

forecast_origins volt_forecast_origins(int64_t n, int64_t steps)
{
    forecast_origins origins = {0};
    int64_t first = volt_max(volt_min(n / 2, n - steps - 1), FORECAST_MIN_ROWS), last = n - 1;
    int64_t possible = last - first + 1;
    if (possible < 1)
        return origins;
    origins.count = volt_min(possible, FORECAST_ORIGINS);
    for (int64_t j = 0; j < origins.count; j++)
        origins.known[j] = origins.count == 1 ? last : first + j * (last - first) / (origins.count - 1);
    return origins;
}

/* Form and parameters of the smoothing of all rows, where the fit at an earlier origin begins. */
typedef struct member_fit {
    volt_ets_info ets;
    bool has_ets;
} member_fit;

static void forecast_baseline(volt_forecast_member member, const forecast_series *series, int64_t known,
                              double *mean)
{
    const double *y = series->y;
    double change = known > 1 ? (y[known - 1] - y[0]) / (double)(known - 1) : 0;
    int64_t S = series->season;
    for (int64_t h = 1; h <= series->steps; h++) {
        int64_t back = S >= 2 ? (h + S - 1) / S * S : 0;
        if (member == VOLT_MEMBER_NAIVE || member == VOLT_MEMBER_AR) /* too few rows for an autoregression */
            mean[h - 1] = y[known - 1];
        else if (member == VOLT_MEMBER_DRIFT)
            mean[h - 1] = y[known - 1] + (double)h * change;
        else
            mean[h - 1] = S >= 2 && known - 1 + h >= back ? y[known - 1 + h - back] : NAN;
    }
}

/* Forecasts all steps from the first `known` rows. */
static volt_status forecast_from(volt_forecast_member member, const forecast_series *series, int64_t known,
                                 member_fit *fit, double *mean)
{
    if (member == VOLT_MEMBER_THETA)
        return volt_theta_forecast(VOLT_THETA_OPTIMISED, series->y, known, series->season, series->steps, mean,
                                   NULL);
    if (member == VOLT_MEMBER_AR && known >= VOLT_SEASONAL_AR_ROWS)
        return volt_seasonal_ar_forecast(series->y, known, series->season, series->steps, mean);
    if (member != VOLT_MEMBER_ETS) {
        forecast_baseline(member, series, known, mean);
        return VOLT_OK;
    }
    volt_ets_info info;
    VOLT_TRY(volt_ets_forecast(series->y, known, series->season, series->steps, fit->has_ets ? &fit->ets : NULL,
                               mean, NULL, &info));
    if (!fit->has_ets)
        fit->ets = info;
    fit->has_ets = true;
    return VOLT_OK;
}

static volt_status forecast_member(volt_forecast_member member, forecast_series *series)
{
    forecast_values *values = &series->members[member];
    int64_t steps = series->steps;
    member_fit fit = {0};
    VOLT_TRY(forecast_from(member, series, series->n, &fit, values->value));
    for (int64_t j = 0; j < series->origins.count; j++) {
        int64_t known = series->origins.known[j];
        double *error = values->error + j * steps;
        VOLT_TRY(forecast_from(member, series, known, &fit, error));
        for (int64_t h = 0; h < steps; h++)
            error[h] = known + h < series->n ? series->y[known + h] - error[h] : NAN;
    }
    if (member == VOLT_MEMBER_ETS)
        volt_ets_name(fit.ets.form, series->ets);
    return VOLT_OK;
}

volt_status volt_forecast_classical(forecast_series *series)
{
    for (int member = VOLT_MEMBER_THETA; member < FORECAST_MEMBERS; member++)
        VOLT_TRY(forecast_member((volt_forecast_member)member, series));
    return VOLT_OK;
}
