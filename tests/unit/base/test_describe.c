/* tests/unit/base/test_describe.c: the table of the fields of the structs. */
#include "support/check.h"
#include "volterra.h"

static const volt_field *field_of(const volt_struct *type, const char *name)
{
    for (int64_t i = 0; i < type->n_fields; i++)
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    fail_msg("%s has no field %s", type->name, name);
    return NULL;
}

static void fields_of_options(void **state)
{
    const volt_struct *type = volt_struct_find("volt_fit_options");
    volt_fit_options options;
    assert_non_null(type);
    assert_true(type->size == sizeof options && type->is_sized);
    type->set_default(&options);
    assert_true(options.struct_size == sizeof options && options.intercept == 1);
    const volt_field *alpha = field_of(type, "alpha"), *target = field_of(type, "target");
    assert_true(alpha->kind == VOLT_KIND_DOUBLE && !alpha->is_pointer && alpha->n_dimensions == 0);
    assert_true(alpha->offset == offsetof(volt_fit_options, alpha) && alpha->size == sizeof(double));
    assert_true(target->kind == VOLT_KIND_WORD);
    assert_string_equal(target->words[VOLT_TARGET_CHANGE].text, "change");
    assert_int_equal(field_of(type, "intercept")->kind, VOLT_KIND_FLAG);
    assert_int_equal(field_of(type, "loss")->kind, VOLT_KIND_TEXT);
    assert_int_equal(field_of(type, "pending")->kind, VOLT_KIND_VIEW);
    assert_int_equal(field_of(type, "progress")->kind, VOLT_KIND_OTHER);
    assert_null(field_of(type, "progress")->json);
    const volt_field *draws = field_of(volt_struct_find("volt_identify_options"), "draws");
    assert_string_equal(draws->option, "draws");
    assert_true(draws->range->low >= 1 && draws->range->low <= 1 && isinf(draws->range->high));
}

static void shapes_of_results(void **state)
{
    const volt_struct *type = volt_struct_find("volt_diagnosis");
    const volt_diagnosis found = {.d = 2, .q = 3, .lags = 5};
    const volt_field *cross = field_of(type, "cross_correlation"), *below = field_of(type, "below");
    assert_true(cross->is_pointer && cross->n_dimensions == 3);
    assert_int_equal(volt_dimension_of(&cross->shape[0], &found), 3);
    assert_int_equal(volt_dimension_of(&cross->shape[2], &found), 5);
    assert_int_equal(volt_dimension_of(&below->shape[0], &found), 5); /* d + q */
    assert_int_equal(volt_dimension_of(&field_of(volt_struct_find("volt_fit_report"), "mse")->shape[0], &found),
                     -1);
    const volt_field *candidates = field_of(volt_struct_find("volt_identification"), "candidates");
    assert_true(candidates->kind == VOLT_KIND_STRUCT && candidates->size == sizeof(volt_identify_candidate));
    assert_string_equal(candidates->inner->name, "volt_identify_candidate");
    assert_string_equal(field_of(candidates->inner, "is_rejected")->json, "rejected");
}

static void names_of_structs(void **state)
{
    int64_t count = 0;
    assert_null(volt_struct_find("volt_nothing"));
    for (const volt_struct *type = volt_struct_find(NULL); type->name; type++, count++)
        assert_ptr_equal(volt_struct_find(type->name), type);
    assert_true(count > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_options),
        cmocka_unit_test(shapes_of_results),
        cmocka_unit_test(names_of_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
