/* tests/unit/cli/test_drawn_text.c: text in plots and HTML pages is shown literally, never executed or parsed as
 * markup. */
#define _POSIX_C_SOURCE 200809L
#include "base/numbers.h"
#include "files/svg_plot.h"
#include "support/check.h"
#include "text/text.h"
#include "volterra.h"

/* ---- texts ------------------------------------------------------------------------------------ */

enum { MAX_TEXTS = 1200, TEXT_LENGTH = 96 };

typedef struct text_list {
    char texts[MAX_TEXTS][TEXT_LENGTH];
    int count;
} text_list;

/* Every text has a suffix for finding it, since empty texts are not drawn. */
static void add_text(text_list *list, const char *text)
{
    assert_true(list->count < MAX_TEXTS);
    snprintf(list->texts[list->count], TEXT_LENGTH, "%.80s~%d", text, list->count);
    list->count++;
}

/* Texts with special meaning in a shell, SVG or HTML. */
static const char *const pieces[] = {"`touch ran`",
                                     "$(touch ran)",
                                     "@ran",
                                     "@macro",
                                     "system('touch ran')",
                                     "\nsystem('touch ran')\n",
                                     "!touch ran",
                                     "'",
                                     "''",
                                     "\"",
                                     "\\",
                                     "\\n",
                                     "%",
                                     "%s",
                                     "%g",
                                     "%%",
                                     "%1$n",
                                     "{",
                                     "}",
                                     "{/Bold b}",
                                     "^",
                                     "_",
                                     "&",
                                     "&#x",
                                     "&#x1b;",
                                     "&#x3c;",
                                     "&#60;",
                                     "&lt;",
                                     "<",
                                     ">",
                                     "<b>",
                                     "</text>",
                                     "]]>",
                                     "<!--",
                                     "#",
                                     ";",
                                     ",",
                                     " ",
                                     "  ",
                                     "\t",
                                     "\r",
                                     "\n",
                                     "\x1b[31m",
                                     "\x7f",
                                     "\xc2\x9b[J",
                                     "\xff",
                                     "\xc3\xa9",
                                     "\xe6\xbc\xa2",
                                     "\xf0\x9f\x98\x80",
                                     "\\\n",
                                     "END",
                                     "$panel",
                                     "url(#a)",
                                     " id='x'",
                                     "rgb(127,127,127)",
                                     "a"};
enum { N_PIECES = sizeof pieces / sizeof *pieces };

static void collect_texts(text_list *list)
{
    list->count = 0;
    for (int byte = 1; byte < 256; byte++) { /* every byte, by itself and as a prefix */
        char text[] = {(char)byte, '\0'};
        add_text(list, text);
    }
    for (int code = 0x80; code < 0xa0; code++) { /* C1 */
        char text[] = {'\xc2', (char)code, '\0'};
        add_text(list, text);
    }
    for (int i = 0; i < N_PIECES; i++)
        add_text(list, pieces[i]);
    const uint64_t seed = 61;
    print_message("seed %d, stream 0\n", (int)seed);
    volt_rng rng;
    volt_rng_init(&rng, seed, 0);
    while (list->count < MAX_TEXTS) {
        char text[TEXT_LENGTH] = "";
        for (int k = 0; k < 4; k++)
            strcat(text, pieces[volt_rng_word(&rng) % N_PIECES]);
        add_text(list, text);
    }
}

/* ---- plots ------------------------------------------------------------------------------------ */

enum { TITLE, LABEL, TICK, KEY, N_PLACES };

/* Draws one text in one place. Returns the plot. */
static char *draw(const char *text, int place)
{
    char *made = NULL;
    size_t size = 0;
    svg_plot plot = {.width = 3000}; /* no text is shortened */
    svg_panel *panel = svg_add_panel(&plot, "%s", place == TITLE ? text : "");
    if (place == LABEL)
        svg_text(panel->x.label, "%s", text);
    panel->y.texts = place == TICK ? &text : NULL;
    panel->y.n_texts = 1;
    svg_add(svg_add_series(panel, SVG_DOTS, SVG_BLUE, place == KEY ? text : ""), 0, 0, 0);
    FILE *svg = open_memstream(&made, &size);
    assert_non_null(svg);
    assert_int_equal(svg_write_inline(svg, &plot, text), 0);
    assert_int_equal(fclose(svg), 0);
    return made;
}

