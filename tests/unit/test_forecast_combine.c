/* tests/unit/test_forecast_combine.c: weights and expected errors of combined forecasts, by hand. */
#include "stats/classical.h"
#include "support/check.h"
#include "task/forecast_members.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g differs from %.17g by more than %g", value, expected, tolerance);
}

enum { WEIGHT_STEPS = 2, WEIGHT_ORIGINS = 2, NUMBERS = WEIGHT_STEPS * (1 + WEIGHT_ORIGINS) };

/* Forecasts and errors of the members: each forecast is 10 (member + 1), each error has the size of the table. */
static void combine(int64_t rows, int64_t season, double weight[FORECAST_MEMBERS], double *value)
{
    static const double size[FORECAST_MEMBERS] = {2, 4, 4, 9, 8, 9, 1};
    double numbers[FORECAST_MEMBERS + 2][NUMBERS], y[80] = {0};
    forecast_series series = {.y = y,
                              .n = rows,
                              .season = season,
                              .steps = WEIGHT_STEPS,
                              .origins = {.count = WEIGHT_ORIGINS, .known = {5, 8}}};
    for (int m = 0; m < FORECAST_MEMBERS; m++) {
        series.members[m] = (forecast_values){numbers[m], numbers[m] + WEIGHT_STEPS};
        for (int i = 0; i < NUMBERS; i++) /* errors of both signs, the same for all members */
            numbers[m][i] = i < WEIGHT_STEPS ? 10 * (m + 1) : i % 2 ? size[m] : -size[m];
    }
    double *more = numbers[FORECAST_MEMBERS];
    forecast_combination combination = {
        .value = more, .error = more + WEIGHT_STEPS, .classical = numbers[FORECAST_MEMBERS + 1]};
    volt_forecast_combine(&series, &combination);
    memcpy(weight, combination.weight, sizeof combination.weight);
    *value = combination.value[0];
}

/* Relative to the classical error 4: kernel 1/2, seasonal naive 2, autoregression 1/4. Weights are the powers -4. */
static void weights_by_hand(void **state)
{
    (void)state;
    double weight[FORECAST_MEMBERS], value;
    combine(60, 4, weight, &value);
    double total = 1 + 16 + 1 / 16.0 + 256;
    near(weight[VOLT_MEMBER_KERNEL], 16 / total, 1e-15);
    near(weight[VOLT_MEMBER_THETA], 0.5 / total, 1e-15);
    near(weight[VOLT_MEMBER_ETS], 0.5 / total, 1e-15);
    near(weight[VOLT_MEMBER_SEASONAL], 1 / 16.0 / total, 1e-15);
    near(weight[VOLT_MEMBER_AR], 256 / total, 1e-15);
    near(value, (16 * 10 + 25 + 50 / 16.0 + 256 * 70) / total, 1e-12);
}

/* The autoregression takes part from 60 rows on, the seasonal naive forecast and exponential smoothing with a season. */
static void members_that_take_part(void **state)
{
    (void)state;
    double weight[FORECAST_MEMBERS], value;
    combine(59, 4, weight, &value);
    assert_true(weight[VOLT_MEMBER_AR] == 0 && weight[VOLT_MEMBER_SEASONAL] > 0 && weight[VOLT_MEMBER_ETS] > 0);
    combine(60, 0, weight, &value);
    assert_true(weight[VOLT_MEMBER_AR] > 0 && weight[VOLT_MEMBER_SEASONAL] == 0 &&
                weight[VOLT_MEMBER_ETS] == 0);
    near(weight[VOLT_MEMBER_THETA], 1 / (1 + 16 + 256.0), 1e-15);
}

/* A series that doubles in every row is fitted exactly; its forecasts stop at ten times the largest deviation. */
static void unstable_autoregression_is_bounded(void **state)
{
    (void)state;
    enum { N = 30, STEPS = 40 };
    double y[N], mean[STEPS], level = 0, largest = 0;
    for (int t = 0; t < N; t++) {
        y[t] = ldexp(1, t);
        level += y[t] / N;
    }
    for (int t = 0; t < N; t++)
        largest = fmax(largest, fabs(y[t] - level));
    check_ok(volt_seasonal_ar_forecast(y, N, 0, STEPS, mean));
    near(mean[0], ldexp(1, N), 1e-3 * ldexp(1, N)); /* the ridge */
    near(mean[STEPS - 1], level + 10 * largest, 1e-9 * largest);
}

/* Levels 1 (rows 0 to 5) and 4 (rows 6 to 11), origins with 6 and 9 rows known: variances at the first are multiplied
 * by the largest ratio, 2. Step 2 has smaller errors than step 1 and is pooled with it; step 3 is measured once, step 4
 * not at all: a random walk has 4/3 of the variance of step 3. */
static void expected_errors_by_hand(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    double y[12], spread[STEPS], counts[STEPS];
    const double errors[2 * STEPS] = {2, 1, 6, NAN, 4, 0, NAN, NAN};
    forecast_series series = {.y = y, .n = 12, .steps = STEPS, .origins = {.count = 2, .known = {6, 9}}};
    for (int i = 0; i < 12; i++)
        y[i] = i < 6 ? 1 : 4;
    volt_forecast_spread(&series, errors, spread, counts);
    /* (2 4 + 16) / 2 = 12 and (2 1 + 0) / 2 = 1: pooled 6.5; 2 36 = 72; 72 4/3 = 96 */
    const double variances[STEPS] = {6.5, 6.5, 72, 96}, numbers[STEPS] = {2, 2, 1, 0};
    for (int h = 0; h < STEPS; h++) {
        near(spread[h] * spread[h], variances[h], 1e-13 * variances[h]);
        assert_true(counts[h] == numbers[h]);
    }
    /* 6 rows after the first origin: at least 3 degrees of freedom; t(0.95, 3) = 2.3534, to the documented 1 % */
    near(volt_forecast_quantile(&series, 0.9, 2, 0), 2.3534, 0.01 * 2.3534);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_by_hand),
        cmocka_unit_test(members_that_take_part),
        cmocka_unit_test(unstable_autoregression_is_bounded),
        cmocka_unit_test(expected_errors_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
