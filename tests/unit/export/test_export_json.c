/* tests/unit/export/test_export_json.c: exported JSON of kernels with filters, windows, states, losses and seasons. */
#include "base/json.h"
#include "support/check.h"
#include "support/export_program.h"
#include "support/scratch.h"

/* The exported model of a case; release it. */
static json_t *export_json(const export_case *wanted)
{
    volt_model *model = export_case_fit(wanted);
    volt_export_options options = {.struct_size = sizeof options, .format = VOLT_EXPORT_JSON};
    const char *path = scratch_path("model.json");
    char *text = NULL;
    json_t *root = NULL;
    check_ok(volt_model_export(model, &options, path, NULL));
    check_ok(volt_text_read(path, &text));
    check_ok(volt_json_parse(text, (int64_t)strlen(text), &root));
    volt_free(text);
    volt_model_free(model);
    return root;
}

static json_t *first_part(json_t *root)
{
    json_t *part = json_array_get(json_object_get(root, "parts"), 0);
    size_t rows = json_array_size(json_object_get(part, "rows"));
    assert_non_null(part);
    if (rows > 0) /* otherwise one for each state */
        assert_int_equal(json_array_size(json_object_get(part, "coefficients")), rows);
    return part;
}

static json_t *factor_of(json_t *part, size_t f)
{
    return json_array_get(json_object_get(part, "factors"), f);
}

static double number_of(json_t *in, const char *name)
{
    json_t *found = json_object_get(in, name);
    assert_true(json_is_number(found));
    return json_number_value(found);
}

static void check_matrix(json_t *in, const char *name, size_t rows, size_t cols)
{
    json_t *found = json_object_get(in, name);
    assert_int_equal(json_array_size(found), rows);
    for (size_t i = 0; i < rows; i++)
        assert_int_equal(json_array_size(json_array_get(found, i)), cols);
}

static void filters(void **state)
{
    json_t *root = export_json(&(export_case){
        .name = "m", .kernel = "rbf:gamma=0.5,pole=0.5 + fading:pair=0.6,angle=0.3 + fir:mu=0.8,corr=0.4"});
    json_t *part = first_part(root), *list = json_object_get(part, "filters");
    size_t columns = json_array_size(json_array_get(json_object_get(part, "rows"), 0));
    assert_int_equal(json_array_size(list), 3);
    assert_true(number_of(json_array_get(list, 0), "pole") == 0.5);
    assert_true(number_of(json_array_get(list, 1), "pair") == 0.6);
    /* a product and a cosine: a few roundings of a number below 2 */
    double turn = 2 * 0.6 * cos(acos(-1) * 0.3);
    assert_true(fabs(number_of(json_array_get(list, 1), "turn") - turn) < 1e-14);
    assert_int_equal(columns, 6); /* two inputs for each filter */
    assert_int_equal(json_array_size(json_object_get(part, "filters_start")), 4 * columns);
    assert_int_equal(json_array_size(json_object_get(part, "filters_end")), 4 * columns);
    json_decref(root);

    root = export_json(
        &(export_case){.name = "m", .kernel = "fading:pole=0.5", .initial = VOLT_INITIAL_FIRST, .records = 3});
    part = first_part(root);
    assert_string_equal(json_string_value(json_object_get(part, "initial")), "first");
    assert_null(json_object_get(part, "filters_start")); /* depends on the first row */
    json_decref(root);
}

static void windows_and_states(void **state)
{
    json_t *root = export_json(&(export_case){.name = "m", .kernel = "linear:window=4 + recurrent"});
    json_t *part = first_part(root), *window = factor_of(part, 0), *recurrent = factor_of(part, 1);
    check_matrix(json_object_get(window, "start"), "window", 3, 2);
    check_matrix(json_object_get(window, "end"), "window", 3, 2);
    assert_int_equal(json_array_size(json_object_get(recurrent, "own_rows")),
                     json_array_size(json_object_get(part, "rows")));
    assert_true(isfinite(number_of(json_object_get(recurrent, "end"), "kept")));
    assert_true(json_string_length(json_object_get(recurrent, "own")) > 0);
    assert_true(json_string_length(json_object_get(recurrent, "functions")) > 0);
    json_decref(root);

    /* states of a reservoir as a factor, which settle on the first row */
    root = export_json(&(export_case){
        .name = "m", .kernel = "esn:size=5,radius=0.6*rbf:gamma=0.5", .initial = VOLT_INITIAL_FIRST});
    part = first_part(root);
    check_matrix(factor_of(part, 0), "states", json_array_size(json_object_get(part, "rows")), 5);
    json_decref(root);
}

