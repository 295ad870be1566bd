/* tests/unit/task/test_identify.c: identification of systems: choice, guard, data check, rows. */
#include "support/check.h"
#include "support/sequences.h"
#include "task/identify_internal.h"
#include "volterra/identify.h"

enum { N = 300, DRAWS = 16 };

typedef struct system_rows {
    double *u, *y;
} system_rows;

static void release(system_rows *rows)
{
    free(rows->u);
    free(rows->y);
}

/* A filter, a function and a filter; a linear system with the function x. Outputs have noise. */
static system_rows filtered(uint64_t seed, int64_t n, bool is_linear, double noise)
{
    volt_rng rng = test_rng(seed);
    system_rows rows = {normal_rows(&rng, n, 1), new_matrix(n, 1)};
    double before = 0, after = 0;
    for (int64_t t = 0; t < n; t++) {
        before = 0.6 * before + rows.u[t];
        after = 0.5 * after + (is_linear ? before : tanh(1.5 * before));
        rows.y[t] = after + noise * volt_rng_normal(&rng);
    }
    return rows;
}

static volt_status identify(const system_rows *rows, int64_t n, int64_t draws, volt_model **model,
                            volt_identification *found)
{
    volt_identify_options options = volt_identify_options_default();
    options.draws = draws;
    *found = (volt_identification){.struct_size = sizeof *found};
    return volt_identify(volt_view_of(rows->u, n, 1), volt_view_of(rows->y, n, 1), &options, model, found);
}

static bool has_warning(const volt_identification *found, volt_warning_code code)
{
    for (int64_t i = 0; i < found->n_warnings; i++)
        if (found->warnings[i].code == code)
            return true;
    return false;
}

static bool is_averaged(const volt_identification *found, int64_t which)
{
    for (int64_t i = 0; i < found->n_averaged; i++)
        if (found->averaged[i] == which)
            return true;
    return false;
}

/* The chosen model is nonlinear exactly if one is better than the linear one on every block. Models with nearly
 * the same error are averaged with it. */
static void check_guard(const volt_identification *found)
{
    const volt_identify_candidate *linear = &found->candidates[found->best_linear];
    const volt_identify_candidate *chosen = &found->candidates[found->chosen];
    assert_true(linear->is_linear && linear->nmse <= found->candidates[1 - found->best_linear].nmse);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        const volt_identify_candidate *one = &found->candidates[i];
        double mean = 0;
        bool is_better = !one->is_linear && !one->is_rejected;
        for (int64_t b = 0; b < VOLT_IDENTIFY_BLOCKS; b++) {
            mean += one->block_nmse[b] / VOLT_IDENTIFY_BLOCKS;
            is_better = is_better && one->block_nmse[b] < linear->block_nmse[b];
        }
        assert_true(isnan(one->nmse) || fabs(mean - one->nmse) <= 1e-12 * one->nmse);
        assert_int_equal(one->trials > 0, 1);
        if (is_better)
            assert_true(!chosen->is_linear && chosen->nmse <= one->nmse);
        if (i == found->chosen && !one->is_linear)
            assert_true(is_better);
        if (!chosen->is_linear && i != found->chosen)
            assert_int_equal(is_averaged(found, i), is_better && one->nmse <= 1.21 * chosen->nmse);
    }
    assert_true(found->averaged[0] == found->chosen && (!chosen->is_linear || found->n_averaged == 1));
}

/* Root mean squared error of the model on the last fifth of the rows. */
static double error_after(const volt_model *model, const system_rows *rows, int64_t n)
{
    int64_t first = n - n / 5, count = n / 5;
    double *out = new_matrix(count, 1), sum = 0;
    volt_predict_options options = volt_predict_options_default();
    check_ok(volt_model_predict(model, volt_view_of(rows->u + first, count, 1), &options,
                                volt_matrix_of(out, count, 1), NULL));
    for (int64_t t = 0; t < count; t++)
        sum += pow(out[t] - rows->y[first + t], 2);
    free(out);
    return sqrt(sum / (double)count);
}

