/* tests/unit/model/test_sum_scenarios.c: sums of models under fault injection (support/scenario.h). */
#include "support/check.h"
#include "support/live_options.h"
#include "support/scenario.h"
#include "support/scratch.h"
#include "support/sum_problem.h"

#include <unistd.h>

enum { Q = FED_Q, H = 6 };

static sum_problem problem;

/* A sum of a member and of a sum of residuals. */
static volt_status make_sum(volt_model **sum)
{
    volt_model *inner = NULL;
    const volt_model *const *members = (const volt_model *const *)problem.members;
    volt_status status = volt_model_sum(members, sum_weights, 2, VOLT_SUM_RESIDUAL, &inner);
    const volt_model *both[] = {problem.members[2], inner};
    if (status == VOLT_OK)
        status = volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, sum);
    assert_true((status == VOLT_OK) == (*sum != NULL));
    volt_model_free(inner);
    return status;
}

/* `with` is not NULL: with known outputs. */
static volt_status predict(const void *with, volt_progress progress, scenario_result *result)
{
    double out[H * Q] = {1e77};
    volt_model *sum = NULL;
    volt_predict_report report = {.struct_size = sizeof report};
    volt_predict_options options = volt_predict_options_default();
    options.progress = progress;
    options.report = &report;
    options.start = VOLT_START_RESET;
    options.known = with ? fed_targets(&problem.rows, FED_N, H) : options.known;
    volt_status status = make_sum(&sum);
    if (status == VOLT_OK)
        status = volt_model_predict(sum, fed_inputs(&problem.rows, FED_N, H), &options,
                                    volt_matrix_of(out, H, Q), NULL);
    assert_true(status == VOLT_OK || out[0] == 1e77);
    scenario_put(result, out, status == VOLT_OK ? H * Q : 0);
    volt_model_free(sum);
    return status;
}

static volt_status stream(const void *with, volt_progress progress, scenario_result *result)
{
    (void)with;
    (void)progress;
    const char *path = scratch_path("stream");
    double y[Q], out[H * Q];
    const double *x = fed_inputs(&problem.rows, FED_N, H).data;
    volt_model *sum = NULL;
    volt_live *first = NULL, *copy = NULL, *second = NULL;
    volt_status status = make_sum(&sum);
    if (status == VOLT_OK)
        status = volt_live_create(sum, NULL, &first);
    if (status == VOLT_OK)
        status = volt_live_feed(first, x, y);
    if (status == VOLT_OK)
        status = volt_live_learn(first, 0, fed_targets(&problem.rows, FED_N, 1).data);
    if (status == VOLT_OK)
        status = volt_live_copy(first, &copy);
    if (status == VOLT_OK)
        status = volt_live_save(copy, path);
    if (status == VOLT_OK)
        status = volt_live_load(sum, NULL, path, &second);
    if (status == VOLT_OK)
        status = volt_live_feed(second, x + FED_D, y);
    if (status == VOLT_OK)
        status = volt_live_predict(second, fed_inputs(&problem.rows, FED_N + 2, H - 2), 0,
                                   volt_matrix_of(out, H - 2, Q), NULL);
    scenario_put(result, y, status == VOLT_OK ? Q : 0);
    scenario_put(result, out, status == VOLT_OK ? (H - 2) * Q : 0);
    volt_live_free(second);
    volt_live_free(copy);
    volt_live_free(first);
    volt_model_free(sum);
    unlink(path);
    return status;
}

/* Rows in blocks, of members without feedback. A failed call changes nothing. */
static volt_status predict_in_pieces(const void *with, volt_progress progress, scenario_result *result)
{
    (void)with;
    const volt_model *same[] = {problem.members[1], problem.members[1]};
    double out[H * Q];
    volt_model *sum = NULL;
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    options.progress = progress;
    volt_status status = volt_model_sum(same, sum_weights, 2, VOLT_SUM_AVERAGE, &sum);
    if (status == VOLT_OK)
        status = volt_live_create(sum, &options, &live);
    for (int64_t i = 0; i < H && status == VOLT_OK; i += 3) {
        status = volt_live_predict(live, fed_inputs(&problem.rows, FED_N + i, 3), 1, volt_matrix_of(out, 3, Q),
                                   NULL);
        assert_int_equal(live_info(live).rows_fed, status == VOLT_OK ? i + 3 : i);
        scenario_put(result, out, status == VOLT_OK ? 3 * Q : 0);
    }
    volt_live_free(live);
    volt_model_free(sum);
    return status;
}

static volt_status save(const void *with, volt_progress progress, scenario_result *result)
{
    (void)with;
    const char *path = scratch_path("model");
    volt_model *sum = NULL;
    volt_status status = make_sum(&sum);
    if (status == VOLT_OK)
        status = volt_model_save(sum, path, progress);
    if (status == VOLT_OK)
        scenario_put_file(result, path);
    assert_int_equal(access(path, F_OK), -1); /* no partial result */
    volt_model_free(sum);
    return status;
}

static volt_status load(const void *with, volt_progress progress, scenario_result *result)
{
    (void)with;
    (void)progress;
    double y[Q];
    volt_model *sum = NULL;
    volt_predict_options options = volt_predict_options_default();
    volt_predict_report report = {.struct_size = sizeof report};
    options.report = &report;
    volt_status status = volt_model_load(scratch_path("kept"), &sum);
    assert_true((status == VOLT_OK) == (sum != NULL));
    if (status == VOLT_OK)
        status = volt_model_predict(sum, fed_inputs(&problem.rows, FED_N, 1), &options, volt_matrix_of(y, 1, Q),
                                    NULL);
    scenario_put(result, y, status == VOLT_OK ? Q : 0);
    volt_model_free(sum);
    return status;
}

static void every_sum_scenario(void **state)
{
    static const scenario scenarios[] = {
        {"predict a sum", NULL, predict, 0, 0},
        {"predict a sum with known outputs", &problem, predict, 0, 0},
        {"stream of a sum", NULL, stream, SCENARIO_SILENT | SCENARIO_DOES_WITHOUT, 0},
        {"predict a sum in pieces", NULL, predict_in_pieces, 0, 0},
        {"save a sum", NULL, save, SCENARIO_DOES_WITHOUT, 0},
        {"load a sum", NULL, load, SCENARIO_SILENT, 0},
    };
    volt_model *sum = NULL;
    check_ok(make_sum(&sum));
    check_ok(volt_model_save(sum, scratch_path("kept"), (volt_progress){0}));
    volt_model_free(sum);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        scenario_check(&scenarios[i]);
}

static int make_problem(void **state)
{
    problem = sum_problem_make();
    return scenario_begin(state);
}

static int free_problem(void **state)
{
    sum_problem_free(&problem);
    return scenario_end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sum_scenario)};
    return cmocka_run_group_tests_name("sum_scenarios", tests, make_problem, free_problem);
}
