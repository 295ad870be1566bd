/* tests/unit/kernel/test_kernel_text.c: kernels as text: parsing, printing, errors. */
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/plain_kernels.h"
#include "support/sequences.h"
#include "text/text.h"

#include <locale.h>

/* ---- parsing and printing --------------------------------------------------------------------- */

/* The printed form of each text: every active parameter, in table order. */
static const struct {
    const char *given, *printed;
} forms[] = {
    {"volterra", "volterra:tau_coef=0.3,lambda_coef=0.9"},
    {"volterra:tau=0.4,lambda=0.7", "volterra:tau=0.4,lambda=0.7"},
    {"volterra:lambda=0.7,tau=0.4", "volterra:tau=0.4,lambda=0.7"},
    {"volterra:tau=0.6,lambda=0.85,lift=even", "volterra:tau=0.6,lambda=0.85,lift=even"},
    {"volterra:tau_coef=0.3,lambda_coef=0.9", "volterra:tau_coef=0.3,lambda_coef=0.9"},
    {"volterra:lift=rbf,gamma=0.3,lambda=0.8", "volterra:gamma=0.3,lambda=0.8,lift=rbf"},
    {"volterra:lift=rbf", "volterra:gamma=1,lambda_coef=0.9,lift=rbf"},
    {"volterra:lift=geometric", "volterra:tau_coef=0.3,lambda_coef=0.9"},
    {"volterra:lift=exponential,tau=2.5,lambda_coef=0.5", "volterra:tau=2.5,lambda_coef=0.5,lift=exponential"},
    {"volterra:lift=poly:1", "volterra:tau_coef=0.3,lambda_coef=0.9,lift=poly:1"},
    {"volterra:lift=poly:64,tau=1", "volterra:tau=1,lambda_coef=0.9,lift=poly:64"},
    {"volterra:tau=4e-1", "volterra:tau=0.4,lambda_coef=0.9"},
    {"  volterra : tau = 0.4 , lambda = 0.7  ", "volterra:tau=0.4,lambda=0.7"},
};

static void every_form_is_read_and_printed(void **state)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        volt_kernel *kernel = plain_parse(forms[i].given), *again = plain_parse(volt_kernel_text(kernel));
        assert_string_equal(volt_kernel_text(kernel), forms[i].printed);
        assert_string_equal(volt_kernel_text(again), forms[i].printed);
        volt_kernel_free(again);
        volt_kernel_free(kernel);
    }
    volt_kernel_free(NULL);
}

/* A double in (low, high) with random bits, over many orders of magnitude. */
static double random_number(volt_rng *rng, double low, double high)
{
    for (;;) {
        double value = volt_rng_uniform(rng) * pow(10, -20 * volt_rng_uniform(rng) * volt_rng_uniform(rng));
        if (isinf(high) && volt_rng_uniform(rng) < 0.5)
            value = 1 / value;
        if (value > low && value < high)
            return value;
    }
}

static void same_kernel(const volt_kernel *a, const volt_kernel *b)
{
    assert_ptr_equal(a->entry, b->entry);
    assert_memory_equal(a->present, b->present, sizeof a->present);
    for (int p = 0; p < a->entry->info.n_parameters; p++)
        if (a->present[p]) {
            assert_memory_equal(&a->value[p], &b->value[p], sizeof(double));
            assert_memory_equal(&a->argument[p], &b->argument[p], sizeof(double));
        }
    assert_string_equal(volt_kernel_text(a), volt_kernel_text(b));
}

