/* tests/unit/model/test_model_sum.c: weighted sums of models: predictions, known outputs, files and refused
 * operations. */
#include "model/model_internal.h"
#include "support/check.h"
#include "support/live_options.h"
#include "support/scratch.h"
#include "support/sum_problem.h"
#include "volterra/task.h"

enum { D = FED_D, Q = FED_Q, N = FED_N, H = FED_H, COUNT = H * Q };
static const volt_matrix nowhere = {NULL, 0, 0, 0};
/* ---- predictions ------------------------------------------------------------------------------ */

/* Expected predictions, from those of the members. */
static int64_t add_predictions(const sum_problem *p, int64_t count, volt_sum_kind kind,
                               const volt_predict_options *options, const double *known, double total[COUNT])
{
    double part[COUNT], left[COUNT];
    int64_t most = 0;
    if (known)
        memcpy(left, known, sizeof left);
    for (int64_t i = 0; i < count; i++) {
        bool feeds_back = sum_info(p->members[i]).feedback_weight > 0;
        int64_t beyond = sum_predict(p->members[i], p, options, known && feeds_back ? left : NULL, part);
        most = beyond > most ? beyond : most;
        volt_sum_add(sum_weights[i], part, COUNT, i == 0, total);
        if (kind == VOLT_SUM_RESIDUAL)
            volt_sum_add(-sum_weights[i], part, COUNT, false, left);
    }
    return most;
}

static void prediction_is_the_weighted_sum(void **state)
{
    sum_problem p = sum_problem_make();
    static const int64_t records[] = {H / 3, H - H / 3};
    const double *truth = fed_targets(&p.rows, N, H).data;
    for (int kind = 0; kind < 2; kind++)
        for (int64_t count = 1; count <= 3; count++) {
            volt_model *sum = sum_of(&p, count, (volt_sum_kind)kind);
            for (int form = 0; form < 6; form++) { /* start, records, known outputs */
                volt_predict_options options = volt_predict_options_default();
                double expected[COUNT], found[COUNT];
                options.start = form % 2 ? VOLT_START_RESET : VOLT_START_CONTINUE;
                options.records = records;
                options.n_records = form >= 2 ? 2 : 0;
                options.warm_up = form == 5 ? 0 : 4;
                const double *known = form >= 3 ? truth : NULL;
                int64_t most = add_predictions(&p, count, (volt_sum_kind)kind, &options, known, expected);
                assert_int_equal(sum_predict(sum, &p, &options, known, found), most);
                assert_memory_equal(found, expected, sizeof found);
            }
            volt_model_free(sum);
        }

    /* By hand, to rounding; sum_weights by default. */
    double parts[2][COUNT], found[COUNT];
    volt_predict_options options = volt_predict_options_default();
    for (int i = 0; i < 2; i++)
        sum_predict(p.members[i], &p, &options, NULL, parts[i]);
    for (int kind = 0; kind < 2; kind++) {
        double w = kind == VOLT_SUM_AVERAGE ? 0.5 : 1;
        volt_model *sum = NULL;
        check_ok(volt_model_sum((const volt_model *const *)p.members, NULL, 2, (volt_sum_kind)kind, &sum));
        sum_predict(sum, &p, &options, NULL, found);
        for (int i = 0; i < COUNT; i++)
            assert_true(fabs(found[i] - (w * parts[0][i] + w * parts[1][i])) <=
                        2 * DBL_EPSILON * (fabs(parts[0][i]) + fabs(parts[1][i])));
        volt_model_free(sum);
    }
    sum_problem_free(&p);
}

