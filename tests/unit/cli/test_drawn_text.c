/* tests/unit/cli/test_drawn_text.c: text in plots and HTML pages is shown literally, never executed or parsed as
 * markup. */
#define _POSIX_C_SOURCE 200809L
#include "base/numbers.h"
#include "files/gnuplot_text.h"
#include "page/page_frame.h"
#include "support/check.h"
#include "support/scratch.h"
#include "text/text.h"
#include "volterra.h"

#include <ctype.h>

/* ---- texts ------------------------------------------------------------------------------------ */

enum { MAX_TEXTS = 1200, TEXT_LENGTH = 96 };

typedef struct text_list {
    char texts[MAX_TEXTS][TEXT_LENGTH];
    int count;
} text_list;

/* Every text has a suffix for finding it, since gnuplot omits empty texts. */
static void add_text(text_list *list, const char *text)
{
    assert_true(list->count < MAX_TEXTS);
    snprintf(list->texts[list->count], TEXT_LENGTH, "%.80s~%d", text, list->count);
    list->count++;
}

/* Texts with special meaning in gnuplot, a shell, SVG or HTML. */
static const char *const pieces[] = {"`touch ran`",
                                     "$(touch ran)",
                                     "@ran",
                                     "@GPVAL_VERSION",
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

/* As many texts as one plot holds, in every position where scripts have a text. */
enum { LABELS, TICKS, AXIS, KEY, N_PLACES };

static void write_script(FILE *script, const text_list *list, int place)
{
    fputs("set encoding utf8\nset terminal svg noenhanced size 900,700\nran = 'EXPANDED'\n"
          "set samples 2\nset xrange [0:2000]\nset yrange [0:1]\nunset xtics\nunset ytics\nunset key\n",
          script);
    static const char *const begin[] = {"", "set xtics (", "set multiplot\n", "set multiplot\nset key\n"};
    static const char *const end[] = {"plot 0\n", ")\nplot 0\n", "unset multiplot\n", "unset multiplot\n"};
    fputs(begin[place], script);
    for (int i = 0; i < list->count; i++)
        switch (place) {
        case LABELS:
            fprintf(script, "set label %d ", i + 1);
            gnuplot_text(script, list->texts[i]);
            fprintf(script, " at %d,0.5\n", i);
            break;
        case TICKS:
            fputs(i ? ", " : "", script);
            gnuplot_tick(script, list->texts[i]);
            fprintf(script, " %d", i);
            break;
        case AXIS:
            fputs("set xlabel ", script);
            gnuplot_text(script, list->texts[i]);
            fputs(" offset 0,0.5 textcolor rgb '#808080'\nplot 0\n", script);
            break;
        default:
            fputs("plot 0 notitle, keyentry with lines title ", script);
            gnuplot_text(script, list->texts[i]);
            fputc('\n', script);
        }
    fputs(end[place], script);
}

/* Runs gnuplot in the scratch directory, where injected commands could create a file. Returns the plot. */
static char *draw(const text_list *list, int place)
{
    char command[512];
    FILE *script = fopen(scratch_path("script"), "wb");
    assert_non_null(script);
    write_script(script, list, place);
    assert_int_equal(fclose(script), 0);
    snprintf(command, sizeof command, "cd '%s' && gnuplot -d <script >picture.svg 2>words",
             scratch_directory());
    int status = system(command);
    char *words = scratch_read(scratch_path("words"), NULL);
    if (status != 0)
        fail_msg("gnuplot fails: %s", words ? words : "");
    free(words);
    return scratch_read(scratch_path("picture.svg"), NULL);
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
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#x26;", "&"}};
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

/* Decodes all texts of the plot in order and checks that the listed ones are among them. */
static void check_picture(const text_list *list, int place, const char *svg)
{
    bool found[MAX_TEXTS] = {false};
    const char *svg_end = svg + strlen(svg);
    for (const char *at = find(svg, svg_end, "<text"); at; at = find(at, svg_end, "<text")) {
        const char *begin = find(at, svg_end, ">"), *end = find(at, svg_end, "</text>");
        assert_non_null(begin);
        assert_non_null(end);
        char *text = malloc((size_t)(end - begin) + 1);
        assert_non_null(text);
        decode_xml(begin + 1, (size_t)(end - begin) - 1, text);
        const char *mark = strrchr(text, '~');
        int number = mark ? atoi(mark + 1) : -1;
        if (number < 0 || number >= list->count)
            fail_msg("gnuplot draws '%s', which was not given", text);
        char expected[TEXT_LENGTH];
        strcpy(expected, list->texts[number]);
        volt_make_printable(expected);
        if (strcmp(text, expected) != 0)
            fail_msg("'%s' is drawn as '%s' (place %d)", expected, text, place);
        found[number] = true;
        free(text);
        at = end;
    }
    for (int i = 0; i < list->count; i++)
        if (!found[i])
            fail_msg("'%s' is not drawn (place %d)", list->texts[i], place);
}

static void gnuplot_executes_no_commands(void **state)
{
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        print_message("there is no gnuplot\n");
        skip();
    }
    text_list *list = malloc(sizeof *list);
    assert_non_null(list);
    collect_texts(list);
    for (int place = 0; place < N_PLACES; place++) {
        char *svg = draw(list, place);
        char *ran = scratch_read(scratch_path("ran"), NULL);
        if (ran)
            fail_msg("a text of a picture ran a command (place %d)", place);
        assert_non_null(svg);
        check_picture(list, place, svg);
        free(svg);
    }
    free(list);
}

/* The script without gnuplot: a string literal that cannot be left. */
static void quoted_texts_are_plain(void **state)
{
    text_list *list = malloc(sizeof *list);
    assert_non_null(list);
    collect_texts(list);
    for (int i = 0; i < 2 * list->count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *script = open_memstream(&text, &size);
        assert_non_null(script);
        (i % 2 ? gnuplot_tick : gnuplot_text)(script, list->texts[i / 2]);
        assert_int_equal(fclose(script), 0);
        assert_true(size >= 2 && text[0] == '"' && text[size - 1] == '"');
        for (size_t k = 1; k + 1 < size; k++) {
            unsigned char byte = (unsigned char)text[k];
            bool is_number = byte == '\\' && strspn(text + k + 1, "01234567") == 3;
            if (!is_number && byte != ' ' && byte < 0x80 && !isalpha(byte))
                fail_msg("character %zu of %s is not plain", k, text);
            k += is_number ? 3 : 0;
        }
        free(text);
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

/* A plot in a page: its tags are changed, its texts are not. */
static void plot_texts_are_preserved(void **state)
{
    static const char svg[] = "<?xml version=\"1.0\"?>\n<svg width=\"5\" viewBox=\"0 0 5 "
                              "5\">\n<title>Gnuplot</title>\n<desc>made by x</desc>\n"
                              "<g id=\"one\"><use xlink:href='#mark' color=\"rgb(127, 127, 127)\"/>\n"
                              "<text fill=\"rgb(128,128,128)\">url(#a) id='x' href='#y' rgb(127,127,127) 2 > 1 "
                              "rgb(128,128,128)</text></g></svg>";
    static const char expected[] =
        "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 5 5\" aria-label=\"&lt;b&gt;\">\n\n\n"
        "<g id=\"p-one\"><use xlink:href='#p-mark' color=\"var(--ink)\"/>\n"
        "<text fill=\"var(--soft)\">url(#a) id='x' href='#y' rgb(127,127,127) 2 > 1 "
        "rgb(128,128,128)</text></g></svg>";
    char *made = NULL;
    size_t size = 0;
    FILE *html = open_memstream(&made, &size);
    assert_non_null(html);
    inline_svg_write(html, svg, "p-", "<b>");
    assert_int_equal(fclose(html), 0);
    assert_string_equal(made, expected);
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gnuplot_executes_no_commands),
        cmocka_unit_test(quoted_texts_are_plain),
        cmocka_unit_test(html_has_no_markup),
        cmocka_unit_test(plot_texts_are_preserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
