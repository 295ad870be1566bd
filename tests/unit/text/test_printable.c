/* tests/unit/text/test_printable.c: text from files is printed without terminal control sequences. */
#include "base/error.h"
#include "base/numbers.h"
#include "io/file/text_lines.h"
#include "support/check.h"
#include "text/text.h"

/* Encodes a code point in UTF-8; returns its length. */
static size_t encode(uint32_t code, char bytes[5])
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    memset(bytes, 0, 5);
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(length == 1 ? code : (0xf00u >> length & 0xff) | code);
    return length;
}

static void every_character(void **state)
{
    char bytes[5], shown[VOLT_CHARACTER_LENGTH];
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code == 0xd800)
            code = 0xe000; /* surrogates are not characters */
        size_t length = encode(code, bytes);
        bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
        size_t step = volt_show_character(bytes, length, shown);
        if (step != length || strcmp(shown, is_control ? "?" : bytes) != 0)
            fail_msg("U+%04X takes %zu of %zu bytes and is shown as '%s'", code, step, length, shown);
        /* A truncated sequence is invalid UTF-8: one byte at a time. */
        if (length > 1 && (volt_show_character(bytes, length - 1, shown) != 1 || strcmp(shown, "?") != 0))
            fail_msg("U+%04X without its last byte is shown as '%s'", code, shown);
    }
    assert_int_equal(volt_show_character("a", 0, shown), 0);
    assert_string_equal(shown, "");
}

/* Length of a character by the table of RFC 3629, section 4; 0: none. */
static size_t length_by_table(const unsigned char *bytes, size_t available)
{
    static const struct {
        unsigned char first, last, low, high; /* first byte, second byte; the others are 80..bf */
        size_t length;
    } rows[] = {{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        size_t length = rows[r].length;
        if (bytes[0] < rows[r].first || bytes[0] > rows[r].last)
            continue;
        bool valid =
            length <= available && (length < 2 || (bytes[1] >= rows[r].low && bytes[1] <= rows[r].high));
        for (size_t i = 2; i < length; i++)
            valid = valid && bytes[i] >= 0x80 && bytes[i] <= 0xbf;
        return valid ? length : 0;
    }
    return 0;
}

static void every_first_and_second_byte(void **state)
{
    static const unsigned char ends[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
    unsigned char bytes[4];
    assert_int_equal(volt_utf8_length("a", 0), 0);
    for (unsigned pair = 0; pair < 0x10000; pair++)
        for (unsigned k = 0; k < sizeof ends * sizeof ends; k++)
            for (size_t available = 1; available <= 4; available++) {
                bytes[0] = (unsigned char)(pair >> 8);
                bytes[1] = (unsigned char)pair;
                bytes[2] = ends[k / sizeof ends];
                bytes[3] = ends[k % sizeof ends];
                if (volt_utf8_length((const char *)bytes, available) != length_by_table(bytes, available))
                    fail_msg("%02x %02x %02x %02x, %zu bytes", bytes[0], bytes[1], bytes[2], bytes[3],
                             available);
            }
}

/* Whether the text contains control characters or invalid UTF-8. This does not use the functions under test:
 * a UTF-8 byte in the first half of 0x80..0xbf is a control character only after 0xc2. */
static bool is_harmless(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0))
            return false;
    return volt_is_utf8(text, strlen(text));
}

static void whole_texts_of_random_bytes(void **state)
{
    const uint64_t seed = 29;
    print_message("seed %d, stream 0\n", (int)seed);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    /* A small set of bytes of many kinds, so that characters of every length occur. */
    static const char alphabet[] = "a \x1b[\n\x7f\xc2\x9b\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\xff\x80";
    for (int i = 0; i < 20000; i++) {
        char text[32], again[32], cut[VOLT_EXCERPT_LENGTH];
        size_t length = volt_rng_word(&rng) % (sizeof text - 1);
        for (size_t k = 0; k < length; k++)
            text[k] = alphabet[volt_rng_word(&rng) % (sizeof alphabet - 1)];
        text[length] = '\0';
        assert_true(is_harmless(volt_excerpt(text, length, cut)));
        assert_ptr_equal(volt_make_printable(text), text);
        assert_true(strlen(text) <= length);
        assert_true(is_harmless(text));
        assert_string_equal(text, cut); /* short texts are not truncated, and have one printed form */
        strcpy(again, text);
        assert_string_equal(volt_make_printable(again), text);
    }
}

static void known_texts(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"plain text, 100 %", "plain text, 100 %"},
        {"red \x1b[31m", "red ?[31m"},
        {"csi \xc2\x9b"
         "31m",
         "csi ?31m"},
        {"two\r\nlines\t", "two??lines?"},
        {"\x7f", "?"},
        {"Temp\xc3\xa9rature \xe6\xbc\xa2 \xc2\xa0", "Temp\xc3\xa9rature \xe6\xbc\xa2 \xc2\xa0"},
        {"Latin-1 \xe9", "Latin-1 ?"},
        {"\xe6\xbc", "??"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[64];
        strcpy(text, pairs[i][0]);
        assert_string_equal(volt_make_printable(text), pairs[i][1]);
    }
}

static void error_messages_are_printable(void **state)
{
    volt_fail(VOLT_ERR_IO, "no column '%s'", "a\x1b]0;title\x07");
    assert_string_equal(volt_error_detail(), "no column 'a?]0;title?'");
    volt_fail_prefix(VOLT_ERR_IO, "file %s",
                     "b\xc2\x9b"
                     "2J\n");
    assert_string_equal(volt_error_detail(), "file b?2J?: no column 'a?]0;title?'");
    /* Messages are truncated at a byte; an incomplete last character is removed. */
    char text[3000];
    for (int offset = 0; offset < 3; offset++) {
        memset(text, 'x', sizeof text);
        for (size_t i = (size_t)offset; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xe6\xbc\xa2", 3);
        text[sizeof text - 1] = '\0';
        volt_fail(VOLT_ERR_IO, "%s", text);
        assert_true(is_harmless(volt_error_detail()));
        volt_fail_prefix(VOLT_ERR_IO, "prefix");
        assert_true(is_harmless(volt_error_detail()));
        volt_fail_prefix(VOLT_ERR_IO, "%s", text);
        assert_true(is_harmless(volt_error_detail()));
    }
}

static void keep_message(volt_log_level level, const char *message, void *context)
{
    (void)level;
    strcpy(context, message);
}

static void log_messages(void **state)
{
    char message[64] = "";
    volt_set_log(keep_message, message);
    volt_log(VOLT_LOG_WARNING, "column %s", "\x1b[5m\xc2\x9b");
    volt_set_log(NULL, NULL);
    assert_string_equal(message, "column ?[5m?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character), cmocka_unit_test(whole_texts_of_random_bytes),
        cmocka_unit_test(known_texts),     cmocka_unit_test(error_messages_are_printable),
        cmocka_unit_test(log_messages),    cmocka_unit_test(every_first_and_second_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
