/* cli/args/options.h: the options of a command as one table.
 *
 * A command keeps its arguments in a struct whose first member is `common_arguments`. Each option is one row of the
 * command's table, and everything else is made from the row: the parser, --help, completion, the man page, the site's
 * reference and the sentence of the Python parameter (scripts/option_texts.py).
 *
 *     #define ROW(...) OPTION(fit_arguments, __VA_ARGS__)
 *     ROW("alpha", "A", alpha, "regularisation strength", .unset = "chosen on held-out rows"),
 *     ROW("folds", "K", folds, "validation blocks", .range = AT_LEAST(1), .fallback = "5"),
 *
 * The type of the member decides how the value is read. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "args/choices.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_COUNT,   /* int64_t in `range`; without one, at least 0 */
    OPTION_NUMBER,  /* double in `range`; without one, positive */
    OPTION_CHOICE,  /* int, the value of one of `choices` */
    OPTION_SEED,    /* seed_value */
    OPTION_ROWS,    /* row_range */
    OPTION_NUMBERS, /* number_list; each number in `range`, if there is one */
    OPTION_TEXTS,   /* text_list; may be given several times, each time with several words */
    OPTION_HEADING, /* no option: title of the rows that follow */
    OPTION_GROUP    /* no option: the rows of another table */
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

/* Allowed values. All zero: the default of the kind. */
typedef struct value_range {
    double low, high;
    bool excludes_low, excludes_high;
} value_range;
#define AT_LEAST(least)                 \
    {                                   \
        (least), HUGE_VAL, false, false \
    }
#define WITHIN(least, most)           \
    {                                 \
        (least), (most), false, false \
    }
#define BETWEEN(low, high)        \
    {                             \
        (low), (high), true, true \
    }
#define ABOVE_TO(low, most)        \
    {                              \
        (low), (most), true, false \
    }

typedef struct option_table option_table;

typedef struct option {
    const char *name;      /* long name without dashes; of a positional argument, its name in the help */
    const char *argument;  /* name of the value in the help */
    const char *meaning;   /* noun phrase without a full stop; names_expand puts `names` into it */
    const char *fallback;  /* (optional) default, read by the parser */
    const char *unset;     /* (optional) what happens without the option, for the help */
    const char *python;    /* (optional) corresponding parameter; NULL: the name with underscores, "": none */
    const char *heading;   /* set by options_expand */
    const choice *choices; /* OPTION_CHOICE */
    name_list (*names)(void);  /* (optional) possible values */
    const option_table *table; /* OPTION_GROUP */
    size_t offset;             /* of the value in the command's struct */
    value_range range;
    option_kind kind;
    char letter;        /* short name, or 0 */
    char form;          /* of a command with two forms: 1 or 2; 0: both */
    char required_form; /* required in that form only; 0: in every form */
    bool required;
    bool is_positional; /* given without its name */
    bool is_duration;   /* OPTION_NUMBER: 90s, 3min, 2h */
} option;

struct option_table {
    const option *options;
    int count;
};

/* One row: OPTION(struct, name, argument, member, meaning, further fields ...). */
#define OPTION(type, long_name, value, member, ...)                                            \
    {                                                                                          \
        .name = (long_name), .argument = (value), .kind = OPTION_KIND_OF(((type *)0)->member), \
        .offset = offsetof(type, member), .meaning = __VA_ARGS__                               \
    }
#define OPTION_KIND_OF(member) \
    _Generic((member),               \
        bool: OPTION_FLAG,           \
        const char *: OPTION_TEXT,   \
        int64_t: OPTION_COUNT,       \
        double: OPTION_NUMBER,       \
        int: OPTION_CHOICE,          \
        seed_value: OPTION_SEED,     \
        row_range: OPTION_ROWS,      \
        number_list: OPTION_NUMBERS, \
        text_list: OPTION_TEXTS)

/* The rows of a shared table, whose struct is a member of the command's: GROUP(struct, member, &table, ...). */
#define GROUP(type, member, ...)                                                     \
    {                                                                                \
        .kind = OPTION_GROUP, .offset = offsetof(type, member), .table = __VA_ARGS__ \
    }
#define HEADING(title)                          \
    {                                           \
        .kind = OPTION_HEADING, .name = (title) \
    }

#define OPTION_TABLE(array)                                \
    {                                                      \
        (array), (int)(sizeof(array) / sizeof((array)[0])) \
    }

/* Meaning of --kernel in several commands. */
#define KERNEL_MEANING "kernel; see volterra help kernels"

/* A macro's value as text. */
#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

/* The options that every command has. */
extern const option_table common_options;

/* The options of a table with those of its groups and, `with_common`, those of every command; returns their number. */
enum { MOST_OPTIONS = 80 };
int options_expand(const option_table *table, bool with_common, option rows[MOST_OPTIONS]);

/* Fills `arguments` from the defaults of the table and from argv[0 .. argc-1], and applies the common options. Members
 * without a default keep the caller's value. Returns 0, or the exit status after an error message. */
int options_parse(const option_table *table, int argc, char *const *argv, void *arguments);

/* The help text of an option: its meaning with the possible names filled in, and the same with range and default. */
enum { MEANING_LENGTH = 640 };
char *option_meaning(const option *row, char text[MEANING_LENGTH]);
char *option_help(const option *row, char text[MEANING_LENGTH]);
/* "positive" or "at least 1"; empty: any value. */
char *option_range(const option *row, char text[MEANING_LENGTH]);
/* "FILE" or "first|second|third"; NULL: the option has no value. */
const char *option_value_name(const option *row, char text[CHOICES_LENGTH]);

/* Reads a positive time: a number of seconds, or numbers with units (d, h, m, s, min, hours, ...), larger units first, such
 * as "90s", "3 min" or "1h30m". False, and *seconds unchanged, for anything else. */
bool parse_duration(const char *text, double *seconds);

void text_list_free(text_list *list);

/* Is --help among the arguments? */
bool options_ask_help(int argc, char *const *argv);

#endif