static void a_nonlinear_model_wins_for_any_number_of_threads(void **state)
{
    system_rows rows = filtered(1, N, false, 0.01);
    volt_identification found, again;
    volt_model *model = NULL, *second = NULL;
    check_ok(volt_set_threads(1));
    check_ok(identify(&rows, N, DRAWS, &model, &found));
    check_guard(&found);
    assert_false(found.candidates[found.chosen].is_linear);
    assert_true(found.test_rmse < 0.5 * found.linear_test_rmse);
    assert_int_equal(found.n_warnings, 0);
    assert_true(found.train_rows == 240 && found.test_rows == 60 && !found.test_is_separate);
    assert_true(found.search_begin == 0 && found.search_rows == 240 && !found.scale_each);
    assert_true(found.fit_begin == 0 && found.fit_rows == 240 && found.washout == 12);
    assert_true(found.delay <= 2 && found.correlation > 0.5 && found.input_changes == 239);
    assert_true(fabs(error_after(model, &rows, N) - found.test_rmse) <= 1e-12 * found.test_rmse);

    check_ok(volt_set_threads(3));
    check_ok(identify(&rows, N, DRAWS, &second, &again));
    check_ok(volt_set_threads(0));
    assert_true(again.chosen == found.chosen && again.test_rmse == found.test_rmse &&
                again.linear_test_rmse == found.linear_test_rmse);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++) {
        assert_string_equal(again.candidates[i].kernel, found.candidates[i].kernel);
        assert_memory_equal(again.candidates[i].block_nmse, found.candidates[i].block_nmse,
                            sizeof found.candidates[i].block_nmse);
    }
    volt_model_free(model);
    volt_model_free(second);
    release(&rows);
}

static void a_linear_system_keeps_the_linear_model(void **state)
{
    system_rows rows = filtered(2, N, true, 0);
    volt_identification found = {.struct_size = sizeof found};
    volt_output_test test;
    volt_identify_options options = volt_identify_options_default();
    volt_model *model = NULL;
    options.draws = DRAWS;
    options.output_tests = &test;
    check_ok(volt_identify(volt_view_of(rows.u, N, 1), volt_view_of(rows.y, N, 1), &options, &model, &found));
    check_guard(&found);
    assert_true(found.candidates[found.chosen].is_linear && found.chosen == found.best_linear);
    assert_true(found.test_rmse == found.linear_test_rmse && found.test_rmse < 0.05);
    assert_true(test.rmse == found.test_rmse && test.linear_rmse == test.rmse && test.std == found.test_std);
    volt_model_free(model);
    release(&rows);
}

/* The outputs of an unstable system drift, and candidates with feedback may diverge. */
static void simulations_that_diverge_do_not_win(void **state)
{
    volt_rng rng = test_rng(3);
    system_rows rows = {normal_rows(&rng, N, 1), new_matrix(N, 1)};
    double level = 0;
    for (int64_t t = 0; t < N; t++) {
        level = 1.03 * level + rows.u[t]; /* unstable */
        rows.y[t] = level;
    }
    volt_identification found;
    volt_model *model = NULL;
    check_ok(identify(&rows, N, DRAWS, &model, &found));
    check_guard(&found);
    assert_true(isfinite(found.candidates[found.chosen].nmse));
    assert_true(has_warning(&found, VOLT_WARNING_DRIFT) && found.output_growth > 2.5);
    assert_true(isfinite(found.test_rmse) && isfinite(found.linear_test_rmse));
    volt_model_free(model);
    release(&rows);
}

