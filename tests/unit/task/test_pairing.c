/* tests/unit/task/test_pairing.c: pairs of inputs and targets: horizons, records, anchors, feedback, errors. */
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/task.h"

enum { N = 12, D = 2 };

static double at(volt_view view, int64_t i, int64_t j)
{
    return view.data[i * view.ld + j];
}

static volt_view none(void)
{
    return (volt_view){0};
}

/* ---- horizons --------------------------------------------------------------------------------- */

static void series_as_its_target(void **state)
{
    volt_rng rng = test_rng(1);
    double *x = normal_rows(&rng, N, D);
    volt_view X = volt_view_of(x, N, D);
    volt_pairing *pairing = NULL;
    check_ok(volt_pairing_create(X, none(), NULL, &pairing));
    assert_int_equal(pairing->ahead, 1);
    assert_int_equal(pairing->inputs.rows, N - 1);
    assert_true(pairing->inputs.data == x && pairing->targets.data == x + D);
    assert_int_equal(pairing->feedback, 1);
    assert_int_equal(pairing->anchors[0], 0);
    assert_int_equal(pairing->anchors[1], 1);
    assert_null(pairing->records);
    assert_null(pairing->rows);
    assert_int_equal(pairing->outputs, D);
    assert_true(pairing->pending.data == x + (N - 1) * D && pairing->pending.rows == 1);
    volt_pairing_free(pairing);

    volt_pairing_options options = volt_pairing_options_default();
    options.ahead = 3;
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_int_equal(pairing->feedback, 0);
    assert_int_equal(pairing->gap, 2);
    assert_true(pairing->series.data == x && pairing->series.rows == N);
    assert_true(at(pairing->targets, 0, 1) == at(X, 3, 1));
    assert_true(pairing->pending.data == x + (N - 3) * D && pairing->pending.rows == 3);
    volt_pairing_free(pairing);

    /* A prediction cannot continue from a row with unknown values. */
    x[N * D - 3] = NAN;
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_int_equal(pairing->pending.rows, 0);
    volt_pairing_free(pairing);
    free(x);
}

static void horizons_are_outputs(void **state)
{
    volt_rng rng = test_rng(2);
    double *x = normal_rows(&rng, N, D);
    volt_view X = volt_view_of(x, N, D);
    const char *names[] = {"a", "b"};
    const int64_t lengths[] = {7, 5};
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    options.first_ahead = 2;
    options.ahead = 4;
    options.target_names = names;
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_int_equal(pairing->targets.cols, 6);
    assert_int_equal(pairing->targets.rows, N - 4);
    for (int64_t i = 0; i < N - 4; i++)
        for (int64_t k = 0; k < D; k++)
            for (int64_t h = 0; h < 3; h++)
                assert_true(at(pairing->targets, i, k * 3 + h) == at(X, i + 2 + h, k));
    assert_string_equal(pairing->output_names[0], "a+2");
    assert_string_equal(pairing->output_names[5], "b+4");
    assert_int_equal(pairing->anchors[4], 1);
    assert_int_equal(pairing->feedback, 0);
    volt_pairing_free(pairing);

    options.records = lengths;
    options.n_records = 2;
    options.target_names = NULL;
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_int_equal(pairing->inputs.rows, 4);
    assert_int_equal(pairing->records[0], 3);
    assert_int_equal(pairing->records[1], 1);
    const int64_t rows[] = {0, 1, 2, 7};
    for (int64_t i = 0; i < 4; i++) {
        assert_int_equal(pairing->rows[i], rows[i]);
        assert_true(at(pairing->inputs, i, 1) == at(X, rows[i], 1));
        assert_true(at(pairing->targets, i, 5) == at(X, rows[i] + 4, 1));
    }
    assert_string_equal(pairing->output_names[3], "y2+2");
    volt_pairing_free(pairing);
    free(x);
}

