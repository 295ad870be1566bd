/* tests/unit/bindings/test_bindings.c: calls of the languages: the same numbers as the library, errors, lifetimes of handles. */
#include "call.h"
#include "support/check.h"
#include "support/sequences.h"

enum { N = 60, NEW = 10 };

typedef struct data {
    double *x, *y;
} data;

static data make_data(void)
{
    volt_rng rng = test_rng(3);
    data made = {normal_rows(&rng, N + NEW, 1), normal_rows(&rng, N + NEW, 1)};
    for (int64_t i = 1; i < N + NEW; i++)
        made.y[i] = 0.1 * made.y[i] + made.x[i] - 0.5 * made.x[i - 1];
    return made;
}

static void free_data(data made)
{
    free(made.x);
    free(made.y);
}

static value *column(const double *numbers, int64_t count)
{
    return value_vector(numbers, count);
}

static value *fit_arguments(data made)
{
    value *list = value_list();
    value_add(list, "X", column(made.x, N));
    value_add(list, "Y", column(made.y, N));
    return list;
}

/* Calls a function and frees its arguments. */
static volt_status run(const char *name, value *arguments, value **result, char message[CALL_MESSAGE])
{
    assert_true(value_list_ok(arguments));
    volt_status status = volterra_call(name, arguments, (volt_progress){0}, result, message);
    value_free(arguments);
    return status;
}

static value *ok(const char *name, value *arguments)
{
    char message[CALL_MESSAGE] = "";
    value *result = NULL;
    assert_int_equal(run(name, arguments, &result, message), VOLT_OK);
    return result;
}

/* Expects a failure with a status and a part of the message. */
static void fails(const char *name, value *arguments, volt_status expected, const char *part)
{
    char message[CALL_MESSAGE] = "";
    value *result = NULL;
    assert_int_equal(run(name, arguments, &result, message), expected);
    assert_null(result);
    assert_non_null(strstr(message, part));
}

static value *with_model(value *fitted, const char *name, value *item)
{
    value *list = value_list();
    value_add(list, "model", value_handle(value_get(fitted, "model")->object, false));
    if (item)
        value_add(list, name, item);
    return list;
}

static void fit_and_predict(void **state)
{
    data made = make_data();
    value *arguments = fit_arguments(made);
    value_add(arguments, "alpha", value_number(0.01));
    value *fitted = ok("fit", arguments);

    volt_kernel *kernel = NULL;
    volt_model *model = NULL;
    volt_fit_options options = volt_fit_options_default();
    double fit[N], expected[NEW];
    options.alpha = 0.01;
    check_ok(volt_kernel_parse("volterra", &kernel));
    check_ok(volt_model_fit(kernel, volt_view_of(made.x, N, 1), volt_view_of(made.y, N, 1), &options,
                            volt_matrix_of(fit, N, 1), &model));
    check_ok(volt_model_predict(model, volt_view_of(made.x + N, NEW, 1), NULL, volt_matrix_of(expected, NEW, 1),
                                NULL));
    assert_memory_equal(value_get(fitted, "fitted")->numbers, fit, sizeof fit);

    arguments = with_model(fitted, "X", column(made.x + N, NEW));
    value_add(arguments, "coverage", value_number(0.8));
    value *predicted = ok("predict", arguments);
    assert_memory_equal(value_get(predicted, "prediction")->numbers, expected, sizeof expected);
    const double coverage = 0.8;
    double half = 0;
    check_ok(volt_model_interval(model, &coverage, 1, volt_matrix_of(&half, 1, 1)));
    assert_true(value_get(predicted, "upper")->items[0]->numbers[3] == expected[3] + half);
    value_free(predicted);
    value_free(fitted);
    volt_model_free(model);
    volt_kernel_free(kernel);
    free_data(made);
}

/* A stream lives longer than the handle of its model. */
static void stream_keeps_its_model(void **state)
{
    data made = make_data();
    value *fitted = ok("fit", fit_arguments(made));
    value *predicted = ok("predict", with_model(fitted, "X", column(made.x + N, NEW)));
    value *opened = ok("stream", with_model(fitted, "", NULL));
    value_free(fitted);
    value *arguments = value_list();
    value_add(arguments, "stream", value_handle(value_get(opened, "stream")->object, false));
    value_add(arguments, "X", column(made.x + N, NEW));
    value *fed = ok("feed", arguments);
    for (int64_t i = 0; i < NEW; i++) {
        double expected = value_get(predicted, "prediction")->numbers[i];
        assert_true(fabs(value_get(fed, "prediction")->numbers[i] - expected) <= 1e-12 * (1 + fabs(expected)));
    }
    value_free(fed);
    value_free(predicted);
    value_free(opened);
    free_data(made);
}

