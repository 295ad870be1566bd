/* cli/args/shell_words.c: quote words for a shell. */
#include "args/shell_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(shell_words *words, const char *text, size_t length)
{
    if (words->failed)
        return;
    char *grown = realloc(words->text, words->length + length + 1);
    if (!grown) {
        words->failed = true;
        return;
    }
    words->text = grown;
    memcpy(words->text + words->length, text, length);
    words->length += length;
    words->text[words->length] = '\0';
}

/* Inside '...' only the quotation mark is special. It becomes '\''. */
static void append_quoted(shell_words *words, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
    if (*word && !word[strspn(word, plain)]) {
        append(words, word, strlen(word));
        return;
    }
    append(words, "'", 1);
    for (; *word; word++)
        if (*word == '\'')
            append(words, "'\\''", 4);
        else
            append(words, word, 1);
    append(words, "'", 1);
}

static void append_word(shell_words *words, const char *word)
{
    if (words->length > 0)
        append(words, " ", 1);
    append_quoted(words, word);
}

void shell_words_add(shell_words *words, const char *option, const char *value)
{
    if (option)
        append_word(words, option);
    if (value)
        append_word(words, value);
}

void shell_words_add_count(shell_words *words, const char *option, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    shell_words_add(words, option, digits);
}

char *shell_words_take(shell_words *words)
{
    char *text = words->text;
    bool failed = words->failed;
    memset(words, 0, sizeof *words);
    if (failed) {
        free(text);
        return NULL;
    }
    return text;
}
