/* tests/unit/text/test_text.c: conversion between numbers and text, and the nearest name. */
#include "base/numbers.h"
#include "support/check.h"
#include "text/text.h"
#include "volterra/base.h"

#include <locale.h>

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_text(double value, const char *expected)
{
    char buffer[VOLT_NUMBER_LENGTH];
    assert_ptr_equal(volt_format_number(value, buffer), buffer);
    assert_string_equal(buffer, expected);
}

static void check_round_trip(double value)
{
    char buffer[VOLT_NUMBER_LENGTH];
    double back = 12345;
    volt_format_number(value, buffer);
    if (!volt_parse_number(buffer, &back))
        fail_msg("%a prints as \"%s\", which does not read", value, buffer);
    if (isnan(value) ? !isnan(back) : memcmp(&value, &back, sizeof value) != 0)
        fail_msg("%a prints as \"%s\" and reads back as %a", value, buffer, back);
}

/* Digits of the shortest decimal that reads back, by exhaustive search. */
static int min_digits(double value)
{
    for (int digits = 1; digits < 17; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            return digits;
    }
    return 17;
}

/* Significant digits of a printed number, without leading zeros, and without trailing zeros if there is no
 * fraction ("1e+22", "1200"). */
static int printed_digits(const char *text)
{
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (digits == 0 && *text == '0'))
            continue;
        digits++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits - zeros;
}

static void known_numbers(void **state)
{
    check_text(0.1, "0.1");
    check_text(1, "1");
    check_text(-2.5, "-2.5");
    check_text(0.30000000000000004, "0.30000000000000004");
    check_text(1.0 / 3, "0.3333333333333333");
    check_text(1e-7, "1e-07");
    check_text(123456, "123456");
    check_text(1e300, "1e+300");
    check_text(0.0, "0");
    check_text(-0.0, "-0");
    check_text(INFINITY, "inf");
    check_text(-INFINITY, "-inf");
    check_text(5e-324, "5e-324"); /* the smallest positive number */
    check_text(1e-310, "1e-310");
    check_text(1.7976931348623157e308, "1.7976931348623157e+308");
}

