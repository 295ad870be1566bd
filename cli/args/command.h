/* cli/args/command.h: a command of the program, as a row of the table in main.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "args/options.h"

typedef struct cli_command {
    const char *name;
    const char *summary;      /* one line, for the list of commands; names_expand puts `names` into it */
    name_list (*names)(void); /* (optional) of a table, for the summary */
    const char *description;  /* lines ready to print */
    const char *examples;     /* lines ready to print */
    option_table options;
    int (*run)(int argc, char *const *argv); /* the words after the command's name; returns the exit status */
} cli_command;

extern const cli_command command_simulate, command_fit, command_predict, command_continue, command_stream,
    command_tune, command_compare, command_gram, command_score, command_mcs, command_bekk, command_plan,
    command_info, command_forecast, command_explain, command_classify, command_anomaly;

/* The table, in the order of the help. */
extern const cli_command *const commands[];
extern const int n_commands;

/* ---- the help texts, made from the tables of commands, options and kernels --------------------- */

/* All on standard output. */
void help_overview(void);
void help_command(const cli_command *command);

/* Every command and option as JSON: the source of the man page, the site's reference and the docstrings of Python.
 * Returns the exit status. */
int help_json(void);

/* Every kernel, or the one called `name` (NULL: all). Returns 0, or the exit status after saying what is
 * wrong. */
int help_kernels(const char *name);

/* The text of `volterra help completion`. */
void completion_help(void);
/* The completion script of a shell, on standard output. Returns 0, or the exit status after an error message. */
int completion_run(int argc, char *const *argv);

/* The table of solvers. */
void help_solvers(void);

/* `text` from column `indent` on, wrapped between words; `column` is the position of the cursor. */
void help_print_wrapped(const char *text, int column, int indent);

#endif
