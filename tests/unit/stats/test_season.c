/* tests/unit/stats/test_season.c: detection of known seasons, and transformations that must not change the result. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "task/series_forecast.h"
#include "volterra/stats.h"

enum { LENGTH = 1200 };
static const double TURN = 6.283185307179586;

static int64_t season_of(const double *y, int64_t n)
{
    int64_t season = -1;
    check_ok(volt_season_find(y, n, 1, &season));
    return season;
}

/* A wave of that season on a linear trend, with noise of amplitude `noise`. */
static void wave(double *y, int64_t n, int64_t season, double noise, uint64_t seed)
{
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int64_t t = 0; t < n; t++)
        y[t] = sin(TURN * (double)t / (double)season) + noise * volt_rng_normal(&rng) + 0.01 * (double)t;
}

static void season_of_sine_is_recovered(void **state)
{
    static const int64_t seasons[] = {4, 5, 7, 12, 18, 24, 48, 96, 168, 365};
    static double y[LENGTH];
    for (size_t i = 0; i < sizeof seasons / sizeof *seasons; i++) {
        wave(y, LENGTH, seasons[i], 0, 1);
        assert_int_equal(season_of(y, LENGTH), seasons[i]);
    }
    /* Noise below the changes of the wave does not move the peak of short seasons. */
    for (uint64_t seed = 1; seed <= 20; seed++) {
        print_message("seed %d, stream 0\n", (int)seed);
        wave(y, LENGTH, 7, 0.2, seed);
        assert_int_equal(season_of(y, LENGTH), 7);
    }
}

/* The shortest season, five times and without rounding: its correlation is exactly 1. */
static void exactly_repeating_season(void **state)
{
    static const double cycle[] = {0, 1, 0, -1};
    double y[21];
    for (int64_t t = 0; t < 21; t++)
        y[t] = cycle[t % 4];
    assert_int_equal(season_of(y, 21), 4);
}

/* The result does not depend on the unit or level, as long as rounding does not distort the wave, nor on the
 * sign or other columns. */
static void season_does_not_depend_on_unit(void **state)
{
    static const double units[] = {1e300, 1e-300, -1, 3e-310};
    static double y[LENGTH], z[3 * LENGTH];
    wave(y, LENGTH, 12, 0.1, 3);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        for (int64_t t = 0; t < LENGTH; t++)
            z[t] = units[i] * y[t];
        assert_int_equal(season_of(z, LENGTH), 12);
    }
    for (int64_t t = 0; t < LENGTH; t++) {
        z[3 * t] = y[t] + 1e9;
        z[3 * t + 1] = z[3 * t + 2] = NAN;
    }
    int64_t season = -1;
    check_ok(volt_season_find(z, LENGTH, 3, &season));
    assert_int_equal(season, 12);
}

static void aperiodic_series_have_no_season(void **state)
{
    static double y[LENGTH];
    for (int64_t t = 0; t < LENGTH; t++)
        y[t] = 0.1;
    assert_int_equal(season_of(y, LENGTH), 0);
    /* Differences of a linear trend are equal except for the rounding of its values, which is periodic. */
    for (int64_t t = 0; t < LENGTH; t++)
        y[t] = 0.1 * (double)t;
    assert_int_equal(season_of(y, LENGTH), 0);
    for (int64_t t = 0; t < LENGTH; t++)
        y[t] = t < LENGTH / 2 ? 0 : DBL_MAX; /* one step */
    assert_int_equal(season_of(y, LENGTH), 0);
    /* Too short to contain a season twice, down to a single value. */
    wave(y, LENGTH, 5, 0, 1);
    for (int64_t n = 1; n < 15; n++)
        assert_int_equal(season_of(y, n), 0);
    /* Noise: 396 lags, each with a probability of a few in a million. */
    volt_rng rng;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        print_message("seed %d, stream 1\n", (int)seed);
        volt_rng_init(&rng, seed, 1);
        for (int64_t t = 0; t < LENGTH; t++)
            y[t] = (t ? y[t - 1] : 0) + volt_rng_normal(&rng);
        assert_int_equal(season_of(y, LENGTH), 0);
    }
}

/* ---- seasons of the calendar ---------------------------------------------------------------------- */

/* F test of the means of the phases, after removing a moving average over one season, written out. */
static bool repeats_by_definition(const double *y, int64_t n, int64_t S)
{
    int64_t half = S / 2, first = half, last = n - half; /* rows with a moving average */
    double x[LENGTH], between = 0, within = 0, mean = 0, rows = (double)(last - first);
    if (last - first < S + 2)
        return false;
    for (int64_t t = first; t < last; t++) {
        double sum = 0;
        for (int64_t i = -half; i <= half; i++)
            sum += y[t + i] * (S % 2 == 0 && (i == -half || i == half) ? 0.5 : 1);
        x[t] = y[t] - sum / (double)S;
        mean += x[t] / rows;
    }
    for (int64_t phase = 0; phase < S; phase++) {
        double of_phase = 0, count = 0;
        for (int64_t t = first; t < last; t++)
            if (t % S == phase) {
                of_phase += x[t];
                count++;
            }
        of_phase /= count;
        between += count * (of_phase - mean) * (of_phase - mean);
        for (int64_t t = first; t < last; t++)
            within += t % S == phase ? (x[t] - of_phase) * (x[t] - of_phase) : 0;
    }
    double a = (double)(S - 1), b = rows - (double)S, root = cbrt(between / a / (within / b));
    double u = 2 / (9 * a), v = 2 / (9 * b); /* Paulson: approximately normal */
    return ((1 - v) * root - (1 - u)) / sqrt(v * root * root + u) > 1.645;
}

