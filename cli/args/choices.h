/* cli/args/choices.h: option values for the enums of the library, and lists of names.
 *
 * The parser, the help, error messages and results use these tables. An option stores the enum value. */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

#include <stddef.h>

/* ---- lists of names, for messages and for suggestions on mistyped words ------------------------ */

enum { MAX_NAMES = 64 };
typedef struct name_list {
    int count;
    const char *names[MAX_NAMES]; /* not owned */
} name_list;

void names_add(name_list *list, const char *name);

/* "auto" and the solvers of the library: all of them, or those supported in a search. */
name_list solver_names(void);
name_list search_solver_names(void);

/* Returns the index of `name` in the list, or -1. */
int names_find(const name_list *list, const char *name);

/* Returns the name nearest to a mistyped `word`, or NULL. */
const char *names_nearest(const name_list *list, const char *word);

/* Joins all names into `text`, with `between` as separator and `last` before the last name: "a, b or c".
 * Returns `text`, truncated to the capacity. */
char *names_join(const name_list *list, const char *between, const char *last, char *text, size_t capacity);

/* Copies the sentence, with "{names}" replaced by "a, b, c" and "{names or}" by "a, b or c". Returns `text`. */
char *names_expand(const char *sentence, const name_list *list, char *text, size_t capacity);

/* ---- choices ---------------------------------------------------------------------------------- */

typedef struct choice {
    const char *word; /* on the command line and in JSON; NULL ends the list */
    int value;
    const char *label; /* (optional) display text */
} choice;

extern const choice start_choices[];          /* volt_start */
extern const choice beyond_choices[];         /* volt_beyond */
extern const choice missing_choices[];        /* volt_missing */
extern const choice target_choices[];         /* volt_target */
extern const choice input_choices[];          /* volt_input */
extern const choice landmark_choices[];       /* volt_landmarks */
extern const choice score_choices[];          /* volt_score */
extern const choice race_choices[];           /* volt_race */
extern const choice folds_by_choices[];       /* folds_by_records of volt_search_options */
extern const choice strategy_choices[];       /* volt_strategy */
extern const choice validate_choices[];       /* volt_validate */
extern const choice protocol_choices[];       /* volt_protocol */
extern const choice mcs_method_choices[];     /* volt_mcs_method */
extern const choice ode_method_choices[];     /* volt_ode_method */
extern const choice object_scale_choices[];   /* volt_object_scale, or VOLT_SERIES_CHOOSE */
extern const choice object_input_choices[];   /* volt_object_input, or VOLT_SERIES_CHOOSE */
extern const choice object_compare_choices[]; /* volt_object_compare, or VOLT_SERIES_CHOOSE */
extern const choice law_choices[];            /* volt_search_law; the label is the syntax of --range */

/* Returns the choice with that word, or NULL. */
const choice *choice_of_word(const choice *choices, const char *word);

/* Return the word and the label of a value. */
const char *choice_word(const choice *choices, int value);
const char *choice_label(const choice *choices, int value);

/* Returns all words of the list. */
name_list choice_names(const choice *choices);

/* Writes "first|second|third" to `text` and returns it. */
enum { CHOICES_LENGTH = 96 };
char *choices_text(const choice *choices, char text[CHOICES_LENGTH]);

#endif