static void special_values_read_back(void **state)
{
    static const uint64_t patterns[] = {
        0,                            /* 0 */
        UINT64_C(0x8000000000000000), /* -0 */
        1,                            /* smallest denormal */
        UINT64_C(0x000fffffffffffff), /* largest denormal */
        UINT64_C(0x0010000000000000), /* smallest normal number */
        UINT64_C(0x7fefffffffffffff), /* largest finite number */
        UINT64_C(0x7ff0000000000000), /* infinity */
        UINT64_C(0xfff0000000000000), /* -infinity */
        UINT64_C(0x7ff8000000000000), /* not a number */
        UINT64_C(0x3ff0000000000001), /* 1 + eps */
        UINT64_C(0x3fefffffffffffff), /* 1 - eps/2 */
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        check_round_trip(double_of_bits(patterns[i]));
}

static void random_bit_patterns_read_back_and_are_shortest(void **state)
{
    const uint64_t seed = 11;
    print_message("seed %d, stream 0\n", (int)seed);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    for (int i = 0; i < 6000; i++) {
        uint64_t bits = volt_rng_word(&rng);
        double values[] = {
            double_of_bits(bits),
            double_of_bits(bits & UINT64_C(0x800fffffffffffff)), /* denormal */
            double_of_bits(bits >> 12 >> (bits % 52)),           /* denormal with few bits */
            (double)(int64_t)(bits >> (bits % 64)),              /* integer */
            round(100 * volt_rng_uniform(&rng)) / 100,           /* two decimals */
        };
        for (int k = 0; k < 5; k++) {
            if (!isfinite(values[k]))
                continue;
            check_round_trip(values[k]);
            char buffer[VOLT_NUMBER_LENGTH];
            volt_format_number(values[k], buffer);
            if (values[k] != 0 && printed_digits(buffer) > min_digits(values[k]))
                fail_msg("%a prints as \"%s\", but %d digits are enough", values[k], buffer,
                         min_digits(values[k]));
        }
    }
}

static void reading_requires_whole_text(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"1", 1},  {" 2.5", 2.5}, {"-3e2 ", -300},     {"\t.5\n", 0.5},
                {"+4", 4}, {"1e-400", 0}, {"1e400", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 7;
        assert_int_equal(volt_parse_number(good[i].text, &value), 1);
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {"",    "  ", "1x", "x1", "1 2", "1,5",
                                      "--1", "e5", ".",  "1e", "one", "0.1.2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7;
        if (volt_parse_number(bad[i], &value))
            fail_msg("\"%s\" reads as %g", bad[i], value);
        assert_true(value == 7);
    }
}

/* Numbers keep their decimal point in a locale with a decimal comma. Only this part depends on the locales
 * of the system. */
static void a_comma_locale_changes_nothing(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                        "de_DE",       "fr_FR",      "it_IT.UTF-8", "es_ES.UTF-8",
                                        "pt_BR.UTF-8", "ru_RU.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (!found)
        return;
    char printed[32];
    snprintf(printed, sizeof printed, "%.1f", 0.5);
    char ours[VOLT_NUMBER_LENGTH];
    volt_format_number(1234.5, ours);
    double value = 0, other = 7;
    int read = volt_parse_number("0.25", &value), read_comma = volt_parse_number("0,25", &other);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(printed, "0,5"); /* the locale is active */
    assert_string_equal(ours, "1234.5");
    assert_int_equal(read, 1);
    assert_true(value == 0.25);
    assert_int_equal(read_comma, 0);
}

static void check_nearest(const char *word, const char *expected)
{
    static const char *const names[] = {"tau", "lambda", "lift", "gamma", "tau_coef", "lambda_coef", "window"};
    const char *nearest = volt_nearest_name(word, names, 7);
    if (!expected)
        assert_null(nearest);
    else if (!nearest)
        fail_msg("nothing is near \"%s\", expected \"%s\"", word, expected);
    else
        assert_string_equal(nearest, expected);
}

static void misspelt_names_find_the_right_one(void **state)
{
    check_nearest("lambda", "lambda");
    check_nearest("lambdaa", "lambda");
    check_nearest("lamda", "lambda");
    check_nearest("lmabda", "lambda"); /* transposition */
    check_nearest("LAMBDA", "lambda");
    check_nearest("lambda-coef", "lambda_coef");
    check_nearest("windw", "window");
    check_nearest("wind", "window");   /* prefix of a name */
    check_nearest("wnidwo", "window"); /* two errors in six letters */
    check_nearest("wxnydo", NULL);     /* three */
    check_nearest("xyz", NULL);
    check_nearest("", NULL);
    check_nearest("completely different", NULL);
    assert_null(volt_nearest_name("tau", NULL, 0));
}

/* The number of insertions, deletions, replacements and exchanges of neighbours, by recursion on the last letters. */
static int distance_by_definition(const char *a, int n, const char *b, int m)
{
    if (n == 0 || m == 0)
        return n + m;
    int best = distance_by_definition(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    int shorter_a = distance_by_definition(a, n - 1, b, m) + 1;
    int shorter_b = distance_by_definition(a, n, b, m - 1) + 1;
    best = shorter_a < best ? shorter_a : best;
    best = shorter_b < best ? shorter_b : best;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        int exchanged = distance_by_definition(a, n - 2, b, m - 2) + 1;
        best = exchanged < best ? exchanged : best;
    }
    return best;
}

/* All pairs of words of up to four letters a, b and c: near if at most about a third of the shorter one is wrong. */
static void near_words_by_definition(void **state)
{
    enum { LETTERS = 3, LONGEST = 4, WORDS = 1 + 3 + 9 + 27 + 81 };
    static char words[WORDS][LONGEST + 1];
    int count = 1;
    for (int from = 0; count < WORDS; from++)
        for (int letter = 0; letter < LETTERS; letter++) {
            strcpy(words[count], words[from]);
            words[count++][strlen(words[from])] = (char)('a' + letter);
        }
    for (int i = 0; i < WORDS; i++)
        for (int j = 1; j < WORDS; j++) {
            const char *candidate = words[j];
            int n = (int)strlen(words[i]), m = (int)strlen(candidate), shorter = n < m ? n : m;
            bool is_near = (n >= 2 && strncmp(words[i], candidate, (size_t)n) == 0) ||
                           3 * distance_by_definition(words[i], n, candidate, m) <= shorter + 2;
            if ((volt_nearest_name(words[i], &candidate, 1) != NULL) != is_near)
                fail_msg("'%s' and '%s'", words[i], candidate);
        }
}

/* Words longer than the distance table must not overflow it. */
static void long_words_are_safe(void **state)
{
    char word[1000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    check_nearest(word, NULL);
    const char *const names[] = {word};
    assert_null(volt_nearest_name("tau", names, 1));
    assert_ptr_equal(volt_nearest_name(word, names, 1), word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(special_values_read_back),
        cmocka_unit_test(random_bit_patterns_read_back_and_are_shortest),
        cmocka_unit_test(reading_requires_whole_text),
        cmocka_unit_test(a_comma_locale_changes_nothing),
        cmocka_unit_test(misspelt_names_find_the_right_one),
        cmocka_unit_test(near_words_by_definition),
        cmocka_unit_test(long_words_are_safe),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
