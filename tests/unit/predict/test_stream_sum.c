/* tests/unit/predict/test_stream_sum.c: live objects of weighted sums of models. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sum_problem.h"

enum { D = FED_D, Q = FED_Q, N = FED_N, H = FED_H, COUNT = H * Q };
static const volt_matrix nowhere = {NULL, 0, 0, 0};

/* ---- streams ---------------------------------------------------------------------------------- */

/* Members with feedback are predicted row by row in both ways, with the same bits. */
static void stream_equals_prediction(void **state)
{
    sum_problem p = sum_problem_make();
    volt_model *fed[] = {p.members[0], p.members[2]};
    for (int kind = 0; kind < 2; kind++)
        for (int warm = 0; warm < 6; warm += 5)
            for (int start = 0; start < 2; start++) {
                volt_model *sum = NULL;
                double expected[COUNT], found[COUNT], ahead[COUNT];
                volt_predict_options options = volt_predict_options_default();
                options.start = start ? VOLT_START_RESET : VOLT_START_CONTINUE;
                options.warm_up = warm;
                check_ok(
                    volt_model_sum((const volt_model *const *)fed, sum_weights, 2, (volt_sum_kind)kind, &sum));
                sum_predict(sum, &p, &options, warm ? fed_targets(&p.rows, N, H).data : NULL, expected);
                volt_live *live = sum_live(sum, options.start), *copy = NULL, *loaded = NULL;
                sum_feed(live, &p, 0, 10, warm, found);

                /* A copy, a saved state and a prediction ahead continue alike. */
                const char *path = scratch_path("sum.state");
                check_ok(volt_live_copy(live, &copy));
                check_ok(volt_live_save(live, path));
                check_ok(volt_live_load(sum, NULL, path, &loaded));
                check_ok(volt_live_predict(live, volt_view_rows(sum_inputs(&p), 10, H - 10), 0,
                                           volt_matrix_of(ahead + 10 * Q, H - 10, Q), NULL));
                assert_memory_equal(ahead + 10 * Q, expected + 10 * Q, (H - 10) * Q * sizeof(double));
                sum_feed(live, &p, 10, H, 0, found);
                assert_memory_equal(found, expected, sizeof found);
                volt_live *others[] = {copy, loaded};
                for (int i = 0; i < 2; i++) {
                    memset(found, 0, sizeof found);
                    sum_feed(others[i], &p, 10, H, 0, found);
                    assert_memory_equal(found + 10 * Q, expected + 10 * Q, (H - 10) * Q * sizeof(double));
                    assert_int_equal(live_info(others[i]).rows_fed, H);
                    volt_live_free(others[i]);
                }
                volt_live_free(live);
                volt_model_free(sum);
            }
    sum_problem_free(&p);
}