static void another_experiment_is_the_test(void **state)
{
    system_rows rows = filtered(5, N, false, 0.01), other = filtered(6, 80, false, 0.01);
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    volt_view U = volt_view_of(rows.u, N, 1), Y = volt_view_of(rows.y, N, 1);
    options.draws = 4;
    options.test_inputs = volt_view_of(other.u, 80, 1);
    check_fails(volt_identify(U, Y, &options, &model, &found), VOLT_ERR_ARGUMENT, "test");
    options.test_outputs = volt_view_of(other.y, 79, 1);
    check_fails(volt_identify(U, Y, &options, &model, &found), VOLT_ERR_SHAPE, "80 79");
    options.test_outputs = volt_view_of(other.y, 80, 1);
    check_ok(volt_identify(U, Y, &options, &model, &found));
    assert_true(found.test_is_separate && found.train_rows == N && found.test_washout == 8 &&
                found.test_rows == 72 && found.fit_rows == N);
    double out[80], sum = 0;
    volt_predict_options reset = volt_predict_options_default();
    reset.start = VOLT_START_RESET;
    volt_model_info info = {.struct_size = sizeof info};
    check_ok(volt_model_get_info(model, &info));
    assert_true(found.n_averaged == 2 && info.n_members == 2); /* with this seed, two families are close */
    reset.known = info.feedback_weight > 0 ? options.test_outputs : reset.known;
    reset.warm_up = reset.known.data ? 8 : 0;
    check_ok(volt_model_predict(model, options.test_inputs, &reset, volt_matrix_of(out, 80, 1), NULL));
    for (int64_t t = 8; t < 80; t++)
        sum += pow(out[t] - other.y[t], 2);
    assert_true(fabs(sqrt(sum / 72) - found.test_rmse) <= 1e-12 * found.test_rmse);
    assert_true(found.test_rmse < found.linear_test_rmse && !has_warning(&found, VOLT_WARNING_BETTER_LINEAR));
    volt_model_free(model);
    release(&rows);
    release(&other);
}

/* The function saturates in training. In the test, inputs and outputs of a linear system are ten times as large. */
static void a_linear_model_that_is_better_in_the_test_is_reported(void **state)
{
    system_rows rows = filtered(5, N, false, 0.01), other = filtered(6, 80, true, 0);
    volt_identify_options options = volt_identify_options_default();
    volt_identification found = {.struct_size = sizeof found};
    volt_model *model = NULL;
    for (int64_t t = 0; t < 80; t++) {
        other.u[t] *= 10;
        other.y[t] *= 10;
    }
    options.draws = 1;
    options.test_inputs = volt_view_of(other.u, 80, 1);
    options.test_outputs = volt_view_of(other.y, 80, 1);
    check_ok(volt_identify(volt_view_of(rows.u, N, 1), volt_view_of(rows.y, N, 1), &options, &model, &found));
    double ratio = pow(found.linear_test_rmse / found.test_rmse, 2);
    const volt_warning *last = &found.warnings[found.n_warnings - 1];
    assert_true(!found.candidates[found.chosen].is_linear && ratio < 0.8);
    assert_true(found.n_warnings > 0 && last->code == VOLT_WARNING_BETTER_LINEAR && last->value == ratio);
    volt_model_free(model);
    release(&rows);
    release(&other);
}

/* Records of a system that starts at another state each time. */
static system_rows started(uint64_t seed, const int64_t *lengths, int64_t n_records, int64_t n)
{
    volt_rng rng = test_rng(seed);
    system_rows rows = {normal_rows(&rng, n, 1), new_matrix(n, 1)};
    for (int64_t r = 0, t = 0; r < n_records; r++) {
        double level = 3 * volt_rng_normal(&rng);
        for (int64_t end = t + lengths[r]; t < end; t++) {
            level = 0.8 * level + tanh(rows.u[t]);
            rows.y[t] = level;
        }
    }
    return rows;
}

