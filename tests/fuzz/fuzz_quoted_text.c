/* tests/fuzz/fuzz_quoted_text.c: libFuzzer target for the quoting of user texts in program output: HTML
 * pages and plots, shell commands, headers.
 *
 * The lines are names. In a page they contain no tag, quotation mark or control character. A command and a header split into
 * the same names. */
#define _GNU_SOURCE
#include "fuzz/fuzz_input.h"

#include "args/shell_words.h"
#include "files/header_line.h"
#include "files/svg_plot.h"
#include "fuzz/fuzz_lines.h"
#include "volterra.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_BYTES = 1 << 11 };

/* The output of a writer for a text; the caller frees it. */
static char *written(void (*write)(FILE *, const char *), const char *text)
{
    char *made = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    FUZZ_CHECK(stream);
    write(stream, text);
    FUZZ_CHECK(fclose(stream) == 0 && strlen(made) == size);
    return made;
}

static void check_page(const char *text)
{
    char *made = written(html_escape, text);
    for (const char *c = made; *c; c++) {
        FUZZ_CHECK(!strchr("<>\"'", *c) && (unsigned char)*c >= ' ' && *c != 0x7f);
        FUZZ_CHECK(*c != '&' || strchr(c, ';'));
    }
    free(made);
}

/* One word at *at as a shell reads it, into `word`; *at then points behind it. */
static void read_word(const char **at, char *word)
{
    bool is_quoted = false;
    for (; **at && (is_quoted || **at != ' '); (*at)++) {
        if (**at == '\'')
            is_quoted = !is_quoted;
        else if (**at == '\\' && !is_quoted)
            *word++ = *++*at;
        else {
            FUZZ_CHECK(is_quoted || !strchr("|&;<>()$`\"*?[]#~!{}\t\r\n", **at));
            *word++ = **at;
        }
    }
    FUZZ_CHECK(!is_quoted);
    *word = '\0';
    *at += **at == ' ';
}

static void check_command(char *const *names, int count)
{
    shell_words words = {0};
    for (int i = 0; i < count; i++)
        shell_words_add(&words, "--name", names[i]);
    char *line = shell_words_take(&words), *word = malloc(MAX_BYTES + 1);
    FUZZ_CHECK((line || count == 0) && word);
    const char *at = line;
    for (int i = 0; i < count; i++) {
        read_word(&at, word);
        FUZZ_CHECK(strcmp(word, "--name") == 0);
        read_word(&at, word);
        FUZZ_CHECK(strcmp(word, names[i]) == 0);
    }
    free(word);
    free(line);
}

/* Names are cells that were read: without blanks around them, none empty. */
static bool is_name(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && !isspace((unsigned char)text[0]) && !isspace((unsigned char)text[length - 1]) &&
           !strchr(text, '\r');
}

static void check_header(char *const *names, int count)
{
    char *line = NULL, **cells = NULL;
    size_t size = 0;
    int64_t n_cells = 0;
    for (int i = 0; i < count; i++)
        if (!is_name(names[i]))
            return;
    if (count < 2) /* a single cell does not determine the separator */
        return;
    FILE *stream = open_memstream(&line, &size);
    FUZZ_CHECK(stream);
    header_line_print(stream, (const char *const *)names, count);
    FUZZ_CHECK(fclose(stream) == 0);
    FUZZ_CHECK(volt_csv_split_line(line, NULL, &cells, &n_cells) == VOLT_OK && n_cells == count);
    for (int i = 0; i < count; i++)
        FUZZ_CHECK(strcmp(cells[i], names[i]) == 0);
    volt_free(cells);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *names[FUZZ_LINES] = {NULL};
    if (size > MAX_BYTES || memchr(bytes, 0, size))
        return 0;
    int count = fuzz_lines_split(bytes, size, names);
    for (int i = 0; i < count; i++) {
        check_page(names[i]);
    }
    check_command(names, count);
    check_header(names, count);
    fuzz_lines_free(names, count);
    return 0;
}
