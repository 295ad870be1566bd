/* cli/args/shell_words.h: a command line as text that a shell reads back as the same words. */
#ifndef CLI_SHELL_WORDS_H
#define CLI_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {0}. */
typedef struct shell_words {
    char *text;
    size_t length, capacity;
    bool failed; /* memory ran out */
} shell_words;

/* Append an option and its value, either of which may be NULL; in quotation marks where a shell needs them. */
void shell_words_add(shell_words *words, const char *option, const char *value);
void shell_words_add_count(shell_words *words, const char *option, int64_t value);

/* The line, to be freed; NULL when memory ran out. */
char *shell_words_take(shell_words *words);

#endif