/* Root mean squared error of free runs of the model on whole records, without the first rows of each. */
static double error_of_records(const volt_model *model, const system_rows *rows, int64_t first,
                               const int64_t *lengths, int64_t n_records, int64_t skipped, bool feeds)
{
    double sum = 0, out[N];
    int64_t count = 0;
    for (int64_t r = 0; r < n_records; first += lengths[r++]) {
        volt_predict_options options = volt_predict_options_default();
        options.start = VOLT_START_RESET;
        options.known = feeds ? volt_view_of(rows->y + first, lengths[r], 1) : options.known;
        options.warm_up = feeds ? skipped : 0;
        check_ok(volt_model_predict(model, volt_view_of(rows->u + first, lengths[r], 1), &options,
                                    volt_matrix_of(out, lengths[r], 1), NULL));
        for (int64_t t = skipped; t < lengths[r]; t++, count++)
            sum += pow(out[t] - rows->y[first + t], 2);
    }
    return sqrt(sum / (double)count);
}

static void records_have_their_own_state_and_washout(void **state)
{
    enum { WHOLE = 5, TWO = 2, NEAR = 4 };
    static const int64_t whole[WHOLE] = {80, 60, 100, 30, 30}, two[TWO] = {180, 120},
                         near[NEAR] = {200, 30, 20, 50};
    system_rows rows = started(10, whole, WHOLE, N);
    volt_identification found = {.struct_size = sizeof found};
    volt_identify_options options = volt_identify_options_default();
    volt_model *model = NULL;
    volt_model_info info = {.struct_size = sizeof info};
    volt_view U = volt_view_of(rows.u, N, 1), Y = volt_view_of(rows.y, N, 1);
    options.draws = DRAWS;
    options.records = whole;
    options.n_records = WHOLE;
    check_ok(volt_identify(U, Y, &options, &model, &found));
    check_guard(&found);
    /* Two records are a fifth of the rows: 80 rows of three records, and a twentieth of them, 4, as washout. */
    assert_true(found.train_rows == 240 && found.train_records == 3 && found.washout == 4 &&
                found.test_washout == 3 && found.test_rows == 54);
    check_ok(volt_model_get_info(model, &info));
    assert_int_equal(info.n_records, 3);
    assert_memory_equal(info.records, whole, 3 * sizeof *whole);
    bool feeds = found.candidates[found.chosen].feedback_weight > 0;
    double expected = error_of_records(model, &rows, 240, whole + 3, 2, 3, feeds);
    assert_true(fabs(expected - found.test_rmse) <= 1e-12 * expected);
    volt_model_free(model);

    /* A separate test of two records. */
    double rmse = found.test_rmse;
    options.test_inputs = volt_view_rows(U, 240, 60);
    options.test_outputs = volt_view_rows(Y, 240, 60);
    options.test_records = whole + 3;
    options.n_test_records = 2;
    options.n_records = 3;
    check_ok(volt_identify(volt_view_rows(U, 0, 240), volt_view_rows(Y, 0, 240), &options, &model, &found));
    assert_true(found.test_is_separate && found.test_rows == 54 && found.test_rmse == rmse);
    volt_model_free(model);

    /* No start of a record is near the last fifth, which continues the second record. */
    options = volt_identify_options_default();
    options.draws = 2;
    options.records = two;
    options.n_records = TWO;
    check_ok(volt_identify(U, Y, &options, &model, &found));
    assert_true(found.train_rows == 240 && found.train_records == 2 && found.test_rows == 60 &&
                found.test_washout == 0 && found.washout == 6);
    volt_model_free(model);

    /* Of two starts 10 rows from it, the first. */
    options.records = near;
    options.n_records = NEAR;
    check_ok(volt_identify(U, Y, &options, &model, &found));
    assert_true(found.train_rows == 230 && found.train_records == 2);
    /* The washout of the record that starts in the last block is not compared. */
    assert_true(isfinite(found.candidates[found.best_linear].growth));
    volt_model_free(model);
    options.records = two;
    options.n_records = 1;
    model = NULL;
    check_fails(volt_identify(U, Y, &options, &model, &found), VOLT_ERR_ARGUMENT, "records 300 180");
    release(&rows);
}

