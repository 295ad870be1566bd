/* tests/unit/base/test_json.c: JSON parsing and printing against Jansson's reader, and allocation failures. */
#include "base/json.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "support/check.h"
#include "support/failing_alloc.h"

enum { SEED = 20240611, DOCUMENTS = 400, MUTATIONS = 25 };

/* ---- random documents ------------------------------------------------------------------------- */

static int below(volt_rng *rng, int count)
{
    return (int)(volt_rng_word(rng) % (uint64_t)count);
}

/* A text with a length around buffer sizes and all characters that need an escape. */
static json_t *random_string(volt_rng *rng)
{
    static const char *const pieces[] = {
        "a", "volterra",         "\"",           "\\", "/", "\n", "\t", "\b", "\x01", "é",
        "€", "\xf0\x9d\x84\x9e", "0.1234567890", " "};
    char text[256] = "";
    for (int i = below(rng, 20); i > 0; i--)
        strcat(text, pieces[below(rng, (int)(sizeof pieces / sizeof pieces[0]))]);
    return json_string(text);
}

static json_t *random_value(volt_rng *rng, int depth)
{
    json_t *nest = NULL;
    switch (below(rng, depth > 0 ? 8 : 6)) {
    case 0:
        return json_integer((json_int_t)(volt_rng_word(rng) >> below(rng, 64)));
    case 1:
        return json_integer(-(json_int_t)(volt_rng_word(rng) >> (1 + below(rng, 63))));
    case 2:
        return json_real(volt_rng_normal(rng) * (below(rng, 2) ? 1e200 : 1e-200));
    case 3:
        return below(rng, 2) ? json_true() : json_false();
    case 4:
        return json_null();
    case 5:
        return random_string(rng);
    case 6:
        nest = json_array();
        for (int i = below(rng, 5); i > 0; i--)
            assert_int_equal(json_array_append_new(nest, random_value(rng, depth - 1)), 0);
        return nest;
    default:
        nest = json_object();
        for (int i = below(rng, 5); i > 0; i--) {
            json_t *key = random_string(rng);
            assert_int_equal(json_object_set_new(nest, json_string_value(key), random_value(rng, depth - 1)),
                             0);
            json_decref(key);
        }
        return nest;
    }
}

/* The text of a value in one of Jansson's styles, to be freed. */
static char *random_text(volt_rng *rng, const json_t *value)
{
    static const size_t styles[] = {0, JSON_COMPACT, JSON_INDENT(3), JSON_ENSURE_ASCII, JSON_ESCAPE_SLASH};
    char *text = json_dumps(value, JSON_ENCODE_ANY | styles[below(rng, 5)]);
    assert_non_null(text);
    return text;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void reads_what_jansson_writes(void **state)
{
    volt_rng rng;
    volt_rng_init(&rng, SEED, 0);
    print_message("seed %d\n", SEED);
    for (int i = 0; i < DOCUMENTS; i++) {
        json_t *value = random_value(&rng, 4), *read = NULL, *again = NULL;
        char *text = random_text(&rng, value), *own = NULL;
        check_ok(volt_json_parse(text, (int64_t)strlen(text), &read));
        assert_true(json_equal(value, read));
        check_ok(volt_json_text(read, &own));
        check_ok(volt_json_parse(own, (int64_t)strlen(own), &again));
        assert_true(json_equal(value, again));
        volt_free(own);
        free(text);
        json_decref(again);
        json_decref(read);
        json_decref(value);
    }
}

/* Arbitrary bytes: both readers accept them with the same value, or both reject them. */
static void agrees_with_jansson_on_damaged_texts(void **state)
{
    static const char likely[] = "\"\\{}[]:,.-+eEu0179tfn \n\xc3\xff";
    volt_rng rng;
    volt_rng_init(&rng, SEED, 1);
    int accepted = 0, refused = 0;
    for (int i = 0; i < DOCUMENTS * MUTATIONS; i++) {
        json_t *value = random_value(&rng, 3);
        char *text = random_text(&rng, value);
        size_t size = strlen(text);
        for (int m = 1 + below(&rng, 2); m > 0; m--)
            text[below(&rng, (int)size)] = likely[below(&rng, (int)sizeof likely - 1)];
        if (below(&rng, 4) == 0)
            size = (size_t)below(&rng, (int)size + 1);
        json_t *theirs = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL), *ours = NULL;
        volt_status status = volt_json_parse(text, (int64_t)size, &ours);
        if (!theirs != (status != VOLT_OK) || (theirs && !json_equal(theirs, ours)))
            fail_msg("Jansson %s, and we: %s: %.*s", theirs ? "reads it" : "does not read it",
                     status ? volt_error_detail() : "read it", (int)size, text);
        accepted += theirs != NULL;
        refused += theirs == NULL;
        assert_true(theirs || (status == VOLT_ERR_FORMAT && !ours));
        json_decref(ours);
        json_decref(theirs);
        json_decref(value);
        free(text);
    }
    assert_true(accepted > DOCUMENTS && refused > DOCUMENTS);
}

static void check_refused(const char *text, const char *sentence)
{
    json_t *value = NULL;
    check_fails(volt_json_parse(text, (int64_t)strlen(text), &value), VOLT_ERR_FORMAT, sentence);
    assert_null(value);
}

