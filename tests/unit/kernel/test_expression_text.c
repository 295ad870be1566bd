/* tests/unit/kernel/test_expression_text.c: kernel expressions as text: parsed expressions print and parse to the
 * same bits, parameters are addressed by the number of their factor, and errors name the invalid part. */
#include "base/numbers.h"
#include "kernel/kernel_entry.h"
#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/sequences.h"
#include "volterra/select.h"

static volt_kernel *parse(const char *text)
{
    volt_kernel *kernel = NULL;
    check_ok(volt_kernel_parse(text, &kernel));
    return kernel;
}

static volt_kernel_value get(const volt_kernel *kernel, const char *name)
{
    volt_kernel_value value = {.struct_size = sizeof value};
    check_ok(volt_kernel_get(kernel, name, &value));
    return value;
}

/* ---- round trips ------------------------------------------------------------------------------ */

/* A double of any magnitude with all its digits. */
static double number(volt_rng *rng, double low, double high)
{
    return exp(log(low) + (log(high) - log(low)) * volt_rng_uniform(rng));
}

static const char *blank(volt_rng *rng)
{
    static const char *const blanks[] = {"", " ", "  ", "\t"};
    return blanks[volt_rng_word(rng) % 4];
}

/* An expression of `factors` factors in a random notation. wanted[] receives names and values. */
enum { MAX_NAMES_WANTED = 200 };
static struct {
    char name[40];
    double value;
} wanted[MAX_NAMES_WANTED];
static int n_wanted;

static double want(int factor, const char *name, double value)
{
    assert_true(n_wanted < MAX_NAMES_WANTED);
    snprintf(wanted[n_wanted].name, sizeof wanted[0].name, "%d.%s", factor, name);
    wanted[n_wanted++].value = value;
    return value;
}

static char *write_expression(volt_rng *rng, int factors, char *at)
{
    n_wanted = 0;
    for (int f = 1; f <= factors; f++) {
        bool begins = f == 1 || volt_rng_uniform(rng) < 0.6;
        if (f > 1)
            at += sprintf(at, "%s%s%s", blank(rng), begins ? "+" : "*", blank(rng));
        if (begins && volt_rng_uniform(rng) < 0.6) {
            double weight = want(f, "weight", number(rng, 1e-300, 1e300));
            at += sprintf(at, "%.17g%s*%s", weight, blank(rng), blank(rng));
        }
        switch (volt_rng_word(rng) % 4) {
        case 0:
            at += sprintf(at, "rbf:gamma=%.17g", want(f, "gamma", number(rng, 1e-12, 1e12)));
            break;
        case 1:
            at += sprintf(at, "fir%s:%smu=%.17g,corr=%.17g", blank(rng), blank(rng),
                          want(f, "mu", volt_rng_uniform(rng)), want(f, "corr", -volt_rng_uniform(rng)));
            break;
        case 2:
            at += sprintf(at, "sig:augment=time+basepoint,window=4,scale=%.17g,features=linear",
                          want(f, "scale", number(rng, 1e-3, 1e3)));
            break;
        default:
            at += sprintf(at, "memory:rho=%.17g%s,%sgamma=%.17g", want(f, "rho", number(rng, 1e-9, 1)),
                          blank(rng), blank(rng), want(f, "gamma", number(rng, 1e-9, 1e9)));
        }
        if (volt_rng_uniform(rng) < 0.5)
            at += sprintf(at, ",pole=%.17g", want(f, "pole", (volt_rng_uniform(rng) - 0.5) * 1.99));
        if (volt_rng_uniform(rng) < 0.5)
            at += sprintf(at, ",angle=%.17g%s,pair=%.17g", want(f, "angle", volt_rng_uniform(rng)), blank(rng),
                          want(f, "pair", number(rng, 1e-9, 0.999)));
    }
    return at;
}