static void random_numbers_survive_the_text_bit_by_bit(void **state)
{
    volt_rng rng = test_rng(51);
    static const char *const shapes[] = {
        "volterra:tau=%.17g,lambda=%.17g", "volterra:tau_coef=%.17g,lambda_coef=%.17g,lift=even",
        "volterra:gamma=%.17g,lambda_coef=%.17g,lift=rbf", "volterra:tau=%.17g,lambda=%.17g,lift=poly:7"};
    for (int round = 0; round < 2000; round++) {
        int shape = round % 4;
        double first = random_number(&rng, 0, shape == 1 ? 1 : INFINITY), second = random_number(&rng, 0, 1);
        char text[256];
        snprintf(text, sizeof text, shapes[shape], first, second);
        volt_kernel *kernel = plain_parse(text), *again = plain_parse(volt_kernel_text(kernel));
        same_kernel(kernel, again);
        static const int first_at[] = {0, 1, 2, 0}, second_at[] = {3, 4, 4, 3}; /* table order */
        assert_true(kernel->value[first_at[shape]] == first && kernel->value[second_at[shape]] == second);
        volt_kernel_free(again);
        volt_kernel_free(kernel);
    }
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
    const char *set = NULL;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (int i = 0; i < 4 && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set)
        skip(); /* no such locale is installed */
    volt_kernel *kernel = plain_parse("volterra:tau=0.25,lambda=0.5");
    assert_string_equal(volt_kernel_text(kernel), "volterra:tau=0.25,lambda=0.5");
    volt_kernel_free(kernel);
    setlocale(LC_ALL, "C");
}

/* ---- errors ----------------------------------------------------------------------------------- */

static const struct {
    const char *text, *fragment;
} wrong[] = {
    {"", "no kernel \"\""},
    {":", "no kernel \"\""},
    {"voltera", "did you mean \"volterra\"?"},
    {"VOLTERRA:tau=0.4", "did you mean \"volterra\"?"},
    {"volt", "did you mean \"volterra\"?"},
    {"something_else_altogether", "no kernel \"something_else_altogether\""},
    {"volterra:", "not of the form"},
    {"volterra:,", "not of the form"},
    {"volterra:tau", "\"tau\" is not of the form parameter=value"},
    {"volterra:tau=0.4,", "not of the form"},
    {"volterra:,tau=0.4", "not of the form"},
    {"volterra:=", "no parameter \"\""},
    {"volterra:=0.4", "no parameter \"\""},
    {"volterra:tau=", "is not a number"},
    {"volterra:tau==0.4", "is not a number"},
    {"volterra:tau=0.4 0.5", "is not a number"},
    {"volterra:tau=1,4", "not of the form"},
    {"volterra:tau=abc", "tau=abc is not a number"},
    {"volterra:tau=nan", "lies outside (0, inf)"},
    {"volterra:tau=inf", "lies outside (0, inf)"},
    {"volterra:tau=0", "tau=0 lies outside (0, inf)"},
    {"volterra:tau=-0.4", "tau=-0.4 lies outside"},
    {"volterra:lambda=0", "lambda=0 lies outside"},
    {"volterra:lambda=-1", "lambda=-1 lies outside"},
    {"volterra:tau_coef=1", "tau_coef=1 lies outside (0, 1)"},
    {"volterra:tau_coef=0", "tau_coef=0 lies outside (0, 1)"},
    {"volterra:lambda_coef=1", "lambda_coef=1 lies outside (0, 1)"},
    {"volterra:lambda_coef=1.5", "lambda_coef=1.5 lies outside (0, 1)"},
    {"volterra:lift=rbf,gamma=0", "gamma=0 lies outside"},
    {"volterra:tua=0.4", "no parameter \"tua\"; did you mean \"tau\"?"},
    {"volterra:lamda=0.4", "did you mean \"lambda\"?"},
    {"volterra:lambda_coeff=0.4", "did you mean \"lambda_coef\"?"},
    {"volterra:omega=0.4", "no parameter \"omega\""},
    {"volterra:tau=0.4,tau=0.4", "tau is given twice"},
    {"volterra:lift=even,lift=even", "lift is given twice"},
    {"volterra:tau=0.4,tau_coef=0.4", "tau or tau_coef, not both"},
    {"volterra:lambda_coef=0.4,lambda=0.4", "lambda or lambda_coef, not both"},
    {"volterra:gamma=1", "gamma requires lift=rbf"},
    {"volterra:gamma=1,lift=geometric", "gamma requires lift=rbf"},
    {"volterra:lift=rbf,tau=0.4", "not tau"},
    {"volterra:lift=rbf,tau_coef=0.4", "not tau_coef"},
    {"volterra:lift=odd", "lift=odd is not one of geometric, even, exponential, poly:P, rbf"},
    {"volterra:lift=", "is not one of"},
    {"volterra:lift=poly", "lift=poly is not one of"},
    {"volterra:lift=poly:", "lift=poly: is not one of"},
    {"volterra:lift=poly:0", "whole number from 1 to 64"},
    {"volterra:lift=poly:65", "whole number from 1 to 64"},
    {"volterra:lift=poly:2.5", "whole number from 1 to 64"},
    {"volterra:lift=poly:-1", "whole number from 1 to 64"},
    {"volterra:lift=poly:nan", "whole number from 1 to 64"},
    {"volterra:lift=poly:x", "lift=x is not a number"},
};

