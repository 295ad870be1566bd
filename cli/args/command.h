/* cli/args/command.h: a command of the program, one row of the table in program.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "args/options.h"

typedef struct cli_command {
    const char *name;
    const char *group;        /* heading in the list of commands */
    const char *summary;      /* one line for the list of commands; names_expand inserts `names` */
    name_list (*names)(void); /* (optional) names inserted into the summary */
    const char *description;  /* preformatted lines; the first paragraph, two sentences, is also in --help */
    const char *examples;     /* preformatted lines; --help has the first three */
    option_table options;
    int (*run)(int argc, char *const *argv); /* argv without the command's name; returns the exit status */
} cli_command;

extern const cli_command command_simulate, command_fit, command_predict, command_continue, command_stream,
    command_tune, command_compare, command_gram, command_score, command_mcs, command_bekk, command_plan,
    command_info, command_forecast, command_explain, command_classify, command_anomaly, command_identify,
    command_combine, command_capacity, command_export, command_curve;

/* The commands in the order of the help: those of a group follow each other. */
extern const cli_command *const commands[];
extern const int n_commands;

/* ---- help texts, generated from the tables of commands, options and kernels -------------------- */

/* Print to standard output: the list of commands, the page of a command for --help, the whole text about it, and what every
 * command has in common. */
void help_overview(void);
void help_command_short(const cli_command *command);
void help_command(const cli_command *command);
void help_options(void);

/* Prints every command and option as JSON, the source of the man page, the site's reference and the Python
 * docstrings. Returns the exit status. */
int help_json(void);

/* Prints every kernel, or only the kernel `name` (NULL: all). Returns 0, or the exit status after an error
 * message. */
int help_kernels(const char *name);

/* Prints the text of `volterra help completion`. */
void completion_help(void);
/* Prints the completion script of a shell to standard output. Returns 0, or the exit status after an error
 * message. */
int completion_run(int argc, char *const *argv);

/* Print the tables of solvers and of systems. */
void help_solvers(void);
void help_systems(void);

/* Arguments of `volterra help` besides the commands. */
#define HELP_TOPICS "options kernels solvers systems"

/* Prints `text` indented by `indent` columns and wrapped between words. `column` is the current cursor
 * position. */
void help_print_wrapped(const char *text, int column, int indent);

#endif