/* Both read only the necessary bytes: under sanitizers strncmp and strstr scan to the end of the plot. */
static bool begins_with(const char *text, const char *end, const char *word)
{
    return (size_t)(end - text) >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

static const char *find(const char *from, const char *end, const char *word)
{
    while (from && !begins_with(from, end, word))
        from = from < end ? memchr(from + 1, word[0], (size_t)(end - from - 1)) : NULL;
    return from;
}

/* Decodes XML: the five named entities, and numeric references below 128. */
static void decode_xml(const char *from, size_t length, char *to)
{
    static const char *const names[][2] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    const char *end = from + length;
    while (from < end) {
        size_t skipped = 0;
        for (size_t k = 0; k < sizeof names / sizeof *names && !skipped; k++)
            if (begins_with(from, end, names[k][0])) {
                *to++ = *names[k][1];
                skipped = strlen(names[k][0]);
            }
        if (!skipped) {
            if (*from == '&')
                fail_msg("'%.*s' is not XML", (int)length, end - length);
            *to++ = *from;
            skipped = 1;
        }
        from += skipped;
    }
    *to = '\0';
}

/* Returns whether one of the texts of the plot is the expected one, and checks that all are XML. */
static bool has_text(const char *svg, const char *expected)
{
    bool found = false;
    const char *svg_end = svg + strlen(svg);
    for (const char *at = find(svg, svg_end, "<text"); at; at = find(at, svg_end, "<text")) {
        const char *begin = find(at, svg_end, ">"), *end = find(at, svg_end, "</text>");
        char text[8 * TEXT_LENGTH];
        assert_non_null(begin);
        assert_non_null(end);
        assert_true((size_t)(end - begin) < sizeof text);
        decode_xml(begin + 1, (size_t)(end - begin) - 1, text);
        found = found || strcmp(text, expected) == 0;
        at = end;
    }
    return found;
}

static void plots_show_texts_literally(void **state)
{
    (void)state;
    text_list *list = malloc(sizeof *list);
    assert_non_null(list);
    collect_texts(list);
    for (int i = 0; i < list->count; i++)
        for (int place = 0; place < N_PLACES; place++) {
            char expected[TEXT_LENGTH], *svg = draw(list->texts[i], place);
            strcpy(expected, list->texts[i]);
            volt_make_printable(expected);
            if (!has_text(svg, expected))
                fail_msg("'%s' is not drawn (place %d): %s", expected, place, svg);
            free(svg);
        }
    free(list);
}

/* ---- pages ------------------------------------------------------------------------------------ */

static char *escaped(const char *text)
{
    char *made = NULL;
    size_t size = 0;
    FILE *html = open_memstream(&made, &size);
    assert_non_null(html);
    html_escape(html, text);
    assert_int_equal(fclose(html), 0);
    return made;
}

static void html_has_no_markup(void **state)
{
    static const char *const pairs[][2] = {
        {"a<b & c>d", "a&lt;b &amp; c&gt;d"},   {"\"x\" onload='y'", "&quot;x&quot; onload=&#39;y&#39;"},
        {"<script>", "&lt;script&gt;"},         {"&lt;", "&amp;lt;"},
        {"\x1b[31m\xc2\x9b\x7f\n", "?[31m???"}, {"\xc3\xa9 \xe6\xbc\xa2", "\xc3\xa9 \xe6\xbc\xa2"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *made = escaped(pairs[i][0]);
        assert_string_equal(made, pairs[i][1]);
        free(made);
    }
    for (int byte = 1; byte < 256; byte++) {
        char text[] = {'a', (char)byte, 'b', '\0'};
        char *made = escaped(text);
        if (strpbrk(made, "<>\"'") || (strchr(made, '&') && !strchr(made, ';')))
            fail_msg("byte %d is markup in %s", byte, made);
        if (byte >= 0x20 && byte < 0x7f && !strchr("<>\"'&", byte))
            assert_string_equal(made, text);
        free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plots_show_texts_literally),
        cmocka_unit_test(html_has_no_markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