static void several_inputs_and_outputs_are_identified(void **state)
{
    volt_rng rng = test_rng(11);
    double *u = normal_rows(&rng, N, 2), *y = new_matrix(N, 2);
    for (int64_t t = 1; t < N; t++) {
        y[2 * t] = 0.6 * y[2 * t - 2] + tanh(u[2 * t]) + 0.3 * u[2 * t + 1];
        y[2 * t + 1] = 0.4 * y[2 * t - 1] + u[2 * t + 1] * u[2 * t + 1];
    }
    volt_identification found = {.struct_size = sizeof found};
    volt_identify_options options = volt_identify_options_default();
    volt_model *model = NULL;
    volt_output_test tests[2] = {{0}};
    double out[120], sum = 0, linear = 0;
    options.draws = DRAWS;
    options.output_tests = tests;
    check_ok(volt_identify(volt_view_of(u, N, 2), volt_view_of(y, N, 2), &options, &model, &found));
    check_guard(&found);
    assert_true(!found.candidates[found.chosen].is_linear && found.test_rmse < found.linear_test_rmse);
    check_ok(volt_model_predict(model, volt_view_of(u + 480, 60, 2), NULL, volt_matrix_of(out, 60, 2), NULL));
    for (int64_t i = 0; i < 120; i++)
        sum += pow(out[i] - y[480 + i], 2);
    assert_true(fabs(sqrt(sum / 120) - found.test_rmse) <= 1e-12 * found.test_rmse);
    for (int64_t k = 0; k < 2; k++) {
        double error = 0, mean = 0, square = 0;
        for (int64_t t = 0; t < 60; t++) {
            error += pow(out[2 * t + k] - y[480 + 2 * t + k], 2) / 60;
            mean += y[480 + 2 * t + k] / 60;
        }
        for (int64_t t = 0; t < 60; t++)
            square += pow(y[480 + 2 * t + k] - mean, 2) / 60;
        assert_true(fabs(sqrt(error) - tests[k].rmse) <= 1e-12 * tests[k].rmse);
        assert_true(fabs(sqrt(square) - tests[k].std) <= 1e-12 * tests[k].std);
        linear += pow(tests[k].linear_rmse, 2) / 2;
    }
    assert_true(fabs(sqrt(linear) - found.linear_test_rmse) <= 1e-12 * found.linear_test_rmse);
    assert_true(tests[1].linear_rmse > tests[1].rmse); /* a square of an input */
    volt_model_free(model);
    free(u);
    free(y);
}

/* Inputs in other units: powers of two, so that weights remove them without rounding. */
static void units_of_inputs_do_not_matter(void **state)
{
    volt_rng rng = test_rng(12);
    volt_identification found[3];
    volt_identify_options options = volt_identify_options_default();
    double *u = normal_rows(&rng, N, 2), *y = new_matrix(N, 1);
    options.draws = 8;
    for (int64_t t = 1; t < N; t++)
        y[t] = 0.5 * y[t - 1] + tanh(u[2 * t]) + u[2 * t + 1] * u[2 * t - 1];
    for (int i = 0; i < 3; i++) {
        volt_model *model = NULL;
        volt_model_info info = {.struct_size = sizeof info};
        for (int64_t t = 0; t < N && i == 1; t++)
            u[2 * t + 1] *= 128;
        options.scale_each = i < 2;
        found[i] = (volt_identification){.struct_size = sizeof *found};
        check_ok(volt_identify(volt_view_of(u, N, 2), volt_view_of(y, N, 1), &options, &model, &found[i]));
        volt_model_get_info(model, &info);
        if (info.n_members > 0) /* an average */
            volt_model_get_info(info.members[0], &info);
        assert_true(found[i].scale_each == (i < 2) && info.scale_each == (i < 2));
        volt_model_free(model);
    }
    assert_true(found[0].chosen == found[1].chosen && found[0].test_rmse == found[1].test_rmse);
    assert_true(found[0].linear_test_rmse == found[1].linear_test_rmse &&
                found[0].test_rmse < found[2].test_rmse);
    for (int64_t i = 0; i < VOLT_IDENTIFY_CANDIDATES; i++)
        assert_true(found[0].candidates[i].nmse == found[1].candidates[i].nmse);
    free(u);
    free(y);
}