static void invalid_texts_are_rejected_with_message(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        volt_kernel *kernel = (volt_kernel *)&wrong; /* must not be modified */
        volt_status status = volt_kernel_parse(wrong[i].text, &kernel);
        if (status != VOLT_ERR_KERNEL || !error_names(wrong[i].fragment))
            fail_msg("\"%s\" ended with status %d and \"%s\", expected \"%s\"", wrong[i].text, (int)status,
                     volt_error_detail(), wrong[i].fragment);
        assert_ptr_equal(kernel, &wrong);
    }
}

static void null_is_rejected(void **state)
{
    volt_kernel *kernel = NULL;
    check_fails(volt_kernel_parse(NULL, &kernel), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_kernel_parse("volterra", NULL), VOLT_ERR_ARGUMENT, "NULL");
}

static void very_long_texts_are_rejected(void **state)
{
    static char text[100001];
    volt_kernel *kernel = NULL;
    static const size_t lengths[] = {63, 64, 65, 200, 400, 511, 512, 1023, 1024, 5000, 100000};
    static const char *const beginnings[] = {"",
                                             "volterra:",
                                             "volterra:tau=",
                                             "volterra:lift=",
                                             "volterra:lift=poly:",
                                             "volterra:tau=0.",
                                             "volterra:tau=0.4,"};
    static const char fillings[] = "a0=,: %";
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++)
            for (const char *fill = fillings; *fill; fill++) {
                size_t start = strlen(beginnings[b]);
                memcpy(text, beginnings[b], start);
                memset(text + start, *fill, lengths[l] - start);
                text[lengths[l]] = 0;
                bool blanks = *fill == ' ' && b == 5; /* "tau=0." and blanks parse as 0, outside the range */
                volt_status status = volt_kernel_parse(text, &kernel);
                assert_true(status == VOLT_ERR_KERNEL || blanks);
                assert_null(kernel);
            }
}

/* Random texts from the characters of the grammar: no crash, and a text that parses also prints and parses
 * again. */
static void random_texts_never_crash(void **state)
{
    volt_rng rng = test_rng(52);
    static const char *const words[] = {"volterra", ":",   ",",    "=",     "tau",  "lambda", "lift", "_coef",
                                        "poly:",    "rbf", "even", "gamma", "0.4",  "1",      "7",    "-",
                                        "e",        ".",   " ",    "\t",    "\xff", "nan"};
    int accepted = 0;
    for (int round = 0; round < 6000; round++) {
        char text[256] = "volterra:";
        int count = (int)(volt_rng_uniform(&rng) * 14);
        for (int i = 0; i < count; i++)
            strcat(text, words[volt_rng_word(&rng) % (sizeof words / sizeof *words)]);
        volt_kernel *kernel = NULL;
        volt_status status = volt_kernel_parse(text, &kernel);
        assert_true(status == VOLT_OK || status == VOLT_ERR_KERNEL);
        if (status == VOLT_OK) {
            volt_kernel *again = plain_parse(volt_kernel_text(kernel));
            same_kernel(kernel, again);
            volt_kernel_free(again);
            accepted++;
        } else {
            assert_null(kernel);
        }
        volt_kernel_free(kernel);
    }
    print_message("%d of 6000 random texts were kernels\n", accepted);
    assert_true(accepted > 0);
}

/* ---- values by name --------------------------------------------------------------------------- */