static void random_expressions_round_trip(void **state)
{
    volt_rng rng = test_rng(1310);
    for (int repeat = 0; repeat < 300; repeat++) {
        char text[4096];
        write_expression(&rng, 1 + (int)(volt_rng_word(&rng) % 6), text);
        volt_kernel *first = parse(text), *second = parse(volt_kernel_text(first));
        assert_string_equal(volt_kernel_text(first), volt_kernel_text(second));
        for (int64_t p = 0; volt_kernel_parameter_name(first, p); p++) {
            const char *name = volt_kernel_parameter_name(first, p);
            volt_kernel_value a = get(first, name), b = get(second, name);
            assert_memory_equal(&a.number, &b.number, sizeof a.number);
            assert_string_equal(a.text, b.text);
            assert_int_equal(a.present, b.present);
        }
        for (int k = 0; k < n_wanted; k++) {
            bool one = volt_kernel_parameter_name(first, 0)[0] != '1'; /* a single factor has no numbers */
            volt_kernel_value found = get(first, one ? wanted[k].name + 2 : wanted[k].name);
            if (!found.given || memcmp(&found.number, &wanted[k].value, sizeof(double)) != 0)
                fail_msg("%s: %s is %.17g", text, wanted[k].name, found.number);
        }
        volt_kernel_free(second);
        volt_kernel_free(first);
    }
}

