/* tests/reference/test_baselines.c: seasons and baselines against NumPy. */
#include "stats/stats_internal.h"
#include "support/check.h"
#include "support/golden.h"
#include "volterra/stats.h"

static golden_array array_at(golden *file, const char *list, int64_t index, const char *key)
{
    char path[96];
    snprintf(path, sizeof path, "inputs.%s.%d.%s", list, (int)index, key);
    return golden_array_of(file, path);
}

static int64_t count_at(golden *file, const char *list, int64_t index, const char *key)
{
    char path[96];
    snprintf(path, sizeof path, "inputs.%s.%d.%s", list, (int)index, key);
    return (int64_t)golden_number(file, path);
}

static void seasons_equal_the_golden_file(void **state)
{
    golden *file = golden_load("baselines");
    for (int64_t i = 0; i < golden_length(file, "inputs.series"); i++) {
        golden_array y = array_at(file, "series", i, "y");
        int64_t season = -1;
        check_ok(volt_season_find(y.data, y.count, 1, &season));
        print_message("series %d: season %d\n", (int)i, (int)season);
        assert_int_equal(season, count_at(file, "series", i, "season"));
    }
    golden_free(file);
}

static void forecasts_equal_the_golden_file(void **state)
{
    static const char *const keys[VOLT_BASELINE_KINDS] = {"expected.naive", "expected.seasonal",
                                                          "expected.drift", "expected.ar"};
    golden *file = golden_load("baselines");
    for (int64_t i = 0; i < golden_length(file, "inputs.forecasts"); i++) {
        golden_array y = array_at(file, "series", count_at(file, "forecasts", i, "series"), "y");
        const int64_t season = count_at(file, "forecasts", i, "season");
        for (int kind = 0; kind < VOLT_BASELINE_KINDS; kind++) {
            if (kind == VOLT_BASELINE_SEASONAL && season == 0)
                continue;
            golden_array expected = array_at(file, "forecasts", i, keys[kind]);
            double *out = malloc((size_t)expected.count * sizeof *out);
            check_ok(volt_baseline_forecast(
                (volt_baseline)kind, volt_view_of(y.data, y.count, 1), count_at(file, "forecasts", i, "lag"),
                season, count_at(file, "forecasts", i, "learn_end"), count_at(file, "forecasts", i, "begin"),
                volt_matrix_of(out, expected.count, 1)));
            char name[64];
            snprintf(name, sizeof name, "task %d, %s", (int)i, volt_baseline_name((volt_baseline)kind));
            golden_check(name, expected.data, out, expected.count, golden_tol(file, "forecasts"),
                         GOLDEN_MAX_NORM);
            free(out);
        }
    }
    golden_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seasons_equal_the_golden_file),
        cmocka_unit_test(forecasts_equal_the_golden_file),
    };
    return cmocka_run_group_tests_name("baselines", tests, NULL, NULL);
}