static void calendar_seasons_pass_a_test(void **state)
{
    static const struct {
        volt_time_step step;
        int64_t periods[2];
    } cases[] = {{{.months = 1}, {12, 0}},
                 {{.months = 3}, {4, 0}},
                 {{.months = 4}, {3, 0}},
                 {{.seconds = 86400}, {7, 0}},
                 {{.months = 3, .is_month_end = 1, .closed_weekdays = 96}, {4, 0}},
                 {{.seconds = 8 * 3600}, {3, 21}},
                 {{.seconds = 6 * 3600, .closed_weekdays = 96}, {4, 0}},
                 {{.seconds = 6 * 3600}, {4, 28}}};
    double y[LENGTH];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t S = cases[c].periods[0], found[2] = {0};
        for (int trial = 0; trial < 60; trial++) {
            int64_t n = trial % 10 == 0 ? 2 * S + 1 + trial / 10 : 3 * S + trial, season = -1, expected = 0;
            double least = INFINITY;
            wave(y, n, S, 0.5 + 0.05 * trial, 100 + (uint64_t)trial);
            for (int64_t t = 0; t < n; t++)
                y[t] += 0.3 * (double)t * (trial % 3);
            for (int k = 0; k < 2 && cases[c].periods[k] > 0; k++) {
                double gap = 0, count = (double)(n - cases[c].periods[k]);
                if (!repeats_by_definition(y, n, cases[c].periods[k]))
                    continue;
                for (int64_t t = cases[c].periods[k]; t < n; t++)
                    gap += fabs(y[t] - y[t - cases[c].periods[k]]) / count;
                expected = gap < least ? cases[c].periods[k] : expected;
                least = fmin(least, gap);
            }
            found[expected > 0]++;
            if (expected == 0)
                expected = season_of(y, n);
            check_ok(volt_forecast_season(y, n, cases[c].step, &season));
            if (season != expected)
                fail_msg("step %d, %d rows, trial %d: season %d, expected %d", (int)c, (int)n, trial,
                         (int)season, (int)expected);
        }
        assert_true(found[0] > 5 && found[1] > 5); /* both outcomes occur */
    }
}

static void failures_name_the_argument(void **state)
{
    double y[30] = {0};
    int64_t season = 77;
    check_fails(volt_season_find(NULL, 30, 1, &season), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_season_find(y, 30, 1, NULL), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_season_find(y, 0, 1, &season), VOLT_ERR_SHAPE, "series 0");
    check_fails(volt_season_find(y, 30, 0, &season), VOLT_ERR_ARGUMENT, "stride 0");
    y[29] = INFINITY;
    check_fails(volt_season_find(y, 30, 1, &season), VOLT_ERR_NOT_FINITE, "29 series");
    y[29] = 0;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_status status = volt_season_find(y, 30, 1, &season);
        failing_alloc_check(status);
        assert_true(status == VOLT_OK || season == 77);
    }
    assert_int_equal(season, 0);
}

/* Weeks of a year; values that do not vary about their means. */
static void calendar_of_exact_values(void **state)
{
    enum { WEEKS = 160 };
    const volt_time_step week = {.seconds = 604800}, quarter = {.months = 3};
    double y[WEEKS];
    int64_t season = -1;
    assert_int_equal(volt_forecast_calendar(week), 52);
    assert_true(volt_forecast_is_calendar(week, 52) && !volt_forecast_is_calendar(week, 7));
    for (int t = 0; t < WEEKS; t++)
        y[t] = t % 52;
    check_ok(volt_forecast_season(y, WEEKS, week, &season));
    assert_int_equal(season, 52);
    for (int t = 0; t < WEEKS; t++)
        y[t] = t % 4 == 1 ? 8 : 0; /* exact means */
    check_ok(volt_forecast_season(y, 40, quarter, &season));
    assert_int_equal(season, 4);
    for (int t = 0; t < WEEKS; t++)
        y[t] = 3;
    check_ok(volt_forecast_season(y, 40, quarter, &season));
    assert_int_equal(season, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(season_of_sine_is_recovered),    cmocka_unit_test(exactly_repeating_season),
        cmocka_unit_test(season_does_not_depend_on_unit), cmocka_unit_test(aperiodic_series_have_no_season),
        cmocka_unit_test(calendar_seasons_pass_a_test),   cmocka_unit_test(failures_name_the_argument),
        cmocka_unit_test(calendar_of_exact_values),
    };
    return cmocka_run_group_tests_name("season", tests, NULL, NULL);
}