static void records_are_separate(void **state)
{
    volt_rng rng = test_rng(3);
    double *x = normal_rows(&rng, N, 1), y[N];
    const int64_t lengths[] = {4, 1, 7};
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    for (int64_t i = 0; i < N; i++)
        y[i] = i + 1 < N && i != 3 && i != 4 ? x[i + 1] : 100; /* the next input within each record */
    options.records = (const int64_t[]){N};
    options.n_records = 1;
    options.ahead = 2;
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), (volt_view){0}, &options, &pairing));
    assert_true(pairing->n_records == 1 && pairing->records[0] == N - 2 && pairing->rows[N - 3] == N - 3);
    volt_pairing_free(pairing);
    options = volt_pairing_options_default();
    options.records = lengths;
    options.n_records = 3;
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(y, N, 1), &options, &pairing));
    assert_int_equal(pairing->ahead, 0);
    assert_int_equal(pairing->feedback, 1);
    assert_null(pairing->anchors);
    volt_pairing_free(pairing);
    y[8] += 1;
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(y, N, 1), &options, &pairing));
    assert_int_equal(pairing->feedback, 0);
    volt_pairing_free(pairing);
    free(x);
}

/* ---- relations -------------------------------------------------------------------------------- */

static void anchors_and_known_inputs(void **state)
{
    volt_rng rng = test_rng(4);
    double *x = normal_rows(&rng, N, 3), y[2 * N];
    volt_view X = volt_view_of(x, N, 3), Y = volt_view_of(y, N, 2);
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    for (int64_t i = 0; i < N; i++) {
        y[2 * i] = x[3 * i + 2];
        y[2 * i + 1] = x[3 * i];
    }
    options.ahead = 2;
    check_ok(volt_pairing_create(X, Y, &options, &pairing));
    assert_int_equal(pairing->anchors[0], 2);
    assert_int_equal(pairing->anchors[1], 0);
    volt_pairing_free(pairing);
    y[1] += 1; /* no longer an input */
    check_ok(volt_pairing_create(X, Y, &options, &pairing));
    assert_null(pairing->anchors);
    volt_pairing_free(pairing);

    options.ahead = VOLT_AHEAD_AUTO;
    options.known_inputs = 1;
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_int_equal(pairing->inputs.cols, 3);
    assert_int_equal(pairing->targets.cols, 2);
    assert_int_equal(pairing->feedback, 0);
    assert_int_equal(pairing->anchors[1], 1);
    volt_pairing_free(pairing);
    free(x);
}

static void missing_targets_are_counted(void **state)
{
    volt_rng rng = test_rng(5);
    double *x = normal_rows(&rng, N, 1), *y = normal_rows(&rng, N, 2);
    volt_pairing *pairing = NULL;
    y[4] = y[5] = y[9] = NAN; /* rows 2 and 4 */
    check_ok(volt_pairing_create(volt_view_of(x, N, 1), volt_view_of(y, N, 2), NULL, &pairing));
    assert_int_equal(pairing->missing_targets, 2);
    volt_pairing_free(pairing);
    free(x);
    free(y);
}

/* ---- losses ----------------------------------------------------------------------------------- */