static void values_are_read_by_name(void **state)
{
    static const struct {
        const char *kernel, *name;
        int given, present;
        double number;
        const char *text;
    } cases[] = {
        {"volterra:tau=0.4", "tau", 1, 1, 0.4, "0.4"},
        {"volterra:tau=0.4", "tau_coef", 0, 0, 0, ""}, /* tau takes precedence */
        {"volterra:tau=0.4", "lambda_coef", 0, 1, 0.9, "0.9"},
        {"volterra:tau=0.4", "lambda", 0, 0, 0, ""},
        {"volterra", "lift", 0, 1, 0, "geometric"},
        {"volterra:lift=geometric", "lift", 1, 1, 0, "geometric"},
        {"volterra:lift=poly:3", "lift", 1, 1, 3, "poly:3"},
        {" volterra : lift = even ", "lift", 1, 1, 0, "even"},
        {"volterra:lift=even", "gamma", 0, 0, 0, ""},
        {"volterra:lift=rbf", "gamma", 0, 1, 1, "1"},
        {"rbf:window=12", "window", 1, 1, 12, "12"},
        {"rbf:window=12", "gamma", 0, 0, 0, ""}, /* 1/(d window): known only with data */
        {"rbf", "window", 0, 1, 1, "1"},
        {"gak", "window", 0, 0, 0, ""},
        {"gak:path=rows", "path", 1, 1, 0, "rows"},
        {"sig:level=3", "order", 0, 1, 3, "3"},
        {"sig:level=3", "features", 0, 0, 0, ""},
        {"sig:level=3,augment=time+leadlag", "augment", 1, 1, 0, "time+leadlag"},
        {"sigpde:path=rows", "prescale", 0, 1, 1, "1"},
        {"sigpde:window=4", "prescale", 0, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_kernel *kernel = plain_parse(cases[i].kernel);
        volt_kernel_value value = {.struct_size = sizeof value};
        check_ok(volt_kernel_get(kernel, cases[i].name, &value));
        if (value.given != cases[i].given || value.present != cases[i].present ||
            value.number != cases[i].number || strcmp(value.text, cases[i].text) != 0)
            fail_msg("%s of %s: given %d, present %d, number %g, text \"%s\"", cases[i].name, cases[i].kernel,
                     value.given, value.present, value.number, value.text);
        assert_string_equal(value.info->name, cases[i].name);
        volt_kernel_free(kernel);
    }
}

/* The text of a kernel from its values: no value is lost, and all parameters are then explicit. */
static void values_reconstruct_the_kernel(void **state)
{
    volt_rng rng = test_rng(53);
    for (int64_t k = 0; k < volt_kernel_count(); k++)
        for (int round = 0; round < 50; round++) {
            const volt_kernel_info *info = volt_kernel_at(k);
            char text[1024], number[VOLT_NUMBER_LENGTH];
            snprintf(text, sizeof text, "%s", info->name);
            bool written[VOLT_MAX_PARAMETERS] = {false};
            for (int64_t p = 0; p < info->n_parameters; p++) {
                const volt_parameter_info *one = &info->parameters[p];
                if (one->search == VOLT_SEARCH_NONE || one->kind != VOLT_PARAMETER_REAL ||
                    volt_rng_uniform(&rng) < 0.5)
                    continue;
                double share = volt_rng_uniform(&rng);
                volt_format_number(one->search_low + share * (one->search_high - one->search_low), number);
                char longer[1024];
                memcpy(longer, text, sizeof text);
                assert_true(volt_kernel_text_add(longer, sizeof longer, one->name, number));
                volt_kernel *taken = NULL;
                /* may not be supported with the other parameters */
                written[p] = volt_kernel_parse(longer, &taken) == VOLT_OK;
                volt_kernel_free(taken);
                if (written[p])
                    memcpy(text, longer, sizeof text);
            }
            volt_kernel *kernel = plain_parse(text);
            char again_text[1024];
            const char *name;
            int64_t p = 0;
            snprintf(again_text, sizeof again_text, "%s", info->name);
            for (; (name = volt_kernel_parameter_name(kernel, p)); p++) {
                volt_kernel_value value = {.struct_size = sizeof value};
                check_ok(volt_kernel_get(kernel, name, &value));
                assert_int_equal(value.given, written[p]);
                assert_true(value.present || (!value.given && value.number == 0 && value.text[0] == 0));
                if (value.present)
                    assert_true(volt_kernel_text_add(again_text, sizeof again_text, name, value.text));
            }
            assert_int_equal(p, info->n_parameters);
            volt_kernel *again = plain_parse(again_text);
            same_kernel(kernel, again);
            volt_kernel_free(again);
            volt_kernel_free(kernel);
        }
}

static void invalid_names_are_rejected_with_message(void **state)
{
    volt_kernel *kernel = plain_parse("rbf:gamma=2");
    volt_kernel_value value = {.struct_size = sizeof(volt_kernel_value), .number = 7};
    check_fails(volt_kernel_get(kernel, "gama", &value), VOLT_ERR_KERNEL, "\"gamma\"");
    check_fails(volt_kernel_get(kernel, "", &value), VOLT_ERR_KERNEL, "parameter \"\"");
    check_fails(volt_kernel_get(kernel, " gamma", &value), VOLT_ERR_KERNEL, "parameter");
    check_fails(volt_kernel_get(kernel, "tau", &value), VOLT_ERR_KERNEL, "kernel rbf parameter \"tau\"");
    check_fails(volt_kernel_get(NULL, "gamma", &value), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_kernel_get(kernel, NULL, &value), VOLT_ERR_ARGUMENT, "NULL");
    check_fails(volt_kernel_get(kernel, "gamma", NULL), VOLT_ERR_ARGUMENT, "NULL");
    assert_true(value.number == 7); /* not modified */
    assert_null(volt_kernel_parameter_name(kernel, -1));
    assert_null(volt_kernel_parameter_name(kernel, 2));
    volt_kernel_free(kernel);
}

static void too_long_text_is_not_appended(void **state)
{
    char text[16] = "rbf";
    assert_true(volt_kernel_text_add(text, sizeof text, "gamma", "2")); /* 11 characters */
    assert_false(volt_kernel_text_add(text, sizeof text, "window", "3"));
    assert_string_equal(text, "rbf:gamma=2");
    assert_true(volt_kernel_text_add(text, sizeof text, "w", "3"));
    assert_string_equal(text, "rbf:gamma=2,w=3");
}

/* ---- the table -------------------------------------------------------------------------------- */

static void table_describes_every_kernel(void **state)
{
    assert_true(volt_kernel_count() >= 1);
    assert_null(volt_kernel_at(-1));
    assert_null(volt_kernel_at(volt_kernel_count()));
    for (int64_t i = 0; i < volt_kernel_count(); i++) {
        const volt_kernel_info *info = volt_kernel_at(i);
        assert_true(info->name && info->formula && info->cost);
        assert_in_range(info->n_parameters, 0, VOLT_MAX_PARAMETERS);
        volt_kernel *kernel = plain_parse(info->name); /* a name without parameters is a kernel */
        volt_kernel_free(kernel);
        for (int64_t p = 0; p < info->n_parameters; p++) {
            const volt_parameter_info *parameter = &info->parameters[p];
            assert_true(parameter->name && parameter->meaning && parameter->range);
            if (parameter->kind == VOLT_PARAMETER_CHOICE)
                assert_non_null(parameter->words);
            else if (parameter->kind != VOLT_PARAMETER_TEXT)
                assert_true(parameter->low < parameter->high);
        }
    }
    assert_string_equal(volt_kernel_at(0)->name, "volterra");
    assert_int_equal(volt_kernel_at(0)->n_parameters, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read_and_printed),
        cmocka_unit_test(random_numbers_survive_the_text_bit_by_bit),
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
        cmocka_unit_test(invalid_texts_are_rejected_with_message),
        cmocka_unit_test(null_is_rejected),
        cmocka_unit_test(very_long_texts_are_rejected),
        cmocka_unit_test(random_texts_never_crash),
        cmocka_unit_test(values_are_read_by_name),
        cmocka_unit_test(values_reconstruct_the_kernel),
        cmocka_unit_test(invalid_names_are_rejected_with_message),
        cmocka_unit_test(too_long_text_is_not_appended),
        cmocka_unit_test(table_describes_every_kernel),
    };
    return cmocka_run_group_tests_name("kernel_text", tests, NULL, NULL);
}