static void losses(void **state)
{
    json_t *root = export_json(&(export_case){.name = "m", .kernel = "fading", .loss = "multinomial"});
    json_t *part = first_part(root), *outputs = json_object_get(root, "outputs");
    assert_string_equal(json_string_value(json_object_get(part, "loss")), "multinomial");
    assert_true(number_of(part, "link_outputs") == json_number_value(outputs));
    assert_true(json_string_length(json_object_get(part, "link")) > 0);
    json_decref(root);
}

static void seasons(void **state)
{
    json_t *root = export_json(&(export_case){.name = "m", .kernel = "volterra", .change = true, .season = 4});
    json_t *part = first_part(root), *columns = json_object_get(part, "columns");
    size_t lags = (size_t)number_of(part, "lags"), differences = 0;
    for (size_t k = 0; k < json_array_size(columns); k++)
        differences += json_object_get(json_array_get(columns, k), "minus_lag") != NULL;
    assert_true(differences > 0 && lags >= 4);
    check_matrix(part, "lags_end", lags, 2);
    assert_null(json_object_get(part, "lags_start")); /* depends on the first row */
    json_decref(root);
    root = export_json(&(export_case){
        .name = "m", .kernel = "volterra", .change = true, .season = 4, .initial = VOLT_INITIAL_MEAN});
    check_matrix(first_part(root), "lags_start", lags, 2);
    json_decref(root);
}

/* Without a name the prefix comes from the file; a C identifier does not begin with a digit. */
static void prefixes(void **state)
{
    volt_model *model = export_case_fit(&(export_case){.name = "m", .kernel = "fading"});
    char *text = NULL;
    check_ok(volt_model_export(model, NULL, scratch_path("2-pump.c"), NULL));
    check_ok(volt_text_read(scratch_path("2-pump.h"), &text));
    assert_non_null(strstr(text, "m2_pump_step("));
    volt_free(text);
    check_ok(volt_model_export(model, NULL, scratch_path("p\xc3\xa9.c"), NULL));
    check_ok(volt_text_read(scratch_path("p\xc3\xa9.h"), &text));
    assert_non_null(strstr(text, "p___step("));
    volt_free(text);

    /* A name that is given must be an identifier of at most 63 characters. */
    char longest[65];
    memset(longest, 'n', 64);
    longest[64] = '\0';
    const char *const wrong[] = {"", "2a", "a-b", "a b", "p\xc3\xa9", longest}, *const right[] = {"_", "a_2",
                                                                                                  longest + 1};
    volt_export_options options = {.struct_size = sizeof options};
    for (int i = 0; i < 6; i++) {
        options.name = wrong[i];
        check_fails(volt_model_export(model, &options, scratch_path("named.c"), NULL), VOLT_ERR_ARGUMENT,
                    "name 63");
    }
    for (int i = 0; i < 3; i++) {
        char call[80];
        options.name = right[i];
        check_ok(volt_model_export(model, &options, scratch_path("named.c"), NULL));
        check_ok(volt_text_read(scratch_path("named.h"), &text));
        snprintf(call, sizeof call, "%s_step(", right[i]);
        assert_non_null(strstr(text, call));
        volt_free(text);
    }
    volt_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters), cmocka_unit_test(windows_and_states), cmocka_unit_test(losses),
        cmocka_unit_test(seasons), cmocka_unit_test(prefixes),
    };
    return cmocka_run_group_tests_name("export_json", tests, NULL, NULL);
}
