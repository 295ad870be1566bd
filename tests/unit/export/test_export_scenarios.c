/* tests/unit/export/test_export_scenarios.c: exports under fault injection (support/scenario.h). */
#include "support/check.h"
#include "support/export_program.h"
#include "support/scenario.h"
#include "support/scratch.h"

#include <unistd.h>

enum { MOST = UNDER_SANITIZERS ? 40 : 0 }; /* faults of each kind; 0: all */

/* Models with every kind of array, and one for landmarks. */
static volt_model *sum, *plain;

static int fit(void **state)
{
    sum = export_case_fit(
        &(export_case){.name = "m",
                       .kernel = "fading:pole=0.5 + recurrent + rbf:window=3*esn:size=4,radius=0.5",
                       .second = "esn:size=4,radius=0.5",
                       .records = 3});
    plain = export_case_fit(&(export_case){.name = "m", .kernel = "rbf:gamma=0.5 + fir:mu=0.4", .records = 3});
    return scenario_begin(state);
}

static int release(void **state)
{
    volt_model_free(sum);
    volt_model_free(plain);
    return scenario_end(state);
}

/* Both files are written, or none. Writing a file looks for old temporary ones, and does without if memory is short. */
static volt_status write_source(const void *with, volt_progress progress, scenario_result *result)
{
    const char *path = scratch_path("m.c"), *header = scratch_path("m.h");
    volt_export_options options = {.struct_size = sizeof options, .single = 1, .progress = progress};
    volt_status status = volt_model_export(with, &options, path, NULL);
    if (status == VOLT_OK) {
        scenario_put_file(result, path);
        scenario_put_file(result, header);
    }
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(header, F_OK), -1);
    return status;
}

static volt_status write_json(const void *with, volt_progress progress, scenario_result *result)
{
    const char *path = scratch_path("m.json");
    const double coverage = 0.8;
    volt_export_report report = {.struct_size = sizeof report};
    volt_export_options options = {.struct_size = sizeof options,
                                   .format = VOLT_EXPORT_JSON,
                                   .landmarks = 12,
                                   .coverages = &coverage,
                                   .n_coverages = 1,
                                   .progress = progress};
    volt_status status = volt_model_export(with, &options, path, &report);
    if (status == VOLT_OK)
        scenario_put_file(result, path);
    assert_int_equal(access(path, F_OK), -1);
    scenario_put(result, &report.landmark_error, status == VOLT_OK);
    return status;
}

static void source_of_a_sum(void **state)
{
    scenario_check(&(scenario){"source", sum, write_source, SCENARIO_SILENT | SCENARIO_DOES_WITHOUT, MOST});
}

static void json_with_landmarks(void **state)
{
    scenario_check(&(scenario){"json", plain, write_json, SCENARIO_DOES_WITHOUT, MOST});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_of_a_sum),
        cmocka_unit_test(json_with_landmarks),
    };
    return cmocka_run_group_tests_name("export_scenarios", tests, fit, release);
}