/* Members without feedback, in blocks: as volt_model_predict, and rows continue afterwards. */
static void stream_in_blocks(void **state)
{
    sum_problem p = sum_problem_make();
    volt_fit_options options = fed_options(0);
    volt_model *other = fed_fit("memory:pole=0.3", &p.rows, &options, nowhere), *sum = NULL;
    const volt_model *both[] = {p.members[1], other};
    double expected[COUNT], found[COUNT], parts[2][COUNT];
    volt_predict_options how = volt_predict_options_default();
    check_ok(volt_model_sum(both, sum_weights, 2, VOLT_SUM_AVERAGE, &sum));
    sum_predict(sum, &p, &how, NULL, expected);
    volt_live *live = sum_live(sum, VOLT_START_CONTINUE);
    assert_true(live_info(live).block_rows >= H);
    check_ok(volt_live_predict(live, sum_inputs(&p), 0, volt_matrix_of(found, H, Q), NULL));
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(live_info(live).rows_fed, 0);
    check_ok(volt_live_predict(live, sum_inputs(&p), 1, volt_matrix_of(found, H, Q), NULL));
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(live_info(live).rows_fed, H);
    assert_memory_equal(live_info(live).last, sum_inputs(&p).data + (H - 1) * D, D * sizeof(double));

    /* Rejected rows change nothing. */
    double bad[2 * D] = {0.1, 0.2, NAN, 0}, y[Q], after[Q];
    check_fails(volt_live_predict(live, volt_view_of(bad, 2, D), 1, volt_matrix_of(found, 2, Q), NULL),
                VOLT_ERR_NOT_FINITE, "member 1");
    for (int i = 0; i < 2; i++) {
        volt_live *single = sum_live(both[i], VOLT_START_CONTINUE);
        check_ok(volt_live_predict(single, sum_inputs(&p), 1, volt_matrix_of(parts[i], H, Q), NULL));
        check_ok(volt_live_feed(single, bad, y));
        volt_sum_add(sum_weights[i], y, Q, i == 0, after);
        volt_live_free(single);
    }
    check_ok(volt_live_feed(live, bad, y));
    assert_memory_equal(y, after, sizeof y);
    check_fails(volt_live_learn(live, 0, y), VOLT_ERR_ARGUMENT, "feedback"); /* no member feeds back */

    /* A new record. */
    check_ok(volt_live_restart(live));
    how.start = VOLT_START_RESET;
    sum_predict(sum, &p, &how, NULL, expected);
    check_ok(volt_live_predict(live, sum_inputs(&p), 1, volt_matrix_of(found, H, Q), NULL));
    assert_memory_equal(found, expected, sizeof found);
    volt_live_free(live);
    volt_model_free(sum);
    volt_model_free(other);
    sum_problem_free(&p);
}

/* A row that the second member rejects leaves the first one, which may be a sum, unchanged. */
static void check_rejected_row(const volt_model *first)
{
    fed_system small = fed_system_make(4711);
    for (int i = 0; i < FED_ALL * D; i++)
        small.x[i] *= 0.25;
    volt_fit_options options = fed_options(0.2);
    volt_model *narrow = fed_fit("volterra:pole=0.5", &small, &options, nowhere), *sum = NULL;
    const volt_model *both[] = {first, narrow};
    volt_live_options how = volt_live_options_default();
    volt_live *live = NULL, *clean = NULL;
    double y[Q], expected[Q], edge[D] = {0.7, 0};
    how.beyond = VOLT_BEYOND_ERROR;
    check_ok(volt_model_sum(both, sum_weights, 2, VOLT_SUM_RESIDUAL, &sum));
    check_ok(volt_live_create(sum, &how, &live));
    check_ok(volt_live_create(sum, &how, &clean));
    check_fails(volt_live_learn(live, 0, small.y), VOLT_ERR_ARGUMENT, "member 2"); /* no row yet */
    for (int t = 0; t < 5; t++) {
        check_fails(volt_live_feed(live, edge, y), VOLT_ERR_DOMAIN, "member 2");
        check_ok(volt_live_feed(live, small.x + t * D, y));
        check_ok(volt_live_feed(clean, small.x + t * D, expected));
        assert_memory_equal(y, expected, sizeof y);
        const double unknown[Q] = {1, INFINITY};
        check_fails(volt_live_learn(live, 0, unknown), VOLT_ERR_NOT_FINITE, "output 2");
    }
    assert_true(live_info(live).rows_fed == 5 && live_beyond(live) == 0);
    volt_live_free(live);
    volt_live_free(clean);
    volt_model_free(sum);
    volt_model_free(narrow);
    fed_system_free(&small);
}

