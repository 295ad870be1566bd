/* cli/args/options.h: tables of command options.
 *
 * A command stores its arguments in a struct whose first member is `common_arguments`. Each option is one row
 * of the command's table. The parser, --help, completion, the man page, the site's reference and the Python
 * docstrings (scripts/option_texts.py) are generated from the rows.
 *
 *     #define ROW(...) OPTION(fit_arguments, __VA_ARGS__)
 *     ROW("alpha", "A", alpha, "regularisation strength", .unset = "chosen on held-out rows"),
 *     ROW("folds", "K", folds, "validation blocks", .range = AT_LEAST(1), .fallback = "5"),
 *
 * The type of the member determines the kind of the option. The members are fields of the options of the library where these
 * exist (training.fit.alpha), so that nothing is copied. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "args/choices.h"
#include "volterra.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_SWITCH,  /* int; set to `sets` */
    OPTION_TEXT,    /* const char * */
    OPTION_COUNT,   /* int64_t in `range`; default: at least 0 */
    OPTION_NUMBER,  /* double in `range`; default: positive */
    OPTION_CHOICE,  /* int or enum, the value of one of `choices` */
    OPTION_SEED,    /* seed_value */
    OPTION_ROWS,    /* row_range */
    OPTION_NUMBERS, /* number_list; each number in `range`, if given */
    OPTION_TEXTS,   /* text_list; may be repeated, with several words each time */
    OPTION_HEADING, /* not an option: title of the rows that follow */
    OPTION_GROUP    /* not an option: the rows of another table */
} option_kind;

typedef struct seed_value {
    bool given;
    uint64_t value;
} seed_value;

/* Rows start <= t < stop. A negative bound counts from the last row, as in Python. */
typedef struct row_range {
    bool given, has_start, has_stop;
    int64_t start, stop;
    const char *text;
} row_range;

enum { NUMBER_LIST_CAPACITY = 16 };
typedef struct number_list {
    int count;
    double values[NUMBER_LIST_CAPACITY];
} number_list;

/* Words of the command line. Only the list is owned; free it with text_list_free. */
typedef struct text_list {
    int64_t count;
    const char **texts;
} text_list;

typedef struct common_arguments {
    bool json, quiet, verbose;
    int64_t threads;    /* 0: not given */
    const char *device; /* NULL: not given */
    seed_value seed;
    const char *decimal, *thousands; /* marks in CSV files; NULL: detected */
} common_arguments;

/* Allowed values. All zero: the default range of the kind. */
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
    const char *name;      /* long name without dashes; for a positional argument, its name in the help */
    const char *argument;  /* name of the value in the help */
    const char *meaning;   /* noun phrase without a full stop; names_expand inserts `names` */
    const char *fallback;  /* (optional) default value, as text */
    const char *unset;     /* (optional) behaviour without the option, for the help */
    const char *python;    /* (optional) corresponding parameter; NULL: the name with underscores, "": none */
    const char *heading;   /* set by options_expand */
    const choice *choices; /* OPTION_CHOICE */
    name_list (*names)(void); /* (optional) possible values */
    const char *ending;       /* (optional) OPTION_TEXT: how a file name must end; - and none are allowed */
    const char *synonyms;     /* (optional) other names, separated by blanks, for which this one is suggested */
    const char *hint;         /* (optional) OPTION_CHOICE: added to the message about another value */
    const option_table *table; /* OPTION_GROUP */
    const char *described;     /* OPTION_GROUP: in place of `table`, a struct of the library */
    size_t offset;             /* offset of the value in the command's struct */
    value_range range;
    option_kind kind;
    int sets;    /* OPTION_SWITCH: the value of a field with the option */
    char letter; /* short name, or 0 */
    char form;   /* for commands with two forms: 1 or 2; 0: both */
    bool required;
    bool is_positional; /* positional argument */
    bool is_duration;   /* OPTION_NUMBER: 90s, 3min, 2h */
    bool is_rare;       /* --help has only the name */
} option;