static void texts_have_canonical_form(void **state)
{
    static const char *const cases[][2] = {
        {"2*fir:mu=0.8+memory:pole=0.7 * rbf:gamma=1",
         "2*fir:mu=0.8,corr=0 + memory:gamma=1,rho=0.5,mu=0.85,pole=0.7*rbf:gamma=1,window=1"},
        {"1*linear", "linear:window=1"},
        {"linear:pole=0,pair=0,angle=0", "linear:window=1"},
        {"1 * linear:pole=-0.5", "linear:window=1,pole=-0.5"},
        {"1e+2*linear + 2.5e-3 * linear", "100*linear:window=1 + 0.0025*linear:window=1"},
        {"poly:coef0=1e+0,gamma=+2e-0+linear", "poly:degree=3,gamma=2,coef0=1,window=1 + linear:window=1"},
        {"rbf:gamma=1 + 1e+3*linear:window=2", "rbf:gamma=1,window=1 + 1000*linear:window=2"},
        {"sig:augment=time+leadlag,window=3+linear", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_kernel *kernel = parse(cases[i][0]), *again = parse(volt_kernel_text(kernel));
        if (cases[i][1])
            assert_string_equal(volt_kernel_text(kernel), cases[i][1]);
        assert_string_equal(volt_kernel_text(kernel), volt_kernel_text(again));
        volt_kernel_free(again);
        volt_kernel_free(kernel);
    }
}

/* ---- parameters by number --------------------------------------------------------------------- */

static void parameters_are_numbered_by_factor(void **state)
{
    volt_kernel *kernel = parse("rbf:gamma=3*linear + 0.25*fir:mu=0.5,pole=0.1");
    volt_kernel_value value = {.struct_size = sizeof value};
    assert_true(get(kernel, "1.gamma").number == 3);
    assert_true(get(kernel, "1.weight").number == 1 && !get(kernel, "1.weight").given);
    assert_true(get(kernel, "3.weight").number == 0.25 && get(kernel, "3.weight").given);
    assert_true(get(kernel, "3.pole").number == 0.1 && get(kernel, "2.pair").number == 0);
    check_fails(volt_kernel_get(kernel, "gamma", &value), VOLT_ERR_KERNEL, "factors 3");
    check_fails(volt_kernel_get(kernel, "4.mu", &value), VOLT_ERR_KERNEL, "\"4.mu\" kernel 1 3");
    check_fails(volt_kernel_get(kernel, "0.mu", &value), VOLT_ERR_KERNEL, "factors 1 3");
    check_fails(volt_kernel_get(kernel, "-1.mu", &value), VOLT_ERR_KERNEL, "factors 1 3");
    check_fails(volt_kernel_get(kernel, "99999999999999999999.mu", &value), VOLT_ERR_KERNEL, "factors 1 3");
    check_fails(volt_kernel_get(kernel, "2.weight", &value), VOLT_ERR_KERNEL, "factor 2");
    check_fails(volt_kernel_get(kernel, "3.gama", &value), VOLT_ERR_KERNEL, "3 kernel fir parameter");
    volt_kernel_free(kernel);

    kernel = parse("rbf + rbf");
    check_fails(volt_kernel_get(kernel, "3.gamma", &value), VOLT_ERR_KERNEL, "\"3.gamma\" kernel 1 2");
    volt_kernel_free(kernel);
}

/* ---- errors ----------------------------------------------------------------------------------- */

static void invalid_expressions_are_reported(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"rbf:pole=1", "kernel rbf: pole=1 lies outside (-1, 1)"},
        {"rbf:pole=-1", "kernel rbf: pole=-1 lies outside (-1, 1)"},
        {"rbf:pole=nan", "pole=nan lies outside (-1, 1)"},
        {"rbf:pair=1", "pair=1 lies outside [0, 1)"},
        {"rbf:pair=-0.1", "pair=-0.1 lies outside [0, 1)"},
        {"rbf:pair=0.5,angle=1.1", "angle=1.1 lies outside [0, 1]"},
        {"rbf:angle=0.2", "kernel rbf: angle=0.2 requires pair"},
        {"linear + rbf:angle=0.2,pair=0", "factor 2: kernel rbf: angle=0.2 requires pair"},
        {"rbf:pole=0.5,pole=0.5", "pole is given twice"},
        {"fir:mu=1", "mu=1 lies outside [0, 1)"},
        {"fir:corr=1", "corr=1 lies outside (-1, 1)"},
        {"fir:corr=-1", "corr=-1 lies outside (-1, 1)"},
        {"0*rbf + linear", "the weight 0 of a term must be positive and finite"},
        {"rbf + -2*linear", "the weight -2 of a term must be positive and finite"},
        {"inf*rbf", "the weight inf of a term must be positive and finite"},
        {"nan*rbf", "the weight nan of a term must be positive and finite"},
        {"1e-400*rbf", "the weight 1e-400 of a term must be positive and finite"},
        {"2", "the weight 2"},
        {"2*", "a factor is missing behind \"*\""},
        {"2*3*rbf", "unknown kernel \"3\""},
        {"rbf*2", "factor 2: unknown kernel \"2\""},
        {"rbf:gamma=?", "kernel rbf: gamma=?"},
        {"rbf + linear:pole=?", "factor 2: kernel linear: pole=?"},
        {"?*rbf + linear", "a weight of ?"},
        {"rbf+", "a factor is missing behind \"+\""},
        {"+rbf", "a factor is missing before \"+rbf\""},
        {"rbf ++ linear", "a factor is missing before \"+ linear\""},
        {"rbf**linear", "a factor is missing before \"*linear\""},
        {"*", "a factor is missing before \"*\""},
        {"+", "a factor is missing before \"+\""},
        {"(rbf + linear)*fir", "factor 1: unknown kernel \"(rbf\""},
        {"2*(3*(rbf))", "unknown kernel \"(3\"; an expression is a sum of products, without parentheses"},
        {"rbf + linear)", "unknown kernel \"linear)\"; an expression is a sum of products"},
        {"rbf | linear", "unknown kernel \"rbf | linear\"; \"A | B\""},
        {"rbf:gamma=(1+2)*linear", "gamma=(1+2) is not a number"},
        {"rbf linear", "unknown kernel \"rbf linear\""},
        {"rbf - linear", "unknown kernel \"rbf - linear\""},
        {"rbf:gama=1 + linear", "factor 1: kernel rbf has no parameter \"gama\"; did you mean \"gamma\"?"},
        {"linear + rbf:gama=1", "factor 2: kernel rbf has no parameter \"gama\"; did you mean \"gamma\"?"},
        {"rbf + rbf:3.gamma=1", "factor 2: kernel rbf has no parameter \"3.gamma\""},
        {"gak:window=3,centre=yes + rbf", "factor 1: kernel gak is centred"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volt_kernel *kernel = NULL;
        volt_status status = volt_kernel_parse(cases[i].text, &kernel);
        if (status != VOLT_ERR_KERNEL || kernel || !error_names(cases[i].sentence))
            fail_msg("\"%s\": status %d, \"%s\", expected \"%s\"", cases[i].text, (int)status,
                     volt_error_detail(), cases[i].sentence);
    }

    /* Errors of a single kernel do not number its factor. */
    volt_kernel *kernel = NULL;
    check_fails(volt_kernel_parse("rbf:gama=1", &kernel), VOLT_ERR_KERNEL, "gama");
    assert_null(strstr(volt_error_detail(), "factor"));
}