static void results_of_tasks(void **state)
{
    data made = make_data();
    value *arguments = value_list();
    value_add(arguments, "series", column(made.y, N));
    value_add(arguments, "steps", value_number(3));
    value_add(arguments, "coverage", value_number(0.8));
    value *found = ok("forecast", arguments);
    volt_forecast *forecast = NULL;
    volt_forecast_options options = volt_forecast_options_default();
    options.steps = 3;
    check_ok(volt_forecast_run(volt_view_of(made.y, N, 1), &options, &forecast));
    for (int64_t h = 0; h < 3; h++)
        assert_true(value_get(found, "forecast")->numbers[h] == volt_forecast_step_at(forecast, h, 0)->value);
    volt_forecast_free(forecast);
    value_free(found);

    arguments = fit_arguments(made);
    value_add(arguments, "draws", value_number(4));
    value *ranges = value_list();
    const char *const linear[] = {"linear", "0.1", "0.5"};
    value_add(ranges, "tau_coef", value_texts(linear, 3));
    value_add(arguments, "ranges", ranges);
    found = ok("tune", arguments);
    assert_int_equal(value_get(value_get(found, "trials"), "score")->rows, 4);
    value_free(found);

    arguments = value_list();
    value_add(arguments, "system", value_text("lorenz96:dimension=5"));
    value_add(arguments, "rows", value_number(7));
    found = ok("simulate", arguments);
    assert_int_equal(value_get(found, "data")->rows, 7);
    assert_int_equal(value_get(found, "data")->cols, 5);
    value_free(found);
    free_data(made);
}

static value *fit_with(data made, const char *name, value *item)
{
    value *list = fit_arguments(made);
    value_add(list, name, item);
    return list;
}

static void invalid_arguments(void **state)
{
    data made = make_data();
    fails("nothing", value_list(), VOLT_ERR_ARGUMENT, "'nothing'");
    fails("fit", value_list(), VOLT_ERR_ARGUMENT, "X");
    fails("fit", fit_with(made, "alpah", value_number(1)), VOLT_ERR_ARGUMENT, "'alpha'");
    fails("fit", fit_with(made, "entirely_unknown", value_number(1)), VOLT_ERR_ARGUMENT, "'entirely_unknown'");
    fails("fit", fit_with(made, "n_classes", value_number(3)), VOLT_ERR_ARGUMENT,
          "n_classes"); /* of an array */
    fails("fit", fit_with(made, "initial", value_text("values")), VOLT_ERR_ARGUMENT, "initial");
    fails("fit", fit_with(made, "alpha", value_text("one")), VOLT_ERR_ARGUMENT, "alpha");
    fails("fit", fit_with(made, "washout", value_number(0.5)), VOLT_ERR_ARGUMENT, "0.5");
    fails("fit", fit_with(made, "intercept", value_number(2)), VOLT_ERR_ARGUMENT, "intercept");
    fails("fit", fit_with(made, "target", value_text("both")), VOLT_ERR_ARGUMENT, "level, change, auto");
    fails("fit", fit_with(made, "kernel", value_text("nonsense")), VOLT_ERR_KERNEL, "nonsense");
    fails("fit", fit_with(made, "records", value_number(-3)), VOLT_ERR_ARGUMENT, "-3");
    fails("fit", fit_with(made, "ahead", value_number(0.5)), VOLT_ERR_ARGUMENT, "ahead");
    fails("predict", fit_with(made, "model", value_none()), VOLT_ERR_ARGUMENT, "Y");
    value *list = value_list();
    value_add(list, "X", value_number(1));
    fails("predict", list, VOLT_ERR_ARGUMENT, "model");
    list = value_list();
    value_add(list, "path", value_text("no such file"));
    fails("load", list, VOLT_ERR_IO, "no such file");
    assert_string_equal(volterra_status_id(VOLT_ERR_NOT_FINITE), "not_finite");
    assert_string_equal(volterra_status_id(VOLT_ERR_DEVICE), "device");
    free_data(made);
}

/* An item that could not be created marks the list. */
static void lists_without_memory(void **state)
{
    value *list = value_list();
    assert_true(value_list_ok(list));
    value_add(list, "a", NULL);
    assert_false(value_list_ok(list));
    value_free(list);
    assert_false(value_list_ok(NULL));
    value_add(NULL, "a", value_number(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_and_predict),      cmocka_unit_test(stream_keeps_its_model),
        cmocka_unit_test(results_of_tasks),     cmocka_unit_test(invalid_arguments),
        cmocka_unit_test(lists_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