static void members_are_shared(void **state)
{
    sum_problem p = sum_problem_make();
    double before[COUNT], after[COUNT];
    volt_predict_options options = volt_predict_options_default();
    volt_model *inner = sum_of(&p, 2, VOLT_SUM_RESIDUAL), *sum = NULL;
    const volt_model *both[] = {inner, p.members[2]};
    check_ok(volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    sum_predict(sum, &p, &options, fed_targets(&p.rows, N, H).data, before);
    volt_model_free(inner);
    for (int i = 0; i < 3; i++) {
        volt_model_free(p.members[i]);
        p.members[i] = NULL;
    }
    sum_predict(sum, &p, &options, fed_targets(&p.rows, N, H).data, after);
    assert_memory_equal(before, after, sizeof after);
    volt_model_free(sum);
    sum_problem_free(&p);
}

static void facts_of_sums(void **state)
{
    sum_problem p = sum_problem_make();
    volt_model *sum = sum_of(&p, 3, VOLT_SUM_AVERAGE);
    volt_model_info info = sum_info(sum), first = sum_info(p.members[0]);
    assert_true(info.n == N && info.d == D && info.q == Q && info.washout == 4 && info.n_members == 3);
    assert_ptr_equal(info.members[1], p.members[1]);
    assert_memory_equal(info.member_weights, sum_weights, sizeof sum_weights);
    assert_int_equal(info.sum_kind, VOLT_SUM_AVERAGE);
    assert_true(info.feedback_weight == 0.3 && !info.facts && !info.report && !info.loss && isnan(info.alpha));
    assert_int_equal(info.kernel_rows, 0);
    char second[200];
    snprintf(second, sizeof second, "-0.75 [%s]", sum_info(p.members[1]).kernel);
    assert_non_null(strstr(info.kernel, first.kernel));
    assert_non_null(strstr(info.kernel, second));
    assert_string_equal(info.notes.first_rows, first.notes.first_rows); /* that of all members */
    assert_int_equal(first.n_members, 0);
    assert_null(first.members);
    volt_model_free(sum);

    /* Notes that differ are dropped. */
    volt_fit_options options = fed_options(0);
    options.notes.first_rows = "3 0123456789abcdef";
    volt_model *other = fed_fit("volterra", &p.rows, &options, nowhere);
    const volt_model *both[] = {p.members[0], other};
    check_ok(volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    assert_null(sum_info(sum).notes.first_rows);
    volt_model_free(sum);
    volt_model_free(other);

    /* So are records. */
    const int64_t halves[] = {N / 2, N - N / 2};
    options = fed_options(0);
    options.records = halves;
    options.n_records = 2;
    both[1] = other = fed_fit("volterra", &p.rows, &options, nowhere);
    assert_int_equal(sum_info(other).n_records, 2);
    check_ok(volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    assert_true(sum_info(sum).n_records == 0 && !sum_info(sum).records);
    volt_model_free(sum);
    volt_model_free(other);
    sum_problem_free(&p);
}

static void warnings_of_members(void **state)
{
    sum_problem p = sum_problem_make();
    volt_model *sum = sum_of(&p, 3, VOLT_SUM_AVERAGE);
    volt_predict_report report = {.struct_size = sizeof report};
    volt_predict_options options = volt_predict_options_default();
    double x[3 * D], out[3 * Q];
    memcpy(x, sum_inputs(&p).data, sizeof x);
    x[D + 1] = 100;
    options.start = VOLT_START_RESET;
    options.report = &report;
    check_ok(volt_model_predict(sum, volt_view_of(x, 3, D), &options, volt_matrix_of(out, 3, Q), NULL));
    assert_int_equal(report.n_warnings, 2); /* one of each kind, for two members with feedback */
    assert_int_equal(report.warnings[0].code, VOLT_WARNING_NO_FIRST_OUTPUT);
    assert_non_null(strstr(report.warnings[0].text, "member 1"));
    volt_predict_warning range = report.warnings[1];
    assert_true(range.code == VOLT_WARNING_INPUT_RANGE && range.row == 1 && range.rows == 1);
    assert_true(range.column == 1 && range.value == 100);
    options.beyond = VOLT_BEYOND_ERROR;
    check_fails(volt_model_predict(sum, volt_view_of(x, 3, D), &options, volt_matrix_of(out, 3, Q), NULL),
                VOLT_ERR_DOMAIN, "member 1 row 2");
    volt_model_free(sum);
    sum_problem_free(&p);
}

/* ---- files ------------------------------------------------------------------------------------ */

static void saved_sum_predicts_the_same(void **state)
{
    sum_problem p = sum_problem_make();
    const char *path = scratch_path("sum.safetensors");
    volt_predict_options options = volt_predict_options_default();
    double expected[COUNT], found[COUNT];
    const double *known = fed_targets(&p.rows, N, H).data;
    volt_model *inner = sum_of(&p, 3, VOLT_SUM_RESIDUAL), *outer = NULL;
    const volt_model *both[] = {p.members[0], inner};
    check_ok(volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, &outer));
    volt_model *sums[] = {inner, outer};
    for (int i = 0; i < 2; i++) {
        volt_model *loaded = NULL;
        volt_live *live = sum_live(sums[i], VOLT_START_CONTINUE), *resumed = NULL;
        sum_feed(live, &p, 0, 3, 3, found);
        check_ok(volt_live_save(live, scratch_path("state")));
        check_ok(volt_model_save(sums[i], path, (volt_progress){0}));
        check_ok(volt_model_load(path, &loaded));
        sum_predict(sums[i], &p, &options, known, expected);
        sum_predict(loaded, &p, &options, known, found);
        assert_memory_equal(found, expected, sizeof found);
        volt_model_info before = sum_info(sums[i]), after = sum_info(loaded);
        assert_string_equal(after.kernel, before.kernel);
        assert_true(after.sum_kind == before.sum_kind && after.n_members == before.n_members);
        check_ok(volt_live_load(loaded, NULL, scratch_path("state"), &resumed)); /* of the same model */
        sum_feed(resumed, &p, 3, 4, 0, found);
        sum_feed(live, &p, 3, 4, 0, expected);
        assert_memory_equal(found + 3 * Q, expected + 3 * Q, Q * sizeof(double));
        volt_live_free(resumed);
        resumed = NULL;
        check_fails(volt_live_load(sums[1 - i], NULL, scratch_path("state"), &resumed), VOLT_ERR_FORMAT,
                    "another model");
        volt_live_free(live);
        volt_model_free(loaded);
        volt_model_free(sums[i]);
        sums[i] = i == 0 ? sum_of(&p, 3, VOLT_SUM_RESIDUAL) : NULL;
    }
    volt_model_free(sums[0]);
    sum_problem_free(&p);
}

/* Every flipped byte of the header or of a tensor is found, and every truncation. */
static void damaged_sums_are_rejected(void **state)
{
    sum_problem p = sum_problem_make();
    volt_model *sum = sum_of(&p, 2, VOLT_SUM_AVERAGE), *loaded = NULL;
    const char *path = scratch_path("whole");
    size_t size = 0;
    check_ok(volt_model_save(sum, path, (volt_progress){0}));
    char *bytes = scratch_read(path, &size);
    for (size_t at = 0; at < size; at += 1 + size / 101) {
        bytes[at] ^= 4;
        check_fails(volt_model_load(scratch_write("damaged", bytes, size), &loaded), VOLT_ERR_FORMAT,
                    "damaged");
        bytes[at] ^= 4;
        check_fails(volt_model_load(scratch_write("damaged", bytes, at), &loaded), VOLT_ERR_FORMAT, "damaged");
    }
    assert_null(loaded);
    free(bytes);
    volt_model_free(sum);
    sum_problem_free(&p);
}

/* ---- refusals --------------------------------------------------------------------------------- */

static void other_operations_are_rejected(void **state)
{
    sum_problem p = sum_problem_make();
    volt_model *sum = sum_of(&p, 2, VOLT_SUM_AVERAGE);
    volt_matrix out = volt_matrix_of((double[COUNT]){0}, H, Q);
    static const double coverage = 0.9;
    volt_predict_options predict_options = volt_predict_options_default();
    predict_options.std = volt_matrix_of((double[COUNT]){0}, H, Q);
    check_fails(volt_model_predict(sum, sum_inputs(&p), &predict_options, out, NULL), VOLT_ERR_ARGUMENT,
                "standard deviation sum of models");
    check_fails(volt_model_continue(sum, sum_inputs(&p), NULL, out, NULL), VOLT_ERR_ARGUMENT,
                "closed loop sum of models");
    check_fails(volt_model_interval(sum, &coverage, 1, volt_matrix_of(out.data, 1, Q)), VOLT_ERR_ARGUMENT,
                "interval sum of models");
    assert_int_equal(volt_model_errors_read(sum, nowhere), 0);
    check_fails(volt_model_impulse(sum, 3, volt_matrix_of(out.data, 3 * Q, D)), VOLT_ERR_ARGUMENT,
                "impulse sum of models");
    check_fails(volt_model_forgetting(sum, sum_inputs(&p), sum_inputs(&p), sum_inputs(&p), (volt_progress){0},
                                      volt_matrix_of((double[2 *(H + 1)]){0}, H + 1, 2)),
                VOLT_ERR_ARGUMENT, "forgetting sum of models");
    volt_explanation *explanation = NULL;
    check_fails(volt_model_explain(sum, NULL, &explanation), VOLT_ERR_ARGUMENT, "Volterra sum of models");
    check_fails(volt_model_orders(sum, sum_inputs(&p), NULL, out), VOLT_ERR_ARGUMENT, "orders sum of models");
    volt_live *live = NULL;
    volt_live_options options = volt_live_options_default();
    options.learn = 1;
    check_fails(volt_live_create(sum, &options, &live), VOLT_ERR_ARGUMENT, "learning sum of models");
    options.alarm_rate = 0.01;
    check_fails(volt_live_create(sum, &options, &live), VOLT_ERR_ARGUMENT, "anomalies sum of models");
    check_fails(volt_row_anomaly_score(sum, sum_inputs(&p), NULL, volt_matrix_of(out.data, H, 3), NULL),
                VOLT_ERR_ARGUMENT, "anomalies sum of models");
    volt_pairing *pairs = NULL;
    check_ok(volt_pairing_create(fed_inputs(&p.rows, 0, N), fed_targets(&p.rows, 0, N), NULL, &pairs));
    volt_assess_options assess = volt_assess_options_default();
    volt_assessment assessment = {.struct_size = sizeof assessment};
    assess.model = sum;
    check_fails(volt_assess(pairs, &assess, &assessment), VOLT_ERR_ARGUMENT, "assessment sum of models");
    volt_pairing_free(pairs);
    live = sum_live(sum, VOLT_START_CONTINUE);
    volt_model *model = NULL;
    volt_detection detection = {.struct_size = sizeof detection};
    check_fails(volt_live_model(live, 0, (volt_progress){0}, &model), VOLT_ERR_ARGUMENT, "");
    check_fails(volt_live_coefficients(live, out, out.data, NULL), VOLT_ERR_ARGUMENT, "learn");
    check_fails(volt_live_drop(live, 1), VOLT_ERR_ARGUMENT, "1 0");
    check_fails(volt_live_detect(live, out.data, NULL, &detection), VOLT_ERR_ARGUMENT, "");
    volt_live_free(live);
    volt_model_free(sum);
    sum_problem_free(&p);
}

static volt_status sum_two(const volt_model *first, const volt_model *second, volt_sum_kind kind)
{
    const volt_model *both[] = {first, second};
    volt_model *sum = NULL;
    volt_status status = volt_model_sum(both, NULL, 2, kind, &sum);
    assert_true((status == VOLT_OK) == (sum != NULL));
    volt_model_free(sum);
    return status;
}

static void members_must_agree(void **state)
{
    sum_problem p = sum_problem_make();
    static const char *const names[] = {"a", "b"}, *const others[] = {"a", "c"};
    const volt_model *const *members = (const volt_model *const *)p.members;
    volt_model *sum = NULL, *plain = p.members[1];
    check_fails(volt_model_sum(members, NULL, 0, VOLT_SUM_AVERAGE, &sum), VOLT_ERR_ARGUMENT, "1 1000 0");
    check_fails(volt_model_sum(members, NULL, 1001, VOLT_SUM_AVERAGE, &sum), VOLT_ERR_ARGUMENT, "1001");
    check_fails(volt_model_sum(NULL, NULL, 1, VOLT_SUM_AVERAGE, &sum), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_model_sum(members, NULL, 2, (volt_sum_kind)7, &sum), VOLT_ERR_ARGUMENT, "kind 7");
    const double wrong[] = {1, INFINITY};
    check_fails(volt_model_sum(members, wrong, 2, VOLT_SUM_AVERAGE, &sum), VOLT_ERR_NOT_FINITE, "member 2");
    check_fails(sum_two(plain, NULL, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 NULL");

    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = fed_options(0);
    check_ok(volt_kernel_parse("fir", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(p.rows.x, N, 1), fed_targets(&p.rows, 0, N), &options, nowhere,
                            &model));
    volt_kernel_free(kernel);
    check_fails(sum_two(plain, model, VOLT_SUM_AVERAGE), VOLT_ERR_SHAPE, "member 2 1 2");
    volt_model_free(model);

    options.input_names = names;
    options.output_names = names;
    volt_model *named = fed_fit("fir", &p.rows, &options, nowhere);
    check_ok(sum_two(plain, named, VOLT_SUM_AVERAGE));
    const volt_model *both[] = {plain, named};
    check_ok(volt_model_sum(both, NULL, 2, VOLT_SUM_AVERAGE, &sum));
    assert_string_equal(sum_info(sum).input_names[1], "b");
    volt_model_free(sum);
    options.output_names = others;
    model = fed_fit("fir", &p.rows, &options, nowhere);
    check_fails(sum_two(named, model, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 outputs");
    check_ok(sum_two(named, model, VOLT_SUM_RESIDUAL));
    volt_model_free(model);
    options.input_names = others;
    model = fed_fit("fir", &p.rows, &options, nowhere);
    check_fails(sum_two(named, model, VOLT_SUM_RESIDUAL), VOLT_ERR_ARGUMENT, "member 2 inputs");
    volt_model_free(model);
    volt_model_free(named);

    options = fed_options(0);
    options.ahead = 3;
    model = fed_fit("fir", &p.rows, &options, nowhere);
    check_fails(sum_two(plain, model, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 3 0");
    volt_model_free(model);
    options = fed_options(0);
    options.pending = fed_inputs(&p.rows, N, 1);
    model = fed_fit("fir", &p.rows, &options, nowhere);
    check_fails(sum_two(plain, model, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 after");
    check_ok(sum_two(model, model, VOLT_SUM_AVERAGE));
    volt_model_free(model);
    options = fed_options(0);
    options.loss = "huber:delta=1";
    model = fed_fit("fir", &p.rows, &options, nowhere);
    check_fails(sum_two(plain, model, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 huber squares");
    check_fails(sum_two(model, model, VOLT_SUM_RESIDUAL), VOLT_ERR_ARGUMENT, "member 1 huber");
    check_fails(sum_two(plain, model, VOLT_SUM_RESIDUAL), VOLT_ERR_ARGUMENT, "member 2 huber");
    check_fails(sum_two(model, plain, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 huber squares");
    check_ok(sum_two(model, model, VOLT_SUM_AVERAGE));
    options.loss = "huber:delta=2";
    volt_model *wider = fed_fit("fir", &p.rows, &options, nowhere);
    check_fails(sum_two(model, wider, VOLT_SUM_AVERAGE), VOLT_ERR_ARGUMENT, "member 2 huber");
    volt_model_free(wider);
    options.loss = NULL;
    check_ok(volt_kernel_parse("fir", &kernel));
    check_ok(volt_model_fit(kernel, fed_inputs(&p.rows, 0, N), (volt_view){p.rows.y, N, 1, Q}, &options,
                            nowhere, &wider));
    volt_kernel_free(kernel);
    check_fails(sum_two(plain, wider, VOLT_SUM_AVERAGE), VOLT_ERR_SHAPE, "member 2 1 2");
    volt_model_free(wider);
    volt_model_free(model);

    /* Sums of sums. */
    sum = sum_of(&p, 2, VOLT_SUM_AVERAGE);
    for (int level = 2; level <= VOLT_SUM_DEPTH + 1; level++) {
        const volt_model *inner = sum;
        model = NULL;
        volt_status status = volt_model_sum(&inner, NULL, 1, VOLT_SUM_AVERAGE, &model);
        assert_int_equal(status, level <= VOLT_SUM_DEPTH ? VOLT_OK : VOLT_ERR_ARGUMENT);
        if (model) {
            volt_model_free(sum);
            sum = model;
        }
    }
    const char *path = scratch_path("deep");
    check_ok(volt_model_save(sum, path, (volt_progress){0}));
    check_ok(volt_model_load(path, &model));
    volt_model_free(model);
    volt_model_free(sum);
    sum_problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prediction_is_the_weighted_sum),
        cmocka_unit_test(members_are_shared),
        cmocka_unit_test(facts_of_sums),
        cmocka_unit_test(warnings_of_members),
        cmocka_unit_test(saved_sum_predicts_the_same),
        cmocka_unit_test(damaged_sums_are_rejected),
        cmocka_unit_test(other_operations_are_rejected),
        cmocka_unit_test(members_must_agree),
    };
    return cmocka_run_group_tests_name("model_sum", tests, NULL, NULL);
}