static void long_expressions_are_rejected(void **state)
{
    static char text[8 * 1000 + 8];
    volt_kernel *kernel = NULL;
    for (int terms = 1; terms <= 1000; terms = terms < 20 ? terms + 1 : 1000) {
        char *at = text;
        for (int k = 0; k < terms; k++)
            at += sprintf(at, "%slinear", k ? "+" : "");
        if (terms <= VOLT_MAX_FACTORS) {
            kernel = parse(text);
            volt_kernel_free(kernel);
            kernel = NULL;
        } else {
            check_fails(volt_kernel_parse(text, &kernel), VOLT_ERR_KERNEL,
                        terms < 1000 ? "more than 16 factors"
                                     : "has 6999 characters, but may have 2047 at most");
            assert_null(kernel);
        }
        if (terms == 1000)
            break;
    }
    for (int digits = 480; digits <= 520; digits++) { /* one factor has at most 511 characters */
        sprintf(text, "linear:window=%0*d", digits, 3);
        check_fails(volt_kernel_parse(text, &kernel), VOLT_ERR_KERNEL,
                    strlen(text) <= 511 ? "window number" : "characters 511");
    }
    for (int k = 0; k < 1000; k++) /* and nested invalid text */
        text[k] = "(*+:=,?"[k % 7];
    text[1000] = '\0';
    check_fails(volt_kernel_parse(text, &kernel), VOLT_ERR_KERNEL, "");
    assert_true(strlen(volt_error_detail()) > 10);
}

/* Printed text can be parsed. A text that exceeds the maximum length with its defaults is rejected, never
 * truncated. */
static void parsed_text_is_never_truncated(void **state)
{
    volt_rng rng = test_rng(1312);
    int taken = 0, refused = 0;
    for (int repeat = 0; repeat < 60; repeat++) {
        char text[4096], *at = text;
        for (int f = 0; f <= repeat % VOLT_MAX_FACTORS; f++)
            at += sprintf(at, "%s%.17g*memory:gamma=%.17g,rho=%.17g,mu=%.17g,pole=%.17g%s", f ? "+" : "",
                          number(&rng, 1e-9, 1e9), number(&rng, 1e-9, 1e9), volt_rng_uniform(&rng),
                          volt_rng_uniform(&rng), volt_rng_uniform(&rng), repeat % 2 ? ",pair=0.5" : "");
        volt_kernel *kernel = NULL;
        if (volt_kernel_parse(text, &kernel) == VOLT_OK) {
            const char *printed = volt_kernel_text(kernel);
            double alpha = 1;
            char got[VOLT_KERNEL_LENGTH];
            volt_candidates *list = NULL;
            check_ok(volt_candidates_list(&printed, &alpha, NULL, 1, &list));
            check_ok(volt_candidates_get(list, 0, got, &alpha, NULL));
            assert_string_equal(got, printed);
            volt_candidates_free(list);
            taken++;
        } else {
            assert_non_null(strstr(volt_error_detail(), "characters"));
            refused++;
        }
        volt_kernel_free(kernel);
    }
    assert_true(taken > 10 && refused > 2);
}