static void rejected_row_changes_no_member(void **state)
{
    sum_problem p = sum_problem_make();
    const volt_model *inner[] = {p.members[2], p.members[1]};
    volt_model *sum = NULL;
    check_ok(volt_model_sum(inner, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    check_rejected_row(p.members[2]);
    check_rejected_row(sum);
    volt_model_free(sum);
    sum_problem_free(&p);
}

/* A rejected first row does not determine the output before the first row. */
static void rejected_first_row(void **state)
{
    sum_problem p = sum_problem_make();
    volt_fit_options options = fed_options(0.2);
    options.initial = VOLT_INITIAL_FIRST;
    volt_model *first = fed_fit("fading", &p.rows, &options, nowhere), *sum = NULL;
    const volt_model *both[] = {first, p.members[1]};
    check_ok(volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    const volt_model *models[] = {first, sum};
    const double outside[D] = {2, -2}, *x = sum_inputs(&p).data;
    volt_live_options how = volt_live_options_default();
    how.start = VOLT_START_RESET;
    how.beyond = VOLT_BEYOND_ERROR;
    for (int i = 0; i < 2; i++) {
        volt_live *live = NULL, *clean = NULL;
        double y[Q], expected[Q];
        check_ok(volt_live_create(models[i], &how, &live));
        check_ok(volt_live_create(models[i], &how, &clean));
        check_fails(volt_live_feed(live, outside, y), VOLT_ERR_DOMAIN, "row 1");
        check_ok(volt_live_feed(live, x, y));
        check_ok(volt_live_feed(clean, x, expected));
        assert_memory_equal(y, expected, sizeof y);
        volt_live_free(live);
        volt_live_free(clean);
    }
    volt_model_free(sum);
    volt_model_free(first);
    sum_problem_free(&p);
}

/* Intervals start without errors and adapt to those of the sum. */
static void intervals_of_a_stream(void **state)
{
    sum_problem p = sum_problem_make();
    static const double coverage = 0.5;
    volt_model *sum = sum_of(&p, 2, VOLT_SUM_AVERAGE);
    volt_live_options options = volt_live_options_default();
    volt_live *live = NULL;
    double half[Q], out[COUNT];
    options.coverages = &coverage;
    options.n_coverages = 1;
    check_ok(volt_live_create(sum, &options, &live));
    check_ok(volt_live_interval(live, half));
    assert_true(isinf(half[0]) && isinf(half[1]));
    sum_feed(live, &p, 0, H, H, out);
    check_ok(volt_live_interval(live, half));
    double largest = 0;
    for (int t = 0; t < H; t++)
        largest = fmax(largest, fabs(out[t * Q] - fed_targets(&p.rows, N + t, 1).data[0]));
    assert_true(half[0] > 0 && half[0] <= largest);
    volt_live_free(live);
    volt_model_free(sum);
    sum_problem_free(&p);
}

/* ---- diverging members ------------------------------------------------------------------------ */

/* y_t = 1.5 y_{t-1} + x_t: a free run leaves the range of training. */
static void diverging_member(void **state)
{
    enum { ROWS = 12, AFTER = 20 };
    double x[AFTER] = {1}, y[ROWS] = {1}, out[AFTER];
    for (int t = 1; t < ROWS; t++)
        y[t] = 1.5 * y[t - 1];
    volt_kernel *kernel = NULL;
    volt_model *members[2] = {NULL, NULL}, *sum = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-8;
    options.scale = 0;
    check_ok(volt_kernel_parse("linear", &kernel));
    for (int i = 0; i < 2; i++) {
        options.feedback_weight = i;
        check_ok(volt_model_fit(kernel, volt_view_of(x, ROWS, 1), volt_view_of(y, ROWS, 1), &options, nowhere,
                                &members[i]));
    }
    volt_kernel_free(kernel);
    x[0] = 0;
    check_ok(volt_model_sum((const volt_model *const *)members, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    volt_predict_options how = volt_predict_options_default();
    volt_predict_report single = {.struct_size = sizeof single}, report = {.struct_size = sizeof report};
    how.report = &single;
    check_ok(
        volt_model_predict(members[1], volt_view_of(x, AFTER, 1), &how, volt_matrix_of(out, AFTER, 1), NULL));
    assert_int_equal(single.warnings[0].code, VOLT_WARNING_RUN_BOUNDED);
    how.report = &report;
    check_ok(volt_model_predict(sum, volt_view_of(x, AFTER, 1), &how, volt_matrix_of(out, AFTER, 1), NULL));
    assert_int_equal(report.n_warnings, single.n_warnings);
    assert_int_equal(report.warnings[0].code, VOLT_WARNING_RUN_BOUNDED);
    assert_int_equal(report.warnings[0].row, single.warnings[0].row);
    assert_int_equal(report.warnings[0].rows, single.warnings[0].rows);
    assert_non_null(strstr(report.warnings[0].text, "member 2"));
    how.beyond = VOLT_BEYOND_ERROR;
    check_fails(volt_model_predict(sum, volt_view_of(x, AFTER, 1), &how, volt_matrix_of(out, AFTER, 1), NULL),
                VOLT_ERR_DOMAIN, "member 2 row 1");

    /* A stream ends there, also after it is saved, until the output is known. */
    volt_live *live = sum_live(sum, VOLT_START_CONTINUE), *loaded = NULL;
    double last = 0;
    for (int64_t t = 0; t <= single.warnings[0].row; t++)
        check_ok(volt_live_feed(live, x, &last));
    check_fails(volt_live_feed(live, x, &last), VOLT_ERR_NOT_FINITE, "member 2");
    const char *path = scratch_path("diverged.state");
    check_ok(volt_live_save(live, path));
    check_ok(volt_live_load(sum, NULL, path, &loaded));
    check_fails(volt_live_feed(loaded, x, &last), VOLT_ERR_NOT_FINITE, "member 2");
    check_ok(volt_live_learn(loaded, 0, y));
    check_ok(volt_live_feed(loaded, x, &last));
    volt_live_free(loaded);
    check_fails(volt_live_predict(live, volt_view_of(x, 2, 1), 0, volt_matrix_of(out, 2, 1), NULL),
                VOLT_ERR_NOT_FINITE, "member 2");
    check_ok(volt_live_restart(live));
    check_ok(volt_live_feed(live, x, &last));
    volt_live_free(live);
    live = sum_live(sum, VOLT_START_CONTINUE);
    check_fails(volt_live_predict(live, volt_view_of(x, AFTER, 1), 0, volt_matrix_of(out, AFTER, 1), NULL),
                VOLT_ERR_NOT_FINITE, "member 2");
    volt_live_free(live);
    volt_model_free(sum);
    for (int i = 0; i < 2; i++)
        volt_model_free(members[i]);
}

/* The output of a member overflows: the message names it, and every member has taken the row. */
static void overflowing_member(void **state)
{
    static const char *const kernels[] = {"linear", "poly:degree=3"};
    const double X[] = {1, 2, 3, 4}, huge = 1e150;
    volt_model *members[2] = {NULL, NULL}, *sum = NULL;
    volt_fit_options options = volt_fit_options_default();
    options.alpha = 1e-8;
    options.scale = 0;
    for (int i = 0; i < 2; i++) {
        volt_kernel *kernel = NULL;
        check_ok(volt_kernel_parse(kernels[i], &kernel));
        check_ok(volt_model_fit(kernel, volt_view_of(X, 4, 1), volt_view_of(X, 4, 1), &options, nowhere,
                                &members[i]));
        volt_kernel_free(kernel);
    }
    check_ok(volt_model_sum((const volt_model *const *)members, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    volt_live *live = sum_live(sum, VOLT_START_RESET);
    double y = 0;
    check_fails(volt_live_feed(live, &huge, &y), VOLT_ERR_NOT_FINITE, "member 2 output 1");
    check_ok(volt_live_feed(live, X, &y));
    assert_int_equal(live_info(live).rows_fed, 2);
    volt_live_free(live);
    volt_model_free(sum);
    for (int i = 0; i < 2; i++)
        volt_model_free(members[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_equals_prediction),
        cmocka_unit_test(stream_in_blocks),
        cmocka_unit_test(rejected_row_changes_no_member),
        cmocka_unit_test(rejected_first_row),
        cmocka_unit_test(intervals_of_a_stream),
        cmocka_unit_test(diverging_member),
        cmocka_unit_test(overflowing_member),
    };
    return cmocka_run_group_tests_name("stream_sum", tests, NULL, NULL);
}
