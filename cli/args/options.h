/* cli/args/options.h: the options of a command as one table, which both the parser and the help text read.
 *
 * A command keeps its arguments in a struct whose first member is `common_arguments`; every row of its
 * table says where in that struct the value goes. Defaults stand in the table as text and are read by the
 * parser itself, so the help cannot promise another one. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "args/choices.h"
#include "args/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_POSITIONAL, /* const char *; the argument without a name */
    OPTION_COUNT,      /* int64_t, at least `least` */
    OPTION_POSITIVE,   /* double, above 0 */
    OPTION_CHOICE,     /* int, the value of one of `choices` */
    OPTION_SEED,       /* seed_value */
    OPTION_ROWS,       /* row_range */
    OPTION_NUMBERS,    /* number_list */
    OPTION_DURATION,   /* double, in seconds */
    OPTION_TEXTS       /* text_list; may be given several times, each time with several words */
} option_kind;

typedef struct seed_value {
    bool given;
    uint64_t value;
} seed_value;

/* Rows start <= t < stop; a negative end counts from the last row, as in Python. */
typedef struct row_range {
    bool given, has_start, has_stop;
    int64_t start, stop;
    const char *text;
} row_range;

enum { NUMBER_LIST_CAPACITY = 8 };
typedef struct number_list {
    int count;
    double values[NUMBER_LIST_CAPACITY];
} number_list;

/* Words of the command line, which own nothing but their list: free it with text_list_free. */
typedef struct text_list {
    int64_t count;
    const char **texts;
} text_list;

typedef struct common_arguments {
    bool json, quiet;
    int64_t threads;    /* 0: not given */
    const char *device; /* NULL: not given */
    seed_value seed;
} common_arguments;

typedef struct option {
    const char *name;         /* long name without dashes; for a positional argument what the help calls it */
    const char *argument;     /* what the help calls the value */
    const choice *choices;    /* OPTION_CHOICE */
    const char *fallback;     /* (optional) the default as text */
    const char *meaning;      /* one sentence without a full stop; names_expand puts `names` into it */
    name_list (*names)(void); /* (optional) what may be given, of a table */
    size_t offset;            /* of the value in the command's struct */
    int64_t least;            /* OPTION_COUNT */
    option_kind kind;
    char letter; /* short name, or 0 */
    char form;   /* of a command with two forms: 1 or 2, the one it belongs to; 0: to both */
    bool required;
    char required_form; /* required in that form alone; 0: wherever it belongs */
} option;

typedef struct option_table {
    const option *options;
    int count;
} option_table;

/* A default that is a macro, in the text of the help. */
#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

#define OPTION_TABLE(array)                                \
    {                                                      \
        (array), (int)(sizeof(array) / sizeof((array)[0])) \
    }

/* The options that every command has. */
extern const option_table common_options;

/* Fill `arguments` from the defaults of the table and from argv[0 .. argc-1] (what is neither there nor
 * here stays as the caller set it), and put the common options into effect. Returns 0, or the exit status
 * after saying what is wrong. */
int options_parse(const option_table *table, int argc, char *const *argv, void *arguments);

/* What an option means, with the names that it may be given, into `text`; returns it. */
enum { MEANING_LENGTH = 512 };
char *option_meaning(const option *row, char text[MEANING_LENGTH]);

void text_list_free(text_list *list);

/* Does --help stand among the arguments? */
bool options_ask_help(int argc, char *const *argv);

#endif