static void levels_and_fed_outputs_are_not_inputs(void **state)
{
    volt_rng rng = test_rng(9);
    double *x = normal_rows(&rng, N, D), *y = normal_rows(&rng, N, 1);
    volt_view X = volt_view_of(x, N, D), Y = volt_view_of(y, N, 1);
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    options.loss = "huber:delta=1";
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_true(pairing->outputs == D && pairing->feedback == 1);
    volt_pairing_free(pairing);
    options.loss = "quantile:q=0.1/0.5/0.9";
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_true(pairing->outputs == 3 * D && pairing->feedback == 0);
    volt_pairing_free(pairing);
    options.loss = "multinomial";
    options.n_classes = 4;
    check_ok(volt_pairing_create(X, Y, &options, &pairing));
    assert_true(pairing->outputs == 4 && !pairing->classes);
    volt_pairing_free(pairing);

    options = volt_pairing_options_default();
    options.fed_outputs = 1;
    check_fails(volt_pairing_create(X, none(), &options, &pairing), VOLT_ERR_ARGUMENT, "feedback");
    /* Y is the next X: without fed outputs feedback would be possible. */
    for (int64_t i = 0; i < N; i++)
        y[i] = i + 1 < N ? x[i + 1] : 0;
    volt_view column = volt_view_of(x, N, 1);
    for (options.fed_outputs = 0; options.fed_outputs < 2; options.fed_outputs++) {
        check_ok(volt_pairing_create(column, Y, &options, &pairing));
        assert_int_equal(pairing->feedback, !options.fed_outputs);
        volt_pairing_free(pairing);
    }
    options.fed_outputs = 1;
    options.ahead = 1;
    check_fails(volt_pairing_create(X, Y, &options, &pairing), VOLT_ERR_ARGUMENT, "ahead 1");
    free(x);
    free(y);
}

static void labels_are_numbered_in_order(void **state)
{
    static const char *const labels[N] = {"b", "10", "9", "a", "-2", "b", "9", "10", "9.0", "a", "a", "-2"};
    static const char *const classes[] = {"-2", "9", "9.0", "10", "a", "b"};
    static const double numbers[N] = {5, 3, 1, 4, 0, 5, 1, 3, 2, 4, 4, 0};
    static const char *const same[N] = {"u", "u", "u", "u", "u", "u", "u", "u", "u", "u", "u", "u"};
    volt_rng rng = test_rng(10);
    double *x = normal_rows(&rng, N, D);
    volt_view X = volt_view_of(x, N, D);
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    options.loss = "multinomial";
    options.labels = labels;
    check_ok(volt_pairing_create(X, none(), &options, &pairing));
    assert_int_equal(pairing->ahead, 0);
    assert_int_equal(pairing->n_classes, 6);
    assert_int_equal(pairing->outputs, 6);
    for (int64_t k = 0; k < 6; k++)
        assert_string_equal(pairing->classes[k], classes[k]);
    for (int64_t i = 0; i < N; i++)
        assert_true(at(pairing->targets, i, 0) == numbers[i]);
    volt_pairing_free(pairing);

    options.labels = same;
    check_fails(volt_pairing_create(X, none(), &options, &pairing), VOLT_ERR_DATA, "'u'");
    options.labels = labels;
    options.loss = "huber:delta=1";
    check_fails(volt_pairing_create(X, none(), &options, &pairing), VOLT_ERR_ARGUMENT, "huber");
    options.loss = "no such loss";
    check_fails(volt_pairing_create(X, none(), &options, &pairing), VOLT_ERR_ARGUMENT, "loss");
    free(x);
}

/* ---- failures --------------------------------------------------------------------------------- */

static void a_target_among_its_inputs_is_rejected(void **state)
{
    volt_rng rng = test_rng(6);
    double *x = normal_rows(&rng, N, 2), y[N];
    const char *name = "level";
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default();
    for (int64_t i = 0; i < N; i++)
        y[i] = x[2 * i + 1];
    options.target_names = &name;
    check_fails(volt_pairing_create(volt_view_of(x, N, 2), volt_view_of(y, N, 1), &options, &pairing),
                VOLT_ERR_ARGUMENT, "'level'");
    assert_null(pairing);
    options.allow_target_in_inputs = 1;
    check_ok(volt_pairing_create(volt_view_of(x, N, 2), volt_view_of(y, N, 1), &options, &pairing));
    assert_null(pairing->anchors);
    volt_pairing_free(pairing);
    free(x);
}