static void the_best_excited_stretch_is_found(void **state)
{
    volt_rng rng = test_rng(7);
    double *u = normal_rows(&rng, 1000, 1), *y = normal_rows(&rng, 1000, 1), product = 0;
    u[410] = y[430] = 50;
    u[415] = y[420] = -50;
    int64_t first = volt_identify_stretch(volt_view_of(u, 1000, 1), volt_view_of(y, 1000, 1), 80, &product);
    assert_true(first <= 410 && first + 80 > 430 && product == 1);
    assert_true(volt_identify_coverage(volt_view_of(u, 1000, 1), volt_view_of(y, 1000, 1), 900, 80) < 0.01);
    assert_int_equal(volt_identify_stretch(volt_view_of(u, 1000, 1), volt_view_of(y, 1000, 1), 1000, &product),
                     0);
    free(u);
    free(y);
}

static int cancel(const char *stage, double fraction, void *context)
{
    (void)stage;
    (void)fraction;
    (void)context;
    return 1;
}

static void unusable_data_are_rejected(void **state)
{
    system_rows rows = filtered(8, N, true, 0);
    volt_identification found = {.struct_size = sizeof found};
    volt_identify_options options = volt_identify_options_default();
    volt_model *model = NULL;
    volt_view U = volt_view_of(rows.u, N, 1), Y = volt_view_of(rows.y, N, 1);
    check_fails(identify(&rows, 59, 2, &model, &found), VOLT_ERR_DATA, "59 60");
    check_fails(volt_identify(U, volt_view_of(rows.y, N - 1, 1), NULL, &model, &found), VOLT_ERR_SHAPE, "299");
    check_fails(volt_identify(U, Y, NULL, NULL, &found), VOLT_ERR_ARGUMENT, "NULL");
    options.draws = -1;
    check_fails(volt_identify(U, Y, &options, &model, &found), VOLT_ERR_ARGUMENT, "draws -1");
    options.draws = 0;
    options.seconds = 0;
    check_fails(volt_identify(U, Y, &options, &model, &found), VOLT_ERR_ARGUMENT, "seconds 0");
    options.draws = 2;
    options.progress = (volt_progress){cancel, NULL};
    check_fails(volt_identify(U, Y, &options, &model, &found), VOLT_ERR_CANCELLED, "cancelled");
    rows.u[17] = NAN;
    check_fails(identify(&rows, N, 2, &model, &found), VOLT_ERR_NOT_FINITE, "inputs 17");
    for (int64_t t = 0; t < N; t++)
        rows.u[t] = 2;
    check_fails(identify(&rows, N, 2, &model, &found), VOLT_ERR_DATA, "inputs 240");
    rows.u[9] = 3;
    for (int64_t t = 0; t < N - N / 5; t++)
        rows.y[t] = 1;
    check_fails(identify(&rows, N, 2, &model, &found), VOLT_ERR_DATA, "output 1");
    for (int64_t t = 0; t < N; t++)
        rows.y[t] = rows.u[t];
    check_fails(identify(&rows, N, 2, &model, &found), VOLT_ERR_DATA, "output input 1");
    assert_null(model);
    release(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nonlinear_model_wins_for_any_number_of_threads),
        cmocka_unit_test(a_linear_system_keeps_the_linear_model),
        cmocka_unit_test(simulations_that_diverge_do_not_win),
        cmocka_unit_test(another_experiment_is_the_test),
        cmocka_unit_test(a_linear_model_that_is_better_in_the_test_is_reported),
        cmocka_unit_test(records_have_their_own_state_and_washout),
        cmocka_unit_test(several_inputs_and_outputs_are_identified),
        cmocka_unit_test(units_of_inputs_do_not_matter),
        cmocka_unit_test(the_best_excited_stretch_is_found),
        cmocka_unit_test(unusable_data_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
