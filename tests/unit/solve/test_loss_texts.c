/* tests/unit/solve/test_loss_texts.c: parsing and printing of losses. */
#include "solve/loss/loss.h"
#include "support/check.h"

static volt_loss *parse(const char *text)
{
    volt_loss *loss = NULL;
    check_ok(volt_loss_parse(text, &loss));
    return loss;
}

static void texts_read_back(void **state)
{
    static const struct {
        const char *given, *printed;
    } cases[] = {{"squares", "squares"},
                 {" huber : delta = 0.30 ", "huber:delta=0.3"},
                 {"quantile:q=0.1/0.5/0.9", "quantile:q=0.1/0.5/0.9"},
                 {"quantile:q=0.1 / 0.50", "quantile:q=0.1/0.5"},
                 {"epsilon:epsilon=1e-3", "epsilon:epsilon=0.001"},
                 {"expectile:q=0.3333333333333333", "expectile:q=0.3333333333333333"},
                 {"logistic", "logistic"},
                 {"multinomial", "multinomial"},
                 {"poisson", "poisson"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_loss *loss = parse(cases[i].given), *again = parse(loss->text);
        assert_string_equal(loss->text, cases[i].printed);
        assert_string_equal(again->text, cases[i].printed);
        assert_memory_equal(loss->values, again->values, sizeof loss->values);
        volt_loss_info info = {.struct_size = sizeof info};
        volt_loss_get_info(loss, &info);
        assert_ptr_equal(info.text, loss->text);
        assert_string_equal(info.name, loss->kind->info.name);
        assert_int_equal(info.n_values, loss->count);
        assert_ptr_equal(info.values, loss->count ? loss->values : NULL);
        assert_int_equal(info.outputs, info.classes ? 0 : loss->count > 1 ? loss->count : 1);
        assert_int_equal(volt_loss_outputs(loss, 3, 5), info.classes ? 5 : 3 * info.outputs);
        volt_loss_free(again);
        volt_loss_free(loss);
    }
    int64_t count = 0;
    for (; volt_loss_at(count); count++)
        assert_true(volt_loss_at(count)->meaning[0] && volt_loss_at(count)->score[0] &&
                    volt_loss_at(count)->constant[0]);
    assert_int_equal(count, 8);
    assert_null(volt_loss_at(-1));
    assert_int_equal(volt_loss_outputs(NULL, 3, 5), 3);
    assert_true(volt_loss_is_squares(NULL) && volt_loss_is_squares(" squares\t"));
    assert_false(volt_loss_is_squares("square") || volt_loss_is_squares("squares2") ||
                 volt_loss_is_squares("squares 2") || volt_loss_is_squares(""));
}

static void invalid_texts_are_rejected(void **state)
{
    static const struct {
        const char *text, *fragment;
    } cases[] = {{"", "unknown loss \"\""},
                 {"hubber:delta=1", "did you mean \"huber\"?"},
                 {"xyzzy", "squares, huber"},
                 {"huber", "huber:delta=VALUE"},
                 {"huber:delta=0", "delta greater than 0 got"},
                 {"huber:delta=-1", "delta -1"},
                 {"huber:delta=inf", "must be finite"},
                 {"huber:delta=nan", "greater than 0"},
                 {"huber:delta=1/2", "one value"},
                 {"huber:epsilon=1", "it has delta"},
                 {"huber:delta=abc", "not a number"},
                 {"huber:1", "not delta=VALUE"},
                 {"huber:", "not delta=VALUE"},
                 {"quantile:q=0", "between 0 and 1"},
                 {"quantile:q=1", "q 0 1"},
                 {"quantile:q=0.5/0.1", "q 0.1 0.5"},
                 {"quantile:q=0.5/0.5", "must increase"},
                 {"quantile:q=0.5/", "not a number"},
                 {"expectile:q=0.1/0.9", "one value"},
                 {"logistic:q=1", "no parameter"},
                 {"poisson:", "no parameter"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_loss *loss = NULL;
        check_fails(volt_loss_parse(cases[i].text, &loss), VOLT_ERR_ARGUMENT, cases[i].fragment);
        assert_null(loss);
    }
    char many[2048] = "quantile:q=0.01";
    for (int i = 2; i <= 70; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "/%.4f", 0.01 * i);
    volt_loss *loss = NULL;
    check_fails(volt_loss_parse(many, &loss), VOLT_ERR_ARGUMENT, "values 64");
    memset(many, 'x', sizeof many - 1);
    char *longer = malloc(5000);
    memset(longer, 'x', 4999);
    longer[4999] = 0;
    check_fails(volt_loss_parse(longer, &loss), VOLT_ERR_ARGUMENT, "characters 4999");
    free(longer);
    volt_loss_info info = {.struct_size = sizeof info};
    check_fails(volt_loss_get_info(NULL, &info), VOLT_ERR_ARGUMENT, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_read_back),
        cmocka_unit_test(invalid_texts_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