struct option_table {
    const option *options;
    int count;
};

/* Defines one row: OPTION(struct, name, argument, member, meaning, further fields ...). */
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
        unsigned: OPTION_CHOICE,     \
        seed_value: OPTION_SEED,     \
        row_range: OPTION_ROWS,      \
        number_list: OPTION_NUMBERS, \
        text_list: OPTION_TEXTS)

/* The row of an option without a value that sets a flag of the library's options: SWITCH(struct, name, member, value,
 * meaning, ...). */
#define SWITCH(type, long_name, member, value, ...)                                                    \
    {                                                                                                  \
        .name = (long_name), .kind = OPTION_SWITCH, .offset = offsetof(type, member), .sets = (value), \
        .meaning = __VA_ARGS__                                                                         \
    }

/* Includes the rows of a shared table, whose struct is a member of the command's struct: GROUP(struct,
 * member, &table, ...). */
#define GROUP(type, member, ...)                                                     \
    {                                                                                \
        .kind = OPTION_GROUP, .offset = offsetof(type, member), .table = __VA_ARGS__ \
    }
/* Includes the fields of a struct of the library that have a tag [option VALUE] in its header: DESCRIBED(struct, member,
 * "volt_identify_options"). */
#define DESCRIBED(type, member, name)                                               \
    {                                                                               \
        .kind = OPTION_GROUP, .offset = offsetof(type, member), .described = (name) \
    }
#define HEADING(title)                          \
    {                                           \
        .kind = OPTION_HEADING, .name = (title) \
    }

#define OPTION_TABLE(array)                                \
    {                                                      \
        (array), (int)(sizeof(array) / sizeof((array)[0])) \
    }

/* Meaning of --kernel, shared by several commands. */
#define KERNEL_MEANING "kernel; see volterra help kernels"

/* The value of a macro as text. */
#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

/* Options common to all commands. */
extern const option_table common_options;

/* Lists the options of a table and of its groups, followed by the common options if `with_common`. Returns
 * their number. */
enum { MAX_OPTIONS = 80 };
int options_expand(const option_table *table, bool with_common, option rows[MAX_OPTIONS]);

/* Fills `arguments` from the defaults of the table and from argv[0 .. argc-1], and applies the common
 * options. Members without a default keep the caller's value. Returns 0, or the exit status after an error
 * message. */
int options_parse(const option_table *table, int argc, char *const *argv, void *arguments);

/* Write the help text of an option: its meaning with names inserted, without and with range and default, and its first
 * clause, up to a semicolon, bracket or colon, with the default or its first clause if both fit in `width` characters. */
enum { MEANING_LENGTH = 640 };
char *option_meaning(const option *row, char text[MEANING_LENGTH]);
char *option_help(const option *row, char text[MEANING_LENGTH]);
char *option_clause(const option *row, int width, char text[MEANING_LENGTH]);
/* Writes "positive" or "at least 1"; empty if any value is allowed. */
char *option_range(const option *row, char text[MEANING_LENGTH]);
/* Returns "FILE" or "first|second|third", or NULL if the option takes no value. */
const char *option_value_name(const option *row, char text[CHOICES_LENGTH]);

/* Parses a positive duration: a number of seconds, or numbers with units (d, h, m, s, min, hours, ...),
 * larger units first, such as "90s", "3 min" or "1h30m". Otherwise returns false and leaves *seconds
 * unchanged. */
bool parse_duration(const char *text, double *seconds);

/* The defaults of volt_read_options with --decimal and --thousands. */
volt_read_options reading_options(void);
/* Rejects --decimal and --thousands for `what`, which is read without them. */
int reading_options_refuse(const char *what);

void text_list_free(text_list *list);

/* Parses the value of one option into its place `target`. A message is printed on failure. */
int option_parse_value(const option *row, const char *text, void *target);

/* Returns whether the command whose arguments were parsed has this option. */
bool options_offer(const char *name);

/* Returns whether --help is among the arguments. */
bool options_ask_help(int argc, char *const *argv);

#endif