/* Arbitrary bytes give a kernel or an error. */
static void random_texts_fail_with_message(void **state)
{
    static const char *const pieces[] = {
        "rbf",  "fir",  ":",     "=",   ",", "+",  "*",   "?",     "2",   "-1",
        "pole", "pair", "angle", "0.5", " ", "1e", "e+3", "gamma", "sig", "augment=time+basepoint",
        "(",    ")"};
    volt_rng rng = test_rng(1311);
    for (int repeat = 0; repeat < 20000; repeat++) {
        char text[512] = "";
        for (int k = (int)(volt_rng_word(&rng) % 12); k >= 0; k--)
            strcat(text, pieces[volt_rng_word(&rng) % (sizeof pieces / sizeof *pieces)]);
        volt_kernel *kernel = NULL;
        volt_status status = volt_kernel_parse(text, &kernel);
        if (status == VOLT_OK) {
            volt_kernel *again = parse(volt_kernel_text(kernel));
            assert_string_equal(volt_kernel_text(kernel), volt_kernel_text(again));
            volt_kernel_free(again);
        } else {
            assert_int_equal(status, VOLT_ERR_KERNEL);
            assert_true(strlen(volt_error_detail()) > 10);
        }
        volt_kernel_free(kernel);
    }
}

/* ---- queries and additions -------------------------------------------------------------------- */

static void open_parameters_are_extracted(void **state)
{
    static const struct {
        const char *text, *rest, *names;
    } cases[] = {
        {"rbf:gamma=?", "rbf", "gamma "},
        {"rbf:gamma=?,pole=?,pair=0.5", "rbf:pair=0.5", "gamma pole "},
        {"rbf:pair=0.5,angle=?", "rbf:pair=0.5", "angle "},
        {"?*fir + rbf:pole=?", "fir + rbf", "1.weight 2.pole "},
        {"fir:mu=? + ? * rbf:gamma=1,pole=?*linear", "fir +  rbf:gamma=1*linear", "1.mu 2.pole 2.weight "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256], names[8][VOLT_OPEN_NAME_LENGTH], joined[400] = "";
        snprintf(text, sizeof text, "%s", cases[i].text);
        int64_t count = volt_kernel_text_open_parameters(text, names, 8);
        for (int64_t k = 0; k < count; k++)
            sprintf(joined + strlen(joined), "%s ", names[k]);
        assert_string_equal(text, cases[i].rest);
        assert_string_equal(joined, cases[i].names);
    }
}

static void values_are_added_to_their_factor(void **state)
{
    char text[64] = "fir + rbf:window=2 *linear", small[8] = "linear";
    assert_true(volt_kernel_text_add(text, sizeof text, "1.mu", "0.5"));
    assert_true(volt_kernel_text_add(text, sizeof text, "2.pole", "0.3"));
    assert_true(volt_kernel_text_add(text, sizeof text, "3.window", "4"));
    assert_true(volt_kernel_text_add(text, sizeof text, "2.weight", "7"));
    volt_kernel *kernel = parse(text);
    assert_string_equal(volt_kernel_text(kernel),
                        "fir:mu=0.5,corr=0 + 7*rbf:window=2,pole=0.3*linear:window=4");
    volt_kernel_free(kernel);
    assert_false(volt_kernel_text_add(text, sizeof text, "4.window", "4"));
    assert_false(volt_kernel_text_add(small, sizeof small, "window", "4"));
    assert_string_equal(small, "linear");
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void parsing_runs_out_of_memory(void **state)
{
    for (int64_t k = 0; failing_alloc_next(&k);) {
        volt_kernel *kernel = NULL;
        volt_status status = volt_kernel_parse("2*fir + memory:pole=0.5*rbf", &kernel);
        volt_kernel_free(kernel);
        failing_alloc_check(status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_round_trip),     cmocka_unit_test(texts_have_canonical_form),
        cmocka_unit_test(parameters_are_numbered_by_factor), cmocka_unit_test(invalid_expressions_are_reported),
        cmocka_unit_test(long_expressions_are_rejected),     cmocka_unit_test(parsed_text_is_never_truncated),
        cmocka_unit_test(random_texts_fail_with_message),    cmocka_unit_test(open_parameters_are_extracted),
        cmocka_unit_test(values_are_added_to_their_factor),  cmocka_unit_test(parsing_runs_out_of_memory),
    };
    return cmocka_run_group_tests_name("expression_text", tests, NULL, NULL);
}
