/* cli/args/shell_words.h: build a command line with shell quoting. */
#ifndef CLI_SHELL_WORDS_H
#define CLI_SHELL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with {0}. */
typedef struct shell_words {
    char *text;
    size_t length;
    bool failed; /* out of memory */
} shell_words;

/* Appends an option and its value, quoted where necessary. Either may be NULL. */
void shell_words_add(shell_words *words, const char *option, const char *value);
void shell_words_add_count(shell_words *words, const char *option, int64_t value);

/* Returns the command line, to be freed, or NULL when out of memory. */
char *shell_words_take(shell_words *words);

#endif