/* Code points next to the surrogates, and the first and last surrogate pair. */
static void escapes_of_every_length(void **state)
{
    static const char text[] = "\"\\u0041\\u00e9\\ud7ff\\ue000\\ud800\\udc00\\udbff\\udfff\"";
    json_t *value = NULL;
    check_ok(volt_json_parse(text, sizeof text - 1, &value));
    assert_string_equal(json_string_value(value), "A\xc3\xa9\xed\x9f\xbf\xee\x80\x80"
                                                  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    json_decref(value);
}

static void errors_report_position_and_reason(void **state)
{
    check_refused("", "line 1, column 1: the text ends too early");
    check_refused("{\n  \"a\": 1,\n  \"a\": 2}", "line 3, column 6: a duplicate name");
    check_refused("[1, 2", "line 1, column 6: ',' or ']' is missing");
    check_refused("{\"a\" 1}", "':' is missing");
    check_refused("{a: 1}", "a name in quotes is missing");
    check_refused("[01]", "',' or ']' is missing");
    check_refused("[1.]", "a digit is missing");
    check_refused("[1e400]", "a number too large for a double");
    check_refused("[9223372036854775808]", "an integer too large for 64 bits");
    check_refused("\"a", "not closed");
    check_refused("\"a\nb\"", "a control character");
    check_refused("\"\\x\"", "escape");
    check_refused("\"\\u12g4\"", "four hexadecimal digits");
    check_refused("\"\\ud834 \"", "half of a surrogate pair");
    check_refused("\"\\udd1e\"", "half of a surrogate pair");
    check_refused("\"\\ud800\\udbff\"", "half of a surrogate pair");
    check_refused("\"\\udbff\\ue000\"", "half of a surrogate pair");
    check_refused("\"\\u0000\"", "\\u0000");
    check_refused("\"\xff\"", "not UTF-8");
    check_refused("true false", "line 1, column 6: text after the value");
    check_refused("nul", "a value is missing");
}

static void depth_is_bounded(void **state)
{
    enum { FINE = 64, MANY = 100000 };
    char *text = malloc(2 * MANY);
    assert_non_null(text);
    memset(text, '[', FINE);
    memset(text + FINE, ']', FINE);
    json_t *value = NULL;
    check_ok(volt_json_parse(text, 2 * FINE, &value));
    json_decref(value);
    value = NULL;
    memset(text, '[', MANY);
    memset(text + MANY, ']', MANY);
    check_fails(volt_json_parse(text, 2 * MANY, &value), VOLT_ERR_FORMAT, "deep");
    free(text);
}

/* Every allocation of the library fails in turn. Those of Jansson fail in tests/faults. */
static void every_allocation_may_fail(void **state)
{
    static const char text[] =
        "{\"kernel\": \"volterra:tau=0.3\", \"folds\": [0.1234567890123456, 2], \"n\": null}";
    volt_status status = VOLT_ERR_MEMORY;
    for (int64_t k = 1; status != VOLT_OK; k++) {
        json_t *value = NULL;
        char *written = NULL;
        failing_alloc_start(k);
        status = volt_json_parse(text, sizeof text - 1, &value);
        if (status == VOLT_OK)
            status = volt_json_text(value, &written);
        assert_true(status == VOLT_OK ? !failing_alloc_hit()
                                      : status == VOLT_ERR_MEMORY && failing_alloc_hit());
        volt_free(written);
        json_decref(value);
        assert_int_equal(failing_alloc_live(), 0);
        failing_alloc_stop();
        assert_true(k < 100);
    }
    char *none = NULL;
    check_fails(volt_json_text(NULL, &none), VOLT_ERR_MEMORY, "memory");
}

/* Jansson uses the allocator set by the application: its blocks must not be passed to another free(). */
static int their_blocks;

static void *their_malloc(size_t size)
{
    char *block = malloc(size + 64);
    their_blocks += block != NULL;
    /* cppcheck-suppress memleak ; their_free has the block again */
    return block ? block + 64 : NULL; /* free() would crash on it */
}

static void their_free(void *block)
{
    if (!block)
        return;
    their_blocks--;
    free((char *)block - 64);
}

static void does_not_change_jansson_allocator(void **state)
{
    json_malloc_t malloc_before, malloc_after;
    json_free_t free_before, free_after;
    json_get_alloc_funcs(&malloc_before, &free_before);
    json_set_alloc_funcs(their_malloc, their_free);
    json_t *value = NULL;
    char *text = NULL;
    volt_text_buffer quoted = {0};
    check_ok(volt_json_parse("[\"a\", 1, {\"b\": 2.5}]", 20, &value));
    check_ok(volt_json_text(value, &text));
    assert_string_equal(text, "[\"a\",1,{\"b\":2.5}]");
    check_ok(volt_json_quote(&quoted, "say \"a\""));
    assert_string_equal(quoted.bytes, "\"say \\\"a\\\"\"");
    volt_free(quoted.bytes);
    volt_free(text);
    json_decref(value);
    json_get_alloc_funcs(&malloc_after, &free_after);
    json_set_alloc_funcs(malloc_before, free_before);
    assert_true(malloc_after == their_malloc && free_after == their_free);
    assert_int_equal(their_blocks, 0);
}

static void quoting_rejects_invalid_utf8(void **state)
{
    volt_text_buffer quoted = {0};
    check_fails(volt_json_quote(&quoted, "a\xff"), VOLT_ERR_ARGUMENT, "UTF-8");
    volt_free(quoted.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_jansson_writes),
        cmocka_unit_test(agrees_with_jansson_on_damaged_texts),
        cmocka_unit_test(escapes_of_every_length),
        cmocka_unit_test(errors_report_position_and_reason),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(does_not_change_jansson_allocator),
        cmocka_unit_test(quoting_rejects_invalid_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