static void invalid_options_are_rejected(void **state)
{
    volt_rng rng = test_rng(7);
    double *x = normal_rows(&rng, N, 2);
    volt_view X = volt_view_of(x, N, 2), Y = volt_view_of(x, N - 1, 2);
    const int64_t short_record[] = {N - 1, 1}, wrong_sum[] = {N - 3, 2}, turn[] = {INT64_MAX, INT64_MAX, N + 2};
    volt_pairing *pairing = NULL;
    volt_pairing_options options = volt_pairing_options_default(), bad;
#define REFUSED(change, status, fragment)                                              \
    do {                                                                               \
        bad = options;                                                                 \
        change;                                                                        \
        check_fails(volt_pairing_create(X, none(), &bad, &pairing), status, fragment); \
        assert_null(pairing);                                                          \
    } while (0)
    REFUSED(bad.ahead = 0, VOLT_ERR_ARGUMENT, "ahead");
    REFUSED((bad.ahead = 0, bad.allow_target_in_inputs = 1), VOLT_ERR_ARGUMENT, "ahead 1 0");
    REFUSED(bad.ahead = -2, VOLT_ERR_ARGUMENT, "-2");
    REFUSED(bad.ahead = N, VOLT_ERR_ARGUMENT, "12");
    REFUSED((bad.first_ahead = 3, bad.ahead = 2), VOLT_ERR_ARGUMENT, "3 2");
    REFUSED((bad.first_ahead = 0, bad.ahead = 2), VOLT_ERR_ARGUMENT, "0 2");
    REFUSED(bad.known_inputs = 2, VOLT_ERR_ARGUMENT, "known_inputs");
    REFUSED(bad.n_records = 1, VOLT_ERR_ARGUMENT, "n_records");
    REFUSED((bad.records = short_record, bad.n_records = 2), VOLT_ERR_DATA, "record 1");
    REFUSED((bad.records = wrong_sum, bad.n_records = 2), VOLT_ERR_SHAPE, "11");
    REFUSED((bad.records = turn, bad.n_records = 3), VOLT_ERR_SHAPE,
            "record 0"); /* their sum wraps around to N */
    check_fails(volt_pairing_create(X, Y, NULL, &pairing), VOLT_ERR_SHAPE, "11");
    check_fails(volt_pairing_create(volt_view_of(x, 1, 2), none(), NULL, &pairing), VOLT_ERR_DATA, "1 row");
    check_fails(volt_pairing_create(none(), none(), NULL, &pairing), VOLT_ERR_SHAPE, "X");
    check_fails(volt_pairing_create(X, none(), NULL, NULL), VOLT_ERR_ARGUMENT, "NULL");
    volt_pairing_free(NULL);
    free(x);
}

static void failed_allocations_leak_nothing(void **state)
{
    volt_rng rng = test_rng(8);
    double *x = normal_rows(&rng, N, 2);
    const int64_t lengths[] = {6, 6};
    static const char *const labels[N] = {"b", "a", "a", "a", "a", "b", "b", "a", "b", "a", "a", "b"};
    volt_pairing_options options = volt_pairing_options_default();
    options.loss = "logistic";
    options.labels = labels;
    options.first_ahead = 1;
    options.ahead = 2;
    options.records = lengths;
    options.n_records = 2;
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_pairing *pairing = NULL;
        volt_status status = volt_pairing_create(volt_view_of(x, N, 2), none(), &options, &pairing);
        assert_true((status == VOLT_OK) == (pairing != NULL));
        volt_pairing_free(pairing);
        failing_alloc_check(status);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_as_its_target),
        cmocka_unit_test(horizons_are_outputs),
        cmocka_unit_test(records_are_separate),
        cmocka_unit_test(anchors_and_known_inputs),
        cmocka_unit_test(missing_targets_are_counted),
        cmocka_unit_test(a_target_among_its_inputs_is_rejected),
        cmocka_unit_test(invalid_options_are_rejected),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(levels_and_fed_outputs_are_not_inputs),
        cmocka_unit_test(labels_are_numbered_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
